"""The chains that the seam cutter cuts, by name, and a learner's own list of functions as one.

Each function is written once for both engines, `function(torch, x)`. The first chain is that of
notebook 05: whole numbers throughout, and no Jacobian that looks the same transposed.
"""

from dataclasses import dataclass
from typing import Callable

from ..formatting import MINUS, subscript
from ..typed_numbers import Refused, read_array
from .maps import MAPS
from .source import for_both_engines, name_of, source_of

MAX_FUNCTIONS = 6  # more are not readable in one row


@dataclass(frozen=True)
class Link:
    """One function of a chain: its name, and what it does as one line."""

    name: str
    formula: str
    function: Callable


@dataclass(frozen=True)
class Chain:
    """Functions applied one after another, at which input, weighed by which upstream gradient."""

    name: str
    links: tuple
    x: list | float
    v: list | float | None
    note: str = ""
    values: tuple = ()  # the names of input, what is between, and output

    def __post_init__(self):
        if not self.values:
            object.__setattr__(self, "values", value_names(len(self.links)))

    @property
    def title(self):
        """ "z = F2(F1(x))" """
        inner = self.values[0]
        for link in self.links:
            inner = f"{link.name}({inner})"
        return f"{self.values[-1]} = {inner}"


def value_names(count):
    """x, y, z for two functions; x, h1, h2, ..., z for more."""
    between = ["y"] if count == 2 else [f"h{k}" for k in range(1, count)]
    return ("x", *between, "z")


def _into_three(torch, x):
    return torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], dtype=x.dtype) @ x


def _products(torch, h):
    return torch.stack([h[0] * h[1], h[1] * h[2]])


def _mixed(torch, h):
    return torch.tensor([[1.0, -1.0], [2.0, 1.0]], dtype=h.dtype) @ h


def _powers(torch, x):
    return torch.stack([x, x**2, x**3])


def _weighted(torch, y):
    return 0.1 * y[0] + 1.0 * y[1] + 0.0001 * y[2]


_F1 = Link("F1", "y = (x1\u00b7x1 + x2, x1\u00b7x2)", MAPS["F1"].function)
_F2 = Link("F2", "z = (y1\u00b7y2, y1 + 2\u00b7y2)", MAPS["F2"].function)

CHAINS = {
    chain.name: chain
    for chain in (
        Chain(
            "S2-4",
            (_F1, _F2),
            [2.0, 3.0],
            [1.0, 1.0],
            "Two layers of two outputs. Try v = [0.2, 0.8]: what crosses the cut becomes (2, 3).",
        ),
        Chain(
            "S2-6",
            (_F1, _F2),
            [2.0, 3.0],
            [0.2, 0.8],
            "The same two layers, weighed by 0.2 and 0.8.",
        ),
        Chain(
            "3 layers",
            (
                Link("F1", "h1 = A @ x, A = [[1, 2], [3, 4], [0, 1]]", _into_three),
                Link("F2", "h2 = (p\u00b7q, q\u00b7r) of h1 = (p, q, r)", _products),
                Link("F3", f"z = B @ h2, B = [[1, {MINUS}1], [2, 1]]", _mixed),
            ),
            [1.0, 2.0],
            [1.0, 2.0],
            "Wherever you cut, g has the shape of the value at the cut: three numbers, or two.",
        ),
        Chain(
            "S3-9",
            (
                Link("F1", "y = (x, x\u00b2, x\u00b3)", _powers),
                Link("F2", "z = 0.1\u00b7y1 + 1\u00b7y2 + 0.0001\u00b7y3", _weighted),
            ),
            2.0,
            1.0,
            "One output. [0.1, 1, 0.0001] is no loss: it is \u2202z/\u2202y, what F2 hands back.",
        ),
        Chain(
            "S1-11",
            (
                Link("square", "output = x\u00b2", lambda torch, x: x * x),
                Link("f", "newOutput = 3\u00b7sum(output)", lambda torch, y: 3 * y.sum()),
            ),
            [1.0, 2.0, 3.0],
            1.0,
            "A function put behind output: the gradient of its input is output's gradient.",
            ("x", "output", "newOutput"),
        ),
    )
}


def own_chain(functions, x, v):
    """A learner's own list of functions. Each takes a tensor, or torch's names and a tensor.

    Raises `Refused` with the sentence to show.
    """
    functions = list(functions)
    if not 1 <= len(functions) <= MAX_FUNCTIONS:
        raise Refused(f"Give 1 to {MAX_FUNCTIONS} functions; {len(functions)} were given.")
    if x is None:
        raise Refused("Give the input x of the first function, too: a number or nested lists.")
    names = value_names(len(functions))
    links = []
    for k, function in enumerate(functions):
        if not callable(function):
            raise Refused(f"Number {k + 1} of the list is no function: {function!r:.60}.")
        name = name_of(function, f"F{k + 1}")
        name = name if len(name) <= 14 else f"F{k + 1}"
        formula = source_of(function) or f"{name}({names[k]})"
        links.append(Link(name, formula, for_both_engines(function)))
    return Chain("your functions", tuple(links), read_array(x).tolist(), v)


def entry_name(name, index):
    """ "y" and (1,) give "y\u2082"; a name that ends in a digit gets brackets: "h1[1]"."""
    if not index:
        return name
    if name[-1].isdigit():
        return f"{name}[{', '.join(map(str, index))}]"
    return name + subscript(index)
