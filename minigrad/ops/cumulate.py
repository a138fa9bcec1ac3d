"""Running sums and products along a dimension, differences, and areas under points."""

import numpy as np

from .. import dtypes
from ..inplace import apply_in_place
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .arguments import all_dims, same_type
from .convert import row_by_row
from .elementwise import Exp
from .join import cat
from .rearrange import Flip
from .reduce import Sum, as_sum, each_one_left_out, has_zero, in_type
from .registry import both, function, method
from .select import Where
from .shape import Unsqueeze


def along_dim(accumulate, x, dim):
    """`accumulate` along a dimension; a 0-d array has just one element."""
    return accumulate(row_by_row(x), axis=dim, dtype=x.dtype) if x.ndim else x.copy()


def from_the_end(operation, x, dim):
    """A running operation from the last element to the first."""
    return Flip(operation(Flip(x, (dim,)), dim), (dim,)) if len(x.shape) else operation(x, dim)


class Cumsum(Operation):
    """The sum of all elements up to each."""

    def forward(x, dim):
        return along_dim(np.add.accumulate, x, dim)

    def grad_x(g, dim):
        return from_the_end(Cumsum, g, dim)


class Cumprod(Operation):
    """The product of all elements up to each."""

    def forward(x, dim):
        return along_dim(np.multiply.accumulate, x, dim)

    def grad_x(g, x, out, dim):
        if not len(x.shape) or x.shape[dim] == 1:
            return g
        if not has_zero(x):
            return from_the_end(Cumsum, g * out, dim) / x
        products = Cumprod(each_one_left_out(x, dim), dim + 1)  # row j: without element j
        products = Where(_later(x.shape, dim), products * Unsqueeze(g, dim), 0)
        return Sum(products, (dim + 1,), False)


class Logcumsumexp(Operation):
    """log of the sum of exp of all elements up to each, without overflow."""

    def forward(x, dim):
        return along_dim(np.logaddexp.accumulate, x, dim)

    def grad_x(g, x, out, dim):
        if not len(x.shape):
            return g
        logs = Unsqueeze(x, dim + 1) - Unsqueeze(out, dim)
        shares = Exp(Where(_later(x.shape, dim), logs, -np.inf))  # of element j in sum k
        return Sum(shares * Unsqueeze(g, dim), (dim + 1,), False)


def _later(shape, dim):
    """Which positions k of a dimension (columns) are not before position j (rows)."""
    n = shape[dim]
    return np.triu(np.ones((n, n), bool)).reshape(n, n, *[1] * (len(shape) - dim - 1))


def _publish(name, operation, prepare, says):
    def call(input, dim, *, dtype=None):
        return in_type(operation(prepare(input, dtype), wrap_dim(dim, input.ndim)), dtype)

    def in_place(self, dim, *, dtype=None):
        if dtype is not None and dtype is not self.dtype:
            raise RuntimeError(
                "Bad in-place call: input tensor dtype "
                f"{dtypes.CXX_NAMES[self.dtype.tensor_name]} and output tensor dtype "
                f"{dtypes.CXX_NAMES[dtype.tensor_name]} should match"
            )
        return apply_in_place(operation, self, wrap_dim(dim, self.ndim))

    call.__name__, in_place.__name__ = name, f"{name}_"
    call.__doc__ = f"""{says}

    The shape of `input`; integers and bools as int64. IndexError for a `dim` that is not there.
    """
    both(call)
    method(in_place)


_publish("cumsum", Cumsum, as_sum, "The sum of all elements up to each along `dim`.")
_publish("cumprod", Cumprod, as_sum, "The product of all elements up to each along `dim`.")


@both
def logcumsumexp(input, dim):
    """log(cumsum(exp(input))) along `dim`, without overflow; the same shape.

    NotImplementedError for integers, IndexError for a `dim` that is not there.
    """
    if input._array.dtype.kind != "f":
        raise NotImplementedError(
            f"\"logcumsumexp_out_cpu\" not implemented for '{input.dtype.tensor_name}'"
        )
    return Logcumsumexp(input, wrap_dim(dim, input.ndim))


# -- differences and areas ------------------------------------------------------------------------


@both
def diff(input, n=1, dim=-1, prepend=None, append=None):
    """Differences of neighbours along `dim`, taken `n` times, each time one fewer.

    `prepend` and `append` are joined on first; of bools it says where neighbours differ. RuntimeError
    for a 0-d tensor or n below 0.
    """
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = wrap_dim(dim, input.ndim)
    ends = [part for part in (prepend, input, append) if part is not None]
    found = cat(ends, dim) if len(ends) > 1 else input
    if n == 0:
        return input.clone()
    for _ in range(min(n, found._array.shape[dim])):
        length = found._array.shape[dim]
        after, before = found.narrow(dim, 1, length - 1), found.narrow(dim, 0, length - 1)
        found = after.logical_xor(before) if input._array.dtype.kind == "b" else after - before
    return found


def _steps(name, y, x, dx, dim):
    """The neighbours' sums along the last dimension, and the steps between the points."""
    if isinstance(x, Tensor):
        along = dim if x.ndim == y.ndim else -1
        if x._array.shape[along] != y._array.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        dx = diff(x, dim=along)
        if x.ndim == 1:
            dx = dx.reshape([-1 if d == dim else 1 for d in range(y.ndim)])
    length = y._array.shape[dim]
    after, before = y.narrow(dim, 1, length - 1), y.narrow(dim, 0, length - 1)
    return after + before, dx


class TimesNumber(Operation, name="MulBackward1"):
    """`x * number` where PyTorch's own code writes it."""

    def forward(x, number):
        return x * x.dtype.type(number)

    def grad_x(g, number):
        return g * number


class ByNumber(Operation, name="DivBackward1"):
    """`x / number` where PyTorch's own code writes it."""

    def forward(x, number):
        return x / x.dtype.type(number)

    def grad_x(g, number):
        return g / number


@function
def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area under points, by trapezoids: at positions `x`, or `dx` apart.

    The shape of `y` without `dim`. `x` is a line of that dimension's length or has the shape of `y`;
    RuntimeError otherwise.
    """
    dim = wrap_dim(dim, y.ndim)
    sums, dx = _steps("trapezoid", y, x, dx, dim)
    if isinstance(dx, Tensor):
        return ByNumber(*same_type((sums * dx).sum(dim), floats=True), 2.0)
    (y,) = same_type(y, floats=True)
    return TimesNumber(y.sum(dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5, float(dx))


function(trapezoid, name="trapz")


@function
def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area under the points up to each but the first, by trapezoids.

    The shape of `y`, one shorter along `dim`; `x` and `dx` as for `trapezoid`. RuntimeError for an `x`
    of another length.
    """
    dim = wrap_dim(dim, y.ndim)
    sums, dx = _steps("cumulative_trapezoid", y, x, dx, dim)
    if isinstance(dx, Tensor):
        return ByNumber(*same_type((sums * dx).cumsum(dim), floats=True), 2.0)
    return (sums * (dx / 2)).cumsum(dim)


@function
def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """Slopes along each of `dim` (all of them), by central differences; a tuple.

    Each slope has the shape of `input`. `spacing` is how far apart the points are, one number or one
    for each dimension, or tensors that say where they are. At the ends differences are one-sided.
    RuntimeError for a `spacing` of another length, an `edge_order` other than 1 and 2, and dimensions
    that are too short.
    """
    (input,), dims = same_type(input, floats=True), all_dims(dim, input.ndim)
    several = isinstance(spacing, (list, tuple))
    if several and len(spacing) != len(dims) and dim is None:
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
            f"'self.dim() = {input.ndim}', since dim argument was not given, but got a list of length "
            f"{len(spacing)}"
        )
    if several and len(spacing) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            "arguments to have the same length, but got a spacing argument of length "
            f"{len(spacing)} and a dim argument of length {len(dims)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if any(input._array.shape[d] < edge_order + 1 for d in dims):
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1"
        )
    steps = spacing if several else [1 if spacing is None else spacing] * len(dims)
    return tuple([_slopes(input, d, step, edge_order) for d, step in zip(dims, steps)])


def _slopes(y, d, step, edge_order):
    """The slopes along one dimension, of points `step` apart or at the places in a tensor."""
    n = y._array.shape[d]
    if isinstance(step, Tensor) and step.ndim:
        steps = diff(step).reshape([-1 if i == d else 1 for i in range(y.ndim)])
    else:
        step = step.item() if isinstance(step, Tensor) else step
        shape = [n - 1 if i == d else 1 for i in range(y.ndim)]
        steps = make(np.full(shape, step, y._array.dtype))
    rise = (y.narrow(d, 1, n - 1) - y.narrow(d, 0, n - 1)) / steps
    h, k = steps.narrow(d, 0, n - 2), steps.narrow(d, 1, n - 2)
    left, right = rise.narrow(d, 0, n - 2), rise.narrow(d, 1, n - 2)
    inside = (left * k + right * h) / (h + k)
    first, last = rise.narrow(d, 0, 1), rise.narrow(d, n - 2, 1)
    if edge_order == 2:  # the slopes of the parabolas through the last three points
        bend = (right - left) / (h + k)
        first = first - (bend * h).narrow(d, 0, 1)
        last = last + (bend * k).narrow(d, n - 3, 1)
    return cat([first, inside, last], d)
