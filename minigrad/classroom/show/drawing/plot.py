"""Lines over two axes, and a matrix as tinted cells."""

import math

import numpy as np

from ..formatting import number
from .palette import largest_of, sign_class
from .svg import Drawing, letters

_HIGH, _TOP = 262, 24  # of the space within the axes: its lower edge, its upper edge
_LARGEST = 1e300  # what is larger has no place on an axis
_APART = 20  # between the labels of two lines
_LOOKS = (  # of a line: its colour and its dashes, as colour is never the only mark
    ("plus", ""),
    ("minus", "15 5"),
    ("quiet", "5 5"),
    ("hand", "20 5 5 5"),
    ("edge", "2 4"),
)


def draw_lines(series, places, x_label, y_label, log, width, alt):
    """A line for each label of {label: values}, at {label: places}, and its label at its end.

    log: a logarithmic scale upwards. What is not finite, or has no logarithm, interrupts its line.
    """
    with np.errstate(all="ignore"):
        heights = {k: np.log10(v) if log else v for k, v in series.items()}
    heights = {k: np.where(np.abs(v) < _LARGEST, v, np.nan) for k, v in heights.items()}
    drawing, every = Drawing(width, _HIGH + 44, alt), np.concatenate([*places.values()])
    up = _Axis(np.concatenate([*heights.values()]), _HIGH, _TOP, whole=log)
    texts = {t: number(10.0 ** min(t, 308.0) if log else t, minus=True) for t in up.ticks()}
    left = 14 + max(letters(text, 14) for text in texts.values())
    right = width - 16 - max(map(letters, series))
    across = _Axis(every, left, right, whole=bool(np.all(every == np.round(every))))
    for tick, text in texts.items():
        drawing.line([(left, up(tick)), (right, up(tick))], "line", 1)
        drawing.text(left - 8, up(tick) + 5, text, 14, anchor="end")
    for tick in across.ticks():
        drawing.line([(across(tick), _HIGH), (across(tick), _HIGH + 5)])
        drawing.text(across(tick), _HIGH + 20, number(tick, minus=True), 14, anchor="middle")
    drawing.line([(left, _HIGH), (right, _HIGH)])
    drawing.text(left, 12, y_label, 14)
    drawing.text((left + right) / 2, _HIGH + 40, x_label, 14, anchor="middle")
    ends = []
    for k, (label, values) in enumerate(heights.items()):
        ink, dash = _LOOKS[k % len(_LOOKS)]
        path, drawn = "", False
        for x, y in zip(places[label], values):
            if math.isfinite(y):
                path += f"{'L' if drawn else 'M'}{across(x):.1f} {up(y):.1f}"
                last = across(x), up(y)
            drawn = math.isfinite(y)
        if path:
            drawing.path(path, ink, 2.5, dash)
            ends.append((last[1], last[0], label))
    lowest = -math.inf
    for y, x, label in sorted(ends):
        lowest = max(y, lowest + _APART)
        drawing.text(x + 8, lowest + 5, label)
    return drawing


class _Axis:
    """Numbers to pixels, from `start` to `end`. whole: only whole numbers are ticks."""

    def __init__(self, values, start, end, whole):
        shown = values[np.isfinite(values)]
        low, high = (shown.min(), shown.max()) if shown.size else (0.0, 0.0)
        room = (high - low) / 30 or max(abs(low) / 30, 0.5)
        self.low, self.high, self.start, self.end = low - room, high + room, start, end
        rough = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(lead * power for lead in (1, 2, 5, 10) if lead * power >= rough)
        self.step = max(1.0, step) if whole else step

    def __call__(self, value):
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [float(f"{k * self.step:.12g}") for k in range(first, last + 1)] or [self.low]


def draw_heat(values, rows, columns, alt):
    """A matrix as tinted cells, with their numbers where there is room.

    rows, columns: a word for them all, or a list that names each.
    """
    (height, width), largest = values.shape, largest_of(values)
    told = max(height, width) <= 8
    wide, high = (64, 40) if told else (min(64, 480 / width), min(40, 300 / height))
    words = rows if isinstance(rows, str) else "", columns if isinstance(columns, str) else ""
    names, heads = (_names(*one) for one in ((rows, height), (columns, width)))
    left = 14 + max(letters(name) for name in (words[0], *names.values()))
    drawing = Drawing(left + max(wide * width, letters(words[1])), 48 + high * height, alt)
    drawing.text(left + wide * width / 2, 14, words[1], 14, anchor="middle")
    drawing.text(0, 38, words[0], 14)
    for k, name in heads.items():
        drawing.text(left + wide * (k + 0.5), 38, name, 14, anchor="middle")
    for k, name in names.items():
        drawing.text(left - 8, 48 + high * (k + 0.5) + 5, name, 14, anchor="end")
    for (row, column), value in np.ndenumerate(values):
        x, y = left + wide * column, 48 + high * row
        tint = sign_class(value, largest).removeprefix("mg-")
        drawing.box(x, y, wide, high, tint or "none", "line", 1, 0)
        if told:
            text = number(value, signed=True, digits=3)
            drawing.text(x + wide / 2, y + high / 2 + 5, text, anchor="middle")
    return drawing


def _names(what, count):
    """{place: name} of rows or columns; of many that are counted the first and the last."""
    if not isinstance(what, str):
        return dict(enumerate(map(str, what)))
    return {k: str(k + 1) for k in (range(count) if count <= 8 else (0, count - 1))}
