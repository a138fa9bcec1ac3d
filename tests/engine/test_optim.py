"""Optimizers against torch: the same parameters after the same steps, the same state."""

import copy

import numpy as np
import pytest
import torch

import minigrad
from tests.engine.both import compare, play, run, titled
from tests.engine.test_nn import numbers, seeded


def steps(torch, text, dtype):
    """Losses and parameters, one of them not used, after some steps on a small network."""
    model = seeded(
        torch, torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
    )
    model.to(getattr(torch, dtype))
    unused = torch.nn.Parameter(torch.ones(2))
    optimizer = eval(f"torch.optim.{text}", {"torch": torch, "p": [*model.parameters(), unused]})
    x, y = [torch.tensor(numbers(6, n, seed=n), dtype=getattr(torch, dtype)) for n in (4, 2)]
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [losses, list(model.parameters()), unused, [p._version > 0 for p in model.parameters()]]


OPTIMIZERS = [
    "SGD(p)",
    "SGD(p, 0.1)",
    "SGD(p, lr=0.1, momentum=0.9)",
    "SGD(p, lr=0.1, weight_decay=0.1)",
    "SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01)",
    "SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)",
    "Adam(p)",
    "Adam(p, 0.1)",
    "Adam(p, lr=0.05, betas=(0.5, 0.7), eps=1e-3)",
    "Adam(p, lr=0.05, weight_decay=0.1)",
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("text", OPTIMIZERS)
def test_steps(text, dtype):
    # Adam divides numbers that are almost 0 by their own size: rounding shows more than elsewhere.
    compare(*(run(steps, engine, text, dtype) for engine in (torch, minigrad)), scale=30)


PROGRAMS = titled("""
## groups
a, b, c = [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]
optimizer = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 1.0, "momentum": 0.5}], lr=0.1)
optimizer.add_param_group({"params": [c], "weight_decay": 0.1})
for _ in range(2):
    optimizer.zero_grad()
    (a * 2 + b * 3 + c * 4).sum().backward()
    optimizer.step()
optimizer.param_groups[0]["lr"] = 5.0
optimizer.step(), len(optimizer.param_groups), [g["lr"] for g in optimizer.param_groups]
optimizer.add_param_group({"params": [a]})  # ValueError

## zero_grad, and parameters without a gradient
a, b = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([a, b], lr=0.1)
(a * 2).sum().backward()
held = a.grad
optimizer.zero_grad(set_to_none=False)
a.grad is held, held._version
optimizer.step(), optimizer.zero_grad(), optimizer.step()
a._version, b._version

## a closure is called with grad mode on
w = torch.nn.Parameter(torch.tensor([3.0]))
optimizer = torch.optim.SGD([w], lr=0.1)


def closure():
    optimizer.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    return loss


with torch.no_grad():
    found = [optimizer.step(closure), optimizer.step(closure)]
optimizer.step()

## a step is not recorded, and is a change in place
w = torch.ones(2, requires_grad=True)
loss = (w * w).sum()
loss.backward(retain_graph=True)
torch.optim.SGD([w], lr=0.1).step()
w.is_leaf, w._version
loss.backward()  # RuntimeError

## a rule of the user's own, in tensor operations
class Signs(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                state["steps"] = state.get("steps", 0) + 1
                p.sub_(p.grad.sign() * group["lr"] / state["steps"])


w = torch.nn.Parameter(torch.tensor([3.0, -1.0]))
signs = Signs([w], lr=0.5)
for _ in range(3):
    signs.zero_grad()
    (w * w).sum().backward()
    signs.step()
w, signs.state[w]["steps"], w._version

## what is refused
w, optim = torch.ones(2, requires_grad=True), torch.optim
optim.SGD([])  # ValueError
optim.SGD(w)  # TypeError
optim.SGD([w * 2])  # ValueError
optim.SGD([w], lr=-1)  # ValueError
optim.Adam([w], lr=-1.0)  # ValueError
optim.SGD([w], lr=0.1, nesterov=True)  # ValueError
optim.NoSuchOptimizer  # AttributeError
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title], copy=copy, seeded=seeded)


def test_an_update_may_be_written_in_tensor_operations():
    """`update`, minigrad's own, is told arrays; but nothing forbids the parameter itself."""

    class Plain(minigrad.optim.SGD):
        def update(self, param, x, g, group):
            param.sub_(param.grad * group["lr"] / (param.grad * 0))  # no warning of a division by 0

    w = minigrad.nn.Parameter(minigrad.tensor([1.0, 2.0]))
    (w * w).sum().backward()
    Plain([w], lr=0.1).step()
    assert w.tolist() == [-np.inf, -np.inf] and w.requires_grad and w.is_leaf
