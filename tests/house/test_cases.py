"""Many cases as one test: all are tried, fixtures arrive, and a failure names its case."""

import inspect

import pytest

from tests.cases import over


def test_every_case_is_tried_with_the_fixtures():
    @over("a, b", lambda: iter([(1, 2), (3, 4)]))
    @over("c", {"x": 0, "y": 0})
    def tried(a, b, c, tmp_path):
        found.append((a, b, c, tmp_path))

    found = []
    assert list(inspect.signature(tried).parameters) == ["tmp_path"]  # which pytest reads
    tried(tmp_path="here")
    assert found == [(a, a + 1, c, "here") for a in (1, 3) for c in "xy"]


def test_a_failure_names_its_case_and_none_at_all_is_one():
    @over("number", [1, 2, 0, 3], ids="the number {}".format)
    def divided(number):
        1 / number

    with pytest.raises(ZeroDivisionError) as stopped:
        divided()
    assert stopped.value.__notes__ == ["Where number = the number 0."]
    with pytest.raises(AssertionError, match="no cases"):
        over("number", [])(divided)()
