"""Where in a program something stands, and the smallest change of it."""

import ast
import re

from .finding import Change, all_of

# What gives whole numbers, or yes and no: no gradient goes through.
HARD = re.compile(r"argmax|\.round\(|\.int\(|\.long\(|\.floor\(|torch\.sign\(|==|!=| [<>]=? ")


def made_in(source, name):
    """The line that made what has a name, "w" or "model.fc.weight"; 0 if none is found."""
    parts = re.split(r"[.\[]", name)
    for part in [*parts[1:-1][::-1], parts[-1], parts[0]]:
        if lines := source.assigned(part):
            return lines[0]
    return 0


def place_of(source, name):
    """Where a name stands in the program, as a pair to sort by."""
    line = made_in(source, name)
    return line, source.text(line).find(name)


def step_after(notes, leaves):
    """The change that clears the gradients of leaves after the step; None if it cannot be told."""
    source = notes.source
    lines = [leaf.update_line for leaf in leaves if leaf.update_line]
    lines = lines or source.calls(r"\.data\s*=")
    if not lines:
        return None
    line = max(lines)
    there = [leaf for leaf in leaves if leaf.update_line == line] or leaves
    called = re.match(r"([\w.]+)\.step\(", source.text(line))
    if called:
        new = f"{called[1]}.zero_grad()"
    elif there[0].update_name and len({leaf.update_line for leaf in leaves}) == 1:
        new = f"{there[0].update_name}.grad = None"
    else:
        new = " = ".join(f"{leaf.update_name or leaf.name}.grad" for leaf in leaves) + " = None"
    return Change(source.last_line(line), source.indent(line) + new)


def rate_of(notes, leaf):
    """(line, text, value) of the number by which a leaf's steps are scaled; 0 if unknown."""
    source = notes.source
    if leaf.optimizer:
        line = leaf.optimizer
        match = re.search(r"\blr\s*=\s*([\w.+-]+)", source.text(line))
        match = match or re.search(
            r"parameters\(\),\s*([\w.+-]+)|\],\s*([\w.+-]+)", source.text(line)
        )
        text = next(filter(None, match.groups()), "") if match else ""
    else:
        line = leaf.update_line or next(iter(source.calls(r"\.data\s*=")), 0)
        match = re.search(
            r"(-?[\w.]+) \* [\w.]*grad|grad(?:\.data)? \* ([\w.]+)", source.text(line)
        )
        match = match or re.search(r"alpha=-?([\w.]+)", source.text(line))
        text = next(filter(None, match.groups()), "") if match else ""
    if re.fullmatch(r"[A-Za-z_]\w*", text):
        lines = source.assigned(text, before=line + 1)
        lines = lines or source.calls(rf"\b{text}\s*=\s*-?[\d.]")  # handed to a function
        if lines:
            line = lines[-1]
            match = re.search(rf"\b{text}\b\s*=\s*([\d.e+-]+)", source.text(line))
            text = match[1] if match else ""
    try:
        return line, text, float(text)
    except ValueError:
        return line, "", 0.0


def append_of(source):
    """The lines that put a tensor into a list as it is: `kept.append(loss)`, `kept += [loss]`."""
    return [node.lineno for node in source.nodes if any(map(_is_kept, _put(node)))]


def _put(node):
    """What a node of a program puts into a list."""
    if isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List):
        return node.value.elts
    called = getattr(getattr(node, "func", None), "attr", "")
    return node.args if called in ("append", "extend", "add") else []


def _is_kept(value):
    return isinstance(value, (ast.Name, ast.Tuple, ast.Subscript))


def removed(source, line, shape=None):
    """The change that goes on with the tensor itself; with a shape, that gives it the other's."""
    text = source.text(line)
    if shape is not None:
        return _same_shape(source, line, text)
    for pattern in (r"\.detach\(\)(?!\.numpy)", r"\.data\b(?!\s*=)", r"\.item\(\)"):
        new = re.sub(pattern, "", text, count=1)
        if new != text and ".numpy(" not in text and "tensor(" not in new:
            return Change(line, new, text)
    match = re.search(
        r"torch\.(?:tensor|as_tensor|FloatTensor|Tensor)\(([\w.]+)(?:\.(?:data|detach\(\)|item\(\)))?(?:,[^()]*)?\)",
        text,
    )
    if match:
        name = re.sub(r"\.(data|detach)$", "", match[1])
        return Change(line, text.replace(match[0], name, 1), text)
    return None


def _same_shape(source, line, text):
    """The target in the prediction's shape."""
    for node in source.nodes:
        if not line == getattr(node, "lineno", 0) == getattr(node, "end_lineno", 0):
            continue
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            one, two = source.piece(node.left), source.piece(node.right)
        elif isinstance(node, ast.Call) and len(node.args) == 2:
            one, two = map(source.piece, node.args)
        else:
            continue
        whole = source.piece(node)
        place = whole.rindex(two)
        reshaped = f"{two if two.isidentifier() else f'({two})'}.reshape(({one}).shape)"
        if one.isidentifier():
            reshaped = reshaped.replace(f"({one}).shape", f"{one}.shape")
        return Change(
            line, text.replace(whole, whole[:place] + reshaped + whole[place + len(two) :], 1), text
        )
    return None


def stored(source, line):
    """The change from `p = p - step` to `p -= step`."""
    match = re.match(r"(\w[\w.]*) = \1(?:\.data|\.detach\(\))? ([-+]) (.*)", source.text(line))
    if not match:
        return None
    name, sign, step = match.groups()
    return Change(line, f"{name} {sign}= {step}", source.text(line))


def kept_leaf(source, line):
    """(advice, change) for a parameter that was rebound in a line, and for others like it."""
    if (change := stored(source, line)) is None:
        text = source.text(line)
        match = re.match(r"(\w+) = (.*(?:, requires_grad=True|\.requires_grad_\(\)).*)$", text)
        if match:
            value = re.sub(r", requires_grad=True|\.requires_grad_\(\)", "", match[2])
            change = Change(line, f"{match[1]} = ({value}).requires_grad_()", text)
        return "Let the leaf come last: compute first, then .requires_grad_().", change
    lines = {where for where in source.attempts() if source.rebinds(where)} | {line}
    changes = [in_place(source, where) for where in sorted(lines)]
    return "Change the leaf in place, with recording off:", all_of(changes)


def in_place(source, line):
    """The change from `w = w - step` to a step in place, under no_grad, cleared behind it."""
    if (change := stored(source, line)) is None:
        return None
    new, indent = change.new, source.indent(line)
    if "no_grad" not in "\n".join(source.lines[max(0, line - 4) : line]):
        new = f"with torch.no_grad():\n{indent}    {new}"
    if not source.calls(r"\.grad(\.data)?(\.zero_| = None)|zero_grad\("):
        new += f"\n{indent}{source.target(line)}.grad = None"
    return Change(line, new, change.old)


def moved(notes, line, step):
    """(advice, change) for gradients that a line clears before a step."""
    source, change = notes.source, None
    text = source.text(line)
    if step and len(source.indent(line)) <= len(source.indent(step)):
        behind = Change(source.last_line(step), source.indent(line) + text)
        change = Change(line, "pass", text, (behind,))
    return "Clear before backward(), or after the step, never in between:", change


def turned(source, line):
    """The change of a step along the gradient to one against it."""
    text = source.text(line)
    for old, new in (("+=", "-="), (".add_(", ".sub_("), (" + ", " - "), ("-= -", "-= ")):
        if old in text:
            return Change(line, text.replace(old, new, 1), text)
    return None
