"""Panels inside a container of ipywidgets, as a lecturer puts two beside each other."""

import pytest

from minigrad.classroom import widgets
from tests.browser.notebook import wait_until

LINES = [
    f"{name}('How many?', answer=2)" if name == "PredictCard" else f"{name}()"
    for name in widgets.__all__
]
WIDTHS = """panel => {
    const output = panel.closest('.jp-OutputArea-output');
    const [within, frame] = [panel, output].map(part => part.getBoundingClientRect());
    return [within.width, frame.right - within.right, output.scrollWidth - output.clientWidth];
}"""


@pytest.fixture(scope="module")
def pairs(open_notebook):
    notebook = open_notebook(
        "import ipywidgets\nfrom minigrad.classroom import widgets",
        *(
            f"ipywidgets.HBox([widgets.{one}, widgets.{other}])"
            for one, other in zip(LINES[::2], LINES[1::2])
        ),
    )
    notebook.command("notebook:run-all-cells")
    wait_until(notebook.page.locator(".mg-panel").count, lambda count: count == len(LINES))
    return notebook


@pytest.mark.parametrize("number", range(len(LINES)), ids=LINES)
def test_two_panels_share_the_width_and_none_pokes_out(pairs, number):
    width, room, overflow = wait_until(
        lambda: pairs.panel(number).evaluate(WIDTHS), lambda found: found[0] > 0
    )
    assert width >= 359 and room > -1 and overflow < 1
