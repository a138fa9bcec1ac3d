"""The first page: its map tells the lessons that are there, as they tell themselves."""

import re

import nbformat
import pytest

from minigrad.classroom.lessons import course
from tools.files import ROOT

NOTEBOOKS = ROOT / "notebooks"
each = pytest.mark.parametrize("lesson", course.COURSE, ids=lambda lesson: lesson.number)


def text_of(name):
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def stored(cell_id):
    """What the index shows in this cell: its HTML and its text."""
    cells = nbformat.read(NOTEBOOKS / "index.ipynb", as_version=4).cells
    [cell] = [cell for cell in cells if cell.id == cell_id]
    return "".join(
        "".join(output.get("data", {}).values()) + output.get("text", "") for output in cell.outputs
    )


def test_every_lesson_belongs_to_the_course():
    there = {path.stem for path in NOTEBOOKS.glob("[0-8][0-9]-*.ipynb")}
    assert there == {lesson.file for lesson in course.COURSE}
    assert [lesson.number for lesson in course.COURSE] == [f"{k:02}" for k in range(14)]


@each
def test_a_lesson_has_the_title_that_the_index_gives_it(lesson):
    text = text_of(lesson.file)
    title = re.match(r"# ([^:\n]+)", text)[1].strip()
    assert title.startswith(lesson.title)


@each
def test_a_lesson_is_linked(lesson):
    assert f'<a href="{lesson.file}.ipynb">' in stored("table-code")


@each
def test_a_lesson_leads_to_the_next(lesson):
    after = course.COURSE[course.COURSE.index(lesson) + 1 :]
    links = re.findall(r"\]\(([^)]+)\.ipynb\)", text_of(lesson.file).rpartition("**Next:**")[2])
    assert (after[0].file if after else "index") in links


def test_the_one_lecture_is_linked_and_is_no_lesson():
    assert (NOTEBOOKS / "lecture.ipynb").exists()
    assert '<a href="lecture.ipynb">One lecture</a>' in stored("table-code")
    assert "](lecture.ipynb)" in text_of("index")


def test_the_map_says_what_it_shows():
    assert " ".join(repr(course.picture()).split()) == (
        "Map: Lessons 00 to 13, one after the other. Beside the way stands one lecture, 50 "
        "minutes, which needs no lesson."
    )


def test_every_link_of_the_first_page_leads_somewhere():
    links = re.findall(r"\]\(([^):]+)\)", text_of("index"))
    assert "00-set-out.ipynb" in links
    assert [link for link in links if not (NOTEBOOKS / link).exists()] == []


def test_who_stored_it_has_solved_nothing_and_shows_no_place():
    shown = stored("progress-code")
    assert "Lesson 00  0 of 1 solved" in shown and "Kept in" not in shown
    assert not re.search(r"[1-9]\d* of", shown)


def test_the_way_fits_a_page_and_prints_as_text():
    html = course.picture().html
    assert int(re.search(r'width="(\d+)', html)[1]) <= 760 and 'alt="Lessons 00 to 13' in html
    assert max(map(len, repr(course.table()).splitlines())) <= 100
    assert max(map(len, repr(course.signs()).splitlines())) <= 100
