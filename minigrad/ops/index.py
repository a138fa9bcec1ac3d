"""Picking elements, `x[...]` in all its forms, and writing into them, `x[...] = value`.

What integers, slices and None pick is a view; what tensors and masks pick is a copy.
"""

import numpy as np

from ..errors import type_name
from ..inplace import Index, IndexPut, ScatterAdd, in_place
from ..tensor import Tensor, make, wrap_dim
from .registry import both, method
from .shape import Reshape, Select, Slice, renamed

NO_DIMENSION = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
    "to convert a 0-dim tensor to a number"
)


Alias = renamed(Reshape, "AliasBackward0")  # x[...]


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


class Gather(Index, name="GatherBackward0"):
    """The same, saving all of `x` where its shape would do: a change in place then matters."""

    torch_names = {}

    def grad_x(g, x, index):
        return ScatterAdd.apply(g, x.shape, index)


@both
def gather(input, dim, index):
    """Along `dim` the elements at the places in `index`, which has the shape of the result.

    Raises RuntimeError for an index with more or fewer dimensions.
    """
    if index.numel() and max(index.ndim, 1) != max(input.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    return picked(Gather, input, along(input._array, wrap_dim(dim, input.ndim), index._array))


# --- writing --------------------------------------------------------------------------------------


@method
def __setitem__(self, index, value):
    """`x[index] = value`, in place: a number, or a tensor that expands to what is picked."""
    if not isinstance(value, (Tensor, int, float)):
        kind = self.dtype.tensor_name
        raise TypeError(f"can't assign a {type_name(value)} to a torch.{kind}Tensor")
    view, index = basic(self, index)
    if index:
        place = picked(Index, view.detach(), index)
        if isinstance(value, Tensor):
            if value.dtype is not self.dtype and value.ndim:
                raise RuntimeError(f"numbers of {value.dtype} for a tensor of {self.dtype}")
            value = _expanded(value, place.shape)
        in_place(IndexPut, view, value, index)
    elif isinstance(value, Tensor) and value.ndim:
        view.copy_(_expanded(value, view.shape))
    else:
        view.fill_(value if isinstance(value, Tensor) else make(np.array(value)))


def _expanded(value, shape):
    """A tensor in the shape of its place; it may have more dimensions of length 1."""
    if value.shape == shape:
        return value
    while value.ndim and value.shape[0] == 1:
        value = value.squeeze(0)
    return value.expand(shape)
