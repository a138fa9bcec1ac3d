"""What models do that hold v, and what two of them hold: a function at a point, weighed by v."""

from dataclasses import dataclass, replace

import numpy as np

from ...compare import engines
from ...show.formatting import nested
from ...show.typed_numbers import read_array, read_number
from .example_model import ExampleModel
from .model import action, at, index_in, shown
from .point import Point, in_float32, point_at, pull_back, values_of, with_entry
from .torch_answer import Question


class Weighing:
    """The actions on v of a model that keeps it in `_shown.v`; it shows another, `_weigh(v)`."""

    upstream = shown("v", "v, the upstream gradient: one entry for each output, as nested lists.")

    @action
    def set_upstream(self, value):
        """Set all of v: text as typed, nested lists, an array or a tensor.

        Another shape than the output's is refused in PyTorch's own words.
        """
        with at("upstream"):
            self._weigh(read_array(value))

    @action
    def set_upstream_entry(self, index, value):
        """Set one entry of v; index as in Python, (0, 1) or 2, () for a scalar."""
        index = index_in(index, self._shown.v.shape, "upstream")
        with at(("upstream", index)):
            self._weigh(with_entry(self._shown.v, index, read_number(value)))

    def _first_upstream(self, v):
        self._weigh(read_array(v))


@dataclass(frozen=True)
class Weighed:
    """A function at one point, its outputs weighed by v. input_grad: what backward(v) leaves."""

    point: Point
    v: np.ndarray
    input_grad: np.ndarray

    @classmethod
    def opened(cls, example):
        """An example's function at its own input, with its own v or ones."""
        return cls.by(point_at(example, example.inputs[example.input_name]), example.v)

    @classmethod
    def by(cls, point, v):
        """Run f again and backward(v), which refuses every shape but the output's. None is ones."""
        v = np.ones(point.y.shape) if v is None else in_float32(read_array(v))
        grad = pull_back(engines.minigrad, point.example, point.x, v)[1]
        return cls(point, v, values_of(grad))


class PointModel(Weighing, ExampleModel):
    """A model of one function at one point, weighed by v: its `_shown` is a `Weighed`.

    A subclass shows another state by `_show`.
    """

    @action
    def set_input(self, value):
        """Set all of x; its shape may change, if the function allows it.

        Where the output's shape changes with it, v becomes ones.
        """
        with at("input"):
            self._move(read_array(value))

    example = shown("point.example", "The example that is loaded.")
    input = shown("point.x", "x, as nested lists.")
    output = shown("point.y", "y = f(x), as nested lists, computed by minigrad.")
    input_shape = shown("point.x.shape")
    output_shape = shown("point.y.shape")
    input_grad = shown("input_grad", "x.grad = v\u00b7J after y.backward(v), by minigrad.")
    jacobian = shown("point.jacobian", "\u2202y/\u2202x as [output][input], counted row by row.")

    def question(self):
        """x.grad by PyTorch; as recorded it is linear in v, from one row for each one-hot v."""
        point, v = self._shown.point, self._shown.v
        return Question(
            lambda torch: {"x.grad": pull_back(torch, point.example, point.x, v)[1]},
            self._recorded_as(point.x),
            lambda values: {"x.grad": (v.ravel() @ values["rows"]).reshape(point.x.shape)},
            "for this function and input",
        )

    def _move(self, x):
        now, point = self._shown, point_at(self.example, x)
        self._show(now.by(point, now.v if point.y.shape == now.v.shape else None))

    def _weigh(self, v):
        new = self._shown.by(self._shown.point, v)
        self._show(replace(self._shown, v=new.v, input_grad=new.input_grad))

    def _grad_line(self):
        """The end of a summary: v, and what it leaves in x.grad."""
        grad = "covered" if self.covered else nested(self.input_grad)
        return f"v = {nested(self.upstream)}, {self.example.input_name}.grad = {grad}"
