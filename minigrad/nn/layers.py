"""Layers, losses, and the containers that put them together.

Weights and biases start at random, evenly spread within 1 / sqrt(number of inputs) of 0, as in
PyTorch. Mirrors https://docs.pytorch.org/docs/2.13/nn.html
"""

from math import prod, sqrt

from ..errors import type_name
from ..ops.registry import FUNCTIONS
from . import functional as F
from .module import Module, Parameter


class _Row(Module):
    """Modules in a row, named "0", "1", ..."""

    _keeps_names = False  # whether a part of it has the names of the whole

    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def __len__(self):
        return len(self._held(Module))

    def __iter__(self):
        return iter([module for _, module in self._held(Module)])

    def __getitem__(self, index):
        if not isinstance(index, slice):
            return list(self)[index]
        part = type(self)()
        for place, (name, module) in enumerate(self._held(Module)[index]):
            part.add_module(name if self._keeps_names else str(place), module)
        return part

    def __setitem__(self, index, module):
        self.add_module(self._held(Module)[index][0], module)

    def append(self, module):
        """Put a module at the end; returns the container. TypeError for anything else."""
        if not isinstance(module, Module):
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        self.add_module(str(len(self)), module)
        return self


class Sequential(_Row):
    """Modules one after the other: the output of each is the input of the next."""

    _keeps_names = True

    def __init__(self, *modules):
        super().__init__(modules)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleList(_Row):
    """A list of modules, all of which are found by `parameters()` and its like."""


class _Layer(Module):
    """A layer that is a function, and the options it was told once, which its text shows."""

    _function = None

    def __init__(self, **options):
        super().__init__()
        self._names = tuple(options)
        vars(self).update(options)

    def _options(self):
        return {name: getattr(self, name) for name in self._names}

    def forward(self, input):
        return self._function(input, **self._options())

    def extra_repr(self):
        return ", ".join([f"{name}={value}" for name, value in self._options().items()])


def _random(shape, inputs):
    """A parameter at random; `inputs` is how many numbers go into one output."""
    return Parameter((FUNCTIONS["rand"](shape) * 2 - 1).div_(sqrt(max(inputs, 1))))


class Linear(Module):
    """`x @ weight.T + bias`: input (*, in_features), output (*, out_features)."""

    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _random((out_features, in_features), in_features)
        self.bias = _random((out_features,), in_features) if bias else None

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        features = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{features}, bias={self.bias is not None}"


class Conv2d(Module):
    """Convolution: input (N, in_channels, H, W), output (N, out_channels, H', W').

    `kernel_size`, `stride` and `padding` are a number for height and width, or a pair.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, bias=True):
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.padding = map(F.pair, (kernel_size, stride, padding))
        shape = (out_channels, in_channels, *self.kernel_size)
        self.weight = _random(shape, prod(shape[1:]))
        self.bias = _random((out_channels,), prod(shape[1:])) if bias else None

    def forward(self, input):
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding)

    def extra_repr(self):
        padding = f", padding={self.padding}" if any(self.padding) else ""
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}{padding}{', bias=False' if self.bias is None else ''}"
        )


class MaxPool2d(_Layer):
    """The largest element in each window: input (N, C, H, W), output (N, C, H', W')."""

    _function = staticmethod(F.max_pool2d)

    def __init__(self, kernel_size, stride=None):
        super().__init__(kernel_size=kernel_size, stride=kernel_size if stride is None else stride)

    def extra_repr(self):
        return f"{super().extra_repr()}, padding=0, dilation=1, ceil_mode=False"


class Flatten(_Layer):
    """Dimensions `start_dim` to `end_dim` become one: (N, C, H, W) becomes (N, C * H * W)."""

    _function = staticmethod(FUNCTIONS["flatten"])

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__(start_dim=start_dim, end_dim=end_dim)


class Dropout(_Layer):
    """In training each element is 0 with probability `p`, else divided by `1 - p`."""

    def __init__(self, p=0.5):
        super().__init__(p=p)

    def forward(self, input):
        return F.dropout(input, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}, inplace=False"


class ReLU(_Layer):
    """Each element, or 0 if it is negative; `inplace` changes the input itself."""

    _function = staticmethod(F.relu)

    def __init__(self, inplace=False):
        super().__init__(inplace=inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class LeakyReLU(_Layer):
    """Each element, or if it is negative `negative_slope` times it."""

    _function = staticmethod(F.leaky_relu)

    def __init__(self, negative_slope=0.01):
        super().__init__(negative_slope=negative_slope)


class Softmax(_Layer):
    """`exp(x)` over its sum along `dim`: numbers between 0 and 1 that sum up to 1."""

    _function = staticmethod(F.softmax)

    def __init__(self, dim=None):
        super().__init__(dim=dim)


class LogSoftmax(Softmax):
    """The logarithm of a `Softmax`, which is what `NLLLoss` takes."""

    _function = staticmethod(F.log_softmax)


class _Loss(_Layer):
    """A loss that is reduced to its "mean" or "sum", both 0-d, or left as it is, "none"."""

    def __init__(self, *, reduction="mean"):
        super().__init__(reduction=reduction)

    def forward(self, input, target):
        return self._function(input, target, **self._options())

    def extra_repr(self):
        return ""


def _module(name, function, base=_Layer):
    """The class of a module that has nothing of its own but a function."""
    about = f"The module of `functional.{function.__name__}`, which says what it computes."
    body = {"_function": staticmethod(function), "__doc__": about, "__module__": __name__}
    return type(name, (base,), body)


Sigmoid = _module("Sigmoid", F.sigmoid)
Tanh = _module("Tanh", F.tanh)

MSELoss = _module("MSELoss", F.mse_loss, _Loss)
L1Loss = _module("L1Loss", F.l1_loss, _Loss)
SmoothL1Loss = _module("SmoothL1Loss", F.smooth_l1_loss, _Loss)
BCELoss = _module("BCELoss", F.binary_cross_entropy, _Loss)
BCEWithLogitsLoss = _module("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, _Loss)
CrossEntropyLoss = _module("CrossEntropyLoss", F.cross_entropy, _Loss)
NLLLoss = _module("NLLLoss", F.nll_loss, _Loss)
