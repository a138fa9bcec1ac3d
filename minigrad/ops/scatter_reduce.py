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
    leading_part,
    publish_writing,
    wrap,
)

_REDUCERS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum,
             "amin": np.minimum}  # fmt: skip
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}


class ScatterReduce(Operation):
    """`x` combined with `y` at the positions `index`: sum, mean, product, largest or smallest."""

    tensor_params = ("index",)

    def forward(x, dim, index, y, reduce, include_self):
        places, found = along(x.shape, dim, index), x.copy()
        if not include_self:
            found[places] = _neutral(reduce, x.dtype)
        _REDUCERS[reduce].at(found, places, y)
        if reduce == "mean":
            count = _hits(x.shape, dim, index, include_self)
            found = found / count if x.dtype.kind == "f" else found // count
        return found.astype(x.dtype)

    def grad_x(g, x, dim, index, y, out, reduce, include_self):
        places = along(x.shape, dim, index)
        if reduce == "sum":
            found = g
        elif reduce == "mean":
            found = g / wrap(_hits(x.shape, dim, index, include_self), g)
        elif reduce == "prod":
            found = g * (out / x)
        else:
            found = _share(g, x, dim, index, y, out, include_self) * (x == out)
        return found if include_self else Blank(found, places)

    def grad_y(g, x, dim, index, y, out, reduce, include_self):
        if reduce == "mean":
            g = g / wrap(_hits(x.shape, dim, index, include_self), g)
        elif reduce == "prod":
            return Gather(g * out, dim, index) / y
        elif reduce != "sum":
            return Gather(_share(g, x, dim, index, y, out, include_self), dim, index) * (
                y == Gather(out, dim, index)
            )
        return Gather(g, dim, index)


def _neutral(reduce, dtype):
    if dtype.kind == "f" or reduce in ("sum", "mean", "prod"):
        return _NEUTRAL[reduce]
    if dtype.kind == "b":
        return reduce == "amin"
    info = np.iinfo(dtype)
    return info.min if reduce == "amax" else info.max


def _hits(shape, dim, index, include_self):
    """How many numbers are combined in each place; at least 1."""
    count = np.zeros(shape, np.int64) + bool(include_self)
    np.add.at(count, along(shape, dim, index), 1)
    return np.maximum(count, 1)


def _share(g, x, dim, index, y, out, include_self):
    """The gradient of an extreme, in equal parts for all the numbers that reached it."""
    top, places = array_of(out), along(x.shape, dim, index)
    count = (array_of(x) == top).astype(np.int64)
    if not include_self:
        count[places] = 0
    np.add.at(count, places, array_of(y) == top[places])
    return g / wrap(np.maximum(count, 1), g)


def scatter_reduction(self, dim, index, src, reduce, *, include_self=True):
    dim = wrap_dim(dim, self.ndim)
    if reduce not in _REDUCERS:
        raise RuntimeError(
            "reduce argument must be either sum, prod, mean, amax or amin, got " + str(reduce)
        )
    check_same_type("scatter", self, src)
    check_index("scatter_reduce", self, dim, index, src)
    return ScatterReduce, dim, index, leading_part(src, index), reduce, include_self


class IndexReduce(ScatterReduce):
    """`x` combined with the slices of `y` at positions along one dimension."""


def index_reduction(self, dim, index, source, reduce, *, include_self=True):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    warn_once("index_reduce() is in beta and the API may change at any time.")
    if index._array.dtype not in (np.int32, np.int64):
        raise RuntimeError(
            "index_reduce_(): Expected dtype int32/int64 for index but got: "
            f"{index.dtype.tensor_name}"
        )
    dim = check_slices("index_reduce_", self, dim, index, source)
    if ((index._array < 0) | (index._array >= (self.shape[dim] if self.ndim else 1))).any():
        raise IndexError("index out of range in self")
    line = index._array.reshape([-1 if d == dim else 1 for d in range(source.ndim)])
    whole = make(np.broadcast_to(line, source.shape).astype(np.int64))
    return IndexReduce, dim, whole, source, reduce, include_self


publish_writing(
    "index_reduce",
    index_reduction,
    "The slices of `source` combined with those at `index`: product, mean, largest or smallest.",
)
publish_writing(
    "scatter_reduce", scatter_reduction, "`src` combined with the tensor along `dim` at `index`."
)
