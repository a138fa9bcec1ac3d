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
    return "prices that keep falling" if max(b.item(), *w.tolist()) < -10 else "the right prices"


def _squares(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * x).backward(torch.tensor([1.0, 0.0, 10.0]))
    return x.grad


def _first_step_of_ones(torch):
    w = torch.zeros(2, requires_grad=True)
    (_receipts(torch) @ w).backward(torch.ones(4))
    return w.grad


def _product_and_square(torch):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    torch.stack([x[0] * x[1], x[1] ** 2]).backward(torch.tensor([2.0, -1.0]))
    return x.grad


def _what_the_bank_computes(torch):
    p = torch.tensor([0.0, 1.0, 1.0, 2.0], requires_grad=True)
    (((p - torch.tensor([1.0, 3.0, 0.0, 2.0])) ** 2).sum() / 2).backward()
    return p.grad


CARDS = {
    "lecture-ones": _vote(
        "The bank sends back four ones at each of 40 steps. Which prices does the shop learn?",
        {
            "the right prices": "Which line knows what was paid? None does, so nothing can pull "
            "the prices there.",
            "prices at which every prediction is 1": "Where does the program compare a prediction "
            "with a 1? backward() takes no targets.",
            "prices that keep falling": RIGHT,
            "none: the prices stay at 0": "They would if the bank sent four zeros. Ones "
            "move the prices at every step.",
        },
        _fall_or_settle,
        "Nothing in this program knows what was paid. What four ones ask for, you'll see two votes "
        "from now.",
    ),
    "lecture-weights": _vote(
        "x = [1, 2, 3] and y = x * x. What is x.grad after y.backward(v) with v = [1, 0, 10]?",
        {
            "[2, 4, 6]": "Those are the derivatives 2x. They would be right for v = [1, 1, 1].",
            "[2, 0, 60]": RIGHT,
            "[1, 0, 90]": "Those are the outputs times v. backward() works with derivatives.",
            "[2, 0, 20]": "That is 2v, the derivative at v. The point stays x; v says how much "
            "each output counts.",
        },
        _squares,
        "Each derivative 2x is multiplied by its entry of v: 1\u00b72, 0\u00b74 and 10\u00b76.",
    ),
    "lecture-columns": _vote(
        "X = [[0, 0], [0, 1], [1, 0], [1, 1]], w = [0, 0], b = 0 and p = X @ w + b. What is w.grad "
        "after p.backward(torch.ones(4))?",
        {
            "[0, 0]": "w is 0, and so is p. But p grows with w by what X holds, whatever w is.",
            "[0, 1, 1, 2]": "That adds up each row and gives a number for each prediction. w has "
            "two entries, and so has w.grad.",
            "[0.5, 0.5]": "That is the mean of each column, which p.mean().backward() would "
            "give. Ones make a sum.",
            "[2, 2]": RIGHT,
        },
        _first_step_of_ones,
        "w.grad has one number for each price: each column of X, added up.",
    ),
    "lecture-product": _vote(
        "y = [x[0]\u00b7x[1], x[1]\u00b2], and at x = [2, 3] its Jacobian is J = "
        "[[3, 2], [0, 6]]. What is x.grad after y.backward(v) with v = [2, -1]?",
        {
            "[6, -2]": RIGHT,
            "[4, -6]": "That is J @ v. There the 2 multiplies a column, which belongs to an "
            "input. v has one entry for each output.",
            "[10, -6]": "The rows are scaled correctly. Now add up each column, not each row.",
            "[3, 8]": "That adds up the columns as they are. It would be right for v = [1, 1].",
        },
        _product_and_square,
        "Scale the first row by 2 and the second by \u22121, then add up each column: v\u00b7J.",
    ),
    "lecture-g": _vote(
        "With w = [1, 1] and b = 0, p = [0, 1, 1, 2] arrives at the bank, which knows "
        "t = [1, 3, 0, 2]. The loss is half the sum of (p \u2212 t)\u00b2. Which four numbers does "
        "it send back?",
        {
            "[1, 3, 0, 2]": "That is t, what was paid. backward() needs how much the loss changes "
            "with each prediction.",
            "[1, 4, 1, 0]": "Those are the squared errors. They cannot tell too small from too "
            "large.",
            "[-1, -2, 1, 0]": RIGHT,
            "[1, 2, -1, 0]": "That is t \u2212 p, the way the predictions should go. A gradient "
            "says in which direction the loss grows, and the step then goes against it.",
        },
        _what_the_bank_computes,
        "The derivative of half a square is the error itself, p \u2212 t.",
    ),
}
EXERCISES: list = []
