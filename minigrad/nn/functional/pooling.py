"""Pooling and padding.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#pooling-functions
"""

import math

import numpy as np

from ...ops import window
from ...ops import resize
from ...ops.resize import AdaptiveMaxPool2D, largest_in_shares
from ...ops.softmax import not_implemented
from ...tensor import make, wrap_dim


def _two(value, function, name):
    """An argument of a pooling as two ints."""
    value = (value,) if isinstance(value, int) else tuple(value)
    if len(value) not in (1, 2):
        raise RuntimeError(f"{function}: {name} must either be a single int, or a tuple of two ints")
    return value * 2 if len(value) == 1 else value


def _pooling(name, input, kernel_size, stride, padding, dilation, ceil_mode):
    """The `Window` of a pooling, with the border that `ceil_mode` adds at the far ends."""
    size = _two(kernel_size, name, "kernel_size")
    stride = size if stride is None or stride == () else _two(stride, name, "stride")
    padding, dilation = _two(padding, name, "padding"), _two(dilation, name, "dilation")
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for pad, length, step in zip(padding, size, dilation):
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > (step * (length - 1) + 1) // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={pad}, kernel_size={length} and dilation={step}"
            )
    if min(dilation) < 1:
        raise RuntimeError(
            f"dilation should be greater than zero, but got dilationH: {dilation[0]} "
            f"dilationW: {dilation[1]}"
        )
    space, pairs = input._array.shape[-2:], []
    for n, k, s, p, d in zip(space, size, stride, padding, dilation):
        after = p
        if ceil_mode:
            reach = d * (k - 1) + 1
            places = -((reach - n - 2 * p) // s) + 1
            places -= (places - 1) * s >= n + p  # a window must begin before the far border
            after = max(p, (places - 1) * s + reach - n - p)
        pairs.append((p, after))
    found = window.Window(size, stride, dilation, tuple(pairs))
    places = found.places(space)
    if min(places) < 1:
        c = input._array.shape[-3]
        was, now = [f"{c}x{h}x{w}" for h, w in (space, [max(n, 0) for n in places])]
        raise RuntimeError(
            f"Given input size: ({was}). Calculated output size: ({now}). Output size is too small"
        )
    return found, places


def max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest element in each window (the first of several): input (N, C, H, W) or (C, H, W).

    A result (N, C, *places), with `return_indices` also where they were. RuntimeError for other shapes
    and windows that do not fit.
    """
    if input.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    found, _ = _pooling("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode)
    if 0 in input._array.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(input.shape)}"
        )
    index = window.largest(input._array, found)
    out = window.MaxPool2DWithIndices(input, index)
    return (out, make(index)) if return_indices else out


def max_pool1d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest element in each window: input (N, C, L) or (C, L).

    A result (N, C, places). RuntimeError for other shapes and windows that do not fit.
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{list(input.shape)}"
        )
    if input._array.dtype.kind != "f":
        raise not_implemented("max_pool1d_impl", input)
    rows = [_row(v, lead) for v, lead in
            ((kernel_size, 1), (stride, 1), (padding, 0), (dilation, 1))]  # fmt: skip
    out, index = max_pool2d(input.unsqueeze(-2), *rows, ceil_mode, return_indices=True)
    return (out.squeeze(-2), index.squeeze(-2)) if return_indices else out.squeeze(-2)


def _row(value, lead):
    """An argument for one dimension as one for two, the first of which has length 1."""
    if value is None or value == ():
        return None
    return (lead, value if isinstance(value, int) else value[0])


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None,
):  # fmt: skip
    """The mean of each window: input (N, C, H, W) or (C, H, W).

    A result (N, C, *places). RuntimeError for other shapes, windows that do not fit, and a
    `divisor_override` of 0.
    """
    if input.ndim < 3:
        wrap_dim(-3, input.ndim)
    if input.ndim > 4:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(input.shape)}"
        )
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    found, places = _pooling("avg_pool2d", input, kernel_size, stride, padding, 1, ceil_mode)
    divisor = divisor_override
    if divisor is None:
        divisor = math.prod(found.size)
        if any(map(any, found.padding)):
            down, across = [
                _seen(count_include_pad, *of)
                for of in zip(input._array.shape[-2:], places, found.size, found.stride,
                              _two(padding, "avg_pool2d", "padding"))
            ]  # fmt: skip
            divisor = np.outer(down, across).astype(input._array.dtype)
    return window.AvgPool2D(input, found, divisor)


def _seen(include_pad, length, places, size, stride, pad):
    """How many elements the window counts at each of its places along one dimension."""
    start = np.arange(places) * stride - pad
    stop = np.minimum(start + size, length + pad)
    if include_pad:
        return stop - start
    return np.minimum(stop, length) - np.maximum(start, 0)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window: input (N, C, L) or (C, L).

    A result (N, C, places). RuntimeError for other shapes and windows that do not fit.
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
            "'self' (while checking arguments for avg_pool1d)"
        )
    rows = [_row(v, lead) for v, lead in ((kernel_size, 1), (stride, 1), (padding, 0))]
    return avg_pool2d(input.unsqueeze(-2), *rows, ceil_mode, count_include_pad).squeeze(-2)


def adaptive_avg_pool2d(input, output_size):
    """Means over as many windows as `output_size` (an int or two; None keeps a length) asks for.

    Input (N, C, H, W) or (C, H, W), a result (N, C, *output_size). RuntimeError for other shapes or a
    negative size.
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(
            f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}"
        )
    space = input._array.shape[-2:]
    wanted = (output_size,) * 2 if isinstance(output_size, int) else tuple(output_size)
    wanted = [n if w is None else w for n, w in zip(space, wanted)]
    if min(wanted) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
            f"received {{{wanted[0]}, {wanted[1]}}}"
        )
    if input._array.dtype.kind != "f":
        raise not_implemented("adaptive_avg_pool2d", input)
    if wanted == [1, 1]:
        return input.mean((-1, -2), keepdim=True)
    shares = [window.even_shares(n, w, input._array.dtype) for n, w in zip(space, wanted)]
    return window.AdaptiveAvgPool2D(input, *shares)


def adaptive_avg_pool1d(input, output_size):
    """Means over `output_size` windows: input (N, C, L) or (C, L).

    A result (N, C, output_size). RuntimeError for other shapes.
    """
    wanted = output_size if isinstance(output_size, int) else output_size[0]
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, wanted)).squeeze(-2)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest elements of as many windows as `output_size` (an int or two) asks for.

    None keeps a length. Input (N, C, H, W) or (C, H, W), a result (N, C, *output_size). RuntimeError
    for other shapes.
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(
            f"adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: {list(input.shape)}"
        )
    space = input._array.shape[-2:]
    wanted = (output_size,) * 2 if isinstance(output_size, int) else tuple(output_size)
    index = largest_in_shares(input._array, [n if w is None else w for n, w in zip(space, wanted)])
    found = AdaptiveMaxPool2D(input, index)
    return (found, make(index)) if return_indices else found


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The largest elements of `output_size` windows: input (N, C, L) or (C, L).

    A result (N, C, output_size). RuntimeError for other shapes.
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
            "'self' (while checking arguments for adaptive_max_pool1d)"
        )
    wanted = output_size if isinstance(output_size, int) else output_size[0]
    found, index = adaptive_max_pool2d(input.unsqueeze(-2), (1, wanted), True)
    found = found.squeeze(-2)
    return (found, index.squeeze(-2)) if return_indices else found


def pad(input, pad, mode="constant", value=None):
    """A border of `pad` = (left, right, top, bottom, ...): last dimension first; negative ones cut off.

    Modes: "constant", "reflect", "replicate", "circular". Each length grows by what is put before and
    behind it. RuntimeError for an odd number of entries, more than there are dimensions, and a border
    longer than what it mirrors; NotImplementedError for another mode.
    """
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(pad)} and input of dimension {input.ndim}"
        )
    pairs = list(zip(pad[::2], pad[1::2]))[::-1]
    if mode == "constant":
        pairs = [(0, 0)] * (input.ndim - len(pairs)) + pairs
        if any(n + b + a < 0 for n, (b, a) in zip(input._array.shape, pairs)):
            raise RuntimeError("narrow(): length must be non-negative.")
        return window.ConstantPadNd(input, tuple(pairs), 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(pad) // 2 not in (input.ndim - 1, input.ndim - 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    index, dims = [], len(pairs)
    for dim, (before, after) in enumerate(pairs, input.ndim - len(pairs)):
        n = input._array.shape[dim]
        if mode == "reflect" and max(before, after) >= n:
            raise RuntimeError(
                f"Argument #{2 * (input.ndim - dim) + 2}: Padding size should be less than the "
                f"corresponding input dimension, but got: padding ({before}, {after}) at dimension "
                f"{dim} of input {list(input.shape)}"
            )
        at = np.arange(-before, n + after)
        if mode == "reflect":
            at = n - 1 - np.abs(n - 1 - np.abs(at))
        if mode == "circular":  # what is left after cutting begins again
            first, last = max(-before, 0), n - max(-after, 0)
            at = (at - first) % (last - first) + first
        at = np.clip(at, 0, n - 1)
        index.append(at.reshape(-1, *[1] * (input.ndim - 1 - dim)))
    name = {"reflect": "ReflectionPad", "replicate": "ReplicationPad"}.get(mode)
    operation = getattr(resize, f"{name}{dims}D") if name else resize.CircularPad
    return operation(input, (Ellipsis, *index))
