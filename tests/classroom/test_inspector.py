"""The leaf inspector: every example, tick and guess against real PyTorch, and its view."""

import html

import ipywidgets
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import engines, record, recorded, widgets
from minigrad.classroom.models import inspector as module
from minigrad.classroom.models.inspector import COLUMNS, TICKS, LeafInspector
from minigrad.classroom.models.inspector_examples import EXAMPLES
from tests.classroom.panels import controls_of, html_of, named, still_of

NO_GRAD_FN = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
NOT_A_LEAF = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."


def column(inspector, name):
    return {tensor: row and row[name] for tensor, row in inspector.rows.items()}


def agrees(inspector):
    return inspector.torch_answer(wait=True).found is not None and not any(
        inspector.comparison().values()
    )


# --- the examples -----------------------------------------------------------------------------


def test_the_flags_are_those_of_a_program_written_for_pytorch():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    c = torch.tensor([2.0, 0.0, -1.0])
    y = x * c
    z = y.sum()
    z.backward()
    inspector = LeafInspector()
    for name, tensor in {"x": x, "c": c, "y": y, "z": z}.items():
        row = inspector.rows[name]
        assert row["is_leaf"] == tensor.is_leaf and row["requires_grad"] == tensor.requires_grad
        assert row["retains_grad"] == tensor.retains_grad and row["_version"] == tensor._version
        assert row["grad_fn"] == (tensor.grad_fn and type(tensor.grad_fn).__name__)
    assert column(inspector, "grad") == {"x": x.grad.tolist(), "c": None, "y": None, "z": None}


@pytest.mark.parametrize(
    "name, error",
    [
        ("flags", None),
        ("5 myth", None),
        ("6 inner gradient", None),
        ("17 no_grad", None),
        ("18 w = w - ...", None),
        ("19 four copies", None),
        ("22 second derivative", None),
        ("23 hook", None),
        (
            "5 saved value",
            "has been modified by an inplace operation: [torch.FloatTensor [3]], which is "
            "output 0 of Exp, is at version 1; expected version 0 instead.",
        ),
        ("7 detached", NO_GRAD_FN),
        ("7 no_grad", NO_GRAD_FN),
        ("7 argmax", NO_GRAD_FN),
        (
            "17 leaf in place",
            "a leaf Variable that requires grad is being used in an in-place operation.",
        ),
        (
            "17 slice",
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        ),
        ("23 wrong size", "hook '<lambda>' has changed the size of value"),
    ],
)
def test_each_example_ends_as_it_should(name, error):
    inspector = LeafInspector(name)
    if error is None:
        assert inspector.error is None and all(line.state == "ran" for line in inspector.lines)
    else:
        assert error in inspector.error
        assert [line.text for line in inspector.lines if line.state == "failed"] == [
            inspector.failed_line
        ]


def test_what_the_examples_show():
    assert column(LeafInspector("23 hook"), "grad")["x"] == [80, 160, 240]
    assert column(LeafInspector("22 second derivative"), "grad")["x"] == [6, 12, 18]
    assert column(LeafInspector("19 four copies"), "grad")["x"] == [1, 1, 1]
    assert column(LeafInspector("19 four copies"), "is_leaf") == dict(
        x=True, d=True, p=True, n=True, c=False, z=False
    )
    second = LeafInspector("18 w = w - ...")
    assert second.rows["w"]["grad"] is None and not second.rows["w"]["is_leaf"]
    assert column(LeafInspector("17 no_grad"), "_version") == {"w": 1, "loss": 0}
    assert LeafInspector("5 myth").rows["x"]["grad"] == [2, 2, 2]


def test_every_confusion_has_an_example():
    assert {name.split()[0] for name in EXAMPLES} >= {"5", "6", "7", "17", "18", "19", "23"}
    assert len(EXAMPLES) == 15


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_with_each_tick_is_what_pytorch_says(name):
    inspector = LeafInspector(name)
    assert agrees(inspector) and inspector.torch_answer().source == "live"
    for tensor in inspector.names:
        for what in TICKS:
            on = not inspector.is_ticked(tensor, what)
            inspector.tick(tensor, what, on)
            assert agrees(inspector), (tensor, what)
            if inspector.rows[tensor] is not None and inspector.error is None:
                assert inspector.is_ticked(tensor, what) == on
            assert max(map(len, repr(inspector).splitlines())) <= 100
            inspector.untick_all()


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_torch_the_recorded_answer_is_shown(name, no_torch):
    inspector = LeafInspector(name)
    assert inspector.torch_answer(wait=True).source == "stored" and agrees(inspector)
    assert "stored from torch 2.13.0" in repr(inspector)


def test_the_first_example_is_recorded_with_each_single_tick(no_torch):
    inspector = LeafInspector("flags")
    for tensor in inspector.names:
        for what in TICKS:
            on = not inspector.is_ticked(tensor, what)
            if what == "requires_grad" and tensor in "yz":
                on = False
            inspector.tick(tensor, what, on)
            assert inspector.torch_answer().source == "stored", (tensor, what)
            assert agrees(inspector)
            inspector.untick_all()
    inspector.tick("x", "hook").tick("y", "hook")
    assert inspector.torch_answer(wait=True).source == "missing" and inspector.comparison() is None
    assert "is not recorded" in " ".join(repr(inspector).split())


def test_what_is_recorded_is_what_torch_answers_now():
    stored = recorded.load("inspector")
    assert stored["torch"] == engines.version(torch)
    assert stored["answers"] == record.inspector_answers(torch)


def test_a_wrong_entry_would_not_be_called_equal():
    inspector = LeafInspector("flags")
    inspector.torch_answer(wait=True)
    inspector._shown.record["rows"]["x"]["grad"][0] = 2.1
    inspector._shown.record["rows"]["y"]["grad_fn"] = "MulBackward1"
    inspector._shown.record["rows"]["c"]["_version"] = 1
    inspector._shown.record["error"] = ["RuntimeError", "?"]
    assert inspector.comparison() == {
        "x": "grad",
        "c": "_version",
        "y": "grad_fn",
        "z": "",
        "error": "differs",
        "warnings": "",
    }
    assert "\u2260 grad_fn" in " ".join(repr(inspector).split())


# --- ticks are lines of code ------------------------------------------------------------------


def text_of(inspector):
    return [line.text for line in inspector.lines]


def test_ticks_put_their_lines_after_the_one_that_makes_the_tensor():
    inspector = LeafInspector("6 inner gradient")
    for what in ("hook", "retain_grad", "in_place"):
        inspector.tick("y", what)
    assert text_of(inspector)[1:6] == [
        "y = x * 2",
        "y.add_(1)",
        "y.retain_grad()",
        "y.register_hook(lambda g: g * 10)",
        "z = y.sum()",
    ]
    assert [line.ticked for line in inspector.lines] == [
        False,
        False,
        True,
        True,
        True,
        False,
        False,
    ]
    assert inspector.rows["y"]["grad"] == [10, 10, 10] and inspector.rows["y"]["retains_grad"]
    assert inspector.rows["x"]["grad"] == [20, 20, 20] and inspector.rows["y"]["_version"] == 1
    inspector.tick("y", "hook", False)
    assert inspector.rows["x"]["grad"] == [2, 2, 2] and len(inspector.lines) == 6
    assert text_of(inspector.untick_all()) == [step.text for step in inspector.program.steps]


def test_requires_grad_of_a_leaf_is_written_where_it_is_made():
    inspector = LeafInspector("flags").tick("x", "requires_grad", False)
    assert (
        text_of(inspector)[0] == "x = torch.tensor([1., 2., 3.])" and inspector.error == NO_GRAD_FN
    )
    inspector.tick("c", "requires_grad")
    assert inspector.rows["c"]["grad"] == [1, 2, 3] and inspector.error is None
    assert inspector.tick("x", "requires_grad").ticks == {("c", "requires_grad"): True}


def test_only_leaves_can_change_requires_grad():
    inspector = LeafInspector("flags").tick("y", "requires_grad", False)
    assert inspector.error.startswith(
        "RuntimeError: you can only change requires_grad flags of leaf variables."
    )
    assert not inspector.is_ticked("y", "requires_grad")
    assert inspector.tick("y", "requires_grad").error is None and inspector.ticks == {}


def test_a_detached_tensor_may_become_a_new_leaf():
    inspector = LeafInspector("6 inner gradient").tick("y", "detach")
    assert inspector.error == NO_GRAD_FN and not inspector.is_ticked("y", "requires_grad")
    inspector.tick("y", "requires_grad")
    assert text_of(inspector)[2:4] == ["y = y.detach()", "y.requires_grad_()"]
    assert inspector.rows["y"]["is_leaf"] and inspector.rows["y"]["grad"] == [1, 1, 1]
    assert inspector.rows["x"]["grad"] is None


def test_a_name_that_is_used_again_is_ticked_where_it_got_its_last_value():
    inspector = LeafInspector("18 w = w - ...").tick("w", "detach").tick("w", "requires_grad")
    assert text_of(inspector)[3:6] == [
        "w = w - 0.1 * w.grad",
        "w = w.detach()",
        "w.requires_grad_()",
    ]
    assert inspector.rows["w"]["is_leaf"] and inspector.rows["w"]["grad"] == pytest.approx(
        [1.6, 3.2]
    )


def test_a_line_that_fails_stops_the_program():
    inspector = LeafInspector("flags").tick("x", "in_place")
    assert (
        inspector.error
        == "RuntimeError: a leaf Variable that requires grad is being used in an in-place "
        "operation."
    )
    assert [line.state for line in inspector.lines] == ["ran", "failed"] + ["not reached"] * 4
    assert inspector.rows["z"] is None and inspector.cell("z", "is_leaf") == "not reached"
    inspector.tick("c", "retain_grad").tick("x", "in_place", False)
    assert (
        inspector.error == "RuntimeError: can't retain_grad on Tensor that has requires_grad=False"
    )


def test_warnings_are_sentences_and_are_not_printed(recwarn):
    inspector = LeafInspector("6 inner gradient")
    assert len(inspector.warnings) == 1
    assert inspector.warnings[0].startswith(f"Reading y.grad and z.grad warns: {NOT_A_LEAF}")
    assert "Triggered" not in inspector.warnings[0] and agrees(inspector)
    inspector.tick("y", "retain_grad").tick("z", "retain_grad")
    assert inspector.warnings == [] and inspector.rows["y"]["grad"] == [1, 1, 1]
    assert not recwarn.list


# --- predicting a column ----------------------------------------------------------------------


def test_a_column_is_covered_guessed_and_compared():
    inspector = LeafInspector("flags").predict("is_leaf")
    assert inspector.covered and inspector.choices == ["True", "False"]
    assert repr(inspector).count("\u2026") == 4
    inspector.guess("x", "true").guess("c", "False").guess("y", False)
    assert inspector.results == {}
    inspector.compare()
    assert inspector.results == {"x": True, "c": False, "y": True}
    assert inspector.score_line() == "2 of 3 right" and "you: False" in " ".join(
        repr(inspector).split()
    )


def test_each_column_has_its_own_kind_of_guess():
    inspector = LeafInspector("flags").predict("grad_fn")
    assert inspector.choices == ["None", "AccumulateGrad", "MulBackward0", "SumBackward0"]
    assert inspector.guess("y", "mulbackward0").guess("x", "None").compare().results == {
        "x": True,
        "y": True,
    }
    inspector.predict("_version").guess("x", "0").guess("y", "1")
    assert inspector.compare().results == {"x": True, "y": False}
    inspector.predict("grad").guess("x", "[2, 0, -1]").guess("c", "none").guess("y", "[1, 1, 1]")
    assert inspector.guess("z", "[1, 2").message and "z" not in inspector.guesses
    assert inspector.compare().results == {"x": True, "c": True, "y": False}
    assert inspector.predict("").covered is False


def test_grads_are_right_to_the_digits_that_are_shown():
    inspector = LeafInspector(x=[1, 2], y=lambda x: x.exp()).predict("grad")
    assert inspector.guess("x", "[2.7183, 7.3891]").compare().results == {"x": True}
    assert inspector.predict("grad").guess("x", "[2.7, 7.4]").compare().results == {"x": False}


def test_a_covered_column_and_what_would_give_it_away_is_not_told():
    inspector = LeafInspector("7 detached").predict("requires_grad")
    told = repr(inspector) + inspector.announcement() + widgets.LeafInspector(inspector).summary()
    assert "element 0" not in told and "failed" not in told
    assert "element 0" in repr(inspector.show())


def test_another_tick_covers_the_column_again():
    inspector = LeafInspector("flags").predict("grad").guess("x", "None").compare()
    assert not inspector.covered
    inspector.tick("y", "detach")
    assert inspector.covered and inspector.guesses == {}


@pytest.mark.parametrize(
    "act",
    [
        lambda inspector: inspector.load("S9-9"),
        lambda inspector: inspector.tick("q", "hook"),
        lambda inspector: inspector.tick("x", "fly"),
        lambda inspector: inspector.predict("colour"),
        lambda inspector: inspector.guess("x", "True"),
        lambda inspector: inspector.compare(),
        lambda inspector: inspector.predict("grad").compare(),
        lambda inspector: inspector.predict("is_leaf").guess("q", "True"),
        lambda inspector: inspector.predict("is_leaf").guess("x", "perhaps"),
        lambda inspector: inspector.predict("_version").guess("x", "1/2"),
        lambda inspector: inspector.predict("grad").guess("x", "3,5"),
        lambda inspector: inspector.predict("grad").guess("x", object()),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_sentence(act):
    inspector = LeafInspector("flags").tick("y", "hook")
    rows, ticks = inspector.rows, dict(inspector.ticks)
    assert act(inspector).message and inspector.message.endswith((".", ":"))
    assert inspector.rows == rows and inspector.ticks == ticks and inspector.guesses == {}
    assert "refused: " in repr(inspector) and "Not used" in inspector.announcement()


# --- the learner's own program ----------------------------------------------------------------


def test_a_program_in_steps():
    inspector = LeafInspector(
        x=[1, 2], k="3", y=lambda x, k: x * k, z=lambda torch, y: torch.exp(y)
    )
    assert text_of(inspector) == [
        "x = torch.tensor([1., 2.], requires_grad=True)",
        "k = torch.tensor(3., requires_grad=True)",
        "y = x * k",
        "z = torch.exp(y)",
        "z.sum().backward()",
    ]
    assert agrees(inspector) and inspector.rows["k"]["grad"] == pytest.approx(826.943, rel=1e-5)
    assert inspector.tick("z", "in_place").error and agrees(inspector)
    assert inspector.tick("y", "detach").untick_all().error is None
    assert inspector.load("23 hook").load("your program").names == ["x", "k", "y", "z"]


def program(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    return {"x": x, "y": y, "z": (y * y).sum(), "n": 3}


def test_a_whole_program_with_named_tensors():
    inspector = LeafInspector(program)
    assert text_of(inspector) == ["program(torch)", "z.sum().backward()"] and agrees(inspector)
    assert inspector.names == ["x", "y", "z"] and inspector.rows["x"]["grad"] is not None
    assert "is at version 1" in inspector.tick("y", "in_place").error and agrees(inspector)
    assert text_of(inspector)[1] == "y.add_(1)"
    inspector.untick_all().tick("y", "retain_grad").tick("x", "hook")
    assert inspector.rows["y"]["grad"] is not None and agrees(inspector)
    assert "Give it in steps" in inspector.tick("y", "detach").message


def test_a_whole_program_that_calls_backward_itself():
    def trained(torch):
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        loss = (w * w).sum()
        loss.backward()
        return {"w": w, "loss": loss}

    inspector = LeafInspector(trained)
    assert text_of(inspector) == ["trained(torch)"] and inspector.rows["w"]["grad"] == [2, 4]
    assert "calls backward itself" in inspector.tick("w", "hook").message and agrees(inspector)


@pytest.mark.parametrize(
    "own, says",
    [
        (lambda torch: torch.ones(2), "returned a Tensor"),
        (lambda torch: {}, "returned no tensor"),
        (lambda torch: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda torch: torch.no_such_name(1), "no_such_name"),
        (lambda torch: {"x": torch.ones(13)}, "up to 12"),
        (lambda torch: {f"t{k}": torch.ones(1) for k in range(9)}, "up to 8"),
        (lambda: None, "returned nothing"),
    ],
)
def test_errors_of_the_learners_program_become_a_sentence(own, says):
    view = widgets.LeafInspector(own)
    assert says in view.error and says in " ".join(repr(view.model).split())
    assert view.tick("x", "hook").message
    view.predict("grad").show()
    assert view.snapshot() and view.summary()


def test_errors_within_a_step_become_a_sentence():
    inspector = LeafInspector(x=[1, 2], y=lambda x: x @ [1], z=lambda y: y * 2)
    assert inspector.failed_line == "y = x @ [1]" and inspector.rows["z"] is None
    inspector = LeafInspector(x=[1, 2], y=lambda x: 3)
    assert inspector.error == "y is an int; it must be a tensor." and agrees(
        inspector
    )


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda: LeafInspector("S9-9"), ValueError, "Known are: flags"),
        (lambda: LeafInspector(3), ValueError, "There is no example 3"),
        (lambda: LeafInspector("flags", x=1), TypeError, "either a program or its steps"),
        (lambda: LeafInspector(x=1), TypeError, "only leaves"),
        (
            lambda: LeafInspector(y=lambda x: x, x=1),
            TypeError,
            "takes x; there is only torch before",
        ),
        (lambda: LeafInspector(x="3,5", y=lambda x: x), ValueError, "type \\[3, 5\\]"),
        (lambda: LeafInspector(x=[0] * 13, y=lambda x: x), ValueError, "up to 12"),
        (lambda: LeafInspector(**{f"t{k}": 1 for k in range(9)}), ValueError, "up to 8"),
    ],
)
def test_an_inspector_that_cannot_be_opened_says_why(make, error, says):
    with pytest.raises(error, match=says):
        make()


# --- any sequence of actions ------------------------------------------------------------------


class Learner(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.inspector = LeafInspector("flags")
        self.other = LeafInspector("23 hook").tick("y", "retain_grad")
        self.untouched = self.other.state()

    @rule(name=st.sampled_from([*EXAMPLES, "?"]))
    def load(self, name):
        self.inspector.load(name)

    @rule(data=st.data(), what=st.sampled_from(TICKS), on=st.booleans())
    def tick(self, data, what, on):
        name = data.draw(st.sampled_from(self.inspector.names))
        self.inspector.tick(name, what, on)
        assert self.inspector.message is None
        if what != "requires_grad":
            assert self.inspector.is_ticked(name, what) == on

    @rule(column=st.sampled_from(["", *COLUMNS]))
    def predict(self, column):
        self.inspector.predict(column)
        assert self.inspector.covered == bool(column)

    @rule(
        data=st.data(),
        value=st.one_of(
            st.sampled_from(["True", "False", "None", "[1, 2, 3]", "0", "MulBackward0", ""]),
            st.text(max_size=5),
            st.booleans(),
            st.none(),
        ),
    )
    def guess(self, data, value):
        before = self.inspector.state()
        self.inspector.guess(data.draw(st.sampled_from(self.inspector.names)), value)
        if self.inspector.message:
            assert self.inspector.state() == {**before, "message": self.inspector.message}

    @rule(action=st.sampled_from(["compare", "show", "untick_all"]))
    def press(self, action):
        getattr(self.inspector, action)()

    @invariant()
    def agrees_with_pytorch_and_is_consistent(self):
        assert agrees(self.inspector)
        failed = [line.state for line in self.inspector.lines].count("failed")
        assert failed == (self.inspector.error is not None)
        for row in filter(None, self.inspector.rows.values()):
            assert (row["grad_fn"] is None) == row["is_leaf"]
            assert row["requires_grad"] or row["is_leaf"]
        assert self.other.state() == self.untouched
        assert max(map(len, repr(self.inspector).splitlines())) <= 100


TestAnySequenceOfActions = Learner.TestCase
TestAnySequenceOfActions.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


# --- on the screen ----------------------------------------------------------------------------


def test_ticks_change_the_program_and_the_table():
    view = widgets.LeafInspector("6 inner gradient")
    named(view, "retain y.grad").value = True
    assert "+ y.retain_grad()" in html_of(view) and view.rows["y"]["grad"] == [1, 1, 1]
    named(view, "x requires_grad").value = False
    assert "can&#x27;t retain_grad on Tensor" in html_of(view) and "failed here" in html_of(view)
    assert not named(view, "y requires_grad").value
    named(view, "untick all").click()
    assert named(view, "x requires_grad").value and not named(view, "retain y.grad").value
    view.model.tick("y", "hook")
    assert (
        named(view, "hook on y").value
        and named(view, "hook on y").tooltip == "y.register_hook(lambda g: g * 10)"
    )


def test_a_refused_tick_is_taken_back():
    view = widgets.LeafInspector(program)
    named(view, "detach y here").value = True
    assert not named(view, "detach y here").value and "Give it in steps" in html_of(view)


def test_guesses_are_made_in_lists_or_typed():
    view = widgets.LeafInspector("flags")
    named(view, "predict").value = "is_leaf"
    assert not named(view, "run and compare").disabled and view._table.value.count(">?<") == 4
    named(view, "x.is_leaf").value = "True"
    named(view, "y.is_leaf").value = "True"
    named(view, "run and compare").click()
    assert "1 of 2 right" in html_of(view) and "you said True" in html_of(view)
    assert named(view, "x.is_leaf").disabled
    named(view, "predict").value = "grad"
    named(view, "x.grad").value = "[2, 0"
    assert "] is missing" in html_of(view) and named(view, "x.grad").value == "[2, 0"
    named(view, "x.grad").value = "[2, 0, -2/2]"
    named(view, "run and compare").click()
    assert "1 of 1 right" in html_of(view) and named(view, "x.grad").value == "[2, 0, -2/2]"
    named(view, "predict").value = "none"
    assert not [found for found in controls_of(view) if found.description == "x.grad"]


def test_a_guess_can_be_taken_back():
    view = widgets.LeafInspector("flags")
    view.model.predict("is_leaf")
    named(view, "x.is_leaf").value = "True"
    named(view, "x.is_leaf").value = "choose"
    assert view.guesses == {}


def test_another_example_brings_its_own_ticks():
    view = widgets.LeafInspector()
    for name in EXAMPLES:
        named(view, "example").value = name
        ticks = [found for found in controls_of(view) if isinstance(found, ipywidgets.Checkbox)]
        assert len(ticks) == len(TICKS) * len(view.names) and view.program.name == name
        assert all(found.description.strip() for found in controls_of(view))
    assert "mg-tensors" in html_of(view) and 'aria-live="polite"' in html_of(view)


def test_controls_are_kept_while_the_program_stays():
    view = widgets.LeafInspector()
    before = list(controls_of(view))
    named(view, "hook on y").value = True
    named(view, "x in-place here").value = True
    assert list(controls_of(view)) == before


def test_text_of_the_learner_is_escaped():
    view = widgets.LeafInspector(lambda torch: {"<i>": torch.ones(1, requires_grad=True) * 2})
    assert "<i>" not in html_of(view) and "&lt;i&gt;" in html_of(view)


def test_two_inspectors_do_not_disturb_each_other():
    first, second = widgets.LeafInspector(), widgets.LeafInspector()
    before = second.state(), html_of(second)
    named(first, "hook on y").value = True
    first.predict("grad")
    assert (second.state(), html_of(second)) == before


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_snapshot_is_a_picture_and_the_same_every_time(name, request):
    first = widgets.LeafInspector(name)
    still = still_of(first)
    request.getfixturevalue("no_torch")
    again = widgets.LeafInspector(name)
    assert still_of(again) == still and repr(again) == repr(first)
    assert all("stored from torch" in text for text in still)
    assert len(repr(first)) < 250


def test_a_covered_snapshot_does_not_tell():
    view = widgets.LeafInspector("23 hook")
    view.model.predict("grad")
    bundle = view._repr_mimebundle_()
    assert "240" not in html.unescape(bundle["text/html"]) and "240" not in bundle["text/plain"]


def test_running_a_program_leaves_no_state_behind():
    steps = [step for step, _ in module.with_ticks(EXAMPLES["23 hook"], {("y", "hook"): True})]
    assert module.run(steps, torch) == module.run(steps, torch)


def test_the_same_column_can_be_guessed_again():
    view = widgets.LeafInspector("6 inner gradient")
    view.predict("is_leaf").guess("x", "False").compare()
    assert view.results == {"x": False}
    again = next(c for c in controls_of(view) if c.description == "guess again")
    assert "mg-hidden" not in again._dom_classes
    again.click()
    assert view.covered and view.guesses == {} and "mg-hidden" in again._dom_classes
