"""Size: long chains, many doublings, one run for each node; what an import costs; no NumPy warnings."""
import subprocess
import sys
import warnings

import numpy as np
import pytest

import minigrad
from tests.engine.both import same


@same
def test_a_chain_of_twenty_thousand_operations(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(10_000):
        y = (y + 1) * 1
    y.sum().backward()
    z = x
    for _ in range(20_000):
        z = -z
    (g,) = torch.autograd.grad(z, x, torch.ones(2), create_graph=True)
    return x.grad, y, g


def test_a_chain_of_a_million_operations():
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(1_000_000):
        y = -y
    y.backward()
    assert x.grad.tolist() == [1.0]
    del y  # freed without recursion, too


def test_a_long_chain_is_freed_without_recursion():
    x = minigrad.tensor([1.0], requires_grad=True)
    y = x
    for _ in range(150_000):
        y = y * x
    assert y.grad_fn is not None
    del y


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


@same
def test_a_node_runs_after_all_its_users_and_the_latest_first(torch):
    x, order = torch.ones(1, requires_grad=True), []
    nodes = {}
    for name in "abcdef":
        made = x * (len(nodes) + 1) if len(nodes) < 3 else sum(nodes.values())
        made.register_hook(lambda g, name=name: order.append((name, g.item())))
        nodes[name] = made
    torch.autograd.backward([nodes["d"] * nodes["b"], nodes["f"], nodes["a"]])
    return order, x.grad


@same
def test_siblings_run_the_latest_first_however_they_are_added(torch):
    orders = []
    for permutation in ("abc", "cab", "bca"):
        x, order = torch.ones(1, requires_grad=True), []
        siblings = {name: x * 2 for name in "abc"}
        for name, sibling in siblings.items():
            sibling.register_hook(lambda g, name=name, order=order: order.append(name))
        (siblings[permutation[0]] + siblings[permutation[1]] + siblings[permutation[2]]).backward()
        orders.append(order)
    return orders


def test_the_stock_recursion_limit_is_enough():
    program = """
import sys; sys.setrecursionlimit(200)
import minigrad as torch
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(5000):
    y = (y * 1.0).view(1).sum()
y.backward(retain_graph=True)
torch.autograd.grad(y, x, create_graph=True)
print(x.grad.item())
"""
    assert run(program) == "1.0"


def run(program):
    found = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_import_loads_numpy_and_nothing_of_weight():
    loaded = run("""
import sys, numpy
before = set(sys.modules)
import minigrad
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before} - {"minigrad"}))
""").split()
    heavy = {"torch", "matplotlib", "ipywidgets", "IPython", "scipy", "pandas", "hypothesis", "asyncio",
             "unittest", "json", "subprocess", "decimal", "statistics", "random", "tempfile"}  # fmt: skip
    assert not heavy & set(loaded), loaded
    assert all(name in sys.stdlib_module_names for name in loaded), loaded


OVERFLOWS = """x / 0; 0 / x; x.log(); x.sqrt(); (x * 1e30) * 1e30; (x * 100).exp(); x ** 0.5; x ** -1.0; x.mean(); (x - x) / (x - x)
    (x * 1e30).square(); 1e38 * x * 10; x.rsqrt(); (x * 0).norm(); x.sigmoid(); (x * 1e30).tanh(); x.reciprocal(); x * 1e300; x.half() * 100
    (x * 1e10).long(); x @ (x * 1e38); (x * 1e30) ** 2; 2 ** (x * 1000); x.acos(); x.double().float(); (x * float("inf")).sum()
    torch.zeros(0).mean(); torch.tensor(1e300, dtype=torch.float64).float(); torch.tensor([1e300]); x.expm1(); x.log1p()"""


@pytest.mark.parametrize("formula", [row.strip() for row in OVERFLOWS.replace("\n", ";").split(";")])
@same
def test_infinities_and_nans_come_without_warnings(torch, formula):
    x = torch.tensor([-1.0, 0.0, 88.0, 3e38], requires_grad=True)
    y = eval(formula, {"torch": torch, "x": x})
    if not y.requires_grad:
        return y, str(y)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    if g.requires_grad:
        g.sum().backward()
    return y, g.detach(), x.grad, str(y), str(g.detach())


def test_numpys_own_settings_are_left_alone():
    with np.errstate(all="raise"):
        minigrad.tensor([1.0]) / 0
        with pytest.raises(FloatingPointError):
            np.ones(1) / 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.ones(1) / 0
    assert len(caught) == 1
