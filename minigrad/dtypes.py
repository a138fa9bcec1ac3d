"""Element types, their promotion, and `Size`.

A `dtype` names a NumPy type the way PyTorch does. Promotion follows PyTorch, not NumPy: the
category counts first (bool < integer < float); within one, a tensor with dimensions outranks a 0-d
tensor, which outranks a Python number.
Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html
"""

import builtins
import math

import numpy as np


class Named(type):
    """Classes that print as PyTorch's do: <class 'torch.Tensor'>."""

    def __repr__(cls):
        place = vars(cls).get("_place")  # the module to show; a class that a user derives has none
        return type.__repr__(cls) if place is None else f"<class '{place}{cls.__name__}'>"


class dtype(metaclass=Named):
    """An element type such as `float32`; it prints as in PyTorch, `torch.float32`.

    Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html#torch.dtype
    """

    __slots__ = ("name", "numpy", "is_floating_point", "tensor_name", "cxx_name", "itemsize")
    _place = "torch."
    is_complex = False

    def __init__(self, name, tensor_name, cxx_name=None):
        self.name = name
        self.numpy = np.dtype(name)
        self.is_floating_point = self.numpy.kind == "f"
        self.tensor_name = tensor_name  # the name in error messages, "Float"
        self.cxx_name = cxx_name or tensor_name.lower()  # and in those from C++
        self.itemsize = self.numpy.itemsize  # bytes for one element

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


bool = dtype("bool", "Bool")
uint8 = dtype("uint8", "Byte", "unsigned char")
int8 = dtype("int8", "Char", "signed char")
int16 = dtype("int16", "Short")
int32 = dtype("int32", "Int")
int64 = dtype("int64", "Long", "long int")
float16 = dtype("float16", "Half", "c10::Half")
float32 = dtype("float32", "Float")
float64 = dtype("float64", "Double")

ALL = (bool, uint8, int8, int16, int32, int64, float16, float32, float64)
ALIASES = dict(half=float16, float=float32, double=float64, short=int16, int=int32, long=int64)
_OF_NUMPY = {d.numpy: d for d in ALL}
_OF_PYTHON = {builtins.float: float64, builtins.int: int64, builtins.bool: bool}
_CATEGORIES = {"b": 0, "i": 1, "u": 1, "f": 2}
_default = float32


def of(array):
    """The `dtype` of a NumPy array. Raises TypeError for a type that PyTorch does not have."""
    if array.dtype not in _OF_NUMPY:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only "
            f"supported types are: {', '.join(d.name for d in reversed(ALL))}."
        )
    return _OF_NUMPY[array.dtype]


def numpy_type(d):
    """The NumPy type for a `dtype` argument, or None. Raises TypeError for anything else."""
    if d is None:
        return None
    d = _OF_PYTHON.get(d, d) if isinstance(d, type) else d
    if not isinstance(d, dtype):
        raise TypeError(f"dtype must be a torch.dtype, such as torch.float64, not {d!r}")
    return d.numpy


def get_default_dtype():
    """The type of a tensor made from Python floats; float32 unless changed."""
    return _default


def set_default_dtype(d):
    """Change what `get_default_dtype` returns. Raises TypeError unless it is a floating dtype."""
    global _default
    if not (isinstance(d, dtype) and d.is_floating_point):
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


def category(numpy_dtype):
    """0 for bool, 1 for integers, 2 for floats: what counts first in promotion."""
    return _CATEGORIES[numpy_dtype.kind]


def promote(first, second):
    """The NumPy type that two NumPy types of equal rank share in PyTorch."""
    if category(first) != category(second):
        return max(first, second, key=category)
    return np.promote_types(first, second)


def result_type(*operands):
    """The NumPy type of an operation on arrays and Python numbers, by PyTorch's three ranks.

    A lower rank (0-d array, then Python number) decides only where its category is higher.
    """
    of_ranks = [None, None, None]
    for operand in operands:
        if isinstance(operand, np.ndarray):
            rank, dtype = (0 if operand.ndim else 1), operand.dtype
        else:
            rank, dtype = 2, of_number(operand)
        of_ranks[rank] = dtype if of_ranks[rank] is None else promote(of_ranks[rank], dtype)
    return max([dtype for dtype in of_ranks if dtype is not None], key=category)


def of_number(number):
    """The NumPy type that a Python number counts as."""
    if isinstance(number, builtins.bool):
        return bool.numpy
    return int64.numpy if isinstance(number, (int, np.integer)) else _default.numpy


class Size(tuple, metaclass=Named):
    """The shape of a tensor: a tuple of ints that prints as `torch.Size([2, 3])`.

    Mirrors https://docs.pytorch.org/docs/2.13/size.html
    """

    __slots__ = ()
    _place = "torch."

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self):
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __getitem__(self, index):
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))
