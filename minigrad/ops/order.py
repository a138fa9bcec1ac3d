"""Elements in order: `sort`, `argsort`, `topk`."""

import numpy as np

from ..tensor import make, wrap_dim
from .extremes import Picked
from .index import Index, along
from .registry import both
from .shape import renamed

Sort = renamed(Index, "SortBackward0")  # all elements of each line
Topk = renamed(Index, "TopkBackward0")  # the first of them
Sorted, Largest = [
    type(Picked)(name, (Picked,), {"_place": Picked._place}) for name in ("sort", "topk")
]


@both
def argsort(input, dim=-1, descending=False, stable=False):
    """The places of the elements of each line in order: (*) of int64. Equal ones stay in order."""
    dim, array = wrap_dim(dim, input.ndim), input._array
    if not array.ndim:
        return make(np.zeros((), np.int64))
    if not descending:
        return make(np.argsort(array, dim, "stable"))
    turned = np.argsort(np.flip(array, dim), dim, "stable")
    return make(array.shape[dim] - 1 - np.flip(turned, dim))


@both
def sort(input, dim=-1, descending=False, stable=False):
    """The elements of each line in order, and where they were: `values` and `indices`, both (*)."""
    index = argsort(input, dim, descending)
    return Sorted((Sort.apply(input, along(input, wrap_dim(dim, input.ndim), index._array)), index))


@both
def topk(input, k, dim=-1, largest=True, sorted=True):
    """The `k` largest of each line, and where they were; RuntimeError if there are fewer."""
    dim = wrap_dim(dim, input.ndim)
    if not 0 <= k <= (input._array.shape or (1,))[dim]:
        raise RuntimeError("selected index k out of range")
    index = argsort(input, dim, largest)
    index = index[(slice(None),) * dim + (slice(k),)].clone() if input.ndim else index
    return Largest((Topk.apply(input, along(input, dim, index._array)), index))
