"""The life of the graph: leaves with their .grad, nodes with what they keep, results with their v.

Forward runs to the right, grey and solid; the last backward runs to the left, dashed, and ends in
a cross where it was refused. A box has one size, whatever is in it: nothing moves with a call.
"""

from functools import lru_cache

import numpy as np

from ...show.drawing.layout import draw_edges, lay_out
from ...show.drawing.palette import largest_of
from ...show.drawing.svg import Drawing, letters
from ...show.formatting import fitting, shape
from ..shared.parts import minus
from .session import in_short

MAX_NODES = 30  # of a graph that is drawn
ROOM = 795  # what a panel 829 pixels wide leaves
LONG = 930  # a graph up to here is drawn a little smaller; a longer one scrolls
LINE, VESSEL = 30, 28  # heights: of a row of numbers, of a kept value
CELL, ALONE = 56, 76  # widths: of a number among others, of one that is alone
MARGIN, GAPS = 10, (46, 10)  # within a box; between columns of boxes and between boxes of a column
COLUMNS, ROWS = 4, 2  # more numbers than this are told by their range


def draw_life(model, changed=()):
    """The graph of a ledger as a `Drawing`. changed: what to mark, (leaf, index) and (node, k)."""
    drawing = _draw(model, changed, short=False)
    return drawing if drawing.width <= ROOM else _draw(model, changed, short=True)


def _draw(model, changed, short):
    """short: "Mul" for MulBackward0, where the row would be too long otherwise."""
    nodes, results = model.nodes, {}  # {name of a result: the place of its box}
    boxes = [_box(model, node, short) for node in nodes]
    edges = [(operand, k) for k, node in enumerate(nodes) for operand in node.operands]
    for k, node in enumerate(nodes):
        if node.result is not None:
            results[node.result] = len(boxes)
            edges.append((k, len(boxes)))
            boxes.append(_result_box(model, node.result))
    ran, stuck = _way_back(model, edges, results)
    kinds = ["stuck" if user == stuck else "back" if user in ran else "" for _, user in edges]
    placed = _placed(tuple(box.size for box in boxes), tuple(edges), ROOM, GAPS)
    label = f"{model.life_line()} {'. '.join(model.graph_lines())}."
    label = f"Graph, from the leaves to the result. {label}"
    drawing = Drawing(placed.width + 4, placed.height + 8, label)
    drawing.add('<g transform="translate(2 2)">')
    draw_edges(drawing, placed.routes, kinds)
    for edge in dict.fromkeys(edges):  # x * x has two that are alike, and one cross
        if edge[1] == stuck:
            ends = [route[-1][3] for route, one in zip(placed.routes, edges) if one == edge]
            x, y = np.mean(ends, axis=0) + (-23, 5)
            drawing.path(f"M{x - 9:g} {y - 9:g}l18 18m-18 0l18 -18", "minus", 4)
    for k, (box, (x, y), size) in enumerate(zip(boxes, placed.centres, placed.sizes)):
        marked = {index for name, index in changed if name in (k, box.title)}
        box.draw(drawing, x - size[0] / 2, y - size[1] / 2, *size, marked)
    drawing.add("</g>")
    return drawing


_placed = lru_cache(maxsize=8)(lay_out)


def _way_back(model, edges, results):
    """The boxes that the last pass went through, and the one at which it was refused, or None.

    That is the node that was reached and did not run; the result, if the pass did not begin.
    """
    nodes, row = model.nodes, model.rows[-1]
    if row.call.what != "backward" or model.covered:
        return (), None
    root = results.get(row.call.root)
    ran = {root, *(k for k, node in enumerate(nodes) if node.ran)}
    if not row.error:
        return ran, None

    def refuses(node):
        return not node.ran and (node.freed or any(value.state != "kept" for value in node.kept))

    reached = {operand for operand, user in edges if user in ran}
    waiting = [k for k in reached if refuses(nodes[k])]
    return ran, max(waiting, default=root if ran == {root} else None)


class _TensorBox:
    """A tensor: its name and values, and below them its gradient, in cells of fixed width.

    gradient: nested lists; a text stands for itself. sizes: the shape for which there is room.
    """

    def __init__(self, title, value, label, gradient, sizes):
        self.title, self.label, self.gradient = title, label, gradient
        self.value = minus(in_short(value, 20))
        self.left = letters(label) + 10
        self.columns, rows = (sizes[-1] if sizes else 1), int(np.prod(sizes[:-1]))
        self.folded = self.columns > COLUMNS or rows > ROWS
        self.cell = ALONE if self.columns == 1 else CELL
        numbers = 190 if self.folded else self.columns * (self.cell + 4)
        wide = max(letters(title) + 14 + letters(self.value), self.left + numbers)
        self.size = 2 * MARGIN + wide, 42 + LINE * (1 if self.folded else rows)

    def draw(self, drawing, x, y, width, height, changed):
        drawing.box(x, y, width, height, "paper", "ink", radius=14)
        x += MARGIN
        drawing.text(x, y + 24, self.title, font="code", bold=True)
        drawing.text(x + letters(self.title) + 14, y + 24, self.value, font="code", ink="quiet")
        drawing.text(x, y + 56, self.label, font="code")
        x += self.left
        if self.gradient is None or isinstance(self.gradient, str):
            drawing.text(x + 6, y + 55, self.gradient or "None", font="code", ink="quiet")
        elif self.folded:
            drawing.text(x + 6, y + 55, range_of(self.gradient), 14, "code")
        else:
            self._draw_numbers(drawing, x + self.cell / 2, y + 50, changed)

    def _draw_numbers(self, drawing, x, y, changed):
        values = np.array(self.gradient, dtype=float)
        largest, room = largest_of(values), int((self.cell - 6) / letters("0"))
        for k, (index, value) in enumerate(np.ndenumerate(values)):
            row, column = divmod(k, self.columns)
            where, text = (x + column * (self.cell + 4), y + row * LINE), fitting(value, room)
            mark = "changed" if index in changed else ""
            drawing.chip(*where, value, largest, text, self.cell, marks=mark)


class _NodeBox:
    """A node and what it keeps: filled while kept, hatched when freed, dashed when changed."""

    def __init__(self, title, kept):
        self.title, self.kept = title, kept  # [(state, words, the longest words)]
        wide = [letters(title) + 2 * MARGIN, *(letters(w, 14) + 28 for *_, w in kept if w)]
        self.size = (max(60, *wide), 36 + VESSEL * len(kept) + 4 * bool(kept))

    def draw(self, drawing, x, y, width, height, changed):
        drawing.box(x, y, width, height, "paper", "ink", radius=4)
        drawing.text(x + width / 2, y + 23, self.title, font="code", bold=True, anchor="middle")
        for k, (state, words, _) in enumerate(self.kept):
            _vessel(drawing, x + 8, y + 33 + k * VESSEL, width - 16, state, words, k in changed)


def _box(model, node, short):
    if node.leaf is not None:
        if node.leaf not in model.values:  # a leaf that is not among those of the ledger
            return _NodeBox(node.leaf, [("", ".grad", ".grad")])
        value, grad = model.values[node.leaf], "?" if model.covered else model.grads[node.leaf]
        return _TensorBox(node.leaf, value, ".grad", grad, np.shape(value))
    names, kept = {*model.values, *model.outputs}, []
    for value in node.kept:
        text = value.text if len(value.text) <= 6 and value.name not in names else ""
        if_kept = f"{value.name} {text}".strip() + " kept"
        words = if_kept if value.state == "kept" else f"{value.name} {value.state}"
        kept.append((value.state, words, max(if_kept, f"{value.name} freed", key=len)))
    if not kept and node.freed is not None:  # what has no value: CopySlices keeps a node
        state = "freed" if node.freed else "kept"
        kept = [(state, f"change {state}", "change freed")]
    return _NodeBox(node.name.partition("Backward")[0] if short else node.name, kept)


def _result_box(model, name):
    value, v = model.outputs[name], model.upstream
    if name != model.root:
        text = minus(in_short(value, 19))
        return _NodeBox(name, [("", text, text)])
    v = 1.0 if v is None else v
    return _TensorBox(name, value, "v", v, np.shape(v if np.size(v) > 1 else value))


def _vessel(drawing, x, y, width, state, words, changed):
    height = VESSEL - 6
    if state == "kept":
        drawing.box(x, y, width, height, "line", "edge", 1, 3)
    elif state == "freed":
        for left in range(2, int(width) - height, 8):
            drawing.line([(x + left, y + height), (x + left + height, y)], "line", 2)
        drawing.box(x, y, width, height, "none", "edge", 1, 3)
    elif state:
        drawing.box(x, y, width, height, "none", "minus", 2, 3, "4 3")
    if changed:
        drawing.changed(x - 2, y - 2, width + 4, height + 4)
    ink = "ink" if state else "quiet"
    drawing.text(x + width / 2, y + 16, words, 14, "code", anchor="middle", ink=ink)


def range_of(values):
    """Many numbers folded: their shape, the smallest and the largest."""
    values = np.array(values, dtype=float)
    ends = dict.fromkeys(fitting(end, 6) for end in (values.min(), values.max()))
    return f"{shape(values.shape)} ".replace(", ", ",") + "\u2026".join(ends)
