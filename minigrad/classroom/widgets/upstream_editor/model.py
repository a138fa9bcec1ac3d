"""The upstream editor: v can be edited, and x.grad = v·J by minigrad, by PyTorch and by nudging."""

import random
from functools import partial

import numpy as np

from ...compare import agreement
from ...show.formatting import (
    brackets,
    indices,
    nested,
    number,
    shape,
    subscript,
    sum_of_products,
    wrapped,
)
from ...show.typed_numbers import Refused, read_number
from ..predict_card.model import PredictCard
from ..shared.example_model import programs_of
from ..shared.model import action, at, index_in, one_of, shown
from ..shared.point import rows_to_record, with_entry
from ..shared.weighing import PointModel, Weighed
from .examples import EXAMPLES

BUTTONS = ("ones", "zero", "input", "example", "random")  # besides one-hot, which has a number


class UpstreamEditor(PointModel):
    """Edit the upstream gradient v of y = f(x) and see x.grad = v·J at once.

    what: the name of an example ("a * a"), or a function, `lambda torch, x: torch.log(x)`: a
        parameter named torch gets the engine, every other one a tensor.
    inputs, named: the numbers of a function's tensors, in order or by name; an example brings its
        own. The gradient shown is that of the first; the others are constants.
    v: the first upstream gradient; ones when left out.
    edit_input: whether x may be edited too.
    lock_upstream: True keeps v as it is.
    predict: True covers the result until a guess is committed or "show me" is asked.
    """

    known = EXAMPLES
    shows = (
        "example_name formula input output upstream weighted_loss input_grad torch_grad "
        "nudge_grad jacobian selected message refused_at covered"
    )

    def __init__(
        self,
        what="a * a",
        *inputs,
        v=None,
        edit_input=False,
        lock_upstream=False,
        predict=False,
        **named,
    ):
        self.edit_input = bool(edit_input)
        self.lock_upstream = False  # until the first v is there
        super().__init__(what, inputs, named, v=v, predict=predict)
        self.lock_upstream = bool(lock_upstream)

    @action
    def set_input_entry(self, index, value):
        """Set one element of x, where `edit_input` allows it."""
        index = index_in(index, self.input_shape, "input")
        with at(("input", index)):
            self._move(with_entry(self._shown.point.x, index, read_number(value)))

    @action
    def press(self, button):
        """Press a button: "ones", "zero", "input" (v is x itself), "example" or "random"."""
        button, sizes = one_of(button, BUTTONS, "button", "upstream"), self.output_shape
        source = random.Random(0)  # the same numbers on every machine and in every version
        values = {
            "ones": np.ones(sizes),
            "zero": np.zeros(sizes),
            "input": self._shown.point.x,
            "example": np.array([0.1, 1.0, 0.0001]),
            "random": np.reshape([round(source.uniform(-2, 2), 1) for _ in indices(sizes)], sizes),
        }
        with at("upstream"):
            self._weigh(values[button])

    @action
    def one_hot(self, index):
        """Set the entry of v for one output to 1 and all others to 0."""
        index = index_in(index, self.output_shape, "upstream")
        with at("upstream"):
            self._weigh(with_entry(np.zeros(self.output_shape), index, 1.0))

    @action
    def select(self, index):
        """Choose the input whose sum is written out."""
        self.selected = index_in(index, self.input_shape, "explain")

    @property
    def torch_grad(self):
        """x.grad by PyTorch (imported now, if it must be), or as recorded; else None."""
        theirs = self.torch_answer(wait=True).found
        return None if theirs is None else theirs["x.grad"].tolist()

    @property
    def weighted_loss(self):
        """L = sum(v * y), the scalar that backward(v) differentiates."""
        with np.errstate(all="ignore"):  # 0 times inf is nan, which is then shown
            return float(np.sum(self._shown.v * self._shown.point.y))

    @property
    def nudge_grad(self):
        """x.grad by central differences of L, as nested lists; None if f cannot be nudged."""
        nudged = self._shown.point.nudged
        if nudged is None:
            return None
        with np.errstate(all="ignore"):  # the values may be nan or inf, which are then shown
            return (self._shown.v.ravel() @ nudged).reshape(self.input_shape).tolist()

    def agreement_with(self, values, tolerance=agreement.FLOAT32):
        """(agrees, text): another x.grad beside minigrad's."""
        agreed, text = agreement.compare(self._shown.input_grad, values, tolerance)
        return agreed, f"largest difference {text}"

    nudge_note = shown("point.nudge_note", "How x was nudged, how closely answers must agree.")

    def nudge_comparison(self):
        """(agrees, text): nudging beside minigrad's x.grad."""
        tolerance = self._shown.point.nudge_tolerance
        agreed, text = self.agreement_with(self.nudge_grad, tolerance)
        return agreed, f"within {tolerance[0]:.0e}" if agreed else text

    def derivatives(self):
        """∂y/∂x of the selected input, one for each output."""
        return self._shown.point.jacobian[:, indices(self.input_shape).index(self.selected)]

    def loss_line(self):
        """ "L = 1·y₁ + 2·y₂ = 9": the loss that v makes of the outputs."""
        outputs = [self.example.output + subscript(index) for index in indices(self.output_shape)]
        total = number(self.weighted_loss)
        return f"L = {sum_of_products(self._shown.v.ravel(), outputs)} = {total}"

    def sum_line(self):
        """The selected input's sum over all outputs, v·∂y/∂x, in symbols and then in numbers."""
        a, out, column = self.example.input_name, self.example.output, self.derivatives()
        name = f"{a}.grad{brackets(self.selected)}"
        rule = f"Σ v·∂{out}/∂{a}{subscript(self.selected)}"
        terms = sum_of_products(self._shown.v.ravel(), [number(value) for value in column])
        value = float(self._shown.input_grad[self.selected])
        is_odd = np.isnan(column).any() and not np.isnan(value)  # 0·inf, where other entries are 0
        if is_odd:
            return f"{name} = {rule} = {terms}, one output at a time; all at once {number(value)}"
        return f"{name} = {rule} = {terms} = {number(value)}"

    def _told(self):
        return f"{self.example.input_name}.grad is {nested(self.input_grad)}."

    def summary(self):
        return f"Upstream editor, {self.example.name}: {self._grad_line()}"

    def text(self, answer=None):
        a, out = self.example.input_name, self.example.output
        width = max(len(a) + 5, len(out), 6) + 2
        rows = [
            wrapped("", f"Upstream editor, {self.example.title}"),
            wrapped(f"{a:<{width}}", f"{nested(self.input)}  shape {shape(self.input_shape)}"),
            wrapped(f"{out:<{width}}", f"{nested(self.output)}  shape {shape(self.output_shape)}"),
            wrapped(f"{'v':<{width}}", f"{nested(self.upstream)}  the upstream gradient"),
            wrapped(f"{'L':<{width}}", self.loss_line().removeprefix("L = ")),
        ]
        if self.covered:
            rows.append(f"{a + '.grad':<{width}}covered until you commit a guess")
        else:
            answer = answer or self.torch_answer(wait=True)
            blank = " " * width
            rows.append(wrapped(f"{a + '.grad':<{width}}minigrad  ", nested(self.input_grad)))
            line = answer.text
            if answer.found is not None:
                theirs = answer.found["x.grad"]
                agreed, difference = self.agreement_with(theirs)
                verdict = f"{'=' if agreed else '≠'}  {difference.removeprefix('largest ')}"
                line = answer.labelled(f"{nested(theirs.tolist())}  {verdict}", "  ")
            rows.append(wrapped(f"{blank}PyTorch   ", line))
            line = self.nudge_note
            if self.nudge_grad is not None:
                agreed, difference = self.nudge_comparison()
                line = f"{nested(self.nudge_grad)}  {'=' if agreed else '≠'}  {difference}"
            rows.append(wrapped(f"{blank}nudging   ", line))
            rows.append(wrapped("", self.sum_line()))
        return self._joined(rows)

    def _question(self):
        a, out = self.example.input_name, self.example.output
        question = f"{self.formula}. What will {a}.grad be after {out}.backward(v)?"
        why = "Each entry of v multiplies one output's derivatives; x.grad is their sum."
        return PredictCard(question, lambda: self.input_grad, why=why)

    def _open(self, example):
        self._show(Weighed.opened(example))
        self._cover()

    def _weigh(self, v):
        if self.lock_upstream:
            raise Refused("v is locked in this editor.")
        super()._weigh(v)

    def _move(self, x):
        if not self.edit_input:
            raise Refused(f"{self.example.input_name} is locked in this editor.")
        super()._move(x)

    def _show(self, weighed):
        sizes = weighed.point.x.shape
        if self._shown is None or sizes != self._shown.point.x.shape:
            # The second input where there is one: its index is no accident.
            self.selected = indices(sizes)[:2][-1]
        self._shown = weighed
        self._ask_anew()


programs_to_record = partial(programs_of, UpstreamEditor, rows_to_record)
