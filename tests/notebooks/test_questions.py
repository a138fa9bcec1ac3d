"""The exam questions: run on both engines, and mapped to what the lessons promise."""

import re
from collections import Counter

import nbformat
import numpy as np
import pytest
import torch

import minigrad
from minigrad.classroom.compare.results import difference, value_of
from minigrad.classroom.lessons import course, every_lesson
from minigrad.classroom.show.typed_numbers import read_array
from tests.notebooks.test_prose import MOST_ON_AVERAGE, sentences, words
from tools.files import ROOT
from tools.questions import main, page, questions

ALL = questions()
KINDS = {"number", "choice", "line", "printed", "true or false"}
each = pytest.mark.parametrize("question", ALL, ids=lambda question: question.id)
of_each_lesson = pytest.mark.parametrize("lesson", course.COURSE, ids=lambda one: one.number)


def cells(lesson):
    return nbformat.read(ROOT / "notebooks" / f"{lesson.file}.ipynb", as_version=4).cells


def promises(lesson):
    """The points of "You will be able to", as they stand in the lesson."""
    [cell] = [c for c in cells(lesson) if c.source.startswith("**You will be able to**")]
    return re.findall(r"^- (.+)$", cell.source, re.MULTILINE)


@of_each_lesson
def test_a_lesson_has_four_to_six_of_mixed_kinds(lesson):
    own = [one for one in ALL if one.lesson == lesson.number]
    assert [one.id for one in own] == [f"{lesson.number}-q{n + 1}" for n in range(len(own))]
    assert 4 <= len(own) <= 6 and len({one.kind for one in own}) >= 3


@of_each_lesson
def test_every_promise_is_asked_and_no_other(lesson):
    asked = {one.promise for one in ALL if one.lesson == lesson.number}
    assert asked == set(promises(lesson))


def test_the_file_is_in_the_order_of_the_course():
    assert [one.id for one in ALL] == sorted(one.id for one in ALL)
    assert {one.lesson for one in ALL} == {lesson.number for lesson in course.COURSE}


@each
def test_both_engines_give_the_key(question):
    ours, theirs = question.results(minigrad), question.results(torch)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if not difference(ours[name], theirs[name])[1]] == []
    assert question.answer(minigrad) == question.answer(torch)


@each
def test_the_program_does_what_the_question_says(question):
    results = question.results()
    messages = [value_of(one)[1] for name, one in results.items() if name.startswith("error in")]
    if question.stops:
        assert len(messages) == 1 and question.stops in messages[0]
    else:
        assert messages == []
    if question.cure:
        assert question.program.count(question.cure[0]) == 1
        assert question.kind != "line" or question.stops or not results[question.holds]["value"]
        for engine in (minigrad, torch):
            mended = question.results(engine, mended=True)
            assert mended[question.holds]["value"] is True
            assert not [one for one in mended.values() if one["kind"] == "error"]
    elif question.holds:
        assert results[question.holds]["value"] is True


@each
def test_a_key_can_be_found_by_hand(question):
    if question.kind == "number":
        numbers = read_array(question.answer()) * 100
        assert np.array_equal(numbers, numbers.round()) and numbers.size <= 6
    assert len(question.program.strip().splitlines()) <= 9


@each
def test_no_wrong_answer_is_the_key_and_each_has_its_misconception(question):
    read = {"number": lambda text: read_array(text).tolist(), "line": int}.get(question.kind, str)
    wrong = [read(one) for one in question.wrong]
    key = read(question.answer())
    assert key not in wrong and all(wrong.count(one) == 1 for one in wrong)
    assert len(wrong) >= (1 if question.kind == "true or false" else 2)
    for sentence in [*question.wrong.values(), question.why]:
        assert sentence[0].isalnum() or sentence[0] in "(-`"
        assert sentence.endswith(".")
    if question.kind == "line":
        assert set(wrong) <= set(range(1, question.program.strip().count("\n") + 2))
    if question.options():
        assert {key, *wrong} == set(question.options())


@each
def test_a_question_is_whole(question):
    assert question.kind in KINDS and 1 <= question.points <= 3
    assert bool(question.choices) == (question.kind == "choice")
    assert question.cure or question.kind != "line"
    assert question.key or question.kind in ("line", "printed")
    assert question.question.endswith((".", "?"))
    assert question.kind != "true or false" or "Give a reason." in question.question
    text = re.sub(r"`[^`]*`", "x", question.question)
    parts = sentences(text)
    assert len(words(text)) / len(parts) <= MOST_ON_AVERAGE


def test_nothing_is_asked_or_run_that_stands_in_a_lesson():
    asked = {
        card.question
        for module in every_lesson().values()
        for card in getattr(module, "CARDS", {}).values()
    }
    sources = "\n".join(cell.source for lesson in course.COURSE for cell in cells(lesson))
    for question in ALL:
        assert question.question not in asked
        assert not question.program or question.program.strip() not in sources


def test_choices_do_not_tell_by_their_place():
    """The right choice stands first, second and third about as often; half of all is true."""
    for kind in ("choice", "true or false"):
        own = [one for one in ALL if one.kind == kind]
        places = Counter(one.options().index(one.key) for one in own)
        assert max(places.values()) <= 0.6 * len(own)


def test_the_page_is_the_same_each_time_and_keeps_the_key_to_itself(tmp_path):
    sheet, key = tmp_path / "sheet.html", tmp_path / "key.html"
    main(str(sheet))
    main(str(key), "--key")
    plain, told = sheet.read_text("utf-8"), key.read_text("utf-8")
    assert (plain, told) == (page(), page(key=True))
    assert plain.count("<section>") == told.count("Key: ") == len(ALL)
    assert "Key" not in plain and "http" not in told
    for question in ALL:
        assert not re.search(re.escape(question.why[:40]), plain)


def test_without_a_file_it_says_what_to_type():
    with pytest.raises(SystemExit, match="Name a file"):
        main("--key")
