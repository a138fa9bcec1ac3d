"""Assignment: `x[...] = value`, `copy_`, `fill_`."""

import functools

import numpy as np

from .. import dtypes
from ..broadcasting import undo_broadcast
from ..inplace import _gapless as gapless
from ..inplace import apply_in_place, check, check_memory
from ..operation import Operation
from ..tensor import Tensor, make, meta_of
from .arguments import check_broadcast, zeros_like
from .registry import both, function, method, type_name, wrong_type
from .select import Index, basic, picked_shape, within_bounds
from .shape import expand


def on_a_copy(write, order="C"):
    """The `forward` of an operation that writes into its first operand: the same in new memory.

    That is laid out row by row, or, in the order "K", as the operand is.
    """

    @functools.wraps(write)
    def forward(x, *args):
        x = x.copy(order)
        write(x, *args)
        return x

    return forward


class IndexPut(Operation):
    """`x` with `y` written (or added) at an index of integer arrays or a mask."""

    tensor_params = ("index",)
    warns = "index_put_", "tensor[indices] = tensor"

    def write(x, y, index, accumulate):
        if accumulate:
            np.add.at(x, index, y)
        else:
            x[index] = y

    forward = on_a_copy(write, "K")

    def grad_x(g, index, accumulate):
        return g if accumulate else Blank(g, index)

    def grad_y(g, index, like_y):
        return undo_broadcast(Index(g, index), like_y.shape, like_y.dtype)


class Blank(Operation):
    """`x` with zeros at an index."""

    def write(x, index):
        x[index] = 0

    forward = on_a_copy(write)

    def grad_x(g, index):
        return Blank(g, index)


class Assign(Operation, name="CopyBackwards"):
    """What `x` becomes when `y` is copied into it: converted and expanded."""

    namespace = "torch::autograd::"

    def forward(x, y):
        return np.broadcast_to(y, x.shape).astype(x.dtype)

    def grad_x(g):
        return zeros_like(g)

    def grad_y(g, like_y):
        return undo_broadcast(g, like_y.shape, like_y.dtype)


class Fill(Operation, name="FillBackward2"):
    """What `x` becomes when one number is written everywhere."""

    fills = True

    def forward(x, value):
        return np.full_like(x, dtypes.fitting(value, x.dtype))

    def grad_x(g):
        return zeros_like(g)


class FillTensor(Operation, name="FillBackward3"):
    """What `x` becomes when the number in a 0-d tensor is written everywhere."""

    def forward(x, value):
        return np.full_like(x, value)

    def grad_x(g):
        return zeros_like(g)

    def grad_value(g, like_value):
        return undo_broadcast(g, (), like_value.dtype)


class Zero(Operation):
    """What `x` becomes when zeros are written everywhere."""

    fills = True

    def forward(x):
        return np.zeros_like(x)

    def grad_x(g):
        return zeros_like(g)


@method
def __setitem__(self, index, value):
    """`x[index] = value`, in place: a number, or a tensor that can be expanded to what was picked.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Tensor.index_put_.html
    """
    if not isinstance(value, Tensor):
        value = _number(self, value)
    if isinstance(index, bool):
        if index:
            _copy_to(self.unsqueeze(0), value)
        return
    target, arrays = basic(self, index if isinstance(index, (tuple, list)) else (index,))
    if arrays is None:
        _copy_to(target, value)
        return
    check(target, target.requires_grad or value.requires_grad)  # before all else
    masks = [a for a in arrays if isinstance(a, np.ndarray)]
    if len(masks) == 1 and masks[0].dtype == bool and value._array.size == 1:
        # One number where a mask holds: PyTorch takes it from any dtype.
        apply_in_place(IndexPut, target, value.reshape(()), arrays, False)
        return
    # A mask is read before anything is written.
    indices = [a for a in arrays if isinstance(a, np.ndarray) and a.dtype != bool]
    refuse_overlap(target._array, [value._array, *indices])
    value = _without_leading_ones(value)
    arrays = check_put(target._array.shape, arrays, value)
    if value._array.dtype != self._array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{self.dtype.tensor_name} for the destination and {value.dtype.tensor_name} for the "
            "source."
        )
    apply_in_place(IndexPut, target, value, arrays, False)


def refuse_overlap(target, others):
    """Refuse to write at an index where the value or the index itself is in the same memory."""
    for other in others:
        if isinstance(other, np.ndarray):
            overlap = other.size and target.size and np.may_share_memory(target, other)
            if other is target or overlap and gapless(target) and gapless(other):
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to "
                    "tensor refer to a single memory location. Please clone() the tensor before "
                    "performing the operation."
                )


def check_put(shape, arrays, value):
    """The index of arrays where a value is to be written; refused if it does not fit there."""
    wanted = picked_shape(shape, arrays)
    try:
        np.broadcast_to(value._array, wanted)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value._array.shape)} cannot be broadcast "
            f"to indexing result of shape {list(wanted)}"
        ) from None
    return within_bounds(shape, arrays, wanted)


def _number(x, value):
    """A Python number as a 0-d tensor of the type of `x`."""
    if isinstance(value, complex):
        kind = "int64_t" if x.dtype is dtypes.int64 else dtypes.CXX_NAMES[x.dtype.tensor_name]
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    if not isinstance(value, (int, float, np.integer)):
        raise TypeError(
            f"can't assign a {type_name(value)} to a torch.{x.dtype.tensor_name}Tensor"
        )
    return make(np.asarray(dtypes.fitting(value, x._array.dtype)))


def _copy_to(target, value):
    """Fill with one number, or copy what can be expanded."""
    if value._array.shape == target._array.shape:
        return copy_(target, value)
    if value.ndim == 0:
        return fill_(target, value)
    return copy_(target, expand(_without_leading_ones(value), target._array.shape))


def _without_leading_ones(value):
    """Leading dimensions of length 1 may be there in a value and are dropped."""
    shape = value._array.shape
    while shape and shape[0] == 1:
        shape = shape[1:]
    return value if shape == value._array.shape else value.reshape(shape)


@method
def __delitem__(self, index):
    """Refused: elements cannot be deleted."""
    raise TypeError("Tensor does not support deleting items")


def _same_elements(a, b):
    """Whether two arrays are the same elements in the same order."""
    place = [(x.__array_interface__["data"][0], x.shape, x.strides, x.dtype) for x in (a, b)]
    return place[0] == place[1]


@method(also={"other": "src"})
def copy_(self, src, non_blocking=False):
    """The elements of `src`, broadcast and converted, written into the tensor.

    RuntimeError if `src` does not broadcast to its shape, TypeError for what is no tensor or number.
    """
    if isinstance(src, (int, float)):
        src = _number(self, src)
    if not isinstance(src, Tensor):
        raise wrong_type("copy_", "other", 1, src)
    if not self.is_floating_point():
        src = src.detach()  # converted to integers: there is nothing to differentiate
    check(self, self.requires_grad or src.requires_grad)
    same = _same_elements(self._array, src._array)
    if not same:
        check_memory(self, [src])
    shape, other = self._array.shape, src._array.shape
    check_broadcast(shape, other)
    common = np.broadcast_shapes(shape, other)
    if common != shape:
        raise RuntimeError(
            f"output with shape {list(shape)} doesn't match the broadcast shape {list(common)}"
        )
    if same and not (self.requires_grad or src.requires_grad):
        meta_of(self).version.n += 1  # nothing moves, wherever the elements lie
        return self
    return apply_in_place(Assign, self, src)


@both
def fill_(self, value):
    """One number written everywhere: a Python number or a 0-d tensor.

    RuntimeError for a tensor with dimensions, TypeError for what is no number.
    """
    if not isinstance(value, Tensor):
        if not isinstance(value, (int, float, np.number)):
            wrong = f"some of the arguments have invalid types: (!{type_name(value)}!)"
            raise TypeError(
                f"fill_() received an invalid combination of arguments - got ({type_name(value)}), but "
                f"expected one of:\n * (Tensor value)\n      didn't match because {wrong}\n"
                f" * (Number value)\n      didn't match because {wrong}\n"
            )
        return apply_in_place(Fill, self, value)
    if value.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value.ndim} dimensions."
        )
    return apply_in_place(FillTensor, self, value)


@both
def zero_(self):
    """Zeros written everywhere."""
    return apply_in_place(Zero, self)


@function
def fill(input, value):
    """A tensor in the shape and dtype of `input`, filled with one number.

    RuntimeError for a number that is a tensor with dimensions.
    """
    return (FillCopyTensor if isinstance(value, Tensor) else FillCopy)(input, value)


class FillCopy(Fill, name="FillBackward0"):
    """`fill`, in new memory."""


class FillCopyTensor(FillTensor, name="FillBackward1"):
    """`fill` with the number in a 0-d tensor, in new memory."""


@method
def apply_(self, callable):
    """Every element replaced by what a Python function makes of it; not recorded.

    RuntimeError for a tensor that requires grad.
    """
    return _elements("apply_", self, map(callable, self._array.reshape(-1).tolist()))


@method(also={"other": "tensor"})
def map_(self, tensor, callable):
    """Every element replaced by what a function of it and another tensor's element makes.

    The other broadcasts to this one's shape. RuntimeError for a tensor that requires grad.
    """
    others = tensor.expand(self._array.shape)._array.reshape(-1).tolist()
    return _elements("map_", self, map(callable, self._array.reshape(-1).tolist(), others))


def _elements(name, x, numbers):
    if x.requires_grad:
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )
    found = np.array(list(numbers), x._array.dtype).reshape(x._array.shape)
    return copy_(x, make(found))
