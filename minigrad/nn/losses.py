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


class BCEWithLogitsLoss(_Loss):
    """`-y log(p) - (1 - y) log(1 - p)` with p = sigmoid(input) and targets y, both (*)."""

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, reduction=self.reduction)


class NLLLoss(_Loss):
    """Minus the log probability of the right class: input (N, C), target (N); `weight` (C)."""

    def __init__(self, weight=None, *, reduction="mean"):
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)

    def forward(self, input, target):
        return F.nll_loss(input, target, self.weight, reduction=self.reduction)


class CrossEntropyLoss(NLLLoss):
    """`NLLLoss` of `log_softmax`: input (N, C) of scores, target (N) of class numbers."""

    def forward(self, input, target):
        return F.cross_entropy(input, target, self.weight, reduction=self.reduction)
