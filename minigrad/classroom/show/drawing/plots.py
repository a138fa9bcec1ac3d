"""Lines over a common scale, each with its name at its end; and a matrix as tinted cells."""

import math

import numpy as np

from ..formatting import number
from .palette import largest_of
from .svg import Drawing, broken_line, letters

_HIGH, _SMALL = 292, 14  # of a plot, in pixels; of the type on an axis
_LOOKS = (("plus", ""), ("minus", "9 3"), ("quiet", "3 3"), ("edge", "12 3 3 3"), ("ink", ""))
_MOST = 8  # rows or columns of a matrix with numbers and names


def draw_lines(series, places, x_label, y_label, log, width, alt):
    """series, places: {label: values}, upwards and along; log: a logarithmic scale upwards.

    A value that cannot be drawn interrupts its line.
    """
    with np.errstate(all="ignore"):
        heights = {name: np.log10(one) if log else one for name, one in series.items()}
    low, high = _range(heights.values())
    if log:
        low, high = math.floor(low), math.ceil(high)
    up = _ticks(low, high, log)
    names = [number(10.0**tick if log else tick, minus=True) for tick in up]
    if log and any("e" in name for name in names):  # then all in one notation
        names = [f"{10.0**tick:.0e}".replace("-", "\u2212") for tick in up]
    drawing = Drawing(width - 28, _HIGH, alt)
    top, bottom = 30 if y_label else 8, _HIGH - 48
    left = 12 + max(letters(name, _SMALL) for name in names)
    right = drawing.width - 12 - max(map(letters, series))
    start, end = _range(places.values())
    along = _ticks(start, end, all(np.all(one == np.round(one)) for one in places.values()))

    def at(x, y):
        return (
            left + 12 + (right - left - 24) * (x - start) / (end - start),
            bottom - 8 - (bottom - top - 16) * (y - low) / (high - low),
        )

    drawing.line([(left, top), (left, bottom), (right, bottom)], "ink", 1)
    for tick, name in zip(up, names):
        y = at(start, tick)[1]
        drawing.line([(left - 4, y), (left, y)], "ink", 1)
        drawing.text(left - 8, y + 5, name, _SMALL, anchor="end")
    for tick in along:
        x = at(tick, low)[0]
        drawing.line([(x, bottom), (x, bottom + 4)], "ink", 1)
        drawing.text(x, bottom + 20, number(tick, minus=True), _SMALL, anchor="middle")
    drawing.text((left + right) / 2, _HIGH - 4, x_label, anchor="middle")
    drawing.text(0, 16, y_label)
    ends = []
    for k, (name, values) in enumerate(heights.items()):
        points = [at(*point) for point in zip(places[name], values)]
        ink, dash = _LOOKS[k % len(_LOOKS)]
        drawing.path(broken_line(points), ink, 2.5, dash)
        ends += [(*point, name) for point in points if math.isfinite(point[1])][-1:]
    _name_ends(drawing, ends)
    return drawing


def _range(several):
    """The smallest and the largest finite number of several arrays; never one and the same."""
    values = np.concatenate([*several])
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _ticks(low, high, whole):
    """Up to nine round numbers from low to high. whole: no fractions."""
    power = 10.0 ** math.floor(math.log10((high - low) / 8))
    step = next(k * power for k in (1, 2, 5, 10) if k * power * 8 >= high - low)
    step = max(1.0, step) if whole else step
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _name_ends(drawing, ends):
    """The names right of the last points, (x, y, name), pushed apart where they would meet."""
    above = math.inf
    for x, y, name in sorted(ends, key=lambda end: -end[1]):
        above = min(y, above - 20)
        drawing.text(x + 10, above + 5, name)


def draw_heat(values, rows, columns, alt):
    """A matrix; rows, columns: a word for them all, or a list that names each."""
    height, width = values.shape
    shows_numbers = max(height, width) <= _MOST
    wide, high = (64, 40) if shows_numbers else (min(64, 480 / width), min(40, 300 / height))
    row_names, column_names = _names(rows, height), _names(columns, width)
    is_word = isinstance(columns, str)
    aside = [*row_names.values(), rows if isinstance(rows, str) else ""]
    left, top = max(map(letters, aside)) + 10, 44 if is_word else 24
    drawing = Drawing(left + width * wide + 2, top + height * high + 2, alt)
    if is_word:
        drawing.text(left + width * wide / 2, 14, columns, anchor="middle")
    if isinstance(rows, str):
        drawing.text(left - 10, top - 8, rows, anchor="end")
    for k, name in column_names.items():
        drawing.text(left + (k + 0.5) * wide, top - 8, name, _SMALL, anchor="middle")
    for k, name in row_names.items():
        drawing.text(left - 10, top + (k + 0.5) * high + 5, name, _SMALL, anchor="end")
    largest = largest_of(values)
    for (row, column), value in np.ndenumerate(values):
        x, y = left + (column + 0.5) * wide, top + (row + 0.5) * high
        text = number(value, signed=True, digits=3) if shows_numbers else ""
        drawing.chip(x, y, value, largest, text, wide - 2, high - 2)
    drawing.box(left - 1, top - 1, width * wide + 2, height * high + 2, "none", "line")
    return drawing


def _names(given, count):
    """{place: name} of rows or columns: all, or of many the first and the last."""
    names = range(1, count + 1) if isinstance(given, str) else given
    named = {k: str(name) for k, name in enumerate(names)}
    return named if count <= _MOST else {0: "1", count - 1: str(count)}
