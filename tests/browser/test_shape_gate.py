"""The shape gate in a real JupyterLab, by mouse and by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible

GATE = "from minigrad.classroom import widgets\ngate = widgets.ShapeGate()\ngate"
MESSAGE = (
    "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape "
    "of torch.Size([1])."
)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(GATE, "widgets.ShapeGate((2, 2), (2, 2))")
    notebook.run_all()
    notebook.panel(1).get_by_text("y.backward(torch.tensor([[1., 2.], [3., 4.]]))").wait_for()
    return notebook


def test_guess_and_reveal_by_mouse(notebook):
    panel = notebook.panel(0)
    height = panel.bounding_box()["height"]
    panel.get_by_role("combobox", name="gradient").select_option("(3,)")
    panel.get_by_text("y.backward(torch.tensor([1., 2., 3.]))").wait_for()
    expect(panel.get_by_text(MESSAGE)).to_have_count(0)
    panel.get_by_role("button", name="it accepts").click()
    panel.locator(".mg-today", has_text=MESSAGE).wait_for()
    expect(panel.locator(".mg-old")).to_contain_text("added up to [6] without a word")
    panel.locator(".mg-today", has_text="live = minigrad").wait_for()
    expect(panel.get_by_role("button", name="it accepts")).to_be_disabled()
    assert notebook.execute("print(gate.guess, gate.right)").strip() == "accept False"
    assert panel.bounding_box()["height"] == height  # nothing moved
    expect(notebook.panel(1).locator(".mg-today")).to_have_count(0)  # the other is still covered


def test_by_keyboard_alone(notebook):
    page, keyboard, panel = notebook.page, notebook.page.keyboard, notebook.panel(1)
    notebook.command("notebook:enter-command-mode")
    panel.get_by_role("combobox", name="output").focus()
    keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "gradient"
    keyboard.press("ArrowUp")  # in the closed list: an open one takes its time to open
    keyboard.press("ArrowUp")
    panel.get_by_text("Output (2, 2), a gradient (3,): accepted or refused?").first.wait_for()
    for _ in range(2):
        keyboard.press("Tab")
    keyboard.press("Enter")  # it refuses
    panel.get_by_text("Right.").first.wait_for()
    expect(panel.get_by_role("button", name="Show me")).to_be_disabled()  # what is drawn last
    keyboard.press("Tab")  # goes on from there, past what is done
    keyboard.press("Enter")  # show all pairs
    panel.get_by_role("img", name="All pairs: 132 of 132 are open.").wait_for()
    keyboard.press("Tab")
    assert not panel.evaluate("panel => panel.contains(document.activeElement)")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_nothing_is_cut_off(notebook, theme):
    notebook.execute("gate.choose_gradient('no argument'); gate.show(); gate.show_grid()")
    notebook.panel(0).get_by_role("img", name="All pairs: 132 of 132").wait_for()
    notebook.use_theme(theme)
    try:
        check_legible(notebook.panel(0), texts=30)
    finally:
        notebook.use_theme("JupyterLab Light")
