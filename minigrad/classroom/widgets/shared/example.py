"""What a widget opens: a function of tensors, written once for both engines, and first numbers."""

from dataclasses import dataclass, replace
from typing import Any, Callable


@dataclass(frozen=True)
class Example:
    """One example of any widget; a learner's own function is one, too.

    A room whose examples hold more has a type of its own for them: a chain of functions, a script.
    """

    name: str
    formula: str  # one line, as a learner would write it
    function: Callable  # function(torch, *tensors): gets minigrad or PyTorch, then the tensors
    inputs: dict  # {name of a tensor: its first numbers, nested lists}
    v: Any = None  # the first upstream gradient; None is ones
    output: str = "y"  # what the result is called
    note: str = ""  # what to look for, one sentence
    source: Callable | None = None  # a learner's own function as it was given
    row: str = ""  # of the list of the documents' examples, tests/notebooks/inventory.toml

    @property
    def is_own(self):
        return self.source is not None

    @property
    def input_name(self):
        """The first tensor's name."""
        return next(iter(self.inputs))

    def noting(self, note):
        """The same with what to look for."""
        return replace(self, note=note)

    def of_row(self, row):
        """The same with its row in the list of the documents' examples: found by that, too."""
        return replace(self, row=row)

    @property
    def title(self):
        """Its name and its formula, on one line; the formula alone where it tells the name."""
        return self.formula if self.formula.endswith(self.name) else f"{self.name}: {self.formula}"


def by_name(*examples):
    """{name: example}."""
    return {example.name: example for example in examples}
