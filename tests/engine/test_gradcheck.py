"""gradcheck: it has to catch what a learner gets wrong in a backward of their own, and nothing else.

Each rule below is right or wrong in one way. Both engines check it with their own gradcheck, whose
verdicts, texts and Jacobians have to agree.
"""

import itertools
import re

import pytest

import minigrad
from minigrad.autograd.gradcheck import GradcheckError
from tests.engine.both import compare, run, text


def function(torch, rule, materialize=True, forward=lambda x: x**2):
    """The square as an autograd.Function whose backward is `rule(torch, x, g)`."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.set_materialize_grads(materialize)
            return forward(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return rule(torch, x, g)

    return Square.apply


def fickle():
    calls = itertools.count()
    return lambda torch, x, g: 2 * x * g * (1 + 0.001 * (next(calls) % 2))


def fails_on_none(torch, x, g):
    if g is None:
        raise RuntimeError("no gradient for me")
    return 2 * x * g


NUMBER = re.compile(r"[- ]*\b(\d+\.\d*(e[+-]\d+)?|nan|inf)")

RULES = {  # name -> backward of the square: right, and wrong in one way each
    "right": lambda torch, x, g: 2 * x * g,
    "3 for 2": lambda torch, x, g: 3 * x * g,
    "sign": lambda torch, x, g: -2 * x * g,
    "upstream gradient forgotten": lambda torch, x, g: 2 * x,
    "upstream gradient twice": lambda torch, x, g: 2 * x * g * g,
    "summed": lambda torch, x, g: (2 * x * g).sum().expand(3),
    "reversed": lambda torch, x, g: (2 * x * g)[torch.tensor([2, 1, 0])],
    "None": lambda torch, x, g: None,
    "zero": lambda torch, x, g: 0 * g,
    "a little added": lambda torch, x, g: 2 * x * g + 1e-7,
    "hardly anything added": lambda torch, x, g: 2 * x * g + 1e-9,
    "nan": lambda torch, x, g: 2 * x * g * float("nan"),
    "slightly off": lambda torch, x, g: 2.001 * x * g,
    "too much off": lambda torch, x, g: 2.01 * x * g,
}

MAPS = {  # name -> the map, and what it is applied to
    "square": (lambda torch, x: x**2, "x"),
    "several": (lambda torch, x, y: (x * y, (x * y).sum(1).exp() * 0.01), "x y"),
    "product": (lambda torch, x, y: y @ x, "x y"),
    "plain operand": (lambda torch, x, p: x * p, "x p"),
    "number": (lambda torch, x, c: x * c, "x c"),
    "unused": (lambda torch, x, y: x * 2, "x y"),
    "apart": (lambda torch, x, y: (x * 2, y * 2), "x y"),
    "first without a graph": (lambda torch, x: (x.detach() * 3, x * 2), "x"),
    "list": (lambda torch, x: [x * 2, x.sin()], "x"),
    "scalar": (lambda torch, x: x.prod(), "x"),
    "in place": (lambda torch, x: x.clone().mul_(x), "x"),
    "view": (lambda torch, x: x.view(3, 1), "x"),
    "transposed": (lambda torch, y: y.t() * 3, "y"),
    "closure": (lambda torch, z: z * z.detach(), "x"),
    "kink": (lambda torch, x: x.relu(), "zero"),
    "large": (lambda torch, x: x**2 * 1e9, "x"),
    "0-d": (lambda torch, x: x**3, "0-d"),
    "empty": (lambda torch, x: x * 2, "empty"),
    "float32": (lambda torch, x: x**2, "float32"),
    "float32 widened": (lambda torch, x: x.double() ** 2, "float32"),
    "nothing requires grad": (lambda torch, x: x * 2, "p"),
    "no graph": (lambda torch, x: x.detach() * 2, "x"),
    "constant": (lambda torch, x: torch.ones(2), "x"),
    "no tensor": (lambda torch, x: 3.0, "x"),
    "expanded input": (lambda torch, x: x * 2, "expanded"),
    "sorted by value": (lambda torch, x: x[x > 1.0], "edge"),
    "identity": (lambda torch, x: x, "x"),
}


def inputs(torch, names):
    made = {
        "x": torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64, requires_grad=True),
        "y": torch.tensor([[0.5, 1.5, 2.5], [1.0, 2.0, -1.0]], dtype=torch.float64, requires_grad=True),
        "p": torch.tensor([3.0, 1.0, -2.0], dtype=torch.float64),
        "c": 3,
        "zero": torch.zeros(2, dtype=torch.float64, requires_grad=True),
        "0-d": torch.tensor(2.0, dtype=torch.float64, requires_grad=True),
        "empty": torch.zeros(0, dtype=torch.float64, requires_grad=True),
        "float32": torch.tensor([1.0, 2.0, -3.0], requires_grad=True),
        "expanded": torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3),
        "edge": torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),
    }
    return tuple(made[name] for name in names.split())


OPTIONS = [
    {}, {"raise_exception": False}, {"check_undefined_grad": False}, {"eps": 1e-3, "atol": 1e-2},
    {"nondet_tol": 1.0}, {"check_batched_grad": True}, {"masked": True}, {"masked": True, "check_undefined_grad": False},
    {"fast_mode": True}, {"fast_mode": True, "raise_exception": False},
]  # fmt: skip


def verdict(torch, program, digits=True):
    """What a check comes to, warnings included; without `digits` numbers in texts are dropped."""

    def caught(torch):
        try:
            return program(torch)
        except Exception as error:
            words = text(error)
            return words if digits else NUMBER.sub("#", " ".join(words.split()))

    return run(caught, torch)


def agree(program, digits=True):
    import torch
    theirs = verdict(torch, program, digits)
    ours = verdict(minigrad, program, digits)
    compare(theirs, ours)
    return ours[0]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_a_backward_of_ones_own(rule, options):
    # in fast mode the random vectors are those of another stream: other numbers, the same verdict
    agree(
        lambda torch: torch.autograd.gradcheck(
            function(torch, RULES[rule]), inputs(torch, "x"), **options
        ),
        digits="fast_mode" not in options,
    )


@pytest.mark.parametrize("rule, fast_mode", [
    (rule, fast_mode) for rule in RULES for fast_mode in (False, True)
    # "slightly off" is within the tolerance; rows of J are asked for with a 1, whose square is 1
    if rule not in ("right", "slightly off") and (rule != "upstream gradient twice" or fast_mode)
])  # fmt: skip
def test_every_wrong_backward_is_caught(rule, fast_mode):
    (x,) = inputs(minigrad, "x")
    check = minigrad.autograd.gradcheck
    assert check(function(minigrad, RULES["right"]), x, fast_mode=fast_mode) is True
    with pytest.raises(GradcheckError):
        check(function(minigrad, RULES[rule]), x, fast_mode=fast_mode)


@pytest.mark.parametrize("rule", ["right", "3 for 2", "upstream gradient forgotten", "sign"])
def test_a_wrong_second_derivative_is_caught(rule):
    """backward is right, but what autograd sees of it is not: a part of it was detached."""
    rules = {
        "right": RULES["right"],
        "3 for 2": lambda torch, x, g: 3 * x * g - (x * g).detach(),
        "upstream gradient forgotten": lambda torch, x, g: 2 * x * g.detach(),
        "sign": lambda torch, x, g: (4 * x * g).detach() - 2 * x * g,
    }
    for options in ({}, {"fast_mode": True}, {"gen_non_contig_grad_outputs": True}):
        (x,) = inputs(minigrad, "x")
        square = function(minigrad, rules[rule])
        assert minigrad.autograd.gradcheck(square, x)
        caught = not minigrad.autograd.gradgradcheck(square, x, raise_exception=False, **options)
        assert caught == (rule != "right")
        agree(
            lambda torch: torch.autograd.gradgradcheck(
                function(torch, rules[rule]), inputs(torch, "x"), **options
            ),
            digits=False,
        )


@pytest.mark.parametrize("name", [
    "fickle", "fails on None", "passes None on", "cannot take None", "invents",
])  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"check_undefined_grad": False}, {"fast_mode": True}], ids=str)
def test_backward_must_be_repeatable_and_take_absent_gradients(name, options):
    rules = {
        "fickle": lambda: fickle(),
        "fails on None": lambda: fails_on_none,
        "passes None on": lambda: lambda torch, x, g: None if g is None else 2 * x * g,
        "cannot take None": lambda: lambda torch, x, g: 2 * x * g,
        "invents": lambda: lambda torch, x, g: x if g is None else 2 * x * g,
    }
    agree(
        lambda torch: torch.autograd.gradcheck(
            function(torch, rules[name](), materialize=False), inputs(torch, "x"), **options
        )
    )


@pytest.mark.parametrize("careless", [False, True])
def test_each_of_several_gradients_may_be_absent(careless):
    def program(torch):
        class Pair(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(False)
                return x * 2, x * 3

            @staticmethod
            def backward(ctx, a, b):
                if a is None and b is None:
                    return None
                if careless and (a is None or b is None):
                    raise RuntimeError("only one of them")
                return (0 if a is None else 2 * a) + (0 if b is None else 3 * b)

        # the two outputs meet in one, so that in the comparison itself both gradients are there
        return torch.autograd.gradcheck(
            lambda x: (lambda a, b: (a + b, a * b, a + 2 * b))(*Pair.apply(x)), inputs(torch, "x")
        ), torch.autograd.gradcheck(Pair.apply, inputs(torch, "x"), raise_exception=not careless)

    agree(program)


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("error, passes", [(1e-6, True), (1e-4, False)])
def test_atol_decides_where_the_gradient_is_zero(fast_mode, error, passes):
    def program(torch):
        almost_zero = function(torch, lambda torch, x, g: error * g, forward=lambda x: x * 0)
        return torch.autograd.gradcheck(
            almost_zero, inputs(torch, "x"), fast_mode=fast_mode, raise_exception=False
        )

    assert agree(program) is passes


@pytest.mark.parametrize("name, options", [
    (name, options) for name in MAPS for options in OPTIONS
    # torch itself fails there: two dtypes meet in one product, or outputs are mixed up
    if not (name in ("float32 widened", "first without a graph") and "fast_mode" in options)
], ids=str)  # fmt: skip
def test_checks_of_ordinary_maps(name, options):
    map_, given = MAPS[name]
    agree(
        lambda torch: torch.autograd.gradcheck(
            lambda *xs: map_(torch, *xs), inputs(torch, given), **options
        ),
        digits="fast_mode" not in options,
    )


@pytest.mark.parametrize("name", sorted(set(MAPS) - {
    "no graph", "constant", "nothing requires grad", "no tensor",  # no backward pass to check
}))  # fmt: skip
@pytest.mark.parametrize("fast_mode", [False, True])
def test_checks_of_second_derivatives(name, fast_mode):
    map_, given = MAPS[name]

    def program(torch):
        leaves = inputs(torch, given)
        outputs = map_(torch, *leaves)
        outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
        v = [torch.ones_like(out).requires_grad_() for out in outputs]  # random ones differ
        return torch.autograd.gradgradcheck(
            lambda *xs: map_(torch, *xs), leaves, v, fast_mode=fast_mode
        )

    agree(program, digits=not fast_mode)


@pytest.mark.parametrize("options", [
    {"check_backward_ad": False}, {"check_batched_forward_grad": True},
    {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True},
], ids=str)  # fmt: skip
def test_contradicting_options(options):
    agree(lambda torch: torch.autograd.gradcheck(lambda x: x, inputs(torch, "x"), **options))


@pytest.mark.parametrize("options", [
    {"check_rev_over_rev": False}, {"check_rev_over_rev": False, "check_fwd_over_rev": True},
    {"check_rev_over_rev": False, "check_fwd_over_rev": True, "check_undefined_grad": False,
     "check_batched_grad": True},
], ids=str)  # fmt: skip
def test_contradicting_options_of_the_second_check(options):
    agree(lambda torch: torch.autograd.gradgradcheck(lambda x: x, inputs(torch, "x"), **options))


def test_there_is_no_forward_mode():
    with pytest.raises(NotImplementedError, match="minigrad has no forward mode"):
        minigrad.autograd.gradcheck(lambda x: x, inputs(minigrad, "x"), check_forward_ad=True)


def test_inputs_come_back_as_they_were_even_after_an_error():
    for rule in RULES.values():
        (x,) = inputs(minigrad, "x")
        before = x.clone()
        minigrad.autograd.gradcheck(function(minigrad, rule), x, raise_exception=False)
        assert x.tolist() == before.tolist() and x._version == 0 and x.grad is None
    (x,) = inputs(minigrad, "edge")
    with pytest.raises(AssertionError, match="outputs with the same shape"):
        minigrad.autograd.gradcheck(lambda x: x[x > 1.0], x)
    assert x.tolist() == [1.0, 2.0]


def test_the_users_random_numbers_are_left_alone():
    minigrad.manual_seed(3)
    expected = minigrad.rand(3).tolist()
    minigrad.manual_seed(3)
    (x,) = inputs(minigrad, "x")
    minigrad.autograd.gradcheck(lambda x: x**2, x)
    minigrad.autograd.gradcheck(lambda x: x**2, x, fast_mode=True)
    assert minigrad.rand(3).tolist() == expected


def test_the_error_shows_both_jacobians_with_inputs_down():
    """The map is not square, so a transposed Jacobian would show."""

    class FirstTwo(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:2] * 1.0

        @staticmethod
        def backward(ctx, g):
            return minigrad.cat([2 * g, g[:1]])

    (x,) = inputs(minigrad, "x")
    with pytest.raises(GradcheckError) as caught:
        minigrad.autograd.gradcheck(FirstTwo.apply, x)
    head, rest = str(caught.value).split("\nnumerical:")
    numerical, analytical = rest.split("\nanalytical:")
    assert head == "Jacobian mismatch for output 0 with respect to input 0,"
    assert analytical.startswith("tensor([[2., 0.],\n        [0., 2.],\n        [1., 0.]]")
    assert numerical.startswith("tensor([[1.0000, 0.0000],\n        [0.0000, 1.0000],\n")
