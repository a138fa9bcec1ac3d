"""The predict card: a question, a committed guess, then the answer beside it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...compare.agreement import AS_PRINTED, FLOAT32, agree, largest_difference
from ...compare.results import record, value_of
from ...show.formatting import nested, number, shape, wrapped
from ...show.typed_numbers import Refused, read_array, read_number
from ..shared.model import Model, action, at


class PredictCard(Model):
    """One question with one answer.

    question: the text, one sentence.
    answer: what a run gives: a number, lists or a tensor, or one of `choices`; also a function
        without arguments that returns it, asked only when the card is revealed. `kind` says
        which: "number", "array" or "choice".
    why: one sentence, shown with the answer.
    misconceptions: {wrong guess: the line to show for it}, where lists are written as text,
        {"[[2, 4, 6], [8, 10, 12]]": "That is 2a: ..."}; or such pairs, (guess, line), with lists
        as they are; or a function that returns either.
    noted: a function that is told the committed guess, as text, and whether it is right.
    """

    shows = "question kind choices guess revealed right message lines"

    def __init__(
        self,
        question: str,
        answer: Any,
        *,
        choices: Sequence[object] | None = None,
        why: str = "",
        misconceptions: Any = None,
        noted: Callable[[str, bool], None] | None = None,
    ) -> None:
        super().__init__()
        self.question, self.why, self._noted = str(question), why, noted
        self._answer, self._known = answer, misconceptions or {}  # or functions that return them
        if choices is None and isinstance(answer, bool):
            choices = (True, False)
        self.choices: Any = None if choices is None else [str(choice) for choice in choices]
        is_number = isinstance(answer, (int, float, np.integer, np.floating))
        self.kind = "choice" if self.choices else "number" if is_number else "array"
        if self.choices and not callable(answer) and str(answer) not in self.choices:
            raise ValueError(f"the answer {answer!r} is not among the choices {self.choices}")
        if not callable(self._known):
            self._wrong_guesses()  # one that cannot be read is told now
        self.guess: Any = None
        self.skipped = False  # revealed without a guess

    def _wrong_guesses(self):
        known = _now(self._known)
        pairs = known.items() if isinstance(known, dict) else known
        return [(self._read(wrong), line) for wrong, line in pairs]

    def _read(self, guess):
        if self.kind == "choice":
            return read_choice(guess, self.choices)
        return read_number(guess) if self.kind == "number" else read_array(guess).tolist()

    @action
    def commit(self, guess: Any) -> None:
        """Commit a guess (a value, or text as typed) and reveal.

        What cannot be read is refused: `message` says why, and nothing is revealed. The first
        guess stays: what was seen cannot be guessed any more.
        """
        if self.revealed:
            raise Refused("The answer is shown; the first guess stays.", "guess")
        with at("guess"):
            self.guess = self._read(guess)
        if self._noted is not None:
            self._noted(written(self.guess), bool(self.right))

    @action
    def show(self) -> None:
        """Reveal without a guess."""
        self.skipped = not self.committed

    committed = property(lambda self: self.guess is not None)
    revealed = property(lambda self: self.committed or self.skipped)

    @property
    def answer(self) -> Any:
        """The answer, as a number, nested lists or a choice. Asking does not reveal the card."""
        answer = _now(self._answer)
        if self.kind == "choice":
            return str(answer)
        return np.array(value_of(record(answer)), dtype=float).tolist()

    @property
    def right(self) -> bool | None:
        """True or False once a guess is committed; None before."""
        return same(self.guess, self.answer, AS_PRINTED) if self.committed else None

    @property
    def difference(self) -> float | None:
        """The largest difference of guess and answer; None without one, or of another shape."""
        comparable = self.committed and self.kind != "choice"
        if not comparable or np.shape(self.guess) != np.shape(self.answer):
            return None
        return largest_difference(self.guess, self.answer)

    @property
    def misconception(self) -> str | None:
        """The line for a known wrong way to the committed guess, or None."""
        if not self.committed or self.right:
            return None
        known = self._wrong_guesses()
        return next((line for wrong, line in known if same(self.guess, wrong, AS_PRINTED)), None)

    def lines(self) -> list[tuple[str, str]]:
        """What is revealed, as (label, text) pairs; empty while the card is covered."""
        if not self.revealed:
            return []
        lines = [("your guess", written(self.guess))] if self.committed else []
        lines.append(("the answer", written(self.answer)))
        if self.right:
            lines.append(("difference", "none: you predicted it"))
        elif self.difference is not None:
            lines.append(("difference", f"at most {number(self.difference)} in one number"))
        elif self.committed and self.kind != "choice":
            guessed, true = shape(np.shape(self.guess)), shape(np.shape(self.answer))
            lines.append(("difference", f"the shape: yours {guessed}, the answer's {true}"))
        reply = (("likely", self.misconception), ("why", self.why))
        return lines + [(label, text) for label, text in reply if text]

    def text(self, answer: Any = None) -> str:
        text = [wrapped("Predict: ", self.question)]
        if self.kind == "choice":
            text.append(wrapped("  choices     ", " | ".join(self.choices)))
        if not self.revealed:
            text.append("  (commit a guess, or press show me)")
        text += [wrapped(f"  {label:<12}", line) for label, line in self.lines()]
        return self._joined(text, "  not read    ")

    def _told(self):
        return "; ".join(f"{label}: {text}" for label, text in self.lines())

    def summary(self) -> str:
        return self.text()


def _now(value):
    return value() if callable(value) else value


def read_choice(guess, choices):
    """The one of `choices`, texts, that was typed or given; else `Refused`."""
    for choice in choices:
        if str(guess).strip().lower() == choice.lower():
            return choice
    raise Refused(f"Choose one of: {', '.join(choices)}.")


def same(one, other, tolerance=FLOAT32):
    """Whether two entries are equal: texts and None exactly, numbers up to rounding."""
    numbers = isinstance(one, (float, list)) and isinstance(other, (float, list))
    return agree(one, other, tolerance) if numbers else one == other


def written(value):
    """A guess or an answer on one line: numbers, a choice, or None."""
    return nested(value) if isinstance(value, (float, list)) else str(value)
