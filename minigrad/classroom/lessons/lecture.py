"""The cards of the one lecture, beside those that it takes from lessons 04 and 05: with choices,
so that a hall can vote by hands.
"""

from .cards import Card


def _typed(tensor):
    """A tensor as it stands among the choices."""
    return str(tensor.tolist()).replace(".0", "")


def _squares_weighed_by_themselves(torch):
    a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    (a * a).backward(a)
    return _typed(a.grad)


def _what_the_bank_computes(torch):
    p = torch.zeros(4, requires_grad=True)
    ((p - torch.tensor([1.0, 3.0, 0.0, 2.0])) ** 2).mean().backward()
    return _typed(p.grad)


_SLOPES, _WEIGHED = "[[2, 4, 6], [8, 10, 12]]", "[[2, 8, 18], [32, 50, 72]]"
_CUBED, _REFUSED = "[[3, 12, 27], [48, 75, 108]]", "nothing: the call is refused"
_PAID, _SQUARES = "[1, 3, 0, 2]", "[1, 9, 0, 4]"
_ERRORS, _G = "[-1, -3, 0, -2]", "[-0.5, -1.5, 0, -1]"

CARDS = {
    "lecture-squares": Card(
        "a = [[1, 2, 3], [4, 5, 6]] and out = a * a. What is in a.grad after out.backward(a)?",
        answer=_squares_weighed_by_themselves,
        choices=[_SLOPES, _WEIGHED, _CUBED, _REFUSED],
        why="The argument holds weights: each slope 2a is multiplied by its weight, here a.",
        misconceptions={
            _SLOPES: "That is 2a. It would be right if every weight were 1, but here they are a.",
            _CUBED: "That is 3a\u00b2, as if the weights were differentiated, too.",
            _REFUSED: "Without an argument it would be. Six weights for six outputs are right.",
        },
    ),
    "lecture-g": Card(
        "p = [0, 0, 0, 0] arrives at the bank. It knows t = [1, 3, 0, 2] and that the loss is the "
        "mean of (p \u2212 t)\u00b2. Which four numbers must it send back?",
        answer=_what_the_bank_computes,
        choices=[_PAID, _SQUARES, _ERRORS, _G],
        why="How fast the loss grows with each p: 2(p \u2212 t)/4.",
        misconceptions={
            _PAID: "That is what was paid. backward needs how fast the loss grows with each p.",
            _SQUARES: "Those are the squared errors. They cannot tell too small from too large.",
            _ERRORS: "The signs are right. But the square brings a factor 2, and the mean divides "
            "by 4.",
        },
    ),
}
EXERCISES: list = []
