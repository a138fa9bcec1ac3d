"""Several tensors made one: cat, stack and their relatives."""

import builtins
import functools
import itertools

import numpy as np

from .. import dtypes
from ..grad_mode import mode
from ..graph import Node, edge, placed
from ..tensor import Tensor, make, new, wrap_dim
from .arguments import check_broadcast, plain
from .convert import cast, channels_last, row_by_row
from .rearrange import meshgrid
from .registry import function, type_name, wrong_type
from .select import Select, Slice
from .shape import Reshape, atleast_1d, atleast_2d, atleast_3d


class Joining(Node):
    """The node of an operation on a list of tensors, each of which gets a part of the gradient."""

    __slots__ = ("dim", "likes")
    _saved_dim = property(lambda node: node.dim)

    def __new__(cls, tensors, dim):
        if not any(isinstance(tensor, Tensor) for tensor in tensors):
            return cls.join(tensors, dim)
        arrays = [tensor._array for tensor in tensors]
        dtype = functools.reduce(dtypes.promote, [array.dtype for array in arrays])
        result = make(cls.join([cast(array, dtype) for array in arrays], dim))
        needs = [mode.enabled and tensor.requires_grad for tensor in tensors]
        if builtins.any(needs) and dtype.kind == "f":
            edges = [edge(t) if need else None for t, need in zip(tensors, needs)]
            node = result._node = placed(new(cls), *edges)
            node.dim = dim
            node.likes = [(array.shape, array.dtype) for array in arrays]
            result._requires_grad = True
        return result

    def apply(self, g, create_graph):
        """The gradients of the operands, None where none is needed."""
        if g is None:
            return [None] * len(self._next)
        parts = type(self).part(g, self.dim, [shape for shape, _ in self.likes])
        return [
            cast(part(), dtype) if n else None
            for n, part, (_, dtype) in zip(self._next, parts, self.likes)
        ]


class Cat(Joining, name="CatBackward0"):
    """Tensors one after the other along a dimension."""

    def join(arrays, dim):
        found = np.concatenate([a for a in arrays if a.shape != (0,)] or arrays, axis=dim)
        return found if builtins.all(map(channels_last, arrays)) else row_by_row(found)

    def part(g, dim, shapes):
        parts, start = [], 0
        for shape in shapes:
            length = 0 if shape == (0,) and g.ndim > 1 else shape[dim]
            parts.append(functools.partial(_cut, g, dim, start, length, shape))
            start += length
        return parts


class Stack(Joining, name="StackBackward0"):
    """Tensors of one shape side by side along a new dimension."""

    def join(arrays, dim):
        return row_by_row(np.stack(arrays, axis=dim))

    def part(g, dim, shapes):
        return [functools.partial(Select, g, dim, i) for i in range(len(shapes))]


class BlockDiag(Joining, name="BlockDiagBackward0"):
    """Matrices along the diagonal of a larger one."""

    def join(arrays, dim):
        shapes = _block_shapes([a.shape for a in arrays])
        whole = np.zeros(np.sum(shapes, axis=0, dtype=int), arrays[0].dtype)
        for array, shape, (row, column) in zip(arrays, shapes, _corners(shapes)):
            whole[row : row + shape[0], column : column + shape[1]] = array
        return whole

    def part(g, dim, shapes):
        blocks = _block_shapes(shapes)
        return [
            functools.partial(_block, g, corner, block, shape)
            for corner, block, shape in zip(_corners(blocks), blocks, shapes)
        ]


def _cut(g, dim, start, length, shape):
    return Reshape(Slice(g, dim, start, start + length, 1), shape)


def _block(g, corner, block, shape):
    rows = Slice(g, 0, corner[0], corner[0] + block[0], 1)
    return Reshape(Slice(rows, 1, corner[1], corner[1] + block[1], 1), shape)


def _block_shapes(shapes):
    return [(1,) * (2 - len(shape)) + shape for shape in shapes]


def _corners(shapes):
    return [(0, 0), *np.cumsum(shapes, axis=0)[:-1].tolist()]


# -- public names ---------------------------------------------------------------------------------


def _list_of_tensors(name, tensors):
    if isinstance(tensors, (Tensor, str)) or not hasattr(tensors, "__iter__"):
        raise wrong_type(name, "tensors", 1, tensors, "tuple of Tensors")
    tensors = list(tensors)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type_name(tensor)}"
            )
    return tensors


@function
def cat(tensors, dim=0):
    """Tensors joined along an existing dimension `dim`.

    Shapes are equal but along `dim`; the result has the largest dtype. RuntimeError for other shapes
    and 0-d tensors, ValueError for an empty list, TypeError for what is no tensor.
    """
    tensors = _list_of_tensors("cat", tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, tensor in enumerate(tensors):
        if tensor.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    first = next((t for t in tensors if t._array.shape != (0,)), tensors[0])._array.shape
    dim = 0 if first == (0,) else wrap_dim(dim, len(first))  # of these PyTorch takes any
    for i, tensor in enumerate(tensors):
        shape = tensor._array.shape
        if shape == (0,):
            continue
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for d, (a, b) in enumerate(zip(first, shape)):
            if a != b and d != dim:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but "
                    f"got size {b} for tensor number {i} in the list."
                )
    return Cat(tensors, dim)


function(cat, name="concat")
function(cat, name="concatenate")


@function
def stack(tensors, dim=0):
    """Tensors of one shape joined along a new dimension `dim`.

    n tensors of shape (*) give (n, *) for dim 0. RuntimeError for different shapes or an empty list.
    """
    tensors = _list_of_tensors("stack", tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = list(tensors[0]._array.shape)
    for i, tensor in enumerate(tensors):
        if list(tensor._array.shape) != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {first} at entry 0 and "
                f"{list(tensor._array.shape)} at entry {i}"
            )
    return Stack(tensors, wrap_dim(dim, len(first) + 1))


def _publish_stack(name, prepare, says):
    def call(tensors):
        tensors = _list_of_tensors(name, tensors)
        if not tensors:
            raise RuntimeError(f"{name} expects a non-empty TensorList")
        prepared, dim = prepare(tensors)
        return cat(prepared, dim)

    call.__name__ = name
    call.__doc__ = f"""{says}

    RuntimeError for an empty list or shapes that differ elsewhere, TypeError for what is no tensor.
    """
    function(call)


def _horizontal(tensors):
    tensors = [atleast_1d(tensor) for tensor in tensors]
    return tensors, 0 if tensors[0].ndim == 1 else 1


_publish_stack(
    "hstack",
    _horizontal,
    "Tensors side by side, along the second dimension: (n, a) and (n, b) give (n, a + b).",
)
_publish_stack(
    "vstack",
    lambda ts: ([atleast_2d(t) for t in ts], 0),
    "Tensors one below the other: (a, n) and (b, n) give (a + b, n).",
)
_publish_stack(
    "row_stack",
    lambda ts: ([atleast_2d(t) for t in ts], 0),
    "The same as `vstack`: (a, n) and (b, n) give (a + b, n).",
)
_publish_stack(
    "dstack",
    lambda ts: ([atleast_3d(t) for t in ts], 2),
    "Tensors one behind the other: (n, m, a) and (n, m, b) give (n, m, a + b).",
)
_publish_stack(
    "column_stack",
    lambda ts: ([t.reshape(t.numel(), 1) if t.ndim <= 1 else t for t in ts], 1),
    "Vectors as the columns of a matrix: (n) and (n) give (n, 2).",
)


@function
def block_diag(*tensors):
    """Matrices along the diagonal of a larger one, zeros elsewhere.

    Its shape is the sum of theirs; vectors and numbers count as rows. RuntimeError for more than two
    dimensions.
    """
    for i, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{i} has {tensor.ndim} dimensions"
            )
    return BlockDiag(list(tensors), 0) if tensors else make(np.empty((1, 0), dtypes.get_default_dtype().numpy))


@function
def cartesian_prod(*tensors):
    """All combinations of one element from each vector, one to a row: (combinations, vectors)."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return tensors[0]
    return stack([grid.flatten() for grid in meshgrid(*tensors, indexing="ij")], 1)


@function
def combinations(input, r=2, with_replacement=False):
    """All choices of `r` elements of a vector, in order, one to a row: (choices, r).

    RuntimeError for what is no vector.
    """
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r == 0:
        return input.new_empty((0,))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = list(choose(range(len(input)), r))
    index = np.array(chosen, dtype=np.int64).reshape(len(chosen), r)
    return stack([input.index_select(0, plain(column)) for column in index.T], 1)


@function
def broadcast_tensors(*tensors):
    """Tensors expanded to the one shape that they have together; views.

    RuntimeError if shapes do not broadcast.
    """
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tensors[0]
    shape = ()
    for tensor in tensors:
        check_broadcast(shape, tensor._array.shape)
        shape = np.broadcast_shapes(shape, tensor._array.shape)
    return tuple([t if t._array.shape == shape else t.expand(shape) for t in tensors])


@function
def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes have together after broadcasting.

    RuntimeError if they do not broadcast.
    """
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    found = [1] * max(map(len, shapes), default=0)
    for which, shape in enumerate(shapes):
        for back in range(-1, -1 - len(shape), -1):
            if shape[back] != 1 and found[back] not in (1, shape[back]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[back]} at {back}! "
                    f"Mismatching argument at index {which} had {shape}; but expected shape should "
                    f"be broadcastable to {found}"
                )
            if shape[back] != 1:
                found[back] = shape[back]
    return dtypes.Size(found)


@function
def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector: a row for each element, the highest power first.

    (n) gives (n, N), N is n if not given. RuntimeError for what is no vector.
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    x = x if x.is_floating_point() else x.long()
    powers = range(len(x) if N is None else N)
    columns = stack([x**n for n in powers], -1)
    return columns if increasing else columns.flip(1)
