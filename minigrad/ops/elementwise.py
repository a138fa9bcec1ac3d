"""Element by element: arithmetic with broadcasting, and functions of one number.

The line above each `def` has NumPy's function and a rule for each operand: the gradient `g` of the
result times the derivative. ops/elements.py explains how to read it.
"""

import math

import numpy as np

from ..inplace import in_place
from ..tensor import Tensor
from .compare import Where
from .convert import zeros_like
from .elements import elements, elementwise_class
from .registry import function, method

# --- arithmetic -----------------------------------------------------------------------------------


@elements(np.multiply, lambda g, _x, y: g * y, lambda g, x, _y: g * x)
def mul(input, other):
    """`input` times `other`; both are broadcast."""


@elements(np.true_divide, lambda g, _x, y: g / y, lambda g, x, y: -g * ((x / y) / y), floats=True)
def div(input, other):
    """`input` divided by `other`; both are broadcast."""


@elements(np.add, lambda g, _x, _y: g, lambda g, _x, _y: g)
def add(input, other, *, alpha=1):
    """`input` plus `alpha` times `other`; both are broadcast."""
    return other if alpha == 1 else other * alpha


def _no_masks(x, y):
    """Refuse to subtract masks."""
    if "b" in (np.asarray(x).dtype.kind, np.asarray(y).dtype.kind):
        raise RuntimeError("The `-` operator does not take a bool tensor; to invert one, use `~`.")


@elements(np.subtract, lambda g, _x, _y: g, lambda g, _x, _y: -g, check=_no_masks)
def sub(input, other, *, alpha=1):
    """`input` minus `alpha` times `other`; both are broadcast."""
    return other if alpha == 1 else other * alpha


RsubBackward1 = elementwise_class(  # 1 - x
    "RsubBackward1", lambda x, y: y - x, lambda g, _x, _y: -g, None, check=_no_masks
)


@elements(np.negative, lambda g, _x: -g)
def neg(input):
    """Minus each element."""


@elements(np.reciprocal, lambda g, _x, out: -g * (out * out), floats=True)
def reciprocal(input):
    """One divided by each element."""


# --- whole quotients and what they leave ----------------------------------------------------------


def _not_by_zero(x, y):
    """Refuse to divide whole numbers by zero."""
    whole = "f" not in (np.asarray(x).dtype.kind, np.asarray(y).dtype.kind)
    if whole and np.size(x) and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


def _not_differentiable(name, forward):
    """The class of an operation whose node says, as in PyTorch, that there is no derivative."""

    def rule(g, _x, _y):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    options = {"check": _not_by_zero, "_namespace": "torch::autograd::"}
    return elementwise_class("NotImplemented", forward, rule, rule, **options)


FloorDivide = _not_differentiable("floor_divide", np.floor_divide)
RemainderOfNumber = _not_differentiable("remainder", np.remainder)  # 5 % x
RemainderBackward0 = elementwise_class(
    "RemainderBackward0", np.remainder, lambda g, _x, _y: g, None, check=_not_by_zero
)
FlooredDiv = elementwise_class(
    "DivBackward2",
    np.floor_divide,
    lambda g, _x, _y: zeros_like(g),
    lambda g, _x, _y: zeros_like(g),
)
RemainderBackward1 = elementwise_class(
    "RemainderBackward1",
    np.remainder,
    lambda g, _x, _y: g,
    lambda g, x, y: -g * FlooredDiv.apply(x, y),
    check=_not_by_zero,
)


def _remainder_by(y):
    return RemainderBackward1 if isinstance(y, Tensor) else RemainderBackward0


@function
@method
def remainder(input, other):
    """`input % other`, with the sign of `other`."""
    return input % other


# --- powers ---------------------------------------------------------------------------------------


def _power(x, y):
    if x.dtype.kind in "iu" and np.any(y < 0):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    # NumPy takes a square root where one exponent 0.5 is for all, and -inf has none.
    return np.power(x, np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)).copy())


def _to_number(x, y):
    if x.dtype.kind in "iu":
        return _power(x, np.asarray(y).astype(x.dtype))
    if y == -0.5:
        return 1 / np.sqrt(x)  # nan for -inf, as for 0.5
    return x * x * x if y == 3 else x**y  # NumPy is slow for 3, and fast for 2 and 0.5


def _number_to(x, y):
    return _power(np.asarray(y).astype(x.dtype), x)


def _grad_to_number(g, x, y):
    return zeros_like(g) if y == 0 else g * (PowBackward0.apply(x, y - 1) * y)


def _grad_of_base(g, x, y, _out):
    return Where.apply(y == 0, 0, g * (y * x ** (y - 1)))


def _grad_of_exponent(g, x, y, out):
    """Where x is 0 and y is not negative, the power is constant in y."""
    return g * Where.apply((x == 0) & (y >= 0), 0, out * log(x))


def _grad_of_exponent_alone(g, x, y, out):
    """For `y ** x` with a number y."""
    if y == 0:
        return g * Where.apply(x >= 0, 0, out * -math.inf)
    return g * (out * (math.log(y) if y > 0 else math.nan))


PowBackward0 = elementwise_class(
    "PowBackward0", _to_number, _grad_to_number, None, torch_names={"y": "exponent"}
)
PowBackward1 = elementwise_class(
    "PowBackward1", _power, _grad_of_base, _grad_of_exponent, torch_names={"y": "exponent"}
)
PowBackward2 = elementwise_class(
    "PowBackward2",
    _number_to,
    _grad_of_exponent_alone,
    None,
    torch_names={"x": "exponent", "y": "self"},
)


def _power_of(exponent):
    return PowBackward1 if isinstance(exponent, Tensor) else PowBackward0


@function
@method
def pow(input, exponent):
    """`input` to the power of `exponent`. Raises RuntimeError for negative powers of integers."""
    return input**exponent


@method
def pow_(self, exponent):
    """`pow`, stored in the tensor itself, which is returned."""
    return in_place(_power_of(exponent), self, exponent)


# x**1 in the rule: so it is in PyTorch's graph
@elements(np.square, lambda g, x: g * (x**1 * 2), node="Pow")
def square(input):
    """The square of each element."""


# --- exponentials and logarithms ------------------------------------------------------------------


@elements(np.exp, lambda g, _x, out: g * out, floats=True)
def exp(input):
    """e to the power of each element."""


@elements(np.log, lambda g, x: g / x, floats=True)
def log(input):
    """The natural logarithm of each element."""


@elements(np.log1p, lambda g, x: g / (x + 1), floats=True, node="Log1P")
def log1p(input):
    """log(1 + x), exact near 0."""


@elements(np.log10, lambda g, x: g / (x * 2.302585092994046), floats=True)
def log10(input):
    """The logarithm of each element to base 10."""


@elements(np.sqrt, lambda g, _x, out: g / (out * 2), floats=True)
def sqrt(input):
    """The square root of each element; its gradient at 0 is inf."""


# Where exp overflows the sigmoid is 0, as in PyTorch.
@elements(lambda x: 1 / (1 + np.exp(-x)), lambda g, _x, out: g * ((1 - out) * out), floats=True)
def sigmoid(input):
    """1 / (1 + exp(-x)) of each element: between 0 and 1."""


@elements(np.tanh, lambda g, _x, out: g * (1 - out * out), floats=True)
def tanh(input):
    """The hyperbolic tangent."""


def _erf(x):
    return np.vectorize(math.erf, "d")(x).astype(x.dtype)  # NumPy has none


@elements(_erf, lambda g, x: g * (exp(-(x * x)) * 1.1283791670955126), floats=True)
def erf(input):
    """The area under 2 / sqrt(pi) * exp(-t * t) from 0 to each element: between -1 and 1."""


# --- angles ---------------------------------------------------------------------------------------


@elements(np.sin, lambda g, x: g * cos(x), floats=True)
def sin(input):
    """The sine of each element, in radians."""


@elements(np.cos, lambda g, x: g * -sin(x), floats=True)
def cos(input):
    """The cosine of each element, in radians."""


# --- signs, corners and steps ---------------------------------------------------------------------


@elements(lambda x: np.subtract(x > 0, x < 0, dtype=x.dtype), lambda g, _x: zeros_like(g))
def sign(input):
    """-1, 0 or 1: the sign of each element. Its gradient is 0."""


@elements(np.absolute, lambda g, x: g * sign(x))
def abs(input):
    """The absolute value of each element; its gradient at 0 is 0."""


def _passed(x, y):
    """`x` where y is positive, 0 elsewhere (as in PyTorch, nan counts as positive)."""
    return np.where(y <= 0, 0, x)


passed = elementwise_class(
    "ThresholdBackwardBackward0",
    _passed,
    lambda g, _x, y: passed(g, y),
    lambda g, _x, _y: zeros_like(g),
).apply


@elements(lambda x: np.maximum(x, 0), lambda g, _x, out: passed(g, out))
def relu(input):
    """max(x, 0) of each element; its gradient at 0 is 0."""


@elements(lambda x: np.floor(x).astype(x.dtype), lambda g, _x: zeros_like(g))
def floor(input):
    """The largest whole number not above each element. Its gradient is 0."""


@elements(lambda x: np.round(x).astype(x.dtype), lambda g, _x: zeros_like(g))
def round(input):
    """The nearest whole number, at .5 the even one. Its gradient is 0."""


# --- Python's operators ---------------------------------------------------------------------------

Tensor.__add__ = Tensor.__radd__ = add
Tensor.__sub__, Tensor.__rsub__ = sub, RsubBackward1.apply
Tensor.__mul__ = Tensor.__rmul__ = mul
Tensor.__truediv__ = div
Tensor.__rtruediv__ = lambda self, other: mul(reciprocal(self), other)
Tensor.__floordiv__ = FloorDivide.apply
Tensor.__rfloordiv__ = lambda self, other: FloorDivide.apply(other, self)
Tensor.__mod__ = lambda self, other: _remainder_by(other).apply(self, other)
Tensor.__rmod__ = lambda self, other: RemainderOfNumber.apply(other, self)
Tensor.__pow__ = lambda self, exponent: _power_of(exponent).apply(self, exponent)
Tensor.__rpow__ = PowBackward2.apply
Tensor.__neg__, Tensor.__pos__, Tensor.__abs__ = neg, lambda self: self, abs


def _in_place_operator(change):
    """So that Python's own error says `-=` and NoneType, if w.grad is None in `w -= w.grad`."""
    return lambda self, other: NotImplemented if other is None else change(self, other)


Tensor.__iadd__, Tensor.__isub__ = map(_in_place_operator, (Tensor.add_, Tensor.sub_))
Tensor.__imul__, Tensor.__itruediv__ = map(_in_place_operator, (Tensor.mul_, Tensor.div_))
Tensor.__ipow__ = _in_place_operator(pow_)
