"""The functions behind the layers: `torch.nn.functional`, usually imported as `F`.

A loss compares predictions with targets, one by one; `reduction` says whether the result is their
"mean", their "sum" (both 0-d), or all of them ("none").
Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html
"""

import math

import numpy as np

from ..errors import warn
from ..operation import Operation
from ..ops.elementwise import sigmoid, tanh  # noqa: F401
from ..ops.matrices import linear  # noqa: F401
from ..ops.reduce import ExpandTo
from ..ops.registry import FUNCTIONS
from ..ops.shape import Scatter
from ..ops.softmax import log_softmax, softmax  # noqa: F401
from ..tensor import make
from .windows import conv2d, max_pool2d  # noqa: F401


def relu(input, inplace=False):
    """Each element, or 0 if it is negative; `inplace` changes the tensor itself."""
    return input.relu_() if inplace else input.relu()


def dropout(input, p=0.5, training=True):
    """Elements are 0 with probability `p` (or ValueError), else `x / (1 - p)`; only in training."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    kept = (FUNCTIONS["rand_like"](input) >= p).to(input.dtype)
    return input * (kept / (1 - p) if p < 1 else kept)


def _reduced(losses, reduction):
    """An array of losses as they are ("none"), their sum, or their mean."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "none":
        return losses
    return losses.sum() / losses.size if reduction == "mean" else losses.sum()


def _share(g, x, reduction):
    """What of the gradient of a reduced loss each element's loss gets."""
    return g / float(math.prod(x.shape)) if reduction == "mean" else g


class MseLoss(Operation):
    """The square of the difference, reduced."""

    broadcasts = True  # the dtypes may differ
    called = {"y": "target"}

    def forward(x, y, reduction):
        return _reduced(np.square(x - y), reduction)

    def grad_x(g, x, y, reduction):
        return _share(g, x, reduction) * ((x - y) * 2.0)

    def grad_y(g, x, y, reduction):
        return _share(g, x, reduction) * ((y - x) * 2.0)


def mse_loss(input, target, reduction="mean"):
    """The squared difference of two tensors (*), reduced.

    UserWarning for different shapes, RuntimeError if they do not broadcast.
    """
    return MseLoss.apply(*_same_size(input, target), reduction)


def _same_size(input, target):
    """Both brought to one shape, with a warning where that takes broadcasting."""
    if target.shape != input.shape:
        warn(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size."
        )
        shape = (input.detach() + target.detach()).shape
        input, target = input.expand(shape), target.expand(shape)
    return input, target if target.is_floating_point() else target.to(input.dtype)


class BinaryCrossEntropyWithLogits(Operation):
    """`-y log(p) - (1 - y) log(1 - p)`, where p is `sigmoid(x)`, in one formula; reduced."""

    broadcasts = True  # the dtypes may differ
    called = {"y": "target"}

    def forward(x, y, reduction):
        return _reduced((1 - y) * x + np.logaddexp(-x, 0), reduction)

    def grad_x(g, x, y, reduction):
        return _share(g, x, reduction) * (sigmoid(x) - y)

    def grad_y(g, x, _y, reduction):
        return _share(g, x, reduction) * -x


def binary_cross_entropy_with_logits(input, target, reduction="mean"):
    """`-y log(p) - (1 - y) log(1 - p)`, where p is `sigmoid(input)` and y the target; reduced.

    ValueError for different shapes, RuntimeError for a target of integers.
    """
    if target.shape != input.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    if not target.is_floating_point():
        raise RuntimeError(f"the target has to be floating point, not {target.dtype}")
    return BinaryCrossEntropyWithLogits.apply(input, target, reduction)


class NllLoss(Operation):
    """Minus the score of the right class in each row of `x`, times `weight`; reduced.

    `target` has the classes, `weight` a number for each of them; a mean is over the weights.
    """

    tensors = ("target", "weight")

    def forward(x, target, weight, reduction):
        losses = -x[_places(target)]
        if weight is None:
            return _reduced(losses, reduction)
        losses = losses * weight
        return losses.sum() / weight.sum() if reduction == "mean" else _reduced(losses, reduction)

    def grad_x(g, x_shape, target, weight, reduction):
        if reduction == "mean":
            g = g / float(math.prod(target.shape) if weight is None else weight.sum())
        if reduction != "none":
            g = ExpandTo.apply(g, target.shape, tuple(range(target.ndim)))
        each = g if weight is None else g * weight
        return Scatter.apply(-each, x_shape, _places(target))


def _places(classes):
    """Where the right classes are: the number of the row, if there are several, and the class."""
    classes = getattr(classes, "_array", classes)
    return (np.arange(classes.size), classes) if classes.ndim else (classes,)


def nll_loss(input, target, weight=None, *, reduction="mean"):
    """Minus the log probability of the right class, reduced: input (N, C) or (C), target (N) or ().

    Targets are class numbers (int64); `weight` (C) turns the mean into a weighted one. IndexError
    for a class that is not there, ValueError or RuntimeError for other shapes and dtypes.
    """
    if input.ndim == 2 and target.ndim and target.shape[0] != input.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target "
            f"batch_size ({target.shape[0]})."
        )
    if input.ndim not in (1, 2) or target.ndim != input.ndim - 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    classes = target._array
    if classes.dtype != np.int64:
        kind = target.dtype.tensor_name
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {kind}")
    wrong = classes[(classes < 0) | (classes >= input._array.shape[-1])]
    if wrong.size:
        raise IndexError(f"Target {wrong[0]} is out of bounds.")
    weight = weight if weight is None else make(weight._array[classes])
    return NllLoss.apply(input, target, weight, reduction)


def cross_entropy(input, target, weight=None, *, reduction="mean"):
    """`nll_loss` of `log_softmax`: input (N, C) or (C) of scores, target (N) or () of classes."""
    return nll_loss(input.log_softmax(-1), target, weight, reduction=reduction)
