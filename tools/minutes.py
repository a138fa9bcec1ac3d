"""How many minutes a lesson takes a learner, by one rule: python3 run.py minutes

docs/lessons.md gives the rule in words. The figures of the lessons, of `course.COURSE` and of the
instructor notes are compared with it by tests/notebooks/test_minutes.py.
"""

import re
import sys

import nbformat

from minigrad.classroom.lessons import course
from tools.files import ROOT

WORDS_A_MINUTE = 100
A_LINE_OF_CODE = 0.1  # minutes, as are those that follow
A_LOOK = 0.5
A_CARD = 1
A_WIDGET = 3
EXERCISE = re.compile(r"^## Exercise (\d\d-\d+): .+ \((easy|medium|hard), (\d+) minutes\)$")
DIFFICULTY = {"easy": 5, "medium": 10, "hard": 15}


def minutes(path):
    """(reading and running, exercises) of a stored lesson, each in steps of five."""
    reading, practice, optional = 0.0, 0, False
    for cell in nbformat.read(path, as_version=4).cells:
        heading = cell.source.partition("\n")[0]
        if cell.cell_type == "markdown" and heading.startswith("#"):
            optional = "optional" in heading.lower()
        exercise = EXERCISE.match(heading)
        if exercise:
            practice += int(exercise[3])
        elif not optional:
            reading += _of_prose(cell) if cell.cell_type == "markdown" else _of_code(cell)
    return 5 * round(reading / 5), practice


def _of_prose(cell):
    return len(re.findall(r"\S*\w\S*", cell.source)) / WORDS_A_MINUTE


def _of_code(cell):
    source = cell.source
    if re.search(r"check\(|%%mend|%%stage", source):
        return 0  # a part of an exercise
    if source.startswith("predict("):
        return A_CARD
    if "widgets." in source:
        return A_WIDGET
    lines = [line for line in source.splitlines() if line.strip()]
    return len(lines) * A_LINE_OF_CODE + (A_LOOK if cell.outputs else 0)


def main():
    print("lesson                 by the rule   as it says")
    for lesson in course.COURSE:
        found = minutes(ROOT / "notebooks" / f"{lesson.file}.ipynb")
        print(f"{lesson.file:22} {found!s:13} {(lesson.talk, lesson.practice)}")


if __name__ == "__main__":
    sys.exit(main())
