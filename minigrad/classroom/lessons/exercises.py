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
mistakes, and tells the sentence of the one that gives just what the learner's gives. Tests hand
each mistake in as an answer. So an exercise is tested by being there.

Instead of a whole program one may write what to change, ("old", "new", ...): in the solution of a
function, in the broken program of `mend`.
"""

import ast
import math
import textwrap
from dataclasses import dataclass, field
from typing import Callable

import minigrad
from minigrad.autograd import watch

from ..cells import Cell, OfAnotherCell, expressions
from ..compare import compare
from ..formatting import kind_of, nested
from ..heard import caught_printing, caught_warnings
from .verdict import Verdict, as_minigrad, difference, form_difference, is_tensor, read, said, same


@dataclass(frozen=True, kw_only=True)
class _Exercise:
    """What all exercises have. The subclasses say how an answer is run: `steps`."""

    name: str = field(kw_only=False)
    praise: str  # one sentence shown with "Right."
    hints: tuple
    mistakes: dict  # {program or change: sentence}, at least three
    also_right: tuple  # programs or changes that are odd but right, at least one
    answer: str = ""  # the name of what the learner makes
    solution: str = ""

    def __post_init__(self):
        for text in ("solution", "given", "program"):
            if hasattr(self, text):
                object.__setattr__(self, text, textwrap.dedent(getattr(self, text)).strip("\n"))

    def verdict(self, answer):
        """Check an answer: a `Verdict`. Whatever is given, it does not raise."""
        if answer is None or answer is Ellipsis:
            found = "None." if answer is None else "still ..."  # the dots of the cell
            return Verdict(False, [f"There is no answer yet: {self.answer} is {found}"])
        lines = self.objections(answer)
        return Verdict(False, lines) if lines else Verdict(True, [self.praise])

    def objections(self, answer):
        """Sentences on the first thing that is wrong with an answer; empty if nothing is."""
        yours, true = self.steps(answer), self.steps(self.solved())
        for k, ((where, name, mine), (_, _, right)) in enumerate(zip(yours, true)):
            if sentence := difference(name, mine, right):
                return [line for line in (where, sentence, self._mistake(yours, k)) if line]
        return []

    def _mistake(self, yours, k):
        """The sentence of the mistake that gives what the learner's gives: everywhere, or at k."""
        here = None
        for program, sentence in self.mistakes.items():
            theirs = self.steps(self.made(program))
            pairs = [(mine, their) for (_, _, mine), (_, _, their) in zip(yours, theirs)]
            if len(yours) == len(theirs) and all(same(*pair) for pair in pairs):
                return sentence
            if here is None and k < len(pairs) and same(*pairs[k]):
                here = sentence
        return here

    def solved(self, torch=minigrad):
        """The reference, as an answer."""
        return self.made(self.solution, torch)


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

    def made(self, program, torch=minigrad):
        """An answer that a program makes, anew for each input; a mistake is an expression."""
        text = program if program == self.solution else f"{self.answer} = {program}"
        space = {"torch": torch}
        exec(self.given, space)
        exec(text, space)
        return _Made(text, space[self.answer])

    def objections(self, answer):
        answer = as_minigrad(answer)
        value, true = answer.value if isinstance(answer, _Made) else answer, self.solved().value
        form = form_difference(self.answer, value, true)
        if not form:
            return super().objections(answer)
        yours = self.steps(answer)
        outcome = yours[0][2]
        says = f"PyTorch says: {said(outcome)}" if isinstance(outcome, Exception) else None
        likely = self._mistake(yours, 0)
        if self.then and is_tensor(true) and not is_tensor(value):
            likely = f"An upstream gradient is a tensor: {self.answer} = torch.tensor(...)."
        return [line for line in (form, says, likely) if line]

    def steps(self, answer, torch=minigrad):
        """What follows from an answer: (where, name, value) for each input and expression."""
        found = []
        for where, change in {"": (), **self.others}.items():
            space = {"torch": torch}
            try:
                with torch.enable_grad(), caught_warnings(), caught_printing():
                    exec(changed(self.given, change), space)
                    if isinstance(answer, _Made):
                        exec(answer.text, space)
                    else:
                        space[self.answer] = answer
                    exec(self.then, space)
                    for name in expressions(self.shows or self.answer):
                        found.append((where, name, eval(name, space)))
            except Exception as error:
                found.append((where, f"With this {self.answer} PyTorch says:", error))
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

    def made(self, program, torch=minigrad):
        space = {"torch": torch}
        exec(changed(self.solution, program), space)
        return space[self.answer]

    def verdict(self, answer):
        if answer is not None and answer is not Ellipsis and not callable(answer):
            return Verdict(False, [f"{self.answer} is {kind_of(answer)}; it should be a function."])
        return super().verdict(answer)

    def objections(self, answer):
        return super().objections(answer) or self._forbidden(answer)

    def _forbidden(self, answer):
        heard = []
        if self.forbids:
            self.steps(answer, heard=heard)
        found = [why for why, unwanted in self.forbids.items() if any(map(unwanted, heard))]
        return found[:1]

    def steps(self, answer, torch=None, heard=None):
        """(where, name, value) of each call, and of its arguments afterwards."""
        torch = torch or _engine_of(answer)
        found, names = [], _parameters(self.solution, self.answer)
        for label, arguments in self.inputs(torch).items():
            told = [
                f"{name} = {nested(read(value).tolist())}"
                for name, value in zip(names, arguments)
                if is_tensor(value)
            ]
            where = f"For {', '.join([label, *told])}:"
            for when in ("", "Called a second time: ", "With an old .grad: "):
                if when.startswith("With"):
                    for leaf in arguments:
                        if is_tensor(leaf) and leaf.requires_grad:
                            leaf.grad = torch.full(tuple(leaf.shape), 100.0, dtype=leaf.dtype)
                result, error, one = _call(answer, arguments)
                name = f"{when or 'Then '}your function raised" if error else f"{when}result"
                found.append((where, name, error or _kept(result)))
                for name, value in zip(names, arguments):
                    if is_tensor(value):
                        found += [
                            (where, f"After the call {name}", value.detach().clone()),
                            (where, f"After the call {name}.requires_grad", value.requires_grad),
                        ]
                if heard is not None:
                    heard.append(one)
        return found


class Heard:
    """What the engine did in a call. began: how many numbers the first backward pass was given,
    None without one; operations: the names of all nodes that were recorded."""

    def __init__(self):
        self.began, self.operations = None, []

    def recorded(self, node, operands, result):
        self.operations.append(node.name())

    def ran(self, node, g, grads):
        self.began = self.began or math.prod(g.shape)  # an array, or a tensor that is recorded

    def accumulated(self, leaf, g):
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

    def made(self, program, torch=None):
        return program if program == self.solution else changed(self.program, program)

    def verdict(self, answer):
        sentence = f"{self.name} is a program to mend: begin a cell with %%mend {self.name}."
        return super().verdict(answer) if isinstance(answer, str) else Verdict(False, [sentence])

    def objections(self, answer):
        for where, change in self.others.items():
            if change[0] not in answer:
                line = next(line for line in self.program.splitlines() if change[0] in line)
                return [f"Leave this as it was: {line.strip()}"]
        try:
            lines = super().objections(answer)
        except OfAnotherCell as refusal:
            return [str(refusal)]
        words = _words(answer)
        return lines or [sentence for word, sentence in self.forbids.items() if word in words][:1]

    def is_as_handed_out(self, source):
        """Whether nothing was changed yet, white space at the ends of lines apart."""
        given, found = (
            [line.rstrip() for line in text.strip().splitlines()] for text in (self.program, source)
        )
        return given == found

    def steps(self, answer, torch=minigrad):
        """(where, name, value) for each input and expression; an error stands for them all."""
        found, names = [], expressions(self.compares)
        for where, change in {"": (), **self.others}.items():
            with caught_printing(), caught_warnings():
                results = Cell(changed(answer, change), names, first_line=2)(torch)
            stops = [name for name in results if name.startswith("error in line")]
            for name in stops or names:
                failed = isinstance(results[name], BaseException)
                label = f"{name.replace('error', 'Your program stops')}:" if failed else name
                found.append((where, label, results[name]))
        return found

    def run(self, source):
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


def changed(program, change):
    """A program after a change: ("old", "new", "old", "new", ...), or another whole program."""
    if isinstance(change, str):
        return textwrap.dedent(change).strip("\n")
    for old, new in zip(change[::2], change[1::2], strict=True):
        if old not in program:
            raise ValueError(f"nothing to change: {old!r} is not in\n{program}")
        program = program.replace(old, new)
    return program


numbers, function, mend = Numbers, Function, Mend  # as the lessons call them
