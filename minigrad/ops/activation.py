"""Activation functions: what a layer of neurons does to its numbers, element by element.

`nn.functional` gives these operations their public names. A rule at a kink follows PyTorch: relu6 and
hardtanh have slope 0 on their edges, leaky_relu(0) its negative slope.
"""

import math
import re

import numpy as np

from ..inplace import apply_in_place
from ..operation import Operation
from ..tensor import Tensor
from .elementwise import Exp, Sigmoid, Tanh, Tied
from .more_math import Erf
from .registry import wrong_type
from .select import Place, Where
from .softmax import not_implemented


class Activation(Operation):
    """A function of one number; `kernel` is PyTorch's name for it, where it takes floats only."""

    kernel = None
    in_place = None  # the same under another name, where PyTorch's in-place node has one


def activate(operation, input, *args, inplace=False):
    """Apply an `Activation`, into `input` itself if `inplace`."""
    if not isinstance(input, Tensor):
        words = re.findall("[A-Z][a-z0-9]*", operation.__name__.removesuffix("Backward0"))
        raise wrong_type("_".join(words).lower(), "input", 1, input)
    if operation.kernel and input._array.dtype.kind != "f":
        raise not_implemented(operation.kernel, input)
    if inplace:
        return apply_in_place(operation.in_place or operation, input, *args)
    return operation(input, *args)


class LeakyRelu(Activation):
    """`x`, and `slope * x` where x is not positive."""

    called = {"slope": "negative_slope"}
    kernel = "leaky_relu_cpu"

    def forward(x, slope):
        return np.where(x > 0, x, x * slope)

    def grad_x(g, x, slope):
        return Tied(Where(x > 0, g, g * slope), x)


class LeakyRelu_(LeakyRelu, name="LeakyReluBackward1"):
    """In place."""


class Threshold(Activation):
    """`x`, and `value` where x is not above the threshold."""

    def forward(x, threshold, value):
        return np.where(x <= threshold, np.asarray(value).astype(x.dtype), x)

    def grad_x(g, x, threshold):
        return Tied(Where(x <= threshold, 0.0, g), x)


class Threshold_(Threshold, name="ThresholdBackward1"):
    """In place."""


class Hardtanh(Activation):
    """`x`, kept between two bounds."""

    called = {"low": "min_val", "high": "max_val"}

    def forward(x, low, high):
        return np.clip(x, low, high).astype(x.dtype, copy=False)

    def grad_x(g, x, low, high):
        return Tied(Where((x <= low) | (x >= high), 0.0, g), x)


class Elu(Activation):
    """`scale * x`, and for negative x `scale * alpha * (exp(steepness * x) - 1)`."""

    kernel = "elu_cpu"

    def forward(x, alpha, scale, steepness):
        below = np.expm1(np.minimum(x, 0) * steepness)
        return np.where(x > 0, x * scale, below * (alpha * scale))

    def grad_x(g, x, alpha, scale, steepness):
        # Elsewhere the exponential is not used, but if it were infinite its own gradient would be nan.
        below = Exp(Where(x < 0, x, 0.0) * steepness) * (alpha * scale * steepness)
        return Where(x > 0, g * scale, g * below)


class Elu_(Elu, name="EluBackward1"):
    """In place."""


class Celu(Elu):
    """Elu that is smooth at 0 for every alpha."""


class Celu_(Celu, name="CeluBackward1"):
    """In place."""


LeakyRelu.in_place, Threshold.in_place = LeakyRelu_, Threshold_
Elu.in_place, Celu.in_place = Elu_, Celu_


class Gelu(Activation):
    """`x` times the probability that a normal number is smaller than x."""

    kernel = "GeluKernelImpl"

    def forward(x):
        return x * (0.5 * (1 + Erf.forward(x * math.sqrt(0.5))))

    def grad_x(g, x):
        density = Exp(x * x * -0.5) * math.sqrt(0.5 / math.pi)
        return g * (0.5 * (1 + Erf(x * math.sqrt(0.5))) + x * density)


class GeluTanh(Activation, name="GeluBackward0"):
    """Gelu's approximation by tanh."""

    kernel = "GeluKernelImpl"

    def forward(x):
        return x * (0.5 * (1 + np.tanh(_inner(x))))

    def grad_x(g, x):
        t = Tanh(_inner(x))
        slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (x * x))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope)


def _inner(x):
    return math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))


class Silu(Activation):
    """`x` times its sigmoid."""

    kernel = "silu_cpu"

    def forward(x):
        return x * Sigmoid.forward(x)

    def grad_x(g, x):
        s = Sigmoid(x)
        return g * (s * (1 + x * (1 - s)))


class Softplus(Activation):
    """`log(1 + exp(beta * x)) / beta`, and x itself above the threshold."""

    kernel = "softplus_cpu"

    def forward(x, beta, threshold):
        return np.where(x * beta > threshold, x, np.logaddexp(x * beta, 0) / beta)

    def grad_x(g, x, beta, threshold):
        return Where(x * beta > threshold, g, g * Sigmoid(x * beta))


class LogSigmoid(Activation):
    """The logarithm of the sigmoid."""

    kernel = "log_sigmoid_cpu"

    def forward(x):
        return -np.logaddexp(-x, 0)

    def grad_x(g, x):
        return g * Sigmoid(-x)


class Mish(Activation):
    """`x` times the tanh of its softplus."""

    kernel = "mish_cpu"

    def forward(x):
        return x * np.tanh(np.logaddexp(x, 0))

    def grad_x(g, x):
        t = Tanh(-LogSigmoid(-x))
        return g * (t + x * Sigmoid(x) * (1 - t * t))


class Hardsigmoid(Activation):
    """A sigmoid of three straight lines."""

    kernel = "hardsigmoid_cpu"

    def forward(x):
        return np.clip(x + 3, 0, 6) / 6

    def grad_x(g, x):
        return Where((x > -3) & (x < 3), g / 6, 0.0)


class Hardswish(Activation):
    """`x` times its hardsigmoid."""

    kernel = "hardswish_cpu"

    def forward(x):
        return x * (np.clip(x + 3, 0, 6) / 6)

    def grad_x(g, x):
        return Where(x <= -3, 0.0, Where(x < 3, g * (x / 3 + 0.5), g))


class Softshrink(Activation):
    """`x` moved towards 0 by `size`, and 0 where it is not larger than that."""

    kernel = "softshrink_check"

    def forward(x, size):
        return np.where(x > size, x - size, np.where(x < -size, x + size, x * 0))

    def grad_x(g, x, size):
        return Tied(Where((x >= -size) & (x <= size), 0.0, g), x)


class Hardshrink(Activation):
    """`x`, and 0 where it is not larger than `size`."""

    kernel = "hardshrink_cpu"

    def forward(x, size):
        return np.where((x >= -size) & (x <= size), 0, x).astype(x.dtype, copy=False)

    def grad_x(g, x, size):
        return Tied(Where((x >= -size) & (x <= size), 0.0, g), x)


class PreluKernel(Activation):
    """leaky_relu with a slope that is learnt."""

    broadcasts = True

    def forward(x, weight):
        return np.where(x > 0, x, x * weight)

    def grad_x(g, x, weight):
        return Tied(Where(x > 0, g, g * weight), x)

    def grad_weight(g, x):
        return Where(x >= 0, 0.0, g * x)


class Glu(Activation):
    """One half of `x`, let through as far as the sigmoid of the other half says."""

    kernel = "glu_cpu"

    def forward(x, half, gate):
        return x[half] * Sigmoid.forward(x[gate])

    def grad_x(g, x, x_shape, half, gate):
        s = Sigmoid(x[gate])
        return Place(g * s, x_shape, half) + Place(g * (x[half] * (s * (1 - s))), x_shape, gate)
