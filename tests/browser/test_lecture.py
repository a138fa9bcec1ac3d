"""The one lecture as it is projected: 1920 x 1080 at 125 %, in presentation mode."""

import json

import pytest

from tools.copies import copy_of

SCREEN = {"width": 1536, "height": 790}  # CSS pixels below the browser's own bars
HIGHEST_PANEL = 620


@pytest.fixture(scope="module")
def lecture(open_notebook, folder):
    """A copy as a lecturer has it: nothing was run, explanations are folded."""
    stored = json.loads((folder / "notebooks" / "lecture.ipynb").read_text("utf-8"))
    text = json.dumps(copy_of(stored, "lecture.ipynb"))
    (folder / "projected.ipynb").write_text(text, encoding="utf-8")
    notebook = open_notebook(path="projected.ipynb")
    notebook.page.set_viewport_size(SCREEN)
    notebook.command("application:toggle-presentation-mode")
    yield notebook
    notebook.command("application:toggle-presentation-mode")


def sources(lecture):
    return lecture.page.evaluate(
        "() => [...window.jupyterapp.shell.currentWidget.content.model.cells]"
        ".map(cell => cell.sharedModel.getSource())"
    )


def test_no_answer_is_shown_before_a_vote(lecture):
    shown = lecture.page.locator(".jp-Notebook:visible").inner_text()
    assert shown.count("Explanation: open it") == 6
    for answer in (
        "\u221240",
        "[2, 0, 60]",
        "[2, 2]",
        "[6, \u22122]",
        "[\u22121, \u22122",
        "takes 1 off",
    ):
        assert answer not in shown


def test_a_card_and_its_program_fit_the_screen_and_so_does_each_panel(lecture):
    heights_before = lecture.page.evaluate(HEIGHTS)
    lecture.run_all()
    heights, room = lecture.page.evaluate(HEIGHTS), lecture.page.evaluate(ROOM)
    for k, source in enumerate(sources(lecture)):
        if source.startswith("predict("):  # the run below it has not been run yet
            assert heights[k] + heights_before[k + 1] <= room, source
        else:
            assert heights[k] <= room, source
    panels = lecture.page.locator(".mg-panel")
    tall = [panels.nth(k).bounding_box()["height"] for k in range(panels.count())]
    assert len(tall) == 8 and max(tall) <= HIGHEST_PANEL


def test_the_seam_shows_what_the_bank_must_send_and_what_ones_do(lecture):
    panel = lecture.panel(7)
    panel.get_by_text("forget g").click()
    panel.get_by_text("Ones are handed over in place of g").wait_for()
    assert panel.bounding_box()["height"] <= HIGHEST_PANEL


HEIGHTS = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .map(cell => cell.node.getBoundingClientRect().height)"""
ROOM = """() => window.jupyterapp.shell.currentWidget.content.node
    .querySelector('.jp-WindowedPanel-outer').getBoundingClientRect().height"""
