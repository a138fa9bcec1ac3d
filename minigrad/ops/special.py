"""Functions of probability and physics: the normal distribution, Bessel functions, incomplete gamma.

Most are known in `torch.special` only: `SPECIAL` holds them for minigrad/special.py.
"""

import math

import numpy as np

from ..operation import Operation
from ..tensor import Tensor, make
from .arguments import fitting, only_floats, same_type
from .elementwise import Binary, Exp, FloatUnary, Log, Log1p, Sign, Unary, binary, unary
from .gamma import Digamma, Lgamma
from .more_math import Erf, Erfc
from .reduce import Sum
from .registry import FUNCTIONS, both, wrong_type
from .select import Where
from .shape import Unsqueeze

SPECIAL = {}  # name in torch.special -> function


class Special(FloatUnary):
    """A function of one number that is known as `torch.special.name` alone."""

    forward = None

    def __init_subclass__(cls, name=None, public=None):
        public = public or cls.__name__.lower()
        super(Unary, cls).__init_subclass__(name or f"Special{cls.__name__}Backward0")

        def call(input):
            if not isinstance(input, Tensor):
                raise wrong_type(f"special_{public}", "input", 1, input)
            return unary(cls, input)

        call.__name__ = call.__qualname__ = public
        call.__doc__ = f"{cls.__doc__}\n\n    {cls.result}\n    "
        SPECIAL[public] = call


# -- the normal distribution ----------------------------------------------------------------------


class Entr(Special):
    """-x log(x) of every element: 0 at 0, -inf below."""

    def forward(x):
        inside = -x * np.log(np.where(x > 0, x, 1))
        return np.where(x > 0, inside, np.where(x < 0, -np.inf, x)).astype(x.dtype)

    def grad_x(g, x):
        return g * -(1 + Log(x))


class Ndtr(Special, name="MulBackward1"):
    """The probability that a normal number is smaller, for every element."""

    def forward(x):
        return ((1 + Erf.forward(x * math.sqrt(0.5))) / 2).astype(x.dtype)

    def grad_x(g, x):
        return g * (Exp(x * x * -0.5) / math.sqrt(2 * math.pi))


class Ndtri(Special):
    """The number below which a normal one lies with the probability that every element is."""

    def forward(x):
        return _ndtri(x.astype(np.float64)).astype(x.dtype)

    def grad_x(g, out):
        return g * (Exp(out * out * 0.5) * math.sqrt(2 * math.pi))


def _ndtri(p):
    """Acklam's fractions, near 0 in sqrt(-2 log p), made exact by one of Halley's steps."""
    a = (-3.969683028665376e01, 2.209460984245205e02, -2.759285104469687e02, 1.383577518672690e02,
         -3.066479806614716e01, 2.506628277459239e00)  # fmt: skip
    b = (-5.447609879822406e01, 1.615858368580409e02, -1.556989798598866e02, 6.680131188771972e01,
         -1.328068155288572e01, 1.0)  # fmt: skip
    c = (-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e00,
         -2.549732539343734e00, 4.374664141464968e00, 2.938163982698783e00)  # fmt: skip
    d = (7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e00, 3.754408661907416e00, 1.0)
    inside = (p > 0) & (p < 1)
    tail = np.where(inside, np.minimum(p, 1 - p), 0.5)  # the smaller side, by symmetry
    q, r = np.sqrt(-2 * np.log(tail)), tail - 0.5
    middle = np.polyval(a, r * r) * r / np.polyval(b, r * r)
    x = np.where(tail < 0.02425, np.polyval(c, q) / np.polyval(d, q), middle)
    error = (Erfc.forward(-x / math.sqrt(2)) / 2 - tail) * math.sqrt(2 * math.pi) * np.exp(x * x / 2)
    x = x - error / (1 + x * error / 2)
    x = np.where(p > 0.5, -x, x)
    edges = np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.nan))
    return np.where(inside, x, edges)


def _erfcx(x):
    """exp(x²) erfc(x): a series where erfc is too small to hold."""
    x = x.astype(np.float64)
    large = np.where(x > 20, x, 20.0)
    t = 1 / (2 * large * large)
    series = (1 - t + 3 * t**2 - 15 * t**3 + 105 * t**4 - 945 * t**5) / (large * math.sqrt(math.pi))
    small = np.where(x > 20, 0.0, x)
    return np.where(x > 20, series, np.exp(small * small) * Erfc.forward(small))


class Erfcx(Special):
    """exp(x²) erfc(x) of every element: what is left of `erfc` when its decay is taken out."""

    def forward(x):
        return _erfcx(x).astype(x.dtype)

    def grad_x(g, x, out):
        return g * (x * out * 2 - 2 / math.sqrt(math.pi))


class LogNdtr(Special, public="log_ndtr"):
    """The logarithm of the probability that a normal number is smaller; finite far below 0, too."""

    def forward(x):
        t = x.astype(np.float64) / math.sqrt(2)
        below = np.log(_erfcx(np.where(t < 0, -t, 0.0)) / 2) - t * t
        return np.where(t < -0.7, below, np.log1p(-Erfc.forward(np.maximum(t, -0.7)) / 2)).astype(x.dtype)

    def grad_x(g, x):
        return g * (math.sqrt(2 / math.pi) / Erfcx(x * -math.sqrt(0.5)))


# -- modified Bessel functions: integrals over half a turn of exp(x cos t) cos(n t) ---------------
#
# The mean over evenly spaced angles is exact to the last digit once they are dense enough.


def _mean_over_angles(x, values):
    """The mean of `values(|x|, cos t)` over a half turn, for every element, in float64."""
    size = np.abs(x).astype(np.float64)
    known = np.where(np.isfinite(size), np.minimum(size, 1e7), 0.0)
    count = 40 + int(4 * math.sqrt(known.max(initial=0.0)))
    total = np.zeros_like(known)
    for k in range(count):
        total += values(known, math.cos(math.pi * (k + 0.5) / count))
    return np.where(np.isnan(x), np.nan, np.where(np.isinf(x), 0.0, total / count))


def _i0e(x):
    return _mean_over_angles(x, lambda size, cos: np.exp(size * (cos - 1)))


def _i1e(x):
    def values(size, cos):  # of t and of pi - t together; where they nearly cancel, by sinh
        apart = (np.exp(size * (cos - 1)) - np.exp(-size * (cos + 1))) / 2
        return cos * np.where(size < 20, np.sinh(np.minimum(size, 20) * cos) * np.exp(-size), apart)

    return _mean_over_angles(x, values) * np.sign(x)


def _over(x, numerator, at_zero):
    """`numerator / x`, and its limit where x is 0."""
    zero = x == 0
    return Where(zero, at_zero, numerator / Where(zero, 1.0, x))


class I0(FloatUnary):
    """The modified Bessel function of order 0 of every element."""

    def forward(x):
        return (_i0e(x) * np.exp(np.abs(x.astype(np.float64)))).astype(x.dtype)

    def grad_x(g, x):
        return g * I1(x)


class I0e(Special, name="SpecialI0EBackward0"):
    """The modified Bessel function of order 0, times exp(-|x|): it stays finite."""

    def forward(x):
        return _i0e(x).astype(x.dtype)

    def grad_x(g, x, out):
        return g * (I1e(x) - Sign(x) * out)


class I1(Special):
    """The modified Bessel function of order 1 of every element."""

    def forward(x):
        return (_i1e(x) * np.exp(np.abs(x.astype(np.float64)))).astype(x.dtype)

    def grad_x(g, x, out):
        return g * (I0(x) - _over(x, out, 0.5))


class I1e(Special, name="SpecialI1EBackward0"):
    """The modified Bessel function of order 1, times exp(-|x|): it stays finite."""

    def forward(x):
        return _i1e(x).astype(x.dtype)

    def grad_x(g, x, out):
        return g * (I0e(x) - Sign(x) * out - _over(x, out, 0.5))


SPECIAL["i0"] = FUNCTIONS["i0"]


# -- two operands ---------------------------------------------------------------------------------


class Xlog1py(Binary, name="SpecialXlog1PyBackward0"):
    """input * log(1 + other), and 0 where input is 0."""

    floats = True

    def forward(x, y):
        return np.where((x == 0) & ~np.isnan(y), np.zeros_like(x), x * np.log1p(y))

    def grad_x(g, x, y):
        return Where((x == 0) & (y <= -1), 0, g * Log1p(y))

    def grad_y(g, x, y):
        return g * (x / (y + 1))


class Xlog1pyOfNumber(Xlog1py, name="SpecialXlog1PyBackward1"):
    """x * log(1 + y) of a number x."""


class Xlog1pyByNumber(Xlog1py, name="SpecialXlog1PyBackward2"):
    """x * log(1 + y) of a number y."""


def xlog1py(input, other):
    """`input * log(1 + other)`, and 0 where `input` is 0; one of the two may be a number.

    The shape is that of both after broadcasting; integers give floats. RuntimeError for shapes that do
    not broadcast.
    """
    if not isinstance(other, Tensor):
        return binary(Xlog1pyByNumber, input, other)
    if not isinstance(input, Tensor):
        input, other = same_type(input, other, floats=True)
        return Xlog1pyOfNumber(input, other)
    return fitting(lambda: binary(Xlog1py, input, other), input, other)


SPECIAL["xlog1py"] = xlog1py


def _lower_gamma(a, x):
    """The regularized lower incomplete gamma function: a series, or a fraction for x > a + 1."""
    a, x = np.broadcast_arrays(a.astype(np.float64), x.astype(np.float64))
    proper = (a > 0) & (x > 0) & np.isfinite(x)
    a_, x_ = np.where(proper, a, 1.0), np.where(proper, x, 1.0)
    front = np.exp(a_ * np.log(x_) - x_ - Lgamma.forward(a_))
    series = x_ < a_ + 1
    term = total = 1 / a_
    xs = np.where(series, x_, 0.0)
    for n in range(1, 10000):
        term = term * xs / (a_ + n)
        total = total + term
        if (term <= total * 1e-17).all():
            break
    xf = np.where(series, a_ + 2, x_)  # Lentz's way through the continued fraction
    b = xf + 1 - a_
    c, d = np.full_like(b, 1e300), 1 / b
    h = d
    for n in range(1, 10000):
        an, b = n * (a_ - n), b + 2
        d, c = 1 / (an * d + b), b + an / c
        change = c * d
        h = h * change
        if (np.abs(change - 1) < 1e-16).all():
            break
    found = np.where(series, front * total, 1 - front * h)
    found = np.where((x == 0) & (a > 0), 0.0, np.where((x == np.inf) & (a > 0), 1.0, found))
    found = np.where((a == 0) & (x > 0), 1.0, found)
    return np.where((a < 0) | (x < 0) | (a == 0) & (x == 0) | np.isnan(a) | np.isnan(x), np.nan, found)


def _density(a, x):
    """The derivative of the lower one by its second argument."""
    return Exp((a - 1) * Log(x) - x - Lgamma(a))


class Igamma(Binary):
    """The share of the gamma function's integral that lies below `other`, between 0 and 1."""

    def forward(x, y):
        return _lower_gamma(x, y).astype(x.dtype)

    def grad_x(g):
        raise NotImplementedError("the derivative for 'igamma: input' is not implemented.")

    def grad_y(g, x, y):
        return g * _density(x, y)


class Igammac(Binary):
    """The share of the gamma function's integral that lies above `other`, between 0 and 1."""

    def forward(x, y):
        return (1 - _lower_gamma(x, y)).astype(x.dtype)

    def grad_x(g):
        raise NotImplementedError("the derivative for 'igammac: input' is not implemented.")

    def grad_y(g, x, y):
        return -g * _density(x, y)


def _publish_gamma(op, name, special):
    def call(input, other):
        if not isinstance(other, Tensor):
            raise wrong_type(name, "other", 2, other)
        only_floats(f"{name}_cpu", same_type(input, other)[0]._array)
        return fitting(lambda: binary(op, input, other), input, other)

    call.__name__ = name
    call.__doc__ = f"""{op.__doc__}

    `input` is the gamma function's argument; the shape is that of both after broadcasting. RuntimeError
    for shapes that do not broadcast, NotImplementedError for integers, and for a gradient of `input`.
    """
    both(call)
    SPECIAL[special] = FUNCTIONS[name]


_publish_gamma(Igamma, "igamma", "gammainc")
_publish_gamma(Igammac, "igammac", "gammaincc")


class Mvlgamma(Operation):
    """The logarithm of the gamma function of p dimensions."""

    def forward(x, p):
        constant = p * (p - 1) / 4 * math.log(math.pi)
        return np.add.reduce(Lgamma.forward(_lowered(x, p)), axis=-1) + x.dtype.type(constant)

    def grad_x(g, x, p):
        return g * Sum(Digamma(_lowered(x, p)), (len(x.shape),), False)


def _lowered(x, p):
    """x, x - 1/2, x - 1, ... in a new last dimension of length p."""
    steps = np.arange(p, dtype=x._array.dtype if isinstance(x, Tensor) else x.dtype) / 2
    if isinstance(x, Tensor):
        return Unsqueeze(x, x.ndim) - make(steps)
    return x[..., None] - steps


@both
def mvlgamma(input, p):
    """The logarithm of the gamma function of p dimensions, for every element; the same shape.

    RuntimeError for a p below 1. Integers give floats.
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    return Mvlgamma(same_type(input, floats=True)[0], p)


SPECIAL["multigammaln"] = FUNCTIONS["mvlgamma"]
