"""Undoing a broadcast: what was repeated on the way forward is summed on the way back."""

import numpy as np

from . import dtypes
from .tensor import Tensor


def restoration(cls, mask, args, out):
    """For each operand None, or the (shape, dtype) to which its gradient has to be brought back."""
    dtypes_met = {a._array.dtype for a in args if isinstance(a, Tensor)}
    found = None
    for i, position in enumerate(cls.positions):
        if mask >> i & 1:
            array = args[position]._array
            if array.shape != out.shape or len(dtypes_met) > 1:
                found = found or [None] * len(cls.positions)
                found[i] = (array.shape, array.dtype)
    return found


def restored(node, grads):
    """The gradients of a `broadcasts` operation, as its operands were before they were expanded."""
    if node.restore is None:
        return grads
    return [undo_broadcast(grad, *was) if was and grad is not None else grad
            for grad, was in zip(grads, node.restore)]  # fmt: skip


def undo_broadcast(g, shape, dtype):
    """Bring a gradient back to an operand's shape and type, by summing what had been repeated."""
    if g.shape != shape:
        extra = g.ndim - len(shape)
        stretched = [d + extra for d, n in enumerate(shape) if n == 1 and g.shape[d + extra] != 1]
        if stretched:
            g = _summed(g, tuple(stretched), True)
        if extra:
            g = _summed(g, tuple(range(extra)), False)
    if isinstance(g, Tensor):
        return g if g._array.dtype == dtype else g.to(dtypes.of_numpy(dtype))
    return g if g.dtype == dtype else g.astype(dtype)


def _summed(g, dims, keepdim):
    if isinstance(g, Tensor):
        return g.sum(dims, keepdim)
    return np.add.reduce(g, axis=dims, keepdims=keepdim)
