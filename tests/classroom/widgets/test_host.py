"""The host of every panel: a page's actions, drawings, the time limit, PyTorch's later drawing."""

import asyncio
import json
import re
import signal
import sys
import time
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.compare import engines
from minigrad.classroom.show.html import tag
from minigrad.classroom.widgets.shared import host, inputs, parts, patience, style, torch_answer
from minigrad.classroom.widgets.shared.host import Panel
from minigrad.classroom.widgets.shared.model import Model, action
from tests.classroom.panels import name_of, named, nodes_of, parsed, shown_in


class Counter(Model):
    """Counts by what it is told; `trips` makes its drawing raise."""

    shows = "count"

    def __init__(self):
        super().__init__()
        self.count, self.words = 0, ""

    @action
    def add(self, by, *more):
        """Add."""
        self.count += int(by)

    @action
    def say(self, words):
        """Say."""
        self.words = words

    def _told(self):
        return f"{self.count} {self.words}"

    def summary(self):
        return f"counter at {self.count}"

    def text(self, answer=None):
        return self.summary()


def draw(counter):
    changed = counter.changed(lambda counter: {"count": counter.count})
    marks = parts.classes(changed="count" in changed)
    return tag("p", counter.count, " ", counter.words, class_=marks, **inputs.act("add", (1, 2)))


@pytest.fixture
def counter():
    return Panel(Counter(), draw, "count")


def ask(panel, name, *arguments):
    panel._perform(None, {"action": name, "arguments": list(arguments)}, None)
    return panel.model


# --- what comes from a page ----------------------------------------------------------------------


def test_an_action_is_found_by_its_name_and_drawn(counter):
    assert ask(counter, "add", "2").count == 2 and ">2 <" in counter.html and counter.count == 2
    assert counter.add(3).count == 5 and ">5 <" in counter.html  # by code as by hand


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("nope", []),
        ("text", []),  # a method, and no action
        ("__init__", []),
        ("count", []),
        ("add", []),  # does not fit
        ("announce.add", [1]),
        ("model.add", [1]),
        ("_refuse", ["x"]),
        (None, []),
        ("add; import os", [1]),
        ("", [1]),
    ],
)
def test_what_is_no_action_is_refused_and_changes_nothing(counter, name, arguments):
    model = ask(counter, name, *arguments)
    assert model.count == 0 and model.message.startswith("There is no action")


def test_the_page_always_hears_that_its_message_was_answered(counter, monkeypatch):
    sent = []
    monkeypatch.setattr(Panel, "send_state", lambda panel, key=None: sent.append({*key}))
    messages = {"action": "add", "arguments": [1]}, {"action": "nope"}, {}
    for name, message in zip("abc", messages):
        counter._perform(None, {"id": name, **message}, None)
        assert counter.answered == name
    assert sent == [{"html", "answered"}] * 3


def test_lists_of_a_page_are_tuples_and_nothing_is_evaluated(counter):
    heard = []
    counter.model.announce = lambda: None
    Counter.heard = action(lambda self, value: heard.append(value))
    try:
        ask(counter, "heard", [[0, 1], "__import__('os').getcwd()"])
    finally:
        del Counter.heard
    assert heard == [((0, 1), "__import__('os').getcwd()")]


def test_an_action_is_declared_as_json():
    assert inputs.act("set", (0, 1), 'a"b') == {
        "data_act": "set",
        "data_key": '[0, 1], "a\\"b"',
    }
    button = inputs.button("x", "says x", inputs.act("set", (0, 1), 'a"<b'))
    assert "&quot;" in button and "<b" not in button.partition(">")[0][1:]
    node = parsed(button).button
    assert json.loads(f"[{node['data-key']}]") == [[0, 1], 'a"<b']


# --- drawings ------------------------------------------------------------------------------------


def test_what_the_last_action_changed_is_marked_until_the_next(counter):
    assert "mg-changed" not in counter.html
    ask(counter, "add", 1)
    assert "mg-changed" in counter.html
    counter.redraw()  # PyTorch's side has come
    assert "mg-changed" in counter.html
    ask(counter, "nope")  # refused: still what the last one did
    assert "mg-changed" in counter.html
    ask(counter, "say", "x")
    assert "mg-changed" not in counter.html


def test_marks_begin_anew_with_every_action(counter):
    turns = []
    for _ in range(3):
        ask(counter, "add", 1)
        turns.append(re.search(r'data-turn="(\d)"', counter.html)[1])
    assert turns == ["1", "0", "1"]
    assert all(name in style.STYLE for name in ("mg-fade {", "mg-fade-again {"))


def test_an_action_whose_drawing_fails_is_taken_back():
    def brittle(counter):
        return tag("p", 1 / (counter.count - 7), counter.message)

    panel = Panel(Counter(), brittle)
    assert ask(panel, "add", 7).count == 0
    assert panel.model.message == "ZeroDivisionError: division by zero."
    assert "ZeroDivisionError" in panel.html
    assert ask(panel, "add", 1).message is None


def test_two_panels_over_one_model_agree(counter):
    other = Panel(counter.model, draw)
    ask(counter, "add", 4)
    assert other.html == counter.html and ">4 <" in other.html


# --- the time limit ------------------------------------------------------------------------------


@pytest.fixture
def short(monkeypatch):
    """Patience for tests; after each of them nothing rings any more."""
    monkeypatch.setattr(patience, "PATIENCE", 0.05)
    monkeypatch.setattr(patience, "LIMIT", 0.15)
    monkeypatch.setattr(patience, "AGAIN", 0.05)
    before = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before
    time.sleep(0.1)  # nothing comes later


def never_ends(x):
    while x.sum() > 5:
        try:
            (x + x).view(77)
        except Exception:  # takes every error for its own
            continue
    return x * x


def test_a_function_without_end_is_waited_for_aloud_and_then_stopped(short, monkeypatch):
    sent = []
    editor = widgets.UpstreamEditor(never_ends, [1, 2], edit_input=True)
    monkeypatch.setattr(Panel, "send", lambda panel, content, buffers=None: sent.append(content))
    before = editor.state()
    ask(editor, "set_input", [9, 9])
    assert editor.message == "It took too long and was stopped. Nothing has changed."
    assert {**editor.state(), "message": None} == {**before, "message": None}
    assert "Still computing" in sent[0]["waiting"]
    monkeypatch.setattr(patience, "LIMIT", 3600)  # a busy machine may be slow at what does end
    ask(editor, "set_input", [2, 2])
    assert editor.message is None and editor.input == [2, 2] and minigrad.is_grad_enabled()


def test_a_drawing_without_end_is_stopped_too_and_the_action_taken_back(short):
    def slow(counter):
        while counter.count == 7:
            time.sleep(0.01)
        return tag("p", counter.count, counter.message)

    panel = Panel(Counter(), slow)
    assert ask(panel, "add", 7).count == 0
    assert "It took too long" in panel.html


def test_what_swallows_the_stop_is_stopped_again(short):
    def stubborn(x):
        tries = 0
        while x.sum() > 5 and tries < 3:
            try:
                time.sleep(1)
            except:  # noqa: E722
                tries += 1
        return x * x

    editor = widgets.UpstreamEditor(stubborn, [1, 2], edit_input=True)
    ask(
        editor, "set_input", [9, 9]
    )  # three stops swallowed in each of its calls; it comes to an end


def ringing_at(line, lines):
    """For sys.settrace: it rings at the line that is begun as the line-th, and again at each one
    where Stopped is being caught. Lists the lines in `lines`."""

    def trace(frame, event, _):
        if event == "line":
            lines.append(frame.f_lineno)
            if len(lines) == line or isinstance(sys.exc_info()[1], patience.Stopped):
                signal.raise_signal(signal.SIGALRM)  # the first says that it waits,
                signal.raise_signal(signal.SIGALRM)  # and each further one stops
        return trace

    return trace


def test_a_stop_never_leaves_the_host(counter):
    """It would end the kernel's loop."""
    told, line, every = set(), 0, [0]
    outside, traced = signal.signal(signal.SIGALRM, lambda *_: None), sys.gettrace()
    try:
        while line < len(every):
            line, lines = line + 1, []
            sys.settrace(ringing_at(line, lines))
            counter._perform(counter, {"action": "add", "arguments": [1]}, ())
            sys.settrace(traced)
            every = max(every, lines, key=len)
            told.add(counter.message)
    finally:
        sys.settrace(traced)
        signal.signal(signal.SIGALRM, outside)
    assert len(every) > 100
    assert told == {None, "It took too long and was stopped. Nothing has changed."}


# --- PyTorch comes with a second drawing ---------------------------------------------------------


@pytest.fixture
def in_a_kernel(monkeypatch):
    """An event loop, as a kernel has one; returns a function that runs a coroutine there."""
    return asyncio.run


def test_no_drawing_asks_pytorch(monkeypatch):
    editor, asked = widgets.UpstreamEditor("a * a"), []
    live = torch_answer.ask_live
    monkeypatch.setattr(torch_answer, "ask_live", lambda *given: asked.append(1) or live(*given))
    room = __import__("minigrad.classroom.widgets.upstream_editor.panel", fromlist=["draw"])
    editor.model.set_upstream_entry((0, 1), 7)
    asked.clear()
    for state in (editor.model, editor.model.press("zero")):
        asked.clear()
        room.draw(state)
        assert asked == []


def test_its_answer_arrives_after_the_picture_while_it_is_slow(in_a_kernel, monkeypatch):
    engines.torch_now()
    monkeypatch.setattr(host, "QUICK", -1)

    async def learner():
        editor, seen = widgets.UpstreamEditor("a * a"), []
        await asyncio.sleep(0.05)
        editor.observe(lambda change: seen.append(change["new"]), "html")
        ask(editor, "set_upstream_entry", [0, 1], "9")
        assert len(seen) == 1 and "aria-busy" in seen[0] and "+36" in seen[0]
        await asyncio.sleep(0.05)
        assert len(seen) == 2 and "aria-busy" not in seen[1]
        first, second = (parsed_text(html, ".mg-torch") for html in seen)
        assert "+36" not in first and "+36" in second and "live" in second
        assert [parsed_text(html, ".mg-minigrad") for html in seen][0].count("+36") == 1

    in_a_kernel(learner())


def test_its_answer_comes_with_the_picture_once_it_was_quick(in_a_kernel, monkeypatch):
    engines.torch_now()
    monkeypatch.setattr(host, "QUICK", 3600)

    async def learner():
        editor, seen = widgets.UpstreamEditor("a * a"), []
        await asyncio.sleep(0.05)  # the first answer, which is timed
        editor.observe(lambda change: seen.append(change["new"]), "html")
        ask(editor, "set_upstream_entry", [0, 1], "9")
        await asyncio.sleep(0.05)
        assert len(seen) == 1 and "aria-busy" not in seen[0]
        assert "+36" in parsed_text(seen[0], ".mg-torch")

    in_a_kernel(learner())


def parsed_text(html, selector):
    return parsed(html).select_one(selector).get_text()


def test_edits_in_a_row_ask_a_slow_one_once(in_a_kernel, monkeypatch):
    engines.torch_now()
    monkeypatch.setattr(host, "QUICK", -1)

    async def learner():
        editor, asked = widgets.UpstreamEditor("a * a"), []
        await asyncio.sleep(0.05)
        live = torch_answer.ask_live
        monkeypatch.setattr(torch_answer, "ask_live", lambda *g: asked.append(1) or live(*g))
        for value in range(10):
            ask(editor, "set_upstream_entry", [0, 1], str(value))
        await asyncio.sleep(0.05)
        assert asked == [1] and "+36" in parsed_text(editor.html, ".mg-torch")

    in_a_kernel(learner())


def test_a_function_that_never_ends_in_pytorch_alone_is_stopped(in_a_kernel, short):
    engines.torch_now()

    def endless(x):
        while not isinstance(x, minigrad.Tensor):
            time.sleep(0.01)
        return x * 2

    async def learner():
        editor = widgets.UpstreamEditor(endless, [1, 2])
        while "took too long" not in editor.html:
            await asyncio.sleep(0.01)
        assert "PyTorch took too long here and was stopped." in editor.html
        await asyncio.sleep(0.1)  # and is not asked again
        assert not editor.model.awaits_torch()

    in_a_kernel(asyncio.wait_for(learner(), 120))


def test_what_is_stopped_while_it_switches_warnings_or_recording_leaves_both_as_they_were():
    before = np.geterr()

    def switches():
        np.errstate(all="ignore").__enter__()
        minigrad.no_grad().__enter__()
        raise patience.Stopped

    with pytest.raises(patience.Stopped):
        patience.stoppable(switches)
    assert np.geterr() == before and minigrad.is_grad_enabled()


# --- HTML is escaped in one place ----------------------------------------------------------------


HOSTILE = "<img src=x onerror=alert(1)>\"'</style><script>alert(2)</script>&amp;"


def test_what_a_learner_types_is_never_html():
    editor = widgets.UpstreamEditor("a * a", edit_input=True, predict=True)
    for name in ("v =", "a =", "upstream gradient, row 1, column 1", "input, row 1, column 1"):
        named(editor, name).value = HOSTILE
        assert editor.message and "<img" not in editor.html and "<script" not in editor.html
        assert HOSTILE[:10] in shown_in(editor)
        assert "<img" not in editor.still() and "<script" not in editor.still()
    named(editor, "your guess").value = HOSTILE
    named(editor, "Commit").click()
    assert editor.card.message and "<img" not in editor.html and "&lt;img" in editor.html


# --- controls ------------------------------------------------------------------------------------


def test_every_control_declares_an_action_that_its_model_has():
    for editor in (
        widgets.UpstreamEditor("a * a", edit_input=True, predict=True),
        widgets.PredictCard("How many?", 2),
        widgets.PredictCard("Which?", "a", choices=["a", "b"]),
    ):
        found = nodes_of(editor)
        assert found and all(name_of(one) for one in found)
        for one in found:
            node = one if one.get("data-act") else one.find_parent("form")
            *path, name = node["data-act"].split(".")
            model = getattr(editor.model, path[0]) if path else editor.model
            assert name in model.actions()


def test_a_weights_slider_reaches_as_far_as_its_number():
    model = SimpleNamespace(upstream=[1.0, -30.0, 0.0001], refused_at=None)
    boxes = inputs.boxes(model, "upstream")
    sliders = re.findall(r'type="range" min="(\S+)" max="(\S+)" step="(\S+)" value="(\S+)"', boxes)
    assert sliders == [
        ("-2", "2", "0.1", "1"),
        ("-50", "50", "2.5", "-30"),
        ("-2", "2", "0.1", "0.0001"),
    ]


def test_a_list_has_headings_that_are_no_choice():
    editor = widgets.UpstreamEditor("a * a")
    one_hot = named(editor, "one-hot")
    assert one_hot.value == "one-hot" and one_hot.options["one-hot"] is None
    one_hot.value = "out[1, 0]"
    assert one_hot.value == "out[1, 0]"
    assert editor.upstream == [[0, 0, 0], [1, 0, 0]]


# --- the still -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["BackwardStepper", "GradLedger", "SeamCutter", "ShapeGate"])
def test_a_drawing_in_a_still_is_the_panel_s_own_each_part_ended_once(name):
    panel = getattr(widgets, name)()
    drawing = re.search("<svg.*?</svg>", panel.still(), re.DOTALL)[0]
    assert "/>" in drawing and ElementTree.fromstring(drawing).tag.endswith("svg")


def test_a_still_is_the_drawing_with_its_style_and_without_controls():
    editor = widgets.UpstreamEditor("a * a")
    still = editor.still()
    assert still == widgets.UpstreamEditor("a * a").still()
    for gone in ("<input", "<select", "<button", "<script", "data-act", "aria-live"):
        assert gone not in still, gone
    assert "+72" in still and "stored from torch 2.13.0" in still and ">+6</span>" in still
    assert "Run this cell to edit v." in still and "<pre" in still
    rules = re.search("<style>(.*)</style>", still)[1]
    assert ".mg-upstream" in rules and ".mg-answered" not in rules
