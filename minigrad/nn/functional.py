"""The functions behind the layers: `torch.nn.functional`, usually imported as `F`.

A loss compares predictions with targets, one by one; `reduction` says whether the result is their
"mean", their "sum" (both 0-d), or all of them ("none"). Shapes that differ are refused or, where
numbers are compared, warned of. A loss has a rule of its own where students see its node, or where
the rule is better than that of its parts; the others are put together.
Mirrors https://docs.pytorch.org/docs/2.13/nn.functional.html
"""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..errors import warn
from ..operation import Operation
from ..ops.compare import where
from ..ops.elementwise import log
from ..ops.extremes import maximum
from ..ops.matrices import linear  # noqa: F401
from ..ops.registry import FUNCTIONS
from ..ops.shape import Scatter
from ..tensor import make

sigmoid, tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]


# --- between layers -------------------------------------------------------------------------------


def relu(input, inplace=False):
    """Each element, or 0 if it is negative; `inplace` changes the tensor itself."""
    return input.relu_() if inplace else input.relu()


def leaky_relu(input, negative_slope=0.01):
    """Each element, or if it is negative (or 0) `negative_slope` times it."""
    return where(input > 0, input, input * negative_slope)


def gelu(input):
    """Each element times the share of a normal distribution that lies below it."""
    return input * ((input * 0.5**0.5).erf() + 1) / 2


def softplus(input, beta=1, threshold=20):
    """`log(1 + exp(beta * input)) / beta`, a smooth relu: `input` itself above the threshold."""
    scaled = input * beta
    straight = scaled > threshold
    curved = where(straight, threshold, scaled)  # no inf where the other branch is taken
    return where(straight, input, curved.exp().log1p() / beta)


def dropout(input, p=0.5, training=True):
    """In training 0 with probability `p`, else `x / (1 - p)`. ValueError unless 0 <= p <= 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    kept = (FUNCTIONS["rand"](input.shape) >= p).to(input.dtype)
    return input * (kept / (1 - p) if p < 1 else kept)


def _scores(name, input, dim):
    """softmax or log_softmax; old programs leave `dim` out, and are warned."""
    if dim is None:
        warn(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
            "dim=X as an argument."
        )
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return FUNCTIONS[name](input, dim)


def softmax(input, dim=None):
    """Positive numbers that sum to one along `dim`."""
    return _scores("softmax", input, dim)


def log_softmax(input, dim=None):
    """The logarithm of `softmax`, exact where that is 0."""
    return _scores("log_softmax", input, dim)


def one_hot(tensor, num_classes=-1):
    """Class numbers (*) as rows (*, num_classes) of zeros with a one each; int64.

    By default there are as many as needed. Raises RuntimeError unless they are int64 and in range.
    """
    classes, largest = tensor._array, tensor._array.max(initial=-1)
    count = largest + 1 if num_classes < 0 else num_classes
    if classes.dtype != np.int64 or (classes < 0).any() or largest >= count or not count:
        raise RuntimeError(f"one_hot() needs int64 numbers that are at least 0 and below {count}")
    return make((classes[..., None] == np.arange(count)).astype(np.int64))


# --- windows that slide over images ---------------------------------------------------------------


def seen(images, size, stride):
    """What a window sees of images (N, C, H, W), as (N, C, size, places), and how many places are
    below and beside each other. Raises RuntimeError for a window that is larger than the image."""
    height, width = images.shape[-2:]
    if size[0] > height or size[1] > width:
        raise RuntimeError(f"Kernel size can't be greater than actual input size: {tuple(size)}")
    pixels = np.arange(height * width).reshape(height, width)
    windows = sliding_window_view(pixels, size)[:: stride[0], :: stride[1]]
    below, beside = windows.shape[:2]
    return images.flatten(2)[:, :, windows.reshape(below * beside, -1).T], below, beside


def conv2d(input, weight, bias=None, stride=1, padding=0):
    """Convolution: input (N, C, H, W) or (C, H, W), weight (O, C, KH, KW), bias (O).

    The result is (N, O, H', W'): a product of matrices, in which each window's weights are a row,
    and what it sees at each of its places a column. Raises RuntimeError for shapes that do not fit.
    """
    if input.ndim == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding).squeeze(0)
    if input.ndim != 4 or input.shape[1] != weight.shape[1]:
        raise RuntimeError(
            f"Given groups=1, weight of size {list(weight.shape)}, expected input"
            f"{list(input.shape)} to have {weight.shape[1]} channels, but got {input.shape[1]} "
            "channels instead"
        )
    (top, left), (*batch, height, width) = pair(padding), input.shape
    if top or left:
        middle = (..., slice(top, top + height), slice(left, left + width))
        input = Scatter.apply(input, (*batch, height + 2 * top, width + 2 * left), middle)
    columns, below, beside = seen(input, weight.shape[2:], pair(stride))
    out = weight.flatten(1) @ columns.flatten(1, 2)
    out = out if bias is None else out + bias.unsqueeze(1)
    return out.reshape(len(input), len(weight), below, beside)


def max_pool2d(input, kernel_size, stride=None):
    """The largest element in each window, input (N, C, H, W) or (C, H, W); the first of several.

    Windows lie side by side unless `stride` says otherwise. The result is (N, C, H', W').
    Raises RuntimeError for a window that is larger than the image.
    """
    if input.ndim == 3:
        return max_pool2d(input.unsqueeze(0), kernel_size, stride).squeeze(0)
    stride = kernel_size if stride is None else stride
    columns, below, beside = seen(input, pair(kernel_size), pair(stride))
    return columns.max(2).values.reshape(*input.shape[:2], below, beside)


def pair(value):
    """One number for height and width, or a pair, as a pair."""
    return (value, value) if isinstance(value, (int, np.integer)) else tuple(value)


# --- losses of numbers ----------------------------------------------------------------------------


def reduced(losses, reduction):
    """Losses, an array or a tensor, as they are ("none"), their sum, or their mean."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "none":
        return losses
    if reduction == "mean" and isinstance(losses, np.ndarray):
        return losses.sum() / losses.size  # in half the time of NumPy's mean
    return getattr(losses, reduction)()


def share(g, x, reduction):
    """What of the gradient of a reduced loss each element's loss gets."""
    return g / float(math.prod(x.shape)) if reduction == "mean" else g


class MseLoss(Operation):
    """The square of the difference, reduced."""

    torch_names = {"y": "target"}

    def forward(x, y, reduction):
        return reduced(np.square(x - y), reduction)

    def grad_x(g, x, y, reduction):
        return share(g, x, reduction) * ((x - y) * 2.0)

    def grad_y(g, x, y, reduction):
        return share(g, x, reduction) * ((y - x) * 2.0)


def mse_loss(input, target, reduction="mean"):
    """The squared difference of two tensors (*), reduced."""
    return MseLoss.apply(*_same_size(input, target), reduction)


def l1_loss(input, target, reduction="mean"):
    """The size of the difference of two tensors (*), reduced; at 0 its gradient is 0."""
    input, target = _same_size(input, target)
    return reduced((input - target).abs(), reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """`l1_loss` with a square in place of its corner, where the difference is below `beta`."""
    input, target = _same_size(input, target)
    difference = input - target
    size = difference.abs()
    straight = size >= beta
    small = where(straight, beta, difference)  # no inf where the other branch is taken
    return reduced(where(straight, size - beta / 2, small * small / (2 * beta)), reduction)


def _same_size(input, target):
    """Input and target in one shape, with a warning if that takes broadcasting.

    Raises RuntimeError if they do not broadcast.
    """
    if target.shape != input.shape:
        warn(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size."
        )
        shape = (input.detach() + target.detach()).shape
        input, target = input.expand(shape), target.expand(shape)
    return input, target if target.is_floating_point() else target.to(input.dtype)


def _check_sizes(input, target):
    if target.shape != input.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )


class BinaryCrossEntropy(Operation):
    """`-y log(x) - (1 - y) log(1 - x)`, with logarithms of at least -100; reduced.

    Its own rule, for the derivative is finite even where x is 0 or 1.
    """

    torch_names = {"y": "target"}

    def forward(x, y, reduction):
        log_x, log_not_x = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        return reduced((y - 1) * log_not_x - y * log_x, reduction)

    def grad_x(g, x, y, reduction):
        return share(g, x, reduction) * (x - y) / maximum((1 - x) * x, 1e-12)

    def grad_y(g, x, _y, reduction):
        return share(g, x, reduction) * (log(1 - x) - log(x))


def binary_cross_entropy(input, target, reduction="mean"):
    """`-y log(p) - (1 - y) log(1 - p)` for probabilities p, the input, and targets y; reduced.

    Raises ValueError if the shapes differ, RuntimeError for another dtype of the targets, and for
    numbers outside 0 to 1.
    """
    _check_sizes(input, target)
    if target.dtype is not input.dtype:
        found, expected = target.dtype.tensor_name, input.dtype.tensor_name
        raise RuntimeError(f"Found dtype {found} but expected {expected}")
    for name, x in (("input", input._array), ("target", target._array)):
        if not ((x >= 0) & (x <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return BinaryCrossEntropy.apply(input, target, reduction)


def binary_cross_entropy_with_logits(input, target, reduction="mean"):
    """`-y log(p) - (1 - y) log(1 - p)`, where p is `sigmoid(input)` and y the target; reduced.

    Raises ValueError if the shapes differ, RuntimeError for a target of integers.
    """
    _check_sizes(input, target)
    if not target.is_floating_point():
        raise RuntimeError(f"the target has to be floating point, not {target.dtype}")
    return reduced((1 - target) * input + softplus(-input, threshold=40), reduction)


# --- losses of classes ----------------------------------------------------------------------------


class NllLoss(Operation):
    """Minus the score of the right class, `target`, in each row of `x`; reduced."""

    tensors = ("target",)

    def forward(x, target, reduction):
        return reduced(np.asarray(-x[_places(target)]), reduction)

    def grad_x(g, x_shape, target, reduction):
        return Scatter.apply(-share(g, target, reduction), x_shape, _places(target))


def _places(classes):
    """Where the right classes are: the number of the row, if there are several, and the class."""
    classes = getattr(classes, "_array", classes)
    return (np.arange(classes.size), classes) if classes.ndim else (classes,)


def nll_loss(input, target, reduction="mean"):
    """Minus the log probability of the right class, reduced: input (N, C) or (C), target (N) or ().

    Targets are class numbers (int64). Raises IndexError for a class that does not exist, ValueError
    or RuntimeError for other shapes and dtypes.
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
    for extreme in (classes.min(initial=0), classes.max(initial=0)):
        if not 0 <= extreme < max(input._array.shape[-1], 1):
            raise IndexError(f"Target {extreme} is out of bounds.")
    return NllLoss.apply(input, target, reduction)


def cross_entropy(input, target, reduction="mean"):
    """`nll_loss` of `log_softmax`: input (N, C) or (C) of scores, target (N) or () of classes.

    A target of floats has a probability for each class, and the shape of the input. Raises
    RuntimeError for other shapes.
    """
    scores = input.log_softmax(-1)
    if not target.is_floating_point() or target.ndim < input.ndim:
        return nll_loss(scores, target, reduction)
    if target.shape != input.shape:
        raise RuntimeError(f"cross_entropy: probabilities {target.shape} for {input.shape}")
    return reduced(-(scores * target).sum(-1), reduction)
