"""Learners' actions, one after another in the order in which they were done.

The browser keeps one message of each control under way. What is typed meanwhile waits there until
the kernel has answered: a hundred quick edits arrive as a few, the last one among them. A click
does not wait, nor does another control, so either can arrive before a text that was typed earlier.

Therefore an action that comes after an edit of another control is put off, and the browser is asked
to answer. Messages keep their order, so what was held back arrives before the answer. Then the
action is done, and until the next edit nothing has to be asked again. What is typed again in the
same control before the answer has come would pass for older, too; the key Enter tells that it is
not, for that, like a click, is sent at once.
"""

import asyncio
import contextvars

import ipywidgets

PATIENCE = 5.0  # seconds to wait for the browser's answer; then the page is gone

_speaker = contextvars.ContextVar("speaker", default=None)


class InOrder:
    """Mixed into a widget: all such widgets' messages are handled in the order they were sent.

    ipykernel 7.4 may hand the messages of one widget to another thread than those of the next,
    whichever thread each last sent from. Asked here, it takes the thread that JupyterLab names,
    which is the same for all widgets. Older versions do so anyway and do not ask.
    """

    def open(self):
        super().open()
        self.comm._reply_subshell_for = lambda data, named: named


class Control(InOrder):
    """Mixed into a control: while it delivers a message of the browser, it is the speaker.

    group: controls of one group may overtake each other, as the order of their edits is no matter.
    """

    group = None
    holds_back = True  # whether the browser may hold back its newest value
    entered = 0  # how often Enter was pressed in it

    def _handle_msg(self, msg):
        self.entered += msg["content"]["data"].get("content") == {"event": "submit"}
        token = _speaker.set(self)
        try:
            super()._handle_msg(msg)
        finally:
            _speaker.reset(token)


class _Number(InOrder, ipywidgets.IntText):
    """A number in the browser's memory, which is never shown."""


class _Waiting:
    """An action that is put off until the browser has answered the question with this number.

    may_lag: {control that may have held back something older: how often Enter was pressed in it}
    """

    def __init__(self, number, action, may_lag):
        self.number, self.action, self.may_lag = number, action, may_lag


class Turns:
    """The order of the actions on one panel."""

    def __init__(self, lock):
        self._heard = {}  # {control: the number of the last question when its last edit came}
        self._queue = []  # of what is put off, in order
        self._asked = self._answered = None  # two numbers; the browser copies one to the other
        self._lock = lock  # the model's

    def take(self, action):
        """Run a learner's action when its turn has come: as a rule at once."""
        speaker = _speaker.get()
        with self._lock:
            if speaker is None:  # code, not the browser
                action()
                return
            place, number, may_lag = self._place(speaker), 0, {}
            if place == len(self._queue):  # the newest
                may_lag = self._others(speaker)
                number = self._ask() if may_lag else 0
            if speaker.holds_back:
                self._heard[speaker] = self._asked.value if self._asked else 0
            if place == 0 and not number:
                action()
            else:
                self._queue.insert(place, _Waiting(number, action, may_lag))

    def _place(self, speaker):
        """Before which of the actions put off this speaker's message belongs; else their number."""
        places = [
            place for place, waiting in enumerate(self._queue)
            if waiting.may_lag.get(speaker) == speaker.entered
        ]
        for waiting in self._queue:  # only its next message can be older
            waiting.may_lag.pop(speaker, None)
        return places[0] if places else len(self._queue)

    def _others(self, speaker):
        """The controls that may hold back something older than what the speaker says.

        A question that was asked after an edit reaches the browser after the word that the edit was
        handled, on which it sends what it holds back. So its answer comes after that.
        """
        answered, group = self._answered.value if self._answered else 0, speaker.group or speaker
        return {
            control: control.entered for control, asked in self._heard.items()
            if answered <= asked and (control.group or control) is not group
        }

    def _ask(self):
        """Ask the browser to answer; the question's number, or 0 where nobody could wait for it."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return 0
        if self._asked is None:
            self._asked, self._answered = _Number(), _Number()
            self._answered.observe(lambda change: self._go_on(change["new"]), names="value")
            self._link = ipywidgets.jsdlink((self._asked, "value"), (self._answered, "value"))
        self._asked.value += 1
        # Widgets answer within the context of the cell that made them.
        loop.call_later(PATIENCE, self._go_on, self._asked.value,
                        context=contextvars.copy_context())
        return self._asked.value

    def _go_on(self, answered):
        """Everything older has arrived: do what was put off until this answer."""
        with self._lock:
            while self._queue and self._queue[0].number <= answered:
                self._queue.pop(0).action()
