"""The graph: its nodes, and the edges between them.

A node stands for one step of a computation, and its edges lead to where the step's operands came
from: the way back. An edge ends at another node or, straight, at a leaf tensor. The nodes that
operations leave behind are defined in operation.py. Mirrors
https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

import weakref

import numpy as np

from .hooks import Hooks, leaf_hooks
from .modes import mode
from .tensor import Tensor, current_node, make, meta_of, new, tick


class NodeType(type):
    """Node classes print as in PyTorch: <class 'AddBackward0'>."""

    _place = ""  # the module that PyTorch shows before the name of a user's Function

    def __repr__(cls):
        return f"<class '{cls._place}{cls.__name__}'>"


class Node(metaclass=NodeType):
    """One step of a recorded computation.

    `_next` holds an edge for each operand: a node, a leaf tensor, or None where no gradient is
    needed. `_number` tells when the node was made: operands' nodes always have smaller numbers than
    their users. What begins with an underscore is the engine's: a `Function`'s ctx is a node, too,
    and users keep values of their own on it.
    """

    __slots__ = ("_number", "_next", "_hooks", "__weakref__")

    _is_node = True
    _namespace = ""  # some nodes are C++ classes in PyTorch
    _keeps = False  # whether it saves tensors, in `_saved`, which a pass then frees
    _outputs = 1  # how many results; with more than one, gradients arrive as a list
    _output_nr = 0  # which output of its owner this is
    _shows_numbers = True  # as PyTorch does: an edge to nowhere for a Python number as operand

    @property
    def _owner(self):
        """The node to show as `grad_fn`: itself, unless it is one output of another."""
        return self

    @property
    def next_functions(self):
        """The operands' nodes as pairs (node, which of its outputs)."""
        return tuple(
            [
                (None, 0)
                if n is None
                else (n._owner, n._output_nr)
                if n._is_node
                else (accumulator(n), 0)
                for n in self._next
                if n is not None or self._shows_numbers
            ]
        )

    @property
    def metadata(self):
        """A dictionary for the user's notes about this node."""
        return self._make_hooks().metadata

    def name(self):
        """The name of the node's kind, such as 'AddBackward0'."""
        return self._namespace + type(self).__name__

    def __repr__(self):
        return f"<{type(self)._place}{type(self).__name__} object at {id(self):#x}>"

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

    def _vjp(self, g, create_graph):
        """The gradient for each operand, given that of the result: a vector-Jacobian product."""
        raise NotImplementedError(f"{self.name()} cannot be run alone")

    def __call__(self, *gradients):
        """Run this node alone: `y.grad_fn(v)` is what it sends to each operand when `v` arrives."""
        if not mode.enabled:
            gradients = [g if g is None else g._array for g in gradients]
        g = gradients[0] if self._outputs == 1 else OutputGrads(gradients)
        sent = [
            g if g is None or isinstance(g, Tensor) else make(np.asarray(g))
            for n, g in zip(self._next, self._vjp(g, mode.enabled))
            if n is not None or self._shows_numbers
        ]
        return sent[0] if len(sent) == 1 else tuple(sent)


def placed(node, *edges):
    """A new node in its place: behind its edges, younger than what they lead to."""
    node._next, node._hooks, node._number = edges, None, tick()
    return node


def edge(tensor):
    """Where a tensor's gradient goes: the node that made it, or itself if it is a leaf."""
    node = current_node(tensor)
    return node or (tensor if tensor._requires_grad else None)


class AccumulateGrad(Node):
    """The end of the way back, as PyTorch shows it: adds what arrives to the leaf's `.grad`.

    The engine goes to the leaf itself; this node is made when somebody looks.
    """

    __slots__ = ("variable",)
    _namespace = "torch::autograd::"

    def _make_hooks(self):
        """A leaf's hooks belong to the leaf: they outlive this node."""
        return leaf_hooks(self.variable)


def accumulator(leaf):
    """The AccumulateGrad node of a leaf: the same one for as long as somebody holds it."""
    meta = meta_of(leaf)
    node = meta.accumulator and meta.accumulator()
    if node is None:
        node = placed(new(AccumulateGrad))
        node.variable = leaf
        meta.accumulator = weakref.ref(node)
    return node


class OutputGrads(list):
    """The gradients of a node's several outputs, None where none came; `+` fills this list in."""

    def __add__(self, other):
        for i, g in enumerate(other):
            if g is not None:
                self[i] = g if self[i] is None else self[i] + g
        return self


class OutputNode(Node):
    """One output of a node that has several: passes its gradient on to its place there."""

    __slots__ = ("_owner", "_output_nr")

    def _vjp(self, g, create_graph):
        places = OutputGrads([None] * self._owner._outputs)
        places[self._output_nr] = g
        return (places,)


def output_nodes(node):
    """A port for each output of a node."""
    found = []
    for i in range(node._outputs):
        port = placed(new(OutputNode), node)
        port._owner, port._output_nr = node, i
        found.append(port)
    return found
