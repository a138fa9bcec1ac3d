"""The upstream editor's model: every example, every action, any bad input, against real PyTorch."""

import contextlib

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.compare.agreement import agree
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.shared.point import in_float32, pull_back
from minigrad.classroom.widgets.upstream_editor.examples import EXAMPLES
from minigrad.classroom.widgets.upstream_editor.model import BUTTONS, UpstreamEditor
from tests.cases import over
from tests.classroom.panels import parsed

BAD_TEXT = [
    "",
    "  ",
    "abc",
    "nan",
    "-inf",
    "1e400",
    "1e39",
    "3,5",
    "1/0",
    "[1, 2",
    "[[1, 2], [3]]",
    "__import__('os')",
    "[1, __import__('os')]",
    "1" * 20_000,
    "[" * 5000,
    "[1,, 2]",
    "\u00bd",
]
BAD_VALUES = [
    None,
    ...,
    True,
    [None],
    {"a": 1},
    object(),
    float("nan"),
    [float("inf")],
    10**400,
    "x",
    [[1], [2, 3]],
    np.array([np.nan]),
    1 + 2j,
]
MISMATCH = "Mismatch in shape: grad_output[0] has a shape of "


def torch_grad(example, x, v):
    """(y, x.grad) by PyTorch, found here without the editor."""
    y, grad = pull_back(torch, example, in_float32(x), in_float32(v))
    return y.numpy(), grad.numpy()


def shown(editor):
    """The state without the message of the last refusal."""
    state = editor.state()
    del state["message"], state["refused_at"]
    return state


def agrees(editor):
    """Whether minigrad, PyTorch and nudging say the same, where nudging can."""
    answer = editor.torch_answer(wait=True)
    return editor.agreement_with(answer.found["x.grad"])[0]


# --- the examples --------------------------------------------------------------------------------

EXPECTED = {
    "a * a": [[2, 8, 18], [32, 50, 72]],
    "a * a, ones": [[2, 4, 6], [8, 10, 12]],
    "(a * a).sum()": [[2, 4, 6], [8, 10, 12]],
    "doubling": [102.4, 1024, 0.1024],
    "three terms, a": [0.3, 3, 0.0003],
    "three terms, b": [1.2, 16, 0.002],
    "three terms, c": [1.6667e-2, 1.4286e-1, 1.25e-5],
    "three losses": [8, 10],
    "three losses, weighed": [-0.1994, 4.0006],
    "x.mm(a)": [[10, 10, 10], [26, 26, 26]],
    "mean of cubes": [[6.2033, 0.6656], [5.2515, 0.1105]],
    "two layers": [17, 8],
    "A @ x": [41, 52, 63],
    "3x and x\u00b2": 2,  # of the answer: 2 times 3, minus 4
    "x * x": [2, 0, -6],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_gives_the_documents_numbers_on_all_three_sides(name):
    editor = UpstreamEditor(name)
    np.testing.assert_allclose(editor.input_grad, EXPECTED[name], rtol=5e-4)
    np.testing.assert_allclose(editor.torch_grad, editor.input_grad, rtol=1e-5)
    np.testing.assert_allclose(editor.nudge_grad, editor.input_grad, rtol=1e-4)
    assert agrees(editor)
    assert editor.message is None
    assert max(map(len, repr(editor).splitlines())) <= 100


@pytest.mark.parametrize("name", EXAMPLES)
def test_nudging_shows_the_same_digits_as_the_backward_pass(name):
    from minigrad.classroom.show.formatting import nested

    editor = UpstreamEditor(name)
    assert nested(editor.nudge_grad) == nested(editor.input_grad)


@over("name", EXAMPLES)
@over("button", BUTTONS)
def test_every_button_sets_v_or_is_refused_in_pytorchs_words(name, button):
    editor = UpstreamEditor(name)
    before = shown(editor)
    editor.press(button)
    if editor.message:
        assert editor.message.startswith(MISMATCH) and editor.refused_by == "engine"
        assert shown(editor) == before
    else:
        assert np.shape(editor.upstream) == editor.output_shape
        assert agrees(editor)


def test_the_buttons():
    editor = UpstreamEditor("a * a")
    assert editor.press("ones").upstream == [[1.0] * 3] * 2
    assert editor.input_grad == [[2, 4, 6], [8, 10, 12]]
    assert editor.press("input").upstream == editor.input
    assert editor.press("zero").input_grad == [[0.0] * 3] * 2
    assert (
        editor.press("random").upstream
        == UpstreamEditor("A @ x").load("a * a, ones").press("random").upstream
    )
    assert editor.press("example").message.startswith(MISMATCH + "torch.Size([3])")
    assert (
        UpstreamEditor("three losses").press("example").upstream
        == np.float32([0.1, 1, 0.0001]).tolist()
    )
    assert editor.press("twos").message.startswith("There is no button 'twos'. Known are: ones")


def test_one_hot_gives_one_row_of_the_jacobian():
    editor = UpstreamEditor("A @ x")
    assert editor.jacobian == [[1, 2, 3], [4, 5, 6]]
    assert editor.one_hot(0).input_grad == [1, 2, 3]
    assert editor.one_hot(1).input_grad == [4, 5, 6]
    assert editor.upstream == [0, 1]


# --- the lines of arithmetic ---------------------------------------------------------------------


def test_the_lines_of_arithmetic():
    editor = UpstreamEditor("A @ x")
    assert editor.loss_line() == "L = 1\u00b7y\u2081 + 10\u00b7y\u2082 = 334"
    assert (
        editor.sum_line()
        == "x.grad[1] = \u03a3 v\u00b7\u2202y/\u2202x\u2082 = 1\u00b72 + 10\u00b75 = 52"
    )
    assert editor.select(0).sum_line().endswith("= 1\u00b71 + 10\u00b74 = 41")
    assert "L = -1\u00b7y\u2081 - 0.5\u00b7y\u2082" in editor.set_upstream([-1, -0.5]).loss_line()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_written_terms_add_up_to_the_gradient(name):
    editor = UpstreamEditor(name).press("random")
    v = np.ravel(editor.upstream)
    for position, index in enumerate(np.ndindex(editor.input_shape)):
        column = np.array(editor.jacobian)[:, position]
        total = np.array(editor.input_grad)[index]
        np.testing.assert_allclose(v @ column, total, rtol=1e-4, atol=1e-5)


def test_long_sums_are_cut_and_say_so():
    editor = UpstreamEditor(lambda torch, x: torch.stack([x] * 5).reshape(-1), list(range(10)))
    assert "38 more" in editor.loss_line()
    assert "45 that are 0" in editor.sum_line()
    assert max(map(len, repr(editor).splitlines())) <= 100


# --- typed input ---------------------------------------------------------------------------------


def test_typed_text_is_accepted():
    editor = UpstreamEditor("three losses")
    assert (
        editor.set_upstream("v = [1/2, -2e-3, \u22121]").upstream
        == np.float32([0.5, -0.002, -1]).tolist()
    )
    assert editor.set_upstream_entry(1, "1/3").upstream[1] == pytest.approx(1 / 3)
    assert editor.set_upstream_entry((2,), 4).upstream[2] == 4


@pytest.mark.parametrize("text", BAD_TEXT, ids=lambda text: text[:12])
def test_bad_text_is_refused_with_a_sentence_and_changes_nothing(text):
    editor = UpstreamEditor("a * a", edit_input=True)
    before = shown(editor)
    for act in (
        lambda: editor.set_upstream(text),
        lambda: editor.set_upstream_entry((0, 1), text),
        lambda: editor.set_input(text),
        lambda: editor.set_input_entry((0, 1), text),
    ):
        assert act() is editor
        assert editor.message and editor.refused_by == "reader" and shown(editor) == before
        assert "refused: " in repr(editor)
    assert editor.press("ones").message is None


@pytest.mark.parametrize("value", BAD_VALUES, ids=lambda value: type(value).__name__)
def test_bad_values_are_refused_too(value):
    editor = UpstreamEditor("a * a", edit_input=True)
    before = shown(editor)
    for act in (
        editor.set_upstream,
        editor.set_input,
        lambda v: editor.set_upstream_entry((0, 0), v),
    ):
        act(value)
        assert editor.message and shown(editor) == before


@pytest.mark.parametrize(
    "value, sizes",
    [
        ([1, 2, 3], "[3]"),
        ([[1], [2]], "[2, 1]"),
        (1, "[]"),
        ([], "[0]"),
        ([[[1, 2, 3], [4, 5, 6]]], "[1, 2, 3]"),
        ("[[1, 2, 3]]", "[1, 3]"),
        ("2", "[]"),
        (np.ones((3, 2)), "[3, 2]"),
    ],
)
def test_a_wrong_shape_is_refused_in_pytorchs_own_words(value, sizes):
    editor = UpstreamEditor("a * a")
    before = shown(editor)
    editor.set_upstream(value)
    ones = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError) as refusal:
        (ones * ones).backward(torch.zeros(eval(sizes)))
    assert editor.message == str(refusal.value)
    assert (
        editor.refused_by == "engine"
        and editor.refused_at == "upstream"
        and shown(editor) == before
    )


def test_indices_outside_are_refused():
    editor = UpstreamEditor("a * a")
    before = shown(editor)
    for index in ((2, 0), (0,), 7, (0, 0, 0), (0, -1)):
        for act in (editor.one_hot, editor.select, lambda i: editor.set_upstream_entry(i, 1)):
            assert "outside a shape of (2, 3)" in act(index).message and shown(editor) == before


# --- the input -----------------------------------------------------------------------------------


def test_the_input_is_locked_unless_asked_for():
    editor = UpstreamEditor("a * a")
    before = shown(editor)
    editor.set_input([[1, 1, 1], [1, 1, 1]])
    assert editor.message == "a is locked in this editor." and shown(editor) == before


def test_an_edited_input_changes_everything_that_depends_on_it():
    editor = UpstreamEditor("a * a", edit_input=True).set_input_entry((0, 0), "5")
    assert editor.output[0][0] == 25 and editor.input_grad[0][0] == 10
    assert editor.jacobian[0][0] == 10 and agrees(editor) and editor.nudge_comparison()[0]


def test_an_input_of_another_shape_brings_a_v_of_its_shape():
    editor = UpstreamEditor(lambda x: x * x, [1, 2, 3], edit_input=True).set_input(
        "[[1, 2], [3, 4]]"
    )
    assert editor.upstream == [[1, 1], [1, 1]] and editor.input_grad == [[2, 4], [6, 8]]
    assert editor.selected == (0, 1)


def test_an_input_that_the_function_cannot_take_is_refused():
    editor = UpstreamEditor("A @ x", edit_input=True)
    before = shown(editor)
    editor.set_input([1, 2])
    assert "size mismatch" in editor.message and shown(editor) == before


def test_v_can_be_locked():
    editor = UpstreamEditor("(a * a).sum()", lock_upstream=True)
    for act in (
        lambda: editor.press("zero"),
        lambda: editor.set_upstream(2),
        lambda: editor.one_hot(()),
    ):
        act()
        assert editor.message == "v is locked in this editor." and editor.upstream == 1


# --- a learner's own function --------------------------------------------------------------------


def test_own_functions():
    editor = UpstreamEditor(lambda x: x**2, [1, 2, 3], v=[1, 0, 2])
    assert editor.input_grad == [2, 0, 12] and agrees(editor)
    editor = UpstreamEditor(lambda torch, x: torch.log(x), [[1, 2], [4, 5]])
    assert editor.input_grad == [[1, 0.5], [0.25, np.float32(0.2)]] and agrees(editor)
    assert editor.load("a * a").example.name == "a * a"
    assert editor.load("your function").input == [[1, 2], [4, 5]]
    assert UpstreamEditor(lambda x, power=3: x**power, 2).input_grad == 12


def test_a_function_bound_to_one_engine_still_shows_the_other_sides():
    constant = minigrad.tensor([2.0, 3.0])
    editor = UpstreamEditor(lambda x: x * constant, [1, 1])
    assert editor.input_grad == [2, 3] and editor.torch_grad is None
    assert "PyTorch could not run this" in repr(editor)


def test_float32_constants_are_nudged_in_float32_and_say_so():
    matrix = minigrad.tensor([[1.0, 2.0], [3.0, 4.0]])
    editor = UpstreamEditor(lambda x: matrix @ x, [1, 1])
    assert "float32" in editor.nudge_note and editor.nudge_comparison() == (True, "within 2e-02")


def test_a_corner_is_not_called_equal():
    editor = UpstreamEditor(lambda x: x.abs(), [0, 1])
    assert editor.input_grad == [0, 1] and editor.nudge_grad == [0, 1]
    editor = UpstreamEditor(lambda x: x.relu(), [0, 1])
    assert editor.nudge_grad == [0.5, 1] and not editor.nudge_comparison()[0]
    assert "\u2260" in repr(editor)


def test_nan_and_infinity_are_shown():
    editor = UpstreamEditor(lambda x: x.log(), [-1, 0, 1])
    assert str(editor.output[0]) == "nan" and editor.input_grad[1] == float("inf")
    assert agrees(editor)
    assert "nan" in repr(editor) and "inf" in editor.sum_line() + repr(editor)


def test_a_product_that_is_0_is_grey_and_one_of_0_and_infinity_is_not():
    def grey(panel):
        panel.select(0)
        _, terms = parsed(panel).select(".mg-sums tbody tr")
        return terms.get_text(), [cell.get_text() for cell in terms.select(".mg-nil")]

    text, nil = grey(widgets.UpstreamEditor(lambda x: x.log(), [0, 1], v=[0, 1]))
    assert "0\u00b7inf" in text and nil == []
    assert grey(widgets.UpstreamEditor("x * x", v=[1, 0, -1]))[1] == ["0\u00b70", "\u22121\u00b70"]


@pytest.mark.parametrize(
    "function, inputs, says",
    [
        (lambda x: [x, x], [[1, 2]], "torch.stack"),
        (lambda x: 3, [1], "must return one tensor"),
        (lambda x: None, [1], "Does it end with return?"),
        (lambda x: x.detach(), [1], "element 0 of tensors does not require grad"),
        (lambda torch, x: torch.stack([x] * 101).reshape(-1), [1], "1 to 100"),
        (lambda x: x[:0], [[1]], "1 to 100"),
        (lambda x: 1 / 0, [1], "ZeroDivisionError: division by zero."),
        (lambda x: x, [], "give numbers for x, too"),
        (lambda x: x, ["abc"], "not a number"),
        (torch.sin, [[1, 2]], "One tensor is minigrad's, the other PyTorch's"),
        ([1, 2], [], "not a list"),
    ],
)
def test_what_cannot_be_shown_raises_one_sentence_and_shows_no_other_example(
    function, inputs, says
):
    with pytest.raises(Refused) as refusal:
        UpstreamEditor(function, *inputs)
    assert says in str(refusal.value) and "\n" not in str(refusal.value)
    assert refusal.value._render_traceback_() == [f"Refused: {refusal.value}"]


@pytest.mark.parametrize("name, says", [("S9-9", r"Known are: a \* a"), (3, "not an int")])
def test_a_name_that_is_no_example(name, says):
    with pytest.raises(ValueError, match=says):
        UpstreamEditor(name)


def test_a_first_v_of_the_wrong_shape_is_refused_in_pytorchs_words():
    with pytest.raises(Refused, match=MISMATCH.replace("[", r"\[")):
        UpstreamEditor("a * a", v=[1, 2])
    assert UpstreamEditor("(a * a).sum()", v=3, lock_upstream=True).upstream == 3


# --- without PyTorch -----------------------------------------------------------------------------


def test_without_torch_the_stored_answer_is_shown_and_labelled(no_torch):
    editor = UpstreamEditor("a * a")
    for button in ("ones", "random", "input"):
        editor.press(button)
        assert editor.torch_answer().source == "stored"
        assert agree(editor.torch_grad, editor.input_grad)
        assert "stored from torch 2.13.0" in " ".join(repr(editor).split())


def test_without_torch_an_unrecorded_function_says_so(no_torch):
    for editor in (
        UpstreamEditor(lambda x: x * x, [1, 2]),
        UpstreamEditor("a * a", edit_input=True).set_input_entry((0, 0), 9),
    ):
        assert editor.torch_grad is None and editor.torch_answer().source == "missing"
        assert "is not recorded" in " ".join(repr(editor).split())


def test_loading_is_said_only_while_torch_can_still_come(monkeypatch):
    from minigrad.classroom.compare import engines

    monkeypatch.setattr(engines, "_warm", False)
    editor = UpstreamEditor(lambda x: x * x, [1, 2])
    assert editor.torch_answer().source == "loading"
    assert editor.torch_answer(wait=True).source == "live"
    assert editor.torch_answer().source == "live"


# --- a function of the learner's own that prints -------------------------------------------------


def test_what_a_function_prints_is_shown_for_its_first_call_alone(capsys):
    def prints(x):
        print("hello")
        return x * x

    editor = UpstreamEditor(prints, [1, 2], edit_input=True)
    assert capsys.readouterr().out == "hello\n"
    assert editor.set_input([3, 4]).message is None and capsys.readouterr().out == ""


def test_what_the_function_itself_raises_is_not_called_pytorchs():
    def picky(x):
        return x * (1 / (x.tolist()[0] - 3)) if len(x) < 4 else x[7]

    editor = UpstreamEditor(picky, [1, 2], edit_input=True).set_input([3, 3])
    assert (editor.message, editor.refused_by) == (
        "ZeroDivisionError: float division by zero.",
        "reader",
    )
    editor.set_input([1, 2, 3, 4])
    assert "out of bounds" in editor.message and editor.refused_by == "engine"


def test_a_sum_that_is_nan_one_output_at_a_time_is_not_called_equal():
    line = UpstreamEditor(lambda x: x.log(), [-1, 0]).select((1,)).sum_line()
    assert line.endswith("1\u00b7nan + 1\u00b7inf, one output at a time; all at once inf")


# --- predict first -------------------------------------------------------------------------------


def test_the_result_is_covered_until_a_guess_is_committed():
    editor = UpstreamEditor("a * a", predict=True)
    assert editor.covered and "72" not in repr(editor) and "72" not in editor.announcement()
    editor.card.commit("[[2, 4, 6], [8, 10, 12]]")
    assert not editor.covered and not editor.card.right and "72" in repr(editor)
    editor.press("ones")
    assert editor.card.right  # the guess is compared with what is shown now
    assert editor.load("a * a, ones").covered
    editor.card.show()
    assert not editor.covered


# --- any sequence of actions ---------------------------------------------------------------------

numbers = st.floats(-100, 100, width=32)
typed = st.one_of(st.sampled_from(BAD_TEXT), numbers.map(repr), st.text(max_size=8), st.just("1/3"))


class Learner(RuleBasedStateMachine):
    """Does anything, in any order; a second editor, left alone, must not notice."""

    def __init__(self):
        super().__init__()
        self.editor = UpstreamEditor("a * a", edit_input=True)
        self.other = UpstreamEditor("three losses")
        self.other_state = self.other.state()

    @contextlib.contextmanager
    def refusals_change_nothing(self):
        before = shown(self.editor)
        yield
        if self.editor.message:
            assert shown(self.editor) == before

    @rule(name=st.sampled_from([*EXAMPLES, "S9-9", ""]))
    def load(self, name):
        with self.refusals_change_nothing():
            self.editor.load(name)

    @rule(button=st.sampled_from(BUTTONS))
    def press(self, button):
        with self.refusals_change_nothing():
            self.editor.press(button)

    @rule(data=st.data())
    def one_hot(self, data):
        self.editor.one_hot(data.draw(st.sampled_from(list(np.ndindex(self.editor.output_shape)))))
        assert self.editor.message is None

    @rule(data=st.data(), text=typed)
    def type_a_weight(self, data, text):
        index = data.draw(st.sampled_from(list(np.ndindex(self.editor.output_shape))))
        with self.refusals_change_nothing():
            self.editor.set_upstream_entry(index, text)

    @rule(data=st.data(), value=numbers)
    def change_an_input(self, data, value):
        index = data.draw(st.sampled_from(list(np.ndindex(self.editor.input_shape))))
        with self.refusals_change_nothing():
            self.editor.set_input_entry(index, value)

    @rule(data=st.data())
    def type_a_whole_v(self, data):
        values = data.draw(
            st.lists(
                numbers,
                min_size=int(np.prod(self.editor.output_shape)),
                max_size=int(np.prod(self.editor.output_shape)),
            )
        )
        values = np.float32(values).reshape(self.editor.output_shape)
        self.editor.set_upstream(str(values.tolist()))
        if np.abs(values[values != 0]).min(initial=1) > 1e-37:
            assert self.editor.message is None
            np.testing.assert_array_equal(np.float32(self.editor.upstream), values)

    @rule(values=st.recursive(numbers, lambda inner: st.lists(inner, max_size=3), max_leaves=6))
    def type_any_list(self, values):
        with self.refusals_change_nothing():
            self.editor.set_upstream(str(values))

    @rule(data=st.data())
    def select(self, data):
        self.editor.select(data.draw(st.sampled_from(list(np.ndindex(self.editor.input_shape)))))

    @invariant()
    def everything_shown_belongs_together(self):
        editor = self.editor
        y, grad = torch_grad(editor.example, editor.input, editor.upstream)
        assert np.shape(editor.upstream) == editor.output_shape == y.shape
        assert agree(editor.output, y) and agree(editor.input_grad, grad)
        assert agree(editor.torch_grad, grad) and agrees(editor)
        assert editor.weighted_loss == pytest.approx(
            float((np.float64(editor.upstream) * y).sum()),
            rel=1e-4,
            abs=1e-2 + 1e-5 * float(np.abs(np.float64(editor.upstream) * y).sum()),
        )
        assert editor.selected in list(np.ndindex(editor.input_shape))

    @invariant()
    def the_text_twin_prints(self):
        text = repr(self.editor)
        assert max(map(len, text.splitlines())) <= 100 and text == repr(self.editor)

    @invariant()
    def the_other_editor_is_undisturbed(self):
        assert self.other.state() == self.other_state

    @precondition(lambda self: self.editor.message is None)
    @invariant()
    def without_a_message_nothing_is_called_refused(self):
        assert self.editor.refused_at is None and self.editor.refused_by is None


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
