"""Three broken engines for the bug hunt of lesson 07. Hunt first, and read this file afterwards.

    A(lambda x: x * x, 3.)              # the gradient of x at 3: a tensor
    B(lambda x, b: (x + b).sum(), [1., 2.], 5.)      # two inputs, two gradients

An engine records the function with minigrad, goes backward through the nodes that this left, and
gives the gradient of each input. `Engine()` is whole; each of its three parts can be left out.
"""

import minigrad

from ...autograd.watching import age


class Engine:
    """A backward pass in three parts.

    adds: what arrives at one node is added up; else the last share replaces those before it.
    waits: a node runs once, after all its users; else it calls its operands at once, every time.
    undoes: where an operand was repeated in a broadcast, its gradient gets the operand's shape.
    """

    def __init__(self, adds=True, waits=True, undoes=True):
        self.adds, self.waits, self.undoes = adds, waits, undoes

    def __call__(self, function, *inputs):
        leaves = [
            minigrad.tensor(_plain(one), dtype=minigrad.float32, requires_grad=True)
            for one in inputs
        ]
        with minigrad.enable_grad():
            y = function(*leaves) * 1  # a node of our own, so that there is one in any case
        if y.dim():
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        arrived = {y.grad_fn: minigrad.ones_like(y)}
        with minigrad.no_grad():
            self._in_order(arrived) if self.waits else self._recurse(y.grad_fn, arrived)
        grads = {id(node.variable): g for node, g in arrived.items() if _is_end(node)}
        found = tuple(grads.get(id(leaf)) for leaf in leaves)
        return found[0] if len(found) == 1 else found

    def _in_order(self, arrived):
        ready = set(arrived)
        while ready:
            node = max(ready, key=age)  # the youngest: all its users have run
            ready.remove(node)
            ready.update(self._run(node, arrived))

    def _recurse(self, node, arrived):
        for operand in self._run(node, arrived):
            self._recurse(operand, arrived)

    def _run(self, node, arrived):
        """One node: send to each operand what its rule gives. Returns the operands to go on to."""
        if not self.undoes:
            node._restore = None  # the engine's note of what a broadcast repeated
        sent = node(arrived[node])
        shares = zip(node.next_functions, sent if isinstance(sent, tuple) else (sent,))
        shares = [(n, g) for (n, _), g in shares if n is not None]  # a number has no node
        for n, g in shares:
            arrived[n] = arrived[n] + g if n in arrived and self.adds else g
        return [n for n, _ in shares if not _is_end(n)]


def _is_end(node):
    """Whether a node is the end of the way, where a leaf's gradient arrives."""
    return hasattr(node, "variable")


def _plain(values):
    return values.tolist() if hasattr(values, "tolist") else values


A, B, C = Engine(waits=False), Engine(undoes=False), Engine(adds=False)
