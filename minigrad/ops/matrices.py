"""Square matrices: determinants, inverses, equations, powers; distances of vectors.

All take batches: whatever is before the last two dimensions. Most public names are in
`minigrad.linalg`.
"""

import numpy as np

from ..broadcasting import undo_broadcast
from ..operation import Operation
from ..tensor import make
from .arguments import named, need_tensor, same_type
from .diagonal import DiagEmbed
from .linalg import matmul
from .products import cross_product
from .rearrange import Tril, Triu
from .reduce import Norm, Sum, spread
from .registry import both, function
from .scatter import wrap
from .select import Where
from .several import Several
from .shape import Transpose, Unsqueeze


class LinAlgError(RuntimeError):
    """A matrix that has no inverse, no Cholesky factor, ...; a RuntimeError as in PyTorch."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


class Product(Operation):
    """Matrix products of two batches of one shape."""

    def forward(x, y):
        return x @ y

    def grad_x(g, y):
        return Product(g, mT(y))

    def grad_y(g, x):
        return Product(mT(x), g)


def mT(x):
    """The last two dimensions exchanged."""
    return Transpose(x, x.ndim - 2, x.ndim - 1)


def product(*factors):
    """Several matrices multiplied from left to right."""
    total = factors[0]
    for factor in factors[1:]:
        total = Product(total, factor)
    return total


def as_diagonal(x):
    """Matrices with the last dimension of `x` on the diagonal."""
    return DiagEmbed(x, 0, x.ndim - 1, x.ndim)


def outer_to(g, x_shape):
    """One number for each matrix, in all its places."""
    return spread(g, x_shape, (len(x_shape) - 2, len(x_shape) - 1), False)


# -- determinants ---------------------------------------------------------------------------------


class Det(Operation, name="LinalgDetBackward0"):
    """The determinant; at a singular matrix PyTorch gives the gradient 0."""

    called = {"x": "A"}

    def forward(x):
        return np.linalg.det(x)

    def grad_x(g, x, out):
        g, out = outer_to(g, x.shape), outer_to(out, x.shape)
        regular = Where(out == 0, wrap(np.eye(x.shape[-1]), x), x)
        return g * out * mT(Inverse(regular))


class Slogdet(Several, name="LinalgSlogdetBackward0"):
    """The sign of the determinant, and the logarithm of its size."""

    _outputs = 2

    def forward(x):
        return tuple(np.linalg.slogdet(x))

    def grad_x(gs, x):
        if gs[1] is None:
            return None
        return outer_to(gs[1], x.shape) * mT(Inverse(x))


class Inverse(Operation, name="LinalgInvExBackward0"):
    """The inverse; inf and NaN for singular matrices."""

    called = {"out": "inverse"}

    def forward(x):
        try:
            return np.linalg.inv(x)
        except np.linalg.LinAlgError:
            return _from_cofactors(x)

    def grad_x(g, out):
        return -product(mT(out), g, mT(out))


def _from_cofactors(x):
    """Inverses of matrices some of which are singular: cofactors over determinants."""
    u, s, vh = np.linalg.svd(x)
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), 1, s[..., None, :]).prod(-1)
    size = np.linalg.det(u) * np.linalg.det(vh)
    adjugate = (
        size[..., None, None]
        * (np.swapaxes(vh, -1, -2) * others[..., None, :])
        @ (np.swapaxes(u, -1, -2))
    )
    return (adjugate / np.linalg.det(x)[..., None, None]).astype(x.dtype)


def check_square(name, A):
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    n, m = A._array.shape[-2:]
    if n != m:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {n} by {m} matrices"
        )


def check_float(name, A, kernel=None, short=False):
    """Refuse integers and, unless they may be `short`, float16, as PyTorch's routines do."""
    if A._array.dtype.kind != "f":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. "
            f"Got {A.dtype.tensor_name}"
        )
    if A._array.dtype != np.float16 or short:
        return
    if kernel:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Half'")
    raise RuntimeError(f"{name}: Low precision dtypes not supported. Got Half")


@both
def det(input):
    """The determinant of a square matrix, or of each in a batch: (*, n, n) gives (*).

    RuntimeError for matrices that are not square, and for integers.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.det.html
    """
    check_square("linalg.det", input)
    check_float("linalg.det", input, "lu_cpu")
    return Det(input)


_SLOGDET = named("slogdet", "sign logabsdet")
LINALG_SLOGDET = named("linalg_slogdet", "sign logabsdet")


@both
def slogdet(input):
    """Sign and logarithm of the size of the determinant: for determinants too large to hold.

    (*, n, n) gives a pair `sign`, `logabsdet` of shape (*). RuntimeError for matrices that are not
    square, and for integers.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.slogdet.html
    """
    check_square("linalg.slogdet", input)
    check_float("linalg.slogdet", input)
    return _SLOGDET(*Slogdet(input))


@both
def logdet(input):
    """The logarithm of the determinant, nan where that is negative: (*, n, n) gives (*).

    RuntimeError for matrices that are not square, and for integers.
    """
    check_square("logdet", input)
    check_float("logdet", input)
    sign, size = slogdet(input)
    return Where(sign == -1, make(np.array(np.nan, input._array.dtype)), size)


# -- inverses and equations -----------------------------------------------------------------------


def _refuse_singular(name, A):
    """LinAlgError that names the first zero on the diagonal of U in A = P L U."""
    matrices = A._array.reshape(-1, *A._array.shape[-2:])
    for number, matrix in enumerate(matrices):
        zero = _zero_pivot(matrix)
        if zero:
            which = f"(Batch element {number}): " if A.ndim > 2 else ""
            raise LinAlgError(
                f"{name}: {which}The diagonal element {zero} is zero, the inversion could not be "
                "completed because the input matrix is singular."
            )


def _zero_pivot(matrix):
    """Elimination with row exchanges: the first step (from 1) that finds no pivot, or 0."""
    u = matrix.copy()
    for k in range(len(u)):
        best = k + int(np.argmax(np.abs(u[k:, k])))
        if u[best, k] == 0:
            return k + 1
        u[[k, best]] = u[[best, k]]
        u[k + 1 :] -= np.outer(u[k + 1 :, k] / u[k, k], u[k])
    return 0


@both
def inverse(input):
    """The inverse of a square matrix, or of each in a batch: (*, n, n) gives (*, n, n).

    LinAlgError if there is none, RuntimeError for matrices that are not square, and for integers.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.inv.html
    """
    check_square("linalg.inv", input)
    check_float("linalg.inv", input)
    try:
        np.linalg.inv(input._array)
    except np.linalg.LinAlgError:
        _refuse_singular("linalg.inv", input)
    return Inverse(input)


class Solve(Operation, name="LinalgSolveExBackward0"):
    """The X for which A X = B; with `vector` B is a vector, or a batch of them."""

    called = {"x": "A"}

    def forward(x, y, vector):
        return np.linalg.solve(x, y[..., None])[..., 0] if vector else np.linalg.solve(x, y)

    def grad_x(g, x, out, vector):
        back = Solve(mT(x), g, vector)
        if vector:
            back, out = Unsqueeze(back, back.ndim), Unsqueeze(out, out.ndim)
        return -Product(back, mT(out))

    def grad_y(g, x, vector):
        return Solve(mT(x), g, vector)


def solve(A, B, *, left=True):
    """The X for which A X = B (X A = B with `left=False`).

    A (*, n, n) and B (*, n, k), or (*, n) beside it, give an X of B's shape. LinAlgError if A is
    singular, RuntimeError for shapes that do not fit or different dtypes.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.solve.html
    """
    check_square("linalg.solve", A)
    check_float("linalg.solve", A, "lu_cpu")
    if A._array.dtype != B._array.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{A.dtype.tensor_name} and B of type {B.dtype.tensor_name} instead"
        )
    a, b = A._array.shape, B._array.shape
    vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and b == a[:-1])
    if not left:
        return solve(A.mT, B if vector else B.mT) if vector else solve(A.mT, B.mT).mT
    rows, columns = (b[-1], 1) if vector else b[-2:]
    if rows != a[-1]:
        raise RuntimeError(
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B "
            f"({a[-2]}x{a[-1]} and {rows}x{columns})"
        )
    batch = np.broadcast_shapes(a[:-2], b[:-1] if vector else b[:-2])
    if a[:-2] != batch:
        A = A.expand(*batch, *a[-2:])
    if (b[:-1] if vector else b[:-2]) != batch:
        B = B.expand(*batch, *(b[-1:] if vector else b[-2:]))
    try:
        return Solve(A, B, vector)
    except np.linalg.LinAlgError:
        which = ""
        if A.ndim > 2:
            matrices = A._array.reshape(-1, *a[-2:])
            which = f"(Batch element {[bool(_zero_pivot(m)) for m in matrices].index(True)}): "
        raise LinAlgError(
            f"torch.linalg.solve: {which}The solver failed because the input matrix is singular."
        ) from None


class SolveTriangular(Operation, name="LinalgSolveTriangularBackward0"):
    """The X for which A X = B, where only one triangle of A counts."""

    def forward(x, y, upper, unit):
        x = np.triu(x) if upper else np.tril(x)
        if unit:
            x = np.where(np.eye(x.shape[-1], dtype=bool), np.ones_like(x), x)
        return np.linalg.solve(x, y)

    def grad_x(g, x, out, upper, unit):
        found = -Product(SolveTriangular(mT(x), g, not upper, unit), mT(out))
        return Triu(found, int(unit)) if upper else Tril(found, -int(unit))

    def grad_y(g, x, upper, unit):
        return SolveTriangular(mT(x), g, not upper, unit)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """The X for which A X = B, A triangular; the other triangle is not looked at.

    A (*, n, n) and B (*, n, k) give X (*, n, k); with `unitriangular` the diagonal counts as ones.
    RuntimeError for shapes that do not fit.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.solve_triangular.html
    """
    check_square("linalg.solve_triangular", A)
    if B.ndim < 2:
        raise RuntimeError(
            "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."
        )
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    A, B = same_type(A, B)
    return SolveTriangular(A, B, bool(upper), bool(unitriangular))


class Pinv(Operation, name="LinalgPinvBackward0"):
    """The pseudoinverse, by singular values; those below `rcond` times the largest count as 0."""

    def forward(x, rcond):
        return np.linalg.pinv(x, rcond)

    def grad_x(g, x, out):
        gT, outT = mT(g), mT(out)
        if x.shape[-2] <= x.shape[-1]:
            K = product(gT, out)
            KA = product(K, outT)
            rest = product(outT, out, gT - product(K, x))
            return KA - mT(product(out, K)) - product(x, out, KA) + rest
        K = product(out, gT)
        AK = product(outT, K)
        rest = product(gT - product(x, K), out, outT)
        return rest + AK - mT(product(K, out)) - product(AK, out, x)


@both
def pinverse(input, rcond=1e-15):
    """The pseudoinverse of a matrix, or of each in a batch: (*, m, n) gives (*, n, m).

    Singular values up to `rcond` times the largest count as zero. RuntimeError for vectors, and for
    integers.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.pinv.html
    """
    if input.ndim < 2 or input._array.dtype not in (np.float32, np.float64):
        raise RuntimeError(
            f"linalg.pinv({input.dtype.tensor_name}{{{list(input.shape)}}}): expected a tensor with "
            "2 or more dimensions of float, double, cfloat or cdouble types"
        )
    return Pinv(input, rcond)


@both
def matrix_power(input, n):
    """A square matrix multiplied by itself `n` times; negative powers are those of the inverse.

    (*, m, m) gives (*, m, m). RuntimeError for matrices that are not square, LinAlgError for a negative
    power of a singular one, TypeError for an `n` that is no int.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.matrix_power.html
    """
    if not isinstance(n, int):
        raise TypeError(
            f"matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}"
        )
    check_square("linalg.matrix_power", input)
    if n == 0:
        eye = np.eye(input._array.shape[-1], dtype=input._array.dtype)
        return input.clone().copy_(make(eye))
    base = inverse(input) if n < 0 else input
    n, result = abs(n), None
    while n:  # by squaring
        if n & 1:
            result = base if result is None else matmul(result, base)
        n >>= 1
        if n:
            base = matmul(base, base)
    return result.clone() if result is input else result


# -- vectors --------------------------------------------------------------------------------------


def linalg_cross(input, other, *, dim=-1):
    """The vector product along a dimension of length 3; the other dimensions broadcast.

    RuntimeError for other lengths, or different numbers of dimensions.
    """
    return cross_product(input, other, dim)


def vecdot(x, y, *, dim=-1):
    """The products of two tensors summed over `dim`; the other dimensions broadcast.

    (*, n) and (*, n) give (*). RuntimeError for shapes that do not fit.
    """
    check_float("linalg.vecdot", x, short=True)
    return (x * y).sum(dim)


class Cdist(Operation):
    """The p-norm distance of each row of x to each row of y."""

    called = {"x": "x1", "y": "x2"}

    def forward(x, y, p):
        apart = np.abs(x[..., :, None, :] - y[..., None, :, :])
        if np.isinf(p):
            return apart.max(-1, initial=0)
        if p == 0:
            return np.add.reduce(apart != 0, axis=-1, dtype=x.dtype)
        return np.power(np.add.reduce(np.power(apart, p), axis=-1), 1 / p)

    def grad_x(g, x, y, out, p, like_x):
        found = _by_distance(g, x, y, out, p)
        return undo_broadcast(Sum(found, (found.ndim - 2,), False), like_x.shape, like_x.dtype)

    def grad_y(g, x, y, out, p, like_y):
        found = _by_distance(g, x, y, out, p)
        return undo_broadcast(-Sum(found, (found.ndim - 3,), False), like_y.shape, like_y.dtype)


def _by_distance(g, x, y, out, p):
    """The gradient of each distance with respect to each difference of coordinates."""
    apart = Unsqueeze(x, x.ndim - 1) - Unsqueeze(y, y.ndim - 2)
    found = Norm.grad_x(g, apart, out, p, (apart.ndim - 1,), False)
    return apart * 0 if found is None else found


@function
def cdist(x1, x2, p=2.0, compute_mode=None):
    """The distances of all rows of one matrix to all rows of another, or of batches of them.

    (*, n, d) and (*, m, d) give (*, n, m), by the norm `p`. RuntimeError for different d, and for
    integers.
    """
    need_tensor("cdist", "x2", 2, x2)
    for name, x in (("X1", x1), ("X2", x2)):
        if x._array.dtype.kind != "f":
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: {x.dtype.tensor_name}"
            )
    a, b = x1._array.shape[-1], x2._array.shape[-1]
    if a != b:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a} X2: {b}")
    return Cdist(x1, x2, float(p))
