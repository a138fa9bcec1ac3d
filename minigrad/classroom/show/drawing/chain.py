"""Functions one after the other, as boxes with their slopes on the arrows between them."""

from ..formatting import number
from .svg import Drawing, letters

_GAP, _ROW, _HIGH = 72, 34, 60  # between boxes; of a row of numbers; of a box


def draw_chain(boxes, slopes, forward, backward, alt):
    """boxes: {formula: value}; forward, backward: {name: a number for each box}."""
    texts = {label: number(value, minus=True) for label, value in boxes.items()}
    right = max([8 * len(name) + 16 for name in (*forward, *backward)], default=0)
    top, ends, middles = _ROW * len(forward) + 4, [], []
    drawing = Drawing(0, top + _HIGH + 12 + _ROW * len(backward) + 4, alt)
    for label, value in texts.items():
        wide = max(72, letters(max(label, value, key=len)) + 20)
        drawing.box(right, top, wide, _HIGH, "paper", "ink", 2)
        middles.append(right + wide / 2)
        drawing.text(middles[-1], top + 26, label, font="code", bold=True, anchor="middle")
        drawing.text(middles[-1], top + 48, value, font="code", anchor="middle", ink="quiet")
        ends.append(right + wide)
        right += wide + _GAP
    drawing.width = ends[-1] + 2
    for slope, end in zip(slopes, ends):
        drawing.line([(end, top + 36), (end + _GAP - 2, top + 36)], "ink", 2, arrow=True)
        by = f"\u00d7 {number(slope, minus=True)}"
        drawing.text(end + _GAP / 2 - 1, top + 26, by, bold=True, anchor="middle")
    for k, (name, values) in enumerate([*forward.items(), *backward.items()]):
        back = k >= len(forward)
        y = _ROW * k + 16 + (_HIGH + 16 if back else 0)
        drawing.text(0, y + 5, name, ink="quiet")
        for x, value in zip(middles, values):
            drawing.chip(x, y, value, max(map(abs, values)))
        for x, after in zip(middles, middles[1:]):
            way = [(x + 46, y), (after - 46, y)]
            way, ink, dash = (way[::-1], "ink", "7 4") if back else (way, "hand", "")
            drawing.line(way, ink, 2, dash, arrow=True)
    return drawing
