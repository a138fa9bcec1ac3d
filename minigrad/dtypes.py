"""Element types, their promotion, and `Size`.

A `dtype` names a NumPy type the way PyTorch does. Promotion is PyTorch's, not NumPy's: what counts
first is the *category* (bool < integer < float), and within a category a tensor with dimensions
outranks a 0-d tensor, which outranks a Python number.

Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html
"""

import builtins

import numpy as np


class Named(type):
    """Classes that print as PyTorch's do: <class 'torch.Tensor'>."""

    def __repr__(cls):
        place = vars(cls).get("_place")  # what a user derives has none
        return type.__repr__(cls) if place is None else f"<class '{place}{cls.__name__}'>"


class dtype(metaclass=Named):
    """An element type such as `float32`; printed `torch.float32`, the name a learner will meet.

    Mirrors https://docs.pytorch.org/docs/2.13/tensor_attributes.html#torch.dtype
    """

    __slots__ = ("name", "numpy", "is_floating_point", "tensor_name")
    _place = "torch."

    is_complex = False

    def __init__(self, name, tensor_name):
        self.name = name
        self.numpy = np.dtype(name)
        self.is_floating_point = self.numpy.kind == "f"
        self.tensor_name = tensor_name  # "Float": how error messages call it

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name

    @property
    def itemsize(self):
        """Bytes for one element."""
        return self.numpy.itemsize

    @property
    def is_signed(self):
        """Whether negative numbers can be held."""
        return self.numpy.kind in "if"


bool = dtype("bool", "Bool")
uint8 = dtype("uint8", "Byte")
int8 = dtype("int8", "Char")
int16 = dtype("int16", "Short")
int32 = dtype("int32", "Int")
int64 = dtype("int64", "Long")
float16 = dtype("float16", "Half")
float32 = dtype("float32", "Float")
float64 = dtype("float64", "Double")

ALL = (bool, uint8, int8, int16, int32, int64, float16, float32, float64)
ALIASES = {
    "half": float16, "float": float32, "double": float64,
    "short": int16, "int": int32, "long": int64,
}  # fmt: skip

# What C++ calls them, as some error messages do.
CXX_NAMES = {"Float": "float", "Double": "double", "Half": "c10::Half", "Long": "long int",
             "Int": "int", "Short": "short", "Char": "signed char", "Byte": "unsigned char",
             "Bool": "bool"}  # fmt: skip

_OF_NUMPY = {d.numpy: d for d in ALL}
_default = float32


def of(array):
    """The `dtype` of a NumPy array (TypeError for element types that PyTorch does not have)."""
    try:
        return _OF_NUMPY[array.dtype]
    except KeyError:
        if array.dtype.newbyteorder("=") in _OF_NUMPY:
            raise ValueError(
                "given numpy array has byte order different from the native byte order. "
                "Conversion between byte orders is currently not supported."
            ) from None
        raise TypeError(
            f"can't convert np.ndarray of type {array.dtype.type.__module__}."
            f"{array.dtype.type.__name__}. The only supported types are: float64, float32, float16, "
            "complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
        ) from None


def of_numpy(numpy_type):
    """The `dtype` for a NumPy type."""
    return _OF_NUMPY[numpy_type]


def numpy_dtype(d):
    """The NumPy type for a `dtype` argument (None stays None)."""
    if d is None or isinstance(d, dtype):
        return d and d.numpy
    if d in _PYTHON_TYPES:  # torch accepts dtype=float and the like
        return _PYTHON_TYPES[d].numpy
    raise TypeError(f"dtype must be a torch.dtype, not {type(d).__name__}")


_PYTHON_TYPES = {float: float64, int: int64, builtins.bool: bool}


def get_default_dtype():
    """The type of a tensor made from Python floats; float32 unless changed."""
    return _default


def set_default_dtype(d):
    """Change what `get_default_dtype` returns; only floating point types are allowed.

    TypeError for another type.
    """
    global _default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


_UNSIGNED_MEETS_SIGNED = np.dtype("int16")


def promote(first, second):
    """The NumPy type that two NumPy types of equal rank share in PyTorch."""
    if first is second:
        return first
    if first.kind != "f" and second.kind == "f":
        return second
    if first.kind == "f" and second.kind != "f":
        return first
    if {first.kind, second.kind} == {"u", "i"} and max(first.itemsize, second.itemsize) == 1:
        return _UNSIGNED_MEETS_SIGNED
    if first.kind == "b":
        return second
    if second.kind == "b":
        return first
    if first.itemsize == second.itemsize:
        return first
    return first if first.itemsize > second.itemsize else second


def result_numpy(*operands):
    """The NumPy type of an operation on arrays and Python numbers, by PyTorch's three ranks.

    A lower rank (0-d array, then Python number) decides only where its category is higher.
    """
    ranks = [None, None, None]
    for operand in operands:
        if isinstance(operand, np.ndarray):
            rank, found = (0 if operand.ndim else 1), operand.dtype
        else:
            rank, found = 2, _of_number(operand)
        ranks[rank] = found if ranks[rank] is None else promote(ranks[rank], found)
    result = None
    for found in ranks:
        if found is None:
            continue
        if result is None:
            result = found
        elif category(found) > category(result):
            result = promote(result, found)
    return result


def category(numpy_type):
    """0 for bool, 1 for integers, 2 for floats: what promotion asks first."""
    return {"b": 0, "u": 1, "i": 1, "f": 2}[numpy_type.kind]


def _of_number(number):
    kind = type(number)
    if kind is float:
        return _default.numpy
    if isinstance(number, builtins.bool):
        return bool.numpy
    if isinstance(number, int):
        return int64.numpy
    return _default.numpy


def fitting(value, numpy_type, name=None):
    """A Python number as a NumPy scalar of that type; RuntimeError where integers cannot hold it.

    Fractions are cut off, and negative whole numbers wrap around in an unsigned type. `name` is
    what the error calls the type; by default the one of C++.
    """
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise OverflowError("int too big to convert")
    if numpy_type.kind not in "iu":
        return np.array(value).astype(numpy_type)[()]
    top = np.iinfo(numpy_type).max
    low = np.iinfo(numpy_type).min
    if numpy_type.kind == "u" and isinstance(value, int):
        low = -top
    if not low <= value <= top:
        name = name or _CXX_INTEGERS.get(numpy_type.name, f"{numpy_type.name}_t")
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    return np.array(int(value)).astype(numpy_type)[()]


_CXX_INTEGERS = {"int32": "int"}


class Size(tuple, metaclass=Named):
    """The shape of a tensor: a tuple of ints that prints as `torch.Size([2, 3])`.

    TypeError for what is no whole number.
    Mirrors https://docs.pytorch.org/docs/2.13/size.html
    """

    __slots__ = ()
    _place = "torch."

    def __new__(cls, lengths=()):
        lengths = tuple(lengths)
        for i, length in enumerate(lengths):
            if not hasattr(length, "__index__"):
                raise TypeError(
                    f"torch.Size() takes an iterable of 'int' (item {i} is '{type(length).__name__}')"
                )
        return tuple.__new__(cls, map(int, lengths))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self):
        """How many elements a tensor of this shape has."""
        count = 1
        for length in self:
            count *= length
        return count

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other):
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times):
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


class _Limits:
    """What all numbers of one type have in common."""

    __slots__ = ("bits", "min", "max", "dtype")
    shown = ("min", "max")

    def __init__(self, numpy_type, limits):
        self.bits, self.dtype = limits.bits, numpy_type.name
        self.min, self.max = [np.asarray(n).item() for n in (limits.min, limits.max)]

    def __eq__(self, other):
        return type(self) is type(other) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)

    def __repr__(self):
        parts = [f"{name}={getattr(self, name):g}" for name in self.shown]
        return f"{type(self).__name__}({', '.join(parts)}, dtype={self.dtype})"


class finfo(_Limits):
    """The limits of a floating point type: `eps`, `max`, `tiny`, ...; TypeError for another type.

    Mirrors https://docs.pytorch.org/docs/2.13/type_info.html#torch.finfo
    """

    __slots__ = ("eps", "tiny", "smallest_normal", "resolution")
    shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    def __init__(self, type=None):
        type = _default if type is None else _need_dtype("finfo", type)
        if not type.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        limits = np.finfo(type.numpy)
        super().__init__(type.numpy, limits)
        self.eps, self.tiny = float(limits.eps), float(limits.tiny)
        self.smallest_normal, self.resolution = self.tiny, 10.0**-limits.precision


class iinfo(_Limits):
    """The limits of a type of whole numbers: `min`, `max`, `bits`; TypeError for another type.

    Mirrors https://docs.pytorch.org/docs/2.13/type_info.html#torch.iinfo
    """

    __slots__ = ()

    def __init__(self, type):
        type = _need_dtype("iinfo", type)
        if type.is_floating_point:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            )
        if type is bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        super().__init__(type.numpy, np.iinfo(type.numpy))


def _need_dtype(name, given):
    if not isinstance(given, dtype):
        kind = type(given).__name__
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {kind}")
    return given


def type_name(value):
    """The name of a value's type as C code sees it: some carry their module's name, such as NumPy's."""
    kind = type(value)
    if kind.__module__ == "numpy":
        return f"numpy.{kind.__name__}"
    place = "" if hasattr(kind, "_array") else vars(kind).get("_place", "")  # tensors are Python's own
    return place + kind.__name__
