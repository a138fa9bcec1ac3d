"""Functions of two and three numbers, element by element."""

import numpy as np

from .. import dtypes
from ..inplace import apply_in_place
from ..operation import Operation
from ..tensor import Tensor
from .arguments import (
    change,
    fitting,
    need_tensor,
    no_bools,
    only_floats,
    same_type,
    zeros_like,
)
from .convert import constant
from .elementwise import Binary, Exp, Log, Pow, PowScalar, Rsub, binary
from .registry import BROADCAST, both, function, method, wrong_type
from .select import Where


LN2 = float(np.log(2))


class RsubTensor(Rsub, name="RsubBackward0"):
    """`rsub(x, y)` of two tensors."""

    def grad_y(g):
        return g


# -- functions of two -----------------------------------------------------------------------------


class Atan2(Binary):
    """The angle in radians of the point (other, input), between -pi and pi."""

    forward = np.arctan2
    floats = True

    def grad_x(g, x, y):
        return g * (y * _inverse_square(x, y))

    def grad_y(g, x, y):
        return g * (-x * _inverse_square(x, y))


def _inverse_square(x, y):
    """1 / (x² + y²), and 0 in the origin, where an angle has no gradient."""
    square = x * x + y * y
    return Where(square == 0, 0, 1 / square)


class Hypot(Binary):
    """The length sqrt(input**2 + other**2) of the long side of a right triangle."""

    def forward(x, y):
        only_floats("hypot_cpu", x)
        return np.hypot(x, y)

    def grad_x(g, x, out):
        return g * (x / out)

    def grad_y(g, y, out):
        return g * (y / out)


class Copysign(Binary):
    """The size of `input` with the sign of `other`."""

    forward = np.copysign
    floats = True

    def grad_x(g, x, out):
        return g * Where(x == 0, 0, out / x)

    def grad_y(g):
        return zeros_like(g)


class CopysignScalar(Copysign, name="CopysignBackward1"):
    """The sign of a number."""


class Logaddexp(Binary):
    """log(exp(input) + exp(other)), without overflow."""

    def forward(x, y):
        only_floats("logaddexp_cpu", x)
        return np.logaddexp(x, y)

    def grad_x(g, x, y):
        return g / (Exp(y - x) + 1)

    def grad_y(g, x, y):
        return g / (Exp(x - y) + 1)


class Logaddexp2(Binary):
    """log2(2**input + 2**other), without overflow."""

    def forward(x, y):
        only_floats("logaddexp2_cpu", x)
        return np.logaddexp2(x, y)

    def grad_x(g, x, y):
        return g / (2 ** (y - x) + 1)

    def grad_y(g, x, y):
        return g / (2 ** (x - y) + 1)


class Ldexp(Binary):
    """input * 2**other; integers give floats."""

    floats = True

    def check(x, y):
        if (x, y) == ("f", "b"):
            raise NotImplementedError("\"ldexp_cpu_exp\" not implemented for 'Bool'")

    def forward(x, y):
        return x * np.exp2(y)

    def grad_x(g, y):
        return g * 2**y

    def grad_y(g, out):
        return g * (out * LN2)


class Xlogy(Binary):
    """input * log(other), and 0 where input is 0."""

    floats = True

    def forward(x, y):
        return np.where((x == 0) & ~np.isnan(y), np.zeros_like(x), x * np.log(y))

    def grad_x(g, x, y):
        return Where((x == 0) & (y <= 0), 0, g * Log(y * 1.0))  # of small integers NumPy's is rough

    def grad_y(g, x, y):
        return g * (x / y)


class XlogyScalar(Xlogy, name="XlogyBackward2"):
    """x * log(y) of a number y."""


def publish_pair(op, name, scalar=None, in_place=True, second="other"):
    """A binary operation as function and method; without a `scalar` form it refuses numbers.

    `second` is what PyTorch calls the second operand.
    """

    def chosen(name, other, position):
        if isinstance(other, Tensor):
            return op
        if scalar is None:
            raise wrong_type(name, second, position, other)
        return scalar

    def applied(input, other, position):
        operation = chosen(name, other, position)
        found = fitting(lambda: binary(operation, input, other), input, other)
        if found is NotImplemented:
            raise wrong_type(name, second, position, other)
        return found

    def call(input, other):
        return applied(input, other, 2)

    def of_self(self, other):
        return applied(self, other, 1)

    def change(self, other):
        operation = chosen(f"{name}_", other, 1)
        operand = other if isinstance(other, Tensor) else constant(other, self)
        return fitting(lambda: apply_in_place(operation, self, operand), self, other)

    call.__name__, change.__name__ = name, f"{name}_"
    call.__doc__ = f"{op.__doc__}\n\n    {BROADCAST}\n    "
    of_self.__name__, of_self.__doc__ = name, call.__doc__
    also = {second: "other"}
    both(call, also=also)
    method(of_self, also=also)
    if in_place:
        method(change, also=also)
    return call


publish_pair(Atan2, "atan2")
publish_pair(Hypot, "hypot")
publish_pair(Copysign, "copysign", scalar=CopysignScalar)
publish_pair(Ldexp, "ldexp")
publish_pair(Logaddexp, "logaddexp", in_place=False)
publish_pair(Logaddexp2, "logaddexp2", in_place=False)
publish_pair(Xlogy, "xlogy", scalar=XlogyScalar)


@function
def rsub(input, other, *, alpha=1):
    """`other - alpha * input`: subtraction the other way round.

    Shapes broadcast; RuntimeError if they do not, and for bools.
    """
    operation = RsubTensor if isinstance(other, Tensor) else Rsub
    return binary(operation, input if alpha == 1 else input * alpha, other)


@function
def pow(input, exponent):
    """`input ** exponent`; one of the two may be a number.

    Shapes broadcast. RuntimeError if they do not, and for an integer to a negative integer power.
    """
    if isinstance(input, Tensor):
        return input.pow(exponent)
    need_tensor("pow", "exponent", 2, exponent)
    return input**exponent


@both
def float_power(input, exponent):
    """`input ** exponent`, computed in float64, with broadcasting.

    RuntimeError for shapes that do not broadcast.
    """
    input = input.double()
    if isinstance(exponent, Tensor):
        return binary(Pow, input, exponent.double())
    return binary(PowScalar, input, exponent)


@method
def float_power_(self, exponent):
    """`float_power`, in place: for float64 only.

    RuntimeError for any other dtype than float64.
    """
    if self.dtype is not dtypes.float64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.tensor_name} but the "
            "operation's result requires dtype Double"
        )
    return self.pow_(exponent)



# -- functions of three ---------------------------------------------------------------------------


class Lerp(Operation, name="LerpBackward1"):
    """From x to y by the fraction `weight`, a tensor."""

    called = {"y": "end"}
    broadcasts = True

    def forward(x, y, weight):
        return np.where(np.abs(weight) < 0.5, x + weight * (y - x), y - (y - x) * (1 - weight))

    def grad_x(g, weight):
        return g * (1 - weight)

    def grad_y(g, weight):
        return g * weight

    def grad_weight(g, x, y):
        return g * (y - x)


class LerpScalar(Operation, name="LerpBackward0"):
    """From x to y by the fraction `weight`, a number."""

    broadcasts = True

    def forward(x, y, weight):
        if abs(weight) < 0.5:
            return x + weight * (y - x)
        return y - (y - x) * (1 - weight)

    def grad_x(g, weight):
        return g * (1 - weight)

    def grad_y(g, weight):
        return g * weight


class Addcmul(Operation):
    """x + value * y * z."""

    called = {"y": "tensor1", "z": "tensor2"}
    broadcasts = True

    def forward(x, y, z, value):
        no_bools("addcmul_cpu_out", x)
        return x + value * y * z

    def grad_x(g):
        return g

    def grad_y(g, z, value):
        return g * (z * value)

    def grad_z(g, y, value):
        return g * (y * value)


class Addcdiv(Operation):
    """x + value * y / z."""

    called = {"y": "tensor1", "z": "tensor2"}
    broadcasts = True

    def forward(x, y, z, value):
        return x + value * (y / z)

    def grad_x(g):
        return g

    def grad_y(g, z, value):
        return g * (value / z)

    def grad_z(g, y, z, value):
        return -g * (value * y / (z * z))


def _lerping(input, end, weight):
    if input.dtype is not end.dtype:
        raise RuntimeError(
            f"expected dtype {cxx_name(input)} for `end` but got dtype {cxx_name(end)}"
        )
    if not isinstance(weight, Tensor):
        only_floats("lerp_kernel_scalar", input._array)
        return LerpScalar
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            f"expected dtype {cxx_name(input)} for `weight` but got dtype {cxx_name(weight)}"
        )
    only_floats("lerp_kernel_tensor", input._array)
    return Lerp


def cxx_name(tensor):
    """What C++ calls a tensor's element type, as some errors do."""
    return dtypes.CXX_NAMES[tensor.dtype.tensor_name]


@both
def lerp(input, end, weight):
    """`input + weight * (end - input)`: on the way from `input` to `end`.

    The three shapes broadcast; `weight` may be a number. RuntimeError for shapes that do not, and for
    different dtypes.
    """
    operation = _lerping(input, end, weight)
    return fitting(lambda: operation(input, end, weight), input, end, weight)


@method
def lerp_(self, end, weight):
    """`lerp`, in place."""
    return change(_lerping(self, end, weight), self, end, weight)


def _publish_three(op, name, sign):
    def checked(tensor1, tensor2):
        if op is Addcdiv and all(t._array.dtype.kind != "f" for t in (tensor1, tensor2)):
            raise RuntimeError(INTEGER_ADDCDIV)

    def call(input, tensor1, tensor2, *, value=1):
        checked(tensor1, tensor2)
        operands = same_type(input, tensor1, tensor2)
        return fitting(lambda: op(*operands, value), *operands)

    def in_place(self, tensor1, tensor2, *, value=1):
        checked(tensor1, tensor2)
        return change(op, self, tensor1, tensor2, value)

    call.__name__, in_place.__name__ = name, f"{name}_"
    call.__doc__ = f"""`input + value * tensor1 {sign} tensor2`, element by element.

    The three shapes broadcast; RuntimeError if they do not.
    """
    both(call)
    method(in_place)


INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
    "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
    "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
    "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
    "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all "
    "dtypes."
)
_publish_three(Addcmul, "addcmul", "*")
_publish_three(Addcdiv, "addcdiv", "/")

both(Tensor.atan2, name="arctan2")
method(Tensor.atan2_, name="arctan2_")
