"""When two results count as equal, and how their difference is written.

Two float32 engines may round differently, so numbers agree when they differ by no more than
rounding explains. Differences that small are printed as a bound, not as digits: the digits depend
on the processor, and stored outputs are compared.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

Tolerance = tuple[float, float]  # relative, and as a share of the largest value of the result
ROUNDING = {
    "float64": (1e-10, 1e-12),
    "float32": (1e-5, 1e-6),
    "float16": (1e-2, 1e-3),
    "bfloat16": (5e-2, 1e-2),
}
FLOAT32 = ROUNDING["float32"]
AS_PRINTED = (5e-4, 1e-6)  # right to the four digits that a tensor prints
NUDGED = (1e-4, 1e-6)  # central differences in float64, shown to five digits
NUDGED_FLOAT32 = (2e-2, 1e-2)  # where a function cannot run in float64


def agree(
    first: ArrayLike | None, second: ArrayLike | None, tolerance: Tolerance = FLOAT32
) -> bool:
    """Whether two arrays of one shape agree everywhere; nan agrees with nan, inf with inf.

    None, where nothing arrived, agrees with None alone.
    """
    if first is None or second is None:
        return first is second
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape:
        return False
    relative, of_scale = tolerance
    sizes = np.where(np.isfinite(second), np.abs(second), 0)
    return bool(np.all(_apart(first, second) <= relative * sizes + of_scale * sizes.max(initial=0)))


def largest_difference(first: ArrayLike, second: ArrayLike) -> float:
    """The largest absolute difference of two arrays of one shape; inf where only one is finite."""
    return float(_apart(first, second).max(initial=0))


def _apart(first, second):
    """How far apart two arrays are at each place: 0 for nan and nan, inf where one is finite."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0.0, np.abs(first - second))
    return np.where(np.isnan(distance), math.inf, distance)


def difference_text(first: ArrayLike, second: ArrayLike, agreed: bool) -> str:
    """The largest difference: "0" if equal and whole, "< 1e-06" for rounding, else its size."""
    difference = largest_difference(first, second)
    if not agreed:
        return f"{difference:.2g}"
    values = np.asarray(second, dtype=float)
    if difference == 0 and np.all(values[np.isfinite(values)] % 1 == 0):
        return "0"
    scale = max([1.0, *np.abs(values[np.isfinite(values)]).ravel()])
    power = math.ceil(math.log10(max(difference * 1.000001, 5e-7 * scale)))
    return f"< 1e{power:+03d}"


def compare(
    first: ArrayLike, second: ArrayLike, tolerance: Tolerance = FLOAT32
) -> tuple[bool, str]:
    """(whether two arrays agree, their largest difference as a text)."""
    agreed = agree(first, second, tolerance)
    return agreed, difference_text(first, second, agreed)
