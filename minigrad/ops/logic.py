"""Questions about numbers, logic on bools and bits, comparisons: no gradients."""

import numpy as np

from .. import dtypes
from ..inplace import apply_in_place, check_result
from ..operation import Operation
from ..tensor import Tensor
from .arguments import check_broadcast, fitting, need_tensor, plain, same_type, zeros_like
from .convert import cast, constant
from .registry import BROADCAST, both, function, method, wrong_type


def _publish_question(name, ask, says):
    def call(input):
        return plain(ask(input._array))

    call.__name__, call.__doc__ = name, f"Which elements are {says}; a bool tensor of the same shape."
    both(call)


for _name, _ask, _says in (
    ("isnan", np.isnan, "NaN"),
    ("isinf", np.isinf, "inf or -inf"),
    ("isfinite", np.isfinite, "neither NaN nor infinite"),
    ("isposinf", np.isposinf, "inf"),
    ("isneginf", np.isneginf, "-inf"),
    ("signbit", lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0, "negative, -0.0 too"),
    ("isreal", np.isreal, "real numbers: here all are"),
    ("logical_not", np.logical_not, "zero"),
):
    _publish_question(_name, _ask, _says)


def _pair(name, input, other, position, tensors_only):
    if not isinstance(other, Tensor) and (tensors_only or constant(other, input) is None):
        raise wrong_type(name, "other", position, other)
    return same_type(input, other)


_KINDS = {"bui": "bools and integers", "ui": "integers"}


def _publish_logic(name, compute, says, kinds=None, tensors_only=False, operator=None, to_bool=False):
    """An operation on bools or integers, as function, method, in-place method and operator."""

    kernel = name.removeprefix("bitwise_").replace("left_", "l").replace("right_", "r")
    kernel = kernel if "shift" in kernel else name

    def pair(name, input, other, position):
        x, y = _pair(name, input, other, position, tensors_only)
        check_broadcast(x._array.shape, y._array.shape)
        return x, y

    def computed(x, y):
        if kinds and x._array.dtype.kind not in kinds:
            raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for '{x.dtype.tensor_name}'")
        return plain(compute(x._array, y._array))

    def call(input, other):
        return computed(*pair(name, input, other, 2))

    def of_self(self, other):
        return computed(*pair(name, self, other, 1))

    def in_place(self, other):
        x, y = pair(f"{name}_", self.detach(), other, 1)
        if not to_bool:
            check_result(self, np.broadcast_to(x._array, np.broadcast_shapes(x.shape, y.shape)))
        result = computed(x, y)
        return self.copy_(result if to_bool else result.to(self.dtype))

    call.__name__, of_self.__name__, in_place.__name__ = name, name, f"{name}_"
    refusal = f" NotImplementedError for dtypes other than {_KINDS[kinds]}." if kinds else ""
    call.__doc__ = f"{says}, element by element.\n\n    {BROADCAST}{refusal} No gradient.\n    "
    of_self.__doc__ = call.__doc__
    both(call)
    method(of_self)
    method(in_place)
    if operator:
        _publish_operator(name, call, in_place, operator)


def _publish_operator(name, call, in_place, operator):
    """`&`, `|`, `^`, `<<` and `>>`, which leave to Python what is neither tensor nor number."""

    def fits(self, other):
        return isinstance(other, Tensor) or constant(other, self) is not None

    def forward(self, other):
        return call(self, other) if fits(self, other) else NotImplemented

    def reflected(self, other):
        if not fits(self, other):
            return NotImplemented
        return call(same_type(self, other)[1], self)

    setattr(Tensor, f"__{operator}__", forward)
    setattr(Tensor, f"__r{operator}__", reflected)
    setattr(Tensor, f"__i{operator}__", in_place)


for _name, _compute, _says in (
    ("logical_and", np.logical_and, "Whether both of two elements are nonzero, as bools"),
    ("logical_or", np.logical_or, "Whether one or both of two elements are nonzero, as bools"),
    ("logical_xor", np.logical_xor, "Whether just one of two elements is nonzero, as bools"),
):
    _publish_logic(_name, _compute, _says, tensors_only=True, to_bool=True)
for _name, _compute, _operator, _says in (
    ("bitwise_and", np.bitwise_and, "and", "The bits that both elements have; for bools: and"),
    ("bitwise_or", np.bitwise_or, "or", "The bits that one or both elements have; for bools: or"),
    ("bitwise_xor", np.bitwise_xor, "xor", "The bits that just one element has; for bools: not equal"),
):
    _publish_logic(_name, _compute, _says, kinds="bui", operator=_operator)
for _name, _compute, _operator, _says in (
    ("bitwise_left_shift", np.left_shift, "lshift", "The bits moved up: `input * 2**other`"),
    ("bitwise_right_shift", np.right_shift, "rshift", "The bits moved down: `input // 2**other`"),
):
    _publish_logic(_name, _compute, _says, kinds="ui", operator=_operator)
for _name, _compute, _says in (
    ("gcd", np.gcd, "The largest whole number that divides both"),
    ("lcm", np.lcm, "The smallest whole number that both divide"),
):
    _publish_logic(_name, _compute, _says, kinds="ui", tensors_only=True)


@both
def bitwise_not(input):
    """All bits turned; for bools: not. The same shape and dtype.

    NotImplementedError for floats.
    """
    if input._array.dtype.kind == "f":
        raise NotImplementedError(
            f"\"bitwise_not_cpu\" not implemented for '{input.dtype.tensor_name}'"
        )
    return plain(np.invert(input._array))


@method
def bitwise_not_(self):
    """`bitwise_not`, in place."""
    return self.copy_(bitwise_not(self))


@method
def logical_not_(self):
    """`logical_not`, in place."""
    return self.copy_(self.logical_not())


@both
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where |input - other| <= atol + rtol * |other|; a bool tensor of the broadcast shape.

    nan is close to nan with `equal_nan` only. RuntimeError for different dtypes, shapes that do not
    broadcast, and negative tolerances.
    """
    need_tensor("isclose", "other", 2, other)
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.tensor_name} did not match {other.dtype.tensor_name}")
    x, y = input._array, other._array
    return fitting(lambda: plain(np.isclose(x, y, rtol, atol, equal_nan)), input, other)


@both
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `isclose` holds everywhere; a Python bool.

    RuntimeError for different dtypes or shapes that do not broadcast.
    """
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan)._array))


@both
def equal(input, other):
    """Whether two tensors have the same shape and the same elements; a Python bool."""
    need_tensor("equal", "other", 2, other)
    return np.array_equal(input._array, other._array)


@function(also={"element": "elements", "test_element": "test_elements"})
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Which of `elements` are among `test_elements`; a bool tensor in the shape of `elements`.

    One of the two may be a number; `invert` asks which are not.
    """
    x, y = [e._array if isinstance(e, Tensor) else e for e in (elements, test_elements)]
    return plain(np.isin(x, y, assume_unique=assume_unique, invert=invert))


@function(also={"tensor": "tensor1", "scalar1": "tensor1", "other": "tensor2", "scalar2": "tensor2"})
def result_type(tensor1, tensor2):
    """The dtype that arithmetic on two tensors or numbers gives, whatever their shapes."""
    x, y = [t._array if isinstance(t, Tensor) else t for t in (tensor1, tensor2)]
    return dtypes.of(np.empty(0, dtypes.result_numpy(x, y)))


@function
def promote_types(type1, type2):
    """The smallest dtype to which both can be converted."""
    return dtypes.of(np.empty(0, dtypes.promote(type1.numpy, type2.numpy)))


@function
def can_cast(from_, to):
    """Whether promotion allows a conversion: from bool over integers to floats."""
    return dtypes.category(from_.numpy) <= dtypes.category(to.numpy)


# -- in place: the tensor becomes 0s and 1s, its gradient 0 ---------------------------------------


def _publish_comparison(name, compare):
    """`x.eq_(y)` and its like."""
    for number, kind in enumerate(("number", "tensor")):

        class Compare(Operation, name=f"{name.capitalize()}Backward{number}"):
            broadcasts = True
            promoted = (0,)

            def forward(x, y):
                dtype = dtypes.result_numpy(x, y)
                return compare(cast(x, dtype), cast(y, dtype)).astype(x.dtype)

            def grad_x(g):
                return zeros_like(g)

            grad_y = grad_x

        _COMPARE[name, kind] = Compare

    def in_place(self, other):
        kind = "tensor" if isinstance(other, Tensor) else "number"
        operand = other if kind == "tensor" else constant(other, self)
        return fitting(lambda: apply_in_place(_COMPARE[name, kind], self, operand), self, other)

    in_place.__name__, in_place.__doc__ = (
        f"{name}_",
        f"`{name}`, in place: 1 where it holds, else 0.",
    )
    method(in_place)


_COMPARE = {}


for _name, _compare in (
    ("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal),
    ("gt", np.greater), ("ge", np.greater_equal),
):  # fmt: skip
    _publish_comparison(_name, _compare)
for _name, _original in {
    "greater_": "gt_", "greater_equal_": "ge_", "less_": "lt_", "less_equal_": "le_",
    "not_equal_": "ne_",
}.items():  # fmt: skip
    method(getattr(Tensor, _original), name=_name)


# -- questions about tensors ----------------------------------------------------------------------


@function
def is_floating_point(input):
    """Whether the dtype is one of floats; a Python bool, for any shape."""
    need_tensor("is_floating_point", "input", 1, input)
    return input.is_floating_point()


@function
def is_complex(input):
    """False: there are no complex tensors here, of any shape."""
    need_tensor("is_complex", "input", 1, input)
    return False


@both
def is_signed(input):
    """Whether the dtype holds negative numbers; a Python bool, for any shape."""
    return input.dtype.is_signed


@both
def is_nonzero(input):
    """Whether the only element of a tensor is not zero.

    RuntimeError unless there is exactly one, in whatever shape.
    """
    return bool(input)


@both
def is_same_size(input, other):
    """Whether two tensors have the same shape; a Python bool."""
    return input._array.shape == other._array.shape


@function
def typename(obj):
    """The name of a tensor's type, such as 'torch.FloatTensor'; of other objects' classes, too."""
    if isinstance(obj, Tensor):
        return obj.type()
    return f"{type(obj).__module__}.{type(obj).__qualname__}".removeprefix("builtins.")


@function
def real(input):
    """The tensor itself, in its shape: its numbers are real."""
    return input


@method
def get_device(self):
    """-1: the tensor, of any shape, is on the CPU."""
    return -1


@method
def storage_offset(self):
    """How many elements of its base's memory lie before a view's first one."""
    if not self._is_view():
        return 0
    return (self.data_ptr() - self._base.data_ptr()) // self.element_size()


Tensor.is_cpu = True
