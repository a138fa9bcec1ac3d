"""Actions come in the learner's order, though the browser may hold an older edit back."""

import asyncio
import functools
import time

import pytest

from minigrad.classroom import widgets
from minigrad.classroom.views import turns
from tests.classroom.panels import below

ONES = [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


class Page:
    """The browser's side of a panel: each method is a message that arrives in the kernel."""

    def __init__(self, panel):
        self.panel = panel

    def control(self, name):
        found = [one for one in below(self.panel) if getattr(one, "description", None) == name]
        assert len(found) == 1
        return found[0]

    def edit(self, name, value):
        data = {"method": "update", "state": {"value": value}}
        self.control(name)._handle_msg({"content": {"data": data}, "buffers": []})

    def custom(self, name, event):
        data = {"method": "custom", "content": {"event": event}}
        self.control(name)._handle_msg({"content": {"data": data}, "buffers": []})

    def answer(self):
        """Send back the number that the kernel last asked for."""
        turns = self.panel._turns
        turns._answered.value = turns._asked.value

    @property
    def asked(self):
        asked = self.panel._turns._asked
        return 0 if asked is None else asked.value


BOX, OTHER = "upstream gradient, row 1, column 1", "upstream gradient, row 2, column 3"


@pytest.fixture
def page():
    return Page(widgets.UpstreamEditor("S0-2"))


def in_a_kernel(test):
    """A test that runs on an event loop, as a kernel's cells do."""

    @functools.wraps(test)
    def run(**fixtures):
        async def on_the_loop():
            test(**fixtures)

        asyncio.run(on_the_loop())

    return run


@in_a_kernel
def test_a_click_waits_for_what_was_typed_before_it(page):
    page.edit(BOX, "5")
    page.custom("ones", "click")
    assert page.asked == 1 and page.panel.upstream[0][0] == 5
    page.edit(BOX, "6")  # the browser had held it back
    assert page.panel.upstream[0][0] == 6
    page.answer()
    assert page.panel.upstream == ONES


@in_a_kernel
def test_what_is_entered_after_the_click_counts_after_it(page):
    page.edit(BOX, "5")
    page.custom("ones", "click")
    page.custom(BOX, "submit")
    page.edit(BOX, "7")
    page.edit(OTHER, "8")
    page.custom("zero", "click")
    page.custom(OTHER, "submit")
    page.edit(OTHER, "9")
    assert page.panel.upstream[0][0] == 5
    page.answer()
    assert page.panel.upstream == [[0, 0, 0], [0, 0, 9]]


@in_a_kernel
def test_what_is_put_off_itself_may_be_followed_by_something_held_back(page):
    page.edit("v =", "[[2, 2, 2], [2, 2, 2]]")
    page.edit(BOX, "5")  # waits for the list
    page.custom("ones", "click")  # waits for the box, too
    assert page.asked == 2
    page.edit("v =", "[[3, 3, 3], [3, 3, 3]]")
    assert page.panel.upstream == [[3] * 3] * 2
    page.panel._turns._answered.value = 1
    assert page.panel.upstream[0] == [5, 3, 3]
    page.edit(BOX, "6")
    assert page.panel.upstream[0] == [6, 3, 3]
    page.edit(BOX, "7")
    page.answer()
    assert page.panel.upstream == [[7, 1, 1], [1, 1, 1]]


@in_a_kernel
def test_only_the_next_message_of_a_control_can_be_older(page):
    page.edit(BOX, "5")
    page.custom("ones", "click")
    page.edit(BOX, "6")
    page.edit(BOX, "7")
    assert page.panel.upstream[0][0] == 6
    page.answer()
    assert page.panel.upstream == [[7, 1, 1], [1, 1, 1]]


@in_a_kernel
def test_boxes_of_one_grid_do_not_wait_for_each_other_but_the_list_does(page):
    page.edit(BOX, "5")
    page.edit(OTHER, "6")
    assert page.asked == 0 and page.panel.upstream == [[5, 1, 1], [1, 1, 6]]
    page.edit("v =", "[[2, 2, 2], [2, 2, 2]]")
    assert page.asked == 1
    page.edit(OTHER, "7")
    page.answer()
    assert page.panel.upstream == [[2] * 3] * 2
    assert page.control(OTHER).value == "2"


@in_a_kernel
def test_once_the_browser_has_answered_nothing_waits_until_the_next_edit(page):
    page.custom("ones", "click")
    assert page.asked == 0 and page.panel.upstream == ONES
    page.edit(BOX, "5")
    page.custom("ones", "click")
    page.answer()
    page.custom("zero", "click")
    page.edit("v =", "[[2, 2, 2], [2, 2, 2]]")
    assert page.asked == 1 and page.panel.upstream == [[2] * 3] * 2
    page.custom("zero", "click")
    assert page.asked == 2 and page.panel.upstream == [[2] * 3] * 2
    page.answer()
    assert page.panel.upstream[0] == [0, 0, 0]


@in_a_kernel
def test_however_late_a_click_comes_it_waits_for_what_was_typed_before_it(page, monkeypatch):
    """A busy browser may send a click seconds after the edit before it, and hold back another."""
    now = time.monotonic()
    page.edit(BOX, "5")
    monkeypatch.setattr(time, "monotonic", lambda: now + 3600)
    page.custom("ones", "click")
    page.edit(BOX, "6")
    assert page.panel.upstream[0][0] == 6
    page.answer()
    assert page.panel.upstream == ONES


def test_without_an_answer_it_goes_on(page, monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.05)

    async def test():
        page.edit(BOX, "5")
        page.custom("ones", "click")
        assert page.panel.upstream != ONES
        await asyncio.sleep(0.3)
        assert page.panel.upstream == ONES
        page.edit(BOX, "4")
        page.custom("ones", "click")
        page.answer()
        assert page.panel.upstream == ONES
        page.edit(BOX, "3")
        await asyncio.sleep(0.3)  # the alarm of a question that was answered does nothing
        assert page.panel.upstream[0][0] == 3

    asyncio.run(test())


@in_a_kernel
def test_code_is_not_put_off(page):
    page.edit(BOX, "5")
    page.control("ones").click()
    assert page.asked == 0 and page.panel.upstream == ONES


def test_without_an_event_loop_nothing_waits(page):
    page.edit(BOX, "5")
    page.custom("ones", "click")
    assert page.panel.upstream == ONES


@in_a_kernel
def test_a_step_by_a_button_starts_from_what_was_typed():
    page = Page(widgets.NudgeMeter())
    page.edit("eps = 10 to the power", -3)
    page.custom("\u25c0", "click")
    page.edit("eps = 10 to the power", -5)
    page.answer()
    assert page.panel.power == -5.5


@in_a_kernel
def test_a_guess_that_was_held_back_is_the_one_committed():
    page = Page(widgets.PredictCard("?", answer=[2, 4]))
    page.edit("your guess", "[1, 2]")
    page.custom("Commit", "click")
    assert not page.panel.revealed
    page.edit("your guess", "[2, 4]")
    page.answer()
    assert page.panel.right


def test_all_messages_are_handled_in_the_thread_that_jupyterlab_names(page):
    for name in (BOX, "v =", "ones", "one-hot"):
        route = page.control(name).comm._reply_subshell_for
        assert route({"method": "update"}, "subshell") == "subshell"
