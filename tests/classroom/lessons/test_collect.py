"""What learners hand in, and what a lecturer reads off it."""

import json
import re
import subprocess
import sys

import pytest

from minigrad.classroom import check, predict, progress
from minigrad.classroom.lessons.progress import VARIABLE, sound
from tools import collect
from tools.files import ROOT


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A learner at work: `work("Ada", guesses, tries)` leaves a file to hand in."""
    folder = tmp_path / "handed in"
    folder.mkdir()

    def one(name, guesses=(), answers=()):
        monkeypatch.setenv(VARIABLE, str(tmp_path / f"{name}.json"))
        for card, guess in guesses:
            predict(card).model.commit(guess)
        for exercise, answer in answers:
            check(exercise, answer)
        return progress.export(name, folder)

    one.folder = folder
    return one


def test_guesses_and_tries_are_kept_and_handed_in(work):
    guesses = [("02-b", "[[2, 4, 6], [8, 10, 12]]"), ("02-one", "-3"), ("02-one", "-6")]
    file = work("Ada Lovelace", guesses, [("01-2", 48.0), ("01-2", 96.0), ("01-2", 96.0)])
    assert file.name == "minigrad-Ada-Lovelace.json"
    found = json.loads(file.read_text())
    assert found["name"] == "Ada Lovelace" and found["solved"] == ["01-2"]
    assert found["tries"] == {"01-2": 2}  # the third was after it was solved
    assert found["told"] == {"01-2": [check("01-2", 48.0).lines[-1]]}
    assert found["guesses"]["02-b"][1] is True and found["guesses"]["02-one"][1] is False
    assert "2026" in found["times"]["01-2"] or found["times"]["01-2"].startswith("20")


def test_where_a_class_went_wrong(work):
    for k, guess in enumerate(["-3", "-3", "-12", "-6"]):
        work(f"Learner {k}", [("02-one", guess)], [("01-2", 48.0)] + [("01-2", 96.0)] * (k > 1))
    learners, problems = collect.read(work.folder)
    assert [one.name for one in learners] == [f"Learner {k}" for k in range(4)] and not problems
    found = {row.name: row for row in collect.rows(learners)}
    card, exercise = found["02-one"], found["01-2"]
    assert (card.tried, card.right) == (4, 1) and card.others == ["2 said -3", "1 said -12"]
    assert (exercise.tried, exercise.at_once, exercise.right) == (4, 0, 2)
    assert exercise.others == [f"4 told: {check('01-2', 48.0).lines[-1]}"]
    assert list(found) == ["01-2", "02-one"]  # the hardest first
    told = collect.text(learners, list(found.values()))
    assert "Learner 3: 1 exercise solved" in told and "Learner 0: 0 exercises solved" in told
    assert [line.split()[:4] for line in told.splitlines() if line.startswith("0")] == [
        ["01-2", "4", "0", "2"],
        ["02-one", "4", "1", "1"],
    ]


def test_a_bar_shows_who_was_right_at_once_at_last_and_not_yet(work):
    for k, answers in enumerate([[96.0], [48.0, 96.0], [48.0], []]):
        work(f"Learner {k}", [], [("01-2", answer) for answer in answers])
    learners, _ = collect.read(work.folder)
    page = collect.page(learners, collect.rows(learners))
    assert "width: 180px" in page  # of 240 for four learners
    assert re.findall(r"flex: (\d)", page.partition("<table>")[2]) == ["1", "1", "1"]
    assert 'aria-label="1 of 3 right at once, 2 in the end"' in page and "2 told: " in page


def test_the_command_prints_a_table_and_writes_a_page(work):
    work("Ada", [("02-one", "-3")])
    command = [sys.executable, "-m", "tools.collect", str(work.folder)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0 and "1 said -3" in run.stdout, run.stderr
    page = (work.folder / "class.html").read_text(encoding="utf-8")
    assert 'class="bar"' in page and "02-one" in page and "http" not in page


def test_what_is_no_file_of_progress_is_left_out_and_named(work):
    work("<script>alert(1)</script>", [("02-one", "-3")])
    (work.folder / "a.json").write_text("{")
    (work.folder / "b.json").write_text('{"name": "Eve", "solved": 3, "guesses": {"02-one": 7}}')
    (work.folder / "c.json").write_text("[" * 2_000_000)
    learners, problems = collect.read(work.folder)
    assert [line.split()[0] for line in problems] == ["a.json", "c.json"]
    assert [one.name for one in learners] == ["Eve", "<script>alert(1)</script>"]
    assert "<script>" not in collect.page(learners, collect.rows(learners))


@pytest.mark.parametrize("arguments", [[], ["no such folder"], ["a", "b"]])
def test_without_a_folder_it_says_what_to_name(arguments):
    with pytest.raises(SystemExit, match="Name the folder"):
        collect.main(*arguments)


def test_an_empty_folder_is_answered(tmp_path):
    with pytest.raises(SystemExit, match="has no file"):
        collect.main(str(tmp_path))


@pytest.mark.parametrize("name", ["", " ", "/"])
def test_who_hands_in_has_a_name(name):
    with pytest.raises(ValueError, match="Say who you are"):
        progress.export(name)


def test_of_anything_only_what_is_sound_is_taken():
    for junk in (
        None,
        3,
        [],
        {"solved": [1, "a"], "tries": {"a": "b"}, "guesses": {"c": [1, True]}, "told": {"a": 3}},
    ):
        found = sound(junk)
        assert set(found) == {"solved", "tries", "times", "told", "guesses"}
        assert found["tries"] == found["guesses"] == found["told"] == {}
