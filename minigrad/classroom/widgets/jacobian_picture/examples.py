"""The examples whose Jacobian is drawn, with a direction u of the input for J·u.

Most are not square or not symmetric: on a diagonal Jacobian a transposed one looks right.
"""

from dataclasses import dataclass
from typing import Any

from ..shared.example import Example, by_name
from ..upstream_editor.examples import EXAMPLES as OF_EDITOR
from ..upstream_editor.examples import first_layer, second_layer


@dataclass(frozen=True)
class Map(Example):
    """A function whose J is drawn. u: the first direction of its input; None is ones."""

    u: Any = None


def _from_editor(name, v, u=None, called=None):
    """An example of the upstream editor, with what the picture shows first."""
    known = OF_EDITOR[name]
    given = known.formula, known.function, known.inputs, v, known.output
    return Map(called or name, *given, u=u, row="" if called else known.row)


_V = [0.1, 1.0, 0.0001]
_DIAGONAL = "Output k depends on input k alone, so J is diagonal: one formula, {}, tells it."
_A = OF_EDITOR["a * a"].inputs["a"]
_FIRST, _EYE = [1.0, 0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]

EXAMPLES = by_name(
    _from_editor("A @ x", [1.0, 10.0], [1.0, 0.0, 2.0]).noting(
        "Two outputs, three inputs: J is A itself, 2 rows and 3 columns."
    ),
    _from_editor("three terms, a", _V).noting(_DIAGONAL.format("3")),
    _from_editor("three terms, b", _V).noting(_DIAGONAL.format("4*b")),
    _from_editor("three terms, c", _V).noting(_DIAGONAL.format("1/c")),
    _from_editor("a * a", _A, [_FIRST, [0.0] * 3])
    .of_row("S0-4")
    .noting("a is 2x3, so J is 2x3x2x3; folded it is 6x6."),
    Map("F1", "y = (x₁·x₁ + x₂, x₁·x₂)", first_layer, {"x": [2.0, 3.0]}, [7.0, 9.0]).noting(
        "The left half of z = F2(F1(x)): v is what the right half hands back."
    ),
    Map("F2", "z = (y₁·y₂, y₁ + 2·y₂)", second_layer, {"y": [7.0, 6.0]}, output="z").noting(
        "The right half of z = F2(F1(x)): ones give (7, 9) where the two meet."
    ),
    _from_editor("two layers", None, called="F2(F1)").noting(
        "Square but not symmetric: ones from the left give (55, 25), from the top (65, 15)."
    ),
    Map(
        "2 * x",
        "z = 2 * x",
        lambda torch, x: 2 * x,
        {"x": [[1.0, 2.0, 3.0, 4.0]]},
        [_FIRST + [0.0]],
        "z",
    )
    .of_row("S3-10")
    .noting("A one-hot v picks one row of J."),
    Map(
        "sum of squares",
        "loss = (x * x).sum()",
        lambda torch, x: (x * x).sum(),
        {"x": [1.0, 2.0, 3.0]},
        1.0,
        "loss",
        u=_FIRST,
    )
    .of_row("S2-1")
    .noting("One output: J is one row, 1x3, and v is one number."),
    _from_editor("x.mm(a)", OF_EDITOR["x.mm(a)"].v, [_FIRST, [0.0] * 3]).noting(
        "8 outputs, 6 inputs, a is ones(3, 4): a row of out depends on its own row of x."
    ),
    Map(
        "outer",
        "y = outer(x, x)",
        lambda torch, x: torch.outer(x, x),
        {"x": [1.0, 2.0]},
        _EYE,
        u=_EYE[0],
    ).noting("v has the output's shape (2, 2), not its number of elements (4,)."),
    Map(
        "broadcast",
        "y = X + b",
        lambda torch, b, X: X + b,
        {"b": [1.0, 2.0, 3.0], "X": _A},
        _A,
        u=_FIRST,
    ).noting("b is added to both rows of X: b[k] reaches two outputs, and both add up in b.grad."),
    Map(
        "mean",
        "y = x.mean(dim=1)",
        lambda torch, x: x.mean(dim=1),
        {"x": [[1.0, 2.0], [3.0, 4.0]]},
        [1.0, 10.0],
        u=[[1.0, 1.0], [0.0, 0.0]],
    ).noting("A mean of two: each input counts half, in its own row's mean alone."),
    _from_editor("mean of cubes", 1.0, [[1.0, 0.0], [0.0, 0.0]]).noting(
        "A mean has one output, so J is one row: each entry is divided by 4."
    ),
)
