"""The engine, seen from outside: what a graph holds, and what a pass really does.

The widgets are built on these functions and nothing else. PyTorch has nothing like them.
"""

import threading
from contextlib import contextmanager

from ..errors import FREED
from ..modes import listeners
from ..node_names import public_name
from ..operation import Operation


@contextmanager
def watch(watcher):
    """In this block, tell `watcher` what the engine really does in this thread.

    Its methods are called, those that it has: `recorded(node, operands, result)`, `ran(node, g,
    grads)`, `accumulated(leaf, g)`, `begins(outputs, keeps)`, `cut(operands)`, `changed(tensor)`,
    `cleared(leaf)`, `asked(tensor, grad)`, `optimizes(optimizer)`, `steps(optimizer)`.
    docs/engine.md says when. Gradients are plain arrays (tensors with `create_graph`).
    """
    entry = threading.get_ident(), watcher
    listeners.append(entry)
    try:
        yield watcher
    finally:
        listeners.remove(entry)


def rules(node):
    """The rules of an operation's node: {operand: function}; empty for other nodes.

    There is one for each of `next_functions`. A rule's parameters after the gradient are those of
    the operation's `forward`; one with a leading `_` is not needed. `node(v)` runs them.
    """
    return dict(node.rules) if isinstance(node, Operation) and not node.rest else {}


def parameters(node):
    """The names of an operation's arguments, in the order in which `recorded` has them."""
    return [name for name in getattr(node, "params", ()) if name != node.rest]


def saved(node):
    """The tensors that a node saved for backward: {PyTorch's name for it: (state, value)}.

    The state is "kept", "freed" by a pass, or "changed" in place since; the value is None unless
    it is "kept".
    """
    if isinstance(node, Operation):
        tensors = {"out", *node.tensors, *node.rules}
        used = node._plan.saved.values()
        names = [public_name(type(node), name) for name in used if name in tensors]
        return {public: _state(node, f"_saved_{public}") for public in names}
    if not hasattr(type(node), "saved_tensors"):
        return {}
    state, tensors = _state(node, "saved_tensors")
    indices = range(node._saved_count)
    return {f"saved_tensors[{i}]": (state, tensors and tensors[i]) for i in indices}


def _state(node, name):
    try:
        return "kept", getattr(node, name)
    except RuntimeError as error:
        return ("freed" if str(error) == FREED else "changed"), None


def freed(node):
    """Whether a pass has freed what a node saved; None if the node has nothing to free.

    `saved` need not name it: what CopySlices saves, for example, is another node.
    """
    frees = node._frees and (not isinstance(node, Operation) or node._plan.saved)
    return node._saved is None if frees else None


def age(node):
    """When a node was made: users have larger numbers than their operands."""
    return node._number


def outputs(node):
    """How many results a node's operation had, and so how many gradients arrive at it."""
    return node._outputs
