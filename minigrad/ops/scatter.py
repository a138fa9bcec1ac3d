"""Reading and writing at index tensors: gather, scatter, index_add and their like."""

import math

import numpy as np

from ..broadcasting import undo_broadcast
from ..operation import Operation
from ..tensor import Tensor, make, wrap_dim
from .arguments import change, check_broadcast, fitting, scaled
from .assign import Blank, IndexPut, check_put, on_a_copy, refuse_overlap
from .convert import row_by_row
from .reduce import SumAll
from .registry import both, explain, method
from .select import PlaceAdd, index_arrays
from .shape import Reshape


def array_of(x):
    """The array of a tensor; an array as it is."""
    return x._array if isinstance(x, Tensor) else x


def along(shape, dim, index):
    """The NumPy index of `gather`: `index` along one dimension, the same place in the others.

    `index` is an array or tensor with as many dimensions as the array of that shape has, at least one;
    if there are no positions in it, as many as it likes.
    """
    index = array_of(index)
    if not index.size:
        return (np.zeros(index.shape, np.int64),) * len(shape)
    return tuple(
        index
        if d == dim
        else np.arange(n).reshape([-1 if k == d else 1 for k in range(index.ndim)])
        for d, n in enumerate(index.shape)
    )


def line(x):
    """What is 0-d as a line of one element; in an array it is the same memory."""
    return x if x.ndim else Reshape(x, (1,))


def lines(ndim, dim, index):
    """The NumPy index of `index_select`: whole slices at the positions `index` of one dimension."""
    index = array_of(index)
    return (slice(None),) * dim + (index.reshape(-1),) if ndim else ()


# -- reading --------------------------------------------------------------------------------------


class Gather(Operation):
    """`out[i][j] = x[index[i][j]][j]` for dim 0: elements picked along one dimension."""

    tensor_params = ("index",)

    def forward(x, dim, index):
        return line(x)[along(line(x).shape, dim, line(index))].reshape(index.shape)

    def grad_x(g, x_shape, dim, index):
        whole, index = x_shape or (1,), line(array_of(index))
        g = Reshape(g, index.shape)
        return Reshape(PlaceAdd(g, whole, along(whole, dim, index)), x_shape)


class IndexSelect(Operation):
    """Whole slices picked along one dimension."""

    tensor_params = ("index",)

    def forward(x, dim, index):
        return row_by_row(x[lines(x.ndim, dim, index)])

    def grad_x(g, x_shape, dim, index):
        return PlaceAdd(g, x_shape, lines(len(x_shape), dim, index))


class Take(Operation):
    """Elements picked by their number in the flattened tensor."""

    tensor_params = ("index",)

    def forward(x, index):
        return x.reshape(-1)[index]

    def grad_x(g, x_shape, index):
        return Reshape(PlaceAdd(g, (math.prod(x_shape),), (array_of(index),)), x_shape)


# -- writing: a rule blanks what was overwritten --------------------------------------------------


class Scatter(Operation):
    """`x` with the leading part of `y` written along one dimension at the positions `index`."""

    tensor_params = ("index",)

    def write(x, dim, index, y):
        if index.size:
            line(x)[along(line(x).shape, dim, line(index))] = leading(y, index)

    forward = on_a_copy(write)

    def grad_x(g, dim, index):
        return blanked(g, dim, index)

    def grad_y(g, dim, index, y_shape):
        return source_of(Gather(g, dim, index), y_shape, "ScatterBackward0")


def leading(y, index):
    """The part of the array `y`, at least a line, that an index of this shape refers to."""
    return line(y)[tuple(map(slice, line(index).shape))]


def source_of(g, shape, name):
    """The gradient of a source of this shape; PyTorch has none where only a part of it was taken."""
    found = g.shape
    if len(shape) > len(found) or any(n not in (1, m) for n, m in zip(shape[::-1], found[::-1])):
        raise RuntimeError(
            f"Function {name} returned an invalid gradient at index 1 - got {list(found)} but expected "
            f"shape compatible with {list(shape)}"
        )
    return undo_broadcast(g, shape, array_of(g).dtype)


class ScatterScalar(Operation, name="ScatterBackward1"):
    """`x` with one number written at the positions `index`."""

    tensor_params = ("index",)

    def write(x, dim, index, value):
        line(x)[along(line(x).shape, dim, line(index))] = value

    forward = on_a_copy(write)

    def grad_x(g, dim, index):
        return blanked(g, dim, index)


def blanked(g, dim, index):
    """`g` with zeros along one dimension at the positions `index`."""
    places = along(line(g).shape, dim, line(array_of(index)))
    return Reshape(Blank(line(g), places), g.shape)


class ScatterAdd(Operation):
    """`x` with `y` added at the positions `index`, as often as they are named."""

    tensor_params = ("index",)

    def write(x, dim, index, y):
        if index.size:
            np.add.at(line(x), along(line(x).shape, dim, line(index)), leading(y, index))

    forward = on_a_copy(write)

    def grad_x(g):
        return g

    def grad_y(g, dim, index, y_shape):
        return source_of(Gather(g, dim, index), y_shape, "ScatterAddBackward0")


class IndexAdd(Operation):
    """`x` with `alpha` times the slices of `y` added at the positions `index`."""

    tensor_params = ("index",)

    def write(x, dim, index, y, alpha):
        np.add.at(line(x), lines(line(x).ndim, dim, index), scaled(line(y), alpha))

    forward = on_a_copy(write)

    def grad_x(g):
        return g

    def grad_y(g, dim, index, alpha, y_shape):
        return Reshape(line(g)[lines(line(g).ndim, dim, index)], y_shape) * alpha


class IndexCopy(Operation):
    """`x` with the slices of `y` written at the positions `index`."""

    tensor_params = ("index",)

    def write(x, dim, index, y):
        line(x)[lines(line(x).ndim, dim, index)] = line(y)

    forward = on_a_copy(write)

    def grad_x(g, dim, index):
        return Reshape(Blank(line(g), lines(line(g).ndim, dim, index)), g.shape)

    def grad_y(g, dim, index, y_shape):
        _check_scalar(g, index)
        return Reshape(line(g)[lines(line(g).ndim, dim, index)], y_shape)


class Put(Operation):
    """`x` with `y` written (or added) at positions of the flattened tensor."""

    tensor_params = ("index",)

    def write(x, index, y, accumulate):
        places, y = numbered(line(x).shape, index), y.reshape(index.shape)
        if accumulate:
            np.add.at(line(x), places, y)
        else:
            line(x)[places] = y

    forward = on_a_copy(write, "K")

    def grad_x(g, index, accumulate):
        places = numbered(line(g).shape, array_of(index))
        return g if accumulate else Reshape(Blank(line(g), places), g.shape)

    def grad_y(g, index, y_shape):
        return Reshape(Take(g, index), y_shape)


def numbered(shape, index):
    """The NumPy index of positions in the flattened array of that shape."""
    return np.unravel_index(index % max(math.prod(shape), 1), shape)


class IndexFill(Operation):
    """`x` with one number written at the slices `index`."""

    tensor_params = ("index",)
    warns = "index_fill_", "tensor[mask] = scalar"

    def write(x, dim, index, value):
        line(x)[lines(line(x).ndim, dim, index)] = value

    forward = on_a_copy(write, "K")

    def grad_x(g, dim, index):
        return Reshape(Blank(line(g), lines(line(g).ndim, dim, index)), g.shape)


class IndexFillTensor(IndexFill, name="IndexFillBackward1"):
    """`IndexFill` with a number that is a 0-d tensor."""

    def grad_value(g, dim, index):
        return SumAll(g - IndexFill.grad_x(g, dim, index))


# -- checks ---------------------------------------------------------------------------------------


def check_index(name, x, dim, index, source=None):
    """Refuse an index tensor that `gather` and `scatter` cannot use."""
    if index._array.size == 0:
        return
    if index._array.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    what = "input" if name == "gather" else "self"
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {what} tensor")
    shape, have = list(index._array.shape), list(x._array.shape)
    too_long = [d for d, (n, m) in enumerate(zip(shape, have)) if d != dim and n > m]
    if name == "gather" and too_long:
        raise RuntimeError(
            f"Size does not match at dimension {too_long[0]} expected index {shape} to be no "
            f"larger than self {have} apart from dimension {dim}"
        )
    if source is None:
        if too_long:
            raise RuntimeError(
                f"Expected index {shape} to be no larger than self {have} apart from dimension {dim}"
            )
    else:
        other = list(source._array.shape)
        for d, n in enumerate(shape or [1]) if not too_long else ():
            if other:
                wrap_dim(d, source.ndim)
            if n > (other[d] if other else 1):
                too_long = [d]
                break
        if max(source.ndim, 1) != max(index.ndim, 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if too_long:
            raise RuntimeError(
                f"Expected index {shape} to be no larger than self {have} apart from "
                f"dimension {dim} and to be no larger size than src {other}"
            )
    _check_range(index, dim, have[dim] if have else 1)


def _check_range(index, dim, length, error=RuntimeError, prefix=""):
    wrong = index._array[(index._array < 0) | (index._array >= length)]
    if wrong.size:
        raise error(
            f"{prefix}index {wrong.flat[0]} is out of bounds for dimension {dim} with size {length}"
        )


# -- public names ---------------------------------------------------------------------------------


@both
def gather(input, dim, index, *, sparse_grad=False):
    """Elements picked along `dim`: `out[i][j] = input[index[i][j]][j]` for dim 0.

    The shape of `index` (int64), which is not longer than `input` but along `dim`. Repeated picks add
    up in the gradient. RuntimeError for other shapes, dtypes or positions.
    """
    dim = wrap_dim(dim, input.ndim)
    check_index("gather", input, dim, index)
    return Gather(input, dim, whole_numbers(index))


@both
def take_along_dim(input, indices, dim=None):
    """`gather` with broadcasting; without `dim`, from the flattened tensor.

    The broadcast shape, with the length of `indices` along `dim`. RuntimeError for indices that are not
    whole numbers, or another number of dimensions.
    """
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    if indices._array.dtype != np.int64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got "
            f"{indices.dtype.tensor_name}"
        )
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, input.ndim)
    shapes = [list(input._array.shape), list(indices._array.shape)]
    for shape in shapes:
        del shape[dim]
    check_broadcast(*shapes)
    common = list(np.broadcast_shapes(*map(tuple, shapes)))
    wide = [t.expand(*common[:dim], t._array.shape[dim], *common[dim:]) for t in (input, indices)]
    length, wanted = input._array.shape[dim], wide[1]._array
    if (wanted < 0).any():  # counted from the end
        wide[1] = make(np.where((wanted < 0) & (wanted >= -length), wanted + length, wanted))
    return gather(wide[0], dim, wide[1])


@both
def index_select(input, dim, index):
    """The slices at the positions `index` (a line of integers) along `dim`.

    The shape of `input` with the length of `index` along `dim`. IndexError for a position that is not
    there (RuntimeError along dimension 1), and for more than one dimension in `index`.
    """
    dim = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    _check_scalar(input, index)
    if index._array.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    length = input._array.shape[dim] if input.ndim else 1
    if np.any((index._array < 0) | (index._array >= length)):
        if dim == 1:
            wrong = next(i for i in index._array.reshape(-1).tolist() if not 0 <= i < length)
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={length}")
        raise IndexError("index out of range in self")
    return IndexSelect(input, dim, index)


def _check_scalar(x, index):
    if not x.ndim and array_of(index).size != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {array_of(index).size} value(s)"
        )


@both
def take(input, index):
    """The elements at these positions of the flattened tensor, in the shape of `index`.

    IndexError for a position that is not there, RuntimeError unless they are int64.
    """
    if index._array.dtype != np.int64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {index.dtype.tensor_name}"
        )
    _check_numbers(index, input._array.size, "take(): tried to take from an empty tensor")
    return Take(input, index)


def _check_numbers(index, size, says_of_none):
    """Refuse positions that a flattened tensor of that size does not have."""
    if index._array.size and not size:
        raise IndexError(says_of_none)
    wrong = index._array[(index._array < -size) | (index._array >= size)]
    if wrong.size:
        raise IndexError(
            f"out of range: tried to access index {wrong.flat[0]} on a tensor of {size} elements."
        )


WRITING = """A copy in the shape and dtype of `input`. RuntimeError for shapes or dtypes that do not fit, IndexError
    or RuntimeError for a position that is not there."""


def publish_writing(name, prepare, says, check_in_place=lambda self, *args: None):
    """A writing function: as function and method, which give a new tensor, and in place.

    `prepare(self, ...)` checks the arguments and returns the operation and its arguments, which
    `check_in_place(self, *arguments)` looks at once more before anything is written.
    """

    def prepared(name, self, args, kwargs):
        try:
            return prepare(self, *args, **kwargs)
        except (TypeError, AttributeError):
            explain(name, args, kwargs, method=True)
            raise

    def call(input, *args, **kwargs):
        operation, *rest = prepared(name, input, args, kwargs)
        return fitting(lambda: operation(input, *rest), *rest, input)

    def in_place(self, *args, **kwargs):
        operation, *rest = prepared(f"{name}_", self, args, kwargs)
        check_in_place(self, *rest)
        return change(operation, self, *rest)

    call.__name__, in_place.__name__ = name, f"{name}_"
    call.__doc__ = f"{says}\n\n    {WRITING}\n    "
    both(call)
    method(in_place)


def _scatter(self, dim, index, src=None, value=None, *, reduce=None):
    src = value if src is None else src
    dim = wrap_dim(dim, self.ndim)
    if reduce is not None:
        return _scatter_and(reduce, self, dim, index, src)
    if not isinstance(src, Tensor):
        check_index("scatter", self, dim, index)
        return ScatterScalar, dim, whole_numbers(index), src
    check_same_type("scatter", self, src)
    check_index("scatter", self, dim, index, src)
    return Scatter, dim, whole_numbers(index), src


def _scatter_and(reduce, self, dim, index, src):
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    if not isinstance(src, Tensor):
        src = make(np.full(index._array.shape, src, self._array.dtype))
    if reduce == "add":
        return _scatter_add(self, dim, index, src)
    from .scatter_reduce import scatter_reduction

    return scatter_reduction(self, dim, index, src, "prod")


def whole_numbers(index):
    """An index that was looked at: where it holds no positions, its dtype does not matter."""
    return index if index._array.size else make(index._array.astype(np.int64))


def check_same_type(name, self, src):
    if src._array.dtype != self._array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")


def _scatter_add(self, dim, index, src):
    dim = wrap_dim(dim, self.ndim)
    check_same_type("scatter", self, src)
    check_index("scatter", self, dim, index, src)
    return ScatterAdd, dim, whole_numbers(index), src


def _index_add(self, dim, index, source, *, alpha=1):
    dim = check_slices("index_add_", self, dim, index, source)
    if self.ndim > 1:
        _check_range(index, dim, self._array.shape[dim])
    elif ((index._array < 0) | (index._array >= self._array.size)).any():
        raise IndexError("index out of range in self")
    return IndexAdd, dim, index, source, alpha


def check_slices(name, self, dim, index, source):
    """The dimension, from the front, whose slices of `self` at `index` take in those of `source`."""
    dim, kind, count = wrap_dim(dim, self.ndim), index.dtype.tensor_name, index._array.size
    have, other = list(self._array.shape), list(source._array.shape)
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: {kind} "
            f"and size: {list(index._array.shape)}"
        )
    if index._array.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {kind}")
    if source._array.dtype != self._array.dtype:
        raise RuntimeError(
            f"{name}(): self ({self.dtype.tensor_name}) and source "
            f"({source.dtype.tensor_name}) must have the same scalar type"
        )
    if dim and dim >= source.ndim:
        raise RuntimeError(
            f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}"
        )
    if not other and count != 1:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if other and count != other[dim]:
        raise RuntimeError(
            f"{name}(): Number of indices ({count}) should be equal to source.size(dim): "
            f"({other[dim]}), for dim: {dim}"
        )
    both_have_it = have and other
    if (_without(have, dim) != _without(other, dim)) if both_have_it else (have != other):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {have} source.shape = {other}"
        )
    return dim


def _index_copy(self, dim, index, source):
    dim, count = wrap_dim(dim, self.ndim), index._array.size
    have, other = list(self._array.shape), list(source._array.shape)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if not other and count != 1:
        raise IndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {count})"
        )
    if have and other and len(have) != len(other):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({len(other)}), destination dimensionality ({len(have)})"
        )
    if index._array.dtype != np.int64:
        raise RuntimeError(
            f"index_copy_(): Expected a long tensor for index, but got {index.dtype.tensor_name}"
        )
    if source._array.dtype != self._array.dtype:
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{self.dtype.tensor_name} and (source) {source.dtype.tensor_name}"
        )
    slices = [" ".join(map(str, _without(shape, dim))) for shape in (have, other)]
    if slices[0] != slices[1]:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination "
            f"slice shape: {slices[0]} at dimension {dim} and source slice shape: {slices[1]} at "
            "dimension 0."
        )
    if other and count != other[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) "
            f"({other[dim]})"
        )
    _check_range(index, dim, have[dim] if have else 1, IndexError, "index_copy_(): ")
    return IndexCopy, dim, index, source


def _without(shape, dim):
    """A shape without one of its dimensions."""
    return shape[:dim] + shape[dim + 1 :]


def _index_fill(self, dim, index, value):
    dim = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if index._array.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    length = self._array.shape[dim] if self.ndim else 1
    wrong = index._array[(index._array < -length) | (index._array >= length)]
    if wrong.size:
        raise IndexError(
            f"index {wrong.flat[0]} is out of bounds for dimension {dim} with size {length}"
        )
    return (IndexFillTensor if one_number("index_fill_", value) else IndexFill), dim, index, value


def one_number(name, value):
    """Whether `value` is a tensor, which must be 0-d."""
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"{name} only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    return isinstance(value, Tensor)


def _index_put(self, indices, values, accumulate=False):
    if len(indices) > self.ndim:
        raise IndexError(
            f"too many indices for tensor of dimension {self.ndim} (got {len(indices)})"
        )
    if values._array.dtype != self._array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{self.dtype.tensor_name} for the destination and {values.dtype.tensor_name} for the "
            "source."
        )
    arrays = index_arrays(self, indices)
    arrays = check_put(self._array.shape, arrays, values)
    return IndexPut, values, arrays, bool(accumulate)


def _put(self, index, source, accumulate=False):
    if index._array.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype.tensor_name}")
    if self._array.dtype != source._array.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{self.dtype.tensor_name} and source.dtype = {source.dtype.tensor_name}"
        )
    if index._array.size != source._array.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source._array.size}, index.numel() = {index._array.size}"
        )
    _check_numbers(index, self._array.size, "put_(): Tried to put elements into an empty tensor")
    return Put, index, source, bool(accumulate)


publish_writing("put", _put, "`source` written, or added, at positions of the flattened tensor.")
publish_writing("scatter", _scatter, "`src` (a tensor or number) written along `dim` at `index`.")
publish_writing("scatter_add", _scatter_add, "`src` added along `dim` at `index`.")
publish_writing("index_add", _index_add, "`alpha` times the slices of `source` added at `index`.")
publish_writing("index_copy", _index_copy, "The slices of `source` written at `index` along `dim`.")
publish_writing("index_fill", _index_fill, "One number written at the slices `index` along `dim`.")
publish_writing(
    "index_put", _index_put, "`values` written, or added, at a tuple of index tensors.",
    lambda self, y, index, accumulate: refuse_overlap(self._array, [y._array, *index]),
)  # fmt: skip


def wrap(array, like):
    """A constant array, as a tensor if `like` is one, in its type."""
    array = array.astype(array_of(like).dtype)
    return make(array) if isinstance(like, Tensor) else array
