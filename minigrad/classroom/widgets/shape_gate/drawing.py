"""All pairs of the shape gate as a grid: a row for each gradient, a column for each output."""

from ...show.drawing.palette import colour
from ...show.drawing.svg import Drawing
from ...show.formatting import shape
from .model import GRADIENTS, NO_ARGUMENT, SHAPES, short_name

YES, NO = "\u2713", "\u2715"
_LOOKS = {  # whether it is accepted, None while covered: its mark, fill, edge and ink
    None: ("?", "bench", "bench", "quiet"),
    True: (YES, "ink", "ink", "paper"),
    False: (NO, "paper", "line", "ink"),
}
WIDTH, PITCH, ROW = 464, 32, 26
_LEFT, _TOP = 112, 66  # room for the names of rows and columns, in bold too
_APART = 6  # between the last gradient and no argument
HEIGHT = _TOP + ROW * len(GRADIENTS) + _APART


def draw_grid(model, changed=()):
    """The grid as a `Drawing`. changed: pairs to mark."""
    table = model.table()
    drawing = Drawing(WIDTH, HEIGHT, _label(table))
    drawing.text(0, _TOP - 8, "gradient \u2193", 14, ink="quiet")
    drawing.text(12, 16, "output \u2192", 14, ink="quiet")
    for k, output in enumerate(SHAPES):
        x, here = _LEFT + PITCH * k, output == model.output
        drawing.add(f'<g transform="translate({x + 20:g} {_TOP - 8:g}) rotate(-90)">')
        drawing.text(0, 0, short_name(output), 14, "code", bold=here)
        drawing.add("</g>")
    places = {}
    for r, gradient in enumerate(GRADIENTS):
        bare = gradient == NO_ARGUMENT
        y, here = _TOP + ROW * r + _APART * bare, gradient == model.gradient
        name, font = short_name(gradient), "text" if bare else "code"
        drawing.text(_LEFT - 8, y + 17, name, 14, font, bold=here, anchor="end")
        places |= {(output, gradient): (_LEFT + PITCH * k, y) for k, output in enumerate(SHAPES)}
    for accepted, look in _LOOKS.items():
        _draw_cells(drawing, [places[pair] for pair in table if table[pair] is accepted], *look)
    for pair, (x, y) in places.items():
        if model.was_right(pair) is False:
            drawing.box(x + 3, y + 2, PITCH - 6, ROW - 6, "none", "minus", 2, 3)
        if pair == model.pair:
            drawing.box(x + 1, y, PITCH - 2, ROW - 2, "none", "hand", 2.5, 4)
        if pair in changed:
            drawing.changed(x - 2, y - 3, PITCH + 4, ROW + 4, 5)
    return drawing


def _draw_cells(drawing, places, mark, fill, edge, ink):
    """All cells of one look: one path and one text, as 132 of each would be long to send."""
    if not places:
        return
    path = "".join(f"M{x + 3} {y + 2}h{PITCH - 6}v{ROW - 6}h{6 - PITCH}z" for x, y in places)
    drawing.add(
        f'<path d="{path}" stroke-linejoin="round" stroke-width="1.5" '
        f'fill="{colour(fill)}" stroke="{colour(edge)}"/>'
    )
    across = " ".join(str(x + PITCH // 2) for x, _ in places)
    down = " ".join(str(y + 17) for _, y in places)
    drawing.add(
        f'<text x="{across}" y="{down}" text-anchor="middle" font-family="sans-serif" '
        f'fill="{colour(ink)}">{mark * len(places)}</text>'
    )


def _label(table):
    opened = [accepted for accepted in table.values() if accepted is not None]
    pairs = (pair for pair, yes in table.items() if yes)
    accepted = ", ".join(f"output {shape(y)} with {short_name(v)}" for y, v in pairs)
    sentence = f" Accepted: {accepted}." if accepted else ""
    return f"All pairs: {len(opened)} of {len(table)} are open.{sentence}"
