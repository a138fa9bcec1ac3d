"""Element by element: arithmetic with broadcasting, and functions of one number."""

import math

import numpy as np

from .. import dtypes
from ..broadcasting import laid_out, restoration
from ..grad_mode import mode
from ..inplace import apply_in_place, check, check_memory, check_result
from ..operation import Operation, _quiet, quietly
from ..tensor import Tensor, current_node, made_for_inference, make, new
from .arguments import masked, wrong_factor, zeros_like
from .convert import cast, constant, constants
from .registry import BROADCAST, both, explain, method, wrong_type

ndarray = np.ndarray
float32 = dtypes.float32.numpy
_run = _quiet.run


# -- two operands ---------------------------------------------------------------------------------


class Binary(Operation):
    """An operation on two operands that are brought to one shape and one dtype."""

    broadcasts = True
    promoted = (0, 1)

    def __init_subclass__(cls, name=None):
        super().__init_subclass__(name)
        if cls.forward is not None:
            cls.pair = staticmethod(_pairing(cls))

    def __new__(cls, x, y):
        if isinstance(x, Tensor):
            return cls.pair(x, y)
        return cls.forward(x, y)

    check_number = None  # or a function like `check` whose second argument is a Python number

    def check(x, y):
        """Refuse operands by the kinds of their dtypes, such as "b" for bool."""


def binary(op, x, y):
    """Apply a `Binary` operation to a tensor and a tensor or number; NotImplemented for others."""
    return op.pair(x, y)


def _pairing(op):
    """The function that applies a `Binary` operation.

    Arithmetic is what programs do most, so this is `Operation.__new__` for two operands in as few
    steps as possible, with the operation's own parts at hand; `x * y` calls it directly.
    """
    forward, plans = op.forward, op.plans

    def pair(x, y):
        a, number = x._array, None
        dtype = a.dtype
        if not isinstance(y, Tensor):
            number, kind = y, y.__class__
            known = kind is float or kind is int
            y = constants.get((number, kind, dtype.num)) if known else None
            if y is None:
                y = _operand(op, x, number)
                if y is None:
                    return NotImplemented
        recording = mode.enabled
        if recording:  # what is wrong with a view is said first
            if x._meta is not None and x._meta.base is not None:
                current_node(x)
            if y._meta is not None and y._meta.base is not None:
                current_node(y)
        b = y._array
        same = dtype is b.dtype
        if not same or dtype is not float32 and dtype.kind != "f":
            a, b = _promoted(op, a, b)
        try:
            out = _run(forward, a, b)
        except ValueError:
            raise _shape_error(a.shape, b.shape) from None
        except RuntimeError:  # another thread holds the context
            out = quietly(forward, a, b)
        if out.__class__ is not ndarray:
            out = np.asarray(out)
        elif number is None and a.ndim > 1 and a.strides != b.strides and b.ndim > 1:
            out = laid_out(out, a, b)
        result = new(Tensor)
        result._array = out
        result._meta = result._node = None
        result._requires_grad = False
        if not recording:
            return made_for_inference(result) if mode.inference else result
        if x._requires_grad:
            mask = 3 if y._requires_grad else 1
        elif y._requires_grad:
            mask = 2
        else:
            return result
        if same or out.dtype.kind == "f":
            plan = plans[mask] or op.plan_for(mask)
            result._node = node = plan.record(out, x, y)
            result._requires_grad = True
            if not same or number is None and a.shape != b.shape:
                node.restore = restoration(op, mask, (x, y), out)
        return result

    return pair


def _operand(op, x, y):
    """A number beside the tensor `x`, as a tensor; None for what is none (NumPy then takes over)."""
    if op.check_number is not None and isinstance(y, (int, float)):
        op.check_number(x._array.dtype.kind, y)
    if op.floats and isinstance(y, int) and x._array.dtype.kind != "f":
        y = float(y)
    return constant(y, x)


def _promoted(op, a, b):
    op.check(a.dtype.kind, b.dtype.kind)
    dtype = dtypes.result_numpy(a, b)
    if op.floats and dtype.kind != "f":
        dtype = dtypes.get_default_dtype().numpy
    return cast(a, dtype), cast(b, dtype)


def _shape_error(a, b):
    for back in range(1, 1 + min(len(a), len(b))):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) "
                f"at non-singleton dimension {max(len(a), len(b)) - back}"
            )
    return RuntimeError(f"shapes {a} and {b} cannot be broadcast")


class Add(Binary):
    """The sum of two tensors, or of a tensor and a number."""

    forward = np.add
    _saved_alpha = 1

    def grad_x(g):
        return g

    def grad_y(g):
        return g


def _no_bools(x, y):
    """Masks are not subtracted."""
    if x == y == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if "b" in (x, y):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )


def _no_bool(x, y):
    if isinstance(y, bool):
        _no_bools(x, "b")


class Sub(Binary):
    """The difference of two tensors, or of a tensor and a number."""

    forward = np.subtract
    _saved_alpha = 1
    check, check_number = _no_bools, _no_bool

    def grad_x(g):
        return g

    def grad_y(g):
        return -g


class Rsub(Binary, name="RsubBackward1"):
    """`1 - x`: the operands change places."""

    check, check_number = _no_bools, _no_bool

    def forward(x, y):
        return y - x

    def grad_x(g):
        return -g


class ScaledAdd(Operation, name="AddBackward0"):
    """`torch.add(x, y, alpha=2)`: x + 2 * y."""

    broadcasts = True

    def forward(x, y, alpha):
        dtype = dtypes.result_numpy(x, y)
        return cast(x, dtype) + cast(y, dtype) * np.asarray(alpha).astype(dtype)

    def grad_x(g):
        return g

    def grad_y(g, alpha):
        return g * alpha


class ScaledSub(ScaledAdd, name="SubBackward0"):
    """`torch.sub(x, y, alpha=2)`: x - 2 * y."""

    def forward(x, y, alpha):
        dtype = dtypes.result_numpy(x, y)
        return cast(x, dtype) - cast(y, dtype) * np.asarray(alpha).astype(dtype)

    def grad_y(g, alpha):
        return g * -alpha


class Mul(Binary):
    """The product of two tensors, element by element, or of a tensor and a number."""

    forward = np.multiply

    def grad_x(g, y):
        return g * y

    def grad_y(g, x):
        return g * x


class Div(Binary):
    """The quotient of two tensors, element by element, or of a tensor and a number."""

    forward = np.true_divide
    floats = True

    def grad_x(g, y):
        return g / y

    def grad_y(g, x, y):
        return -g * ((x / y) / y)


def _power(x, y):
    """x ** y; whole numbers stay whole, so that 2 ** -1 is 0."""
    if x.dtype.kind not in "iu":
        return np.power(x, y)
    if not np.any(y < 0):
        return np.power(x, y)
    inverse = np.where(x == -1, 1 - 2 * (y % 2), x == 1)
    return np.where(y < 0, inverse, np.power(x, np.maximum(y, 0))).astype(x.dtype)


class Pow(Binary, name="PowBackward1"):
    """`x ** y`, both tensors."""

    def forward(x, exponent):
        return _power(x, exponent)

    def check(x, y):
        if x == y == "b":
            raise NotImplementedError('"pow" not implemented for \'Bool\'')

    def grad_x(g, x, exponent):
        return pow_grad_base(g, x, exponent)

    def grad_exponent(g, x, exponent, out):
        return pow_grad_exponent(g, x, exponent, out)


class PowScalar(Binary, name="PowBackward0"):
    """`x ** 2`: the exponent is a number."""

    def forward(x, exponent):
        special = _POWERS.get(exponent.item())
        if special is not None:
            return special(x)
        return np.power(x, exponent)

    def check_number(x, y):
        if x != "f" and isinstance(y, int) and y < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")

    def grad_x(g, x, exponent):
        n = exponent.item()
        return zeros_like(g) if n == 0 else g * (x ** (n - 1) * n)


_POWERS = {
    0: np.ones_like,
    1: np.copy,
    2: lambda x: x * x,
    3: lambda x: x * x * x,
    0.5: np.sqrt,
    -0.5: lambda x: 1 / np.sqrt(x),
}  # fmt: skip


class PowBase(Binary, name="PowBackward2"):
    """`2 ** x`: the base is a number."""

    called = {"x": "exponent", "y": "self"}
    check = Pow.check

    def forward(x, y):
        return np.ones_like(x) if y == 1 else _power(y, x)

    def grad_x(g, x, y, out):
        return pow_grad_exponent(g, y, x, out)


def pow_grad_base(g, x, y):
    """g * y * x**(y-1); a zeroth power is constant, also at x = 0."""
    from .select import Where

    return Where(y == 0, zeros_like(g), g * (y * x ** (y - 1)))


def pow_grad_exponent(g, x, y, out):
    """g * x**y * log(x), and 0 where x = 0 and y >= 0 (there the power is constant in y)."""
    from .select import Where

    logs = Log(x * 1.0)  # of small integers NumPy's is rough
    return Where((x == 0) & (y >= 0), zeros_like(g), g * (out * logs))


# -- the names of the binary operations -----------------------------------------------------------


def publish_binary(op, name, scalar=None, second="other"):
    """A binary operation as function, method and in-place method; returns method and in-place one.

    `second` is what PyTorch calls the second operand.
    """

    def chosen(other):
        return op if scalar is None or isinstance(other, Tensor) else scalar

    def call(input, other):
        found = binary(chosen(other), input, other)
        if found is NotImplemented:
            raise wrong_type(name, second, 2, other)
        return found

    def in_place(self, other):
        check(self, self._requires_grad)
        operand = _checked_operand(chosen(other), f"{name}_", 1, self, other)
        try:
            return apply_in_place(chosen(other), self, operand)
        except ValueError:
            raise _shape_error(self._array.shape, operand._array.shape) from None

    call.__name__, in_place.__name__ = name, f"{name}_"
    call.__doc__ = f"{op.__doc__}\n\n    {BROADCAST}\n    "
    also = {second: "other"}
    both(call, also=also)
    method(in_place, also=also)
    return call, in_place


def _checked_operand(op, name, position, x, y):
    """The operand `y` of a named operation as a tensor, checked by kind."""
    operand = y if isinstance(y, Tensor) else _operand(op, x, y)
    if operand is None:
        raise wrong_type(name, "other", position, y)
    op.check(x._array.dtype.kind, operand._array.dtype.kind)
    return operand


def _publish_scaled(op, scaled, name):
    """`add` and `sub`, which take `alpha`; returns the in-place method."""
    plain, plain_ = publish_binary(op, name)

    def operand(name, position, x, y, alpha):
        y = _checked_operand(op, name, position, x, y)
        if not isinstance(alpha, (int, float)):
            raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
        out = dtypes.result_numpy(x._array, y._array)
        said = wrong_factor("alpha", alpha, out)
        if said is not None:  # after what else there may be to say
            shape = np.broadcast_shapes(x._array.shape, y._array.shape)
            if name.endswith("_"):
                check_memory(x, [y])
                check_result(x, np.empty(shape, out))
            raise RuntimeError(said)
        return y

    def call(input, other, tensor=None, *, alpha=1):
        if tensor is not None:  # the number first, as it was once written
            return call(input, **explain(name, (other, tensor), {}, method=True))
        if alpha == 1 and type(alpha) is int:
            return plain(input, other)
        try:
            other = operand(name, 2, input, other, alpha)
            return scaled(input, other, alpha)
        except ValueError:
            raise _shape_error(input._array.shape, other._array.shape) from None

    def in_place(self, other, tensor=None, *, alpha=1):
        if tensor is not None:
            return in_place(self, **explain(f"{name}_", (other, tensor), {}, method=True))
        if alpha == 1 and type(alpha) is int:
            return plain_(self, other)
        check(self, self._requires_grad)
        try:
            other = operand(f"{name}_", 1, self, other, alpha)
            return apply_in_place(scaled, self, other, alpha)
        except ValueError:
            raise _shape_error(self._array.shape, other._array.shape) from None

    call.__name__, in_place.__name__ = name, f"{name}_"
    call.__doc__ = f"{op.__doc__} `other` is first multiplied by `alpha`.\n\n    {BROADCAST}\n    "
    both(call)
    method(in_place)
    return in_place


add_, sub_ = _publish_scaled(Add, ScaledAdd, "add"), _publish_scaled(Sub, ScaledSub, "sub")
mul_ = publish_binary(Mul, "mul")[1]
pow_method, pow_ = publish_binary(Pow, "pow", scalar=PowScalar, second="exponent")


def _operators():
    """`+ - * / **`, each one call away from `binary`."""

    def __rtruediv__(self, other):
        try:
            return Reciprocal(_as_float(self)) * other
        except TypeError:
            return NotImplemented

    def __pow__(self, other, modulo=None):
        if modulo is not None:
            return NotImplemented
        return binary(Pow if isinstance(other, Tensor) else PowScalar, self, other)

    def __rpow__(self, other):
        return binary(PowBase, self, other)

    def __neg__(self):
        return unary(Neg, self)

    def __pos__(self):
        if self._array.dtype.kind == "b":
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def __abs__(self):
        return unary(Abs, self)

    def __iadd__(self, other):
        return add_(self, other)

    def __isub__(self, other):
        return sub_(self, other)

    def __imul__(self, other):
        return mul_(self, other)

    def __itruediv__(self, other):
        return self.div_(other)

    def __ipow__(self, other):
        return pow_(self, other)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """What NumPy made of `x + array` becomes a tensor again."""
        return make(np.asarray(array))

    for name, operator in locals().items():
        setattr(Tensor, name, operator)
    Tensor.__add__ = Tensor.__radd__ = Add.pair
    Tensor.__mul__ = Tensor.__rmul__ = Mul.pair
    Tensor.__sub__, Tensor.__rsub__, Tensor.__truediv__ = Sub.pair, Rsub.pair, Div.pair


_operators()


# -- one operand ----------------------------------------------------------------------------------


class Unary(Operation):
    """A function of one number, published under its own name in small letters."""

    result = "A tensor of the same shape and dtype."
    no_bools = None  # or what error to raise for bool tensors: (type, text)

    def __init_subclass__(cls, name=None, public=None):
        public = public or cls.__name__.lower()
        super().__init_subclass__(name)
        if cls.forward is None:
            return

        def call(input):
            return unary(cls, input)

        def in_place(self):
            if self._array.dtype.kind != "f":
                check_memory(self, ())
                check_result(self, cls.accept(self)._array)
            return apply_in_place(cls, self)

        call.__name__, in_place.__name__ = public, f"{public}_"
        call.__doc__ = f"{cls.__doc__}\n\n    {cls.result}{cls.refusal()}\n    "
        both(call)
        both(in_place)

    @classmethod
    def refusal(cls):
        """What the docstring says of bool tensors."""
        return f" {cls.no_bools[0].__name__} for bools." if cls.no_bools else ""

    @classmethod
    def accept(cls, x):
        """A tensor of integers or bools in the type in which it is computed."""
        if cls.no_bools and x._array.dtype.kind == "b":
            error, text = cls.no_bools
            raise error(text)
        return x


class FloatUnary(Unary):
    """A function whose results are floats, also for integers."""

    result = "A tensor of the same shape; integers and bools give floats."

    @classmethod
    def accept(cls, x):
        return _as_float(x)


def unary(op, x):
    """Apply a `Unary` operation to a tensor."""
    a = x._array
    if a.dtype.kind != "f":
        return op(op.accept(x))
    try:
        out = _run(op.forward, a)
    except RuntimeError:  # another thread holds the context
        out = quietly(op.forward, a)
    if out.__class__ is not ndarray:
        out = np.asarray(out)
    result = make(out)
    if mode.enabled:
        if x._meta is not None:
            current_node(x)
        if x._requires_grad:
            plan = op.plans[1] or op.plan_for(1)
            result._node = plan.record(out, x)
            result._requires_grad = True
    elif mode.inference:
        made_for_inference(result)
    return result


def _as_float(x):
    """An integer tensor in the default float type (no gradient: integers never require one)."""
    if x._array.dtype.kind == "f":
        return x
    return make(x._array.astype(dtypes.get_default_dtype().numpy))


class Neg(Unary):
    """Minus every element."""

    forward = np.negative
    no_bools = RuntimeError, (
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
        "a mask, use the `~` or `logical_not()` operator instead."
    )

    def grad_x(g):
        return -g


class Abs(Unary):
    """The absolute value of every element; its gradient at 0 is 0."""

    forward = np.absolute
    no_bools = NotImplementedError, "\"abs_cpu\" not implemented for 'Bool'"

    def grad_x(g, x):
        return g * Sign(x)


class Sign(Unary):
    """-1, 0 or 1 for every element: its sign. Flat everywhere."""

    def forward(x):
        if x.dtype.kind == "b":
            return x.copy()
        return np.subtract(x > 0, x < 0, dtype=x.dtype)  # 0 for nan

    def grad_x(g):
        return zeros_like(g)


class Exp(FloatUnary):
    """The exponential e**x of every element."""

    forward = np.exp

    def grad_x(g, out):
        return g * out


class Expm1(FloatUnary):
    """e**x - 1 of every element, exact near 0, too."""

    forward = np.expm1

    def grad_x(g, out):
        return g * (out + 1)


class Exp2(FloatUnary):
    """The power 2**x of every element."""

    forward = np.exp2

    def grad_x(g, out):
        return g * out * math.log(2)


class Log(FloatUnary):
    """The natural logarithm of every element: -inf at 0, nan below."""

    forward = np.log

    def grad_x(g, x):
        return g / x


class Log1p(FloatUnary, name="Log1PBackward0", public="log1p"):
    """The natural logarithm of 1 + x for every element, exact near 0, too."""

    forward = np.log1p

    def grad_x(g, x):
        return g / (x + 1)


class Log2(FloatUnary):
    """The logarithm to base 2 of every element: -inf at 0, nan below."""

    forward = np.log2

    def grad_x(g, x):
        return g / (x * math.log(2))


class Log10(FloatUnary):
    """The logarithm to base 10 of every element: -inf at 0, nan below."""

    forward = np.log10

    def grad_x(g, x):
        return g / (x * math.log(10))


class Sqrt(FloatUnary):
    """The square root of every element: nan below 0; its gradient at 0 is inf."""

    forward = np.sqrt

    def grad_x(g, out):
        return g / (out * 2)


class Rsqrt(FloatUnary):
    """One over the square root of every element: inf at 0, nan below."""

    def forward(x):
        return 1 / np.sqrt(x)

    def grad_x(g, out):
        return g * -0.5 * out**3


class Square(Unary, name="PowBackward0", public="square"):
    """The square x * x of every element."""

    forward = np.square

    @classmethod
    def accept(cls, x):
        return make(x._array.astype(np.int64)) if x._array.dtype.kind == "b" else x

    def grad_x(g, x):
        return g * (x * 2)


class Reciprocal(FloatUnary):
    """One over every element: inf at 0."""

    forward = np.reciprocal

    def grad_x(g, out):
        return -g * (out * out)


class Sin(FloatUnary):
    """The sine of every element, in radians."""

    forward = np.sin

    def grad_x(g, x):
        return g * Cos(x)


class Cos(FloatUnary):
    """The cosine of every element, in radians."""

    forward = np.cos

    def grad_x(g, x):
        return g * -Sin(x)


class Tan(FloatUnary):
    """The tangent of every element, in radians."""

    forward = np.tan

    def grad_x(g, out):
        return g * (out * out + 1)


class Asin(FloatUnary):
    """The angle in radians whose sine every element is: nan outside of -1 to 1."""

    forward = np.arcsin

    def grad_x(g, x):
        return g * Rsqrt(1 - x * x)


class Acos(FloatUnary):
    """The angle in radians whose cosine every element is: nan outside of -1 to 1."""

    forward = np.arccos

    def grad_x(g, x):
        return g * -Rsqrt(1 - x * x)


class Atan(FloatUnary):
    """The angle in radians whose tangent every element is."""

    forward = np.arctan

    def grad_x(g, x):
        return g / (x * x + 1)


class Sinh(FloatUnary):
    """The hyperbolic sine of every element."""

    forward = np.sinh

    def grad_x(g, x):
        return g * Cosh(x)


class Cosh(FloatUnary):
    """The hyperbolic cosine of every element."""

    forward = np.cosh

    def grad_x(g, x):
        return g * Sinh(x)


class Tanh(FloatUnary):
    """The hyperbolic tangent of every element: between -1 and 1."""

    forward = np.tanh

    def grad_x(g, out):
        return g * (1 - out * out)


class Sigmoid(FloatUnary):
    """1 / (1 + exp(-x)) of every element: between 0 and 1, without overflow."""

    def forward(x):
        small = np.exp(-np.abs(x))  # never overflows
        return np.where(x < 0, small, np.ones_like(x)) / (1 + small)

    def grad_x(g, out):
        return g * ((1 - out) * out)


class Relu(Unary):
    """max(x, 0) of every element; its gradient at 0 is 0."""

    no_bools = RuntimeError, "Boolean inputs not supported for relu"

    def forward(x):
        return np.maximum(x, 0)

    def grad_x(g, out):
        return Gate(g, out)


class Gate(Operation, name="ThresholdBackwardBackward0"):
    """`x` where relu's result `y` is not 0 (but positive, or NaN), 0 elsewhere; flat in `y`."""

    def forward(x, y):
        return masked(x, y != 0)

    def grad_x(g, y):
        return Gate(g, y)

    def grad_y(g):
        return zeros_like(g)


class Tied(Operation):
    """`x`, a gradient that PyTorch's node computes from `y`, too: flat in `y`, but in its graph."""

    def forward(x, y):
        return x

    def grad_x(g):
        return g

    def grad_y(g, like_y):
        zeros = np.zeros(like_y.shape, like_y.dtype)
        return make(zeros) if isinstance(g, Tensor) else zeros


class Rounding(Unary):
    """Steps: flat wherever they have a slope. Whole numbers stay as they are."""

    forward = None

    def __init_subclass__(cls):
        name, function = cls.__name__.lower(), cls.forward
        cls.no_bools = NotImplementedError, f"\"{name}_vml_cpu\" not implemented for 'Bool'"
        cls.forward = lambda x: function(x) if x.dtype.kind == "f" else x.copy()
        super().__init_subclass__()

    def grad_x(g):
        return zeros_like(g)


class Floor(Rounding):
    """The largest whole number that is not above, for every element. Flat everywhere."""

    forward = np.floor


class Ceil(Rounding):
    """The smallest whole number that is not below, for every element. Flat everywhere."""

    forward = np.ceil


class Trunc(Rounding):
    """Every element without what is behind the point. Flat everywhere."""

    forward = np.trunc


# -- comparisons: their results are bool and carry no gradient ------------------------------------


def _pairwise(compute, x, y):
    """A function of two arrays applied to two tensors, promoted and broadcast."""
    dtype = dtypes.result_numpy(x._array, y._array)
    try:
        return make(np.asarray(compute(cast(x._array, dtype), cast(y._array, dtype))))
    except ValueError:
        raise _shape_error(x._array.shape, y._array.shape) from None


def _publish_comparison(name, compare, says):
    def call(input, other):
        operand = other if isinstance(other, Tensor) else _operand(Binary, input, other)
        if operand is None:
            raise wrong_type(name, "other", 2, other)
        return _pairwise(compare, input, operand)

    def compared(self, other):
        if name == "eq" and isinstance(other, ndarray):
            other = make(other)  # for == alone PyTorch does so, too
        if not isinstance(other, Tensor) and _operand(Binary, self, other) is None:
            return NotImplemented
        return call(self, other)

    call.__name__ = name
    call.__doc__ = f"""Which elements of `input` are {says} those of `other`, a tensor or number; a bool tensor.

    The shape is that of both after broadcasting; RuntimeError for shapes that do not broadcast.
    """
    both(call)
    setattr(Tensor, f"__{name}__", compared)


for _name, _compare, _says in (
    ("eq", np.equal, "equal to"),
    ("ne", np.not_equal, "not equal to"),
    ("lt", np.less, "less than"),
    ("le", np.less_equal, "less than or equal to"),
    ("gt", np.greater, "greater than"),
    ("ge", np.greater_equal, "greater than or equal to"),
):
    _publish_comparison(_name, _compare, _says)


@method
def __invert__(self):
    """`~mask`."""
    if self._array.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return make(np.asarray(np.invert(self._array)))
