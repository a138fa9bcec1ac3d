"""Pictures for lessons, a call each: the same picture on every run, with words for who cannot see.

    pictures.lines({"loss": losses}, x_label="step", y_label="loss", alt="The loss falls to 0.")
    pictures.heat(J, alt="...")
    pictures.tiles([digit, other], ["7", "2"], alt="...")
    pictures.graph(loss, x=x, w=w, alt="...")
    pictures.ways([{"x": 2}, {"y": 7, "z": 9}], [[[3], [4]]], alt="...")
    pictures.chain({"x": 2, "y = 3x": 6}, [3], backward={"slope of y": [3, 1]}, alt="...")
    pictures.flow(cut="p")       the price-list program, its gradients, and a cut; says it itself

`alt` says in a sentence what is to be seen. A picture prints as that sentence and its numbers, and
shows itself as SVG on white paper, which keeps its type size and scrolls on a narrow page; on paper
it shrinks to the page's width.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .drawing.boxes import draw_boxes
from .drawing.chain import draw_chain
from .drawing.flow import CUTS, draw_flow, flow_in_words, flow_rows, read_flow
from .drawing.graph import read_graph
from .drawing.plots import draw_heat, draw_lines
from .drawing.svg import Drawing
from .drawing.tiles import draw_tiles
from .drawing.ways import draw_ways
from .formatting import nested, number, shape, wrapped
from .html import Shown

_MOST_WRITTEN = 8  # values of a row written out in words, and the last one


class Picture(Shown):
    """svg: the drawing; alt: what it shows, a sentence; rows: its numbers, {label: text}."""

    def __init__(self, drawing: Drawing, rows: dict[str, str]) -> None:
        alt = drawing.label
        if not isinstance(alt, str) or not alt.strip():
            raise ValueError("a picture needs alt=: a sentence that says what is to be seen")
        self.svg, self.alt, self.rows = drawing.alone(), alt, rows
        longest = min(24, max(map(len, rows), default=0))
        numbers = [wrapped(f"  {label:<{longest}}  ", text) for label, text in rows.items()]
        super().__init__("\n".join([wrapped("Picture: ", alt), *numbers]), drawing.image(alt))


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
    rows = {} if x is None else {x_label: _in_words(_numbers(x))}
    drawing = draw_lines(series, places, x_label, y_label, log, width, alt)
    return Picture(drawing, rows | {label: _in_words(v) for label, v in series.items()})


def heat(
    array: Any, *, alt: str, rows: str | list = "outputs", columns: str | list = "inputs"
) -> Picture:
    """A matrix as tinted cells with their numbers: blue above zero, orange below, white at zero.

    rows, columns: what they stand for; a list names each.
    """
    values = np.atleast_2d(_values(array))
    height, width = values.shape
    words = {f"row {k + 1}": _in_words(row) for k, row in enumerate(values[:_MOST_WRITTEN])}
    if height > _MOST_WRITTEN:
        words["\u2026"] = f"{height} rows and {width} columns"
    return Picture(draw_heat(values, rows, columns, alt), words)


def tiles(images: Iterable[Any], names: Sequence[object], *, alt: str, columns: int = 8) -> Picture:
    """Small square images side by side, each with its name under it: 0 is paper, 1 is full ink.

    Numbers below 0, down to -1, are orange bars of half a pixel's height. So parameters can be
    looked at: those that speak for a digit, and those that speak against it. columns: in a row.
    """
    drawn = [np.asarray(_values(one)) for one in images]
    texts = [str(name) for name in names]
    drawing = draw_tiles(drawn, texts, columns, alt)
    return Picture(drawing, {f"{len(drawn)} images": ", ".join(texts)})


def graph(tensor: Any, *, alt: str, **tensors: Any) -> Picture:
    """The graph that was recorded for a tensor of minigrad's, from its leaves on the left to it.

    tensors: the program's names, `x=x`; other nodes are called t1, t2, ... in their order.
    """
    read = read_graph(tensor, tensors.items())
    texts = {node.key: _node_texts(node) for node in read.nodes}
    rows = {node.name: _node_in_words(node, read) for node in read.nodes}
    return Picture(draw_boxes(read.nodes, texts, alt), rows)


def ways(
    columns: Sequence[Mapping[str, Any]], tables: Sequence[Any], *, alt: str, back: Any = None
) -> Picture:
    """Numbers in columns, and an arrow for each derivative between one column and the next.

    columns: {name: number}, from left to right; tables: the Jacobian of each column with respect
    to the one before, a zero has no arrow; back: for each column its gradients, drawn below.
    """
    tables = [_values(table) for table in tables]
    below = [] if back is None else [_numbers(given) for given in back]
    rows = {", ".join(one): _in_words(list(one.values())) for one in columns}
    for column, table in zip(columns[1:], tables):
        rows |= {f"slopes of {name}": _in_words(row) for name, row in zip(column, table)}
    for column, given in zip(columns, below):
        rows[f"gradient of {', '.join(column)}"] = _in_words(given)
    return Picture(draw_ways(columns, tables, below, alt), rows)


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
    rows = {"slopes": slopes} | forward | backward
    words = {name: number(value) for name, value in boxes.items()}
    words |= {name: _in_words(values) for name, values in rows.items()}
    return Picture(draw_chain(boxes, slopes, forward, backward, alt), words)


def flow(cut: str | None = None) -> Picture:
    """The price-list program from left to right, and its gradients beneath it from right to left.

    cut: the value before which it is cut, "p", "e" or "loss", with the v that crosses there.
    """
    if cut not in (None, *CUTS):
        raise ValueError(f"a cut stands before {', '.join(CUTS)}; not {cut!r}")
    numbers = read_flow()
    return Picture(draw_flow(numbers, flow_in_words(numbers, cut), cut), flow_rows(numbers))


def _values(given):
    """Numbers, or tensors of them, as an array."""
    if hasattr(given, "detach"):
        return np.array(given.detach().tolist(), dtype=float)
    if isinstance(given, (list, tuple)):
        return np.array([_values(entry) for entry in given], dtype=float)
    return np.asarray(list(given) if isinstance(given, range) else given, dtype=float)


def _numbers(given):
    return _values(given).reshape(-1)


def _in_words(values):
    """Numbers in words: the first ones, and the last."""
    words = [number(value) for value in values]
    if len(words) <= _MOST_WRITTEN + 1:
        return ", ".join(words)
    return f"{', '.join(words[:_MOST_WRITTEN])}, \u2026 {words[-1]} ({len(words)} values)"


def _node_texts(node):
    """What stands in a node: its name with its expression, and its value."""
    value = ""
    if node.value is not None:
        value = nested(node.value.tolist(), lambda one: number(one, minus=True))
        value = value if len(value) <= 24 else f"shape {shape(node.value.shape)}"
    title = node.title if len(node.title) <= 28 else node.title[:27] + "\u2026"
    return title, value


def _node_in_words(node, read):
    what = "a leaf" if node.is_leaf else node.kind
    sources = [read.refer(target) for target in node.targets if target]
    value = "" if node.value is None else f", {_node_texts(node)[1]}"
    return f"{what}{value}" + (f", from {' and '.join(sources)}" if sources else "")
