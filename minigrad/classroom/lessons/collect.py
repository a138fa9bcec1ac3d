"""Where a class went wrong: `python3 -m minigrad.classroom.lessons.collect FOLDER`.

The folder has the files that learners made with `progress.export("name")`. The command prints one
table and writes `class.html` beside them, a picture and the same table: for each card and exercise
how many tried it, how many were right at once and at last, and what the others said or were told,
the hardest first.

The files say what each learner's machine has kept. They are text that can be written by hand, so
they help to teach, and prove nothing.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..show.drawing.svg import Drawing
from ..show.formatting import table
from ..show.html import escape, page_table, td, th
from . import every_card, every_lesson
from .course import COURSE
from .progress import sound

MOST_BYTES = 1_000_000  # a file of progress has some thousands
MOST_ROWS = 20  # of the picture: what is easy needs none
WIDTHS = [16, 5, 7, 7, 57]
HEAD = ("", "tried", "at once", "at last", "what the others said, or were told")


class Learner(NamedTuple):
    """What one file holds."""

    name: str
    kept: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One card or exercise. asks: the card's question, or the exercise's lesson. tried, at_once,
    right: how many; others: what the others said, or what their wrong answers were told, and how
    many, the commonest first."""

    name: str
    asks: str
    tried: int
    at_once: int
    right: int
    others: list[str]

    @property
    def share(self) -> float:
        """How many of those who tried were right at once."""
        return self.at_once / self.tried

    @property
    def told(self) -> str:
        return "; ".join(self.others)

    @property
    def counts(self) -> str:
        at_last = f", {self.right} at last" if self.right > self.at_once else ""
        return f"{self.at_once} of {self.tried}{at_last}"


def read(folder: Path) -> tuple[list[Learner], list[str]]:
    """(the learners, sentences about files that cannot be used)."""
    learners, problems = [], []
    for file in sorted(Path(folder).glob("*.json")):
        try:
            if file.stat().st_size > MOST_BYTES:
                raise ValueError
            found = json.loads(file.read_text(encoding="utf-8"))
            learners.append(Learner(str(found["name"])[:60], sound(found)))
        except (OSError, ValueError, KeyError, TypeError):
            problems.append(f"{file.name} is no file that progress.export made; it is left out.")
    return learners, problems


def rows(learners: list[Learner]) -> list[Row]:
    """Each card and exercise that somebody tried, the hardest first."""
    found = [_of_card(name, card.question, learners) for name, card in every_card().items()]
    for module in every_lesson().values():
        found += [_of_exercise(one.name, learners) for one in getattr(module, "EXERCISES", ())]
    return sorted((row for row in found if row.tried), key=lambda row: (row.share, row.name))


def _of_card(name, question, learners):
    guesses = [one.kept["guesses"][name] for one in learners if name in one.kept["guesses"]]
    right = sum(is_right for _, is_right in guesses)
    others = _commonest("said", (guess for guess, is_right in guesses if not is_right))
    return Row(name, question, len(guesses), right, right, others)


def _of_exercise(name, learners):
    kept = [one.kept for one in learners]
    tried = [one for one in kept if name in one["tries"] or name in one["solved"]]
    solved = [one for one in tried if name in one["solved"]]
    at_once = sum(one["tries"].get(name, 1) == 1 for one in solved)
    told = _commonest("told:", (words for one in tried for words in one["told"].get(name, ())))
    [lesson] = [one.title for one in COURSE if one.number == name[:2]]
    return Row(name, f"an exercise of {lesson}", len(tried), at_once, len(solved), told)


def _commonest(how: str, words: Iterable[str]) -> list[str]:
    found = Counter(one[:160] for one in words).most_common(3)
    return [f"{count} {how} {one}" for one, count in found]


def text(learners: list[Learner], found: list[Row]) -> str:
    """The table, as text."""
    lines = [HEAD]
    lines += [(r.name, str(r.tried), str(r.at_once), str(r.right), r.told) for r in found]
    whole = [f"{len(learners)} learners", "", table(lines, WIDTHS), ""]
    whole += [f"{one.name}: {_exercises(one)} solved" for one in learners]
    return "\n".join(whole)


def _exercises(learner):
    count = len(learner.kept["solved"])
    return f"{count} exercise{'s' * (count != 1)}"


def picture(found: list[Row], learners: int) -> Drawing:
    """A bar for each card and exercise, the hardest on top. Its frame is as long as many tried it:
    full for who was right at once, light for who was right at last, empty for who was not. Beside
    it stands what the others said most."""
    shown = found[:MOST_ROWS]
    told = ", ".join(f"{row.name} {row.share:.0%}" for row in shown[:5])
    step, left, wide, size = 46, 120, 240, 13
    label = f"Right at once, hardest first: {told}."
    drawing = Drawing(left + wide + 560, 44 + step * len(shown), label)
    x = left
    for fill, words in (("hand", "right at once"), ("hand-tint", "at last"), ("paper", "not yet")):
        drawing.box(x, 4, 16, 14, fill, "hand", 1, 0)
        drawing.text(x + 22, 16, words, size)
        x += 34 + 8 * len(words)
    one = wide / max(learners, 1)
    for number, row in enumerate(shown):
        y = 36 + number * step
        drawing.text(0, y + 15, row.name, size, font="code", bold=True)
        drawing.box(left, y, one * row.tried, 22, "paper", "none", 0, 0)
        drawing.box(left, y, one * row.right, 22, "hand-tint", "none", 0, 0)
        drawing.box(left, y, one * row.at_once, 22, "hand", "none", 0, 0)
        drawing.box(left, y, one * row.tried, 22, "none", "hand", 1, 0)
        drawing.text(left, y + 37, row.counts, size, ink="quiet")
        for words in row.others[:1]:
            short = words if len(words) < 144 else f"{words[:140]} \u2026"
            drawing.paragraph(left + wide + 20, y + 13, short, 78, size)
    return drawing


def page(learners: list[Learner], found: list[Row]) -> str:
    """The picture and the table, as a page."""
    alt = f"{picture(found, len(learners)).label} The table below has all numbers."
    look = "text-align: left; vertical-align: top; padding: 4px 10px"
    cells = [
        [
            th(row.name, "row", style=look),
            *(td(str(n), style=look) for n in (row.tried, row.at_once, row.right)),
            td("<br>".join(map(escape, row.others)), style=look),
            td(escape(row.asks), style=look),
        ]
        for row in found
    ]
    head = [th(name, "col", style=look) for name in ("name", *HEAD[1:], "what is asked")]
    names = ", ".join(f"{escape(one.name)} ({_exercises(one)})" for one in learners)
    more = f", the {MOST_ROWS} hardest of {len(found)}" if len(found) > MOST_ROWS else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A class</title>'
        '<body style="font-family: sans-serif; max-width: 70em; margin: 2em auto">'
        f"<h1>Where the class went wrong</h1><p>{len(learners)} learners: {names}</p>"
        f"<h2>Hardest first{more}</h2>{picture(found, len(learners)).image(alt)}"
        f"<h2>All of it</h2>{page_table(cells, head, 'Cards and exercises, hardest first')}"
        "<p>A card counts the first guess. An exercise counts every try until it is solved.</p>"
        "</body></html>\n"
    )


def main(*arguments: str) -> None:
    """The command. Exits with a sentence where there is nothing to collect."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.exit("Name the folder with the learners' files: collect FOLDER")
    folder = Path(arguments[0])
    learners, problems = read(folder)
    print(*problems, sep="\n", end="\n" * bool(problems), file=sys.stderr)
    if not learners:
        sys.exit(f"{folder} has no file that progress.export made.")
    found = rows(learners)
    print(text(learners, found))
    (folder / "class.html").write_text(page(learners, found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
