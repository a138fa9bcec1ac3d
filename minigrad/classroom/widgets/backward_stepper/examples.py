"""The programs that the backward stepper opens by name."""

from ..shared.example import Example, by_name


def _diamond(torch, x):
    s = 2 * x
    p = s * s
    q = 3 * s
    y = p * q
    return y


def _three_terms(torch, a, b, c):
    y = 3 * a + 2 * b * b + torch.log(c)
    return y


def _doubled_twice(torch, a):
    b = a + a
    c = b + b
    return c


EXAMPLES = by_name(
    Example("diamond", "s = 2*x; p = s*s; q = 3*s; y = p*q", _diamond, {"x": 1.0}, 1.0).noting(
        "Three contributions meet at s, from two sides."
    ),
    Example(
        "3a+2b²+log c",
        "y = 3*a + 2*b*b + log(c)",
        _three_terms,
        {"a": 0.1, "b": 1.0, "c": 0.1},
        1.0,
    ).noting("b is used twice: two contributions arrive at it, and .grad is their sum."),
    Example("b=a+a; c=b+b", "b = a + a; c = b + b", _doubled_twice, {"a": 1.0}, 1.0, "c").noting(
        "b has to wait for both contributions before it sends anything on."
    ),
    Example(
        "mm",
        "out = x.mm(a), a = ones(3, 4)",
        lambda torch, x, a: x.mm(a),
        {"x": [[1.0] * 3] * 2, "a": [[1.0] * 4] * 3},
        [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],
        "out",
    ).noting("One node, two operands: x receives v @ aᵀ, a receives xᵀ @ v."),
    Example(
        "broadcast",
        "out = a * b, shapes (2, 1) and (3,)",
        lambda torch, a, b: a * b,
        {"a": [[1.0], [2.0]], "b": [10.0, 20.0, 30.0]},
        [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
        "out",
    ).noting("What was repeated on the way forward is summed on the way back."),
    Example(
        "vectors",
        "y = 3*a + 2*b*b + log(c), three numbers each",
        _three_terms,
        {"a": [1.0, 2.0, 3.0], "b": [3.0, 4.0, 5.0], "c": [6.0, 7.0, 8.0]},
        [0.1, 1.0, 0.0001],
    ).noting("The same graph: v has one entry for each output."),
)
