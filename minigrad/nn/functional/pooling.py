"""Pooling and padding.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#pooling-functions
"""

import functools
import math

import numpy as np

from ...ops import resize, window
from ...ops.arguments import no_bools, only_floats
from ...ops.resize import AdaptiveMaxPool2D, AdaptiveMaxPool3D, largest_in_shares
from ...ops.softmax import not_implemented
from ...tensor import make, wrap_dim


_COUNTED = {2: "two", 3: "three"}
_AXES = {2: "HW", 3: "THW"}


def _numbers(value, dims, function, name):
    """An argument of a pooling as an int for each dimension of space."""
    value = (value,) if isinstance(value, int) else tuple(value)
    if len(value) not in (1, dims):
        must = "must be either" if name == "dilation" else "must either be"
        must = "must be" if function == "avg_pool3d" else must
        omitted = " omitted," * (name == "stride")
        raise RuntimeError(
            f"{function}: {name} {must}{omitted} a single int, or a tuple of {_COUNTED[dims]} ints"
        )
    return value * dims if len(value) == 1 else value


def _pooling(name, input, dims, kernel_size, stride, padding, dilation, ceil_mode):
    """The `Window` of a pooling, with the border that `ceil_mode` adds at the far ends."""
    size = _numbers(kernel_size, dims, name, "kernel_size")
    stride = size if stride is None or stride == () else _numbers(stride, dims, name, "stride")
    padding = _numbers(padding, dims, name, "padding")
    dilation = _numbers(dilation, dims, name, "dilation")
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for pad, length, step in zip(padding, size, dilation):
        if pad < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
        if pad > int((step * (length - 1) + 1) / 2):
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={pad}, kernel_size={length} and dilation={step}"
            )
    for what, sign, numbers in (("kernel size", "k", size), ("stride", "d", stride), ("dilation", "dilation", dilation)):
        if min(numbers) < 1:
            given = " ".join(f"{sign}{axis}: {n}" for axis, n in zip(_AXES[dims], numbers))
            raise RuntimeError(f"{what} should be greater than zero, but got {given}")
    _need_elements(name, input, dims)
    space, pairs = input._array.shape[-dims:], []
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
    if min(places) < 1 and name == "avg_pool3d":
        image = " ".join(f"{axis}: {n}" for axis, n in zip("THW", space))
        kernel = " ".join(f"k{axis}: {n}" for axis, n in zip("THW", size))
        raise RuntimeError(f"input image ({image}) smaller than kernel size ({kernel})")
    if min(places) < 1:
        c = input._array.shape[-dims - 1]
        was, now = ["x".join(map(str, (c, *of))) for of in (space, [max(n, 0) for n in places])]
        raise RuntimeError(
            f"Given input size: ({was}). Calculated output size: ({now}). Output size is too small"
        )
    return found, places


def _max_pool(operation, input, dims, settings, return_indices):
    """Maximum pooling in `dims` dimensions; `settings` are those of `_pooling`."""
    found, _ = _pooling(f"max_pool{dims}d", input, dims, *settings)
    no_bools(f"max_pool{dims}d", input._array)
    index = window.largest(input._array, found)
    out = operation(input, index, dims)
    return (out, make(index)) if return_indices else out


def _no_image(input):
    return RuntimeError(
        "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
        f"{list(input.shape)}"
    )


def _need_elements(name, input, dims):
    """Refuse an image or volume without elements; a batch may be without any."""
    if 0 not in input._array.shape[-dims - 1 :]:
        return
    if dims == 2:
        raise _no_image(input)
    template = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else name
    raise RuntimeError(
        f"{template}(): Expected input's non-batch dimensions to have positive length, but input has a "
        f"shape of {list(input.shape)} and non-batch dimension 0 has length zero!"
    )


def max_pool3d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest element in each window: input (N, C, D, H, W) or (C, D, H, W).

    A result (N, C, *places), with `return_indices` also where they were. RuntimeError for other shapes
    and windows that do not fit.
    """
    if input.ndim not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    settings = (kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool(window.MaxPool3DWithIndices, input, 3, settings, return_indices)


def max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest element in each window (the first of several): input (N, C, H, W) or (C, H, W).

    A result (N, C, *places), with `return_indices` also where they were. RuntimeError for other shapes
    and windows that do not fit.
    """
    if input.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    settings = (kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool(window.MaxPool2DWithIndices, input, 2, settings, return_indices)


def max_pool1d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest element in each window: input (N, C, L) or (C, L).

    A result (N, C, places). RuntimeError for other shapes and windows that do not fit.
    """
    settings = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    if not return_indices:
        _check_line(input, **settings)
    rows = _rows("max_pool1d", input, **settings)
    out, index = max_pool2d(input.unsqueeze(-2), *rows, ceil_mode, return_indices=True)
    return (out.squeeze(-2), index.squeeze(-2)) if return_indices else out.squeeze(-2)


def _check_line(input, **settings):
    """What `max_pool1d` says of its own of what does not fit."""
    if input.ndim not in (2, 3) or 0 in input._array.shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got:{list(input.shape)}"
        )
    given = {}
    for name, value in settings.items():
        given[name] = value = (value,) if isinstance(value, int) else () if value is None else tuple(value)
        if len(value) != 1 and (name != "stride" or value):
            kinds = "an int, list of ints" + ("," if name in ("stride", "padding") else "") + " or"
            kinds = f"None, {kinds}" if name == "stride" else kinds
            raise RuntimeError(f"max_pool1d() {name} must be {kinds} tuple of ints of size 1 but got size {len(value)}")
    given["stride"] = given["stride"] or given["kernel_size"]
    (size,), (pad,), (step,) = given["kernel_size"], given["padding"], given["dilation"]
    for name in ("kernel_size", "stride", "padding", "dilation"):
        number = given[name][0]
        if number < (name != "padding"):
            must = "non-negative" if name == "padding" else "greater than zero"
            raise RuntimeError(f"max_pool1d() {name} must be {must}, but got {number}")
        if name == "padding" and pad > size // 2:
            raise RuntimeError(
                f"max_pool1d() padding should be at most half of kernel size, but got padding={pad} and "
                f"kernel_size={size}"
            )
    if input._array.shape[-1] + 2 * pad < step * (size - 1) + 1:
        places = (input._array.shape[-1] + 2 * pad - step * (size - 1) - 1) // given["stride"][0] + 1
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {places}")
    if input._array.dtype.kind != "f":
        raise not_implemented("max_pool1d_impl", input)


def _rows(name, input, **settings):
    """The settings for one dimension as those for two, the first of which has length 1."""
    _need_line(name, input)
    for setting, value in settings.items():
        if setting == "stride" and (value is None or value == ()):
            value = settings["kernel_size"]
        value = _one(name, setting, value)
        yield (0 if setting == "padding" else 1, value)


def _one(name, setting, value):
    """An argument for one dimension as an int."""
    value = (value,) if isinstance(value, int) else tuple(value)
    if len(value) != 1:
        raise RuntimeError(f"{name}() argument '{setting}' should contain one int (got {len(value)})")
    return value[0]


def _need_line(name, input):
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
            f"'self' (while checking arguments for {name})"
        )


def _avg_pool(operation, input, dims, settings, count_include_pad, divisor):
    """Average pooling in `dims` dimensions; `settings` are those of `_pooling`, without dilation."""
    size, stride, padding, ceil_mode = settings
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    name = f"avg_pool{dims}d"
    found, places = _pooling(name, input, dims, size, stride, padding, 1, ceil_mode)
    no_bools(f"avg_pool{dims}d" if dims == 2 else "avg_pool3d_out_frame", input._array)
    if divisor is None:
        divisor = math.prod(found.size)
        if any(map(any, found.padding)):
            counts = [
                _seen(count_include_pad, *of)
                for of in zip(input._array.shape[-dims:], places, found.size, found.stride,
                              _numbers(padding, dims, name, "padding"))
            ]  # fmt: skip
            divisor = functools.reduce(np.multiply.outer, counts).astype(input._array.dtype)
    return operation(input, found, divisor)


def _seen(include_pad, length, places, size, stride, pad):
    """How many elements the window counts at each of its places along one dimension."""
    start = np.arange(places) * stride - pad
    stop = np.minimum(start + size, length + pad)
    if include_pad:
        return stop - start
    return np.minimum(stop, length) - np.maximum(start, 0)


def avg_pool3d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None,
):  # fmt: skip
    """The mean of each window: input (N, C, D, H, W) or (C, D, H, W).

    A result (N, C, *places). RuntimeError for other shapes, windows that do not fit, and a
    `divisor_override` of 0.
    """
    if input.ndim not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    settings = (kernel_size, stride, padding, ceil_mode)
    return _avg_pool(window.AvgPool3D, input, 3, settings, count_include_pad, divisor_override)


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
        raise _no_image(input)
    settings = (kernel_size, stride, padding, ceil_mode)
    return _avg_pool(window.AvgPool2D, input, 2, settings, count_include_pad, divisor_override)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window: input (N, C, L) or (C, L).

    A result (N, C, places). RuntimeError for other shapes and windows that do not fit.
    """
    rows = _rows("avg_pool1d", input, kernel_size=kernel_size, stride=stride, padding=padding)
    return avg_pool2d(input.unsqueeze(-2), *rows, ceil_mode, count_include_pad).squeeze(-2)


# -- as many windows as are asked for -------------------------------------------------------------


def _wanted(input, dims, output_size):
    """The lengths of an adaptive pooling's result as they are given, None for that of the input."""
    if isinstance(output_size, int):
        return [output_size] * dims
    if input.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    spaces = input._array.shape[-len(output_size) :]
    return [n if w is None else w for n, w in zip(spaces, output_size)]


def _need_shape(name, input, dims, first, colon=""):
    """Refuse another number of dimensions, and lengths of 0 from dimension `first` on."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(input.shape)}"
        )
    _need_space(name, input, first)


def _need_space(name, input, first):
    for dim in range(first, input.ndim):
        if not input._array.shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {dim} being empty"
            )


def _adaptive_avg_pool(name, operation, input, dims, output_size):
    wanted = _wanted(input, dims, output_size)
    if len(wanted) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims}")
    if min(wanted) < 0:
        listed = f"{wanted[0]}, " + ",".join(map(str, wanted[1:]))
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}"
        )
    if wanted == [1] * dims:
        return input.mean(tuple(range(-1, -dims - 1, -1)), keepdim=True)
    _need_shape(name, input, dims, input.ndim - 2 if dims == 2 else 1)
    if input._array.dtype.kind != "f":
        raise not_implemented(name if dims == 2 else f"{name}_cpu", input)
    space, dtype = input._array.shape[-dims:], input._array.dtype
    return operation(input, *[window.even_shares(n, w, dtype) for n, w in zip(space, wanted)])


def adaptive_avg_pool3d(input, output_size):
    """Means over as many windows as `output_size` (an int or three; None keeps a length) asks for.

    Input (N, C, D, H, W) or (C, D, H, W), a result (N, C, *output_size). RuntimeError for other shapes
    or a negative size.
    """
    return _adaptive_avg_pool("adaptive_avg_pool3d", window.AdaptiveAvgPool3D, input, 3, output_size)


def adaptive_avg_pool2d(input, output_size):
    """Means over as many windows as `output_size` (an int or two; None keeps a length) asks for.

    Input (N, C, H, W) or (C, H, W), a result (N, C, *output_size). RuntimeError for other shapes or a
    negative size.
    """
    return _adaptive_avg_pool("adaptive_avg_pool2d", window.AdaptiveAvgPool2D, input, 2, output_size)


def adaptive_avg_pool1d(input, output_size):
    """Means over `output_size` windows: input (N, C, L) or (C, L).

    A result (N, C, output_size). RuntimeError for other shapes.
    """
    _need_line("adaptive_avg_pool1d", input)
    wanted = _one("adaptive_avg_pool1d", "output_size", output_size)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, wanted)).squeeze(-2)


def _adaptive_max_pool(name, operation, input, dims, output_size, return_indices):
    wanted = _wanted(input, dims, output_size)
    _need_shape(name, input, dims, 1, ":")
    if len(wanted) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    if min(wanted) < 0:
        shape = [*input._array.shape[:-dims], *wanted]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(wanted)}: {shape}")
    only_floats(name, input._array)
    index = largest_in_shares(input._array, wanted)
    found = operation(input, index, dims)
    return (found, make(index)) if return_indices else found


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """The largest elements of as many windows as `output_size` (an int or three) asks for.

    None keeps a length. Input (N, C, D, H, W) or (C, D, H, W), a result (N, C, *output_size).
    RuntimeError for other shapes.
    """
    return _adaptive_max_pool(
        "adaptive_max_pool3d", AdaptiveMaxPool3D, input, 3, output_size, return_indices
    )


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest elements of as many windows as `output_size` (an int or two) asks for.

    None keeps a length. Input (N, C, H, W) or (C, H, W), a result (N, C, *output_size). RuntimeError
    for other shapes.
    """
    return _adaptive_max_pool(
        "adaptive_max_pool2d", AdaptiveMaxPool2D, input, 2, output_size, return_indices
    )


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The largest elements of `output_size` windows: input (N, C, L) or (C, L).

    A result (N, C, output_size). RuntimeError for other shapes.
    """
    _need_line("adaptive_max_pool1d", input)
    wanted = _one("adaptive_max_pool1d", "output_size", output_size)
    _need_space("adaptive_max_pool1d", input, 1)
    found, index = adaptive_max_pool2d(input.unsqueeze(-2), (1, wanted), True)
    found = found.squeeze(-2)
    return (found, index.squeeze(-2)) if return_indices else found


# -- norms of windows -----------------------------------------------------------------------------


def _lp_pool(average, input, norm_type, kernel_size, stride, ceil_mode, dims):
    """The p-norm of each window, from the mean of the p-th powers."""
    if isinstance(kernel_size, int):
        kernel_size = (kernel_size,) * dims
    means = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    signed = means.sign() * means.abs().relu()
    return signed.mul(math.prod(kernel_size)).pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window: input (N, C, L) or (C, L), a result (N, C, places).

    RuntimeError for other shapes and windows that do not fit.
    """
    return _lp_pool(avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode, 1)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window: input (N, C, H, W) or (C, H, W), a result (N, C, *places).

    RuntimeError for other shapes and windows that do not fit.
    """
    return _lp_pool(avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode, 2)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window: input (N, C, D, H, W) or (C, D, H, W), a result (N, C, *places).

    RuntimeError for other shapes and windows that do not fit.
    """
    return _lp_pool(avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode, 3)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """`input` over `(k + alpha * mean) ** beta`, the mean of the squares in `size` neighbouring channels.

    Input (N, C, *), a result of the same shape. ValueError for fewer than three dimensions.
    """
    if input.ndim < 3:
        raise ValueError(
            "Expected 3D or higher dimensionality                          input (got "
            f"{input.ndim} dimensions)"
        )
    if not input.numel():
        return input
    before, after = size // 2, (size - 1) // 2
    squares = input.mul(input)
    if input.ndim == 3:
        padded = pad(squares.unsqueeze(1), (0, 0, before, after))
        means = avg_pool2d(padded, (size, 1), stride=1).squeeze(1)
    else:
        n, channels, height = input.shape[:3]
        padded = pad(squares.view(n, 1, channels, height, -1), (0, 0, 0, 0, before, after))
        means = avg_pool3d(padded, (size, 1, 1), stride=1).squeeze(1).view(input.shape)
    return input / means.mul(alpha).add(k).pow(beta)


# -- borders --------------------------------------------------------------------------------------


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
