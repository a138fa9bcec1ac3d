"""Pictures for lessons, a call each: the same picture on every run, with words for who cannot see.

    pictures.lines({"loss": losses}, x_label="step", y_label="loss", alt="The loss falls to 0.")
    pictures.points({"targets": (x, t)}, fits={"equal weights": (x, p)}, alt="...")
    pictures.bars({"derivative": [12, 16, 20], "weight": [0.1, 1, 0.0001]}, alt="...")
    pictures.heat(J, alt="...")
    pictures.tiles([digit, other], ["7", "2"], alt="...")
    pictures.graph(loss, x=x, w=w, alt="...")
    pictures.ways([{"x": 2}, {"y": 7, "z": 9}], [[[3], [4]]], alt="...")
    pictures.chain({"x": 2, "y = 3x": 6}, [3], backward={"slope of y": [3, 1]}, alt="...")

`alt` says in a sentence what is to be seen. A picture prints as that sentence and its numbers, and
shows itself as SVG on white paper, which keeps its type size and scrolls on a narrow page; on paper
it shrinks to the page's width.
"""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .drawing.boxes import draw_boxes
from .drawing.chain import draw_chain
from .drawing.graph import read_graph
from .drawing.palette import LIGHT
from .drawing.palette import SERIES as COLOURS
from .drawing.ways import draw_ways
from .formatting import image, nested, number, wrapped
from .shown import Shown, escape

PLUS_COLOUR, MINUS_COLOUR, INK, PALE = (LIGHT[name] for name in ("plus", "minus", "ink", "line"))
DASHES = ("-", (0, (6, 2)), (0, (2, 2)), (0, (8, 2, 2, 2)), "-")  # colour is never the only mark
MARKS = "osD^v"
SHOWN = 8  # values of a row written out in words, and the last one

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


class Picture(Shown):
    """svg: the drawing; alt: what it shows, a sentence; rows: its numbers, {label: text}."""

    def __init__(self, svg: str, alt: str, rows: dict[str, str]) -> None:
        if not isinstance(alt, str) or not alt.strip():
            raise ValueError("a picture needs alt=: a sentence that says what is to be seen")
        self.svg, self.alt, self.rows = svg, alt, rows
        longest = min(24, max(map(len, rows), default=0))
        told = [wrapped(f"  {label:<{longest}}  ", text) for label, text in rows.items()]
        [width] = re.findall(r'^<svg[^>]* width="([\d.]+)', svg)
        # On a screen a wide graph shrinks to a page beside the list of files, and no further.
        widest = "max(100%, 760px)" if float(width) > 760 else "none"
        text = "\n".join([wrapped("Picture: ", alt), *told])
        super().__init__(text, image(svg, width, alt, widest))


@_styled
def lines(
    series: Mapping[str, Any],
    x: Any = None,
    *,
    alt: str,
    x_label: str = "step",
    y_label: str = "",
    log: bool = False,
    width: int = 560,
) -> Picture:
    """A line for each label. series: {label: values}; x: their places, else 0, 1, 2, ...

    log: a logarithmic scale upwards. A value that is not finite interrupts its line.
    """
    series = {label: _numbers(values) for label, values in series.items()}
    places = {label: _numbers(range(len(v)) if x is None else x) for label, v in series.items()}
    (figure, axes), ends = _figure(width, 320), []
    for k, (label, values) in enumerate(series.items()):
        finite = np.where(np.isfinite(values), values, np.nan)
        axes.plot(places[label], finite, color=COLOURS[k % 5], linestyle=DASHES[k % 5])
        last = np.flatnonzero(np.isfinite(values))
        if last.size:
            ends.append((places[label][last[-1]], values[last[-1]], label, 10))
    if log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: number(value))  # 0.1, no small exponents
        axes.yaxis.set_minor_formatter(lambda value, _: "")
    _label_axes(axes, x_label, y_label, np.concatenate([*places.values()]))
    _label_ends(axes, ends)
    rows = {} if x is None else {x_label: _told(_numbers(x))}
    return _picture(figure, alt, rows | {label: _told(v) for label, v in series.items()})


@_styled
def points(
    groups: Mapping[str, Any],
    *,
    alt: str,
    fits: Mapping[str, Any] | tuple = (),
    x_label: str = "",
    y_label: str = "",
    sizes: Any = None,
) -> Picture:
    """Points, and lines fitted to them. groups, fits: {label: (x, y)}.

    sizes: how large each point is drawn, beside the others: 10 has ten times the area of 1.
    """
    groups, fits = dict(groups), dict(fits)
    (figure, axes), ends, rows = _figure(560, 320), [], {}
    for k, (label, (x, y)) in enumerate({**fits, **groups}.items()):
        x, y = _numbers(x), _numbers(y)
        rows[label] = ", ".join(f"({number(a)}, {number(b)})" for a, b in zip(x, y))
        order = np.argsort(x)
        area = np.broadcast_to(64 if sizes is None else 64 * _numbers(sizes), x.shape)
        if label in fits:
            axes.plot(x[order], y[order], color=COLOURS[k % 5], linestyle=DASHES[k % 5])
        else:
            mark = MARKS[(k - len(fits)) % 5]
            axes.scatter(x, y, s=area, color=INK, marker=mark, zorder=3, clip_on=False)
        beside = 10 if sizes is None else 6 + float(area.max()) ** 0.5 / 2
        ends.append((x[order[-1]], y[order[-1]], label, beside))
    _label_axes(axes, x_label, y_label, np.concatenate([_numbers(x) for x, _ in groups.values()]))
    _label_ends(axes, ends)
    return _picture(figure, alt, rows)


@_styled
def bars(groups: Mapping[str, Any], *, alt: str, names: Iterable[Any] | None = None) -> Picture:
    """A panel of bars for each label, side by side, each with its own scale and its numbers.

    groups: {label: values}; names: of the bars, else 1, 2, 3, ...
    """
    groups = {label: _numbers(values) for label, values in groups.items()}
    count = max(map(len, groups.values()))
    names = list(map(str, range(1, count + 1) if names is None else names))
    figure, panels = _figure(560, 260, len(groups))
    for axes, (label, values) in zip(np.atleast_1d(panels), groups.items()):
        colours = [PLUS_COLOUR if value >= 0 else MINUS_COLOUR for value in values]
        axes.bar(range(len(values)), np.nan_to_num(values), color=colours, width=0.7)
        reach = max(1e-12, np.abs(np.nan_to_num(values)).max())
        for k, value in enumerate(values):
            away, side = (-0.03, "top") if value < 0 else (0.03, "bottom")
            end = (value if np.isfinite(value) else 0) + away * reach
            axes.text(k, end, number(value, minus=True), ha="center", va=side, fontsize=14)
        axes.set_title(label)
        axes.set_xticks(range(len(values)), names[: len(values)])
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.axhline(0, color=INK, linewidth=1)
        axes.set_ylim(*_with_room(values, reach))
    rows = {"": ", ".join(names)} | {label: _told(values) for label, values in groups.items()}
    return _picture(figure, alt, rows)


@_styled
def heat(
    array: Any, *, alt: str, rows: str | list = "outputs", columns: str | list = "inputs"
) -> Picture:
    """A matrix as tinted cells with their numbers: blue above zero, orange below, white at zero.

    rows, columns: what they stand for; a list names each.
    """
    values = np.atleast_2d(_values(array))
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
    told = {f"row {k + 1}": _told(row) for k, row in enumerate(values[:SHOWN])}
    if height > SHOWN:
        told["\u2026"] = f"{height} rows and {width} columns"
    return _picture(figure, alt, told)


def tiles(images: Iterable[Any], names: Sequence[object], *, alt: str) -> Picture:
    """Small square images side by side, each with its name under it: 0 is paper, 1 is full ink."""
    drawn = [np.asarray(_values(one)) for one in images]
    columns, side, pixels = 8, 72, max(map(len, drawn), default=8)
    unit, step, down = (side - 16) / pixels, side, side + 14
    width, height = columns * step, -(-len(drawn) // columns) * down
    parts = [f'<rect width="{width}" height="{height}" fill="white"/>']
    for k, (ink, name) in enumerate(zip(drawn, names)):
        x, y = k % columns * step + 8, k // columns * down + 6
        parts.append(f'<g transform="translate({x} {y})">')
        for shade in range(1, 9):  # eight greys: a path for each, of runs of pixels
            runs = _runs(np.ceil(ink * 8).astype(int) == shade)
            path = "".join(
                f"M{a * unit:g} {row * unit:g}h{(b - a) * unit:g}v{unit:g}H{a * unit:g}z"
                for row, a, b in runs
            )
            if path:
                grey = round(255 - shade / 8 * 235)
                parts.append(f'<path d="{path}" fill="#{grey:02x}{grey:02x}{grey:02x}"/>')
        size = pixels * unit
        parts.append(
            f'<rect width="{size:g}" height="{size:g}" fill="none" stroke="{PALE}"/>'
            f'<text x="{size / 2:g}" y="{size + 17:g}" text-anchor="middle" '
            f'font-family="sans-serif" font-size="14" fill="{INK}">{escape(name)}'
            "</text></g>"
        )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
    told = ", ".join(map(str, names))
    return Picture(svg + "\n".join(parts) + "</svg>", alt, {f"{len(drawn)} images": told})


def _runs(flags):
    """(row, begin, end) of each run of pixels that are set."""
    found = []
    for row, line in enumerate(flags):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(int), [0]])))
        found += [(row, a, b) for a, b in zip(edges[::2], edges[1::2])]
    return found


def graph(tensor: Any, *, alt: str, **tensors: Any) -> Picture:
    """The graph that was recorded for a tensor of minigrad's, from its leaves on the left to it.

    tensors: the program's names, `x=x`; other nodes are called t1, t2, ... in their order.
    """
    found = read_graph(tensor, tensors.items())
    told = {node.key: _node_lines(node) for node in found.nodes}
    drawing = draw_boxes(found.nodes, told, alt)
    rows = {node.name: _node_told(node, found) for node in found.nodes}
    return Picture(_steady(drawing.alone()), alt, rows)


def ways(
    columns: Sequence[Mapping[str, Any]], tables: Sequence[Any], *, alt: str, back: Any = None
) -> Picture:
    """Numbers in columns, and an arrow for each derivative between one column and the next.

    columns: {name: number}, from left to right; tables: the Jacobian of each column with respect
    to the one before, a zero has no arrow; back: for each column its gradients, drawn below.
    """
    tables = [_values(table) for table in tables]
    below = [] if back is None else [_numbers(given) for given in back]
    rows = {", ".join(one): _told(list(one.values())) for one in columns}
    for column, table in zip(columns[1:], tables):
        rows |= {f"slopes of {name}": _told(row) for name, row in zip(column, table)}
    for column, given in zip(columns, below):
        rows[f"gradient of {', '.join(column)}"] = _told(given)
    return Picture(_steady(draw_ways(columns, tables, below, alt).alone()), alt, rows)


def chain(
    boxes: Mapping[str, float],
    slopes: Sequence[float],
    *,
    alt: str,
    forward: Mapping[str, Sequence[float]] | tuple = (),
    backward: Mapping[str, Sequence[float]] | tuple = (),
) -> Picture:
    """Functions one after the other, {formula: value}, with their slopes on the arrows.

    forward, backward: {name: a number for each box}, above the boxes and below them, such as how
    far a nudge moves each, and the slopes that `backward` finds.
    """
    forward, backward = dict(forward), dict(backward)
    drawn = draw_chain(boxes, slopes, forward, backward, alt)
    rows = {"slopes": slopes} | forward | backward
    told = {name: number(value) for name, value in boxes.items()}
    told |= {name: _told(values) for name, values in rows.items()}
    return Picture(_steady(drawn.alone()), alt, told)


def _figure(width, height, panels=1):
    """A figure of so many pixels, and its axes."""
    figure = Figure(figsize=(width / 72, min(height, 400) / 72), dpi=72, layout="constrained")
    return figure, figure.subplots(1, panels)


def _picture(figure, alt, rows):
    text = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(text, format="svg", metadata=nothing)
    return Picture(_steady(text.getvalue()), alt, rows)


def _steady(svg):
    """The SVG with rounded numbers and counted names, in pixels: the same bytes everywhere."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'(width|height)="([\d.]+)pt"', r'\1="\2"', svg, count=2)
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"-?\d+\.\d{2,}", _short, tag[0]), svg)
    names = {name: f"n{k}" for k, name in enumerate(dict.fromkeys(re.findall(r' id="(\w+)"', svg)))}
    svg = re.sub(r'( id="|#)(\w+)\b', lambda m: m[1] + names.get(m[2], m[2]), svg)
    return "\n".join(line.rstrip() for line in svg.splitlines())


def _short(digits):
    value = round(float(digits[0]), 2)
    return f"{value:g}" if value else "0"


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
    for x, y, label, beside in sorted(ends, key=lambda end: end[1]):
        _, pixel = axes.transData.transform((x, y))
        lowest = max(pixel, lowest + 20)
        place = {"xytext": (beside, lowest - pixel), "textcoords": "offset points", "va": "center"}
        axes.annotate(label, (x, y), annotation_clip=False, **place)


def _with_room(values, reach):
    low, high = min(0, *np.nan_to_num(values)), max(0, *np.nan_to_num(values))
    above = 0.2 if any(not value < 0 for value in values) else 0.02  # a zero has its number, too
    return low - (0.2 * reach if low < 0 else 0), high + above * reach


def _values(given):
    """Numbers, or tensors of them, as an array."""
    if hasattr(given, "detach"):
        return np.array(given.detach().tolist(), dtype=float)
    if isinstance(given, (list, tuple)):
        return np.array([_values(entry) for entry in given], dtype=float)
    return np.asarray(list(given) if isinstance(given, range) else given, dtype=float)


def _numbers(given):
    return _values(given).reshape(-1)


def _told(values):
    """Numbers in words: the first ones, and the last."""
    told = [number(value) for value in values]
    if len(told) <= SHOWN + 1:
        return ", ".join(told)
    return f"{', '.join(told[:SHOWN])}, \u2026 {told[-1]} ({len(told)} values)"


def _node_lines(node):
    """What stands in a node: its name with its expression, and its value."""
    values = () if node.value is None else node.value.tolist()
    value = "" if node.value is None else nested(values, lambda one: number(one, minus=True))
    if len(value) > 24:
        value = f"shape {tuple(node.value.shape)}"
    title = node.title if len(node.title) <= 28 else node.title[:27] + "\u2026"
    return title, value


def _node_told(node, found):
    what = "a leaf" if node.is_leaf else node.kind
    sources = [found.refer(target) for target in node.targets if target]
    value = "" if node.value is None else f", {_node_lines(node)[1]}"
    return f"{what}{value}" + (f", from {' and '.join(sources)}" if sources else "")
