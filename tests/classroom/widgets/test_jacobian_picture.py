"""The Jacobian picture: every example, mode and learner's action, against PyTorch; its panel."""

import contextlib
import html
import re

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.compare.agreement import agree
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.jacobian_picture.collection import BUGS
from minigrad.classroom.widgets.jacobian_picture.examples import EXAMPLES
from minigrad.classroom.widgets.jacobian_picture.model import MODES, PRODUCTS, JacobianPicture
from minigrad.classroom.widgets.jacobian_picture.products import of_input
from tests.cases import over
from tests.classroom.panels import html_of, named

BAD = [
    "",
    "abc",
    "nan",
    "inf",
    "3,5",
    "1/0",
    "[1, 2",
    "[[1, 2], [3]]",
    "__import__('os')",
    None,
    ...,
    object(),
    [None],
    10**400,
]


def in_torch(picture):
    """(J, v·J, J·u) by PyTorch, found here without the picture."""
    function = of_input(torch, picture.example)
    x, v, u = (
        torch.tensor(one, dtype=torch.float32)
        for one in (picture.input, picture.upstream, picture.direction)
    )
    jacobian = torch.autograd.functional.jacobian(function, x)
    leaf = x.clone().requires_grad_()
    function(leaf).backward(v)
    return jacobian.numpy(), leaf.grad.numpy(), torch.func.jvp(function, (x,), (u,))[1].numpy()


def full(picture):
    """J in its full shape, as PyTorch returns it."""
    return np.reshape(picture.jacobian, picture.full_shape).tolist()


def shown(picture):
    state = picture.state()
    del state["message"], state["refused_at"]
    return state


def every_state(picture):
    for mode in MODES:
        for stop in (0, 1, 2):
            for folded in (True, False):
                yield picture.look(mode).go_to(stop).fold(folded)


# --- the examples, the stops, the products -------------------------------------------------------

EXPECTED = {  # v·J and J·u, in the input's and the output's shape
    "A @ x": ([41, 52, 63], [7, 16]),
    "three terms, a": ([0.3, 3, 0.0003], [3, 3, 3]),
    "three terms, b": ([1.2, 16, 0.002], [12, 16, 20]),
    "three terms, c": ([1.6667e-2, 1.4286e-1, 1.25e-5], [1 / 6, 1 / 7, 1 / 8]),
    "a * a": ([[2, 8, 18], [32, 50, 72]], [[2, 0, 0], [0, 0, 0]]),
    "F1": ([55, 25], [5, 5]),
    "F2": ([7, 9], [13, 3]),
    "F2(F1)": ([55, 25], [65, 15]),
    "2 * x": ([[2, 0, 0, 0]], [[2, 2, 2, 2]]),
    "sum of squares": ([2, 4, 6], 2),
    "x.mm(a)": ([[10, 10, 10], [26, 26, 26]], [[1, 1, 1, 1], [0, 0, 0, 0]]),
    "outer": ([2, 4], [[2, 2], [2, 0]]),
    "broadcast": ([5, 7, 9], [[1, 0, 0], [1, 0, 0]]),
    "mean": ([[0.5, 0.5], [5, 5]], [1, 0]),
    "mean of cubes": ([[6.2033, 0.6656], [5.2515, 0.1105]], 6.2033),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_gives_the_documents_numbers_and_torchs(name):
    picture = JacobianPicture(name)
    left, right = EXPECTED[name]
    np.testing.assert_allclose(picture.input_grad, left, rtol=5e-4)
    np.testing.assert_allclose(picture.output_change, right, rtol=5e-4)
    mine = (full(picture), picture.input_grad, picture.output_change)
    for one, theirs in zip(mine, in_torch(picture)):
        assert np.shape(one) == theirs.shape and agree(one, theirs)
    assert [agreed for _, _, agreed, _ in picture.comparison()] == [True] * 3


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_scaled_adds_up_to_what_the_engine_says(name):
    for mode, axis in (("backward", 0), ("forward", 1)):
        picture = JacobianPicture(name).look(mode)
        assert picture.cells().tolist() == picture.jacobian and picture.total() is None
        picture.go_to(2)
        assert agree(np.sum(picture.cells(), axis=axis), np.ravel(picture.total()))


def test_rows_are_outputs_and_columns_are_inputs():
    picture = JacobianPicture("A @ x")
    assert picture.jacobian == [[1, 2, 3], [4, 5, 6]]
    assert picture.go_to(1).cells().tolist() == [[1, 2, 3], [40, 50, 60]]
    assert picture.look("forward").cells().tolist() == [[1, 0, 6], [4, 0, 12]]
    assert (picture.row_names(), picture.column_names()) == (
        ["y[0]", "y[1]"],
        ["x[0]", "x[1]", "x[2]"],
    )


def test_both_products_are_told_with_their_shapes():
    (_, _, left, value), (_, _, right, change) = JacobianPicture("A @ x").pairings()
    assert (left, value) == ("(2,)\u00b7(2, 3) \u2192 (3,)", "[41, 52, 63]")
    assert (right, change) == ("(2, 3)\u00b7(3,) \u2192 (2,)", "[7, 16]")
    full = JacobianPicture("x.mm(a)").fold(False).pairings()
    assert full[0][2] == "(2, 4)\u00b7(2, 4, 2, 3) \u2192 (2, 3)"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_wrong_pairing_is_refused_in_torchs_words_unless_the_shapes_are_equal(name):
    picture = JacobianPicture(name)
    for product in ("J\u00b7v", "u\u00b7J"):
        tried = picture.try_product(product).tried
        assert tried.fits == (picture.output_shape == picture.input_shape)
        if not tried.fits:
            assert f"{product} is refused" in tried.sentence
            assert "v has invalid size: should be torch.Size(" in tried.refusal
        assert tried.sentence.endswith((".", ")."))
        assert picture.set_upstream(picture.upstream).tried is None  # an edit asks anew


def test_the_wrong_pairing_says_what_it_needs_or_what_else_it_is():
    picture = JacobianPicture("A @ x")
    assert "takes 3 numbers, one for each input; v has 2, one for each output" in (
        picture.try_product("J @ v").tried.sentence
    )
    assert "takes 2 numbers, one for each output; u has 3" in (
        picture.try_product("u * J").tried.sentence
    )
    square = JacobianPicture("F2(F1)").try_product("J\u00b7v").tried.sentence
    assert square.startswith("J\u00b7v = [65, 15] fits")
    assert square.endswith("not what backward computes: v\u00b7J = [55, 25].")
    assert (
        "J equals its transpose"
        in JacobianPicture("three terms, b").try_product("J@v").tried.sentence
    )
    reshaped = JacobianPicture(lambda x: x.reshape(3, 2) * 2, [[1, 2, 3], [4, 5, 6]])
    tried = reshaped.try_product("J@v").tried
    assert "the output's shape (3, 2), not the input's" in tried.sentence


def test_fold_and_unfold():
    picture = JacobianPicture("a * a").fold(False)
    assert not picture.folded and "\u2202out[0,1]/\u2202a" in repr(picture)
    assert picture.full_shape == (2, 3, 2, 3) and np.shape(picture.jacobian) == (6, 6)
    assert picture.load("A @ x").folded and picture.fold(False).folded  # nothing to unfold


# --- a cell's sentence ---------------------------------------------------------------------------


def test_a_cell_says_its_own_sentence():
    picture = JacobianPicture("A @ x")
    assert picture.sentence() == "If x[1] rises by 1, y[1] rises by 5."
    assert picture.select(1, 2).go_to(1).sentence().endswith("v[1] counts it as 10\u00b76 = 60.")
    assert picture.go_to(2).sentence().endswith("10\u00b76 = 60, a part of x.grad[2].")
    picture.look("forward")
    assert picture.sentence().endswith("u[2] makes it 2\u00b76 = 12, a part of (J\u00b7u)[1].")


def test_falling_still_curved_and_infinite_cells():
    falling = JacobianPicture(lambda torch, x: torch.stack([-2 * x[0], x[1] * 0 + x[0]]), [1, 1])
    assert falling.sentence(0, 0) == "If x[0] rises by 1, y[0] falls by 2."
    assert falling.sentence(0, 1) == "If x[1] rises by 1, y[0] does not change."
    assert JacobianPicture(lambda x: x * x, [3.0]).sentence() == (
        "If x[0] rises by 1, y[0] rises by 6, at the rate it has here; a whole step really makes "
        "it rise by 7."
    )
    steep = JacobianPicture(lambda x: x.sqrt(), [0.0, 1.0]).go_to(2)
    assert "has no finite rate of change" in steep.sentence(0, 0) and repr(steep)


# --- collecting rows -----------------------------------------------------------------------------


@over("bug", BUGS)
@over("name", EXAMPLES)
def test_the_loop_that_is_shown_gives_in_torch_what_is_collected(name, bug):
    picture = JacobianPicture(name).choose_bug(bug).collect_all()
    a, out = picture.example.input_name, picture.example.output
    leaf = torch.tensor(picture.input, dtype=torch.float32, requires_grad=True)
    names = {"torch": torch, a: leaf, out: of_input(torch, picture.example)(leaf)}
    exec("\n".join(line for line, _ in picture.collection.code()), names)
    assert agree(picture.collected, names["J"].tolist())
    equal, sentence = picture.collection.verdict()
    same = np.shape(picture.collected) == picture.folded_shape
    same = same and agree(picture.collected, picture.jacobian)
    assert equal == same and sentence and (bug == "none") <= equal
    assert sum(wrong for _, wrong in picture.collection.code()) == (bug != "none")


def test_the_three_classic_bugs_give_the_numbers_of_the_lesson():
    def collected(bug, name="A @ x"):
        return JacobianPicture(name).choose_bug(bug).collect_all()

    assert collected("no zeroing").collected == [[1, 2, 3], [5, 7, 9]]
    assert collected("no clone").collected == [[0, 0, 0], [0, 0, 0]]
    assert collected("columns").collected == [[1, 4], [2, 5], [3, 6]]
    assert "(3, 2), and J has (2, 3)" in collected("columns").collection.verdict()[1]
    assert "J equals its transpose" in collected("columns", "a * a").collection.verdict()[1]


def test_rows_arrive_one_after_another_and_stay_while_v_is_edited():
    picture = JacobianPicture("A @ x")
    assert picture.collected == [[None] * 3] * 2
    assert picture.collect_next().collected == [[1, 2, 3], [None] * 3]
    assert picture.set_upstream([0, 1]).collection.verdict() == (None, "1 of 2 rows collected.")
    assert picture.collect_next().collection.done
    assert picture.collect_next().collection.count == 1  # the first again
    assert picture.load("F1").collection.count == 0


def test_a_lesson_can_leave_the_loop_to_the_learner():
    picture = widgets.JacobianPicture("A @ x", collect=False)
    assert picture.collect_all().collection.count == 0 and "collect=True" in picture.message
    assert "Collect J" not in html_of(picture) and "Collect J" in html_of(widgets.JacobianPicture())


# --- bytes, typed input, refusals ----------------------------------------------------------------


def test_bytes_of_the_jacobian_and_of_v():
    assert [line[1:] for line in JacobianPicture("A @ x").memory_lines()] == [
        ("24 B", "8 B"),
        ("400 B", "40 B"),
        ("4 MB", "4 kB"),
        ("40 GB", "400 kB"),
    ]


def test_v_u_and_x_can_be_typed():
    picture = JacobianPicture("A @ x").set_upstream("v = [1/2, -2]").set_upstream_entry(0, "1/4")
    assert picture.upstream == [0.25, -2] and picture.input_grad == [-7.75, -9.5, -11.25]
    assert picture.set_direction("[1, 1, 1]").output_change == [6, 15]
    assert picture.set_direction_entry((2,), "0").output_change == [3, 9]
    assert JacobianPicture("F1").set_input("[1, 1]").jacobian == [[2, 1], [1, 1]]


@pytest.mark.parametrize("value", BAD, ids=lambda value: repr(value)[:12])
def test_bad_input_is_refused_with_a_sentence_and_changes_nothing(value):
    picture = JacobianPicture("a * a").go_to(2).collect_next()
    before = shown(picture)
    for act in (
        picture.set_upstream,
        picture.set_direction,
        picture.set_input,
        lambda v: picture.set_upstream_entry((0, 1), v),
        lambda v: picture.set_direction_entry((1, 2), v),
    ):
        assert act(value) is picture
        assert picture.message and shown(picture) == before and "refused" in repr(picture)
    assert picture.go_to(1).message is None


def test_wrong_shapes_of_v_u_and_x_are_refused():
    picture = JacobianPicture("outer").set_upstream([1, 0, 0, 1])
    y = torch.outer(*[torch.ones(2, requires_grad=True)] * 2)
    with pytest.raises(RuntimeError) as refusal:
        y.backward(torch.tensor([1.0, 0, 0, 1]))
    assert picture.message == str(refusal.value) and picture.refused_by == "engine"
    assert "needs the input's shape (2,)" in picture.set_direction([[1, 2]]).message
    assert "size mismatch" in JacobianPicture("A @ x").set_input([1, 2]).message
    own = JacobianPicture(lambda x: x * x, [1, 2]).set_input([[1, 2, 3]])
    assert own.upstream == [[1, 1, 1]] == own.direction  # another shape brings its own v and u
    assert "readable up to 12" in own.set_input([1] * 13).message and own.input == [[1, 2, 3]]


def test_only_what_exists_can_be_asked_for():
    picture = JacobianPicture()
    for act in (
        lambda: picture.look("sideways"),
        lambda: picture.go_to(3),
        lambda: picture.go_to("J"),
        lambda: picture.choose_bug("typo"),
        lambda: picture.try_product("v\u00b7v"),
        lambda: picture.load("S9"),
    ):
        assert act().message.startswith("There is no ")
    assert "outside a shape of (2,)" in picture.set_upstream_entry(2, 1).message


@pytest.mark.parametrize(
    "function, says",
    [
        (lambda x: 1 / 0, "ZeroDivisionError: division by zero."),
        (lambda x: [x, x], "torch.stack"),
        (lambda x: x.detach(), "does not require grad"),
        (lambda torch, x: torch.cat([x] * 7), "readable up to 12"),
        (lambda x: minigrad.ones(2, requires_grad=True) * 2, "does not depend on it"),
    ],
)
def test_an_own_function_that_cannot_be_shown_is_one_sentence(function, says):
    with pytest.raises(Refused, match=re.escape(says)):
        JacobianPicture(function, [1, 2])


def test_own_functions_and_what_goes_with_them():
    picture = JacobianPicture(
        lambda torch, x: torch.cumsum(x, 0), [1, 2, 3], v=[1, 0, 0], u=[0, 1, 0]
    )
    assert picture.jacobian == [[1, 0, 0], [1, 1, 0], [1, 1, 1]] and picture.input_grad == [1, 0, 0]
    assert picture.output_change == [0, 1, 1]
    assert picture.load("F1").load("your function").input == [1, 2, 3]
    for wrong in ({"v": [1, 2, 3]}, {"u": [1]}, {"x": [1]}):
        with pytest.raises(Refused):
            JacobianPicture("A @ x", **wrong)


def test_a_function_differentiable_only_once_still_shows_the_left_product():
    class Once(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        @minigrad.autograd.function.once_differentiable
        def backward(ctx, v):
            return v * 3

    picture = JacobianPicture(lambda x: Once.apply(x), [1, 2]).look("forward").go_to(2)
    assert picture.input_grad == [3, 3]
    assert picture.output_change is None is picture.total()  # never zeros, as jvp would say
    assert "cannot be had" in repr(picture)
    flat = JacobianPicture(lambda x: x.floor(), [1.5, 2.5])  # zeros that are known are told
    assert flat.input_grad == [0, 0] == flat.output_change


# --- predicting, and without PyTorch -------------------------------------------------------------


def test_nothing_tells_the_products_before_the_guess():
    picture = widgets.JacobianPicture("A @ x", predict=True)
    for act in (lambda: picture.go_to(2), lambda: picture.try_product("J\u00b7v")):
        assert act().message.startswith("Commit a guess first")
    assert not re.search(r"\b41\b", html_of(picture) + picture.text())
    picture.set_upstream([1, 0])
    assert picture.card.commit("[1, 2, 3]").right
    assert picture.go_to(2).set_upstream([1, 1]).stop == 2  # what was revealed can be explored
    assert picture.load("F1").stop == 0 and picture.covered


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_torch_the_stored_jacobian_answers_any_v_and_u(name, no_torch):
    picture = JacobianPicture(name).go_to(2)
    picture.set_upstream(np.ones(picture.output_shape)).set_direction(np.ones(picture.input_shape))
    assert "stored from torch 2.13.0" in " ".join(repr(picture).split())
    assert [agreed for _, _, agreed, _ in picture.comparison()] == [True] * 3
    assert JacobianPicture(lambda x: x * x, [1.0]).torch_answer().source == "missing"


# --- the text twin and the panel -----------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_state_has_its_text_its_numbers_and_their_sentences(name):
    panel = widgets.JacobianPicture(name)
    for model in every_state(panel):
        text = model.text(model.stored_answer())
        assert max(map(len, text.splitlines())) <= 100
        cells = re.findall(r'aria-label="(If [^"]*)".*?title="([^"]*)"', html_of(panel))
        said = [
            model.sentence(output, entry)
            for output in np.ndindex(model.output_shape)
            for entry in np.ndindex(model.input_shape)
        ]
        assert [html.unescape(one) for one, _ in cells] == [s.replace("-", "\u2212") for s in said]
        values = [float(number.replace("\u2212", "-")) for _, number in cells]
        np.testing.assert_allclose(values, model.cells().ravel(), rtol=1e-4)


def test_the_text_twin_shows_v_at_the_left_and_the_sum_below():
    rows = [line.split() for line in repr(JacobianPicture("A @ x").go_to(2)).splitlines()]
    head = ["v", "x[0]", "x[1]", "x[2]"]
    assert rows[rows.index(head) :][:4] == [
        head,
        ["1", "y[0]", "+1", "+2", "+3"],
        ["10", "y[1]", "+40", "+50", "+60"],
        ["x.grad", "+41", "+52", "+63"],
    ]
    wide = repr(JacobianPicture(lambda x: x * 1234.567, [1.0] * 12))
    assert wide.count("+1234.6") == 12 and max(map(len, wide.splitlines())) <= 100


def test_controls_drive_the_model():
    picture = widgets.JacobianPicture("A @ x")
    assert "24 B" not in html_of(picture)  # facts wait for the last stop
    named(picture, "add columns").click()
    assert "24 B" in html_of(picture)
    named(picture, "upstream gradient, entry 1").value = "1/2"
    assert picture.upstream == [0.5, 10] and "+40.5" in html_of(picture)
    named(picture, "x =").value = "[0, 0, 0]"
    assert picture.input == [0, 0, 0]
    named(picture, "row").value, named(picture, "column").value = "y[1]", "x[2]"
    assert picture.selected == ((1,), (2,)) and picture.tried is None
    named(picture, "try J\u00b7v").click()
    assert "J\u00b7v is refused" in html_of(picture)
    named(picture, "J\u00b7u, from the top").click()
    named(picture, "direction, entry 3").value = "0"
    assert picture.output_change == [1, 4] and named(picture, "add rows")
    named(picture, "bug").value = "no zeroing"
    named(picture, "next one-hot").click()
    assert "1 of 2 rows collected." in html_of(picture)
    named(picture, "collect all").click()
    assert "all the rows before it" in html_of(picture) and "\u2190 the bug" in html_of(picture)
    named(picture, "example").value = "a * a"
    named(picture, "unfold").click()
    assert not picture.folded and named(picture, "fold")


def test_bad_text_stays_to_be_corrected_and_is_never_markup():
    picture = widgets.JacobianPicture("A @ x")
    entry = named(picture, "upstream gradient, entry 2")
    entry.value = "<img src=x>"
    assert "not a number" in html_of(picture) and "<img src=x" not in html_of(picture)
    assert entry.refused and picture.upstream == [1, 10]
    picture.set_upstream([1, 2, 3])
    assert "PyTorch refuses:" in html_of(picture) and entry.value == "+10" and not entry.refused


def test_two_pictures_are_apart():
    picture, other = widgets.JacobianPicture("a * a"), widgets.JacobianPicture("a * a")
    before = html_of(other)
    picture.go_to(2)
    picture.set_upstream_entry((0, 0), 5)
    assert html_of(other) == before
    group = re.search(r'type="radio" name="([^"]+)"', html_of(picture)).group(1)
    assert group not in html_of(other)


# --- any sequence of actions ---------------------------------------------------------------------

numbers = st.floats(-100, 100, width=32)


class Learner(RuleBasedStateMachine):
    """Does anything, in any order; a second picture, left alone, must not notice."""

    def __init__(self):
        super().__init__()
        self.picture = JacobianPicture()
        self.other = JacobianPicture("F1").go_to(2).collect_next()
        self.other_state = self.other.state()

    @contextlib.contextmanager
    def refusals_change_nothing(self):
        before = shown(self.picture)
        yield
        if self.picture.message:
            assert shown(self.picture) == before

    @rule(name=st.sampled_from([*EXAMPLES, "S9"]))
    def load(self, name):
        with self.refusals_change_nothing():
            self.picture.load(name)

    @rule(mode=st.sampled_from(MODES), stop=st.sampled_from([0, 1, 2]), folded=st.booleans())
    def switch(self, mode, stop, folded):
        self.picture.look(mode).go_to(stop).fold(folded)
        assert (self.picture.mode, self.picture.stop) == (mode, stop)

    @rule(data=st.data(), value=st.one_of(st.sampled_from(BAD), numbers, st.text(max_size=6)))
    def type_a_number(self, data, value):
        picture, backward = self.picture, data.draw(st.booleans())
        sizes = picture.output_shape if backward else picture.input_shape
        act = picture.set_upstream_entry if backward else picture.set_direction_entry
        with self.refusals_change_nothing():
            act(data.draw(st.sampled_from(list(np.ndindex(sizes)))), value)

    @rule(
        values=st.recursive(numbers, lambda inner: st.lists(inner, max_size=3), max_leaves=6),
        place=st.sampled_from(["set_upstream", "set_direction", "set_input"]),
    )
    def type_any_list(self, values, place):
        with self.refusals_change_nothing():
            getattr(self.picture, place)(str(values))

    @rule(product=st.sampled_from(PRODUCTS), bug=st.sampled_from(list(BUGS)), every=st.booleans())
    def try_and_collect(self, product, bug, every):
        assert self.picture.try_product(product).tried.name == product
        self.picture.choose_bug(bug)
        self.picture.collect_all() if every else self.picture.collect_next()

    @invariant()
    def everything_shown_belongs_together(self):
        picture = self.picture
        jacobian, grad, change = in_torch(picture)
        assert agree(full(picture), jacobian) and np.shape(jacobian) == picture.full_shape
        # sums of terms that cancel are exact only as far as their terms
        scale = np.abs(jacobian).max(initial=1) * 1e-5 * 12
        for mine, theirs, weights in (
            (picture.input_grad, grad, picture.upstream),
            (picture.output_change, change, picture.direction),
        ):
            near = scale * (1 + np.abs(weights).max())
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=near)
        assert np.shape(picture.cells()) == picture.folded_shape
        assert picture.selected[0] in list(np.ndindex(picture.output_shape))
        assert max(map(len, repr(picture).splitlines())) <= 100

    @invariant()
    def the_other_picture_is_undisturbed(self):
        assert self.other.state() == self.other_state


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)


def test_a_refusal_leaves_the_lists_beside_it():
    """A hand may be on its way to one of them when the refusal is drawn."""
    panel = widgets.JacobianPicture("A @ x")
    panel.set_upstream_entry((0,), "abc")
    assert panel.message and named(panel, "row").value == "y[1]"
    named(panel, "column").value = "x[2]"
    assert panel.selected == ((1,), (2,))
