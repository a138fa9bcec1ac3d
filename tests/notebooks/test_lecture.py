"""The one lecture: fifty minutes in one kernel, five votes, and notes with the same minutes."""

import re

import nbformat

from minigrad.classroom import widgets
from tools.beats import source_of
from tools.copies import copy_of
from tools.files import ROOT

CELLS = nbformat.read(ROOT / "notebooks" / "lecture.ipynb", as_version=4).cells
NOTES = (ROOT / "notebooks" / "instructor" / "lecture.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+)\u2013(\d+) \((\d+) minutes\) \|.*\| (\w+|\u2013)(?: vote)? \|$", re.M)
MOST_CELLS, MOST_LINES, MINUTES, VOTES = 25, 12, 50, 5


def test_it_is_short():
    assert len(CELLS) <= MOST_CELLS
    programs = [cell.source.splitlines() for cell in CELLS if cell.cell_type == "code"]
    assert max(map(len, programs)) <= MOST_LINES
    assert max(len(line) for lines in programs for line in lines) <= 100


def test_each_of_five_votes_has_its_run_in_the_next_cell_and_then_what_a_copy_folds():
    cards = [k for k, cell in enumerate(CELLS) if cell.source.startswith("predict(")]
    assert len(cards) == VOTES
    copied = copy_of({"cells": CELLS}, "lecture.ipynb")["cells"]
    for k in cards:
        run, explained = CELLS[k + 1], copied[k + 2]
        assert run.cell_type == "code" and not run.source.startswith("predict(")
        assert source_of(explained).startswith("<details>")


def test_only_the_import_cell_is_hidden():
    hidden = [cell.source.split()[0] for cell in CELLS if "jupyter" in cell.metadata]
    assert hidden == ["import"]


def test_the_editor_the_jacobian_and_the_seam_are_there():
    source = "\n".join(cell.source for cell in CELLS)
    opened = re.findall(r"^widgets\.(\w+)\(", source, re.MULTILINE)
    assert opened == ["UpstreamEditor", "JacobianPicture", "SeamCutter"]
    assert set(opened) <= set(widgets.__all__)


def test_it_begins_with_a_program_that_learns_nonsense_and_ends_with_it_mended():
    printed = [
        cell.outputs[0].text for cell in CELLS if cell.source.startswith("X =") and has_print(cell)
    ]
    assert printed == ["w: [-24.0, -24.0]   b: -48.0\n", "w: [-1.0, 2.0]   b: 1.0\n"]


def has_print(cell):
    return "print(" in cell.source


def test_every_beat_says_its_minute_and_the_notes_say_the_same():
    headings = [cell.source for cell in CELLS if cell.source.startswith("#")]
    told = [int(re.search(r"\*minute (\d+)", source)[1]) for source in headings]
    told.append(int(re.search(r"\*minute (\d+)\*", CELLS[-1].source)[1]))
    rows = [(int(first), int(last), int(of), vote) for first, last, of, vote in ROW.findall(NOTES)]
    assert [first for first, _, _, _ in rows] == told
    assert told == sorted(told) and rows[-1][1] == MINUTES == sum(of for _, _, of, _ in rows)
    assert all(last - first == of for first, last, of, _ in rows)
    assert [first for first, _, _, _ in rows[1:]] == [last for _, last, _, _ in rows[:-1]]
    assert [vote for *_, vote in rows if vote != "\u2013"] == [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
    ]
    assert [int(m) for m in re.findall(r"^### Minute (\d+)", NOTES, re.M)] == told[:-1]
