"""Predict first in a real JupyterLab: what is covered cannot be reached; a guess opens it."""

import pytest
from playwright.sync_api import expect

COVERED = {  # a widget: a control that shows the result, a text of it, the right guess or choice
    "UpstreamEditor('A @ x', predict=True)": (None, "x.grad is [41, 52, 63]", "[41, 52, 63]"),
    "JacobianPicture(predict=True)": ("\u25cb add columns", "[41, 52, 63]", "[41, 52, 63]"),
    "BackwardStepper('diamond', predict=True)": ("next \u25b6", "arrived, from", "72"),
    "SeamCutter(predict=True)": ("\u25cb forget g", "in two halves", "[7, 9]"),
    "NudgeMeter(predict=True)": ("\u25cb zoom to eps", "secant", "one in between"),
}
LOCKED = "widgets.UpstreamEditor('(a * a).sum()', lock_upstream=True)"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(
        "from minigrad.classroom import widgets\ntaken = []",
        *(f"taken.append(widgets.{line})\ntaken[-1]" for line in COVERED),
        LOCKED,
    )
    notebook.run_all()
    return notebook


def panel_of(notebook, number):
    """The widget with this number."""
    return notebook.page.locator(".jp-OutputArea-output .mg-panel").nth(number)


@pytest.mark.parametrize(
    "number", range(len(COVERED)), ids=[line.split("(")[0] for line in COVERED]
)
def test_a_guess_typed_or_chosen_by_keyboard_uncovers_the_result(notebook, number):
    control, told, guess = list(COVERED.values())[number]
    panel = panel_of(notebook, number)
    button = panel.get_by_role("button", name=control) if control else None
    expect(panel.get_by_role("button", name="Commit")).to_be_visible()
    expect(panel.get_by_text(told, exact=False).locator("visible=true")).to_have_count(0)
    if button is not None:
        assert button.is_hidden() or button.is_disabled()
    choice = panel.get_by_role("radio", name=guess, exact=True)
    field = panel.get_by_role("textbox", name="your guess")
    if field.count():
        field.focus()
        notebook.page.keyboard.type(guess)
        notebook.page.keyboard.press("Enter")
    else:
        choice.focus()
        notebook.page.keyboard.press("Space")
        expect(choice).to_be_checked()
        panel.get_by_role("button", name="Commit").focus()
        notebook.page.keyboard.press("Enter")
    expect(panel).to_contain_text("you predicted it")
    expect(panel.get_by_text(told, exact=False).locator("visible=true").first).to_be_visible()
    if button is not None:
        expect(button).to_be_enabled()
    assert notebook.execute(f"print(taken[{number}].model.covered)").strip() == "False"
    panel.evaluate("panel => panel.style.width = '829px'")  # beside the list of files
    assert panel.bounding_box()["height"] <= 620  # question, answer and result share a screen
    panel.evaluate("panel => panel.style.width = ''")


def test_what_is_locked_offers_no_buttons(notebook):
    panel = panel_of(notebook, len(COVERED))
    expect(panel.get_by_role("combobox", name="example")).to_be_visible()
    expect(panel.get_by_role("button", name="zero")).to_be_hidden()


def test_of_one_output_the_list_stands_above_its_sum_not_over_it(notebook):
    panel = panel_of(notebook, len(COVERED))
    chosen = panel.get_by_role("combobox", name="explain").bounding_box()
    loss = panel.get_by_role("rowheader", name="L = ").bounding_box()
    assert chosen["y"] + chosen["height"] <= loss["y"] + 4  # of the line's own height
