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
instance of the class. Operations on each element are such classes, too, made from one line each
(ops/table.py): `a * a` runs the `apply` of this page, and its backward pass the `_vjp`.
Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

import numpy as np

from . import dtypes
from .anomaly import anomaly
from .errors import DETACHED, FREED, HINT, HINT_IN_ANOMALY_MODE, MODIFIED
from .graph import Node, several_outputs
from .look import short_name, show_saved
from .modes import mode, recorders, report
from .plan import Plans, needs, signature
from .tensor import Meta, Tensor, current_node, make, tick

ndarray = np.ndarray
float32 = np.dtype("float32")


class Operation(Node):
    """A node that a differentiable operation left behind; `apply` makes one.

    `_plan` says which rules it runs. `_saved` has what they need, in the order of forward's
    parameters and with the result at the end, None for what they do not need; once freed, it is
    None itself. Only some nodes have the other two: `_versions` tells at which versions, if any of
    it had been changed in place by then; `_restore`, for operands that were expanded or promoted,
    to what shape and dtype their gradients have to be brought back.
    """

    __slots__ = ("_plan", "_saved", "_versions", "_restore")

    forward = None
    params = ()  # the names of forward's parameters
    rest = None  # the name of its `*parameter`, which stands for any number of operands
    rules = {}  # the operands that have a rule, by name
    saves_output = False  # a rule needs the result
    tensors = ()  # the names of parameters without a rule that are tensors, such as an index
    numbers = frozenset()  # the types of Python numbers that `apply` turns into arrays
    broadcasts = False  # forward brings its operands to one shape and dtype
    called = {}  # PyTorch's names for what is saved, where they are not those of look.SAVED_NAMES

    def __init_subclass__(cls, name=None):
        """Read off the class what applying it takes, and prepare that."""
        if cls.forward is None:
            return
        cls.__name__ = name or f"{cls.__name__}Backward0"
        cls.params, cls.rest = signature(cls.forward)
        operands = (*cls.params, cls.rest) if cls.rest else cls.params
        found = {operand: getattr(cls, f"grad_{operand}", None) for operand in operands}
        cls.rules = {operand: rule for operand, rule in found.items() if rule}
        needed = set(needs(cls, cls.rules).values())
        cls.saves_output = "out" in needed
        cls._frees = not needed.isdisjoint({"out", *cls.tensors, *cls.rules})
        cls.plans = Plans(cls)
        show_saved(cls)
        cls.apply = staticmethod(cls.prepared())

    @classmethod
    def prepared(cls):
        """The function that applies the operation, `cls.apply`, made once for each class.

        Its arguments are tensors, and what else forward takes. It computes the result, and records
        a node if an operand requires grad. Where no argument is a tensor, as in a rule at work in
        an ordinary backward pass, the result is an array and nothing is recorded.
        """
        forward, numbers, plans = cls.forward, cls.numbers, cls.plans

        def apply(*args):
            # `wanted` becomes the key of the plan (plan.py); `usual`: see `unusual`
            call = [forward]  # what to call, and with which arrays
            edges, key, usual = (), 1, True
            for arg in args:
                key += key  # one more digit: whether this operand requires grad
                if isinstance(arg, Tensor):
                    if arg._meta is not None and arg._meta.view is not None:
                        refresh(arg)
                    if arg._requires_grad:
                        key += 1
                        edges += (arg._node or arg,)
                    array = arg._array
                    usual = usual and array.dtype is float32
                    usual = usual and (len(call) == 1 or array.shape == call[1].shape)
                elif arg.__class__ in numbers:
                    array = constants[arg]
                else:
                    array, usual = arg, False
                call.append(array)
            answer = None if usual else cls.unusual(args, call)
            if answer is not None:
                return answer
            out = mode.without_warnings(*call)  # inf and nan are answers
            result = make(out) if out.__class__ is ndarray else other_results(out)
            if edges and mode.enabled:
                record(plans[key], edges, args, call, result, usual)
            elif edges and mode.watcher is not None:
                report("cut", args)
            return result

        apply.__qualname__ = f"{cls.__name__}.apply"
        return apply

    @classmethod
    def unusual(cls, args, call):
        """Look at arguments that are not all float32 tensors of one shape, or numbers.

        Whatever is returned, unless it is None, is the result. Operations of the table
        (ops/table.py) bring the arrays in `call`, behind forward, to one dtype here.
        """
        for arg in args:
            if isinstance(arg, Tensor):
                return None
        return cls.forward(*args)

    def _vjp(self, g, create_graph=False):
        """The gradient for each edge: of the operands that require grad, in their order.

        RuntimeError if what was saved has been freed, or was changed in place since.
        """
        if g is None:
            return (None,) * len(self._next)
        plan, saved = self._plan, self._saved
        if saved is None:
            if plan.saves:
                raise RuntimeError(FREED)
            saved = self._saved = plan.nothing  # there was nothing to free
        values = [g, *saved]  # what each rule is called with
        if create_graph:
            check_saved(self)
            values[1:] = [self._unpacked(place) for place in range(len(saved))]
        else:
            for place in plan.whole:
                value = saved[place]
                if value.__class__ is not ndarray and isinstance(value, Tensor):
                    meta = value._meta
                    if meta is not None and (meta.version.count or meta.detached):
                        check_saved(self)
                    values[place + 1] = value._array
        grads = []
        for rule in plan.rules:
            grads.append(rule(*values))
        return restored(grads, self._restore) if plan.restores else grads

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

    @property
    def _shown(self):
        return self._plan.shown


class Constants(dict):
    """Python numbers as float32 arrays: the same few stand in every program."""

    def __missing__(self, number):
        array = mode.without_warnings(np.array, number, np.float32)
        if number and len(self) < 1000:  # 0.0 and -0.0 are equal, and are not the same
            self[number] = array
        return array


constants = Constants()


# --- computing and recording ----------------------------------------------------------------------


def other_results(out):
    """A tensor for a NumPy number, which is no array; for a list of arrays a tuple of tensors."""
    return tuple(map(make, out)) if isinstance(out, list) else make(np.asarray(out))


def refresh(view):
    """Give a view its new node if its base was changed in place since, and that is recorded."""
    if mode.enabled:
        current_node(view)


def record(plan, edges, args, call, result, usual):
    """Give a result its node. `call` has forward, and what it was given for `args`.

    `usual` is True if the operands were float32 tensors of one shape, or numbers: then no operand
    was expanded or promoted.
    """
    node = plan.operation()
    node._plan = plan
    node._next = edges
    node._hooks = None
    node._number = tick()
    saved = plan.nothing
    if plan.saves:
        saved = [*saved]
        for place in plan.tensors:
            value = args[place]
            if not isinstance(value, Tensor):
                value = call[place + 1]
            elif value._meta is not None and value._meta.version.count:
                node._versions = versions(args)
            saved[place] = value
        for place in plan.shapes:
            saved[place] = shape_of(args[place])
        if plan.saves_output:
            saved.append(saved_output(result))
    node._saved = saved
    if not usual:
        bring_back(node, plan, args, result)
    if result.__class__ is tuple:
        several_outputs(node, result)
    else:
        result._node = node
        result._requires_grad = True
    if recorders:
        tell(args, result)


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


def tell(args, result):
    """Let the recorders hear of a new node."""
    result = result[0] if isinstance(result, tuple) else result
    for note in recorders:
        note(result._node._owner, args, result)


# --- versions: was what a node saved changed in place since? --------------------------------------


def versions(args):
    """The version of each operand and, at the end, of the result: 0 for all but changed tensors."""
    tensors = [isinstance(arg, Tensor) and arg._meta is not None for arg in args]
    return [*[arg._meta.version.count if known else 0 for arg, known in zip(args, tensors)], 0]


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
        saved_at = node._versions[place] if hasattr(node, "_versions") else 0
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


def bring_back(node, plan, args, result):
    """Note on a node to what (shape, dtype) gradients are brought back; None for one as it is."""
    if not plan.operation.broadcasts:
        return
    out = result._array
    mixed = any([isinstance(arg, Tensor) and arg._array.dtype != out.dtype for arg in args])
    found = []
    for place in plan.wanted:
        array = args[place]._array
        found.append((array.shape, array.dtype) if mixed or array.shape != out.shape else None)
    if any(found):
        node._plan, node._restore = plan.restoring, found


def restored(grads, restore):
    """Gradients as their operands were before they were expanded or promoted."""
    found = []
    for grad, was in zip(grads, restore):
        found.append(grad if was is None or grad is None else undo_broadcast(grad, *was))
    return found


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
