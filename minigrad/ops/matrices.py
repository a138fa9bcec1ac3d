"""Products of vectors and matrices."""

import math

import numpy as np

from ..errors import type_name
from ..operation import Operation
from ..tensor import Tensor
from .registry import both, method
from .shape import SqueezeAgain, UnsafeView


class Mm(Operation):
    """Matrix times matrix."""

    torch_names = {"y": "mat2"}
    mismatch = "mat1 and mat2 shapes cannot be multiplied ({0[0]}x{0[1]} and {1[0]}x{1[1]})"

    @classmethod
    def refusal(cls, error, arrays):
        """What NumPy refuses, in PyTorch's words."""
        return RuntimeError(cls.mismatch.format(*map(np.shape, arrays[-2:])))

    def forward(x, y):
        return x @ y

    def grad_x(g, _x, y):
        return g @ y.mT

    def grad_y(g, x, _y):
        return x.mT @ g


class Bmm(Mm):
    """Each matrix of a batch with its partner in another; batches broadcast."""

    mismatch = "matmul: shapes {0} and {1} do not fit together"


class Mv(Mm):
    """Matrix times vector."""

    torch_names = {"y": "vec"}
    mismatch = "size mismatch, got input ({0[0]}), mat ({0[0]}x{0[1]}), vec ({1[0]})"

    def grad_x(g, _x, y):
        return g[:, None] * y


class Dot(Mm):
    """The sum of the products of two vectors' elements."""

    torch_names = {"y": "tensor"}
    mismatch = (
        "inconsistent tensor size, expected tensor [{0[0]}] and src [{1[0]}] to have the "
        "same number of elements, but got {0[0]} and {1[0]} elements respectively"
    )

    def grad_x(g, _x, y):
        return g * y

    def grad_y(g, x, _y):
        return g * x


class Addmm(Operation):
    """A bias, which is expanded, plus matrix times matrix."""

    torch_names = {"y": "mat1", "z": "mat2"}
    refusal = Mm.refusal

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


PRODUCTS = {(2, 2): Mm, (2, 1): Mv, (1, 1): Dot}  # by the operands' numbers of dimensions


def product(x, y, *ndims):
    """A product of tensors. Raises RuntimeError unless they have `ndims` dimensions and fit."""
    same_dtype(x, y)
    if (x.ndim, y.ndim) != ndims:
        raise RuntimeError(f"expected {ndims[0]}-D and {ndims[1]}-D, not {x.ndim}-D and {y.ndim}-D")
    return PRODUCTS[ndims].apply(x, y)


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
    out = Bmm.apply(input, other)
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

    Raises RuntimeError for other shapes, and TypeError unless the input is a tensor.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.functional.linear.html
    """
    if not isinstance(input, Tensor):
        kind = type_name(input)
        raise TypeError(f"linear(): argument 'input' (position 1) must be Tensor, not {kind}")
    if bias is None:
        return matmul(input, weight.t())
    shape = input._array.shape
    tall = input if len(shape) == 2 else input.reshape(math.prod(shape[:-1]), shape[-1])
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            "mat1 and mat2 must have the same dtype, but got "
            f"{input.dtype.tensor_name} and {weight.dtype.tensor_name}"
        )
    out = Addmm.apply(bias, tall, weight.t())
    return out if tall is input else out.view(*shape[:-1], len(weight))
