"""Operations: how one is written, how applying it leaves a node, and how the node is undone.

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

A rule's parameters after `g` are those of `forward`, and say what is saved for it: `x` is saved,
`_x` is not, of `x_shape` only the shape; `out`, at the end, is the result (if one rule needs it,
all name it). So `x * c` with a constant `c` saves only `c`. A rule is a formula that serves plain
arrays (an ordinary backward pass) and tensors (`create_graph=True`, where it is recorded in turn).

`Mul.apply(x, y)` applies the operation. If an operand requires grad, the result gets a node: an
instance of the class. It is called MulBackward0; where PyTorch calls it otherwise, the class says
so: `class Sum(Operation, name="SumBackward1")`. Operations on each element are such classes, too,
made from one line each (ops/elements.py), with an in-place form for each name: `exp_` is `exp`,
stored in the tensor itself. `a * a` runs the `apply` of this page, its backward pass the `_vjp`.
Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

from typing import Any

import numpy as np

from . import dtypes
from .anomaly import anomaly
from .errors import DETACHED, FREED, HINT, HINT_IN_ANOMALY_MODE, MODIFIED
from .graph import Node, several_outputs
from .modes import listeners, mode, tell
from .node_names import short_name, show_saved
from .plan import Plans, needs, signature
from .tensor import Meta, Tensor, current_node, make, new, tick

ndarray = np.ndarray
float32 = np.dtype("float32")


class Operation(Node):
    """A node that a differentiable operation left behind; `apply` makes one.

    `_plan` says which rules it runs. `_saved` has what they need, in the order of forward's
    parameters and with the result at the end, None for what they do not need; once freed, it is
    None itself. `_versions` has the versions of what had been changed in place by then, by its
    place in `_saved`. `_restore` has the shapes and dtypes to which gradients are brought back.
    """

    __slots__ = ("_plan", "_saved", "_versions", "_restore")
    _plan: Any
    _saved: Any
    _versions: Any
    _restore: Any

    forward: Any = None
    apply: Any  # made from `forward` and the rules, for each class
    plans: Any
    params = ()  # the names of forward's parameters
    rest = None  # the name of its `*parameter`, which stands for any number of operands
    rules = {}  # the operands that have a rule, by name
    saves_output = False  # a rule needs the result
    tensors: tuple = ()  # the names of parameters without a rule that are tensors, such as an index
    numbers = frozenset()  # the types of Python numbers that may stand for a tensor
    keeps_numbers = False  # forward and rules get them as they are, not as arrays
    called = {}  # PyTorch's names for what is saved, where node_names.SAVED_NAMES has others

    def __init_subclass__(cls, name=None):
        """Read off the class what applying it takes."""
        if cls.forward is None:
            return
        cls.__name__ = name or f"{cls.__name__}Backward0"
        cls.params, cls.rest = signature(cls.forward)
        operands = (*cls.params, cls.rest) if cls.rest else cls.params
        rules = {operand: getattr(cls, f"grad_{operand}", None) for operand in operands}
        cls.rules = {operand: rule for operand, rule in rules.items() if rule}
        needed = set(needs(cls, cls.rules).values())
        cls.saves_output = "out" in needed
        cls._frees = not needed.isdisjoint({"out", *cls.tensors, *cls.rules})
        cls.plans = Plans(cls)
        show_saved(cls)
        cls.apply = staticmethod(cls.applier())

    @classmethod
    def applier(cls):  # noqa: C901  (its steps are to be read one after the other)
        """The function `cls.apply`, made once for each class: it has the class's parts at hand.

        It computes the result, and records a node if an operand requires grad. Its arguments are
        tensors, and what else forward takes. Where none is a tensor, as in a rule at work in an
        ordinary backward pass, the result is an array and nothing is recorded. For what is
        neither, the answer is NotImplemented, as for Python's operators.
        """
        forward, plans = cls.forward, cls.plans
        numbers, keeps_numbers = cls.numbers, cls.keeps_numbers

        def apply(*args):
            arrays, edges = [], ()
            choice = 1  # and then, for each argument, the binary digit 1 if it requires grad
            known = False  # whether there is a tensor at all
            alike = True  # whether all tensors are float32 and of one shape
            for arg in args:  # unwrap
                choice += choice
                if isinstance(arg, Tensor):
                    if arg._meta is not None and arg._meta.view is not None:
                        refresh(arg)
                    known, array = True, arg._array
                    alike = alike and array.dtype is float32
                    alike = alike and (not arrays or array.shape == arrays[0].shape)
                    if arg._requires_grad:
                        choice += 1
                        edges += (arg._node or arg,)
                elif arg.__class__ in numbers:
                    array = arg if keeps_numbers else constants[arg]
                else:
                    array, alike = arg, False
                arrays.append(array)
            try:
                if not alike:
                    arrays = cls.one_dtype(args, arrays)
                out = mode.without_float_warnings(forward, *arrays) if known else forward(*arrays)
            except ValueError as error:
                return cls.refused(error, arrays)
            result = make(out) if known and out.__class__ is ndarray else wrapped(out, known)
            if edges and mode.enabled:
                record(plans[choice], edges, args, arrays, alike, result)
            elif edges and listeners:
                tell("cut", args)
            return result

        return apply

    @classmethod
    def one_dtype(cls, args, arrays):
        """Bring the arrays to one dtype; most operations leave them as they are."""
        return arrays

    @classmethod
    def refused(cls, error, arrays):
        """What to answer to a ValueError, NumPy's or one of `one_dtype`; most often to raise it."""
        raise error

    def _vjp(self, g, create_graph=False):
        """The gradient for each edge: of the operands that require grad, in their order.

        RuntimeError if what was saved has been freed, or was changed in place since.
        """
        if g is None:
            return (None,) * len(self._next)
        plan, saved = self._plan, self._saved
        if saved is None:
            if plan.saved:
                raise RuntimeError(FREED)
            saved = self._saved = plan.nothing  # there was nothing to free
        values = [g, *saved]  # what each rule is called with
        if create_graph:
            check_saved(self)
            values[1:] = [self._unpacked(place) for place in range(len(saved))]
        else:
            for place in plan.kept:
                value = saved[place]
                if value.__class__ is not ndarray and isinstance(value, Tensor):
                    meta = value._meta
                    if meta is not None and (meta.version.count or meta.detached):
                        check_saved(self)
                    values[place + 1] = value._array
        grads = []
        for rule in plan.rules:
            grads.append(rule(*values))
        return grads if self._restore is None else restored(grads, self._restore)

    def _unpacked(self, place):
        """One of the values saved; RuntimeError if it was changed in place since."""
        value = self._saved[place]
        if isinstance(value, Tensor):
            check_place(self, place)
            return from_node(value, self) if self._is_result(place) else value
        if isinstance(value, ndarray):  # a number, whose array all nodes share
            return make(value.copy())
        return value

    def _is_result(self, place):
        return self._plan.saved.get(place) == "out"

    def _sends_to(self, place):
        """Whether the operand at a place gets a gradient."""
        return place in self._plan.wanted

    def _note_version(self, place, version):
        """Note at which version the tensor was that is saved at a place."""
        self._versions = {**(self._versions or {}), place: version}

    def _written_into(self, x):
        """The result was written into the tensor `x`: if it was saved, what is saved is `x`."""
        if self._plan.saves_output:
            saved = self._saved[-1]
            saved._array = x._array  # what `x.data` changes unnoticed is changed here, too
            saved._meta.version = x._meta.version
            self._note_version(len(self._saved) - 1, x._version)

    @property
    def _shown(self):
        return self._plan.shown


class Constants(dict):
    """Python numbers as float32 arrays: the same few stand in every program."""

    def __missing__(self, number):
        array = mode.without_float_warnings(np.array, number, np.float32)
        if number and len(self) < 1000:  # 0.0 and -0.0 are equal, and are not the same
            self[number] = array
        return array


constants = Constants()


# --- computing and recording ----------------------------------------------------------------------


def wrapped(out, known):
    """A tensor for a NumPy number, which is no array; for a list of arrays a tuple of tensors."""
    if not known:  # a rule at work in an ordinary pass, where arrays stay arrays
        return out
    return tuple(map(make, out)) if isinstance(out, list) else make(np.asarray(out))


def refresh(view):
    """Give a view its new node if its base was changed in place since, and that is recorded."""
    if mode.enabled:
        current_node(view)


def record(plan, edges, args, arrays, alike, result):
    """Give a result its node. `arrays` is what forward was given for `args`.

    Unless these were `alike`, an operand may have been expanded or promoted: then gradients have to
    be brought back. What rules need is saved as it is, tensors themselves and no copies.
    """
    node = new(plan.operation)
    node._plan, node._next, node._hooks, node._number = plan, edges, None, tick()
    node._versions = node._restore = None
    if not alike:
        node._restore = [(args[i]._array.shape, args[i]._array.dtype) for i in plan.wanted]
    saved = plan.nothing
    if plan.saved:
        saved = [*saved]
        for place in plan.whole:
            value = args[place]
            if not isinstance(value, Tensor):
                value = arrays[place]
            elif value._meta is not None and value._meta.version.count:
                node._note_version(place, value._meta.version.count)
            saved[place] = value
        for place in plan.shapes:
            saved[place] = shape_of(args[place])
        if plan.saves_output:
            saved.append(saved_output(result))
    node._saved = saved
    if result.__class__ is tuple:
        several_outputs(node, result)
    else:
        result._node, result._requires_grad = node, True
    if listeners:
        tell("recorded", node, args, result[0] if isinstance(result, tuple) else result)


def shape_of(operand):
    """The shape of a tensor or array; a number has none."""
    return getattr(getattr(operand, "_array", operand), "shape", ())


def saved_output(result):
    """A result as its own node saves it: without a way back to the node, which would be a circle.

    It shares the result's `Meta`, and so its version: a change in place is noticed.
    """
    if result._meta is None:
        result._meta = Meta()
    alias = make(result._array)
    alias._meta = result._meta
    return alias


def from_node(saved, maker):
    """A saved result with the way back to its node, `maker`."""
    alias = make(saved._array)
    alias._node, alias._requires_grad = maker, True
    alias._meta = Meta(saved._meta.version) if saved._meta else None
    return alias


# --- versions: was what a node saved changed in place since? --------------------------------------


def check_saved(node):
    """RuntimeError if a tensor that a node saved was detached, or changed, in place since."""
    for place, n in zip(node._plan.wanted, node._next):
        value = node._saved[place]
        if n._is_node and isinstance(value, Tensor) and value._node is None:
            raise RuntimeError(DETACHED)
    for place in range(len(node._saved)):
        check_place(node, place)


def check_place(node, place):
    """RuntimeError if what a node saved in one place was changed in place since."""
    value = node._saved[place]
    if isinstance(value, Tensor) and value._meta is not None:
        saved_at = (node._versions or {}).get(place, 0)
        check_version(value, saved_at, node if node._is_result(place) else None)


def check_version(tensor, saved_at, maker=None):
    """RuntimeError if a tensor is not at the version at which it was saved.

    The message names the node that made the tensor's numbers: `maker`, if it is known.
    """
    version = tensor._meta.version.count
    if version == saved_at:
        return
    maker = maker or current_node(tensor)
    made_by = ""
    if maker is not None:
        made_by = f", which is output {maker._output_nr} of {short_name(maker)},"
    hint = HINT_IN_ANOMALY_MODE if anomaly.enabled else HINT
    kind, shape = tensor.dtype.tensor_name, list(tensor.shape)
    raise RuntimeError(MODIFIED.format(kind, shape, made_by, version, saved_at) + hint)


# --- undoing a broadcast, for all operations ------------------------------------------------------


def restored(grads, restore):
    """Gradients as their operands were before they were expanded or promoted."""
    undone = []
    for grad, (shape, dtype) in zip(grads, restore):
        undone.append(grad if grad is None else undo_broadcast(grad, shape, dtype))
    return undone


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
