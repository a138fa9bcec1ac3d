"""What all widgets share: transactions, one reader of own functions, PyTorch's side, the kit."""

import functools
import html
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import comm
import numpy as np
import pytest
import torch

import minigrad
from minigrad.classroom import widgets
from minigrad.classroom.show.drawing import palette
from minigrad.classroom.show.drawing.svg import Drawing
from minigrad.classroom.show.typed_numbers import Refused
from minigrad.classroom.widgets.shared import parts, style
from minigrad.classroom.widgets.shared.functions import own_example
from minigrad.classroom.widgets.shared.model import Model, action, at, whole
from minigrad.classroom.widgets.shared.torch_answer import Question, ask_live, ask_record, expected
from tests.classroom.panels import name_of, named, nodes_of, parsed

NAMES = sorted(widgets.__all__)


def opened(name, **options):
    arguments = ("How many?", 2) if name == "PredictCard" else ()
    return getattr(widgets, name)(*arguments, **options)


# --- an action happens whole, or not at all ------------------------------------------------------


class Pair(Model):
    shows = "first second"

    def __init__(self):
        super().__init__()
        self.first = self.second = 0

    @action
    def set(self, first, second):
        self.first = first
        self.third = 3
        with at("second"):
            self.second = second()


def fails():
    return 1 / 0


def of_the_engine():
    return minigrad.ones(2, requires_grad=True).backward()


def interrupted():
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "second, says, by",
    [
        (fails, "ZeroDivisionError: division by zero.", "reader"),
        (of_the_engine, "grad can be implicitly created only for scalar outputs", "engine"),
        (lambda: whole(1.5, 1, 2, "It", "there"), "whole number from 1 to 2, not 1.5", "reader"),
        (interrupted, "It was interrupted and was stopped. Nothing has changed.", "reader"),
    ],
)
def test_an_action_that_raises_leaves_all_as_it_was(second, says, by):
    pair, drawn = Pair().set(1, lambda: 2), []
    pair.watch(lambda: drawn.append(pair.message))
    before = vars(pair).copy()
    assert pair.set(7, second) is pair
    assert says in pair.message and pair.refused_by == by and drawn == [pair.message]
    assert pair.refused_at == {"It w": None, "It i": "there"}.get(pair.message[:4], "second")
    for name in ("first", "second", "third", "moves"):
        assert vars(pair)[name] == before[name]
    assert pair.set(3, lambda: 4).state() == {"first": 3, "second": 4} and pair.message is None


def test_a_wrong_call_is_an_error_of_its_caller():
    with pytest.raises(TypeError, match="missing a required argument"):
        Pair().set(1)


# --- one reader of own functions -----------------------------------------------------------------


class Square:
    def __call__(self, x):
        return x * x


def run(function, *inputs, **named):
    """What an own function gives on minigrad, its tensors' names, and its formula."""
    example = own_example(function, inputs, named)
    tensors = [minigrad.tensor(values) for values in example.inputs.values()]
    return example.function(minigrad, *tensors).tolist(), list(example.inputs), example.formula


@pytest.mark.parametrize(
    "function, inputs, named, expected",
    [
        (lambda x: x * 2, [[1.0, 2.0]], {}, ([2, 4], ["x"], "y = x * 2")),
        (lambda torch, x: torch.exp(x), [0.0], {}, (1, ["x"], "y = torch.exp(x)")),
        (lambda x, torch: torch.exp(x), [0.0], {}, (1, ["x"], "y = torch.exp(x)")),
        (lambda a, b: a - b, [5.0, 2.0], {}, (3, ["a", "b"], "y = a - b")),
        (lambda a, b: a - b, [5.0], {"b": 2.0}, (3, ["a", "b"], "y = a - b")),
        (lambda x, k=3: x * k, [2.0], {}, (6, ["x"], "y = x * k")),
        (lambda x, k=3, torch=0: torch.exp(x) * k, [0], {}, (3, ["x"], "y = torch.exp(x) * k")),
        (lambda x, *, torch: torch.exp(x), [0.0], {}, (1, ["x"], "y = torch.exp(x)")),
        (functools.partial(lambda k, x: k * x, 2.0), [3.0], {}, (6, ["x"], "y = f(x)")),
        (functools.partial(lambda x, k: k * x, k=2.0), [3.0], {}, (6, ["x"], "y = f(x)")),
        (Square(), [3.0], {}, (9, ["x"], "y = f(x)")),
        (abs, [-3.0], {}, (3, ["x"], "y = abs(x)")),
        (minigrad.exp, [0.0], {}, (1, ["input"], "y = exp(input)")),
        (minigrad.nn.ReLU(), [-1.0], {}, (0, ["input"], "y = f(input)")),
    ],
)
def test_a_parameter_named_torch_gets_the_engine_every_other_a_tensor(
    function, inputs, named, expected
):
    values, names, formula = run(function, *inputs, **named)
    assert (values, names, formula) == expected


@pytest.mark.parametrize(
    "function, inputs, named, says",
    [
        (3, [1], {}, "Give a function of tensors, or an example's name, not an int."),
        (lambda x, y: x, [1], {}, "f takes x, y: give numbers for y, too"),
        (lambda t, x: x, [1], {}, "A parameter for the engine is called torch."),
        (lambda x: x, [1, 2], {}, "f takes x; numbers for 2 tensors were given."),
        (lambda x: x, [1], {"z": 1}, "f has no parameter z; it takes x."),
        (lambda x: x, ["[1, 2"], {}, "] is missing"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(function, inputs, named, says):
    with pytest.raises(Refused, match=re.escape(says)):
        own_example(function, inputs, named)


def test_the_reader_gives_both_engines_the_same_numbers():
    example = own_example(lambda torch, a, b: torch.outer(a, b), [[1.0, 2.0], [3.0, 4.0]])
    ours, theirs = (
        example.function(engine, *map(engine.tensor, example.inputs.values())).tolist()
        for engine in (minigrad, torch)
    )
    assert ours == theirs == [[3, 4], [6, 8]]


# --- one way to PyTorch's answer -----------------------------------------------------------------


def test_a_question_is_answered_live_as_arrays():
    question = Question(lambda torch: {"x": torch.ones(2, 3), "n": 3, "t": "a"})
    answer = ask_live(question, torch)
    assert answer.source == "live" and answer.found["x"].shape == (2, 3)
    assert answer.found["n"] == 3 and answer.found["t"] == "a"
    answer = ask_live(Question(lambda torch: torch.nope), torch)
    assert answer.source == "error" and "AttributeError" in answer.text and answer.found is None


def test_without_torch_the_record_answers_and_any_v_follows_from_it(no_torch):
    key, recall = "UpstreamEditor A @ x", lambda found: {"sum": found["rows"].sum()}
    answer = expected(Question(lambda torch: {}, key, recall))
    assert answer.source == "stored" and answer.found == {"sum": 21}
    assert answer.labelled("line") == "line (stored from torch 2.13.0)"
    assert expected(Question(lambda torch: {}, None)).source == "missing"
    assert ask_record(Question(lambda torch: {}, "nobody")).source == "missing"


# --- what every widget has -----------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_tab_lists_actions_and_help_is_one_page(name):
    widget = opened(name)
    model, listed = widget.model, dir(widget)
    assert set(model.actions()) | {"help", "examples", "state", "model"} <= set(listed)
    assert not any(part.startswith("_") for part in listed) and len(listed) < 90
    page = widget.help()
    assert repr(page) == str(page) and all(f".{act}(" in page for act in model.actions())
    assert all(repr(example) in re.sub(r"\s+", " ", page) for example in widget.examples())
    assert max(map(len, page.splitlines())) <= 110


@pytest.mark.parametrize("name", NAMES)
def test_each_opens_with_a_short_text_and_a_still_that_never_changes(name, no_torch):
    widget = opened(name)
    bundle, again = (one._repr_mimebundle_()[0] for one in (widget, opened(name)))
    assert bundle["text/html"] == again["text/html"] and bundle["text/plain"] == repr(widget)
    still = bundle["text/html"]
    for gone in ("<script", "<input", "<select", "<button", "data-act"):
        assert gone not in still, gone
    assert "Run this cell to" in still and "<style>" in still and len(still) < 60_000
    assert html.unescape(still).count(widget.model.text(widget.model.stored_answer())) == 1
    assert 0 < len(repr(widget)) < 400
    assert max(map(len, repr(widget.model).splitlines())) <= 100


@pytest.mark.parametrize("name", NAMES)
def test_every_control_has_a_spoken_name_and_an_action_of_the_model(name):
    widget = opened(name)
    nodes = [node for node in nodes_of(widget) if node.get("name") is None or node.get("data-act")]
    assert nodes and all(map(name_of, nodes_of(widget)))
    for node in nodes:
        declared = node if node.get("data-act") else node.find_parent("form")
        *path, last = declared["data-act"].split(".")
        model = getattr(widget.model, path[0]) if path else widget.model
        assert (
            last in model.actions() and json.loads(f"[{declared.get('data-key', '')}]") is not None
        )


@pytest.mark.parametrize("name", NAMES)
def test_the_browser_hears_of_a_panel_once_with_all_it_shows(name, monkeypatch, no_torch):
    sent = []

    class Heard(comm.base_comm.BaseComm):
        def publish_msg(self, kind, data=None, metadata=None, buffers=None, **keys):
            sent.append(kind)

    monkeypatch.setattr(comm, "create_comm", Heard)
    panel = opened(name)
    assert sent == ["comm_open"] * len(sent) and panel.comm is not None and len(sent) <= 2


def test_every_class_of_the_style_is_drawn_by_somebody():
    """What a widget no longer draws has no style left."""
    rooms = Path(widgets.__file__).parents[1]
    code = "".join(file.read_text("utf-8") for file in rooms.rglob("*.py"))
    begun = tuple(re.findall(r"(mg-[a-z-]+-)\{", code))  # such as f"mg-state-{state}"
    sheet = re.sub(r"/\*.*?\*/", "", style.RULES, flags=re.DOTALL)
    styled = {one for one in re.findall(r"\.mg-([a-z_][\w-]*)", sheet)}
    unused = {one for one in styled if one not in code and not f"mg-{one}".startswith(begun)}
    assert len(styled) > 100 and unused <= {f"{s}-{n}" for s in ("plus", "minus") for n in range(5)}


# --- the kit -------------------------------------------------------------------------------------


def test_sign_is_told_three_times():
    table = parts.matrix(np.array([2.0, -1.0, 0.0]), "x")
    cells = re.findall(r'<td(?: class="([^"]*)")?>([^<]+)<', table)
    assert cells == [("mg-plus-4", "+2"), ("mg-minus-2", "\u22121"), ("", "0")]
    assert "border-top-color" in style.STYLE and "border-bottom-color" in style.STYLE


def luminance(colour):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (v / 255 for v in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def colour_of(text, paper):
    """(red, green, blue) of "#aabbcc", or of "rgba(...)" on paper."""
    if text.startswith("#"):
        return tuple(int(text[k : k + 2], 16) for k in (1, 3, 5))
    *rgb, opacity = map(float, re.findall(r"[\d.]+", text))
    return [p * (1 - opacity) + c * opacity for p, c in zip(paper, rgb)]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_words_and_marks_have_contrast_in_both_themes(name):
    colours = palette.in_theme(name)
    paper = colour_of(colours["paper"], None)

    def contrast(one, other):
        light, dark = sorted((luminance(colour_of(colours[c], paper)) for c in (one, other)))[::-1]
        return (light + 0.05) / (dark + 0.05)

    for tint in ("plus-4", "minus-4", "bench", "paper", "hand-tint"):
        assert contrast("ink", tint) >= 4.5 and contrast("quiet", tint) >= 4.5, tint
    assert contrast("on-hand", "hand") >= 4.5
    for mark in ("hand", "plus", "minus", "edge"):  # focus, sliders, bars, borders
        assert contrast(mark, "paper") >= 3, mark


def test_a_drawing_shows_alone_what_it_shows_in_a_panel():
    drawing = Drawing(200, 80, "a < b")
    drawing.chip(50, 20, -3.0, marks="changed chosen")
    drawing.line([(0, 0), (90, 9)], arrow=True)
    drawing.paragraph(0, 40, "words " * 8, 20)
    root = ElementTree.fromstring(drawing.svg())
    assert root.get("width") == "200" and "a &lt; b" in drawing.svg() and "\u22123" in drawing.svg()
    assert "var(" not in drawing.image("alt") and "base64" in drawing.image("alt")


def test_what_the_last_action_changed_is_marked_once():
    editor = widgets.UpstreamEditor("a * a")

    def marks():
        """In x.grad, its two checks, and the sums."""
        tables = parsed(editor).select(".mg-minigrad table, .mg-checks table, .mg-sums table")
        return [str(table).count("mg-changed") for table in tables]

    assert marks() == [0, 0, 0, 0]
    editor.set_upstream_entry((0, 1), 5)
    assert marks() == [1, 1, 1, 2]
    editor.redraw()  # PyTorch's side has arrived: the mark stays
    assert marks() == [1, 1, 1, 2]
    editor.select((1, 1))
    assert marks()[:3] == [0, 0, 0]


def test_a_button_with_a_key_is_found_by_it():
    stepper = widgets.BackwardStepper()
    assert named(stepper, "next").node["aria-keyshortcuts"] == "n"
