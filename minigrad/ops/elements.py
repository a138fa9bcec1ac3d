"""Elementwise operations: how one is declared by a line above its `def`.

    @elements(np.multiply, lambda g, _x, y: g * y, lambda g, x, _y: g * x)
    def mul(input, other):
        '''`input` times `other`; both are broadcast.'''

The line has NumPy's function and a rule for each operand; the `def` has the name and says what the
operation does. It makes a class like any other (operation.py), MulBackward0, and publishes
`torch.mul`, `x.mul()` and, in place, `x.mul_()`. Besides tensors such an operation takes Python
numbers, and it brings its operands to one shape and one dtype.
"""

import functools

import numpy as np

from .. import dtypes
from ..inplace import in_place
from ..operation import Operation, float32, ndarray
from ..plan import signature
from ..tensor import Tensor
from .registry import function, method

NUMBERS = frozenset((float, int, bool))


def elements(forward, *rules, node=None, in_place_too=True, **options):
    """Make a `def`, which has a name, parameters and a docstring, an elementwise operation.

    `node` is the name of its nodes where it differs from the function's. Without `in_place_too`
    there is no method with a final `_`. The other arguments are those of `elementwise_class`, but
    no rule may be None, since any operand may be a tensor. A `def` with an option, `alpha`, returns
    what to take for `other`. The name then stands for `cls.apply`, which is what Python's operators
    and other rules call.
    """

    def declare(declared):
        name = declared.__name__
        cls = elementwise_class(f"{node or name.capitalize()}Backward0", forward, *rules, **options)
        if len(cls.rules) < len(cls.params) or len(signature(declared)[0]) != len(cls.params):
            expected = "each operand needs a rule, and the def as many operands as NumPy's function"
            raise TypeError(f"{name}: {expected}")
        method(function(checked(cls.apply, declared)))
        if in_place_too:
            method(_in_place_form(cls, declared))
        return cls.apply

    return declare


def checked(apply, declared):
    """The public function of a `def`; it raises TypeError for other operands."""
    name = declared.__name__

    def result_of(*operands):
        result = apply(*operands)
        if isinstance(result, Tensor):
            return result
        kinds = " with ".join([type(operand).__name__ for operand in operands])
        raise TypeError(f"{name}() needs a tensor, not {kinds}")

    @functools.wraps(declared)
    def of_one(input):
        return result_of(input)

    @functools.wraps(declared)
    def of_two(input, other, **option):
        other = declared(input, other, **option) if option else other
        return result_of(input, other)

    return of_one if len(signature(declared)[0]) == 1 else of_two


def _in_place_form(cls, declared):
    """The method that stores the result of an operation in the tensor itself."""

    def changed(input, *others, **option):
        return in_place(cls, input, *([declared(input, *others, **option)] if option else others))

    changed.__name__ = changed.__qualname__ = f"{declared.__name__}_"
    changed.__doc__ = f"`{declared.__name__}`, stored in the tensor itself, which is returned."
    return changed


class Elementwise(Operation):
    """The base of the elementwise operations."""

    __slots__ = ()

    numbers = NUMBERS
    floats = False  # integers are converted to the default floating point type first
    check = None  # check(x, y) refuses arrays by their dtypes and values

    @classmethod
    def one_dtype(cls, args, arrays):
        """The arrays in one dtype; NotImplemented unless they are tensors and numbers."""
        if all([isinstance(arg, Tensor) and arg._array.dtype is float32 for arg in args]):
            return arrays  # the most common: only their shapes differ
        if not any([isinstance(arg, Tensor) for arg in args]):
            return cls.in_a_rule(args)
        values = [array.item() if isinstance(array, np.generic) else array for array in args]
        if not all([isinstance(value, (Tensor, *NUMBERS)) for value in values]):
            return NotImplemented
        values = [getattr(value, "_array", value) for value in values]
        if cls.check is not None:
            cls.check(*values)
        return together(values, cls.floats, cls.keeps_numbers)

    @classmethod
    def in_a_rule(cls, args):
        """Plain arrays, as a rule has them in an ordinary pass, and numbers as they were written.

        NumPy brings a Python number to the dtype of the array beside it, without rounding it first.
        """
        if not all([isinstance(arg, (ndarray, np.generic, *NUMBERS)) for arg in args]):
            return NotImplemented
        if cls.floats:
            return [arg if np.asarray(arg).dtype.kind == "f" else arg * 1.0 for arg in args]
        return args

    @classmethod
    def refusal(cls, error, arrays):
        """PyTorch's sentence for shapes that do not fit."""
        return shape_error(*map(np.shape, arrays)) or error


def elementwise_class(name, forward, *rules, **options):
    """The class of an elementwise operation without a public name; `name` is that of its nodes.

    A rule is `rule(g, x)` or `rule(g, x, y)`, with a `_` before what it does not need, and `out`,
    the result, at the end if it needs that. An operand whose rule is None is always a number, and
    is kept as it is: 1/3 as a double. Options are attributes of the class: `floats`, `check`,
    `torch_names`. Raises TypeError for any other, and unless each operand has a rule or None.
    """
    operands, _ = signature(forward)
    if len(rules) != len(operands):
        raise TypeError(f"{name}: {len(operands)} operands, {len(rules)} rules")
    for option in options:
        if not hasattr(Elementwise, option):
            raise TypeError(f"{name}: there is no option {option!r}")
    body = {"forward": staticmethod(forward), "__slots__": (), **options}
    body["keeps_numbers"] = None in rules
    if "check" in options:
        body["check"] = staticmethod(options["check"])
    for operand, rule in zip(operands, rules):
        if rule is not None:
            body[f"grad_{operand}"] = staticmethod(rule)
    return type(Operation)(name, (Elementwise,), body, name=name)


def together(values, floats=False, keeps_numbers=False):
    """Arrays and Python numbers as arrays of one dtype; with `floats` a floating point one."""
    dtype = dtypes.result_type(*values)
    if floats and dtype.kind != "f":
        dtype = dtypes.get_default_dtype().numpy
    return [
        value if keeps_numbers and not isinstance(value, ndarray) else as_type(value, dtype)
        for value in values
    ]


def as_type(value, dtype):
    """An array or a Python number in a NumPy type, with inf where it does not fit."""
    if isinstance(value, ndarray) and value.dtype is dtype:
        return value
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype, copy=False)


def shape_error(*shapes):
    """The error that PyTorch raises for shapes that cannot be broadcast; None if they can."""
    a, *others = shapes
    for b in others:
        for back in range(1, 1 + min(len(a), len(b))):
            if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
                return RuntimeError(
                    f"The size of tensor a ({a[-back]}) must match the size of tensor b "
                    f"({b[-back]}) at non-singleton dimension {max(len(a), len(b)) - back}"
                )
        a = np.broadcast_shapes(a, b)
    return None
