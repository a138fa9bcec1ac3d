"""The shape gate's model: all 72 calls against PyTorch, guesses, and the old rule."""

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom.models.gate import GUESSES, NO_ARGUMENT, SHAPES, ShapeGate

GRADIENTS = (*SHAPES, NO_ARGUMENT)
PAIRS = [(output, gradient) for output in SHAPES for gradient in GRADIENTS]


def in_torch(output, gradient):
    """(PyTorch's message or None, x.grad), found here without the gate."""
    x = torch.ones(output, requires_grad=True)
    weights = (
        torch.arange(1.0, 1.0 + int(np.prod(gradient))).reshape(gradient)
        if gradient != NO_ARGUMENT
        else None
    )
    try:
        (2 * x).backward(weights)
    except RuntimeError as refusal:
        return str(refusal), None
    return None, x.grad.tolist()


@pytest.mark.parametrize("output, gradient", PAIRS)
def test_every_pair_is_answered_as_torch_answers_it_word_for_word(output, gradient):
    gate = ShapeGate(output, gradient).show()
    for answer in (gate.answer(), gate.torch_answer(wait=True).found, gate.stored_answer().found):
        assert (answer.message, answer.grad) == in_torch(output, gradient)
    assert gate.agrees() and gate.agrees(gate.stored_answer())


def test_the_shapes_are_those_of_the_lesson():
    assert SHAPES == ((), (1,), (1, 1), (3,), (1, 3), (2, 2), (10,), (1, 10))


def test_only_the_diagonal_is_accepted_and_no_argument_for_one_element():
    *rows, bare = ShapeGate().table()
    assert np.array(rows).tolist() == np.eye(8, dtype=bool).tolist()
    assert bare == [True] * 3 + [False] * 5


@pytest.mark.parametrize("output, gradient", PAIRS)
def test_the_program_that_is_shown_gives_the_answer_that_is_shown(output, gradient):
    gate = ShapeGate(output, gradient).show()
    names = {"torch": torch}
    try:
        exec("\n".join(gate.program), names)
        found = None, names["x"].grad.tolist()
    except RuntimeError as refusal:
        found = str(refusal), None
    assert (gate.answer().message, gate.answer().grad) == found


# --- before the check ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "output, gradient, grad, says",
    [
        ((2, 2), (1,), [[2, 2], [2, 2]], "broadcast to [[1, 1], [1, 1]]"),
        ((1,), (3,), [12], "added up to [6]"),
        ((), (1,), 2, "added up to 1"),
        ((1,), (), [2], "broadcast to [1]"),
        ((1, 1), (1, 3), [[12]], "added up to [[6]]"),
        ((3,), (1, 3), [2, 4, 6], "added up to [1, 2, 3]"),
        ((1, 3), (3,), [[2, 4, 6]], "broadcast to [[1, 2, 3]]"),
        ((), (2, 2), 20, "added up to 10"),
        ((2, 2), (2, 2), [[2, 4], [6, 8]], "nothing to adapt"),
    ],
)
def test_older_versions_broadcast_or_added_up_silently(output, gradient, grad, says):
    old = ShapeGate(output, gradient).old_answer()
    assert old.accepted and old.grad == grad and says in old.text


@pytest.mark.parametrize(
    "output, gradient",
    [((3,), (2, 2)), ((2, 2), (3,)), ((1, 1), (3,)), ((10,), (3,)), ((1, 3), (1, 10))],
)
def test_older_versions_refused_what_fits_neither_way(output, gradient):
    old = ShapeGate(output, gradient).old_answer()
    assert not old.accepted and "Refused too" in old.text


@pytest.mark.parametrize("output", SHAPES)
def test_without_an_argument_nothing_has_changed(output):
    gate = ShapeGate(output, NO_ARGUMENT)
    assert gate.old_answer().message == gate.answer().message


# --- guessing ------------------------------------------------------------------------------------


def test_the_answer_is_covered_until_a_guess_or_show():
    gate = ShapeGate((2, 2), (1,))
    assert not gate.revealed and gate.lines() == [] and "Mismatch" not in repr(gate)
    assert "Mismatch" not in gate.announcement()
    gate.commit("refuse")
    assert (
        gate.right and "Mismatch in shape" in repr(gate) and gate.score() == "1 of 1 guesses right."
    )
    assert gate.commit("accept").guess == "refuse" and "open already" in gate.message
    gate.choose_gradient((2, 2))
    assert not gate.revealed and gate.commit("refuse").right is False
    assert gate.score() == "1 of 2 guesses right."
    assert not gate.choose_output(()).revealed and gate.show().revealed
    assert not gate.choose_gradient((3,)).revealed
    assert gate.asked == 2 and gate.right is None


def test_choosing_the_same_pair_again_does_not_cover_it():
    assert ShapeGate((3,), (3,)).commit("accept").choose_output((3,)).revealed


@pytest.mark.parametrize("bad", ["", "maybe", None, 3, "Accept it"])
def test_another_guess_is_refused_with_a_sentence(bad):
    gate = ShapeGate().commit(bad)
    assert gate.message == "Guess one of: accept, refuse." and not gate.revealed


@pytest.mark.parametrize(
    "given, meant",
    [
        ("(2, 2)", (2, 2)),
        ("(2,2)", (2, 2)),
        ("()", ()),
        ([1, 3], (1, 3)),
        (torch.Size([3]), (3,)),
        (3, (3,)),
    ],
)
def test_shapes_are_read_in_every_form(given, meant):
    assert ShapeGate().choose_output(given).output == meant


@pytest.mark.parametrize("bad", ["(4,)", (2, 3), None, "x", object(), [None], "no argument", 1.5])
def test_other_shapes_are_refused_and_change_nothing(bad):
    gate = ShapeGate((3,), (1,)).commit("refuse")
    before = {**gate.state(), "message": None}
    assert "The gate has no shape" in gate.choose_output(bad).message
    assert {**gate.state(), "message": None} == before
    with pytest.raises(ValueError, match="The gate has no shape"):
        ShapeGate(bad)


@pytest.mark.parametrize("output, gradient", PAIRS)
def test_the_text_twin_of_every_pair(output, gradient):
    text = repr(ShapeGate(output, gradient).commit("accept").show_grid())
    assert max(map(len, text.splitlines())) <= 100 and "before 2019" in text and "why" in text


def test_the_grid_as_text():
    text = repr(ShapeGate().show_grid())
    assert text.count("yes") == 8 + 3 + 1  # the diagonal, three without an argument, the key
    assert "yes" not in repr(ShapeGate().show_grid(False))


def test_without_torch_the_stored_answer_is_shown_and_labelled(no_torch):
    gate = ShapeGate((1,), (3,)).commit("refuse")
    assert "stored from torch 2.13.0" in " ".join(repr(gate).split()) and gate.agrees()


class Learner(RuleBasedStateMachine):
    """Chooses and guesses in any order."""

    def __init__(self):
        super().__init__()
        self.gate, self.other = ShapeGate(), ShapeGate((3,), (3,))
        self.guesses = self.right = 0

    @rule(sizes=st.one_of(st.sampled_from([*GRADIENTS, *map(str, SHAPES)]), st.text(max_size=4)))
    def choose_gradient(self, sizes):
        self.gate.choose_gradient(sizes)

    @rule(sizes=st.one_of(st.sampled_from(SHAPES), st.tuples(st.integers(0, 3))))
    def choose_output(self, sizes):
        self.gate.choose_output(sizes)

    @rule(guess=st.sampled_from([*GUESSES, "?"]))
    def commit(self, guess):
        counts = guess in GUESSES and not self.gate.revealed
        self.gate.commit(guess)
        self.guesses += counts
        if counts:
            accepted = in_torch(self.gate.output, self.gate.gradient)[0] is None
            self.right += (guess == "accept") == accepted

    @rule()
    def show(self):
        self.gate.show()

    @rule(visible=st.booleans())
    def show_grid(self, visible):
        self.gate.show_grid(visible)

    @invariant()
    def what_is_told_is_true(self):
        gate = self.gate
        assert (gate.asked, gate.right_guesses) == (self.guesses, self.right)
        assert gate.output in SHAPES and gate.gradient in GRADIENTS
        assert bool(gate.lines()) == gate.revealed and repr(gate) == repr(gate)
        message, _ = in_torch(gate.output, gate.gradient)
        if gate.revealed and message:
            assert message in " ".join(repr(gate).split())
        assert not self.other.revealed


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=20, stateful_step_count=15, deadline=None)
