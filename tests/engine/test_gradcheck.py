"""gradcheck catches what a learner gets wrong in a backward of their own, and nothing else."""

import pytest
import torch

import minigrad
from minigrad.autograd.gradcheck import GradcheckError
from tests.cases import over
from tests.engine.both import function, run

RULES = {  # name -> backward of the square: right, and wrong in one way each
    "right": lambda torch, x, g: 2 * x * g,
    "3 for 2": lambda torch, x, g: 3 * x * g,
    "sign": lambda torch, x, g: -2 * x * g,
    "upstream gradient forgotten": lambda torch, x, g: 2 * x,
    "summed": lambda torch, x, g: (2 * x * g).sum().expand(3),
    "reversed": lambda torch, x, g: (2 * x * g)[torch.tensor([2, 1, 0])],
    "None": lambda torch, x, g: None,
    "zero": lambda torch, x, g: 0 * g,
    "hardly anything added": lambda torch, x, g: 2 * x * g + 1e-9,
    "nan": lambda torch, x, g: 2 * x * g * float("nan"),
    "slightly off": lambda torch, x, g: 2.001 * x * g,
    "too much off": lambda torch, x, g: 2.01 * x * g,
}


def square(torch, rule):
    return function(
        torch,
        lambda ctx, x: ctx.save_for_backward(x) or x**2,
        lambda ctx, g: rule(torch, ctx.saved_tensors[0], g),
    ).apply


def verdict(engine, program):
    """True, False, or the kind of the error."""
    found = run(program, engine)[0]
    return type(found).__name__ if isinstance(found, Exception) else found


MAPS = {  # the map, and what it is applied to
    "several": (lambda torch, x, y: (x * y, (x * y).sum(1).exp() * 0.01), "x y"),
    "product": (lambda torch, x, y: y @ x, "x y"),
    "plain operand": (lambda torch, x, p: x * p, "x p"),
    "unused": (lambda torch, x, y: x * 2, "x y"),
    "scalar": (lambda torch, x: (x * x).sum(), "x"),
    "in place": (lambda torch, x: x.clone().mul_(x), "x"),
    "view": (lambda torch, x: x.view(3, 1), "x"),
    "closure": (lambda torch, z: z * z.detach(), "x"),
    "kink": (lambda torch, x: x.relu(), "zero"),
    "large": (lambda torch, x: x**2 * 1e9, "x"),
    "0-d": (lambda torch, x: x**3, "0-d"),
    "nothing requires grad": (lambda torch, x: x * 2, "p"),
    "identity": (lambda torch, x: x, "x"),
    **{
        name: (lambda torch, x, rule=rule: square(torch, rule)(x), "x")
        for name, rule in RULES.items()
    },
}


def inputs(torch, names):
    made = {
        "x": torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64, requires_grad=True),
        "y": torch.tensor(
            [[0.5, 1.5, 2.5], [1.0, 2.0, -1.0]], dtype=torch.float64, requires_grad=True
        ),
        "p": torch.tensor([3.0, 1.0, -2.0], dtype=torch.float64),
        "zero": torch.zeros(2, dtype=torch.float64, requires_grad=True),
        "0-d": torch.tensor(2.0, dtype=torch.float64, requires_grad=True),
    }
    return tuple(made[name] for name in names.split())


OPTIONS = [{}, {"raise_exception": False}, {"eps": 1e-3, "atol": 1e-2}]


@over("options", OPTIONS, ids=str)
@over("name", MAPS)
def test_the_verdict_is_torchs(name, options):
    map_, given = MAPS[name]

    def program(torch):
        return torch.autograd.gradcheck(
            lambda *xs: map_(torch, *xs), inputs(torch, given), **options
        )

    assert verdict(minigrad, program) == verdict(torch, program)


@pytest.mark.parametrize(
    "rule",
    [rule for rule in RULES if rule not in ("right", "slightly off", "hardly anything added")],
)
def test_every_wrong_backward_is_caught(rule):
    (x,) = inputs(minigrad, "x")
    assert minigrad.autograd.gradcheck(square(minigrad, RULES["right"]), x) is True
    with pytest.raises(GradcheckError):
        minigrad.autograd.gradcheck(square(minigrad, RULES[rule]), x)


def test_inputs_come_back_as_they_were_and_random_numbers_are_left_alone():
    minigrad.manual_seed(3)
    expected = minigrad.rand(3).tolist()
    minigrad.manual_seed(3)
    for rule in RULES.values():
        (x,) = inputs(minigrad, "x")
        minigrad.autograd.gradcheck(square(minigrad, rule), x, raise_exception=False)
        assert x.tolist() == [1, 2, -3] and x._version == 0 and x.grad is None
    assert minigrad.rand(3).tolist() == expected


def test_the_error_shows_both_jacobians_with_inputs_down():
    """The map is not square, so a transposed Jacobian would show."""
    first_two = function(
        minigrad, lambda ctx, x: x[:2] * 1.0, lambda ctx, g: minigrad.cat([2 * g, g[:1]])
    ).apply
    with pytest.raises(GradcheckError) as caught:
        minigrad.autograd.gradcheck(first_two, inputs(minigrad, "x"))
    head, rest = str(caught.value).split("\nnumerical:")
    numerical, analytical = rest.split("\nanalytical:")
    assert head == "Jacobian mismatch for output 0 with respect to input 0,"
    assert analytical.startswith("tensor([[2., 0.],\n        [0., 2.],\n        [1., 0.]]")
    assert numerical.startswith("tensor([[1.0000, 0.0000],\n        [0.0000, 1.0000],\n")
