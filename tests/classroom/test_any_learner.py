"""Whatever a learner does to a model, with whatever argument: nothing raises, and what is refused
changes nothing.

The tests of each widget hold the numbers against PyTorch's after random learners' actions. Here the
arguments make no sense: any action of any model, with anything at all.
"""

import functools
import inspect

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.widgets.backward_stepper.model import BackwardStepper
from minigrad.classroom.widgets.grad_ledger.model import GradLedger
from minigrad.classroom.widgets.jacobian_picture.model import JacobianPicture
from minigrad.classroom.widgets.leaf_inspector.model import LeafInspector
from minigrad.classroom.widgets.nudge_meter.model import NudgeMeter
from minigrad.classroom.widgets.predict_card.model import PredictCard
from minigrad.classroom.widgets.seam_cutter.model import SeamCutter
from minigrad.classroom.widgets.shape_gate.model import ShapeGate
from minigrad.classroom.widgets.shared.model import Model
from minigrad.classroom.widgets.then_and_now.model import ThenAndNow
from minigrad.classroom.widgets.upstream_editor.model import UpstreamEditor

OPENED = {  # as it opens, and with a learner's own function or program
    "PredictCard": lambda: PredictCard("x.grad?", [2, 4]),
    "PredictCard, a choice": lambda: PredictCard("c?", "a", choices=["a", "b"]),
    "UpstreamEditor": lambda: UpstreamEditor("a * a", edit_input=True),
    "UpstreamEditor, own": lambda: UpstreamEditor(lambda x: x * x, [1, 2]),
    "JacobianPicture": lambda: JacobianPicture("a * a"),
    "JacobianPicture, own": lambda: JacobianPicture(lambda x: x * x, 3),
    "BackwardStepper": BackwardStepper,
    "BackwardStepper, own": lambda: BackwardStepper(lambda a, b: a * b, 2, [3, 4]),
    "SeamCutter": SeamCutter,
    "SeamCutter, own": lambda: SeamCutter([lambda x: x * x, lambda y: y.sum()], [1, 2]),
    "ShapeGate": ShapeGate,
    "GradLedger": lambda: GradLedger("two passes"),
    "GradLedger, own": lambda: GradLedger(lambda a, b: a * b, 2, [1, 3]),
    "LeafInspector": LeafInspector,
    "LeafInspector, own": lambda: LeafInspector(x=[1, 2], y=lambda x: x * 2),
    "NudgeMeter": NudgeMeter,
    "NudgeMeter, own": lambda: NudgeMeter(lambda x: x * x, 3),
    "ThenAndNow": ThenAndNow,
    **{
        f"{model.__name__}, covered": functools.partial(model, predict=True)
        for model in (
            UpstreamEditor,
            JacobianPicture,
            BackwardStepper,
            SeamCutter,
            NudgeMeter,
        )
    },
}
IN_EVERY_STATE = ("message", "refused_at", "refused_by")


def actions_of(model):
    """{name: how many arguments it may take} of everything a learner can do."""
    found = {}
    for name, method in type(model).actions().items():
        parameters = list(inspect.signature(method).parameters.values())[1:]
        few = sum(p.default is p.empty and p.kind != p.VAR_POSITIONAL for p in parameters)
        found[name] = (few, len(parameters))
    return found


WORDS = [
    "",
    " ",
    "a * a",
    "two passes",
    "the gradient [1, 0]",
    "diamond",
    "A @ x",
    "your function",
    "your program",
    "x",
    "y",
    "b",
    "out",
    "ones",
    "input",
    "example",
    "forward",
    "backward",
    "overwrite",
    "no clone",
    "J\u00b7v",
    "v@J",
    "forget",
    "twice",
    "accept",
    "refuse",
    "no argument",
    "(3,)",
    "hook",
    "detach",
    "grad",
    "is_leaf",
    "True",
    "None",
    "nan",
    "1e400",
    "3,5",
    "1/3",
    "[1, 2",
    "[[1, 2], [3]]",
    "[]",
    "__import__('os')",
    "<b>",
    "\x00",
    "1" * 40,
]
ODD = [
    None,
    True,
    object(),
    b"1",
    1j,
    float("nan"),
    float("inf"),
    10**400,
    -1,
    2.5,
    (),
    (0,),
    (0, 1),
    (0, None),
    (9, 9),
    [[]],
    [[1], [2, 3]],
    {},
    {"x": 1},
    {1},
    np.zeros(0),
    np.ones((2, 2)),
    np.float32(2),
    np.int64(1),
    np.array(["a"]),
    torch.ones(2, 3),
    minigrad.ones(3),
    len,
    Model,
    lambda: 1,
    lambda x: 1 / 0,
    lambda torch: torch.nope,
    range(3),
    [1, 0],
    [1.0] * 13,
    "a" * 20_000,
]
ANYTHING = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(ODD),
    st.text(max_size=4),
    st.integers(-2, 3),
    st.floats(-9, 9),
    st.lists(st.floats(-9, 9, width=16), max_size=3),
)


def without(state):
    return repr({key: value for key, value in state.items() if key not in IN_EVERY_STATE})


@pytest.mark.parametrize("name", OPENED)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # the action and its arguments tell enough
)
@given(data=st.data())
def test_anything_at_all_is_done_or_refused(name, data):
    model = OPENED[name]()
    actions, before = actions_of(model), without(model.state())
    for _ in range(10):
        act = data.draw(st.sampled_from(sorted(actions)))
        few, most = actions[act]
        arguments = data.draw(st.lists(ANYTHING, min_size=few, max_size=most))
        assert getattr(model, act)(*arguments) is model
        assert model.message is None or isinstance(model.message, str) and model.message
        after = without(model.state())
        assert not model.message or after == before, f"{act}{arguments}: {model.message}"
        before = after
        assert model.message or (model.refused_at, model.refused_by) == (None, None)
        assert all(len(line) <= 100 for line in repr(model).splitlines())


def test_every_widget_is_here():
    here = {type(opened()).__name__ for opened in OPENED.values()}
    assert here == set(widgets.__all__)


# --- a function that fails when it is opened again ----------------------------------------------


class Fickle:
    """A learner's function that stops working: it reads something that is gone later."""

    def __init__(self, function):
        self.function, self.broken = function, False

    def __call__(self, x):
        if self.broken:
            raise ZeroDivisionError("no longer")
        return self.function(x)


@pytest.mark.parametrize(
    "open_it, own, other",
    [
        (lambda f: UpstreamEditor(f, [1, 2]), "your function", "a * a"),
        (lambda f: JacobianPicture(f, [1, 2]), "your function", "A @ x"),
        (lambda f: NudgeMeter(lambda x: f(x).sum(), 3), "your function", "2b²"),
        (lambda f: SeamCutter([f], [1, 2]), "your function", "two layers"),
        (lambda f: BackwardStepper(f, [1, 2]), "your function", "diamond"),
    ],
    ids=["UpstreamEditor", "JacobianPicture", "NudgeMeter", "SeamCutter", "BackwardStepper"],
)
def test_what_fails_when_it_is_loaded_again_is_refused(open_it, own, other):
    function = Fickle(lambda x: x * x)
    model = open_it(function)
    assert model.load(other).message is None and model.load(own).message is None
    shown = without(model.load(other).state())
    function.broken = True
    assert "no longer" in model.load(own).message and without(model.state()) == shown
    function.broken = False
    assert model.load(own).message is None


def test_in_the_ledger_such_a_failure_is_a_row():
    function = Fickle(lambda x: x * x)
    ledger = GradLedger(lambda x: function(x), [1, 2])
    function.broken = True
    assert ledger.forward().message is None and "no longer" in ledger.error
    assert "no longer" in ledger.load("two passes").load("your function").message
