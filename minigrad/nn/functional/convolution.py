"""Convolution, and the way back through it.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#convolution-functions
"""

from ...dtypes import CXX_NAMES
from ...ops.arguments import warn_once
from ...ops.window import Convolution, TransposedConvolution, Window
from ...tensor import Tensor


def _numbers(value, count, name):
    """An argument such as `stride` as one int for each dimension of space."""
    if isinstance(value, int):
        return (value,) * count
    value = tuple(int(n) for n in value)
    if len(value) == 1:
        return value * count
    if len(value) != count:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match the "
            f"convolution dimensions, but got {name}={list(value)}"
        )
    return value


TOO_FEW = "weight should have at least three dimensions"


def _check_convolution(name, input, weight, bias, stride, padding, dilation, groups, count, extra=None):
    """RuntimeError for what does not fit together; `extra` is the `output_padding` of a transposed convolution."""
    transposed = int(extra is not None)
    if input.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input.shape)}"
        )
    if weight.ndim < 3:
        raise RuntimeError(TOO_FEW)
    if weight.ndim != count + 2:
        raise RuntimeError(
            f"expected stride to be a single integer value or a list of {weight.ndim - 2} values to "
            f"match the convolution dimensions, but got stride={list(stride)}"
        )
    sizes = list(weight.shape)
    shape = [1] * (count + 2 - input.ndim) + list(input.shape)
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    for what, numbers in (("padding", padding), ("output_padding", extra or (0,))):
        if min(numbers, default=0) < 0:
            raise RuntimeError(f"negative {what} is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if sizes[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight "
            f"of size {sizes} instead"
        )
    if sizes[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{sizes}] instead"
        )
    channels = sizes[0] if transposed else sizes[1] * groups
    if shape[1] != channels:
        given = f"transposed={transposed}" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {sizes}, expected input{shape} to have {channels} "
            f"channels, but got {shape[1]} channels instead"
        )
    out = sizes[1] * groups if transposed else sizes[0]
    if bias is not None and bias._array.shape != (out,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {sizes}, expected bias to "
            f"be 1-dimensional with {out} elements, but got bias of size {list(bias.shape)} instead"
        )
    for other, what in ((bias, "bias type"), (weight, "weight type")):
        if other is not None and other._array.dtype != input._array.dtype:
            types = [t.dtype.tensor_name for t in (input, other)]
            if other is weight and (transposed or count == 3):
                raise RuntimeError(f"expected scalar type {types[0]} but found {types[1]}")
            types = [CXX_NAMES[name] for name in types]
            raise RuntimeError(f"Input type ({types[0]}) and {what} ({types[1]}) should be the same")
    if 0 in dilation:
        raise RuntimeError("non-positive dilation is not supported")
    if 0 in sizes[2:]:
        given = " ".join(f"kernel_{axis}: {n}" for axis, n in zip(_AXES[-count:], sizes[2:]))
        raise RuntimeError(f"kernel size should be greater than zero, but got {given}")


_AXES = ("depth", "height", "width")


def _convolve(name, count, input, weight, bias, stride, padding, dilation, groups):
    """Convolution over `count` dimensions of space."""
    stride = _numbers(stride, count, "stride")
    dilation = _numbers(dilation, count, "dilation")
    size = weight._array.shape[2:]
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        if weight.ndim < 3:
            raise RuntimeError(TOO_FEW)
        if weight.ndim != count + 2:
            raise RuntimeError(
                f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight"
                f"{list(weight.shape)}, but got {input.ndim}-dimensional input of size {list(input.shape)} instead"
            )
        if padding == "same" and max(stride) > 1:
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        reach = [d * (s - 1) if padding == "same" else 0 for d, s in zip(dilation, size)]
        pairs = tuple([(r // 2, r - r // 2) for r in reach])
        if any(r % 2 for r in reach):
            warn_once(
                "Using padding='same' with even kernel lengths and odd dilation may require a "
                "zero-padded copy of the input be created"
            )
    else:
        pairs = tuple([(p, p) for p in _numbers(padding, count, "padding")])
    _check_convolution(name, input, weight, bias, stride, sum(pairs, ()), dilation, groups, count)
    seen = [n + sum(p) for n, p in zip(input._array.shape[-count:], pairs)]
    if any(n < d * (s - 1) + 1 for n, d, s in zip(seen, dilation, size)):
        reach = [d * (s - 1) + 1 for d, s in zip(dilation, size)]
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, seen))}). Kernel "
            f"size: ({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input "
            "size"
        )
    moves = Window(size, stride, dilation, pairs)
    if input.ndim == count + 1:
        return Convolution(input.unsqueeze(0), weight, bias, moves, groups).squeeze(0)
    return Convolution(input, weight, bias, moves, groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Input (N, C, L) or (C, L), weight (O, C / groups, K); a result (N, O, places).

    RuntimeError for shapes that do not fit, channels that cannot be divided by `groups`, and a kernel
    longer than the padded input.
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Input (N, C, H, W) or (C, H, W), weight (O, C / groups, KH, KW); a result (N, O, *places).

    RuntimeError for shapes that do not fit, channels that cannot be divided by `groups`, and a kernel
    larger than the padded input.
    """
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Input (N, C, D, H, W) or without N, weight (O, C / groups, KD, KH, KW); a result (N, O, *places).

    RuntimeError for shapes that do not fit, channels that cannot be divided by `groups`, and a kernel
    larger than the padded input.
    """
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose3d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The way back through `conv3d`: input (N, C, D, H, W), weight (C, O / groups, KD, KH, KW).

    A result (N, O, *places). RuntimeError for shapes that do not fit, or an `output_padding` not below
    stride and dilation.
    """
    return _convolve_back(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose2d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The way back through `conv2d`: input (N, C, H, W), weight (C, O / groups, KH, KW).

    A result (N, O, *places). RuntimeError for shapes that do not fit, or an `output_padding` not below
    stride and dilation.
    """
    return _convolve_back(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose1d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The way back through `conv1d`: input (N, C, L), weight (C, O / groups, K).

    A result (N, O, places). RuntimeError for shapes that do not fit, or an `output_padding` not below
    stride and dilation.
    """
    return _convolve_back(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def _convolve_back(name, count, input, weight, bias, stride, padding, output_padding, groups, dilation):
    stride = _numbers(stride, count, "stride")
    dilation = _numbers(dilation, count, "dilation")
    padding = _numbers(padding, count, "padding")
    extra = _numbers(output_padding, count, "output_padding")
    _check_convolution(name, input, weight, bias, stride, padding, dilation, groups, count, extra)
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation)):
        spaces = [(0, *extra), (1, *stride), (1, *dilation)]
        names = ("output_padding", "stride", "dilation")
        axes = ("depth", "height", "width") if count == 3 else ("height", "width")
        said = " ".join(f"{name}_{axis}: {n}" for name, space in zip(names, spaces)
                        for axis, n in zip(axes, space[-len(axes) :]))  # fmt: skip
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got {said}"
        )
    if input.ndim == count + 1:
        return _convolve_back(
            name, count, input.unsqueeze(0), weight, bias, stride, padding, extra, groups, dilation
        ).squeeze(0)
    size = weight._array.shape[2:]
    space = [
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, s, p, d, k, e in zip(input._array.shape[2:], stride, padding, dilation, size, extra)
    ]
    shape = (input._array.shape[0], weight._array.shape[1] * groups, *space)
    unseen = [e // s * s for e, s in zip(extra, stride)]  # at the end, by a window that moves on by s
    moves = Window(size, stride, dilation, tuple([(p, p - u) for p, u in zip(padding, unseen)]))
    return TransposedConvolution(input, weight, bias, moves, groups, shape)
