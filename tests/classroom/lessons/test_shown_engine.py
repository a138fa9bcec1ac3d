"""What lesson 07 shows of the engine: its rounds, and engines with one part left out."""

import pytest
import torch as pytorch

import minigrad as torch
from minigrad.classroom.lessons.count import count_operations
from minigrad.classroom.lessons.hunt import A, B, C, Engine
from minigrad.classroom.lessons.rounds import rounds


def shared(x):
    h = 2 * x
    return h * h


@pytest.mark.parametrize(
    "function, inputs",
    [
        (shared, [3.0]),
        (lambda a: (lambda b: b + b)(a + a), [1.0]),
        (lambda x, b: ((x + b).tanh() * x).sum(), [[[1.0, 2.0], [4.0, 5.0]], [0.5, 1.0]]),
        (lambda x: x, [2.0]),
        (lambda x, w: (x @ w).sum(), [[[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]]),
    ],
)
def test_a_whole_engine_gives_what_backward_gives(function, inputs):
    leaves = [torch.tensor(one, requires_grad=True) for one in inputs]
    function(*leaves).backward()
    grads = Engine()(function, *inputs)
    grads = grads if isinstance(grads, tuple) else (grads,)
    assert [g.tolist() for g in grads] == [leaf.grad.tolist() for leaf in leaves]


def test_each_part_that_is_left_out_shows_where_the_lesson_says():
    whole, overwrites, recurses = Engine(), Engine(adds=False), Engine(waits=False)
    assert [e(shared, 3.0).item() for e in (whole, overwrites, recurses)] == [24, 12, 48]
    assert [e(lambda x: x * x, 3.0).item() for e in (whole, overwrites, recurses)] == [6, 3, 6]
    assert Engine(undoes=False)(lambda x, b: (x + b).sum(), [1.0, 2.0], 5.0)[1].shape == (2,)
    broken = [(e.adds, e.waits, e.undoes) for e in (A, B, C)]
    assert sorted(broken) == [(False, True, True), (True, False, True), (True, True, False)]
    assert {e(lambda x: (2 * x) ** 3, 1.0).item() for e in (A, B, C)} == {24}


def test_an_engine_begins_at_one_number_and_keeps_no_graph():
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        A(lambda x: x * x, [1.0, 2.0])
    with torch.no_grad():
        assert not Engine()(shared, torch.tensor(3.0)).requires_grad


def test_rounds_tell_a_real_pass_in_its_order():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    y = h + 3 * h
    told = rounds(y, torch.tensor([1.0, 10.0]), x=x, h=h, y=y)
    assert [row[1] for row in told.rows] == ["y", "MulBackward0", "h"]
    assert told.rows[-1] == (3, "h", "[4, 40]", ["to x: [4, 80]", "to x: [4, 80]"])
    assert x.grad.tolist() == [8, 160]
    assert "to x: [4, 80]" in repr(told) and "<table" in told.html


def test_operations_behind_values_are_counted_once_each_on_both_engines():
    for engine in (torch, pytorch):
        x = engine.tensor([1.0, 2.0], requires_grad=True)
        loss = (x * x).sum()
        assert count_operations(loss) == 2 and count_operations(loss, loss * loss) == 3
        loss.backward()
        assert count_operations(loss) == 2
        assert count_operations(x) == count_operations(3.0, loss.item()) == 0
