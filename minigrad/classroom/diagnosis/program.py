"""A learner's program: its text, to be asked where something stands, and one run of it."""

import ast
import io
import re
import time
import tokenize
import types
import warnings
from importlib import import_module

import numpy as np

import minigrad

from ..cells import FILE, builtins_for
from ..fingerprint import is_plain_data

_TICK = "__still_in_time__"


class OutOfTime(BaseException):
    """The program has run for as long as it may. No `except Exception` of its own catches this."""


class Source:
    """The text of a program. SyntaxError if it is none; lines are counted from `first_line`."""

    def __init__(self, text, first_line=1):
        self.lines, self.first_line = text.splitlines(), first_line
        self.tree = ast.parse(text, FILE)
        self.bare = list(self.lines)  # without comments
        for token in tokenize.generate_tokens(io.StringIO("\n".join(self.lines)).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                self.bare[row - 1] = self.bare[row - 1][:column].rstrip()
        self.nodes = list(ast.walk(self.tree))
        self.statements = [node for node in self.nodes if isinstance(node, ast.stmt)]

    def shown(self, line):
        """A line's number, as the editor counts."""
        return line + self.first_line - 1

    def text(self, line):
        """A line without its indentation and its comment."""
        return self.bare[line - 1].strip() if line and line <= len(self.lines) else ""

    def indent(self, line):
        """What stands before a line's text."""
        return re.match(r"\s*", self.lines[line - 1])[0]

    def statement(self, line):
        """The innermost statement that a line belongs to, or None."""
        around = [s for s in self.statements if s.lineno <= line <= s.end_lineno]
        return min(around, key=lambda s: (s.end_lineno - s.lineno, -s.col_offset), default=None)

    def last_line(self, line):
        """The last line of the statement that a line belongs to."""
        statement = self.statement(line)
        return statement.end_lineno if statement is not None else line

    def piece(self, node):
        """A node's text."""
        return ast.get_source_segment("\n".join(self.lines), node) or ""

    def target(self, line):
        """The name that a line gives its result, or ""."""
        statement = self.statement(line)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            return self.piece(statement.targets[0])
        return self.piece(statement.target) if isinstance(statement, ast.AugAssign) else ""

    def assigned(self, name, before=None):
        """The lines that give something this name (`self.fc` for "fc", too), in their order."""
        found = []
        for node in self.nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                told = {self.piece(one) for target in targets for one in _parts(target)}
                if {name, f"self.{name}"} & told:
                    found.append(node.lineno)
        return sorted(line for line in found if before is None or line < before)

    def rebinds(self, line):
        """The name in `w = w - 0.1 * w.grad`: one that is computed from itself anew; or ""."""
        statement = self.statement(line)
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return ""
        value, names = self.piece(statement.value), _parts(statement.targets[0])
        for name in map(self.piece, names):
            if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w(])", value):
                return name
        keywords = {k.arg for k in getattr(statement.value, "keywords", ())}
        is_made = "requires_grad" in keywords or re.search(r"Parameter\(.*\)$", value)
        is_scaled = re.search(r"requires_grad=True|requires_grad_\(|Parameter\(", value)
        return self.piece(names[0]) if is_scaled and not is_made else ""

    def carried(self, line):
        """The lines, in the loop that a line is in, that carry a value on to the next round."""
        loops = [n for n in self.statements if isinstance(n, (ast.For, ast.While))]
        around = [n for n in loops if n.lineno <= line <= n.end_lineno]
        inner = max(around, key=lambda n: n.lineno, default=None)
        within = (
            []
            if inner is None
            else [s.lineno for s in ast.walk(inner) if isinstance(s, ast.Assign)]
        )
        return [where for where in within if self.rebinds(where)]

    def back_from(self, line, name):
        """The lines from which a name got its value, the last one first."""
        names, found = {name}, []
        for _ in range(10):
            lines = {where for one in names if one for where in self.assigned(one, before=line)}
            new = sorted(lines - set(found), reverse=True)
            found += new
            names |= {one for w in new for one in re.findall(r"[A-Za-z_]\w*", self.text(w))}
        return found

    def is_guarded(self, line):
        """Whether a line asks if some `.grad` is None: then None is no surprise."""
        statement = self.statement(line)
        inner = [statement.test] if isinstance(statement, (ast.If, ast.While)) else [statement]
        compares = [n for one in inner if one for n in ast.walk(one) if isinstance(n, ast.Compare)]
        return any(
            isinstance(c, ast.Constant) and c.value is None for n in compares for c in n.comparators
        )

    def attempts(self):
        """Lines that compute a step, `w - lr * w.grad`, and do not store it in the parameter."""
        found = []
        for node in self.nodes:
            if not isinstance(node, (ast.Assign, ast.Expr)):
                continue
            targets = [self.piece(t) for t in getattr(node, "targets", [])]
            is_stored = any(target.endswith((".data", "]")) for target in targets)
            if not is_stored and any(_is_step(self, part) for part in ast.walk(node.value)):
                found.append(node.lineno)
        return found

    def calls(self, pattern):
        """The lines in whose text a pattern is found; comments do not count."""
        return [k for k, line in enumerate(self.bare, 1) if re.search(pattern, line)]


def _parts(target):
    """The names that an assignment sets, one by one."""
    return target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _is_step(source, node):
    """Whether an expression is `w - ... w.grad ...`, or `w.sub(... w.grad ...)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Add)):
        name, step = source.piece(node.left), source.piece(node.right)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in ("sub", "add"):
            return False
        name, step = source.piece(node.func.value), " ".join(map(source.piece, node.args))
    else:
        return False
    name = re.sub(r"\.(data|detach\(\))$", "", name)
    return bool(re.search(rf"(?<![\w.]){re.escape(name)}\.grad\b", step))


class _Timed(ast.NodeTransformer):
    """Lets every loop look at the clock."""

    def visit_loop(self, node):
        self.generic_visit(node)
        tick = ast.Expr(ast.Call(ast.Name(_TICK, ast.Load()), [], []))
        node.body.insert(0, ast.fix_missing_locations(ast.copy_location(tick, node.body[0])))
        return node

    visit_For = visit_While = visit_loop


def clock(seconds):
    """A function that raises OutOfTime once so many seconds have passed."""
    end = time.monotonic() + seconds

    def tick():
        if time.monotonic() > end:
            raise OutOfTime

    return tick


def run(source, space, tick):
    """Run a program in `space`; a last expression is printed. The error that ended it, or None.

    Also the warnings that it caused, as `warnings` records them.
    """
    tree = _Timed().visit(ast.parse("\n".join(source.lines), FILE))
    last: ast.Expr | None = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body.pop()
    space[_TICK] = tick
    error = None
    with warnings.catch_warnings(record=True) as told, minigrad.enable_grad():
        warnings.simplefilter("always")
        warnings.showwarning = _bounded(told)
        try:
            exec(compile(tree, FILE, "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), FILE, "eval"), space)
                if value is not None:
                    print(repr(value))
        except (Exception, SystemExit, OutOfTime) as raised:
            error = raised
    space.pop(_TICK, None)
    return error, told


def _bounded(told):
    """Keep the first hundred warnings: one a step would fill the memory."""

    def show(*args, **more):
        if len(told) < 100:
            told.append(warnings.WarningMessage(*args, **more))

    return show


def space_for(notebook):
    """The names a program begins with: data and modules of the notebook; `torch` is the engine."""
    space = {"__name__": "__main__", "__builtins__": builtins_for(minigrad), "torch": minigrad}
    for name, value in notebook.items():
        if name.startswith("_") or name == "torch":
            continue
        if isinstance(value, types.ModuleType):
            space[name] = _engine_of(value)
        elif is_plain_data(value) or isinstance(value, (np.ndarray, np.generic)):
            space[name] = value
    return space


def _engine_of(module):
    """The engine's module in place of torch's."""
    top, _, rest = module.__name__.partition(".")
    if top != "torch":
        return module
    try:
        return import_module(f"minigrad.{rest}")
    except ImportError:
        return module
