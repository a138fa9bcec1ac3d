"""The shape gate: which gradient `backward(gradient)` lets through for an output of which shape.

Each answer is that of a real call, `y = 2 * x; y.backward(gradient)` with weights 1, 2, 3, ...
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import cache, partial
from operator import attrgetter

import numpy as np

from ...compare import engines
from ...show.formatting import nested, shape, wrapped
from ...show.typed_numbers import Refused
from ..shared.model import action, at, one_of, shown, truth
from ..shared.old_rule import adapted
from ..shared.torch_answer import AsksTorch, Question

SHAPES = ((), (1,), (1, 1), (3,), (1, 3), (2, 2), (2, 3), (2, 4), (6,), (10,), (1, 10))
NO_ARGUMENT = "no argument"
GRADIENTS = (*SHAPES, NO_ARGUMENT)
GUESSES = ("accept", "refuse")

Pair = namedtuple("Pair", "output gradient")


@dataclass(frozen=True)
class Answer:
    """What one engine did. message: its refusal, None if it accepted; grad: x.grad, as lists."""

    message: str | None
    grad: list | float | None = None
    text: str = ""  # what the old rule did

    @property
    def accepted(self):
        return self.message is None

    @classmethod
    def of(cls, result):
        """An engine's x.grad, or the text of its refusal."""
        return cls(result) if isinstance(result, str) else cls(None, result.tolist())

    @property
    def told(self):
        """The answer on one line."""
        if self.accepted:
            return f"accepted, x.grad = {nested(self.grad)}"
        return f"refused: {self.message}"


class ShapeGate(AsksTorch):
    """Guess which gradient shapes `backward` lets through, and read PyTorch's own words.

    output, gradient: the shapes to begin with, each one of SHAPES; gradient may be "no argument".

    A pair stays covered until a guess was made for it, or it was asked to be shown; then it is open
    for good, and so is its cell in the grid of all pairs.
    """

    shows = "output gradient guess revealed right grid asked right_guesses message refused_at lines"

    def __init__(self, output=(1,), gradient=()):
        super().__init__()
        self._shown = Pair(_known(output, SHAPES), _known(gradient, GRADIENTS))
        self.guesses = {}  # {(output, gradient): "accept" or "refuse"}, the first for each pair
        self.opened = frozenset()  # pairs that were shown without a guess
        self.grid = False  # whether all pairs are laid open

    @action
    def choose_output(self, sizes):
        """Choose the output's shape."""
        self._shown = Pair(_known(sizes, SHAPES), self.gradient)

    @action
    def choose_gradient(self, sizes):
        """Choose the gradient's shape, or "no argument"."""
        self._shown = Pair(self.output, _known(sizes, GRADIENTS))

    @action
    def commit(self, guess):
        """Guess "accept" or "refuse"; the answer is revealed. One guess a pair counts."""
        with at("guess"):
            guess = one_of(str(guess).strip().lower(), GUESSES, "guess")
            if self.revealed:
                raise Refused("This pair is open already. Choose other shapes and guess again.")
        self.guesses = {**self.guesses, self.pair: guess}

    @action
    def show(self):
        """Reveal without a guess: always allowed."""
        if not self.revealed:
            self.opened = self.opened | {self.pair}

    @action
    def show_grid(self, visible=True):
        """Lay all pairs open, or cover those again that were neither guessed nor shown."""
        self.grid = truth(visible)

    pair = property(attrgetter("_shown"))
    output = shown("output")  # their shapes
    gradient = shown("gradient")

    @property
    def guess(self):
        """The guess for this pair, or None."""
        return self.guesses.get(self.pair)

    @property
    def revealed(self):
        return self.is_open(self.pair)

    def is_open(self, pair):
        """Whether a pair's answer may be seen."""
        return self.grid or pair in self.guesses or pair in self.opened

    @property
    def right(self):
        """Whether the guess for this pair was right; None without one."""
        return self.was_right(self.pair)

    def was_right(self, pair):
        """Whether the guess for a pair was right; None without one."""
        guess = self.guesses.get(pair)
        return None if guess is None else (guess == "accept") == minigrad_answer(*pair).accepted

    @property
    def asked(self):
        """How many guesses were made."""
        return len(self.guesses)

    @property
    def right_guesses(self):
        return sum(map(self.was_right, self.guesses))

    @property
    def program(self):
        """What is asked about, as a learner would write it."""
        call = "y.backward()"
        if self.gradient != NO_ARGUMENT:
            values = nested(weights(self.gradient).tolist(), lambda value: f"{value:.0f}.")
            call = f"y.backward(torch.tensor({values}))"
        return [f"x = torch.ones({shape(self.output)}, requires_grad=True)", "y = 2 * x", call]

    def answer(self):
        """minigrad's `Answer` for the chosen pair."""
        return minigrad_answer(*self.pair)

    def old_answer(self):
        """The answer by the rule before the check of 2019: made to fit, if it can be."""
        if self.gradient == NO_ARGUMENT:
            return self.answer()
        used, text = adapted(weights(self.gradient), self.output)
        if used is None:
            return Answer("", None, text)
        return Answer(None, pull_back(engines.minigrad, self.output, used).tolist(), text)

    def question(self):
        """The chosen pair's call, as a `Question`; all of an output's pairs are recorded as one."""
        name = _name(self.gradient)
        program = partial(_answers, self.output, [self.gradient])
        return Question(program, _key(self.output), lambda values: {name: values[name]})

    def torch_said(self, answer):
        """The `Answer` in a `TorchAnswer`; None if PyTorch gave none."""
        return answer.found and Answer.of(answer.found[_name(self.gradient)])

    def agrees(self, answer=None):
        """Whether minigrad and PyTorch do the same here, message and numbers."""
        return self.torch_said(answer or self.torch_answer(wait=True)) == self.answer()

    def table(self):
        """{(output, gradient): whether minigrad accepts it, None while it is covered}."""
        pairs = [(output, gradient) for gradient in GRADIENTS for output in SHAPES]
        return {one: minigrad_answer(*one).accepted if self.is_open(one) else None for one in pairs}

    def reason(self):
        """Why, in one sentence; for the chosen pair."""
        outputs = int(np.prod(self.output))
        if self.gradient == NO_ARGUMENT:
            if outputs == 1:
                return "One output: its gradient can only be meant as 1, so backward() fills it in."
            return f"{outputs} outputs need {outputs} entries, and backward() does not guess them."
        if self.output == self.gradient:
            return "One entry for each output, in the same shape."
        same = outputs == np.prod(self.gradient)
        start = "The number of entries would fit, but the" if same else "The"
        return (
            f"{start} gradient needs the output's shape, {shape(self.output)}, exactly: "
            "nothing is broadcast, added up or reshaped."
        )

    def lines(self, answer=None):
        """What is revealed, as (label, text) pairs; empty while the pair is covered.

        answer: PyTorch's side, if not the live one.
        """
        if not self.revealed:
            return []
        answer = answer or self.torch_answer(wait=True)
        theirs, old, line = self.torch_said(answer), self.old_answer(), answer.text
        if theirs is not None:
            sign = "=" if self.agrees(answer) else "\u2260"
            line = answer.labelled(f"{sign} {theirs.told}")
        lines = [
            ("minigrad", self.answer().told),
            ("PyTorch", line),
            ("before 2019", f"{old.told}. {old.text}" if old.accepted else old.text),
            ("why", self.reason()),
        ]
        if self.guess is not None:
            judged = "right" if self.right else "not so"
            lines.insert(0, ("your guess", f"{self.guess}: {judged}"))
        return lines

    def score(self):
        """The guesses so far, as a sentence."""
        right = f"{self.right_guesses} of {self.asked} guesses right."
        return right if self.asked else "No guess yet."

    def asks_about(self):
        """The question about the chosen pair."""
        bare = self.gradient == NO_ARGUMENT
        what = "no gradient" if bare else f"a gradient {shape(self.gradient)}"
        return f"Output {shape(self.output)}, {what}: accepted or refused?"

    def _told(self):
        if not self.revealed:
            return f"{self.asks_about()} The answer is covered until you guess."
        guess = {None: "", True: "Right. ", False: "Not so. "}[self.right]
        return f"{guess}PyTorch: {self.answer().told}"

    def summary(self):
        answer = "accepted" if self.answer().accepted else "refused"
        return (
            f"Shape gate: output {shape(self.output)}, gradient {_name(self.gradient)}: "
            f"{answer if self.revealed else 'covered'}"
        )

    def text(self, answer=None):
        text = ["Shape gate", wrapped("  question    ", self.asks_about())]
        labels = ("  program     ", " " * 14, " " * 14)
        text += [wrapped(label, line) for label, line in zip(labels, self.program)]
        if not self.revealed:
            text.append("  (guess accept or refuse, or press show me)")
        text += [wrapped(f"  {label:<12}", line) for label, line in self.lines(answer)]
        if self.asked:
            text.append(f"  so far      {self.score()}")
        if self.grid:
            text += self._grid_lines()
        return self._joined(text, "  refused     ")

    def _grid_lines(self):
        table = self.table()
        lines = [
            "  rows: the gradient's shape; columns: the output's shape; yes: accepted, -: refused",
            " " * 13 + "".join(short_name(output).rjust(7) for output in SHAPES),
        ]
        for gradient in GRADIENTS:
            marks = ("yes" if table[output, gradient] else "-" for output in SHAPES)
            lines.append(f"  {short_name(gradient):<11}" + "".join(mark.rjust(7) for mark in marks))
        return lines


def pull_back(torch, output, *gradient):
    """x.grad of one engine after y = 2 * x, y.backward(*gradient), with ones for x."""
    x = torch.ones(output, requires_grad=True)
    (2 * x).backward(*(torch.tensor(one.tolist(), dtype=torch.float32) for one in gradient))
    return x.grad


def attempt(torch, output, gradient):
    """One engine's answer to a pair: x.grad, or the text of its refusal."""
    given = () if gradient == NO_ARGUMENT else (weights(gradient),)
    try:
        return pull_back(torch, output, *given)
    except RuntimeError as refusal:
        return str(refusal)


@cache
def minigrad_answer(output, gradient):
    """minigrad's `Answer` for a pair."""
    return Answer.of(attempt(engines.minigrad, output, gradient))


def weights(sizes):
    """1, 2, 3, ... in a shape: weights that can be told apart."""
    return np.arange(1.0, 1.0 + np.prod(sizes)).reshape(sizes)


def programs_to_record():
    return {_key(output): partial(_answers, output, GRADIENTS) for output in SHAPES}


def short_name(sizes):
    """A shape without its spaces, or "no argument"."""
    return sizes if sizes == NO_ARGUMENT else shape(sizes).replace(" ", "")


def _answers(output, gradients, torch):
    return {_name(gradient): attempt(torch, output, gradient) for gradient in gradients}


def _key(output):
    return f"ShapeGate {shape(output)}"


def _name(gradient):
    return gradient if gradient == NO_ARGUMENT else shape(gradient)


def _known(sizes, among):
    """A shape given as a tuple, a list, a torch.Size or text: one of the gate's."""
    names = {short_name(one).replace(" ", ""): one for one in among}
    try:
        sizes = (sizes,) if isinstance(sizes, int) else sizes
        return names[(sizes if isinstance(sizes, str) else shape(sizes)).replace(" ", "")]
    except (TypeError, ValueError, KeyError):
        known = ", ".join(map(_name, among))
        raise Refused(f"The gate has no shape {sizes!r:.40}. It has {known}.", "shape") from None
