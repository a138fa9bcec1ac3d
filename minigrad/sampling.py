"""Random numbers. A seed makes a program repeatable; the numbers are NumPy's, not PyTorch's."""

from typing import Any

import numpy as np

from . import dtypes
from .creation import filled, float_type, leaf
from .ops.registry import FUNCTIONS, both, function
from .ops.shape import numbers
from .tensor import make


class Generator(metaclass=dtypes.Named):
    """A source of random numbers, which functions take as `generator=`.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Generator.html
    """

    _place = "torch._C."
    _numpy: Any = None  # NumPy's generator, made on first use: importing it takes a while

    def manual_seed(self, seed):
        """Start the random numbers anew: the same seed, the same numbers; returns the generator."""
        self._numpy = np.random.default_rng(seed if seed is None else int(seed) % 2**64)
        return self


FUNCTIONS["Generator"] = Generator
default = Generator()


@function
def manual_seed(seed):
    """Start the random numbers anew: the same seed, the same numbers (not PyTorch's)."""
    return default.manual_seed(seed)


def source(generator=None):
    """NumPy's source of numbers in a generator, by default in that of `manual_seed`."""
    generator = generator or default
    return (generator if generator._numpy else generator.manual_seed(None))._numpy


@function
def rand(*size, generator=None, **options):
    """Random numbers, uniform between 0 and 1, in the shape given: `rand(2, 3)`."""
    draw = source(generator).random
    return filled(lambda shape, dtype: draw(shape).astype(dtype), size, **options)


@function
def randn(*size, generator=None, **options):
    """Random numbers, normal with mean 0 and variance 1, in the shape given: `randn(2, 3)`."""
    draw = source(generator).standard_normal
    return filled(lambda shape, dtype: draw(shape).astype(dtype), size, **options)


@function
def randn_like(input, *, dtype=None, **options):
    """Random numbers, normal with mean 0 and variance 1, in the shape and dtype of `input`."""
    return randn(*input.shape, dtype=dtype or input.dtype, **options)


@function
def randint(low, high, size=None, *, generator=None, dtype=None, **how):
    """Random whole numbers from `low` up to, not including, `high`; or `randint(high, size)`."""
    if size is None:
        low, high, size = 0, low, high
    array = source(generator).integers(low, high, numbers(size))
    return leaf(array if dtype is None else array.astype(float_type(dtype)), **how)


@function
def randperm(n, *, generator=None):
    """The whole numbers from 0 up to, not including, `n` in random order."""
    return make(source(generator).permutation(n))


@both
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Places drawn at random from a row (n), or each of several (m, n), of weights; int64.

    The result is (num_samples), or (m, num_samples); without `replacement` all of a row differ.
    Raises RuntimeError unless the weights can be probabilities, and enough of them are not 0.
    """
    if input.ndim == 2:
        rows = [multinomial(row, num_samples, replacement, generator=generator) for row in input]
        return make(np.stack([row._array for row in rows]))
    weights = input._array.astype(float)
    if input.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise RuntimeError("multinomial() needs weights from 0 to below inf, and not all 0")
    if not replacement and num_samples > np.count_nonzero(weights):
        raise RuntimeError("multinomial(): there is not enough to draw from")
    chances = weights / weights.sum()
    return make(source(generator).choice(len(weights), num_samples, replacement, chances))
