"""A function without end, run in another thread than the main one, which no interrupt reaches."""

import threading

import numpy as np
import pytest

from minigrad.classroom.models import patience
from minigrad.classroom.models.ledger import GradLedger
from minigrad.classroom.models.nudge import NudgeMeter
from minigrad.classroom.models.seam import SeamCutter
from minigrad.classroom.models.upstream import UpstreamEditor


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
