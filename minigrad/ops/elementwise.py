"""Element by element: arithmetic with broadcasting, and functions of one number.

Over each `def` stands how NumPy computes it, and a rule for each operand: the gradient `g` of the
result times the derivative. How such a line is read: ops/elements.py.
"""

import math

import numpy as np

from ..inplace import in_place
from ..tensor import Tensor
from .compare import Where
from .convert import zeros_like
from .elements import answered, elements, elementwise
from .registry import function, method

# --- arithmetic -----------------------------------------------------------------------------------


@elements(np.multiply, lambda g, _x, y: g * y, lambda g, x, _y: g * x)
def mul(input, other):
    """`input` times `other`; both are broadcast."""


@elements(np.true_divide, lambda g, _x, y: g / y, lambda g, x, y: -g * ((x / y) / y), floats=True)
def div(input, other):
    """`input` divided by `other`; both are broadcast."""


AddBackward0 = elementwise("AddBackward0", np.add, lambda g, _x, _y: g, lambda g, _x, _y: g)


@function
@method
def add(input, other, *, alpha=1):
    """`input` plus `alpha` times `other`; both are broadcast."""
    return answered(AddBackward0, "add", input, other if alpha == 1 else other * alpha)


@method
def add_(self, other, *, alpha=1):
    """`add`, stored in the tensor itself, which is returned."""
    return in_place(AddBackward0, self, other if alpha == 1 else other * alpha)


def _no_masks(x, y):
    """Masks are not subtracted."""
    if "b" in (x.dtype.kind, np.asarray(y).dtype.kind):
        raise RuntimeError("The `-` operator does not take a bool tensor; to invert one, use `~`.")


SubBackward0 = elementwise(
    "SubBackward0", np.subtract, lambda g, _x, _y: g, lambda g, _x, _y: -g, check=_no_masks
)
RsubBackward0 = elementwise(
    "RsubBackward0",
    lambda x, y: y - x,
    lambda g, _x, _y: -g,
    lambda g, _x, _y: g,
    check=_no_masks,
)
# `1 - x`: an operand that is always a number has no rule.
RsubBackward1 = elementwise(
    "RsubBackward1", lambda x, y: y - x, lambda g, _x, _y: -g, check=_no_masks
)


@function
@method
def sub(input, other, *, alpha=1):
    """`input` minus `alpha` times `other`; both are broadcast."""
    return answered(SubBackward0, "sub", input, other if alpha == 1 else other * alpha)


@method
def sub_(self, other, *, alpha=1):
    """`sub`, stored in the tensor itself, which is returned."""
    return in_place(SubBackward0, self, other if alpha == 1 else other * alpha)


@method
def __rsub__(self, other):
    return (RsubBackward0 if isinstance(other, Tensor) else RsubBackward1).apply(self, other)


@elements(np.negative, lambda g, _x: -g)
def neg(input):
    """Minus each element."""


@elements(np.reciprocal, lambda g, _x, out: -g * (out * out), floats=True)
def reciprocal(input):
    """One divided by each element."""


@method
def __rtruediv__(self, other):
    return reciprocal(self) * other


# --- whole quotients and what they leave ----------------------------------------------------------


def _not_by_zero(x, y):
    """Whole numbers are not divided by zero."""
    whole = "f" not in (np.asarray(x).dtype.kind, np.asarray(y).dtype.kind)
    if whole and np.size(x) and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


def _no_rule(g, _x, _y):
    raise RuntimeError("derivative for aten::floor_divide is not implemented")


def _no_rule_either(g, _x, _y):
    raise RuntimeError("derivative for aten::remainder is not implemented")


_OURS = {"check": _not_by_zero, "_namespace": "torch::autograd::"}
QuotientByNumber = elementwise("NotImplemented", np.floor_divide, _no_rule, **_OURS)
QuotientByTensor = elementwise("NotImplemented", np.floor_divide, _no_rule, _no_rule, **_OURS)
RemainderOfNumber = elementwise(
    "NotImplemented", lambda x, y: np.remainder(y, x), _no_rule_either, **_OURS
)
DivBackward2 = elementwise(
    "DivBackward2",
    np.floor_divide,
    lambda g, _x, _y: zeros_like(g),
    lambda g, _x, _y: zeros_like(g),
)
RemainderBackward0 = elementwise(
    "RemainderBackward0", np.remainder, lambda g, _x, _y: g, check=_not_by_zero
)
RemainderBackward1 = elementwise(
    "RemainderBackward1",
    np.remainder,
    lambda g, _x, _y: g,
    lambda g, x, y: -g * DivBackward2.apply(x, y),
    check=_not_by_zero,
)


def floor_divide(x, y):
    """x // y: its node only says that there is no derivative."""
    return (QuotientByTensor if isinstance(y, Tensor) else QuotientByNumber).apply(x, y)


def _remainder_by(y):
    return RemainderBackward1 if isinstance(y, Tensor) else RemainderBackward0


def modulo(x, y):
    """x % y; with a number for x, its node only says that there is no derivative, as in PyTorch."""
    if not isinstance(x, Tensor):
        return RemainderOfNumber.apply(y, x)
    return _remainder_by(y).apply(x, y)


@function
@method
def remainder(input, other):
    """What division leaves, with the sign of the divisor: `input % other`."""
    return answered(_remainder_by(other), "remainder", input, other)


@method
def remainder_(self, other):
    """`remainder`, stored in the tensor itself, which is returned."""
    return in_place(_remainder_by(other), self, other)


# --- powers ---------------------------------------------------------------------------------------


def _power(x, y):
    if x.dtype.kind in "iu" and np.any(y < 0):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    # One exponent 0.5 for many numbers would be taken for a square root, which -inf has none of.
    return np.power(x, np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)).copy())


def _to_number(x, y):
    if x.dtype.kind in "iu":
        return _power(x, np.asarray(y).astype(x.dtype))
    return x * x * x if y == 3 else x**y  # NumPy has fast ways for some


def _number_to(x, y):
    return _power(np.asarray(y).astype(x.dtype), x)


def _grad_to_number(g, x, y):
    return zeros_like(g) if y == 0 else g * (x ** (y - 1) * y)


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


PowBackward0 = elementwise("PowBackward0", _to_number, _grad_to_number, called={"y": "exponent"})
PowBackward1 = elementwise(
    "PowBackward1", _power, _grad_of_base, _grad_of_exponent, called={"y": "exponent"}
)
PowBackward2 = elementwise(
    "PowBackward2",
    _number_to,
    _grad_of_exponent_alone,
    called={"x": "exponent", "y": "self"},
)


def _power_of(exponent):
    return PowBackward1 if isinstance(exponent, Tensor) else PowBackward0


@method
def __pow__(self, exponent):
    return _power_of(exponent).apply(self, exponent)


@function
@method
def pow(input, exponent):
    """`input` to the power of `exponent`. RuntimeError for negative powers of integers."""
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


def _sigmoid(x):
    small = np.exp(-np.abs(x))  # never overflows
    return np.where(x < 0, small, 1) / (1 + small)


@elements(_sigmoid, lambda g, _x, out: g * ((1 - out) * out), floats=True)
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


@elements(np.cosh, lambda g, x: g * sinh(x), floats=True)
def cosh(input):
    """The hyperbolic cosine of each element."""


@elements(np.sinh, lambda g, x: g * cosh(x), floats=True)
def sinh(input):
    """The hyperbolic sine of each element."""


# --- signs, corners and steps ---------------------------------------------------------------------


@elements(lambda x: np.subtract(x > 0, x < 0, dtype=x.dtype), lambda g, _x: zeros_like(g))
def sign(input):
    """-1, 0 or 1: the sign of each element. Flat everywhere."""


@elements(np.absolute, lambda g, x: g * sign(x))
def abs(input):
    """The size of each element, without its sign; its gradient at 0 is 0."""


def _passed(x, y):
    """`x` where y is positive, 0 elsewhere (as in PyTorch, nan counts as positive)."""
    return np.where(y <= 0, 0, x)


passed = elementwise(
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
    """The largest whole number not above each element. Flat everywhere."""


@elements(lambda x: np.round(x).astype(x.dtype), lambda g, _x: zeros_like(g))
def round(input):
    """The nearest whole number, at .5 the even one. Flat everywhere."""


# --- Python's operators ---------------------------------------------------------------------------

Tensor.__add__ = Tensor.__radd__ = AddBackward0.apply
Tensor.__sub__ = SubBackward0.apply
Tensor.__mul__ = Tensor.__rmul__ = mul
Tensor.__truediv__ = div
Tensor.__floordiv__, Tensor.__rfloordiv__ = (
    floor_divide,
    lambda self, other: floor_divide(other, self),
)
Tensor.__mod__, Tensor.__rmod__ = modulo, lambda self, other: modulo(other, self)
Tensor.__rpow__ = PowBackward2.apply
Tensor.__neg__, Tensor.__pos__, Tensor.__abs__ = neg, lambda self: self, abs

Tensor.__iadd__, Tensor.__isub__, Tensor.__imul__ = add_, sub_, Tensor.mul_
Tensor.__itruediv__, Tensor.__imod__, Tensor.__ipow__ = Tensor.div_, remainder_, pow_
