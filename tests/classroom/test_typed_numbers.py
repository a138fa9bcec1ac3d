"""Typed numbers: what is read, what is refused, and that every refusal says what to type."""

import contextlib
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.classroom.show.formatting import exact, nested
from minigrad.classroom.show.typed_numbers import MAX_CHARACTERS, Refused, read_array, read_number
from tests.cases import over

READ = {
    "2": 2.0,
    "-0.5": -0.5,
    ".5": 0.5,
    "5.": 5.0,
    "+3": 3.0,
    " 7 ": 7.0,
    "1/3": 1 / 3,
    "-1/4": -0.25,
    "1 / 2": 0.5,
    "3/-4": -0.75,
    "-2e-3": -0.002,
    "1E3": 1000.0,
    "0e5": 0.0,
    "-0": 0.0,
    "\u22122": -2.0,
    "\u200b2\ufeff": 2.0,
    "2e\u22123": 0.002,
    "\u20131.5": -1.5,
    "0.0001": 0.0001,
    "- 2": -2.0,
}

REFUSED = {
    "": "empty",
    "   ": "empty",
    "abc": "not a number",
    "nan": "nan",
    "NaN": "nan",
    "-nan": "nan",
    "inf": "inf",
    "-Infinity": "inf",
    "\u221e": "inf",
    "1e400": "too large",
    "-1e400": "too large",
    "1e39": "too large",
    "3.5e38": "too large",
    "9" * 400: "too large",
    "1e-50": "too small",
    "1e-400": "too small",
    "1e-40/1e30": "too small",
    "1/0": "divides by zero",
    "1/0.0": "divides by zero",
    "1e30/1e-30": "too large",
    "1/2/3": "not a number",
    "3,5": "type 3.5",
    "-3,5": "type -3.5",
    "1,000": "Type 1000",
    "0,125": "type 0.125",
    "1,2,3": "comma",
    "__import__('os')": "never run",
    "__import__('os').system('exit 1')": "never run",
    "2*3": "not a number",
    "2+2": "not a number",
    "1_000": "not a number",
    "0x10": "not a number",
    "1j": "not a number",
    "True": "not a number",
    "\u00bd": "not a number",
    "\uff11": "not a number",
    "\u0661": "not a number",
    "[1]": "is a list",
    "50%": "percentage",
    "1e": "not a number",
    "e5": "not a number",
    ".": "not a number",
    "--2": "not a number",
    "1 2": "not a number",
    "x" * 20_000: "20,000 characters",
    "<b>1</b>": "not a number",
    "1\x002": "not a number",
}


@pytest.mark.parametrize("text", READ)
def test_numbers_are_read(text):
    assert read_number(text) == READ[text]


@over("text", REFUSED)
def test_other_text_is_refused_with_one_sentence_that_helps(text):
    with pytest.raises(Refused) as refusal:
        read_number(text)
    sentence = str(refusal.value)
    assert REFUSED[text] in sentence
    assert sentence[0] != " " and sentence.endswith(".") and len(sentence) < 200


@given(st.text(max_size=40))
def test_any_text_is_a_finite_number_or_refused(text):
    try:
        value = read_number(text)
    except Refused:
        return
    assert isinstance(value, float) and math.isfinite(np.float32(value))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_what_the_boxes_write_reads_back_as_the_same_float32(value):
    assert np.float32(read_number(exact(value))) == np.float32(value)


def test_nothing_typed_is_ever_evaluated(monkeypatch):
    def fail(*_):
        raise AssertionError("text was evaluated")

    for name in ("eval", "exec", "compile", "__import__"):
        monkeypatch.setattr(f"builtins.{name}", fail)
    for text in (
        "__import__('os')",
        "[__import__('os')]",
        "(lambda: 1)()",
        "[1, print(2)]",
        "f'{1}'",
    ):
        for read in (read_number, read_array):
            with pytest.raises(Refused):
                read(text)


LISTS = {
    "[[1, 0], [0, 2]]": [[1, 0], [0, 2]],
    "[1/3, -2e-3]": [1 / 3, -0.002],
    "v = [1, 2]": [1, 2],
    "[1, 2,]": [1, 2],
    "[ [1 ,2 ] ,\n [3, 4] ]": [[1, 2], [3, 4]],
    "tensor([[1., 2.],\n        [3., 4.]], requires_grad=True)": [[1, 2], [3, 4]],
    "torch.FloatTensor([0.1, 1.0, 0.0001])": [0.1, 1.0, 0.0001],
    "tensor([1., 2.], dtype=torch.float64, grad_fn=<MulBackward0>)": [1, 2],
    "tensor(3.)": 3,
    "2": 2,
    "[]": [],
    "[[[1]]]": [[[1]]],
    "[\u22121]": [-1],
}

REFUSED_LISTS = {
    "": "Nothing is typed",
    "[1, 2": "] is missing",
    "[[1, 2], [3": "]] is missing",
    "]": "] without its [",
    "1]": "before the first [",
    "[1]]": "after the last ]",
    "[1][2]": "after the last ]",
    "a[1]": "before the first [",
    "[1 2]": "Commas are missing",
    "[[1] [2]]": "comma is missing",
    "[1,,2]": "no number before it",
    "[,1]": "no number before it",
    "[[1, 2], [3]]": "expected sequence of length 2 at dim 1 (got 1)",
    "[[1, 2], 3]": "side by side",
    "[1, [2]]": "side by side",
    "3, 5": "type [3, 5]",
    "3,5": "type [3, 5]; for a decimal use a point",
    "(1, 2)": "type [1, 2]",
    "[1; 2]": "not a number",
    "[nan]": "nan",
    "[inf, 1]": "inf",
    "[1e400]": "too large",
    "[1e39, 1]": "too large",
    "[1/0]": "divides by zero",
    "[__import__('os')]": "never run",
    "__import__('os')": "never run",
    "[" * 5000 + "]" * 5000: "deeper",
    "[" * 20_000: "characters",
    "[" + "1, " * 9_000 + "1]": "characters",
    "[1, 'a']": "not a number",
}


@pytest.mark.parametrize("text", LISTS)
def test_lists_are_read(text):
    value = read_array(text)
    assert value.dtype == np.float64
    np.testing.assert_array_equal(value, np.array(LISTS[text], dtype=float))


@over("text", REFUSED_LISTS, ids=lambda text: text[:20])
def test_other_lists_are_refused_with_a_sentence(text):
    with pytest.raises(Refused) as refusal:
        read_array(text)
    assert REFUSED_LISTS[text] in str(refusal.value)
    assert len(str(refusal.value)) < 250


@given(st.text(alphabet="[]0123456789,.-+e/ \n", max_size=MAX_CHARACTERS // 100))
def test_any_brackets_and_digits_are_an_array_or_refused(text):
    with contextlib.suppress(Refused):
        assert np.isfinite(read_array(text)).all()


def regular_lists(depth=3):
    numbers = st.integers(-9, 9)
    return st.lists(st.integers(1, 3), max_size=depth).flatmap(
        lambda sizes: st.just(sizes).flatmap(lambda _: _nested_lists(sizes, numbers))
    )


def _nested_lists(sizes, leaf):
    if not sizes:
        return leaf
    return st.lists(_nested_lists(sizes[1:], leaf), min_size=sizes[0], max_size=sizes[0])


@given(regular_lists())
def test_a_printed_list_is_read_back(values):
    np.testing.assert_array_equal(read_array(nested(values)), np.array(values, dtype=float))
    np.testing.assert_array_equal(read_array(values), np.array(values, dtype=float))


def test_python_values_arrays_and_tensors_are_read():
    import torch

    import minigrad

    for value in (
        [[1, 2.5]],
        ((1, 2.5),),
        np.array([[1, 2.5]], dtype=np.float32),
        minigrad.tensor([[1, 2.5]], requires_grad=True),
        torch.tensor([[1, 2.5]], requires_grad=True),
        [["1", "5/2"]],
    ):
        np.testing.assert_array_equal(read_array(value), [[1.0, 2.5]])
    assert read_array(np.float32(2)).shape == ()
    np.testing.assert_array_equal(read_array([range(3), (2, 1, 0)]), [[0, 1, 2], [2, 1, 0]])


def itself():
    value = []
    value.append(value)
    return value


@over(
    "value",
    [
        None,
        ...,
        True,
        [False],
        [None],
        {"a": 1},
        {1, 2},
        object(),
        1 + 2j,
        b"1",
        10**400,
        -(10**5000),
        float("nan"),
        [float("inf")],
        1e39,
        1e-60,
        [1, [2]],
        [[1], [2, 3]],
        itself(),
        len,
        type,
        np.array([np.nan]),
        np.array(["a"]),
        np.array([1j]),
        [0.0] * 20_000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_no_numbers_are_refused(value):
    with pytest.raises(Refused) as refusal:
        read_array(value)
    assert len(str(refusal.value)) < 250


def test_refusing_leaves_the_recursion_limit_alone():
    before = sys.getrecursionlimit()
    with pytest.raises(Refused):
        read_array("[" * 4000 + "1" + "]" * 4000)
    assert sys.getrecursionlimit() == before
