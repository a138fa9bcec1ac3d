"""%%both: a cell that runs on minigrad and on PyTorch, as it is printed in its document.

    %%both x.grad, y
    from torch.autograd import Variable
    x = Variable(torch.ones(3), requires_grad=True)
    y = x * 2
    y.backward(torch.ones(3))

shows the table of `compare` for the expressions named after it; without any, for what the cell
prints and for its last expression. An error is a result, with the line that failed. Afterwards the
cell's variables, from minigrad's run, are the notebook's.
"""

from typing import Any

from .cells import Cell, OfAnotherCell, expressions
from .comparison import Comparison, compare

_NAMES = "After %%both stand Python expressions, with commas between them: %%both x.grad, y"
_NOTHING = (
    "There is nothing to compare. Name it after %%both, for example %%both x.grad, or print it, or "
    "end the cell with it."
)


def both(line: str, source: str, notebook: dict[str, Any]) -> Comparison:
    """Run a cell on both engines and compare. notebook: its names; those of the cell are added.

    Returns a `Comparison`; what cannot be run so is explained in its place.
    """
    try:
        cell = Cell(source, expressions(line), notebook, first_line=2)
    except SyntaxError:
        return Comparison([], None, _NAMES)
    except OfAnotherCell as refusal:
        return Comparison([], None, str(refusal))
    comparison = compare(cell)
    notebook.update(cell.variables)
    if not comparison.lines and not comparison.problem:
        return Comparison([], None, _NOTHING)
    return comparison
