"""The larger and the smaller of two, and keeping numbers between bounds."""

import math

import numpy as np

from .. import dtypes
from ..inplace import apply_in_place, check_result
from ..operation import Operation
from ..tensor import Tensor
from .arguments import change, fitting, no_bools, same_type
from .elementwise import Binary
from .pairs import cxx_name, publish_pair
from .registry import both, wrong_type
from .select import Where


class Maximum(Binary):
    """The larger of two; at a tie each gets half of the gradient. NaN wins."""

    forward = np.maximum

    def grad_x(g, x, y):
        return Where(x == y, g / 2, Where(x < y, 0, g))

    def grad_y(g, x, y):
        return Where(x == y, g / 2, Where(y < x, 0, g))


class Minimum(Binary):
    """The smaller of two; at a tie each gets half of the gradient. NaN wins."""

    forward = np.minimum

    def grad_x(g, x, y):
        return Where(x == y, g / 2, Where(x > y, 0, g))

    def grad_y(g, x, y):
        return Where(x == y, g / 2, Where(y > x, 0, g))


class Fmax(Binary):
    """The larger of two, a number before NaN; at a tie the first gets the gradient."""

    forward = np.fmax

    def grad_x(g, x, y):
        return Where((x >= y) | (y != y), g, 0)

    def grad_y(g, x, y):
        return Where((x >= y) | (y != y), 0, g)


class Fmin(Binary):
    """The smaller of two, a number before NaN; at a tie the first gets the gradient."""

    forward = np.fmin

    def grad_x(g, x, y):
        return Where((x <= y) | (y != y), g, 0)

    def grad_y(g, x, y):
        return Where((x <= y) | (y != y), 0, g)


def within(x, min, max):
    """Where `x` is between two bounds or on them; None is no bound."""
    if min is None:
        return x <= max
    return x >= min if max is None else (x >= min) & (x <= max)


class Clamp(Operation, name="ClampBackward1"):
    """Bounds that are numbers, None for no bound; on a bound the gradient still passes."""

    def forward(x, min, max):
        if min is not None:
            x = np.maximum(x, min)
        return x if max is None else np.minimum(x, max)

    def grad_x(g, x, min, max):
        return Where(within(x, min, max), g, 0)


class ClampMin(Operation):
    """A lower bound that is a number."""

    def forward(x, min):
        return np.maximum(x, min)

    def grad_x(g, x, min):
        return Where(x >= min, g, 0)


class ClampMinTensor(Operation, name="ClampMinBackward1"):
    """A lower bound that is a tensor."""

    broadcasts = True

    def forward(x, min):
        return np.maximum(x, min)

    def grad_x(g, x, min):
        return Where(x >= min, g, 0)

    def grad_min(g, x, min):
        return Where(x < min, g, 0)


class ClampMax(Operation):
    """An upper bound that is a number."""

    def forward(x, max):
        return np.minimum(x, max)

    def grad_x(g, x, max):
        return Where(x <= max, g, 0)


class ClampMaxTensor(Operation, name="ClampMaxBackward1"):
    """An upper bound that is a tensor."""

    broadcasts = True

    def forward(x, max):
        return np.minimum(x, max)

    def grad_x(g, x, max):
        return Where(x <= max, g, 0)

    def grad_max(g, x, max):
        return Where(x > max, g, 0)


class ClampBetween(Operation, name="ClampBackward0"):
    """Bounds that are tensors, None for no bound; the gradient goes to what was taken."""

    broadcasts = True
    promoted = (0,)  # a bound may be missing

    def forward(x, min, max):
        if min is not None and max is not None:
            no_bools("clamp_cpu", x)
        if min is not None:
            x = np.maximum(x, min)
        return x if max is None else np.minimum(x, max)

    def grad_x(g, x, min, max):
        return Where(within(x, min, max), g, 0)

    def grad_min(g, x, min, max):
        taken = x < min
        return Where(taken if max is None else taken & (min < max), g, 0)

    def grad_max(g, x, min, max):
        taken = x > max
        return Where(taken if min is None else taken | (max < min), g, 0)


def _clamping(input, min, max):
    """The operation and its operands for `clamp`, in the one dtype that all have together."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        given = [x for x in (input, min, max) if x is not None]
        typed = iter(same_type(*given))
        return ClampBetween, *[x if x is None else next(typed) for x in (input, min, max)]
    min, max = [x.item() if isinstance(x, np.generic) else x for x in (min, max)]
    numbers = [x for x in (min, max) if x is not None]
    for bound in numbers:
        if not isinstance(bound, (int, float)):
            raise wrong_type("clamp", "min", 2, bound, "Tensor")
    if not input.is_floating_point():
        input = same_type(input, *numbers)[0]
    if any(x != x for x in numbers):
        return Clamp, input, math.nan, math.nan
    return Clamp, input, min, max


@both
def clamp(input, min=None, max=None):
    """Every element between `min` and `max`: numbers, tensors that broadcast, or None.

    A result of the broadcast shape. The gradient passes where nothing was cut, on both edges, too.
    RuntimeError if both bounds are None, or shapes do not broadcast; TypeError for a bound that is no
    number or tensor.
    """
    operation, *operands = _clamping(input, min, max)
    return fitting(lambda: operation(*operands), input, min, max)


@both
def clamp_(input, min=None, max=None):
    """`clamp`, in place."""
    operation, promoted, low, high = _clamping(input, min, max)
    if operation is Clamp:
        _keeps_type(promoted, input)
        return change(operation, input, low, high)
    return _bounded(operation, input, promoted, low, high)


def _bounded(operation, input, promoted, *bounds):
    """An operation with bounds that are tensors, in place; refused, in the promoted type, before."""
    arrays = [bound._array for bound in bounds if bound is not None]

    def apply():
        shape = np.broadcast_shapes(input._array.shape, *[array.shape for array in arrays])
        check_result(input, np.empty(shape, promoted._array.dtype))
        return apply_in_place(operation, input, *bounds)

    return fitting(apply, input, *bounds)


def _keeps_type(promoted, input):
    """Refuse to make floats of integers in place."""
    if dtypes.category(promoted._array.dtype) > dtypes.category(input._array.dtype):
        raise RuntimeError(
            f"result type {promoted.dtype.tensor_name} can't be cast to the desired output type "
            f"{cxx_name(input)}"
        )


def _publish_bound(op, op_of_tensors, name):
    def call(input, bound):
        if isinstance(bound, Tensor):
            return fitting(lambda: op_of_tensors(*same_type(input, bound)), input, bound)
        return op(same_type(input, bound)[0], bound)

    def in_place(input, bound):
        if isinstance(bound, Tensor):
            promoted, bound = same_type(input, bound)
            return _bounded(op_of_tensors, input, promoted, bound)
        _keeps_type(same_type(input, bound)[0], input)
        return apply_in_place(op, input, bound)

    call.__name__, in_place.__name__ = f"clamp_{name}", f"clamp_{name}_"
    call.__doc__ = f"""Every element, but what is beyond `{name}`, a number or tensor, replaced by it.

    A result of the broadcast shape; RuntimeError for shapes that do not broadcast.
    """
    both(call)
    both(in_place)


_publish_bound(ClampMin, ClampMinTensor, "min")
_publish_bound(ClampMax, ClampMaxTensor, "max")
publish_pair(Maximum, "maximum", in_place=False)
publish_pair(Minimum, "minimum", in_place=False)
publish_pair(Fmax, "fmax", in_place=False)
publish_pair(Fmin, "fmin", in_place=False)

both(clamp, name="clip")
both(clamp_, name="clip_")
