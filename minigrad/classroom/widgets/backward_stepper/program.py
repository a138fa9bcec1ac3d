"""Running a learner's program in either engine: what it returns, or what it calls backward on.

A program that calls `backward` itself is stopped at that call, before anything is freed.
"""

import contextlib
from collections import namedtuple

import numpy as np

from minigrad.autograd import watch

from ...compare import engines
from ...show.drawing.graph import Notes, read_graph
from ...show.formatting import kind_of
from ...show.typed_numbers import Refused, read_array
from ..shared.functions import TAKES_TORCH, replaced, variables_of

# What came of running a program in one engine: the tensor from which to go backward, the gradient
# with which it called backward, whether it did, and (name, tensor) for each variable it could see.
Run = namedtuple("Run", "root gradient called tensors")


class _BackwardCalled(BaseException):
    """Ends a program where it calls backward."""


def run_program(torch, example, notes=None):
    """Run an example's program in one engine. Raises what it raises, or `Refused`.

    notes: hears of every operation and every tensor, in minigrad.
    """
    call, result = {}, None

    def backward(self, gradient=None, *others, **options):
        call.update(root=self, gradient=gradient)
        raise _BackwardCalled

    tensors = [
        torch.tensor(numbers, dtype=torch.float32, requires_grad=True)
        for numbers in example.inputs.values()
    ]
    with (
        replaced(torch.Tensor, "backward", backward),
        variables_of(example.source or example.function) as seen,
        watch(notes) if notes else contextlib.nullcontext(),
        contextlib.suppress(_BackwardCalled),
    ):
        result = example.function(torch, *tensors)
    root = call.get("root", result)
    if not isinstance(root, torch.Tensor):
        more = f" {TAKES_TORCH}" if hasattr(root, "backward") else ""
        raise Refused(
            f"The program returned {kind_of(root)}; it must return one tensor, or call "
            f"backward on one.{more}"
        )
    variables = (*zip(example.inputs, tensors), *_tensors_among(seen, torch.Tensor))
    return Run(root, call.get("gradient"), bool(call), variables)


def record(example):
    """(graph, run): a program run with minigrad, and its graph as the engine recorded it."""
    notes = Notes()
    run = run_program(engines.minigrad, example, notes)
    if not run.root.requires_grad:
        raise Refused(
            "The program's result does not depend on a tensor with requires_grad=True. PyTorch "
            "says: element 0 of tensors does not require grad and does not have a grad_fn"
        )
    return read_graph(run.root, run.tensors, notes), run


def first_upstream(example, run):
    """The v to begin with: the example's, the one the program called backward with, or ones."""
    if example.v is not None:
        return read_array(example.v)
    if isinstance(run.gradient, engines.minigrad.Tensor):
        return read_array(run.gradient)
    if run.called and (run.gradient is not None or run.root.numel() != 1):
        run.root.backward(run.gradient, retain_graph=True)  # the engine refuses it in its own words
    return np.ones(tuple(run.root.shape))


def _tensors_among(variables, kind):
    for name, value in variables.items():
        if isinstance(value, kind):
            yield name, value
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            yield from ((f"{name}.{inner}", x) for inner, x in value.named_parameters())
