"""Formulas for pages and slides: MathML from LaTeX, and programs stay as they are."""

import re

import nbformat
import pytest
from latex2mathml.converter import convert

from tests.notebooks.test_prose import FORMULA
from tools.notebooks import all_notebooks
from tools.slides import markdown


@pytest.mark.parametrize("path", all_notebooks(), ids=lambda path: path.stem)
def test_every_formula_of_a_notebook_can_be_drawn(path):
    """What LaTeX command is not known is left in it with its backslash."""
    cells = nbformat.read(path, as_version=4).cells
    for cell in cells:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", cell.source, flags=re.MULTILINE | re.DOTALL)
        for found in FORMULA.findall(text) if cell.cell_type == "markdown" else ():
            shown = convert(found.strip("$"))
            assert shown.startswith("<math") and "\\" not in shown, found


def test_a_program_and_a_price_are_no_formulas():
    text = "`$HOME` and `a$b`\n\n```\n$x$\n```\n\n$x^2$ and 5 $"
    shown = markdown(text)
    assert shown.count("<math") == 1 and "<code>$HOME</code>" in shown and ">$x$\n" in shown
    assert 'display="block"' in markdown("$$v J$$") and "and 5 $" in shown
