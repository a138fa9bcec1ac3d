"""Three kinds of exercises, each as data and small programs: `numbers`, `function`, `mend`.

    numbers(
        "03-1",
        answer="v",
        given="a = torch.tensor([1., 2.], requires_grad=True)\\nout = a * a",
        then="out.backward(v)",
        shows="a.grad",
        solution="v = torch.tensor([6., 3.])",
        also_right=["6 / a"],
        mistakes={"torch.ones(2)": "You used ones: that gives 2a."},
        ...
    )

A program is source text in which `torch` is the engine, as a learner would write it. The solution
is the reference; a mistake is a wrong program with the sentence that names it. A check runs the
reference and the answer on the same inputs and tells the first difference; then it runs the
mistakes, and tells the sentence of the one that gives just what the learner's gives. Nothing is
run that is not asked for, and nothing twice: what follows from the solution and from the mistakes
is kept for the next check. Tests hand each mistake in as an answer. So an exercise is tested by
being there.

Instead of a whole program one may write what to change, ("old", "new", ...): in the solution of a
function, in the broken program of `mend`.
"""

import ast
import math
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from types import ModuleType
from typing import Any, NamedTuple

import minigrad
from minigrad.autograd import watch

from ..cells import Cell, OfAnotherCell, expressions
from ..compare import compare
from ..formatting import kind_of, nested
from ..heard import caught_printing, caught_warnings
from .verdict import Verdict, as_minigrad, difference, form_difference, is_tensor, read, said, same

Program = str | tuple[str, ...]  # a whole program, or what to change in one


class Step(NamedTuple):
    """A result to be compared. where: with which input; name: what it is called; value: it, or an
    error. heard: what the engine did meanwhile, where that is asked."""

    where: str
    name: str
    value: Any
    heard: "Heard | None" = None


@dataclass(frozen=True, kw_only=True)
class _Exercise:
    """What all exercises have. A kind of them says what is made of a program, with which inputs it
    is tried, and what follows."""

    name: str = field(kw_only=False)
    praise: str  # one sentence shown with "Right."
    hints: tuple
    mistakes: dict  # {program or change: sentence}, at least three
    also_right: tuple  # programs or changes that are odd but right, at least one
    answer: str = ""  # the name of what the learner makes
    solution: str = ""
    _known: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self):
        for text in ("solution", "given", "program"):
            if hasattr(self, text):
                object.__setattr__(self, text, textwrap.dedent(getattr(self, text)).strip("\n"))

    def made(self, program: Program, torch: ModuleType = minigrad) -> Any:
        """The answer that a program or a change makes."""
        raise NotImplementedError

    def cases(self) -> Iterable[str]:
        """The names of the inputs with which an answer is tried."""
        raise NotImplementedError

    def trial(self, answer: Any, case: str, torch: ModuleType = minigrad) -> list[Step]:
        """What follows from an answer with one of these inputs."""
        raise NotImplementedError

    def verdict(self, answer: Any) -> Verdict:
        """Check an answer: a `Verdict`. Whatever is given, it does not raise."""
        if answer is None or answer is Ellipsis:
            found = "None." if answer is None else "still ..."  # the dots of the cell
            return Verdict(False, [f"There is no answer yet: {self.answer} is {found}"])
        lines = self.objections(answer)
        return Verdict(False, lines) if lines else Verdict(True, [self.praise])

    def objections(self, answer: Any) -> list[str]:
        """Sentences on the first thing that is wrong with an answer; empty if nothing is."""
        return self._first_wrong(self._tried(answer))

    def _first_wrong(self, yours):
        true = self._outcome(self.solution)
        for case in self.cases():
            for k, (mine, right) in enumerate(zip(yours(case), true(case))):
                if found := difference(mine.value, right.value):
                    lines = mine.where, found.told(mine.name), self._mistake(yours, case, k)
                    return [line for line in lines if line]
        return []

    def _mistake(self, yours, case, k):
        """The sentence of the mistake that gives what the learner's gives: everywhere, or there."""
        there = None
        for program, sentence in self.mistakes.items():
            theirs = self._outcome(program)
            if not _same_steps(yours(case)[k : k + 1], theirs(case)[k : k + 1]):
                continue
            if all(_same_steps(yours(one), theirs(one)) for one in self.cases()):
                return sentence
            there = there or sentence
        return there

    def _tried(self, answer):
        """What follows from an answer: a function of the case, which runs each once."""
        return cache(partial(self.trial, answer))

    def _outcome(self, program):
        """As `_tried`, for the solution or a mistake: always the same, and kept."""
        if program not in self._known:
            made = self.solved() if program == self.solution else self.made(program)
            self._known[program] = self._tried(made)
        return self._known[program]

    def steps(self, answer: Any, *engine: ModuleType) -> list[Step]:
        """What follows from an answer, in all cases."""
        return [step for case in self.cases() for step in self.trial(answer, case, *engine)]

    def solved(self, torch: ModuleType = minigrad) -> Any:
        """The reference, as an answer."""
        return self.made(self.solution, torch)


def _same_steps(first, second):
    return len(first) == len(second) and all(same(a.value, b.value) for a, b in zip(first, second))


# --- an answer made of numbers -------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Numbers(_Exercise):
    """A tensor or numbers to find. Where the solution is a tensor, so must the answer be.

    given: a program that runs before; others: {sentence: change of it}, further inputs to try.
    then: what is done with the answer; shows: expressions that are compared, else the answer.
    A mistake is an expression.
    """

    given: str = ""
    others: dict = field(default_factory=dict)
    then: str = ""
    shows: str = ""

    def made(self, program: Program, torch: ModuleType = minigrad) -> Any:
        """An answer that a program makes, anew for each input; a mistake is an expression."""
        text = program if program == self.solution else f"{self.answer} = {program}"
        space = {"torch": torch}
        exec(self.given, space)
        exec(text, space)
        return _Made(text, space[self.answer])

    def cases(self) -> Iterable[str]:
        return ["", *self.others]

    def objections(self, answer: Any) -> list[str]:
        answer = as_minigrad(answer)
        value, true = answer.value if isinstance(answer, _Made) else answer, self.solved().value
        yours, other = self._tried(answer), form_difference(value, true)
        if other is None:
            return self._first_wrong(yours)
        outcome = yours("")[0].value
        says = f"PyTorch says: {said(outcome)}" if isinstance(outcome, Exception) else None
        likely = self._mistake(yours, "", 0)
        if self.then and is_tensor(true) and not is_tensor(value):
            likely = f"An upstream gradient is a tensor: {self.answer} = torch.tensor(...)."
        return [line for line in (other.told(self.answer), says, likely) if line]

    def trial(self, answer: Any, case: str, torch: ModuleType = minigrad) -> list[Step]:
        space, found = {"torch": torch}, []
        try:
            with torch.enable_grad(), caught_warnings(), caught_printing():
                exec(changed(self.given, self.others.get(case, ())), space)
                if isinstance(answer, _Made):
                    exec(answer.text, space)
                else:
                    space[self.answer] = answer
                exec(self.then, space)
                for name in expressions(self.shows or self.answer):
                    found.append(Step(case, name, eval(name, space)))
        except Exception as error:
            found.append(Step(case, f"With this {self.answer} PyTorch says:", error))
        return found


@dataclass(frozen=True)
class _Made:
    """An answer with the program that makes it."""

    text: str
    value: object


# --- a function to write -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Function(_Exercise):
    """A function to write. It is called fresh, again, and with an old .grad on its inputs.

    inputs: `inputs(torch)` gives {what it is: arguments}, of different shapes.
    forbids: {sentence: predicate of what was `Heard` in a call}.
    """

    inputs: Callable
    forbids: dict = field(default_factory=dict)

    def made(self, program: Program, torch: ModuleType = minigrad) -> Any:
        space = {"torch": torch}
        exec(changed(self.solution, program), space)
        return space[self.answer]

    def verdict(self, answer: Any) -> Verdict:
        if answer is not None and answer is not Ellipsis and not callable(answer):
            return Verdict(False, [f"{self.answer} is {kind_of(answer)}; it should be a function."])
        return super().verdict(answer)

    def cases(self) -> Iterable[str]:
        return self.inputs(minigrad).keys()

    def _first_wrong(self, yours):
        return super()._first_wrong(yours) or self._forbidden(yours)

    def _forbidden(self, yours):
        heard = [step.heard for case in self.cases() for step in yours(case) if step.heard]
        found = [why for why, unwanted in self.forbids.items() if any(map(unwanted, heard))]
        return found[:1]

    def trial(self, answer: Any, case: str, torch: ModuleType | None = None) -> list[Step]:
        """The results of three calls with the same input, and its arguments after each."""
        torch = torch or _engine_of(answer)
        found, names = [], _parameters(self.solution, self.answer)
        arguments = self.inputs(torch)[case]
        tensors = {n: value for n, value in zip(names, arguments) if is_tensor(value)}
        told = [f"{name} = {nested(read(value).tolist())}" for name, value in tensors.items()]
        where = f"For {', '.join([case, *told])}:"
        for when in ("", "Called a second time: ", "With an old .grad: "):
            if when.startswith("With"):
                for leaf in (value for value in tensors.values() if value.requires_grad):
                    leaf.grad = torch.full(tuple(leaf.shape), 100.0, dtype=leaf.dtype)
            result, error, heard = _call(answer, arguments)
            name = f"{when or 'Then '}your function raised" if error else f"{when}result"
            found.append(Step(where, name, error or _kept(result), heard))
            for name, value in tensors.items():
                asks = value.requires_grad
                found.append(Step(where, f"After the call {name}", value.detach().clone()))
                found.append(Step(where, f"After the call {name}.requires_grad", asks))
        return found


class Heard:
    """What the engine did in a call. began: how many numbers the first backward pass was given,
    None without one; operations: the names of all nodes that were recorded."""

    def __init__(self) -> None:
        self.began: int | None = None
        self.operations: list[str] = []

    def recorded(self, node: Any, operands: Any, result: Any) -> None:
        self.operations.append(node.name())

    def ran(self, node: Any, g: Any, grads: Any) -> None:
        self.began = self.began or math.prod(g.shape)  # an array, or a tensor that is recorded

    def accumulated(self, leaf: Any, g: Any) -> None:
        pass


def _call(function, arguments):
    """(result, error, what was heard) of a call; what it prints or turns off does not stay."""
    heard = Heard()
    try:
        with watch(heard), minigrad.enable_grad(), caught_printing(), caught_warnings():
            return function(*arguments), None, heard
    except (Exception, SystemExit) as error:
        return None, error, heard


def _engine_of(function):
    """The engine that a function was written with: PyTorch, where its `torch` is."""
    torch = getattr(function, "__globals__", {}).get("torch")
    return torch if getattr(torch, "__name__", "") == "torch" else minigrad


def _kept(result):
    """A result as it is now: the next call may change it in place."""
    if isinstance(result, (tuple, list)):
        return type(result)(map(_kept, result)) if type(result) in (tuple, list) else result
    return result.detach().clone() if is_tensor(result) else result


def _parameters(source, name):
    """The names of a function's parameters, read off its source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return [argument.arg for argument in node.args.args]
    raise ValueError(f"the solution defines no function {name}")


# --- a program to mend ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Mend(_Exercise):
    """A broken program, which the learner edits in a cell that begins with %%mend.

    program: as it is handed out; repair: the change that mends it; compares: the expressions that
    must come out as after the repair. others: {sentence: change}, further inputs to try: a change
    of lines that the learner is to leave alone. forbids: {word of the program: sentence}.
    A mistake is a change of the broken program; () is the program as it was.
    """

    program: str
    repair: tuple
    compares: str
    others: dict = field(default_factory=dict)
    forbids: dict = field(default_factory=dict)

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "solution", changed(self.program, self.repair))

    def made(self, program: Program, torch: ModuleType = minigrad) -> str:
        return program if program == self.solution else changed(self.program, program)

    def verdict(self, answer: Any) -> Verdict:
        sentence = f"{self.name} is a program to mend: begin a cell with %%mend {self.name}."
        return super().verdict(answer) if isinstance(answer, str) else Verdict(False, [sentence])

    def objections(self, answer: Any) -> list[str]:
        for change in self.others.values():
            if change[0] not in answer:
                line = next(line for line in self.program.splitlines() if change[0] in line)
                return [f"Leave this as it was: {line.strip()}"]
        try:
            lines = super().objections(answer)
        except OfAnotherCell as refusal:
            return [str(refusal)]
        words = _words(answer)
        return lines or [sentence for word, sentence in self.forbids.items() if word in words][:1]

    def is_as_handed_out(self, source: str) -> bool:
        """Whether nothing was changed yet."""
        return is_unchanged(self.program, source)

    def cases(self) -> Iterable[str]:
        return ["", *self.others]

    def trial(self, answer: Any, case: str, torch: ModuleType = minigrad) -> list[Step]:
        """A step for each expression; an error stands for them all."""
        for old, new in _pairs(self.others.get(case, ())):
            answer = answer.replace(old, new)  # wherever the learner has it
        cell = Cell(answer, expressions(self.compares), first_line=2)
        with caught_printing(), caught_warnings():
            results = cell(torch)
        if cell.stopped:
            line, error = cell.stopped
            return [Step(case, f"Your program stops in line {line}:", error)]
        return [Step(case, name, results[name]) for name in cell.names]

    def run(self, source: str) -> tuple[Verdict, dict[str, Any]]:
        """(verdict, variables) of a program; beside the verdict both engines' results."""
        verdict = self.verdict(source)
        try:
            cell = Cell(source, expressions(self.compares), first_line=2)
        except OfAnotherCell:
            return verdict, {}
        comparison = compare(cell)
        beside = None if comparison.problem else comparison
        return Verdict(verdict.passed, verdict.lines, beside), cell.variables


def _words(source):
    """Every name, attribute and argument name of a program; none if it is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    names = {getattr(node, kind, None) for node in nodes for kind in ("id", "attr", "arg")}
    return names - {None}


def is_unchanged(program: str, source: str) -> bool:
    """Whether a source is this program still, white space at the ends of lines apart."""
    given, found = (
        [line.rstrip() for line in text.strip().splitlines()] for text in (program, source)
    )
    return given == found


def changed(program: str, change: Program) -> str:
    """A program after a change: ("old", "new", "old", "new", ...), or another whole program.

    ValueError unless what is to be changed stands there once.
    """
    if isinstance(change, str):
        return textwrap.dedent(change).strip("\n")
    for old, new in _pairs(change):
        if (count := program.count(old)) != 1:
            raise ValueError(f"{old!r} stands {count} times, not once, in\n{program}")
        program = program.replace(old, new)
    return program


def _pairs(change):
    return zip(change[::2], change[1::2], strict=True)


numbers, function, mend = Numbers, Function, Mend  # as the lessons call them
