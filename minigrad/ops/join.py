"""Several tensors made one, `cat` and `stack`; and one made several, which are views of it."""

import math

import numpy as np

from .. import dtypes
from ..graph import edge, placed
from ..inplace import ViewOperation, views
from ..modes import mode, recorders
from ..operation import Operation, restored, tell
from ..tensor import Tensor, make, new, wrap_dim
from .registry import both, function
from .shape import renamed


class Joined(Operation):
    """An operation on a list of tensors; its rule `parts` gives each its part of the gradient."""

    @classmethod
    def apply(cls, tensors, dim):
        if not any(isinstance(tensor, Tensor) for tensor in tensors):
            return cls.forward(tensors, dim)
        arrays = [getattr(tensor, "_array", tensor) for tensor in tensors]
        dtype = dtypes.result_type(*arrays)
        result = make(cls.forward([array.astype(dtype, copy=False) for array in arrays], dim))
        edges = [edge(tensor) if isinstance(tensor, Tensor) else None for tensor in tensors]
        if mode.enabled and dtype.kind == "f" and any(n is not None for n in edges):
            node = result._node = placed(new(cls), *edges)
            node._saved, node._restore = (dim,), [(array.shape, array.dtype) for array in arrays]
            result._requires_grad = True
            if recorders:
                tell(node, (*tensors, dim), result)
        return result

    def _vjp(self, g, create_graph):
        """The gradient for each tensor, in its dtype."""
        if g is None:
            return [None] * len(self._next)
        parts = self.parts(g, *self._saved, [shape for shape, _ in self._restore])
        parts = [None if n is None else part for n, part in zip(self._next, parts)]
        return restored(parts, self._restore)


class Cat(Joined):
    """Tensors one after the other along a dimension."""

    def forward(arrays, dim):
        return np.concatenate(arrays, dim)

    def parts(self, g, dim, shapes):
        stops = np.cumsum([shape[dim] for shape in shapes]).tolist()
        return [
            g[(slice(None),) * dim + (slice(stop - shape[dim], stop),)]
            for stop, shape in zip(stops, shapes)
        ]


class Stack(Joined):
    """Tensors of one shape side by side, along a new dimension."""

    def forward(arrays, dim):
        return np.stack(arrays, dim)

    def parts(self, g, dim, shapes):
        return [g[(slice(None),) * dim + (i, ...)] for i in range(len(shapes))]


class Split(ViewOperation):
    """Pieces of some lengths along a dimension, one after the other."""

    def forward(x, dim, lengths):
        return np.split(x, np.cumsum(lengths)[:-1], dim)

    def grad_x(g, x_shape, dim, lengths):
        return joined(Cat, g, dim, [(*x_shape[:dim], n, *x_shape[dim + 1 :]) for n in lengths])


SplitWithSizes = renamed(Split, "SplitWithSizesBackward0")


class Unbind(ViewOperation):
    """The parts along a dimension, which disappears."""

    def forward(x, dim):
        return [x[(slice(None),) * dim + (i, ...)] for i in range(x.shape[dim])]

    def grad_x(g, x_shape, dim):
        return joined(Stack, g, dim, [x_shape[:dim] + x_shape[dim + 1 :]] * len(g))


def joined(operation, gs, dim, shapes):
    """The gradients of a node's outputs as one, with zeros for those that did not arrive."""
    dtypes = [getattr(g, "_array", g).dtype for g in gs if g is not None]
    gs = [np.zeros(shape, *dtypes[:1]) if g is None else g for g, shape in zip(gs, shapes)]
    return operation.apply(gs, dim) if dtypes else None


def shapes_of(tensors):
    """The shapes of tensors to be joined; TypeError for what is no list of them."""
    if isinstance(tensors, Tensor) or not all(isinstance(x, Tensor) for x in tensors):
        raise TypeError("what is joined has to be a list of tensors: [x, y]")
    return [tensor._array.shape for tensor in tensors]


@function
def cat(tensors, dim=0):
    """Tensors joined along a dimension, in which alone lengths may differ, or else RuntimeError."""
    first = next((shape for shape in shapes_of(tensors) if shape != (0,)), (0,))
    dim = wrap_dim(dim, len(first))
    nothing = (*first[:dim], 0, *first[dim + 1 :])
    tensors = [x.reshape(nothing) if x._array.shape == (0,) else x for x in tensors]
    for i, shape in enumerate(shapes_of(tensors)):
        if not shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if len(shape) != len(first):
            raise RuntimeError(f"cat: tensors of {len(first)} and {len(shape)} dimensions")
        for d, (n, m) in enumerate(zip(first, shape)):
            if n != m and d != dim:
                rule = f"Sizes of tensors must match except in dimension {dim}. Expected size {n}"
                raise RuntimeError(f"{rule} but got size {m} for tensor number {i} in the list.")
    return Cat.apply(tensors, dim)


@function
def stack(tensors, dim=0):
    """Tensors of one shape (*), or else RuntimeError, in a new dimension: n of them give (n, *)."""
    first, *rest = map(list, shapes_of(tensors))
    for i, shape in enumerate(rest, 1):
        if shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {first} at "
                f"entry 0 and {shape} at entry {i}"
            )
    return Stack.apply(tensors, wrap_dim(dim, len(first) + 1))


@both
def split(tensor, split_size_or_sections, dim=0):
    """Views of one length (the last may be shorter), or of those listed (RuntimeError if wrong)."""
    dim, lengths = wrap_dim(dim, tensor.ndim), split_size_or_sections
    whole, operation = tensor._array.shape[dim], SplitWithSizes
    if isinstance(lengths, int):
        operation = Split
        starts = range(0, max(whole, 1), lengths)
        lengths = [min(lengths, whole - start) for start in starts]
    if sum(lengths) != whole:
        raise RuntimeError(f"split: lengths {list(lengths)} do not add up to {whole}")
    return views(operation, tensor, dim, tuple(lengths))


@both
def chunk(input, chunks, dim=0):
    """At most `chunks` views of one length (the last may be shorter)."""
    return split(input, max(math.ceil(input.shape[dim] / chunks), 1), dim)


@both
def unbind(input, dim=0):
    """The parts along a dimension, which disappears: (2, 3) gives two (3); views."""
    return views(Unbind, input, wrap_dim(dim, input.ndim))
