"""Comparisons, whose results are bools without a gradient; and `where`."""

import numpy as np

from .. import dtypes
from ..modes import mode
from ..operation import Operation
from ..tensor import Tensor, make
from .convert import cast
from .elements import Elementwise, checked, shape_error, together
from .registry import both, function, method


def operator(ufunc):
    """The operator of a comparison: `x < y`, for two tensors, or a tensor and a number."""

    def compare(x, y):
        if isinstance(y, (np.ndarray, np.generic)):
            y = make(y) if y.ndim else y.item()
        if not isinstance(x, Tensor) or not isinstance(y, (Tensor, int, float)):
            return NotImplemented
        a, b = together([getattr(value, "_array", value) for value in (x, y)])
        try:
            return make(np.asarray(mode.without_float_warnings(ufunc, a, b)))
        except ValueError:
            raise shape_error(a.shape, b.shape) from None

    return compare


def comparison(ufunc):
    """Make a `def`, which has a name and a docstring, an operator, a function and a method."""
    compare = operator(ufunc)

    def declare(declared):
        setattr(Tensor, f"__{declared.__name__}__", compare)
        return method(function(checked(compare, declared)))

    return declare


@comparison(np.equal)
def eq(input, other):
    """Whether `input` is equal to `other`, element by element; bools in the broadcast shape."""


@comparison(np.not_equal)
def ne(input, other):
    """Whether `input` differs from `other`, element by element; bools in the broadcast shape."""


@comparison(np.less)
def lt(input, other):
    """Whether `input` is less than `other`, element by element; bools in the broadcast shape."""


@comparison(np.less_equal)
def le(input, other):
    """Whether `input` is at most `other`, element by element; bools in the broadcast shape."""


@comparison(np.greater)
def gt(input, other):
    """Whether `input` is greater than `other`, element by element; bools in the broadcast shape."""


@comparison(np.greater_equal)
def ge(input, other):
    """Whether `input` is at least `other`, element by element; bools in the broadcast shape."""


@method
def __invert__(self):
    return make(np.asarray(np.invert(self._array)))


@both
def isnan(input):
    """Which elements are nan, not a number; bools in the shape of `input`."""
    return make(np.asarray(np.isnan(input._array)))


@both
def isinf(input):
    """Which elements are infinite; bools in the shape of `input`."""
    return make(np.asarray(np.isinf(input._array)))


@both
def isfinite(input):
    """Which elements are neither infinite nor nan; bools in the shape of `input`."""
    return make(np.asarray(np.isfinite(input._array)))


@both
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |input - other| <= atol + rtol * |other| everywhere. RuntimeError for two dtypes."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.tensor_name} did not match {other.dtype.tensor_name}")
    return mode.without_float_warnings(
        np.allclose, input._array, other._array, rtol, atol, equal_nan
    )


@both
def equal(input, other):
    """Whether two tensors have the same shape and the same elements; a Python bool."""
    return np.array_equal(input._array, other._array)


class Where(Operation):
    """`x` where the condition holds, elsewhere `y`."""

    tensors = ("condition",)
    refusal = Elementwise.refusal

    def forward(condition, x, y):
        return np.where(condition, x, y)

    def grad_x(g, condition, _x, _y):
        return Where.apply(condition, g, 0)

    def grad_y(g, condition, _x, _y):
        return Where.apply(condition, 0, g)


@function
def where(condition, input, other):
    """`input` where `condition` holds, else `other`: tensors or numbers, which broadcast.

    Raises RuntimeError unless the condition is a tensor of bools, TypeError for None.
    """
    if condition.dtype is not dtypes.bool:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with "
            f"dtype {condition.dtype.tensor_name}"
        )
    if input is None or other is None:
        raise TypeError("where() needs tensors or numbers, not NoneType")
    dtype = dtypes.result_type(*[getattr(x, "_array", x) for x in (input, other)])
    chosen = [cast(x, dtype) if isinstance(x, Tensor) else dtype.type(x) for x in (input, other)]
    return Where.apply(condition, *chosen)


@both
def masked_fill(input, mask, value):
    """`value`, a number, where the mask of bools holds, elsewhere `input`."""
    return where(mask, value, input)


Tensor.__and__ = Tensor.__rand__ = operator(np.bitwise_and)
Tensor.__or__ = Tensor.__ror__ = operator(np.bitwise_or)
Tensor.__xor__ = Tensor.__rxor__ = operator(np.bitwise_xor)
