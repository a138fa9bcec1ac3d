"""From scores to probabilities: softmax, its logarithm, and the logarithm of a sum of exp."""

import numpy as np

from .. import dtypes
from ..operation import Operation
from ..tensor import wrap_dim
from .elementwise import exp
from .reduce import ExpandTo, Sum, dims_of
from .registry import both, named


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


class Logsumexp(Operation):
    """The logarithm of a sum of powers of e, without computing the powers of large numbers."""

    def forward(x, dims, keepdim):
        top = _largest(x, dims)
        top = np.where(np.isinf(top), 0, top)
        total = np.log(Sum.forward(np.exp(x - top), dims, keepdim))
        return total + top.reshape(total.shape)

    def grad_x(g, x, dims, _keepdim, out):
        out = ExpandTo.apply(out, x.shape, dims)
        return ExpandTo.apply(g, x.shape, dims) * exp(x - out)


def _publish(name, operation):
    def call(input, dim, dtype=None):
        input = input if dtype is None else input.to(dtype)
        if not input.is_floating_point():
            raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.tensor_name}'")
        dim = wrap_dim(dim, input.ndim)
        return operation.apply(input, (dim,) if input.ndim else ())

    both(named(call, name, f"{operation.__doc__} NotImplementedError for integers."))
    return call


softmax = _publish("softmax", Softmax)
log_softmax = _publish("log_softmax", LogSoftmax)


@both
def logsumexp(input, dim, keepdim=False):
    """log(sum(exp(input))) over one or several dimensions; finite for large numbers."""
    if not input.is_floating_point():
        input = input.to(dtypes.get_default_dtype())
    return Logsumexp.apply(input, dims_of(dim, input.ndim), keepdim)
