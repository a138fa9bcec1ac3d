"""Every function of nn.functional, one line each, against PyTorch.

As in test_operations.py, a line is an expression and the inputs to try it with: `a23` is an `a` of shape
(2, 3). Values, dtypes, names of nodes, gradients of first and second order, and what a second backward
pass says have to agree, in float32 and float64.
"""

import numpy as np
import pytest
import torch

import minigrad
from tests.engine.both import attempt, compare, run
from tests.engine.test_operations import parse
from tests.engine.test_operations import test_agrees_with_torch as agrees

TABLE = """
# -- activations
F.relu(a)                          : a23 | a
F.relu(w)                          : w5
F.relu(a * 1, inplace=True)        : a23
F.relu_(a * 1)                     : a3
F.relu6(a * 5)                     : a5
F.relu6(w * 6)                     : w5
F.leaky_relu(a)                    : a23 | a | a20
F.leaky_relu(w)                    : w5
F.leaky_relu(a, 0.3)               : a23
F.leaky_relu(a * 1, inplace=True)  : a23
F.elu(a)                           : a23 | a
F.elu(w)                           : w5
F.elu(a, 2.0)                      : a5
F.elu(w, 2.0)                      : w5
F.elu(a * 1, inplace=True)         : a5
F.elu(a * 500)                     : a5
F.selu(a)                          : a23
F.selu(w)                          : w5
F.selu(a * 1, inplace=True)        : a5
F.celu(a, 0.5)                     : a23
F.celu(w, 0.5)                     : w5
F.celu(a * 1, inplace=True)        : a5
F.gelu(a)                          : a23 | a
F.gelu(a, approximate='tanh')      : a23
F.silu(a)                          : a23 | a
F.silu(a * 1000)                   : a5
F.silu(a * 1, inplace=True)        : a5
F.mish(a)                          : a23
F.mish(a * 1, inplace=True)        : a5
F.softplus(a)                      : a23 | a
F.softplus(a * 20, 2, 3)           : a5
F.softplus(a * 1000)               : a5
F.softsign(a)                      : a23
F.softsign(w)                      : w5
F.tanhshrink(a)                    : a23
F.hardtanh(a * 2)                  : a23
F.hardtanh(w)                      : w5
F.hardtanh(a, -0.2, 0.7)           : a5
F.hardtanh(a * 1, inplace=True)    : a5
F.hardsigmoid(a * 3)               : a23
F.hardsigmoid(w * 3)               : w5
F.hardswish(a * 3)                 : a23
F.hardswish(w * 3)                 : w5
F.softshrink(a)                    : a23
F.softshrink(w, 1)                 : w5
F.hardshrink(a)                    : a23
F.hardshrink(w, 1)                 : w5
F.logsigmoid(a)                    : a23
F.logsigmoid(a * 1000)             : a5
F.sigmoid(a)                       : a23
F.tanh(a)                          : a23
F.threshold(a, 0.1, 20)            : a23
F.threshold(w, 1, 20)              : w5
F.threshold_(a * 1, 0.1, 20)       : a23
F.elu_(a * 1)                      : a5
F.celu_(a * 1, 0.5)                : a5
F.selu_(a * 1)                     : a5
F.hardtanh_(a * 2)                 : a5
F.leaky_relu_(a * 1, 0.3)          : a5
torch.celu_(a * 1)                 : a5
F.threshold(n, 1, 20)              : n5
F.hardtanh(n, -2, 2)               : n5
F.relu6(n)                         : n5
F.prelu(a, p)                      : a23 p3 | a23 p1 | a23 p | a4 p1 | a234 p3
F.glu(a)                           : a24 | a4
F.glu(a, 0)                        : a43
F.softmax(a, 1)                    : a23 | a203
F.softmax(a, 0)                    : a23 | a | a5
F.softmax(a * 1000, -1)            : a23
F.softmax(a, 1, dtype=torch.float64) : a23
F.log_softmax(a, 1)                : a23 | a234
F.log_softmax(a * 1000, -1)        : a23
F.softmin(a, 1)                    : a23
a.softmax(-1)                      : a23
torch.log_softmax(a, 0)            : a23
# -- layers
F.linear(a, b)                     : a23 b43 | a3 b43 | a523 b43 | a03 b43 | a3 b3 | a23 b3
F.linear(a, b, c)                  : a23 b43 c4 | a3 b43 c4 | a523 b43 c4 | a03 b43 c4 | a23 b43 c1
F.linear(a.transpose(0, 1), b, c)  : a25 b32 c3
F.linear(a.transpose(0, 1), b, c)  : a253 b43 c4
F.dropout(a, 0.3, training=False)  : a23
F.dropout(a, 0.0)                  : a23
F.dropout(a, 1.0)                  : a23
F.embedding(i, a)                  : i5 a23 | i23 a34 | i a23
F.embedding(i, a, padding_idx=0)   : i5 a23
F.embedding(i, a, padding_idx=-2)  : i5 a23
F.embedding_bag(i, a)              : i23 a34
F.embedding_bag(i, a, mode='sum')  : i23 a34
F.embedding_bag(i, a, mode='max')  : i23 a34
F.embedding_bag(i, a, torch.tensor([0, 1, 1]), mode='max', padding_idx=0) : i5 a34
F.embedding_bag(i, a, torch.tensor([0, 2, 2])) : i5 a34
F.embedding_bag(i, a, torch.tensor([0, 3]), padding_idx=-2) : i5 a34
F.embedding_bag(i, a, torch.tensor([0, 2, 5]), include_last_offset=True) : i5 a34
F.embedding_bag(i, a, mode='sum', per_sample_weights=b) : i23 a34 b23
F.one_hot(i)                       : i5 | i23
F.one_hot(i, 4)                    : i5 | i | i0
# -- convolution
F.conv1d(a, b, c)                  : a237 b433 c4 | a37 b433 c4
F.conv1d(a, b)                     : a237 b433
F.conv1d(a, b, c, stride=2, padding=1, dilation=2) : a237 b433 c4
F.conv2d(a, b, c)                  : a2365 b4332 c4 | a365 b4332 c4 | a0365 b4332 c4
F.conv2d(a, b)                     : a2365 b4311
F.conv2d(a, b, c, stride=2)        : a2365 b4333 c4
F.conv2d(a, b, c, stride=(1, 2), padding=(2, 1)) : a2365 b4333 c4
F.conv2d(a, b, c, dilation=2)      : a2365 b4332 c4
F.conv2d(a, b, c, padding='same')  : a2365 b4332 c4
F.conv3d(a, b, c, padding='same')  : a22345 b32123 c3
F.conv3d(a, b)                     : a22345 b32222 | a2345 b32222
torch.conv3d(a, b, stride=2)       : a22345 b32222
F.conv_transpose3d(a, b, c, stride=2) : a22232 b23222 c3 | a2232 b23222 c3
F.max_pool3d(a, 2)                 : a22345
F.max_pool3d(a, 2, 1, 1, return_indices=True) : a22345
F.avg_pool3d(a, 2, 1, 1)           : a22345
F.adaptive_avg_pool3d(a, (2, 1, 3)) : a22345
F.adaptive_max_pool3d(a, 2, True)  : a22345
F.lp_pool2d(p, 2, 2)               : p2345
F.local_response_norm(a, 2)        : a254
F.conv2d(a, b, c, padding='valid') : a2365 b4332 c4
F.conv2d(a, b, c, groups=2)        : a2455 b6233 c6
F.conv2d(a, b, c, groups=4, padding=1) : a2455 b4133 c4
F.conv2d(a, b)                     : a1133 b1133
F.conv_transpose1d(a, b, c)        : a234 b323 c2
F.conv_transpose2d(a, b, c)        : a2343 b3233 c2 | a343 b3233 c2
F.conv_transpose2d(a, b, c, stride=2, padding=1, output_padding=1) : a2343 b3233 c2
F.conv_transpose2d(a, b, c, groups=3, dilation=2) : a2343 b3223 c6
F.conv_transpose2d(a, b, c, stride=2, dilation=4, padding=(1, 0), output_padding=3) : a1323 b3222 c2
# -- pooling
F.max_pool1d(a, 2)                 : a237 | a37
F.max_pool1d(a, 3, 2, 1)           : a237
F.max_pool2d(a, 2)                 : a2365 | a365 | a0365
F.max_pool2d(w, 2)                 : w2365
F.max_pool2d(a, (2, 3), stride=1)  : a2365
F.max_pool2d(w, (2, 3), stride=1)  : w2365
F.max_pool2d(a, 3, 2, 1)           : a2365
F.max_pool2d(w, 3, 2, 1)           : w2365
F.max_pool2d(a, 2, 2, 0, 2)        : a2365
F.max_pool2d(a, 3, 2, 1, 1, True)  : a2365 | a2364
F.max_pool2d(a, 2, ceil_mode=True) : a2365
F.max_pool2d(w, 2, ceil_mode=True) : w2357
F.max_pool2d(a, 2, return_indices=True) : a2365
F.max_pool2d(w, 2, return_indices=True) : w2365
F.max_pool2d(a.transpose(2, 3), 2) : a2365
F.max_pool2d(n, 2)                 : n2365
F.avg_pool1d(a, 2)                 : a237 | a37
F.avg_pool2d(a, 2)                 : a2365 | a365
F.avg_pool2d(a, (3, 2), 1)         : a2365
F.avg_pool2d(a, 3, 2, 1)           : a2365
F.avg_pool2d(a, 3, 2, 1, count_include_pad=False) : a2365
F.avg_pool2d(a, 3, 2, 1, True)     : a2364 | a2365
F.avg_pool2d(a, 3, 2, 1, True, False) : a2364
F.avg_pool2d(a, 2, ceil_mode=True, divisor_override=3) : a2365
F.adaptive_avg_pool1d(a, 3)        : a237 | a37
F.adaptive_avg_pool2d(a, 1)        : a2365
F.adaptive_avg_pool2d(a, 3)        : a2365 | a365
F.adaptive_avg_pool2d(a, (2, None)): a2365
F.pad(a, (1, 2))                   : a23 | a3
F.pad(a, (1, 2, 0, 1), value=3)    : a23
F.pad(a, (-1, 2))                  : a23
F.pad(a, (2, 1, 1, 2), mode='circular') : a2345
F.pad(a, (-1, -1, 0, -1), value=3) : a35
# -- normalisation and distances
F.layer_norm(a, (3,))              : a23
F.layer_norm(a, (3,), b, c)        : a23 b3 c3 | a523 b3 c3
F.layer_norm(a, (2, 3), b)         : a523 b23
F.batch_norm(a, None, None, training=True)       : a43 | a432
F.batch_norm(a, None, None, b, c, training=True) : a43 b3 c3 | a4332 b3 c3
F.batch_norm(a, torch.ones(3).type_as(a), p.detach(), b, c) : a43 p3 b3 c3 | a432 p3 b3 c3
F.batch_norm(a, torch.ones(3).type_as(a), p.detach())       : a43 p3
F.normalize(a)                     : a23
F.normalize(a, 1, 0)               : a23
F.cosine_similarity(a, b)          : a23 b23
F.pairwise_distance(a, b)          : a23 b23 | a3 b3
F.pairwise_distance(a, b, 1, 0.1, True) : a23 b23
F.bilinear(a, b, c)                : a23 b24 c534
F.group_norm(a, 2)                 : a243 | a24
F.group_norm(a, 2, b, c)           : a243 b4 c4 | a2432 b4 c4
F.instance_norm(a, None, None, b, c) : a243 b4 c4
F.rms_norm(a, (3,), b)             : a23 b3
# -- images in other sizes
F.pad(a, (1, 1), mode='reflect')   : a234
F.pad(a, (1, 2, 0, 1), mode='reflect') : a2345
F.pad(a, (1, 1), mode='replicate') : a234
F.pad(a, (1, 2, 0, 1), mode='replicate') : a2345
F.pad(a, (1, 1, 1, 1, 1, 0), mode='replicate') : a22222
F.pad(a, (1, 1, 1, 1, 1, 0), mode='reflect') : a22222
F.pad(a, (-1, 1, -2, 1), mode='circular') : a2345
F.adaptive_max_pool1d(a, 3)        : a237
F.adaptive_max_pool2d(a, 3)        : a2365
F.adaptive_max_pool2d(w, 2, return_indices=True) : w2365
F.interpolate(a, scale_factor=2)   : a234 | a2234
F.interpolate(a, size=3)           : a234 | a2245
F.interpolate(a, scale_factor=1.7) : a2234 | a12234
F.interpolate(a, size=(3, 1, 7), mode='trilinear') : a12234
F.interpolate(a, scale_factor=(1.7, 2, 3), mode='trilinear', align_corners=True) : a12234
F.interpolate(a, size=3, mode='nearest-exact') : a234 | a2245 | a12245
F.interpolate(a, size=3, mode='linear') : a234
F.interpolate(a, size=7, mode='linear', align_corners=True) : a234
F.interpolate(a, size=(3, 7), mode='bilinear') : a2245
F.interpolate(a, scale_factor=1.7, mode='bilinear') : a2234
F.interpolate(a, scale_factor=1.7, mode='bilinear', recompute_scale_factor=True) : a2234
F.interpolate(a, size=(3, 7), mode='bicubic') : a2245
F.interpolate(a, size=(3, 2), mode='area') : a2245
F.interpolate(a, size=(1, 3, 2), mode='area') : a12245
F.pixel_shuffle(a, 2)              : a2423 | a423
F.pixel_unshuffle(a, 2)            : a2246
F.channel_shuffle(a, 2)            : a2433 | a243
F.unfold(a, 2)                     : a2234 | a234
F.unfold(a, (2, 3), (1, 2), 1, (2, 1)) : a2234
F.fold(a, (3, 3), 2)               : a284 | a84
F.rrelu(a, 0.2, 0.2)               : a23
# -- losses
F.margin_ranking_loss(a, b, w.sign(), 0.5) : a5 b5 w5
F.hinge_embedding_loss(p, w.sign()): p5 w5
F.soft_margin_loss(a, w.sign().detach())    : a5 w5
F.soft_margin_loss(a, w.sign().detach(), reduction='none') : a5 w5
F.multilabel_soft_margin_loss(a, m.to(a), p.detach()) : a23 m23 p3
F.triplet_margin_loss(a, b, c, swap=True) : a23 b23 c23
F.triplet_margin_loss(a, b, c, 0.5, 1, reduction='sum') : a23 b23 c23
F.cosine_embedding_loss(a, b, w.sign().detach(), 0.1) : a53 b53 w5
F.poisson_nll_loss(a, p, full=True): a5 p5
F.poisson_nll_loss(p, q, False, reduction='none') : p5 q5
F.gaussian_nll_loss(a, b, p, True) : a23 b23 p23 | a23 b23 p2
F.triplet_margin_with_distance_loss(a, b, c) : a23 b23 c23
F.mse_loss(a, b)                   : a23 b23 | a b | a2 b2
F.mse_loss(a, b, reduction='sum')  : a23 b23
F.mse_loss(a, b, reduction='none') : a23 b23
F.mse_loss(a, b)                   : a23 b3
F.mse_loss(a, n)                   : a23 n23
F.mse_loss(n, a)                   : n23 a23
F.mse_loss(a, b.double())          : a23 b23
F.mse_loss(a, b, weight=p)         : a23 b23 p23
F.mse_loss(a, b, reduction='sum', weight=p) : a23 b23 p23
F.l1_loss(a, b)                    : a23 b23
F.l1_loss(a, w, reduction='sum')   : a23 w23
F.l1_loss(w, w)                    : w23
F.l1_loss(a, b, reduction='none')  : a23 b3
F.smooth_l1_loss(a, b)             : a23 b23
F.smooth_l1_loss(a, b, beta=0.3)   : a23 b23
F.smooth_l1_loss(a, b, beta=0)     : a23 b23
F.smooth_l1_loss(w, w * 2, beta=1, reduction='none') : w5
F.smooth_l1_loss(a, b, reduction='sum') : a23 b23
F.huber_loss(a, b)                 : a23 b23
F.huber_loss(a, b, delta=0.3)      : a23 b23
F.huber_loss(w, w * 2, reduction='none') : w5
F.huber_loss(a, b, reduction='sum'): a23 b23
F.nll_loss(a, i)                   : a23 i2 | a3 i | a234 i24 | a2345 i245
F.nll_loss(a, i, reduction='sum')  : a23 i2 | a2345 i245
F.nll_loss(a, i, reduction='none') : a23 i2 | a3 i
F.nll_loss(a, i, p.detach())       : a23 i2 p3 | a2345 i245 p3
F.nll_loss(a, i, p.detach(), reduction='none') : a23 i2 p3
F.nll_loss(a, i, ignore_index=1)   : a53 i5
F.nll_loss(a, i, ignore_index=1, reduction='none') : a53 i5 | a2345 i245
F.nll_loss(a, i * 0 - 100)         : a23 i2 | a3 i
F.nll_loss(a, i * 0 - 100, reduction='none') : a23 i2 | a3 i
F.nll_loss(a, i * 0 - 100, reduction='sum')  : a23 i2 | a3 i
F.nll_loss(a, i)                   : a03 i0
F.cross_entropy(a, i)              : a23 i2 | a3 i | a234 i24 | a2345 i245
F.cross_entropy(a * 1000, i)       : a53 i5
F.cross_entropy(a, i, reduction='sum')   : a23 i2
F.cross_entropy(a, i, reduction='none')  : a23 i2
F.cross_entropy(a, i.byte())       : a53 i5
F.cross_entropy(a, i, p.detach(), ignore_index=0) : a53 i5 p3
F.cross_entropy(a, i, label_smoothing=0.1) : a53 i5 | a2345 i245
F.cross_entropy(a, i, label_smoothing=0.1, reduction='sum')  : a53 i5
F.cross_entropy(a, i, label_smoothing=0.1, reduction='none') : a53 i5
F.cross_entropy(a, i, p.detach(), label_smoothing=0.1, ignore_index=1) : a53 i5 p3
F.cross_entropy(a, p)              : a23 p23 | a3 p3 | a234 p234
F.cross_entropy(a, p, reduction='sum')  : a23 p23
F.cross_entropy(a, p, reduction='none') : a23 p23
F.cross_entropy(a, p, label_smoothing=0.1) : a23 p23
F.cross_entropy(a, p, torch.arange(3.).type_as(a)) : a23 p23
F.binary_cross_entropy(u * u, p / 3)    : u23 p23
F.binary_cross_entropy(u * u, p / 3, reduction='sum')  : u23 p23
F.binary_cross_entropy(u * u, p / 3, reduction='none') : u23 p23
F.binary_cross_entropy(u * u, p / 3, q.detach()) : u23 p23 q23 | u23 p23 q3
F.binary_cross_entropy(w.clamp(0, 1), p / 3) : w5 p5
F.binary_cross_entropy_with_logits(a, p / 3) : a23 p23
F.binary_cross_entropy_with_logits(a * 1000, p / 3) : a5 p5
F.binary_cross_entropy_with_logits(a, p / 3, reduction='sum')  : a23 p23
F.binary_cross_entropy_with_logits(a, p / 3, reduction='none') : a23 p23
F.binary_cross_entropy_with_logits(a, p / 3, q.detach()) : a23 p23 q23
F.binary_cross_entropy_with_logits(a, p / 3, pos_weight=q.detach()) : a23 p23 q3
F.kl_div(a, p)                     : a23 p23
F.kl_div(a, p, reduction='batchmean') : a23 p23
F.kl_div(a, p, reduction='sum', log_target=True) : a23 p23
F.kl_div(a, p, reduction='none')   : a23 p23
"""

CASES = list(parse(TABLE))
# PyTorch computes these with constants of float32, also in float64.
ROUGH = {"F.hardsigmoid(a * 3)", "F.hardsigmoid(w * 3)",
         "F.binary_cross_entropy(w.clamp(0, 1), p / 3)"}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("expression, names", CASES, ids=[f"{e}:{' '.join(n)}" for e, n in CASES])
def test_function_agrees_with_torch(expression, names, dtype):
    if expression in ROUGH:
        dtype = "float32"
    agrees(expression.replace("F.", "torch.nn.functional."), names, dtype)


# What is refused, or warned of, and in which words. x (4, 6), l (3) whole numbers, t four classes, w (3, 6), p
# probabilities like x; for images i (2, 3, 8, 8), k five 3x3 kernels, b five biases.
REFUSALS = """
F.leaky_relu(l); F.elu(l); F.selu(l); F.celu(l); F.gelu(l); F.silu(l); F.mish(l); F.softplus(l)
F.hardsigmoid(l); F.hardswish(l); F.softshrink(l); F.hardshrink(l); F.logsigmoid(l)
F.glu(l.float()); F.glu(x.sum()); F.relu([1.]); F.leaky_relu([1.]); F.softmax([1.], 0); F.gelu(x, approximate='x')
F.softmax(l, 0); F.log_softmax(l, 0); F.softmax(x); F.log_softmax(x); F.softmin(x); F.softmax(x[None]); F.softmax(x, 2)
F.softmax(x.long(), 0); F.softmax(l.sum(), 0); F.softmax(l, 0, dtype=torch.float64)
F.prelu(x, torch.ones(4)); F.prelu(x, torch.ones(2, 3)); F.hardtanh(x, 2, 1)
F.relu(x.requires_grad_(), inplace=True); F.elu(x.requires_grad_(), inplace=True)
F.linear(x[:, :5], w, b[:3]); F.linear(x[:, :5], w); F.linear(x[None, :, :5], w, b[:3]); F.linear(x[0, :5], w, b[:3])
F.linear(x.double(), w, b[:3]); F.linear(x.double(), w); F.linear(x, w, b[:3].double()); F.linear(x.long(), w, b[:3])
F.linear(x, w, b); F.linear(x.sum(), w); F.linear(x, w[0], b[:1]); F.linear(x, w[None]); F.linear([1.], w)
F.dropout(x, 1.5); F.dropout(x, -1); F.dropout(l); F.embedding(l, w); F.embedding(-l, w); F.embedding(x, w)
F.embedding(l, w, padding_idx=9); F.embedding(l - 1, w, padding_idx=-3); F.embedding(l, w[0]); F.embedding(l > 0, w); F.embedding(w, l)
F.one_hot(l, 2); F.one_hot(-l); F.one_hot(x); F.one_hot(l[:0]); F.one_hot(l, 0); F.one_hot(l.int())
F.cross_entropy(x, t[:3]); F.cross_entropy(x, t + 5); F.cross_entropy(x, t - 1); F.cross_entropy(x, t.int())
F.cross_entropy(x, t.float()); F.cross_entropy(x, t[:, None]); F.cross_entropy(x.sum(), t.sum())
F.cross_entropy(x, t, reduction='avg'); F.cross_entropy(x, t, label_smoothing=2.); F.cross_entropy(x.long(), t)
F.cross_entropy(x, t, weight=b[:3]); F.cross_entropy(x, t, weight=x[0].double()); F.cross_entropy(x, p[:, :5])
F.cross_entropy(x, p, ignore_index=1); F.cross_entropy(i[..., 0], t[:2, None]); F.cross_entropy(x[0], t)
F.cross_entropy(i, torch.zeros(2, 8, 7).long()); F.cross_entropy(x, [1]); F.cross_entropy(x, t.bool())
F.cross_entropy(x, t, size_average=False); F.cross_entropy(x, t, reduce=False); F.cross_entropy(x[:0], t[:0])
F.cross_entropy(i, torch.zeros(2, 8, 8).long() + 3); F.cross_entropy(x, t, ignore_index=7, weight=b)
F.nll_loss(x, t[:3]); F.nll_loss(x, p); F.nll_loss(x.sum(), t); F.nll_loss(x, t.float()); F.nll_loss(x[0], p)
F.mse_loss(x, x[0]); F.mse_loss(x, w); F.mse_loss(l, l); F.mse_loss(x, x, reduction='q'); F.mse_loss(x, [1.])
F.mse_loss(x, x, weight=x[0]); F.mse_loss(x, 1.0); F.mse_loss(x[:0], x[:0]); F.l1_loss(x, x[0]); F.l1_loss(l, l)
F.l1_loss(x, w); F.l1_loss(l, l, reduction='sum'); F.smooth_l1_loss(x, x, beta=-1.); F.smooth_l1_loss(l, l)
F.huber_loss(x, x, delta=0.); F.huber_loss(l, l); F.huber_loss(x, x[0]); F.smooth_l1_loss(x, x[0])
F.binary_cross_entropy(x, p); F.binary_cross_entropy(p, x); F.binary_cross_entropy(p, p[0]); F.binary_cross_entropy(l, l)
F.binary_cross_entropy(p, t); F.binary_cross_entropy(p, p.double()); F.binary_cross_entropy(p, p, weight=b)
F.binary_cross_entropy_with_logits(x, p[0]); F.binary_cross_entropy_with_logits(x, p.long())
F.binary_cross_entropy_with_logits(x, p, pos_weight=b); F.binary_cross_entropy_with_logits(l, l); F.kl_div(x, p)
F.conv2d(i[:, :2], k, b); F.conv2d(i[..., :2, :2], k, b); F.conv2d(i[0, 0], k, b); F.conv2d(i[None], k, b)
F.conv2d(i, k, b[:4]); F.conv2d(i, k, b[:, None]); F.conv2d(i.double(), k, b); F.conv2d(i.long(), k, b)
F.conv2d(i, k, b.double()); F.conv2d(i, k, b, groups=2); F.conv2d(i, k, b, stride=0); F.conv2d(i, k, b, padding=-1)
F.conv2d(i, k, b, padding='same', stride=2); F.conv2d(i, k, b, padding='zzz'); F.conv2d(i, k, b, dilation=0)
F.conv2d(i, k[0], b); F.conv2d(i, k, b, stride=(1, 2, 3)); F.conv2d(i[0, :2], k, b); F.conv2d(i, k, b, dilation=4)
F.conv2d(i[..., :3, :2], k, b); F.conv2d(i[..., :2], k, b, padding=(0, 1)); F.conv1d(i[0], torch.ones(2, 4, 3))
F.conv1d(i, torch.ones(2, 3, 3)); F.conv1d(i[0, :, :2], torch.ones(2, 3, 3)); F.conv_transpose2d(i, k)
F.max_pool2d(i, 9); F.max_pool2d(i, 2, padding=2); F.max_pool2d(i[0, 0], 2); F.max_pool2d(i, 0)
F.max_pool2d(i, 2, stride=0); F.max_pool2d(i[:, :0], 2); F.max_pool2d(i, (2, 2, 2)); F.max_pool2d(i, 2, dilation=0)
F.max_pool2d(i, 2, padding=-1); F.max_pool2d(i[None], 2); F.max_pool1d(i, 2); F.max_pool1d(i[0, 0, 0], 2)
F.avg_pool2d(i, 9); F.avg_pool2d(i, 2, padding=2); F.avg_pool2d(i[0, 0], 2); F.avg_pool2d(i, 2, divisor_override=0)
F.avg_pool2d(i, 2, stride=0); F.avg_pool2d(i, 2, padding=-1); F.avg_pool2d(i[None], 2); F.avg_pool1d(i, 2)
F.avg_pool1d(i[0], 9); F.avg_pool1d(i[0, 0, 0], 2); F.adaptive_avg_pool2d(i[0, 0], 2); F.adaptive_avg_pool2d(i, -1)
F.adaptive_avg_pool2d(i.long(), 2); F.pad(x, (1,)); F.pad(x, (1,) * 6); F.pad(x, (1, 1), mode='zz'); F.pad(x, (-9, 1))
F.pad(i, (9, 9, 1, 1), mode='reflect'); F.pad(i, (1, 1, 9, 9), mode='reflect'); F.pad(x, (1, 1, 1, 1), mode='reflect')
F.pad(i, (1, 1, 1, 1), mode='reflect', value=3)
F.batch_norm(x[:1], None, None, training=True); F.batch_norm(x, None, None); F.batch_norm(x[:2], None, None, training=True)
torch.nn.BatchNorm1d(3)(i); torch.nn.BatchNorm2d(3)(x); torch.nn.BatchNorm1d(3)(x); torch.nn.BatchNorm1d(3)(x[:, 0])
F.layer_norm(x, (5,)); F.layer_norm(x, (6,), weight=b); F.layer_norm(x, 6); F.layer_norm(x, (6,), bias=b)
F.max_pool3d(i, (2, 2)); F.avg_pool3d(i, (2, 2)); F.max_pool3d(i, 9); F.avg_pool3d(i, 9); F.max_pool3d(i, 1, stride=0)
F.max_pool3d(i, 2, padding=2); F.avg_pool3d(i, 2, padding=2); F.avg_pool3d(i, 1, divisor_override=0); F.max_pool3d(i[0], 2)
F.avg_pool3d(i[0], 2); F.avg_pool3d(i[0, 0], 2); F.adaptive_avg_pool3d(i[0], 2); F.adaptive_max_pool3d(i[0], 2)
F.adaptive_avg_pool3d(i.long(), 2); F.max_pool3d(i, 1, dilation=0); F.adaptive_avg_pool3d(i, -1)
F.max_pool3d(i[:, :0], 1); F.avg_pool3d(i[:, :0], 1); F.conv_transpose3d(i[None], k[:3, None], output_padding=3)
F.local_response_norm(x, 2); F.multi_margin_loss(x, t, p=3); F.multi_margin_loss(x, t[:2]); F.multi_margin_loss(x, t + 5)
F.multi_margin_loss(x, t, weight=b); F.multi_margin_loss(i, t); F.multi_margin_loss(l, t[0]); F.multi_margin_loss(x, t, weight=k[0])
F.multilabel_margin_loss(x, x[:2].long()); F.multilabel_margin_loss(x, x.long() + 30); F.multilabel_margin_loss(i, i.long())
torch.nn.MultiMarginLoss(3); torch.nn.Transformer(4, 2, 1, 1, 8)(torch.ones(2, 3, 4), torch.ones(2, 2, 4))
torch.nn.Transformer(4, 2, 1, 1, 8)(torch.ones(2, 3, 4), torch.ones(2, 3, 5)); torch.nn.Transformer.generate_square_subsequent_mask(3)
F.embedding_bag(l, w); F.embedding_bag(l[None], w, l); F.embedding_bag(l, w, l); F.embedding_bag(l, w, l * 0)
F.embedding_bag(l - 1, w, torch.tensor([0, 9])); F.embedding_bag(l - 1, w, l[:1] - 1, mode='x'); F.embedding_bag(w, w, l)
F.embedding_bag(l[None, None], w); F.embedding_bag(l, w, l[None]); F.embedding_bag(l[None] - 1, w, per_sample_weights=w)
F.embedding_bag(l[None] - 1, w, mode='sum', per_sample_weights=w); torch.nn.EmbeddingBag.from_pretrained(w, mode='max')
torch.nn.EmbeddingBag(4, 2, mode='sum', padding_idx=1)(l[None]).shape; torch.nn.EmbeddingBag(4, 2, mode='sum', padding_idx=1)
torch.nn.EmbeddingBag.from_pretrained(x[0]); torch.nn.Embedding.from_pretrained(x[0]); torch.nn.Embedding.from_pretrained(x)(l); torch.nn.LayerNorm(6)(x[:, :5])
"""
REFUSALS += """
F.conv2d(i, k, dilation=-1); F.conv_transpose2d(i, k[:3], dilation=-1); F.conv_transpose2d(i, k[:3], padding=-1)
F.conv_transpose2d(i, k[:3], output_padding=-1); F.conv2d(i, k, groups=0, stride=0); F.conv2d(i, k[:0]); F.conv2d(i, k[0], padding='same')
F.conv3d(i[None], torch.ones(1, 2, 1, 1, 1).double()); F.conv_transpose2d(i.double(), k[:3]); F.conv2d(i, b)
F.max_pool1d(x[:0], 1); F.max_pool1d(x, ()); F.max_pool1d(x, 0); F.max_pool1d(x, -1); F.max_pool1d(x, (1, 1)); F.max_pool1d(x, 2, 0)
F.max_pool1d(x, 2, -1); F.max_pool1d(x, 2, (1, 1)); F.max_pool1d(x, 2, padding=2); F.max_pool1d(x, 2, padding=-1); F.max_pool1d(x, 9)
F.max_pool1d(x, 2, padding=(1, 1)); F.max_pool1d(x, 2, dilation=0); F.max_pool1d(x.long(), ()); F.max_pool1d(x, (), return_indices=True)
F.max_pool1d(x, -1, return_indices=True); F.max_pool1d(b, 1, return_indices=True); F.max_pool1d(x[:, :0], 1, return_indices=True)
F.avg_pool1d(x, ()); F.avg_pool1d(x, 2, -1); F.avg_pool1d(x[:0], 1); F.avg_pool1d(x, -1); F.avg_pool1d(x, (1, 1)); F.lp_pool1d(x[:0], 2, 1)
F.max_pool2d(i, -1); F.max_pool2d(i, 2, -1); F.max_pool2d(i, 2, (1, 1, 1)); F.max_pool2d(i, 2, dilation=(1, 1, 1)); F.max_pool2d(i.bool(), 2)
F.max_pool2d(i[..., :0], 1); F.avg_pool2d(i[..., :0], 1); F.avg_pool2d(i[:, :0], 1); F.avg_pool2d(i.bool(), 2); F.avg_pool2d(i[:0], 2)
F.max_pool3d(i, -1); F.avg_pool3d(i, 2, -1); F.max_pool3d(i[..., :0], 1); F.avg_pool3d(i, 2, (1, 1)); F.max_pool3d(i[:0, None], 1)
F.adaptive_avg_pool1d(x, ()); F.adaptive_avg_pool1d(b, 1); F.adaptive_max_pool1d(x, ()); F.adaptive_max_pool1d(x[:, :0], 1)
F.adaptive_max_pool1d(x[:0], 1); F.adaptive_avg_pool2d(x, (2, 2)); F.adaptive_avg_pool2d(x, 2); F.adaptive_avg_pool2d(x, 1)
F.adaptive_avg_pool2d(i, (1, 1, 1)); F.adaptive_avg_pool2d(i[..., :0], 2); F.adaptive_avg_pool2d(i[:0], 2); F.adaptive_avg_pool2d(i, ())
F.adaptive_max_pool2d(x, (2, 2)); F.adaptive_max_pool2d(i, (-1, 0)); F.adaptive_max_pool2d(i.long(), 2); F.adaptive_max_pool2d(i, (2, 2, 2))
F.adaptive_max_pool2d(i[:0], 2); F.adaptive_max_pool2d(i[:, :0], 2); F.adaptive_avg_pool3d(x, (2, 2, 2)); F.adaptive_avg_pool3d(i[:, :0], 2)
F.adaptive_max_pool3d(i, (-1, 0, 2)); F.adaptive_max_pool3d(i[..., :0], 2); F.rms_norm(x, ()); F.rms_norm(x, (6,), b)
F.rms_norm(x.half() * 100, (6,), eps=0.5); F.soft_margin_loss(x, b); F.multi_margin_loss(x, t.float()); F.multi_margin_loss(x, t.int())
F.prelu(x.sum(), b); F.prelu(x.sum(), b[:1]); F.softshrink(x, -0.5); F.softshrink(x.double(), -1.);
F.triplet_margin_with_distance_loss(b, w, w); F.triplet_margin_with_distance_loss(w, w, w, margin=0); F.logsigmoid(1); F.relu_(1)
F.gaussian_nll_loss(x, x, x.exp(), reduction='abc'); F.gaussian_nll_loss(x, x, x, reduction='abc')
"""
REFUSALS += """
F.interpolate(i.long(), 3); F.interpolate(i.bool(), 3, mode='bilinear'); F.interpolate(x[None].long(), 3)
F.interpolate(i.long(), 3, mode='bicubic'); F.interpolate(x[None].byte(), 3, mode='linear')
F.interpolate(i[None].byte(), 3, mode='trilinear'); F.interpolate(i.int(), 3, mode='nearest-exact'); F.interpolate(i.byte(), 3)
F.multi_margin_loss(2, t); F.multi_margin_loss(x, 1.5); F.multilabel_margin_loss(None, t); F.multilabel_margin_loss(x, [1]); F.rms_norm(2, (6,))
F.embedding(l.half(), w.clone(), max_norm=1.0); F.embedding(l.half(), w)
"""
CALLS = [call.strip() for line in REFUSALS.splitlines() for call in line.split(";") if call.strip()]


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_bytes_are_resized_to_the_same_bytes(mode, align_corners):
    """PyTorch resizes them with whole numbers: smaller, larger, one way only, and to edges beyond 0 and 255."""
    draw = np.random.default_rng(0)
    for before, after in [((5, 6), (3, 3)), ((5, 6), (7, 10)), ((27, 27), (13, 40)), ((9, 6), (9, 4)), ((8, 8), (70, 80))]:
        image = draw.choice(np.array([0, 0, 255, 255, *draw.integers(0, 256, 9)], np.uint8), (2, 3, *before))
        kind = {"mode": mode, "align_corners": align_corners}
        wanted = torch.nn.functional.interpolate(torch.from_numpy(image), after, **kind)
        ours = minigrad.nn.functional.interpolate(minigrad.from_numpy(image), after, **kind)
        assert ours.dtype is minigrad.uint8 and ours.tolist() == wanted.tolist()


@pytest.mark.parametrize("call", CALLS)
def test_refusals_and_warnings(call):
    def program(torch):
        even = lambda *shape: torch.arange(float(np.prod(shape))).reshape(shape)  # noqa: E731
        scope = {
            "torch": torch, "F": torch.nn.functional, "x": even(4, 6) - 8, "l": torch.tensor([1, 2, 3]),
            "t": torch.tensor([0, 1, 2, 3]), "w": even(3, 6), "p": even(4, 6) / 23,
            "i": even(2, 3, 8, 8), "k": even(5, 3, 3, 3), "b": even(5),
        }  # fmt: skip
        return attempt(eval, call, scope)

    compare(*(run(program, engine) for engine in (torch, minigrad)))
