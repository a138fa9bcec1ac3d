"""What the models that show an example, or a program of the learner's own, have in common."""

from ..typed_numbers import Refused
from .base import Model, action, in_a_sentence, one_of
from .patience import TookTooLong, in_time
from .torch_answer import ask, failed


class ExampleModel(Model):
    """A model of one example at a time, beside PyTorch's answer to it.

    A subclass says how an example is opened (`_open`) and what PyTorch makes of the state that is
    shown: by `_ask_torch(torch)`, and from the record alone by `stored_answer()`. To predict it
    first, a learner is asked what `_question()` says; each opening ends with `_cover()`.

    predict: True covers the result until a guess is committed or "show me" is asked.
    """

    known = {}  # {name: example}: what can be loaded
    kind = "example"  # what one of them is called
    own = None  # the learner's own function or program, kept among them

    _shown = None  # one consistent state; another state is another object
    _live = (None, None)  # a state, and PyTorch's answer to it
    card = None  # the question, a `PredictCard`, before the result

    def __init__(self, predict=False):
        super().__init__()
        self.asks = bool(predict)

    @action
    def load(self, name):
        """Load an example by name, or the learner's own, such as "your function", again."""
        example = self._find(name)
        try:
            self._open(example)
        except Exception as error:  # the learner's own may fail where it went well before
            self._refuse(self.kind, in_a_sentence(error))

    def torch_answer(self, wait=False):
        """PyTorch's side, a `TorchAnswer`; wait=False never imports torch."""
        return ask(self._live_answer, self.stored_answer, wait)

    def stored_answer(self):
        """PyTorch's side from the record alone."""
        raise NotImplementedError

    @property
    def covered(self):
        """Whether the result is still hidden behind the question."""
        return self.card is not None and not self.card.revealed

    def told(self, note):
        """An example's note, unless it would answer the question that is asked."""
        return "" if self.covered else note

    def listed(self):
        """[(what a list says, name)] of all that can be loaded, the learner's own first."""
        own = [] if self.own is None else [self.own]
        return [(self.title_of(one), one.name) for one in [*own, *self.known.values()]]

    @staticmethod
    def title_of(example):
        """An example's name and what it is, on one line."""
        return f"{example.name}:  {example.formula}"

    # --- for subclasses --------------------------------------------------------------------------

    def _open(self, example):
        """Show another example. What cannot be shown raises, before anything has changed."""
        raise NotImplementedError

    def _ask_torch(self, torch):
        """PyTorch's answer to the state that is shown."""
        raise NotImplementedError

    def _question(self):
        """The question before the result: a new `PredictCard`; None where nothing is to be asked."""
        raise NotImplementedError

    def _cover(self):
        """Ask about what was opened, if the learner is to predict it."""
        self.card = self._question() if self.asks else None

    def _check_uncovered(self, place=None):
        """`Refused` while the result is covered: what would show it has to wait."""
        if self.covered:
            raise Refused("Commit a guess first, or ask to be shown.", place)

    def _ask_anew(self):
        """The question again, if it still stands, about what was edited."""
        if self.covered:
            self._cover()

    def _live_answer(self, torch):
        """What `_ask_torch` says, asked once for each state."""
        state, answer = self._live
        if state is None or state is not self._shown:
            try:
                answer = in_time(self._ask_torch, torch)
            except TookTooLong as refusal:
                answer = failed(f"PyTorch: {refusal}")
            self._live = self._shown, answer
        return answer

    def _find(self, name):
        """The example of this name, the learner's own among them; else `Refused`."""
        own = {} if self.own is None else {self.own.name: self.own}
        known = {**own, **self.known}
        return known[one_of(name, known, self.kind, self.kind)]

    def _start(self, begin, fall_back):
        """`begin()` with what the learner gave, which may raise anything; else refuse it.

        fall_back: the name of the example that is shown in its place.
        """
        try:
            begin()
        except Exception as error:
            self._open(self.known[fall_back])
            self._refuse(self.kind, f"{in_a_sentence(error)} Shown is {fall_back} in its place.")
