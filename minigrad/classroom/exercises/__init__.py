"""Exercises: check an answer, ask for hints one by one, read the solution.

    check("03-1", v)        what is right, or the first thing that is wrong and why
    hint("03-1"), hint("03-1", 2)
    solution("03-1")

The exercises of notebook NN are in `nbNN.py`, each with the wrong answers that its check must
reject; a test feeds them to it. Nothing is hidden: read them if you like.
"""

import importlib
import re

from ..typed_numbers import Refused, read_number
from .framework import Exercise, Text, Verdict

__all__ = ["check", "exercise", "hint", "solution", "Exercise", "Verdict"]


def check(name, *answer):
    """Check an answer to the exercise `name`, "03-1": a `Verdict`. No answer makes it raise."""
    found, problem = _find(name)
    if problem:
        return Verdict(False, [problem])
    if len(answer) != 1:
        return Verdict(False, [f'Give your answer too: check("{found.name}", answer).'])
    return found.verdict(answer[0])


def hint(name, number=1):
    """Hint `number` of the exercise, counted from 1; each says more than the one before."""
    found, problem = _find(name)
    if problem:
        return Text(problem)
    try:
        wanted = read_number(number)
    except Refused:
        wanted = None
    count = len(found.hints)
    if wanted not in range(1, count + 1):
        return Text(f"{found.name} has hints 1 to {count}; there is no hint {number}.")
    wanted = int(wanted)
    more = f"  ({count - wanted} more)" if wanted < count else ""
    return Text(f"Hint {wanted}: {found.hints[wanted - 1]}{more}")


def solution(name):
    """One solution of the exercise, as code to read and run."""
    found, problem = _find(name)
    return Text(problem) if problem else Text(found.solution, code=True)


def exercise(name):
    """The exercise called `name`, or KeyError."""
    found, problem = _find(name)
    if problem:
        raise KeyError(problem)
    return found


def _find(name):
    """(exercise, None), or (None, the sentence that says which names there are)."""
    match = re.fullmatch(r"\s*([0-9]{1,2})[-\u2013]([0-9]{1,3})\s*", str(name))
    if match is None:
        return None, f'Exercises are called like "03-1": notebook, then number; not {name!r}.'
    notebook, number = (int(part) for part in match.groups())
    try:
        module = importlib.import_module(f".nb{notebook:02}", __name__)
    except ModuleNotFoundError:
        return None, f"Notebook {notebook:02} has no exercises."
    by_name = {found.name: found for found in module.EXERCISES}
    wanted = f"{notebook:02}-{number}"
    if wanted not in by_name:
        known = ", ".join(by_name)
        return None, f"There is no exercise {wanted}; notebook {notebook:02} has {known}."
    return by_name[wanted], None
