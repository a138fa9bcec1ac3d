"""The papers for a class in docs/: what they show is run, and what they name is there."""

import html
import re

import nbformat
import pytest
import torch

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.compare.cells import Cell
from minigrad.classroom.compare.results import run, value_of
from tests.browser.pictures import NEXT, gallery
from tests.notebooks.test_lessons import PARTS
from tests.notebooks.test_prose import objections_to
from tools.files import ROOT
from tools.minutes import EXERCISE

HANDOUT = (ROOT / "docs" / "handout.html").read_text("utf-8")
PROGRAMS = [html.unescape(program) for program in re.findall(r"<pre>\n(.*?)</pre>", HANDOUT, re.S)]
MESSAGES = [
    html.unescape(message) for message in re.findall(r"<tr><td><code>(.*?)</code>", HANDOUT)
]
engines = pytest.mark.parametrize("engine", [minigrad, torch], ids=["minigrad", "torch"])


@engines
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.split(" =")[0])
def test_a_program_of_the_handout_gives_what_stands_behind_it(program, engine):
    [(shown, numbers)] = re.findall(r"^(\S+) +# ([-\d]+|\[.*?\])", program, re.MULTILINE)
    before = program[: program.index(f"{shown}  ")]
    results, problem = run(Cell(before, [shown]), engine)
    assert problem is None and list(results) == [shown]
    assert value_of(results[shown]).tolist() == Cell(numbers)(engine)[numbers]


REFUSED = """
(x * x).backward()
(x * x).backward(torch.ones(3))
(x * x).backward([1., 1.])
torch.ones(2).sum().backward()
y = (x * x).sum(); y.backward(); y.backward()
y = x.exp(); y.add_(1); y.sum().backward()
x.add_(1)
(x * x).grad
x.grad.zero_()
x.numpy()
""".strip().splitlines()


@engines
@pytest.mark.parametrize(("line", "message"), list(zip(REFUSED, MESSAGES, strict=True)))
def test_a_message_of_the_handout_is_said(line, message, engine):
    program = Cell(f"x = torch.tensor([1., 2.], requires_grad=True)\n{line}", ["x.shape"])
    results, _ = run(program, engine)
    told = [value_of(one)[1] for one in results.values() if one["kind"] in ("error", "warning")]
    assert len(told) == 1 and told[0].startswith(message)


def test_the_handout_needs_nothing_from_outside():
    assert not re.search(r"https?:|src=|href=|url\(|<script|@import", HANDOUT)


def test_the_page_on_widgets_names_each_with_its_room():
    text = (ROOT / "docs" / "widgets.md").read_text("utf-8")
    named = re.findall(r"^\| .+ \| `(\w+)` \| `(\w+)/` \|$", text, re.MULTILINE)
    assert dict(named) == widgets._ROOMS
    assert set(re.findall(r'src="widgets/(\w+)-light', text)) == set(widgets._ROOMS)
    below = [sentence for _, sentence in NEXT.values()]  # the pictures of what comes next
    below += [sentence for _, _, sentence, _ in gallery()]
    assert [sentence for sentence in below if sentence not in text] == []


TEMPLATE = ROOT / "docs" / "lesson-template.ipynb"


def test_the_template_keeps_to_the_rules_of_a_lesson_in_ten_cells():
    cells = nbformat.read(TEMPLATE, as_version=4).cells
    assert len(cells) == 10
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    bodies = [re.sub(r"^#.*", "", source) for source in prose]  # counted without their headings
    assert {one: objections_to(one) for one in [*prose, *bodies] if objections_to(one)} == {}
    places = ["\n".join(prose).find(part) for part in PARTS]
    assert -1 not in places and places == sorted(places)
    asks, runs, explains = cells[4:7]
    assert asks.source.startswith("## ") and asks.source.endswith("?")
    assert runs.cell_type == "code" and not re.search(r"^#|\?", explains.source)
    assert any(EXERCISE.match(source.partition("\n")[0]) for source in prose)


@engines
def test_the_template_shows_what_its_explanation_says(engine):
    cells = nbformat.read(TEMPLATE, as_version=4).cells
    [program] = [cell.source for cell in cells[4:] if cell.cell_type == "code"]
    results, _ = run(Cell(program), engine)
    assert value_of(results["w.grad"]).tolist() == pytest.approx([-0.1, -0.25])
    assert len(program.splitlines()) <= 12 and "[-0.1, -0.25]" in cells[6].source


@pytest.mark.parametrize("name", ["translate", "newer-pytorch"])
def test_what_a_paper_names_is_there(name):
    text = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    text = text.replace("lNN.py", "l03.py")
    files = re.findall(r"`((?:minigrad|tests|tools|notebooks|docs)/[\w./-]*)`", text)
    assert files and [file for file in files if not (ROOT / file).exists()] == []
