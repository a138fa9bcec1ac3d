"""How many minutes a lesson takes a learner, by one rule: python3 run.py minutes [--check]

docs/lessons.md gives the rule in words. The command computes the figures and updates every place
that states them: the lesson, its notes for lecturers, the README, the table for lecturers, the
paragraph for a syllabus, and course.py, from which the first page takes them (run.py notebooks
stores that page again). `--check` writes nothing and lists the places that are out of date.
"""

import re
import sys

import nbformat

from minigrad.classroom.lessons import course
from tools.files import ROOT, write

WORDS_A_MINUTE = 100
A_LINE_OF_CODE = 0.1  # minutes, as are those that follow
A_LOOK = 0.5
A_CARD = 1
A_WIDGET = 3
EXERCISE = re.compile(r"^## Exercise (\d\d-\d+): .+ \((?:optional, )?(\w+), (\d+) minutes\)$")
DIFFICULTY = {"easy": 5, "medium": 10, "hard": 15}
COURSE = "minigrad/classroom/lessons/course.py"
FOR_LECTURERS = "notebooks/instructor/README.md"
SYLLABUS = "docs/syllabus-paragraph.md"


def minutes(path):
    """(reading and running, exercises) of a stored lesson, each in steps of five."""
    reading, practice, optional = 0.0, 0, False
    for cell in nbformat.read(path, as_version=4).cells:
        heading = cell.source.partition("\n")[0]
        if cell.cell_type == "markdown" and heading.startswith("#"):
            optional = "optional" in heading.lower()
        exercise = EXERCISE.match(heading)
        if exercise and not optional:
            practice += int(exercise[3])
        elif not optional:
            reading += time_of(cell)
    return 5 * round(reading / 5), practice


def time_of(cell):
    """Minutes for a cell of a lesson that belongs to no exercise."""
    source = cell.source
    if cell.cell_type == "markdown":
        return len(re.findall(r"\S*\w\S*", source)) / WORDS_A_MINUTE
    if re.search(r"check\(|%%mend|%%stage", source):
        return 0  # a part of an exercise
    if source.startswith("predict("):
        return A_CARD
    if "widgets." in source:
        return A_WIDGET
    lines = [line for line in source.splitlines() if line.strip()]
    return len(lines) * A_LINE_OF_CODE + (A_LOOK if cell.outputs else 0)


def figures():
    """{lesson: (reading and running, exercises)} of the whole course, counted now. Its appendix is
    not counted: nobody reads a dictionary from cover to cover."""
    lessons = [one for one in course.COURSE if not one.appendix]
    return {one: minutes(ROOT / "notebooks" / f"{one.file}.ipynb") for one in lessons}


def places(by_lesson):
    """[(file, pattern, figures)]: where figures are stated, each a % in a pattern that matches
    once."""
    for lesson, both in by_lesson.items():
        file = re.escape(lesson.file)
        yield f"notebooks/{lesson.file}.ipynb", r"\*\*Time\*\* % minutes\D*% for", both
        yield f"notebooks/instructor/{lesson.file}.md", r"^## .*\(% \+ % minutes\)$", both
        yield "README.md", rf"\(notebooks/{file}\.ipynb\)(?:\*\*)? \| % \+ %", both
        yield FOR_LECTURERS, rf"\({file}\.md\) \| % \| %", both
        yield COURSE, rf'"{file}",\s+".*?",\s+%,\s+%,', both
    together = talk, practice = [sum(one) for one in zip(*by_lesson.values())]
    core = sum(sum(one) for lesson, one in by_lesson.items() if lesson.number in course.CORE)
    yield "README.md", r"about % hours in all", [course.half_hours(talk + practice)]
    yield FOR_LECTURERS, r"\| together \| % \| %", together
    yield FOR_LECTURERS, r"All lessons together take % hours", [course.half_hours(talk + practice)]
    yield SYLLABUS, r"\s% minutes of\s+reading", [talk]
    yield SYLLABUS, r"\s% minutes of exercises", [practice]
    yield SYLLABUS, r"% hours in all", [course.half_hours(talk + practice)]
    yield SYLLABUS, r"in all: % hours of lessons", [course.half_hours(talk)]
    yield SYLLABUS, r"% hours of exercises", [course.half_hours(practice)]
    yield SYLLABUS, r"takes\s+(?:> )?% hours", [course.half_hours(core)]


def changed():
    """{path: its text with the right figures}, if it states others. Raises ValueError if a figure
    is not found."""
    texts = {}
    for file, pattern, numbers in places(figures()):
        path = ROOT / file
        text = texts.setdefault(path, path.read_text(encoding="utf-8"))
        between = pattern.replace("%", r")\d[\d.]*(")
        now = "".join(rf"\g<{k}>{figure}" for k, figure in enumerate([*numbers, ""], start=1))
        texts[path], count = re.subn(f"({between})", now, text, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"{file} should state minutes once, as in {pattern}")
    return {path: text for path, text in texts.items() if text != path.read_text("utf-8")}


def main(*arguments):
    for lesson, (talk, practice) in figures().items():
        print(f"{lesson.file:22} {talk:3} + {practice}")
    others, check = changed(), "--check" in arguments
    for path, text in others.items():
        print(f"{path.relative_to(ROOT)} {'is out of date' if check else 'updated'}.")
        if not check:
            write(path, text)
    sys.exit(1 if others and check else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
