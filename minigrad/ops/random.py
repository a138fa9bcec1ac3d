"""Random numbers. A seed makes a program repeatable; the numbers are NumPy's, not PyTorch's."""

import numpy as np

from .. import dtypes
from ..creation import filled, filled_like, float_type, leaf, shape_of
from ..tensor import make
from .exchange import device as Device
from .registry import FUNCTIONS, both, function


class Generator(metaclass=dtypes.Named):
    """A source of random numbers, which functions take as `generator=`.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Generator.html
    """

    _place = "torch._C."
    _numpy = None  # NumPy's generator, made on first use: importing it takes a while

    def __init__(self, device="cpu"):
        self.device = Device(device)

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


def _uniform(generator=None):
    return lambda shape, dtype: source(generator).random(shape).astype(dtype)


def _normal(generator=None):
    return lambda shape, dtype: source(generator).standard_normal(shape).astype(dtype)


@function
def rand(*given, size=None, dtype=None, generator=None, **how):
    """Random numbers, uniform between 0 and 1, in the shape given: `rand(2, 3)`."""
    return filled(_uniform(generator), given, size, dtype, **how)


@function
def randn(*given, size=None, dtype=None, generator=None, **how):
    """Random numbers, normal with mean 0 and variance 1, in the shape given: `randn(2, 3)`."""
    return filled(_normal(generator), given, size, dtype, **how)


@function
def rand_like(input, *, dtype=None, device=None, requires_grad=False):
    """Random numbers, uniform between 0 and 1, in the shape and dtype of `input`."""
    return filled_like(_uniform(), input, dtype, device, requires_grad)


@function
def randn_like(input, *, dtype=None, device=None, requires_grad=False):
    """Random numbers, normal with mean 0 and variance 1, in the shape and dtype of `input`."""
    return filled_like(_normal(), input, dtype, device, requires_grad)


@function
def randint(low, high, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Random whole numbers from `low` up to, not including, `high`; or `randint(high, size)`."""
    if size is None:
        low, high, size = 0, low, high
    array = source(generator).integers(low, high, shape_of((size,)))
    return leaf(array if dtype is None else array.astype(float_type(dtype)), requires_grad, device)


@function
def randperm(n, *, generator=None, dtype=dtypes.int64, device=None):
    """The whole numbers from 0 up to, not including, `n` in random order."""
    return leaf(source(generator).permutation(n).astype(float_type(dtype)), False, device)


@both
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Places drawn at random from a row (n), or each of several (m, n), of weights; int64.

    The result is (num_samples), or (m, num_samples); without `replacement` all of a row differ.
    RuntimeError for weights that are no probabilities, and for more samples than can differ.
    """
    rows, n = np.atleast_2d(input._array), input.shape[-1] if input.ndim else 0
    if input.ndim not in (1, 2) or rows.dtype.kind != "f":
        raise RuntimeError("multinomial() takes weights (n) or (m, n) of a floating point dtype")
    if not (np.isfinite(rows) & (rows >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not rows.sum(1).all() or not replacement and num_samples > n:
        raise RuntimeError("multinomial(): there is not enough to draw from")
    # A race: each place takes a random time, shorter for a larger weight; the first ones win.
    runs = (len(rows), num_samples, n) if replacement else rows.shape
    speeds = rows.reshape(len(rows), *[1] * replacement, n) / source(generator).exponential(
        size=runs
    )
    drawn = speeds.argmax(-1) if replacement else speeds.argsort(1)[:, ::-1][:, :num_samples]
    return make(np.ascontiguousarray(drawn if input.ndim == 2 else drawn[0]))
