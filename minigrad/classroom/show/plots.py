"""The drawings that matplotlib makes for `pictures`, as SVG: lines and tinted cells.

Only `plotted` imports this module, and only where there is a matplotlib.
"""

import io

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .drawing.palette import LIGHT
from .drawing.palette import SERIES as COLOURS
from .drawing.svg import steady
from .formatting import number

PLUS_COLOUR, MINUS_COLOUR, INK, PALE = (LIGHT[name] for name in ("plus", "minus", "ink", "line"))
DASHES = ("-", (0, (6, 2)), (0, (2, 2)), (0, (8, 2, 2, 2)), "-")  # colour is never the only mark

# One style, whatever a learner has set.
_styled = matplotlib.rc_context(
    {
        **matplotlib.rcParamsDefault,
        **dict.fromkeys(("font.size", "axes.labelsize", "axes.titlesize"), 16),
        **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 14),
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK),
        **dict.fromkeys(("xtick.color", "ytick.color"), INK),
        **dict.fromkeys(("axes.spines.top", "axes.spines.right", "axes.grid"), False),
        **dict.fromkeys(("figure.facecolor", "axes.facecolor"), "white"),
        **{"font.family": "sans-serif", "lines.linewidth": 2.5, "lines.markersize": 8},
        **{"svg.hashsalt": "minigrad", "svg.fonttype": "none"},
    }
)


@_styled
def lines(series, places, x_label, y_label, log, width):
    """A line for each label of {label: values}, at {label: places}."""
    (figure, axes), ends = _figure(width, 320), []
    for k, (label, values) in enumerate(series.items()):
        finite = np.where(np.isfinite(values), values, np.nan)
        axes.plot(places[label], finite, color=COLOURS[k % 5], linestyle=DASHES[k % 5])
        last = np.flatnonzero(np.isfinite(values))
        if last.size:
            ends.append((places[label][last[-1]], values[last[-1]], label))
    if log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: number(value))  # 0.1, no small exponents
        axes.yaxis.set_minor_formatter(lambda value, _: "")
    _label_axes(axes, x_label, y_label, np.concatenate([*places.values()]))
    _label_ends(axes, ends)
    return _svg(figure)


@_styled
def heat(values, rows, columns):
    """A matrix as tinted cells; rows, columns: a word for them all, or a list that names each."""
    height, width = values.shape
    shows_numbers = width <= 8 and height <= 8
    cell = (64, 40) if shows_numbers else (min(64, 480 / width), min(40, 300 / height))
    figure, axes = _figure(width * cell[0] + 90, max(height * cell[1], 70) + 76)
    largest = np.abs(values[np.isfinite(values)]).max(initial=0) or 1.0
    for (row, column), value in np.ndenumerate(values):
        share = abs(value) / largest if np.isfinite(value) else 0
        colour = PLUS_COLOUR if value > 0 else MINUS_COLOUR
        place = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(place, 1, 1, facecolor=colour, alpha=0.5 * share, linewidth=0))
        axes.add_patch(Rectangle(place, 1, 1, fill=False, edgecolor=PALE))
        if shows_numbers:
            axes.text(column, row, number(value, signed=True, digits=3), ha="center", va="center")
    axes.set_xlim(-0.5, width - 0.5)
    axes.set_ylim(height - 0.5, -0.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)
    axes.xaxis.set_label_position("top")
    axes.xaxis.tick_top()
    for axis, what, count in ((axes.xaxis, columns, width), (axes.yaxis, rows, height)):
        is_word = isinstance(what, str)
        axis.set_label_text(what if is_word else "")
        names = [str(name) for name in (range(1, count + 1) if is_word else what)]
        if count <= 8:
            axis.set_ticks(range(count), names)
        else:
            axis.set_ticks([0, count - 1], ["1", str(count)])
    return _svg(figure)


def _figure(width, height):
    """A figure of so many pixels, and its axes."""
    figure = Figure(figsize=(width / 72, min(height, 400) / 72), dpi=72, layout="constrained")
    return figure, figure.subplots()


def _svg(figure):
    text = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(text, format="svg", metadata=nothing)
    return steady(text.getvalue())


def _label_axes(axes, x_label, y_label, x):
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.margins(x=0.03)
    if np.all(x == np.round(x)):  # steps are counted: 0, 1, 2, and no halves
        axes.xaxis.get_major_locator().set_params(integer=True)


def _label_ends(axes, ends):
    """The labels right of the last points, pushed apart where they would meet."""
    axes.figure.draw_without_rendering()  # now it is known where the points are
    lowest = -np.inf
    for x, y, label in sorted(ends, key=lambda end: end[1]):
        _, pixel = axes.transData.transform((x, y))
        lowest = max(pixel, lowest + 20)
        place = {"xytext": (10, lowest - pixel), "textcoords": "offset points", "va": "center"}
        axes.annotate(label, (x, y), annotation_clip=False, **place)
