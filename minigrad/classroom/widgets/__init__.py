"""The widgets, each opened with one line at the top of a notebook.

    widgets.UpstreamEditor("a * a")                     edit the upstream gradient of an example
    widgets.UpstreamEditor(lambda x: x * x, [1, 2, 3])  ... or of your own function
    widgets.PredictCard("What will a.grad be?", answer=[2, 4])
    widgets.JacobianPicture("A @ x")                    J, its rows multiplied by v, then added
    widgets.ShapeGate()                                 which gradient shapes backward lets through
    widgets.LeafInspector("6 inner gradient")           flags, grad_fn and .grad of every tensor
    widgets.GradLedger("two passes")                    what .grad adds up, what the graph keeps
    widgets.BackwardStepper("diamond")                  a backward pass, one node a step
    widgets.ThenAndNow("the gradient [1, 0]")           old documents: printed then, run today
    widgets.SeamCutter("two layers")                    cut a chain, pass the gradient across
    widgets.NudgeMeter("2b²")                           secant and tangent: which eps is best?

Each is a panel over a model in plain Python (`.model`), which also works alone and prints as text:
`widgets.UpstreamEditor` opens an `UpstreamEditorPanel` over an `UpstreamEditor`.
`<Tab>` after a widget and a point lists what it can do, `.help()` says it on a page, and
`.examples()` names what it opens. A widget is imported when it is first asked for: a lesson shows
one or two of the ten.
"""

import inspect
import re
from importlib import import_module

__all__ = [
    "BackwardStepper",
    "GradLedger",
    "JacobianPicture",
    "LeafInspector",
    "NudgeMeter",
    "PredictCard",
    "SeamCutter",
    "ShapeGate",
    "ThenAndNow",
    "UpstreamEditor",
]
# {widget: its room, a package beside this file}
_ROOMS = {name: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in __all__}


def __getattr__(name):
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _opener(name))


def _opener(name):
    """What opens a widget: it takes what the model takes, or a model, and returns the panel."""
    drawing = import_module(f".{_ROOMS[name]}.panel", __package__)
    kind = getattr(import_module(f".{_ROOMS[name]}.model", __package__), name)

    def opened(*what, **options):
        from .shared.host import Panel  # a model is at hand without anywidget

        model = what[0] if what and isinstance(what[0], kind) else kind(*what, **options)
        return Panel(model, drawing.draw, drawing.USE)

    opened.__name__ = opened.__qualname__ = name
    opened.__doc__, opened.__signature__ = kind.__doc__, inspect.signature(kind)
    return opened


def __dir__():
    return sorted({*globals(), *_ROOMS})
