"""Backward passes: what the engine really did, and two that are wrong on purpose.

Each gives the list of its visits to nodes. The wrong ones use the engine's own local rules
(`graph.pull`); wrong is only how they order the visits or put contributions together.
"""

from collections import namedtuple

import numpy as np

from minigrad.autograd import watch

from ...compare import engines

MAX_VISITS = 200  # recursion may visit a node very often: more are counted, not shown

# One node runs. received: what arrived, one entry for each of the node's outputs; sent: (place of
# the operand, target as (key, slot), gradient), where there is one.
Visit = namedtuple("Visit", "key received sent", defaults=((),))


def ordered(graph, root, v):
    """What minigrad's `root.backward(v)` does, as its observer hears it. `.grad` is left alone."""
    heard = _Listener(graph)
    held = {leaf: leaf.grad for leaf in map(graph.tensor_of, graph.leaves)}
    try:
        for leaf in held:
            leaf.grad = None
        with watch(heard):
            weights = engines.minigrad.tensor(v.tolist(), dtype=engines.minigrad.float32)
            root.backward(weights, retain_graph=True)
    finally:
        for leaf, grad in held.items():
            leaf.grad = grad
    return heard.visits


class _Listener:
    def __init__(self, graph):
        self.visits, self._graph = [], graph

    def ran(self, node, g, grads):
        key = self._graph.key_of(node)
        if key is not None:
            received = tuple(map(_copy, g if isinstance(g, list) else [g]))
            sent = _addressed(self._graph.nodes[key], map(_copy, grads))
            self.visits.append(Visit(key, received, sent))

    def accumulated(self, leaf, g):
        self.visits.append(Visit(self._graph.key_of(leaf), (_copy(g),)))


def overwriting(graph, v, order):
    """WRONG: keeps the last contribution only, `=` where the engine has `+=`."""
    arrived, visits = {graph.root: v}, []
    for key in order:
        visits.append(_visit(graph, key, arrived))
        for _, target, gradient in visits[-1].sent:
            arrived[target] = gradient
    return visits


def recursing(graph, v):
    """WRONG: goes on to each operand at once, and again each time, with the whole sum."""
    arrived, visits = {graph.root: v}, []

    def backward(key):
        if len(visits) == MAX_VISITS:
            return
        visit = _visit(graph, key, arrived)
        visits.append(visit)
        for _, target, gradient in visit.sent:
            arrived[target] = np.asarray(arrived.get(target, 0) + gradient)
        for _, target, _ in visit.sent:
            backward(target[0])

    backward(graph.root[0])
    return visits


def visits_of_recursion(graph):
    """How many visits `recursing` makes if nobody stops it."""
    below = {}
    for node in graph.nodes:  # operands first
        below[node.key] = 1 + sum(below[target[0]] for target in node.targets if target)
    return below[graph.root[0]]


def _visit(graph, key, arrived):
    node = graph.nodes[key]
    received = tuple(arrived.get((key, slot)) for slot in range(node.outputs))
    return Visit(key, received, _addressed(node, graph.pull(node, received)))


def _addressed(node, grads):
    """Gradients with the place each goes to; those that go nowhere are left out."""
    found = enumerate(zip(node.targets, grads))
    return tuple((place, target, g) for place, (target, g) in found if target and g is not None)


def _copy(g):
    return None if g is None else np.array(g)
