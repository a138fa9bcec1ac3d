"""The five votes of the one lecture. Every choice has a letter, so that a hall can call it out."""

from types import ModuleType
from typing import Any

from .cards import Card

RIGHT = None  # in the place of what is said to a wrong choice


def _vote(question: str, choices: dict, compute: Any, why: str) -> Card:
    """A card with lettered choices.

    choices: {text: what is said to who chooses it}, `RIGHT` for the right one.
    compute: a function of the engine; what it gives, written as a choice, is the right one.
    """
    lettered = {text: f"{letter}:  {text}" for letter, text in zip("ABCD", choices)}
    return Card(
        question,
        answer=lambda torch: lettered[_written(compute(torch))],
        choices=list(lettered.values()),
        why=why,
        misconceptions={
            lettered[text]: said for text, said in choices.items() if said is not RIGHT
        },
    )


def _written(result):
    """A tensor as it stands among the choices: [2, 0, 60]."""
    return result if isinstance(result, str) else str(result.tolist()).replace(".0", "")


def _receipts(torch: ModuleType) -> Any:
    return torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def _fall_or_settle(torch):
    """What becomes of the prices if ones come back at every step."""
    x = _receipts(torch)
    w, b = torch.zeros(2, requires_grad=True), torch.zeros((), requires_grad=True)
    for _ in range(40):
        (x @ w + b).backward(torch.ones(4))
        with torch.no_grad():
            w -= 0.25 * w.grad
            b -= 0.25 * b.grad
        w.grad = b.grad = None
    return "prices that fall and fall" if max(b.item(), *w.tolist()) < -10 else "the right prices"


def _squares(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * x).backward(torch.tensor([1.0, 0.0, 10.0]))
    return x.grad


def _first_step_of_ones(torch):
    w = torch.zeros(2, requires_grad=True)
    (_receipts(torch) @ w).backward(torch.ones(4))
    return w.grad


def _two_rows(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (torch.tensor([[2.0, 1.0], [0.0, 3.0]]) @ x).backward(torch.tensor([1.0, 10.0]))
    return x.grad


def _what_the_bank_computes(torch):
    p = torch.zeros(4, requires_grad=True)
    (((p - torch.tensor([1.0, 3.0, 0.0, 2.0])) ** 2).sum() / 2).backward()
    return p.grad


CARDS = {
    "lecture-ones": _vote(
        "The bank sends back four ones at each of 40 steps. Which prices does the shop learn?",
        {
            "the right prices": "Which line knows what was paid? None does, so nothing can pull "
            "the prices there.",
            "the mean of what was paid": "Even a mean depends on what was paid, and ones do not.",
            "prices that fall and fall": RIGHT,
            "none: backward() refuses the ones": "It checks the shape, and four numbers for four "
            "predictions have the right shape.",
        },
        _fall_or_settle,
        "With ones, backward() differentiates the sum of the predictions, and every step makes "
        "that sum smaller.",
    ),
    "lecture-weights": _vote(
        "x = [1, 2, 3] and y = x * x. What is x.grad after y.backward(v) with v = [1, 0, 10]?",
        {
            "[2, 4, 6]": "Those are the derivatives 2x. They would be right for v = [1, 1, 1].",
            "[2, 0, 60]": RIGHT,
            "[1, 0, 90]": "Those are the outputs times v. backward() works with derivatives.",
            "nothing: the call is refused": "Without an argument it would be. Three numbers for "
            "three outputs have the right shape.",
        },
        _squares,
        "Each derivative 2x is multiplied by its entry of v: 1\u00b72, 0\u00b74 and 10\u00b76.",
    ),
    "lecture-columns": _vote(
        "X holds four receipts, w = [0, 0] and p = X @ w. What is w.grad after "
        "p.backward(torch.ones(4))?",
        {
            "[1, 1]": "That is the last receipt alone. With ones, all four receipts count.",
            "[0, 1, 1, 2]": "That adds up each row and gives a number for each prediction. w has "
            "two entries, and so has w.grad.",
            "all eight numbers of X": "Those are the right derivatives. w.grad has room for two, "
            "so they arrive added up.",
            "[2, 2]": RIGHT,
        },
        _first_step_of_ones,
        "w.grad has one number for each price: each column of X, added up.",
    ),
    "lecture-product": _vote(
        "M = [[2, 1], [0, 3]], y = M @ x and v = [1, 10]. What is x.grad after y.backward(v)?",
        {
            "[2, 31]": RIGHT,
            "[12, 30]": "That is M @ v. There the 10 multiplies a column, which belongs to an "
            "input. v has one entry for each output.",
            "[3, 30]": "The rows are scaled correctly. Now add up each column, not each row.",
            "[2, 4]": "That adds up the columns as they are. It would be right for v = [1, 1].",
        },
        _two_rows,
        "Scale the first row by 1 and the second by 10, then add up each column: v\u00b7J.",
    ),
    "lecture-g": _vote(
        "p = [0, 0, 0, 0] arrives at the bank, which knows t = [1, 3, 0, 2]. The loss is half the "
        "sum of (p \u2212 t)\u00b2. Which four numbers does it send back?",
        {
            "[1, 3, 0, 2]": "That is what was paid. backward() needs how much the loss changes "
            "with each prediction.",
            "[1, 9, 0, 4]": "Those are the squared errors. They cannot tell too small from too "
            "large.",
            "[-1, -3, 0, -2]": RIGHT,
            "[1, 1, 1, 1]": "Those are the ones from the start. The bank can do better, because it "
            "knows what was paid.",
        },
        _what_the_bank_computes,
        "The derivative of half a square is the error itself, p \u2212 t.",
    ),
}
EXERCISES: list = []
