"""Attention: each query's mean of the values, weighed by how well their keys fit.

Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

import math

import numpy as np

from ...dtypes import bool as bool_type
from ...tensor import make
from .layers import dropout


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """`softmax(query @ key.mT * scale + mask) @ value`: (*, L, E), (*, S, E), (*, S, V) give (*, L, V).

    A mask of bools says which keys a query may see, one of numbers is added; `is_causal` lets query i
    see the keys up to i. `scale` is 1 / sqrt(E) if not given. RuntimeError for `is_causal` beside a
    mask, NotImplementedError for `enable_gqa`.
    """
    if enable_gqa:
        raise NotImplementedError("minigrad's attention has no enable_gqa")
    if is_causal and attn_mask is not None:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
        )
    scores = query @ key.mT * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    if is_causal:
        seen = np.tril(np.ones(scores._array.shape[-2:], bool))
        scores = scores.masked_fill(make(~seen), -math.inf)
    elif attn_mask is not None:
        hidden = attn_mask.dtype is bool_type
        scores = scores.masked_fill(~attn_mask, -math.inf) if hidden else scores + attn_mask
    return dropout(scores.softmax(-1), dropout_p) @ value
