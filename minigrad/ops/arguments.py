"""What public functions do with arguments before an operation sees them; results with names."""

import operator

import numpy as np

from .. import dtypes
from ..errors import warn
from ..inplace import apply_in_place
from ..tensor import Tensor, make, wrap_dim
from .convert import cast, constant
from .registry import explain, wrong_type


def named(name, fields):
    """The type of a result with named parts, printed as by PyTorch: `torch.return_types.max`.

    A tuple with properties; `collections.namedtuple` would compile code each time it is imported.
    """
    fields = tuple(fields.split())

    def new(cls, *parts):
        return tuple.__new__(cls, parts)

    def text(self):
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{parts})"

    members = {field: property(operator.itemgetter(i)) for i, field in enumerate(fields)}
    own = {"__slots__": (), "__module__": "torch.return_types", "__new__": new, "__repr__": text}
    return type(name, (tuple,), own | members)


def same_type(*operands, floats=False):
    """Tensors, and numbers beside them, in the one dtype that they are promoted to.

    With `floats` integers become the default float type first.
    """
    like = next(x for x in operands if isinstance(x, Tensor))
    tensors = [x if isinstance(x, Tensor) else constant(x, like) for x in operands]
    dtype = dtypes.result_numpy(*[t._array for t in tensors])
    if floats and dtype.kind != "f":
        dtype = dtypes.get_default_dtype().numpy
    return [cast(t, dtype) for t in tensors]


def fitting(call, *operands):
    """`call()`, with PyTorch's error if the shapes of `operands` do not broadcast."""
    try:
        return call()
    except ValueError:
        shape = ()
        for operand in operands:
            if isinstance(operand, Tensor):
                check_broadcast(shape, operand._array.shape)
                shape = np.broadcast_shapes(shape, operand._array.shape)
        raise


def check_broadcast(a, b):
    """RuntimeError unless two shapes broadcast."""
    for back in range(1, 1 + min(len(a), len(b))):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            raise RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) "
                f"at non-singleton dimension {max(len(a), len(b)) - back}"
            )


def need_tensor(name, argument, position, value):
    """TypeError unless `value` is a tensor."""
    if not isinstance(value, Tensor):
        raise wrong_type(name, argument, position, value)


_warned = set()


def warn_once(text, kind=None):
    """A UserWarning, the first time in a process; of those of one `kind` only the first."""
    kind = kind or text
    if kind not in _warned:
        _warned.add(kind)
        warn(text)


def change(operation, x, *args):
    """`apply_in_place`, with PyTorch's error where shapes do not broadcast."""
    return fitting(lambda: apply_in_place(operation, x, *args), x, *args)


def plain(array):
    """A tensor without a gradient around whatever NumPy returned."""
    return make(np.asarray(array))


def scaled(x, factor):
    """`x` times a number, of which integers take the whole part; itself for 1."""
    if isinstance(x, np.ndarray) and x.dtype.kind != "f":
        factor = dtypes.fitting(factor, x.dtype)
    return x if factor == 1 else x * factor


def wrong_factor(name, factor, dtype):
    """What is said of an `alpha` or `beta` that results of a NumPy dtype do not take; None if they do."""
    if isinstance(factor, bool) and dtype.kind != "b":
        return f"Boolean {name} only supported for Boolean results."
    if isinstance(factor, float) and dtype.kind != "f":
        return f"For integral input tensors, argument {name} must not be a floating point number."
    return None


def zeros_like(g):
    """Zeros in the shape and dtype of an array or tensor; never part of a graph."""
    if isinstance(g, Tensor):
        return make(np.zeros_like(g._array))
    return np.zeros_like(g)


BITS = {np.dtype(f"f{n}"): np.dtype(f"u{n}") for n in (2, 4, 8)}


def masked(x, mask):
    """`x` where a mask holds, 0 elsewhere: many times faster than `np.where`.

    The bits of each number, as a whole number, are multiplied by 0 or 1, so that inf and NaN vanish.
    """
    return np.multiply(x.view(BITS[x.dtype]), mask).view(x.dtype)


def sizes(name, args, named=None):
    """A shape or list of dimensions given to a method as numbers, as one sequence, or by a name."""
    given = args if named is None else named
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        given = args[0]
    elif named is None and not args:
        explain(name, args, {}, method=True)
    try:
        return tuple(map(operator.index, given))
    except TypeError:
        explain(name, args, {}, method=True)
        raise


def all_dims(dim, ndim):
    """The dimensions to reduce, counted from the front; all of them for None or ()."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    return some_dims(dim, ndim)


def some_dims(dim, ndim):
    """One or several dimensions, counted from the front, each named once."""
    if isinstance(dim, Tensor):
        dim = operator.index(dim)
    dims = (dim,) if not isinstance(dim, (tuple, list)) else dim
    wrapped = tuple(wrap_dim(d, ndim) for d in dims)
    if len(set(wrapped)) < len(wrapped):
        repeated = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return wrapped if ndim else ()


def only_floats(kernel, array):
    """NotImplementedError for an array of integers or bools, as PyTorch's kernels raise it."""
    if array.dtype.kind != "f":
        name = dtypes.of(array).tensor_name
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{name}'")


def no_bools(kernel, array):
    """NotImplementedError for an array of bools, as PyTorch's kernels raise it."""
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def nonempty(name, input, dim, given=None):
    """IndexError if there is nothing to choose from along `dim`, which was written as `given`."""
    if input.ndim and input._array.shape[dim] == 0:
        given = dim if given is None else given
        raise IndexError(f"{name}(): Expected reduction dim {given} to have non-zero size.")
