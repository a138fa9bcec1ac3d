"""From scores to probabilities: softmax, and its logarithm."""

import numpy as np

from ..operation import Operation
from ..tensor import wrap_dim
from .compare import Where
from .elementwise import exp
from .reduce import Sum
from .registry import both


def _largest(x, dims):
    """What is subtracted first, so that no power of e overflows."""
    return np.maximum.reduce(x, axis=dims, keepdims=True, initial=-np.inf)


class Softmax(Operation):
    """Positive numbers that sum to one along `dim`."""

    def forward(x, dim):
        powers = np.exp(x - _largest(x, dim))
        return powers / Sum.forward(powers, dim, True)

    def grad_x(g, _x, dim, out):
        return (g - Sum.apply(g * out, dim, True)) * out


class LogSoftmax(Operation):
    """The logarithm of softmax, without taking that of a number that may be 0."""

    def forward(x, dim):
        shifted = x - _largest(x, dim)
        return shifted - np.log(Sum.forward(np.exp(shifted), dim, True))

    def grad_x(g, _x, dim, out):
        return g - exp(out) * Sum.apply(g, dim, True)


def _along(operation, name, input, dim):
    """Apply one of the two along a dimension. Raises NotImplementedError for integers."""
    if not input.is_floating_point():
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.tensor_name}'")
    dim = wrap_dim(dim, input.ndim)
    return operation.apply(input, (dim,) if input.ndim else ())


@both
def logsumexp(input, dim, keepdim=False):
    """The logarithm of the sum of e to the power of the elements along `dim`, without overflow."""
    largest = input.detach().max(dim, keepdim=True).values
    largest = Where.apply(largest.abs() == np.inf, 0, largest)
    logs = (input - largest).exp().sum(dim, keepdim=True).log() + largest
    return logs if keepdim else logs.squeeze(dim)


@both
def softmax(input, dim):
    """Positive numbers that sum to one along `dim`. Raises NotImplementedError for integers."""
    return _along(Softmax, "softmax", input, dim)


@both
def log_softmax(input, dim):
    """The logarithm of `softmax`, exact where that is 0. NotImplementedError for integers."""
    return _along(LogSoftmax, "log_softmax", input, dim)
