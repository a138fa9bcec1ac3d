"""Quantiles: the values below which a fraction of the numbers lies."""

import numpy as np

from ..tensor import Tensor, make, wrap_dim
from .order import sort
from .registry import both


@both
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The values below which the fractions `q` of all elements, or of each line, lie.

    With a number for `q` the shape is that of `input` without `dim` (0-d for all); a line of fractions
    (k) gives (k, *). RuntimeError for fractions outside of 0 to 1, an empty tensor, and integers.
    """
    return _quantile(input, q, dim, keepdim, interpolation, skip_nan=False)


@both
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """`quantile` of the elements that are not nan; nan for a line of nothing else.

    Shapes and errors as there: RuntimeError for fractions outside of 0 to 1, and for integers.
    """
    return _quantile(input, q, dim, keepdim, interpolation, skip_nan=True)


def _quantile(input, q, dim, keepdim, interpolation, skip_nan):
    if input._array.dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if input._array.size == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    fractions = q._array if isinstance(q, Tensor) else np.asarray(q, input._array.dtype)
    if fractions.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if isinstance(q, Tensor) and fractions.dtype != input._array.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if np.any((fractions < 0) | (fractions > 1)):
        if isinstance(q, Tensor):
            raise RuntimeError("quantile() q values must be in the range [0, 1]")
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    kept = (1,) * input.ndim if dim is None else None
    lines = input.reshape(-1) if dim is None else input.movedim(wrap_dim(dim, input.ndim), -1)
    ordered = sort(lines.reshape(1) if lines.ndim == 0 else lines, -1).values
    array = ordered._array
    missing = np.add.reduce(np.isnan(array), axis=-1, keepdims=True)
    last = array.shape[-1] - 1 - (missing if skip_nan else 0)
    rank = np.maximum(fractions.reshape(-1) * last, 0)
    if not skip_nan:
        rank = np.where(missing > 0, array.shape[-1] - 1, rank)
    rank = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(interpolation, np.array)(
        rank
    )
    low, high = [make(find(rank).astype(np.int64)) for find in (np.floor, np.ceil)]
    weight = np.full_like(rank, 0.5) if interpolation == "midpoint" else rank - low._array
    weight = make(weight.astype(array.dtype))
    if isinstance(q, Tensor) and q.requires_grad and interpolation == "linear":
        weight = weight + (q - q.detach()).reshape(-1) * make(np.asarray(last, array.dtype))
    found = ordered.gather(-1, low)
    if interpolation in ("linear", "midpoint"):
        found = found.lerp(ordered.gather(-1, high), weight)
    found = found.movedim(-1, 0)  # the fractions come first
    if keepdim and input.ndim:
        found = found.reshape(-1, *kept) if kept else found.unsqueeze(wrap_dim(dim, input.ndim) + 1)
    return found if fractions.ndim else found.squeeze_(0)
