"""The shape gate without a browser."""

import re

import ipywidgets
import pytest

from minigrad.classroom import widgets
from minigrad.classroom.models.gate import NO_ARGUMENT, SHAPES
from tests.classroom.panels import below, named, shown_in, still_of


def test_a_guess_uncovers_three_answers():
    gate = widgets.ShapeGate()
    named(gate, "output's shape").value = (1,)
    named(gate, "gradient's shape").value = (3,)
    assert "Mismatch" not in shown_in(gate) and "refused:" not in shown_in(gate)
    named(gate, "it accepts").click()
    shown = shown_in(gate)
    message = (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a "
        "shape of torch.Size([1])."
    )
    assert shown.count(message) == 3  # minigrad, PyTorch, and announced
    assert "Not so." in shown and "added up to [6] without a word" in shown
    assert "0 of 1 guesses right." in shown
    named(gate, "gradient's shape").value = NO_ARGUMENT
    assert not gate.revealed and "Mismatch" not in shown_in(gate)
    named(gate, "it accepts").click()
    assert "Right." in shown_in(gate) and "x.grad = [2]" in shown_in(gate)


def test_show_me_and_a_second_guess():
    gate = widgets.ShapeGate((3,), (3,))
    named(gate, "Show me").click()
    assert "x.grad = [2, 4, 6]" in shown_in(gate) and "No guess yet." in shown_in(gate)
    named(gate, "it refuses").click()
    assert "open already" in shown_in(gate)


def test_the_grid_is_green_with_a_mark_on_the_diagonal_and_nowhere_else():
    gate = widgets.ShapeGate((2, 2), (1,))
    assert "<table" not in shown_in(gate)
    named(gate, "show all pairs").click()
    rows = re.findall(r"<tr[^>]*><th.*?</tr>", shown_in(gate).split("<tbody>")[1])
    assert len(rows) == 9
    for r, row in enumerate(rows):
        kinds = re.findall(
            r'<td class="([^"]*)"><span aria-hidden="true">(.)</span>'
            r'<span class="mg-spoken">(\w+)<',
            row,
        )
        for k, (kind, mark, word) in enumerate(kinds):
            accepted = r == k or (r == 8 and k < 3)
            assert (kind.split()[0], mark, word) == (
                ("mg-yes", "\u2713", "accepted") if accepted else ("mg-no", "\u2715", "refused")
            )
            assert ("mg-chosen" in kind) == (r == 1 and SHAPES[k] == (2, 2))
    named(gate, "hide all pairs").click()
    assert "<table" not in shown_in(gate)


def test_every_control_has_a_spoken_name():
    kinds = (ipywidgets.Button, ipywidgets.Dropdown)
    controls = [child for child in below(widgets.ShapeGate()) if isinstance(child, kinds)]
    assert len(controls) == 6 and all(control.description.strip() for control in controls)


@pytest.mark.parametrize("grid", [True, False])
@pytest.mark.parametrize("pair", [((1,), (3,)), ((3,), (3,)), ((), NO_ARGUMENT)])
def test_the_snapshot_is_a_picture_that_tells_only_what_is_uncovered(pair, grid):
    gate = widgets.ShapeGate(*pair)
    gate.show_grid(grid)

    def snapshot():
        svg, alternative = still_of(gate)
        assert (svg.count("\u2713") == 11) == grid
        return svg + alternative

    covered = snapshot()
    assert "stored from torch" not in covered and repr(gate).endswith("covered")
    gate.show()
    assert "stored from torch" in snapshot() and not repr(gate).endswith("covered")


def test_two_gates_do_not_disturb_each_other():
    first, second = widgets.ShapeGate(), widgets.ShapeGate()
    before = shown_in(second)
    first.choose_output((2, 2)).commit("accept").show_grid()
    assert shown_in(second) == before
