"""docs/differences.md: each program on both engines prints what the page quotes, and no more."""

import contextlib
import io
import re

import pytest
import torch

import minigrad
from tests.house.test_tree import ROOT

PAGE = (ROOT / "docs" / "differences.md").read_text("utf-8")
SHOWN = re.findall(
    r"```python\n(.*?)```\n\nPyTorch:\n\n```text\n(.*?)```\n\nminigrad:\n\n```text\n(.*?)```",
    PAGE,
    re.DOTALL,
)


def test_every_program_of_the_page_is_run():
    assert len(SHOWN) == PAGE.count("```python") > 5


@pytest.mark.parametrize("program, theirs, ours", SHOWN)
def test_both_print_what_the_page_says(program, theirs, ours):
    for engine, expected in ((torch, theirs), (minigrad, ours)):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(program, {"torch": engine})
        assert said.getvalue() == expected
    assert theirs != ours
