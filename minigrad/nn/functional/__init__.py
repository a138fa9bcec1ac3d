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


mirror(globals(), "generated/torch.nn.functional.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals())
