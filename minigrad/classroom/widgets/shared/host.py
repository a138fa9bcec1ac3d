"""The host of every panel: a model, and the HTML that is drawn from it, in a notebook.

After each action the whole panel is drawn anew as one HTML string. The page's side, `host.js`,
makes the page like it and sends back what a learner did: the name of an action of the model, and
its arguments. Neither side knows any widget.
"""

import contextvars
import time
from asyncio import get_running_loop
from pathlib import Path
from uuid import uuid4

import anywidget
import traitlets

from ...compare import engines
from ...show.html import joined, tag
from . import patience
from .parts import announced
from .still import still
from .style import STYLE

QUICK = 0.01  # seconds: less than a frame, which nobody sees
_SCRIPT = Path(__file__).with_name("host.js").read_text(encoding="utf-8")


class Panel(anywidget.AnyWidget):
    """A panel over a model, `.model`.

    draw: a pure function from the model to the HTML of its panel. use: what running its cell is
    for, said under its still. Whatever the panel does not have, its model has:
    `editor.set_upstream([1, 0])` is `editor.model.set_upstream([1, 0])`.
    """

    _esm = traitlets.Unicode(_SCRIPT).tag(sync=True)
    _css = traitlets.Unicode(STYLE).tag(sync=True)
    html = traitlets.Unicode().tag(sync=True)
    own_id = traitlets.Unicode().tag(sync=True)
    answered = traitlets.Unicode().tag(sync=True)  # the name of the page's last message

    def __init__(self, model, draw, use="use this widget"):
        self.model, self._draw, self._use = model, draw, use
        self._asking = False  # whether PyTorch's answer is under way
        self._waits = True  # whether PyTorch is asked after a drawing: nobody knows its pace yet
        self._timer = None  # of a model that goes on by itself
        name = uuid4().hex  # the page finds the panel's own model by it
        super().__init__(html=self._drawn(), _dom_classes=["mg-panel"], model_id=name, own_id=name)
        model.watch(self.redraw)
        self.on_msg(self._perform)
        self._ask_torch_later()

    def redraw(self):
        """Show the model as it is now. PyTorch's side comes with it where PyTorch was quick so far,
        and else with a later drawing: the numbers that a learner changed never wait for it."""
        if not self._waits and self.model.awaits_torch():
            self._time_torch()
        self.html = self._drawn()
        self._ask_torch_later()
        self._go_on_later()

    def _drawn(self):
        """The panel, and the sentence that a screen reader says when it changes."""
        with self.model.lock:
            drawing = tag("div", self._draw(self.model), data_turn=self.model.moves % 2)
            return joined(drawing, announced(self.model.announcement()))

    def _perform(self, _, message, buffers):
        """Do what a learner did on the page; in one message the drawing, and that it is done."""
        with self.hold_sync():
            self.answered = str(message.get("id", ""))
            with patience.limited(self._say_waiting):
                self.model.perform(message.get("action"), _tuples(message.get("arguments", [])))

    def _say_waiting(self):
        self.send({"waiting": f"Still computing. It is stopped after {patience.LIMIT:g} seconds."})

    def _ask_torch_later(self):
        """Ask PyTorch once what was drawn is on its way; where nothing comes later, at once."""
        if self._asking or not self.model.awaits_torch():
            return
        self._asking = True
        if not engines.later_is_possible():
            if engines.torch_if_loaded() is not None:
                self._ask_torch()
            self._asking = False
        elif engines.torch_if_loaded() is None:
            engines.torch_later(self._ask_torch)
        else:  # widgets answer within the context of the cell that made them
            get_running_loop().call_soon(self._ask_torch, context=contextvars.copy_context())

    def _ask_torch(self):
        self._asking = False
        with self.model.lock:
            with patience.limited(lambda: None):
                self._time_torch()
            self.html = self._drawn()

    def _time_torch(self):
        begun = time.perf_counter()
        self.model.ask_torch()
        self._waits = time.perf_counter() - begun > QUICK

    def _go_on_later(self):
        """Let a model that goes on by itself do so after its pause; in a script, at once."""
        if self.model.pause is None:
            if self._timer:
                self._timer.cancel()
            self._timer = None
        elif self._timer is None and engines.later_is_possible():
            context, pause = contextvars.copy_context(), self.model.pause
            self._timer = get_running_loop().call_later(pause, self._go_on, context=context)
        elif self._timer is None:
            self._go_on()

    def _go_on(self):
        self._timer = None
        with patience.limited(lambda: None):
            self.model.tick()

    def still(self):
        """The drawing as HTML for a reader without a kernel, and the same told as text.

        PyTorch's side is from the record alone, so the same state gives the same bytes.
        """
        text = self.model.text(self.model.stored_answer())
        return still(self._draw(self.model.as_recorded()), text, f"Run this cell to {self._use}.")

    def _repr_mimebundle_(self, **options):
        bundle, metadata = super()._repr_mimebundle_(**options)
        texts = {"text/html": self.still(), "text/plain": self.model.summary()}
        return {**bundle, **texts}, metadata

    def __repr__(self):
        return self.model.summary()

    def __getattr__(self, name):
        """A learner's actions and numbers are the model's; the panel adds none of its own."""
        if name.startswith("_") or "model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.model, name)

    def __dir__(self):
        """What <Tab> lists: what a learner can do and read."""
        return ["model", *(name for name in dir(self.model) if not name.startswith("_"))]


def _tuples(value):
    """Lists from a page as tuples, as indices and shapes are."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
