"""The graph of the ledger: leaves, nodes with the values that they keep, and the results.

A value that is kept is filled, one that was freed is hatched, one that was changed in place has a
dashed frame.
"""

from .graph_drawing import LETTER, PAGE, Arrow, draw, text
from ..widgets.shared.graph_layout import place
from .theme import BLUE, ORANGE

TITLE, LINE = 30, 26  # heights: of a title, of a kept value
_FILLS = {"kept": (*BLUE, 0.28), "changed": (*ORANGE, 0.28)}


def draw_life(model, leaves, results, label, colours=PAGE):
    """The graph of a `GradLedger` as one SVG string.

    leaves: {leaf: its .grad as text}; results: {result: its v as text, where backward starts}.
    """
    nodes = model.nodes
    boxes = [_Box.of_node(node, leaves) for node in nodes]
    edges = [(operand, node.number) for node in nodes for operand in node.operands]
    arrows = [Arrow("done" if nodes[user].ran else "") for _, user in edges]
    for node in nodes:
        if node.result in results:
            v = results[node.result]
            boxes.append(_Box(node.result, [(v, "")] if v else [], bold=True))
            edges.append((node.number, len(boxes) - 1))
            arrows.append(Arrow("done" if v and node.ran else ""))
    placed = place([box.size for box in boxes], edges)
    drawn = [box.svg(size, colours) for box, size in zip(boxes, placed.sizes)]
    return draw(placed, drawn, arrows, label, colours)


class _Box:
    """A rectangle with a title and lines; a line with a state is a value that is kept."""

    def __init__(self, title, lines, bold=False, corner=""):
        self.title, self.lines, self.bold, self.corner = title, lines, bold, corner
        letters = [len(title) + (len(corner) + 2 if corner else 0), *(len(t) for t, _ in lines)]
        self.size = max(letters) * LETTER + 22, TITLE + LINE * len(lines)

    @classmethod
    def of_node(cls, node, leaves):
        if node.leaf is not None:
            line = f".grad {leaves.get(node.leaf, '')}".strip()
            return cls(node.leaf, [(line, "")], bold=True)
        lines = [
            (f"{one.name} = {one.text}" if one.state == "kept" else f"{one.name} {one.state}",
             one.state)
            for one in node.kept
        ]  # fmt: skip
        return cls(
            node.name, lines or [("keeps nothing", "")], corner=_ordinal(node.ran) if node.ran else ""
        )

    def svg(self, size, colours):
        width, height = size
        left, top = -width / 2, -height / 2
        parts = [
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" '
            f'rx="{16 if self.bold else 4}" style="fill: {colours.paper}; stroke: {colours.ink}; '
            'stroke-width: 1.5"/>',
            text(left + 11, top + 20, self.title, colours, "start", self.bold),
        ]
        if self.corner:
            parts.append(text(-left - 9, top + 20, self.corner, colours, "end", size=13))
        for number, (line, state) in enumerate(self.lines):
            y = top + TITLE - 2 + LINE * number
            if state:
                parts.append(_vessel(left + 6, y, width - 12, 22, state, colours.ink))
            parts.append(text(left + 11, y + 16, line, colours, "start"))
        return "".join(parts)


def _vessel(x, y, width, height, state, ink):
    """A saved value: full while kept, hatched when freed, a dashed frame when changed in place."""
    frame = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" style="'
    if state == "freed":
        return (
            f'{frame}fill: none; stroke: {ink}; stroke-opacity: 0.6"/>'
            f'<path d="{_hatching(x, y, width, height)}" style="stroke: {ink}; '
            'stroke-opacity: 0.28"/>'
        )
    dash = "; stroke-width: 2; stroke-dasharray: 3 3" if state == "changed" else ""
    return f'{frame}fill: rgba{_FILLS[state]}; stroke: {ink}{dash}"/>'


def _hatching(x, y, width, height, step=7):
    """Diagonal lines inside a rectangle, as the data of one path."""
    lines, offset = [], -height + step
    while offset < width:
        start, end = max(0, -offset), min(height, width - offset)
        lines.append(f"M{x + offset + start:g} {y + start:g}L{x + offset + end:g} {y + end:g}")
        offset += step
    return "".join(lines)


def _ordinal(place):
    """1 is "1st"."""
    last = 0 if place % 100 in (11, 12, 13) else place % 10
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th')}"
