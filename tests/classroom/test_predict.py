"""The predict card's model: commit, reveal, compare; bad input is refused and reveals nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad
from minigrad.classroom.models.predict import PredictCard


def square_card():
    return PredictCard(
        "What will a.grad be?",
        [[2, 8, 18], [32, 50, 72]],
        why="v is a, so a.grad is 2a times a.",
        misconceptions={"[[2, 4, 6], [8, 10, 12]]": "That is 2a: it would need v = ones."},
    )


def test_the_answer_is_covered_until_a_guess_is_committed():
    card = square_card()
    assert not card.revealed and card.lines() == [] and "72" not in repr(card)
    assert card.right is None and card.difference is None and card.misconception is None
    card.commit("[[2, 8, 18], [32, 50, 72]]")
    assert card.revealed and card.right
    assert dict(card.lines())["difference"] == "none: you predicted it"
    assert dict(card.lines())["why"].startswith("v is a")


def test_a_known_misconception_gets_its_line():
    card = square_card().commit([[2, 4, 6], [8, 10, 12]])
    assert not card.right and card.difference == 60
    assert dict(card.lines())["likely"] == "That is 2a: it would need v = ones."
    assert "60" in dict(card.lines())["difference"]


def test_an_unknown_wrong_guess_gets_none():
    card = square_card().commit([[0, 0, 0], [0, 0, 0]])
    assert card.misconception is None and "likely" not in dict(card.lines())


def test_a_guess_of_another_shape_is_a_guess_and_the_shape_is_named():
    card = square_card().commit("[2, 8, 18]")
    assert card.revealed and not card.right and card.difference is None
    assert dict(card.lines())["difference"] == "the shape: yours (3,), the answer's (2, 3)"


def test_show_me_is_always_allowed():
    card = square_card().show()
    assert card.revealed and card.right is None and "your guess" not in dict(card.lines())
    assert dict(card.lines())["the answer"] == "[[2, 8, 18], [32, 50, 72]]"
    assert card.commit([[2, 8, 18], [32, 50, 72]]).right


@pytest.mark.parametrize(
    "text", ["", "abc", "nan", "1e400", "[1, 2", "3,5", "__import__('os')", None]
)
def test_what_cannot_be_read_reveals_nothing(text):
    card = square_card().commit(text)
    assert card.message and not card.revealed and card.guess is None
    assert card.message in repr(card).replace("\n              ", " ")
    assert card.commit([[2, 8, 18], [32, 50, 72]]).message is None


def test_a_bad_guess_after_a_good_one_keeps_the_good_one():
    card = square_card().commit([[1, 1, 1], [1, 1, 1]])
    before = card.lines()
    card.commit("what")
    assert card.lines() == before and card.message


def test_numbers():
    card = PredictCard("dz/dx at 2?", 96.0, misconceptions={24: "You left out x squared."})
    assert card.kind == "number"
    assert card.commit("24").misconception == "You left out x squared."
    assert card.commit("96.0001").right and not card.commit("97").right
    assert PredictCard("a third?", 1 / 3).commit("1/3").right
    assert PredictCard("a third?", 1 / 3).commit("0.3333").right


def test_choices():
    card = PredictCard(
        "Which shape?",
        "(2, 3)",
        choices=["(2, 3)", "(3,)", "()"],
        misconceptions={"()": "A scalar weighs one output only."},
    )
    assert card.kind == "choice"
    assert card.commit("()").misconception == "A scalar weighs one output only."
    assert card.commit(" (2, 3) ").right
    assert "Choose one of" in card.commit("(9,)").message
    assert PredictCard("Error?", True).commit("true").right
    assert PredictCard("Error?", True).commit(False).right is False


def test_answers_may_be_tensors_or_found_when_asked():
    asked = []

    def answer():
        asked.append(1)
        return minigrad.tensor([1.0, 2.0], requires_grad=True)

    card = PredictCard("?", answer)
    repr(card), card.lines()
    assert not asked
    assert card.commit([1, 2]).right and asked


@pytest.mark.parametrize(
    "arguments",
    [
        {"answer": 1, "kind": "essay"},
        {"answer": "x", "kind": "choice"},
        {"answer": "x", "choices": ["y"]},
        {"answer": 1, "misconceptions": {"abc": "?"}},
    ],
)
def test_a_card_that_cannot_work_is_refused_when_written(arguments):
    with pytest.raises(ValueError):
        PredictCard("?", **arguments)


@given(st.text(max_size=30))
def test_no_guess_ever_raises(text):
    for card in (square_card(), PredictCard("?", 1.0), PredictCard("?", "a", choices=["a", "b"])):
        card.commit(text)
        assert card.revealed != bool(card.message)
        assert all(len(line) <= 100 for line in repr(card).splitlines())
        card.state()
