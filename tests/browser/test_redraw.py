"""The benchmark of redrawing measures every widget, here as shortly as it can."""

import pytest

from benchmarks import redraw


@pytest.fixture
def short(monkeypatch):
    for name in ("EDITS", "WARM_UP", "APART", "DRAGGED", "SETTLED"):
        monkeypatch.setattr(redraw, name, getattr(redraw, name))  # as it is now, afterwards
    redraw.shorten()


def test_every_widget_is_measured_in_python_and_in_a_browser(short, open_notebook, capsys):
    redraw.report("Python alone", redraw.in_python(redraw.HERE))
    notebook = open_notebook(*redraw.cells(redraw.HERE))
    redraw.report("JupyterLab in Chromium", redraw.in_notebook(notebook, redraw.HERE))
    told = capsys.readouterr().out
    assert all(told.count(f"  {name} ") == 2 for name in redraw.HERE)
    assert told.count("/s") == len(redraw.SLIDERS)
