"""Views, and changing a tensor in place.

A view shares memory and a version counter with its base. An in-place operation computes its result
as usual, writes it into the tensor's memory and adds one to the version, and the tensor takes over
the result's node. If the tensor is a view, its base takes over a node around that one, and each
view of the base gets a new node when it is next used.
Mirrors https://docs.pytorch.org/docs/2.13/notes/autograd.html#in-place-correctness-checks
"""

import math
from typing import Any

import numpy as np

from . import dtypes, errors
from .graph import Node, edge, new_node
from .modes import enable_grad, listeners, mode, tell
from .node_names import by_edge, by_operand, short_name
from .operation import Operation
from .tensor import Meta, Tensor, current_node, make, meta_of


class View:
    """The tensor whose memory a view shares, `base`, and the way from there, `recipe`.

    A recipe is a tuple of functions of arrays, each of which gives a view of the one before.
    """

    __slots__ = ("base", "recipe", "node_version", "restriction")

    def __init__(self, base, recipe, restriction):
        self.base, self.recipe = base, recipe
        self.node_version = base._meta.version.count  # the version that the view's node belongs to
        self.restriction = restriction  # why it must not be changed: a key of errors.VIEW_REFUSED

    def refresh(self, view):
        """Give the view a new node if its base was changed in place since."""
        if self.node_version == view._meta.version.count or not self.base._requires_grad:
            return
        if self.restriction is not None:
            refuse_view(view, "its base or another view of its base has been")
        self.node_version = view._meta.version.count
        with enable_grad():
            fresh = AsStrided.apply(self.base, self.recipe)
        take_over(view, fresh._node)


class ViewOperation(Operation):
    """An operation whose result, or results, share memory with its first operand."""

    @classmethod
    def make_apply(cls):
        """`cls.apply`, which also stores on its result what it is a view of."""
        apply = super().make_apply()

        def apply_and_mark(x, *args):
            result = apply(x, *args)
            if isinstance(result, Tensor):
                step = lambda array: cls.forward(array, *args)  # noqa: E731
                mark_as_view(result, x, step, None if mode.enabled else "no_grad")
            elif isinstance(x, Tensor):
                for i, part in enumerate(result):
                    restriction = "several" if mode.enabled else "no_grad"
                    step = lambda array, i=i: cls.forward(array, *args)[i]  # noqa: E731
                    mark_as_view(part, x, step, restriction)
            return result

        return apply_and_mark


def mark_as_view(view, base, step, restriction):
    """Store on a result that it is a view of `base`, or of that tensor's own base."""
    meta, recipe = meta_of(base), (step,)
    outer = meta.view
    if outer is not None:
        base, recipe = outer.base, outer.recipe + recipe
        restriction = outer.restriction or restriction
    view._meta = Meta(meta.version)
    view._meta.view = View(base, recipe, restriction)
    if restriction == "no_grad":  # not recorded, but it says that it requires grad, as in PyTorch
        view._requires_grad = base._requires_grad


def apply_recipe(recipe, array):
    """The view that a recipe makes of the base's array."""
    for step in recipe:
        array = step(array)
    return array


def places(recipe, shape):
    """Where the elements of a view are in its flattened base, as an index for the next classes."""
    return (make(apply_recipe(recipe, np.arange(math.prod(shape)).reshape(shape))),)


class Index(Operation):
    """What tensors of places, or masks, pick; None in their tuple means a whole dimension."""

    tensors, torch_names = ("index",), {"index": "indices"}

    def forward(x, index):
        return np.asarray(x[arrays(index)], order="C")

    def grad_x(g, x_shape, index):
        return ScatterAdd.apply(g, x_shape, index)


class ScatterAdd(Operation):
    """Zeros with `x` added where it was picked: what was picked twice gets both gradients."""

    tensors = ("index",)

    def forward(x, shape, index):
        whole = np.zeros(shape, x.dtype)
        np.add.at(whole, arrays(index), x)
        return whole

    def grad_x(g, _x, _shape, index):
        return Index.apply(g, index)


class IndexPut(Operation):
    """`x` with `y` written where an index of tensors points."""

    tensors, torch_names = ("index",), {"index": "indices"}

    def forward(x, y, index):
        x = np.array(x)
        x[arrays(index)] = y
        return x

    def grad_x(g, _x, _y, index):
        return IndexPut.apply(g, 0, index)

    def grad_y(g, _x, _y, index):
        return Index.apply(g, index)


def arrays(index):
    """The index of an operation as NumPy takes it; NumPy is faster with an array than a tuple."""
    parts = [slice(None) if part is None else part._array for part in index]
    return parts[0] if len(parts) == 1 else tuple(parts)


class AsStrided(Operation):
    """A view as one operation on its base, whatever operations led to it."""

    def forward(x, recipe):
        return apply_recipe(recipe, x)

    def grad_x(g, x_shape, recipe):
        flat = ScatterAdd.apply(g, (math.prod(x_shape),), places(recipe, x_shape))
        return flat.reshape(x_shape)


class CopySlices(Node):
    """The base after one of its views was changed by an operation, whose own node is saved.

    The view's part of a gradient goes through that node, and the rest goes past it.
    """

    __slots__ = ("_saved", "_edge_indices")
    _saved: Any
    _namespace, _frees = "torch::autograd::", True

    def _vjp(self, g, create_graph=False):
        if self._saved is None:
            raise RuntimeError(errors.FREED)
        if g is None:
            return (None,) * len(self._next)
        change, recipe = self._saved
        grads = by_operand(change, change._vjp(AsStrided.apply(g, recipe), create_graph))
        part = 0 if grads[0] is None else grads[0]  # for the view before the change
        rest = IndexPut.apply(g.reshape(-1), part, places(recipe, g.shape)).reshape(g.shape)
        return by_edge(self, [rest, *grads[1:]])


def in_place(cls, x, *args):
    """Store in `x` the result of `cls` on `x` and `args`, as `x.mul_(y)` does. Returns `x`.

    Raises RuntimeError for a leaf that requires grad, while recording is on, and for a result that
    does not fit into `x`.
    """
    recording = is_recorded(x, args)
    if recording:
        refuse_leaf(x)
    if recording or not cls.overwrites:
        refuse_expanded(x)
    if recording or not written_directly(cls, x, args):
        before = copy_of(x) if recording else x  # a rule may need the numbers as they were
        result = cls.apply(before, *args)
        if result is NotImplemented:
            raise TypeError(f"an in-place operation cannot take a {errors.type_name(args[0])}")
        check_result(x, result._array)
        x._array[...] = result._array
    meta_of(x).version.count += 1
    if recording:
        rebase(x, result, args)
    if listeners:
        tell("changed", x)
    return x


def is_recorded(x, args):
    """Whether a change of `x` by `args` is recorded. Raises RuntimeError if a view forbids it."""
    if not mode.enabled or x._array.dtype.kind != "f":
        return False
    tensors = [x, *[arg for arg in args if isinstance(arg, Tensor)]]
    base = x._base
    of_view = base is not None and x._meta.view.restriction is not None
    if of_view and any([tensor._requires_grad for tensor in (*tensors, base)]):
        refuse_view(x, "is being")
    return any([tensor.requires_grad for tensor in tensors])


def copy_of(x):
    """A copy of a tensor that is about to be changed, at the same place in the graph."""
    copy = make(x._array.copy())
    copy._node, copy._requires_grad = current_node(x), x._requires_grad
    return copy


def written_directly(cls, x, args):
    """Let NumPy write into the memory of `x`, as for `w -= step`. Returns False if it cannot."""
    array = x._array
    if not isinstance(cls.forward, np.ufunc) or array.dtype.kind != "f" or len(args) != 1:
        return False
    other = getattr(args[0], "_array", None)
    if other is None or (array.dtype, array.shape) != (other.dtype, other.shape):
        return False
    mode.without_float_warnings(cls.forward, array, other, array)
    return True


def rebase(x, result, args):
    """Give new nodes to a tensor that was changed in place, and to its base if it is a view."""
    meta, node = x._meta, result._node
    node._written_into(x)
    if meta.view is None:
        take_over(x, node)
        return
    base = meta.view.base
    slices = new_node(CopySlices, [edge(base), *by_operand(node, node._next)[1:]])
    slices._saved = node, meta.view.recipe
    take_over(base, slices)
    if listeners:
        tell("recorded", slices, (base, *args), base)
    meta.view.node_version = None
    current_node(x)  # gives the view its new node


def take_over(x, node):
    """Give a tensor a new node, together with its `retain_grad`."""
    if x._meta.retains and x._node is not None and x._node._hooks is not None:
        node._make_hooks().retain, x._node._hooks.retain = x._node._hooks.retain, None
    x._node, x._requires_grad = node, True


def refuse_expanded(x):
    """Raises RuntimeError for an expanded tensor, whose elements share memory."""
    if 0 not in x._array.strides or not x._array.size:
        return
    if any([step == 0 and n > 1 for step, n in zip(x._array.strides, x._array.shape)]):
        raise RuntimeError(errors.EXPANDED)


def refuse_leaf(x):
    """Raises RuntimeError for a leaf that requires grad, or a view of one."""
    if x.requires_grad and x._base is not None and x._base.is_leaf:
        raise RuntimeError(errors.VIEW_OF_LEAF_IN_PLACE)
    if x.requires_grad and x._node is None:  # or a view that was not used since its base changed
        raise RuntimeError(errors.LEAF_IN_PLACE)


def refuse_view(view, happened):
    """Raises RuntimeError for a view that must not be changed in place while recording is on."""
    node, restriction = view._node, view._meta.view.restriction
    made_by, mode_now = "A view was created in no_grad mode", " with grad mode enabled"
    if node is not None:
        made_by, mode_now = f"Output {node._output_nr} of {short_name(node)} is a view", ""
    text = f"{made_by} and {happened} modified inplace{mode_now}"
    raise RuntimeError(errors.VIEW_REFUSED[restriction].format(text))


def check_result(x, out):
    """Raises RuntimeError for a result that does not fit into `x`, by its shape or its dtype."""
    if out.shape != x._array.shape:
        raise RuntimeError(
            f"output with shape {list(x._array.shape)} doesn't match the broadcast "
            f"shape {list(out.shape)}"
        )
    if dtypes.category(out.dtype) > dtypes.category(x._array.dtype):
        raise RuntimeError(
            f"result type {dtypes.of(out).tensor_name} can't be cast to the desired "
            f"output type {x.dtype.tensor_name}"
        )
