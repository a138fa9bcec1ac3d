"""Losses as modules: the functions of functional.py with what they are told once.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#loss-functions
"""

from . import functional as F
from .module import Module


class _Loss(Module):
    """A loss that is reduced to its "mean" or "sum", both 0-d, or left as it is, "none"."""

    def __init__(self, *, reduction="mean"):
        super().__init__()
        self.reduction = reduction


class MSELoss(_Loss):
    """The squared difference of input and target, both (*)."""

    def forward(self, input, target):
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """The size of the difference of input and target, both (*)."""

    def forward(self, input, target):
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """`L1Loss` with a square in place of its corner, where the difference is below `beta`."""

    def __init__(self, *, reduction="mean", beta=1.0):
        super().__init__(reduction=reduction)
        self.beta = beta

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class BCELoss(_Loss):
    """`-y log(p) - (1 - y) log(1 - p)` with probabilities p, the input, and targets y, both (*)."""

    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """`-y log(p) - (1 - y) log(1 - p)` with p = sigmoid(input) and targets y, both (*)."""

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, reduction=self.reduction)


class NLLLoss(_Loss):
    """Minus the log probability of the right class: input (N, C), target (N); `weight` (C).

    A target `ignore_index` does not count.
    """

    def __init__(self, weight=None, *, ignore_index=-100, reduction="mean"):
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        options = {"ignore_index": self.ignore_index, "reduction": self.reduction}
        return F.nll_loss(input, target, self.weight, **options)


class CrossEntropyLoss(NLLLoss):
    """`NLLLoss` of `log_softmax`: input (N, C) of scores, target (N) of class numbers.

    Or target (N, C) of probabilities.
    """

    def forward(self, input, target):
        options = {"ignore_index": self.ignore_index, "reduction": self.reduction}
        return F.cross_entropy(input, target, self.weight, **options)
