"""How parameters start: filled in place, with random numbers of our own stream (see `manual_seed`).

Mirrors https://docs.pytorch.org/docs/2.13/nn.init.html
"""

import math
import warnings

import numpy as np

from ..grad_mode import no_grad
from ..namespace import absent, listed, mirror
from ..namespace import renamed as _renamed
from ..ops.random import stream
from ..tensor import make


def _fill(tensor, array):
    with no_grad():
        return tensor.copy_(make(np.asarray(array, tensor._array.dtype)))


def _draw(generator, name, *args):
    """Numbers from the stream of `manual_seed`."""
    return getattr(stream(generator), name)(*args)


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Numbers between `a` and `b`, all as likely, in a tensor of any shape."""
    return _fill(tensor, _draw(generator, "uniform", a, b, tensor._array.shape))


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal numbers with this mean and spread, in a tensor of any shape."""
    return _fill(tensor, _draw(generator, "normal", mean, std, tensor._array.shape))


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal numbers, those outside of `a` to `b` drawn again, in a tensor of any shape."""
    found = _draw(generator, "normal", mean, std, tensor._array.shape)
    while (outside := (found < a) | (found > b)).any():
        found[outside] = _draw(generator, "normal", mean, std, int(outside.sum()))
    return _fill(tensor, found)


def constant_(tensor, val):
    """One number everywhere, in a tensor of any shape."""
    return _fill(tensor, np.full((), val, tensor._array.dtype))


def zeros_(tensor):
    """Zeros everywhere, in a tensor of any shape."""
    return constant_(tensor, 0.0)


def ones_(tensor):
    """Ones everywhere, in a tensor of any shape."""
    return constant_(tensor, 1.0)


def eye_(tensor):
    """Ones on the diagonal of a matrix, zeros elsewhere; ValueError for what is no matrix."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _fill(tensor, np.eye(*tensor._array.shape, dtype=tensor._array.dtype))


def dirac_(tensor, groups=1):
    """Weights (out, in, *) of a convolution that lets channels through as they are, in each group.

    ValueError for other than three to five dimensions, and an `out` that `groups` does not divide.
    """
    shape = tensor._array.shape
    if len(shape) not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    found, each = np.zeros(shape), shape[0] // groups
    middle = tuple([n // 2 for n in shape[2:]])
    for group in range(groups):
        for channel in range(min(each, shape[1])):
            found[(group * each + channel, channel, *middle)] = 1
    return _fill(tensor, found)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal numbers in a matrix, in each column a share `sparsity` of them replaced by zeros.

    ValueError for what is no matrix.
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor._array.shape
    found = _draw(generator, "normal", 0.0, std, (rows, columns))
    for column in range(columns):
        found[_draw(generator, "permutation", rows)[: math.ceil(sparsity * rows)], column] = 0
    return _fill(tensor, found)


_GAINS = {"sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4} | dict.fromkeys(
    ["linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
     "conv_transpose3d"], 1,
)  # fmt: skip


def calculate_gain(nonlinearity, param=None):
    """The factor by which weights before a nonlinearity are larger, to keep the variance.

    `param` is the slope of leaky_relu. ValueError for a name that is not known.
    """
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor):
    """How many inputs each output of a weight sees, and how many outputs each input reaches."""
    shape = tensor._array.shape
    if len(shape) < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform with variance `gain**2 * 2 / (fan_in + fan_out)`.

    For a weight (out, in, *). ValueError for fewer than two dimensions.
    """
    bound = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with variance `gain**2 * 2 / (fan_in + fan_out)`.

    For a weight (out, in, *). ValueError for fewer than two dimensions.
    """
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of ['fan_in', 'fan_out']")
    fans = _calculate_fan_in_and_fan_out(tensor)
    fan = fans[0] if mode.lower() == "fan_in" else fans[1]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _is_empty(tensor):
    if 0 in tensor._array.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform with variance `gain**2 / fan`; `a` is the slope of leaky_relu.

    For a weight (out, in, *); `mode` says which fan. ValueError for fewer than two dimensions, another
    mode or an unknown nonlinearity.
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with variance `gain**2 / fan`; `a` is the slope of leaky_relu.

    For a weight (out, in, *); `mode` says which fan. ValueError for fewer than two dimensions, another
    mode or an unknown nonlinearity.
    """
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """A matrix with orthonormal rows (or columns, if there are fewer), times `gain`.

    Dimensions after the first count as columns. ValueError for fewer than two.
    """
    shape = tensor._array.shape
    if len(shape) < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = shape[0], math.prod(shape[1:])
    flat = _draw(generator, "standard_normal", (max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(flat)
    q = q * np.sign(np.diag(r))
    return _fill(tensor, gain * (q.T if rows < columns else q).reshape(shape))


for _name in ("uniform", "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal",
              "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse"):  # fmt: skip
    globals()[_name] = _renamed(globals()[f"{_name}_"], _name, "nn.init")

mirror(globals(), "nn.init.html#torch.nn.init.{}")
__getattr__, __dir__ = absent(__name__), listed(globals())
