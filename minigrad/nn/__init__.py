"""Neural networks: modules that hold parameters, layers, losses, and their functions.

    module.py       Module: what a layer or network is
    parameter.py    Parameter
    containers.py   Sequential, ModuleList, ModuleDict, ParameterList
    layers.py       Linear, Conv2d, MaxPool2d, Dropout, Embedding, ...
    activations.py  ReLU, Tanh, Softmax, ...
    losses.py       MSELoss, CrossEntropyLoss, ...
    functional.py   the same as functions
    init.py         how parameters start
    utils.py        clipping gradients

Mirrors https://docs.pytorch.org/docs/2.13/nn.html
"""

from . import functional, init, utils  # noqa: F401
from .activations import (  # noqa: F401
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from .containers import ModuleDict, ModuleList, ParameterList, Sequential  # noqa: F401
from .layers import (  # noqa: F401
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    BatchNorm1d,
    BatchNorm2d,
    Conv1d,
    Conv2d,
    ConvTranspose1d,
    ConvTranspose2d,
    CosineSimilarity,
    Dropout,
    Dropout1d,
    Dropout2d,
    Embedding,
    Flatten,
    Identity,
    LayerNorm,
    Linear,
    MaxPool1d,
    MaxPool2d,
    PairwiseDistance,
    Unflatten,
    ZeroPad2d,
)
from .losses import (  # noqa: F401
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .module import Module  # noqa: F401
from .parameter import Buffer, Parameter  # noqa: F401


def __getattr__(name):
    raise AttributeError(
        f"module 'minigrad.nn' has no attribute '{name}': minigrad holds the part of PyTorch that a "
        "first course needs"
    )
