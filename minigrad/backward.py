"""The backward pass, on one screen: `plain_pass`.

It starts with a gradient at each root and walks to the leaves. The node made last goes first: all
who use a node are younger than it, so all that will arrive at it has arrived. Nothing recurses, so
a chain of a million operations is fine.

`full_pass` walks in the same order and gives the same gradients; besides, it calls the user's
functions, tells who watches, stops where only some gradients are asked for, and can be recorded
itself. `run` begins with the plain one whenever nothing of this is asked of the pass, and goes on
with the full one from where the plain one met a hook.
Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html
"""

from heapq import heapify, heappop, heappush

import numpy as np

from .anomaly import anomaly, watchful_vjp
from .graph import leaf_uses, reached
from .hooks import after_leaf, after_node, before_node, tensor_hooks, through
from .inplace import refuse_expanded
from .look import shown
from .modes import mode
from .ops.convert import Copy
from .tensor import make, meta_of


def run(roots, gradients, keep_graph, create_graph=False, allowed=None, captured=None):
    """Send `gradients` backward from `roots`, which are nodes or leaves; one gradient for each.

    Gradients are plain arrays; with `create_graph` they are tensors, and the pass is recorded.
    With `allowed` only the nodes and leaves in it are run and given their gradients. What arrives
    at the nodes and leaves that the dictionary `captured` has is put into it.
    """
    arrived, captured = {}, {} if captured is None else captured
    if create_graph or allowed is not None or mode.watcher or anomaly.enabled:
        start(arrived, roots, gradients, allowed, captured)
    else:
        try:
            plain_pass(roots, gradients, keep_graph, arrived)
        except Exception:  # refused: leaves that wait for nothing else still get their gradient
            give_complete(arrived, leaf_uses(reached(arrived)), create_graph, captured)
            raise
    if arrived:
        full_pass(arrived, keep_graph, create_graph, allowed, captured)


def plain_pass(roots, gradients, keep_graph, arrived):
    """Walk from the roots to the leaves, and give each leaf the sum of what arrived there.

    `ready` has the nodes to run, `summed` the nodes and leaves for which the pass has made an array
    of its own. Into that it may add, into one that a rule handed on it must not. At the first hook
    the pass ends; what is left to do is in `arrived`.
    """
    edges, grads, ready, summed, hooked = roots, gradients, [], set(), False
    while True:
        for n, g in zip(edges, grads):
            if n not in arrived:
                arrived[n] = g
                hooked = hooked or n._hooks is not None
                if n._is_node:
                    heappush(ready, n)
            elif n in summed:
                arrived[n] += g
            else:
                arrived[n] = arrived[n] + g
                summed.add(n)
        if hooked:
            return
        if not ready:
            break
        node = heappop(ready)  # the youngest
        edges, grads = node._next, node._vjp(arrived[node])
        del arrived[node]
        if node._frees and not keep_graph:
            node._saved = None
    for leaf in list(arrived):
        accumulate(leaf, arrived.pop(leaf), leaf in summed)


def full_pass(arrived, keep_graph, create_graph, allowed, captured):
    """Go on from what has arrived at some nodes and leaves, for whoever asks more of the pass.

    No array is added into here: whoever was shown one may have kept it.
    """
    running = [n for n in reached(arrived) if allowed is None or n in allowed]
    uses = leaf_uses(running)  # how many gradients each leaf still waits for
    give_complete(arrived, uses, create_graph, captured)
    ready = [n for n in arrived if n._is_node]
    heapify(ready)
    while ready:
        node = heappop(ready)
        g = arrived.pop(node)
        if node in captured and stops(node, g, allowed, captured):
            continue
        for n, grad in zip(node._next, ran(node, g, keep_graph, create_graph)):
            if not n._is_node:
                uses[n] -= 1
            if allowed is None or n in allowed or n in captured:
                receive(arrived, ready, n, grad)
                if not n._is_node and not uses[n]:
                    at_leaf(n, arrived.pop(n), create_graph, captured)


def start(arrived, roots, gradients, allowed, captured):
    """Let the upstream gradients arrive at the roots."""
    for n, g in zip(roots, gradients):
        if allowed is None or n in allowed or n in captured:
            receive(arrived, [], n, g)
        elif len(roots) == 1:  # even if nothing leads from there to what is asked for
            tensor_hooks(n._hooks, g)


def receive(arrived, ready, n, g):
    """Add what arrives at a node or leaf to what has arrived there; None is no gradient at all."""
    if n not in arrived:
        arrived[n] = g
        if n._is_node:
            heappush(ready, n)
    elif g is not None:
        before = arrived[n]
        arrived[n] = g if before is None else before + g


def stops(node, g, allowed, captured):
    """Capture what arrived at a node; whether the way back ends there."""
    goes_on = node in allowed
    captured[node] = g if goes_on else tensor_hooks(node._hooks, g)
    return not goes_on


def ran(node, g, keep_graph, create_graph):
    """Run one node, with all who want to hear of it; the gradient for each of its edges."""
    hooks = node._hooks
    if hooks is not None:
        g = before_node(node, g)
    vjp = watchful_vjp if anomaly.enabled else type(node)._vjp
    grads = vjp(node, g, create_graph)
    if hooks is not None and hooks.after:
        grads = after_node(node, g, grads)
    if node._frees and not keep_graph:
        node._saved = None
    if mode.watcher is not None:
        mode.watcher.ran(node, g, shown(node, grads))
    return grads


# --- leaves ---------------------------------------------------------------------------------------


def give_complete(arrived, uses, create_graph, captured):
    """Give each leaf what arrived there, unless a node that has not run yet leads to it."""
    for leaf in [n for n in arrived if not n._is_node and n not in uses]:
        at_leaf(leaf, arrived.pop(leaf), create_graph, captured)


def at_leaf(leaf, g, create_graph, captured):
    """The end of the way back: capture what arrived at a leaf, or add it to its `.grad`."""
    hooks = leaf._hooks
    if hooks is not None:
        g = tensor_hooks(hooks, g)
    if leaf in captured:
        captured[leaf] = g
        return
    if hooks is not None:
        [g] = through(hooks.before, [g])
    if g is not None:
        accumulate(leaf, g, create_graph=create_graph)
        if mode.watcher is not None:
            mode.watcher.accumulated(leaf, g)
    if hooks is not None:
        after_leaf(leaf, g)


def accumulate(leaf, g, ours=False, create_graph=False):
    """Add a gradient to a leaf's `.grad`: in place, unless the pass is being recorded.

    An array that the pass made itself, `ours`, becomes the `.grad`; any other is copied. A leaf
    that no longer requires grad gets nothing.
    """
    if not leaf._requires_grad:
        return
    meta = meta_of(leaf)
    before = meta.grad
    if create_graph:
        # a copy in new memory; its node is that of PyTorch's copy_
        meta.grad = Copy.apply(g.detach(), g) if before is None else before + g
    elif before is not None:
        refuse_expanded(before)
        before._array += g
        meta_of(before).version.bump()
    else:
        meta.grad = make(np.asarray(g) if ours else np.array(g))
