"""Operations: how one is written, how applying it leaves a node, and how the node is undone.

An operation is one small class of plain functions (no `self`): `forward` computes an array from
arrays; beside it is a rule for each operand, `grad_x`, that turns the gradient `g` of the
result into that of `x`: a vector-Jacobian product.

    class Mul(Operation):
        def forward(x, y):
            return x * y

        def grad_x(g, _x, y):
            return g * y

        def grad_y(g, x, _y):
            return g * x

A rule's parameters after `g` are those of `forward`, all of them and in the same order, and their
names say what is saved for the rule: `x` is saved, `_x` is not, and of `x_shape` only the shape is.
`out`, at the end, is the result; if one rule needs it, all name it (`out` or `_out`), and it is
saved whichever of them run. So `x * c` with a constant `c` saves only `c`. If forward ends with a
`*tensors`, there is one rule for all of them, and its last parameter `which` says for which. A
class whose rules do not fit is refused when it is defined. A rule is a formula that works on plain
arrays (in an ordinary backward pass) and on tensors (with `create_graph=True`, where it is recorded
in turn).

`Mul.apply(x, y)` applies the operation. If an operand requires grad, the result gets a node: an
instance of the class, called MulBackward0, or as in `class Sum(Operation, name="SumBackward1")`.
Elementwise operations are such classes, too, each made by one line (ops/elements.py).
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
from .plan import Plans, check_rules, needs, signature
from .tensor import Meta, Tensor, current_node, make, meta_of, new, tick

ndarray = np.ndarray
float32 = np.dtype("float32")


class Operation(Node):
    """A node that a differentiable operation left behind; `apply` makes one.

    `_plan` says which rules it runs. `_saved` holds what they need, in the order of forward's
    parameters and with the result at the end, and None for what they do not need; once freed, it is
    None itself. `_versions` holds the versions of saved tensors that had been changed in place
    before, {index in `_saved`: version}. `_broadcast_from` holds the shape and dtype of the operand
    at each edge, or is None if the arguments were `uniform` (see `apply`).
    """

    __slots__ = ("_plan", "_saved", "_versions", "_broadcast_from")
    _plan: Any
    _saved: Any
    _versions: Any
    _broadcast_from: Any

    forward: Any = None
    apply: Any  # made from `forward` and the rules, for each class
    plans: Any
    params = ()  # the names of forward's parameters
    rest = None  # the last of them if it is a `*parameter`, for any number of operands
    rules = {}  # the operands that have a rule, by name
    saves_output = False  # a rule needs the result
    tensors: tuple = ()  # the names of parameters without a rule that are tensors, such as an index
    numbers = frozenset()  # the types of Python numbers that may stand for a tensor
    overwrites = False  # in place, all becomes one number: then elements may share memory
    keeps_numbers = False  # forward and rules get these numbers as they are, not as arrays
    torch_names = {}  # PyTorch's names for what is saved, unless node_names.SAVED_NAMES has them

    def __init_subclass__(cls, name=None):
        """Prepare `apply`. Raises TypeError for rules that do not fit."""
        if cls.forward is None:
            return
        cls.__name__ = name or f"{cls.__name__}Backward0"
        cls.params, cls.rest = signature(cls.forward)
        rules = {param: getattr(cls, f"grad_{param}", None) for param in cls.params}
        cls.rules = {operand: rule for operand, rule in rules.items() if rule}
        cls.saves_output = any(["out" in signature(rule)[0] for rule in cls.rules.values()])
        check_rules(cls)
        needed = set(needs(cls, cls.rules).values())
        cls._frees = not needed.isdisjoint({"out", *cls.tensors, *cls.rules})
        cls.plans = Plans(cls)
        show_saved(cls)
        cls.apply = staticmethod(cls.make_apply())

    @classmethod
    def make_apply(cls):  # noqa: C901  (its steps are to be read one after the other)
        """The function `cls.apply`, made once for each class, with the class's parts at hand."""
        forward, plans = cls.forward, cls.plans
        numbers, keeps_numbers = cls.numbers, cls.keeps_numbers

        def apply(*args):
            """Compute the result, and record a node if an operand requires grad.

            The arguments are those of forward, with tensors instead of arrays. Without any tensor,
            as when a rule runs in an ordinary backward pass, the result is an array. Elementwise
            operations are Python's operators, too, so they return NotImplemented for other types.
            """
            arrays, edges = [], ()
            pattern = 1  # then one binary digit for each argument: 1 if it requires grad
            wrap = False  # whether there is a tensor at all, so that the result becomes one
            uniform = True  # whether each is a number, or a float32 tensor of the one shape
            for arg in args:  # unwrap
                pattern += pattern
                if isinstance(arg, Tensor):
                    if arg._meta is not None and arg._meta.view is not None and mode.enabled:
                        current_node(arg)  # a new one if its base was changed in place since
                    wrap, array = True, arg._array
                    uniform = uniform and array.dtype is float32
                    uniform = uniform and (not arrays or array.shape == arrays[0].shape)
                    if arg._requires_grad:
                        pattern += 1
                        edges += (arg._node or arg,)
                elif arg.__class__ in numbers:
                    array = arg if keeps_numbers else constants[arg]
                else:
                    array, uniform = arg, False
                arrays.append(array)
            try:
                arrays = arrays if uniform else cls.one_dtype(args, arrays)
                if arrays is NotImplemented:
                    return arrays
                out = mode.without_float_warnings(forward, *arrays) if wrap else forward(*arrays)
            except ValueError as error:
                raise cls.refusal(error, arrays) from None
            result = make(out) if wrap and out.__class__ is ndarray else wrapped(out, wrap)
            if edges and mode.enabled:
                record(plans[pattern], edges, args, arrays, uniform, result)
            elif edges and listeners:
                tell("cut", args)
            return result

        return apply

    @classmethod
    def one_dtype(cls, args, arrays):
        """The arrays in one dtype, where an operation wants that; or NotImplemented."""
        return arrays

    @classmethod
    def refusal(cls, error, arrays):
        """What `apply` raises after a ValueError of `forward`."""
        return error

    def _vjp(self, g, create_graph=False):
        """The gradients of the operands that require grad, one for each edge.

        Raises RuntimeError if what was saved has been freed, or was changed in place since.
        """
        if g is None:
            return (None,) * len(self._next)
        plan, saved = self._plan, self._saved
        if saved is None:
            if plan.saved:
                raise RuntimeError(FREED)
            saved = self._saved = plan.nothing_saved  # so there was nothing to free
        values = [g, *saved]  # what each rule is called with
        if create_graph:
            check_saved(self)
            values[1:] = [self._saved_value(index) for index in range(len(saved))]
        else:
            for index in plan.saved_arrays:
                value = saved[index]
                if value.__class__ is not ndarray and isinstance(value, Tensor):
                    meta = value._meta
                    if meta is not None and (meta.version.count or meta.detached):
                        check_saved(self)
                    values[index + 1] = value._array
        grads = []
        for rule in plan.rules:
            grads.append(rule(*values))
        if self._broadcast_from is None:
            return grads
        return [undo_broadcast(g, *like) for g, like in zip(grads, self._broadcast_from)]

    def _saved_value(self, index):
        """One of the saved values. Raises RuntimeError if it was changed in place since."""
        value = self._saved[index]
        if isinstance(value, Tensor):
            check_saved_value(self, index)
            return reconnected(value, self) if self._is_result(index) else value
        if isinstance(value, ndarray):  # a number, in an array that all nodes share
            return make(value.copy())
        return value

    def _is_result(self, index):
        return self._plan.saved.get(index) == "out"

    def _note_version(self, index, version):
        """Remember the version of the tensor that is saved at an index."""
        self._versions = {**(self._versions or {}), index: version}

    def _written_into(self, x):
        """The result was written into the tensor `x`: let a saved result share its memory.

        So it is in PyTorch, where `y.exp_(); y.data.zero_()` changes what was saved, too.
        """
        if self._plan.saves_output:
            saved = self._saved[-1]
            saved._array = x._array
            saved._meta.version = x._meta.version
            self._note_version(len(self._saved) - 1, x._version)

    @property
    def _edge_indices(self):
        return self._plan.edge_indices


class Constants(dict):
    """Python numbers as float32 arrays: a program uses the same few again and again."""

    def __missing__(self, number):
        array = mode.without_float_warnings(np.array, number, np.float32)
        if number and len(self) < 1000:  # 0.0 and -0.0 are equal, and so would share an entry
            self[number] = array
        return array


constants = Constants()


# --- computing and recording ----------------------------------------------------------------------


def wrapped(out, wrap):
    """A tensor for a number of NumPy's, and a tuple of tensors for a list of arrays."""
    if not wrap:  # a rule that runs in an ordinary pass: arrays stay arrays
        return out
    return tuple(map(make, out)) if isinstance(out, list) else make(np.asarray(out))


def record(plan, edges, args, arrays, uniform, result):
    """Give a result its node. `arrays` is what forward was given for `args`.

    Unless these were `uniform`, an operand may have been broadcast or converted, and gradients have
    to be brought back to its shape and dtype. Saving copies nothing: tensors are saved themselves.
    """
    node = new(plan.operation)
    node._plan, node._next, node._hooks, node._number = plan, edges, None, tick()
    node._versions = node._broadcast_from = None
    if not uniform:
        operands = [args[index]._array for index in plan.wanted]
        node._broadcast_from = [(operand.shape, operand.dtype) for operand in operands]
    saved = plan.nothing_saved
    if plan.saved:
        saved = [*saved]
        for index in plan.saved_whole:
            value = args[index]
            if not isinstance(value, Tensor):
                value = arrays[index]
            elif value._meta is not None and value._meta.version.count:
                node._note_version(index, value._meta.version.count)
            saved[index] = value
        for index in plan.saved_shapes:
            saved[index] = np.shape(arrays[index])
        if plan.saves_output:
            saved.append(saved_output(result))
    node._saved = saved
    if result.__class__ is tuple:
        several_outputs(node, result)
    else:
        result._node, result._requires_grad = node, True
    if listeners:
        tell("recorded", node, args, result[0] if isinstance(result, tuple) else result)


def saved_output(result):
    """A result as its own node saves it: without the node, to avoid a reference cycle.

    It shares the result's `Meta`, and so its version, so that a change in place is noticed.
    """
    alias = make(result._array)
    alias._meta = meta_of(result)
    return alias


def reconnected(saved, node):
    """A saved result, connected again to the node that made it."""
    alias = make(saved._array)
    alias._node, alias._requires_grad = node, True
    alias._meta = Meta(saved._meta.version)
    return alias


# --- versions: was what a node saved changed in place since? --------------------------------------


def check_saved(node):
    """Raises RuntimeError if a saved tensor was detached or changed in place since."""
    for index, target in zip(node._plan.wanted, node._next):
        value = node._saved[index]
        if target._is_node and isinstance(value, Tensor) and value._node is None:
            raise RuntimeError(DETACHED)
    for index in range(len(node._saved)):
        check_saved_value(node, index)


def check_saved_value(node, index):
    """Raises RuntimeError if what a node saved at an index was changed in place since."""
    value = node._saved[index]
    if isinstance(value, Tensor) and value._meta is not None:
        saved_at = (node._versions or {}).get(index, 0)
        check_version(value, saved_at, node if node._is_result(index) else None)


def check_version(tensor, saved_at, node=None):
    """Raises RuntimeError unless a tensor still has the version that it was saved at.

    The message names the node that made the tensor: `node`, or its current one.
    """
    version = tensor._meta.version.count
    if version == saved_at:
        return
    node = node or current_node(tensor)
    made_by = ""
    if node is not None:
        made_by = f", which is output {node._output_nr} of {short_name(node)},"
    hint = HINT_IN_ANOMALY_MODE if anomaly.enabled else HINT
    kind, shape = tensor.dtype.tensor_name, list(tensor.shape)
    raise RuntimeError(MODIFIED.format(kind, shape, made_by, version, saved_at) + hint)


# --- undoing a broadcast, for all operations ------------------------------------------------------


def undo_broadcast(g, shape, dtype):
    """Bring a gradient back to an operand's shape and dtype, summing over what was repeated."""
    if g is None:
        return None
    added = g.ndim - len(shape)
    if added:
        g = g.sum(tuple(range(added)))
    if g.shape != shape:
        repeated = [d for d, n in enumerate(shape) if n == 1 and g.shape[d] != 1]
        g = g.sum(tuple(repeated), keepdims=True)
    if isinstance(g, Tensor):
        return g if g._array.dtype == dtype else g.to(dtypes.of(np.empty(0, dtype)))
    return g if g.dtype == dtype else g.astype(dtype)
