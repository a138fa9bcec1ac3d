"""What every widget's model has in common: actions, refusals, and views that watch."""

import contextlib
import functools
import threading
from numbers import Integral

from ..formatting import brackets, indices, shape
from ..typed_numbers import Refused
from .patience import TookTooLong, in_time
from .source import advice


class Model:
    """The state of a widget in plain Python, without any drawing.

    Its actions are what a learner can do. One is finished before the next begins, in whichever
    thread it comes (JupyterLab may deliver a click in another thread than the one that runs cells).
    What cannot be used is refused: everything stays as it was, and these say why.

    message: a sentence, or None if the last action was not refused.
    refused_at: the place of the control, such as "upstream" or ("upstream", index); None if nowhere.
    refused_by: "reader": it cannot be read; "engine": in PyTorch's or the function's own words.
    """

    def __init__(self):
        self.lock = threading.RLock()
        self._watchers = []
        self._accept()

    def watch(self, redraw):
        """Call `redraw()` after every action."""
        self._watchers.append(redraw)

    def _redraw(self):
        for redraw in self._watchers:
            redraw()

    def _accept(self):
        self.message = self.refused_at = self.refused_by = None

    def _refuse(self, place, sentence, by="reader"):
        self.message, self.refused_at, self.refused_by = sentence, place, by

    def _refuse_error(self, place, error):
        """Refuse with what was raised: in the engine's own words, or else after its type."""
        if raised_by_engine(error):
            self._refuse(place, str(error) or type(error).__name__, "engine")
        else:
            self._refuse(place, in_a_sentence(error))

    @contextlib.contextmanager
    def _at(self, place):
        """What is refused within is refused at this place."""
        try:
            yield
        except Refused as refusal:
            raise Refused(str(refusal), place) from None


def action(method):
    """A learner's action on a model: runs alone, lets the views redraw, returns the model.

    It is taken for accepted unless it refuses, by `_refuse` or by raising `Refused` before it has
    changed anything. If it takes too long, or the picture of what it made, all is put back.
    """

    def attempt(self, args, options):
        try:
            method(self, *args, **options)
        except Refused as refusal:
            self._refuse(refusal.place, str(refusal))
        self._redraw()

    @functools.wraps(method)
    def act(self, *args, **options):
        with self.lock:
            self._accept()
            before = dict(vars(self))
            try:
                in_time(attempt, self, args, options)
            except TookTooLong as refusal:
                for name in vars(self).keys() - before.keys():
                    delattr(self, name)
                vars(self).update(before)
                self._refuse(None, str(refusal))
                self._redraw()
        return self

    act.is_action = True
    return act


def raised_by_engine(error):
    """Whether the engine raised it, and not a learner's function by itself."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__", "").split(".")[0] in ("minigrad", "numpy")


def in_a_sentence(error):
    """What to show of an error: the reader's own sentence, or an engine's words after its type.

    What helps when a function mixes the two engines is added.
    """
    return in_its_words(error) + advice(error)


def in_its_words(error):
    """The same without any advice."""
    text = str(error) or "no reason given"
    text = text if text.endswith((".", "!", "?")) else f"{text}."
    known = isinstance(error, Refused) or text.startswith("Mismatch in shape")
    return text if known else f"{type(error).__name__}: {text}"


def one_of(value, known, what, place=None):
    """`value` as it stands among `known`; else `Refused`, with the names of all that are."""
    for one in known:
        if isinstance(value, type(one)) and value == one:
            return one
    names = ", ".join(map(str, known))
    raise Refused(f"There is no {what} {value!r:.40}. Known are: {names}.", place)


def truth(value):
    """True or False, as Python takes the value; else `Refused`."""
    try:
        return bool(value)
    except Exception:  # an array of several
        raise Refused(f"Say True or False, not {value!r:.40}.") from None


def index_in(index, sizes, place=None):
    """An index such as (0, 1), or 2 for (2,), into a shape; else `Refused`."""
    index = (index,) if isinstance(index, Integral) else index
    if not isinstance(index, tuple) or not all(isinstance(k, Integral) for k in index):
        raise Refused(f"An index is such as 2 or (0, 1), not {index!r:.40}.", place)
    if index not in indices(sizes):
        raise Refused(f"Index {brackets(index)} is outside a shape of {shape(sizes)}.", place)
    return tuple(map(int, index))
