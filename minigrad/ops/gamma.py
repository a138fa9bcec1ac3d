"""The gamma function's logarithm and its derivatives: `lgamma`, `digamma`, `polygamma`."""

import math

import numpy as np

from ..operation import Operation
from ..tensor import Tensor
from .arguments import same_type
from .elementwise import FloatUnary
from .registry import function, wrong_type

# Bernoulli numbers B2, B4, ...: the asymptotic series below uses them.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def _digamma(x):
    """The derivative of log gamma, in float64: shifted up to where a short series is exact."""
    found, below = np.zeros_like(x), x < 0
    y = np.where(below, 1 - x, x)  # reflection: psi(1 - x) - psi(x) = pi / tan(pi x)
    for _ in range(10):
        found -= np.where(y < 10, 1 / y, 0)
        y = np.where(y < 10, y + 1, y)
    found += np.log(y) - 0.5 / y
    for k, bernoulli in enumerate(BERNOULLI, 1):
        found -= bernoulli / (2 * k * y ** (2 * k))
    found = np.where(below, found - math.pi / np.tan(math.pi * x), found)
    found = np.where(below & (x == np.floor(x)), np.nan, found)
    return np.where(x == 0, np.copysign(np.inf, -x), found)


def _polygamma(n, x):
    """The n-th derivative (n > 0) of digamma, in float64; inf or huge at its poles."""
    found, y = np.zeros_like(x), np.where(x > -1e5, x, np.nan)
    while (small := y < 20).any():  # shifted up to where the series below is exact
        found += np.where(small, math.factorial(n) / y ** (n + 1), 0)
        y = np.where(small, y + 1, y)
    found += math.factorial(n - 1) / y**n + math.factorial(n) / (2 * y ** (n + 1))
    for k, bernoulli in enumerate(BERNOULLI, 1):
        factor = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        found += bernoulli * factor / y ** (2 * k + n)
    return (-1) ** (n + 1) * found


def _lgamma(x):
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # a pole, or too large
        return math.inf


_each_lgamma = np.frompyfunc(_lgamma, 1, 1)


class Lgamma(FloatUnary):
    """The logarithm of |gamma(x)| for every element."""

    def forward(x):
        return np.asarray(_each_lgamma(x), x.dtype)

    def grad_x(g, x):
        return g * Digamma(x)


class Digamma(FloatUnary):
    """The derivative of lgamma for every element."""

    def forward(x):
        return _digamma(x.astype(np.float64)).astype(x.dtype)

    def grad_x(g, x):
        return g * Polygamma(x, 1)


class Polygamma(Operation):
    """The n-th derivative of digamma."""

    def forward(x, n):
        values = x.astype(np.float64)
        return (_polygamma(n, values) if n else _digamma(values)).astype(x.dtype)

    def grad_x(g, x, n):
        return g * Polygamma(x, n + 1)


@function
def polygamma(n, input):
    """The n-th derivative of the digamma function for every element.

    `n` is a number, not below 0 (RuntimeError), the result has the shape of `input`; integers give
    floats.
    Mirrors https://docs.pytorch.org/docs/2.13/special.html#torch.special.polygamma
    """
    for position, (name, value, kind) in enumerate((("n", n, int), ("input", input, Tensor)), 1):
        if not isinstance(value, kind):
            raise wrong_type("polygamma", name, position, value, kind.__name__)
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return Polygamma(same_type(input, floats=True)[0], n)
