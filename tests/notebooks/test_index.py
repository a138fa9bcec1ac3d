"""The first page: its map tells the lessons that are there, as they tell themselves."""

import base64
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


def test_the_answer_comes_first_and_then_the_core():
    shown = repr(course.table())
    order = [shown.index(one) for one in ("The answer", "02 See", "08 Add", "00 Set", "06 Mult")]
    assert order == sorted(order)
    assert re.findall(r"\]\(([^):]+)\)", text_of("index"))[0] == "answer.ipynb"
    assert [one.number for one in next(iter(course.parts().values()))] == list(course.CORE)


def test_every_lesson_stands_in_one_part_of_the_map():
    told = [lesson for lessons in course.parts().values() for lesson in lessons]
    assert sorted(told, key=lambda one: one.number) == list(course.COURSE)


def test_one_lesson_more_does_not_break_the_map(monkeypatch):
    more = course.Lesson("14-go-on", "Go on with a very long title indeed", 20, 10, "go on")
    before = course.picture().html
    monkeypatch.setattr(course, "COURSE", (*course.COURSE, more))
    sizes = [re.findall(r' width="([\d.]+)"', one)[0] for one in (before, course.picture().html)]
    assert sizes[0] == sizes[1] and "14 Go on" in repr(course.table())
    drawn = base64.b64decode(re.search(r"base64,([^\"]+)", course.picture().html)[1]).decode()
    assert ">14<" in drawn
    bottoms = re.findall(r'<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', drawn)
    height = float(re.search(r'viewBox="\S+ \S+ \S+ ([\d.]+)"', drawn)[1])
    assert max(float(y) + float(high) for y, high in bottoms) <= height - 14


def test_the_map_says_what_it_shows():
    assert " ".join(repr(course.picture()).split()).startswith(
        "Map: First the answer, ten minutes. Then the core of the course, lessons 02, 03, 04, 05,"
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
    assert int(re.search(r'width="(\d+)', html)[1]) <= 760 and 'alt="First the answer' in html
    assert max(map(len, repr(course.table()).splitlines())) <= 100
    assert max(map(len, repr(course.signs()).splitlines())) <= 100
    assert course.signs().html.count('<img alt="') == 5
