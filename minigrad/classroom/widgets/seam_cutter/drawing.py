"""The chain, cut: values forward over solid arrows, gradients back under them, dashed.

The lines at which it can be cut stand at equal distances, as the stops of the slider above them;
nothing but the value that is cut moves with the cut.
"""

from dataclasses import dataclass

import numpy as np

from ...show.drawing.palette import largest_of
from ...show.drawing.svg import LETTER, Drawing, letters
from ...show.formatting import number

ROOM = 795  # pixels across a panel
_MARGIN = 56  # to the first line: "cut" stands left of the slider
_GAP = 20  # between the cut and what stands beside it
_ROUND = 42  # across a function
_ARROW = 14  # at least
_CELL = 54  # at least: +12.5 fits, so that few slides move anything
_PAD = 6  # of a box, left and right together
_ROW = 28  # of a cell with its distance
_TOP = 52  # of the values' boxes
_V_BOX = 48  # from the middle of the panel's boxes for v to the bottom of their slider
GIVEN = {"none": "g", "forget": "ones", "twice": "g + g"}


@dataclass(frozen=True)
class Plan:
    """Where everything stands; it changes with the example and not with the cut.

    edge: from the left to the first line; pitch: from line to line.
    """

    width: float
    edge: float
    pitch: float
    cell: float
    columns: tuple  # of each value
    rows: int

    @property
    def back(self):
        """The top of the gradients' boxes."""
        return _TOP + self.tall + 36

    @property
    def tall(self):
        """The height of a box."""
        return 10 + _ROW * self.rows

    @property
    def height(self):
        return self.back + max(self.tall + 8, self.tall / 2 + _V_BOX)

    def line(self, k):
        """Where the chain can be cut at value k, in pixels from the left."""
        return self.edge + self.pitch * k

    def half(self, k):
        """Half the width of value k's box."""
        return (self.cell * self.columns[k] + _PAD) / 2


def plan(model):
    """A `Plan`: values side by side if there is room, else in pairs, else in a column."""
    values, count = [np.array(value) for value in model.values], len(model.links)
    every = np.concatenate([*map(np.ravel, (*values, model.handed, model.input_grad))])
    longest = letters(max((number(one, signed=True) for one in every), key=len)) + 5
    cell = _CELL + 20 * max(0, -(-(longest - _CELL) // 20))  # in steps: few numbers are longer
    function = max([_ROUND, *(letters(link.name[:10]) + 16 for link in model.links)])
    for most in (4, 2, 1):
        columns = tuple(_columns(value, most) for value in values)
        widest = cell * max(columns) + _PAD
        edge = max(_MARGIN, widest / 2 + 1)
        width = max(ROOM, 2 * edge + count * (1.5 * widest + _GAP + function + 2 * _ARROW))
        if width <= ROOM:
            break
    rows = max(-(-value.size // k) for value, k in zip(values, columns))
    return Plan(width, edge, (width - 2 * edge) / count, cell, columns, rows)


def _columns(value, most):
    if value.ndim > 1:
        return min(value.shape[-1], 4)
    if most == 4:
        return min(max(value.size, 1), 4)
    return max(-(-value.size // 6), most if value.size > 3 else 1)


def draw_chain(model, spot, marks=(), with_v=False):
    """The chain as a `Drawing`, laid out as `spot`, a `Plan`.

    marks: what the last action changed, "g", "handed" and "grad". with_v: draw v too, which a
    panel has in boxes of its own.
    """
    label = f"{model.formula}, cut at {model.seam_name}; {model.right_line()}; {model.call_line()}"
    drawing = Drawing(spot.width, spot.height, label)
    cut, last, line = model.cut, len(model.links), spot.line(model.cut)
    drawing.line([(line, 0), (line, spot.height)], "hand", 3, "3 4")
    centres = [[spot.line(k)] for k in range(last + 1)]
    centres[cut] = []  # it stands on both sides of the cut, if there is something on both
    if cut:
        drawing.text(line - _GAP, 18, "left half", bold=True, anchor="end")
        centres[cut].append(line - _GAP - spot.half(cut))
    if cut < last:
        drawing.text(line + _GAP, 18, "right half", bold=True)
        centres[cut].append(line + _GAP + spot.half(cut))
    for k, (name, value) in enumerate(zip(model.names, model.values)):
        for centre in centres[k]:
            title = f"{name}, a leaf" if centre > spot.line(k) else name
            _draw_box(drawing, spot, k, centre, _TOP, title, value)
    for k, link in enumerate(model.links):
        begin, end = centres[k][-1] + spot.half(k), centres[k + 1][0] - spot.half(k + 1)
        _draw_function(drawing, spot, begin, end, link.name)
    _draw_backward(drawing, spot, model, centres, marks, with_v)
    return drawing


def _draw_box(drawing, spot, k, centre, top, title, values, signed=False, mark=""):
    """A value or gradient in its box, under its title, which does not cross the cut."""
    half, columns, values = spot.half(k), spot.columns[k], np.array(values)
    reach, anchor = letters(title) / 2, "middle"
    over = max(reach, min(centre, spot.width - reach))
    if centre != spot.line(k) and reach > half:
        anchor = "start" if centre > spot.line(k) else "end"
        over += -half if centre > spot.line(k) else half
    drawing.text(over, top - 10, title, font="code", bold=True, anchor=anchor)
    drawing.box(centre - half, top, 2 * half, spot.tall)
    largest, rows = largest_of(values), -(-values.size // columns)
    first = top + spot.tall / 2 - _ROW * (rows - 1) / 2
    for place, value in enumerate(values.ravel()):
        x = centre + spot.cell * (place % columns - (min(columns, values.size) - 1) / 2)
        y = first + _ROW * (place // columns)
        if signed:
            drawing.chip(x, y, value, largest, width=spot.cell - 4, marks=mark)
        else:
            drawing.text(x, y + 5.5, number(value, minus=True), font="code", anchor="middle")


def _draw_function(drawing, spot, left, right, name):
    middle, y = (left + right) / 2, _TOP + spot.tall / 2
    width = max(_ROUND, min(letters(name) + 16, right - left - 2 * _ARROW))
    size = 16 if letters(name) + 8 < width else 14
    drawing.line([(left, y), (middle - width / 2, y)], arrow=True)
    drawing.line([(middle + width / 2, y), (right, y)], arrow=True)
    drawing.box(middle - width / 2, y - _ROUND / 2, width, _ROUND, "paper", "ink", 1.5, _ROUND // 2)
    if letters(name, size) > width:
        name = name[: int(width / size / LETTER) - 1] + "\u2026"
    drawing.text(middle, y + 5.5, name, size, "code", bold=True, anchor="middle")


def _draw_backward(drawing, spot, model, centres, marks, with_v):
    """The gradients, from right to left: v, g, what is handed over, x.grad."""
    cut, last, given = model.cut, len(model.links), GIVEN[model.mistake]
    y, top, x_grad = spot.back + spot.tall / 2, spot.back, f"{model.names[0]}.grad"
    boxes = []  # (the call above its arrow, value, where, its title, numbers, mark)
    if cut < last:
        title, call = "g" if cut else f"g = {x_grad}", f"{model.names[-1]}.backward(v)"
        boxes.append((call, cut, centres[cut][-1], title, model.seam_gradient, "g"))
        if cut:
            boxes.append(("", cut, centres[cut][0], f"gradient={given}", model.handed, "handed"))
    if cut:
        call = f"{model.seam_name}.backward({given})"
        boxes.append((call, 0, centres[0][0], x_grad, model.input_grad, "grad"))
    start = centres[last][0] - spot.half(last)
    if np.size(model.upstream) < 3 and not with_v:
        start = min(start, spot.width - 140)  # the panel's boxes for v begin there
    for call, k, centre, title, numbers, name in boxes:
        end = centre + spot.half(k)
        if model.mistake == "forget" and name == "handed":  # g does not arrive
            where = (start + end) / 2, y + 7
            drawing.text(*where, "\u2715", 20, bold=True, anchor="middle", ink="minus")
        else:
            drawing.line([(start, y), (end + 1, y)], "ink", 2.5, "7 4", arrow=True)
        if call and letters(call, 14) < start - end - 4:
            drawing.text((start + end) / 2, y - 10, call, 14, "code", anchor="middle")
        mark = "changed" if name in marks else ""
        _draw_box(drawing, spot, k, centre, top, title, numbers, True, mark)
        start = centre - spot.half(k)
    if with_v:
        _draw_box(drawing, spot, last, centres[last][0], top, "v", model.upstream, True)
