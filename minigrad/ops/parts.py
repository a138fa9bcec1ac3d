"""Parts of a tensor: one place of a dimension, some places, or all in pieces. All are views.

`x[...]`, which is made of these, is in index.py.
"""

import math
import operator

import numpy as np

from ..inplace import ViewOperation, views
from ..operation import Operation
from ..tensor import wrap_dim
from .join import Cat, Stack
from .registry import both
from .shape import renamed


class Select(ViewOperation):
    """One place of a dimension, which disappears: `x[i]`."""

    def forward(x, dim, index):
        return x[(slice(None),) * dim + (index, ...)]

    def grad_x(g, x_shape, dim, index):
        return Scatter.apply(g, x_shape, (slice(None),) * dim + (index, ...))


class Slice(ViewOperation):
    """A range of a dimension: `x[start:stop:step]`."""

    called = {"stop": "end"}

    def forward(x, dim, start, stop, step):
        return x[(slice(None),) * dim + (slice(start, stop, step),)]

    def grad_x(g, x_shape, dim, start, stop, step):
        return Scatter.apply(g, x_shape, (slice(None),) * dim + (slice(start, stop, step),))


class Scatter(Operation):
    """Zeros with `x` put where a view was taken: the way back from it."""

    def forward(x, shape, index):
        whole = np.zeros(shape, x.dtype)
        whole[index] = x
        return whole

    def grad_x(g, _x, _shape, index):
        return g[index]


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


@both
def select(input, dim, index):
    """One place of a dimension, which disappears: a view. IndexError for one not there."""
    dim, shape = wrap_dim(dim, input.ndim), input._array.shape
    if not shape or not -shape[dim] <= index < shape[dim]:
        raise IndexError(f"select: there is no index {index} in dimension {dim} of {list(shape)}")
    return Select.apply(input, dim, operator.index(index) % shape[dim])


@both
def narrow(input, dim, start, length):
    """`length` places of a dimension, from `start` on: a view. RuntimeError if there are fewer."""
    dim = wrap_dim(dim, input.ndim)
    n = input.size(dim)
    start = start + n if start < 0 else start
    if not 0 <= start <= start + length <= n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return Slice.apply(input, dim, start, start + length, 1)


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
