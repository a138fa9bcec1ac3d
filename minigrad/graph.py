"""The graph: its nodes, and the edges between them.

A node stands for one step of a computation, and its edges lead to where the step's operands came
from: the way back. An edge ends at another node or, straight, at a leaf tensor. The nodes that
operations leave behind are defined in operation.py. Mirrors
https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

import weakref
from typing import Any

from .hooks import Hooks, as_tensor, leaf_hooks
from .modes import mode
from .node_names import NodeType, shown
from .tensor import current_node, meta_of, new, tick


class Node(metaclass=NodeType):
    """One step of a recorded computation.

    `_next` holds an edge, to a node or a leaf, for each operand that needs a gradient. `_number`
    tells when the node was made: operands' nodes always have smaller numbers than their users.
    What begins with an underscore is the engine's: a `Function`'s ctx is a node, too, and users
    keep values of their own on it.
    """

    __slots__ = ("_number", "_next", "_hooks", "__weakref__")
    _number: int
    _next: Any
    _hooks: Any

    _is_node = True
    _frees = False  # whether it has something in `_saved` that a pass frees
    _outputs = 1  # how many results; with more than one, gradients arrive as `OutputGrads`
    _output_nr = 0  # which output of its owner this is

    _namespace = ""  # how it looks: some nodes are C++ classes in PyTorch

    def __lt__(self, other):
        """Younger nodes come first: a pass takes the youngest that is ready."""
        return self._number > other._number

    def _vjp(self, g, create_graph=False):
        """The gradient for each edge, given that of the result: a vector-Jacobian product."""
        raise NotImplementedError(f"{self.name()} cannot be run alone")

    def __call__(self, *gradients):
        """Run this node alone: `y.grad_fn(v)` is what it sends to each operand when `v` arrives."""
        if not mode.enabled:
            gradients = [g if g is None else g._array for g in gradients]
        g = gradients[0] if self._outputs == 1 else OutputGrads(gradients)
        grads = shown(self, self._vjp(g, mode.enabled))
        sent = [g if g is None else as_tensor(g) for g in grads]
        return sent[0] if len(sent) == 1 else tuple(sent)

    # -- hooks ------------------------------------------------------------------------------------

    def _make_hooks(self):
        """This node's `Hooks`, made on first use."""
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` after this node ran; its result replaces them."""
        return self._make_hooks().add("after", hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before this node runs; its result replaces them."""
        return self._make_hooks().add("before", hook)

    @property
    def metadata(self):
        """A dictionary for the user's notes about this node."""
        return self._make_hooks().metadata

    # -- how it looks -----------------------------------------------------------------------------

    @property
    def _owner(self):
        """The node to show as `grad_fn`: itself, unless it is one output of another."""
        return self

    @property
    def _shown(self):
        """For each operand that is shown its place in `_next`, or None."""
        return range(len(self._next))

    @property
    def next_functions(self):
        """The operands' nodes as pairs (node, which of its outputs)."""
        return tuple([_end(n) for n in shown(self, self._next)])

    def name(self):
        """The name of the node's kind, such as 'AddBackward0'."""
        return self._namespace + type(self).__name__

    def __repr__(self):
        return f"<{type(self)._place}{type(self).__name__} object at {id(self):#x}>"


def _end(n):
    """The end of an edge as `next_functions` shows it."""
    if n is None:
        return None, 0
    return (n._owner, n._output_nr) if n._is_node else (accumulator(n), 0)


def placed(node, edges):
    """A new node with its edges, no hooks, and its number: younger than what the edges lead to."""
    node._next = edges
    node._hooks = None
    node._number = tick()
    return node


def edge(tensor):
    """Where a tensor's gradient goes: the node that made it, itself if it is a leaf, or None."""
    node = tensor._node if tensor._meta is None else current_node(tensor)
    return node or (tensor if tensor._requires_grad else None)


def edges_of(values):
    """The edges of those among some values that are tensors and need a gradient."""
    edges = [edge(value) for value in values if hasattr(value, "_array")]
    return tuple([n for n in edges if n is not None])


class AccumulateGrad(Node):
    """The end of the way back, as PyTorch shows it: adds what arrives to the leaf's `.grad`.

    The engine goes to the leaf itself; this node is made when somebody looks.
    """

    __slots__ = ("variable",)
    variable: Any
    _namespace = "torch::autograd::"

    def _make_hooks(self):
        """A leaf's hooks belong to the leaf: they outlive this node."""
        return leaf_hooks(self.variable)


def accumulator(leaf):
    """The AccumulateGrad node of a leaf: the same one for as long as somebody holds it."""
    meta = meta_of(leaf)
    node = meta.accumulator and meta.accumulator()
    if node is None:
        node = placed(new(AccumulateGrad), ())
        node.variable = leaf
        meta.accumulator = weakref.ref(node)
    return node


# --- nodes with several outputs -------------------------------------------------------------------


class OutputGrads(list):
    """The gradients of a node's several outputs, None where none came; `+` adds into this list."""

    def __add__(self, other):
        for i, g in enumerate(other):
            if g is not None:
                self[i] = g if self[i] is None else self[i] + g
        return self

    __iadd__ = __add__


class OutputNode(Node):
    """One output of a node that has several: passes its gradient on to its place there."""

    __slots__ = ("_owner", "_output_nr")

    def _vjp(self, g, create_graph=False):
        places = OutputGrads([None] * self._owner._outputs)
        places[self._output_nr] = g
        return (places,)


def output_nodes(node):
    """A node for each output of a node."""
    nodes = []
    for i in range(node._outputs):
        output = placed(new(OutputNode), (node,))
        output._owner, output._output_nr = node, i
        nodes.append(output)
    return nodes


def several_outputs(node, results):
    """Give each of a node's results, which are tensors, its own end of the graph."""
    node._outputs = len(results)
    for result, output in zip(results, output_nodes(node)):
        result._node, result._requires_grad = output, True


# --- walking --------------------------------------------------------------------------------------


def reached(starts):
    """All nodes that can be reached from some nodes and leaves, these nodes included."""
    seen = dict.fromkeys(n for n in starts if n._is_node)
    stack = list(seen)
    while stack:
        for n in stack.pop()._next:
            if n._is_node and n not in seen:
                seen[n] = None
                stack.append(n)
    return seen


class Incoming:
    """What arrives at one leaf in a pass: how many gradients are missing, and the total so far.

    `ours` says that the total is an array that the pass made itself: into that it may add. Into one
    that a rule handed on it must not.
    """

    missing, total, ours = 0, None, False


def incoming_at_leaves(roots, on_path=None):
    """An `Incoming` for each leaf to which a pass from `roots`, that keeps to a path, leads."""
    leaves, seen, ways = {}, set(), [roots]
    for edges in ways:  # which grow while they are walked
        for n in edges:
            if not n._is_node:
                if n not in leaves:
                    leaves[n] = Incoming()
                leaves[n].missing += 1
            elif n not in seen:
                seen.add(n)
                if on_path is None or n in on_path:
                    ways.append(n._next)
    return leaves


def path(goals, starts):
    """The nodes, on the way from `starts`, that lead to one of the nodes and leaves `goals`."""
    leading, ends = set(), {_end_of(goal) for goal in goals}
    for node in sorted(reached(starts), key=lambda node: node._number):  # operands before users
        if any(n in leading or _end_of(n) in ends for n in node._next):
            leading.add(node)
    return leading


def _end_of(n):
    """Where a way ends: the outputs of one node are one end, as they are in PyTorch."""
    return ("outputs of", n._owner) if isinstance(n, OutputNode) else n
