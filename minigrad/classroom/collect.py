"""Where a class went wrong: `python3 -m minigrad.classroom.collect FOLDER`.

The folder has the files that learners made with `progress.export("name")`. The command prints one
table and writes `class.html` beside them: who solved what, how many tries an exercise took, and for
each card how many guessed right and the commonest wrong guesses, the hardest first.

The files say what each learner's machine has kept. They are text that can be written by hand, so
they help to teach, and prove nothing.
"""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .drawing.svg import Drawing
from .formatting import table
from .lessons import every_card, every_lesson
from .lessons.progress import sound
from .shown import escape

MOST_BYTES = 1_000_000  # a file of progress has some thousands
WIDTHS = [10, 12, 8, 62]


class Learner(NamedTuple):
    """What one file holds."""

    name: str
    kept: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One card or exercise. share: how many of those who tried were right, at once or at last."""

    name: str
    tried: int
    right: int
    told: str  # the commonest wrong guesses, or the tries it took

    @property
    def share(self) -> float:
        return self.right / self.tried


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
    found = [_of_card(name, learners) for name in every_card()]
    for module in every_lesson().values():
        found += [_of_exercise(one.name, learners) for one in getattr(module, "EXERCISES", ())]
    return sorted((row for row in found if row.tried), key=lambda row: (row.share, row.name))


def _of_card(name, learners):
    guesses = [one.kept["guesses"][name] for one in learners if name in one.kept["guesses"]]
    wrong = Counter(guess for guess, right in guesses if not right).most_common(3)
    told = "; ".join(f"{count} said {guess[:50]}" for guess, count in wrong)
    return Row(name, len(guesses), sum(right for _, right in guesses), told)


def _of_exercise(name, learners):
    tries = [one.kept["tries"][name] for one in learners if name in one.kept["tries"]]
    solved = sum(name in one.kept["solved"] for one in learners)
    middle = sorted(tries)[len(tries) // 2] if tries else 0
    return Row(name, max(len(tries), solved), solved, f"half took {middle} tries or fewer")


def text(learners: list[Learner], found: list[Row]) -> str:
    """The table, as text."""
    lines = [("", "tried by", "right", "what they said")]
    lines += [(row.name, str(row.tried), f"{row.share:.0%}", row.told) for row in found]
    whole = [f"{len(learners)} learners", "", table(lines, WIDTHS), ""]
    whole += [f"{one.name}: {len(one.kept['solved'])} exercises solved" for one in learners]
    return "\n".join(whole)


def picture(found: list[Row]) -> Drawing:
    """A bar for each card and exercise, the hardest on top: what was right, of all who tried."""
    told = ", ".join(f"{row.name} {row.share:.0%}" for row in found[:5])
    height, left, wide = 22, 90, 420
    drawing = Drawing(left + wide + 120, 40 + height * len(found), f"Hardest first: {told}.")
    for number, row in enumerate(found):
        y = 30 + number * height
        drawing.text(8, y + 13, row.name, 13, font="code")
        drawing.box(left, y, wide, height - 6, "paper", "ink", 1)
        if row.right:
            drawing.box(left, y, wide * row.share, height - 6, "hand", "hand", 1)
        drawing.text(left + wide + 8, y + 13, f"{row.right} of {row.tried}", 13)
    return drawing


def page(learners: list[Learner], found: list[Row]) -> str:
    """The table and the picture, as a page."""
    drawing, told = picture(found), escape(text(learners, found))
    alt = "Each card and exercise, the hardest first, with how many of those who tried were right"
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A class</title>'
    return (
        f"{head}<h1>Where the class went wrong</h1>{drawing.image(alt)}<pre>{told}</pre></html>\n"
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
