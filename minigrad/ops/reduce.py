"""Many numbers to fewer: sums, products, spreads, norms.

The dimensions that are reduced (`dims`, from the front) disappear, or have length 1 (`keepdim`).
"""

import math

import numpy as np

from .. import dtypes
from ..errors import warn
from ..operation import Operation, undo_broadcast
from ..tensor import make, wrap_dim
from .compare import Where
from .convert import zeros_like
from .elementwise import sign
from .registry import both, method, named
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


def _floats(name, input, dtype=None):
    """A tensor, in another type if it is said; integers and bools are refused."""
    input = input if dtype is None else input.to(dtype)
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


class Cumprod(Operation):
    """The product of all elements up to each."""

    def forward(x, dim):
        return np.multiply.accumulate(x, axis=dim, dtype=x.dtype) if x.ndim else x.copy()

    def grad_x(g, x, dim, out):
        if math.prod(x.shape) < 2 or x.shape[dim] == 1:
            return g
        if (x != 0).all():
            return Cumsum.apply(g * out, dim, True) / x
        copies, n = _left_out(x, dim), x.shape[dim]  # a product has those up to its own place
        later = np.triu(np.ones((n, n), bool)).reshape(n, n, *[1] * (x.ndim - dim - 1))
        g = ExpandTo.apply(g, copies.shape, (dim,))
        return Sum.apply(
            Where.apply(later, g * Cumprod.apply(copies, dim + 1), 0), (dim + 1,), False
        )


SumAll, MeanAll = renamed(Sum, "SumBackward0"), renamed(Mean, "MeanBackward0")  # of all dimensions


def _summable(input, dtype=None):
    """A tensor in the type in which it is summed: integers and bools as int64, or as it is said."""
    if dtype is not None and not dtype.is_floating_point and input.requires_grad:
        raise RuntimeError(f"Autograd not support dtype: {dtype.tensor_name}")
    return input if dtype is None and input.is_floating_point() else input.to(dtype or dtypes.int64)


def reduction(name, whole, lines, prepared, doc):
    """Publish `sum` or its like: of all elements, the operation `whole`, or of `lines` of them."""

    def call(input, dim=None, keepdim=False, *, dtype=None):
        operation = whole if dim is None else lines
        return operation.apply(prepared(input, dtype), dims_of(dim, input.ndim), keepdim)

    both(named(call, name, doc))


reduction(
    "sum",
    SumAll,
    Sum,
    _summable,
    "The sum of all elements (0-d), or over `dim`; integers and bools are summed as int64.",
)
reduction(
    "mean",
    MeanAll,
    Mean,
    lambda input, dtype: _floats("mean", input, dtype),
    "The mean of all elements (0-d), or over `dim`. RuntimeError for integers.",
)


@both
def cumsum(input, dim):
    """The sum of all elements up to each along `dim`; integers as int64."""
    return Cumsum.apply(_summable(input), wrap_dim(dim, input.ndim), False)


@both
def cumprod(input, dim):
    """The product of all elements up to each along `dim`; integers as int64."""
    return Cumprod.apply(_summable(input), wrap_dim(dim, input.ndim))


@method
def sum_to_size(self, *size):
    """The sum over dimensions that are not in `size`, or are 1 there: a broadcast undone.

    RuntimeError for a size that does not expand to the tensor's.
    """
    size, shape = numbers(*size), self._array.shape
    if len(size) > len(shape) or any(n not in (1, m) for n, m in zip(size[::-1], shape[::-1])):
        raise RuntimeError(f"size {list(size)} does not expand to {list(shape)}")
    if not size:
        return self.sum()
    kept = size == shape or self.is_floating_point()
    return undo_broadcast(self, size, self._array.dtype if kept else np.dtype(np.int64))


class Prod(Operation, name="ProdBackward1"):
    """The product of all elements, or over one dimension."""

    def forward(x, dims, keepdim):
        return np.multiply.reduce(x, axis=dims, dtype=x.dtype, keepdims=keepdim)

    def grad_x(g, x, dims, _keepdim, out):
        if (x != 0).all():
            return ExpandTo.apply(g * out, x.shape, dims) / x
        if len(dims) != 1:  # of all elements
            return Prod.grad_x(g, x.reshape(-1), (0,), False, out).reshape(x.shape)
        if x.shape[dims[0]] == 1:  # the product is the number itself
            return ExpandTo.apply(g, x.shape, dims)
        return ExpandTo.apply(g, x.shape, dims) * _product_of_others(x, *dims)


def _product_of_others(x, dim):
    """For each element the product of the others along `dim`, zeros or not."""
    return Prod.apply(_left_out(x, dim), (dim + 1,), False)


def _left_out(x, dim):
    """Copies of each line along a new dimension; in copy j, element j is replaced by 1."""
    n = x.shape[dim]
    diagonal = np.eye(n, dtype=bool).reshape(n, n, *[1] * (x.ndim - dim - 1))
    copies = ExpandTo.apply(x, (*x.shape[:dim], n, *x.shape[dim:]), (dim,))
    return Where.apply(diagonal, 1, copies)


ProdAll = renamed(Prod, "ProdBackward0")
reduction(
    "prod",
    ProdAll,
    Prod,
    _summable,
    "The product of all elements (0-d), or over one dimension; integers as int64.",
)


class Var(Operation):
    """Squared distances from the mean, over how many numbers are `left` after a correction."""

    def forward(x, dims, left, keepdim):
        distance = x - Mean.forward(x, dims, True)
        return Sum.forward(distance * distance, dims, keepdim) / x.dtype.type(left)

    def grad_x(g, x, dims, left, _keepdim):
        distance = x - Mean.apply(x, dims, True)
        endless = Where.apply(distance == 0, np.nan, zeros_like(x) + np.inf)
        return ExpandTo.apply(g, x.shape, dims) * (distance * (2 / left) if left else endless)


class Std(Operation):
    """The square root of the variance; where it is 0, so is its gradient."""

    def forward(x, dims, left, keepdim):
        return np.sqrt(Var.forward(x, dims, left, keepdim))

    def grad_x(g, x, dims, left, keepdim, out):
        return Var.grad_x(Where.apply(out == 0, 0, g / (out * 2)), x, dims, left, keepdim)


def _distances(name, operation):
    """The function that applies `Var` or `Std`."""

    def call(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        _floats(name, input)
        if isinstance(dim, bool):  # x.var(False)
            dim, unbiased = None, dim
        dims = dims_of(dim, input.ndim)
        left = count_of(input.shape, dims) - (int(unbiased) if correction is None else correction)
        if left <= 0:
            warn(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than "
                "the reduction factor (input numel divided by output numel)."
            )
        return operation.apply(input, dims, max(left, 0), keepdim)

    return call


for _name, _operation, _doc in (
    (
        "var",
        Var,
        "The variance of all elements (0-d), or over `dim`: N numbers count as "
        "N - `correction`, by default N - 1. RuntimeError for integers.",
    ),
    ("std", Std, "The standard deviation: the square root of `var`. RuntimeError for integers."),
):
    both(named(_distances(_name, _operation), _name, _doc))


class Norm(Operation, name="LinalgVectorNormBackward0"):
    """The p-norm over some dimensions."""

    called = {"p": "ord"}

    def forward(x, p, dims, keepdim):
        if p == math.inf:
            return np.max(np.abs(x), axis=dims, keepdims=keepdim)
        return np.add.reduce(np.abs(x) ** p, axis=dims, keepdims=keepdim) ** (1 / p)

    def grad_x(g, x, p, dims, _keepdim, out):
        g, out = ExpandTo.apply(g, x.shape, dims), ExpandTo.apply(out, x.shape, dims)
        if p == math.inf:
            return shared(g * sign(x), abs(x) == out, dims)
        if p == 1:
            return g * sign(x)
        powers = x if p == 2 else sign(x) * abs(x) ** (p - 1)
        return powers * Where.apply(out == 0, 0, g / out ** (p - 1))  # 0 at the zero vector


def shared(g, mask, dims):
    """A gradient that was spread over `dims`, in equal parts for the places of a mask."""
    mask = Where.apply(mask, 1, zeros_like(g))
    return g * mask / Sum.apply(mask, dims, True)


@both
def norm(input, p="fro", dim=None, keepdim=False):
    """The p-norm (2 by default) of all elements (0-d), or over `dim`: `p` from 1 to inf.

    The gradient at the zero vector is 0. RuntimeError for integers, ValueError for other `p`.
    """
    _floats("norm", input)
    p = 2.0 if p in ("fro", None) else float(p)
    if not p >= 1:
        raise ValueError(f"norm() takes a p from 1 to inf, not {p}")
    return Norm.apply(input, p, dims_of(dim, input.ndim), keepdim)


def question(name, ask, doc):
    """Publish a question about all elements, or lines of them, whose answer has no gradient."""

    def call(input, dim=None, keepdim=False):
        if dim is not None:
            dim = wrap_dim(dim, input.ndim) if isinstance(dim, int) else dims_of(dim, input.ndim)
        return make(np.asarray(ask(input._array, axis=dim, keepdims=keepdim)))

    both(named(call, name, doc))


question("all", np.all, "Whether none is zero, of all elements (0-d) or over `dim`.")
question("any", np.any, "Whether one is not zero, of all elements (0-d) or over `dim`.")
