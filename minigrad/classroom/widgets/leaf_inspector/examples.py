"""The small programs of the leaf inspector: each settles a question about leaves, flags and hooks.

The numbers in the names are those of the course's list of confusions.
"""

from functools import partial

from ..shared.example import by_name
from .program import Program, line


def _program(first, name, question, note, lines):
    """A program of lines as they are run; the first makes the leaf that it is about."""
    steps = tuple(map(line, [first, *lines.split("\n")]))
    return Program(name, question, None, {}, note=note, steps=steps)


_of_x = partial(_program, "x = torch.tensor([1., 2., 3.], requires_grad=True)")
_of_w = partial(_program, "w = torch.tensor([1., 2.], requires_grad=True)")

EXAMPLES = by_name(
    _of_x(
        "flags",
        "Which are leaves, and which get a .grad?",
        "A tensor made from numbers is a leaf; one computed from tensors that require grad is not.",
        """\
c = torch.tensor([2., 0., -1.])
y = x * c
z = y.sum()
z.backward()""",
    ),
    _of_x(
        "5 saved value",
        "Why may y not be changed?",
        "exp keeps its result for backward, and its version tells that it was changed.",
        """\
y = x.exp()
y.add_(1)
z = y.sum()
z.backward()""",
    ),
    _of_x(
        "5 myth",
        "Does every in-place change break backward?",
        "No: x * 2 keeps the 2, not its result, so y may be changed.",
        """\
y = x * 2
y.add_(1)
z = y.sum()
z.backward()""",
    ),
    _of_x(
        "6 inner gradient",
        "Why is y.grad None?",
        "backward fills the .grad of leaves. Tick retain in y's row and look again.",
        """\
y = x * 2
z = y.sum()
z.backward()""",
    ),
    _of_x(
        "7 detached",
        "Why does the loss not require grad?",
        "After detach nothing is recorded: loss has no grad_fn, there is no way back.",
        """\
y = x * 2
d = y.detach()
loss = d.sum()
loss.backward()""",
    ),
    _of_x(
        "7 argmax",
        "Why does the loss not require grad?",
        "argmax gives a whole number, and whole numbers have no gradient.",
        """\
loss = x.argmax()
loss.backward()""",
    ),
    _of_w(
        "17 leaf in place",
        "How may a weight be updated?",
        "A leaf that requires grad may be changed in place only under torch.no_grad().",
        """\
loss = (w * w).sum()
loss.backward()
w -= 0.1 * w.grad""",
    ),
    _of_w(
        "17 slice",
        "May one element of a leaf be written?",
        "w[0] is a view of the leaf, and writing to it changes the leaf.",
        """\
w[0] = 5
loss = (w * w).sum()
loss.backward()""",
    ),
    _of_w(
        "17 no_grad",
        "What does no_grad change?",
        "The leaf stays a leaf, its version goes up by one, and its .grad stays.",
        """\
loss = (w * w).sum()
loss.backward()
with torch.no_grad(): w -= 0.1 * w.grad""",
    ),
    _of_w(
        "18 w = w - ...",
        "Why is w.grad None in the second round?",
        "The name w now means a computed tensor. In its row tick detach, then set requires_grad.",
        """\
loss = (w * w).sum()
loss.backward()
w = w - 0.1 * w.grad
loss = (w * w).sum()
loss.backward()""",
    ),
    _of_x(
        "19 four copies",
        "Which of four copies lets gradients through?",
        "Only the clone is part of the graph: x.grad is 1, once.",
        """\
d = x.detach()
p = x.data
with torch.no_grad(): n = x * 2
c = x.clone()
z = (d + p + n + c).sum()
z.backward()""",
    ),
    _of_x(
        "22 second derivative",
        "What does create_graph=True change?",
        "The gradient g has a grad_fn itself, so backward can go on from it: 6x.",
        """\
y = (x**3).sum()
g = torch.autograd.grad(y, x, create_graph=True)[0]
g.sum().backward()""",
    ),
    _of_x(
        "23 hook",
        "What does a hook see, and may it change it?",
        "The hook gets y's whole gradient once; what it returns goes on: ten times as much.",
        """\
y = x * 2
y.register_hook(lambda g: g * 10)
z = (y * y).sum()
z.backward()""",
    ),
)
