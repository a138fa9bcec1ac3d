"""Images in other sizes: interpolation, pixels moved to channels, windows as columns.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#vision-functions
"""

import math

import numpy as np

from ...ops import resize
from ...ops.softmax import not_implemented
from ...ops.window import Window
from ...tensor import Tensor
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

_MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
_NEEDS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}  # dimensions of the input


def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None,
    recompute_scale_factor=None, antialias=False,
):  # fmt: skip
    """A line (N, C, L), image (N, C, H, W) or volume in another `size`, or larger by `scale_factor`.

    Modes: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area". A result
    (N, C, *size).
    ValueError unless either size or factor is given, NotImplementedError for another mode or number of
    dimensions.
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear "
                "| bicubic | trilinear"
            )
    if antialias:
        raise NotImplementedError("minigrad's interpolate has no antialias")
    space = input._array.shape[2:]
    lengths, scales = _lengths(space, size, scale_factor, recompute_scale_factor)
    if mode in _NEEDS and input.ndim in (3, 4, 5) and input.ndim != _NEEDS[mode]:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_NEEDS[mode]}D input")
    if input.ndim not in (3, 4, 5) or mode not in ("nearest", "nearest-exact", "area", *_NEEDS):
        raise NotImplementedError(
            "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
            f"{input.ndim}D) for the modes: {_MODES} (got {mode})"
        )
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[len(space) - 1](input, lengths)
    if mode.startswith("nearest"):
        if input._array.dtype.kind != "f" and input._array.dtype != np.uint8:
            raise not_implemented(_kernel(mode, lengths), input)
        exact = mode == "nearest-exact"
        found = [resize.nearest(n, k, s, exact) for n, k, s in zip(space, lengths, scales)]
        name = f"UpsampleNearest{'Exact' if exact else ''}{len(space)}D"
        return getattr(resize, name)(input, (Ellipsis, *np.ix_(*found)))
    shares = resize.cubic_shares if mode == "bicubic" else resize.linear_shares
    dtype, align = input._array.dtype, bool(align_corners)
    if dtype.kind != "f":
        if dtype != np.uint8 or mode in ("linear", "trilinear"):
            raise not_implemented(_kernel(mode, lengths), input)
        dtype = np.float64
    found = [shares(n, k, s, align, dtype) for n, k, s in zip(space, lengths, scales)]
    operation = {"linear": resize.UpsampleLinear1D, "bilinear": resize.UpsampleBilinear2D,
                 "bicubic": resize.UpsampleBicubic2D, "trilinear": resize.UpsampleTrilinear3D}[mode]  # fmt: skip
    return operation(input, *found)


def _kernel(mode, lengths):
    """What PyTorch calls the inner loop that would make an output of these lengths."""
    mode = mode.removesuffix("-exact")
    if len(lengths) == 2 and mode != "bicubic":
        return f"upsample_{mode}2d_channels_last"
    return "compute_indices_weights_" + {"bicubic": "cubic", "nearest": "nearest"}.get(mode, "linear")


def _lengths(space, size, scale_factor, recompute):
    """The lengths wanted, and how far apart, in the input, their elements are."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = scale_factor if size is None else size
    what, letters = ("scale_factor of shape", "s") if size is None else ("output size of", "o")
    if not isinstance(given, (list, tuple)):
        given = (given,) * len(space)
    if len(given) != len(space):
        name = "scale_factor" if size is None else "output size"
        raise ValueError(
            f"Input and {name.removesuffix(' size')} must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(space)} and {what} {given}. Please provide input tensor in "
            f"(N, C, d1, d2, ...,dK) format and {name} in ({letters}1, {letters}2, ...,{letters}K) "
            "format."
        )
    if size is not None:
        lengths = tuple(map(int, given))
    else:
        lengths = tuple([math.floor(n * float(s)) for n, s in zip(space, given)])
    if any(n <= 0 for n in lengths):
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input {_by(space)} output "
            f"{_by(lengths)}"
        )
    if size is None and not recompute:
        return lengths, [1.0 / float(s) for s in given]
    return lengths, [n / k for n, k in zip(space, lengths)]


def _by(shape):
    return f"({', '.join(f'{axis}: {n}' for axis, n in zip('DHW'[-len(shape):], shape))})"


def pixel_shuffle(input, upscale_factor):
    """Channels to pixels: (*, C * r * r, H, W) becomes (*, C, H * r, W * r).

    RuntimeError for fewer than three dimensions, and channels that cannot be divided by r * r.
    """
    if input.ndim < 3:
        raise RuntimeError(
            "pixel_shuffle expects input to have at least 3 dimensions, but got input with "
            f"{input.ndim} dimension(s)"
        )
    if upscale_factor <= 0:
        raise RuntimeError(
            f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}"
        )
    channels = input._array.shape[-3]
    if channels % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={channels} is not divisible by {upscale_factor**2}"
        )
    return resize.PixelShuffle(input, upscale_factor)


def pixel_unshuffle(input, downscale_factor):
    """Pixels to channels: (*, C, H * r, W * r) becomes (*, C * r * r, H, W).

    RuntimeError for fewer than three dimensions, and lengths that cannot be divided by r.
    """
    if input.ndim < 3:
        raise RuntimeError(
            "pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
            f"{input.ndim} dimension(s)"
        )
    if downscale_factor <= 0:
        raise RuntimeError(
            f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}"
        )
    for name, n in zip(("height", "width"), input._array.shape[-2:]):
        if n % downscale_factor:
            place = -2 if name == "height" else -1
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({place})={n} is not divisible by {downscale_factor}"
            )
    return resize.PixelUnshuffle(input, downscale_factor)


def channel_shuffle(input, groups):
    """Channels in `groups`, dealt out in turn: input (N, C, *).

    The same shape. RuntimeError if C cannot be divided by `groups`.
    """
    if input._array.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {input._array.shape[1]} channels "
            f"and {groups} groups."
        )
    return resize.ChannelShuffle(input, groups)


def _pair(value, name):
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
    return pair


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """What a window sees at each place: input (N, C, H, W), a result (N, C * size, places).

    RuntimeError for other shapes and windows that do not fit.
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    window = _window(kernel_size, dilation, padding, stride)
    places = window.places(input._array.shape[-2:])
    if min(places) < 1:
        pads = tuple([p for p, _ in window.padding])
        raise RuntimeError(
            f"Given input with spatial size {input._array.shape[-2:]}, kernel_size={window.size}, "
            f"dilation={window.dilation}, padding={pads}, calculated shape of the array of sliding "
            f"blocks as {places}, but its components must be at least one."
        )
    return resize.Im2Col(input, window)


def _window(kernel_size, dilation, padding, stride):
    kernel_size, dilation = _pair(kernel_size, "kernel_size"), _pair(dilation, "dilation")
    padding, stride = _pair(padding, "padding"), _pair(stride, "stride")
    for least, adjective, name, pair in (
        (1, "greater than zero", "kernel", kernel_size), (1, "greater than zero", "dilation", dilation),
        (0, "non-negative", "pad", padding), (1, "greater than zero", "stride", stride),
    ):  # fmt: skip
        if min(pair) < least:
            what = {"kernel": "kernel size", "pad": "padding"}.get(name, name)
            raise RuntimeError(
                f"{what} should be {adjective}, but got {name}_height: {pair[0]} {name}_width: {pair[1]}"
            )
    return Window(kernel_size, stride, dilation, tuple([(p, p) for p in padding]))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The way back through `unfold`: columns (N, C * size, places) added up to (N, C, *output_size).

    RuntimeError for other shapes.
    """
    window, space = _window(kernel_size, dilation, padding, stride), _pair(output_size, "output_size")
    *lead, rows, blocks = input._array.shape
    size, places = math.prod(window.size), window.places(space)
    if rows % size:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
            f"got input.size(1)={rows} and kernel_size={window.size}."
        )
    if math.prod(places) != blocks:
        pads = tuple([p for p, _ in window.padding])
        raise RuntimeError(
            f"Given output_size={space}, kernel_size={window.size}, dilation={window.dilation}, "
            f"padding={pads}, stride={window.stride}, expected size of input's dimension 2 to match "
            f"the calculated number of sliding blocks {places[0]} * {places[1]} = "
            f"{math.prod(places)}, but got input.size(2)={blocks}."
        )
    return resize.Col2Im(input, (*lead, rows // size, *space), window)
