"""The larger of two, the largest of many, and where it is: `maximum`, `clamp`, `max`, `argmax`.

The gradient goes to what was chosen; equal ones share it, but in `x.max(0)` the first takes all.
"""

from collections import namedtuple

import numpy as np

from .. import dtypes
from ..inplace import Index, in_place
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .compare import Where
from .convert import cast, zeros_like
from .elements import elements
from .index import along
from .registry import both, method
from .shape import renamed


def _to_larger(g, x, y):
    """The gradient for `x` if the larger of two was chosen; half of it at a tie."""
    return Where.apply(x == y, g / 2, Where.apply(x < y, 0, g))


@elements(np.maximum, _to_larger, lambda g, x, y: _to_larger(g, y, x), in_place_too=False)
def maximum(input, other):
    """The larger of two; at a tie each gets half of the gradient."""


@elements(np.minimum, lambda g, x, y: _to_larger(g, y, x), _to_larger, in_place_too=False)
def minimum(input, other):
    """The smaller of two; at a tie each gets half of the gradient."""


class Clamp(Operation, name="ClampBackward1"):
    """Every element between two bounds; on a bound the gradient still passes."""

    def forward(x, min, max):
        return np.clip(x, min, max)

    def grad_x(g, x, min, max):
        low, high = -np.inf if min is None else min, np.inf if max is None else max
        return Where.apply((x >= low) & (x <= high), g, 0)


def _bounds(*bounds):
    """Two bounds as Python numbers or None. Raises TypeError for others, and for two None."""
    bounds = [bound.item() if isinstance(bound, np.generic) else bound for bound in bounds]
    if bounds == [None, None] or not all([isinstance(b, (int, float, type(None))) for b in bounds]):
        raise TypeError("clamp() needs `min` or `max` or both, as Python numbers")
    return bounds


@both
def clamp(input, min=None, max=None):
    """Every element, but at least `min` and at most `max`: numbers, or None.

    The gradient passes where nothing was cut, and on the bounds. Raises TypeError without a bound.
    """
    bounds = _bounds(min, max)
    dtype = dtypes.result_type(input._array, *[bound for bound in bounds if bound is not None])
    return Clamp.apply(cast(input, dtype), *bounds)


@method
def clamp_(self, min=None, max=None):
    """`clamp`, stored in the tensor itself, which is returned."""
    return in_place(Clamp, self, *_bounds(min, max))


class MaxAll(Operation, name="MaxBackward1"):
    """The largest of all (with np.maximum); equal ones share the gradient, others get 0."""

    def forward(x, larger):
        if not x.size:
            raise RuntimeError("an empty tensor has no largest or smallest element; name a dim")
        return larger.reduce(x, axis=None)

    def grad_x(g, x, _larger, out):
        chosen = (x == out) | (x != x) & (out != out)  # nan is not equal to nan
        many = Where.apply(chosen, 1, zeros_like(x)).sum()
        return Where.apply(chosen, g / many, 0)


MinAll = renamed(MaxAll, "MinBackward1")
MaxDim = renamed(Index, "MaxBackward0")
MinDim = renamed(Index, "MinBackward0")


def returned(name, *names):
    """The class of a pair of results, which have names and print as PyTorch's do."""

    def text(self):
        parts = [f"{part}={value!r}" for part, value in zip(names, self)]
        return f"torch.return_types.{name}(\n" + ",\n".join(parts) + ")"

    body = {"_place": "torch.return_types.", "__repr__": text, "__slots__": ()}
    return dtypes.Named(name, (namedtuple(name, names),), body)


Max, Min = returned("max", "values", "indices"), returned("min", "values", "indices")


def _places(find, input, dim, keepdim):
    """Where `find` finds something, as an array. Raises IndexError where there is nothing."""
    shape = input._array.shape
    dim = None if dim is None else wrap_dim(dim, len(shape))
    if not input._array.size and (dim is None or not shape[dim]):
        raise IndexError(f"there is nothing to choose from in a tensor of shape {list(shape)}")
    return np.asarray(find(input._array, axis=dim if shape else None, keepdims=keepdim))


def _along(find, operation, pair, input, dim, keepdim):
    """What `find` finds along a dimension, and where."""
    places = _places(find, input, dim, keepdim)
    index = along(input._array, wrap_dim(dim, input.ndim), places)
    return pair(operation.apply(input, index), make(places))


@both
def max(input, dim=None, keepdim=False):
    """The largest of all elements (0-d), or of two tensors; or `values`, `indices` along `dim`."""
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if dim is None:
        return MaxAll.apply(input, np.maximum)
    return _along(np.argmax, MaxDim, Max, input, dim, keepdim)


@both
def min(input, dim=None, keepdim=False):
    """The smallest of all elements (0-d), or of two tensors; or `values`, `indices` along `dim`."""
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if dim is None:
        return MinAll.apply(input, np.minimum)
    return _along(np.argmin, MinDim, Min, input, dim, keepdim)


@both
def argmax(input, dim=None, keepdim=False):
    """The place of the (first) largest, counted row by row, or along `dim`; without a gradient."""
    return make(_places(np.argmax, input, dim, keepdim))


@both
def argmin(input, dim=None, keepdim=False):
    """The place of the (first) smallest, counted row by row, or along `dim`; without a gradient."""
    return make(_places(np.argmin, input, dim, keepdim))


Histogram = returned("histogram", "hist", "bin_edges")


@both
def histogram(input, bins=100, *, density=False):
    """How many elements lie in each of `bins` equal parts of their range: `hist`, `bin_edges`.

    With `density` they are scaled so that the area under them is 1. There is no gradient.
    """
    arrays = np.histogram(input._array, bins, density=density)
    return Histogram(*[make(array.astype(input._array.dtype)) for array in arrays])
