"""Optimizers, and schedules of their learning rates.

    optimizer.py        Optimizer, SGD, Adam, AdamW, RMSprop
    adaptive.py         Adagrad, Adadelta, Adamax, NAdam, RAdam, Rprop, ASGD
    lbfgs.py            LBFGS
    lr_scheduler.py     StepLR, ExponentialLR, CosineAnnealingLR, ReduceLROnPlateau, ...

Mirrors https://docs.pytorch.org/docs/2.13/optim.html
"""

from ..namespace import absent, listed, mirror
from . import lr_scheduler  # noqa: F401
from .adaptive import ASGD, Adadelta, Adagrad, Adamax, NAdam, RAdam, Rprop  # noqa: F401
from .lbfgs import LBFGS  # noqa: F401
from .optimizer import SGD, Adam, AdamW, Optimizer, RMSprop  # noqa: F401


mirror(globals(), "generated/torch.optim.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals(), "lr_scheduler")
