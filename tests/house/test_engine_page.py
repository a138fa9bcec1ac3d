"""docs/engine.md quotes the engine as it is, and its examples run."""

import doctest
import re
import subprocess
import sys

import pytest

import minigrad
from tests.house.test_imports import ENGINE, ROOT

PAGE = (ROOT / "docs" / "engine.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
QUOTED = dict(enumerate((b for b in BLOCKS if re.match(r"# \S+\.py\n", b)), 1))
IDEA, EXAMPLE, *ADDED = [block for block in BLOCKS if block not in QUOTED.values()]
SESSIONS = re.findall(r"^```pycon\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)

TRIED = """
import numpy as np
import minigrad as torch
from minigrad.operation import Operation
from minigrad.ops.elements import elements
from minigrad.ops.registry import FUNCTIONS, both
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


def test_the_idea_fits_its_page():
    lines = [line for line in IDEA.splitlines() if line.strip()]
    assert len(lines) <= 25 and IDEA in PAGE.partition("\n## 2.")[0]


def test_the_idea_and_the_engine_agree_where_values_meet_again():
    """A value that is used twice, and what is made of it used twice, too."""

    def found(value, backward):
        x, y = value([1.0, -2.0, 0.5]), value([3.0, 1.0, 4.0])
        z = x * y + x
        (z * z + y * x * z).backward(backward([1.0, 10.0, 100.0]))
        return x.grad.tolist(), y.grad.tolist()

    space = {}
    exec(IDEA, space)
    leaf = lambda data: minigrad.tensor(data, requires_grad=True)  # noqa: E731
    assert found(space["Value"], list) == found(leaf, minigrad.tensor)


@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_what_a_page_types_is_answered_so(number):
    space = {"torch": minigrad}
    exec(IDEA, space)
    test = doctest.DocTestParser().get_doctest(SESSIONS[number], space, str(number), None, 0)
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    told = []
    assert test.examples
    doctest.DocTestRunner(optionflags=options).run(test, out=told.append)
    assert not told, "".join(told)


def test_the_program_that_is_followed_leaves_its_numbers():
    *lines, last = EXAMPLE.strip().splitlines()
    expression, _, result = last.partition("# ")
    space = {"torch": minigrad}
    exec("\n".join(lines), space)
    assert repr(eval(expression, space)) == result


def test_the_way_is_as_short_as_the_page_says():
    """From `a * a` to `a.grad`: how many of the engine's functions are called, and their files."""
    space = {"torch": minigrad}
    *lines, _ = EXAMPLE.strip().splitlines()
    program = compile("\n".join(lines[1:]), "program", "exec")
    exec(lines[0], space)
    exec(program, space)  # once, so that the plan is there
    space |= {"a": minigrad.tensor([1.0, 2.0, 3.0], requires_grad=True), "torch": Ready()}
    called = set()

    def note(frame, event, arg):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("minigrad."):
            called.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        exec(program, space)
    finally:
        sys.setprofile(None)
    files = {file for file, _ in called}
    numbers = {"four": 4, "five": 5, "six": 6}
    functions, word = re.search(r"(\d+) functions in (\w+) files", PAGE).groups()
    # Both rules of `mul` have one name, `<lambda>`.
    assert (len(called) + 1, len(files)) == (int(functions), numbers[word])
    assert len(called) < 16 and len(files) <= 6


class Ready:
    """A `torch` whose `tensor` was made before, for it is not part of the way."""

    v = minigrad.tensor([1.0, 10.0, 100.0])

    def tensor(self, data):
        """The upstream gradient, whatever is asked for."""
        return self.v


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
