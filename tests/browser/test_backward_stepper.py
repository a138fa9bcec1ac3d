"""The backward stepper in a real JupyterLab, by mouse and by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible

STEPPER = "from minigrad.classroom import widgets\nstepper = widgets.BackwardStepper()\nstepper"
OTHER = "other = widgets.BackwardStepper('b=a+a; c=b+b')\nother"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(STEPPER, OTHER)
    notebook.run_all()
    notebook.panel(1).get_by_text("step 0 of 3", exact=True).wait_for()
    return notebook


@pytest.fixture
def fresh(notebook):
    notebook.execute("stepper.load('diamond').set_mode('ordered').set_upstream(1).first()")
    notebook.panel(0).get_by_text("step 0 of 5", exact=True).wait_for()
    return notebook


def test_by_mouse_to_the_end_of_a_wrong_pass_and_the_other_copy_stays(fresh):
    panel = fresh.panel(0)
    panel.get_by_role("combobox", name="mode").select_option("overwrite")
    for name, step in (("next ▶", 1), ("next ▶", 2), ("◀", 1), ("▶|", 5)):
        panel.get_by_role("button", name=name, exact=True).click()
        panel.get_by_text(f"step {step} of 5", exact=True).wait_for()
    expect(panel).to_contain_text("x.grad ends as 24, right is 72.")
    ledger = panel.get_by_role("table", name="ledger of contributions")
    expect(ledger).to_contain_text("+24 not +72")
    expect(ledger).to_contain_text("+72 x")  # PyTorch's
    spoken = panel.locator("[aria-live=polite]").first
    expect(spoken).to_contain_text("Step 5 of 5. x.grad = 24 from s")
    log = panel.locator(".mg-log li").first
    expect(log).to_be_hidden()
    panel.get_by_text("log", exact=True).click()
    expect(log).to_be_visible()
    panel.get_by_role("button", name="◀", exact=True).click()
    panel.get_by_text("step 4 of 5", exact=True).wait_for()
    expect(log).to_be_visible()  # a step does not close it
    panel.get_by_text("log", exact=True).click()
    expect(fresh.panel(1)).to_contain_text("step 0 of 3")


def test_by_keyboard_alone(fresh):
    """N and P step wherever the focus is, also where a button has just been switched off."""
    panel, keyboard = fresh.panel(0), fresh.page.keyboard
    cells = fresh.page.locator(".jp-Cell").count()
    panel.get_by_role("button", name="Play").focus()
    for keys, step in (("nnn", 3), ("pp", 1), ("nnnnnn", 5), ("p", 4), ("dd", 4)):
        for key in keys:
            keyboard.press(key)
        panel.get_by_text(f"step {step} of 5", exact=True).wait_for()
    panel.get_by_role("button", name="next ▶").focus()
    keyboard.press("Enter")
    panel.get_by_text("step 5 of 5", exact=True).wait_for()
    keyboard.press("p")
    panel.get_by_text("step 4 of 5", exact=True).wait_for()
    assert fresh.page.locator(".jp-Cell").count() == cells


def test_the_slider_moves_v_and_everything_follows(fresh):
    panel = fresh.panel(0)
    fresh.execute("stepper.last()")
    handle = panel.get_by_role("slider", name="slide upstream gradient")
    handle.focus()
    for _ in range(20):
        handle.press("ArrowLeft")
    expect(panel.get_by_role("table", name="ledger of contributions")).to_contain_text("−72 s")
    box = panel.get_by_role("textbox", name="upstream gradient", exact=True)
    for value in ("39", "3,5"):
        box.fill(value)
        box.press("Enter")
        if value == "39":
            expect(panel.get_by_role("table", name="ledger of contributions")).to_contain_text(
                "+39"
            )
    panel.locator(".mg-message", has_text="has a comma").wait_for()
    assert fresh.execute("print(stepper.upstream)").strip() == "39.0"


def test_play_goes_on_by_itself(fresh):
    panel = fresh.panel(0)
    quick = "from minigrad.classroom.widgets.backward_stepper import model\nmodel.SECONDS = {}"
    assert not fresh.execute(quick.format(0.01))
    panel.get_by_role("button", name="Play").click()
    panel.get_by_text("step 5 of 5", exact=True).wait_for()
    panel.get_by_role("button", name="Play").wait_for()  # it stopped at the end
    assert not fresh.execute(quick.format(1.2))


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_the_panel_fits(fresh, theme):
    fresh.execute("stepper.set_mode('overwrite').last()")
    fresh.panel(0).get_by_text("not +72").wait_for()
    fresh.use_theme(theme)
    try:
        check_legible(fresh.panel(0), texts=30)
        assert fresh.panel(0).bounding_box()["height"] <= 620
    finally:
        fresh.use_theme("JupyterLab Light")
