"""Elements in another order or repeated, in new memory: flip, roll, repeat, triangles."""

import numpy as np

from ..inplace import apply_in_place
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .arguments import plain, sizes, some_dims, warn_once
from .convert import CloneRows, row_by_row
from .reduce import Sum
from .registry import both, function, method
from .shape import Reshape


class Flip(Operation):
    """Some dimensions in reverse order."""

    called = {"dims": "dims"}

    def forward(x, dims):
        return np.flip(x, dims).copy("K")

    def grad_x(g, dims):
        return Flip(g, dims)


class Roll(Operation):
    """Elements moved along, those at the end coming round to the start."""

    called = {"dims": "dims"}

    def forward(x, shifts, dims):
        return np.roll(row_by_row(x), shifts, dims)

    def grad_x(g, shifts, dims):
        return Roll(g, tuple(-s for s in shifts), dims)


class Rot90(Operation):
    """A quarter turn in the plane of two dimensions, `k` times."""

    called = {"dims": "dims"}

    def forward(x, k, dims):
        return np.rot90(x, k, dims).copy("K")

    def grad_x(g, k, dims):
        return Rot90(g, -k, dims)


class Repeat(Operation):
    """The whole tensor again and again along each dimension."""

    def forward(x, repeats):
        return np.tile(x, repeats)

    def grad_x(g, x_shape, repeats):
        lengths = (1,) * (len(repeats) - len(x_shape)) + x_shape
        apart = Reshape(g, tuple(n for pair in zip(repeats, lengths) for n in pair))
        return Reshape(Sum(apart, tuple(range(0, 2 * len(repeats), 2)), False), x_shape)


class Tril(Operation):
    """What is on and below a diagonal of the last two dimensions; zeros above."""

    def forward(x, diagonal):
        return row_by_row(np.tril(x, diagonal))

    def grad_x(g, diagonal):
        return Tril(g, diagonal)


class Triu(Operation):
    """What is on and above a diagonal of the last two dimensions; zeros below."""

    def forward(x, diagonal):
        return row_by_row(np.triu(x, diagonal))

    def grad_x(g, diagonal):
        return Triu(g, diagonal)


@method
def flip(self, *given, dims=None):
    """Some dimensions in reverse order; a copy of the same shape.

    RuntimeError if a dimension is named twice, IndexError for one that is not there. The same shape.
    """
    return Flip(self, some_dims(sizes("flip", given, dims), self.ndim))


@function(name="flip")
def _flip(input, dims):
    """Some dimensions in reverse order; a copy of the same shape."""
    return flip(input, dims=dims)


@both
def fliplr(input):
    """Left and right exchanged: the second dimension in reverse order; the same shape.

    RuntimeError for fewer than two dimensions.
    """
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@both
def flipud(input):
    """Up and down exchanged: the first dimension in reverse order; the same shape.

    RuntimeError for a 0-d tensor.
    """
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@both
def roll(input, shifts, dims=None):
    """Elements moved along by `shifts`; without `dims` in the flattened tensor.

    What leaves at one end comes back at the other; the same shape. RuntimeError unless there are as
    many shifts as dims; IndexError for a dimension of a 0-d tensor.
    """
    shifts = sizes("roll", (shifts,))
    dims = () if dims is None else sizes("roll", (dims,))
    if not shifts:
        raise RuntimeError("`shifts` required")
    if input._array.size == 0:
        return Roll(input, (), ())
    if not dims and len(shifts) == 1:
        return RollFlat(input, shifts[0])
    if len(shifts) != len(dims):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}"
        )
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    return Roll(input, shifts, tuple(wrap_dim(d, input.ndim) for d in dims))


class RollFlat(Operation, name="RollBackward0"):
    """Elements moved along in the flattened tensor."""

    def forward(x, shift):
        return np.roll(row_by_row(x), shift)

    def grad_x(g, shift):
        return RollFlat(g, -shift)


@both
def rot90(input, k=1, dims=(0, 1)):
    """Turned by `k` quarters, from the first of two dimensions towards the second.

    The two lengths change places if k is odd. RuntimeError unless two different dimensions are named.
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = [wrap_dim(dim, input.ndim) for dim in dims]
    if first == second:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return Rot90(input, k % 4, (first, second))


@method
def repeat(self, *given, repeats=None):
    """The tensor repeated along each dimension; new dimensions come in front.

    (2, 3) repeated (2, 1) times is (4, 3). RuntimeError for fewer numbers than dimensions, or negative
    ones. TypeError without any number.
    """
    repeats = sizes("repeat", given, repeats)
    if len(repeats) < self.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    if min(repeats, default=0) < 0:
        lengths = (1,) * (len(repeats) - self.ndim) + self._array.shape
        wanted = [n * r for n, r in zip(lengths, repeats)]
        wrong = next(n for n in wanted if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {wanted}")
    return Repeat(self, repeats)


@method
def tile(self, *given, dims=None):
    """`repeat`, with 1 for the dimensions left out in front: (2, 3) tiled (2) is (2, 6).

    The shape grows by these factors.
    """
    dims = sizes("tile", given, dims)
    return repeat(self, (1,) * (self.ndim - len(dims)) + dims)


@function(name="tile")
def _tile(input, dims):
    """The tensor repeated along its last dimensions, `dims` times each: (2, 3) tiled (2) is (2, 6)."""
    return tile(input, dims=dims)


@both
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each element (or slice of `dim`) repeated in place, a number of times or as a tensor says.

    Without `dim` the tensor is flattened first. RuntimeError for negative numbers, or not as many as
    there are slices.
    """
    if repeats is None:  # how often each position is repeated
        return plain(np.repeat(np.arange(input._array.size), input._array))
    if dim is None:
        input, dim = input.flatten(), 0
    dim = wrap_dim(dim, input.ndim)
    if not input.ndim:
        input = input.reshape(1)
    length = input._array.shape[dim]
    if isinstance(repeats, Tensor):
        times = repeats._array
        if times.ndim and len(times) not in (1, length):
            raise RuntimeError(
                "repeats must have the same size as input along dim, but got repeats.size(0) = "
                f"{len(times)} and input.size({dim}) = {length}"
            )
        if np.any(times < 0):
            raise RuntimeError("repeats can not be negative")
        return input.index_select(dim, plain(np.repeat(np.arange(length), times)))
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = input._array.shape
    wide = input.unsqueeze(dim + 1).expand(*shape[: dim + 1], repeats, *shape[dim + 1 :])
    return CloneRows(wide).view(*shape[:dim], length * repeats, *shape[dim + 1 :])


def _publish_triangle(name, operation):
    def checked(input):
        if input.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return input

    def call(input, diagonal=0):
        return operation(checked(input), diagonal)

    def in_place(self, diagonal=0):
        return apply_in_place(operation, checked(self), diagonal)

    call.__name__, in_place.__name__ = name, f"{name}_"
    call.__doc__ = f"""{operation.__doc__}

    The shape of `input`; the diagonal `diagonal` lies above the main one, negative ones below.
    RuntimeError for a vector.
    """
    both(call)
    method(in_place)


_publish_triangle("tril", Tril)
_publish_triangle("triu", Triu)


@function
def tril_indices(row, col, offset=0, *, dtype=None, device=None, requires_grad=False):
    """The positions on and below a diagonal: a row of row numbers over a row of column numbers.

    Shape (2, n) of int64. NotImplementedError for a dtype that is no int32 or int64.
    """
    return _positions("tril_indices", np.tril_indices(row, offset, col), dtype)


@function
def triu_indices(row, col, offset=0, *, dtype=None, device=None, requires_grad=False):
    """The positions on and above a diagonal: a row of row numbers over a row of column numbers.

    Shape (2, n) of int64. NotImplementedError for a dtype that is no int32 or int64.
    """
    return _positions("triu_indices", np.triu_indices(row, offset, col), dtype)


def _positions(name, found, dtype):
    found = make(np.stack(found))
    if dtype is not None and dtype.numpy not in (np.int32, np.int64):
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtype.tensor_name}'")
    return found if dtype is None else found.to(dtype)


@method
def fill_diagonal_(self, fill_value, wrap=False):
    """One number written on the main diagonal; with `wrap` again below a tall matrix's end.

    RuntimeError for fewer than two dimensions, or more of different lengths.
    """
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    shape = self._array.shape
    if self.ndim > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    rows, columns = shape[0], shape[-1]
    for start in range(0, rows if wrap and self.ndim == 2 else 1, columns + 1):
        part = self[start:] if start else self
        while part.ndim > 1:
            part = part.diagonal(0, 0, 1) if part.ndim == 2 else part.diagonal(0, 0, -1)
        part.fill_(fill_value)
    return self


# -- grids ----------------------------------------------------------------------------------------


@function
def meshgrid(*tensors, indexing=None):
    """Coordinates of a grid: each vector expanded along the dimensions of the others; views.

    Vectors (n) and (m) give two tensors (n, m), or (m, n) with indexing "xy". RuntimeError for more
    than one dimension or different dtypes.
    """
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tuple(tensors[0])
    if indexing is None:
        warn_once(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            "argument."
        )
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    for tensor in tensors:
        if tensor.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor}"
            )
        if tensor.dtype is not tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = tuple(tensor.numel() for tensor in tensors)
    grids = [
        tensor.view([-1 if d == k else 1 for k in range(len(shape))]).expand(shape)
        for d, tensor in enumerate(tensors)
    ]
    if swap:
        grids = [grids[1], grids[0], *grids[2:]]
    return tuple(grids)
