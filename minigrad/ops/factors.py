"""Factors of matrices: Cholesky, eigenvalues, singular values, QR; and norms that need them."""

import numpy as np

from ..operation import Operation
from ..tensor import Tensor, make
from .arguments import all_dims, check_broadcast, named, some_dims, warn_once
from .join import Cat
from .matrices import (
    Inverse,
    LinAlgError,
    Pinv,
    as_diagonal,
    by_column,
    check_float,
    check_square,
    each,
    long_floats,
    mirrored,
    mT,
    product,
    refuse,
    summed_to,
)
from .rearrange import Tril
from .reduce import vector_norm
from .registry import both
from .scatter import array_of, wrap
from .select import Where
from .several import Several
from .shape import SqueezeDim, Unsqueeze

# -- Cholesky -------------------------------------------------------------------------------------


class Cholesky(Operation, name="LinalgCholeskyExBackward0"):
    """The lower triangular L with L Lᵀ = A or, if `upper`, the Lᵀ; only that triangle of A counts.

    Of a matrix that has none, as much as could be computed, if it is not `refused`.
    """

    called = {"out": "L"}

    def forward(x, upper, refused):
        x = mT(x) if upper else x
        try:
            found = np.linalg.cholesky(x)
        except np.linalg.LinAlgError:
            if refused:
                raise
            found = np.array([reduced(matrix)[0] for matrix in each(x)]).reshape(x.shape)
        return by_column(mT(found) if upper else found)

    def grad_x(g, out, upper):
        if upper:
            g, out = mT(g), mT(out)
        half = wrap(np.tril(np.ones(out.shape[-1:] * 2)) - np.eye(out.shape[-1]) / 2, out)
        inner = product(mT(out), g) * half
        back = Inverse(out)
        found = product(mT(back), inner, back)
        return (found + mT(found)) / 2


class CholeskyOld(Cholesky, name="CholeskyBackward0"):
    """`Cholesky` by its old name."""


NO_FACTOR = (
    "The factorization could not be completed because the input is not positive-definite (the "
    "leading minor of order {} is not positive-definite)."
)


def cholesky_of(operation, name, A, upper):
    """A Cholesky factor; LinAlgError if the matrix is not positive-definite."""
    check_square(name, A)
    try:
        return operation(A, bool(upper), True)
    except np.linalg.LinAlgError:
        info = bad_minors(A._array, upper)
    refuse(name, info, NO_FACTOR)


def bad_minors(array, upper):
    """For a batch of matrices: the order of the first minor that is not positive, or 0; (*) of int32."""
    found = [reduced(m.T if upper else m)[1] for m in each(array)]
    return np.array(found, np.int32).reshape(array.shape[:-2])


def reduced(matrix):
    """L of a symmetric matrix, column by column, and 0; or how far it came, and the column it stopped at."""
    lower = np.tril(matrix)
    for k in range(len(lower)):
        lower[k:, k] -= lower[k:, :k] @ lower[k, :k]
        if not lower[k, k] > 0:
            lower[k + 1 :, k] = matrix[k + 1 :, k]
            return lower, k + 1
        lower[k, k] **= 0.5
        lower[k + 1 :, k] /= lower[k, k]
    return lower, 0


@both
def cholesky(input, upper=False):
    """The triangular factor L of a positive-definite matrix A = L L^T; `upper` gives L^T.

    (*, n, n) gives (*, n, n). LinAlgError if A is not positive-definite, RuntimeError if it is not
    square.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.cholesky.html
    """
    warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a "
        "future PyTorch release.\nL = torch.cholesky(A)\nshould be replaced with\nL = "
        "torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\nshould be replaced "
        "with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent results "
        "for all valid (symmetric positive definite) inputs."
    )
    return cholesky_of(CholeskyOld, "cholesky", input, upper)


# -- eigenvalues, singular values, QR -------------------------------------------------------------


class Eigh(Several, name="LinalgEighBackward0"):
    """Eigenvalues in ascending order, and eigenvectors, of symmetric matrices."""

    _outputs = 2

    def forward(x, lower):
        values, vectors = np.linalg.eigh(x, "L" if lower else "U")
        return values, by_column(vectors)

    def grad_x(gs, x, lower):
        values, vectors = Eigh(x, lower)
        inner = 0 if gs[0] is None else as_diagonal(gs[0])
        if gs[1] is not None:
            turn = product(mT(vectors), gs[1])
            inner = inner + (turn - mT(turn)) / 2 * _one_over(_gaps(values))
        return product(vectors, inner, mT(vectors))


def _gaps(values):
    """The matrices of differences values[j] - values[i]."""
    return Unsqueeze(values, values.ndim - 1) - Unsqueeze(values, values.ndim)


def _one_over(gaps):
    """1 / gap off the diagonal, 0 on it."""
    eye = np.eye(gaps.shape[-1], dtype=bool)
    return Where(eye, 0, 1 / Where(eye, 1, gaps))


class Svd(Several, name="LinalgSvdBackward0"):
    """Singular value decomposition: x = U diag(S) Vh, S in descending order."""

    _outputs = 3

    def forward(x, full):
        U, S, Vh = np.linalg.svd(x, full_matrices=full)
        return by_column(U), S, by_column(Vh)

    def grad_x(gs, x, full):
        U, S, Vh = Svd(x, False)
        gU, gS, gVh = gs
        inner = 0 if gS is None else as_diagonal(gS)
        if gU is None and gVh is None:
            return product(U, inner, Vh)
        k = S.shape[-1]  # what `full` adds spans the rest, and is no function of x
        V, row, column = mT(Vh), Unsqueeze(S, S.ndim - 1), Unsqueeze(S, S.ndim)
        between = _one_over(_gaps(S * S))
        found = 0
        if gU is not None:
            gU = gU[..., :k]
            turn = product(mT(U), gU)
            inner = inner + (turn - mT(turn)) * between * row
            if x.shape[-2] > x.shape[-1]:
                found = found + product((gU - product(U, turn)) / row, Vh)
        if gVh is not None:
            gV = mT(gVh[..., :k, :])
            turn = product(Vh, gV)
            inner = inner + column * ((turn - mT(turn)) * between)
            if x.shape[-1] > x.shape[-2]:
                found = found + product(U, mT((gV - product(V, turn)) / row))
        return product(U, inner, Vh) + found


class Qr(Several, name="LinalgQrBackward0"):
    """x = Q R with orthonormal columns in Q and an upper triangular R."""

    _outputs = 2

    def forward(x, mode):
        if mode != "r":
            return tuple(map(by_column, np.linalg.qr(x, mode)))
        return np.empty(0, x.dtype), by_column(np.linalg.qr(x, mode))

    def grad_x(gs, x, mode):
        m, n = x.shape[-2:]
        if mode == "r":
            raise RuntimeError(
                "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please "
                "use linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
            )
        if mode == "complete" and m > n:
            raise RuntimeError(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
            )
        Q, R = Qr(x, "reduced")
        gQ, gR = gs
        if m < n:  # the columns of R beyond the square are Qᵀ times those of x
            gR = wrap(np.zeros(R.shape), x) if gR is None else gR
            turn = product(x[..., m:], mT(gR[..., m:]))
            gQ = turn if gQ is None else gQ + turn
            beyond = product(Q, gR[..., m:])
            gR, R = gR[..., :m], R[..., :m]
        M = 0 if gR is None else product(R, mT(gR))
        M = M if gQ is None else M - product(mT(gQ), Q)
        symmetric = Tril(M, 0) + mT(Tril(M, -1))
        inner = product(Q, symmetric)
        inner = inner if gQ is None else inner + gQ
        found = product(inner, mT(Inverse(R)))
        return Cat([found, beyond], x.ndim - 1) if m < n else found


EIGH = named("linalg_eigh", "eigenvalues eigenvectors")
SVD = named("linalg_svd", "U S Vh")
QR = named("linalg_qr", "Q R")
OLD_SVD = named("svd", "U S V")
LSTSQ = named("linalg_lstsq", "solution residuals rank singular_values")


def eigh(A, UPLO="L"):
    """Eigenvalues (ascending) and eigenvectors (columns) of a symmetric matrix.

    (*, n, n) gives (*, n) and (*, n, n); only the triangle `UPLO` is looked at. RuntimeError for
    matrices that are not square. Gradients are nan where eigenvalues are equal.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.eigh.html
    """
    check_square("linalg.eigh", A)
    long_floats("linalg_eigh_cpu", A)
    return EIGH(*Eigh(A, UPLO == "L"))


def eigvalsh(A, UPLO="L"):
    """The eigenvalues, ascending, of a symmetric matrix: (*, n, n) gives (*, n).

    Only the triangle `UPLO` is looked at. RuntimeError for matrices that are not square.
    """
    check_square("linalg.eigh", A)
    long_floats("linalg_eigh_cpu", A)
    return Eigh(A, UPLO == "L")[0]


def svd(A, full_matrices=True):
    """The singular value decomposition A = U diag(S) Vh: U, S (descending) and Vh.

    (*, m, n) gives (*, m, k), (*, k) and (*, k, n) for k = min(m, n), with `full_matrices` square U and
    Vh. RuntimeError for a vector.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.svd.html
    """
    if A.ndim < 2:
        raise RuntimeError("linalg.svd: The input tensor A must have at least 2 dimensions.")
    check_float("linalg.svd", A, "linalg_svd_cpu")
    return SVD(*Svd(A, full_matrices))


def svdvals(A):
    """The singular values in descending order: (*, m, n) gives (*, min(m, n)).

    RuntimeError for a vector.
    """
    return svd(A, False).S


def qr(A, mode="reduced"):
    """Q with orthonormal columns and upper triangular R with A = Q R.

    (*, m, n) gives (*, m, k) and (*, k, n) for k = min(m, n), k = m in mode "complete"; mode "r" gives
    R alone. No gradient for mode "r", nor "complete" of a tall matrix. RuntimeError for a vector or
    another mode.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.qr.html
    """
    if A.ndim < 2:
        raise RuntimeError("linalg.qr: The input tensor A must have at least 2 dimensions.")
    check_float("linalg.qr", A, "geqrf_cpu")
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
            "'complete'"
        )
    return QR(*Qr(A, mode))


@both(name="svd")
def svd_old(input, some=True, compute_uv=True):
    """The singular value decomposition in the old form: U, S and V (not Vh).

    (*, m, n) gives (*, m, k), (*, k) and (*, n, k) for k = min(m, n), or square U and V without `some`.
    RuntimeError for a vector.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.svd.html
    """
    U, S, Vh = svd(input, not some)
    if compute_uv:
        return OLD_SVD(U, S, Vh.mT)
    return OLD_SVD(U.new_zeros(U.shape), S, Vh.new_zeros(Vh.mT.shape))


def looked_at(name, A, hermitian):
    """The array whose singular values are asked for: of a `hermitian` matrix the lower triangle counts."""
    if A.ndim < 2:
        raise RuntimeError(
            f"torch.linalg.{name}: The input tensor input must have at least 2 dimensions."
        )
    if hermitian:
        check_square("linalg.eigh", A)
    return mirrored(A._array) if hermitian else A._array


def tolerance(array, atol, rtol):
    """Up to which share of the largest a singular value counts as zero: one, or one for each matrix."""
    atol, rtol = [array_of(t) for t in (0.0 if atol is None else atol, rtol)]
    if rtol is None:
        rtol = np.where(np.greater(atol, 0), 0, max(array.shape[-2:]) * np.finfo(array.dtype).eps)
    if not np.any(atol):
        return np.asarray(rtol)
    largest = np.linalg.svd(array, compute_uv=False).max(-1, initial=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.fmax(atol / largest, rtol)


def matrix_rank(A, tol=None, *, atol=None, rtol=None, hermitian=False):
    """How many singular values are not negligible; int64, no gradient.

    (*, m, n) gives (*). Negligible are those up to `tol` or `atol`, or `rtol` times the largest; these
    may be tensors that broadcast with (*). Of a `hermitian` matrix only the lower triangle is looked at.
    RuntimeError for a vector.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.matrix_rank.html
    """
    if tol is None and rtol is None:
        need_long_floats(A)
    check_float("linalg.svd", A, "linalg_svd_cpu")
    array = looked_at("matrix_rank", A, hermitian)
    share = tolerance(array, tol if atol is None else atol, 0.0 if tol is not None else rtol)
    values = np.linalg.svd(array, compute_uv=False)
    bound = share * values.max(-1, initial=0)
    return make(np.asarray(np.count_nonzero(values > bound[..., None], axis=-1), np.int64))


def need_long_floats(A):
    if A._array.dtype not in (np.float32, np.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")


def cond(A, p=None):
    """The condition number: how much a matrix may enlarge errors; inf if it is singular.

    (*, m, n) gives (*). `p` names the norm: 2 if None, "fro", "nuc", inf, -inf, 1, -1, -2; for all but
    2 and -2 the matrix is square. RuntimeError otherwise.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.cond.html
    """
    if A.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p in (None, 2, -2):
        values = svdvals(A)
        ends = [values.narrow(-1, at, 1) for at in (0, values.size(-1) - 1)]
        largest, smallest = ends[::-1] if p == -2 else ends
        return (largest / smallest).squeeze(-1)
    if A.size(-1) != A.size(-2):
        raise RuntimeError(
            f"linalg.cond(ord={p}): A must be batches of square matrices, but they are "
            f"{A.size(-2)} by {A.size(-1)} matrices"
        )
    check_float("linalg.inv", A, "inverse_cpu")
    try:
        inverse = Inverse(A)
    except LinAlgError:
        return A.new_full(A.shape[:-2], np.inf)
    return (matrix_norm(A, p) * matrix_norm(inverse, p)).nan_to_num(np.inf, np.inf, -np.inf)


# -- least squares and exponentials -----------------------------------------------------------------


class LinalgLstsq(Several):
    """The x for which the squares of `a x - b` sum to the least; and these sums, if they are asked for.

    With one dimension less than `a`, `b` is a vector, or a batch of them.
    """

    _outputs = 2

    def forward(a, b, share, sums):
        if b.ndim < a.ndim:
            found, rest = LinalgLstsq.forward(a, b[..., None], share, sums)
            return found[..., 0], rest
        lead, (m, n), k = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2:], b.shape[-1]
        pairs = zip(*[each(np.broadcast_to(x, (*lead, *x.shape[-2:]))) for x in (a, b)])
        room = np.zeros((*lead, k, max(m, n)), b.dtype)  # LAPACK's own: the columns of b, or longer
        room[..., :n] = np.array([np.linalg.lstsq(*pair, share)[0].T for pair in pairs]).reshape(*lead, k, n)
        found = mT(room)[..., :n, :]
        return found, ((a @ found - b) ** 2).sum(-2) if sums else np.empty(0, b.dtype)

    def grad_a(gs, a, b, share, sums):
        if b.ndim < a.ndim:
            gs, b = _as_columns(gs), Unsqueeze(b, b.ndim)
        found = wrap(np.zeros(a.shape), a)
        if gs[0] is not None:
            found = found + Pinv.grad_x(product(gs[0], mT(b)), a, Pinv(a, share, False))
        if sums and gs[1] is not None:
            found = found + product(_slope(gs[1], a, b, share), mT(product(Pinv(a, share, False), b)))
        return summed_to(found, a)

    def grad_b(gs, a, b, share, sums):
        if b.ndim < a.ndim:
            found = LinalgLstsq.grad_b(_as_columns(gs), a, Unsqueeze(b, b.ndim), share, sums)
            return SqueezeDim(found, (b.ndim,))
        found = wrap(np.zeros(b.shape), b)
        if gs[0] is not None:
            found = found + product(mT(Pinv(a, share, False)), gs[0])
        if sums and gs[1] is not None:
            found = found - _slope(gs[1], a, b, share)
        return summed_to(found, b)


def _as_columns(gs):
    return gs[0] if gs[0] is None else Unsqueeze(gs[0], gs[0].ndim), gs[1]


def _slope(g, a, b, share):
    """The gradient of the sums of squares with respect to `a x - b`."""
    return (product(a, Pinv(a, share, False), b) - b) * Unsqueeze(2 * g, g.ndim - 1)


def lstsq(A, B, rcond=None, *, driver=None):
    """The least-squares solution X of A X = B: A (*, m, n), B (*, m, k) or (*, m).

    Also the residuals, the rank and the singular values, as far as the `driver` computes them.
    RuntimeError for shapes that do not fit, different dtypes, or another driver.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.lstsq.html
    """
    if A.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if A._array.dtype != B._array.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's "
            f"dtype {A.dtype.tensor_name} and other's dtype {B.dtype.tensor_name}"
        )
    need_long_floats(A)
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if A.ndim - B.ndim not in (0, 1):
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - "
            "other.dim()) <= 1"
        )
    dim = -1 if B.ndim < A.ndim else -2
    check_broadcast(A._array.shape[:-2], B._array.shape[:dim])
    if A.size(-2) != B.size(dim):
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({dim})")
    a, nothing = A._array, make(np.empty(0, A._array.dtype))
    share = max(a.shape[-2:]) * np.finfo(a.dtype).eps if rcond is None else rcond
    values = np.linalg.svd(a, compute_uv=False)
    rank = np.asarray(np.count_nonzero(values > share * values.max(-1, initial=0)[..., None], axis=-1))
    sums = driver in ("gels", "gelsd", "gelss") and a.shape[-2] > a.shape[-1]
    sums = sums and bool((rank == a.shape[-1]).all())
    return LSTSQ(
        *LinalgLstsq(A, B, float(share), sums),
        make(np.empty(0, np.int64) if driver == "gels" else rank.astype(np.int64)),
        make(values) if driver in ("gelsd", "gelss") else nothing,
    )  # fmt: skip


class LinalgMatrixExp(Operation):
    """The exponential series of square matrices: by Taylor, after halving until they are small."""

    def forward(x):
        if x.size == 0:
            return x.copy()
        size = np.abs(x).sum(-2).max(initial=0)
        halvings = max(0, int(np.ceil(np.log2(size))) + 4) if np.isfinite(size) and size > 0 else 0
        small = x.astype(np.float64) / 2.0**halvings
        found = term = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
        for k in range(1, 14):
            term = term @ small / k
            found = found + term
        for _ in range(halvings):
            found = found @ found
        return found.astype(x.dtype)

    def grad_x(g, x):
        whole = LinalgMatrixExp(TwoByTwo(mT(x), g))
        return UpperRight(whole, 0, 1)


class TwoByTwo(Operation):
    """The matrices [[x, y], [0, x]]."""

    def forward(x, y):
        above = np.concatenate([x, y], -1)
        return np.concatenate([above, np.concatenate([np.zeros_like(x), x], -1)], -2)

    def grad_x(g):
        return UpperRight(g, 0, 0) + UpperRight(g, 1, 1)

    def grad_y(g):
        return UpperRight(g, 0, 1)


class UpperRight(Operation):
    """One quarter of matrices: row and column 0 or 1."""

    def forward(x, row, column):
        n = x.shape[-1] // 2
        return x[..., row * n : (row + 1) * n, column * n : (column + 1) * n].copy()

    def grad_x(g, row, column):
        return Quarter(g, row, column)


class Quarter(Operation):
    """Zeros with `x` as one quarter."""

    def forward(x, row, column):
        n = x.shape[-1]
        whole = np.zeros((*x.shape[:-2], 2 * n, 2 * n), x.dtype)
        whole[..., row * n : (row + 1) * n, column * n : (column + 1) * n] = x
        return whole

    def grad_x(g, row, column):
        return UpperRight(g, row, column)


@both
def matrix_exp(input):
    """The exponential 1 + A + A²/2 + ... of square matrices: (*, n, n) gives (*, n, n).

    RuntimeError for matrices that are not square.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.matrix_exp.html
    """
    check_float("linalg.matrix_exp", input, short=True)
    check_square("linalg.matrix_exp", input)
    return LinalgMatrixExp(input)


# -- norms ----------------------------------------------------------------------------------------


def linalg_vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The `ord`-norm of all elements (0-d), or over `dim`.

    Reduced dimensions disappear, or have length 1 (`keepdim`). RuntimeError for integers.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.vector_norm.html
    """
    return vector_norm(x, ord, all_dims(dim, x.ndim), keepdim, dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """A norm of matrices: "fro", "nuc", inf, -inf, 1, -1, 2 or -2.

    (*, m, n) gives (*), or (*, 1, 1) with `keepdim`. RuntimeError for another `ord`, or fewer than two
    dimensions.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.matrix_norm.html
    """
    if A.ndim < 2:
        raise RuntimeError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        )
    check_float("linalg.matrix_norm", A, short=True)
    if ord not in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    A = A if dtype is None else A.to(dtype)
    dims = some_dims(tuple(dim), A.ndim)
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {list(dim)}")
    if ord == "fro":
        return vector_norm(A, 2, dims, keepdim)
    if ord in ("nuc", 2, -2):
        check_float("linalg.matrix_norm", A)
        values = svdvals(A.movedim(dims, (-2, -1)))
        if ord == "nuc":
            found = values.sum(-1, keepdim)
        else:
            found = largest(values, -1, keepdim) if ord == 2 else values.amin(-1, keepdim)
        return found.unsqueeze(-1).movedim((-2, -1), dims) if keepdim else found
    over, then = dims if abs(ord) == 1 else dims[::-1]
    sums = vector_norm(A, 1, (over,), keepdim)
    if not keepdim:
        then -= then > over
    return sums.amin(then, keepdim) if ord < 0 else largest(sums, then, keepdim)


def largest(x, dim, keepdim):
    """The largest number along a dimension; 0, without a gradient, where there is none."""
    return x.amax(dim, keepdim) if x.size(dim) else x.detach().sum(dim, keepdim)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The norm of a vector or matrix, depending on how many dimensions there are or are named.

    Reduced dimensions disappear, or have length 1 (`keepdim`). RuntimeError for integers, or for an
    `ord` of more than two dimensions.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.norm.html
    """
    if ord is None:
        return linalg_vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is None and A.ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{A.ndim}D."
        )
    pair = A.ndim == 2 if dim is None else isinstance(dim, (tuple, list)) and len(dim) == 2
    if pair or isinstance(ord, str):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return linalg_vector_norm(A, ord, dim, keepdim, dtype=dtype)
