"""A function without end, run in another thread than the main one, which no interrupt reaches."""

import dis
import sys
import threading
import warnings

import numpy as np
import pytest
import torch

import minigrad
from minigrad.autograd import watch
from minigrad.classroom import engines
from minigrad.classroom.heard import caught_printing, hear_warnings
from minigrad.classroom.models import patience
from minigrad.classroom.models.ledger import GradLedger
from minigrad.classroom.models.nudge import NudgeMeter
from minigrad.classroom.models.seam import SeamCutter
from minigrad.classroom.models.stepper import BackwardStepper
from minigrad.classroom.models.upstream import UpstreamEditor
from minigrad.modes import mode, recorders


def shrinks(x):
    while x.sum() > 5:
        pass
    return x * x


def asks_the_engine_only(x):
    while (x + 1).sum() > 7:
        x = x * 1.0
    return x * x


def takes_every_error_for_its_own(x):
    while x.sum() > 5:
        try:
            (x + x).view(77)
        except Exception:
            continue
    return x * x


def root(x):
    """Newton's iteration, which finds no root of a negative number."""
    guess = x
    while abs((guess * guess - x).item()) > 1e-3:
        guess = (guess + x / guess) / 2
    return guess


def in_another_thread(act, *args):
    thread = threading.Thread(target=act, args=args, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def stopped_after(monkeypatch, limit, model, act, *args):
    """Try what has no end; the model says so and is otherwise as it was."""
    before = model.state()
    monkeypatch.setattr(patience, "LIMIT", limit)
    in_another_thread(act, *args)
    assert model.message == f"It had not come to an end after {limit:g} seconds and was stopped."
    assert {**model.state(), "message": None} == {**before, "message": None}
    monkeypatch.setattr(patience, "LIMIT", 3600)


@pytest.mark.parametrize("function", [shrinks, asks_the_engine_only, takes_every_error_for_its_own])
def test_it_is_given_up_wherever_it_is_and_leaves_all_as_it_was(function, monkeypatch):
    """Again and again, since it is stopped at another line each time."""
    editor = UpstreamEditor(function, [1, 2], edit_input=True)
    for limit in np.linspace(0.01, 0.05, 20):
        stopped_after(monkeypatch, limit, editor, editor.set_input, [9, 9])
    in_another_thread(editor.set_input, [2, 2])
    assert editor.message is None and editor.input == [2, 2]


def test_each_of_many_runs_is_given_up_with_the_first(monkeypatch):
    """Nudging runs the function many times, and goes on where one of them fails."""
    meter = NudgeMeter(root, 4)
    stopped_after(monkeypatch, 0.1, meter, meter.set_x, -1)
    in_another_thread(meter.set_x, 9)
    assert meter.message is None and meter.derivative == pytest.approx(1 / 6, rel=1e-3)


def test_a_picture_that_is_never_done_is_not_begun(monkeypatch):
    """Drawing asks for more values of the function than the action did."""
    meter = NudgeMeter(root, 1)
    meter.zoom(True)
    meter.samples()
    meter.watch(meter.samples)
    stopped_after(monkeypatch, 0.1, meter, meter.zoom, False)
    assert meter.zoomed


def test_two_functions_and_a_ledger(monkeypatch):
    cutter = SeamCutter([lambda x: x * x, shrinks], [1])
    stopped_after(monkeypatch, 0.1, cutter, cutter.set_input, [3])
    turns = []

    def every_second(x):
        turns.append(0)
        while len(turns) > 1:
            pass
        return x * x

    ledger = GradLedger(every_second, [1, 2])
    stopped_after(monkeypatch, 0.1, ledger, ledger.forward)


def test_what_is_swallowed_comes_again(monkeypatch):
    """By a bare `except` of the learner's, or by Python in `__del__`."""
    monkeypatch.setattr(patience, "AGAIN", 0.02)
    swallowed = []

    def deaf(x):
        while x.sum() > 5:
            try:
                while True:
                    pass
            except:
                swallowed.append(x)
                if len(swallowed) == 3:
                    raise
        return x * x

    editor = UpstreamEditor(deaf, [1, 2], edit_input=True)
    stopped_after(monkeypatch, 0.05, editor, editor.set_input, [9, 9])
    assert len(swallowed) == 3


def test_nothing_is_raised_when_it_was_done_in_time(monkeypatch):
    """Not even if it is done just then."""
    monkeypatch.setattr(patience, "LIMIT", 0.001)
    seen = []

    def count_to(steps):
        for _ in range(steps):
            pass

    def work():
        for steps in range(0, 30_000, 100):
            try:
                patience.in_time(count_to, steps)
            except patience.TookTooLong:
                pass
        count_to(300_000)  # nothing comes later
        seen.append("done")

    in_another_thread(work)
    assert seen == ["done"]


# --- wherever it lands, nothing stays changed for what runs afterwards ---------------------------


class Listener:
    """Hears of everything, and makes nothing of it."""

    def recorded(self, *what):
        pass

    ran = accumulated = recorded


def everything_is_switched():
    """What is changed for a thread, or for all, while a learner's function runs."""
    with caught_printing(), hear_warnings(), watch(Listener()), minigrad.no_grad(), torch.no_grad():
        print("heard")
    BackwardStepper(lambda a, b: a * b, 2, 3)


def switched():
    """How that stands in this thread; each call makes tensors that require grad."""
    listeners = len(recorders), mode.watcher, sys.getprofile()
    modes = minigrad.is_grad_enabled(), torch.is_grad_enabled()
    return sys.stdout, list(warnings.filters), warnings._showwarnmsg_impl, listeners, modes


# Python raises what another thread has sent only after one of these: where a function begins, where
# one that is not Python's own has ended, where a loop starts again.
LOOKS = {dis.opmap[name] for name in ("RESUME", "CALL", "CALL_FUNCTION_EX", "JUMP_BACKWARD")}


def stopped_at(number, work):
    """Do it and raise what stops it at the place with this number where that can happen; whether there is one."""
    left, last = number, {}  # of each frame the instruction that was last

    def trace(frame, event, arg):
        nonlocal left
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "call":
            last[frame.f_back] = None
        if event == "opcode":
            before, last[frame] = last.get(frame), frame.f_code.co_code[frame.f_lasti]
            left -= before in LOOKS
            if left == 0:
                sys.settrace(None)
                raise patience._Stop
        return trace if frame.f_code.co_filename != patience.__file__ else None

    def traced():
        sys.settrace(trace)
        work()

    try:
        patience.in_time(traced)
    except patience.TookTooLong:
        pass
    finally:
        sys.settrace(None)
    return left <= 0


def test_wherever_it_is_stopped_all_that_was_switched_is_switched_back():
    engines.torch_now()
    stops, found = [0], []

    def work():
        before = switched()
        while stopped_at(stops[0] + 1, everything_is_switched):
            stops[0] += 1
            if switched() != before:
                found.append((stops[0], before, switched()))
                return

    in_another_thread(work)
    assert not found
    assert stops[0] > 100
