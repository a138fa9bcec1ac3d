"""Writing into a tensor: `x[...] = value`, `index_add`, `masked_fill`."""

import numpy as np

from ..errors import type_name
from ..inplace import in_place
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .compare import Where
from .index import Index, arrays, basic, picked
from .registry import operator, publish


class IndexPut(Operation):
    """`x` with `y` written where an index of tensors points."""

    broadcasts, tensors, called = True, ("index",), {"index": "indices"}

    def forward(x, y, index):
        x = np.array(x)
        x[arrays(index)] = y
        return x

    def grad_x(g, _x, _y, index):
        return IndexPut.apply(g, 0, index)

    def grad_y(g, _x, _y, index):
        return Index.apply(g, index)


class IndexAdd(Operation):
    """`x` with other numbers added at places of a dimension."""

    broadcasts, tensors = True, ("index",)

    def forward(x, dim, index, source):
        x, places = np.array(x), (slice(None),) * wrap_dim(dim, x.ndim) + (index,)
        if source.shape != x[places].shape:
            raise RuntimeError(f"index_add: {list(source.shape)} is not the shape of these places")
        np.add.at(x, places, source)
        return x

    def grad_x(g, _x, _dim, _index, _source):
        return g

    def grad_source(g, _x, dim, index, _source):
        return g[(slice(None),) * wrap_dim(dim, g.ndim) + (index,)]


class MaskedFill(Operation):
    """A number where a mask holds, `x` elsewhere."""

    broadcasts, tensors = True, ("mask",)

    def forward(x, mask, value):
        if mask.dtype != bool or isinstance(value, np.ndarray):
            raise RuntimeError("masked_fill takes a bool mask and a number; `where` takes tensors")
        return np.where(mask, x.dtype.type(value), x)

    def grad_x(g, _x, mask, _value):
        return Where.apply(mask, 0, g)


def index_add(input, dim, index, source):
    return IndexAdd.apply(input, dim, index, source)


def masked_fill(input, mask, value):
    return MaskedFill.apply(input, mask, value)


publish(
    IndexAdd, "index_add", "`source` added to the places `index` (n) of a dimension.", index_add
)
publish(
    MaskedFill,
    "masked_fill",
    "A number written wherever a bool mask (which broadcasts) holds.",
    masked_fill,
)


@operator
def setitem(self, index, value):
    """`x[index] = value`, in place: a number, or a tensor that expands to what is picked."""
    if not isinstance(value, (Tensor, int, float, np.generic)):
        raise TypeError(f"can't assign a {type_name(value)} to elements of a tensor")
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
