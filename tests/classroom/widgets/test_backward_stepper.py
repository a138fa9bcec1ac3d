"""The backward stepper's model and panel: it replays the engine, and marks wrong totals."""

import asyncio
import functools
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import minigrad
from minigrad.autograd import watch
from minigrad.classroom import widgets
from minigrad.classroom.compare.agreement import agree
from minigrad.classroom.show.formatting import fitting
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.backward_stepper import model as model_of_it
from minigrad.classroom.widgets.backward_stepper.examples import EXAMPLES
from minigrad.classroom.widgets.backward_stepper.model import MODES, BackwardStepper
from minigrad.classroom.widgets.backward_stepper.replay import MAX_VISITS
from minigrad.classroom.widgets.shared.functions import YOURS
from tests.classroom.panels import html_of, name_of, named, nodes_of, parsed, shown_in

TERMS = "3a+2b²+log c"
RIGHT = {
    "diamond": {"x": 72},
    TERMS: {"a": 3, "b": 4, "c": 10},
    "b=a+a; c=b+b": {"a": 4},
    "mm": {"x": [[10] * 3, [26] * 3], "a": [[6, 8, 10, 12]] * 3},
    "broadcast": {"a": [[10], [40]], "b": [1, 4, 0]},
    "vectors": {"a": [0.3, 3, 0.0003], "b": [1.2, 16, 0.002], "c": [1 / 60, 1 / 7, 1 / 80000]},
}


def kept(stepper):
    """The state without the message of the last refusal."""
    return {**stepper.state(), "message": None, "refused_at": None}


def ledger(stepper):
    return stepper.replay.ledger(stepper.step)


def wrong(stepper):
    """The names of the nodes that are marked in the ledger now."""
    return [one.name for one in ledger(stepper) if one.wrong]


def sent(stepper):
    return stepper.replay.sent(stepper.step)


def order(stepper):
    """The names of the nodes in the order in which this pass visits them."""
    return [stepper.graph.nodes[one.key].name for one in stepper.replay.visits]


def account(stepper, name):
    return next(one for one in ledger(stepper) if one.name == name)


def totals(account):
    return [(entry.source, float(entry.value)) for entry in account.contributions]


# --- it replays what the engine did --------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_ends_with_the_right_gradients_and_pytorch_agrees(name):
    stepper = BackwardStepper(name).last()
    assert set(stepper.leaf_grads) == set(RIGHT[name])
    for leaf, grad in RIGHT[name].items():
        np.testing.assert_allclose(stepper.leaf_grads[leaf], grad, rtol=1e-4)
    answer = stepper.torch_answer(wait=True)
    assert answer.source == "live"
    assert all(agrees for agrees, _ in stepper.comparison(answer).values())
    assert stepper.replay.verdict() == "" and wrong(stepper) == []


class Heard:
    def __init__(self):
        self.ran_nodes, self.leaves = [], []

    def ran(self, node, g, grads):
        sent = [np.array(grad) for grad in grads if grad is not None]
        self.ran_nodes.append((node.name(), np.array(g), sent))

    def accumulated(self, leaf, g):
        self.leaves.append(np.array(g))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_steps_are_those_of_the_engine(name):
    example = EXAMPLES[name]
    tensors = [minigrad.tensor(value, requires_grad=True) for value in example.inputs.values()]
    heard = Heard()
    with watch(heard):
        example.function(minigrad, *tensors).backward(minigrad.tensor(example.v))
    stepper = BackwardStepper(name)
    ran, leaves = iter(heard.ran_nodes), iter(heard.leaves)
    for step in range(1, stepper.steps + 1):
        stepper.forward()
        assert stepper.step == step
        visit = stepper.replay.visits[step - 1]
        if stepper.current.is_leaf:
            np.testing.assert_array_equal(visit.received[0], next(leaves))
        else:
            kind, g, grads = next(ran)
            assert stepper.current.kind == kind
            np.testing.assert_array_equal(visit.received[0], g)
            assert len(grads) == len(sent(stepper))
            for part, grad in zip(sent(stepper), grads):
                np.testing.assert_array_equal(part.value, grad)
    assert next(ran, None) is None and next(leaves, None) is None


def test_contributions_are_listed_one_by_one_and_the_queue_is_in_the_order_of_the_pass():
    stepper = BackwardStepper(TERMS).go(5)
    assert totals(account(stepper, "b")) == [("t3", 2.0)]
    assert stepper.queue_line() == "t2 (ready), b (1 of 2), t1 (ready), a (0 of 1)"
    now = account(stepper.forward(), "b")
    assert totals(now) == [("t3", 2.0), ("t2", 2.0)] and now.total == 4
    assert len(now.contributions) == now.expected and not now.wrong
    for step in range(stepper.steps + 1):
        waiting = stepper.go(step).replay.waiting(step)
        assert [entry.name for entry in waiting] == order(stepper)[step:]
        assert (
            not waiting or waiting[0].arrived == waiting[0].expected
        )  # the engine never runs a node that still waits
    assert totals(account(stepper.first(), "y")) == [("v", 1.0)]  # v is always there


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_time_runs_both_ways_and_the_text_is_whole_at_every_moment(name, mode):
    stepper = BackwardStepper(name, mode=mode)
    text = repr(stepper)
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("waiting: ") == stepper.steps
    assert text.count("check  ") == len(stepper.graph.leaves)
    there = [stepper.go(step).state() for step in range(stepper.steps + 1)]
    assert [stepper.go(step).state() for step in reversed(range(stepper.steps + 1))] == there[::-1]
    assert stepper.first().state() == there[0] and stepper.last().state() == there[-1]
    assert stepper.forward().state() == there[-1]  # nothing lies behind the end
    assert stepper.back().state() == there[-2] and stepper.last() and repr(stepper) == text


def cube_of_twice(x):
    y = 2 * x
    z = y**3
    return z


def test_rules_in_symbols_and_in_numbers():
    parts = sent(BackwardStepper(TERMS).go(5))
    assert [(one.to, one.symbols, one.numbers, one.value) for one in parts] == [
        ("t2", "v · b", "1 · 1", 1),
        ("b", "v · t2", "1 · 2", 2),
    ]
    part = sent(BackwardStepper(cube_of_twice, -0.644444).forward())[0]
    assert part.formula == "v · 3 · y^(3 − 1) = 1 · 3 · (−1.2889)^(3 − 1)"
    assert [part.symbols for part in sent(BackwardStepper("mm").forward())] == ["v @ aᵀ", "xᵀ @ v"]
    for part, size in zip(sent(BackwardStepper("broadcast").forward()), ("(2, 1)", "(3,)")):
        assert part.note == f"then summed to the operand's shape {size}"


def test_of_an_operation_without_a_formula_nothing_is_claimed():
    part = sent(BackwardStepper(lambda torch, x: torch.remainder(x, 2), 5.5).forward())[0]
    assert part.symbols.startswith("no formula") and part.numbers is None and part.value == 1


# --- the wrong passes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, mode, leaf, total",
    [
        ("b=a+a; c=b+b", "naive recursion", "a", 8),
        ("b=a+a; c=b+b", "overwrite", "a", 1),
        ("diamond", "naive recursion", "x", 168),
        ("diamond", "overwrite", "x", 24),
        (TERMS, "overwrite", "b", 2),
    ],
)
def test_a_wrong_total_is_shown_and_marked(name, mode, leaf, total):
    stepper = BackwardStepper(name, mode=mode)
    assert wrong(stepper) == []
    found = account(stepper.last(), leaf)
    assert found.wrong and float(found.total) == total == stepper.leaf_grads[leaf]
    assert float(found.right) == RIGHT[name][leaf]
    assert not stepper.comparison(stepper.torch_answer(wait=True))[leaf][0]
    assert f"{leaf}.grad ends as {total}, right is {RIGHT[name][leaf]}" in stepper.replay.verdict()
    assert f"WRONG, should be {RIGHT[name][leaf]}" in repr(stepper)


def test_recursion_visits_in_the_order_of_the_calls_and_overwritten_ones_stay_visible():
    stepper = BackwardStepper("b=a+a; c=b+b", mode="naive recursion")
    assert order(stepper) == ["c", "b", "a", "a", "b", "a", "a"]
    line = stepper.set_mode("overwrite").last().told_now()
    assert line.startswith("a.grad = 1 from b (overwritten: 1 from b)")


def test_where_the_wrong_ways_do_no_harm_it_says_so_and_nothing_says_wrong():
    for name, mode in ((TERMS, "naive recursion"), ("mm", "overwrite")):
        text = repr(BackwardStepper(name, mode=mode))
        assert "no harm" in text and "wrong" not in text.lower()


def test_recursion_that_would_not_end_in_time_is_cut_and_counted():
    def doublings(x):
        for _ in range(30):
            x = x + x
        return x

    stepper = BackwardStepper(doublings, 1.0, mode="naive recursion")
    assert stepper.steps == MAX_VISITS
    assert stepper.replay.cut_off == 2**31 - 1 and f"{2**31 - 1:,}" in stepper.replay.verdict()
    assert stepper.set_mode("ordered").last().leaf_grads == {"x": 2.0**30}
    assert stepper.replay.cut_off == 0 and stepper.steps == 31


# --- v -------------------------------------------------------------------------------------------


def test_v_can_be_edited_anywhere_in_time():
    stepper = BackwardStepper("vectors").go(4)
    stepper.set_upstream("[1, 1/2, 0]")
    assert stepper.step == 4 and stepper.upstream == [1, 0.5, 0]
    np.testing.assert_allclose(stepper.last().leaf_grads["b"], [12, 8, 0])
    stepper.set_upstream_entry(1, "2")
    np.testing.assert_allclose(stepper.leaf_grads["b"], [12, 32, 0])
    assert stepper.set_upstream("[0, 0, 0]").leaf_grads["a"] == [0, 0, 0]


@pytest.mark.parametrize(
    "value, says",
    [
        (
            "[1, 2]",
            "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] "
            "has a shape of torch.Size([3]).",
        ),
        ("1", "Mismatch in shape"),
        ("[1, 2, x]", "not a number"),
        ("3,5", "no brackets"),
        (None, "no number"),
        ("[1, 2, nan]", "nan"),
    ],
)
def test_a_bad_v_is_refused_and_nothing_changes(value, says):
    stepper = BackwardStepper("vectors").go(3)
    before = kept(stepper)
    stepper.set_upstream(value)
    assert says in stepper.message and stepper.refused_at == "upstream" and kept(stepper) == before
    assert stepper.forward().message is None


@pytest.mark.parametrize("step", [1.5, "1.5", -1, 99, "x", None])
def test_a_step_is_a_whole_number_of_the_pass(step):
    stepper = BackwardStepper().go(2).go(step)
    assert "A step is a whole number from 0 to 5" in stepper.message and stepper.step == 2


# --- the learner's own programs ------------------------------------------------------------------


def returns_scalar(torch):
    a = torch.tensor(2.0, requires_grad=True)
    return a * a + torch.exp(a)


def calls_backward(torch):
    a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    out = a * a
    out.backward(a)
    return {"a.grad": a.grad}


def uses_modules(torch):
    torch.manual_seed(0)
    net = torch.nn.Linear(2, 1)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[1.0, -2.0]]))
        net.bias.fill_(0.5)
    outputs = net(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    torch.nn.functional.mse_loss(outputs, torch.ones(2, 1)).backward()


def changes_in_place(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x.clone()
    y.mul_(3)
    y[0] = 5.0
    y.add_(1)
    return (y * y).sum()


def takes_apart_and_joins(torch):
    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    a, b, c = x
    p, q = (x * 2)[:1], (x * 2)[1:]
    return torch.cat([torch.stack([a * b, b / c]), q]).sum() + p.max()


def has_a_hook(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    return (y * y).sum()


def writes_its_own_function(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.variable = x  # a name that leaves' nodes have, too
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    w = torch.tensor([1.0, 2.0], requires_grad=True)
    return Cube.apply(w * 2).sum()


def rebinds_its_variable(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(4):
        y = y * x
    return y


def swallows_errors(torch):
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    try:
        y.backward()
    except Exception:
        return None


PROGRAMS = [
    returns_scalar,
    calls_backward,
    uses_modules,
    changes_in_place,
    takes_apart_and_joins,
    has_a_hook,
    writes_its_own_function,
    rebinds_its_variable,
    swallows_errors,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_any_program_of_the_learner_s_own(program):
    stepper = BackwardStepper(program).last()
    assert stepper.example.name == YOURS
    answer = stepper.torch_answer(wait=True)
    assert answer.source == "live", answer.text
    for leaf, (agrees, text) in stepper.comparison(answer).items():
        assert agrees, (leaf, text)
    assert all(node.value is not None for node in stepper.graph.nodes if node.outputs == 1)
    names = [node.name for node in stepper.graph.nodes]
    assert len(set(names)) == len(names)
    for mode in MODES:
        assert "Backward stepper, your function" in repr(stepper.set_mode(mode))


class Scale:
    def __call__(self, x):
        return x * 7


@pytest.mark.parametrize(
    "program, inputs, grads",
    [
        (lambda x: x * x, ([1, 2],), {"x": [2, 4]}),
        (lambda torch, x, y: torch.log(x) * y, (1, 5), {"x": 5, "y": 0}),
        (lambda x: x, (3.0,), {"x": 1}),
        (functools.partial(lambda n, x: x**n, 3), (2,), {"x": 12}),
        (lambda x, y: x @ y, (minigrad.tensor([1.0, 2.0]), [3, 4]), {"x": [3, 4], "y": [1, 2]}),
        (Scale(), (1,), {"x": 7}),
    ],
)
def test_functions_of_tensors_and_of_torch(program, inputs, grads):
    assert BackwardStepper(program, *inputs).last().leaf_grads == grads


def test_the_first_v_is_the_program_s_own():
    stepper = BackwardStepper(calls_backward)
    assert stepper.upstream == [[1, 2, 3], [4, 5, 6]] and stepper.root.name == "out"
    assert stepper.last().leaf_grads["a"] == [[2, 8, 18], [32, 50, 72]]
    assert BackwardStepper(lambda x: x * x, [1, 2]).upstream == [1, 1]
    assert BackwardStepper(lambda x: x * x, [1, 2], v=[3, 4]).upstream == [3, 4]


def test_a_learner_s_tensors_are_left_as_they_were():
    a = minigrad.tensor(3.0, requires_grad=True)
    a.grad = minigrad.tensor(5.0)
    profile = sys.getprofile()
    stepper = BackwardStepper(lambda: a * a).last()
    assert stepper.leaf_grads == {"a": 6} and a.grad.item() == 5 and sys.getprofile() is profile
    # torch cannot multiply minigrad's tensors
    assert stepper.torch_answer(wait=True).source == "error"


def too_many(x):
    for _ in range(31):
        x = x * 2
    return x


def without_a_number(torch, wrong):
    (torch.ones(3, requires_grad=True) * 2).backward(*wrong(torch))


@pytest.mark.parametrize(
    "what, says",
    [
        ((too_many, 1.0), "31 operations and 1 leaf; up to 30"),
        ((lambda torch: 1 / 0,), "ZeroDivisionError: division by zero"),
        ((lambda torch: missing,), "NameError: name 'missing' is not defined"),  # noqa: F821
        ((lambda torch: None,), "returned nothing"),
        ((lambda torch: [torch.ones(1, requires_grad=True)],), "a list; it must return one tensor"),
        ((lambda torch: torch.ones(2),), "does not require grad and does not have a grad_fn"),
        ((lambda x: x.detach(), 1), "does not require grad"),
        (
            (lambda torch: without_a_number(torch, lambda torch: ()),),
            "grad can be implicitly created only for scalar outputs",
        ),
        (
            (lambda torch: without_a_number(torch, lambda torch: ([1.0],)),),
            "gradients can be either Tensors or None, but got",
        ),
        ((lambda torch: without_a_number(torch, lambda torch: (torch.ones(2),)),), "Mismatch"),
        ((lambda x, y, z: x * y * z, 1), "takes x, y, z"),
        ((lambda x: x * x, "1,5"), "has no brackets"),
        ((5,), "Give a function of tensors"),
        (("S9-9",), "There is no example 'S9-9'"),
    ],
)
def test_what_cannot_be_stepped_through_is_refused_in_a_sentence(what, says):
    with pytest.raises(Refused) as refusal:
        BackwardStepper(*what)
    assert says in str(refusal.value)


# --- PyTorch, predicting, the panel --------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_torch_the_stored_answer_is_shown_for_any_v(no_torch, name):
    stepper = BackwardStepper(name).last()
    for v in (stepper.v, np.ones(stepper.v.shape)):
        answer = stepper.set_upstream(v).torch_answer()
        assert answer.source == "stored" and "stored from torch 2.13.0" in answer.text
        assert all(agrees for agrees, _ in stepper.comparison(answer).values())
    own = BackwardStepper(lambda x: x * x, [1, 2])
    assert own.torch_answer().source == "missing" and "not recorded" in repr(own)


def test_a_guess_comes_first():
    stepper = BackwardStepper(predict=True)
    for step in (stepper.forward, stepper.last, stepper.play, lambda: stepper.go(2)):
        assert step().message.startswith("Commit a guess first") and stepper.step == 0
    assert not stepper.playing and "72" not in repr(stepper) + stepper.summary()
    assert stepper.set_upstream("2").card.commit("144").right and stepper.last().step == 5


@pytest.mark.parametrize(
    "values, letters, text",
    [
        ([0.123456, 2.0], 17, "[0.12346, 2]"),
        ([0.123456, -2.123456], 16, "[0.123, −2.12]"),
        ([0.00012345, -0.00098765], 14, "(2,)"),
        (np.zeros((30, 4)), 99, "(30, 4)"),
        (-1.5, 11, "−1.5"),
        (1.2345678e-05, 7, "1.2e-05"),
    ],
)
def test_numbers_fit_into_their_box(values, letters, text):
    assert fitting(np.array(values), letters, False) == text


def test_the_graph_keeps_its_place_while_it_is_stepped_through():
    panel = widgets.BackwardStepper(TERMS)

    def places():
        drawn = ElementTree.fromstring(re.search("<svg.*?</svg>", panel.html, re.DOTALL)[0])
        rects = [e.attrib for e in drawn.iter() if e.tag.endswith("rect")]
        nodes = [(one["x"], one["y"], one["width"]) for one in rects if one["height"] == "84"]
        return drawn.attrib["viewBox"], nodes

    before = places()
    assert len(before[1]) == 9
    for edit in ["forward"] * panel.steps + ["first"]:
        getattr(panel, edit)()
        assert places() == before
    panel.set_upstream(-0.0123456).set_mode("overwrite").last()
    assert places() == before


def test_buttons_and_lists_drive_the_model():
    panel = widgets.BackwardStepper(TERMS)
    first, back, forward, last = (named(panel, name) for name in ("|◀", "◀", "next ▶", "▶|"))
    for button, step in ((forward, 1), (forward, 2), (back, 1), (first, 0)):
        button.click()
        assert panel.model.step == step
    assert back.disabled and not forward.disabled
    assert (forward.node["aria-keyshortcuts"], back.node["aria-keyshortcuts"]) == ("n", "p")
    named(panel, "mode").value = "overwrite"
    last.click()
    assert forward.disabled and not back.disabled
    shown = shown_in(panel)
    assert "not +4" in shown and "overwritten" in shown and "mg-different" in shown
    named(panel, "example").value = "vectors"
    named(panel, "upstream gradient, entry 2").value = "1/3"
    assert panel.upstream[1] == pytest.approx(1 / 3)
    named(panel, "v =").value = "[1, 2]"
    assert "PyTorch refuses:" in html_of(panel) and named(panel, "v =").refused
    named(panel, "v =").value = "[1, 2, 3]"
    assert panel.upstream == [1, 2, 3] and "PyTorch refuses:" not in html_of(panel)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_control_has_a_name_and_the_still_is_the_panel_s_picture(name):
    panel = widgets.BackwardStepper(name)
    assert all(map(name_of, nodes_of(panel)))
    stored, again = (one._repr_mimebundle_()[0] for one in (panel, widgets.BackwardStepper(name)))
    assert all(stored[kind] == again[kind] for kind in ("text/html", "text/plain"))
    ElementTree.fromstring(str(parsed(panel).svg))
    assert "Backward stepper, " in stored["text/html"]


def test_playing_goes_to_the_end_and_can_be_stopped(monkeypatch):
    panel = widgets.BackwardStepper(cube_of_twice, 1)
    named(panel, "Play").click()  # without an event loop it does not wait
    assert panel.model.step == 3 and not panel.model.playing
    model = BackwardStepper(cube_of_twice, 1).play()
    assert model.playing and model.tick().step == 1
    assert not model.play().playing and model.tick().step == 1
    assert model.play().back().playing is False  # a step by hand stops it
    assert model.last().play().step == 0

    async def play_and_pause():
        monkeypatch.setattr(model_of_it, "SECONDS", 3600)
        panel = widgets.BackwardStepper(cube_of_twice, 1)
        named(panel, "Play").click()
        named(panel, "Pause").click()  # which ends the waiting for the next step
        assert panel.step == 0
        monkeypatch.setattr(model_of_it, "SECONDS", 0)
        named(panel, "Play").click()
        while panel.playing:
            await asyncio.sleep(0.001)
        assert panel.step == 3

    asyncio.run(asyncio.wait_for(play_and_pause(), 60))


def test_an_own_program_is_in_the_list_and_its_text_is_escaped():
    panel = widgets.BackwardStepper(lambda x: x * x, [1, 2])
    for name in ("diamond", YOURS):
        named(panel, "example").value = name
        assert panel.example.name == name
    panel.set_upstream("<img src=x>")
    assert "<img" not in html_of(panel) and "&lt;img" in html_of(panel)


# --- any sequence of actions ---------------------------------------------------------------------

numbers = st.floats(-100, 100, width=32)
typed = st.one_of(st.sampled_from(["1/3", "", "x", "3,5", "nan", "[1", "1e99"]), numbers.map(repr))
ACTIONS = st.one_of(
    st.tuples(st.sampled_from(["forward", "back", "first", "last", "play", "tick"])),
    st.tuples(st.just("load"), st.sampled_from([*EXAMPLES, YOURS, "S9-9", ""])),
    st.tuples(st.just("go"), st.one_of(st.integers(-3, 40), typed)),
    st.tuples(st.just("set_mode"), st.sampled_from([*MODES, "recursion"])),
    st.tuples(st.just("set_upstream_entry"), st.sampled_from([(), 0, (1, 2), "a"]), typed),
    st.tuples(
        st.just("set_upstream"),
        st.recursive(numbers, lambda inner: st.lists(inner, max_size=3), max_leaves=6).map(str),
    ),
)


class Learner(RuleBasedStateMachine):
    """Does anything, in any order."""

    def __init__(self):
        super().__init__()
        self.stepper = BackwardStepper()

    @rule(action=ACTIONS)
    def act(self, action):
        name, *given = action
        before = kept(self.stepper)
        getattr(self.stepper, name)(*given)
        assert given or self.stepper.message is None
        assert not self.stepper.message or kept(self.stepper) == before

    @invariant()
    def it_agrees_with_torch(self):
        answer = self.stepper.torch_answer(wait=True)
        right = self.stepper.replay.right
        for name, grad in right.leaf_grads(right.steps).items():
            assert agree(grad, answer.found[name])

    @invariant()
    def everything_belongs_together(self):
        stepper = self.stepper
        assert 0 <= stepper.step <= stepper.steps
        assert len(stepper.replay.waiting(stepper.step)) == stepper.steps - stepper.step
        assert stepper.mode != "ordered" or wrong(stepper) == []
        for account in ledger(stepper):
            if stepper.mode != "overwrite" and account.contributions:
                total = sum(np.asarray(entry.value, dtype=float) for entry in account.contributions)
                assert agree(account.total, total)
        assert stepper.announcement() and stepper.queue_line()


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
