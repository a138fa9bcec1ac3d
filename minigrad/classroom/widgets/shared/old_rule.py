"""The rule that `backward` followed before PyTorch checked shapes (2019). Wrong on purpose.

A gradient of another shape than its output's was made to fit, without a word: a small one was
broadcast over the outputs, a large one was added up.
"""

import contextlib
import threading

import numpy as np

from ...compare import engines
from ...show.formatting import nested
from .functions import replaced
from .point import values_of

_one_at_a_time = threading.RLock()


def adapted(given, sizes):
    """(the gradient used for an output of shape `sizes`, how it was made to fit).

    The gradient is None where the old rule refused too.
    """
    if given.shape == sizes:
        return given, "The shapes are equal: nothing to adapt."
    if _expands(given.shape, sizes):
        used = np.broadcast_to(given, sizes)
        return used, f"The gradient was broadcast to {nested(used.tolist())} without a word."
    if _expands(sizes, given.shape):
        used = _added_up(given, sizes)
        return used, f"The gradient was added up to {nested(used.tolist())} without a word."
    return None, "Refused too: it fits neither by broadcasting nor by adding up."


@contextlib.contextmanager
def old_rule():
    """Within the block minigrad's `y.backward(gradient)` follows the old rule, in this thread.

    Yields a list that is filled with a sentence for each gradient that was made to fit.
    """
    sentences, here = [], threading.get_ident()

    def backward(self, gradient=None, *arguments, **options):
        is_ours = threading.get_ident() == here and isinstance(gradient, engines.minigrad.Tensor)
        if is_ours and gradient.shape != self.shape:
            used, how = adapted(values_of(gradient), tuple(self.shape))
            sentences.append(how)
            if used is not None:
                gradient = engines.minigrad.tensor(used.tolist())
        return strict(self, gradient, *arguments, **options)

    with _one_at_a_time, replaced(engines.minigrad.Tensor, "backward", backward) as strict:
        yield sentences


def _expands(sizes, goal):
    try:
        return np.broadcast_shapes(sizes, goal) == tuple(goal)
    except ValueError:
        return False


def _added_up(values, goal):
    """`values` summed over the axes in which `goal` has none, or 1: the reverse of broadcasting."""
    extra = values.ndim - len(goal)
    values = values.sum(axis=tuple(range(extra)))
    ones = tuple(k for k, size in enumerate(goal) if size == 1 and values.shape[k] != 1)
    return values.sum(axis=ones, keepdims=True)
