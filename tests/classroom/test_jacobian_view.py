"""The Jacobian picture without a browser: controls drive the model, the model what is shown."""

import html
import re

import numpy as np
import pytest

from minigrad.classroom import widgets
from minigrad.classroom.formatting import number
from minigrad.classroom.models.jacobian import MODES
from minigrad.classroom.models.maps import MAPS
from tests.classroom.panels import controls_of, html_of, named, sent_by, still_of


def cells_of(picture):
    """The numbers in the cells and their spoken sentences, as the page has them."""
    found = re.findall(
        r'aria-label="([^"]*)"[^>]*><span class="mg-value"[^>]*>([^<]*)<', html_of(picture)
    )
    return [(html.unescape(said), value) for said, value in found]


def all_states(picture):
    for mode in MODES:
        for stop in (0, 1, 2):
            for folded in (True, False):
                yield picture.look(mode).go_to(stop).fold(folded)


@pytest.mark.parametrize("name", MAPS)
def test_every_cell_shows_its_number_and_has_its_sentence(name):
    picture = widgets.JacobianPicture(name)
    for model in all_states(picture):
        expected = [
            (model.sentence(output, entry), number(value, signed=True))
            for output, row in zip(np.ndindex(model.output_shape), model.cells())
            for entry, value in zip(np.ndindex(model.input_shape), row)
        ]
        assert cells_of(picture) == expected


def test_v_stands_at_the_left_one_box_for_each_row():
    picture = widgets.JacobianPicture("S0-4")
    assert picture._v_grid.box.layout.grid_template_columns == "max-content"
    assert [box.value for box in picture._v_grid.boxes.values()] == list("123456")
    picture.fold(False)
    assert picture._v_grid.box.layout.grid_template_columns == "repeat(3, max-content)"


def test_typing_changes_the_model_and_what_is_shown():
    picture = widgets.JacobianPicture("A @ x")
    named(picture, "3  add the columns").click()
    named(picture, "upstream gradient, entry 1").value = "1/2"
    assert picture.upstream == [0.5, 10] and "+40.5" in html_of(picture)
    named(picture, "v =").value = "[0, 1]"
    assert picture.input_grad == [4, 5, 6]
    named(picture, "x =").value = "[0, 0, 0]"
    assert picture.input == [0, 0, 0]
    named(picture, "from the top: J\u00b7u (forward)").click()
    assert picture.mode == "forward" and "mg-hidden" in picture._left._dom_classes
    named(picture, "direction, entry 3").value = "0"
    assert picture.output_change == [1, 4]
    assert named(picture, "3  add the rows")


def test_buttons_and_lists():
    picture = widgets.JacobianPicture("A @ x")
    named(picture, "try J\u00b7v").click()
    assert "J\u00b7v is refused" in html_of(picture)
    named(picture, "explain row").value = (1,)
    named(picture, "column").value = (2,)
    assert "If x\u2083 rises by 1, y\u2082 rises by 6." in html_of(
        picture
    ) and picture.selected == ((1,), (2,))
    named(picture, "bug").value = "no zeroing"
    named(picture, "next one-hot").click()
    assert "1 of 2 rows collected." in html_of(picture)
    named(picture, "collect all").click()
    assert "each row also holds all the rows before it" in html_of(picture)
    assert "\u2190 the bug" in html_of(picture)
    named(picture, "example").value = "S0-4"
    named(picture, "unfold to 2\u00d73\u00d72\u00d73").click()
    assert not picture.folded and "\u2202out\u2081\u2082/\u2202a" in html_of(picture)
    named(picture, "fold to 6\u00d76").click()
    assert picture.folded


def test_bad_text_gets_a_sentence_and_can_be_corrected():
    picture = widgets.JacobianPicture("A @ x")
    entry = named(picture, "upstream gradient, entry 2")
    entry.value = "<img src=x>"
    assert "not a number" in html_of(picture) and "<img src=x" not in html_of(picture)
    assert entry.value == "<img src=x>" and picture.upstream == [1, 10]
    named(picture, "v =").value = "[1, 2, 3]"
    assert "PyTorch refuses:" in html_of(picture) and entry.value == "10"
    entry.value = "junk"
    picture.set_direction_entry((1,), "junk, too")
    assert entry.value == "10"  # what cannot be used now stands in another box
    named(picture, "v =").value = "[1, 2]"
    assert "mg-message" not in html_of(picture).split("</style>")[-1]


def test_a_failing_function_shows_its_error_as_text():
    picture = widgets.JacobianPicture(lambda x: x.no_such_method("<b>"), [1, 2])
    assert "Shown is A @ x in its place." in html_of(picture) and picture.preset.name == "A @ x"


def test_only_what_changed_is_sent_again():
    picture = widgets.JacobianPicture("S0-4")
    sent = sent_by(picture)
    picture.set_upstream_entry((0, 0), 5)
    assert 0 < len(sent) <= 6
    sent.clear()
    picture.set_upstream_entry((0, 0), 5)
    assert sent == []


def test_every_control_has_a_spoken_name_and_two_pictures_are_apart():
    first, second = widgets.JacobianPicture("A @ x"), widgets.JacobianPicture("A @ x")
    assert all(control.description.strip() for control in controls_of(first))
    before = html_of(second)
    first.go_to(2).set_upstream([5, 5])
    assert html_of(second) == before
    group = re.search(r'type="radio" name="([^"]+)"', html_of(first)).group(1)
    assert group not in html_of(second)


def test_results_are_announced_politely():
    picture = widgets.JacobianPicture("A @ x")
    picture.go_to(2)
    assert 'aria-live="polite"' in html_of(picture) and "x.grad is [41, 52, 63]." in html_of(
        picture
    )


@pytest.mark.parametrize("name", MAPS)
def test_the_snapshot_is_a_picture_with_alternative_text_and_the_same_every_time(name, no_torch):
    picture, again = widgets.JacobianPicture(name), widgets.JacobianPicture(name)
    for one, other in zip(all_states(picture), all_states(again)):
        svg, alternative = still_of(picture)
        assert still_of(again) == (svg, alternative)
        assert "stored from torch" in svg and "stored from torch" in " ".join(alternative.split())
        assert one.state() == other.state() and len(repr(picture)) < 250


def test_the_snapshot_is_the_same_whether_torch_is_there_or_not():
    from minigrad.classroom import engines

    picture = widgets.JacobianPicture("A @ x")
    before = picture.snapshot()
    assert engines.torch_now() is not None
    assert picture.snapshot() == before
