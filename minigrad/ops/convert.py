"""Copies and conversions: `clone`, `to`, `float`, `double`, `contiguous`."""

import functools

import numpy as np

from .. import dtypes
from ..operation import Operation, quietly
from ..properties import need_cpu
from ..tensor import Tensor, make
from .registry import both, method


class Clone(Operation):
    """The same numbers in memory of their own."""

    def forward(x):
        return np.array(x)

    def grad_x(g):
        return g


class CopyBackwards(Clone, name="CopyBackwards"):
    """The copy of a gradient that becomes a leaf's `.grad` in a recorded pass."""

    namespace = "torch::autograd::"


class CloneRows(Clone, name="CloneBackward0"):
    """The same numbers in memory of their own, row by row."""

    def forward(x):
        return np.array(x, order="C")


class ToCopy(Operation):
    """The same numbers in another element type."""

    def forward(x, dtype):
        return x.astype(dtype)

    def grad_x(g, like_x):
        return cast(g, like_x.dtype)


def row_by_row(array):
    """A result in C order where PyTorch lays it out so, whatever its operands' order was."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def in_image_order(forward):
    """For operations on images (N, C, *space): channels come last in memory where those of `x` do.

    So do photos (N, height, width, C) that were permuted. All else is laid out row by row.
    """

    @functools.wraps(forward)
    def laid(x, *args):
        found = row_by_row(forward(x, *args))
        if x.flags.c_contiguous or not channels_last(x):
            return found
        return np.moveaxis(np.moveaxis(found, 1, -1).copy(), -1, 1)

    return laid


def channels_last(x):
    """Whether an array (N, C, *space) lies in memory as (N, *space, C)."""
    if x.ndim not in (4, 5) or x.size == 0 or x.strides[1] == 0:
        return False
    least = 0
    for d in (1, *range(x.ndim - 1, 1, -1), 0):
        if x.strides[d] < least or d == 0 and least == x.strides[1]:
            return False
        least = x.strides[d] * x.shape[d]
    return True


def cast(x, dtype):
    """`x`, array or tensor, in the NumPy type `dtype`; itself if it already is."""
    if isinstance(x, Tensor):
        return x if x._array.dtype == dtype else ToCopy(x, dtype)
    return x if x.dtype == dtype else quietly(x.astype, dtype)


@both
def clone(input, *, memory_format=None):
    """A copy with memory of its own and the same shape; gradients flow through it to `input`."""
    return Clone(input)


@method
def to(self, *args, dtype=None, copy=False, device=None, non_blocking=False):
    """The tensor in another dtype (`x.to(torch.float64)`) or that of another tensor.

    Of the same shape; itself if nothing changes, unless `copy`. Gradients flow back in the old dtype.
    RuntimeError for a device other than the CPU (AssertionError for cuda).
    """
    for arg in args:
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, dtypes.dtype) or arg in (float, int, bool):
            dtype = arg
        elif isinstance(arg, bool):
            pass
        else:
            device = arg
    need_cpu(device)
    wanted = self._array.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    if wanted == self._array.dtype:
        return Clone(self) if copy else self
    return ToCopy(self, wanted)


@method
def type_as(self, other):
    """The tensor in the dtype of `other`; itself, in the same shape, if it already is."""
    return to(self, other.dtype)


@method
def cpu(self):
    """The tensor itself: it is on the CPU, and keeps its shape."""
    return self


@method
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Refused: there is no device but the CPU, so this is an AssertionError."""
    need_cpu("cuda")


@both
def contiguous(self, *, memory_format=None):
    """The tensor with its elements row by row in memory; itself if they are. The same shape."""
    return self if self._array.flags.c_contiguous else CloneRows(self)


def _conversion(name, dtype):
    def convert(self):
        return to(self, dtype)

    convert.__name__ = name
    convert.__doc__ = f"The tensor as {dtype}, in the same shape; itself if it already is."
    method(convert)


for _name, _dtype in {
    "half": dtypes.float16, "float": dtypes.float32, "double": dtypes.float64, "bool": dtypes.bool,
    "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32,
    "long": dtypes.int64,
}.items():  # fmt: skip
    _conversion(_name, _dtype)


constants = {}  # (number, its class, number of the NumPy type) -> 0-d tensor


def constant(number, like):
    """A Python number as a 0-d tensor, in the type it takes beside the tensor `like`.

    Returns None for what is no number. Small programs use the same few numbers over and over, so
    they are kept.
    """
    kind, dtype = number.__class__, like._array.dtype
    if dtype.kind == "f" and (kind is float or kind is int):
        known = constants.get((number, kind, dtype.num))
        if known is not None:
            return known
    elif isinstance(number, np.generic):
        number = number.item()
        kind = number.__class__
    if kind is not float and not isinstance(number, (float, int)):
        return None
    dtype = dtypes.result_numpy(like._array, number)
    if kind is int and not -(2**63) <= number < 2**63:
        raise OverflowError("int too big to convert")
    with np.errstate(over="ignore"):  # too large for the type: inf
        found = make(np.array(number).astype(dtype))
    found._number = number  # as it was written: 2 is not 2.0 when a node tells what it saved
    if number and dtype.kind == "f" and abs(number) < 2**63:  # 0.0 and -0.0 would share a place
        if len(constants) > 1000:
            constants.clear()
        constants[number, kind, dtype.num] = found
    return found
