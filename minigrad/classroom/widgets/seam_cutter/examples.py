"""The chains that the seam cutter cuts, and a learner's own list of functions as one."""

from collections import namedtuple
from dataclasses import dataclass

from ...show.formatting import MINUS
from ...show.typed_numbers import Refused
from ..shared.example import Example, by_name
from ..shared.functions import YOURS, name_of, own_example
from ..upstream_editor.examples import first_layer, second_layer

MAX_FUNCTIONS = 6  # more are not readable in one row


# One function of a chain: its name, what it does on one line, what its result is called, and
# function(torch, tensor).
Link = namedtuple("Link", "name formula value function")


@dataclass(frozen=True)
class Chain(Example):
    """Functions applied one after another. links: those functions, each a `Link`."""

    links: tuple = ()


def _chain(name, x, v, *links, input_name="x", source=None):
    """Functions applied one after another, as an example."""
    out, inner = links[-1].value, input_name
    for link in links:
        inner = f"{link.name}({inner})"

    def function(torch, value):
        for link in links:
            value = link.function(torch, value)
        return value

    formula, inputs = f"{out} = {inner}", {input_name: x}
    return Chain(name, formula, function, inputs, v, out, source=source, links=links)


def own_chain(functions, inputs, named, v):
    """A learner's own list of functions, each of one tensor, as an example; else `Refused`."""
    functions = [functions] if callable(functions) else functions
    if not isinstance(functions, (list, tuple)) or not 1 <= len(functions) <= MAX_FUNCTIONS:
        raise Refused(
            f"Give a list of 1 to {MAX_FUNCTIONS} functions, such as "
            "[lambda x: x * x, lambda y: 3 * y], or an example's name."
        )
    links, between = [], "h{}" if len(functions) > 2 else "y"
    for k, function in enumerate(functions):
        if not callable(function):
            raise Refused(f"Number {k + 1} of the list is no function: {function!r:.60}.")
        value = "z" if k == len(functions) - 1 else between.format(k + 1)
        one = own_example(function, inputs if k == 0 else [0], named if k == 0 else None, few=1)
        if k == 0:
            [(input_name, x)] = one.inputs.items() or [("x", None)]
        name = name_of(function, f"F{k + 1}")
        formula = one.formula.removeprefix("y = ")
        links.append(Link(name if len(name) < 15 else f"F{k + 1}", formula, value, one.function))
    return _chain(YOURS, x, v, *links, input_name=input_name, source=functions)


def _receipts(torch):
    """Four receipts: was there a coupon, was the pizza large."""
    return torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


_TWO_LAYERS = (
    Link("F1", "y = (x₁·x₁ + x₂, x₁·x₂)", "y", first_layer),
    Link("F2", "z = (y₁·y₂, y₁ + 2·y₂)", "z", second_layer),
)
_SHOP = Link("shop", "p = X @ w + b, b = 0", "p", lambda torch, w: _receipts(torch) @ w)

EXAMPLES = by_name(
    _chain("two layers", [2.0, 3.0], [1.0, 1.0], *_TWO_LAYERS)
    .of_row("S2-4")
    .noting("Two layers of two outputs. Try v = [0.2, 0.8]: what crosses the cut becomes (2, 3)."),
    _chain("two layers, weighed", [2.0, 3.0], [0.2, 0.8], *_TWO_LAYERS)
    .of_row("S2-6")
    .noting("The same two layers with v = [0.2, 0.8]."),
    _chain(
        "3 layers",
        [1.0, 2.0],
        [1.0, 2.0],
        Link(
            "F1",
            "h1 = A @ x, A = [[1, 2], [3, 4], [0, 1]]",
            "h1",
            lambda torch, x: torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]) @ x,
        ),
        Link(
            "F2",
            "h2 = (p·q, q·r) of h1 = (p, q, r)",
            "h2",
            lambda torch, h: torch.stack([h[0] * h[1], h[1] * h[2]]),
        ),
        Link(
            "F3",
            f"z = B @ h2, B = [[1, {MINUS}1], [2, 1]]",
            "z",
            lambda torch, h: torch.tensor([[1.0, -1.0], [2.0, 1.0]]) @ h,
        ),
    ).noting("Wherever you cut, g has the shape of the value at the cut: three numbers, or two."),
    _chain(
        "three powers",
        2.0,
        1.0,
        Link("F1", "y = (x, x\u00b2, x\u00b3)", "y", lambda torch, x: torch.stack([x, x**2, x**3])),
        Link(
            "F2",
            "z = 0.1·y₁ + 1·y₂ + 0.0001·y₃",
            "z",
            lambda torch, y: 0.1 * y[0] + 1.0 * y[1] + 0.0001 * y[2],
        ),
    )
    .of_row("S3-9")
    .noting("One output. [0.1, 1, 0.0001] is no loss: it is \u2202z/\u2202y, what F2 passes back."),
    _chain(
        "one function more",
        [1.0, 2.0, 3.0],
        1.0,
        Link("square", "output = x\u00b2", "output", lambda torch, x: x * x),
        Link("f", "newOutput = 3\u00b7sum(output)", "newOutput", lambda torch, y: 3 * y.sum()),
    )
    .of_row("S1-11")
    .noting("A function put behind output: the gradient of its input is output's gradient."),
    _chain(
        "shop and bank",
        [0.0, 0.0],
        1.0,
        _SHOP,
        Link(
            "bank",
            f"loss = mean of (p {MINUS} t)\u00b2, t = [1, 3, 0, 2]",
            "loss",
            lambda torch, p: ((p - torch.tensor([1.0, 3.0, 0.0, 2.0])) ** 2).mean(),
        ),
        input_name="w",
    ).noting("The price-list program at its first step."),
    _chain(
        "shop and bank, half the sum",
        [1.0, 1.0],
        1.0,
        _SHOP,
        Link(
            "bank",
            f"loss = half the sum of (p {MINUS} t)\u00b2, t = [1, 3, 0, 2]",
            "loss",
            lambda torch, p: ((p - torch.tensor([1.0, 3.0, 0.0, 2.0])) ** 2).sum() / 2,
        ),
        input_name="w",
    ).noting(
        "The shop's v is g, which crosses the cut. Half the sum of squares makes it p \u2212 t."
    ),
)
