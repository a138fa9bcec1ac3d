"""A graph of minigrad's, read through the engine's public names alone.

notes = Notes()
with autograd.watch(notes):              # without notes, constants and values are not known
    y = 2 * x * x
graph = read_graph(y, [("x", x), ("y", y)], notes)
[node.title for node in graph.nodes]     # ["x", "t1 = 2 · x", "y = t1 · x"]
graph.pull(node, received)               # what the engine's own rule of a node sends on
"""

import itertools
import re
from dataclasses import dataclass, field

import numpy as np

from minigrad.autograd import listeners

from ...compare import engines
from ..formatting import nested
from ..typed_numbers import Refused
from .formulas import expression

MAX_NODES = 30  # operations, and also leaves: more are not readable on one screen


def leaf_of(node):
    """The leaf to whose `.grad` a node of either engine adds; None for the node of an operation."""
    return node.variable if node.name().endswith("::AccumulateGrad") else None


def nodes_below(starts):
    """All nodes from which `starts` were computed, themselves included: operands before users.

    A leaf's node stands before the first node that uses the leaf.
    """
    nodes, stack = set(), [node for node in starts if node is not None]
    while stack:
        node = stack.pop()
        if node not in nodes:
            nodes.add(node)
            stack += [n for n, _ in node.next_functions if n is not None]
    turns = {node: (listeners.age(node), 1, 0) for node in nodes}
    for node in sorted(nodes, key=listeners.age, reverse=True):
        for k, (n, _) in reversed(list(enumerate(node.next_functions))):
            if n is not None and leaf_of(n) is not None:
                turns[n] = (listeners.age(node), 0, k)
    return sorted(nodes, key=turns.get)


def leaf_names(root, tensors):
    """{name: leaf} of the leaves below a tensor of either engine; the same program, the same names.

    tensors: (name, tensor) pairs; a leaf without a name is called leaf1, leaf2, ...
    """
    leaves, seen = ([root] if root.grad_fn is None else []), {root.grad_fn, None}
    stack = [] if root.grad_fn is None else [root.grad_fn]
    while stack:
        node = stack.pop()
        if leaf_of(node) is not None:
            leaves.append(leaf_of(node))
        for n, _ in reversed(node.next_functions):
            if n not in seen:
                seen.add(n)
                stack.append(n)
    return {
        next((name for name, tensor in tensors if tensor is leaf), f"leaf{count}"): leaf
        for count, leaf in enumerate(leaves, 1)
    }


class Notes:
    """What operations were given and gave, as a watcher for `autograd.watch`."""

    def __init__(self):
        self.arguments, self.values = {}, {}

    def recorded(self, node, operands, result):
        self.arguments[node] = operands
        for tensor in (*operands, result):
            self.see(tensor)

    def see(self, tensor):
        """Keep a tensor's value as it is now: it may be changed in place later."""
        if isinstance(tensor, engines.minigrad.Tensor) and tensor.requires_grad:
            self.values.setdefault(_source(tensor), np.array(tensor.data.numpy()))


@dataclass(frozen=True)
class GraphNode:
    """One node: an operation, or a leaf."""

    key: int  # counts nodes, operands before their users
    name: str  # "a", "t1"
    kind: str  # the engine's name, "MulBackward0"; "leaf" for a leaf
    value: np.ndarray | None  # the result; None where nobody held it
    operands: tuple = ()  # names of the operands in its rule, one for each target
    targets: tuple = ()  # (key, slot) for each operand, None where no gradient is needed
    params: tuple = ()  # of the operation; a rule's formula may name each of them
    arguments: dict = field(default_factory=dict)  # {parameter: (text, value)}
    expression: str = ""  # "3 · a"
    rules: tuple = ()  # the engine's own rules, functions, where it has one for each operand
    outputs: int = 1

    @property
    def is_leaf(self):
        return self.kind == "leaf"

    @property
    def title(self):
        """ "t1 = 3 · a"; of a leaf its name."""
        return f"{self.name} = {self.expression}" if self.expression else self.name


class Graph:
    """`nodes`, operands before their users; `root`, where a pass starts, as (key, slot)."""

    def __init__(self, nodes, keys, root):
        self.nodes, self.root = nodes, root
        self._keys = keys  # of one of the engine's nodes for each, or of a leaf tensor
        self._origins = list(keys)

    @property
    def leaves(self):
        return [node for node in self.nodes if node.is_leaf]

    def key_of(self, origin):
        """The key of one of the engine's nodes, or of a leaf tensor; None if it is not in it."""
        return self._keys.get(origin)

    def tensor_of(self, leaf):
        """The tensor behind a leaf."""
        return self._origins[leaf.key]

    def refer(self, target):
        """The name of (key, slot): of several results "t1[0]"."""
        node = self.nodes[target[0]]
        return node.name if node.outputs == 1 else f"{node.name}[{target[1]}]"

    def pull(self, node, received):
        """What a node sends to each target when `received` arrives (one entry for each output).

        This is the engine's own rule; nothing is differentiated here. A leaf sends nothing.
        """
        if node.is_leaf:
            return []
        torch = engines.minigrad
        with torch.no_grad(), np.errstate(all="ignore"):
            sent = self._origins[node.key](*[g if g is None else torch.tensor(g) for g in received])
        sent = sent if isinstance(sent, tuple) else (sent,)
        return [g if g is None else np.array(g.numpy()) for g in sent]


def read_graph(root, tensors=(), notes=None):
    """The graph below a tensor of minigrad's as a `Graph`; `Refused` if it is too large.

    tensors: (name, tensor) pairs, by which nodes are called. notes: heard while it was computed.
    """
    tensors, notes = list(tensors), notes or Notes()
    for tensor in (root, *(tensor for _, tensor in tensors)):
        notes.see(tensor)
    start, slot = _source(root)
    nodes = [] if root.is_leaf else nodes_below([root.grad_fn])
    origins = [root] if root.is_leaf else [_origin(node) for node in nodes]
    leaves = sum(isinstance(origin, engines.minigrad.Tensor) for origin in origins)
    if max(leaves, len(origins) - leaves) > MAX_NODES:
        raise Refused(
            f"This graph has {len(origins) - leaves} operations and {leaves} "
            f"{'leaf' if leaves == 1 else 'leaves'}; up to {MAX_NODES} nodes of each kind can be "
            "followed one by one. Take a smaller part of the program."
        )
    named = {(leaf, 0): name for name, leaf in leaf_names(root, tensors).items()}
    for name, tensor in tensors:
        if tensor.requires_grad and name not in named.values():
            named.setdefault(_source(tensor), name)
    names = _names(origins, named, start)
    keys = {origin: key for key, origin in enumerate(origins)}
    described = [_described(origin, keys, names, notes, tensors) for origin in origins]
    return Graph(described, keys, (keys[start], slot))


def _source(tensor):
    """The node that made a tensor, and which of its results it is; a leaf comes from itself."""
    return (tensor if tensor.is_leaf else tensor.grad_fn), tensor.output_nr


def _origin(node):
    """What stands for one of the engine's nodes: itself, or the leaf to whose `.grad` it adds."""
    leaf = leaf_of(node)
    return node if leaf is None else leaf


def _outputs(origin):
    return 1 if isinstance(origin, engines.minigrad.Tensor) else listeners.outputs(origin)


def _names(origins, named, start):
    """A name for each node: the program's own where there is one, else t1, t2, ... in order."""
    taken = set(named.values())
    free = (name for name in map("t{}".format, itertools.count(1)) if name not in taken)
    names = {}
    for origin in origins:
        own = None if _outputs(origin) > 1 else named.get((origin, 0))
        last = origin is start and "out" not in taken
        names[origin] = own or ("out" if last else next(free))
    return names


def _described(origin, keys, names, notes, tensors):
    key, name, value = keys[origin], names[origin], notes.values.get((origin, 0))
    if isinstance(origin, engines.minigrad.Tensor):
        return GraphNode(key, name, "leaf", value)
    sources = [n and (_origin(n), slot) for n, slot in origin.next_functions]
    rules, outputs = listeners.rules(origin), _outputs(origin)
    operands = tuple(rules) or tuple(f"x{i + 1}" for i in range(len(sources)))
    params = tuple(listeners.parameters(origin) or operands)
    given = zip(params, notes.arguments.get(origin, ()))
    arguments = {param: (_constant(arg, tensors), _plain(arg)) for param, arg in given}
    for operand, source in zip(operands, sources):
        if source is not None:
            of_several = f"[{source[1]}]" if _outputs(source[0]) > 1 else ""
            value_given = arguments.get(operand, (None, None))[1]
            arguments[operand] = (names[source[0]] + of_several, value_given)
    kind, value = origin.name().rpartition("::")[2], value if outputs == 1 else None
    targets = tuple(source and (keys[source[0]], source[1]) for source in sources)
    text, rules = expression(kind, params, operands, arguments), tuple(rules.values())
    reads = operands, targets, params, arguments
    return GraphNode(key, name, kind, value, *reads, text, rules, outputs)


def _plain(arg):
    if isinstance(arg, engines.minigrad.Tensor):
        return np.array(arg.data.numpy())
    return np.array(arg) if isinstance(arg, float) else arg


def _constant(arg, tensors):
    """A constant as it is written in an expression: its name, or its number, or its shape."""
    if isinstance(arg, engines.minigrad.Tensor):
        name = next((name for name, tensor in tensors if tensor is arg), None)
        text = name or nested(arg.tolist())
        return text if name or arg.ndim == 0 or len(text) <= 12 else f"constant{list(arg.shape)}"
    return nested(arg) if isinstance(arg, float) else re.sub(r"\s+", " ", str(arg))
