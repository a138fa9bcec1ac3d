"""A = P L U, and solving with factors; the forms of `inv` and its like that refuse no matrix.

The order of the rows in elimination is found first and has no gradient. Behind it stands elimination
without exchanges of the square corner, whose rule is that of `Lu`; what else there is follows from it.
"""

import math

import numpy as np

from ..operation import Operation
from ..tensor import make
from .arguments import named
from .factors import Cholesky
from .join import cat
from .matrices import (
    Inverse,
    LinAlgError,
    SolveTriangular,
    check_float,
    check_square,
    mT,
    product,
    solve,
    solve_triangular,
)
from .rearrange import Tril, Triu
from .registry import both
from .scatter import wrap
from .several import Several
from .softmax import not_implemented

# -- elimination ----------------------------------------------------------------------------------


def exchanges(matrix):
    """The row exchanged in each step of elimination, from 1, and the first step without a pivot, or 0."""
    u, exchanged, failed = matrix.copy(), [], 0
    for k in range(min(u.shape)):
        best = k + int(np.argmax(np.abs(u[k:, k])))
        exchanged.append(best + 1)
        u[[k, best]] = u[[best, k]]
        if u[k, k]:
            u[k + 1 :] -= np.outer(u[k + 1 :, k] / u[k, k], u[k])
        elif not failed:
            failed = k + 1
    return exchanged, failed


def pivots_of(array):
    """For a batch of matrices: the exchanges (*, k) and the failures (*), both int32."""
    batch, k = array.shape[:-2], min(array.shape[-2:])
    found = [exchanges(matrix) for matrix in array.reshape(-1, *array.shape[-2:])]
    exchanged = np.array([steps for steps, _ in found], np.int32).reshape(*batch, k)
    return exchanged, np.array([failed for _, failed in found], np.int32).reshape(batch)


def order_of(exchanged, rows):
    """The order (*, rows) in which the exchanges put the rows."""
    order = np.broadcast_to(np.arange(rows), (*exchanged.shape[:-1], rows)).copy()
    for lines, steps in zip(order.reshape(-1, rows), exchanged.reshape(-1, exchanged.shape[-1])):
        for k, step in enumerate(steps):
            lines[[k, step - 1]] = lines[[step - 1, k]]
    return order


def ordered(A, order):
    """The rows of matrices in another order."""
    return A.gather(-2, make(np.broadcast_to(order[..., None], A.shape).copy()))


def eliminated(x):
    """Elimination without exchanges of square matrices: L below the diagonal, U on and above it."""
    x = x.copy()
    for k in range(x.shape[-1]):
        pivot = x[..., k, k]
        x[..., k + 1 :, k] /= np.where(pivot == 0, 1, pivot)[..., None]
        x[..., k + 1 :, k + 1 :] -= x[..., k + 1 :, k, None] * x[..., None, k, k + 1 :]
    return x


def with_ones(below):
    """L: what is below the diagonal, with ones on it."""
    return Tril(below, -1) + wrap(np.eye(below.shape[-1]), below)


def grad_of_factors(g_lower, g_upper, lower, upper):
    """The gradient of A = L U from those of its factors: L⁻ᵀ (tril(Lᵀ gL) + triu(gU Uᵀ)) U⁻ᵀ."""
    inner = Tril(product(mT(lower), g_lower), -1) + Triu(product(g_upper, mT(upper)), 0)
    return mT(SolveTriangular(upper, mT(SolveTriangular(mT(lower), inner, True, True)), True, False))


class Lu(Several, name="LinalgLuBackward0"):
    """The factors of square matrices whose rows are in order: L with ones on its diagonal, and U."""

    _outputs = 2

    def forward(x):
        packed = eliminated(x)
        return with_ones(packed), np.triu(packed)

    def grad_x(gs, x):
        zeros = wrap(np.zeros(x.shape), x)
        return grad_of_factors(*[zeros if g is None else g for g in gs], *Lu(x))


class LuFactor(Operation, name="LinalgLuFactorExBackward0"):
    """Both factors in one matrix: L below the diagonal, U on and above it."""

    called = {"out": "LU"}

    def forward(x):
        return eliminated(x)

    def grad_x(g, out):
        return grad_of_factors(g, g, with_ones(out), Triu(out, 0))


def _need_pivoted_matrix(name, A, pivot):
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    if A.ndim < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    if A._array.dtype not in (np.float32, np.float64):
        raise not_implemented("lu_cpu", A)


_LU = named("linalg_lu", "P L U")
_LU_FACTOR = named("linalg_lu_factor", "LU pivots")
_LU_FACTOR_EX = named("linalg_lu_factor_ex", "LU pivots info")


def lu(A, *, pivot=True):
    """A = P L U: a permutation, L with ones on its diagonal and zeros above, U with zeros below.

    (*, m, n) gives (*, m, m), (*, m, k) and (*, k, n) for k = min(m, n). RuntimeError for a vector, and
    for `pivot=False`, which PyTorch has on GPUs only; NotImplementedError for integers.
    """
    _need_pivoted_matrix("linalg.lu", A, pivot)
    m, n = A.shape[-2:]
    k, order = min(m, n), order_of(pivots_of(A._array)[0], m)
    permutation = np.swapaxes(np.eye(m, dtype=A._array.dtype)[order], -1, -2).copy()
    rows = ordered(A, order)
    lower, upper = Lu(rows[..., :k, :k])
    if m > k:
        lower = cat([lower, _rest_of_lower(upper, rows[..., k:, :])], -2)
    if n > k:
        upper = cat([upper, _rest_of_upper(lower, rows[..., :, k:])], -1)
    return _LU(make(permutation), lower, upper)


def _rest_of_lower(upper, rows):
    return solve_triangular(upper, rows, upper=True, left=False)


def _rest_of_upper(lower, columns):
    return solve_triangular(lower, columns, upper=False, unitriangular=True)


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
    (exchanged, info), (m, n) = pivots_of(A._array), A.shape[-2:]
    if check_errors and info.any():
        number = int(np.flatnonzero(info)[0])
        which = f"(Batch element {number}): " if info.ndim else ""
        step = info.reshape(-1)[number]
        raise RuntimeError(
            f"{name}: {which}U[{step},{step}] is zero and using it on lu_solve would result in a "
            "division by zero. If you still want to perform the factorization, consider calling "
            "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        )
    rows, k = ordered(A, order_of(exchanged, m)), min(m, n)
    packed = LuFactor(rows[..., :k, :k] if m != n else rows)
    if m > k:
        packed = cat([packed, _rest_of_lower(packed, rows[..., k:, :])], -2)
    if n > k:
        packed = cat([packed, _rest_of_upper(packed, rows[..., :, k:])], -1)
    return _LU_FACTOR_EX(packed, make(exchanged), make(info))


def lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """The X for which A X = B (X A = B with `left=False`), from `lu_factor(A)`.

    LU (*, n, n), pivots (*, n) and B (*, n, k) give (*, n, k); with `adjoint` A is transposed.
    RuntimeError for shapes that do not fit.
    """
    check_square("linalg.lu_solve", LU)
    if B.ndim < 2:
        raise RuntimeError("linalg.lu_solve: The input tensor B must have at least 2 dimensions.")
    if not left:
        return lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT
    n, (rows, columns) = LU.shape[-1], B.shape[-2:]
    if rows != n:
        raise RuntimeError(
            f"linalg.lu_solve: Incompatible shapes of A and B for the equation AX = B ({n}x{n} and "
            f"{rows}x{columns})"
        )
    batch = np.broadcast_shapes(LU.shape[:-2], B.shape[:-2])
    LU, B = LU.expand(*batch, n, n), B.expand(*batch, n, columns)
    order = np.broadcast_to(order_of(pivots._array, n), (*batch, n))
    if adjoint:
        inner = solve_triangular(LU.mT, B, upper=False)
        inner = solve_triangular(LU.mT, inner, upper=True, unitriangular=True)
        return ordered(inner, np.argsort(order, -1))
    return solve_triangular(LU, _rest_of_upper(LU, ordered(B, order)), upper=True)


# -- with a Cholesky factor -----------------------------------------------------------------------


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
    lower = L.mT if upper else L
    return solve_triangular(lower.mT, solve_triangular(lower, B, upper=False), upper=True)


@both
def cholesky_inverse(L, upper=False):
    """The inverse of A = L Lᵀ from its Cholesky factor L (or its transpose, `upper`).

    (*, n, n) gives (*, n, n). RuntimeError for what is no square matrix.
    """
    check_square("cholesky_inverse", L)
    eye = make(np.broadcast_to(np.eye(L.shape[-1], dtype=L._array.dtype), L.shape).copy())
    return cholesky_solve(eye, L, upper)


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
        _refuse("linalg.inv_ex", info, "The diagonal element {} is zero, the inversion could not be "
                "completed because the input matrix is singular.")  # fmt: skip
    return _INV_EX(Inverse(A), make(info))


def cholesky_ex(A, *, upper=False, check_errors=False):
    """The Cholesky factor, and `info`: 0, or the order of the first minor that is not positive.

    (*, n, n) gives (*, n, n) and (*) of int32; the factor of a matrix that has none means nothing.
    RuntimeError for matrices that are not square and for integers; LinAlgError for those that are not
    positive-definite only with `check_errors`.
    """
    check_square("linalg.cholesky", A)
    check_float("linalg.cholesky", A)
    matrices = A._array.reshape(-1, *A.shape[-2:])
    info = np.array([_first_bad_minor(m) for m in matrices], np.int32).reshape(A.shape[:-2])
    if check_errors:
        _refuse("linalg.cholesky_ex", info, "The factorization could not be completed because the input "
                "is not positive-definite (the leading minor of order {} is not positive-definite).")  # fmt: skip
    if info.any():
        return _CHOLESKY_EX(make(np.tril(A._array)), make(info))
    factor = Cholesky(A)
    return _CHOLESKY_EX(factor.mT if upper else factor, make(info))


def _first_bad_minor(matrix):
    for order in range(1, len(matrix) + 1):
        try:
            np.linalg.cholesky(matrix[:order, :order])
        except np.linalg.LinAlgError:
            return order
    return 0


def solve_ex(A, B, *, left=True, check_errors=False):
    """The X for which A X = B (X A = B with `left=False`), and `info`: 0, or the step without a pivot.

    A (*, n, n) and B (*, n, k) or (*, n) give an X of B's shape and an info (*) of int32. LinAlgError
    for singular matrices only with `check_errors`, else an X of inf; RuntimeError as for `solve`.
    """
    check_square("linalg.solve", A)
    check_float("linalg.solve", A, "lu_cpu")
    info = pivots_of(A._array)[1]
    if check_errors:
        _refuse("torch.linalg.solve_ex", info, "The solver failed because the input matrix is singular.")
    if info.any():
        inverse = Inverse(A)
        return _SOLVE_EX(inverse @ B if left else B @ inverse, make(info))
    return _SOLVE_EX(solve(A, B, left=left), make(info))


def _refuse(name, info, text):
    """LinAlgError about the first matrix of a batch that failed."""
    if info.any():
        number = int(np.flatnonzero(info)[0])
        which = f"(Batch element {number}): " if info.ndim else ""
        raise LinAlgError(f"{name}: {which}{text.format(info.reshape(-1)[number])}")


# -- tensors as matrices --------------------------------------------------------------------------


def vander(x, N=None):
    """The matrix of powers of vectors: a row for each element, the zeroth power first.

    (*, n) gives (*, n, N), N is n if not given. RuntimeError for an N below 2.
    """
    count = N if N is not None else x.shape[-1] if x.ndim else 1
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
