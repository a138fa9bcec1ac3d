"""The operations of neural networks as functions: activations, layers, losses.

    activations.py  relu, softmax, ...
    layers.py       linear, dropout, embedding, layer_norm, ...
    convolution.py  conv2d, ...
    pooling.py      max_pool2d, avg_pool2d, pad, ...
    losses.py       cross_entropy, mse_loss, ...

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html
"""

from .activations import (  # noqa: F401
    celu,
    elu,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)
from .convolution import (  # noqa: F401
    conv1d,
    conv2d,
    conv_transpose1d,
    conv_transpose2d,
)
from .layers import (  # noqa: F401
    batch_norm,
    cosine_similarity,
    dropout,
    dropout1d,
    dropout2d,
    embedding,
    layer_norm,
    linear,
    normalize,
    one_hot,
    pairwise_distance,
)
from .losses import (  # noqa: F401
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from .pooling import (  # noqa: F401
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
    pad,
)


def __getattr__(name):
    raise AttributeError(
        f"module 'minigrad.nn.functional' has no attribute '{name}': minigrad holds the part of "
        "PyTorch that a first course needs"
    )
