"""The graph: its nodes, and the edges between them.

A node stands for one step of a computation, and its edges lead to the nodes of the step's operands: the
way back. Each way ends at a leaf's `AccumulateGrad`. The nodes that operations leave behind are defined
in operation.py. Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

import weakref

from .hooks import Hooks
from .tensor import count, current_node, meta_of, new


class NodeType(type):
    """Node classes print as in PyTorch: <class 'AddBackward0'>."""

    place = ""  # the module that PyTorch shows before the name

    def __repr__(cls):
        return f"<class '{cls.place}{cls.__name__}'>"


class Node(metaclass=NodeType):
    """One step of a recorded computation.

    `_next` holds, for each operand, the node that made it (None where no gradient is needed), and
    `_number` counts creations: an operand's node always has a smaller number than its user. What
    begins with an underscore is the engine's: a `Function`'s ctx is a node, and users keep their own
    values on it.
    """

    __slots__ = ("_number", "_next", "_hooks", "__weakref__")

    def __init_subclass__(cls, name=None):
        cls.__name__ = name or cls.__name__

    namespace = ""  # of the name: some nodes are C++ classes in PyTorch
    frees = False  # whether there is something to release after the node ran
    _output_nr = 0
    _outputs = 1  # how many results; with more than one, gradients arrive as a list

    @property
    def _plan(self):
        """Where the backward pass finds the functions `apply` and `release` of this node."""
        return type(self)

    @property
    def _owner(self):
        """The node to show as `grad_fn`: itself, unless it is a port."""
        return self

    @property
    def next_functions(self):
        """The operands' nodes as pairs (node, which of its outputs)."""
        return tuple([(n and n._owner, n._output_nr if n else 0) for n in self._next])

    @property
    def metadata(self):
        """A dictionary for the user's notes about this node."""
        return self._make_hooks().metadata

    def name(self):
        """The name of the node's kind, such as 'AddBackward0'."""
        return self.namespace + type(self).__name__

    def __repr__(self):
        return f"<{type(self).place}{type(self).__name__} object at {id(self):#x}>"

    def _make_hooks(self):
        """This node's `Hooks`, made on first use."""
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` after this node ran."""
        return self._make_hooks().add("after", hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before this node runs."""
        return self._make_hooks().add("before", hook)

    def _watch(self, version, shown=None):
        """A result of this node now has a version counter (nodes that saved a result listen).

        `shown` is the result's `grad_fn` where that is another node: of a view changed in place.
        """


def placed(node, *next):
    """A new node in its place: behind the nodes `next`, younger than they are."""
    node._next, node._hooks, node._number = next, None, count()
    return node


def edge(tensor):
    """Where a tensor's gradient goes: the node that made it, or a leaf's AccumulateGrad."""
    meta = tensor._meta
    if meta is not None and meta.base is not None:
        current_node(tensor)
        if meta.borrowed:
            return None
    return tensor._node or accumulator(tensor)


class AccumulateGrad(Node):
    """The end of the way back: adds what arrives to the leaf's `.grad`.

    There is one for all uses of a leaf. It keeps the leaf alive, not the other way round.
    """

    __slots__ = ("variable",)
    namespace = "torch::autograd::"

    def _make_hooks(self):
        """A leaf's hooks belong to the leaf: they outlive this node."""
        meta = meta_of(self.variable)
        if meta.hooks is None:
            meta.hooks = Hooks()
        self._hooks = meta.hooks
        return self._hooks


def accumulator(leaf):
    """The AccumulateGrad node of a leaf: the same one for as long as a graph holds it."""
    meta = leaf._meta or meta_of(leaf)
    node = meta.accumulator and meta.accumulator()
    if node is None:
        node = placed(new(AccumulateGrad))
        node.variable, node._hooks = leaf, meta.hooks
        meta.accumulator = weakref.ref(node)
    return node


class Port(Node):
    """One output of a node that has several: passes its gradient on to that place."""

    __slots__ = ("_owner", "_output_nr")

    def _make_hooks(self):
        self._owner._make_hooks().ports[self._output_nr] = weakref.ref(self)
        return super()._make_hooks()

    def apply(self, g, create_graph):
        """The gradient as it came: the pass puts it in its place."""
        return (g,)


def ports(node, outputs):
    """A port for each output of a node."""
    found = []
    for i in range(outputs):
        port = placed(new(Port), node)
        port._owner, port._output_nr = node, i
        found.append(port)
    return found
