"""The mechanism of a backward pass, which no program should notice.

A pass adds in place where it may, and nobody notices: programs come to the same, bit for bit,
whether they are watched or not, and so they do in two threads at once.
"""

import sys
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad.autograd.listeners import freed, watch
from minigrad.graph import reached
from minigrad.operation import Operation
from tests.cases import over
from tests.engine.both import attempt, text
from tests.engine.programs import write_and_run
from tests.engine.test_kept_programs import KEPT
from tests.engine.test_torch_samples import AROUND, operations, public, samples, tensors, torch


class Watcher:
    """Is shown every gradient, so that a leaf gets a copy of its own."""

    def __init__(self):
        self.heard = 0

    def ran(self, node, g, grads):
        """A node ran."""
        self.heard += 1

    def accumulated(self, leaf, g):
        """A leaf got its gradient."""
        self.heard += 1


def played(lines):
    """What comes of a program: what each line said, and all there is to see at its end."""
    space, said = {"torch": minigrad}, []
    for line in lines:
        said.append(text(attempt(exec, line, space)))
    found = {name: value for name, value in space.items() if isinstance(value, minigrad.Tensor)}
    return said, {name: facts(tensor) for name, tensor in found.items()}


def facts(tensor):
    """A tensor's bits, those of its `.grad`, and its graph: what is there, and what was freed."""
    meta, node = tensor._meta, attempt(lambda: tensor.grad_fn)
    kept = [tensor] if meta is None or meta.grad is None else [tensor, meta.grad]
    bits = [(t._array.tobytes(), t._array.dtype, t.shape, t._version) for t in kept]
    is_node = hasattr(node, "next_functions")
    graph = [(n.name(), freed(n)) for n in reached([node])] if is_node else text(node)
    return bits, tensor.requires_grad, graph


@settings(max_examples=150)
@given(st.data())
def test_a_pass_that_is_watched_does_the_same(data):
    lines = write_and_run(data.draw, length=20).lines
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = played(lines)
        with watch(Watcher()):
            watched = played(lines)
    assert alone == watched


def test_a_watcher_hears_of_every_node_and_leaf():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    with watch(Watcher()) as watcher:
        (x * x).sum().backward()
    assert watcher.heard == 3


# --- whose array is it? ---------------------------------------------------------------------------


def arrays(values):
    """The arrays among some values, those of tensors and in tuples, too."""
    found = []
    for value in values:
        if isinstance(value, (list, tuple)):
            found += arrays(value)
        elif isinstance(getattr(value, "_array", value), np.ndarray):
            found.append(getattr(value, "_array", value))
    return found


def careful(vjp):
    """`Operation._vjp`, asserting that its rules leave alone what belongs to others."""

    def checked(node, g, create_graph=False):
        others = [*arrays([g]), *arrays(node._saved or ())]
        before = [array.tobytes() for array in others]
        kept = arrays(node._saved or ())
        grads = vjp(node, g, create_graph)
        assert [array.tobytes() for array in others] == before, f"{node} writes"
        for grad in arrays(grads):
            assert not any(np.shares_memory(grad, array) for array in kept), f"{node} hands out"
        return grads

    return checked


@pytest.fixture
def careful_rules(monkeypatch):
    monkeypatch.setattr(Operation, "_vjp", careful(Operation._vjp))


@pytest.mark.filterwarnings("ignore")
@over("op", operations, ids=lambda op: op.full_name)
def test_no_rule_hands_out_or_changes_what_is_not_its_own(op, careful_rules):
    """What was saved may be a tensor of the user's, who may change the gradient that they get."""
    if torch.float64 not in op.supported_dtypes("cpu"):
        return
    for _, (args, kwargs) in samples(op, torch.float64):
        result = (AROUND.get(op.name) or public(minigrad, op.name))(*args, **kwargs)
        outputs = [y for y in tensors(result, minigrad.Tensor) if y.requires_grad]
        if outputs:
            minigrad.autograd.backward(outputs, [minigrad.ones_like(y) for y in outputs])


# --- threads --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_two_threads_do_not_disturb_each_other():
    programs = [program.strip().splitlines() for program in KEPT.strip().split("\n\n")]
    alone, together = [played(lines) for lines in programs], {}
    begin = threading.Barrier(2)

    def work(order):
        begin.wait()
        found = [played(programs[place]) for place in order]
        together[order] = dict(zip(order, found))

    places = range(len(programs))
    threads = [threading.Thread(target=work, args=(order,)) for order in (places, places[::-1])]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    for found in together.values():
        assert [found[place] for place in places] == alone
    assert len(together) == 2
