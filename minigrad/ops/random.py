"""Random numbers: their source, and what is drawn from it.

The stream is NumPy's: `manual_seed` makes a program repeatable, but its numbers are not PyTorch's.
Mirrors https://docs.pytorch.org/docs/2.13/torch.html#random-sampling
"""

import os

import numpy as np

from .. import dtypes
from ..inplace import apply_in_place
from ..operation import Operation
from ..properties import device as Device
from ..tensor import Tensor, make
from .arguments import only_floats, zeros_like
from .registry import both, function, method

# -- the source -----------------------------------------------------------------------------------


class Generator:
    """A stream of random numbers of its own, for functions that take `generator=`.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Generator.html
    """

    def __init__(self, device="cpu"):
        self.device = Device(device)
        self.manual_seed(67280421310721)  # PyTorch's first seed

    @property
    def numpy(self):
        """The NumPy Generator behind it, made on first use: importing numpy.random takes a while."""
        if self._numpy is None:
            self._numpy = np.random.default_rng(self.initial_seed())
        return self._numpy

    def manual_seed(self, seed):
        """Start the stream anew; returns the generator.

        ValueError for a seed of more than 64 bits.
        """
        seed = int(seed)
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError("Overflow when unpacking long long")
        self._seed, self._numpy = seed % (1 << 64), None
        return self

    def seed(self):
        """Start the stream anew with a seed that nobody chose, which is returned."""
        self._seed = self._numpy = None
        return self.initial_seed()

    def initial_seed(self):
        """The seed that the stream started from."""
        if self._seed is None:
            self._seed = int.from_bytes(os.urandom(8), "little")
        return self._seed

    def get_state(self):
        """Where in the stream we are: a tensor of bytes."""
        import json

        text = json.dumps([self.initial_seed(), self.numpy.bit_generator.state])
        return make(np.frombuffer(text.encode(), np.uint8).copy())

    def set_state(self, new_state):
        """Go on from a state that `get_state` gave; returns the generator.

        TypeError for what is no tensor of bytes.
        """
        import json

        if not isinstance(new_state, Tensor) or new_state._array.dtype != np.uint8:
            raise TypeError("expected a torch.ByteTensor, but got " + type(new_state).__name__)
        self._seed, state = json.loads(new_state._array.tobytes())
        self.numpy.bit_generator.state = state
        return self


default_generator = Generator()
default_generator._seed = None  # nobody chose one


refused = None  # or why no random numbers may be drawn now: inside of `vmap`


def stream(generator=None):
    """The NumPy Generator to draw from: of a `Generator`, or the one of all functions."""
    if refused is not None:
        raise RuntimeError(refused)
    return (generator or default_generator).numpy


@function
def manual_seed(seed):
    """Start the random numbers anew. The stream is NumPy's: not the numbers PyTorch would give.

    Returns the generator. ValueError for a seed of more than 64 bits.
    """
    return default_generator.manual_seed(seed)


@function
def seed():
    """Start the random numbers anew with a seed that nobody chose, which is returned."""
    return default_generator.seed()


@function
def initial_seed():
    """The seed that the random numbers started from."""
    return default_generator.initial_seed()


@function
def get_rng_state():
    """Where in the stream of random numbers we are: a tensor of bytes."""
    return default_generator.get_state()


@function
def set_rng_state(new_state):
    """Go on from a state that `get_rng_state` gave.

    TypeError for what is no tensor of bytes.
    """
    default_generator.set_state(new_state)


# -- what is drawn: the gradient stops at random numbers ------------------------------------------


class Drawn(Operation):
    """Random numbers in the place of `x`, which at most says how they are distributed."""

    def forward(x, numbers):
        return numbers

    def grad_x(g):
        return zeros_like(g)


class Bernoulli(Drawn):
    """1 with the probability that `x` says, else 0."""


class BernoulliFill(Drawn, name="BernoulliBackward2"):
    """1 with one probability for all."""


class BernoulliFillEach(Drawn, name="BernoulliBackward1"):
    """1 with the probabilities of another tensor."""


class Poisson(Drawn):
    """Counts of events of which `x` are expected."""


class NormalAround(Drawn, name="NormalBackward1"):
    """Normal numbers around `x`."""


class NormalScaled(Drawn, name="NormalBackward2"):
    """Normal numbers with the standard deviation `x`."""


class NormalPair(Operation, name="NormalBackward3"):
    """Normal numbers around `x` with the standard deviation `y`."""

    broadcasts = True

    def forward(x, y, numbers):
        return numbers

    def grad_x(g):
        return zeros_like(g)

    def grad_y(g):
        return zeros_like(g)


class Uniform(Drawn):
    """Numbers between two bounds, all as likely."""


class Normal(Drawn):
    """Normal numbers."""


class RandomInRange(Drawn, name="RandomBackward0"):
    """Whole numbers in a range."""


class RandomBelow(Drawn, name="RandomBackward1"):
    """Whole numbers below a bound."""


class Random(Drawn, name="RandomBackward2"):
    """Whole numbers as large as the type holds them exactly."""


class Exponential(Drawn):
    """Times between events."""


class Geometric(Drawn):
    """How many trials until one succeeds."""


class LogNormal(Drawn):
    """Numbers whose logarithms are normal."""


class Cauchy(Drawn):
    """Numbers of a Cauchy distribution."""


def _refill(operation, x, numbers):
    """`x` filled in place with the numbers that were drawn."""
    return apply_in_place(operation, x, np.asarray(numbers).astype(x._array.dtype))


@method
def uniform_(self, *bounds, generator=None, **named):
    """Numbers from `from` (0) up to `to` (1), all as likely, written into the tensor.

    RuntimeError if the bounds are in the wrong order.
    """
    low, high = _bounds("uniform_", bounds, named, 0.0, 1.0)
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    only_floats("check_uniform_bounds", self._array)
    return _refill(Uniform, self, stream(generator).uniform(low, high, self._array.shape))


def _bounds(name, bounds, named, low, high):
    """The arguments `from` (no name that Python allows) and `to`."""
    for given, value in zip(("from", "to"), bounds):
        if given in named:
            raise TypeError(f"{name}() got multiple values for argument '{given}'")
        named[given] = value
    low, high = named.pop("from", low), named.pop("to", high)
    if named or len(bounds) > 2:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named), 'to')}'")
    return low, high


def check_std(std):
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


@method
def normal_(self, mean=0, std=1, *, generator=None):
    """Numbers of the normal distribution with this mean and spread, written into the tensor.

    RuntimeError for a negative `std`.
    """
    check_std(std)
    only_floats("normal_kernel_cpu", self._array)
    return _refill(Normal, self, stream(generator).normal(mean, std, self._array.shape))


@method
def random_(self, *bounds, generator=None, **named):
    """Whole numbers from `from` (0) up to, not including, `to`, written into the tensor.

    `random_(to)` starts at 0; without bounds the numbers are as large as the type holds exactly.
    RuntimeError if the bounds are in the wrong order.
    """
    if len(bounds) == 1 and not named:
        bounds = (0, *bounds)
        operation = RandomBelow
    else:
        operation = RandomInRange if bounds or named else Random
    low, high = _bounds("random_", bounds, named, 0, None)
    dtype = self._array.dtype
    if high is None:
        high = 1 << np.finfo(dtype).nmant + 1 if dtype.kind == "f" else int(_largest(dtype)) + 1
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    return _refill(operation, self, stream(generator).integers(low, high, self._array.shape))


def _largest(dtype):
    """The largest number of a type of integers or bools."""
    return 1 if dtype.kind == "b" else np.iinfo(dtype).max - (dtype.itemsize == 8)


@method
def bernoulli_(self, p=0.5, *, generator=None):
    """1 with probability `p` (a number, or a tensor of them), else 0, written into the tensor.

    RuntimeError for a probability outside of 0 to 1.
    """
    if isinstance(p, Tensor):
        numbers = _trials(p.expand(self._array.shape), generator)
        return _refill(BernoulliFillEach, self, numbers)
    return _refill(BernoulliFill, self, _tossed(p, self._array.shape, generator))


def _tossed(p, shape, generator):
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return stream(generator).random(shape) < p


def _trials(p, generator):
    """True where a trial succeeds, given a tensor of probabilities."""
    only_floats("bernoulli_tensor_cpu_p_", p._array)
    if not ((p._array >= 0) & (p._array <= 1)).all():
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message "
            "be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    return stream(generator).random(p._array.shape) < p._array


def _continuous(name, type_name, x):
    if x._array.dtype.kind != "f":
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {type_name}"
        )


@method
def exponential_(self, lambd=1, *, generator=None):
    """Exponentially distributed numbers with mean 1 / `lambd`, written into the tensor.

    RuntimeError unless `lambd` is positive, and for integers.
    """
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    _continuous("Exponential", self.dtype.tensor_name, self)
    return _refill(Exponential, self, stream(generator).exponential(1 / lambd, self._array.shape))


@method
def geometric_(self, p, *, generator=None):
    """How many trials until one of probability `p` succeeds, written into the tensor.

    RuntimeError for a probability that is not between 0 and 1.
    """
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    return _refill(Geometric, self, stream(generator).geometric(p, self._array.shape))


@method
def log_normal_(self, mean=1, std=2, *, generator=None):
    """Numbers whose logarithms are normal, written into the tensor.

    RuntimeError unless `std` is positive, and for integers.
    """
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    only_floats("log_normal_cpu", self._array)
    return _refill(LogNormal, self, stream(generator).lognormal(mean, std, self._array.shape))


@method
def cauchy_(self, median=0, sigma=1, *, generator=None):
    """Numbers of a Cauchy distribution, written into the tensor.

    RuntimeError unless `sigma` is positive, and for integers.
    """
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    _continuous("Cauchy", dtypes.CXX_NAMES[self.dtype.tensor_name], self)
    numbers = median + sigma * stream(generator).standard_cauchy(self._array.shape)
    return _refill(Cauchy, self, numbers)


@both
def bernoulli(input, p=None, *, generator=None):
    """1 with the probability that each element is (or with probability `p`), else 0.

    A tensor of the same shape and dtype. RuntimeError for probabilities outside of 0 to 1.
    """
    dtype = input._array.dtype
    if p is not None:
        return make(_tossed(p, input._array.shape, generator).astype(dtype))
    return Bernoulli(input, _trials(input, generator).astype(dtype))


@function
def poisson(input, generator=None):
    """Counts of events of which `input` are expected; a tensor of the same shape and dtype.

    RuntimeError for negative numbers.
    """
    only_floats("poisson_cpu", input._array)
    if (input._array < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return Poisson(input, stream(generator).poisson(input._array).astype(input._array.dtype))


@both
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Positions drawn with the probabilities that each row's weights say; int64.

    `input` is (C) or (N, C), the result (num_samples) or (N, num_samples). Without `replacement` no
    position is drawn twice. RuntimeError for other shapes, negative or infinite weights, and more
    samples than there are positions to draw.
    """
    weights = input._array
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind != "f":
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input.dtype.tensor_name}"
        )
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    rows, draw = weights.reshape(-1, weights.shape[-1]).astype(np.float64), stream(generator)
    if replacement:
        ends = rows.cumsum(-1)
        draws = draw.random((len(rows), num_samples)) * ends[:, -1:]
        found = [np.searchsorted(end, draw, side="right") for end, draw in zip(ends, draws)]
    else:  # the race of exponential clocks: who rings first is drawn first
        with np.errstate(divide="ignore"):
            found = np.argsort(draw.exponential(size=rows.shape) / rows, -1)[:, :num_samples]
    return make(np.array(found, np.int64).reshape(*weights.shape[:-1], num_samples))
