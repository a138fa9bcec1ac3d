"""J at one point, with v at its left and u at its top: the state that the picture shows."""

from dataclasses import dataclass, replace

import numpy as np

from ...compare import engines
from ...show.formatting import indices, shape
from ...show.typed_numbers import Refused
from ..shared.functions import check_size
from ..shared.point import forward, in_float32, values_of, with_entry
from ..shared.weighing import Weighed
from .products import from_the_top

MAX_LINES = 12  # more rows or columns than this are not readable


@dataclass(frozen=True)
class Mapped(Weighed):
    """A point with v and, once it is turned `along` one, with u.

    output_change: J\u00b7u, None if it cannot be had, and note: why. whole_steps: [output, input],
    an output's real change if the input rises by 1.
    """

    u: np.ndarray | None = None
    output_change: np.ndarray | None = None
    note: str = ""
    whole_steps: np.ndarray | None = None

    def __post_init__(self):
        names = self.point.example.input_name, self.point.example.output
        for name, values in zip(names, (self.point.x, self.point.y)):
            check_size(name, values.size, MAX_LINES, "a picture of J is readable up to {}")

    def along(self, u):
        """The same with another direction u, in the input's shape exactly."""
        point, u = self.point, in_float32(u)
        if u.shape != point.x.shape:
            raise Refused(
                f"u has shape {shape(u.shape)}; it is a direction of the input, so it "
                f"needs the input's shape {shape(point.x.shape)}."
            )
        try:
            change, note = from_the_top(point, u), ""
        except Exception as error:  # a function that can be differentiated only once
            change, note = None, f"J\u00b7u cannot be had: {error}"
        steps = _whole_steps(point) if self.whole_steps is None else self.whole_steps
        return replace(self, u=u, output_change=change, note=note, whole_steps=steps)


def _whole_steps(point):
    """[output, input]: what each output really changes when an input rises by 1."""
    steps = np.full(point.jacobian.shape, np.nan)
    for j, index in enumerate(indices(point.x.shape)):
        moved = with_entry(point.x, index, point.x[index] + 1)
        try:
            _, y = forward(engines.minigrad, point.example, moved, requires_grad=False)
            with np.errstate(all="ignore"):  # the values may be nan or inf, which are then shown
                steps[:, j] = (values_of(y) - point.y).ravel()
        except Exception:
            continue  # outside of what the function can take: the sentence then says the rate alone
    return steps


def telling_cell(point):
    """The cell to begin with, (output, input): not zero, and off the corner where it can be."""
    outputs, inputs = point.jacobian.shape
    there = [(i, j) for i, j in ((1, 1), (0, 1), (0, 0)) if i < outputs and j < inputs]
    i, j = next((cell for cell in there if point.jacobian[cell]), (0, 0))
    return indices(point.y.shape)[i], indices(point.x.shape)[j]
