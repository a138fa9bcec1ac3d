"""The notebooks are stored as a run of them gives, to the byte.

`pytest --nbval notebooks` compares less, each cell's text with what is stored, and needs no package
but those of requirements.txt. That it does is tested here, too.
"""

import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from minigrad.classroom import widgets
from tools.files import ROOT
from tools.notebooks import all_notebooks, as_text, difference, execute, objections

LESSONS = [path for path in all_notebooks() if re.match("[0-8]", path.stem)]
lessons = pytest.mark.parametrize("path", all_notebooks(), ids=lambda path: path.stem)


def failures(folder):
    """The cells in a folder that `pytest --nbval` fails: {"name.ipynb::Cell 1", ...}. It has no
    package but those of requirements.txt."""
    shutil.copy(ROOT / "conftest.py", folder)
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={folder}", "-p", "no:cacheprovider"]
    settings += ["--nbval-kernel-startup-timeout=600"]  # on a busy machine
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "nbval.plugin", "--nbval", *settings, "-rfE", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
    )
    assert re.search(r"(passed|failed).* in ", run.stdout), run.stdout + run.stderr
    return set(re.findall(r"^(?:FAILED|ERROR) (\S+\.ipynb::Cell \d+)", run.stdout, re.MULTILINE))


def change_last_digit(cells):
    """Change the last digit among the outputs that are text, as slightly as can be."""
    places = []
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        places += [(output, key) for key in ("text", "evalue") if key in output]
        places += [(output.data, kind) for kind in output.get("data", {}) if "text/" in kind]
    holder, key = [place for place in places if re.search(r"\d", place[0][place[1]])][-1]
    holder[key] = re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit[0]) + 1) % 10), holder[key])


def test_the_first_page_the_lessons_and_the_gallery_are_here():
    path = {"00-set-out", "02-ask-for-more", "03-weigh-outputs", "04-draw-jacobian", "05-cut-chain"}
    assert path | {"index", "lecture", "90-pick-a-widget"} <= {
        path.stem for path in all_notebooks()
    }


PARTS = (
    "You will be able to",
    "You need",
    "**Time**",
    "## Key points",
    "## In practice",
    "**Next:**",
)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_keeps_to_the_pattern(path):
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    places = [text.find(part) for part in PARTS]
    assert -1 not in places and places == sorted(places)
    lengths = {cell.id: len(lines_of_code(cell)) for cell in cells if cell.cell_type == "code"}
    assert not [name for name, length in lengths.items() if length > 12]


def lines_of_code(cell):
    """All that a learner sees, but empty lines."""
    return [line for line in cell.source.splitlines() if line.strip()]


def test_the_first_page_is_short_and_asks_and_answers_nothing():
    cells = nbformat.read(ROOT / "notebooks" / "index.ipynb", as_version=4).cells
    assert len(cells) <= 17  # one of them for lecturers alone
    assert not [cell for cell in cells if re.search(r"predict\(|check\(", cell.source)]


def test_every_line_of_the_gallery_opens_a_widget():
    cells = nbformat.read(ROOT / "notebooks" / "90-pick-a-widget.ipynb", as_version=4).cells
    opened = [cell.source for cell in cells if cell.source.startswith("widgets.")]
    assert sorted(re.match(r"widgets\.(\w+)\(", source)[1] for source in opened) == widgets.__all__
    own = re.findall(r"\| `(widgets\..+)` \|$", cells[-1].source, re.MULTILINE)
    assert len(own) == 8
    space = {"widgets": widgets, "program": lambda torch: {"x": torch.ones(2)}}
    for line in own:
        shown = repr(eval(line, space))
        assert "ShapeGate" in line or "our function" in shown or "our program" in shown, line


@lessons
def test_every_cell_was_run_and_is_compared(path):
    assert not objections(nbformat.read(path, as_version=4))


@lessons
def test_a_new_run_gives_the_stored_bytes_and_each_cell_run_again_says_the_same(path, tmp_path):
    """Who presses Shift+Enter once more must not meet a graph that is freed, or a .grad doubled."""
    stored = path.read_bytes().decode()
    nb, cells = nbformat.reads(stored, as_version=4), []
    for cell in nb.cells:
        again = nbformat.from_dict({**cell, "id": f"{cell.id}-again"})
        cells += [cell, again] if cell.cell_type == "code" else [cell]
    nb.cells = cells
    nbformat.write(nb, tmp_path / path.name)
    nb, count = nbformat.reads(execute(tmp_path / path.name), as_version=4), 0
    for first, again in zip(nb.cells, nb.cells[1:]):
        if again.id == f"{first.id}-again":
            count += 1
            for cell in (first, again):
                cell.execution_count = count
                for output in cell.outputs:
                    output.update({"execution_count": count} if "execution_count" in output else {})
            assert first.outputs == again.outputs, first.source
    nb.cells = [cell for cell in nb.cells if not cell.id.endswith("-again")]
    text = as_text(nb)
    assert stored == text, "run `python3 run.py notebooks`:\n" + "\n".join(difference(stored, text))


def test_nbval_alone_finds_each_changed_digit_and_nothing_else(notebook, tmp_path):
    """For who runs `pytest --nbval notebooks`: it says the same as the test above."""
    nb = nbformat.read(ROOT / "notebooks" / "00-set-out.ipynb", as_version=4)
    change_last_digit(nb.cells)
    nbformat.write(nb, tmp_path / "changed.ipynb")

    kinds = notebook(
        "print(1024 * 0.1)",
        "1024 * 0.1",
        ("raise ValueError('has 3 rows')", "raises-exception"),
        "from IPython.display import HTML\nHTML('<td>9.0</td>')",
        "print('no digit')",
        name="kinds.ipynb",
    )
    nb = nbformat.reads(execute(kinds), as_version=4)
    for cell in nb.cells[:4]:
        change_last_digit([cell])
    nbformat.write(nb, kinds)

    never_run = notebook("1 + 1", name="never-run.ipynb")
    [objection] = objections(nbformat.read(never_run, as_version=4))
    assert objection.startswith("Cell 0 was never run")  # nbval lets it pass

    [in_lesson] = (failed := failures(tmp_path)) - {f"kinds.ipynb::Cell {k}" for k in range(4)}
    assert in_lesson.startswith("changed.ipynb::") and len(failed) == 5


@lessons
def test_a_link_to_a_notebook_leads_somewhere(path):
    texts = "".join(c.source for c in nbformat.read(path, 4).cells if c.cell_type == "markdown")
    links = re.findall(r"\]\(([^)#]+\.ipynb)", texts)
    assert not [link for link in links if not (path.parent / link).exists()]


@lessons
def test_a_live_slide_shows_its_cards_and_one_panel_at_most(path):
    """JupyterLab's slides leave out a cell of the kind "-", which others take for none."""
    panels = 0
    for cell in nbformat.read(path, as_version=4).cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        assert kind in (None, "slide", "subslide", "fragment", "notes", "skip"), cell.id
        panels = 0 if kind in ("slide", "subslide") else panels
        is_panel = cell.cell_type == "code" and re.search(
            r"predict\(|widgets\.\w+\(|pictures\.", cell.source
        )
        panels += bool(is_panel) and kind not in ("notes", "skip")
        assert path.stem == "90-pick-a-widget" or panels <= 1, cell.id
