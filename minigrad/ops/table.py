"""Elementwise operations, one line of a table each: `of_one`, `of_two`.

Arithmetic is what programs do most, so each of the two makes a function that does what
`Operation.apply` does in as few steps as possible, and one that does what `Operation._vjp` does.
"""

import numpy as np

from .. import dtypes
from ..modes import mode, recorders
from ..operation import Operation, check_unchanged, ndarray, plan, restoration, restored, tell, twin
from ..tensor import Tensor, current_node, make, new, tick

float32 = np.dtype("float32")


def of_one(name, forward, rule, *, floats=True):
    """The class of an operation on one operand: `rule(g, x)`, or `rule(g, _x, out)` of the result.

    `floats`: integers are converted to the default floating point type first.
    """
    cls = _elementwise(name, forward, grad_x=rule)
    keeps_x, keeps_out = "x" in cls.kept[0], cls.keeps_out

    def apply(input):
        try:
            array = input._array
        except AttributeError:
            if isinstance(input, (ndarray, np.generic)):  # a rule at work on plain arrays
                return forward(input.astype(float) if floats and input.dtype.kind != "f" else input)
            kind = type(input).__name__
            raise TypeError(f"{apply.__name__}() needs a tensor, not {kind}") from None
        if floats and array.dtype.kind != "f":
            array = array.astype(dtypes.get_default_dtype().numpy)
        out = mode.without_warnings(forward, array)
        result = make(out if out.__class__ is ndarray else np.asarray(out))
        if mode.enabled and input._meta is not None:
            current_node(input)  # a view may get a new one
        if mode.enabled and input._requires_grad:
            result._requires_grad = True
            result._node = node = new(cls)
            node._next = (input._node or input,)
            kept = input if keeps_x else None
            node._saved = (kept, twin(result)) if keeps_out else (kept,)
            node._hooks = node._restore = None
            node._number = tick()
            if recorders:
                tell(node, (input,), result)
        return result

    def pull(node, g, create_graph):
        if create_graph or g is None or node._saved is None:
            return Operation._vjp(node, g, create_graph)
        value = node._saved[-1]
        if value is None:
            return (rule(g, None),)
        if value._meta is not None:
            check_unchanged(node, value, keeps_out)
        return (rule(g, None, value._array) if keeps_out else rule(g, value._array),)

    cls.apply, cls._vjp = staticmethod(apply), pull
    return cls


def of_two(name, forward, rule_x, rule_y, *, floats=False, check=None):
    """The class of an operation on two operands, which are brought to one shape and one dtype.

    `rule_x(g, x, y)` and `rule_y(g, x, y)`, each with a `_` before what it does not need.
    `check(a, b)` refuses arrays by their dtypes; `floats` as in `of_one`.
    """
    cls = _elementwise(name, forward, grad_x=rule_x, grad_y=rule_y)
    for_x, for_y, both = [tuple(map(bool, plan(cls, wanted))) for wanted in ((0,), (1,), (0, 1))]
    keeps, keeps_out = cls._keeps, cls.keeps_out

    def apply(input, other):
        number, promoted = other.__class__ in NUMBERS, False
        try:
            a = input._array
            b = constants[other] if number else other._array
        except AttributeError:
            return _unusual(cls, input, other)
        y = b if number else other
        if a.dtype is not float32 or b.dtype is not float32:
            a, b, y, promoted = _together(input, other, floats, check)
        try:
            out = mode.without_warnings(forward, a, b)
        except ValueError:
            raise shape_error(a.shape, b.shape) from None
        result = new(Tensor)  # as `make` does it, without a call
        result._array = out if out.__class__ is ndarray else np.asarray(out)
        result._node = result._meta = None
        result._requires_grad = False
        if not mode.enabled:
            return result
        if input._meta is not None:
            current_node(input)  # a view may get a new one
        to_x = (input._node or input) if input._requires_grad else None
        to_y = None
        if not number:
            if y._meta is not None:
                current_node(y)  # as above
            if y._requires_grad:
                to_y = y._node or y
        if to_y is None:
            if to_x is None:
                return result
            keeps_x, keeps_y = for_x
        else:
            keeps_x, keeps_y = for_y if to_x is None else both
        result._requires_grad = True
        result._node = node = new(cls)
        node._next = (to_x, to_y)
        node._saved = (input if keeps_x else None, y if keeps_y else None) if keeps else NOTHING
        node._hooks = node._restore = None
        if keeps_out:
            node._saved += (twin(result),)
        if promoted or not number and a.shape != b.shape:
            node._restore = restoration(node, (input._array, getattr(y, "_array", y)), out)
        node._number = tick()
        if recorders:
            tell(node, (input, other), result)
        return result

    def pull(node, g, create_graph):
        if create_graph or g is None or keeps_out or node._saved is None:
            return Operation._vjp(node, g, create_graph)
        x, y = node._saved
        if x is not None:
            if x._meta is not None:
                check_unchanged(node, x)
            x = x._array
        if y is not None and y.__class__ is not ndarray:
            if y._meta is not None:
                check_unchanged(node, y)
            y = y._array
        to_x, to_y = node._next
        grads = (
            None if to_x is None else rule_x(g, x, y),
            None if to_y is None else rule_y(g, x, y),
        )
        return grads if node._restore is None else restored(grads, node._restore)

    cls.apply, cls._vjp = staticmethod(apply), pull
    return cls


def _elementwise(name, forward, **rules):
    """The class of an operation of the table; `name` with or without "Backward" and a number."""
    body = {rule: staticmethod(function) for rule, function in rules.items()}
    body |= {"forward": staticmethod(forward), "broadcasts": len(rules) == 2, "__slots__": ()}
    name = name if "Backward" in name else f"{name}Backward0"
    return type(Operation)(name, (Operation,), body, name=name)


NOTHING = (None, None)
NUMBERS = frozenset((float, int, bool))


class _Constants(dict):
    """Python numbers as float32 arrays: the same few stand in every program."""

    def __missing__(self, number):
        array = mode.without_warnings(np.array, number, np.float32)
        if number and len(self) < 1000:  # 0.0 and -0.0 are equal, and are not the same
            self[number] = array
        return array


constants = _Constants()


def _together(x, y, floats, check):
    """Two operands as arrays of one dtype, `y` to keep, and whether a dtype was changed."""
    a, b = x._array, getattr(y, "_array", y)
    if check:
        check(a, b)
    dtype = dtypes.result_type(a, b)
    if floats and dtype.kind != "f":
        dtype = dtypes.get_default_dtype().numpy
    if b is y:  # a Python number: an array of its own is kept
        b = y = mode.without_warnings(np.array(y).astype, dtype)
    promoted = a.dtype != dtype or b.dtype != dtype
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False), y, promoted


def _unusual(cls, x, y):
    """What is not a tensor with a tensor or Python number; NotImplemented for strangers."""
    if isinstance(x, Tensor):
        return cls.apply(x, y.item()) if isinstance(y, np.generic) else NotImplemented
    if isinstance(y, Tensor):  # torch.mul(2, x)
        return cls.apply(make(np.array(x, dtypes.result_type(y._array, x))), y)
    return cls.forward(x, y)  # a rule at work on plain arrays


def shape_error(a, b, *more):
    """What PyTorch says of shapes that cannot be broadcast."""
    for back in range(1, 1 + min(len(a), len(b))):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) "
                f"at non-singleton dimension {max(len(a), len(b)) - back}"
            )
    if more:
        return shape_error(np.broadcast_shapes(a, b), *more)
    return RuntimeError(f"{a} and {b} cannot be broadcast")
