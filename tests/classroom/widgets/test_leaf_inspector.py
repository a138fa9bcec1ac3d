"""The leaf inspector: every example, tick and guess against real PyTorch, and its view."""

import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import widgets
from minigrad.classroom.compare import recorded
from minigrad.classroom.compare.results import run
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.leaf_inspector.examples import EXAMPLES
from minigrad.classroom.widgets.leaf_inspector.model import LeafInspector, programs_to_record
from minigrad.classroom.widgets.leaf_inspector.program import COLUMNS, TICKS
from tests.classroom.panels import controls_of, html_of, name_of, named, parsed

NO_GRAD_FN = "element 0 of tensors does not require grad and does not have a grad_fn"
LEAF_IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."


def column(inspector, name):
    return {tensor: row and row[name] for tensor, row in inspector.rows.items()}


def text_of(inspector):
    return [line.text for line in inspector.lines]


def one_line(model):
    return " ".join(repr(model).split())


def agrees(inspector):
    return inspector.torch_answer(wait=True).found is not None and not any(
        inspector.comparison().values()
    )


# --- the examples --------------------------------------------------------------------------------


def test_the_flags_are_those_of_a_program_written_for_pytorch():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    c = torch.tensor([2.0, 0.0, -1.0])
    y = x * c
    z = y.sum()
    z.backward()
    rows = LeafInspector().rows
    for name, tensor in {"x": x, "c": c, "y": y, "z": z}.items():
        node = tensor.grad_fn and type(tensor.grad_fn).__name__
        told = (tensor.is_leaf, tensor.requires_grad, node, tensor.retains_grad, tensor._version)
        assert [rows[name][flag] for flag in COLUMNS[:-1]] == list(map(str, told))
    assert rows["x"]["grad"] == x.grad.tolist() and rows["c"]["grad"] is None


@pytest.mark.parametrize(
    "name, error",
    [
        *(
            (name, None)
            for name in (
                "flags",
                "5 myth",
                "6 inner gradient",
                "17 no_grad",
                "23 hook",
                "18 w = w - ...",
                "19 four copies",
                "22 second derivative",
            )
        ),
        ("5 saved value", "which is output 0 of Exp, is at version 1; expected version 0 instead."),
        *((name, NO_GRAD_FN) for name in ("7 detached", "7 argmax")),
        ("17 leaf in place", LEAF_IN_PLACE),
        ("17 slice", "a view of a leaf Variable that requires grad is being used in an in-place"),
    ],
)
def test_each_example_ends_as_it_should(name, error):
    inspector = LeafInspector(name)
    failed = [line.text for line in inspector.lines if line.state == "failed"]
    assert error in inspector.error if error else inspector.error is None
    assert failed == ([inspector.failed_line] if error else [])


def test_what_the_examples_show():
    assert column(LeafInspector("23 hook"), "grad")["x"] == [80, 160, 240]
    assert column(LeafInspector("22 second derivative"), "grad")["x"] == [6, 12, 18]
    copies = LeafInspector("19 four copies")
    assert column(copies, "grad")["x"] == [1, 1, 1]
    assert list(column(copies, "is_leaf").values()) == ["True"] * 4 + ["False"] * 2
    assert LeafInspector("18 w = w - ...").rows["w"]["grad"] is None
    assert column(LeafInspector("17 no_grad"), "_version") == {"w": "1", "loss": "0"}


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


def test_the_first_example_is_recorded_with_each_single_tick(no_torch):
    inspector = LeafInspector()
    for tensor in inspector.names:
        for what in TICKS:
            inspector.tick(tensor, what, what != "requires_grad" or tensor == "c")
            assert inspector.torch_answer().source == "stored" and agrees(inspector)
            inspector.untick_all()
    inspector.tick("x", "hook").tick("y", "hook")
    assert inspector.torch_answer(wait=True).source == "missing" and inspector.comparison() is None
    assert "is not recorded" in one_line(inspector)


def test_what_is_recorded_is_what_torch_answers_now():
    ours = {key: run(program, torch)[0] for key, program in programs_to_record().items()}
    stored = {k: a for k, a in recorded.answers().items() if k.startswith("LeafInspector ")}
    assert stored == ours and len(ours) == 33


def test_a_wrong_entry_would_not_be_called_equal():
    inspector = LeafInspector()
    inspector.torch_answer(wait=True)
    inspector._shown = inspector._shown._replace(stopped="RuntimeError: ?")
    rows = inspector._shown.rows
    rows["x"]["grad"][0] = 2.1
    rows["y"]["grad_fn"] = "MulBackward1"
    rows["c"]["_version"] = "1"
    assert inspector.comparison() == {
        "x": "grad",
        "c": "_version",
        "y": "grad_fn",
        "z": "",
        "the error": "differs",
        "the warnings": "",
    }
    assert "\u2260 grad_fn" in one_line(inspector)


def test_a_tensor_may_be_called_error():
    inspector = LeafInspector(error=[1, 2], y=lambda error: error * 2)
    inspector.torch_answer(wait=True)
    inspector._shown = inspector._shown._replace(stopped="RuntimeError: ?")
    assert inspector.comparison() == {
        "the error": "differs",
        "the warnings": "",
        "error": "",
        "y": "",
    }


# --- ticks are lines of code ---------------------------------------------------------------------


def test_ticks_put_their_lines_after_the_one_that_makes_the_tensor():
    inspector = LeafInspector("6 inner gradient")
    for what in ("hook", "retain_grad", "in_place"):
        inspector.tick("y", what)
    ticked = ["y.add_(1)", "y.retain_grad()", "y.register_hook(lambda g: g * 10)"]
    assert text_of(inspector)[1:6] == ["y = x * 2", *ticked, "z = y.sum()"]
    assert [line.text for line in inspector.lines if line.ticked] == ticked
    assert inspector.rows["y"]["grad"] == [10, 10, 10] and inspector.rows["y"]["_version"] == "1"
    assert inspector.tick("y", "hook", False).rows["x"]["grad"] == [2, 2, 2]
    assert text_of(inspector.untick_all()) == [step.text for step in inspector.example.steps]


def test_requires_grad_of_a_leaf_is_written_where_it_is_made():
    inspector = LeafInspector().tick("x", "requires_grad", False)
    assert text_of(inspector)[0] == "x = torch.tensor([1., 2., 3.])"
    assert NO_GRAD_FN in inspector.error
    inspector.tick("c", "requires_grad")
    assert inspector.rows["c"]["grad"] == [1, 2, 3] and inspector.error is None
    assert inspector.tick("x", "requires_grad").ticks == {("c", "requires_grad"): True}
    inspector.tick("y", "requires_grad", False)  # only leaves can
    assert "you can only change requires_grad flags of leaf variables." in inspector.error
    assert not inspector.is_ticked("y", "requires_grad")


def test_a_detached_tensor_may_become_a_new_leaf_where_its_name_got_its_last_value():
    inspector = LeafInspector("18 w = w - ...").tick("w", "detach")
    assert not inspector.is_ticked("w", "requires_grad")
    inspector.tick("w", "requires_grad")
    assert text_of(inspector)[3:6] == [
        "w = w - 0.1 * w.grad",
        "w = w.detach()",
        "w.requires_grad_()",
    ]
    assert inspector.rows["w"]["is_leaf"] == "True"
    assert inspector.rows["w"]["grad"] == pytest.approx([1.6, 3.2])


def test_a_line_that_fails_stops_the_program():
    inspector = LeafInspector().tick("x", "in_place")
    assert inspector.error == f"RuntimeError: {LEAF_IN_PLACE}"
    assert [line.state for line in inspector.lines] == ["ran", "failed"] + ["not reached"] * 4
    assert inspector.rows["z"] is None and inspector.cell("z", "is_leaf") == "not reached"


def test_warnings_are_sentences_and_are_not_printed(recwarn):
    inspector = LeafInspector("6 inner gradient")
    (told,) = inspector.warnings
    assert told.startswith("Reading y.grad and z.grad warns: The .grad attribute of a Tensor that")
    assert "Triggered" not in told and agrees(inspector)
    assert inspector.tick("y", "retain_grad").tick("z", "retain_grad").warnings == []
    assert not recwarn.list


# --- predicting a column -------------------------------------------------------------------------


def test_a_column_is_covered_guessed_and_compared():
    inspector = LeafInspector(predict="is_leaf")
    assert inspector.covered and inspector.choices == ["True", "False"]
    assert repr(inspector).count("?") == 5  # four, and the question
    inspector.guess("x", "true").guess("c", "False").guess("y", False)
    assert inspector.results == {}
    assert inspector.compare().results == {"x": True, "c": False, "y": True}
    assert inspector.score_line() == "2 of 3 right" and "\u2260 you: False" in one_line(inspector)
    assert "first guesses stay" in inspector.guess("c", "True").message


def test_each_column_has_its_own_kind_of_guess():
    inspector = LeafInspector(predict="grad_fn")
    assert inspector.choices == ["None", "AccumulateGrad", "MulBackward0", "SumBackward0"]
    inspector.guess("y", "mulbackward0").guess("x", None).compare()
    assert inspector.results == {"x": True, "y": True}
    inspector.predict("_version").guess("x", 0).guess("y", "1")
    assert inspector.compare().results == {"x": True, "y": False}
    inspector.predict("grad").guess("x", "[2, 0, -1]").guess("c", "none").guess("y", "[1, 1, 1]")
    assert inspector.guess("z", "[1, 2").refused_at == ("guess", "z")
    assert inspector.compare().results == {"x": True, "c": True, "y": False}
    assert not inspector.predict("").covered


def test_grads_are_right_to_the_digits_that_are_shown_and_a_tick_asks_again():
    inspector = LeafInspector(x=[1, 2], y=lambda x: x.exp()).predict("grad")
    assert inspector.guess("x", "[2.7183, 7.3891]").compare().results == {"x": True}
    assert inspector.tick("y", "detach", False).covered and inspector.guesses == {}
    assert inspector.guess("x", "[2.7, 7.4]").compare().results == {"x": False}


def test_a_covered_column_and_what_would_give_it_away_is_not_told():
    view = widgets.LeafInspector("7 detached", predict="requires_grad")
    told = one_line(view.model) + view.announcement() + html_of(view) + view.still() + repr(view)
    assert not [text for text in ("element 0", "failed here", "is recorded") if text in told]
    assert "mg-unseen" in named(view, "x requires_grad").node["class"]
    view.show()
    assert "element 0" in html_of(view)
    assert not named(view, "x requires_grad").node.get("class")


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
    inspector = LeafInspector().tick("y", "hook")
    rows, ticks = inspector.rows, dict(inspector.ticks)
    assert act(inspector).message.endswith(".")
    assert inspector.rows == rows and inspector.ticks == ticks and inspector.guesses == {}
    assert "refused: " in repr(inspector) and "Not used" in inspector.announcement()


# --- the learner's own program -------------------------------------------------------------------


def test_a_program_in_steps():
    inspector = LeafInspector(x=[1, 2], k="3", y=lambda x, k: x * k, z=torch_exp)
    assert text_of(inspector) == [
        "x = torch.tensor([1., 2.], requires_grad=True)",
        "k = torch.tensor(3., requires_grad=True)",
        "y = x * k",
        "z = torch_exp(y)",
        "z.sum().backward()",
    ]
    assert agrees(inspector) and inspector.rows["k"]["grad"] == pytest.approx(826.943, rel=1e-5)
    assert inspector.tick("z", "in_place").error and agrees(inspector)
    assert inspector.load("23 hook").load("your function").names == ["x", "k", "y", "z"]
    failed = LeafInspector(x=[1, 2], y=lambda x: x @ [1], z=lambda y: y * 2)
    assert failed.failed_line == "y = x @ [1]" and failed.rows["z"] is None
    failed = LeafInspector(x=[1, 2], y=lambda x: 3)
    assert "The function for y returned an int" in failed.error and agrees(failed)
    builtin = LeafInspector(x=[4], y=abs, v=[3])
    assert text_of(builtin)[1:] == ["y = abs(x)", "y.backward(torch.tensor([3.]))"]
    assert builtin.rows["x"]["grad"] == [3] and agrees(builtin)


def torch_exp(torch, y):
    return torch.exp(y)


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: LeafInspector("S9-9"), "Known are: flags"),
        (lambda: LeafInspector(3), "not an int"),
        (lambda: LeafInspector(lambda x: x * x), "in steps, LeafInspector\\(x=\\[1, 2\\]"),
        (lambda: LeafInspector("flags", x=1), "brings its own numbers"),
        (lambda: LeafInspector("flags", v=1), "takes no v"),
        (lambda: LeafInspector(predict="colour"), "no column"),
        (lambda: LeafInspector(x=1), "only leaves"),
        (lambda: LeafInspector(y=lambda x: x, x=1), "takes x; there is no tensor before it"),
        (lambda: LeafInspector(x=1, z=lambda y: y), "takes y; there is only x before it"),
        (lambda: LeafInspector(x="3,5", y=lambda x: x), "type \\[3, 5\\]"),
        (lambda: LeafInspector(x=[0] * 13, y=lambda x: x), "up to 12"),
        (lambda: LeafInspector(**{f"t{k}": 1 for k in range(9)}), "up to 8"),
    ],
)
def test_an_inspector_that_cannot_be_opened_says_why(make, says):
    with pytest.raises(Refused, match=says):
        make()


# --- any sequence of actions ---------------------------------------------------------------------


class Learner(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.inspector = LeafInspector()
        self.other = LeafInspector("23 hook").tick("y", "retain_grad")
        self.untouched = self.other.state()

    @rule(name=st.sampled_from([*EXAMPLES, "?"]))
    def load(self, name):
        self.inspector.load(name)

    @rule(data=st.data(), what=st.sampled_from(list(TICKS)), on=st.booleans())
    def tick(self, data, what, on):
        name = data.draw(st.sampled_from(self.inspector.names))
        self.inspector.tick(name, what, on)
        assert self.inspector.message is None
        assert what == "requires_grad" or self.inspector.is_ticked(name, what) == on

    @rule(column=st.sampled_from(["", *COLUMNS]))
    def predict(self, column):
        assert self.inspector.predict(column).covered == bool(column)

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
        self.inspector.guess(data.draw(st.sampled_from(self.inspector.names)), value)

    @rule(action=st.sampled_from(["compare", "show", "untick_all"]))
    def press(self, action):
        getattr(self.inspector, action)()

    @invariant()
    def agrees_with_pytorch_and_is_consistent(self):
        assert agrees(self.inspector)
        failed = [line.state for line in self.inspector.lines].count("failed")
        assert failed == (self.inspector.error is not None)
        for row in filter(None, self.inspector.rows.values()):
            assert (row["grad_fn"] == "None") == (row["is_leaf"] == "True")
            assert row["requires_grad"] == "True" or row["is_leaf"] == "True"
        assert self.other.state() == self.untouched
        assert max(map(len, repr(self.inspector).splitlines())) <= 100


TestAnySequenceOfActions = Learner.TestCase
TestAnySequenceOfActions.settings = settings(max_examples=20, stateful_step_count=12, deadline=None)


# --- on the screen -------------------------------------------------------------------------------


def test_ticks_change_the_program_and_the_table():
    view = widgets.LeafInspector("6 inner gradient")
    named(view, "retain y.grad").value = True
    assert "+ y.retain_grad()" in html_of(view) and view.rows["y"]["grad"] == [1, 1, 1]
    assert "mg-changed" in html_of(view)
    named(view, "x requires_grad").value = False
    assert "can&#x27;t retain_grad on Tensor" in html_of(view) and "failed here" in html_of(view)
    assert not named(view, "y requires_grad").value
    named(view, "untick all").click()
    assert named(view, "x requires_grad").value and not named(view, "retain y.grad").value
    view.model.tick("y", "hook")
    assert named(view, "hook on y").value
    assert named(view, "hook on y").node["title"] == "y.register_hook(lambda g: g * 10)"


def test_guesses_are_made_in_the_cells_of_the_column():
    view = widgets.LeafInspector()
    named(view, "predict").value = "is_leaf"
    assert html_of(view).count(">?<") == 4 and named(view, "compare").disabled
    named(view, "x.is_leaf").value = "True"
    named(view, "y.is_leaf").value = "True"
    named(view, "z.is_leaf").value = "True"
    named(view, "z.is_leaf").value = "?"  # taken back
    named(view, "compare").click()
    assert "1 of 2 right" in html_of(view) and "y: you said True, it is False." in html_of(view)
    assert html_of(view).count("mg-different") == 1 and not has(view, "x.is_leaf")
    assert not has(view, "show me")
    named(view, "guess again").click()
    assert view.covered and view.guesses == {} and not has(view, "guess again")
    named(view, "predict").value = "grad"
    named(view, "x.grad").value = "[2, 0"
    assert "] is missing" in html_of(view) and named(view, "x.grad").refused
    named(view, "x.grad").value = "[2, 0, -2/2]"
    assert named(view, "x.grad").value == "[2, 0, -1]"
    named(view, "compare").click()
    assert "1 of 1 right" in html_of(view)
    named(view, "predict").value = "no column"
    assert not has(view, "x.grad")


def test_a_wrong_guess_about_a_tensor_that_was_not_reached_has_its_sign():
    view = widgets.LeafInspector("17 slice")
    view.predict("is_leaf")
    view.guess("loss", "True")
    view.compare()
    assert "\u2260 \u2013" in parsed(view).select_one(".mg-different").get_text()


def has(view, name):
    return name in map(name_of, (control.node for control in controls_of(view)))


def test_another_example_brings_its_own_ticks():
    view = widgets.LeafInspector()
    for name in EXAMPLES:
        named(view, "example").value = name
        ticks = [one for one in controls_of(view) if one.node.get("type") == "checkbox"]
        assert len(ticks) == len(TICKS) * len(view.names) and view.example.name == name
        assert all(name_of(one.node) for one in controls_of(view))


def test_text_of_the_learner_is_escaped():
    view = widgets.LeafInspector(**{"<i>": [1, 2], "<b>": abs})
    assert "<i>" not in html_of(view) and "&lt;i&gt;" in html_of(view)
    assert view.tick("<b>", "in_place").error is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_torch_the_recorded_answer_is_shown_and_a_still_is_the_same(name, request):
    still = widgets.LeafInspector(name).still()
    request.getfixturevalue("no_torch")
    again = widgets.LeafInspector(name)
    assert again.torch_answer(wait=True).source == "stored" and agrees(again.model)
    assert again.still() == still and "stored from torch 2.13.0" in still
