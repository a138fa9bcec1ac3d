"""What the models of a function at one input have in common: its x, y, v and x.grad."""

import numpy as np

from ... import agreement, engines
from ...formatting import nested
from ...typed_numbers import read_array
from .example_model import WeighedModel
from .model import action, at, shown
from .point import in_float32, point_at, pull_back, values_of
from .torch_answer import Question


class ModelAtPoint(WeighedModel):
    """A model that shows y = f(x) at one x, weighed by one v.

    `_shown` holds what belongs together: `.point` (see `point.py`), `.v` and `.input_grad`; a
    subclass makes it, `_make(point, v, input_grad)`.
    """

    @action
    def set_input(self, value):
        """Set all of x; its shape may change, if the function allows it."""
        with at("input"):
            self._set_input(read_array(value))

    example = shown("point.example", "The example that is loaded.")
    input = shown("point.x", "x, as nested lists.")
    output = shown("point.y", "y = f(x), as nested lists, computed by minigrad.")
    input_shape = shown("point.x.shape")
    output_shape = shown("point.y.shape")
    input_grad = shown("input_grad", "x.grad = v\u00b7J after y.backward(v), by minigrad.")
    jacobian = shown("point.jacobian", "\u2202y/\u2202x as [output][input], counted row by row.")

    @property
    def torch_grad(self):
        """x.grad by PyTorch (imported now, if it must be), or as recorded; else None."""
        found = self.torch_answer(wait=True).found
        return None if found is None else found["x.grad"].tolist()

    def question(self):
        """x.grad by PyTorch; as recorded it is linear in v, from one row for each one-hot v."""
        point, v = self._shown.point, self._shown.v
        return Question(
            lambda torch: {"x.grad": pull_back(torch, point.example, point.x, v)[1]},
            self._recorded_as(point.x),
            lambda found: {"x.grad": (v.ravel() @ found["rows"]).reshape(point.x.shape)},
            "for this function and input",
        )

    def agreement_with(self, values, tolerance=agreement.ROUNDING["float32"]):
        """(agrees, text): another x.grad beside minigrad's."""
        agreed, text = agreement.compare(self._shown.input_grad, values, tolerance)
        return agreed, f"largest difference {text}"

    def torch_line(self, answer):
        """PyTorch's x.grad in a text, or why there is none."""
        if answer.found is None:
            return answer.text
        agreed, text = self.agreement_with(answer.found["x.grad"])
        sign = "=" if agreed else "\u2260"
        return answer.labelled(f"{nested(answer.found['x.grad'].tolist())}  {sign}  {text}", "  ")

    def _open(self, example):
        point = point_at(example, example.inputs[example.input_name])
        v = np.ones(point.y.shape) if example.v is None else read_array(example.v)
        self._weigh(point, v)
        self._cover()

    def _set_upstream(self, v):
        self._weigh(self._shown.point, v)

    def _set_input(self, x):
        point, v = point_at(self.example, x), self._shown.v
        if point.y.shape != v.shape:  # a new x made a new output shape
            v = np.ones(point.y.shape)
        self._weigh(point, v)

    def _weigh(self, point, v):
        """Run f again and backward(v), which refuses every shape but the output's."""
        v = in_float32(v)
        grad = pull_back(engines.minigrad, point.example, point.x, v)[1]
        self._shown = self._make(point, v, values_of(grad))
        self._ask_anew()
