"""Windows that slide over an input: convolution and pooling.

An input is (N, C, *space): a batch of N, C channels, then any number of dimensions of space. For each
position in the window there is one slice of the padded input, which holds what the window sees there
at all its places. So a few large slices do the work of very many small windows.
"""

from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from ..operation import Operation
from .convert import in_image_order
from .elementwise import Tied
from .reduce import Sum


class Window(NamedTuple):
    """The size of a window and how it moves: a number for each dimension of space."""

    size: tuple
    stride: tuple
    dilation: tuple  # steps between neighbours within the window
    padding: tuple  # pairs (before, after); what is negative, after, is at the end and never seen

    def places(self, space):
        """How many places there are along each dimension of an input of shape `space`."""
        return tuple(
            (n + sum(padding) - dilation * (size - 1) - 1) // stride + 1
            for n, size, stride, dilation, padding in zip(space, *self)
        )

    def slices(self, places):
        """For each position in the window, the part of the padded input that it sees."""
        for offset in product(*map(range, self.size)):
            yield (..., *[
                slice(o * dilation, o * dilation + stride * (n - 1) + 1, stride)
                for o, dilation, stride, n in zip(offset, self.dilation, self.stride, places)
            ])  # fmt: skip

    def pad(self, x, value=0):
        """The input with a border of `value`."""
        if not any(map(any, self.padding)):
            return x
        lead = x.ndim - len(self.size)
        space = [n + sum(p) for n, p in zip(x.shape[lead:], self.padding)]
        whole = np.full((*x.shape[:lead], *space), value, x.dtype)
        inner = self.crop(whole)
        inner[...] = x[tuple(map(slice, inner.shape))]
        return whole

    def crop(self, whole):
        """A padded array without its border."""
        inner = [slice(b, n - max(a, 0)) for n, (b, a) in zip(whole.shape[-len(self.size) :], self.padding)]
        return whole[(..., *inner)]


# -- convolution ----------------------------------------------------------------------------------
#
# A convolution is a product of matrices: the weight, (O, C * size), times all that the windows see,
# the columns, (C * size, N * places). It is linear in input and in weight, so the three operations
# below are each other's rules, to any order. With groups there are that many independent products.


def columns(x, window, groups):
    """What the windows see of `x`: an array (groups, C / groups * size, N * places)."""
    places = window.places(x.shape[2:])
    x = window.pad(x).swapaxes(0, 1)
    found = np.empty((x.shape[0], prod(window.size), x.shape[1], *places), x.dtype)
    for position, part in enumerate(window.slices(places)):
        found[:, position] = x[part]
    return found.reshape(groups, x.shape[0] // groups * prod(window.size), x.shape[1] * prod(places))


def add_columns(found, shape, window):
    """The way back: each number is added to where it was seen; an array of `shape`."""
    n, channels, *space = shape
    places = window.places(space)
    found = found.reshape(channels, prod(window.size), n, *places)
    padded = [length + before + max(after, 0) for length, (before, after) in zip(space, window.padding)]
    whole = np.zeros((channels, n, *padded), found.dtype)
    for position, part in enumerate(window.slices(places)):
        whole[part] += found[:, position]
    return np.ascontiguousarray(window.crop(whole).swapaxes(0, 1))


def rows(x, groups):
    """An array (N, O, *places) as (groups, O / groups, N * places)."""
    return x.swapaxes(0, 1).reshape(groups, x.shape[1] // groups, -1)


def matrix(weight, groups):
    """A weight (O, C / groups, *size) as (groups, O / groups, C / groups * size)."""
    return weight.reshape(groups, weight.shape[0] // groups, -1)


def with_bias(out, bias):
    """Add a number for each channel, in place."""
    if bias is not None:
        out += bias.reshape(-1, *[1] * (out.ndim - 2))
    return out


def each_channel(g):
    """The sum over all but the channels."""
    return Sum(g, (0, *range(2, g.ndim)), False)


class Convolution(Operation):
    """`x` (N, C, *space) seen through a window by each of O weights; a result (N, O, *places)."""

    called = {"x": "input"}

    @in_image_order
    def forward(x, weight, bias, window, groups):
        out = matrix(weight, groups) @ columns(x, window, groups)
        out = out.reshape(weight.shape[0], x.shape[0], *window.places(x.shape[2:]))
        return with_bias(np.ascontiguousarray(out.swapaxes(0, 1)), bias)

    def grad_x(g, weight, x_shape, window, groups):
        return TransposedConvolution(g, weight, None, window, groups, x_shape)

    def grad_weight(g, x, weight_shape, window, groups):
        return WeightConvolution(g, x, weight_shape, window, groups)

    def grad_bias(g):
        return each_channel(g)


class TransposedConvolution(Operation, name="ConvolutionBackward0"):
    """`x` (N, O, *places) spread back over a result of `shape`, (N, C, *space)."""

    @in_image_order
    def forward(x, weight, bias, window, groups, shape):
        spread = matrix(weight, groups).swapaxes(1, 2) @ rows(x, groups)
        return with_bias(add_columns(spread, shape, window), bias)

    def grad_x(g, weight, window, groups):
        return Convolution(g, weight, None, window, groups)

    def grad_weight(g, x, weight_shape, window, groups):
        return WeightConvolution(x, g, weight_shape, window, groups)

    def grad_bias(g):
        return each_channel(g)


class WeightConvolution(Operation, name="ConvolutionBackwardBackward0"):
    """How much each weight contributed: outputs `x` times the inputs `y` that they saw."""

    def forward(x, y, shape, window, groups):
        return (rows(x, groups) @ columns(y, window, groups).swapaxes(1, 2)).reshape(shape)

    def grad_x(g, y, window, groups):
        return Convolution(y, g, None, window, groups)

    def grad_y(g, x, y_shape, window, groups):
        return TransposedConvolution(x, g, None, window, groups, y_shape)


# -- pooling --------------------------------------------------------------------------------------


@in_image_order
def largest(x, window):
    """Where, in its flattened space, each place of the window sees its largest element: the first."""
    space = x.shape[-len(window.size) :]
    places = window.places(space)
    has_nan = x.dtype.kind == "f" and np.isnan(np.add.reduce(x, axis=None))
    x = window.pad(x, -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)
    best = None
    for position, part in enumerate(window.slices(places)):
        seen = x[part]
        if best is None:
            best, chosen = seen.copy(), np.zeros(seen.shape, np.min_scalar_type(prod(window.size)))
            continue
        better = seen > best
        if has_nan:
            better |= seen != seen  # a nan wins
        np.maximum(chosen, better * chosen.dtype.type(position), out=chosen)  # positions go up
        np.maximum(best, seen, out=best)
    # From the position in the window to that in space; a window of -inf alone may point outside.
    index, offsets = 0, np.array(list(product(*map(range, window.size)))).T
    for dim, (n, count, offset) in enumerate(zip(space, places, offsets)):
        start = np.arange(count) * window.stride[dim] - window.padding[dim][0]
        at = np.take(offset * window.dilation[dim], chosen)
        at = at + start.reshape(-1, *[1] * (len(space) - 1 - dim))
        if any(map(any, window.padding)):
            at = np.clip(at, 0, n - 1)
        index = index * n + at
    return index


class MaxPool2DWithIndices(Operation):
    """The elements at the positions `index` of each flattened space of `dims` dimensions."""

    tensor_params = ("index",)

    @in_image_order
    def forward(x, index, dims):
        spaces, flat = [a.reshape(*a.shape[:-dims], prod(a.shape[-dims:])) for a in (x, index)]
        return np.take_along_axis(spaces, flat, -1).reshape(index.shape)

    def grad_x(g, x, index, dims):
        return Tied(MaxUnpool2D(g, x.shape, index, dims), x)


class MaxPool3DWithIndices(MaxPool2DWithIndices):
    """The same in three dimensions."""


class MaxUnpool2D(Operation):
    """Zeros in `shape`, with the elements of `x` added at the positions `index` of each space."""

    def forward(x, shape, index, dims):
        spaces = prod(shape[:-dims])
        starts = np.arange(spaces).reshape(-1, 1) * prod(shape[-dims:])
        whole = np.zeros(prod(shape), x.dtype)
        flat = starts + index.reshape(spaces, prod(index.shape[-dims:]))
        np.add.at(whole, flat.reshape(-1), x.reshape(-1))
        return whole.reshape(shape)

    def grad_x(g, index, dims):
        return MaxPool2DWithIndices(g, index, dims)


class AvgPool2D(Operation):
    """The sum of what the window sees, over `divisor`: a number, or one for each place."""

    @in_image_order
    def forward(x, window, divisor):
        dims = len(window.size)
        places = window.places(x.shape[-dims:])
        x = window.pad(x)
        total = np.zeros((*x.shape[:-dims], *places), x.dtype)
        for part in window.slices(places):
            total += x[part]
        return (total / divisor).astype(x.dtype, copy=False)

    def grad_x(g, x, window, divisor):
        return Tied(AvgUnpool2D(g, x.shape, window, divisor), x)


class AvgPool3D(AvgPool2D):
    """The same in three dimensions, where averages lie row by row whatever the input's order."""

    forward = AvgPool2D.forward.__wrapped__


class AvgUnpool2D(Operation):
    """Each element of `x`, over `divisor`, added to all that the window saw."""

    def forward(x, shape, window, divisor):
        dims = len(window.size)
        padded = [n + sum(p) for n, p in zip(shape[-dims:], window.padding)]
        whole = np.zeros((*shape[:-dims], *padded), x.dtype)
        x = (x / divisor).astype(x.dtype, copy=False)
        for part in window.slices(x.shape[-dims:]):
            whole[part] += x
        return np.ascontiguousarray(window.crop(whole))

    def grad_x(g, window, divisor):
        return AvgPool2D(g, window, divisor)


class AdaptiveAvgPool2D(Operation):
    """Averages over windows that divide a plane evenly: a matrix of shares for each dimension."""

    tensor_params = ("down", "across")

    @in_image_order
    def forward(x, down, across):
        return down @ x @ across.T

    def grad_x(g, x, down, across):
        return Tied(AdaptiveAvgPool2D(g, down.T, across.T), x)


class AdaptiveAvgPool3D(Operation):
    """Averages over windows that divide a volume evenly."""

    tensor_params = ("deep", "down", "across")

    def forward(x, deep, down, across):
        planes = down @ x @ across.T
        return np.moveaxis(np.moveaxis(planes, -3, -1) @ deep.T, -1, -3).copy()

    def grad_x(g, x, deep, down, across):
        return Tied(AdaptiveAvgPool3D(g, deep.T, down.T, across.T), x)


def even_shares(length, parts, dtype):
    """The matrix (parts, length) that averages over `parts` windows, as even as they can be."""
    found = np.zeros((parts, length), dtype)
    for i in range(parts):
        start, stop = i * length // parts, -(-(i + 1) * length // parts)
        found[i, start:stop] = 1 / (stop - start)
    return found


# -- padding --------------------------------------------------------------------------------------


class ConstantPadNd(Operation):
    """`x` with a border of `value`: pairs (before, after) for all dimensions; negative ones cut off."""

    @in_image_order
    def forward(x, pairs, value):
        grown = [(max(b, 0), max(a, 0)) for b, a in pairs]
        x = Window((1,) * x.ndim, (1,) * x.ndim, (1,) * x.ndim, grown).pad(x, value)
        cut = [slice(max(-b, 0), n - max(-a, 0)) for n, (b, a) in zip(x.shape, pairs)]
        return x[tuple(cut)].copy()

    def grad_x(g, pairs):
        return ConstantPadNd(g, tuple([(-b, -a) for b, a in pairs]), 0)
