"""What the models that show an example, or a function of the learner's own, have in common."""

from functools import partial
from operator import attrgetter

import numpy as np

from ...show.typed_numbers import Refused
from .example import Example
from .functions import own_example
from .model import action, at, one_of, refusal_of, shown
from .point import in_float32
from .torch_answer import AsksTorch


class ExampleModel(AsksTorch):
    """A model of one example at a time, beside PyTorch's answer to it.

    A subclass names its examples (`known`), says how one is opened (`_open`; what cannot be shown
    raises), what PyTorch is asked about the state that is shown (`question`), and, to let a learner
    predict it first, what is asked (`_question`: a new `PredictCard`, or None). `_shown` holds
    one consistent state, a named tuple; another state is another object.

    predict: True covers the result until a guess is committed or "show me" is asked.
    """

    known = {}  # {name: example}: what can be loaded
    parts = ("card",)
    _example_type = Example
    own = None  # the learner's own function as an example
    card = None  # the question before the result, a `PredictCard`

    def __init__(self, what, inputs=(), named=None, *, v=None, predict=False, few=None):
        super().__init__()
        self.asks = bool(predict)
        try:
            if isinstance(what, str):
                if inputs or named:
                    raise Refused(f'"{what}" brings its own numbers; others go with a function.')
                example = self._find(what)
            elif isinstance(what, Example):
                example = what
            else:
                example = self.own = self._own(what, inputs, named, v, few)
            self._open(example)
            if v is not None and not example.is_own:
                self._first_upstream(v)
        except Exception as error:
            raise refusal_of(error) from None  # one sentence, never another example's numbers

    @classmethod
    def examples(cls):
        """The names of what can be loaded."""
        return list(cls.known)

    @action
    def load(self, name):
        """Load an example by name, or "your function" again."""
        with at("example"):
            self._open(self._find(name))

    example = shown("example", "The `Example` that is loaded.")
    example_name = property(attrgetter("example.name"))
    formula = property(attrgetter("example.formula"))

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
        return [(one.title, one.name) for one in [*own, *self.known.values()]]

    def _own(self, function, inputs, named, v, few):
        return own_example(function, inputs, named, v, few, self._example_type)

    def _first_upstream(self, v):
        """Set an example's first v to one that was given; raises what it raises."""
        raise Refused("This widget takes no v.")

    def _recorded_as(self, x=None):
        """The name under which PyTorch's answer is recorded; None if it is not.

        It is not for a function of the learner's, or where `x` is not the example's own.
        """
        example, same = self.example, True
        if x is not None:
            same = np.array_equal(x, in_float32(example.inputs[example.input_name]))
        known = same and self.known.get(example.name) is example
        return f"{type(self).__name__} {example.name}" if known else None

    def _cover(self):
        """Ask about what was opened, if the learner is to predict it."""
        self.card = self._question() if self.asks else None
        if self.card is not None:
            self.card.watch(self.announce)  # a committed guess uncovers the result

    def _ask_anew(self):
        """The question again, if it still stands, about what was edited."""
        if self.covered:
            self._cover()

    def _check_uncovered(self, place=None):
        """`Refused` while the result is covered: what would show it has to wait."""
        if self.covered:
            raise Refused("Commit a guess first, or ask to be shown.", place)

    def _find(self, name):
        """The example of this name or row, the learner's own among them; else `Refused`."""
        own = {} if self.own is None else {self.own.name: self.own}
        known = {**own, **self.known}
        of_rows = {one.row: one for one in self.known.values() if one.row}
        if isinstance(name, str) and name in of_rows:
            return of_rows[name]
        return known[one_of(name, known, "example", "example")]


def programs_of(kind, program):
    """What is to be recorded for a model: {name: program} with `program(example, torch)`."""
    return {f"{kind.__name__} {name}": partial(program, one) for name, one in kind.known.items()}
