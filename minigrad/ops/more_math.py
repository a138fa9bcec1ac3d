"""More functions of one number: inverse hyperbolics, the error function, rounding, NaN replaced."""

import math

import numpy as np

from ..inplace import apply_in_place
from ..operation import Operation
from ..tensor import Tensor
from .arguments import only_floats, same_type, zeros_like
from .elementwise import (
    Abs,
    Cos,
    Exp,
    FloatUnary,
    Rounding,
    Rsqrt,
    Sign,
    Sin,
    Unary,
)
from .registry import FUNCTIONS, both, method
from .select import Where


class Asinh(FloatUnary):
    """The number whose hyperbolic sine every element is."""

    forward = np.arcsinh

    def grad_x(g, x):
        return g * Rsqrt(x * x + 1)


class Acosh(FloatUnary):
    """The number whose hyperbolic cosine every element is: nan below 1."""

    forward = np.arccosh

    def grad_x(g, x):
        return g * Rsqrt(x * x - 1)


class Atanh(FloatUnary):
    """The number whose hyperbolic tangent every element is: inf at 1, nan beyond."""

    forward = np.arctanh

    def grad_x(g, x):
        return g / (1 - x * x)


def _each(call):
    """A function of one Python number, applied to every element."""
    vectorized = np.frompyfunc(call, 1, 1)
    return lambda x: np.asarray(vectorized(x), x.dtype)


class Erf(FloatUnary):
    """The error function of every element: between -1 and 1."""

    forward = _each(math.erf)

    def grad_x(g, x):
        return g * (2 / math.sqrt(math.pi) * Exp(-x * x))


class Erfc(FloatUnary):
    """One minus the error function of every element."""

    forward = _each(math.erfc)

    def grad_x(g, x):
        return g * (-2 / math.sqrt(math.pi) * Exp(-x * x))


def _erfinv(x):
    """The number whose error function is x: from the normal quantile, and one Newton step."""
    if not -1 < x < 1:
        return x * math.inf if abs(x) == 1 else math.nan
    from statistics import NormalDist  # takes a while to load

    y = -NormalDist().inv_cdf((1 - abs(x)) / 2) / math.sqrt(2)
    y = math.copysign(y, x)
    return y - (math.erf(y) - x) * math.sqrt(math.pi) / 2 * math.exp(y * y)


class Erfinv(FloatUnary):
    """The number whose error function every element is: nan outside of -1 to 1."""

    forward = _each(_erfinv)

    def grad_x(g, x):
        out = Erfinv(x)
        return g * (math.sqrt(math.pi) / 2 * Exp(out * out))


class Sinc(FloatUnary):
    """sin(pi x) / (pi x) of every element, and 1 at 0."""

    def forward(x):
        return np.sinc(x).astype(x.dtype)

    def grad_x(g, x):
        angle = Where(x == 0, 1, x) * math.pi
        return g * Where(x == 0, 0, (Cos(angle) * angle - Sin(angle)) / (angle * x))


class Sgn(Unary):
    """The sign of every element, -1, 0 or 1, as `sign` gives it."""

    forward = Sign.forward

    def grad_x(g, out):
        return zeros_like(g)


class Frac(Unary):
    """What is behind the point of every element, with its sign."""

    def forward(x):
        only_floats("frac_cpu", x)
        return x - np.trunc(x)

    def grad_x(g):
        return g


class Deg2rad(FloatUnary, name="Deg2RadBackward0"):
    """Every element, an angle in degrees, in radians."""

    forward = np.deg2rad

    def grad_x(g):
        return g * (math.pi / 180)


class Rad2deg(FloatUnary, name="Rad2DegBackward0"):
    """Every element, an angle in radians, in degrees."""

    forward = np.rad2deg

    def grad_x(g):
        return g * (180 / math.pi)


class RoundDecimals(Operation, name="RoundBackward1"):
    """Rounded to a number of digits behind the point."""

    def forward(x, decimals):
        only_floats("round_cpu", x)
        scale = 10.0 ** abs(decimals)
        if decimals < 0:
            return (np.rint(x / scale) * scale).astype(x.dtype)
        return (np.rint(x * scale) / scale).astype(x.dtype)

    def grad_x(g):
        return zeros_like(g)


class Round(Rounding):
    """The nearest whole number for every element, the even one at a half. Flat everywhere."""

    forward = np.rint


_round, _round_ = FUNCTIONS["round"], Tensor.round_


@both
def round(input, *, decimals=0):
    """The nearest whole number (to even at a half), or rounded to `decimals` digits.

    A tensor of the same shape and dtype; the gradient is 0. NotImplementedError for bools, and for
    integers with `decimals`.
    """
    return RoundDecimals(input, decimals) if decimals else _round(input)


@both
def round_(input, *, decimals=0):
    """`round`, in place."""
    return apply_in_place(RoundDecimals, input, decimals) if decimals else _round_(input)


class Logit(Operation):
    """log(x / (1 - x)); with `eps` x is first kept between eps and 1 - eps."""

    def forward(x, eps):
        if eps is not None:
            x = np.clip(x, eps, 1 - eps)
        return np.log(x / (1 - x))

    def grad_x(g, x, eps):
        lowest, outside = (0, np.nan) if eps is None else (eps, 0)
        return Where((x < lowest) | (x > 1 - lowest), outside, g / (x * (1 - x)))


@both
def logit(input, eps=None):
    """log(x / (1 - x)) of every element, the inverse of the sigmoid.

    A tensor of the same shape; with `eps` x is first kept between eps and 1 - eps, otherwise outside of
    0 to 1 the result is nan.
    """
    return Logit(same_type(input, floats=True)[0], eps)


@both
def logit_(input, eps=None):
    """`logit`, in place."""
    return apply_in_place(Logit, input, eps)


class NanToNum(Operation):
    """NaN, inf and -inf replaced; where they were, no gradient passes."""

    def forward(x, nan, posinf, neginf):
        return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)

    def grad_x(g, x):
        return Where(Abs(x) < math.inf, g, 0)


@both
def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """NaN, inf and -inf replaced by 0 and the extreme numbers of the dtype, or by those given.

    A tensor of the same shape and dtype. The gradient is 0 where something was replaced.
    """
    return NanToNum(input, nan or 0.0, posinf, neginf)


@both
def nan_to_num_(input, nan=None, posinf=None, neginf=None):
    """`nan_to_num`, in place."""
    return apply_in_place(NanToNum, input, nan or 0.0, posinf, neginf)


@both
def positive(input):
    """The tensor itself: `+x`, in the same shape.

    RuntimeError for bools.
    """
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


for _name, _original in {
    "absolute": "abs", "negative": "neg", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "fix": "trunc",
}.items():  # fmt: skip
    both(getattr(Tensor, _original), name=_name)
    both(getattr(Tensor, f"{_original}_"), name=f"{_name}_")
for _name, _original in {"multiply": "mul", "subtract": "sub"}.items():
    both(getattr(Tensor, _original), name=_name)
    method(getattr(Tensor, f"{_original}_"), name=f"{_name}_")
for _name, _original in {
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "not_equal": "ne",
}.items():  # fmt: skip
    both(getattr(Tensor, _original), name=_name)
