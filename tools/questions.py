"""Questions for exams, on paper.

The page has the questions of `notebooks/instructor/questions.toml`, lesson by lesson; with `--key`
also the key, why it is right, and the misconception behind each wrong answer. A key that is a
number is computed by the program that is printed. How a question is written stands in the file.
"""

import html
import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import minigrad
from minigrad.classroom.compare.cells import Cell
from minigrad.classroom.compare.results import run, value_of, written
from minigrad.classroom.lessons import course
from tools.files import ROOT
from tools.key import STYLE

FILE = ROOT / "notebooks" / "instructor" / "questions.toml"
PAPER = """
h1 + p + h2 { page-break-before: avoid; } section { page-break-inside: avoid; margin: 1.4em 0; }
.points { float: right; margin-left: 1.5em; }
ol { list-style: none; padding-left: 1em; } .line { height: 1.8em; border-bottom: 1px solid #888; }
.number { color: #666; display: inline-block; width: 2em; }
.key { border-left: 3px solid #888; padding-left: 1em; }
@page { size: A4; margin: 18mm; }
"""


@dataclass(frozen=True)
class Question:
    """One item of the file, which says what each of these is."""

    id: str
    promise: str
    kind: str
    question: str
    why: str
    points: int
    wrong: dict = field(default_factory=dict)
    program: str = ""
    proof: str = ""
    key: str = ""
    choices: tuple = ()
    cure: tuple = ()
    stops: str = ""
    holds: str = ""

    @property
    def lesson(self):
        return self.id[:2]

    def cell(self, mended=False):
        """The program, and what proves the key, to be run on either engine."""
        program = self.program.replace(*self.cure) if mended else self.program
        expressions = [self.key] if self.kind == "number" else []
        return Cell(f"{program}\n{self.proof}", expressions + ([self.holds] if self.holds else []))

    def results(self, torch=minigrad, mended=False):
        """{name: record} of a run."""
        return run(self.cell(mended), torch)[0] if self.program + self.proof + self.key else {}

    def answer(self, torch=minigrad):
        """The key as it is printed."""
        if self.kind == "number":
            return written(self.results(torch)[self.key])
        if self.kind == "printed":
            return " ".join(value_of(self.results(torch)["printed"]).split())
        if self.kind == "line":
            before, faulty, _ = self.program.partition(self.cure[0])
            return str((before + faulty[: len(faulty) - len(faulty.lstrip())]).count("\n") + 1)
        return self.key

    def options(self):
        """What can be ticked."""
        return ("true", "false") if self.kind == "true or false" else self.choices


def questions():
    """All of them, in the order of the file."""
    return [Question(**item) for item in tomllib.loads(FILE.read_text("utf-8"))["question"]]


def page(key=False):
    """The page, as text."""
    title = "Questions" + (", with key" if key else "")
    parts = [f"<h1>{title}</h1><p><code>torch</code> is imported in every program.</p>"]
    everything = questions()
    for lesson in course.COURSE:
        of_lesson = [one for one in everything if one.lesson == lesson.number]
        parts.append(f"<h2>{lesson.number} {html.escape(lesson.title)}</h2>")
        parts += [section(one, key) for one in of_lesson]
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    return f"{head}<style>{STYLE}{PAPER}</style>\n" + "\n".join(parts) + "\n</html>\n"


def section(question, key):
    """One question as HTML."""
    points = f"{question.points} point{'s' if question.points > 1 else ''}"
    head = f'<span class="points">{points}</span><b>{question.id}</b>'
    parts = [f"<p>{head} {prose(question.question)}</p>"]
    if question.program:
        parts.append(f"<pre>{numbered(question.program)}</pre>")
    if question.options():
        parts.append(items("ol", [f"&#9744; {html.escape(one)}" for one in question.options()]))
    if key:
        wrong = [f"<b>{html.escape(w)}</b>: {prose(why)}" for w, why in question.wrong.items()]
        answer = f"<b>Key: {html.escape(question.answer())}.</b> {prose(question.why)}"
        promise = f"<i>Promise: {prose(question.promise)}.</i>"
        parts.append(f'<div class="key"><p>{answer} {promise}</p>{items("ul", wrong)}</div>')
    elif not question.choices:
        parts.append('<div class="line"></div>')
    return f"<section>{''.join(parts)}</section>"


def numbered(program):
    """A program with its lines counted."""
    lines = enumerate(program.rstrip().splitlines(), start=1)
    return "\n".join(f'<span class="number">{n}</span>{html.escape(line)}' for n, line in lines)


def prose(text):
    """A sentence, with `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def items(tag, lines):
    return f"<{tag}>{''.join(f'<li>{line}</li>' for line in lines)}</{tag}>"


def main(*arguments):
    names = [one for one in arguments if one != "--key"]
    if len(names) != 1:
        sys.exit("Name a file")
    Path(names[0]).write_text(page(key="--key" in arguments), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
