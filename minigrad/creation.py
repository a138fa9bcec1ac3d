"""New tensors: from data, filled with one number, and counted."""

import functools

import numpy as np

from . import dtypes
from .compat.devices import device as Device
from .errors import type_name, warn
from .modes import mode, tell
from .ops.registry import function
from .ops.shape import numbers
from .tensor import Tensor, make, meta_of

SEQUENCES = (list, tuple, range, np.ndarray)


def leaf(array, requires_grad=False, device=None, pin_memory=False):
    """A leaf around a new array.

    Raises RuntimeError for integers that should require grad, and for any memory but the CPU's own.
    """
    Device(device or "cpu")
    if pin_memory:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no "
            "pinned memory allocator is available on this system."
        )
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    tensor = make(array)
    if requires_grad:
        tensor._requires_grad = True
        meta_of(tensor)
    return tensor


def float_type(dtype):
    """The NumPy type for a `dtype` argument; for None, the default type."""
    return dtypes.numpy_type(dtype or dtypes.get_default_dtype())


def array_of(data, numpy_type=None):
    """A new array of the numbers in `data`: a number, nested lists, an array or a tensor."""
    if data.__class__ is list and numpy_type is None and set(map(type, data)) == {float}:
        return mode.without_float_warnings(np.array, data, float_type(None))  # the most common
    if isinstance(data, (Tensor, np.ndarray)):
        array = getattr(data, "_array", data)
        dtypes.of(array)  # refused if PyTorch has no such type
        return mode.without_float_warnings(np.array, array, numpy_type)
    numbers, shape = _flattened(data)
    types = set(map(_type_of, numbers)) or {float_type(None)}
    numpy_type = numpy_type or functools.reduce(dtypes.promote, types)
    for i, n in enumerate(numbers):
        if hasattr(n, "item"):  # `float` warns that a tensor's gradient ends here
            numbers[i] = float(n) if getattr(n, "requires_grad", False) else n.item()
    return mode.without_float_warnings(np.array, numbers, numpy_type).reshape(shape)


def _flattened(data):
    """The numbers in nested lists, and their shape. Raises ValueError if lengths differ."""
    numbers, shape = [data], []
    while numbers and isinstance(numbers[0], SEQUENCES):
        length = len(numbers[0])
        for part in numbers:
            if not isinstance(part, SEQUENCES):
                raise TypeError("a list has a number next to a list")
            if len(part) != length:
                raise ValueError(
                    f"expected sequence of length {length} at dim {len(shape)} (got {len(part)})"
                )
        shape.append(length)
        numbers = [number for part in numbers for number in part]
    return numbers, shape


def _type_of(number):
    """The NumPy type that an element counts as. Raises TypeError unless it is a number."""
    if isinstance(number, (int, float)) and not isinstance(number, np.generic):
        return dtypes.of_number(number)
    if not hasattr(number, "dtype"):
        raise TypeError(f"a tensor holds numbers, not {type_name(number)}")
    return dtypes.of(getattr(number, "_array", number)).numpy


@function
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A leaf that holds a copy of `data`: numbers, nested lists, or an array, which keeps its type.

    Raises ValueError for lists of different lengths, TypeError for anything but numbers.
    """
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than torch.tensor(sourceTensor)."
        )
        tell("cut", (data,))
    return leaf(array_of(data, dtypes.numpy_type(dtype)), requires_grad, device, pin_memory)


@function
def from_numpy(ndarray):
    """A tensor that shares the memory of an array. Raises TypeError for anything else."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    dtypes.of(ndarray)
    return make(ndarray)


@function
def as_tensor(data, dtype=None, **options):
    """`data` as a tensor, which shares the memory of an array or tensor if the type allows."""
    if isinstance(data, Tensor):
        return data.to(dtype)
    if isinstance(data, np.ndarray) and dtypes.numpy_type(dtype) in (None, data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, **options)


# --- filled with one number, and counted ----------------------------------------------------------


def filled(fill, given, size=None, dtype=None, **options):
    """A leaf whose array is `fill(shape, numpy_type)`; a shape is numbers, or one sequence."""
    return leaf(fill(numbers(*given if size is None else size), float_type(dtype)), **options)


@function
def zeros(*size, **options):
    """A tensor of zeros in the shape given: `zeros(2, 3)`."""
    return filled(np.zeros, size, **options)


@function
def ones(*size, **options):
    """A tensor of ones in the shape given: `ones(2, 3)`."""
    return filled(np.ones, size, **options)


@function
def empty(*size, **options):
    """A tensor of whatever memory held in the shape given: `empty(2, 3)`."""
    return filled(np.empty, size, **options)


@function
def zeros_like(input, *, dtype=None, **options):
    """Zeros, in the shape and dtype of `input`."""
    return filled(np.zeros, input.shape, dtype=dtype or input.dtype, **options)


@function
def ones_like(input, *, dtype=None, **options):
    """Ones, in the shape and dtype of `input`."""
    return filled(np.ones, input.shape, dtype=dtype or input.dtype, **options)


@function
def full(size, fill_value, *, dtype=None, **options):
    """A tensor of shape `size` filled with one number, whose kind decides the dtype."""
    fill_value = fill_value.item() if isinstance(fill_value, np.generic) else fill_value
    value = array_of(fill_value, dtypes.numpy_type(dtype))
    return leaf(np.full(numbers(size), value), **options)


@function
def eye(n, m=None, *, dtype=None, **options):
    """Ones on the diagonal of a matrix (n, n) or (n, m), zeros elsewhere."""
    return leaf(np.eye(n, m, dtype=float_type(dtype)), **options)


@function
def arange(start, end=None, step=1, *, dtype=None, **options):
    """Numbers from `start` (0) up to, not including, `end`, `step` apart.

    int64 if all three are whole, else float32. Raises RuntimeError for a step that leads away.
    """
    start, end = (0, start) if end is None else (start, end)
    if step == 0 or (end - start) * step < 0:
        raise RuntimeError("arange: the step does not lead from the start to the end")
    numbers = np.arange(start, end, step)
    numpy_type = float_type(dtype or (dtypes.int64 if numbers.dtype.kind == "i" else None))
    return leaf(numbers.astype(numpy_type), **options)


@function
def linspace(start, end, steps, *, dtype=None, **options):
    """`steps` numbers, evenly spaced from `start` to `end`: shape (steps,)."""
    return leaf(np.linspace(start, end, steps).astype(float_type(dtype)), **options)
