"""Execute the notebooks and store their outputs, normalised.

    python3 run.py notebooks [--check] [notebook ...]       without names: all of notebooks/

Each notebook runs from top to bottom in a kernel of its own and is written back without anything
that changes from one run to the next, so running the command twice changes no byte. A notebook is
left as it was, and the reason is printed, if a cell fails or prints what no later run can repeat (a
memory address, a process id, a path of this machine). `--check` writes nothing, and fails if a
notebook differs from what would be written.
"""

import difflib
import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from minigrad.classroom.lessons.progress import kept_nowhere
from tools.files import ROOT, write
from tools.kernels import AsyncForkedKernelManager

# Fixed, because Jupyter would write the version of the Python at hand.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
# What authors say about a cell; Jupyter adds more, such as timings. A cell may show an example of
# the documents, or answer a confusion or a wrong statement, by its name in the syllabus.
CELL_METADATA = {"tags", "slideshow", "jupyter", "editable", "deletable"}
CELL_METADATA |= {"example", "confusion", "statement"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

UNHURRIED = {"MINIGRAD_PATIENCE": "3600"}  # a busy machine does not print "Still running"

# A tag or a comment with one of these keeps a cell from being run or compared.
UNCHECKED = re.compile("nbval|skip-execution", re.IGNORECASE)
HERE = (ROOT, Path(sys.prefix), Path.home(), Path(tempfile.gettempdir()))
UNREPEATABLE = {
    "a memory address": r"\b0x[0-9A-Fa-f]{6,}",
    "a process id": r"ipykernel_\d+",
    "a path of this machine": "|".join(
        re.escape(str(place)) + r"[/\\]" for place in HERE if len(place.parts) > 1
    ),
}


class NotebookRefused(Exception):
    """A notebook that cannot be stored as it is; the message names the cell and the reason."""


def all_notebooks():
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def execute(path):
    """Run the notebook at `path` and return the text that belongs in its file.

    Raises NotebookRefused if it is no notebook, if a cell fails, or if `objections` has any.
    """
    try:
        nb = nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat raises whatever the odd file leads it to
        raise NotebookRefused(f"It cannot be read as a notebook: {error}") from None
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    client = NotebookClient(
        nb,
        kernel_name="python3",
        kernel_manager_class=AsyncForkedKernelManager,
        shutdown_kernel="immediate",  # a second sooner; it has nothing left to do
        timeout=600,
        startup_timeout=600,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(Path(path).parent)}},
    )
    try:
        with kept_nowhere():  # storing a lesson solves no exercise
            client.execute(env={**os.environ, **UNHURRIED})
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise NotebookRefused(
            f"{error}\nA cell that is meant to fail carries the tag raises-exception."
        ) from None
    normalise(nb)
    if problems := objections(nb):
        raise NotebookRefused("\n".join(problems))
    return as_text(nb)


def normalise(nb):
    """Remove from an executed notebook, in place, what differs between two runs."""
    nb.nbformat_minor = max(nb.nbformat_minor, 5)  # the first with cell ids
    nb.metadata.pop("widgets", None)  # the state of every live widget
    nb.metadata.update(nbformat.from_dict(METADATA))
    for number, cell in enumerate(nb.cells):
        cell.setdefault("id", f"cell-{number}")
        for key in set(cell.metadata) - CELL_METADATA:
            del cell.metadata[key]
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                # The frames hold paths and line numbers of this machine; the message is the point.
                output.traceback = [f"{output.ename}: {output.evalue}"]
            # A live widget is named by an id of this run. Without it, a reader who has not run the
            # notebook sees the picture and the text stored beside it.
            output.get("data", {}).pop(WIDGET_VIEW, None)


def objections(nb):
    """Sentences on what would keep an executed notebook from being compared in full.

    nbval skips cells without an execution count and cells marked to be ignored, so a notebook
    stripped of its outputs would pass its strict comparison.
    """
    return [
        f"Cell {number} {what}: {cell.source.strip()[:60]!r}"
        for number, cell in enumerate(nb.cells)
        if cell.cell_type == "code"
        for what in [uncompared(cell), *unrepeatable(cell)]
        if what
    ]


def uncompared(cell):
    """Why nbval would not compare a cell's outputs, if it would not."""
    tags = cell.metadata.get("tags", [])
    errors = [output for output in cell.outputs if output.output_type == "error"]
    if not cell.source.strip():
        return "is empty, so it cannot be run"
    if cell.execution_count is None:
        return "was never run"
    comments = re.findall(r"^\s*#.*", cell.source, re.MULTILINE)
    if UNCHECKED.search(" ".join([*tags, *comments])):
        return "is marked so that its output would not be compared"
    if errors and "raises-exception" not in tags:
        return f"fails with {errors[0].ename}, without the tag raises-exception"
    if "raises-exception" in tags and not errors:
        return "carries the tag raises-exception and raises nothing"
    return None


def unrepeatable(cell):
    """What another run cannot repeat of a cell's outputs, as far as nbval compares them."""
    texts = []
    for output in cell.outputs:
        texts += [output.get("text", ""), output.get("evalue", "")]
        data = output.get("data", {})
        texts += [str(data[one]) for one in data if not re.match(r"image/(?!svg\+xml)", one)]
    return [
        f"prints {what}, which another run cannot repeat"
        for what, pattern in UNREPEATABLE.items()
        if re.search(pattern, "\n".join(texts))
    ]


def as_text(nb):
    nbformat.validate(nb)
    return nbformat.writes(nb, version=4).rstrip("\n") + "\n"


def main(arguments):
    check = "--check" in arguments
    paths = [Path(name) for name in arguments if name != "--check"] or all_notebooks()
    bad = 0
    for path in paths:
        print(path.name, end=" ... ", flush=True)
        try:
            text = execute(path)
        except NotebookRefused as error:
            bad += 1
            print(f"refused, and left as it was.\n{error}")
            continue
        stored = path.read_bytes().decode()
        if text == stored:
            print("unchanged")
        elif check:
            bad += 1
            print("differs from what a run of it gives:")
            print("\n".join(difference(stored, text)))
        else:
            write(path, text)
            print("written")
    sys.exit(bad > 0)


def difference(stored, text, lines=40):
    """The first lines of a unified diff."""
    diff = difflib.unified_diff(
        stored.splitlines(), text.splitlines(), "stored", "a new run", lineterm="", n=1
    )
    return [line[:200] for line, _ in zip(diff, range(lines))]


if __name__ == "__main__":
    main(sys.argv[1:])
