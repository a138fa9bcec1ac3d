"""PyTorch's side of what a widget shows: live where torch is at hand, else as it was recorded.

Importing torch takes seconds, so a redraw never waits for it: until it is there, what is recorded
is shown, or that PyTorch is loading. A text, which is printed once, waits.
"""

from dataclasses import dataclass

from .. import engines
from ..typed_numbers import Refused
from .base import in_its_words
from .source import TAKES_TORCH


@dataclass(frozen=True)
class TorchAnswer:
    """What PyTorch says to the state that is shown.

    source: "live", "stored" (recorded), "loading", "missing", or "error" (PyTorch does not take
        what the learner gave).
    text: by which version, or why there is no answer.
    found: the answer, of the kind that the model compares its own with; None without one.
    """

    source: str
    text: str
    found: object = None

    def labelled(self, line, gap=" "):
        """A line that tells the answer; behind it by which version it was recorded, if it was."""
        return f"{line}{gap}({self.text})" if self.source == "stored" else line


def live(torch, found):
    """What PyTorch has found just now."""
    return TorchAnswer("live", f"torch {engines.version(torch)}, live", found)


def stored(version, found):
    """What this version of PyTorch found when it was recorded."""
    return TorchAnswer("stored", f"stored from torch {version}", found)


def missing(what="for this"):
    """No answer is recorded. what: to what, "for this function"."""
    sentence = f"PyTorch is not installed here, and its answer {what} is not recorded."
    return TorchAnswer("missing", sentence)


def failed(sentence):
    """PyTorch was asked and failed."""
    return TorchAnswer("error", sentence)


def could_not_run(error):
    """PyTorch was asked to run what the learner gave, and this was raised."""
    advice = "" if isinstance(error, Refused) else f" {TAKES_TORCH}"
    return failed(f"PyTorch could not run this. {in_its_words(error)}{advice}")


def live_unless_mixed(torch, found, error):
    """What PyTorch has found; not if its run ended in `error`, (type, text), by mixing the engines."""
    if error and TAKES_TORCH in error[1]:
        return failed(f"PyTorch could not run this. {': '.join(filter(None, error))}")
    return live(torch, found)


def ask(ask_live, ask_stored, wait=False):
    """`ask_live(torch)` where torch is at hand, else `ask_stored()`; "loading" while it may come.

    wait: whether to import torch if need be.
    """
    torch = engines.torch_now() if wait else engines.torch_if_loaded()
    if torch is not None:
        return ask_live(torch)
    answer = ask_stored()
    if answer.source == "missing" and engines.torch_installed():  # which was not waited for
        return TorchAnswer("loading", "loading PyTorch\u2026")
    return answer
