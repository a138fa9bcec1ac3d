"""The nudge meter: model against PyTorch and calculus, and what its panel shows."""

import html
import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import widgets
from minigrad.classroom.compare import recorded
from minigrad.classroom.compare.results import run
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.nudge_meter.drawing import errors_svg
from minigrad.classroom.widgets.nudge_meter.examples import EXAMPLES
from minigrad.classroom.widgets.nudge_meter.model import (
    DTYPES,
    KINDS,
    NudgeMeter,
    digits,
    programs_to_record,
)
from tests.classroom.panels import named, parsed, shown_in

TRUTH = {
    "2b²": lambda b: 4 * b,
    "(2x)³": lambda x: 24 * x**2,
    "log c": lambda c: 1 / c,
    "3a": lambda a: 3.0,
    "kink": np.sign,
}


def in_torch(meter, dtype):
    """(derivative, forward, central) by torch, written out here."""
    kind, f = getattr(torch, dtype), meter.example.function
    x = torch.tensor(meter.x, dtype=kind, requires_grad=True)
    [grad] = torch.autograd.grad(f(torch, x), x)
    with torch.no_grad():
        here, above, below = (f(torch, x + offset) for offset in (0, meter.eps, -meter.eps))
    return (
        grad.item(),
        ((above - here) / meter.eps).item(),
        ((above - below) / (2 * meter.eps)).item(),
    )


def test_the_documents_numbers():
    meter = NudgeMeter()
    found = [meter.set_eps(eps).slopes for eps in (0.1, 0.001, 1e-5, 1e-7)]
    assert [digits(one["float64"]["forward"]) for one in found[:3]] == ["4.2", "4.002", "4.00002"]
    narrow = [one["float32"]["forward"] for one in found]
    assert narrow == pytest.approx([4.20, 4.002, 4.005, 4.77], abs=0.0051)
    assert digits(NudgeMeter("(2x)³").derivative, 5) == "9.9674"


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_agrees_with_torch_and_with_calculus(name):
    meter = NudgeMeter(name, eps=1 / 64)
    for dtype, close in (("float64", 1e-10), ("float32", 2e-3)):
        grad, forward, central = in_torch(meter, dtype)
        found = {kind: meter.estimates[dtype, kind] for kind in KINDS}
        assert meter.derivatives[dtype] == pytest.approx(grad)
        assert meter.derivatives[dtype] == pytest.approx(TRUTH[name](meter.x))
        assert found["forward"].value == pytest.approx(forward, rel=close)
        assert found["central"].value == pytest.approx(central, rel=close)
        assert found["central"].error == abs(found["central"].value - meter.derivative)
    for answer in (meter.torch_answer(wait=True), meter.stored_answer()):
        assert meter.agrees(answer) is True
    assert meter.stored_answer().source == "stored"
    for eps in (1.0, 1e-14):
        text = repr(meter.set_eps(eps))
        assert max(map(len, text.splitlines())) <= 100
        assert meter.derivative_line() in text and meter.verdict()[:30] in text


def test_what_is_recorded_is_what_torch_says():
    for key, program in programs_to_record().items():
        assert recorded.answer(key)[0] == run(program, torch)[0]


def test_another_answer_is_seen_to_differ_and_another_x_is_not_recorded():
    assert NudgeMeter("2b²").agrees(NudgeMeter("(2x)³").torch_answer(wait=True)) is False
    assert NudgeMeter("2b²").set_x(2).stored_answer().source == "missing"


@pytest.mark.parametrize("kind, slope", [("forward", 1), ("central", 2)])
def test_the_error_falls_with_eps_and_rises_again(kind, slope):
    meter = NudgeMeter("(2x)³")
    for dtype, low, high in (("float64", 1e-9, 1e-4), ("float32", 1e-5, 3e-2)):
        errors = dict(meter.sweep[dtype, kind])
        eps, error = meter.best(dtype, kind)
        assert low < eps < high and errors[eps] == error
        assert min(errors) == pytest.approx(1e-14) and max(errors) == 1
        assert errors[min(errors)] > 30 * error and errors[1.0] > 30 * error
    errors = dict(meter.sweep["float64", kind])
    ratio = errors[10.0**-1] / errors[10.0**-2]  # the error is of this order in eps
    assert math.log10(ratio) == pytest.approx(slope, abs=0.2)


@pytest.mark.parametrize(
    "name, eps, says",
    [
        ("2b²", 0.1, "nudge less"),
        ("2b²", 1e-7, "in float32 b moved by 1.192093e-07, not by 1e-07"),
        ("2b²", 1e-8, "b + eps is b again"),  # a smooth curve has no corner
        ("2b²", 1e-10, "moved by 1.000000083e-10, not by 1e-10"),
        ("2b²", 1e-12, "Too small even for float64"),
        ("(2x)³", 1e-6, "In float32 z grows so little"),
        ("kink", 1e-3, "a corner here"),
        ("kink", 1e-8, "a corner here"),
        ("3a", 0.1, "are one"),
        ("3a", 1e-5, "In float32 y grows so little"),
    ],
)
def test_the_verdict_tells_bend_from_rounding(name, eps, says):
    assert says in NudgeMeter(name, eps=eps).verdict()


def test_the_cause_is_the_rounded_nudge_and_not_the_difference():
    """1 + 1e-7 is no float32: divided by how far b moved, the slope is right."""
    meter = NudgeMeter("2b²", eps=1e-7)
    below, above = torch.tensor([1.0, 1.0 + 1e-7])
    moved = (above - below).item()
    assert meter.moved("float32") == moved == 2**-23
    grown = (2 * above * above - 2 * below * below).item()
    assert meter.slopes["float32"]["forward"] == pytest.approx(grown / 1e-7)
    assert grown / moved == 4 and meter.verdict().endswith("Divided by that, the slope is 4.")


def test_a_nudge_out_of_the_domain_is_shown_as_it_is(recwarn):
    meter = NudgeMeter("log c", eps=0.5)
    found = meter.slopes["float64"]
    assert math.isnan(found["central"]) and math.isfinite(found["forward"])
    assert "nan" in repr(meter) and any(math.isnan(y) for _, y in meter.samples())
    assert not recwarn.list


def test_the_picture_follows_eps_when_zoomed():
    meter = NudgeMeter("2b²", eps=1e-3)
    assert [offset for offset, _ in meter.samples()][::80] == [-1.25, 1.25]
    offsets, heights = zip(*meter.zoom().samples())
    assert max(offsets) == 2.5e-3
    np.testing.assert_allclose(heights, 2 * (1 + np.array(offsets)) ** 2, rtol=1e-12)
    steps = {y for _, y in meter.set_eps(1e-7).samples("float32")}
    assert 2 < len(steps) < 12  # float32 has only few numbers there


def test_own_functions():
    meter = NudgeMeter(lambda x: x**3 - x, 0.5)
    assert meter.derivative == -0.25 and meter.agrees()
    assert meter.load("2b²").load("your function").derivative == -0.25
    assert meter.set_x("1/2").x == 0.5
    sine = NudgeMeter(lambda torch, x: torch.sin(x), x=1)
    assert sine.derivative == pytest.approx(math.cos(1)) and sine.agrees()

    def bounded(x):
        if x.item() > 1:
            raise ValueError("out of bounds")
        return x * x

    edge = NudgeMeter(bounded, 1, eps=0.5)
    assert edge.message is None and edge.derivative == 2
    assert math.isnan(edge.slopes["float64"]["forward"]) and repr(edge)
    assert edge.set_x(2).message == "ValueError: out of bounds." and edge.x == 1


@pytest.mark.parametrize(
    "given, says",
    [
        (("x",), "There is no example 'x'. Known are: 2b\u00b2"),
        (("2b²", 2), "brings its own numbers"),
        ((7, 1), "Give a function"),
        ((lambda x: x * x,), "numbers for x"),
        ((lambda x: 3.0, 1), "returned a float"),
        ((lambda x: x.expand(2), 1), "returned 2 numbers"),
        ((lambda x: x.nope, 1), "attribute 'nope'"),
        ((lambda x: 1 / x, 0), "not a finite number"),
        ((lambda x: x.detach(), 1), "does not require grad"),
        ((lambda x: x, "1,5"), "3.5"),
        ((lambda x: x, [1, 2]), "not a number"),
        ((lambda x, y: x * y, 1, 2), "of 1 tensor"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(given, says):
    with pytest.raises(Refused) as refusal:
        NudgeMeter(*given)
    assert says in str(refusal.value)


@pytest.mark.parametrize(
    "act, says, place",
    [
        (lambda m: m.set_eps("0,1"), "type 0.1", "eps"),
        (lambda m: m.set_eps(0), "from 1e-15", "eps"),
        (lambda m: m.set_eps(11), "to 10", "eps"),
        (lambda m: m.set_eps(None), "no number yet", "eps"),
        (lambda m: m.set_power(1), "from -14 to 0", "eps"),
        (lambda m: m.set_x("nan"), "nan", "x"),
        (lambda m: m.load("S9"), "There is no example 'S9'", "example"),
        (lambda m: m.set_x(-1), "not a finite number", "x"),
    ],
)
def test_bad_input_gets_a_sentence_and_changes_nothing(act, says, place):
    meter = NudgeMeter("log c", eps=0.01)
    before = meter.state()
    assert act(meter) is meter and says in meter.message and meter.refused_at == place
    assert {**meter.state(), "message": None, "refused_at": None} == before
    assert "refused" in repr(meter) and meter.zoom(False).message is None


def test_without_torch_the_stored_answer_is_shown_and_labelled(no_torch):
    meter = NudgeMeter("(2x)³")
    assert "stored from torch" in repr(meter) and meter.agrees()
    assert "not recorded" in " ".join(repr(meter.set_x(2)).split())


numbers = st.one_of(
    st.floats(-3, 3, width=32),
    st.floats(1e-14, 1),
    st.sampled_from(["", "1/3", "abc", "1e-5", "inf", None, "0"]),
)


class Learner(RuleBasedStateMachine):
    """Does anything in any order."""

    def __init__(self):
        super().__init__()
        self.meter = widgets.NudgeMeter(lambda x: x * x * x, 2)

    @rule(name=st.sampled_from([*EXAMPLES, "your function", "?"]))
    def load(self, name):
        self.meter.load(name)

    @rule(value=numbers)
    def set_eps(self, value):
        self.meter.set_eps(value)

    @rule(power=st.one_of(st.integers(-16, 2), st.just("x")))
    def set_power(self, power):
        self.meter.set_power(power)

    @rule(value=numbers)
    def set_x(self, value):
        self.meter.set_x(value)

    @rule(follow=st.booleans())
    def zoom(self, follow):
        self.meter.zoom(follow)

    @invariant()
    def what_is_shown_is_true(self):
        meter = self.meter.model
        for dtype in DTYPES:
            assert meter.derivatives[dtype] == pytest.approx(in_torch(meter, dtype)[0], rel=1e-5)
        assert meter.agrees() and repr(meter) == repr(meter)
        assert 10**meter.power == pytest.approx(meter.eps, rel=1e-3)
        assert (meter.message is None) == (meter.refused_at is None)
        for picture in parsed(self.meter).find_all("svg"):
            ElementTree.fromstring(str(picture))


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=10, stateful_step_count=8, deadline=None)


# --- the panel, without a browser ----------------------------------------------------------------


def first_slope(meter):
    row = re.search(r'<tr class="mg-forward.*?</tr>', shown_in(meter), re.DOTALL)[0]
    return re.search(r"mg-chip[^>]*>([^<]*)<", row)[1]


def test_the_sliders_the_boxes_and_the_buttons():
    meter = widgets.NudgeMeter()
    slider, eps = named(meter, "slide eps, a power of ten"), named(meter, "eps =")
    assert first_slope(meter) == "+4.2"
    node = slider.node
    assert [node[name] for name in ("min", "value", "max", "step")] == ["-14", "-1", "0", "0.25"]
    slider.value = -3
    assert (meter.eps, eps.value) == (1e-3, "0.001") and first_slope(meter) == "+4.002"
    named(meter, "\u25c0").click()
    assert meter.power == slider.value == -3.5
    eps.value = "0.05"
    assert meter.eps == 0.05 and slider.value == pytest.approx(-1.301, abs=1e-3)
    eps.value = "1e-5,"
    assert "Not used." in shown_in(meter) and eps.refused and meter.eps == 0.05
    named(meter, "b =").value = "1/2"
    assert meter.derivative == 2 and eps.value == "0.05"
    named(meter, "slide x").value = 2
    assert meter.x == 2 and named(meter, "b =").value == "2"
    named(meter, "b =").value = "40"
    assert named(meter, "slide x").value == pytest.approx(40)
    named(meter, "example").value = "log c"
    assert named(meter, "c =").value == "0.1" and meter.eps == 0.05
    named(meter, "\u25cb zoom to eps").click()
    assert meter.zoomed and "in float32" in shown_in(meter)
    eps.value = "5"
    assert slider.value == pytest.approx(0.699, abs=1e-3) and named(meter, "\u25b6").disabled


def test_the_error_plot_is_what_the_model_holds():
    meter = NudgeMeter("(2x)³")
    inner = ElementTree.fromstring(errors_svg(meter)).find("{*}svg")
    paths = [path.get("d") for path in inner.findall("{*}path")]
    assert len(paths) == len(DTYPES) * len(KINDS)
    for path, sweep in zip(paths, reversed(meter.sweep.values())):
        heights = [float(pair.split()[1]) for pair in re.findall(r"[-\d.]+ [-\d.]+", path)]
        for height, (_, error) in zip(heights, sweep, strict=True):
            power = min(max(math.log10(error) if error else -16, -16), 2)
            assert height == pytest.approx(190 * (2 - power) / 18, abs=0.06)


@pytest.mark.parametrize("eps", [1, 1e-5, 1e-14])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_still_is_a_picture_with_the_recorded_answer(name, eps):
    meter = widgets.NudgeMeter(name, eps=eps)
    for zoomed in (True, False):
        still = meter.zoom(zoomed) and html.unescape(meter.still())
        drawn = [str(svg) for svg in parsed(still).find_all("svg", role="img")]
        assert len(drawn) == 2 and "stored from torch" in still
        paths = re.findall(r' d="([^"]*)"', "".join(drawn))
        assert paths and not any("nan" in path for path in paths)
        assert meter.still() == meter.still() and meter.derivative_line() in still
    assert repr(meter) == meter.summary()


def test_what_is_predicted_is_covered():
    meter = widgets.NudgeMeter("2b²", predict=True)
    assert "<svg" not in meter.still() and "4.2" not in meter.still() + repr(meter)
    meter.card.commit("one in between")
    assert meter.card.right and "<svg" in meter.still()
