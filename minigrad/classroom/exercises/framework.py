"""What all exercises share: verdicts, and comparing a learner's answer with the true one.

A verdict names the first thing that is wrong in a fixed order: the kind of the answer, its shape,
the first wrong element (yours, true), then the misconception that makes exactly this mistake.
"""

import html
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

import minigrad

from ..agreement import ROUNDING, agree
from ..formatting import brackets, indices, number, shape, wrapped
from ..heard import caught_printing
from ..typed_numbers import Refused, read_array

TOLERANCE = (1e-4, ROUNDING["float32"][1])  # an answer typed to five digits is right
FLOATING = ("float16", "bfloat16", "float32", "float64")


class Verdict:
    """What a check found. passed: whether the answer is right; lines: sentences."""

    def __init__(self, passed, lines):
        self.passed = bool(passed)
        self.lines = list(lines)

    def __bool__(self):
        return self.passed

    def __repr__(self):
        first = "Right. " if self.passed else "Not yet. "
        return "\n".join(
            wrapped(first if k == 0 else " " * len(first), line)
            for k, line in enumerate(self.lines or [""])
        )

    def _repr_html_(self):
        first = "Right." if self.passed else "Not yet."
        mark = "\u2713" if self.passed else "\u2717"
        lines = "<br>".join(html.escape(line) for line in self.lines)
        return (
            f'<div role="status"><strong><span aria-hidden="true">{mark}</span> {first}</strong> '
            f"{lines}</div>"
        )


class Text:
    """A hint or a solution, shown as it is."""

    def __init__(self, text, code=False):
        self.text = text
        self.code = code

    def __repr__(self):
        return self.text if self.code else wrapped("", self.text)

    def __str__(self):
        return repr(self)

    def _repr_html_(self):
        text = html.escape(self.text)
        return f"<pre><code>{text}</code></pre>" if self.code else f"<p>{text}</p>"


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that a check must reject, and words that its verdict must contain."""

    label: str
    answer: Any
    says: str


@dataclass(frozen=True)
class Exercise:
    """One exercise. check(answer) returns a list of sentences: empty when the answer is right."""

    name: str
    check: Callable
    praise: str  # one sentence shown with "Right."
    hints: tuple
    solution: str  # code that defines `answer_name`
    answer_name: str
    wrong: tuple = field(default=())

    def verdict(self, answer):
        if answer is None or answer is Ellipsis:
            return Verdict(False, [f"There is no answer yet: {self.answer_name} is {answer!r}."])
        with minigrad.enable_grad():  # whatever the learner has turned off
            lines = self.check(answer)
        return Verdict(False, lines) if lines else Verdict(True, [self.praise])


def read_values(answer, name):
    """(array, []) for an answer made of numbers, or (None, sentences) that say what to give."""
    return _read(name, read_array, answer)


def read_tensor(tensor, name):
    """(array, []) of a tensor's numbers, nan and inf included, or (None, sentences)."""
    return _read(name, values_of, tensor)


def _read(name, read, answer):
    try:
        return read(answer), []
    except Refused as refusal:
        return None, [f"{name} cannot be read. {refusal}"]
    except Exception as error:  # an object of the learner's own that fails when looked at
        return None, [f"{name} cannot be read: {type(error).__name__}: {error}"]


def first_difference(name, yours, true, likely=()):
    """Sentences for the first difference of two arrays; empty if they are equal.

    First the shape is told, then the element, then the likely reason. likely: (wrong values,
    sentence) pairs; the first that equals `yours` is added.
    """
    if yours.shape != true.shape:
        lines = [f"{name} has shape {shape(yours.shape)}; it should be {shape(true.shape)}."]
    elif agree(yours, true, TOLERANCE):
        return []
    else:
        index = next(
            index
            for index in indices(true.shape)
            if not agree([yours[index], *true.ravel()], [true[index], *true.ravel()], TOLERANCE)
        )
        lines = [
            f"{name}{brackets(index)} is {number(yours[index])}; it should be "
            f"{number(true[index])}."
        ]
    for wrong, sentence in likely:
        wrong = np.asarray(wrong, dtype=float)
        if wrong.shape == yours.shape and agree(yours, wrong, TOLERANCE):
            return lines + [sentence]
    return lines


def call(function, *arguments):
    """(result, None) of a learner's function, or (None, what it raised).

    Prints are dropped, and what the function turns off (`set_grad_enabled`) is on again afterwards.
    """
    try:
        with caught_printing(), minigrad.enable_grad():
            return function(*arguments), None
    except (Exception, SystemExit) as error:
        text = str(error)
        return None, f"{type(error).__name__}: {text}" if text else type(error).__name__


def is_tensor(value):
    """Whether a value is a tensor, minigrad's or PyTorch's; the class itself is none."""
    try:
        names = ("detach", "backward", "dtype")
        return not isinstance(value, type) and all(hasattr(value, name) for name in names)
    except Exception:  # an object of the learner's own that fails when looked at
        return False


def is_floating(tensor):
    """Whether a tensor, minigrad's or PyTorch's, holds floating-point numbers."""
    return str(tensor.dtype).split(".")[-1] in FLOATING


def values_of(tensor):
    """A tensor's numbers as a float64 array, nan and inf included."""
    return np.array(tensor.detach().tolist(), dtype=float).reshape(tuple(tensor.shape))
