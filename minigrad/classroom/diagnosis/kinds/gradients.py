"""Kinds that show in `.grad`: it is missing, too large, or cleared or changed at a wrong time."""

import re

from ..changes import (
    OFF,
    REBINDING,
    begun_with,
    cleared_after,
    moved_behind,
    rewritten,
    stacked,
)
from ..kind import HARD, Kind, grouped, names, short

_WITHOUT_GRAPH = re.compile(
    r"\.(?:item|detach|numpy|tolist)\(\)|\.data\b|torch\.tensor\(|\bfloat\(|\bVariable\("
)
_ONE_STEP_EACH = (
    "If gradients are to add up, clear after the step; else step after each backward()."
)


@Kind(
    lesson="10-tell-leaves",
    why="backward() fills .grad of leaves, the tensors that you made. A result's .grad stays None.",
    advice="Compute the numbers first, then call .requires_grad_().",
    fixes=[
        (REBINDING, OFF + r"\1 \3= \4"),
        (r"^(\w+) = (?!torch\b)([\w.]+\((?=.*\b\1\b).*\))$", r"\1 = \2.detach().requires_grad_()"),
        (r"= (.*?)(, requires_grad=True|\.requires_grad_\(\))(.*)", r"= (\1\3).requires_grad_()"),
        (r"= (\w+ [-+*/@] \w+)$", r"= (\1).detach().requires_grad_()"),
    ],
)
def left_the_graph(case):
    """A name that stood for a parameter now stands for a result, and its .grad is read."""
    for made, lines in case.notes.missed_results.items():
        line = next(filter(case.source.rebinds, reversed(made)), 0)
        asked = case.unguarded(lines)
        if line and asked:
            yield rebound(case, line, asked)


def rebound(case, line, asked):
    """A parameter became a result in a line, and is needed as a leaf in another one."""
    name = case.source.rebinds(line) or case.source.target(line) or "this tensor"
    when = " the next time it runs" if asked <= line else ""
    is_off = line in case.notes.off
    makes = "a new tensor that does not require grad" if is_off else "the result of an operation"
    what = f"This makes {name} {makes}, but {case.at(asked)} needs a leaf that requires grad{when}."
    steps = [one.first for one in case.source.statements if one.attempts and one.rebinds]
    advice = "Let the step change the numbers in place, under no_grad." if line in steps else ""
    lines = rewritten(case.source, left_the_graph.fixes, *case.source.alike(line), *steps)
    if not case.source.having(r"\.grad = None|zero_"):  # or the gradients would add up next
        for where, text in lines.items():
            stepped = re.match(r"with torch\.no_grad\(\):\n    (\S+) ", text)
            lines[where] += f"\n    {stepped[1]}.grad = None" if stepped else ""
    return line, what, lines, advice


@Kind(
    lesson="08-add-up-grad",
    why="What is cleared before a step never reaches it.",
    advice="Clear before backward(), or after the step, never in between.",
)
def cleared_before_step(case):
    """A gradient is cleared before the step that needs it."""
    moving = {leaf.update_line for leaf in case.known if leaf.updates}  # one of them is kept still
    fed = [leaf for leaf in case.known if leaf.nonzero and leaf.update_line not in moving]
    found = {leaf: leaf.cleared_at for leaf in fed if leaf.cleared_at}
    # Or the first step by hand failed, because there is no .grad.
    found |= {leaf: leaf.cleared for leaf in fed if leaf.cleared and case.line in leaf.missed}
    for line, leaves in grouped(found, found.get):
        first, step = leaves[0], leaves[0].update_line or case.line
        sentence = (
            f"The gradient of {names(leaves)} is cleared here, though {case.at(step)} still needs "
            f"it (the first had {short(first.seen[0])})."
        )
        is_early = line < step < first.line  # the step comes before backward() in each round
        advice = "Call backward() before the step, and clear before that." if is_early else ""
        order = (step, first.line) if is_early else (line, step)
        yield line, sentence, moved_behind(case.source, *order), advice
    if not case.looks_well:
        yield from _cleared_unused(case)


def _cleared_unused(case):
    """Most gradients are cleared before any step uses them, or the program looks at them.

    Not where something moves after most passes, as where two factors are fitted in turn.
    """
    rare = {site.line for site in case.notes.sites.values() if 1 < site.moves <= site.passes / 2}
    wasted = [f for f in case.known if f.filled <= rare and 0 < f.full_steps <= f.wasted]
    for line, leaves in grouped(wasted, lambda leaf: leaf.wasted_at):
        sentence = (
            f"{leaves[0].wasted} of {leaves[0].passes} gradients of {names(leaves)} were cleared "
            "here before a step used them."
        )
        yield line, sentence, moved_behind(case.source, line, leaves[0].update_line), _ONE_STEP_EACH


@Kind(
    lesson="08-add-up-grad",
    why="backward() adds to .grad, so each step also uses the gradients of earlier ones.",
    advice="Clear the gradients after each step.",
    fixes=[(r"(\.zero_(grad)?)$", r"\1()")],
    certain=True,
    drawn=True,
)
def gradient_not_cleared(case):
    """Steps use gradients that still contain those of earlier steps."""
    dirty = [leaf for leaf in case.known if leaf.adds_up and not _is_set_anew(case, leaf)]
    for _, leaves in grouped(dirty, lambda leaf: leaf.optimizer or -leaf.line):
        first = min(leaves, key=lambda leaf: leaf.seen[0].size > 6)  # whose numbers can be read
        times = "once" if first.clears == 1 else f"{first.clears} times"
        cleared = f"cleared {times}" if first.clears else "never cleared"
        others = [leaf for leaf in leaves if leaf is not first]
        same = f" The same holds for {names(others)}." if others else ""
        what = f"{first.name or 'A parameter'}.grad was added to {first.passes} times and {cleared}"
        sentence = f"{what}: its first values were {', '.join(map(short, first.seen))}.{same}"
        lines, advice = cleared_after(case.source, leaves), ""
        if uncalled := case.source.having(r"\.zero_(grad)?$"):
            advice = "Without parentheses, nothing is cleared."
            lines = rewritten(case.source, gradient_not_cleared.fixes, *uncalled)
        yield first.dirty_line, sentence, lines, advice


def _is_set_anew(case, leaf):
    """Whether a leaf is set to numbers that it has no part in: on a way to a target, say."""
    name = re.escape(leaf.name or "-")
    sets = rf"^{name}(\.data)?(\.copy_\(|(\[[:.]+\])? = )(?!.*(?<![\w.]){name}\b(?!\.grad))"
    lines = [leaf.update_line] if leaf.update_line else case.source.having(rf"^{name}\.data = ")
    return any(re.search(sets, case.source.text(line)) for line in lines)


@Kind(
    lesson="08-add-up-grad",
    why="A step uses .grad as it is at that moment: changing it afterwards has no effect on it.",
    advice="Change the gradients between backward() and the step.",
)
def changed_after_step(case):
    """Gradients are clipped or scaled after the step, and cleared before any other uses them."""
    late = [leaf for leaf in case.known if leaf.late > max(2, leaf.full_steps / 2)]
    late = [leaf for leaf in late if case.source.changes_grad(leaf.late_at)]
    for (line, step), leaves in grouped(late, lambda leaf: (leaf.late_at, leaf.update_line)):
        sentence = (
            f"{leaves[0].late} times, the gradients of {names(leaves)} were changed here after "
            f"{case.at(step)} had used them, and then they were cleared."
        )
        is_beside = case.source.indent(line) == case.source.indent(step)
        yield line, sentence, moved_behind(case.source, step, line) if is_beside else {}


@Kind(
    lesson="08-add-up-grad",
    why="backward() adds to .grad of every parameter it reaches, those of other optimizers, too.",
    advice="Clear the gradients of a model before its own pass, and not only after its step.",
)
def leftover_gradient(case):
    """A step uses what another model's pass has left, from before that model's own step."""
    mixed = [leaf for leaf in case.known if leaf.mixed > 2 and not leaf.dirty_line]
    for line, leaves in grouped(mixed, lambda leaf: leaf.left_by):
        first = leaves[0]
        sentence = (
            f"This pass, for another model's step, also added to .grad of {names(leaves)}, and "
            f"{first.mixed} of their own steps used that, mixed with their gradient."
        )
        name = case.source.target(first.optimizer)
        lines = begun_with(case.source, first.line, f"{name}.zero_grad()") if name else {}
        yield line, sentence, lines


@Kind(
    lesson="04-draw-jacobian",
    why=".grad is one tensor, which backward() and zero_() change in place, in the list as well.",
    advice="Keep a copy of each: x.grad.clone().",
    fixes=[(r"(?<![\w.])([\w.]+\.grad)\b", r"\1.clone()")],
)
def same_grad_kept(case):
    """A list holds the same `.grad` several times."""
    for name, leaf in case.notes.kept_twice.items():
        adding = rf"(?<![\w.]){re.escape(name)}(\.append\(| \+= |\[).*\.grad"
        for line in case.source.having(adding)[:1]:
            yield line, f"{name} holds {leaf.name}.grad itself: one tensor, several times."


@Kind(
    lesson="10-tell-leaves",
    why="A parameter without a gradient never learns, even if others do.",
    advice="Go on with the tensor itself, not with its numbers.",
    fixes=[
        (r"(?:torch\.|autograd\.)*Variable\(([\w.]+?)(\.data|\.detach\(\))?(, [^()]*)?\)$", r"\1"),
        (r"torch\.tensor\((.+)\.item\(\)(, requires_grad=True)?\)$", r"\1"),
        (r"torch\.(as_)?[tT]ensor\(([\w.]+?)(\.data|\.detach\(\)|\.item\(\))?(, [^()]*)?\)", r"\2"),
        (r"\.detach\(\)(?!.*numpy)|\.data\b(?! =)|\.item\(\)", ""),
        (r"\.backward$", ".backward()"),
    ],
)
def no_gradient(case):
    """No gradient ever reaches a parameter."""
    starved = [leaf for leaf in case.known if not (leaf.passes or leaf.full_steps)]
    fed = [leaf for leaf in case.known if leaf.passes]
    lasting = [leaf for leaf in starved if leaf.optimizer and leaf.update_line]
    of_another_model = any(f.nonzero > 1 for f in fed) and not any(f.optimizer for f in fed)
    if case.notes.passes < 2 or case.looks_well or of_another_model:  # see not_updated
        lasting = []
    is_idle = case.notes.recording and not case.notes.passes
    uncalled = case.source.having(r"\.backward$") if is_idle else []
    for line in uncalled:
        yield line, "Without parentheses, backward is not called.", None, "Call it."
    if is_idle and case.notes.idle_steps > 2 and not (uncalled or case.error):
        line = max(leaf.update_line for leaf in case.known)
        sentence = f"{case.notes.idle_steps} steps were made, and backward() was never called."
        is_named = case.source.setting("loss", before=line)
        lines = {line: f"loss.backward()\n{case.source.text(line)}"} if is_named else {}
        yield line, sentence, lines, "Call it on the loss before the step."
    for function, leaves in case.notes.functions.items():
        without = [leaf for leaf in starved if leaf in leaves]
        starved = [leaf for leaf in starved if leaf not in leaves]
        for line in case.source.having(r"^def backward\(")[-1:] if without else ():
            sentence = f"The backward() of {function} returned None for {names(without)}."
            advice = "Return a gradient for each input that requires one, in forward()'s order."
            yield line, sentence, {}, advice
    now = {leaf.name for leaf in fed if leaf.name}
    replaced = [leaf for leaf in lasting if leaf.name in now or not leaf.name]
    for line, leaves in grouped(replaced, lambda f: f.optimizer):
        by = names(leaves) if leaves[0].name else "others"
        sentence = f"This optimizer still holds tensors that {by} replaced."
        advice = "Make the optimizer after the last change of the model."
        changed = [0, *case.source.setting(leaves[0].name.rpartition(".")[0])][-1]
        yield line, sentence, moved_behind(case.source, line, changed), advice
    lasting = [leaf for leaf in lasting if leaf not in replaced]
    found = [f for f in starved if f in lasting or case.unguarded(f.missed)]
    sites = [site for site in case.notes.sites.values() if site.from_leaf]
    hard = max((case.hardened(site.line) for site in sites), default=0)  # where its way back ended
    for cut, leaves in grouped(found, case.cut_of):
        if not cut and case.derives:  # a bias is gone from a derivative
            continue
        end = cut or hard
        for line, there in grouped(leaves, lambda f, end=end: end or case.source.making(f.name)):
            yield starving(case, line, there, cut)


def starving(case, line, leaves, cut):
    """No gradient reaches some leaves. cut: whether the way back ends in this line."""
    why, lines = "What is differentiated does not depend on it", {}
    advice = "Use it on the way to the loss, or remove it."
    if cut in case.notes.off:
        why, advice = "Nothing is recorded here (no_grad)", "Compute this outside no_grad."
    elif cut:
        why, lines = "This line passes on the numbers without their graph", None
        found = _WITHOUT_GRAPH.findall(case.source.text(line))
        without = " and ".join(dict.fromkeys(one + ")" * one.endswith("(") for one in found))
        advice = f"Go on with the tensor itself, without {without}." if without else ""
        if joined := stacked(case.source, line):
            lines, advice = joined, "torch.stack joins tensors and keeps their graph."
    elif HARD.search(case.source.text(line)):
        why, advice = "Whole numbers, True and False have no gradient", "Use a smooth loss."
    return line, f"{why}: no gradient reached {names(leaves)}.", lines, advice
