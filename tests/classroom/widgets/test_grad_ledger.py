"""The ledger of .grad: scripts and any sequence of calls against real PyTorch, and its view."""

import re

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import widgets
from minigrad.classroom.compare import recorded
from minigrad.classroom.compare.results import run
from minigrad.classroom.show.drawing.svg import letters
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.grad_ledger.examples import EXAMPLES
from minigrad.classroom.widgets.grad_ledger.model import MAX_CALLS, GradLedger, programs_to_record
from minigrad.classroom.widgets.shared.model import Stopped
from tests.classroom.panels import html_of, named, parsed

SECOND_TIME = "RuntimeError: Trying to backward through the graph a second time"
BAD_TEXT = ["abc", "nan", "3,5", "1/0", "[1, 2", "[[1, 2], [3]]", "__import__('os')", "1e400"]


def kept(ledger):
    return [value.state for node in ledger.nodes for value in node.kept]


def comparisons(ledger, answer=None):
    """[(agrees, what differs) or None] of every row beside PyTorch."""
    answer = answer or ledger.torch_answer(wait=True)
    return [ledger.comparison(k, answer) for k in range(len(ledger.rows))]


# --- the documents' sequences, with what PyTorch does written out here ---------------------------


def test_s3_7_two_passes_add_up():
    a, b, c = (torch.tensor(1.0, requires_grad=True) for _ in range(3))
    y = 3 * a + 2 * b * b + torch.log(c)
    y.backward(retain_graph=True)
    y.backward()
    ledger = GradLedger("two passes").replay()
    assert ledger.grads == {"a": 6, "b": 8, "c": 2}
    assert ledger.grads == {"a": a.grad.item(), "b": b.grad.item(), "c": c.grad.item()}
    assert [row.added.get("b") for row in ledger.rows] == [None, 4, 4]
    assert [row.objects["b"] for row in ledger.rows] == ["None", "new", "same"]
    assert [row.graph for row in ledger.rows] == ["kept", "kept", "freed"]
    ledger = GradLedger("two passes, freed").replay()
    assert ledger.grads == {"a": 3, "b": 4, "c": 1} and ledger.error.startswith(SECOND_TIME)


def test_the_sequences_of_s4():
    ledger = GradLedger("clear and weigh").replay()
    seen = [row.grads["x"] for row in ledger.rows]
    assert seen[:2] == [None, None] and seen[3] == [[0.0]]
    assert [seen[2][0][0], seen[4][0][0]] == pytest.approx([110.4875, 11.0488], abs=5e-5)
    assert ledger.rows[1].error == (
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and "
        "output[0] has a shape of torch.Size([1, 1])."
    )
    assert ledger.values["x"][0][0] == pytest.approx(2.145611)  # 0.1 was no learning rate
    ledger = GradLedger("cubes, twice").replay()
    np.testing.assert_allclose(
        ledger.rows[2].grads["x"], [[0.3004, 12.1738], [12.2694, 1.0836]], atol=5e-5
    )
    assert ledger.outputs["out"] == pytest.approx(11.7597, abs=5e-5)
    assert ledger.grads["x"] == [[0, 0], [0, 0]] and ledger.error.startswith(SECOND_TIME)


def test_step_between_two_passes_changes_what_was_saved():
    ledger = GradLedger("step between").next().next()
    changed = [v.name for node in ledger.nodes for v in node.kept if v.state == "changed"]
    assert changed == ["w2"] and "changed in place" in ledger.life_line()
    assert "[torch.FloatTensor []] is at version 1; expected version 0" in ledger.next().error


def test_two_losses_share_a_trunk():
    ledger = GradLedger("two losses").next()
    states = {(node.name, value.name): value.state for node in ledger.nodes for value in node.kept}
    assert states == {
        ("ExpBackward0", "result"): "freed",
        ("MulBackward0", "self"): "kept",
        ("MulBackward0", "other"): "kept",
    }
    assert ledger.life_line() == "1 of 3 saved values are freed, 2 are still kept."
    assert ledger.next().error.startswith(SECOND_TIME)
    ledger.next().next().next()
    assert ledger.error is None and ledger.root == "l1 + l2"
    np.testing.assert_allclose(ledger.grads["x"], [3, np.e + 2 * np.e**2], rtol=1e-6)


def test_forgetting_to_clear_adds_up():
    ledger = GradLedger("training").replay()
    seen = [row.grads["w"] for row in ledger.rows]
    assert seen == pytest.approx([None, -9, -9, -9, -13.5, 0, 0, -4.5, -4.5])
    assert ledger.values["w"] == pytest.approx(2.35)
    assert GradLedger("training", lr=1).next().next().values["w"] == 10


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_script_is_what_pytorch_does_live_and_recorded(name, request):
    key = f"GradLedger {name}"
    assert run(programs_to_record()[key], torch)[0] == recorded.answer(key)[0]
    ledger = GradLedger(name).replay()
    assert ledger.next_line() is None and ledger.torch_answer(wait=True).source == "live"
    assert all(verdict == (True, "") for verdict in comparisons(ledger))
    live = repr(ledger)
    request.getfixturevalue("no_torch")
    ledger = GradLedger(name).replay()
    assert repr(ledger) == live.replace("torch 2.13.0, live", "stored from torch 2.13.0")
    assert max(map(len, live.splitlines())) <= 100


def test_other_calls_than_the_scripts_are_not_recorded(no_torch):
    ledger = GradLedger("x * x").backward()
    assert comparisons(ledger)[-1] is None and "is not recorded" in repr(ledger)
    assert GradLedger("x * x", lr=0.5).stored_answer().source == "missing"


def test_a_wrong_grad_would_not_be_called_equal():
    ledger = GradLedger("x * x").backward()
    answer = ledger.torch_answer(wait=True)
    ledger.rows[-1].grads["x"][2] += 0.01
    assert comparisons(ledger, answer)[-1] == (False, "x.grad")
    ledger.rows[-1].objects["x"] = "another"
    assert comparisons(ledger, answer)[-1] == (False, "objects")


# --- the life of the graph -----------------------------------------------------------------------


def test_values_are_kept_then_freed_then_kept_by_a_new_graph():
    ledger = GradLedger("x * x")
    assert kept(ledger) == ["kept", "kept"] and "keeps 2 values" in ledger.life_line()
    assert kept(ledger.backward(retain_graph=True)) == ["kept", "kept"]
    assert kept(ledger.backward()) == ["freed", "freed"] and ledger.grads["x"] == [4, 0, 24]
    before = ledger.grads
    assert ledger.backward().error.startswith(SECOND_TIME) and ledger.grads == before
    assert kept(ledger.forward()) == ["kept", "kept"] and ledger.grads == before


def own_square(torch, x):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    return Square.apply(x)


def changed_result(x):
    h = x.exp()
    h.add_(1)
    return h


def changed_operand(torch, x):
    h = x * 1
    y = own_square(torch, h)
    h.add_(1)
    return y


@pytest.mark.parametrize("function", [changed_result, changed_operand])
def test_what_was_changed_in_place_is_shown_as_changed(function):
    ledger = GradLedger(function, [1, 2])
    assert "changed" in kept(ledger) and "changed in place" in ledger.life_line()
    assert "modified by an inplace operation" in ledger.backward().error
    assert comparisons(ledger)[-1] == (True, "")


def test_a_function_of_the_learners_own_frees_its_saved_tensors():
    ledger = GradLedger(own_square, [1, 2])
    assert [(n.name, v.name) for n in ledger.nodes for v in n.kept] == [("SquareBackward", "x")]
    assert kept(ledger.backward()) == ["freed"] and ledger.grads["x"] == [2, 4]
    assert all(agrees for agrees, _ in comparisons(ledger))


def changed_view(x):
    h = x.clone()
    h[1:].add_(2)
    return h


def test_what_a_change_of_a_view_keeps_is_no_value_and_is_freed():
    ledger = GradLedger(changed_view, [1, 2, 3])
    assert kept(ledger) == [] and ledger.rows[-1].graph == "kept"
    assert ledger.backward().rows[-1].graph == "freed" and "freed" in ledger.life_line()
    assert ledger.backward().error.startswith(SECOND_TIME)
    assert "change freed" in html_of(widgets.GradLedger(ledger))
    assert all(agrees for agrees, _ in comparisons(ledger))


def test_a_sum_has_nothing_to_free():
    ledger = GradLedger("a + b").replay()
    assert kept(ledger) == [] and ledger.error is None and ledger.grads == {"a": 2, "b": 2}
    assert "nothing to free" in ledger.life_line() and ledger.rows[-1].graph == ""
    assert GradLedger(lambda a: 3 * a, 2).backward().backward().error.startswith(SECOND_TIME)


def test_nodes_come_in_order_with_the_order_in_which_they_ran():
    ledger = GradLedger("two passes").backward()
    assert all(o < k for k, node in enumerate(ledger.nodes) for o in node.operands)
    ran = [node.ran for node in ledger.nodes if node.leaf is None]
    assert sorted(ran) == list(range(1, 7))
    assert [node.result for node in ledger.nodes if node.ran == 1] == ["y"]
    assert all(node.ran is None for node in ledger.zero_().nodes)
    assert {node.leaf for node in ledger.nodes} == {None, "a", "b", "c"}


# --- .grad as an object --------------------------------------------------------------------------


def test_zero_keeps_the_object_and_none_gives_it_up():
    ledger = GradLedger("x * x").backward().zero_().set_none().forward().backward()
    assert [row.objects["x"] for row in ledger.rows] == [
        "None",
        "new",
        "same",
        "None",
        "None",
        "new",
    ]
    assert ledger.rows[2].grads["x"] == [0, 0, 0]
    ledger = GradLedger("x * x").zero_()
    assert ledger.error == "AttributeError: 'NoneType' object has no attribute 'zero_'"
    assert comparisons(ledger)[-1] == (True, "")


def test_a_grad_that_was_replaced_is_another_object():
    def replaces(x):
        x.grad = x.detach() * 1
        return x * 2

    ledger = GradLedger(replaces, [1, 2]).backward().forward()
    assert [row.objects["x"] for row in ledger.rows] == ["new", "same", "another"]
    assert all(verdict == (True, "") for verdict in comparisons(ledger))


# --- the learner's own ---------------------------------------------------------------------------


def test_own_functions():
    ledger = GradLedger(lambda a, b: (a * b).sum(), a=[1, 2], b="[3, 1/2]").backward()
    assert ledger.grads == {"a": [3, 0.5], "b": [1, 2]} and comparisons(ledger)[-1][0]
    assert ledger.rows[-1].code == "y.backward()"  # a scalar needs no v
    ledger = GradLedger(lambda torch, x: torch.log(x), [1, 2], v=[1, 4]).backward()
    assert ledger.grads == {"x": [1, 2]} and comparisons(ledger)[-1][0]
    assert ledger.load("two passes").example.name == "two passes"
    assert ledger.load("your function").values == {"x": [1, 2]}
    several = GradLedger(lambda x: {"p": x * 2, "q": x.exp()}, 0).choose_root("q").backward()
    assert several.grads == {"x": 1} and list(several.outputs) == ["p", "q"]


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: GradLedger("S9-9"), "Known are: x \\* x"),
        (lambda: GradLedger(3), "or an example's name, not an int"),
        (lambda: GradLedger("two passes", a=1), "brings its own numbers"),
        (lambda: GradLedger(lambda a, b: a * b, 1), "give numbers for b"),
        (lambda: GradLedger(lambda a: a, a="abc"), "not a number"),
        (lambda: GradLedger(lambda a: a, [0] * 13), "leaves of 1 to 12"),
        (lambda: GradLedger("x * x", v="3,5"), "type \\[3, 5\\]"),
        (lambda: GradLedger(lambda x: [x], 1), "must return one tensor"),
        (lambda: GradLedger(lambda x: None, 1), "returned nothing"),
        (lambda: GradLedger(lambda x: 1 / 0, 1), "division by zero"),
        (lambda: GradLedger(lambda torch: {"y": torch.ones(2)}), "Give a function of its leaves"),
    ],
)
def test_a_ledger_that_cannot_be_opened_says_why(make, says):
    with pytest.raises(Refused, match=says):
        make()


def test_a_later_forward_that_fails_is_a_row():
    def stops_at_zero(x):
        if x.item() <= 0:
            raise ValueError("x is 0")
        return x + 0

    ledger = GradLedger(stops_at_zero, 1, lr=1).backward().step().forward()
    assert ledger.error == "ValueError: x is 0" and comparisons(ledger)[-1] == (True, "")
    assert ledger.backward().error is None  # the graph of the first forward is still there


def test_a_result_without_a_graph():
    ledger = GradLedger(lambda x: x.detach(), [1, 2]).backward()
    assert ledger.error.endswith("does not require grad and does not have a grad_fn")
    assert not ledger.nodes and "no graph" in ledger.life_line()
    assert GradLedger(lambda x: x, [1, 2]).backward().backward().grads == {"x": [2, 2]}


def test_a_call_that_is_interrupted_leaves_the_tensors_as_they_were():
    # The tensors have changed by then; the same calls make them anew.
    interrupted = [False]

    def function(x):
        if interrupted[0]:
            x.grad = x.detach() * 100
            raise Stopped
        return x * x

    ledger = GradLedger(function, [1, 2]).backward()
    before, interrupted[0] = ledger.state(), True
    assert "took too long" in ledger.forward().message
    interrupted[0] = False
    assert ledger.state() == {**before, "message": ledger.message}
    assert ledger.forward().backward().grads == {"x": [4, 8]}
    assert all(verdict == (True, "") for verdict in comparisons(ledger))


# --- typed input, predictions --------------------------------------------------------------------


def test_what_is_not_there_is_refused():
    for act in (
        lambda one: one.load("S9-9"),
        lambda one: one.choose_root("q"),
        lambda one: one.set_upstream(object()),
    ):
        ledger = GradLedger("two passes").backward()
        before = ledger.state()
        assert act(ledger).message and ledger.refused_at
        hidden = {"message": None, "refused_at": None}
        assert {**ledger.state(), **hidden} == before and "refused: " in repr(ledger)


def test_an_empty_v_is_no_argument():
    ledger = GradLedger("a + b").set_upstream("").backward()
    assert ledger.rows[-1].code == "y.backward()" and ledger.grads["a"] == 1
    error = GradLedger("x * x").set_upstream(None).backward().error
    assert error == "RuntimeError: grad can be implicitly created only for scalar outputs"


def test_the_ledger_and_its_scripts_end_somewhere():
    ledger = GradLedger("a + b")
    for _ in range(MAX_CALLS + 3):
        ledger.backward()
    assert len(ledger.rows) == MAX_CALLS and "Start anew" in ledger.message
    assert len(ledger.reset().rows) == 1
    ledger = GradLedger("a + b").replay()
    assert "at its end" in ledger.next().message and len(ledger.rows) == 3
    assert "no script" in GradLedger(lambda x: x, 1).replay().message


def test_each_new_grad_is_covered_until_a_guess():
    view = widgets.GradLedger("x * x", predict=True)
    view.backward(retain_graph=True)
    newest, life = (parsed(view).select_one(part) for part in (".mg-newest", ".mg-graph"))
    drawn = newest.get_text(" ") + life.get_text(" ")
    assert view.covered and "12" not in drawn + view.summary()
    assert "12]" not in repr(view.model).split("graph ")[0]
    named(view, "your guess").value = "[2, 0, 12]"
    named(view, "Commit").click()
    assert view.model._shown.rows and not view.covered and "+12" in html_of(view)
    assert view.backward().covered  # the next one
    assert not view.set_none().covered and not view.forward().covered


# --- any sequence of calls -----------------------------------------------------------------------


class Learner(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.ledger = GradLedger("two passes")
        self.other = GradLedger("x * x").backward()
        self.untouched = self.other.state()

    @rule(name=st.sampled_from(list(EXAMPLES)))
    def load(self, name):
        self.ledger.load(name)

    @rule(call=st.sampled_from(["forward", "zero_", "set_none", "step", "next", "replay"]))
    def call(self, call):
        getattr(self.ledger, call)()

    @rule(retain=st.booleans())
    def backward(self, retain):
        before = len(self.ledger.rows)
        self.ledger.backward(retain_graph=retain)
        assert len(self.ledger.rows) == before + 1

    @rule(data=st.data())
    def choose(self, data):
        self.ledger.choose_root(data.draw(st.sampled_from(list(self.ledger.outputs))))
        assert self.ledger.message is None

    @rule(fill=st.sampled_from([0.0, 1.0, -0.5]))
    def a_fitting_v(self, fill):
        shape = np.shape(self.ledger.outputs[self.ledger.root])
        assert self.ledger.set_upstream(np.full(shape, fill)).message is None

    @rule(text=st.one_of(st.sampled_from([*BAD_TEXT, "", "[1]", "1/3"]), st.text(max_size=6)))
    def type_v(self, text):
        before = {**self.ledger.state(), "message": None, "refused_at": None}
        if self.ledger.set_upstream(text).message:
            now = {**self.ledger.state(), "message": None, "refused_at": None}
            assert now == before and self.ledger.refused_at == "upstream"

    @invariant()
    def agrees_with_pytorch_and_is_consistent(self):
        assert all(verdict == (True, "") for verdict in comparisons(self.ledger))
        *earlier, row = self.ledger.rows
        for name, grad in row.grads.items():
            assert (row.objects[name] == "None") == (grad is None)
            before = earlier[-1].grads[name] if earlier else None
            if row.call.what == "backward" and grad is not None:
                both = before, row.added.get(name)
                parts = [np.array(part) for part in both if part is not None]
                np.testing.assert_allclose(grad, sum(parts), rtol=1e-5, atol=1e-5)
        assert self.other.state() == self.untouched
        assert max(map(len, repr(self.ledger).splitlines())) <= 100


TestAnySequenceOfCalls = Learner.TestCase
TestAnySequenceOfCalls.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


# --- on the screen -------------------------------------------------------------------------------


def test_the_controls_call_the_model():
    view = widgets.GradLedger()
    named(view, "backward(v, retain_graph)").click()
    named(view, "v =").value = "[0, 1/2, 0]"
    named(view, "backward(v)").click()
    assert view.grads == {"x": [2, 2, 12]} and named(view, "v =").value == "[0, 0.5, 0]"
    named(view, "backward(v)").click()
    assert "a second time" in html_of(view)
    for name in ("zero_()", "= None", "step", "forward"):
        named(view, name).click()
    assert "a second time" not in html_of(view)
    assert [row.call.what for row in view.rows[4:]] == ["zero_", "none", "step", "forward"]
    named(view, "start anew").click()
    assert len(view.rows) == 1
    named(view, "all").click()
    assert named(view, "line 6 of 6").disabled
    named(view, "example").value = "two losses"
    named(view, "v =").value = "3,5"
    assert "Not used." in html_of(view) and named(view, "v =").refused
    assert view.upstream == 1


def test_text_of_the_learner_is_escaped():
    view = widgets.GradLedger(lambda x: {"<b>": x * 2}, [1, 2])
    view.backward()
    assert "<b>" not in html_of(view) and "&lt;b&gt;" in html_of(view)
    view.model.set_upstream("<img src=x>")
    assert "<img" not in html_of(view)


@pytest.mark.parametrize("name, shown", [("x * x", 4), ("a + b", 3), ("two passes", 2)])
def test_the_last_rows_are_shown_fewer_over_a_high_graph_and_the_earlier_ones_folded(name, shown):
    view = widgets.GradLedger(name)
    for _ in range(7):
        view.zero_()
    newest, earlier = (parsed(view).select_one(part) for part in (".mg-newest", ".mg-source"))
    assert len(newest.find_all("tr")) == 1 + shown  # a heading, too
    assert f"rows 1\u2013{8 - shown}" in earlier.get_text()
    assert len(earlier.find_all("tr")) == 9 - shown


def test_gradients_without_room_are_folded_and_told_whole():
    W = np.arange(12).reshape(3, 4)
    view = widgets.GradLedger(lambda W, b: (W * b).sum(), W, [1, -2, 3, 4])
    view.backward()
    assert "(3,4) \u22122\u2026+4" in html_of(view)
    assert "W: [[1, -2, 3, 4], [1, -2, 3, 4]" in html_of(view)  # on hovering
    many = widgets.GradLedger(lambda a, b, c, d: sum([a * b * c * d] * 30), 1.25, 2.5, 3.75, 4.1)
    many.backward()
    assert "and 3 more" in html_of(many) and "nodes; up to 30 are drawn" in html_of(many)


def test_a_result_that_backward_does_not_start_from_fits_its_box():
    view = widgets.GradLedger(lambda x: {"p": x * 2, "q": x.exp()}, [0, 1])
    text = parsed(view).find("text", string="[1, 2.7183]")
    box = text.find_all_previous("rect")[0]
    assert float(box["x"]) + float(box["width"]) / 2 == pytest.approx(float(text["x"]))  # its own
    assert float(box["width"]) > letters("[1, 2.7183]", 14)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_drawing_keeps_its_size_and_the_still_is_the_same_every_time(name, request):
    view = widgets.GradLedger(name)
    sizes = set()
    while view.next_line():
        sizes.add(re.search(r'viewBox="([^"]+)"', html_of(view)).group(1))
        view.next()
    if name not in ("step between", "training"):  # whose step makes other numbers
        assert len(sizes) == 1
    still = view.still()
    request.getfixturevalue("no_torch")
    again = widgets.GradLedger(name)
    again.replay()
    assert again.still() == still and "stored from torch" in still
    assert repr(again) == repr(view) and len(repr(view)) < 250
