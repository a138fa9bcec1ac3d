"""What every widget's view has in common: a model it watches, safe redrawing, and a snapshot."""

import functools

import ipywidgets

from .. import engines
from .turns import Turns


class View(ipywidgets.VBox):
    """A panel over a model.

    A subclass builds its controls once, in `__init__`, hands what learners do to the model through
    `act`, and says in `redraw` what the controls show. Whatever the view does not have, its model
    has: `editor.set_upstream([1, 0])` is `editor.model.set_upstream([1, 0])`.
    """

    shows_torch = True  # whether PyTorch's answer is among what is drawn

    def __init__(self, model, children):
        self.model = model
        self._redrawing = False
        self._torch_asked = False
        self._turns = Turns(model.lock)
        super().__init__(children)
        self.add_class("mg-panel")
        model.watch(self.refresh)
        self.refresh()
        if engines.later_is_possible():  # inside a Tab or an HBox no bundle is asked of it
            self.displayed()

    def act(self, action, *args):
        """Run a learner's action on the model, which redraws. Ignores our own redrawing.

        It is run when its turn has come: after what the learner had done before.
        """
        with self.model.lock:
            if not self._redrawing:
                self._turns.take(functools.partial(action, *args))

    def acting(self, action, *first):
        """What a control is given: it runs the action with `first` and what the learner chose."""
        return lambda *chosen: self.act(action, *first, *chosen)

    def refresh(self):
        """Make every control show the model's state."""
        with self.model.lock:
            self._redrawing = True
            try:
                self.redraw()
            finally:
                self._redrawing = False

    def refused_entry(self, place):
        """The index of the box at `place` whose text could not be used, or None."""
        at = self.model.refused_at
        return at[1] if isinstance(at, tuple) and at[0] == place else None

    def __getattr__(self, name):
        if name.startswith("_") or "model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.model, name)

    def redraw(self):
        raise NotImplementedError

    def snapshot(self):
        """HTML for a reader without a kernel; the same state always gives the same text."""
        raise NotImplementedError

    def summary(self):
        """One or two lines of plain text: the state, for terminals and comparisons."""
        raise NotImplementedError

    def displayed(self):
        """Called when the widget is about to be shown.

        torch is imported after the first drawing, in the background, and then fills its place.
        """
        if (
            self.shows_torch
            and not self._torch_asked
            and engines.torch_if_loaded() is None
            and engines.torch_installed()
        ):
            self._torch_asked = True
            engines.torch_later(self.refresh)

    def _repr_mimebundle_(self, include=None, exclude=None, **kwargs):
        self.displayed()
        bundle = super()._repr_mimebundle_(include=include, exclude=exclude, **kwargs) or {}
        bundle["text/html"] = self.snapshot()
        bundle["text/plain"] = self.summary()
        return bundle

    def __repr__(self):
        return self.summary()
