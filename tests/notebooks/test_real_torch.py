"""Real PyTorch is one line away: with `import torch` in the place of `import minigrad as torch`,
every ordinary cell of a lesson prints what is stored.

Ordinary are the cells that neither call the classroom (cards, checks, widgets, pictures, `%%`
magics) nor carry the tag `minigrad-only`. The others run, too, if they can: a later cell may need
a name.
"""

import re

import nbformat
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tools.files import ROOT

OURS = "import minigrad as torch"
# Lesson 13 writes an engine, and imports none. The lecture takes PyTorch by itself, where it is.
LESSONS = [
    path
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    if OURS in path.read_text(encoding="utf-8") and path.stem != "lecture"
]
CLASSROOM = re.compile(
    r"^%%|^from minigrad|\bminigrad\b"
    r"|\b(check|compare|hint|pictures|predict|progress|solution|course|engines|widgets|show"
    r"|stages|piece|digits|Cell|diagnose)\b[.(]",
    re.MULTILINE,
)


def is_ordinary(cell):
    tags = cell.metadata.get("tags", [])
    return not CLASSROOM.search(cell.source) and "minigrad-only" not in tags


def printed(cell):
    """What a cell's stored outputs say: printed lines, the last value, an error."""
    said = []
    for output in cell.outputs:
        if output.output_type == "stream":
            said.append(output.text)
        elif output.output_type == "error":
            said.append(f"{output.ename}: {output.evalue}")
        else:
            said.append(output.data.get("text/plain", ""))
    return "\n".join(said).split()


def run(shell, source):
    """The same of a cell that is run now."""
    with capture_output() as heard:
        result = shell.run_cell(source, store_history=False)
    text = re.sub(r"\x1b\[[\d;]*m|^Out\[\d+\]:", "", heard.stdout, flags=re.MULTILINE)
    said = [text.partition("-" * 60)[0]]  # without the traceback, which begins with a line
    said += [output.data.get("text/plain", "") for output in heard.outputs]
    error = result.error_in_exec or result.error_before_exec
    if error:
        said.append(f"{type(error).__name__}: {error}")
    return "\n".join(said).split()


@pytest.fixture
def shell():
    before = torch.get_default_dtype(), torch.is_grad_enabled()
    yield InteractiveShell()
    torch.set_default_dtype(before[0])
    torch.set_grad_enabled(before[1])


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_ordinary_cells_print_the_same_with_pytorch(path, shell):
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert sum(OURS in cell.source for cell in cells) == 1
    compared, different = 0, {}
    for cell in cells:
        said = run(shell, cell.source.replace(OURS, "import torch"))
        if is_ordinary(cell) and cell.source.strip() and OURS not in cell.source:
            compared += 1
            if said != printed(cell):
                different[cell.id] = (" ".join(said)[:200], " ".join(printed(cell))[:200])
    assert different == {}
    assert compared


def test_the_course_is_among_them():
    assert len(LESSONS) >= 14
