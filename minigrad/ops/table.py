"""Elementwise operations, one line of a table each: `elementwise(name, forward, rules ...)`.

Such an operation is a class like any other (operation.py), made from its line. Besides tensors it
takes Python numbers, and it brings its operands to one shape and one dtype.
"""

import numpy as np

from .. import dtypes
from ..operation import Operation, ndarray
from ..plan import signature
from ..tensor import Tensor

NUMBERS = frozenset((float, int, bool))


class Elementwise(Operation):
    """The base of the operations of the table."""

    __slots__ = ()

    numbers, broadcasts = NUMBERS, True
    floats = False  # integers are converted to the default floating point type first
    check = None  # check(x, y) refuses arrays by their dtypes and values

    @classmethod
    def unusual(cls, args, call):
        """Bring the arrays to one dtype. RuntimeError if their shapes cannot be broadcast.

        NotImplemented for strangers; the result itself if no operand is a tensor.
        """
        if not any([isinstance(arg, Tensor) for arg in args]):
            return cls.of_arrays(args)
        values = []
        for arg in args:
            if isinstance(arg, np.generic):
                arg = arg.item()
            if not isinstance(arg, (Tensor, *NUMBERS)):
                return NotImplemented
            values.append(arg._array if isinstance(arg, Tensor) else arg)
        if cls.check is not None:
            cls.check(*values)
        call[1:] = together(values, cls.floats)
        check_shapes(*[array.shape for array in call[1:]])
        return None

    @classmethod
    def of_arrays(cls, args):
        """The result for plain arrays: a rule at work in an ordinary backward pass."""
        if not all([isinstance(arg, (ndarray, np.generic, *NUMBERS)) for arg in args]):
            return NotImplemented
        if cls.floats:
            args = [arg if arg.dtype.kind == "f" else arg.astype(float) for arg in args]
        return cls.forward(*args)


def elementwise(name, forward, *rules, **options):
    """The class of an operation on as many operands as there are rules.

    A rule is `rule(g, x)` or `rule(g, x, y)`, with a `_` before what it does not need and `out`,
    the result, at the end if it needs that. `name` is that of its nodes, with or without "Backward"
    and a number. Options are attributes of the class: `floats`, `check`, `called`.
    """
    if "Backward" not in name:
        name = f"{name}Backward0"
    body = {"forward": staticmethod(forward), "__slots__": (), **options}
    if "check" in options:
        body["check"] = staticmethod(options["check"])
    operands, _ = signature(forward)
    body |= {f"grad_{operand}": staticmethod(rule) for operand, rule in zip(operands, rules)}
    return type(Operation)(name, (Elementwise,), body, name=name)


def together(values, floats=False):
    """Arrays and Python numbers as arrays of one dtype; `floats` as in `elementwise`."""
    dtype = dtypes.result_type(*values)
    if floats and dtype.kind != "f":
        dtype = dtypes.get_default_dtype().numpy
    return [as_type(value, dtype) for value in values]


def as_type(value, dtype):
    """An array or a Python number in a NumPy type, with inf where it does not fit."""
    if isinstance(value, ndarray) and value.dtype is dtype:
        return value
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype, copy=False)


def check_shapes(*shapes):
    """RuntimeError, in PyTorch's words, for shapes that cannot be broadcast."""
    if len(set(shapes) - {()}) > 1:  # numbers, and tensors without dimensions, fit all
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            raise shape_error(*shapes) from None


def shape_error(*shapes):
    """What PyTorch says of shapes that cannot be broadcast."""
    a, *others = shapes
    for b in others:
        for back in range(1, 1 + min(len(a), len(b))):
            if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
                return RuntimeError(
                    f"The size of tensor a ({a[-back]}) must match the size of tensor b "
                    f"({b[-back]}) at non-singleton dimension {max(len(a), len(b)) - back}"
                )
        a = np.broadcast_shapes(a, b)
    return RuntimeError(f"{shapes} cannot be broadcast")
