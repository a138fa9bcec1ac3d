"""Optimizers against torch: the same parameters after the same steps, the same state, the same texts.

What would break a training loop: another step than PyTorch's, a parameter moved that has no gradient, a
state that cannot be saved and taken up again.
"""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from tests.engine.both import attempt, compare, run, same
from tests.engine.test_nn import numbers, seeded


def steps(torch, make, count=5, dtype="float32"):
    """Parameters, losses and state after some steps on a small network."""
    model = seeded(torch, torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2)))
    model.to(getattr(torch, dtype))
    unused = torch.nn.Parameter(torch.ones(2))
    optimizer = make(torch.optim, [*model.parameters(), unused])
    x, y = [torch.tensor(numbers(6, n, seed=n), dtype=getattr(torch, dtype)) for n in (4, 2)]
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    state = optimizer.state_dict()
    return [losses, list(model.parameters()), unused, state["state"], state["param_groups"], optimizer,
            [p._version for p in model.parameters()][:1] if "SGD (" in repr(optimizer)[:5] else None]  # fmt: skip


OPTIMIZERS = """SGD(p) SGD(p,0.1) SGD(p,lr=0.1,momentum=0.9) SGD(p,lr=0.1,momentum=0.9,nesterov=True)
SGD(p,lr=0.1,momentum=0.5,dampening=0.3) SGD(p,lr=0.1,weight_decay=0.1) SGD(p,lr=0.1,maximize=True)
SGD(p,lr=0.1,momentum=0.9,weight_decay=0.01,maximize=True) SGD(p,lr=0.1,foreach=False)
Adam(p) Adam(p,0.1) Adam(p,lr=0.05,betas=(0.5,0.7),eps=1e-3) Adam(p,lr=0.05,weight_decay=0.1)
Adam(p,lr=0.05,amsgrad=True) Adam(p,lr=0.05,maximize=True) Adam(p,lr=0.05,weight_decay=0.1,decoupled_weight_decay=True)
AdamW(p) AdamW(p,lr=0.05,weight_decay=0.3,amsgrad=True)
RMSprop(p) RMSprop(p,lr=0.05,alpha=0.5) RMSprop(p,lr=0.05,momentum=0.9,centered=True,weight_decay=0.1)
Adagrad(p) Adagrad(p,0.1,lr_decay=0.1,weight_decay=0.1,initial_accumulator_value=0.5) Adagrad(p,0.1,maximize=True)
Adadelta(p) Adadelta(p,0.5,rho=0.5,eps=1e-3,weight_decay=0.1,maximize=True)
Adamax(p) Adamax(p,0.05,betas=(0.5,0.7),weight_decay=0.1,maximize=True)
NAdam(p) NAdam(p,0.05,weight_decay=0.1) NAdam(p,0.05,weight_decay=0.1,decoupled_weight_decay=True,momentum_decay=0.1)
RAdam(p) RAdam(p,0.05,betas=(0.5,0.7),weight_decay=0.1) RAdam(p,0.05,weight_decay=0.1,decoupled_weight_decay=True)
Rprop(p) Rprop(p,0.05,etas=(0.3,2.0),step_sizes=(0.01,0.2)) Rprop(p,maximize=True)
ASGD(p) ASGD(p,0.1,lambd=0.1,alpha=0.5,t0=2,weight_decay=0.1)"""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("text", OPTIMIZERS.split())
def test_steps(text, dtype):
    def make(optim, parameters):
        return eval(f"optim.{text}", {"optim": optim, "p": parameters})

    results = [run(steps, engine, make, 8, dtype=dtype) for engine in (torch, minigrad)]
    # Adam divides numbers that are almost 0 by their own size: rounding shows more than elsewhere.
    compare(*results, scale=30)


@settings(max_examples=40)
@given(st.data())
def test_any_options(data):
    draw = lambda low, high: data.draw(st.floats(low, high))  # noqa: E731
    momentum = draw(0, 1)
    nesterov = momentum > 0 and data.draw(st.booleans())
    sgd = dict(lr=draw(0, 0.5), momentum=momentum, nesterov=nesterov, weight_decay=draw(0, 1),
               dampening=0 if nesterov else draw(0, 1), maximize=data.draw(st.booleans()))  # fmt: skip
    adam = dict(lr=draw(0, 0.5), betas=(draw(0, 0.99), draw(0, 0.99)), eps=draw(1e-3, 1),
                weight_decay=draw(0, 1), amsgrad=data.draw(st.booleans()))  # fmt: skip
    name, options = data.draw(st.sampled_from([("SGD", sgd), ("Adam", adam), ("AdamW", adam)]))

    def make(optim, parameters):
        return getattr(optim, name)(parameters, **options)

    compare(*(run(steps, engine, make, 3, "float64") for engine in (torch, minigrad)), scale=1e4)


@same
def test_groups(torch):
    a, b, c = [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]
    optimizer = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 1.0, "momentum": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": [c], "weight_decay": 0.1})
    for _ in range(2):
        optimizer.zero_grad()
        (a * 2 + b * 3 + c * 4).sum().backward()
        optimizer.step()
    optimizer.param_groups[0]["lr"] = 5.0  # as a schedule does
    optimizer.step()
    return [a, b, c, optimizer, optimizer.defaults, optimizer.state_dict()["state"], len(optimizer.state),
            [g["params"] for g in optimizer.state_dict()["param_groups"]]]  # fmt: skip


@same
def test_named_parameters(torch):
    layer = seeded(torch, torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(layer.named_parameters(), lr=0.1)
    return [optimizer, optimizer.state_dict()["param_groups"],
            attempt(optimizer.add_param_group, {"params": [torch.nn.Parameter(torch.ones(1))]}),
            attempt(torch.optim.SGD, [("w", layer.weight), layer.bias])]  # fmt: skip


@same
def test_zero_grad(torch):
    a, b = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([a, b], lr=0.1)
    (a * 2).sum().backward()
    held = a.grad
    optimizer.zero_grad(set_to_none=False)
    zeros = [a.grad is held, held.clone(), held._version, b.grad]
    optimizer.step()
    optimizer.zero_grad()
    optimizer.step()
    return [zeros, a, a.grad, b, a._version, b._version]


@same
def test_a_closure_is_called_with_grad_mode_on(torch):
    w = torch.nn.Parameter(torch.tensor([3.0]))
    optimizer = torch.optim.SGD([w], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        found = [optimizer.step(closure), optimizer.step(closure)]
    return [found, w, optimizer.step()]


@same
def test_a_state_is_taken_up_again(torch):
    def build():
        layer = seeded(torch, torch.nn.Linear(2, 1))
        return layer, torch.optim.Adam(layer.parameters(), lr=0.1)

    def step(layer, optimizer):
        optimizer.zero_grad()
        (layer(torch.ones(3, 2)) ** 2).sum().backward()
        optimizer.step()

    first, adam = build()
    step(first, adam)
    second, other = build()
    second.load_state_dict(first.state_dict())
    other.load_state_dict(copy.deepcopy(adam.state_dict()))
    step(first, adam)
    step(second, other)
    small = torch.optim.Adam([torch.nn.Parameter(torch.ones(1))])
    groups = {"state": {}, "param_groups": adam.state_dict()["param_groups"] * 2}
    return [list(first.parameters()), list(second.parameters()), other.state_dict(), other,
            attempt(small.load_state_dict, adam.state_dict()), attempt(adam.load_state_dict, groups)]  # fmt: skip


@same
def test_steps_are_not_recorded_and_counted_as_changes(torch):
    w = torch.nn.Parameter(torch.tensor([3.0]))
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    torch.optim.SGD([w], lr=0.1).step()
    return [w, w.is_leaf, w._version, attempt(loss.backward)]


@same
def test_plain_tensors_and_learning_rates_in_tensors(torch):
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=torch.tensor(0.5), foreach=False)
    (w * 3).sum().backward()
    optimizer.step()
    return [w, optimizer, attempt(torch.optim.SGD, [w], lr=torch.ones(2))]


@same
def test_what_is_refused(torch):
    optim = torch.optim
    w = torch.ones(2, requires_grad=True)
    group = {"params": [w]}
    sgd = optim.SGD([w], lr=0.1)
    return [
        attempt(optim.SGD, []), attempt(optim.SGD, w), attempt(optim.SGD, [3]), attempt(optim.SGD, [w * 2]),
        attempt(optim.SGD, [w], lr=-1), attempt(optim.SGD, [w], momentum=-1),
        attempt(optim.SGD, [w], weight_decay=-1), attempt(optim.SGD, [w], nesterov=True),
        attempt(optim.SGD, [w], momentum=0.9, dampening=0.1, nesterov=True),
        attempt(optim.SGD, [w], fused=True, foreach=True), attempt(optim.SGD, [w, w]),
        attempt(optim.SGD, [{"params": [w]}, {"params": [w]}]), attempt(optim.SGD, [{"params": {w}}]),
        attempt(sgd.add_param_group, [w]), attempt(sgd.add_param_group, group),
        attempt(optim.Adam, [w], lr=-1.0), attempt(optim.Adam, [w], eps=-1.0),
        attempt(optim.Adam, [w], betas=(1.0, 0.9)), attempt(optim.Adam, [w], betas=(0.9, -1.0)),
        attempt(optim.Adam, [w], betas=(0, 0.9)), attempt(optim.Adam, [w], weight_decay=-1),
        attempt(optim.RMSprop, [w], alpha=-1.0), attempt(optim.RMSprop, [w], eps=-1.0),
        attempt(optim.RMSprop, [w], momentum=-1.0), attempt(optim.SGD, ["w"]), attempt(optim.SGD, [None]),
        attempt(optim.SGD, [np.ones(2)]), attempt(optim.SGD, None),
        attempt(optim.Adagrad, [w], lr=-1.0), attempt(optim.Adagrad, [w], lr_decay=-1.0),
        attempt(optim.Adadelta, [w], rho=2.0), attempt(optim.Adamax, [w], betas=(0.9, 1.0)),
        attempt(optim.NAdam, [w], momentum_decay=-1.0), attempt(optim.RAdam, [w], eps=-1.0),
        attempt(optim.Rprop, [w], etas=(1.0, 2.0)), attempt(optim.ASGD, [w], weight_decay=-1.0),
        attempt(optim.LBFGS, [w], lr=-1.0), attempt(optim.LBFGS, [{"params": [w]}, {"params": [w * 1.0]}]),
    ]  # fmt: skip


def test_an_optimizer_of_ones_own():
    class Sign(minigrad.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr, "maximize": False})

        def update(self, param, x, g, group):
            x -= group["lr"] * np.sign(g)

    w = minigrad.nn.Parameter(minigrad.tensor([1.0, -1.0]))
    optimizer = Sign([w], lr=0.5)
    (w * w).sum().backward()
    optimizer.step()
    assert w.tolist() == [0.5, -0.5]
    assert repr(optimizer) == "Sign (\nParameter Group 0\n    lr: 0.5\n    maximize: False\n)"


# -- schedules ------------------------------------------------------------------------------------

SCHEDULES = """LambdaLR(o,lambda_e:0.9**e) StepLR(o,3) StepLR(o,2,gamma=0.5) MultiStepLR(o,[2,5,5],0.5) ExponentialLR(o,0.8)
ConstantLR(o) ConstantLR(o,0.5,3) PolynomialLR(o,5) PolynomialLR(o,8,power=2.0) MultiplicativeLR(o,lambda_e:0.9)
CosineAnnealingWarmRestarts(o,3) CosineAnnealingWarmRestarts(o,2,T_mult=2,eta_min=0.01)
CyclicLR(o,0.01,0.1,3) CyclicLR(o,0.01,[0.1,0.2],2,5,mode='triangular2',cycle_momentum=False)
CyclicLR(o,0.01,0.1,3,mode='exp_range',gamma=0.9) CyclicLR(o,0.01,0.1,3,scale_fn=lambda_x:1/(1+x))
OneCycleLR(o,0.5,20) OneCycleLR(o,0.5,epochs=4,steps_per_epoch=5,anneal_strategy='linear') OneCycleLR(o,0.5,20,three_phase=True)
LinearLR(o) LinearLR(o,0.5,0.1,4) CosineAnnealingLR(o,4) CosineAnnealingLR(o,5,eta_min=0.01)"""


@pytest.mark.parametrize("text", SCHEDULES.split())
def test_schedules(text):
    def program(torch):
        w, b = torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([{"params": [w]}, {"params": [b], "lr": 0.02}], lr=0.5, momentum=0.5)
        scope = {"s": torch.optim.lr_scheduler, "o": optimizer}
        scheduler = eval("s." + text.replace("lambda_", "lambda "), scope)
        rates = [scheduler.get_last_lr()]
        for _ in range(12):
            optimizer.step()
            scheduler.step()
            rates.append([(group["lr"], group["momentum"]) for group in optimizer.param_groups])
        state = scheduler.state_dict()
        again = eval("s." + text.replace("lambda_", "lambda "), scope)
        again.load_state_dict(state)
        again.step()
        return [rates, again.last_epoch, again.get_last_lr(), scheduler.base_lrs]

    compare(*(run(program, engine) for engine in (torch, minigrad)))


@same
def test_schedules_are_combined_and_resumed(torch):
    w = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([w], lr=1.0)
    schedule = torch.optim.lr_scheduler
    both = [schedule.ExponentialLR(optimizer, 0.5), schedule.StepLR(optimizer, 2, 0.1)]
    optimizer.step()
    for _ in range(3):
        for scheduler in both:
            scheduler.step()
    resumed = schedule.ExponentialLR(optimizer, 0.5, last_epoch=3)
    resumed.step()
    fresh = torch.optim.SGD([w], lr=1.0)
    eager = schedule.StepLR(fresh, 1)
    eager.step()  # before the optimizer's: a warning
    return [optimizer.param_groups[0]["lr"], resumed.last_epoch, fresh.param_groups[0]["lr"],
            attempt(schedule.StepLR, torch.optim.SGD([w], lr=1.0), 1, last_epoch=2), attempt(schedule.StepLR, w, 1),
            attempt(schedule.LinearLR, fresh, 2.0), attempt(schedule.LinearLR, fresh, 0.5, 2.0),
            attempt(schedule.LambdaLR, fresh, [abs, abs])]  # fmt: skip


@same
def test_a_plateau(torch):
    schedule, found = torch.optim.lr_scheduler.ReduceLROnPlateau, []
    numbers = [5, 4, 4, 4.1, 3.9999, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, float("nan"), 2]
    for options in ({}, {"patience": 1}, {"patience": 0, "cooldown": 2, "factor": 0.5}, {"mode": "max", "patience": 2},
                    {"patience": 1, "threshold": 0.5, "threshold_mode": "abs"}, {"patience": 0, "min_lr": 0.05},
                    {"patience": 0, "min_lr": [0.3]}, {"mode": "max", "threshold_mode": "abs", "patience": 1}):  # fmt: skip
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
        scheduler = schedule(optimizer, **options)
        rates = []
        for number in numbers:
            scheduler.step(torch.tensor(number))
            rates.append(optimizer.param_groups[0]["lr"])
        found.append([rates, scheduler.num_bad_epochs, scheduler.best, scheduler.get_last_lr()])
    return [found, attempt(schedule, optimizer, factor=1.0), attempt(schedule, optimizer, mode="least"),
            attempt(schedule, optimizer, threshold_mode="most"), attempt(schedule, optimizer, min_lr=[0, 0]),
            attempt(schedule, 3)]  # fmt: skip


@same
def test_schedules_one_after_the_other_and_together(torch):
    schedule, found = torch.optim.lr_scheduler, []

    def rates(make):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0, momentum=0.9)
        scheduler = make(optimizer)
        found = [scheduler.get_last_lr()]
        for _ in range(9):
            optimizer.step()
            scheduler.step()
            found.append(scheduler.get_last_lr())
        again = make(optimizer)
        again.load_state_dict(scheduler.state_dict())
        return found, again.get_last_lr()

    parts = (
        lambda o: schedule.ConstantLR(o, 0.1, 2), lambda o: schedule.ExponentialLR(o, 0.9),
        lambda o: schedule.StepLR(o, 2, 0.5), lambda o: schedule.LinearLR(o, 0.5, 1.0, 3),
        lambda o: schedule.CosineAnnealingLR(o, 4), lambda o: schedule.LambdaLR(o, lambda e: 1 / (1 + e)),
        lambda o: schedule.MultiplicativeLR(o, lambda e: 0.7), lambda o: schedule.PolynomialLR(o, 4),
        lambda o: schedule.MultiStepLR(o, [1, 3], 0.5), lambda o: schedule.CyclicLR(o, 0.1, 1.0, 2),
        lambda o: schedule.CosineAnnealingWarmRestarts(o, 3),
    )  # fmt: skip
    for first, second in zip(parts, parts[1:] + parts[:1]):
        found.append(rates(lambda o: schedule.SequentialLR(o, [first(o), second(o)], [3])))
        found.append(rates(lambda o: schedule.ChainedScheduler([first(o), second(o)])))
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    one = schedule.ConstantLR(optimizer)
    found += [attempt(call) for call in (
        lambda: schedule.SequentialLR(optimizer, [one], [1]), lambda: schedule.SequentialLR(optimizer, [], []),
        lambda: schedule.ChainedScheduler([]),
        lambda: schedule.ChainedScheduler([schedule.ReduceLROnPlateau(optimizer)]),
        lambda: schedule.ConstantLR(optimizer, 2.0), lambda: schedule.OneCycleLR(optimizer, 0.1),
        lambda: schedule.OneCycleLR(optimizer, 0.1, 0), lambda: schedule.OneCycleLR(optimizer, 0.1, 5, pct_start=2.0),
        lambda: schedule.CyclicLR(optimizer, 0.1, 1.0, mode="x"), lambda: schedule.CyclicLR(optimizer, [0.1, 0.2], 1.0),
        lambda: schedule.CyclicLR(torch.optim.Adagrad([torch.ones(1)]), 0.1, 1.0),
        lambda: schedule.CosineAnnealingWarmRestarts(optimizer, 0),
    )]  # fmt: skip
    return found


@pytest.mark.parametrize("options", [
    {}, {"lr": 0.5, "max_iter": 4}, {"line_search_fn": "strong_wolfe"}, {"history_size": 2, "max_iter": 7},
    {"line_search_fn": "strong_wolfe", "max_iter": 5, "max_eval": 4, "lr": 3.0}, {"line_search_fn": "x"},
])  # fmt: skip
@pytest.mark.parametrize("valley", ["quartic", "banana"])
def test_lbfgs(options, valley):
    def program(torch):
        w = torch.tensor([-1.0, 0.5], dtype=torch.float64, requires_grad=True)
        b = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.LBFGS([w, b], **{"lr": 0.1, **options})
        calls = []

        def closure():
            optimizer.zero_grad()
            x, y = w
            if valley == "banana":
                loss = (1 - x) ** 2 + 20 * (y - x * x) ** 2 + b**2
            else:
                loss = (w**4).sum() + (x + y - 1) ** 2 + (b - x) ** 2
            loss.backward()
            calls.append(loss.detach())
            return loss

        losses = [optimizer.step(closure).detach() for _ in range(4)]
        state = optimizer.state[w]
        return losses, calls, w, b, state["n_iter"], state["func_evals"]

    compare(*(run(program, engine) for engine in (torch, minigrad)), scale=10, coarse="float32")


@same
def test_schedulers_see_a_step_of_ones_own(torch):
    class Mine(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.5})

        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.data.add_(p.grad, alpha=-group["lr"])

    w = torch.ones(2, requires_grad=True)
    optimizer = Mine([w])
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    (w * w).sum().backward()
    optimizer.step()
    scheduler.step()  # no warning
    return w, optimizer.param_groups[0]["lr"]
