"""The life of a graph: its nodes, the values that each keeps for a backward pass, and their end.

Whether a node still keeps a value is found out by reading it, as a learner could: nothing here
guesses what a backward pass frees.
"""

from dataclasses import dataclass

from minigrad.autograd.watching import saved

from ..formatting import nested, number, shape
from .graph_nodes import leaf_of, nodes_below

KEPT_LETTERS = 16  # of a saved value that is written out


@dataclass(frozen=True)
class Kept:
    """A value that a node keeps for backward. state: "kept", "freed" or "changed"."""

    name: str
    text: str
    state: str


@dataclass(frozen=True)
class Node:
    """A node of the graph as it is drawn: its operands come before it.

    leaf: the name of the leaf whose .grad it adds to, else None. result: the name of what it made.
    ran: the place at which it ran in the last call (1 is first), or None.
    """

    number: int
    name: str
    operands: tuple
    kept: tuple
    leaf: str | None
    result: str | None
    ran: int | None


class GraphLife:
    """The graph of the last forward of a `Session`, with what its nodes keep."""

    def __init__(self, session):
        outputs = {name: out.grad_fn for name, out in session.outputs.items()}
        self._session = session
        self._nodes = _by_depth(nodes_below(outputs.values()))
        self._kept = [_read_kept(node, session) for node in self._nodes]
        made = {id(node): name for name, node in reversed(outputs.items()) if node is not None}
        self._made = [made.get(id(node)) for node in self._nodes]

    def nodes(self, ran):
        """The graph as it is now, operands first. ran: {id of a node: the place at which it ran}."""
        places = {id(node): place for place, node in enumerate(self._nodes)}
        found = []
        for node, told, result in zip(self._nodes, self._kept, self._made):
            operands = tuple(places[id(n)] for n, _ in node.next_functions if n is not None)
            states = saved(node)
            kept = tuple(Kept(name, text, states[key][0]) for key, (name, text) in told.items())
            leaf = leaf_of(node)
            if leaf is not None:
                leaf = self._session.name_of(leaf) or "a leaf"
            name, ran_as = type(node).__name__, ran.get(id(node))
            found.append(Node(places[id(node)], name, operands, kept, leaf, result, ran_as))
        return found


def keeping(nodes):
    """(kept, all): how many saved values the nodes still keep, and how many they had."""
    kept = [value for node in nodes for value in node.kept]
    return sum(value.state != "freed" for value in kept), len(kept)


def in_words(nodes):
    """One sentence: what the nodes still keep."""
    held, had = keeping(nodes)
    changed = sum(value.state == "changed" for node in nodes for value in node.kept)
    if not nodes:
        return "There is no graph: nothing here requires grad."
    if not had:
        return "These nodes keep no values: there is nothing to free, so backward may run again."
    if changed:
        return (
            f"{changed} of {had} saved values changed in place after forward: backward refuses to "
            "use them."
        )
    if held == had:
        return f"The graph keeps {had} value{'s' * (had != 1)} for a backward pass."
    if not held:
        freed = {1: "The saved value is", 2: "Both saved values are"}
        freed = freed.get(had, f"All {had} saved values are")
        return f"{freed} freed: run forward again for a new graph."
    return f"{had - held} of {had} saved values are freed, {held} are still kept."


def _read_kept(node, session):
    """{PyTorch's name: (name, text)} of the values that a node keeps and a pass frees.

    They come in the order in which PyTorch looks at them.
    """
    kept = sorted(saved(node).items(), key=lambda entry: (entry[0] == "result", entry[0]))
    return {
        key: (session.name_of(value) or key, "" if value is None else _short(value))
        for key, (state, value) in kept
        if state != "kept" or value is not None
    }


def _short(value):
    values = value.detach().tolist() if hasattr(value, "detach") else value
    text = written(values)
    if len(text) > KEPT_LETTERS:
        return f"shape {shape(value.shape)}"
    return text


def _by_depth(nodes):
    """Nodes, operands first, ordered by how far they are from the leaves."""
    depths = {}
    for node in nodes:
        below = [depths[n] for n, _ in node.next_functions if n is not None]
        depths[node] = 1 + max(below, default=-1)
    return sorted(nodes, key=depths.get)


def digits(value):
    """A number with up to four decimals, as a tensor prints it; tiny ones as they are."""
    if value == value and 1e-4 <= abs(value) < 1e7:
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return number(value)


def written(values):
    """A leaf's numbers or its .grad on one line."""
    return "None" if values is None else nested(values, digits)
