"""Views with a pattern of their own: windows, diagonals, strides; and matrices from diagonals."""

import numpy as np
from numpy.lib import stride_tricks

from ..inplace import Embed, ViewOperation
from ..operation import Operation
from ..tensor import wrap_dim
from .registry import both, method


class Unfold(ViewOperation):
    """All windows of one size along a dimension; the window is a new last dimension."""

    def forward(x, dim, size, step):
        if not x.ndim:
            return x.reshape(1)[:size]
        windows = stride_tricks.sliding_window_view(x, size, dim, writeable=True)
        return windows[(slice(None),) * dim + (slice(None, None, step),)]

    def grad_x(g, x_shape, dim, size, step):
        return Embed(g, x_shape, ((Unfold, (dim, size, step)),))


class Diagonal(ViewOperation):
    """The diagonal of two dimensions, which becomes the last dimension."""

    def forward(x, offset, dim1, dim2):
        diagonal = x.diagonal(offset, dim1, dim2)
        if x.flags.writeable:
            diagonal.flags.writeable = True  # NumPy hands it out read-only
        return diagonal

    def grad_x(g, x_shape, offset, dim1, dim2):
        return Embed(g, x_shape, ((Diagonal, (offset, dim1, dim2)),))


class DiagonalCopy(Operation, name="DiagonalBackward0_copy"):
    """The diagonal of a matrix in memory of its own."""

    def forward(x, offset):
        return x.diagonal(offset).copy()

    def grad_x(g, x_shape, offset):
        return Embed(g, x_shape, ((Diagonal, (offset, 0, 1)),))


class DiagEmbed(Operation):
    """Matrices of zeros, with the last dimension of `x` on a diagonal."""

    def forward(x, offset, dim1, dim2):
        n, shape = x.shape[-1] + abs(offset), list(x.shape[:-1])
        for dim in sorted((dim1, dim2)):
            shape.insert(dim, n)
        whole, places = np.zeros(shape, x.dtype), np.arange(x.shape[-1])
        matrices = np.moveaxis(whole, (dim1, dim2), (-2, -1))
        matrices[..., places + max(-offset, 0), places + max(offset, 0)] = x
        return whole

    def grad_x(g, offset, dim1, dim2):
        return Diagonal(g, offset, dim1, dim2)


class AsStridedView(ViewOperation, name="AsStridedBackward0"):
    """A view that is described by lengths, steps between neighbours, and a first element."""

    def forward(x, size, stride, offset):
        steps = [s * x.itemsize for s in stride]
        flat = x.reshape(-1)[offset:]
        return stride_tricks.as_strided(flat, size, steps)

    def grad_x(g, x_shape, size, stride, offset):
        return Embed(g, x_shape, ((AsStridedView, (size, stride, offset)),))


@method
def unfold(self, dimension, size, step):
    """All windows of `size` elements along a dimension, `step` apart; a view.

    Shape (*, windows, *, size): the windows' elements come last. RuntimeError if `size` is longer than
    the dimension or `step` is not positive.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Tensor.unfold.html
    """
    dim = wrap_dim(dimension, self.ndim)
    length = self._array.shape[dim] if self.ndim else 1
    if size > length:
        raise RuntimeError(
            f"maximum size for tensor at dimension {dim} is {length} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return Unfold(self, dim, size, step)


def _two_dims(dim1, dim2, ndim):
    dims = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if dims[0] == dims[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return dims


@both
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions, as the last dimension; a view.

    Shape (*, n); `offset` moves it up, negative ones down. RuntimeError if both dimensions are the
    same.
    """
    return Diagonal(input, offset, *_two_dims(dim1, dim2, input.ndim))


@both
def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with a vector on its diagonal; a copy.

    (n, m) gives (min(n, m)), and (n) gives (n, n), larger by the offset `diagonal`. RuntimeError for
    other shapes.
    """
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    return DiagonalCopy(input, diagonal)


@both
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices of zeros with the last dimension of `input` on a diagonal.

    (*, n) gives (*, n, n), larger by `offset`. RuntimeError if the two dimensions are the same.
    """
    return DiagEmbed(input, offset, *_two_dims(dim1, dim2, input.ndim + 1))


@both
def diagflat(input, offset=0):
    """A matrix with all elements on its diagonal: (*) gives (n, n) for n elements."""
    return diag_embed(input.reshape(-1), offset)


@both
def as_strided(input, size, stride, storage_offset=None):
    """A view of shape `size` described by steps between neighbours, counted in elements.

    RuntimeError if it would leave the tensor's memory, for negative steps, and if there are not as many
    steps as lengths.
    """
    size, stride, offset = tuple(size), tuple(stride), storage_offset or 0
    if any(s < 0 for s in stride):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)}"
        )
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    last = offset + sum((n - 1) * s for n, s in zip(size, stride))
    item, have = input._array.itemsize, input._array.nbytes
    if 0 not in size and (last + 1) * item > have:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
            f"itemsize {item} requiring a storage size of {(last + 1) * item} are out of bounds "
            f"for storage of size {have}"
        )
    if not input._array.flags.c_contiguous or (
        input._is_view() and input.data_ptr() != input._base.data_ptr()
    ):
        raise RuntimeError("as_strided: here only for contiguous tensors that start their memory")
    return AsStridedView(input, size, stride, offset)
