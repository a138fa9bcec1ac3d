"""The functions behind the layers: `torch.nn.functional`, usually imported as `F`.

A loss compares predictions with targets, one by one; `reduction` says whether the result is their
"mean", their "sum" (both 0-d), or all of them ("none").
Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html
"""

import math

import numpy as np

from ..errors import warn
from ..operation import Operation
from ..ops.compare import Where
from ..ops.elements import elementwise
from ..ops.elementwise import abs, erf, exp, log, sign
from ..ops.elementwise import sigmoid as logistic
from ..ops.extremes import maximum
from ..ops.matrices import linear  # noqa: F401
from ..ops.reduce import ExpandTo
from ..ops.registry import FUNCTIONS
from ..ops.shape import Scatter
from ..ops.softmax import log_softmax, softmax  # noqa: F401
from ..tensor import make
from .windows import conv2d, max_pool2d  # noqa: F401

sigmoid, tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]


def relu(input, inplace=False):
    """Each element, or 0 if it is negative; `inplace` changes the tensor itself."""
    return input.relu_() if inplace else input.relu()


class LeakyRelu(Operation):
    """Each element, or a small part of it if it is negative."""

    def forward(x, negative_slope):
        return np.where(x > 0, x, x * negative_slope)

    def grad_x(g, x, negative_slope):
        return Where.apply(x > 0, g, g * negative_slope)


def leaky_relu(input, negative_slope=0.01):
    """Each element, or if it is negative (or 0) `negative_slope` times it."""
    return LeakyRelu.apply(input, negative_slope)


class Gelu(Operation):
    """Each element times the share of a normal distribution that lies below it."""

    def forward(x):
        return x * (erf(x * 0.5**0.5) + 1) / 2

    def grad_x(g, x):
        density = exp(x * x * -0.5) / math.sqrt(2 * math.pi)
        return g * ((erf(x * 0.5**0.5) + 1) / 2 + x * density)


def gelu(input):
    """Each element times the share of a normal distribution that lies below it."""
    return Gelu.apply(input)


class Softplus(Operation):
    """log(1 + exp(beta * x)) / beta, a smooth relu; `x` itself where it is the same."""

    def forward(x, beta, threshold):
        return np.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta)

    def grad_x(g, x, beta, threshold):
        return Where.apply(x * beta > threshold, g, g * logistic(x * beta))


def softplus(input, beta=1, threshold=20):
    """`log(1 + exp(beta * input)) / beta`, a smooth relu: `input` itself above the threshold."""
    return Softplus.apply(input, beta, threshold)


def one_hot(tensor, num_classes=-1):
    """Class numbers (*) as rows (*, num_classes) of zeros with a one each; int64.

    By default as many classes as the largest number asks for. RuntimeError for other numbers.
    """
    classes, largest = tensor._array, tensor._array.max(initial=-1)
    count = largest + 1 if num_classes < 0 else num_classes
    if classes.dtype != np.int64 or (classes < 0).any() or largest >= count or not count:
        raise RuntimeError(f"one_hot() needs integers from 0 on, below {count}")
    return make((classes[..., None] == np.arange(count)).astype(np.int64))


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


def l1_loss(input, target, reduction="mean"):
    """The size of the difference of two tensors (*), reduced; at 0 its gradient is 0.

    UserWarning for different shapes, RuntimeError if they do not broadcast.
    """
    input, target = _same_size(input, target)
    losses = (input - target).abs()
    return losses if reduction == "none" else getattr(losses, reduction)()


class SmoothL1Loss(Operation):
    """The size of the difference, with its square in place of the corner at 0; reduced."""

    called = {"y": "target"}

    def forward(x, y, reduction, beta):
        size = np.abs(x - y)
        square = size * size / (2 * beta)
        return _reduced(np.where(size < beta, square, size - beta / 2), reduction)

    def grad_x(g, x, y, reduction, beta):
        slope = Where.apply(abs(x - y) < beta, (x - y) / beta, sign(x - y))
        return _share(g, x, reduction) * slope

    def grad_y(g, x, y, reduction, beta):
        return -SmoothL1Loss.grad_x(g, x, y, reduction, beta)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """`l1_loss` with a square in place of its corner, where the difference is below `beta`.

    UserWarning for different shapes, RuntimeError if they do not broadcast.
    """
    if beta == 0:
        return l1_loss(input, target, reduction)
    return SmoothL1Loss.apply(*_same_size(input, target), reduction, beta)


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


class BinaryCrossEntropy(Operation):
    """`-y log(x) - (1 - y) log(1 - x)`, with logarithms of at least -100; reduced."""

    called = {"y": "target"}

    def forward(x, y, reduction):
        log_x, log_not_x = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        return _reduced((y - 1) * log_not_x - y * log_x, reduction)

    def grad_x(g, x, y, reduction):
        return _share(g, x, reduction) * (x - y) / maximum((1 - x) * x, 1e-12)

    def grad_y(g, x, _y, reduction):
        return _share(g, x, reduction) * (log(1 - x) - log(x))


def binary_cross_entropy(input, target, reduction="mean"):
    """`-y log(p) - (1 - y) log(1 - p)` for probabilities p, the input, and targets y; reduced.

    ValueError for different shapes, RuntimeError for what is not between 0 and 1.
    """
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    for name, x in (("input", input._array), ("target", target._array)):
        if not ((x >= 0) & (x <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return BinaryCrossEntropy.apply(input, target, reduction)


class BinaryCrossEntropyWithLogits(Operation):
    """`-y log(p) - (1 - y) log(1 - p)`, where p is `sigmoid(x)`, in one formula; reduced."""

    called = {"y": "target"}

    def forward(x, y, reduction):
        return _reduced((1 - y) * x + np.logaddexp(-x, 0), reduction)

    def grad_x(g, x, y, reduction):
        return _share(g, x, reduction) * (logistic(x) - y)

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


def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """Minus the log probability of the right class, reduced: input (N, C) or (C), target (N) or ().

    Targets are class numbers (int64); `weight` (C) turns the mean into a weighted one, in which a
    target `ignore_index` does not count. IndexError for a class that is not there, ValueError or
    RuntimeError for other shapes and dtypes.
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
    counts = classes != ignore_index
    wrong = classes[counts & ((classes < 0) | (classes >= input._array.shape[-1]))]
    if wrong.size:
        raise IndexError(f"Target {wrong[0]} is out of bounds.")
    if weight is not None or not counts.all():  # what does not count is of class 0, without weight
        target = make(np.where(counts, classes, 0))
        weights = np.ones(input.shape[-1]) if weight is None else weight._array
        weight = make((weights[target._array] * counts).astype(input._array.dtype))
    return NllLoss.apply(input, target, weight, reduction)


def cross_entropy(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """`nll_loss` of `log_softmax`: input (N, C) or (C) of scores, target (N) or () of classes.

    A target of floats has a probability for each class, and the shape of the input, or else
    RuntimeError.
    """
    scores = input.log_softmax(-1)
    if not target.is_floating_point():
        options = {"ignore_index": ignore_index, "reduction": reduction}
        return nll_loss(scores, target, weight, **options)
    if target.shape != input.shape:
        raise RuntimeError(f"cross_entropy: probabilities {target.shape} for {input.shape}")
    losses = scores * target if weight is None else scores * target * weight
    if reduction == "none":
        return -losses.sum(-1)
    rows = losses.numel() // losses.shape[-1]
    return divided(-losses.sum(), rows) if reduction == "mean" else -losses.sum()


divided = elementwise("DivBackward1", np.true_divide, lambda g, _x, y: g / y).apply  # by a number
