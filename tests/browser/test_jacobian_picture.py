"""The Jacobian picture in a real JupyterLab: by mouse, by keyboard, and quickly."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible
from tests.browser.notebook import wait_until

PICTURE = (
    "from minigrad.classroom import widgets\npicture = widgets.JacobianPicture('A @ x')\npicture"
)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(PICTURE, "widgets.JacobianPicture('a * a')")
    notebook.run_all()
    notebook.panel(1).locator(".mg-jac").first.wait_for()
    return notebook


@pytest.fixture
def panel(notebook):
    """The first picture as it was at first."""
    notebook.execute("picture.look('backward').load('A @ x').go_to(0)")
    wait_for(notebook, "+1 +2 +3 +4 +5 +6")
    return notebook.panel(0)


def wait_for(notebook, numbers):
    """Wait until the first picture shows these numbers, row by row, its sums included."""
    notebook.page.wait_for_function(
        """numbers => [...document.querySelector('.mg-panel').querySelectorAll('.mg-jac .mg-value')]
            .map(cell => cell.innerText).join(' ').replaceAll('\\u2212', '-') === numbers""",
        arg=numbers,
    )


def box(panel, number, name="upstream gradient"):
    return panel.get_by_role("textbox", name=f"{name}, entry {number}", exact=True)


def test_the_three_stops_from_both_sides_and_a_weight_is_slid_by_keyboard(notebook, panel):
    height = panel.bounding_box()["height"]
    panel.get_by_role("button", name="scale rows").click()
    wait_for(notebook, "+1 +2 +3 +40 +50 +60")
    panel.get_by_role("button", name="add columns").click()
    wait_for(notebook, "+1 +2 +3 +40 +50 +60 +41 +52 +63")
    box(panel, 2).focus()
    slider = panel.get_by_role("slider", name="slide upstream gradient, entry 2")  # seen now
    box(panel, 2).fill("-1")
    box(panel, 2).press("Enter")
    wait_for(notebook, "+1 +2 +3 -4 -5 -6 -3 -3 -3")
    expect(slider).to_have_js_property("value", "-1")
    slider.focus()
    for _ in range(10):  # a tenth each
        notebook.page.keyboard.press("ArrowRight")
    wait_for(notebook, "+1 +2 +3 0 0 0 +1 +2 +3")
    panel.locator(".mg-facts", has_text="live").wait_for()
    assert panel.bounding_box()["height"] == height  # nothing moved
    panel.get_by_role("button", name="from the top").click()
    wait_for(notebook, "+1 0 +6 +7 +4 0 +12 +16")


def test_boxes_of_v_stand_beside_their_rows_and_boxes_of_u_over_their_columns(notebook, panel):
    def in_line(one, other, axis):
        def apart():
            middles = [
                at[axis] + at["width" if axis == "x" else "height"] / 2
                for at in (one.bounding_box(), other.bounding_box())
            ]
            return abs(middles[0] - middles[1])

        wait_until(apart, lambda distance: distance < 6)

    rows = panel.locator(".mg-jac tbody tr")
    for number in (1, 2):
        in_line(box(panel, number), rows.nth(number - 1).locator("td").first, "y")
    panel.get_by_role("button", name="from the top").click()
    for number in (1, 2, 3):
        in_line(box(panel, number, "direction"), rows.first.locator("td").nth(number - 1), "x")


def test_a_cell_says_its_sentence_under_the_pointer_and_under_focus(notebook, panel):
    said = """panel => [...panel.querySelectorAll('.mg-jac-cell')]
        .map(cell => getComputedStyle(cell, '::after').content).filter(text => text !== 'none')"""
    sentence = '"If x[2] rises by 1, y[1] rises by 6."'
    assert panel.evaluate(said) == []
    panel.locator(".mg-jac .mg-jac-cell").nth(5).hover()
    assert panel.evaluate(said) == [sentence]
    panel.locator(".mg-title").hover()
    assert panel.evaluate(said) == []
    # by keyboard: one Tab stop for all cells, the arrows go from cell to cell
    panel.locator(".mg-jac input:checked").focus()
    notebook.page.keyboard.press("ArrowDown")
    assert panel.evaluate(said) == [sentence]
    notebook.page.keyboard.press("Tab")
    assert panel.evaluate(said) == []


def test_after_quick_edits_the_last_one_shows(notebook, panel):
    panel.get_by_role("button", name="scale rows").click()
    weight = box(panel, 1)
    weight.focus()
    for number in range(40):
        weight.fill(str(number))
        notebook.page.keyboard.press("Enter")
    wait_for(notebook, "+39 +78 +117 +40 +50 +60")
    assert weight.evaluate("box => box === document.activeElement")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_nothing_is_cut_off(notebook, panel, theme):
    notebook.use_theme(theme)
    try:
        notebook.execute("picture.set_upstream([-1, 3]).go_to(2).try_product('J\u00b7v')")
        panel.get_by_text("is refused").first.wait_for()
        for number in (0, 1):
            check_legible(notebook.panel(number), texts=20)
    finally:
        notebook.use_theme("JupyterLab Light")
