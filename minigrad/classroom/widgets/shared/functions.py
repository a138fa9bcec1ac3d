"""A learner's function: how it is called with either engine, its name, and its text to be shown.

There is one rule for every widget: a parameter named `torch` gets the engine, every other one a
tensor. The text is read, never run.
"""

import contextlib
import functools
import inspect
import linecache
import re
import sys
from collections import OrderedDict

import numpy as np

from ...compare.heard import caught_printing
from ...show.formatting import kind_of
from ...show.typed_numbers import Refused, read_array
from .example import Example

YOURS = "your function"
TAKES_TORCH = (
    "A function that calls torch's names takes them in a parameter of that name: "
    "lambda torch, x: torch.log(x)."
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


def in_words(error):
    """What a program stopped with, as a result of it: the error's type, its words and advice."""
    kind = "" if isinstance(error, Refused) else f"{type(error).__name__}: "
    return f"{kind}{error}{advice(error)}"


def in_a_sentence(kind, text):
    """What was raised, after its type: a sentence of ours needs none."""
    text = text if text.endswith((".", "!", "?")) else f"{text}."
    return text if kind == "Refused" else f"{kind}: {text}"


def own_example(function, inputs=(), named=None, v=None, few=None, kind=Example):
    """A learner's function, and the numbers for its tensors, as an `Example`; else `Refused`.

    inputs: numbers or nested lists, one for each parameter in order, `torch` left out; named: the
    same by the parameter's name. v: the upstream gradient, if one came along. few: how many tensors
    it may take at most. kind: the type of the example.
    """
    if not callable(function):
        raise Refused(f"Give a function of tensors, or an example's name, not {kind_of(function)}.")
    parameters = parameters_of(function)
    values = _values(function, parameters, inputs, dict(named or {}))
    if few is not None and len(values) > few:
        tensors = "1 tensor" if few == 1 else f"{few} tensors"
        given = f"{name_of(function)} was given {len(values)}"
        raise Refused(f"This widget shows a function of {tensors}; {given}.")
    formula = "y = " + (source_of(function) or f"{name_of(function)}({', '.join(values)})")
    called, signature = printing_once(function), inspect.Signature(parameters)

    def run(torch, *tensors):
        given = OrderedDict(zip(values, tensors))
        if "torch" in signature.parameters:
            given["torch"] = torch
        bound = inspect.BoundArguments(signature, given)
        return called(*bound.args, **bound.kwargs)

    v = None if v is None else read_array(v).tolist()
    return kind(YOURS, formula, run, values, v, source=function)


def parameters_of(function):
    """The parameters of a function that have names; of a module those of its `forward`."""
    is_module = hasattr(function, "named_parameters") and not isinstance(function, type)
    try:
        params = inspect.signature(function.forward if is_module else function).parameters.values()
    except (TypeError, ValueError):  # some functions written in C do not tell
        params = [inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)]
    return [p for p in params if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _values(function, parameters, inputs, named):
    """{parameter: its numbers as nested lists}, in the order of the parameters."""
    tensors = [p for p in parameters if p.name != "torch"]
    places = [p.name for p in tensors if p.kind is not p.KEYWORD_ONLY]
    f = name_of(function)
    names = ", ".join(p.name for p in tensors) or "no tensors"
    if len(inputs) > len(places):
        taken = ", ".join(places) or "no tensors"
        raise Refused(f"{f} takes {taken}; numbers for {len(inputs)} tensors were given.")
    given = {**dict(zip(places, inputs)), **named}
    for p in tensors:
        if p.default is p.empty and p.name not in given:
            raise Refused(
                f"{f} takes {names}: give numbers for {p.name}, too, such as [1, 2]. A parameter "
                "for the engine is called torch."
            )
    for name in given:
        if name not in [p.name for p in tensors]:
            raise Refused(f"{f} has no parameter {name}; it takes {names}.")
    return {p.name: read_array(given[p.name]).tolist() for p in tensors if p.name in given}


def one_tensor(result, who="The function"):
    """`result`, if it is a tensor of either engine; else `Refused`. who: what returned it."""
    if hasattr(result, "backward"):
        return result
    help = ""
    if result is None:
        help = " Does it end with return?"
    elif isinstance(result, (list, tuple)):
        help = " Join the results: torch.stack([...])."
    raise Refused(f"{who} returned {kind_of(result)}; it must return one tensor.{help}")


def check_untouched(leaf):
    """`Refused` if a function has called backward itself: what it left in .grad would be added."""
    if leaf.grad is not None:
        raise Refused("The function calls backward itself. Let it return what it calls it on.")


def check_size(name, size, most, may, least=1):
    """`Refused` if a tensor has too many elements or too few. may: a sentence, {} is the most."""
    if not least <= size <= most:
        raise Refused(f"{name} has {size} elements; {may.format(most)}.")


def check_steady(values, again):
    """`Refused` if a function at one x gave first these values and then those, as arrays."""
    if not np.array_equal(values, again, equal_nan=True):
        raise Refused(
            "The function gives another result each time, even at the same input. If it draws "
            "random numbers, let it call torch.manual_seed(0) first."
        )


def printing_once(function):
    """The function; what it prints is shown for its first call alone: nudging makes hundreds."""
    called = False

    @functools.wraps(function, updated=())
    def call(*arguments, **named):
        nonlocal called
        if not called:
            called = True
            return function(*arguments, **named)
        with caught_printing():
            return function(*arguments, **named)

    return call


@contextlib.contextmanager
def variables_of(function):
    """{name: value} of what a function sees as it returns; filled when the block ends.

    Its own variables, and before them the globals that it mentions. Nothing for the engine's own
    functions: their variables are not the program's.
    """
    code, seen, before = _code_of(function), {}, sys.getprofile()

    def watch(frame, event, argument):
        if event == "return" and frame.f_code is code:
            names = [name for name in code.co_names if name in frame.f_globals]
            seen.update({name: frame.f_globals[name] for name in names} | frame.f_locals)

    sys.setprofile(watch)
    try:
        yield seen
    finally:
        sys.setprofile(before)


@contextlib.contextmanager
def replaced(owner, name, value):
    """Within the block another value stands at `owner.name`; yields the one that is replaced."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield before
    finally:
        setattr(owner, name, before)


def _code_of(function):
    """The code of a Python function behind methods, partials and wrappers; else None."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "forward", function))
    if not hasattr(function, "__code__") and not hasattr(function, "__func__"):
        function = getattr(type(function), "__call__", None)  # noqa: B004 (itself is wanted)
    if re.match(r"minigrad\.(?!classroom\.)", getattr(function, "__module__", None) or ""):
        return None
    return getattr(getattr(function, "__func__", function), "__code__", None)


def source_of(function):
    """What a lambda returns, as it was typed, on one line; None where that cannot be told."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_name != "<lambda>":
        return None
    known = (place for place in code.co_positions() if None not in place)
    places = [one for one in known if one[2:] != (0, 0) and one[0::2] != one[1::2]]
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
