"""The backward stepper without a browser: it replays the engine, and marks wrong totals."""

import asyncio
import contextlib
import functools
import html
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import minigrad
from minigrad.autograd import watch
from minigrad.classroom import widgets
from minigrad.classroom.agreement import agree
from minigrad.classroom.models import local_rules, passes
from minigrad.classroom.models.stepper import DEFAULT, MODES, YOURS, BackwardStepper
from minigrad.classroom.models.stepper_examples import EXAMPLES
from minigrad.classroom.views.graph_layout import GAP_X, ROOM, SHRUNK, place
from minigrad.classroom.views.step_graph import fitting
from minigrad.nn import functional  # noqa: F401  (all operations are loaded)
from minigrad.operation import Operation, parameters
from tests.classroom.panels import controls_of, html_of, named, still_of

# --- the examples and their numbers --------------------------------------------------------------

RIGHT = {
    "3a+2b²+log c": {"a": 3, "b": 4, "c": 10},
    "b=a+a; c=b+b": {"a": 4},
    "diamond": {"x": 72},
    "mm": {"x": [[10] * 3, [26] * 3], "a": [[6, 8, 10, 12]] * 3},
    "chain": {"x": 9.9674},
    "broadcast": {"a": [[10], [40]], "b": [1, 4, 0]},
    "vectors": {
        "a": [0.3, 3, 0.0003],
        "b": [1.2, 16, 0.002],
        "c": [0.016667, 0.142857, 0.0000125],
    },
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_ends_with_the_right_gradients_and_pytorch_agrees(name):
    stepper = BackwardStepper(name).last()
    assert set(stepper.leaf_grads) == set(RIGHT[name])
    for leaf, grad in RIGHT[name].items():
        np.testing.assert_allclose(stepper.leaf_grads[leaf], grad, rtol=1e-4)
    answer = stepper.torch_answer(wait=True)
    assert answer.source == "live" and all(
        agrees for agrees, _ in stepper.comparison(answer).values()
    )
    assert stepper.verdict() == "" and stepper.wrong == []


def test_the_examples_of_the_brief_are_found_by_several_names():
    for asked, name in (
        ("3a + 2b² + log c", DEFAULT),
        ("3a+2b**2+log c", DEFAULT),
        ("S3-4", DEFAULT),
        ("b = a + a; c = b + b", "b=a+a; c=b+b"),
        ("s1-7", "mm"),
    ):
        assert BackwardStepper(asked).example.name == name
    assert BackwardStepper().example.name == DEFAULT


def test_the_graph_has_names_expressions_and_values():
    titles = {node.title: node.value for node in BackwardStepper().graph.nodes}
    assert list(titles) == [
        "a",
        "t1 = 3 · a",
        "b",
        "t2 = 2 · b",
        "t3 = t2 · b",
        "t4 = t1 + t3",
        "c",
        "t5 = log(c)",
        "y = t4 + t5",
    ]
    assert titles["t4 = t1 + t3"] == pytest.approx(2.3)


# --- it replays what the engine did --------------------------------------------------------------


class Heard:
    def __init__(self):
        self.ran_nodes, self.leaves = [], []

    def ran(self, node, g, grads):
        self.ran_nodes.append(
            (node.name(), np.array(g), [None if x is None else np.array(x) for x in grads])
        )

    def accumulated(self, leaf, g):
        self.leaves.append(np.array(g))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_steps_are_those_of_the_engine(name):
    example = EXAMPLES[name]
    tensors = [minigrad.tensor(value, requires_grad=True) for value in example.inputs]
    heard = Heard()
    with watch(heard):
        example.function(minigrad, *tensors).backward(minigrad.tensor(example.v))
    stepper = BackwardStepper(name)
    ran, leaves = iter(heard.ran_nodes), iter(heard.leaves)
    for step in range(1, stepper.steps + 1):
        stepper.forward()
        assert stepper.step == step
        if stepper.current.is_leaf:
            np.testing.assert_array_equal(stepper.received, next(leaves))
        else:
            kind, g, grads = next(ran)
            assert stepper.current.kind == kind
            np.testing.assert_array_equal(np.float32(stepper.received), g)
            sent = [grad for grad in grads if grad is not None]
            assert len(sent) == len(stepper.sent())
            for part, grad in zip(stepper.sent(), sent):
                np.testing.assert_array_equal(part.value, grad)
    assert next(ran, None) is None and next(leaves, None) is None


def test_contributions_are_listed_one_by_one_with_their_sum():
    stepper = BackwardStepper().go(5)
    account = stepper.account("b")
    assert [(c.source, float(c.value)) for c in account.contributions] == [("t3", 2.0)]
    assert account.total == 2 and not account.complete
    account = stepper.forward().account("b")
    assert [(c.source, float(c.value)) for c in account.contributions] == [("t3", 2.0), ("t2", 2.0)]
    assert account.total == 4 and account.complete and not account.wrong


def test_the_queue_is_in_the_order_in_which_nodes_really_run():
    stepper = BackwardStepper()
    order = stepper.order
    assert order[0] == "y" and sorted(order) == sorted(node.name for node in stepper.graph.nodes)
    for step in range(stepper.steps + 1):
        waiting = stepper.go(step).waiting()
        assert [entry.name for entry in waiting] == order[step:]
        assert not waiting or waiting[0].ready  # the engine never runs a node that still waits
    assert stepper.go(5).queue_line() == "t2 (ready), b (1 of 2), t1 (ready), a (0 of 1)"


def test_the_seed_is_always_there():
    stepper = BackwardStepper()
    assert stepper.seed == 1.0 and stepper.step == 0
    assert [(c.source, float(c.value)) for c in stepper.account("y").contributions] == [
        ("seed", 1.0)
    ]
    assert "v         1, the upstream gradient of y" in repr(stepper)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_time_runs_both_ways(name, mode):
    stepper = BackwardStepper(name, mode=mode)
    there = [stepper.go(step).state() for step in range(stepper.steps + 1)]
    assert [stepper.go(step).state() for step in reversed(range(stepper.steps + 1))] == there[::-1]
    assert stepper.first().state() == there[0] and stepper.last().state() == there[-1]
    assert stepper.forward().state() == there[-1]  # nothing lies behind the end
    assert stepper.back().state() == there[-2]
    assert stepper.first().back().step == 0


def test_rules_in_symbols_and_in_numbers():
    stepper = BackwardStepper().go(5)
    assert [
        (part.to, part.symbols, part.numbers, float(part.value)) for part in stepper.sent()
    ] == [("t2", "v · b", "1 · 1", 1), ("b", "v · t2", "1 · 2", 2)]
    part = BackwardStepper("chain").forward().sent()[0]
    assert part.symbols == "v · 3 · y^(3 − 1)" and part.numbers == "1 · 3 · (−1.2889)^(3 − 1)"
    assert [part.symbols for part in BackwardStepper("mm").forward().sent()] == ["v @ aᵀ", "xᵀ @ v"]
    for part, size in zip(BackwardStepper("broadcast").forward().sent(), ("(2, 1)", "(3,)")):
        assert part.note == f"then summed to the operand's shape {size}"


# --- the table of local rules says what the engine does ------------------------------------------


def operations():
    found, stack = {}, [Operation]
    while stack:
        for cls in stack.pop().__subclasses__():
            stack.append(cls)
            if cls.rules:
                found.setdefault(local_rules.key(cls.__name__, cls.params), []).append(cls)
    return found


OPERATIONS = operations()
MATRICES = {
    "MmBackward0(x, y)": [(2, 3), (3, 4)],
    "MvBackward0(x, y)": [(2, 3), (3,)],
    "DotBackward0(x, y)": [(3,), (3,)],
    "AddmmBackward0(x, y, z)": [(2, 4), (2, 3), (3, 4)],
}


@pytest.mark.parametrize("key", local_rules.FORMULAS)
def test_a_formula_is_what_the_engine_s_rule_computes(key):
    source = np.random.default_rng(0)
    _, rules = local_rules.FORMULAS[key]
    for cls in OPERATIONS[key]:
        sizes = MATRICES.get(key, [(2, 3)] * len(cls.params))
        values = {name: source.uniform(0.2, 0.8, size) for name, size in zip(cls.params, sizes)}
        if key.startswith(("PowBackward0(x, y", "PowBackward2")):
            values["y"] = np.array(3.0)
        out = np.asarray(cls.forward(*values.values()))
        v = source.uniform(1, 2, out.shape)
        every, found = {**values, "out": out}, {}
        for operand, rule in zip(cls.params, cls.rules):
            needs = zip(parameters(rule)[1:], every.values())
            found[operand] = rule(
                v, *[x.shape if name.endswith("_shape") else x for name, x in needs]
            )
        assert set(rules) == {operand for operand, grad in found.items() if grad is not None}
        for operand, formula in rules.items():
            told = eval(_as_python(formula), {**vars(np), **every, "v": v})
            np.testing.assert_allclose(
                np.broadcast_to(told, found[operand].shape), found[operand], rtol=1e-6, err_msg=key
            )


def _as_python(formula):
    """A formula as a line of Python on NumPy arrays."""
    for sign, python in {"·": "*", "−": "-", "^": "**", "ᵀ": ".T"}.items():
        formula = formula.replace(sign, python)
    return formula


def test_every_rule_in_words_is_about_a_node_that_exists():
    nodes = {cls.__name__ for classes in OPERATIONS.values() for cls in classes}
    assert set(local_rules.WORDS) <= nodes | {"CopySlices"}


def test_an_operation_without_a_formula_is_shown_by_the_engine_s_own_line():
    part = BackwardStepper(torch_det, [[2, 0], [0, 4]]).forward().sent()[0]
    assert part.symbols.startswith("in minigrad: return ") and part.numbers is None
    np.testing.assert_allclose(part.value, [[4, 0], [0, 2]], rtol=1e-5)
    part = BackwardStepper(lambda torch, x: torch.remainder(x, 2), 5.5).forward().sent()[0]
    assert part.symbols == "in minigrad: return g" and part.value == 1  # a line of a table


def torch_det(torch, x):
    return torch.linalg.det(x)


# --- the wrong passes ----------------------------------------------------------------------------

WRONG = [
    ("b=a+a; c=b+b", "naive recursion", "a", 8),
    ("b=a+a; c=b+b", "overwrite", "a", 1),
    ("diamond", "naive recursion", "x", 168),
    ("diamond", "overwrite", "x", 24),
    (DEFAULT, "overwrite", "b", 2),
]


@pytest.mark.parametrize("name, mode, leaf, total", WRONG)
def test_a_wrong_total_is_shown_and_marked(name, mode, leaf, total):
    stepper = BackwardStepper(name, mode=mode)
    assert stepper.wrong == []
    stepper.last()
    account = stepper.account(leaf)
    assert account.wrong and float(account.total) == total == stepper.leaf_grads[leaf]
    assert float(account.right) == RIGHT[name][leaf]
    agrees, _ = stepper.comparison(stepper.torch_answer(wait=True))[leaf]
    assert not agrees
    assert f"{leaf}.grad ends as {total}, right is {RIGHT[name][leaf]}" in stepper.verdict()
    assert f"WRONG, should be {RIGHT[name][leaf]}" in repr(stepper)


def test_recursion_visits_in_the_order_of_the_calls():
    stepper = BackwardStepper("b=a+a; c=b+b", mode="naive recursion")
    assert stepper.order == ["c", "b", "a", "a", "b", "a", "a"]


def test_overwritten_contributions_stay_visible():
    account = BackwardStepper("b=a+a; c=b+b", mode="overwrite").last().account("a")
    assert [entry.kept for entry in account.contributions] == [False, True]


def test_where_the_wrong_ways_do_no_harm_it_says_so():
    assert "no harm" in BackwardStepper(mode="naive recursion").verdict()
    assert "no harm" in BackwardStepper("chain", mode="overwrite").verdict()


def test_recursion_that_would_not_end_in_time_is_cut_and_counted():
    def doublings(x):
        for _ in range(30):
            x = x + x
        return x

    stepper = BackwardStepper(doublings, 1.0, mode="naive recursion")
    assert stepper.steps == passes.MAX_VISITS
    assert stepper.cut_off == 2**31 - 1 and f"{2**31 - 1:,}" in stepper.verdict()
    assert stepper.set_mode("ordered").last().leaf_grads == {"x": 2.0**30}
    assert stepper.cut_off == 0 and stepper.steps == 31


# --- the seed ------------------------------------------------------------------------------------


def test_the_seed_can_be_edited_anywhere_in_time():
    stepper = BackwardStepper("vectors").go(4)
    stepper.set_seed("[1, 1/2, 0]")
    assert stepper.step == 4 and stepper.seed == [1, 0.5, 0]
    np.testing.assert_allclose(stepper.last().leaf_grads["b"], [12, 8, 0])
    stepper.set_seed_entry(1, "2")
    np.testing.assert_allclose(stepper.leaf_grads["b"], [12, 32, 0])
    stepper.press("ones")
    np.testing.assert_allclose(stepper.leaf_grads["b"], [12, 16, 20])
    assert stepper.press("example").seed == pytest.approx([0.1, 1, 0.0001])
    assert stepper.press("zero").leaf_grads["a"] == [0, 0, 0]


@pytest.mark.parametrize(
    "value, says",
    [
        (
            "[1, 2]",
            "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a "
            "shape of torch.Size([3]).",
        ),
        ("1", "Mismatch in shape"),
        ("[1, 2, x]", "not a number"),
        ("3,5", "no brackets"),
        (None, "no number"),
        ("[1, 2, nan]", "nan"),
    ],
)
def test_a_bad_seed_is_refused_and_nothing_changes(value, says):
    stepper = BackwardStepper("vectors").go(3)
    before = stepper.state()
    stepper.set_seed(value)
    assert says in stepper.message and stepper.refused_at == "seed"
    assert {**stepper.state(), "message": None, "refused_at": None} == before
    assert stepper.forward().message is None


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
    loss = torch.nn.functional.mse_loss(
        net(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), torch.ones(2, 1)
    )
    loss.backward()


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
    p, q = torch.split(x * 2, [1, 2])
    return torch.cat([torch.stack([a * b, b / c]), q]).sum() + p.prod()


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
    assert stepper.message is None and stepper.example.name == YOURS
    answer = stepper.torch_answer(wait=True)
    assert answer.source == "live", answer.text
    for leaf, (agrees, text) in stepper.comparison(answer).items():
        assert agrees, (leaf, text)
    assert all(node.value is not None for node in stepper.graph.nodes if node.outputs == 1)
    names = [node.name for node in stepper.graph.nodes]
    assert len(set(names)) == len(names)
    for mode in MODES:
        stepper.set_mode(mode)
        assert "Backward stepper, your program" in repr(stepper)


def test_functions_of_tensors_and_of_torch():
    assert BackwardStepper(lambda x: x * x, [1, 2]).last().leaf_grads == {"x": [2, 4]}
    assert BackwardStepper(lambda torch, x, y: torch.log(x) * y, 1, 5).last().leaf_grads == {
        "x": 5,
        "y": 0,
    }
    assert BackwardStepper(lambda x: x, 3.0, v=2).last().leaf_grads == {"x": 2}
    power = functools.partial(lambda n, x: x**n, 3)
    assert BackwardStepper(power, 2).last().leaf_grads == {"x": 12}
    assert (
        BackwardStepper(lambda x, y: x @ y, minigrad.tensor([1.0, 2.0]), [3, 4], v=1).message
        is None
    )

    class Scale:
        def __call__(self, x):
            return x * 7

    assert BackwardStepper(Scale(), 1).last().leaf_grads == {"x": 7}


def test_the_first_v_is_the_program_s_own():
    stepper = BackwardStepper(calls_backward)
    assert stepper.seed == [[1, 2, 3], [4, 5, 6]] and stepper.root.name == "out"
    assert stepper.last().leaf_grads["a"] == [[2, 8, 18], [32, 50, 72]]
    assert BackwardStepper(lambda x: x * x, [1, 2]).seed == [1, 1]
    assert BackwardStepper(swallows_errors).seed == 1


def test_a_learner_s_tensors_are_left_as_they_were():
    a = minigrad.tensor(3.0, requires_grad=True)
    a.grad = minigrad.tensor(5.0)
    profile = sys.getprofile()
    stepper = BackwardStepper(lambda: a * a).last()
    assert stepper.leaf_grads == {"a": 6} and a.grad.item() == 5 and sys.getprofile() is profile
    assert (
        stepper.torch_answer(wait=True).source == "error"
    )  # torch cannot multiply minigrad's tensors


def too_many(x):
    for _ in range(31):
        x = x * 2
    return x


def too_many_leaves(torch):
    return torch.stack([torch.tensor(float(k), requires_grad=True) for k in range(40)]).sum()


@pytest.mark.parametrize(
    "what, says",
    [
        ((too_many, 1.0), "31 operations and 1 leaf; up to 30"),
        ((too_many_leaves,), "40 leaves"),
        ((lambda torch: 1 / 0,), "ZeroDivisionError: division by zero"),
        ((lambda torch: missing,), "NameError: name 'missing' is not defined"),  # noqa: F821
        ((lambda torch: None,), "returned nothing"),
        ((lambda torch: [torch.ones(1, requires_grad=True)],), "a list; it must return one tensor"),
        ((lambda torch: torch.ones(2),), "does not require grad and does not have a grad_fn"),
        ((lambda x: x.detach(), 1), "does not require grad"),
        (
            (lambda torch: (torch.ones(3, requires_grad=True) * 2).backward(),),
            "grad can be implicitly created only for scalar outputs",
        ),
        (
            (lambda torch: (torch.ones(3, requires_grad=True) * 2).backward([1.0, 1.0, 1.0]),),
            "gradients can be either Tensors or None, but got float",
        ),
        (
            (lambda torch: (torch.ones(3, requires_grad=True) * 2).backward(torch.ones(2)),),
            "Mismatch",
        ),
        ((lambda x, y, z: x * y * z, 1), "The function takes x, y, z, and 1 value came with it"),
        ((lambda x: x * x, 1, 2), "The function takes x, and 2 values came with it"),
        (
            (lambda x, y: x * y, 1),
            "Its first argument, x, was torch: give one value for each tensor",
        ),
        ((lambda x: x * x,), "Its first argument, x, was torch"),
        ((lambda x: x * x, "1,5"), "has no brackets"),
        ((5,), "A int is not a program"),
        (("S9-9",), "There is no example 'S9-9'"),
        ((minigrad.ones(2),), "is not a program"),
    ],
)
def test_what_cannot_be_stepped_through_gets_a_sentence_and_an_example_is_shown(what, says):
    stepper = BackwardStepper(*what)
    assert says in stepper.message, stepper.message
    assert stepper.example.name == DEFAULT and "Shown is" in stepper.message
    if callable(what[0]):
        other = BackwardStepper("diamond").go(2)
        before = other.state()
        other.run(*what)
        assert says in other.message
        assert {**other.state(), "message": None, "refused_at": None} == before


def test_thirty_operations_are_not_too_many():
    def thirty(x):
        for _ in range(30):
            x = x * 1.1
        return x

    stepper = BackwardStepper(thirty, 1.0)
    assert stepper.message is None and stepper.steps == 31
    assert len({node.name for node in stepper.graph.nodes}) == 31


def test_a_bad_v_for_an_own_program_is_refused_and_ones_are_shown():
    stepper = BackwardStepper(lambda x: x * x, [1, 2], v=[1, 2, 3])
    assert "Mismatch in shape" in stepper.message and stepper.seed == [1, 1]


# --- PyTorch, text and snapshot ------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_torch_the_stored_answer_is_shown_for_any_seed(no_torch, name):
    stepper = BackwardStepper(name).last()
    for button in ("example", "ones"):
        stepper.press(button)
        answer = stepper.torch_answer()
        assert answer.source == "stored" and "stored from torch 2.13.0" in answer.text
        assert all(agrees for agrees, _ in stepper.comparison(answer).values())


def test_without_torch_an_own_program_says_so(no_torch):
    stepper = BackwardStepper(lambda x: x * x, [1, 2])
    assert stepper.torch_answer().source == "missing" and "not recorded" in repr(stepper)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_text_twin_is_complete_narrow_and_the_same_each_time(name, mode):
    stepper = BackwardStepper(name, mode=mode)
    text = repr(stepper)
    assert max(map(len, text.splitlines())) <= 100
    assert text == repr(BackwardStepper(name, mode=mode).last())  # the whole log, at every moment
    assert text.count("waiting: ") == stepper.steps and text.count("check  ") == len(
        stepper.graph.leaves
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_snapshot_is_a_picture_with_a_text(name):
    widget = widgets.BackwardStepper(name)
    assert widget.snapshot() == widgets.BackwardStepper(name).snapshot()
    svg, alternative = still_of(widget)
    texts = [e.text for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("text")]
    assert any((text or "").startswith("1. ") for text in texts)
    assert "Backward stepper, " in alternative
    assert widget._repr_mimebundle_()["text/plain"] == repr(widget)


# --- the drawing ---------------------------------------------------------------------------------

NODES = st.tuples(
    st.lists(st.floats(0, 0.999), max_size=3),  # where its operands are among the nodes before
    st.sampled_from([60, 140, 250]),
    st.sampled_from([34, 66, 120]),
)


@settings(max_examples=60)
@given(nodes=st.lists(NODES, min_size=1, max_size=30))
def test_a_layout_overlaps_nothing_and_runs_to_the_right(nodes):
    edges = [(int(share * k), k) for k, (shares, *_) in enumerate(nodes) if k for share in shares]
    sizes = [size for _, *size in nodes]
    placed = place(sizes, edges)
    assert placed == place(sizes, edges)
    assert placed.width <= max(SHRUNK * ROOM, *(width for width, _ in sizes))
    frames = []
    for (x, y), (width, height), wanted in zip(placed.centres, placed.sizes, sizes):
        assert width == wanted[0] and height >= wanted[1]
        frames.append((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
        left, top, right, bottom = frames[-1]
        assert left > -1e-6 and top > -1e-6
        assert right < placed.width + 1e-6 and bottom < placed.height + 1e-6
    for k, one in enumerate(frames):
        for other in frames[:k]:
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or (
                other[1] >= one[3]
            )
    for (operand, user), route in zip(edges, placed.routes):
        start, end = route[0][0], route[-1][3]
        assert start[0] == pytest.approx(frames[operand][2]) and end[0] == frames[user][0]
        assert frames[operand][1] < start[1] < frames[operand][3]
        assert frames[user][1] < end[1] < frames[user][3]
        assert all(one[3] == two[0] for one, two in zip(route, route[1:]))
        assert end[0] >= start[0] + GAP_X - 1e-6 or end[1] > start[1]
        for x, y in (point for curve in route for point in along(curve)):
            for left, top, right, bottom in frames:  # no line runs through a node
                assert not (left + 1 < x < right - 1 and top + 1 < y < bottom - 1)


def along(curve):
    """Points of a cubic curve."""
    for t in np.linspace(0, 1, 9):
        weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
        yield tuple(sum(w * point[axis] for w, point in zip(weights, curve)) for axis in (0, 1))


def test_edges_from_one_operand_share_their_way():
    """A value with many users is one line that branches: at no column more than one passes by."""
    sizes, edges = [(60, 40)] * 12, [(k, k + 1) for k in range(11)] + [(0, k) for k in range(2, 12)]
    routes = place(sizes, edges).routes
    starts = {routes[k][0][0] for k in range(11, 21)}
    assert len(starts) == 1
    lines = {curve for k in range(11, 21) for curve in routes[k]}
    assert len(lines) < 40  # apart they would be over a hundred


def test_the_graph_keeps_its_place_while_it_is_stepped_through():
    widget = widgets.BackwardStepper()

    def places():
        return re.findall(r'<g transform="translate[^>]*>|<svg[^>]*viewBox[^>]*>', widget._graph.value)[1:]

    before = places()
    assert len(before) == 9
    for edit in ["forward"] * widget.steps + ["first"]:
        getattr(widget, edit)()
        assert places() == before
        ElementTree.fromstring(re.search(r"<svg.*</svg>", widget._graph.value)[0])
    widget.set_seed(-0.0123456)
    widget.set_mode("overwrite").last()
    assert places() == before


@pytest.mark.parametrize(
    "values, letters, text",
    [
        ([0.123456, 2.0], 17, "[0.12346, 2]"),
        ([0.123456, -2.123456], 16, "[0.123, -2.12]"),
        ([0.00012345, -0.00098765], 14, "(2,)"),
        (np.zeros((3, 4)), 99, "[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]"),
        (np.zeros((30, 4)), 99, "(30, 4)"),
        (1.5, 11, "1.5"),
    ],
)
def test_numbers_fit_into_their_box(values, letters, text):
    assert fitting(np.array(values), letters) == text


# --- the panel without a browser -----------------------------------------------------------------


def test_buttons_keys_and_lists_drive_the_model():
    widget = widgets.BackwardStepper()
    for name, step in (("next", 1), ("next", 2), ("back", 1), ("end", 9), ("start", 0)):
        named(widget, name).click()
        assert widget.model.step == step
    keys = named(widget, "keys N, P")
    for text, step in (
        ("n", 1),
        ("nN", 2),
        ("nNnnn", 5),
        ("nNnnnp", 4),
        ("", 4),
        ("x", 4),
        ("xn", 5),
    ):
        keys.value = text
        assert widget.model.step == step
    named(widget, "overwrite").click()
    assert widget.model.mode == "overwrite" and widget.model.step == 0
    assert named(widget, "overwrite").description.startswith("●")
    named(widget, "end").click()
    shown = html.unescape(html_of(widget))
    assert "✗ +2" in shown and "should be +4" in shown and "overwritten" in shown
    named(widget, "example").value = "vectors"
    named(widget, "upstream gradient, entry 2").value = "1/3"
    assert widget.seed[1] == pytest.approx(1 / 3)
    field = named(widget, "v =")
    field.value = "[1, 2]"
    assert "PyTorch refuses:" in html_of(widget) and field.value == "[1, 2]"
    field.value = "[1, 2, 3]"
    assert widget.seed == [1, 2, 3] and "PyTorch refuses:" not in html_of(widget)


def test_every_control_has_a_name():
    for name in EXAMPLES:
        for item in controls_of(widgets.BackwardStepper(name)):
            assert item.description


def test_playing_goes_to_the_end_and_can_be_stopped():
    widget = widgets.BackwardStepper("chain")
    named(widget, "Play").click()  # without an event loop it does not wait
    assert widget.model.step == 3 and not widget.model.playing
    model = BackwardStepper("chain").play()
    assert model.playing and model.tick().step == 1
    assert not model.play().playing and model.tick().step == 1
    assert model.play().back().playing is False  # a step by hand stops it
    assert model.last().play().step == 0


def test_a_pause_ends_the_waiting_for_the_next_step(monkeypatch):
    from minigrad.classroom.views import stepper as view

    async def play_and_pause():
        widget = widgets.BackwardStepper("chain")
        monkeypatch.setattr(view, "SECONDS", 3600)
        named(widget, "Play").click()
        named(widget, "Pause").click()
        assert widget.step == 0
        monkeypatch.setattr(view, "SECONDS", 0)
        named(widget, "Play").click()
        while widget.playing:
            await asyncio.sleep(0.001)
        assert widget.step == 3

    asyncio.run(asyncio.wait_for(play_and_pause(), 60))


def test_an_own_program_is_in_the_list_and_its_text_is_escaped():
    widget = widgets.BackwardStepper(lambda x: x * x, [1, 2])
    assert named(widget, "example").value == YOURS
    named(widget, "example").value = "diamond"
    named(widget, "example").value = YOURS
    assert widget.example.name == YOURS
    widget.run(lambda torch: (_ for _ in ()).throw(ValueError("<img src=x>")))
    assert "<img" not in html_of(widget) and "&lt;img" in html_of(widget)


def test_two_copies_do_not_disturb_each_other():
    one, other = widgets.BackwardStepper("diamond"), widgets.BackwardStepper("diamond")
    before = other.state()
    one.set_mode("overwrite").last().set_seed(5)
    assert other.state() == before


# --- any sequence of actions ---------------------------------------------------------------------

numbers = st.floats(-100, 100, width=32)
typed = st.one_of(st.sampled_from(["1/3", "", "x", "3,5", "nan", "[1", "1e99"]), numbers.map(repr))


class Learner(RuleBasedStateMachine):
    """Does anything, in any order."""

    def __init__(self):
        super().__init__()
        self.stepper = BackwardStepper()

    @contextlib.contextmanager
    def refusals_change_nothing(self):
        def kept():
            return {**self.stepper.state(), "message": None, "refused_at": None}

        before = kept()
        yield
        if self.stepper.message:
            assert kept() == before

    @rule(name=st.sampled_from([*EXAMPLES, YOURS, "S9-9", ""]))
    def load(self, name):
        with self.refusals_change_nothing():
            self.stepper.load(name)

    @rule(program=st.sampled_from([*PROGRAMS, too_many_leaves, len]))
    def run(self, program):
        with self.refusals_change_nothing():
            self.stepper.run(program)

    @rule(move=st.sampled_from(["forward", "back", "first", "last", "play", "tick"]))
    def move(self, move):
        getattr(self.stepper, move)()
        assert self.stepper.message is None or move == "tick"

    @rule(step=st.one_of(st.integers(-3, 40), typed))
    def go(self, step):
        with self.refusals_change_nothing():
            self.stepper.go(step)

    @rule(mode=st.sampled_from([*MODES, "recursion"]))
    def set_mode(self, mode):
        with self.refusals_change_nothing():
            self.stepper.set_mode(mode)

    @rule(data=st.data(), text=typed)
    def type_a_weight(self, data, text):
        index = data.draw(st.sampled_from(list(np.ndindex(self.stepper.seed_shape))))
        with self.refusals_change_nothing():
            self.stepper.set_seed_entry(index, text)

    @rule(value=st.recursive(numbers, lambda inner: st.lists(inner, max_size=3), max_leaves=6))
    def type_any_seed(self, value):
        with self.refusals_change_nothing():
            self.stepper.set_seed(str(value))

    @invariant()
    def it_agrees_with_torch(self):
        answer = self.stepper.torch_answer(wait=True)
        right = self.stepper.final_grads("ordered")
        assert set(right) == set(answer.found)
        for name, grad in right.items():
            assert agree(grad, answer.found[name])

    @invariant()
    def everything_belongs_together(self):
        stepper = self.stepper
        assert 0 <= stepper.step <= stepper.steps
        assert len(stepper.waiting()) == stepper.steps - stepper.step
        assert stepper.mode != "ordered" or stepper.wrong == []
        for account in stepper.ledger():
            if stepper.mode != "overwrite" and account.contributions:
                total = sum(np.asarray(entry.value, dtype=float) for entry in account.contributions)
                assert agree(account.total, total)
        assert stepper.announcement() and stepper.queue_line()


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
