"""The small programs of the leaf inspector: each settles a question about leaves, flags and hooks.

A program is a list of lines, written once for both engines; `t` holds the tensors by name. The
numbers in the names are those of the course's list of confusions.
"""

from dataclasses import dataclass
from typing import Callable

from ..formatting import nested


@dataclass(frozen=True)
class Step:
    """One line of a program.

    text: as a learner reads it; run(torch, t): does it, and returns the tensor for `name` (or, with
    `several`, a dict of tensors). leaf: the numbers of a leaf that is made here, and `grad` whether
    it requires grad.
    """

    text: str
    run: Callable | None = None
    name: str | None = None
    leaf: list | float | None = None
    grad: bool = False
    several: bool = False


@dataclass(frozen=True)
class Program:
    """A program with a name, the question it answers, and what to look for."""

    name: str
    question: str
    steps: tuple
    note: str = ""

    @property
    def names(self):
        """The names of its tensors, in order of appearance."""
        return list(dict.fromkeys(step.name for step in self.steps if step.name))


def leaf(name, numbers, grad=True):
    """The line that makes a tensor from numbers."""
    return Step(leaf_text(name, numbers, grad), None, name, numbers, grad)


def leaf_text(name, numbers, grad):
    flag = ", requires_grad=True" if grad else ""
    return f"{name} = torch.tensor({nested(numbers, _with_point)}{flag})"


def _with_point(value):
    text = f"{value:g}"
    return text if "." in text or "e" in text else text + "."


def line(text, run, name=None):
    return Step(text, run, name)


def _no_grad_twice(torch, t):
    with torch.no_grad():
        return t.x * 2


def _no_grad_update(torch, t):
    with torch.no_grad():
        t.w -= 0.1 * t.w.grad


def _update(torch, t):
    t.w -= 0.1 * t.w.grad


def _write_element(torch, t):
    t.w[0] = 5


def _gradient_with_graph(torch, t):
    return torch.autograd.grad(t.y, t.x, create_graph=True)[0]


_X = leaf("x", [1.0, 2.0, 3.0])
_W = leaf("w", [1.0, 2.0])
_SUM = line("z = y.sum()", lambda torch, t: t.y.sum(), "z")
_BACK = line("z.backward()", lambda torch, t: t.z.backward())
_TWICE = line("y = x * 2", lambda torch, t: t.x * 2, "y")
_EXP = line("y = x.exp()", lambda torch, t: t.x.exp(), "y")
_ADD = line("y.add_(1)", lambda torch, t: t.y.add_(1))
_LOSS = line("loss = (w * w).sum()", lambda torch, t: (t.w * t.w).sum(), "loss")
_BACK_LOSS = line("loss.backward()", lambda torch, t: t.loss.backward())

EXAMPLES = {
    program.name: program
    for program in (
        Program(
            "flags",
            "Which tensors are leaves, and which get a .grad?",
            (
                _X,
                leaf("c", [2.0, 0.0, -1.0], False),
                line("y = x * c", lambda torch, t: t.x * t.c, "y"),
                _SUM,
                _BACK,
            ),
            "Made from numbers: a leaf. Computed from what requires grad: no leaf, with a grad_fn.",
        ),
        Program(
            "5 saved value",
            "Why may y not be changed?",
            (_X, _EXP, _ADD, _SUM, _BACK),
            "exp keeps its result for backward, and its version tells that it was changed.",
        ),
        Program(
            "5 myth",
            "Does every in-place change break backward?",
            (_X, _TWICE, _ADD, _SUM, _BACK),
            "No: x * 2 keeps the 2, not its result, so y may be changed.",
        ),
        Program(
            "6 inner gradient",
            "Why is y.grad None?",
            (_X, _TWICE, _SUM, _BACK),
            "backward fills the .grad of leaves. Tick retain y.grad and look again.",
        ),
        Program(
            "7 detached",
            "Why does the loss not require grad?",
            (
                _X,
                _TWICE,
                line("d = y.detach()", lambda torch, t: t.y.detach(), "d"),
                line("loss = d.sum()", lambda torch, t: t.d.sum(), "loss"),
                _BACK_LOSS,
            ),
            "After detach nothing is recorded: loss has no grad_fn, there is no way back.",
        ),
        Program(
            "7 no_grad",
            "Why does the loss not require grad?",
            (
                _X,
                line("with torch.no_grad(): y = x * 2", _no_grad_twice, "y"),
                line("loss = y.sum()", lambda torch, t: t.y.sum(), "loss"),
                _BACK_LOSS,
            ),
            "What is computed under no_grad is not recorded.",
        ),
        Program(
            "7 argmax",
            "Why does the loss not require grad?",
            (_X, line("loss = x.argmax()", lambda torch, t: t.x.argmax(), "loss"), _BACK_LOSS),
            "argmax gives a whole number, and whole numbers have no gradient.",
        ),
        Program(
            "17 leaf in place",
            "How may a weight be updated?",
            (_W, _LOSS, _BACK_LOSS, line("w -= 0.1 * w.grad", _update)),
            "A leaf that requires grad may be changed in place only under torch.no_grad().",
        ),
        Program(
            "17 slice",
            "May one element of a leaf be written?",
            (_W, line("w[0] = 5", _write_element), _LOSS, _BACK_LOSS),
            "w[0] is a view of the leaf, and writing to it changes the leaf.",
        ),
        Program(
            "17 no_grad",
            "What does no_grad change?",
            (
                _W,
                _LOSS,
                _BACK_LOSS,
                line("with torch.no_grad(): w -= 0.1 * w.grad", _no_grad_update),
            ),
            "The leaf stays a leaf, its version goes up by one, and its .grad stays.",
        ),
        Program(
            "18 w = w - ...",
            "Why is w.grad None in the second round?",
            (
                _W,
                _LOSS,
                _BACK_LOSS,
                line("w = w - 0.1 * w.grad", lambda torch, t: t.w - 0.1 * t.w.grad, "w"),
                _LOSS,
                _BACK_LOSS,
            ),
            "The name w now means a computed tensor. Tick detach w here and w requires_grad.",
        ),
        Program(
            "19 four copies",
            "detach, .data, no_grad, clone: which lets gradients through?",
            (
                _X,
                line("d = x.detach()", lambda torch, t: t.x.detach(), "d"),
                line("p = x.data", lambda torch, t: t.x.data, "p"),
                line("with torch.no_grad(): n = x * 2", _no_grad_twice, "n"),
                line("c = x.clone()", lambda torch, t: t.x.clone(), "c"),
                line(
                    "z = (d + p + n + c).sum()", lambda torch, t: (t.d + t.p + t.n + t.c).sum(), "z"
                ),
                _BACK,
            ),
            "Only the clone is part of the graph: x.grad is 1, once.",
        ),
        Program(
            "22 second derivative",
            "What does create_graph=True change?",
            (
                _X,
                line("y = (x**3).sum()", lambda torch, t: (t.x**3).sum(), "y"),
                line(
                    "g = torch.autograd.grad(y, x, create_graph=True)[0]", _gradient_with_graph, "g"
                ),
                line("g.sum().backward()", lambda torch, t: t.g.sum().backward()),
            ),
            "The gradient g has a grad_fn itself, so backward can go on from it: 6x.",
        ),
        Program(
            "23 hook",
            "When does a hook see the gradient, and may it change it?",
            (
                _X,
                _TWICE,
                line(
                    "y.register_hook(lambda g: g * 10)",
                    lambda torch, t: t.y.register_hook(lambda g: g * 10) and None,
                ),
                line("z = (y * y).sum()", lambda torch, t: (t.y * t.y).sum(), "z"),
                _BACK,
            ),
            "The hook gets y's whole gradient once; what it returns goes on: ten times as much.",
        ),
        Program(
            "23 wrong size",
            "What may a hook return?",
            (
                _X,
                _TWICE,
                line(
                    "y.register_hook(lambda g: g[:1])",
                    lambda torch, t: t.y.register_hook(lambda g: g[:1]) and None,
                ),
                _SUM,
                _BACK,
            ),
            "A hook may change the numbers, not the shape.",
        ),
    )
}
