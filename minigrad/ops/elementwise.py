"""Element by element: arithmetic with broadcasting, and functions of one number.

A line of a table has a name, how to compute it with NumPy, and a rule for each operand: the
gradient `g` of the result times the derivative.
"""

import math

import numpy as np

from ..tensor import Tensor
from .compare import Where
from .convert import zeros_like
from .registry import FUNCTIONS, named, one, operator, publish, two
from .table import elementwise


def _sigmoid(x):
    small = np.exp(-np.abs(x))  # never overflows
    return np.where(x < 0, small, 1) / (1 + small)


def _passed(x, y):
    """`x` where y is positive, 0 elsewhere (as in PyTorch, nan counts as positive)."""
    return np.where(y <= 0, 0, x)


def _erf(x):
    return np.vectorize(math.erf, "d")(x).astype(x.dtype)  # NumPy has none


# fmt: off
passed = elementwise("ThresholdBackwardBackward0", _passed, lambda g, _x, y: passed(g, y),
                     lambda g, _x, _y: zeros_like(g)).apply
neg = one("neg", np.negative, lambda g, _x: -g, "Minus each element.", floats=False)
exp = one("exp", np.exp, lambda g, _x, out: g * out, "e to the power of each element.")
log = one("log", np.log, lambda g, x: g / x, "The natural logarithm of each element.")
log1p = one("log1p", np.log1p, lambda g, x: g / (x + 1), "log(1 + x), exact near 0.", node="Log1P")
sqrt = one("sqrt", np.sqrt, lambda g, _x, out: g / (out * 2),
           "The square root of each element; its gradient at 0 is inf.")
square = one("square", np.square, lambda g, x: g * (x**1 * 2),  # x**1: PyTorch's graph
             "The square of each element.", floats=False, node="Pow")
reciprocal = one("reciprocal", np.reciprocal, lambda g, _x, out: -g * (out * out),
                 "One divided by each element.")
sin = one("sin", np.sin, lambda g, x: g * cos(x), "The sine of each element, in radians.")
cos = one("cos", np.cos, lambda g, x: g * -sin(x), "The cosine of each element, in radians.")
tanh = one("tanh", np.tanh, lambda g, _x, out: g * (1 - out * out), "The hyperbolic tangent.")
sign = one("sign", lambda x: np.subtract(x > 0, x < 0, dtype=x.dtype), lambda g, _x: zeros_like(g),
           "-1, 0 or 1: the sign of each element. Flat everywhere.", floats=False)
abs = one("abs", np.absolute, lambda g, x: g * sign(x),
          "The size of each element, without its sign; its gradient at 0 is 0.", floats=False)
relu = one("relu", lambda x: np.maximum(x, 0), lambda g, _x, out: passed(g, out),
           "max(x, 0) of each element; its gradient at 0 is 0.", floats=False)
floor = one("floor", lambda x: np.floor(x).astype(x.dtype), lambda g, _x: zeros_like(g),
            "The largest whole number not above each element. Flat everywhere.", floats=False)
round = one("round", lambda x: np.round(x).astype(x.dtype), lambda g, _x: zeros_like(g),
            "The nearest whole number, at .5 the even one. Flat everywhere.", floats=False)
sigmoid = one("sigmoid", _sigmoid, lambda g, _x, out: g * ((1 - out) * out),
              "1 / (1 + exp(-x)) of each element: between 0 and 1.")
log10 = one("log10", np.log10, lambda g, x: g / (x * 2.302585092994046),
            "The logarithm of each element to base 10.")
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
    whole = "f" not in (np.asarray(x).dtype.kind, np.asarray(y).dtype.kind)
    if whole and np.size(x) and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


def _no_rule(g, _x, _y):
    raise RuntimeError("derivative for aten::floor_divide is not implemented")


def _whole_quotient(of_tensor):
    """`x // y`: a node that only says that it has no derivative."""
    rules = [_no_rule] * (2 if of_tensor else 1)
    cls = elementwise("NotImplementedBackward", np.floor_divide, *rules, check=_not_by_zero)
    cls.__name__, cls._namespace = "NotImplemented", "torch::autograd::"
    return cls


def _by_operand(of_number, of_tensor):
    """An operation whose node's name tells whether the second operand is a number."""
    with_number, with_tensor = of_number.apply, of_tensor.apply

    def apply(x, y):
        return with_tensor(x, y) if isinstance(y, Tensor) else with_number(x, y)

    of_tensor.apply = staticmethod(apply)
    return of_tensor


# An operand that is always a number has no rule.
# fmt: off
add = two("add", np.add, lambda g, _x, _y: g, lambda g, _x, _y: g,
          "`input` plus `alpha` times `other`; both are broadcast.")
sub = two("sub", np.subtract, lambda g, _x, _y: g, lambda g, _x, _y: -g,
          "`input` minus `alpha` times `other`; both are broadcast.", check=_no_masks)
mul = two("mul", np.multiply, lambda g, _x, y: g * y, lambda g, x, _y: g * x,
          "`input` times `other`; both are broadcast.")
div = two("div", np.true_divide, lambda g, _x, y: g / y, lambda g, x, y: -g * ((x / y) / y),
          "`input` divided by `other`; both are broadcast.", floats=True)
rsub = _by_operand(
    elementwise("RsubBackward1", lambda x, y: y - x, lambda g, _x, _y: -g, check=_no_masks),
    elementwise("RsubBackward0", lambda x, y: y - x, lambda g, _x, _y: -g, lambda g, _x, _y: g,
                check=_no_masks))
quotient = elementwise("DivBackward2", np.floor_divide, lambda g, _x, _y: zeros_like(g),
                       lambda g, _x, _y: zeros_like(g)).apply
remainder = _by_operand(
    elementwise("RemainderBackward0", np.remainder, lambda g, _x, _y: g, check=_not_by_zero),
    elementwise("RemainderBackward1", np.remainder, lambda g, _x, _y: g,
                lambda g, x, y: -g * quotient(x, y), check=_not_by_zero))
# fmt: on
floor_divide = _by_operand(_whole_quotient(of_tensor=False), _whole_quotient(of_tensor=True))
remainder = publish(
    remainder,
    "remainder",
    "What division leaves, with the sign of the divisor. "
    "TypeError for what is neither tensor nor number.",
)


def _with_alpha(call):
    """`add` and `sub` may multiply their second operand first."""

    def scaled(input, other, *, alpha=1):
        return call(input, other if alpha == 1 else other * alpha)

    return named(scaled, call.__name__, call.__doc__)


for _name in ("add", "sub"):
    FUNCTIONS[_name] = _with_alpha(FUNCTIONS[_name])
    for _form in (_name, f"{_name}_"):
        setattr(Tensor, _form, _with_alpha(getattr(Tensor, _form)))


# --- powers ---------------------------------------------------------------------------------------


def _power(x, y):
    if x.dtype.kind in "iu" and np.any(y < 0):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    # One exponent 0.5 for many numbers would be taken for a square root, which -inf has none of.
    return np.power(x, np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)).copy())


def _by_number(x, y):
    if x.dtype.kind in "iu":
        return _power(x, y)
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


def _of_exponent_alone(g, x, y, out):
    """For `y ** x` with a number y."""
    return _of_exponent(g, y, x, out)


# fmt: off
pow_number = elementwise("PowBackward0", _by_number, _of_number, called={"y": "exponent"})  # x ** 2
pow_tensor = elementwise("PowBackward1", _power, _of_base, _of_exponent,  # x ** y
                         called={"y": "exponent"})
rpow = elementwise("PowBackward2", lambda x, y: _power(y, x), _of_exponent_alone,  # 2 ** x
                   called={"x": "exponent", "y": "self"})
# fmt: on
publish(
    _by_operand(pow_number, pow_tensor),
    "pow",
    "`input` to the power of `exponent`. RuntimeError for negative powers of integers.",
    call=lambda input, exponent: input**exponent,
)


# --- Python's operators: what is left of tensor.OPERATORS -----------------------------------------

operator(rsub.apply, "rsub")
operator(rpow.apply, "rpow")
operator(floor_divide.apply, "floor_divide")


@operator
def rdiv(x, y):
    """y / x, as PyTorch computes it."""
    return reciprocal(x) * y


@operator
def rfloor_divide(x, y):
    """y // x."""
    return floor_divide.apply(y, x)


@operator
def rremainder(x, y):
    """y % x."""
    return remainder(y, x)


@operator
def positive(x):
    """+x: the tensor itself."""
    return x
