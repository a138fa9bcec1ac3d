"""The course at a glance, for its first pages.

    course.picture()    the map: the answer first, the core, and what lies deeper
    course.table()      the same with links: minutes, what you will be able to do
    course.hours(...)   how long some lessons take, about
    course.signs()      colours and signs, and what they mean

A page that shows them is stored anew when they change.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..show.drawing.svg import Drawing
from ..show.formatting import wrapped
from ..show.html import Shown, page_table, tag

# Pages beside the lessons: title, minutes, what you will be able to do, file.
ANSWER = ("The answer", "10", "say what goes into backward(), and where v comes from", "answer")
LECTURE = ("One lecture", "50", "the core ideas in one lecture, with five votes", "lecture")
PRIMER = ("00", "01")  # for those who want a gentle start
CORE = ("02", "03", "04", "05", "08")  # in this order


@dataclass(frozen=True)
class Lesson:
    """talk, practice: minutes. able: what you will be able to do. appendix: there to look things up
    in, and not counted."""

    file: str
    title: str
    talk: int
    practice: int
    able: str
    appendix: bool = False

    number = property(lambda self: self.file[:2])
    minutes = property(
        lambda self: "appendix" if self.appendix else f"{self.talk} + {self.practice}"
    )


COURSE = (
    Lesson("00-set-out", "Set out", 15, 5, "run a cell, answer a card, read the legend"),
    Lesson("01-nudge-number", "Nudge one number", 35, 15, "read x.grad as a rate of change"),
    Lesson(
        "02-ask-for-more",
        "See why a vector asks for more",
        30,
        10,
        "reduce many numbers to one, and give v its shape",
    ),
    Lesson("03-weigh-outputs", "Weigh the outputs", 35, 15, "predict x.grad for any v"),
    Lesson(
        "04-draw-jacobian",
        "Draw the Jacobian",
        40,
        20,
        "put all derivatives into a table, and multiply it by v",
    ),
    Lesson(
        "05-cut-chain", "Cut the chain", 35, 15, "cut a program in two, and pass the gradient back"
    ),
    Lesson(
        "06-multiply-matrices",
        "Multiply matrices",
        35,
        15,
        "choose v for matrices, means and broadcasting",
    ),
    Lesson("07-walk-graph", "Walk the graph", 40, 20, "follow a backward pass node by node"),
    Lesson(
        "08-add-up-grad", "Add up .grad", 30, 15, "say what .grad holds after any number of calls"
    ),
    Lesson("09-free-graph", "Free the graph", 35, 10, "say what is freed, and when to keep it"),
    Lesson(
        "10-tell-leaves",
        "Tell leaves from non-leaf tensors",
        50,
        20,
        "detach, change in place and hook, safely",
    ),
    Lesson(
        "11-read-old-pytorch",
        "Read old PyTorch",
        0,
        25,
        "look up what a line from 2017 needs today",
        appendix=True,
    ),
    Lesson(
        "12-visit-clinic", "Visit the error clinic", 20, 50, "go from an error message to its fix"
    ),
    Lesson("13-write-engine", "Write your own engine", 25, 55, "train on an engine of your own"),
)


def parts() -> dict[str, list[Lesson]]:
    """The lessons in three parts, {heading: lessons}. What is in no other part is deeper."""
    by_number = {lesson.number: lesson for lesson in COURSE}
    core, primer = ([by_number[number] for number in part] for part in (CORE, PRIMER))
    deeper = [lesson for lesson in COURSE if lesson not in (*core, *primer)]
    return {
        f"The core, in this order: about {hours(core)} hours": core,
        "First, if you want a gentle start": primer,
        "Going deeper, one topic each": deeper,
    }


def hours(lessons: Iterable[Lesson]) -> str:
    """How long these take with their exercises, in half hours; an appendix is not counted."""
    return half_hours(sum(one.talk + one.practice for one in lessons if not one.appendix))


def half_hours(minutes: int) -> str:
    """Minutes as hours, to the half: "11.5"."""
    return f"{round(minutes / 30) / 2:g}"


# The map, in pixels: a lesson's box, and the space around it.
_WIDE, _HIGH, _GAP, _HEADING = 132, 108, 16, 46
_COLUMNS = 5


def picture() -> Shown:
    """The map of the course: the answer on top, beside it the lecture, then its parts in rows."""
    core = ", ".join(CORE)
    alt = (
        f"First the answer, ten minutes. Then the core of the course, lessons {core}, in this "
        f"order; lessons {' and '.join(PRIMER)} lead up to it, and the others go deeper, one topic "
        "each. There is also a lecture of 50 minutes, which assumes no lesson."
    )
    rows = [
        (heading * (k == 0), lessons[k : k + _COLUMNS])
        for heading, lessons in parts().items()
        for k in range(0, len(lessons), _COLUMNS)
    ]
    step, top = _WIDE + _GAP, 92
    height = top + sum(_HIGH + (_HEADING if heading else _GAP) for heading, _ in rows)
    drawing = Drawing(_COLUMNS * step - _GAP + 4, height + 2, alt)
    _beside(drawing, 2, 3 * step - _GAP, ANSWER, "What goes inside backward()?", "hand", 4)
    _beside(drawing, 2 + 3 * step, 2 * step - _GAP, LECTURE, "It needs no lesson.", "edge", 1.5)
    y = top
    for heading, lessons in rows:
        y += _HEADING if heading else _GAP
        if heading:
            drawing.text(2, y - 14, heading, bold=True)
        is_core = lessons[0].number == CORE[0]
        for k, lesson in enumerate(lessons):
            x = 2 + k * step
            if is_core and k + 1 < len(lessons):
                way = [(x + _WIDE, y + _HIGH / 2), (x + step - 1, y + _HIGH / 2)]
                drawing.line(way, "ink", 1.5, arrow=True)
            drawing.box(x, y, _WIDE, _HIGH, "paper", "ink" if is_core else "edge", 1 + is_core)
            drawing.text(x + 10, y + 26, lesson.number, 18, font="code", bold=True)
            minutes = lesson.minutes + (" min" if not lesson.appendix else "")
            drawing.text(x + _WIDE - 10, y + 25, minutes, 14, anchor="end")
            drawing.paragraph(x + 10, y + 54, lesson.title, 13, 15, bold=is_core)
        y += _HIGH
    return Shown(wrapped("Map: ", alt), drawing.image(alt))


def _beside(drawing, x, width, page, words, stroke, thick):
    """A page that is no lesson, as a box at the top of the map."""
    title, minutes, *_ = page
    drawing.box(x, 2, width, 82, "bench", stroke, thick)
    drawing.text(x + 14, 32, title, 18, bold=True)
    drawing.text(x + width - 14, 31, f"{minutes} min", 14, anchor="end")
    drawing.text(x + 14, 64, words)


def table() -> Shown:
    """The answer, the lessons part by part, then the one lecture, with links."""
    lines, rows = [], []

    def add(title, minutes, able, file):
        lines.append(f"{title:<37}{minutes:<9}{able}")
        rows.append([tag("a", title, href=f"{file}.ipynb"), minutes, able])

    add(*ANSWER)
    for heading, lessons in parts().items():
        lines.append(heading)
        rows.append([tag("strong", heading), "", ""])
        for one in lessons:
            add(f"{one.number} {one.title}", one.minutes, one.able, one.file)
    lines.append("Beside the lessons")
    rows.append([tag("strong", "Beside the lessons"), "", ""])
    add(*LECTURE)
    head = ["page", "minutes", "you will be able to"]
    return Shown(
        "\n".join(lines), _html_table("The answer, the lessons, and the lecture", head, rows)
    )


def signs() -> Shown:
    """The colours and signs of all widgets and tables, each shown as it looks there."""
    lines, rows = [], []
    for name, draw, meaning in _SIGNS:
        lines.append(wrapped(f"{name:<24}", meaning))
        rows.append([draw(name), meaning])
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
    return tag("code", name)


_SIGNS = (  # what a learner sees, how it is drawn, what it means
    (
        "+4, blue, bar on top",
        _chips((1, 4, ""), (4, 4, "")),
        "a positive number; the stronger the colour, the larger",
    ),
    ("\u22126, orange, bar below", _chips((-2, 6, ""), (-6, 6, "")), "a negative number"),
    ("0, plain", _chips((0, 1, "")), "zero"),
    ("dots around a number", _chips((2, 8, "changed")), "your last action changed it"),
    ("violet", _hand, "yours: what you slide, press or choose"),
    ("=", _text, "two answers agree, up to rounding"),
    ("\u2260", _text, "two answers differ"),
    ("y\u2081, out\u2081\u2082", _text, "subscripts count from 1, as in mathematics"),
    ("x.grad[0]", _text, "indices count from 0, as in Python: the first number"),
    ("shape (2, 3)", _text, "two rows of three numbers each; (3,) three numbers, () one"),
    ("2.5e-03", _text, "2.5\u00b710\u207b\u00b3, which is 0.0025"),
    ("(stored)", _text, "PyTorch's answers, kept from an earlier run"),
)


def _html_table(caption, head, rows):
    """A table that a narrow page breaks between words, and scrolls at worst."""
    look = "text-align: left; vertical-align: middle; white-space: normal; padding: 2px 8px"
    cells = ([tag("td", text, style=look) for text in row] for row in rows)
    return page_table(cells, [tag("th", text, scope="col", style=look) for text in head], caption)
