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
is kept for the next check. A mistake's sentence is told where all results are the mistake's; where
only those of one input are, "Perhaps" stands before it. Else an error may have a clue (clues.py).
Tests hand each mistake in as an answer. So an exercise is tested by being there.

Instead of a whole program one may write what to change, ("old", "new", ...): in the solution of a
function, in the broken program of `mend`.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import minigrad
from minigrad.autograd import watch

from ..compare import engines
from ..compare.cells import Cell, OfAnotherCell, expressions
from ..compare.comparison import compare
from ..compare.heard import caught_printing, caught_warnings
from ..show.formatting import WIDTH, kind_of, nested, number
from .by_hand import calls_grad, is_written_by_hand
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
            for mine, right in zip(yours(case), true(case)):
                if found := difference(mine.value, right.value, self.tolerance):
                    likely = self._mistake(yours, case) or self._clue(mine, right)
                    lines = mine.where, self._told(found, mine, right), likely
                    return [line for line in lines if line]
        return []

    def _told(self, found, mine, right):
        """The sentence on the first difference of two steps."""
        return found.told(mine.name)

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
class Numbers(_Exercise):
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
        return [line for line in (other.told(self.answer), says, likely) if line]

    def _told(self, found, mine, right):
        if not self.by_hand:
            return super()._told(found, mine, right)
        yours, true = np.asarray(read(mine.value)), np.asarray(read(right.value))
        if self.rows:
            wrong = (yours != true).sum(axis=1)
            row = next(k for k, count in enumerate(wrong) if count)
            count = "one entry is" if wrong[row] == 1 else f"{wrong[row]} entries are"
            return f"In the row of {self.rows[row]} {count} wrong."
        size = "small" if yours < true else "large" if yours > true else "odd"
        return f"{mine.name} is {number(yours)}; that is too {size}."

    def trial(self, answer: Any, case: str, torch: ModuleType = minigrad) -> list[Step]:
        space, found = {"torch": torch}, []
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
                    found.append(Step(case, name, eval(name, space)))
        except Exception as error:
            found.append(Step(case, f"With this {self.answer} PyTorch says:", error))
        return found


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
class Function(_Exercise):
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
        """What the function printed in its first call with the input that is told, or the first."""
        first, *others = self.cases()
        told = first
        for case in [first, *others] if lines else ():
            if tried(case)[0].where == lines[0]:
                told = case
                break
        return shortened(tried(told)[0].heard.printed)

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
        found = super()._clue(mine, right) or clue_of_kind(mine.value, right.value)
        return found or (_LEFT_OVER if mine.name.startswith(_LATER_CALLS) else None)

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
        for when in ("", *_LATER_CALLS):
            if when.startswith("With"):
                for leaf in (value for value in tensors.values() if value.requires_grad):
                    leaf.grad = torch.full(tuple(leaf.shape), 100.0, dtype=leaf.dtype)
            result, error, heard = _call(answer, arguments)
            result = _as_tensor(result) if self.plain else result
            name = f"{when or 'Then '}your function raised" if error else f"{when}result"
            found.append(Step(where, name, error or _kept(result), heard))
            for name, value in tensors.items():
                asks = value.requires_grad
                found.append(Step(where, f"After the call {name}", value.detach().clone()))
                found.append(Step(where, f"After the call {name}.requires_grad", asks))
        return found


_LATER_CALLS = ("Called a second time: ", "With an old .grad: ")
_LEFT_OVER = (
    "The first call is right. This one finds something that was there before, most likely in "
    ".grad: begin anew in each call."
)


def _first_call(steps):
    """The steps of the first call, of three."""
    return steps[: len(steps) // 3]


class Heard:
    """What the engine did in a call. operations: the names of all nodes that were recorded;
    passes: how many backward passes there were; starts: the gradients that their first nodes got;
    outputs: what they began with; leaves: those that they gave a gradient; keeps: whether one kept
    its graph; given: the arguments of the call; printed: what it printed."""

    def __init__(self, given: Sequence = ()) -> None:
        self.given, self.printed = given, ""
        self.passes, self.keeps = 0, False
        self.operations: list[str] = []
        self.starts: list[Any] = []
        self.outputs: list[Any] = []
        self.leaves: list[Any] = []
        self._has_just_begun = False

    def recorded(self, node: Any, operands: Any, result: Any) -> None:
        self.operations.append(node.name())

    def begins(self, outputs: Any, keeps: Any) -> None:
        self.passes += 1
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


# --- a program to mend ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class InCell(_Exercise):
    """A program that the learner edits in a cell of its own. program: as it is handed out."""

    program: str
    what, magic = "", ""  # what it is, and how its cell begins

    def verdict(self, answer: Any) -> Verdict:
        sentence = f"{self.name} is {self.what}: begin a cell with {self.magic} {self.name}."
        return super().verdict(answer) if isinstance(answer, str) else Verdict(False, [sentence])

    def is_as_handed_out(self, source: str) -> bool:
        """Whether nothing was changed yet, white space at the ends of lines apart."""
        given, found = (
            [line.rstrip() for line in text.strip().splitlines()] for text in (self.program, source)
        )
        return given == found

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
    "create_graph" it is heard whether a pass kept its graph. keeps: a name that has to stand for
    one and the same tensor all the time. A compared .grad has to come from a backward pass, and so
    have the names in gradients. A mistake is a change of the broken program; () is the program as
    it was.
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
        for old, new in _pairs(self.others.get(case, ())):  # wherever the learner has it
            answer = _spaced(old).sub(lambda _, new=new: new, answer)
        names = expressions(self.compares)
        if self.keeps:
            answer = _noting(answer, self.keeps)
            names.append(f"{self.keeps} is {_AT_FIRST}")
        cell = Cell(answer, names, first_line=2)
        with caught_printing(), caught_warnings():
            results = cell(torch)
        if cell.stopped:
            line, error = cell.stopped
            return [Step(case, f"Your program stops in line {line}:", error)]
        steps = [Step(case, name.removesuffix(".__name__"), results[name]) for name in cell.names]
        if self.keeps:
            kept = "another tensor" if steps[-1].value is False else "the tensor of the beginning"
            steps[-1] = Step(case, f"At the end {self.keeps}", Words(kept))
        return steps

    def run(self, source: str) -> tuple[Verdict, dict[str, Any]]:
        """As `InCell.run`; beside the verdict are both engines' results."""
        verdict = self.verdict(source)
        try:
            names = expressions(self.compares)
            shown = [name for name in names if not name.startswith("type(")]
            cell = Cell(source, shown, first_line=2)
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


_AT_FIRST = "_at_first"


def _noting(source, name):
    """A program that notes what a name stands for when it is first set; its lines stay."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return source
    for node in statements:
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & {name}
        if isinstance(node, ast.Assign) and stored and name not in _read(node.value):
            lines = source.splitlines()
            line = lines[node.end_lineno - 1].encode()
            start, end = line[: node.end_col_offset].decode(), line[node.end_col_offset :].decode()
            lines[node.end_lineno - 1] = f"{start}; {_AT_FIRST} = {name}{end}"
            return "\n".join(lines)
    return source


def _read(expression):
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


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
