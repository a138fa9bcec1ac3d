"""Kinds that stop a program with an error: which line caused it, not only which raised it.

The messages are PyTorch's, word for word.
"""

import re

from minigrad.autograd.listeners import freed

from ..changes import OFF, calling_with, cut_between, put_after, rewritten, stacked
from ..kind import Kind, names
from ..sites import below, operation
from .gradients import left_the_graph, no_gradient, rebound, starving
from .graphs import joined

_NO_GRAPH = "does not require grad and does not have a grad_fn|Tensors does not require grad"
_STEP_BETWEEN = "The step between them changed the parameters: compute this loss again after it."
_OTHER_MODEL = (
    "If this loss should not reach the other model, give it {}.detach(). If it should, keep the "
    "graph: retain_graph=True."
)
_COMPARING = {"Sub", "Rsub", "MseLoss", "SmoothL1Loss", "NllLoss", "BinaryCrossEntropy"}
_ASK = "Set requires_grad=True on the tensors whose gradients you want."
_ASKING = [(r"^(\w+ = torch\.\w+\((?!.*requires_grad).*)\)$", r"\1, requires_grad=True)")]
_IN_PLACE = r"(?!zero_|detach_|requires_grad_)(\w+)_\((?!.*grad)"


@Kind(
    error="grad can be implicitly created only for scalar outputs",
    lesson="02-ask-for-more",
    why="Called without an argument, backward() starts from a single number.",
    advice="For a loss, take the mean; otherwise pass a v, one weight for each output.",
)
def needs_v(case):
    """backward() is called on several numbers without an upstream gradient v."""
    name, root, line = case.root_name(case.line), case.notes.root(), case.line
    what = f"{name or 'The result'} has shape {tuple(root.shape)}"
    sentence = f"{what}, and backward() was called without a v."
    fix = [(r"\.backward\(\)", f".backward(torch.ones_like({name}))")] if name else []
    compared = _COMPARING & set(map(operation, below([root.grad_fn], 4)))
    if compared and case.source.setting(name, before=line):
        line = case.notes.of(root.grad_fn).line or line
        fix = [(rf"({re.escape(name)} =|return) (.+)$", r"\1 (\2).mean()")]
    return line, sentence, rewritten(case.source, fix, line)


@Kind(
    error="Mismatch in shape: grad_output",
    lesson="02-ask-for-more",
    why="Each output needs its own weight: v has exactly the output's shape.",
    advice="Give v the output's shape; for equal weights, ones.",
)
def wrong_shape_v(case):
    """The upstream gradient v has another shape than its output."""
    v, shape = re.findall(r"torch\.Size\(\[(.*?)\]\)", str(case.error))[:2]
    ones = rf".backward(torch.ones_like({case.root_name(case.line)})\1)"
    fix = [(r"(?<!autograd)\.backward\((?:gradient=)?.+?(, retain_graph=True)?\)$", ones)]
    sentence = f"v has shape ({v}), the output has shape ({shape})."
    return case.line, sentence, rewritten(case.source, fix, case.line)


@Kind(
    error="backward through the graph a second time",
    lesson="09-free-graph",
    why="backward() frees the numbers saved in the graph, so a second pass does not find them.",
    advice="Add the two losses and call backward() once; or keep the graph the first time.",
    fixes=calling_with("retain_graph=True"),
)
def graph_freed(case):
    """A second pass goes through a graph that an earlier one has freed."""
    notes, source, again = case.notes, case.source, case.at(case.line)
    nodes = [node for node in below([notes.root().grad_fn]) if freed(node)]
    nodes = [node for node in nodes if notes.of(node).ran[1] < notes.passes]
    gone = [notes.of(node) for node in nodes]
    first = next((made.ran[0] for made in gone if made.ran[1]), case.line)
    leading = source.leading_to(case.line, case.root_name(case.line))
    if first in leading and "create_graph" not in source.text(first):
        return _unrecorded(case, first)
    if first != case.line:
        sentence = f"This call freed the graph that backward() in {again} needs."
        if any(first < leaf.update_line < case.line for leaf in notes.leaves_below(nodes)):
            return first, sentence, {}, _STEP_BETWEEN
        is_other = len(set(re.findall(r"(\w+)\.step\(", case.text))) > 1
        if not is_other:
            return first, sentence
        made = max(made.lines[-1] for made in gone)
        name = source.target(made)
        way = [k for k in source.leading_to(first, case.root_name(first)) if k > made]
        cut = [cut_between(source, k, name) for k in way] if name else []
        return first, sentence, next(filter(None, cut), {}), _OTHER_MODEL.format(name or "it")
    cause = next(iter(joined(case)), max((made.line for made in gone), default=0)) or case.line
    sentence = f"backward() in {again} needs what this line recorded, but a pass has freed it."
    return cause, sentence, *_carried_on(case, cause)


def _carried_on(case, line):
    """(lines, advice) against a line that takes up what was recorded before an earlier pass."""
    name = case.source.rebinds(line)
    if not name:
        return {}, "Compute it again for each pass."
    # Deeper than backward(), the line runs several times for it: cut after the step.
    is_deeper = len(case.source.indent(line)) > len(case.source.indent(case.line))
    lines = {} if is_deeper else cut_between(case.source, line, name)
    return lines, f"Detach {name} once after each pass: {name} = {name}.detach()."


@Kind(
    error="a leaf Variable that requires grad is being used in an in-place operation",
    lesson="10-tell-leaves",
    why="A leaf cannot be changed while operations are recorded; a step is not part of the loss.",
    advice="Take the step with recording switched off.",
    fixes=[(rf"^(\w+ = \w+)\.{_IN_PLACE}", r"\1.\2("), (r"^(.+)$", OFF + r"\1")],
)
def leaf_in_place(case):
    """A parameter is changed in place while operations are recorded."""
    text = case.source.text(case.line)
    sentence = f"`{text}` changes a leaf that requires grad, while recording is on."
    advice = "" if "grad" in text else "Make a new tensor; to set a leaf, switch recording off."
    lines = rewritten(case.source, leaf_in_place.fixes, *case.source.alike(case.line))
    return case.line, sentence, lines, advice


@Kind(
    error="modified by an inplace operation|detached in-place, i.e. with .detach_",
    lesson="10-tell-leaves",
    why="backward() needs the numbers with which the result was computed.",
    advice="Make a new tensor and leave the old one as it is, or change it after backward().",
    fixes=[
        (r"^([\w.]+) ([-+*/])= ((?!.*grad).+)$", r"\1 = \1 \2 \3"),
        (rf"^(\w+)\.{_IN_PLACE}", r"\1 = \1.\2("),
        (rf"(\w+)\.{_IN_PLACE}", r"\1.\2("),
    ],
)
def value_changed(case):
    """Numbers were overwritten that backward() still needs."""
    versions = re.search(r"is at version (\d+); expected version (\d+)", str(case.error))
    found = case.source.having(r"\.detach_\(")
    if versions:
        now, expected = map(int, versions.groups())
        changes = [one for one in reversed(case.notes.changes) if one[1] == expected + 1]
        live = [one for one in changes if (x := one[0]()) is not None and x._version == now]
        found = [line for *_, line in live or changes]
    line = next(iter(found), case.line)
    for carrying in joined(case):
        so = f"goes through earlier rounds, too, whose numbers were changed in {case.at(line)}."
        what = f"With this line, backward() in {case.at(case.line)} {so}"
        return carrying, what, *_carried_on(case, carrying)
    what = f"This overwrites numbers that backward() in {case.at(case.line)} still needs."
    is_step = ".step(" in case.source.text(line)
    return line, what, None, "Step only after each backward() that needs these numbers." * is_step


@left_the_graph.error(_NO_GRAPH)
def rebound_unrecorded(case):
    """A parameter was computed anew while nothing was recorded."""
    lines = [line for line in sorted(case.notes.off) if case.source.rebinds(line)]
    return rebound(case, lines[0], case.line) if lines else None


@Kind(
    error=_NO_GRAPH,
    lesson="10-tell-leaves",
    why="Without a record there is no way back from the loss to any parameter.",
    advice="Go on with the tensor itself.",
    fixes=no_gradient.fixes,
)
def no_graph(case):
    """backward() is called where nothing was recorded."""
    notes, source, name = case.notes, case.source, case.root_name(case.line)
    leading = source.leading_to(case.line, name)
    cuts = [line for line in case.cuts if "print(" not in source.text(line)]
    on_the_way = [line for line in leading if line in cuts]
    if not on_the_way and (slope := _slope(case, leading)):
        return slope
    if not cuts:
        return _never_required(case, name or "the root", leading)
    cause = [*on_the_way, *cuts][0]
    so = f"backward() in {case.at(case.line)} has no way back."
    if cause not in notes.off:
        return cause, f"The graph ends here, so {so}", stacked(source, cause) or None
    if decorator := source.switched_off_by(cause):
        advice = "Leave this out: the loss is computed from what is done here."
        return decorator, f"Nothing is recorded below, so {so}", {}, advice
    advice = "Move it out of the block that switches recording off."
    if switched := source.having(r"^torch\.set_grad_enabled\(False\)"):
        cause, advice = switched[0], "Use `with torch.no_grad():`, which ends with its block."
    return cause, f"Nothing is recorded here, so {so}", {}, advice


@no_graph.error("'(float|int)' object has no attribute 'backward'")
def a_number(case):
    """backward() is called on a plain number."""
    source, name = case.source, case.root_name(case.line)
    lines = [case.line, *source.leading_to(case.line, name)]
    line = next((line for line in lines if ".item()" in source.text(line)), 0)
    sentence = f"{name} is a plain number, without any record of how it was computed."
    return (line, sentence) if line else None


def _slope(case, leading):
    """What is differentiated is a gradient itself, which an earlier pass gave; or None."""
    source, passes = case.source, [line for line in case.notes.sites if line != case.line]
    gave = [line for line in leading if line in passes]
    if not gave and any(re.search(r"\.grad\b", source.text(k)) for k in [case.line, *leading]):
        gave = passes[-1:]
    if not gave:
        return None
    if "create_graph" in source.text(gave[0]):
        sentence = "What this gives is the same everywhere: a constant has no way back."
        return gave[0], sentence, {}, "There is nothing more to differentiate: it is 0."
    return _unrecorded(case, gave[0])


def _unrecorded(case, line):
    """What is told of a pass that gives what is differentiated in turn, and leaves no record."""
    sentence = f"What this call gives goes into {case.at(case.line)}, but was not recorded."
    lines = rewritten(case.source, calling_with("create_graph=True"), line)
    return line, sentence, lines, "Record this pass, too: create_graph=True."


def _never_required(case, root, leading):
    """Nobody said requires_grad=True, or what was computed became whole numbers."""
    source = case.source
    if hard := case.hardened(case.line):
        sentence = "Whole numbers, True and False have no gradient: the way back ends here."
        return hard, sentence, {}, "Use a smooth loss of the outputs themselves."
    sentence = f"Nothing that {root} was computed from requires grad."
    if off := source.having(r"requires_grad(_\(False\)|\s*=\s*False)"):
        advice = "Switch it off only for what should not learn."
        return off[0], f"{sentence[:-1]}: it is switched off here.", {}, advice
    made = _asked(case)
    cause = next(iter([*made, *leading]), case.line)
    return cause, sentence, rewritten(source, _ASKING, *made), _ASK


def _asked(case):
    """The lines that made what the program wants gradients of."""
    asked = re.findall(
        r"([A-Za-z_]\w*)\.grad\b|(?:SGD|Adam)\(\[(\w+)|\bgrad\([^,()]+,\s*\[?(\w+)", case.text
    )
    made = [case.source.making(name) for found in asked for name in found if name]
    return [line for line in made if 0 < line < case.line]


@Kind(
    error="can require gradients|of floating point dtype can require",
    lesson="10-tell-leaves",
    why="A derivative is about small changes, and whole numbers have none.",
    advice="Use floats.",
    fixes=[(r"(torch\.(?!.*dtype).*)\)$", r"\1, dtype=torch.float32)")],
)
def integer_leaf(case):
    """A tensor of whole numbers is asked to require a gradient."""
    match = re.search(r"(\w+)\.requires_grad(?:_\(|\s*=)", case.source.text(case.line))
    lines = case.source.setting(match[1], before=case.line) if match else []
    at = [case.line, *lines][-1]
    sentence = "These are whole numbers, and only floats can require a gradient."
    return at, sentence, rewritten(case.source, integer_leaf.fixes, *case.source.alike(at))


@left_the_graph.error("can't optimize a non-leaf|requires_grad flags of leaf|cannot assign 'torch")
def no_leaf(case):
    """Something computed was given to an optimizer, or was to be a leaf or a parameter."""
    source = case.source
    named = re.findall(r"[A-Za-z_]\w*", source.text(case.line))
    made = [k for k in source.setting(*named, before=case.line) if k in case.notes.recording]
    if made:
        return rebound(case, next(filter(source.rebinds, made), made[-1]), case.line)
    sentence = "The result of an operation stands here, where a leaf that requires grad is needed."
    wrapped = [(r"^([\w.]+) = (.+)$", r"\1 = torch.nn.Parameter((\2).detach())")]
    advice = "Change its numbers under no_grad, or make a new nn.Parameter."
    return case.line, sentence, rewritten(source, wrapped, case.line), advice


@no_gradient.error("appears? to not have been used")
def unused(case):
    """grad() was asked for something that is not on the way."""
    cuts = case.notes.cuts
    leading = case.source.leading_to(case.line, case.root_name(case.line))
    line = next((line for line in [*leading, *cuts] if line in cuts), 0)
    return starving(case, line, cuts[line], line) if line else None


@left_the_graph.error("'?NoneType")
def not_retained(case):
    """The .grad of a result is missing, because nobody asked it to keep one."""
    name = case.notes.unkept.get(case.line)
    if not name or not case.unguarded([case.line]):
        return None
    made, kept = case.source.making(name) or case.line, f"{name}.retain_grad()"
    sentence = f"{name} is a result, so {case.at(case.line)} finds None."
    lines = put_after(case.source, made, kept) if made < case.line else {}
    return case.line, sentence, lines, f"Ask for it before backward(): {kept}."


@no_gradient.error("'?NoneType")
def never_asked(case):
    """The .grad of a leaf is missing, because it was never said that the leaf requires grad."""
    leaves = [*case.notes.leaves.values(), *case.notes.gone]
    leaves = [one for one in leaves if case.line in one.missed and not one.requires_grad]
    if not leaves:
        return None
    line = case.source.making(leaves[0].name) or case.line
    sentence = f"Without requires_grad, {case.at(case.line)} finds no .grad of {names(leaves)}."
    return line, sentence, rewritten(case.source, _ASKING, line, *_asked(case)), _ASK
