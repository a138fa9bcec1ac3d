"""The recorded graph as something to work with: hooks for what is saved, edges, hooks on several tensors.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#autograd-graph
"""

import functools
import threading
import weakref
from collections import namedtuple

import numpy as np

from .. import backward as engine
from ..dtypes import type_name
from ..grad_mode import no_grad
from ..graph import AccumulateGrad, Node, edge
from ..hooks import packers, recorders
from ..namespace import absent, documented, listed, mirror
from ..operation import Operation
from ..tensor import Meta, Tensor, Version, make, meta_of

__all__ = ["saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks",
           "register_multi_grad_hook", "Node", "GradientEdge", "get_gradient_edge",
           "increment_version"]  # fmt: skip

# -- what is saved for backward, in another form --------------------------------------------------


class _Here(threading.local):
    """The hooks that are in force in this thread, the innermost last; why there may be none."""

    def __init__(self):
        self.hooks, self.refused = [], None


_here = _Here()
_blocks = []  # all hooks in force, in whatever thread: operations are listened to as long as there are some


class saved_tensors_hooks:
    """A `with` block in which each tensor that is saved for backward is kept as `pack_hook(tensor)`.

    In backward `unpack_hook(packed)` gives it back: a tensor of the same numbers. Of nested blocks the
    innermost counts. RuntimeError for a hook that changes the tensor in place, TypeError for what
    unpacks to no tensor. Tensors that are saved like this are not checked for changes in place.
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if _here.refused is not None:
            raise RuntimeError(_here.refused)
        if not _blocks:
            recorders.append(_pack_saved)
            packers.append(_packed)
        _blocks.append(self)
        _here.hooks.append(self)

    def __exit__(self, *exception):
        _here.hooks.pop()
        _blocks.pop()
        if not _blocks:
            recorders.remove(_pack_saved)
            packers.remove(_packed)


class save_on_cpu(saved_tensors_hooks):
    """A `with` block in which saved tensors are moved to the CPU: here, where they are.

    Accepted so that programs run unchanged; it saves no memory on a machine without another device.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


class disable_saved_tensors_hooks:
    """A `with` block in which `saved_tensors_hooks` are refused: RuntimeError with this message."""

    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        if _here.hooks:
            raise RuntimeError(self.error_message)
        self._before, _here.refused = _here.refused, self.error_message

    def __exit__(self, *exception):
        _here.refused = self._before


class PackedTensor:
    """A saved tensor in the form that a pack hook gave it, and where its gradient goes."""

    __slots__ = ("packed", "unpack_hook", "edge")

    def __init__(self, tensor, hooks, is_output=False):
        version = tensor._version
        with no_grad():
            self.packed = hooks.pack_hook(tensor)
        if tensor._version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
                "pack hook cannot be modified by in-place operations as this can lead to unexpected "
                "side-effects. Please open an issue if you need to perform in-place operations on the "
                "input to a pack hook."
            )
        self.unpack_hook = hooks.unpack_hook
        self.edge = edge(tensor) if tensor.requires_grad and not is_output else None

    def unpacked(self):
        """The tensor, in its place in the graph."""
        found = self.unpack_hook(self.packed)
        if not isinstance(found, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type_name(found)}"
            )
        tensor = make(found._array)
        if isinstance(self.edge, AccumulateGrad):
            tensor._meta = Meta(Version())
            tensor._meta.accumulator = weakref.ref(self.edge)
        else:
            tensor._node = self.edge
        tensor._requires_grad = self.edge is not None
        return tensor


class Packed:
    """What a node saved, its tensors packed; takes the place of the node's `versions`."""

    __slots__ = ("values",)

    def __init__(self, values):
        self.values = values

    def unpacked(self, node, wanted=None):
        """The values as `node.unpack()` gives them; with `wanted` only the tensor of that name."""
        node.saved = [v.unpacked() if isinstance(v, PackedTensor) and wanted in (None, name) else v
                      for name, v in zip(node._plan.names, self.values)]  # fmt: skip
        node.versions = None
        if node._plan.saves_out:
            place = node._plan.names.index("out")
            node.saved[place] = getattr(node.saved[place], "_array", node.saved[place])
        try:
            return node.unpack()
        finally:
            node.saved, node.versions = None, self


def _pack_saved(node, args, out):
    """Hear of a new node, and pack what it saved."""
    if not _here.hooks or not isinstance(node, Operation):
        return
    hooks, values = _here.hooks[-1], []
    for name, value in zip(node._plan.names, node.saved):
        if name == "out" and isinstance(value, np.ndarray):
            value = make(value)
            value._node, value._requires_grad = node, True
            value = PackedTensor(value, hooks, is_output=True)
        elif isinstance(value, Tensor) and not hasattr(value, "_number"):  # a number stays one
            value = PackedTensor(value, hooks)
        values.append(value)
    if any(isinstance(value, PackedTensor) for value in values):
        node.saved, node.versions = None, Packed(values)


def _packed(tensor, is_output):
    """A tensor that a `Function` saves, packed; None if this thread has no hooks."""
    return PackedTensor(tensor, _here.hooks[-1], is_output) if _here.hooks else None


# -- edges ----------------------------------------------------------------------------------------


class GradientEdge(namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"], defaults=[None])):
    """The place where a tensor's gradient arrives: a node and the number of its output.

    `autograd.grad` and `backward` take it in place of the tensor, which need not live any longer.
    """

    like = port = None  # an array like the gradient, and one output's node, where they are known


def get_gradient_edge(tensor):
    """The `GradientEdge` of a tensor: its `grad_fn` and `output_nr`, or its AccumulateGrad node.

    RuntimeError for a tensor that does not require grad.
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    node = edge(tensor)
    found = GradientEdge(node._owner, node._output_nr)
    found.port = node
    found.like = np.broadcast_to(np.zeros((), tensor._array.dtype), tensor._array.shape)
    return found


# -- hooks on several tensors ---------------------------------------------------------------------


class _Handles:
    """The handles of several hooks as one."""

    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        """Take all hooks back; a second time does nothing."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` in each backward pass when the gradients of several tensors have arrived.

    With "all", `fn(gradients)` once those of all have that the pass will reach, None for the others;
    with "any", `fn(gradient)` with the first one. Returns a handle with `remove()`. ValueError for
    another mode, AssertionError for a tensor that does not require grad (with "any" it is passed over).
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        passes = weakref.WeakSet()

        def first(gradient):
            here = engine.here.running
            if here not in passes:
                passes.add(here)
                fn(gradient)

        hook = functools.wraps(fn)(first) if hasattr(fn, "__name__") else first
        return _Handles([tensor.register_hook(hook) for tensor in tensors if tensor.requires_grad])
    if not all(tensor.requires_grad for tensor in tensors):
        raise AssertionError("Expected gradient function to be set")
    nodes = [edge(tensor) for tensor in tensors]
    arrived = weakref.WeakKeyDictionary()  # pass -> [how many are still to come, the gradients]

    def hook_of(place):
        def one(gradient):
            here = engine.here.running
            if here not in arrived:
                arrived[here] = [sum(map(here.reaches, nodes)), [None] * len(nodes)]
            waiting = arrived[here]
            waiting[0] -= 1
            waiting[1][place] = gradient
            if not waiting[0]:
                del arrived[here]
                fn(waiting[1])

        return one

    return _Handles([tensor.register_hook(hook_of(i)) for i, tensor in enumerate(tensors)])


def increment_version(tensor):
    """Say that a tensor, or each of several, was changed in place: its version goes up by 1."""
    for changed in (tensor,) if isinstance(tensor, Tensor) else tensor:
        meta_of(changed).version.n += 1


mirror(vars(Node), "generated/torch.autograd.graph.Node.{}.html")
documented(Node, "autograd.html#torch.autograd.graph.Node")
mirror(globals(), "autograd.html#torch.autograd.graph.{}")
__getattr__, __dir__ = absent(__name__), listed(globals())
