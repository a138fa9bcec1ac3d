"""One tensor cut into several views: split, chunk, unbind.

The views of one call share a node, and may not be changed in place while that is recorded.
"""

import operator

import numpy as np

from .. import anomaly
from ..grad_mode import mode
from ..graph import Node, edge, new, placed, ports
from ..inplace import link
from ..tensor import Tensor, make, wrap_dim
from .join import Cat, Stack
from .registry import both
from .select import Select, Slice


class Pieces(Node):
    """The node of all the views that one call made."""

    __slots__ = ("dim", "shapes", "dtype", "_outputs")
    _saved_dim = property(lambda node: node.dim)

    def __new__(cls, x, dim, cuts):
        """`cuts` holds, for each view, the arguments that follow `dim` in `cls.piece`."""
        views = [make(cls.piece.forward(x._array, dim, *cut)) for cut in cuts]
        recorded = mode.enabled and x.requires_grad
        for view, cut in zip(views, cuts):
            link(view, x, cls.piece, (dim, *cut))
            if view._meta is not None and mode.enabled:
                view._meta.origin = "several"
        if recorded:
            node = placed(new(cls), edge(x))
            node.dim, node._outputs, node.dtype = dim, len(views), x._array.dtype
            node.shapes = [view._array.shape for view in views]
            for view, port in zip(views, ports(node, len(views)) if len(views) > 1 else [node]):
                view._node, view._requires_grad = port, True
            if anomaly.enabled:
                anomaly.remember(node)
        return tuple(views)

    def apply(self, gs, create_graph):
        """The gradient of the whole: those of the pieces joined, zeros where one is missing."""
        if gs is None:
            return [None]
        gs = gs if self._outputs > 1 else [gs]
        for i, g in enumerate(gs):
            if g is None:
                zeros = np.zeros(self.shapes[i], self.dtype)
                gs[i] = make(zeros) if create_graph else zeros
        return [type(self).join(gs, self.dim)]


class Split(Pieces, name="SplitBackward0"):
    """Pieces of one length."""

    piece, join = Slice, Cat


class SplitWithSizes(Pieces, name="SplitWithSizesBackward0"):
    """Pieces of given lengths."""

    piece, join = Slice, Cat


class Unbind(Pieces, name="UnbindBackward0"):
    """The slices along a dimension, which disappears."""

    piece, join = Select, Stack


def _ranges(sizes):
    """The (start, stop, step) of pieces of these sizes."""
    stops = np.cumsum(sizes).tolist()
    return [(stop - size, stop, 1) for size, stop in zip(sizes, stops)]


@both(also={"split_size": "split_size_or_sections"})
def split(tensor, split_size_or_sections, dim=0):
    """Pieces of one length (the last may be shorter), or of the lengths listed; a tuple of views.

    Shapes are those of `tensor` but along `dim`. RuntimeError if the lengths do not add up or are
    negative, and for a 0-d tensor.
    """
    if isinstance(split_size_or_sections, (list, tuple)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    size = operator.index(split_size_or_sections)
    if tensor.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    dim = wrap_dim(dim, tensor.ndim)
    length = tensor._array.shape[dim]
    if size == 0 and length:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}"
        )
    pieces = max(-(-length // size), 1) if size else 1
    sizes = [size] * (pieces - 1) + [length - size * (pieces - 1)]
    return Split(tensor, dim, _ranges(sizes))


@both
def split_with_sizes(input, split_sizes, dim=0):
    """Pieces of the lengths listed; a tuple of views.

    Shapes are those of `input` but along `dim`. RuntimeError unless the lengths add up, and for a 0-d
    tensor.
    """
    if input.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, input.ndim)
    sizes, length = [int(n) for n in split_sizes], input._array.shape[dim]
    if any(n < 0 for n in sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={sizes}"
        )
    if sum(sizes) != length:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size "
            f"at dimension {dim}), but got split_sizes={sizes}"
        )
    return SplitWithSizes(input, dim, _ranges(sizes))


@both
def chunk(input, chunks, dim=0):
    """At most `chunks` pieces of one length (the last may be shorter); a tuple of views.

    Shapes are those of `input` but along `dim`. RuntimeError for a number below 1, and for a 0-d
    tensor.
    """
    if input.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(dim, input.ndim)
    length = input._array.shape[dim]
    if not length:
        return split_with_sizes(input, [0] * chunks, dim)
    return split(input, -(-length // chunks), dim)


@both
def unbind(input, dim=0):
    """The slices along a dimension, which disappears; a tuple of views.

    (2, 3) gives two tensors (3). IndexError for a 0-d tensor.
    """
    if input.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, input.ndim)
    return Unbind(input, dim, [(i,) for i in range(input._array.shape[dim])])


_CUTS = {"sections": "indices_or_sections", "indices": "indices_or_sections"}


@both(also=_CUTS | {"tensor_indices_or_sections": "indices_or_sections"})
def tensor_split(input, indices_or_sections, dim=0):
    """Pieces of nearly one length, or cut at the positions listed; a tuple of views.

    Shapes are those of `input` but along `dim`. RuntimeError for a number below 1, and for a 0-d
    tensor.
    """
    if input.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a "
                           "tensor with 0 dims")  # fmt: skip
    dim = wrap_dim(dim, input.ndim)
    length = input._array.shape[dim]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        sections = indices_or_sections
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        cuts = [length // sections * i + min(i, length % sections) for i in range(1, sections)]
    else:
        cuts = list(indices_or_sections)
    pieces = []
    for start, stop in zip([0, *cuts], [*cuts, length]):
        start, stop, _ = slice(start, stop).indices(length)
        pieces.append(Slice(input, dim, start, max(start, stop), 1))
    return tuple(pieces)


def _publish_split(name, dim, least, says):
    def call(input, indices_or_sections):
        if input.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor "
                f"with {input.ndim} dimensions!"
            )
        d = dim if input.ndim > 1 else 0
        length = input._array.shape[d]
        pieces = indices_or_sections
        if isinstance(pieces, int) and (not pieces or length % pieces):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {d}, but the size of the "
                f"dimension {length} is not divisible by the split_size {indices_or_sections}!"
            )
        return tensor_split(input, indices_or_sections, d)

    call.__name__ = name
    call.__doc__ = f"""`tensor_split` {says}, into equal pieces only; a tuple of views.

    RuntimeError if the length cannot be divided, or there are fewer than {least} dimensions.
    """
    both(call, also=_CUTS)


_publish_split("hsplit", 1, 1, "along the second dimension")
_publish_split("vsplit", 0, 2, "along the first dimension")
_publish_split("dsplit", 2, 3, "along the third dimension")
