"""A fourth kind of exercise: `stage`, a part of an engine that the learner writes.

An engine is a program, and each stage a piece of its text. A cell that begins with %%stage 13-2 is
such a piece. Its check runs it after the solutions of the stages before it, on examples, and tells
the first difference from the stage's own solution. So one stage's verdict never hangs on another.

What passes is kept, on disk where it may be (progress.py), and found another day. A cell that is
run as it was handed out, or with a mistake, takes nothing away. Afterwards the notebook has the
engine so far: of the learner's own pieces, where they pass, else of the solutions. One sentence
says which.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

import minigrad

from ..compare.cells import expressions, line_of
from ..compare.heard import caught_printing, caught_warnings
from ..show.formatting import kind_of
from .clues import clue_of_kind
from .exercises import Program, Step, changed
from .mend import InCell
from .progress import keep_part, kept_parts
from .verdict import Verdict, Words, article, code, same

FILE = "<stage>"  # what tracebacks call the learner's piece
OWN: dict[str, str] = {}  # the learner's pieces that pass and could not be kept on disk


@dataclass(frozen=True, kw_only=True)
class Stage(InCell):
    """A part of an engine. A mistake is a change of the solution.

    after: the stage before this one; examples: {sentence: (program, expressions)}. In an expression
    `named(values)` is the program's names of them, or of a function, and `kind(value)` what it is.
    """

    what, magic = "a part to write", "%%stage"
    examples: dict = field(default_factory=dict)
    after: "Stage | None" = None
    _judged: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    def made(self, program: Program, torch: ModuleType = minigrad) -> str:
        return changed(self.solution, program)

    def solved(self, torch: ModuleType = minigrad) -> str:
        return self.solution

    @property
    def stages(self) -> "list[Stage]":
        """This stage and those before it, in their order."""
        return [*(self.after.stages if self.after else ()), self]

    def cases(self) -> Iterable[str]:
        return self.examples.keys()

    def trial(
        self, answer: str, case: str, torch: ModuleType = minigrad, before: str | None = None
    ) -> list[Step]:
        """A step for each expression of an example. before: the stages before this one, if not
        their solutions."""
        program, names = self.examples[case]
        if before is None:
            before = "\n".join(stage.solution for stage in self.stages[:-1])
        space: dict[str, Any] = {}
        with caught_printing(), caught_warnings(), np.errstate(all="ignore"):
            label = "A part before"
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

    def _clue(self, mine, right):
        is_call = mine.name.endswith(")") and not mine.name.startswith(("kind(", "named("))
        return (
            super()._clue(mine, right)
            or (is_call and clue_of_kind(mine.value, right.value))
            or None
        )

    def own(self) -> str | None:
        """The learner's own piece, if there is one that passes."""
        text = OWN.get(self.name) or kept_parts().get(self.name)
        return text if text and self._passes(text) else None

    def _passes(self, text):
        """Whether a piece passes; asked once, for it is asked before each cell."""
        if text not in self._judged:
            self._judged[text] = self.verdict(text).passed
        return self._judged[text]

    def run(self, source: str) -> tuple[Verdict, dict[str, Any]]:
        """As `InCell.run`; the notebook is given the engine so far."""
        own = self.own()
        is_kept_one = own is not None and self.is_as_handed_out(source)
        verdict = Verdict(True, []) if is_kept_one else self._written(source)
        lines = list(verdict.lines)
        if verdict.passed and not is_kept_one:
            _keep(self.name, source)
        elif own and not is_kept_one:
            lines.append("Your part that passed before is still kept.")
        made = engine(self)
        if is_kept_one:
            is_used = " and used" if self.name in made.own else ""
            lines.append(f"Your part {self.name} is kept{is_used}.")
        lines.append(made.whose)
        return Verdict(verdict.passed, lines, code(own) if is_kept_one else None), made.space

    def _written(self, source):
        """The verdict on what the learner wrote; run once openly: what it prints is shown."""
        space: dict[str, Any] = {}
        _ran("\n".join(stage.solution for stage in self.stages[:-1]), "<before>", space)
        _ran(source, FILE, space)
        return self.verdict(source)


def _keep(name, text):
    """Keep a piece for another day, or at least until the kernel stops."""
    OWN.pop(name, None)
    if not keep_part(name, text):
        OWN[name] = text


@dataclass(frozen=True)
class Engine:
    """What the stages make together. own: the learner's, {name: part}, as far as they are used;
    apart: the names of those that pass alone, and not together with the others."""

    stages: list[Stage]
    own: dict[str, str]
    text: str
    space: dict[str, Any]
    apart: list[str] = field(default_factory=list)

    @property
    def lines(self) -> int:
        """How many lines it has, without blank ones and comments."""
        return sum(bool(line.strip()) and line.strip()[0] != "#" for line in self.text.split("\n"))

    @property
    def whose(self) -> str:
        """One sentence that says who wrote the engine, and one on a part that stands apart."""
        numbers: dict[bool, list[str]] = {True: [], False: []}
        for stage in self.stages:
            numbers[stage.name in self.own].append(stage.name)
        own, other = (_listed(numbers[which]) for which in (True, False))
        if not other:
            return f"The cells below use your own {own}."
        passes = "pass" if len(numbers[False]) > 1 else "passes"
        if not own:
            return f"Until yours {passes}, the cells below use the reference {other}."
        uses = f"The cells below use your own {own}, and the reference {other}"
        if not self.apart:
            return f"{uses}."
        return f"{uses}: your {_listed(self.apart)} will not work together with the others."

    def __repr__(self):
        is_whole = len(self.own) == len(self.stages)
        head = f"{self.whose}\nThe engine has {self.lines} lines."
        return f"{head}\n\n{self.text}" if is_whole else head


def engine(last: Stage) -> Engine:
    """The engine up to the stage `last`: the learner's own pieces where they pass together; all,
    or all but one, or none."""
    stages = last.stages
    mine = {stage.name: part for stage in stages if (part := stage.own())}
    all_but_one = [{name: mine[name] for name in mine if name != left} for left in mine]
    for own in (mine, *all_but_one, {}):
        pieces = [own.get(s.name, s.solution) for s in stages]
        before = "\n".join(pieces[:-1])
        if not own or last.agrees(before, pieces[-1]):
            break
    return made_of(stages, own, [name for name in mine if name not in own])


def made_of(
    stages: list[Stage], own: dict[str, str] | None = None, apart: list[str] | None = None
) -> Engine:
    """The engine of these stages: of the learner's `own` pieces, else of the solutions."""
    own = own or {}
    pieces = [own.get(s.name, s.solution) for s in stages]
    text = _without_replaced("\n\n".join(piece.strip("\n") for piece in pieces))
    space: dict[str, Any] = {}
    with caught_printing():
        exec(compile(text, "<engine>", "exec"), space)
    space = {name: value for name, value in space.items() if name != "__builtins__"}
    return Engine(stages, own, text, space, apart or [])


def _result(case, name, space):
    """What an expression gives; an error is a result, too."""
    called = re.sub(r"(?:named|kind)\((.*)\)", r"\1", name)
    try:
        return Step(case, called, _plain(eval(name, space)))
    except (Exception, SystemExit) as raised:
        return Step(case, f"{called} stops{_in_line(raised)}:", _without_address(raised))


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
    always_same = type(error)(re.sub(r" at 0x[0-9a-fA-F]+", "", text).strip("'"))
    return always_same.with_traceback(error.__traceback__)


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
        return Words(article(value))
    kinds = {"f": "floats", "i": "whole numbers", "O": "values, not of numbers"}
    return Words(f"an array of {kinds.get(value.dtype.kind, value.dtype.name)}")


def _named(values, space):
    """What a program calls these values: "a, b"; or a function."""

    def name_of(value):
        names = (name for name, known in space.items() if known is value and name[:2] != "__")
        return next(names, article(value))

    if not isinstance(values, (tuple, list, set, frozenset)):
        return Words(name_of(values))
    return Words(", ".join(map(name_of, values)) or "no values")


def _listed(names):
    """part 13-1; parts 13-1 to 13-3; parts 13-1, 13-2 and 13-4."""
    if len(names) < 2:
        return "".join(f"part {name}" for name in names)
    *first, last = names
    if len(names) > 2 and int(last[3:]) - int(names[0][3:]) == len(names) - 1:
        return f"parts {names[0]} to {last}"
    return f"parts {', '.join(first)} and {last}"


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
