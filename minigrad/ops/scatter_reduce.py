"""`scatter_reduce`: many numbers combined where an index tensor says."""

import numpy as np

from ..operation import Operation
from ..tensor import make, wrap_dim
from .arguments import warn_once
from .assign import Blank
from .scatter import (
    Gather,
    along,
    array_of,
    check_index,
    check_same_type,
    check_slices,
    leading,
    line,
    publish_writing,
    source_of,
    whole_numbers,
    wrap,
)
from .select import Where
from .shape import Reshape

_REDUCERS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum,
             "amin": np.minimum}  # fmt: skip
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}


class ScatterReduce(Operation):
    """`x` combined with `y` at the positions `index`: sum, mean, product, largest or smallest."""

    tensor_params = ("index",)

    def forward(x, dim, index, y, reduce, include_self):
        found, index = np.array(x, ndmin=1), line(array_of(index))
        places = along(found.shape, dim, index)
        if not include_self:
            found[places] = _neutral(reduce, x.dtype)
        if index.size:
            _REDUCERS[reduce].at(found, places, leading(y, index))
        if reduce == "mean":
            count = _hits(found.shape, places, include_self)
            found = found / count if x.dtype.kind == "f" else found // count
        return found.astype(x.dtype).reshape(x.shape)

    def grad_x(g, x, dim, index, y, out, reduce, include_self):
        shape, index = x.shape, line(array_of(index))
        g, x, y, out = line(g), line(x), leading(y, index), line(out)
        places = along(x.shape, dim, index)
        if reduce == "sum":
            found = g
        elif reduce == "mean":
            found = g / wrap(_hits(x.shape, places, include_self), g)
        elif reduce == "prod":  # the product of the others
            once = Where(x == 0, 1, x)
            found = g * (ScatterReduce(once, dim, index, y, reduce, include_self) / once)
        else:
            found = _share(g, x, places, y, out) * (x == out)
        return Reshape(found if include_self else Blank(found, places), shape)

    def grad_y(g, x, dim, index, y, out, reduce, include_self):
        shape, index = y.shape, array_of(index)
        taken, index = index.shape, line(index)
        g, x, y, out = line(g), line(x), leading(y, index), line(out)
        places = along(x.shape, dim, index)
        if reduce == "prod" and index.size:
            found = _each_without_itself(g, x, dim, index, y, out, include_self)
        elif reduce == "sum" or not index.size:
            found = Gather(g, dim, index)
        elif reduce == "mean":
            found = Gather(g / wrap(_hits(x.shape, places, include_self), g), dim, index)
        else:
            share = Gather(_share(g, x, places, y, out), dim, index)
            found = share * (y == Gather(out, dim, index))
        return source_of(Reshape(found, taken), shape, "ScatterReduceBackward0")


def _each_without_itself(g, x, dim, index, y, out, include_self):
    """The gradient of the factors `y`: the product without each of them, also where one is 0."""
    places, zero = along(x.shape, dim, index), array_of(y) == 0
    zeros = np.zeros(x.shape, np.int64)
    np.add.at(zeros, places, zero)
    alone = zero & (zeros[places] == 1)
    others = ScatterReduce(x, dim, index, Where(alone, 1, y), "prod", include_self)
    found = Where(alone, Gather(g * others, dim, index), Gather(g * out, dim, index) / Where(zero, 1, y))
    if not (zeros[places] > 1).any():
        return found
    return Once(
        found,
        "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered "
        "to the same position in self",
    )


class Once(Operation, name="Error"):
    """`x` itself, where the rule that gave it has no derivative of its own."""

    def forward(x, why):
        return x

    def grad_x(g, why):
        raise RuntimeError(why)


def _neutral(reduce, dtype):
    if dtype.kind == "f" or reduce in ("sum", "mean", "prod"):
        return _NEUTRAL[reduce]
    if dtype.kind == "b":
        return reduce == "amin"
    info = np.iinfo(dtype)
    return info.min if reduce == "amax" else info.max


def _hits(shape, places, include_self):
    """How many numbers are combined in each place; at least 1."""
    count = np.full(shape, int(include_self))
    np.add.at(count, places, 1)
    return np.maximum(count, 1)


def _share(g, x, places, y, out):
    """The gradient of an extreme, in equal parts for all the numbers that reached it."""
    top = array_of(out)
    count = (array_of(x) == top).astype(np.int64)  # in PyTorch also where `x` itself was left out
    np.add.at(count, places, array_of(y) == top[places])
    return g / wrap(np.maximum(count, 1), g)


def scatter_reduction(self, dim, index, src, reduce, *, include_self=True):
    dim = wrap_dim(dim, self.ndim)
    if reduce not in _REDUCERS:
        raise RuntimeError(
            "reduce argument must be either sum, prod, mean, amax or amin, got " + str(reduce)
        )
    check_same_type("scatter", self, src)
    check_index("scatter", self, dim, index, src)
    return ScatterReduce, dim, whole_numbers(index), src, reduce, include_self


class IndexReduce(ScatterReduce):
    """`x` combined with the slices of `y` at positions along one dimension."""


def index_reduction(self, dim, index, source, reduce, *, include_self=True):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    warn_once("index_reduce() is in beta and the API may change at any time.")
    dim = check_slices("index_reduce_", self, dim, index, source)
    if ((index._array < 0) | (index._array >= (self.shape[dim] if self.ndim else 1))).any():
        raise IndexError("index out of range in self")
    found = index._array.reshape([-1 if d == dim else 1 for d in range(source.ndim)])
    whole = make(np.broadcast_to(found, source.shape).astype(np.int64))
    return IndexReduce, dim, whole, source, reduce, include_self


publish_writing(
    "index_reduce",
    index_reduction,
    "The slices of `source` combined with those at `index`: product, mean, largest or smallest.",
)
publish_writing(
    "scatter_reduce", scatter_reduction, "`src` combined with the tensor along `dim` at `index`."
)
