"""What the notebooks show beside the engine: comparisons with PyTorch, predict cards, checked
exercises, pictures, and the widgets.

    from minigrad.classroom import check, compare, diagnose, hint, pictures, predict, solution
    from minigrad.classroom import widgets

In a notebook it brings four cell magics: `%%both x.grad` runs a cell on both engines,
`%%mend 08-1` checks a program that the learner mends, `%%stage 13-1` a part of an engine that the
learner writes, and `%%diagnose` says what is wrong with a training program of the learner's own.
The engine never imports this package. torch is imported only when a comparison first needs it,
and ipywidgets by what is drawn.
"""

import sys
from typing import Any

from .compare.both import both
from .compare.comparison import compare
from .diagnosis import diagnose, diagnose_cell
from .lessons import check, hint, mend_cell, predict, progress, solution
from .show import pictures

__all__ = [
    "check",
    "compare",
    "diagnose",
    "hint",
    "pictures",
    "predict",
    "progress",
    "solution",
    "widgets",
]


def load_ipython_extension(shell: Any) -> None:
    """Give an IPython shell the cell magics."""
    magics = {"both": both, "diagnose": diagnose_cell, "mend": mend_cell, "stage": mend_cell}
    for name, run in magics.items():

        def magic(line, cell, run=run):
            return run(line, cell, shell.user_ns)

        magic.__doc__ = run.__doc__
        shell.register_magic_function(magic, "cell", name)


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()):
    load_ipython_extension(_shell)


def __getattr__(name):
    # ipywidgets is loaded when first asked for, not with every check.
    if name == "widgets":
        from importlib import import_module

        return import_module(".widgets", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
