"""Hooks: functions of the user's that a backward pass calls around a node or leaf.

Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html#backward-hooks-execution
"""

import numpy as np

from .errors import NO_HOOK, type_name
from .node_names import shown, taken_back
from .tensor import Tensor, make, meta_of, tick


class Hooks:
    """The functions to call around one node or leaf, in the order of registration."""

    __slots__ = ("tensor", "before", "after", "accumulated", "retain", "metadata")

    def __init__(self):
        self.tensor, self.before, self.after, self.accumulated = {}, {}, {}, {}
        self.retain = None  # weak reference to the tensor whose .grad is to be filled
        self.metadata = {}  # a dictionary for the user's notes about the node

    def add(self, kind, hook):
        """Keep a hook: on the "tensor", "before" or "after" the node, or when "accumulated"."""
        return Handle(getattr(self, kind), hook)


class Handle:
    """What registering a hook gives back: `remove()` takes it away."""

    def __init__(self, hooks, hook):
        self.hooks, self.id = hooks, tick()
        hooks[self.id] = hook

    def remove(self):
        """Take the hook back; a second time does nothing."""
        self.hooks.pop(self.id, None)


def leaf_hooks(leaf):
    """The hooks of a leaf, which stay with it from graph to graph."""
    meta = meta_of(leaf)
    meta.hooks = meta.hooks or Hooks()
    return meta.hooks


def register_hook(self, hook):
    """Call `hook(gradient)` with this tensor's total gradient in each backward pass.

    A tensor that it returns replaces the gradient and must have its shape. Gives a handle with
    `remove()`. RuntimeError for a tensor that does not require grad.
    """
    if not self.requires_grad:
        raise RuntimeError(NO_HOOK)
    hooks = leaf_hooks(self) if self._node is None else self._node._make_hooks()
    return hooks.add("tensor", hook)


def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(leaf)` each time after this leaf's `.grad` was updated; gives a handle.

    RuntimeError for what is no leaf or does not require grad.
    """
    if not self.requires_grad:
        raise RuntimeError(NO_HOOK)
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return leaf_hooks(self).add("accumulated", hook)


Tensor.register_hook = register_hook
Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook


# --- what a pass calls ---------------------------------------------------------------------------


def tensor_hooks(hooks, g):
    """The hooks of one tensor, then retain_grad; each hook may replace the gradient."""
    if g is None or hooks is None:
        return g
    g = g if isinstance(g, Tensor) else np.asarray(g)  # what a hook changes in place stays changed
    for hook in list(hooks.tensor.values()):
        returned = hook(as_tensor(g))
        if returned is not None:
            g = _accepted(g, returned, hook)
    tensor = hooks.retain and hooks.retain()
    if tensor is not None:  # retain_grad() was called on it
        before, kept = tensor._meta.grad, as_tensor(g)
        tensor._meta.grad = kept.clone() if before is None else before + kept
    return g


def before_node(node, g):
    """The hooks of its tensor (a node with several outputs has none), then the node's own."""
    if node._outputs > 1:
        return type(g)(through(node._hooks.before, g))
    [g] = through(node._hooks.before, [tensor_hooks(node._hooks, g)])
    return g


def after_node(node, g, grads):
    """A node's own hooks, which may replace the gradients that it sends on."""
    if not node._hooks.after:
        return grads
    upstream = _as_seen(g if isinstance(g, list) else [g])
    return taken_back(node, through(node._hooks.after, shown(node, grads), upstream))


def after_leaf(leaf, g):
    """The hooks of a leaf that want to know of its new `.grad`."""
    hooks = leaf._meta.hooks
    for hook in list(hooks.accumulated.values()):
        if hook(leaf) is not None:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    through(hooks.after, [], _as_seen([g]))


def as_tensor(g):
    """A gradient as the user sees it."""
    return g if isinstance(g, Tensor) else make(np.asarray(g))


def _as_seen(gradients):
    return tuple([g if g is None else as_tensor(g) for g in gradients])


def through(hooks, gradients, *more):
    """Gradients as a node's hooks leave them; what a hook returns has to be a tuple of as many."""
    for hook in list(hooks.values()):
        returned = hook(_as_seen(gradients), *more)
        if returned is None:
            continue
        if not isinstance(returned, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type_name(returned)}'")
        if len(returned) != len(gradients):
            raise RuntimeError(
                f"hook '{_name(hook)}' has returned an incorrect number of values (got "
                f"{len(returned)}, but expected {len(gradients)})"
            )
        gradients = [_accepted(old, g, hook) for old, g in zip(gradients, returned)]
    return gradients


def _accepted(old, returned, hook):
    """A gradient that a hook returned, in the pass's own form: of the old one's dtype and shape."""
    if returned is None:
        return None
    if not isinstance(returned, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type_name(returned)}'")
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    was, got = as_tensor(old).type(), returned.type()
    if was != got:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {was} got {got})"
        )
    if returned.shape != old.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return returned if isinstance(old, Tensor) else returned._array


def _name(hook):
    return getattr(hook, "__name__", type(hook).__name__)
