"""Names of old programs: `Variable`, `FloatTensor(2, 3)`, `Tensor([1, 2])`.

Mirrors https://docs.pytorch.org/docs/2.13/tensors.html
"""

import numpy as np

from .. import dtypes
from ..creation import SEQUENCES, array_of, float_type
from ..errors import type_name
from ..ops.shape import numbers
from ..tensor import Tensor, make


def made(kind, dtype, data):
    """A tensor of a shape, for `Tensor(2, 3)`, or of numbers, for `Tensor([2, 3])`."""
    if len(data) != 1 or isinstance(data[0], (int, dtypes.Size)):
        return make(np.zeros(numbers(*data or (0,)), float_type(dtype)), kind)
    if not isinstance(data[0], (*SEQUENCES, Tensor)):
        raise TypeError(f"new(): data must be a sequence (got {type_name(data[0])})")
    return make(array_of(data[0], float_type(dtype)), kind)


Tensor.__new__ = lambda cls, *data: made(cls, None, data)


class OldType(dtypes.Named):
    """Lets `isinstance(x, Variable)` be true of every tensor, and FloatTensor know its own."""

    dtype = None

    def __instancecheck__(cls, x):
        return isinstance(x, Tensor) and cls.dtype in (None, x.dtype)


def old_type(dtype):
    """`torch.FloatTensor` and its like, for one type of elements."""
    page = "Mirrors https://docs.pytorch.org/docs/2.13/tensors.html"
    text = f"The old way to make a {dtype.name} tensor, from a shape or from numbers.\n\n    {page}"
    body = {"dtype": dtype, "_place": "torch.", "__doc__": text, "__module__": __name__}
    body["__new__"] = lambda cls, *data: made(Tensor, dtype, data)
    return OldType(f"{dtype.tensor_name}Tensor", (), body)


FloatTensor, DoubleTensor = old_type(dtypes.float32), old_type(dtypes.float64)
LongTensor = old_type(dtypes.int64)


class Variable(metaclass=OldType):
    """The tensor type of old programs; every tensor is a Variable.

    `Variable(data, requires_grad=True)` makes a plain tensor that shares the memory of `data`.
    Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#variable-deprecated
    """

    def __new__(cls, data, requires_grad=False):
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        return data.detach().requires_grad_(requires_grad)
