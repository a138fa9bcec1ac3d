"""Helpers for training. Mirrors https://docs.pytorch.org/docs/2.13/nn.html#module-torch.nn.utils"""

import numpy as np

from ..tensor import Tensor, make


def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    """Scale all gradients in place, to a common norm of at most `max_norm`; returns what it was."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    grads = [p.grad for p in parameters if p.grad is not None]
    norms = [np.linalg.norm(grad._array.reshape(-1), norm_type) for grad in grads]
    total = make(np.asarray(np.linalg.norm(norms, norm_type) if norms else 0.0, np.float32))
    scale = np.minimum(max_norm / (total.item() + 1e-6), 1.0)  # nan stays nan
    for grad in grads:
        grad.mul_(float(scale))
    return total
