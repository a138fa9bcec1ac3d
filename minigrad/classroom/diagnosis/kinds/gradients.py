"""Kinds that show in `.grad`: it is missing, too large, cleared too early, or not used."""

import ast
import dis
import inspect
import re

from ..changes import OFF, cleared_after, moved_behind, put_after, rate_of, rewritten, stacked
from ..kind import HARD, Kind, grouped, names, short

# A step that makes a new tensor: w = w - lr * w.grad.
_REBINDING = r"^(\w[\w.]*) = \1(\.data|\.detach\(\))? ([-+]) (.*)$"
_WITHOUT_GRAPH = re.compile(
    r"\.(?:item|detach|numpy|tolist)\(\)|\.data\b|torch\.tensor\(|\bfloat\(|\bVariable\("
)
_NOT_MEANT = 0, "", ""
_ONE_STEP_EACH = (
    "If gradients are to add up, clear after the step; else step after each backward()."
)
_ITERATOR = r"= ([\w.]+\.parameters\(\))$"
_USED_UP = "An iterator such as model.parameters() is used up after one round: make it a list."
_PLAIN_LIST = "parameters() does not look into a plain list: put the layers into nn.ModuleList."


@Kind(
    lesson="10-tell-leaves",
    why="backward() fills .grad of leaves, the tensors that you made. A result's .grad stays None.",
    advice="Compute the numbers first, then call .requires_grad_().",
    fixes=[
        (_REBINDING, OFF + r"\1 \3= \4"),
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


@Kind(
    lesson="01-nudge-number",
    why="backward() only computes gradients. A step has to use them, and moves what it was given.",
    advice="Take a step after backward().",
    fixes=[(_REBINDING, r"\1 \3= \4"), (r"\.step$", ".step()")],
)
def not_updated(case):
    """A parameter gets gradients but never moves."""
    still = [leaf for leaf in case.known if leaf.nonzero > 1 and not leaf.updates]
    still = [] if case.notes.missed_results or case.looks_well else still  # see left_the_graph
    moving = [leaf for leaf in case.known if leaf.updates]
    for (line, advice, step), leaves in grouped(still, lambda leaf: _meant(case, leaf, moving)):
        what = f"{names(leaves)} got {leaves[0].passes} gradients"
        sentence = f"{what} (the first had {short(leaves[0].seen[0])}), but never moved."
        lines = put_after(case.source, line, step) if step else None
        yield from [(line, sentence, lines, advice)] if line else []
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
    """(line, advice, missing line) if a leaf that never moves was meant to; zeros if it was not."""
    line, source = leaf.optimizer, case.source
    if not line:
        return _meant_by_hand(case, leaf, moving) if moving else _nothing_moves(case, leaf)
    if not moving and case.reads_grad() and not _looks_at(case, leaf):
        return _NOT_MEANT  # it is about the gradients alone
    if leaf.full_steps and not moving and not case.error:
        return rate_of(source, leaf)[0], "Use a larger learning rate.", ""
    if case.error or line in case.notes.stepping:
        return _NOT_MEANT  # its gradients are gone, or 0, when the step is made
    if uncalled := source.having(r"\.step$"):
        return uncalled[0], "Without parentheses, step is not called.", ""
    name = source.target(line)
    if moving and not source.having(rf"(?<![\w.]){re.escape(name)}\."):
        return _NOT_MEANT  # for another cell
    taken = [other for other in source.setting(name) if other > line]
    if taken and taken[-1] in case.notes.optimizers:
        advice = f"From {case.at(taken[-1])} on {name} is another one: give each a name and a step."
        return line, advice, ""
    return leaf.line, "", f"{name}.step()"


def _meant_by_hand(case, leaf, moving):
    """The same if others move, and no optimizer has this leaf: an input, a part of a model?"""
    optimizers, name = case.notes.optimizers, leaf.name
    if optimizers and re.search(r"\.\w+\[.*\]\.\w+$", name):
        return case.source.making(name.split("[")[0]), _PLAIN_LIST, ""
    if case.derives or case.reads_grad(name):
        return _NOT_MEANT
    layer = name.rpartition(".")[0]
    is_chosen = leaf.is_parameter and not name.endswith(".bias")  # as where biases are tuned alone
    if optimizers and not is_chosen and any(one.name.startswith(f"{layer}.") for one in moving):
        advice = (
            f"It lacks a part of {layer}: give it {layer}.parameters(), which finds what is an "
            "nn.Parameter."
        )
        return max(optimizers), advice, ""
    is_cleared = case.source.having(re.escape(name) + r"\.grad( = |\.zero_)")  # for nothing else
    would_move = optimizers and leaf.is_shared or leaf.clears and is_cleared
    twice = _taken_twice(optimizers)
    if twice and (layer or would_move):
        advice = f"The optimizer of {case.at(twice[0])} has the same parameters: take others here."
        return twice[1], advice, ""
    if layer or not would_move:
        return _NOT_MEANT
    line = max(optimizers or [one.update_line for one in moving])
    return line, f"Update {name} as well, like the others.", ""


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
        return min(case.notes.stepping), advice, ""
    for one in [one for one in source.statements if one.attempts]:
        result = one.targets[0] if one.targets else one.attempts
        if result == one.attempts or not source.is_read(result, besides=one):
            return one.first, "The parameter itself stays as it was: change it in place.", ""
    if _looks_at(case, leaf) and len(set(site.losses)) == 1 and not case.reads_grad():
        return leaf.line, "", f"with torch.no_grad():\n    {leaf.name} -= 0.1 * {leaf.name}.grad"
    return _NOT_MEANT


def _looks_at(case, leaf):
    """Whether the program prints what the passes to a leaf begin at, or takes its number."""
    root = re.escape(case.source.target(case.notes.sites[leaf.line].root_line) or "-")
    return case.source.having(rf"\b{root}\.item\(|print\(.*\b{root}\b")


@Kind(
    lesson="05-cut-chain",
    why="On the way back the gradient is multiplied by 0 here, so these parameters never learn.",
    advice="Look at what reaches this line, and at its slope there.",
)
def zero_gradient(case):
    """Every gradient that reaches some parameters is exactly 0, or becomes so for good."""
    stepped = [leaf for leaf in case.known if leaf.update_line]
    still = [leaf for leaf in stepped if leaf.zeros > 2 and leaf.zeros > leaf.passes / 2]
    last = [case.notes.sites[leaf.line].last for leaf in still]
    is_zero = any(values and values[-1] == 0 for values in last)  # the loss: nothing is left to do
    for (line, what), behind in reversed(case.notes.zeroed.items()):
        advice = "" if is_zero and "Softmax" not in what else _AGAINST_ZEROS.get(what)
        if advice and behind.intersection(still) and not case.looks_well:
            lost = [leaf for leaf in still if leaf in behind]
            which = "The last" if lost[0].nonzero else "All"
            seen = f"{which} {lost[0].zeros} gradients of {names(lost)} were 0"
            what = _SPOKEN.get(what, what.lower())
            yield line, f"{seen}: {what} sent back nothing but zeros here.", {}, advice
            return


@Kind(
    lesson="05-cut-chain",
    why="What arrives is the upstream gradient v, and backward() has to return v times its slopes.",
    advice="Multiply what it returns by it.",
)
def upstream_unused(case):
    """The backward() of a Function of the program's own leaves the upstream gradient out."""
    for name, (used_at, code, g, is_alike) in case.notes.weighed.items():
        given, read = _arguments(code)
        if case.looks_well or not given or read & set(given):
            continue
        line, lines = used_at, {}
        for node in case.source.methods(name, "backward"):
            if not _is_code_of(code, node, case.file):
                continue
            returned = [one for one in ast.walk(node) if isinstance(one, ast.Return) and one.value]
            line, value = returned[-1].lineno, returned[-1].value
            if is_alike and not isinstance(value, ast.Tuple):
                lines = {line: f"return {given[0]} * ({ast.unparse(value)})"}
        yield line, f"The backward() of {name} got {short(g)}, but never uses it.", lines


def _is_code_of(code, node, file):
    """Whether code is that of the method that a node of this cell's text defines."""
    first = min(one.lineno for one in [node, *node.decorator_list])
    return code.co_filename == file and code.co_firstlineno == first


def _arguments(code):
    """The names of a method's arguments after the first, and all names that it reads."""
    given = code.co_varnames[1 : code.co_argcount + bool(code.co_flags & inspect.CO_VARARGS)]
    loads = [one.argval for one in dis.get_instructions(code) if one.opname.startswith("LOAD")]
    pairs = [one if isinstance(one, tuple) else (one,) for one in loads]  # from Python 3.13 on
    return given, {name for pair in pairs for name in pair}


_SPOKEN = dict.fromkeys(["Mm", "Addmm", "Mv", "Dot"], "the product")
_SMALL = "Start with small random weights: if all are 0, no gradient gets through them."
_STEPS = (
    "A number that is rounded, or only a sign, has slope 0 everywhere: use something with a slope, "
    "such as tanh, or leave it out of the loss."
)
_RANGE = (
    "Its slope is 0 for everything it gets: make the weights or the learning rate smaller, and put "
    "no relu or clamp after the last layer."
)
_ONE = (
    "A softmax over a single number is always 1: give the model one output per class or, for yes "
    "and no, use binary_cross_entropy_with_logits(out.squeeze(1), y.float())."
)
_AGAINST_ZEROS = {
    **dict.fromkeys(_SPOKEN, _SMALL),
    **dict.fromkeys(["Sign", "Round", "Floor", "Ceil"], _STEPS),
    **dict.fromkeys(["Relu", "Clamp", "ClampMin", "ClampMax"], _RANGE),
    **dict.fromkeys(["Softmax", "LogSoftmax"], _ONE),
}
