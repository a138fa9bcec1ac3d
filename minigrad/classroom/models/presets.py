"""The examples of the lessons that the upstream editor loads by name.

Each is a function of one input, written once for both engines: `function(torch, x)` gets minigrad
or PyTorch as `torch`. The names are those of the five documents the course grew out of, so
"S3-1 b" is example 1 of document S3, differentiated with respect to its b.
"""

from dataclasses import dataclass
from typing import Callable

from ..typed_numbers import Refused, read_array
from .source import for_both_engines, formula_of


@dataclass(frozen=True)
class Preset:
    """One example: which function, at which input, weighed by which upstream gradient."""

    name: str
    formula: str  # one line, as a learner would write it
    function: Callable
    x: list
    v: list | float
    input_name: str = "x"
    output_name: str = "y"
    note: str = ""  # what to look for, one sentence


def _square(torch, a):
    return a * a


def _sum_of_square(torch, a):
    return (a * a).sum()


def _double_until_1000(torch, x):
    y = x * 2
    while y.data.norm() < 1000:
        y = y * 2
    return y


def _example_1_of_a(torch, a):
    b, c = _constants(torch, a, [3.0, 4.0, 5.0], [6.0, 7.0, 8.0])
    return 3 * a + 2 * b * b + torch.log(c)


def _example_1_of_b(torch, b):
    a, c = _constants(torch, b, [1.0, 2.0, 3.0], [6.0, 7.0, 8.0])
    return 3 * a + 2 * b * b + torch.log(c)


def _example_1_of_c(torch, c):
    a, b = _constants(torch, c, [1.0, 2.0, 3.0], [3.0, 4.0, 5.0])
    return 3 * a + 2 * b * b + torch.log(c)


def _matrix_times_vector(torch, x):
    (matrix,) = _constants(torch, x, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return matrix @ x


def _three_losses(torch, w):
    (samples,) = _constants(torch, w, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return (samples @ w) ** 2


def _ones_times_matrix(torch, x):
    (a,) = _constants(torch, x, [[1.0] * 4] * 3)
    return x.mm(a)


def _mean_of_cubes(torch, x):
    return ((2 * x) ** 3).mean()


def _two_layers(torch, x):
    y1, y2 = x[0] * x[0] + x[1], x[0] * x[1]
    return torch.stack([y1 * y2, y1 + 2 * y2])


def _constants(torch, like, *values):
    """Constant tensors in the input's own dtype: nudging runs the same function in float64."""
    return [torch.tensor(value, dtype=like.dtype) for value in values]


_A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
_V = [0.1, 1.0, 0.0001]

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "S0-1",
            "out = a * a",
            _square,
            _A,
            _A,
            "a",
            "out",
            "At first v is a itself, so a.grad is 2a times a.",
        ),
        Preset(
            "S0-2",
            "out = a * a",
            _square,
            _A,
            [[1.0] * 3] * 2,
            "a",
            "out",
            "At first every weight is 1: each output counts once, and a.grad is 2a.",
        ),
        Preset(
            "S0-2 sum",
            "out = (a * a).sum()",
            _sum_of_square,
            _A,
            1.0,
            "a",
            "out",
            "A sum has one output; its one weight is the 1 that backward() assumes.",
        ),
        Preset(
            "S2-8",
            "y = x * 2, doubled until its norm is 1000",
            _double_until_1000,
            [1.0, -0.5, 0.25],
            _V,
            "x",
            "y",
            "Every output is 1024 times its input; v decides how much of it counts.",
        ),
        Preset(
            "S3-1 a",
            "y = 3*a + 2*b*b + log(c)",
            _example_1_of_a,
            [1.0, 2.0, 3.0],
            _V,
            "a",
            "y",
            "The input is a: a.grad is 3 times v.",
        ),
        Preset(
            "S3-1 b",
            "y = 3*a + 2*b*b + log(c)",
            _example_1_of_b,
            [3.0, 4.0, 5.0],
            _V,
            "b",
            "y",
            "The input is b: b.grad is 4b times v.",
        ),
        Preset(
            "S3-1 c",
            "y = 3*a + 2*b*b + log(c)",
            _example_1_of_c,
            [6.0, 7.0, 8.0],
            _V,
            "c",
            "y",
            "The input is c: c.grad is v divided by c.",
        ),
        Preset(
            "S3-16",
            "losses = (X @ w) ** 2",
            _three_losses,
            [1.0, 2.0],
            [1.0, 1.0, 1.0],
            "w",
            "losses",
            "Three losses, at first each counted once: their gradients are summed.",
        ),
        Preset(
            "S3-17",
            "losses = (X @ w) ** 2",
            _three_losses,
            [1.0, 2.0],
            [-0.1, 1.0, 0.0001],
            "w",
            "losses",
            "Three losses, at first by importance: still one sum arrives in w.grad.",
        ),
        Preset(
            "S1-7",
            "out = x.mm(a), a = ones(3, 4)",
            _ones_times_matrix,
            [[1.0] * 3] * 2,
            [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]],
            "x",
            "out",
            "v has the output's shape (2, 4); x.grad has the input's shape (2, 3).",
        ),
        Preset(
            "S4-18",
            "out = ((2*x) ** 3).mean()",
            _mean_of_cubes,
            [[-1.0168, -0.33307], [0.935552, 0.13569]],
            1.0,
            "x",
            "out",
            "A mean divides by the number of elements, and so does the gradient.",
        ),
        Preset(
            "S2-6",
            "z = F2(F1(x)), see notebook 05",
            _two_layers,
            [2.0, 3.0],
            [0.2, 0.8],
            "x",
            "z",
            "Two layers of two outputs: ones give (55, 25), (0.2, 0.8) give (17, 8).",
        ),
        Preset(
            "A @ x",
            "y = A @ x, A = [[1, 2, 3], [4, 5, 6]]",
            _matrix_times_vector,
            [1.0, 2.0, 3.0],
            [1.0, 10.0],
            "x",
            "y",
            "Two outputs, three inputs: each weight of v multiplies one row of A.",
        ),
        Preset(
            "x * x",
            "y = x * x",
            _square,
            [1.0, 2.0, 3.0],
            [1.0, 0.0, -1.0],
            "x",
            "y",
            "At first one weight is positive, one is zero and one is negative.",
        ),
    )
}


def own_preset(function, x):
    """A learner's own function at the input x. Raises `Refused` with the sentence to show.

    A function with two required arguments gets the engine first, as `function` of an example does.
    """
    if x is None:
        raise Refused("Give the input x, too: a number or nested lists of numbers.")
    formula = formula_of(function)
    run = for_both_engines(function)
    return Preset("your function", f"y = {formula}", run, read_array(x).tolist(), None)
