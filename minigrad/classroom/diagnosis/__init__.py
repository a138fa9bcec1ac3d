"""`%%diagnose`: what is wrong with a learner's own training program.

    diagnose('''...''')          # a program as text: a Diagnosis

It is run on minigrad, and everything that the engine reports is noted down (`notes.py`). The rules
of each kind of mistake (`kinds/`) look at these notes.
"""

import ast
import re
from typing import Any

from ..compare.cells import OfAnotherCell
from .case import Case
from .cell import Cell
from .finding import Change, Diagnosis, Finding

__all__ = ["Change", "Diagnosis", "Finding", "diagnose", "diagnose_cell"]

SECONDS = 60.0


def diagnose(program: str, seconds: float = SECONDS, **notebook: Any) -> Diagnosis:
    """Run a program, its text, and say what is wrong with it: a `Diagnosis`.

    It is stopped after so many seconds, and judged by what was seen until then.
    """
    return Case(Cell(program, (), notebook), seconds).diagnosis()


def diagnose_cell(line: str, source: str, notebook: dict[str, Any]) -> Diagnosis:
    """The cell magic `%%diagnose`: run this cell and say what is wrong with it.

    `%%diagnose 10` stops it after 10 seconds. Of the notebook it can use all that PyTorch itself
    has no part in. Its own names are the notebook's afterwards.
    """
    try:
        seconds = float(line) if line.strip() else SECONDS
        cell = Cell(_without_magics(source), (), notebook, first_line=2)
        if not 0 < seconds < 1e6:
            raise ValueError
    except ValueError:
        return Diagnosis([], "%%diagnose is followed by a number of seconds, or by nothing.")
    except OfAnotherCell as refusal:
        return Diagnosis([], str(refusal))
    case = Case(cell, seconds)
    notebook.update(cell.variables)
    return case.diagnosis()


def _without_magics(source):
    """A cell without what IPython alone understands, and with as many lines."""
    try:
        ast.parse(source)
    except SyntaxError:
        source = re.sub(r"(?m)^%time ", "", source)
        return re.sub(r"(?m)^(?=[%!])", "# ", source)
    return source
