"""The same numbers in another shape or order, and parts of them.

Most of it copies nothing: it gives a view, which shares the memory of what it was made from.
"""

import math
import operator

import numpy as np

from .. import errors
from ..inplace import ViewOperation
from ..operation import Operation
from ..tensor import Tensor, wrap_dim
from .registry import both, method


class Reshape(ViewOperation, name="ViewBackward0"):
    """Another shape, in new memory only where it must be; the gradient gets the old one back."""

    def forward(x, shape):
        return x.reshape(shape)

    def grad_x(g, x_shape, _shape):
        return Reshape.apply(g, x_shape)


def renamed(operation, name):
    """The same operation once more, as a class whose nodes have another name, PyTorch's."""
    return type(operation)(name, (operation,), {"__slots__": ()}, name=name)


Squeeze = renamed(Reshape, "SqueezeBackward0")
SqueezeDim = renamed(Reshape, "SqueezeBackward1")  # of dimensions that were named
Unsqueeze = renamed(Reshape, "UnsqueezeBackward0")


class UnsafeView(Operation):
    """Another shape of a copy, which is not a view because nobody else has the copy."""

    forward, grad_x = Reshape.forward, Reshape.grad_x


SqueezeAgain = renamed(UnsafeView, "SqueezeBackward4")  # of a vector that was made a matrix


class Expand(ViewOperation):
    """Dimensions of length 1, and new ones in front, repeated without copying."""

    def forward(x, shape):
        view = np.broadcast_to(x, shape)
        if isinstance(x, np.ndarray) and x.flags.writeable:
            view.flags.writeable = True
        return view

    def grad_x(g, _x, _shape):
        return g


class Permute(ViewOperation):
    """The dimensions in another order."""

    def forward(x, dims):
        return x.transpose(dims)

    def grad_x(g, _x, dims):
        return Permute.apply(g, tuple([dims.index(d) for d in range(len(dims))]))


Transpose = renamed(Permute, "TransposeBackward0")
T = renamed(Permute, "TBackward0")


class Select(ViewOperation):
    """One place of a dimension, which disappears: `x[i]`."""

    def forward(x, dim, index):
        return x[(slice(None),) * dim + (index, ...)]

    def grad_x(g, x_shape, dim, index):
        return Scatter.apply(g, x_shape, (slice(None),) * dim + (index, ...))


class Slice(ViewOperation):
    """A range of a dimension: `x[start:stop:step]`."""

    torch_names = {"stop": "end"}

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


# --- public names ---------------------------------------------------------------------------------


def numbers(*given):
    """A tuple of ints, which users may write `x.view(2, 3)` or `x.view((2, 3))`."""
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    return tuple([operator.index(n) for n in given])


def dimensions(ndim, *given):
    """Dimensions as a tuple, counted from the front. Raises IndexError if one is out of range."""
    return tuple([wrap_dim(d, ndim) for d in numbers(*given)])


def completed(shape, count):
    """A shape with its -1 worked out. Raises RuntimeError unless `count` elements fit."""
    known = math.prod([n for n in shape if n != -1])
    sizes = tuple([count // known if n == -1 and known else n for n in shape])
    if math.prod(sizes) != count or min(sizes, default=0) < 0:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return sizes


def _is_view(x, shape):
    return x.is_contiguous() or np.may_share_memory(x._array, x._array.reshape(shape))


@method
def view(self, *shape):
    """The same memory in another shape, -1 for what fits. Raises RuntimeError if that copies."""
    shape = completed(numbers(*shape), self._array.size)
    if not _is_view(self, shape):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return Reshape.apply(self, shape)


@method
def view_as(self, other):
    """`view` in the shape of another tensor."""
    return view(self, other.shape)


@both
def reshape(input, *given, shape=()):
    """Another shape, -1 for the length that fits; a view where that is possible, else a copy."""
    shape = completed(numbers(*given or (shape,)), input._array.size)
    if _is_view(input, shape):
        return Reshape.apply(input, shape)
    return UnsafeView.apply(input.clone(), shape)


@both
def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions merged into one: (2, 3, 4) from dim 1 on becomes (2, 12)."""
    start, end = dimensions(input.ndim, start_dim, end_dim)
    if input.ndim and start == end:
        return input
    shape = input._array.shape
    return reshape(input, *shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])


@both
def squeeze(input, dim=None):
    """Dimensions of length 1 removed, all or those named: (1, 3, 1) becomes (3); a view."""
    dims = range(input.ndim) if dim is None else dimensions(input.ndim, dim)
    left = [n for d, n in enumerate(input._array.shape) if n != 1 or d not in dims]
    return (Squeeze if dim is None else SqueezeDim).apply(input, tuple(left))


@both
def unsqueeze(input, dim):
    """A new dimension of length 1: (3) becomes (1, 3) for dim 0, (3, 1) for dim -1; a view."""
    dim, shape = wrap_dim(dim, input.ndim + 1), input._array.shape
    return Unsqueeze.apply(input, (*shape[:dim], 1, *shape[dim:]))


@method
def expand(self, *shape):
    """Dimensions of length 1, repeated in a view; -1 keeps a length. RuntimeError for others."""
    shape, old = numbers(*shape), self._array.shape
    new = len(shape) - len(old)
    if new < 0 or -1 in shape[:new]:
        raise RuntimeError(f"expand: {shape} does not fit {len(old)} dimensions")
    old = (1,) * new + old
    for d, (have, want) in reversed(list(enumerate(zip(old, shape)))):
        if have != 1 and want not in (-1, have):
            raise RuntimeError(
                f"The expanded size of the tensor ({want}) must match the existing size ({have}) "
                f"at non-singleton dimension {d}.  Target sizes: {list(shape)}.  Tensor sizes: "
                f"{list(self._array.shape)}"
            )
    return Expand.apply(self, tuple([n if m == -1 else m for n, m in zip(old, shape)]))


@method
def expand_as(self, other):
    """`expand` to the shape of `other`."""
    return expand(self, other.shape)


@both
def transpose(input, dim0, dim1):
    """Two dimensions swapped, and so are their lengths in the shape; a view."""
    order = list(range(max(input.ndim, 1)))
    dim0, dim1 = dimensions(input.ndim, dim0, dim1)
    order[dim0], order[dim1] = dim1, dim0
    return Transpose.apply(input, tuple(order[: input.ndim]))


@both
def t(input):
    """A matrix with rows and columns swapped; a view. Raises RuntimeError beyond two dimensions."""
    if input.ndim > 2:
        raise RuntimeError(f"t() is for matrices, not for {input.ndim} dimensions")
    return T.apply(input, tuple(range(input.ndim))[::-1])


@both
def permute(input, *given, dims=None):
    """All dimensions in another order; a view. RuntimeError unless each dimension appears once."""
    order = dimensions(input.ndim, *given or (dims,))
    if sorted(order) != list(range(input.ndim)):
        raise RuntimeError(f"permute: {order} does not order {input.ndim} dimensions")
    return Permute.apply(input, order)


def _reversed(self):
    """All dimensions in reverse order; a view, meant for matrices, and a warning for others."""
    if self.ndim not in (0, 2):
        errors.warn(errors.T_OF_NO_MATRIX)
    return Permute.apply(self, tuple(range(self.ndim))[::-1])


Tensor.T = property(_reversed)
Tensor.mT = property(
    lambda self: transpose(self, -2, -1), doc="The last two dimensions swapped; a view."
)
