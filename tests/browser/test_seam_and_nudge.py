"""The seam cutter in a real JupyterLab: mouse, keyboard, quick edits."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible

CUTTER = """\
from minigrad.classroom import widgets
cutter = widgets.SeamCutter()
cutter"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(
        CUTTER, "widgets.SeamCutter('3 layers')"
    )
    notebook.run_all()
    notebook.wait_for_gradient("torch", [55, 25], timeout=60_000)
    return notebook


@pytest.fixture
def fresh(notebook):
    """The page with the first panel as it was at first."""
    notebook.execute("cutter.load('S2-4')")
    notebook.wait_for_gradient("torch", [55, 25])
    return notebook


def test_the_lesson_by_mouse(fresh):
    panel = fresh.panel(0)
    for position, weight in ((1, "0.2"), (2, "0.8")):
        fresh.entry(position).fill(weight)
        fresh.entry(position).press("Enter")
    for side in ("halves", "uncut", "torch"):
        fresh.wait_for_gradient(side, [17, 8])
    expect(panel).to_contain_text("y.backward(gradient=torch.tensor([2., 3.]))")
    panel.get_by_role("button", name="\u25cb forget g").click()
    for side, values in (("mistake", [7, 3]), ("halves", [17, 8]), ("torch", [7, 3])):
        fresh.wait_for_gradient(side, values)
    panel.get_by_role("button", name="\u25cb count twice").click()
    fresh.wait_for_gradient("mistake", [34, 16])
    expect(panel).to_contain_text("right 0.1080, counted twice 0.2880")
    panel.get_by_role("button", name="\u25b6").click()
    expect(panel).to_contain_text("nothing is right of the cut: g = v = [0.2, 0.8]")
    assert fresh.execute("print(cutter.cut, cutter.mistake, cutter.handed[0] > 0.39)").split() == [
        "2", "twice", "True"]
    fresh.entry(1).fill("3,5")
    fresh.entry(1).press("Enter")
    panel.locator(".mg-message", has_text="type 3.5").wait_for()
    expect(panel.get_by_role("spinbutton", name="cut after function")).to_have_value("2")


def test_by_keyboard_alone(fresh):
    keyboard = fresh.page.keyboard
    fresh.panel(0).get_by_role("combobox", name="chain").focus()
    fresh.tab_to("spinbutton", "cut after function")
    keyboard.press("ArrowUp")
    expect(fresh.panel(0)).to_contain_text("nothing is right of the cut")
    keyboard.press("ArrowUp")  # it stops at the end, and focus stays
    keyboard.press("ArrowDown")
    expect(fresh.panel(0)).to_contain_text("\u2202z/\u2202y = [7, 9]")
    fresh.tab_to("button", "\u25cb forget g")
    keyboard.press("Enter")
    fresh.wait_for_gradient("mistake", [7, 3])
    fresh.tab_to("textbox", "v =")
    keyboard.press("Control+a")
    keyboard.type("[2, 2]")
    keyboard.press("Enter")
    fresh.wait_for_gradient("halves", [110, 50])


def test_after_quick_edits_the_last_one_shows(fresh):
    box = fresh.entry(2)
    for number in range(50):
        box.fill(str(number))
        box.press("Enter")
    fresh.wait_for_gradient("torch", [55 * 4 + 105 * 3, 55 * 1 + 105 * 2])  # g = (55, 105)
    assert fresh.gradient("halves", panel=1) == [136, 229]  # untouched


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_names_contrast_and_nothing_cut_off(fresh, theme):
    fresh.use_theme(theme)
    try:
        fresh.execute("cutter.choose_mistake('twice').set_upstream([1, 2, 3])")
        for number in range(2):
            tree = fresh.panel(number).aria_snapshot()
            assert re.findall(r"- (?:textbox|button|combobox|spinbutton) \"", tree)
            assert not re.findall(r"- (?:textbox|button|combobox|spinbutton|slider)(?!\w| \")", tree)
            check_legible(fresh.panel(number), texts=3)
    finally:
        fresh.use_theme("JupyterLab Light")
