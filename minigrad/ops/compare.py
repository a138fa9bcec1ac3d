"""Questions about numbers, whose answers are bools without a gradient; and `where`."""

import numpy as np

from .. import dtypes
from ..modes import mode
from ..operation import Operation
from ..tensor import Tensor, make
from .convert import cast
from .registry import as_function, both, function, method, named
from .table import _together, shape_error


def _question(ufunc):
    """An operator whose answer has no gradient."""

    def asked(input, other):
        if isinstance(other, (np.ndarray, np.generic)):
            other = make(other) if other.ndim else other.item()
        if not isinstance(input, Tensor) or not isinstance(other, (Tensor, int, float)):
            return NotImplemented
        a, b, *_ = _together(input, other, False, None)
        try:
            return make(np.asarray(mode.without_warnings(ufunc, a, b)))
        except ValueError:
            raise shape_error(a.shape, b.shape) from None

    return asked


for _name, _ufunc, _says in (
    ("eq", np.equal, "is equal to"),
    ("ne", np.not_equal, "differs from"),
    ("lt", np.less, "is less than"),
    ("le", np.less_equal, "is less than or equal to"),
    ("gt", np.greater, "is greater than"),
    ("ge", np.greater_equal, "is greater than or equal to"),
):
    _asked = _question(_ufunc)
    _doc = (
        f"Whether `input` {_says} `other`, element by element; bools in the broadcast shape. "
        "TypeError for what is neither tensor nor number."
    )
    method(function(named(as_function(_asked, _name), _name, _doc)))
    setattr(Tensor, f"__{_name}__", _asked)

Tensor.__and__ = Tensor.__rand__ = _question(np.bitwise_and)
Tensor.__or__ = Tensor.__ror__ = _question(np.bitwise_or)
Tensor.__xor__ = Tensor.__rxor__ = _question(np.bitwise_xor)
Tensor.__invert__ = lambda self: make(np.asarray(np.invert(self._array)))


def _kind(name, says):
    """Publish a question about each element by itself."""
    ufunc = getattr(np, name)
    both(
        named(
            lambda input: make(np.asarray(ufunc(input._array))),
            name,
            f"Which elements are {says}; bools in the shape of `input`.",
        )
    )


_kind("isnan", "nan, not a number")
_kind("isinf", "infinite")
_kind("isfinite", "neither infinite nor nan")


@both
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |input - other| <= atol + rtol * |other| everywhere. RuntimeError for two dtypes."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.tensor_name} did not match {other.dtype.tensor_name}")
    return mode.without_warnings(np.allclose, input._array, other._array, rtol, atol, equal_nan)


@both
def equal(input, other):
    """Whether two tensors have the same shape and the same elements; a Python bool."""
    return np.array_equal(input._array, other._array)


class Where(Operation):
    """`x` where the condition holds, elsewhere `y`."""

    broadcasts = True
    tensors = ("condition",)

    def forward(condition, x, y):
        try:
            return np.where(condition, x, y)
        except ValueError:
            raise shape_error(*map(np.shape, (condition, x, y))) from None

    def grad_x(g, condition, _x, _y):
        return Where.apply(condition, g, 0)

    def grad_y(g, condition, _x, _y):
        return Where.apply(condition, 0, g)


@function
def where(condition, input, other):
    """`input` where `condition` holds, else `other`: tensors or numbers, which broadcast.

    RuntimeError for a condition that is no bool tensor.
    """
    if condition.dtype is not dtypes.bool:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with "
            f"dtype {condition.dtype.tensor_name}"
        )
    dtype = dtypes.result_type(*[getattr(x, "_array", x) for x in (input, other)])
    chosen = [cast(x, dtype) if isinstance(x, Tensor) else dtype.type(x) for x in (input, other)]
    return Where.apply(condition, *chosen)


method(
    named(
        lambda self, condition, other: where(condition, self, other),
        "where",
        "This tensor where `condition` holds, else `other`; see `torch.where`.",
    )
)
