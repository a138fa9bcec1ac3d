"""What every widget's model has in common: actions that happen whole or not at all."""

import contextlib
import functools
import inspect
import operator
import threading
from numbers import Integral

import numpy as np

from ...show.formatting import WIDTH, brackets, indices, shape, wrapped
from ...show.typed_numbers import Refused
from . import patience
from .functions import advice, in_a_sentence
from .patience import Stopped


class Model:
    """The state of a widget in plain Python, without any drawing.

    Its actions are what a learner can do (`@action`). What cannot be used is refused: everything
    stays as it was, and these say why.

    message: a sentence, or None if the last action was not refused.
    refused_at: the place of the control, such as "upstream" or ("upstream", index), or None.
    refused_by: "reader": it cannot be read; "engine": in PyTorch's own words.
    moves: how many actions were done.
    earlier: the model as it was before the last action, to be read only; None at first.

    A subclass keeps what it holds in attributes that are replaced and never changed themselves
    (tuples, frozen dataclasses, arrays nobody writes to): so an action can be taken back. Its
    `_told()` is what is to be said after a change, in one sentence.
    """

    shows = ""  # the names of what a learner sees, for `state`
    parts: tuple = ()  # names of models within this one, whose actions are done by "card.commit"
    pause: float | None = None  # seconds until its action `tick` is due; None: it does not go on
    covered = False  # whether what follows is hidden until it was guessed
    hidden = "The result is covered until you commit a guess."

    def __init__(self):
        self.lock = threading.RLock()
        self.moves, self.earlier = 0, None
        self._watchers = ()
        self._accept()

    def watch(self, redraw):
        """Call `redraw()` after every action."""
        self._watchers += (redraw,)

    def announce(self):
        """Make everybody who watches draw again."""
        for redraw in self._watchers:
            redraw()

    def perform(self, name, arguments):
        """Do the action of this name, such as "press", or "card.commit" for a part's.

        It comes from a page: what is no action, or does not fit it, is refused.
        """
        *path, last = str(name).split(".")
        model = self
        for part in path:
            model = getattr(model, part) if part in model.parts else None
        method = getattr(type(model), last, None)
        try:
            if not hasattr(method, "is_action"):
                raise TypeError(name)
            method(model, *arguments)
        except TypeError:  # of the call: what an action raises within it refuses by itself
            refusal = Refused(f"There is no action {name!r:.40} that takes {arguments!r:.80}.")
            with self.lock:
                self._refuse(refusal)
                self.announce()

    def changed(self, read):
        """The keys of `read(model)`, {key: what is shown}, whose entry the last action changed."""
        now, before = read(self), {} if self.earlier is None else read(self.earlier)
        same = before.keys() == now.keys()
        return {key for key in now if before[key] != now[key]} if same else set()

    def awaits_torch(self):
        """Whether PyTorch is still to be asked about the state that is shown."""
        return False

    def ask_torch(self):
        """Ask it: live, where it can be had, and importing it if need be."""

    def as_recorded(self):
        """This model beside PyTorch's recorded answer: it looks the same on every machine."""
        return _copy(self, vars(self))

    def state(self):
        """Everything the widget shows, as plain values: {name: value} for the names in `shows`."""
        held = {name: getattr(self, name) for name in self.shows.split()}
        return {name: plain(value() if callable(value) else value) for name, value in held.items()}

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message} Nothing else changed."
        return self.hidden if self.covered else self._told()

    def __repr__(self):
        return self.text()

    @classmethod
    def actions(cls):
        """{name: method}: what a learner can do, in the order in which the class defines it."""
        methods = {}
        for base in reversed(cls.__mro__):
            methods.update((name, m) for name, m in vars(base).items() if hasattr(m, "is_action"))
        return methods

    @classmethod
    def help(cls):
        """What this widget takes and what can be done with it, on one page."""
        lines = [f"{cls.__name__}{_signature(cls)}", "", inspect.getdoc(cls), "", "Actions:"]
        for name, method in cls.actions().items():
            summary = inspect.getdoc(method).split("\n\n")[0].replace("\n", " ")
            lines += [f"  .{name}{_signature(method)}", wrapped("      ", summary)]
        if cls.examples():
            lines += ["", wrapped("Examples: ", ", ".join(map(repr, cls.examples())))]
        return Page("\n".join(lines))

    @classmethod
    def examples(cls):
        """The names of what can be opened."""
        return []

    def summary(self):
        """The state in one line."""
        raise NotImplementedError

    def text(self, answer=None):
        """All of it as text. answer: PyTorch's side, if not the live one."""
        raise NotImplementedError

    def stored_answer(self):
        """PyTorch's side from the record alone; None where it is asked nothing."""

    def _joined(self, lines, refused="refused: "):
        """The lines of a text; last why the last action was refused."""
        return "\n".join([*lines, *([wrapped(refused, self.message)] if self.message else [])])

    def _refuse(self, refusal):
        self.message, self.refused_at = str(refusal), refusal.place
        self.refused_by = refusal.by

    def _accept(self):
        self.message = self.refused_at = self.refused_by = None


class Page(str):
    """A text that a notebook shows as it is."""

    def __repr__(self):
        return str(self)


def action(method):
    """A learner's action on a model, a transaction: it happens whole, or all is as it was.

    Whatever it or the drawing after it raises becomes a refusal, in PyTorch's own words or a plain
    sentence; an interrupt too. Returns the model, so that a cell shows the result.
    """
    signature = inspect.signature(method)

    @functools.wraps(method)
    def act(self, *args, **options):
        signature.bind(self, *args, **options)  # a wrong call is the caller's error
        with self.lock:
            before = dict(vars(self))

            def done():
                self._accept()
                self.moves += 1
                method(self, *args, **options)
                self.earlier = _copy(self, before)
                self.announce()

            try:
                patience.stoppable(done)
            except (Exception, KeyboardInterrupt, Stopped) as error:
                vars(self).clear()
                vars(self).update(before)
                self._refuse(refusal_of(error))
                self.announce()
        return self

    act.is_action = True
    return act


def _copy(model, state):
    """A model to be read, in another state; it knows of no earlier one."""
    copy = object.__new__(type(model))
    vars(copy).update(state, earlier=None)
    return copy


def shown(path, doc=None):
    """A property: what stands at `path` in a model's state, `_shown`; arrays as nested lists."""
    find = operator.attrgetter(path)
    return property(lambda self: _listed(find(self._shown)), doc=doc)


@contextlib.contextmanager
def at(place):
    """What is raised within is refused at this place."""
    try:
        yield
    except Exception as error:
        refusal = refusal_of(error)
        raise Refused(str(refusal), refusal.place or place, refusal.by) from error


def refusal_of(error):
    """What was raised as a `Refused`: in the engine's own words, or else after its type."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, (KeyboardInterrupt, Stopped)):
        why = "was interrupted" if isinstance(error, KeyboardInterrupt) else "took too long"
        return Refused(f"It {why} and was stopped. Nothing has changed.")
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "")  # of what raised it, perhaps a learner
    if module.split(".")[0] in ("minigrad", "numpy") and "classroom" not in module:
        return Refused(str(error) or type(error).__name__, by="engine")
    said = in_a_sentence(type(error).__name__, str(error) or "no reason given")
    return Refused(said + advice(error))


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


def whole(value, low, high, what, place=None):
    """A whole number from low to high, typed or given; else `Refused`."""
    try:
        if float(value) == int(float(value)) and low <= float(value) <= high:
            return int(float(value))
    except (TypeError, ValueError, OverflowError):
        pass
    raise Refused(f"{what} is a whole number from {low} to {high}, not {value!r:.40}.", place)


def index_in(index, sizes, place=None):
    """An index such as (0, 1), or 2 for (2,), into a shape; else `Refused`."""
    index = (index,) if isinstance(index, Integral) else index
    if not isinstance(index, tuple) or not all(isinstance(k, Integral) for k in index):
        raise Refused(f"An index is such as 2 or (0, 1), not {index!r:.40}.", place)
    if index not in indices(sizes):
        raise Refused(f"Index {brackets(index)} is outside a shape of {shape(sizes)}.", place)
    return tuple(map(int, index))


def _signature(function):
    """How a function is called, without `self` and types, folded where it is long."""
    signature = inspect.signature(function)
    names = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    text = str(signature.replace(parameters=names, return_annotation=signature.empty))
    text = text.replace("(self, ", "(").replace("(self)", "()")
    return text if len(text) < WIDTH - 30 else text.replace(", ", ",\n      ")


def plain(value):
    """Arrays and tuples within a value as lists."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return type(value)(map(plain, value)) if type(value) in (list, tuple) else _listed(value)


def _listed(value):
    return value.tolist() if isinstance(value, np.ndarray) else value
