"""Picking elements: `x[...]` in all its forms.

What integers, slices and None pick is a view; what tensors and masks pick is a copy.
"""

import numpy as np

from ..errors import type_name
from ..operation import Operation
from ..tensor import make
from .registry import method
from .shape import Reshape, Select, Slice

NO_DIMENSION = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
    "to convert a 0-dim tensor to a number"
)


class Index(Operation):
    """What tensors of places, or masks, pick; None in their tuple means a whole dimension."""

    tensors, called = ("index",), {"index": "indices"}

    def forward(x, index):
        return np.asarray(x[arrays(index)], order="C")

    def grad_x(g, x_shape, index):
        return ScatterAdd.apply(g, x_shape, index)


class ScatterAdd(Operation):
    """Zeros with `x` added where it was picked: what was picked twice gets both gradients."""

    tensors = ("index",)

    def forward(x, shape, index):
        whole = np.zeros(shape, x.dtype)
        np.add.at(whole, arrays(index), x)
        return whole

    def grad_x(g, _x, _shape, index):
        return Index.apply(g, index)


class Alias(Reshape, name="AliasBackward0"):
    """All of it: `x[...]`."""


def arrays(index):
    """The index of an operation as NumPy takes it; NumPy is faster with an array than a tuple."""
    found = [slice(None) if part is None else part._array for part in index]
    return found[0] if len(found) == 1 else tuple(found)


def picked(operation, x, index):
    """Apply an operation to an index of tensors. Raises IndexError if a place is out of range."""
    try:
        return operation.apply(x, index)
    except IndexError as error:
        raise IndexError(str(error).replace("axis", "dimension")) from None


@method
def __getitem__(self, index):
    """`x[index]`: a view for integers, slices and None; a copy for tensors, lists and masks."""
    view, index = basic(self, index, alone=isinstance(index, slice))
    if index:
        return picked(Index, view, index)
    return view if view is not self else Alias.apply(self, self._array.shape)


def basic(x, index, alone=False):
    """What an index does by views, one after the other; and the tensors that are left, or ().

    A slice from end to end does nothing unless it is `alone`.
    """
    parts = [_part(part) for part in (index if isinstance(index, tuple) else (index,))]
    rest = x.ndim - sum([_width(part) for part in parts])  # dimensions that `...` stands for
    if rest < 0:
        raise IndexError(
            NO_DIMENSION
            if x.ndim == 0 and type(parts[0]) is int
            else f"too many indices for tensor of dimension {x.ndim}"
        )
    view, dim, left = x, 0, []  # `left` has a part for each dimension that has been passed
    for part in parts:
        if part is Ellipsis:
            left += [None] * rest
            dim += rest
        elif isinstance(part, int):
            n, at = view._array.shape[dim], dim + x.ndim - view.ndim
            if not -n <= part < n:
                raise IndexError(f"index {part} is out of bounds for dimension {at} with size {n}")
            view = Select.apply(view, dim, part % n)
        elif isinstance(part, np.ndarray):
            left.append(make(part))
            dim += _width(part)
        else:
            view = view.unsqueeze(dim) if part is None else _slice(view, dim, part, alone)
            left.append(None)
            dim += 1
    return view, tuple(left) if any(part is not None for part in left) else ()


def _slice(x, dim, part, alone):
    n = x._array.shape[dim]
    start, stop, step = part.indices(n)
    if step < 0:
        raise ValueError("step must be greater than zero")
    whole = not part.start and (part.stop is None or part.stop >= n) and step == 1
    if whole and not alone:
        return x
    return Slice.apply(x, dim, start, max(start, stop), step)


def _part(part):
    """One part of an index as int, slice, None, Ellipsis or array; True and False are masks."""
    if part is None or part is Ellipsis or type(part) in (int, slice):
        return part
    array = np.array(getattr(part, "_array", part))  # as it is now, for the backward pass
    if type(part) is list and not part:
        array = array.astype(np.int64)
    if array.dtype.kind not in "ib":
        raise IndexError(
            "an index is made of integers, slices, None, ..., and tensors or lists of "
            f"integers or bools, not {type_name(part)}"
        )
    return array if array.ndim or array.dtype == bool else int(array)


def _width(part):
    """How many dimensions a part of an index is about."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1


def along(x, dim, index):
    """Places `index` along a dimension, which may be left out there, as an index for `Index`."""
    places = [*np.indices(index.shape, sparse=True)]  # the same in the other dimensions
    if x.ndim:
        places[dim : dim + 1 + index.ndim - x.ndim] = [index.copy()]
    return tuple([make(place) for place in places])
