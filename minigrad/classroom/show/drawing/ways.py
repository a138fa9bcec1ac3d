"""Numbers in columns, an arrow for each derivative between them, and gradients below."""

import numpy as np

from ..formatting import number
from .svg import Drawing, letters

_DOWN, _HALF, _GAP = 104, 20, 138  # from a number to the one below; half a box; between columns


def draw_ways(columns, tables, back, alt):
    """columns: {name: number} each; tables: the J between two of them; back: gradients, or []."""
    labels = [[f"{name} = {number(n, minus=True)}" for name, n in one.items()] for one in columns]
    box = max(90, *(letters(label) + 24 for one in labels for label in one))
    across, tall = box + _GAP, max(map(len, columns))
    high = _DOWN * (tall - 1) + 2 * _HALF + bool(back) * 42
    drawing = Drawing(across * (len(columns) - 1) + box, high, alt)

    def at(column, k):
        return across * column + box / 2, _HALF + _DOWN * (k + (tall - len(columns[column])) / 2)

    signs = []
    for column, table in enumerate(tables):
        for (output, source), slope in np.ndenumerate(table):
            (x0, y0), (x1, y1) = at(column, source), at(column + 1, output)
            x0, x1 = x0 + box / 2, x1 - box / 2
            if slope:
                drawing.line([(x0, y0), (x1, y1)], "ink", arrow=True)
                signs.append((x0 + 0.3 * (x1 - x0), y0 + 0.3 * (y1 - y0), slope))
    for x, y, slope in signs:  # on the arrows, each on a piece of paper
        text = number(slope, minus=True)
        drawing.box(x - letters(text) / 2 - 4, y - 13, letters(text) + 8, 26, "paper", "none", 0, 3)
        drawing.text(x, y + 5.5, text, font="code", anchor="middle")
    for column, texts in enumerate(labels):
        for k, text in enumerate(texts):
            x, y = at(column, k)
            drawing.box(x - box / 2, y - _HALF, box, 2 * _HALF, "paper", "ink", 2)
            drawing.text(x, y + 5.5, text, font="code", bold=True, anchor="middle")
    for column, gradients in enumerate(back):
        for k, gradient in enumerate(gradients):
            x, y = at(column, k)
            drawing.chip(x, y + _HALF + 18, gradient, np.abs(gradients).max())
    return drawing
