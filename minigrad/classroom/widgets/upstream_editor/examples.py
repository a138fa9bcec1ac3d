"""The examples of the lessons that the upstream editor opens by name."""

from ..shared.example import Example, by_name


def _square(torch, a):
    return a * a


def _double_until_1000(torch, x):
    y = x * 2
    while y.data.norm() < 1000:
        y = y * 2
    return y


def terms(torch, a, b, c):
    return 3 * a + 2 * b * b + torch.log(c)


def _three_losses(torch, w, X):
    return (X @ w) ** 2


def first_layer(torch, x):
    return torch.stack([x[0] * x[0] + x[1], x[0] * x[1]])


def second_layer(torch, y):
    return torch.stack([y[0] * y[1], y[0] + 2 * y[1]])


def _two_layers(torch, x):
    return second_layer(torch, first_layer(torch, x))


_A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
_V = [0.1, 1.0, 0.0001]
_SUM = "y = 3*a + 2*b*b + log(c)"
_a, _b, _c = {"a": [1.0, 2.0, 3.0]}, {"b": [3.0, 4.0, 5.0]}, {"c": [6.0, 7.0, 8.0]}
_ROWS = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
_MANY = {"x": [[1.0] * 3] * 2, "a": [[1.0] * 4] * 3}
_SAMPLES = {"w": [1.0, 2.0], "X": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]}

EXAMPLES = by_name(
    Example("a * a", "out = a * a", _square, {"a": _A}, _A, "out")
    .of_row("S0-1")
    .noting("At first v is a itself, so a.grad is 2a times a."),
    Example("a * a, ones", "out = a * a", _square, {"a": _A}, [[1.0] * 3] * 2, "out")
    .of_row("S0-2")
    .noting("At first every entry of v is 1: each output counts once, and a.grad is 2a."),
    Example(
        "(a * a).sum()",
        "out = (a * a).sum()",
        lambda torch, a: (a * a).sum(),
        {"a": _A},
        1.0,
        "out",
    )
    .of_row("S0-2 sum")
    .noting("A sum has one output; the one entry of v is the 1 that backward() assumes."),
    Example("doubling", "y = x * 2 * 2 * … * 2", _double_until_1000, {"x": [1.0, -0.5, 0.25]}, _V)
    .of_row("S2-8")
    .noting("Doubled until its norm is 1000: every output is 1024 times its input."),
    Example("three terms, a", _SUM, terms, _a | _b | _c, _V)
    .of_row("S3-1 a")
    .noting("The input is a: a.grad is 3 times v."),
    Example("three terms, b", _SUM, lambda torch, b, a, c: terms(torch, a, b, c), _b | _a | _c, _V)
    .of_row("S3-1 b")
    .noting("The input is b: b.grad is 4b times v."),
    Example("three terms, c", _SUM, lambda torch, c, a, b: terms(torch, a, b, c), _c | _a | _b, _V)
    .of_row("S3-1 c")
    .noting("The input is c: c.grad is v divided by c."),
    Example(
        "three losses", "losses = (X @ w) ** 2", _three_losses, _SAMPLES, [1.0, 1.0, 1.0], "losses"
    )
    .of_row("S3-16")
    .noting("Three losses, at first each counted once: their gradients are summed."),
    Example(
        "three losses, weighed",
        "losses = (X @ w) ** 2",
        _three_losses,
        _SAMPLES,
        [-0.1, 1.0, 0.0001],
        "losses",
    )
    .of_row("S3-17")
    .noting("Three losses, at first by importance: still one sum arrives in w.grad."),
    Example("x.mm(a)", "out = x.mm(a)", lambda torch, x, a: x.mm(a), _MANY, _ROWS, "out")
    .of_row("S1-7")
    .noting("a is ones(3, 4). v has the output's shape (2, 4), x.grad the input's, (2, 3)."),
    Example(
        "mean of cubes",
        "out = ((2*x) ** 3).mean()",
        lambda torch, x: ((2 * x) ** 3).mean(),
        {"x": [[-1.0168, -0.33307], [0.935552, 0.13569]]},
        1.0,
        "out",
    )
    .of_row("S4-18")
    .noting("A mean divides by the number of elements, and so does the gradient."),
    Example("two layers", "z = F2(F1(x))", _two_layers, {"x": [2.0, 3.0]}, [0.2, 0.8], "z")
    .of_row("S2-6")
    .noting("Two layers of two outputs: ones give (55, 25), (0.2, 0.8) give (17, 8)."),
    Example(
        "A @ x",
        "y = A @ x",
        lambda torch, x, A: A @ x,
        {"x": [1.0, 2.0, 3.0], "A": _A},
        [1.0, 10.0],
    ).noting("A = [[1, 2, 3], [4, 5, 6]]: each entry of v multiplies one row of A."),
    Example(
        "3x and x\u00b2",
        "y = [3x, x\u00b2]",
        lambda torch, x: torch.stack([3 * x, x**2]),
        {"x": 2.0},
        [2.0, -1.0],
    ).noting("Two outputs of one input: their derivatives, 3 and 4, share one slot."),
    Example("x * x", "y = x * x", _square, {"x": [1.0, 2.0, 3.0]}, [1.0, 0.0, -1.0]).noting(
        "At first one entry of v is positive, one is zero and one is negative."
    ),
)
