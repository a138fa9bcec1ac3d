"""Reading and writing where a mask holds."""

import math

import numpy as np

from .. import dtypes
from ..broadcasting import undo_broadcast
from ..inplace import check_result
from ..operation import Operation
from ..tensor import Tensor, make
from .arguments import check_broadcast
from .convert import constant, row_by_row
from .registry import both, wrong_type
from .scatter import array_of, one_number, publish_writing
from .select import PlaceAdd, Where
from .shape import Reshape


class MaskedSelect(Operation):
    """The elements where a mask of the same shape holds, in one line."""

    tensor_params = ("mask",)

    def forward(x, mask):
        return x[mask]

    def grad_x(g, x_shape, mask):
        return PlaceAdd(g, x_shape, array_of(mask))


class MaskedFill(Operation):
    """One number where a mask holds, `x` elsewhere."""

    broadcasts = True
    tensor_params = ("mask",)
    warns = "masked_fill_", "tensor[mask] = scalar"

    def forward(x, mask, value):
        value = value.item() if isinstance(value, np.ndarray) else value
        return np.where(mask, dtypes.fitting(value, x.dtype), row_by_row(x))

    def write(x, mask, value):
        value = value.item() if isinstance(value, np.ndarray) else value
        np.copyto(x, dtypes.fitting(value, x.dtype), where=mask)

    def grad_x(g, mask):
        return Where(mask, 0, g)


class MaskedFillTensor(MaskedFill, name="MaskedFillBackward1"):
    """`MaskedFill` with a number that is a 0-d tensor."""

    def grad_value(g, mask):
        return Where(mask, g, 0)


class MaskedScatter(Operation):
    """Where a mask holds the elements of `y`, one after the other, and `x` elsewhere."""

    tensor_params = ("mask",)

    def forward(x, mask, y):
        x = np.broadcast_to(x, mask.shape).copy()
        x[mask] = y.reshape(-1)[: np.count_nonzero(mask)]
        return x

    def grad_x(g, mask, x_shape):
        return undo_broadcast(Where(mask, 0, g), x_shape, array_of(g).dtype)

    def grad_y(g, mask, y_shape):
        taken = g[mask]
        first = PlaceAdd(taken, (math.prod(y_shape),), (slice(len(taken)),))
        return Reshape(first, y_shape)


@both
def masked_select(input, mask):
    """The elements where a bool mask holds (the two broadcast), in one line.

    Shape (n), n as often as the mask holds. RuntimeError for a mask that is not bool, or does not
    broadcast.
    """
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    check_broadcast(mask._array.shape, input._array.shape)
    shape = np.broadcast_shapes(input._array.shape, mask._array.shape)
    return MaskedSelect(input.expand(shape) if input._array.shape != shape else input,
                        make(np.broadcast_to(mask._array, shape)))  # fmt: skip


def _masked_fill(self, mask, value):
    with_tensor = one_number("masked_fill_", value)
    if mask._array.dtype.kind != "b":
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.CXX_NAMES[mask.dtype.tensor_name]}"
        )
    if with_tensor:
        return MaskedFillTensor, mask, value
    if constant(value, self) is None:
        raise wrong_type("masked_fill", "value", 2, value, "Number")
    return MaskedFill, mask, value


def _masked_scatter(self, mask, source):
    if mask._array.dtype.kind != "b":
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, but got mask with dtype "
            f"{mask.dtype.tensor_name}"
        )
    if self._array.dtype != source._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{self.dtype.tensor_name} and {source.dtype.tensor_name}"
        )
    check_broadcast(mask._array.shape, self._array.shape)
    whole = np.broadcast_to(mask._array, np.broadcast_shapes(mask._array.shape, self._array.shape))
    if np.count_nonzero(whole) > source._array.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return MaskedScatter, make(whole), source


def _check_scattered(self, mask, source):
    """Refuse a mask that would make the tensor larger."""
    mask.expand(self._array.shape)


def _check_masked(self, mask, value):
    """Refuse a mask that would make the tensor larger."""
    check_broadcast(self._array.shape, mask._array.shape)
    check_result(self, np.broadcast_arrays(self._array, mask._array)[0])


publish_writing("masked_fill", _masked_fill, "One number written where a bool mask holds.", _check_masked)
publish_writing(
    "masked_scatter", _masked_scatter, "The elements of `source` written where a mask holds.",
    _check_scattered,
)  # fmt: skip


@both
def nonzero(input, *, as_tuple=False):
    """The positions of what is not zero, one to a row; with `as_tuple` a tensor for each dimension.

    Shape (n, ndim), or ndim tensors (n); int64, no gradient.
    """
    array = input._array
    if as_tuple:
        return make(np.argwhere(array.reshape(-1) if not array.ndim else array)).unbind(1)
    return make(np.argwhere(array))


@both
def argwhere(input):
    """The positions of what is not zero, one to a row: (n, ndim) of int64, no gradient."""
    return nonzero(input)
