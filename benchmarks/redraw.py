"""How long every widget takes from an edit to the new picture, and to its first display.

    python3 run.py bench redraw            in Python alone, and in JupyterLab in a real browser
    python3 run.py bench redraw --python   in Python alone
    python3 run.py bench redraw SeamCutter     of this widget alone, or of several

Prints milliseconds, median and 95th percentile, and the load of the machine; in a browser also when
the page was changed, which is seen with its next frame, and for a widget with a slider how many
pictures a second a drag shows. In Python alone the time is that of the model and of all drawings,
without sending anything. The browser part opens a JupyterLab of its own and works the controls; the
time runs from the click, the choice or the key Enter to the last change that it makes on the panel.
torch is imported before anything is timed, so PyTorch's side is live. A drag is a mouse that moves
a slider's handle to and fro in each frame of the page; a picture is a frame in which the numbers
that follow are new. The first row is the least that can be: a bare text box, or slider, whose value
a bare HTML widget repeats. Edits come half a second apart, as a learner's do: quicker ones wait for
each other's receipts on the way from the server to the browser, up to 40 ms.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from minigrad.classroom import widgets
from minigrad.classroom.compare import engines

EDITS, WARM_UP = 30, 6
APART = 380  # milliseconds from the end of one edit's wait to the next edit
DRAGGED = 4.0  # seconds of a drag
SETTLED = 1000  # milliseconds from a panel's first display to its first edit


def shorten():
    """Just enough to see that everything is measured; the figures say nothing."""
    global EDITS, WARM_UP, APART, DRAGGED, SETTLED
    EDITS, WARM_UP, APART, DRAGGED, SETTLED = 2, 0, 0, 0.3, 0


# For each widget: how it opens; two edits of its model, taken in turn; the same by its controls,
# as (what is done, role, spoken name, value).
CARD = 'PredictCard("What will a.grad be?", answer=[2, 4])'
WIDGETS = {
    "PredictCard": (
        CARD,
        (lambda w: w.commit([1, 2]), lambda w: w.commit([1, 4])),
        None,  # one answer is all there is to give
    ),
    "UpstreamEditor": (
        "UpstreamEditor()",
        (lambda w: w.set_upstream_entry((0, 1), 3), lambda w: w.set_upstream_entry((0, 1), 4)),
        [("type", "textbox", "upstream gradient, row 1, column 2", text) for text in "34"],
    ),
    "JacobianPicture": (
        "JacobianPicture()",
        (lambda w: w.set_upstream([3, 10]), lambda w: w.set_upstream([4, 10])),
        [("type", "textbox", "upstream gradient, entry 1", text) for text in "34"],
    ),
    "BackwardStepper": (
        "BackwardStepper()",
        (lambda w: w.forward(), lambda w: w.back()),
        [("click", "button", "next \u25b6", ""), ("click", "button", "\u25c0", "")],
    ),
    "SeamCutter": (
        "SeamCutter()",
        (lambda w: w.set_upstream([3, 1]), lambda w: w.set_upstream([4, 1])),
        [("type", "textbox", "upstream gradient, entry 1", text) for text in "34"],
    ),
    "ShapeGate": (
        "ShapeGate()",
        (lambda w: w.choose_gradient((3,)), lambda w: w.choose_gradient((1,))),
        [("choose", "combobox", "gradient", shape) for shape in ("(3,)", "(1,)")],
    ),
    "GradLedger": (
        "GradLedger()",
        (lambda w: w.backward(), lambda w: w.reset()),
        [("click", "button", "backward(v)", ""), ("click", "button", "start anew", "")],
    ),
    "LeafInspector": (
        "LeafInspector()",
        (lambda w: w.tick("y", "hook"), lambda w: w.tick("y", "hook", False)),
        [("click", "checkbox", "hook on y", "")] * 2,
    ),
    "NudgeMeter": (
        "NudgeMeter()",
        (lambda w: w.set_power(-2), lambda w: w.set_power(-3)),
        [("type", "textbox", "eps =", text) for text in ("0.01", "0.001")],
    ),
    "ThenAndNow": (
        "ThenAndNow()",
        (lambda w: w.load("the gradient [1, 0]"), lambda w: w.load("the gradient [1, 1]")),
        [
            ("choose", "combobox", "example", "the gradient [1, 0]"),
            ("choose", "combobox", "example", "the gradient [1, 1]"),
        ],
    ),
}
OPENED = {"JacobianPicture": "shown.go_to(2)"}  # before its edits, so that v·J stands under J
# {widget: (the box whose focus shows the slider, the slider, what follows, in CSS)}
SLIDERS = {
    "a bare box and its echo": ("bare", "bare slider", "p"),
    "UpstreamEditor": (
        "upstream gradient, row 1, column 2",
        "slide upstream gradient, row 1, column 2",
        ".mg-minigrad",
    ),
    "JacobianPicture": (
        "upstream gradient, entry 1",
        "slide upstream gradient, entry 1",
        ".mg-jac",
    ),
    "SeamCutter": (
        "upstream gradient, entry 1",
        "slide upstream gradient, entry 1",
        ".mg-seam svg",
    ),
    "NudgeMeter": ("eps =", "slide eps, a power of ten", ".mg-slopes"),
}
BARE = """\
import ipywidgets
box = ipywidgets.Text(description="bare", continuous_update=False)
area = ipywidgets.HTML("nothing was typed yet")
def echo(change):
    area.value = f"<p>this is {change['new']}</p>"
slide = ipywidgets.IntSlider(description="bare slider", max=40, readout=False)
for control in (box, slide):
    control.observe(echo, "value")
bare = ipywidgets.VBox([box, slide, area])
_ = bare.add_class("mg-panel")
bare"""
BARE_EDITS = [("type", "textbox", "bare", text) for text in "34"]
HERE = {name: entry for name, entry in WIDGETS.items() if hasattr(widgets, name)}


def in_python(asked):
    """(widget, milliseconds of making and first drawing, [those of each edit], [], None)."""
    engines.torch_now()
    for name, (line, edits, _) in asked.items():
        eval(f"widgets.{line}")  # what is done once in a kernel is not counted
        start = time.perf_counter()
        widget = eval(f"widgets.{line}")
        widget._repr_mimebundle_()
        first = _milliseconds_since(start)
        if name in OPENED:
            eval(OPENED[name], {"shown": widget})
        times = []
        for number in range(EDITS + WARM_UP):
            start = time.perf_counter()
            edits[number % 2](widget)
            times.append(_milliseconds_since(start))
        yield name, first, times[WARM_UP:], [], None


def _milliseconds_since(start):
    return 1000 * (time.perf_counter() - start)


# In the page: does something to a control, and resolves with the milliseconds to the panel's last
# change and to the frame after it; a panel that has been quiet for 120 ms is done.
ACT_AND_WAIT = """([control, what, value]) => new Promise((resolve, reject) => {
    const panel = control.closest('.mg-panel');
    let quiet = null;
    const begun = performance.now();
    const passed = () => performance.now() - begun;
    const watch = new MutationObserver(() => {
        const changed = passed();
        requestAnimationFrame(() => {
            const seen = passed();
            clearTimeout(quiet);
            quiet = setTimeout(() => { watch.disconnect(); resolve([changed, seen]); }, 120);
        });
    });
    watch.observe(panel, {childList: true, subtree: true, characterData: true, attributes: true});
    setTimeout(() => { watch.disconnect(); reject(new Error('nothing changed')); }, 30000);
    if (what === 'click') control.click();
    if (what === 'choose') {
        const texts = [...control.options].map(one => one.text.replaceAll('\\xa0', ' '));
        if (!texts.includes(value)) reject(new Error(`no ${value} among ${texts.join('; ')}`));
        control.selectedIndex = texts.indexOf(value);
        control.dispatchEvent(new Event('change', {bubbles: true}));
    }
    if (what === 'type') {
        control.focus();
        control.value = value;
        control.dispatchEvent(new Event('input', {bubbles: true}));
        control.dispatchEvent(new Event('change', {bubbles: true}));
    }
})"""


def in_browser(asked):
    """(widget, milliseconds from its cell to its panel, [from edits until they are seen], [until
    the page is changed], its drag), in turn."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import running_lab
    from tests.browser.notebook import Notebook, launch, write_notebook

    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as private:
        write_notebook(Path(folder, "bench.ipynb"), cells(asked))
        with running_lab(folder, private) as address, sync_playwright() as playwright:
            page = launch(playwright).new_page(viewport={"width": 1280, "height": 1000})
            yield from in_notebook(Notebook(page, address, "bench.ipynb"), asked)


def cells(asked):
    panels = [f"shown = widgets.{line}\nshown" for line, *_ in asked.values()]
    return ["from minigrad.classroom import widgets", BARE, *panels]


def in_notebook(notebook, asked):
    """The same, in an open notebook of these cells."""
    every = [("a bare box and its echo", BARE_EDITS)]
    every += [(name, edits) for name, (_, _, edits) in asked.items()]
    notebook.execute("from minigrad.classroom.compare import engines\ntorch = engines.torch_now()")
    notebook.run_cell(0)
    for number, (name, edits) in enumerate(every):
        first = notebook.page.evaluate(RUN_AND_WAIT, number)
        if name in OPENED:
            notebook.execute(OPENED[name])
        notebook.page.wait_for_timeout(SETTLED)
        times = []
        for turn in range(EDITS + WARM_UP if edits else 0):
            what, role, spoken, value = edits[turn % 2]
            control = notebook.panel(number).get_by_role(role, name=spoken, exact=True)
            notebook.page.wait_for_timeout(APART)
            handle = control.element_handle()
            handle.wait_for_element_state("enabled")
            times.append(notebook.page.evaluate(ACT_AND_WAIT, [handle, what, value]))
        drag = SLIDERS.get(name)
        rate = drag and dragged(notebook.page, notebook.panel(number), drag)
        changed, seen = zip(*times[WARM_UP:]) if times else ((), ())
        yield name, first, seen, changed, rate


def dragged(page, panel, slider):
    """How many pictures a second a panel shows while its slider is dragged."""
    opens, slides, follows = slider
    panel.get_by_role("textbox", name=opens, exact=True).focus()
    slider = panel.get_by_role("slider", name=slides, exact=True)
    if not slider.count():  # the bare one, which is ipywidgets'
        slider = panel.locator(".widget-slider").filter(has_text=slides).locator(".noUi-handle")
    return page.evaluate(DRAG, [slider.element_handle(), follows, 1000 * DRAGGED]) / DRAGGED


# In the page: drags a slider to and fro, once a second, and resolves with the number of frames in
# which the text of what follows was new. A browser's own slider is moved in each frame by its
# value, as its handle does under the mouse; ipywidgets' by mouse events on its handle.
DRAG = """([handle, follows, milliseconds]) => new Promise(resolve => {
    const panel = handle.closest('.mg-panel'), own = handle.matches('input');
    const {left, width} = (own ? handle : handle.closest('.noUi-target')).getBoundingClientRect();
    const at = handle.getBoundingClientRect();
    const send = (what, to, x) => to.dispatchEvent(new MouseEvent(what, {
        clientX: x, clientY: at.top + at.height / 2, buttons: what === 'mouseup' ? 0 : 1,
        bubbles: true, cancelable: true}));
    const move = share => {
        if (!own) return send('mousemove', document.body, left + share * width);
        handle.value = Number(handle.min) + share * (handle.max - handle.min);
        handle.dispatchEvent(new Event('input', {bubbles: true}));
    };
    const text = () => panel.querySelector(follows)?.textContent;
    let pictures = 0, before = text();
    const begun = performance.now();
    const frame = () => {
        const passed = performance.now() - begun, now = text();
        if (now !== before) { pictures += 1; before = now; }
        if (passed > milliseconds) {
            if (!own) send('mouseup', document.body, 0);
            resolve(pictures);
        } else {
            move(Math.abs(1 - 2 * ((passed / 1000) % 1)));
            requestAnimationFrame(frame);
        }
    };
    if (own) handle.focus();
    else send('mousedown', handle.firstElementChild, at.left + at.width / 2);
    requestAnimationFrame(frame);
})"""
RUN_AND_WAIT = """number => new Promise((resolve, reject) => {
    const begun = performance.now();
    setTimeout(() => reject(new Error('no panel')), 30000);
    const look = () => {
        const panel = document.querySelectorAll('.mg-panel')[number];
        if (panel && panel.innerText.trim().length > 10) resolve(performance.now() - begun);
        else requestAnimationFrame(look);
    };
    // The cell after the one with the import; typing into a panel has made its cell active.
    window.jupyterapp.shell.currentWidget.content.activeCellIndex = number + 1;
    window.jupyterapp.commands.execute('notebook:run-cell');
    look();
})"""


def report(where, rows):
    load = (
        f" (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)" if os.name == "posix" else ""
    )
    print(f"\n{where}, milliseconds{load}", flush=True)
    print(f"{'':<40}first   median     95 %   changed   dragged", flush=True)
    for name, first, times, changed, rate in rows:
        line = f"  {name:<36}{first:7.1f}"
        if times:
            late = sorted(times)[int(0.95 * (len(times) - 1))]
            line += f"{statistics.median(times):9.1f}{late:9.1f}"
            line += f"{statistics.median(changed):10.1f}" if changed else " " * 10
        print(line + (f"{rate:8.1f}/s" if rate is not None else ""), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", action="store_true", help="leave the browser out")
    parser.add_argument("widget", nargs="*", help=f"of {', '.join(HERE)}; all, if none is named")
    parser.add_argument("--short", action="store_true", help="two edits of each, to try it out")
    options = parser.parse_args()
    if options.short:
        shorten()
    asked = {name: HERE[name] for name in options.widget or HERE}
    report("Python alone", in_python(asked))
    if not options.python:
        report("JupyterLab in Chromium", in_browser(asked))
