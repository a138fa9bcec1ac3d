"""The leaf inspector in a real JupyterLab, by mouse and by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible

INSPECTOR = "from minigrad.classroom import widgets\nfirst = widgets.LeafInspector()\nfirst"
OWN = "own = widgets.LeafInspector(x=[1, 2], y=lambda x: x * 3, z=lambda y: (y * y).sum())\nown"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(INSPECTOR, OWN)
    notebook.run_all()
    return notebook


@pytest.fixture
def fresh(notebook):
    notebook.execute("first.load('flags')")
    expect(cells(notebook, "x")).to_have_text(
        ["True", "True", "None", "False", "0", "+20\u22121", "="]
    )
    return notebook


def cells(notebook, name, panel=0):
    """The entries of one tensor in the table."""
    heading = notebook.page.get_by_role("rowheader", name=name, exact=True)
    row = notebook.panel(panel).locator(".mg-flags > tbody > tr").filter(has=heading)
    return row.locator("> td")


def tick(notebook, name, panel=0):
    return notebook.panel(panel).get_by_role("checkbox", name=name, exact=True)


def test_ticks_stand_in_the_table_and_nothing_moves(fresh):
    panel = fresh.panel(0)
    before = panel.bounding_box()["height"]
    box, entry = tick(fresh, "hook on y").bounding_box(), cells(fresh, "y").nth(5).bounding_box()
    assert 0 <= box["x"] - entry["x"] <= 4 and abs(entry["y"] - box["y"]) < 12
    tick(fresh, "retain y.grad").check()
    panel.get_by_text("y.retain_grad()").first.wait_for()
    expect(cells(fresh, "y").nth(5)).to_have_text("+1+1+1")
    tick(fresh, "x requires_grad").uncheck()
    expect(panel.locator(".mg-message").first).to_contain_text("can't retain_grad on Tensor")
    expect(tick(fresh, "y requires_grad")).not_to_be_checked()
    assert panel.bounding_box()["height"] == before
    assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    panel.get_by_role("button", name="untick all").click()
    expect(cells(fresh, "y").nth(5)).to_have_text("None, warns")


def test_a_column_is_predicted_by_keyboard_alone(fresh):
    keyboard = fresh.page.keyboard
    fresh.panel(0).get_by_role("combobox", name="example").focus()
    fresh.tab_to("combobox", "predict")
    for key in ("Space", "End", "Enter"):
        keyboard.press(key)
    expect(cells(fresh, "x").nth(5).get_by_role("textbox", name="x.grad")).to_be_visible()
    fresh.tab_to("checkbox", "hook on y")
    keyboard.press("Space")
    fresh.panel(0).get_by_text("y.register_hook").first.wait_for()
    assert fresh.page.evaluate("document.activeElement.type") == "checkbox"
    fresh.tab_to("textbox", "x.grad")
    keyboard.type("[20, 0, -10]")
    fresh.tab_to("textbox", "c.grad")
    keyboard.type("[1, 2")
    keyboard.press("Enter")
    fresh.panel(0).locator(".mg-message", has_text="] is missing").wait_for()
    keyboard.press("Control+a")
    keyboard.type("[1, 2, 3]")
    keyboard.press("Enter")
    expect(fresh.panel(0).locator(".mg-message")).to_have_count(0)
    for _ in range(60):
        keyboard.press("Shift+Tab")
        if fresh.page.evaluate("document.activeElement.innerText") == "compare":
            break
    keyboard.press("Enter")
    expect(cells(fresh, "x").nth(5)).to_contain_text("=")
    expect(cells(fresh, "c").nth(5)).to_have_text("\u2260 None")
    fresh.panel(0).get_by_text("1 of 2 right").first.wait_for()


def test_a_program_of_the_learners_own_beside_another(fresh):
    expect(cells(fresh, "x", panel=1).nth(5)).to_have_text("+18+36")
    for _ in range(21):
        tick(fresh, "detach y here", panel=1).click()
    expect(cells(fresh, "z", panel=1).first).to_have_text("True")
    fresh.panel(1).locator(".mg-message", has_text="element 0 of tensors").wait_for()
    expect(cells(fresh, "x").nth(5)).to_have_text("+20\u22121")
    tick(fresh, "detach y here", panel=1).uncheck()
    expect(cells(fresh, "x", panel=1).nth(5)).to_have_text("+18+36")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_names_and_nothing_is_cut_off(fresh, theme):
    fresh.use_theme(theme)
    try:
        fresh.execute("first.load('23 hook').predict('grad_fn').guess('y', 'None').compare()")
        fresh.panel(0).get_by_text("0 of 1 right").first.wait_for()
        check_legible(fresh.panel(0), texts=30)
        tree = fresh.panel(0).aria_snapshot()
        assert not re.findall(r"- (?:textbox|button|combobox|checkbox)(?!\w| \")", tree), tree
        assert fresh.panel(0).locator("[aria-live=polite]").count() == 1
    finally:
        fresh.use_theme("JupyterLab Light")
