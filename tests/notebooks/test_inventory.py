"""Every example of the five documents is shown where the inventory says, with the numbers it says.

A lesson shows an example in cells whose metadata names it, {"example": "S0-1"}.
"""

import math
import re
import tomllib
from html import unescape
from pathlib import Path

import nbformat

from tests.cases import over
from tools.files import ROOT

ROWS = tomllib.loads(Path(__file__).with_name("inventory.toml").read_text("utf-8"))["example"]
LESSONS = {path.name[:2]: path for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))}
NUMBER = re.compile(r"(?<![\w.])[-\u2212]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?![\w])")


def tagged(path, name):
    """The cells of a notebook that name this example."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell for cell in cells if name in named(cell, "example")]


def named(cell, what):
    """What a cell's metadata names, one or several."""
    value = cell.metadata.get(what, [])
    return value if isinstance(value, list) else [value]


def texts(cells):
    """What the cells print: each text, and each HTML without its tags."""
    found = []
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        data = output.get("data", {})
        found += [
            output.get("text", ""),
            f"{output.get('ename', '')}: {output.get('evalue', '')}",
            data.get("text/plain", ""),
            unescape(re.sub(r"<[^>]+>", " ", data.get("text/html", ""))),
        ]
    return found


def shows(text, run, tolerance):
    """Whether these numbers stand in a text, one after the other."""
    numbers = [float(found.replace("\u2212", "-")) for found in NUMBER.findall(text)]
    return any(
        all(math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-12) for a, b in zip(numbers[k:], run))
        for k in range(len(numbers) - len(run) + 1)
    )


def objection(row, cells):
    """What a lesson's cells lack of an example, or None."""
    if not cells:
        return "no cell names it"
    found = texts(cells)
    for run in row.get("shows", []):
        if not any(shows(text, run, row["tolerance"]) for text in found):
            return f"{run} is not in the output"
    everything = re.sub(r"\s+", " ", " ".join([*found, *(cell.source for cell in cells)]))
    for words in row.get("says", []):
        if words not in everything:
            return f"{words!r} is not in the output"
    return None


@over("row", ROWS, ids=lambda row: f"{row['lesson']} {row['id']}")
def test_a_lesson_shows_its_examples(row):
    assert objection(row, tagged(LESSONS[row["lesson"]], row["id"])) is None


def test_the_inventory_is_complete():
    """A document's examples are counted: one that is lost leaves a gap, the last one a cell that
    names what is not there."""
    assert {row["document"] for row in ROWS} == {"S0", "S1", "S2", "S3", "S4"}
    for document in {row["document"] for row in ROWS}:
        own = [row["id"] for row in ROWS if row["document"] == document]
        numbers = sorted({int(re.fullmatch(rf"{document}-(\d+)[a-z]?", name)[1]) for name in own})
        assert numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[-1] + 1))
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert row["lesson"] in LESSONS
        assert row["kind"] in ("number", "error", "claim", "text")
        assert ("shows" in row) == ("tolerance" in row) == (row["kind"] == "number")
        assert row["kind"] != "error" or row["says"]


def test_cells_name_examples_and_confusions_that_exist():
    ids = {row["id"]: row["lesson"] for row in ROWS}
    for lesson, path in LESSONS.items():
        for cell in nbformat.read(path, as_version=4).cells:
            assert all(ids[name] == lesson for name in named(cell, "example")), (path.name, cell.id)
            assert all(number in range(1, 26) for number in named(cell, "confusion")), cell.id


STATEMENTS = {  # what the documents say that is wrong or out of date, and where it is set right
    "S1 backward() = backward(torch.Tensor([1]))": "11",
    "S1 dot product": "05",
    "S2 JVP": "04",
    "S2 n x 1": "04",
    "S2 z is a leaf": "07",
    "S3 accumulator": "08",
    "S3 simultaneously": "03",
    "S4 gradient of x": "01",
    "S4 learning rate": "08",
}
CONFUSIONS = {
    "02": {2, 9},
    "03": {1, 10},
    "04": {11, 13, 20},
    "05": {21},
    "07": {12},
    "08": {4},
    "09": {3, 14, 15, 16},
    "10": {5, 6, 17, 18, 19, 22, 23},
    "11": {8},
    "12": {7, 24, 25},
}


def test_each_confusion_and_each_wrong_statement_is_settled_once():
    cells = [
        (lesson, cell)
        for lesson, path in LESSONS.items()
        for cell in nbformat.read(path, as_version=4).cells
    ]
    confusions = sorted(
        (lesson, number) for lesson, cell in cells for number in named(cell, "confusion")
    )
    assert confusions == sorted((lesson, n) for lesson, some in CONFUSIONS.items() for n in some)
    assert sorted(number for _, number in confusions) == list(range(1, 26))
    statements = sorted(
        (name, lesson) for lesson, cell in cells for name in named(cell, "statement")
    )
    assert statements == sorted(STATEMENTS.items())


def test_one_wrong_digit_is_noticed():
    row = next(row for row in ROWS if row["id"] == "S3-1")
    right = (
        "tensor([3.0000e-01, 3.0000e+00, 3.0000e-04])\n[1.2, 16, 0.002]\n"
        "[0.016667, 0.14286, 1.25e-05]"
    )
    for text, what in [
        (right, None),
        (right.replace("16", "17"), "[1.2, 16, 0.002]"),
        (right.replace("e-04", "e-05"), "[0.3, 3, 0.0003]"),
        (right.replace("0.14286", "-0.14286"), "[0.016667, 0.14286, 1.25e-05]"),
    ]:
        cell = nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("stream", text=text)])
        assert objection(row, [cell]) == (what and f"{what} is not in the output")
    assert objection(row, []) == "no cell names it"
    error = next(row for row in ROWS if row["id"] == "S3-0")
    assert "is not in the output" in objection(error, [nbformat.v4.new_code_cell("y")])
