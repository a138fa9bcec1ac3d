"""docs/engine.md quotes the engine as it is, and its examples run."""

import re
import subprocess
import sys

import pytest

import minigrad
from tests.house.test_imports import ENGINE, ROOT

PAGE = (ROOT / "docs" / "engine.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
QUOTED = dict(enumerate((b for b in BLOCKS if re.match(r"# \S+\.py\n", b)), 1))
EXAMPLE, *ADDED = [block for block in BLOCKS if block not in QUOTED.values()]

TRIED = """
import numpy as np
import minigrad as torch
from minigrad.operation import Operation
from minigrad.ops.registry import FUNCTIONS, both, one
{}
acos, dot = FUNCTIONS["acos"], FUNCTIONS["dot"]
x = torch.tensor([0.0, 0.6], requires_grad=True)
[g] = torch.autograd.grad(acos(x).sum() + x.acos().sum(), x, create_graph=True)
g.sum().backward()
print(g.tolist(), x.grad.tolist(), x.detach().acos_().tolist())
p, q = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
(dot(p, q) + p.dot(q)).backward()
print(p.grad.tolist(), q.grad.tolist())
"""


@pytest.mark.parametrize("number", QUOTED)
def test_what_is_quoted_stands_in_the_file(number):
    first, *quoted = QUOTED[number].splitlines()
    lines = iter((ROOT / "minigrad" / first[2:]).read_text("utf-8").splitlines())
    for line in quoted:
        assert line.strip() == "..." or line in lines, f"{first[2:]} does not go on with {line!r}"


def test_the_pass_is_shown_whole():
    [shown] = [block for block in QUOTED.values() if "def backward_pass" in block]
    assert shown.partition("\n")[2] in (ROOT / "minigrad" / "backward.py").read_text("utf-8")


def test_the_program_that_is_followed_leaves_its_numbers():
    *lines, last = EXAMPLE.strip().splitlines()
    expression, _, result = last.partition("# ")
    space = {"torch": minigrad}
    exec("\n".join(lines), space)
    assert repr(eval(expression, space)) == result


def test_the_operations_that_are_added_work():
    """In a process of their own, for they stay."""
    run = [sys.executable, "-c", TRIED.format("\n".join(ADDED))]
    said = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", said)]
    slopes, seconds = [-2, -2.5], [0, -2 * 0.6 / 0.8**3]
    assert numbers == pytest.approx([*slopes, *seconds, 1.5708, 0.9273, 6, 8, 2, 4], abs=1e-4)


def test_the_reading_order_names_every_file():
    order = minigrad.__doc__
    files = {path.relative_to(ROOT / "minigrad") for path in ENGINE}
    places = {f"{file.parts[0]}/" if len(file.parts) > 1 else file.name for file in files}
    assert not [place for place in places - {"__init__.py"} if place not in order]
