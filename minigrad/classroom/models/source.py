"""A learner's function: how it is called with either engine, its name, and its text to be shown.

The text is read, never run.
"""

import functools
import inspect
import linecache

from ..heard import caught_printing

TAKES_TORCH = (
    "A function that calls torch's names takes them first: lambda torch, x: torch.log(x)."
)


def source_of(function):
    """What a lambda returns, as it was typed, on one line; None where that cannot be told."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_name != "<lambda>":
        return None
    places = [
        place
        for place in code.co_positions()
        if None not in place and place[2:] != (0, 0) and place[0::2] != place[1::2]
    ]
    lines = linecache.getlines(code.co_filename)
    if not places or not lines:
        return None
    first, start = min((line, column) for line, _, column, _ in places)
    last, end = max((line, column) for _, line, _, column in places)
    body = [line.encode() for line in lines[first - 1 : last]]
    if len(body) != last - first + 1:
        return None  # the file is no longer what was run
    body[-1] = body[-1][:end]
    body[0] = body[0][start:]
    return " ".join(b" ".join(body).decode(errors="replace").split()) or None


def name_of(function, otherwise="f"):
    """What a function is called; `otherwise` for a lambda, or an object that has no name."""
    name = getattr(function, "__name__", otherwise)
    return otherwise if name == "<lambda>" else name


def formula_of(function, arguments="x"):
    """What a function computes, on one line: what a lambda returns, else "name(x)"."""
    return source_of(function) or f"{name_of(function)}({arguments})"


def for_both_engines(function):
    """`function` as (torch, x) -> y; one with two required parameters gets the engine first.

    What it prints is shown for its first call alone: nudging makes hundreds.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions written in C do not tell
        parameters = ()
    required = [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    function = _printing_once(function)
    if len(required) == 2:
        return function
    return lambda torch, x: function(x)


def _printing_once(function):
    called = False

    @functools.wraps(function)
    def call(*arguments):
        nonlocal called
        if not called:
            called = True
            return function(*arguments)
        with caught_printing():
            return function(*arguments)

    return call
