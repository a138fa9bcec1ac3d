"""The examples whose Jacobian is drawn. `more` is u, a direction of the input for J·u.

Most are not square or not symmetric: on a diagonal Jacobian a transposed one looks right.
"""

from dataclasses import replace

from ..shared.example import Example, by_name
from ..upstream_editor.examples import EXAMPLES as OF_EDITOR


def _first_layer(torch, x):
    return torch.stack([x[0] * x[0] + x[1], x[0] * x[1]])


def _second_layer(torch, y):
    return torch.stack([y[0] * y[1], y[0] + 2 * y[1]])


def _from_editor(name, v, u, note):
    """An example of the upstream editor, with what the picture shows first."""
    return replace(OF_EDITOR[name], v=v, more=u, note=note)


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
    Example(
        "S0-4",
        "out = a * a",
        OF_EDITOR["S0-1"].function,
        {"a": _A},
        _A,
        "out",
        "a is 2x3, so J is 2x3x2x3; folded it is 6x6.",
        more=[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    Example(
        "F1",
        "y = (x₁·x₁ + x₂, x₁·x₂)",
        _first_layer,
        {"x": [2.0, 3.0]},
        [7.0, 9.0],
        "y",
        "The left half of z = F2(F1(x)): v is what the right half hands back.",
        more=[1.0, 1.0],
    ),
    Example(
        "F2",
        "z = (y₁·y₂, y₁ + 2·y₂)",
        _second_layer,
        {"y": [7.0, 6.0]},
        [1.0, 1.0],
        "z",
        "The right half of z = F2(F1(x)): ones give (7, 9) where the two meet.",
        more=[1.0, 1.0],
    ),
    Example(
        "F2(F1)",
        "z = F2(F1(x))",
        lambda torch, x: _second_layer(torch, _first_layer(torch, x)),
        {"x": [2.0, 3.0]},
        [1.0, 1.0],
        "z",
        "Square but not symmetric: ones from the left give (55, 25), from the top (65, 15).",
        more=[1.0, 1.0],
    ),
    Example(
        "S3-10",
        "z = 2 * x",
        lambda torch, x: 2 * x,
        {"x": [[1.0, 2.0, 3.0, 4.0]]},
        [[1.0, 0.0, 0.0, 0.0]],
        "z",
        "A one-hot v picks one row of J.",
        more=[[1.0] * 4],
    ),
    Example(
        "S2-1",
        "loss = (x * x).sum()",
        lambda torch, x: (x * x).sum(),
        {"x": [1.0, 2.0, 3.0]},
        1.0,
        "loss",
        "One output: J is one row, 1x3, and v is one number.",
        more=[1.0, 0.0, 0.0],
    ),
    _from_editor(
        "S1-7",
        [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],
        [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        "8 outputs, 6 inputs, a is ones(3, 4): a row of out depends on its own row of x.",
    ),
    Example(
        "outer",
        "y = outer(x, x)",
        lambda torch, x: torch.outer(x, x),
        {"x": [1.0, 2.0]},
        [[1.0, 0.0], [0.0, 1.0]],
        "y",
        "v has the output's shape (2, 2), not its number of elements (4,).",
        more=[1.0, 0.0],
    ),
    Example(
        "broadcast",
        "y = X + b",
        lambda torch, b, X: X + b,
        {"b": [1.0, 2.0, 3.0], "X": _A},
        _A,
        "y",
        "b is added to both rows of X: b[k] reaches two outputs, and both add up in b.grad.",
        more=[1.0, 0.0, 0.0],
    ),
    Example(
        "mean",
        "y = x.mean(dim=1)",
        lambda torch, x: x.mean(dim=1),
        {"x": [[1.0, 2.0], [3.0, 4.0]]},
        [1.0, 10.0],
        "y",
        "A mean of two: each input counts half, in its own row's mean alone.",
        more=[[1.0, 1.0], [0.0, 0.0]],
    ),
    _from_editor(
        "S4-18",
        1.0,
        [[1.0, 0.0], [0.0, 0.0]],
        "A mean has one output, so J is one row: each entry is divided by 4.",
    ),
)
