"""Layers as modules against torch: outputs, gradients, printing, names of the state, what is refused.

What would break a network that a learner brings: another shape or order of states, parameters by other
names (a saved state would not fit), a mask or a mode that does something else.
"""

import numpy as np
import pytest
import torch

import minigrad
from tests.engine.both import attempt, compare, refusal, run, same
from tests.engine.test_nn import numbers, seeded

# A constructor, and the shapes of its inputs; another dtype is named before the shape.
LAYERS = """
RNN(3, 4)                                   : 523
RNN(3, 4, 2, nonlinearity='relu')           : 523
RNN(3, 4, batch_first=True)                 : 253
RNN(3, 4, bidirectional=True, num_layers=2) : 523
RNN(3, 4, bias=False)                       : 53
LSTM(3, 4)                                  : 523
LSTM(3, 4, 2, bidirectional=True)           : 523
LSTM(3, 4, batch_first=True)                : 253
LSTM(3, 4)                                  : 53
GRU(3, 4)                                   : 523
GRU(3, 4, 2, bidirectional=True, bias=False): 523
GRU(3, 4, batch_first=True)                 : 253
GRU(3, 4)                                   : 53
RNNCell(3, 4)                               : 23 | 3
RNNCell(3, 4, nonlinearity='relu', bias=False) : 23
LSTMCell(3, 4)                              : 23 | 3
GRUCell(3, 4)                               : 23 | 3
MultiheadAttention(4, 2)                    : 324 524 524 | 34 54 54
MultiheadAttention(4, 2, batch_first=True, bias=False) : 234 254 254
TransformerEncoderLayer(4, 2, 8, dropout=0.0) : 324 | 34
TransformerEncoderLayer(4, 2, 8, 0.0, 'gelu', batch_first=True, norm_first=True) : 234
TransformerDecoderLayer(4, 2, 8, dropout=0.0) : 324 524 | 34 54
TransformerDecoderLayer(4, 2, 8, 0.0, 'gelu', batch_first=True, norm_first=True, bias=False) : 234 254
Transformer(4, 2, 1, 2, 8, 0.0)             : 324 524
Transformer(4, 2, 2, 1, 8, 0.0, batch_first=True, norm_first=True, bias=False) : 234 254
GroupNorm(2, 4)                             : 243 | 24 | 2433
GroupNorm(1, 4, affine=False)               : 243
InstanceNorm1d(4)                           : 243 | 43
InstanceNorm1d(4, affine=True, track_running_stats=True) : 243
InstanceNorm2d(4, affine=True)              : 2433 | 433
RMSNorm(3)                                  : 243
RMSNorm((4, 3), eps=0.1, elementwise_affine=False) : 243
BatchNorm3d(2)                              : 22222
Bilinear(3, 4, 2)                           : 23 24 | 523 524 | 3 4
Bilinear(3, 4, 2, bias=False)               : 23 24
Softmax2d()                                 : 2323 | 323
InstanceNorm3d(2, affine=True)              : 22333 | 2333
LocalResponseNorm(2)                        : 254 | 2543
LocalResponseNorm(3, 0.1, 0.5, 2.0)         : 25433
Conv3d(2, 3, 2)                             : 22345 | 2345
Conv3d(2, 4, (1, 2, 3), stride=(1, 2, 1), padding=(1, 0, 1), groups=2, bias=False) : 22345
Conv3d(2, 3, 2, padding=1, padding_mode='reflect') : 22345
ConvTranspose3d(2, 3, 2, stride=2, output_padding=1) : 22232 | 2232
MaxPool3d(2)                                : 22445 | 2445
MaxPool3d((2, 1, 2), stride=1, padding=(1, 0, 1), dilation=(1, 1, 2), return_indices=True) : 22445
MaxPool3d(2, ceil_mode=True)                : 22355
AvgPool3d(2)                                : 22445 | 2445
AvgPool3d((2, 1, 2), stride=1, padding=(1, 0, 1), count_include_pad=False) : 22445
AvgPool3d(2, ceil_mode=True, divisor_override=3) : 22355
AdaptiveAvgPool3d((2, 3, 2))                : 22355 | 2355
AdaptiveAvgPool3d(1)                        : 22355
AdaptiveMaxPool3d((2, None, 3))             : 22355
LPPool1d(2, 3)                              : 237
LPPool2d(3, (2, 1), stride=1)               : 2345
LPPool3d(1, 2)                              : 22344
AdaptiveMaxPool1d(3)                        : 237 | 37
AdaptiveMaxPool2d((3, 2))                   : 2365 | 365
AdaptiveMaxPool2d(2, return_indices=True)   : 2365
AdaptiveMaxPool2d((None, 2))                : 2365
ConstantPad1d(2, 1.5)                       : 234
ConstantPad2d((1, 2, 0, 1), 3.0)            : 2345
ZeroPad1d((1, 2))                           : 234
ZeroPad2d(1)                                : 2345 | 345
ReflectionPad1d(2)                          : 234
ReflectionPad2d((1, 2, 0, 1))               : 2345
ReplicationPad1d(2)                         : 234
ReplicationPad2d((1, 2, 0, 1))              : 2345
ReplicationPad3d(1)                         : 22345
CircularPad1d(2)                            : 234
CircularPad2d((1, -1, 0, 2))                : 2345
Upsample(scale_factor=2)                    : 2334 | 234
Upsample(size=5, mode='linear')             : 234
Upsample(scale_factor=(2, 1.5), mode='bilinear') : 2334
Upsample(size=(2, 7), mode='bilinear', align_corners=True) : 2334
Upsample(scale_factor=2, mode='bicubic')    : 2334
UpsamplingNearest2d(size=5)                 : 2334
UpsamplingBilinear2d(scale_factor=2)        : 2334
PixelShuffle(2)                             : 2834
PixelUnshuffle(2)                           : 2246
ChannelShuffle(2)                           : 2433
Unfold(2)                                   : 2345 | 345
Unfold((2, 3), dilation=(1, 2), padding=1, stride=(2, 1)) : 2345
Fold((4, 5), 2)                             : 28(12)
Fold(4, 2, stride=2)                        : 284 | 84
AlphaDropout(0.0)                           : 23
Dropout3d(0.0)                              : 22222
RReLU(0.2, 0.2)                             : 23
"""
CASES = [(line.rpartition(":")[0].strip(), shapes.split())
         for line in LAYERS.strip().splitlines() for shapes in line.rpartition(":")[2].split("|")]  # fmt: skip


def shape(text):
    """`284` is (2, 8, 4); a length of two digits stands in parentheses."""
    head, _, tail = text.partition("(")
    return (*map(int, head), *([int(tail[:-1])] if tail else []))


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("text, shapes", CASES, ids=[f"{t}:{' '.join(s)}" for t, s in CASES])
def test_layers(text, shapes, mode):
    def program(torch):
        layer = seeded(torch, eval(f"nn.{text}", {"nn": torch.nn}))
        getattr(layer, mode)()
        inputs = [torch.tensor(numbers(*shape(s), seed=i), requires_grad=True) for i, s in enumerate(shapes)]
        out = layer(*inputs)
        flat = [y for part in (out if isinstance(out, tuple) else (out,))
                for y in (part if isinstance(part, tuple) else (part,)) if y.requires_grad]  # fmt: skip
        weights = [torch.tensor(numbers(*y.shape, seed=9)) for y in flat]
        grads = torch.autograd.grad(flat, [*inputs, *layer.parameters()], weights)
        return out, grads, repr(layer), layer.state_dict()

    compare(*(run(program, engine) for engine in (torch, minigrad)), scale=5, named=False)


@same
def test_states_are_handed_on(torch):
    nn, found = torch.nn, []
    x = torch.tensor(numbers(6, 2, 3, seed=1))
    for make in (nn.RNN, nn.GRU, nn.LSTM):
        layer = seeded(torch, make(3, 4, 2))
        whole, last = layer(x)
        first, state = layer(x[:4])
        second, end = layer(x[4:], state)
        same = lambda a, b: torch.allclose(a, b, atol=1e-6)  # noqa: E731
        found.append((same(whole[:4], first), same(whole[4:], second),
                      [same(a, b) for a, b in zip(last, end)], whole.detach()))  # fmt: skip
        found.append([tuple(p.shape) for group in layer.all_weights for p in group])
    cell = seeded(torch, nn.LSTMCell(3, 4))
    h, c = cell(x[0])
    h, c = cell(x[1], (h, c))
    return found, h.detach(), c.detach(), seeded(torch, nn.GRUCell(3, 4))(x[0], h).detach()


@same
def test_attention_with_masks(torch):
    nn, F = torch.nn, torch.nn.functional
    layer = seeded(torch, nn.MultiheadAttention(4, 2, batch_first=True))
    x = torch.tensor(numbers(2, 3, 4), requires_grad=True)
    later = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
    empty = torch.tensor([[False, False, True], [False, False, False]])
    low = torch.zeros(3, 3).masked_fill(later, float("-inf"))
    encoder = seeded(torch, nn.TransformerEncoder(
        nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True), 2, nn.LayerNorm(4),
        enable_nested_tensor=False))  # fmt: skip
    q, k, v = [torch.tensor(numbers(2, 2, 3, 4, seed=s), requires_grad=True) for s in range(3)]
    outs = [layer(x, x, x, attn_mask=later), layer(x, x, x, attn_mask=low), layer(x, x, x, empty),
            layer(x, x, x, average_attn_weights=False), layer(x, x, x, need_weights=False)[:1],
            layer(x, x, x, empty, attn_mask=later)]  # fmt: skip
    outs = [y for pair in outs for y in pair] + [
        encoder(x), encoder(x, mask=low), encoder(x, src_key_padding_mask=empty),
        F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, is_causal=True),
        F.scaled_dot_product_attention(q, k, v, ~later), F.scaled_dot_product_attention(q, k, v, low, scale=2.0),
        F.scaled_dot_product_attention(q[0], k[0], v[0])]  # fmt: skip
    total = sum((y * torch.tensor(numbers(*y.shape))).sum() for y in outs)
    return ([y.detach() for y in outs], torch.autograd.grad(total, [x, q, k, v]), repr(encoder),
            list(encoder.state_dict()))  # fmt: skip


@same
def test_sequences_of_different_lengths(torch):
    rnn = torch.nn.utils.rnn
    a, b = torch.arange(6.0).reshape(3, 2).requires_grad_(), torch.ones(1, 2)
    padded = rnn.pad_sequence([a, b])
    padded.sum().backward()
    return (padded, a.grad, rnn.pad_sequence([a.detach(), b], batch_first=True, padding_value=9.0),
            rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], True, 0, "left"),
            rnn.unpad_sequence(padded.detach(), torch.tensor([3, 1])),
            [refusal(rnn.pad_sequence, *args) for args in (([],), (3,), ([a, torch.ones(2, 3)],),
                                                           ([a, b], True, 0, "x"))])  # fmt: skip


@same
def test_running_statistics_of_instances(torch):
    layer = torch.nn.InstanceNorm1d(3, track_running_stats=True)
    x = torch.tensor(numbers(2, 3, 5))
    first = layer(x)
    layer.eval()
    return first, layer(x), layer.running_mean, layer.running_var, layer.num_batches_tracked, repr(layer)


@same
def test_a_dictionary_of_parameters(torch):
    nn = torch.nn
    held = nn.ParameterDict({"a": nn.Parameter(torch.ones(2)), "b": torch.zeros(3, 2)})
    held["c"] = nn.Parameter(torch.tensor(1.0))
    held.update({"d": nn.Parameter(torch.ones(1))})
    gone = held.pop("d")
    return (repr(held), list(held), len(held), "a" in held, held["b"].requires_grad, list(held.keys()),
            [tuple(v.shape) for v in held.values()], list(held.state_dict()), gone, len(list(held.parameters())))  # fmt: skip


@same
def test_layers_refuse_what_makes_no_sense(torch):
    nn, F = torch.nn, torch.nn.functional
    x, image = torch.ones(2, 4, 6), torch.ones(2, 4, 3, 3)
    return [refusal(call) for call in (
        lambda: nn.RNN(2, 3, nonlinearity="x"), lambda: nn.LSTM(2, 0), lambda: nn.LSTM(2, 3, num_layers=0),
        lambda: nn.LSTM(2, 3, dropout=2), lambda: nn.LSTM(2.0, 3), lambda: nn.GRU(5, 3)(x),
        lambda: nn.RNN(6, 3)(x[0, 0]), lambda: nn.LSTM(6, 3)(x[0, 0]), lambda: nn.RNN(6, 3)(x, torch.zeros(1, 3, 3)),
        lambda: nn.LSTM(6, 3)(x, (torch.zeros(1, 4, 3), torch.zeros(1, 3, 3))),
        lambda: nn.LSTM(6, 3)(x[0], (torch.zeros(1, 4, 3), torch.zeros(1, 4, 3))),
        lambda: nn.RNNCell(5, 3)(x[0]), lambda: nn.GRUCell(6, 3)(x), lambda: nn.LSTMCell(6, 3)(x[0], (x[0], x[0])),
        lambda: nn.RNNCell(6, 3)(x[0], torch.ones(1, 3)), lambda: nn.MultiheadAttention(5, 2),
        lambda: nn.MultiheadAttention(4, 2)(x, x, x), lambda: nn.GroupNorm(3, 4), lambda: F.group_norm(x, 3),
        lambda: F.group_norm(x, 2, torch.ones(3)), lambda: F.rms_norm(x, (5,)), lambda: nn.Bilinear(0, 2, 3),
        lambda: nn.Bilinear(6, 6, 3)(x, x[:1]), lambda: nn.Bilinear(6, 5, 3)(x, x), lambda: nn.InstanceNorm1d(4)(image),
        lambda: F.instance_norm(x[..., :1]), lambda: nn.Softmax2d()(x[0]), lambda: F.pixel_shuffle(image, 3),
        lambda: F.pixel_shuffle(image, 0), lambda: F.pixel_unshuffle(image, 2), lambda: F.unfold(image, 4),
        lambda: F.fold(x, (3, 3), 2), lambda: F.fold(x[:, :4], (3, 3), 2), lambda: F.interpolate(image),
        lambda: F.interpolate(image, size=2, scale_factor=2), lambda: F.interpolate(image, size=2, mode="x"),
        lambda: F.interpolate(image, size=2, align_corners=True), lambda: F.interpolate(image, size=(2,)),
        lambda: F.interpolate(image, scale_factor=(2,)), lambda: F.interpolate(x, size=2, mode="bilinear"),
        lambda: F.interpolate(image, size=0), lambda: F.adaptive_max_pool2d(x[0], 2), lambda: F.adaptive_max_pool1d(image, 2),
        lambda: F.margin_ranking_loss(x, x, torch.ones(1)), lambda: F.triplet_margin_loss(x, x, x[0]),
        lambda: F.triplet_margin_loss(x, x, x, margin=-1), lambda: nn.TripletMarginLoss(margin=0),
        lambda: F.cosine_embedding_loss(x, x, torch.ones(2)), lambda: F.gaussian_nll_loss(x, x, -x),
        lambda: F.gaussian_nll_loss(x, x, torch.ones(3)), lambda: F.alpha_dropout(x, 2.0),
        lambda: nn.ParameterDict()["a"],
    )] + [attempt(nn.RNN, 2, 3, dropout=0.5)]  # fmt: skip


def test_what_is_drawn_at_random():
    F = minigrad.nn.functional
    minigrad.manual_seed(0)
    x = minigrad.randn(20_000)
    for dropped in (F.alpha_dropout(x, 0.3, True), F.selu(F.alpha_dropout(x, 0.3, True))):
        assert abs(dropped.mean().item()) < 0.2 and 0.8 < dropped.std().item() < 1.25
    slopes = F.rrelu(-minigrad.ones(20_000), 0.1, 0.3, True).neg()
    assert 0.1 <= slopes.min().item() and slopes.max().item() <= 0.3 and abs(slopes.mean().item() - 0.2) < 0.01
    logits = minigrad.tensor([0.0, np.log(3.0)], requires_grad=True)
    drawn = F.gumbel_softmax(logits.expand(20_000, 2), hard=True)
    assert set(drawn.unique().tolist()) == {0.0, 1.0}
    assert abs(drawn[:, 1].mean().item() - 0.75) < 0.02
    drawn[:, 1].sum().backward()
    assert logits.grad[1].item() > 0


LAZY = """
LazyLinear(3)                          : 24 | 4 | 234
LazyLinear(3, bias=False)              : 24
LazyConv1d(3, 2)                       : 245 | 45
LazyConv2d(4, (2, 1), stride=2, groups=2, bias=False) : 2445 | 245
LazyConv3d(2, 2, padding=1)            : 22333
LazyConvTranspose1d(3, 2)              : 245
LazyConvTranspose2d(3, 2, stride=2)    : 2233
LazyConvTranspose3d(2, 2)              : 22222
LazyBatchNorm1d()                      : 24
LazyBatchNorm2d(affine=False)          : 2433
LazyBatchNorm3d(track_running_stats=False) : 22222
LazyInstanceNorm1d()                   : 243
LazyInstanceNorm2d(affine=True)        : 2433
LazyInstanceNorm3d()                   : 22222
"""
LAZY = [(text.strip(), size) for line in LAZY.strip().splitlines()
        for text, _, sizes in [line.rpartition(" : ")] for size in sizes.split(" | ")]  # fmt: skip


@pytest.mark.parametrize("text, size", LAZY)
@same
def test_lazy_layers_become_ordinary_ones(torch, text, size):
    layer = eval(text.replace("Lazy", "torch.nn.Lazy", 1), {"torch": torch})
    x = numbers(torch, *shape(size))
    before = repr(layer), list(map(str, layer.parameters())), list(layer.state_dict())
    layer(x)
    layer = seeded(torch, layer)
    out = layer(x)
    out.sum().backward()
    now = repr(layer), [p.grad for p in layer.parameters()], type(layer).__name__
    return before, now, out, [*layer.buffers()]


@same
def test_lazy_layers_in_a_network(torch):
    nn = torch.nn
    net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    waiting = [layer.has_uninitialized_params() for layer in (net[0], net[1], net[3])]
    x = numbers(torch, 2, 1, 5, 5)
    net(x)
    seeded(torch, net)
    net(x).square().sum().backward()
    optimizer.step()
    return waiting, repr(net), [p.detach() for p in net.parameters()]


@same
def test_lazy_layers_take_shapes_from_a_saved_state(torch):
    nn = torch.nn
    saved, lazy = seeded(torch, nn.Linear(5, 3)), nn.LazyLinear(3)
    lazy.load_state_dict(saved.state_dict())
    x = numbers(torch, 2, 5)
    return lazy.weight.shape, lazy(x), repr(lazy), refusal(nn.Linear(5, 3).load_state_dict, nn.LazyLinear(3).state_dict())


@same
def test_what_lazy_layers_refuse(torch):
    nn = torch.nn
    made = nn.LazyLinear(3)
    made.initialize_parameters(torch.ones(2, 7))
    return (
        refusal(lambda: nn.LazyLinear(3).weight.shape),
        refusal(nn.LazyConv2d(3, 2), torch.ones(4, 4)),
        refusal(nn.LazyConv2d(4, 2, groups=2), torch.ones(1, 3, 4, 4)),
        made.weight.shape, repr(made),
    )  # fmt: skip
