"""Neural networks: modules that hold parameters, layers, losses, and their functions.

    module.py       Module: what a layer or network is
    parameter.py    Parameter
    containers.py   Sequential, ModuleList, ModuleDict, ParameterList
    layers.py       Linear, Conv2d, MaxPool2d, Dropout, Embedding, ...
    lazy.py         LazyLinear, ... whose shapes follow from the first input
    activations.py  ReLU, Tanh, Softmax, ...
    losses.py       MSELoss, CrossEntropyLoss, ...
    padding.py      ReflectionPad2d, ...
    resizing.py     Upsample, PixelShuffle, Unfold, ...
    recurrent.py    RNN, LSTM, GRU and their cells
    attention.py    MultiheadAttention, Transformer
    functional.py   the same as functions
    init.py         how parameters start
    utils/          clipping gradients, padding sequences

Mirrors https://docs.pytorch.org/docs/2.13/nn.html
"""

import types

from ..namespace import absent, listed, mirror
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
    RReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from .attention import (  # noqa: F401
    MultiheadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from .containers import (  # noqa: F401
    ModuleDict,
    ModuleList,
    ParameterDict,
    ParameterList,
    Sequential,
)
from .layers import (  # noqa: F401
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AlphaDropout,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Bilinear,
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    CosineSimilarity,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    Embedding,
    EmbeddingBag,
    Flatten,
    GroupNorm,
    Identity,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    Linear,
    LocalResponseNorm,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    PairwiseDistance,
    RMSNorm,
    Unflatten,
)
from .lazy import (  # noqa: F401
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
    LazyLinear,
    UninitializedBuffer,
    UninitializedParameter,
)
from .losses import (  # noqa: F401
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MarginRankingLoss,
    MSELoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    PoissonNLLLoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from .module import Module  # noqa: F401
from .padding import (  # noqa: F401
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from .parameter import Buffer, Parameter  # noqa: F401
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNBase, RNNCell  # noqa: F401
from .resizing import (  # noqa: F401
    ChannelShuffle,
    Fold,
    PixelShuffle,
    PixelUnshuffle,
    Unfold,
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
)


def _under_its_own_name(cls, name):
    """Give a class what it inherits from one that PyTorch does not have: Python's errors name the class."""
    shared = getattr(cls, name)
    own = types.FunctionType(
        shared.__code__, shared.__globals__, name, shared.__defaults__, shared.__closure__
    )
    own.__kwdefaults__, own.__doc__ = shared.__kwdefaults__, shared.__doc__
    own.__module__, own.__qualname__ = cls.__module__, f"{cls.__name__}.{name}"
    setattr(cls, name, own)


_SHARED = ("_MaxPoolNd.__init__", "_LazyNormBase.__init__")  # PyTorch's classes inherit these, too
for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, Module):
        for _name in "__init__", "forward":
            _owner = getattr(_class, _name).__qualname__.partition(".")[0]
            _hidden = _owner[0] == "_" and f"{_owner}.{_name}" not in _SHARED
            if _hidden or _owner == "Activation" or (_owner, _name) == ("RNNBase", "forward"):
                _under_its_own_name(_class, _name)

mirror(globals(), "generated/torch.nn.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals(), "functional", "init", "utils")
