"""Several tensors joined into one, `cat` and `stack`; and one split into views, `unbind`."""

import numpy as np

from ..inplace import ViewOperation
from ..operation import Operation
from ..tensor import Tensor, wrap_dim
from .elements import together
from .registry import both, function


class Joined(Operation):
    """An operation on any number of tensors, which are brought to one dtype."""

    @classmethod
    def one_dtype(cls, args, arrays):
        dim, *arrays = arrays  # also numbers, in an ordinary pass
        return [dim, *together([np.asarray(array) for array in arrays])]


class Cat(Joined):
    """Tensors one after the other along a dimension."""

    def forward(dim, *tensors):
        return np.concatenate(tensors, dim)

    def grad_tensors(g, dim, *tensors_shape, which):
        start = sum([shape[dim] for shape in tensors_shape[:which]])
        return g[(slice(None),) * dim + (slice(start, start + tensors_shape[which][dim]),)]


class Stack(Joined):
    """Tensors of one shape side by side, along a new dimension."""

    def forward(dim, *tensors):
        return np.stack(tensors, dim)

    def grad_tensors(g, dim, *_tensors, which):
        return g[(slice(None),) * dim + (which, ...)]


class Unbind(ViewOperation):
    """The parts along a dimension, which disappears."""

    def forward(x, dim):
        return [x[(slice(None),) * dim + (i, ...)] for i in range(x.shape[dim])]

    def grad_x(g, x_shape, dim):
        arrived = [getattr(part, "_array", part).dtype for part in g if part is not None]
        zeros = np.zeros(x_shape[:dim] + x_shape[dim + 1 :], *arrived[:1])  # for those that did not
        parts = [zeros if part is None else part for part in g]
        return Stack.apply(dim, *parts) if arrived else None


def _shapes(tensors):
    """The shapes of tensors to be joined. Raises TypeError unless they are a list of tensors."""
    if isinstance(tensors, Tensor) or not all(isinstance(x, Tensor) for x in tensors):
        raise TypeError("cat() and stack() need a list of tensors: [x, y]")
    return [tensor._array.shape for tensor in tensors]


@function
def cat(tensors, dim=0):
    """Tensors joined along `dim`. Raises RuntimeError if lengths differ in any other dimension."""
    first = next((shape for shape in _shapes(tensors) if shape != (0,)), (0,))
    dim = 0 if first == (0,) else wrap_dim(dim, len(first))
    nothing = (*first[:dim], 0, *first[dim + 1 :])
    tensors = [x.reshape(nothing) if x._array.shape == (0,) else x for x in tensors]  # fits anyway
    for i, shape in enumerate(_shapes(tensors)):
        if not shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if len(shape) != len(first):
            raise RuntimeError(f"cat: tensors of {len(first)} and {len(shape)} dimensions")
        for d, (n, m) in enumerate(zip(first, shape)):
            if n != m and d != dim:
                rule = f"Sizes of tensors must match except in dimension {dim}. Expected size {n}"
                raise RuntimeError(f"{rule} but got size {m} for tensor number {i} in the list.")
    return Cat.apply(dim, *tensors)


@function
def stack(tensors, dim=0):
    """n tensors of one shape (*), in a new dimension: (n, *). RuntimeError if shapes differ."""
    first, *rest = map(list, _shapes(tensors))
    dim = wrap_dim(dim, len(first) + 1)
    for i, shape in enumerate(rest, 1):
        if shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {first} at "
                f"entry 0 and {shape} at entry {i}"
            )
    return Stack.apply(dim, *tensors)


@both
def unbind(input, dim=0):
    """The parts along a dimension, which disappears: (2, 3) gives two (3); views."""
    return Unbind.apply(input, wrap_dim(dim, input.ndim))
