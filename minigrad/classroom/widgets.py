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
"""

from .views.gate import ShapeGate
from .views.inspector import LeafInspector
from .views.jacobian import JacobianPicture
from .views.ledger import GradLedger
from .views.nudge import NudgeMeter
from .views.predict import PredictCard
from .views.seam import SeamCutter
from .views.stepper import BackwardStepper
from .views.then_and_now import ThenAndNow
from .views.upstream import UpstreamEditor

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
    "predict",
]


def predict(question, answer, *, kind=None, choices=None, why="", misconceptions=None):
    """A predict card: ask, let the learner commit a guess, then reveal. See `models.predict`."""
    return PredictCard(
        question, answer, kind=kind, choices=choices, why=why, misconceptions=misconceptions
    )
