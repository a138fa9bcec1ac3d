"""Writing into a tensor: `x[...] = value`."""

import numpy as np

from ..errors import type_name
from ..inplace import in_place
from ..operation import Operation
from ..tensor import Tensor, make
from .index import Index, arrays, basic, picked
from .registry import method


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


@method
def __setitem__(self, index, value):
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
