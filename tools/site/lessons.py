"""The lessons as the live site has them: learners' copies, told for a browser alone."""

import json
import re

from tools.copies import FIRST, LESSONS, copy_of

# What is done otherwise in a browser: no signal reaches its Python, so nothing interrupts it.
OTHERWISE = {
    "# Does it not end? Press \u25a0 above, or Esc and then I, I.": (
        "# Does it not end? Only a restart stops it here: choose Kernel, Restart Kernel."
    ),
    "The \u25a0 button stops a cell that never ends.": (
        "Nothing else stops a cell that never ends."
    ),
}
# What this kernel writes into a notebook. A lesson that has it already is not changed by being
# opened, so that the browser does not keep it, and a newer one takes its place.
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
KEEPING = """\
## Keep your work

Python runs inside this page, and nothing that you write is sent anywhere. This browser keeps it, on
this device: your changed lessons, and in `minigrad-progress.json` what you have solved. A newer
version of these pages changes no lesson that you have changed.

- **Take it with you**: in the list of files (*File, Open*, where there is none on the left) click a
  file with the right button and choose *Download*. Your lessons are all there is, and
  `minigrad-progress.json`.
- **Bring it back**, here or in another browser: drag the files onto the list of files, and answer
  *Overwrite* where you are asked.
- **Begin a lesson afresh**: delete it in the list of files, and the lesson as it was comes back.
- A browser that is told to forget what pages have stored forgets this. So does a private window
  that is closed.
"""


def put(folder):
    """Write all lessons into a folder."""
    folder.mkdir()
    there = {path.name for path in LESSONS.glob("*.ipynb")}
    stored = {name: (LESSONS / name).read_text("utf-8") for name in sorted(there)}
    refuse_what_nobody_says(stored.values())
    for name, text in stored.items():
        notebook = as_sent(copy_of(json.loads(text), name))
        for cell in notebook["cells"]:
            cell["source"] = _told(cell, there)
        if name == FIRST:
            _keeping(notebook["cells"])
        notebook["metadata"] = METADATA
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


def refuse_what_nobody_says(texts):
    """A sentence that is told otherwise in a browser, and was reworded in its lesson, would stand
    there unchanged, and be wrong."""
    sources = "\n".join("".join(c["source"]) for t in texts for c in json.loads(t)["cells"])
    gone = [sentence for sentence in OTHERWISE if sentence not in sources]
    if gone:
        raise ValueError(f"No lesson says this any more; correct OTHERWISE in {__file__}: {gone}")


def as_sent(value, inside=""):
    """A notebook, its lists of lines joined, as a Jupyter server sends one. JupyterLite sends the
    file as it is, and a page then shows stored HTML with a comma before each line."""
    if isinstance(value, dict):
        return {key: as_sent(one, key) for key, one in value.items()}
    is_lines = isinstance(value, list) and all(isinstance(line, str) for line in value)
    if is_lines and (inside in ("source", "text") or "/" in inside):
        return "".join(value)
    return [as_sent(one) for one in value] if isinstance(value, list) else value


def _told(cell, there):
    """A cell's text; of a link to a file that is not on this site, only its words are left."""
    text = cell["source"]
    for before, after in OTHERWISE.items():
        text = text.replace(before, after)
    if cell["cell_type"] != "markdown":
        return text

    def link(found):
        file = found[2].partition("#")[0]
        return found[0] if not file or ":" in file or file in there else found[1]

    return re.sub(r"\[([^]\[]+)\]\(([^)\s]+)\)", link, text)


def _keeping(cells):
    """Say on the first page, after what is solved, where all that is kept."""
    [place] = [k for k, cell in enumerate(cells) if cell["id"] == "progress-code"]
    cell = {"cell_type": "markdown", "id": "keeping", "metadata": {}, "source": KEEPING}
    cells.insert(place + 1, cell)
