"""Size: long chains without recursion, linear work, memory freed at once, what an import costs."""

import gc
import subprocess
import sys
import warnings

import numpy as np
import pytest

import minigrad
from tests.cases import over
from tests.engine.both import rows, same


@same
def test_a_chain_of_twenty_thousand_operations(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = z = x
    for _ in range(10_000):
        y, z = (y + 1) * 1, z.neg().neg()
    y.sum().backward()
    (g,) = torch.autograd.grad(z, x, torch.ones(2), create_graph=True)
    return x.grad, y, g


def test_a_chain_of_a_million_operations_runs_and_is_freed_without_recursion_or_collector():
    x = minigrad.tensor([1.0], requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        y = x
        for _ in range(1_000_000):
            y = -y
        y.backward()
        assert x.grad.tolist() == [1.0]
        before = sys.getallocatedblocks()
        del y
        assert before - sys.getallocatedblocks() > 1_000_000
    finally:
        gc.enable()


def test_a_long_chain_that_never_ran_is_freed():
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(150_000):
        y = y * x
    before = sys.getallocatedblocks()
    del y
    assert before - sys.getallocatedblocks() > 150_000


def test_a_node_has_eight_places_and_no_dictionary():
    node = type((minigrad.ones(2, requires_grad=True) * 3).grad_fn)
    assert node.__basicsize__ - object.__basicsize__ == 8 * 8  # bytes, for each operation


@same
def test_sixty_doublings_run_each_node_once(torch):
    x, runs = torch.tensor(1.0, dtype=torch.float64, requires_grad=True), []
    y = x
    for _ in range(60):
        y = y + y
        y.register_hook(lambda g: runs.append(g.item()))
    y.backward()
    return x.grad, runs


@same
def test_a_ladder_of_products(torch):
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    a = b = x
    for _ in range(40):
        a, b = a * 0.5 + b, a - b * 0.5
    (g,) = torch.autograd.grad(a * b, x, create_graph=True)
    return g, torch.autograd.grad(g, x)


def run(program):
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_the_stock_recursion_limit_is_enough():
    assert (
        run("""
import sys
sys.setrecursionlimit(200)
import minigrad as torch
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(5000):
    y = (y * 1.0).view(1).sum()
y.backward(retain_graph=True)
torch.autograd.grad(y, x, create_graph=True)
print(x.grad.item())
""")
        == "1.0"
    )


def test_import_loads_numpy_and_nothing_of_weight():
    # inspect, which reads signatures, comes with all but the oldest NumPy
    loaded = run("""
import sys, numpy
before = set(sys.modules)
import minigrad
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before} - {"minigrad"}))
""").split()
    heavy = {
        "asyncio",
        "unittest",
        "json",
        "subprocess",
        "decimal",
        "random",
        "tempfile",
        "dataclasses",
        "typing",
        "ast",
    }
    assert not heavy & set(loaded), loaded
    assert all(name in sys.stdlib_module_names for name in loaded), loaded


def test_networks_are_there_when_first_asked_for():
    assert run("""
import sys, minigrad as torch
print("minigrad.nn" in sys.modules, "minigrad.optim" in sys.modules)
print({"nn", "optim"} <= set(dir(torch)))
print(torch.nn.functional.relu(torch.ones(1)).item(), torch.optim.SGD.__name__, "nn" in vars(torch))
""").split() == ["False", "False", "True", "1.0", "SGD", "True"]


OVERFLOWS = rows("""
    x / 0; 0 / x; x.log(); x.sqrt(); (x * 1e30) * 1e30; (x * 100).exp(); x ** 0.5; x ** -1.0
    x.mean(); (x - x) / (x - x); (x * 1e30).square(); 1e38 * x * 10; (x * 0).norm()
    x.sigmoid(); (x * 1e30).tanh(); x.reciprocal(); x * 1e300; x.half() * 100; (x * 1e10).long()
    x @ (x * 1e38); 2 ** (x * 1000); x.double().float(); (x * float("inf")).sum()
    torch.zeros(0).mean(); torch.tensor(1e300, dtype=torch.float64).float(); torch.tensor([1e300])
    x.log1p(); x.softmax(0); x.std()
""")


@over("formula", OVERFLOWS)
def test_infinities_and_nans_come_without_warnings(formula):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = minigrad.tensor([-1.0, 0.0, 88.0, 3e38], requires_grad=True)
        y = eval(formula, {"torch": minigrad, "x": x})
        assert str(y)
        if y.requires_grad:
            (g,) = minigrad.autograd.grad(y.sum(), x, create_graph=True)
            assert str(g) and (g.sum().backward() if g.requires_grad else None) is None


def test_numpys_own_settings_are_left_alone():
    with np.errstate(all="raise"):
        minigrad.tensor([1.0]) / 0
        with pytest.raises(FloatingPointError):
            np.ones(1) / 0
    with pytest.warns(RuntimeWarning):
        np.ones(1) / 0
