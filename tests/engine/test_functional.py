"""autograd.functional and func against torch: every function, on maps of every shape.

What would break a learner's Jacobian: the wrong nesting or shape, rows and columns exchanged (the
maps are not square), a result that still hangs on the graph or no longer does.
"""

import functools
import itertools

import numpy as np
import pytest
import torch

import minigrad
from tests.cases import over
from tests.engine.both import compare, run

MAPS = {  # name -> inputs to try it with, and the map
    "square": ("x leaf computed tuple scalar one", lambda torch, x: x**2),
    "two from three": ("x leaf", lambda torch, x: x[:2] * x[2]),
    "five from three": ("x leaf", lambda torch, x: torch.cat([x, x[:2]]) * x.sum()),
    "matrix from vector": ("leaf", lambda torch, x: x.view(3, 1) * x**2),
    "cube": ("x leaf computed scalar one", lambda torch, x: (x**3).sum()),
    "linear": ("x leaf", lambda torch, x: x * 2),
    "sum": ("x leaf", lambda torch, x: x.sum()),
    "tuple of one": ("leaf", lambda torch, x: (x**2,)),
    "several": ("pair", lambda torch, x, y: ((x * y).exp().sum(0), x.sum(), y * 2)),
    "rows": ("pair", lambda torch, x, y: (x * y).sum(1)),
    "both": ("pair mixed", lambda torch, x, y: (x**3).sum() + (y.sum() ** 2)),
    "unused": ("pair mixed", lambda torch, x, y: (x**3).sum()),
    "apart": ("mixed", lambda torch, x, y: (x * 2, y**2)),
    "constant": ("x leaf", lambda torch, x: torch.ones(2)),
    "detached": ("leaf", lambda torch, x: x.detach() * x),
    "number back": ("x", lambda torch, x: 3.0),
    "in place": ("x leaf", lambda torch, x: x.clone().mul_(x)),
    "gradient": (
        "leaf",
        lambda torch, x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0],
    ),
}
CASES = [(name, given) for name, (tried, _) in MAPS.items() for given in tried.split()]


def inputs(torch):
    """Names for what the maps are applied to."""
    x = torch.tensor([1.0, 2.0, 3.0])
    return {
        "x": x,
        "leaf": x.clone().requires_grad_(),
        "computed": x.clone().requires_grad_() * 1.0,
        "tuple": (x,),
        "pair": (x, torch.tensor([[0.5, 1.5, 2.5], [1.0, 2.0, -1.0]], dtype=torch.float64)),
        "mixed": (x, x.clone().requires_grad_()),
        "scalar": torch.tensor(2.0),
        "one": torch.tensor([[3.0]], requires_grad=True),
    }


def vectors(torch):
    """What may be given for v: some fit a case, the others have to be refused."""
    x = torch.tensor([1.0, -2.0, 0.5])
    return [
        None,
        x,
        (x,),
        (x, x),
        torch.tensor(2.0),
        torch.tensor([[2.0]]),
        3,
        torch.ones(2),
        torch.ones(5),
        torch.ones(3, 3),
        (x, torch.ones(2, 3).double()),
        x.clone().requires_grad_(),
    ]


def both(program, *args):
    """Compare what `program(engine, *args)` comes to: values, in a graph or not, or a refusal."""

    def seen(result, engine):
        if isinstance(result, (tuple, list)):
            return tuple(seen(part, engine) for part in result)
        if isinstance(result, dict):
            return {name: seen(part, engine) for name, part in result.items()}
        return (
            (result.detach(), result.requires_grad) if isinstance(result, engine.Tensor) else result
        )

    found = [
        run(lambda engine: seen(program(engine, *args), engine), engine)[0]
        for engine in (torch, minigrad)
    ]
    if isinstance(found[0], Exception):
        assert isinstance(found[1], Exception), found
    else:
        compare(*found)


@over("name, given", CASES)
@over("product", ["vjp", "jvp"])
def test_products_with_a_vector(name, given, product):
    def program(torch, v, create_graph, strict):
        call = getattr(torch.autograd.functional, product)
        xs, v = inputs(torch)[given], vectors(torch)[v]
        return call(lambda *xs: MAPS[name][1](torch, *xs), xs, v, create_graph, strict)

    for create_graph, strict, v in itertools.product([False, True], [False, True], range(12)):
        both(program, v, create_graph, strict)


@over("name, given", CASES)
def test_jacobian(name, given):
    def program(torch, **how):
        call = torch.autograd.functional.jacobian
        return call(lambda *xs: MAPS[name][1](torch, *xs), inputs(torch)[given], **how)

    for create_graph, strict in itertools.product([False, True], repeat=2):
        both(functools.partial(program, create_graph=create_graph, strict=strict))


@over("name, given", [(n, g) for n, g in CASES if g in ("leaf", "mixed", "one")])
@over("function", ["vjp", "jvp", "jacobian"])
def test_what_create_graph_returns_can_be_differentiated(name, given, function):
    """Backward through the result fills the leaves' .grad as in torch."""

    def program(torch):
        leaves = inputs(torch)[given]
        v = [] if function == "jacobian" else [leaves]
        call = getattr(torch.autograd.functional, function)
        found = call(lambda *xs: MAPS[name][1](torch, *xs), leaves, *v, create_graph=True)
        found = found[1] if v else found
        while isinstance(found, tuple):
            found = found[0]
        (found**2).sum().backward()
        return tuple(x.grad for x in (leaves if isinstance(leaves, tuple) else (leaves,)))

    both(program)


@pytest.mark.parametrize("product", ["vjp", "jvp"])
def test_without_v_the_message_is_torchs(product):
    def said(torch):
        with pytest.raises(RuntimeError) as refused:
            getattr(torch.autograd.functional, product)(
                lambda x: x * 2 if product == "vjp" else x.sum(), torch.ones(3)
            )
        return str(refused.value)

    assert said(minigrad) == said(torch)


def test_it_is_the_product_with_the_jacobian():
    A, v = np.arange(6.0).reshape(2, 3), np.array([1.0, 10.0])
    f = lambda x: minigrad.from_numpy(A) @ x * x.sum()  # noqa: E731
    x = minigrad.tensor([1.0, 2.0, -1.0], dtype=minigrad.float64)
    J = minigrad.autograd.functional.jacobian(f, x).numpy()
    np.testing.assert_allclose(J, A * 2.0 + np.outer(A @ x.numpy(), np.ones(3)))
    np.testing.assert_allclose(
        minigrad.autograd.functional.vjp(f, x, minigrad.from_numpy(v))[1].numpy(), v @ J
    )
    np.testing.assert_allclose(minigrad.func.jacrev(f)(x).numpy(), J)
    assert x.grad is None and not x.requires_grad and minigrad.is_grad_enabled()


# Each line is an expression: x, y are plain (3,) tensors, l and w leaves that require grad, c a 0-d
# tensor, d a 0-d leaf.
TRANSFORMS = """
F.jacrev(F.jacrev(lambda x: x**3))(x[:2]), F.jacrev(lambda x: F.vjp(torch.sin, x)[1](y)[0])(x)
F.vjp(torch.sin, x)[0], F.vjp(torch.sin, x)[1](y), F.vjp(torch.sin, l)[1](y)
F.vjp(lambda x, y: x * y, x, y)[1](y), F.vjp(lambda x: F.vjp(torch.sin, x)[1](y)[0], x)[1](y)
(lambda pull: (pull(y), pull(y)))(F.vjp(lambda x: x**2, x)[1])
F.jacrev(torch.sin)(x), F.jacrev(lambda x: x[:2] * x[2])(x)
F.jacrev(lambda x: torch.cat([x, x]) * x[0])(l)
F.jacrev(lambda x: x.view(3, 1) * x)(x), F.jacrev(lambda m: m.sum(0))(x.view(1, 3))
F.jacrev(lambda x: torch.ones(2))(x)
F.jacrev(lambda x, y: x * y**2, argnums=1)(y, x), F.jacrev(lambda x, c: x * c)(x, 2.0)
F.jacrev(lambda a, b, c: 3 * a + 2 * b * b + torch.log(c), argnums=(0, 1, 2))(x, y, x)
F.jacrev(lambda a, b: a * b, argnums=(1,))(x, y)
F.vjp(lambda x: x * 2, x)[1](y[:2])
backward(F.vjp(lambda x: x**3 * w, l)[1](w)[0])
backward(F.jacrev(lambda x: x**3 * w)(l)), backward(F.vjp(lambda x: x**3 * w, l)[0])
torch.no_grad()(lambda: F.jacrev(lambda x: x**2 * w)(l))()
"""


@pytest.mark.parametrize("line", TRANSFORMS.strip().splitlines())
def test_transforms(line):
    def program(torch):
        l, w = [torch.tensor(v, requires_grad=True) for v in ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])]  # noqa: E741

        def backward(result):
            l.grad = w.grad = None
            result.sum().backward()
            return l.grad, w.grad

        x, y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])
        c, d = torch.tensor(2.0), torch.tensor(2.0, requires_grad=True)
        return eval(
            line,
            {
                "torch": torch,
                "F": torch.func,
                "x": x,
                "y": y,
                "l": l,
                "w": w,
                "c": c,
                "d": d,
                "backward": backward,
            },
        )

    both(program)
