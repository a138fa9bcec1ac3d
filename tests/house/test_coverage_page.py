"""docs/torch-coverage.md names what is there: all of it, and nothing that is not."""

import inspect
import re

import pytest
import torch

import minigrad
from tests.house.test_docstrings import NAMESPACES, public
from tests.house.test_tree import ROOT

PAGE = (ROOT / "docs" / "torch-coverage.md").read_text(encoding="utf-8")
LISTED = set(re.findall(r"`(\w+)`", PAGE.partition("## What is left to PyTorch")[0]))
WORDS = {"AttributeError", "_"}  # in backticks, and no names of the engine


def of_tensor():
    return {
        name for name in dir(minigrad.Tensor) if name[0] != "_" and hasattr(minigrad.Tensor, name)
    }


def constants():
    """What is public and is not called: dtypes, numbers and namespaces."""
    return {
        name
        for name, value in vars(minigrad).items()
        if name[0] != "_"
        and hasattr(torch, name)
        and name != "ops"
        and (isinstance(value, (float, minigrad.dtype)) or value is None or inspect.ismodule(value))
    }


def found():
    """All public names, a method without its class."""
    names = {name.rpartition(".")[2] for space in NAMESPACES for name, *_ in public(space)}
    return names | of_tensor() | constants() | {"functional", "utils", "setup_context"}


@pytest.mark.parametrize("names", [found, of_tensor, constants])
def test_every_public_name_is_on_the_page(names):
    assert {
        name for name in names() if name not in LISTED and name.rstrip("_") not in LISTED
    } == set()


def test_every_name_on_the_page_is_there():
    assert LISTED - WORDS - found() == set()
