"""Square matrices: determinants, inverses, equations, powers; distances of vectors.

All take batches: whatever is before the last two dimensions. Most public names are in
`minigrad.linalg`.
"""

import math

import numpy as np

from ..broadcasting import undo_broadcast
from ..operation import Operation
from ..tensor import make
from .arguments import check_broadcast, named, need_tensor
from .convert import cast
from .diagonal import DiagEmbed
from .linalg import matmul, vdot
from .products import cross_product
from .rearrange import Tril, Triu
from .reduce import Norm, Sum, spread
from .registry import both, function
from .scatter import array_of, wrap
from .select import Where
from .several import Several
from .shape import Transpose, Unsqueeze
from .softmax import not_implemented


class LinAlgError(RuntimeError):
    """A matrix that has no inverse, no Cholesky factor, ...; a RuntimeError as in PyTorch."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


class Product(Operation):
    """Matrix products of two batches."""

    def forward(x, y):
        return x @ y

    def grad_x(g, y, like_x):
        return summed_to(Product(g, mT(y)), like_x)

    def grad_y(g, x, like_y):
        return summed_to(Product(mT(x), g), like_y)


def summed_to(g, like):
    """The gradient of an operand whose batch was repeated to fit that of the other."""
    return undo_broadcast(g, like.shape, array_of(like).dtype)


def mT(x):
    """The last two dimensions exchanged."""
    return Transpose(x, x.ndim - 2, x.ndim - 1)


def product(*factors):
    """Several matrices multiplied from left to right."""
    total = factors[0]
    for factor in factors[1:]:
        total = Product(total, factor)
    return total


def by_column(x):
    """The same matrices laid in memory column after column, as LAPACK leaves its results."""
    return np.swapaxes(x, -1, -2).copy().swapaxes(-1, -2) if x.ndim > 1 else x


def each(array):
    """A batch of matrices as one array (count, m, n)."""
    return array.reshape(math.prod(array.shape[:-2]), *array.shape[-2:])


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
            return by_column(np.linalg.inv(x))
        except np.linalg.LinAlgError:
            return by_column(_from_cofactors(x))

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


def long_floats(kernel, A):
    """Refuse all but float32 and float64, as PyTorch's kernels do."""
    if A._array.dtype not in (np.float32, np.float64):
        raise not_implemented(kernel, A)


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
    found = [exchanges(matrix) for matrix in each(array)]
    exchanged = np.array([steps for steps, _ in found], np.int32).reshape(*batch, k)
    return exchanged, np.array([failed for _, failed in found], np.int32).reshape(batch)


def refuse(name, info, text):
    """LinAlgError about the first matrix of a batch that failed: those whose `info` is not 0."""
    if info.any():
        number = int(np.flatnonzero(info)[0])
        which = f"(Batch element {number}): " if info.ndim else ""
        raise LinAlgError(f"{name}: {which}{text.format(info.reshape(-1)[number])}")


NO_INVERSE = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix "
    "is singular."
)
NO_SOLUTION = "The solver failed because the input matrix is singular."


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
        info = pivots_of(input._array)[1]
    else:
        return Inverse(input)
    refuse("linalg.inv", info, NO_INVERSE)
    return Inverse(input)


def check_fits(name, a, b, left=True):
    """Refuse shapes of A and B for which there is no A X = B (X A = B)."""
    n, (rows, columns) = a[-1], b[-2:]
    if n != (rows if left else columns):
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({n}x{n} and {rows}x{columns})"
        )
    check_broadcast(b[:-2], a[:-2])


class Solve(Operation, name="LinalgSolveExBackward0"):
    """The X for which A X = B, or X A = B; with `vector` B is a vector, or a batch of them."""

    called = {"x": "A"}

    def forward(x, y, left, vector):
        if not left:
            return mT(Solve.forward(mT(x), mT(y), True, False))
        return by_column(np.linalg.solve(x, y[..., None])[..., 0] if vector else np.linalg.solve(x, y))

    def grad_x(g, x, out, left, vector, like_x):
        back = Solve(mT(x), g, left, vector)
        if vector:
            back, out = Unsqueeze(back, back.ndim), Unsqueeze(out, out.ndim)
        return summed_to(-(product(back, mT(out)) if left else product(mT(out), back)), like_x)

    def grad_y(g, x, left, vector, like_y):
        return summed_to(Solve(mT(x), g, left, vector), like_y)


def solve(A, B, *, left=True):
    """The X for which A X = B (X A = B with `left=False`).

    A (*, n, n) and B (*, n, k), or (*, n) beside it, give an X of B's shape; batches broadcast.
    LinAlgError if A is singular, RuntimeError for shapes that do not fit or different dtypes.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.solve.html
    """
    vector = check_equation(A, B, left)
    try:
        return Solve(A, B, left, vector)
    except np.linalg.LinAlgError:
        info = pivots_of(A._array)[1]
    refuse("torch.linalg.solve", info if info.any() else info + 1, NO_SOLUTION)


def check_equation(A, B, left):
    """Refuse what `solve` cannot take; True if B is a vector, or a batch of them."""
    check_square("linalg.solve", A)
    check_float("linalg.solve", A, "lu_cpu")
    if A._array.dtype != B._array.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{A.dtype.tensor_name} and B of type {B.dtype.tensor_name} instead"
        )
    a, b = A._array.shape, B._array.shape
    vector = len(b) == 1 or b == a[:-1]
    check_fits("linalg.solve", a, (*b, 1) if vector else b, left)
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. "
            "In this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    return vector


class SolveTriangular(Operation, name="LinalgSolveTriangularBackward0"):
    """The X for which A X = B, or X A = B, where only one triangle of A counts."""

    def forward(x, y, upper, left, unit):
        x = np.triu(x) if upper else np.tril(x)
        if unit:
            x = np.where(np.eye(x.shape[-1], dtype=bool), np.ones_like(x), x)
        return by_column(np.linalg.solve(x, y) if left else mT(np.linalg.solve(mT(x), mT(y))))

    def grad_x(g, x, out, upper, left, unit, like_x):
        back = SolveTriangular(mT(x), g, not upper, left, unit)
        found = -(Product(back, mT(out)) if left else Product(mT(out), back))
        return summed_to(Triu(found, int(unit)) if upper else Tril(found, -int(unit)), like_x)

    def grad_y(g, x, upper, left, unit, like_y):
        return summed_to(SolveTriangular(mT(x), g, not upper, left, unit), like_y)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """The X for which A X = B, A triangular (X A = B with `left=False`).

    A (*, n, n) and B (*, n, k) give X (*, n, k), batches broadcast; the other triangle is not looked
    at, and with `unitriangular` the diagonal counts as ones. RuntimeError for shapes that do not fit.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.solve_triangular.html
    """
    check_square("linalg.solve_triangular", A)
    if B.ndim < 2:
        raise RuntimeError(
            "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."
        )
    check_fits("linalg.solve_triangular", A._array.shape, B._array.shape, left)
    long_floats("triangular_solve_cpu", A)
    return SolveTriangular(A, cast(B, A._array.dtype), bool(upper), bool(left), bool(unitriangular))


def mirrored(x):
    """The symmetric matrices that have the lower triangles of `x`."""
    return np.tril(x) + np.swapaxes(np.tril(x, -1), -1, -2)


class Pinv(Operation, name="LinalgPinvBackward0"):
    """The pseudoinverse, by singular values; those below `rcond` times the largest count as 0."""

    def forward(x, rcond, hermitian):
        return np.linalg.pinv(mirrored(x) if hermitian else x, rcond)

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


def check_matrix(A):
    """Refuse what `pinv` cannot take."""
    if A.ndim < 2 or A._array.dtype not in (np.float32, np.float64):
        raise RuntimeError(
            f"linalg.pinv({A.dtype.tensor_name}{{{list(A.shape)}}}): expected a tensor with "
            "2 or more dimensions of float, double, cfloat or cdouble types"
        )


@both
def pinverse(input, rcond=1e-15):
    """The pseudoinverse of a matrix, or of each in a batch: (*, m, n) gives (*, n, m).

    Singular values up to `rcond` times the largest count as zero. RuntimeError for vectors, and for
    integers.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.linalg.pinv.html
    """
    check_matrix(input)
    return Pinv(input, rcond, False)


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
    if x._array.dtype != y._array.dtype:
        raise RuntimeError(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
            f"{x.dtype.tensor_name} and y of type {y.dtype.tensor_name} instead"
        )
    return vdot(x, y) if x.ndim == y.ndim == 1 else (x * y).sum(dim)


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
