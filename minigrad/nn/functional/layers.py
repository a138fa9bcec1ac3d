"""Linear maps, dropout, embedding, normalisation, distances.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#linear-functions
"""

import math

import numpy as np

from ... import dtypes
from ...inplace import apply_in_place
from ...ops import layer
from ...ops.arguments import check_broadcast
from ...ops.einsum import einsum
from ...ops.linalg import matmul
from ...ops.random import stream
from ...ops.reduce import NormAlong
from ...ops.registry import wrong_type
from ...ops.softmax import not_implemented
from ...tensor import Tensor, make, wrap_dim


def linear(input, weight, bias=None):
    """`input @ weight.T + bias`: input (*, in), weight (out, in), bias (out); a result (*, out).

    RuntimeError for shapes that do not fit or different dtypes.
    """
    if input.ndim == 0:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are 0D and {weight.ndim}D"
        )
    if bias is None:
        return matmul(input, weight.t())
    if input.ndim == 2:
        return _addmm(bias, input, weight.t())
    if not input.is_contiguous():
        return matmul(input, weight.t()) + bias
    lead = input._array.shape[:-1]
    out = _addmm(bias, input.view(math.prod(lead), input._array.shape[-1]), weight.t())
    return out.view(*lead, out._array.shape[-1])


def _addmm(bias, input, weight):
    """`bias + input @ weight`, with PyTorch's checks."""
    a, b, c = input._array, weight._array, bias._array
    if b.ndim != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {b.ndim}-D tensor")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
        )
    if not a.dtype == b.dtype == c.dtype:
        name, first = ("self", bias) if a.dtype == b.dtype else ("mat1", input)
        raise RuntimeError(
            f"{name} and mat2 must have the same dtype, but got {first.dtype.tensor_name} and "
            f"{weight.dtype.tensor_name}"
        )
    if c.shape != b.shape[1:]:
        bias.expand(a.shape[0], b.shape[1])  # refused, in PyTorch's words, if it cannot be
    return layer.Linear(bias, input, weight)


def dropout(input, p=0.5, training=True, inplace=False):
    """In training each element becomes 0 with probability `p`, the others are divided by `1 - p`.

    The same shape. ValueError for a probability outside of 0 to 1, RuntimeError for integers.
    """
    return _drop(input, p, training, inplace, input._array.shape)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """`dropout` of whole channels: input (N, C, L) or (C, L)."""
    return _drop(input, p, training, inplace, (*input._array.shape[:-1], 1))


def dropout2d(input, p=0.5, training=True, inplace=False):
    """`dropout` of whole channels: input (N, C, H, W) or (C, H, W)."""
    return _drop(input, p, training, inplace, (*input._array.shape[:-2], 1, 1))


def dropout3d(input, p=0.5, training=True, inplace=False):
    """`dropout` of whole channels: input (N, C, D, H, W) or (C, D, H, W)."""
    return _drop(input, p, training, inplace, (*input._array.shape[:-3], 1, 1, 1))


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """`dropout` that keeps mean 0 and variance 1 after `selu`: dropped elements are what -inf becomes.

    The same shape. ValueError for a probability outside of 0 to 1.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    lowest = 1.7580993408473766  # selu's limit, without its sign
    kept = stream().random(input._array.shape) >= p
    factor = 1 / math.sqrt((lowest**2 * p + 1) * (1 - p)) if p < 1 else 0.0
    shift = np.where(kept, factor * lowest * p, factor * lowest * (p - 1))
    dtype = input._array.dtype
    noise, shift = make((kept * factor).astype(dtype)), make(shift.astype(dtype))
    return input.mul_(noise).add_(shift) if inplace else input * noise + shift


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """`leaky_relu` with a random slope for each element; in evaluation with their mean. The same shape."""
    shape = input._array.shape
    slopes = stream().uniform(lower, upper, shape) if training else np.full(shape, (lower + upper) / 2)
    slopes = slopes.astype(input._array.dtype)
    if inplace:
        return apply_in_place(layer.RreluWithNoise, input, slopes)
    return layer.RreluWithNoise(input, slopes)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Softmax of logits with random (Gumbel) numbers added; `hard` rounds to a one-hot vector.

    The gradient of the rounded one is that of the softmax. The shape of `logits`.
    """
    noise = -np.log(stream().exponential(size=logits._array.shape))
    soft = ((logits + make(noise.astype(logits._array.dtype))) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    return make(np.zeros_like(soft._array)).scatter_(dim, index, 1.0) - soft.detach() + soft


def bilinear(input1, input2, weight, bias=None):
    """`input1 @ weight[o] @ input2` for each output o: inputs (*, A) and (*, B), weight (O, A, B).

    A result (*, O). RuntimeError for other shapes.
    """
    if input1._array.shape[:-1] != input2._array.shape[:-1]:
        d, (a, b) = next((d, pair) for d, pair in enumerate(zip(input1.shape, input2.shape))
                         if pair[0] != pair[1])  # fmt: skip
        raise RuntimeError(
            "bilinear(): input batch dimensions do not match at dim " f"{d}: got {a} and {b}"
        )
    for i, x in enumerate((input1, input2), 1):
        if x.size(-1) != weight.size(i):
            raise RuntimeError(
                f"bilinear(): input{i} size does not match weight size: got {x.size(-1)} but expected "
                f"{weight.size(i)}"
            )
    rows = [x.reshape(-1, x.size(-1)) for x in (input1, input2)]
    found = einsum("na,oab,nb->no", rows[0], weight, rows[1])
    found = found.view(*input1._array.shape[:-1], weight.size(0))
    return found if bias is None else found + bias


def _drop(input, p, training, inplace, shape):
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    dtype = input._array.dtype
    if dtype.kind != "f":
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input.dtype.tensor_name}"
        )
    kept = stream().random(shape) >= p
    noise = make((kept / (1 - p) if p < 1 else kept).astype(dtype))
    return input.mul_(noise) if inplace else input * noise


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
    sparse=False,
):  # fmt: skip
    """The rows of `weight` (num_embeddings, dim) that `input`, of any shape, names; (*, dim).

    The row `padding_idx` gets no gradient. Rows that are longer than `max_norm` are first made that long,
    in place. IndexError for a row that does not exist. RuntimeError for a weight that is no matrix or
    indices that are no integers, AssertionError for a `padding_idx` that names no row,
    NotImplementedError for `sparse`.
    """
    if sparse:
        raise NotImplementedError("minigrad's embedding has no sparse gradients")
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    count = weight._array.shape[0]
    if padding_idx is not None:
        if not -count <= padding_idx < count:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= count
    index = input._array
    if input.dtype not in (dtypes.int64, dtypes.int32):
        kind = input.type() if input.dtype is not dtypes.bool else "CPUBoolType"
        place, function = (1, "embedding") if max_norm is None else (2, "embedding_renorm_")
        raise RuntimeError(
            f"Expected tensor for argument #{place} 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {kind} instead (while checking arguments for {function})"
        )
    if index.size and (index.min() < 0 or index.max() >= count):
        raise IndexError("index out of range in self")
    if max_norm is not None:
        _shorten(weight.detach(), np.unique(index), max_norm, norm_type)
    return layer.Embedding(weight, input, padding_idx, scale_grad_by_freq)


def _shorten(weight, rows, max_norm, norm_type):
    """Scale the rows of a table that are longer than `max_norm` to that length, in place."""
    norms = weight[make(rows)].norm(norm_type, 1)._array
    long = norms > max_norm
    scale = (max_norm / (norms[long] + 1e-7)).astype(weight._array.dtype)
    weight[make(rows[long])] *= make(scale[:, None])


def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
    sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """The mean, sum or maximum of the rows of `weight` that each bag of `input` names.

    Input (B, n) has a bag in each row; input (n) has them one after the other, from the positions
    `offsets` (B) on. Weight (num_embeddings, dim); a result (B, dim), zeros for an empty bag.
    `per_sample_weights`, in the shape of `input`, multiply the rows of a sum. ValueError for another mode
    or shape, RuntimeError for offsets that do not begin at 0 or reach beyond the end, and for a row that
    does not exist; NotImplementedError for weights without "sum", `max_norm`, `scale_grad_by_freq`, `sparse`.
    """
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise NotImplementedError(
            "minigrad's embedding_bag has no max_norm, scale_grad_by_freq or sparse gradients"
        )
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
            f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of type {type(offsets)}"
            )
        count, length = input.shape
        starts = np.arange(count) * length
    elif input.ndim == 1:
        if not isinstance(offsets, Tensor):
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        starts = offsets._array[:-1] if include_last_offset else offsets._array
        count = len(starts)
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if input.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {input.type()} instead (while checking arguments for embedding_bag)"
        )
    if len(starts) and starts[0]:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
            f"0. However, got {starts[0]}\n[ torch.LongTensor{{}} ]"
        )
    index, rows = input._array.reshape(-1), weight.shape[0]
    if len(starts) and starts[-1] > index.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {index.size} but got offsets[-1] of "
            f"{starts[-1]}"
        )
    wrong = np.flatnonzero((index < 0) | (index >= rows))
    if wrong.size:
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {index[wrong[0]]} which is not in the valid range "
            f"[0, {rows})"
        )
    bags = np.searchsorted(starts, np.arange(index.size), "right") - 1
    padding = None if padding_idx is None else padding_idx % rows
    if per_sample_weights is not None:
        per_sample_weights = per_sample_weights.reshape(-1)
    return layer.EmbeddingBag(weight, per_sample_weights, index, bags, count, mode, padding)


def one_hot(tensor, num_classes=-1):
    """For each class number zeros with a 1 at its place; int64, shape (*, num_classes).

    RuntimeError for what is not int64, negative numbers, and numbers not below `num_classes`.
    """
    if tensor.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    classes = tensor._array
    if classes.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(classes.max()) + 1
    elif classes.size and classes.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return make((classes[..., None] == np.arange(num_classes)).astype(np.int64))


# -- normalisation and distances ------------------------------------------------------------------


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """Mean 0 and variance 1 over the last dimensions, then times `weight` plus `bias`.

    Input (*, *normalized_shape), a result of the same shape. RuntimeError for other shapes.
    """
    if isinstance(normalized_shape, int):
        raise wrong_type("layer_norm", "normalized_shape", 2, normalized_shape, "tuple of ints")
    shape = list(normalized_shape)
    if list(input._array.shape[-len(shape) :]) != shape:
        wanted = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [{wanted}], but got input "
            f"of size{list(input.shape)}"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and list(parameter.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(parameter.shape)} and normalized_shape = {shape}"
            )
    if input._array.dtype.kind != "f":
        raise not_implemented("LayerNormKernelImpl", input)
    lead = input.ndim - len(shape)
    return layer.NativeLayerNorm(
        input, weight, bias, tuple(range(lead, input.ndim)), (1,) * lead + tuple(shape), eps
    )


def batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05
):
    """Mean 0 and variance 1 for each channel (dim 1): of the batch in training, else the running ones.

    In training `running_mean` and `running_var`, where given, move towards the batch's in place. Input
    (N, C, *), a result of the same shape; the other four (C). ValueError for a single number for each
    channel in training, RuntimeError for other shapes.
    """
    if training and math.prod((input._array.shape[0], *input._array.shape[2:])) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    if not input._array.size:
        return input.clone()
    channels = input._array.shape[1] if input.ndim > 1 else 0
    dims = (0, *range(2, input.ndim))
    for name, held in (("running_mean", running_mean), ("running_var", running_var),
                       ("weight", weight), ("bias", bias)):  # fmt: skip
        if held is None and not training and name.startswith("running"):
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if held is not None and held.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {held.numel()}")
    if input._array.dtype.kind != "f":
        raise not_implemented("batch_norm", input)
    shape = (1, input._array.shape[wrap_dim(1, input.ndim)]) + (1,) * (input.ndim - 2)
    if not training:
        mean = running_mean._array.reshape(shape)
        factor = 1 / np.sqrt(running_var._array.reshape(shape) + eps)
        return layer.FixedBatchNorm(input, weight, bias, mean, factor, shape)
    for running, batch in ((running_mean, np.mean(input._array, axis=dims)),
                           (running_var, np.var(input._array, axis=dims, ddof=1))):  # fmt: skip
        if running is not None:
            running.copy_(make(running._array * (1 - momentum) + momentum * batch))
    return layer.NativeBatchNorm(input, weight, bias, dims, shape, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """Mean 0 and variance 1 over each of `num_groups` groups of channels: input (N, C, *).

    RuntimeError if C cannot be divided by `num_groups`, or weights are not (C).
    """
    if input.ndim < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.ndim}"
        )
    channels = input._array.shape[1]
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(input.shape)} and num_groups={num_groups}"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and parameter._array.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                f"got {name} of shape {list(parameter.shape)} and input of shape {list(input.shape)}"
            )
    return layer.NativeGroupNorm(input, weight, bias, num_groups, eps)


def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
    momentum=0.1, eps=1e-05,
):  # fmt: skip
    """Mean 0 and variance 1 for each channel of each example: `batch_norm` of one at a time.

    Input (N, C, *), a result of the same shape. ValueError for a single number for each channel.
    """
    count, channels, *space = input._array.shape
    if use_input_stats and math.prod(space) == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {input.size()}"
        )
    held = [None if t is None else t.repeat(count) for t in (running_mean, running_var, weight, bias)]
    flat = input.contiguous().view(1, count * channels, *space)
    found = batch_norm(flat, *held, use_input_stats, momentum, eps)
    for running, seen in zip((running_mean, running_var), held):
        if running is not None and use_input_stats:
            running.copy_(seen.view(count, channels).mean(0))
    return found.view(input.shape)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divided by the root of the mean square over the last dimensions, then times `weight`.

    Input (*, *normalized_shape), a result of the same shape. RuntimeError for other shapes.
    """
    if not normalized_shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            f"but got normalized_shape = {list(normalized_shape)}"
        )
    dims = tuple(range(-len(normalized_shape), 0))
    if list(input._array.shape[-len(dims) :]) != list(normalized_shape):
        wanted = ", ".join(map(str, normalized_shape))
        raise RuntimeError(
            f"Given normalized_shape={list(normalized_shape)}, expected input with shape [*{wanted}], "
            f"but got input of size{list(input.shape)}"
        )
    if weight is not None and list(weight.shape) != list(normalized_shape):
        raise RuntimeError(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.shape)} and normalized_shape = {list(normalized_shape)}"
        )
    eps = dtypes.finfo(input.dtype).eps if eps is None else eps
    wide = input.float() if input.dtype is dtypes.float16 else input  # squares of halves would soon be inf
    found = (wide * (wide.pow(2).mean(dims, keepdim=True) + eps).rsqrt()).to(input.dtype)
    return found if weight is None else found * weight


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """`input` over its p-norm along `dim`, or over `eps` where the norm is smaller; the same shape."""
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    """The cosine of the angle between vectors along `dim`, which disappears: (N, D) gives (N).

    The two broadcast. RuntimeError for integers.
    """
    if dtypes.result_numpy(x1._array, x2._array).kind != "f":
        common = dtypes.of_numpy(dtypes.result_numpy(x1._array, x2._array)).tensor_name
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common}"
        )
    pair = broadcast(x1, x2)
    a, b = [x / x.norm(2, dim, keepdim=True).clamp_min(eps) for x in pair]
    return (a * b).sum(dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    """The p-norm of `x1 - x2 + eps` along the last dimension: (N, D) gives (N)."""
    difference = x1 - x2 + eps
    return NormAlong(difference, float(p), (difference.ndim - 1,), keepdim)


def broadcast(*tensors):
    """Tensors expanded to the one shape that they broadcast to."""
    shapes = [tensor._array.shape for tensor in tensors]
    check_broadcast(*shapes)
    shape = np.broadcast_shapes(*shapes)
    return [t if t._array.shape == shape else t.expand(shape) for t in tensors]
