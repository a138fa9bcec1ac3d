"""When two results count as equal, and how differences are written."""

import math

import numpy as np
import pytest

from minigrad.classroom.compare.agreement import agree, difference_text, largest_difference
from minigrad.classroom.show import formatting


def test_rounding_agrees_and_a_wrong_digit_does_not():
    assert agree([0.1, 1e-4], [0.1 + 5e-9, 1e-4])
    assert not agree([0.1, 1e-4], [0.1001, 1e-4])
    # A small entry beside a large one is still compared to its own digits, not lost in the scale.
    assert not agree([1.0, 1.25e-5], [1.0, 2.25e-5])


def test_nan_and_infinity():
    assert agree([math.nan, math.inf, 1.0], [math.nan, math.inf, 1.0])
    assert not agree([math.nan], [0.0])
    assert not agree([math.inf], [-math.inf])
    assert not agree([math.inf], [3.4e38])
    assert largest_difference([math.inf], [1.0]) == math.inf
    assert largest_difference([math.nan], [math.nan]) == 0


def test_shapes_and_emptiness():
    assert not agree([1.0], [[1.0]])
    assert agree([], [])
    assert largest_difference([], []) == 0


@pytest.mark.parametrize(
    "first, second, agreed, text",
    [
        ([1.0, 2.0], [1.0, 2.0], True, "0"),
        ([0.5], [0.5], True, "< 1e-06"),
        ([0.1], [0.1 + 1e-8], True, "< 1e-06"),
        ([1024.5], [1024.5], True, "< 1e-03"),
        ([1.0], [3.0], False, "2"),
        ([math.nan], [math.nan], True, "0"),
    ],
)
def test_differences_are_written_alike_on_every_machine(first, second, agreed, text):
    assert difference_text(first, second, agreed) == text


def test_numbers_as_text():
    assert [
        formatting.number(value) for value in (8, -0.0, 0.3, 1 / 60, 1.25e-5, 1024, 1e7, -2.5)
    ] == ["8", "0", "0.3", "0.016667", "1.25e-05", "1024", "1e+07", "-2.5"]
    assert [formatting.number(value, signed=True) for value in (8, -8, 0, math.inf, -math.inf)] == [
        "+8",
        "\u22128",
        "0",
        "+inf",
        "\u2212inf",
    ]
    assert formatting.number(np.float32(math.nan)) == "nan"


def test_indices_as_text():
    assert formatting.indices((2, 1)) == [(0, 0), (1, 0)] and formatting.indices(()) == [()]
    assert formatting.subscript((0, 1)) == "\u2081\u2082"
    assert formatting.subscript((0, 9)) == "\u2081,\u2081\u2080"
    assert formatting.brackets((0, 1)) == "[0, 1]" and formatting.brackets(()) == ""
    assert formatting.spoken((0, 1)) == "row 1, column 2"
    assert formatting.spoken((2,)) == "entry 3"


def test_tables_stay_within_their_columns():
    text = formatting.table([("a", "x" * 50), ("bb", "y z")], [5, 20])
    assert max(map(len, text.splitlines())) <= 5 + 2 + 20
    assert text.replace("\n", "").replace(" ", "").count("x") == 50
