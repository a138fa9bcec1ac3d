"""The seam cutter's model against PyTorch: every chain, every cut, every mistake."""

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import engines, record, recorded
from minigrad.classroom.models.chains import CHAINS
from minigrad.classroom.models.seam import MISTAKES, SeamCutter
from minigrad.classroom.models.unrolled import unroll, windows

PLACES = [(name, cut) for name in CHAINS for cut in range(1, len(CHAINS[name].links) + 1)]


def apply(links, value):
    for link in links:
        value = link.function(torch, value)
    return value


def by_autograd_grad(cutter):
    """(g, x.grad uncut, x.grad if ones are handed over) by torch.autograd.grad, without cutting."""
    x = torch.tensor(cutter.input, dtype=torch.float32, requires_grad=True)
    y = apply(cutter.chain.links[: cutter.cut], x)
    z = apply(cutter.chain.links[cutter.cut:], y)
    v = torch.tensor(cutter.upstream, dtype=torch.float32)
    g, whole = torch.autograd.grad(z, [y, x], v, retain_graph=True)
    return g.tolist(), whole.tolist(), torch.autograd.grad(y, x, torch.ones_like(y))[0].tolist()


def test_the_lesson_55_25_by_7_9_and_17_8_by_2_3():
    cutter = SeamCutter()
    assert cutter.values == [[2, 3], [7, 6], [42, 19]]
    assert (cutter.seam_gradient, cutter.input_grad) == ([7, 9], [55, 25])
    assert cutter.call_line() == "y.backward(gradient=torch.tensor([7., 9.]))"
    assert cutter.sum_lines() == ["g\u2081 = 1\u00b76 + 1\u00b71 = 7",
                                  "g\u2082 = 1\u00b77 + 1\u00b72 = 9"]
    cutter.set_upstream("[0.2, 0.8]")
    np.testing.assert_allclose(cutter.seam_gradient, [2, 3], rtol=1e-6)
    np.testing.assert_allclose(cutter.input_grad, [17, 8], rtol=1e-6)
    assert cutter.same and SeamCutter("S2-6").right_line().endswith("= [2, 3]")


def test_the_single_output_row():
    cutter = SeamCutter("S3-9")
    np.testing.assert_allclose(cutter.seam_gradient, [0.1, 1.0, 0.0001], rtol=1e-6)
    assert cutter.input_grad == pytest.approx(4.1012)


@pytest.mark.parametrize("name, cut", PLACES)
def test_every_cut_gives_what_the_uncut_chain_gives_and_what_torch_gives(name, cut):
    cutter = SeamCutter(name).move_cut(cut)
    g, whole, forgotten = by_autograd_grad(cutter)
    np.testing.assert_allclose(cutter.seam_gradient, g, rtol=1e-5)
    for grad in (cutter.input_grad, cutter.uncut_grad):
        np.testing.assert_allclose(grad, whole, rtol=1e-5)
    assert cutter.same
    np.testing.assert_allclose(cutter.choose_mistake("forget").input_grad, forgotten, rtol=1e-5)
    np.testing.assert_allclose(cutter.handed, np.ones_like(g))
    np.testing.assert_allclose(
        cutter.choose_mistake("twice").input_grad, 2 * np.array(whole), rtol=1e-5
    )
    assert not cutter.same and cutter.right_grad == cutter.uncut_grad
    for answer in (cutter.torch_answer(wait=True), cutter.stored_answer()):
        assert cutter.agrees(answer) is True
    assert cutter.torch_answer(wait=True).source == "live"
    assert cutter.stored_answer().source == "stored"


@pytest.mark.parametrize("name, cut", PLACES)
def test_the_stored_answer_is_right_for_every_v(name, cut):
    cutter = SeamCutter(name).move_cut(cut)
    cutter.set_upstream((np.array(cutter.upstream) * -1.5 + 0.25).tolist())
    for mistake in MISTAKES:
        cutter.choose_mistake(mistake)
        assert cutter.agrees(cutter.stored_answer()) is True


def test_an_answer_for_another_chain_is_seen_to_differ():
    assert SeamCutter("S2-4").agrees(SeamCutter("S2-6").torch_answer(wait=True)) is False
    assert SeamCutter("S2-4", x=[2, 4]).stored_answer().source == "missing"


def test_at_the_end_the_gradient_at_the_seam_is_v_itself():
    cutter = SeamCutter("S2-6").move_cut(2)
    assert cutter.seam_gradient == cutter.upstream and "g = v" in cutter.right_line()
    assert cutter.same


def test_recorded_answers_are_those_of_the_installed_torch():
    stored = recorded.load("seams")
    assert stored["torch"] == engines.version(torch)
    assert stored["answers"] == record.seam_answers(torch)


# --- the loop over time -------------------------------------------------------------------------


def test_counting_twice_in_truncated_backpropagation():
    for engine in (engines.minigrad, torch):
        loop = unroll(engine)
        assert loop.right[-1].weight_grad == pytest.approx(0.1080)
        assert loop.twice[-1].weight_grad == pytest.approx(0.2880)
        assert loop.uncut == pytest.approx(0.1080)


@pytest.mark.parametrize("weight, start", [(0.5, 2.0), (-1.5, 1.0), (0.0, 3.0)])
def test_the_loop_at_other_numbers(weight, start):
    cutter = SeamCutter().choose_mistake("twice").set_weight(str(weight)).set_start(start)
    loop = cutter.unrolled
    for k, window in enumerate(loop.right):
        assert window.weight_grad == pytest.approx((k + 1) * weight**k * start)
        assert window.state == pytest.approx(weight ** (k + 1) * start)
    for mine, clear in ((loop.right, True), (loop.twice, False)):
        for one, theirs in zip(mine, windows(torch, weight, start, clear)):
            assert one.weight_grad == pytest.approx(theirs.weight_grad)
            assert one.handed == pytest.approx(theirs.handed)
    assert loop.uncut == pytest.approx(3 * weight**2 * start)
    answer = cutter.torch_loop(wait=True).found
    assert answer["twice"] == pytest.approx(loop.twice[-1].weight_grad)


# --- a learner's own functions ------------------------------------------------------------------


def test_own_functions():
    def double(x):
        return 2 * x

    cutter = SeamCutter([double, lambda torch, y: torch.exp(y), lambda h: h.sum()], [0.0, 1.0])
    assert cutter.chain.values == ("x", "h1", "h2", "z")
    assert cutter.chain.links[0].name == "double"
    for cut in (1, 2, 3):
        cutter.move_cut(cut)
        np.testing.assert_allclose(cutter.input_grad, 2 * np.exp([0, 2]), rtol=1e-5)
        assert cutter.agrees() and "missing" == cutter.stored_answer().source
    cutter.load("S3-9").load("your functions")
    assert cutter.message is None and cutter.chain.name == "your functions"
    assert SeamCutter(lambda x: x * x, [3]).input_grad == [6]
    matrix = SeamCutter([lambda x: x @ x, lambda y: y * y], [[1, 2], [3, 4]])
    assert matrix.same and matrix.agrees()


@pytest.mark.parametrize("functions, x, says", [
    ([lambda x: x, 3], [1], "Number 2 of the list is no function: 3."),
    ([], [1], "Give 1 to 6 functions; 0 were given."),
    ([lambda x: x] * 7, [1], "7 were given"),
    ([lambda x: x], None, "Give the input x"),
    ([lambda x: [x]], [1], "returned a list"),
    ([lambda x: x * 2, lambda y: 1 / 0], [1], "ZeroDivisionError"),
    ([lambda x: x.reshape(-1, 1).expand(30, 30)], [1], "elements"),
    ([lambda x: x.nope], [1], "AttributeError"),
    ([lambda x: x * 2, lambda y: y.detach() * 2], [1], "does not require grad"),
    (7, [1], "TypeError"),
    ([lambda x: x], "[1, 2", "] is missing"),
])
def test_what_cannot_be_run_becomes_a_sentence(functions, x, says):
    cutter = SeamCutter(functions, x)
    assert says in cutter.message and "Shown is S2-4" in cutter.message
    assert cutter.input_grad == [55, 25] and "refused" in repr(cutter)


def test_a_name_that_is_no_chain():
    with pytest.raises(ValueError, match="There is no chain 'x'. Known are: S2-4"):
        SeamCutter("x")


@pytest.mark.parametrize("act, says", [
    (lambda c: c.set_upstream([1, 2, 3]), "Mismatch in shape: grad_output[0] has a shape of "
     "torch.Size([3]) and output[0] has a shape of torch.Size([2])."),
    (lambda c: c.set_upstream("1,5"), "no brackets"),
    (lambda c: c.set_upstream_entry(0, "3,5"), "type 3.5"),
    (lambda c: c.set_upstream_entry(5, "1"), "Index [5] is outside a shape of (2,)."),
    (lambda c: c.set_input("[1]"), "IndexError"),
    (lambda c: c.set_input("x"), "is not a number"),
    (lambda c: c.move_cut(0), "The cut goes after function 1 to 2, not 0."),
    (lambda c: c.move_cut(3), "not 3"),
    (lambda c: c.move_cut(1.5), "not 1.5"),
    (lambda c: c.move_cut("y"), "not 'y'"),
    (lambda c: c.choose_mistake("both"), "There is no mistake 'both'. Known are: none, forget, twice."),
    (lambda c: c.load("S9"), "There is no chain 'S9'"),
    (lambda c: c.set_weight("w"), "is not a number"),
    (lambda c: c.set_start(None), "no number yet"),
])
def test_bad_input_gets_a_sentence_and_changes_nothing(act, says):
    cutter = SeamCutter().choose_mistake("twice")
    before = {**cutter.state(), "message": None, "refused_at": None}
    assert act(cutter) is cutter and says in cutter.message
    assert {**cutter.state(), "message": None, "refused_at": None} == before
    assert says.split(":")[0] in " ".join(repr(cutter).split())
    assert cutter.step_cut(1).message is None


def test_the_cut_moves_and_stops_at_the_ends():
    cutter = SeamCutter("3 layers")
    moves = [cutter.step_cut(by).cut for by in (-1, 1, 1, 1, -1)]
    assert moves == [1, 2, 3, 3, 2]
    assert cutter.move_cut("1").cut == 1


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("name, cut", PLACES)
def test_the_text_twin(name, cut, mistake):
    cutter = SeamCutter(name).move_cut(cut).choose_mistake(mistake)
    text = repr(cutter)
    assert max(map(len, text.splitlines())) <= 100
    assert cutter.call_line() in " ".join(text.split()) and "= " in text
    assert ("0.2880" in text) == (mistake == "twice")


def test_without_torch_the_stored_answer_is_shown_and_labelled(no_torch):
    cutter = SeamCutter("S2-6").choose_mistake("twice")
    assert "stored from torch 2.13.0" in repr(cutter) and cutter.agrees()
    assert cutter.torch_loop().found["right"] == pytest.approx(0.108)
    assert cutter.set_weight(0.5).torch_loop().source == "missing"
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

    @rule(name=st.sampled_from([*CHAINS, "your functions", "?"]))
    def load(self, name):
        self.cutter.load(name)

    @rule(cut=st.one_of(st.integers(-1, 4), st.just("x")))
    def move_cut(self, cut):
        self.cutter.move_cut(cut)

    @rule(by=st.sampled_from([-1, 1]))
    def step_cut(self, by):
        self.cutter.step_cut(by)

    @rule(value=texts)
    def set_upstream(self, value):
        self.cutter.set_upstream(value)

    @rule(index=st.integers(0, 3), value=texts)
    def set_entry(self, index, value):
        self.cutter.set_upstream_entry(index, value)

    @rule(value=texts)
    def set_input(self, value):
        self.cutter.set_input(value)

    @rule(name=st.sampled_from(MISTAKES))
    def choose_mistake(self, name):
        self.cutter.choose_mistake(name)

    @rule(value=texts)
    def set_loop(self, value):
        self.cutter.set_weight(value).set_start(value)

    @invariant()
    def what_is_shown_is_true(self):
        cutter = self.cutter
        g, whole, forgotten = by_autograd_grad(cutter)
        scale = max(1e-6, np.abs(whole).max(), np.abs(g).max())
        close = dict(rtol=1e-4, atol=1e-5 * scale)
        np.testing.assert_allclose(cutter.seam_gradient, g, **close)
        np.testing.assert_allclose(cutter.right_grad, whole, **close)
        shown = {"none": whole, "forget": forgotten, "twice": 2 * np.array(whole)}[cutter.mistake]
        np.testing.assert_allclose(cutter.input_grad, shown, rtol=1e-4,
                                   atol=1e-5 * max(scale, np.abs(shown).max()))
        assert cutter.right_same and cutter.agrees() and repr(cutter) == repr(cutter)
        assert (cutter.message is None) == (cutter.refused_at is None)
        assert self.other.state() == self.before


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=12, stateful_step_count=10, deadline=None)
