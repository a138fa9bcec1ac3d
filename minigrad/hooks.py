"""Hooks: the user's functions that a backward pass calls around a node or a leaf.

Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html#backward-hooks-execution
"""

import numpy as np

from .errors import NO_HOOK, type_name
from .node_names import by_edge, by_operand
from .tensor import Tensor, make, meta_of, tick


class Hooks:
    """The functions to call around one node or leaf, in the order of registration."""

    __slots__ = ("tensor", "before", "after", "accumulated", "retain", "metadata")

    def __init__(self):
        self.tensor, self.before, self.after = {}, {}, {}
        self.accumulated = {}  # a leaf's, to call after its .grad was updated
        self.retain = None  # weak reference to the tensor whose .grad is to be filled
        self.metadata = {}  # a dictionary for the user's notes about the node


class Handle:
    """What registering a hook returns: `remove()` takes it out of `hooks`, {number: function}."""

    def __init__(self, hooks, hook):
        self.hooks, self.id = hooks, tick()
        hooks[self.id] = hook

    def remove(self):
        """Remove the hook; a second time does nothing."""
        self.hooks.pop(self.id, None)


def leaf_hooks(leaf):
    """The hooks of a leaf, made on first use; they stay with it from graph to graph."""
    meta = meta_of(leaf)
    meta.hooks = meta.hooks or Hooks()
    return meta.hooks


def register_hook(self, hook):
    """Call `hook(gradient)` with this tensor's total gradient in each backward pass.

    A tensor that it returns replaces the gradient and must have its shape. Returns a handle with
    `remove()`. Raises RuntimeError for a tensor that does not require grad.
    """
    if not self.requires_grad:
        raise RuntimeError(NO_HOOK)
    hooks = leaf_hooks(self) if self._node is None else self._node._make_hooks()
    return Handle(hooks.tensor, hook)


def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(leaf)` each time after this leaf's `.grad` was updated; returns a handle.

    Raises RuntimeError for a tensor that is not a leaf or does not require grad.
    """
    if not self.requires_grad:
        raise RuntimeError(NO_HOOK)
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return Handle(leaf_hooks(self).accumulated, hook)


Tensor.register_hook = register_hook
Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook


# --- what a pass calls ---------------------------------------------------------------------------


def tensor_hooks(hooks, g):
    """Call the hooks of one tensor, each of which may replace the gradient; then retain_grad."""
    if g is None or hooks is None:
        return g
    g = g if isinstance(g, Tensor) else np.asarray(g)  # so that a hook can change it in place
    for hook in list(hooks.tensor.values()):
        returned = hook(as_tensor(g))
        if returned is not None:
            g = _checked(g, returned, hook)
    tensor = hooks.retain and hooks.retain()
    if tensor is not None:  # retain_grad() was called on it
        before, now = tensor._meta.grad, as_tensor(g)
        tensor._meta.grad = now.clone() if before is None else before + now
    return g


def before_node(node, g):
    """Call the hooks of a node's tensor, then the node's own `before`; returns the gradient.

    The tensors of a node with several outputs have their hooks at its output nodes.
    """
    if node._outputs > 1:
        return type(g)(run_hooks(node._hooks.before, g))
    [g] = run_hooks(node._hooks.before, [tensor_hooks(node._hooks, g)])
    return g


def after_node(node, g, grads):
    """Call a node's own hooks `after`, which may replace the gradients that it sends on."""
    if not node._hooks.after:
        return grads
    upstream = as_tensors(g if isinstance(g, list) else [g])
    return by_edge(node, run_hooks(node._hooks.after, by_operand(node, grads), upstream))


def after_leaf(leaf, g):
    """Call the hooks that run after a leaf's `.grad` was updated."""
    hooks = leaf._meta.hooks
    for hook in list(hooks.accumulated.values()):
        if hook(leaf) is not None:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    run_hooks(hooks.after, [], as_tensors([g]))


def as_tensor(g):
    """A gradient as the user sees it."""
    return g if isinstance(g, Tensor) else make(np.asarray(g))


def as_tensors(gradients):
    """Gradients as the user sees them; None stays None."""
    return tuple([g if g is None else as_tensor(g) for g in gradients])


def run_hooks(hooks, gradients, *more):
    """Call hooks with gradients; each may return as many others, a tuple, to replace them."""
    for hook in list(hooks.values()):
        returned = hook(as_tensors(gradients), *more)
        if returned is None:
            continue
        if not isinstance(returned, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type_name(returned)}'")
        if len(returned) != len(gradients):
            raise RuntimeError(
                f"hook '{_name(hook)}' has returned an incorrect number of values (got "
                f"{len(returned)}, but expected {len(gradients)})"
            )
        gradients = [_checked(old, g, hook) for old, g in zip(gradients, returned)]
    return gradients


def _checked(old, returned, hook):
    """What a hook returned, in the form the pass uses. Raises an error unless it fits `old`."""
    if returned is None:
        return None
    if not isinstance(returned, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type_name(returned)}'")
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    before, now = as_tensor(old).type(), returned.type()
    if before != now:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {before} got {now})"
        )
    if returned.shape != old.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return returned if isinstance(old, Tensor) else returned._array


def _name(hook):
    return getattr(hook, "__name__", type(hook).__name__)
