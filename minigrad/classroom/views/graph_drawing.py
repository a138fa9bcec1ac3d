"""The drawing of a graph that both the stepper and the ledger use: arrows, and boxes of text.

Forward arrows are solid. What came back is dashed beside them, thick where it came just now. What
stands in a node is drawn by `step_graph.py` and `life_graph.py`, around the node's centre.
"""

from dataclasses import dataclass

from .drawing import INK, PAPER, QUIET
from .theme import escape

LETTER = 8.6  # width of a letter of 14 px monospace
_STATES = ("", "done", "now")


@dataclass(frozen=True)
class Arrow:
    """How an edge is drawn. backward: "" if nothing came back on it, "done", or "now"."""

    backward: str = ""
    label: str = ""  # on the way back


@dataclass(frozen=True)
class Colours:
    """The colours of a drawing: a theme's variables on a page, fixed ones in a stored picture."""

    ink: str = "var(--mg-ink)"
    quiet: str = "var(--mg-quiet)"
    paper: str = "var(--mg-paper)"
    font: str = "var(--jp-code-font-family, monospace)"


PAGE, STORED = Colours(), Colours(INK, QUIET, PAPER, "monospace")


def draw(placed, boxes, arrows, label, colours=PAGE, beside="", room=0):
    """The graph as one SVG string. boxes: for each node what is drawn around its centre.

    label: what the picture is called aloud; beside: what else is drawn, and how far it reaches to
    the right.
    """
    parts = [_lines(placed.routes, arrows, colours)]
    for (x, y), box in zip(placed.centres, boxes):
        parts.append(f'<g transform="translate({x:g} {y:g})">{box}</g>')
    parts.append(beside)
    for route, arrow in zip(placed.routes, arrows):  # labels last, above all lines
        if arrow.label:
            parts.append(_label(route[0][0], arrow.label, colours))
    points = [point for route in placed.routes for curve in route for point in curve]
    left = min([0, *(x for x, _ in points)])  # room for edges that go on to the next row
    right = max([placed.width, room, *(x for x, _ in points)])
    width, height = round(right - left + 8), round(placed.height + 26)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
        f'width="{width}" height="{height}" viewBox="{left - 4:g} -18 {width} {height}" '
        f'style="max-width: 100%; height: auto">{"".join(parts)}</svg>'
    )


def text(x, y, content, colours, anchor="middle", bold=False, size=14, colour=None):
    """A line of text with its baseline at y."""
    weight = "; font-weight: 600" if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" xml:space="preserve" style="fill: '
        f'{colour or colours.ink}; font-family: {colours.font}; font-size: {size}px{weight}">'
        f"{escape(content)}</text>"
    )


def cut(content, letters):
    """A line that has no more than so many letters."""
    return content if len(content) <= letters else content[: letters - 1] + "\u2026"


def dashed_arrow(start, end, colours):
    """A straight arrow on the way back, from right to left."""
    return _path(_data([(end, end, start, start)], 0), colours.ink, 1.8, True) + _heads(
        [end], 1, colours.ink
    )


def _lines(routes, arrows, colours):
    """All arrows. Edges that share a part of their way are one line there."""
    curves, backward = {}, {}  # {curve: its state}, {where an edge begins: its state}
    for route, arrow in zip(routes, arrows):
        for curve in route:
            curves[curve] = _later(curves.get(curve, ""), arrow.backward)
        backward[route[0][0]] = _later(backward.get(route[0][0], ""), arrow.backward)
    ends = dict.fromkeys((x, y - 4) for x, y in (route[-1][3] for route in routes))
    parts = [_path(_data(curves, -4), colours.quiet, 1.2), _heads(ends, -1, colours.quiet)]
    for state, width in (("done", 1.8), ("now", 3)):
        back = [tuple(reversed(curve)) for curve, its in curves.items() if its == state]
        starts = [(x, y + 5) for (x, y), its in backward.items() if its == state]
        if back:
            parts += [_path(_data(back, 5), colours.ink, width, True)]
            parts += [_heads(starts, 1, colours.ink)]
    return "".join(parts)


def _later(one, other):
    return max(one, other, key=_STATES.index)


def _data(curves, shift):
    """Curves as the data of one path, moved down by `shift`."""
    parts = []
    for curve in curves:
        (x, y), *rest = ((f"{px:g}", f"{py + shift:g}") for px, py in curve)
        parts.append(f"M{x} {y}C" + " ".join(f"{px} {py}" for px, py in rest))
    return "".join(parts)


def _path(data, colour, width, dashed=False):
    dash = ' stroke-dasharray="6 4"' if dashed else ""
    return f'<path d="{data}" style="fill: none; stroke: {colour}; stroke-width: {width}"{dash}/>'


def _heads(tips, direction, colour):
    """The heads of arrows. direction: -1 to the right, 1 to the left."""
    data = "".join(f"M{x:g} {y:g}l{9 * direction} -4.5v9z" for x, y in tips)
    return f'<path d="{data}" style="fill: {colour}"/>'


def _label(start, content, colours):
    """A number on the way back, near the operand it goes to, on paper so that it can be read."""
    x, y = start
    width = 8.2 * len(content) + 6
    paper = (
        f'<rect x="{x + 10:g}" y="{y + 9:g}" width="{width:g}" height="16" rx="3" '
        f'style="fill: {colours.paper}"/>'
    )
    return paper + text(x + 13, y + 22, content, colours, "start", True, 13)
