"""Losses: from predictions and targets to the number that training makes small.

`nn.functional` gives these operations their public names, checks their arguments and brings both
operands to one shape.
"""

import math

import numpy as np

from ..broadcasting import undo_broadcast
from ..operation import Operation
from .activation import Hardtanh, LogSigmoid
from .elementwise import Div, Log, Log1p, Sigmoid, Tied
from .reduce import Sum
from .select import Where
from .shape import Unsqueeze


def reduced(losses, reduction):
    """The losses as they are ("none"), their sum, or their mean."""
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, axis=None)
    return total / losses.size if reduction == "mean" else total


def share(g, x, reduction):
    """What of the loss's gradient each element gets: the way back through `reduced`."""
    return g / float(math.prod(x.shape)) if reduction == "mean" else g


class Pairwise(Operation):
    """A loss of predictions `x` and targets `y` of the same shape, pair by pair."""

    broadcasts = True  # the dtypes may differ


class MseLoss(Pairwise):
    """The square of the difference."""

    called = {"y": "target"}

    def forward(x, y, reduction):
        difference = x - y
        return reduced(difference * difference, reduction)

    def grad_x(g, x, y, reduction):
        return share(g, x, reduction) * ((x - y) * 2)

    def grad_y(g, x, y, reduction):
        return share(g, x, reduction) * ((y - x) * 2)


class SmoothL1Loss(Pairwise):
    """A parabola up to a difference of `beta`, the absolute difference beyond."""

    called = {"y": "target"}

    def forward(x, y, reduction, beta):
        size = np.abs(x - y)
        parabola = size * size * (0.5 / beta)
        return reduced(np.where(size < beta, parabola, size - 0.5 * beta), reduction)

    def grad_x(g, x, y, reduction, beta):
        return share(g, x, reduction) * Hardtanh((x - y) / beta, -1.0, 1.0)

    def grad_y(g, x, y, reduction, beta):
        return share(g, x, reduction) * Hardtanh((y - x) / beta, -1.0, 1.0)


class HuberLoss(Pairwise):
    """A parabola up to a difference of `delta`, a straight line beyond."""

    called = {"y": "target"}

    def forward(x, y, reduction, delta):
        size = np.abs(x - y)
        line = delta * (size - 0.5 * delta)
        return reduced(np.where(size <= delta, 0.5 * size * size, line), reduction)

    def grad_x(g, x, y, reduction, delta):
        return share(g, x, reduction) * Hardtanh(x - y, -delta, delta)

    def grad_y(g, x, y, reduction, delta):
        return share(g, x, reduction) * Hardtanh(y - x, -delta, delta)


class DivNumber(Div, name="DivBackward1"):
    """Division by a number, by another name."""


def weighted(losses, weight):
    """Losses (or gradients) times their weights, if there are weights."""
    return losses if weight is None else losses * weight


class BinaryCrossEntropy(Pairwise):
    """`-y log(x) - (1 - y) log(1 - x)` of probabilities; a logarithm counts as -100 at least."""

    called = {"y": "target"}
    tensor_params = ("weight",)

    def forward(x, y, weight, reduction):
        log, log_rest = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        return reduced(weighted((y - 1) * log_rest - y * log, weight), reduction)

    def grad_x(g, x, y, weight, reduction):
        spread = x * (1 - x)
        slope = (x - y) / Where(spread < 1e-12, 1e-12, spread)
        return weighted(share(g, x, reduction) * slope, weight)

    def grad_y(g, x, weight, reduction):
        return weighted(share(g, x, reduction) * (Log1p(-x) - Log(x)), weight)


class BinaryCrossEntropyWithLogits(Pairwise):
    """The same of logits: `x` goes through a sigmoid first, in one formula that stays finite."""

    called = {"y": "target"}
    tensor_params = ("weight", "pos_weight")

    def forward(x, y, weight, pos_weight, reduction):
        softplus = np.logaddexp(-x, 0)
        stretch = 1 if pos_weight is None else (pos_weight - 1) * y + 1
        return reduced(weighted((1 - y) * x + stretch * softplus, weight), reduction)

    def grad_x(g, x, y, weight, pos_weight, reduction):
        if pos_weight is None:
            slope = Sigmoid(x) - y
        else:
            slope = (pos_weight * y + 1 - y) * Sigmoid(x) - pos_weight * y
        return weighted(share(g, x, reduction) * slope, weight)

    def grad_y(g, x, weight, pos_weight, reduction):
        if pos_weight is None:
            slope = -x
        else:
            slope = LogSigmoid(-x) - pos_weight * LogSigmoid(x)
        return weighted(share(g, x, reduction) * slope, weight)


class NllLoss(Operation):
    """Minus the log probability of the right class: `x` is picked at `index`, then reduced.

    `index` holds an array of positions for each dimension of `x`, `weights` (or None) a number for each
    pick. A mean divides by `total`, a sum has None there. For reduction "none" `places` is the shape of
    the result and where in it the losses belong: targets to be ignored have no pick. `target`, from
    which the index came, is kept so that a change of it is noticed.
    """

    tensor_params = ("target",)

    def forward(x, target, index, weights, total, places):
        losses = -weighted(x[index], weights)
        if places is not None:
            shape, used = places
            whole = np.zeros(shape, x.dtype)
            whole[used] = losses
            return whole
        loss = np.add.reduce(losses)
        return loss if total is None else loss / total

    def grad_x(g, x, target, index, weights, total, places):
        if places is not None:
            g = g[places[1]]
        if total is not None:
            g = g / total
        return Tied(Unpick(-weighted(g, weights), x.shape, index), x)


class Unpick(Operation):
    """Zeros in `shape` with `x`, one number or one for each pick, at `index`."""

    def forward(x, shape, index):
        whole = np.zeros(shape, x.dtype)
        whole[index] = x
        return whole

    def grad_x(g, like_x, index):
        return undo_broadcast(g[index], like_x.shape, like_x.dtype)


class NllLoss2D(NllLoss):
    """The same for a class at each pixel."""


class SoftMarginLoss(Pairwise):
    """`log(1 + exp(-x * y))`: small where `x` has the sign of `y`."""

    def forward(x, y, reduction):
        return reduced(np.log1p(np.exp(-x * y)), reduction)

    def grad_x(g, x, y, reduction):
        return share(g, x, reduction) * (-y * Sigmoid(-x * y))


# -- margins between classes ----------------------------------------------------------------------


def each_example(g, x, reduction):
    """What of the loss's gradient each example (a row of `x`) gets, as a column."""
    if reduction == "mean":
        g = g / float(x.shape[0])
    return g.reshape(-1, 1) if reduction == "none" else g


class MultiMarginLoss(Operation):
    """By how much the right class does not beat each other one by `margin`; to the power `p`.

    `x` is (N, C); `right` a mask of that shape, True at the right class; `weight` (N, 1) or None.
    """

    tensor_params = ("right", "weight")

    def forward(x, right, weight, p, margin, reduction):
        short = np.maximum(margins_missed(x, right, margin), 0) ** p
        return reduced(np.add.reduce(weighted(short, weight), axis=1) / x.shape[1], reduction)

    def grad_x(g, x, right, weight, p, margin, reduction):
        missed = margins_missed(x, right, margin)
        slope = Where(missed > 0, missed * 2, 0.0) if p == 2 else missed > 0
        slope = weighted(each_example(g, x, reduction) * slope, weight) / float(x.shape[1])
        return slope - right * Sum(slope, (1,), True)


def margins_missed(x, right, margin):
    """`margin` less how far the right class is ahead of each other one; 0 for itself."""
    ahead = Sum(x * right, (1,), True)
    return Where(right, 0.0, margin - ahead + x)


class MultilabelMarginLoss(Operation):
    """By how much each of several right classes does not beat each wrong one by 1.

    `x` is (N, C); `pairs` (N, C, C) says how often classes i and j of a row are compared.
    """

    tensor_params = ("pairs",)

    def forward(x, pairs, reduction):
        missed = np.maximum(1 - x[:, :, None] + x[:, None, :], 0) * pairs
        return reduced((np.add.reduce(missed, axis=(1, 2)) / x.shape[1]).astype(x.dtype), reduction)

    def grad_x(g, x, pairs, reduction):
        ahead = Unsqueeze(x, 2) - Unsqueeze(x, 1)
        slope = Where(ahead < 1, pairs, 0) * Unsqueeze(each_example(g, x, reduction), -1)
        slope = slope / float(x.shape[1])
        return Sum(slope, (1,), False) - Sum(slope, (2,), False)
