"""Losses as modules: the functions of functional.py with what they are told once.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#loss-functions
"""

from . import functional as F
from .module import Module


class _Loss(Module):
    """A loss that is reduced to its "mean" or "sum", both 0-d, or left as it is, "none".

    `_function` is that of functional.py; `options` are what it is told besides.
    """

    def __init__(self, *, reduction="mean", **options):
        super().__init__()
        self.reduction, self._options = reduction, options

    def forward(self, input, target):
        return self._function(input, target, reduction=self.reduction, **self._options)


class MSELoss(_Loss):
    """The squared difference of input and target, both (*)."""

    _function = staticmethod(F.mse_loss)


class L1Loss(_Loss):
    """The size of the difference of input and target, both (*)."""

    _function = staticmethod(F.l1_loss)


class SmoothL1Loss(_Loss):
    """`L1Loss` with a square in place of its corner, where the difference is below `beta`."""

    _function = staticmethod(F.smooth_l1_loss)


class BCELoss(_Loss):
    """`-y log(p) - (1 - y) log(1 - p)` with probabilities p, the input, and targets y, both (*)."""

    _function = staticmethod(F.binary_cross_entropy)


class BCEWithLogitsLoss(_Loss):
    """`-y log(p) - (1 - y) log(1 - p)` with p = sigmoid(input) and targets y, both (*)."""

    _function = staticmethod(F.binary_cross_entropy_with_logits)


class NLLLoss(_Loss):
    """Minus the log probability of the right class: input (N, C), target (N); `weight` (C).

    A target `ignore_index` does not count.
    """

    _function = staticmethod(F.nll_loss)

    def __init__(self, weight=None, **options):
        super().__init__(**options)
        self.register_buffer("weight", weight)

    def forward(self, input, target):
        options = {"reduction": self.reduction, **self._options}
        return self._function(input, target, self.weight, **options)


class CrossEntropyLoss(NLLLoss):
    """`NLLLoss` of `log_softmax`: input (N, C) of scores, target (N) of class numbers.

    Or target (N, C) of probabilities.
    """

    _function = staticmethod(F.cross_entropy)
