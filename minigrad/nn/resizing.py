"""Images in other sizes, as modules: interpolation, pixels to channels, windows as columns.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#vision-layers
"""

from . import functional as F
from .activations import Activation
from .module import Module


class Upsample(Module):
    """A line or image in another `size`, or larger by `scale_factor`; see `F.interpolate`.

    (N, C, *) gives (N, C, *size).
    """

    def __init__(
        self, size=None, scale_factor=None, mode="nearest", align_corners=None,
        recompute_scale_factor=None,
    ):  # fmt: skip
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(map(float, scale_factor))
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self):
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images in another size, the nearest pixel: (N, C, H, W) to (N, C, *size)."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images in another size, linear between pixels, corners kept: (N, C, H, W) to (N, C, *size)."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Activation):
    """Channels to pixels: (*, C * r * r, H, W) becomes (*, C, H * r, W * r)."""

    function = staticmethod(F.pixel_shuffle)

    def __init__(self, upscale_factor):
        self.keep(upscale_factor=upscale_factor)


class PixelUnshuffle(Activation):
    """Pixels to channels: (*, C, H * r, W * r) becomes (*, C * r * r, H, W)."""

    function = staticmethod(F.pixel_unshuffle)

    def __init__(self, downscale_factor):
        self.keep(downscale_factor=downscale_factor)


class ChannelShuffle(Activation):
    """Channels, in `groups`, dealt out in turn: (N, C, *) gives (N, C, *)."""

    function = staticmethod(F.channel_shuffle)

    def __init__(self, groups):
        self.keep(groups=groups)


class Unfold(Module):
    """What a window sees at each place: input (N, C, H, W), output (N, C * size, places)."""

    names = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation = kernel_size, dilation
        self.padding, self.stride = padding, stride

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.names)


class Fold(Unfold):
    """The way back through an `Unfold`: (N, C size, places) added up to (N, C, *output_size)."""

    names = ("output_size", *Unfold.names)

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input):
        return F.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )
