"""The recorded answers are what the installed torch answers now, all in one file."""

import json

import pytest

from minigrad.classroom import compare
from minigrad.classroom.compare import engines, recorded
from minigrad.classroom.compare.comparison import listeners
from minigrad.classroom.compare.fingerprint import fingerprint
from minigrad.classroom.lessons.progress import VARIABLE
from tools import record


@pytest.fixture(scope="module")
def torch():
    return engines.torch_now()


def test_every_line_is_what_torch_answers(torch):
    found = record.answers(torch)
    assert recorded.version() == engines.version(torch)
    assert record.changed(found, recorded.answers()) == [], "python3 run.py record"


def test_recording_reads_programs_out_of_notebooks(torch, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "progress.json"))
    cells = [
        "from minigrad.classroom import check, compare\nimport minigrad as torch\nscale = 3",
        "1 / 0",
        "def program(torch):\n    x = torch.ones(2, requires_grad=True)\n"
        "    (x * scale).backward(torch.ones(2))\n    return {'x.grad': x.grad}\ncompare(program)",
        "compare(lambda torch: {'unknown': tmp})",
        "%%both x.grad, x\nx = torch.ones(3, requires_grad=True)\n(x * scale).sum().backward()",
        "%%both y\nx = torch.ones(2, requires_grad=True)\n(x * 2).backward()\ny = 3",
        "check('03-3', torch.tensor([0., 1., 0.]))",
    ]
    notebook = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    function, unknown, cell, error = record.notebook_answers(tmp_path).values()
    assert list(unknown) == ["error"] and list(cell) == ["x.grad", "x"]
    assert function["x.grad"]["values"] == [3.0, 3.0]
    assert error["error in line 3"]["type"] == "RuntimeError" and "y" in error
    assert not listeners and not (tmp_path / "progress.json").exists()


def test_saving_the_same_answers_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "_FILE", tmp_path / "answers.jsonl")
    recorded._load.cache_clear()
    try:
        recorded.save("2.13.0", {"b": {"x": 1}, "a": {"y": [0.1, "\u00b7"]}})
        first = (tmp_path / "answers.jsonl").read_bytes()
        recorded.save("2.13.0", {"a": {"y": [0.1, "\u00b7"]}, "b": {"x": 1}})
        assert (tmp_path / "answers.jsonl").read_bytes() == first and b"\r" not in first
        assert recorded.answer("b") == ({"x": 1}, "2.13.0")
        assert recorded.answer(None) == (None, None) and recorded.answer("c") == (None, None)
    finally:
        monkeypatch.undo()
        recorded._load.cache_clear()


NUMBER, TEXT = {"kind": "float", "value": 2.0}, {"kind": "text", "value": "refused"}


def test_what_another_pytorch_answers_otherwise_is_told_as_it_was_and_as_it_is():
    before = {"a": {"y": NUMBER, "z": NUMBER}, "gone": {"y": NUMBER}}
    found = {"a": {"y": TEXT, "z": NUMBER}, "new": {"y": NUMBER}}
    assert record.changed(before, before) == []
    assert record.changed(found, before) == [
        "a\n    y\n    was  2\n    is   refused",
        "gone\n    y\n    was  2\n    is   no such result",
        "new\n    y\n    was  no such result\n    is   2",
    ]


def test_rounding_alone_changes_no_record():
    """Another processor adds in another order, so the last digit of a product may differ."""

    def tensor(*values):
        return {"kind": "tensor", "dtype": "float32", "shape": [2], "values": list(values)}

    before = {"a": {"y": tensor(0.0211709, 2.0)}}
    rounded, other = {"a": {"y": tensor(0.02117091, 2.0)}}, {"a": {"y": tensor(0.0212, 2.0)}}
    assert record.changed(rounded, before) == [] and record.kept(rounded, before) == before
    assert len(record.changed(other, before)) == 1 and record.kept(other, before) == other
    assert record.kept(other, {}) == other


def test_checking_names_what_differs_and_writes_nothing(torch, tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "_load", lambda: ("2.13.0", {"compare old": {"y": NUMBER}}))
    monkeypatch.setattr(record, "answers", lambda torch: {"compare new": {"y": NUMBER}})
    monkeypatch.setattr(recorded, "save", None)
    with pytest.raises(SystemExit) as stop:
        record.main("--check")
    assert "compare new" in stop.value.code and "compare old" in stop.value.code


def test_what_cannot_be_told_is_not_recorded():
    assert fingerprint(print) is None
    heard = []
    listeners.append(lambda *both: heard.append(both))
    try:
        compare(print)
    finally:
        listeners.pop()
    assert heard == []
