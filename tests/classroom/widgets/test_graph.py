"""Graphs as the stepper and the ledger read them: names, formulas and places."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad.autograd import watch
from minigrad.classroom.show.drawing import formulas
from minigrad.classroom.show.drawing.graph import Notes, leaf_names, read_graph
from minigrad.classroom.show.drawing.layout import ROOM, TIGHT, lay_out
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.nn import functional  # noqa: F401  (all operations are loaded)
from minigrad.operation import Operation
from minigrad.plan import signature


def test_a_graph_is_read_with_names_expressions_and_values():
    notes = Notes()
    with watch(notes):
        x = minigrad.tensor([1.0, 2.0], requires_grad=True)
        y = (2 * x).exp() * x
    graph = read_graph(y, [("x", x), ("y", y)], notes)
    assert [node.title for node in graph.nodes] == ["x", "t1 = 2 · x", "t2 = exp(t1)", "y = t2 · x"]
    np.testing.assert_allclose(graph.nodes[1].value, [2, 4])
    sent = graph.pull(graph.nodes[1], (np.array([1.0, 10.0]),))
    assert sent[graph.nodes[1].targets.index((0, 0))].tolist() == [2, 20]
    assert leaf_names(y, []) == {"leaf1": x} and graph.tensor_of(graph.leaves[0]) is x


def test_a_graph_of_a_tensor_nobody_watched_is_read_too():
    """For a lesson's picture: the structure and the rules; what is not known is left out."""
    a, b = (minigrad.tensor(number, requires_grad=True) for number in (2.0, 3.0))
    titles = [node.title for node in read_graph(a * b + b, [("a", a), ("b", b)]).nodes]
    assert titles == ["a", "b", "t1 = a · b", "out = t1 + b"]
    assert [node.kind for node in read_graph(a).nodes] == ["leaf"]


def test_several_results_are_told_apart_and_too_much_is_refused():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    one, other = x.unbind()
    graph = read_graph(one * other, [("x", x)])
    assert graph.nodes[-1].title == "out = t1[0] · t1[1]" and graph.refer((1, 1)) == "t1[1]"
    for _ in range(31):
        x = x * 2
    with pytest.raises(Refused, match="31 operations and 1 leaf; up to 30"):
        read_graph(x)


# --- the table of local rules says what the engine does ------------------------------------------


def operations():
    found, stack = {}, [Operation]
    while stack:
        for cls in stack.pop().__subclasses__():
            stack.append(cls)
            if cls.rules:
                found.setdefault(formulas.key(cls.__name__, cls.params), []).append(cls)
    return found


OPERATIONS = operations()
MATRICES = {
    "MmBackward0(x, y)": [(2, 3), (3, 4)],
    "MvBackward0(x, y)": [(2, 3), (3,)],
    "DotBackward0(x, y)": [(3,), (3,)],
    "AddmmBackward0(x, y, z)": [(2, 4), (2, 3), (3, 4)],
}


@pytest.mark.parametrize("key", formulas.FORMULAS)
def test_a_formula_is_what_the_engine_s_rule_computes(key):
    source = np.random.default_rng(0)
    _, rules = formulas.FORMULAS[key]
    for cls in OPERATIONS[key]:
        sizes = MATRICES.get(key, [(2, 3)] * len(cls.params))
        values = {name: source.uniform(0.2, 0.8, size) for name, size in zip(cls.params, sizes)}
        if key.startswith(("PowBackward0(x, y", "PowBackward2")):
            values["y"] = np.array(3.0)
        out = np.asarray(cls.forward(*values.values()))
        v = source.uniform(1, 2, out.shape)
        every, found = {**values, "out": out}, {}
        for operand, rule in cls.rules.items():
            needs = zip(signature(rule)[0][1:], every.values())
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
    assert set(formulas.WORDS) <= nodes | {"CopySlices"}


# --- the layout ----------------------------------------------------------------------------------

NODES = st.tuples(
    st.lists(st.floats(0, 0.999), max_size=3),  # where its operands are among the nodes before
    st.sampled_from([60, 140, 250]),
    st.sampled_from([34, 66, 120]),
)


@settings(max_examples=60)
@given(nodes=st.lists(NODES, min_size=1, max_size=30), room=st.sampled_from([300, 500, ROOM]))
def test_a_layout_overlaps_nothing_and_runs_to_the_right(nodes, room):
    edges = [(int(share * k), k) for k, (shares, *_) in enumerate(nodes) if k for share in shares]
    sizes = [size for _, *size in nodes]
    placed = lay_out(sizes, edges, room)
    assert placed == lay_out(sizes, edges, room)
    frames = []
    for (x, y), (width, height), wanted in zip(placed.centres, placed.sizes, sizes):
        assert width == wanted[0] and height >= wanted[1]
        frames.append((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
        left, top, right, bottom = frames[-1]
        assert left > -1e-6 and top > -1e-6
        assert right < placed.width + 1e-6 and bottom < placed.height + 1e-6
    for k, one in enumerate(frames):
        for other in frames[:k]:
            assert (
                one[0] >= other[2]
                or other[0] >= one[2]
                or one[1] >= other[3]
                or (other[1] >= one[3])
            )
    for (operand, user), route in zip(edges, placed.routes):
        start, end = route[0][0], route[-1][3]
        assert start[0] == pytest.approx(frames[operand][2]) and end[0] == frames[user][0]
        assert frames[operand][1] < start[1] < frames[operand][3]
        assert frames[user][1] < end[1] < frames[user][3]
        assert all(one[3] == two[0] for one, two in zip(route, route[1:]))
        assert end[0] >= start[0] + TIGHT - 1e-6
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
    routes = lay_out(sizes, edges).routes
    starts = {routes[k][0][0] for k in range(11, 21)}
    assert len(starts) == 1
    lines = {curve for k in range(11, 21) for curve in routes[k]}
    assert len(lines) < 40  # apart they would be over a hundred
