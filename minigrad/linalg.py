"""Linear algebra under the names of `torch.linalg`; the operations are in ops/matrices.py.

Mirrors https://docs.pytorch.org/docs/2.13/linalg.html
"""

from types import FunctionType as _FunctionType

from .namespace import absent, listed, mirror
from .ops.diagonal import diagonal as _diagonal
from .ops.factors import Cholesky as _Cholesky
from .ops.factors import cholesky_of as _cholesky_of
from .ops.factors import (  # noqa: F401
    cond,
    eigh,
    eigvalsh,
    lstsq,
    matrix_exp,
    matrix_norm,
    matrix_rank,
    norm,
    qr,
    svd,
    svdvals,
)
from .ops.factors import need_long_floats as _need_long_floats
from .ops.factors import looked_at as _looked_at
from .ops.factors import tolerance as _tolerance
from .ops.factors import linalg_vector_norm as vector_norm  # noqa: F401
from .ops.linalg import matmul  # noqa: F401
from .ops.matrices import LINALG_SLOGDET as _SLOGDET
from .ops.matrices import (  # noqa: F401
    LinAlgError,
    det,
    matrix_power,
    solve,
    solve_triangular,
    vecdot,
)
from .ops.matrices import inverse as inv  # noqa: F401
from .ops.matrices import linalg_cross as cross  # noqa: F401
from .ops.matrices import Pinv as _Pinv
from .ops.matrices import check_matrix as _check_matrix
from .ops.matrices import slogdet as _slogdet
from .ops.products import multi_dot  # noqa: F401
from .ops.registry import as_function as _as_function
from .ops.solvers import (  # noqa: F401
    cholesky_ex,
    inv_ex,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_solve,
    solve_ex,
    tensorinv,
    tensorsolve,
    vander,
)

from .tensor import Tensor as _Tensor


def slogdet(A):
    """Sign and logarithm of the size of the determinant: (*, n, n) gives two tensors (*).

    RuntimeError for matrices that are not square.
    """
    return _SLOGDET(*_slogdet(A))


def cholesky(A, *, upper=False):
    """The triangular factor L of a positive-definite A = L L^T: (*, n, n) gives (*, n, n).

    With `upper` L^T. LinAlgError if A is not positive-definite.
    """
    return _cholesky_of(_Cholesky, "linalg.cholesky", A, upper)


def pinv(A, rcond=None, *, atol=None, rtol=None, hermitian=False):
    """The pseudoinverse of a matrix, or of each in a batch: (*, m, n) gives (*, n, m).

    Singular values up to `atol`, or `rtol` times the largest, count as zero. Of a `hermitian` matrix only
    the lower triangle is looked at. RuntimeError for a vector, and for integers.
    """
    rtol = rcond if rtol is None else rtol
    if atol is not None and rtol is None and not isinstance(atol, _Tensor):
        _need_long_floats(A)
    _check_matrix(A)
    for name, tol in (("atol", atol), ("rtol", rtol)):
        if isinstance(tol, _Tensor) and tol.requires_grad:
            raise RuntimeError(
                f"The function 'linalg_pinv' is not differentiable with respect to argument '{name}'. This "
                "input cannot have requires_grad True."
            )
    share = _tolerance(_looked_at("pinv", A, hermitian), atol, rtol)
    return _Pinv(A, float(share) if share.ndim == 0 else share, bool(hermitian))


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonal of the last two dimensions: (*, n, m) gives (*, min(n, m)); a view."""
    return _diagonal(A, offset, dim1, dim2)


for _name, _call in list(globals().items()):
    if _name[0] != "_" and _call.__class__ is _FunctionType and _call not in (absent, listed, mirror):
        globals()[_name] = _as_function(_call, f"linalg_{_name}")

mirror(globals(), "generated/torch.linalg.{}.html", home="minigrad")
__getattr__, __dir__ = absent(__name__), listed(globals(), home="minigrad")
