"""Images in other sizes and orders: padding by repetition, interpolation, pixels moved to channels."""

import itertools
import math
from math import prod

import numpy as np

from ..operation import Operation
from .convert import in_image_order, row_by_row
from .elementwise import Tied
from .select import Index, PlaceAdd
from .window import MaxPool2DWithIndices, add_columns, columns

# -- padding: the border is picked from the input ---------------------------------------------------


class Border(Index):
    """An input that is kept, though only its shape is needed to go back."""

    @in_image_order
    def forward(x, index):
        return x[index]

    def grad_x(g, x, index):
        return Tied(PlaceAdd(g, x.shape, index), x)


class ReflectionPad1D(Border):
    """A line continued as in a mirror."""


class ReflectionPad2D(Border):
    """A plane continued as in mirrors."""


class ReflectionPad3D(Border):
    """A space continued as in mirrors."""


class ReplicationPad1D(Border):
    """A line continued by its ends."""


class ReplicationPad2D(Border):
    """A plane continued by its edges."""


class ReplicationPad3D(Border):
    """A space continued by its faces."""


class CircularPad(Index, name="CopySlices"):
    """An input continued as if it began again."""

    namespace = "torch::autograd::"

    def forward(x, index):
        return row_by_row(x[index])


# -- interpolation --------------------------------------------------------------------------------


class Picked(Operation):
    """Elements of `x` at fixed places: nothing that backward needs has to be kept from change."""

    @in_image_order
    def forward(x, index):
        return x[index]

    def grad_x(g, x_shape, index):
        return PlaceAdd(g, x_shape, index)


class UpsampleNearest1D(Picked):
    """A line in another length: the nearest element."""


class UpsampleNearest2D(Picked):
    """An image in another size: the nearest pixel."""


class UpsampleNearest3D(Picked):
    """A volume in another size: the nearest voxel."""


class UpsampleNearestExact1D(Picked):
    """The same, measured from the middle of each element."""


class UpsampleNearestExact2D(Picked):
    """The same, measured from the middle of each pixel."""


class UpsampleNearestExact3D(Picked):
    """The same, measured from the middle of each voxel."""


class UpsampleLinear1D(Operation):
    """A line in another length: a matrix of shares, linear in the distance."""

    @in_image_order
    def forward(x, across):
        return x @ across.T

    def grad_x(g, across):
        return UpsampleLinear1D(g, across.T)


class UpsampleBilinear2D(Operation):
    """An image in another size: a matrix of shares for each dimension."""

    @in_image_order
    def forward(x, down, across):
        if x.dtype == np.uint8:
            wide = _in_whole_numbers(x, across)
            return _in_whole_numbers(wide.swapaxes(-1, -2), down).swapaxes(-1, -2)
        return down @ x @ across.T

    def grad_x(g, down, across):
        return UpsampleBilinear2D(g, down.T, across.T)


class UpsampleTrilinear3D(Operation):
    """A volume in another size: a matrix of shares for each dimension."""

    @in_image_order
    def forward(x, deep, down, across):
        x = down @ x @ across.T
        *lead, depth, height, width = x.shape
        return (deep @ x.reshape(*lead, depth, height * width)).reshape(*lead, len(deep), height, width)

    def grad_x(g, deep, down, across):
        return UpsampleTrilinear3D(g, deep.T, down.T, across.T)


class UpsampleBicubic2D(UpsampleBilinear2D):
    """The same with shares that are cubic in the distance."""


def _in_whole_numbers(x, shares):
    """Bytes resized along the last dimension as PyTorch does it: with shares of 15 bits, rounded to bytes."""
    out, length = shares.shape
    if out == length:
        return x
    bits = 1
    while bits < 22 and int(0.5 + shares.max() * 2 ** (bits + 1)) < 2**15:
        bits += 1
    whole = np.trunc(shares * 2**bits + np.copysign(0.5, shares)).astype(np.int64)
    return np.clip((x @ whole.T + 2 ** (bits - 1)) >> bits, 0, 255).astype(np.uint8)


def nearest(length, out, scale, exact):
    """Which element is nearest to each of `out` places, `scale` apart."""
    places = (np.arange(out) + (0.5 if exact else 0.0)) * scale
    return np.minimum(places.astype(np.int64), length - 1)


def linear_shares(length, out, scale, align_corners, dtype):
    """The matrix (out, length) of shares that fall linearly with the distance."""
    places = np.maximum(_places(length, out, scale, align_corners), 0)
    low = np.minimum(places.astype(np.int64), length - 1)
    high, share = np.minimum(low + 1, length - 1), places - low
    found, rows = np.zeros((out, length)), np.arange(out)
    np.add.at(found, (rows, low), 1 - share)
    np.add.at(found, (rows, high), share)
    return found.astype(dtype)


def cubic_shares(length, out, scale, align_corners, dtype, a=-0.75):
    """The matrix (out, length) of shares by Keys' cubic convolution."""
    places = _places(length, out, scale, align_corners)
    low = np.floor(places).astype(np.int64)
    found, rows = np.zeros((out, length)), np.arange(out)
    for step in (-1, 0, 1, 2):
        d = np.abs(places - low - step)
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        np.add.at(found, (rows, np.clip(low + step, 0, length - 1)), np.where(d <= 1, near, far))
    return found.astype(dtype)


def _places(length, out, scale, align_corners):
    """Where in the input the `out` elements lie."""
    if align_corners:
        return np.arange(out) * ((length - 1) / (out - 1) if out > 1 else 0.0)
    return (np.arange(out) + 0.5) * scale - 0.5


# -- pixels and channels --------------------------------------------------------------------------


class PixelShuffle(Operation):
    """Squares of `r` x `r` channels become squares of pixels."""

    def forward(x, r):
        *lead, c, h, w = x.shape
        x = x.reshape(*lead, c // r**2, r, r, h, w)
        n = len(lead)
        order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
        return x.transpose(order).reshape(*lead, c // r**2, h * r, w * r)

    def grad_x(g, r):
        return PixelUnshuffle(g, r)


class PixelUnshuffle(Operation):
    """Squares of `r` x `r` pixels become channels."""

    def forward(x, r):
        *lead, c, h, w = x.shape
        x = x.reshape(*lead, c, h // r, r, w // r, r)
        n = len(lead)
        order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
        return x.transpose(order).reshape(*lead, c * r**2, h // r, w // r)

    def grad_x(g, r):
        return PixelShuffle(g, r)


class ChannelShuffle(Operation):
    """Channels, in `groups`, dealt out in turn."""

    def forward(x, groups):
        n, c, *space = x.shape
        return x.reshape(n, groups, c // groups, *space).swapaxes(1, 2).copy().reshape(x.shape)

    def grad_x(g, x_shape, groups):
        return ChannelShuffle(g, x_shape[1] // groups)


# -- windows as columns ---------------------------------------------------------------------------


class Im2Col(Operation):
    """What a window sees of `x` (N, C, H, W) at each place: (N, C * size, places); N may be absent."""

    def forward(x, window):
        if x.ndim == 3:
            return Im2Col.forward(x[None], window)[0]
        n, channels = x.shape[:2]
        shape = (channels * prod(window.size), n, prod(window.places(x.shape[2:])))
        return np.ascontiguousarray(columns(x, window, 1).reshape(shape).swapaxes(0, 1))

    def grad_x(g, x_shape, window):
        return Col2Im(g, x_shape, window)


class Col2Im(Operation):
    """Columns added up where the window saw them: an array of `shape`."""

    def forward(x, shape, window):
        if x.ndim == 2:
            return Col2Im.forward(x[None], (1, *shape), window)[0]
        return add_columns(np.ascontiguousarray(x.swapaxes(0, 1)), shape, window)

    def grad_x(g, window):
        return Im2Col(g, window)


# -- pooling --------------------------------------------------------------------------------------


class AdaptiveMaxPool2D(MaxPool2DWithIndices):
    """The largest element of each of a number of windows that share a plane evenly."""


class AdaptiveMaxPool3D(MaxPool2DWithIndices):
    """The largest element of each of a number of windows that share a volume evenly."""


def largest_in_shares(x, parts):
    """Where, in its flattened space, the largest element of each window is; the first of several."""
    space = x.shape[-len(parts) :]
    found = np.empty((*x.shape[: -len(parts)], *parts), np.int64)
    shares = [[(i * n // k, -(-(i + 1) * n // k)) for i in range(k)] for n, k in zip(space, parts)]
    numbered = np.arange(math.prod(space)).reshape(space)
    for place in itertools.product(*map(range, parts)):
        window = tuple([slice(*share[i]) for share, i in zip(shares, place)])
        seen = x[(..., *window)]
        at = seen.reshape(*seen.shape[: -len(parts)], math.prod(seen.shape[-len(parts) :])).argmax(-1)
        found[(..., *place)] = numbered[window].reshape(-1)[at]
    return found
