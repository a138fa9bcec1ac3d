"""Kinds that show in `.grad`: it is missing, too large, cleared too early, or not used."""

import re

from ..changes import OFF, cleared_after, moved_behind, put_after, rate_of, rewritten
from ..kind import HARD, Kind, grouped, names, short


@Kind(
    lesson="10-tell-leaves",
    why="backward() fills .grad of leaves, the tensors that you made. A result's .grad stays None.",
    advice="Compute first, then call .requires_grad_(). A step changes its numbers under no_grad.",
    fixes=[
        (r"^(\w[\w.]*) = \1(\.data|\.detach\(\))? ([-+]) (.*)$", OFF + r"\1 \3= \4"),
        (r"^(\w+) = (?!torch\b)([\w.]+\((?=.*\b\1\b).*\))$", r"\1 = \2.detach().requires_grad_()"),
        (
            r"^(\w+) = (.*?)(, requires_grad=True(?=\))|\.requires_grad_\(\))(.*)$",
            r"\1 = (\2\4).requires_grad_()",
        ),
    ],
)
def left_the_graph(case):
    """A name that stood for a parameter stands for a result, and its .grad is asked for."""
    for made, lines in case.notes.missed_results.items():
        line = next(filter(case.source.rebinds, reversed(made)), 0)
        asked = case.unguarded(lines)
        if line and asked:
            yield rebound(case, line, asked)


def rebound(case, line, asked):
    """A parameter became a result in a line, and is needed as a leaf in another one."""
    name = case.source.rebinds(line) or "This tensor"
    when = ", the next time" if asked <= line else ""
    what = (
        f"{name} should be a leaf, but this line makes it the result of an operation. "
        f"Line {case.source.shown(asked)} needs a leaf{when}."
    )
    steps = [one.first for one in case.source.statements if one.attempts and one.rebinds]
    fixes = [rewritten(case.source, step, left_the_graph.fixes) for step in {line, *steps}]
    lines = {where: text for fix in fixes for where, text in fix.items()}
    if not case.source.having(r"\.grad = None|zero_"):  # or the gradients would add up next
        for where, text in lines.items():
            stepped = re.match(r"with torch\.no_grad\(\):\n    (\S+) ", text)
            lines[where] += f"\n    {stepped[1]}.grad = None" if stepped else ""
    return "left-the-graph", line, what, lines


@Kind(
    lesson="08-add-up-grad",
    why="The step finds no gradient, so nothing moves.",
    advice="Clear before backward(), or after the step, never in between.",
)
def cleared_before_step(case):
    """A gradient is cleared before the step that needs it."""
    fed = [leaf for leaf in case.known if leaf.nonzero and not leaf.full_steps and not leaf.updates]
    moving = {leaf.update_line for leaf in case.known if leaf.updates}  # one of them is kept still
    fed = [leaf for leaf in fed if leaf.update_line not in moving]
    found = {leaf: leaf.cleared_at for leaf in fed if leaf.empty_steps > 1}
    if case.error is not None:  # the first step by hand fails: there is no .grad
        found |= {leaf: leaf.cleared for leaf in fed if leaf.cleared and case.line in leaf.missed}
    for line, leaves in grouped(found, found.get):
        first, step = leaves[0], leaves[0].update_line or case.line
        sentence = (
            f"backward() in line {case.source.shown(first.line)} filled {first.name or 'a'}.grad, "
            f"first with {short(first.seen[0])}. Here the gradient of {names(leaves)} is cleared, "
            f"and line {case.source.shown(step)} needs it."
        )
        yield "cleared-before-step", line, sentence, moved_behind(case.source, line, step)


@Kind(
    lesson="08-add-up-grad",
    why="backward() adds to .grad, so each step goes on with gradients of earlier ones.",
    advice="Clear the gradients after each step.",
    certain=True,
    drawn=True,
)
def gradient_not_cleared(case):
    """Steps are made with gradients to which those of earlier steps still belong."""
    dirty = [leaf for leaf in case.known if leaf.adds_up]
    for _, leaves in grouped(dirty, lambda leaf: leaf.optimizer or -leaf.line):
        leaves = sorted(leaves, key=lambda leaf: case.text.find(leaf.name))
        first = min(leaves, key=lambda leaf: leaf.seen[0].size > 6)  # whose numbers can be read
        cleared = f"cleared {first.clears} times" if first.clears else "never cleared"
        others = [leaf for leaf in leaves if leaf is not first]
        same = f" The same holds for {names(others)}." if others else ""
        sentence = (
            f"{first.name or 'A parameter'}.grad was added to {first.passes} times and {cleared}: "
            f"after the first times it was {', '.join(map(short, first.seen))}.{same}"
        )
        yield "gradient-not-cleared", first.dirty_line, sentence, cleared_after(case.source, leaves)


@Kind(
    lesson="10-tell-leaves",
    why="What gets no gradient never learns; other parameters may.",
    advice="Go on with the tensor itself, not with its numbers.",
    fixes=[
        (r"torch\.(as_)?[tT]ensor\(([\w.]+?)(\.data|\.detach\(\)|\.item\(\))?(, [^()]*)?\)", r"\2"),
        (r"\.detach\(\)(?!.*numpy)|\.data\b(?! =)|\.item\(\)", ""),
        (r"\.backward$", ".backward()"),
    ],
)
def no_gradient(case):
    """No gradient ever reaches a parameter."""
    notes, sites = case.notes, case.notes.sites.values()
    starved = [leaf for leaf in case.known if not leaf.passes]
    fed = [leaf for leaf in case.known if leaf.passes]
    lasting = [f for f in starved if f.optimizer in notes.stepping and notes.passes > 1]
    lasting = [] if case.looks_well else lasting
    if any(f.nonzero > 1 for f in fed) and not any(f.optimizer for f in fed):
        lasting = lasting if any(site.from_leaf for site in sites) else []  # see not_updated
    for line in case.source.having(r"\.backward$") if not notes.passes else ():
        yield "no-gradient", line, "Without parentheses, backward is not called.", None, "Call it."
    found = [f for f in starved if f in lasting or case.unguarded(f.missed)]
    for cut, leaves in grouped(found, case.cut_of):
        if not cut and case.derives:  # a bias is gone from a derivative
            continue
        for line, there in grouped(leaves, lambda leaf, cut=cut: cut or _unused(case, leaf)):
            yield starving(case, line, there, cut)


def _unused(case, leaf):
    """Where the root of a pass that began at a leaf lost its way back; else where it was made."""
    for site in case.notes.sites.values():
        root = re.search(r"(\w+)\.backward", case.source.text(site.line))
        if site.from_leaf and root:
            lines = case.source.leading_to(site.line, root[1])
            return min([one for one in lines if HARD.search(case.source.text(one))], default=0)
    return case.source.making(leaf.name)


def starving(case, line, leaves, cut):
    """No gradient reaches some leaves. cut: whether the way back ends in this line."""
    why, advice = "Not used for what backward() is called on", "Use it in forward, or take it away."
    if cut in case.notes.off:
        why, advice = "Here nothing is recorded (no_grad)", "Compute this outside of no_grad."
    elif cut:
        why, advice = "This line passes on bare numbers, without the graph that made them", ""
    elif HARD.search(case.source.text(line)):
        why, advice = "Whole numbers, yes and no have no gradient", "Take a smooth loss."
    sentence = f"{why}: no gradient arrived at {names(leaves)} in {case.notes.passes} passes."
    return "no-gradient", line, sentence, {} if advice else None, advice


@Kind(
    lesson="01-nudge-number",
    why="backward() only computes gradients; a step has to use them.",
    advice="After backward(), make a step.",
    fixes=[
        (r"^(\w[\w.]*) = \1(\.data|\.detach\(\))? ([-+]) (.*)$", r"\1 \3= \4"),
        (r"\.step$", ".step()"),
    ],
)
def not_updated(case):
    """A parameter gets gradients and never moves."""
    still = [f for f in case.known if f.nonzero > 1 and not f.updates and not f.empty_steps]
    still.sort(key=lambda leaf: case.text.find(leaf.name))
    still = [] if case.notes.missed_results or case.looks_well else still  # see left_the_graph
    moving = [leaf for leaf in case.known if leaf.updates]
    for (line, advice, step), leaves in grouped(still, lambda leaf: _meant(case, leaf, moving)):
        sentence = (
            f"Gradients arrived at {names(leaves)} in {leaves[0].passes} passes (the first: "
            f"{short(leaves[0].seen[0])}), and nothing moved there."
        )
        lines = put_after(case.source, line, step) if step else None
        yield from [("not-updated", line, sentence, lines, advice)] if line else []


def _meant(case, leaf, moving):
    """(line, advice, missing line) if a leaf that never moves was meant to; zeros if it was not."""
    line, optimizers, step = leaf.optimizer, case.notes.optimizers, ""
    if line and (case.error or leaf.full_steps and moving):
        line, advice = 0, ""
    elif line and leaf.full_steps:
        line, advice = rate_of(case.source, leaf)[0], "Take a larger learning rate."
    elif line in case.notes.stepping:
        line, advice = 0, ""  # its gradients are gone, or 0, when the step is made
    elif line and (uncalled := case.source.having(r"\.step$")):
        line, advice = uncalled[0], "Without parentheses, step is not called."
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
        line = 0 if is_used or _is_other_use(case, leaf, optimizers) else leaf.line
        line = line and (max([*optimizers] or [one.update_line for one in moving]) or line)
        advice = f"Let {leaf.name} make a step, too, as the others do." if line else ""
    return line, advice, step


def _is_other_use(case, leaf, optimizers):
    """Whether only some leaves may be meant to move: an input, a part of a model."""
    cleared = re.escape(leaf.name) + r"\.grad( = |\.zero_)"  # by its name, and for nothing else
    by_hand = leaf.clears > 1 and case.source.having(cleared)
    return "." in leaf.name or not (optimizers and leaf.is_shared or by_hand)


def _nothing_moves(case, leaf):
    """The same if no leaf moves, and no optimizer has this one."""
    source, site = case.source, case.notes.sites[leaf.line]
    if case.notes.stepping:
        advice = "This optimizer holds other parameters; give it the ones named above."
        return min(case.notes.stepping), advice, ""
    own = {leaf.name, *source.passing_names()} - {""}
    for one in source.statements:
        result = one.targets[0] if one.targets else one.attempts
        tried = result != one.attempts and source.is_read(result, besides=one)
        if one.attempts in own and not tried:
            return one.first, "This computes new numbers, and leaves the old: change these.", ""
    again = len(set(site.losses)) == 1 and leaf.clears >= site.passes - 1 and site.passes > 2
    reads = source.having(r"\.grad\b(?!( =|\.zero_|\.data\.zero_| is\b))") or case.notes.optimizers
    root = re.escape(source.target(site.root_line) or "-")
    looks = source.having(rf"\b{root}\.item\(|print\(.*\b{root}\b")
    if again and looks and not reads and not case.error:
        return leaf.line, "", f"with torch.no_grad():\n    {leaf.name} -= 0.1 * {leaf.name}.grad"
    return 0, "", ""
