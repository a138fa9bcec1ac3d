"""What the notebooks show beside the engine: comparisons with PyTorch, predict cards, checked
exercises, and the widgets.

    from minigrad.classroom import compare, predict, check, hint, solution, show_error, widgets

The engine never imports this package. torch is imported only when a comparison first needs it, and
ipywidgets only by what is drawn.
"""

from .compare import compare
from .errors import show_error
from .exercises import check, hint, solution

__all__ = ["check", "compare", "hint", "predict", "show_error", "solution", "widgets"]


def __getattr__(name):
    # ipywidgets is loaded when a widget is first asked for, not with every comparison or check.
    if name in ("widgets", "predict"):
        from importlib import import_module

        widgets = import_module(".widgets", __name__)
        return widgets if name == "widgets" else widgets.predict
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
