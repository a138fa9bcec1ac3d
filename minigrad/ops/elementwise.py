"""Element by element: arithmetic with broadcasting, and functions of one number.

A line of a table has a name, how to compute it with NumPy, and a rule for each operand: the
gradient `g` of the result times the derivative.
"""

import math

import numpy as np

from ..tensor import Tensor, make
from .compare import Where
from .convert import zeros_like
from .registry import FUNCTIONS, as_function, named, one, publish, two
from .table import of_two


def _sigmoid(x):
    small = np.exp(-np.abs(x))  # never overflows
    return np.where(x < 0, small, 1) / (1 + small)


def _erf(x):
    return np.vectorize(math.erf, "d")(x).astype(x.dtype)  # NumPy has none


def _gate(x, y):
    """`x` where `y` is positive, 0 elsewhere: all bits kept, or none, which is quick and exact."""
    kept = (y <= 0).view("i1") - 1
    return (x.view(f"i{x.itemsize}") & kept).view(x.dtype)


# fmt: off
gate = of_two("ThresholdBackwardBackward0", _gate, lambda g, _x, y: gate(g, y),
              lambda g, _x, _y: zeros_like(g)).apply
neg = one("neg", np.negative, lambda g, _x: -g, "Minus each element.", floats=False)
exp = one("exp", np.exp, lambda g, _x, out: g * out, "e to the power of each element.")
log = one("log", np.log, lambda g, x: g / x, "The natural logarithm of each element.")
log1p = one("log1p", np.log1p, lambda g, x: g / (x + 1), "log(1 + x), exact near 0.", node="Log1P")
sqrt = one("sqrt", np.sqrt, lambda g, _x, out: g / (out * 2),
           "The square root of each element; its gradient at 0 is inf.")
rsqrt = one("rsqrt", lambda x: 1 / np.sqrt(x), lambda g, _x, out: g * -0.5 * out**3,
            "One over the square root of each element.")
square = one("square", np.square, lambda g, x: g * (x**1 * 2),  # x**1: PyTorch's graph
             "The square of each element.", floats=False, node="Pow")
reciprocal = one("reciprocal", np.reciprocal, lambda g, _x, out: -g * (out * out),
                 "One divided by each element.")
sin = one("sin", np.sin, lambda g, x: g * cos(x), "The sine of each element, in radians.")
cos = one("cos", np.cos, lambda g, x: g * -sin(x), "The cosine of each element, in radians.")
tan = one("tan", np.tan, lambda g, _x, out: g * (out * out + 1), "The tangent of each element.")
atan = one("atan", np.arctan, lambda g, x: g / (x * x + 1), "The angle with this tangent.")
tanh = one("tanh", np.tanh, lambda g, _x, out: g * (1 - out * out), "The hyperbolic tangent.")
sign = one("sign", lambda x: np.subtract(x > 0, x < 0, dtype=x.dtype), lambda g, _x: zeros_like(g),
           "-1, 0 or 1: the sign of each element. Flat everywhere.", floats=False)
abs = one("abs", np.absolute, lambda g, x: g * sign(x),
          "The size of each element, without its sign; its gradient at 0 is 0.", floats=False)
relu = one("relu", lambda x: np.maximum(x, 0), lambda g, _x, out: gate(g, out),
           "max(x, 0) of each element; its gradient at 0 is 0.", floats=False)
floor = one("floor", lambda x: np.floor(x).astype(x.dtype), lambda g, _x: zeros_like(g),
            "The largest whole number not above each element. Flat everywhere.", floats=False)
ceil = one("ceil", lambda x: np.ceil(x).astype(x.dtype), lambda g, _x: zeros_like(g),
           "The smallest whole number not below each element. Flat everywhere.", floats=False)
round = one("round", lambda x: np.round(x).astype(x.dtype), lambda g, _x: zeros_like(g),
            "The nearest whole number, at .5 the even one. Flat everywhere.", floats=False)
sigmoid = one("sigmoid", _sigmoid, lambda g, _x, out: g * ((1 - out) * out),
              "1 / (1 + exp(-x)) of each element: between 0 and 1.")
log10 = one("log10", np.log10, lambda g, x: g / (x * 2.302585092994046),
            "The logarithm of each element to base 10.")
sinh = one("sinh", np.sinh, lambda g, x: g * cosh(x), "The hyperbolic sine of each element.")
cosh = one("cosh", np.cosh, lambda g, x: g * sinh(x), "The hyperbolic cosine of each element.")
erf = one("erf", _erf, lambda g, x: g * (exp(-(x * x)) * 1.1283791670955126),
          "The area under 2 / sqrt(pi) * exp(-t * t) from 0 to each element: between -1 and 1.")
# fmt: on


# --- arithmetic -----------------------------------------------------------------------------------


def _no_masks(x, y):
    """Masks are not subtracted."""
    if "b" in (x.dtype.kind, np.asarray(y).dtype.kind):
        raise RuntimeError("The `-` operator does not take a bool tensor; to invert one, use `~`.")


def _not_by_zero(x, y):
    """Whole numbers are not divided by zero."""
    if x.dtype.kind != "f" and np.asarray(y).dtype.kind != "f" and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


def _no_rule(g, _x, _y):
    raise RuntimeError("derivative for aten::floor_divide is not implemented")


_add = two(
    "add",
    np.add,
    lambda g, _x, _y: g,
    lambda g, _x, _y: g,
    "`input` plus `alpha` times `other`; both are broadcast.",
)
_sub = two(
    "sub",
    np.subtract,
    lambda g, _x, _y: g,
    lambda g, _x, _y: -g,
    "`input` minus `alpha` times `other`; both are broadcast.",
    check=_no_masks,
)
_rsub = of_two(
    "RsubBackward1", lambda x, y: y - x, lambda g, _x, _y: -g, lambda g, _x, _y: g, check=_no_masks
)
_rsub._shows_numbers = False
mul = two(
    "mul",
    np.multiply,
    lambda g, _x, y: g * y,
    lambda g, x, _y: g * x,
    "`input` times `other`; both are broadcast.",
)
_div = two(
    "div",
    np.true_divide,
    lambda g, _x, y: g / y,
    lambda g, x, y: -g * ((x / y) / y),
    "`input` divided by `other`; both are broadcast.",
    floats=True,
)

_floor_divide = of_two("NotImplemented", np.floor_divide, _no_rule, _no_rule, check=_not_by_zero)
_floor_divide.__name__, _floor_divide._namespace = "NotImplemented", "torch::autograd::"
_floor_divide._shows_numbers = False


def _with_alpha(call):
    """`add` and `sub` may multiply their second operand first."""

    def scaled(input, other, *, alpha=1):
        return call(input, other if alpha == 1 else other * alpha)

    return named(scaled, call.__name__, call.__doc__)


for _name in ("add", "sub"):
    FUNCTIONS[_name] = _with_alpha(FUNCTIONS[_name])
    for _form in (_name, f"{_name}_"):
        setattr(Tensor, _form, _with_alpha(getattr(Tensor, _form)))


def _by_operand(of_number, of_tensor):
    """An operation whose node's name tells whether the second operand is a number."""
    apply, of_number._shows_numbers = of_tensor.apply, False

    def chosen(x, y):
        return (apply if isinstance(y, Tensor) else of_number.apply)(x, y)

    of_tensor.apply = staticmethod(chosen)
    return of_tensor


quotient = of_two("DivBackward2", np.floor_divide, *[lambda g, _x, _y: zeros_like(g)] * 2).apply
_remainder = _by_operand(
    *[
        of_two(f"RemainderBackward{i}", np.remainder, lambda g, _x, _y: g, rule, check=_not_by_zero)
        for i, rule in enumerate([lambda g, _x, _y: None, lambda g, x, y: -g * quotient(x, y)])
    ]
)
remainder = publish(
    _remainder,
    as_function(_remainder.apply, "remainder"),
    "remainder",
    "What division leaves, with the sign of the divisor. "
    "TypeError for what is neither tensor nor number.",
)


def _power(x, y):
    if x.dtype.kind in "iu" and np.any(y < 0):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if y.ndim:
        return np.power(x, y)
    n = y.item()  # NumPy has fast ways for some
    return x * x * x if n == 3 else x**n


def _of_number(g, x, y):
    n = y.item()
    return zeros_like(g) if n == 0 else g * (x ** (n - 1) * n)


def _of_base(g, x, y, _out):
    return Where.apply(y == 0, 0, g * (y * x ** (y - 1)))


def _of_exponent(g, x, y, out):
    """Where x is 0 and y is not negative, the power is constant in y."""
    return g * Where.apply((x == 0) & (y >= 0), 0, out * log(x))


_pow0 = of_two("PowBackward0", _power, _of_number, lambda g, _x, _y: None)
_pow1 = of_two("PowBackward1", _power, _of_base, _of_exponent)
_pow2 = of_two(
    "PowBackward2",
    lambda x, y: _power(y, x),
    lambda g, x, y, out: _of_exponent(g, y, x, out),
    lambda g, _x, _y, _out: None,
)
_pow2._shows_numbers = False
_pow0.called = _pow1.called = {"y": "exponent"}
_pow2.called = {"x": "exponent", "y": "self"}
_pow = _by_operand(_pow0, _pow1)
publish(
    _pow,
    lambda input, exponent: input**exponent,
    "pow",
    "`input` to the power of `exponent`. RuntimeError for negative powers of integers.",
)


# --- the operators, and other names ---------------------------------------------------------------

FUNCTIONS |= {"multiply": FUNCTIONS["mul"], "true_divide": FUNCTIONS["div"]}
Tensor.multiply, Tensor.true_divide = Tensor.mul, Tensor.div
Tensor.__add__ = Tensor.__radd__ = _add
Tensor.__sub__, Tensor.__rsub__ = _sub, _rsub.apply
Tensor.__mul__ = Tensor.__rmul__ = mul
Tensor.__truediv__, Tensor.__rtruediv__ = _div, lambda self, other: reciprocal(self) * other
Tensor.__floordiv__ = _floor_divide.apply
Tensor.__rfloordiv__ = lambda self, other: _floor_divide.apply(other, self)
Tensor.__mod__, Tensor.__rmod__ = remainder, lambda self, other: remainder(other, self)
Tensor.__pow__, Tensor.__rpow__ = _pow.apply, _pow2.apply
Tensor.__neg__, Tensor.__abs__, Tensor.__pos__ = neg, abs, lambda self: self
for _name in ("add", "sub", "mul", "pow"):
    setattr(Tensor, f"__i{_name}__", getattr(Tensor, f"{_name}_"))
Tensor.__itruediv__, Tensor.__imod__ = Tensor.div_, Tensor.remainder_
Tensor.__array_wrap__ = lambda self, array, *_: make(np.asarray(array))  # np.exp(x) is a tensor
