"""The life of a graph: its nodes, the values that each keeps for a backward pass, and their end.

Whether a node still keeps a value is found out by reading it, as a learner could: nothing here
guesses what a backward pass frees.
"""

from dataclasses import dataclass

from minigrad.autograd.function import FunctionCtx
from minigrad.errors import FREED
from minigrad.inplace import CopySlices

from ..formatting import nested, number, shape

KEPT_LETTERS = 16  # of a saved value that is written out
_WRITTEN = {"x": "self", "y": "other", "out": "result"}


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
        found, stack = {}, [node for node in outputs.values() if node is not None]
        while stack:
            node = stack.pop()
            if id(node) not in found:
                found[id(node)] = node
                stack += [n for n, _ in node.next_functions if n is not None]
        self._session = session
        self._nodes = sorted(found.values(), key=_depths(found.values()))
        self._kept = [_read_kept(node, session) for node in self._nodes]
        made = {id(node): name for name, node in reversed(outputs.items()) if node is not None}
        self._made = [made.get(id(node)) for node in self._nodes]

    def nodes(self, ran):
        """The graph as it is now, operands first. ran: {id of a node: the place at which it ran}."""
        places = {id(node): place for place, node in enumerate(self._nodes)}
        found = []
        for node, saved, result in zip(self._nodes, self._kept, self._made):
            operands = tuple(places[id(n)] for n, _ in node.next_functions if n is not None)
            kept = tuple(Kept(name, text, _state(node, where)) for where, name, text in saved)
            leaf = None
            if hasattr(node, "variable"):
                leaf = self._session.name_of(node.variable) or "a leaf"
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
    """[(where to read it, name, text)] of the values that a node keeps and a pass frees."""
    if isinstance(node, FunctionCtx):  # of a Function of the learner's own
        try:
            saved = node.saved_tensors
        except RuntimeError:  # one was changed before forward had ended: no numbers to show
            return [(0, "saved", "")]
        return [
            (k, session.name_of(tensor) or f"saved {k + 1}", _short(tensor))
            for k, tensor in enumerate(saved)
            if tensor is not None
        ]
    if isinstance(node, CopySlices):  # of a part that was changed in place: it keeps that change
        return [("inner", "fn", type(node.inner).__name__)]
    plan, found = getattr(node, "_plan", None), []
    for name in plan.names if plan is not None and plan.frees else ():
        if name not in (*node.operands, *node.tensor_params, "out"):
            continue
        try:
            value = node.saved_value(name)
        except RuntimeError:
            found.append((name, _WRITTEN.get(name, name), ""))
            continue
        if value is not None:
            known = session.name_of(value)
            found.append((name, known or _WRITTEN.get(name, name), _short(value)))
    return found


def _state(node, where):
    """Whether a saved value can still be read: "kept", "freed" or "changed"."""
    if isinstance(node, CopySlices):
        return "freed" if node.inner is None else "kept"
    try:
        if isinstance(where, int):
            node.saved_tensors
        else:
            node.saved_value(where)
    except RuntimeError as error:
        if str(error) == FREED:
            return "freed"
        return "changed" if isinstance(where, int) or _is_changed(node, where) else "kept"
    return "kept"


def _is_changed(node, name):
    """Whether it is this one of a node's saved values that was changed in place."""
    if name == "out":
        return True
    position = node._plan.names.index(name)
    saved = node.saved[position]
    expected = node.versions[position] if node.versions else 0
    return getattr(saved, "_version", 0) != expected


def _short(value):
    values = value.detach().tolist() if hasattr(value, "detach") else value
    text = written(values)
    if len(text) > KEPT_LETTERS:
        return f"shape {shape(value.shape)}"
    return text


def _depths(nodes):
    """A key that orders nodes by how far they are from the leaves, then by age."""
    depths = {}
    for node in sorted(nodes, key=lambda node: node._number):
        if hasattr(node, "variable"):
            depths[id(node)] = 0
    for node in sorted(nodes, key=lambda node: node._number):
        below = [depths.get(id(n), 0) for n, _ in node.next_functions if n is not None]
        depths.setdefault(id(node), 1 + max(below, default=0))
    return lambda node: (depths[id(node)], node._number)


def digits(value):
    """A number with up to four decimals, as a tensor prints it; tiny ones as they are."""
    if value == value and 1e-4 <= abs(value) < 1e7:
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return number(value)


def written(values):
    """A leaf's numbers or its .grad on one line."""
    return "None" if values is None else nested(values, digits)
