"""Picking elements out: indexing, slices, masks, `where`; and assignment to what was picked."""

import math

import numpy as np

from .. import dtypes
from ..inplace import ViewOperation
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .arguments import BITS, fitting, masked, warn_once
from .convert import cast, constant, row_by_row
from .registry import both, function, method, type_name, wrong_type
from .shape import Alias, Unsqueeze

# -- views: parts that share memory ---------------------------------------------------------------


class Select(ViewOperation):
    """One position of a dimension, which disappears: `x[i]`."""

    def forward(x, dim, index):
        return x[(slice(None),) * dim + (index, ...)]

    def grad_x(g, x_shape, dim, index):
        return Place(g, x_shape, (slice(None),) * dim + (index, ...))


class Slice(ViewOperation):
    """A range of a dimension: `x[start:stop:step]`."""

    called = {"stop": "end"}

    def forward(x, dim, start, stop, step):
        return x[(slice(None),) * dim + (slice(start, stop, step),)]

    def grad_x(g, x_shape, dim, start, stop, step):
        return Place(g, x_shape, (slice(None),) * dim + (slice(start, stop, step),))


class Place(Operation):
    """Zeros with `x` put at an index: the way back from a view."""

    def forward(x, shape, index):
        whole = np.zeros(shape, x.dtype)
        whole[index] = x
        return whole

    def grad_x(g, index):
        return g[index]


# -- copies ---------------------------------------------------------------------------------------


class Index(Operation):
    """Elements picked by integer arrays or a mask; what is picked twice gets both gradients."""

    called = {"index": "indices"}
    tensor_params = ("index",)

    def forward(x, index):
        found = x[index]  # NumPy puts first in memory what the arrays pick
        return found if found.strides[:1] == (max(found.strides, default=None),) else row_by_row(found)

    def grad_x(g, x_shape, index):
        return PlaceAdd(g, x_shape, index)


class PlaceAdd(Operation):
    """Zeros with `x` added at an index, also where positions repeat."""

    def forward(x, shape, index):
        whole = np.zeros(shape, x.dtype)
        np.add.at(whole, index, x)
        return whole

    def grad_x(g, index):
        return Index(g, index)


def _is_zero(x):
    return type(x) in (int, float) and x == 0


def _is_float(x):
    return isinstance(x, np.ndarray) and x.dtype in BITS


class Where(Operation):
    """`x` where a condition holds, `y` elsewhere."""

    broadcasts = True
    tensor_params = ("condition",)

    def forward(condition, x, y):
        if isinstance(condition, np.ndarray):
            if _is_zero(y) and _is_float(x):
                return masked(x, condition)
            if _is_zero(x) and _is_float(y):
                return masked(y, ~condition)
        return np.where(condition, x, y)

    def grad_x(g, condition):
        return Where(condition, g, 0)

    def grad_y(g, condition):
        return Where(condition, 0, g)


# -- public names ---------------------------------------------------------------------------------


@function
def where(condition, input=None, other=None):
    """`input` where `condition` holds, else `other`; alone, the positions where it holds.

    The three broadcast; two may be numbers. Where one is not taken its gradient is 0. RuntimeError for
    a condition that is not bool, or shapes that do not broadcast.
    """
    if not isinstance(condition, Tensor):
        raise wrong_type("where", "condition", 1, condition)
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if condition._array.dtype == np.uint8:
        condition = condition.bool()
    if condition._array.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.tensor_name}"
        )
    x, y = _alike(input, other)
    return fitting(lambda: Where(condition, x, y), condition, x, y)


def _alike(x, y):
    """Two tensors or numbers as tensors of one dtype; two numbers have that of `tensor(number)`."""
    x, y = [value.item() if isinstance(value, np.generic) else value for value in (x, y)]
    arrays = [t._array if isinstance(t, Tensor) else t for t in (x, y)]
    for position, value in enumerate((x, y), 2):
        if not isinstance(value, (Tensor, int, float)):
            raise wrong_type("where", "input" if position == 2 else "other", position, value)
    for tensor, number in ((x, y), (y, x)):
        if isinstance(tensor, Tensor) and tensor.is_floating_point():
            if not isinstance(number, Tensor):
                number = constant(number, tensor)
                return (tensor, number) if tensor is x else (number, tensor)
    dtype = dtypes.result_numpy(*arrays)
    return [cast(t if isinstance(t, Tensor) else make(np.array(t)), dtype) for t in (x, y)]


@method(name="where")
def _where(self, condition, other):
    """The tensor itself where `condition` holds, else `other`."""
    return where(condition, self, other)


@both
def select(input, dim, index):
    """The slice at position `index` of `dim`, which disappears; a view.

    IndexError for a position that is not there, and for a 0-d tensor.
    """
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    length = input._array.shape[dim]
    index = int(index)
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size "
            f"{list(input._array.shape)} at dimension {dim}"
        )
    return Select(input, dim, index % length)


@both
def narrow(input, dim, start, length):
    """`length` positions of `dim` from `start` on; a view.

    The shape of `input` with that length. RuntimeError if it reaches beyond the end, IndexError for a
    `start` outside.
    """
    if isinstance(start, Tensor) and (start.ndim or start._array.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap_dim(dim, input.ndim)
    whole, start = input._array.shape[dim], int(start)
    if not -whole <= start <= whole:
        raise IndexError(
            f"start out of range (expected to be in range of [{-whole}, {whole}], but got {start})"
        )
    start = start + whole if start < 0 else start
    if start + length > whole:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({whole}).")
    return Slice(input, dim, start, start + length, 1)


# -- x[...] ---------------------------------------------------------------------------------------


def basic(x, index):
    """What an index does by views, and the rest: a NumPy index of arrays and masks, or None.

    Integers, slices, None and Ellipsis make views, one dimension after the other; arrays are then
    applied to the resulting view.
    """
    parts, places = _split(x, index)
    found, dim, old, arrays = x, 0, 0, []
    shape = x._array.shape
    for part, place in zip(parts, places):
        if part is None or isinstance(part, bool):
            found = Unsqueeze(found, dim)
            arrays.append(slice(None) if part is None else np.array([0] * part, dtype=np.int64))
            dim += 1
        elif isinstance(part, int):
            length = shape[old]
            if not -length <= part < length:
                raise IndexError(
                    f"index {part} is out of bounds for dimension {place} with size {length}"
                )
            found = Select(found, dim, part % length)
            old += 1
        elif isinstance(part, slice):
            start, stop, step = part.indices(shape[old])
            whole = not part.start and step == 1 and (part.stop is None or part.stop >= shape[old])
            if not whole or parts == [index]:  # `x[:]` alone is a slice all the same
                found = Slice(found, dim, start, max(start, stop), step)
            arrays.append(slice(None))
            dim, old = dim + 1, old + 1
        else:
            width = part.ndim if part.dtype == bool else 1
            if part.dtype == bool and shape[old : old + width] != part.shape:
                bad = next(d for d in range(width) if shape[old + d] != part.shape[d])
                raise IndexError(
                    f"The shape of the mask {list(part.shape)} at index {bad} does not match the "
                    f"shape of the indexed tensor {list(shape)} at index {old + bad}"
                )
            arrays.append(part)
            dim, old = dim + width, old + width
    if not any(isinstance(part, np.ndarray) for part in arrays):
        return found, None
    return found, tuple(arrays)


def _split(x, index):
    """An index as a list of parts in which the ellipsis is written out, and their places in it."""
    if isinstance(index, list) and any(
        part is None or isinstance(part, (slice, list, tuple, Tensor)) for part in index
    ):
        index = tuple(index)  # the old form: a list that holds more than numbers
    parts = [_normal(part) for part in (index if isinstance(index, tuple) else (index,))]
    used = sum(
        part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1
        for part in parts
        if part is not None and part is not Ellipsis and not isinstance(part, bool)
    )
    if used > x.ndim:
        only = parts[0] if x.ndim == 0 and len(parts) == 1 else None
        if isinstance(only, slice):
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        if isinstance(only, int):
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {x.ndim}")
    if any(isinstance(part, np.ndarray) and part.dtype.name not in _INDEX_TYPES for part in parts):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    places = list(range(len(parts)))
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    for count, at in zip([0] * (len(dots) - 1) + [x.ndim - used], dots[::-1]):  # the first counts
        parts[at : at + 1] = [slice(None)] * count
        places[at : at + 1] = [at] * count
    return parts, places


_INDEX_TYPES = ("int64", "int32", "uint8", "bool")


def _normal(part):
    """One part of an index as int, slice, None, Ellipsis, bool or NumPy array."""
    if isinstance(part, int) and not -(2**63) <= part < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if part is None or part is Ellipsis or isinstance(part, (bool, int)):
        return part
    if isinstance(part, Tensor):
        return _normal_array(part._array)
    if isinstance(part, slice):
        part = slice(
            *(None if p is None else _bound(p) for p in (part.start, part.stop, part.step))
        )
        if part.step == 0:
            raise ValueError("slice step cannot be zero")
        if part.step is not None and part.step < 0:
            raise ValueError("step must be greater than zero")
        return part
    if isinstance(part, (list, tuple, range)):
        found = np.array([p.tolist() if isinstance(p, Tensor) else p for p in part])
        return found if found.dtype == bool else found.astype(np.int64)
    if isinstance(part, np.ndarray):
        return _normal_array(part.astype(np.int64) if part.dtype.kind == "f" else part)
    if hasattr(part, "__index__") and not isinstance(part, np.bool_):
        return int(part)
    if isinstance(part, str):
        raise TypeError("new(): invalid data type 'str'")
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type_name(part)})"
    )


def _bound(p):
    """A slice's bound as an int; TypeError for what is none."""
    if not hasattr(p, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return p.__index__()


def _normal_array(array):
    if array.dtype == np.uint8 and array.ndim:
        warn_once(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
            "instead."
        )
        array = array.astype(bool)
    if array.ndim or array.dtype.kind not in "iub":
        return array
    return bool(array) if array.dtype.kind == "b" else int(array)


def index_arrays(x, indices):
    """The index tensors of `index_put` as a NumPy index, checked like those in `x[...]`."""
    found, arrays = basic(x.detach(), tuple(slice(None) if i is None else i for i in indices))
    if arrays is None or found.ndim != x.ndim:  # 0-d indices
        arrays = tuple(np.asarray(_normal(i)) for i in indices)
    return arrays


def picked_shape(shape, arrays):
    """The shape of what an index picks; IndexError if its arrays do not fit together."""
    zeros = _pointing_nowhere(arrays)
    lengths = [1 if isinstance(part, np.ndarray) else n for part, n in zip(zeros, shape)]
    pointed = [(part, n) for part, n in zip(zeros, shape) if isinstance(part, np.ndarray)]
    try:
        picked = np.broadcast_to(False, (*lengths, *shape[len(lengths) :]))[zeros].shape
    except IndexError:
        shapes = ", ".join(str(list(part.shape)) for part, _ in pointed)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    if not all(n for _, n in pointed) and all(part.size for part, _ in pointed):
        raise IndexError("index is out of bounds for dimension with size 0")
    return picked


def _pointing_nowhere(arrays):
    """The parts of an index with zeros for its arrays: for a mask, in each of its dimensions."""
    parts = []
    for part in arrays:
        if not isinstance(part, np.ndarray):
            parts.append(part)
        elif part.dtype == bool:
            parts += [np.zeros(np.count_nonzero(part), np.int64)] * part.ndim
        else:
            parts.append(np.zeros(part.shape, np.int64))
    return tuple(parts)


def within_bounds(shape, arrays, picked):
    """An index that picks elements of the shape `picked`; IndexError if it points outside.

    Where there is nothing to pick PyTorch does not look, so any index will do.
    """
    if not math.prod(picked):
        return _pointing_nowhere(arrays)
    dim = number = 0
    for part in arrays:
        if isinstance(part, np.ndarray) and part.dtype != bool:
            wrong = part[(part < -shape[dim]) | (part >= shape[dim])]
            if wrong.size:
                raise IndexError(
                    f"index {wrong.flat[0]} is out of bounds for dimension {number} with size "
                    f"{shape[dim]}"
                )
        width = part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1
        number += width if isinstance(part, np.ndarray) else 0  # PyTorch counts what has an array
        dim += width
    return arrays


@method
def __getitem__(self, index):
    """`x[index]`: views for integers, slices and None; copies for masks and integer arrays.

    Mirrors https://docs.pytorch.org/docs/2.13/tensor_view.html
    """
    if index.__class__ is int and self._array.ndim:  # the common case, in few steps
        length = self._array.shape[0]
        if -length <= index < length:
            return Select(self, 0, index % length)
    found, arrays = basic(self, index)
    if arrays is not None:
        try:
            return Index(found, arrays)
        except IndexError:
            shape = found._array.shape
            return Index(found, within_bounds(shape, arrays, picked_shape(shape, arrays)))
    return Alias(found) if found is self else found


@method
def __iter__(self):
    """The tensors along the first dimension."""
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


@method
def __reversed__(self):
    """The tensor turned around in all dimensions; a 0-d tensor as it is."""
    return self.flip(tuple(range(self.ndim))) if self.ndim else self
