"""Two kinds of exercises, each as data and small programs: `numbers` and `function`.

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
is kept for the next check. A mistake's sentence is told where all results are the mistake's; where
only those of one input are, "Perhaps" stands before it. Else an error may have a clue (clues.py).
Tests hand each mistake in as an answer. So an exercise is tested by being there.

Instead of a whole program one may write what to change, ("old", "new", ...): in the solution of a
function, in the broken program of `mend`. That is a third kind (mend.py), and a part of an engine
a fourth (stages.py).
"""

import ast
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import minigrad
from minigrad.autograd import watch

from ..compare.cells import expressions
from ..compare.heard import caught_printing, caught_warnings
from ..show.formatting import WIDTH, kind_of, nested, number
from .clues import clue, clue_of_kind
from .intact import put_back
from .verdict import (
    Verdict,
    Words,
    as_minigrad,
    difference,
    form_difference,
    is_tensor,
    read,
    said,
    same,
    unfit,
)

Program = str | tuple[str, ...]  # a whole program, or what to change in one


class Step(NamedTuple):
    """A result to be compared. where: with which input; name: what it is called; value: it, or an
    error. heard: what the engine did meanwhile, where that is asked."""

    where: str
    name: str
    value: Any
    heard: "Heard | None" = None


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What all exercises have. A kind of them says what is made of a program, with which inputs it
    is tried, and what follows."""

    name: str = field(kw_only=False)
    praise: str  # one sentence shown with "Right."
    hints: tuple
    mistakes: dict  # {program or change: sentence}, at least three
    also_right: tuple  # programs or changes that are odd but right, at least one
    answer: str = ""  # the name of what the learner makes
    solution: str = ""
    tolerance: tuple | None = None  # how near a result has to be, where not as near as elsewhere
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
            kind = "None." if answer is None else "still ..."  # the dots of the cell
            return Verdict(False, [f"There is no answer yet: {self.answer} is {kind}"])
        lines = self.objections(answer)
        return Verdict(False, lines) if lines else Verdict(True, [self.praise])

    def objections(self, answer: Any) -> list[str]:
        """Sentences on the first thing that is wrong with an answer; empty if nothing is."""
        return self._first_wrong(self._tried(answer))

    def _first_wrong(self, yours):
        true = self._outcome(self.solution)
        for case in self.cases():
            for mine, right in zip(yours(case), true(case)):
                if apart := difference(mine.value, right.value, self.tolerance):
                    likely = self._mistake(yours, case) or self._clue(mine, right)
                    lines = mine.where, self._sentence(apart, mine, right), likely
                    return [line for line in lines if line]
        return []

    def _sentence(self, apart, mine, right):
        """The sentence on the first difference of two steps."""
        return apart.sentence(mine.name)

    def _clue(self, mine, right):
        """What a wrong step most likely comes from, where no mistake tells it."""
        return clue(mine.value) if isinstance(mine.value, BaseException) else None

    def _mistake(self, yours, case):
        """The sentence of the mistake that does what the learner's does. Of one that does so with
        this input alone it begins with "Perhaps"."""
        nearly = perhaps = None
        for program, sentence in self.mistakes.items():
            theirs = self._outcome(program)
            if _same_steps(yours(case), theirs(case)):
                if all(_same_steps(yours(one), theirs(one)) for one in self.cases()):
                    return sentence
                perhaps = perhaps or f"Perhaps: {sentence}"
            if nearly is None and self._is_nearly(yours, theirs, case):
                nearly = sentence
        return nearly or perhaps

    def _is_nearly(self, yours, theirs, case):
        """Whether an answer does what a mistake does, but for what another mistake may explain."""
        return False

    def _tried(self, answer):
        """What follows from an answer: a function of the case, which runs each once, and leaves
        the engine as it was."""

        def tried(case):
            try:
                return self.trial(answer, case)
            finally:
                put_back()

        return cache(tried)

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
class Numbers(Exercise):
    """A tensor or numbers to find. Where the solution is a tensor, so must the answer be, unless
    plain numbers will do.

    given: a program that runs before; others: {sentence: change of it}, further inputs to try.
    then: what is done with the answer; shows: expressions that are compared, else the answer.
    by_hand: a wrong number is told without the right one, as too small or too large; in a table of
    flags only its row is told, by the names of the rows, if there are any. A mistake is an
    expression.
    """

    given: str = ""
    others: dict = field(default_factory=dict)
    then: str = ""
    shows: str = ""
    plain: bool = False
    by_hand: bool = False
    rows: tuple = ()

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
        value = _as_tensor(value) if self.plain else value
        yours, other = self._tried(answer), form_difference(value, true)
        if other is None:
            return self._first_wrong(yours)
        outcome = yours("")[0].value
        says = f"PyTorch says: {said(outcome)}" if isinstance(outcome, Exception) else None
        likely = self._mistake(yours, "")
        if self.then and is_tensor(true) and not is_tensor(value) and not self.plain:
            likely = f"An upstream gradient is a tensor: {self.answer} = torch.tensor(...)."
        return [line for line in (other.sentence(self.answer), says, likely) if line]

    def _sentence(self, apart, mine, right):
        if not self.by_hand:
            return super()._sentence(apart, mine, right)
        yours, true = np.asarray(read(mine.value)), np.asarray(read(right.value))
        if self.rows:
            wrong = (yours != true).sum(axis=1)
            row = next(k for k, count in enumerate(wrong) if count)
            count = "one entry is" if wrong[row] == 1 else f"{wrong[row]} entries are"
            return f"In the row of {self.rows[row]} {count} wrong."
        size = "small" if yours < true else "large" if yours > true else "odd"
        return f"{mine.name} is {number(yours)}; that is too {size}."

    def trial(self, answer: Any, case: str, torch: ModuleType = minigrad) -> list[Step]:
        space, steps = {"torch": torch}, []
        try:
            with torch.enable_grad(), caught_warnings(), caught_printing():
                exec(changed(self.given, self.others.get(case, ())), space)
                if isinstance(answer, _Made):
                    exec(answer.text, space)
                else:
                    space[self.answer] = answer
                if self.plain:
                    space[self.answer] = _as_tensor(space[self.answer])
                exec(self.then, space)
                for name in expressions(self.shows or self.answer):
                    steps.append(Step(case, name, eval(name, space)))
        except Exception as error:
            steps.append(Step(case, f"With this {self.answer} PyTorch says:", error))
        return steps


def _as_tensor(value):
    """Plain numbers, lists of them and arrays as a tensor; all else as it is."""
    if not isinstance(value, (int, float, list, tuple, np.ndarray, np.generic)) or unfit(value):
        return value
    try:
        array = read(value)
    except ValueError:
        return value
    return minigrad.tensor(array.tolist(), dtype=minigrad.float64)


@dataclass(frozen=True)
class _Made:
    """An answer with the program that makes it."""

    text: str
    value: object


# --- a function to write -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Function(Exercise):
    """A function to write. It is called fresh, again, and with an old .grad on its inputs.

    inputs: `inputs(torch)` gives {what it is: arguments}, of different shapes.
    forbids: {sentence: predicate of what was `Heard` in a call}.
    plain: numbers, lists of them and arrays will do where the solution gives a tensor.
    """

    inputs: Callable
    forbids: dict = field(default_factory=dict)
    plain: bool = False

    def made(self, program: Program, torch: ModuleType = minigrad) -> Any:
        space = {"torch": torch}
        exec(changed(self.solution, program), space)
        return space[self.answer]

    def verdict(self, answer: Any) -> Verdict:
        if answer is not None and answer is not Ellipsis and not callable(answer):
            return Verdict(False, [f"{self.answer} is {kind_of(answer)}; it should be a function."])
        if answer is None or answer is Ellipsis:
            return super().verdict(answer)
        tried = self._tried(answer)
        lines = self._first_wrong(tried)
        return Verdict(not lines, lines or [self.praise], printed=self._printed(tried, lines))

    def _printed(self, tried, lines):
        """What the function printed in its first call with the input that the lines name, or with
        the first input."""
        first, *_ = self.cases()
        calls = (tried(case)[0] for case in self.cases())
        named = next((call for call in calls if call.where == lines[0]), None) if lines else None
        return shortened((named or tried(first)[0]).heard.printed)

    def cases(self) -> Iterable[str]:
        return self.inputs(minigrad).keys()

    def _first_wrong(self, yours):
        return super()._first_wrong(yours) or self._forbidden(yours)

    def _is_nearly(self, yours, theirs, case):
        """That is told by the first calls, if they are wrong: later ones meet an old .grad."""
        right = self._outcome(self.solution)
        if _same_steps(_first_call(yours(case)), _first_call(right(case))):
            return False
        cases = [case, *self.cases()]  # that one first: mostly it is enough
        return all(_same_steps(_first_call(yours(one)), _first_call(theirs(one))) for one in cases)

    def _clue(self, mine, right):
        likely = super()._clue(mine, right) or clue_of_kind(mine.value, right.value)
        return likely or (_LEFT_OVER if mine.name.startswith(_LATER_CALLS) else None)

    def _forbidden(self, yours):
        heard = [step.heard for case in self.cases() for step in yours(case) if step.heard]
        return [why for why, unwanted in self.forbids.items() if any(map(unwanted, heard))][:1]

    def trial(self, answer: Any, case: str, torch: ModuleType | None = None) -> list[Step]:
        """The results of three calls with the same input, and its arguments after each."""
        torch = torch or _engine_of(answer)
        steps, names = [], _parameters(self.solution, self.answer)
        arguments = self.inputs(torch)[case]
        tensors = {n: value for n, value in zip(names, arguments) if is_tensor(value)}
        kept = {n: value for n, value in zip(names, arguments) if isinstance(value, (dict, list))}
        before = {name: repr(value) for name, value in kept.items()}
        given = [f"{name} = {nested(read(value).tolist())}" for name, value in tensors.items()]
        where = f"For {', '.join([case, *given])}:"
        for when in ("", *_LATER_CALLS):
            if when.startswith("With"):
                for leaf in (value for value in tensors.values() if value.requires_grad):
                    leaf.grad = torch.full(tuple(leaf.shape), 100.0, dtype=leaf.dtype)
            result, error, heard = _call(answer, arguments)
            result = _as_tensor(result) if self.plain else result
            name = f"{when or 'Then '}your function raised" if error else f"{when}result"
            steps.append(Step(where, name, error or _kept(result), heard))
            for name, value in tensors.items():
                asks = value.requires_grad
                steps.append(Step(where, f"After the call {name}", value.detach().clone()))
                steps.append(Step(where, f"After the call {name}.requires_grad", asks))
            for name, value in kept.items():
                now = "as it was" if repr(value) == before[name] else "changed"
                steps.append(Step(where, f"After the call {name}", Words(now)))
        return steps


_LATER_CALLS = ("Called a second time: ", "With an old .grad: ")
_LEFT_OVER = (
    "The first call is right. This one finds something that was there before, such as an old .grad "
    "or a list outside of the function: begin anew in each call."
)


def _first_call(steps):
    """The steps of the first call, of three."""
    return steps[: len(steps) // 3]


class Heard:
    """What the engine did in a call. operations: the names of all nodes that were recorded;
    results: what these computed; starts: the gradients that the first nodes of backward passes got;
    outputs: what these began with; leaves: those that they gave a gradient; keeps: whether one kept
    its graph; given: the arguments of the call; printed: what it printed."""

    def __init__(self, given: Sequence = ()) -> None:
        self.given, self.printed, self.keeps = given, "", False
        self.operations: list[str] = []
        self.results: list[Any] = []
        self.starts: list[Any] = []
        self.outputs: list[Any] = []
        self.leaves: list[Any] = []
        self._has_just_begun = False

    @property
    def passes(self) -> int:
        """How many backward passes ran through a node."""
        return len(self.starts)

    def recorded(self, node: Any, operands: Any, result: Any) -> None:
        self.operations.append(node.name())
        self.results.append(result)

    def begins(self, outputs: Any, keeps: Any) -> None:
        self.keeps = self.keeps or bool(keeps)
        self.outputs += outputs
        self._has_just_begun = True

    def ran(self, node: Any, g: Any, grads: Any) -> None:
        if self._has_just_begun:
            self.starts.append(g)
        self._has_just_begun = False

    def accumulated(self, leaf: Any, g: Any) -> None:
        self.leaves.append(leaf)


def _call(function, arguments):
    """(result, error, what was heard) of a call; what it prints or turns off does not stay."""
    heard, result, stopped = Heard(arguments), None, None
    with watch(heard), minigrad.enable_grad(), caught_printing() as printed, caught_warnings():
        try:
            result = function(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a learner's program raises is a result
            stopped = error
    heard.printed = printed.getvalue()
    return result, stopped, heard


def shortened(text: str) -> str:
    """What was printed, or its first twenty lines."""
    lines = text.rstrip().splitlines()
    return "\n".join([line[:WIDTH] for line in lines[:20]] + ["..."] * (len(lines) > 20))


def _engine_of(function):
    """The engine that a function was written with: PyTorch, where its `torch` is."""
    torch = getattr(function, "__globals__", {}).get("torch")
    return torch if getattr(torch, "__name__", "") == "torch" else minigrad


def _kept(result):
    """A result as it is now: the next call may change it in place."""
    if unfit(result):
        return result
    if isinstance(result, (tuple, list)):
        return type(result)(map(_kept, result)) if type(result) in (tuple, list) else result
    return result.detach().clone() if is_tensor(result) else result


def _parameters(source, name):
    """The names of a function's parameters, read off its source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return [argument.arg for argument in node.args.args]
    raise ValueError(f"the solution defines no function {name}")


# --- programs -------------------------------------------------------------------------------------


def changed(program: str, change: Program) -> str:
    """A program after a change: ("old", "new", "old", "new", ...), or another whole program.

    ValueError unless what is to be changed stands there once.
    """
    if isinstance(change, str):
        return textwrap.dedent(change).strip("\n")
    for old, new in pairs(change):
        if (count := program.count(old)) != 1:
            raise ValueError(f"{old!r} stands {count} times, not once, in\n{program}")
        program = program.replace(old, new)
    return program


def pairs(change):
    return zip(change[::2], change[1::2], strict=True)


numbers, function = Numbers, Function  # as the lessons call them
