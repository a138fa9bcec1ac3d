"""The Jacobian picture's model: every example and mode, any learner's actions, against PyTorch."""

import contextlib

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import minigrad
from minigrad.classroom import engines
from minigrad.classroom.agreement import agree
from minigrad.classroom.models.collection import BUGS
from minigrad.classroom.models.jacobian import MODES, PRODUCTS, JacobianPicture
from minigrad.classroom.models.maps import MAPS

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
    function, x = picture.preset.function, torch.tensor(picture.input, dtype=torch.float32)
    v, u = (torch.tensor(one, dtype=torch.float32) for one in (picture.upstream, picture.direction))
    jacobian = torch.autograd.functional.jacobian(lambda leaf: function(torch, leaf), x)
    leaf = x.clone().requires_grad_()
    function(torch, leaf).backward(v)
    _, change = torch.func.jvp(lambda leaf: function(torch, leaf), (x,), (u,))
    return jacobian.numpy(), leaf.grad.numpy(), change.numpy()


def shown(picture):
    state = picture.state()
    del state["message"], state["refused_at"]
    return state


# --- the examples --------------------------------------------------------------------------------

EXPECTED = {  # v·J and J·u, in the input's and the output's shape
    "A @ x": ([41, 52, 63], [7, 16]),
    "S3-1 a": ([0.3, 3, 0.0003], [3, 3, 3]),
    "S3-1 b": ([1.2, 16, 0.002], [12, 16, 20]),
    "S3-1 c": ([1.6667e-2, 1.4286e-1, 1.25e-5], [1 / 6, 1 / 7, 1 / 8]),
    "S0-4": ([[2, 8, 18], [32, 50, 72]], [[2, 0, 0], [0, 0, 0]]),
    "F1": ([55, 25], [5, 5]),
    "F2": ([7, 9], [13, 3]),
    "F2(F1)": ([55, 25], [65, 15]),
    "S3-10": ([[2, 0, 0, 0]], [[2, 2, 2, 2]]),
    "S2-1": ([2, 4, 6], 2),
    "S1-7": ([[10, 10, 10], [26, 26, 26]], [[1, 1, 1, 1], [0, 0, 0, 0]]),
    "outer": ([2, 4], [[2, 2], [2, 0]]),
}


@pytest.mark.parametrize("name", MAPS)
def test_each_example_gives_the_documents_numbers(name):
    picture = JacobianPicture(name)
    left, right = EXPECTED[name]
    np.testing.assert_allclose(picture.input_grad, left, rtol=5e-4)
    np.testing.assert_allclose(picture.output_change, right, rtol=1e-5)
    assert len(picture.comparison()) == 3
    assert all(agreed for _, _, agreed, _ in picture.comparison())


@pytest.mark.parametrize("name", MAPS)
def test_each_example_agrees_with_torch(name):
    picture = JacobianPicture(name)
    for mine, theirs in zip(
        (picture.full_jacobian, picture.input_grad, picture.output_change), in_torch(picture)
    ):
        assert np.shape(mine) == theirs.shape and agree(mine, theirs)


def test_rows_are_outputs_and_columns_are_inputs():
    picture = JacobianPicture("A @ x")
    assert picture.jacobian == [[1, 2, 3], [4, 5, 6]]
    assert picture.row_names() == ["y\u2081", "y\u2082"]
    assert picture.column_names() == ["x\u2081", "x\u2082", "x\u2083"]
    assert np.diag(JacobianPicture("S0-4").jacobian).tolist() == [2, 4, 6, 8, 10, 12]
    assert JacobianPicture("S0-4").full_shape == (2, 3, 2, 3)


# --- the three stops, from the left and from the top ---------------------------------------------


def test_the_three_stops_from_the_left():
    picture = JacobianPicture("A @ x")
    assert picture.cells() == [[1, 2, 3], [4, 5, 6]] and picture.total() is None
    assert picture.go_to(1).cells() == [[1, 2, 3], [40, 50, 60]] and picture.total() is None
    assert picture.go_to(2).cells() == [[1, 2, 3], [40, 50, 60]]
    assert picture.total() == [41, 52, 63]


def test_the_three_stops_from_the_top():
    picture = JacobianPicture("A @ x").look("forward")
    assert picture.cells() == [[1, 2, 3], [4, 5, 6]]
    assert picture.go_to(1).cells() == [[1, 0, 6], [4, 0, 12]] and picture.total() is None
    assert picture.go_to(2).total() == [7, 16]


@pytest.mark.parametrize("name", MAPS)
def test_what_is_scaled_adds_up_to_what_the_engine_says(name):
    picture = JacobianPicture(name).go_to(2)
    assert agree(np.sum(picture.cells(), axis=0), np.ravel(picture.total()))
    picture.look("forward")
    assert agree(np.sum(picture.cells(), axis=1), np.ravel(picture.total()))


def test_only_the_two_modes_and_three_stops_exist():
    picture = JacobianPicture()
    for act in (
        lambda: picture.look("sideways"),
        lambda: picture.go_to(3),
        lambda: picture.go_to("J"),
        lambda: picture.choose_bug("typo"),
        lambda: picture.try_product("v\u00b7v"),
    ):
        assert act().message.startswith("There is no ")
    assert (picture.mode, picture.stop, picture.tried) == ("backward", 0, None)


# --- the products --------------------------------------------------------------------------------


def test_both_products_are_told_with_their_shapes():
    (left, _, shapes, value), (right, _, other, change) = JacobianPicture("A @ x").pairings()
    assert (left, shapes, value) == ("v\u00b7J", "(2,)\u00b7(2, 3) \u2192 (3,)", "[41, 52, 63]")
    assert (right, other, change) == ("J\u00b7u", "(2, 3)\u00b7(3,) \u2192 (2,)", "[7, 16]")
    full = JacobianPicture("S1-7").fold(False).pairings()
    assert full[0][2] == "(2, 4)\u00b7(2, 4, 2, 3) \u2192 (2, 3)"
    assert JacobianPicture("S1-7").pairings()[0][2] == "(8,)\u00b7(8, 6) \u2192 (6,)"


@pytest.mark.parametrize("name", MAPS)
def test_the_wrong_pairing_is_refused_unless_the_shapes_are_equal(name):
    picture = JacobianPicture(name)
    for product in ("J\u00b7v", "u\u00b7J"):
        picture.try_product(product)
        assert picture.tried.fits == (picture.output_shape == picture.input_shape)
        if not picture.tried.fits:
            assert f"{product} is refused" in picture.tried.sentence
            assert "v has invalid size: should be torch.Size(" in picture.tried.sentence


def test_the_refusal_says_how_many_numbers_are_needed():
    picture = JacobianPicture("A @ x")
    assert (
        "takes 3 numbers, one for each input; v has 2, one for each output"
        in picture.try_product("J @ v").tried.sentence
    )
    assert (
        "takes 2 numbers, one for each output; u has 3, one for each input"
        in picture.try_product("u * J").tried.sentence
    )


def test_a_square_map_takes_the_wrong_pairing_and_gives_other_numbers():
    picture = JacobianPicture("F2(F1)").try_product("J\u00b7v")
    assert picture.tried.value == [65, 15]
    assert "it is not what backward computes: v\u00b7J = [55, 25]" in picture.tried.sentence
    diagonal = JacobianPicture("S3-1 b").try_product("J\u00b7v").tried
    assert "the same as v\u00b7J here, because J equals its transpose" in diagonal.sentence


def test_as_many_inputs_as_outputs_in_other_shapes_are_refused():
    picture = JacobianPicture(lambda x: x.reshape(3, 2) * 2, [[1, 2, 3], [4, 5, 6]])
    assert not picture.try_product("J\u00b7v").tried.fits
    assert "has the output's shape (3, 2), not the input's" in picture.tried.sentence


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("product", PRODUCTS)
def test_every_product_is_said_in_one_sentence(name, product):
    picture = JacobianPicture(name).try_product(product)
    assert (
        picture.tried.sentence.endswith((".", ")."))
        and picture.tried.sentence in picture.announcement()
    )
    assert picture.set_upstream(picture.upstream).tried is None  # an edit asks anew


# --- folding -------------------------------------------------------------------------------------


def test_fold_and_unfold():
    picture = JacobianPicture("S0-4")
    assert picture.foldable and picture.folded
    assert not picture.fold(False).folded and "\u2202out\u2081\u2082/\u2202a" in repr(picture)
    assert np.array(picture.full_jacobian).reshape(6, 6).tolist() == picture.jacobian
    assert picture.fold().folded
    vector = JacobianPicture("A @ x")
    assert not vector.foldable and vector.fold(False).folded  # nothing to unfold
    assert picture.fold(False).load("A @ x").folded


# --- a cell's sentence ---------------------------------------------------------------------------


def test_a_cell_says_its_own_sentence():
    picture = JacobianPicture("A @ x")
    assert picture.sentence() == "If x\u2082 rises by 1, y\u2081 rises by 2."
    assert picture.select(1, 2).sentence() == "If x\u2083 rises by 1, y\u2082 rises by 6."
    assert picture.go_to(1).sentence().endswith("v\u2082 times this is 10\u00b76 = 60.")
    assert picture.go_to(2).sentence().endswith("10\u00b76 = 60, a part of x.grad[2].")
    assert (
        picture.look("forward")
        .sentence()
        .endswith("u\u2083 times this is 2\u00b76 = 12, a part of (J\u00b7u)[1].")
    )


def test_falling_and_still_cells():
    picture = JacobianPicture(lambda torch, x: torch.stack([-2 * x[0], x[1] * 0 + x[0]]), [1, 1])
    assert picture.sentence(0, 0) == "If x\u2081 rises by 1, y\u2081 falls by 2."
    assert picture.sentence(0, 1) == "If x\u2082 rises by 1, y\u2081 does not change."


def test_a_curved_map_says_what_a_whole_step_really_makes():
    picture = JacobianPicture(lambda x: x * x, [3.0])
    assert picture.sentence() == (
        "If x\u2081 rises by 1, y\u2081 rises by 6, at the rate it has "
        "here; a whole step really makes it rise by 7."
    )
    assert (
        "does not change, at the rate it has here; a whole step really makes it rise by 1"
        in JacobianPicture(lambda x: x * x, [0.0]).sentence()
    )


def test_a_slope_that_is_not_finite_is_not_called_a_rate():
    picture = JacobianPicture(lambda x: x.sqrt(), [0.0, 1.0])
    assert "has no finite rate of change" in picture.sentence(
        0, 0
    ) and "nan" not in picture.sentence(1, 1)
    assert repr(picture.go_to(2))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("stop", [0, 1, 2])
def test_every_cell_of_every_example_has_a_sentence(mode, stop):
    for name in MAPS:
        picture = JacobianPicture(name).look(mode).go_to(stop)
        for output in np.ndindex(picture.output_shape):
            for entry in np.ndindex(picture.input_shape):
                said = picture.sentence(output, entry)
                assert said.startswith("If ") and said.endswith(".") and "nan" not in said


# --- collecting rows -----------------------------------------------------------------------------


def collected_in_torch(example, bug):
    """The learner's loop, written here once more, on real PyTorch."""
    leaf = torch.tensor(example.x, requires_grad=True)
    y = example.function(torch, leaf)
    rows = []
    for one_hot in torch.eye(y.numel()):
        y.backward(one_hot.reshape(y.shape), retain_graph=True)
        rows.append(leaf.grad if bug == "no clone" else leaf.grad.clone())
        if bug != "no zeroing":
            leaf.grad.zero_()
    return torch.stack([row.reshape(-1) for row in rows], dim=1 if bug == "columns" else 0).numpy()


@pytest.mark.parametrize("bug", BUGS)
@pytest.mark.parametrize("name", MAPS)
def test_collecting_does_what_the_same_loop_does_in_torch(name, bug):
    picture = JacobianPicture(name).choose_bug(bug).collect_all()
    assert agree(picture.collection.matrix(), collected_in_torch(MAPS[name], bug))
    equal, sentence = picture.collection.verdict()
    same = np.shape(picture.collection.matrix()) == picture.folded_shape and agree(
        picture.collection.matrix(), picture.jacobian
    )
    assert equal == same and sentence and (bug == "none") <= equal


def test_the_three_classic_bugs_give_the_numbers_of_the_lesson():
    picture = JacobianPicture("A @ x")
    assert picture.choose_bug("no zeroing").collect_all().collection.matrix() == [
        [1, 2, 3],
        [5, 7, 9],
    ]
    assert picture.choose_bug("no clone").collect_all().collection.matrix() == [
        [0, 0, 0],
        [0, 0, 0],
    ]
    assert picture.choose_bug("columns").collect_all().collection.matrix() == [
        [1, 4],
        [2, 5],
        [3, 6],
    ]
    assert "(3, 2), and J has (2, 3)" in picture.collection.verdict()[1]
    assert picture.choose_bug("none").collect_all().collection.verdict()[0]


def test_rows_arrive_one_after_another():
    picture = JacobianPicture("A @ x")
    assert picture.collection.matrix() == [[None] * 3] * 2
    assert picture.collect_next().collection.matrix() == [[1, 2, 3], [None] * 3]
    assert picture.collection.verdict() == (None, "1 of 2 rows collected.")
    assert picture.collect_next().collection.done
    assert picture.collect_next().collection.count == 1  # the first again
    picture.choose_bug("columns").collect_next()
    assert picture.collection.matrix() == [[1, None], [2, None], [3, None]]


def test_the_loop_marks_the_line_with_the_bug():
    for bug in BUGS:
        code = JacobianPicture("A @ x").choose_bug(bug).collection.code()
        assert sum(wrong for _, wrong in code) == (bug != "none")


@pytest.mark.parametrize("bug", BUGS)
def test_the_loop_that_is_shown_runs_and_gives_what_is_collected(bug):
    picture = JacobianPicture("A @ x").choose_bug(bug).collect_all()
    leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    names = {"torch": torch, "x": leaf, "y": picture.preset.function(torch, leaf)}
    exec("\n".join(line for line, _ in picture.collection.code()), names)
    assert names["J"].tolist() == picture.collection.matrix()


def test_bugs_that_do_not_show_say_why():
    assert (
        "J equals its transpose"
        in JacobianPicture("S0-4").choose_bug("columns").collect_all().collection.verdict()[1]
    )
    assert JacobianPicture("S2-1").choose_bug("no zeroing").collect_all().collection.verdict()[0]


# --- bytes ---------------------------------------------------------------------------------------


def test_bytes_of_the_jacobian_and_of_v():
    picture = JacobianPicture("A @ x")
    assert picture.memory() == [
        (10, 400, 40),
        (1000, 4_000_000, 4000),
        (100_000, 40 * 10**9, 400_000),
    ]
    assert [line[1:] for line in picture.memory_lines()] == [
        ("24 B", "8 B"),
        ("400 B", "40 B"),
        ("4 MB", "4 kB"),
        ("40 GB", "400 kB"),
    ]


# --- typed input ---------------------------------------------------------------------------------


def test_v_u_and_x_can_be_typed():
    picture = JacobianPicture("A @ x").set_upstream("v = [1/2, -2]").set_upstream_entry(0, "1/4")
    assert picture.upstream == [0.25, -2] and picture.input_grad == [-7.75, -9.5, -11.25]
    assert picture.set_direction("[1, 1, 1]").output_change == [6, 15]
    assert picture.set_direction_entry((2,), "0").output_change == [3, 9]
    assert JacobianPicture("F1").set_input("[1, 1]").jacobian == [[2, 1], [1, 1]]


@pytest.mark.parametrize("value", BAD, ids=lambda value: repr(value)[:12])
def test_bad_input_is_refused_with_a_sentence_and_changes_nothing(value):
    picture = JacobianPicture("S0-4").go_to(2).collect_next()
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


def test_a_wrong_shape_of_v_is_refused_in_pytorchs_own_words():
    picture = JacobianPicture("outer").set_upstream([1, 0, 0, 1])
    y = torch.outer(*[torch.ones(2, requires_grad=True)] * 2)
    with pytest.raises(RuntimeError) as refusal:
        y.backward(torch.tensor([1.0, 0, 0, 1]))
    assert picture.message == str(refusal.value) and picture.refused_by == "engine"
    assert "needs the input's shape (2,)" in picture.set_direction([[1, 2]]).message


def test_an_input_the_map_cannot_take_is_refused_and_another_shape_brings_its_own_v_and_u():
    picture = JacobianPicture("A @ x").set_input([1, 2])
    assert "size mismatch" in picture.message and picture.input == [1, 2, 3]
    own = JacobianPicture(lambda x: x * x, [1, 2]).set_input([[1, 2, 3]])
    assert own.upstream == [[1, 1, 1]] == own.direction and own.collection.count == 0
    assert "readable up to 12" in own.set_input([1] * 13).message and own.input == [[1, 2, 3]]


# --- a learner's own function --------------------------------------------------------------------


def test_own_functions():
    picture = JacobianPicture(lambda torch, x: torch.cumsum(x, 0), [1, 2, 3], v=[1, 0, 0])
    assert picture.jacobian == [[1, 0, 0], [1, 1, 0], [1, 1, 1]] and picture.input_grad == [1, 0, 0]
    assert all(agreed for _, _, agreed, _ in picture.comparison())
    assert picture.load("F1").preset.name == "F1"
    assert picture.load("your function").input == [1, 2, 3]


@pytest.mark.parametrize(
    "function, says",
    [
        (lambda x: 1 / 0, "ZeroDivisionError: division by zero."),
        (lambda x: [x, x], "torch.stack"),
        (lambda x: None, "must return one tensor"),
        (lambda x: x.detach(), "does not require grad"),
        (lambda torch, x: torch.cat([x] * 7), "readable up to 12"),
        (lambda x: minigrad.ones(2, requires_grad=True) * 2, "does not depend on it"),
    ],
)
def test_an_own_function_that_fails_becomes_a_sentence(function, says):
    picture = JacobianPicture(function, [1, 2])
    assert says in picture.message and picture.preset.name == "A @ x" and picture.own is None
    assert picture.load("F1").message is None


def test_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="Known are: A @ x"):
        JacobianPicture("S9")
    assert "Give the input x, too" in JacobianPicture(lambda x: x).message
    assert "Mismatch in shape" in JacobianPicture(v=[1, 2, 3]).message
    assert "input's shape (3,)" in JacobianPicture(u=[1]).message
    for index in (2, (0, 0), -1):
        picture = JacobianPicture().set_upstream_entry(index, 1)
        assert "is outside a shape of (2,)" in picture.message and picture.upstream == [1, 10]
    assert "There is no example" in JacobianPicture().load("S9").message


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
    assert (
        picture.output_change is None and picture.total() is None
    )  # never zeros, as jvp would say
    assert "cannot be had" in repr(picture)
    assert not picture.try_product("J\u00b7u").tried.fits
    assert not picture.try_product("J\u00b7v").tried.fits


def test_a_jacobian_of_zeros_has_both_products():
    picture = JacobianPicture(lambda x: x.floor(), [1.5, 2.5])
    assert picture.input_grad == [0, 0] == picture.output_change


# --- without PyTorch -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAPS)
def test_without_torch_the_stored_jacobian_is_compared(name, no_torch):
    picture = JacobianPicture(name).set_upstream(np.ones(JacobianPicture(name).output_shape))
    answer = picture.torch_answer(wait=True)
    assert answer.source == "stored" and "stored from torch 2.13.0" in " ".join(repr(picture).split())
    assert [agreed for _, _, agreed, _ in picture.comparison()] == [True] * 3


def test_without_torch_an_unrecorded_function_says_so(no_torch):
    for picture in (
        JacobianPicture(lambda x: x * x, [1.0]),
        JacobianPicture("F1").set_input([9, 9]),
    ):
        assert picture.torch_answer().source == "missing"
        assert "not recorded" in " ".join(repr(picture).split())


def test_torch_is_never_waited_for_unless_asked(monkeypatch):
    monkeypatch.setattr(engines, "_warm", False)
    picture = JacobianPicture(lambda x: x * x, [1.0])
    assert picture.torch_answer().source == "loading"
    assert JacobianPicture("A @ x").torch_answer().source == "stored"  # till then
    assert picture.torch_answer(wait=True).source == "live"


def test_a_function_bound_to_minigrad_says_that_torch_cannot_run_it():
    constant = minigrad.tensor([2.0, 3.0])
    picture = JacobianPicture(lambda x: x * constant, [1, 1])
    assert picture.torch_answer(wait=True).source == "error" and picture.input_grad == [2, 3]


# --- the text twin -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAPS)
def test_the_text_twin_of_every_state_is_at_most_100_columns(name):
    picture = JacobianPicture(name).try_product("J\u00b7v").choose_bug("columns").collect_all()
    for mode in MODES:
        for stop in (0, 1, 2):
            for folded in (True, False):
                text = repr(picture.look(mode).go_to(stop).fold(folded))
                assert max(map(len, text.splitlines())) <= 100 and text == repr(picture)


def test_the_text_twin_shows_v_at_the_left_and_the_sum_below():
    lines = repr(JacobianPicture("A @ x").go_to(2)).splitlines()
    assert [line.split() for line in lines[3:7]] == [
        ["v", "x\u2081", "x\u2082", "x\u2083"],
        ["1", "y\u2081", "+1", "+2", "+3"],
        ["10", "y\u2082", "+40", "+50", "+60"],
        ["x.grad", "+41", "+52", "+63"],
    ]


def test_a_wide_picture_is_broken_and_keeps_every_number():
    text = repr(JacobianPicture(lambda x: x * 1234.567, [1.0] * 12))
    assert text.count("+1234.6") == 12 and max(map(len, text.splitlines())) <= 100


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

    @rule(name=st.sampled_from([*MAPS, "S9"]))
    def load(self, name):
        with self.refusals_change_nothing():
            self.picture.load(name)

    @rule(mode=st.sampled_from(MODES), stop=st.sampled_from([0, 1, 2]), folded=st.booleans())
    def switch(self, mode, stop, folded):
        self.picture.look(mode).go_to(stop).fold(folded)
        assert (self.picture.mode, self.picture.stop) == (mode, stop)

    @rule(data=st.data(), value=st.one_of(st.sampled_from(BAD), numbers, st.text(max_size=6)))
    def type_a_number(self, data, value):
        picture = self.picture
        with self.refusals_change_nothing():
            if data.draw(st.booleans()):
                index = data.draw(st.sampled_from(list(np.ndindex(picture.output_shape))))
                picture.set_upstream_entry(index, value)
            else:
                index = data.draw(st.sampled_from(list(np.ndindex(picture.input_shape))))
                picture.set_direction_entry(index, value)

    @rule(
        values=st.recursive(numbers, lambda inner: st.lists(inner, max_size=3), max_leaves=6),
        place=st.sampled_from(["set_upstream", "set_direction", "set_input"]),
    )
    def type_any_list(self, values, place):
        with self.refusals_change_nothing():
            getattr(self.picture, place)(str(values))

    @rule(data=st.data())
    def select(self, data):
        picture = self.picture
        picture.select(
            data.draw(st.sampled_from(list(np.ndindex(picture.output_shape)))),
            data.draw(st.sampled_from(list(np.ndindex(picture.input_shape)))),
        )

    @rule(product=st.sampled_from(PRODUCTS))
    def try_product(self, product):
        assert self.picture.try_product(product).tried.name == product

    @rule(bug=st.sampled_from(list(BUGS)))
    def choose_bug(self, bug):
        assert self.picture.choose_bug(bug).collection.count == 0

    @rule(every=st.booleans())
    def collect(self, every):
        self.picture.collect_all() if every else self.picture.collect_next()

    @invariant()
    def everything_shown_belongs_together(self):
        picture = self.picture
        jacobian, grad, change = in_torch(picture)
        assert agree(picture.full_jacobian, jacobian) and np.shape(jacobian) == picture.full_shape
        # sums of terms that cancel are exact only as far as their terms
        scale = np.abs(jacobian).max(initial=1) * 1e-5 * 12
        near = scale * (1 + np.abs(picture.upstream).max())
        np.testing.assert_allclose(picture.input_grad, grad, rtol=1e-4, atol=near)
        near = scale * (1 + np.abs(picture.direction).max())
        np.testing.assert_allclose(picture.output_change, change, rtol=1e-4, atol=near)
        assert np.shape(picture.cells()) == picture.folded_shape
        assert picture.folded or picture.foldable
        assert picture.selected[0] in list(np.ndindex(picture.output_shape))

    @invariant()
    def the_text_twin_prints(self):
        assert max(map(len, repr(self.picture).splitlines())) <= 100

    @invariant()
    def the_other_picture_is_undisturbed(self):
        assert self.other.state() == self.other_state


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=20, stateful_step_count=15, deadline=None)
