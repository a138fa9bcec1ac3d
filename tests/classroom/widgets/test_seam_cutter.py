"""The seam cutter against PyTorch: every chain, every cut, every mistake, and what is shown."""

import html
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import widgets
from minigrad.classroom.compare import engines, recorded
from minigrad.classroom.compare.results import difference, run
from minigrad.classroom.widgets.seam_cutter import loop
from minigrad.classroom.widgets.seam_cutter.drawing import plan
from minigrad.classroom.widgets.seam_cutter.examples import EXAMPLES
from minigrad.classroom.widgets.seam_cutter.model import MISTAKES, SeamCutter, programs_to_record
from tests.classroom.panels import named, shown_in

PLACES = [(name, cut) for name in EXAMPLES for cut in range(len(EXAMPLES[name].links) + 1)]


def apply(links, value):
    for link in links:
        value = link.function(torch, value)
    return value


def by_autograd_grad(cutter):
    """(g, x.grad uncut, x.grad if ones are handed over) by torch.autograd.grad, without cutting."""
    x = torch.tensor(cutter.input, dtype=torch.float32, requires_grad=True)
    y = apply(cutter.links[: cutter.cut], x)
    z = apply(cutter.links[cutter.cut :], y)
    v = torch.tensor(cutter.upstream, dtype=torch.float32)
    g, whole = torch.autograd.grad(z, [y, x], v, retain_graph=True)
    return g.tolist(), whole.tolist(), torch.autograd.grad(y, x, torch.ones_like(y))[0].tolist()


def test_the_lesson_55_25_by_7_9_and_17_8_by_2_3():
    cutter = SeamCutter()
    assert cutter.values == [[2, 3], [7, 6], [42, 19]]
    assert (cutter.seam_gradient, cutter.input_grad) == ([7, 9], [55, 25])
    assert cutter.call_line() == "y.backward(gradient=torch.tensor([7., 9.]))"
    assert cutter.sums("right")[0] == ("g[0]", "1\u00b76 + 1\u00b71", 7)
    assert cutter.sums("right")[1] == ("g[1]", "1\u00b77 + 1\u00b72", 9)
    assert cutter.sums("left")[0] == ("x.grad[0]", "7\u00b74 + 9\u00b73", 55)
    cutter.set_upstream("[0.2, 0.8]")
    np.testing.assert_allclose(cutter.seam_gradient, [2, 3], rtol=1e-6)
    np.testing.assert_allclose(cutter.input_grad, [17, 8], rtol=1e-6)
    assert cutter.same and SeamCutter("two layers, weighed").right_line().endswith("= [2, 3]")
    single = SeamCutter("three powers")
    np.testing.assert_allclose(single.seam_gradient, [0.1, 1.0, 0.0001], rtol=1e-6)
    assert single.input_grad == pytest.approx(4.1012)


@pytest.mark.parametrize("name, cut", PLACES)
def test_every_cut_gives_what_the_uncut_chain_gives_and_what_torch_gives(name, cut):
    cutter = SeamCutter(name).move_cut(cut)
    g, whole, forgotten = by_autograd_grad(cutter)
    np.testing.assert_allclose(cutter.seam_gradient, g, rtol=1e-5)
    for grad in (cutter.input_grad, cutter.uncut_grad):
        np.testing.assert_allclose(grad, whole, rtol=1e-5)
    np.testing.assert_allclose([one[2] for one in cutter.sums("left")], np.ravel(whole), rtol=1e-5)
    assert cutter.same
    np.testing.assert_allclose(cutter.choose_mistake("forget").input_grad, forgotten, rtol=1e-5)
    np.testing.assert_allclose(cutter.handed, np.ones_like(g))
    cutter.choose_mistake("twice")
    np.testing.assert_allclose(cutter.input_grad, 2 * np.array(whole), rtol=1e-5)
    assert not cutter.same and cutter.right_grad == cutter.uncut_grad
    assert cutter.agrees() and cutter.torch_answer().source == "live"
    cutter.set_upstream((np.array(cutter.upstream) * -1.5 + 0.25).tolist())
    assert cutter.agrees(cutter.stored_answer()) is True  # what is recorded answers every v
    for mistake in MISTAKES:
        text = repr(cutter.choose_mistake(mistake))
        assert max(map(len, text.splitlines())) <= 100
        assert cutter.call_line() in " ".join(text.split())
        assert ("0.2880" in text) == (mistake == "twice")


def test_an_answer_for_another_chain_is_seen_to_differ():
    assert (
        SeamCutter("two layers").agrees(SeamCutter("two layers, weighed").torch_answer(wait=True))
        is False
    )
    assert SeamCutter("two layers").set_input([2, 4]).stored_answer().source == "missing"


def test_at_the_ends_g_is_v_or_x_grad():
    cutter = SeamCutter("two layers, weighed", cut=2)
    assert cutter.seam_gradient == cutter.upstream and "g = v" in cutter.right_line()
    assert cutter.move_cut(0).seam_gradient == cutter.input_grad and cutter.same


def test_recorded_answers_are_those_of_the_installed_torch():
    for key, program in programs_to_record().items():
        mine, theirs = recorded.answer(key)[0], run(program, torch)[0]
        assert mine.keys() == theirs.keys()
        assert all(difference(mine[name], theirs[name])[1] for name in mine)


@pytest.mark.parametrize("weight, start", [(0.2, 0.9), (0.5, 2.0), (-1.5, 1.0), (0.0, 3.0)])
def test_the_loop_over_time_counts_a_share_twice(weight, start):
    cutter = SeamCutter().choose_mistake("twice").set_weight(str(weight)).set_start(start)
    for clear in (True, False):
        mine = loop.windows(engines.minigrad, weight, start, clear)
        for k, (one, theirs) in enumerate(zip(mine, loop.windows(torch, weight, start, clear))):
            assert one.weight_grad == pytest.approx(theirs.weight_grad)
            assert one.handed == pytest.approx(theirs.handed)
            if clear:
                assert one.weight_grad == pytest.approx((k + 1) * weight**k * start)
    assert cutter.loop_grads["right"] == pytest.approx(3 * weight**2 * start)
    assert cutter.torch_answer(wait=True).found["twice"] == pytest.approx(
        cutter.loop_grads["twice"]
    )
    assert len(cutter.loop_rows()) == 3


# --- a learner's own functions -------------------------------------------------------------------


def test_own_functions():
    def double(x):
        return 2 * x

    cutter = SeamCutter([double, lambda torch, y: torch.exp(y), lambda h: h.sum()], [0.0, 1.0])
    assert cutter.names == ("x", "h1", "h2", "z") and cutter.links[0].name == "double"
    for cut in (0, 1, 2, 3):
        cutter.move_cut(cut)
        np.testing.assert_allclose(cutter.input_grad, 2 * np.exp([0, 2]), rtol=1e-5)
        assert cutter.agrees() and cutter.stored_answer().source == "missing"
    cutter.load("three powers").load("your function")
    assert cutter.message is None and cutter.example.name == "your function"
    assert SeamCutter([lambda x: x * x, lambda y: 3 * y], [1, 2]).input_grad == [6, 12]
    assert SeamCutter(lambda x: x * x, [3], v=[2]).input_grad == [12]
    assert SeamCutter([lambda a: a * a], a=[3]).names == ("a", "z")
    matrix = SeamCutter([lambda x: x @ x, lambda y: y * y], [[1, 2], [3, 4]])
    assert matrix.same and matrix.agrees()


@pytest.mark.parametrize(
    "functions, x, says",
    [
        ([lambda x: x, 3], [1], "Number 2 of the list is no function: 3."),
        ([], [1], "Give a list of 1 to 6 functions"),
        ([lambda x: x] * 7, [1], "Give a list of 1 to 6 functions"),
        ([lambda x: x], None, "give numbers for x"),
        ([lambda x: [x]], [1], "returned a list"),
        ([lambda x: x * 2, lambda y: 1 / 0], [1], "ZeroDivisionError"),
        ([lambda x: x.reshape(-1, 1).expand(30, 30)], [1], "z has 900 elements"),
        ([lambda x: x.nope], [1], "nope"),
        ([lambda x: x * 2, lambda y: y.detach() * 2], [1], "does not require grad"),
        (
            [lambda x: x * 2, lambda torch, y: torch.ones(2, requires_grad=True) * 3],
            [1, 2],
            "y.grad stays None: the output does not depend on it.",
        ),
        (7, [1], "Give a list"),
        ("x", None, "There is no example 'x'. Known are: two layers"),
        ([lambda x: x], "[1, 2", "] is missing"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence(functions, x, says):
    with pytest.raises(ValueError) as refused:
        SeamCutter(functions, *([] if x is None else [x]))
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "act, says",
    [
        (
            lambda c: c.set_upstream([1, 2, 3]),
            "Mismatch in shape: grad_output[0] has a shape of "
            "torch.Size([3]) and output[0] has a shape of torch.Size([2]).",
        ),
        (lambda c: c.set_upstream("1,5"), "no brackets"),
        (lambda c: c.set_upstream_entry(0, "3,5"), "type 3.5"),
        (lambda c: c.set_upstream_entry(5, "1"), "Index [5] is outside a shape of (2,)."),
        (lambda c: c.set_input("[1]"), "index 1 is out of bounds"),
        (lambda c: c.set_input("x"), "is not a number"),
        (lambda c: c.move_cut(-1), "The cut is a whole number from 0 to 2, not -1."),
        (lambda c: c.move_cut(3), "not 3"),
        (lambda c: c.move_cut(1.5), "not 1.5"),
        (lambda c: c.move_cut("y"), "not 'y'"),
        (lambda c: c.choose_mistake("both"), "There is no mistake 'both'. Known are: none, forget"),
        (lambda c: c.load("S9"), "There is no example 'S9'"),
        (lambda c: c.set_weight("w"), "is not a number"),
        (lambda c: c.set_start(None), "no number yet"),
    ],
)
def test_bad_input_gets_a_sentence_and_changes_nothing(act, says):
    cutter = SeamCutter().choose_mistake("twice")
    before = {**cutter.state(), "message": None, "refused_at": None}
    assert act(cutter) is cutter and says in cutter.message and cutter.refused_at is not None
    assert {**cutter.state(), "message": None, "refused_at": None} == before
    assert says.split(":")[0] in " ".join(repr(cutter).split())
    assert cutter.move_cut("1").message is None


def test_without_torch_the_stored_answer_is_shown_and_labelled(no_torch):
    cutter = SeamCutter("two layers, weighed").choose_mistake("twice")
    assert "stored from torch 2.13.0" in repr(cutter) and cutter.agrees()
    assert cutter.torch_answer().found["right"] == pytest.approx(0.108)
    assert "right" not in cutter.set_weight(0.5).torch_answer().found
    assert "not recorded" in " ".join(repr(cutter.set_input([1, 1])).split())


texts = st.one_of(
    st.lists(st.floats(-9, 9, width=16), min_size=1, max_size=3),
    st.sampled_from(["", "[1, 2", "1/3", "[[1, 2]]", "nan", "abc", "[1/3, -2e-3]", 0, None]),
)


class Learner(RuleBasedStateMachine):
    """Does anything in any order."""

    def __init__(self):
        super().__init__()
        self.cutter = SeamCutter([lambda x: x * x, lambda y: y.sum()], [1, 2])
        self.other = SeamCutter()
        self.before = self.other.state()

    @rule(name=st.sampled_from([*EXAMPLES, "your function", "?"]))
    def load(self, name):
        self.cutter.load(name)

    @rule(cut=st.one_of(st.integers(-1, 4), st.just("x")))
    def move_cut(self, cut):
        self.cutter.move_cut(cut)

    @rule(value=texts)
    def set_upstream(self, value):
        self.cutter.set_upstream(value)

    @rule(index=st.integers(0, 3), value=texts)
    def set_entry(self, index, value):
        self.cutter.set_upstream_entry(index, value)

    @rule(value=texts)
    def set_input(self, value):
        self.cutter.set_input(value)

    @rule(name=st.sampled_from(MISTAKES), value=texts)
    def choose_mistake(self, name, value):
        self.cutter.choose_mistake(name).set_weight(value).set_start(value)

    @invariant()
    def what_is_shown_is_true(self):
        cutter = self.cutter
        g, whole, forgotten = by_autograd_grad(cutter)
        scale = max(1e-6, np.abs(whole).max(), np.abs(g).max())
        close = dict(rtol=1e-4, atol=1e-5 * scale)
        np.testing.assert_allclose(cutter.seam_gradient, g, **close)
        np.testing.assert_allclose(cutter.right_grad, whole, **close)
        shown = {"none": whole, "forget": forgotten, "twice": 2 * np.array(whole)}[cutter.mistake]
        np.testing.assert_allclose(
            cutter.input_grad, shown, rtol=1e-4, atol=1e-5 * max(scale, np.abs(shown).max())
        )
        assert cutter.agrees() and repr(cutter) == repr(cutter)
        assert (cutter.message is None) == (cutter.refused_at is None)
        assert self.other.state() == self.before


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=12, stateful_step_count=10, deadline=None)


# --- the panel -----------------------------------------------------------------------------------


def result(cutter):
    """The numbers of the last row: x.grad in two halves and uncut, PyTorch's where others."""
    row = re.search(r'mg-result">(.*?)</div>', shown_in(cutter), re.DOTALL)[1]
    chips = re.findall(r"mg-chip mg-(?:plus|minus)[^>]*>([^<]*)<", row)
    return [float(chip.replace("\u2212", "-")) for chip in chips]


def test_editing_v_and_moving_the_cut():
    cutter, other = widgets.SeamCutter(), widgets.SeamCutter("3 layers")
    before = shown_in(other)
    named(cutter, "upstream gradient, entry 1").value = "0.2"
    named(cutter, "upstream gradient, entry 2").value = "4/5"
    assert result(cutter) == [17, 8] * 2 and "y.backward(g)" in shown_in(cutter)
    assert named(cutter, "upstream gradient, entry 2").value == "+0.8"
    named(cutter, "v =").value = "[1, 1]"
    assert result(cutter) == [55, 25] * 2
    slider = named(cutter, "cut after function")
    slider.value = 2
    assert cutter.cut == 2 and "z.backward(g)" in shown_in(cutter)
    named(cutter, "example").value = "3 layers"
    assert cutter.cut == slider.value == 1 and slider.node["max"] == "3"
    assert shown_in(other) == before


def test_of_many_sums_the_first_are_written_out_and_the_others_counted():
    for size, more in ((3, 0), (4, 2), (5, 2)):  # on either side of the cut
        cutter = widgets.SeamCutter([lambda x: x * x, lambda y: 3 * y], list(range(1, size + 1)))
        cutter.move_cut(1)
        assert shown_in(cutter).count(f"\u2026 and {size - 3} more") == more


def test_the_wrong_answer_stands_beside_the_right_one():
    cutter = widgets.SeamCutter()
    named(cutter, "forget g").click()
    assert result(cutter) == [7, 3, 55, 25] and "\u2260" in shown_in(cutter)
    named(cutter, "count twice").click()
    assert result(cutter)[:4] == [110, 50, 55, 25]
    assert "right 0.1080, counted twice 0.2880" in shown_in(cutter)
    named(cutter, "w =").value = "0.5"
    named(cutter, "x0 =").value = "2"
    assert cutter.loop_numbers == (0.5, 2) and "1.5000" in shown_in(cutter)
    named(cutter, "pass g back").click()
    assert "\u2260" not in shown_in(cutter)


def test_bad_text_is_refused_and_stays():
    cutter = widgets.SeamCutter()
    box = named(cutter, "upstream gradient, entry 1")
    box.value = "3,5"
    assert "At entry 1" in shown_in(cutter) and box.refused
    assert result(cutter) == [55, 25] * 2
    named(cutter, "v =").value = "[1, 2, 3]"
    assert "PyTorch refuses:" in shown_in(cutter) and not box.refused
    named(cutter, "v =").value = "[1, 2]"
    assert "mg-message" not in shown_in(cutter)


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_else_moves_with_the_cut_and_the_still_is_a_picture(name):
    cutter = widgets.SeamCutter(name)
    places = {plan(cutter.model.move_cut(cut)) for cut in range(len(cutter.links) + 1)}
    assert len(places) == 1
    still = html.unescape(cutter.still())
    assert (
        "<svg" in still
        and "stored from torch 2.13.0" in still
        and still == html.unescape(cutter.still())
    )
    assert cutter.call_line() in " ".join(still.split())
    assert repr(cutter) == cutter.summary() and len(repr(cutter)) <= 110


def test_matrices_and_long_values():
    cutter = widgets.SeamCutter(
        [lambda x: x @ x, lambda y: y.reshape(-1), lambda y: y.expand(4, 4).reshape(-1)],
        [[1, 2], [3, 4]],
    )
    for picture in re.findall(r"<svg.*?</svg>", cutter.html, re.DOTALL):
        ElementTree.fromstring(picture)
    assert named(cutter, "v =").value.count("1") == 16


def test_covered_until_a_guess():
    cutter = widgets.SeamCutter(predict=True)
    assert "[7, 9]" not in cutter.still() + cutter.text() and "<svg" not in cutter.still()
    cutter.set_upstream([0.2, 0.8])
    assert "[0.2, 0.8]" in cutter.card.question
    cutter.card.commit("[2, 3]")
    assert "[2, 3]" in cutter.text() and "<svg" in cutter.still()
    cutter.move_cut(2)  # once guessed, the cut moves before the learner's eyes
    assert not cutter.covered and cutter.card.guess == [2, 3]
    cutter.load("two layers, weighed")
    assert cutter.covered
