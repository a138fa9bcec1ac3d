"""The backward pass, on one screen: `run`.

It starts with a gradient at each root and walks to the leaves. A node runs once, when all that will
arrive at it has arrived; of several that are ready, a leaf goes first, then the node created last.
Nothing recurses, so a chain of a million operations is fine.
"""

from collections import deque
from heapq import heappop, heappush, heappushpop
from sys import getrefcount

import numpy as np

from . import anomaly
from .errors import ASKED_FOR_A_LEAF
from .graph import AccumulateGrad, Port
from .hooks import after_accumulation, after_node, before_node, tensor_hooks
from .inplace import check_memory
from .ops.convert import CopyBackwards
from .tensor import make, meta_of
from .watching import here


def run(roots, gradients, keep_graph, create_graph, targets=None, captures=()):
    """Send `gradients` backward from the nodes `roots`, one gradient for each.

    Without `create_graph` gradients are plain arrays; with it they are tensors, and the pass itself
    is recorded. With `targets` only nodes that lead to one of these nodes run. `captures` maps
    nodes to None and is filled with what arrives at them.
    """
    waiting, needed = plan(roots, targets, captures)
    arrived, leaves, ready, sums = {}, deque(), [], set()
    watcher, anomalous = here.watcher, anomaly.enabled
    for node, g in zip(roots, gradients):
        arrived[node] = g if node not in arrived else arrived[node] + g
    for node in arrived:
        if not waiting[node]:
            heappush(ready, (-node._number, node))
    following = None  # the next node, as long as there is only one: a chain needs no queue

    while True:
        if leaves:
            node = leaves.popleft()
        elif following is not None:
            node, following = following, None
            if ready:
                node = heappushpop(ready, (-node._number, node))[1]
        elif ready:
            node = heappop(ready)[1]
        else:
            return
        g = arrived.pop(node, None)  # None: nothing arrived, "undefined"
        if needed is not None:
            if node not in needed and (node in captures or roots == [node]):
                g = tensor_hooks(node, g)  # PyTorch does not even visit one root of several
            if node in captures:  # of a needed node as it arrived: its hooks are for those behind it
                captures[node] = g
            if node not in needed:
                continue
        if node._hooks is not None:
            g = before_node(node, g)
        if node.__class__ is AccumulateGrad:
            accumulate(node, g, create_graph, watcher)
            continue

        # The node's rules: a gradient for each operand.
        rules = node._plan
        if anomalous:
            grads = anomaly.apply(node, g, create_graph)
        else:
            grads = rules.apply(node, g, create_graph)
        if node._hooks is not None:
            grads = after_node(node, g, grads)
        freed = not keep_graph and rules.frees and rules.release(node)
        if watcher is not None:
            watcher.ran(node, g, grads, freed)

        for n, grad in zip(node._next, grads):
            if n is None or needed is not None and n not in waiting:
                continue
            if grad is not None:
                if node.__class__ is Port:  # one of several outputs of the node behind it
                    arrived.setdefault(n, [None] * n._outputs)[node._output_nr] = grad
                elif n not in arrived:
                    arrived[n] = grad
                elif n in sums:  # this pass made the sum: nobody else holds it
                    arrived[n] += grad
                else:
                    arrived[n] = arrived[n] + grad
                    if not create_graph:
                        sums.add(n)
            left = waiting[n] - 1
            if left:
                waiting[n] = left
            elif n.__class__ is AccumulateGrad:
                leaves.append(n)
            elif following is None:
                following = n
            else:
                heappush(ready, (-n._number, n))
        grads = grad = None  # so that a gradient's only holder can be seen


def plan(roots, targets, captures):
    """How many gradients each node waits for, and which nodes have to run (None: all)."""
    waiting = arrivals(roots, None)
    if targets is None:
        return waiting, None
    goals = set(targets)
    needed = set() if captures else set(goals)
    for node in sorted(waiting, key=lambda node: node._number):  # operands before their users
        if any(n in needed or n in goals for n in node._next):
            needed.add(node)
    return arrivals(roots, needed | goals), needed


def arrivals(roots, wanted):
    """For each node that is reached, of those `wanted`, from how many users a gradient will come."""
    waiting = dict.fromkeys(roots, 0)
    stack = list(waiting)
    while stack:
        for n in stack.pop()._next:
            if n is None or wanted is not None and n not in wanted:
                continue
            if n in waiting:
                waiting[n] += 1
            else:
                waiting[n] = 1
                if n._next:
                    stack.append(n)
    return waiting


def accumulate(node, g, create_graph, watcher):
    """Add a gradient to the leaf's `.grad`: in place, unless the pass is being recorded."""
    leaf = node.variable
    if g is not None and leaf._requires_grad:
        meta = leaf._meta  # made with the node
        before = meta.grad
        if create_graph:
            meta.grad = CopyBackwards(g) if before is None else before + g
        elif before is None and _only_holder(g):
            meta.grad = make(g)
        elif before is None:
            meta.grad = make(np.array(g))
            meta_of(meta.grad).version.n = 1  # filled in place, says PyTorch
        else:
            if before._array.base is not None:
                check_memory(before, ())
            before._array += g
            meta_of(before).version.n += 1
        if watcher is not None:
            watcher.accumulated(leaf, g, before)
    if node._hooks is not None:
        after_accumulation(node, g)


def _only_holder(g):
    """Whether an array may become `.grad` as it is: held by this pass alone, in C order."""
    if g.__class__ is not np.ndarray or getrefcount(g) > _HOLDERS or not g.flags.c_contiguous:
        return False
    base = g.base  # of `(a @ b).T` the product: as good as its own if nobody else sees it
    return base is None or (
        base.__class__ is np.ndarray and base.size == g.size and getrefcount(base) <= _BASE_HOLDERS
    )


def _calls(g, deep):
    return _calls(g, deep - 1) if deep else getrefcount(g)


def _holders_of_a_base():
    base = np.empty((1, 2)).T.base
    view = base.T  # noqa: F841  (holds it)
    return getrefcount(base)


# How often what nobody else holds is counted there: by run's g, accumulate's, _only_holder's and the
# argument of getrefcount. Measured, because newer Pythons count less often.
_HOLDERS, _BASE_HOLDERS = (lambda g: _calls(g, 1))(np.empty(1)), _holders_of_a_base()


class Pass:
    """What a backward pass was asked for; a hook may ask which nodes it reaches."""

    __slots__ = ("roots", "targets", "captures", "_reached", "__weakref__")

    def __init__(self, roots, targets, captures):
        self.roots, self.targets, self.captures, self._reached = roots, targets, captures, None

    def reaches(self, node):
        """Whether a gradient is going to arrive at `node`, or has; RuntimeError for a leaf of `grad`."""
        if self._reached is None:
            waiting, needed = plan(self.roots, self.targets, self.captures)
            self._reached = waiting.keys() if needed is None else waiting.keys() & {*needed, *self.captures}
            if len(self.roots) == 1:  # PyTorch does not count it
                self._reached -= set(self.roots)
        reached = node in self._reached
        if reached and node in self.captures and not node._next:
            raise RuntimeError(ASKED_FOR_A_LEAF)
        return reached
