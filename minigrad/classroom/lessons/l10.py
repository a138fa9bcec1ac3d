"""The cards and exercises of lesson 10: leaves and branches, detach, in-place changes, hooks."""

from .cards import Card
from .exercises import function, mend, numbers


def _only_y1(torch):
    """x.grad of lesson 05's chain, where a hook lets y1's number through and stops y2's."""
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.stack([x[0] ** 2 + x[1], x[0] * x[1]])
    y.register_hook(lambda g: g * torch.tensor([1.0, 0.0]))
    torch.stack([y[0] * y[1], y[0] + 2 * y[1]]).backward(torch.ones(2))
    return x.grad


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
        "w.grad = [-1, -2.5] after the first round, and w moves to [0.3, 0.75]. All .grad are "
        "cleared. The second round calls loss.backward(). What does w.grad hold then?",
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
            "one": "The first gradient belongs to the old tensor. w is another one now.",
            "[-0.425, -3.2], both added": "Nothing can be added: w is another tensor now, and "
            ".grad was cleared, too.",
        },
    ),
    "10-b": Card(
        "x = [1, 2, 3], y = 2 * x and z = (y * y).sum(). True or false: after z.backward(), "
        "y.grad is 2y = [4, 8, 12].",
        answer=False,
        choices=["True", "False"],
        why="These numbers cross the seam y, but only a leaf keeps what arrives.",
        misconceptions={
            "True": "[4, 8, 12] does pass through y. But y is no leaf, and does not keep it.",
        },
    ),
    "10-c": Card(
        "x = [2, 3], y = (7, 6), and [7, 9] comes back to y. A hook on y returns g * "
        "torch.tensor([1., 0.]). The left half has J = [[4, 1], [3, 2]]. What is x.grad?",
        answer=_only_y1,
        why="What the hook returns goes on: [7, 0] weighs the rows of J. 7\u00b7[4, 1] + "
        "0\u00b7[3, 2] = [28, 7].",
        misconceptions={
            "[55, 25]": "That is x.grad without a hook. What a hook returns takes the place of g.",
            "[55, 0]": "The hook changes g at y, before the left half, and not x.grad at the end.",
            "[28, 21]": "That is J\u00b7[7, 0], with the rows. The rows are weighed and added.",
            "[4, 1]": "The hook gets g = [7, 9], not ones: the first row is weighed by 7.",
            "[7, 0]": "That is g after the hook. It still has to go through the left half.",
            "[0, 0]": "Only the second number of g is stopped; 7 passes.",
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
            "1010": ".data hands out the numbers without the graph, as detach does.",
            "1001": "detach cuts: d has no way back to x.",
            "111": "That is just the other way round: clone is recorded, the three others are not.",
            "2222": "That is z. x.grad says how fast z grows with x.",
            "2000": "That is the clone's part of z. Asked is how fast it grows with x.",
        },
    ),
    "10-e": Card(
        "w = [1, 2] requires grad, and w.grad is [2, 4]. What is w after the line w -= 0.1 * "
        "w.grad, without no_grad?",
        answer="[1, 2]: the line is refused",
        choices=[
            "[0.8, 1.6], still a leaf",
            "[0.8, 1.6], a leaf no more",
            "[1, 2]: the line is refused",
            "[-0.2, -0.4]",
        ],
        why="A leaf that requires grad may not be changed in place while operations are recorded.",
        misconceptions={
            "[0.8, 1.6], still a leaf": "That is what you want. But while operations are recorded, "
            "the line is refused.",
            "[0.8, 1.6], a leaf no more": "So it would be with w = w - 0.1 * w.grad, which makes a "
            "new tensor.",
            "[-0.2, -0.4]": "That is the step alone; -= adds it to what is there.",
        },
    ),
    "10-f": Card(
        "Three programs begin with y = x * 2, with y = x ** 2 and with y = x.exp(). Each goes on "
        "with y.add_(1) and y.sum().backward(). How many of the three are refused?",
        answer=_refused,
        why="One operation needs its own result in the backward pass. Run it and see which.",
        misconceptions={
            "0": "Adding 1 changes no derivative, true. But one of the three still needs y itself.",
            "2": "x ** 2 needs x in the backward pass, not y. Only y was changed.",
            "3": "An in-place change harms only where the backward pass needs the old number.",
        },
    ),
    "10-g": Card(
        "x = 3. g = torch.autograd.grad(x**3, x)[0] is 3x\u00b2 = 27. What does "
        "torch.autograd.grad(g, x) give?",
        answer="it is refused",
        choices=["18, the second derivative", "27 once more", "0", "it is refused"],
        why="g is a plain number here: nobody recorded how it was computed.",
        misconceptions={
            "18, the second derivative": "6x is 18, yes. But g has no grad_fn: its way back to x "
            "was not recorded.",
            "27 once more": "The second call differentiates g, not x\u00b3. And it cannot.",
            "0": "g does not depend on x as far as the engine knows, but it does not say 0.",
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
        "y = x * x, z = y.mean()": (
            lambda x: x * x,
            lambda y: y.mean(),
            leaf([[1.0, 2.0], [3.0, 4.0]]),
        ),
    }


_NO_WAY = (
    "There is no way back from the loss to w and b: error is detached, or the step has made new "
    "tensors where nothing is recorded."
)
_NOTHING = (
    "Nothing came back: y is no leaf, so backward leaves nothing in its .grad unless it is told to "
    "before. And the function ends with return."
)

EXERCISES = [
    mend(
        "10-1",
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
        compares="log[:2], log[-1]",
        others={
            "With other targets:": (
                "torch.tensor([1., 3., 0., 2.])",
                "torch.tensor([2., 0., 1., -1.])",
            ),
        },
        praise="w and b are leaves from start to end, and the way from the loss to them is whole.",
        hints=(
            "Run it, read the message, mend one fault, run it again. The messages come one by one.",
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
            ): "w.grad is None: w is not the leaf you need. It was computed when it was made, or "
            "the step made a new w. Make it of plain numbers, and change it in place.",
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
            ): "Nothing is cleared: .grad adds up. That line was right.",
            (*_ALL, "[0.5, 0.5]", "[0., 0.]"): "w should start at 0.5 and 0.5.",
            (*_ALL, "[0.5, 0.5]", "[1., 1.]"): "w should start at 0.5, as it did.",
            (
                *_ALL,
                "error.abs()",
                "error",
            ): "The largest error is meant in size, without its sign: keep abs().",
            (*_ALL, "        b -= 0.3 * b.grad\n", ""): "b takes no step any more.",
        },
    ),
    function(
        "10-2",
        answer="inner_gradient",
        inputs=_halves,
        solution="""
            def inner_gradient(left, right, x):
                y = left(x)
                y.retain_grad()
                right(y).backward()
                return y.grad
        """,
        praise="The gradient at the seam, and x still takes part in the chain.",
        hints=(
            "y is no leaf, so y.grad stays None, unless somebody asks for it before backward.",
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
            ("y.grad", "x.grad"): "That is the gradient at x, one step further back.",
            (
                "y = left(x)",
                "y = left(x).detach()",
            ): "A detached y requires no grad, so nothing can be kept for it.",
            (
                "right(y).backward()",
                "right(y)\n    y.sum().backward()",
            ): "With ones: you differentiate y.sum(), and the right half is ignored.",
            ("return y.grad", "return y"): "That is y. Asked is how fast the end grows with it.",
            ("return y.grad", "return right(y)"): "That is z, the end of the chain.",
            (
                "    y.retain_grad()\n    right(y).backward()\n    return y.grad",
                "    right(y).backward()\n    kept = []\n    y.register_hook(kept.append)\n"
                "    return kept[0]",
            ): "The hook comes too late: register it before the backward pass.",
        },
    ),
    numbers(
        "10-3",
        answer="table",
        solution="table = [[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]",
        praise="No grad_fn: a leaf. Only a leaf that requires grad gets a .grad.",
        hints=(
            "Which lines are recorded? Those that use something that requires grad.",
            "A tensor without a recorded operation is a leaf, even if it was computed.",
            "q is computed from plain numbers and d is detached: both are leaves that require "
            "no grad.",
        ),
        also_right=(
            "[[1., 1., 1.], [1., 0., 0.], [0., 1., 0.], [1., 0., 0.], [0., 1., 0.]]",
            "((1, 1, 1), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0))",
        ),
        mistakes={
            "[[1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, "
            "0]]": "q is computed, but from plain numbers: nothing was recorded, so it is a leaf.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, "
            "0]]": "d has no recorded operation behind it: detach makes a leaf.",
            "[[1, 1, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, "
            "0]]": "q and d were computed, but nothing of it is recorded: both are leaves.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 1, "
            "1]]": "m and s are no leaves: a gradient passes through, and is not kept.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 1, "
            "0]]": "m is no leaf: a gradient passes through it, and is not kept.",
            "[[1, 1, 1], [1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 1, "
            "0]]": "Nobody asked for a gradient of q: no requires_grad=True is behind it.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, "
            "0]]": "A detached tensor requires no grad until somebody asks for it again.",
            "[[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 1], [0, 1, "
            "0]]": "A detached tensor requires no grad, so it gets none.",
            "[[1, 1, 1], [1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, "
            "0]]": "What is computed from something that requires grad requires grad, too.",
            "[[1, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, "
            "0]]": "Only the row of a is filled in. Begin with q: was anything behind it recorded?",
        },
    ),
]
