"""One engine's side of the ledger: the tensors of an example, the calls done to them, the graph.

What a call did is a `Row` of plain values.
"""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from minigrad.autograd import watch
from minigrad.autograd.listeners import freed, saved

from ...compare import engines
from ...compare.heard import hear_warnings
from ...show.drawing.graph import leaf_of, nodes_below
from ...show.formatting import nested, shape
from ..shared.functions import check_size, in_words, one_tensor
from ..shared.model import plain
from ..shared.point import values_of

MAX_ELEMENTS = 12  # of a leaf, so that a row of the ledger can be read
KEPT_LETTERS = 12  # of a saved value that is written out


@dataclass(frozen=True)
class Call:
    """One thing that a learner does. what: "forward", "backward", "zero_", "none" or "step".

    root, v, retain: of a backward; v None is no argument.
    """

    what: str
    root: str = ""
    v: list | float | None = None
    retain: bool = False

    def code(self, leaves):
        """The line of code that it stands for."""
        if self.what == "backward":
            v = "" if self.v is None else "v"
            given = ", ".join(filter(None, (v, "retain_graph=True" if self.retain else "")))
            root = self.root if self.root.isidentifier() else f"({self.root})"
            return f"{root}.backward({given})"
        if self.what == "zero_":
            return "; ".join(f"{name}.grad.zero_()" for name in leaves)
        if self.what == "none":
            return " = ".join(f"{name}.grad" for name in leaves) + " = None"
        return self.what

    @property
    def detail(self):
        """ "v = [1, 0, 2]" for a backward that is given one, else ""."""
        return "" if self.v is None else f"v = {nested(self.v)}"


# A value that a node keeps for backward. key: what PyTorch calls it, name: what the program does,
# where it has a name for it. state: "kept", "freed" or "changed".
Kept = namedtuple("Kept", "key name text state")
# A node of the graph as it was after a call; operands are places of nodes before it. freed:
# whether a pass has freed what it kept; None if there was nothing. leaf: the name of the leaf whose
# .grad it adds to, else None. result: the name of what it made, else None. ran: the place at which
# it ran in this call (1 is first), or None.
Node = namedtuple("Node", "name operands kept freed leaf result ran")


@dataclass(frozen=True)
class Row:
    """One call and what is to be seen after it.

    leaves, grads, outputs: {name: its numbers, nested lists}, None where `.grad` is. objects:
    {leaf: what became of the object that `.grad` was: "None", "new", "same" or "another"}. error:
    "RuntimeError: ..." or None. added: {leaf: what the pass added}. nodes: the graph as it was
    left.
    """

    call: Call
    error: str | None
    warnings: list
    leaves: dict
    grads: dict
    objects: dict
    outputs: dict
    added: dict
    nodes: tuple

    @property
    def code(self):
        """The line of code of the call."""
        return self.call.code(self.leaves)

    @property
    def detail(self):
        """What the call was given or made: "v = [1, 0, 2]", "y = [1, 4, 9]"."""
        made = {"step": self.leaves, "forward": self.outputs}.get(self.call.what, {})
        numbers = (f"{name} = {nested(values)}" for name, values in made.items())
        return self.call.detail or ", ".join(numbers)

    @property
    def graph(self):
        """What became of what the graph had saved: "kept", "freed", "part", "changed" or ""."""
        states = {value.state for node in self.nodes for value in node.kept}
        empty = (node for node in self.nodes if node.freed is not None and not node.kept)
        states |= {"freed" if node.freed else "kept" for node in empty}
        several = "part" if len(states) > 1 else "".join(states)
        return "changed" if "changed" in states else several


class Session:
    """The tensors of an example in one engine, and the calls done to them one after another.

    begun: how many; one that was interrupted has no row. raised: by the last call, or None.
    """

    def __init__(self, torch, example, lr):
        self.torch, self.example, self.lr = torch, example, lr
        self.begun, self.outputs, self._made = 0, {}, {}
        for name, values in example.inputs.items():
            check_size(name, np.size(values), MAX_ELEMENTS, "the ledger shows leaves of 1 to {}")
        self.leaves = {
            name: torch.tensor(values, dtype=torch.float32, requires_grad=True)
            for name, values in example.inputs.items()
        }

    def run(self, call):
        """Do one call; returns what is to be seen afterwards, with tensors as arrays."""
        self.begun += 1
        self.heard, self.raised = _Heard(), None
        leaves = self.leaves.items()
        before = {name: leaf.grad for name, leaf in leaves}
        with hear_warnings() as warned, watch(self.heard):
            try:
                getattr(self, "_" + call.what)(call)
            except Exception as raised:
                self.raised = raised
        return {
            "error": None if self.raised is None else in_words(self.raised),
            "warnings": list(warned),
            "leaves": {name: _values(leaf) for name, leaf in leaves},
            "grads": {name: _values(leaf.grad) for name, leaf in leaves},
            "objects": {name: _object(before[name], leaf.grad) for name, leaf in leaves},
            "outputs": {name: _values(out) for name, out in self.outputs.items()},
        }

    def name_of(self, tensor):
        """The name of a leaf or result, or None."""
        known = (*self.leaves.items(), *self.outputs.items())
        return next((name for name, one in known if one is tensor), None)

    def graph(self):
        """The graph of the last forward as it is now, a tuple of `Node`; of minigrad's alone."""
        turns, nodes = {node: turn for turn, node in enumerate(self.heard.order, start=1)}, []
        for node, made in self._made.items():
            kept = tuple(one._replace(state=saved(node)[one.key][0]) for one in made.kept)
            nodes.append(made._replace(kept=kept, freed=freed(node), ran=turns.get(node)))
        return tuple(nodes)

    def row(self, call):
        """Do one call: the `Row` of it; of minigrad's engine alone."""
        seen, added = plain(self.run(call)), self.heard.added
        added = {name: added[id(leaf)] for name, leaf in self.leaves.items() if id(leaf) in added}
        return Row(call, **seen, added=added, nodes=self.graph())

    def _forward(self, call):
        results = self.example.function(self.torch, *self.leaves.values())
        results = results if isinstance(results, dict) else {self.example.output: results}
        self.outputs = {str(name): one_tensor(tensor) for name, tensor in results.items()}
        if self.torch is engines.minigrad:
            self._read_graph()

    def _backward(self, call):
        v = None if call.v is None else self.torch.tensor(call.v, dtype=self.torch.float32)
        self.outputs[call.root].backward(v, retain_graph=call.retain)

    def _zero_(self, call):
        for leaf in self.leaves.values():
            leaf.grad.zero_()

    def _none(self, call):
        for leaf in self.leaves.values():
            leaf.grad = None

    def _step(self, call):
        with self.torch.no_grad():
            for leaf in self.leaves.values():
                if leaf.grad is not None:
                    leaf -= self.lr * leaf.grad

    def _read_graph(self):
        """{node: it as a `Node` when it was made}: what it keeps can be read until it is freed."""
        results = {out.grad_fn: name for name, out in reversed(self.outputs.items())}
        nodes = nodes_below(out.grad_fn for out in self.outputs.values())
        places, self._made = {node: place for place, node in enumerate(nodes)}, {}
        for node in nodes:
            leaf, kept = leaf_of(node), []
            leaf = leaf if leaf is None else self.name_of(leaf) or "a leaf"
            operands = tuple(places[n] for n, _ in node.next_functions if n is not None)
            for key in sorted(saved(node), key=lambda key: (key == "result", key)):  # as in PyTorch
                state, value = saved(node)[key]
                if state != "kept" or value is not None:
                    text = (
                        "" if value is None else in_short(values_of(value).tolist(), KEPT_LETTERS)
                    )
                    kept.append(Kept(key, self.name_of(value) or key, text, state))
            name, result = type(node).__name__, results.get(node)
            self._made[node] = Node(name, operands, tuple(kept), freed(node), leaf, result, None)


class _Heard:
    def __init__(self):
        self.order, self.added = [], {}  # which nodes ran in a pass, and what leaves were given

    def ran(self, node, g, grads):
        self.order.append(node)

    def accumulated(self, leaf, g):
        self.added[id(leaf)] = g.tolist()


def _object(before, now):
    if before is None or now is None:
        return "None" if now is None else "new"
    return "same" if before is now else "another"


def _values(tensor):
    return None if tensor is None else values_of(tensor)


def in_short(values, letters):
    """Numbers on one line; where they take more letters, their shape."""
    text = nested(values)
    return text if len(text) <= letters else f"shape {shape(np.shape(values))}"
