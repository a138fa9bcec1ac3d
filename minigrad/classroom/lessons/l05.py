"""The cards and exercises of lesson 05: what crosses a cut, and a chain in two halves."""

from .cards import Card
from .exercises import function, numbers
from .mend import mend


def _second_half(torch):
    """y = (7, 6) as a new tensor, and z = F2(y)."""
    y = torch.tensor([7.0, 6.0], requires_grad=True)
    return y, torch.stack([y[0] * y[1], y[0] + 2 * y[1]])


def _handed_back(torch):
    y, z = _second_half(torch)
    z.backward(torch.ones(2))
    return y.grad


def _row_sums(torch):
    """J\u00b71 of F2 at (7, 6): the table from the wrong side."""
    return torch.tensor([[6.0, 7.0], [1.0, 2.0]]) @ torch.ones(2)


_RIGHT, _FALL = "the right prices: b = 1, w = [-1, 2]", "ever smaller prices"
_MEAN, _REFUSED = "the mean of what was paid, 1.5, for every pizza", "none: it stops with an error"


def _prices_of_ones(torch):
    """What becomes of the prices while the bank sends ones."""
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    w, b = torch.zeros(2), torch.zeros(())
    for _ in range(40):
        w -= 0.3 * (torch.ones(4) @ x)
        b -= 0.3 * 4
    return _FALL if max([b.item(), *w.tolist()]) < -20 else _RIGHT


CARDS = {
    "05-ones": Card(
        "In each of 40 steps, the shop passes four ones to p.backward, and moves w and b against "
        "their gradients. Which prices does it learn?",
        answer=_prices_of_ones,
        choices=[_RIGHT, _FALL, _MEAN, _REFUSED],
        why="Ones differentiate the sum of the predictions, and each step makes this sum smaller.",
        misconceptions={
            _RIGHT: "For that, the numbers from the bank would have to depend on what was paid.",
            _MEAN: "Even the mean depends on what was paid. Ones say nothing about it.",
            _REFUSED: "Four numbers for four predictions have the right shape, and backward does "
            "not know what they mean.",
        },
    ),
    "05-a": Card(
        "y = [7, 6] is a new tensor, made of plain numbers, and z = (y[0]\u00b7y[1], "
        "y[0] + 2\u00b7y[1]). What is y.grad after z.backward(torch.ones(2))?",
        answer=_handed_back,
        why="Each y gets a contribution from both outputs. For y[0] they are y[1] = 6 and "
        "1, together 7. For y[1] they are y[0] = 7 and 2, together 9. That y[0] equals "
        "its own gradient is a coincidence.",
        misconceptions={
            _row_sums: "That adds up each row of J, and gives a number for each z. y.grad has a "
            "number for each y: add up each column.",
            "[42, 19]": "That is z. backward gives derivatives, not outputs.",
            "[1, 1]": "That is v, the upstream gradient of z. It still has to be multiplied by J.",
            "[6, 7]": "That is the contribution of z[0] alone. v has a 1 for z[1], too.",
            "[1, 2]": "That is the contribution of z[1] alone. v has a 1 for z[0], too.",
            "[[6, 7], [1, 2]]": "That is the whole Jacobian J. Now add up each of its columns.",
        },
    ),
    "05-b": Card(
        "x = [1, 2, 3], output = x * x, newOutput = 3 * output.sum(). Which grad makes "
        "output.backward(grad) leave the same x.grad as newOutput.backward()?",
        answer="[3, 3, 3]",
        choices=["[2, 4, 6]", "[3, 3, 3]", "[6, 12, 18]", "[1, 4, 9]"],
        why="If a number of output grows by 1, newOutput grows by 3. The left half itself knows "
        "how output changes with x.",
        misconceptions={
            "[2, 4, 6]": "That is how output changes with x. The left half multiplies by 2x "
            "itself: with [2, 4, 6], x.grad is [4, 16, 36].",
            "[6, 12, 18]": "That is how newOutput changes with x, x.grad already. Times 2x once "
            "more it becomes [12, 48, 108].",
            "[1, 4, 9]": "That is output itself, and a value is not a derivative: with [1, 4, 9] "
            "x.grad is [2, 16, 54].",
        },
    ),
    "05-leak": Card(
        "The shop sent p = [2, 2, 2, 2] and received g = [-1, 1, 0, -2]. The loss is the mean of "
        "four squared errors. What was paid for the four pizzas?",
        answer=lambda torch: 2 - 2 * torch.tensor([-1.0, 1.0, 0.0, -2.0]),
        why="g is 2(p \u2212 t)/4 = (p \u2212 t)/2. So p \u2212 t = 2g, and t = p \u2212 2g.",
        misconceptions={
            "[3, 1, 2, 4]": "That is p \u2212 g. But g is half of p \u2212 t, so a factor 2 is "
            "missing.",
            "[-2, 2, 0, -4]": "That is p \u2212 t = 2g, the errors. What was paid is p minus them.",
            "[6, -2, 2, 10]": "The factor is 2, not 4: the square brings a 2, and the mean divides "
            "by 4.",
            "[-1, 1, 0, -2]": "That is g itself: how fast the loss grows with each p.",
            "[4, 4, 0, 16]": "Those are the squared errors. What was paid is p minus the errors.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------


def _chains(torch):
    """Chains of three layers, cut after the first or after the second one."""

    def leaf(values):
        return torch.tensor(values, requires_grad=True)

    a = torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    b = torch.tensor([[1.0, -1.0], [2.0, 1.0]])

    def f1(x):
        return a @ x

    def f2(h):
        return torch.stack([h[0] * h[1], h[1] * h[2]])

    def f3(h):
        return b @ h

    def cut(right):
        """The right half as on another machine: no history arrives there."""

        def apart(h):
            if getattr(h, "grad_fn", None) is not None:
                raise ValueError(
                    "right was given a tensor with a history: only the numbers of y may cross"
                )
            return right(h)

        return apart

    return {
        "x \u2192 F1 | F2 \u2192 F3": (
            f1,
            cut(lambda h: f3(f2(h))),
            leaf([1.0, 2.0]),
            torch.tensor([2.0, 1.0]),
        ),
        "x \u2192 F1 \u2192 F2 | F3": (
            lambda x: f2(f1(x)),
            cut(f3),
            leaf([1.0, 2.0]),
            torch.tensor([1.0, -2.0]),
        ),
        "a loss of shape ()": (
            f1,
            cut(lambda h: (h * h * h).sum()),
            leaf([2.0, -1.0]),
            torch.tensor(0.5),
        ),
        "a cut at a y of shape (2, 2)": (
            lambda x: x * x,
            cut(lambda h: (b @ h)[0]),
            leaf([[1.0, 2.0], [3.0, 4.0]]),
            torch.tensor([1.0, 10.0]),
        ),
    }


_NOTHING_REQUIRES = (
    "One half computes with nothing that requires grad. Either the new tensor at the cut lacks "
    "requires_grad=True, or left was given a copy of x."
)

EXERCISES = [
    numbers(
        "05-1",
        answer="g",
        given="""
            X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
            t = torch.tensor([1., 3., 0., 2.])
            w = torch.tensor([1., 1.], requires_grad=True)
            b = torch.tensor(0., requires_grad=True)
            p = X @ w + b
        """,
        then="p.backward(g)",
        plain=True,
        shows="w.grad, b.grad, g",
        solution="g = torch.tensor([-0.5, -1., 0.5, 0.])",
        praise="Each is 2(p - t)/4: how fast the mean of the squares grows with that p.",
        hints=(
            "Each number of g says how fast the loss grows with one p while the others stay fixed.",
            "The loss is a quarter of the sum of all (p - t)\u00b2; each grows at 2(p - t).",
            "For the first receipt p - t is 0 - 1 = -1, so its number is 2\u00b7(-1)/4 = -0.5.",
        ),
        also_right=(
            "2 * (p - t) / 4",
            "[-0.5, -1, 0.5, 0]",
            "torch.autograd.grad(((p - t)**2).mean(), p)[0]",
        ),
        mistakes={
            "torch.zeros(4)": "Zeros say that no p changes the loss, so nothing reaches w and b.",
            "torch.tensor([1., 4., 1., "
            "0.])": "Those are the squared errors. Send back how the loss changes with each p.",
            "torch.tensor([-1., -2., 1., 0.])": "Those are the errors p - t: the square brings a "
            "factor 2, the mean divides by 4.",
            "torch.tensor([-2., -4., 2., "
            "0.])": "That belongs to the sum of the squares. The mean divides by 4.",
            "torch.tensor([-0.25, -0.5, 0.25, "
            "0.])": "The derivative of (p - t)\u00b2 is 2(p - t): a factor 2 is missing.",
            "torch.tensor([0.5, 1., -0.5, 0.])": "The signs are reversed: where p is too small, a "
            "larger p lowers the loss.",
            "torch.ones(4)": "With ones the left half differentiates p.sum(), not the loss.",
            "torch.tensor([0., 1., 1., 2.])": "That is p. Send back how the loss changes with it.",
            "torch.tensor([0., -1., -0.5])": "That has one number for each price. Four "
            "predictions crossed the cut, so four numbers come back.",
            "torch.tensor(1.5)": "That is one number, like the loss. Send back one number for "
            "each p.",
        },
    ),
    function(
        "05-2",
        answer="in_halves",
        inputs=_chains,
        solution="""
            def in_halves(left, right, x, v):
                x.grad = None
                y = left(x)
                cut = torch.tensor(y.tolist(), requires_grad=True)
                right(cut).backward(v)
                y.backward(cut.grad)
                return cut.grad, x.grad
        """,
        praise="Plain numbers to the right, g back to the left, and nobody saw the whole chain.",
        hints=(
            "There are two calls of backward: first that of the right half, then that of the left.",
            "The right half is given v and leaves g in cut.grad; the left half is given that g.",
            "The last lines are y.backward(cut.grad) and return cut.grad, x.grad. Clear x.grad "
            "before.",
        ),
        also_right=(
            ("torch.tensor(y.tolist(), requires_grad=True)", "y.detach().requires_grad_()"),
            (
                "    right(cut).backward(v)\n    y.backward(cut.grad)\n    return cut.grad, x.grad",
                "    g, = torch.autograd.grad(right(cut), cut, v)\n"
                "    return [g, torch.autograd.grad(y, x, g)[0]]",
            ),
            ("y.backward(cut.grad)", "(y * cut.grad).sum().backward()"),
        ),
        mistakes={
            """
            def in_halves(left, right, x, v):
                y = left(x)
                y.backward(torch.ones_like(y))
                return torch.ones_like(y), x.grad
            """: "Only the left half ran. g comes from the right half: run that one first.",
            (
                "y.backward(cut.grad)",
                "y.backward(torch.ones_like(y))",
            ): "g was forgotten: with ones the left half differentiates y.sum(), not z.",
            (
                "y.backward(cut.grad)",
                "y.backward(v)",
            ): "v belongs to z, the end of the chain. At the cut, pass cut.grad.",
            (
                "y.backward(cut.grad)",
                "y.backward(torch.tensor(y.tolist()))",
            ): "You passed the values of y. The left half needs cut.grad.",
            (
                "right(cut).backward(v)",
                "right(cut).sum().backward()",
            ): "The right half ignores v: give it to its backward.",
            (
                "right(cut).backward(v)",
                "right(cut).backward(v)\n    right(cut).backward(v)",
            ): "The right half ran twice and cut.grad added up: g counts double.",
            (
                "x.grad = None\n    ",
                "",
            ): "The old x.grad was still there: backward() adds to it. Clear it first.",
            (
                "cut = torch.tensor(y.tolist(), requires_grad=True)",
                "cut = y",
            ): "Nothing was cut: right needs a new tensor with the numbers of y.",
            (
                "torch.tensor(y.tolist(), requires_grad=True)",
                "y.tolist()",
            ): "right takes a tensor: make a new one from the numbers that cross.",
            (
                "right(cut).backward(v)",
                "right(cut).backward()",
            ): "The right half ignores v: give it to its backward.",
            (
                "y.backward(cut.grad)",
                "y.backward()",
            ): "y has several numbers: give its backward g, or multiply by g and add up.",
            (
                ", requires_grad=True",
                "",
            ): _NOTHING_REQUIRES,
            (
                "y = left(x)",
                "y = left(x.detach())",
            ): _NOTHING_REQUIRES,
            (
                "    y.backward(cut.grad)\n",
                "",
            ): "The left half never ran backward: x.grad is still empty.",
            ("return cut.grad, x.grad", "return x.grad"): "Return both: cut.grad, x.grad.",
            (
                "return cut.grad, x.grad",
                "return x.grad, cut.grad",
            ): "Return them in the other order: first g, then x.grad.",
            ("    return cut.grad, x.grad", ""): "End the function with return cut.grad, x.grad.",
        },
    ),
    mend(
        "05-3",
        program="""
            w = torch.tensor(0.2, requires_grad=True)
            cuts = [torch.tensor(h, requires_grad=True) for h in [0.9, 0.18, 0.036]]
            rounds = []
            for last in range(3):
                w.grad = None
                states = [w * h for h in cuts]
                states[last].backward()
                for k in reversed(range(last)):
                    states[k].backward(cuts[k + 1].grad)
                rounds.append(w.grad.item())
        """,
        repair=("    w.grad = None", "    for one in [w, *cuts]:\n        one.grad = None"),
        compares="rounds",
        others={
            "Starting at 2:": ("[0.9, 0.18, 0.036]", "[2., 0.4, 0.08]"),
            "With other numbers at the cuts:": ("[0.9, 0.18, 0.036]", "[0.5, -1., 3.]"),
            "With w = -0.7:": ("torch.tensor(0.2,", "torch.tensor(-0.7,"),
        },
        praise="Each round passes its own g across, and w.grad is 0.9, 0.36 and then "
        "3\u00b7w\u00b2\u00b70.9 = 0.108.",
        hints=(
            "To which .grad does each round add, and which of them does it clear?",
            "The .grad of a tensor in cuts still holds what the round before left there, and it "
            "crosses a second time.",
            "Clear the .grad of every tensor in cuts where w.grad is cleared.",
        ),
        also_right=(
            (
                "states[k].backward(cuts[k + 1].grad)",
                "states[k].backward(cuts[k + 1].grad)\n        cuts[k + 1].grad = None",
            ),
            (
                "    w.grad = None",
                "    w.grad = None\n    cuts = [h.detach().requires_grad_() for h in cuts]",
            ),
        ),
        mistakes={
            (): "A .grad left by an earlier round is still there, and is used again.",
            (
                "    w.grad = None\n",
                "",
            ): "w.grad has to be cleared in each round, and the .grad of each tensor in cuts, too.",
            (
                "    w.grad = None",
                "    for one in cuts:\n        one.grad = None",
            ): "cuts are cleared, but w.grad now holds all rounds together: clear it, too.",
            (
                "cuts[k + 1].grad",
                "torch.tensor(1.)",
            ): "g is forgotten: the upstream gradient of each state is 1.",
            (
                "states[k].backward(cuts[k + 1].grad)",
                "pass",
            ): "Nothing crosses back: only the last use of w is left in w.grad.",
            ("range(3)", "[2]"): "Run all three rounds; each has its own loss.",
        },
    ),
]
