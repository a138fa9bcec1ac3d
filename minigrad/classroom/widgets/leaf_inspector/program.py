"""A small program, line by line: with the lines that were ticked, run in either engine.

It is one of the course's, or a learner's own, step by step.
"""

import re
from dataclasses import dataclass
from typing import Any, Callable

from ...compare import engines
from ...compare.heard import hear_warnings
from ...show.formatting import exact, nested
from ...show.typed_numbers import Refused, read_array
from ..shared.example import Example
from ..shared.functions import (
    YOURS,
    advice,
    check_size,
    in_words,
    name_of,
    one_tensor,
    own_example,
    parameters_of,
    source_of,
)

COLUMNS = ("is_leaf", "requires_grad", "grad_fn", "retains_grad", "_version", "grad")
TICKS = {  # {tick: the line that it puts in}, in the order in which the lines are put in
    "detach": "{0} = {0}.detach()",
    "requires_grad": "{0}.requires_grad_()",
    "in_place": "{0}.add_(1)",
    "retain_grad": "{0}.retain_grad()",
    "hook": "{0}.register_hook(lambda g: g * 10)",
}
MAX_TENSORS = 8  # of a learner's own program: rows of the table
MAX_ELEMENTS = 12  # of a .grad that is written out
_SHOWN = "the inspector shows tensors of up to {}"
IN_STEPS = "LeafInspector(x=[1, 2], y=lambda x: x * 2)"
_LEAF = re.compile(r"(\w+) = torch\.tensor\((\[[^]]*\])(, requires_grad=True)?\)")


@dataclass(frozen=True)
class Step:
    """One line of a program.

    text: as a learner reads it. run(torch, t): does it, where `t` holds the tensors by name.
    name: of the tensor that it makes, if it makes one. leaf: the numbers of the leaf that is made
    here. ticked: it was put in by a tick.
    """

    text: str
    run: Callable
    name: str | None = None
    leaf: Any = None
    ticked: bool = False


@dataclass(frozen=True)
class Program(Example):
    """A program that is inspected line by line. steps: its lines, each a `Step`."""

    steps: tuple = ()


def line(text):
    """A line of the course's own. It is run as it is read; nothing a learner types comes here."""
    made = _LEAF.fullmatch(text)
    if made:
        return leaf(made[1], read_array(made[2]).tolist(), bool(made[3]))
    code = compile(text, "<program>", "exec")
    made = re.match(r"(?:with torch\.no_grad\(\): )?(\w+) = ", text)
    return Step(text, lambda torch, t: exec(code, {"torch": torch}, t), made[1] if made else None)


def leaf(name, numbers, grad=True):
    """The line that makes a tensor from numbers."""

    def run(torch, t):
        t[name] = torch.tensor(numbers, dtype=torch.float32, requires_grad=grad)

    flag = ", requires_grad=True" if grad else ""
    return Step(f"{name} = {_tensor(numbers, flag)}", run, name, numbers)


def backward(name, v=None):
    """The line that calls backward on a tensor's sum, or with an upstream gradient."""
    if v is None:
        return Step(f"{name}.sum().backward()", lambda torch, t: t[name].sum().backward())
    return Step(
        f"{name}.backward({_tensor(v)})",
        lambda torch, t: t[name].backward(torch.tensor(v, dtype=torch.float32)),
    )


def with_ticks(steps, ticks):
    """The steps with the ticked lines in their places."""
    makers, lines = {step.name: step for step in steps}, []  # a name may be made again: the last
    for step in steps:
        name, asked = step.name, {}
        if makers[name] is step:
            asked = {what: ticks[name, what] for what in TICKS if (name, what) in ticks}
        if step.leaf is not None and "requires_grad" in asked:  # written where it is made
            step = leaf(name, step.leaf, asked.pop("requires_grad"))
        lines += [step, *(_ticked(name, what, on) for what, on in asked.items())]
    return tuple(lines)


def _ticked(name, what, on):
    """The line that a tick stands for. It is run on a name of ours, whatever the tensor's is."""
    text = TICKS[what] if on else TICKS[what].replace("()", "(False)")
    code = compile(text.format("tensor"), "<tick>", "exec")

    def run(torch, t):
        here = {"tensor": t[name]}
        exec(code, {}, here)
        t[name] = here["tensor"]

    return Step(text.format(name), run, ticked=True)


def run(steps, torch):
    """Run steps in one engine until one fails; then what is to be seen, {name: value}.

    rows: {tensor: {column: text, "grad": its .grad, "warns": whether reading it warns}}, None for
    one that was not reached; stopped: the error, and line: the place of the step that raised it;
    warned: sentences.
    """
    t, stopped, place = {}, None, None
    with hear_warnings() as warned:
        for k, step in enumerate(steps):
            try:
                step.run(torch, t)
            except Exception as error:
                if advice(error) and torch is not engines.minigrad:
                    raise  # PyTorch cannot tell anything about this program
                stopped, place = in_words(error), k
                break
    rows: dict[str, Any] = {step.name: None for step in steps if step.name is not None}
    warning = []
    for name, tensor in t.items():
        rows[name] = {column: str(getattr(tensor, column)) for column in COLUMNS[:-1]}
        if tensor.grad_fn is not None:
            rows[name]["grad_fn"] = type(tensor.grad_fn).__name__
        with hear_warnings() as heard:
            rows[name]["grad"] = tensor.grad
        rows[name]["warns"] = bool(heard)
        if heard:
            warning.append(f"{name}.grad")
            text = heard[0]
    if warning:
        names = " and ".join(filter(None, (", ".join(warning[:-1]), warning[-1])))
        warned = [*warned, f"Reading {names} warns: {text}"]
    return {"rows": rows, "stopped": stopped, "line": place, "warned": warned}


def _tensor(numbers, flag=""):
    return f"torch.tensor({nested(numbers, _with_point)}{flag})"


def _with_point(value):
    text = exact(value)
    return text if "." in text or "e" in text else text + "."


# --- a learner's own program ----------------------------------------------------------------------


def own_steps(given, v=None):
    """A program from keyword arguments: numbers make a leaf, functions take earlier tensors."""
    if len(given) > MAX_TENSORS:
        raise Refused(f"That is {len(given)} tensors; the inspector shows up to {MAX_TENSORS}.")
    steps, computed = [], None
    for name, value in given.items():
        if callable(value):
            steps.append(_computed(name, value, [step.name for step in steps]))
            computed = name
        else:
            numbers = read_array(value)
            check_size(name, numbers.size, MAX_ELEMENTS, _SHOWN, least=0)
            steps.append(leaf(name, numbers.tolist()))
    if computed is None:
        raise Refused(f"These are only leaves. Add what is computed from them: {IN_STEPS}.")
    question = "What does each tensor say about itself?"
    last = backward(computed, None if v is None else read_array(v).tolist())
    return Program(YOURS, question, None, {}, steps=(*steps, last), source=given)


def _computed(name, function, known):
    """The step of a function whose parameters are named as the tensors before it."""
    needed = [p for p in parameters_of(function) if p.name != "torch"]
    names = {p.name: p.name for p in needed if p.name in known}
    needed = [p.name for p in needed if p.default is p.empty]
    if known and len(needed) == 1 and not names and source_of(function) is None:
        names = {needed[0]: known[-1]}  # torch.exp calls its one tensor "input"
    missing = [parameter for parameter in needed if parameter not in names]
    if missing:
        before = f"there is only {', '.join(known)}" if known else "there is no tensor"
        raise Refused(
            f"The function for {name} takes {', '.join(missing)}; {before} before it. "
            f"Write it such as in {IN_STEPS}."
        )
    example = own_example(function, named=dict.fromkeys(names, 0.0))
    names = [names[parameter] for parameter in example.inputs]

    def run(torch, t):
        result = example.function(torch, *(t[name] for name in names))
        made = one_tensor(result, f"The function for {name}")
        check_size(name, made.numel(), MAX_ELEMENTS, _SHOWN, least=0)
        t[name] = made

    text = source_of(function) or f"{name_of(function)}({', '.join(names)})"
    return Step(f"{name} = {text}", run, name)
