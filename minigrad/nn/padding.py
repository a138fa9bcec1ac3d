"""Borders as modules: input (N, C, *) or (C, *), `padding` an int or (left, right, top, bottom, ...).

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#padding-layers
"""

from . import functional as F
from .module import Module


class _Pad(Module):
    dims, mode = 1, "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, int) else tuple(padding)

    def forward(self, input):
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self):
        return f"{self.padding}"


class ConstantPad1d(_Pad):
    """A border of one number `value` around lines."""

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad2d(ConstantPad1d):
    """A border of one number `value` around images."""

    dims = 2


class ConstantPad3d(ConstantPad1d):
    """A border of one number `value` around volumes."""

    dims = 3


class ZeroPad1d(_Pad):
    """A border of zeros around lines."""


class ZeroPad2d(_Pad):
    """A border of zeros around images."""

    dims = 2


class ZeroPad3d(_Pad):
    """A border of zeros around volumes."""

    dims = 3


class ReflectionPad1d(_Pad):
    """Lines continued as in a mirror."""

    mode = "reflect"


class ReflectionPad2d(ReflectionPad1d):
    """Images continued as in mirrors."""

    dims = 2


class ReflectionPad3d(ReflectionPad1d):
    """Volumes continued as in mirrors."""

    dims = 3


class ReplicationPad1d(_Pad):
    """Lines continued by their ends."""

    mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """Images continued by their edges."""

    dims = 2


class ReplicationPad3d(ReplicationPad1d):
    """Volumes continued by their faces."""

    dims = 3


class CircularPad1d(_Pad):
    """Lines continued as if they began again."""

    mode = "circular"


class CircularPad2d(CircularPad1d):
    """Images continued as if they began again."""

    dims = 2


class CircularPad3d(CircularPad1d):
    """Volumes continued as if they began again."""

    dims = 3
