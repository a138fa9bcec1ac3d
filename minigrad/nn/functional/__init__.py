"""The operations of neural networks as functions: activations, layers, losses.

    activations.py  relu, softmax, ...
    layers.py       linear, dropout, embedding, layer_norm, ...
    convolution.py  conv2d, ...
    pooling.py      max_pool2d, avg_pool2d, pad, ...
    losses.py       cross_entropy, mse_loss, ...
    margins.py      margin_ranking_loss, triplet_margin_loss, ...
    resizing.py     interpolate, pixel_shuffle, unfold, ...
    attention.py    scaled_dot_product_attention

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html
"""

from ...namespace import absent, listed, mirror
from ...ops.registry import as_function, reading
from .activations import (  # noqa: F401
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    selu,
    selu_,
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
    threshold_,
)
from .attention import scaled_dot_product_attention  # noqa: F401
from .convolution import (  # noqa: F401
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from .layers import (  # noqa: F401
    alpha_dropout,
    batch_norm,
    bilinear,
    cosine_similarity,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    embedding,
    embedding_bag,
    group_norm,
    gumbel_softmax,
    instance_norm,
    layer_norm,
    linear,
    normalize,
    one_hot,
    pairwise_distance,
    rms_norm,
    rrelu,
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
from .margins import (  # noqa: F401
    cosine_embedding_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    poisson_nll_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from .pooling import (  # noqa: F401
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    local_response_norm,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    pad,
)
from .resizing import (  # noqa: F401
    channel_shuffle,
    fold,
    interpolate,
    pixel_shuffle,
    pixel_unshuffle,
    unfold,
)

for _name in (  # PyTorch's argument parser reads what these are given
    "adaptive_avg_pool1d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "bilinear", "celu_",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "cosine_similarity", "elu_", "gelu", "hardshrink", "hardtanh_", "leaky_relu_",
    "linear", "one_hot", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "prelu", "relu_",
    "scaled_dot_product_attention", "selu_", "softplus", "softshrink", "threshold_",
):  # fmt: skip
    globals()[_name] = as_function(globals()[_name], _name)
logsigmoid = as_function(logsigmoid, "log_sigmoid")
for _name, _inner in {  # and inside of these: PyTorch's function, and what it reads first
    "alpha_dropout": "alpha_dropout input",
    "adaptive_max_pool1d": "adaptive_max_pool1d input",
    "cross_entropy": "cross_entropy_loss input target",
    "dropout": "dropout input",
    "embedding": "embedding weight input:indices",
    "hinge_embedding_loss": "hinge_embedding_loss input target",
    "kl_div": "kl_div input target",
    "layer_norm": "layer_norm input",
    "max_pool1d": "max_pool1d input",
    "max_pool2d": "max_pool2d input",
    "max_pool3d": "max_pool3d input",
    "multi_margin_loss": "multi_margin_loss input target",
    "multilabel_margin_loss": "multilabel_margin_loss input target",
    "nll_loss": "nll_loss_nd input target",
    "rms_norm": "rms_norm input",
    "soft_margin_loss": "soft_margin_loss input target",
    "unfold": "im2col input",
}.items():
    globals()[_name] = reading(globals()[_name], *_inner.split())

mirror(globals(), "generated/torch.nn.functional.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals())
