"""minigrad: a small NumPy engine that does what PyTorch's `backward(gradient)` does.

`import minigrad as torch` runs a first course's programs unchanged: names, arguments, dtypes, printing
and error texts are PyTorch 2.13's. It is written to be read, in this order:

    tensor.py       what a tensor is
    graph.py        nodes, and the edges that lead back
    operation.py    how an operation is written and recorded
    backward.py     the backward pass
    ops/            the operations, rule beside formula
    inplace.py      changing tensors in place, views
    autograd/       backward(), grad(), ...
"""

import importlib

from . import autograd, creation, dtypes, ops, settings  # noqa: F401
from .anomaly import (  # noqa: F401
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    set_anomaly_enabled,
)
from .creation import legacy_type as _legacy_type
from .dtypes import (  # noqa: F401
    Size,
    dtype,
    finfo,
    get_default_dtype,
    iinfo,
    set_default_dtype,
)
from .grad_mode import (  # noqa: F401
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .namespace import absent as _absent
from .namespace import mirror as _mirror
from .ops import FUNCTIONS as _FUNCTIONS
from .ops import LATER_FUNCTIONS as _LATER_FUNCTIONS
from .ops import public_function as _public_function
from .ops.registry import wrong_type as _wrong_type
from .ops.random import Generator, default_generator  # noqa: F401
from .printing import set_printoptions  # noqa: F401
from .properties import Properties as _Properties
from .properties import layout, strided  # noqa: F401
from .settings import cuda, mps, version  # noqa: F401
from .tensor import Tensor, device  # noqa: F401

__version__ = "0.1.0"

newaxis = None  # as an index: a new dimension of length 1
inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045

globals().update(_FUNCTIONS)
for _dtype in dtypes.ALL:
    globals()[_dtype.name] = _dtype
    globals()[f"{_dtype.tensor_name}Tensor"] = _legacy_type(f"{_dtype.tensor_name}Tensor", _dtype)
globals().update(dtypes.ALIASES)


def is_tensor(obj):
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def is_inference(input):
    """Whether a tensor was made in `inference_mode`."""
    return input.is_inference()


def numel(input):
    """The number of elements. TypeError for what is no tensor."""
    if not isinstance(input, Tensor):
        raise _wrong_type("numel", "input", 1, input)
    return input.numel()


_mirror(globals(), "generated/torch.{}.html")
for _class in Tensor, _Properties:
    _mirror(vars(_class), "generated/torch.Tensor.{}.html")
_mirror(vars(Generator), "generated/torch.Generator.html#torch.Generator.{}")

_LATER = dict.fromkeys({  # torch has these in both places
    "adaptive_avg_pool1d", "avg_pool1d", "bilinear", "celu", "celu_", "channel_shuffle", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_similarity", "dropout", "hardshrink", "layer_norm", "max_pool1d", "max_pool2d",
    "max_pool3d", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "prelu", "relu_", "selu",
    "selu_", "threshold", "threshold_",
}, "nn.functional")  # fmt: skip
_LATER |= dict.fromkeys(("save", "load"), "serialization") | {"vmap": "func"}
_NAMESPACES = (
    "accelerator", "backends", "func", "linalg", "nn", "optim", "random", "special", "testing", "utils",
)  # fmt: skip


def __dir__():  # with what is loaded when first asked for
    return sorted({*globals(), *_LATER, *_LATER_FUNCTIONS, *_NAMESPACES})


def __getattr__(name):
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name in _LATER_FUNCTIONS:
        value = globals()[name] = _public_function(name)
        return value
    if name in _LATER:
        return getattr(importlib.import_module(f"minigrad.{_LATER[name]}"), name)
    if name in _NAMESPACES:
        return importlib.import_module(f"minigrad.{name}")
    return _absent(__name__)(name)
