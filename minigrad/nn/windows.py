"""Windows that slide over images: convolution and maximum pooling.

Images are (N, C, H, W): a batch of N, C channels, height and width. At each of its H' x W' places a
window sees a small part of them. Mirrors
https://docs.pytorch.org/docs/2.13/nn.functional.html#convolution-functions
"""

from math import prod

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..operation import Operation
from ..ops.index import ScatterAdd, arrays
from ..tensor import make


def slide(x, size, stride):
    """What a window sees at each place: a view (..., H', W', *size). It must not be too large."""
    if x.shape[-2] < size[0] or x.shape[-1] < size[1]:
        text = "Calculated padded input size per channel: ({} x {}). Kernel size: ({} x {}). "
        text += "Kernel size can't be greater than actual input size"
        raise RuntimeError(text.format(*x.shape[-2:], *size))
    windows = sliding_window_view(x, size, (-2, -1), writeable=True)
    return windows[..., :: stride[0], :: stride[1], :, :]


def padded(x, padding, border):
    """Images with a border, as wide as `padding` says."""
    around = [(0, 0)] * (x.ndim - 2) + [(width, width) for width in padding]
    return np.pad(x, around, constant_values=border) if any(padding) else x


class Columns(Operation, name="Im2ColBackward0"):
    """What a window sees at each place, as a column: (N, C, H, W) to (N, C * KH * KW, H' * W')."""

    def forward(x, size, stride, padding):
        windows = slide(padded(x, padding, 0), size, stride).transpose(0, 1, 4, 5, 2, 3)
        return windows.reshape(len(x), prod(windows.shape[1:4]), prod(windows.shape[4:]))

    def grad_x(g, x_shape, size, stride, padding):
        return Images.apply(g, x_shape, size, stride, padding)


class Images(Operation, name="Col2ImBackward0"):
    """The way back: each number of the columns is added to where it was seen."""

    def forward(x, shape, size, stride, padding):
        whole = padded(np.zeros(shape, x.dtype), padding, 0)
        windows = slide(whole, size, stride)
        x = x.reshape(*shape[:2], *size, *windows.shape[2:4])
        for i, j in np.ndindex(size):
            windows[..., i, j] += x[:, :, i, j]
        (top, left), (height, width) = padding, shape[2:]
        return np.ascontiguousarray(whole[:, :, top : top + height, left : left + width])

    def grad_x(g, _x, _shape, size, stride, padding):
        return Columns.apply(g, size, stride, padding)


class Convolution(Operation):
    """`x` (N, C, H, W) seen through O windows with weights (O, C, KH, KW): (N, O, H', W').

    A product of matrices: each window's weights are a row, what is seen at each place a column.
    """

    called = {"x": "input"}

    def forward(x, weight, bias, stride, padding):
        columns = Columns.forward(x, weight.shape[2:], stride, padding)
        out = weight.reshape(len(weight), -1) @ columns
        if bias is not None:
            out += bias.reshape(-1, 1)
        height = (x.shape[2] + 2 * padding[0] - weight.shape[2]) // stride[0] + 1
        return out.reshape(*out.shape[:2], height, -1)

    def grad_x(g, x, weight, _bias, stride, padding):
        spread = weight.reshape(len(weight), -1).mT @ g.reshape(*g.shape[:2], -1)
        return Images.apply(spread, x.shape, weight.shape[2:], stride, padding)

    def grad_weight(g, x, weight, _bias, stride, padding):
        columns = Columns.apply(x, weight.shape[2:], stride, padding)
        return (g.reshape(*g.shape[:2], -1) @ columns.mT).sum(0).reshape(weight.shape)

    def grad_bias(g, _x, _weight, _bias, _stride, _padding):
        return g.sum((0, 2, 3))


def conv2d(input, weight, bias=None, stride=1, padding=0):
    """Convolution: input (N, C, H, W) or (C, H, W), weight (O, C, KH, KW), bias (O).

    The result is (N, O, H', W'). RuntimeError for what does not fit together.
    """
    if input.ndim == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding).squeeze(0)
    if input.ndim != 4 or input.shape[1] != weight.shape[1]:
        sizes, shape, channels = list(weight.shape), list(input.shape), weight.shape[1]
        raise RuntimeError(
            f"Given groups=1, weight of size {sizes}, expected input{shape} to have "
            f"{channels} channels, but got {shape[1]} channels instead"
        )
    if input.dtype is not weight.dtype:
        kinds = [tensor.dtype.tensor_name.lower() for tensor in (input, weight)]
        raise RuntimeError("Input type ({}) and bias type ({}) should be the same".format(*kinds))
    return Convolution.apply(input, weight, bias, pair(stride), pair(padding))


class MaxPool2DWithIndices(Operation):
    """The elements at the places `index` of the flattened `x`, in a certain shape."""

    tensors, called = ("index",), {"index": "result1"}

    def forward(x, index, shape):
        return x.reshape(-1)[arrays(index)].reshape(shape)

    def grad_x(g, x, index, _shape):
        return ScatterAdd.apply(g.reshape(-1), (prod(x.shape),), index).reshape(x.shape)


def largest(x, size, stride, padding):
    """Where in the flattened `x` each window has its largest element: the first, if several."""
    windows, (height, width) = slide(padded(x, padding, -np.inf), size, stride), x.shape[-2:]
    rows, columns = [
        np.arange(n) * step - border for n, step, border in zip(windows.shape[-4:], stride, padding)
    ]
    best, place = -np.inf, rows.clip(0)[:, None] * width + columns.clip(0)
    for i, j in np.ndindex(size):
        seen = windows[..., i, j]
        better = (seen > best) | (seen != seen)  # a nan wins
        place = np.where(better, (rows[:, None] + i) * width + columns + j, place)
        best = np.maximum(best, seen)
    planes = np.arange(prod(x.shape[:-2])).reshape(*x.shape[:-2], 1, 1)
    return planes * (height * width) + place


def max_pool2d(input, kernel_size, stride=None, padding=0):
    """The largest element in each window, input (N, C, H, W) or (C, H, W); the first of several.

    Windows lie side by side unless `stride` says otherwise. The result is (N, C, H', W').
    RuntimeError for what does not fit together.
    """
    size, padding = pair(kernel_size), pair(padding)
    if any(p > k // 2 for p, k in zip(padding, size)):
        raise RuntimeError("pad should be at most half of effective kernel size")
    index = largest(input._array, size, size if stride is None else pair(stride), padding)
    return MaxPool2DWithIndices.apply(input, (make(index.reshape(-1)),), index.shape)


def pair(value):
    """A number for height and width, or one for each, as a tuple of two; else TypeError."""
    numbers = (value, value) if isinstance(value, (int, np.integer)) else tuple(value)
    if len(numbers) != 2:
        raise TypeError(f"expected a number for height and width, or one for each, not {value!r}")
    return numbers
