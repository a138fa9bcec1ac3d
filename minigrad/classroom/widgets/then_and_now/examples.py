"""The cells of the old documents, read from `documents.txt`, which stands beside this file."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from ..shared.example import Example, by_name


@dataclass(frozen=True)
class OldCell:
    """One cell of a document. printed: its output then, word for word, "" where it had none."""

    label: str
    code: str
    printed: str = ""
    given: bool = False  # from before: needed to run, not what is looked at


@dataclass(frozen=True)
class Change:
    """A piece of code and what takes its place.

    shape: whether it makes a gradient fit, so that the old rule does without it.
    """

    old: str
    new: str
    shape: bool = True


@dataclass(frozen=True)
class Document:
    """Some cells of a document that belong together.

    inputs: what has to stand in for random numbers, today and then. edits: the smallest edit with
    which the cells print today what they printed then.
    """

    cells: tuple
    inputs: tuple = ()
    edits: tuple = ()
    year: str = "2017"

    def code(self, *changes):
        """The source of each cell, after some changes."""
        sources = [cell.code for cell in self.cells]
        for change in changes:
            sources = [source.replace(change.old, change.new) for source in sources]
        return sources


@dataclass(frozen=True)
class Excerpt(Example):
    """An example of a document. group: its heading in the list of examples."""

    document: Document | None = None
    group: str = ""


def _read(text):
    _, listed, written = re.split(r"(?m)^=== \w+\n", text)
    cells, group, found = {}, "", []
    for part in re.split(r"(?m)^@ ", written)[1:]:
        head, _, body = part.removesuffix("\n").partition("\n")
        key, _, label = head.partition(":")
        code, _, printed = body.partition("\n->\n")
        cells[key] = OldCell(label.strip(), code, printed)
    for block in listed.strip().split("\n\n"):
        if block.startswith("## "):
            group = block.removeprefix("## ")
        else:
            found.append(_example(block, cells, group))
    return found


def _example(block, cells, group):
    (row, name), *lines = (line.split(": ", 1) for line in block.splitlines())
    told = dict(lines)
    changes = [
        (key, Change(*value.split(" => "), shape="besides" not in key))
        for key, value in lines
        if " => " in value
    ]
    given = [replace(cells[key], given=True) for key in told.get("given", "").split(", ") if key]
    document = Document(
        (*given, *(cells[key] for key in told["cells"].split(", "))),
        tuple(change for key, change in changes if key == "input"),
        tuple(change for key, change in changes if key != "input"),
        told["year"],
    )
    return Excerpt(name, name, None, {}, note=told["note"], row=row, group=group, document=document)


EXAMPLES = by_name(*_read(Path(__file__).with_name("documents.txt").read_text("utf-8")))
