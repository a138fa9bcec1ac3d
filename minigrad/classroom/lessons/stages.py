"""A fourth kind of exercise: `stage`, a part of an engine that the learner writes.

An engine is a program, and each stage a piece of its text. A cell that begins with %%stage 13-2 is
such a piece. Its check runs it after the solutions of the stages before it, on examples, and tells
the first difference from the stage's own solution. So one stage's verdict never hangs on another.
Afterwards the notebook has the engine so far: of the learner's own pieces, where they pass, else of
the solutions, and one sentence says which.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

import minigrad

from ..cells import expressions, line_of
from ..formatting import kind_of
from ..heard import caught_printing, caught_warnings
from .exercises import Program, Step, _Exercise, changed
from .verdict import Verdict, same

FILE = "<stage>"  # what tracebacks call the learner's piece
OWN: dict[str, str] = {}  # {name of a stage: the learner's text}, of the stages that pass


@dataclass(frozen=True, kw_only=True)
class Stage(_Exercise):
    """A part of an engine. A mistake is a change of the solution.

    after: the stage before this one; examples: {sentence: (program, expressions)}. In an expression
    `named(values)` stands for the program's names of them, and `kind(value)` for what it is.
    """

    examples: dict = field(default_factory=dict)
    after: "Stage | None" = None

    def made(self, program: Program, torch: ModuleType = minigrad) -> str:
        return changed(self.solution, program)

    def solved(self, torch: ModuleType = minigrad) -> str:
        return self.solution

    @property
    def stages(self) -> "list[Stage]":
        """This stage and those before it, in their order."""
        return [*(self.after.stages if self.after else ()), self]

    def verdict(self, answer: Any) -> Verdict:
        sentence = f"{self.name} is a part to write: begin a cell with %%stage {self.name}."
        return super().verdict(answer) if isinstance(answer, str) else Verdict(False, [sentence])

    def cases(self) -> Iterable[str]:
        return self.examples.keys()

    def trial(
        self,
        answer: str,
        case: str,
        torch: ModuleType = minigrad,
        before: str | None = None,
    ) -> list[Step]:
        """A step for each expression of an example. before: the stages before this one, if not
        their solutions."""
        program, names = self.examples[case]
        if before is None:
            before = "\n".join(stage.solution for stage in self.stages[:-1])
        space: dict[str, Any] = {}
        with caught_printing(), caught_warnings(), np.errstate(all="ignore"):
            label = "The stages before"
            error = _ran(before, "<before>", space)
            if error is None:
                label = "Your cell"
                error = _ran(answer, FILE, space)
                space |= {"named": lambda values: _named(values, space), "kind": _kind}
            error = error or _ran(program, "<example>", space)
            if error is None:
                return [_result(case, name, space) for name in expressions(names)]
            stops = f"{label} stops{_in_line(error)}:"
            return [Step(case, stops, error) for _ in expressions(names)]

    def agrees(self, before: str, answer: str) -> bool:
        """Whether a piece does the same after other pieces as the solutions do together."""
        true = self._outcome(self.solution)
        return all(
            same(mine.value, right.value)
            for case in self.cases()
            for mine, right in zip(self.trial(answer, case, before=before), true(case))
        )

    def run(self, source: str) -> tuple[Verdict, dict[str, Any]]:
        """(verdict, variables): what is wrong, if anything, and the engine so far."""
        space: dict[str, Any] = {}
        _ran("\n".join(stage.solution for stage in self.stages[:-1]), "<before>", space)
        _ran(source, FILE, space)  # once openly: what the learner prints is shown
        verdict = self.verdict(source)
        OWN.pop(self.name, None)
        if verdict.passed:
            OWN[self.name] = source
        made = engine(self)
        return Verdict(verdict.passed, [*verdict.lines, made.whose]), made.space


@dataclass(frozen=True)
class Engine:
    """What the stages make together. own: the names of those that the learner wrote."""

    stages: list[Stage]
    own: tuple[str, ...]
    text: str
    space: dict[str, Any]

    @property
    def lines(self) -> int:
        """How many lines it has, without blank ones and comments."""
        return sum(bool(line.strip()) and line.strip()[0] != "#" for line in self.text.split("\n"))

    @property
    def whose(self) -> str:
        """One sentence that says who wrote the engine."""
        numbers: dict[bool, list[str]] = {True: [], False: []}
        for stage in self.stages:
            numbers[stage.name in self.own].append(stage.name)
        own, other = (_listed(numbers[which]) for which in (True, False))
        if not other:
            return f"The cells below run on your own {own}."
        if not own:
            passes = "pass" if len(numbers[False]) > 1 else "passes"
            return f"The cells below run on the reference {other}, until yours {passes}."
        return f"The cells below run on your own {own}, and on the reference {other}."

    def __repr__(self):
        is_whole = len(self.own) == len(self.stages)
        head = f"{self.whose}\nThe engine has {self.lines} lines."
        return f"{head}\n\n{self.text}" if is_whole else head


def engine(last: Stage) -> Engine:
    """The engine up to the stage `last`: the learner's own pieces where they pass together."""
    stages = last.stages
    for own in (tuple(stage.name for stage in stages if stage.name in OWN), ()):
        pieces = [OWN[stage.name] if stage.name in own else stage.solution for stage in stages]
        before = "\n".join(pieces[:-1])
        if not own or last.agrees(before, pieces[-1]):
            break
    text = _without_replaced("\n\n".join(piece.strip("\n") for piece in pieces))
    space: dict[str, Any] = {}
    with caught_printing():
        exec(compile(text, "<engine>", "exec"), space)
    space = {name: value for name, value in space.items() if name != "__builtins__"}
    return Engine(stages, own, text, space)


def _result(case, name, space):
    """What an expression gives; an error is a result, too."""
    shown = re.sub(r"(?:named|kind)\((.*)\)", r"\1", name)
    try:
        return Step(case, shown, _plain(eval(name, space)))
    except (Exception, SystemExit) as raised:
        return Step(case, f"{shown} stops{_in_line(raised)}:", _without_address(raised))


def _ran(text, file, space):
    """The error of a program, or None."""
    try:
        exec(compile(text, file, "exec"), space)
    except (Exception, SystemExit) as error:
        return _without_address(error)


def _without_address(error):
    """An error whose text names no place in memory: that would be another one in each run."""
    text = str(error)
    if " at 0x" not in text:
        return error
    told = type(error)(re.sub(r" at 0x[0-9a-fA-F]+", "", text).strip("'"))
    return told.with_traceback(error.__traceback__)


def _in_line(error):
    """The line of the learner's cell that failed: " in line 5", as the editor counts."""
    line = line_of(error, FILE)
    return f" in line {line + 1}" if line else ""


def _plain(value):
    """The numbers of a value of the engine's, or of an array."""
    value = getattr(value, "data", value) if type(value).__name__ == "Value" else value
    if isinstance(value, BaseException):
        return f"{kind_of(value)}, not raised"
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _kind(value):
    """What something is, for who expects an array: "an array of floats", "a Value"."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return kind_of(value)
    found = {"f": "floats", "i": "whole numbers", "O": "values, not of numbers"}
    return f"an array of {found.get(value.dtype.kind, value.dtype.name)}"


def _named(values, space):
    """What a program calls these values: "a, b"."""

    def name_of(value):
        names = (name for name, known in space.items() if known is value and name[:2] != "__")
        return next(names, kind_of(value))

    return ", ".join(map(name_of, values)) or "none"


def _listed(names):
    """Stage 13-1; stages 13-1 to 13-3; stages 13-1, 13-2 and 13-4."""
    if len(names) < 2:
        return "".join(f"stage {name}" for name in names)
    *first, last = names
    if len(names) > 2 and int(last[3:]) - int(names[0][3:]) == len(names) - 1:
        return f"stages {names[0]} to {last}"
    return f"stages {', '.join(first)} and {last}"


def _without_replaced(text):
    """A program without the functions that a later one of the same name replaces."""
    lines, last = text.splitlines(), {}
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        last[node.name] = node
    for node in reversed(functions):
        if last[node.name] is not node:
            del lines[node.lineno - 1 : node.end_lineno]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


stage = Stage  # as the lessons call it
