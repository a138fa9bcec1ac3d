"""A learner's function: how it is called with either engine, its name, and its text to be shown.

The text is read, never run.
"""

import functools
import inspect
import linecache
import re
from dataclasses import dataclass

from ..heard import caught_printing
from ..typed_numbers import Refused

TAKES_TORCH = (
    "A function that calls torch's names takes them first: lambda torch, x: torch.log(x)."
)


# What an engine says of the other's tensors, which have the same name.
_OF_THE_OTHER = re.compile(
    r"must be Tensor, not Tensor|'Tensor' and 'Tensor'|to a 'Tensor' object"
    r"|as element \d+ in argument \d+, but got Tensor|needs a tensor, not Tensor"
    r"|takes tensors and numbers, not .*Tensor|holds numbers, not Tensor"
    r"|'Tensor' object has no attribute '_|'torch.dtype' object has no attribute"
)


def advice(error):
    """What to add to an error's own words: what to do if a function mixes the two engines."""
    if isinstance(error, (TypeError, AttributeError)) and _OF_THE_OTHER.search(str(error)):
        return f" One tensor is minigrad's, the other PyTorch's. {TAKES_TORCH}"
    return ""


@dataclass(frozen=True)
class Arguments:
    """The arguments that a learner's function takes by place."""

    names: tuple
    required: tuple  # of these, those that have no default
    more: str = ""  # the name behind the star of a function that takes any number


def arguments_of(function):
    """The `Arguments` of a learner's function; of a module those of its `forward`."""
    is_module = hasattr(function, "named_parameters") and not isinstance(function, type)
    try:
        found = inspect.signature(function.forward if is_module else function).parameters.values()
    except (TypeError, ValueError):  # some functions written in C do not tell
        raise Refused(
            "This function does not tell its arguments. Write such as lambda x: f(x)."
        ) from None
    by_place = [p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return Arguments(
        tuple(p.name for p in by_place),
        tuple(p.name for p in by_place if p.default is p.empty),
        next((p.name for p in found if p.kind is p.VAR_POSITIONAL), ""),
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
        takes_torch = len(arguments_of(function).required) == 2
    except Refused:
        takes_torch = False
    function = printing_once(function)
    if takes_torch:
        return function
    return lambda torch, x: function(x)


def printing_once(function):
    """The function; what it prints is shown for its first call alone."""
    called = False

    @functools.wraps(function)
    def call(*arguments, **named):
        nonlocal called
        if not called:
            called = True
            return function(*arguments, **named)
        with caught_printing():
            return function(*arguments, **named)

    return call
