"""The examples of the ledger of .grad, with the scripts that replay the documents.

Each is a function of its leaves, written once for both engines. The names are those of the
documents the course grew out of: "S3-7" is example 4 of document S3, "S4-12" starts at that cell of
document S4.
"""

from dataclasses import dataclass
from typing import Callable

from ..formatting import nested


@dataclass(frozen=True)
class Call:
    """One thing that a learner does. what: "forward", "backward", "zero_", "none" or "step".

    root, v, retain: of a backward; v None is no argument. leaf: of zero_ and none; "" is every
    leaf.
    """

    what: str
    root: str = ""
    v: list | float | None = None
    retain: bool = False
    leaf: str = ""

    def code(self, leaves):
        """The line of code that it stands for."""
        chosen = [self.leaf] if self.leaf else leaves
        if self.what == "backward":
            arguments = [
                *(["v"] if self.v is not None else []),
                *(["retain_graph=True"] if self.retain else []),
            ]
            told = f", v = {nested(self.v)}" if self.v is not None else ""
            root = self.root if self.root.isidentifier() else f"({self.root})"
            return f"{root}.backward({', '.join(arguments)}){told}"
        if self.what in ("zero_", "none") and len(chosen) > 3:
            return "every .grad.zero_()" if self.what == "zero_" else "every .grad = None"
        if self.what == "zero_":
            return "; ".join(f"{name}.grad.zero_()" for name in chosen)
        if self.what == "none":
            return " = ".join(f"{name}.grad" for name in chosen) + " = None"
        return self.what


@dataclass(frozen=True)
class Example:
    """One example: a function of leaves, their first numbers, and a script of calls.

    leaves: None for a whole program, which makes its leaves itself. v: the first upstream gradient.
    """

    name: str
    formula: str
    function: Callable
    leaves: dict | None
    root: str = "y"
    v: list | float | None = None
    script: tuple = ()
    note: str = ""


def _back(root, v=None, retain=False):
    return Call("backward", root, v, retain)


_FORWARD, _ZERO, _NONE, _STEP = Call("forward"), Call("zero_"), Call("none"), Call("step")


def _square(torch, x):
    return x * x


def _example_4(torch, a, b, c):
    return 3 * a + 2 * b * b + torch.log(c)


def _cube(torch, x):
    y = 2 * x
    return {"z": y**3}


def _mean_of_cubes(torch, x):
    y = 2 * x
    z = y**3
    return {"out": z.mean()}


def _sum_of_two(torch, a, b):
    return a + b


def _three_times(torch, a):
    return 3 * a


def _two_losses(torch, x):
    h = x.exp()
    l1, l2 = h.sum(), (h * h).sum()
    return {"l1": l1, "l2": l2, "l1 + l2": l1 + l2}


def _two_weights(torch, w1, w2):
    h = 3 * w1
    return {"loss": h * w2}


def _error_of_fit(torch, w):
    x = torch.tensor([1.0, 2.0])
    target = torch.tensor([2.0, 6.0])
    return {"loss": ((w * x - target) ** 2).mean()}


_X4 = [[2.145611]]
_X21 = [[-0.223742, 1.424418], [1.43, 0.42497]]

EXAMPLES = {
    example.name: example
    for example in (
        Example(
            "x * x",
            "y = x * x",
            _square,
            {"x": [1.0, 2.0, 3.0]},
            "y",
            [1.0, 0.0, 2.0],
            (
                _back("y", [1.0, 0.0, 2.0], True),
                _back("y", [1.0, 0.0, 2.0]),
                _back("y", [1.0, 0.0, 2.0]),
                _ZERO,
                _FORWARD,
                _back("y", [1.0, 0.0, 2.0]),
            ),
            "x * x keeps x for backward. A plain backward frees it; .grad stays.",
        ),
        Example(
            "S3-7",
            "y = 3*a + 2*b*b + log(c)",
            _example_4,
            {"a": 1.0, "b": 1.0, "c": 1.0},
            "y",
            None,
            (_back("y", None, True), _back("y")),
            "Two passes, each adds 3, 4 and 1: the first must keep the graph.",
        ),
        Example(
            "S3-7 freed",
            "y = 3*a + 2*b*b + log(c)",
            _example_4,
            {"a": 1.0, "b": 1.0, "c": 1.0},
            "y",
            None,
            (_back("y"), _back("y")),
            "The same without retain_graph: the second pass finds the saved values freed.",
        ),
        Example(
            "S4-12",
            "y = 2*x; z = y**3",
            _cube,
            {"x": _X4},
            "z",
            [[1.0]],
            (_back("z", [1.0], True), _back("z", [[1.0]], True), _ZERO, _back("z", [[0.1]], True)),
            "0.1 scales this gradient; it is no learning rate, and x stays where it is.",
        ),
        Example(
            "S4-21",
            "y = 2*x; z = y**3; out = z.mean()",
            _mean_of_cubes,
            {"x": _X21},
            "out",
            None,
            (_back("out", [1.0]), _back("out"), _ZERO, _back("out", 0.1, True)),
            "The last call is the line that the document left commented out.",
        ),
        Example(
            "a + b",
            "y = a + b",
            _sum_of_two,
            {"a": 2.0, "b": 5.0},
            "y",
            1.0,
            (_back("y", 1.0), _back("y", 1.0)),
            "A sum keeps nothing, so there is nothing to free and backward may run again.",
        ),
        Example(
            "3 * a",
            "y = 3 * a",
            _three_times,
            {"a": 2.0},
            "y",
            1.0,
            (_back("y", 1.0), _back("y", 1.0)),
            "A product with a number keeps that number, and a plain backward frees it.",
        ),
        Example(
            "two losses",
            "h = x.exp(); l1 = h.sum(); l2 = (h*h).sum()",
            _two_losses,
            {"x": [0.0, 1.0]},
            "l1",
            1.0,
            (_back("l1", 1.0), _back("l2", 1.0), _NONE, _FORWARD, _back("l1 + l2", 1.0)),
            "Two losses share h. Adding them first needs one pass and nothing retained.",
        ),
        Example(
            "step between",
            "h = 3 * w1; loss = h * w2",
            _two_weights,
            {"w1": 2.0, "w2": 5.0},
            "loss",
            1.0,
            (_back("loss", 1.0, True), _STEP, _back("loss", 1.0), _FORWARD, _back("loss", 1.0)),
            "step changes w2, which the graph has kept: backward must not use it any more.",
        ),
        Example(
            "training",
            "loss = ((w*x - target)**2).mean()",
            _error_of_fit,
            {"w": 1.0},
            "loss",
            1.0,
            (
                _back("loss", 1.0),
                _STEP,
                _FORWARD,
                _back("loss", 1.0),
                _ZERO,
                _FORWARD,
                _back("loss", 1.0),
                _STEP,
            ),
            "Without zero_() or None the second pass adds to the old gradient.",
        ),
    )
}
