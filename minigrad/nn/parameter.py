"""`Parameter` and `Buffer`: the tensors that a module holds.

Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.parameter.Parameter.html
"""

import numpy as np

from ..ops import FUNCTIONS
from ..tensor import Meta, Tensor, make, meta_of


empty = FUNCTIONS["empty"]


class Parameter(Tensor):
    """A tensor to be trained: a module that gets one as attribute lists it in `parameters()`.

    It shares memory with `data` (none: an empty tensor) and requires grad unless told otherwise.
    RuntimeError for integers that should require grad. Mirrors
    https://docs.pytorch.org/docs/2.13/generated/torch.nn.parameter.Parameter.html
    """

    __slots__ = ()
    _place = "torch.nn.parameter."

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = make(np.empty(0, np.float32))
        parameter = make(data.detach()._array, cls)
        parameter._meta = Meta(meta_of(data).version)
        if requires_grad and parameter._array.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        parameter._requires_grad = requires_grad
        return parameter

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(make(self._array.copy()), self._requires_grad)
        return memo[id(self)]


class Buffer(Tensor):
    """A tensor that belongs to a module's state and is not trained, such as a running mean.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.parameter.Buffer.html
    """

    __slots__ = ()
    _place = "torch.nn.parameter."

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = make(np.empty(0, np.float32))
        buffer = make(data.detach()._array, cls)
        buffer._requires_grad = data.requires_grad
        buffer.persistent = persistent
        return buffer


def blank(shape, dtype=None, device=None):
    """A parameter whose numbers are still to be set."""
    return Parameter(empty(shape, dtype=dtype, device=device))
