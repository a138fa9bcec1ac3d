"""Neural networks: layers, losses, and what they are made of.

    module.py       what a layer or network is: Module, Parameter
    layers.py       Linear, Conv2d, ReLU, ..., Sequential; losses: MSELoss, CrossEntropyLoss, ...
    functional.py   the same as functions

Mirrors https://docs.pytorch.org/docs/2.13/nn.html
"""

from functools import partial

from .. import _missing
from ..ops.registry import with_page
from . import functional, utils
from .layers import (  # noqa: F401
    BCELoss,
    BCEWithLogitsLoss,
    Conv2d,
    CrossEntropyLoss,
    Dropout,
    Flatten,
    L1Loss,
    LeakyReLU,
    Linear,
    LogSoftmax,
    MaxPool2d,
    ModuleList,
    MSELoss,
    NLLLoss,
    ReLU,
    Sequential,
    Sigmoid,
    SmoothL1Loss,
    Softmax,
    Tanh,
)
from .module import Module, Parameter  # noqa: F401

for _place, _names in (("", globals()), ("functional.", vars(functional)), ("utils.", vars(utils))):
    for _name, _value in list(_names.items()):
        _ours = getattr(_value, "__module__", "").startswith(__name__)
        if _ours and _name[0] != "_" and isinstance(_value, type) == (_place == ""):
            with_page(_value, f"nn.{_place}{_name}")
    _names["__getattr__"] = partial(_missing, f"torch.nn.{_place}".rstrip("."))
