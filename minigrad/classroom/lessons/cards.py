"""A predict card of a lesson, as data: it is opened by its name, `predict("03-a")`."""

from dataclasses import dataclass, field
from typing import Any

import minigrad

from ..formatting import nested


@dataclass(frozen=True)
class Card:
    """A question, its answer, and what to say to a known wrong guess.

    question: one sentence, or a few.
    answer: a number, lists, True or False, one of the choices; or a function of the engine that
        computes it: `lambda torch: ...`. A tensor without dimensions is a number.
    misconceptions: {wrong guess: sentence}; a guess is a number, a choice, lists written as text,
        or a function of the engine that makes exactly this mistake.
    why: what is said with the answer. choices: the texts to choose from.
    """

    question: str
    answer: Any
    misconceptions: dict = field(default_factory=dict)
    why: str = ""
    choices: list | None = None

    def options(self, torch=minigrad):
        """The arguments of a `PredictCard`."""
        wrong = {_text(_run(guess, torch)): line for guess, line in self.misconceptions.items()}
        return {
            "question": self.question,
            "answer": _plain(_run(self.answer, torch)),
            "misconceptions": wrong,
            "why": self.why,
            "choices": self.choices,
        }


def _run(value, torch):
    return value(torch) if callable(value) else value


def _plain(value):
    """A tensor as lists, or as a number."""
    return value.detach().tolist() if hasattr(value, "detach") else value


def _text(guess):
    guess = _plain(guess)
    return guess if isinstance(guess, str) else nested(guess, repr)
