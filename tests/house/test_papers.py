"""The papers for a class in docs/: what they show is run, and what they name is there."""

import html
import re

import pytest
import torch

import minigrad
from minigrad.classroom.cells import Cell
from minigrad.classroom.results import run, value_of
from tests.house.test_imports import ROOT

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
