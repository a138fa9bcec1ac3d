"""Exercises: check an answer, ask for hints one by one, read the solution.

    check("03-1", v)        what is right, or the first thing that is wrong and why
    hint("03-1"), hint("03-1", 2)
    solution("03-1")

The exercises of notebook NN are in `nbNN.py`, each with the wrong answers that its check must
reject; a test feeds them to it. Nothing is hidden: read them if you like.
"""

import importlib
import re

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
    if number not in range(1, len(found.hints) + 1):
        return Text(f"{found.name} has hints 1 to {len(found.hints)}; there is no hint {number}.")
    more = f"  ({len(found.hints) - number} more)" if number < len(found.hints) else ""
    return Text(f"Hint {number}: {found.hints[number - 1]}{more}")


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
    match = re.fullmatch(r"\s*([0-9]{2})-([0-9]+)\s*", str(name))
    if match is None:
        return None, f'Exercises are called like "03-1": notebook, then number; not {name!r}.'
    notebook = f"nb{match.group(1)}"
    try:
        module = importlib.import_module(f".{notebook}", __name__)
    except ModuleNotFoundError:
        return None, f"Notebook {match.group(1)} has no exercises."
    by_name = {found.name: found for found in module.EXERCISES}
    wanted = f"{match.group(1)}-{int(match.group(2))}"
    if wanted not in by_name:
        return (
            None,
            f"There is no exercise {wanted}; notebook {match.group(1)} has {', '.join(by_name)}.",
        )
    return by_name[wanted], None
