"""Running a program of the leaf inspector, with the lines that were ticked, in one engine."""

from types import SimpleNamespace

from ..formatting import kind_of
from ..heard import hear_warnings
from ..typed_numbers import Refused
from .inspector_examples import Step, leaf_text
from .source import advice

TICKS = ("requires_grad", "detach", "in_place", "retain_grad", "hook")
_ORDER = ("detach", "requires_grad", "in_place", "retain_grad", "hook")  # as the lines are put in


def with_ticks(program, ticks):
    """The steps with the ticked lines in their places: [(step, whether it was ticked)]."""
    last = {step.name: k for k, step in enumerate(program.steps) if step.name}
    steps = []
    for k, step in enumerate(program.steps):
        if step.several:
            names = list(dict.fromkeys(name for name, _ in ticks))
        else:
            names = [step.name] if step.name and last[step.name] == k else []
        flag = ticks.get((step.name, "requires_grad"))
        if step.leaf is not None and flag is not None and names:
            step = Step(leaf_text(step.name, step.leaf, flag), None, step.name, step.leaf, flag)
        steps.append((step, False))
        for name in names:
            for what in _ORDER:
                if (name, what) in ticks and not (
                    what == "requires_grad" and step.leaf is not None
                ):
                    steps.append((_ticked(name, what, ticks[name, what]), True))
    return steps


def _ticked(name, what, on):
    """The line of code that a tick stands for."""
    if what == "detach":
        return Step(f"{name} = {name}.detach()", lambda torch, t: getattr(t, name).detach(), name)
    texts = {
        "requires_grad": f"{name}.requires_grad_({'' if on else 'False'})",
        "in_place": f"{name}.add_(1)",
        "retain_grad": f"{name}.retain_grad()",
        "hook": f"{name}.register_hook(lambda g: g * 10)",
    }
    actions = {
        "requires_grad": lambda tensor: tensor.requires_grad_(on),
        "in_place": lambda tensor: tensor.add_(1),
        "retain_grad": lambda tensor: tensor.retain_grad(),
        "hook": lambda tensor: tensor.register_hook(lambda g: g * 10),
    }
    return Step(texts[what], lambda torch, t: actions[what](getattr(t, name)))


def run(steps, torch):
    """Run steps in one engine until one fails; what is to be seen then, as plain values."""
    t = SimpleNamespace()
    error = failed = None
    with hear_warnings() as warned:
        for k, step in enumerate(steps):
            try:
                if step.leaf is not None:
                    made = torch.tensor(step.leaf, dtype=torch.float32, requires_grad=step.grad)
                else:
                    made = step.run(torch, t)
                if step.several:
                    vars(t).update(made)
                elif step.name:
                    _check_tensor(step.name, made)
                    setattr(t, step.name, made)
            except Exception as raised:
                kind = "" if isinstance(raised, Refused) else type(raised).__name__
                error, failed = [kind, str(raised) + advice(raised)], k
                break
    return {
        "rows": {name: _look_at(tensor) for name, tensor in vars(t).items()},
        "error": error,
        "failed": failed,
        "warnings": warned,
    }


def _check_tensor(name, made):
    if not hasattr(made, "requires_grad"):
        raise Refused(f"{name} is {kind_of(made)}; it must be a tensor.")


def _look_at(tensor):
    """What a tensor says about itself."""
    with hear_warnings() as warned:
        grad = tensor.grad
        node = tensor.grad_fn
    return {
        "is_leaf": tensor.is_leaf,
        "requires_grad": tensor.requires_grad,
        "grad_fn": None if node is None else type(node).__name__,
        "retains_grad": tensor.retains_grad,
        "_version": tensor._version,
        "grad": None if grad is None else grad.detach().tolist(),
        "warning": warned[0] if warned else None,
    }


def recorded_ticks(program):
    """The ticks for which PyTorch's answer is recorded: none; in "flags" each one alone."""
    yield {}
    if program.name == "flags":
        for name in program.names:
            for what in TICKS:
                on = what != "requires_grad" or name == "c"
                yield {(name, what): on}


def record_key(program, ticks):
    """The name under which PyTorch's answer is recorded."""
    return " ".join(
        [program.name, *sorted(f"{name}.{what}={on}" for (name, what), on in ticks.items())]
    )
