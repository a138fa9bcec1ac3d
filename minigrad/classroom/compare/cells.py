"""A notebook cell as a program: the same source runs with either engine, in a namespace of its own.

    cell = Cell("x = torch.ones(2, requires_grad=True)\\n(x * x).sum().backward()", ["x.grad"])
    cell(minigrad)                   # {"x.grad": tensor([2., 2.])}
    cell.variables["x"]              # what minigrad's run left behind

In it `torch` is the engine, however it is imported. From the notebook it takes plain data, NumPy
and modules of the standard library; tensors of other cells belong to one engine and are refused.
"""

import ast
import builtins
import copy
import sys
import traceback
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from .fingerprint import is_plain_data, names_of

FILE = "<cell>"  # what tracebacks call the source


class Code:
    """A cell's text, ready to be run as Jupyter runs it. last: its last expression, or None."""

    def __init__(self, source: str, file: str = FILE) -> None:
        tree = ast.parse(source, file)
        self.parts = []  # of compiled code: the statements, then the last expression
        self.last = None
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            del tree.body[-1]
            self.last = ast.get_source_segment(source, last)
            self.parts.append(compile(ast.Expression(last.value), file, "eval"))
        self.parts.insert(0, compile(tree, file, "exec"))

    def names(self, what: str) -> set[str]:
        """The names that it reads ("LOAD") or sets ("STORE")."""
        return set().union(*(names_of(part, what) for part in self.parts))

    def run(self, space: dict[str, Any]) -> Any:
        """Run it among these names; the value of its last expression, or None."""
        value = None
        for part in self.parts:
            value = eval(part, space)  # of statements, None
        return value


def line_of(error: BaseException, file: str = FILE) -> int | None:
    """The line of a program that failed, the innermost one of its own; None if it ran none."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 1
    steps = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in steps if frame.f_code.co_filename == file]
    return lines[-1] if lines else None


class OfAnotherCell(Exception):
    """A cell reads something of the notebook that cannot be shared by two engines."""


class NotReached:
    """Stands for a value that an error kept a cell from making."""

    def __repr__(self):
        return "not reached"


class Cell:
    """A program, as `compare` takes one: `cell(torch)` runs it and returns {name: result}.

    source: the lines of the cell. names: Python expressions, the results; without them it
    is the last expression. outside: the notebook's names. first_line: the source's first line, as
    the editor counts. An error is a result, called "error in line 3"; values made before it stay.
    """

    file = FILE
    goes_on = False  # whether a name that it sets may have its value of before until then

    def __init__(
        self, source: str, names: Iterable[str] = (), outside: Any = None, first_line: int = 1
    ) -> None:
        self.source, self.names, self.first_line = source, list(names), first_line
        self.variables: dict[str, Any] = {}
        # The last run: in which line it stopped, and by what.
        self.stopped: tuple[int, BaseException] | None = None
        self._problem: BaseException | None = None
        try:
            self._code = Code(source, self.file)
        except SyntaxError as error:
            self._problem, self._code = error, Code("")
        self._results = {name: compile(name.strip(), "<name>", "eval") for name in self.names}
        self.given = self._taken_from(outside or {})

    def _taken_from(self, outside):
        """{name: value} of what the cell reads from the notebook."""
        asked = (names_of(code, "LOAD") for code in self._results.values())
        read, own = self._code.names("LOAD").union(*asked), self._code.names("STORE")
        taken = {}
        for name in sorted((read - {"torch"}) & outside.keys()):
            if name in own and not self.goes_on:
                continue
            if self.may_be_shared(outside[name]):
                taken[name] = outside[name]
            elif name not in own and not hasattr(builtins, name):
                raise OfAnotherCell(self.refusal(name))
        return taken

    def refusal(self, name: str) -> str:
        """What is said of a value that cannot be used here."""
        return (
            f"{name} was made in another cell, by one engine, and this cell runs by itself "
            f"from its first line: make {name} here, too. Only numbers, text, lists of "
            "them and NumPy may come from other cells."
        )

    def may_be_shared(self, value: Any) -> bool:
        """Whether a value of the notebook can be used here: plain data, an array, a module."""
        if isinstance(value, types.ModuleType):
            top = value.__name__.partition(".")[0]
            return top == "numpy" or top in sys.stdlib_module_names
        return is_plain_data(value) or isinstance(value, (np.ndarray, np.generic))

    def taken_over(self, value: Any) -> Any:
        """What the cell works with in place of a value of the notebook."""
        return value if isinstance(value, types.ModuleType) else copy.deepcopy(value)

    def fingerprint_parts(self) -> list[str]:
        """What tells this cell from another: its lines, its names, and what it reads."""
        given = [f"{name}={_as_text(value)}" for name, value in self.given.items()]
        lines = [line.rstrip() for line in self.source.rstrip().splitlines()]
        return ["cell", *lines, f"line {self.first_line}", *self.names, *given]

    def names_before(self) -> dict[str, Any]:
        """The names among which it runs: here none but those that it is given."""
        return {}

    def __call__(self, torch: types.ModuleType) -> dict[str, Any]:
        space = self.names_before()
        space |= {"__name__": "__main__", "__builtins__": builtins_for(torch), "torch": torch}
        for name, value in self.given.items():
            space[name] = self.taken_over(value)
        before, error = dict(space), self._problem
        self.stopped = None
        results: dict[str, Any] = {}
        with torch.enable_grad():  # what a cell turns off is on again after it
            try:
                if error is None:
                    value = self._code.run(space)
                    if self._code.last and value is not None and not self.names:
                        results[self._code.last] = value
            except (Exception, SystemExit) as raised:  # exit() ends the cell, not the notebook
                error = raised
            for name, code in self._results.items():
                results[name] = self._result(name, code, space, error)
        if error is not None:
            line = (line_of(error, self.file) or 1) + self.first_line - 1
            if isinstance(error, SyntaxError):  # without the name and the line that Python adds
                error = type(error)(error.msg)
            results[f"error in line {line}"] = error
            self.stopped = line, error
        if torch.__name__ == "minigrad":
            made = {n for n in space if n not in before or space[n] is not before[n]}
            self.variables = {name: space[name] for name in made if not name.startswith("__")}
        return results

    def _result(self, name, code, space, error):
        missing = names_of(code, "LOAD") & self._code.names("STORE") - space.keys()
        if error is not None and (missing or self._problem):
            return NotReached()
        try:
            return eval(code, space)
        except Exception as raised:
            return raised


def expressions(text: str) -> list[str]:
    """The Python expressions in "x.grad, y"; SyntaxError if it cannot be read so."""
    whole = f"({text.rstrip(' ,')},)" if text.strip() else "()"
    tree = ast.parse(whole, mode="eval").body
    if not isinstance(tree, ast.Tuple):
        raise SyntaxError(f"no expressions with commas between them: {text}")
    return [ast.get_source_segment(whole, part) or "" for part in tree.elts]


def _as_text(value):
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    return repr(value.tolist()) + str(value.dtype) if isinstance(value, np.ndarray) else repr(value)


def builtins_for(engine: types.ModuleType) -> dict[str, Any]:
    """Python's builtins, with an `import` that finds the engine where torch is asked for."""
    python_import = builtins.__import__

    def import_(name, globals=None, locals=None, fromlist=(), level=0):
        top, _, rest = name.partition(".")
        if level == 0 and top in ("torch", "minigrad") and not rest.startswith("classroom"):
            name = ".".join(part for part in (engine.__name__, rest) if part)
        return python_import(name, globals, locals, fromlist, level)

    return {**vars(builtins), "__import__": import_}
