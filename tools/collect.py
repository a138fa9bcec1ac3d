"""Where a class went wrong: python3 run.py collect FOLDER

The folder has the files that learners made with `progress.export("name")`. The command prints one
table, and writes it to `class.html` beside them, with a bar in each row: for each card and exercise
how many tried it, how many were right at once and in the end, and what the others said or were
told, the hardest first.

The files hold what each learner's machine has recorded. They are plain text that anyone can edit,
so they help you teach, but prove nothing.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from minigrad.classroom.lessons import every_card, every_lesson
from minigrad.classroom.lessons.course import COURSE
from minigrad.classroom.lessons.progress import sound
from minigrad.classroom.show.formatting import table
from tools.files import write
from tools.templates import render

MOST_BYTES = 1_000_000  # a progress file has a few thousand
WIDTHS = [16, 5, 7, 10, 54]
HEAD = ("", "tried", "at once", "in the end", "what the others said, or were told")


class Learner(NamedTuple):
    """What one file holds."""

    name: str
    kept: dict[str, Any]

    @property
    def solved(self) -> str:
        count = len(self.kept["solved"])
        return f"{count} exercise{'s' * (count != 1)}"


class Row(NamedTuple):
    """One card or exercise. asks: the card's question, or the exercise's lesson. tried, at_once,
    right: how many; others: what the others said, or what their wrong answers were told, and how
    many, the commonest first."""

    name: str
    asks: str
    tried: int
    at_once: int
    right: int
    others: list[str]


def read(folder: Path) -> tuple[list[Learner], list[str]]:
    """(the learners, sentences about files that cannot be used)."""
    learners, problems = [], []
    for file in sorted(Path(folder).glob("*.json")):
        try:
            if file.stat().st_size > MOST_BYTES:
                raise ValueError
            data = json.loads(file.read_text(encoding="utf-8"))
            learners.append(Learner(str(data["name"])[:60], sound(data)))
        except (OSError, ValueError, KeyError, TypeError):
            problems.append(f"{file.name} was not made by progress.export; it is left out.")
    return learners, problems


def rows(learners: list[Learner]) -> list[Row]:
    """Each card and exercise that was tried, the hardest first."""
    all_rows = [_of_card(name, card.question, learners) for name, card in every_card().items()]
    for module in every_lesson().values():
        all_rows += [_of_exercise(one.name, learners) for one in module.EXERCISES]
    return sorted(
        (row for row in all_rows if row.tried), key=lambda row: (row.at_once / row.tried, row.name)
    )


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
    others = _commonest("told:", (words for one in tried for words in one["told"].get(name, ())))
    [lesson] = [one.title for one in COURSE if one.number == name[:2]]
    return Row(name, f"an exercise of {lesson}", len(tried), at_once, len(solved), others)


def _commonest(how, words):
    counted = Counter(one[:160] for one in words).most_common(3)
    return [f"{count} {how} {one}" for one, count in counted]


def text(learners: list[Learner], ranked: list[Row]) -> str:
    """The table, as text."""
    lines = [HEAD]
    for row in ranked:
        counts = map(str, (row.tried, row.at_once, row.right))
        lines.append((row.name, *counts, "; ".join(row.others)))
    whole = [f"{len(learners)} learners", "", table(lines, WIDTHS), ""]
    whole += [f"{one.name}: {one.solved} solved" for one in learners]
    return "\n".join(whole)


def page(learners: list[Learner], ranked: list[Row]) -> str:
    """The table with its bars, as a page."""
    return render("class.html", learners=learners, rows=ranked)


def main(*arguments: str) -> None:
    """The command. Exits with a sentence if there is nothing to collect."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.exit("Name the folder with the learners' files: python3 run.py collect FOLDER")
    folder = Path(arguments[0])
    learners, problems = read(folder)
    print(*problems, sep="\n", end="\n" * bool(problems), file=sys.stderr)
    if not learners:
        sys.exit(f"{folder} has no file made by progress.export.")
    ranked = rows(learners)
    print(text(learners, ranked))
    write(folder / "class.html", page(learners, ranked))


if __name__ == "__main__":
    main(*sys.argv[1:])
