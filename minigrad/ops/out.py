"""`torch.add(x, y, out=z)`: a result stored in tensors that are there, as any function that has `out` takes it."""

import numpy as np

from ..dtypes import CXX_NAMES, category
from ..errors import warn
from ..grad_mode import mode, no_grad
from ..inplace import check_memory
from ..tensor import Tensor
from .signatures import takes

# Functions that compute in the dtype of `out`, if no other is given.
FOLLOWING = set(
    "arange cumprod cumsum empty eye full linspace logspace ones prod rand randint randn randperm sum zeros".split()
)

# What functions say that want exactly the result's dtype. Dtypes stand there as PyTorch names them, `Float`, and
# as C++ does, `float`.
EXACT = {
    "Expected out tensor to have dtype {c_wanted}, but got {c_given} instead":
        "addmm addmv aminmax argmax argmin avg_pool2d avg_pool3d baddbmm bmm cross cumprod cumsum diag gather index_add "
        "index_copy index_reduce isin linalg_cholesky linalg_cholesky_ex linalg_cross linalg_det linalg_eigh "
        "linalg_eigvalsh linalg_inv linalg_inv_ex linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve "
        "linalg_qr linalg_slogdet linalg_solve linalg_solve_ex linalg_svd linalg_svdvals linalg_vector_norm linear "
        "log_softmax matmul mm msort mv norm prod scatter scatter_add scatter_reduce slice_scatter softmax sort sum svd "
        "take_along_dim topk tril triu max.values max.indices min.values "
        "min.indices",
    "Found dtype {given} but expected {wanted}":
        "abs bitwise_not ceil clamp clip floor frac gelu hardshrink neg round sgn sign softplus softshrink trunc",
    "dtype {wanted} does not match dtype of out parameter ({given})":
        "arange empty eye full linspace logspace ones rand randint randn randperm zeros",
    "expected scalar_type {wanted} but found {given}": "cummax cummin logcumsumexp",
    "result dtype {given} does not match input dtype {wanted}": "dot vdot",
    "self and mat2 must have the same dtype, but got {given} and {wanted}": "addbmm",
    "{name}(): self and result must have the same scalar type": "index_select masked_select",
    "quantile() out tensor must be same dtype as the input tensor": "nanquantile quantile",
    "{name} does not support non-boolean outputs.": "isneginf isposinf signbit",
    "Expected the dtype for input and out to match, but got {wanted} for input's dtype and {given} for out's dtype.":
        "amax amin",
    "tensordot: Expected the output tensor to have dtype {wanted}, but got an output tensor with dtype {given}":
        "inner",
    "Expected out type to be {wanted} but got {given}": "where",
    "the output given to float_power has dtype {given} but the operation's result requires dtype {wanted}": "float_power",
    "{name} is not yet implemented for tensors with different dtypes.": "heaviside",
    "output values must be of same type as input": "kthvalue.values",
    "output indices must be of scalar type Long": "kthvalue.indices",
    "expected scalar type '{wanted}' but got '{given}' for {part} output": "mode",
    "expected scalar type {wanted} but found {given}": "log_sigmoid",
    "nan_to_num: dtype of out: {given} should be same as input: {wanted}": "nan_to_num",
    "take(): self and out expected to have the same dtype, but got self.dtype = {wanted} and out.dtype = {given}": "take",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {c_wanted} and hist "
    "{c_given}": "histc",
    "multinomial expects Long tensor out, got: {given}": "multinomial",
    "nonzero: Expected out tensor to have scalar type Long but got scalar type{given}": "nonzero",
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
    "whether out_int32 flag is True, but we got output tensor's dtype {given} and out_int32 flag is {int32}":
        "bucketize searchsorted",
}  # fmt: skip

# What functions say that would lose what is behind the point, where it is not what most say.
LOSSY = {
    "cat": "torch.cat(): input types can't be cast to the desired output type {given}",
    "cholesky": "{name}: Expected result to be safely castable from {wanted} dtype, but got result with dtype {given}",
    "ldexp": "ldexp can't be cast to the desired output type {given}",
    "logsumexp": "logsumexp(): Expected floating point type for result tensor, but got: {given}",
}  # fmt: skip
LOSSY |= dict.fromkeys(("column_stack", "dstack", "hstack", "stack", "vstack"), LOSSY["cat"])
LOSSY |= dict.fromkeys(("cholesky_inverse", "cholesky_solve"), LOSSY["cholesky"])

# Where `out` may be what is read: anywhere, or not even as a whole. Elsewhere only as a whole.
SHARING = set(
    "amax amin bmm cummax cummin diag logsumexp matmul mean median mm mv nansum norm prod quantile softmax std sum tril "
    "triu var".split()
)
ALONE = set(
    "cat cross gather index_add index_copy index_select kthvalue linalg_cross masked_select max.values min.values mode "
    "scatter scatter_add scatter_reduce stack take vstack".split()
)

_EXACT_OF = {name: text for text, names in EXACT.items() for name in names.split()}
_EXACT_OF |= dict.fromkeys(("all", "any"), "{name} only supports bool tensor for result, got: {given}")


def stored(call, name, args, out, **kwargs):
    """The result of a function, in `out`: a tensor, or a tuple of them; None for a new one.

    An `out` of another shape gets that of the result, with a UserWarning if it is not empty. RuntimeError
    for what requires grad while that is recorded, for a dtype that does not fit, and for elements of
    `out` that share memory.
    """
    if not takes(name, "out"):
        raise TypeError(f"{name}() got an unexpected keyword argument 'out'")
    if out is None:
        return call(*args, **kwargs)
    targets = out if isinstance(out, (tuple, list)) else (out,)
    read = [x for given in (*args, *kwargs.values())
            for x in (given if isinstance(given, (tuple, list)) else (given,)) if isinstance(x, Tensor)]  # fmt: skip
    if mode.enabled and any(x.requires_grad for x in (*read, *targets)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one "
            "of the arguments requires grad."
        )
    if name in FOLLOWING and kwargs.get("dtype") is None:
        kwargs["dtype"] = out.dtype
    found = call(*args, **kwargs)
    several = isinstance(found, tuple)
    results = found if several else (found,)
    for i, (target, value) in enumerate(zip(targets, results)):
        _check_type(name, target, value, kwargs, ("values", "indices")[i % 2] if several else "")
    alone = (f"{name}.values" if several else name) in ALONE or name in ALONE
    for target, value in zip(targets, results):
        looked_at = alone or name not in SHARING and target.shape == value.shape
        check_memory(target, read if looked_at else (), alone)
        _store(target, value)
    if not several:
        return out
    kind = type(found)
    return type(f"{kind.__name__}_out", (kind,), {"__slots__": (), "__module__": kind.__module__})(*targets)


def _check_type(name, target, value, kwargs, part):
    """The error, in the function's own words, for an `out` whose dtype does not fit."""
    wanted, given = value.dtype, target.dtype
    if wanted is given or name in ("all", "any") and given.name == "uint8":
        return
    text = _EXACT_OF.get(f"{name}.{part}", _EXACT_OF.get(name))
    lossy = category(value._array.dtype) > category(target._array.dtype)
    if lossy and (name in LOSSY or not text):
        text = LOSSY.get(name, "result type {wanted} can't be cast to the desired output type {given}")
    if not text:
        return
    error = TypeError if text == LOSSY["cat"] else RuntimeError
    names = {"wanted": wanted.tensor_name, "given": given.tensor_name}
    names |= {f"c_{key}": CXX_NAMES[kind] for key, kind in names.items()}
    raise error(text.format(name=name, part=part, int32=kwargs.get("out_int32", False), **names))


def _store(target, value):
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
