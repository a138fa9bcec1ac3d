"""The shape gate: every call against PyTorch, guesses, the old rule, and what the panel shows."""

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import widgets
from minigrad.classroom.compare import recorded
from minigrad.classroom.compare.results import run
from minigrad.classroom.widgets.shape_gate.drawing import NO, YES
from minigrad.classroom.widgets.shape_gate.model import (
    GRADIENTS,
    GUESSES,
    NO_ARGUMENT,
    SHAPES,
    ShapeGate,
    programs_to_record,
)
from tests.cases import over
from tests.classroom.panels import named, shown_in

PAIRS = [(output, gradient) for output in SHAPES for gradient in GRADIENTS]


def in_torch(output, gradient):
    """(PyTorch's message or None, x.grad), found here without the gate."""
    x = torch.ones(output, requires_grad=True)
    weights = None
    if gradient != NO_ARGUMENT:
        weights = torch.arange(1.0, 1.0 + int(np.prod(gradient))).reshape(gradient)
    try:
        (2 * x).backward(weights)
    except RuntimeError as refusal:
        return str(refusal), None
    return None, x.grad.tolist()


@over("output, gradient", PAIRS)
def test_every_pair_is_answered_as_torch_answers_it_word_for_word(output, gradient):
    gate = ShapeGate(output, gradient).commit("accept")
    expected = in_torch(output, gradient)
    theirs = gate.torch_answer(wait=True), gate.stored_answer()
    for answer in (gate.answer(), *map(gate.torch_said, theirs)):
        assert (answer.message, answer.grad) == expected
    assert all(map(gate.agrees, theirs)) and gate.right == (expected[0] is None)
    names = {"torch": torch}  # the program that is shown gives the answer that is shown
    try:
        exec("\n".join(gate.program), names)
        found = None, names["x"].grad.tolist()
    except RuntimeError as refusal:
        found = str(refusal), None
    assert found == expected
    text = repr(gate)
    assert max(map(len, text.splitlines())) <= 100 and "before 2019" in text and "why" in text


def test_recorded_answers_are_those_of_the_installed_torch():
    for key, program in programs_to_record().items():
        assert recorded.answer(key)[0] == run(program, torch)[0]


def test_only_the_diagonal_is_accepted_and_no_argument_for_one_element():
    accepted = {pair for pair, yes in ShapeGate().show_grid().table().items() if yes}
    assert accepted == {(sizes, sizes) for sizes in SHAPES} | {
        (sizes, NO_ARGUMENT) for sizes in ((), (1,), (1, 1))
    }


@pytest.mark.parametrize(
    "output, gradient, grad, says",
    [
        ((2, 2), (1,), [[2, 2], [2, 2]], "broadcast to [[1, 1], [1, 1]]"),
        ((1,), (3,), [12], "added up to [6]"),
        ((), (1,), 2, "added up to 1"),
        ((1,), (), [2], "broadcast to [1]"),
        ((3,), (1, 3), [2, 4, 6], "added up to [1, 2, 3]"),
        ((1, 3), (3,), [[2, 4, 6]], "broadcast to [[1, 2, 3]]"),
        ((2, 2), (2, 2), [[2, 4], [6, 8]], "nothing to adapt"),
    ],
)
def test_older_versions_broadcast_or_added_up_silently(output, gradient, grad, says):
    old = ShapeGate(output, gradient).old_answer()
    assert old.accepted and old.grad == grad and says in old.text


@pytest.mark.parametrize(
    "output, gradient", [((3,), (2, 2)), ((1, 1), (3,)), ((6,), (2, 3)), ((2, 4), (2, 3))]
)
def test_older_versions_refused_what_fits_neither_way(output, gradient):
    old = ShapeGate(output, gradient).old_answer()
    assert not old.accepted and "Refused too" in old.text


def test_a_pair_is_covered_until_its_guess_or_show_and_the_first_guess_stays():
    gate = ShapeGate((2, 2), (1,))
    assert not gate.revealed and gate.lines() == [] and "Mismatch" not in repr(gate)
    assert "Mismatch" not in gate.announcement() and set(gate.table().values()) == {None}
    gate.commit("refuse")
    assert gate.right and "Mismatch in shape" in repr(gate)
    assert gate.commit("accept").guess == "refuse" and "open already" in gate.message
    assert not gate.choose_gradient((2, 2)).revealed
    assert gate.commit("refuse").right is False and gate.score() == "1 of 2 guesses right."
    assert not gate.choose_output(()).revealed and gate.show().revealed and gate.right is None
    assert gate.asked == 2 and sum(yes is not None for yes in gate.table().values()) == 3
    assert gate.choose_output((2, 2)).revealed and gate.guess == "refuse"  # seen stays seen
    assert repr(gate.show_grid()).count("yes") == 11 + 3 + 1  # and the key
    assert gate.show_grid(False).choose_output((3,)).revealed is False


@pytest.mark.parametrize("bad", ["", "maybe", None, 3, "Accept it"])
def test_another_guess_is_refused_with_a_sentence(bad):
    gate = ShapeGate().commit(bad)
    assert "Known are: accept, refuse." in gate.message and not gate.revealed
    assert gate.refused_at == "guess"


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


@pytest.mark.parametrize("bad", ["(4,)", (3, 2), None, "x", object(), [None], "no argument", 1.5])
def test_other_shapes_are_refused_and_change_nothing(bad):
    gate = ShapeGate((3,), (1,)).commit("refuse")
    before = {**gate.state(), "message": None, "refused_at": None}
    assert "The gate has no shape" in gate.choose_output(bad).message
    assert {**gate.state(), "message": None, "refused_at": None} == before
    with pytest.raises(ValueError, match="The gate has no shape"):
        ShapeGate(bad)


def test_without_torch_the_stored_answer_is_shown_and_labelled(no_torch):
    gate = ShapeGate((1,), (3,)).commit("refuse")
    assert "stored from torch 2.13.0" in " ".join(repr(gate).split()) and gate.agrees()


class Learner(RuleBasedStateMachine):
    """Chooses and guesses in any order."""

    def __init__(self):
        super().__init__()
        self.gate, self.other = ShapeGate(), ShapeGate((3,), (3,))
        self.guesses = {}

    @rule(sizes=st.one_of(st.sampled_from([*GRADIENTS, *map(str, SHAPES)]), st.text(max_size=4)))
    def choose_gradient(self, sizes):
        self.gate.choose_gradient(sizes)

    @rule(sizes=st.one_of(st.sampled_from(SHAPES), st.tuples(st.integers(0, 3))))
    def choose_output(self, sizes):
        self.gate.choose_output(sizes)

    @rule(guess=st.sampled_from([*GUESSES, "?"]))
    def commit(self, guess):
        if guess in GUESSES and not self.gate.revealed:
            accepted = in_torch(*self.gate.pair)[0] is None
            self.guesses[self.gate.pair] = (guess == "accept") == accepted
        self.gate.commit(guess)

    @rule()
    def show(self):
        self.gate.show()

    @rule(visible=st.booleans())
    def show_grid(self, visible):
        self.gate.show_grid(visible)

    @invariant()
    def what_is_told_is_true(self):
        gate = self.gate
        assert (gate.asked, gate.right_guesses) == (len(self.guesses), sum(self.guesses.values()))
        assert gate.right is self.guesses.get(gate.pair)
        assert gate.output in SHAPES and gate.gradient in GRADIENTS
        assert bool(gate.lines()) == gate.revealed and repr(gate) == repr(gate)
        message, _ = in_torch(*gate.pair)
        if gate.revealed and message:
            assert message in " ".join(repr(gate).split())
        assert not self.other.revealed


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=20, stateful_step_count=15, deadline=None)


# --- the panel -----------------------------------------------------------------------------------


def test_a_guess_uncovers_the_answers_and_its_cell_and_nothing_else():
    gate, other = widgets.ShapeGate(), widgets.ShapeGate()
    before = shown_in(other)
    named(gate, "output").value = (1,)
    named(gate, "gradient").value = (3,)
    assert "Mismatch" not in shown_in(gate) and shown_in(gate).count("?" * 132) == 1
    named(gate, "it accepts").click()
    shown = shown_in(gate)
    message = (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a "
        "shape of torch.Size([1])."
    )
    assert shown.count(message) == 2  # said once for both engines, and announced
    assert "Not so." in shown and "added up to [6] without a word" in shown
    assert "0 of 1 guesses right." in shown and "?" * 131 in shown and f">{NO}<" in shown
    assert all(named(gate, name).disabled for name in ("it accepts", "it refuses", "Show me"))
    named(gate, "gradient").value = NO_ARGUMENT
    assert not gate.revealed and "Mismatch" not in shown_in(gate)
    named(gate, "it accepts").click()
    shown = shown_in(gate)
    assert "Right." in shown and "Not so." not in shown and "x.grad = [2]" in shown
    assert shown_in(other) == before


def test_all_pairs_are_laid_open_and_covered_again():
    gate = widgets.ShapeGate((2, 2), (1,))
    named(gate, "show all pairs").click()
    assert f">{YES * 14}<" in shown_in(gate) and f">{NO * 118}<" in shown_in(gate)
    named(gate, "cover them again").click()
    assert ">" + "?" * 132 + "<" in shown_in(gate) and not gate.revealed


@pytest.mark.parametrize("pair", [((1,), (3,)), ((), NO_ARGUMENT)])
def test_the_still_tells_only_what_is_uncovered(pair):
    gate = widgets.ShapeGate(*pair)
    assert "stored from torch" not in gate.still() and repr(gate).endswith("covered")
    gate.show()
    assert "stored from torch" in gate.still() and not repr(gate).endswith("covered")
    assert gate.still() == gate.still() and "<svg" in gate.still()
