"""The functions of one number that the nudge meter opens by name."""

from dataclasses import dataclass

from ..shared.example import Example, by_name


@dataclass(frozen=True)
class Curve(Example):
    """A function of one number. derivative: as a mathematician writes it."""

    derivative: str = ""


EXAMPLES = by_name(
    Curve("2b²", "y = 2·b²", lambda torch, b: 2 * b * b, {"b": 1.0}, derivative="4·b")
    .of_row("S3-3")
    .noting("The document's own nudge: 4.2, 4.002, 4.00002 for eps = 0.1, 0.001, 0.00001."),
    Curve(
        "(2x)³",
        "z = (2·x)³",
        lambda torch, x: (2 * x) ** 3,
        {"x": -0.644444},
        output="z",
        derivative="24·x²",
    )
    .of_row("S4-11")
    .noting("It printed 9.9674: how fast z changes with x, never x with z."),
    Curve("log c", "y = log c", lambda torch, c: torch.log(c), {"c": 0.1}, derivative="1/c")
    .of_row("S3-4 log")
    .noting("There is no logarithm at 0 and left of it: an eps above 0.1 reaches there."),
    Curve("3a", "y = 3·a", lambda torch, a: 3 * a, {"a": 0.1}, derivative="3")
    .of_row("S3-4 line")
    .noting("A straight line: the secant is the tangent, and all that is left is rounding."),
    Curve("kink", "y = |x|", lambda torch, x: x.abs(), {"x": 0.0}, derivative="sign(x)").noting(
        "At the kink nudging gives 1 or 0 as you nudge; backward gives 0, by convention."
    ),
)
