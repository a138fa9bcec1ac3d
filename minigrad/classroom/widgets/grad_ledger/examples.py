"""The examples of the ledger of .grad, with the scripts that replay the documents."""

from dataclasses import dataclass

from ..shared.example import Example, by_name
from ..upstream_editor.examples import terms
from .session import Call


@dataclass(frozen=True)
class Scripted(Example):
    """A function and a script: the calls after the first forward."""

    script: tuple = ()


def _scripted(name, formula, function, inputs, script, v=None, output="y"):
    """An example, in whose script "backward" and "retained" are of its own output and its own v."""
    known = {what: Call(what) for what in ("forward", "zero_", "none", "step")}
    known["backward"] = Call("backward", output, v)
    known["retained"] = Call("backward", output, v, retain=True)
    calls = tuple(known[one] if isinstance(one, str) else one for one in script)
    return Scripted(name, formula, function, inputs, v, output, script=calls)


def _two_losses(torch, x):
    h = x.exp()
    l1, l2 = h.sum(), (h * h).sum()
    return {"l1": l1, "l2": l2, "l1 + l2": l1 + l2}


def _error_of_fit(torch, w):
    x = torch.tensor([1.0, 2.0])
    target = torch.tensor([2.0, 6.0])
    return ((w * x - target) ** 2).mean()


_S3_7 = ("y = 3*a + 2*b*b + log(c)", terms, {"a": 1.0, "b": 1.0, "c": 1.0})

EXAMPLES = by_name(
    _scripted(
        "x * x",
        "y = x * x",
        lambda torch, x: x * x,
        {"x": [1.0, 2.0, 3.0]},
        ("retained", "backward", "backward", "zero_", "forward", "backward"),
        [1.0, 0.0, 2.0],
    ).noting("x * x keeps x for backward. A plain backward frees it; .grad stays."),
    _scripted(
        "a * a",
        "out = a * a",
        lambda torch, a: a * a,
        {"a": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]},
        ("retained", "backward", "backward", "none", "forward", "backward"),
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        "out",
    ).noting(
        "At first v is a itself: each backward adds 2a\u00b7a. The graph keeps a for both factors."
    ),
    _scripted("two passes", *_S3_7, ("retained", "backward"))
    .of_row("S3-7")
    .noting("Two passes, each adds 3, 4 and 1: the first must keep the graph."),
    _scripted("two passes, freed", *_S3_7, ("backward", "backward"))
    .of_row("S3-7 freed")
    .noting("Without retain_graph the second pass finds the saved values freed."),
    _scripted(
        "clear and weigh",
        "y = 2*x; z = y**3",
        lambda torch, x: (2 * x) ** 3,
        {"x": [[2.145611]]},
        (
            Call("backward", "z", [1.0], True),
            "retained",
            "zero_",
            Call("backward", "z", [[0.1]], True),
        ),
        [[1.0]],
        "z",
    )
    .of_row("S4-12")
    .noting("0.1 scales this gradient; it is no learning rate, and x stays where it is."),
    _scripted(
        "cubes, twice",
        "y = 2*x; z = y**3; out = z.mean()",
        lambda torch, x: ((2 * x) ** 3).mean(),
        {"x": [[-0.223742, 1.424418], [1.43, 0.42497]]},
        (Call("backward", "out", [1.0]), "backward", "zero_", Call("backward", "out", 0.1, True)),
        output="out",
    )
    .of_row("S4-21")
    .noting("The last call is the line that the document left commented out."),
    _scripted(
        "a + b",
        "y = a + b",
        lambda torch, a, b: a + b,
        {"a": 2.0, "b": 5.0},
        ("backward", "backward"),
        1.0,
    ).noting("A sum keeps nothing: there is nothing to free, and backward may run again."),
    _scripted(
        "two losses",
        "h = x.exp(); l1 = h.sum(); l2 = (h*h).sum()",
        _two_losses,
        {"x": [0.0, 1.0]},
        (
            "backward",
            Call("backward", "l2", 1.0),
            "none",
            "forward",
            Call("backward", "l1 + l2", 1.0),
        ),
        1.0,
        "l1",
    ).noting("Two losses share h. Adding them first needs one pass and nothing retained."),
    _scripted(
        "step between",
        "h = 3 * w1; loss = h * w2",
        lambda torch, w1, w2: 3 * w1 * w2,
        {"w1": 2.0, "w2": 5.0},
        ("retained", "step", "backward", "forward", "backward"),
        1.0,
        "loss",
    ).noting("step changes w2, which the graph has kept: backward must not use it any more."),
    _scripted(
        "training",
        "loss = ((w*x - target)**2).mean()",
        _error_of_fit,
        {"w": 1.0},
        ("backward", "step", "forward", "backward", "zero_", "forward", "backward", "step"),
        1.0,
        "loss",
    ).noting("Without zero_() or None the second pass adds to the old gradient."),
)
