"""The operations, one small class each, and the names under which they are known.

Importing a module attaches its methods to `Tensor`. The modules that nearly every program needs are
imported here; the others when one of their names is first asked for, so that `import minigrad` is quick.
`python -m minigrad.ops` lists all operations with their rules.
"""

import importlib

from ..tensor import Tensor
from . import (  # noqa: F401
    assign,
    convert,
    elementwise,
    join,
    linalg,
    random,
    rearrange,
    reduce,
    select,
    shape,
)
from .registry import FUNCTIONS

# The names that each of the other modules adds: `name` is a function and a method, `.name` only a
# method, `name()` only a function. A test compares.
LATER = {
    "addmm": "addbmm .addbmm_ addmm .addmm_ addmv .addmv_ addr .addr_ baddbmm .baddbmm_",
    "bounds":
        "clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ fmax fmin maximum "
        "minimum",
    "counting":
        "bincount bucketize() histc searchsorted() unique unique_consecutive unravel_index()",
    "cumulate":
        "cumprod .cumprod_ cumsum .cumsum_ cumulative_trapezoid() diff gradient() logcumsumexp "
        "trapezoid() trapz()",
    "diagonal": "as_strided diag diag_embed diagflat diagonal .unfold",
    "division":
        "div .div_ divide .divide_ floor_divide .floor_divide_ fmod .fmod_ heaviside .heaviside_ "
        "remainder .remainder_ true_divide .true_divide_ .__floordiv__ .__ifloordiv__ .__imod__ "
        ".__mod__ .__rfloordiv__ .__rmod__",
    "einsum": "einsum()",
    "factors": "cholesky matrix_exp svd",
    "gamma": "digamma digamma_ lgamma lgamma_ polygamma()",
    "logic":
        "allclose bitwise_and .bitwise_and_ bitwise_left_shift .bitwise_left_shift_ bitwise_not "
        ".bitwise_not_ bitwise_or .bitwise_or_ bitwise_right_shift .bitwise_right_shift_ "
        "bitwise_xor .bitwise_xor_ can_cast() .eq_ equal gcd .gcd_ .ge_ .get_device .greater_ "
        ".greater_equal_ .gt_ is_complex() .is_cpu is_floating_point() is_nonzero is_same_size "
        "is_signed isclose isfinite isin() isinf isnan isneginf isposinf isreal lcm .lcm_ .le_ "
        ".less_ .less_equal_ logical_and .logical_and_ logical_not .logical_not_ logical_or "
        ".logical_or_ logical_xor .logical_xor_ .lt_ .ne_ .not_equal_ promote_types() real() "
        "result_type() signbit .storage_offset typename() .__and__ .__iand__ .__ilshift__ "
        ".__ior__ .__irshift__ .__ixor__ .__lshift__ .__or__ .__rand__ .__rlshift__ .__ror__ "
        ".__rrshift__ .__rshift__ .__rxor__ .__xor__",
    "masks":
        "argwhere masked_fill .masked_fill_ masked_scatter .masked_scatter_ masked_select nonzero",
    "matrices": "cdist() det inverse logdet matrix_power pinverse slogdet",
    "more_math":
        "absolute absolute_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh "
        "arcsinh_ arctan arctan_ arctanh arctanh_ asinh asinh_ atanh atanh_ deg2rad deg2rad_ erf "
        "erf_ erfc erfc_ erfinv erfinv_ fix fix_ frac frac_ greater greater_equal less less_equal "
        "logit logit_ multiply .multiply_ nan_to_num nan_to_num_ negative negative_ not_equal "
        "positive rad2deg rad2deg_ round round_ sgn sgn_ sinc sinc_ subtract .subtract_",
    "order":
        "amax amin aminmax argmax argmin argsort cummax cummin kthvalue max median min mode msort "
        "nanmedian sort topk",
    "pairs":
        "addcdiv .addcdiv_ addcmul .addcmul_ arctan2 .arctan2_ atan2 .atan2_ copysign .copysign_ "
        "float_power .float_power_ hypot .hypot_ ldexp .ldexp_ lerp .lerp_ logaddexp logaddexp2 "
        "pow() rsub() xlogy .xlogy_",
    "products": "chain_matmul() cross inner kron tensordot() trace",
    "quantile": "nanquantile quantile",
    "replace": "diagonal_scatter select_scatter slice_scatter",
    "scatter":
        "gather index_add .index_add_ index_copy .index_copy_ index_fill .index_fill_ index_put "
        ".index_put_ index_select put .put_ scatter .scatter_ scatter_add .scatter_add_ take "
        "take_along_dim",
    "scatter_reduce": "index_reduce .index_reduce_ scatter_reduce .scatter_reduce_",
    "softmax": "log_softmax softmax",
    "solvers": "cholesky_inverse cholesky_solve",
    "special": "i0 i0_ igamma igammac mvlgamma",
    "split": "chunk dsplit hsplit split split_with_sizes tensor_split unbind vsplit",
    "storage": ".storage .untyped_storage",
}

LATER_FUNCTIONS = {}  # name -> module


class Later:
    """A method whose module is imported when the method is first asked for."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __get__(self, tensor, cls):
        importlib.import_module(f"minigrad.ops.{self.module}")  # puts the method in this one's place
        if vars(Tensor)[self.name] is self:
            raise AttributeError(f"{self.module} is still being imported: no {self.name} yet")
        return getattr(cls if tensor is None else tensor, self.name)


def public_function(name):
    """The function of that name, imported if need be; KeyError if there is none."""
    if name not in FUNCTIONS:
        importlib.import_module(f"minigrad.ops.{LATER_FUNCTIONS[name]}")
    return FUNCTIONS[name]


def load_all():
    """Import all operations."""
    for module in LATER:
        importlib.import_module(f"minigrad.ops.{module}")


for _module, _names in LATER.items():
    for _entry in _names.split():
        _name = _entry.strip(".()")
        if not _entry.endswith("()"):
            setattr(Tensor, _name, Later(_module, _name))
        if not _entry.startswith("."):
            LATER_FUNCTIONS[_name] = _module
            FUNCTIONS.pop(_name, None)  # a simpler form of it
