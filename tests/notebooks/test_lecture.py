"""The one lecture: fifty minutes in one kernel, five votes, and notes with the same minutes."""

import re

import nbformat
import pytest
import torch

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.lessons.lecture import CARDS
from tools.beats import source_of
from tools.copies import copy_of
from tools.files import ROOT

CELLS = nbformat.read(ROOT / "notebooks" / "lecture.ipynb", as_version=4).cells
NOTES = (ROOT / "notebooks" / "instructor" / "lecture.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+)\u2013(\d+) \((\d+) minutes\) \|.*\| (\w+|\u2013)(?: vote)? \|$", re.M)
MOST_CELLS, MOST_LINES, MINUTES, VOTES = 28, 14, 50, 5
SLOWLY, A_RUN = 110, 0.25  # words a minute; minutes to press the keys and wait


def test_it_is_short():
    assert len(CELLS) <= MOST_CELLS
    programs = [cell.source.splitlines() for cell in CELLS if cell.cell_type == "code"]
    assert max(map(len, programs)) <= MOST_LINES
    assert max(len(line) for lines in programs for line in lines) <= 100


def test_each_of_five_votes_has_its_run_in_the_next_cell_and_then_what_a_copy_folds():
    cards = [k for k, cell in enumerate(CELLS) if cell.source.startswith("predict(")]
    assert len(cards) == VOTES
    copied = copy_of({"cells": CELLS}, "lecture.ipynb")["cells"]
    for k in cards:
        run, explained = CELLS[k + 1], copied[k + 2]
        assert run.cell_type == "code" and not run.source.startswith("predict(")
        assert source_of(explained).startswith("<details>")


def test_only_the_import_cell_is_hidden():
    hidden = [cell.source for cell in CELLS if "jupyter" in cell.metadata]
    assert ["import minigrad as torch" in source for source in hidden] == [True]


def test_the_editor_the_jacobian_and_the_seam_are_there():
    source = "\n".join(cell.source for cell in CELLS)
    opened = re.findall(r"^widgets\.(\w+)\(", source, re.MULTILINE)
    assert opened == ["UpstreamEditor", "JacobianPicture", "SeamCutter"]
    assert set(opened) <= set(widgets.__all__)


def test_it_begins_with_a_program_that_learns_nonsense_and_ends_with_the_right_prices():
    printed = [cell.outputs[0].text for cell in CELLS if 'print("w:"' in cell.source]
    assert printed == ["w: [-20.0, -20.0]   b: -40.0\n", "w: [-1.0, 2.0]   b: 1.0\n"]


def test_a_cut_between_two_layers_gives_the_gradient_of_the_uncut_network():
    [printed] = [cell.outputs[0].text for cell in CELLS if "W1" in cell.source]
    whole, cut = printed.split("tensor(")[1:]
    assert whole.strip() == cut.strip()


@pytest.mark.parametrize("engine", [torch, minigrad], ids=["torch", "minigrad"])
@pytest.mark.parametrize("name", CARDS)
def test_every_vote_has_lettered_choices_an_answer_among_them_and_a_reply_to_each_other(
    name, engine
):
    card = CARDS[name].options(engine)
    assert [choice[:4] for choice in card["choices"]] == ["A:  ", "B:  ", "C:  ", "D:  "]
    replies = dict(card["misconceptions"])
    assert card["answer"] in card["choices"] and card["answer"] not in replies
    assert set(replies) == set(card["choices"]) - {card["answer"]}


def test_the_right_letters_are_spread_and_the_right_choice_is_not_the_longest():
    letters = [card.options()["answer"][0] for card in CARDS.values()]
    assert set(letters) == set("ABCD") and letters != sorted(letters)
    for card in CARDS.values():
        right = card.options()["answer"]
        others = [choice for choice in card.choices if choice != right]
        assert "[" in right or any(len(choice) >= len(right) for choice in others)


def test_no_vote_repeats_what_the_one_before_it_showed():
    """Not the same v, and in the fifth not numbers that are right with either sign."""
    weights = [re.findall(r"v = (\[[^]]*\])", card.question) for card in CARDS.values()]
    weights = [found[0] for found in weights if found]
    assert len(weights) == len(set(weights)) == 2
    p, t = (
        minigrad.tensor(list(map(float, re.findall(r"\d", numbers))))
        for numbers in re.findall(r"\b[pt] = (\[[^]]*\])", CARDS["lecture-g"].question)
    )
    choices = {choice[4:] for choice in CARDS["lecture-g"].choices}
    for likely in (t, (p - t) ** 2, p - t, t - p):
        choices.remove(str(likely.tolist()).replace(".0", "").replace("-0", "0"))
    assert choices == set()


def test_the_notes_reply_to_the_letters_that_are_wrong():
    for card, told in zip(CARDS.values(), NOTES.split("*What they answer.*")[1:], strict=True):
        wrong = {choice[0] for choice in card.choices} - {card.options()["answer"][0]}
        assert set(re.findall(r"\*\*([A-D]),\s", told.partition("\n\n")[0])) == wrong


def test_every_beat_says_its_minute_and_the_notes_say_the_same():
    headings = [cell.source for cell in CELLS if cell.source.startswith("#")]
    told = [int(re.search(r"\*minute (\d+)", source)[1]) for source in headings]
    told.append(int(re.search(r"\*minute (\d+)\*", CELLS[-1].source)[1]))
    rows = [(int(first), int(last), int(of), vote) for first, last, of, vote in ROW.findall(NOTES)]
    assert [first for first, _, _, _ in rows] == told
    assert told == sorted(told) and rows[-1][1] == MINUTES == sum(of for _, _, of, _ in rows)
    assert all(last - first == of for first, last, of, _ in rows)
    assert [first for first, _, _, _ in rows[1:]] == [last for _, last, _, _ in rows[:-1]]
    assert [vote for *_, vote in rows if vote != "\u2013"] == [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
    ]
    assert [int(m) for m in re.findall(r"^### Minute (\d+)", NOTES, re.M)] == told[:-1]


def test_what_is_said_fits_into_the_minutes_and_leaves_the_room_some():
    for (first, last), (said, shown, pauses, runs) in zip(ROWS, COUNTED, strict=True):
        takes = (said + shown) / SLOWLY + pauses + runs
        assert takes <= last - first - 1, f"minute {first}: {takes:.1f} of {last - first}"


def test_the_spoken_minutes_are_those_of_the_words_there_now():
    """The table tells what a speech synthesiser took; it speaks again when the notes change."""
    row = r"^\| (\d+)\u2013(\d+) \|" + r" ([\d.]+) \|" * 4 + "$"
    table = re.findall(row, NOTES, re.M)
    *parts, whole = [list(map(float, row)) for row in table]
    assert [(first, last) for first, last, *_ in parts] == ROWS
    for (first, last, at_135, at_155, wrong, left), (said, shown, *others) in zip(parts, COUNTED):
        for told, pace in ((at_135, 135), (at_155, 155)):
            assert told == pytest.approx((said + shown) / pace + sum(others), abs=0.3), first
        assert left == pytest.approx(last - first - at_135 - wrong, abs=0.11)
    assert whole[2:] == pytest.approx([sum(column) for column in list(zip(*parts))[2:]], abs=0.31)


def counted(told, cells):
    """(words said, words shown, minutes of votes and pauses, minutes of runs) of a part."""
    told = re.sub(r"\*What they answer\.\*.*?\n\n", "", told, flags=re.S)
    said = sum(map(words, re.findall(r'^"(.+?)"$', told, re.S | re.M)))
    shown = sum(words(cell.source) for cell in cells if cell.cell_type == "markdown")
    return said, shown, pauses(told), A_RUN * sum(cell.cell_type == "code" for cell in cells)


def beats():
    """The lecture's cells, part by part: each begins with a heading."""
    parts = []
    for cell in CELLS:
        if cell.source.startswith("#"):
            parts.append([])
        parts[-1].append(cell)
    return parts


def words(text):
    return len(re.findall(r"\S*\w\S*", text))


def pauses(told):
    """Minutes of votes and pauses, which stand between stars."""
    directions = " ".join(re.findall(r"^\*([^*].+?)\*$", told, re.M | re.S))
    counted = re.findall(r"(\d+|half a) minutes?\b", re.sub("at minute \\d+", "", directions))
    return sum(0.5 if one == "half a" else float(one) for one in counted)


PARTS = re.findall(r"^### Minute \d+: .+?\n(.*?)(?=^##)", NOTES, re.M | re.S)
ROWS = [(int(first), int(last)) for first, last, _, _ in ROW.findall(NOTES)][: len(PARTS)]
COUNTED = [counted(told, cells) for told, cells in zip(PARTS, beats(), strict=True)]
