"""The life of the graph: leaves with their .grad, nodes with what they keep, results with their v.

Forward runs to the right, grey and solid; the last backward runs to the left, dashed, and ends in
a cross where it was refused. A box has one size, whatever is in it: nothing moves with a call.
"""

from functools import lru_cache

import numpy as np

from ...formatting import nested, number, shape
from ..shared.graph_layout import place
from ..shared.svg import Drawing, letters

MAX_NODES = 30  # of a graph that is drawn
ROOM = 795  # what a panel 829 pixels wide leaves; a little more is drawn a little smaller
LINE, VESSEL = 30, 28  # heights: of a row of numbers, of a kept value
CELL, ALONE = 56, 76  # widths: of a number among others, of one that is alone
MARGIN = 10
COLUMNS, ROWS = 4, 2  # more numbers than this are told by their range


def draw_life(model, changed=()):
    """The graph of a ledger as a `Drawing`. changed: what to mark, (leaf, index) and (node, k)."""
    drawing = _draw(model, changed, short=False)
    return drawing if drawing.width <= ROOM else _draw(model, changed, short=True)


def _draw(model, changed, short):
    """short: "Mul" for MulBackward0, where the row would be too long otherwise."""
    nodes, row = model.nodes, model.rows[-1]
    boxes, edges, kinds = [_box(model, node, short) for node in nodes], [], []
    stuck, back = _where_stuck(model), "" if model.covered else "back"
    for k, node in enumerate(nodes):
        for operand in node.operands:
            edges.append((operand, k))
            kinds.append(back if node.ran else "stuck" if k == stuck else "")
    for k, node in enumerate(nodes):
        if node.result is not None:
            edges.append((k, len(boxes)))
            started = row.call.what == "backward" and row.call.root == node.result
            refused = started and row.error and stuck is None and not model.covered and not any(
                n.ran for n in nodes)
            kinds.append("stuck" if refused else back if started else "")
            boxes.append(_result_box(model, node.result))
    placed = _placed(tuple(box.size for box in boxes), tuple(edges),
                     ROOM + 40 if short else 10 * ROOM)
    points = [point for route in placed.routes for curve in route for point in curve]
    left = min([0, *(x for x, _ in points)])
    left = 14 - left if left else 2  # a row that goes on may have its cross there
    right, low = (max([end, *coordinates]) for end, coordinates in zip(
        (placed.width, placed.height), zip(*points) if points else ((), ())))
    drawing = Drawing(right + left + 2, low + 8, in_words(model))
    drawing.add(f'<g transform="translate({left:g} 2)">')
    _draw_arrows(drawing, placed.routes, edges, kinds)
    for k, (box, (x, y), (width, height)) in enumerate(
        zip(boxes, placed.centres, placed.sizes)
    ):
        box.draw(drawing, x - width / 2, y - height / 2, width, height,
                 {index for place, index in changed if place in (k, box.title)})
    drawing.add("</g>")
    return drawing


@lru_cache(maxsize=8)
def _placed(sizes, edges, room):
    return place(sizes, edges, room=room)


def in_words(model):
    """What the drawing shows, for screen readers."""
    told = [f"{node.name}: " + (", ".join(f"{value.name} {value.state}" for value in node.kept)
                                or _without_values(node)) for node in model.nodes
            if node.leaf is None]
    return f"Graph, from the leaves to the result. {model.life_line()} {'. '.join(told)}."


def _where_stuck(model):
    """The node at which the last pass was refused, or None: it was reached and did not run."""
    nodes, row = model.nodes, model.rows[-1]
    if row.call.what != "backward" or not row.error or model.covered:
        return None
    reached = {k for k, node in enumerate(nodes) if node.result == row.call.root}
    reached |= {k for node in nodes if node.ran for k in node.operands}
    waiting = [k for k in reached if not nodes[k].ran and (
        nodes[k].freed or any(value.state != "kept" for value in nodes[k].kept))]
    return max(waiting, default=None)


# --- boxes ---------------------------------------------------------------------------------------


class _Numbers:
    """A tensor's numbers in cells of fixed width, in the tensor's shape; many by their range."""

    def __init__(self, values, sizes):
        self.sizes, self.values = sizes, values
        self.columns, self.rows = (sizes[-1] if sizes else 1), int(np.prod(sizes[:-1]))
        self.told = self.columns > COLUMNS or self.rows > ROWS
        self.cell = ALONE if self.columns == 1 else CELL
        self.width = 190 if self.told else self.columns * (self.cell + 4)
        self.height = LINE * (1 if self.told else self.rows)

    def draw(self, drawing, x, y, changed=()):
        if self.values is None or isinstance(self.values, str):
            drawing.text(x + 6, y + 20, self.values or "None", font="code", ink="quiet")
            return
        values = np.array(self.values, dtype=float)
        if self.told:
            drawing.text(x + 6, y + 20, range_of(values), 14, "code")
            return
        largest = max((abs(v) for v in values.ravel() if np.isfinite(v)), default=0)
        room = int((self.cell - 6) / letters("0"))
        for k, (index, value) in enumerate(np.ndenumerate(values)):
            row, column = divmod(k, self.columns)
            drawing.chip(x + self.cell / 2 + column * (self.cell + 4), y + 15 + row * LINE, value,
                         largest, fitting(value, room), self.cell,
                         marks="changed" if index in changed else "")


class _Box:
    """A tensor: its name and values, and below them its gradient."""

    def __init__(self, title, value, label, numbers):
        self.title, self.label, self.numbers = title, label, numbers
        text = on_panel(value)
        self.value = text if len(text) <= 20 else f"shape {shape(np.shape(value))}"
        self.left = letters(label) + 10
        wide = letters(title) + 14 + letters(self.value)
        self.size = (2 * MARGIN + max(wide, self.left + numbers.width), 42 + numbers.height)

    def draw(self, drawing, x, y, width, height, changed):
        drawing.box(x, y, width, height, "paper", "ink", radius=14)
        drawing.text(x + MARGIN, y + 24, self.title, font="code", bold=True)
        drawing.text(x + MARGIN + letters(self.title) + 14, y + 24, self.value, font="code",
                     ink="quiet")
        drawing.text(x + MARGIN, y + 56, self.label, font="code")
        self.numbers.draw(drawing, x + MARGIN + self.left, y + 35, changed)


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
        entry = model.rows[-1].entries.get(node.leaf)
        if entry is None:  # a leaf that is not among those of the ledger
            return _NodeBox(node.leaf, [("", ".grad", ".grad")])
        numbers = _Numbers("?" if model.covered else entry.grad, np.shape(entry.value))
        return _Box(node.leaf, entry.value, ".grad", numbers)
    names, kept = {*model.leaf_names, *model.roots}, []
    for value in node.kept:
        text = value.text if len(value.text) <= 6 and value.name not in names else ""
        told = f"{value.name} {text}".strip()
        words = {"kept": f"{told} kept"}.get(value.state, f"{value.name} {value.state}")
        longest = max(f"{told} kept", f"{value.name} freed", key=len)
        kept.append((value.state, words, longest))
    if not kept and node.freed is not None:
        kept = [("freed" if node.freed else "kept", _without_values(node), "change freed")]
    return _NodeBox(node.name.partition("Backward")[0] if short else node.name, kept)


def _without_values(node):
    """A node may keep what has no value: that of CopySlices keeps the node of the change."""
    return {None: "keeps nothing", False: "change kept", True: "change freed"}[node.freed]


def _result_box(model, name):
    value, v = model.outputs[name], model.upstream
    sizes, text = np.shape(value), on_panel(value)
    if name != model.root:
        return _NodeBox(name, [("", text if len(text) < 20 else f"shape {shape(sizes)}", "")])
    if v is None:
        v = 1.0
    return _Box(name, value, "v", _Numbers(v, np.shape(v) if np.size(v) > 1 else sizes))


def _vessel(drawing, x, y, width, state, words, changed):
    height = VESSEL - 6
    if state == "kept":
        drawing.box(x, y, width, height, "line", "edge", 1, 3)
    elif state == "freed":
        drawing.path(_hatching(x, y, width, height), "line", 2)
        drawing.box(x, y, width, height, "none", "edge", 1, 3)
    elif state:
        drawing.box(x, y, width, height, "none", "minus", 2, 3, "4 3")
    if changed:
        drawing.add('<g class="mg-changed">')
        drawing.box(x - 2, y - 2, width + 4, height + 4, "none", "hand", 2, 4, "2 3")
        drawing.add("</g>")
    drawing.text(x + width / 2, y + 16, words, 14, "code", anchor="middle",
                 ink="ink" if state else "quiet")


def _hatching(x, y, width, height, step=8):
    """Diagonal lines inside a rectangle, as the data of one path."""
    lines, offset = [], step - height
    while offset < width:
        start, end = max(0, -offset), min(height, width - offset)
        lines.append(f"M{x + offset + start:g} {y + height - start:g}"
                     f"L{x + offset + end:g} {y + height - end:g}")
        offset += step
    return "".join(lines)


# --- arrows --------------------------------------------------------------------------------------


def _draw_arrows(drawing, routes, edges, kinds):
    """Edges that share a part of their way are one line there."""
    forward, back, stuck = {}, {}, {}
    for route, kind in zip(routes, kinds):
        forward.update(dict.fromkeys(route))
        {"back": back, "stuck": stuck}.get(kind, {}).update(dict.fromkeys(route))
    drawing.path(_data(forward, -5), "edge", 1.5)
    ends = {route[-1][3] for route in routes}
    for x, y in sorted(ends):
        _head(drawing, x, y - 5, 1, "edge")
    stuck = [curve for curve in stuck if curve not in back]
    drawing.path(_data(stuck, 7, True), "edge", 1.5, "4 4")
    drawing.path(_data(back, 7, True), "ink", 2.5, "7 4")
    for x, y in sorted({r[0][0] for r, kind in zip(routes, kinds) if kind == "back"}):
        _head(drawing, x, y + 7, -1, "ink")
    crosses = {}
    for route, edge, kind in zip(routes, edges, kinds):
        if kind == "stuck":
            crosses.setdefault(edge, []).append(route[-1][3])
    for ends in crosses.values():  # one for x * x, which has two edges
        x, y = np.mean(ends, axis=0) + (-23, 7)
        drawing.path(f"M{x - 9:g} {y - 9:g}l18 18m-18 0l18 -18", "minus", 4)


def _head(drawing, x, y, to, stroke):
    drawing.path("", stroke, 1.5, arrow=((x - to, y), (x, y)))


def _data(curves, shift, backward=False):
    """Curves as the data of one path, moved down by `shift`, from their end if backward."""
    parts = []
    for curve in curves:
        (x, y), *rest = reversed(curve) if backward else curve
        parts.append(f"M{x:g} {y + shift:g}C"
                     + " ".join(f"{px:g} {py + shift:g}" for px, py in rest))
    return "".join(parts)


# --- numbers that have little room ---------------------------------------------------------------


def fitting(value, room):
    """A number with its sign in so many letters, with as many digits as they hold."""
    for digits in (5, 4, 3, 2, 1):
        text = number(value, signed=True, digits=digits)
        if len(text) <= room:
            break
    return text


def on_panel(values):
    """Nested lists on one line, with the minus sign of panels."""
    return nested(values, lambda value: number(value, minus=True))


def range_of(values):
    """Many numbers folded: their shape, the smallest and the largest."""
    values = np.array(values, dtype=float)
    ends = dict.fromkeys(fitting(end, 6) for end in (values.min(), values.max()))
    return f"{shape(values.shape)} ".replace(", ", ",") + "\u2026".join(ends)
