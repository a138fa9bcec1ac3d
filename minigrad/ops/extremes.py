"""The larger of two, the largest of many, and where it is: `maximum`, `clamp`, `max`, `median`.

The gradient goes to what was chosen; equal ones share it, but in `x.max(0)` the first takes all.
"""

from collections import namedtuple

import numpy as np

from .. import dtypes
from ..inplace import in_place
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .compare import Where
from .convert import cast
from .elements import elements
from .index import Index, along
from .reduce import ExpandTo, dims_of, question, reduction, shared
from .registry import FUNCTIONS, both, method, named
from .shape import renamed


def _to_larger(g, x, y):
    """The gradient for `x` if the larger of two was chosen; half of it at a tie."""
    return Where.apply(x == y, g / 2, Where.apply(x < y, 0, g))


@elements(np.maximum, _to_larger, lambda g, x, y: _to_larger(g, y, x), in_place_too=False)
def maximum(input, other):
    """The larger of two; at a tie each gets half of the gradient."""


def _to_smaller(g, x, y):
    return _to_larger(g, -x, -y)


@elements(np.minimum, _to_smaller, lambda g, x, y: _to_smaller(g, y, x), in_place_too=False)
def minimum(input, other):
    """The smaller of two; at a tie each gets half of the gradient."""


class Clamp(Operation, name="ClampBackward1"):
    """Every element between two bounds; on a bound the gradient still passes."""

    def forward(x, min, max):
        return np.clip(x, min, max)

    def grad_x(g, x, min, max):
        low, high = -np.inf if min is None else min, np.inf if max is None else max
        return Where.apply((x >= low) & (x <= high), g, 0)


class ClampTensor(Operation, name="ClampBackward0"):
    """Every element between bounds that are tensors, which get the gradient of what they cut."""

    def forward(x, min, max):
        x = x if min is None else np.maximum(x, min)
        return x if max is None else np.minimum(x, max)

    def grad_x(g, x, min, max):
        return Clamp.grad_x(g, x, min, max)

    def grad_min(g, x, min, max):
        return Where.apply((x < min) if max is None else (x < min) & (min < max), g, 0)

    def grad_max(g, x, min, max):
        return Where.apply((x > max) if min is None else (x > max) | (min > max), g, 0)


def _bounded(min, max):
    """The operation for two bounds, and both of them; TypeError for what is no bound."""
    bounds = [bound.item() if isinstance(bound, np.generic) else bound for bound in (min, max)]
    there = [bound for bound in bounds if bound is not None]
    if there and all([isinstance(bound, Tensor) for bound in there]):
        return ClampTensor, bounds
    if not there or not all([isinstance(bound, (int, float)) for bound in there]):
        raise TypeError("clamp() needs `min` or `max` or both: Python numbers, or tensors")
    return Clamp, bounds


@both
def clamp(input, min=None, max=None):
    """Every element, but at least `min` and at most `max`: numbers, tensors, or None.

    The gradient passes where nothing was cut, and on both edges. TypeError without any bound.
    """
    operation, bounds = _bounded(min, max)
    arrays = [getattr(bound, "_array", bound) for bound in bounds if bound is not None]
    dtype = dtypes.result_type(input._array, *arrays)
    bounds = [cast(bound, dtype) if isinstance(bound, Tensor) else bound for bound in bounds]
    return operation.apply(cast(input, dtype), *bounds)


@method
def clamp_(self, min=None, max=None):
    """`clamp`, stored in the tensor itself, which is returned."""
    operation, bounds = _bounded(min, max)
    return in_place(operation, self, *bounds)


FUNCTIONS["clip"], Tensor.clip = FUNCTIONS["clamp"], clamp


class Amax(Operation):
    """The largest over some dimensions; ties share the gradient equally."""

    def forward(x, dims, keepdim):
        return np.maximum.reduce(x, axis=dims, keepdims=keepdim)

    def grad_x(g, x, dims, _keepdim, out):
        g, out = ExpandTo.apply(g, x.shape, dims), ExpandTo.apply(out, x.shape, dims)
        return shared(g, x == out, dims)


class Amin(Amax):
    """The smallest over some dimensions; ties share the gradient equally."""

    def forward(x, dims, keepdim):
        return np.minimum.reduce(x, axis=dims, keepdims=keepdim)


class MaxAll(Amax, name="MaxBackward1"):
    """The largest of all; the others' gradient is 0, even where that of the result is inf."""

    def grad_x(g, x, dims, _keepdim, out):
        chosen = (x == out) | (x != x) & (out != out)  # nan is not equal to nan
        return Where.apply(chosen, shared(g, chosen, dims), 0)


class MinAll(MaxAll, name="MinBackward1"):
    """The smallest of all."""

    def forward(x, dims, keepdim):
        return np.minimum.reduce(x, axis=dims, keepdims=keepdim)


class MedianAll(MaxAll, name="MedianBackward0"):
    """The middle of all."""

    def forward(x, dims, keepdim):
        x = x.reshape(-1)
        return x[_middle(x, 0)] if x.size else x.dtype.type(np.nan)


def _middle(x, axis, keepdims=False):
    """Where in each line its middle element is, the lower of two; where the first nan is."""
    order = np.argsort(x, axis=axis, kind="stable")
    numbers = np.add.reduce(x == x, axis=axis, keepdims=True)
    place = np.where(numbers < x.shape[axis], numbers, (numbers - 1) // 2)
    found = np.take_along_axis(order, place, axis)
    return found if keepdims else found.squeeze(axis)


MaxDim, MinDim = renamed(Index, "MaxBackward0"), renamed(Index, "MinBackward0")
MedianDim = renamed(Index, "MedianBackward1")


def returned(name, *names):
    """The class of a pair of results, which have names and print as PyTorch's do."""

    def text(self):
        parts = [f"{part}={value!r}" for part, value in zip(names, self)]
        return f"torch.return_types.{name}(\n" + ",\n".join(parts) + ")"

    body = {"_place": "torch.return_types.", "__repr__": text, "__slots__": ()}
    return dtypes.Named(name, (namedtuple(name, names),), body)


def _extreme(name, whole, lines, find, says, of_two=None):
    """Publish `max` and its like."""
    pair = returned(name, "values", "indices")

    def call(input, dim=None, keepdim=False):
        if of_two and isinstance(dim, Tensor):
            return of_two(input, dim)
        if dim is None:
            return whole.apply(input, dims_of(None, input.ndim), False)
        dim, array = wrap_dim(dim, input.ndim), input._array
        index = np.asarray(find(array, axis=dim, keepdims=keepdim) if array.ndim else 0)
        return pair(lines.apply(input, along(array, dim, index)), make(index))

    both(named(call, name, f"The {says} of all elements (0-d), or `values`, `indices` by `dim`."))


_extreme("max", MaxAll, MaxDim, np.argmax, "largest, of two tensors (see `maximum`) or", maximum)
_extreme("min", MinAll, MinDim, np.argmin, "smallest, of two tensors (see `minimum`) or", minimum)
_extreme("median", MedianAll, MedianDim, _middle, "middle one (the lower of two)")


for _name, _operation, _says in (("amax", Amax, "largest"), ("amin", Amin, "smallest")):
    reduction(
        _name,
        _operation,
        _operation,
        lambda input, dtype: input,
        f"The {_says} of all elements (0-d), or over `dim`; ties share the gradient.",
    )
question("argmax", np.argmax, "Where the (first) largest is, of all row by row, or along `dim`.")
question("argmin", np.argmin, "Where the (first) smallest is, of all row by row, or along `dim`.")
