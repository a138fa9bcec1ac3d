"""The smallest changes, as {line: what then stands there}; {} where none can be written down."""

import ast
import re
from itertools import product

OFF = r"with torch.no_grad():\n    "
REBINDING = r"^(\w[\w.]*) = \1(\.data|\.detach\(\))? ([-+]) (.*)$"  # a step that makes a new tensor

_RATE = re.compile(  # of an optimizer, or of a step by hand
    r"\blr=([\w.+-]+)|(?:parameters\(\)|\]), ([\w.+-]+)|(-?[\w.]+) \* [\w.]*grad"
    r"|grad(?:\.data)? \* ([\w.]+)|alpha=-?([\w.]+)|[-+]=? ([\w.]+) \* \w+"
)


def rewritten(source, pairs, *lines):
    """Lines, each with the first of some pairs (pattern, replacement) that fits, if one does."""
    found = {}
    for line, (pattern, new) in product(lines, pairs):
        text = source.text(line)
        if line not in found and re.search(pattern, text):
            found[line] = re.sub(pattern, new, text, count=1)
    return found


def calling_with(option):
    """Pairs that hand one more argument to backward() or grad()."""
    called = r"(\.backward|\bgrad)\((.+)\)(?=\[0\]$|$)"
    return [(r"\.backward\(\)", f".backward({option})"), (called, rf"\1(\2, {option})")]


def stacked(source, line):
    """A line that puts tensors of a list together, in place of their numbers."""
    listed = re.search(r"torch\.tensor\((\w+)\)", source.text(line))
    is_list = listed and source.having(rf"^{listed[1]} = \[|^{listed[1]}\.append\(")
    return rewritten(source, [(r"torch\.tensor\(", "torch.stack(")], line) if is_list else {}


def put_after(source, line, new):
    """A new line behind another one."""
    return {line: f"{source.text(line)}\n{new}"}


def cut_between(source, line, name):
    """A line that goes on with the numbers of what has a name."""
    begun = source.setting(name, before=line)
    if begun and re.fullmatch(rf"{name} = [\d.]+", source.text(begun[-1])):  # it adds to a number
        sums = [(rf"= {name} \+ (.*)$", r"= \1"), (rf"^{name} \+= (.*)$", rf"{name} = \1")]
        return rewritten(source, sums, line)
    alone = rf"( .*?)(?<![\w.'\"]){re.escape(name)}(?![\w.('\"]| =)"
    return rewritten(source, [(alone, rf"\1{name}.detach()")], line)


def cleared_after(source, leaves):
    """The gradients of leaves cleared after the last of their steps, or before the first pass.

    The latter where another pass reaches them after their step, as a second model's does.
    """
    lines = sorted({leaf.update_line for leaf in leaves} - {0}) or source.having(r"\.data = ")
    texts = [source.text(line) for line in lines]
    called = lines and re.search(r"([\w.]+)\.step\(", texts[-1])
    found = dict.fromkeys(re.findall(r"([\w.\[\]'\"]+?\.grad)\b", " ".join(texts)))
    new = f"{called[1]}.zero_grad()" if called else f"{' = '.join(found)} = None"
    if not called and source.having(r"\.grad\.zero_\("):  # which would fail for None
        new = "; ".join(f"{name}.zero_()" for name in found)
    filling = sorted({line for leaf in leaves for line in leaf.filled})
    if called and filling[-1] > lines[-1] >= filling[0]:
        return {filling[0]: f"{new}\n{source.text(filling[0])}"}
    return put_after(source, lines[-1], new) if called or found else {}


def moved_behind(source, line, step):
    """A line moved behind a step."""
    if not step or step == line or len(source.indent(line)) > len(source.indent(step)):
        return {}
    return {line: "pass", **put_after(source, step, source.text(line))}


def begun_with(source, line, new):
    """A new line where each round of the outermost loop around a line begins."""
    around = [one.node for one in source.statements if isinstance(one.node, (ast.For, ast.While))]
    inner = [loop.body[0].lineno for loop in around if loop.lineno < line <= loop.end_lineno]
    return {inner[0]: f"{new}\n{source.text(inner[0])}"} if inner else {}


def step_of(source, leaf):
    """The line that moves a leaf by hand; 0 if unknown."""
    own = [one for one in source.statements if leaf.name in (one.attempts, one.rebinds)]
    named = [one.first for one in own if leaf.name]
    lines = [leaf.update_line, *source.having(r"\.data \+?= "), *named]
    return next(filter(None, lines), 0)


def rate_of(source, leaf):
    """(line, text, value) of the number by which a leaf's steps are scaled; 0 if unknown."""
    line = leaf.optimizer or step_of(source, leaf)
    found = _RATE.search(source.text(line))
    text = next(filter(None, found.groups()), "") if found else ""
    if text.isidentifier():
        handed = rf"\b{text}=-?[\d.]"  # to a function
        lines = source.setting(text, before=line + 1) or source.having(handed)
        line = lines[-1] if lines else line
        found = re.search(rf"\b{text} ?= ?(-?[\d.e+-]+)", source.text(line))
        text = found[1] if found else ""
    is_number = re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text)
    return (line, text, float(text)) if is_number else (line, "", 0.0)
