"""The examples whose Jacobian is drawn, with a direction u of the input for J·u.

Most are not square or not symmetric: on a diagonal Jacobian a transposed one looks right.
"""

from dataclasses import dataclass
from typing import Any

from ..shared.example import Example, by_name
from ..upstream_editor.examples import EXAMPLES as OF_EDITOR


@dataclass(frozen=True)
class Map(Example):
    """A function whose J is drawn. u: the first direction of its input; None is ones."""

    u: Any = None


def _first_layer(torch, x):
    return torch.stack([x[0] * x[0] + x[1], x[0] * x[1]])


def _second_layer(torch, y):
    return torch.stack([y[0] * y[1], y[0] + 2 * y[1]])


def _from_editor(name, v, u, note):
    """An example of the upstream editor, with what the picture shows first."""
    known = OF_EDITOR[name]
    return Map(name, known.formula, known.function, known.inputs, v, known.output, note, u=u)


_V, _ONES = [0.1, 1.0, 0.0001], [1.0, 1.0, 1.0]
_DIAGONAL = "Output k depends on input k alone, so J is diagonal: the documents write {} for it."
_A = OF_EDITOR["S0-1"].inputs["a"]

EXAMPLES = by_name(
    _from_editor(
        "A @ x",
        [1.0, 10.0],
        [1.0, 0.0, 2.0],
        "Two outputs, three inputs: J is A itself, 2 rows and 3 columns.",
    ),
    _from_editor("S3-1 a", _V, _ONES, _DIAGONAL.format("3")),
    _from_editor("S3-1 b", _V, _ONES, _DIAGONAL.format("4*b")),
    _from_editor("S3-1 c", _V, _ONES, _DIAGONAL.format("1/c")),
    Map(
        "S0-4",
        "out = a * a",
        OF_EDITOR["S0-1"].function,
        {"a": _A},
        _A,
        "out",
        "a is 2x3, so J is 2x3x2x3; folded it is 6x6.",
        u=[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    Map(
        "F1",
        "y = (x₁·x₁ + x₂, x₁·x₂)",
        _first_layer,
        {"x": [2.0, 3.0]},
        [7.0, 9.0],
        "y",
        "The left half of z = F2(F1(x)): v is what the right half hands back.",
        u=[1.0, 1.0],
    ),
    Map(
        "F2",
        "z = (y₁·y₂, y₁ + 2·y₂)",
        _second_layer,
        {"y": [7.0, 6.0]},
        [1.0, 1.0],
        "z",
        "The right half of z = F2(F1(x)): ones give (7, 9) where the two meet.",
        u=[1.0, 1.0],
    ),
    Map(
        "F2(F1)",
        "z = F2(F1(x))",
        lambda torch, x: _second_layer(torch, _first_layer(torch, x)),
        {"x": [2.0, 3.0]},
        [1.0, 1.0],
        "z",
        "Square but not symmetric: ones from the left give (55, 25), from the top (65, 15).",
        u=[1.0, 1.0],
    ),
    Map(
        "S3-10",
        "z = 2 * x",
        lambda torch, x: 2 * x,
        {"x": [[1.0, 2.0, 3.0, 4.0]]},
        [[1.0, 0.0, 0.0, 0.0]],
        "z",
        "A one-hot v picks one row of J.",
        u=[[1.0] * 4],
    ),
    Map(
        "S2-1",
        "loss = (x * x).sum()",
        lambda torch, x: (x * x).sum(),
        {"x": [1.0, 2.0, 3.0]},
        1.0,
        "loss",
        "One output: J is one row, 1x3, and v is one number.",
        u=[1.0, 0.0, 0.0],
    ),
    _from_editor(
        "S1-7",
        [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],
        [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        "8 outputs, 6 inputs, a is ones(3, 4): a row of out depends on its own row of x.",
    ),
    Map(
        "outer",
        "y = outer(x, x)",
        lambda torch, x: torch.outer(x, x),
        {"x": [1.0, 2.0]},
        [[1.0, 0.0], [0.0, 1.0]],
        "y",
        "v has the output's shape (2, 2), not its number of elements (4,).",
        u=[1.0, 0.0],
    ),
    Map(
        "broadcast",
        "y = X + b",
        lambda torch, b, X: X + b,
        {"b": [1.0, 2.0, 3.0], "X": _A},
        _A,
        "y",
        "b is added to both rows of X: b[k] reaches two outputs, and both add up in b.grad.",
        u=[1.0, 0.0, 0.0],
    ),
    Map(
        "mean",
        "y = x.mean(dim=1)",
        lambda torch, x: x.mean(dim=1),
        {"x": [[1.0, 2.0], [3.0, 4.0]]},
        [1.0, 10.0],
        "y",
        "A mean of two: each input counts half, in its own row's mean alone.",
        u=[[1.0, 1.0], [0.0, 0.0]],
    ),
    _from_editor(
        "S4-18",
        1.0,
        [[1.0, 0.0], [0.0, 0.0]],
        "A mean has one output, so J is one row: each entry is divided by 4.",
    ),
)
