"""Cells of old notebooks, run in order on one engine as Jupyter would run them.

Only the course's own text is run here, what documents printed; never anything a learner types.
"""

import ast
import builtins

from ...results import run


def run_cells(sources, torch):
    """What each cell showed, as records of `results.run`; nothing after a cell that failed.

    torch: the engine that `import torch` finds in these cells.
    """
    names = {"torch": torch, "Variable": torch.autograd.Variable}
    names["__builtins__"] = {**vars(builtins), "__import__": _importer(torch)}
    shown = []
    for source in sources:
        results, _ = run(lambda _, source=source: _run_cell(source, names), torch)
        shown.append(results)
        if "error" in results:
            break
    return shown


def _run_cell(source, names):
    """Run one cell; the value of a last expression is shown, as Jupyter shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
        if value is not None:
            print(repr(value))
    return {}


def _importer(torch):
    """`import torch` and `from torch.autograd import ...`, answered with the engine at hand."""

    def find(name, *where):
        if name.partition(".")[0] != "torch":
            raise ImportError(f"These cells import torch and nothing else, not {name}.")
        from_list = where[2] if len(where) > 2 else ()
        found = torch
        for part in name.split(".")[1:] if from_list else ():
            found = getattr(found, part)
        return found

    return find
