"""What a user calls to differentiate: `backward`, `grad`, `Function`, and what is built on them.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html
"""

from ..anomaly import detect_anomaly, set_detect_anomaly  # noqa: F401
from ..backward import backward, grad  # noqa: F401
from ..compat.old import Variable  # noqa: F401
from ..modes import enable_grad, no_grad, set_grad_enabled  # noqa: F401
from . import functional  # noqa: F401
from .function import Function  # noqa: F401
from .gradcheck import gradcheck  # noqa: F401
from .listeners import watch  # noqa: F401
