"""PyTorch's side of what a widget shows: live where torch is at hand, else as it was recorded.

Importing torch takes seconds, so a redraw never waits for it: until it is there, what is recorded
is shown, or that PyTorch is loading. A text, which is printed once, waits.
"""

from dataclasses import dataclass
from typing import Any, Callable

from ...compare import engines, recorded
from ...compare.results import run, value_of
from . import patience
from .functions import TAKES_TORCH, in_a_sentence
from .model import Model
from .patience import Stopped


@dataclass(frozen=True)
class Question:
    """What a widget asks PyTorch about the state that it shows.

    program: `program(torch) -> {name: value}`, asked where torch is at hand.
    key: the name under which an answer is recorded, "UpstreamEditor a * a"; None where none is.
    recall: what follows from the recorded answer, {name: value} -> {name: value}: any typed v is
        answered from the answers to each one-hot v. None: the recorded answer is the answer.
    what: to what an answer may be missing.
    """

    program: Callable
    key: str | None = None
    recall: Callable | None = None
    what: str = "for this"


@dataclass(frozen=True)
class TorchAnswer:
    """What PyTorch says to the state that is shown.

    source: "live", "stored" (recorded), "asked" (it comes at once), "loading", "missing", or
        "error" (PyTorch does not take what the learner gave).
    said: by which version, or why there is no answer.
    found: the answer, {name: value} with tensors as NumPy arrays; None without one.
    """

    source: str
    said: str
    found: dict | None = None

    @property
    def awaited(self):
        """Whether it is still to come."""
        return self.source in ("asked", "loading")

    @property
    def text(self):
        """By which version, "torch 2.13.0, live", or why there is no answer."""
        known = {"live": f"torch {self.said}, live", "stored": f"stored from torch {self.said}"}
        return known.get(self.source, self.said)

    def label(self):
        """The same after PyTorch's name, as it stands over an answer on a panel."""
        if self.source == "live":
            return f"PyTorch {self.said}, live"
        return f"PyTorch, {self.text}" if self.source == "stored" else f"PyTorch: {self.text}"

    def labelled(self, line, gap=" "):
        """A line that tells the answer; behind it by which version it was recorded, if it was."""
        return f"{line}{gap}({self.text})" if self.source == "stored" else line


def ask_live(question, torch):
    """PyTorch's answer to a question, run now."""
    results, problem = run(question.program, torch)
    if problem is not None:
        return TorchAnswer("error", problem)
    if "error" in results:
        said = in_a_sentence(results["error"]["type"], results["error"]["value"])
        return TorchAnswer("error", f"PyTorch could not run this. {said} {TAKES_TORCH}")
    values = {name: value_of(result) for name, result in results.items()}
    return TorchAnswer("live", engines.version(torch), values)


def ask_record(question):
    """PyTorch's answer to a question as it was recorded, if it was."""
    records, version = recorded.answer(question.key) if question.key else (None, None)
    if records is None:
        sentence = f"PyTorch is not installed here, and its answer {question.what} is not recorded."
        return TorchAnswer("missing", sentence)
    values = {name: value_of(record) for name, record in records.items()}
    recall = question.recall or (lambda values: values)
    return TorchAnswer("stored", version, recall(values))


def expected(question):
    """What can be said without asking PyTorch: what is recorded, or that its answer will come."""
    if engines.torch_if_loaded() is not None:
        return TorchAnswer("asked", "asking PyTorch\u2026")
    answer = ask_record(question)
    if answer.source == "missing" and engines.torch_installed():  # which was not waited for
        return TorchAnswer("loading", "loading PyTorch\u2026")
    return answer


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
        if self._asked[0] is not self._shown:
            torch = engines.torch_now() if wait else None
            if torch is None:
                return expected(self.question())
            self._asked = (self._shown, ask_live(self.question(), torch))
        return self._asked[1]

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
