"""The cards and exercises of lesson 10: leaves, detach, in-place changes, hooks."""

from .cards import Card
from .exercises import function, numbers
from .mend import mend


def _four_copies(torch):
    x = torch.tensor(2.0, requires_grad=True)
    d, p, c = x.detach(), x.data, x.clone()
    with torch.no_grad():
        n = x * 1
    (d + 10 * p + 100 * n + 1000 * c).backward()
    return x.grad


def _refused(torch):
    """How many of three backward passes notice that y was changed in place."""
    count = 0
    for f in (lambda x: x * 2, lambda x: x**2, lambda x: x.exp()):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = f(x)
        y.add_(1)
        try:
            y.sum().backward()
        except RuntimeError:
            count += 1
    return count


CARDS = {
    "10-a": Card(
        "After the first backward w.grad is [-1, -2.5]. Then w becomes [0.3, 0.75], and w.grad is "
        "set to None. The second round calls loss.backward(). What is in w.grad now?",
        answer="None",
        choices=[
            "[0.575, -0.7], the second gradient",
            "[-1, -2.5], still the first one",
            "[-0.425, -3.2], both added",
            "None",
        ],
        why="The step made a new tensor and called it w. Run the program and see.",
        misconceptions={
            "[0.575, -0.7], the second "
            "gradient": "That would be right if w were still the tensor that was made at the top.",
            "[-1, -2.5], still the first "
            "one": "The first gradient belongs to the old tensor. w is another tensor now.",
            "[-0.425, -3.2], both added": "That is in the tensor that was made at the top. But the "
            "name w belongs to another tensor now.",
        },
    ),
    "10-b": Card(
        "x = [1, 2, 3], y = 2 * x and z = (y * y).sum(). What does z.backward() leave in x.grad "
        "and in y.grad?",
        answer="x.grad [8, 16, 24], y.grad None",
        choices=[
            "x.grad [4, 8, 12], y.grad None",
            "x.grad [8, 16, 24], y.grad None",
            "x.grad [8, 16, 24], y.grad [4, 8, 12]",
            "x.grad None, y.grad [4, 8, 12]",
        ],
        why="2y = [4, 8, 12] passes through y, and is doubled on its way to x. Only a leaf stores "
        "what arrives.",
        misconceptions={
            "x.grad [4, 8, 12], y.grad None": "That is 2y, which passes through y. The step from "
            "x to y doubles it.",
            "x.grad [8, 16, 24], y.grad [4, 8, 12]": "[4, 8, 12] does pass through y. But y is "
            "not a leaf, and stores nothing.",
            "x.grad None, y.grad [4, 8, 12]": "The gradient passes through y, on to x. It is "
            "stored there, and not on its way.",
        },
    ),
    "10-d": Card(
        "x = 2. d = x.detach(), p = x.data, n = x * 1 under no_grad, c = x.clone(). z = d + 10p + "
        "100n + 1000c. What is x.grad after z.backward()?",
        answer=_four_copies,
        why="Only the clone is recorded. Each digit of the answer tells of one copy.",
        misconceptions={
            "1111": "All four hold the number 2. But three of them have no way back to x.",
            "0": "A clone is an operation, and it is recorded: z grows by 1000 per unit of x.",
            "1100": "Under no_grad nothing is recorded, so n has no way back.",
            "1010": ".data gives the numbers without the graph, as detach does.",
            "1001": "detach cuts the graph: d has no way back to x.",
            "111": "It is the other way round: clone is recorded, and the three others are not.",
            "2222": "That is z. x.grad says how fast z grows with x.",
            "2000": "That is what the clone adds to z. The question is how fast z grows with x.",
        },
    ),
    "10-e": Card(
        "w = [1, 2] requires grad, and w.grad is [2, 4]. What is w after the line w -= 0.1 * "
        "w.grad, without no_grad?",
        answer="[1, 2]: the line is refused",
        choices=[
            "[0.8, 1.6], still a leaf",
            "[0.8, 1.6], no longer a leaf",
            "[1, 2]: the line is refused",
            "[-0.2, -0.4]",
        ],
        why="A leaf that requires grad may not be changed in place while operations are recorded.",
        misconceptions={
            "[0.8, 1.6], still a leaf": "That is what you want. But while operations are recorded, "
            "the line is refused.",
            "[0.8, 1.6], no longer a leaf": "That happens with w = w - 0.1 * w.grad, which makes a "
            "new tensor.",
            "[-0.2, -0.4]": "That is the change alone; -= adds it to what is there.",
        },
    ),
    "10-f": Card(
        "Three programs begin with y = x * 2, with y = x ** 2 and with y = x.exp(). Each goes on "
        "with y.add_(1) and y.sum().backward(). How many of the three are refused?",
        answer=_refused,
        why="One operation needs its own result in the backward pass. Run it and see which.",
        misconceptions={
            "0": "Adding 1 changes no slope, true. But one of the three still needs the old y.",
            "2": "x ** 2 needs x in the backward pass, not y. Only y was changed.",
            "3": "A change in place does no harm where the backward pass does not need the old "
            "number.",
        },
    ),
    "10-hidden": Card(
        "x = [1, 2] requires grad, and y = (x * x).sum(). Then x.data.mul_(10) makes the numbers "
        "ten times as large. What does y.backward() do?",
        answer="x.grad becomes [20, 40], without a message",
        choices=[
            "x.grad becomes [2, 4], without a message",
            "x.grad becomes [20, 40], without a message",
            "it is refused",
        ],
        why="The product saved x itself. backward reads the new numbers, and nothing notices.",
        misconceptions={
            "x.grad becomes [2, 4], without a "
            "message": "That would be right. But the product saved x itself, not a copy, and the "
            "numbers in x are new.",
            "it is refused": "It should be. But a change through .data is not counted.",
        },
    ),
    "10-g": Card(
        "x = 3. plain = torch.autograd.grad(x**3, x)[0] is 3x\u00b2 = 27. What does "
        "torch.autograd.grad(plain, x) give?",
        answer="it is refused",
        choices=["18, the second derivative", "27 once more", "0", "it is refused"],
        why="How plain was computed was not recorded, so nothing leads from it back to x.",
        misconceptions={
            "18, the second derivative": "6x is 18, yes. But plain has no grad_fn: its way back to "
            "x was not recorded.",
            "27 once more": "The second call would differentiate plain, not x\u00b3. And it "
            "cannot.",
            "0": "plain does depend on x. The engine cannot see it, and says so instead of 0.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------

_IN_PLACE = (
    "    w = w - 0.3 * w.grad\n    b -= 0.3 * b.grad",
    "    with torch.no_grad():\n        w -= 0.3 * w.grad\n        b -= 0.3 * b.grad",
)
_LEAF = ("0.5 * torch.ones(2, requires_grad=True)", "torch.tensor([0.5, 0.5], requires_grad=True)")
_RECORDED = ("(X @ w + b - t).detach()", "X @ w + b - t")
_COPIED = ("error.abs_()", "error.abs()")
_ALL = (*_LEAF, *_RECORDED, *_COPIED, *_IN_PLACE)


def _halves(torch):
    """Chains of two halves that end in one number, and the leaf that they begin with."""

    def leaf(values):
        return torch.tensor(values, requires_grad=True)

    a = torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    return {
        "y = 2 * x, z = (y * y).sum()": (
            lambda x: 2 * x,
            lambda y: (y * y).sum(),
            leaf([1.0, 2.0, 3.0]),
        ),
        "y = A @ x, A = [[1, 2], [3, 4], [0, 1]], z = y\u2081\u00b7y\u2082 + y\u2083": (
            lambda x: a @ x,
            lambda y: y[0] * y[1] + y[2],
            leaf([1.0, 2.0]),
        ),
        "y = x * x, z = (y\u00b3).mean()": (
            lambda x: x * x,
            lambda y: (y**3).mean(),
            leaf([[1.0, 2.0], [3.0, 4.0]]),
        ),
    }


_NO_WAY = (
    "Nothing leads from the loss back to w and b: error is detached, or the step has made new "
    "tensors where nothing is recorded."
)
_NONE = (
    "w.grad is None where the step uses it. Either w is not a leaf, because it was computed when "
    "it was made or the step made a new w; or nothing leads from the loss back to it; or it was "
    "cleared too early."
)
_NOTHING = (
    "Nothing came back. Is there a backward pass, after y was asked to retain its gradient, and "
    "does your function end with return y.grad?"
)

EXERCISES = [
    numbers(
        "10-1",
        answer="table",
        solution="table = [[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]",
        by_hand=True,
        rows=("a", "q", "m", "d", "s"),
        praise="Without a grad_fn it is a leaf, and only a leaf that requires grad gets a .grad.",
        hints=(
            "Which lines are recorded? Those that use something that requires grad.",
            "A tensor without a recorded operation is a leaf, even if it was computed.",
            "q is computed from plain numbers and d is detached: both are leaves that do not "
            "require grad.",
        ),
        also_right=(
            "[[1., 1., 1.], [1., 0., 0.], [0., 1., 0.], [1., 0., 0.], [0., 1., 0.]]",
            "((1, 1, 1), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0))",
            "[[True, True, True], [True, False, False], [False, True, False], "
            "[True, False, False], [False, True, False]]",
        ),
        mistakes={
            "[[1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, "
            "0]]": "q is computed, but from plain numbers: nothing was recorded, so it is a leaf.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, "
            "0]]": "d has no recorded operation behind it: detach makes a leaf.",
            "[[1, 1, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, "
            "0]]": "q and d were computed, but neither was recorded: both are leaves.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 1, "
            "1]]": "m and s are non-leaf tensors: a gradient passes through them, and is not kept.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 1, "
            "0]]": "m is a non-leaf tensor: a gradient passes through it, and is not kept.",
            "[[1, 1, 1], [1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 1, "
            "0]]": "q was computed from plain numbers, so it does not require grad.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, "
            "0]]": "A detached tensor does not require grad until you ask for it again.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 1], [0, 1, "
            "0]]": "A detached tensor does not require grad, so it gets none.",
            "[[1, 1, 1], [1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, "
            "0]]": "What is computed from something that requires grad requires grad, too.",
            "[[1, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, "
            "0]]": "Only the row of a is filled in. Begin with q: was the operation that made "
            "it recorded?",
        },
    ),
    mend(
        "10-2",
        program="""
            X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
            t, log = torch.tensor([1., 3., 0., 2.]), []
            w, b = 0.5 * torch.ones(2, requires_grad=True), torch.zeros((), requires_grad=True)
            for step in range(40):
                error = (X @ w + b - t).detach()
                loss = (error**2).mean()
                log.append([loss.item(), error.abs_().max().item()])
                loss.backward()
                w = w - 0.3 * w.grad
                b -= 0.3 * b.grad
                w.grad = b.grad = None
        """,
        repair=_ALL,
        compares="log[:2], log[-1], type(log[0][0]).__name__, type(log[0][1]).__name__",
        others={
            "With other payments:": (
                "torch.tensor([1., 3., 0., 2.])",
                "torch.tensor([2., 0., 1., -1.])",
            ),
        },
        praise="w and b are leaves in every round, and recorded operations lead from the loss to "
        "them.",
        hints=(
            "Run it, read the message, fix one fault, and run it again. The messages come one by "
            "one.",
            "The five are in the lines with 0.5, with detach, with abs_ and in the two lines of "
            "the step. Which tensors have to be leaves, and which must not be changed?",
            "w = torch.tensor([0.5, 0.5], requires_grad=True); no .detach(); error.abs(); and both "
            "steps with -= under torch.no_grad().",
        ),
        also_right=(
            (
                *_LEAF,
                *_RECORDED,
                *_COPIED,
                "w = w - 0.3 * w.grad\n    b -= 0.3 * b.grad",
                "w = (w - 0.3 * w.grad).detach().requires_grad_()\n    b.data -= 0.3 * b.grad",
            ),
            (
                "0.5 * torch.ones(2, requires_grad=True)",
                "(0.5 * torch.ones(2)).requires_grad_()",
                *_RECORDED,
                "error.abs_()",
                "error.detach().clone().abs_()",
                *_IN_PLACE,
            ),
            (
                *_LEAF,
                *_RECORDED,
                *_IN_PLACE,
                "    loss.backward()\n",
                "",
                "    log.append",
                "    loss.backward()\n    log.append",
            ),
        ),
        mistakes={
            (): _NO_WAY,
            (
                *_LEAF,
                *_RECORDED,
                *_COPIED,
                "    w = w - 0.3 * w.grad\n    b -= 0.3 * b.grad",
                "    with torch.no_grad():\n        w = w - 0.3 * w.grad\n        b = b - 0.3 * "
                "b.grad",
            ): _NO_WAY,
            _RECORDED: "error is squared, so its numbers are saved for backward; abs_() overwrites "
            "them. Take abs(), which makes a new tensor.",
            (
                *_RECORDED,
                "error.abs_()",
                "error.detach().abs_()",
            ): "detach() makes no copy: abs_() still overwrites the numbers of error.",
            (
                *_RECORDED,
                *_COPIED,
            ): _NONE,
            (
                *_LEAF,
                *_COPIED,
                *_IN_PLACE,
                "    loss.backward()",
                "    loss.requires_grad_()\n    loss.backward()",
            ): _NONE,
            (
                *_ALL,
                "    loss.backward()\n",
                "    loss.backward()\n    w.grad = b.grad = None\n",
            ): _NONE,
            (
                *_RECORDED,
                *_COPIED,
                *_LEAF,
            ): "b is changed in place while operations are recorded. Put the step of w and that "
            "of b under torch.no_grad().",
            (
                *_RECORDED,
                *_COPIED,
                *_IN_PLACE,
                "for step",
                "w.retain_grad()\nfor step",
            ): "w is still 0.5 times a leaf: the second round goes back through that product. "
            "Make w itself a leaf.",
            (
                *_ALL,
                "    w.grad = b.grad = None",
                "    pass",
            ): "Nothing is cleared any more, so .grad adds up. That line was right.",
            (*_ALL, "[loss.item()", "[loss"): "log holds tensors now, with all that leads to them. "
            "Keep the plain numbers: item().",
            (*_ALL, ".max().item()", ".max()"): "log holds tensors now, with all that leads to "
            "them. Keep the plain numbers: item().",
            (*_ALL, "[0.5, 0.5]", "[0., 0.]"): "w should start at 0.5 and 0.5.",
            (*_ALL, "[0.5, 0.5]", "[1., 1.]"): "w should start at 0.5, as it did.",
            (
                *_ALL,
                "error.abs()",
                "error",
            ): "The largest error is meant without its sign: keep abs().",
            (*_ALL, "        b -= 0.3 * b.grad\n", ""): "b takes no step any more.",
        },
    ),
    function(
        "10-3",
        answer="inner_gradient",
        inputs=_halves,
        solution="""
            def inner_gradient(left, right, x):
                y = left(x)
                y.retain_grad()
                right(y).backward()
                return y.grad
        """,
        praise="That is the gradient at y, which backward passes on and does not keep by itself.",
        hints=(
            "y is not a leaf, so y.grad stays None, unless you ask for it before backward.",
            "There are three ways: y.retain_grad(), a hook on y, or torch.autograd.grad.",
            "Put y.retain_grad() between y = left(x) and the backward pass.",
        ),
        also_right=(
            (
                "    y.retain_grad()\n    right(y).backward()\n    return y.grad",
                "    return torch.autograd.grad(right(y), y)[0]",
            ),
            ("y.retain_grad()", "kept = []\n    y.register_hook(kept.append)", "y.grad", "kept[0]"),
            ("left(x)\n    y.retain_grad()", "left(x).detach().requires_grad_()"),
        ),
        mistakes={
            ("    y.retain_grad()\n", ""): _NOTHING,
            ("    return y.grad", ""): _NOTHING,
            (
                "    y.retain_grad()\n    right(y).backward()\n    return y.grad",
                "    return torch.autograd.grad(right(y), y)",
            ): "torch.autograd.grad returns a tuple. Take its first entry: grad(...)[0].",
            ("y.grad", "x.grad"): "That is the gradient at x, after the step from y back to x.",
            (
                "y = left(x)",
                "y = left(x).detach()",
            ): "A detached y requires no grad, so nothing can be kept for it.",
            (
                "right(y).backward()",
                "right(y)\n    y.sum().backward()",
            ): "You differentiate y.sum(), so the upstream gradient is ones, and right is ignored.",
            ("return y.grad", "return y"): "That is y. The question is how fast z grows with it.",
            ("return y.grad", "return right(y)"): "That is z, the end of the chain.",
            (
                "    y.retain_grad()\n    right(y).backward()\n    return y.grad",
                "    right(y).backward()\n    kept = []\n    y.register_hook(kept.append)\n"
                "    return kept[0]",
            ): "The hook comes too late: register it before the backward pass.",
        },
    ),
]
