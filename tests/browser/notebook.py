"""A notebook open in a real browser: run its cells, wait for it, and look at what it shows."""

import json
import os
import shutil
import time
from pathlib import Path

from tools.test import BROWSERS

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

LOOK = 50  # ms between two looks at a page that is waited for: at each frame would keep it busy
PATIENCE = 120_000  # ms: nothing waits so long unless it fails, however busy the machine is


def chromium():
    """The Chromium named in MINIGRAD_BROWSER, else one of this machine; None: Playwright's own."""
    return os.environ.get("MINIGRAD_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )


def launch(playwright):
    return playwright.chromium.launch(executable_path=chromium(), args=FLAGS, timeout=PATIENCE)


def write_notebook(path, cells):
    """Write a small notebook of code cells."""
    Path(path).write_text(json.dumps(notebook_of(cells)))


def notebook_of(cells):
    """A notebook of code cells that were never run, as nbformat has it."""
    return {
        "cells": [
            {
                "cell_type": "code",
                "id": f"cell-{number}",
                "metadata": {},
                "source": source,
                "outputs": [],
                "execution_count": None,
            }
            for number, source in enumerate(cells)
        ],
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def wait_until(read, holds):
    """Read again and again until what is read holds, and return it.

    What a learner does is answered in pieces: each control and drawing has a message of its own,
    so one may still be as it was while another is new already.
    """
    end, pause = time.monotonic() + PATIENCE / 1000, 0.05
    while not holds(found := read()):
        assert time.monotonic() < end, found
        time.sleep(pause)
        pause = min(2 * pause, 0.8)  # reading takes time from what is waited for
    return found


HANDLE = 16  # pixels: of a browser's own slider; it stays within


def way_of(slider):
    """(left, width, y) of the way of a slider's handle across the page."""
    slider.scroll_into_view_if_needed()  # a mouse reaches only what is in the window
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    return box["x"] + HANDLE / 2, box["width"] - HANDLE, middle


def share_of(slider):
    """Where its handle stands on this way, 0 to 1."""
    low, high, value = (float(slider.get_attribute(name)) for name in ("min", "max", "value"))
    return (value - low) / (high - low)


class Notebook:
    """One notebook in one browser page.

    After `execute` the page shows all that the code changed, but for controls that are new. After
    a click or a key it does not: `settle`, or wait for what is to be seen.
    """

    place = "{address}/doc/tree/{path}?reset"

    def __init__(self, page, address, path):
        self.page = page
        page.set_default_timeout(PATIENCE)
        page.goto(self.place.format(address=address, path=path))
        self.wait_for("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady")
        self.wait_until_idle()

    def open(self, path):
        """Lay another notebook over this one: what is done from now on is done with that one."""
        self.page.evaluate(
            # Without what the command returns: to describe all of a notebook takes seconds.
            "path => { window.jupyterapp.commands.execute('docmanager:open', {path}); }",
            path,
        )
        self.wait_for(
            """path => {
                const shown = window.jupyterapp.shell.currentWidget;
                return shown?.context?.path === path && shown.sessionContext.isReady;
            }""",
            arg=path,
        )
        self.wait_until_idle()

    def close_others(self, path):
        """Close all notebooks but the one at this path, and stop their kernels."""
        self.page.evaluate(
            """async path => {
                const {shell} = window.jupyterapp;
                for (const other of [...shell.widgets('main')]) {
                    if (other.context.path === path) continue;
                    await other.sessionContext.shutdown();
                    other.dispose();
                }
            }""",
            path,
        )
        self.wait_for(
            "path => window.jupyterapp.shell.currentWidget?.context.path === path", arg=path
        )

    def renew(self, cells):
        """Show other cells on the same page. The kernel forgets all names and every widget."""
        self.page.bring_to_front()
        self.execute("__import__('ipywidgets').Widget.close_all()\n%reset -f")
        self.page.evaluate(
            "cells => window.jupyterapp.shell.currentWidget.content.model.fromJSON(cells)",
            notebook_of(cells),
        )

    def wait_for(self, holds, arg=None):
        """Wait until a function in the page says that something holds."""
        self.page.wait_for_function(holds, arg=arg, polling=LOOK)

    def wait_until_idle(self):
        self.wait_for(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status"
            " === 'idle'"
        )

    def command(self, name):
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", name)

    def run_all(self):
        """Run every cell and wait for the last one."""
        self.command("notebook:run-all-cells")
        self.wait_for(
            """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
                .filter(cell => cell.type === 'code' && cell.sharedModel.getSource().trim())
                .every(cell => cell.executionCount && cell.executionState !== 'running')"""
        )
        self.wait_until_drawn()

    def run_cell(self, number):
        """Run one cell, counted from 0, and wait for it."""
        self.page.evaluate(
            """async number => {
                const notebook = window.jupyterapp.shell.currentWidget.content;
                notebook.deselectAll();
                notebook.activeCellIndex = number;
                await window.jupyterapp.commands.execute('notebook:run-cell');
            }""",
            number,
        )
        self.wait_until_drawn()

    def wait_until_drawn(self):
        """Wait until every widget among the outputs stands on the page with all its parts."""
        self.wait_for(
            """() => {
                const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells];
                const kind = 'application/vnd.jupyter.widget-view+json';
                const outputs = cells.filter(cell => cell.type === 'code').flatMap(({outputs}) =>
                    [...Array(outputs.length).keys()].map(number => outputs.get(number)));
                const widgets = outputs.filter(output => kind in (output.data ?? {}));
                const panels = [...document.querySelectorAll('.mg-panel')]
                    .filter(panel => !panel.parentElement.closest('.mg-panel'));
                // An empty lm-Widget holds the place of a part that is still to come.
                return panels.length === widgets.length
                    && !document.querySelector('.mg-panel .lm-Widget:not(.jupyter-widgets)');
            }"""
        )
        self.wait_until_idle()

    def panel(self, number=0):
        """The widget panel with this number on the page, counted from 0."""
        return self.page.locator(".mg-panel").nth(number)

    def show_only(self, *panels):
        """Hide all cells but those with these panels; without numbers, show them all again.

        For each change of one panel a browser lays out all that a page shows, so a page of twenty
        takes three times as long. What is hidden is still there, and still changes.
        """
        self.page.evaluate(
            """numbers => {
                const panels = [...document.querySelectorAll('.mg-panel')];
                for (const cell of window.jupyterapp.shell.currentWidget.content.widgets) {
                    const shown = numbers.some(number => cell.node.contains(panels[number]));
                    cell.setHidden(numbers.length > 0 && !shown);
                }
            }""",
            panels,
        )

    def execute(self, code):
        """Run code in the notebook's kernel, apart from its cells, and return what it printed."""
        return self.page.evaluate(
            """async code => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const future = kernel.requestExecute({code, store_history: false});
                let text = '';
                future.onIOPub = message => {
                    if (message.header.msg_type === 'stream') text += message.content.text;
                    if (message.header.msg_type === 'error') text += message.content.evalue;
                };
                await future.done;
                return text;
            }""",
            code,
        )

    def settle(self):
        """Wait until the page shows the whole answer to what was done on it.

        A widget's answer comes in pieces, a message for each control and drawing, and what is
        looked at in between is partly old, or just being replaced. A kernel answers in the order in
        which it was asked, and a page shows answers in the order in which they come. So, once one
        more question is answered, all is there. The second one is for edits that followed so
        quickly that ipywidgets held the last of them back until the one before it was answered.
        """
        for _ in range(2):
            self.execute("pass")

    def restart(self):
        """Restart the kernel, without a question."""
        self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
        )
        self.wait_until_idle()

    def shut_down(self):
        """Stop the kernel: each takes a third of a gigabyte once torch is imported."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget?.sessionContext.shutdown()")

    def use_theme(self, name):
        if self.page.locator("body").get_attribute("data-jp-theme-name") == name:
            return
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name
        )
        light = "false" if "Dark" in name else "true"
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        # JupyterLab lays a splash over the page while it changes its colours.
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    # --- what the upstream editor shows ---------------------------------------------------------

    def box(self, row, column, panel=0):
        """The box for one weight of a matrix v, found by its spoken name."""
        name = f"upstream gradient, row {row}, column {column}"
        return self.panel(panel).get_by_role("textbox", name=name, exact=True)

    def entry(self, position, panel=0):
        """The box for one weight of a vector v."""
        name = f"upstream gradient, entry {position}"
        return self.panel(panel).get_by_role("textbox", name=name, exact=True)

    def field(self, panel=0):
        """The field in which all of v is typed as a list."""
        return self.panel(panel).get_by_role("textbox", name="v =", exact=True)

    def gradient(self, side, panel=0):
        """The numbers of one result column: "minigrad", "torch" or "nudge"."""
        cells = self.panel(panel).locator(f".mg-{side} td").all_inner_texts()
        return [float(cell.replace("\u2212", "-")) for cell in cells]

    def wait_for_gradient(self, side, values, panel=0):
        """Wait until a result column shows these numbers."""
        self.wait_for(
            """([panel, side, values]) => {
                const cells = document.querySelectorAll('.mg-panel')[panel]
                    ?.querySelectorAll(`.mg-${side} td`) ?? [];
                const shown = [...cells].map(cell => Number(cell.innerText.replace('\u2212', '-')));
                return shown.length === values.length
                    && shown.every((value, k) => Math.abs(value - values[k])
                                                 <= 1e-4 * Math.abs(values[k]));
            }""",
            arg=[panel, side, values],
        )

    def tab_to(self, role, name, limit=80):
        """Press Tab until the control with this role and name has focus."""
        target = self.page.get_by_role(role, name=name, exact=True)
        target.first.wait_for()
        for _ in range(limit):
            if target.evaluate_all("found => found.includes(document.activeElement)"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never reached the {role} {name!r}")
