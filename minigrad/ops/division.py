"""Quotients rounded to whole numbers, and what division leaves."""

import numpy as np

from ..inplace import apply_in_place
from ..tensor import Tensor
from .arguments import fitting, need_tensor, no_bools, zeros_like
from .convert import constant
from .elementwise import Binary, Div, binary, publish_binary
from .pairs import publish_pair
from .registry import both, function, method


def _whole_division(x, y):
    """Refuse to divide integers by zero, as PyTorch does."""
    if x.dtype.kind in "iu" and x.size and np.any(y == 0):
        raise RuntimeError("ZeroDivisionError")


def floor_quotient(x, y):
    """The largest whole number not above x / y."""
    no_bools("div_floor_cpu", x)
    _whole_division(x, y)
    return np.floor_divide(x, y)


def trunc_quotient(x, y):
    """x / y without its fraction."""
    no_bools("div_trunc_cpu", x)
    _whole_division(x, y)
    if x.dtype.kind == "f":
        return np.trunc(np.true_divide(x, y))
    return np.where((x < 0) != (y < 0), -(np.abs(x) // np.abs(y)), np.abs(x) // np.abs(y))


# -- operations -----------------------------------------------------------------------------------


class DivRounded(Binary, name="DivBackward2"):
    """A quotient rounded to a whole number: constant wherever it is differentiable."""

    def grad_x(g, y):
        return zeros_like(g)

    def grad_y(g, x, y):
        return zeros_like(g)


class DivFloor(DivRounded, name="DivBackward2"):
    forward = floor_quotient


class DivTrunc(DivRounded, name="DivBackward2"):
    forward = trunc_quotient


class DivTrue(Div, name="DivBackward2"):
    """The quotient asked for with `rounding_mode=None`."""


def _no_derivative(name):
    def rule(g):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return rule


class Underivable(Binary, name="NotImplemented"):
    """An operation for which PyTorch has no rule: backward says so."""

    namespace = "torch::autograd::"


class FloorDivide(Underivable, name="NotImplemented"):
    """The quotient rounded down to a whole number; it has no derivative."""

    forward = floor_quotient
    grad_x = grad_y = _no_derivative("floor_divide")


class FloorDivideReflected(Underivable, name="NotImplemented"):
    """`5 // x`."""

    def forward(x, y):
        return floor_quotient(y, x)

    grad_x = grad_y = _no_derivative("floor_divide")


class Heaviside(Underivable, name="NotImplemented"):
    """0 below zero, 1 above, `y` at zero."""

    def forward(x, y):
        return np.where(np.isnan(x), x, np.heaviside(x, y)).astype(x.dtype)

    grad_x = grad_y = _no_derivative("heaviside")


def _checked(name, function):
    """What division leaves, by a function of NumPy's, without bools and whole numbers over 0."""

    def forward(x, y):
        no_bools(f"{name}_cpu", x)
        _whole_division(x, y)
        return function(x, y)

    return forward


class Rest(Binary):
    """What division leaves: it moves with the dividend."""

    def grad_x(g):
        return g


class Remainder(Rest, name="RemainderBackward1"):
    """What division leaves, with the sign of the divisor (`%`)."""

    forward = _checked("remainder", np.remainder)

    def grad_y(g, x, y):
        return -g * DivFloor(x, y)


class RemainderScalar(Rest, name="RemainderBackward0"):
    """`x % 2`: the divisor is a number."""

    forward = Remainder.forward


class RemainderReflected(Underivable, name="NotImplemented"):
    """`5 % x`."""

    def forward(x, y):
        return Remainder.forward(y, x)

    grad_x = grad_y = _no_derivative("remainder")


class Fmod(Rest, name="FmodBackward1"):
    """What division leaves, with the sign of the dividend."""

    forward = _checked("fmod", np.fmod)

    def grad_y(g, x, y):
        return -g * DivTrunc(x, y)


class FmodScalar(Rest, name="FmodBackward0"):
    """`fmod(x, 2)`: the divisor is a number."""

    forward = Fmod.forward


# -- public names ---------------------------------------------------------------------------------


publish_pair(Heaviside, "heaviside", second="values")
publish_pair(Fmod, "fmod", scalar=FmodScalar)
_remainder = publish_pair(Remainder, "remainder", scalar=RemainderScalar)
_floor_divide = publish_pair(FloorDivide, "floor_divide", scalar=FloorDivide)


@function
def remainder(input, other):
    """What division leaves, with the sign of the divisor; one of the two may be a number.

    Shapes broadcast. RuntimeError if they do not, and for integers divided by 0.
    """
    if isinstance(input, Tensor):
        return _remainder(input, other)
    need_tensor("remainder", "other", 2, other)
    return binary(RemainderReflected, other, input)


_ROUNDED = {"floor": DivFloor, "trunc": DivTrunc, None: DivTrue}
_divide, _divide_ = publish_binary(Div, "div")


def _rounding(mode):
    if mode not in _ROUNDED:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"
        )
    return _ROUNDED[mode]


@both
def div(input, other, *, rounding_mode="none"):
    """The quotient; with `rounding_mode` "floor" or "trunc" rounded to a whole number.

    Shapes broadcast; integers give floats unless rounded. RuntimeError for shapes that do not, another
    `rounding_mode`, and integers divided by 0 with rounding.
    """
    if rounding_mode == "none":  # not asked for
        return _divide(input, other)
    operation = _rounding(rounding_mode)
    return fitting(lambda: binary(operation, input, other), input, other)


@method
def div_(self, other, *, rounding_mode="none"):
    """`div`, in place."""
    if rounding_mode == "none":
        return _divide_(self, other)
    operand = other if isinstance(other, Tensor) else constant(other, self)
    return apply_in_place(_rounding(rounding_mode), self, operand)


for _name in ("divide", "true_divide"):
    both(div, name=_name)
    method(div_, name=f"{_name}_")


def _operators():
    """`//`, `%`, `<<` and `>>`, on either side of a tensor."""

    def __floordiv__(self, other):
        return fitting(lambda: binary(FloorDivide, self, other), self, other)

    def __rfloordiv__(self, other):
        return binary(FloorDivideReflected, self, other)

    def __mod__(self, other):
        operation = Remainder if isinstance(other, Tensor) else RemainderScalar
        return fitting(lambda: binary(operation, self, other), self, other)

    def __rmod__(self, other):
        return binary(RemainderReflected, self, other)

    def __ifloordiv__(self, other):
        return self.floor_divide_(other)

    def __imod__(self, other):
        return self.remainder_(other)

    for name, operator in locals().items():
        setattr(Tensor, name, operator)


_operators()
