"""The largest, the smallest, the middle; sorting, ranking and counting."""

import numpy as np

from ..operation import Operation
from ..tensor import Tensor, wrap_dim
from .arguments import all_dims, named, no_bools, nonempty, plain, zeros_like
from .convert import cast, row_by_row
from .reduce import count_true, every_dim, spread
from .registry import both
from .scatter import Gather, PlaceAdd, along, array_of
from .select import Where
from .several import Several
from .shape import Unsqueeze

# -- one value for many: ties share ---------------------------------------------------------------


class MaxAll(Operation, name="MaxBackward1"):
    """The largest of all elements; ties share the gradient equally."""

    def forward(x):
        return np.max(x)

    def grad_x(g, x, out):
        return shared(g, chosen(x, out), every_dim(x.shape), False)


class MinAll(Operation, name="MinBackward1"):
    """The smallest of all elements; ties share the gradient equally."""

    def forward(x):
        return np.min(x)

    grad_x = MaxAll.grad_x


class Amax(Operation):
    """The largest over some dimensions; ties share the gradient equally."""

    def forward(x, dims, keepdim):
        return row_by_row(np.max(x, axis=dims, keepdims=keepdim))

    def grad_x(g, x, out, dims, keepdim):
        equal = x == spread(out, x.shape, dims, keepdim)
        return shared(g, equal, dims, keepdim)


class Amin(Operation):
    """The smallest over some dimensions; ties share the gradient equally."""

    def forward(x, dims, keepdim):
        return row_by_row(np.min(x, axis=dims, keepdims=keepdim))

    grad_x = Amax.grad_x


class Aminmax(Several):
    """Smallest and largest over all dimensions, or over one."""

    _outputs = 2

    def forward(x, dims, keepdim):
        return Amin.forward(x, dims, keepdim), Amax.forward(x, dims, keepdim)

    def grad_x(gs, x, dims, keepdim):
        total = zeros_like(x)
        for g, find in zip(gs, (Amin, Amax)):
            if g is not None:
                equal = x == spread(find(x, dims, keepdim), x.shape, dims, keepdim)
                total = total + shared(g, equal, dims, keepdim)
        return total


class MedianAll(Operation, name="MedianBackward0"):
    """The middle of all elements, the lower of two; ties share the gradient equally."""

    def forward(x):
        return median_of(x.reshape(-1), 0, False)[0] if x.size else np.array(np.nan, x.dtype)

    grad_x = MaxAll.grad_x


class NanmedianAll(Operation, name="NanmedianBackward0"):
    """The middle of the elements that are not NaN."""

    def forward(x):
        return median_of(x.reshape(-1), 0, True)[0] if x.size else np.array(np.nan, x.dtype)

    grad_x = MaxAll.grad_x


def chosen(x, out):
    """Where `x` is the value `out`: NaN if that is NaN."""
    return (x == out) | ((x != x) & (out != out))


def shared(g, mask, dims, keepdim):
    """A reduced gradient, in equal parts to the places of a mask; NaN if it has none."""
    part = Where(mask, spread(g, mask.shape, dims, keepdim), 0)
    return part / cast(count_true(mask, dims), (g._array if isinstance(g, Tensor) else g).dtype)


# -- one value for each line: the place that was picked takes the gradient ------------------------


class Pick(Operation):
    """One element of each line along `dim`, at the positions `index`, or several with `keepdim`."""

    called = {"index": "indices"}

    tensor_params = ("index",)

    def forward(x, dim, index, keepdim):
        if not x.ndim:
            return Gather.forward(x, dim, index)
        found = row_by_row(x[along(x.shape, dim, lines_of(index, dim, keepdim))])
        return found if keepdim else found.squeeze(dim)

    def grad_x(g, x_shape, dim, index, keepdim):
        if not x_shape:
            return Gather.grad_x(g, x_shape, dim, index)
        if not keepdim:
            g = Unsqueeze(g, dim)
        return PlaceAdd(g, x_shape, along(x_shape, dim, lines_of(index, dim, keepdim)))


def lines_of(index, dim, keepdim):
    """Positions with the dimension that they are about."""
    index = array_of(index)
    return index if keepdim else np.expand_dims(index, dim)


class MaxDim(Pick, name="MaxBackward0"):
    """The largest of each line: the first of ties."""


class MinDim(Pick, name="MinBackward0"):
    """The smallest of each line: the first of ties."""


class MedianDim(Pick, name="MedianBackward1"):
    """The middle of each line."""


class NanmedianDim(Pick, name="NanmedianBackward1"):
    """The middle of each line, NaN left out."""


class Mode(Pick):
    """The most frequent of each line."""


class Kthvalue(Pick):
    """The k-th smallest of each line."""


class Sort(Pick):
    """Each line in order."""


class SortStable(Pick, name="SortBackward1"):
    """Each line in order, equal elements in the order in which they came."""


class Topk(Pick):
    """The k largest of each line."""


class Cummax(Pick):
    """The largest so far."""


class Cummin(Pick):
    """The smallest so far."""


RESULTS = {
    name: named(name, "values indices")
    for name in ("max", "min", "median", "nanmedian", "mode", "kthvalue", "sort", "topk", "cummax",
                 "cummin")
}  # fmt: skip


def picked(name, operation, input, dim, index, keepdim=True):
    """The pair (values, indices) for positions `index` that keep the dimension `dim`."""
    indices = plain(row_by_row(index if keepdim or not input.ndim else index.squeeze(dim)))
    return RESULTS[name](operation(input, dim, indices, keepdim), indices)


def on_lines(find, array, dim):
    """`find(array, dim)`; a 0-d array counts as a line of one element."""
    if array.ndim:
        return find(array, dim)
    return find(array.reshape(1), 0).reshape(())


def argsort(array, dim, descending=False):
    """The positions that would sort each line of an array."""
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    last = array.shape[dim] - 1
    return last - np.flip(np.argsort(np.flip(array, dim), axis=dim, kind="stable"), dim)


def median_of(array, dim, skip_nan):
    """The middle element of each line, and its position, both with the dimension kept."""
    order = argsort(array, dim)
    missing = np.add.reduce(np.isnan(array), axis=dim, keepdims=True)
    whole = array.shape[dim]
    filled = np.maximum(whole - missing, 1) if skip_nan else np.full_like(missing, whole)
    middle = (filled - 1) // 2
    if not skip_nan:  # a NaN wins: the first one
        middle = np.where(missing, whole - missing, middle)
    index = np.take_along_axis(order, middle, dim)
    values = np.take_along_axis(array, index, dim)
    return (values.reshape(()), index) if array.ndim == 1 else (values, index)


def _modes(array, dim):
    """The position of the most frequent element of each line: the smallest such, its last place."""

    def position(line):
        values, counts = np.unique(line, return_counts=True)
        return np.flatnonzero(line == values[np.argmax(counts)])[-1:].sum()

    lines = np.moveaxis(array, dim, -1)
    found = np.array([position(line) for line in lines.reshape(-1, lines.shape[-1])], np.int64)
    return np.expand_dims(found.reshape(lines.shape[:-1]), dim)


def _running(compare):
    """Positions of the running extreme; of ties the last, and NaN stays."""

    def find(array, dim):
        lines = np.moveaxis(array, dim, 0)
        index = np.zeros(lines.shape, np.int64)
        if len(lines):
            best, at = lines[0], index[0]
            for i, line in enumerate(lines):
                better = compare(line, best) | np.isnan(line)
                best, at = np.where(better, line, best), np.where(better, i, at)
                index[i] = at
        return np.moveaxis(index, 0, dim)

    return find


# -- public names ---------------------------------------------------------------------------------


def _publish_extreme(name, whole, lines, of_two, find):
    def call(input, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return of_two(input, dim if other is None else other)
        if dim is None:
            if input._array.size == 0:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                    "Specify the reduction dim with the 'dim' argument."
                )
            return whole(input)
        dim = wrap_dim(dim, input.ndim)
        nonempty(name, input, dim)
        index = on_lines(lambda a, d: find(a, axis=d, keepdims=True), input._array, dim)
        return picked(name, lines, input, dim, index, keepdim)

    call.__name__ = name
    call.__doc__ = f"""The {name}imum of all elements, over `dim` (values and indices), or of two tensors.

    Of all elements a 0-d tensor: ties share the gradient. Over a dimension, which disappears or has
    length 1 (`keepdim`): the first of the ties takes it. Two tensors broadcast. RuntimeError for an
    empty tensor, IndexError for an empty or missing dimension.
    """
    both(call)


_publish_extreme("max", MaxAll, MaxDim, lambda x, y: x.maximum(y), np.argmax)
_publish_extreme("min", MinAll, MinDim, lambda x, y: x.minimum(y), np.argmin)


def _publish_shared(name, operation):
    def call(input, dim=(), keepdim=False):
        dims = all_dims(dim, input.ndim)
        _something(name, input, dim, dims)
        return operation(input, dims, keepdim)

    call.__name__ = name
    call.__doc__ = f"""The {name[1:]}imum over one or several dimensions; ties share the gradient.

    Reduced dimensions disappear, or have length 1 (`keepdim`); all of them give a 0-d tensor.
    RuntimeError for an empty tensor, IndexError for an empty or missing dimension.
    """
    both(call)


def _something(name, input, dim, dims):
    """Refuse to look for an extreme among no elements; the dimensions are named as they were given."""
    if dim in (None, ()) and input._array.size == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        )
    for d, given in zip(dims, [dim] if isinstance(dim, int) else dim or dims):
        nonempty(name, input, d, given)


_publish_shared("amax", Amax)
_publish_shared("amin", Amin)
_AMINMAX = named("aminmax", "min max")


@both
def aminmax(input, *, dim=None, keepdim=False):
    """Smallest and largest, of all elements (0-d) or over `dim`; a pair `min`, `max`.

    RuntimeError if there is nothing to choose from, IndexError if that is so along `dim`.
    """
    if dim is not None and input.ndim and input._array.shape[dim := wrap_dim(dim, input.ndim)] == 0:
        raise IndexError(f"aminmax: Expected reduction dim {dim} to have non-zero size.")
    if dim is None and not input._array.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    return _AMINMAX(*Aminmax(input, all_dims(dim, input.ndim), keepdim))


def _publish_arg(name, find):
    def call(input, dim=None, keepdim=False):
        array = input._array
        if array.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        if dim is None:
            if array.size == 0:
                raise IndexError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
                )
            found = find(array)
            return plain(found.reshape((1,) * array.ndim) if keepdim else found)
        dim = wrap_dim(dim, array.ndim)
        nonempty(name, input, dim)
        if not array.ndim:
            return plain(np.int64(0))
        return plain(find(array, axis=dim, keepdims=keepdim))

    call.__name__ = name
    call.__doc__ = f"""The position of the {name[3:]}imum (the first of ties); int64, no gradient.

    In the flattened tensor (0-d), or along `dim`, which disappears or has length 1 (`keepdim`).
    RuntimeError for bools, IndexError for an empty tensor or dimension.
    """
    both(call)


_publish_arg("argmax", np.argmax)
_publish_arg("argmin", np.argmin)


def _publish_median(name, whole, lines, skip_nan):
    def call(input, dim=None, keepdim=False):
        no_bools("median_cpu" if dim is None else "median_out", input._array)
        if dim is None:
            return whole(input)
        dim = wrap_dim(dim, input.ndim)
        nonempty("median", input, dim)
        index = on_lines(lambda a, d: median_of(a, d, skip_nan)[1], input._array, dim)
        return picked(name, lines, input, dim, index, keepdim)

    call.__name__ = name
    call.__doc__ = f"""The middle element, the lower of two; over `dim` values and indices.

    nan {"is passed over" if skip_nan else "is the middle of what contains it"}. Of all elements a 0-d
    tensor; `dim` disappears or has length 1 (`keepdim`). NotImplementedError for bools, IndexError for
    an empty dimension.
    """
    both(call)


_publish_median("median", MedianAll, MedianDim, False)
_publish_median("nanmedian", NanmedianAll, NanmedianDim, True)


@both
def mode(input, dim=-1, keepdim=False):
    """The most frequent element of each line, the smallest of several; values and indices.

    The shape of `input` without `dim`, or with length 1 there (`keepdim`). IndexError for an empty
    line.
    """
    dim = wrap_dim(dim, input.ndim)
    nonempty("mode", input, dim)
    return picked("mode", Mode, input, dim, on_lines(_modes, input._array, dim), keepdim)


@both
def kthvalue(input, k, dim=-1, keepdim=False):
    """The k-th smallest element of each line (k from 1); values and indices.

    The shape of `input` without `dim`, or with length 1 there (`keepdim`). RuntimeError for a k outside
    of 1 to the length.
    """
    no_bools("kthvalue_cpu", input._array)
    dim = wrap_dim(dim, input.ndim)
    nonempty("kthvalue", input, dim)
    if not 1 <= k <= (input._array.shape[dim] if input.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    index = on_lines(lambda a, d: np.take(argsort(a, d), [k - 1], d), input._array, dim)
    return picked("kthvalue", Kthvalue, input, dim, index, keepdim)


@both
def sort(input, dim=-1, descending=False, *, stable=None):
    """Each line in order; sorted values and where they were. Equal elements stay in order.

    Both in the shape of `input`; indices are int64. IndexError for a `dim` that is not there.
    """
    dim = wrap_dim(dim, input.ndim)
    index = on_lines(lambda a, d: argsort(a, d, descending), input._array, dim)
    return picked("sort", Sort if stable is None else SortStable, input, dim, index)


@both(name="argsort")
def _argsort(input, dim=-1, descending=False, *, stable=False):
    """The positions that would sort each line, in the shape of `input`; int64, no gradient.

    IndexError for a `dim` that is not there.
    """
    return sort(input.detach(), dim, descending).indices


@both
def msort(input):
    """Sorted along the first dimension; the same shape."""
    return sort(input, 0).values


@both
def topk(input, k, dim=-1, largest=True, sorted=True):
    """The k largest (or smallest) elements of each line, in order; values and indices.

    The shape of `input` with length k along `dim`. RuntimeError for a k outside of 0 to the length, and
    for bools.
    """
    if input._array.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    dim = wrap_dim(dim, input.ndim)
    if not 0 <= k <= (input._array.shape[dim] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")

    def find(array, d):
        return np.take(argsort(array, d, largest), range(k), d)

    return picked("topk", Topk, input, dim, on_lines(find, input._array, dim))


@both
def cummax(input, dim):
    """The largest so far along `dim`; values and indices, both in the shape of `input`.

    IndexError for a `dim` that is not there.
    """
    return _so_far("cummax", Cummax, input, dim, np.greater_equal)


def _so_far(name, operation, input, dim, compare):
    if not input.ndim and dim not in (0, -1):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    dim = wrap_dim(dim, input.ndim) if input._array.size else 0  # of nothing PyTorch takes any
    index = on_lines(_running(compare), input._array, dim)
    return picked(name, operation, input, dim, index)


@both
def cummin(input, dim):
    """The smallest so far along `dim`; values and indices, both in the shape of `input`.

    IndexError for a `dim` that is not there.
    """
    return _so_far("cummin", Cummin, input, dim, np.less_equal)
