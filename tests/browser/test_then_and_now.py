"""Then and now in a real JupyterLab, by mouse and by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible

THEN = "from minigrad.classroom import widgets\nthen = widgets.ThenAndNow()\nthen"
MISMATCH = (
    "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] "
    "has a shape of torch.Size([2, 2])."
)
PROGRAM = """\
def program(torch):
    x = torch.ones(2, 2, requires_grad=True)
    (3 * x).backward(torch.ones(2))
    return {'x.grad': x.grad}
widgets.ThenAndNow(program)"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(THEN, PROGRAM)
    notebook.run_all()
    for panel in range(2):
        notebook.panel(panel).get_by_text(MISMATCH).first.wait_for()
    return notebook


def test_choose_an_example_and_the_old_rule_by_mouse(notebook):
    notebook.execute("then.load('S4-15').set_old_rule(False)")
    panel, other = notebook.panel(0), notebook.panel(1).locator(".mg-acted")
    before = other.count()
    expect(panel).to_contain_text("z.backward(torch.ones(2, 2), retain_graph=True)")
    panel.get_by_text("live: the same as minigrad, word for word").wait_for(timeout=60_000)
    panel.get_by_role("combobox", name="example").select_option(label="S4-17: the gradient [1, 0]")
    panel.get_by_text("torch.FloatTensor([1, 0]).expand(2, 2)").wait_for()
    expect(panel.locator(".mg-acted")).to_have_count(0)
    panel.get_by_role("button", name="old rule too").click()
    expect(panel.locator(".mg-acted")).to_contain_text("broadcast to [[1, 0], [1, 0]]")
    expect(panel.locator(".mg-acted")).to_contain_text("26.7135,  0.0000")
    said = notebook.execute("print(then.example.name, then.model.old_rule)").strip()
    assert said == "S4-17 True"
    expect(other).to_have_count(before)  # the other is as it was


def test_an_own_program_by_keyboard_alone(notebook):
    page, keyboard, panel = notebook.page, notebook.page.keyboard, notebook.panel(1)
    notebook.command("notebook:enter-command-mode")
    panel.get_by_role("combobox", name="example").focus()
    for _ in range(2):
        keyboard.press("Tab")
    keyboard.press("Enter")  # old rule too
    expect(panel.locator(".mg-acted")).to_contain_text("x.grad = [[3, 3], [3, 3]]")
    assert "old rule too" in page.evaluate("document.activeElement.innerText")  # focus stays
    keyboard.press("Tab")
    assert not panel.evaluate("panel => panel.contains(document.activeElement)")
    for _ in range(3):
        keyboard.press("Shift+Tab")
    for key in ("Space", "ArrowDown", "Enter"):
        keyboard.press(key)
    panel.get_by_text("from torch.autograd import Variable").first.wait_for()


def test_after_quick_choices_the_last_one_shows(notebook):
    notebook.execute("for name in then.names(): then.load(name)\nthen.load('S3-5')")
    notebook.panel(0).get_by_text("tensor([3.3003])").first.wait_for()
    expect(notebook.panel(0).get_by_role("combobox")).to_have_value(
        "S3-5: Example 3: three weights for one output"
    )


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("name", ["S4-14", "S3-5"])
def test_text_has_contrast_and_nothing_is_cut_off(notebook, theme, name):
    notebook.execute(f"then.load({name!r}).set_old_rule()")
    notebook.panel(0).locator(".mg-acted").wait_for()
    notebook.use_theme(theme)
    try:
        check_legible(notebook.panel(0), texts=15)
    finally:
        notebook.use_theme("JupyterLab Light")
