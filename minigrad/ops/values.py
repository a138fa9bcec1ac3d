"""From a tensor to Python: its size, and its values as numbers, lists and arrays."""

import operator

import numpy as np

from ..errors import warn
from ..modes import mode, tell
from ..tensor import Tensor, make, wrap_dim
from .registry import FUNCTIONS, function, method


@method
def dim(self):
    """The number of dimensions."""
    return self._array.ndim


@method
def numel(input):
    """The number of elements."""
    return input._array.size


@method
def is_contiguous(self):
    """Whether the elements lie in memory row by row."""
    return self._array.flags.c_contiguous


@method
def stride(self):
    """How many elements in memory lie between neighbours, in each dimension."""
    return tuple([n // self._array.itemsize for n in self._array.strides])


@method
def data_ptr(self):
    """The address of the first element in memory."""
    return self._array.__array_interface__["data"][0]


@method
def is_floating_point(self):
    """Whether the elements are floating point numbers."""
    return self._array.dtype.kind == "f"


@method
def tolist(self):
    """The elements as nested lists of Python numbers; of a 0-d tensor the number itself."""
    tell("cut", (self,))
    return self._array.tolist()


@function
def is_tensor(obj):
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


FUNCTIONS["numel"], Tensor.nelement = numel, numel


@method
def size(self, dim=None):
    """The lengths of the dimensions, or of one. Raises IndexError for one that does not exist."""
    return self.shape if dim is None else self._array.shape[wrap_dim(dim, self.ndim)]


@method
def item(self):
    """The only element as a Python number. Raises RuntimeError if there are several."""
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    tell("cut", (self,))
    return self._array.item()


@method
def numpy(self, *, force=False):
    """An array that shares memory. Raises RuntimeError for requires_grad, unless `force`."""
    if not force and self.requires_grad and mode.enabled:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    return self._array


@method
def __len__(self):
    if self.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


@method
def __iter__(self):
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


@method
def __bool__(self):
    if self._array.size != 1:
        which = "more than one value" if self._array.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {which} is ambiguous")
    return bool(self._array.item())


def _number(self, kind):
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if self.requires_grad and kind is float:
        warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
            "behavior.\nConsider using tensor.detach() first."
        )
    return kind(self.item())


Tensor.__array_wrap__ = lambda self, array, *_: make(np.asarray(array))  # np.exp(x) is a tensor
Tensor.__array__ = lambda self, dtype=None, copy=None: np.array(self.numpy(), dtype, copy=copy)
Tensor.__float__ = lambda self: _number(self, float)
Tensor.__int__ = lambda self: _number(self, int)
Tensor.__index__ = lambda self: operator.index(self._array.squeeze().tolist())
Tensor.__contains__ = lambda self, element: bool((self == element).any())
Tensor.__format__ = lambda self, spec: (
    format(self.item(), spec)
    if type(self) is Tensor and not self.ndim
    else object.__format__(self, spec)
)
