"""The Jacobian picture in a real JupyterLab: by mouse, by keyboard alone, and quickly."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible
from tests.browser.notebook import wait_until

PICTURE = (
    "from minigrad.classroom import widgets\npicture = widgets.JacobianPicture('A @ x')\npicture"
)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook(PICTURE, "widgets.JacobianPicture('S0-4')")
    notebook.run_all()
    notebook.panel(1).locator(".mg-jac").first.wait_for()
    return notebook


@pytest.fixture
def panel(notebook):
    """The first picture as it was at first."""
    notebook.execute("picture.look('backward').load('A @ x').go_to(0).choose_bug('none')")
    wait_for(notebook, ["+1", "+2", "+3", "+4", "+5", "+6"])
    return notebook.panel(0)


def wait_for(notebook, numbers, panel=0):
    """Wait until the picture shows these numbers, row by row, its sums included."""
    notebook.page.wait_for_function(
        """([panel, numbers]) => {
            const cells = document.querySelectorAll('.mg-panel')[panel]
                ?.querySelectorAll('.mg-jac .mg-value') ?? [];
            const shown = [...cells].map(cell => cell.innerText);
            return JSON.stringify(shown) === JSON.stringify(numbers);
        }""",
        arg=[panel, numbers],
        timeout=30_000,
    )


def test_the_three_stops_by_mouse_and_what_is_shown_is_the_model(notebook, panel):
    panel.get_by_role("button", name="scale the rows by v").click()
    wait_for(notebook, ["+1", "+2", "+3", "+40", "+50", "+60"])
    panel.get_by_role("button", name="add the columns").click()
    wait_for(notebook, ["+1", "+2", "+3", "+40", "+50", "+60", "+41", "+52", "+63"])
    box = panel.get_by_role("textbox", name="upstream gradient, entry 2", exact=True)
    box.fill("-1")
    box.press("Enter")
    wait_for(
        notebook,
        ["+1", "+2", "+3", "\u22124", "\u22125", "\u22126", "\u22123", "\u22123", "\u22123"],
    )
    assert notebook.execute("print(picture.input_grad)").strip() == "[-3.0, -3.0, -3.0]"
    panel.get_by_role("button", name="from the top").click()
    wait_for(notebook, ["+1", "0", "+6", "+7", "+4", "0", "+12", "+16"])
    panel.locator(".mg-torch", has_text="live").wait_for(timeout=60_000)
    expect(panel.locator(".mg-torch")).to_contain_text("autograd.functional.jvp")


def test_boxes_of_v_stand_beside_their_rows_and_boxes_of_u_over_their_columns(notebook, panel):
    def in_line(one, other, axis):
        def apart():
            middles = [box[axis] + box["width" if axis == "x" else "height"] / 2
                       for box in (one.bounding_box(), other.bounding_box())]  # fmt: skip
            return abs(middles[0] - middles[1])

        wait_until(apart, lambda distance: distance < 6)

    for number in (1, 2):
        box = panel.get_by_role("textbox", name=f"upstream gradient, entry {number}", exact=True)
        cell = panel.locator(".mg-jac tbody tr").nth(number - 1).locator(".mg-value").first
        in_line(box, cell, "y")
    panel.get_by_role("button", name="from the top").click()
    panel.get_by_role("textbox", name="direction, entry 1", exact=True).wait_for()
    for number in (1, 2, 3):
        box = panel.get_by_role("textbox", name=f"direction, entry {number}", exact=True)
        cell = panel.locator(".mg-jac tbody tr").first.locator(".mg-value").nth(number - 1)
        in_line(box, cell, "x")


def test_a_cell_says_its_sentence_under_the_pointer_and_under_focus(notebook, panel):
    sentence = panel.locator(".mg-tip", has_text="If x\u2083 rises by 1, y\u2082 rises by 6.")
    expect(sentence).to_be_hidden()
    panel.locator(".mg-jac .mg-cell").nth(5).hover()
    expect(sentence).to_be_visible()
    panel.locator(".mg-title").hover()
    expect(sentence).to_be_hidden()
    # by keyboard: one Tab stop for all cells, the arrows go from cell to cell
    panel.locator(".mg-jac input:checked").focus()
    expect(
        panel.locator(".mg-tip", has_text="If x\u2082 rises by 1, y\u2081 rises by 2.")
    ).to_be_visible()
    for _ in range(4):
        notebook.page.keyboard.press("ArrowDown")
    expect(sentence).to_be_visible()
    focused = notebook.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "If x\u2083 rises by 1, y\u2082 rises by 6."
    notebook.page.keyboard.press("Tab")
    expect(sentence).to_be_hidden()


def test_by_keyboard_alone(notebook, panel):
    keyboard = notebook.page.keyboard
    notebook.command("notebook:enter-command-mode")
    panel.get_by_role("combobox", name="example").focus()
    notebook.tab_to("textbox", "v =")
    keyboard.press("Control+a")
    keyboard.type("[2, 0]")
    keyboard.press("Enter")
    notebook.tab_to("button", "\u25cb 3  add the columns")
    keyboard.press("Space")
    wait_for(notebook, ["+2", "+4", "+6", "0", "0", "0", "+2", "+4", "+6"])
    notebook.tab_to("button", "try J\u00b7v")
    keyboard.press("Enter")
    panel.get_by_text("J\u00b7v is refused").first.wait_for()
    notebook.tab_to("button", "next one-hot")
    keyboard.press("Enter")
    panel.get_by_text("1 of 2 rows collected.").first.wait_for()
    notebook.tab_to("button", "collect all")
    keyboard.press("Enter")
    panel.get_by_text("This is J").first.wait_for()
    keyboard.press("Tab")  # the panel can be left
    assert not panel.evaluate("panel => panel.contains(document.activeElement)")


def test_a_wrong_shape_and_bad_text_are_refused_beside_the_picture(notebook, panel):
    field = panel.get_by_role("textbox", name="v =", exact=True)
    field.fill("[1, 2, 3]")
    field.press("Enter")
    panel.locator(".mg-message", has_text="Mismatch in shape").wait_for()
    field.fill("[1, 3,5")
    field.press("Enter")
    panel.locator(".mg-message", has_text="] is missing").wait_for()
    field.fill("[1, 1]")
    field.press("Enter")
    expect(panel.locator(".mg-message")).to_have_count(0)


def test_fold_and_the_bugs_and_two_pictures_do_not_disturb_each_other(notebook, panel):
    second = notebook.panel(1)
    second.get_by_role("button", name="unfold to").click()
    expect(second.locator(".mg-blocks > div")).to_have_count(6)
    second.get_by_role("button", name="fold to 6").click()
    expect(second.locator(".mg-blocks")).to_have_count(0)
    second.get_by_role("combobox", name="bug").select_option(index=1)
    second.get_by_role("button", name="collect all").click()
    second.get_by_text("each row also holds all the rows before it").first.wait_for()
    wait_for(notebook, ["+1", "+2", "+3", "+4", "+5", "+6"])
    expect(panel.get_by_text("0 of 2 rows collected.").first).to_be_visible()


def test_after_quick_edits_the_last_one_shows(notebook, panel):
    panel.get_by_role("button", name="scale the rows by v").click()
    box = panel.get_by_role("textbox", name="upstream gradient, entry 1", exact=True)
    box.focus()
    for number in range(60):
        box.fill(str(number))
        notebook.page.keyboard.press("Enter")
    wait_for(notebook, ["+59", "+118", "+177", "+40", "+50", "+60"])
    expect(box).to_have_value("59")
    assert box.evaluate("box => box === document.activeElement")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_nothing_is_cut_off(notebook, panel, theme):
    notebook.use_theme(theme)
    try:
        notebook.execute(
            "picture.choose_bug('no clone').set_upstream([-1, 3]).go_to(2).try_product('J\u00b7v')"
        )
        panel.get_by_text("is refused").first.wait_for()
        for number in (0, 1):
            check_legible(notebook.panel(number), texts=20)
    finally:
        notebook.use_theme("JupyterLab Light")
