"""What a tensor tells Python: its size, and itself as numbers, lists, arrays and copies."""

import copy
import operator
import pickle

import numpy as np

from .. import errors
from ..dtypes import Named
from ..errors import warn
from ..modes import mode, tell
from ..tensor import Tensor, make, meta_of, wrap_dim
from .registry import FUNCTIONS, function, method


class device(metaclass=Named):
    """A device; only the CPU is there. RuntimeError for another.

    Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html#torch.device
    """

    _place = "torch."
    type, index = "cpu", None

    def __init__(self, type="cpu"):
        if str(type) != "cpu":
            raise RuntimeError(f"minigrad computes on the CPU only, not on '{type}'.")

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return "cpu"

    def __eq__(self, other):
        return isinstance(other, device)


Tensor.device = property(lambda self: device(), doc="Where the tensor lies: always on the CPU.")


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
    """The lengths of the dimensions, or of one of them. IndexError for one that is not there."""
    return self.shape if dim is None else self._array.shape[wrap_dim(dim, self.ndim)]


@method
def item(self):
    """The only element as a Python number. RuntimeError if there are several."""
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    tell("cut", (self,))
    return self._array.item()


@method
def numpy(self, *, force=False):
    """An array that shares memory. RuntimeError if it requires grad, unless `force`."""
    if self.requires_grad and mode.enabled and not force:
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


def _restored(kind, array, requires_grad, attributes):
    """A leaf as it was pickled."""
    tensor = make(array, kind)
    tensor._requires_grad = requires_grad
    vars(tensor).update(attributes)
    return tensor


@method
def __reduce_ex__(self, protocol):
    """What `pickle` keeps: the numbers, `requires_grad` and the user's attributes."""
    return _restored, (type(self), self._array, self.requires_grad, vars(self))


@function
def save(obj, f):
    """Write tensors, or lists and dictionaries of them, to a file, which PyTorch cannot read."""
    with open(f, "wb") as file:
        pickle.dump(obj, file)


@function
def load(f):
    """Read what `save` wrote. Such a file can run any code: load only what you trust."""
    with open(f, "rb") as file:
        return pickle.load(file)


# A shallow copy shares memory, and not the gradient.
Tensor.__copy__ = lambda self: make(self._array, type(self)).requires_grad_(self.requires_grad)


@method
def __deepcopy__(self, memo):
    if self.grad_fn is not None:
        raise RuntimeError(errors.NO_COPY_OF_A_RESULT)
    twin = memo[id(self)] = make(self._array.copy(), type(self))
    twin._requires_grad = self._requires_grad
    twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
    if self._meta is not None and self._meta.grad is not None:
        meta_of(twin).grad = copy.deepcopy(self._meta.grad, memo)
    return twin
