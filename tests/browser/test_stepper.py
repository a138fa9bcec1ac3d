"""The backward stepper in a real JupyterLab, by mouse and by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.legible import check_legible
from tests.browser.notebook import wait_until

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
    notebook.execute("stepper.load('3a+2b²+log c').set_mode('ordered').first()")
    notebook.panel(0).get_by_text("step 0 of 9", exact=True).wait_for()
    return notebook


def totals(notebook, wanted):
    """Wait until the first ledger shows {node: total} as wanted, and perhaps more."""
    wait_until(
        lambda: notebook.panel(0).evaluate(
            """panel => Object.fromEntries(
                [...panel.querySelectorAll('[aria-label="ledger of contributions"] tbody tr')]
                    .map(row => [row.cells[0].innerText.trim(), row.cells[2].innerText.trim()]))"""
        ),
        lambda found: found == {**found, **wanted},
    )


def test_by_mouse_forward_back_and_to_the_end(fresh):
    panel = fresh.panel(0)
    for name, step in (("next ▶", 1), ("next ▶", 2), ("◀ back", 1), ("end ▶|", 9)):
        panel.get_by_role("button", name=name).click()
        panel.get_by_text(f"step {step} of 9", exact=True).wait_for()
        assert fresh.execute("print(stepper.step)").strip() == str(step)
    totals(fresh, {"y": "+1", "t5": "+1", "c": "+10", "t4": "+1", "t3": "+1", "t2": "+1", "b": "+4",
                   "t1": "+1", "a": "+3"})  # fmt: skip
    leaves = panel.get_by_role("table", name="gradients of the leaves")
    expect(leaves).to_contain_text("+4\t=\t+4", use_inner_text=True, timeout=60_000)
    spoken = panel.locator("[aria-live=polite]").first
    expect(spoken).to_contain_text("Step 9 of 9. a.grad = 3 from t1.")


def test_a_wrong_pass_is_marked_and_the_other_copy_stays(fresh):
    panel = fresh.panel(0)
    panel.get_by_role("button", name="overwrite").click()
    panel.get_by_role("button", name="end ▶|").click()
    panel.get_by_text("b.grad ends as 2, right is 4.").wait_for()
    totals(fresh, {"b": "✗ +2 should be +4"})
    expect(fresh.panel(1)).to_contain_text("step 0 of 3")


def test_by_keyboard_alone(fresh):
    keyboard = fresh.page.keyboard
    fresh.command("notebook:enter-command-mode")
    fresh.panel(0).get_by_role("combobox", name="example").focus()
    fresh.tab_to("textbox", "upstream gradient")
    keyboard.press("ControlOrMeta+A")
    keyboard.type("1/2")
    keyboard.press("Enter")
    fresh.panel(0).get_by_text("v = +0.5").first.wait_for()
    fresh.tab_to("button", "next ▶")
    keyboard.press("Enter")
    keyboard.press("Space")
    fresh.panel(0).get_by_text("step 2 of 9", exact=True).wait_for()
    assert fresh.page.evaluate("document.activeElement.innerText") == "next ▶"  # focus stays
    fresh.tab_to("textbox", "keys N, P")
    keyboard.type("nnnnnp", delay=5)
    fresh.panel(0).get_by_text("step 6 of 9", exact=True).wait_for()
    assert fresh.execute("print(stepper.step, stepper.seed)").strip() == "6 0.5"


def test_no_word_in_the_heads_of_the_tables_is_broken(fresh):
    fresh.execute("stepper.load('mm').last()")
    broken = fresh.panel(0).evaluate(
        """panel => [...panel.querySelectorAll('.mg-ledger th')].filter(head => {
            const range = document.createRange();
            range.selectNodeContents(head);
            const lines = new Set([...range.getClientRects()].map(line => line.top));
            return lines.size > head.innerText.trim().split(/\\s+/).length;
        }).map(head => head.innerText)"""
    )
    assert broken == []


def test_play_goes_on_by_itself_and_pauses(fresh):
    panel = fresh.panel(0)
    panel.get_by_role("combobox", name="example").select_option("chain:  y = 2*x; z = y**3")
    panel.get_by_text("step 0 of 3", exact=True).wait_for()
    fresh.execute("import minigrad.classroom.views.stepper as view\nview.SECONDS = 3600")
    panel.get_by_role("button", name="Play").click()
    panel.get_by_role("button", name="Pause").click()
    panel.get_by_role("button", name="Play").wait_for()
    panel.get_by_text("step 0 of 3", exact=True).wait_for()
    fresh.execute("view.SECONDS = 0.01; stepper.load('chain')")
    panel.get_by_role("button", name="Play").click()
    panel.get_by_text("step 3 of 3", exact=True).wait_for()
    panel.get_by_role("button", name="Play").wait_for()  # it stopped at the end


def test_after_quick_edits_the_last_one_shows(fresh):
    box = fresh.panel(0).get_by_role("textbox", name="upstream gradient", exact=True)
    for value in range(2, 40):
        box.fill(str(value))
        box.press("Enter")
    fresh.panel(0).get_by_role("button", name="end ▶|").click()
    expect(fresh.panel(0).get_by_role("table", name="gradients of the leaves")).to_contain_text(
        "+390"
    )
    assert fresh.execute("print(stepper.seed)").strip() == "39.0"
    box.fill("3,5")
    box.press("Enter")
    fresh.panel(0).locator(".mg-message", has_text="has a comma").wait_for()
    assert fresh.execute("print(stepper.seed)").strip() == "39.0"
    box.fill("1")
    box.press("Enter")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_has_contrast_and_nothing_is_cut_off(fresh, theme):
    fresh.execute("stepper.load('diamond').set_mode('overwrite').last()")
    fresh.panel(0).get_by_text("should be +72").wait_for()
    fresh.use_theme(theme)
    try:
        for number in range(2):
            check_legible(fresh.panel(number), texts=30)
    finally:
        fresh.use_theme("JupyterLab Light")
