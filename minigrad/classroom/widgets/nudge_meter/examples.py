"""The functions of one number that the nudge meter opens by name."""

from dataclasses import dataclass

from ..shared.example import Example, by_name


@dataclass(frozen=True)
class Curve(Example):
    """A function of one number. derivative: as a mathematician writes it."""

    derivative: str = ""


EXAMPLES = by_name(
    Curve(
        "2b²",
        "y = 2\u00b7b\u00b2",
        lambda torch, b: 2 * b * b,
        {"b": 1.0},
        derivative="4\u00b7b",
        note="The document's own nudge: 4.2, 4.002, 4.00002 for eps = 0.1, 0.001, 0.00001.",
        row="S3-3",
    ),
    Curve(
        "(2x)³",
        "z = (2\u00b7x)\u00b3",
        lambda torch, x: (2 * x) ** 3,
        {"x": -0.644444},
        output="z",
        derivative="24\u00b7x\u00b2",
        note="It printed 9.9674: how fast z changes with x, never x with z.",
        row="S4-11",
    ),
    Curve(
        "log c",
        "y = log c",
        lambda torch, c: torch.log(c),
        {"c": 0.1},
        derivative="1/c",
        note="There is no logarithm at 0 and left of it: an eps above 0.1 reaches there.",
        row="S3-4 log",
    ),
    Curve(
        "3a",
        "y = 3\u00b7a",
        lambda torch, a: 3 * a,
        {"a": 0.1},
        derivative="3",
        note="A straight line: the secant is the tangent, and all that is left is rounding.",
        row="S3-4 line",
    ),
    Curve(
        "kink",
        "y = |x|",
        lambda torch, x: x.abs(),
        {"x": 0.0},
        derivative="sign(x)",
        note="At the kink nudging gives 1 or 0 as you nudge; backward gives 0, by convention.",
    ),
)
