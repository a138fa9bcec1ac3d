"""Products of vectors and matrices."""

import math

from ..errors import type_name
from ..operation import Operation
from ..tensor import Tensor
from .registry import both, method
from .shape import SqueezeAgain, UnsafeView


class Mm(Operation):
    """Matrix times matrix."""

    called = {"y": "mat2"}

    def forward(x, y):
        return x @ y

    def grad_x(g, _x, y):
        return g @ y.mT

    def grad_y(g, x, _y):
        return x.mT @ g


class Bmm(Mm):
    """Each matrix of a batch with its partner in another; batches broadcast."""


class Mv(Mm):
    """Matrix times vector."""

    called = {"y": "vec"}

    def grad_x(g, _x, y):
        return g[:, None] * y


class Dot(Mm):
    """The sum of the products of two vectors' elements."""

    called = {"y": "tensor"}

    def grad_x(g, _x, y):
        return g * y

    def grad_y(g, x, _y):
        return g * x


class Addmm(Operation):
    """A bias, which is expanded, plus matrix times matrix."""

    called = {"y": "mat1", "z": "mat2"}

    def forward(x, y, z):
        out = y @ z
        out += x  # in place: one large array fewer
        return out

    def grad_x(g, _x, _y, _z):
        return g

    def grad_y(g, _x, _y, z):
        return g @ z.mT

    def grad_z(g, _x, y, _z):
        return (g.mT @ y).mT  # row by row in memory where z is a transposed weight


# by the operands' numbers of dimensions: the operation, and what it says if lengths do not fit
MISMATCH = "mat1 and mat2 shapes cannot be multiplied ({0[0]}x{0[1]} and {1[0]}x{1[1]})"
PRODUCTS = {
    (2, 2): (Mm, MISMATCH),
    (2, 1): (Mv, "size mismatch, got input ({0[0]}), mat ({0[0]}x{0[1]}), vec ({1[0]})"),
    (1, 1): (
        Dot,
        "inconsistent tensor size, expected tensor [{0[0]}] and src [{1[0]}] to have the "
        "same number of elements, but got {0[0]} and {1[0]} elements respectively",
    ),
}


def product(x, y, *ndims):
    """A product of tensors. Raises RuntimeError unless they have `ndims` dimensions and fit."""
    same_dtype(x, y)
    a, b = x._array.shape, y._array.shape
    if (len(a), len(b)) != ndims:
        raise RuntimeError(f"expected {ndims[0]}-D and {ndims[1]}-D, not {len(a)}-D and {len(b)}-D")
    operation, mismatch = PRODUCTS[ndims]
    if (a[:-2], a[-1]) != (b[:-2], b[-2:][0]):
        raise RuntimeError(mismatch.format(a, b))
    return operation.apply(x, y)


def same_dtype(x, y):
    """Raises RuntimeError for two dtypes, which matrix products do not promote, and for bools."""
    if not isinstance(y, Tensor):
        raise TypeError(f"a product needs a tensor: torch.tensor(...), not {type_name(y)}")
    if x.dtype is not y.dtype or x._array.dtype == bool:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{x.dtype.cxx_name} != {y.dtype.cxx_name}"
        )


@both
def mm(input, mat2):
    """Matrix (n, m) times matrix (m, p) gives (n, p). Raises RuntimeError for other shapes."""
    return product(input, mat2, 2, 2)


@both
def mv(input, vec):
    """Matrix (n, m) times vector (m) gives (n). Raises RuntimeError for other shapes."""
    return product(input, vec, 2, 1)


@both
def dot(input, tensor):
    """The sum of the products of two vectors' elements. Raises RuntimeError for other shapes."""
    return product(input, tensor, 1, 1)


@both
def matmul(input, other):
    """`input @ other`: the product of vectors, matrices, or batches of matrices, which broadcast.

    (n) with (n) gives a 0-d tensor, (n, m) with (m) gives (n), (*, n, m) with (*, m, p) gives
    (*, n, p). Raises RuntimeError for shapes that do not fit, 0-d tensors and two dtypes.
    """
    same_dtype(input, other)
    a, b = input._array.shape, other._array.shape
    if not a or not b:
        raise RuntimeError(f"matmul needs at least 1-D tensors, not {len(a)}-D and {len(b)}-D")
    if len(a) < 3 and (len(a), len(b)) in PRODUCTS:
        return product(input, other, len(a), len(b))
    if len(a) == 1:
        return SqueezeAgain.apply(matmul(input.unsqueeze(0), other), b[:-2] + b[-1:])
    if len(b) <= 2:  # one matrix for all that are in the batch
        tall = input.reshape(math.prod(a[:-1]), a[-1])
        return UnsafeView.apply(product(tall, other, 2, len(b)), a[:-1] + b[1:])
    try:
        out = Bmm.apply(input, other)
    except ValueError:
        raise RuntimeError(f"matmul: shapes {a} and {b} do not fit together") from None
    return UnsafeView.apply(out, out._array.shape)


@method
def __matmul__(self, other):
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


@both
def outer(input, vec2):
    """All products of elements of two vectors: (n) and (m) give (n, m), else RuntimeError."""
    if input.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"outer: two vectors are needed, not {input.ndim}-D and {vec2.ndim}-D")
    return input.reshape(-1, 1) * vec2


def linear(input, weight, bias=None):
    """`input @ weight.T + bias`: (*, n) with weight (m, n) and bias (m) gives (*, m).

    Raises RuntimeError for other shapes.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.functional.linear.html
    """
    if bias is None:
        return matmul(input, weight.t())
    shape, matrix = input._array.shape, weight.t()
    tall = input if len(shape) == 2 else input.reshape(math.prod(shape[:-1]), shape[-1])
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            "mat1 and mat2 must have the same dtype, but got "
            f"{input.dtype.tensor_name} and {weight.dtype.tensor_name}"
        )
    if shape[-1] != weight._array.shape[1]:
        raise RuntimeError(MISMATCH.format(tall._array.shape, matrix._array.shape))
    out = Addmm.apply(bias, tall, matrix)
    return out if tall is input else out.view(*shape[:-1], matrix._array.shape[1])
