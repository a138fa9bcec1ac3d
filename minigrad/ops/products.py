"""More products: over chosen dimensions, of vectors in space, of many matrices; and the trace."""

import math

import numpy as np

from ..inplace import Embed
from ..operation import Operation
from ..tensor import wrap_dim
from .arguments import all_dims, check_broadcast, no_bools, warn_once
from .convert import row_by_row
from .diagonal import Diagonal
from .linalg import mm
from .registry import both, function
from .shape import Expand, UnsafeView


class Trace(Operation):
    """The sum of the diagonal."""

    def forward(x):
        no_bools("trace", x)
        return np.trace(x, dtype=x.dtype if x.dtype.kind == "f" else np.int64)

    def grad_x(g, x_shape):
        return Embed(Expand(g, (min(x_shape),)), x_shape, ((Diagonal, (0, 0, 1)),))


class Cross(Operation, name="LinalgCrossBackward0"):
    """The vector product of vectors with three elements."""

    broadcasts = True

    def forward(x, y, dim):
        return row_by_row(np.cross(x, y, axis=dim))

    def grad_x(g, y, dim):
        return Cross(y, g, dim)

    def grad_y(g, x, dim):
        return Cross(g, x, dim)


@both
def inner(input, other):
    """The products summed over the last dimension of both.

    (*, n) and (+, n) give (*, +); a 0-d tensor multiplies. RuntimeError for different n.
    """
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    if input._array.shape[-1] != other._array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._array.shape)} and {list(other._array.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]))


@function
def tensordot(a, b, dims=2):
    """The products summed over pairs of dimensions: the last `dims` of `a` with the first of `b`,

    or those in two lists. The result has the other dimensions of `a`, then those of `b`. RuntimeError
    if the lengths of a pair, or the dtypes, differ.
    """
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        given = list(range(-dims, 0)), list(range(dims))
    else:
        given = tuple([d] if isinstance(d, int) else list(d) for d in dims)
    if len(given[0]) != len(given[1]):
        raise RuntimeError("both dimension lists should have same length")
    if a._array.dtype != b._array.dtype:
        raise RuntimeError("both inputs should have same dtype")
    da, db = all_dims(given[0], a.ndim), all_dims(given[1], b.ndim)
    da, db = (da, db) if given[0] else ((), ())
    for i, (d, e) in enumerate(zip(da, db)):
        n, m = a._array.shape[d], b._array.shape[e]
        if n != m and 1 in (n, m):  # broadcast: the other one is summed first
            kept = {"keepdim": True, "dtype": a.dtype}
            a, b = (a, b.sum(e, **kept)) if n == 1 else (a.sum(d, **kept), b)
        elif n != m:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim "
                f"{given[0][i]} and second has size {m} in dim {given[1][i]}"
            )
    free_a = [d for d in range(a.ndim) if d not in da]
    free_b = [d for d in range(b.ndim) if d not in db]
    shape_a, shape_b = [a._array.shape[d] for d in free_a], [b._array.shape[d] for d in free_b]
    summed = math.prod([a._array.shape[d] for d in da])
    rows, columns = [math.prod(shape) for shape in (shape_a, shape_b)]
    left = a.permute((*free_a, *da)).reshape(rows, summed)
    right = b.permute((*db, *free_b)).reshape(summed, columns)
    return mm(left, right).reshape((*shape_a, *shape_b))


@both
def kron(input, other):
    """The Kronecker product: each element of `input` times the whole of `other`.

    (n, m) and (p, q) give (n p, m q), and so on for other numbers of dimensions.
    """
    ndim = max(input.ndim, other.ndim)
    a, b = [(1,) * (ndim - t.ndim) + t._array.shape for t in (input, other)]
    left = UnsafeView(input, [n for m in a for n in (m, 1)])
    right = UnsafeView(other, [n for m in b for n in (1, m)])
    return UnsafeView(left * right, tuple(n * m for n, m in zip(a, b)))


@both
def trace(input):
    """The sum of the diagonal of a matrix; 0-d.

    RuntimeError for what is no matrix.
    """
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return Trace(input)


def cross_product(input, other, dim):
    """The vector product along a dimension of length 3, with broadcasting."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    given, dim = dim, wrap_dim(dim, input.ndim)
    lengths = input._array.shape[dim], other._array.shape[dim]
    if lengths != (3, 3):
        raise RuntimeError(
            f"linalg.cross: inputs dimension {given} must have length 3. Got "
            f"{lengths[0]} and {lengths[1]}"
        )
    check_broadcast(input._array.shape, other._array.shape)
    no_bools("cross", input._array)
    return Cross(input, other, dim)


@both
def cross(input, other, dim=None):
    """The vector product along `dim`, or along the first dimension of length 3.

    The shape that the two have together after broadcasting. RuntimeError without such a dimension.
    """
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass "
            "the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will "
            "change to agree with that of linalg.cross in a future release."
        )
        threes = [d for d, n in enumerate(input._array.shape) if n == 3]
        if not threes:
            raise RuntimeError("no dimension of size 3 in input")
        dim = threes[0]
    return cross_product(input, other, dim)


def chain(tensors):
    """A product of several matrices in the order that costs the fewest multiplications."""
    count = len(tensors)
    sizes = [t._array.shape[0] for t in tensors] + [tensors[-1]._array.shape[1]]
    best = {(i, i): (0, None) for i in range(count)}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            best[i, j] = min(
                (best[i, k][0] + best[k + 1, j][0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )

    def product(i, j):
        if i == j:
            return tensors[i]
        k = best[i, j][1]
        return mm(product(i, k), product(k + 1, j))

    return product(0, count - 1)


def multi_dot(tensors):
    """A product of several matrices, the first and last of which may be vectors.

    It is computed in the order that costs least: (a, b), (b, c), (c, d) give (a, d). RuntimeError for
    fewer than two, or shapes that do not fit.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.multi_dot.html
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    shape = []
    if tensors[0].ndim == 1:
        tensors[0] = tensors[0].unsqueeze(0)
    else:
        shape.append(tensors[0]._array.shape[0])
    if tensors[-1].ndim == 1:
        tensors[-1] = tensors[-1].unsqueeze(-1)
    else:
        shape.append(tensors[-1]._array.shape[1])
    for i, (x, y) in enumerate(zip(tensors, tensors[1:])):
        if x._array.shape[1] != y._array.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(x._array.shape)} and "
                f"{list(y._array.shape)} cannot be multiplied"
            )
    return chain(tensors).view(shape)


@function
def chain_matmul(*matrices):
    """A product of several matrices, in the order that costs least.

    (a, b), (b, c), (c, d) give (a, d). RuntimeError for shapes that do not fit.
    """
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than "
        "multiple parameters."
    )
    return multi_dot(matrices)
