"""The exam questions: variants by seed, run on both engines, mapped to what the lessons promise."""

import csv
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from html import unescape
from html.parser import HTMLParser

import nbformat
import numpy as np
import pytest
import torch

import minigrad
from minigrad.classroom.compare.results import difference, value_of
from minigrad.classroom.lessons import course, every_lesson
from minigrad.classroom.show.typed_numbers import read_array
from tests.cases import over
from tests.notebooks.test_prose import MOST_ON_AVERAGE, sentences, words
from tools import class_folder, papers
from tools.files import ROOT
from tools.questions import FOLDER, drawn, questions

SEEDS = range(1, 6)
KINDS = {"number", "choice", "line", "printed", "true or false"}
PUBLIC = tomllib.loads((FOLDER / "questions.toml").read_text("utf-8"))["question"]
KEYS = tomllib.loads((FOLDER / "keys.toml").read_text("utf-8"))
VARIANTS = {seed: questions(seed) for seed in SEEDS}
FIRST = VARIANTS[1]
IDS = [item["id"] for item in PUBLIC]
each = over("id", IDS)
# What a lesson promises about the kit and is no matter for an exam, by how it begins.
NOT_ASKED = (
    "run a cell",
    "answer a predict card",
    "read a table",
    "name the three rules that are gone",
    "change an old line",
    "say what else a real engine does",
)


def variants(id):
    """The variants of one question that differ."""
    found = [one for seed in SEEDS for one in VARIANTS[seed] if one.id == id]
    return list({(one.question, one.program): one for one in found}.values())


def cells(lesson):
    return nbformat.read(ROOT / "notebooks" / f"{lesson.file}.ipynb", as_version=4).cells


def promises(lesson):
    """The points of "You will be able to", as they stand in the lesson."""
    [cell] = [c for c in cells(lesson) if c.source.startswith("**You will be able to**")]
    return re.findall(r"^- (.+)$", cell.source, re.MULTILINE)


@pytest.mark.parametrize("lesson", course.COURSE, ids=lambda one: one.number)
def test_every_promise_but_about_the_kit_is_asked_and_no_other(lesson):
    asked = {one["promise"] for one in PUBLIC if one["id"].startswith(lesson.number)}
    promised = promises(lesson)
    assert asked == {one for one in promised if not one.startswith(NOT_ASKED)}


def test_the_two_files_name_the_same_questions_in_the_order_of_the_course():
    numbers = Counter()
    for id in IDS:
        numbers[id[:2]] += 1
        assert id == f"{id[:2]}-q{numbers[id[:2]]}"
    assert list(KEYS) == IDS == sorted(IDS)


def test_no_key_stands_in_the_public_file_and_no_learner_gets_the_other(tmp_path):
    allowed = {"id", "promise", "kind", "draw", "question", "program", "choices", "points"}
    assert set().union(*PUBLIC) == allowed
    class_folder.make_class(tmp_path / "class")
    assert not [path for path in (tmp_path / "class").rglob("*") if "keys" in path.name]
    packed = (ROOT / "pyproject.toml").read_text("utf-8")
    assert "keys.toml" not in packed and not list((ROOT / "minigrad").rglob("keys.toml"))


@each
def test_both_engines_give_the_key_of_every_variant(id):
    for question in variants(id):
        ours, theirs = question.results(minigrad), question.results(torch)
        assert ours.keys() == theirs.keys()
        assert [name for name in ours if not difference(ours[name], theirs[name])[1]] == []
        assert question.answer(minigrad) == question.answer(torch)


@each
def test_the_program_does_what_the_question_says(id):
    for question in variants(id):
        results = question.results()
        messages = [value_of(r)[1] for name, r in results.items() if name.startswith("error in")]
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
def test_what_asks_for_a_number_has_other_numbers_with_another_seed(id):
    [kind] = {one.kind for one in variants(id)}
    if kind in ("number", "printed"):
        assert len({one.answer() for one in variants(id)}) > 1


@each
def test_a_key_can_be_found_by_hand(id):
    for question in variants(id):
        if question.kind == "number":
            numbers = read_array(question.answer()) * 100
            assert np.array_equal(numbers, numbers.round()) and numbers.size <= 6
        assert len(question.program.strip().splitlines()) <= 9


@each
def test_no_wrong_answer_is_the_key_and_each_has_its_misconception(id):
    for question in variants(id):
        assert question.is_sound()
        assert len(question.wrong) >= (1 if question.kind == "true or false" else 2)
        for sentence in [*question.wrong.values(), question.why]:
            assert sentence[0].isalnum() or sentence[0] in "(-`"
            assert sentence.endswith(".") and not re.search(r"[{}]", sentence)
        if question.kind == "line":
            lines = range(1, question.program.strip().count("\n") + 2)
            assert {int(one) for one in question.wrong} <= set(lines)
        if question.options():
            assert {question.key, *question.wrong} == set(question.options())


@each
def test_a_question_is_whole(id):
    [question, *_] = variants(id)
    assert question.kind in KINDS and 1 <= question.points <= 3
    assert bool(question.choices) == (question.kind == "choice")
    assert question.cure or question.kind != "line"
    assert question.key or question.kind in ("line", "printed")
    assert question.question.endswith((".", "?"))
    text = re.sub(r"`[^`]*`", "x", question.question)
    assert len(words(text)) / len(sentences(text)) <= MOST_ON_AVERAGE


def test_a_question_whose_wrong_answer_is_right_is_not_printed():
    item = {**PUBLIC[IDS.index("01-q5")], **KEYS["01-q5"]}
    right = {"{2 * x * k}": "It is right."}
    with pytest.raises(ValueError, match="01-q5"):
        drawn({**item, "wrong": {**item["wrong"], **right}}, 1)


def test_nothing_is_asked_or_run_that_stands_in_a_lesson():
    asked = {
        card.question
        for module in every_lesson().values()
        for card in getattr(module, "CARDS", {}).values()
    }
    sources = "\n".join(cell.source for lesson in course.COURSE for cell in cells(lesson))
    for question in FIRST:
        assert question.question not in asked
        assert not question.program or question.program.strip() not in sources


@pytest.mark.parametrize("seed", SEEDS)
def test_choices_tell_neither_by_their_place_nor_by_their_length(seed):
    choices = [one for one in VARIANTS[seed] if one.kind == "choice"]
    for size in (3, 4):
        own = [one.choices.index(one.key) for one in choices if len(one.choices) == size]
        places = Counter(own)
        assert max(places.values()) - min(places[k] for k in range(size)) <= 1
    lengths = [sorted(choices, key=len) for choices in (one.choices for one in choices)]
    alone = [(len(one[0]) < len(one[1]), len(one[-1]) > len(one[-2])) for one in lengths]
    shortest = [o.key == s[0] and a for o, s, (a, _) in zip(choices, lengths, alone)]
    longest = [o.key == s[-1] and b for o, s, (_, b) in zip(choices, lengths, alone)]
    assert sum(longest) <= len(choices) / 4 and sum(shortest) <= len(choices) / 3
    truths = Counter(one.key for one in VARIANTS[seed] if one.kind == "true or false")
    assert abs(truths["true"] - truths["false"]) <= 1


# --- What is printed, and what other systems read ------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    out = tmp_path_factory.mktemp("papers")
    papers.main(str(out), "--seed", "1")
    return out


def test_the_same_seed_gives_the_same_paper_and_another_seed_another(written, tmp_path):
    assert papers.exam(questions(1)) == (written / "questions.html").read_text("utf-8")
    papers.main(str(tmp_path), "--seed", "2")
    other = (tmp_path / "questions.html").read_text("utf-8")
    assert other != (written / "questions.html").read_text("utf-8")
    assert other.count("<section>") == len(IDS)


def test_the_paper_keeps_the_key_to_itself(written):
    plain = (written / "questions.html").read_text("utf-8")
    key = (written / "for-lecturers" / "key.html").read_text("utf-8")
    assert plain.count("<section>") == key.count("<b>Key: ") == len(FIRST)
    assert "Drawn with seed 1." in key and "seed" not in plain
    assert "Key" not in plain and "http" not in key
    shown = unescape(plain)
    for question in FIRST:
        assert question.why[:40] not in shown
        assert not [one for one in question.wrong.values() if one in shown]
    assert [path.name for path in written.iterdir() if path.is_file()] == ["questions.html"]


def test_some_lessons_only_and_none_that_is_not_there(tmp_path):
    papers.main(str(tmp_path), "--seed", "3", "--lessons", "02,05")
    shown = re.findall(r"<b>(\d\d)-q", (tmp_path / "questions.html").read_text("utf-8"))
    assert set(shown) == {"02", "05"}
    with pytest.raises(SystemExit):
        papers.main(str(tmp_path), "--lessons", "99")


def plain_text(html):
    """What a browser shows of HTML; it has to be whole, each mark closed."""
    parser = HTMLParser()
    found, opened = [], []
    parser.handle_starttag = lambda tag, attributes: opened.append(tag)
    parser.handle_endtag = lambda tag: found.append("") if opened.pop() == tag else 1 / 0
    parser.handle_data = found.append
    parser.feed(html)
    parser.close()
    assert not opened
    return "".join(found)


def without_marks(text):
    return " ".join(text.replace("`", "").split())


STRUCTURE = {  # Moodle's: what stands in a question of each kind, in any order
    "multichoice": {"single", "shuffleanswers", "answernumbering"},
    "numerical": set(),
    "truefalse": set(),
}
OF_EVERY_KIND = {
    *("name", "questiontext", "generalfeedback", "defaultgrade"),
    *("penalty", "hidden", "idnumber", "answer"),
}


def test_moodle_reads_every_question_with_the_right_answer_and_what_to_say(written):
    quiz = ElementTree.parse(written / "for-lecturers" / "moodle.xml").getroot()
    assert quiz.tag == "quiz" and {child.tag for child in quiz} == {"question"}
    categories = [one for one in quiz if one.get("type") == "category"]
    assert [one.find("category/text").text.split("/")[-1][:2] for one in categories] == sorted(
        {question.lesson for question in FIRST}
    )
    read = [one for one in quiz if one.get("type") != "category"]
    for question, one in zip(FIRST, read, strict=True):
        kind = one.get("type")
        assert {child.tag for child in one} == OF_EVERY_KIND | STRUCTURE[kind]
        assert one.find("name/text").text == question.id == one.find("idnumber").text
        assert float(one.find("defaultgrade").text) == question.points
        shown = plain_text(one.find("questiontext/text").text)
        assert without_marks(question.question) in " ".join(shown.split())
        assert all(line in shown for line in question.program.strip().splitlines())
        answers = [
            (a.get("fraction"), a.find("text").text, plain_text(a.find("feedback/text").text))
            for a in one.iter("answer")
        ]
        if kind == "multichoice":
            answers = [(mark, plain_text(text), why) for mark, text, why in answers]
        told = {text: why for mark, text, why in answers if mark == "0"}
        wrong = {one: without_marks(why) for one, why in question.wrong.items()}
        assert told == {without_marks(one): why for one, why in wrong.items()}
        assert [text for mark, text, _ in answers if mark == "100"] == [question.answer()]
        if kind == "numerical":
            assert all(float(text) is not None for _, text, _ in answers)
            assert all(a.find("tolerance") is not None for a in one.iter("answer"))
        if kind == "truefalse":
            assert sorted(text for _, text, _ in answers) == ["false", "true"]


def gift_questions(text):
    """[(title, text, answers)] by GIFT's own rules: a \\ before ~ = # { } : takes their meaning."""
    special = {f"\\{sign}": chr(0xE000 + k) for k, sign in enumerate("\\~=#{}:")}
    for escaped, private in special.items():
        text = text.replace(escaped, private)

    def plain(part):
        for escaped, private in special.items():
            part = part.replace(private, escaped[1])
        return part.replace("\\n", "\n").strip()

    for block in re.split(r"\n\s*\n", text.strip()):
        if not block.startswith("$CATEGORY: "):
            title, shown, answers = re.fullmatch(
                r"::([^:]+)::\[html\]([^~=#{}]+)\{([^{}]*)\}\s*", block, re.DOTALL
            ).groups()
            yield (
                title,
                plain(shown),
                [tuple(map(plain, one.split("#"))) for one in re.split(r"\n\s+", answers.strip())],
            )


def test_gift_has_every_question_with_the_right_answer_and_what_to_say(written):
    text = (written / "for-lecturers" / "questions.gift").read_text("utf-8")
    for question, (title, shown, answers) in zip(FIRST, gift_questions(text), strict=True):
        assert title == question.id
        assert without_marks(question.question) in " ".join(plain_text(shown).split())
        assert all(line in plain_text(shown) for line in question.program.strip().splitlines())
        if question.kind == "true or false":
            [(truth, if_wrong, if_right)] = answers
            assert truth == question.key.upper() and if_right == filters(question.why)
            assert [if_wrong] == [filters(one) for one in question.wrong.values()]
            continue
        if answers[0] == ("", ""):  # numbers to be typed
            marks = {"=%100%": "=", "=%0%": "~"}
            found = [(re.fullmatch(r"(=%\d+%)(.*):0\.001", a), why) for a, why in answers[1:]]
            answers = [(marks[match[1]] + match[2], why) for match, why in found]
        [right] = [a for a, _ in answers if a.startswith("=")]
        wrong = {a.removeprefix("~"): why for a, why in answers if a != right}
        assert plain_text(right) == f"={question.answer()}"
        expected = {filters(one): filters(why) for one, why in question.wrong.items()}
        assert wrong == expected


def test_no_place_is_the_right_ones_in_a_file_for_a_learning_platform(written):
    """Not every system shuffles what it has read."""
    quiz = ElementTree.parse(written / "for-lecturers" / "moodle.xml").getroot()
    ticked = [one for one in quiz if one.get("type") == "multichoice"]
    places = [[a.get("fraction") for a in one.iter("answer")].index("100") for one in ticked]
    assert set(places) == {0, 1, 2, 3}
    assert max(map(places.count, places)) <= 0.45 * len(places)
    text = (written / "for-lecturers" / "questions.gift").read_text("utf-8")
    blocks = [re.findall(r"^  ([=~])(?!%)", block, re.M) for block in text.split("\n\n")]
    assert [signs.index("=") for signs in blocks if signs] == places


def filters(text):
    """A sentence as HTML."""
    return str(papers.prose(text))


def test_the_lectures_votes_have_their_choices_and_the_right_one(written):
    rows = list(csv.reader((written / "for-lecturers" / "votes.csv").open(encoding="utf-8")))
    head, *votes = rows
    assert head == ["question", *(f"answer {k}" for k in range(1, 5)), "seconds", "right answer"]
    lecture = nbformat.read(ROOT / "notebooks" / "lecture.ipynb", as_version=4).cells
    assert len(votes) == sum(cell.source.startswith("predict(") for cell in lecture) > 0
    for vote in votes:
        choices = [one for one in vote[1:5] if one]
        assert len(choices) == len(set(choices)) >= 2 and 1 <= int(vote[6]) <= len(choices)
