"""What `tensor(data)` reads: numbers, nested lists, arrays, and tensors of one element among them.

Three questions are asked in PyTorch's order, each with its own errors: which shape, which element
type, and whether every element really is such a number.
"""

import operator
from itertools import chain

import numpy as np

from . import dtypes
from .operation import quietly
from .tensor import Tensor

MAX_DIMS = 128
LISTS, FLOATS, INTS = {list}, {float}, {int}


def array_of(data, numpy_type=None):
    """A new array of the numbers in `data`, of the type PyTorch infers unless one is given.

    ValueError if the lists are ragged or nested too deep, TypeError for what is no number.
    """
    if data.__class__ is list:
        array = _of_plain_lists(data, numpy_type)
        if array is not None:
            return array
    if isinstance(data, np.ndarray):
        dtypes.of(data)  # refused if PyTorch has no such type
        need_positive_strides(data)
        with np.errstate(all="ignore"):
            return np.array(data, dtype=numpy_type)
    if isinstance(data, Tensor):
        return data._array.astype(numpy_type or data._array.dtype)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape = shape_of(data)
    if numpy_type is None:
        numpy_type = infer(data)
    numbers = []
    if 0 not in shape:
        _collect(data, shape, 0, _reader(numpy_type), numbers)
    with np.errstate(over="ignore"):
        return np.array(numbers, dtype=numpy_type).reshape(shape)


def need_positive_strides(array):
    """ValueError for an array whose elements lie backwards in memory."""
    if any(step < 0 and n > 1 for step, n in zip(array.strides, array.shape)):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a copy "
            "of your array  with array.copy().) "
        )


def _of_plain_lists(data, numpy_type):
    """The array of evenly nested lists of floats, or else of ints: what most programs write.

    None for anything else, which is then read item by item; NumPy alone would accept too much.
    """
    shape, kinds = None, set(map(type, data))
    while kinds == LISTS and (shape is None or len(shape) < MAX_DIMS):
        lengths = set(map(len, data))
        if len(lengths) != 1:
            return None
        shape = (*(shape or (len(data),)), *lengths)
        data = list(chain.from_iterable(data))
        kinds = set(map(type, data))
    if kinds == FLOATS and (numpy_type is None or numpy_type.kind == "f"):
        numpy_type = numpy_type or dtypes.get_default_dtype().numpy
    elif kinds == INTS and numpy_type is None:
        numpy_type = dtypes.int64.numpy
    else:
        return None
    try:
        array = quietly(np.array, data, numpy_type)
    except OverflowError:
        return None
    return array.reshape(shape) if shape else array


def is_sequence(data):
    """Whether PyTorch looks for numbers inside (a tensor counts as a number)."""
    if isinstance(data, (list, tuple, range, str)):
        return True
    kind = type(data)
    inside = hasattr(kind, "__getitem__") and hasattr(kind, "__len__")
    return inside and not isinstance(data, (dict, Tensor, np.generic))


def shape_of(data):
    """The shape that the first elements of nested sequences suggest."""
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if len(shape) > MAX_DIMS:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not shape[-1]:
            break
        data = data[0]
    return tuple(shape)


def infer(data):
    """The NumPy type in which all numbers of `data` find room, in PyTorch's order of types."""
    if isinstance(data, bool):
        return dtypes.bool.numpy
    if isinstance(data, Tensor):
        return data._array.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return dtypes.of(np.asarray(data)).numpy
    if isinstance(data, int):
        return dtypes.int64.numpy
    if isinstance(data, float):
        return dtypes.get_default_dtype().numpy
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    found = None
    for item in data:
        kind = infer(item)
        found = kind if found is None else dtypes.promote(found, kind)
    return dtypes.get_default_dtype().numpy if found is None else found


def _collect(data, shape, depth, read, numbers):
    if depth == len(shape):
        numbers.append(read(data))
        return
    if not hasattr(data, "__iter__"):
        raise TypeError("not a sequence")
    if len(data) != shape[depth]:
        raise ValueError(
            f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"
        )
    for item in data:
        _collect(item, shape, depth + 1, read, numbers)


def _reader(numpy_type):
    """The function that reads one element of that type."""
    if numpy_type.kind == "f":
        return _float
    if numpy_type.kind == "b":
        return lambda value: bool(value if isinstance(value, np.bool_) else _whole(value))

    def read(value):
        try:
            return dtypes.fitting(_whole(value), numpy_type, numpy_type.name)
        except OverflowError:
            raise ValueError("Overflow when unpacking long long") from None

    return read


def _float(value):
    if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def _whole(value):
    return value if isinstance(value, float) else operator.index(value)
