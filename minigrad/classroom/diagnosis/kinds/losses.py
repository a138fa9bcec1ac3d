"""Kinds that show in the loss, and in how the parameters move for it."""

import math
import re

import numpy as np

from ...show.formatting import number
from ..changes import begun_with, calling_with, rate_of, rewritten, step_of
from ..kind import Kind, grouped, names
from .gradients import no_gradient

_RECORDED = "With create_graph=True backward() can go on through what this call gives."
_LIKELIHOOD = "A log-likelihood should grow, but steps make a loss smaller: put a minus before it."
_INNER = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))+"  # with brackets in brackets
_SUMMED = r"((?:\.(?:mean|sum)\([^()]*\))+)"
_LOGARITHMS = [(r"\bsoftmax\(", "log_softmax("), (r"nn\.Softmax\(", "nn.LogSoftmax(")]
_CHECK = "Its sign or a factor is wrong: compare it with nudges, by torch.autograd.gradcheck."
_OVERFLOW = (
    "exp of more than 88 is too large for float32. Subtract the largest first, as "
    "torch.log_softmax and torch.logsumexp do, or make the steps or the inputs smaller."
)
_STRETCH = re.compile(r"Using a target size \(torch\.Size\((\[.*?\])\)\).*?Size\((\[.*?\])\)")


@Kind(
    lesson="06-multiply-matrices",
    why="Every prediction is compared with every target: the best it can do is learn their mean.",
    advice="Give both the same shape.",
)
def broadcast_loss(case):
    """A prediction and a target are broadcast against each other."""
    found = {line: case.notes.crossed[line] for line in case.notes.stretched}
    for warning in case.warned:
        match = _STRETCH.search(str(warning.message))
        if match and warning.filename == case.file:
            sizes = [tuple(map(int, re.findall(r"\d+", part))) for part in match.groups()]
            found.setdefault(warning.lineno, (*sizes[::-1], None))  # the second is the target
    for line, (one, two, name) in found.items() if not case.looks_well else ():
        both, size = np.broadcast_shapes(one, two), math.prod(one)
        if size == math.prod(two) < math.prod(both):  # a column met a row
            many = f"{math.prod(both)} comparisons, and only {size} targets"
            sentence = f"Shapes {one} and {two} were broadcast to {both}: {many}."
            shape = "-1, 1" if one[-1:] == (1,) else "-1"
            same = [(r"( - |, )([\w.\[\]:+]+)(?=\)|$)", rf"\1\2.reshape({shape})")]
            whole = rf"(?<![\w.]){re.escape(name or '')}(?![\w.\[(])"
            text = case.source.text(line)
            lines = {line: re.sub(whole, f"{name}.reshape(-1, 1)", text)} if name else {}
            if name is None or lines == {line: text}:
                lines = rewritten(case.source, same, line)
            yield line, sentence, lines


@Kind(
    lesson="07-walk-graph",
    why="nan spreads: every gradient behind it is nan, and after one step every parameter is, too.",
    advice="Keep the operand where the operation is defined, for example with .clamp(min=1e-8). "
    "If the loss then stays where it is, the steps or the inputs are too large.",
    fixes=[
        (
            r"torch\.log\(([^()]+)\)(.*)torch\.log\(([^()]+)\)",
            r"torch.log(torch.clamp(\1, min=1e-8))\2torch.log(torch.clamp(\3, min=1e-8))",
        ),
        (rf"torch\.(log|sqrt)\(({_INNER})\)", r"torch.\1(torch.clamp(\2, min=1e-8))"),
        (r"\.(log|sqrt)\(\)", r".clamp(min=1e-8).\1()"),
        (r" / (\w+\.(?:std|sum|norm|max)\([^()]*\))$", r" / (\1 + 1e-8)"),
    ],
    certain=True,
)
def not_finite(case):
    """An operation makes nan or infinity of ordinary numbers, or is given them."""
    moved = [leaf for leaf in case.known if leaf.value is not None and leaf.updates]
    newest = case.notes.named  # of several trials the last one counts
    moved = [leaf for leaf in moved if newest.get((leaf.name, leaf.line), leaf) is leaf]
    last = [one.last[-1] for one in case.notes.sites.values() if one.last and one.moves > 1]
    values = [leaf.value for leaf in moved]
    is_well = all(np.isfinite(one).all() for one in values)
    if isinstance(case.error, Exception) and is_well:  # it has nothing to do with the error
        return
    if not values or is_well and all(map(math.isfinite, last)):
        return
    if any(leaf.is_raised for leaf in moved):
        return
    if any(site.falls_away for site in case.notes.sites.values()):  # see no_minimum
        return
    if case.notes.spoilt is not None:
        yield _spoilt(case, *case.notes.spoilt)
    elif case.notes.bad is not None:
        line, what, got, largest = case.notes.bad
        if largest < 1e6:  # else the numbers had run away before
            yield line, _failed(what, got), None, _OVERFLOW if what == "Exp" else ""


def _spoilt(case, line, name, count, size):
    """What is told of given numbers that hold nan or infinity already, when a line meets them."""
    what = f"{name or 'What is given here'} holds nan or infinity in {count} of {size} entries"
    sentence = f"{what}, before {case.at(line)} computes with it."
    check = f"torch.isfinite({name or 'x'}).all()"
    advice = f"Mend these entries or leave them out; {check} tells whether any are left."
    at = [line, *(case.source.setting(name, before=line) if name else [])][-1]
    return at, sentence, rewritten(case.source, not_finite.fixes, at), advice


def _failed(what, got):
    """Which operation made nan or infinity, and of which numbers, if it is elementwise."""
    name = what.lower()
    if name == "the derivative of sqrt":
        return "sqrt got 0 here, and its slope at 0 is infinite."
    if got is None:
        return f"Here {name} made nan or infinity, and what it was given holds neither."
    given, made = got
    told = " and ".join(number(one, digits=4) for one in given)
    return f"Here {name} of {told or 'these numbers'} is {number(made)}."


@Kind(
    lesson="05-cut-chain",
    why="Losses of logits apply softmax or sigmoid themselves, and nll_loss takes logarithms.",
    advice="Give the loss the raw outputs (logits), and squash them only to read probabilities.",
    fixes=[
        (r", (torch\.)?nn\.(Softmax|Sigmoid)\([^()]*\)", ""),
        (rf"(torch|F|[\w.]*functional)\.(softmax|sigmoid)\(({_INNER}?)(, (dim=)?-?\d)?\)", r"\3"),
        (r"\.(softmax|sigmoid)\([^()]*\)", ""),
    ],
)
def softmax_twice(case):
    """The result of a softmax or a sigmoid goes into a loss that applies one itself."""
    for line, (made, what, does) in case.notes.squashed.items() if not case.looks_well else ():
        at, lines, advice = next(iter(case.source.having(rf"nn\.{what}\(")), made), None, ""
        if does == "NllLoss":
            advice = "nll_loss takes logarithms: use log_softmax, or cross_entropy of the logits."
            lines = rewritten(case.source, _LOGARITHMS, at)
        sentence = f"The loss in {case.at(line)} was given the result of a {what.lower()}."
        yield at, sentence, lines, advice


@Kind(
    lesson="05-cut-chain",
    why="This loss reads its input as logarithms of probabilities, which add up to 1.",
    advice="Use cross_entropy of the outputs, or log_softmax over the dimension of the classes.",
    fixes=[(r"\bnll_loss\(", "cross_entropy("), (r"\bNLLLoss\(", "CrossEntropyLoss(")],
)
def no_logarithms(case):
    """nll_loss gets numbers that are no logarithms of probabilities."""
    twice = {does for _, _, does in case.notes.squashed.values()}
    found = case.notes.no_logarithms if "NllLoss" not in twice and not case.looks_well else {}
    for line, (total, made) in found.items():
        pattern, lines = r"\bLogSoftmax\(" if made else r"\bNLLLoss\(", None
        at = next(iter(case.source.having(pattern)), made or line)
        if made:  # over another dimension
            lines = rewritten(case.source, [(r"(dim=|, )0\)", r"\g<1>1)")], at)
        sentence = (
            f"The exponentials of an example's scores add up to {number(total, digits=4)}, not 1."
        )
        yield at, sentence, lines


@Kind(
    lesson="05-cut-chain",
    why="What is added to a loss without its graph changes the loss, but none of the gradients.",
    advice="Compute it from the tensors themselves, not from their .data.",
    fixes=no_gradient.fixes,
)
def constant_in_loss(case):
    """A penalty is computed from the parameters, but no gradient comes back from it."""
    source, notes = case.source, case.notes
    for site in notes.sites.values() if not case.looks_well else ():
        moving = {leaf for leaf in case.known if leaf.updates and leaf.line == site.line}
        for line in site.sums & notes.constants.keys():
            first, last, with_graph = notes.constants[line]
            words = set(re.findall(r"[A-Za-z_]\w*", source.text(line))) - with_graph
            leading = [line, *source.leading_to(line, *words)]
            leading += source.bodies(" ".join(map(source.text, leading)))
            reported = moving if "weight_decay" in case.text else set()  # as that adds it itself
            values = f"{number(first, digits=4)} at first, later {number(last, digits=4)}"
            seen = f"Part of the loss, {values}, comes from here without a graph."
            for one in leading if first != last else ():
                if _is_unrecorded(case, one):
                    lines = rewritten(source, calling_with("create_graph=True"), one)
                    yield one, seen, lines, _RECORDED
                elif ".data" in source.text(one) and moving & notes.cuts.get(one, set()) - reported:
                    yield one, seen


def _is_unrecorded(case, line):
    """Whether a line asks for gradients of something else than the parameters, without a record."""
    is_pass = line in case.notes.sites and "create_graph" not in case.source.text(line)
    return is_pass and not any(leaf.line == line for leaf in case.known if leaf.updates)


@Kind(
    lesson="08-add-up-grad",
    why="Adam and momentum remember earlier gradients, and a new optimizer has forgotten them.",
    advice="Make it once, before the loop.",
)
def optimizer_remade(case):
    """An optimizer that remembers gradients is made again for each step."""
    for line, count in case.notes.remade.items():
        if count > 2 and not case.looks_well:
            yield line, f"{count + 1} were made for the same parameters, one for each step.", {}


@Kind(
    lesson="10-tell-leaves",
    why="eval() lasts until train() is called, and not only until the next epoch begins.",
    advice="Call train() again before the steps that follow.",
)
def left_in_eval(case):
    """Training goes on in eval() mode, in which Dropout does nothing."""
    for in_train, in_eval in case.notes.modes.values():
        if not (in_train and in_eval):
            continue
        sentence = (
            f"Dropout was on in {in_train} of {in_train + in_eval} steps and off in the last "
            f"{in_eval}, since the model stayed in eval()."
        )
        for line in case.source.having(r"\.eval\(\)|\.train\(False\)")[:1]:
            model = re.search(r"([^ =]+)\.(?:eval|train)\(", case.source.text(line))[1]
            lines = begun_with(case.source, line, f"{model}.train()")
            yield line, sentence, lines


@Kind(
    lesson="01-nudge-number",
    why="The gradient points in the direction in which the loss grows.",
    advice="Minimise the loss itself, with steps against its gradient.",
    fixes=[(r"\+(?=[= ])", "-"), (r"\.add_\(", ".sub_("), (r"= -", "= ")],
    drawn=True,
)
def uphill(case):
    """Parameters move along the gradient of a loss, not against it."""
    for line, leaves in grouped(f for f in case.known if f.updates):
        site, source, lines = case.notes.sites[line], case.source, None
        climbing = [f for f in leaves if f.up > f.updates / 2 and f.is_driven]
        climbing = climbing if _runs_up(site) else []
        falls = len(case.notes.sites) == 1 and _is_negative(site)
        falls = falls and any(leaf.is_shared for leaf in leaves)  # not an input's, say
        turning = any(leaf.turns > leaf.updates / 3 for leaf in leaves)  # the rate is too large
        if case.notes.functions and not climbing and not turning and _runs_up(site):
            sentence = f"{names(leaves)} moved against this gradient, but {_course(site)}."
            written = source.having(r"^def backward\(") or [site.line]
            yield written[-1], sentence, {}, _CHECK
            continue
        moved = climbing or (leaves if falls else [])
        if not moved or any(leaf.reshaped > 1 or leaf.shifts for leaf in moved):
            continue
        at, what = site.root_line, "let a square grow, as the loss is minus it"
        if climbing:
            what = "moved along the gradient"
            at, *_ = steps = sorted({step_of(source, leaf) or line for leaf in climbing})
            rate_at, rate, value = rate_of(source, climbing[0])
            lines = rewritten(source, uphill.fixes, *steps)
            if value < 0:
                at, lines = rate_at, rewritten(source, [(rate, rate[1:])], rate_at)
        yield at, f"{names(moved)} {what}: {_course(site)}.", lines


def _runs_up(site):
    """Whether a positive loss grows by ever larger amounts.

    Up a square, each third of the run adds several times what the one before did (the slowest of
    the tests' broken programs 2.3 times); up a score or an entropy it adds as much or less.
    """
    return len(site.losses) > 2 and min(site.losses) >= 0 and _grows(site.losses, site)


def _grows(values, site):
    third = len(values) // 3
    early, late = values[third] - values[0], values[-1] - values[-1 - third]
    return late > 2 * early > 0 or not math.isfinite(site.last[-1])


def _is_negative(site):
    """Whether what is made small is minus a square, and runs down."""
    is_minus = site.kinds[:1] == ["Neg"] and {"Pow", "MseLoss", "SmoothL1Loss"} & set(site.kinds)
    return is_minus and len(site.losses) > 3 and _grows([-value for value in site.losses], site)


def _course(site):
    told = [number(value, digits=4) for value in site.losses[:4]]
    return f"the loss went {', '.join(told)}, ... {number(site.last[-1], digits=4)}"


@Kind(
    lesson="01-nudge-number",
    why="This loss has no smallest value, so the steps go on and on, past every target.",
    advice="Square each difference before adding them up.",
    fixes=[
        (rf"torch\.(mean|sum)\(({_INNER} - {_INNER})\)", r"torch.\1((\2) ** 2)"),
        (r"torch\.(mean|sum)\((\w+)\)", r"torch.\1(\2 ** 2)"),
        (rf"(\({_INNER} - {_INNER}\)){_SUMMED}", r"(\1 ** 2)\2"),
        (rf"\b(\w+){_SUMMED}", r"(\1 ** 2)\2"),
        (r"= ([^()]+(?:\([^()]*\))? - .+)$", r"= (\1) ** 2"),
    ],
    drawn=True,
)
def no_minimum(case):
    """The loss falls below 0 without end: a sum of plain differences, or a log-likelihood."""
    for site in case.notes.sites.values():
        is_trained = site.moves > 2 and len(site.losses) > 2
        if site.is_difference and is_trained and sum(site.last) < 0:
            begin, middle, end = map(np.mean, np.array_split(site.losses, 3))
            if middle - end > 0.9 * (begin - middle) > 0:
                yield site.root_line, f"{_course(site).capitalize()}."
        elif site.falls_away:
            minus = rewritten(case.source, [(r"(= |return )(.+)$", r"\1-(\2)")], site.root_line)
            yield site.root_line, f"{_course(site).capitalize()}.", minus, _LIKELIHOOD


@Kind(
    lesson="01-nudge-number",
    why="Steps that are too large jump past the minimum, and each one lands further away.",
    advice="Use a smaller learning rate and more steps, and watch the loss.",
    drawn=True,
)
def diverges(case):
    """The loss grows without bound."""
    for line, leaves in grouped(leaf for leaf in case.known if leaf.updates):
        site = case.notes.sites[line]
        leap = any(leaf.turns > leaf.updates / 3 for leaf in leaves)  # often, and not by chance
        runs_away = _runs_away(site) and (leap or not math.isfinite(site.last[-1]))
        runs_away = runs_away and not site.falls_away
        if runs_away and all(leaf.is_steady for leaf in leaves):
            rates = [rate_of(case.source, leaf) for leaf in leaves]
            at = min(at for at, _, _ in rates) or line
            less = [(rf"\b{re.escape(old)}\b", f"{rate / 100:g}") for _, old, rate in rates if rate]
            lines = rewritten(case.source, less, *(at for at, _, _ in rates))
            yield at, f"In {site.passes} steps {_course(site)}.", lines


def _runs_away(site):
    """Whether the loss becomes much larger, and goes on so to the end; or is no number any more.

    One that runs away soon has four times its value after each step. Noise, a critic and growing
    data reach ten times the first losses, too, but not while three steps in a row add a fifth.
    """
    values, last = site.losses, list(site.last)
    if len(values) < 4 or not math.isfinite(last[-1]):
        return len(values) > 3 and math.isfinite(values[0])
    count = min(8, len(values) // 3)
    before, after = max(map(abs, values[:count])), sum(last[-count:]) / count
    rising = all(b > 1.2 * a for a, b in zip(last[-4:], last[-3:])) or after > 1e6 * before
    return rising and after > 10 * max(before, 1e-3)
