"""Writing into a tensor: `x[...] = value`, `masked_fill`."""

import numpy as np

from ..errors import type_name
from ..inplace import in_place
from ..operation import Operation
from ..tensor import Tensor, make
from .compare import Where
from .index import Index, arrays, basic, picked
from .registry import both, method, operator


class IndexPut(Operation):
    """`x` with `y` written where an index of tensors points."""

    tensors, called = ("index",), {"index": "indices"}

    def forward(x, y, index):
        x = np.array(x)
        x[arrays(index)] = y
        return x

    def grad_x(g, _x, _y, index):
        return IndexPut.apply(g, 0, index)

    def grad_y(g, _x, _y, index):
        return Index.apply(g, index)


class MaskedFill(Operation):
    """A number where a mask holds, `x` elsewhere."""

    tensors = ("mask",)

    def forward(x, mask, value):
        if mask.dtype != bool or np.ndim(value):
            raise RuntimeError("masked_fill takes a bool mask, and a number or a 0-d tensor")
        return np.where(mask, x.dtype.type(value), x)

    def grad_x(g, _x, mask, _value):
        return Where.apply(mask, 0, g)


class MaskedFillTensor(MaskedFill, name="MaskedFillBackward1"):
    """The number in a 0-d tensor where a mask holds, `x` elsewhere."""

    def grad_value(g, _x, mask, _value):
        return Where.apply(mask, g, 0)


@both
def masked_fill(input, mask, value):
    """A number, or that in a 0-d tensor, written wherever a bool mask (which broadcasts) holds."""
    return _filling(value).apply(input, mask, value)


@method
def masked_fill_(self, mask, value):
    """`masked_fill`, stored in the tensor itself, which is returned."""
    return in_place(_filling(value), self, mask, value)


def _filling(value):
    return MaskedFillTensor if isinstance(value, Tensor) else MaskedFill


@operator
def setitem(self, index, value):
    """`x[index] = value`, in place: a number, or a tensor that expands to what is picked."""
    if not isinstance(value, (Tensor, int, float)):
        kind = self.dtype.tensor_name
        raise TypeError(f"can't assign a {type_name(value)} to a torch.{kind}Tensor")
    view, index = basic(self, index)
    if index:
        place = picked(Index, view.detach(), index)
        if isinstance(value, Tensor):
            if value.dtype is not self.dtype and value.ndim:
                raise RuntimeError(f"numbers of {value.dtype} for a tensor of {self.dtype}")
            value = _expanded(value, place.shape)
        in_place(IndexPut, view, value, index)
    elif isinstance(value, Tensor) and value.ndim:
        view.copy_(_expanded(value, view.shape))
    else:
        view.fill_(value if isinstance(value, Tensor) else make(np.array(value)))


def _expanded(value, shape):
    """A tensor in the shape of its place; it may have more dimensions of length 1."""
    if value.shape == shape:
        return value
    while value.ndim and value.shape[0] == 1:
        value = value.squeeze(0)
    return value.expand(shape)
