"""The same numbers in another shape: views, reshapes, transposes, diagonals."""

import math

import numpy as np
from numpy.lib import stride_tricks

from .. import dtypes
from ..grad_mode import mode
from ..inplace import ViewOperation, check
from ..operation import Operation, record
from ..properties import Fixed
from ..tensor import Tensor, make, meta_of, wrap_dim
from .arguments import sizes, some_dims, warn_once
from .convert import CloneRows
from .registry import both, function, method


class Alias(ViewOperation):
    """The same elements again: `x[...]`."""

    def forward(x):
        return x[...]

    def grad_x(g):
        return g


class View(ViewOperation):
    """The elements in the same order in another shape, without copying."""

    def forward(x, shape):
        view = x.reshape(shape)
        if not (x.flags.c_contiguous or np.may_share_memory(x, view) or x.size == 0):  # a copy
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one "
                "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        return view

    def grad_x(g, x_shape):
        return Reshape(g, x_shape)


class ReshapeAlias(View):
    """`View`, where `reshape` finds that no copy is needed although there are gaps."""


class UnsafeView(Operation):
    """Another shape of a result that nobody else has, and so no view."""

    def forward(x, shape):
        return x.reshape(shape)

    def grad_x(g, x_shape):
        return Reshape(g, x_shape)


class Reshape(ViewOperation, name="ViewBackward0"):
    """The elements in the same order in another shape, copied only where needed; for rules."""

    may_copy = True

    def forward(x, shape):
        return x.reshape(shape)

    def grad_x(g, x_shape):
        return Reshape(g, x_shape)


class Expand(ViewOperation):
    """Dimensions of length 1 (and new ones in front) repeated without copying."""

    def forward(x, shape):
        x = np.asarray(x)
        extra = len(shape) - x.ndim
        steps = [step if n == m else 0 for n, m, step in zip(x.shape, shape[extra:], x.strides)]
        for d in reversed(range(extra)):  # a new dimension of length 1 steps over all that follows
            steps.insert(0, shape[d + 1] * steps[0] if steps and shape[d] == 1 else 0)
        if x.flags.c_contiguous:
            return np.ndarray(shape, x.dtype, x, 0, steps)
        return stride_tricks.as_strided(x, shape, steps, writeable=x.flags.writeable)

    def grad_x(g, x_shape):
        from .reduce import Sum

        extra = g.ndim - len(x_shape)
        stretched = [d + extra for d, n in enumerate(x_shape) if n == 1 and g.shape[d + extra] != 1]
        dims = (*range(extra), *stretched)
        return Reshape(Sum(g, dims, False), x_shape) if dims else g


class Permute(ViewOperation):
    """The dimensions in another order."""

    called = {"dims": "dims"}

    def forward(x, dims):
        return x.transpose(dims)

    def grad_x(g, dims):
        return Permute(g, tuple(np.argsort(dims).tolist()))


class Transpose(ViewOperation):
    """Two dimensions exchanged."""

    def forward(x, dim0, dim1):
        return x.swapaxes(dim0, dim1) if x.ndim else x.view()

    def grad_x(g, dim0, dim1):
        return Transpose(g, dim0, dim1)


class T(ViewOperation):
    """A matrix with rows and columns exchanged."""

    def forward(x):
        return x.T

    def grad_x(g):
        return T(g)


class Squeeze(ViewOperation):
    """All dimensions of length 1 removed."""

    def forward(x):
        return x.squeeze()

    def grad_x(g, x_shape):
        return Reshape(g, x_shape)


class SqueezeDims(ViewOperation, name="SqueezeBackward2"):
    """Those of some dimensions removed that have length 1."""

    def forward(x, dims):
        return x.squeeze(tuple(d for d in dims if x.shape[d] == 1)) if x.ndim else x.view()

    def grad_x(g, x_shape):
        return Reshape(g, x_shape)


class SqueezeDim(SqueezeDims, name="SqueezeBackward1"):
    """One dimension removed if it has length 1."""


class Unsqueeze(ViewOperation):
    """A dimension of length 1 put in."""

    def forward(x, dim):
        if dim and dim == x.ndim and x.strides[-1] != x.itemsize:  # PyTorch's step is 1 all the same
            return stride_tricks.as_strided(
                x, (*x.shape, 1), (*x.strides, x.itemsize), writeable=x.flags.writeable
            )
        return np.expand_dims(x, dim)

    def grad_x(g, x_shape):
        return Reshape(g, x_shape)


# -- view and reshape -----------------------------------------------------------------------------


def whole_shape(shape, count):
    """A shape with its -1 worked out; RuntimeError if `count` elements do not fit."""
    free = [d for d, n in enumerate(shape) if n == -1]
    if len(free) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for i, n in enumerate(shape):
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    known = math.prod([n for n in shape if n != -1])
    if free and known == 0 and count == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if free and known and count % known == 0:
        return tuple(count // known if n == -1 else n for n in shape)
    if free or known != count:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return tuple(shape)


@method
def view(self, *given, size=None, dtype=None):
    """The same memory in another shape; -1 stands for the length that fits. Or its bits as another dtype.

    RuntimeError if the number of elements differs, or the memory is not laid out for it (then `reshape`
    copies).
    """
    if dtype is not None or given and isinstance(given[0], dtypes.dtype):
        return _same_bits(self, *given, *[dtype] * (dtype is not None))
    return View(self, whole_shape(sizes("view", given, size), self._array.size))


def _same_bits(self, dtype):
    """The memory of a tensor read as numbers of another dtype: no gradient goes through."""
    if dtype.itemsize != self.itemsize:
        size, times = self._array.shape[-1] if self.ndim else 0, dtype.itemsize // self.itemsize
        if self.ndim == 0:
            raise RuntimeError(
                f"self.dim() cannot be 0 to view {self.dtype.tensor_name} as {dtype.tensor_name} "
                "(different element sizes)"
            )
        if times > 1 and size % times:
            raise RuntimeError(
                f"self.size(-1) must be divisible by {times} to view {self.dtype.tensor_name} as "
                f"{dtype.tensor_name} (different element sizes), but got {size}"
            )
    alias = self.detach()  # memory and version are shared
    alias._array = self._array.view(dtype.numpy)
    return alias


@method
def reshape(self, *given, shape=None):
    """Another shape, -1 for the length that fits; a view where possible, else a copy.

    RuntimeError if the number of elements differs.
    """
    shape = whole_shape(sizes("reshape", given, shape), self._array.size)
    if self._array.flags.c_contiguous:
        return View(self, shape)
    try:
        return ReshapeAlias(self, shape)
    except RuntimeError:
        return UnsafeView(CloneRows(self), shape)


@function(name="reshape")
def _reshape(input, shape):
    """Another shape, -1 for the length that fits; a view where possible, else a copy."""
    return reshape(input, shape=shape)


@method
def view_as(self, other):
    """The same memory in the shape of `other`.

    RuntimeError if the number of elements differs.
    """
    return view(self, other.shape)


@method
def reshape_as(self, other):
    """The same elements in the shape of `other`; a view where possible.

    RuntimeError if the number of elements differs.
    """
    return reshape(self, other.shape)


@both
def flatten(input, start_dim=0, end_dim=-1):
    """The dimensions from `start_dim` to `end_dim` made one; a view where possible.

    (2, 3, 4) from dim 1 on is (2, 12). RuntimeError if they are in the wrong order, IndexError if one
    is not there.
    """
    start, end = wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if input.ndim == 0:
        return reshape(input, 1)
    if start == end:
        return input
    shape = input._array.shape
    middle = math.prod(shape[start : end + 1])
    return reshape(input, (*shape[:start], middle, *shape[end + 1 :]))


@both
def ravel(input):
    """All elements in one dimension (n); a view where possible."""
    return view(input.contiguous(), -1)


@both
def unflatten(input, dim, sizes):
    """One dimension unfolded into several, -1 for the length that fits; a view.

    RuntimeError if the lengths do not multiply to that of `dim`.
    """
    sizes, dim = tuple(sizes), wrap_dim(dim, input.ndim)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    shape = input._array.shape
    try:
        inner = whole_shape(sizes, shape[dim])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
            f"({shape[dim]}) in the input tensor"
        ) from None
    return view(input, *shape[:dim], *inner, *shape[dim + 1 :])


@method
def expand(self, *given, size=None):
    """Dimensions of length 1 repeated without copying; -1 keeps a length.

    New dimensions come in front; a view, whose gradient is summed. RuntimeError for other lengths than
    1 and the same.
    """
    shape, old = sizes("expand", given, size), self._array.shape
    extra = len(shape) - len(old)
    if extra < 0:
        kind = "CPUBoolType" if self.dtype is dtypes.bool else self.type()
        raise RuntimeError(
            f"expand({kind}{{{list(old)}}}, size={list(shape)}): the number of sizes provided "
            f"({len(shape)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(old)})"
        )
    wanted = list(shape)
    for d, n in reversed(list(enumerate(shape))):
        have = old[d - extra] if d >= extra else 1
        if n == -1:
            if d < extra:
                raise RuntimeError(
                    f"The expanded size of the tensor (-1) isn't allowed in a leading, "
                    f"non-existing dimension {d}"
                )
            wanted[d] = have
        elif have not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({have}) at "
                f"non-singleton dimension {d}.  Target sizes: {list(shape)}.  "
                f"Tensor sizes: {list(old)}"
            )
    return Expand(self, tuple(wanted))


@method
def expand_as(self, other):
    """Expanded to the shape of `other`; a view.

    RuntimeError if that does not fit.
    """
    return expand(self, other.shape)


@both
def broadcast_to(input, *given, size=None):
    """Expanded to the shape `size`; a view.

    RuntimeError if that does not fit.
    """
    return expand(input, *given, size=size)


@method
def sum_to_size(self, *given, size=None):
    """Summed over the dimensions along which it would have been expanded from `size`.

    The shape is `size`. RuntimeError if it would not have expanded to this one.
    """
    size, shape = sizes("sum_to_size", given, size), self._array.shape
    extra = len(shape) - len(size)
    if extra < 0 or any(n not in (1, m) for n, m in zip(size, shape[extra:])):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    stretched = [d + extra for d, n in enumerate(size) if n == 1 and shape[d + extra] != 1]
    dims = (*range(extra), *stretched)
    summed = self.sum(dims, keepdim=True) if dims else self
    return view(summed, size) if extra else summed


# -- the order of dimensions ----------------------------------------------------------------------


@both
def transpose(input, dim0, dim1):
    """Two dimensions exchanged; a view, whose shape has the two lengths exchanged.

    IndexError for a dimension that is not there.
    """
    return Transpose(input, wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim))


@both
def t(input):
    """A matrix with rows and columns exchanged: (n, m) gives (m, n); a vector as it is.

    RuntimeError for more than two dimensions.
    """
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return T(input)


@method
def permute(self, *given, dims=None):
    """The dimensions in another order; a view.

    (2, 3, 4) permuted (2, 0, 1) has the shape (4, 2, 3). RuntimeError unless each is named once.
    """
    dims = sizes("permute", given, dims)
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {self.ndim} is not "
            f"equal to len(dims) = {len(dims)}"
        )
    wrapped = tuple(wrap_dim(d, self.ndim) for d in dims)
    if len(set(wrapped)) < len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return Permute(self, wrapped)


@function(name="permute")
def _permute(input, dims):
    """The dimensions in another order; a view: (2, 3, 4) permuted (2, 0, 1) is (4, 2, 3)."""
    return permute(input, dims=dims)


@both
def movedim(input, source, destination):
    """Dimensions moved to other places, the rest in order; a view.

    The shape has its lengths moved likewise. RuntimeError unless there are as many places as
    dimensions, each named once.
    """
    source, destination = [(d,) if isinstance(d, int) else tuple(d) for d in (source, destination)]
    if len(source) != len(destination):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(source)} dims) should contain the same number of dims as destination "
            f"({list(destination)} dims)"
        )
    old, new = [[wrap_dim(d, input.ndim) for d in dims] for dims in (source, destination)]
    for what, wrapped, given in (("source", old, source), ("destination", new, destination)):
        if len(set(wrapped)) < len(wrapped):
            raise RuntimeError(f"movedim: repeated dim in `{what}` ({list(given)})")
    if not input.ndim:
        return Alias(input)
    order = [d for d in range(input.ndim) if d not in old]
    for place, d in sorted(zip(new, old)):
        order.insert(place, d)
    return Permute(input, tuple(order))


both(movedim, name="moveaxis")
both(transpose, name="swapaxes", also={"axis0": "dim0", "axis1": "dim1"})
both(transpose, name="swapdims")


_MATRIX_PROPERTY = """The last two dimensions exchanged: (*, n, m) gives (*, m, n); a view.

        RuntimeError for a vector. `H` and `mH` also conjugate, which changes no real number.
        """


def _matrix_property(name, only_one):
    instead = "Consider using x.conj()." if "H" in name else "This function is the identity in these cases."

    def get(self):
        if self.ndim == 0:
            warn_once(f"Tensor.{name} is deprecated on 0-D tensors. {instead}")
            return self
        if only_one and self.ndim != 2:
            batches = f" For batches of matrices, consider using tensor.m{name}"
            raise RuntimeError(
                f"tensor.{name} is only supported on matrices (2-D tensors). Got {self.ndim}-D "
                f"tensor.{batches if self.ndim > 2 else ''}"
            )
        if self.ndim < 2:
            raise RuntimeError(
                f"tensor.{name} is only supported on matrices or batches of matrices. Got "
                f"{self.ndim}-D tensor."
            )
        return transpose(self, -2, -1)

    return Fixed(get, doc=_MATRIX_PROPERTY)


def _reversed(self):
    """All dimensions in reverse order; a view. Meant for matrices.

    Mirrors https://docs.pytorch.org/docs/2.13/tensors.html#torch.Tensor.T
    """
    if self.ndim == 0:
        warn_once(
            "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
        )
    elif self.ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            "deprecated and it will throw an error in a future release. Consider `x.mT` to "
            "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
            "reverse the dimensions of a tensor."
        )
    return Permute(self, tuple(range(self.ndim))[::-1])


Tensor.T = Fixed(_reversed)
Tensor.mT = _matrix_property("mT", only_one=False)
Tensor.mH = _matrix_property("mH", only_one=False)
Tensor.H = _matrix_property("H", only_one=True)


@both
def adjoint(input):
    """The last two dimensions exchanged: (*, n, m) gives (*, m, n); a view.

    RuntimeError for a vector.
    """
    return transpose(input, -2, -1)


# -- dimensions of length 1 -----------------------------------------------------------------------


@both
def squeeze(input, *dims, dim=None):
    """Dimensions of length 1 removed: all of them, or those named; a view.

    (1, 3, 1) gives (3). IndexError for a dimension that is not there.
    """
    if dims:
        dim = dims[0] if len(dims) == 1 else dims
    if dim is None:
        return Squeeze(input)
    if isinstance(dim, int):
        return SqueezeDim(input, (wrap_dim(dim, input.ndim),))
    return SqueezeDims(input, some_dims(tuple(dim), input.ndim))


@both
def unsqueeze(input, dim):
    """A dimension of length 1 put in before `dim`; a view.

    (3) gives (1, 3) for dim 0 and (3, 1) for dim -1. IndexError for a place that is not there.
    """
    return Unsqueeze(input, wrap_dim(dim, input.ndim + 1))


def _at_least(name, count, add):
    def one(input):
        if input.ndim >= count:
            return input
        return add(input)

    def call(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return one(tensors[0])
        tensors = tensors[0] if len(tensors) == 1 else tensors
        return tuple([one(tensor) for tensor in tensors])

    call.__name__ = name
    call.__doc__ = f"""Tensors with dimensions of length 1 put in until there are {count}; views.

    One tensor gives a tensor, several give a tuple; shapes with as many dimensions stay.
    """
    return function(call)


atleast_1d = _at_least("atleast_1d", 1, lambda x: reshape(x, 1))
atleast_2d = _at_least("atleast_2d", 2, lambda x: unsqueeze(x, 0) if x.ndim else reshape(x, 1, 1))
atleast_3d = _at_least(
    "atleast_3d",
    3,
    lambda x: reshape(x, 1, 1, 1) if not x.ndim
    else unsqueeze(unsqueeze(x, 0), -1) if x.ndim == 1 else unsqueeze(x, -1),
)  # fmt: skip


# -- in place: the tensor itself gets the other shape ---------------------------------------------


def reshape_in_place(operation, x, *args):
    """Give `x` itself the shape that a view operation makes."""
    check(x, x.requires_grad)
    before = make(x._array)
    before._node, before._requires_grad = x._node, x._requires_grad
    x._array = operation.forward(x._array, *args)
    meta = meta_of(x)
    meta.version.n += 1
    if meta.base is not None:
        meta.recipe = (*meta.recipe, (operation, args))
        if mode.enabled:
            meta.seen = meta.version.n
    if mode.enabled and x._node is not None:
        x._node = record(operation, 1, (before, *args), x._array)
    return x


class TransposeInPlace(Transpose, name="TransposeBackward1"):
    """`x.transpose_(0, 1)`."""


class TInPlace(T, name="TBackward1"):
    """`x.t_()`."""


class UnsqueezeInPlace(Unsqueeze, name="UnsqueezeBackward1"):
    """`x.unsqueeze_(0)`."""


class SqueezeInPlace(Squeeze, name="SqueezeBackward3"):
    """`x.squeeze_()`."""


class SqueezeDimInPlace(SqueezeDims, name="SqueezeBackward4"):
    """`x.squeeze_(0)`."""


class SqueezeDimsInPlace(SqueezeDims, name="SqueezeBackward5"):
    """`x.squeeze_((0, 1))`."""


@method
def transpose_(self, dim0, dim1):
    """`transpose` of the tensor itself, whose shape changes.

    IndexError for a dimension that is not there.
    """
    dims = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    return reshape_in_place(TransposeInPlace, self, *dims)


method(transpose_, name="swapaxes_", also={"axis0": "dim0", "axis1": "dim1"})
method(transpose_, name="swapdims_")


@method
def t_(self):
    """`t` of the tensor itself, whose shape changes.

    RuntimeError for more than two dimensions.
    """
    if self.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return reshape_in_place(TInPlace, self)


@method
def unsqueeze_(self, dim):
    """`unsqueeze` of the tensor itself, whose shape changes.

    IndexError for a place that is not there.
    """
    return reshape_in_place(UnsqueezeInPlace, self, wrap_dim(dim, self.ndim + 1))


@method
def squeeze_(self, dim=None):
    """`squeeze` of the tensor itself, whose shape changes.

    IndexError for a dimension that is not there.
    """
    if dim is None:
        return reshape_in_place(SqueezeInPlace, self)
    operation = SqueezeDimInPlace if isinstance(dim, int) else SqueezeDimsInPlace
    return reshape_in_place(operation, self, some_dims(dim, self.ndim))
