"""What a node saved, as PyTorch shows it: `y.grad_fn._saved_self`.

Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html#saved-tensors
"""

import numpy as np

from .tensor import Tensor, make

SAVED_NAMES = {"x": "self", "y": "other", "out": "result", "x_shape": "self_sym_sizes", "dims": "dim"}


class Saved:
    """A node's `_saved_self` and its like: what it keeps for backward, as PyTorch shows it."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __get__(self, node, cls=None):
        if node is None:
            return self
        is_tensor = self.name in (*node.operands, *node.tensor_params, "out")
        return as_given(node.saved_value(self.name), is_tensor)


def as_given(value, is_tensor):
    """A saved value as PyTorch shows it: a number as the user wrote it, alone or as a tensor."""
    if isinstance(value, tuple) and is_tensor:
        return tuple([as_given(part, True) for part in value])
    number = getattr(value, "_number", None)
    if isinstance(value, Tensor) and number is not None:
        return make(np.asarray(number)) if is_tensor else number
    if isinstance(value, Tensor) and not is_tensor and value.ndim == 0:
        return value.item()
    return make(value) if is_tensor and isinstance(value, np.ndarray) else value
