"""The functions of one number that the nudge meter opens by name."""

from dataclasses import dataclass
from typing import Callable

from ..typed_numbers import Refused, read_number
from .source import for_both_engines, formula_of


@dataclass(frozen=True)
class Curve:
    """One function of one number, at which point. function(torch, x) serves both engines."""

    name: str
    formula: str
    derivative: str  # as a mathematician writes it; empty for a learner's own function
    function: Callable
    x: float
    input_name: str = "x"
    output_name: str = "y"
    note: str = ""


def _two_squares(torch, b):
    return 2 * b * b


def _cube_of_double(torch, x):
    y = 2 * x
    return y**3


def _log(torch, c):
    return torch.log(c)


def _three_times(torch, a):
    return 3 * a


def _absolute(torch, x):
    return x.abs()


CURVES = {
    curve.name: curve
    for curve in (
        Curve(
            "S3-3", "y = 2\u00b7b\u00b2", "4\u00b7b", _two_squares, 1.0, "b", "y",
            "The document's own nudge: 4.2, 4.002, 4.00002 for eps = 0.1, 0.001, 0.00001.",
        ),
        Curve(
            "S4-11", "z = (2\u00b7x)\u00b3", "24\u00b7x\u00b2", _cube_of_double, -0.644444,
            "x", "z",
            "It printed 9.9674: how fast z changes with x, never x with z.",
        ),
        Curve(
            "S3-4 log", "y = log c", "1/c", _log, 0.1, "c", "y",
            "There is no logarithm at 0 and left of it: an eps above 0.1 reaches there.",
        ),
        Curve(
            "S3-4 line", "y = 3\u00b7a", "3", _three_times, 0.1, "a", "y",
            "A straight line: the secant is the tangent, and all that is left is rounding.",
        ),
        Curve(
            "kink", "y = |x|", "sign(x)", _absolute, 0.0, "x", "y",
            "At the kink nudging gives 1 or 0 as you nudge; backward gives 0, by convention.",
        ),
    )
}


def own_curve(function, x):
    """A learner's own function of one number at x. Raises `Refused` with the sentence to show."""
    if not callable(function):
        raise Refused(f"Give a function of one number, not {function!r:.60}.")
    if x is None:
        raise Refused("Give the point x, too: one number.")
    formula = formula_of(function)
    return Curve("your function", f"y = {formula}", "", for_both_engines(function), read_number(x))
