"""The page of sources tells of each document what it is, what is used of it, what is set right."""

import re
import tomllib

import nbformat
import pytest

from tools.files import ROOT
from tools.notebooks import all_notebooks

PAGE = ROOT / "notebooks" / "sources.ipynb"
ROWS = tomllib.loads((ROOT / "tests/notebooks/inventory.toml").read_text("utf-8"))["example"]
HEADINGS = {  # document of the inventory: its heading, and what is known of it
    "S0": ("Question of 2019", ["Backward function in PyTorch", "Elin", "Stack Overflow", "2019"]),
    "S1": ("Forum thread", ["'gradient' argument in out.backward(gradient)", "forum"]),
    "S2": (
        "Article",
        ["How Pytorch Backward() function works", "Mustafa Alghali", "Medium", "2019"],
    ),
    "S3": ("Answer", ["Pytorch, what are the gradient arguments", "Stack Overflow", "43451125"]),
    "S4": ("Notebook of 2017", ["github.com/jcjohnson/pytorch-examples", "Linlin Zhao", "2017"]),
}
ANCHORS = {heading.replace(" ", "-") for heading, _ in HEADINGS.values()}


def sections():
    """{heading: its text}."""
    text = "\n\n".join(cell.source for cell in nbformat.read(PAGE, as_version=4).cells)
    return dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("document", HEADINGS)
def test_a_document_is_told_whole(document):
    heading, known = HEADINGS[document]
    text = sections()[heading]
    assert [word for word in known if word not in text] == []
    used, right = text.split("**What we set right.**")
    linked = set(re.findall(r"\]\((\d\d)-", used + right))
    assert linked == {row["lesson"] for row in ROWS if row["document"] == document}
    assert "**What we use.**" in used and right.strip()


@pytest.mark.parametrize("path", all_notebooks(), ids=lambda path: path.stem)
def test_a_link_to_a_source_leads_to_a_heading(path):
    cells = nbformat.read(path, as_version=4).cells
    links = re.findall(r"sources\.ipynb#([^)\s]+)\)", "\n".join(cell.source for cell in cells))
    assert set(links) <= ANCHORS


def test_every_document_of_the_inventory_is_there():
    assert {row["document"] for row in ROWS} == set(HEADINGS)
    assert {heading for heading, _ in HEADINGS.values()} <= set(sections())
