"""The graph from left to right: leaves, nodes with the values they keep, and the results.

Forward arrows are solid, backward arrows dashed; a value that is kept is filled, one that was freed
is hatched. Drawn with a colour that is handed in, so that the same drawing serves the live page,
where it is the page's own ink, and the stored picture.
"""

from .theme import BLUE, ORANGE

GAP = 44  # between columns, in pixels: room for two arrows
SPACE = 16  # between boxes of one column
_LETTER = 8.6  # width of a letter of 14 px monospace


def draw_graph(picture, top, nodes, leaves, results, colour):
    """Draw `models.ledger.Node`s below `top`. Returns the bottom.

    leaves: {leaf: its .grad as text}; results: {result: its v as text, where backward starts},
    drawn to the right of the node that made it.
    """
    columns, boxes = _places(nodes, leaves, results)
    left = 0
    for column in columns:
        width = max(boxes[key].width for key in column)
        for key in column:
            boxes[key].left, boxes[key].width = left, width
        left += width + GAP
    tall = max((_height(column, boxes) for column in columns), default=0)
    for column in columns:
        y = top + (tall - _height(column, boxes)) / 2
        for key in column:
            boxes[key].top = y
            y += boxes[key].height + SPACE
    for key, box in boxes.items():
        for operand in box.operands:
            _edge(picture, boxes, key, operand, colour)
    for box in boxes.values():
        _draw(picture, box, colour)
    return top + tall


class _Box:
    """A rectangle to place: a node, a result, or the empty place where an arrow passes a column."""

    def __init__(self, kind, title="", lines=(), operands=(), backward=False, order=None):
        self.kind, self.title, self.lines, self.operands = kind, title, lines, list(operands)
        self.backward, self.order = backward, order
        self.left = self.top = 0
        texts = [title + ("  1st" if order else ""), *(line.text for line in lines)]
        self.width = 0 if kind == "pass" else max(len(text) for text in texts) * _LETTER + 20
        self.height = 12 if kind == "pass" else 30 + 26 * len(lines)

    @property
    def middle(self):
        return self.top + self.height / 2


class _Line:
    def __init__(self, text, state=""):
        self.text, self.state = text, state


def _places(nodes, leaves, results):
    """(columns of keys, {key: box}); long arrows get a place in every column that they pass."""
    boxes, depth = {}, {}
    for node in nodes:
        depth[node.number] = 1 + max((depth[k] for k in node.operands), default=-1)
        if node.leaf is None:
            lines = [
                _Line(
                    f"{value.name} = {value.text}"
                    if value.state == "kept"
                    else f"{value.name} {value.state}",
                    value.state,
                )
                for value in node.kept
            ] or [_Line("keeps nothing")]
            box = _Box("node", node.name, lines, node.operands, node.ran is not None, node.ran)
        else:
            box = _Box("leaf", node.leaf, [_Line(f".grad {leaves.get(node.leaf, '')}".strip())])
        boxes[node.number] = box
    made = {node.result: node for node in nodes if node.result is not None}
    for name, line in results.items():
        if name in made:
            key = ("result", name)
            depth[key] = depth[made[name].number] + 1
            boxes[key] = _Box(
                "result",
                name,
                [_Line(line)] if line else [],
                [made[name].number],
                bool(line) and made[name].ran is not None,
            )
    for key, box in list(boxes.items()):
        for place, operand in enumerate(box.operands):
            for column in range(depth[operand] + 1, depth[key]):
                passing = ("pass", key, place, column)
                boxes[passing] = _Box("pass", operands=[operand], backward=box.backward)
                depth[passing], operand = column, passing
            box.operands[place] = operand
    columns = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for key in sorted(depth, key=lambda key: (depth[key], str(type(key)))):
        columns[depth[key]].append(key)
    for before, column in zip(columns, columns[1:]):  # each box about level with its operands
        level = {key: place for place, key in enumerate(before)}
        column.sort(key=lambda key: _mean([level[k] for k in boxes[key].operands if k in level]))
    return columns, boxes


def _mean(values):
    return sum(values) / len(values) if values else 0.0


def _height(column, boxes):
    return sum(boxes[key].height for key in column) + SPACE * (len(column) - 1)


def _edge(picture, boxes, key, operand, colour):
    """A solid arrow from an operand to its user; a dashed one back if a gradient went that way."""
    user, source = boxes[key], boxes[operand]
    x1, x2 = source.left + source.width, user.left
    y1, y2 = source.middle, user.middle
    shift = 5 if user.backward else 0
    if source.kind == "pass":  # the line goes on through the column
        picture.parts.append(_path(source.left, y1 - shift, x1, y1 - shift, colour))
    picture.parts.append(_path(x1, y1 - shift, x2, y2 - shift, colour))
    if user.kind != "pass":
        picture.parts.append(_head(x2, y2 - shift, -1, colour))
    if user.backward:
        if source.kind == "pass":
            picture.parts.append(_path(source.left, y1 + 5, x1, y1 + 5, colour, dashed=True))
        picture.parts.append(_path(x1, y1 + 5, x2, y2 + 5, colour, dashed=True))
        if source.kind != "pass":
            picture.parts.append(_head(x1, y1 + 5, 1, colour))


def _path(x1, y1, x2, y2, colour, dashed=False):
    dashes = ' stroke-dasharray="6 4"' if dashed else ""
    middle = (x1 + x2) / 2
    return (
        f'<path d="M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}" '
        f'fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>'
    )


def _head(x, y, direction, colour):
    back = x + 9 * direction
    return f'<path d="M{x:g} {y:g}L{back:g} {y - 4:g}V{y + 4:g}Z" fill="{colour}"/>'


def _draw(picture, box, colour):
    if box.kind == "pass":
        return
    round_ = 16 if box.kind != "node" else 4
    picture.parts.append(
        f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.width:g}" height="{box.height:g}" '
        f'rx="{round_}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    )
    bold = box.kind != "node"
    picture.text(
        box.left + 10, box.top + 20, box.title, size=14, font="code", bold=bold, colour=colour
    )
    if box.order:
        picture.text(
            box.left + box.width - 9,
            box.top + 20,
            _ordinal(box.order),
            size=13,
            anchor="end",
            colour=colour,
        )
    for place, line in enumerate(box.lines):
        x, y, width = box.left + 6, box.top + 28 + 26 * place, box.width - 12
        if line.state:
            picture.parts.append(_vessel(x, y, width, 22, line.state, colour))
        picture.text(x + 5, y + 16, line.text, size=14, font="code", colour=colour)
    picture._grow(box.left + box.width, box.top + box.height)


def _vessel(x, y, width, height, state, colour):
    """A saved value: full while kept, hatched when freed, a dashed frame when changed in place."""
    frame = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" '
    if state == "kept":
        return frame + f'fill="rgba{(*BLUE, 0.28)}" stroke="{colour}"/>'
    if state == "changed":
        return frame + (
            f'fill="rgba{(*ORANGE, 0.28)}" stroke="{colour}" stroke-width="2" '
            'stroke-dasharray="3 3"/>'
        )
    return (
        frame
        + f'fill="none" stroke="{colour}" stroke-opacity="0.6"/>'
        + f'<path d="{_hatching(x, y, width, height)}" stroke="{colour}" stroke-opacity="0.28"/>'
    )


def _hatching(x, y, width, height, step=7):
    """Diagonal lines inside a rectangle, as the data of one path."""
    lines, offset = [], -height + step
    while offset < width:
        start, end = max(0, -offset), min(height, width - offset)
        lines.append(f"M{x + offset + start:g} {y + start:g}L{x + offset + end:g} {y + end:g}")
        offset += step
    return "".join(lines)


def _ordinal(place):
    ending = (
        {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
        if place % 100 not in (11, 12, 13)
        else "th"
    )
    return f"{place}{ending}"
