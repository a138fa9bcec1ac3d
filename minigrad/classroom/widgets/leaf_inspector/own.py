"""A learner's own program for the leaf inspector: one function, or step by step."""

import contextlib

from ...compare import engines
from ...compare.heard import hear_warnings
from ...show.formatting import kind_of
from ...show.typed_numbers import Refused, read_array
from ..shared.functions import (
    YOURS,
    name_of,
    one_tensor,
    own_example,
    parameters_of,
    source_of,
    variables_of,
)
from .program import Program, Step, backward, leaf

MAX_TENSORS = 8  # rows of the table
MAX_ELEMENTS = 12  # of a .grad that is written out
IN_STEPS = "LeafInspector(x=[1, 2], y=lambda x: x * 2)"
_QUESTION = "What does each tensor say about itself?"
_ENDS_WITH = 'End it with a dict of its tensors: return {"x": x, "y": y}.'


def own_steps(given, v=None):
    """A program from keyword arguments: numbers make a leaf, functions take earlier tensors."""
    _check_count(given)
    steps, computed = [], None
    for name, value in given.items():
        if callable(value):
            steps.append(_computed(name, value, [step.names[0] for step in steps]))
            computed = name
        else:
            steps.append(_leaf(name, value))
    if computed is None:
        raise Refused(f"These are only leaves. Add what is computed from them: {IN_STEPS}.")
    last = backward(computed, None if v is None else read_array(v).tolist())
    return _program([*steps, last], given)


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
        _check_size(name, made.numel())
        t[name] = made

    text = source_of(function) or f"{name_of(function)}({', '.join(names)})"
    return Step(f"{name} = {text}", run, (name,))


def own_function(function, inputs, named, v=None):
    """A program that is one function: its leaves, its own tensors, its result.

    A function may name them itself, by returning a dict. Backward follows, unless it was called.
    """
    example = own_example(function, inputs, named, v)
    leaves = [_leaf(name, numbers) for name, numbers in example.inputs.items()]

    def run(torch, t):
        with variables_of(function) as seen:
            result = example.function(torch, *(t[name] for name in example.inputs))
        t.update(_tensors(result, seen, example.inputs))

    t, ran_backward = {}, True
    with hear_warnings(), contextlib.suppress(Exception):  # it is run again, and then told
        for step in leaves:
            step.run(engines.minigrad, t)
        run(engines.minigrad, t)
        ran_backward = any(tensor.grad is not None for tensor in t.values())
    names = tuple(name for name in t if name not in example.inputs or not leaves)
    text = source_of(function) or f"{name_of(function, 'program')}({', '.join(example.inputs)})"
    text = f"{names[-1]} = {text}" if leaves and names else text
    steps = [*leaves, Step(text, run, names, whole=True)]
    if not ran_backward:
        steps.append(backward(([n for n in t if not t[n].is_leaf] or list(t))[-1], example.v))
    return _program(steps, function)


def _tensors(result, seen, leaves):
    """{name: tensor} of what a function has made; its result is the last."""
    if isinstance(result, dict):
        found = {str(name): value for name, value in result.items() if _is_tensor(value)}
        if not found:
            raise Refused(f"The program returned no tensor. {_ENDS_WITH}")
    elif not leaves:
        raise Refused(f"The program returned {kind_of(result)}. {_ENDS_WITH}")
    else:
        one_tensor(result)
        found = {
            name: value
            for name, value in seen.items()
            if _is_tensor(value) and value is not result and name not in leaves
        }
        names = [name for name, value in seen.items() if value is result and name not in leaves]
        names += [name for name in ("y", "result") if name not in {*found, *leaves}]
        found[names[0]] = result
    _check_count({*found, *leaves})
    for name, tensor in found.items():
        _check_size(name, tensor.numel())
    return found


def _is_tensor(value):
    return hasattr(value, "requires_grad") and hasattr(value, "backward")


def _program(steps, given):
    return Program(YOURS, _QUESTION, None, {}, steps=tuple(steps), source=given)


def _leaf(name, numbers):
    numbers = read_array(numbers)
    _check_size(name, numbers.size)
    return leaf(name, numbers.tolist())


def _check_count(names):
    if len(names) > MAX_TENSORS:
        raise Refused(f"That is {len(names)} tensors; the inspector shows up to {MAX_TENSORS}.")


def _check_size(name, size):
    if size > MAX_ELEMENTS:
        raise Refused(
            f"{name} has {size} elements; the inspector shows tensors of up to {MAX_ELEMENTS}."
        )
