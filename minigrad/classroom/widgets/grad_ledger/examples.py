"""The examples of the ledger of .grad, with the scripts that replay the documents.

"S3-7" is example 4 of document S3; "S4-12" starts at that cell of document S4.
"""

from dataclasses import dataclass

from ..shared.example import Example, by_name
from .session import Call


@dataclass(frozen=True)
class Scripted(Example):
    """A function and a script: the calls after the first forward."""

    script: tuple = ()


def _back(root, v=None, retain=False):
    return Call("backward", root, v, retain)


_FORWARD, _ZERO, _NONE, _STEP = Call("forward"), Call("zero_"), Call("none"), Call("step")


def _example_4(torch, a, b, c):
    return 3 * a + 2 * b * b + torch.log(c)


def _two_losses(torch, x):
    h = x.exp()
    l1, l2 = h.sum(), (h * h).sum()
    return {"l1": l1, "l2": l2, "l1 + l2": l1 + l2}


def _error_of_fit(torch, w):
    x = torch.tensor([1.0, 2.0])
    target = torch.tensor([2.0, 6.0])
    return ((w * x - target) ** 2).mean()


_V = [1.0, 0.0, 2.0]
_ONES = {"a": 1.0, "b": 1.0, "c": 1.0}

EXAMPLES = by_name(
    Scripted(
        "x * x",
        "y = x * x",
        lambda torch, x: x * x,
        {"x": [1.0, 2.0, 3.0]},
        _V,
        note="x * x keeps x for backward. A plain backward frees it; .grad stays.",
        script=(
            _back("y", _V, True),
            _back("y", _V),
            _back("y", _V),
            _ZERO,
            _FORWARD,
            _back("y", _V),
        ),
    ),
    Scripted(
        "S3-7",
        "y = 3*a + 2*b*b + log(c)",
        _example_4,
        _ONES,
        note="Two passes, each adds 3, 4 and 1: the first must keep the graph.",
        script=(_back("y", None, True), _back("y")),
    ),
    Scripted(
        "S3-7 freed",
        "y = 3*a + 2*b*b + log(c)",
        _example_4,
        _ONES,
        note="Without retain_graph the second pass finds the saved values freed.",
        script=(_back("y"), _back("y")),
    ),
    Scripted(
        "S4-12",
        "y = 2*x; z = y**3",
        lambda torch, x: (2 * x) ** 3,
        {"x": [[2.145611]]},
        [[1.0]],
        "z",
        "0.1 scales this gradient; it is no learning rate, and x stays where it is.",
        script=(
            _back("z", [1.0], True),
            _back("z", [[1.0]], True),
            _ZERO,
            _back("z", [[0.1]], True),
        ),
    ),
    Scripted(
        "S4-21",
        "y = 2*x; z = y**3; out = z.mean()",
        lambda torch, x: ((2 * x) ** 3).mean(),
        {"x": [[-0.223742, 1.424418], [1.43, 0.42497]]},
        None,
        "out",
        "The last call is the line that the document left commented out.",
        script=(_back("out", [1.0]), _back("out"), _ZERO, _back("out", 0.1, True)),
    ),
    Scripted(
        "a + b",
        "y = a + b",
        lambda torch, a, b: a + b,
        {"a": 2.0, "b": 5.0},
        1.0,
        note="A sum keeps nothing: there is nothing to free, and backward may run again.",
        script=(_back("y", 1.0), _back("y", 1.0)),
    ),
    Scripted(
        "3 * a",
        "y = 3 * a",
        lambda torch, a: 3 * a,
        {"a": 2.0},
        1.0,
        note="A product with a number keeps that number, and a plain backward frees it.",
        script=(_back("y", 1.0), _back("y", 1.0)),
    ),
    Scripted(
        "two losses",
        "h = x.exp(); l1 = h.sum(); l2 = (h*h).sum()",
        _two_losses,
        {"x": [0.0, 1.0]},
        1.0,
        "l1",
        "Two losses share h. Adding them first needs one pass and nothing retained.",
        script=(_back("l1", 1.0), _back("l2", 1.0), _NONE, _FORWARD, _back("l1 + l2", 1.0)),
    ),
    Scripted(
        "step between",
        "h = 3 * w1; loss = h * w2",
        lambda torch, w1, w2: 3 * w1 * w2,
        {"w1": 2.0, "w2": 5.0},
        1.0,
        "loss",
        "step changes w2, which the graph has kept: backward must not use it any more.",
        script=(_back("loss", 1.0, True), _STEP, _back("loss", 1.0), _FORWARD, _back("loss", 1.0)),
    ),
    Scripted(
        "training",
        "loss = ((w*x - target)**2).mean()",
        _error_of_fit,
        {"w": 1.0},
        1.0,
        "loss",
        "Without zero_() or None the second pass adds to the old gradient.",
        script=(
            _back("loss", 1.0),
            _STEP,
            _FORWARD,
            _back("loss", 1.0),
            _ZERO,
            _FORWARD,
            _back("loss", 1.0),
            _STEP,
        ),
    ),
)
