"""Three broken engines for the bug hunt of lesson 07. Hunt first, and read this file afterwards.

    A(lambda x: x * x, 3.)              # the gradient of x at 3: a tensor
    B(lambda x, b: (x + b).sum(), [1., 2.], 5.)      # two inputs, two gradients

An engine records the function with minigrad, goes backward through the nodes that this left, and
gives the gradient of each input. `Engine()` is whole; each of its three parts can be left out.
"""

import operator
from collections.abc import Callable
from typing import Any

import minigrad as torch
from minigrad.autograd import watch
from minigrad.autograd.listeners import age

BETWEEN_TWO = {  # what repeats an operand of smaller shape: a broadcast
    "AddBackward0": operator.add,
    "SubBackward0": operator.sub,
    "MulBackward0": operator.mul,
    "DivBackward0": operator.truediv,
    "PowBackward1": operator.pow,
}


class Engine:
    """A backward pass in three parts.

    adds: what arrives at one node is added up; else the last share replaces those before it.
    waits: a node runs once, after all its users; else it calls its operands at once, every time.
    undoes: where an operand was repeated in a broadcast, its gradient gets the operand's shape.
    """

    def __init__(self, adds: bool = True, waits: bool = True, undoes: bool = True) -> None:
        self.adds, self.waits, self.undoes = adds, waits, undoes
        self._operands: dict[Any, Any] = {}  # of each node that the function leaves

    def __call__(self, function: Callable, *inputs: Any) -> Any:
        leaves = [
            torch.tensor(_plain(one), dtype=torch.float32, requires_grad=True) for one in inputs
        ]
        self._operands = {}
        with torch.enable_grad(), watch(self):
            y = function(*leaves) * 1  # a node of our own, so that there is one in any case
        if y.dim():
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        arrived = {y.grad_fn: torch.ones_like(y)}
        with torch.no_grad():
            self._in_order(arrived) if self.waits else self._recurse(y.grad_fn, arrived)
        by_id = {id(node.variable): g for node, g in arrived.items() if _is_end(node)}
        grads = tuple(by_id.get(id(leaf)) for leaf in leaves)
        return grads[0] if len(grads) == 1 else grads

    def recorded(self, node: Any, operands: Any, result: Any) -> None:
        """What an engine hears of each operation of the function."""
        self._operands[node] = operands

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
        g = arrived[node]
        sent = node(g) if self.undoes else self._repeated(node, g)(g)
        shares = zip(node.next_functions, sent if isinstance(sent, tuple) else (sent,))
        shares = [(n, g) for (n, _), g in shares if n is not None]  # a number has no node
        for n, g in shares:
            arrived[n] = arrived[n] + g if n in arrived and self.adds else g
        return [n for n, _ in shares if not _is_end(n)]

    def _repeated(self, node, g):
        """A node like this one, but of operands that are all as large as their result: repeated by
        hand, so that its rules have nothing to undo."""
        if node.name() not in BETWEEN_TWO:
            return node
        with torch.enable_grad():
            large = [
                one.expand(g.shape) if isinstance(one, torch.Tensor) else one
                for one in self._operands[node]
            ]
            return BETWEEN_TWO[node.name()](*large).grad_fn


def _is_end(node):
    """Whether a node is the end of the way, where a leaf's gradient arrives."""
    return hasattr(node, "variable")


def _plain(values):
    return values.tolist() if hasattr(values, "tolist") else values


A, B, C = Engine(waits=False), Engine(undoes=False), Engine(adds=False)
