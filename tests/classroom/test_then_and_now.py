"""Then and now: every old cell, what it printed, what runs today, and the edit that mends it."""

import threading

import ipywidgets
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import minigrad
from minigrad.classroom import engines, record, recorded, widgets
from minigrad.classroom.models.old_cells import EXAMPLES
from minigrad.classroom.models.old_rule import adapted, old_rule
from minigrad.classroom.models.then_and_now import ThenAndNow, same_numbers, told
from tests.classroom.panels import below, named, shown_in, still_of

each = pytest.mark.parametrize("name", EXAMPLES)
REFUSED = ["S4-12", "S4-13", "S4-14", "S4-15", "S4-16", "S4-17", "S4-18", "S4-19", "S4-20",
           "S4-21", "S4-22", "S4-23", "S1-4", "S3-5", "S3-6"]
PRINTS_NOTHING = ["S4-1", "S4-23", "S4-24", "S1-4", "S3-6"]
EXAMPLE_3 = "tensor([3.3003])\ntensor([0.])\ntensor([inf])"


def stretched(torch):
    x = torch.ones(2, 2, requires_grad=True)
    (3 * x).backward(torch.tensor([1.0, 10.0]))
    return {"x.grad": x.grad}


def cubed(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x**3).backward(torch.tensor([1.0, 0.5]))
    return {"x.grad": x.grad}


def fails(torch):
    raise ValueError("no luck")


def empty(torch):
    pass


def test_every_cell_of_the_inventory_is_here():
    assert list(EXAMPLES) == [f"S4-{k}" for k in range(1, 25)] + ["S1-4", "S3-5", "S3-6"]


@each
def test_today_minigrad_shows_what_torch_shows_letter_for_letter(name):
    model = ThenAndNow(name)
    theirs = model.torch_answer(wait=True)
    assert theirs.source == "live"
    assert (theirs.found.now, theirs.found.mended) == (model.now, model.mended)
    assert model.agrees() and model.agrees(model.stored_answer())


def test_the_old_cells_are_recorded_as_torch_answers_them():
    stored = recorded.load("then_and_now")
    assert stored["torch"] == engines.version(torch)
    assert stored["answers"] == record.then_and_now_answers(torch)


@each
def test_what_is_refused_today_prints_the_documents_numbers_after_the_edit(name):
    model = ThenAndNow(name)
    assert ("error" in model.now[-1]) == (name in REFUSED)
    assert (model.mended is not None) == (name in REFUSED or name == "S4-24") == bool(model.edit)
    last = model.now if model.mended is None else model.mended
    assert len(last) == len(model.cells) and "error" not in last[-1]
    said = model.verdict(last)
    assert said.startswith("It runs; the document prints nothing" if name in PRINTS_NOTHING
                           else "The document's numbers")


@each
def test_the_old_rule_gives_the_documents_numbers_without_the_edit_of_a_shape(name):
    model = ThenAndNow(name, old_rule=True)
    shown, how = model.old_run()
    if model.mended is None:
        assert shown == model.now and "nothing to adapt" in how[0]
    else:
        assert [told(one) for one in shown] == [told(one) for one in model.mended]
    adapts = name in REFUSED and name != "S4-23"
    assert ("without a word" in how[0]) == adapts and "old rule" in repr(model)


@pytest.mark.parametrize("name, says", [
    ("S4-15", ["Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has "
               "a shape of torch.Size([2, 2]).",
               "+ z.backward(torch.ones(2, 2), retain_graph=True)", "26.7135,  5.1188",
               "broadcast to [[1, 1], [1, 1]]"]),
    ("S4-17", ["torch.FloatTensor([1, 0]).expand(2, 2)", "[26.7135,  0.0000]",
               "broadcast to [[1, 0], [1, 0]]"]),
    ("S3-5", ["pin_memory=True requires a CUDA or other accelerator backend", "tensor([3.3003])",
              "added up to [1.1001]", "+ y.expand(3).backward(gradients)"]),
    ("S3-6", ["torch.Size([3]) and output[0] has a shape of torch.Size([1])", "tensor([inf])"]),
    ("S1-4", ["torch.Size([1]) and output[0] has a shape of torch.Size([])", "torch.tensor(1.)"]),
    ("S4-12", ["110.4875", "FloatTensor([[1]])"]),
    ("S4-14", ["11.0488", "broadcast to [[0.1]]"]),
    ("S4-10", ["UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor"]),
    ("S4-23", ["Trying to backward through the graph a second time", "retain_graph=True"]),
    ("S4-24", ["FutureWarning: `grad_variables` is deprecated.", "grad_tensors="]),
])
def test_what_the_text_twin_says(name, says):
    text = " ".join(repr(ThenAndNow(name, old_rule=True)).split())
    for part in says:
        assert " ".join(part.split()) in text


@each
def test_the_text_twin_fits_and_is_the_same_each_time(name):
    text = repr(ThenAndNow(name, old_rule=True))
    assert text == repr(ThenAndNow(name, old_rule=True))
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("then, now, same", [
    ("[torch.FloatTensor of size 2x3]\n 1  2", "tensor([1., 2.])", True),
    (" 0.9431", "tensor([0.94312])", True), (" 0.9431", "tensor([0.9433])", False),
    ("1 2", "tensor([1., 2., 3.])", False), ("None", "0", False), ("None", "None", True),
    ("inf", "tensor([inf])", True), ("inf", "tensor([3.])", False), ("-1.5", "1.5", False),
    ("0.5", "tensor([0.5], grad_fn=<MulBackward0>)", True),
])
def test_numbers_are_compared_to_the_digits_printed(then, now, same):
    assert same_numbers(then, now) == same


# --- the old rule --------------------------------------------------------------------------------


def test_the_old_rule_ends_with_its_block_and_never_reaches_the_engine():
    strict = minigrad.Tensor.backward
    with pytest.raises(RuntimeError, match="from inside"), old_rule():
        raise RuntimeError("from inside")
    assert minigrad.Tensor.backward is strict
    x = minigrad.ones(2, 2, requires_grad=True)
    with old_rule() as how:
        (2 * x).backward(minigrad.tensor([1.0, 5.0]))
        with pytest.raises(RuntimeError, match="Mismatch"):
            (2 * x).backward(minigrad.ones(3))
    assert x.grad.tolist() == [[2, 10], [2, 10]] and "Refused too" in how[1]
    with pytest.raises(RuntimeError, match="Mismatch"):
        (2 * x).backward(minigrad.tensor([1.0, 5.0]))


def test_another_thread_is_not_touched_by_the_old_rule():
    import threading

    said = []

    def elsewhere():
        try:
            (2 * minigrad.ones(2, 2, requires_grad=True)).backward(minigrad.ones(2))
        except RuntimeError as refusal:
            said.append(str(refusal))

    with old_rule():
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
    assert "Mismatch" in said[0]


def test_equal_shapes_are_not_adapted():
    import numpy as np

    given = np.array([1.0, 2.0])
    assert adapted(given, (2,))[0] is given and adapted(given, (3,))[0] is None


# --- a learner's own program ---------------------------------------------------------------------


def test_an_own_program_has_no_then_and_is_run_on_both_engines():
    model = ThenAndNow(cubed)
    assert "def cubed(torch):" in repr(model) and "x.grad = [3, 6]" in repr(model)
    assert model.agrees() and model.verdict(model.now) == "It runs."
    assert model.edit == [] and model.mended is None
    assert model.cells[0].printed == ""


def test_the_old_rule_on_an_own_program():
    model = ThenAndNow(stretched)
    assert model.verdict(model.now) == "Refused." and model.agrees()
    model.set_old_rule()
    assert "x.grad = [[3, 30], [3, 30]]" in repr(model)


def test_two_threads_that_act_out_the_old_rule_leave_none_of_it_behind():
    strict = minigrad.Tensor.backward

    def act_it_out():
        with old_rule():
            pass

    other = threading.Thread(target=act_it_out)
    with old_rule():
        other.start()  # asks for the rule while it is acted out here
        other.join(0.05)
        assert other.is_alive()
    other.join()
    assert minigrad.Tensor.backward is strict


@pytest.mark.parametrize("program, says", [(fails, "ValueError: no luck"), (len, "TypeError"),
                                           (empty, "the program returned nothing"),
                                           (lambda: 3, "TypeError")])
def test_a_program_that_fails_becomes_a_sentence(program, says):
    model = ThenAndNow(program, old_rule=True)
    assert says in " ".join(repr(model).split())


def test_going_to_an_example_and_back_to_the_own_program():
    model = ThenAndNow(cubed).load("S4-15").load("your program")
    assert "x.grad = [3, 6]" in repr(model)


def test_without_torch_the_recorded_answer_is_shown_and_labelled(no_torch):
    assert "stored from torch 2.13.0" in repr(ThenAndNow("S4-15"))
    assert "is not recorded" in " ".join(repr(ThenAndNow(cubed)).split())


@pytest.mark.parametrize("bad", ["", "S4-99", None, 3, ["S4-15"], "your program"])
def test_unknown_names_are_refused_and_change_nothing(bad):
    model = ThenAndNow("S4-17", old_rule=True)
    before = {**model.state(), "message": None}
    assert "There is no example" in model.load(bad).message
    assert {**model.state(), "message": None} == before
    if not isinstance(bad, list):
        with pytest.raises(ValueError, match="Known are: S4-1"):
            ThenAndNow(bad)


class Learner(RuleBasedStateMachine):
    """Chooses examples and switches the old rule in any order."""

    def __init__(self):
        super().__init__()
        self.model, self.other = ThenAndNow(cubed), ThenAndNow()
        self.name, self.on = "your program", False
        self.untouched = repr(self.other)

    @rule(name=st.one_of(st.sampled_from([*EXAMPLES, "your program"]), st.text(max_size=4)))
    def load(self, name):
        self.model.load(name)
        if name in EXAMPLES or name == "your program":
            self.name = name

    @rule(on=st.booleans())
    def switch(self, on):
        self.model.set_old_rule(on)
        self.on = on

    @invariant()
    def what_is_told_is_true(self):
        model = self.model
        assert (model.example.name, model.old_rule) == (self.name, self.on)
        assert model.agrees() and ("wrong on purpose" in repr(model)) == self.on
        assert repr(self.other) == self.untouched


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=8, stateful_step_count=8, deadline=None)


# --- on the screen, without a browser ------------------------------------------------------------


def test_the_panel_shows_then_today_the_edit_and_on_request_the_old_rule():
    panel = widgets.ThenAndNow()
    shown = shown_in(panel)
    for part in ("2017, in the document", "Variable containing:", "today: Refused.", "not reached",
                 "- z.backward(torch.FloatTensor([1, 1]), retain_graph=True)", "word for word"):
        assert part in shown
    assert "acted out" not in shown
    named(panel, "old rule too").click()
    assert panel.model.old_rule and "acted out" in shown_in(panel)
    named(panel, "today's rule").click()
    assert shown_in(panel) == shown
    named(panel, "example").value = "S3-5"
    assert "tensor([3.3003])" in shown_in(panel) and "2019, in the document" in shown_in(panel)


@each
def test_the_panel_shows_every_output_of_its_model(name):
    panel = widgets.ThenAndNow(name, old_rule=True)
    shown = shown_in(panel)
    for k, cell in enumerate(panel.cells):
        assert cell.code in shown and (cell.given or cell.printed in shown)
        assert panel.model.today(k) in shown
    assert panel.verdict(panel.old_run()[0]) in shown


def test_where_the_engines_differ_the_panel_says_so(monkeypatch):
    panel = widgets.ThenAndNow("S4-4")
    panel.model.torch_answer(wait=True).found.now[0]["printed"]["value"] = "tensor([[7.]])"
    panel.refresh()
    assert "tensor([[7.]])" in shown_in(panel) and "\u2260" in shown_in(panel)
    assert "differs" in repr(panel.model)


def test_every_control_has_a_spoken_name():
    kinds = (ipywidgets.Button, ipywidgets.Dropdown)
    found = [child for child in below(widgets.ThenAndNow(cubed)) if isinstance(child, kinds)]
    assert len(found) == 3 and all(control.description.strip() for control in found)
    assert found[0].options[0][1] == "your program" and len(found[0].options) == 28


@pytest.mark.parametrize("what", ["S4-15", "S4-10", "S3-5", "S4-1", cubed])
def test_the_snapshot_is_a_picture_with_the_recorded_answer(what):
    panel = widgets.ThenAndNow(what, old_rule=True)
    still = still_of(panel)
    assert still == still_of(widgets.ThenAndNow(what, old_rule=True))
    assert "live" not in still[1]
    assert panel.example.name in repr(panel)
