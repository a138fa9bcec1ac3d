"""A predict card of a lesson, as data: it is opened by its name, `predict("03-a")`."""

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import minigrad


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

    def options(self, torch: ModuleType = minigrad) -> dict[str, Any]:
        """The arguments of a `PredictCard`; guesses are values, with the sentence to each."""
        wrong = [(_value(guess, torch), line) for guess, line in self.misconceptions.items()]
        return {
            "question": self.question,
            "answer": _value(self.answer, torch),
            "misconceptions": wrong,
            "why": self.why,
            "choices": self.choices,
        }


def _value(given, torch):
    """What was given, or what a function of the engine gives: a tensor as lists, or as a number."""
    value = given(torch) if callable(given) else given
    return value.detach().tolist() if hasattr(value, "detach") else value
