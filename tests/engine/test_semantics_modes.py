"""Grad modes and anomaly detection."""

import asyncio
import contextlib
import threading
import warnings

import pytest

import minigrad
from tests.engine.both import attempt, play, same, titled


def in_another_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


PROGRAMS = titled("""
## inference mode, as a block and as decorators
w, seen = torch.ones(2, requires_grad=True), []
with torch.inference_mode():
    y = w * 2
@torch.inference_mode()
def f():
    return w * 3
@torch.inference_mode
def g():
    return w * 4
result = y, f(), g(), y.requires_grad, (w * 5).requires_grad
## modes nest and restore
seen, note = [], lambda: seen.append(torch.is_grad_enabled())
with torch.no_grad():
    note()
    with torch.enable_grad():
        note()
        with torch.set_grad_enabled(False):
            note()
        note()
    note()
with torch.no_grad():
    raise KeyError("lost")  # KeyError
note()
if True:
    torch.set_grad_enabled(False)
    note()
    torch.set_grad_enabled(True)
    note()
mode = torch.no_grad()
with mode:
    note()
with mode:
    with mode:
        note()
    note()
note()

## as decorators
@torch.no_grad()
def with_parentheses(x):
    return torch.is_grad_enabled(), (x * 2).requires_grad


@torch.no_grad
def without(x):
    "A docstring."
    return torch.is_grad_enabled()


@torch.enable_grad()
def enabled():
    return torch.is_grad_enabled()


@torch.set_grad_enabled(False)
def switched():
    return torch.is_grad_enabled()


@torch.no_grad()
def recursive(n):
    return [torch.is_grad_enabled()] + (recursive(n - 1) if n else [])


x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    inside = enabled()
(
    with_parentheses(x),
    without(x),
    without.__doc__,
    enabled(),
    switched(),
    recursive(2),
    inside,
    torch.is_grad_enabled(),
)

## around coroutines
@torch.no_grad()
async def work():
    before = torch.is_grad_enabled()
    await asyncio.sleep(0)
    return before, torch.is_grad_enabled()


asyncio.run(work()), torch.is_grad_enabled()

## each thread has its own mode
def other():
    before = torch.is_grad_enabled(), (torch.ones(2, requires_grad=True) * 2).requires_grad
    torch.set_grad_enabled(False)
    return before


with torch.no_grad():
    found = in_another_thread(other), torch.is_grad_enabled(), in_another_thread(other)

## backward under no_grad, and the mode inside backward
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
y = (x * x).sum()
with torch.no_grad():
    y.backward()
    z = x * 2
for create_graph in (False, True):
    y = x * x
    h = y.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
    torch.autograd.grad(y.sum(), x, create_graph=create_graph)
y = x * x
h = y.register_hook(lambda g: {}["missing"])
y.sum().backward()  # KeyError
torch.is_grad_enabled()

## anomaly detection
x = torch.tensor([0.0, 1.0], requires_grad=True)


def found(f, **options):
    with torch.autograd.detect_anomaly(**options):
        f().sum().backward()


found(lambda: x.sqrt() * 0)  # RuntimeError
found(lambda: x / x)  # RuntimeError
found(lambda: x.log() * 0)  # RuntimeError
found(lambda: (x.sqrt() * 0).unbind()[0])  # RuntimeError
found(lambda: x**0.5 * 0)  # RuntimeError
found(lambda: x.exp())
found(lambda: x.sqrt() * 0, check_nan=False)
(x.sqrt() * 0).sum().backward()
with torch.autograd.detect_anomaly():
    (g,) = torch.autograd.grad((x**1.5).sum(), x, create_graph=True)

## the switch of anomaly detection
x = torch.tensor([0.0], requires_grad=True)
if True:
    torch.autograd.set_detect_anomaly(True)
    refused = attempt((x.sqrt() * 0).sum().backward)
    torch.autograd.set_detect_anomaly(False)
(x.sqrt() * 0).sum().backward()
with torch.autograd.detect_anomaly():
    with torch.autograd.set_detect_anomaly(False):
        fine = attempt((x.sqrt() * 0).sum().backward)
    refused = attempt((x.sqrt() * 0).sum().backward)

## anomaly detection of other errors
x = torch.tensor([1.0, 2.0], requires_grad=True)


def bad(ctx, g):
    raise ValueError("bad")


with torch.autograd.detect_anomaly():
    function(lambda ctx, x: x * 2, bad).apply(x).sum().backward()  # ValueError
with torch.autograd.detect_anomaly():
    y = x.exp()
    z = y.sum()
    y.add_(1)
    z.backward()  # RuntimeError
with torch.autograd.detect_anomaly():
    w = (x * x).sum()
    w.backward()
    w.backward()  # RuntimeError
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title], asyncio=asyncio, attempt=attempt, in_another_thread=in_another_thread)


@same
def test_a_mode_that_is_switched_lasts(torch):
    x = torch.ones(2, requires_grad=True)
    torch.set_grad_enabled(False)
    y = x * 2
    torch.set_grad_enabled(True)
    return y, x * 2


@same
def test_two_threads_in_two_modes_do_not_disturb_each_other(torch):
    """At each `wait` one is inside its block, or the other, or both, or none."""
    step = threading.Barrier(2, timeout=60)

    def work(block, rounds, seen):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        for wait_first in rounds:
            if wait_first:
                step.wait()
            with block():
                y = x * x
                step.wait()
                z = y * x
                seen.append((torch.is_grad_enabled(), y, z, z.requires_grad))
                if z.requires_grad:
                    seen.append(torch.autograd.grad(z.sum(), x))
            if not wait_first:
                step.wait()
            seen.append((torch.is_grad_enabled(), (x * 2).requires_grad))

    unrecorded, recorded, rounds = [], [], [True, False] * 10
    others = [not first for first in rounds]
    other = threading.Thread(target=work, args=(contextlib.nullcontext, others, recorded))
    other.start()
    work(torch.no_grad, rounds, unrecorded)
    other.join()
    return unrecorded, recorded, torch.is_grad_enabled()


def test_anomaly_mode_shows_the_users_own_line_last():
    x = minigrad.tensor([0.0, -1.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as heard, minigrad.autograd.set_detect_anomaly(True):
        warnings.simplefilter("always")
        for root in (x.sqrt().sum(), (x * 0.5).sqrt().sum()):
            with pytest.raises(RuntimeError, match="SqrtBackward0"):
                root.backward()
    assert len(heard) == 2
    for warning in heard:
        assert str(warning.message).rstrip().splitlines()[-2].startswith(f'  File "{__file__}"')


def test_a_warning_names_the_learners_line(recwarn):
    code = compile("(w * 1).grad\nfloat(w)\nminigrad.tensor(w)", "the learner's", "exec")
    exec(code, {"minigrad": minigrad, "w": minigrad.ones(1, requires_grad=True)})
    assert [(warning.filename, warning.lineno) for warning in recwarn] == [
        ("the learner's", n) for n in (1, 2, 3)
    ]
