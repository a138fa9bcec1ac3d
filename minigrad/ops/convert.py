"""The same numbers elsewhere: copies, other element types, and numbers written over old ones."""

import numpy as np

from .. import dtypes
from ..compat.devices import device as Device
from ..errors import type_name
from ..inplace import in_place
from ..operation import Operation
from ..tensor import Tensor, make
from .elements import Elementwise, elementwise_class
from .registry import both, method, with_page
from .shape import renamed


def zeros_like(g):
    """The gradient of what does not depend on its operand: zeros, array or tensor as `g` is."""
    return make(np.zeros_like(g._array)) if isinstance(g, Tensor) else np.zeros_like(g)


class ToCopy(Operation):
    """The same numbers in another element type; the gradient comes back in the old one."""

    def forward(x, dtype):
        return x.astype(dtype)

    def grad_x(g, _x, _dtype):
        return g


def cast(x, dtype):
    """A tensor in a NumPy type, or itself if it already is. No gradient flows through integers."""
    if x._array.dtype == dtype:
        return x
    return ToCopy.apply(x if dtype.kind == "f" else x.detach(), dtype)


class Copy(Operation, name="CopyBackwards"):
    """`x` after other numbers were written over it."""

    _namespace = "torch::autograd::"
    refusal = Elementwise.refusal

    def forward(x, source):
        shape = np.broadcast_shapes(x.shape, np.shape(source))
        return np.broadcast_to(source, shape).astype(x.dtype)

    def grad_x(g, _x, _source):
        return zeros_like(g)

    def grad_source(g, _x, _source):
        return g


class FillTensor(Copy, name="FillBackward3"):
    """`x` after the number in a tensor was written all over it."""

    _namespace = ""


class Fill(Operation, name="FillBackward2"):
    """`x` after one number was written all over it."""

    overwrites = True

    def forward(x, number):
        return np.full(x.shape, number, x.dtype)

    def grad_x(g, _x, _number):
        return zeros_like(g)


Zero = renamed(Fill, "ZeroBackward0")

CloneBackward0 = elementwise_class(
    "CloneBackward0", lambda x: np.array(x, order="K"), lambda g, _x: g
)
CloneRows = elementwise_class("CloneBackward0", lambda x: x.copy("C"), lambda g, _x: g)


@both
def clone(input):
    """A copy that gradients flow through. Raises TypeError unless `input` is a tensor."""
    return CloneBackward0.apply(input)


@method
def contiguous(self):
    """The tensor with its elements row by row in memory: itself if they are, or else a copy."""
    return self if self.is_contiguous() else CloneRows.apply(self)


@method
def to(self, *args, dtype=None, device=None, copy=False):
    """The tensor in another dtype, `x.to(torch.float64)`, or in that of another tensor.

    Itself if nothing changes, unless `copy`. Raises RuntimeError for any device but the CPU.
    """
    for arg in args:
        if isinstance(arg, (str, Device)):
            device = arg
        else:
            dtype = getattr(arg, "dtype", arg)
    Device(device or "cpu")
    out = cast(self, dtypes.numpy_type(dtype) or self._array.dtype)
    return clone(self) if copy and out is self else out


@method
def type(self, dtype=None):
    """The name of the tensor's type, "torch.FloatTensor"; or the tensor in another type."""
    names = {f"torch.{known.tensor_name}Tensor": known for known in dtypes.ALL}
    return to(self, names.get(dtype, dtype)) if dtype else f"torch.{self.dtype.tensor_name}Tensor"


def _conversion(name, dtype):
    """The method that gives a tensor in another dtype."""

    def convert(self):
        return to(self, dtype)

    convert.__name__ = name
    convert.__doc__ = f"The tensor as {dtype}; itself if it already is."
    return with_page(convert, f"Tensor.{name}")


Tensor.float = _conversion("float", dtypes.float32)
Tensor.double = _conversion("double", dtypes.float64)
Tensor.half = _conversion("half", dtypes.float16)
Tensor.long = _conversion("long", dtypes.int64)
Tensor.int = _conversion("int", dtypes.int32)
Tensor.bool = _conversion("bool", dtypes.bool)


@method
def cpu(self):
    """The tensor itself: it is on the CPU."""
    return self


Tensor.device = property(lambda self: Device(), doc="Where the tensor lies: always on the CPU.")


@method
def copy_(self, src):
    """A tensor's numbers, which broadcast, written over those of this one, which is returned.

    Raises TypeError for anything but a tensor.
    """
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_() needs a tensor, not {type_name(src)}")
    return in_place(Copy, self, src)


@method
def fill_(self, value):
    """One number written over all of this tensor, which is returned; TypeError for None."""
    if value is None:
        raise TypeError("fill_() needs a number, not NoneType")
    return in_place(FillTensor if isinstance(value, Tensor) else Fill, self, value)


@method
def zero_(self):
    """Zero written over all of this tensor; returns it."""
    return in_place(Zero, self, 0)
