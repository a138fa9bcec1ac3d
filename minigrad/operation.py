"""Operations: how one is written, and how applying it records a node.

An operation is one small class. Its `forward` computes arrays from arrays; beside it stands a rule for
each operand, `grad_x`, that turns the gradient `g` of the result into the gradient of `x`. The names of
a rule's other parameters say what it needs, and therefore what is saved:

    class Mul(Operation):
        forward = np.multiply

        def grad_x(g, y):
            return g * y

        def grad_y(g, x):
            return g * x

`x * c` with a constant `c` needs only `grad_x`, so only `c` is saved. A rule is a formula that serves plain
arrays (an ordinary backward pass) and tensors (`create_graph=True`, where it is recorded in turn).
Three names are not parameters of `forward`: `out` is the result, `x_shape` a shape, `like_x` a
stand-in that has the shape, strides and dtype of `x` but not its memory.

Applying an operation to tensors that require grad makes an instance of the class: the node. Mirrors
https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

import contextvars
import weakref

import numpy as np

from .broadcasting import restoration, restored  # noqa: F401  (in what is written out)
from .errors import DETACHED, FREED, NO_SAVING_OF_INFERENCE, modified
from .grad_mode import mode
from .graph import Node, edge  # noqa: F401
from .hooks import recorders
from .saved import SAVED_NAMES, Saved
from .tensor import Tensor, count, current_node, made_for_inference, make, new  # noqa: F401

ndarray = np.ndarray

with np.errstate(all="ignore"):  # inf and nan are answers here, not warnings
    _quiet = contextvars.copy_context()


def quietly(function, *args):
    """`function(*args)` without NumPy's floating point warnings (cheaper than an errstate block)."""
    try:
        return _quiet.run(function, *args)
    except RuntimeError as error:
        if "cannot enter context" not in str(error):
            raise
    with np.errstate(all="ignore"):  # another thread is in that context
        return function(*args)


def parameters(function):
    """The names of a function's parameters."""
    code = getattr(function, "__wrapped__", function).__code__
    return code.co_varnames[: code.co_argcount]


class Operation(Node):
    """A node that a differentiable operation left behind; calling the class applies it."""

    __slots__ = ("_plan", "saved", "versions", "restore", "watched")

    forward = None
    params = operands = positions = rules = ()
    floats = False  # integers are converted to the default float type first
    fills = False  # in place it writes one number everywhere, also where elements share memory
    write = None  # how to do it in place, if not by writing what `forward` gives
    warns = ()  # for a tensor whose elements share memory, not refused yet: its name, and its other form
    promoted = ()  # the places of what shares one dtype, if not just the operands
    broadcasts = False  # operands may have been expanded or promoted: undo that in backward
    called = {}  # PyTorch's names for what is saved, where they are not those in `SAVED_NAMES`
    tensor_params = ()  # parameters that may be tensors without having a rule (masks, indices)

    def __init_subclass__(cls, name=None):
        """Read off the class what applying it takes: its rules, its parameters, which are operands."""
        super().__init_subclass__(name or f"{cls.__name__}Backward0")
        own = [name for name in vars(cls) if name[:5] == "grad_"]
        cls.rules = tuple(dict.fromkeys([*cls.rules, *own]))
        named = [rule[5:] for rule in cls.rules]
        says = not (isinstance(cls.forward, np.ufunc) or cls.forward is None)  # what its parameters are
        cls.params = parameters(cls.forward) if says else tuple(named)
        cls.operands = tuple([param for param in cls.params if param in named])
        cls.positions = tuple(map(cls.params.index, cls.operands))
        cls.plans = [None] * (1 << len(cls.operands))
        own = cls.rules if "called" in vars(cls) else own
        for value in {name for rule in own for name in parameters(getattr(cls, rule))[1:]}:
            shown = f"_saved_{cls.public(value)}"
            if not value.startswith("like_") and shown not in vars(cls):
                setattr(cls, shown, Saved(value))

    def __new__(cls, *args):
        """Apply the operation. With plain arrays the result is an array and nothing is recorded."""
        arrays, mask, tensors, recording = list(args), 0, False, mode.enabled
        numbers = False
        for position, arg in enumerate(args):
            if isinstance(arg, Tensor):
                if recording and arg._meta is not None:
                    current_node(arg)  # what is wrong with a view is said first
                arrays[position] = arg._array
                tensors = True
            elif isinstance(arg, np.generic):
                numbers = True
        if not tensors:
            return cls.forward(*args)
        if numbers:  # NumPy's own: np.float64(1) would make everything float64
            return cls(*[arg.item() if isinstance(arg, np.generic) else arg for arg in args])
        out = quietly(cls.forward, *arrays)
        if out.__class__ is not ndarray:
            out = np.asarray(out)
        result = make(out)
        if recording:
            bit = 1
            for position in cls.positions:
                arg = args[position]
                if isinstance(arg, Tensor) and arg._requires_grad:
                    mask |= bit
                bit += bit
            if mask and out.dtype.kind == "f":
                result._node = record(cls, mask, args, out)
                result._requires_grad = True
        elif mode.inference:
            made_for_inference(result)
        return result

    @classmethod
    def public(cls, value):
        """PyTorch's name for a saved value."""
        return cls.called.get(value) or SAVED_NAMES.get(value, value)

    @classmethod
    def plan_for(cls, mask):
        """The `Plan` for the operands that need a gradient (bit i of `mask`: operand i)."""
        plan = cls.plans[mask]
        if plan is None:
            plan = cls.plans[mask] = Plan(cls, mask)
        return plan

    def _watch(self, version, shown=None):
        if self._plan.saves_out and self.watched is None and self.saved is not None:
            self.watched = (version, version.n, weakref.ref(shown or self))

    def unpack(self):
        """The saved values as tensors to build a graph on; numbers and shapes as they are."""
        if self.saved is None:  # hooks packed it
            return self.versions.unpacked(self)
        values = []
        for name, value in zip(self._plan.names, self.saved):
            if value.__class__ is ndarray:
                value = make(value)
                if name == "out":
                    self.check_result()
                    value._node, value._requires_grad = self, True
            elif isinstance(value, Tensor) and value._meta is not None:
                self.check_version(value, len(values))
            values.append(value)
        return values

    def check_result(self):
        """RuntimeError if the result was saved and changed in place since."""
        if self.watched is not None:
            version, expected, shown = self.watched
            if version.n != expected:
                raise modified(self.saved[-1], shown() or self, version.n, expected)

    def check_version(self, tensor, position):
        """RuntimeError if a saved tensor was changed in place, or detached, since it was saved."""
        if tensor._meta.detached > self._number:
            raise RuntimeError(DETACHED)
        found = tensor._meta.version.n
        expected = self.versions[position] if self.versions else 0
        if found != expected:
            raise modified(tensor._array, current_node(tensor), found, expected)

    def __call__(self, g):
        """Run this node alone: `grad_fn(v)`."""
        grads = self._plan.apply(self, g if mode.enabled else g._array, mode.enabled)
        grads = [x if x is None or isinstance(x, Tensor) else make(np.asarray(x)) for x in grads]
        return grads[0] if len(grads) == 1 else tuple(grads)

    def saved_value(self, name):
        """What is saved under the name that the rules give it; None if no gradient needed it."""
        if name not in self._plan.names:
            return None
        if self.saved is None and self.versions is None:
            raise RuntimeError(FREED)
        if self.saved is None:
            return self.versions.unpacked(self, name)[self._plan.names.index(name)]
        return self.unpack()[self._plan.names.index(name)]


class Plan:
    """How one operation is recorded, and undone, when certain of its operands need a gradient.

    `names` are the saved values, in the order in which PyTorch looks at them; `rules` has a rule for
    each operand, None where no gradient is needed. Its functions are written out, because loops over
    names and rules, run for every operation, take twice as long. Those of `x * 2` are (`print(plan.source)`)

        def record(out, x, y):
            node = new(cls)
            node.saved = (y,)
            node._next = (x._node or edge(x), None)
            ...                                       # see SOURCE
            return node

        def apply(node, g, create_graph):             # for arrays; what is rarer is left to `pulled`
            (y,) = node.saved
            ...
            return (grad_x(g, y), None)

        def pull(node, g, y):                         # for tensors
            return (grad_x(g, y), None)
    """

    __slots__ = ("names", "rules", "frees", "saves_out", "source", "record", "apply", "pull")

    def __init__(self, cls, mask):
        wanted = [mask >> i & 1 for i in range(len(cls.operands))]
        self.rules = [getattr(cls, f"grad_{operand}") if wants else None
                      for operand, wants in zip(cls.operands, wanted)]  # fmt: skip
        needs = [parameters(rule)[1:] if rule else () for rule in self.rules]
        names = {name for names in needs for name in names}
        if any("out" in parameters(getattr(cls, f"grad_{x}")) for x in cls.operands):
            names.add("out")  # PyTorch keeps the result whichever gradient needs it, and checks it last
        self.names = tuple(sorted(names, key=lambda name: (name == "out", cls.public(name))))
        kept = {*cls.operands, *cls.tensor_params, "out"}
        self.frees = any(name in kept for name in self.names)
        self.saves_out = "out" in self.names

        given = [name for name in self.names if name in cls.params]
        grads = _tuple(f"grad_{x}({', '.join(['g', *names])})" if wants else "None"
                       for x, wants, names in zip(cls.operands, wanted, needs))  # fmt: skip
        self.source = SOURCE.format(
            params="".join(f", {x}=None" for x in cls.params),
            args=_tuple(cls.params),
            saved=_tuple(map(_source, self.names)),
            next=_tuple(f"{x}._node or edge({x})" if wants else "None"
                        for x, wants in zip(cls.operands, wanted)),
            watched=" = node.watched" if self.saves_out else "",
            restore=" = node.restore" if cls.broadcasts else "",
            changed=" or ".join(f"version_of({x})" for x in given if x in kept) or "False",
            freed="node.saved is None" if self.frees else "False",
            names=_tuple(self.names),
            check_result="\n    node.check_result()" if self.saves_out else "",
            arrays="".join(ARRAY.format(x=x, i=self.names.index(x)) for x in given),
            grads=f"restored(node, {grads})" if cls.broadcasts else grads,
            values="".join(f", {name}" for name in self.names),
        )  # fmt: skip
        rules = {f"grad_{x}": rule for x, rule in zip(cls.operands, self.rules)}
        written = {**globals(), **rules, "cls": cls, "plan": self}
        exec(compile(self.source, f"<plan of {cls.__name__}>", "exec"), written)
        self.record, self.apply, self.pull = map(written.get, ("record", "apply", "pull"))

    def release(self, node):
        """Forget what was saved; True if there was something."""
        had = node.saved is not None or node.versions is not None
        node.saved = node.versions = None
        return had


SOURCE = """
def record(out{params}):
    node = new(cls)
    node._plan = plan
    node._next = {next}
    node.saved = {saved}
    node._hooks = node.versions{watched}{restore} = None
    node._number = count()  # after the edges: an operand's node is always older than its user
    if {changed}:
        node.versions = [version_of(value) for value in node.saved]
    if recorders:
        tell(node, {args}, out)
    return node

def apply(node, g, create_graph):
    if create_graph or g is None or {freed}:
        return pulled(node, g, create_graph)
    {names} = node.saved{arrays}{check_result}
    return {grads}

def pull(node, g{values}):
    return {grads}
"""
ARRAY = """
    if isinstance({x}, Tensor):
        if {x}._meta is not None:
            node.check_version({x}, {i})
        {x} = {x}._array"""


def pulled(node, g, create_graph):
    """`apply` where something is unusual: gradients that are tensors, none, or what was saved is packed."""
    if node.saved is None and node.versions is None:
        raise RuntimeError(FREED)
    if g is None:
        return [None] * len(node._next)
    values = node.unpack()
    if not create_graph:
        values = [value._array if isinstance(value, Tensor) else value for value in values]
    return node._plan.pull(node, g, *values)


def _tuple(expressions):
    return f"({''.join(f'{expression}, ' for expression in expressions)})"


def _source(name):
    """The expression for a saved value: the result, an argument, its shape, or all but its memory."""
    if name.endswith("_shape"):
        return f"{name.removesuffix('_shape')}._array.shape"
    if name.startswith("like_"):
        return f"Like({name.removeprefix('like_')}._array)"
    return name


class Like:
    """The shape, strides and dtype of an array that is itself not kept."""

    __slots__ = ("shape", "strides", "dtype")

    def __init__(self, array):
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype


def record(cls, mask, args, out):
    """Make the node of an operation that was applied to `args` and gave the array `out`."""
    node = (cls.plans[mask] or cls.plan_for(mask)).record(out, *args)
    if cls.broadcasts:
        node.restore = restoration(cls, mask, args, out)
    return node


def tell(node, args, out):
    """Let the recorders hear of a new node."""
    for note in recorders:
        note(node, args, out)


def version_of(value):
    """How often a tensor that is to be saved was changed in place; 0 for other values."""
    if not isinstance(value, Tensor) or value._meta is None:
        return 0
    if not value._meta.version.tracked:
        raise RuntimeError(NO_SAVING_OF_INFERENCE)
    return value._meta.version.n
