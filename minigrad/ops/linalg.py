"""Products of matrices and vectors."""

import math

import numpy as np

from ..dtypes import CXX_NAMES
from ..operation import Operation
from ..tensor import Tensor
from .arguments import check_broadcast, need_tensor, no_bools
from .elementwise import Mul, binary
from .registry import both
from .shape import Reshape, T, Transpose, UnsafeView


class Mm(Operation):
    """Matrix times matrix."""

    def forward(x, mat2):
        return x @ mat2

    def grad_x(g, mat2):
        return g @ mat2.T

    def grad_mat2(g, x, like_mat2):
        return as_it_lies(g, x, like_mat2)


def as_it_lies(g, x, like_mat2):
    """The gradient of `mat2` in x @ mat2, laid in memory as that is: `x @ w.t()` leaves w.grad in C order."""
    if like_mat2.strides[0] < like_mat2.strides[1]:
        return (g.T @ x).T
    return x.T @ g


class Mv(Operation):
    """Matrix times vector."""

    def forward(x, vec):
        return x @ vec

    def grad_x(g, vec):
        return outer_product(g, vec)

    def grad_vec(g, x):
        return Mv(T(x), g)


class Dot(Operation):
    """The sum of the products of two vectors' elements."""

    def forward(x, tensor):
        return np.asarray(x @ tensor)

    def grad_x(g, tensor):
        return g * tensor

    def grad_tensor(g, x):
        return g * x


class Vdot(Dot):
    """`Dot` by its other name."""


class Bmm(Operation):
    """A batch of matrix products."""

    def forward(x, mat2):
        return x @ mat2

    def grad_x(g, mat2):
        return Bmm(g, Transpose(mat2, 1, 2))

    def grad_mat2(g, x):
        return Bmm(Transpose(x, 1, 2), g)


def outer_product(x, y):
    """The matrix of all products x[i] * y[j]."""
    return Reshape(x, (x.shape[0], 1)) * y


def same_dtype(x, y, first="m1", second="m2"):
    """Products of matrices do not promote."""
    if x._array.dtype != y._array.dtype:
        names = [CXX_NAMES[t.dtype.tensor_name] for t in (x, y)]
        raise RuntimeError(
            f"expected {first} and {second} to have the same dtype, but got: "
            f"{names[0]} != {names[1]}"
        )


def can_multiply(mat1, mat2):
    a, b = mat1._array.shape, mat2._array.shape
    if a[1] != b[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
        )


# -- public names ---------------------------------------------------------------------------------


@both
def mm(input, mat2):
    """Matrix (n, m) times matrix (m, p): (n, p).

    RuntimeError for other shapes or different dtypes.
    """
    need_tensor("mm", "mat2", 2, mat2)
    if input.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    can_multiply(input, mat2)
    same_dtype(input, mat2)
    no_bools("addmm_impl_cpu_", input._array)
    return Mm(input, mat2)


def same_mv(input, mat, vec):
    """Matrix times vector does not promote."""
    types = [t.dtype for t in (input, mat, vec)]
    if len(set(types)) > 1:
        names = [t.tensor_name for t in types]
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{names[0]}, {names[1]}, and {names[2]}"
        )


def check_mv(input, mat, vec):
    if mat.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {mat.ndim}, {vec.ndim}")
    a, b = mat._array.shape, vec._array.shape
    rows = a[0] if input is None else input._array.shape[-1] if input.ndim else 1
    if a[1] != b[0] or rows not in (1, a[0]):
        raise RuntimeError(f"size mismatch, got input ({rows}), mat ({a[0]}x{a[1]}), vec ({b[0]})")


@both
def mv(input, vec):
    """Matrix (n, m) times vector (m): (n).

    RuntimeError for other shapes or different dtypes, IndexError for a 0-d tensor.
    """
    need_tensor("mv", "vec", 2, vec)
    if input.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    check_mv(None, input, vec)
    same_mv(vec, input, vec)
    no_bools("addmv_impl_cpu", input._array)
    return Mv(input, vec)


def _dot(operation, input, other):
    if input.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {other.ndim}D tensors")
    if input._array.dtype != other._array.dtype:
        raise RuntimeError(
            "dot : expected both vectors to have same dtype, but found "
            f"{input.dtype.tensor_name} and {other.dtype.tensor_name}"
        )
    a, b = input._array.size, other._array.size
    if a != b:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a}] and src [{b}] to have the same "
            f"number of elements, but got {a} and {b} elements respectively"
        )
    no_bools("dot", input._array)
    return operation(input, other)


@both
def dot(input, tensor):
    """The sum of the products of two vectors' elements; 0-d.

    RuntimeError for vectors (n) of different lengths or dtypes, and for what is no vector.
    """
    need_tensor("dot", "tensor", 2, tensor)
    return _dot(Dot, input, tensor)


@both
def vdot(input, other):
    """The sum of the products of two vectors' elements; for real numbers the same as `dot`.

    A 0-d tensor. RuntimeError for vectors (n) of different lengths or dtypes.
    """
    need_tensor("vdot", "other", 2, other)
    return _dot(Vdot, input, other)


def check_bmm(batch1, batch2):
    a, b = batch1._array.shape, batch2._array.shape
    if len(a) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if len(b) != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but "
            f"got: [{b[0]}, {b[1]}]."
        )


@both
def bmm(input, mat2):
    """A batch of matrix products: (b, n, m) times (b, m, p) gives (b, n, p).

    RuntimeError for other shapes or different dtypes.
    """
    need_tensor("bmm", "mat2", 2, mat2)
    check_bmm(input, mat2)
    if input._array.dtype != mat2._array.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.tensor_name} but found {mat2.dtype.tensor_name}"
        )
    no_bools("bmm", input._array)
    return Bmm(input, mat2)


@both
def matmul(input, other):
    """The product of vectors, matrices, or batches of matrices (batch dimensions broadcast).

    (n) with (n) gives a 0-d tensor, (n, m) with (m) a vector (n), (*, n, m) with (*, m, p) matrices (*,
    n, p). RuntimeError for shapes that do not fit, 0-d tensors, and different dtypes.
    """
    need_tensor("matmul", "other", 2, other)
    a, b = input.ndim, other.ndim
    if a == b == 2:
        return mm(input, other)
    if a == 0 or b == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D"
        )
    if a == b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return mm(input.unsqueeze(0), other).squeeze_(0)
    if _folds(input, other):
        return _folded(input, other)
    if a == b == 3 and input.shape[0] != other.shape[0]:
        if input.shape[0] == 1 and input.requires_grad:
            return matmul(input.squeeze(0), other)
        if other.shape[0] == 1 and other.requires_grad:
            return matmul(input, other.squeeze(0))
    return _batched(input, other)


def _folds(input, other):
    """Whether one matrix or vector serves a whole batch, and the batch can be made one matrix.

    This is PyTorch's own rule; it decides about the nodes that `matmul` leaves.
    """
    first = input.ndim >= other.ndim
    batch, single = (input, other) if first else (other.mT, input)
    if batch.ndim < 3 or single.ndim > 2:
        return False
    if single.requires_grad:
        return True
    if input.ndim == 2:
        return False
    shape, steps = batch._array.shape, batch._array.strides
    return not batch._array.size or all(
        steps[d] == steps[d + 1] * shape[d + 1] for d in range(batch.ndim - 2)
    )


def _folded(input, other):
    """The batch as one tall matrix, multiplied, and unfolded again."""
    swapped = other.ndim > input.ndim
    batch = other.mT if swapped else input
    single = other if not swapped else input.t() if input.ndim == 2 else input
    shape = batch._array.shape
    tall = batch.reshape(math.prod(shape[:-1]), shape[-1])
    if single.ndim == 1:
        return UnsafeView(mv(tall, single), shape[:-1])
    out = UnsafeView(mm(tall, single), (*shape[:-1], single._array.shape[1]))
    return out.mT.contiguous() if swapped else out


def _batched(input, other):
    """The batch dimensions expanded and made one, multiplied, and unfolded again."""
    a, b = input._array.shape, other._array.shape
    rows, inner = (a[-2] if len(a) > 1 else 1), a[-1]
    columns = b[-1] if len(b) > 1 else 1
    check_broadcast(a[:-2], b[:-2])
    batch = np.broadcast_shapes(a[:-2], b[:-2])
    size = math.prod(batch)
    left = input.expand(*batch, rows, inner).reshape(size, rows, inner)
    if len(b) == 1:
        right = other.unsqueeze(1).expand(*batch, b[0], 1).reshape(size, b[0], 1)
        return UnsafeView(bmm(left, right).squeeze(-1), (*batch, rows))
    right = other.expand(*batch, b[-2], columns).reshape(size, b[-2], columns)
    shape = (*batch, columns) if len(a) == 1 else (*batch, rows, columns)
    return UnsafeView(bmm(left, right), shape)


def __matmul__(self, other):
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


Tensor.__matmul__ = __matmul__


@both
def outer(input, vec2):
    """The matrix of all products input[i] * vec2[j]: (n) and (m) give (n, m).

    RuntimeError for what is no vector.
    """
    need_tensor("outer", "vec2", 2, vec2)
    check_vectors("outer", "self", input, "vec2", vec2)
    return binary(Mul, input.reshape(-1, 1), vec2)


both(outer, name="ger")


def check_vectors(name, first, x, second, y):
    for argument, vector in ((first, x), (second, y)):
        if vector.ndim != 1:
            raise RuntimeError(f"{name}: Expected 1-D argument {argument}, but got {vector.ndim}-D")
