"""Losses that compare scores, distances and distributions.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#loss-functions
"""

import math

import numpy as np

from ...grad_mode import no_grad
from ...ops.arguments import fitting
from ...ops.loss import MultilabelMarginLoss, MultiMarginLoss, SoftMarginLoss
from ...ops.select import where
from ...ops.softmax import not_implemented
from .activations import logsigmoid
from .layers import pairwise_distance
from .losses import _reduce, _reduction


def margin_ranking_loss(
    input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"
):
    """`max(0, margin - target * (input1 - input2))`: target 1 wants the first score larger.

    Three tensors (N), the target 1 or -1; the mean or sum (0-d), or (N). RuntimeError for different
    numbers of dimensions.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _reduce((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def hinge_embedding_loss(
    input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"
):
    """The distance `input` where target is 1, `max(0, margin - input)` where it is -1.

    Input and target (*); the mean or sum (0-d), or as it is.
    """
    reduction = _reduction(reduction, size_average, reduce)
    far = where(target != 1, (margin - input).clamp_min(0), 0.0)
    return _reduce(far + where(target != -1, input, 0.0), reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """`log(1 + exp(-target * input))` for targets 1 and -1.

    Both (*); the mean or sum (0-d), or as it is. RuntimeError for a target that requires grad.
    """
    if target.requires_grad:
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. "
            "This input cannot have requires_grad True."
        )
    reduction = _reduction(reduction, size_average, reduce)
    return fitting(lambda: SoftMarginLoss(input, target.to(input.dtype), reduction), input, target)


def multilabel_soft_margin_loss(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """Binary cross entropy of logits, the mean over the classes (the last dimension).

    Input and target (N, C); the mean or sum (0-d), or (N).
    """
    reduction = _reduction(reduction, size_average, reduce)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    losses = losses if weight is None else losses * weight
    return _reduce(losses.sum(input.ndim - 1) / input.size(input.ndim - 1), reduction)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None,
    reduce=None, reduction="mean",
):  # fmt: skip
    """`max(0, margin + d(anchor, positive) - d(anchor, negative))`, d the p-norm of the difference.

    Three tensors (N, D) or (D); the mean or sum (0-d), or (N). ValueError unless the margin is
    positive, RuntimeError for different numbers of dimensions.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _same_dims(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return _reduce((margin + near - far).clamp_min(0), reduction)


def _same_dims(anchor, positive, negative):
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs"
        )


def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """`triplet_margin_loss` with a distance of one's own: three tensors (N, *).

    ValueError unless the margin is positive, RuntimeError for different numbers of dimensions.
    """
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _same_dims(anchor, positive, negative)
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return _reduce((margin + near - far).clamp_min(0), _reduction(reduction))


def cosine_embedding_loss(
    input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"
):
    """`1 - cos` where target is 1, `max(0, cos - margin)` where it is -1: inputs (N, D) or (D).

    The mean or sum (0-d), or (N). RuntimeError unless the target is (N) or 0-d beside them.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if target.ndim not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim + 1 != input1.ndim or target.ndim + 1 != input2.ndim:
        wanted = "1D target tensor expects 2D" if target.ndim else "0D target tensor expects 1D"
        raise RuntimeError(
            f"{wanted} input tensors, but found inputs with sizes {list(input1.shape)} and "
            f"{list(input2.shape)}."
        )
    dim, tiny = target.ndim, 1e-12
    squares = ((input1 * input1).sum(dim) + tiny) * ((input2 * input2).sum(dim) + tiny)
    cosine = (input1 * input2).sum(dim) / squares.sqrt()
    near = where(target == 1, 1 - cosine, 0.0)
    return _reduce(near + where(target == -1, (cosine - margin).clamp_min(0), 0.0), reduction)


def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None,
    reduction="mean",
):  # fmt: skip
    """`exp(input) - target * input`, for counts whose expectation is `exp(input)`.

    Input and target (*); the mean or sum (0-d), or as it is. ValueError for another reduction.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if log_input:
        losses = input.exp() - target * input
    else:
        losses = input - target * (input + eps).log()
    if full:  # Stirling's approximation of log(target!)
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return _reduce(losses, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """`(log(var) + (input - target)**2 / var) / 2`: `input` is the mean, `var` the variance.

    Three tensors (*), or `var` with one number for each example; the mean or sum (0-d), or as it is.
    ValueError for a negative variance or one of another shape.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = input.new_full(input.shape, var)
    elif (var._array < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif not (input.size()[:-1] == var.size()[:-1] and var.size(-1) == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return _reduce(losses, reduction)


# -- margins between classes ----------------------------------------------------------------------


def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):
    """The mean over the wrong classes j of `max(0, margin - input[target] + input[j]) ** p`.

    Input (N, C) or (C), target class numbers (N) or (), `weight` (C); the mean or sum (0-d), or (N).
    ValueError for a `p` other than 1 and 2, RuntimeError for other shapes and a class that is not there.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    x, classes = input._array, target._array
    if x.ndim > 2 or 0 in x.shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}"
        )
    rows, columns = np.atleast_2d(x).shape
    if classes.ndim > 1 or classes.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{rows}], but got {list(classes.shape)}. Input "
            f"has shape {list(x.shape)}."
        )
    if weight is not None and weight.numel() != columns:
        raise RuntimeError(
            f"inconsistent weight size, expected {columns} but got {list(weight.shape)}"
        )
    if x.dtype.kind != "f":
        raise not_implemented("multi_margin_loss_cpu_kernel", input)
    if classes.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.tensor_name}")
    if ((classes < 0) | (classes >= columns)).any():
        raise RuntimeError("target out of range")
    right = classes.reshape(-1, 1) == np.arange(columns)
    weights = None if weight is None else weight._array[classes].reshape(-1, 1)
    found = _of_rows(MultiMarginLoss, input, reduction, right, weights, p, margin)
    return found.unsqueeze(0) if reduction == "none" and found.ndim < classes.ndim else found


def _of_rows(operation, input, reduction, *args):
    """A loss of the rows of a matrix, also of a single row, or number."""
    if input.ndim == 2:
        return operation(input, *args, reduction)
    return operation(input.reshape(1, -1), *args, "mean" if reduction == "none" else reduction)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The sum over right classes i and wrong ones j of `max(0, 1 - input[i] + input[j])`, over C.

    Input (N, C) or (C); the target of the same shape lists the right classes, -1 ends the list. The
    mean or sum (0-d), or (N). RuntimeError for other shapes and a class that is not there.
    """
    reduction = _reduction(reduction, size_average, reduce)
    x, listed = input._array, target._array
    if x.ndim > 2 or 0 in x.shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}"
        )
    if listed.shape != x.shape and not x.size == listed.size == 1:
        raise RuntimeError(
            f"inconsistent target size: {list(listed.shape)} for input of size: {list(x.shape)}"
        )
    columns = np.atleast_1d(x).shape[-1]
    if listed.size and (listed.min() < -1 or listed.max() >= columns):
        raise RuntimeError("argument #2 'target' is out of range")
    if x.dtype.kind != "f":
        raise not_implemented("multilabel_margin_loss_forward_out_frame", input)
    listed = listed.reshape(-1, columns)
    counts = np.logical_and.accumulate(listed >= 0, axis=1)  # what is before the first -1
    counts = ((listed[:, :, None] == np.arange(columns)) & counts[:, :, None]).sum(1)
    pairs = (counts[:, :, None] * (counts == 0)[:, None, :]).astype(x.dtype)
    return _of_rows(MultilabelMarginLoss, input, reduction, pairs)
