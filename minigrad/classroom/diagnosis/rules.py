"""The rules for programs that run: one function a kind, over what was noted, the surest first.

Each gives the findings of its kind. They look for what nobody does on purpose: a program that is
healthy and unusual is left alone, and one that only shows what backward does, too.
"""

import math
import re

import numpy as np

from ..formatting import nested, number
from . import changes

# What gives whole numbers, or yes and no: no gradient goes through.
HARD = re.compile(r"argmax|\.round\(|\.int\(|\.long\(|\.floor\(|torch\.sign\(|==|!=| [<>]=? ")
_STRETCH = re.compile(r"Using a target size \(torch\.Size\((\[.*?\])\)\).*?Size\((\[.*?\])\)")
_WEIGHT = re.compile(r"(w|b|bias|weights?|theta|slope|intercept)_?\d*", re.I)
_GIVEN = re.compile(
    r"x\w{0,4}|im(g|age)s?|inputs?|data|adv\w*|delta|perturb\w*|noise|z|canvas", re.I
)
_RAISED = re.compile(
    "reward|objective|like|score|util|return|gain|log_?p|fitness|elbo|profit", re.I
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


def left_the_graph(case, kinds):
    """A name that stood for a leaf stands for something computed, and its .grad is asked for."""
    for made, lines in case.notes.missed_results.items():
        if made and (asked := case.unguarded(lines)) and case.source.rebinds(made):
            yield rebound(case, made, asked)


def rebound(case, line, asked, raised=0):
    """A parameter became a result in a line, and is needed as a leaf in another one."""
    sentence = (
        f"{case.source.rebinds(line) or 'This'} was a leaf; from here on the name stands for the "
        f"result of an operation, which has no .grad in line {case.shown(asked)}."
    )
    lines = changes.kept_leaf(case.source, line)
    return case.finding("left-the-graph", line, sentence, lines, raised=raised)


def cleared_before_step(case, kinds):
    """Between backward and the step the gradient is taken away, in every step."""
    found = [f for f in case.known if f.empty_steps > 1 and f.nonzero and not f.full_steps]
    for line, leaves in grouped(found, lambda leaf: leaf.cleared_at):
        if not line:  # by an assignment to .grad.data, which nobody hears of
            line = next(iter(case.source.having(r"\.grad(\.data)? = ")), leaves[0].line)
        yield cleared(case, line, leaves, leaves[0].update_line)


def cleared(case, line, leaves, step, raised=0):
    """Gradients are gone when a step needs them."""
    sentence = (
        f"The gradient of {names(leaves)}, {short(leaves[0].seen[0])} after backward() in line "
        f"{case.shown(leaves[0].line)}, is cleared here; in line {case.shown(step)} it is missing."
    )
    lines = changes.moved_behind(case.source, line, step)
    return case.finding("cleared-before-step", line, sentence, lines, raised=raised)


def gradient_not_cleared(case, kinds):
    """A step was made with a gradient to which an earlier step's still belonged."""
    dirty = [leaf for leaf in case.known if leaf.dirty_steps]
    for _, leaves in grouped(dirty, lambda leaf: leaf.optimizer or -leaf.line):
        first, *_ = leaves = sorted(leaves, key=lambda leaf: case.text.find(leaf.name))
        sentence = (
            f"{first.name or 'A parameter'}.grad was added to {first.passes} times and cleared "
            f"{first.clears} times: {', '.join(map(short, first.seen))}, ... So it was for "
            f"{names(leaves)}; {first.dirty_steps} steps used what earlier steps had used before."
        )
        lines, losses = (
            changes.cleared_after(case.source, leaves),
            case.notes.sites[first.line].losses,
        )
        yield case.finding("gradient-not-cleared", first.line, sentence, lines, losses=losses)


def no_gradient(case, kinds):
    """A leaf requires grad, something asks for its gradient, and none ever arrives."""
    notes = case.notes
    starved = [leaf for leaf in case.known if not leaf.passes]
    fed = [leaf for leaf in case.known if leaf.passes]
    lasting = [f for f in starved if f.optimizer in notes.stepping and notes.passes > 1]
    if any(f.nonzero > 1 for f in fed) and not any(f.optimizer for f in fed):
        at_leaf = any(site.from_leaf for site in notes.sites.values())
        lasting = lasting if at_leaf else []  # another set is trained: see not_updated
    found = [f for f in starved if f in lasting or case.unguarded(f.missed)]
    for cut, leaves in grouped(found, case.cut_of):
        if not cut:  # a bias is gone from a derivative; a part of a module may be for later
            leaves = [f for f in leaves if not case.derives and (f in lasting or "." not in f.name)]
        elif cut in notes.off and fed and not leaves[0].optimizer:
            continue
        for line, there in grouped(leaves, lambda leaf, cut=cut: cut or _unused(case, leaf)):
            yield starving(case, line, there, cut)


def _unused(case, leaf):
    """Where the root of a pass that began at a leaf lost its way back, else where a leaf is made."""
    for site in case.notes.sites.values():
        if site.from_leaf and (root := re.search(r"(\w+)\.backward", case.source.text(site.line))):
            lines = case.source.leading_to(site.line, root[1])
            return min([line for line in lines if HARD.search(case.source.text(line))], default=0)
    return case.source.making(leaf.name)


def starving(case, line, leaves, cut, raised=0):
    """No gradient reaches some leaves. cut: whether the way back ends in this line."""
    advice = ""
    if cut and cut in case.notes.off:
        why, advice = "Here nothing is recorded (no_grad)", "Compute this outside of no_grad."
    elif cut:
        why = "Here numbers are handed on without where they came from"
    elif HARD.search(case.source.text(line)):
        why, advice = "What is whole numbers, or yes and no, has no gradient", "Use a smooth loss."
    else:
        why = f"{names(leaves)} is not used on the way to what backward() was called on"
        advice = "Use it in forward, or take it away."
    sentence = f"{why}: in {case.notes.passes} passes no gradient arrived at {names(leaves)}."
    return case.finding("no-gradient", line, sentence, {} if advice else None, advice, raised)


def not_updated(case, kinds):
    """A gradient arrives in every step, and the numbers never change, though they are meant to."""
    if case.notes.missed_results:
        return  # what was computed from them took their place
    still = [f for f in case.known if f.nonzero > 1 and not f.updates and not f.empty_steps]
    for (line, advice, step), leaves in grouped(still, lambda leaf: _meant(case, leaf)):
        sentence = (
            f"A gradient arrived at {names(leaves)} in {leaves[0].passes} passes, the first "
            f"{short(leaves[0].seen[0])}, and the numbers are still what they were."
        )
        lines = changes.put_after(case.source, line, step) if step else None
        if line:
            yield case.finding("not-updated", line, sentence, lines, advice)


def _meant(case, leaf):
    """(line, advice, missing step) if a leaf that never moves was meant to; zeros if it was not."""
    others = [other for other in case.known if other.updates]
    if leaf.optimizer:
        return _by_optimizer(case, leaf, others)
    if others and not case.derives and not any(_GIVEN.fullmatch(other.name) for other in others):
        return _forgotten(case, leaf, others)
    return _NOT_MEANT if others else _nothing_moves(case, leaf)


_NOT_MEANT = 0, "", ""


def _by_optimizer(case, leaf, others):
    line = leaf.optimizer
    if leaf.passes < 3 or case.error or leaf.full_steps and others:
        return _NOT_MEANT
    if not leaf.full_steps:
        last = max(other.line for other in case.known if other.optimizer == line)
        return last, "After backward(), make a step.", f"{case.source.target(line)}.step()"
    if not case.notes.optimizers[line].param_groups[0]["lr"]:
        at = changes.rate_of(case.source, leaf)[0]
        return at, "The learning rate is 0: give it a larger one.", ""
    return line, "The steps are too small to be seen: a larger learning rate.", ""


def _forgotten(case, leaf, others):
    """The reason if others move, and this leaf, which no optimizer has, was meant to."""
    optimizers = case.notes.optimizers
    if optimizers and re.search(r"\.\w+\[.*\]\.\w+$", leaf.name):
        line = case.source.making(leaf.name.split("[")[0])
        return line, "Layers in a plain list are not registered: use nn.ModuleList.", ""
    by_hand = leaf.clears > 1 and "." not in leaf.name and not optimizers
    if by_hand or _WEIGHT.fullmatch(leaf.name):
        line = max([*optimizers] or [other.update_line for other in others])
        return line or leaf.line, f"Let {leaf.name} make a step, too, as the others do.", ""
    return _NOT_MEANT


def _nothing_moves(case, leaf):
    """The reason if no leaf moves."""
    source, notes = case.source, case.notes
    if notes.stepping:  # they have other parameters
        advice = f"This optimizer does not have {leaf.name or 'these'}: give it them."
        return min(notes.stepping), advice, ""
    in_loop = source.having(r"for .+ in .*(param|\[|\()")  # `for p in params`
    attempts = [line for line in source.attempts() if in_loop or not source.rebinds(line)]
    if attempts:
        advice = "This computes new numbers and leaves the old ones in place; change these."
        return attempts[0], advice, ""
    site = notes.sites[leaf.line]
    again = len(set(site.losses)) == 1 and leaf.clears >= site.passes - 1 and site.passes > 2
    reads = source.having(r"\.grad\b(?!( =|\.zero_|\.data\.zero_| is\b))")
    looks = source.having(r"\.item\(\)|print\(.*\w") and not notes.optimizers
    if again and looks and not reads and not case.error:
        return leaf.line, f"After backward(), let {leaf.name} make a step.", ""
    return _NOT_MEANT


# --- losses and graphs ----------------------------------------------------------------------------


def broadcast_loss(case, kinds):
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
            lines = changes.same_shape(case.source, line)
            yield case.finding("broadcast-loss", line, sentence, lines)


def uphill(case, kinds):
    """All parameters move along the gradient of a loss, and the loss grows."""
    moving = [leaf for leaf in case.known if leaf.updates]
    resting = [leaf for leaf in case.known if leaf.nonzero and not leaf.updates]
    for line, leaves in () if resting or "gradient-not-cleared" in kinds else grouped(moving):
        site, source = case.notes.sites[line], case.source
        at, lines = site.root_line, None
        if _RAISED.search(source.text(at) + source.text(line)):
            continue
        if _climbs(site, leaves) and not all(_GIVEN.fullmatch(leaf.name) for leaf in leaves):
            steps = sorted({leaf.update_line for leaf in leaves} - {0})
            at, *others = steps or source.having(r"\.data \+?=") or [line]
            rate_at, rate, value = changes.rate_of(source, leaves[0])
            if value < 0:
                at, lines = rate_at, changes.rewritten(source, rate_at, [(rate, rate[1:])])
            elif others:
                turned = [changes.rewritten(source, one, changes.FIXES["uphill"]) for one in steps]
                lines = {where: text for one in turned for where, text in one.items()}
        elif len(case.notes.sites) > 1 or not _is_negative(site):
            continue
        sentence = f"The steps make an error larger: {_course(site)}."
        yield case.finding("uphill", at, sentence, lines, losses=site.losses)


def _climbs(site, leaves):
    """Whether leaves move along the gradient of a loss, which grows."""
    values = site.losses
    grown = len(values) > 2 and not values[-1] <= values[0] and not any(v < 0 for v in values)
    return grown and all(leaf.up > 1 and leaf.up > 0.9 * leaf.updates - 1 for leaf in leaves)


def _is_negative(site):
    """Whether what is made small is minus a square."""
    values, squares = site.losses, {"Pow", "MseLoss", "SmoothL1Loss"} & set(site.kinds)
    falls = len(values) > 3 and max(values) <= 0 and site.last[-1] < 2 * values[0]
    return site.kinds[:1] == ["Neg"] and bool(squares) and falls


def _course(site):
    told = [number(value, digits=4) for value in site.losses[:4]]
    return f"the loss went {', '.join(told)}, ... {number(site.last[-1], digits=4)}"


def graph_grows(case, kinds):
    """Each step holds on to the graph of the one before."""
    kept = r"\.(append|extend|add)\((\w+|\(.*\)|\w+\[.*\])\)$|\+= \[\w+\]$"  # a tensor as it is
    for site in case.notes.sites.values():
        if site.grows:
            line = (joined(case, site.line) or case.source.having(kept) or [site.line])[0]
            sentence = (
                f"At pass {site.grows + 2} of line {case.shown(site.line)} the graphs of all "
                f"{site.grows} earlier steps were still there; this line holds on to them."
            )
            yield case.finding("graph-grows", line, sentence, _let_go(case.source, line, site))


def joined(case, line):
    """The lines that take up, in each round of a loop, what was recorded in the one before."""
    source, joins = case.source, case.notes.joins
    chained = [where for where, count in joins.items() if count and where != line]
    bound = [w for w in chained if source.rebinds(w) or "+=" in source.text(w)]
    carried = source.carried(line)
    if chained and not set(bound) & set(carried) and carried:
        return carried  # in a function that the loop calls
    return bound or [where for where in chained if joins[where] > 1]


def _let_go(source, line, site):
    """The loss as a number, or the state cut between the steps; else None."""
    loss, name = source.target(site.root_line), source.rebinds(line)
    alone = rf"(?<![\w.'\"]){re.escape(loss)}\b(?![\w.('\"]| =)"
    found = loss and changes.rewritten(source, line, [(alone, f"{loss}.item()")])
    if not found and name and not source.attempts():
        return changes.put_after(source, site.line, f"{name} = {name}.detach()")
    return found or None


def graph_kept(case, kinds):
    """`retain_graph=True` in every step of a training, and no pass that needs it."""
    for site in case.notes.sites.values():
        kept = site.keeps == site.passes > 2 and site.moves > 1 and not site.needed
        if kept and "retain_graph=True" in case.source.text(site.line):
            sentence = f"{site.passes} passes kept their graphs; no other pass went through them."
            yield case.finding("graph-kept", site.line, sentence)


def diverges(case, kinds):
    """The loss runs away while the parameters move against the gradient."""
    moving = [leaf for leaf in case.known if leaf.updates]
    skipped = {"gradient-not-cleared", "uphill"} & kinds
    for line, leaves in () if skipped else grouped(moving):
        site, lines = case.notes.sites[line], {}
        if _runs_away(site):
            rates = [changes.rate_of(case.source, leaf) for leaf in leaves]
            for at, old, rate in rates:
                smaller = f"{float(f'{rate / _overshoot(site):.0e}'):g}"
                pairs = [(rf"\b{re.escape(old)}\b", smaller)] if rate else []
                lines |= changes.rewritten(case.source, at, pairs)
            sentence = f"In {site.passes} steps {_course(site)}."
            at = min(at for at, _, _ in rates) or line
            yield case.finding("diverges", at, sentence, lines, losses=site.losses)


def _runs_away(site):
    values, last = site.losses, list(site.last)
    if site.moves < 3 or not values or not math.isfinite(values[0]):
        return False
    rising = all(b > 1.2 * a > 0 for a, b in zip(last[-4:], last[-3:]))
    far = last[-1] == max(values + last) > 10 * max(abs(values[0]), 1e-3)
    return not math.isfinite(last[-1]) or len(values) > 3 and rising and far


def _overshoot(site):
    """By how much the steps were too large, as for a loss that is a parabola."""
    ratios = [b / a for a, b in zip(site.losses, site.losses[1:]) if 0 < a < b < math.inf]
    return 2 * (1 + max(ratios, default=100) ** 0.5)


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
