"""What broadcasting asks for: how the result lies in memory, and the sums that undo it backward."""

import numpy as np

from . import dtypes
from .tensor import Tensor


def laid_out(out, *arrays):
    """`out` in PyTorch's order of memory: that of the first operand which tells two dimensions apart.

    NumPy goes by rows as soon as one operand does, so only a first operand that does not, such as a
    transposed one, makes a difference: `(a.T + b).view(-1)` is refused, `(b + a.T).view(-1)` is not.
    """
    first, *others = arrays
    if first.flags.c_contiguous and (
        first.shape == out.shape or all(other.flags.c_contiguous for other in others)
    ):
        return out
    if first.shape == out.shape and len({*first.strides, 0}) > out.ndim:  # it tells all dimensions apart
        order = sorted(range(out.ndim), key=first.strides.__getitem__)
    else:
        order = _order(out, [np.broadcast_to(array, out.shape).strides for array in arrays])
    slowest_first = order[::-1]
    return np.ascontiguousarray(out.transpose(slowest_first)).transpose(np.argsort(slowest_first))


def _order(out, strides):
    """The dimensions of `out`, the fastest first, sorted by insertion."""

    def before(d, e):
        """Negative if dimension `d` runs faster than `e`, positive if slower, 0 if none can tell."""
        for each in strides:
            if each[d] and each[e]:
                if each[d] != each[e]:
                    return each[d] - each[e]
                if out.shape[d] > out.shape[e]:
                    return 1
        return 0

    order = list(range(out.ndim))[::-1]
    for place in range(1, out.ndim):
        for k in reversed(range(place)):
            told = before(order[k], order[place])
            if told > 0:
                order[k], order[place] = order[place], order[k]
                place = k
            elif told < 0:
                break
    return order


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
