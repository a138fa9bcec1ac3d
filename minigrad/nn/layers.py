"""Layers: linear maps, convolution, pooling, dropout, embedding, normalisation.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html
"""

import math
import warnings
from collections.abc import Iterable

import numpy as np

from .. import dtypes
from ..tensor import make
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter, blank


class Identity(Module):
    """Gives back what it is given, of any shape; arguments are accepted and ignored."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """`x @ weight.T + bias`: input (*, in_features), output (*, out_features).

    Both start uniform between -1 and 1 over the square root of `in_features`.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.Linear.html
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = blank((out_features, in_features), dtype, device)
        self.register_parameter("bias", blank((out_features,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new numbers."""
        _reset(self.weight, self.bias)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


def _reset(weight, bias):
    """How linear and convolutional layers start."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


class Flatten(Module):
    """The dimensions from `start_dim` to `end_dim` made one: (N, *) gives (N, n) by default."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dimension made several: (N, n) gives (N, *unflattened_size) for dim 1."""

    def __init__(self, dim, unflattened_size):
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


# -- dropout --------------------------------------------------------------------------------------


class Dropout(Module):
    """In training each element becomes 0 with probability `p`, the others are divided by `1 - p`.

    Input (*), output of the same shape. ValueError for a probability outside of 0 to 1.
    """

    function = staticmethod(F.dropout)

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return self.function(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """Dropout of whole channels: input (N, C, L)."""

    function = staticmethod(F.dropout1d)


class Dropout2d(Dropout):
    """Dropout of whole channels: input (N, C, H, W)."""

    function = staticmethod(F.dropout2d)


class Dropout3d(Dropout):
    """Dropout of whole channels: input (N, C, D, H, W)."""

    function = staticmethod(F.dropout3d)


class AlphaDropout(Dropout):
    """Dropout that keeps mean 0 and variance 1 after `SELU`. The same shape (*)."""

    function = staticmethod(F.alpha_dropout)


# -- embedding ------------------------------------------------------------------------------------


class Embedding(Module):
    """A table of `num_embeddings` vectors; input of any shape (*) names rows, output (*, dim).

    AssertionError for a `padding_idx` that names no row.
    """

    def __init__(
        self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
        scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        if _weight is None:
            self.weight = blank((num_embeddings, embedding_dim), dtype, device)
            self.weight.requires_grad = not _freeze
            self.reset_parameters()
        else:
            if list(_weight._array.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight, not _freeze)

    def reset_parameters(self):
        """Draw new normal numbers; zeros for `padding_idx`."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._array[self.padding_idx] = 0

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, **options):
        """An embedding whose table is given; not trained if `freeze`.

        AssertionError unless it is a matrix.
        """
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        shape = embeddings._array.shape
        return cls(*shape, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze, **options)

    def forward(self, input):
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.sparse,
        )  # fmt: skip

    def extra_repr(self):
        said = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, usual in (("padding_idx", None), ("max_norm", None), ("norm_type", 2),
                            ("scale_grad_by_freq", False), ("sparse", False)):  # fmt: skip
            value = getattr(self, name)
            if value != usual:
                said += f", {name}={value}"
        return said


class EmbeddingBag(Module):
    """The mean, sum or maximum of the vectors that each bag names: input (B, n), output (B, dim).

    Or input (n) and `offsets` (B), where the bags begin. ValueError for another mode or shape,
    NotImplementedError for `max_norm`, `scale_grad_by_freq` and `sparse`.
    """

    def __init__(
        self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
        mode="mean", sparse=False, _weight=None, include_last_offset=False, padding_idx=None,
        device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        if max_norm is not None or scale_grad_by_freq or sparse:
            raise NotImplementedError(
                "minigrad's EmbeddingBag has no max_norm, scale_grad_by_freq or sparse gradients"
            )
        self.num_embeddings, self.embedding_dim, self.mode = num_embeddings, embedding_dim, mode
        self.include_last_offset = include_last_offset
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.weight = blank((num_embeddings, embedding_dim), dtype, device)
        self.reset_parameters()

    reset_parameters = Embedding.reset_parameters

    @classmethod
    def from_pretrained(
        cls, embeddings, freeze=True, mode="mean", include_last_offset=False, padding_idx=None
    ):
        """A layer whose table is given; not trained if `freeze`. AssertionError unless it is a matrix."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        made = cls(*embeddings._array.shape, mode=mode, include_last_offset=include_last_offset,
                   padding_idx=padding_idx)  # fmt: skip
        made.weight = Parameter(embeddings, not freeze)
        return made

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(
            input, self.weight, offsets, mode=self.mode, per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset, padding_idx=self.padding_idx,
        )  # fmt: skip

    def extra_repr(self):
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}{padding}"


# -- convolution ----------------------------------------------------------------------------------


def _tuple(value, count):
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


class _Convolution(Module):
    dims = transposed = None
    function = None

    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation,
        groups, bias, padding_mode, device, dtype,
    ):  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}"
                )
            if padding == "same" and max(_tuple(stride, self.dims)) > 1:
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            raise ValueError(
                f"padding_mode must be one of {set(modes)}, but got padding_mode='{padding_mode}'"
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = _tuple(kernel_size, self.dims)
        self.stride, self.dilation = _tuple(stride, self.dims), _tuple(dilation, self.dims)
        self.padding = padding if isinstance(padding, str) else _tuple(padding, self.dims)
        self.output_padding = _tuple(output_padding, self.dims)
        self.groups, self.padding_mode = groups, padding_mode
        first, second = out_channels, in_channels // groups
        if self.transposed:
            first, second = in_channels, out_channels // groups
        self.weight = blank((first, second, *self.kernel_size), dtype, device)
        self.register_parameter("bias", blank((out_channels,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new numbers."""
        _reset(self.weight, self.bias)

    def extra_repr(self):
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        zeros, ones = (0,) * self.dims, (1,) * self.dims
        for name, usual in (("padding", zeros), ("dilation", ones), ("output_padding", zeros),
                            ("groups", 1)):  # fmt: skip
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Forward(_Convolution):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
        bias=True, padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, 0, dilation,
                         groups, bias, padding_mode, device, dtype)  # fmt: skip

    def forward(self, input):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._borders(), self.padding_mode), 0
        return self.function(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _borders(self):
        """The padding as `F.pad` takes it: pairs, last dimension first."""
        if self.padding == "valid":
            return (0,) * (2 * self.dims)
        if self.padding == "same":
            reach = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
            pairs = [(r // 2, r - r // 2) for r in reach]
        else:
            pairs = [(p, p) for p in self.padding]
        return tuple(n for pair in reversed(pairs) for n in pair)


class Conv1d(_Forward):
    """Convolution along a line: input (N, in_channels, L), output (N, out_channels, places).

    Each of `places` is (L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1, rounded down.
    ValueError unless both numbers of channels can be divided by `groups`.
    """

    dims, function = 1, staticmethod(F.conv1d)


class Conv2d(_Forward):
    """Convolution of images: input (N, in_channels, H, W), output (N, out_channels, *places).

    Each of `places` is (H + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1, rounded down.
    ValueError unless both numbers of channels can be divided by `groups`.
    """

    dims, function = 2, staticmethod(F.conv2d)


class Conv3d(_Forward):
    """Convolution of volumes: input (N, in_channels, D, H, W), output (N, out_channels, *places).

    Lengths as for `Conv2d`. ValueError unless both numbers of channels can be divided by `groups`.
    """

    dims, function = 3, staticmethod(F.conv3d)


class _Transposed(_Convolution):
    transposed = True

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
        bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, output_padding,
                         dilation, groups, bias, padding_mode, device, dtype)  # fmt: skip

    def forward(self, input, output_size=None):
        """The output; of the lengths `output_size`, where several are possible. ValueError for others."""
        more = self.output_padding if output_size is None else self._to_reach(input, output_size)
        return self.function(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )

    def _to_reach(self, input, output_size):
        """The output padding with which the output gets the lengths that are asked for."""
        dims, lead = self.dims, 2 if input.ndim == self.dims + 2 else 1
        wanted = output_size[lead:] if len(output_size) == lead + dims else output_size
        if len(wanted) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.ndim}D input, output_size must have {dims} or "
                f"{lead + dims} elements (got {len(wanted)})"
            )
        settings = zip(input.shape[lead:], self.stride, self.padding, self.dilation, self.kernel_size)
        least = [(n - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
                 for n, stride, padding, dilation, kernel in settings]  # fmt: skip
        most = [n + stride - 1 for n, stride in zip(least, self.stride)]
        if any(not low <= n <= high for low, n, high in zip(least, wanted, most)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.shape[2:]})"
            )
        return tuple(n - low for n, low in zip(wanted, least))


class ConvTranspose1d(_Transposed):
    """The way back through a `Conv1d`: input (N, in_channels, L), a longer output.

    (N, out_channels, (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1).
    ValueError unless both numbers of channels can be divided by `groups`.
    """

    dims, function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """The way back through a `Conv2d`, to larger images: input (N, in_channels, H, W).

    Output (N, out_channels, *places); lengths and ValueError as for `ConvTranspose1d`.
    """

    dims, function = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    """The way back through a `Conv3d`, to larger volumes: input (N, in_channels, D, H, W).

    Output (N, out_channels, *places); lengths and ValueError as for `ConvTranspose1d`.
    """

    dims, function = 3, staticmethod(F.conv_transpose3d)


# -- pooling --------------------------------------------------------------------------------------


class _MaxPoolNd(Module):
    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
    ):
        super().__init__()
        self.kernel_size, self.padding, self.dilation = kernel_size, padding, dilation
        self.stride = kernel_size if stride is None else stride
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input):
        return self.function(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
            self.return_indices,
        )  # fmt: skip

    def extra_repr(self):
        names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class MaxPool1d(_MaxPoolNd):
    """The largest element in each window: input (N, C, L), output (N, C, places)."""

    function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The largest element in each window: input (N, C, H, W), output (N, C, *places).

    Each of `places` is (H + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1, rounded down, or
    up with `ceil_mode`. RuntimeError for windows that do not fit.
    """

    function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The largest element in each window: input (N, C, D, H, W), output (N, C, *places)."""

    function = staticmethod(F.max_pool3d)


class AvgPool1d(Module):
    """The mean of each window: input (N, C, L), output (N, C, places)."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = _tuple(kernel_size, 1)
        self.stride = self.kernel_size if stride is None else _tuple(stride, 1)
        self.padding = _tuple(padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input):
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window: input (N, C, H, W), output (N, C, *places)."""

    function = staticmethod(F.avg_pool2d)

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        return self.function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool3d(AvgPool2d):
    """The mean of each window: input (N, C, D, H, W), output (N, C, *places)."""

    function = staticmethod(F.avg_pool3d)


class AdaptiveAvgPool1d(Module):
    """Means over `output_size` windows: input (N, C, L), output (N, C, output_size)."""

    function = staticmethod(F.adaptive_avg_pool1d)

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return self.function(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(AdaptiveAvgPool1d):
    """Means over as many windows as `output_size` asks for: (N, C, H, W) to (N, C, *output_size)."""

    function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(AdaptiveAvgPool1d):
    """Means over as many windows as `output_size` asks for: (N, C, D, H, W) to (N, C, *output_size)."""

    function = staticmethod(F.adaptive_avg_pool3d)


class AdaptiveMaxPool1d(AdaptiveAvgPool1d):
    """The largest elements of `output_size` windows: (N, C, L) to (N, C, output_size)."""

    function = staticmethod(F.adaptive_max_pool1d)

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input):
        return self.function(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(AdaptiveMaxPool1d):
    """The largest of as many windows as `output_size` asks for: (N, C, H, W) to (N, C, *output_size)."""

    function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(AdaptiveMaxPool1d):
    """The largest of as many windows as `output_size` asks for: (N, C, D, H, W) to (N, C, *output_size)."""

    function = staticmethod(F.adaptive_max_pool3d)


class LPPool1d(Module):
    """The p-norm of each window: input (N, C, L) or (C, L), output (N, C, places)."""

    function = staticmethod(F.lp_pool1d)

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def forward(self, input):
        return self.function(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

    def extra_repr(self):
        names = ("norm_type", "kernel_size", "stride", "ceil_mode")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class LPPool2d(LPPool1d):
    """The p-norm of each window: input (N, C, H, W) or (C, H, W), output (N, C, *places)."""

    function = staticmethod(F.lp_pool2d)


class LPPool3d(LPPool1d):
    """The p-norm of each window: input (N, C, D, H, W) or (C, D, H, W), output (N, C, *places)."""

    function = staticmethod(F.lp_pool3d)


# -- normalisation --------------------------------------------------------------------------------


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions, then times `weight` plus `bias`.

    Input (*, *normalized_shape), output of the same shape.
    """

    def __init__(
        self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None,
        dtype=None,
    ):  # fmt: skip
        super().__init__()
        self.normalized_shape = _tuple(normalized_shape, 1)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        for name, has in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            parameter = blank(self.normalized_shape, dtype, device) if has else None
            self.register_parameter(name, parameter)
        self.reset_parameters()

    def reset_parameters(self):
        """Ones and zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class BatchNorm1d(Module):
    """Mean 0 and variance 1 for each channel: input (N, C) or (N, C, L).

    In training the batch's mean and variance are used and the running ones move towards them; in
    evaluation the running ones are used. An output of the same shape; ValueError for other numbers of
    dimensions.
    """

    ndims, _version = (2, 3), 2

    def __init__(
        self, num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True,
        device=None, dtype=None, *, bias=True,
    ):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, has in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, blank((num_features,), dtype, device) if has else None)
        like = dtypes.numpy_dtype(dtype) or dtypes.get_default_dtype().numpy
        for name, start in (("running_mean", np.zeros(num_features, like)),
                            ("running_var", np.ones(num_features, like)),
                            ("num_batches_tracked", np.zeros((), np.int64))):  # fmt: skip
            self.register_buffer(name, make(start) if track_running_stats else None)
        self.reset_parameters()

    def _complete(self, given, prefix, version):
        if (version is None or version < 2) and self.track_running_stats:  # batches were not counted yet
            given.setdefault(f"{prefix}num_batches_tracked", self.num_batches_tracked)

    def reset_running_stats(self):
        """Forget what was seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Ones and zeros, and forget what was seen."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        """The normalized input. ValueError for another number of dimensions."""
        if input.dim() not in self.ndims:
            wanted = " or ".join(f"{n}D" for n in self.ndims)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")
        momentum, tracks = self.momentum, self.training and self.track_running_stats
        if tracks:
            self.num_batches_tracked.add_(1)
            if momentum is None:  # the mean of all batches
                momentum = 1.0 / self.num_batches_tracked.item()
        running = (self.running_mean, self.running_var)
        if self.training and not tracks:
            running = (None, None)
        return F.batch_norm(
            input, *running, self.weight, self.bias,
            self.training or self.running_mean is None, momentum or 0.0, self.eps,
        )  # fmt: skip

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm2d(BatchNorm1d):
    """Mean 0 and variance 1 for each channel: input (N, C, H, W).

    An output of the same shape; the rest is as in `BatchNorm1d`. ValueError for other numbers of
    dimensions.
    """

    ndims = (4,)


class BatchNorm3d(BatchNorm1d):
    """Mean 0 and variance 1 for each channel: input (N, C, D, H, W).

    An output of the same shape; the rest is as in `BatchNorm1d`. ValueError for other numbers of
    dimensions.
    """

    ndims = (5,)


class GroupNorm(Module):
    """Mean 0 and variance 1 over each of `num_groups` groups of channels: input (N, C, *).

    ValueError unless `num_channels` can be divided by `num_groups`. An output of the same shape.
    """

    def __init__(
        self, num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True
    ):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        for name, has in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, blank((num_channels,), dtype, device) if has else None)
        self.reset_parameters()

    reset_parameters = LayerNorm.reset_parameters

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divided by the root of the mean square over the last dimensions, then times `weight`.

    Input (*, *normalized_shape), output of the same shape.
    """

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape, self.eps = _tuple(normalized_shape, 1), eps
        self.elementwise_affine = elementwise_affine
        has = blank(self.normalized_shape, dtype, device) if elementwise_affine else None
        self.register_parameter("weight", has)
        self.reset_parameters()

    def reset_parameters(self):
        """All weights back to one."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LocalResponseNorm(Module):
    """Divided by `(k + alpha * mean) ** beta`, the mean of the squares in neighbouring channels.

    Input (N, C, *), output of the same shape.
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class InstanceNorm1d(BatchNorm1d):
    """Mean 0 and variance 1 for each channel of each example: input (N, C, L) or (C, L).

    An output of the same shape; ValueError for other numbers of dimensions.
    """

    ndims = (2, 3)

    def __init__(
        self, num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False,
        device=None, dtype=None, *, bias=True,
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype,
                         bias=bias)  # fmt: skip

    def forward(self, input):
        """The normalized input. ValueError for another number of dimensions."""
        if input.dim() not in self.ndims:
            wanted = " or ".join(f"{n}D" for n in self.ndims)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")
        single = input.ndim == self.ndims[0]
        x = input.unsqueeze(0) if single else input
        if x.size(1) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={0 if single else 1} to match num_features "
                    f"({self.num_features}), but got: {x.size(1)}."
                )
            warnings.warn(
                f"input's size at dim={0 if single else 1} does not match num_features. You can "
                "silence this warning by not passing in num_features, which is not used because "
                "affine=False",
                stacklevel=2,
            )
        found = F.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, self.momentum or 0.0, self.eps,
        )  # fmt: skip
        return found.squeeze(0) if single else found


class InstanceNorm2d(InstanceNorm1d):
    """Mean 0 and variance 1 for each channel of each example: input (N, C, H, W) or (C, H, W).

    An output of the same shape; ValueError for other numbers of dimensions.
    """

    ndims = (3, 4)


class InstanceNorm3d(InstanceNorm1d):
    """Mean 0 and variance 1 for each channel of each example: input (N, C, D, H, W) or without N.

    An output of the same shape; ValueError for other numbers of dimensions.
    """

    ndims = (4, 5)


class Bilinear(Module):
    """`x1 @ weight[o] @ x2 + bias` for each output o: inputs (*, in1) and (*, in2), output (*, out).

    ValueError unless `in1_features` is positive.
    """

    def __init__(
        self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None
    ):
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got ({in1_features=})")
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        self.weight = blank((out_features, in1_features, in2_features), dtype, device)
        self.register_parameter("bias", blank((out_features,), dtype, device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new numbers."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


# -- distances ------------------------------------------------------------------------------------


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`: (*, D, *) gives (*, *)."""

    def __init__(self, dim=1, eps=1e-08):
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of `x1 - x2` along the last dimension: (N, D) gives (N)."""

    def __init__(self, p=2.0, eps=1e-06, keepdim=False):
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
