"""The widgets without a browser: boxes drive the model, the model drives the boxes, snapshots."""

import html
import re
import threading
import xml.etree.ElementTree as ElementTree

import ipywidgets
import numpy as np
import pytest

from minigrad.classroom import predict, widgets
from minigrad.classroom.formatting import indices
from minigrad.classroom.models.presets import PRESETS
from minigrad.classroom.views import theme
from minigrad.classroom.views.drawing import Picture
from tests.classroom.panels import controls_of, html_of, sent_by, still_of


def box(editor, spoken):
    return next(control for control in controls_of(editor) if control.description == spoken)


def field(editor, tooltip):
    return next(
        control for control in controls_of(editor) if getattr(control, "tooltip", None) == tooltip
    )


def test_typing_in_a_box_changes_the_model_and_what_is_shown():
    editor = widgets.UpstreamEditor("S0-1")
    box(editor, "upstream gradient, row 1, column 2").value = "1/3"
    assert editor.model.upstream[0][1] == pytest.approx(1 / 3)
    assert box(editor, "upstream gradient, row 1, column 2").value == "1/3"  # stays as typed
    assert (
        field(editor, "the whole upstream gradient, as a list").value
        == "[[1, 0.33333334, 3], [4, 5, 6]]"
    )
    assert html_of(editor).count("+1.3333") == 3  # minigrad, PyTorch, nudging


def test_the_model_changes_the_boxes():
    editor = widgets.UpstreamEditor("S0-1")
    editor.model.press("ones")
    assert [
        box(editor, f"upstream gradient, row {r}, column {c}").value
        for r in (1, 2)
        for c in (1, 2, 3)
    ] == ["1"] * 6
    assert editor.set_upstream([[0, 0, 0], [0, 0, 2]]) is editor.model
    assert box(editor, "upstream gradient, row 2, column 3").value == "2"


def test_a_wrong_shape_shows_pytorchs_message_in_place_of_the_result_and_goes_away_again():
    editor = widgets.UpstreamEditor("S0-1")
    whole = field(editor, "the whole upstream gradient, as a list")
    whole.value = "[1, 2]"
    message = (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a "
        "shape of torch.Size([2, 3])."
    )
    assert message in html_of(editor) and "mg-minigrad" not in html_of(editor)
    assert whole.value == "[1, 2]"  # what was typed can be corrected
    assert box(editor, "upstream gradient, row 1, column 2").value == "2"
    whole.value = "[[1, 1, 1], [1, 1, 1]]"
    assert "Mismatch" not in html_of(editor) and "mg-minigrad" in html_of(editor)


@pytest.mark.parametrize(
    "text, says",
    [
        ("3,5", "type 3.5"),
        ("", "empty"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("1e400", "too large"),
        ("__import__('os')", "never run"),
        ("<img src=x onerror=alert(1)>", "not a number"),
    ],
)
def test_bad_text_gets_a_sentence_beside_the_boxes_and_the_result_stays(text, says):
    editor = widgets.UpstreamEditor("S0-1")
    entry = box(editor, "upstream gradient, row 1, column 2")
    entry.value = text
    shown = html_of(editor)
    assert says in html.unescape(shown) and "row 1, column 2" in shown and "+72" in shown
    assert "<img src=x" not in shown
    assert editor.upstream == [[1, 2, 3], [4, 5, 6]] and entry.value == text
    box(editor, "upstream gradient, row 1, column 1").value = "9"
    assert entry.value == "2" and "Not used" not in html_of(editor)


def test_drop_downs_and_buttons():
    editor = widgets.UpstreamEditor("S0-1")
    buttons = {
        control.description: control
        for control in controls_of(editor)
        if isinstance(control, ipywidgets.Button)
    }
    buttons["ones"].click()
    assert editor.input_grad == [[2, 4, 6], [8, 10, 12]]
    one_hot = box(editor, "one-hot")
    one_hot.value = (1, 0)
    assert editor.upstream == [[0, 0, 0], [1, 0, 0]]
    buttons["a itself"].click()
    assert editor.upstream == editor.input and one_hot.value == ""
    box(editor, "explain").value = (1, 2)
    assert "a.grad[1, 2] = " in html_of(editor)


def test_another_example_brings_its_own_boxes_and_names():
    editor = widgets.UpstreamEditor("S0-1")
    for name, preset in PRESETS.items():
        box(editor, "example").value = name
        assert editor.model.preset is preset
        boxes = [
            control
            for control in controls_of(editor)
            if control.description.startswith("upstream gradient")
        ]
        assert len(boxes) == int(np.prod(editor.output_shape))
        assert f"{preset.input_name} itself" in [
            control.description for control in controls_of(editor)
        ]


def test_boxes_are_kept_while_the_shape_stays():
    editor = widgets.UpstreamEditor("S3-1 a")
    before = box(editor, "upstream gradient, entry 2")
    for name in ("S3-1 b", "S3-16", "S2-8"):
        box(editor, "example").value = name
        assert box(editor, "upstream gradient, entry 2") is before


def test_only_what_changed_is_sent_again():
    editor = widgets.UpstreamEditor("S0-1")
    sent = sent_by(editor)
    editor.press("ones")
    assert 0 < len(sent) <= 11  # six boxes, the field, three drawings, the list of one-hots
    sent.clear()
    editor.press("ones")
    assert sent == []


def test_redrawing_is_no_action_of_the_learner():
    editor = widgets.UpstreamEditor("S0-1", edit_input=True)
    actions = []
    editor.model.watch(lambda: actions.append(1))
    box(editor, "upstream gradient, row 1, column 1").value = "7"
    assert len(actions) == 1  # the rewritten fields and lists are not edits
    box(editor, "example").value = "S1-7"
    assert len(actions) == 2


def test_more_outputs_than_boxes_leave_the_typed_list():
    editor = widgets.UpstreamEditor(lambda torch, x: torch.stack([x] * 5).reshape(-1), [1, 2, 3])
    assert not [c for c in controls_of(editor) if c.description.startswith("upstream gradient, ")]
    field(editor, "the whole upstream gradient, as a list").value = str([0] * 14 + [1])
    assert editor.input_grad == [0, 0, 1]


def test_the_input_can_be_edited_in_boxes_or_as_a_list():
    editor = widgets.UpstreamEditor("A @ x", edit_input=True)
    box(editor, "input, entry 1").value = "5"
    assert editor.input == [5, 2, 3] and editor.output == [18, 48]
    field(editor, "the whole input, as a list").value = "[1, 1]"
    assert "size mismatch" in html_of(editor) and editor.input == [5, 2, 3]


def test_every_control_has_a_spoken_name_in_every_mode():
    for editor in (
        widgets.UpstreamEditor("S0-1", edit_input=True),
        widgets.UpstreamEditor("S1-7", predict=True),
        predict("?", 1),
        predict("?", "a", choices=["a", "b"]),
        widgets.UpstreamEditor("S0-2 sum", lock_upstream=True),
    ):
        names = [control.description for control in controls_of(editor)]
        assert names and all(name.strip() for name in names)


def test_results_are_announced_politely():
    editor = widgets.UpstreamEditor("A @ x")
    assert 'aria-live="polite"' in html_of(editor) and "x.grad is [41, 52, 63]." in html_of(editor)
    editor.set_upstream([1])
    assert "Not used: Mismatch" in html_of(editor)


def test_two_editors_do_not_disturb_each_other():
    first, second = widgets.UpstreamEditor("S0-1"), widgets.UpstreamEditor("S0-1")
    before = second.state(), html_of(second)
    first.press("zero")
    box(first, "upstream gradient, row 1, column 1").value = "abc"
    assert (second.state(), html_of(second)) == before


def test_edits_from_several_threads_leave_a_consistent_state():
    editor = widgets.UpstreamEditor("S3-16")
    boxes = [box(editor, f"upstream gradient, entry {k}") for k in (1, 2, 3)]

    def type_into(entry):
        for number in range(40):
            entry.value = str(number)

    threads = [threading.Thread(target=type_into, args=(entry,)) for entry in boxes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert editor.upstream == [39, 39, 39]
    assert [entry.value for entry in boxes] == ["39"] * 3
    assert editor.comparison("torch")[0]


def test_a_guess_uncovers_the_editor():
    editor = widgets.UpstreamEditor("A @ x", predict=True)
    assert "mg-minigrad" not in html_of(editor) and "x.grad[1]" not in html_of(editor)
    field_of_guess = box(editor, "your guess")
    field_of_guess.value = "[41, 52, 63]"
    box(editor, "Commit").click()
    assert "mg-minigrad" in html_of(editor) and "you predicted it" in html_of(editor)


def test_the_predict_card():
    card = predict("a.grad?", [2, 4], misconceptions={"[1, 2]": "That is x."})
    box(card, "your guess").value = "[1, 2"
    box(card, "Commit").click()
    assert "] is missing" in html_of(card) and not card.revealed
    box(card, "your guess").value = "[1, 2]"
    box(card, "Commit").click()
    assert "That is x." in html_of(card)
    other = predict("which?", "b", choices=["a", "b"])
    box(other, "Commit").click()
    assert "Choose one of" in html_of(other) and not other.revealed
    box(other, "\u25cb b").click()
    assert not other.revealed and box(other, "\u25cf b").tooltip == "your guess (chosen)"
    assert box(other, "\u25cb a").tooltip == "your guess (not chosen)"
    box(other, "Commit").click()
    assert "you predicted it" in html_of(other)
    third = predict("which?", 3)
    box(third, "Show me").click()
    assert third.revealed


def press_enter(field):
    field._handle_custom_msg({"event": "submit"}, [])


def test_enter_commits_what_was_typed_in_whichever_order_the_browser_reports_it():
    card = predict("a.grad?", [2, 4])
    guess = box(card, "your guess")
    press_enter(guess)  # nothing typed yet
    guess.value = "[1, 2]"  # the text comes after Enter
    assert card.guess == [1, 2]
    guess.value = "[2, 4]"  # typed, and the field left: not committed
    assert card.guess == [1, 2]
    press_enter(guess)
    assert card.right


# --- snapshots -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_the_snapshot_is_a_picture_with_alternative_text_and_the_same_every_time(name):
    editor, again = widgets.UpstreamEditor(name), widgets.UpstreamEditor(name)
    bundle, (svg, alternative) = editor._repr_mimebundle_(), still_of(editor)
    assert still_of(again) == (svg, alternative) and repr(again) == repr(editor)
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "stored from torch" in svg and "stored from torch" in " ".join(alternative.split())
    assert "<script" not in bundle["text/html"] and "http" not in svg.replace(
        "http://www.w3.org", ""
    )
    assert len(bundle["text/plain"]) < 250


def test_the_snapshot_does_not_depend_on_torch(no_torch):
    svg, _ = still_of(widgets.UpstreamEditor("S0-1"))
    assert "PyTorch, stored from torch 2.13.0" in svg


def test_a_covered_snapshot_does_not_tell():
    editor = widgets.UpstreamEditor("S0-1", predict=True)
    assert "72" not in repr(editor) and "72" not in "".join(still_of(editor))
    card = predict("a.grad?", [2, 72])
    assert "72" not in repr(card) and "72" not in "".join(still_of(card))


def test_everything_drawn_lies_inside_the_picture():
    picture = Picture()
    picture.text(0, 20, "x" * 30)
    width, height = picture.matrix(
        10, 30, np.array([[1.0, -1e-20], [float("nan"), float("inf")]]), (0, 1)
    )
    root = ElementTree.fromstring(picture.svg())
    assert int(root.get("width")) >= 10 + width and int(root.get("height")) >= 30 + height
    assert "&lt;" in picture.img("a < b") and "\u2212" in picture.svg()


# --- the visual language -------------------------------------------------------------------------


def test_sign_is_never_told_by_colour_alone():
    table = theme.matrix(np.array([2.0, -2.0, 0.0]), "x")
    blue, orange, plain = re.findall(r'background: ([^"]+)">([^<]+)<', table)
    assert blue[0].startswith("rgba(0, 107, 164") and blue[1] == "+2"
    assert orange[0].startswith("rgba(255, 128, 14") and orange[1] == "\u22122"
    assert plain == ("transparent", "0")


def luminance(rgb):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    "paper, ink", [((255, 255, 255), (33, 33, 33)), ((17, 17, 17), (255, 255, 255))]
)
@pytest.mark.parametrize("hue", [theme.BLUE, theme.ORANGE])
def test_text_on_the_strongest_tint_is_readable_in_both_themes(paper, ink, hue):
    tinted = [p * (1 - theme.STRONGEST) + h * theme.STRONGEST for p, h in zip(paper, hue)]
    light, dark = sorted([luminance(tinted), luminance(ink)], reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_values_of_more_dimensions_are_shown_row_by_row():
    table = theme.matrix(np.arange(8.0).reshape(2, 2, 2), "x")
    assert table.count("<tr>") == 4 and "[1, 0]" in table
    editor = widgets.UpstreamEditor(lambda x: x * 2, np.ones((2, 2, 2)).tolist())
    assert box(editor, "upstream gradient, index 1, 2, 1").value == "1"
    assert len(indices((2, 2, 2))) == 8


def test_a_refusal_that_belongs_to_no_box_is_shown_with_the_title():
    editor = widgets.UpstreamEditor(lambda x: 1 / 0, [1])
    assert "Shown is S0-1 in its place." in editor._title.value
    editor.set_upstream([1])
    assert "mg-message" not in editor._title.value and "mg-message" in editor._refusal.value
    editor.select((9, 9))
    assert "Index [9, 9] is outside a shape of (2, 3)." in editor._title.value


CARD = ("x.grad?", [2, 4])


@pytest.mark.parametrize("name", sorted(set(widgets.__all__) - {"predict"}))
def test_every_widget_has_a_stored_picture_with_words_and_a_short_text(name):
    widget = getattr(widgets, name)(*(CARD if name == "PredictCard" else ()))
    picture, alternative = still_of(widget)
    assert picture.startswith("<svg") and ElementTree.fromstring(picture).find(".//*") is not None
    assert alternative.split()[0] == repr(widget).split()[0]  # both begin with its name
    assert 0 < len(repr(widget)) < 400
