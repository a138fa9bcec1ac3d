"""The rules for programs that run: one small function a kind, over what was noted.

Each gives the findings of its kind. They look for what nobody does on purpose: a program that is
healthy and unusual is left alone, and one that only shows what backward does, too.
"""

import math
import re

from .courses import GIVEN, by_line, diverges, known, losses, names, short, uphill
from .finding import Change, Finding
from .places import (
    HARD,
    append_of,
    kept_leaf,
    made_in,
    moved,
    place_of,
    rate_of,
    removed,
    step_after,
    stored,
)

_STRETCH = re.compile(r"Using a target size \(torch\.Size\((\[.*?\])\)\).*?Size\((\[.*?\])\)")
_WEIGHT = re.compile(r"^(w|b|bias|weights?|theta|slope|intercept)_?\d*$", re.I)


def found_in(notes, error, warned, kinds):
    """The findings of a run, the surest first. kinds: of those that its error told."""
    found = []
    for rule in RULES:
        if rule not in (diverges, uphill) or not {"gradient-not-cleared", "uphill"} & kinds:
            new = [f for f in rule(notes, error, warned) if f.kind not in kinds]
            found, kinds = found + new, kinds | {f.kind for f in new}
    return found


# --- .grad ----------------------------------------------------------------------------------------


def gradient_not_cleared(notes, error, warned):
    """A step was made with a gradient to which an earlier step's still belonged."""
    dirty = [leaf for leaf in known(notes) if leaf.dirty_steps]
    for leaves in by_line(dirty, lambda leaf: leaf.optimizer or -leaf.line).values():
        leaves.sort(key=lambda leaf: place_of(notes.source, leaf.name))
        first, line = leaves[0], leaves[0].line
        seen = ", ".join(short(grad) for grad in first.seen)
        sentence = (
            f"{first.name or 'A parameter'}.grad was added to {first.passes} times and cleared "
            f"{first.clears} times: {seen}, ... So it was for {names(leaves)}; "
            f"{first.dirty_steps} steps went on with gradients that earlier steps had used."
        )
        advice = "Clear the gradients after each step:"
        change = step_after(notes, leaves)
        yield Finding(
            "gradient-not-cleared", line, sentence, advice, change, 0, losses(notes, line)
        )


def cleared_before_step(notes, error, warned):
    """Between backward and the step the gradient is taken away, in every step."""
    leaves = [leaf for leaf in known(notes) if leaf.empty_steps > 1 and leaf.nonzero]
    leaves = [leaf for leaf in leaves if not leaf.full_steps]
    for line in dict.fromkeys(leaf.cleared_at for leaf in leaves):
        there = [leaf for leaf in leaves if leaf.cleared_at == line]
        line = line or next(iter(notes.source.calls(r"\.grad(\.data)? = ")), there[0].line)
        sentence = (
            f"The gradients of {names(there)}, from backward() in line "
            f"{notes.source.shown(there[0].line)}, are cleared here; the step in line "
            f"{notes.source.shown(there[0].update_line)} found none, {there[0].empty_steps} times."
        )
        yield Finding(
            "cleared-before-step", line, sentence, *moved(notes, line, there[0].update_line)
        )


def not_updated(notes, error, warned):
    """A gradient arrives in every step, and the numbers never change, though they are meant to."""
    if notes.missed_results:
        return  # what was computed from them took their place
    still = [f for f in known(notes) if f.nonzero > 1 and not f.updates and not f.empty_steps]
    reasons = [(leaf, reason) for leaf in still if (reason := _meant(notes, leaf, error))]
    for line in dict.fromkeys(reason[0] for _, reason in reasons):
        there = [leaf for leaf, reason in reasons if reason[0] == line]
        advice, change = next(reason[1:] for leaf, reason in reasons if leaf in there)
        sentence = (
            f"A gradient arrived at {names(there)} in {there[0].passes} passes, the first "
            f"{short(there[0].seen[0])}, and the numbers are still what they were."
        )
        yield Finding("not-updated", line, sentence, advice, change)


def _meant(notes, leaf, error):
    """(line, advice, change) if a leaf that never moves was meant to; or None."""
    stopped = error is not None
    others_move = any(other.updates for other in known(notes))
    if leaf.optimizer:
        return _by_optimizer(notes, leaf, stopped, others_move)
    if others_move:
        plain = re.search(r"\.\w+\[.*\]\.\w+$", leaf.name) and notes.optimizers
        if plain:
            line = made_in(notes.source, leaf.name.split("[")[0].split(".")[-1]) or leaf.line
            return line, "Layers in a plain list are not registered: use nn.ModuleList.", None
        given = any(other.updates and GIVEN.match(other.name) for other in known(notes))
        derived = any(site.inputs for site in notes.sites.values())
        cleared = leaf.clears > 1 and "." not in leaf.name and not notes.optimizers
        if not given and not derived and (cleared or _WEIGHT.match(leaf.name)):
            moving = [other.update_line for other in known(notes) if other.updates]
            line = max([*notes.optimizers] or moving) or leaf.line
            return line, f"Let {leaf.name} make a step, too, as the others do.", None
        return None
    return _nothing_moves(notes, leaf, stopped)


def _by_optimizer(notes, leaf, stopped, others_move):
    optimizer, steps, _ = notes.optimizers[leaf.optimizer]
    rates = [g["lr"] for g in optimizer.param_groups if any(p is leaf.ref() for p in g["params"])]
    if steps and rates and not rates[0]:
        advice = "The learning rate is 0: give it a larger one."
        return None if others_move else (rate_of(notes, leaf)[0], advice, None)
    if not leaf.full_steps and not stopped and leaf.passes > 2:
        name = notes.source.target(leaf.optimizer)
        indent = notes.source.indent(leaf.line)
        line = max(other.line for other in known(notes) if other.optimizer == leaf.optimizer)
        change = Change(notes.source.last_line(line), f"{indent}{name}.step()")
        return line, "Make a step after backward():", change if name else None
    if steps and leaf.passes > 2 and not others_move and leaf.full_steps:
        return leaf.optimizer, "The steps are too small to be seen: a larger learning rate.", None
    return None


def _nothing_moves(notes, leaf, stopped):
    source = notes.source
    used = [line for line, (_, steps, _) in notes.optimizers.items() if steps]
    if used:  # they step, and have other parameters
        return used[0], f"This optimizer does not have {leaf.name or 'these'}: give it them.", None
    attempts = [line for line in source.attempts() if not source.rebinds(line) or _in_loop(notes)]
    if attempts:
        advice = "This computes the new numbers and leaves the old ones in place; change these:"
        return attempts[0], advice, stored(source, attempts[0])
    site = notes.sites[leaf.line]
    again = len(set(site.losses)) == 1 and leaf.same and leaf.clears >= site.passes - 1
    reads = source.calls(r"\.grad\b(?!\s*(=|\.zero_|\.data\.zero_|is\b))")
    looks = source.calls(r"\.item\(\)|print\(.*\w") and not notes.optimizers
    if again and site.passes > 2 and not stopped and not reads and looks:
        return leaf.line, f"After backward(), let {leaf.name} make a step.", None
    return None


def _in_loop(notes):
    """Whether the program goes over its parameters: `for p in params`."""
    return bool(notes.source.calls(r"for .+ in .*(param|\[|\()"))


def no_gradient(notes, error, warned):
    """A leaf requires grad, something asks for its gradient, and none ever arrives."""
    if not notes.steps:
        return
    starved = [leaf for leaf in known(notes) if not leaf.passes]
    fed = [leaf for leaf in known(notes) if leaf.passes]
    for_optimizer = [leaf for leaf in starved if leaf.optimizer]
    others = any(f.nonzero > 1 for f in fed) and not any(f.optimizer for f in fed)
    if others and not _at_a_leaf(notes):
        for_optimizer = []  # another set of parameters is trained: not_updated tells that
    stepped = {line for line, (_, steps, _) in notes.optimizers.items() if steps}
    lasting = [leaf for leaf in for_optimizer if leaf.optimizer in stepped and notes.steps > 1]
    wanted = lasting + [leaf for leaf in starved if leaf.missed and leaf not in lasting]
    derived = any(site.inputs for site in notes.sites.values())  # a bias is gone from a derivative
    found = {}
    for leaf in wanted:
        line = _cut(notes, leaf)
        if not line and (derived or "." in leaf.name and leaf not in lasting):
            continue
        only_off = line in notes.off and fed and not leaf.optimizer
        if not only_off:
            line = line or _hard(notes) or made_in(notes.source, leaf.name)
            found.setdefault(line, []).append(leaf)
    for line, leaves in found.items():
        yield _starved(notes, line, leaves)


def _hard(notes):
    """Where the root of a pass that began at a leaf lost its way back; 0 if that is not seen."""
    for site in notes.sites.values():
        if site.leaf_root and (
            match := re.search(r"(\w+)\.backward", notes.source.text(site.line))
        ):
            lines = notes.source.back_from(site.line, match[1])
            return min([w for w in lines if HARD.search(notes.source.text(w))], default=0)
    return 0


def _at_a_leaf(notes):
    return any(site.leaf_root for site in notes.sites.values())


def _cut(notes, leaf):
    """The line where the way back to a leaf was cut; 0 if it was never used."""
    lines = [line for line, ids in notes.cuts.items() if leaf.key in ids]

    def weight(line):
        text = notes.source.text(line)
        logged = bool(re.search(r"print\(|append\(|state_dict|\bf['\"]", text))
        return logged, bool(re.search(r"\.item\(|\.tolist\(|float\(", text)), line in notes.off

    return min(lines, key=weight, default=0)


def _starved(notes, line, leaves):
    source, told = notes.source, names(leaves)
    passes = f"in {notes.steps} passes no gradient arrived at {told}."
    cut = [leaf for leaf in leaves if _cut(notes, leaf) == line]
    if not cut and HARD.search(source.text(line)):
        sentence = f"What is whole numbers, or yes and no, has no gradient: {passes}"
        return Finding("no-gradient", line, sentence, "Give backward() a loss that is smooth.")
    if not cut:
        sentence = f"{told} is used nowhere on the way to what backward() was called on: {passes}"
        return Finding("no-gradient", line, sentence, "Use it in forward, or take it away.")
    if line in notes.off:
        sentence = f"Here nothing is recorded (no_grad), so the way back ends here: {passes}"
        return Finding("no-gradient", line, sentence, "Compute this outside of no_grad.")
    sentence = f"Here numbers are handed on without where they came from: {passes}"
    advice = "Go on with the tensor itself:"
    return Finding("no-gradient", line, sentence, advice, removed(source, line))


def left_the_graph(notes, error, warned):
    """A name that stood for a leaf stands for something computed, and its .grad is asked for."""
    for made, asked in notes.missed_results.items():
        name = notes.source.rebinds(made) if made else ""
        if name:
            sentence = (
                f"{name} was a leaf; from here on the name stands for the result of an operation, "
                f"and in line {notes.source.shown(asked)} its .grad is None."
            )
            yield Finding("left-the-graph", made, sentence, *kept_leaf(notes.source, made))


# --- graphs ---------------------------------------------------------------------------------------


def graph_grows(notes, error, warned):
    """Each step holds on to the graph of the one before."""
    for site in notes.sites.values():
        if not site.grows:
            continue
        source = notes.source
        line = (joined(notes, site.line) or append_of(source) or [site.line])[0]
        sentence = (
            f"At pass {len(site.grows) + 2} of line {source.shown(site.line)} the graphs of "
            f"all {len(site.grows)} earlier steps were still there; this line holds on to them."
        )
        name = source.target(site.root_line)
        advice, change = _let_go(notes, line, site, name)
        yield Finding("graph-grows", line, sentence, advice, change)


def joined(notes, line):
    """The lines that take up, in each round of a loop, what was recorded in the one before."""
    source = notes.source
    chained = [where for where, count in notes.joins.items() if count and where != line]
    bound = [w for w in chained if source.rebinds(w) or "+=" in source.text(w)]
    carried = source.carried(line)
    if chained and not set(bound) & set(carried) and carried:
        return carried  # in a function that the loop calls
    return bound or [where for where in chained if notes.joins[where] > 1]


def _let_go(notes, line, site, loss):
    """(advice, change): numbers in place of tensors."""
    source, text = notes.source, notes.source.text(line)
    alone = rf"(?<![\w.'\"]){re.escape(loss)}\b(?![\w.('\"]| =)"
    told = re.sub(alone, f"{loss}.item()", text, count=1)
    if loss and told != text:
        return "Keep the number, not the graph:", Change(line, told, text)
    match = re.search(r"(\+=? |append\(|= )([\w.]+)\)?\s*$", text)
    if match and (line not in notes.joins or "+" in match[1]):
        kept = match[2]
        number_of = ".item()" if kept == loss else ".detach()"
        new = text[: match.start(2)] + kept + number_of + text[match.end(2) :]
        return "Keep the number, not the graph:", Change(line, new, text)
    name = source.rebinds(line)
    if name and not source.attempts():
        new = f"{source.indent(site.line)}{name} = {name}.detach()"
        return "Cut between the steps:", Change(source.last_line(site.line), new)
    return "Keep .item() or .detach() of it, or change it in place under no_grad.", None


def graph_kept(notes, error, warned):
    """`retain_graph=True` in every step of a training, and no pass that needs it."""
    for site in notes.sites.values():
        text = notes.source.text(site.line)
        asked = re.search(r",?\s*retain_graph\s*=\s*True", text)
        if asked and site.keeps == site.passes > 2 and site.moves > 1 and not site.needed:
            sentence = (
                f"{site.passes} passes kept their graphs, and no other pass went through them."
            )
            new = text.replace(asked[0], "", 1).replace("(, ", "(")
            change = Change(site.line, new, text)
            yield Finding("graph-kept", site.line, sentence, "Leave it out:", change)


def broadcast_loss(notes, error, warned):
    """A prediction and a target were stretched against each other in a loss."""
    found = {line: shapes for line, (shapes, _) in notes.stretched.items() if _outer(*shapes)}
    for warning in warned:
        if match := _STRETCH.search(str(warning.message)):
            sizes = [tuple(map(int, re.findall(r"\d+", part))) for part in match.groups()]
            if all(math.prod(size) > 1 for size in sizes):
                found.setdefault(warning.lineno, sizes[::-1])
    for line, (one, two) in found.items():
        both = "x".join(map(str, _stretched(one, two)))
        sentence = (
            f"Shapes {one} and {two} were stretched against each other into {both}: so many "
            f"differences, and only {max(math.prod(one), math.prod(two))} targets."
        )
        advice = f"Give both the same shape, {one}:"
        yield Finding("broadcast-loss", line, sentence, advice, removed(notes.source, line, one))


def _stretched(one, two):
    length = max(len(one), len(two))
    padded = [(1,) * (length - len(shape)) + tuple(shape) for shape in (one, two)]
    return tuple(max(a, b) for a, b in zip(*padded))


def _outer(one, two):
    """Whether a column met a row of as many numbers."""
    size = math.prod(one)
    return size == math.prod(two) > 1 and math.prod(_stretched(one, two)) > size


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
