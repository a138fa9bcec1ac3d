"""The page that says what of PyTorch is in minigrad tells the truth of today."""
import re

import pytest

import minigrad
from tools import coverage_table


@pytest.fixture(scope="module")
def page():
    return coverage_table.page()


def test_the_page_is_up_to_date(page):
    stored = coverage_table.PAGE.read_text(encoding="utf-8")
    assert stored == page, "run: python -m tools.coverage_table"


def test_the_counts_are_those_of_the_lists(page):
    for name, there, of in re.findall(r"^\| \[([\w.]+)\].*\| (\d+) \| (\d+) \|$", page, re.MULTILINE):
        chapter = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
        have, _, lack = chapter.partition("\nNot in minigrad:\n")
        have = re.findall(r"`(\w+)`", re.sub(r"\(not\s[^)]*\)", "", have))
        lack = re.findall(r"`(\w+)`", lack)
        assert (len(have), len(have) + len(lack)) == (int(there), int(of))
        assert len({*have, *lack}) == int(of)


def test_there_and_not_there(page):
    """Samples of names that any reader would look up."""
    have, lack = page.split("## torch.Tensor")[0].split("Not in minigrad:")
    assert {"`add`", "`matmul`", "`no_grad`", "`float32`"} <= set(re.findall(r"`\w+`", have))
    assert {"`complex64`", "`compile`"} <= set(re.findall(r"`\w+`", lack))
    assert "`_assert`" not in page and "`AliasDb`" not in page and "`os`" not in page


def test_arguments_that_are_not_taken_are_named():
    def theirs(input, dim, *, keepdim=False, out=None):
        pass

    assert coverage_table.shown_with_missing("f", theirs, lambda input, dim: 0) == "`f` (not `keepdim`)"
    assert coverage_table.shown_with_missing("f", theirs, lambda input, dim, keepdim: 0) == "`f`"
    assert coverage_table.shown_with_missing("f", theirs, lambda *args: 0) == "`f`"  # cannot be told


@pytest.mark.parametrize("place, name", [
    (minigrad, "compile"), (minigrad.Tensor, "to_sparse"), (minigrad.autograd, "inference_mode"),
    (minigrad.func, "functionalize"), (minigrad.autograd.functional, "nothing"), (minigrad.nn, "SyncBatchNorm"),
    (minigrad.nn.functional, "grid_sample"), (minigrad.optim, "SparseAdam"),
], ids=lambda value: getattr(value, "__name__", value))  # fmt: skip
def test_what_is_not_there_says_so(place, name):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
        getattr(place, name)
