"""Cells of old notebooks, run in order on one engine as Jupyter would run them.

Only the course's own text is run here, what documents printed; never anything a learner types.
"""

from ...compare.cells import Code, builtins_for
from ...compare.results import run


def run_cells(sources, torch):
    """What each cell showed, as records of `results.run`; nothing after a cell that failed.

    torch: the engine that `import torch` finds in these cells.
    """
    names = {"torch": torch, "Variable": torch.autograd.Variable}
    names["__builtins__"] = builtins_for(torch)
    shown = []
    for source in sources:
        results, _ = run(lambda _, source=source: _run_cell(source, names), torch)
        shown.append(results)
        if "error" in results:
            break
    return shown


def _run_cell(source, names):
    """Run one cell; the value of a last expression is shown, as Jupyter shows it."""
    value = Code(source).run(names)
    if value is not None:
        print(repr(value))
    return {}
