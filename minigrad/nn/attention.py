"""Attention layers, and the encoder and decoder of a transformer made of them.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#transformer-layers
"""

import copy
import math

from ..creation import full
from ..dtypes import bool as bool_type
from ..dtypes import get_default_dtype
from . import functional as F
from . import init
from .containers import ModuleList
from .layers import Dropout, LayerNorm, Linear
from .module import Module
from .parameter import blank


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear`, by the name that PyTorch gives the last map of `MultiheadAttention`."""


class MultiheadAttention(Module):
    """Several attentions side by side, each on its part of the features.

    Query (L, N, E), key (S, N, E) and value (S, N, E), with `batch_first` (N, L, E) and so on, or
    without N, give a pair: the output in the query's shape, and the weights (N, L, S), their mean over
    the heads unless `average_attn_weights` is False. A mask is True, or -inf, where a key is not to be
    seen. ValueError for lengths that are not positive, AssertionError unless `embed_dim` can be divided
    by `num_heads` and for shapes that do not fit, NotImplementedError for added keys.
    """

    def __init__(
        self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False,
        kdim=None, vdim=None, batch_first=False, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError("minigrad's MultiheadAttention has no add_bias_kv and add_zero_attn")
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim, self.batch_first = embed_dim // num_heads, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        same = self.kdim == self.vdim == embed_dim  # all three projections are one matrix
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            weight = None if same else blank((embed_dim, width), dtype, device)
            self.register_parameter(f"{name}_proj_weight", weight)
        whole = blank((3 * embed_dim, embed_dim), dtype, device) if same else None
        self.register_parameter("in_proj_weight", whole)
        in_bias = blank((3 * embed_dim,), dtype, device) if bias else None
        self.register_parameter("in_proj_bias", in_bias)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        for weight in self._projections() if whole is None else [whole]:
            init.xavier_uniform_(weight)
        if bias:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
        average_attn_weights=True, is_causal=False,
    ):  # fmt: skip
        """Output and weights, for query, key and value. AssertionError for another width than E."""
        single = query.ndim == 2
        _check_dims(query, key, value, key_padding_mask, attn_mask)
        if single:
            query, key, value = [x.unsqueeze(1) for x in (query, key, value)]
        elif self.batch_first:
            query, key, value = [x.transpose(1, 0) for x in (query, key, value)]
        length, count, width = query._array.shape
        if width != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {width}")
        self._check_lengths(query, key, value)
        scores = self._heads(query, 0) * math.sqrt(1.0 / self.head_dim)
        scores = scores @ self._heads(key, 1).transpose(-2, -1)
        for hidden in self._masks(attn_mask, key_padding_mask, length, count, key.size(0)):
            is_bool = hidden.dtype is bool_type
            scores = scores.masked_fill(hidden, -math.inf) if is_bool else scores + hidden
        weights = F.dropout(scores.softmax(-1), self.dropout, self.training)
        mixed = weights @ self._heads(value, 2)
        mixed = mixed.transpose(0, 1).contiguous().view(length * count, width)
        out = self.out_proj(mixed).view(length, count, width)
        weights = weights.view(count, self.num_heads, length, key.size(0))
        weights = weights.mean(1) if average_attn_weights else weights
        if single:
            out, weights = out.squeeze(1), weights.squeeze(0)
        elif self.batch_first:
            out = out.transpose(1, 0)
        return out, weights if need_weights else None

    def _heads(self, x, part):
        """One third of the projection, for each head: (N * heads, length, head_dim)."""
        rows = slice(part * self.embed_dim, (part + 1) * self.embed_dim)
        bias = None if self.in_proj_bias is None else self.in_proj_bias[rows]
        whole = self.in_proj_weight
        weight = self._projections()[part] if whole is None else whole[rows]
        x = F.linear(x, weight, bias).contiguous()
        return x.view(x.size(0), x.size(1) * self.num_heads, self.head_dim).transpose(0, 1)

    def _projections(self):
        return self.q_proj_weight, self.k_proj_weight, self.v_proj_weight

    def _check_lengths(self, query, key, value):
        if self.in_proj_weight is not None:
            if key.shape != value.shape:
                raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        elif key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
        else:
            for name, x, weight in (("key", key, self.k_proj_weight), ("value", value, self.v_proj_weight)):
                wanted = (self.embed_dim, x.size(-1))
                if weight.shape != wanted:
                    raise AssertionError(f"expecting {name} weights shape of {wanted}, but got {weight.shape}")

    def _masks(self, attn_mask, key_padding_mask, queries, count, length):
        """The masks in shapes that broadcast to (N * heads, L, S)."""
        if attn_mask is not None:
            wanted = {2: (queries, length), 3: (count * self.num_heads, queries, length)}[attn_mask.ndim]
            if attn_mask.shape != wanted:
                raise RuntimeError(
                    f"The shape of the {attn_mask.ndim}D attn_mask is {attn_mask.shape}, but should be {wanted}."
                )
            yield attn_mask
        if key_padding_mask is not None:
            padding = key_padding_mask if key_padding_mask.ndim == 2 else key_padding_mask.unsqueeze(0)
            for d, (n, wanted) in enumerate(zip(padding.shape, (count, length))):
                if n != wanted:
                    raise AssertionError(f"Expected key_padded_mask.shape[{d}] to be {wanted}, but got {n}")
            wide = key_padding_mask.view(count, 1, 1, length).expand(-1, self.num_heads, -1, -1)
            yield wide.reshape(count * self.num_heads, 1, length)


def _check_dims(query, key, value, key_padding_mask, attn_mask):
    """AssertionError, in PyTorch's words, for tensors of another number of dimensions, and masks of integers."""
    n = query.ndim
    if n not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor"
        )
    of = f"For {'un' * (n == 2)}batched ({n}-D) `query`, expected"
    if not key.ndim == value.ndim == n:
        raise AssertionError(
            f"{of} `key` and `value` to be {n}-D but found {key.ndim}-D and {value.ndim}-D tensors respectively"
        )
    for name, mask, fitting in (("key_padding_mask", key_padding_mask, (n - 1,)), ("attn_mask", attn_mask, (2, 3))):
        if mask is not None and mask.ndim not in fitting:
            dims = " or ".join(f"{d}-D" for d in fitting)
            between = ", " if len(fitting) > 1 else " or "
            raise AssertionError(
                f"{of} `{name}` to be `None`{between}{dims} but found {mask.ndim}-D tensor instead"
            )
    for name, mask in (("key_padding_mask", key_padding_mask), ("attn_mask", attn_mask)):
        if mask is not None and mask._array.dtype.kind in "iu":
            raise AssertionError(f"only bool and floating types of {name} are supported")


class _TransformerLayer(Module):
    """What layers of encoder and decoder share: blocks whose input is added to their output."""

    attentions = ("self_attn",)

    def __init__(
        self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
        layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        if isinstance(activation, str):
            if activation not in ("relu", "gelu"):
                raise RuntimeError(f"activation should be relu/gelu, not {activation}")
            activation = getattr(F, activation)
        for name in self.attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, device=device, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first, self.activation = norm_first, activation
        numbers = range(1, len(self.attentions) + 2)
        for number in numbers:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
            setattr(self, f"norm{number}", norm)
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(dropout))

    def _through(self, x, *blocks):
        """`x` through the blocks, each with its norm (in front or behind), dropout and shortcut."""
        for number, block in enumerate(blocks, 1):
            norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
            x = x + dropout(block(norm(x))) if self.norm_first else norm(x + dropout(block(x)))
        return x

    def _feed(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


def _attending(attention, mask, padding, memory=None):
    """The block in which `x` looks at itself, or at `memory`."""

    def block(x):
        seen = x if memory is None else memory
        return attention(x, seen, seen, padding, need_weights=False, attn_mask=mask)[0]

    return block


class TransformerEncoderLayer(_TransformerLayer):
    """Attention and two linear layers, each with its input added and a `LayerNorm`.

    Input (L, N, d_model), or (N, L, d_model) with `batch_first`; an output of the same shape.
    RuntimeError for an activation of another name than "relu" and "gelu".
    """

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        attend = _attending(self.self_attn, src_mask, src_key_padding_mask)
        return self._through(src, attend, self._feed)


class TransformerDecoderLayer(_TransformerLayer):
    """Attention to itself, attention to a memory, and two linear layers, each with a shortcut.

    Input (L, N, d_model) and memory (S, N, d_model), or (N, L, d_model) and (N, S, d_model) with
    `batch_first`; an output of the input's shape. RuntimeError for an activation of another name than
    "relu" and "gelu".
    """

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
        memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False,
    ):  # fmt: skip
        attend = _attending(self.self_attn, tgt_mask, tgt_key_padding_mask)
        look = _attending(self.multihead_attn, memory_mask, memory_key_padding_mask, memory)
        return self._through(tgt, attend, look, self._feed)


class _Stack(Module):
    """Copies of a layer, one after the other, and a norm behind them if given."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def _through(self, x, *args):
        for layer in self.layers:
            x = layer(x, *args)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """`num_layers` copies of a layer, one after the other, and a norm behind them if given.

    Input and output have the shapes of one layer's.
    """

    def __init__(
        self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True
    ):
        super().__init__(encoder_layer, num_layers, norm)

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        return self._through(src, mask, src_key_padding_mask)


class TransformerDecoder(_Stack):
    """`num_layers` copies of a decoder's layer, one after the other, and a norm behind them if given.

    Input, memory and output have the shapes of one layer's.
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
        memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False,
    ):  # fmt: skip
        return self._through(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )


class Transformer(Module):
    """An encoder and a decoder: what the encoder makes of the source is the decoder's memory.

    Source (S, N, d_model) and target (T, N, d_model), or (N, S, d_model) and (N, T, d_model) with
    `batch_first`; an output of the target's shape.
    """

    def __init__(
        self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048,
        dropout=0.1, activation=F.relu, custom_encoder=None, custom_decoder=None,
        layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()

        def stack(of, layer, count):
            layer = layer(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps,
                          batch_first, norm_first, bias, device, dtype)  # fmt: skip
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
            return of(layer, count, norm)

        self.encoder = custom_encoder or stack(
            TransformerEncoder, TransformerEncoderLayer, num_encoder_layers
        )
        self.decoder = custom_decoder or stack(
            TransformerDecoder, TransformerDecoderLayer, num_decoder_layers
        )
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
        tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None,
        tgt_is_causal=None, memory_is_causal=False,
    ):  # fmt: skip
        """The decoder's output. RuntimeError for batches or numbers of features that differ."""
        if src.ndim == 3 and src.size(1 - self.batch_first) != tgt.size(1 - self.batch_first):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if not src.size(-1) == tgt.size(-1) == self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """The mask (sz, sz) that hides what comes later: -inf above the diagonal, 0 elsewhere."""
        dtype = get_default_dtype() if dtype is None else dtype
        return full((sz, sz), float("-inf"), dtype=dtype).triu(1)
