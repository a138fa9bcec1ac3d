"""The cards and exercises of lesson 02: why a vector needs an argument, and in which shape."""

import minigrad

from ..show.formatting import number
from .cards import Card
from .exercises import numbers
from .mend import mend

_RECEIPTS = """
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
t = torch.tensor([1., 3., 0., 2.])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros((), requires_grad=True)
"""
_PROGRAM = (
    _RECEIPTS
    + """\
for step in range(40):
    loss = (X @ w + b - t)**2
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
        b -= 0.3 * b.grad
    w.grad = b.grad = None
"""
)


def train(reduction, rate, steps=8):
    """The losses of the program's first steps. reduction: "mean" or "sum" of the four squares."""
    lines = _PROGRAM.replace("range(40)", "range(steps)").replace("0.3", "rate")
    lines = lines.replace("(X @ w + b - t)**2", f"((X @ w + b - t)**2).{reduction}()")
    lines = lines.replace("    loss.backward()", "    loss.backward(); losses.append(loss.item())")
    losses = []
    exec(lines, {"torch": minigrad, "rate": rate, "steps": steps, "losses": losses})
    return losses


def first_and_last(losses):
    """What a picture of losses shows, in words that are nowhere before it."""
    ends = (f"{name}, from {number(run[0])} to {number(run[-1])}" for name, run in losses.items())
    return f"The loss before each step: {'; '.join(ends)}."


def network(torch):
    """A network that gives ten scores, one for each digit, for an image of 8 by 8 pixels.

    Two convolutions and three linear layers, as in a forum thread: ten parameter tensors.
    """
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3),
        torch.nn.Conv2d(2, 4, 3),
        torch.nn.Flatten(),
        torch.nn.Linear(64, 20),
        torch.nn.Linear(20, 15),
        torch.nn.Linear(15, 10),
    )


def _six(torch):
    return torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)


def _one_call_each(torch):
    a = _six(torch)
    for i in range(2):
        for j in range(3):
            (a[i, j] * a[i, j]).backward()
    return a.grad


def _last_call_only(torch):
    a = _six(torch)
    (a[1, 2] * a[1, 2]).backward()
    return a.grad


def _first_grad(v):
    """A card's answer: b.grad at the first step, with this v for the squared errors."""

    def grad(torch):
        space = {"torch": torch}
        exec(_RECEIPTS, space)
        squares = (space["X"] @ space["w"] + space["b"] - space["t"]) ** 2
        squares.backward(torch.tensor(v))
        return space["b"].grad

    return grad


_GROWS = "it grows to 76"
_ADDED = "\u221212: all four are added"
_AVERAGED = "\u22123: all four are averaged"
_APART = "four numbers, one for each squared error"
_REFUSED = "None: the call is refused"

CARDS = {
    "02-a": Card(
        "loss = (X @ w + b - t)**2 holds four squared errors. Their slopes with respect to b are "
        "\u22122, \u22126, 0 and \u22124. What is in b.grad after loss.backward()?",
        _REFUSED,
        choices=[_ADDED, _AVERAGED, _APART, _REFUSED],
        why="backward() differentiates one number, and nothing says how the four become one.",
        misconceptions={
            _ADDED: "\u22122 \u2212 6 + 0 \u2212 4 = \u221212 is the slope of loss.sum(), "
            "but the program doesn't ask for a sum.",
            _AVERAGED: "\u221212 / 4 = \u22123 is the slope of loss.mean(), but the program "
            "doesn't ask for a mean.",
            _APART: "b is one number, so b.grad has room for one number only.",
        },
    ),
    "02-b": Card(
        "a = [[1, 2, 3], [4, 5, 6]]. For each of its elements the loop computes out = a[i, j] * "
        "a[i, j] and calls out.backward(). What is a.grad after the six calls?",
        _one_call_each,
        why="Each call adds the slope 2\u00b7a[i, j] at its own place, and 0 at the other five.",
        misconceptions={
            _last_call_only: "That is what the last call adds. What the earlier calls left stays.",
            lambda torch: _six(torch) ** 2: "Those are the squares themselves; .grad holds slopes.",
            lambda torch: (
                12 * _six(torch)
            ): "That is six times 2a. Each call reaches one element only.",
            lambda torch: torch.ones(2, 3): "The slope of a\u00b2 is 2a, not 1.",
        },
    ),
    "02-one": Card(
        "The four squared errors have the slopes \u22122, \u22126, 0 and \u22124 with respect to "
        "b. backward is given v = [0, 1, 0, 0]. What is b.grad?",
        _first_grad([0.0, 1.0, 0.0, 0.0]),
        why="Each slope is multiplied by its entry of v: \u22126 by 1, and the other three by 0.",
        misconceptions={
            _first_grad([1.0, 1.0, 1.0, 1.0]): "That is the sum of all four slopes. Three of "
            "the entries of v are 0.",
            "-1.5": "You divided by four, but nothing here asks for a mean.",
            "9": "That is the second squared error itself; .grad holds its slope.",
        },
    ),
    "02-d": Card(
        "With .mean() the loss goes from 3.5 to 0.82 in the first step. With .sum() it begins at "
        "14, which is four times 3.5. What does it do in its first step, with the same 0.3?",
        _GROWS,
        choices=["it falls to 3.3", "it falls to 0.82", "it stays at 14", _GROWS],
        why="The step is four times as long. It takes b from 0 to 3.6, past the right price 1, to "
        "a place further away than before: each squared error grows.",
        misconceptions={
            "it falls to 3.3": "Four times 0.82 would be right if w and b moved as before, but "
            "their step is four times as long.",
            "it falls to 0.82": "Neither the loss nor the step is that of the mean.",
            "it stays at 14": "w.grad is not zero, so w moves, and the loss with it.",
        },
    ),
}

_A = ("(a * a).backward()", "(a * a).backward(torch.ones(3))")
_B = ("(b * b).backward(torch.ones(6))", "(b * b).backward(torch.ones(2, 3))")
_C = ("mean().backward(torch.ones(3))", "mean().backward()")
_D = ("backward(torch.tensor(1.))", "backward(torch.tensor([1.]))")
_TOO_LONG = (
    "That is the sum: each step is four times as long as with a mean, and the loss explodes."
)

EXERCISES = [
    numbers(
        "02-1",
        answer="v",
        given="""
            a = torch.tensor([[1., 2.], [3., 4.], [5., 6.]], requires_grad=True)
            out = a * a
        """,
        then="out.backward(v)",
        shows="a.grad",
        solution="v = torch.full((3, 2), 1 / 6)",
        praise="If one of six outputs grows by 1, their mean grows by one sixth.",
        hints=(
            "v has the shape of out, with one entry for each output.",
            "The mean is (out1 + out2 + ... + out6) / 6. How much does it change with each output?",
            "Every entry is 1/6; torch.full(shape, number) makes a tensor of equal numbers.",
        ),
        also_right=(
            "torch.ones(3, 2) / 6",
            "torch.ones_like(out) / out.numel()",
            "torch.full((3, 2), 0.1667)",
        ),
        tolerance=(1e-3, 0.0),  # four digits of 1/6 will do
        mistakes={
            "torch.ones(3, 2)": "Ones ask for the sum. The mean is a sixth of it.",
            "torch.full((6,), 1 / 6)": "v needs the shape of out: three rows of two, not six "
            "numbers in a row.",
            "torch.full((2, 3), 1 / 6)": "Rows come first: out has three rows of two.",
            "torch.tensor(1 / 6)": "One entry is not copied for six outputs: give all six.",
            "torch.full((3, 2), 1 / 3)": "You divided by 3, the number of rows. There are six "
            "outputs.",
            "torch.full((3, 2), 1 / 2)": "You divided by 2, the number of columns. There are six "
            "outputs.",
            "torch.full((3, 2), 6.)": "A mean divides by 6; this multiplies by 6.",
            "torch.tensor([[1., 0.], [0., 0.], [0., "
            "0.]])": "This asks for the first output alone. A mean counts all six.",
        },
    ),
    mend(
        "02-2",
        program="""
            a = torch.tensor([1., 2., 3.], requires_grad=True)
            (a * a).backward()
            b = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
            (b * b).backward(torch.ones(6))
            c = torch.tensor([1., 2., 3.], requires_grad=True)
            (c * c).mean().backward(torch.ones(3))
            d = torch.tensor([4.], requires_grad=True)
            (d * d).backward(torch.tensor(1.))
        """,
        repair=(*_C, *_A, *_B, *_D),
        compares="a.grad, b.grad, c.grad, d.grad",
        others={
            "With a = [5, 2, 3]:": (
                "a = torch.tensor([1., 2., 3.]",
                "a = torch.tensor([5., 2., 3.]",
            ),
            "With b = [[7, 2, 3], [4, 5, 6]]:": ("[[1., 2., 3.], [4.,", "[[7., 2., 3.], [4.,"),
            "With c = [8, 2, 3]:": (
                "c = torch.tensor([1., 2., 3.]",
                "c = torch.tensor([8., 2., 3.]",
            ),
            "With d = [9]:": ("torch.tensor([4.]", "torch.tensor([9.]"),
        },
        praise="Four programs, four shapes: each argument fits its own output.",
        hints=(
            "In the message, grad_output is what was given, and output is what it has to fit.",
            "Write down the shape of each output: (3,), (2, 3), () after mean, and (1,).",
            "An output that is one number needs no argument. For the others torch.ones(...) with "
            "the output's shape asks for the sum.",
        ),
        also_right=(
            (
                *_C,
                "(a * a).backward()",
                "(a * a).sum().backward()",
                "(b * b).backward(torch.ones(6))",
                "(b * b).reshape(6).backward(torch.ones(6))",
                "(d * d).backward(torch.tensor(1.))",
                "(d * d).backward()",
            ),
            (
                *_B,
                *_D,
                "mean().backward(torch.ones(3))",
                "mean().backward(torch.tensor(1.))",
                "(a * a).backward()",
                "(a * a).backward(torch.ones_like(a))",
            ),
        ),
        mistakes={
            (): "backward() without an argument needs a single output, and here there are several: "
            "give it a tensor of ones in the shape of the output.",
            _A: "b * b has the shape (2, 3). Six entries are the right number, but not in that "
            "shape.",
            (
                *_A,
                *_B,
            ): "v follows the output: a mean is one number of shape (), whatever c is.",
            (*_C, *_A, *_B): "d * d has the shape (1,), and a v of shape () does not fit it.",
            (
                "(a * a).backward()",
                "(a * a).backward(torch.tensor(1.))",
            ): "One entry is not copied for the three outputs of a * a.",
            (
                *_A,
                "torch.ones(6)",
                "torch.ones(3)",
            ): "b * b has six outputs in two rows: its v needs six entries in two rows.",
            (
                *_B,
                "mean().backward(torch.ones(3))",
                "mean().backward(torch.ones(1))",
                *_A,
            ): "A mean has shape (); torch.ones(1) has shape (1,), one dimension too many.",
            (
                ".mean().backward(torch.ones(3))",
                ".backward(torch.ones(3))",
                *_A,
                *_B,
                *_D,
            ): "You dropped the mean: c.grad should be the gradient of the mean.",
            (
                *_C,
                "(a * a).backward()",
                "(a * a).backward(a)",
                *_B,
                *_D,
            ): "a.grad should be the gradient of the sum: the three entries of v are 1.",
        },
    ),
    mend(
        "02-3",
        program=_PROGRAM,
        repair=("- t)**2", "- t)**2).mean()", "loss = (X", "loss = ((X"),
        compares="w, b",
        tolerance=(0.0, 0.01),  # more steps come nearer
        others={"With t = [5, -2, -3, 6]:": ("[1., 3., 0., 2.]", "[5., -2., -3., 6.]")},
        praise="One number again. w and b come close to [-1, 2] and 1: the right price list.",
        hints=(
            "loss has four numbers; backward() without an argument needs one.",
            "Reduce the four squared errors to one number, for which a step of 0.3 is small "
            "enough.",
            "The mean of four numbers is one number.",
        ),
        also_right=(
            ("loss.backward()", "loss.mean().backward()"),
            ("loss.backward()", "loss.backward(torch.full((4,), 0.25))"),
            ("loss.backward()", "(loss.sum() / 4).backward()"),
            ("loss.backward()", "loss.mean().backward()", "range(40)", "range(400)"),
        ),
        mistakes={
            (): "loss still has four numbers: reduce them to one.",
            ("loss.backward()", "loss.sum().backward()"): _TOO_LONG,
            ("loss.backward()", "loss.backward(torch.ones(4))"): _TOO_LONG,
            (
                "loss.backward()",
                "loss[1].backward()",
            ): "Now only the second receipt counts: the other three do not move w and b.",
            (
                "loss.backward()",
                "loss[1:3].mean().backward()",
            ): "Now two of the four receipts count. Let all four count the same.",
            (
                "loss.backward()",
                "loss.backward(1.)",
            ): "The argument is a plain number. backward takes a tensor, with an entry for each "
            "of the four squared errors.",
            (
                "loss.backward()",
                "loss.max().backward()",
            ): "Now only the worst receipt counts in each step. Let all four count the same.",
            (
                "loss.backward()",
                "loss.backward(torch.tensor([0.25, 0.25, 0.25, 0.3333]))",
            ): "The last receipt counts more than the others. Let all four count the same.",
            (
                "loss.backward()",
                "loss.backward(torch.tensor(1.))",
            ): "One entry is not copied for four squared errors.",
            (
                "- t)**2",
                "- t).mean()**2",
                "loss = (X",
                "loss = (X",
            ): "Square first, then take the mean: here errors of opposite signs cancel.",
            (
                "loss.backward()",
                "loss.mean().backward()",
                "w.grad = b.grad = None",
                "pass",
            ): "Leave the last line as it was: without it the gradients add up.",
        },
    ),
]
