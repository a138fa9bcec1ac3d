"""Changing a tensor in place, and views: tensors that share memory with their base.

An in-place operation writes new numbers, counts the shared version up and gives the tensor a new node.
If the tensor is a view, its base gets a node too (`CopySlices`), and every other view makes its node
anew when it is next asked for.

Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html#in-place-operations-with-autograd
"""

import warnings

import numpy as np

from . import dtypes
from .errors import FREED, NO_CHANGE_OF_INFERENCE, short_name
from .grad_mode import mode
from .graph import Node, edge, placed
from .operation import Operation, quietly, record
from .tensor import Meta, Tensor, current_node, make, meta_of, new


class ViewOperation(Operation):
    """An operation whose result shares memory with its first operand.

    A view operation is linear and its rule needs nothing but shapes and its own arguments.
    """

    may_copy = False  # True: where the memory does not allow a view, the result is a copy

    def __new__(cls, x, *args):
        result = Operation.__new__(cls, x, *args)
        if isinstance(x, Tensor):
            link(result, x, cls, args)
        return result


def link(view, x, operation, args):
    """Note that `view` shares the memory of `x`, and by which operation."""
    if operation.may_copy and not np.may_share_memory(view._array, x._array):
        return
    meta = meta_of(x)
    mine = view._meta = Meta(meta.version)
    mine.base = x if meta.base is None else meta.base
    mine.recipe = (meta.recipe or ()) + ((operation, args),)
    mine.seen = meta.version.n
    mine.origin = meta.origin if mode.enabled else "no_grad"
    if not mode.enabled:  # not recorded, and yet a view of something that requires grad
        view._requires_grad = mine.borrowed = x._requires_grad and view.is_floating_point()


def follow(recipe, array):
    """The view that a recipe leads to, starting from `array`."""
    for operation, args in recipe:
        array = operation.forward(array, *args)
    return array


def places(recipe, shape):
    """For each element of the view its position in the flattened base."""
    return follow(recipe, np.arange(int(np.prod(shape))).reshape(shape))


class AsStrided(Operation):
    """A view seen from its base, whatever operations led to it."""

    def forward(x, recipe):
        return x.reshape(-1)[places(recipe, x.shape)]

    def grad_x(g, x_shape, recipe):
        return Embed(g, x_shape, recipe)


class Embed(Operation):
    """Zeros in the base's shape, with `x` added where the view lies."""

    def forward(x, shape, recipe):
        whole = np.zeros(int(np.prod(shape)), x.dtype)
        np.add.at(whole, places(recipe, shape), x)
        return whole.reshape(shape)

    def grad_x(g, recipe):
        return AsStrided(g, recipe)


class CopySlices(Node):
    """The node of a base one of whose views was changed in place by the operation `inner`."""

    __slots__ = ("inner", "recipe", "shape")

    frees = True
    namespace = "torch::autograd::"

    def apply(self, g, create_graph):
        """Outside the view the gradient passes; inside, the inner operation's rules apply."""
        from .ops.select import Where

        if self.inner is None:
            raise RuntimeError(FREED)
        if g is None:
            return [None] * len(self._next)
        check_memory(make(follow(self.recipe, np.empty(self.shape))), ())
        grads = self.inner._plan.apply(self.inner, AsStrided(g, self.recipe), create_graph)
        covered = np.zeros(int(np.prod(self.shape)), bool)
        covered[places(self.recipe, self.shape)] = True
        covered = covered.reshape(self.shape)
        kept = g * (make(~covered) if create_graph else ~covered)
        if grads[0] is not None:
            inside = Embed(grads[0], self.shape, self.recipe)
            kept = Where(make(covered) if create_graph else covered, inside, g)
        else:
            zeros = g * 0
            kept = Where(make(covered) if create_graph else covered, zeros, g)
        return [kept, *grads[1:]]

    def release(self):
        if self.inner is None:
            return False
        if self.inner._plan.frees:
            self.inner._plan.release(self.inner)
        self.inner = None  # PyTorch forgets all of it, also where nothing was saved
        return True


def check(x, requires_grad):
    """Refuse an in-place change that backward could not account for, in PyTorch's words."""
    if not (mode.enabled and requires_grad):
        return
    base = x._meta and x._meta.base
    if base is not None:
        if x._meta.origin is not None:
            refuse_view(x)
        if x.requires_grad and current_node(base) is None:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )
    if x.requires_grad and x._node is None:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )


def refuse_view(view, indirectly=False):
    """RuntimeError for a view that may not be changed in place while recording.

    `indirectly`: not the view itself was changed, but its base or another view of it.
    """
    what = "its base or another view of its base has been" if indirectly else "is being"
    node, no_grad = view._node, view._meta.origin == "no_grad"
    if node is None:
        text = f"A view was created in no_grad mode and {what} modified inplace"
    else:
        a_view = "a view of a view which was created in no_grad mode" if no_grad else "a view"
        text = f"Output {node._output_nr} of {short_name(node)} is {a_view} and {what} modified inplace"
    if no_grad or node is None:
        text += " with grad mode enabled"
    if view._meta.origin == "function":
        raise RuntimeError(
            f"{text}. This view was created inside a custom Function (or because an input was returned "
            "as-is) and the autograd logic to handle view+inplace would override the custom backward "
            "associated with the custom Function, leading to incorrect gradients. This behavior is "
            "forbidden. You can fix this by cloning the output of the custom Function."
        )
    if no_grad:
        raise RuntimeError(
            f"{text}. Given that this use case is ambiguous and error-prone, it is forbidden. You "
            "can clarify your code by moving both the view and the inplace either both inside the "
            "no_grad block (if you don't want the inplace to be tracked) or both outside (if you "
            "want the inplace to be tracked)."
        )
    raise RuntimeError(
        f"{text}. This view is the output of a function that returns multiple views. Such "
        "functions do not allow the output views to be modified inplace. You should replace the "
        "inplace operation by an out-of-place one."
    )


def check_memory(x, tensors, alone=False):
    """Refuse to write where one place in memory is several elements, or is being read as another.

    alone: or is being read at all.
    """
    array = x._array
    if _repeats(array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )
    for tensor in tensors:
        if (tensor is not x or alone) and _overlap(array, tensor._array, alone):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before "
                "performing the operation."
            )


def _repeats(array):
    """Whether one place in memory is several elements."""
    strides = array.strides
    return 0 in strides and array.size and any(
        step == 0 and n > 1 for step, n in zip(strides, array.shape)
    )


def _overlap(a, b, whole):
    """Whether two gapless arrays share some memory; unless `whole`, not if they are the very same elements."""
    if not np.may_share_memory(a, b) or not (_gapless(a) and _gapless(b)):
        return False
    if whole:
        return True
    same_place = a.__array_interface__["data"] == b.__array_interface__["data"]
    return not (same_place and a.size == b.size and a.strides == b.strides)  # as PyTorch compares


def _gapless(array):
    return array.flags.c_contiguous or array.flags.f_contiguous


def apply_in_place(operation, x, *args):
    """`x` becomes `operation(x, *args)`: `x.mul_(y)` and its like. Returns `x`."""
    args = (x, *args)
    mask = _to_record(operation, args) if mode.enabled else 0
    if operation.warns and _repeats(x._array):
        name, form = operation.warns
        warnings.warn(
            f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before "
            f"performing this operation. This also applies to advanced indexing e.g. {form}",
            UserWarning,
            stacklevel=3,
        )
    elif not operation.fills:
        check_memory(x, [a for a in args if isinstance(a, Tensor)])
    write = operation.write or _written_by_numpy(operation, args)
    if write is None:
        out = _computed(operation, args)
        check_result(x, out)
    if mask:
        saves_x = operation.params[0] in operation.plan_for(mask).names
        before = make(x._array.copy() if saves_x else x._array)
        before._node, before._requires_grad = x._node, x._requires_grad
    if write is not None:
        quietly(write, *[a._array if isinstance(a, Tensor) else a for a in args])
    elif out.size:  # an empty array may be read-only
        x._array[...] = out
    if x._meta is not None and not x._meta.version.tracked and not mode.inference:
        raise RuntimeError(NO_CHANGE_OF_INFERENCE)  # where the version is counted, as in PyTorch: it has changed
    if mask:
        rebase(x, record(operation, mask, (before, *args[1:]), x._array))
    else:
        meta_of(x).version.n += 1
    return x


def _to_record(operation, args):
    """The operands that need a gradient (bit i: operand i); refuses a change not to be made."""
    operands = [args[p] for p in operation.positions]
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    check(args[0], any(tensor.requires_grad for tensor in tensors))
    for tensor in tensors:
        current_node(tensor)
    if args[0]._array.dtype.kind != "f":
        return 0
    return sum(1 << i for i, operand in enumerate(operands)
               if isinstance(operand, Tensor) and operand._requires_grad)  # fmt: skip


def _written_by_numpy(operation, args):
    """`forward` writing straight into the first operand, where NumPy can do that; else None."""
    if len(args) != 2 or not isinstance(operation.forward, np.ufunc):
        return None
    x, y = args[0]._array, args[1]._array
    fits = y.dtype is x.dtype and (y.shape == x.shape or y.ndim == 0)
    if fits and x.dtype.kind == "f" and x.flags.writeable:
        return lambda x, y: operation.forward(x, y, x)
    return None


def _computed(operation, args):
    """What an operation gives, as an array; its operands are promoted as PyTorch does."""
    arrays = [a._array if isinstance(a, Tensor) else a for a in args]
    if operation.broadcasts:
        places = operation.promoted or operation.positions
        dtype = dtypes.result_numpy(*[arrays[p] for p in places])
        if operation.floats and dtype.kind != "f":
            dtype = dtypes.get_default_dtype().numpy
        for p in places:
            arrays[p] = arrays[p].astype(dtype, copy=False)
    return np.asarray(quietly(operation.forward, *arrays))


def rebase(x, node):
    """Give a tensor whose numbers have just been changed its new node, and its base one too."""
    meta = meta_of(x)
    meta.version.n += 1
    if meta.base is not None:
        base = meta.base
        inner, before = node, edge(base) if base._requires_grad else None
        node = placed(new(CopySlices), before, *inner._next[1:])
        node.inner, node.recipe, node.shape = inner, meta.recipe, base._array.shape
        move_retain(base, node)
        base._node, base._requires_grad = node, True
        x._requires_grad = True
        refresh(x)
        inner._watch(meta.version, x._node)
        return
    node._watch(meta.version)
    move_retain(x, node)
    x._node, x._requires_grad = node, True


def move_retain(x, node):
    """`retain_grad` of a tensor goes over to its new node."""
    hooks = x._node and x._node._hooks
    if hooks is not None and x._meta is not None and x._meta.retains:
        node._make_hooks().retain, hooks.retain = hooks.retain, None


def refresh(view):
    """Make a view's node anew from its base, which was changed in place since."""
    meta = view._meta
    base = meta.base
    if view._node is None and current_node(base) is None and not base._requires_grad:
        return  # `seen` stays: should the base come to require grad, the view is made anew
    if meta.origin is not None:
        refuse_view(view, indirectly=True)
    meta.seen = meta.version.n
    node = record(AsStrided, int(base._requires_grad), (base, meta.recipe), view._array)
    if meta.retains:
        move_retain(view, node)
    meta.borrowed = False
    view._node, view._requires_grad = node, True


def check_result(x, out):
    """Refuse a result that does not fit into `x`: shape first, then dtype."""
    if out.shape != x._array.shape:
        raise RuntimeError(
            f"output with shape {list(x._array.shape)} doesn't match the broadcast shape "
            f"{list(out.shape)}"
        )
    if dtypes.category(out.dtype) > dtypes.category(x._array.dtype):
        raise RuntimeError(
            f"result type {dtypes.of(out).tensor_name} can't be cast to the desired output type "
            f"{x.dtype.tensor_name}"
        )
