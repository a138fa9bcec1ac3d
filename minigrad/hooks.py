"""Hooks: functions of the user's that a backward pass calls around a node.

Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html#backward-hooks-execution
"""

import numpy as np

from .dtypes import type_name
from .tensor import Tensor, count, make


recorders = []  # functions that hear of every node that is recorded: note(node, args, out)
packers = []  # while there are `saved_tensors_hooks`: what packs a tensor that a Function saves


class Hooks:
    """The functions to call around one node, in the order of registration."""

    __slots__ = ("tensor", "retain", "before", "after", "accumulated", "metadata", "ports")

    def __init__(self):
        self.tensor, self.before, self.after, self.accumulated = {}, {}, {}, {}
        self.retain = None  # weak reference to the tensor whose .grad is to be filled
        self.metadata = {}
        self.ports = {}  # weak references to those of a node's outputs that have hooks of their own

    def add(self, kind, hook):
        """Register a function; the handle's `remove()` takes it back."""
        handle = RemovableHandle(getattr(self, kind))
        handle.hooks[handle.id] = hook
        return handle


class RemovableHandle:
    """What registering a hook returns: `remove()` it, or use it as a `with` block."""

    def __repr__(self):
        return f"<torch.utils.hooks.RemovableHandle object at {id(self):#x}>"

    def __init__(self, hooks):
        self.hooks, self.id = hooks, count()

    def remove(self):
        """Take the hook back; a second time does nothing."""
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def tensor_hooks(node, g):
    """The hooks of the tensor that `node` made, then retain_grad; each hook may replace the gradient."""
    hooks = node._hooks
    if hooks is None or isinstance(g, list):
        return g
    for hook in list(hooks.tensor.values()):
        found = hook(None if g is None else as_tensor(g))
        if found is not None:
            g = _accepted(g, found, hook)
    if hooks.retain is not None and g is not None:
        _retain(hooks.retain(), g)
    return g


def before_node(node, g):
    """The hooks of its tensor, then the node's own; each may replace the gradient."""
    g = tensor_hooks(node, g)
    for i, port in node._hooks.ports.items():
        if g is not None and g[i] is None and port() is not None:  # an output that nobody used
            g[i] = tensor_hooks(port(), None)
    for hook in list(node._hooks.before.values()):
        several = g if isinstance(g, list) else [g]
        found = hook(_shown(several))
        if found is not None:
            several = _all_accepted(several, found, hook)
            g = several if isinstance(g, list) else several[0]
    return g


def after_node(node, g, grads):
    """The node's own hooks, which may replace the gradients it returned."""
    if not node._hooks.after:
        return grads
    arrived = _shown(g if isinstance(g, list) else [g])
    for hook in list(node._hooks.after.values()):
        found = hook(_shown(grads), arrived)
        if found is not None:
            grads = _all_accepted(grads, found, hook)
    return grads


def after_accumulation(node, g):
    """The hooks of a leaf that want to know of its new `.grad`."""
    for hook in list(node._hooks.accumulated.values()):
        found = hook(node.variable)
        if isinstance(found, Tensor):
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if found is not None:
            raise _not_a_tensor(found)
    after_node(node, g, [])


def as_tensor(g):
    """A gradient as hooks see it."""
    return g if isinstance(g, Tensor) else make(np.asarray(g))


def _shown(gradients):
    return tuple([g if g is None else as_tensor(g) for g in gradients])


def _all_accepted(old, found, hook):
    """The gradients that a node's hook returned: a tuple with one for each."""
    if not isinstance(found, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type_name(found)}'")
    if len(found) != len(old):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(found)}, "
            f"but expected {len(old)})"
        )
    return [_accepted(before, g, hook) for before, g in zip(old, found)]


def _accepted(old, found, hook):
    """A gradient that a hook returned, in the pass's own form: of the old one's dtype and shape."""
    if found is None:
        return None
    if not isinstance(found, Tensor):
        raise _not_a_tensor(found)
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    was, got = as_tensor(old).type(), found.type()
    if was != got:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {was} got {got})"
        )
    if found._array.shape != old.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return found if isinstance(old, Tensor) else found._array


def _not_a_tensor(found):
    return TypeError(f"expected Variable, but hook returned '{type_name(found)}'")


def _name(hook):
    return getattr(hook, "__name__", type(hook).__name__)


def _retain(tensor, g):
    """Fill the `.grad` of a computed tensor on which retain_grad() was called."""
    if tensor is not None and tensor._meta is not None:
        before, g = tensor._meta.grad, as_tensor(g)
        tensor._meta.grad = g.clone() if before is None else before + g
