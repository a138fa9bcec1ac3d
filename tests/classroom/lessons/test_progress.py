"""Solved exercises are remembered in a file; nothing that goes wrong with it stops a lesson."""

import json

import pytest

from minigrad.classroom import check, progress, solution
from minigrad.classroom.lessons.progress import VARIABLE, place, remember


@pytest.fixture
def file(tmp_path, monkeypatch):
    file = tmp_path / "new folder" / "progress.json"
    monkeypatch.setenv(VARIABLE, str(file))
    return file


def solve(name):
    import minigrad

    space = {"torch": minigrad}
    exec(solution(name).text, space)
    assert check(name, space["v"]).passed


def test_tests_keep_nothing():
    assert place() is None
    solve("03-1")
    assert progress().solved == [] and "isn't saved" in repr(progress())


def test_a_right_answer_is_remembered_once_and_a_wrong_one_not(file):
    check("03-1", 1)
    assert progress().solved == []
    for name in ("03-3", "03-1", "03-1"):
        solve(name)
    kept = json.loads(file.read_text())
    assert kept["solved"] == ["03-1", "03-3"] == sorted(kept["times"])
    assert kept["tries"] == {"03-1": 2, "03-3": 1} and kept["guesses"] == {}
    assert progress().solved == ["03-1", "03-3"]
    assert "Lesson 03  2 of 3 solved: 03-1, 03-3" in repr(progress())
    assert str(file) in repr(progress())
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_its_place_is_the_home_folder_unless_named(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    remember("03-1", True)
    assert (tmp_path / ".minigrad-progress.json").exists()
    assert "Kept in ~" in repr(progress())


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"solved": 3}', '{"solved": [3]}', "\0"])
def test_a_damaged_file_holds_nothing_and_is_mended(file, text):
    file.parent.mkdir()
    file.write_text(text)
    assert progress().solved == []
    remember("00-1", True)
    assert progress().solved == ["00-1"]


def test_a_disk_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "below a file.json"))
    solve("03-1")
    assert progress().solved == []
