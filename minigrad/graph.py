"""The graph: its nodes, and the edges between them.

A node is one step of a computation, and its edges lead back to where the step's operands came from:
to another node, or straight to a leaf tensor. The nodes of operations are defined in operation.py.
Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

import weakref
from collections import defaultdict
from typing import Any

from .hooks import Handle, Hooks, as_tensors, leaf_hooks
from .modes import mode
from .node_names import NodeType, by_operand, edge_indices
from .tensor import current_node, meta_of, new, tick


class Node(metaclass=NodeType):
    """One step of a recorded computation.

    `_next` holds an edge, to a node or a leaf, for each operand that needs a gradient, and
    `_edge_indices` for each operand in `next_functions` the index of its edge, or None; an
    operation's are its plan's. `_number` says when the node was made: the nodes of operands always
    have smaller numbers than their users.
    Names with a leading underscore are internal, because a `Function`'s ctx is a node, too, on
    which users keep values of their own.
    """

    __slots__ = ("_number", "_next", "_hooks", "__weakref__")
    _number: int
    _next: Any
    _edge_indices: Any
    _hooks: Any

    _is_node = True  # an edge leads to a node, or to a tensor, where this is False
    _frees = False  # whether it has something in `_saved` that a pass frees
    _outputs = 1  # how many results; with more than one, gradients arrive as `OutputGrads`
    _output_nr = 0  # which output of its owner this is

    _namespace = ""  # printed before the name of a node that is a C++ class in PyTorch

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
        sent = as_tensors(by_operand(self, self._vjp(g, mode.enabled)))
        return sent[0] if len(sent) == 1 else sent

    # -- hooks ------------------------------------------------------------------------------------

    def _make_hooks(self):
        """This node's `Hooks`, made on first use."""
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` after the node ran; a tuple replaces the first."""
        return Handle(self._make_hooks().after, hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before the node runs; a tuple that it returns replaces them."""
        return Handle(self._make_hooks().before, hook)

    @property
    def metadata(self):
        """A dictionary for the user's notes about this node."""
        return self._make_hooks().metadata

    # -- what it shows ----------------------------------------------------------------------------

    @property
    def _owner(self):
        """The node to show as `grad_fn`: itself, unless it is one output of another."""
        return self

    @property
    def next_functions(self):
        """The operands' nodes as pairs (node, which of its outputs)."""
        return tuple([_as_shown(target) for target in by_operand(self, self._next)])

    def name(self):
        """The name of the node's kind, such as 'AddBackward0'."""
        return self._namespace + type(self).__name__

    def __repr__(self):
        return f"<{type(self)._place}{type(self).__name__} object at {id(self):#x}>"


def _as_shown(target):
    """What an edge leads to, as `next_functions` shows it."""
    if target is None:
        return None, 0
    return (target._owner, target._output_nr) if target._is_node else (accumulator(target), 0)


def new_node(cls, edges):
    """A node with these edges, some of which may be None, numbered as younger than all of them."""
    node = new(cls)
    node._next = tuple([target for target in edges if target is not None])
    node._edge_indices = range(len(edges))
    if len(node._next) < len(edges):
        node._edge_indices = edge_indices([target is not None for target in edges])
    node._hooks = None
    node._number = tick()
    return node


def edge(tensor):
    """Where a tensor's gradient goes: to the node that made it, to a leaf itself, or None."""
    node = tensor._node if tensor._meta is None else current_node(tensor)
    return node or (tensor if tensor._requires_grad else None)


class AccumulateGrad(Node):
    """The node that stands for a leaf in `next_functions`.

    In PyTorch it adds to the leaf's `.grad`. Here an edge leads to the leaf itself, and this node
    is made only when `next_functions` is read.
    """

    __slots__ = ("variable", "_edge_indices")
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
        node = new_node(AccumulateGrad, ())
        node.variable = leaf
        meta.accumulator = weakref.ref(node)
    return node


# --- nodes with several outputs -------------------------------------------------------------------


def plus(before, g):
    """The sum of two gradients; None stands for a gradient that is not there."""
    if before is None or g is None:
        return g if before is None else before
    return before + g


class OutputGrads(list):
    """The gradients of a node's several outputs, None where none arrived; `+` adds each to each."""

    def __add__(self, other):
        return OutputGrads(map(plus, self, other))


class OutputNode(Node):
    """One output of a node that has several: passes its gradient on to that node."""

    __slots__ = ("_owner", "_output_nr", "_edge_indices")

    def _vjp(self, g, create_graph=False):
        grads = OutputGrads([None] * self._owner._outputs)
        grads[self._output_nr] = g
        return (grads,)


def output_nodes(node):
    """A node for each output of a node."""
    nodes = []
    for i in range(node._outputs):
        output = new_node(OutputNode, (node,))
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
    """The nodes among `starts`, and all nodes that their edges lead back to, in a fixed order."""
    seen = dict.fromkeys(start for start in starts if start._is_node)
    stack = list(seen)
    while stack:
        for target in stack.pop()._next:
            if target._is_node and target not in seen:
                seen[target] = None
                stack.append(target)
    return seen


class Incoming:
    """What arrives at one leaf in a pass: how many gradients are missing, and the total so far.

    `owned` says that the pass made the array `total` itself, and so may add to it in place. An
    array that comes from a rule may be in use elsewhere.
    """

    missing, total, owned = 0, None, False


def incoming_at_leaves(roots, on_path=None):
    """An `Incoming` for each leaf that a pass will reach, with the number of its gradients."""
    leaves, seen, to_follow = defaultdict(Incoming), set(), [roots]
    for edges in to_follow:  # a list that grows during the loop
        for target in edges:
            if not target._is_node:
                leaves[target].missing += 1
            elif target not in seen:
                seen.add(target)
                if on_path is None or target in on_path:
                    to_follow.append(target._next)
    return leaves


def path(goals, starts):
    """The nodes, of those reached from `starts`, that lead to the nodes and leaves in `goals`.

    Other outputs of a goal's node count, too: PyTorch calls their hooks.
    """
    on_path, ends = set(), {_goal(goal) for goal in goals}
    for node in sorted(reached(starts), key=lambda node: node._number):  # operands before users
        leads_there = any(target in on_path or _goal(target) in ends for target in node._next)
        if leads_there or (_goal(node) in ends and node not in goals):
            on_path.add(node)
    return on_path


def _goal(target):
    """What counts as a goal: all outputs of one node count as one, as they do in PyTorch."""
    return ("outputs of", target._owner) if isinstance(target, OutputNode) else target
