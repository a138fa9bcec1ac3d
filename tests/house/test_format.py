"""Format, lint and types, as `python3 run.py check` asks for them; what is let off says why."""

import re
import subprocess
import sys
import tomllib

import pytest

from tests.house.test_imports import ROOT
from tools.check import CHECKS, call

SOURCES = [
    path
    for folder in ("minigrad", "tests", "tools", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


@pytest.mark.parametrize("name", CHECKS)
def test_everything_is_kept(name):
    run = call(CHECKS[name], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def held(pattern):
    """The lines of the project's Python that hold a pattern."""
    return [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in [*SOURCES, ROOT / "run.py"]
        for line in path.read_text("utf-8").splitlines()
        if re.search(pattern, line)
    ]


def test_only_tables_of_rules_and_numbers_are_formatted_by_hand():
    tables = "minigrad/ops/", "minigrad/tensor.py"
    assert all(line.startswith(tables) for line in held(r"#\s?fmt: "))


def test_an_exception_names_its_rule():
    assert not held(r"#\s?noqa(?!: [A-Z]+\d)")
    assert not held(r"#\s?type: ignore(?!\[[a-z-]+\])")


SLIPS = {  # lines of a program, and what the type checker says of them
    "x.exp().add_(1).backward()": None,
    "x.retain_grad(3)": 'Too many arguments for "retain_grad"',
    "autograd.grad(x)": 'Missing positional argument "inputs"',
    "autograd.grad(x, x, gradient=x)": 'Unexpected keyword argument "gradient"',
    "minigrad.graph.knot": "Module has no attribute",
    "nn.Linear(3)": 'Missing positional argument "out_features"',
    "engines.knot": "Module has no attribute",
}


def test_the_type_checker_knows_the_public_names(tmp_path):
    head = "import minigrad", "from minigrad import autograd, nn"
    head += "from minigrad.classroom.compare import engines", "def f(x: minigrad.Tensor):"
    program = tmp_path / "program.py"
    program.write_text("\n".join([*head, *(f"    {line}" for line in SLIPS)]))
    command = [sys.executable, "-m", "mypy", program]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    for number, complaint in enumerate(SLIPS.values(), len(head) + 1):
        about = [line for line in said.splitlines() if f"program.py:{number}: error" in line]
        assert complaint in about[0] if complaint else not about, said


def test_the_checkers_are_pinned_for_they_change_their_minds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = dict(re.findall(r"'(ruff|mypy)>=([\d.]+),<", str(project["optional-dependencies"])))
    assert set(pinned) == {"ruff", "mypy"}
