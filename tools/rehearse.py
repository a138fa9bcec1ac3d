"""How many minutes the lecture's words take: `python -m tools.rehearse`.

For each beat of notebooks/instructor/lecture.md: what is said, and what the lecture's cells say, at
110 words a minute; the votes and pauses that the notes give in minutes; and 15 seconds for each
cell that is run. What is left of a beat's minutes is the room's.
"""

import re
from dataclasses import dataclass

import nbformat

from tools.notebooks import ROOT

WORDS_A_MINUTE = 110
A_RUN = 0.25  # minutes: to press the keys, and to wait for what comes
NOTES = ROOT / "notebooks" / "instructor" / "lecture.md"
LECTURE = ROOT / "notebooks" / "lecture.ipynb"
NUMBERS = {"half a": 0.5, "one": 1.0}


@dataclass(frozen=True)
class Beat:
    """A part of the lecture. first, last: its minutes; pauses: minutes for votes and the like;
    vote: the minute at which the notes want its vote, if they say so, and `before` what is done
    until then, in minutes."""

    title: str
    first: int
    last: int
    said: int
    pauses: float
    runs: int
    vote: int | None = None
    before: float = 0.0

    @property
    def minutes(self) -> float:
        return self.said / WORDS_A_MINUTE + self.pauses + self.runs * A_RUN

    @property
    def left(self) -> float:
        return self.last - self.first - self.minutes


def beats() -> list[Beat]:
    """The lecture, beat by beat."""
    notes = NOTES.read_text(encoding="utf-8")
    ends = {int(a): int(b) for a, b in re.findall(r"^\| (\d+)\u2013(\d+) \(", notes, re.M)}
    texts = re.findall(r"^### Minute (\d+): (.+?)\n(.*?)(?=^##)", notes, re.M | re.S)
    return [
        _beat(title, int(first), ends[int(first)], text, cells)
        for (first, title, text), cells in zip(texts, _cells(), strict=True)
    ]


def _beat(title, first, last, text, cells):
    text = text.partition("*What they answer.*")[0]
    shown = sum(_words(cell.source) for cell in cells if cell.cell_type == "markdown")
    runs = sum(cell.cell_type == "code" for cell in cells if "import" not in cell.source)
    vote = re.search(r"\*Vote[^*]*at minute (\d+)", text)
    until = text[: vote.start()] if vote else ""
    seen = cells[: [cell.cell_type for cell in cells].index("code")]
    before = (_said(until) + sum(map(_words, (c.source for c in seen)))) / WORDS_A_MINUTE
    return Beat(
        title,
        first,
        last,
        _said(text) + shown,
        _pauses(text),
        runs,
        int(vote[1]) if vote else None,
        before + _pauses(until) + 2 * A_RUN,  # the panel, and the card
    )


def _cells():
    """The lecture's cells, beat by beat: each begins with a heading."""
    found = []
    for cell in nbformat.read(LECTURE, as_version=4).cells:
        if cell.source.startswith("#"):
            found.append([])
        found[-1].append(cell)
    return found


def _said(text):
    return sum(map(_words, re.findall(r'"(.+?)"', text, re.S)))


def _words(text):
    return len(re.findall(r"\S*\w\S*", text))


def _pauses(text):
    directions = " ".join(re.findall(r"^\*(.+?)\*$", text, re.M | re.S))
    found = re.findall(r"(\d+|[Oo]ne|half a) minutes?\b", directions)
    return sum(float(NUMBERS.get(one.lower()) or one) for one in found)


def main():
    print(f"{'beat':30}{'minutes':>9}{'words':>7}{'pauses':>8}{'runs':>6}{'takes':>7}{'left':>6}")
    for one in beats():
        when = f"{one.first}-{one.last}"
        print(
            f"{one.title:30}{when:>9}{one.said:>7}{one.pauses:>8}{one.runs:>6}"
            f"{one.minutes:>7.1f}{one.left:>6.1f}"
        )
        if one.vote:
            reached = one.first + one.before
            print(f"   its vote is due at {one.vote}; the words reach it at {reached:.1f}")
    print(f"together {sum(one.minutes for one in beats()):.1f} of {beats()[-1].last} minutes")


if __name__ == "__main__":
    main()
