"""Every operation on the samples with which PyTorch tests its own.

PyTorch keeps a list of its operations with inputs that have once been a trouble: empty and 0-d, of
odd shapes, with gaps in memory, at the edge of what an argument may be. What minigrad has of them
has to give the same: values, dtypes, gradients, gradients of gradients, also as a method and in
place.

The list is PyTorch's private one, torch.testing._internal.
"""

import functools
import warnings

import numpy as np
import pytest
import torch

import minigrad
from tests.cases import over
from tests.engine.both import attempt, compare, largest

KINDS = [torch.float64, torch.int64, torch.bool]
LEFT_OUT = {
    "empty",
    "empty_like",  # no matter what numbers
    "linspace.tensor_overload",
    "norm.nuc",
    "div.trunc_rounding",
    "div.floor_rounding",
    *[f"round.decimals_{n}" for n in ("0", "3", "neg_3")],
}
# What minigrad leaves to PyTorch: keyword arguments, and whole samples.
WITHOUT = {
    "cumsum": {"dtype"},
    "histogram": {"weight", "range"},
    "nn.functional.binary_cross_entropy": {"weight"},
    "nn.functional.gelu": {"approximate"},
    "nn.functional.binary_cross_entropy_with_logits": {"weight", "pos_weight"},
    "nn.functional.conv2d": {"groups", "dilation"},
    "nn.functional.max_pool2d": {"ceil_mode", "dilation", "return_indices", "padding"},
    "nn.functional.cross_entropy": {"label_smoothing", "weight", "ignore_index"},
    "nn.functional.nll_loss": {"weight", "ignore_index"},
}
LEFT = {
    "arange": lambda *args, **kw: (
        kw.get("dtype") == torch.int64 and any(isinstance(a, float) for a in (*args, *kw.values()))
    ),
    "linspace": lambda *args, **kw: kw.get("dtype") == torch.int64,
    "histogram": lambda x, bins, **kw: isinstance(bins, torch.Tensor),
    "norm": lambda x, p=2, *rest, **kw: p not in ("fro", 1, 2),
    "clamp": lambda x, *rest, **kw: any(isinstance(b, torch.Tensor) for b in (*rest, *kw.values())),
    "sign": lambda x: x.dtype == torch.bool,
    "square": lambda x: x.dtype == torch.bool,
    # Python never calls it with two tensors, and a tensor that divides gets no gradient
    "__rsub__": lambda x, y: isinstance(y, torch.Tensor),
    "__rmod__": lambda x, y: isinstance(y, torch.Tensor),
    "remainder": lambda x, y: isinstance(y, torch.Tensor) and y.requires_grad,
    "nn.functional.conv2d": lambda *args, **kw: isinstance(kw.get("padding"), str),
    "nn.functional.cross_entropy": lambda x, target, **kw: x.ndim > 2,
    "nn.functional.nll_loss": lambda x, target, **kw: x.ndim > 2,
}


# Where torch's list has functions around torch's own.
METHODS = ["expand", "expand_as", "view", "contiguous", "to", "__getitem__"]
METHODS += ["bool", "double", "float", "half", "int", "long"]
METHODS += ["__radd__", "__rmul__", "__rsub__", "__rmod__"]
AROUND = {
    "where": lambda self, condition, other: minigrad.where(condition, self, other),
    **{name: getattr(minigrad.Tensor, name) for name in METHODS},
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
}


def public(root, name):
    """What an engine has under a name such as "nn.functional.relu"; None if nothing."""
    return functools.reduce(lambda found, part: getattr(found, part, None), name.split("."), root)


@functools.cache
def operations():
    """What both engines have of PyTorch's list. To import it takes seconds: only when asked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    # That import takes the right to set flags from everybody in this process.
    torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True
    return [
        op
        for op in op_db
        if op.full_name not in LEFT_OUT
        and (
            op.name in AROUND
            or public(torch, op.name) is op.op
            and public(minigrad, op.name) is not None
        )
    ]


class Unknown(Exception):
    """An argument of a kind that minigrad, or NumPy, does not have."""


def translated(given, memory):
    """A sample's arguments for minigrad: tensors with the same numbers at the same places.

    memory: {where torch has it: the copy}; tensors that share theirs do so in minigrad, too.
    """
    if isinstance(given, torch.Tensor):
        strange = given.layout != torch.strided or given.device.type != "cpu" or given.ndim > 32
        if strange or given.is_complex() or given.dtype == torch.bfloat16:
            raise Unknown
        storage = given.untyped_storage()
        if storage.data_ptr() not in memory:
            memory[storage.data_ptr()] = (
                torch.empty(0, dtype=given.dtype).set_(storage).numpy().copy()
            )
        array = memory[storage.data_ptr()].view(given.detach().numpy().dtype)[
            given.storage_offset() :
        ]
        steps = [step * array.itemsize for step in given.stride()]
        found = minigrad.from_numpy(np.lib.stride_tricks.as_strided(array, given.shape, steps))
        return found.requires_grad_() if given.requires_grad else found
    if isinstance(given, (list, tuple)) and not isinstance(given, torch.Size):
        return type(given)(translated(one, memory) for one in given)
    if isinstance(given, dict):
        return {name: translated(value, memory) for name, value in given.items()}
    if isinstance(given, torch.dtype):
        found = getattr(minigrad, str(given).removeprefix("torch."), None)
        if found is not None:
            return found
    if isinstance(
        given, (torch.dtype, torch.memory_format, torch.layout, complex, np.complexfloating)
    ):
        raise Unknown
    return given


def tensors(found, kind):
    """All the tensors among arguments or results, in order."""
    if isinstance(found, (list, tuple, dict)):
        each = found.values() if isinstance(found, dict) else found
        return [tensor for one in each for tensor in tensors(one, kind)]
    return [found] if isinstance(found, kind) else []


def weighed(engine, outputs, leaves):
    """The recorded gradients of `outputs` for random weights."""
    random = np.random.default_rng(0)
    v = [engine.tensor(random.standard_normal(tuple(y.shape))).to(y.dtype) for y in outputs]
    return engine.autograd.grad(outputs, leaves, v, allow_unused=True, create_graph=True)


def done(engine, call, args, kwargs):
    """The result, the gradients of all that requires them, for some weights, and those of these."""
    result = call(*args, **kwargs)
    outputs = [y for y in tensors(result, engine.Tensor) if y.requires_grad]
    leaves = [x for x in tensors((args, kwargs), engine.Tensor) if x.requires_grad]
    if not outputs or not leaves:
        return result, None, None
    first = weighed(engine, outputs, leaves)
    further = [g for g in first if g is not None and g.requires_grad]
    second = weighed(engine, further, leaves) if further else [None] * len(leaves)
    # a gradient that is not there is as good as zeros
    second = [engine.zeros_like(x) if g is None else g.detach() for x, g in zip(leaves, second)]
    first = [
        engine.zeros_like(x) if g is None and not x.numel() else g for x, g in zip(leaves, first)
    ]
    return result, [g if g is None else g.detach() for g in first], second


def samples(op, dtype):
    """Samples for both engines: (arguments, keyword arguments), torch's and ours."""
    torch.manual_seed(0)
    graded = dtype.is_floating_point and op.supports_autograd
    # Not op.sample_inputs, which looks through the stack, and through every module, for the name of
    # the test: nine tenths of the time.
    for sample in op.sample_inputs_func(op, "cpu", dtype, graded):
        given = (sample.input, *sample.args), sample.kwargs
        if (
            WITHOUT.get(op.name, set()) & set(sample.kwargs)
            or op.name in LEFT
            and LEFT[op.name](*given[0], **given[1])
        ):
            continue
        try:
            yield given, translated(given, {})
        except Unknown:
            continue


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", KINDS, ids=lambda dtype: str(dtype).removeprefix("torch."))
@over("op", operations, ids=lambda op: op.full_name)
def test_samples(op, dtype):
    if dtype not in op.supported_dtypes("cpu"):
        return
    method = getattr(minigrad.Tensor, op.name, None) if op.method_variant else None
    changing = getattr(minigrad.Tensor, f"{op.name}_", None) if op.inplace_variant else None
    for theirs, ours in samples(op, dtype):
        scale = max(
            [largest(x.detach().numpy().astype(float)) for x in tensors(ours, minigrad.Tensor)],
            default=0.0,
        )
        rounding = {"scale": scale, "coarse": "float32", "named": False}
        found = done(torch, op.op, *theirs)
        compare(
            found,
            done(minigrad, AROUND.get(op.name) or public(minigrad, op.name), *ours),
            **rounding,
        )
        if method and op.name not in AROUND and isinstance(theirs[0][0], torch.Tensor):
            compare(found[0], method(*ours[0], **ours[1]), **rounding)
        if changing and not theirs[1]:
            in_place = attempt(
                op.inplace_variant, theirs[0][0].clone(), *theirs[0][1:], **theirs[1]
            )
            if isinstance(in_place, torch.Tensor):
                compare(in_place, changing(ours[0][0].clone(), *ours[0][1:], **ours[1]), **rounding)


def test_there_are_samples_for_most_of_what_is_here():
    assert len({op.name for op in operations()}) > 90
