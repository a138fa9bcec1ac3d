"""Papers for exams: python3 run.py papers OUT [--seed 7] [--lessons 02,03]

Writes to the folder OUT

    questions.html               the questions, to print and hand out
    for-lecturers/key.html       with their key, and the misconception behind each wrong answer
    for-lecturers/moodle.xml     the same for Moodle (Question bank, Import, Moodle XML format)
    for-lecturers/questions.gift the same in GIFT, which many other systems read
    for-lecturers/lessons.html   the key to the lessons' own cards and exercises, for assistants
    for-lecturers/votes.csv      the votes of the one lecture, for a clicker system

--seed N         fixes the numbers and the order of the choices; without it a seed is drawn, and the
                 key states it. Another seed gives another exam of the same difficulty.
--lessons 02,03  only the questions of these lessons
"""

import argparse
import csv
import io
import random
import re
import sys
import textwrap
from pathlib import Path

import nbformat
from markupsafe import Markup

from minigrad.classroom.lessons import ANSWER, LECTURE, course, every_card, every_lesson
from tools.beats import act, card_of
from tools.files import ROOT, write
from tools.questions import questions
from tools.templates import filters, prose, render

VOTE_SECONDS = 60
WITH_REASON = " True or false? Give a reason."


def exam(drawn, seed=None):
    """The page with questions, and with the key where the seed may be told."""
    return render("exam.html", lessons=by_lesson(drawn), seed=seed, reason=WITH_REASON)


def by_lesson(drawn):
    """[(title, its questions)] of the lessons that have some."""
    titles = {one.number: f"{one.number} {one.title}" for one in course.COURSE}
    numbers = sorted({question.lesson for question in drawn})
    return [(titles[n], [one for one in drawn if one.lesson == n]) for n in numbers]


def is_typed(question):
    """Whether a learning platform asks for one number: it cannot compare lists."""
    answers = (question.answer(), *question.wrong)
    return question.kind in ("line", "number") and not any("[" in one for one in answers)


def votes():
    """The lecture's cards as rows: question, answers, seconds, and which answer is right."""
    cells = nbformat.read(ROOT / "notebooks" / "lecture.ipynb", as_version=4).cells
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["question", *(f"answer {k}" for k in range(1, 5)), "seconds", "right answer"])
    for card in [card_of(cell) for cell in cells if act(cell) == "card"]:
        choices = list(map(str, card.choices))
        right = choices.index(str(card.options()["answer"])) + 1
        rows.writerow([card.question, *choices, VOTE_SECONDS, right])
    return table.getvalue()


def lessons_key():
    """Every card and exercise, read from the lessons' modules, with what learners are told."""
    modules = every_lesson()
    parts = [
        (f"{one.number} {one.title}", modules[one.number].CARDS, exercises(one, modules))
        for one in course.COURSE
    ]
    for title, begins in (("The answer", ANSWER), ("The one lecture", LECTURE)):
        own = {name: card for name, card in every_card().items() if name.startswith(begins)}
        parts.append((title, own, []))
    return render("lessons.html", parts=parts)


def exercises(lesson, modules):
    """[(heading, exercise)] of a lesson."""
    cells = nbformat.read(ROOT / "notebooks" / f"{lesson.file}.ipynb", as_version=4).cells
    headings = (re.match(r"## Exercise ((\d\d-\d+): .*)", cell.source) for cell in cells)
    titles = {match[2]: match[1] for match in headings if match}
    return [(titles[one.name], one) for one in modules[lesson.number].EXERCISES]


def short(mistake):
    """A mistake in a line: what is changed into what, or how the program begins."""
    if not isinstance(mistake, tuple):
        return textwrap.shorten(mistake, 90, placeholder=" ...")
    changes = zip(mistake[::2], mistake[1::2])
    parts = [f"{old.strip()} -> {new.strip() or '(nothing)'}" for old, new in changes]
    return textwrap.shorten("; ".join(parts) or "as it was", 120, placeholder=" ...")


filters["short"] = short
filters["dedent"] = lambda program: textwrap.dedent(program).strip()
filters["numbered"] = lambda program: "\n".join(
    f"{number}  {line}" for number, line in enumerate(program.rstrip().splitlines(), start=1)
)
# HTML in which GIFT's own signs are escaped, on one line.
filters["in_gift"] = lambda text: Markup(
    re.sub(r"([~=#{}:\\])", r"\\\1", str(prose(text))).replace("\n", r"\n")
)


def main(*arguments):
    parser = argparse.ArgumentParser(prog="python3 run.py papers")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    parser.add_argument("--lessons", type=lambda text: text.split(","))
    asked = parser.parse_args(arguments)
    drawn = questions(asked.seed, asked.lessons)
    if not drawn:
        parser.error(f"there are no questions of {', '.join(asked.lessons)}")
    aside = asked.out / "for-lecturers"
    aside.mkdir(parents=True, exist_ok=True)
    write(asked.out / "questions.html", exam(drawn))
    write(aside / "key.html", exam(drawn, asked.seed))
    for name in ("moodle.xml", "questions.gift"):
        write(aside / name, render(name, lessons=by_lesson(drawn), is_typed=is_typed))
    write(aside / "lessons.html", lessons_key())
    write(aside / "votes.csv", votes())
    summary = f"{len(drawn)} questions, drawn with seed {asked.seed}"
    print(f"{summary}: {asked.out / 'questions.html'}. The key is in {aside}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
