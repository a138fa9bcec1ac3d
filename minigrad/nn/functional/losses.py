"""Losses.

Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html#loss-functions
"""


import numpy as np

from ...errors import warn
from ...ops import loss
from ...ops.arguments import check_broadcast
from ...ops.elementwise import binary
from ...ops.select import where
from ...ops.softmax import not_implemented
from ...tensor import Tensor
from .layers import broadcast


def _reduction(reduction, size_average=None, reduce=None):
    """One of "mean", "sum", "none"; ValueError for another. Two older arguments say it, too."""
    if size_average is None and reduce is None and reduction in _REDUCTIONS:
        return reduction
    reduction = said_by_older_names(reduction, size_average, reduce)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


_REDUCTIONS = ("mean", "sum", "none")


def said_by_older_names(reduction, size_average, reduce):
    """The reduction, as `size_average` and `reduce` say it if they are given; with a warning."""
    if size_average is None and reduce is None:
        return reduction
    # asked in this order, for what is no flag: MSELoss(output, target) gets two tensors here
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    reduction = "mean" if size_average and reduce else "sum" if reduce else "none"
    warn(
        "size_average and reduce args will be deprecated, please use "
        f"reduction='{reduction}' instead.",
    )
    return reduction


def _reduce(losses, reduction):
    """Losses that were composed of other operations, reduced."""
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


def _same_size(input, target):
    """Both brought to one shape, with PyTorch's warning where that needs broadcasting."""
    if target.size() == input.size():
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size "
        f"({input.size()}). This will likely lead to incorrect results due to broadcasting. Please "
        "ensure they have the same size.",
    )
    return broadcast(input, target)


def _floats(kernel, input, target):
    """Both, an integer one in the dtype of the other; NotImplementedError if both are integers."""
    if input._array.dtype.kind == "f":
        return input, target if target._array.dtype.kind == "f" else target.to(input.dtype)
    if target._array.dtype.kind == "f":
        return input.to(target.dtype), target
    raise not_implemented(kernel, input)


def _weighted(losses, weight, reduction):
    """The losses times their weights; a mean is over the weights."""
    if weight.size() != losses.size():
        raise ValueError("Weights and input must have the same size.")
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == "mean" else _reduce(losses, reduction)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The squared difference of two tensors (*); its mean or sum (0-d), or as it is.

    UserWarning for different shapes, RuntimeError if they do not broadcast, ValueError for another
    reduction.
    """
    reduction = _reduction(reduction, size_average, reduce)
    input, target = _same_size(input, target)
    input, target = _floats("mse_cpu", input, target)
    if weight is not None:
        return _weighted((input - target) ** 2, weight, reduction)
    return loss.MseLoss(input, target, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The absolute difference of two tensors (*); its mean or sum (0-d), or as it is.

    The gradient at 0 is 0. UserWarning for different shapes, RuntimeError if they do not broadcast,
    ValueError for another reduction.
    """
    reduction = _reduction(reduction, size_average, reduce)
    input, target = _same_size(input, target)
    losses = (input - target).abs()
    if weight is not None:
        return _weighted(losses, weight, reduction)
    return _reduce(losses, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """A parabola up to a difference of `beta`, the absolute difference (less beta / 2) beyond.

    Input and target (*); the mean or sum (0-d), or as it is. RuntimeError for a negative `beta`.
    """
    reduction = _reduction(reduction, size_average, reduce)
    input, target = _same_size(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return _reduce((input - target).abs(), reduction)
    input, target = _floats("smooth_l1_cpu", input, target)
    return loss.SmoothL1Loss(input, target, reduction, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """A parabola up to a difference of `delta`, a line of slope `delta` beyond.

    Input and target (*); the mean or sum (0-d), or as it is. RuntimeError unless `delta` is positive.
    """
    reduction = _reduction(reduction)
    input, target = _same_size(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = _floats("huber_cpu", input, target)
    if weight is not None:
        return _weighted(loss.HuberLoss(input, target, "none", delta), weight, reduction)
    return loss.HuberLoss(input, target, reduction, delta)


def _labels(input, target):
    """The dimension of classes and the array of class numbers; refuses what does not fit."""
    x, t = input._array, target._array
    if x.ndim == 2 and t.shape == x.shape[:1]:
        return 1, t
    if x.ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if x.ndim == 1:
        if t.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if t.ndim == 1 and t.size != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t.size}")
        return 0, t.reshape(())
    if t.ndim == 0 or x.shape[0] != t.shape[0]:
        count = t.shape[0] if t.ndim else 0
        raise ValueError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({count})."
        )
    if x.ndim == 2 and t.ndim != 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.shape[2:] != t.shape[1:]:
        if x.ndim == 4 and t.ndim == 3:
            raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(t.shape)}")
        raise RuntimeError(f"Expected target size {[x.shape[0], *x.shape[2:]]}, got {list(t.shape)}")
    return 1, t


def nll_loss(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
):
    """Minus the log probability of the right class: input (N, C, *) or (C), target (N, *) or ().

    Targets are class numbers (int64), `weight` has one number for each class and turns the mean into a
    weighted one. IndexError for a class that does not exist. The mean or sum (0-d), or (N, *).
    RuntimeError for classes that are no integers, and for other shapes.
    """
    reduction = _reduction(reduction, size_average, reduce)
    dim, classes = _labels(input, target)
    x = input._array
    if classes.dtype is not _INT64 and classes.dtype != np.uint8:
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype.tensor_name}"
        )
    if x.dtype.kind != "f":
        raise not_implemented("nll_loss_out_frame" if x.ndim < 3 else "nll_loss2d_out_frame", input)
    if weight is not None:
        if weight._array.shape != (x.shape[dim],):
            raise RuntimeError(
                f"weight tensor should be defined either for all {x.shape[dim]} classes or no "
                f"classes but got weight tensor of shape: {list(weight.shape)}"
            )
        if weight._array.dtype != x.dtype:
            raise RuntimeError(
                f"expected scalar type {input.dtype.tensor_name} but found {weight.dtype.tensor_name}"
            )
    index, used = _picks(classes, x.shape[dim], ignore_index, dim)
    weights = None if weight is None else weight._array[index[dim]]
    total = None
    if reduction == "mean":
        total = x.dtype.type(index[dim].size) if weights is None else weights.sum()
    places = (classes.shape, used) if reduction == "none" else None
    operation = loss.NllLoss2D if x.ndim > 2 else loss.NllLoss
    return operation(input, target, index, weights, total, places)


_INT64 = np.dtype(np.int64)


def _picks(classes, count, ignored, dim):
    """Where the right classes are: an index into the scores, and one into the targets.

    Targets to be ignored are left out. IndexError for a class that does not exist.
    """
    if classes.ndim == 1 and dim == 1 and ignored < 0 and classes.dtype is _INT64:
        # The usual case in fewer steps. Seen as unsigned, negative numbers are very large.
        if classes.size and classes.view(np.uint64).max() < count:
            return (np.arange(classes.size), classes), Ellipsis
    used = np.asarray(classes != ignored)
    picked = classes[used]
    wrong = picked[(picked < 0) | (picked >= count)]
    if wrong.size:
        raise IndexError(f"Target {wrong[0]} is out of bounds.")
    at = used.nonzero() if used.ndim else ()
    return (*at[:dim], picked, *at[dim:]), used


def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
    label_smoothing=0.0,
):  # fmt: skip
    """`nll_loss` of `log_softmax`: input (N, C, *) or (C) of scores, target class numbers (N, *) or ().

    A floating point target of the input's shape holds a probability for each class instead. The mean or
    sum (0-d), or (N, *). RuntimeError for `label_smoothing` outside of 0 to 1 and for other shapes,
    IndexError for a class that is not there.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    dim = 0 if input.ndim == 1 else 1
    probabilities = target._array.shape == input._array.shape
    if probabilities:
        if target._array.dtype.kind != "f":
            raise RuntimeError(
                "Expected floating point type for target with class probabilities, got "
                f"{target.dtype.tensor_name}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
    logs = input.log_softmax(dim)
    if probabilities:
        return _against_probabilities(logs, target, weight, reduction, label_smoothing, dim)
    nll = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing == 0:
        return nll
    classes = logs._array.shape[dim]
    smooth = -(logs if weight is None else logs * _by_class(weight, logs, dim)).sum(dim)
    ignored = target == ignore_index
    smooth = where(ignored, 0.0, smooth)
    if reduction == "sum":
        smooth = smooth.sum()
    elif reduction == "mean":
        counted = (~ignored)._array
        if weight is not None:
            counted = np.where(counted, weight._array[target._array * counted], 0)
        smooth = smooth.sum() / float(counted.sum())
    return nll * (1 - label_smoothing) + smooth * (label_smoothing / classes)


def _against_probabilities(logs, target, weight, reduction, label_smoothing, dim):
    classes = logs._array.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    losses = logs * target if weight is None else logs * target * _by_class(weight, logs, dim)
    if reduction == "none":
        return -losses.sum(dim)
    total = -losses.sum()
    if reduction == "sum":
        return total
    return binary(loss.DivNumber, total, logs.numel() / classes)


def _by_class(weight, like, dim):
    return weight.reshape([-1 if d == dim else 1 for d in range(like.ndim)])


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """`-y log(x) - (1 - y) log(1 - x)` of probabilities x and targets y, both between 0 and 1.

    Both (*); the mean or sum (0-d), or as it is. ValueError for different shapes, RuntimeError for what
    is outside of 0 to 1.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        try:
            weight = weight.expand(np.broadcast_shapes(weight._array.shape, target._array.shape))
        except ValueError:
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {weight._array.shape[-1]} at -1! "
                f"Mismatching argument at index 1 had {weight.shape}; but expected shape should be "
                f"broadcastable to {list(target.shape)}"
            ) from None
    if input._array.dtype.kind != "f":
        raise not_implemented("binary_cross_entropy", input)
    if target._array.dtype != input._array.dtype:
        raise RuntimeError(
            f"Found dtype {target.dtype.tensor_name} but expected {input.dtype.tensor_name}"
        )
    for name, array in (("input", input._array), ("target", target._array)):
        if not ((array >= 0) & (array <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return loss.BinaryCrossEntropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """`binary_cross_entropy` of `sigmoid(input)`, in one formula that stays finite.

    Input and target (*); the mean or sum (0-d), or as it is; `pos_weight` broadcasts. ValueError for
    different shapes, RuntimeError for a target of integers.
    """
    reduction = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    if input._array.dtype.kind != "f":
        raise not_implemented("log_sigmoid_cpu", input)
    if target._array.dtype.kind == "b":
        target - target  # refused, as PyTorch's 1 - target is
    if target._array.dtype.kind != "f":
        raise RuntimeError(
            f"result type {input.dtype.tensor_name} can't be cast to the desired output type "
            f"{target.dtype.tensor_name}"
        )
    for factor in (weight, pos_weight):
        if factor is not None:
            check_broadcast(factor.shape, input.shape)
    return loss.BinaryCrossEntropyWithLogits(input, target, weight, pos_weight, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """`target * (log(target) - input)`, where `input` holds log probabilities.

    Reduction "batchmean" divides the sum by the first length, as the definition does. Both (*); the
    mean or sum (0-d), or as it is. RuntimeError for integers.
    """
    if reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
        )
    if input._array.dtype.kind != "f" or target._array.dtype.kind != "f":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    batch = reduction == "batchmean"
    reduction = _reduction("sum" if batch else reduction, size_average, reduce)
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = target.xlogy(target) - target * input
    losses = _reduce(losses, reduction)
    return losses / input._array.shape[0] if batch and input.ndim else losses
