"""What a user calls to differentiate: `backward`, `grad`, `Function`, and what is built on them.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html
"""

from ..anomaly import detect_anomaly, set_detect_anomaly  # noqa: F401
from ..backward import backward, grad  # noqa: F401
from ..modes import enable_grad, no_grad, set_grad_enabled  # noqa: F401
from ..tensor import Tensor
from . import functional  # noqa: F401
from .function import Function  # noqa: F401
from .gradcheck import gradcheck, gradgradcheck  # noqa: F401
from .watching import watch  # noqa: F401


class _AnyTensor(type):
    """Lets `isinstance(x, Variable)` be true of every tensor."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(metaclass=_AnyTensor):
    """The tensor type of old programs; every tensor is a Variable.

    `Variable(data, requires_grad=True)` makes a plain tensor that shares the memory of `data`.
    Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#variable-deprecated
    """

    def __new__(cls, data, requires_grad=False):
        return data.detach().requires_grad_(requires_grad)
