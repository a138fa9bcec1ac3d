"""autograd.functional against torch: every function, on maps of every shape of input and output.

What would break a learner's Jacobian: the wrong nesting or shape, rows and columns exchanged (the maps are
not square), a result that still hangs on the graph or no longer does, another error.
"""

import itertools

import numpy as np
import pytest

import minigrad
from tests.engine.both import compare, refusal, run, same

PRODUCTS = ("vjp", "jvp", "vhp", "hvp")


def inputs(torch):
    """Names for what the maps below are applied to."""
    x = torch.tensor([1.0, 2.0, 3.0])
    return {
        "x": x,
        "leaf": x.clone().requires_grad_(),
        "computed": x.clone().requires_grad_() * 1.0,
        "pair": (x, torch.tensor([[0.5, 1.5, 2.5], [1.0, 2.0, -1.0]], dtype=torch.float64)),
        "mixed": (x, x.clone().requires_grad_()),
        "tuple": (x,),
        "scalar": torch.tensor(2.0),
        "one": torch.tensor([[3.0]], requires_grad=True),
        "list": [x],
        "number": (x, 3),
        "integers": torch.tensor([1, 2]),
    }


MAPS = {  # name -> inputs to try it with, and the map
    "square": ("x leaf computed tuple scalar one list integers", lambda torch, x: x**2),
    "two from three": ("x leaf", lambda torch, x: x[:2] * x[2]),
    "five from three": ("x leaf", lambda torch, x: torch.cat([x, x[:2]]) * x.sum()),
    "matrix from vector": ("leaf", lambda torch, x: x.view(3, 1) * x**2),
    "cube": ("x leaf computed scalar one", lambda torch, x: (x**3).sum()),
    "linear": ("x leaf", lambda torch, x: x * 2),
    "sum": ("x leaf", lambda torch, x: x.sum()),
    "tuple of one": ("leaf", lambda torch, x: (x**2,)),
    "several": ("pair", lambda torch, x, y: ((x * y).exp().sum(0), x.sum(), y * 2)),
    "rows": ("pair number", lambda torch, x, y: (x * y).sum(1)),
    "both": ("pair mixed", lambda torch, x, y: (x**3).sum() + (y.sum() ** 2)),
    "product": ("mixed", lambda torch, x, y: (x * y).prod()),
    "unused": ("pair mixed", lambda torch, x, y: (x**3).sum()),
    "apart": ("mixed", lambda torch, x, y: (x * 2, y**2)),
    "plain sums": ("pair", lambda torch, x, y: (x * 2).sum() + y.sum()),
    "one element": ("leaf", lambda torch, x: x[:1] ** 3),
    "constant": ("x leaf", lambda torch, x: torch.ones(2)),
    "partly constant": ("leaf", lambda torch, x: (x**2, torch.ones(2))),
    "detached": ("leaf", lambda torch, x: x.detach() * x),
    "number back": ("x", lambda torch, x: 3.0),
    "list back": ("x", lambda torch, x: [x * 2, x]),
    "None inside": ("x", lambda torch, x: (x, None)),
    "in place": ("x leaf", lambda torch, x: x.clone().mul_(x)),
    "gradient": ("leaf", lambda torch, x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0]),
}
CASES = [(name, given) for name, (tried, _) in MAPS.items() for given in tried.split()]


def vectors(torch):
    """What may be given for v: some fit a case, the others have to be refused."""
    x = torch.tensor([1.0, -2.0, 0.5])
    return [
        None, x, (x,), (x, x), (x, x, x), torch.tensor(2.0), torch.tensor([[2.0]]), 3, [x],
        torch.ones(2), torch.ones(5), torch.ones(3, 3), (x, torch.ones(2, 3).double()), x.requires_grad_(),
        torch.ones(2, dtype=torch.float64), (x.double(), torch.tensor(2.0), torch.ones(2, 3)),
    ]  # fmt: skip


def outcome(torch, program):
    """What a program comes to: its result, in values and words about the graph, or its error; warnings."""

    def seen(result):
        if isinstance(result, tuple):
            return tuple(seen(part) for part in result)
        if isinstance(result, torch.Tensor):
            return result.detach(), result.requires_grad, result.is_leaf
        return result

    def caught(torch):
        try:
            return seen(program(torch))
        except Exception as error:
            return error

    return run(caught, torch)


def both(program):
    """Run `program(engine)` with both engines and compare what came of it."""
    import torch
    compare(outcome(torch, program), outcome(minigrad, program))


@pytest.mark.parametrize("name, given", CASES)
@pytest.mark.parametrize("product", PRODUCTS)
def test_products_with_a_vector(name, given, product):
    flags = itertools.product([False, True], repeat=2)
    for (create_graph, strict), v in itertools.product(flags, range(16)):

        def program(torch):
            function = getattr(torch.autograd.functional, product)
            return function(
                lambda *xs: MAPS[name][1](torch, *xs), inputs(torch)[given], vectors(torch)[v],
                create_graph, strict,
            )  # fmt: skip

        both(program)


@pytest.mark.parametrize("name, given", CASES)
@pytest.mark.parametrize("function", ["jacobian", "hessian"])
def test_jacobian_and_hessian(name, given, function):
    for create_graph, strict, vectorize in itertools.product([False, True], repeat=3):
        if create_graph and vectorize:
            continue  # there zeros that torch makes in one batch with the rest require grad

        def program(torch):
            found = getattr(torch.autograd.functional, function)
            return found(
                lambda *xs: MAPS[name][1](torch, *xs), inputs(torch)[given],
                create_graph=create_graph, strict=strict, vectorize=vectorize,
            )  # fmt: skip

        both(program)


@pytest.mark.parametrize("function", ["jacobian", "hessian"])
@pytest.mark.parametrize("name, given", [("square", "x"), ("cube", "x"), ("two from three", "leaf")])
def test_forward_mode_is_refused_where_torch_refuses_it(function, name, given):
    strategy = {"jacobian": "strategy", "hessian": "outer_jacobian_strategy"}[function]
    for create_graph, strict, mode in itertools.product(
        [False, True], [False, True], ["forward-mode", "sideways"]
    ):

        def program(torch):
            found = getattr(torch.autograd.functional, function)
            return found(
                lambda *xs: MAPS[name][1](torch, *xs), inputs(torch)[given], create_graph, strict,
                **{strategy: mode},
            )  # fmt: skip

        both(program)


@pytest.mark.parametrize("name", ["square", "two from three", "five from three", "matrix from vector"])
@pytest.mark.parametrize("given", ["x", "leaf"])
def test_forward_mode_gives_the_same_jacobian(name, given):
    def program(torch):
        return torch.autograd.functional.jacobian(
            lambda x: MAPS[name][1](torch, x), inputs(torch)[given], vectorize=True,
            strategy="forward-mode",
        )  # fmt: skip

    import torch
    compare(outcome(torch, program)[0], outcome(minigrad, program)[0])  # torch warns of its own


@pytest.mark.parametrize("name, given", [(n, g) for n, g in CASES if g in ("leaf", "mixed", "one")])
@pytest.mark.parametrize("function", ["vjp", "jvp", "jacobian", "hessian", "vhp", "hvp"])
def test_what_create_graph_returns_can_be_differentiated(name, given, function):
    """Backward through the result fills the leaves' .grad as in torch."""

    def program(torch):
        leaves = inputs(torch)[given]
        v = [] if function in ("jacobian", "hessian") else [leaves]
        found = getattr(torch.autograd.functional, function)(
            lambda *xs: MAPS[name][1](torch, *xs), leaves, *v, create_graph=True
        )
        if v:
            found = found[1]
        while isinstance(found, tuple):
            found = found[0]
        (found**2).sum().backward()
        return tuple(x.grad for x in (leaves if isinstance(leaves, tuple) else (leaves,)))

    both(program)


@pytest.mark.parametrize("function", ["vjp", "jvp", "jacobian", "hessian", "vhp", "hvp"])
def test_without_grad_mode_the_results_are_the_same(function):
    def program(torch):
        leaf = torch.tensor([1.0, 2.0], requires_grad=True)
        v = [] if function in ("jacobian", "hessian") else [torch.ones(2)]
        found = []
        for create_graph in (False, True):
            with torch.no_grad():
                f = (lambda x: x**3) if function == "jvp" else (lambda x: (x**3).sum())
                v = [torch.tensor(1.0)] if function == "vjp" else v
                found.append(getattr(torch.autograd.functional, function)(f, leaf, *v, create_graph))
        return tuple(found)

    both(program)


# -- against the mathematics, not against torch --------------------------------------------------


def f(x, y):
    """From three and two numbers to two and one: both Jacobians are not square."""
    return (x[:2] * y).sin(), (x.sum() * y).exp().sum()


X = minigrad.tensor([0.3, -0.7, 1.1], dtype=minigrad.float64)
Y = minigrad.tensor([0.5, 0.2], dtype=minigrad.float64)


def nudged(function, x, eps=1e-6):
    """The Jacobian by nudging: rows are numbers of the output, columns numbers of `x`."""
    columns = []
    for k in range(x.numel()):
        step = minigrad.zeros_like(x)
        step[k] = eps
        columns.append((function(x + step) - function(x - step)).reshape(-1) / (2 * eps))
    return minigrad.stack(columns, 1).numpy()


def test_the_jacobian_is_what_nudging_shows():
    blocks = minigrad.autograd.functional.jacobian(f, (X, Y))
    assert [[tuple(block.shape) for block in row] for row in blocks] == [[(2, 3), (2, 2)], [(3,), (2,)]]
    for i in range(2):
        np.testing.assert_allclose(
            blocks[i][0].numpy().reshape(-1, 3), nudged(lambda x: f(x, Y)[i], X), atol=1e-8
        )
        np.testing.assert_allclose(
            blocks[i][1].numpy().reshape(-1, 2), nudged(lambda y: f(X, y)[i], Y), atol=1e-8
        )


def test_products_are_products_with_the_jacobian():
    functional = minigrad.autograd.functional
    (a, b), (c, d) = (
        [block.numpy().reshape(-1, block.shape[-1]) for block in row]
        for row in functional.jacobian(f, (X, Y))
    )
    v, w = np.array([2.0, -1.0]), np.array([3.0])
    _, (left_x, left_y) = functional.vjp(f, (X, Y), (minigrad.tensor(v), minigrad.tensor(3.0).double()))
    np.testing.assert_allclose(left_x.numpy(), v @ a + w @ c, atol=1e-14)
    np.testing.assert_allclose(left_y.numpy(), v @ b + w @ d, atol=1e-14)
    u, t = np.array([1.0, -2.0, 0.5]), np.array([-1.0, 4.0])
    _, (right, last) = functional.jvp(f, (X, Y), (minigrad.tensor(u), minigrad.tensor(t)))
    np.testing.assert_allclose(right.numpy(), a @ u + b @ t, atol=1e-14)
    np.testing.assert_allclose(last.numpy(), (c @ u + d @ t)[0], atol=1e-14)


def test_the_hessian_is_symmetric_and_what_nudging_the_gradient_shows():
    functional = minigrad.autograd.functional

    def g(x):
        return (x[0] * x[1].exp() + x[2].sin() * x[1]).sum()

    hessian = functional.hessian(g, X).numpy()
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-15)
    np.testing.assert_allclose(hessian, nudged(lambda x: functional.jacobian(g, x), X), atol=1e-8)
    v = minigrad.tensor([1.0, 2.0, 3.0]).double()
    np.testing.assert_allclose(functional.hvp(g, X, v)[1].numpy(), hessian @ v.numpy(), atol=1e-14)
    np.testing.assert_allclose(functional.vhp(g, X, v)[1].numpy(), v.numpy() @ hessian, atol=1e-14)


def test_nothing_outside_changes():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    w = minigrad.tensor([1.0, 2.0], requires_grad=True)
    for name in ("jacobian", "hessian"):
        getattr(minigrad.autograd.functional, name)(lambda x: (x**2 * w).sum(), x, create_graph=True)
    assert x.grad is None and w.grad is None and x.grad_fn is None
    assert x.tolist() == [1.0, 2.0] and minigrad.is_grad_enabled()


@same
def test_only_the_argument_counts_not_the_same_tensor_met_otherwise(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return torch.autograd.functional.jacobian(lambda y: y * x, x, create_graph=False)


@same
def test_an_error_inside_the_function_comes_through(torch):
    def f(x):
        raise KeyError("mine")

    return refusal(torch.autograd.functional.jacobian, f, torch.ones(2)), torch.is_grad_enabled()
