"""The seam cutter without a browser: what it shows is what its model holds."""

import re
import xml.etree.ElementTree as ElementTree

import ipywidgets
import pytest

from minigrad.classroom import widgets
from minigrad.classroom.models.chains import CHAINS
from minigrad.classroom.models.seam import MISTAKES
from tests.classroom.panels import below, named, shown_in, still_of


def grad(cutter, kind):
    [block] = re.findall(rf'<div class="mg-{kind}">.*?</table>', shown_in(cutter), re.DOTALL)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", block)
    return [float(cell.replace("\u2212", "-")) for cell in cells]


def test_editing_v_changes_what_crosses_the_cut():
    cutter = widgets.SeamCutter()
    assert "this half computes g = v\u00b7\u2202z/\u2202y = [7, 9]" in shown_in(cutter)
    named(cutter, "upstream gradient, entry 1").value = "0.2"
    named(cutter, "upstream gradient, entry 2").value = "4/5"
    assert "y.backward(gradient=torch.tensor([2., 3.]))" in shown_in(cutter)
    assert grad(cutter, "halves") == grad(cutter, "uncut") == [17, 8]
    assert named(cutter, "upstream gradient, entry 2").value == "4/5"
    named(cutter, "v =").value = "[1, 1]"
    assert grad(cutter, "halves") == [55, 25]


def test_the_cut_by_its_box_and_its_buttons():
    cutter = widgets.SeamCutter("3 layers")
    box = named(cutter, "cut after function")
    box.value = 2
    assert cutter.model.cut == 2 and "h2.backward" in shown_in(cutter)
    named(cutter, "\u25b6").click()
    named(cutter, "\u25b6").click()
    assert cutter.model.cut == box.value == 3 and "g = v" in shown_in(cutter)
    named(cutter, "\u25c0").click()
    assert cutter.model.cut == box.value == 2
    named(cutter, "chain").value = "S2-4"
    assert cutter.model.cut == box.value == 1 and box.max == 2


def test_the_wrong_answer_stands_beside_the_right_one():
    cutter = widgets.SeamCutter()
    named(cutter, "\u25cb forget g").click()
    assert (grad(cutter, "mistake"), grad(cutter, "halves")) == ([7, 3], [55, 25])
    assert "\u2260 uncut: wrong" in shown_in(cutter)
    named(cutter, "\u25cb count twice").click()
    assert grad(cutter, "mistake") == [110, 50]
    assert "0.1080" in shown_in(cutter) and "0.2880" in shown_in(cutter)
    named(cutter, "w =").value = "0.5"
    named(cutter, "x0 =").value = "2"
    assert cutter.unrolled.weight == 0.5 and "1.5000" in shown_in(cutter)
    named(cutter, "\u25cb hand g over").click()
    assert "wrong" not in shown_in(cutter)


def test_bad_text_is_refused_beside_the_boxes_and_stays():
    cutter = widgets.SeamCutter()
    box = named(cutter, "upstream gradient, entry 1")
    box.value = "3,5"
    assert "At entry 1" in shown_in(cutter) and "type 3.5" in shown_in(cutter).lower()
    assert box.value == "3,5" and grad(cutter, "halves") == [55, 25]
    named(cutter, "v =").value = "[1, 2, 3]"
    assert "PyTorch refuses:" in shown_in(cutter) and box.value == "1"
    named(cutter, "v =").value = "[1, 2]"
    assert "mg-message" not in shown_in(cutter)
    broken = widgets.SeamCutter([lambda x: x.nope], [1])
    assert "Shown is S2-4" in shown_in(broken)


def test_every_control_has_a_spoken_name():
    kinds = (ipywidgets.Button, ipywidgets.Dropdown, ipywidgets.Text, ipywidgets.BoundedIntText)
    controls = [child for child in below(widgets.SeamCutter()) if isinstance(child, kinds)]
    assert len(controls) == 13 and all(control.description.strip() for control in controls)


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("name", CHAINS)
def test_the_snapshot_is_a_picture_with_a_text(name, mistake):
    cutter = widgets.SeamCutter(name)
    cutter.choose_mistake(mistake)
    svg, alternative = still_of(cutter)
    assert "stored from torch 2.13.0" in svg
    assert cutter.call_line() in " ".join(alternative.split())
    assert repr(cutter) == cutter.summary() and len(repr(cutter)) <= 100


def test_matrices_long_values_and_two_cutters():
    first, second = widgets.SeamCutter(), widgets.SeamCutter(
        [lambda x: x @ x, lambda y: y.reshape(-1), lambda y: y.expand(4, 4).reshape(-1)], [[1, 2], [3, 4]])
    picture = re.search(r"<svg.*</svg>", second._picture.value, re.DOTALL)[0]
    ElementTree.fromstring(picture)
    assert "[[7, 10]," in picture
    assert named(second, "v =").value.count("1") == 16
    before = shown_in(second)
    first.choose_mistake("twice").move_cut(2)
    assert shown_in(second) == before
