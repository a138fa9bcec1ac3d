"""The answer: one page, ten minutes, and every number on it from a run."""

import importlib
import re

import nbformat
import numpy as np
import pytest

from minigrad.classroom import compare
from minigrad.classroom.compare.cells import Cell
from minigrad.classroom.lessons import every_card
from minigrad.classroom.show.drawing.flow import read_flow
from tests.notebooks.test_prose import prose, words
from tools.files import ROOT

PATH = ROOT / "notebooks" / "answer.ipynb"
CELLS = nbformat.read(PATH, as_version=4).cells
MOST_CELLS, MOST_WORDS = 24, 900
BEATS = ("surprise", "why", "rule", "all", "where", "twice", "torch", "want", "check")


def cell(id):
    [found] = [cell for cell in CELLS if cell.id == id]
    return found


def test_it_is_one_page():
    texts = [re.sub(r"\$\$.*?\$\$", "", one.source, flags=re.DOTALL) for one in CELLS]
    told = [words(prose(text)) for one, text in zip(CELLS, texts) if one.cell_type == "markdown"]
    assert len(CELLS) <= MOST_CELLS and sum(map(len, told)) <= MOST_WORDS


def test_the_beats_come_in_their_order():
    places = [CELLS.index(cell(beat)) for beat in BEATS]
    assert places == sorted(places)
    assert [cell(beat).source.startswith("#") for beat in BEATS] == [True] * len(BEATS)


def test_its_cards_are_asked_and_no_others():
    asked = re.findall(r'predict\("(answer-\w+)"\)', "\n".join(one.source for one in CELLS))
    assert asked == [name for name in every_card() if name.startswith("answer-")]
    assert len(asked) == 5


def test_the_program_to_copy_is_twelve_lines_of_pytorch_and_the_same_on_both_engines():
    first, *program = cell("torch-code").source.splitlines()
    assert first == "%%both" and program[0] == "import torch" and len(program) == 12
    comparison = compare(Cell("\n".join(program), outside={}))
    assert comparison.lines and comparison.problem is None
    assert [line for line in comparison.lines if not line.agrees] == []


def rounded(values):
    return [round(float(value), 4) for value in np.ravel(values)]


def two_outputs(torch, x, v):
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = torch.stack([3 * x, x**2])
    v = torch.tensor(v, dtype=torch.float64)
    y.backward(v)
    return [(v * y).sum().item(), x.grad.item()]


def of_matrix(torch):
    x = torch.ones(3, requires_grad=True)
    (torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) @ x).backward(torch.tensor([1.0, 10.0]))
    return x.grad.tolist()


# What the prose claims, by beat: the numbers as they stand there, and how an engine finds them.
CLAIMS = [
    ("why", [3], lambda torch: two_outputs(torch, 2.0, [1.0, 0.0])[1]),
    ("why", [4], lambda torch: two_outputs(torch, 2.0, [0.0, 1.0])[1]),
    ("why", [7], lambda torch: two_outputs(torch, 2.0, [1.0, 1.0])[1]),
    ("why", [2], lambda torch: two_outputs(torch, 2.0, [2.0, -1.0])[1]),
    ("rule", [8, 2], lambda torch: two_outputs(torch, 2.0, [2.0, -1.0])),
    ("rule", [8.19], lambda torch: two_outputs(torch, 2.1, [2.0, -1.0])[0]),
    ("all", [41, 52, 63], of_matrix),
    ("where", [-0.5, -1.5, 0, -1], lambda torch: read_flow(torch=torch).grads["p"]),
    ("where", [-1, -2.5], lambda torch: read_flow(torch=torch).grads["w"]),
]


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
@pytest.mark.parametrize("beat, numbers, found", CLAIMS)
def test_the_numbers_in_the_prose_are_what_both_engines_give(engine, beat, numbers, found):
    assert rounded(found(importlib.import_module(engine))) == numbers
    for number in numbers:
        assert re.search(rf"(?<![\d.-]){number:g}(?![\d])", cell(beat).source), number


def test_every_link_leads_somewhere():
    prose = re.sub(r"`[^`]*`", "", "\n".join(one.source for one in CELLS))
    links = re.findall(r"\]\(([^):]+)\)", prose)
    assert len(links) == 4 and [one for one in links if not (PATH.parent / one).exists()] == []
