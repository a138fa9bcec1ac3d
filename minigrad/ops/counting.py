"""Counting: different elements, histograms, searching in sorted lines. No gradients."""

import math

import numpy as np

from ..operation import Operation
from ..tensor import Tensor, wrap_dim
from .arguments import need_tensor, plain
from .registry import both, function


class Unique(Operation, name="Unique2Backward0"):
    """The different elements in order."""

    tensor_params = ("found",)

    def forward(x, found):
        return found

    def grad_x(g):
        raise NotImplementedError("the derivative for '_unique2' is not implemented.")


@both
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, in order; on request where each went, and how often it is there.

    A line of values, or with `dim` the different slices along it. `return_inverse` adds positions in
    the shape of `input`, `return_counts` a line of counts; both int64. The backward pass through it is
    a NotImplementedError.
    """
    array, axis = input._array, _axis(input, dim)
    values, inverse, counts = np.unique(
        array, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    inverse = inverse.reshape(array.shape if axis is None else -1)
    found = [Unique(input, values)]
    found += [plain(inverse)] * return_inverse + [plain(counts)] * return_counts
    return found[0] if len(found) == 1 else tuple(found)


@both
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements without repetitions of the one before.

    A line of values, or with `dim` slices along it; on request positions in the shape of `input`, and
    counts. No gradient.
    """
    array, axis = input._array, _axis(input, dim)
    lines = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    flat = lines.reshape(len(lines), math.prod(lines.shape[1:]))
    new = np.ones(len(flat), bool)
    new[1:] = (flat[1:] != flat[:-1]).any(axis=1)
    starts = np.flatnonzero(new)
    values = lines[starts] if axis is None else np.moveaxis(lines[starts], 0, axis)
    inverse = (np.cumsum(new) - 1).reshape(array.shape if axis is None else -1)
    found = [plain(values)]
    found += [plain(inverse)] * return_inverse
    found += [plain(np.diff(np.append(starts, len(flat))))] * return_counts
    return found[0] if len(found) == 1 else tuple(found)


def _axis(input, dim):
    """The dimension whose slices are compared, from the front; None if it is the elements."""
    if dim is None:
        return None
    axis, shape = wrap_dim(dim, input.ndim), input._array.shape
    if shape and not shape[axis]:
        if shape.count(0) > 1:
            raise RuntimeError(
                "Number of zero sized dimensions is more than one, so unique cannot be applied "
            )
    elif 0 in shape:
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    return axis


@both
def bincount(input, weights=None, minlength=0):
    """How often each whole number from 0 on is there; with weights, the sum of these.

    `input` is one vector (N) of numbers that are not negative, `weights` has its shape; RuntimeError
    otherwise. The result is a line of at least `minlength`. NotImplementedError for floats.
    """
    array = input._array
    if array.dtype.kind == "f":
        raise NotImplementedError(
            f"\"bincount_cpu\" not implemented for '{input.dtype.tensor_name}'"
        )
    if array.ndim != 1 or (array.size and array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return plain(np.bincount(array, minlength=minlength))
    if weights._array.shape != array.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    kept = weights._array.dtype if weights._array.dtype == np.float32 else np.float64
    return plain(np.bincount(array, weights._array, minlength).astype(kept))


@both
def histc(input, bins=100, min=0, max=0):
    """How many elements fall in each of `bins` equal intervals from `min` to `max`.

    A line (bins) in the dtype of `input`; equal bounds stand for the smallest and largest element.
    RuntimeError for bins below 1 or bounds that are not finite or in the wrong order,
    NotImplementedError for integers.
    """
    array = input._array
    if array.dtype.kind != "f":
        raise NotImplementedError(
            f"\"histogram_cpu\" not implemented for '{input.dtype.tensor_name}'"
        )
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if min == max and array.size:
        min, max = array.min(), array.max()
    if min == max:
        min, max = min - 1, max + 1
    if not np.isfinite([min, max]).all():
        raise RuntimeError(f"torch.histc: range of [{min}, {max}] is not finite")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    return plain(np.histogram(array, bins, (min, max))[0].astype(array.dtype))


@function
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """Where to insert each element of `input` so that each sorted line stays sorted; int64.

    `sorted_sequence` is one line (n), or (*, n) for an `input` (*, m); the result has the shape of
    `input`. With `right` equal elements stay before. RuntimeError if the leading dimensions differ.
    """
    need_tensor("searchsorted", "sorted_sequence", 1, sorted_sequence)
    side = side or ("right" if right else "left")
    lines = sorted_sequence._array
    values = input._array if isinstance(input, Tensor) else np.asarray(input)
    if sorter is not None:
        lines = np.take_along_axis(lines, sorter._array, -1)
    if lines.ndim == 1:
        found = np.searchsorted(lines, values, side)
    else:
        if lines.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                "dimensions of boundaries tensor and input value tensor must match, but we got "
                f"boundaries tensor {list(lines.shape)} and input value tensor {list(values.shape)}"
            )
        found = np.empty(values.shape, np.int64)
        for place in np.ndindex(*lines.shape[:-1]):
            found[place] = np.searchsorted(lines[place], values[place], side)
    return plain(np.asarray(found).astype(np.int32 if out_int32 else np.int64))


@function
def bucketize(input, boundaries, *, out_int32=False, right=False):
    """The number of the interval between sorted `boundaries` in which each element lies; int64.

    `boundaries` is one line (n); the result has the shape of `input`, with numbers 0 to n. An element
    on a boundary belongs to the interval below, with `right` to the one above. RuntimeError for more than
    one dimension in `boundaries`.
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@function
def unravel_index(indices, shape):
    """Positions in a flattened tensor as one tensor of positions for each dimension; int64.

    Each has the shape of `indices`. ValueError for a position outside of `shape`.
    """
    found = np.unravel_index(indices._array, tuple(shape))
    return tuple([plain(np.asarray(part, np.int64)) for part in found])
