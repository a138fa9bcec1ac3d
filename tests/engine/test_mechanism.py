"""What writing an operation promises, and what a reader of the engine relies on."""

import importlib
import re
import sys

import numpy as np
import pytest
import torch

import minigrad
from minigrad.compat.absent import NAMES
from minigrad.operation import Operation
from minigrad.ops.elements import elements, elementwise_class
from minigrad.ops.registry import FUNCTIONS
from tests.cases import over


def test_rules_that_disagree_about_what_is_saved_are_refused_when_the_class_is_made():
    with pytest.raises(TypeError, match="one rule names x, another x_shape; let both name x"):

        class Scaled(Operation):
            def forward(x, y):
                return x * y

            def grad_x(g, x_shape, y):
                return (g * y).reshape(x_shape)

            def grad_y(g, x, _y):
                return (g * x).sum()


FORGOTTEN = {
    "an operand that the rule does not need": (lambda g, y: g * y, "parameters g, y; they have to"),
    "the order": (lambda g, y, _x: g * y, "parameters g, y, _x; they have to be: g, x or _x or"),
    "the underscore": (lambda g, x_, y: g * y, "parameters g, x_, y; they have to be"),
    "g": (lambda _x, y: y, "parameters _x, y; they have to be"),
}


@pytest.mark.parametrize("forgotten", FORGOTTEN)
def test_a_rule_that_forgets_something_is_refused_when_it_is_declared(forgotten):
    """A rule gets its values by position: the gradient would be computed from other numbers."""
    rule, said = FORGOTTEN[forgotten]
    with pytest.raises(TypeError, match=re.escape(said)):
        type(Operation)(
            "Product",
            (Operation,),
            {"forward": lambda x, y: x * y, "grad_x": rule},
        )
    with pytest.raises(TypeError, match=re.escape(said)):
        elementwise_class("ProductBackward0", np.multiply, rule, lambda g, x, _y: g * x)


def test_a_rule_of_no_parameter_is_refused():
    with pytest.raises(TypeError, match="grad_z is the rule of no parameter of forward"):

        class Halved(Operation):
            def forward(x):
                return x / 2

            def grad_z(g, _x):
                return g / 2


def test_operands_and_rules_are_counted():
    with pytest.raises(TypeError, match="2 operands, 1 rules"):
        elementwise_class("ProductBackward0", np.multiply, lambda g, _x, y: g * y)
    with pytest.raises(TypeError, match="doubled: each operand needs a rule"):

        @elements(lambda x: x * 2, lambda g, _x: g * 2)
        def doubled(input, other):
            """Twice each element."""

    assert "doubled" not in FUNCTIONS and not hasattr(minigrad.Tensor, "doubled_")
    with pytest.raises(TypeError, match="there is no option 'float'"):
        elementwise_class("TwiceBackward0", lambda x: x * 2, lambda g, _x: g * 2, float=True)


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "erf", "log10", "sqrt", "square"])
def test_the_numbers_in_a_rule_are_doubles(name):
    """Not rounded to float32 on the way: in float64 a gradient has all its digits."""
    grads = []
    for engine in (torch, minigrad):
        x = engine.tensor([0.1, 0.7, 1.3], dtype=engine.float64, requires_grad=True)
        getattr(engine, name)(x).sum().backward()
        grads.append(x.grad.numpy())
    np.testing.assert_allclose(*grads, rtol=1e-15)


OF_ONE = """exp log log1p log10 sqrt sigmoid tanh erf sin cos abs relu square reciprocal
    neg"""


@over("create_graph", [False, True])
@over("name", OF_ONE.split())
def test_gradients_in_float64_are_exact_to_the_last_digits(name, create_graph):
    """A constant that was rounded to float32 on its way would be off from the eighth digit on."""
    found = []
    for engine in (torch, minigrad):
        x = engine.tensor([0.3, 1.7, 2.9], dtype=engine.float64, requires_grad=True)
        y = getattr(engine, name)(x) * 0.1 + (1.1 - x) ** 3 / 7 + 0.3**x
        [g] = engine.autograd.grad(y.sum() / 3, x, create_graph=create_graph)
        found.append(g.tolist())
    assert found[1] == pytest.approx(found[0], rel=1e-14)


def test_an_operand_without_a_rule_is_refused_when_it_requires_grad():
    class Halved(Operation):
        def forward(x, weight):
            return x * weight / 2

        def grad_x(g, _x, weight):
            return g * weight / 2

    x, weight = minigrad.ones(2, requires_grad=True), minigrad.ones(2)
    Halved.apply(x, weight).sum().backward()
    assert x.grad.tolist() == [0.5, 0.5]
    with pytest.raises(RuntimeError, match="the derivative for 'weight' is not implemented"):
        Halved.apply(x, weight.requires_grad_())


def test_any_number_of_operands_go_through_the_same_lines():
    class Total(Operation):
        def forward(scale, *xs):
            return scale * sum(xs)

        def grad_xs(g, scale, *_xs, which):
            return g * scale * (which + 1)

    xs = [minigrad.ones(2, requires_grad=i != 1) for i in range(4)]
    y = Total.apply(3.0, *xs)
    y.sum().backward()
    grads = [None if x.grad is None else x.grad.tolist() for x in xs]
    assert grads == [[3, 3], None, [9, 9], [12, 12]]
    assert len(y.grad_fn.next_functions) == 4 and y.grad_fn.next_functions[1] == (None, 0)


@pytest.mark.parametrize("exponent", [1 / 3, 0.1, -2.7])
def test_a_number_is_saved_as_the_number_that_it_is(exponent):
    """As a double, not rounded to the tensor's float32: so are its gradients PyTorch's."""
    found = []
    for engine in (torch, minigrad):
        x = engine.tensor([0.3, 1.7, 12.5], requires_grad=True)
        y, z = x**exponent, abs(exponent) ** x
        saved = y.grad_fn._saved_exponent, z.grad_fn._saved_self
        (y + z).sum().backward()
        found.append((*saved, x.grad.tolist()))
    assert found[0][:2] == found[1][:2] == (exponent, abs(exponent))
    assert found[0][2] == pytest.approx(found[1][2], rel=1e-6)


def test_what_a_node_saved_is_let_go_of():
    """`x * c` saves c alone; a pass frees it."""
    x, c = minigrad.ones(2, requires_grad=True), minigrad.ones(2)
    node = (x * c).grad_fn
    assert node._saved_self is None and node._saved_other is c
    node(minigrad.ones(2))
    assert node._saved_other is c


@pytest.mark.parametrize("requires_grad", [True, False])
def test_a_base_shows_what_its_view_was_changed_with(requires_grad):
    """The edges of CopySlices, with and without a gradient for what was there before."""
    shown = []
    for engine in (torch, minigrad):
        w = engine.ones(2, requires_grad=True)
        base = engine.ones(3, requires_grad=requires_grad) * 1
        base[:2].mul_(w)
        ends = [node and node.name() for node, _ in base.grad_fn.next_functions]
        base.sum().backward()
        shown.append([base.grad_fn.name(), ends, w.grad.tolist()])
    assert shown[0] == shown[1]


def test_a_watcher_alone_hears_of_a_pass():
    heard = []

    class Watcher:
        def ran(self, node, g, grads):
            heard.append((node.name(), g.tolist(), [grad.tolist() for grad in grads]))

        def accumulated(self, leaf, g):
            heard.append(g.tolist())

    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    with minigrad.autograd.watch(Watcher()):
        y.backward(minigrad.ones(2))
    assert heard == [("MulBackward0", [1.0, 1.0], [[1.0, 2.0]] * 2), [2.0, 4.0]]


@pytest.mark.parametrize("number", [np.float32(3), np.float64(3), np.int64(3)])
def test_numbers_of_numpy_give_tensors_of_arrays(number):
    x = minigrad.tensor(2.0, requires_grad=True)
    for y in (x * number, x + number, x**number, minigrad.exp(x), -x):
        assert type(y) is minigrad.Tensor and type(y._array) is np.ndarray
        x.grad = None
        y.backward()
        assert type(x.grad._array) is np.ndarray and x.grad.dtype is minigrad.float32


def test_what_only_pytorch_has_is_named_and_a_typo_is_not():
    assert all(hasattr(torch.Tensor, name) for name in NAMES.split())
    with pytest.raises(AttributeError, match="no attribute 'svd' in minigrad.*PyTorch"):
        minigrad.ones(2).svd()
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'gard'$"):
        minigrad.ones(2).gard  # noqa: B018
    assert "svd" not in dir(minigrad.ones(2)) and "grad" in dir(minigrad.ones(2))


def test_a_grad_mode_does_not_pass_over_a_generator_in_silence():
    def numbers():
        yield minigrad.is_grad_enabled()

    with pytest.raises(TypeError, match="generator; use `with`"):
        minigrad.no_grad()(numbers)


def test_a_rule_that_forgets_to_expand_is_refused():
    """Its gradient would have the wrong shape, or be added by broadcasting to one that is right."""

    class MeanOfRows(Operation):
        def forward(x):
            return x.mean(0)

        def grad_x(g, x_shape):
            return g / x_shape[0]

    x = minigrad.ones(4, 2, requires_grad=True)
    for find in (
        lambda out: out.backward(minigrad.ones(2)),
        lambda out: minigrad.autograd.grad(out, x, minigrad.ones(2)),
    ):
        with pytest.raises(RuntimeError, match=r"of shape \(2,\) arrived at .* of shape \(4, 2\)"):
            find(MeanOfRows.apply(x))
    assert x.grad is None


def test_a_leaf_that_gets_nothing_tells_nothing():
    heard = []

    class Watcher:
        def accumulated(self, leaf, g):
            heard.append(leaf)

    x = minigrad.ones(2, requires_grad=True)
    y = minigrad.ones(2, requires_grad=True)
    out = x * y
    x.requires_grad_(False)
    with minigrad.autograd.watch(Watcher()):
        out.backward(minigrad.ones(2))
    assert x.grad is None and heard == [y]


def test_a_method_that_was_added_is_not_called_absent():
    absent = sys.modules["minigrad.compat.absent"]
    minigrad.Tensor.expm1 = added = lambda self: self
    try:
        importlib.reload(absent)
        assert minigrad.Tensor.expm1 is added
    finally:
        del minigrad.Tensor.expm1
        importlib.reload(absent)
