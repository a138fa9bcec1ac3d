"""What a tensor is: a NumPy array, its place in the graph, and a few flags.

A `Tensor` has four fields. `_array` holds the numbers. `_node` is the operation that made it (None
for a leaf). `_requires_grad` says whether gradients flow to it. `_meta` holds what only some
tensors need (`.grad`, hooks, a version counter, the base of a view), and is None for most results.

Methods that are operations are attached to this class by the files in `ops/` that define them;
ops/elementwise.py ends with Python's operators: `Tensor.__mul__ = mul`.
Mirrors https://docs.pytorch.org/docs/2.13/tensors.html
"""

import itertools
import weakref
from typing import TYPE_CHECKING, Any

from . import dtypes, errors
from .dtypes import Named, Size
from .errors import warn
from .modes import tell

new = object.__new__
tick = itertools.count(1).__next__  # numbers nodes and hooks in the order in which they are made


class Version:
    """How often numbers were changed in place; shared by a tensor, its views and aliases.

    A node that saves a tensor remembers the count, and compares it when it uses the numbers.
    """

    count = 0


class Meta:
    """What only some tensors need. A tensor without one is at version 0 and not a view."""

    __slots__ = ("grad", "hooks", "accumulator", "retains", "detached", "view", "version")

    def __init__(self, version=None):
        self.grad = None  # Tensor, what `.grad` shows
        self.hooks = None  # Hooks of a leaf
        self.accumulator = None  # weak reference to a leaf's AccumulateGrad node
        self.retains = False  # retain_grad() was called
        self.detached = False  # detach_() was called, so nodes that saved it cannot use it
        self.view = None  # inplace.View: whose memory this tensor shares, and which part
        self.version = version or Version()


class Tensor(metaclass=Named):
    """An n-dimensional array that remembers how it was computed.

    It is made by `tensor(...)`, `zeros(...)` and the like, and by every operation. Mirrors
    https://docs.pytorch.org/docs/2.13/tensors.html#torch.Tensor
    """

    __slots__ = ("_array", "_node", "_requires_grad", "_meta", "__weakref__", "__dict__")
    _place = "torch."
    _is_node = False  # an edge of the graph leads to a node, or straight to a leaf tensor
    __array_priority__ = 1000  # so that NumPy leaves `array * tensor` to us
    __hash__ = object.__hash__  # by identity, though == compares elements

    if TYPE_CHECKING:  # attributes that other files attach

        def __getattr__(self, name) -> Any: ...

        backward = register_hook = register_post_accumulate_grad_hook = __getattr__

    # -- its place in the graph -------------------------------------------------------------------

    @property
    def grad_fn(self):
        """The node that made this tensor; None for a leaf."""
        node = current_node(self)
        return node and node._owner

    @property
    def output_nr(self):
        """Which output of `grad_fn` this tensor is."""
        node = current_node(self)
        return 0 if node is None else node._output_nr

    @property
    def is_leaf(self):
        """True unless the tensor was computed from tensors that require grad."""
        return current_node(self) is None

    @property
    def requires_grad(self):
        """Whether operations on this tensor are recorded."""
        base = self._base
        return self._requires_grad or base is not None and base._requires_grad

    @requires_grad.setter
    def requires_grad(self, flag):
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        if flag and self._array.dtype.kind != "f":
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        if not self.is_leaf:
            raise RuntimeError(errors.NOT_A_LEAF if flag else errors.NOT_A_LEAF_OFF)
        self._requires_grad = flag
        meta_of(self)

    def requires_grad_(self, requires_grad=True):
        """Turn recording on or off for a leaf, in place; returns the tensor itself.

        Raises RuntimeError for integers, and when it is turned off for a tensor that is not a leaf.
        """
        if requires_grad and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if self.is_leaf or not requires_grad:
            self.requires_grad = requires_grad
        return self

    @property
    def _version(self):
        """How many times the numbers were changed in place."""
        return 0 if self._meta is None else self._meta.version.count

    @property
    def _base(self):
        """The tensor that this one is a view of, or None."""
        return self._meta and self._meta.view and self._meta.view.base

    # -- .grad ------------------------------------------------------------------------------------

    @property
    def grad(self):
        """The gradient accumulated so far, or None; a tensor of the same shape and dtype."""
        meta = self._meta
        if self._node is not None and (meta is None or (meta.grad is None and not meta.retains)):
            warn(errors.GRAD_OF_A_RESULT)
        grad = meta and meta.grad
        tell("asked", self, grad)
        return grad

    @grad.setter
    def grad(self, grad):
        if grad is not None:
            self._check_grad(grad)
        elif self._meta is None:
            return
        tell("cleared", self)
        meta_of(self).grad = grad

    @grad.deleter
    def grad(self):
        self.grad = None

    def _check_grad(self, grad):
        """Refuse a `.grad` that backward would never produce."""
        if not isinstance(grad, Tensor):
            raise TypeError(
                "assigned grad expected to be a Tensor or None but got grad of type "
                + errors.type_name(grad)
            )
        if grad is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if grad.dtype is not self.dtype:
            raise RuntimeError(
                errors.WRONG_GRAD_DTYPE.format(grad.dtype.cxx_name, self.dtype.tensor_name)
            )
        if grad.shape != self.shape:
            raise RuntimeError(errors.WRONG_GRAD_SIZE.format(list(grad.shape), list(self.shape)))

    def retain_grad(self):
        """Let backward store the gradient of this computed tensor in its `.grad`, too.

        For a leaf it does nothing. Raises RuntimeError for a tensor that does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError(errors.NO_RETAIN)
        if self._node is not None and not self.retains_grad:
            meta_of(self).retains = True
            self._node._make_hooks().retain = weakref.ref(self)

    @property
    def retains_grad(self):
        """True for a computed tensor after `retain_grad()`."""
        return self._meta is not None and self._meta.retains

    # -- aliases ----------------------------------------------------------------------------------

    def detach(self):
        """The same numbers in a tensor without a graph; it shares memory and version."""
        alias = make(self._array)
        alias._meta = Meta(meta_of(self).version)
        tell("cut", (self,))
        return alias

    def detach_(self):
        """Cut this tensor from the graph, in place; returns it. Raises RuntimeError for a view."""
        if self._base is not None:
            raise RuntimeError(errors.NO_DETACH_OF_A_VIEW)
        if self._node is not None:
            meta_of(self).detached = True
        tell("cut", (self,))
        self._node, self._requires_grad = None, False
        return self

    @property
    def data(self):
        """The numbers alone: it shares memory, but neither the graph nor the version counter."""
        tell("cut", (self,))
        return make(self._array)

    @data.setter
    def data(self, value):
        if not isinstance(value, Tensor):
            kind = errors.type_name(value)
            raise TypeError(f"Variable data has to be a tensor, but got {kind}")
        self._array = value._array

    # -- what it shows ----------------------------------------------------------------------------

    @property
    def shape(self):
        """The lengths of the dimensions."""
        return Size(self._array.shape)

    @property
    def dtype(self):
        """The element type."""
        return dtypes.of(self._array)

    @property
    def ndim(self):
        """The number of dimensions."""
        return self._array.ndim


def make(array, kind=Tensor):
    """A new tensor around an array, in no graph."""
    tensor = new(kind)
    tensor._array = array
    tensor._node = tensor._meta = None
    tensor._requires_grad = False
    return tensor


def meta_of(tensor):
    """The `Meta` of a tensor, made on first use."""
    if tensor._meta is None:
        tensor._meta = Meta()
    return tensor._meta


def current_node(tensor):
    """The node that made a tensor; a view gets a new one if its base was changed since."""
    if tensor._meta is not None and tensor._meta.view is not None:
        tensor._meta.view.refresh(tensor)
    return tensor._node


def wrap_dim(dim, ndim):
    """A dimension counted from the front. Raises IndexError for one that does not exist."""
    room = max(ndim, 1)
    if not -room <= dim < room:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-room}, "
            f"{room - 1}], but got {dim})"
        )
    return dim % room


def absent(what):
    """The message for something that only PyTorch has."""
    return f"{what} in minigrad, which is a small engine for these lessons; PyTorch may have it."
