"""Notebook 03 as a learner meets it: opened in JupyterLab, all cells run, the editor used."""

import json

import pytest
from playwright.sync_api import expect

LESSON = "notebooks/03-weigh-outputs.ipynb"
WITH_PICTURES = "notebooks/05-cut-chain.ipynb"
SQUARES = [2, 8, 18, 32, 50, 72]
MISMATCH = (
    "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape "
    "of torch.Size([2, 3])."
)


@pytest.fixture(scope="module")
def opened(open_notebook):
    """As it is stored, with its outputs; nothing was run."""
    return open_notebook(path=LESSON)


@pytest.fixture(scope="module")
def lesson(opened):
    opened.run_all()
    return opened


@pytest.fixture(scope="module")
def editor(lesson):
    """The number of the panel that holds the first upstream editor, with a * a in it."""
    panels = lesson.page.locator(".mg-panel")
    number = next(k for k in range(panels.count()) if panels.nth(k).locator(".mg-minigrad").count())
    for side in ("minigrad", "torch", "nudge"):
        lesson.wait_for_gradient(side, SQUARES, panel=number)
    lesson.panel(number).scroll_into_view_if_needed()
    return number


def test_every_picture_of_a_lesson_has_words(open_notebook, folder):
    """Asked first, because one notebook is open at a time. What was never run here shows what is
    stored, as far as JupyterLab trusts it."""
    stored = json.loads((folder / WITH_PICTURES).read_text(encoding="utf-8"))
    outputs = [output for cell in stored["cells"] for output in cell.get("outputs", [])]
    pictures = open_notebook(path=WITH_PICTURES).page.locator(".jp-OutputArea img")
    expect(pictures).to_have_count(json.dumps(outputs).count("<img "))
    assert pictures.count()
    for number in range(pictures.count()):
        assert len(pictures.nth(number).get_attribute("alt").split()) > 5


def test_every_cell_ran_and_only_the_announced_ones_failed(lesson, editor):
    cells = lesson.page.evaluate(
        """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
            .filter(cell => cell.type === 'code')
            .map(cell => ({count: cell.executionCount, tags: cell.getMetadata('tags') ?? [],
                           failed: cell.outputs.toJSON().some(o => o.output_type === 'error')}))"""
    )
    assert all(cell["count"] for cell in cells)
    assert [cell["failed"] for cell in cells] == [
        "raises-exception" in cell["tags"] for cell in cells
    ]


def test_a_new_weight_shows_its_gradient_in_both_columns(lesson, editor):
    box = lesson.box(1, 2, panel=editor)
    box.fill("10")
    box.press("Enter")
    for side in ("minigrad", "torch"):
        lesson.wait_for_gradient(side, [2, 40, 18, 32, 50, 72], panel=editor)


def test_a_wrong_shape_shows_pytorchs_sentence(lesson, editor):
    field = lesson.field(panel=editor)
    field.fill("[1, 2, 3]")
    field.press("Enter")
    lesson.panel(editor).get_by_text(MISMATCH).first.wait_for()
    lesson.panel(editor).get_by_role("button", name="a", exact=True).click()
    lesson.wait_for_gradient("torch", SQUARES, panel=editor)


def test_the_same_by_keyboard_alone(lesson, editor):
    page, keyboard = lesson.page, lesson.page.keyboard
    # From the top of the notebook, Tab alone leads to the editor's boxes.
    lesson.command("notebook:enter-command-mode")
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0 }")
    lesson.command("notebook:enter-command-mode")
    lesson.tab_to("textbox", "v =", limit=200)
    keyboard.press("Control+a")
    keyboard.type("[1, 2, 3]")
    keyboard.press("Enter")
    lesson.panel(editor).get_by_text(MISMATCH).first.wait_for()
    keyboard.press("Control+a")
    keyboard.type("[[1, 1, 1], [1, 1, 1]]")
    keyboard.press("Enter")
    for side in ("minigrad", "torch"):
        lesson.wait_for_gradient(side, [2, 4, 6, 8, 10, 12], panel=editor)
    lesson.tab_to("textbox", "upstream gradient, row 1, column 2", limit=200)
    keyboard.press("Control+a")
    keyboard.type("1/2")
    keyboard.press("Tab")
    for side in ("minigrad", "torch"):
        lesson.wait_for_gradient(side, [2, 2, 6, 8, 10, 12], panel=editor)
