"""Softmax and its logarithm: from scores to probabilities."""

import numpy as np

from ..operation import Operation
from ..tensor import wrap_dim
from .convert import row_by_row
from .elementwise import Exp
from .reduce import Sum
from .registry import both


class Softmax(Operation):
    """Positive numbers that sum to one along `dim`; shifted by the largest, so that exp is finite."""

    def forward(x, dim):
        powers = np.exp(row_by_row(x) - _largest(x, dim))
        return powers / np.add.reduce(powers, axis=dim, keepdims=True)

    def grad_x(g, out, dim):
        return (g - Sum(g * out, (dim,), True)) * out


class LogSoftmax(Operation):
    """The logarithm of softmax, without taking the logarithm of a number that may be 0."""

    def forward(x, dim):
        shifted = row_by_row(x) - _largest(x, dim)
        return shifted - np.log(np.add.reduce(np.exp(shifted), axis=dim, keepdims=True))

    def grad_x(g, out, dim):
        return g - Exp(out) * Sum(g, (dim,), True)


def _largest(x, dim):
    return np.maximum.reduce(x, axis=dim, keepdims=True, initial=-np.inf)


def _publish_softmax(name, operation):
    def call(input, dim, dtype=None):
        if dtype is not None:
            input = input.to(dtype)
        dim = wrap_dim(dim, input.ndim)
        if input._array.dtype.kind != "f":
            last = "lastdim_" if dim == input.ndim - 1 or input.ndim == 0 else ""
            raise not_implemented(f"{name}_{last}kernel_impl", input)
        return operation(input, dim)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""{operation.__doc__}

    The same shape; `dtype` converts first. NotImplementedError for integers, IndexError for a `dim`
    that is not there.
    """
    return both(call)


softmax = _publish_softmax("softmax", Softmax)
log_softmax = _publish_softmax("log_softmax", LogSoftmax)


def not_implemented(kernel, input):
    """The error for an operation on floats that was given integers."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{input.dtype.tensor_name}\'')
