"""The ledger of .grad in a real JupyterLab, used by mouse and by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible
from tests.browser.notebook import wait_until

LEDGER = "from minigrad.classroom import widgets\nledger = widgets.GradLedger()\nledger"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(LEDGER, "other = widgets.GradLedger('S3-7')\nother")
    notebook.run_all()
    return notebook


@pytest.fixture
def fresh(notebook):
    notebook.execute("ledger.load('x * x')")
    expect(calls(notebook)).to_have_count(1)
    return notebook


def calls(notebook, panel=0):
    """The numbered calls in the table."""
    return notebook.panel(panel).locator(".mg-calls tbody th[scope=row]")


def ends(notebook, *cells, panel=0):
    """Wait until the table's last line ends with these cells."""
    line = notebook.panel(panel).locator(".mg-calls tbody tr").last.locator("td")
    wait_until(line.all_inner_texts, lambda found: found[-len(cells):] == list(cells))


def press(notebook, name, panel=0):
    notebook.panel(panel).get_by_role("button", name=name, exact=True).click()


def drawn(notebook, words, panel=0):
    """Wait until the drawing of the graph says this of itself."""
    drawing = notebook.panel(panel).locator("svg[role=img]")
    expect(drawing).to_have_attribute("aria-label", re.compile(re.escape(words)))


def test_calls_fill_the_table_and_free_the_graph(fresh):
    fresh.panel(0).get_by_text("torch 2.13.0, live").first.wait_for(timeout=60_000)
    press(fresh, "backward(v, retain_graph)")
    expect(calls(fresh)).to_have_count(2)
    ends(fresh, "[2, 0, 12]", "+ [2, 0, 12]", "a new object", "= [2, 0, 12]")
    drawn(fresh, "x kept, x kept")
    press(fresh, "backward(v)")
    expect(calls(fresh)).to_have_count(3)
    ends(fresh, "[4, 0, 24]", "+ [2, 0, 12]", "the same object", "= [4, 0, 24]")
    drawn(fresh, "x freed, x freed")
    press(fresh, "backward(v)")
    message = fresh.panel(0).locator(".mg-message")
    expect(message).to_contain_text("Trying to backward through the graph a second time")
    ends(fresh, "[4, 0, 24]", "\u2717 RuntimeError", "the same object", "= [4, 0, 24]")
    press(fresh, "forward")
    expect(message).to_have_count(0)
    drawn(fresh, "x kept, x kept")
    assert (
        fresh.execute("print(ledger.grads, len(ledger.rows))").strip()
        == "{'x': [4.0, 0.0, 24.0]} 5"
    )


def test_by_keyboard_alone(fresh):
    keyboard = fresh.page.keyboard
    fresh.page.evaluate("() => document.activeElement.blur()")
    fresh.panel(0).get_by_role("combobox", name="example").focus()
    fresh.tab_to("textbox", "v =")
    keyboard.press("Control+a")
    keyboard.type("[1/2, 0, x]")
    keyboard.press("Enter")
    fresh.panel(0).locator(".mg-message", has_text="is not a number").wait_for()
    keyboard.press("Control+a")
    keyboard.type("[1/2, 0, -1]")
    keyboard.press("Tab")
    fresh.tab_to("button", "backward(v)")
    keyboard.press("Enter")
    expect(calls(fresh)).to_have_count(2)
    ends(fresh, "[1, 0, -6]", "+ [1, 0, -6]", "a new object", "= [1, 0, -6]")
    assert fresh.page.evaluate("document.activeElement.innerText") == "backward(v)"
    fresh.tab_to("button", "zero_()")
    keyboard.press("Space")
    expect(calls(fresh)).to_have_count(3)
    ends(fresh, "[0, 0, 0]", "", "the same object", "= [0, 0, 0]")
    fresh.tab_to("button", "next line")
    keyboard.press("Enter")
    expect(calls(fresh)).to_have_count(4)
    fresh.tab_to("button", "whole script")
    keyboard.press("Tab")  # the panel can be left
    assert not fresh.panel(0).evaluate("panel => panel.contains(document.activeElement)")


def test_two_ledgers_and_many_quick_calls(fresh):
    press(fresh, "whole script", panel=1)
    expect(calls(fresh, panel=1)).to_have_count(3)
    ends(fresh, "2", "+ 1", "the same object", "= 2", panel=1)
    expect(calls(fresh)).to_have_count(1)
    field = fresh.panel(0).get_by_role("textbox", name="v =", exact=True)
    for number in range(30):
        field.fill(f"[{number}, 1, 1]")
        fresh.page.keyboard.press("Enter")
    fresh.panel(0).locator("svg text", has_text="v = [29, 1, 1]").wait_for()  # the last one shows
    press(fresh, "backward(v)")
    expect(calls(fresh)).to_have_count(2)
    ends(fresh, "[58, 4, 6]", "+ [58, 4, 6]", "a new object", "= [58, 4, 6]")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_names_and_nothing_is_cut_off(fresh, theme):
    fresh.use_theme(theme)
    try:
        fresh.execute("ledger.load('step between').next().next().next()")
        expect(calls(fresh)).to_have_count(4)
        check_legible(fresh.panel(0), texts=20)
        tree = fresh.panel(0).aria_snapshot()
        assert not re.findall(r"- (?:textbox|button|combobox)(?!\w| \")", tree), tree
        assert fresh.panel(0).locator("[aria-live=polite]").count() == 1
    finally:
        fresh.use_theme("JupyterLab Light")
