"""A = P L U, and solving with factors; the forms of `inv` and its like that refuse no matrix.

The order of the rows in elimination is found first and has no gradient; elimination itself then
exchanges none. A matrix that is not square is a part of a square one, which ones on the diagonal
complete, and so are its factors: a rule computes with those.
"""

import math

import numpy as np

from ..operation import Operation
from ..tensor import make
from .arguments import check_broadcast, named
from .factors import NO_FACTOR, Cholesky, bad_minors
from .join import cat
from .matrices import (
    NO_INVERSE,
    NO_SOLUTION,
    Inverse,
    Solve,
    SolveTriangular,
    by_column,
    check_equation,
    check_fits,
    check_float,
    check_square,
    long_floats,
    mT,
    pivots_of,
    product,
    refuse,
    solve,
    summed_to,
)
from .rearrange import Tril, Triu
from .registry import both
from .scatter import wrap
from .several import Several
from .window import ConstantPadNd

# -- elimination ----------------------------------------------------------------------------------


def order_of(exchanged, rows):
    """The order (*, rows) in which the exchanges put the rows."""
    order = np.broadcast_to(np.arange(rows), (*exchanged.shape[:-1], rows)).copy()
    for which in np.ndindex(exchanged.shape[:-1]):
        lines = order[which]
        for k, step in enumerate(exchanged[which]):
            lines[[k, step - 1]] = lines[[step - 1, k]]
    return order


def put(order):
    """The permutation matrices P for which P rows[order] = rows, the rows brought back."""
    return np.swapaxes(np.eye(order.shape[-1])[order], -1, -2)


def eliminated(x, order):
    """Elimination with the rows of `x` in this order: L below the diagonal, U on and above it."""
    x = np.take_along_axis(x, order[..., None], -2)
    for k in range(min(x.shape[-2:])):
        pivot = x[..., k, k]
        x[..., k + 1 :, k] /= np.where(pivot == 0, 1, pivot)[..., None]
        x[..., k + 1 :, k + 1 :] -= x[..., k + 1 :, k, None] * x[..., None, k, k + 1 :]
    return x


def completed(x, n, diagonal=0):
    """Matrices as the corner of (n, n), with this number on the rest of the diagonal, zeros elsewhere."""
    rows, columns = x.shape[-2:]
    if (rows, columns) == (n, n):
        return x
    pairs = ((0, 0),) * (x.ndim - 2) + ((0, n - rows), (0, n - columns))
    rest = np.diag(np.where(np.arange(n) < min(rows, columns), 0, diagonal))
    return ConstantPadNd(x, pairs, 0) + wrap(rest, x)


def with_ones(below):
    """L: what is below the diagonal, with ones on it."""
    return Tril(below, -1) + wrap(np.eye(below.shape[-1]), below)


def grad_of_factors(g_lower, g_upper, lower, upper, order, n):
    """The gradient of A = P L U, with `n` columns, from those of its completed factors.

    It is P L⁻ᵀ (tril(Lᵀ gL) + triu(gU Uᵀ)) U⁻ᵀ, tril without the diagonal.
    """
    inner = Tril(product(mT(lower), g_lower), -1) + Triu(product(g_upper, mT(upper)), 0)
    inner = SolveTriangular(mT(lower), inner, True, True, True)
    found = SolveTriangular(mT(upper), inner, False, False, False)
    return product(wrap(put(order), lower), found[..., : order.shape[-1], :n])


class Lu(Several, name="LinalgLuBackward0"):
    """The factors of matrices with their rows in this order: L with ones on its diagonal, and U."""

    _outputs = 2

    def forward(x, order):
        packed, k = eliminated(x, order), min(x.shape[-2:])
        lower = np.tril(packed[..., :k], -1)
        lower[..., range(k), range(k)] = 1
        return lower, np.triu(packed[..., :k, :])

    def grad_x(gs, x, order):
        size, factors = max(x.shape[-2:]), Lu(x, order)
        gs = [wrap(np.zeros(f.shape), x) if g is None else g for g, f in zip(gs, factors)]
        gs, factors = [completed(g, size) for g in gs], [completed(f, size, 1) for f in factors]
        return grad_of_factors(*gs, *factors, order, x.shape[-1])


class LuFactor(Operation, name="LinalgLuFactorExBackward0"):
    """Both factors in one matrix: L below the diagonal, U on and above it."""

    called = {"out": "LU"}

    def forward(x, order):
        return by_column(eliminated(x, order))

    def grad_x(g, out, order):
        size, n = max(out.shape[-2:]), out.shape[-1]
        packed, g = completed(out, size, 1), completed(g, size)
        return grad_of_factors(g, g, with_ones(packed), Triu(packed, 0), order, n)


def _need_pivoted_matrix(name, A, pivot):
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    if A.ndim < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    long_floats("lu_cpu", A)


_LU = named("linalg_lu", "P L U")
_LU_FACTOR = named("linalg_lu_factor", "LU pivots")
_LU_FACTOR_EX = named("linalg_lu_factor_ex", "LU pivots info")


def lu(A, *, pivot=True):
    """A = P L U: a permutation, L with ones on its diagonal and zeros above, U with zeros below.

    (*, m, n) gives (*, m, m), (*, m, k) and (*, k, n) for k = min(m, n). RuntimeError for a vector, and
    for `pivot=False`, which PyTorch has on GPUs only; NotImplementedError for integers.
    """
    _need_pivoted_matrix("linalg.lu", A, pivot)
    order = order_of(pivots_of(A._array)[0], A.shape[-2])
    return _LU(make(put(order).astype(A._array.dtype, order="C")), *Lu(A, order))


def lu_factor_ex(A, *, pivot=True, check_errors=False):
    """`lu_factor` that refuses no matrix: `info` (*) names the first step without a pivot, or is 0.

    (*, m, n) gives (*, m, n), (*, k) and (*) for k = min(m, n). RuntimeError for a vector and, with
    `check_errors`, for singular matrices; NotImplementedError for integers.
    """
    return _factored("torch.linalg.lu_factor_ex", A, pivot, check_errors)


def lu_factor(A, *, pivot=True):
    """L and U in one matrix, and which rows were exchanged: what `lu_solve` takes.

    (*, m, n) gives (*, m, n), and (*, k) of int32, numbered from 1, for k = min(m, n). RuntimeError for
    a vector and for singular matrices, NotImplementedError for integers.
    """
    return _LU_FACTOR(*_factored("torch.linalg.lu_factor", A, pivot, True)[:2])


def _factored(name, A, pivot, check_errors):
    _need_pivoted_matrix("torch.lu_factor", A, pivot)
    exchanged, info = pivots_of(A._array)
    if check_errors and info.any():
        number = int(np.flatnonzero(info)[0])
        which = f"(Batch element {number}): " if info.ndim else ""
        step = info.reshape(-1)[number]
        raise RuntimeError(
            f"{name}: {which}U[{step},{step}] is zero and using it on lu_solve would result in a "
            "division by zero. If you still want to perform the factorization, consider calling "
            "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        )
    packed = LuFactor(A, order_of(exchanged, A.shape[-2]))
    return _LU_FACTOR_EX(packed, make(exchanged), make(info))


class LuSolve(Operation, name="LinalgLuSolveBackward0"):
    """The X for which A X = B, or Aᵀ X = B if `adjoint`, or X A = B, from A = P L U."""

    called = {"x": "LU", "y": "B"}

    def forward(x, y, order, left, adjoint):
        if not left:
            return mT(LuSolve.forward(x, mT(y), order, True, not adjoint))
        P, lower, upper = put(order).astype(x.dtype), with_ones(x), np.triu(x)
        if adjoint:
            found = P @ np.linalg.solve(mT(lower), np.linalg.solve(mT(upper), y))
        else:
            found = np.linalg.solve(upper, np.linalg.solve(lower, mT(P) @ y))
        return by_column(found)

    def grad_x(g, x, out, order, left, adjoint, like_x):
        if not left:
            return LuSolve.grad_x(mT(g), x, mT(out), order, True, not adjoint, like_x)
        P, lower, upper = wrap(put(order), x), with_ones(x), Triu(x, 0)
        if adjoint:  # with Y = Pᵀ X: gL = -Y (L⁻¹ gY)ᵀ, gU = -(Lᵀ Y) (U⁻¹ L⁻¹ gY)ᵀ
            Y = product(mT(P), out)
            back = SolveTriangular(lower, product(mT(P), g), False, True, True)
            g_lower = product(Y, mT(back))
            back = SolveTriangular(upper, back, True, True, False)
            g_upper = product(mT(lower), Y, mT(back))
        else:  # gU = -(U⁻ᵀ gX) Xᵀ, gL = -(L⁻ᵀ U⁻ᵀ gX) (U X)ᵀ
            back = SolveTriangular(mT(upper), g, False, True, False)
            g_upper = product(back, mT(out))
            back = SolveTriangular(mT(lower), back, True, True, True)
            g_lower = product(back, mT(product(upper, out)))
        return summed_to(-(Tril(g_lower, -1) + Triu(g_upper, 0)), like_x)

    def grad_y(g, x, order, left, adjoint, like_y):
        return summed_to(LuSolve(x, g, order, left, not adjoint), like_y)


def lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """The X for which A X = B (X A = B with `left=False`), from `lu_factor(A)`.

    LU (*, n, n), pivots (*, n) and B (*, n, k) give (*, n, k), batches broadcast; with `adjoint` A is
    transposed. RuntimeError for shapes that do not fit.
    """
    check_square("linalg.lu_solve", LU)
    if B.ndim < 2:
        raise RuntimeError("linalg.lu_solve: The input tensor B must have at least 2 dimensions.")
    if LU.dtype is not B.dtype:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type "
            f"{LU.dtype.tensor_name} and B of type {B.dtype.tensor_name} instead"
        )
    if pivots._array.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    check_float("torch.linalg.lu_solve", LU, "lu_solve_cpu")
    if pivots.shape[-1] != LU.shape[-1]:
        raise RuntimeError(
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} instead"
        )
    check_fits("linalg.lu_solve", LU._array.shape, B._array.shape, left)
    order = order_of(pivots._array, LU.shape[-1])
    return LuSolve(LU, B, order, bool(left), bool(adjoint))


# -- with a Cholesky factor -----------------------------------------------------------------------


class CholeskySolve(Operation):
    """The X for which A X = B, from a Cholesky factor of A."""

    called = {"y": "input2"}

    def forward(x, y, upper):
        lower = np.tril(mT(y) if upper else y)
        return by_column(np.linalg.solve(mT(lower), np.linalg.solve(lower, x)))

    def grad_x(g, y, upper, like_x):
        return summed_to(CholeskySolve(g, y, upper), like_x)

    def grad_y(g, y, out, upper, like_y):
        common = product(CholeskySolve(g, y, upper), mT(out))
        return summed_to(grad_of_factor(common + mT(common), y, upper), like_y)


class CholeskyInverse(Operation):
    """The inverse of A, from its Cholesky factor."""

    def forward(x, upper):
        return CholeskySolve.forward(np.eye(x.shape[-1], dtype=x.dtype), x, upper)

    def grad_x(g, x, out, upper):
        return grad_of_factor(product(out, g + mT(g), out), x, upper)


def grad_of_factor(common, factor, upper):
    """The gradient of L in A = L Lᵀ, or of its transpose, where that of A is `-common / 2`, symmetric."""
    return -(product(factor, common) if upper else product(common, factor))


@both
def cholesky_solve(B, L, upper=False):
    """The X for which A X = B, from the Cholesky factor L of A = L Lᵀ (or its transpose, `upper`).

    B (*, n, k) and L (*, n, n) give (*, n, k). RuntimeError for shapes that do not fit.
    """
    for name, x in (("b", B), ("u", L)):
        if x.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead"
            )
    if B.dtype is not L.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {B.dtype.tensor_name} and A of "
            f"type {L.dtype.tensor_name} instead."
        )
    (n, k), (rows, columns) = L.shape[-2:], B.shape[-2:]
    if n != rows:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {n} by {k} but each b matrix "
            f"is {rows} by {columns}"
        )
    check_broadcast(B._array.shape[:-2], L._array.shape[:-2])
    long_floats("cholesky_solve_cpu", B)
    return CholeskySolve(B, L, bool(upper))


@both
def cholesky_inverse(L, upper=False):
    """The inverse of A = L Lᵀ from its Cholesky factor L (or its transpose, `upper`).

    (*, n, n) gives (*, n, n). RuntimeError for what is no square matrix.
    """
    check_square("cholesky_inverse", L)
    long_floats("cholesky_inverse_out_cpu", L)
    return CholeskyInverse(L, bool(upper))


# -- forms that refuse no matrix ------------------------------------------------------------------

_INV_EX = named("linalg_inv_ex", "inverse info")
_CHOLESKY_EX = named("linalg_cholesky_ex", "L info")
_SOLVE_EX = named("linalg_solve_ex", "result info")


def inv_ex(A, *, check_errors=False):
    """The inverse, and `info`: 0, or the first step of elimination (from 1) that found no pivot.

    (*, n, n) gives (*, n, n) and (*) of int32. RuntimeError for matrices that are not square and for
    integers; LinAlgError for singular ones only with `check_errors`.
    """
    check_square("linalg.inv", A)
    check_float("linalg.inv", A)
    info = pivots_of(A._array)[1]
    if check_errors:
        refuse("linalg.inv_ex", info, NO_INVERSE)
    return _INV_EX(Inverse(A), make(info))


def cholesky_ex(A, *, upper=False, check_errors=False):
    """The Cholesky factor, and `info`: 0, or the order of the first minor that is not positive.

    (*, n, n) gives (*, n, n) and (*) of int32; the factor of a matrix that has none means nothing.
    RuntimeError for matrices that are not square and for integers; LinAlgError for those that are not
    positive-definite only with `check_errors`.
    """
    check_square("linalg.cholesky", A)
    check_float("linalg.cholesky", A)
    info = bad_minors(A._array, upper)
    if check_errors:
        refuse("linalg.cholesky_ex", info, NO_FACTOR)
    return _CHOLESKY_EX(Cholesky(A, bool(upper), False), make(info))


def solve_ex(A, B, *, left=True, check_errors=False):
    """The X for which A X = B (X A = B with `left=False`), and `info`: 0, or the step without a pivot.

    A (*, n, n) and B (*, n, k) or (*, n) give an X of B's shape and an info (*) of int32. LinAlgError
    for singular matrices only with `check_errors`, else an X of inf; RuntimeError as for `solve`.
    """
    vector = check_equation(A, B, left)
    info = pivots_of(A._array)[1]
    if check_errors:
        refuse("torch.linalg.solve_ex", info, NO_SOLUTION)
    if info.any():
        inverse = Inverse(A)
        return _SOLVE_EX(inverse @ B if left else B @ inverse, make(info))
    return _SOLVE_EX(Solve(A, B, left, vector), make(info))


# -- tensors as matrices --------------------------------------------------------------------------


def vander(x, N=None):
    """The matrix of powers of vectors: a row for each element, the zeroth power first.

    (*, n) gives (*, n, N), N is n if not given. RuntimeError for an N below 2.
    """
    x = x if x.ndim else x.unsqueeze(0)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*x.shape, count - 1).cumprod(-1)
    return cat([make(np.ones((*x.shape, 1), powers._array.dtype)), powers], -1)


def _need_even(split, shape, where):
    """Refuse a tensor that is no square matrix when its first `split` dimensions count as rows."""
    rows, columns = math.prod(shape[:split]), math.prod(shape[split:])
    if rows != columns:
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[{where}:]) == "
            f"prod(self.shape[:{where}]), but got {columns} != {rows}"
        )
    return rows


def tensorinv(A, ind=2):
    """The inverse of a tensor whose first `ind` dimensions count as rows, the others as columns.

    Its shape has the columns first: (2, 3, 6) gives (6, 2, 3). RuntimeError unless there are as many
    rows as columns and `ind` is positive, LinAlgError if there is no inverse.
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = tuple(A.shape)
    n = _need_even(ind, shape, "ind")
    return A.reshape(n, n).inverse().reshape(shape[ind:] + shape[:ind])


def tensorsolve(A, B, dims=None):
    """The X for which `tensordot(A, X, X.ndim)` is B; `dims` of A are first moved to its end.

    A (*b, *x) and B (*b) give X (*x). RuntimeError unless A counts as a square matrix, LinAlgError if
    that is singular.
    """
    if dims is not None:
        A = A.movedim(dims, tuple(range(A.ndim - len(dims), A.ndim)))
    n = _need_even(B.ndim, tuple(A.shape), "other.ndim")
    return solve(A.reshape(n, n), B.reshape(n)).reshape(A.shape[B.ndim :])
