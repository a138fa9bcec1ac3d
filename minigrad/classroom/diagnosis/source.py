"""A learner's program as text: what stands in a line, and where a name got its value.

Each statement is read as Python writes it (`w-=.1*w.grad # step` is `w -= 0.1 * w.grad`), so that
the patterns that are looked for need not know how somebody sets spaces and remarks.
"""

import ast
import copy
import re
from functools import cached_property

_INNER = "body", "orelse", "handlers", "finalbody", "cases"
_STEP = re.compile(  # w - lr * w.grad, w.data.sub(lr * w.grad)
    r"(?<![\w.])([\w.]+)(?:\.data|\.detach\(\))?(?: [-+] |\.(?:sub|add)\().*(?<![\w.])\1\.grad\b"
)
_NO_LEAF = re.compile(  # torch.randn(3, requires_grad=True) * 0.1
    r"(requires_grad=True\)|requires_grad_\(\)|Parameter\([^()]*(\([^()]*\))?[^()]*\))( [-+*/@]|\.)"
)


class Statement:
    """A statement; of a loop or a function the head. first, last: lines; targets: what it sets."""

    def __init__(self, node, lines):
        head, inner = copy.copy(node), getattr(node, "body", None)
        for part in _INNER:
            if hasattr(head, part):
                setattr(head, part, [])
        self.node, self.first = node, node.lineno
        self.last = max(node.lineno, inner[0].lineno - 1) if inner else node.end_lineno
        self.indent = re.match(r"\s*", lines[self.first - 1])[0]
        self.text = ast.unparse(head).splitlines()[-1]
        given = getattr(node, "targets", [getattr(node, "target", None)])
        parts = [part for one in given if one for part in getattr(one, "elts", [one])]
        self.targets = [ast.unparse(part) for part in parts]
        value = getattr(node, "value", None)
        self.value = ast.unparse(value) if isinstance(value, ast.expr) else ""

    @property
    def rebinds(self):
        """The name in `w = w - 0.1 * w.grad`, one that is computed from itself anew; or ""."""
        if not isinstance(self.node, ast.Assign) or len(self.node.targets) > 1:
            return ""
        for name in self.targets:
            if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w(])", self.value):
                return name
        return self.targets[0] if _NO_LEAF.search(self.value) else ""

    @property
    def attempts(self):
        """The name in `w - lr * w.grad` where that is not stored in the parameter; or ""."""
        stores = any(target.endswith((".data", "]")) for target in self.targets)
        is_asked = isinstance(self.node, (ast.Assign, ast.Expr)) and self.value[:6] != "print("
        step = _STEP.search(self.value) if is_asked else None
        return step[1] if step and not stores else ""


class Source:
    """The text of a program, to be asked about its lines, which are counted from 1."""

    def __init__(self, text, first_line=1):
        self.lines = re.split(r"\r\n?|\n", text.rstrip())  # as Python counts them
        self.first_line = first_line

    @cached_property
    def statements(self):
        """All of them in their order, read when a rule first asks: most programs are healthy."""
        nodes = ast.walk(ast.parse("\n".join(self.lines)))
        found = [Statement(node, self.lines) for node in nodes if isinstance(node, ast.stmt)]
        return sorted(found, key=lambda one: (one.first, one.last))

    def in_editor(self, line):
        """A line's number as the editor counts."""
        return line + self.first_line - 1

    def switched_off_by(self, line):
        """The line of the decorator that switches recording off for a line; or 0."""
        functions = [one.node for one in self.statements if isinstance(one.node, ast.FunctionDef)]
        around = [one for one in functions if one.lineno <= line <= one.end_lineno]
        decorators = [decorator for one in around for decorator in one.decorator_list]
        off = [one.lineno for one in decorators if re.search("no_grad|inference", ast.unparse(one))]
        return next(iter(off), 0)

    def bodies(self, text):
        """The lines within the functions that a text calls."""
        functions = [one.node for one in self.statements if isinstance(one.node, ast.FunctionDef)]
        called = [one for one in functions if re.search(rf"\b{one.name}\(", text)]
        spans = [range(one.lineno, one.end_lineno + 1) for one in called]
        return [one.first for one in self.statements if any(one.first in span for span in spans)]

    def methods(self, name, method):
        """The nodes that define a method of the classes of some name."""
        classes = [one.node for one in self.statements if isinstance(one.node, ast.ClassDef)]
        parts = [part for one in classes if one.name == name for part in one.body]
        return [part for part in parts if getattr(part, "name", "") == method]

    def all_at(self, line):
        """The statements that a line belongs to: mostly one."""
        return [one for one in self.statements if one.first <= line <= one.last]

    def text(self, line):
        """What stands in a line, as Python writes it."""
        return re.sub(r":; ", ": ", "; ".join(one.text for one in self.all_at(line)))

    def indent(self, line):
        """What stands before a line's text."""
        return self.all_at(line)[0].indent

    def having(self, pattern):
        """The lines of the statements in which a pattern is found."""
        return [one.first for one in self.statements if re.search(pattern, one.text)]

    def setting(self, *names, before=None):
        """The lines that give something one of these names, `self.fc` for "fc", too."""
        meant = {*names, *(f"self.{name}" for name in names)}
        found = [one for one in self.statements if not meant.isdisjoint(one.targets)]
        return [one.first for one in found if before is None or one.first < before]

    def alike(self, line):
        """A line, and those that say the same of other names and with other numbers."""

        def shape(text):
            name = re.match(r"[A-Za-z_]\w*", text)
            text = re.sub(rf"\b{name[0]}\b", "_", text) if name else text
            return re.sub(r"\d+", "0", text)

        same = shape(self.text(line))
        return [line, *(one.first for one in self.statements if shape(one.text) == same)]

    def changes_grad(self, line):
        """Whether a line only changes something in place: by a call, or as `p.grad /= 2` does."""
        simple = [one for one in self.all_at(line) if not hasattr(one.node, "body")]
        by_name = [one for one in simple if not isinstance(one.node, ast.Expr)]
        return all("".join(one.targets).endswith(".grad") for one in by_name)

    def target(self, line):
        """The name that a line gives its result, or ""."""
        return next((name for one in self.all_at(line) for name in one.targets), "")

    def making(self, name):
        """The line that made what has a name, "w" or "model.fc.weight"; 0 if none is found."""
        first, *inner = re.split(r"[.\[]", name)
        found = [self.setting(part) for part in (*inner[-2::-1], *inner[-1:], first)]
        return next((lines[0] for lines in found if lines), 0)

    def leading_to(self, line, *names):
        """The lines from which names got their values, the last one first."""
        found = []
        while new := set(self.setting(*names, before=line)) - set(found):
            found += sorted(new, reverse=True)
            names = {one for where in new for one in re.findall(r"[A-Za-z_]\w*", self.text(where))}
        return found

    def rebinds(self, line):
        """The name that a line computes from itself anew, or ""."""
        return next((one.rebinds for one in self.all_at(line) if one.rebinds), "")

    def is_read(self, name, besides):
        """Whether another statement than one reads a name for more than to print it."""
        pattern = rf"(?<![\w.]){re.escape(name)}(?![\w(])"
        others = [one for one in self.statements if one is not besides and name not in one.targets]
        texts = [one.text for one in others if not one.text.startswith("print(")]
        texts += [text for one in others for text in re.findall(r"\w+\(.*\)", one.text[6:])]
        return any(re.search(pattern, text) for text in texts)
