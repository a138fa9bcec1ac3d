"""The recorded answers are what the installed torch answers now."""

import json
import re
from pathlib import Path

import pytest

from minigrad.classroom import compare, engines, record, recorded
from minigrad.classroom.fingerprint import fingerprint
from minigrad.classroom.models.presets import PRESETS


@pytest.fixture(scope="module")
def torch():
    return engines.torch_now()


def test_every_recorded_file_is_named():
    files = {path.name for path in Path(recorded.__file__).parent.glob("*.json")}
    assert set(re.findall(r"\w+\.json", recorded.__doc__)) == files


def test_the_examples_are_recorded_as_torch_answers_them(torch):
    stored = recorded.load("presets")
    assert stored["torch"] == engines.version(torch)
    assert set(stored["answers"]) == set(PRESETS)
    assert stored["answers"] == record.preset_answers(torch)


def test_the_programs_of_the_notebooks_are_recorded_as_torch_answers_them(torch):
    stored = recorded.load("programs")
    assert stored["torch"] == engines.version(torch)
    assert stored["answers"] == record.program_answers(torch)


def test_the_jacobians_and_the_gate_are_recorded_as_torch_answers_them(torch):
    for name, answers in (("jacobians", record.jacobian_answers), ("gate", record.gate_answers)):
        stored = recorded.load(name)
        assert stored["torch"] == engines.version(torch)
        assert stored["answers"] == answers(torch)


def test_the_stepper_s_leaf_gradients_are_recorded_as_torch_answers_them(torch):
    stored = recorded.load("stepper")
    assert stored["torch"] == engines.version(torch)
    assert stored["answers"] == record.stepper_answers(torch)


def test_recording_reads_programs_out_of_notebooks(torch, tmp_path):
    cells = [
        "from minigrad.classroom import compare\nscale = 3",
        "1 / 0",
        "def program(torch):\n    x = torch.ones(2, requires_grad=True)\n"
        "    (x * scale).backward(torch.ones(2))\n    return {'x.grad': x.grad}\ncompare(program)",
        "compare(lambda torch: {'unknown': tmp})",
    ]
    notebook = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    answers = record.program_answers(torch, tmp_path)
    assert {"kind": "tensor", "dtype": "float32", "shape": [2], "values": [3.0, 3.0]} in [
        results.get("x.grad") for results in answers.values()
    ]
    import minigrad.classroom

    assert minigrad.classroom.compare is compare


def test_saving_the_same_answers_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "_FOLDER", tmp_path)
    recorded.load.cache_clear()
    recorded.save("programs", "2.13.0", {"b": 1, "a": [0.1]})
    first = (tmp_path / "programs.json").read_bytes()
    recorded.save("programs", "2.13.0", {"a": [0.1], "b": 1})
    assert (tmp_path / "programs.json").read_bytes() == first and b"\r" not in first
    assert recorded.answer("programs", "b") == (1, "2.13.0")
    assert recorded.answer("programs", None) == (None, None)
    recorded.load.cache_clear()


def test_nothing_recorded_names_a_program_that_cannot_be_told(torch):
    assert fingerprint(print) is None
