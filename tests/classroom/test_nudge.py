"""The nudge meter: model against PyTorch and calculus, and what its view shows."""

import math
import re
import xml.etree.ElementTree as ElementTree

import ipywidgets
import numpy as np
import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from minigrad.classroom import engines, record, recorded, widgets
from minigrad.classroom.models.curves import CURVES
from minigrad.classroom.models.nudge import DTYPES, KINDS, NudgeMeter, digits
from tests.classroom.panels import below, named, shown_in, still_of

TRUTH = {"S3-3": lambda b: 4 * b, "S4-11": lambda x: 24 * x**2, "S3-4 log": lambda c: 1 / c,
         "S3-4 line": lambda a: 3.0, "kink": np.sign}


def in_torch(meter, dtype):
    """(derivative, forward, central) by torch, written out here."""
    kind = getattr(torch, dtype)
    f, x = meter.curve.function, torch.tensor(meter.x, dtype=kind, requires_grad=True)
    [grad] = torch.autograd.grad(f(torch, x), x)
    with torch.no_grad():
        forward = (f(torch, x + meter.eps) - f(torch, x)) / meter.eps
        central = (f(torch, x + meter.eps) - f(torch, x - meter.eps)) / (2 * meter.eps)
    return grad.item(), forward.item(), central.item()


def test_the_documents_numbers():
    meter = NudgeMeter()
    found = [digits(meter.set_eps(eps).estimates()["float64"]["forward"].value)
             for eps in (0.1, 0.001, 1e-5)]
    assert found == ["4.2", "4.002", "4.00002"] and meter.derivative == 4
    found = [meter.set_eps(eps).estimates()["float32"]["forward"].value
             for eps in (0.1, 0.001, 1e-5, 1e-7)]
    assert found == pytest.approx([4.20, 4.002, 4.005, 4.77], abs=0.0051)
    assert digits(NudgeMeter("S4-11").derivative, 5) == "9.9674"
    assert NudgeMeter("S3-4 log").derivative == pytest.approx(10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CURVES)
def test_every_curve_agrees_with_torch_and_with_calculus(name, dtype):
    meter = NudgeMeter(name, eps=1 / 64)
    grad, forward, central = in_torch(meter, dtype)
    close = {"float64": 1e-10, "float32": 2e-3}[dtype]
    found = meter.estimates()[dtype]
    assert meter.derivatives[dtype] == pytest.approx(grad) == pytest.approx(TRUTH[name](meter.x))
    assert found["forward"].value == pytest.approx(forward, rel=close)
    assert found["central"].value == pytest.approx(central, rel=close)
    assert found["central"].error == abs(found["central"].value - meter.derivative)
    for answer in (meter.torch_answer(wait=True), meter.stored_answer()):
        assert meter.agrees(answer) is True
    assert meter.stored_answer().source == "stored"


def test_another_curves_answer_is_seen_to_differ():
    assert NudgeMeter("S3-3").agrees(NudgeMeter("S4-11").torch_answer(wait=True)) is False
    assert NudgeMeter("S3-3", 2).stored_answer().source == "missing"


@pytest.mark.parametrize("kind, slope", [("forward", 1), ("central", 2)])
def test_the_error_falls_with_eps_and_rises_again(kind, slope):
    meter = NudgeMeter("S4-11")
    for dtype, low, high in (("float64", 1e-9, 1e-4), ("float32", 1e-5, 3e-2)):
        errors = dict(meter.sweep[dtype, kind])
        eps, error = meter.best(dtype, kind)
        assert low < eps < high and errors[eps] == error
        assert min(errors) == pytest.approx(1e-14) and max(errors) == 1
        assert errors[min(errors)] > 30 * error and errors[1.0] > 30 * error
    errors = dict(meter.sweep["float64", kind])
    ratio = errors[10.0**-1] / errors[10.0**-2]  # the error is of this order in eps
    assert math.log10(ratio) == pytest.approx(slope, abs=0.2)
    assert meter.best("float64", kind)[1] < meter.best("float32", kind)[1]


@pytest.mark.parametrize("name, eps, says", [
    ("S3-3", 0.1, "nudge less"), ("S3-3", 1e-6, "float32 already rounds away"),
    ("S3-3", 1e-12, "Too small even for float64"), ("kink", 1e-3, "a corner here"),
    ("S3-4 line", 0.1, "are one"),
])
def test_the_verdict_tells_bend_from_rounding(name, eps, says):
    assert says in NudgeMeter(name, eps=eps).verdict()


def test_a_nudge_out_of_the_domain_is_shown_as_it_is(recwarn):
    meter = NudgeMeter("S3-4 log", eps=0.5)
    found = meter.estimates()["float64"]
    assert math.isnan(found["central"].value) and math.isfinite(found["forward"].value)
    assert "nan" in repr(meter) and any(math.isnan(y) for _, y in meter.samples())
    assert not recwarn.list


def test_samples_follow_eps_when_zoomed():
    meter = NudgeMeter("S3-3", eps=1e-3)
    assert [o for o, _ in meter.samples()][::80] == [-1.25, 1.25]
    offsets, heights = zip(*meter.zoom().samples())
    assert max(offsets) == 2.5e-3
    np.testing.assert_allclose(heights, 2 * (1 + np.array(offsets)) ** 2, rtol=1e-12)
    steps = {y for _, y in meter.set_eps(1e-7).samples("float32")}
    assert 2 < len(steps) < 12  # float32 has only few numbers there


# --- a learner's own function --------------------------------------------------------------------


def test_own_functions():
    meter = NudgeMeter(lambda x: x**3 - x, 0.5)
    assert meter.derivative == -0.25 and meter.agrees()
    assert meter.stored_answer().source == "missing"
    assert meter.load("S3-3").load("your function").derivative == -0.25
    assert meter.set_x("1/2").x == 0.5
    sine = NudgeMeter(lambda torch, x: torch.sin(x), 1)
    assert sine.derivative == pytest.approx(math.cos(1)) and sine.agrees()

    def bounded(x):
        if x.item() > 1:
            raise ValueError("out of bounds")
        return x * x

    edge = NudgeMeter(bounded, 1, eps=0.5)
    assert edge.message is None and edge.derivative == 2
    assert math.isnan(edge.estimates()["float64"]["forward"].value) and repr(edge)
    assert edge.set_x(2).message == "ValueError: out of bounds." and edge.x == 1


@pytest.mark.parametrize("what, x, says", [
    (7, 1, "Give a function of one number"), (lambda x: x * x, None, "Give the point x"),
    (lambda x: 3.0, 1, "returned a float"), (lambda x: x.expand(2), 1, "returned 2 numbers"),
    (lambda x: x.nope, 1, "AttributeError"), (lambda x: x.detach(), 1, "does not require grad"),
    (lambda x: 1 / x, 0, "not a finite number"), (lambda x: x, "1,5", "type 1.5"),
    (lambda x: x, [1, 2], "not a number"),
])
def test_what_cannot_be_run_becomes_a_sentence(what, x, says):
    meter = NudgeMeter(what, x)
    assert says.lower() in meter.message.lower() and "Shown is S3-3" in meter.message
    assert meter.derivative == 4 and "refused" in repr(meter)


def test_a_name_that_is_no_curve():
    with pytest.raises(ValueError, match="There is no curve 'x'. Known are: S3-3"):
        NudgeMeter("x")


@pytest.mark.parametrize("act, says", [
    (lambda m: m.set_eps("0,1"), "type 0.1"), (lambda m: m.set_eps(0), "eps goes from 1e-15"),
    (lambda m: m.set_eps("-0.1"), "eps goes from"), (lambda m: m.set_eps(11), "to 10"),
    (lambda m: m.set_eps(None), "no number yet"), (lambda m: m.set_power(1), "from -14 to 0"),
    (lambda m: m.set_power("x"), "is not a number"), (lambda m: m.set_x("nan"), "nan cannot"),
    (lambda m: m.load("S9"), "There is no curve 'S9'"),
    (lambda m: m.load("S3-4 log").set_x(-1), "not a finite number"),
])
def test_bad_input_gets_a_sentence_and_changes_nothing(act, says):
    meter = NudgeMeter("S3-4 log", eps=0.01)
    before = {**meter.state(), "message": None, "refused_at": None}
    assert act(meter) is meter and says.lower() in meter.message.lower()
    assert {**meter.state(), "message": None, "refused_at": None} == before
    assert meter.zoom(False).message is None


@pytest.mark.parametrize("eps", [1.0, 0.1, 1e-5, 1e-14])
@pytest.mark.parametrize("name", CURVES)
def test_the_text_twin(name, eps):
    meter = NudgeMeter(name, eps=eps)
    text = repr(meter)
    assert max(map(len, text.splitlines())) <= 100
    assert meter.derivative_line() in text and meter.verdict()[:30] in text


def test_recorded_answers_are_those_of_the_installed_torch():
    stored = recorded.load("nudges")
    assert stored["torch"] == engines.version(torch)
    assert stored["answers"] == record.nudge_answers(torch)


def test_without_torch_the_stored_answer_is_shown_and_labelled(no_torch):
    meter = NudgeMeter("S4-11")
    assert "stored from torch 2.13.0" in repr(meter) and meter.agrees()
    assert "not recorded" in " ".join(repr(meter.set_x(2)).split())


numbers = st.one_of(st.floats(-3, 3, width=32), st.floats(1e-14, 1),
                    st.sampled_from(["", "1/3", "abc", "1e-5", "inf", None, "0"]))


class Learner(RuleBasedStateMachine):
    """Does anything in any order."""

    def __init__(self):
        super().__init__()
        self.meter = NudgeMeter(lambda x: x * x * x, 2)

    @rule(name=st.sampled_from([*CURVES, "your function", "?"]))
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
        meter = self.meter
        for dtype in DTYPES:
            assert meter.derivatives[dtype] == pytest.approx(in_torch(meter, dtype)[0], rel=1e-5)
        assert meter.agrees() and repr(meter) == repr(meter)
        assert 10**meter.power == pytest.approx(meter.eps, rel=1e-3)
        assert (meter.message is None) == (meter.refused_at is None)
        assert len(meter.samples()) == 81


TestLearner = Learner.TestCase
TestLearner.settings = settings(max_examples=10, stateful_step_count=8, deadline=None)


# --- the view, without a browser -----------------------------------------------------------------


def readout(meter, kind):
    row = re.search(rf'<tr class="mg-{kind}">(.*?)</tr>', shown_in(meter))[1]
    return re.findall(r"<td>([^<]*)</td>", row)


def test_the_slider_the_boxes_and_the_buttons():
    meter = widgets.NudgeMeter()
    assert readout(meter, "forward")[0] == "4.2" and "b.grad = 4\u00b7b = 4" in shown_in(meter)
    slider, eps = named(meter, "eps = 10 to the power"), named(meter, "eps =")
    slider.value = -3
    assert (meter.eps, eps.value) == (1e-3, "0.001") and readout(meter, "forward")[0] == "4.002"
    named(meter, "\u25c0").click()
    assert meter.power == slider.value == -3.5
    eps.value = "1e-5"
    assert slider.value == -5 and readout(meter, "forward")[0] == "4.00002"
    eps.value = "1e-5,"
    assert "Not used." in shown_in(meter) and eps.value == "1e-5," and meter.eps == 1e-5
    named(meter, "b =").value = "1/2"
    assert "b.grad = 4\u00b7b = 2" in shown_in(meter) and eps.value == "1e-05"
    named(meter, "curve").value = "S3-4 log"
    assert named(meter, "c =").value == "0.1" and meter.eps == 1e-5
    named(meter, "\u25cb zoom to eps").click()
    assert meter.zoomed and "y in float32" in shown_in(meter)
    eps.value = "5"
    assert meter.eps == 5 and slider.value == 0


def test_every_control_has_a_spoken_name():
    kinds = (ipywidgets.Button, ipywidgets.Dropdown, ipywidgets.Text, ipywidgets.BoundedFloatText)
    controls = [child for child in below(widgets.NudgeMeter()) if isinstance(child, kinds)]
    assert len(controls) == 8 and all(control.description.strip() for control in controls)


def test_the_error_plot_is_what_the_model_holds():
    meter = widgets.NudgeMeter("S4-11")
    picture = ElementTree.fromstring(meter._pictures.value)
    _, inner = picture.findall(".//svg/svg")  # the plots themselves, of the curve and of the errors
    paths = [path for path in inner.findall("path") if path.get("fill") == "none"]
    assert len(paths) == len(DTYPES) * len(KINDS)
    for path, series in zip(paths, meter.sweep):
        heights = [float(pair.split()[1]) for pair in re.findall(r"[-\d.]+ [-\d.]+", path.get("d"))]
        for height, (_, error) in zip(heights, meter.sweep[series], strict=True):
            power = min(max(math.log10(error) if error else -14, -14), 2)
            assert height == pytest.approx(270 * (2 - power) / 16, abs=0.06)


@pytest.mark.parametrize("zoomed", [True, False])
@pytest.mark.parametrize("eps", [1, 1e-5, 1e-14])
@pytest.mark.parametrize("name", CURVES)
def test_the_snapshot_is_a_picture_with_a_text(name, eps, zoomed):
    meter = widgets.NudgeMeter(name, eps=eps)
    meter.zoom(zoomed)
    svg, alternative = still_of(meter)
    assert "nan" not in re.sub(r"<text.*?</text>", "", svg)
    assert "stored from torch 2.13.0" in svg
    assert meter.derivative_line() in alternative
    assert repr(meter) == meter.summary()


def test_two_meters_do_not_disturb_each_other():
    first, second = widgets.NudgeMeter(), widgets.NudgeMeter("kink")
    before = shown_in(second)
    first.set_eps(0.5).zoom().load("S4-11")
    assert shown_in(second) == before
