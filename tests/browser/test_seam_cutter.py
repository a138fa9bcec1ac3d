"""The seam cutter in a real JupyterLab: the slider on the cut, quick edits, keyboard."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible
from tests.browser.notebook import share_of, wait_until, way_of

CUTTER = """\
from minigrad.classroom import widgets
cutter = widgets.SeamCutter()
cutter"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(CUTTER, "widgets.SeamCutter('3 layers')")
    notebook.run_all()
    return notebook


@pytest.fixture
def fresh(notebook):
    """The page with the first panel as it was at first."""
    notebook.execute("cutter.load('two layers')")
    wait_for(notebook, [55, 25] * 2)
    return notebook


def wait_for(notebook, values):
    """Wait until x.grad in two halves and uncut are these numbers, and PyTorch's are the same."""
    row = notebook.panel(0).locator(".mg-result")

    def chips():
        texts = row.locator(".mg-chip:not(.mg-different)").all_inner_texts()
        return [float(text.replace("\u2212", "-")) for text in texts]

    wait_until(chips, lambda found: found == values)
    row.get_by_text("also PyTorch").wait_for()


def handle(panel):
    """(where the slider's handle is, where the dotted line of the cut is), across the page."""
    slider = panel.locator(".mg-cut input")
    left, width, _ = way_of(slider)
    line = panel.locator(".mg-seam-chain svg path").first.bounding_box()
    return left + width * share_of(slider), line["x"] + line["width"] / 2


def test_the_lesson_by_mouse_and_nothing_moves(fresh):
    panel = fresh.panel(0)
    height = panel.bounding_box()["height"]
    assert height <= 620
    for position, weight in ((1, "0.2"), (2, "0.8")):
        fresh.entry(position).fill(weight)
        fresh.entry(position).press("Enter")
    wait_for(fresh, [17, 8] * 2)
    panel.get_by_role("button", name="forget g").click()
    wait_for(fresh, [7, 3, 17, 8])
    panel.get_by_role("button", name="pass g back").click()
    fresh.entry(1).fill("3,5")
    fresh.entry(1).press("Enter")
    panel.locator(".mg-message", has_text="type 3.5").wait_for()
    for place in (0, 2, 1):
        fresh.execute(f"cutter.move_cut({place})")
        wait_until(lambda: handle(panel), lambda at: abs(at[0] - at[1]) < 1.5)
        assert abs(panel.bounding_box()["height"] - height) < 1


def test_by_keyboard_alone(fresh):
    keyboard, panel = fresh.page.keyboard, fresh.panel(0)
    panel.get_by_role("combobox", name="example").focus()
    fresh.tab_to("button", "\u25cb forget g")
    keyboard.press("Enter")
    wait_for(fresh, [7, 3, 55, 25])
    fresh.tab_to("textbox", "v =")
    keyboard.press("Control+a")
    keyboard.type("[2, 2]")
    keyboard.press("Enter")
    wait_for(fresh, [7, 3, 110, 50])
    fresh.tab_to("slider", "cut after function")
    keyboard.press("ArrowRight")
    expect(panel).to_contain_text("z.backward(ones)")
    keyboard.press("ArrowRight")  # it stops at the end, and focus stays
    keyboard.press("ArrowLeft")
    expect(panel).to_contain_text("y.backward(ones)")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_names_contrast_and_nothing_cut_off(fresh, theme):
    fresh.use_theme(theme)
    try:
        fresh.execute("cutter.choose_mistake('twice').set_upstream([1, 2, 3])")
        fresh.panel(0).locator(".mg-message").wait_for()
        for number in range(2):
            tree = fresh.panel(number).aria_snapshot()
            assert re.findall(r"- (?:textbox|button|combobox|slider) \"", tree)
            assert not re.findall(r"- (?:textbox|button|combobox|slider)(?!\w| \")", tree)
            check_legible(fresh.panel(number), texts=3)
    finally:
        fresh.use_theme("JupyterLab Light")
