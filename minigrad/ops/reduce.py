"""Many numbers to fewer: sums, means, spreads, lengths.

The dimensions that are reduced (`dims`, from the front) disappear, or have length 1 (`keepdim`).
"""

import functools
import itertools
import math
import operator

import numpy as np

from .. import dtypes
from ..errors import warn
from ..operation import Operation, undo_broadcast
from ..tensor import make, wrap_dim
from .compare import Where
from .join import stack
from .registry import both, method
from .shape import numbers, renamed


def dims_of(dim, ndim):
    """A `dim` argument as dimensions counted from the front; None and () are all of them."""
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return tuple(range(ndim))
    dims = tuple([wrap_dim(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))])
    return dims if ndim else ()


def count_of(shape, dims):
    """How many elements are reduced to one."""
    return math.prod([shape[d] for d in dims])


def _floats(name, input):
    """The tensor itself. Raises RuntimeError for integers and bools."""
    if not input.is_floating_point():
        kind = input.dtype.tensor_name
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a "
            f"floating point or complex dtype. Got: {kind}"
        )
    return input


class Sum(Operation, name="SumBackward1"):
    """The sum over some dimensions."""

    def forward(x, dims, keepdim):
        return np.add.reduce(x, axis=dims, dtype=x.dtype, keepdims=keepdim)

    def grad_x(g, x_shape, dims, _keepdim):
        return ExpandTo.apply(g, x_shape, dims)


class ExpandTo(Operation, name="ExpandBackward0"):
    """Every element repeated over the dimensions that had been reduced to it."""

    def forward(x, shape, dims):
        x = np.asarray(x)
        if x.size == 1:  # the quick way for what is most common: any element is this one
            return np.ndarray(shape, x.dtype, x, strides=(0,) * len(shape))
        kept = [1 if d in dims else n for d, n in enumerate(shape)]
        return np.broadcast_to(x.reshape(kept), shape)

    def grad_x(g, x_shape, _shape, dims):
        return Sum.apply(g, dims, False).reshape(x_shape)


class Mean(Operation, name="MeanBackward1"):
    """The mean over some dimensions."""

    def forward(x, dims, keepdim):
        return Sum.forward(x, dims, keepdim) / x.dtype.type(count_of(x.shape, dims))

    def grad_x(g, x_shape, dims, _keepdim):
        return ExpandTo.apply(g, x_shape, dims) / float(count_of(x_shape, dims))


class Cumsum(Operation):
    """The sum of all elements up to each; or, `backwards`, from each on."""

    def forward(x, dim, backwards):
        if not x.ndim:
            return x.copy()
        x = np.flip(x, dim) if backwards else x
        sums = np.add.accumulate(x, axis=dim, dtype=x.dtype)
        return np.flip(sums, dim).copy() if backwards else sums

    def grad_x(g, _x, dim, backwards):
        return Cumsum.apply(g, dim, not backwards)


SumAll = renamed(Sum, "SumBackward0")
MeanAll = renamed(Mean, "MeanBackward0")


def _summable(input):
    """A tensor in the type in which it is summed: for integers and bools int64."""
    return input if input.is_floating_point() else input.to(dtypes.int64)


@both
def sum(input, dim=None, keepdim=False):
    """The sum of all elements (0-d), or over `dim`; integers and bools are summed as int64."""
    operation = SumAll if dim is None else Sum
    return operation.apply(_summable(input), dims_of(dim, input.ndim), keepdim)


@both
def mean(input, dim=None, keepdim=False):
    """The mean of all elements (0-d), or over `dim`. Raises RuntimeError for integers."""
    operation = MeanAll if dim is None else Mean
    return operation.apply(_floats("mean", input), dims_of(dim, input.ndim), keepdim)


@both
def cumsum(input, dim):
    """The sum of all elements up to each along `dim`; integers as int64."""
    return Cumsum.apply(_summable(input), wrap_dim(dim, input.ndim), False)


@both
def prod(input, dim=None, keepdim=False):
    """The product of all elements (0-d), or along `dim`; integers as int64."""
    lines = input if dim is not None and input.ndim else input.flatten()
    product = functools.reduce(operator.mul, _summable(lines).unbind(dim or 0))
    return product.unsqueeze(dim) if keepdim and input.ndim else product


@both
def cumprod(input, dim):
    """The product of all elements up to each along `dim`; integers as int64."""
    lines = _summable(input if input.ndim else input.unsqueeze(0)).unbind(dim)
    return stack([*itertools.accumulate(lines, operator.mul)], dim).reshape(input.shape)


@method
def sum_to_size(self, *size):
    """The sum over dimensions that are not in `size`, or are 1 there: a broadcast undone.

    Raises RuntimeError for a size that does not expand to the tensor's.
    """
    size = numbers(*size)
    make(np.empty(size)).expand(self.shape)  # which refuses what does not fit
    if not size:
        return self.sum()
    kept = size == self.shape or self.is_floating_point()
    return undo_broadcast(self, size, self._array.dtype if kept else np.dtype(np.int64))


class Var(Operation):
    """The squared distances from the mean, summed over some dimensions and divided by `left`.

    `named` says whether the user named the dimensions.
    """

    def forward(x, dims, left, keepdim, named):
        distances = x - Mean.forward(x.astype(np.float64), dims, True)  # a square may be too large
        return (Sum.forward(distances * distances, dims, keepdim) / left).astype(x.dtype)

    def grad_x(g, x, dims, left, _keepdim, named):
        if not left and not named:  # PyTorch's answer, which cannot be differentiated again
            return g * Where.apply(x == Mean.apply(x, dims, True), math.nan, math.inf)
        scale = 2 / left if left else math.inf
        return ExpandTo.apply(g * scale, x.shape, dims) * (x - Mean.apply(x, dims, True))


@both
def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The variance of all elements (0-d), or over `dim`.

    Of N numbers, the squared distances from the mean are summed and divided by N - `correction`,
    by default N - 1. Raises RuntimeError for integers.
    """
    _floats("var", input)
    if isinstance(dim, bool):  # x.var(False)
        dim, unbiased = None, dim
    dims = dims_of(dim, input.ndim)
    left = count_of(input.shape, dims) - (int(unbiased) if correction is None else correction)
    if left <= 0:
        warn(
            "var(): degrees of freedom is <= 0. Correction should be strictly less than "
            "the reduction factor (input numel divided by output numel)."
        )
    named = dim is not None and input.ndim > 0
    return Var.apply(input, dims, float(max(left, 0)), keepdim, named)


@both
def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The square root of `var`; its gradient is 0 where it is 0. RuntimeError for integers."""
    squares = var(_floats("std", input).double(), dim, unbiased, keepdim, correction=correction)
    return Where.apply(squares == 0, 0, squares).sqrt().to(input.dtype)


class Norm(Operation, name="LinalgVectorNormBackward0"):
    """The length over some dimensions: the square root of the sum of squares."""

    def forward(x, dims, keepdim):
        return np.sqrt(np.add.reduce(x * x, axis=dims, dtype=x.dtype, keepdims=keepdim))

    def grad_x(g, x, dims, _keepdim, out):
        g, out = ExpandTo.apply(g, x.shape, dims), ExpandTo.apply(out, x.shape, dims)
        return g * Where.apply(out == 0, 0, x / out)  # 0 at the zero vector


@both
def norm(input, p="fro", dim=None, keepdim=False):
    """The length (p = 2) of all elements (0-d), or over `dim`; for p = 1 the sum of their sizes.

    The gradient at the zero vector is 0. Raises RuntimeError for integers, ValueError for other p.
    """
    _floats("norm", input)
    if p == 1:
        return input.abs().sum(dim, keepdim)
    if p not in ("fro", None, 2):
        raise ValueError(f"norm() is for p = 1 and p = 2 here, not for {p}; PyTorch may have it")
    return Norm.apply(input, dims_of(dim, input.ndim), keepdim)


@both
def all(input, dim=None, keepdim=False):
    """Whether no element is zero: of all (0-d), or over `dim`."""
    holds = np.all(input._array, axis=dims_of(dim, input.ndim), keepdims=keepdim)
    return make(np.asarray(holds))


@both
def any(input, dim=None, keepdim=False):
    """Whether any element is not zero: of all (0-d), or over `dim`."""
    holds = np.any(input._array, axis=dims_of(dim, input.ndim), keepdims=keepdim)
    return make(np.asarray(holds))
