"""Kinds that stop a program with an error: which line caused it, not only which raised it.

Their rules also take the line that stopped and the message, which is PyTorch's, word for word.
"""

import re

from minigrad.autograd.listeners import age, freed

from ..changes import OFF, cut_between, rewritten
from ..kind import Kind
from ..notes import below
from .gradients import LEFT_THE_GRAPH, NO_GRADIENT, rebound, starving
from .graphs import joined

_IN_PLACE = r"(?!zero_|detach_|requires_grad_)(\w+)_\((?!.*grad)"


def root_of(case, line):
    """The name on which a line calls backward(), or that it hands to grad(); "" if none."""
    pattern = r"([\w.]+)\.backward\(|\b(?:grad|backward)\(\s*\[?([\w.]+)"
    match = re.search(pattern, case.source.text(line))
    return next(filter(None, match.groups()), "") if match else ""


NEEDS_V = Kind(
    "needs-v",
    "backward() of a result with several elements",
    lesson="02-ask-for-more",
    why="With empty brackets, backward() starts from a single number.",
    advice="Take the mean for a loss; else give backward() a v, one weight for each output.",
)


@NEEDS_V.error("grad can be implicitly created only for scalar outputs")
def needs_v(case, line, text):
    """backward() on several elements."""
    source, name, root = case.source, root_of(case, line), case.notes.root()
    sentence = f"{name or 'The result'} has shape {tuple(root.shape)}, and backward() got no v."
    fix = [(r"\.backward\(\)", f".backward(torch.ones_like({name}))")] if name else []
    if source.setting(name, before=line) and re.search("loss|cost|err|mse", name.lower()):
        line = case.notes.lines.get(age(root.grad_fn), line)
        fix = [(rf"({re.escape(name)} =|return) (.+)$", r"\1 (\2).mean()")]
    return "needs-v", line, sentence, rewritten(source, line, fix)


WRONG_SHAPE_V = Kind(
    "wrong-shape-v",
    "an upstream gradient of another shape than its output",
    lesson="02-ask-for-more",
    why="Each output needs its own weight: v has exactly the output's shape.",
    advice="Give v the output's shape; for equal weights, ones.",
)


@WRONG_SHAPE_V.error("Mismatch in shape: grad_output")
def wrong_shape_v(case, line, text):
    """An upstream gradient of another shape."""
    v, shape = re.findall(r"torch\.Size\(\[(.*?)\]\)", text)[:2]
    ones = rf".backward(torch.ones_like({root_of(case, line)})\1)"
    fix = [(r"(?<!autograd)\.backward\((?:gradient=)?.+?(, retain_graph=True)?\)$", ones)]
    sentence = f"v has shape ({v}), the output has shape ({shape})."
    return "wrong-shape-v", line, sentence, rewritten(case.source, line, fix)


GRAPH_FREED = Kind(
    "graph-freed",
    "a second pass through a graph that is gone",
    lesson="09-free-graph",
    why="backward() frees what the graph, the record of how a result was computed, has saved.",
    advice="Add the two losses and call backward() once; or keep the graph the first time.",
    fixes=[
        (r"\.backward\(\)", ".backward(retain_graph=True)"),
        (r"(\.backward|\bgrad)\((.+)\)", r"\1(\2, retain_graph=True)"),
    ],
)


@GRAPH_FREED.error("backward through the graph a second time")
def graph_freed(case, line, text):
    """A second pass through a graph that a pass has freed."""
    notes, source = case.notes, case.source
    gone = [node for node in below([notes.root()]) if freed(node)]
    ran = {node: notes.ran_in.get(age(node), (0, 0)) for node in gone}
    gone = [node for node in gone if ran[node][1] < notes.passes]
    first = next((where for where, step in ran.values() if 0 < step < notes.passes), line)
    if first != line:
        sentence = f"This one has freed the graph that backward() in line {case.shown(line)} needs."
        return "graph-freed", first, sentence
    old = [node for node in gone if age(node) <= notes.fresh] or gone  # made before the loop
    made = max((notes.lines.get(age(node), 0) for node in old), default=0)
    cause = next(iter(joined(case, line)), made or line)
    sentence = (
        f"backward() in line {case.shown(line)} goes back to what this line recorded before an "
        "earlier backward(), and that one has freed it."
    )
    if name := source.rebinds(cause):
        lines = cut_between(source, cause, name)
        return (
            "graph-freed",
            cause,
            sentence,
            lines,
            f"Cut {name} off with .detach(): each step then has a graph of its own.",
        )
    return "graph-freed", cause, sentence, {}, "Compute it anew for each pass."


LEAF_IN_PLACE = Kind(
    "leaf-in-place",
    "a parameter changed in place while recording",
    lesson="10-tell-leaves",
    why="The change of a leaf cannot be part of its own graph; a step is no part of the loss.",
    advice="Switch recording off for it.",
    fixes=[(r"^(.+)$", OFF + r"\1")],
)


@LEAF_IN_PLACE.error("a leaf Variable that requires grad is being used in an in-place operation")
def leaf_in_place(case, line, text):
    """A leaf was changed while recording."""
    what = f"`{case.source.text(line)}` changes a leaf that requires grad, while recording is on."
    return "leaf-in-place", line, what


VALUE_CHANGED = Kind(
    "value-changed",
    "numbers changed that backward() still needed",
    lesson="10-tell-leaves",
    why="backward() needs the numbers with which the result was computed.",
    advice="Make a new tensor, and the old one keeps its numbers; or change it after backward().",
    fixes=[
        (r"^([\w.]+) ([-+*/])= ((?!.*grad).+)$", r"\1 = \1 \2 \3"),
        (rf"^(\w+)\.{_IN_PLACE}", r"\1 = \1.\2("),
        (rf"(\w+)\.{_IN_PLACE}", r"\1.\2("),
    ],
)


@VALUE_CHANGED.error("modified by an inplace operation|detached in-place, i.e. with .detach_")
def value_changed(case, line, text):
    """A number that a pass needs was overwritten."""
    found = case.source.having(r"\.detach_\(")
    if match := re.search(r"Tensor \[(.*?)\]\].*is at version (\d+); expected version (\d+)", text):
        shape = tuple(map(int, re.findall(r"\d+", match[1])))
        changes = [c for c in case.notes.changes if c[2] == int(match[3]) + 1]
        changes = [c for c in changes if c[1] == shape] or changes
        live = [c for c in changes if (t := c[0]()) is not None and t._version == int(match[2])]
        found = [where for *_, where in (live or changes)[-1:]]
    what = f"This overwrites numbers that backward() in line {case.shown(line)} still needs."
    return "value-changed", next(iter(found), line), what


NO_GRAPH = Kind(
    "no-graph",
    "backward() where nothing was recorded",
    lesson="10-tell-leaves",
    why="Without a record there is no way back from the loss to any parameter.",
    advice="Go on with the tensor itself.",
    fixes=NO_GRADIENT.fixes,
)


@NO_GRAPH.error("does not require grad and does not have a grad_fn|Tensors does not require grad")
def no_graph(case, line, text):
    """backward() where nothing was recorded."""
    notes, source, name = case.notes, case.source, root_of(case, line)
    rebinding = [where for where in sorted(notes.off) if source.rebinds(where)]
    if rebinding and notes.passes > 1:
        return rebound(case, rebinding[0], line)
    leading = source.leading_to(line, name)
    cuts = sorted(notes.cuts, key=lambda where: where in notes.off)
    cuts = [where for where in cuts if "print(" not in source.text(where)]
    if not cuts:
        return _never_required(case, line, name or "the root", leading)
    cause = next((where for where in leading if where in cuts), cuts[0])
    is_off = cause in notes.off
    how = "nothing is recorded" if is_off else "the way back is cut"
    sentence = f"Here {how}; nothing leads back from backward() in line {case.shown(line)}."
    advice = "Compute it with recording on." if is_off else ""
    return "no-graph", cause, sentence, {} if is_off else None, advice


def _never_required(case, line, root, leading):
    """Nobody said requires_grad=True."""
    source = case.source
    asked = re.findall(
        r"([A-Za-z_]\w*)\.grad\b|(?:SGD|Adam)\(\[(\w+)|\bgrad\([^,()]+,\s*\[?(\w+)", case.text
    )
    made = [source.making(name) for names in asked for name in names if name]
    made = [where for where in made if 0 < where < line]
    off = source.having(r"requires_grad(_\(False\)|\s*=\s*False)")
    hard = [where] if (where := case.hard(leading)) else []
    cause = next(iter([*made, *off, *hard, *leading]), line)
    fix = [(r"^(\w+ = torch\.\w+\(.*)\)$", r"\1, requires_grad=True)")] if made else []
    sentence = f"Nothing that {root} was computed from requires grad."
    advice = "Say of what you want gradients: requires_grad=True."
    return "no-graph", cause, sentence, rewritten(source, cause, fix), advice


INTEGER_LEAF = Kind(
    "integer-leaf",
    "whole numbers that should require a gradient",
    lesson="10-tell-leaves",
    why="A derivative asks for small changes, and whole numbers have none.",
    advice="Make it of floats.",
    fixes=[(r"(torch\.(?!.*dtype).*)\)$", r"\1, dtype=torch.float32)")],
)


@INTEGER_LEAF.error("can require gradients|of floating point dtype can require")
def integer_leaf(case, line, text):
    """Whole numbers that should require grad."""
    match = re.search(r"(\w+)\.requires_grad(?:_\(|\s*=)", case.source.text(line))
    lines = case.source.setting(match[1], before=line) if match else []
    return "integer-leaf", [line, *lines][-1], "These are whole numbers, and should require grad."


@LEFT_THE_GRAPH.error(
    "can't optimize a non-leaf Tensor|requires_grad flags of leaf|cannot assign 'torch"
)
def no_leaf(case, line, text):
    """Something computed was given to an optimizer, or was to be a leaf or a parameter."""
    source = case.source
    named = re.findall(r"[A-Za-z_]\w*", source.text(line))
    made = sorted(where for name in named for where in source.setting(name, before=line))
    return rebound(case, next((where for where in made if source.rebinds(where)), line), line)


@NO_GRADIENT.error("appears? to not have been used")
def unused(case, line, text):
    """grad() was asked for something that is not on the way."""
    leading = case.source.leading_to(line, root_of(case, line))
    cuts = [where for where in leading if where in case.notes.cuts] or list(case.notes.cuts)
    leaves = case.notes.cuts[cuts[0]] if cuts else []
    return starving(case, cuts[0], leaves, cuts[0]) if leaves else None
