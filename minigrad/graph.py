"""The graph: its nodes, and the edges between them.

A node is one step of a computation, and its edges lead back to where the step's operands came from:
to another node, or straight to a leaf tensor. The nodes of operations are defined in operation.py.
Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html
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
    says when the node was made: the nodes of operands always have smaller numbers than their users.
    Names with a leading underscore are internal, because a `Function`'s ctx is a node, too, on
    which users keep values of their own.
    """

    __slots__ = ("_number", "_next", "_hooks", "__weakref__")
    _number: int
    _next: Any
    _hooks: Any

    _is_node = True  # an edge leads to a node, or to a tensor, where this is False
    _frees = False  # whether it has something in `_saved` that a pass frees
    _outputs = 1  # how many results; with more than one, gradients arrive as `OutputGrads`
    _output_nr = 0  # which output of its owner this is

    _namespace = ""  # shown before the name, where the node is a C++ class in PyTorch

    def __lt__(self, other):
        """The younger one counts as the smaller, which is what Python's heap hands out first."""
        return self._number > other._number

    def _vjp(self, g, create_graph=False):
        """The gradient for each edge, given that of the result: a vector-Jacobian product."""
        raise NotImplementedError(f"{self.name()} cannot be run alone")

    def __call__(self, *gradients):
        """Run this node alone: `y.grad_fn(v)` returns what it sends to each operand for `v`."""
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
        """Call `hook(grad_inputs, grad_outputs)` after the node ran; a tuple replaces the first."""
        return self._make_hooks().add("after", hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before the node runs; a tuple that it returns replaces them."""
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
        """For each operand in `next_functions`, its place in `_next`, or None."""
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
    """Where a tensor's gradient goes: to the node that made it, to a leaf itself, or None."""
    node = tensor._node if tensor._meta is None else current_node(tensor)
    return node or (tensor if tensor._requires_grad else None)


def edges_of(values):
    """The edges of those among some values that are tensors and need a gradient."""
    edges = [edge(value) for value in values if hasattr(value, "_array")]
    return tuple([n for n in edges if n is not None])


class AccumulateGrad(Node):
    """The node that stands for a leaf in `next_functions`.

    In PyTorch it adds to the leaf's `.grad`. Here an edge leads to the leaf itself, and this node
    is made only when `next_functions` is read.
    """

    __slots__ = ("variable",)
    variable: Any
    _namespace = "torch::autograd::"

    def _make_hooks(self):
        """A leaf's hooks belong to the leaf: they outlive this node."""
        return leaf_hooks(self.variable)


def accumulator(leaf):
    """The AccumulateGrad node of a leaf: the same one as long as anything refers to it."""
    meta = meta_of(leaf)
    node = meta.accumulator and meta.accumulator()
    if node is None:
        node = placed(new(AccumulateGrad), ())
        node.variable = leaf
        meta.accumulator = weakref.ref(node)
    return node


# --- nodes with several outputs -------------------------------------------------------------------


class OutputGrads(list):
    """The gradients of a node's several outputs, None where none arrived; `+` adds each to each."""

    def __add__(self, other):
        pairs = zip(self, other)
        return OutputGrads([a if b is None else b if a is None else a + b for a, b in pairs])


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
    """Give each of a node's results, which are tensors, its own output node."""
    node._outputs = len(results)
    for result, output in zip(results, output_nodes(node)):
        result._node, result._requires_grad = output, True


# --- walking --------------------------------------------------------------------------------------


def reached(starts):
    """All nodes on the ways back from some nodes and leaves, the first ones included."""
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

    `ours` says that the pass made the array `total` itself, and so may add to it in place. An array
    that comes from a rule may be in use elsewhere.
    """

    missing, total, ours = 0, None, False


def incoming_at_leaves(roots, on_path=None):
    """An `Incoming` for each leaf that a pass will reach, with the number of its gradients."""
    leaves, seen, ways = {}, set(), [roots]
    for edges in ways:  # a list that grows during the loop
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
    """The nodes, among those reached from `starts`, that lead to the nodes and leaves `goals`."""
    leading, ends = set(), {_end_of(goal) for goal in goals}
    for node in sorted(reached(starts), key=lambda node: node._number):  # operands before users
        if any(n in leading or _end_of(n) in ends for n in node._next):
            leading.add(node)
    return leading


def _end_of(n):
    """What counts as a goal: all outputs of one node count as one, as they do in PyTorch."""
    return ("outputs of", n._owner) if isinstance(n, OutputNode) else n
