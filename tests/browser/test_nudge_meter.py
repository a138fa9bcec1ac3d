"""The nudge meter in a real JupyterLab: dragging, keyboard, quick edits, and that nothing moves."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible
from tests.browser.notebook import share_of, way_of

METER = "from minigrad.classroom import widgets\nmeter = widgets.NudgeMeter()\nmeter"
SLOPE = ".mg-slopes .mg-chip"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(METER, "widgets.NudgeMeter(lambda x: x**3, 2)")
    notebook.run_all()
    for panel, slope in ((0, "+4.2"), (1, "+12.61")):
        expect(notebook.panel(panel).locator(SLOPE).first).to_have_text(slope)
    expect(notebook.panel(0).locator(".mg-torch")).to_contain_text("live")
    return notebook


@pytest.fixture
def panel(notebook):
    notebook.execute("meter.load('2b²').set_eps(0.1).zoom(False)")
    notebook.settle()  # PyTorch's answer, too: nothing is to move under the mouse
    expect(notebook.panel(0).locator(SLOPE).first).to_have_text("+4.2")
    return notebook.panel(0)


def test_the_handle_stands_below_its_line_and_can_be_dragged(notebook, panel):
    height = panel.bounding_box()["height"]
    slider = panel.get_by_role("slider", name="slide eps")
    left, width, y = way_of(slider)
    plot = panel.locator(".mg-errors svg").first.bounding_box()
    scale = plot["width"] / 400
    assert left == pytest.approx(plot["x"] + 56 * scale, abs=2)
    assert width == pytest.approx(332 * scale, abs=2)
    mouse = notebook.page.mouse
    mouse.move(left + width * share_of(slider), y)
    mouse.down()
    for share in (10.5, 10, 9.5, 9):  # of 14 powers of ten
        mouse.move(left + width * share / 14, y)
    mouse.up()
    expect(panel.get_by_role("textbox", name="eps =")).to_have_value("1e-05")
    expect(panel.locator(SLOPE).first).to_have_text("+4.00002")
    assert notebook.execute("print(meter.eps)").strip() == "1e-05"
    panel.get_by_role("combobox", name="example").select_option(
        label="(2x)\u00b3: z = (2\u00b7x)\u00b3"
    )
    expect(panel.locator(".mg-torch")).to_contain_text("= PyTorch")
    box = panel.get_by_role("textbox", name="x =", exact=True)
    box.fill("abc")
    box.press("Enter")
    panel.locator(".mg-message", has_text="is not a number").wait_for()
    expect(box).to_have_value("abc")
    assert abs(panel.bounding_box()["height"] - height) <= 4  # nothing moved, and it fits
    assert height <= 620
    expect(notebook.panel(1).locator(SLOPE).first).to_have_text("+12.61")


def test_by_keyboard_alone(notebook, panel):
    keyboard = notebook.page.keyboard
    panel.get_by_role("slider", name="slide eps").focus()
    for _ in range(8):
        keyboard.press("ArrowLeft")
    expect(panel.locator(SLOPE).first).to_have_text("+4.002")
    region = panel.locator("[aria-live=polite]", has_text="eps is 0.001. float64: forward 4.002")
    region.wait_for(state="attached")
    panel.get_by_role("textbox", name="eps =").focus()
    keyboard.press("Control+a")
    keyboard.type("1e-5")
    keyboard.press("Enter")
    expect(panel.locator(SLOPE).first).to_have_text("+4.00002")
    keyboard.press("Tab")
    keyboard.press("Space")  # nudge less
    expect(panel.get_by_role("textbox", name="eps =")).to_have_value("3.162278e-06")
    panel.get_by_role("button", name="zoom to eps").focus()
    keyboard.press("Space")
    expect(panel).to_contain_text("in float32")
    assert notebook.execute("print(meter.power, meter.zoomed)").strip() == "-5.5 True"


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_all_can_be_read(notebook, panel, theme):
    notebook.use_theme(theme)
    try:
        notebook.execute("meter.set_eps('x')")
        panel.locator(".mg-message").wait_for()
        check_legible(panel, texts=3)
    finally:
        notebook.use_theme("JupyterLab Light")
