"""The lessons on the live site: learners' copies, reworded for a browser."""

import json
import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell

from tools.beats import source_of
from tools.copies import FIRST, LESSONS, copy_of

# What is different in a browser: no signal reaches its Python, so nothing interrupts it.
OTHERWISE = {
    "# Does it never end? Press \u25a0 above, or Esc and then I, I.": (
        "# Does it never end? Only a restart stops it here: choose Kernel, Restart Kernel."
    ),
    "The \u25a0 button stops a cell that never ends.": (
        "Nothing else stops a cell that never ends."
    ),
}
# What this kernel writes into a notebook. A lesson that already has it is not changed by being
# opened, so the browser does not keep it, and a newer one can replace it.
METADATA = {
    "kernelspec": {"name": "python", "display_name": "Python (Pyodide)", "language": "python"},
    "language_info": {
        "codemirror_mode": {"name": "python", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.8",
    },
}
KEEPING = Path(__file__).with_name("keeping.md")  # of the first page


def put(folder):
    """Write all lessons into a folder."""
    folder.mkdir()
    stored = {path.name: nbformat.read(path, as_version=4) for path in LESSONS.glob("*.ipynb")}
    refuse_what_nobody_says(stored.values())
    for name, notebook in stored.items():
        notebook = {**copy_of(notebook, name), "metadata": METADATA}
        for cell in notebook["cells"]:
            cell["source"] = _text(cell, stored)
        if name == FIRST:
            _keeping(notebook["cells"])
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


def refuse_what_nobody_says(notebooks):
    """A sentence of OTHERWISE that has changed in its lesson would not be replaced, and be wrong in
    a browser."""
    sources = "\n".join(source_of(cell) for notebook in notebooks for cell in notebook["cells"])
    gone = [sentence for sentence in OTHERWISE if sentence not in sources]
    if gone:
        raise ValueError(f"No lesson says this any more; correct OTHERWISE in {__file__}: {gone}")


def _text(cell, there):
    """A cell's text; a link to a file that is not on this site becomes plain text."""
    text = source_of(cell)
    for before, after in OTHERWISE.items():
        text = text.replace(before, after)
    if cell["cell_type"] != "markdown":
        return text

    def link(found):
        file = found[2].partition("#")[0]
        return found[0] if not file or ":" in file or file in there else found[1]

    return re.sub(r"\[([^]\[]+)\]\(([^)\s]+)\)", link, text)


def _keeping(cells):
    """Say on the first page, below what is solved, where work is kept."""
    [place] = [k for k, cell in enumerate(cells) if cell["id"] == "progress-code"]
    cells.insert(place + 1, new_markdown_cell(KEEPING.read_text("utf-8"), id="keeping"))
