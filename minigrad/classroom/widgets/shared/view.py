"""What every widget's view has in common: a model it watches, safe redrawing, and a still."""

import contextlib
import inspect
import signal
import sys
import threading

import ipywidgets

from ...compare import engines
from ...show.formatting import spoken
from . import controls, theme
from .patience import Stopped

PATIENCE = 1.0  # seconds, then a panel says that it waits
LIMIT = 15.0  # seconds, then an action is stopped


class View(ipywidgets.VBox):
    """A panel over a model, `.model`; it takes the same arguments, or a model.

    A subclass names its model's class, `class MeterPanel(View, of=Meter)`; it builds its controls
    once, in `build`, which returns them from top to bottom, hands what learners do to the model
    through `act`, and says in `redraw` what the controls show, what the learner waits for first:
    every value that is set is a message of its own. Whatever the view does not have,
    its model has: `editor.set_upstream([1, 0])` is `editor.model.set_upstream([1, 0])`.
    """

    shows_torch = True  # whether PyTorch's answer is among what is drawn
    style_more = ""  # CSS of this widget alone: the `style.css` beside its module
    use = "use this widget"  # what running its cell is for, said under its still

    _cover = None  # the question before the result, where there is one
    _example = None  # the list of examples

    def __init_subclass__(cls, of, **options):
        super().__init_subclass__(**options)
        cls._of, cls.__doc__, cls.__signature__ = of, of.__doc__, inspect.signature(of)
        file = getattr(sys.modules[cls.__module__], "__file__", None)  # a notebook has none
        if file:
            cls.style_more = theme.beside(file) or cls.style_more

    def __init__(self, *what, **options):
        is_model = what and isinstance(what[0], self._of)
        self.model = model = what[0] if is_model else self._of(*what, **options)
        self._redrawing = False
        self._seen = {}
        self._busy = controls.html_area()
        parts = [_style_sheet(self.style_more), *self.build(model), self._busy]
        model.watch(self.refresh)
        self.refresh()
        super().__init__(parts, _dom_classes=["mg-panel"])  # the browser hears of all, as it is now
        if self.shows_torch and engines.torch_may_come():
            engines.torch_later(self.refresh)  # after the first drawing, and then fills its place

    def act(self, action, *args):
        """Run a learner's action on the model, which redraws. Ignores our own redrawing."""
        if not self._redrawing:
            with self._watched():
                action(*args)

    def acting(self, action, *first):
        """What a control is given: it runs the action with `first` and what the learner chose."""
        return lambda *chosen: self.act(action, *first, *chosen)

    @contextlib.contextmanager
    def _watched(self):
        """Say after a second that an action is being waited for; stop it after LIMIT.

        Python can interrupt itself in its main thread alone, where our settings of JupyterLab let
        a widget's messages arrive, and not on Windows; elsewhere the kernel has to be restarted.
        """
        main = threading.current_thread() is threading.main_thread()
        if not main or not hasattr(signal, "setitimer"):
            yield
            return

        def tell(*_):
            signal.signal(signal.SIGALRM, stop)
            signal.setitimer(signal.ITIMER_REAL, LIMIT - PATIENCE, 1.0)
            self._busy.value = theme.message(
                "", f"Still computing. It is stopped after {LIMIT:g} seconds."
            )

        def stop(*_):
            raise Stopped

        before = signal.signal(signal.SIGALRM, tell)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if self._busy.value:
                self._busy.value = ""

    def refresh(self):
        """Make every control show the model's state."""
        with self.model.lock:
            self._redrawing = True
            if engines.torch_if_loaded() is not None:
                self.model.ask_torch()
            try:
                self.redraw()
                if self._example is not None:
                    self._example.value = self.model.example.name
                if self._cover is not None:
                    self._cover.redraw(self)
            finally:
                self._redrawing = False

    def changed(self, name, entries):
        """The keys of {key: what is shown} whose entry the last action changed."""
        moves, before, now = self._seen.get(name, (0, entries, entries))
        if moves != self.model.moves:
            before = now
        self._seen[name] = (self.model.moves, before, entries)
        same = before.keys() == entries.keys()
        return {key for key, entry in entries.items() if same and before[key] != entry}

    def refused_entry(self, place):
        """The index of the box at `place` whose text could not be used, or None."""
        at = self.model.refused_at
        return at[1] if isinstance(at, tuple) and at[0] == place else None

    def refusal(self, stays="Everything stays as it was."):
        """Why the last action was refused, as HTML; "" if it was not. stays: what did not."""
        model, place = self.model, self.model.refused_at
        if not model.message:
            return ""
        entry = place[1] if isinstance(place, tuple) else None
        where = f"At {spoken(entry)}: " if isinstance(entry, tuple) and entry else ""
        title = "PyTorch refuses:" if model.refused_by == "engine" else "Not used."
        return theme.message(title, where + model.message, stays)

    def head(self, *beside, width="auto", names=False):
        """The first row: the title, more controls, and the list of examples, or their names."""
        self._title, listed = controls.html_area(), self.model.listed()
        listed = [name for _, name in listed] if names else listed
        self._example = controls.dropdown("example", listed, self.acting(self.model.load), width)
        return controls.head(self._title, *beside, self._example)

    def __getattr__(self, name):
        """A learner's actions and numbers are the model's; the panel adds none of its own."""
        if name.startswith("_") or "model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.model, name)

    def __dir__(self):
        """What <Tab> lists: what a learner can do and read."""
        return ["model", *(name for name in dir(self.model) if not name.startswith("_"))]

    def picture(self):
        """The panel's own drawing, an `svg.Drawing`, for readers without a kernel, or None."""
        return None

    def still(self):
        """HTML for a reader without a kernel: the panel's drawing, or its text where it draws none.

        It tells PyTorch's side from the record alone, so the same state gives the same text.
        """
        drawing, text = self.picture(), self.model.text(self.model.stored_answer())
        look = "font-family: monospace; white-space: pre; overflow-x: auto"  # some pages wrap
        plain = f'<pre style="{look}">{theme.escape(text)}</pre>'
        still = drawing.image(text) if drawing else plain
        return f"{still}<p>Run this cell to {self.use}.</p>"

    def _repr_mimebundle_(self, include=None, exclude=None, **kwargs):
        bundle = super()._repr_mimebundle_(include=include, exclude=exclude, **kwargs) or {}
        bundle["text/html"] = self.still()
        bundle["text/plain"] = self.model.summary()
        return bundle

    def __repr__(self):
        return self.model.summary()


def _style_sheet(more):
    """The widget that carries the style; every panel has one among its children.

    A style sheet tells when it has arrived on the page, so `arrival.js` needs no script tag, and
    does nothing in a page that is not trusted. ipywidgets has no other way to what it does: a
    widget cannot be given an attribute, or a key that presses it.
    """
    arrival = theme.escape(" ".join(theme.ARRIVAL.split()))
    sheet = f'<style onload="{arrival}">{theme.STYLE}{more}</style>'
    return controls.html_area(sheet, display="none")
