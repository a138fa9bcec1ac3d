"""Activation functions as modules. Each keeps the arguments of its function as attributes.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#non-linear-activations-weighted-sum-nonlinearity
"""

import warnings

from ..ops import FUNCTIONS
from . import functional as F
from .init import constant_
from .module import Module
from .parameter import blank


SHAPES = "Input (*), output of the same shape."


class Activation(Module):
    """A module that applies `function` with the settings it was made with."""

    function = None
    settings = ()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    def keep(self, **settings):
        """Store the arguments of the function; to be called by `__init__`."""
        Module.__init__(self)
        self.__dict__.update(settings)
        self.__dict__["settings"] = tuple(settings)

    def forward(self, input):
        return self.function(input, **{name: self.__dict__[name] for name in self.settings})

    def extra_repr(self):
        """The settings, `inplace` only if it is on."""
        shown = [(n, self.__dict__[n]) for n in self.settings if n != "inplace" or self.inplace]
        return ", ".join(f"{name}={value!r}" for name, value in shown)


def _plain(name, function, says):
    """An activation without settings."""
    return _made(name, function, says)


def _made(name, function, says, **members):
    members |= {"__doc__": f"{says} {SHAPES}", "__module__": __name__}
    return type(name, (Activation,), members | {"function": staticmethod(function)})


def _inplace(name, function, says):
    """An activation whose one setting is `inplace`."""

    def __init__(self, inplace=False):
        self.keep(inplace=inplace)

    __init__.__qualname__ = f"{name}.__init__"  # what Python's own errors call it
    return _made(name, function, says, __init__=__init__)


ReLU = _inplace("ReLU", F.relu, "`max(x, 0)`.")
ReLU6 = _inplace("ReLU6", F.relu6, "`x`, kept between 0 and 6.")
SELU = _inplace("SELU", F.selu, "`elu`, scaled so that mean and variance are kept.")
SiLU = _inplace("SiLU", F.silu, "`x * sigmoid(x)`.")
Mish = _inplace("Mish", F.mish, "`x * tanh(softplus(x))`.")
Hardsigmoid = _inplace("Hardsigmoid", F.hardsigmoid, "`relu6(x + 3) / 6`.")
Hardswish = _inplace("Hardswish", F.hardswish, "`x * relu6(x + 3) / 6`.")
Sigmoid = _plain("Sigmoid", FUNCTIONS["sigmoid"], "`1 / (1 + exp(-x))`.")
Tanh = _plain("Tanh", FUNCTIONS["tanh"], "The hyperbolic tangent.")
LogSigmoid = _plain("LogSigmoid", F.logsigmoid, "The logarithm of the sigmoid.")
Softsign = _plain("Softsign", F.softsign, "`x / (1 + |x|)`.")
Tanhshrink = _plain("Tanhshrink", F.tanhshrink, "`x - tanh(x)`.")


class LeakyReLU(Activation):
    """`x`, and `negative_slope * x` where x is not positive. Input (*), output of the same shape."""

    function = staticmethod(F.leaky_relu)

    def __init__(self, negative_slope=0.01, inplace=False):
        self.keep(negative_slope=negative_slope, inplace=inplace)


class _WithAlpha(Activation):
    def __init__(self, alpha=1.0, inplace=False):
        self.keep(alpha=alpha, inplace=inplace)


class ELU(_WithAlpha):
    """`x`, and `alpha * (exp(x) - 1)` where x is negative. Input (*), output of the same shape."""

    function = staticmethod(F.elu)


class CELU(_WithAlpha):
    """`x`, and `alpha * (exp(x / alpha) - 1)` where x is negative. The same shape (*)."""

    function = staticmethod(F.celu)


class GELU(Activation):
    """`x` times the probability that a normal number is smaller than x. The same shape (*).

    RuntimeError for another `approximate` than "none" and "tanh".
    """

    function = staticmethod(F.gelu)

    def __init__(self, approximate="none"):
        self.keep(approximate=approximate)


class Softplus(Activation):
    """`log(1 + exp(beta * x)) / beta`, a smooth `ReLU`. Input (*), output of the same shape."""

    function = staticmethod(F.softplus)

    def __init__(self, beta=1.0, threshold=20.0):
        self.keep(beta=beta, threshold=threshold)


class Threshold(Activation):
    """`x`, and `value` where x is not above `threshold`. Input (*), output of the same shape."""

    function = staticmethod(F.threshold)

    def __init__(self, threshold, value, inplace=False):
        self.keep(threshold=threshold, value=value, inplace=inplace)


class Hardtanh(Activation):
    """`x`, kept between `min_val` and `max_val`. Input (*), output of the same shape.

    AssertionError if the two are in the wrong order.
    """

    function = staticmethod(F.hardtanh)

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        for old, value in (("min_value", min_value), ("max_value", max_value)):
            if value is not None:
                new = old.replace("value", "val")
                warnings.warn(
                    f"keyword argument `{old}` is deprecated and rename to `{new}`",
                    FutureWarning,
                    stacklevel=2,
                )
        min_val = min_val if min_value is None else min_value
        max_val = max_val if max_value is None else max_value
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.keep(min_val=min_val, max_val=max_val, inplace=inplace)


class Softshrink(Activation):
    """`x` moved towards 0 by `lambd`, and 0 where it is not larger. The same shape (*)."""

    function = staticmethod(F.softshrink)

    def __init__(self, lambd=0.5):
        self.keep(lambd=lambd)

    def extra_repr(self):
        return str(self.lambd)


class Hardshrink(Softshrink):
    """`x`, and 0 where it is not larger than `lambd`. Input (*), output of the same shape."""

    function = staticmethod(F.hardshrink)


class GLU(Activation):
    """The first half of `dim` times the sigmoid of the second half: that length is halved.

    RuntimeError if it is odd. (*, 2 n) gives (*, n).
    """

    function = staticmethod(F.glu)

    def __init__(self, dim=-1):
        self.keep(dim=dim)


class _AlongDim(Activation):
    def __init__(self, dim=None):
        self.keep(dim=dim)

    def forward(self, input):
        return self.function(input, self.dim, _stacklevel=5)


class Softmax(_AlongDim):
    """Positive numbers that sum to one along `dim`. Input (*), output of the same shape."""

    function = staticmethod(F.softmax)


class LogSoftmax(_AlongDim):
    """The logarithm of softmax along `dim`. Input (*), output of the same shape."""

    function = staticmethod(F.log_softmax)


class Softmin(_AlongDim):
    """Softmax of `-x` along `dim`. Input (*), output of the same shape."""

    function = staticmethod(F.softmin)


class PReLU(Module):
    """`x`, and `weight * x` where x is not positive: one learnt weight, or one for each channel.

    Input (N, C, *) or (*), output of the same shape.
    """

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = blank((num_parameters,), dtype, device)
        self.reset_parameters()

    def reset_parameters(self):
        """All weights as `init` says."""
        constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softmax2d(Module):
    """`Softmax` over the channels at each pixel: input (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        """The softmax over channels. ValueError for other numbers of dimensions."""
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


class RReLU(Module):
    """`LeakyReLU` with random slopes in training, their mean in evaluation. The same shape (*)."""

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower}, upper={self.upper}" + ", inplace=True" * self.inplace
