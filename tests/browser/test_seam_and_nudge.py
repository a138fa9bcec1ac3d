"""The seam cutter and the nudge meter in a real JupyterLab: mouse, keyboard, quick edits."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible

CUTTER = """\
from minigrad.classroom import widgets
cutter = widgets.SeamCutter()
cutter"""
METER = "meter = widgets.NudgeMeter()\nmeter"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(
        CUTTER, METER, "widgets.SeamCutter('3 layers')", "widgets.NudgeMeter(lambda x: x**3, 2)"
    )
    notebook.run_all()
    notebook.wait_for_gradient("torch", [55, 25], timeout=60_000)
    return notebook


@pytest.fixture
def fresh(notebook):
    """The page with the first two panels as they were at first."""
    notebook.execute("cutter.load('S2-4'); meter.load('S3-3').set_eps(0.1).zoom(False)")
    notebook.wait_for_gradient("torch", [55, 25])
    expect(notebook.panel(1)).to_contain_text("y at 1 + 0.1, minus y at 1")
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
    fresh.tab_to("spinbutton", "eps = 10 to the power")  # out of one panel, into the next
    for power in ("-1.5", "-2", "-2.5", "-3"):
        keyboard.press("ArrowDown")
        expect(fresh.panel(1).get_by_role("spinbutton")).to_have_value(power)
    expect(fresh.panel(1).locator(".mg-forward")).to_contain_text("4.002")
    region = fresh.panel(1).locator("[aria-live=polite]", has_text="eps is 0.001. float64: forward")
    region.wait_for(state="attached")
    fresh.tab_to("textbox", "eps =")
    keyboard.press("Control+a")
    keyboard.type("1e-5")
    keyboard.press("Enter")
    expect(fresh.panel(1).locator(".mg-forward")).to_contain_text("4.00002")
    fresh.tab_to("button", "\u25cb zoom to eps")
    keyboard.press("Space")
    expect(fresh.panel(1)).to_contain_text("y in float32")
    assert fresh.execute("print(meter.eps, meter.zoomed)").strip() == "1e-05 True"


def test_the_meter_by_mouse(fresh):
    panel = fresh.panel(1)
    expect(panel.locator(".mg-torch")).to_have_text("= 4, largest difference 0")
    panel.get_by_role("button", name="\u25c0").click()
    expect(panel.locator(".mg-forward")).to_contain_text("4.063246")
    panel.get_by_role("combobox", name="curve").select_option("S4-11:  z = (2\u00b7x)\u00b3")
    expect(panel.locator(".mg-torch")).to_contain_text("= 9.967393,")
    box = panel.get_by_role("textbox", name="x =", exact=True)
    box.fill("abc")
    box.press("Enter")
    panel.locator(".mg-message", has_text="is not a number").wait_for()
    expect(box).to_have_value("abc")
    box.fill("-1/2")
    box.press("Enter")
    expect(panel.locator(".mg-torch")).to_contain_text("= 6,")
    expect(fresh.panel(3).locator(".mg-torch")).to_contain_text("= 12,")  # its neighbour is untouched


def test_after_quick_edits_the_last_one_shows(fresh):
    box, field = fresh.entry(2), fresh.panel(1).get_by_role("textbox", name="eps =", exact=True)
    for number in range(50):
        box.fill(str(number))
        box.press("Enter")
        field.fill(f"0.{number + 1:03}")
        field.press("Enter")
    fresh.wait_for_gradient("torch", [55 * 4 + 105 * 3, 55 * 1 + 105 * 2])  # g = (55, 105)
    expect(fresh.panel(1)).to_contain_text("y at 1 + 0.05, minus y at 1")
    assert fresh.gradient("halves", panel=2) == [136, 229]  # untouched


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_names_contrast_and_nothing_cut_off(fresh, theme):
    fresh.use_theme(theme)
    try:
        fresh.execute("cutter.choose_mistake('twice').set_upstream([1, 2, 3]); meter.set_eps('x')")
        fresh.panel(1).locator(".mg-message").wait_for()
        for number in range(4):
            tree = fresh.panel(number).aria_snapshot()
            assert re.findall(r"- (?:textbox|button|combobox|spinbutton) \"", tree)
            assert not re.findall(r"- (?:textbox|button|combobox|spinbutton|slider)(?!\w| \")", tree)
            check_legible(fresh.panel(number), texts=3)
    finally:
        fresh.use_theme("JupyterLab Light")
