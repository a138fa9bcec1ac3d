"""A learner's own program for the leaf inspector, step by step."""

from ...show.typed_numbers import Refused, read_array
from ..shared.functions import YOURS, name_of, one_tensor, own_example, parameters_of, source_of
from .program import Program, Step, backward, leaf

MAX_TENSORS = 8  # rows of the table
MAX_ELEMENTS = 12  # of a .grad that is written out
IN_STEPS = "LeafInspector(x=[1, 2], y=lambda x: x * 2)"
_QUESTION = "What does each tensor say about itself?"


def own_steps(given, v=None):
    """A program from keyword arguments: numbers make a leaf, functions take earlier tensors."""
    if len(given) > MAX_TENSORS:
        raise Refused(f"That is {len(given)} tensors; the inspector shows up to {MAX_TENSORS}.")
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
    return Program(YOURS, _QUESTION, None, {}, steps=(*steps, last), source=given)


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


def _leaf(name, numbers):
    numbers = read_array(numbers)
    _check_size(name, numbers.size)
    return leaf(name, numbers.tolist())


def _check_size(name, size):
    if size > MAX_ELEMENTS:
        raise Refused(
            f"{name} has {size} elements; the inspector shows tensors of up to {MAX_ELEMENTS}."
        )
