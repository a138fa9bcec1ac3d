"""The course at a glance, for its first pages.

    course.picture()    the map: all lessons, and the way through them
    course.table()      lessons and lecture with links: minutes, what you will be able to do
    course.signs()      colours and signs, and what they mean

A page that shows them is stored anew when they change.
"""

from dataclasses import dataclass

from ..show.drawing.svg import Drawing
from ..show.formatting import wrapped
from ..show.html import Shown, escape, page_table, td, th

LECTURE = ("One lecture", "50", "say what backward wants in its brackets", "lecture")
_COLUMNS, _ROWS = 4, 4  # of the map
_PLACES = (0, 1, *range(4, 16))  # ... and where each lesson stands in it: the lecture has the rest


@dataclass(frozen=True)
class Lesson:
    """talk, practice: minutes. able: what you will be able to do."""

    file: str
    title: str
    talk: int
    practice: int
    able: str

    number = property(lambda self: self.file[:2])
    minutes = property(lambda self: f"{self.talk} + {self.practice}")


COURSE = (
    Lesson("00-set-out", "Set out", 25, 5, "run a cell, answer a card, read the signs"),
    Lesson("01-nudge-number", "Nudge one number", 50, 15, "read x.grad as growth per nudge"),
    Lesson(
        "02-ask-for-more",
        "See why a vector asks for more",
        35,
        20,
        "reduce many numbers to one, and give v its shape",
    ),
    Lesson("03-weigh-outputs", "Weigh the outputs", 40, 20, "predict x.grad for any v"),
    Lesson(
        "04-draw-jacobian",
        "Draw the Jacobian",
        50,
        20,
        "put all derivatives into one table, and multiply it by v",
    ),
    Lesson("05-cut-chain", "Cut the chain", 35, 30, "cut a program, and pass its gradient back"),
    Lesson(
        "06-multiply-matrices",
        "Multiply matrices",
        45,
        25,
        "choose v for matrices, means and broadcasting",
    ),
    Lesson("07-walk-graph", "Walk the graph", 45, 35, "follow a backward pass node by node"),
    Lesson("08-add-up-grad", "Add up .grad", 35, 20, "say what .grad holds after any calls"),
    Lesson("09-free-graph", "Free the graph", 50, 20, "say what is freed, and when to keep it"),
    Lesson(
        "10-tell-leaves",
        "Tell leaves from branches",
        70,
        30,
        "detach, change in place and hook, safely",
    ),
    Lesson("11-read-old-pytorch", "Read old PyTorch", 30, 25, "run programs of 2017 today"),
    Lesson("12-visit-clinic", "Visit the error clinic", 30, 75, "go from a message to its cure"),
    Lesson("13-write-engine", "Write your own engine", 35, 55, "train on an engine of your own"),
)


def picture() -> Shown:
    """The map of the course: four lessons in a row, and the one lecture, framed, beside the way."""
    alt = (
        f"Lessons {COURSE[0].number} to {COURSE[-1].number}, one after the other. Beside the way "
        "stands one lecture, 50 minutes, which needs no lesson."
    )
    width, height, right, down = 152, 122, 26, 44
    step = width + right
    drawing = Drawing(_COLUMNS * step + 4, _ROWS * (height + down) - 30, alt)
    aside = 15 + 2 * step  # where two lessons would have their place
    drawing.box(aside, 0, step + width, height, "bench", "hand", 2.5)
    drawing.text(aside + 14, 30, "One lecture, 50 minutes", bold=True, ink="hand")
    drawing.paragraph(aside + 14, 60, "What does backward want in its brackets?", 24)
    drawing.text(aside + 14, height - 16, "It needs no lesson.", 14)
    corners = [(15 + k % _COLUMNS * step, k // _COLUMNS * (height + down)) for k in _PLACES]
    for k, (lesson, (x, y)) in enumerate(zip(COURSE, corners)):
        if k + 1 < len(COURSE):
            _way_on(drawing, x, y, *corners[k + 1], width, height)
        drawing.box(x, y, width, height, "paper", "ink", 2)
        drawing.text(x + 10, y + 26, lesson.number, 18, font="code", bold=True)
        drawing.text(x + width - 10, y + 25, f"{lesson.minutes} min", 14, anchor="end")
        drawing.paragraph(x + 10, y + 54, lesson.title, 13, bold=True)
    return Shown(wrapped("Map: ", alt), drawing.image(alt))


def _way_on(drawing, x, y, next_x, next_y, width, height):
    """The arrow from a lesson to the next one, which may begin a new row."""
    if next_y == y:
        drawing.line([(x + width, y + height / 2), (next_x - 2, y + height / 2)], arrow=True)
        return
    start, end = x + width / 2, next_x + width / 2
    between = (y + height + next_y) / 2
    turns = [(start, y + height), (start, between), (end, between), (end, next_y - 2)]
    drawing.line(turns, arrow=True)


def table() -> Shown:
    """The lessons in their order, then the one lecture, with links."""
    lines, rows = [], []
    lessons = [(f"{one.number} {one.title}", one.minutes, one.able, one.file) for one in COURSE]
    for title, minutes, able, file in [*lessons, LECTURE]:
        lines.append(f"{title:<35}{minutes:<9}{able}")
        rows.append([f'<a href="{file}.ipynb">{escape(title)}</a>', minutes, escape(able)])
    head = ["lesson", "minutes", "you will be able to"]
    return Shown("\n".join(lines), _html_table("The lessons, and the one lecture", head, rows))


def signs() -> Shown:
    """The colours and signs of all widgets and tables, each shown as it looks there."""
    lines, rows = [], []
    for name, meaning in _SIGNS.items():
        lines.append(wrapped(f"{name:<24}", meaning))
        rows.append([_DRAWN.get(name, _text)(name), escape(meaning)])
    return Shown("\n".join(lines), _html_table("The signs", ["you see", "it means"], rows))


def _chips(*chips):
    """A picture of numbers as a widget shows them: (value, largest value, marks) of each."""

    def draw(name):
        drawing = Drawing(100, 8, name)  # with the margin of an image 36 high
        for k, (value, largest, marks) in enumerate(chips):
            drawing.chip(16 + 64 * k, 4, value, largest, width=52, height=28, marks=marks)
        return drawing.image(name)

    return draw


def _hand(name):
    """A picture of a slider, and a frame as round what has the focus."""
    drawing = Drawing(100, 8, name)
    drawing.line([(-8, 4), (44, 4)], "hand", 4)
    drawing.box(11, -5, 18, 18, "hand", "none", 0, 9)
    drawing.box(56, -10, 50, 28, "none", "hand", 3, 4)
    return drawing.image(name)


def _text(name):
    return f"<code>{escape(name)}</code>"


_SIGNS = {
    "+4, blue, bar on top": "a positive number; the stronger the colour, the larger",
    "\u22126, orange, bar below": "a negative number",
    "0, plain": "zero",
    "dots round a number": "your last action changed it",
    "violet": "your hand: what you slide, press or chose",
    "=": "two answers agree, up to rounding",
    "\u2260": "two answers differ",
    "y\u2081, out\u2081\u2082": "small digits count from 1, as in mathematics",
    "x.grad[0]": "brackets count from 0, as in Python: the first number",
    "shape (2, 3)": "two rows of three numbers each; (3,) three numbers, () one",
    "2.5e-03": "2.5\u00b710\u207b\u00b3, which is 0.0025",
    "(stored)": "PyTorch's answers, kept from an earlier run",
}
_DRAWN = {
    "+4, blue, bar on top": _chips((1, 4, ""), (4, 4, "")),
    "\u22126, orange, bar below": _chips((-2, 6, ""), (-6, 6, "")),
    "0, plain": _chips((0, 1, "")),
    "dots round a number": _chips((2, 8, "changed")),
    "violet": _hand,
}


def _html_table(caption, head, rows):
    """A table that a narrow page breaks between words, and scrolls at worst."""
    look = "text-align: left; vertical-align: middle; white-space: normal; padding: 2px 8px"
    cells = ([td(text, style=look) for text in row] for row in rows)
    return page_table(cells, [th(text, "col", style=look) for text in head], caption)
