"""The exercise of notebook 00, which is about how exercises answer."""

import numpy as np

import minigrad

from .framework import Exercise, Wrong, first_difference, is_floating, is_tensor, read_tensor

_VALUES = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
_COLUMNS_FIRST = (
    [[1, 3, 5], [2, 4, 6]],
    "You filled the columns first; a list of lists holds the rows.",
)


def _check_tensor(t):
    if not is_tensor(t):
        return [f"t is of type {type(t).__name__}; make a tensor of it: torch.tensor(...)."]
    values, lines = read_tensor(t, "t")
    if lines:
        return lines
    lines = first_difference("t", values, np.array(_VALUES), [_COLUMNS_FIRST])
    if lines:
        if values.shape == (3, 2):
            lines.append("Rows come first: (2, 3) is two rows of three.")
        return lines
    if not is_floating(t):
        return [
            f"t has dtype {t.dtype}; only floating-point tensors can have gradients. "
            "Write the numbers with a point: 1., 2., 3."
        ]
    if not t.requires_grad:
        return [
            "The numbers are right, but t.requires_grad is False: nothing would be recorded. "
            "Add requires_grad=True."
        ]
    return []


EXERCISES = [
    Exercise(
        name="00-1",
        check=_check_tensor,
        praise="t has shape (2, 3), six right numbers, and records what is done with it.",
        hints=(
            "torch.tensor takes nested lists: one inner list for each row.",
            "Write the numbers with a point, so that the dtype is float32, and add "
            "requires_grad=True.",
        ),
        solution="t = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)\n",
        answer_name="t",
        wrong=(
            Wrong("nothing written yet", ..., "no answer yet"),
            Wrong("a list", _VALUES, "type list"),
            Wrong(
                "three rows", minigrad.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "shape (3, 2)"
            ),
            Wrong("flat", minigrad.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "shape (6,)"),
            Wrong("whole numbers", minigrad.tensor([[1, 2, 3], [4, 5, 6]]), "dtype"),
            Wrong(
                "columns first",
                minigrad.tensor([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]),
                "t[0, 1] is 3; it should be 2",
            ),
            Wrong("no gradient asked for", minigrad.tensor(_VALUES), "requires_grad"),
            Wrong(
                "nan",
                minigrad.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, float("nan")]]),
                "t[1, 2] is nan",
            ),
        ),
    ),
]
