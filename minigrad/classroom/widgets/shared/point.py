"""A function at one input: its outputs, its Jacobian, and what nudging the input says about it.

The Jacobian is asked of the engine, one one-hot backward call for each output. Only x gets a
gradient (`inputs=[x]`): the learner's own tensors are left alone. Nudging never calls backward.
"""

from dataclasses import dataclass

import numpy as np

from ...compare import agreement, engines
from ...show.formatting import indices
from ...show.typed_numbers import Refused, read_array
from .example import Example
from .functions import check_size, check_steady, check_untouched, one_tensor

MAX_ENTRIES = 100  # more inputs or outputs than this are not drawn


@dataclass(frozen=True)
class Point:
    """What depends on f and x alone, computed by minigrad."""

    example: Example
    x: np.ndarray
    y: np.ndarray
    jacobian: np.ndarray  # [output, input], both counted row by row
    nudged: np.ndarray | None  # the same by central differences; None if f cannot be nudged
    nudge_note: str
    nudge_tolerance: tuple


def point_at(example, x):
    """Run an example's function at x. Raises what the function raises, and `Refused`."""
    x = in_float32(read_array(x))
    leaf, y = forward(engines.minigrad, example, x)
    values = values_of(y)
    check_steady(values, values_of(forward(engines.minigrad, example, x)[1]))
    for name, count in ((example.input_name, x.size), (example.output, values.size)):
        check_size(name, count, MAX_ENTRIES, "1 to {} can be shown")
    jacobian = jacobian_of(leaf, y, example.input_name)
    return Point(example, x, values, jacobian, *_nudge(example, x, values.size))


def forward(torch, example, x, dtype="float32", requires_grad=True):
    """(x as a leaf, y = f(x)) in one engine; the example's other tensors are constants."""
    dtype = getattr(torch, dtype)
    leaf = torch.tensor(x.tolist(), dtype=dtype, requires_grad=requires_grad)
    _, *others = example.inputs.values()
    y = example.function(torch, leaf, *(torch.tensor(values, dtype=dtype) for values in others))
    check_untouched(leaf)
    return leaf, one_tensor(y)


def pull_back(torch, example, x, v=None, dtype="float32"):
    """(y, x.grad after y.backward(v)) in one engine, as its tensors; v is ones if left out."""
    leaf, y = forward(torch, example, x, dtype)
    v = torch.ones_like(y) if v is None else torch.tensor(v.tolist(), dtype=getattr(torch, dtype))
    y.backward(v, inputs=[leaf])
    return y.detach(), _arrived(leaf, example.input_name)


def in_float32(values):
    """The values that float32 will hold, as a float64 array."""
    return np.array(values, dtype=np.float32).astype(float)


def values_of(given):
    """A tensor's values as a float64 array of its shape, whichever engine it is from."""
    return np.array(given.detach().tolist(), dtype=float).reshape(tuple(given.shape))


def with_entry(values, index, value):
    """A copy of an array with one element replaced."""
    values = np.array(values, dtype=float)
    values[index] = value
    return values


def one_hots(sizes):
    """Every array of a shape that is 1 at one place and 0 elsewhere, row by row."""
    return [with_entry(np.zeros(sizes), index, 1.0) for index in indices(sizes)]


def rows_to_record(example, torch):
    """To be recorded: x.grad for each one-hot v, flat, one row an output."""
    x = in_float32(example.inputs[example.input_name])
    sizes = forward(torch, example, x)[1].shape
    return one_row_each(torch, sizes, lambda v: {"rows": pull_back(torch, example, x, v)[1]})


def one_row_each(torch, sizes, results):
    """{name: one row for each output}: what `results(v)` names, flat, for each one-hot v."""
    by_v = [results(v) for v in one_hots(sizes)]
    return {name: torch.stack([one[name].reshape(-1) for one in by_v]) for name in by_v[0]}


def jacobian_of(leaf, y, name):
    """\u2202y/\u2202leaf, [output, input], one backward call for each output."""
    rows = []
    for one_hot in one_hots(tuple(y.shape)):
        leaf.grad = None
        y.backward(engines.minigrad.tensor(one_hot.tolist()), retain_graph=True, inputs=[leaf])
        rows.append(values_of(_arrived(leaf, name)).ravel())
    return np.array(rows)


def _arrived(leaf, name):
    """What a backward call left in `leaf.grad`; `Refused` if it left nothing."""
    if leaf.grad is None:
        raise Refused(f"{name}.grad stays None: the output does not depend on it.")
    return leaf.grad


def _nudge(example, x, outputs):
    """Central differences: (∂y/∂x as [output, input] or None, a sentence, tolerance).

    Nudging L = sum(v * y) is nudging each y and weighing the differences; done output by output,
    weights of very different sizes do not cost each other digits. In float64 where the function
    allows it, since float32 leaves only two or three digits.
    """
    for dtype, step, tolerance in (
        ("float64", 2.0**-17, agreement.NUDGED),
        ("float32", 2.0**-8, agreement.NUDGED_FLOAT32),
    ):
        try:
            columns = [_nudge_one(example, x, index, step, dtype) for index in indices(x.shape)]
            if any(column.size != outputs for column in columns):
                raise ValueError("nudging changes the number of outputs")
        except Exception as error:  # the learner's function's, for this dtype or these values
            note = f"This function could not be nudged: {error}"
            continue
        how = f"each input nudged by \u00b1{step:.1g} in {dtype}"
        note = f"{how}; equal means within {tolerance[0]:.0e} of the value"
        return np.array(columns).T, note, tolerance
    return None, note, agreement.NUDGED


def _nudge_one(example, x, index, step, dtype):
    """How fast each output changes with one input: (y above - y below) / distance."""
    size = step * max(1.0, abs(x[index]))
    above, below = x[index] + size, x[index] - size
    ends = []
    for value in (above, below):
        _, y = forward(engines.minigrad, example, with_entry(x, index, value), dtype, False)
        if str(y.dtype).split(".")[-1] != dtype:
            raise TypeError("the function does not keep the precision of its input")
        ends.append(np.array(y.tolist(), dtype=float).ravel())
    with np.errstate(all="ignore"):  # nan and inf are shown, not warned about
        return (ends[0] - ends[1]) / (above - below)
