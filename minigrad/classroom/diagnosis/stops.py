"""The rules for programs that stop with an error: which line caused it, not only which raised it.

The messages are PyTorch's, which the engine gives word for word.
"""

import re

from minigrad.autograd.watching import age, freed

from . import changes
from .notes import below
from .rules import HARD, cleared, joined, rebound, starving


def cause_of(case):
    """The findings that the error gives: one, or none."""
    for part, rule in CAUSES.items():
        if case.error is not None and re.search(part, str(case.error)):
            found = rule(case, case.line, str(case.error))
            return [found] if found else []
    return []


def told(case, kind, cause, sentence, lines=None, advice=""):
    """A finding of an error that was raised in another line, or in its own."""
    return case.finding(kind, cause, sentence, lines, advice, case.line)


def root_of(case, line):
    """The name on which a line calls backward(), or that it hands to grad(); "" if none."""
    match = re.search(
        r"([\w.]+)\.backward\(|\b(?:grad|backward)\(\s*\[?([\w.]+)", case.source.text(line)
    )
    return next(filter(None, match.groups()), "") if match else ""


def needs_v(case, line, text):
    """backward() on several elements."""
    source, name = case.source, root_of(case, line)
    value = case.value(name)
    shape = f"has shape {tuple(value.shape)}" if value is not None else "has several elements"
    sentence = f"{name or 'The result'} {shape}, and backward() was given no v."
    lines = source.setting(name, before=line)
    if lines and re.search("loss|cost|err|mse", name.lower()):
        made = (
            case.notes.lines.get(age(value.grad_fn), lines[-1]) if value is not None else lines[-1]
        )
        mean = [(rf"({re.escape(name)} =|return) (.+)$", r"\1 (\2).mean()")]
        return told(case, "needs-v", made, sentence, changes.rewritten(source, made, mean))
    ones = [(r"\.backward\(\)", f".backward(torch.ones_like({name}))")]
    return told(case, "needs-v", line, sentence, changes.rewritten(source, line, ones * bool(name)))


def wrong_shape_v(case, line, text):
    """An upstream gradient of another shape."""
    v, shape = re.findall(r"torch\.Size\(\[(.*?)\]\)", text)[:2]
    ones = rf".backward(torch.ones_like({root_of(case, line)})\1)"
    pattern = r"(?<!autograd)\.backward\((?:gradient=)?.+?(, retain_graph=True)?\)$"
    lines = changes.rewritten(case.source, line, [(pattern, ones)])
    sentence = f"v has shape ({v}), the output has shape ({shape})."
    return told(case, "wrong-shape-v", line, sentence, lines)


def graph_freed(case, line, text):
    """A second pass through a graph that a pass has freed."""
    notes, source, root = case.notes, case.source, case.notes.root()
    gone = [node for node in below([root] if root is not None else []) if freed(node)]
    ran = {node: notes.ran_in.get(age(node), (0, 0)) for node in gone}
    gone = [node for node in gone if ran[node][1] < notes.passes]
    first = next((where for where, step in ran.values() if 0 < step < notes.passes), line)
    if first != line:
        sentence = (
            f"The pass in line {case.shown(first)} has freed the graph that the one in line "
            f"{case.shown(line)} needs, too."
        )
        return told(case, "graph-freed", first, sentence)
    old = [node for node in gone if age(node) <= notes.fresh] or gone  # made before the loop
    made = max((notes.lines.get(age(node), 0) for node in old), default=0)
    cause = next(iter(joined(case, line)), made or line)
    sentence = (
        f"The pass in line {case.shown(line)} comes a second time to what line "
        f"{case.shown(cause)} had recorded before the first one; that pass has freed it."
    )
    if name := source.rebinds(cause):
        lines = changes.put_after(source, line, f"{name} = {name}.detach()")
        return told(case, "graph-freed", cause, sentence, lines, "Cut between the steps.")
    return told(case, "graph-freed", cause, sentence, {}, "Compute it anew for each pass.")


def leaf_in_place(case, line, text):
    """A leaf was changed while recording."""
    source, lines = case.source, {}
    steps = source.having(r"^[\w.]+ [-+]= .*\.grad")
    for where in {line, *(w for w in steps if source.indent(w) == source.indent(line))}:
        lines[where] = changes.under_no_grad(source.text(where))
    sentence = f"`{source.text(line)}` changes a leaf that requires grad, while recording is on."
    return told(case, "leaf-in-place", line, sentence, lines)


def value_changed(case, line, text):
    """A number that a pass needs was overwritten."""
    source, cause = case.source, 0
    if match := re.search(r"Tensor \[(.*?)\]\].*is at version (\d+); expected version (\d+)", text):
        shape = tuple(map(int, re.findall(r"\d+", match[1])))
        found = [c for c in case.notes.changes if c[2] == int(match[3]) + 1]
        found = [c for c in found if c[1] == shape] or found
        live = [c for c in found if (t := c[0]()) is not None and t._version == int(match[2])]
        cause = (live or found or [(0, 0, 0, 0)])[-1][3]
    cause = cause or next(iter(source.having(r"\.detach_\(")), line)
    sentence = (
        f"Line {case.shown(cause)} overwrites numbers that the pass in line {case.shown(line)} "
        "still needs."
    )
    return told(case, "value-changed", cause, sentence)


def no_graph(case, line, text):
    """backward() where nothing was recorded."""
    notes, source, name = case.notes, case.source, root_of(case, line)
    rebinding = [where for where in sorted(notes.off) if source.rebinds(where)]
    if rebinding and notes.passes:
        return rebound(case, rebinding[0], line, line)
    cuts = sorted(notes.cuts, key=lambda where: where in notes.off)
    cuts = [where for where in cuts if "print(" not in source.text(where)]
    leading = source.leading_to(line, name)
    if not cuts:
        return _never_required(case, line, name, leading)
    cause = next((where for where in leading if where in cuts), cuts[0])
    is_off = cause in notes.off
    how = "nothing is recorded" if is_off else "the way back is cut"
    sentence = f"Here {how}; nothing leads back from backward() in line {case.shown(line)}."
    advice = "Compute it with recording on." if is_off else ""
    return told(case, "no-graph", cause, sentence, {} if is_off else None, advice)


def _never_required(case, line, root, leading):
    """Nobody said requires_grad=True."""
    source = case.source
    asked = re.findall(
        r"([A-Za-z_]\w*)\.grad\b|(?:SGD|Adam)\(\[(\w+)|\bgrad\([^,()]+,\s*\[?(\w+)", case.text
    )
    made = {where: name for groups in asked for name in groups if (where := source.making(name))}
    made = {where: name for where, name in made.items() if where < line}
    off = source.having(r"requires_grad(_\(False\)|\s*=\s*False)")
    cause = next(
        iter([*made, *off, *[w for w in leading if HARD.search(source.text(w))], *leading]),
        line,
    )
    sentence = f"Nothing that {root or 'the root'} was computed from requires grad."
    require = [(r"^(\w+ = torch\.\w+\(.*)\)$", r"\1, requires_grad=True)")]
    lines = changes.rewritten(source, cause, require) if made else {}
    return told(case, "no-graph", cause, sentence, lines, "Say of what you want gradients.")


def integer_leaf(case, line, text):
    """Whole numbers that should require grad."""
    source = case.source
    match = re.search(r"(\w+)\.requires_grad(?:_\(|\s*=)", source.text(line))
    cause = (source.setting(match[1], before=line) or [line])[-1] if match else line
    sentence = "These are whole numbers: an integer tensor was made, and should require grad."
    return told(case, "integer-leaf", cause, sentence)


def no_leaf(case, line, text):
    """Something computed was given to an optimizer, or was to be a leaf or a parameter."""
    source = case.source
    named = re.findall(r"[A-Za-z_]\w*", source.text(line))
    made = sorted(where for name in named for where in source.setting(name, before=line))
    cause = next((where for where in made if source.rebinds(where)), line)
    return rebound(case, cause, line, line)


def none_grad(case, line, text):
    """A .grad that is None was used."""
    notes, source = case.notes, case.source
    for made, asked in notes.missed_results.items():
        if line in asked and made:
            return rebound(case, made, line, line)
    for leaf in notes.leaves.values():
        if line not in leaf.missed:
            continue
        if leaf.cleared:
            return cleared(case, leaf.cleared, [leaf], line, line)
        name = next(iter(re.findall(r"([A-Za-z_][\w.]*?)\.grad\b", source.text(line))), "")
        lines = [where for where in source.setting(name) if source.rebinds(where)]
        if not leaf.requires_grad and lines:
            return rebound(case, lines[0], line, line)
        if leaf.requires_grad and not leaf.passes and (cut := case.cut_of(leaf)):
            return starving(case, cut, [leaf], cut, line)
    return None


def unused(case, line, text):
    """grad() was asked for something that is not on the way."""
    cuts = list(case.notes.cuts)
    leading = case.source.leading_to(line, root_of(case, line))
    cause = next((where for where in leading if where in cuts), cuts[0] if cuts else 0)
    return starving(case, cause, [], cause, line) if cause else None


CAUSES = {  # {part of a message: rule}
    "grad can be implicitly created only for scalar outputs": needs_v,
    "Mismatch in shape: grad_output": wrong_shape_v,
    "backward through the graph a second time": graph_freed,
    "a leaf Variable that requires grad is being used in an in-place operation": leaf_in_place,
    "modified by an inplace operation|detached in-place, i.e. with .detach_": value_changed,
    "does not require grad and does not have a grad_fn|Tensors does not require grad": no_graph,
    "can require gradients|of floating point dtype can require": integer_leaf,
    "can't optimize a non-leaf Tensor|requires_grad flags of leaf|cannot assign 'torch": no_leaf,
    "NoneType": none_grad,
    "appears? to not have been used": unused,
}
