"""The upstream editor in a real JupyterLab, used as a learner would: mouse, keyboard, mistakes."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible

EDITOR = """\
from minigrad.classroom import predict, widgets
editor = widgets.UpstreamEditor('a * a')
editor"""
SQUARES = [2, 8, 18, 32, 50, 72]
SIDES = ("minigrad", "torch", "nudge")


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """One page with two editors, a learner's own function and a predict card."""
    notebook = open_notebook(
        EDITOR,
        "widgets.UpstreamEditor('A @ x')",
        "widgets.UpstreamEditor(lambda x: x ** 3, [1, 2])",
        "predict('What will a.grad be?', answer=[2, 4], misconceptions={'[1, 2]': 'That is x.'})",
        "predict('Which shape?', answer='(2, 3)', choices=['(2, 3)', '()'])",
        "predict('Why?', answer='so', choices=['so', 'a choice of many words, ' * 8])",
        fresh=True,  # how PyTorch arrives is looked at here
    )
    notebook.run_all()
    return notebook


@pytest.fixture
def fresh(notebook):
    """The page with its first editor as it was at first."""
    notebook.execute("editor.load('a * a')")
    notebook.wait_for_gradient("torch", SQUARES)
    return notebook


def test_all_three_sides_are_shown_and_pytorch_arrives_by_itself(fresh):
    for side in SIDES:
        fresh.wait_for_gradient(side, SQUARES)
    fresh.wait_for_gradient("torch", [3, 12], panel=2)  # untouched so far
    expect(fresh.panel(0).locator(".mg-torch")).to_contain_text("live")


def test_a_new_weight_in_a_box_changes_every_side(fresh):
    box = fresh.box(1, 2)
    box.fill("10")
    box.press("Enter")
    for side in SIDES:
        fresh.wait_for_gradient(side, [2, 40, 18, 32, 50, 72])
    expect(fresh.panel(0)).to_contain_text("10\u00b74")
    expect(fresh.field()).to_have_value("[[1, 10, 3], [4, 5, 6]]")
    assert (
        fresh.execute("print(editor.input_grad)").strip()
        == "[[2.0, 40.0, 18.0], [32.0, 50.0, 72.0]]"
    )


def test_a_fraction_is_read_as_a_fraction_and_stays_as_typed(fresh):
    box = fresh.box(1, 1)
    box.fill("1/3")
    box.press("Tab")
    fresh.wait_for_gradient("torch", [2 / 3, *SQUARES[1:]])
    expect(box).to_have_value("1/3")


def test_focus_and_cursor_stay_where_the_learner_types(fresh):
    box = fresh.box(2, 1)
    box.evaluate("element => { window.kept = element }")
    box.fill("7")
    box.press("Enter")
    fresh.wait_for_gradient("minigrad", [2, 8, 18, 56, 50, 72])
    fresh.wait_for_gradient("torch", [2, 8, 18, 56, 50, 72])
    assert box.evaluate("element => element === window.kept && element === document.activeElement")
    fresh.page.keyboard.type("0")
    fresh.page.keyboard.press("Enter")
    fresh.wait_for_gradient("minigrad", [2, 8, 18, 560, 50, 72])


def test_a_wrong_shape_shows_pytorchs_sentence_in_place_of_the_result(fresh):
    fresh.field().fill("[1, 2]")
    fresh.field().press("Enter")
    sentence = (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a "
        "shape of torch.Size([2, 3])."
    )
    fresh.panel(0).get_by_text(sentence).first.wait_for()
    assert fresh.gradient("minigrad") == SQUARES  # the last good state stays
    expect(fresh.box(1, 2)).to_have_value("+2")
    expect(fresh.field()).to_have_value("[1, 2]")
    fresh.field().fill("[[1, 1, 1], [1, 1, 1]]")
    fresh.field().press("Enter")
    fresh.wait_for_gradient("torch", [2, 4, 6, 8, 10, 12])
    expect(fresh.panel(0).get_by_text("Mismatch")).to_have_count(0)


def test_bad_text_gets_a_sentence_and_loses_nothing(fresh):
    box = fresh.box(1, 3)
    for text, says in (
        ("abc", "is not a number"),
        ("", "This box is empty"),
        ("3,5", "type 3.5"),
        ("__import__('os')", "never run"),
        ("<b>1</b>", "is not a number"),
    ):
        box.fill(text)
        box.press("Enter")
        fresh.panel(0).locator(".mg-message", has_text=says).wait_for()
        assert fresh.gradient("minigrad") == fresh.gradient("torch") == SQUARES
        expect(box).to_have_value(text)
    fresh.box(1, 1).fill("2")
    fresh.box(1, 1).press("Enter")
    fresh.wait_for_gradient("torch", [4, *SQUARES[1:]])
    expect(box).to_have_value("+3")
    expect(fresh.panel(0).locator(".mg-message")).to_have_count(0)


def test_a_slider_moves_its_own_weight_by_mouse_and_by_keyboard(fresh):
    page = fresh.page
    fresh.box(1, 2).focus()
    slider = fresh.panel(0).get_by_role("slider", name="slide upstream gradient, row 1, column 2")
    slider.wait_for()
    place = slider.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x + 4 * step, y)
    page.mouse.up()
    fresh.settle()
    moved = fresh.gradient("minigrad")
    assert moved[1] > 8 and moved[:1] + moved[2:] == SQUARES[:1] + SQUARES[2:]
    fresh.wait_for_gradient("torch", moved)
    slider.press("ArrowLeft")
    fresh.settle()
    assert fresh.gradient("minigrad")[1] < moved[1]
    assert float(fresh.box(1, 2).input_value().replace("\u2212", "-")) * 4 == pytest.approx(
        fresh.gradient("minigrad")[1], rel=1e-4
    )


def test_no_key_reaches_the_notebook(fresh):
    """In a closed list or on a button "x" would cut the cell, and "dd" delete it."""
    count = "window.jupyterapp.shell.currentWidget.content.widgets.length"
    before = fresh.page.evaluate(count)
    for role, name in (("combobox", "explain"), ("button", "ones")):
        fresh.panel(0).get_by_role(role, name=name, exact=True).focus()
        for key in "xddab":
            fresh.page.keyboard.press(key)
    assert fresh.page.evaluate(count) == before


def test_buttons_and_lists(fresh):
    panel = fresh.panel(0)
    panel.get_by_role("button", name="ones").click()
    fresh.wait_for_gradient("torch", [2, 4, 6, 8, 10, 12])
    panel.get_by_role("combobox", name="one-hot").select_option("out[1, 0]")
    fresh.wait_for_gradient("torch", [0, 0, 0, 8, 0, 0])
    panel.get_by_role("combobox", name="explain").select_option("a.grad[1, 0]")
    panel.get_by_role("rowheader", name="a.grad[1, 0]").wait_for()
    panel.get_by_role("combobox", name="more values").select_option("[0.1, 1, 0.0001]")
    panel.get_by_text("has a shape of torch.Size([3])").first.wait_for()
    panel.get_by_role("combobox", name="example").select_option("out = x.mm(a)")
    fresh.wait_for_gradient("torch", [10] * 3 + [26] * 3)


def test_by_keyboard_alone(fresh):
    page, keyboard = fresh.page, fresh.page.keyboard
    fresh.panel(0).get_by_role("combobox", name="example").focus()
    fresh.tab_to("button", "ones")
    keyboard.press("Enter")
    fresh.wait_for_gradient("torch", [2, 4, 6, 8, 10, 12])
    fresh.tab_to("button", "zero")
    keyboard.press("Space")
    fresh.wait_for_gradient("torch", [0] * 6)
    fresh.tab_to("combobox", "one-hot")
    for key in ("Space", "ArrowDown", "ArrowDown", "Enter"):
        keyboard.press(key)
    fresh.wait_for_gradient("torch", [0, 4, 0, 0, 0, 0])
    fresh.tab_to("textbox", "v =")
    keyboard.press("Control+a")
    keyboard.type("[1, 2, 3]")
    keyboard.press("Enter")
    fresh.panel(0).get_by_text("torch.Size([3]) and output[0]").first.wait_for()
    fresh.tab_to("textbox", "upstream gradient, row 1, column 1")
    keyboard.press("Control+a")
    keyboard.type("-1")
    keyboard.press("Tab")
    fresh.wait_for_gradient("torch", [-2, 4, 0, 0, 0, 0])
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "slide upstream gradient, row 1, column 1"
    keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "upstream gradient, row 1, column 2"  # row by row
    fresh.tab_to("combobox", "explain")
    keyboard.press("Tab")  # the panel can be left
    assert not fresh.panel(0).evaluate("panel => panel.contains(document.activeElement)")


def test_the_predict_card_by_keyboard(notebook):
    keyboard = notebook.page.keyboard
    guess = notebook.panel(3).get_by_role("textbox", name="your guess")
    guess.focus()
    keyboard.type("[1, 2")
    keyboard.press("Enter")
    notebook.panel(3).locator(".mg-message", has_text="] is missing").wait_for()
    keyboard.type("]")
    keyboard.press("Enter")
    notebook.panel(3).get_by_role("cell", name="That is x.").wait_for()
    notebook.tab_to("radio", "(2, 3)")
    keyboard.press("Space")
    keyboard.press("Tab")
    keyboard.press("Enter")
    notebook.panel(4).get_by_text("you predicted it").first.wait_for()


def test_the_result_is_in_a_polite_live_region(fresh):
    fresh.panel(0).get_by_role("button", name="ones").click()
    region = fresh.panel(0).locator(
        "[aria-live=polite]", has_text="a.grad is [[2, 4, 6], [8, 10, 12]]."
    )
    region.wait_for(state="attached")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_nothing_is_cut_off(fresh, theme):
    fresh.use_theme(theme)
    try:
        fresh.execute("editor.set_upstream([[-1, 2, 3], [4, -0.000123456, 1234567]])")
        fresh.wait_for_gradient("torch", [-2, 8, 18, 32, -0.00123456, 14814804])
        for number in range(6):
            check_legible(fresh.panel(number), texts=3)
    finally:
        fresh.use_theme("JupyterLab Light")


SLOW = """\
import traitlets
from minigrad.classroom.widgets.shared import host

class Slow(host.Panel):
    script = "await new Promise(done => setTimeout(done, 2500));" + host._SCRIPT
    _esm = traitlets.Unicode(script).tag(sync=True)

editor = widgets.UpstreamEditor()
Slow(editor.model, editor._draw)"""


def test_a_page_that_took_long_to_load_the_script_misses_no_message(open_notebook):
    """anywidget waits two seconds for it. The last test of this page."""
    notebook = open_notebook("from minigrad.classroom import widgets", SLOW)
    notebook.run_all()
    notebook.wait_for_gradient("torch", SQUARES)
    notebook.box(1, 1).fill("7")
    notebook.box(1, 1).press("Enter")
    notebook.wait_for_gradient("minigrad", [14, *SQUARES[1:]])
