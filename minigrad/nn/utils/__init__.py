"""Helpers for training: gradients clipped, parameters as one vector.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#module-torch.nn.utils
"""

import numpy as np

from ...grad_mode import no_grad
from ...namespace import absent, listed, mirror
from ...namespace import renamed as _renamed
from ...ops import FUNCTIONS
from ...tensor import Tensor, make
from ..module import typename
from . import rnn  # noqa: F401


def _grads(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p._meta.grad for p in parameters if p._meta is not None and p._meta.grad is not None]


@no_grad()
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all elements of all tensors, 0-d. RuntimeError if it is not finite, on request."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return make(np.zeros((), np.float32))
    total = FUNCTIONS["stack"]([tensor.norm(norm_type) for tensor in tensors]).norm(norm_type)
    if error_if_nonfinite and not np.isfinite(total._array):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so "
            "it cannot be clipped. To disable this error and scale the gradients by the non-finite "
            "norm anyway, set `error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale all gradients in place by `max_norm / total_norm`, if that is smaller than 1."""
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for grad in _grads(parameters):
        grad.mul_(factor)


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale all gradients in place so that their common norm is at most `max_norm`.

    Returns the norm there was before, 0-d. RuntimeError, on request, for a norm that is not finite.
    """
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(_grads(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


clip_grad_norm = _renamed(clip_grad_norm_, "clip_grad_norm", "torch.nn.utils")


@no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Keep every element of every gradient between `-clip_value` and `clip_value`, in place."""
    for grad in _grads(parameters):
        grad.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters):
    """All parameters' elements, one after the other, as one vector (n)."""
    return FUNCTIONS["cat"]([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Let the parameters take their elements from one vector, in order.

    TypeError for what is no tensor, RuntimeError for a vector that is too short.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view(parameter.shape).data
        start = stop


mirror(globals(), "generated/torch.nn.utils.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals(), "rnn")
