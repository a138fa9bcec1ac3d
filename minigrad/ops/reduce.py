"""Many numbers to fewer: sums, products, means, spreads, norms."""

import math

import numpy as np

from .. import dtypes
from ..broadcasting import undo_broadcast
from ..errors import warn
from ..grad_mode import mode
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .arguments import all_dims, fitting, need_tensor, plain, same_type, zeros_like
from .convert import row_by_row
from .elementwise import Abs, Exp, Sign
from .registry import both, function
from .select import Where
from .several import Several
from .shape import Expand, Reshape, Unsqueeze


def spread(g, x_shape, dims, keepdim):
    """Bring a reduced gradient back to the operand's shape: the same number in every place."""
    if not keepdim and dims:
        g = Reshape(g, tuple(1 if d in dims else n for d, n in enumerate(x_shape)))
    return Expand(g, x_shape)


def every_dim(shape):
    """All dimensions of a shape."""
    return tuple(range(len(shape)))


def size_over(shape, dims):
    """How many elements are reduced to one."""
    return math.prod([shape[d] for d in dims])


class Sum(Operation, name="SumBackward1"):
    """The sum over some dimensions."""

    def forward(x, dims, keepdim):
        return row_by_row(np.add.reduce(x, axis=dims, keepdims=keepdim)) if x.ndim else x.copy()

    def grad_x(g, x_shape, dims, keepdim):
        return spread(g, x_shape, dims, keepdim)


class SumAll(Operation, name="SumBackward0"):
    """The sum of all elements."""

    def forward(x):
        return np.add.reduce(x, axis=None)

    def grad_x(g, x_shape):
        return spread(g, x_shape, every_dim(x_shape), False)


class Nansum(Operation):
    """The sum of what is not NaN."""

    def forward(x, dims, keepdim):
        return row_by_row(np.nansum(x, axis=dims, keepdims=keepdim))

    def grad_x(g, x, dims, keepdim):
        return Where(x != x, 0, spread(g, x.shape, dims, keepdim))


class Mean(Operation, name="MeanBackward1"):
    """The mean over some dimensions."""

    def forward(x, dims, keepdim):
        total = row_by_row(np.add.reduce(x, axis=dims, keepdims=keepdim))
        return total / _share(x, size_over(x.shape, dims))

    def grad_x(g, x_shape, dims, keepdim):
        return spread(g, x_shape, dims, keepdim) / float(size_over(x_shape, dims))


class MeanAll(Operation, name="MeanBackward0"):
    """The mean of all elements."""

    def forward(x):
        return np.add.reduce(x, axis=None) / _share(x, x.size)

    def grad_x(g, x_shape):
        dims = every_dim(x_shape)
        return spread(g, x_shape, dims, False) / float(size_over(x_shape, dims))


def _share(x, count):
    """A count in the type of the elements."""
    return x.dtype.type(count)


def as_floats(input, dtype=None):
    """The input in `dtype`, or, if it holds integers, in the default float type."""
    return input.to(dtype) if dtype is not None else same_type(input, floats=True)[0]


def as_sum(input, dtype):
    """The input in `dtype`; integers and bools as int64, in which sums are counted."""
    if dtype is not None:
        if not dtype.is_floating_point and input.requires_grad and mode.enabled:
            raise RuntimeError(f"Autograd not support dtype: {dtype.tensor_name}")
        input = input.to(dtype)
    return input if input._array.dtype.kind == "f" else make(input._array.astype(np.int64))


def in_type(found, dtype):
    """What was summed as int64 in the type that was asked for."""
    return found if dtype is None else found.to(dtype)


@both
def sum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements (0-d), or over `dim`; integers and bools are summed as int64.

    Reduced dimensions disappear, or have length 1 (`keepdim`). IndexError for a dimension that is not
    there, RuntimeError for one named twice.
    """
    input = as_sum(input, dtype)
    if dim is None:
        return in_type(SumAll(input), dtype)
    return in_type(Sum(input, all_dims(dim, input.ndim), keepdim), dtype)


@both
def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of the elements that are not nan: of all (0-d), or over `dim`.

    Reduced dimensions disappear, or have length 1 (`keepdim`).
    """
    input = as_sum(input, dtype)
    return in_type(Nansum(input, all_dims(dim, input.ndim), keepdim), dtype)


@both
def mean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of all elements (0-d), or over `dim`.

    Reduced dimensions disappear, or have length 1 (`keepdim`). RuntimeError for integers.
    """
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind != "f":
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point "
            f"or complex dtype. Got: {input.dtype.tensor_name}"
        )
    if dim is None:
        return MeanAll(input)
    return Mean(input, all_dims(dim, input.ndim), keepdim)


@both
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not nan: of all (0-d), or over `dim`.

    Reduced dimensions disappear, or have length 1 (`keepdim`). RuntimeError for integers.
    """
    if dtype is None and input._array.dtype.kind != "f":
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{input.dtype.tensor_name}"
        )
    count = sum(make(np.asarray(~np.isnan(input._array))), dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / count


# -- products -------------------------------------------------------------------------------------


class Prod(Operation, name="ProdBackward1"):
    """The product over one dimension."""

    def forward(x, dim, keepdim):
        return row_by_row(np.multiply.reduce(x, axis=dim, keepdims=keepdim)) if x.ndim else x.copy()

    def grad_x(g, x, out, dim, keepdim):
        if not x.ndim:
            return g
        g, out = spread(g, x.shape, (dim,), keepdim), spread(out, x.shape, (dim,), keepdim)
        if not has_zero(x):
            return g * (out / x)
        return g * Prod(each_one_left_out(x, dim), dim + 1, False)


class ProdAll(Operation, name="ProdBackward0"):
    """The product of all elements."""

    def forward(x):
        return np.multiply.reduce(x, axis=None)

    def grad_x(g, x, out):
        if not x.ndim:
            return g
        if not has_zero(x):
            return g * (out / x)
        flat = Reshape(x, (-1,))
        return g * Reshape(Prod(each_one_left_out(flat, 0), 1, False), x.shape)


def has_zero(x):
    """Whether a zero is among the elements of an array or tensor."""
    return bool((x == 0).any())


def each_one_left_out(x, dim):
    """A new dimension before `dim` along which the element that is replaced by 1 moves on.

    Products over the rows of what results are products of all the other elements, zeros or not.
    """
    n = x.shape[dim]
    rows = Expand(Unsqueeze(x, dim), (*x.shape[:dim], n, *x.shape[dim:]))
    eye = np.eye(n, dtype=bool).reshape(n, n, *[1] * (len(x.shape) - dim - 1))
    return Where(eye, 1, rows)


@both
def prod(input, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements (0-d), or over the dimension `dim`; integers as int64.

    The dimension disappears, or has length 1 (`keepdim`). Gradients are right with zeros, too.
    """
    input = as_sum(input, dtype)
    if dim is None:
        return in_type(ProdAll(input), dtype)
    return in_type(Prod(input, wrap_dim(dim, input.ndim), keepdim), dtype)


# -- variance and standard deviation --------------------------------------------------------------


def variance(x, dims, correction, keepdim):
    """The sum of squared distances from the mean, over their number less `correction`."""
    count = size_over(x.shape, dims)
    mean = np.add.reduce(x, axis=dims, keepdims=True) / _share(x, count)
    total = row_by_row(np.add.reduce(np.square(x - mean), axis=dims, keepdims=keepdim))
    return total / _share(x, max(count - correction, 0))


def grad_of_variance(g, x, dims, correction, keepdim):
    """2 g (x - mean) / (N - correction)."""
    left = size_over(x.shape, dims) - correction
    distance = x - Mean(x, dims, True)
    g = spread(g, x.shape, dims, keepdim)
    if left <= 0 and len(dims) == x.ndim:  # a constant, not to be differentiated again
        return g * Where(distance == 0, np.nan, zeros_like(x) + np.inf)
    return g * (distance * (2 / left if left else np.inf))


def grad_of_std(g, x, out, dims, correction, keepdim):
    """By way of the variance; where the deviation is 0, so is the gradient."""
    halved = Where(out == 0, 0, g / (Where(out == 0, 1, out) * 2))
    return grad_of_variance(halved, x, dims, correction, keepdim)


class Var(Operation):
    forward = variance
    grad_x = grad_of_variance


class Std(Operation):
    def forward(x, dims, correction, keepdim):
        return np.sqrt(variance(x, dims, correction, keepdim))

    grad_x = grad_of_std


class VarMean(Several):
    """Variance and mean."""

    _outputs = 2

    def forward(x, dims, correction, keepdim):
        return variance(x, dims, correction, keepdim), Mean.forward(x, dims, keepdim)

    def grad_x(gs, x, dims, correction, keepdim):
        return add_given(
            gs[0] is not None and grad_of_variance(gs[0], x, dims, correction, keepdim),
            gs[1] is not None and Mean.grad_x(gs[1], x.shape, dims, keepdim),
        )


class StdMean(Several):
    """Standard deviation and mean."""

    _outputs = 2

    def forward(x, dims, correction, keepdim):
        return Std.forward(x, dims, correction, keepdim), Mean.forward(x, dims, keepdim)

    def grad_x(gs, x, dims, correction, keepdim):
        out = Std(x, dims, correction, keepdim)
        return add_given(
            gs[0] is not None and grad_of_std(gs[0], x, out, dims, correction, keepdim),
            gs[1] is not None and Mean.grad_x(gs[1], x.shape, dims, keepdim),
        )


def add_given(*gradients):
    """The sum of those gradients that are there."""
    given = [g for g in gradients if g is not False]
    return given[0] if len(given) == 1 else given[0] + given[1]


def _spreading(operation, name, input, dim, unbiased, correction, keepdim):
    need_tensor(name, "input", 1, input)
    if input._array.dtype.kind != "f":
        what = name if name.endswith("_mean") else "std and var"
        raise RuntimeError(f"{what} only support floating point and complex dtypes")
    if isinstance(dim, bool):  # var(unbiased), the old form
        dim, unbiased = None, dim
    if unbiased is not None:
        correction = int(unbiased)
    correction = 1 if correction is None else correction
    dims = all_dims(dim, input.ndim)
    kept = [n for d, n in enumerate(input._array.shape) if d not in dims]
    if input._array.size // max(1, math.prod(kept)) - correction <= 0:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
        )
    return operation(input, dims, correction, keepdim)


@both
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """The variance of all elements (0-d), or over `dim`: squares over N - `correction`.

    Reduced dimensions disappear, or have length 1 (`keepdim`); nan, with a UserWarning, if N is not
    larger than the correction. RuntimeError for integers.
    """
    return _spreading(Var, "var", input, dim, unbiased, correction, keepdim)


@both
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """The standard deviation of all elements (0-d), or over `dim`: the root of `var`.

    Reduced dimensions disappear, or have length 1 (`keepdim`). RuntimeError for integers.
    """
    return _spreading(Std, "std", input, dim, unbiased, correction, keepdim)


@function
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """Variance and mean of all elements (0-d), or over `dim`; a pair.

    Reduced dimensions disappear, or have length 1 (`keepdim`). RuntimeError for integers.
    """
    return _spreading(VarMean, "var_mean", input, dim, unbiased, correction, keepdim)


@function
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """Standard deviation and mean of all elements (0-d), or over `dim`; a pair.

    Reduced dimensions disappear, or have length 1 (`keepdim`). RuntimeError for integers.
    """
    return _spreading(StdMean, "std_mean", input, dim, unbiased, correction, keepdim)


# -- the logarithm of a sum -----------------------------------------------------------------------


class Logsumexp(Operation):
    """log of the sum of exp, without overflow."""

    def forward(x, dims, keepdim):
        top = np.max(x, axis=dims, keepdims=True, initial=-np.inf)
        top = np.where(np.isinf(top), np.zeros_like(top), top)
        total = np.add.reduce(np.exp(x - top), axis=dims, keepdims=keepdim)
        return row_by_row(np.log(total) + (top if keepdim else top.reshape(total.shape)))

    def grad_x(g, x, out, dims, keepdim):
        out = spread(out, x.shape, dims, keepdim)
        return spread(g, x.shape, dims, keepdim) * Exp(x - out)


@both
def logsumexp(input, dim, keepdim=False):
    """log(sum(exp(input))) over one or several dimensions; finite for large numbers.

    Reduced dimensions disappear, or have length 1 (`keepdim`).
    """
    return Logsumexp(as_floats(input), all_dims(dim, input.ndim), keepdim)


# -- norms ----------------------------------------------------------------------------------------


class Norm(Operation, name="LinalgVectorNormBackward0"):
    """The p-norm over some dimensions."""

    called = {"p": "ord"}

    def forward(x, p, dims, keepdim):
        size = np.abs(x if x.dtype != np.float16 else x.astype(np.float32))  # powers would not fit
        return row_by_row(norm_of(size, p, {"axis": dims, "keepdims": keepdim})).astype(x.dtype, copy=False)

    def grad_x(g, x, out, p, dims, keepdim):
        if p == 0:
            return None
        g, out = spread(g, x.shape, dims, keepdim), spread(out, x.shape, dims, keepdim)
        if p == 1:
            return g * Sign(x)
        if p in (np.inf, -np.inf):
            chosen = Abs(x) == out
            return Where(chosen, g * Sign(x) / count_true(chosen, dims), 0)
        if p == 2:  # 0 at the zero vector
            return g * Where(out == 0, 0, x / out)
        nonzero = Where(out == 0, 1, out)
        if p < 2:
            size = Where(x == 0, 1, Abs(x))
            return g * Where(x == 0, 0, Sign(x) * (size / nonzero) ** (p - 1))
        return g * (Sign(x) * (Abs(x) / nonzero) ** (p - 1))


def norm_of(size, p, over):
    """The p-norm of numbers that are not negative."""
    if p == 2:
        return np.sqrt(np.add.reduce(size * size, **over))
    if p == 1:
        return np.add.reduce(size, **over)
    if p == np.inf:
        return np.max(size, **over)
    if p == -np.inf:
        return np.min(size, **over)
    if p == 0:
        return np.add.reduce(size != 0, **over, dtype=size.dtype)
    return np.power(np.add.reduce(np.power(size, p), **over), 1 / p)


def count_true(mask, dims):
    """How many are true, in every place of the mask's shape; a constant."""
    array = mask._array if isinstance(mask, Tensor) else mask
    count = np.add.reduce(array, axis=dims, keepdims=True) if array.ndim else array.astype(int)
    count = count.astype(dtypes.float32.numpy)
    return make(count) if isinstance(mask, Tensor) else count


def vector_norm(input, p, dims, keepdim, dtype=None):
    """`Norm` of an input that is checked."""
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. "
            f"Got {input.dtype.tensor_name}"
        )
    p = float(p)
    if abs(p) == np.inf and size_over(input._array.shape, dims) == 0:
        which = "inf" if p > 0 else "-inf"
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {which} norm on an empty tensor because the "
            "operation does not have an identity"
        )
    return Norm(input, p, dims, keepdim)


@both
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    """The p-norm (2 by default) of all elements (0-d), or over `dim`.

    `p` is a number, inf, "fro" or "nuc". Reduced dimensions disappear, or have length 1 (`keepdim`).
    The gradient at the zero vector is 0. RuntimeError for integers.
    """
    if p == "nuc":
        from .factors import matrix_norm

        return matrix_norm(input, p, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    p = 2 if p in ("fro", None) else p
    return vector_norm(input, p, all_dims(dim, input.ndim), keepdim, dtype)


class NormAlong(Norm, name="NormBackward1"):
    """The p-norm over one dimension, as distances take it."""

    called = {"p": "p"}


class Dist(Operation):
    """The p-norm of a difference."""

    broadcasts = True

    def forward(x, y, p):
        return Norm.forward(np.asarray(x - y), p, None, False)

    def grad_x(g, x, y, out, p, like_x):
        difference = x - y
        found = Norm.grad_x(g, difference, out, p, every_dim(difference.shape), False)
        return undo_broadcast(zeros_like(difference) if found is None else found, like_x.shape, like_x.dtype)

    def grad_y(g, x, y, out, p, like_y):
        return Dist.grad_x(g, y, x, out, p, like_y)


@both
def dist(input, other, p=2):
    """The p-norm of `input - other`, which broadcast; 0-d.

    RuntimeError for integers and shapes that do not broadcast.
    """
    input, other = same_type(input, other)
    if input._array.dtype.kind != "f":
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{input.dtype.tensor_name} instead."
        )
    return fitting(lambda: Dist(input, other, float(p)), input, other)


# -- yes or no, and counts ------------------------------------------------------------------------


@both
def all(input, dim=None, keepdim=False):
    """Whether all elements are nonzero (0-d), or all along `dim`; a bool tensor."""
    return _asked(np.all, input, dim, keepdim)


@both
def any(input, dim=None, keepdim=False):
    """Whether some element is nonzero (0-d), or some along `dim`; a bool tensor."""
    return _asked(np.any, input, dim, keepdim)


def _asked(ask, input, dim, keepdim):
    dims = () if dim == () else all_dims(dim, input.ndim)  # of no dimensions: each element by itself
    found = plain(row_by_row(ask(input._array, axis=dims, keepdims=keepdim)))
    return found.to(dtypes.uint8) if input.dtype is dtypes.uint8 else found


@both
def count_nonzero(input, dim=None):
    """How many elements are not zero (0-d), or how many along `dim`; int64, no gradient."""
    found = row_by_row(np.add.reduce(input._array != 0, axis=all_dims(dim, input.ndim), dtype=np.int64))
    return plain(found)


@both
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables (rows) over observations (columns).

    (n, m) gives (n, n), one variable (m) a 0-d tensor. `fweights` (m), whole numbers, says how often
    each observation counts, `aweights` (m) how much. RuntimeError for more than two dimensions, or
    weights of another length.
    """
    if input.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    rows = as_floats(input.unsqueeze(0) if input.ndim < 2 else input)
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            _check_weights(name, given, rows.shape[1])
            weights = given if weights is None else weights * given
    if weights is None:
        centred = rows - rows.mean(1, keepdim=True)
        left = max(rows.shape[1] - correction, 0)
        return ((centred @ centred.t()) / left).squeeze()
    total = weights.sum()
    if total.item() == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    centred = rows - (rows * weights).sum(1, keepdim=True) / total
    if aweights is None or correction == 0:
        left = total - correction
    else:
        left = total - correction * (weights * aweights).sum() / total
    left = left.clamp_min(0) if left.is_floating_point() else left.clamp_min(0).to(rows.dtype)
    return ((centred @ (centred * weights).t()) / left).squeeze()


def _check_weights(name, weights, count):
    kind, wanted = ("f", "floating point") if name == "aweights" else ("iu", "integral")
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
            f"{weights.ndim} dimensions"
        )
    if weights._array.dtype.kind not in kind:
        raise RuntimeError(
            f"cov(): expected {name} to have {wanted} dtype but got {name} with "
            f"{weights.dtype.tensor_name} dtype"
        )
    if weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input "
            f"but got {weights.numel()} != {count}"
        )
    if (weights._array < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


@both
def corrcoef(input):
    """The matrix of correlation coefficients of variables (rows): (n, m) gives (n, n).

    RuntimeError for more than two dimensions.
    """
    found = cov(input)
    if found.ndim == 0:
        return found / found
    deviation = found.diagonal().sqrt()
    return (found / deviation.unsqueeze(1) / deviation.unsqueeze(0)).clamp(-1, 1)
