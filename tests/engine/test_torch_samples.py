"""Every operation on the samples with which PyTorch tests its own.

PyTorch keeps a list of its operations with inputs that have once been a trouble: empty and 0-d, of
odd shapes, with gaps in memory, at the edge of what an argument may be, and some that have to be
refused. What minigrad has of them has to give the same: values, dtypes, errors, gradients.

The list is PyTorch's private one, torch.testing._internal.
"""

import functools
import warnings

import numpy as np
import pytest
import torch

import minigrad
from tests.engine.both import compare, largest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db
# That import takes the right to set flags from everybody in this process.
torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True

KINDS = [torch.float64, torch.int64, torch.bool]
MOST = 40  # samples of an operation and dtype

LEFT_OUT = {
    "as_strided.partial_views": "its samples begin in the middle of their memory",
    "empty": "no matter what numbers",
    "empty_like": "no matter what numbers",
    "linalg.eigh": "vectors of either sign, and any of a space",
    "linalg.svd": "vectors of either sign, and any of a space",
    "nn.functional.triplet_margin_with_distance_loss": "its samples hold a module of PyTorch's",
    "pca_lowrank": "random",
    "sgn": "its gradients are tensors of zeros that have no memory",
    "svd": "vectors of either sign, and any of a space",
    "svd_lowrank": "random",
}
ERRORS_DIFFER = {"cat", "gather"}  # of an `out` that cannot be resized, or shares memory with the index
ANY_OF_EQUAL = {"argsort", "kthvalue", "mode", "sort", "topk"}  # which of equal elements is left open


def public(root, name):
    """What an engine has under a name such as "nn.functional.relu"; None if nothing."""
    return functools.reduce(lambda found, part: getattr(found, part, None), name.split("."), root)


OPERATIONS = [
    op
    for op in op_db
    if public(torch, op.name) is op.op  # the samples are for the function of that name
    and public(minigrad, op.name) is not None
    and op.full_name not in LEFT_OUT
    and not op.name.startswith("_")
]


class Unknown(Exception):
    """An argument of a kind that minigrad, or NumPy, does not have."""


def translated(given, memory):
    """A sample's arguments for minigrad: tensors with the same numbers at the same places in memory.

    memory: {where torch has it: the copy}; tensors that share theirs do so in minigrad, too.
    """
    if isinstance(given, torch.Tensor):
        strange = given.layout != torch.strided or given.device.type != "cpu" or given.ndim > 64
        if strange or given.is_complex() or given.dtype == torch.bfloat16:
            raise Unknown
        storage = given.untyped_storage()
        if storage.data_ptr() not in memory:
            memory[storage.data_ptr()] = torch.empty(0, dtype=given.dtype).set_(storage).numpy().copy()
        array = memory[storage.data_ptr()].view(given.detach().numpy().dtype)[given.storage_offset() :]
        steps = [step * array.itemsize for step in given.stride()]
        found = minigrad.from_numpy(np.lib.stride_tricks.as_strided(array, given.shape, steps))
        return found.requires_grad_() if given.requires_grad else found
    if isinstance(given, (list, tuple)) and not isinstance(given, torch.Size):
        return type(given)(translated(one, memory) for one in given)
    if isinstance(given, dict):
        return {name: translated(value, memory) for name, value in given.items()}
    if isinstance(given, (torch.dtype, torch.memory_format, torch.layout)):
        return getattr(minigrad, str(given).removeprefix("torch."))
    if isinstance(given, complex):
        raise Unknown
    return given


def tensors(found, kind):
    """All the tensors among arguments or results, in order."""
    if isinstance(found, (list, tuple, dict)):
        each = found.values() if isinstance(found, dict) else found
        return [tensor for one in each for tensor in tensors(one, kind)]
    return [found] if isinstance(found, kind) else []


def done(engine, function, arguments):
    """The result, or what it says, and the gradients of all that requires them for the same weights."""
    args, kwargs = arguments
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        return error
    outputs = [y for y in tensors(result, engine.Tensor) if y.requires_grad]
    leaves = [x for x in tensors((args, kwargs), engine.Tensor) if x.requires_grad]
    if not outputs or not leaves:
        return result
    random = np.random.default_rng(0)
    v = [engine.tensor(random.standard_normal(tuple(y.shape))).to(y.dtype) for y in outputs]
    try:
        return result, engine.autograd.grad(outputs, leaves, v, allow_unused=True)
    except Exception as error:
        return result, error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", KINDS, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.full_name)
def test_samples(op, dtype):
    torch.manual_seed(0)
    if dtype not in op.supported_dtypes("cpu") or (dtype != torch.float64 and op.name in ANY_OF_EQUAL):
        return
    graded = dtype.is_floating_point and op.supports_autograd
    samples = op.sample_inputs("cpu", dtype, requires_grad=graded)
    compare_all(op, [sample for _, sample in zip(range(MOST), samples)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", [op for op in OPERATIONS if op.error_inputs_func], ids=lambda op: op.full_name)
def test_errors(op):
    torch.manual_seed(0)
    samples = [wrong.sample_input for wrong in op.error_inputs("cpu")]
    if op.name not in ERRORS_DIFFER:
        return compare_all(op, samples)
    with pytest.raises(AssertionError):  # else it is to be struck from that list
        compare_all(op, samples)


def compare_all(op, samples):
    for sample in samples:
        given = (sample.input, *sample.args), sample.kwargs
        try:
            ours = translated(given, {})
        except Unknown:
            continue
        sizes = [largest(x.detach().numpy().astype(float)) for x in tensors(ours, minigrad.Tensor)]
        theirs, found = done(torch, op.op, given), done(minigrad, public(minigrad, op.name), ours)
        compare(theirs, found, scale=max(sizes, default=0.0), coarse="float32", named=False)
