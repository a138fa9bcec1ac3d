"""Operations: how one is written, and how applying it records a node.

An operation is one small class of plain functions (no `self`): `forward` computes an array from
arrays; beside it stands a rule for each operand, `grad_x`, that turns the gradient `g` of the
result into that of `x`: a vector-Jacobian product.

    class Mul(Operation):
        def forward(x, y):
            return x * y

        def grad_x(g, _x, y):
            return g * y

        def grad_y(g, x, _y):
            return g * x

A rule's parameters after `g` are those of `forward`, and say what is kept for it: `x` is kept,
`_x` is not, of `x_shape` only the shape; `out`, at the end of all rules, is the result. So `x * c`
with a constant `c` keeps only `c`. A rule is a formula that serves plain arrays (an ordinary
backward pass) and tensors (`create_graph=True`, where it is recorded in turn).

`Mul.apply(x, y)` applies the operation. If an operand requires grad, the result gets a node: an
instance of the class. (Elementwise operations are one line each, see ops/table.py.)
Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

import numpy as np

from . import dtypes
from .anomaly import anomaly
from .errors import FREED, HINT, HINT_IN_ANOMALY_MODE, MODIFIED
from .graph import Node, edge
from .modes import mode, recorders
from .tensor import Meta, Tensor, current_node, make, new, tick

ndarray = np.ndarray


class Operation(Node):
    """A node that a differentiable operation left behind; `apply` makes one.

    `_saved` has what the rules need, in the order of their parameters, and is None once freed.
    `_restore` says, for operands that were expanded or promoted, to what shape and dtype their
    gradients have to be brought back.
    """

    __slots__ = ("_saved", "_restore")

    forward = None
    params = ()  # the names of forward's parameters
    rules = ()  # a rule for each, None where there is nothing to differentiate
    tensors = ()  # the names of parameters without a rule that are tensors, such as an index
    broadcasts = False  # forward brings its operands to one shape and dtype
    called = {}  # PyTorch's names for what is saved, where they are not those of `SAVED_NAMES`

    def __init_subclass__(cls, name=None):
        """Read off the class what applying it takes, and what is kept for which gradient."""
        cls.__name__ = name or f"{cls.__name__}Backward0"
        if cls.forward is None:
            return
        is_ufunc = isinstance(cls.forward, np.ufunc)
        cls.params = ("x", "y")[: cls.forward.nin] if is_ufunc else parameters(cls.forward)
        cls.rules = tuple(getattr(cls, f"grad_{name}", None) for name in cls.params)
        cls.kept = {i: _kept(rule, cls.params) for i, rule in enumerate(cls.rules) if rule}
        cls.keeps_out = any("out" in kept for kept in cls.kept.values())
        cls.differentiable = {i: cls.rules[i] for i in cls.kept}
        tensors = {"out", *cls.tensors, *(cls.params[i] for i in cls.kept)}
        cls._keeps = any(kept.get(p) == p for kept in cls.kept.values() for p in tensors)
        cls.plans = {}

    @classmethod
    def apply(cls, *args):
        """Apply the operation. With plain arrays the result is an array and nothing is recorded."""
        arrays, any_tensor, wanted, enabled = [], False, (), mode.enabled
        for i, arg in enumerate(args):
            if isinstance(arg, Tensor):
                any_tensor = True
                if enabled and arg._meta is not None:
                    current_node(arg)  # a view may get a new one
                if enabled and arg._requires_grad and i in cls.kept:
                    wanted += (i,)
                arg = arg._array
            arrays.append(arg)
        if not any_tensor:
            return cls.forward(*args)
        out = mode.without_warnings(cls.forward, *arrays)
        if out.__class__ is not ndarray:
            out = np.asarray(out)
        result = make(out)
        if wanted and out.dtype.kind == "f":
            record(cls, wanted, args, arrays, result)
        return result

    def _vjp(self, g, create_graph):
        """The gradient for each operand; None where none is needed."""
        if g is None:
            return (None,) * len(self._next)
        values = self._values(create_graph)
        grads = [
            None if n is None else rule(g, *values)
            for n, rule in zip(self._next, self.differentiable.values())
        ]
        return grads if self._restore is None else restored(grads, self._restore)

    def _values(self, create_graph):
        """What was saved, for the rules. RuntimeError if it was freed."""
        if self._saved is None:
            raise RuntimeError(FREED)
        if create_graph:
            return [self._value(i) for i in range(len(self._saved))]
        values = list(self._saved)
        for i, value in enumerate(values):
            if isinstance(value, Tensor):
                if value._meta is not None:
                    check_unchanged(self, value, i == len(self.params))
                values[i] = value._array
        return values

    def _value(self, i):
        """One of the values saved, as a tensor on which a graph can be built.

        RuntimeError if it was changed in place since.
        """
        value, is_result = self._saved[i], i == len(self.params)
        if isinstance(value, Tensor):
            if value._meta is not None:
                check_unchanged(self, value, is_result)
            if is_result:
                version = value._meta.version
                value = make(value._array)
                value._node, value._requires_grad, value._meta = self, True, Meta(version)
        elif isinstance(value, ndarray) and i in self.kept:
            value = make(value.copy())  # nodes share the array of a constant
        return value

    def __getattr__(self, name):
        """`_saved_self` and its like: what is kept for backward, by PyTorch's name for it."""
        if name[:7] != "_saved_":
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return saved_value(self, name[7:])


def parameters(function):
    """The names of a function's parameters, without a `*rest`."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _kept(rule, params):
    """What a rule needs: {name of forward's parameter: as the rule calls it}."""
    found = zip((*params, "out"), parameters(rule)[1:])
    return {param: name for param, name in found if not name.startswith("_")}


def plan(cls, wanted):
    """What is kept for the gradients of some operands: a name, "x", "x_shape" or "", for each."""
    found = cls.plans.get(wanted)
    if found is None:
        kept = {}
        for i in wanted:
            kept |= cls.kept[i]
        found = cls.plans[wanted] = [kept.get(param, "") for param in cls.params]
    return found


def record(cls, wanted, args, arrays, result):
    """Give a result its node; `wanted` has the places of the operands that need gradients."""
    node = result._node = new(cls)
    result._requires_grad = True
    saved = [
        (getattr(array, "shape", ()) if name[-6:] == "_shape" else arg) if name else None
        for name, arg, array in zip(plan(cls, wanted), args, arrays)
    ]
    if cls.keeps_out:
        saved.append(twin(result))
    node._saved = tuple(saved)
    node._next = tuple([edge(args[i]) if i in wanted else None for i in cls.differentiable])
    node._hooks = node._restore = None
    if cls.broadcasts:
        node._restore = restoration(node, arrays, result._array)
    node._number = tick()  # after the edges: an operand's node is always older than its user
    if recorders:
        tell(node, args, result)


def twin(result):
    """A result as its own node keeps it: without a way back to the node, which would be a circle.

    It shares the result's `Meta`, and so its version: a change in place is noticed.
    """
    if result._meta is None:
        result._meta = Meta()
    kept = make(result._array)
    kept._meta = result._meta
    return kept


def tell(node, args, result):
    """Let the recorders hear of a new node."""
    for note in recorders:
        note(node, args, result)


def check_unchanged(node, tensor, is_result=False):
    """RuntimeError if a saved tensor was changed in place since its node was made."""
    version, made = tensor._meta.version, node._owner._number
    if version.last > made:
        maker = node if is_result else current_node(tensor)
        made_by = (
            ""
            if maker is None
            else (f", which is output {maker._output_nr} of {short_name(maker)},")
        )
        raise RuntimeError(
            MODIFIED.format(
                tensor.dtype.tensor_name,
                list(tensor.shape),
                made_by,
                version.count,
                version.at(made),
            )
            + (HINT_IN_ANOMALY_MODE if anomaly.enabled else HINT)
        )


def short_name(node):
    """A node's name as error messages give it: AddBackward0 is Add, PowBackward1 is Pow1."""
    name = type(node._owner).name(node._owner)  # a user may keep a `ctx.name`
    return name if "::" in name else name.removesuffix("Backward0").replace("Backward", "")


SAVED_NAMES = {"x": "self", "y": "other", "out": "result", "x_shape": "self_sym_sizes"}


def saved_names(node):
    """What a node keeps: {PyTorch's name: (place in `_saved`, name in the rule)}."""
    wanted = tuple([i for i, n in zip(node.differentiable, node._next) if n is not None])
    names = [*plan(type(node), wanted), "out" if node.keeps_out else ""]
    public = {**SAVED_NAMES, **node.called}
    return {public.get(name, name): (i, name) for i, name in enumerate(names) if name}


def saved_value(node, public):
    """What a node keeps under PyTorch's name for it; RuntimeError once it is freed."""
    names = saved_names(node)
    if public not in names:
        if public in [{**SAVED_NAMES, **node.called}.get(p, p) for p in node.params]:
            return None  # no gradient needed it
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{public}'")
    if node._saved is None:
        raise RuntimeError(FREED)
    place = names[public][0]
    value = node._value(place)
    if place and not node._shows_numbers:  # x**2 keeps a Python number
        number = float(str(value._array))  # 0.1, where float() gives 0.10000000149
        return int(number) if number.is_integer() else number
    return make(value) if isinstance(value, ndarray) else value


# --- undoing a broadcast, for all operations -----------------------------------------------------


def restoration(node, arrays, out):
    """For each operand None, or the (shape, dtype) to which its gradient has to be brought back."""
    mixed = any([a.dtype != out.dtype for a in arrays if isinstance(a, ndarray)])
    found = [
        (arrays[i].shape, arrays[i].dtype)
        if n is not None and (mixed or arrays[i].shape != out.shape)
        else None
        for n, i in zip(node._next, node.differentiable)
    ]
    return found if any(found) else None


def restored(grads, restore):
    """Gradients as their operands were before they were expanded or promoted."""
    return [
        undo_broadcast(grad, *was) if was and grad is not None else grad
        for grad, was in zip(grads, restore)
    ]


def undo_broadcast(g, shape, dtype):
    """Bring a gradient back to an operand's shape and type, by summing what had been repeated."""
    added = g.ndim - len(shape)
    if added:
        g = g.sum(tuple(range(added)))
    if g.shape != shape:
        repeated = [d for d, n in enumerate(shape) if n == 1 and g.shape[d] != 1]
        g = g.sum(tuple(repeated), keepdims=True)
    if isinstance(g, Tensor):
        return g if g._array.dtype == dtype else g.to(dtypes.of(np.empty(0, dtype)))
    return g if g.dtype == dtype else g.astype(dtype)
