"""The examples that the backward stepper loads by name."""

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Example:
    """A program of tensors, their values, and the first upstream gradient."""

    name: str
    formula: str
    function: Callable
    inputs: tuple
    v: list | float
    note: str = ""  # what to look for, one sentence
    document: str = ""  # its name in the documents that the course grew out of


def _three_terms(torch, a, b, c):
    y = 3 * a + 2 * b * b + torch.log(c)
    return y


def _doubled_twice(torch, a):
    b = a + a
    c = b + b
    return c


def _diamond(torch, x):
    s = 2 * x
    p = s * s
    q = 3 * s
    y = p * q
    return y


def _matrix_product(torch, x, a):
    out = x.mm(a)
    return out


def _chain(torch, x):
    y = 2 * x
    z = y**3
    return z


def _column_times_row(torch, a, b):
    out = a * b
    return out


EXAMPLES = {
    example.name: example
    for example in (
        Example(
            "3a+2b²+log c",
            "y = 3*a + 2*b*b + log(c)",
            _three_terms,
            (0.1, 1.0, 0.1),
            1.0,
            "b is used twice: two contributions arrive at it, and .grad is their sum.",
            "S3-4",
        ),
        Example(
            "b=a+a; c=b+b",
            "b = a + a; c = b + b",
            _doubled_twice,
            (1.0,),
            1.0,
            "b has to wait for both contributions before it sends anything on.",
        ),
        Example(
            "diamond",
            "s = 2*x; p = s*s; q = 3*s; y = p*q",
            _diamond,
            (1.0,),
            1.0,
            "Three contributions meet at s, from two sides.",
        ),
        Example(
            "mm",
            "out = x.mm(a), a = ones(3, 4)",
            _matrix_product,
            ([[1.0] * 3] * 2, [[1.0] * 4] * 3),
            [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],
            "One node, two operands: x receives v @ aᵀ, a receives xᵀ @ v.",
            "S1-7",
        ),
        Example(
            "chain",
            "y = 2*x; z = y**3",
            _chain,
            (-0.644444,),
            1.0,
            "No branches: each node hands one number to the next, nothing is summed.",
            "S4-10",
        ),
        Example(
            "broadcast",
            "out = a * b, shapes (2, 1) and (3,)",
            _column_times_row,
            ([[1.0], [2.0]], [10.0, 20.0, 30.0]),
            [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            "What was repeated on the way forward is summed on the way back.",
        ),
        Example(
            "vectors",
            "y = 3*a + 2*b*b + log(c), three numbers each",
            _three_terms,
            ([1.0, 2.0, 3.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]),
            [0.1, 1.0, 0.0001],
            "The same graph with vectors: v has one weight for each output.",
            "S3-1",
        ),
    )
}


def find(name):
    """The example of this name, formula or place in the documents; None if unknown."""
    wanted = _plain(name)
    for example in EXAMPLES.values():
        if wanted and wanted in map(_plain, (example.name, example.formula, example.document)):
            return example
    return None


def _plain(text):
    return "".join(str(text).split()).lower().replace("**2", "²").replace("^2", "²")
