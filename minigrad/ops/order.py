"""Elements in order: `sort`, `argsort`, `topk`; and counted: `histogram`."""

import numpy as np

from ..tensor import make, wrap_dim
from .extremes import returned
from .index import Index, along
from .registry import both
from .shape import renamed

Sort = renamed(Index, "SortBackward0")  # all elements of each line
Topk = renamed(Index, "TopkBackward0")  # the first of them
Sorted, Largest = [returned(name, "values", "indices") for name in ("sort", "topk")]
Histogram = returned("histogram", "hist", "bin_edges")


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
    return Sorted(Sort.apply(input, along(input, wrap_dim(dim, input.ndim), index._array)), index)


@both
def topk(input, k, dim=-1, largest=True, sorted=True):
    """The `k` largest of each line, and where they were; RuntimeError if there are fewer."""
    dim = wrap_dim(dim, input.ndim)
    if not 0 <= k <= (input._array.shape or (1,))[dim]:
        raise RuntimeError("selected index k out of range")
    index = argsort(input, dim, largest)
    index = index[(slice(None),) * dim + (slice(k),)].clone() if input.ndim else index
    return Largest(Topk.apply(input, along(input, dim, index._array)), index)


@both
def histogram(input, bins=100, *, range=None, density=False):
    """How many elements lie in each of `bins` equal parts of a range: `hist`, and `bin_edges`.

    With `density` they are scaled so that the area under them is 1. There is no gradient.
    """
    found = np.histogram(input._array, bins, range, density)
    return Histogram(*[make(array.astype(input._array.dtype)) for array in found])
