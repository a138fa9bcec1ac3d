"""The widgets, each opened with one line at the top of a notebook.

    widgets.UpstreamEditor("S0-1")                      edit the upstream gradient of an example
    widgets.UpstreamEditor(lambda x: x * x, [1, 2, 3])  ... or of your own function
    widgets.PredictCard("What will a.grad be?", answer=[2, 4])
    widgets.JacobianPicture("A @ x")                    J, its rows weighed by v, its columns added
    widgets.ShapeGate()                                 which gradient shapes backward lets through
    widgets.LeafInspector("6 inner gradient")           flags, grad_fn and .grad of every tensor
    widgets.GradLedger("S3-7")                          what .grad adds up, what the graph keeps
    widgets.BackwardStepper("diamond")                  a backward pass, one node a step
    widgets.ThenAndNow("S4-15")                         old documents: printed then, run today
    widgets.SeamCutter("S2-4")                          cut a chain, hand the gradient across
    widgets.NudgeMeter("S3-3")                          secant and tangent: which eps is best?

Each is a view over a model in plain Python (`.model`), which also works alone and prints as text.
`<Tab>` after a widget and a point lists what it can do, `.help()` says it on a page, and
`.examples()` names what it opens. A widget is imported when it is first asked for: a lesson shows
one or two of the ten.
"""

from importlib import import_module

_ROOMS = {  # widget: the module of its view
    "BackwardStepper": ".backward_stepper.view",
    "GradLedger": ".grad_ledger.view",
    "JacobianPicture": ".jacobian_picture.view",
    "LeafInspector": ".leaf_inspector.view",
    "NudgeMeter": ".nudge_meter.view",
    "PredictCard": ".predict_card.view",
    "SeamCutter": ".seam_cutter.view",
    "ShapeGate": ".shape_gate.view",
    "ThenAndNow": ".then_and_now.view",
    "UpstreamEditor": ".upstream_editor.view",
}

__all__ = [*_ROOMS, "predict"]


def __getattr__(name):
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    view = getattr(import_module(_ROOMS[name], __package__), name)
    return globals().setdefault(name, view)


def __dir__():
    return sorted({*globals(), *_ROOMS})


def predict(question, answer, *, kind=None, choices=None, why="", misconceptions=None):
    """A predict card: ask, let the learner commit a guess, then reveal. See `PredictCard`."""
    card = __getattr__("PredictCard")
    return card(question, answer, kind=kind, choices=choices, why=why, misconceptions=misconceptions)
