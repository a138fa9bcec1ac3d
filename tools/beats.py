"""What each cell of a lesson is for. A lesson is beats of question, run, explanation
(docs/lessons.md, "The pattern"); slides, learners' copies and the book each keep answers apart from
their questions.
"""

import re
from dataclasses import dataclass

QUESTION = re.compile(r"\?(?=[\s*\"\u201d)]|$)")
CARD = re.compile(r'predict\("(.+?)"\)')
NOT_PROSE = re.compile(r"^```.*?^```|(?<=\])\(.*?\)|`[^`]*`|^>.*?$", re.MULTILINE | re.DOTALL)


def act(cell):
    """What a cell does: "asks", "card", "runs", "explains", or "begins" something."""
    if cell["cell_type"] == "code":
        return "card" if CARD.match(source_of(cell)) else "runs"
    if asks(cell):
        return "asks"
    return "begins" if source_of(cell).startswith("#") else "explains"


def card_of(cell):
    """The card that a cell opens by its name, `predict("03-a")`."""
    from minigrad.classroom.lessons import every_card  # copies are made without any package

    return every_card()[CARD.match(source_of(cell))[1]]


def asks(cell):
    """Whether its prose asks a question, quotations aside."""
    prose = NOT_PROSE.sub("", source_of(cell))
    prose = re.sub(r"^( {4}|#).*$", "", prose, flags=re.MULTILINE)
    return cell["cell_type"] == "markdown" and QUESTION.search(prose) is not None


@dataclass
class Answer:
    """The places of the cells that answer a question: the run, and its explanation. by_card:
    whether a card asked it."""

    run: int
    explained: range
    by_card: bool


def answers(cells):
    """The answers among a lesson's cells. Its title and its imports belong to no question."""
    answered, asked = [], None
    for place, cell in enumerate(cells):
        does = act(cell)
        if does == "runs" and asked and not source_of(cell).startswith("import minigrad"):
            end = place + 1
            while end < len(cells) and act(cells[end]) == "explains":
                end += 1
            answered.append(Answer(place, range(place + 1, end), asked == "card"))
        if does != "explains":
            asked = does if place > 0 and does in ("asks", "card") else None
    return answered


def source_of(cell):
    """A cell's text, which a notebook's file may hold as a list of lines."""
    return "".join(cell["source"])
