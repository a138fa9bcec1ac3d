"""What a tensor is: a NumPy array, its place in the graph, and a few flags.

A `Tensor` has four fields. `_array` holds the numbers. `_node` is the operation that made it (None
for a leaf). `_requires_grad` says whether gradients flow to it. `_meta` is None for an ordinary
result and holds what only some tensors need: `.grad`, hooks, a version counter, the base of a view.

The operations attach their methods to this class where they are defined, in `minigrad/ops/`.
Mirrors https://docs.pytorch.org/docs/2.13/tensors.html
"""

import copy
import itertools
import warnings
import weakref

import numpy as np

from . import dtypes, errors
from .dtypes import Named
from .grad_mode import mode
from .properties import Fixed, Properties, device, wrap_dim  # noqa: F401

new = object.__new__
count = itertools.count(1).__next__  # nodes and hooks are numbered in order of creation


class Version:
    """How often the numbers were changed in place; shared by a tensor, its views and aliases."""

    __slots__ = ("n",)
    tracked = True

    def __init__(self):
        self.n = 0


class Untracked(Version):
    """That of a tensor made in `inference_mode`: backward could not tell whether it was changed."""

    __slots__ = ()
    tracked = False


class Meta:
    """What only some tensors need. A tensor that has none is at version 0 and is no view."""

    grad = None  # Tensor, what `.grad` shows
    hooks = None  # graph.Hooks of a leaf
    accumulator = None  # weak reference to a leaf's AccumulateGrad node
    retains = False  # retain_grad() was called
    base = None  # the tensor that this one is a view of
    recipe = None  # the view operations that lead from base to here
    seen = 0  # the version of the base that `_node` belongs to
    origin = None  # "no_grad", "several" or "function": whence a view is not to be changed
    detached = 0  # when detach_() cut it from its graph, in the numbers of nodes
    borrowed = False  # such a view says that it requires grad, but only its base does

    def __init__(self, version):
        self.version = version  # Version


class TypeByDtype(Named):
    """Lets `isinstance(x, torch.FloatTensor)` and `isinstance(x, Variable)` answer by dtype."""

    def __instancecheck__(cls, instance):
        check = cls.__dict__.get("_accepts")
        return check(instance) if check else type.__instancecheck__(cls, instance)


class Tensor(Properties, metaclass=Named):
    """An n-dimensional array that remembers how it was computed.

    `Tensor(2, 3)` makes an uninitialised float32 tensor of that shape, `Tensor([1, 2])` one that holds
    these numbers; prefer `tensor(...)`, which infers the dtype. Mirrors
    https://docs.pytorch.org/docs/2.13/tensors.html#torch.Tensor
    """

    __slots__ = ("_array", "_node", "_requires_grad", "_meta", "__weakref__", "__dict__")
    _place = "torch."
    __array_priority__ = 1000  # NumPy leaves `array * tensor` to us

    def __new__(cls, *data, **options):
        from .creation import legacy_tensor

        return legacy_tensor(cls, None, data, options)

    # -- its place in the graph ------------------------------------------------------------------

    @Fixed
    def grad_fn(self):
        """The node that made this tensor; None for a leaf."""
        node = current_node(self)
        return node and node._owner

    @Fixed
    def output_nr(self):
        """Which output of `grad_fn` this tensor is."""
        node = current_node(self)
        return 0 if node is None else node._output_nr

    @Fixed
    def is_leaf(self):
        """True unless the tensor was computed from tensors that require grad."""
        return current_node(self) is None

    @property
    def requires_grad(self):
        """Whether operations on this tensor are recorded."""
        if self._meta is not None and self._meta.base is not None:
            borrow(self)
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, flag):
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        if flag and not dtypes.of(self._array).is_floating_point:
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        if not self.is_leaf and not flag:
            raise RuntimeError(errors.NO_LEAF_OFF)
        if not self.is_leaf:
            raise RuntimeError(errors.NO_LEAF)
        self._set_requires_grad(flag)

    def requires_grad_(self, requires_grad=True):
        """Turn recording on or off for a leaf, in place; returns the tensor itself.

        RuntimeError for what is no leaf (unless it is turned on), and for integers; TypeError for what
        is no bool.
        """
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                f"{dtypes.type_name(requires_grad)}"
            )
        if requires_grad and not dtypes.of(self._array).is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if not self.is_leaf:
            if not requires_grad:
                raise RuntimeError(errors.NO_LEAF_OFF)
            return self
        self._set_requires_grad(requires_grad)
        return self

    def _set_requires_grad(self, flag):
        if flag and self.is_inference() and not mode.inference:
            raise RuntimeError(errors.NO_GRAD_OF_INFERENCE)
        self._requires_grad = flag
        if self._meta is not None:
            self._meta.borrowed = False

    @Fixed
    def _version(self):
        """How many times the numbers were changed in place. RuntimeError for an inference tensor."""
        if self.is_inference():
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._meta is None else self._meta.version.n

    def is_inference(self):
        """True for a tensor that was made in `inference_mode`, or shares memory with one."""
        return self._meta is not None and not self._meta.version.tracked

    @Fixed
    def _base(self):
        """The tensor that this one is a view of, or None."""
        return self._meta and self._meta.base

    def _is_view(self):
        return self._base is not None

    # -- .grad -----------------------------------------------------------------------------------

    @property
    def grad(self):
        """The gradient accumulated so far, or None; a tensor of the same shape and dtype."""
        meta = self._meta
        if self._node is not None and (meta is None or (meta.grad is None and not meta.retains)):
            warnings.warn(errors.NO_GRAD_OF_A_RESULT, UserWarning, stacklevel=2)
        return None if meta is None else meta.grad

    @grad.setter
    def grad(self, grad):
        if grad is not None:
            errors.check_grad(self, grad)
        elif self._meta is None:
            return
        meta_of(self).grad = grad

    @grad.deleter
    def grad(self):
        self.grad = None

    def retain_grad(self):
        """Let backward store this computed tensor's gradient in its `.grad`, too.

        It does nothing to a leaf. RuntimeError for a tensor that does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        node = self._node
        if node is None or (self._meta is not None and self._meta.retains):
            return
        meta_of(self).retains = True
        node._make_hooks().retain = weakref.ref(self)

    @Fixed
    def retains_grad(self):
        """True for a computed tensor after `retain_grad()`."""
        return self._meta is not None and self._meta.retains

    # -- hooks -----------------------------------------------------------------------------------

    def register_hook(self, hook):
        """Call `hook(gradient)` with this tensor's total gradient in each backward pass.

        A tensor that it returns replaces the gradient and must have its shape. Gives a handle with
        `remove()`. RuntimeError for a tensor that does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        return hooks_of(self).add("tensor", hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(leaf)` each time after this leaf's `.grad` was updated.

        Gives a handle with `remove()`. RuntimeError for what is no leaf or does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node is not None:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        return hooks_of(self).add("accumulated", hook)

    # -- aliases ---------------------------------------------------------------------------------

    def detach(self):
        """The same numbers in a new tensor that is cut from the graph; memory and version shared."""
        alias = make(self._array)
        alias._meta = Meta(meta_of(self).version)
        return alias

    def detach_(self):
        """Cut this tensor from the graph, in place; returns the tensor itself.

        RuntimeError for a view.
        """
        if self._is_view():
            raise RuntimeError(errors.NO_DETACH_OF_A_VIEW)
        if self._node is not None:
            meta_of(self).detached = count()
        self._node = None
        self._requires_grad = False
        return self

    @property
    def data(self):
        """The numbers alone: memory is shared, the graph and the version counter are not."""
        return make(self._array)

    @data.setter
    def data(self, value):
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {dtypes.type_name(value)}")
        if self.requires_grad and not value.is_floating_point():
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype"
            )
        self._array = value._array

    def __hash__(self):  # by identity, though == compares elements
        return id(self)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return make(np.asarray(array))  # what NumPy computed from a tensor is a tensor

    def __repr__(self):
        from .printing import tensor_text

        return tensor_text(self)

    __str__ = __repr__

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError(errors.NO_COPY_OF_A_RESULT)
        copied = memo[id(self)] = make(self._array.copy(), type(self))
        copied._requires_grad = self._requires_grad
        if self._meta is not None and self._meta.grad is not None:
            copied.grad = self._meta.grad.__deepcopy__(memo)
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied

    def __reduce_ex__(self, protocol):
        return _restored, (type(self), self._array, self._requires_grad), self.__dict__ or None


def make(array, cls=Tensor):
    """A leaf around an array (not copied) that does not require grad."""
    tensor = new(cls)
    tensor._array = array
    tensor._node = tensor._meta = None
    tensor._requires_grad = False
    return tensor


def made_for_inference(tensor):
    """A new tensor that no backward pass will ask for: it is made in `inference_mode`."""
    tensor._meta = Meta(Untracked())
    return tensor


def _restored(cls, array, requires_grad):
    tensor = make(array, cls)
    tensor._requires_grad = requires_grad
    return tensor


def meta_of(tensor):
    """The tensor's `Meta`, made if it had none."""
    meta = tensor._meta
    if meta is None:
        meta = tensor._meta = Meta(Version())
        # A node that saved its own result could not watch it before there was a counter.
        node = tensor._node
        if node is not None:
            node._watch(meta.version)
    return meta


def hooks_of(tensor):
    """The `Hooks` called with this tensor's gradient: a result's are its node's, a leaf's its own."""
    node = current_node(tensor)
    if node is not None:
        return node._make_hooks()
    meta = meta_of(tensor)
    if meta.hooks is None:
        from .graph import accumulator

        meta.hooks = accumulator(tensor)._make_hooks()
    return meta.hooks


def borrow(view):
    """A view that does not require grad by itself says that it does where its base does."""
    meta = view._meta
    if meta.borrowed or not view._requires_grad:
        borrowed = meta.base._requires_grad and view._array.dtype.kind == "f"
        view._requires_grad = meta.borrowed = borrowed


def current_node(tensor):
    """The tensor's node; for a view whose base was changed in place since, a node made anew."""
    meta = tensor._meta
    if meta is not None and meta.base is not None:
        borrow(tensor)
        if meta.seen != meta.version.n:
            from .inplace import refresh

            refresh(tensor)
    return tensor._node
