"""The upstream editor: y = f(x), an upstream gradient v that can be edited, and x.grad = v·J.

The model runs f with minigrad, calls `y.backward(v)`, and puts three answers side by side:

- minigrad's x.grad,
- PyTorch's x.grad for the same f, x and v,
- what nudging the inputs says about L = sum(v * y), without any backward pass.

It is complete without ipywidgets; `views/upstream.py` only draws it.
"""

import random
from dataclasses import dataclass, replace

import numpy as np

from .. import agreement, engines, recorded
from ..formatting import (
    brackets,
    indices,
    nested,
    number,
    shape,
    subscript,
    sum_of_products,
    wrapped,
)
from ..numbers import Refused, read_array, read_number
from .at_point import ModelAtPoint
from .base import action, one_of
from .point import Point, forward, point_at, single, tensor, with_entry
from .predict import PredictCard
from .presets import PRESETS, own_preset
from .torch_answer import could_not_run, failed, live, missing, stored

MAX_BOXES = 12  # more outputs than this are typed as a list
BUTTONS = ("ones", "input", "example", "random", "zero")  # besides one-hot, which has a number


@dataclass(frozen=True)
class _Shown:
    """One consistent state: everything on the screen belongs to this x and this v."""

    point: Point
    v: np.ndarray
    loss: float
    input_grad: np.ndarray


class UpstreamEditor(ModelAtPoint):
    """The model of the upstream editor.

    what: the name of a preset ("S0-1", see `UpstreamEditor.presets()`), or a function of one
        tensor, `lambda x: x * x`. A function that needs torch's names takes them first:
        `lambda torch, x: torch.log(x)`; it is run with minigrad and with PyTorch.
    x: the input of an own function: a number or nested lists. A preset brings its own.
    v: the first upstream gradient; ones when left out.
    edit_input: whether x may be edited too.
    lock_upstream: True keeps v as it is (notebook 02: locked to a sum).
    predict: True covers the result until a guess is committed or "show me" is asked.

    A function that fails is refused: `message` says why, and the first example is shown. Later edits
    never raise either: what cannot be used is refused and everything else stays as it was.
    """

    known = PRESETS

    def __init__(
        self, what="S0-1", x=None, v=None, *, edit_input=False, lock_upstream=False, predict=False
    ):
        super().__init__(predict)
        self.edit_input = bool(edit_input)
        self.lock_upstream = bool(lock_upstream)
        if callable(what):
            self._start(lambda: self._open_own(what, x), "S0-1")
        else:
            preset = self._find(what)
            self._open(preset if x is None else replace(preset, x=read_array(x).tolist(), v=None))
        if v is not None and self.message is None:
            self._change("upstream", lambda: {"v": read_array(v)})

    @staticmethod
    def presets():
        """The names of the examples that can be loaded."""
        return list(PRESETS)

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def set_input_entry(self, index, value):
        """Set one element of x, where `edit_input` allows it."""
        index = self._of_input(index, "input")
        self._edit(
            ("input", index),
            lambda: {"x": with_entry(self._shown.point.x, index, read_number(value))},
        )

    @action
    def press(self, button):
        """Press a button: "ones", "input" (v is x itself), "example", "random" or "zero"."""
        button = one_of(button, BUTTONS, "button", "upstream")
        sizes = self._shown.point.y.shape
        values = {
            "ones": lambda: np.ones(sizes),
            "zero": lambda: np.zeros(sizes),
            "input": lambda: self._shown.point.x,
            "example": lambda: np.array([0.1, 1.0, 0.0001]),
            "random": lambda: _random_weights(sizes),
        }
        self._edit("upstream", lambda: {"v": values[button]()})

    @action
    def one_hot(self, index):
        """Weigh one output with 1 and all others with 0."""
        index = self._of_output(index, "upstream")
        zeros = np.zeros(self._shown.v.shape)
        self._edit("upstream", lambda: {"v": with_entry(zeros, index, 1.0)})

    @action
    def select(self, index):
        """Choose the input whose sum is written out."""
        self.selected = self._of_input(index, "explain")

    # --- what it shows --------------------------------------------------------------------------

    @property
    def weighted_loss(self):
        """L = sum(v * y), the scalar that backward(v) differentiates."""
        return self._shown.loss

    @property
    def nudge_grad(self):
        """x.grad by central differences of L, as nested lists; None if f cannot be nudged."""
        nudged = self._shown.point.nudged
        if nudged is None:
            return None
        with np.errstate(all="ignore"):  # the values may be nan or inf, which are then shown
            return (self._shown.v.ravel() @ nudged).reshape(self.input_shape).tolist()

    @property
    def nudge_note(self):
        """How the inputs were nudged and how closely the answers must agree."""
        return self._shown.point.nudge_note

    @property
    def torch_grad(self):
        """x.grad by PyTorch (imported now, if it must be), or as recorded; None if there is none."""
        grad = self.torch_answer(wait=True).found
        return None if grad is None else grad.tolist()

    def stored_answer(self):
        """PyTorch's x.grad from the record alone: one row for each one-hot v, and linear in v."""
        preset, point = self.preset, self._shown.point
        rows, version = None, None
        if PRESETS.get(preset.name) == preset and np.array_equal(point.x, single(preset.x)):
            rows, version = recorded.answer("presets", preset.name)
        if rows is None:
            return missing("for this function and input")
        return stored(version, (self._shown.v.ravel() @ np.array(rows)).reshape(point.x.shape))

    def comparison(self, which, answer=None):
        """(agrees, text) for "torch" or "nudge" against minigrad's x.grad."""
        if which == "torch":
            answer = answer or self.torch_answer(wait=True)
            values, tolerance = answer.found, agreement.ROUNDING["float32"]
        else:
            values, tolerance = self.nudge_grad, self._shown.point.nudge_tolerance
        if values is None:
            return False, "nothing to compare"
        agreed = agreement.agree(self._shown.input_grad, values, tolerance)
        if which == "nudge" and agreed:
            return True, f"within {tolerance[0]:.0e}"
        difference = agreement.difference_text(self._shown.input_grad, values, agreed)
        return agreed, f"largest difference {difference}"

    def loss_line(self):
        """ "L = 1·y₁ + 2·y₂ = 9": the loss that v makes of the outputs."""
        name = self.preset.output_name
        outputs = [name + subscript(index) for index in indices(self.output_shape)]
        total = number(self.weighted_loss)
        return f"L = {sum_of_products(self._shown.v.ravel(), outputs)} = {total}"

    def loss_line_in_numbers(self):
        """ "L = 1·1 + 2·4 = 9": the same with the values of the outputs."""
        outputs = [number(value) for value in self._shown.point.y.ravel()]
        total = number(self.weighted_loss)
        return f"L = {sum_of_products(self._shown.v.ravel(), outputs)} = {total}"

    def sum_line(self):
        """The selected input's sum over all outputs, v·∂y/∂x, in symbols and then in numbers."""
        preset = self.preset
        name = f"{preset.input_name}.grad{brackets(self.selected)}"
        rule = (
            f"\u03a3 v\u00b7\u2202{preset.output_name}/\u2202{preset.input_name}"
            f"{subscript(self.selected)}"
        )
        column = self._shown.point.jacobian[:, indices(self.input_shape).index(self.selected)]
        terms = sum_of_products(self._shown.v.ravel(), [number(value) for value in column])
        value = float(self._shown.input_grad[self.selected])
        if np.isnan(column).any() and not np.isnan(value):  # 0·inf, where the other weights are 0
            return f"{name} = {rule} = {terms}, one output at a time; all at once {number(value)}"
        return f"{name} = {rule} = {terms} = {number(value)}"

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message} Nothing else changed."
        if self.covered:
            return "The result is covered until you commit a guess."
        return f"{self.preset.input_name}.grad is {nested(self.input_grad)}."

    def state(self):
        """Everything the editor shows, as plain values."""
        return {
            "preset": self.preset.name,
            "formula": self.preset.formula,
            "input": self.input,
            "output": self.output,
            "upstream": self.upstream,
            "weighted_loss": self.weighted_loss,
            "input_grad": self.input_grad,
            "torch_grad": self.torch_grad,
            "nudge_grad": self.nudge_grad,
            "jacobian": self.jacobian,
            "selected": self.selected,
            "message": self.message,
            "refused_at": self.refused_at,
            "covered": self.covered,
        }

    def __repr__(self):
        return self.text()

    def text(self, answer=None):
        """The editor as text. answer: PyTorch's side, if not the live one."""
        preset = self.preset
        a, out = preset.input_name, preset.output_name
        width = max(len(a) + 5, len(out), 6) + 2
        rows = [
            wrapped("", f"Upstream editor, {preset.name}: {preset.formula}"),
            wrapped(f"{a:<{width}}", f"{nested(self.input)}  shape {shape(self.input_shape)}"),
            wrapped(f"{out:<{width}}", f"{nested(self.output)}  shape {shape(self.output_shape)}"),
            wrapped(f"{'v':<{width}}", f"{nested(self.upstream)}  the upstream gradient"),
            wrapped(f"{'L':<{width}}", self.loss_line().removeprefix("L = ")),
        ]
        if self.covered:
            rows.append(f"{a + '.grad':<{width}}covered until you commit a guess")
        else:
            answer = answer or self.torch_answer(wait=True)
            grad = f"{a + '.grad':<{width}}"
            rows.append(wrapped(f"{grad}minigrad  ", nested(self.input_grad)))
            blank = " " * width
            rows.append(wrapped(f"{blank}PyTorch   ", self._text_of("torch", answer)))
            rows.append(wrapped(f"{blank}nudging   ", self._text_of("nudge", None)))
            rows.append(wrapped("", self.sum_line()))
        if self.message:
            rows.append(wrapped("refused: ", self.message))
        return "\n".join(rows)

    # --- inside ----------------------------------------------------------------------------------

    def _text_of(self, which, answer):
        values = self.nudge_grad if which == "nudge" else answer.found
        if values is None:
            return self.nudge_note if which == "nudge" else answer.text
        agreed, difference = self.comparison(which, answer)
        sign = "=" if agreed else "\u2260"
        line = f"{nested(np.asarray(values).tolist())}  {sign}  {difference}"
        return line if which == "nudge" else answer.labelled(line, "  ")

    def _open_own(self, function, x):
        own = own_preset(function, x)
        self._open(own)
        self.own = own

    def _open(self, preset):
        point = point_at(preset, preset.x)
        weights = np.ones(point.y.shape) if preset.v is None else preset.v
        # Only now, when nothing can fail any more, replace what is shown.
        self._shown = _weigh(point, read_array(weights))
        self.selected = _most_telling(point)
        self._cover()

    def _question(self):
        preset = self.preset
        return PredictCard(
            f"{preset.formula}. What will {preset.input_name}.grad be after "
            f"{preset.output_name}.backward(v)?",
            lambda: self.input_grad,
            why="Each weight of v multiplies one output's derivatives; x.grad is their sum.",
        )

    def _edit(self, place, change):
        """A learner's change of x or v, where it may be changed."""
        what = place if isinstance(place, str) else place[0]
        if what == "upstream" and self.lock_upstream:
            return self._refuse(place, "v is locked in this editor.")
        if what == "input" and not self.edit_input:
            return self._refuse(place, f"{self.preset.input_name} is locked in this editor.")
        self._change(place, change)

    def _change(self, place, change):
        """Apply one change of x or v as a whole, or refuse it as a whole."""
        try:
            changed = change()
            point, v = self._shown.point, self._shown.v
            if "x" in changed:
                point = point_at(point.preset, changed["x"])
                if point.y.shape != v.shape:  # a new x made a new output shape
                    v = np.ones(point.y.shape)
            shown = _weigh(point, changed.get("v", v))
        except Refused as refusal:
            return self._refuse(place, str(refusal))
        except Exception as error:  # PyTorch's own words, or the learner's function's
            return self._refuse_error(place, error)
        if shown.point.x.shape != self._shown.point.x.shape:
            self.selected = _most_telling(shown.point)
        self._shown = shown

    def _ask_torch(self, torch):
        """x.grad by PyTorch."""
        point = self._shown.point
        try:
            leaf, y = forward(torch, point.preset, point.x)
            y.backward(torch.tensor(self._shown.v.tolist(), dtype=torch.float32), inputs=[leaf])
        except Exception as error:
            return could_not_run(error)
        if leaf.grad is None:
            return failed("PyTorch left the gradient None.")
        return live(torch, np.array(leaf.grad.tolist(), dtype=float).reshape(point.x.shape))


# --- small helpers -------------------------------------------------------------------------------


def _weigh(point, v):
    """Run f again and backward(v): what this v makes of it."""
    v = single(v)
    leaf, y = forward(engines.minigrad, point.preset, point.x)
    weights = tensor(v)
    y.backward(weights, inputs=[leaf])  # refuses every shape but the output's, in PyTorch's words
    loss = (y.detach() * weights).sum().item()
    grad = np.array(leaf.grad.tolist(), dtype=float).reshape(point.x.shape)
    return _Shown(point, v, loss, grad)


def _most_telling(point):
    """The input to explain first: the second where there is one, as its index is no accident."""
    every = indices(point.x.shape)
    return every[1] if len(every) > 1 else every[0]


def _random_weights(sizes):
    # The standard library's generator: the same numbers on every machine and in every version.
    source = random.Random(0)
    return np.array([round(source.uniform(-2, 2), 1) for _ in indices(sizes)]).reshape(sizes)
