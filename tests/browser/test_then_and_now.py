"""Then and now in a real JupyterLab, by mouse and by keyboard alone."""

import pytest
from playwright.sync_api import expect

from minigrad.classroom.widgets.then_and_now.examples import EXAMPLES
from tests.browser.legible import check_legible

THEN = "from minigrad.classroom import widgets\nthen = widgets.ThenAndNow()\nthen"
OTHER = "widgets.ThenAndNow('S3-5')"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(THEN, OTHER)
    notebook.run_all()
    for panel in range(2):
        notebook.panel(panel).get_by_text("RuntimeError: Mismatch in shape").first.wait_for()
    return notebook


def test_every_example_fits_a_laptops_screen(notebook):
    panel = notebook.panel(0)
    panel.evaluate("panel => panel.style.width = '829px'")
    try:
        for name in EXAMPLES:
            notebook.execute(f"then.load({name!r})")
            assert panel.bounding_box()["height"] <= 620, name
    finally:
        panel.evaluate("panel => panel.style.width = ''")
        notebook.execute("then.load('S4-15')")


def test_choose_an_example_and_a_run_by_mouse(notebook):
    panel, other = notebook.panel(0), notebook.panel(1)
    panel.get_by_text("the same, word for word").wait_for()
    assert panel.bounding_box()["height"] <= 620
    panel.get_by_role("combobox", name="example").select_option(label="the gradient [1, 0]")
    expect(panel).to_contain_text("now: Refused.")
    panel.get_by_role("button", name="with the smallest edit").click()
    expect(panel.locator("ins").last).to_have_text(".expand(2, 2)")
    texts = "26.7135   0.0000", "[26.7135,  0.0000]"
    lines = [panel.get_by_text(text).bounding_box() for text in texts]
    assert lines[0]["y"] == lines[1]["y"]  # side by side
    panel.get_by_role("button", name="by the old rule").click()
    expect(panel).to_contain_text("broadcast to [[1, 0], [1, 0]]")
    panel.get_by_text("In [33]: as then").click()
    panel.locator(".mg-fold", has_text="x.grad").get_by_text("x.grad").first.wait_for()
    assert (
        notebook.execute("print(then.example_name, then.side)").strip()
        == "the gradient [1, 0] old rule"
    )
    expect(other).to_contain_text("now: Refused.")  # as it was


def test_by_keyboard_alone(notebook):
    keyboard, panel = notebook.page.keyboard, notebook.panel(1)
    panel.get_by_role("combobox", name="example").focus()
    for _ in range(3):
        keyboard.press("Tab")
    keyboard.press("Enter")
    expect(panel).to_contain_text("added up to [1.1001]")
    active = notebook.page.evaluate("document.activeElement.innerText")
    assert "by the old rule" in active  # focus stays


def test_after_quick_choices_the_last_one_shows(notebook):
    notebook.execute("for name in then.examples(): then.load(name)\nthen.load('S3-5')")
    notebook.panel(0).get_by_text("tensor([3.3003])").first.wait_for()
    chosen = notebook.panel(0).get_by_role("combobox").locator("option:checked")
    expect(chosen).to_have_text("Example 3: three entries of v for one output")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_all_can_be_read(notebook, theme):
    notebook.execute("then.load('S3-5').choose('edited')")
    notebook.panel(0).locator("ins").last.wait_for()
    notebook.use_theme(theme)
    try:
        check_legible(notebook.panel(0), texts=15)
    finally:
        notebook.use_theme("JupyterLab Light")
