"""The backward pass, on one screen: `run`.

It starts with a gradient at each root and walks to the leaves. The node made last goes first: all
who use a node are younger than it, so all that will arrive at it has arrived. Nothing recurses, so
a chain of a million operations is fine. Mirrors
https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

from heapq import heappop, heappush, heappushpop
from sys import getrefcount

import numpy as np

from .anomaly import anomaly, watchful_vjp
from .hooks import Hooks, after_leaf, after_node, before_node, tensor_hooks, through
from .modes import mode
from .ops.convert import Copy
from .tensor import make, meta_of


def run(roots, gradients, keep_graph, create_graph, needed=None, captured=()):
    """Send `gradients` backward from `roots`, which are nodes or leaves; one gradient for each.

    Gradients are plain arrays; with `create_graph` they are tensors, and the pass is recorded.
    `needed` (None: everything) has the nodes and leaves to visit: True to run them, False to stop
    there. What arrives at those that the dictionary `captured` has is put into it.
    """
    arrived = {}  # the sum of what has arrived so far, for each node and leaf that was reached
    ready = []  # the nodes to run, the youngest first
    following = None  # the next node, as long as there is only one: a chain needs no queue
    watcher, watchful = mode.watcher, anomaly.enabled
    uses = leaf_uses(roots, needed) if Hooks.on_leaves or watcher else {}
    edges, grads = roots, gradients
    while True:
        for n, grad in zip(edges, grads):
            if n is None or needed is not None and n not in needed:
                continue
            if n in arrived:
                arrived[n] = total(arrived[n], grad)
            else:
                arrived[n] = grad
                if n._is_node:
                    if following is None:
                        following = n
                    else:
                        heappush(ready, (-n._number, n))
            if uses and n in uses:  # somebody wants to hear of a leaf once it is complete
                uses[n] -= 1
                if not uses[n]:
                    at_leaf(n, arrived.pop(n), create_graph, needed, captured)
        node = following
        if ready:  # several are waiting: the youngest is next
            _, node = heappop(ready) if node is None else heappushpop(ready, (-node._number, node))
        if node is None:
            break
        following, hooks = None, node._hooks
        g = arrived.pop(node)
        if node in captured:
            captured[node] = g if needed[node] else tensor_hooks(hooks, g)
            if not needed[node]:
                edges = ()
                continue
        if hooks is not None:
            g = before_node(node, g)
        try:
            grads = watchful_vjp(node, g, create_graph) if watchful else node._vjp(g, create_graph)
        except Exception:  # refused: leaves that wait for nothing else still get their gradient
            arrived[node] = g
            settle(arrived, create_graph, needed, captured)
            raise
        if hooks is not None and hooks.after:
            grads = after_node(node, g, grads)
        if node._keeps and not keep_graph:
            node._saved = None
        if watcher is not None:
            watcher.ran(node, g, grads)
        edges = node._next
    grads = grad = g = None  # so that a gradient's only holder can be seen
    settle(arrived, create_graph, needed, captured)


def total(before, g):
    """The sum of what has arrived, in the memory of what came before if nobody else has that."""
    if before is None or g is None:
        return g if before is None else before
    return np.add(before, g, out=before) if only_holder(before, IN_A_DICT) else before + g


def settle(arrived, create_graph, needed, captured):
    """Give each leaf what arrived there, unless a node that did not run leads to it."""
    waiting = leaf_uses([n for n in arrived if n._is_node], needed)
    for leaf in [n for n in arrived if not n._is_node and n not in waiting]:
        at_leaf(leaf, arrived.pop(leaf), create_graph, needed, captured)


def at_leaf(leaf, g, create_graph, needed, captured):
    """The end of the way back: capture what arrived at a leaf, or add it to its `.grad`."""
    meta = leaf._meta
    hooks = meta and meta.hooks
    if hooks:
        g = tensor_hooks(hooks, g)
    if leaf in captured:
        captured[leaf] = g
        if not needed[leaf]:
            return
    if hooks:
        [g] = through(hooks.before, [g])
    if g is not None and leaf._requires_grad:
        accumulate(leaf, g, create_graph)
        if mode.watcher is not None:
            mode.watcher.accumulated(leaf, g)
    if hooks:
        after_leaf(leaf, g)


def accumulate(leaf, g, create_graph):
    """Add a gradient to a leaf's `.grad`: in place, unless the pass is being recorded."""
    meta = meta_of(leaf)
    before = meta.grad
    if create_graph:
        meta.grad = Copy.apply(g.detach(), g) if before is None else before + g
    elif before is not None:
        before._array += g
        meta_of(before).version.bump()
    else:
        meta.grad = make(g if only_holder(g, ALONE) else np.array(g))


def only_holder(g, usual):
    """Whether an array may be changed, or become `.grad`: not if `a + b` sent it to two, say."""
    if g.__class__ is not np.ndarray or not g.flags.carray:
        return False
    mine, behind = holders(g)
    return mine <= usual[0] and (g.base is None or g.base.size == g.size and behind <= usual[1])


def holders(g):
    """How often an array is held, and how often the one whose memory it shows."""
    return getrefcount(g), getrefcount(g.base)


def _called(g, depth):
    return _called(g, depth - 1) if depth else holders(g)


# What `holders` says of an array that nobody else has: that at_leaf, accumulate and only_holder
# hand on, or total and only_holder from a dictionary. Measured, as newer Pythons count less often.
ALONE, _dict = _called(np.empty((1, 2)).T, 2), {0: np.empty((1, 2)).T}
IN_A_DICT = _called(_dict[0], 1)


def needed_for(goals, roots):
    """For all between `roots` and `goals`, whether to run it; a goal only on the way to another."""
    needed = dict.fromkeys(goals, False)
    for node in sorted(reached(roots), key=lambda node: node._number):  # operands before users
        if any(n in needed for n in node._next):
            needed[node] = True
    return needed


def leaf_uses(roots, needed):
    """For each leaf from how many edges a gradient will come."""
    uses = {}
    running = [node for node in reached(roots) if needed is None or needed.get(node)]
    for edges in [roots, *[node._next for node in running]]:
        for n in edges:
            if n is not None and not n._is_node:
                uses[n] = uses.get(n, 0) + 1
    return uses


def reached(roots):
    """All nodes that can be reached from `roots`."""
    found = dict.fromkeys(n for n in roots if n._is_node)
    stack = list(found)
    while stack:
        for n in stack.pop()._next:
            if n is not None and n._is_node and n not in found:
                found[n] = None
                stack.append(n)
    return found
