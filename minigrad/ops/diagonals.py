"""Diagonals and triangles of matrices."""

import numpy as np

from ..inplace import ScatterView, ViewOperation
from ..operation import Operation
from .registry import both
from .shape import dimensions, renamed


class Diagonal(ViewOperation):
    """The diagonal of two dimensions, which becomes the last dimension."""

    def forward(x, offset, dim1, dim2):
        diagonal = x.diagonal(offset, dim1, dim2)
        diagonal.flags.writeable = x.flags.writeable  # NumPy hands it out read-only
        return diagonal

    def grad_x(g, x_shape, offset, dim1, dim2):
        return ScatterView.apply(g, x_shape, ((Diagonal, (offset, dim1, dim2)),))


class DiagonalCopy(Operation, name="DiagonalBackward0_copy"):
    """The diagonal of a matrix, in memory of its own."""

    grad_x = Diagonal.grad_x

    def forward(x, offset, dim1, dim2):
        return x.diagonal(offset, dim1, dim2).copy()


class DiagEmbed(Operation):
    """The matrix with a diagonal, zeros elsewhere."""

    def forward(x, offset):
        return np.diag(x, offset)

    def grad_x(g, _x, offset):
        return DiagonalCopy.apply(g, offset, 0, 1)


class Tril(Operation):
    """The triangle on one side of a diagonal of the last two dimensions, zeros on the other."""

    def forward(x, triangle, diagonal):
        if x.ndim < 2:
            raise RuntimeError(f"a triangle of {x.ndim} dimensions: there have to be 2 or more")
        return triangle(x, diagonal)

    def grad_x(g, _x, triangle, diagonal):
        return Tril.apply(g, triangle, diagonal)


Triu = renamed(Tril, "TriuBackward0")


@both
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions, as the last dimension; `offset` moves it up. A view."""
    return Diagonal.apply(input, offset, *dimensions(input.ndim, dim1, dim2))


@both
def diag(input, diagonal=0):
    """The matrix with a vector as its diagonal; of a matrix, or else RuntimeError, its diagonal."""
    if input.ndim == 1:
        return DiagEmbed.apply(input, diagonal)
    if input.ndim != 2:
        raise RuntimeError(f"diag() is for vectors and matrices, not for {input.ndim} dimensions")
    return DiagonalCopy.apply(input, diagonal, 0, 1)


@both
def tril(input, diagonal=0):
    """What is on and below a diagonal of the last two dimensions; zeros above."""
    return Tril.apply(input, np.tril, diagonal)


@both
def triu(input, diagonal=0):
    """What is on and above a diagonal of the last two dimensions; zeros below."""
    return Triu.apply(input, np.triu, diagonal)
