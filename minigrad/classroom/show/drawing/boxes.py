"""The nodes of a graph as boxes, laid out from the leaves to the result."""

from .layout import lay_out, path_of
from .svg import Drawing, letters


def draw_boxes(nodes, texts, alt):
    """nodes: of a graph that was read; texts: {key of a node: (its name, its value or "")}."""
    sizes = [(max(map(letters, lines)) + 24, 60 if lines[1] else 36) for lines in texts.values()]
    edges = [(t[0], node.key) for node in nodes for t in node.targets if t]
    placed = lay_out(sizes, edges, 600)
    ways = [point for route in placed.routes for curve in route for point in curve]
    left = min(0, *(x for x, _ in ways)) if ways else 0  # lines that go on in the next row
    right = max([placed.width, *(x for x, _ in ways)])
    drawing = Drawing(right - left + 4, placed.height + 4, alt)
    drawing.add(f'<g transform="translate({2 - left:g} 2)">')
    for route in placed.routes:
        end = route[-1][3]
        drawing.path(path_of(route), arrow=((end[0] - 9, end[1]), end))
    for node, (x, y), (wide, high) in zip(nodes, placed.centres, placed.sizes):
        thick = 3 if node.is_leaf else 1.5
        drawing.box(x - wide / 2, y - high / 2, wide, high, "paper", "ink", thick)
        name, value = texts[node.key]
        drawing.text(x, y - 4 if value else y + 6, name, font="code", bold=True, anchor="middle")
        drawing.text(x, y + 18, value, font="code", anchor="middle", ink="quiet")
    drawing.add("</g>")
    return drawing
