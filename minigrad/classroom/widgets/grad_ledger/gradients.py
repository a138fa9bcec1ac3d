"""The gradients of several leaves in one small cell of the ledger."""

import numpy as np

from ...show.drawing import palette
from ...show.drawing.svg import LETTER
from ...show.formatting import fitting, number
from ...show.html import joined, tag
from ..shared.parts import chip, classes, code, span
from .drawing import range_of
from .model import written

_ROOM = 144  # pixels for one cell
_LETTERS = {1: 12, 2: 7, 3: 4}  # of small numbers, by how many stand side by side
_NONE = span("mg-quiet mg-code", "None")


def gradients_html(grads, changed=()):
    """{leaf: numbers or None} as one cell of two lines at most; what has no room is folded."""
    if all(grad is None for grad in grads.values()):
        return _NONE
    title = "; ".join(f"{name}: {written(grad)}" for name, grad in grads.items())
    (name, grad), *others = grads.items()
    body = _several(grads, changed) if others else _one(name, grad, changed)
    return tag("div", body, title=title)


def _one(name, grad, changed):
    """A leaf's numbers in their shape: in one line, or smaller in two."""
    values = np.array(grad, dtype=float)
    columns, small = (values.shape or (1,))[-1], values.ndim > 1
    if not small:
        wide = sum(max(40, LETTER * 16 * len(number(v, signed=True)) + 10) + 2 for v in values.flat)
        small = wide + 8 > _ROOM
        columns = -(-columns // 2) if small and columns > 3 else columns
    if columns > 3 or values.size > 2 * columns:
        return _folded(name, grad)
    chips = _chips(name, values, changed, _LETTERS[columns] if small else 12)
    look = classes("mg-vector", small=small, flat=not values.ndim)
    style = f"display: inline-grid; grid-template-columns: repeat({columns}, auto)"
    return span(look, chips, style=style)


def _several(grads, changed):
    """The numbers of several leaves, each behind its name; of many the first leaf alone."""
    count = sum(map(np.size, grads.values()))
    room = _LETTERS[min(count, 3)]
    every = [value for grad in grads.values() if grad is not None for value in np.ravel(grad)]
    if count > 4 or any(len(fitting(value, room)) > room for value in every):
        (name, grad), *others = grads.items()
        return joined(_folded(name, grad), " ", span("mg-quiet", f"and {len(others)} more"))
    leaves = [
        tag("span", code(name), " ", _chips_or_none(name, grad, changed, room))
        for name, grad in grads.items()
    ]
    return span("mg-vector mg-flat mg-small", leaves)


def _chips_or_none(name, grad, changed, room):
    return _NONE if grad is None else _chips(name, np.array(grad), changed, room)


def _chips(name, values, changed, room):
    largest = palette.largest_of(values)
    return [
        chip(value, largest, fitting(value, room), classes(changed=(name, index) in changed))
        for index, value in np.ndenumerate(values)
    ]


def _folded(name, grad):
    text = "None" if grad is None else range_of(grad)
    return span("mg-quiet mg-code", f"{name} {text}")
