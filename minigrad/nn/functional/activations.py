"""Activation functions.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#non-linear-activation-functions
"""

import math
import warnings

import numpy as np

from ...ops import activation as act
from ...ops.activation import activate
from ...ops.registry import wrong_type
from ...ops.softmax import not_implemented
from ...tensor import Tensor, wrap_dim


def relu(input, inplace=False):
    """`max(x, 0)`, element by element, in the same shape; the gradient at 0 is 0."""
    if not isinstance(input, Tensor):
        raise wrong_type("relu", "input", 1, input)
    return input.relu_() if inplace else input.relu()


def sigmoid(input):
    """`1 / (1 + exp(-x))`, element by element, in the same shape."""
    return input.sigmoid()


def tanh(input):
    """The hyperbolic tangent, element by element, in the same shape."""
    return input.tanh()


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """`x`, and `negative_slope * x` where x is not positive; the same shape."""
    return activate(act.LeakyRelu, input, negative_slope, inplace=inplace)


def threshold(input, threshold, value, inplace=False):
    """`x`, and `value` where x is not above `threshold`; the same shape."""
    return activate(act.Threshold, input, threshold, value, inplace=inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """`x`, kept between `min_val` and `max_val`; the same shape.

    The gradient on the edges is 0. ValueError if the bounds are in the wrong order.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return activate(act.Hardtanh, input, min_val, max_val, inplace=inplace)


def relu6(input, inplace=False):
    """`x`, kept between 0 and 6; the same shape. The gradient on the edges is 0."""
    return activate(act.Hardtanh, input, 0.0, 6.0, inplace=inplace)


def elu(input, alpha=1.0, inplace=False):
    """`x`, and `alpha * (exp(x) - 1)` where x is negative; the same shape."""
    return activate(act.Elu, input, alpha, 1.0, 1.0, inplace=inplace)


def selu(input, inplace=False):
    """`elu` with the two factors that keep mean and variance from layer to layer; the same shape."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return activate(act.Elu, input, alpha, scale, 1.0, inplace=inplace)


def celu(input, alpha=1.0, inplace=False):
    """`x`, and `alpha * (exp(x / alpha) - 1)` where x is negative; the same shape."""
    return activate(act.Celu, input, alpha, 1.0, 1.0 / alpha, inplace=inplace)


def gelu(input, approximate="none"):
    """`x` times the probability that a normal number is smaller than x; the same shape.

    RuntimeError for another `approximate` than "none" and "tanh".
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return activate(act.Gelu if approximate == "none" else act.GeluTanh, input)


def silu(input, inplace=False):
    """`x * sigmoid(x)`, also called swish; the same shape."""
    return activate(act.Silu, input, inplace=inplace)


def mish(input, inplace=False):
    """`x * tanh(softplus(x))`; the same shape."""
    return activate(act.Mish, input, inplace=inplace)


def softplus(input, beta=1, threshold=20):
    """`log(1 + exp(beta * x)) / beta`, a smooth relu; x itself where `beta * x > threshold`.

    The same shape. NotImplementedError for integers.
    """
    return activate(act.Softplus, input, beta, threshold)


def logsigmoid(input):
    """The logarithm of the sigmoid, which stays finite; the same shape."""
    return activate(act.LogSigmoid, input)


def hardsigmoid(input, inplace=False):
    """`relu6(x + 3) / 6`, a sigmoid of straight lines; the same shape."""
    return activate(act.Hardsigmoid, input, inplace=inplace)


def hardswish(input, inplace=False):
    """`x * relu6(x + 3) / 6`; the same shape."""
    return activate(act.Hardswish, input, inplace=inplace)


def softshrink(input, lambd=0.5):
    """`x` moved towards 0 by `lambd`, and 0 where it is not larger than that; the same shape.

    RuntimeError for a negative `lambd`.
    """
    largest = np.finfo(input._array.dtype).max if input._array.dtype.kind == "f" else math.inf
    if not 0 <= lambd <= largest:
        raise RuntimeError(
            f"lambda must be in range [0, {largest:g}] for input dtype {input.dtype.tensor_name}, but found {lambd:g}"
        )
    return activate(act.Softshrink, input, lambd)


def hardshrink(input, lambd=0.5):
    """`x`, and 0 where it is not larger than `lambd`; the same shape."""
    return activate(act.Hardshrink, input, lambd)


def softsign(input):
    """`x / (1 + |x|)`; the same shape."""
    return input / (input.abs() + 1)


def tanhshrink(input):
    """`x - tanh(x)`; the same shape."""
    return input - input.tanh()


def prelu(input, weight):
    """`x`, and `weight * x` where x is not positive: one weight, or one for each channel (dim 1).

    `weight` is a vector (1) or (C); the same shape. RuntimeError for another number of weights.
    """
    if weight.numel() != 1 and not input.ndim:
        raise RuntimeError("Not allow zero-dim input tensor.")
    channels = input._array.shape[1] if input.ndim > 1 else 1
    if weight.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    if weight.numel() not in (1, channels):
        raise RuntimeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{weight.numel()} and channel size = {channels}."
        )
    if input._array.dtype.kind != "f":
        raise not_implemented("prelu_cpu", input)
    shape = [1] * input.ndim
    if weight.numel() > 1:
        shape[1] = channels
    return act.PreluKernel(input, weight.view(shape))


def glu(input, dim=-1):
    """The first half of `dim` times the sigmoid of the second half: (*, 2 n) gives (*, n).

    RuntimeError for an odd length or a 0-d tensor.
    """
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, input.ndim)
    length = input._array.shape[dim]
    if length % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {length}")
    before = (slice(None),) * dim
    halves = [(*before, slice(0, length // 2)), (*before, slice(length // 2, None))]
    return activate(act.Glu, input, *halves)


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Positive numbers that sum to one along `dim`; the same shape.

    UserWarning if `dim` is left to be guessed. NotImplementedError for integers.
    """
    if dim is None:
        dim = _implicit_dim("softmax", input, _stacklevel)
    return input.softmax(dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of `softmax` along `dim`, computed so that it stays finite; the same shape."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input, _stacklevel)
    return input.log_softmax(dim, dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """`softmax` of `-x` along `dim`; the same shape."""
    if dim is None:
        dim = _implicit_dim("softmin", input, _stacklevel)
    return (-input).softmax(dim, dtype=dtype)


def _implicit_dim(name, input, stacklevel):
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if input.dim() in (0, 1, 3) else 1


# -- in place -------------------------------------------------------------------------------------


def _in_place(function):
    """The form of an activation that changes the tensor itself: `elu_` for `elu`."""

    def call(input, *args, **kwargs):
        return function(input, *args, inplace=True, **kwargs)

    call.__name__ = call.__qualname__ = f"{function.__name__}_"
    call.__doc__ = f"""`{function.__name__}`, in place: the tensor itself, of the same shape.

    RuntimeError for a leaf that requires grad, unless recording is off.
    """
    return call


relu_, elu_, celu_, selu_ = map(_in_place, (relu, elu, celu, selu))
hardtanh_, leaky_relu_, threshold_ = map(_in_place, (hardtanh, leaky_relu, threshold))
