"""A lesson's minutes are a learner's, by the rule of docs/lessons.md, wherever they are told."""

import re

import nbformat
import pytest

from minigrad.classroom.lessons import course
from tools import minutes as minutes_of
from tools.files import ROOT
from tools.minutes import (
    COURSE,
    DIFFICULTY,
    EXERCISE,
    FOR_LECTURERS,
    SYLLABUS,
    changed,
    figures,
    minutes,
    places,
)

NOTEBOOKS = ROOT / "notebooks"
each = pytest.mark.parametrize("lesson", course.COURSE, ids=lambda lesson: lesson.number)


def test_every_place_tells_the_minutes_of_the_rule():
    assert not changed(), "python3 run.py minutes writes them; then run.py notebooks the first page"
    told = {file for file, _, _ in places(figures())}
    assert {"README.md", FOR_LECTURERS, SYLLABUS, COURSE} < told


def test_a_place_that_tells_no_minutes_any_more_is_named(monkeypatch):
    gone = [("README.md", r"about % fortnights in all", [18])]
    monkeypatch.setattr(minutes_of, "places", lambda found: gone)
    with pytest.raises(ValueError, match="README.md should state minutes once"):
        changed()


@each
def test_an_exercise_takes_what_its_difficulty_says(lesson):
    cells = nbformat.read(NOTEBOOKS / f"{lesson.file}.ipynb", as_version=4).cells
    headings = [cell.source.partition("\n")[0] for cell in cells if cell.cell_type == "markdown"]
    exercises = [heading for heading in headings if heading.startswith("## Exercise ")]
    assert exercises
    for heading in exercises:
        _, difficulty, told = EXERCISE.match(heading).groups()
        assert int(told) == DIFFICULTY[difficulty]


@pytest.mark.parametrize("lesson", course.COURSE[:11], ids=lambda lesson: lesson.number)
def test_a_lecturers_table_adds_up_to_its_heading(lesson):
    notes = (NOTEBOOKS / "instructor" / f"{lesson.file}.md").read_text("utf-8")
    _, told, table = re.split(r"^## Timing \((.+) minutes\)$", notes, flags=re.M)
    found = {True: 0, False: 0}
    for taken, what in re.findall(r"^\| ([\d +]+) \| (.+?) \|", table, re.M):
        found[what.startswith("Exercise")] += sum(map(int, taken.split("+")))
    assert f"{found[False]} + {found[True]}" == told


def test_one_more_card_and_a_hundred_words_are_noticed(tmp_path):
    nb = nbformat.v4.new_notebook()
    nb.cells = [nbformat.v4.new_markdown_cell("word " * 300)]
    nbformat.write(nb, tmp_path / "a.ipynb")
    assert minutes(tmp_path / "a.ipynb") == (5, 0)
    nb.cells += [nbformat.v4.new_code_cell('predict("03-a")')] * 5
    nb.cells += [nbformat.v4.new_markdown_cell("## Exercise 01-1: Try (hard, 15 minutes)")]
    nbformat.write(nb, tmp_path / "a.ipynb")
    assert minutes(tmp_path / "a.ipynb") == (10, 15)
    nb.cells += [
        nbformat.v4.new_markdown_cell("## Exercise 01-2: More (optional, hard, 15 minutes)"),
        nbformat.v4.new_markdown_cell("word " * 900),
    ]
    nbformat.write(nb, tmp_path / "a.ipynb")
    assert minutes(tmp_path / "a.ipynb") == (10, 15)  # nor what an optional exercise says


def test_the_rule_is_the_one_that_is_written_down():
    text = re.sub(r"\s+", " ", (ROOT / "docs" / "lessons.md").read_text("utf-8"))
    assert "100 words a minute, 6 seconds for a line of code, half a minute" in text
    assert "one minute for a card, three for a widget" in text
    assert ", ".join(f"{name} {number}" for name, number in DIFFICULTY.items()) in text
