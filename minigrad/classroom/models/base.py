"""What every widget's model has in common: actions, and views that watch."""

import functools
import threading


class Model:
    """The state of a widget in plain Python, without any drawing.

    Its actions are what a learner can do. One is finished before the next begins, in whichever
    thread it comes (JupyterLab may deliver a click in another thread than the one that runs cells).
    """

    def __init__(self):
        self.lock = threading.RLock()
        self._watchers = []

    def watch(self, redraw):
        """Call `redraw()` after every action."""
        self._watchers.append(redraw)


def action(method):
    """A learner's action on a model: runs alone, lets the views redraw, returns the model."""

    @functools.wraps(method)
    def act(self, *args, **options):
        with self.lock:
            method(self, *args, **options)
            for redraw in self._watchers:
                redraw()
        return self

    return act
