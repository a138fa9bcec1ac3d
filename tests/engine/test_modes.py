"""Grad modes and anomaly detection."""
import asyncio
import threading
import warnings

import pytest

import minigrad
from tests.engine.both import attempt, doubling, refusal, same


def in_another_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


@same
def test_each_thread_has_its_own_mode(torch):
    def other():
        before = torch.is_grad_enabled(), (torch.ones(2, requires_grad=True) * 2).requires_grad
        torch.set_grad_enabled(False)
        return before

    with torch.no_grad():
        return in_another_thread(other), torch.is_grad_enabled(), in_another_thread(other)


@same
def test_inference_is_of_one_thread(torch):
    with torch.inference_mode():
        there = in_another_thread(lambda: (torch.is_inference_mode_enabled(), torch.ones(1).is_inference()))
        return there, torch.is_inference_mode_enabled(), torch.ones(1).is_inference()


def test_each_thread_hears_its_own_passes():
    class Watcher:
        def __init__(self):
            self.heard = []

        def ran(self, node, g, grads, freed):
            self.heard.append(node.name())

        def accumulated(self, leaf, g, before):
            self.heard.append("leaf")

    def one_pass():
        x = minigrad.ones(2, requires_grad=True)
        (x * 2).sum().backward()
        return x.grad.tolist()

    with minigrad.autograd.watch(Watcher()) as mine:
        assert in_another_thread(one_pass) == [2, 2] and mine.heard == []
        one_pass()
    assert len(mine.heard) > 2


@same
def test_modes_nest_and_restore(torch):
    seen, note = [], lambda: seen.append(torch.is_grad_enabled())
    with torch.no_grad():
        note()
        with torch.enable_grad():
            note()
            with torch.set_grad_enabled(False):
                note()
            note()
        note()
    note()
    try:
        with torch.no_grad():
            raise KeyError("lost")
    except KeyError:
        note()
    torch.set_grad_enabled(False)
    note()
    torch.set_grad_enabled(True)
    note()
    mode = torch.no_grad()
    for _ in range(2):
        with mode:
            note()
    note()
    return seen


@same
def test_as_decorators(torch):
    @torch.no_grad()
    def with_parentheses(x):
        return torch.is_grad_enabled(), (x * 2).requires_grad

    @torch.no_grad
    def without(x):
        """A docstring."""
        return torch.is_grad_enabled()

    @torch.enable_grad()
    def enabled(x):
        return torch.is_grad_enabled()

    @torch.set_grad_enabled(False)
    def switched(x):
        return torch.is_grad_enabled()

    @torch.no_grad()
    def recursive(n):
        return [torch.is_grad_enabled()] + (recursive(n - 1) if n else [])

    x = torch.ones(2, requires_grad=True)
    now = torch.is_grad_enabled()
    with torch.no_grad():
        inside = enabled(x)
    return (with_parentheses(x), without(x), without.__doc__, enabled(x), switched(x), recursive(2), now, inside,
            torch.is_grad_enabled())  # fmt: skip


@same
def test_around_generators(torch):
    @torch.no_grad()
    def numbers():
        try:
            got = yield torch.is_grad_enabled()
            while True:
                got = yield (got, torch.is_grad_enabled())
        finally:
            closed.append(torch.is_grad_enabled())

    closed, steps = [], numbers()
    seen = [next(steps), torch.is_grad_enabled(), steps.send("sent"), torch.is_grad_enabled()]
    steps.close()
    other = numbers()
    next(other)
    return seen, closed, refusal(other.throw, ValueError("thrown")), torch.is_grad_enabled()


@same
def test_a_coroutine_runs_after_the_decorator(torch):
    @torch.no_grad()
    async def work():
        before = torch.is_grad_enabled()
        await asyncio.sleep(0)
        return before, torch.is_grad_enabled()

    return asyncio.run(work()), torch.is_grad_enabled()


@same
def test_a_decorated_class(torch):
    @torch.no_grad()
    class Made:
        def __init__(self):
            self.inside = torch.is_grad_enabled()

    return Made().inside, torch.is_grad_enabled()


@same
def test_backward_under_no_grad(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward()
        z = x * 2
    return x.grad, z


@same
def test_the_mode_inside_backward(torch):
    x, seen = torch.ones(2, requires_grad=True), []
    for create_graph in (False, True):
        y = x * x
        y.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
        torch.autograd.grad(y.sum(), x, create_graph=create_graph)
    seen.append(torch.is_grad_enabled())
    y = x * x
    y.register_hook(lambda g: {}["missing"])
    return refusal(y.sum().backward), seen, torch.is_grad_enabled()


@same
def test_a_backward_pass_within_a_backward_pass(torch):
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    y = x * x

    def hook(g):
        with torch.enable_grad():
            (w * w).backward()
        return g * w.grad

    y.register_hook(hook)
    y.sum().backward()
    return x.grad, w.grad


@pytest.mark.parametrize("formula", ["x.sqrt()", "x / x", "x.log() * 0", "(x * 0).norm()", "x ** 0.5", "x.exp()"])
@same
def test_anomaly_detection(torch, formula):
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    results = []
    for weight in (0.0, 1.0):
        with torch.autograd.detect_anomaly(check_nan=True):
            y = (eval(formula, {"x": x}) * weight).sum()
            results.append(attempt(y.backward))
        (eval(formula, {"x": x}) * weight).sum().backward()
    with torch.autograd.detect_anomaly(check_nan=False):
        results.append(attempt((x.sqrt() * 0).sum().backward))
    return results, x.grad


@same
def test_the_switch_of_anomaly_detection(torch):
    x = torch.tensor([0.0], requires_grad=True)
    torch.autograd.set_detect_anomaly(True)
    try:
        found = attempt((x.sqrt() * 0).sum().backward)
    finally:
        torch.autograd.set_detect_anomaly(False)
    return found, attempt((x.sqrt() * 0).sum().backward), x.grad


@same
def test_anomaly_detection_within_another(torch):
    x, seen = torch.tensor([0.0, 1.0], requires_grad=True), []

    def state():
        seen.append((torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()))

    state()
    with torch.autograd.detect_anomaly(check_nan=False):
        state()
        with torch.autograd.detect_anomaly():
            state()
            with torch.autograd.set_detect_anomaly(False):
                state()
                seen.append(attempt((x.sqrt() * 0).sum().backward))
            state()
        state()
        seen.append(attempt((x.sqrt() * 0).sum().backward))
    state()
    return seen, x.grad


@same
def test_anomaly_detection_names_what_induced_a_calculation(torch):
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with torch.autograd.detect_anomaly():
        (g,) = torch.autograd.grad((x ** 1.5).sum(), x, create_graph=True)
        return attempt((g * 0).sum().backward)


@same
def test_anomaly_detection_of_other_errors(torch):
    def bad(g):
        raise ValueError("bad")

    Bad = doubling(torch, bad)
    x, results = torch.tensor([0.0, 1.0], requires_grad=True), []
    with torch.autograd.detect_anomaly():
        results.append(attempt(Bad.apply(x).sum().backward))
        y = x.exp()
        z = y.sum()
        y.add_(1)
        results.append(attempt(z.backward))
        a, b = (x.sqrt() * 0).unbind()
        results.append(attempt((a + b).backward))
        w = (x * x).sum()
        w.backward()
        results.append(attempt(w.backward))
    return results


def test_anomaly_mode_shows_the_users_own_line_last():
    x = minigrad.tensor([0.0, -1.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as heard, minigrad.autograd.set_detect_anomaly(True):
        warnings.simplefilter("always")
        for root in (x.sqrt().sum(), (x * 0.5).sqrt().sum()):
            with pytest.raises(RuntimeError, match="SqrtBackward0"):
                root.backward()
    for warning in heard:
        assert str(warning.message).rstrip().splitlines()[-2].startswith(f'  File "{__file__}"')
