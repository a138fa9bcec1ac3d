"""Random numbers. `manual_seed` makes a program repeatable; the numbers are NumPy's own."""

import numpy as np

from .. import dtypes
from ..creation import filled, float_type, leaf, shape_of
from .registry import function

_generator = None


def generator():
    """The source of all random numbers, made on first use: importing it takes a while."""
    if _generator is None:
        manual_seed(None)
    return _generator


@function
def manual_seed(seed):
    """Start the random numbers anew: the same seed, the same numbers (not PyTorch's)."""
    global _generator
    _generator = np.random.default_rng(seed if seed is None else int(seed) % 2**64)


filled(
    "rand",
    lambda shape, dtype: generator().random(shape).astype(dtype),
    "random numbers, uniform between 0 and 1,",
)
filled(
    "randn",
    lambda shape, dtype: generator().standard_normal(shape).astype(dtype),
    "random numbers, normal with mean 0 and variance 1,",
)


@function
def randint(low, high, size=None, *, dtype=None, device=None, requires_grad=False):
    """Random whole numbers from `low` up to, not including, `high`; or `randint(high, size)`."""
    if size is None:
        low, high, size = 0, low, high
    array = generator().integers(low, high, shape_of((size,)))
    return leaf(array if dtype is None else array.astype(float_type(dtype)), requires_grad, device)


@function
def randperm(n, *, dtype=dtypes.int64, device=None):
    """The whole numbers from 0 up to, not including, `n` in random order."""
    return leaf(generator().permutation(n).astype(float_type(dtype)), False, device)
