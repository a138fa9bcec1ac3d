"""func: the transforms against torch, on the same programs.

What would break a learner's program: gradients of an inner transform that leak into an outer one, or are
cut off from it; a result that still requires grad, or no longer does; nesting, shapes and error texts.
"""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import torch

import minigrad
from tests.engine.both import attempt, compare, run

# Each line is an expression: it is evaluated with both engines, and what comes out has to agree.
# x, y are plain (3,) tensors, l and w leaves of that shape that require grad, c a 0-d tensor, d a 0-d leaf.
PROGRAMS = """
# -- grad
F.grad(lambda x: (x**2).sum())(x)
F.grad(lambda x: (x**2).sum())(l)
F.grad(lambda x: (x * 3).sum())(l)
F.grad(lambda x: (x**2 * w).sum())(x)
F.grad(lambda x: (x**2).sum() + w.sum())(x)
F.grad(lambda x: x)(c), F.grad(lambda x: x)(d)
F.grad(lambda x: c * 3)(c), F.grad(lambda x: w.sum())(c), F.grad(lambda x: torch.tensor(3))(c)
F.grad(lambda x: x.prod())(torch.tensor([0.0, 2.0]))
F.grad(lambda x: (x.double()**2).sum())(x)
F.grad(lambda x, y=1.0, *, z=2.0: (x * y * z).sum())(x, z=w)
F.grad(lambda x, y: (x * y).sum(), argnums=1)(x, y)
F.grad(lambda x, y: (x * y).sum(), argnums=-1)(x, w)
F.grad(lambda x, y: (x * y**2).sum(), argnums=(1, 0))(x, y)
F.grad(lambda p: (p["a"] * p["b"][0]).sum())({"a": x, "b": [w]})
F.grad(lambda p: (p[0] * p[1]).sum())((x, w))
F.grad(lambda p: (p["b"] * p["a"]**2).sum())({"b": x, "a": y})
F.grad(lambda p: (p["b"] * p["a"]**2).sum())(OrderedDict(b=x, a=y))
parts(F.grad(lambda p: (p.b * p.a**2).sum())(Pair(x, y)))
F.vjp(lambda x: Pair(x * 2, {"b": x}), x)[1](Pair(x, {"a": y}))
F.grad(lambda x: ((x**2).sum(), {"twice": x * 2}), has_aux=True)(x)
F.grad_and_value(lambda x: (x**2).sum())(x), F.grad_and_value(lambda x: (x**2).sum())(l)
F.grad_and_value(lambda x: ((x**2).sum(), x * 1), has_aux=True)(l)
F.grad_and_value(lambda x: w.sum())(c)
F.grad(in_place)(x), F.grad(in_place)(l)
F.grad(partly_without_recording)(x), F.grad(partly_without_recording)(l)
F.grad(inner_without_recording)(x), F.grad(inner_without_recording)(l)
# -- nested
F.grad(torch.sin)(c), F.grad(F.grad(torch.sin))(c), F.grad(F.grad(F.grad(torch.sin)))(d)
F.grad(lambda x: x * F.grad(lambda y: x + y)(torch.tensor(1.0)))(c)
F.grad(lambda x: x * F.grad(lambda y: x * y)(torch.tensor(1.0)))(c)
F.grad(lambda x: F.grad(lambda y: y * y * x)(torch.tensor(3.0)))(c)
F.grad(lambda x: F.grad(lambda y: y * y * x)(x))(c), F.grad(lambda x: F.grad(lambda y: y * y * x)(x))(d)
F.grad(lambda x: F.grad(lambda y: y * y)(torch.tensor(3.0)) * x)(c)
F.grad(lambda x: F.jvp(torch.sin, (x,), (y,))[1].sum())(x)
F.jvp(F.grad(lambda x: (x**3).sum()), (x,), (y,))[1]
F.jvp(lambda x: F.jvp(torch.sin, (x,), (y,))[1], (x,), (y,))[1]
F.jacfwd(F.jacrev(lambda x: (x**3).sum()))(x), F.jacrev(F.jacfwd(lambda x: (x**3).sum()))(x)
F.jacrev(F.jacrev(lambda x: x**3))(x[:2]), F.jacfwd(F.jacfwd(lambda x: x**3))(x[:2])
F.vjp(lambda x: F.vjp(torch.sin, x)[1](y)[0], x)[1](y)
# -- vjp
F.vjp(torch.sin, x)[0], F.vjp(torch.sin, x)[1](y), F.vjp(torch.sin, l)[1](y), F.vjp(torch.sin, x)[1](w)
F.vjp(lambda x, y: x * y, l, x)[1](y)
F.vjp(lambda x, y: [x * y, (x,)], l, x)[1]([x, (y,)])
F.vjp(lambda x, y: (x * y, {"s": x.sum()}), x, w)[1]((y, {"s": c}))
F.vjp(lambda p: p["a"] * 2, {"a": x, "b": w})[1](x)
F.vjp(lambda x: x**2, l)[1](w, create_graph=False)
F.vjp(lambda x: (x, x * 2), l, has_aux=True)[2]
twice(F.vjp(lambda x: x**2, x)[1], y)
F.vjp(lambda x: x**2, x)[1](y.double())
# -- jvp and linearize
F.jvp(torch.sin, (x,), (y,)), F.jvp(torch.sin, (l,), (y,))[1]
F.jvp(lambda x, y: (x * y, [x.sum()]), (x, w), (w, x))[1]
F.jvp(lambda p: p["a"] * p["b"], ({"a": x, "b": w},), ({"a": x, "b": y},))[1]
F.jvp(lambda x: torch.ones(2), (x,), (y,)), F.jvp(lambda x: (x.argmax(), x * 2), (x,), (y,))
F.jvp(lambda x: (x, x * 2), (x,), (y,), has_aux=True)
F.linearize(lambda x, y: {"a": x * y, "b": (x + y).sum()}, x, l)[1](y, w)
twice(F.linearize(torch.sin, x)[1], y)
# -- jacrev, jacfwd, hessian
F.jacrev(torch.sin)(x), F.jacfwd(torch.sin)(x)
F.jacrev(lambda x: x[:2] * x[2])(x), F.jacfwd(lambda x: x[:2] * x[2])(x)
F.jacrev(lambda x: torch.cat([x, x]) * x[0])(l), F.jacfwd(lambda x: torch.cat([x, x]) * x[0])(l)
F.jacrev(lambda x: x.view(3, 1) * x)(x), F.jacfwd(lambda x: x.view(3, 1) * x)(x)
F.jacrev(lambda m: m.sum(0))(x.view(1, 3)), F.jacfwd(lambda m: m.sum(0))(x.view(1, 3))
F.jacrev(lambda m: m**2)(x.view(3, 1).expand(3, 2).t()), F.jacfwd(lambda m: m[0]**2)((x.view(3, 1) * y[:2]).t())
F.jacrev(lambda x: {"a": x * 2, "b": (x.sum(),)})(x), F.jacfwd(lambda x: {"a": x * 2, "b": (x.sum(),)})(x)
F.jacrev(lambda x, y: x * y, argnums=(0, 1))(x, w), F.jacfwd(lambda x, y: x * y, argnums=(1,))(x, y)
F.jacrev(lambda p: p["a"].sum() * p["b"])({"a": x, "b": y}), F.jacfwd(lambda p: p["a"].sum() * p["b"])({"a": x, "b": y})
F.jacrev(lambda x: (x * 2, {"x": x}), has_aux=True)(x), F.jacfwd(lambda x: (x * 2, {"x": x}), has_aux=True)(x)
F.jacrev(lambda x: torch.ones(2))(x), F.jacfwd(lambda x: torch.ones(2))(x)
F.jacrev(lambda x: x[:0])(x), F.jacrev(lambda x: x)(x[:0])
F.jacrev(lambda x: x**2, chunk_size=2)(x)
F.jacrev(lambda x, c: x * c)(x, 2.0)
F.hessian(lambda x: x.prod())(x), F.hessian(lambda x: (x**3 * w).sum())(x)
F.hessian(lambda x: x**3)(x)
F.hessian(lambda x, y: (x**2).sum() * y, argnums=(0, 1))(x, c)
F.hessian(lambda p: p["a"].sum() * p["b"]**2)({"a": x, "b": c})
F.hessian(in_place)(x), F.hessian(partly_without_recording)(x)
# -- backward through what a transform returned
backward(F.grad(lambda x: (x**3 * w).sum())(l))
backward(F.hessian(lambda x: (x**3 * w).sum())(l))
backward(F.jvp(lambda x: x**3 * w, (l,), (w,))[1])
backward(F.vjp(lambda x: x**3 * w, l)[1](w)[0])
backward(F.jacrev(lambda x: x**3 * w)(l)), backward(F.jacfwd(lambda x: x**3 * w)(l))
backward(F.vjp(lambda x: x**3 * w, l)[0])
# -- without recording outside
without_recording(lambda: F.grad(lambda x: (x**2 * w).sum())(l))
without_recording(lambda: F.grad(lambda x: F.grad(lambda x: (x**3).sum())(x).sum())(l))
without_recording(lambda: F.jacrev(lambda x: x**2 * w)(l)), without_recording(lambda: F.jacfwd(lambda x: x**2 * w)(l))
without_recording(lambda: F.hessian(lambda x: (x**3).sum())(l))
without_recording(lambda: F.vjp(lambda x: x**2 * w, l)[1](w)), without_recording(lambda: F.vjp(lambda x: x**2 * w, l)[0])
without_recording(lambda: F.jvp(lambda x: x**2 * w, (l,), (w,)))
without_recording(lambda: F.vjp(lambda x: x**2, l))[1](y), without_recording(lambda: F.vjp(lambda x: x**2, x))[1](w)
# -- what is refused
F.grad(lambda x: x)(x)
F.grad(lambda x: x[:1])(x)
F.grad(lambda x: 2.0)(c)
F.grad(lambda x: (x.sum(), 1, 2))(x)
F.grad(lambda x: x.sum())(2.0)
F.grad(lambda x: x.sum())(None)
F.grad(lambda x: x.sum())(torch.tensor([1, 2]))
F.grad(lambda x: x.sum(), argnums=1)(x)
F.grad(lambda x: x.sum(), argnums=-2)(x)
F.grad(lambda x: x.sum())()
F.grad(lambda x: x.sum(), argnums=[0])(x)
F.grad(lambda x: x.sum(), argnums="0")(x)
F.grad(lambda x: x.sum(), argnums=("0",))(x)
F.grad(lambda x: x.sum(), argnums=())(x)
F.grad(lambda x, y: x.sum(), argnums=(1, -1))(x, y)
F.grad(lambda x: x.sum(), has_aux=True)(x)
F.grad(lambda x: (x.sum(), 3), has_aux=True)(x)
F.grad(lambda x, c: (x * c).sum(), argnums=1)(x, 2.0)
F.grad(lambda x: x.mul_(2).sum())(x)
F.vjp(lambda x: x.argmax(), x)
F.vjp(lambda x: None, x)
F.vjp(lambda x: 3, x)
F.vjp(lambda x: (), x)
F.vjp(lambda x: x, 3.0)
F.vjp(lambda x: x, x, has_aux=True)
F.vjp(lambda x: (x, {"s": x}), x)[1]((x, [x]))
F.vjp(lambda x: [x, (x,)], x)[1]((x, (x,)))
F.vjp(lambda x: x * 2, x)[1](y[:2])
F.vjp(lambda x: x.sum(), x)[1](torch.ones(1))
F.jvp(torch.sin, x, y)
F.jvp(torch.sin, (x,), y)
F.jvp(torch.sin, (x,), (y, y))
F.jvp(lambda x, p: x, (x, [y, (x, {"a": y})]), (y, x))
F.jvp(torch.sin, (x,), (y[:2],))
F.jvp(torch.sin, (x,), (3,))
F.jvp(torch.sin, (3,), (x,))
F.jvp(torch.sin, (), ())
F.jvp(lambda x: torch.ones(2), (x,), (y,), strict=True)
F.jvp(lambda x: 3, (x,), (y,))
F.jvp(lambda x: x, (x,), (y,), has_aux=True)
F.linearize(torch.sin, x)[1](y, y)
F.linearize(torch.sin, x)[1](y[:2])
F.linearize(torch.sin, x)[1](y.double())
F.jacrev(lambda x: x, chunk_size=0)
F.jacrev(lambda x: (x, 3))(x)
F.jacrev(lambda x: None)(x)
F.jacrev(lambda x: x)(3.0)
F.jacrev(lambda x: x, has_aux=True)(x)
F.jacrev(lambda x: (x, 3), has_aux=True)(x)
F.jacfwd(lambda x: None)(x)
F.jacfwd(lambda x: (x, 3))(x)
"""


Pair = namedtuple("Pair", "b a")


def given(torch):
    """The names that the programs use."""

    def in_place(x):
        y = x.clone()
        y.mul_(x)
        y[0] = 0
        return (y * x).sum()

    def partly_without_recording(x):
        with torch.no_grad():
            constant = x**2
        return (x * x - constant).sum()

    def inner_without_recording(x):
        with torch.no_grad():
            constant = torch.func.grad(lambda y: (y**3).sum())(x)
        return (x * constant).sum()

    def parts(pair):
        return type(pair).__name__, pair.b, pair.a

    def twice(function, *args):
        return function(*args), function(*args)

    def without_recording(program):
        with torch.no_grad():
            return program()

    l = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)  # noqa: E741
    w = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)

    def backward(result):
        l.grad = w.grad = None
        result.sum().backward()
        return l.grad, w.grad

    return {
        "torch": torch, "F": torch.func, "x": torch.tensor([1.0, 2.0, 3.0]), "l": l, "w": w,
        "y": torch.tensor([0.5, -1.0, 2.0]), "c": torch.tensor(2.0), "in_place": in_place,
        "OrderedDict": OrderedDict, "Pair": Pair, "parts": parts,
        "d": torch.tensor(2.0, requires_grad=True), "twice": twice, "backward": backward,
        "partly_without_recording": partly_without_recording,
        "inner_without_recording": inner_without_recording, "without_recording": without_recording,
    }  # fmt: skip


def outcome(torch, program):
    """What a program comes to, warnings apart; of the graph only whether results require grad."""

    def seen(result):
        if isinstance(result, (tuple, list)):
            return type(result)(seen(part) for part in result)
        if isinstance(result, dict):
            return {name: seen(part) for name, part in result.items()}
        if isinstance(result, torch.Tensor):
            return result.detach(), result.requires_grad
        return "a function" if callable(result) else result

    def caught(torch):
        try:
            return seen(program(torch))
        except Exception as error:
            return error

    return run(caught, torch)[0]


def both(program):
    import torch
    compare(outcome(torch, program), outcome(minigrad, program))


@pytest.mark.parametrize(
    "line", [line for line in PROGRAMS.splitlines() if line and not line.startswith("#")]
)
def test_programs(line):
    both(lambda torch: eval(line, given(torch)))  # the lines above, not text of a learner


CALLS = """
call(net, {"0.weight": torch.ones(2, 3)}, x)
call(net, {"0.weight": torch.ones(2, 3), "0.bias": torch.zeros(2), "2.weight": torch.ones(1, 2)}, (x,))
call(net, ({"0.weight": torch.ones(2, 3)}, {"0.bias": torch.zeros(2)}), x)
call(net, {}, None, {"input": x}), call(net, dict(net.named_parameters()), x, strict=True)
call(norm, {"running_mean": torch.ones(3)}, x.view(1, 3))
call(net, {"0.weight": torch.ones(2, 3), "foo": x}, x)
F.grad(lambda p: call(net, p, x).sum())(dict(net.named_parameters()))
F.grad(lambda p: call(net, p, x).sum())({n: p.detach() for n, p in net.named_parameters()})
F.jacrev(lambda p: call(net, p, x))({"2.weight": torch.ones(1, 2)})
F.hessian(lambda p: call(net, p, x).sum())({"0.bias": torch.ones(2)})
call(twins, {"0.weight": torch.ones(3, 3)}, x), call(twins, {"1.weight": torch.ones(3, 3)}, x)
call(twins, {"0.weight": torch.ones(3, 3), "0.bias": x, "1.bias": x}, x, strict=True)
call(twins, {"0.weight": torch.ones(3, 3)}, x, tie_weights=False)
call(twins, {"0.weight": torch.ones(3, 3), "1.weight": torch.zeros(3, 3)}, x, tie_weights=False)
call(twins, {"0.weight": torch.ones(3, 3), "1.weight": torch.zeros(3, 3)}, x)
call(twins, {"0.weight": w.new_ones(3, 3), "0.bias": x, "1.bias": x}, x, tie_weights=False, strict=True)
call(net, {"0.weight": torch.ones(2, 3)}, x, strict=True)
call(net, {"0.weight": torch.ones(2, 3), "more": x}, x, strict=True)
call(net, {"0.weight": 3}, x)
call(net, 3, x)
call(net, [{"0.weight": x}, 3], x)
call(net, [{"0.weight": x}, {"0.weight": x}], x)
call(net, {"0.weight": torch.ones(2, 2)}, x)
"""


@pytest.mark.parametrize("line", CALLS.strip().splitlines())
def test_modules_as_functions_of_their_parameters(line):
    def program(torch):
        names = given(torch)
        nn = torch.nn
        net = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1, bias=False))
        norm = nn.BatchNorm1d(3).eval()
        twins = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        twins[1].weight = twins[0].weight
        for module in (net, twins):
            for k, parameter in enumerate(module.parameters()):
                numbers = (torch.arange(float(parameter.numel())) + k).sin() / 5
                with torch.no_grad():
                    parameter.copy_(numbers.view_as(parameter))
        before = {n: p.tolist() for n, p in net.named_parameters()}
        names |= {"net": net, "norm": norm, "twins": twins, "call": torch.func.functional_call}
        try:
            return eval(line, names)
        finally:
            assert {n: p.tolist() for n, p in net.named_parameters()} == before

    both(program)


def test_a_transform_keeps_name_and_docstring():
    @minigrad.func.grad
    def loss(x):
        """The square."""
        return x * x

    assert (loss.__name__, loss.__doc__) == ("loss", "The square.")
    assert loss(minigrad.tensor(3.0)).item() == 6


def test_nothing_outside_changes():
    leaf = minigrad.tensor([1.0, 2.0], requires_grad=True)
    minigrad.func.grad(lambda x: (x**2 * leaf).sum())(leaf)
    minigrad.func.hessian(lambda x: (x**2 * leaf).sum())(leaf)
    assert leaf.grad is None and leaf.grad_fn is None and leaf._version == 0
    for failing in (lambda x: 1 / 0, lambda x: x):
        with pytest.raises((ZeroDivisionError, RuntimeError)), minigrad.no_grad():
            minigrad.func.grad(failing)(leaf)
        assert minigrad.is_grad_enabled()


def test_derivatives_of_a_polynomial():
    """x⁵ has the derivatives 5x⁴, 20x³, 60x², 120x, 120 and 0, by transforms of transforms."""
    x, f = minigrad.tensor(1.5, dtype=minigrad.float64), lambda x: x**5
    for factor, power in ((5, 4), (20, 3), (60, 2), (120, 1), (120, 0), (0, 0)):
        f = minigrad.func.grad(f)
        assert f(x).item() == pytest.approx(factor * 1.5**power, abs=1e-12)
        assert not f(x).requires_grad


def test_rows_and_columns_make_the_same_jacobian():
    x = minigrad.tensor([0.3, -0.7, 1.1], dtype=minigrad.float64)
    y = minigrad.tensor([[0.5, 0.2]], dtype=minigrad.float64)

    def f(x, y):
        return (x[:2] * y).sin(), (x.sum() * y).exp().sum()

    by_rows = minigrad.func.jacrev(f, argnums=(0, 1))(x, y)
    by_columns = minigrad.func.jacfwd(f, argnums=(0, 1))(x, y)
    whole = minigrad.autograd.functional.jacobian(f, (x, y))
    shapes = [[(1, 2, 3), (1, 2, 1, 2)], [(3,), (1, 2)]]
    for i, j in np.ndindex(2, 2):
        assert tuple(by_rows[i][j].shape) == shapes[i][j]
        np.testing.assert_allclose(by_rows[i][j].numpy(), by_columns[i][j].numpy(), atol=1e-14)
        np.testing.assert_allclose(by_rows[i][j].numpy(), whole[i][j].numpy(), atol=1e-14)


def test_sixty_doublings_take_no_time():
    """A graph with 2⁶⁰ ways through it is walked node by node."""

    def f(x):
        for _ in range(60):
            x = x + x
        return x

    leaf = minigrad.tensor(1.0, requires_grad=True)
    assert minigrad.func.grad(f)(leaf).item() == 2.0**60
    assert minigrad.func.grad_and_value(f)(minigrad.tensor(1.0))[1].item() == 2.0**60


def test_what_is_not_there_says_so():
    with pytest.raises(AttributeError, match="'minigrad.func' has no attribute 'functionalize': "):
        minigrad.func.functionalize


# -- vmap -----------------------------------------------------------------------------------------

# Programs of `vmap`, X (2, 3), y (3), r like X and requiring grad; what they return or refuse.
MAPPED = """
vmap(lambda a: a.sum())(X)
vmap(lambda a: a * 2, in_dims=1)(X)
vmap(lambda a: a.sum(), in_dims=-1)(X)
vmap(lambda a: a * 2, out_dims=1)(X)
vmap(lambda a: a * 1, out_dims=-1)(X)
vmap(lambda a, b: a + b, in_dims=(0, None))(X, y)
vmap(lambda a, b: a * b, in_dims=(0, None))(X, 3.0)
vmap(lambda a, b: a + b)(X, b=X)
vmap(lambda d: d['a'] * 2, in_dims=({'a': 0},))({'a': X})
vmap(lambda l: l[0] + l[1])([X, X])
vmap(lambda a: (a * 1, a.sum()), out_dims=(1, 0))(X)
vmap(lambda a: {'s': a.sum()})(X)
vmap(lambda a: y)(X)
vmap(lambda a: y, out_dims=None)(X)
vmap(lambda a: a * 2)(X[:0])
vmap(torch.dot)(X, X)
vmap(torch.mv, in_dims=(None, 0))(X, X)
torch.vmap(torch.func.grad(lambda a: (a**3).sum()))(X)
vmap(torch.func.jacrev(lambda a: a**2))(X)
torch.func.grad(lambda z: vmap(lambda a: (a**2).sum())(z).sum())(X)
vmap(vmap(lambda a, b: a * b, (None, 0)), (0, None))(X[0], y)
vmap(lambda a: a, chunk_size=1)(X)
torch.autograd.grad(vmap(lambda a: (a**2).sum())(r).sum(), r)
vmap(lambda a: torch.rand(3), randomness='different')(X).shape
(lambda s: bool((s[0] == s[1]).all()))(vmap(lambda a: a * 0 + torch.rand(3), randomness='same')(X))
vmap(lambda a: a + torch.rand(3))(X)
vmap(lambda a: a, randomness='z')(X)
vmap(lambda a: a, in_dims=None)(X)
vmap(lambda a, b: a, in_dims=(None, None))(X, y)
vmap(lambda: X)()
vmap(lambda a, b: a)(X, torch.ones(4, 3))
vmap(lambda a: a)(torch.tensor(1.0))
vmap(lambda a: a, in_dims=5)(X)
vmap(lambda a: a)(3.0)
vmap(lambda a: a, in_dims='x')(X)
vmap(lambda a: a, in_dims=(0, 0))(X)
vmap(lambda a: a, in_dims=(1.5,))(X)
vmap(lambda a: a, out_dims=None)(X)
vmap(lambda a: 3.0)(X)
vmap(lambda a: None)(X)
vmap(lambda a: a, out_dims=5)(X)
vmap(lambda a: (a, a), out_dims=(0,))(X)
vmap(lambda a: a, chunk_size=0)(X)
"""


@pytest.mark.parametrize("call", MAPPED.strip().splitlines())
def test_vmap_does_as_in_torch(call):
    def program(torch):
        X = torch.arange(6.0).reshape(2, 3)
        scope = {"torch": torch, "vmap": torch.func.vmap, "X": X, "y": torch.ones(3) * 2,
                 "r": X.clone().requires_grad_()}  # fmt: skip
        return attempt(eval, call, scope)

    compare(*(run(program, engine) for engine in (torch, minigrad)), named=False)


def test_random_numbers_are_allowed_again_after_vmap():
    with pytest.raises(RuntimeError, match="randomness error mode"):
        minigrad.func.vmap(lambda a: minigrad.rand(2))(minigrad.ones(2, 2))
    assert minigrad.rand(2).shape == (2,)
