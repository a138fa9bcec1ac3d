"""Answers as learners hand them in: what is right is accepted, however odd, what is wrong is not,
and a sentence that is told is true of it.
"""

import subprocess
import sys
import threading

import pytest

import minigrad
import minigrad as torch
from minigrad.classroom import check, hint, lessons
from minigrad.classroom.lessons import every_lesson, intact, mend_cell, patience
from tests.cases import over
from tools.files import ROOT
from tools.kernels import running_kernel

EXERCISES = {one.name: one for lesson in every_lesson().values() for one in lesson.EXERCISES}


@pytest.fixture(autouse=True)
def no_cell_before(monkeypatch):
    monkeypatch.setattr(lessons, "_LAST", {})


def function(name, text):
    """The verdict on a function, from its text."""
    space = {"torch": torch}
    exec(text, space)
    return check(name, space[EXERCISES[name].answer])


def mended(name, *change):
    """The verdict on a program, or a part, after a change of the one that is handed out."""
    return check(name, exercises_changed(EXERCISES[name].program, change))


def solved(name, *change):
    """The same, of the solution."""
    return check(name, exercises_changed(EXERCISES[name].solution, change))


def solved_function(name, *change):
    """The same, where a function is the answer."""
    return function(name, exercises_changed(EXERCISES[name].solution, change))


def exercises_changed(text, change):
    for old, new in zip(change[::2], change[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new)
    return text


def _softsign():
    class Softsign(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x / (1 + x.abs())

        @staticmethod
        def backward(ctx, v):
            (x,) = ctx.saved_tensors
            return v / (1 + x.abs()) ** 2

    return Softsign


# --- right ----------------------------------------------------------------------------------------

MEAN = ("loss.backward()", "loss.mean().backward()")

MEAN_AND_ADDED = (
    "torch.FloatTensor([3])",
    "torch.tensor(3.)",
    "torch.FloatTensor([1, 10, 100])",
    "torch.FloatTensor([111])",
)
RIGHT = {
    "01-1 a plain number": lambda: function(
        "01-1",
        "def nudge(f, x, eps):\n    s = (f(x + eps) - f(x - eps)) / (2 * eps)\n"
        "    return s.tolist()",
    ),
    "02-3 more steps": lambda: mended("02-3", *MEAN, "range(40)", "range(400)"),
    "02-3 smaller steps, and more": lambda: mended(
        "02-3", "loss.backward()", "loss.sum().backward()", "0.3", "0.075"
    ),
    "02-3 without blanks": lambda: mended("02-3", *MEAN, "[1., 3., 0., 2.]", "[1.,3.,0.,2.]"),
    "02-3 zeros behind the points": lambda: mended(
        "02-3",
        *MEAN,
        "t = torch.tensor([1., 3., 0., 2.])",
        "t=torch.tensor( [1.0, 3.0, 0.0, 2.0] )",
    ),
    "05-1 a list": lambda: check("05-1", [-0.5, -1, 0.5, 0]),
    "06-3 the way the lesson names": lambda: function(
        "06-3", "def unbroadcast(g, shape):\n    return g.sum_to_size(shape)"
    ),
    "06-3 other names of the engine": lambda: function(
        "06-3",
        "def unbroadcast(g, shape):\n    x = (g.sum() * 0.).expand(shape)\n"
        "    x = x.clone().requires_grad_()\n"
        "    return torch.autograd.grad((x + g * 0.).reshape(-1), x, g.reshape(-1))[0]",
    ),
    "07-2 what is saved is another matter": lambda: solved_function(
        "07-2",
        "ctx.save_for_backward(x)",
        "ctx.save_for_backward(1 / (1 + x.abs()))",
        "x, = ctx.saved_tensors",
        "one, = ctx.saved_tensors",
        "v / (1 + x.abs())**2",
        "v * one * one",
    ),
    "07-2 another name": lambda: check(
        "07-2", lambda x, v: torch.autograd.grad(_softsign().apply(x), x, v)[0]
    ),
    "07-1 a heap": lambda: function(
        "07-1",
        "import heapq\ndef order(operands, root):\n    ready, found = [-root], []\n"
        "    while ready:\n        node = -heapq.heappop(ready)\n"
        "        if node not in found:\n            found.append(node)\n"
        "            for one in operands[node]: heapq.heappush(ready, -one)\n    return found",
    ),
    "04-1 at once": lambda: function(
        "04-1", "def collect_rows(f, x):\n    return torch.func.jacrev(f)(x)"
    ),
    "10-1 flags": lambda: check(
        "10-1",
        [[True] * 3, [True, False, False], [False, True, False], [1, 0, 0], (False, True, False)],
    ),
    "00-1 a parameter": lambda: check(
        "00-1", torch.nn.Parameter(torch.arange(1.0, 7.0).view(2, 3))
    ),
    "03-2 number by number": lambda: function(
        "03-2",
        "def vjp_by_weighted_sum(f, x, v):\n    z = x.detach().clone()\n"
        "    z.requires_grad = True\n"
        "    L = 0\n    for a, b in zip(f(z).flatten(), v.flatten()):\n        L = L + a * b\n"
        "    L.backward()\n    return z.grad",
    ),
    "02-1 four digits": lambda: check("02-1", torch.full((3, 2), 0.1667)),
    "03-2 each number a pass of its own": lambda: function(
        "03-2",
        "def vjp_by_weighted_sum(f, x, v):\n    x.grad = None\n"
        "    for k in range(v.numel()):\n"
        "        (f(x).flatten()[k] * v.flatten()[k]).backward()\n    return x.grad",
    ),
    "04-1 by torch.autograd.grad": lambda: function(
        "04-1",
        "def collect_rows(f, x):\n"
        "    n = len(f(x))\n"
        "    rows = [torch.autograd.grad(f(x)[k], x)[0] for k in range(n)]\n"
        "    return torch.stack(rows)",
    ),
    "02-3 one line in two": lambda: mended(
        "02-3", *MEAN, "[1., 3., 0., 2.])", "[1., 3.,\n    0., 2.])  # paid"
    ),
    "08-1 cleared with zeros": lambda: mended(
        "08-1", "* b.grad", "* b.grad\n    w.grad, b.grad = torch.zeros(2), torch.tensor(0.)"
    ),
    "08-1 an optimizer": lambda: mended(
        "08-1",
        "losses = []",
        "losses = []\nmover = torch.optim.SGD([w, b], lr=0.3)",
        "    with torch.no_grad():\n        w -= 0.3 * w.grad\n        b -= 0.3 * b.grad",
        "    mover.step()\n    mover.zero_grad()",
    ),
    "08-2 without .grad": lambda: function(
        "08-2",
        "def grads_in_parts(parts, w, b):\n    n = sum(len(t) for X, t in parts)\n"
        "    g, h = torch.zeros_like(w), torch.zeros_like(b)\n    for X, t in parts:\n"
        "        loss = ((X @ w + b - t)**2).sum() / n\n"
        "        one, two = torch.autograd.grad(loss, [w, b])\n        g, h = g + one, h + two\n"
        "    return g, h",
    ),
    "09-1 not retained, by its name and by place": lambda: mended(
        "09-1",
        "l1.backward()\nl2.backward()",
        "l3 = l1 + l2\nl3.backward(None, False, create_graph=False)",
    ),
    "05-3 cleared when used": lambda: mended(
        "05-3",
        "cuts[k + 1].grad)",
        "cuts[k + 1].grad)\n        cuts[k+1].grad.zero_()",
    ),
    "12-8 a larger rate": lambda: solved(
        "12-8", "-= 0.3 * w", "-= 0.4 * w", "-= 0.3 * b", "-= 0.4 * b"
    ),
    "03-2 one-hot rows": lambda: function(
        "03-2",
        "def vjp_by_weighted_sum(f, x, v):\n    rows = []\n    for e in torch.eye(v.numel()):\n"
        "        x.grad = None\n        f(x).backward(e.reshape(v.shape))\n"
        "        rows.append(x.grad)\n    return sum(k * r for k, r in zip(v.reshape(-1), rows))",
    ),
    "12-12 made in two lines": lambda: mended(
        "12-12",
        "W, b = torch.zeros(64, 10, requires_grad=True), torch.zeros(10, requires_grad=True)",
        "W: object = torch.zeros(64, 10)\nb = torch.zeros(10)\n"
        "W.requires_grad = b.requires_grad = True",
        "W = W - 1.0",
        "W.data -= 1.0",
        "b = b - 1.0",
        "b.data -= 1.0",
    ),
    "12-7 asked for": lambda: mended(
        "12-7",
        "loss.backward()",
        "g = torch.autograd.grad(loss, [p, w])\np.grad, w.grad = g",
    ),
    "12-9 a product": lambda: mended(
        "12-9", "e /= e.sum(dim=1, keepdim=True)", "e = e * (1 / e.sum(dim=1, keepdim=True))"
    ),
    "12-4 stored by a pass": lambda: mended(
        "12-4",
        "g, = torch.autograd.grad(y, x, grad_outputs=v)",
        "y.backward(v.reshape(2, 2))\ng = x.grad",
    ),
    "12-7 a hook that sets it": lambda: mended(
        "12-7", "loss.", "def keep(gradient):\n    p.grad = gradient\np.register_hook(keep)\nloss."
    ),
    "12-7 a hook that sets a copy": lambda: mended(
        "12-7", "loss.", "p.register_hook(lambda g: setattr(p, 'grad', g.clone()))\nloss."
    ),
    "12-10 their sum": lambda: mended(
        "12-10",
        "loss.backward()\noptimizer.step()\npenalty.backward()",
        "total = loss + penalty\ntotal.backward()\noptimizer.step()",
    ),
    "06-1 one image after the other": lambda: mended(
        "06-1", "e / e.sum(dim=0)", "torch.stack([one / one.sum() for one in e])"
    ),
    "06-1 by logarithms": lambda: mended(
        "06-1", "p = e / e.sum(dim=0)", "p = (e.log() - e.sum(dim=1).log()[:, None]).exp()"
    ),
    "11-1 a variable called data": lambda: solved(
        "11-1", "losses.append(loss.item())", "data = loss.item(); losses.append(data)"
    ),
    "11-1 a name for the steps": lambda: solved(
        "11-1", "for step in range(40)", "steps = 40\nfor step in range(steps)"
    ),
    "09-1 both roots in one call": lambda: mended(
        "09-1", "l1.backward()\nl2.backward()", "torch.autograd.backward([l1, l2])"
    ),
    "10-2 both by a loop": lambda: mended(
        "10-2",
        "0.5 * torch.ones(2, requires_grad=True)",
        "torch.full((2,), 0.5, requires_grad=True)",
        ".detach()",
        "",
        "abs_()",
        "abs()",
        "    w = w - 0.3 * w.grad\n    b -= 0.3 * b.grad\n    w.grad = b.grad = None",
        "    for p in (w, b):\n        p.data -= 0.3 * p.grad\n        p.grad = None",
    ),
    "11-2 a function that asks for a gradient": lambda: mended(
        "11-2",
        "(a * a).backward(torch.FloatTensor([1, 0, -1]))",
        "def gradient(out, x, v):\n    return torch.autograd.grad(out, x, v)[0]\n"
        "a.grad = gradient(a * a, a, torch.tensor([1., 0., -1.]).expand(2, 3))",
        *MEAN_AND_ADDED,
    ),
    "10-1 a tensor": lambda: check(
        "10-1", torch.tensor([[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]])
    ),
    "12-11 a copy in place": lambda: mended(
        "12-11", "w -= 0.3 * w.grad", "with torch.no_grad(): w.copy_(w - 0.3 * w.grad)"
    ),
    "13-2 lists": lambda: solved("13-2", "(g, g)", "[g, g.copy()]"),
    "13-3 a full stop": lambda: solved("13-3", "scalar outputs", "scalar outputs."),
}


@over("name", RIGHT)
def test_what_is_right_is_accepted(name):
    verdict = RIGHT[name]()
    assert verdict.passed, verdict


# --- wrong, and what is said of it ----------------------------------------------------------------

FORMULA = "a formula wrote it. Let backward find it."
NO_SENTENCE = None

WRONG = {
    "13-1 a set": (
        lambda: solved("13-1", "self.parents = parents", "self.parents = set(parents)"),
        "; it should be a, b",
    ),
    "13-1 each once": (
        lambda: solved("13-1", "= parents\n", "= list(dict.fromkeys(parents))\n"),
        "has to be there twice",
    ),
    "13-1 nothing": (
        lambda: solved("13-1", "self.rule = rule", "self.rule = lambda g: 1"),
        "out.rule is a function; it should be f.",
    ),
    "13-2 three shares for two": (
        lambda: solved("13-2", "(g, g)", "(g, g, g)"),
        "len(out.rule(g)) is 3; it should be 2.",
    ),
    "08-2 not cleared": (
        lambda: function(
            "08-2",
            "def grads_in_parts(parts, w, b):\n    n = 0\n    for X, t in parts:\n"
            "        ((X @ w + b - t)**2).sum().backward()\n        n += len(t)\n"
            "    w.grad /= n\n    b.grad /= n\n    return w.grad, b.grad",
        ),
        "This one finds something that was there before",
    ),
    "12-1 item": (
        lambda: mended("12-1", "loss.backward()", "loss.mean().item().backward()"),
        "A plain number has no backward",
    ),
    "02-3 no brackets": (lambda: mended("02-3", "- t)**2", "- t)**2.mean()"), "needs brackets"),
    "03-2 another name": (
        lambda: function("03-2", "def vjp_by_weighted_sum(f, x, v):\n    f(x).backward(v=v)"),
        "is called gradient",
    ),
    "08-1 none": (
        lambda: mended("08-1", "* b.grad", "* b.grad\n    w.grad = b.grad = none"),
        "Did you mean None?",
    ),
    "11-1 one thing at a time": (
        lambda: mended("11-1", "loss.data[0]", "loss.data.item()"),
        "The numbers are right. Now port the rest: no Variable is needed, and so no import of it.",
    ),
    "13-1 None": (
        lambda: solved("13-1", "self.parents = parents", "self.parents = None"),
        "a.parents is None; it should be no values.",
    ),
    "13-3 ==": (lambda: solved("13-3", "v is None and", "v == None and"), "asked with: v is None."),
    "13-3 the class": (
        lambda: solved("13-3", "raise mismatch(v, out)", "raise mismatch(Value, out)"),
        "give it v, the array",
    ),
    "13-4 one array for two": (
        lambda: solved(
            "13-4",
            "arrived.get(parent, 0) + share",
            "arrived[parent] + share if parent in arrived else share",
            "value.grad = arrived[value] + (0 if value.grad is None else value.grad)",
            "if value.grad is None: value.grad = arrived[value]\n"
            "            else: value.grad += arrived[value]",
        ),
        "the very array that arrived",
    ),
    "13-5 no return": (
        lambda: solved("13-5", "    return g\n", "    g\n"),
        "(2, 3)) is None; it should be numbers. A function without return gives None.",
    ),
    "11-1 the import left": (
        lambda: check("11-1", "from torch.autograd import Variable\n" + EXERCISES["11-1"].solution),
        "and so no import of it",
    ),
    "11-1 .data by its name": (
        lambda: solved("11-1", "p -= 0.3 * p.grad", "getattr(p, 'data').sub_(0.3 * p.grad)"),
        "no .data is needed",
    ),
    "11-1 .data by a name that is put together": (
        lambda: solved("11-1", "p -= 0.3 * p.grad", "getattr(p, 'da' + 'ta').sub_(0.3 * p.grad)"),
        "no .data is needed",
    ),
    "11-2 a formula in a function": (
        lambda: mended(
            "11-2",
            "(a * a).backward(torch.FloatTensor([1, 0, -1]))",
            "def formula(a):\n    return 2 * a.detach() * torch.tensor([1., 0., -1.])\n"
            "(a * a).sum().backward()\na.grad = formula(a)",
            *MEAN_AND_ADDED,
        ),
        FORMULA,
    ),
    "11-2 a formula, written by a function": (
        lambda: mended(
            "11-2",
            "(a * a).backward(torch.FloatTensor([1, 0, -1]))",
            "def put(x, value):\n    x.grad = value\n(a * a).sum().backward()\n"
            "put(a, 2 * a.detach() * torch.tensor([1., 0., -1.]))",
            *MEAN_AND_ADDED,
        ),
        FORMULA,
    ),
    "11-1 a new p": (
        lambda: mended(
            "11-1", "loss.data[0]", "loss.item()", "p.data -= 0.3 * p.grad.data", "p = p - p.grad"
        ),
        NO_SENTENCE,
    ),
    "08-2 one cat": (
        lambda: function(
            "08-2",
            "def grads_in_parts(parts, w, b):\n    w.grad = b.grad = None\n"
            "    X, t = (torch.cat(one) for one in zip(*parts))\n"
            "    ((X @ w + b - t)**2).mean().backward()\n    return w.grad, b.grad",
        ),
        "Call backward once for each part",
    ),
    "12-11 a new leaf": (
        lambda: mended(
            "12-11", "w -= 0.3 * w.grad", "w = (w - 0.3 * w.grad).detach().requires_grad_()"
        ),
        "At the end w is another tensor; it should be the tensor of the beginning.",
    ),
    "09-1 retained by place": (
        lambda: mended("09-1", "l1.backward()", "l1.backward(None, True)"),
        "without keeping the graph",
    ),
    "09-2 retained by place": (
        lambda: mended(
            "09-2", "((p - t)**2)", "((X @ w + b - t)**2)", "retain_graph=True", "None, True"
        ),
        "without keeping the graph",
    ),
    "09-1 retained by a dictionary": (
        lambda: mended("09-1", "l1.backward()", "l1.backward(**{'retain_graph': True})"),
        "without keeping the graph",
    ),
    "09-1 made differentiable by place": (
        lambda: mended("09-1", "l1.backward()", "l1.backward(None, None, True)"),
        "without keeping the graph",
    ),
    "09-1 made differentiable by name": (
        lambda: mended("09-1", "l1.backward()", "l1.backward(create_graph=True)"),
        "as retain_graph does",
    ),
    "09-1 retained by what is unpacked": (
        lambda: mended("09-1", "l1.backward()", "l1.backward(*(None, True))"),
        "without keeping the graph",
    ),
    "09-1 retained by a name that is put together": (
        lambda: mended("09-1", "l1.backward()", "l1.backward(**{'retain' + '_graph': True})"),
        "without keeping the graph",
    ),
    "09-2 no step": (
        lambda: solved("09-2", "    optimizer.step()", ""),
        "The parameters never move",
    ),
    "09-2 the step before backward": (
        lambda: solved(
            "09-2",
            "loss.backward()\n    optimizer.step()",
            "optimizer.step()\n    loss.backward()",
        ),
        "the first one. Each step has to come",
    ),
    "07-3 by looking": (
        lambda: function(
            "07-3", "def which(engine):\n    return 'whole' if engine.waits else 'recurses'"
        ),
        "has no attribute 'waits'",
    ),
    "00-1 a branch": (
        lambda: check("00-1", torch.arange(1.0, 7.0).requires_grad_().reshape(2, 3)),
        "Reshape first",
    ),
    "02-2 a formula": (
        lambda: mended("02-2", "(a * a).backward()", "a.grad = 2 * a.detach()"),
        NO_SENTENCE,
    ),
    "12-2 a formula": (
        lambda: mended("12-2", "p.backward([1., 2., 3., 4.])", "w.grad = torch.arange(1., 5.) @ X"),
        FORMULA,
    ),
    "12-5 a formula": (
        lambda: mended(
            "12-5",
            "torch.no_grad()",
            "torch.enable_grad()",
            "loss.backward()",
            "loss.backward(inputs=[W])\n"
            "g = 0.1 - torch.stack([(labels == k).sum() for k in range(10)]) / 256\nb.grad = g",
        ),
        FORMULA,
    ),
    "12-1 a pass that begins at w": (
        lambda: mended("12-1", "loss.backward()", "w.backward(2 * (X @ w - t).detach() @ X / 4)"),
        FORMULA,
    ),
    "12-2 a pass that begins at w": (
        lambda: mended(
            "12-2", "p.backward([1., 2., 3., 4.])", "w.backward(torch.arange(1., 5.) @ X)"
        ),
        FORMULA,
    ),
    "12-2 a pass, and a formula over it": (
        lambda: mended(
            "12-2",
            "p.backward([1., 2., 3., 4.])",
            "p.sum().backward()\nw.grad.copy_(torch.arange(1., 5.) @ X)",
        ),
        FORMULA,
    ),
    "12-4 a formula": (
        lambda: mended(
            "12-4",
            "g, = torch.autograd.grad(y, x, grad_outputs=v)",
            "y.sum().backward()\ng = torch.stack([z[0] + 10 * z[1], 0 * z[0]])",
        ),
        "a formula wrote it",
    ),
    "12-7 a copy of a formula": (
        lambda: mended(
            "12-7", "loss.backward()", "loss.backward()\np.grad = ((p - t) / 2).detach().clone()"
        ),
        FORMULA,
    ),
    "12-10 the penalty by hand": (
        lambda: mended(
            "12-10",
            "penalty.backward()",
            "with torch.no_grad(): w -= 0.5 * 0.2 * torch.tensor([1., 2.])",
        ),
        "a formula stands in place of its backward",
    ),
    "12-5 only b is reached": (
        lambda: mended("12-5", "torch.no_grad()", "torch.enable_grad()", " @ W", " @ W.detach()"),
        "b has its gradient, W has none",
    ),
    "12-5 cleared at the end": (
        lambda: solved("12-5", "loss.backward()", "loss.backward()\nW.grad.zero_()"),
        "W.grad[1, 0] is 0",
    ),
    "12-9 only b is reached": (
        lambda: solved("12-9", "(pixels @ W + b)", "((pixels @ W).detach() + b)"),
        "b has its gradient, W has none",
    ),
    "12-12 leaves at the end alone": (
        lambda: mended(
            "12-12",
            "    W.grad = b.grad = None",
            "    W.retain_grad(); b.retain_grad()\n    W.grad = b.grad = None\n"
            "W.detach_().requires_grad_(); b.detach_().requires_grad_()",
        ),
        "W and b are no leaves",
    ),
    "07-1 deletes keys": (
        lambda: function(
            "07-1",
            "def order(operands, root):\n    reached = {root}\n"
            "    for n in sorted(operands, reverse=True):\n"
            "        if n in reached: reached.update(operands[n])\n"
            "        else: del operands[n]\n    return list(operands)",
        ),
        "After the call operands",
    ),
    "07-2 another function": (
        lambda: solved_function("07-2", "x / (1 + x.abs())", "x / (1 + x)"),
        "forward computes something else",
    ),
    "12-10 no step": (
        lambda: mended("12-10", "optimizer.step()\n", ""),
        "no step was taken, or no gradient was there",
    ),
    "12-8 cleared too early": (
        lambda: mended(
            "12-8",
            "    loss.backward()\n",
            "    w.grad = b.grad = None\n    loss = ((X @ w + b - t)**2).mean().detach()\n",
        ),
        "cleared before the step",
    ),
    "12-12 cleared too early": (
        lambda: mended("12-12", "    W = W", "    W.grad = None\n    W = W"),
        "cleared before the step",
    ),
    "12-6 a leaf of stacked numbers": (
        lambda: mended(
            "12-6",
            ".item()",
            ".detach()",
            "torch.tensor(losses, requires_grad=True)",
            "torch.stack(losses).requires_grad_()",
        ),
        "none of them leads back to w",
    ),
    "13-3 len": (
        lambda: solved("13-3", "out.data.size != 1", "out.data.ndim and len(out.data) != 1"),
        "one row of three numbers",
    ),
    "13-3 sorted shapes": (
        lambda: solved(
            "13-3", "v.shape != out.data.shape", "sorted(v.shape) != sorted(out.data.shape)"
        ),
        "it is another shape",
    ),
    "13-4 order as handed out": (
        lambda: check(
            "13-4",
            EXERCISES["13-4"].program.split("def backward")[0]
            + "def backward"
            + EXERCISES["13-4"].solution.split("def backward")[1],
        ),
        "order still lists the root first",
    ),
    "13-4 root first, walked forwards": (
        lambda: solved(
            "13-4",
            "return found",
            "return found[::-1]",
            "reversed(order(out, []))",
            "order(out, [])",
        ),
        "A value comes before its parents",
    ),
    "13-4 path by path": (
        lambda: check(
            "13-4",
            EXERCISES["13-4"].solution.split("def backward")[0]
            + "def backward(out, v=None):\n    def back(value, g):\n        if not value.parents:\n"
            "            value.grad = g + (0 if value.grad is None else value.grad)\n"
            "        for parent, share in shares(value, g): back(parent, share)\n"
            "    back(out, start(out, v))\nValue.backward = backward",
        ),
        "once for each path",
    ),
    "13-5 two axes at most": (
        lambda: solved(
            "13-5",
            "    while g.ndim > len(shape):\n        g = g.sum(axis=0)",
            "    if g.ndim > len(shape): g = g.sum(axis=0)\n" * 2,
        ),
        "repeat until",
    ),
    "12-7 a formula": (
        lambda: mended("12-7", "loss.backward()", "loss.backward()\np.grad = (p - t) / 2"),
        FORMULA,
    ),
    "05-2 a copy of x": (
        lambda: solved_function("05-2", "y = left(x)", "y = left(x.detach())"),
        "or left was given a copy of x",
    ),
    "05-3 by a formula": (
        lambda: mended(
            "05-3",
            "w.grad.item()",
            "(last + 1) * 0.2**last * cuts[0].item()",
            "w.grad = None",
            "pass",
        ),
        "With other numbers at the cuts",
    ),
    "06-3 two ifs": (
        lambda: function(
            "06-3",
            "def unbroadcast(g, shape):\n"
            "    if g.dim() > len(shape): g = g.sum(dim=0)\n"
            "    if g.dim() > len(shape): g = g.sum(dim=0)\n"
            "    for k, size in enumerate(shape):\n"
            "        if size == 1: g = g.sum(dim=k, keepdim=True)\n    return g",
        ),
        "More than two dimensions may be missing",
    ),
    "07-1 one operand of each": (
        lambda: function(
            "07-1",
            "def order(operands, root):\n    found = [root]\n    while operands[found[-1]]:\n"
            "        found.append(max(operands[found[-1]]))\n    return found",
        ),
        "A node on another path is never found",
    ),
    "07-2 a formula": (
        lambda: function("07-2", "def x_grad(x, v):\n    return v / (1 + x.abs())**2"),
        "it must come from Softsign",
    ),
    "08-2 a formula": (
        lambda: function(
            "08-2",
            "def grads_in_parts(parts, w, b):\n    X, t = (torch.cat(one) for one in zip(*parts))\n"
            "    g = 2 * (X @ w + b - t).detach() / len(t)\n    return g @ X, g.sum()",
        ),
        "Call backward once for each part",
    ),
    "08-2 formulas handed to the leaves": (
        lambda: function(
            "08-2",
            "def grads_in_parts(parts, w, b):\n    w.grad = b.grad = None\n"
            "    n = sum(len(t) for X, t in parts)\n    for X, t in parts:\n"
            "        g = 2 * (X @ w + b - t).detach() / n\n"
            "        torch.autograd.backward([w, b], [g @ X, g.sum()])\n    return w.grad, b.grad",
        ),
        "Call backward once for each part",
    ),
    "08-2 both losses in one pass": (
        lambda: function(
            "08-2",
            "def grads_in_parts(parts, w, b):\n    w.grad = b.grad = None\n"
            "    n = sum(len(t) for X, t in parts)\n"
            "    losses = [((X @ w + b - t)**2).sum() / n for X, t in parts]\n"
            "    torch.autograd.backward(losses)\n    return w.grad, b.grad",
        ),
        "Call backward once for each part",
    ),
    "08-2 once for each receipt": (
        lambda: function(
            "08-2",
            "def grads_in_parts(parts, w, b):\n    w.grad = b.grad = None\n"
            "    n = sum(len(t) for X, t in parts)\n    for X, t in parts:\n"
            "        for row, paid in zip(X, t): ((row @ w + b - paid)**2 / n).backward()\n"
            "    return w.grad, b.grad",
        ),
        "Call backward once for each part",
    ),
    "08-2 one for all, and idle ones": (
        lambda: function(
            "08-2",
            "def grads_in_parts(parts, w, b):\n    w.grad = b.grad = None\n"
            "    n = sum(len(t) for X, t in parts)\n"
            "    sum(((X @ w + b - t)**2).sum() / n for X, t in parts).backward()\n"
            "    for one in parts[1:]: (0 * w).sum().backward()\n    return w.grad, b.grad",
        ),
        "Call backward once for each part",
    ),
    "07-1 text": (
        lambda: check("07-1", lambda operands, root: [str(k) for k in sorted(operands)][::-1]),
        "leave the quotation marks, or str(), away",
    ),
    "07-1 read once": (
        lambda: check("07-1", lambda operands, root: reversed(sorted(operands))),
        "can be read only once: make a list of it",
    ),
    "10-2 tensors in the log": (
        lambda: solved("10-2", "[loss.item()", "[loss.detach()"),
        "type(log[0][0]) is 'Tensor'; it should be 'float'.",
    ),
    "10-2 a loss that requires grad": (
        lambda: mended(
            "10-2", "    loss.backward()", "    loss.requires_grad_()\n    loss.backward()"
        ),
        "or nothing leads from the loss back to it",
    ),
    "10-2 cleared before the step": (
        lambda: solved("10-2", "    loss.backward()", "    loss.backward()\n    w.grad = None"),
        "or it was cleared too early",
    ),
    "10-3 no backward": (
        lambda: solved_function("10-3", "right(y).backward()", "right(y)"),
        "Is there a backward pass",
    ),
    "10-3 nudged by a half": (
        lambda: function(
            "10-3",
            "def inner_gradient(left, right, x):\n    y = left(x).detach()\n"
            "    g = torch.zeros_like(y)\n    for k in range(y.numel()):\n"
            "        e = torch.zeros_like(y)\n        e.reshape(-1)[k] = 0.5\n"
            "        g += 2 * e * (right(y + e) - right(y - e))\n    return g",
        ),
        None,
    ),
    "10-3 a tuple": (
        lambda: function(
            "10-3",
            "def inner_gradient(left, right, x):\n    y = left(x)\n"
            "    g = torch.autograd.grad(right(y), y)\n    return g",
        ),
        "returns a tuple",
    ),
    "01-2 a text": (lambda: check("01-2", "24*x**2"), "text, from quotation marks or str()"),
    "02-3 a plain weight": (
        lambda: mended("02-3", *MEAN, "mean().backward()", "mean().backward(1)"),
        "backward takes a tensor: backward(torch.tensor(1.)).",
    ),
    "02-3 a power": (lambda: mended("02-3", "**2", "^2"), "In Python ^ is no power"),
    "02-3 a slip": (lambda: mended("02-3", *MEAN, "* w.grad", "* w.gard"), "Did you mean .grad?"),
    "02-3 one receipt counts a little more": (
        lambda: mended(
            "02-3", "loss.backward()", "loss.backward(torch.tensor([.25, .25, .25, .27]))"
        ),
        NO_SENTENCE,
    ),
    "02-2 typed for the numbers at hand": (
        lambda: solved(
            "02-2",
            "(b * b).backward(torch.ones(2, 3))",
            "(b * torch.tensor([[2., 4., 6.], [8., 10., 12.]])).sum().backward()",
        ),
        "With b = ",
    ),
    "02-2 ones typed for c": (
        lambda: solved(
            "02-2", "(c * c).mean().backward()", "c.backward(torch.tensor([2., 4., 6.]) / 3)"
        ),
        "With c = ",
    ),
    "02-2 a factor typed for d": (
        lambda: solved(
            "02-2",
            "(d * d).backward(torch.tensor([1.]))",
            "(8 * d).backward(torch.tensor([1.]))",
        ),
        "With d = ",
    ),
    "02-2 the second one without an argument": (
        lambda: solved("02-2", "(b * b).backward(torch.ones(2, 3))", "(b * b).backward()"),
        "here there are several",
    ),
    "03-2 v given number by number": (
        lambda: function(
            "03-2",
            "def vjp_by_weighted_sum(f, x, v):\n    x.grad = None\n"
            "    for k in range(v.numel()):\n"
            "        f(x).reshape(-1)[k].backward(v.reshape(-1)[k])\n    return x.grad",
        ),
        "the engine was given v",
    ),
    "03-2 a copy is used": (
        lambda: function(
            "03-2",
            "def vjp_by_weighted_sum(f, x, v):\n    x.grad = None\n"
            "    z = x.detach().clone().requires_grad_()\n"
            "    (f(z) * v).sum().backward()\n    return x.grad",
        ),
        "the very tensor with which f was called",
    ),
    "04-1 by differences": (
        lambda: function(
            "04-1",
            "def collect_rows(f, x):\n    z = x.detach()\n"
            "    columns = [(f(z + e) - f(z - e)) / 2 for e in torch.eye(len(z))]\n"
            "    return torch.stack(columns, dim=1)",
        ),
        "tanh",
    ),
    "08-1 a slip": (
        lambda: mended("08-1", "losses.append", "lossses.append"),
        "Did you mean losses?",
    ),
    "04-1 a slip": (
        lambda: function("04-1", "def collect_rows(f, x):\n    return torch.stakc([x])"),
        "Did you mean torch.stack?",
    ),
    "08-1 zero_grad": (
        lambda: mended("08-1", "    loss.backward()", "    w.zero_grad()\n    loss.backward()"),
        "zero_grad belongs to an optimizer",
    ),
    "04-1 zero_ without a copy": (
        lambda: function(
            "04-1",
            "def collect_rows(f, x):\n    rows = []\n    for v in torch.eye(len(f(x))):\n"
            "        if x.grad is not None: x.grad.zero_()\n        f(x).backward(v)\n"
            "        rows.append(x.grad)\n    return torch.stack(rows)",
        ),
        "append x.grad.clone()",
    ),
    "04-1 cleared after append": (
        lambda: function(
            "04-1",
            "def collect_rows(f, x):\n    rows = []\n    for v in torch.eye(len(f(x))):\n"
            "        f(x).backward(v)\n        rows.append(x.grad)\n        x.grad = None\n"
            "    return torch.stack(rows)",
        ),
        "clear before each backward()",
    ),
    "08-1 w set to zero": (
        lambda: mended("08-1", "* b.grad", "* b.grad\n        w.zero_(), b.zero_()"),
        "or w and b were set to 0",
    ),
    "09-2 no_grad": (
        lambda: mended("09-2", "p = X @ w + b\n", "with torch.no_grad(): p = X @ w + b\n"),
        "by detach or by no_grad",
    ),
    "01-1 a finer formula": (
        lambda: function(
            "01-1",
            "def nudge(f, x, e):\n    return (8 * f(x + e) - 8 * f(x - e) + f(x - 2 * e)"
            " - f(x + 2 * e)) / (12 * e)",
        ),
        "nearer to the slope than two nudges by eps come",
    ),
}


@over("name", WRONG)
def test_what_is_wrong_is_not_accepted(name):
    hand_in, told = WRONG[name]
    verdict = hand_in()
    assert not verdict.passed, verdict
    assert (told or "") in " ".join(verdict.lines), verdict


def test_no_sentence_is_told_of_another_program():
    """One differing element may be a coincidence."""
    few = mended("02-3", *MEAN, "range(40)", "range(4)")
    assert not few.passed and len(few.lines) == 1
    rare = mended(
        "08-1",
        "* b.grad",
        "* b.grad\n    if step % 2: w.grad = b.grad = None",
    )
    assert not rare.passed and len(rare.lines) == 1
    twice = mended(
        "12-7",
        "loss.backward()",
        "p.retain_grad()\nloss.backward(retain_graph=True)\nloss.backward()",
    )
    assert not twice.passed and "errors" not in " ".join(twice.lines)
    error = mended("10-2", "0.5 * torch.ones(2", "torch.full((2,), 0.5")
    assert "Nothing leads from the loss back" in error.lines[1]


# --- by hand --------------------------------------------------------------------------------------


def test_a_number_worked_out_by_hand_is_not_told():
    assert check("01-2", 0).lines == ["slope is 0; that is too small."]
    assert check("01-2", 500.0).lines == ["slope is 500; that is too large."]
    assert check("01-2", float("nan")).lines == ["slope is nan; that is too odd."]
    assert "96" not in repr(check("01-2", 48))
    table = [[1, 1, 1], [1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert check("10-1", table).lines == ["In the row of m one entry is wrong."]
    table[1] = [0, 0, 1]
    assert check("10-1", table).lines == ["In the row of q 2 entries are wrong."]


# --- what is printed, and what does not end -------------------------------------------------------


def test_what_a_checked_function_prints_is_shown_once():
    listed = "sorted(operands)[::-1] if root < 4 else 0"
    verdict = function(
        "07-1", f"def order(operands, root):\n    print('<', root)\n    return {listed}"
    )
    assert repr(verdict).endswith("It printed:\n< 4") and "&lt; 4" in verdict._repr_html_()
    space = {"torch": torch}
    exec("def nudge(f, x, eps):\n    print('x' * 999)\n    for k in range(99): print(k)", space)
    told = repr(check("01-1", space["nudge"]))
    assert told.endswith("18\n...") and max(map(len, told.splitlines())) <= 100


def test_who_waits_is_told_how_to_stop(monkeypatch, capsys):
    said, say = threading.Event(), print
    monkeypatch.setattr(
        patience, "print", lambda *a, **k: (say(*a, **k), said.set()), raising=False
    )
    monkeypatch.setattr(patience, "SECONDS", 0.05)
    check("07-1", lambda operands, root: said.wait(120) and print("not now"))
    shown = capsys.readouterr().out
    assert shown == f"Still running. If it does not end, {patience.HOW_TO_STOP}.\n"
    monkeypatch.setattr(patience, "SECONDS", 3600)
    assert check("01-2", 96).passed and capsys.readouterr().out == ""
    clocks = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    assert all(one.finished.is_set() for one in clocks)  # none rings after its check


def test_without_threads_a_check_goes_on(monkeypatch):
    def no_threads(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(patience.threading.Timer, "start", no_threads)
    assert check("01-2", 96).passed


# --- the engine is not to be changed --------------------------------------------------------------

CHANGES = [
    "torch.Tensor.backward = None",
    "torch.Tensor.backward = lambda self, *given: None",
    "torch.Tensor.__matmul__ = lambda self, other: self",
    "torch.Tensor.grad = 3",
    "del torch.Tensor.mean",
    "torch.autograd.grad = None",
    "torch.zeros = torch.ones",
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_program_that_changes_the_engine_does_not_change_the_reference(change):
    case = EXERCISES["12-1"]
    for hand_in in (lambda text: mend_cell("12-1", text, {}), lambda text: check("12-1", text)):
        verdict = hand_in(f"{change}\n{case.program}")
        assert not verdict.passed and "the engine is not to be changed" in verdict.lines[-1]
    assert check("12-1", case.solution).passed and not check("12-1", case.program).passed
    assert len(mend_cell("12-1", case.solution, {}).lines) == 1


def test_what_a_cell_before_has_changed_is_put_back(monkeypatch):
    monkeypatch.setattr(minigrad.Tensor, "sum", None)
    verdict = check("01-2", 96)
    assert minigrad.ones(3).sum().item() == 3
    assert verdict.passed and verdict.lines[-1].startswith("torch.Tensor.sum was replaced")
    minigrad.Tensor.mine = lambda self: self * 2  # what is added stays
    try:
        assert len(check("01-2", 96).lines) == 1 and minigrad.ones(1).mine().item() == 2
    finally:
        del minigrad.Tensor.mine
    assert intact.what_was_changed(["a", "b", "a"])[0].startswith("a, b were replaced, and are put")


def test_what_pytorch_wraps_itself_is_not_laid_to_the_learner():
    """In a new process, because it wraps torch.manual_seed when the first optimizer is made. What a
    learner puts there is put back all the same."""
    program = (
        "import torch\n"
        "from minigrad.classroom.lessons import intact, mend_cell\n"
        "from minigrad.classroom.compare import engines\n"
        "assert engines.torch_now() is torch\n"
        f"verdict = mend_cell('09-2', {EXERCISES['09-2'].solution!r}, {{}})\n"
        "assert verdict.passed and len(verdict.lines) == 1, verdict.lines\n"
        "torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)\n"
        "seed = torch.manual_seed\n"
        "with intact.kept_intact() as changed: torch.manual_seed = lambda seed: None\n"
        'assert changed == ["PyTorch\'s torch.manual_seed"] and torch.manual_seed is seed\n'
        "total = torch.Tensor.sum\n"
        "with intact.kept_intact() as changed: torch.Tensor.sum = torch.no_grad()(total)\n"
        'assert changed == ["PyTorch\'s torch.Tensor.sum"] and torch.Tensor.sum is total\n'
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_what_is_right_stands_above_a_table_without_a_difference():
    """An optimizer's last losses are so small that the engines differ in them."""
    loop = EXERCISES["11-1"].solution.index("    for p in (w, b)")
    program = (
        EXERCISES["11-1"]
        .solution[:loop]
        .replace("\nfor step", "\nsgd = torch.optim.SGD([w, b], 0.3)\nfor step")
        + "    sgd.step()\n    sgd.zero_grad()\n"
    )
    told = mend_cell("11-1", program, {})
    assert told.passed and "\u2260" not in told.text


# --- hints in a program, and checks as conditions -------------------------------------------------


def test_a_hint_may_be_asked_for_in_the_program():
    program = EXERCISES["02-3"].program
    asked = mend_cell("02-3", f'{program}\nhint("02-3")\nsolution("02-3")  # well', {})
    assert asked.text.startswith("Not yet. Your program stops in line 8")
    assert "Hint 1:" in asked.text and ".mean()" in asked.text and "Hint 1:" in asked._repr_html_()
    asked = mend_cell("12-1 12-a", f'{EXERCISES["12-1"].program}\nhint("12-1", 2)', {})
    assert "Hint 2:" in asked.text
    assert '(1 more: hint("03-1", 2))' in " ".join(hint("03-1").text.split())


def test_a_check_is_a_condition_that_a_notebook_of_marks_can_assert():
    program, solution = EXERCISES["08-1"].program, EXERCISES["08-1"].solution
    space = {"check": check, "program_text": solution}
    exec('assert check("08-1", program_text)', space)
    exec('assert check("08-1", "%%mend 08-1\\n" + program_text)', space)
    exec(
        'assert check("01-2", 96) and check("13-2", text)',
        {"check": check, "text": EXERCISES["13-2"].solution},
    )
    with pytest.raises(AssertionError):
        exec('assert check("08-1", program_text)', {**space, "program_text": program})
    with pytest.raises(AssertionError):
        exec('assert check("08-1")', space)  # no cell before


@pytest.mark.parametrize("name", ["08-1", "13-2"])
def test_what_the_last_cell_had_may_be_asserted(name):
    exercise = EXERCISES[name]
    mend_cell(name, exercise.program, {})
    assert not check(name)
    mend_cell(name, exercise.solution, {})
    assert check(name)


def test_in_a_kernel_an_endless_answer_says_how_to_stop_and_can_be_stopped():
    with running_kernel(cwd=str(ROOT)) as (manager, client):
        client.execute(
            "from minigrad.classroom import check\n"
            "from minigrad.classroom.lessons import patience\n"
            "patience.SECONDS = 0.2\n"
            "def unbroadcast(g, shape):\n    while g.dim() > len(shape): g.sum(dim=0)\n"
            'check("06-3", unbroadcast)'
        )
        shown = {}
        while "execute_result" not in shown:
            message = client.get_iopub_msg(timeout=120)
            shown[message["msg_type"]] = message["content"]
            if message["msg_type"] == "stream":
                manager.interrupt_kernel()
        assert shown["stream"]["text"].startswith("Still running. If it does not end, press the")
        assert "You interrupted it." in shown["execute_result"]["data"]["text/plain"]


# --- what no sentence was made for ends in one all the same ---------------------------------------


class _Unkind(BaseException):
    pass


class _Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class _Hostile:
    def __getattr__(self, name):
        raise _Unkind(name)


def _nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


def _own():
    found = [1.0]
    found.append(found)
    return found


def _raising(error):
    def answer(*given):
        raise error

    return answer


ODD = {
    "nested 5000 deep": lambda: _nested(5000),
    "contains itself": _own,
    "nine million numbers": lambda: torch.zeros(3000, 3000),
    "fails when looked at": _Hostile,
    "5000 digits": lambda: 10**5000,
}


@pytest.mark.parametrize("name", ["02-1", "04-1", "07-1"])
@pytest.mark.parametrize("odd", ODD)
def test_odd_results_end_in_a_sentence(name, odd):
    given = ODD[odd]()
    for answer in (given, lambda *arguments: given):
        verdict = check(name, answer)
        assert not verdict.passed and verdict.lines[-1].strip() and repr(verdict)


@pytest.mark.parametrize("error", [_Wordless(), _Unkind("stop"), GeneratorExit()])
def test_odd_errors_end_in_a_sentence(error):
    verdict = check("04-1", _raising(error))
    assert not verdict.passed and type(error).__name__ in repr(verdict)
