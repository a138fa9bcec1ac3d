"""Copies of the lessons for learners: without stored outputs, and with what explains a run folded,
so that no answer stands below its question. What a learner has written is never overwritten.

    python -m tools.copies my-lessons     make the copies there, or bring them up to date
    python -m tools.copies --class OUT    a folder for a class: copies, and all that they need

`run.py lab` does the first. A small file in the folder keeps what each copy was like when it was
handed out. A copy that is still so follows the lessons. Beside one that a learner has worked in, a
newer lesson is laid as `03-weigh-outputs-new.ipynb`, and the first page says so. A copy that was
deleted comes back.
"""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

from tools.beats import answers, source_of

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "notebooks"
KEPT = ".handed-out.json"  # {file: fingerprint of what was handed out}
FIRST = "index.ipynb"
# Pages without questions: what they show is no answer, and they are read before they are run.
SHOWN = ("index", "glossary", "sources", "90-pick-a-widget")
FOR_LECTURERS = "lecturers"  # the tag of cells that copies leave out
FOLDED = """\
<details><summary>{summary}</summary>

{text}

</details>"""
SUMMARY = "Explanation: open it when you have run the cell above"


def copy_of(notebook, name):
    """A notebook as it is handed out: without outputs, what explains a run folded, and without what
    is for lecturers."""
    told = [c for c in notebook["cells"] if FOR_LECTURERS not in c["metadata"].get("tags", ())]
    cells = [{**cell} for cell in told]
    if Path(name).stem not in SHOWN:
        cells = _folded(cells)
        for cell in cells:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    return {**notebook, "cells": cells}


def _folded(cells):
    """The cells, those that explain one run in a fold of theirs. In a copy of a copy they are."""
    kept = list(cells)
    for answer in answers(cells):
        explained = [cells[place] for place in answer.explained]
        if explained and not source_of(explained[0]).startswith("<details>"):
            text = FOLDED.format(summary=SUMMARY, text="\n\n".join(map(source_of, explained)))
            kept[answer.explained[0]] = {**explained[0], "source": text.splitlines(keepends=True)}
            for place in answer.explained[1:]:
                kept[place] = None
    return [cell for cell in kept if cell is not None]


def fingerprint(notebook, name):
    """What a learner may have changed: the text of the cells, and what was run in a lesson."""
    keys = (
        ("cell_type", "source") if Path(name).stem in SHOWN else ("cell_type", "source", "outputs")
    )
    parts = [{key: _joined(cell.get(key, [])) for key in keys} for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def update(folder, lessons=LESSONS):
    """Make the copies in `folder`, or bring them up to date; the names of newer lessons that lie
    beside a learner's own. Raises OSError where the folder cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = _read(folder / KEPT)
    kept = kept if isinstance(kept, dict) else {}
    for path in sorted(lessons.glob("*.ipynb"), key=lambda path: path.name == FIRST):  # it last
        lesson = copy_of(_read(path), path.name)
        if path.name == FIRST and beside_in(folder):
            lesson["cells"].insert(1, _told(beside_in(folder)))
        newest = fingerprint(lesson, path.name)
        place = _place(folder, path.name, newest, kept)
        if place is not None:
            if _fingerprint_of(folder / place, path.name) != newest:
                _write(folder / place, lesson)
            kept[place] = newest
    _write(folder / KEPT, kept)
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
        return fingerprint(_read(path), name)
    except (KeyError, TypeError, AttributeError):
        return ""  # no notebook: the learner's own, whatever it is


def _told(beside):
    """The cell of the first page that says what is new."""
    lines = [f"- [{name.removesuffix('.ipynb')}]({name})" for name in beside]
    text = (
        "## Newer lessons lie beside yours\n\n"
        "You have worked in these lessons, so yours stay as they are. The newer versions:\n\n"
    )
    return {
        "cell_type": "markdown",
        "id": "newer-lessons",
        "metadata": {},
        "source": [text + "\n".join(lines)],
    }


def _joined(text):
    return "".join(text) if all(isinstance(line, str) for line in text) else text


def _read(path):
    """What a JSON file holds; None if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(path, content):
    """Whole or not at all, whenever it is stopped."""
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


# What a class needs besides the lessons. Instructor notes, tests and stored outputs stay at home.
OF_A_CLASS = (
    "run.py",
    "requirements.txt",
    "constraints.txt",
    "pyproject.toml",
    "LICENSE",
    "binder/overrides.json",
    "binder/jupyter_server_config.py",
    "tools/beats.py",
    "tools/copies.py",
    "minigrad",
)


def make_class(out):
    """A folder for a class, or one that was made before, brought up to date; what else lies in it
    stays. Raises FileExistsError for a folder that is in use for something else."""
    if out.exists() and any(out.iterdir()) and not (out / "notebooks" / FIRST).exists():
        raise FileExistsError(f"{out} has other things in it: name a new folder, or an empty one.")
    for name in OF_A_CLASS:
        source, target = ROOT / name, out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    shutil.copyfile(ROOT / "docs" / "for-students.md", out / "README.md")
    (out / "notebooks").mkdir(exist_ok=True)
    for path in LESSONS.glob("*.ipynb"):
        _write(out / "notebooks" / path.name, copy_of(_read(path), path.name))


def main(*arguments):
    if arguments[:1] == ("--class",):
        try:
            make_class(Path(arguments[1]))
        except FileExistsError as refusal:
            sys.exit(str(refusal))
        print(f"{arguments[1]} has the lessons without answers, and a README for students.")
        return
    for name in update(Path(arguments[0])):
        print(f"A lesson that you have worked in is newer now. It lies beside yours: {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
