"""A third kind of exercise: `mend`, a broken program. And what it shares with a fourth, `stage`."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

import minigrad
from minigrad.autograd import watch

from ..compare import engines
from ..compare.cells import Cell, OfAnotherCell, expressions
from ..compare.comparison import compare
from ..compare.heard import caught_printing, caught_warnings
from .by_hand import calls_grad, is_written_by_hand
from .exercises import Exercise, Heard, Program, Step, changed, pairs
from .intact import put_back
from .verdict import Verdict, Words


@dataclass(frozen=True, kw_only=True)
class InCell(Exercise):
    """A program that the learner edits in a cell of its own. program: as it is handed out."""

    program: str
    what, magic = "", ""  # what it is, and how its cell begins

    def verdict(self, answer: Any) -> Verdict:
        sentence = f"{self.name} is {self.what}: begin a cell with {self.magic} {self.name}."
        return super().verdict(answer) if isinstance(answer, str) else Verdict(False, [sentence])

    def is_as_handed_out(self, source: str) -> bool:
        """Whether nothing was changed yet, white space at the ends of lines apart."""
        given, now = (
            [line.rstrip() for line in text.strip().splitlines()] for text in (self.program, source)
        )
        return given == now

    def run(self, source: str) -> tuple[Verdict, dict[str, Any]]:
        """(verdict, variables) of a program: what is wrong, if anything, and what the notebook is
        given."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Mend(InCell):
    """A broken program, which the learner edits in a cell that begins with %%mend.

    repair: the change that mends it; compares: the expressions that must come out as after the
    repair. others: {sentence: change}, further inputs to try: a change of lines that the learner is
    to leave alone. forbids: {word of the program, or ".attribute": sentence}; of "retain_graph" and
    "create_graph" it is heard whether a pass kept its graph. keeps: the one of the compared names
    that has to stay the leaf that a pass gave its gradient. A compared .grad has to come from a
    backward pass, and so have the names in gradients. A mistake is a change of the broken program;
    () is the program as it was.
    """

    what, magic = "a program to mend", "%%mend"
    repair: tuple
    compares: str
    others: dict = field(default_factory=dict)
    forbids: dict = field(default_factory=dict)
    keeps: str = ""
    gradients: str = ""

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "solution", changed(self.program, self.repair))

    def made(self, program: Program, torch: ModuleType = minigrad) -> str:
        return program if program == self.solution else changed(self.program, program)

    def objections(self, answer: Any) -> list[str]:
        for change in self.others.values():
            if not _spaced(change[0]).search(answer):
                line = next(line for line in self.program.splitlines() if change[0] in line)
                return [f"Leave this as it was: {line.strip()}"]
        try:
            lines = super().objections(answer)
        except OfAnotherCell as refusal:
            return [str(refusal)]
        words = _words(answer) - {*_KEEP_GRAPH}
        unwanted = [sentence for word, sentence in self.forbids.items() if word in words]
        return lines or unwanted[:1] or self._kept_graph(answer) or self._by_formula(answer)

    def _kept_graph(self, answer):
        """A sentence if a pass kept its graph, however it was asked to, where that is forbidden."""
        options = [option for option in _KEEP_GRAPH if option in self.forbids]
        if not options or not _run_heard(answer)[0].keeps:
            return []
        option = next((option for option in options if option in answer), options[-1])
        return [self.forbids[option]]

    def _by_formula(self, answer):
        """A sentence if a compared gradient was written by hand, and not by a pass."""
        compared = expressions(self.compares)
        leaves = [name.partition(".")[0] for name in compared if re.match(r"\w+\.grad\b", name)]
        if not leaves and not self.gradients:
            return []
        heard, cell = _run_heard(answer)
        for name in leaves:
            tensor = cell.variables.get(name)
            began_here = any(output is tensor for output in heard.outputs)
            is_given = any(leaf is tensor for leaf in heard.leaves) or not tensor.is_leaf
            if is_written_by_hand(answer, f"{name}.grad") or (
                not calls_grad(answer) and (began_here or not is_given)
            ):
                return [f"{name}.grad is right, but a formula wrote it. Let backward find it."]
        for name in expressions(self.gradients) if self.gradients else ():
            if not heard.passes or is_written_by_hand(answer, name):
                return [f"{name} is right, but a formula wrote it. Let a pass find it."]
        return []

    def cases(self) -> Iterable[str]:
        return ["", *self.others]

    def trial(self, answer: Any, case: str, torch: ModuleType = minigrad) -> list[Step]:
        """A step for each expression; an error stands for them all."""
        for old, new in pairs(self.others.get(case, ())):  # wherever the learner has it
            answer = _spaced(old).sub(lambda _, new=new: new, answer)
        heard, cell = Heard(), Cell(answer, expressions(self.compares), first_line=2)
        with watch(heard), caught_printing(), caught_warnings():
            results = cell(torch)
        if cell.stopped:
            line, error = cell.stopped
            return [Step(case, f"Your program stops in line {line}:", error)]
        steps = [Step(case, name.removesuffix(".__name__"), results[name]) for name in cell.names]
        if self.keeps:
            last = results[self.keeps]  # PyTorch cannot be heard
            is_kept = torch is not minigrad or any(leaf is last for leaf in heard.leaves)
            which = "the tensor of the beginning" if is_kept else "another tensor"
            steps.append(Step(case, f"At the end {self.keeps}", Words(which)))
        return steps

    def run(self, source: str) -> tuple[Verdict, dict[str, Any]]:
        """As `InCell.run`; beside the verdict are both engines' results."""
        verdict = self.verdict(source)
        try:
            names = expressions(self.compares)
            compared = [name for name in names if not name.startswith("type(")]
            cell = Cell(source, compared, first_line=2)
        except OfAnotherCell:
            return verdict, {}
        engines.torch_now()
        put_back()  # PyTorch as it is before a program may change it
        comparison = compare(cell)
        beside = None if comparison.problem else comparison
        return Verdict(verdict.passed, verdict.lines, beside), cell.variables


def _run_heard(program):
    """What the engine did in a program, and the cell that was run."""
    heard, cell = Heard(), Cell(program, (), first_line=2)
    with watch(heard), caught_printing(), caught_warnings():
        cell(minigrad)
    return heard, cell


_KEEP_GRAPH = ("create_graph", "retain_graph")


def _words(source):
    """Every name, attribute, argument name, import and text of a program; none if it is not Python.
    An attribute is there with its point, too: `.data` is not a variable called data."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    kinds = ("id", "attr", "arg")
    words = {getattr(node, kind, None) for node in nodes for kind in kinds} - {None}
    for node in nodes:
        if isinstance(node, ast.alias):
            words |= {*node.name.split(".")}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words |= {node.value, f".{node.value}"}
        elif isinstance(node, ast.Attribute):
            words.add(f".{node.attr}")
    return words


@cache
def _spaced(fragment):
    """A pattern of a piece of a program, however it is spaced, and with 1. or 1.0 for numbers."""
    parts = re.findall(r"\d+\.\d*|\w+|\S", fragment)
    patterns = []
    for part in parts:
        whole = re.fullmatch(r"(\d+)\.0*", part)
        patterns.append(rf"{whole[1]}\.0*" if whole else re.escape(part))
    joined = patterns[0]
    for before, part, pattern in zip(parts, parts[1:], patterns[1:]):
        are_words = before[-1].isalnum() and part[0].isalnum()
        joined += (r"\s+" if are_words else r"\s*") + pattern
    return re.compile(joined)


mend = Mend  # as the lessons call it
