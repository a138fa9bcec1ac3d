"""The leaf inspector in a real JupyterLab, used by mouse and by keyboard alone."""

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
        ["True", "True", "None", "False", "0", "[2, 0, -1]", "="], timeout=60_000
    )
    return notebook


def cells(notebook, name, panel=0):
    """The entries of one tensor in the table."""
    heading = notebook.page.get_by_role("rowheader", name=name, exact=True)
    return notebook.panel(panel).locator(".mg-tensors tr").filter(has=heading).locator("td")


def tick(notebook, name, panel=0):
    return notebook.panel(panel).get_by_role("checkbox", name=name, exact=True)


def test_all_columns_are_seen_beside_the_file_browser(fresh):
    """In a window of 1280 px the file browser leaves a panel 825 px, which holds tables of 795."""
    width = fresh.panel(0).locator(".mg-tensors").evaluate("table => table.offsetWidth")
    assert width <= 795


def test_ticks_change_the_program_and_the_table(fresh):
    tick(fresh, "retain y.grad").check()
    fresh.panel(0).get_by_text("y.retain_grad()").first.wait_for()
    expect(cells(fresh, "y").nth(5)).to_have_text("[1, 1, 1]")
    tick(fresh, "x requires_grad").uncheck()
    expect(fresh.panel(0).locator(".mg-message").first).to_contain_text(
        "can't retain_grad on Tensor that has requires_grad=False"
    )
    expect(tick(fresh, "y requires_grad")).not_to_be_checked()
    fresh.panel(0).get_by_role("button", name="untick all").click()
    expect(tick(fresh, "x requires_grad")).to_be_checked()
    expect(cells(fresh, "y").nth(5)).to_have_text("None, warns")
    assert (
        fresh.execute("print(first.ticks, first.rows['x']['grad'])").strip()
        == "{} [2.0, 0.0, -1.0]"
    )


def test_a_column_is_predicted_by_keyboard_alone(fresh):
    keyboard = fresh.page.keyboard
    fresh.panel(0).get_by_role("combobox", name="example").focus()
    fresh.tab_to("checkbox", "hook on y")
    keyboard.press("Space")
    expect(cells(fresh, "x").nth(5)).to_have_text("[20, 0, -10]")
    assert fresh.page.evaluate("document.activeElement.type") == "checkbox"
    fresh.tab_to("combobox", "predict")
    for key in ("Space", "End", "Enter"):
        keyboard.press(key)
    expect(cells(fresh, "x").nth(5)).to_have_text("?")
    fresh.tab_to("textbox", "x.grad")
    keyboard.type("[20, 0, -10]")
    keyboard.press("Tab")
    keyboard.type("[1, 2")
    keyboard.press("Enter")
    fresh.panel(0).locator(".mg-message", has_text="] is missing").wait_for()
    keyboard.press("Control+a")
    keyboard.type("[1, 2, 3]")
    keyboard.press("Enter")
    expect(fresh.panel(0).locator(".mg-message")).to_have_count(0)
    for _ in range(3):  # back over x.grad, untick all and show me
        keyboard.press("Shift+Tab")
    fresh.page.keyboard.press("Shift+Tab")
    assert fresh.page.evaluate("document.activeElement.innerText") == "run and compare"
    keyboard.press("Enter")
    expect(cells(fresh, "x").nth(5)).to_have_text("[20, 0, -10] \u2713")
    expect(cells(fresh, "c").nth(5)).to_have_text("None \u2717 you said [1, 2, 3]")
    fresh.panel(0).get_by_text("1 of 2 right").first.wait_for()


def test_a_program_of_the_learners_own_beside_another(fresh):
    expect(cells(fresh, "x", panel=1).nth(5)).to_have_text("[18, 36]")
    tick(fresh, "detach y here", panel=1).check()
    expect(cells(fresh, "z", panel=1).first).to_have_text("True")
    fresh.panel(1).locator(
        ".mg-message", has_text="element 0 of tensors does not require"
    ).wait_for()
    expect(cells(fresh, "x").nth(5)).to_have_text("[2, 0, -1]")
    for _ in range(20):
        tick(fresh, "detach y here", panel=1).click()
    tick(fresh, "detach y here", panel=1).uncheck()
    expect(cells(fresh, "x", panel=1).nth(5)).to_have_text("[18, 36]")
    expect(cells(fresh, "x", panel=1).last).to_have_text("=")


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
