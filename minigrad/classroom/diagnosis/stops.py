"""The rules for programs that stop with an error: which line caused it, not only which raised it.

The messages are PyTorch's, which the engine gives word for word.
"""

import re

from minigrad.autograd.watching import age, freed

from .courses import short
from .finding import Change, Finding, all_of
from .places import HARD, kept_leaf, made_in, moved, removed
from .program import OutOfTime
from .rules import joined
from .watching import below

CAUSES = {}  # {part of a message: rule(notes, line, text), which gives a finding}


def cause_of(error, line, notes):
    """The findings that an error gives: one, or none."""
    if isinstance(error, OutOfTime):
        return []
    for part, rule in CAUSES.items():
        if re.search(part, str(error)):
            found = rule(notes, line, str(error))
            return [] if found is None else [found]
    return []


def says(*parts):
    """Register a rule for errors whose message has one of these parts."""

    def register(rule):
        CAUSES.update(dict.fromkeys(parts, rule))
        return rule

    return register


def finding(kind, line, raised, sentence, advice="", change=None):
    """A finding of an error that was raised in another line, or in its own."""
    return Finding(kind, line, sentence, advice, change, raised if raised != line else 0)


def root_name(source, line):
    """The name on which a line calls backward(), or that it hands to grad(); "" if none."""
    match = re.search(r"([\w.]+)\.backward\(|\bgrad\(\s*\[?([\w.]+)", source.text(line))
    return next(filter(None, match.groups()), "") if match else ""


def root_of(notes):
    """The tensor that the last pass was to begin at, if it is still there."""
    return next((t for ref in notes.roots if (t := ref()) is not None), None)


@says("grad can be implicitly created only for scalar outputs")
def needs_v(notes, line, text):
    """backward() on several elements."""
    root, source = root_of(notes), notes.source
    name = root_name(source, line)
    made = (source.assigned(name, before=line) or [0])[-1] if name else 0
    shape = tuple(root.shape) if root is not None else "several"
    sentence = f"{name or 'The result'} has shape {shape}, and backward() was given no v."
    if made and re.search("loss|cost|err|mse", name.lower()):
        change, node = None, root.grad_fn if root is not None else None
        made = notes.lines.get(age(node), made) if node is not None else made
        if match := re.match(rf"({re.escape(name)} =|return) (.+)$", source.text(made)):
            new = f"{match[1]} ({match[2]}).mean()"
            change = Change(made, new, source.text(made))
        advice = "A loss is one number: take the mean."
        return finding("needs-v", made, line, sentence, advice, change)
    old = source.text(line)
    new = old.replace(".backward(", f".backward(torch.ones_like({name})", 1)
    change = Change(line, new, old) if name and ".backward()" in old else None
    return finding("needs-v", line, line, sentence, "Say what each output weighs:", change)


@says("Mismatch in shape: grad_output")
def wrong_shape_v(notes, line, text):
    """An upstream gradient of another shape."""
    shapes = re.findall(r"torch\.Size\(\[(.*?)\]\)", text)
    sentence = f"v has shape ({shapes[0]}), the output has shape ({shapes[1]})."
    source, name = notes.source, root_name(notes.source, line)
    match = re.search(
        r"\.backward\((?:gradient=)?(.+?)(, retain_graph=True)?\)$", source.text(line)
    )
    change = None
    if match and name:
        old = source.text(line)
        new = old.replace(match[1], f"torch.ones_like({name})", 1)
        change = Change(line, new, old)
    advice = f"Give v the shape ({shapes[1]}), a number for each output; for equal weights:"
    return finding("wrong-shape-v", line, line, sentence, advice, change)


@says("backward through the graph a second time")
def graph_freed(notes, line, text):
    """A second pass through a graph that a pass has freed."""
    root, source = root_of(notes), notes.source
    gone = [node for node in below([root]) if freed(node)] if root is not None else []
    ran = [notes.ran_in.get(age(node), (0, 0)) for node in gone]
    gone = [node for node, (_, step) in zip(gone, ran) if step < notes.steps]
    first = next((where for where, step in ran if 0 < step < notes.steps), 0)
    if first == line:  # the same line again: the graph was made before it, once
        old = [node for node in gone if age(node) <= notes.fresh]
        made = max((notes.lines.get(age(node), 0) for node in old or gone), default=0)
        cause = next(iter(joined(notes, line)), made or line)
        name = source.rebinds(cause)
        sentence = (
            f"The pass in line {source.shown(line)} comes a second time to what line "
            f"{source.shown(cause)} had recorded before the first one; that pass has freed it."
        )
        if name:
            new = f"{source.indent(line)}{name} = {name}.detach()"
            change = Change(source.last_line(line), new)
            return finding("graph-freed", cause, line, sentence, "Cut between the steps:", change)
        return finding("graph-freed", cause, line, sentence, "Compute it anew for each pass.")
    sentence = (
        f"The pass in line {source.shown(first or line)} has freed the graph that the one in line "
        f"{source.shown(line)} needs, too."
    )
    old = source.text(first or line)
    match = re.search(r"\.backward\((.*)\)", old)
    change = None
    if match:
        given = f"{match[1]}, " if match[1] else ""
        new = old.replace(match[0], f".backward({given}retain_graph=True)", 1)
        change = Change(first or line, new, old)
    advice = "Add the two losses and call backward() once; or keep the graph the first time:"
    return finding("graph-freed", first or line, line, sentence, advice, change)


@says("a leaf Variable that requires grad is being used in an in-place operation")
def leaf_in_place(notes, line, text):
    """A leaf was changed while recording."""
    source, indent = notes.source, notes.source.indent(line)
    old = source.text(line)
    change = Change(line, f"with torch.no_grad():\n{indent}    {old}", old)
    steps = [w for w in source.calls(r"^\s*[\w.]+ [-+]= .*\.grad") if w != line]
    steps = [w for w in steps if source.indent(w) == indent]
    wrapped = [
        Change(w, f"with torch.no_grad():\n{indent}    {source.text(w)}", source.text(w))
        for w in steps
    ]
    change = all_of([change, *wrapped])
    sentence = f"`{old}` changes a leaf that requires grad, while recording is on."
    return finding("leaf-in-place", line, line, sentence, "Switch recording off for it:", change)


@says("has been modified by an inplace operation", "detached in-place, i.e. with .detach_")
def value_changed(notes, line, text):
    """A number that a pass needs was overwritten."""
    source = notes.source
    match = re.search(r"Tensor \[(.*?)\]\].*is at version (\d+); expected version (\d+)", text)
    cause = 0
    if match:
        shape = tuple(map(int, re.findall(r"\d+", match[1])))
        wanted = int(match[3]) + 1
        told = [c for c in notes.changes if c[2] == wanted]
        same = [c for c in told if c[1] == shape] or told
        live = [c for c in same if (t := c[0]()) is not None and t._version == int(match[2])]
        cause = (live or same or [(0, 0, 0, 0)])[-1][3]
    elif found := source.calls(r"\.detach_\("):
        cause = found[0]
    cause = cause or line
    sentence = (
        f"Line {source.shown(cause)} overwrites numbers that the pass in line "
        f"{source.shown(line)} still needs."
    )
    old = source.text(cause)
    assigned = re.match(r"([\w.]+) ([-+*/])= (.+)$", old)
    change, advice = None, "Move the change behind the pass, or make a new tensor."
    if assigned and "grad" not in old:
        name, sign, value = assigned.groups()
        change = Change(cause, f"{name} = {name} {sign} {value}", old)
        advice = "Make a new tensor:"
    elif called := re.search(r"(\w+)\.(\w+)_\((.*)\)$", old):
        name, what, given = called.groups()
        if what not in ("zero", "detach", "requires_grad") and "grad" not in old:
            new = f"{name} = {name}.{what}({given})"
            change = Change(
                cause, new if old == called[0] else f"{name}.{what}({given})", called[0]
            )
            advice = "Make a new tensor:"
    return finding("value-changed", cause, line, sentence, advice, change)


@says("does not require grad and does not have a grad_fn", "Tensors does not require grad")
def no_graph(notes, line, text):
    """backward() where nothing was recorded."""
    source = notes.source
    rebound = [where for where in sorted(notes.off) if source.rebinds(where)]
    if rebound and notes.steps:
        cause = rebound[0]
        name = source.rebinds(cause)
        sentence = (
            f"Since line {source.shown(cause)} {name} is the result of an operation that was not "
            f"recorded; it does not require grad, and line {source.shown(line)} fails."
        )
        advice = kept_leaf(source, cause)
        return finding("left-the-graph", cause, line, sentence, *advice)
    cut = [where for where in notes.cuts if where not in notes.off] + sorted(notes.off)
    cut = [where for where in cut if not re.search(r"print\(", source.text(where))]
    if cut:
        cause = _on_the_way(source, line, cut)
        how = "nothing is recorded" if cause in notes.off else "the way back is cut"
        sentence = f"In line {source.shown(cause)} {how}; no way leads back from line " + str(
            source.shown(line)
        )
        advice = "Compute it with recording on." if cause in notes.off else "Go on with the tensor:"
        return finding("no-graph", cause, line, sentence + ".", advice, removed(source, cause))
    return _never_required(notes, line)


def _on_the_way(source, line, cut):
    """Of the lines that cut, the one that the root of the pass was computed from."""
    lines = source.back_from(line, root_name(source, line))
    return next((where for where in lines if where in cut), cut[0])


def _never_required(notes, line):
    """Nobody said requires_grad=True."""
    source = notes.source
    asked = re.findall(r"([A-Za-z_]\w*)\.grad\b", "\n".join(source.lines))
    asked += re.findall(r"(?:SGD|Adam)\(\[(\w+)", "\n".join(source.lines))
    asked += re.findall(r"\bgrad\([^,()]+,\s*\[?(\w+)", "\n".join(source.lines))
    made = [(name, made_in(source, name)) for name in dict.fromkeys(asked)]
    made = [(name, where) for name, where in made if where and where < line]
    name, cause = made[0] if made else ("", line)
    root = root_name(source, line)
    if not made and (lines := source.back_from(line, root)):
        cause = min([w for w in lines if HARD.search(source.text(w))], default=lines[0])
    off = source.calls(r"requires_grad(_\(False\)|\s*=\s*False)")
    cause = off[0] if off and not made else cause
    sentence = f"Nothing that {root or 'the root'} was computed from requires grad."
    old, change = source.text(cause), None
    if name and (match := re.match(rf"{name} = (torch\.\w+\(.*)\)$", old)):
        change = Change(cause, f"{name} = {match[1]}, requires_grad=True)", old)
    return finding("no-graph", cause, line, sentence, "Say of what you want gradients:", change)


@says("can require gradients", "of floating point dtype can require")
def integer_leaf(notes, line, text):
    """Whole numbers that should require grad."""
    source = notes.source
    match = re.search(r"(\w+)\.requires_grad(?:_\(|\s*=)", source.text(line))
    cause = (source.assigned(match[1], before=line) or [line])[-1] if match else line
    old = source.text(cause)
    new = re.sub(r"\)$", ", dtype=torch.float32)", old) if "dtype" not in old else old
    change = Change(cause, new, old) if new != old and "torch." in old else None
    sentence = "These are whole numbers: an integer tensor was made, and should require grad."
    return finding("integer-leaf", cause, line, sentence, "Make it of floats:", change)


@says(
    "can't optimize a non-leaf Tensor", "change requires_grad flags of leaf", "cannot assign 'torch"
)
def no_leaf(notes, line, text):
    """Something computed was given to an optimizer, or was to be a leaf or a parameter."""
    source = notes.source
    named = re.findall(r"[A-Za-z_]\w*", source.text(line))
    made = [where for name in named for where in source.assigned(name, before=line)]
    rebound = [where for where in sorted(made) if source.rebinds(where)]
    cause = rebound[0] if rebound else line
    sentence = f"{source.rebinds(cause) or 'This'} is the result of an operation, and no leaf."
    return finding("left-the-graph", cause, line, sentence, *kept_leaf(source, cause))


@says("NoneType")
def none_grad(notes, line, text):
    """A .grad that is None was used."""
    source = notes.source
    name = next(iter(re.findall(r"([A-Za-z_][\w.]*?)\.grad\b", source.text(line))), "")
    if not name or not notes.steps:
        return None
    for made, asked in notes.missed_results.items():
        if asked == line and made:
            return _rebound(source, made, line, source.rebinds(made) or name)
    leaf = next((leaf for leaf in notes.leaves.values() if leaf.missed == line), None)
    if leaf is None or leaf.passes:
        return _cleared(notes, leaf, line) if leaf is not None and leaf.cleared else None
    if not leaf.requires_grad:
        lines = [where for where in source.assigned(name) if source.rebinds(where)]
        return _rebound(source, lines[0], line, name) if lines else None
    return None


def _rebound(source, made, line, name):
    sentence = (
        f"{name} was a leaf; since line {source.shown(made)} the name stands for the result of an "
        f"operation, so its .grad in line {source.shown(line)} is None."
    )
    return finding("left-the-graph", made, line, sentence, *kept_leaf(source, made))


def _cleared(notes, leaf, line):
    source = notes.source
    sentence = (
        f"{leaf.name}.grad was {short(leaf.grad)} after backward(); line "
        f"{source.shown(leaf.cleared)} took it away, and line {source.shown(line)} needs it."
    )
    told = moved(notes, leaf.cleared, line)
    return finding("cleared-before-step", leaf.cleared, line, sentence, *told)


@says("appear to not have been used|appears to not have been used")
def unused(notes, line, text):
    """grad() was asked for something that is not on the way."""
    if not notes.cuts:
        return None
    source = notes.source
    cause = _on_the_way(source, line, list(notes.cuts))
    sentence = f"In line {source.shown(cause)} the way back is cut, so nothing leads to the input."
    return finding(
        "no-gradient", cause, line, sentence, "Go on with the tensor:", removed(source, cause)
    )
