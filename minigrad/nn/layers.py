"""Layers, and the containers that put them together.

Weights and biases start at random, evenly spread within 1 / sqrt(number of inputs) of 0, as in
PyTorch. Mirrors https://docs.pytorch.org/docs/2.13/nn.html
"""

from math import prod, sqrt

from ..ops.registry import FUNCTIONS
from . import functional as F
from .module import Module, Parameter
from .windows import pair


class _Row(Module):
    """Modules in a row, named "0", "1", ..."""

    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        return list(self)[index]

    def append(self, module):
        """Put a module at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self


class Sequential(_Row):
    """Modules one after the other: the output of each is the input of the next."""

    def __init__(self, *modules):
        super().__init__(modules)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleList(_Row):
    """A list of modules, all of which are found by `parameters()` and its like."""

    def _labelled(self):
        """Equal neighbours share a line: (0-1): 2 x Linear(...)."""
        blocks = []  # [first, last, text]
        for i, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = i
            else:
                blocks.append([i, i, text])
        return [
            (f"({i})", text) if i == j else (f"({i}-{j})", f"{j - i + 1} x {text}")
            for i, j, text in blocks
        ]


class _Layer(Module):
    """A layer; its text shows what it was told, its public attributes."""

    def extra_repr(self):
        told = [name for name in vars(self) if name[0] != "_" and name not in ("training", "bias")]
        return ", ".join([f"{name}={getattr(self, name)}" for name in told])


def _random(shape, inputs):
    """A parameter at random; `inputs` is how many numbers go into one output."""
    return Parameter((FUNCTIONS["rand"](shape) * 2 - 1).div_(sqrt(max(inputs, 1))))


class Linear(_Layer):
    """`x @ weight.T + bias`: input (*, in_features), output (*, out_features)."""

    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _random((out_features, in_features), in_features)
        self.bias = _random((out_features,), in_features) if bias else None

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class Conv2d(Module):
    """Convolution: input (N, in_channels, H, W), output (N, out_channels, H', W').

    `kernel_size`, `stride` and `padding` are a number for height and width, or a pair.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, bias=True):
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.padding = map(pair, (kernel_size, stride, padding))
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

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, 1, False

    def forward(self, input):
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding)


class Flatten(_Layer):
    """Dimensions `start_dim` to `end_dim` become one: (N, C, H, W) becomes (N, C * H * W)."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)


class Dropout(_Layer):
    """In training each element is 0 with probability `p`, else divided by `1 - p`."""

    def __init__(self, p=0.5):
        super().__init__()
        self.p, self.inplace = p, False

    def forward(self, input):
        return F.dropout(input, self.p, self.training)


class ReLU(Module):
    """Each element, or 0 if it is negative; `inplace` changes the input itself."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return F.relu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class LeakyReLU(_Layer):
    """Each element, or if it is negative `negative_slope` times it."""

    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope)


class Sigmoid(Module):
    """`1 / (1 + exp(-x))`, element by element."""

    def forward(self, input):
        return input.sigmoid()


class Tanh(Module):
    """The hyperbolic tangent, element by element."""

    def forward(self, input):
        return input.tanh()


class Softmax(_Layer):
    """`exp(x)` over its sum along `dim`: numbers between 0 and 1 that sum up to 1."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return input.softmax(self.dim)
