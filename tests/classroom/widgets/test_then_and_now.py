"""Then and now: every old cell, what it printed, what runs today, and the edit that mends it."""

import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import widgets
from minigrad.classroom.compare import recorded
from minigrad.classroom.compare.results import run
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.then_and_now.examples import EXAMPLES
from minigrad.classroom.widgets.then_and_now.model import (
    SIDES,
    ThenAndNow,
    numbers_in,
    programs_to_record,
)
from minigrad.classroom.widgets.then_and_now.panel import changes, side_by_side
from tests.classroom.panels import named, parsed, shown_in

each = pytest.mark.parametrize("name", EXAMPLES)


def test_the_examples_are_found_by_their_rows():
    assert [one.row for one in EXAMPLES.values()] == ["S4-15", "S4-17", "S3-5"]
    assert ThenAndNow("S4-17").example_name == "the gradient [1, 0]" == ThenAndNow.examples()[1]


@each
def test_minigrad_shows_what_torch_shows_letter_for_letter(name):
    model = ThenAndNow(name)
    for answer in (model.torch_answer(wait=True), model.stored_answer()):
        assert answer.source == ("stored" if answer is not model.torch_answer() else "live")
        assert list(answer.found) == ["today", "edited"] and model.agrees(answer)
        assert answer.found["today"][-1] == model.output(len(answer.found["today"]) - 1, "today")


def test_what_is_recorded_is_what_torch_says():
    for key, program in programs_to_record().items():
        assert recorded.answer(key)[0] == run(program, torch)[0]


@each
def test_what_is_refused_today_prints_the_documents_numbers_after_the_edit(name):
    model = ThenAndNow(name)
    assert model.verdict("today") == "Refused."
    assert model.verdict("edited") == "The document's numbers."


@each
def test_the_old_rule_gives_the_documents_numbers_without_the_edit_of_a_shape(name):
    model = ThenAndNow(name).choose("old rule")
    assert model.code() == model.code("today") != model.code("edited")
    cells = range(len(model.cells))
    assert [model.output(k) for k in cells] == [model.output(k, "edited") for k in cells]
    assert all("without a word" in how for how in model.made_to_fit) and "old rule" in repr(model)
    assert repr(model) == repr(model) and max(map(len, repr(model).splitlines())) <= 100


@pytest.mark.parametrize(
    "name, says",
    [
        (
            "S4-15",
            [
                "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] "
                "has a shape of torch.Size([2, 2]).",
                "+ z.backward(torch.ones(2, 2), retain_graph=True)",
                "26.7135,  5.1188",
                "broadcast to [[1, 1], [1, 1]]",
            ],
        ),
        ("S4-17", ["torch.FloatTensor([1, 0]).expand(2, 2)", "[26.7135,  0.0000]"]),
        (
            "S3-5",
            [
                "torch.Size([3]) and output[0] has a shape of torch.Size([1])",
                "tensor([3.3003])",
                "added up to [1.1001]",
                "+ y.expand(3).backward(gradients)",
            ],
        ),
    ],
)
def test_what_the_text_twin_says(name, says):
    text = " ".join(repr(ThenAndNow(name).choose("old rule")).split())
    for part in says:
        assert " ".join(part.split()) in text


# --- aligning ------------------------------------------------------------------------------------


def test_numbers_are_read_off_an_output_and_not_off_its_size():
    then = "x Variable containing:\n-1.5  26.7135\n 0  inf\n[torch.FloatTensor of size 2x2]"
    now = "x tensor([[-1.5000, 26.7135],\n        [0., inf]], requires_grad=True)"
    assert numbers_in(then) == numbers_in(now) == [-1.5, 26.7135, 0, float("inf")]


def test_lines_with_the_same_numbers_stand_beside_each_other():
    then = "Variable containing:\n 1  2\n 3  4\n[torch.FloatTensor of size 2x2]"
    pairs = side_by_side(then, "tensor([[1., 2.],\n        [3., 4.]])")
    assert [pair for pair in pairs if None not in pair] == [
        (" 1  2", "tensor([[1., 2.],"),
        (" 3  4", "        [3., 4.]])"),
    ]


@pytest.mark.parametrize(
    "before, after",
    [
        ("z.backward(torch.FloatTensor([1, 1]))", "z.backward(torch.ones(2, 2))"),
        ("", "x"),
        ("x", ""),
        ("same", "same"),
        ("a, b", "b, a"),
    ],
)
def test_the_pieces_of_a_line_are_the_line(before, after):
    old, new = changes(before, after)
    assert "".join(text for text, _ in old) == before and "".join(text for text, _ in new) == after
    kept = ["".join(text for text, changed in side if not changed) for side in (old, new)]
    assert kept[0] == kept[1] and (before != after or kept == [before, after])


# --- what a learner chooses ----------------------------------------------------------------------


def test_without_torch_the_recorded_answer_is_shown_and_labelled(no_torch):
    assert "stored from torch" in repr(ThenAndNow("S4-15"))


def test_a_program_of_the_learner_s_own_is_sent_to_compare():
    with pytest.raises(Refused, match="compare"):
        ThenAndNow(lambda torch: {"x": torch.ones(2)})


@pytest.mark.parametrize("bad", ["", "S4-99", None, 3, ["S4-15"]])
def test_what_cannot_be_used_is_refused_and_changes_nothing(bad):
    model = ThenAndNow("S3-5").choose("old rule")
    before = model.state()
    for act in (lambda: model.load(bad), lambda: model.choose(bad)):
        act()
        assert model.message and {**model.state(), "message": None} == before
    with pytest.raises(Refused):
        ThenAndNow(bad)


class Learner(RuleBasedStateMachine):
    """Chooses examples and sides in any order; another panel stays as it was."""

    def __init__(self):
        super().__init__()
        self.model, self.other = widgets.ThenAndNow(), ThenAndNow()
        self.name, self.untouched = self.other.example_name, repr(self.other)

    @rule(name=st.one_of(st.sampled_from(list(EXAMPLES)), st.text(max_size=4)))
    def load(self, name):
        self.model.load(name)
        self.name = name if name in EXAMPLES else self.name

    @rule(side=st.sampled_from([*SIDES, "else"]))
    def choose(self, side):
        before = self.model.side
        self.model.choose(side)
        assert self.model.side == (before if self.model.message else side)

    @invariant()
    def what_is_told_is_true(self):
        model = self.model.model
        assert model.example.name == self.name
        text = model.text()
        assert model.agrees() and ("wrong on purpose" in text) == (model.side == "old rule")
        assert repr(self.other) == self.untouched


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=8, stateful_step_count=8, deadline=None)


# --- the panel, without a browser ----------------------------------------------------------------


def plain(panel):
    return parsed(panel).get_text()


@each
@pytest.mark.parametrize("side", SIDES)
def test_the_panel_shows_every_line_of_both_columns(name, side):
    panel = widgets.ThenAndNow(name)
    panel.choose(side)
    shown = plain(panel)
    for k, cell in enumerate(panel.cells):
        for line in (*cell.code.splitlines(), *panel.code()[k].splitlines()):
            assert line in shown
        for text in ("" if cell.given else cell.printed, panel.output(k) or ""):
            assert all(line in shown for line in text.splitlines())
    assert panel.model.verdict() in shown and panel.still() == panel.still()


def test_changes_are_marked_within_the_line():
    panel = widgets.ThenAndNow()
    assert "now: Refused." in plain(panel) and "not reached" in plain(panel)
    named(panel, "with the smallest edit").click()
    assert "<ins>ones(2, 2</ins>" in shown_in(panel)
    assert "<del>FloatTensor([1, 1]</del>" in shown_in(panel)


def test_where_the_engines_differ_the_panel_says_so():
    panel = widgets.ThenAndNow()
    panel.model.torch_answer(wait=True).found["today"][0] = "tensor([[7.]])"
    panel.redraw()
    assert "\u2260 PyTorch: differs" in plain(panel) and "differs" in repr(panel.model)
