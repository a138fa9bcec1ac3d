"""The ledger of .grad in a real JupyterLab, used by mouse and by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from minigrad.classroom.widgets.grad_ledger.examples import EXAMPLES
from tests.browser.legible import check_legible

LEDGER = "from minigrad.classroom import widgets\nledger = widgets.GradLedger()\nledger"
REFUSED = "ledger.load('step between').next().next().next()"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(LEDGER)
    notebook.run_all()
    return notebook


@pytest.fixture
def fresh(notebook):
    notebook.execute("ledger.load('x * x')")
    expect(calls(notebook)).to_have_count(1)
    return notebook


def calls(notebook):
    """The numbered calls in the table."""
    return notebook.panel(0).locator("[aria-label='ledger of .grad'] tbody th[scope=row]")


def ends(notebook, *cells):
    """The table's last row ends with these cells, once what was done is answered as a whole."""
    notebook.settle()
    last = notebook.panel(0).locator("[aria-label='ledger of .grad'] tbody tr").last.locator("td")
    shown = [" ".join(text.split()) for text in last.all_inner_texts()]
    assert shown[-len(cells) :] == list(cells)


def test_calls_fill_the_table_and_free_the_graph_and_nothing_moves(fresh):
    panel = fresh.panel(0)
    drawing = panel.locator("svg[role=img]")
    panel.get_by_text("PyTorch 2.13.0, live").wait_for()
    fresh.settle()
    top, height = drawing.bounding_box()["y"], panel.bounding_box()["height"]
    for name, cells in [
        ("backward(v, retain_graph)", ("+2 0 +12", "+2 0 +12", "new", "kept", "=")),
        ("backward(v)", ("+2 0 +12", "+4 0 +24", "same", "freed", "=")),
        ("backward(v)", ("\u2717 refused", "+4 0 +24", "same", "freed", "=")),
    ]:
        panel.get_by_role("button", name=name, exact=True).click()
        ends(fresh, *cells)
        assert (drawing.bounding_box()["y"], panel.bounding_box()["height"]) == (top, height)
    expect(drawing).to_have_attribute("aria-label", re.compile("x freed, x freed"))
    message = panel.locator(".mg-message")
    expect(message).to_contain_text("Trying to backward through the graph a second time")
    panel.get_by_role("button", name="forward", exact=True).click()
    expect(message).to_have_count(0)
    expect(panel.get_by_text("row 1", exact=True)).to_be_visible()
    told = fresh.execute("print(ledger.grads, len(ledger.rows))").strip()
    assert told == "{'x': [4.0, 0.0, 24.0]} 5"


def test_every_example_fits_a_laptops_screen(fresh):
    panel = fresh.panel(0)
    panel.evaluate("panel => panel.style.width = '829px'")
    try:
        for name in EXAMPLES:
            fresh.execute(f"ledger.load({name!r}).forward().forward().forward().forward()")
            assert panel.bounding_box()["height"] <= 620, name
    finally:
        panel.evaluate("panel => panel.style.width = ''")


def test_by_keyboard_alone(fresh):
    keyboard, panel = fresh.page.keyboard, fresh.panel(0)
    panel.get_by_role("combobox", name="example").focus()
    fresh.tab_to("textbox", "v =")
    keyboard.press("Control+a")
    keyboard.type("[1/2, 0, x]")
    keyboard.press("Enter")
    panel.locator(".mg-message", has_text="is not a number").wait_for()
    keyboard.press("Control+a")
    keyboard.type("[1/2, 0, -1]")
    keyboard.press("Enter")
    keyboard.press("Shift+Tab")
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    ends(fresh, "+1 0 \u22126", "+1 0 \u22126", "new", "freed", "=")
    assert fresh.page.evaluate("document.activeElement.innerText") == "backward(v)"
    fresh.tab_to("button", "zero_()")
    keyboard.press("Space")
    ends(fresh, "", "0 0 0", "same", "freed", "=")
    fresh.tab_to("button", "line 1 of 6 \u25b6")
    keyboard.press("Enter")
    expect(calls(fresh)).to_have_count(4)
    fresh.tab_to("button", "start anew")
    keyboard.press("Tab")  # to the whole of PyTorch's sentence
    keyboard.press("Tab")  # the panel can be left
    assert not panel.evaluate("panel => panel.contains(document.activeElement)")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_names_and_nothing_is_cut_off(fresh, theme):
    fresh.use_theme(theme)
    try:
        fresh.execute(REFUSED)
        expect(calls(fresh)).to_have_count(3)
        check_legible(fresh.panel(0), texts=20)
        tree = fresh.panel(0).aria_snapshot()
        assert not re.findall(r"- (?:textbox|button|combobox)(?!\w| \")", tree), tree
        assert fresh.panel(0).locator("[aria-live=polite]").count() == 1
    finally:
        fresh.use_theme("JupyterLab Light")
