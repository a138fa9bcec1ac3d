"""Kinds that show in the parameters: they stay where they are, or were to stay and move."""

import difflib
import re

from ..changes import REBINDING, put_after, rate_of, rewritten
from ..kind import Kind, grouped, names, short

_NOT_MEANT = 0, "", None
_ITERATOR = r"= ([\w.]+\.parameters\(\))$"
_USED_UP = "An iterator such as model.parameters() is used up after one round: make it a list."
_PLAIN_LIST = "parameters() does not look into a plain list: put the layers into nn.ModuleList."


@Kind(
    lesson="01-nudge-number",
    why="backward() only computes gradients. A step uses them, and moves only what it was given.",
    advice="Take a step after backward().",
    fixes=[(REBINDING, r"\1 \3= \4"), (r"\.step$", ".step()")],
)
def not_updated(case):
    """A parameter gets gradients but never moves."""
    still = [leaf for leaf in case.known if leaf.nonzero > 1 and not leaf.updates]
    still = [] if case.notes.missed_results or case.looks_well else still  # see left_the_graph
    moving = [leaf for leaf in case.known if leaf.updates]
    found = {leaf: _meant(case, leaf, moving) for leaf in still}
    for (line, advice), leaves in grouped(still, lambda leaf: found[leaf][:2]):
        what = f"{names(leaves)} got {leaves[0].passes} gradients"
        sentence = f"{what} (the first had {short(leaves[0].seen[0])}), but never moved."
        yield from [(line, sentence, found[leaves[0]][2], advice)] if line else []
    if not case.looks_well:
        yield from _made_anew(case)
        yield from _moved_once(case)


def _made_anew(case):
    """A layer is made each time it is used: its parameters have no name when gradients arrive."""
    for line, (rounds, _) in case.notes.fleeting.items():
        if rounds > 3:
            sentence = f"{rounds} times, parameters used here got one gradient, and were gone."
            yield line, sentence, {}, "Make this layer once, in __init__: a new one learns nothing."


def _moved_once(case):
    """All parameters moved in the first step and never again, and nobody looks at what arrives."""
    fed = [leaf for leaf in case.known if leaf.nonzero > 5]
    once = [one for one in fed if one.updates == one.full_steps == 1 and one.wasted > 5]
    if once and once == fed:
        sentence = f"{names(fed)} got {fed[0].passes} gradients, but moved only once."
        made = case.source.having(_ITERATOR)
        lines = rewritten(case.source, [(_ITERATOR, r"= list(\1)")], *made)
        yield fed[0].update_line, sentence, lines, _USED_UP


@not_updated.error("optimizer got an empty parameter list")
def no_parameters(case):
    """An optimizer is given no parameter at all: layers in a plain list are not registered."""
    lists = case.source.having(r"^self\.\w+ = \[.*\b(nn\.|Linear\()")
    if not lists:
        return None
    lines = rewritten(case.source, [(r"= (\[.*\])$", r"= torch.nn.ModuleList(\1)")], lists[0])
    sentence = f"The optimizer in {case.at(case.line)} gets no parameters from these layers."
    return lists[0], sentence, lines, _PLAIN_LIST


def _meant(case, leaf, moving):
    """(line, advice, change) if a leaf that never moves was meant to; no line if it was not."""
    line, source = leaf.optimizer, case.source
    if not line:
        return _meant_by_hand(case, leaf, moving) if moving else _nothing_moves(case, leaf)
    if not moving and case.reads_grad() and not _looks_at(case, leaf):
        return _NOT_MEANT  # it is about the gradients alone
    if leaf.full_steps and not moving and not case.error:
        return rate_of(source, leaf)[0], "Use a larger learning rate.", None
    if case.error or line in case.notes.stepping:
        return _NOT_MEANT  # its gradients are gone, or 0, when the step is made
    if uncalled := source.having(r"\.step$"):
        return uncalled[0], "Without parentheses, step is not called.", None
    name = source.target(line)
    if moving and not source.having(rf"(?<![\w.]){re.escape(name)}\."):
        return _NOT_MEANT  # for another cell
    taken = [other for other in source.setting(name) if other > line]
    if taken and taken[-1] in case.notes.optimizers:
        advice = f"From {case.at(taken[-1])} on {name} is another one: give each a name and a step."
        return line, advice, None
    return leaf.line, "", put_after(source, leaf.line, f"{name}.step()")


def _meant_by_hand(case, leaf, moving):
    """The same if others move, and no optimizer has this leaf: an input, a part of a model?"""
    optimizers, name = case.notes.optimizers, leaf.name
    if optimizers and re.search(r"\.\w+\[.*\]\.\w+$", name):
        return case.source.making(name.split("[")[0]), _PLAIN_LIST, None
    if case.derives or case.reads_grad(name):
        return _NOT_MEANT
    layer = name.rpartition(".")[0]
    if optimizers and (whole := _forgotten_end(case, leaf, moving)):
        line = max(optimizers)
        both = [(r"([\w.]+\.parameters\(\))", rf"[*\1, *{whole}.parameters()]")]
        advice = (
            f"It lacks {whole}.parameters(): add them, or freeze them by requires_grad_(False)."
        )
        return line, advice, rewritten(case.source, both, line)
    is_chosen = leaf.is_parameter and not name.endswith(".bias")  # as where biases are tuned alone
    if optimizers and not is_chosen and any(one.name.startswith(f"{layer}.") for one in moving):
        advice = (
            f"It lacks a part of {layer}: give it {layer}.parameters(), which finds what is an "
            "nn.Parameter."
        )
        return max(optimizers), advice, None
    is_cleared = case.source.having(re.escape(name) + r"\.grad( = |\.zero_)")  # for nothing else
    would_move = optimizers and leaf.is_shared or leaf.clears and is_cleared
    twice = _taken_twice(optimizers)
    if twice and (layer or would_move):
        advice = f"The optimizer of {case.at(twice[0])} has the same parameters: take others here."
        return twice[1], advice, None
    if layer or not would_move:
        return _NOT_MEANT
    line = max(optimizers or [one.update_line for one in moving])
    return line, f"Update {name} as well, like the others.", None


def _taken_twice(optimizers):
    """Two lines that make optimizers of the same parameters; or None."""
    seen = {}
    for line, optimizer in sorted(optimizers.items()):
        held = tuple(id(p) for group in optimizer.param_groups for p in group["params"])
        if seen.setdefault(held, line) != line:
            return seen[held], line
    return None


def _nothing_moves(case, leaf):
    """The same if no leaf moves, and no optimizer has this one."""
    source, site = case.source, case.notes.sites[leaf.line]
    if case.notes.stepping:
        advice = "This optimizer holds other parameters: give it the ones named above."
        return min(case.notes.stepping), advice, None
    for one in [one for one in source.statements if one.attempts]:
        result = one.targets[0] if one.targets else one.attempts
        if result == one.attempts or not source.is_read(result, besides=one):
            return one.first, "The parameter itself stays as it was: change it in place.", None
    if _looks_at(case, leaf) and len(set(site.losses)) == 1 and not case.reads_grad():
        step = f"with torch.no_grad():\n    {leaf.name} -= 0.1 * {leaf.name}.grad"
        return leaf.line, "", put_after(source, leaf.line, step)
    return _NOT_MEANT


def _looks_at(case, leaf):
    """Whether the program prints what the passes to a leaf begin at, or takes its number."""
    root = re.escape(case.source.target(case.notes.sites[leaf.line].root_line) or "-")
    return case.source.having(rf"\b{root}\.item\(|print\(.*\b{root}\b")


def _forgotten_end(case, leaf, moving):
    """The whole model of a leaf that stays, if it stands behind all that an optimizer trains.

    Who freezes something on purpose freezes what stands before, an encoder and not its decoder; or
    what has been set, or what was used for something else.
    """
    if not re.fullmatch(r"[\w.]+", leaf.name):  # a name that can be written into a change
        return ""
    parts = leaf.name.split(".")
    paths = [".".join(parts[:k]) for k in range(1, len(parts))]
    free = [path for path in paths if not any(f"{f.name}.".startswith(f"{path}.") for f in moving)]
    is_last = all("." in f.name and f.optimizer and leaf.turn < f.turn for f in moving)
    is_new = any(one.name == leaf.name and one.optimizer for one in case.known)  # see no_gradient
    is_used = any(line < leaf.line and leaf in cut for line, cut in case.notes.cuts.items())
    in_eval = case.source.having(rf"\b{parts[0]}\b.*\.eval\(")  # from its beginning
    is_meant = is_new or is_used or min(in_eval, default=leaf.line) < leaf.line
    in_one_line = leaf.line in [f.optimizer for f in moving]  # in a function of another cell
    is_meant = is_meant or in_one_line or not leaf.is_fresh
    return free[0] if free and is_last and not is_meant else ""


@Kind(
    lesson="10-tell-leaves",
    why="Only requires_grad of each parameter tells whether it gets gradients.",
    advice="Set requires_grad of the parameters, or call requires_grad_(False) on the whole model.",
    fixes=[
        (r"\.requires_grad = False", ".requires_grad_(False)"),
        (r"\.\w+ = False", ".requires_grad = False"),
    ],
)
def not_frozen(case):
    """An attribute was set that nothing reads, and the parameters move all the same."""
    moving = {leaf.tensor(): leaf for leaf in case.known if leaf.updates}
    found = {}
    for leaf in [one for one in case.known if one.updates]:
        for name in difflib.get_close_matches("requires_grad", leaf.attributes, 1, 0.9):
            found.setdefault(name, []).append(leaf)
    for module in {one for layers in case.notes.layers.values() for one in layers}:
        if "requires_grad" in vars(module):
            leaves = [moving[p] for p in module.parameters() if p in moving]
            found["requires_grad"] = leaves
    for name, leaves in found.items():
        is_read = case.source.having(rf"\.{name}\b(?! = )|[\"']{name}[\"']")
        for line in case.source.having(rf"\.{name} = False")[:1] if leaves and not is_read else ():
            what = f"This only makes a new attribute, {name}"
            yield line, f"{what}: {names(leaves)} moved all the same."
