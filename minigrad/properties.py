"""What a tensor says about itself (shape, type, memory) and how numbers come out of it.

Mirrors https://docs.pytorch.org/docs/2.13/tensors.html
"""

import math
import operator
import re
import warnings

from . import dtypes
from .dtypes import Named, Size, type_name
from .grad_mode import mode


class device(metaclass=Named):
    """Where a tensor lives, such as `device("cpu")`; others can be named, but not used.

    RuntimeError for a name that PyTorch does not know.
    Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html#torch.device
    """

    __slots__ = ("type", "index")
    _place = "torch."

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not type:
            raise RuntimeError("Device string must not be empty")
        if not re.fullmatch(r"[a-zA-Z_]+(:(0|[1-9]\d*))?", type):
            raise RuntimeError(f"Invalid device string: '{type}'")
        self.type, colon, number = type.partition(":")
        if self.type not in _DEVICES.split(", "):
            raise RuntimeError(
                f"Expected one of {_DEVICES} device type at start of device string: {self.type}"
            )
        self.index = int(number) if colon else index

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


_DEVICES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, "
    "meta, hpu, mtia, privateuseone"
)


class layout(metaclass=Named):
    """How the elements of a tensor of any shape lie in memory; there is one way here, `strided`.

    Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html#torch.layout
    """

    __slots__ = ()
    _place = "torch."

    def __repr__(self):
        return "torch.strided"


strided = layout()


def need_cpu(where):
    """Refuse any `device` but the CPU (None is it, too)."""
    if where is None or device(where).type == "cpu":
        return
    if device(where).type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    raise RuntimeError(f"PyTorch is not linked with support for {device(where).type} devices")


def wrap_dim(dim, ndim):
    """A dimension counted from the front; IndexError in PyTorch's words if there is none such."""
    if type(dim) is not int:
        dim = _dim(dim)
    span = max(ndim, 1)
    if not -span <= dim < span:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})"
        )
    return dim % span


def _dim(dim):
    """A dimension given as something else than an int; TypeError for what is none, such as a bool."""
    if isinstance(dim, bool) or getattr(dim, "ndim", 0):
        raise TypeError(f"dim must be int, not {type_name(dim)}")
    return operator.index(dim)


class Fixed(property):
    """What a tensor says and nobody assigns; AttributeError in PyTorch's words for who tries."""

    def __init__(self, fget, doc=None):
        super().__init__(fget)
        self.__doc__ = doc or fget.__doc__

    def __set__(self, tensor, value):
        name = next(name for cls in type(tensor).__mro__ for name in vars(cls) if vars(cls)[name] is self)
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    def __delete__(self, tensor):
        self.__set__(tensor, None)


class Properties:
    """The part of `Tensor` that has nothing to do with gradients; `_array` holds the numbers."""

    __slots__ = ()

    # -- shape and type --------------------------------------------------------------------------

    @Fixed
    def shape(self):
        """The lengths of the dimensions, a `Size`."""
        return tuple.__new__(Size, self._array.shape)  # whole numbers, for sure

    def size(self, dim=None):
        """The shape, or the length of one dimension.

        IndexError for a dimension that is not there, TypeError for what is no whole number.
        """
        if dim is None:
            return tuple.__new__(Size, self._array.shape)  # whole numbers, for sure
        if not hasattr(dim, "__index__"):
            raise TypeError(
                f"size(): argument 'dim' (position 1) must be int, not {type(dim).__name__}"
            )
        return self._array.shape[self._existing(dim)]

    def _existing(self, dim):
        """A dimension that is there, counted from the front."""
        if self._array.ndim == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return wrap_dim(dim, self._array.ndim)

    @Fixed
    def ndim(self):
        """The number of dimensions."""
        return self._array.ndim

    def dim(self):
        """The number of dimensions."""
        return self._array.ndim

    ndimension = dim

    def numel(self):
        """The number of elements."""
        return self._array.size

    nelement = numel

    @Fixed
    def dtype(self):
        """The element type, such as `float32`."""
        return dtypes.of(self._array)

    @Fixed
    def itemsize(self):
        """Bytes for one element."""
        return self._array.itemsize

    def element_size(self):
        """Bytes for one element, as `itemsize`."""
        return self._array.itemsize

    @Fixed
    def nbytes(self):
        """Bytes for all elements."""
        return self._array.nbytes

    @Fixed
    def device(self):
        """Always the CPU."""
        return device("cpu")

    @property
    def volatile(self):
        """False, with a UserWarning: once it said that nothing is recorded."""
        warnings.warn(
            "volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2
        )
        return False

    @Fixed
    def layout(self):
        """Always `strided`: the elements lie in memory at regular steps."""
        return strided

    @property
    def real(self):
        """The tensor itself: its numbers are real."""
        return self

    is_cuda = is_mps = is_xpu = is_meta = is_sparse = is_nested = is_mkldnn = is_quantized = False

    def is_floating_point(self):
        """True for float16, float32 and float64."""
        return self._array.dtype.kind == "f"

    def is_complex(self):
        """Always False: there are no complex tensors here."""
        return False

    def stride(self, dim=None):
        """How many elements apart neighbours lie in memory, for each dimension.

        With `dim` for that one; IndexError if it is not there.
        """
        steps = tuple(s // self._array.itemsize for s in self._array.strides)
        if not self._array.size:  # NumPy has zeros here, PyTorch the steps of a full tensor
            lengths = [max(n, 1) for n in self._array.shape]
            steps = tuple(math.prod(lengths[d + 1 :]) for d in range(len(lengths)))
        return steps if dim is None else steps[self._existing(dim)]

    def is_contiguous(self):
        """True if the elements lie in memory row by row, without gaps."""
        return self._array.flags.c_contiguous

    def data_ptr(self):
        """The address of the first element."""
        return self._array.__array_interface__["data"][0]

    def type(self, dtype=None):
        """The old name of the type, such as 'torch.FloatTensor'; with an argument, a conversion.

        ValueError for a name that is none.
        """
        if dtype is None:
            return f"torch.{self.dtype.tensor_name}Tensor"
        if isinstance(dtype, str):
            found = [d for d in dtypes.ALL if dtype == f"torch.{d.tensor_name}Tensor"]
            if not found:
                raise ValueError(f"invalid type: '{dtype}'")
            dtype = found[0]
        return self.to(getattr(dtype, "_dtype", dtype))

    def __len__(self):
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    # -- out of the tensor -----------------------------------------------------------------------

    def item(self):
        """The only element, as a Python number.

        RuntimeError unless the tensor, of any shape, has exactly one.
        """
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return self._array.item()

    def tolist(self):
        """The numbers as (nested) Python lists; a number for a 0-d tensor."""
        return self._array.tolist()

    def numpy(self, *, force=False):
        """The array of the same shape and dtype that holds the numbers: memory is shared.

        RuntimeError for a tensor that requires grad, unless nothing is recorded now, or with `force`.
        """
        if mode.enabled and self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                "instead."
            )
        return self._array

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __bool__(self):
        if self._array.size == 1:
            return bool(self._array.item())
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    def _scalar(self):
        if mode.enabled and self.requires_grad:
            warnings.warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
                "behavior.\nConsider using tensor.detach() first.",
                UserWarning,
                stacklevel=3,
            )
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._array.item()

    def __float__(self):
        return float(self._scalar())

    def __int__(self):
        return int(self._scalar())

    def __complex__(self):
        return complex(self._scalar())

    def __contains__(self, element):
        if not hasattr(element, "_array") and not isinstance(element, (int, float, complex)):
            raise RuntimeError(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                f"{type(element)}."
            )
        return bool((element == self).any())

    def __index__(self):
        if self._array.size != 1 or self._array.dtype.kind == "f":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __format__(self, spec):
        if self._array.ndim == 0:
            return self.item().__format__(spec)
        return object.__format__(self, spec)
