"""The smallest changes, as {line: what then stands there}; {} where none can be written down."""

import ast
import copy
import re

_IN_PLACE = r"(?!zero_|detach_|requires_grad_)(\w+)_\((?!.*grad)"

# Of each kind pairs (pattern, replacement), of which the first that fits the line is taken.
FIXES = {
    "left-the-graph": [
        (r"^(\w+) = (.*?)(, requires_grad=True(?=\))|\.requires_grad_\(\))", r"\1 = \2"),
    ],
    "no-gradient": [
        (r"torch\.(as_)?[tT]ensor\(([\w.]+?)(\.data|\.detach\(\)|\.item\(\))?(, [^()]*)?\)", r"\2"),
        (r"\.detach\(\)(?!.*numpy)|\.data\b(?! =)|\.item\(\)", ""),
    ],
    "not-updated": [(r"^(\w[\w.]*) = \1(\.data|\.detach\(\))? ([-+]) (.*)$", r"\1 \3= \4")],
    "uphill": [
        ("\\+=", "-="),
        (r"\.add_\(", ".sub_("),
        (r" \+ ", " - "),
        ("-= -", "-= "),
        ("= -", "= "),
    ],
    "graph-grows": [(r"(\+= \[?|append\(|\+ )([\w.]+)(\]?\)?)$", r"\1\2.detach()\3")],
    "graph-kept": [(r",? ?retain_graph=True", "")],
    "graph-freed": [
        (r"\.backward\(\)", ".backward(retain_graph=True)"),
        (r"(\.backward|\bgrad)\((.+)\)", r"\1(\2, retain_graph=True)"),
    ],
    "value-changed": [
        (r"^([\w.]+) ([-+*/])= ((?!.*grad).+)$", r"\1 = \1 \2 \3"),
        (rf"^(\w+)\.{_IN_PLACE}", r"\1 = \1.\2("),
        (rf"(\w+)\.{_IN_PLACE}", r"\1.\2("),
    ],
    "integer-leaf": [(r"(torch\.(?!.*dtype).*)\)$", r"\1, dtype=torch.float32)")],
}
FIXES["no-graph"] = FIXES["no-gradient"]

_RATE = re.compile(  # of an optimizer, or of a step by hand
    r"\blr=([\w.+-]+)|(?:parameters\(\)|\]), ([\w.+-]+)|(-?[\w.]+) \* [\w.]*grad"
    r"|grad(?:\.data)? \* ([\w.]+)|alpha=-?([\w.]+)"
)


def rewritten(source, line, pairs):
    """A line with the first of some pairs (pattern, replacement) that fits."""
    text = source.text(line)
    for pattern, new in pairs:
        if (found := re.sub(pattern, new, text, count=1)) != text:
            return {line: found}
    return {}


def under_no_grad(text):
    """A statement with recording off."""
    return f"with torch.no_grad():\n    {text}"


def put_after(source, line, new):
    """A new line behind another one."""
    return {line: f"{source.text(line)}\n{new}"}


def cleared_after(source, leaves):
    """The gradients of leaves cleared after the last of their steps."""
    lines = sorted({leaf.update_line for leaf in leaves} - {0}) or source.having(r"\.data = ")
    if not lines:
        return {}
    if called := re.search(r"([\w.]+)\.step\(", source.text(lines[-1])):
        return put_after(source, lines[-1], f"{called[1]}.zero_grad()")
    texts = " ".join(source.text(line) for line in lines)
    found = dict.fromkeys(re.findall(r"([\w.\[\]'\"]+?\.grad)\b", texts))
    return put_after(source, lines[-1], f"{' = '.join(found)} = None") if found else {}


def moved_behind(source, line, step):
    """A line moved behind a step."""
    if not step or step == line or len(source.indent(line)) > len(source.indent(step)):
        return {}
    return {line: "pass", **put_after(source, step, source.text(line))}


def kept_leaf(source, line):
    """A parameter changed in place where it was rebound, and others like it."""
    [in_place] = FIXES["not-updated"]
    if not rewritten(source, line, [in_place]):
        found = rewritten(source, line, FIXES["left-the-graph"])
        return {
            line: re.sub(r" = (.*)", r" = (\1).requires_grad_()", f) for line, f in found.items()
        }
    clears, found = source.having(r"\.grad(\.data)?(\.zero_| = None)|zero_grad\("), {}
    for where in {line, *filter(source.rebinds, source.attempts())}:
        for new in rewritten(source, where, [in_place]).values():
            is_off = "no_grad" in "".join(source.lines[max(0, where - 4) : where])
            new = new if is_off else under_no_grad(new)
            found[where] = new if clears else f"{new}\n{source.target(where)}.grad = None"
    return found


def same_shape(source, line):
    """The target in the prediction's shape."""
    [statement, *others] = source.all_at(line)
    changed = copy.deepcopy(statement.node)
    for node in ast.walk(changed) if not others and not hasattr(changed, "body") else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            node.right = _reshaped(node.right, node.left)
            return {line: ast.unparse(changed)}
        if isinstance(node, ast.Call) and len(node.args) == 2:
            node.args[1] = _reshaped(node.args[1], node.args[0])
            return {line: ast.unparse(changed)}
    return {}


def _reshaped(one, other):
    text = f"({ast.unparse(one)}).reshape(({ast.unparse(other)}).shape)"
    return ast.parse(text, mode="eval").body


def rate_of(source, leaf):
    """(line, text, value) of the number by which a leaf's steps are scaled; 0 if unknown."""
    line = leaf.optimizer or leaf.update_line or next(iter(source.having(r"\.data = ")), 0)
    found = _RATE.search(source.text(line))
    text = next(filter(None, found.groups()), "") if found else ""
    if text.isidentifier():
        lines = source.setting(text, before=line + 1)
        lines = lines or source.having(rf"\b{text}=-?[\d.]")  # handed to a function
        line = lines[-1] if lines else line
        found = re.search(rf"\b{text} ?= ?(-?[\d.e+-]+)", source.text(line))
        text = found[1] if found else ""
    return (
        (line, text, float(text))
        if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text)
        else (line, "", 0.0)
    )
