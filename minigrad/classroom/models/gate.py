"""The shape gate: which gradient `backward(gradient)` lets through for an output of which shape.

Only a gradient of exactly the output's shape passes. Each answer is that of a real call,
`y = 2 * x; y.backward(gradient)` with weights 1, 2, 3, ..., on minigrad, beside PyTorch's own.

The third answer is what older versions did before PyTorch checked shapes (2019): they broadcast a
small gradient over the outputs, or added a large one up until it fitted, without a word. That rule
is acted out here, on purpose; x.grad for it then comes from the engine as usual.
"""

from dataclasses import dataclass

import numpy as np

from .. import engines, recorded
from ..formatting import nested, shape, wrapped
from ..typed_numbers import Refused
from .base import Model, action, truth
from .old_rule import adapted
from .point import tensor
from .torch_answer import ask, live, missing, stored

SHAPES = ((), (1,), (1, 1), (3,), (1, 3), (2, 2), (10,), (1, 10))
NO_ARGUMENT = "no argument"
GUESSES = ("accept", "refuse")


@dataclass(frozen=True)
class Answer:
    """What one engine did. message: its refusal, None if it accepted; grad: x.grad, as lists."""

    message: str | None
    grad: list | float | None = None
    text: str = ""  # what the old rule did

    @property
    def accepted(self):
        return self.message is None


class ShapeGate(Model):
    """The model of the shape gate.

    output, gradient: the shapes to begin with, each one of SHAPES; gradient may be "no argument".
    """

    def __init__(self, output=(1,), gradient=()):
        super().__init__()
        self.output = _known(output, SHAPES)
        self.gradient = _known(gradient, (*SHAPES, NO_ARGUMENT))
        self.guess = None
        self.shown = False  # revealed without a guess
        self.grid = False  # whether all pairs are laid open
        self.asked = self.right_guesses = 0

    # --- what a learner does ---------------------------------------------------------------------

    @action
    def choose_output(self, sizes):
        """Choose the output's shape; the answer is covered again."""
        self._choose(sizes, self.gradient)

    @action
    def choose_gradient(self, sizes):
        """Choose the gradient's shape, or "no argument"; the answer is covered again."""
        self._choose(self.output, sizes)

    @action
    def commit(self, guess):
        """Guess "accept" or "refuse"; the answer is revealed. One guess a pair counts."""
        guess = str(guess).strip().lower()
        with self._at("guess"):
            if guess not in GUESSES:
                raise Refused(f"Guess one of: {', '.join(GUESSES)}.")
            if self.revealed:
                raise Refused("This pair is open already. Choose other shapes and guess again.")
        self.guess = guess
        self.asked += 1
        self.right_guesses += self.right

    @action
    def show(self):
        """Reveal without a guess: always allowed."""
        self.shown = True

    @action
    def show_grid(self, visible=True):
        """Lay all pairs open, or cover them again."""
        self.grid = truth(visible)

    @action
    def turn_grid(self):
        """Lay all pairs open if they are covered, else cover them."""
        self.grid = not self.grid

    # --- what it shows ---------------------------------------------------------------------------

    @property
    def revealed(self):
        return self.guess is not None or self.shown

    @property
    def right(self):
        """Whether the guess was right; None without one."""
        if self.guess is None:
            return None
        return (self.guess == "accept") == self.answer().accepted

    @property
    def program(self):
        """What is asked about, as a learner would write it."""
        lines = [f"x = torch.ones({shape(self.output)}, requires_grad=True)", "y = 2 * x"]
        if self.gradient == NO_ARGUMENT:
            return [*lines, "y.backward()"]
        values = nested(weights(self.gradient).tolist(), lambda value: f"{value:.0f}.")
        return [*lines, f"y.backward(torch.tensor({values}))"]

    def answer(self, output=None, gradient=None):
        """minigrad's answer, for the chosen pair or another."""
        return attempt(engines.minigrad, *self._pair(output, gradient))

    def torch_answer(self, wait=False):
        """PyTorch's `Answer` for the chosen pair, a `TorchAnswer`; wait=False never imports torch."""
        return ask(
            lambda torch: live(torch, attempt(torch, self.output, self.gradient)),
            self.stored_answer,
            wait,
        )

    def stored_answer(self):
        """PyTorch's answer from the record alone, which holds every pair."""
        found, version = recorded.old_answer("gate", key(self.output, self.gradient))
        if found is None:
            return missing("for this pair")
        return stored(version, Answer(**found))

    def old_answer(self):
        """What the rule before the 2019 check made of the chosen pair."""
        return before_the_check(self.output, self.gradient)

    def agrees(self, answer=None):
        """Whether minigrad and PyTorch do the same here, message and numbers."""
        return (answer or self.torch_answer(wait=True)).found == self.answer()

    def table(self):
        """Whether minigrad accepts, [gradient][output] over SHAPES; the last row is no argument."""
        return [
            [_accepts(output, gradient) for output in SHAPES] for gradient in (*SHAPES, NO_ARGUMENT)
        ]

    def reason(self):
        """Why, in one sentence; for the chosen pair."""
        if self.gradient == NO_ARGUMENT:
            if self.answer().accepted:
                return "One output: its weight can only be meant as 1, so backward() fills it in."
            count = _count(self.output)
            return f"{count} outputs need {count} weights, and backward() does not guess them."
        if self.output == self.gradient:
            return "One weight for each output, in the same shape."
        same = _count(self.output) == _count(self.gradient)
        number = "The number of weights would fit, but the" if same else "The"
        return (
            f"{number} gradient needs the output's shape, {shape(self.output)}, exactly: "
            "nothing is broadcast, added up or reshaped."
        )

    def lines(self, theirs=None):
        """What is revealed, as (label, text) pairs; empty while the pair is covered.

        theirs: PyTorch's answer, if not the live one.
        """
        if not self.revealed:
            return []
        lines = []
        if self.guess is not None:
            lines.append(("your guess", f"{self.guess}: {'right' if self.right else 'not so'}"))
        mine, old = self.answer(), self.old_answer()
        theirs = theirs or self.torch_answer(wait=True)
        lines.append(("minigrad", _told(mine)))
        if theirs.found is None:
            lines.append(("PyTorch", theirs.text))
        else:
            sign = "=" if self.agrees(theirs) else "\u2260"
            lines.append(("PyTorch", theirs.labelled(f"{sign} {_told(theirs.found)}")))
        lines.append(("before 2019", f"{_told(old)}. {old.text}" if old.accepted else old.text))
        lines.append(("why", self.reason()))
        return lines

    def score(self):
        """The guesses so far, as a sentence."""
        if not self.asked:
            return "No guess yet."
        return f"{self.right_guesses} of {self.asked} guesses right."

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return self.message
        if not self.revealed:
            return f"{self.question()} The answer is covered until you guess."
        verdict = "accepted" if self.answer().accepted else f"refused: {self.answer().message}"
        guess = "" if self.guess is None else ("Right. " if self.right else "Not so. ")
        return f"{guess}PyTorch: {verdict}"

    def question(self):
        bare = self.gradient == NO_ARGUMENT
        what = "no gradient" if bare else f"a gradient {shape(self.gradient)}"
        return f"Output {shape(self.output)}, {what}: accepted or refused?"

    def state(self):
        """Everything the gate shows, as plain values."""
        return {
            "output": self.output,
            "gradient": self.gradient,
            "guess": self.guess,
            "revealed": self.revealed,
            "right": self.right,
            "grid": self.grid,
            "asked": self.asked,
            "right_guesses": self.right_guesses,
            "message": self.message,
            "lines": self.lines(),
        }

    def __repr__(self):
        return self.text()

    def text(self, theirs=None):
        """The gate as text. theirs: PyTorch's answer, if not the live one."""
        text = ["Shape gate", wrapped("  question    ", self.question())]
        labels = ("  program     ", " " * 14, " " * 14)
        text += [wrapped(label, line) for label, line in zip(labels, self.program)]
        if not self.revealed:
            text.append("  (guess accept or refuse, or press show me)")
        text += [wrapped(f"  {label:<12}", line) for label, line in self.lines(theirs)]
        if self.asked:
            text.append(wrapped("  so far      ", self.score()))
        if self.grid:
            text += self._grid_lines()
        if self.message:
            text.append(wrapped("  refused     ", self.message))
        return "\n".join(text)

    def _grid_lines(self):
        lines = [
            "  rows: the gradient's shape; columns: the output's shape; yes: accepted, -: refused",
            "  " + " " * 11 + "".join(shape(sizes).rjust(9) for sizes in SHAPES),
        ]
        for gradient, row in zip((*SHAPES, NO_ARGUMENT), self.table()):
            name = gradient if gradient == NO_ARGUMENT else shape(gradient)
            marks = "".join(("yes" if accepted else "-").rjust(9) for accepted in row)
            lines.append("  " + name.ljust(11) + marks)
        return lines

    # --- inside ----------------------------------------------------------------------------------

    def _choose(self, output, gradient):
        with self._at("shape"):
            output = _known(output, SHAPES)
            gradient = _known(gradient, (*SHAPES, NO_ARGUMENT))
        if (output, gradient) != (self.output, self.gradient):
            self.guess, self.shown = None, False
        self.output, self.gradient = output, gradient

    def _pair(self, output, gradient):
        if output is None:
            return self.output, self.gradient
        return _known(output, SHAPES), _known(gradient, (*SHAPES, NO_ARGUMENT))


# --- the calls -----------------------------------------------------------------------------------


def attempt(torch, output, gradient):
    """One engine's answer to y = 2 * x, y.backward(gradient), with ones for x."""
    x = torch.ones(output, requires_grad=True)
    y = 2 * x
    try:
        if gradient == NO_ARGUMENT:
            y.backward()
        else:
            y.backward(torch.tensor(weights(gradient).tolist(), dtype=torch.float32))
    except RuntimeError as refusal:
        return Answer(str(refusal))
    return Answer(None, x.grad.tolist())


def weights(sizes):
    """1, 2, 3, ... in a shape: weights that can be told apart."""
    return np.arange(1.0, 1.0 + _count(sizes)).reshape(sizes)


def before_the_check(output, gradient):
    """The answer by the rule of older versions: broadcast what is small, add up what is large."""
    if gradient == NO_ARGUMENT:
        return attempt(engines.minigrad, output, gradient)
    used, text = adapted(weights(gradient), output)
    if used is None:
        return Answer("", None, text)
    x = engines.minigrad.ones(output, requires_grad=True)
    (2 * x).backward(tensor(np.array(used)))
    return Answer(None, x.grad.tolist(), text)


def key(output, gradient):
    """The name of a pair in the record."""
    return f"{shape(output)} <- {gradient if gradient == NO_ARGUMENT else shape(gradient)}"


def _accepts(output, gradient):
    return attempt(engines.minigrad, output, gradient).accepted


def _told(answer):
    if answer.accepted:
        return f"accepted, x.grad = {nested(answer.grad)}"
    return f"refused: {answer.message}"


def _count(sizes):
    return int(np.prod(sizes, dtype=int))


def _known(sizes, among):
    """A shape given as a tuple, a list, a torch.Size or text: one of the gate's."""
    names = {(one if one == NO_ARGUMENT else shape(one)).replace(" ", ""): one for one in among}
    if isinstance(sizes, str):
        given = names.get(sizes.replace(" ", ""))
    else:
        try:
            given = tuple(int(size) for size in ((sizes,) if isinstance(sizes, int) else sizes))
        except (TypeError, ValueError):
            given = None
    if given in among:
        return given
    known = ", ".join(one if one == NO_ARGUMENT else shape(one) for one in among)
    raise Refused(f"The gate has no shape {sizes!r:.40}. It has {known}.")
