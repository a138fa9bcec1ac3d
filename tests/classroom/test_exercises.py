"""Exercises: the solution passes, wrong answers and junk are rejected with a reason."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

import minigrad
from minigrad.classroom import check, hint, solution
from minigrad.classroom.exercises import exercise
from minigrad.classroom.exercises.framework import first_difference

NAMES = ["00-1", "03-1", "03-2", "03-3"]
WRONG = [
    pytest.param(name, wrong, id=f"{name} {wrong.label}")
    for name in NAMES
    for wrong in exercise(name).wrong
]


class Hostile:
    """An answer that fails whenever it is looked at."""

    def __getattr__(self, name):
        raise RuntimeError("do not look")

    def __len__(self):
        raise RuntimeError("do not count")


def raises(*_):
    raise ValueError("on purpose")


def leaves(*_):
    raise SystemExit


def forever(*arguments):
    return forever(*arguments)


JUNK = [
    None,
    ...,
    True,
    0,
    -1,
    1.5,
    float("nan"),
    "",
    "abc",
    [],
    [[]],
    [[1], [2, 3]],
    {},
    {"a": 1},
    set(),
    object(),
    Hostile(),
    raises,
    leaves,
    forever,
    len,
    int,
    print,
    lambda: 1,
    lambda f, x, v: ...,
    lambda f, x, v: v,
    lambda f, x, v: x,
    lambda f, x, v: f,
    lambda f, x, v: [x.grad],
    lambda f, x, v: np.ones(3),
    lambda f, x, v: 0,
    lambda f, x, v: float("nan"),
    lambda f, x, v: f(x).backward,
    np.array([1, 2, 3]),
    np.array("a"),
    torch.ones(2, 3),
    minigrad.zeros(2, 3),
    minigrad.ones(3, dtype=minigrad.int64),
    iter([1]),
    b"1",
    10**400,
    Decimal("sNaN"),
    minigrad.Tensor,
    torch.Tensor,
    torch.empty(2, 3, device="meta"),
    torch.ones(2, 3).to_sparse(),
    torch.ones(2, 3, dtype=torch.complex64),
    lambda f, x, v: torch.empty(tuple(x.shape), device="meta"),
    lambda f, x, v: torch.Tensor,
]


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_is_right(name):
    values = {"torch": minigrad}
    exec(solution(name).text, values)
    verdict = check(name, values[exercise(name).answer_name])
    assert verdict.passed and repr(verdict).startswith("Right. ")


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_is_right_with_real_torch_tensors(name):
    values = {"torch": torch}
    exec(solution(name).text, values)
    assert check(name, values[exercise(name).answer_name])


@pytest.mark.parametrize("name, wrong", WRONG)
def test_wrong_answers_are_rejected_for_their_own_reason(name, wrong):
    verdict = check(name, wrong.answer)
    assert not verdict.passed
    assert wrong.says in " ".join(verdict.lines)
    assert repr(verdict).startswith("Not yet. ")


@pytest.mark.parametrize("name", NAMES)
def test_there_are_several_wrong_answers(name):
    assert len(exercise(name).wrong) >= 3
    assert len({wrong.says for wrong in exercise(name).wrong}) >= 3


@pytest.mark.parametrize("answer", JUNK, ids=lambda answer: type(answer).__name__)
@pytest.mark.parametrize("name", NAMES)
def test_junk_is_rejected_with_a_sentence_and_never_raises(name, answer):
    verdict = check(name, answer)
    assert not verdict.passed and verdict.lines and all(verdict.lines)
    assert max(map(len, repr(verdict).splitlines())) <= 100
    assert "Not yet." in verdict._repr_html_()


def test_answers_are_accepted_in_every_reasonable_form():
    right = [[6.0, 3.0, 2.0], [1.5, 1.2, 1.0]]
    for answer in (
        right,
        tuple(map(tuple, right)),
        np.array(right),
        np.array(right, np.float32),
        minigrad.tensor(right),
        torch.tensor(right),
        minigrad.tensor(right).double(),
        "[[6, 3, 2], [3/2, 6/5, 1]]",
        [list(map(torch.tensor, row)) for row in right],
        [minigrad.tensor(row) for row in right],
        [[Fraction(6, row + column) for column in (1, 2, 3)] for row in (0, 3)],
        [[Decimal(str(weight)) for weight in row] for row in right],
        6 / minigrad.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True),
        torch.nn.Parameter(torch.tensor(right)),
        np.array(right, object),
        np.ma.array(right),
    ):
        assert check("03-1", answer).passed
    for answer in (
        [0, 1, 0],
        (0, 1, 0),
        minigrad.tensor([0, 1, 0]),
        torch.tensor([0, 1, 0]),
        torch.eye(3)[1],
        torch.nn.functional.one_hot(torch.tensor(1), 3),
        minigrad.tensor([0.0, 1.0, 0.0], requires_grad=True),
        [-0.0, 1, -0.0],
    ):
        assert check("03-2", answer).passed
    rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    for answer in (
        torch.tensor(rows, requires_grad=True),
        torch.tensor(rows, dtype=torch.bfloat16, requires_grad=True),
        minigrad.tensor(rows, dtype=minigrad.float16, requires_grad=True),
        minigrad.tensor(rows, dtype=minigrad.float64).requires_grad_(),
        minigrad.arange(1.0, 7.0).reshape(2, 3).requires_grad_(),
        minigrad.nn.Parameter(minigrad.FloatTensor(rows)),
    ):
        assert check("00-1", answer).passed


# Other right ways to write 03-3.


def on_a_copy(f, x, v):
    copy = x.detach().clone().requires_grad_(True)
    (f(copy) * v).sum().backward()
    return copy.grad


def zeroing(f, x, v):
    if x.grad is not None:
        x.grad.zero_()
    (v * f(x)).sum().backward()
    return x.grad


def with_autograd_grad(f, x, v):
    return minigrad.autograd.grad((f(x) * v).sum(), x)[0]


def talkative(f, x, v):
    print("called")
    x.grad = None
    (f(x) * v).sum().backward()
    return x.grad.clone()


@pytest.mark.parametrize(
    "function",
    [on_a_copy, zeroing, with_autograd_grad, talkative],
    ids=lambda function: function.__name__,
)
def test_other_right_functions_pass(function, capsys):
    verdict = check("03-3", function)
    assert verdict.passed, verdict
    assert capsys.readouterr().out == ""


# More wrong ways, not listed with the exercise.


def only_the_first(f, x, v):
    x.grad = None
    f(x).reshape(-1)[0].backward()
    return x.grad


def sign_lost(f, x, v):
    x.grad = None
    (f(x) * v.abs()).sum().backward()
    return x.grad


def negative(f, x, v):
    x.grad = None
    (-(f(x) * v)).sum().backward()
    return x.grad


def one_element_off(f, x, v):
    x.grad = None
    (f(x) * v).sum().backward()
    result = x.grad.clone()
    result.reshape(-1)[-1] += 0.5
    return result


def turns_gradients_off(f, x, v):
    x.grad = None
    (f(x) * v).sum().backward()
    result = x.grad.clone()
    x.requires_grad_(False)
    return result


def whole_numbers(f, x, v):
    return with_autograd_grad(f, x, v).long()


def flat(f, x, v):
    return with_autograd_grad(f, x, v).reshape(-1)


def as_list(f, x, v):
    return with_autograd_grad(f, x, v).tolist()


def knows_the_cases(f, x, v):
    known = {(3,): [41.0, 52.0, 63.0], (2,): [31.0, 42.0]}
    return minigrad.tensor(known[tuple(x.shape)])


def the_jacobian(f, x, v):
    rows = []
    for position in range(v.numel()):
        x.grad = None
        f(x).reshape(-1)[position].backward()
        rows.append(x.grad.reshape(-1))
    return minigrad.stack(rows)


def from_the_right_when_square(f, x, v):
    jacobian = the_jacobian(f, x, v)
    if jacobian.shape[0] == jacobian.shape[1]:
        return (jacobian @ v.reshape(-1)).reshape(*x.shape)
    return (v.reshape(-1) @ jacobian).reshape(*x.shape)


@pytest.mark.parametrize(
    "function, says",
    [
        (only_the_first, ""),
        (sign_lost, "sign"),
        (negative, "sign"),
        (one_element_off, "should be"),
        (turns_gradients_off, "requires_grad is False"),
        (whole_numbers, "dtype int64"),
        (flat, "shape"),
        (as_list, "type list"),
        (knows_the_cases, ""),
        (the_jacobian, "whole Jacobian"),
        (from_the_right_when_square, "J\u00b7v"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_other_wrong_functions_are_rejected(function, says):
    verdict = check("03-3", function)
    assert not verdict.passed and says in " ".join(verdict.lines)


def turns_recording_off(f, x, v):
    result = with_autograd_grad(f, x, v)
    minigrad.set_grad_enabled(False)
    return result


def test_what_is_turned_off_does_not_reach_the_check():
    assert check("03-3", turns_recording_off).passed and minigrad.is_grad_enabled()
    with minigrad.no_grad():
        for name in NAMES:
            values = {"torch": minigrad}
            exec(solution(name).text, values)
            assert check(name, values[exercise(name).answer_name]).passed
        assert not minigrad.is_grad_enabled()


def test_checking_does_not_change_the_answer():
    v = minigrad.ones(2, 3)
    check("03-1", v)
    assert v.tolist() == [[1.0] * 3] * 2 and v.grad is None


def test_shape_is_named_before_values_and_the_first_wrong_element_is_named():
    true = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert first_difference("y", np.ones(2), true) == ["y has shape (2,); it should be (2, 2)."]
    assert first_difference("y", np.array([[1.0, 2.0], [3.5, 9.0]]), true) == [
        "y[1, 0] is 3.5; it should be 3."
    ]
    assert first_difference("y", true + 1e-6, true) == []
    assert first_difference("y", np.array(1.0), np.array(2.0)) == ["y is 1; it should be 2."]


def test_names_that_are_no_exercises_are_explained():
    for call in (check, hint, solution):
        assert "Exercises are called like" in repr(call("three"))
        assert "There is no exercise 03-9" in repr(call("03-9"))
        assert "Notebook 77 has no exercises" in repr(call("77-1"))
    assert "Give your answer too" in repr(check("03-1"))
    for name in ("3-1", " 03-1 ", "03-01", "03\u20131"):
        assert exercise(name).name == "03-1"


def test_hints_come_one_by_one():
    assert repr(hint("03-3")).startswith("Hint 1:") and "(2 more)" in repr(hint("03-3")).replace(
        "\n", " "
    )
    assert hint("03-3", 3).text.startswith("Hint 3:") and "more)" not in hint("03-3", 3).text
    for number in (0, 4, -1, "x", None, 1.5, True, [2], float("nan"), Hostile()):
        assert "there is no hint" in hint("03-3", number).text
    for number in ("2", 2.0, np.int64(2)):
        assert hint("03-3", number).text == hint("03-3", 2).text
