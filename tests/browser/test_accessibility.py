"""Every widget for everyone: axe-core, spoken names, polite announcements, and Tab in and out.

The cells of the gallery notebook show all ten widgets. They are looked at as they open, after what
a learner might do next, and once more with refusals and long results; in the light and in the dark
theme.
"""

from functools import partial

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.notebook import wait_until
from tests.browser.pictures import NEXT, gallery
from tools.files import ROOT

GALLERY = ROOT / "notebooks" / "90-pick-a-widget.ipynb"
NAMES = [name for name, *_ in gallery()]
THEMES = ["JupyterLab Light", "JupyterLab Dark"]
LAST = {  # what is done last: calls of the widget
    "UpstreamEditor": ".set_upstream([1, 2])",
    "JacobianPicture": ".load('a * a').fold(False).try_product('J·v').choose_bug('no clone')"
    ".collect_all()",
    "BackwardStepper": ".load('mm').set_mode('naive recursion').forward().set_upstream('abc')",
    "SeamCutter": ".set_upstream([1, 2, 3])",
    "ShapeGate": ".choose_gradient((2, 2)).commit('refuse')",
    "GradLedger": ".load('step between').replay()",
    "LeafInspector": ".load('5 saved value').predict('is_leaf').guess('x', 'maybe')",
    "NudgeMeter": ".set_power(-8)",
    "ThenAndNow": ".load('Example 3: three entries of v for one output')",
}
# Actions, and in which themes their result is looked at: what axe takes longest for is contrast,
# and each widget's own test has that in both.
ROUNDS = {
    "as they open": (dict.fromkeys(NAMES), THEMES[:1]),
    "next": ({name: calls for name, (calls, _) in NEXT.items()}, THEMES[1:]),
    "last": (LAST, THEMES[:1]),
}
# axe-core leaves out what it takes for hidden: all that hangs out of an ancestor whose overflow is
# hidden. JupyterLab's body has no height, and its shell ends with the window.
ALL_IN_SIGHT, WINDOW = {"width": 1280, "height": 12_000}, {"width": 1280, "height": 1000}
BODY = "body { min-height: 100vh }"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """The gallery's widgets, with PyTorch's side live; `shown` holds them by name."""
    cells = nbformat.read(GALLERY, as_version=4).cells
    notebook = open_notebook(*(cell.source for cell in cells if cell.cell_type == "code"))
    page = notebook.page
    style = page.add_style_tag(content=BODY)
    notebook.run_all()
    notebook.execute(
        "panels = [Out[k] for k in sorted(Out) if hasattr(Out[k], 'model')]\n"
        "shown = {type(panel.model).__name__: panel for panel in panels}"
    )
    expect(page.locator(".mg-panel")).to_have_count(len(NAMES))
    yield notebook
    notebook.use_theme(THEMES[0])
    style.evaluate("style => style.remove()")


def _is_new(before, said):
    return said not in before


@pytest.mark.parametrize("actions, themes", ROUNDS.values(), ids=ROUNDS)
def test_axe_finds_nothing_grave_and_results_are_announced(notebook, actions, themes):
    for name, calls in actions.items():
        before = {"", announced(notebook, name)}
        if calls is not None:
            problem = notebook.execute(f"after = shown[{name!r}]{calls}")
            assert not problem, f"{name}{calls}: {problem}"
            wait_until(partial(announced, notebook, name), partial(_is_new, before))
    for theme in themes:
        notebook.use_theme(theme)
        found = grave(notebook)
        assert not found, f"{theme}:\n" + "\n".join(found)


def test_axe_finds_what_is_wrong(notebook):
    """The test above can fail: a button without a name, and grey on grey."""
    panel = notebook.panel(0)
    panel.evaluate(
        "panel => panel.insertAdjacentHTML('beforeend', "
        "'<div id=bad><button></button><p style=\"color: #777; background: #888\">grey</p></div>')"
    )
    found = " ".join(grave(notebook, "#bad", texts=0))
    panel.evaluate("panel => panel.querySelector('#bad').remove()")
    assert "button-name" in found and "color-contrast" in found


@pytest.mark.parametrize("name", NAMES)
def test_tab_reaches_every_control_with_its_name_and_leaves(notebook, name):
    panel, keyboard = notebook.panel(NAMES.index(name)).element_handle(), notebook.page.keyboard
    notebook.show_only(NAMES.index(name))
    notebook.command("notebook:enter-command-mode")
    names = panel.evaluate(CONTROLS)
    nameless = [names[k - 1 : k + 2] for k, name in enumerate(names) if not name]
    assert not nameless, nameless
    assert len(set(names)) == len(names), names
    # From the first control on, and from the last one back: no control is left out, none holds on.
    for key, numbers in (("Tab", range(len(names))), ("Shift+Tab", reversed(range(len(names))))):
        numbers, reached = [str(number) for number in numbers], []
        if not numbers:  # a card that was answered
            continue
        panel.query_selector(f"[data-looked-at='{numbers[0]}']").focus()
        while at := panel.evaluate(REACHED):
            reached.append(at)
            assert len(reached) <= 2 * len(names), f"{key} does not leave: {reached}"
            keyboard.press(key)
        assert [number for number in reached if number != "a weight's slider"] == numbers


def announced(notebook, name):
    """What a widget says in its polite region."""
    regions = notebook.panel(NAMES.index(name)).locator("[role=status][aria-live=polite]")
    return " ".join(regions.all_inner_texts()).strip()


def grave(notebook, within=".mg-panel", texts=300):
    """What axe-core finds serious or critical, each as one line; it reads more than `texts`."""
    notebook.page.set_viewport_size(ALL_IN_SIGHT)
    notebook.panel(0).evaluate("panel => panel.closest('.jp-WindowedPanel-outer').scrollTo(0, 0)")
    notebook.page.evaluate(Axe().axe_script)
    found = notebook.page.evaluate(GRAVE, within)
    notebook.page.set_viewport_size(WINDOW)  # a browser draws all that is in sight
    assert found["measured"] >= texts, (
        f"the contrast of only {found['measured']} texts was measured"
    )
    return found["grave"]


# In the page: a report of axe-core's without its names for the thousand places that are in order,
# which take half of its time. How many texts' contrast was measured, and what is grave.
GRAVE = """within => {
    const tell = ({id, impact, violations}) => violations.map(({node, any, all, none}) =>
        `${id} (${impact}): ${node.source.slice(0, 200)} `
        + [...any, ...all, ...none].map(check => check.message).join('; '));
    axe.addReporter('grave', (rules, options, done) => done({
        measured: rules.find(rule => rule.id === 'color-contrast').passes
            .filter(({any: [contrast]}) => contrast.data.messageKey !== 'hidden').length,
        grave: rules.filter(({impact}) => ['serious', 'critical'].includes(impact)).flatMap(tell),
    }));
    return axe.run(within, {reporter: 'grave'});
}"""
# In the page: the spoken name of every control that Tab should reach, and its number left on it.
# The slider of a weight is there only while the weight has focus.
CONTROLS = """panel => {
    const names = [];
    axe.setup(panel);
    const reached = 'button, input, select, summary, [tabindex="0"]';
    for (const control of panel.querySelectorAll(reached)) {
        if (control.disabled || control.getBoundingClientRect().width === 0) continue;
        if (!control.checkVisibility()) continue;  // in a fold that is closed
        if (control.matches('.mg-weight [type=range]')) continue;
        if (control.type === 'radio' && !control.checked) continue;  // a group is one stop
        if (getComputedStyle(control).visibility === 'hidden') continue;
        control.dataset.lookedAt = String(names.length);
        names.push(axe.commons.text.accessibleText(control).trim());
    }
    axe.teardown();
    return names;
}"""
REACHED = """panel => {
    const at = document.activeElement;
    if (!panel.contains(at)) return null;
    return at.matches('.mg-weight [type=range]') ? "a weight's slider" : at.dataset.lookedAt ?? '?';
}"""
