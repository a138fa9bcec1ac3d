"""`torch.add(x, y, out=z)`: a result stored in tensors that are there, as any function that has `out` takes it."""


import numpy as np

from ..dtypes import category
from ..errors import warn
from ..grad_mode import mode, no_grad
from ..tensor import Tensor
from .signatures import takes


def stored(call, name, args, out, **kwargs):
    """The result of a function, in `out`: a tensor, or a tuple of them; None for a new one.

    An `out` of another shape gets that of the result, with a UserWarning if it is not empty. RuntimeError
    for what requires grad while that is recorded, and for floats in integers.
    """
    if not takes(name, "out"):
        raise TypeError(f"{name}() got an unexpected keyword argument 'out'")
    if out is None:
        return call(*args, **kwargs)
    targets = out if isinstance(out, (tuple, list)) else (out,)
    involved = [x for x in (*args, *kwargs.values(), *targets) if isinstance(x, Tensor)]
    if mode.enabled and any(x.requires_grad for x in involved):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one "
            "of the arguments requires grad."
        )
    found = call(*args, **kwargs)
    several = isinstance(found, tuple)
    for target, value in zip(targets, found if several else (found,)):
        _store(target, value)
    if not several:
        return out
    kind = type(found)
    return type(f"{kind.__name__}_out", (kind,), {"__slots__": (), "__module__": kind.__module__})(*targets)


def _store(target, value):
    if category(value._array.dtype) > category(target._array.dtype):
        raise RuntimeError(
            f"result type {value.dtype.tensor_name} can't be cast to the desired output type "
            f"{target.dtype.tensor_name}"
        )
    if target.shape != value.shape:
        if target._array.size:
            warn(
                "An output with one or more elements was resized since it had shape "
                f"{list(target.shape)}, which does not match the required output shape "
                f"{list(value.shape)}. This behavior is deprecated, and in a future PyTorch release "
                "outputs will not be resized unless they have zero elements. You can explicitly reuse an "
                "out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            )
        target._array = np.empty(value._array.shape, target._array.dtype)
    with no_grad():
        target.copy_(value)
