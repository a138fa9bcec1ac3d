"""The maps whose Jacobian the Jacobian picture draws, by name.

Like `presets.py`, each is written once for both engines. Most are not square or not symmetric: on a
diagonal Jacobian a transposed one looks right.
"""

from dataclasses import dataclass

from .presets import PRESETS, Preset


@dataclass(frozen=True)
class Map(Preset):
    """An example, with a direction u of the input to multiply from the right."""

    u: list | float | None = None


def _first_layer(torch, x):
    return torch.stack([x[0] * x[0] + x[1], x[0] * x[1]])


def _second_layer(torch, y):
    return torch.stack([y[0] * y[1], y[0] + 2 * y[1]])


def _both_layers(torch, x):
    return _second_layer(torch, _first_layer(torch, x))


def _twice(torch, x):
    return 2 * x


def _sum_of_squares(torch, x):
    return (x * x).sum()


def _outer(torch, x):
    return torch.outer(x, x)


def _from_editor(name, v, u, note):
    """An example of the upstream editor, with what the picture shows first."""
    return Map(**{**vars(PRESETS[name]), "v": v, "u": u, "note": note})


_DIAGONAL = "Output k depends on input k alone, so J is diagonal: the documents write {} for it."

MAPS = {
    example.name: example
    for example in (
        _from_editor(
            "A @ x",
            [1.0, 10.0],
            [1.0, 0.0, 2.0],
            "Two outputs, three inputs: J is A itself, 2 rows and 3 columns.",
        ),
        _from_editor("S3-1 a", [0.1, 1.0, 0.0001], [1.0, 1.0, 1.0], _DIAGONAL.format("3")),
        _from_editor("S3-1 b", [0.1, 1.0, 0.0001], [1.0, 1.0, 1.0], _DIAGONAL.format("4*b")),
        _from_editor("S3-1 c", [0.1, 1.0, 0.0001], [1.0, 1.0, 1.0], _DIAGONAL.format("1/c")),
        Map(
            "S0-4",
            "out = a * a",
            PRESETS["S0-1"].function,
            PRESETS["S0-1"].x,
            PRESETS["S0-1"].x,
            "a",
            "out",
            "a is 2x3, so J is 2x3x2x3; folded it is 6x6.",
            [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        ),
        Map(
            "F1",
            "y = F1(x) = (x1*x1 + x2, x1*x2)",
            _first_layer,
            [2.0, 3.0],
            [7.0, 9.0],
            "x",
            "y",
            "The left half of notebook 05: v is what the right half hands back.",
            [1.0, 1.0],
        ),
        Map(
            "F2",
            "z = F2(y) = (y1*y2, y1 + 2*y2)",
            _second_layer,
            [7.0, 6.0],
            [1.0, 1.0],
            "y",
            "z",
            "The right half of notebook 05: ones give (7, 9) at the seam.",
            [1.0, 1.0],
        ),
        Map(
            "F2(F1)",
            "z = F2(F1(x))",
            _both_layers,
            [2.0, 3.0],
            [1.0, 1.0],
            "x",
            "z",
            "Square but not symmetric: ones from the left give (55, 25), from the right (65, 15).",
            [1.0, 1.0],
        ),
        Map(
            "S3-10",
            "z = 2 * x",
            _twice,
            [[1.0, 2.0, 3.0, 4.0]],
            [[1.0, 0.0, 0.0, 0.0]],
            "x",
            "z",
            "A one-hot v picks one row of J.",
            [[1.0, 1.0, 1.0, 1.0]],
        ),
        Map(
            "S2-1",
            "loss = (x * x).sum()",
            _sum_of_squares,
            [1.0, 2.0, 3.0],
            1.0,
            "x",
            "loss",
            "One output: J is one row, 1x3, and v is one number.",
            [1.0, 0.0, 0.0],
        ),
        _from_editor(
            "S1-7",
            [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],
            [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            "8 outputs, 6 inputs: each row of out depends on its own row of x.",
        ),
        Map(
            "outer",
            "y = outer(x, x)",
            _outer,
            [1.0, 2.0],
            [[1.0, 0.0], [0.0, 1.0]],
            "x",
            "y",
            "v has the output's shape (2, 2), not its number of elements (4,).",
            [1.0, 0.0],
        ),
    )
}
