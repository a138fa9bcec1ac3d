"""Every card of every lesson: its answer is what both engines compute, and its misconceptions can
be read, differ from the answer and from each other, and are told in whole sentences.
"""

import subprocess
import sys

import pytest
import torch

from minigrad.classroom import check, predict, progress
from minigrad.classroom.lessons import ANSWER, LECTURE, _find, every_card, every_lesson
from minigrad.classroom.lessons.cards import Card
from minigrad.classroom.widgets.predict_card.model import PredictCard
from tests.cases import over

CARDS = every_card()
each = over("name", CARDS)


def opened(card, engine=None):
    options = card.options(engine) if engine else card.options()
    return PredictCard(options.pop("question"), options.pop("answer"), **options)


@each
def test_a_card_opens_covered_by_its_name(name):
    card = predict(name)
    assert card.model.question == CARDS[name].question
    assert not card.model.revealed and card.model.lines() == []


@each
def test_both_engines_give_the_answer(name):
    card = opened(CARDS[name])
    card.commit(opened(CARDS[name], torch).answer)
    assert card.right


@each
def test_each_wrong_guess_is_wrong_and_gets_its_own_sentence(name):
    wrong = CARDS[name].options()["misconceptions"]
    assert len(wrong) == len(CARDS[name].misconceptions) > 0
    for guess, sentence in wrong:
        card = opened(CARDS[name])
        card.commit(guess)
        assert not card.message and not card.right, (guess, card.message)
        assert card.misconception == sentence, "an earlier misconception has the same guess"


@each
def test_sentences_are_whole(name):
    card = CARDS[name]
    for sentence in [card.why, *card.misconceptions.values()]:
        assert sentence.endswith("."), sentence
    assert card.question.rstrip()[-1] in ".?"


@each
def test_the_question_does_not_hold_its_answer(name):
    answer = opened(CARDS[name]).answer
    assert isinstance(answer, (str, float)) or str(answer) not in CARDS[name].question


def test_a_card_is_found_by_its_own_name():
    """Names are free after the lesson's number: a new card renames no other one."""
    for number, lesson in every_lesson().items():
        for name in lesson.CARDS:
            assert name.startswith(f"{number}-") and _find(name, "CARDS") == (CARDS[name], None)


@pytest.mark.parametrize("page", [ANSWER, LECTURE])
def test_a_page_that_is_not_a_lesson_has_cards(page):
    own = [name for name in CARDS if name.startswith(f"{page}-")]
    assert own and all(_find(name, "CARDS") == (CARDS[name], None) for name in own)
    assert page not in every_lesson() and page not in repr(progress()).lower()
    assert repr(predict(f"{page}-z")).startswith(f"There is no card {page}-z; the {page} has")
    assert f"The {page} has no exercises." in repr(check(f"{page}-1", 1))


def test_a_card_loads_its_own_lesson_alone():
    program = (
        "import sys; from minigrad.classroom import predict; predict('03-b')\n"
        "lessons = 'minigrad.classroom.lessons.l'\n"
        "found = [name for name in sys.modules if name.startswith(lessons)]\n"
        "assert found == [lessons + '03'], found"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "card, guess, kind",
    [
        (Card("Is it so?", True, {"False": "No."}), "true", "choice"),
        (Card("Which?", lambda torch: "b", {"a": "No."}, choices=["a", "b"]), "B", "choice"),
        (Card("How many?", lambda torch: torch.ones(3).sum(), {2: "No."}), "3", "number"),
        (
            Card("Which ones?", lambda torch: torch.ones(2), {lambda torch: torch.zeros(2): "No."}),
            "[1, 1]",
            "array",
        ),
    ],
)
def test_a_card_may_ask_for_everything(card, guess, kind):
    card = opened(card)
    assert card.kind == kind
    card.commit(guess)
    assert card.right


def test_names_that_are_no_cards_are_explained():
    assert repr(predict("three")).startswith("Cards are called like")
    assert repr(predict("03-z")).startswith("There is no card 03-z; lesson 03 has 03-a, ")
    assert repr(predict("77-a")) == "Lesson 77 has no cards."
    assert predict(" 3-A ").model.question == CARDS["03-a"].question


def test_a_question_of_ones_own_is_a_card_too():
    card = predict("1 + 1?", answer=2, misconceptions={"1": "Too few."})
    card.model.commit("1")
    assert card.model.misconception == "Too few."
    assert predict("?", 0).model.kind == "number"
