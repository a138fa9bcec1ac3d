"""What the notebook command stores, and what it refuses to store."""

import json

import nbformat
import pytest

from tools import notebooks
from tools.notebooks import execute, main

WIDGET = """\
import ipywidgets

class Snapshot(ipywidgets.IntSlider):
    def _repr_mimebundle_(self, **kwargs):
        live = super()._repr_mimebundle_(**kwargs)
        return {**live, "text/plain": "slider at 3", "text/html": "<b>3</b>"}

Snapshot(value=3)"""


def test_running_twice_changes_no_byte(notebook, capsys):
    path = notebook(
        "1 + 1",
        "print('a')\nimport sys; print('b', file=sys.stderr); print('c')",
        "{'b': 1}",
        WIDGET,
        ("1 / 0", "raises-exception"),
    )
    for said in ("written", "unchanged"):
        with pytest.raises(SystemExit) as stop:
            main([str(path)])
        assert stop.value.code == 0
        assert said in capsys.readouterr().out
    assert not list(path.parent.glob("*.new"))


def test_outputs_are_stored_and_nothing_of_this_run(notebook):
    path = notebook("40 + 2", WIDGET, ("1 / 0", "raises-exception"))
    text = execute(path)
    nb = nbformat.reads(text, as_version=4)
    number, widget, error = nb.cells
    assert number.execution_count == 1 and number.outputs[0].data == {"text/plain": "42"}
    assert widget.outputs[0].data == {"text/plain": "slider at 3", "text/html": "<b>3</b>"}
    assert error.outputs[0].traceback == ["ZeroDivisionError: division by zero"]
    assert error.metadata == {"tags": ["raises-exception"]}
    assert "model_id" not in text and "iopub" not in text and "widgets" not in nb.metadata
    assert "version" not in nb.metadata.language_info


def test_what_an_author_says_of_a_cell_stays_and_what_jupyter_adds_goes(notebook):
    path = notebook("1")
    nb = nbformat.read(path, as_version=4)
    nb.cells[0].metadata = {
        "slideshow": {"slide_type": "slide"},
        "scrolled": True,
        "example": ["S0-1", "S0-5"],
        "confusion": 10,
        "statement": "S2 leaf",
        "execution": {"iopub.execute_input": "2026-01-01T00:00:00Z"},
    }
    nb.metadata["authors"] = [{"name": "Ada"}]
    nbformat.write(nb, path)
    nb = nbformat.reads(execute(path), as_version=4)
    assert nb.cells[0].metadata == {
        "slideshow": {"slide_type": "slide"},
        "confusion": 10,
        "example": ["S0-1", "S0-5"],
        "statement": "S2 leaf",
    }
    assert nb.metadata["authors"] == [{"name": "Ada"}]


def test_storing_a_lesson_solves_no_exercise(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    path = notebook(
        "import minigrad as torch\nfrom minigrad.classroom import check, progress",
        "check('03-3', torch.tensor([0., 1., 0.])).passed",
        "progress().solved",
    )
    assert [
        cell.outputs[0].data["text/plain"]
        for cell in nbformat.reads(execute(path), as_version=4).cells[1:]
    ] == ["True", "[]"]
    assert not (tmp_path / "progress.json").exists()


def test_a_kernel_begins_with_nothing_of_ours_or_of_another_kernel(notebook):
    """Though kernels are forked, where that is possible, from one process."""
    begins = """
import os, sys
"here" in os.environ, [one for one in sys.modules if one.startswith(("minigrad", "tests"))], \\
os.listdir(), [one for one in sys.path if one.endswith(("tools", "tests"))]"""
    for _ in range(2):
        path = notebook(begins, "os.environ['here'] = 'one'; import minigrad")
        nb = nbformat.reads(execute(path), as_version=4)
        shown = nb.cells[0].outputs[0].data["text/plain"]
        assert shown == "(False, [], ['tiny.ipynb'], [])"


def test_a_notebook_without_cell_ids_gets_lasting_ones(tmp_path):
    path = tmp_path / "old.ipynb"
    path.write_text(
        json.dumps(
            {
                "cells": [
                    {
                        "cell_type": "code",
                        "source": "1",
                        "metadata": {},
                        "outputs": [],
                        "execution_count": None,
                    }
                ],
                "metadata": {},
                "nbformat": 4,
                "nbformat_minor": 4,
            }
        )
    )
    first = execute(path)
    assert first == execute(path)
    path.write_text(first)
    assert execute(path) == first


@pytest.mark.parametrize(
    "cell, why",
    [
        ("object()", "prints a memory address"),
        ("print(__import__('warnings').warn('w'))", "prints a process id"),
        ("import os; print(os.getcwd())", "prints a path of this machine"),
        ("import sys; print(sys.executable)", "prints a path of this machine"),
        ("", "is empty"),
        (("1", "skip-execution"), "was never run"),
        (("1", "nbval-skip"), "would not be compared"),
        ("# NBVAL_IGNORE_OUTPUT\n1", "would not be compared"),
        (("1", "raises-exception"), "raises nothing"),
        ("1 / 0", "division by zero"),
        ("import os; os._exit(1)", "died"),
    ],
)
def test_a_notebook_that_cannot_be_compared_is_refused_and_left_alone(notebook, capsys, cell, why):
    path = notebook("1", cell)
    before = path.read_bytes()
    with pytest.raises(SystemExit) as stop:
        main([str(path)])
    assert stop.value.code == 1
    assert why in capsys.readouterr().out
    assert path.read_bytes() == before


def test_check_writes_nothing_and_fails_on_any_difference(notebook, capsys):
    path = notebook("6 * 7")
    path.write_text(execute(path))
    with pytest.raises(SystemExit) as stop:
        main(["--check", str(path)])
    assert stop.value.code == 0

    changed = path.read_text().replace('"42"', '"43"')
    path.write_text(changed)
    with pytest.raises(SystemExit) as stop:
        main(["--check", str(path)])
    assert stop.value.code == 1
    assert '"43"' in (said := capsys.readouterr().out) and '"42"' in said
    assert path.read_text() == changed


def test_what_is_no_notebook_gets_a_sentence(tmp_path, capsys):
    for content in ("{", "[]"):
        path = tmp_path / "broken.ipynb"
        path.write_text(content)
        with pytest.raises(SystemExit) as stop:
            main([str(path), str(tmp_path / "missing.ipynb")])
        assert stop.value.code == 1
        assert capsys.readouterr().out.count("refused, and left as it was") == 2
        assert path.read_text() == content


def test_without_names_the_command_takes_every_lesson(monkeypatch, tmp_path):
    (tmp_path / "notebooks").mkdir()
    for name in ("b.ipynb", "a.ipynb", "notes.txt"):
        (tmp_path / "notebooks" / name).touch()
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    assert [path.name for path in notebooks.all_notebooks()] == ["a.ipynb", "b.ipynb"]
