"""Copies of the lessons for learners: without stored outputs, and with explanations folded, so that
no answer is in sight below its question. What a learner has written is never overwritten.

    python3 run.py copies my-lessons     make the copies there, or bring them up to date

`run.py lab` does this by itself; this is for an environment of your own, and installs nothing. A
small file in the folder records what each copy was like when it was handed out. A copy that hasn't
changed since is updated. If a learner has worked in it, a newer lesson is saved next to it as
`03-weigh-outputs-new.ipynb`, and the first page says so. A copy that was deleted comes back.
"""

import hashlib
import json
import sys
from pathlib import Path

from tools.beats import answers, source_of
from tools.files import ROOT, write

LESSONS = ROOT / "notebooks"
KEPT = ".handed-out.json"  # {file: fingerprint of what was handed out}
FIRST = "index.ipynb"
# Pages that are read before they are run: what they show answers no question, or is the answer.
SHOWN = ("answer", "index", "glossary", "sources", "90-pick-a-widget")
FOR_LECTURERS = "lecturers"  # the tag of cells that copies leave out
FOLDED = """\
<details><summary>{summary}</summary>

{text}

</details>"""
SUMMARY = "Explanation: open it when you have run the cell above"
NEWER = """\
## There are newer versions of lessons

You have worked in these lessons, so your copies stay as they are. The newer versions:

"""


def copy_of(notebook, name):
    """A notebook as it is handed out: without outputs, what explains a run folded, and without what
    is for lecturers."""
    kept = [c for c in notebook["cells"] if FOR_LECTURERS not in c["metadata"].get("tags", ())]
    cells = [{**cell} for cell in kept]
    if Path(name).stem not in SHOWN:
        cells = _folded(cells)
        for cell in cells:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    return {**notebook, "cells": cells}


def _folded(cells):
    """The cells, those that explain one run in a fold of theirs. In a copy of a copy they are."""
    kept = list(cells)
    for answer in reversed(answers(cells)):  # from the end, so that places before it stay
        explained = [cells[place] for place in answer.explained]
        if explained and not source_of(explained[0]).startswith("<details>"):
            text = FOLDED.format(summary=SUMMARY, text="\n\n".join(map(source_of, explained)))
            fold = {**explained[0], "source": text.splitlines(keepends=True)}
            kept[answer.run + 1 : answer.explained.stop] = [fold]
    return kept


def fingerprint(notebook, name):
    """What a learner may have changed: the text of the cells, and what was run in a lesson."""
    cells = notebook["cells"]
    parts = [{"cell_type": cell["cell_type"], "source": source_of(cell)} for cell in cells]
    if Path(name).stem not in SHOWN:
        for part, cell in zip(parts, cells):
            part["outputs"] = cell.get("outputs") or ""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def update(folder, lessons=LESSONS):
    """Make the copies in `folder`, or bring them up to date; the names of newer lessons that lie
    beside a learner's own. Raises OSError where the folder cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = read_json(folder / KEPT)
    kept = kept if isinstance(kept, dict) else {}
    for path in sorted(lessons.glob("*.ipynb"), key=lambda path: path.name == FIRST):  # it last
        lesson = copy_of(read_json(path), path.name)
        if path.name == FIRST and beside_in(folder):
            lesson["cells"].insert(1, _news(beside_in(folder)))
        newest = fingerprint(lesson, path.name)
        place = _place(folder, path.name, newest, kept)
        if place is not None:
            if _fingerprint_of(folder / place, path.name) != newest:
                write_json(folder / place, lesson)
            kept[place] = newest
    write_json(folder / KEPT, kept)
    return beside_in(folder)


def beside_in(folder):
    """The newer lessons in a folder that lie beside a learner's own."""
    return sorted(path.name for path in folder.glob("*-new*.ipynb"))


def _place(folder, name, newest, kept):
    """Where a lesson goes: to the copy that is as it was handed out, else beside the learner's own.
    None where there is nothing to write."""

    def is_free(file):
        path = folder / file
        return not path.exists() or _fingerprint_of(path, name) in (newest, kept.get(file))

    if is_free(name):
        return name
    stem = Path(name).stem
    if newest in [one for file, one in kept.items() if file.startswith(stem)]:
        return None
    beside = [f"{stem}-new.ipynb", *(f"{stem}-new-{k}.ipynb" for k in range(2, 1000))]
    return next(filter(is_free, beside))


def _fingerprint_of(path, name):
    try:
        return fingerprint(read_json(path), name)
    except (KeyError, TypeError, AttributeError):
        return ""  # no notebook: the learner's own, whatever it is


def _news(beside):
    """The cell of the first page that says what is new."""
    links = "\n".join(f"- [{name.removesuffix('.ipynb')}]({name})" for name in beside)
    cell = {"cell_type": "markdown", "id": "newer-lessons", "metadata": {}}
    return {**cell, "source": [NEWER + links]}


def read_json(path):
    """What a JSON file holds; None if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write_json(path, content):
    write(path, json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def main(*arguments):
    if len(arguments) != 1:
        sys.exit("Name one folder: python3 run.py copies FOLDER")
    for name in update(Path(arguments[0])):
        print(
            f"There is a newer version of a lesson you have worked in, saved next to yours: {name}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
