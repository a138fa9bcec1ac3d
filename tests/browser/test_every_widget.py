"""What holds for every widget, in a real JupyterLab.

The page shows what the model holds, quick edits lose nothing, a copy beside it stays as it is, and
running a cell again or restarting the kernel leaves no ghost.
"""

import json

import pytest
from playwright.sync_api import expect

from minigrad.classroom import widgets as every
from tests.browser.notebook import wait_until

# In the kernel: two copies of each widget, what one shows, and a twin that was told the same.
SETUP = '''
import json
from minigrad.classroom import widgets
from minigrad.classroom.compare import engines

one, two = {}, {}

def twin(line, calls=""):
    told = eval(f"widgets.{line}{calls}")
    return getattr(told, "model", told)

def compare(widget, line, calls):
    """Whether a widget is as if it had been told just this; else both states."""
    mine, other = widget.state(), twin(line, calls).state()
    print(True if repr(mine) == repr(other) else (mine, other))
'''
# In the page: a panel's HTML, without what is the page's own: which folds are open, what keys do.
# A slider under the hand keeps its scale; what waits for PyTorch keeps what it showed.
SHOWN = """(panel, html) => {
    const root = document.createElement('div');
    root.innerHTML = html ?? panel.firstElementChild.innerHTML;
    for (const part of root.querySelectorAll('*')) {
        for (const own of ['open', 'data-lm-suppress-shortcuts', 'data-looked-at', 'style']) {
            part.removeAttribute(own);
        }
        const scale = part.type === 'range' ? ['min', 'max', 'step', 'value'] : [];
        for (const name of scale) part.removeAttribute(name);
        for (const {name, value} of [...part.attributes].sort((a, b) => a.name < b.name ? -1 : 1)) {
            part.removeAttribute(name);  // all in one order
            part.setAttribute(name, value);
        }
    }
    return root.innerHTML;
}"""
# In the page: quick edits of one control, some milliseconds apart, and then at once a click.
QUICK = """async ([control, values, button, pause]) => {
    for (const value of values) {
        control.focus();
        if (control.matches('select')) {
            control.selectedIndex = [...control.options].findIndex(
                one => one.text.replaceAll('\u00a0', ' ').split(':')[0] === value);
        } else if (!control.matches('button, [type=checkbox]')) {
            control.value = value;
            control.dispatchEvent(new Event('input', {bubbles: true}));
        }
        if (control.matches('button, [type=checkbox]')) control.click();
        else control.dispatchEvent(new Event('change', {bubbles: true}));
        if (pause) await new Promise(done => setTimeout(done, pause));
    }
    button?.click();
}"""

NUMBERS = [str(number) for number in range(1, 41)]
SHAPES = ["(3,)", "(1, 3)", "(2, 2)", "(10,)"] * 10
LISTS = [f"[{number}, 0, 2]" for number in NUMBERS]
CELLS = ["the gradient [1, 1]", "the gradient [1, 0]"] * 20  # their names: the list says more

# For each widget: how it opens; a control, its edits, and the last edit as a call of the model; a
# button that follows, and both as calls. (What is typed into a card counts when it is committed.)
WIDGETS = {
    "PredictCard": (
        "PredictCard('x.grad?', answer=[2, 4])",
        ("textbox", "your guess", [f"[{k}, 4]" for k in NUMBERS], ""),
        ("Commit", ".commit([40, 4])"),
    ),
    "UpstreamEditor": (
        "UpstreamEditor()",
        (
            "textbox",
            "upstream gradient, row 1, column 2",
            NUMBERS,
            ".set_upstream_entry((0, 1), 40)",
        ),
        ("ones", ".press('ones')"),
    ),
    "JacobianPicture": (
        "JacobianPicture()",
        ("textbox", "upstream gradient, entry 2", NUMBERS, ".set_upstream_entry((1,), 40)"),
        ("\u25cb add columns", ".set_upstream([1, 40]).go_to(2)"),
    ),
    "BackwardStepper": (
        "BackwardStepper()",
        ("textbox", "upstream gradient", NUMBERS, ".set_upstream(40)"),
        ("next \u25b6", ".set_upstream(40).forward()"),
    ),
    "SeamCutter": (
        "SeamCutter()",
        ("textbox", "upstream gradient, entry 1", NUMBERS, ".set_upstream([40, 1])"),
        ("\u25cb forget g", ".set_upstream([40, 1]).choose_mistake('forget')"),
    ),
    "ShapeGate": (
        "ShapeGate()",
        ("combobox", "gradient", SHAPES, ".choose_gradient((10,))"),
        ("it refuses", ".choose_gradient((10,)).commit('refuse')"),
    ),
    "GradLedger": (
        "GradLedger()",
        ("textbox", "v =", LISTS, ".set_upstream([40, 0, 2])"),
        ("backward(v)", ".set_upstream([40, 0, 2]).backward()"),
    ),
    "LeafInspector": (
        "LeafInspector()",
        ("checkbox", "hook on y", NUMBERS[1:], ".tick('y', 'hook')"),
        ("untick all", ".untick_all()"),
    ),
    "NudgeMeter": (
        "NudgeMeter()",
        ("textbox", "eps =", [f"{k}/4000" for k in NUMBERS], ".set_eps(0.01)"),
        ("\u25c0", ".set_power(-2.5)"),
    ),
    "ThenAndNow": (
        "ThenAndNow()",
        ("combobox", "example", CELLS, ".load('the gradient [1, 0]')"),
        ("\u25cb with the smallest edit", ".load('the gradient [1, 0]').choose('edited')"),
    ),
}
NAMES = list(WIDGETS)


def cells():
    for name, (line, *_) in WIDGETS.items():
        for copy in ("one", "two"):
            yield f"{copy}['{name}'] = widgets.{line}\n{copy}['{name}']"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """One page with two copies of each widget, and PyTorch at hand."""
    notebook = open_notebook(SETUP, *cells())
    notebook.execute("from minigrad.classroom.compare import engines\nengines.torch_now()")
    notebook.run_all()
    return notebook


class Driven:
    """A widget's first copy under a learner's hands."""

    def __init__(self, notebook, name):
        self.notebook, self.name = notebook, name
        first = 2 * NAMES.index(name)
        notebook.show_only(first, first + 1)
        self.panel = notebook.panel(first)
        self.line, (role, spoken, self.values, self.last), (button, self.both) = WIDGETS[name]
        self.control = self.panel.get_by_role(role, name=spoken, exact=True)
        self.button = self.panel.get_by_role("button", name=button, exact=True)

    def edit(self, values, click=False, pause=4):
        if click and self.button.is_disabled():  # until something else is ticked, too
            self.panel.get_by_role("checkbox", name="retain y.grad").click()
            expect(self.button).to_be_enabled()
        button = self.button.element_handle() if click else None
        self.notebook.page.evaluate(QUICK, [self.control.element_handle(), values, button, pause])

    def is_as_if_told(self, calls):
        """Wait until the model's state is that of a twin which was told this."""
        code = f"compare(one[{self.name!r}], {self.line!r}, {calls!r})"
        wait_until(lambda: self.notebook.execute(code).strip(), "True".__eq__)
        agrees(self.notebook, self.name)


def agrees(notebook, name, copy="one"):
    """Wait until the page shows what a copy holds, word by word."""
    panel = notebook.panel(2 * NAMES.index(name) + (copy == "two"))
    code = f"print(json.dumps({copy}[{name!r}].html))"

    def both():
        return panel.evaluate(SHOWN, json.loads(notebook.execute(code))), panel.evaluate(SHOWN)

    wait_until(both, lambda found: found[0] == found[1])


def run_again(notebook, name):
    """A widget's first copy, by a new run of its cell."""
    notebook.run_cell(1 + 2 * NAMES.index(name))
    agrees(notebook, name)
    return Driven(notebook, name)


def test_every_widget_is_here():
    assert sorted(NAMES) == sorted(every.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_the_last_of_quick_edits_shows_the_copy_stays_and_a_new_run_leaves_no_ghost(notebook, name):
    driven = Driven(notebook, name)
    other = notebook.panel(2 * NAMES.index(name) + 1)
    before = other.evaluate(SHOWN)
    driven.edit(driven.values)
    driven.is_as_if_told(driven.last)
    if driven.control.get_attribute("type") == "text":
        expect(driven.control).to_have_value(driven.values[-1])
    assert other.evaluate(SHOWN) == before
    agrees(notebook, name, "two")
    notebook.execute(f"old = one[{name!r}]; before = repr(old.state())")
    driven = run_again(notebook, name)
    expect(notebook.page.locator(".mg-panel")).to_have_count(2 * len(NAMES))
    driven.edit(driven.values[-1:], click=True, pause=0)
    driven.is_as_if_told(driven.both)
    assert notebook.execute("print(before == repr(old.state()))").strip() == "True"


@pytest.mark.parametrize(
    "name", ["UpstreamEditor", "JacobianPicture", "BackwardStepper", "SeamCutter", "NudgeMeter"]
)
def test_every_example_fits_a_laptops_screen(notebook, name):
    panel, execute = run_again(notebook, name).panel, notebook.execute
    panel.evaluate("panel => panel.style.width = '829px'")  # beside the list of files
    for example in json.loads(execute(f"print(json.dumps(one[{name!r}].examples()))")):
        execute(f"one[{name!r}].load({example!r})")
        height, scrolling = panel.evaluate(
            """panel => [panel.offsetHeight, [panel, ...panel.querySelectorAll('.mg-scroll')]
                .filter(part => part.scrollWidth > part.clientWidth + 1).length]"""
        )
        assert height <= 620 and not scrolling, (example, height, scrolling)


# In the page: what is said of the kernel before anything in a panel.
MARKS = """() => [...document.querySelectorAll('.mg-panel, .mg-panel *')]
    .map(element => getComputedStyle(element, '::before'))
    .filter(mark => mark.display !== 'none' && mark.content !== 'none')
    .map(mark => mark.content).filter(text => text.includes('kernel'))"""


@pytest.fixture(scope="module")
def stopped(notebook):
    """The marks on the panels of a kernel that is no more. Then all cells are run again."""
    notebook.show_only()
    before = notebook.page.evaluate(MARKS)
    notebook.restart()
    dead = notebook.page.locator(".mg-panel.jupyter-widgets-disconnected")
    expect(dead).to_have_count(2 * len(NAMES))
    marks = notebook.page.evaluate(MARKS)
    notebook.execute("from minigrad.classroom.compare import engines\nengines.torch_now()")
    notebook.run_all()
    return before, marks


@pytest.fixture
def restarted(notebook, stopped):
    return notebook


def test_a_stopped_kernel_is_said_once_on_each_panel(stopped):
    before, marks = stopped
    assert before == []
    assert marks == [
        '"The kernel behind this has stopped. To use it again: Run, then Run All Cells."'
    ] * (2 * len(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_restarting_the_kernel_leaves_no_ghost(restarted, name):
    expect(restarted.page.locator(".mg-panel")).to_have_count(2 * len(NAMES))
    driven = Driven(restarted, name)
    agrees(restarted, name)
    agrees(restarted, name, "two")
    driven.edit(driven.values[-1:], click=True, pause=0)
    driven.is_as_if_told(driven.both)
