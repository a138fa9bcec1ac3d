"""What the models that stand beside PyTorch's answer have in common: who asks it, and when."""

from typing import Any

from ...compare import engines
from . import patience
from .model import Model
from .patience import Stopped
from .torch_answer import TorchAnswer, ask, ask_record, expected


class AsksTorch(Model):
    """A model that shows PyTorch's answer to a `question()` about its state, `_shown`.

    Another state is another object. PyTorch runs only where it is waited for: `torch_answer(True)`.
    """

    _shown: Any = None
    _asked = (None, None)  # a state, and PyTorch's live answer to it

    def question(self):
        """The `Question` to PyTorch about the state that is shown."""
        raise NotImplementedError

    def torch_answer(self, wait=False):
        """PyTorch's side, a `TorchAnswer`. wait: ask it now, and import it if need be.

        Without, PyTorch is not asked: the answer is what it said to this state before, what is
        recorded, or that it is still to come.
        """
        state, answer = self._asked
        if state is self._shown:
            return answer
        if not wait:
            return expected(self.question())
        answer = ask(self.question())
        if answer.source in ("live", "error"):
            self._asked = (self._shown, answer)
        return answer

    def stored_answer(self):
        """PyTorch's side from the record alone."""
        return ask_record(self.question())

    def awaits_torch(self):
        return self._asked[0] is not self._shown and engines.torch_installed()

    def ask_torch(self):
        try:
            patience.stoppable(self.torch_answer, True)
        except Stopped:
            answer = TorchAnswer("error", "PyTorch took too long here and was stopped.")
            self._asked = (self._shown, answer)

    def as_recorded(self):
        copy = super().as_recorded()
        copy._asked = (self._shown, self.stored_answer())
        return copy
