"""The predict card's model: commit, reveal, compare; bad input is refused and reveals nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import minigrad
from minigrad.classroom.widgets.predict_card.model import PredictCard


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
    assert "the first guess stays" in card.commit([[2, 8, 18], [32, 50, 72]]).message


def test_the_first_guess_stays():
    card = square_card().commit([[1, 1, 1], [1, 1, 1]])
    before = card.lines()
    for late in ([[2, 8, 18], [32, 50, 72]], "what"):
        assert "the first guess stays" in card.commit(late).message and card.lines() == before
    assert card.show().lines() == before


@pytest.mark.parametrize(
    "text", ["", "abc", "nan", "1e400", "[1, 2", "3,5", "__import__('os')", None]
)
def test_what_cannot_be_read_reveals_nothing(text):
    card = square_card().commit(text)
    assert card.message and not card.revealed and card.guess is None
    assert card.message in repr(card).replace("\n              ", " ")
    assert card.commit([[2, 8, 18], [32, 50, 72]]).message is None


def commit(card, guess):
    """The card as it opens, with this guess."""
    return type(card)(
        card.question, card.answer, choices=card.choices, misconceptions=card._known
    ).commit(guess)


def test_numbers():
    card = PredictCard("dz/dx at 2?", 96.0, misconceptions={24: "You left out x squared."})
    assert card.kind == "number"
    assert commit(card, "24").misconception == "You left out x squared."
    assert commit(card, "96.0001").right and not commit(card, "97").right
    assert commit(PredictCard("a third?", 1 / 3), "1/3").right
    assert commit(PredictCard("a third?", 1 / 3), "0.3333").right


def test_wrong_guesses_may_be_values():
    card = PredictCard("?", [1.0, 2.0], misconceptions=[([2.0, 4.0], "Twice."), ([0.0], "One.")])
    assert commit(card, "[2, 4]").misconception == "Twice."
    assert commit(card, "[0]").misconception == "One."


def test_choices():
    card = PredictCard(
        "Which shape?",
        "(2, 3)",
        choices=["(2, 3)", "(3,)", "()"],
        misconceptions={"()": "A scalar weighs one output only."},
    )
    assert card.kind == "choice"
    assert commit(card, "()").misconception == "A scalar weighs one output only."
    assert commit(card, " (2, 3) ").right
    assert "Choose one of" in commit(card, "(9,)").message
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


CARDS = {
    "array": lambda: square_card(),
    "number": lambda: PredictCard("?", 96.0, misconceptions={24: "x squared"}),
    "choice": lambda: PredictCard("?", "b", choices=["a", "b"], misconceptions={"a": "no"}),
}
whole = st.integers(-3, 100)
guesses = st.one_of(
    whole,
    whole.map(str),
    st.lists(st.lists(whole, min_size=3, max_size=3), min_size=1, max_size=2),
    st.just([[2, 8, 18], [32, 50, 72]]),
    st.just("[[2, 4, 6], [8, 10, 12]]"),
    st.sampled_from(["a", "B", "c", "", "[1, 2", "3,5", "nan", "1e400", None, True]),
    st.text(max_size=6),
)


class Learner(RuleBasedStateMachine):
    """Guesses and "show me" in any order."""

    @initialize(kind=st.sampled_from(sorted(CARDS)))
    def open(self, kind):
        self.card, self.shown = CARDS[kind](), False

    @rule(guess=guesses)
    def commit(self, guess):
        before = self.card.guess, self.card.lines()
        self.card.commit(guess)
        if self.card.message or before[1]:  # what cannot be read changes nothing, nor what is late
            assert (self.card.guess, self.card.lines()) == before

    @rule()
    def show(self):
        self.shown = self.shown or self.card.guess is None
        assert self.card.show().message is None

    @invariant()
    def holds_together(self):
        card = self.card
        assert card.revealed == (self.shown or card.guess is not None) == bool(card.lines())
        assert card.state()["lines"] == card.lines()
        assert all(len(line) <= 100 for line in repr(card).splitlines())
        if card.guess is None:
            assert card.right is card.difference is card.misconception is None
            return
        same = np.shape(card.guess) == np.shape(card.answer)
        if card.kind == "choice":
            assert card.guess in card.choices and card.right == (card.guess == "b")
        else:
            close = same and np.allclose(card.guess, card.answer, rtol=5e-4, atol=0)
            assert card.right == close and (card.difference is None) == (not same)
        assert not (card.right and card.misconception)


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=40, stateful_step_count=8, deadline=None)
