"""Borders as modules: lines, images and volumes made longer at both ends of each dimension.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#padding-layers
"""

from . import functional as F
from .module import Module


class _Pad(Module):
    """A border whose elements follow from `mode`; `padding` is an int, or (left, right, top, ...)."""

    dims, mode = 1, "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, int) else tuple(padding)

    def forward(self, input):
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):
    """A border of the number `value`."""

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


_DOC = """{0} continued by {1}: input ({2}) or without N, the output longer by `padding`.

    `padding` is an int, or {3}. RuntimeError for another number of dimensions, and for a border longer
    than what it repeats.
    """
_INPUTS = (
    ("Lines", "N, C, L", "(left, right)"),
    ("Images", "N, C, H, W", "(left, right, top, bottom)"),
    ("Volumes", "N, C, D, H, W", "(left, right, top, bottom, front, back)"),
)


def _pads(kind, border, base=_Pad, **fields):
    """The three modules of one kind of border: for lines, images and volumes."""
    for dims, (what, shape, pairs) in enumerate(_INPUTS, 1):
        fields |= {"dims": dims, "__doc__": _DOC.format(what, border, shape, pairs)}
        yield type(f"{kind}Pad{dims}d", (base,), fields | {"__module__": __name__})


ConstantPad1d, ConstantPad2d, ConstantPad3d = _pads("Constant", "the number `value`", _ConstantPad)
ZeroPad1d, ZeroPad2d, ZeroPad3d = _pads("Zero", "zeros")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _pads(
    "Reflection", "what a mirror at the edge shows", mode="reflect"
)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _pads(
    "Replication", "the edge, again and again", mode="replicate"
)
CircularPad1d, CircularPad2d, CircularPad3d = _pads(
    "Circular", "themselves, as if they began again", mode="circular"
)
