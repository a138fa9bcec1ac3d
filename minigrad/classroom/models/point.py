"""A function at one input: its outputs, its Jacobian, and what nudging the input says about it.

The Jacobian is asked of the engine, one one-hot backward call for each output; nothing is
differentiated here. Only x gets a gradient (`inputs=[x]`): a function may use tensors of the
learner's, and their .grad is left alone. Nudging never calls backward at all, so that it can bear
witness.
"""

from dataclasses import dataclass

import numpy as np

from .. import agreement, engines
from ..formatting import indices, kind_of
from ..typed_numbers import Refused, read_array
from .presets import Preset

MAX_ENTRIES = 100  # more inputs or outputs than this are not drawn


@dataclass(frozen=True)
class Point:
    """What depends on f and x alone, computed by minigrad."""

    preset: Preset
    x: np.ndarray
    y: np.ndarray
    jacobian: np.ndarray  # [output, input], both counted row by row
    nudged: np.ndarray | None  # the same by central differences; None if f cannot be nudged
    nudge_note: str
    nudge_tolerance: tuple


def point_at(preset, x):
    """Run a preset's function at x. Raises what the function raises, and `Refused`."""
    x = single(read_array(x))
    leaf, y = forward(engines.minigrad, preset, x)
    values = values_of(y)
    check_steady(values, values_of(forward(engines.minigrad, preset, x)[1]))
    for name, count in ((preset.input_name, x.size), (preset.output_name, values.size)):
        if not 1 <= count <= MAX_ENTRIES:
            raise Refused(f"{name} has {count} elements; 1 to {MAX_ENTRIES} can be shown.")
    jacobian = _one_row_for_each_output(preset, leaf, y)
    return Point(preset, x, values, jacobian, *_nudge(preset, x, values.size))


def forward(torch, preset, x, dtype="float32", requires_grad=True):
    """(x as a leaf, y = f(x)) in one engine."""
    leaf = torch.tensor(x.tolist(), dtype=getattr(torch, dtype), requires_grad=requires_grad)
    y = one_tensor(preset.function(torch, leaf), "The function")
    check_untouched(leaf)
    return leaf, y


def check_untouched(leaf):
    """`Refused` if a function has called backward itself: what it left in .grad would be added."""
    if leaf.grad is not None:
        raise Refused("The function calls backward itself. Let it return what it calls it on.")


def check_steady(values, again):
    """`Refused` if a function at one x gave first these values and then those, as arrays."""
    if not np.array_equal(values, again, equal_nan=True):
        raise Refused(
            "The function gives another result each time, even at the same input. If it draws "
            "random numbers, let it call torch.manual_seed(0) first."
        )


def one_tensor(result, who):
    """`result`, if it is a tensor of either engine; else `Refused`. who: what returned it."""
    if hasattr(result, "backward"):
        return result
    advice = ""
    if result is None:
        advice = " Does it end with return?"
    elif isinstance(result, (list, tuple)):
        advice = " Join the results: torch.stack([...])."
    raise Refused(f"{who} returned {kind_of(result)}; it must return one tensor.{advice}")


def single(values):
    """The values that float32 will hold, as a float64 array."""
    return np.array(values, dtype=np.float32).astype(float)


def tensor(values):
    """An array as minigrad's float32 tensor."""
    return engines.minigrad.tensor(values.tolist(), dtype=engines.minigrad.float32)


def values_of(given):
    """A tensor's values as a float64 array of its shape, whichever engine it is from."""
    return np.array(given.detach().tolist(), dtype=float).reshape(tuple(given.shape))


def with_entry(values, index, value):
    """A copy of an array with one element replaced."""
    values = np.array(values, dtype=float)
    values[index] = value
    return values


def _one_row_for_each_output(preset, leaf, y):
    rows = []
    for index in indices(y.shape):
        leaf.grad = None
        one_hot = with_entry(np.zeros(tuple(y.shape)), index, 1.0)
        y.backward(tensor(one_hot), retain_graph=True, inputs=[leaf])
        if leaf.grad is None:
            raise Refused(f"{preset.input_name}.grad stays None: the output does not depend on it.")
        rows.append(np.array(leaf.grad.tolist(), dtype=float).ravel())
    return np.array(rows)


def _nudge(preset, x, outputs):
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
            columns = [_nudge_one(preset, x, index, step, dtype) for index in indices(x.shape)]
            if any(column.size != outputs for column in columns):
                raise ValueError("nudging changes the number of outputs")
        except Exception as error:  # the learner's function's, for this dtype or these values
            note = f"This function could not be nudged: {error}"
            continue
        note = (
            f"each input nudged by \u00b1{step:.1g} in {dtype}; "
            f"equal means within {tolerance[0]:.0e} of the value"
        )
        return np.array(columns).T, note, tolerance
    return None, note, agreement.NUDGED


def _nudge_one(preset, x, index, step, dtype):
    """How fast each output changes with one input: (y above - y below) / distance."""
    size = step * max(1.0, abs(x[index]))
    above, below = x[index] + size, x[index] - size
    ends = []
    for value in (above, below):
        _, y = forward(engines.minigrad, preset, with_entry(x, index, value), dtype, False)
        if str(y.dtype).split(".")[-1] != dtype:
            raise TypeError("the function does not keep the precision of its input")
        ends.append(np.array(y.tolist(), dtype=float).ravel())
    with np.errstate(all="ignore"):  # nan and inf are shown, not warned about
        return (ends[0] - ends[1]) / (above - below)
