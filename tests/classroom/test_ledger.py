"""The ledger of .grad: scripts and any sequence of calls against real PyTorch, and its view."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import minigrad
from minigrad.classroom import engines, record, recorded, widgets
from minigrad.classroom.models.ledger import MAX_CALLS, GradLedger
from minigrad.classroom.models.ledger_examples import EXAMPLES
from minigrad.classroom.models.source import formula_of, source_of
from tests.classroom.panels import controls_of, html_of, named, sent_by, still_of

SECOND_TIME = "RuntimeError: Trying to backward through the graph a second time"
BAD_TEXT = ["abc", "nan", "3,5", "1/0", "[1, 2", "[[1, 2], [3]]", "__import__('os')", "1e400"]


def kept(ledger):
    return [value.state for node in ledger.nodes for value in node.kept]


# --- the documents' sequences, with what PyTorch does written out here ------------------------


def test_s3_7_two_passes_add_up():
    a, b, c = (torch.tensor(1.0, requires_grad=True) for _ in range(3))
    y = 3 * a + 2 * b * b + torch.log(c)
    y.backward(retain_graph=True)
    y.backward()
    ledger = GradLedger("S3-7").replay()
    assert ledger.grads == {"a": 6, "b": 8, "c": 2}
    assert ledger.grads == {"a": a.grad.item(), "b": b.grad.item(), "c": c.grad.item()}
    assert [row.entries["b"].added for row in ledger.rows] == [None, 4, 4]
    assert [row.entries["b"].object for row in ledger.rows] == ["None", "new", "same"]


def test_s3_7_without_retain_graph_is_pytorchs_error():
    ledger = GradLedger("S3-7 freed").replay()
    assert ledger.grads == {"a": 3, "b": 4, "c": 1} and ledger.error.startswith(SECOND_TIME)


def test_s4_12_to_14():
    ledger = GradLedger("S4-12").replay()
    seen = [row.entries["x"].grad for row in ledger.rows]
    assert seen[:2] == [None, None] and seen[3] == [[0.0]]
    assert seen[2][0][0] == pytest.approx(110.4875, abs=5e-5)
    assert seen[4][0][0] == pytest.approx(11.0488, abs=5e-5)
    assert ledger.rows[1].error == (
        "RuntimeError",
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and "
        "output[0] has a shape of torch.Size([1, 1]).",
    )
    assert "110.4875" in repr(ledger) and "11.0488" in repr(ledger)
    assert ledger.values["x"][0][0] == pytest.approx(2.145611)  # 0.1 was no learning rate


def test_s4_21_to_23():
    ledger = GradLedger("S4-21").replay()
    np.testing.assert_allclose(
        ledger.rows[2].entries["x"].grad, [[0.3004, 12.1738], [12.2694, 1.0836]], atol=5e-5
    )
    assert ledger.outputs["out"] == pytest.approx(11.7597, abs=5e-5)
    assert ledger.grads["x"] == [[0, 0], [0, 0]] and ledger.error.startswith(SECOND_TIME)


def test_step_between_two_passes_changes_what_was_saved():
    ledger = GradLedger("step between").next().next()
    assert kept(ledger).count("changed") == 1
    changed = [
        value.name for node in ledger.nodes for value in node.kept if value.state == "changed"
    ]
    assert changed == ["w2"] and "changed in place" in ledger.life_line()
    ledger.next()
    assert (
        "modified by an inplace operation: [torch.FloatTensor []] is at version 1; expected "
        "version 0 instead" in ledger.error
    )


def test_two_losses_share_a_trunk():
    ledger = GradLedger("two losses").next().next()
    assert ledger.error.startswith(SECOND_TIME)
    ledger.next().next().next()
    assert ledger.error is None and ledger.root == "l1 + l2"
    np.testing.assert_allclose(ledger.grads["x"], [3, np.e + 2 * np.e**2], rtol=1e-6)
    assert ledger.rows[-1].code.startswith("(l1 + l2).backward(v)")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_script_is_what_pytorch_does_live_and_recorded(name, no_torch_after):
    ledger = GradLedger(name).replay()
    assert ledger.next_line() is None
    assert ledger.torch_answer(wait=True).source == "live"
    assert all(verdict == (True, "") for verdict in ledger.comparisons())
    live = repr(ledger)
    no_torch_after()
    assert ledger.torch_answer(wait=True).source == "stored"
    assert all(verdict == (True, "") for verdict in ledger.comparisons())
    assert repr(ledger) == live.replace("torch 2.13.0, live", "stored from torch 2.13.0")
    assert max(map(len, live.splitlines())) <= 100


@pytest.fixture
def no_torch_after(request):
    """Call it: from then on there is no torch."""
    return lambda: request.getfixturevalue("no_torch")


def test_what_is_recorded_is_what_torch_answers_now():
    stored = recorded.load("ledger")
    assert stored["torch"] == engines.version(torch) and set(stored["answers"]) == set(EXAMPLES)
    assert stored["answers"] == record.ledger_answers(torch)


def test_other_calls_than_the_scripts_are_not_recorded(no_torch):
    ledger = GradLedger("x * x").backward()
    assert ledger.torch_answer(wait=True).source == "missing" and ledger.comparisons()[-1] is None
    assert "is not recorded" in repr(ledger)
    assert GradLedger("x * x", lr=0.5).stored_answer().source == "missing"


def test_a_wrong_grad_would_not_be_called_equal():
    ledger = GradLedger("x * x").backward()
    answer = ledger.torch_answer(wait=True)
    ledger.rows[-1].record["grads"]["x"][2] += 0.01
    assert ledger.comparisons(answer)[-1] == (False, "x.grad")
    ledger.rows[-1].record["objects"]["x"] = "another"
    assert ledger.comparisons(answer)[-1] == (False, "objects")


# --- the life of the graph --------------------------------------------------------------------


def test_values_are_kept_then_freed_then_kept_by_a_new_graph():
    ledger = GradLedger("x * x")
    assert kept(ledger) == ["kept", "kept"] and ledger.keeping() == (2, 2)
    assert kept(ledger.backward(retain_graph=True)) == ["kept", "kept"]
    assert kept(ledger.backward()) == ["freed", "freed"] and ledger.keeping() == (0, 2)
    assert "freed" in ledger.life_line() and ledger.grads["x"] == [4, 0, 24]
    before = ledger.grads
    assert ledger.backward().error.startswith(SECOND_TIME) and ledger.grads == before
    assert kept(ledger.forward()) == ["kept", "kept"] and ledger.grads == before


def test_what_is_shown_is_read_from_the_engine_and_not_acted_out():
    ledger = GradLedger("x * x")
    ledger._session.outputs["y"].backward(minigrad.ones(3))  # behind the model's back
    assert kept(ledger) == ["freed", "freed"]


def test_a_saved_result_that_was_changed_in_place_is_shown_as_changed():
    def changed(x):
        h = x.exp()
        h.add_(1)
        return h

    ledger = GradLedger(changed, [1, 2])
    assert kept(ledger) == ["changed"] and "changed in place" in ledger.life_line()
    assert "output 0 of Exp, is at version 1" in ledger.backward().error
    assert ledger.comparisons()[-1] == (True, "")


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


def test_what_a_function_of_the_learners_own_saved_may_be_changed_too():
    def changed(torch, x):
        h = x * 1
        y = own_square(torch, h)
        h.add_(1)
        return y

    ledger = GradLedger(changed, [1, 2])
    assert "changed" in kept(ledger)
    assert "modified by an inplace operation" in ledger.backward().error
    assert ledger.comparisons()[-1] == (True, "")


def test_a_sum_has_nothing_to_free():
    ledger = GradLedger("a + b").replay()
    assert kept(ledger) == [] and ledger.error is None and ledger.grads == {"a": 2, "b": 2}
    assert "nothing to free" in ledger.life_line()
    assert GradLedger("3 * a").replay().error.startswith(SECOND_TIME)


def test_a_shared_part_is_freed_and_the_other_is_not():
    ledger = GradLedger("two losses").backward()
    states = {(node.name, value.name): value.state for node in ledger.nodes for value in node.kept}
    assert states == {
        ("ExpBackward0", "result"): "freed",
        ("MulBackward0", "self"): "kept",
        ("MulBackward0", "other"): "kept",
    }
    assert ledger.life_line() == "1 of 3 saved values are freed, 2 are still kept."


def test_nodes_come_in_order_with_the_order_in_which_they_ran():
    ledger = GradLedger("S3-7").backward()
    assert all(operand < node.number for node in ledger.nodes for operand in node.operands)
    ran = {node.name + str(node.number): node.ran for node in ledger.nodes if node.leaf is None}
    assert sorted(ran.values()) == list(range(1, 7))
    assert [node.result for node in ledger.nodes if node.ran == 1] == ["y"]
    assert all(node.ran is None for node in ledger.zero_().nodes)
    assert {node.leaf for node in ledger.nodes} == {None, "a", "b", "c"}


def test_a_function_of_the_learners_own_frees_its_saved_tensors():
    ledger = GradLedger(own_square, [1, 2])
    assert [
        (node.name, value.name, value.state) for node in ledger.nodes for value in node.kept
    ] == [("SquareBackward", "x", "kept")]
    assert kept(ledger.backward()) == ["freed"] and ledger.grads["x"] == [2, 4]
    assert all(agrees for agrees, _ in ledger.comparisons())


# --- .grad as an object -----------------------------------------------------------------------


def test_zero_keeps_the_object_and_none_gives_it_up():
    ledger = GradLedger("x * x").backward()
    assert ledger.rows[-1].entries["x"].object == "new"
    assert ledger.zero_().rows[-1].entries["x"].object == "same" and ledger.grads["x"] == [0, 0, 0]
    assert ledger.set_none().rows[-1].entries["x"].object == "None" and ledger.grads["x"] is None
    assert ledger.forward().backward().rows[-1].entries["x"].object == "new"


def test_a_grad_that_was_replaced_is_another_object():
    def replaces(x):
        x.grad = x.detach() * 1
        return x * 2

    ledger = GradLedger(replaces, [1, 2]).backward().forward()
    assert [row.entries["x"].object for row in ledger.rows] == ["new", "same", "another"]
    assert all(verdict == (True, "") for verdict in ledger.comparisons())


def test_zero_before_any_backward_is_pythons_own_error():
    ledger = GradLedger("x * x").zero_()
    assert ledger.error == "AttributeError: 'NoneType' object has no attribute 'zero_'"
    assert ledger.comparisons()[-1] == (True, "")


def test_one_leaf_or_every_leaf():
    ledger = GradLedger("S3-7").backward(retain_graph=True).choose_leaf("b").zero_()
    assert ledger.grads == {"a": 3, "b": 0, "c": 1} and ledger.rows[-1].code == "b.grad.zero_()"
    assert ledger.set_none().grads == {"a": 3, "b": None, "c": 1}
    assert ledger.choose_leaf("").set_none().grads == {"a": None, "b": None, "c": None}
    assert ledger.rows[-1].code == "a.grad = b.grad = c.grad = None"


def test_step_moves_the_leaves_and_forgetting_to_clear_adds_up():
    ledger = GradLedger("training").replay()
    assert [row.entries["w"].grad for row in ledger.rows] == pytest.approx(
        [None, -9, -9, -9, -13.5, 0, 0, -4.5, -4.5]
    )
    assert ledger.values["w"] == pytest.approx(2.35)
    assert GradLedger("training", lr=1).next().next().values["w"] == 10


# --- the learner's own ------------------------------------------------------------------------


def test_own_functions():
    ledger = GradLedger(lambda a, b: (a * b).sum(), a=[1, 2], b="[3, 1/2]").backward()
    assert ledger.grads == {"a": [3, 0.5], "b": [1, 2]} and ledger.comparisons()[-1][0]
    assert ledger.example.formula == "y = (a * b).sum()"
    ledger = GradLedger(lambda torch, x: torch.log(x), [1, 2], v=[1, 4]).backward()
    assert ledger.grads == {"x": [1, 2]} and ledger.comparisons()[-1][0]
    assert ledger.load("S3-7").example.name == "S3-7"
    assert ledger.load("your function").values == {"x": [1, 2]}
    several = GradLedger(lambda x: {"p": x * 2, "q": x.exp()}, 0).choose_root("q").backward()
    assert several.grads == {"x": 1} and several.roots == ["p", "q"]


def test_a_whole_program_makes_its_leaves_anew():
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        c = torch.tensor([3.0, 4.0])
        return {"x": x, "c": c, "y": (x * c).sum()}

    ledger = GradLedger(program).choose_root("y").set_upstream("2").backward()
    assert ledger.leaf_names == ["x"] and ledger.grads == {"x": [6, 8]}
    assert ledger.forward().grads == {"x": None} and ledger.comparisons()[-1][0]


@pytest.mark.parametrize(
    "function, inputs, says",
    [
        (lambda x: [x], [1], "must return a tensor"),
        (lambda x: None, [1], "returned nothing"),
        (lambda x: {"y": 3}, [1], "an int as y"),
        (lambda x: 1 / 0, [1], "division by zero"),
        (lambda torch, x: torch.no_such_name(x), [1], "no_such_name"),
        (lambda torch: {"y": torch.ones(2)}, [], "returned no leaf that requires grad"),
        (lambda torch: torch.ones(2), [], "returned no leaf that requires grad"),
        (lambda torch: {"x": torch.ones(50, requires_grad=True)}, [], "leaves of 1 to 12"),
    ],
)
def test_errors_of_the_learners_function_become_a_sentence(function, inputs, says):
    ledger = GradLedger(function, *inputs)
    assert says in ledger.error and says.split()[0] in " ".join(repr(ledger).split())
    assert ledger.backward().error  # no result to start from: a sentence again
    assert ledger.zero_().step().set_none().forward().rows[-1].error == ledger.rows[0].error


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda: GradLedger("S9-9"), ValueError, "Known are: x \\* x"),
        (lambda: GradLedger(3), ValueError, "There is no example 3"),
        (lambda: GradLedger("S3-7", a=1), TypeError, "brings its own leaves"),
        (lambda: GradLedger(lambda a, b: a * b), TypeError, "needs numbers for the leaves a, b"),
        (lambda: GradLedger(lambda a, b: a * b, b=1, c=2), TypeError, "leaves are a, b"),
        (lambda: GradLedger(lambda a: a, a="abc"), ValueError, "not a number"),
        (lambda: GradLedger(lambda a: a, [0] * 13), ValueError, "leaves of 1 to 12"),
        (lambda: GradLedger("x * x", v="3,5"), ValueError, "type \\[3, 5\\]"),
    ],
)
def test_a_ledger_that_cannot_be_opened_says_why(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_a_result_without_a_graph():
    ledger = GradLedger(lambda x: x.detach(), [1, 2]).backward()
    assert (
        ledger.error
        == "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    )
    assert ledger.nodes == [] and "no graph" in ledger.life_line()
    assert GradLedger(lambda x: x, [1, 2]).backward().backward().grads == {"x": [2, 2]}


def test_a_large_graph_is_told_of_in_words():
    def many(x):
        for _ in range(40):
            x = x * 2
        return x

    ledger = widgets.GradLedger(many, 1.0)
    assert ledger.model.keeping() == (40, 40) and "41 nodes" in ledger._graph_html()
    assert ledger.backward().keeping() == (0, 40)


# --- typed input ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", BAD_TEXT)
def test_bad_text_is_refused_with_a_sentence_and_changes_nothing(text):
    ledger = GradLedger("x * x").backward()
    before = ledger.state()
    assert ledger.set_upstream(text).message and ledger.refused_at == "upstream"
    assert ledger.state() == {**before, "message": ledger.message}
    assert "refused: " in repr(ledger) and "Not used" in ledger.announcement()
    assert ledger.set_upstream("1/4").message is None and ledger.upstream == 0.25


@pytest.mark.parametrize(
    "act",
    [
        lambda ledger: ledger.load("S9-9"),
        lambda ledger: ledger.choose_root("q"),
        lambda ledger: ledger.choose_leaf("q"),
        lambda ledger: ledger.set_upstream(object()),
    ],
)
def test_what_is_not_there_is_refused(act):
    ledger = GradLedger("S3-7").backward()
    before = ledger.state()
    assert act(ledger).message and ledger.state() == {**before, "message": ledger.message}


def test_an_empty_v_is_no_argument():
    ledger = GradLedger("a + b").set_upstream("").backward()
    assert ledger.rows[-1].code == "y.backward()" and ledger.grads["a"] == 1
    assert (
        GradLedger("x * x").set_upstream(None).backward().error
        == "RuntimeError: grad can be implicitly created only for scalar outputs"
    )


def test_the_ledger_ends_somewhere():
    ledger = GradLedger("a + b")
    for _ in range(MAX_CALLS + 3):
        ledger.backward()
    assert len(ledger.rows) == MAX_CALLS and "Start anew" in ledger.message
    assert len(ledger.reset().rows) == 1


def test_a_script_that_is_at_its_end():
    ledger = GradLedger("3 * a").replay()
    assert "at its end" in ledger.next().message and len(ledger.rows) == 3
    assert "no script" in GradLedger(lambda x: x, 1).replay().message


def test_the_text_of_a_lambda():
    double, several = lambda x: x * 2, [lambda a: a + 1, lambda a: (a - 1).exp()]
    assert source_of(double) == "x * 2"
    assert [source_of(f) for f in several] == ["a + 1", "(a - 1).exp()"]
    assert source_of(lambda x: {"y": x, "z": x * 3}) == '{"y": x, "z": x * 3}'
    assert source_of(print) is None and source_of(kept) is None
    assert source_of(eval("lambda x: x")) is None
    assert formula_of(eval("lambda x: x")) == "f(x)" and formula_of(double) == "x * 2"
    assert formula_of(print, "a, b") == "print(a, b)"


# --- predict first ----------------------------------------------------------------------------


def test_each_new_grad_is_covered_until_a_guess():
    ledger = GradLedger("x * x", predict=True).backward(retain_graph=True)
    assert ledger.covered and "12]" not in repr(ledger).split("graph ")[0].split("added")[1]
    ledger.card.commit("[2, 0, 12]")
    assert ledger.card.right and not ledger.covered and "[2, 0, 12]" in repr(ledger)
    assert ledger.backward().covered  # the next one
    assert ledger.backward().rows[1].entries["x"].grad == [2, 0, 12]
    assert not ledger.set_none().covered and not ledger.forward().covered


# --- any sequence of calls --------------------------------------------------------------------


class Learner(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.ledger = GradLedger("S3-7")
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
        self.ledger.choose_root(data.draw(st.sampled_from(self.ledger.roots)))
        self.ledger.choose_leaf(data.draw(st.sampled_from(["", *self.ledger.leaf_names])))
        assert self.ledger.message is None

    @rule(fill=st.sampled_from([0.0, 1.0, -0.5]))
    def a_fitting_v(self, fill):
        self.ledger.set_upstream(np.full(self.ledger.output_shape, fill))
        assert self.ledger.message is None

    @rule(text=st.one_of(st.sampled_from([*BAD_TEXT, "", "[1]", "1/3"]), st.text(max_size=6)))
    def type_v(self, text):
        before = self.ledger.state()
        self.ledger.set_upstream(text)
        if self.ledger.message:
            assert self.ledger.state() == {**before, "message": self.ledger.message}

    @invariant()
    def agrees_with_pytorch_and_is_consistent(self):
        assert all(verdict == (True, "") for verdict in self.ledger.comparisons())
        for name, entry in self.ledger.rows[-1].entries.items():
            assert (entry.object == "None") == (entry.grad is None)
            before = self.ledger.rows[-2].entries[name].grad if len(self.ledger.rows) > 1 else None
            if self.ledger.rows[-1].call.what == "backward":
                total = (0 if before is None else np.array(before)) + (
                    0 if entry.added is None else np.array(entry.added)
                )
                if entry.grad is not None:
                    np.testing.assert_allclose(entry.grad, total, rtol=1e-5, atol=1e-5)
        assert self.other.state() == self.untouched
        assert max(map(len, repr(self.ledger).splitlines())) <= 100


TestAnySequenceOfCalls = Learner.TestCase
TestAnySequenceOfCalls.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


# --- on the screen ----------------------------------------------------------------------------


def test_the_buttons_call_the_model():
    view = widgets.GradLedger()
    named(view, "backward(v, retain_graph)").click()
    named(view, "v =").value = "[0, 1/2, 0]"
    named(view, "backward(v)").click()
    assert view.grads == {"x": [2, 2, 12]} and named(view, "v =").value == "[0, 1/2, 0]"
    assert html_of(view).count('stroke-opacity: 0.28') == 2  # both values hatched
    named(view, "backward(v)").click()
    assert "a second time" in html_of(view) and "y.backward(v) failed" in html_of(view)
    named(view, "zero_()").click()
    assert "a second time" not in html_of(view) and view.grads == {"x": [0, 0, 0]}
    named(view, ".grad = None").click()
    named(view, "step").click()
    named(view, "forward").click()
    assert [row.call.what for row in view.rows] == [
        "forward",
        "backward",
        "backward",
        "backward",
        "zero_",
        "none",
        "step",
        "forward",
    ]
    named(view, "start anew").click()
    assert len(view.rows) == 1
    named(view, "whole script").click()
    assert named(view, "next line").disabled


def test_the_lists_and_bad_text():
    view = widgets.GradLedger("S3-7")
    named(view, "example").value = "two losses"
    named(view, "start from").value = "l2"
    assert view.model.root == "l2" and "mg-hidden" in named(view, "leaf")._dom_classes
    named(view, "v =").value = "3,5"
    assert "Not used." in html_of(view) and named(view, "v =").value == "3,5"
    assert view.upstream == 1
    named(view, "example").value = "S3-7"
    named(view, "backward(v)").click()
    named(view, "leaf").value = "b"
    named(view, "zero_()").click()
    assert view.grads == {"a": 3, "b": 0, "c": 1}
    assert "mg-hidden" in named(view, "start from")._dom_classes


def test_text_of_the_learner_is_escaped():
    view = widgets.GradLedger(lambda x: {"<b>": x * 2}, [1, 2])
    view.backward()
    assert "<b>" not in html_of(view) and "&lt;b&gt;" in html_of(view)
    view.model.set_upstream("<img src=x>")
    assert "<img" not in html_of(view)


def test_earlier_calls_give_way_and_it_says_so():
    view = widgets.GradLedger("S3-7")
    for _ in range(8):
        view.zero_()
    assert "5 earlier calls are not shown" in html_of(view)


def test_a_covered_row_is_not_told_anywhere():
    view = widgets.GradLedger("x * x", predict=True)
    view.backward()
    assert "12" not in re.sub("<[^>]*>", " ", view._table.value) and "12" not in view.summary()
    named(view, "your guess").value = "[2, 0, 12]"
    named(view, "Commit").click()
    assert "[2, 0, 12]" in view._table.value


def test_only_what_changed_is_sent_again():
    view = widgets.GradLedger("x * x")
    view.model.backward(retain_graph=True)
    sent = sent_by(view)
    view.model.backward(retain_graph=True)
    assert 0 < len(sent) <= 4


def test_every_control_has_a_name_and_results_are_announced():
    view = widgets.GradLedger("S3-7", predict=True)
    view.backward()
    assert all(found.description.strip() for found in controls_of(view))
    assert 'aria-live="polite"' in html_of(view)
    view.model.card.show()
    assert "y.backward(): a.grad is 3; b.grad is 4; c.grad is 1. All 5 saved values" in html_of(
        view
    )


def test_two_ledgers_do_not_disturb_each_other():
    first, second = widgets.GradLedger("S3-7"), widgets.GradLedger("S3-7")
    before = second.state(), html_of(second)
    first.replay()
    assert (second.state(), html_of(second)) == before


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_snapshot_is_a_picture_and_the_same_every_time(name, no_torch_after):
    def replayed():
        view = widgets.GradLedger(name)
        view.replay()
        return view

    first = replayed()
    still = still_of(first)
    no_torch_after()
    assert still_of(replayed()) == still and repr(replayed()) == repr(first)
    assert all("stored from torch" in text for text in still)
    assert len(repr(first)) < 250


def test_the_drawing_lies_inside_its_frame():
    for name in EXAMPLES:
        view = widgets.GradLedger(name)
        view.replay()
        svg = ElementTree.fromstring(
            re.search(r"<svg.*?</svg>", view._graph.value, re.DOTALL).group()
        )
        left, top, width, height = map(float, svg.get("viewBox").split())
        space = "{http://www.w3.org/2000/svg}"
        boxes = svg.findall(f"{space}g")
        assert boxes
        for box in boxes:
            x, y = map(float, box.get("transform").removeprefix("translate(")[:-1].split())
            for rect in box.findall(f"{space}rect"):
                x1, y1 = x + float(rect.get("x")), y + float(rect.get("y"))
                assert left <= x1 and x1 + float(rect.get("width")) <= left + width
                assert top <= y1 and y1 + float(rect.get("height")) <= top + height
