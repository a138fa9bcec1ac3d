"""Small is the engine's first property, and the classroom's: how many lines each may have, docstrings and blank lines included."""
import ast

import pytest

from tests.house.test_imports import ENGINE, ROOT

CORE = "tensor graph operation backward inplace hooks dtypes modes errors"
ROOMS = {  # what belongs to a room, and how many lines it may have
    "core": ([f"{name}.py" for name in CORE.split()], 1700),
    "operations": (["ops/", "creation.py"], 2600),
    "autograd": (["autograd/"], 800),
    "networks": (["nn/", "optim.py"], 1000),
    "printing": (["printing.py"], 150),
    "beside": (["anomaly.py", "func.py", "linalg.py", "__init__.py"], 260),
    "whole engine": ([""], 6500),
}
LINES = {path.relative_to(ROOT / "minigrad").as_posix(): path.read_text("utf-8").splitlines() for path in ENGINE}


def of_room(room):
    return [name for name in LINES if any(name == part or part[-1:] in ("/", "") and name.startswith(part) for part in ROOMS[room][0])]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_small(room):
    lengths = {name: len(LINES[name]) for name in of_room(room)}
    assert lengths and sum(lengths.values()) <= ROOMS[room][1], (sum(lengths.values()), lengths)


def test_every_file_is_in_a_room():
    inside = {name for room in ROOMS if room != "whole engine" for name in of_room(room)}
    assert set(LINES) == inside


def test_the_classroom_is_small():
    folder = ROOT / "minigrad" / "classroom"
    files = [path.relative_to(folder) for path in folder.rglob("*.py")]
    lengths = {name.as_posix(): len((folder / name).read_text("utf-8").splitlines()) for name in files if name.parts[0] != "lessons"}
    assert lengths and sum(lengths.values()) <= 12_000, (sum(lengths.values()), lengths)


@pytest.mark.parametrize("name", LINES)
def test_a_file_fits_a_reader(name):
    assert len(LINES[name]) <= 400
    assert [line for line in LINES[name] if len(line) > 100] == []


@pytest.mark.parametrize("name", LINES)
def test_no_code_writes_code(name):
    calls = [node.func for node in ast.walk(ast.parse("\n".join(LINES[name]))) if isinstance(node, ast.Call)]
    assert not {getattr(f, "id", None) for f in calls} & {"exec", "eval", "compile", "__import__"}


def test_the_backward_pass_is_on_one_screen():
    tree = ast.parse("\n".join(LINES["backward.py"]))
    [run] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "run"]
    assert run.end_lineno - run.lineno + 1 <= 60
