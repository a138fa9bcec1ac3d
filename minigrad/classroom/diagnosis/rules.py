"""The rules for programs that run: one function a kind, over what was noted, the surest first.

Each tells what it found as `Case.finding` takes it: kind, line, sentence, and where they are not
those of the kind, the changed lines and the advice. They look for what nobody does on purpose: a
program that is healthy and unusual is left alone, and one that only shows what backward does, too.
"""

import ast
import math
import re

import numpy as np

from ..show.formatting import nested, number
from .changes import FIXES, cleared_after, cut_between, moved_behind, put_after, rate_of, rewritten

# What gives whole numbers, or yes and no: no gradient goes through.
HARD = re.compile(r"argmax|\.round\(|\.int\(|\.long\(|\.floor\(|torch\.sign\(|==|!=| [<>]=? ")
_STRETCH = re.compile(r"Using a target size \(torch\.Size\((\[.*?\])\)\).*?Size\((\[.*?\])\)")
_KEPT = r"\.(append|extend|add)\((\w+|\(.*\)|\w+\[.*\])\)$|\+= \[\w+\]$|\] = \w+$"  # as it is
_WEIGHT = re.compile(r"(w|b|bias|weights?|theta|slope|intercept)_?\d*", re.I)
_GIVEN = re.compile(
    r"x\w{0,4}|im(g|age)s?|inputs?|data|adv\w*|delta|perturb\w*|noise|z|canvas|patch|trigger", re.I
)
_RAISED = re.compile(
    r"rewards?|objective|(log)?likelihood|lik|scores?|utility|returns?|gain|logp(rob)?|fitness|elbo"
    r"|profit|variance|entropy|activation|distance",
    re.I,
)


def names(leaves):
    """Their names, as they are read: "w and b"."""
    told = list(dict.fromkeys(leaf.name or "a parameter" for leaf in leaves))
    told = [*told[:3], f"{len(told) - 3} more"] if len(told) > 4 else told
    return " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))


def short(array):
    """Numbers as they are read; the shape of many."""
    if array.size > 6:
        return f"numbers of shape {tuple(array.shape)}"
    return nested(array.tolist(), lambda value: number(value, digits=4))


def grouped(leaves, key=lambda leaf: leaf.line):
    """Pairs (line of their last pass, leaves), or by another key."""
    found = {}
    for leaf in leaves:
        found.setdefault(key(leaf), []).append(leaf)
    return found.items()


# --- .grad ----------------------------------------------------------------------------------------


def left_the_graph(case):
    """A name that stood for a leaf stands for something computed, and its .grad is asked for."""
    for made, lines in case.notes.missed_results.items():
        made = made if case.source.rebinds(made) else case.source.calling(made) or made
        name = re.escape(re.split(r"[.\[]", case.source.rebinds(made))[0]) if made else ""
        was_leaf = name and case.source.having(rf"\b{name}\b.*(requires_grad|Parameter)")
        if was_leaf and (asked := case.unguarded(lines)):
            yield rebound(case, made, asked)


def rebound(case, line, asked):
    """A parameter became a result in a line, and is needed as a leaf in another one."""
    name = case.source.rebinds(line) or "This"
    when = ", the next time" if asked <= line else ""
    what = (
        f"{name} was a leaf; this line makes it the result of an operation. "
        f"Line {case.shown(asked)} needs a leaf{when}."
    )
    steps = [one.first for one in case.source.statements if one.attempts and one.rebinds]
    fixes = [rewritten(case.source, step, FIXES["left-the-graph"]) for step in {line, *steps}]
    lines = {where: text for fix in fixes for where, text in fix.items()}
    if not case.source.having(r"\.grad = None|zero_"):  # or the gradients would add up next
        for where, text in lines.items():
            stepped = re.match(r"with torch\.no_grad\(\):\n    (\S+) ", text)
            lines[where] += f"\n    {stepped[1]}.grad = None" if stepped else ""
    return "left-the-graph", line, what, lines


def cleared_before_step(case):
    """Between backward and the step the gradient is taken away, in every step."""
    fed = [leaf for leaf in case.known if leaf.nonzero and not leaf.full_steps and not leaf.updates]
    found = {leaf: leaf.cleared_at for leaf in fed if leaf.empty_steps > 1}
    if case.error is not None:  # the first step by hand fails: there is no .grad
        found |= {leaf: leaf.cleared for leaf in fed if leaf.cleared and case.line in leaf.missed}
    for line, leaves in grouped(found, found.get):
        step = leaves[0].update_line or case.line
        sentence = (
            f"backward() in line {case.shown(leaves[0].line)} filled {leaves[0].name or 'a'}.grad, "
            f"first with {short(leaves[0].seen[0])}. Here the gradient of {names(leaves)} is "
            f"cleared, and line {case.shown(step)} needs it."
        )
        yield "cleared-before-step", line, sentence, moved_behind(case.source, line, step)


def gradient_not_cleared(case):
    """A step was made with a gradient to which an earlier step's still belonged."""
    dirty = [leaf for leaf in case.known if leaf.dirty_steps]
    for _, leaves in grouped(dirty, lambda leaf: leaf.optimizer or -leaf.line):
        leaves = sorted(leaves, key=lambda leaf: case.text.find(leaf.name))
        first = min(leaves, key=lambda leaf: leaf.seen[0].size > 6)  # whose numbers can be read
        cleared = f"cleared {first.clears} times" if first.clears else "never cleared"
        others = [leaf for leaf in leaves if leaf is not first]
        same = f" So it was with {names(others)}." if others else ""
        sentence = (
            f"{first.name or 'A parameter'}.grad was added to {first.passes} times and {cleared}: "
            f"after the first times it was {', '.join(map(short, first.seen))}.{same}"
        )
        yield "gradient-not-cleared", first.line, sentence, cleared_after(case.source, leaves)


def no_gradient(case):
    """A leaf requires grad, something asks for its gradient, and none ever arrives."""
    notes, sites = case.notes, case.notes.sites.values()
    starved = [leaf for leaf in case.known if not leaf.passes]
    fed = [leaf for leaf in case.known if leaf.passes]
    lasting = [f for f in starved if f.optimizer in notes.stepping and notes.passes > 1]
    if any(f.nonzero > 1 for f in fed) and not any(f.optimizer for f in fed):
        lasting = lasting if any(site.from_leaf for site in sites) else []  # see not_updated
    found = [f for f in starved if f in lasting or case.unguarded(f.missed)]
    for cut, leaves in grouped(found, case.cut_of):
        if not cut:  # a bias is gone from a derivative; a part of a module may be for later
            leaves = [f for f in leaves if not case.derives and (f in lasting or "." not in f.name)]
        elif cut in notes.off and fed and not leaves[0].optimizer:
            continue
        for line, there in grouped(leaves, lambda leaf, cut=cut: cut or _unused(case, leaf)):
            yield starving(case, line, there, cut)


def _unused(case, leaf):
    """Where the root of a pass that began at a leaf lost its way back; else where it was made."""
    for site in case.notes.sites.values():
        root = re.search(r"(\w+)\.backward", case.source.text(site.line))
        if site.from_leaf and root:
            return case.hard(case.source.leading_to(site.line, root[1]))
    return case.source.making(leaf.name)


def starving(case, line, leaves, cut):
    """No gradient reaches some leaves. cut: whether the way back ends in this line."""
    why, advice = "Not used for what backward() is called on", "Use it in forward, or take it away."
    if cut in case.notes.off:
        why, advice = "Here nothing is recorded (no_grad)", "Compute this outside of no_grad."
    elif cut:
        why, advice = "Here numbers are handed on without their graph", ""
    elif HARD.search(case.source.text(line)):
        why, advice = "Whole numbers, yes and no have no gradient", "Take a smooth loss."
    sentence = f"{why}: no gradient arrived at {names(leaves)} in {case.notes.passes} passes."
    return "no-gradient", line, sentence, {} if advice else None, advice


def not_updated(case):
    """A gradient arrives in every step, and the numbers never change, though they are meant to."""
    still = [f for f in case.known if f.nonzero > 1 and not f.updates and not f.empty_steps]
    still = [] if case.notes.missed_results else still  # results took their place
    moving = [leaf for leaf in case.known if leaf.updates]
    for (line, advice, step), leaves in grouped(still, lambda leaf: _meant(case, leaf, moving)):
        sentence = (
            f"A gradient arrived at {names(leaves)} in {leaves[0].passes} passes, the first "
            f"{short(leaves[0].seen[0])}, and the numbers are still what they were."
        )
        lines = put_after(case.source, line, step) if step else None
        yield from [("not-updated", line, sentence, lines, advice)] if line else []


def _meant(case, leaf, moving):
    """(line, advice, missing line) if a leaf that never moves was meant to; zeros if it was not."""
    line, optimizers, step = leaf.optimizer, case.notes.optimizers, ""
    if line and (leaf.passes < 3 or case.error or leaf.full_steps and moving):
        line, advice = 0, ""
    elif line and leaf.full_steps:
        line, advice = rate_of(case.source, leaf)[0], "Take a larger learning rate."
    elif line in case.notes.stepping:
        line, advice = 0, ""  # its gradients are gone, or 0, when the step is made
    elif line:
        advice, step = "", f"{case.source.target(line)}.step()"
        line = max(other.line for other in case.known if other.optimizer == line)
    elif not moving:
        return _nothing_moves(case, leaf)
    elif optimizers and re.search(r"\.\w+\[.*\]\.\w+$", leaf.name):
        line = case.source.making(leaf.name.split("[")[0])
        advice = "Layers in a plain list are not registered: use nn.ModuleList."
    else:
        is_used = case.derives or case.reads_grad(leaf.name)
        line = 0 if is_used or _is_other_use(leaf, moving, optimizers) else leaf.line
        line = line and (max([*optimizers] or [one.update_line for one in moving]) or line)
        advice = f"Let {leaf.name} make a step, too, as the others do." if line else ""
    return line, advice, step


def _is_other_use(leaf, moving, optimizers):
    """Whether only some leaves may be meant to move: an input, a part of a model."""
    by_hand = leaf.clears > 1 and "." not in leaf.name and not optimizers
    inputs_move = any(_GIVEN.fullmatch(other.name) for other in moving)
    return inputs_move or not (by_hand or _WEIGHT.fullmatch(leaf.name))


def _nothing_moves(case, leaf):
    """The same if no leaf moves, and no optimizer has this one."""
    source, site = case.source, case.notes.sites[leaf.line]
    if case.notes.stepping:
        return min(case.notes.stepping), "This optimizer has other parameters: give it these.", ""
    loops = [one for one in source.statements if isinstance(one.node, ast.For)]
    own = {leaf.name, *[name for loop in loops for name in loop.targets]} - {""}
    for one in source.statements:
        result = one.targets[0] if one.targets else one.attempts
        tried = result != one.attempts and source.is_read(result, besides=one)
        if one.attempts in own and (loops or not one.rebinds) and not tried:
            return one.first, "This computes new numbers, and leaves the old: change these.", ""
    again = len(set(site.losses)) == 1 and leaf.clears >= site.passes - 1 and site.passes > 2
    reads = source.having(r"\.grad\b(?!( =|\.zero_|\.data\.zero_| is\b))") or case.notes.optimizers
    root = re.escape(source.target(site.root_line) or "-")
    looks = source.having(rf"\b{root}\.item\(|print\(.*\b{root}\b")
    if again and looks and not reads and not case.error:
        return leaf.line, "", f"with torch.no_grad():\n    {leaf.name} -= 0.1 * {leaf.name}.grad"
    return 0, "", ""


# --- losses ---------------------------------------------------------------------------------------


def broadcast_loss(case):
    """A prediction and a target were stretched against each other in a loss."""
    found = dict(case.notes.stretched)
    for warning in case.warned:
        if match := _STRETCH.search(str(warning.message)):
            sizes = [tuple(map(int, re.findall(r"\d+", part))) for part in match.groups()]
            found.setdefault(warning.lineno, sizes[::-1])
    for line, (one, two) in found.items():
        both, size = np.broadcast_shapes(one, two), math.prod(one)
        if 1 < size == math.prod(two) < math.prod(both):  # a column met a row
            sentence = (
                f"Shapes {one} and {two} were stretched against each other into {both}: "
                f"{math.prod(both)} differences, and only {size} targets."
            )
            shape = "-1, 1" if one[-1:] == (1,) else "-1"
            same = [(r"( - |, )([\w.\[\]:+]+)(?=\)|$)", rf"\1\2.reshape({shape})")]
            text, name = case.source.text(line), case.notes.rows.get(line, "")
            whole = rf"(?<![\w.]){re.escape(name)}(?![\w.\[(])"
            lines = {line: re.sub(whole, f"{name}.reshape(-1, 1)", text)} if name else {}
            lines = lines if lines != {line: text} else rewritten(case.source, line, same)
            yield "broadcast-loss", line, sentence, lines


def uphill(case):
    """Parameters move along the gradient of a loss, and the loss runs up."""
    for line, leaves in grouped(f for f in case.known if f.updates):
        site, source, lines = case.notes.sites[line], case.source, None
        climbing = [f for f in leaves if f.course.up > 1 and f.course.up > 0.9 * f.updates - 1]
        climbing = climbing if _runs_up(site) else []
        falls = not climbing and len(case.notes.sites) == 1 and _is_negative(site)
        moved = climbing or (leaves if falls else [])
        is_meant = any(_GIVEN.fullmatch(f.name) or f.course.reshaped > 1 for f in moved)
        if not moved or is_meant or _is_raised(source, site):
            continue
        at = site.root_line
        if climbing:
            steps = sorted({leaf.update_line for leaf in climbing} - {0})
            at, *_ = steps = steps or source.having(r"\.data \+?=") or [line]
            rate_at, rate, value = rate_of(source, climbing[0])
            turned = [rewritten(source, step, FIXES["uphill"]) for step in steps]
            lines = {where: text for one in turned for where, text in one.items()}
            if value < 0:
                at, lines = rate_at, rewritten(source, rate_at, [(rate, rate[1:])])
        yield "uphill", at, f"{names(moved)} moved along the gradient: {_course(site)}.", lines


def _is_raised(source, site):
    """Whether what the pass begins at is called something that one wants to be large."""
    root = re.search(r"([\w.]+)\.backward", source.text(site.line))
    names = [root[1] if root else "", source.target(site.root_line)]
    return any(_RAISED.fullmatch(part) for name in names for part in re.split(r"[._]", name))


def _runs_up(site):
    """Whether a positive loss grows by ever larger amounts, and is much larger than it was."""
    values = site.losses
    if len(values) < 3 or not values[0] >= 0 or min(values) < 0:
        return False
    first, last = values[0], site.last[-1]
    if not math.isfinite(last):
        return True
    third = max(len(values) // 3, 1)
    early, late = values[third] - first, values[-1] - values[-1 - third]
    return last > 1.5 * first and late > early > 0


def _is_negative(site):
    """Whether what is made small is minus a square, and runs down."""
    values, squares = site.losses, {"Pow", "MseLoss", "SmoothL1Loss"} & set(site.kinds)
    falls = len(values) > 3 and max(values) <= 0 and site.last[-1] < 2 * values[0]
    return site.kinds[:1] == ["Neg"] and bool(squares) and falls


def _course(site):
    told = [number(value, digits=4) for value in site.losses[:4]]
    return f"the loss went {', '.join(told)}, ... {number(site.last[-1], digits=4)}"


def diverges(case):
    """The loss runs away while the parameters move against the gradient, to and fro."""
    for line, leaves in grouped(leaf for leaf in case.known if leaf.updates):
        site, lines = case.notes.sites[line], {}
        if _runs_away(site, leaves) and not any(leaf.course.is_tried for leaf in leaves):
            rates = [rate_of(case.source, leaf) for leaf in leaves]
            for at, old, rate in rates:
                smaller = [(rf"\b{re.escape(old)}\b", f"{rate / 100:g}")] if rate else []
                lines |= rewritten(case.source, at, smaller)
            at = min(at for at, _, _ in rates) or line
            yield "diverges", at, f"In {site.passes} steps {_course(site)}.", lines


def _runs_away(site, leaves):
    """Whether steps become longer and turn back while the loss becomes much larger."""
    values, last = site.losses, list(site.last)
    if site.moves < 3 or len(values) < 4 or not math.isfinite(values[0]):
        return False
    if not math.isfinite(last[-1]):
        return True
    count = min(8, len(values) // 3)
    before, after = max(map(abs, values[:count])), sum(last[-count:]) / count
    far = after > 10 * max(before, 1e-3) and max(values + last) == max(last)
    rising = all(b > 1.2 * a > 0 for a, b in zip(last[-4:], last[-3:]))
    far = far and (rising or after > 1e6 * before)
    courses = [leaf.course for leaf in leaves]
    turning = any(one.turns > one.updates / 3 for one in courses)
    return far and turning and any(one.last_move > 3 * one.first_move for one in courses)


# --- graphs ---------------------------------------------------------------------------------------


def graph_grows(case):
    """Each step holds on to the graph of the one before."""
    for site in case.notes.sites.values():
        if not site.grows:
            continue
        source = case.source
        lines = joined(case, site.line) or source.having(_KEPT) or met_again(case, site.line)
        line = [*lines, site.line][0]
        sentence = (
            f"At a later backward() in line {case.shown(site.line)} the graphs of {site.grows} "
            "earlier steps were still there. This line holds on to them."
        )
        names = source.target(site.root_line), source.rebinds(line)
        lines = [cut_between(source, line, name) for name in names if name] or [{}]
        yield "graph-grows", line, sentence, lines[0] or lines[-1] or None


def joined(case, line):
    """The lines that take up, in each round of a loop, what was recorded in the one before."""
    source = case.source
    chained = [where for where, count in case.notes.joins.items() if count and where != line]
    bound = [w for w in chained if source.rebinds(w) or "+=" in source.text(w)]
    carried = source.carried(line)
    if chained and not set(bound) & set(carried) and carried:
        return carried  # in a function that the loop calls
    return bound


def met_again(case, line):
    """The lines in which results of several rounds meet."""
    return [where for where, count in case.notes.joins.items() if count > 1 and where != line]


def graph_kept(case):
    """`retain_graph=True` in every step of a training, and no pass that needs it."""
    for site in case.notes.sites.values():
        kept = site.keeps == site.passes > 2 and site.moves > 1 and not site.needed
        if kept and "retain_graph=True" in case.source.text(site.line):
            sentence = f"{site.passes} passes kept their graphs; no other pass went through them."
            yield "graph-kept", site.line, sentence


RULES = (
    left_the_graph,
    cleared_before_step,
    gradient_not_cleared,
    no_gradient,
    not_updated,
    broadcast_loss,
    uphill,
    graph_grows,
    graph_kept,
    diverges,
)
