"""Layers that learn from their first input how many features it has: `LazyLinear(10)`.

Until then their parameters have no shape; with the first input the layer becomes an ordinary `Linear`.
Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.modules.lazy.LazyModuleMixin.html
"""

import numpy as np

from .. import dtypes
from ..tensor import Tensor, make
from . import layers
from .parameter import Parameter

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
    "`forward` to initialize the parameters before accessing their attributes."
)


class _Uninitialized:
    """A tensor whose shape is not yet known."""

    __slots__ = ()
    becomes = None

    @property
    def shape(self):
        """RuntimeError: there is none before the first input."""
        raise RuntimeError(NO_SHAPE)

    def detach(self):
        """The tensor itself: there is nothing yet to detach."""
        return self

    def materialize(self, shape, device=None, dtype=None):
        """Become a tensor of that shape, its numbers still to be set; dtype stays unless given."""
        self._array = np.empty(shape, dtypes.numpy_dtype(dtype) or self._array.dtype)
        self.__class__ = self.becomes

    def __repr__(self):
        return f"<{type(self).__name__}>"

    __str__ = __repr__


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter whose shape is known only after the first input.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.parameter.UninitializedParameter.html
    """

    __slots__ = ()
    becomes = Parameter
    _place = "torch.nn.parameter."


class UninitializedBuffer(_Uninitialized, Tensor):
    """A buffer whose shape is known only after the first input.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.parameter.UninitializedBuffer.html
    """

    __slots__ = ()
    becomes = Tensor
    _place = "torch.nn.parameter."


class _Lazy:
    """What lazy layers add to the layer that they become.

    `count` is the name of the number that the first input tells; the layer takes it as first argument.
    """

    becomes = count = None

    def __init__(self, *args, **kwargs):
        self.becomes.__init__(self, 0, *args, **kwargs)
        self.__dict__["_arguments"] = args, kwargs
        for name, parameter in self._parameters.items():
            if parameter is not None:
                blank = UninitializedParameter(make(np.empty(0, parameter._array.dtype)))
                self._parameters[name] = blank
        for name, buffer in self._buffers.items():
            if buffer is not None and buffer.ndim:
                self._buffers[name] = make(np.empty(0, buffer._array.dtype), UninitializedBuffer)

    def reset_parameters(self):
        """Draw new numbers, once the shapes are known."""
        if getattr(self, self.count) and not self.has_uninitialized_params():
            super().reset_parameters()

    def _uninitialized(self):
        held = (*self._parameters.items(), *self._buffers.items())
        return [(name, tensor) for name, tensor in held if isinstance(tensor, _Uninitialized)]

    def has_uninitialized_params(self):
        """Whether a parameter or buffer has no shape yet."""
        return bool(self._uninitialized())

    def initialize_parameters(self, input):
        """Take the number of features from an input, and draw the first numbers.

        RuntimeError for another number of dimensions, ValueError for channels that cannot be divided.
        """
        found = self._features(input)
        waiting = self._uninitialized()
        if waiting:
            args, kwargs = self._arguments
            made = self.becomes(found, *args, **kwargs)
            for name, tensor in waiting:
                start = getattr(made, name)._array
                tensor.materialize(start.shape)
                tensor._array[...] = start
        setattr(self, self.count, found)

    def _features(self, input):
        return input.shape[-1]

    def _load_one(self, name, tensor, key, value, assign):
        if isinstance(tensor, _Uninitialized) and not isinstance(value, _Uninitialized):
            tensor.materialize(value.shape)
        return super()._load_one(name, tensor, key, value, assign)

    def __call__(self, *args, **kwargs):
        self.initialize_parameters(*args, **kwargs)
        del self.__dict__["_arguments"]
        self.__class__ = self.becomes
        return self(*args, **kwargs)


class _LazyChannels(_Lazy):
    """The channels are the second dimension, or the first without a batch."""

    def _features(self, input):
        plain = self.dims + 1
        if input.ndim not in (plain, plain + 1):
            raise RuntimeError(
                f"Expected {plain}D (unbatched) or {plain + 1}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {input.shape}"
            )
        return input.shape[input.ndim - plain]


class _LazyNormBase(_Lazy):
    """The features are the second dimension."""

    def __init__(self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, *args, **kwargs):
        super().__init__(eps, momentum, affine, track_running_stats, *args, **kwargs)

    def _features(self, input):
        return input.shape[1]


_DOC = """`{0}` that takes `{1}` from its first input; shapes and other arguments are those of `{0}`.

    Before that it has no shapes (RuntimeError). RuntimeError for an input of another number of dimensions.
    """


def _lazy(kind, count, *layers_):
    """The lazy forms of layers."""
    for layer in layers_:
        members = {"becomes": layer, "count": count, "__module__": __name__,
                   "__doc__": _DOC.format(layer.__name__, count)}  # fmt: skip
        yield type(f"Lazy{layer.__name__}", (kind, layer), members)


(LazyLinear,) = _lazy(_Lazy, "in_features", layers.Linear)
LazyConv1d, LazyConv2d, LazyConv3d = _lazy(
    _LazyChannels, "in_channels", layers.Conv1d, layers.Conv2d, layers.Conv3d
)
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = _lazy(
    _LazyChannels, "in_channels", layers.ConvTranspose1d, layers.ConvTranspose2d,
    layers.ConvTranspose3d,
)  # fmt: skip
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = _lazy(
    _LazyNormBase, "num_features", layers.BatchNorm1d, layers.BatchNorm2d, layers.BatchNorm3d
)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = _lazy(
    _LazyNormBase, "num_features", layers.InstanceNorm1d, layers.InstanceNorm2d, layers.InstanceNorm3d
)
