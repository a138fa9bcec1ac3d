"""A printable key for assistants.

For each exercise of each lesson its title, one solution, the hints, and what the check says to the
mistakes that it knows; for each card its question, answer and known wrong guesses. All of it
is read from the lessons' modules, so it cannot differ from what learners are told.
"""

import html
import re
import sys
import textwrap
from pathlib import Path

import nbformat

from minigrad.classroom.lessons import ANSWER, LECTURE, course, every_card, every_lesson
from tools.files import ROOT

STYLE = """
body { font: 11pt/1.4 Georgia, serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
pre { background: #f3f3f1; padding: .5em .8em; white-space: pre-wrap; font-size: 9.5pt; }
h2 { page-break-before: always; } h3 { margin-top: 1.6em; } li { margin: .3em 0; }
pre, li, h3 { page-break-inside: avoid; } code { font-size: 9.5pt; }
"""


def titles(lesson):
    """{name of an exercise: its heading in the notebook}."""
    cells = nbformat.read(ROOT / "notebooks" / f"{lesson.file}.ipynb", as_version=4).cells
    found = (re.match(r"## Exercise ((\d\d-\d+): .*)", cell.source) for cell in cells)
    return {match[2]: match[1] for match in found if match}


def of_exercise(exercise, title):
    parts = [f"<h3>{html.escape(title)}</h3>", _code(exercise.solution)]
    parts.append(_list("Hints", exercise.hints))
    told = [
        f"<code>{html.escape(_short(one))}</code>: {html.escape(sentence)}"
        for one, sentence in exercise.mistakes.items()
    ]
    return "\n".join([*parts, _list("What it says to", told, escaped=True)])


def of_card(name, card):
    options = card.options()
    answer = html.escape(str(options["answer"]))
    wrong = [
        f"{html.escape(str(guess))}: {html.escape(line)}"
        for guess, line in options["misconceptions"]
    ]
    return (
        f"<p><b>{name}</b> {html.escape(card.question)}<br><b>Answer:</b> {answer}. "
        f"{html.escape(card.why)}</p>" + _list("Wrong guesses it knows", wrong, escaped=True)
    )


def key():
    """The page, as text."""
    parts = ["<h1>Key to the cards and exercises</h1><p>For assistants; not for learners.</p>"]
    modules = every_lesson()
    for lesson in course.COURSE:
        module, named = modules[lesson.number], titles(lesson)
        parts.append(f"<h2>{lesson.number} {html.escape(lesson.title)}</h2>")
        parts += [of_card(name, card) for name, card in getattr(module, "CARDS", {}).items()]
        for exercise in getattr(module, "EXERCISES", ()):
            parts.append(of_exercise(exercise, named.get(exercise.name, exercise.name)))
    for title, begins in (("The answer", ANSWER), ("The one lecture", LECTURE)):
        own = {name: card for name, card in every_card().items() if name.startswith(begins)}
        parts += [f"<h2>{title}</h2>", *(of_card(name, card) for name, card in own.items())]
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{STYLE}</style>'
    return f"{head}<title>Key</title>{''.join(parts)}</html>\n"


def _code(text):
    return f"<pre>{html.escape(textwrap.dedent(text).strip())}</pre>"


def _list(head, lines, escaped=False):
    items = "".join(f"<li>{line if escaped else html.escape(line)}</li>" for line in lines)
    return f"<p>{head}:</p><ul>{items}</ul>" if items else ""


def _short(mistake):
    """A mistake in a line: what is changed into what, or how the program begins."""
    if not isinstance(mistake, tuple):
        return textwrap.shorten(mistake, 90, placeholder=" ...")
    changes = zip(mistake[::2], mistake[1::2])
    told = [f"{old.strip()} -> {new.strip() or '(nothing)'}" for old, new in changes]
    return textwrap.shorten("; ".join(told) or "as it was", 120, placeholder=" ...")


def main(*arguments):
    if len(arguments) != 1:
        sys.exit("Name a file")
    Path(arguments[0]).write_text(key(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
