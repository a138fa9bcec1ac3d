"""Copies of a tensor with a part replaced."""

from ..operation import Operation
from ..tensor import wrap_dim
from .arguments import zeros_like
from .assign import Blank
from .diagonal import Diagonal
from .registry import both


class SelectScatter(Operation):
    """`x` with `y` in one position of a dimension."""

    def forward(x, y, dim, index):
        x = x.copy("K")
        x[(slice(None),) * dim + (index,)] = y
        return x

    def grad_x(g, dim, index):
        return Blank(g, (slice(None),) * dim + (index,))

    def grad_y(g, dim, index):
        return g[(slice(None),) * dim + (index,)]


class SliceScatter(Operation):
    """`x` with `y` in a range of a dimension."""

    def forward(x, y, dim, start, stop, step):
        x = x.copy("K")
        x[(slice(None),) * dim + (slice(start, stop, step),)] = y
        return x

    def grad_x(g, dim, start, stop, step):
        return Blank(g, (slice(None),) * dim + (slice(start, stop, step),))

    def grad_y(g, dim, start, stop, step):
        return g[(slice(None),) * dim + (slice(start, stop, step),)]


@both
def select_scatter(input, src, dim, index):
    """A copy of `input` with `src` at position `index` of `dim`.

    `src` has the shape of `input` without `dim`; RuntimeError otherwise.
    """
    dim = wrap_dim(dim, input.ndim)
    if input.select(dim, index)._array.shape != src._array.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(input.select(dim, index)._array.shape)}"
        )
    return SelectScatter(input, src, dim, index)


@both
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """A copy of `input` with `src` in the range start:end:step of `dim`.

    RuntimeError if `src` has not the shape of that slice.
    """
    dim = wrap_dim(dim, input.ndim)
    start, stop, step = slice(start, end, step).indices(input._array.shape[dim])
    return SliceScatter(input, src, dim, start, stop, step)


class DiagonalScatter(Operation):
    """`x` with `y` on a diagonal."""

    def forward(x, y, offset, dim1, dim2):
        x = x.copy("K")
        Diagonal.forward(x, offset, dim1, dim2)[...] = y
        return x

    def grad_x(g, offset, dim1, dim2):
        return DiagonalScatter(g, zeros_like(Diagonal(g, offset, dim1, dim2)), offset, dim1, dim2)

    def grad_y(g, offset, dim1, dim2):
        return Diagonal(g, offset, dim1, dim2)


@both
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy of `input` with `src` on a diagonal.

    `src` has the shape of that diagonal; RuntimeError otherwise.
    """
    diagonal = input.detach().diagonal(offset, dim1, dim2)
    if diagonal.shape != src.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(diagonal.shape)}"
        )
    return DiagonalScatter(input, src, offset, *(wrap_dim(d, input.ndim) for d in (dim1, dim2)))
