"""A learner's own program for the leaf inspector: step by step, or as a whole."""

from types import SimpleNamespace

from .. import engines
from ..formatting import kind_of
from ..heard import hear_warnings
from ..typed_numbers import Refused, read_array
from .inspector_examples import Program, Step, leaf
from .source import arguments_of, name_of, printing_once, source_of

MAX_TENSORS = 8  # rows of the table
MAX_ELEMENTS = 12  # of a .grad that is written out
EXAMPLE_RESULT = "lambda x: x * 2"  # in a refusal, to show how steps are given


def own_steps(given):
    """A program from keyword arguments: numbers make a leaf, functions take earlier tensors."""
    if len(given) > MAX_TENSORS:
        raise ValueError(f"That is {len(given)} tensors; the inspector shows up to {MAX_TENSORS}.")
    steps, computed = [], None
    for name, value in given.items():
        if not callable(value):
            numbers = read_array(value)
            _check_size(name, numbers.size)
            steps.append(leaf(name, numbers.tolist()))
            continue
        steps.append(_computed(name, value, ["torch", *(step.name for step in steps)]))
        computed = name
    if computed is None:
        raise TypeError(
            "These are only leaves. Add what is computed from them: "
            f"LeafInspector(x=[1, 2], y={EXAMPLE_RESULT})."
        )
    steps.append(_sum_backward(computed))
    return Program("your program", "What does each tensor say about itself?", tuple(steps))


def _computed(name, function, known):
    """The step of a function whose arguments are named as the tensors before it."""
    arguments, source, last = arguments_of(function), source_of(function), known[-1]
    wanted = [argument for argument in arguments.names if argument in known]
    missing = [argument for argument in arguments.required if argument not in known]
    by_place = tuple(wanted) == arguments.names[: len(wanted)]  # none with a default is left out
    takes_one = len(arguments.required) == 1 or not arguments.names and arguments.more
    if takes_one and not wanted and source is None:
        wanted, missing, by_place = [last], [], True  # torch.exp calls its one tensor "input"
    if missing or not wanted and arguments.more:
        raise TypeError(
            f"The function for {name} takes {', '.join(missing) or arguments.more}; there is only "
            f"{', '.join(known)} before it. Write such as {name}=lambda {last}: "
            f"{name_of(function)}({last})."
        )
    run = printing_once(function)

    def call(torch, t):
        given = {name: torch if name == "torch" else getattr(t, name) for name in wanted}
        return run(*given.values()) if by_place else run(**given)

    text = source or f"{name_of(function)}({', '.join(wanted)})"
    return Step(f"{name} = {text}", call, name)


def _sum_backward(name):
    return Step(f"{name}.sum().backward()", lambda torch, t: getattr(t, name).sum().backward())


def own_program(function):
    """A whole program that returns its tensors by name; backward follows unless it was called."""
    takes_torch, run = bool(arguments_of(function).names), printing_once(function)

    def call(torch, t):
        return _tensors_of(run(torch) if takes_torch else run())

    called = f"{name_of(function, 'program')}({'torch' if takes_torch else ''})"
    whole = Step(called, call, several=True)
    steps = [whole]
    question = "What does each tensor say about itself?"
    t = SimpleNamespace()
    with hear_warnings():
        try:
            vars(t).update(call(engines.minigrad, t))
            ran_backward = any(tensor.grad is not None for tensor in vars(t).values())
        except Exception:
            ran_backward = True  # it fails: there is nothing to go back from
    results = [key for key, tensor in vars(t).items() if not tensor.is_leaf] or list(vars(t))
    if not ran_backward:
        steps.append(_sum_backward(results[-1]))
    return Program("your program", question, tuple(steps))


def _tensors_of(returned):
    if not isinstance(returned, dict):
        raise Refused(
            f"The program returned {kind_of(returned)}. End it with a dict of its tensors: "
            'return {"x": x, "y": y}.'
        )
    tensors = {
        str(key): value for key, value in returned.items() if hasattr(value, "requires_grad")
    }
    if not tensors:
        raise Refused(
            'The program returned no tensor. End it with a dict: return {"x": x, "y": y}.'
        )
    if len(tensors) > MAX_TENSORS:
        raise Refused(
            f"The program returned {len(tensors)} tensors; the inspector shows up to {MAX_TENSORS}."
        )
    for name, tensor in tensors.items():
        _check_size(name, tensor.numel())
    return tensors


def _check_size(name, size):
    if size > MAX_ELEMENTS:
        raise Refused(
            f"{name} has {size} elements; the inspector shows tensors of up to {MAX_ELEMENTS}."
        )
