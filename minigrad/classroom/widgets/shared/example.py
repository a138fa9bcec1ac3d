"""What a widget opens: a function of tensors, written once for both engines, and first numbers."""

from dataclasses import dataclass, replace
from typing import Any, Callable


@dataclass(frozen=True)
class Example:
    """One example of any widget; a learner's own function is one, too.

    A room whose examples hold more has a type of its own for them: a chain of functions, a script.
    The names are those of the five documents the course grew out of: "S3-1 b" is example 1 of
    document S3, differentiated with respect to its b.
    """

    name: str
    formula: str  # one line, as a learner would write it
    function: Callable  # function(torch, *tensors): gets minigrad or PyTorch, then the tensors
    inputs: dict  # {name of a tensor: its first numbers, nested lists}
    v: Any = None  # the first upstream gradient; None is ones
    output: str = "y"  # what the result is called
    note: str = ""  # what to look for, one sentence
    source: Callable | None = None  # a learner's own function as it was given

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

    @property
    def title(self):
        """Its name and what it is, on one line."""
        return self.name if self.name == self.formula else f"{self.name}: {self.formula}"


def by_name(*examples):
    """{name: example}."""
    return {example.name: example for example in examples}
