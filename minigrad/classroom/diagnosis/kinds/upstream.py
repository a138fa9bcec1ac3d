"""Kinds that show in what goes back from operation to operation: the upstream gradients."""

import ast
import dis
import inspect

from ...show.formatting import number
from ..kind import Kind, names, short


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
            if what in ("Sub", "Div") and lost != stepped:  # others learn
                continue
            which = "The last" if lost[0].nonzero else "All"
            seen = f"{which} {lost[0].zeros} gradients of {names(lost)} were 0"
            what = _SPOKEN.get(what, what.lower())
            yield line, f"{seen}: {what} sent back nothing but zeros here.", {}, advice
            return


@Kind(
    lesson="02-ask-for-more",
    why="backward(v) multiplies all gradients by v, so here they shrink as the loss does.",
    advice="For a loss, call backward() without an argument.",
    fixes=[(r"\.backward\((?:gradient=)?[^,()]+(?:, (retain_graph=True))?\)", r".backward(\1)")],
)
def loss_as_v(case):
    """A loss is given to its own backward() as the upstream gradient."""
    for site in case.notes.sites.values():
        is_loss = site.kinds[:1] in _LOSSES or site.kinds[:2] == ["Mean", "Pow"]
        if site.by_itself == site.passes == site.moves + 1 > 3 and is_loss and not case.looks_well:
            what = f"The v of all {site.passes} passes was the loss itself"
            yield site.line, f"{what}, {number(site.losses[0], digits=4)} at first."


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


_LOSSES = [["MseLoss"], ["NllLoss"], ["SmoothL1Loss"], ["BinaryCrossEntropy"]]
_SPOKEN = {
    **dict.fromkeys(["Mm", "Addmm", "Mv", "Dot"], "the product"),
    "Sub": "a tensor minus itself",
    "Div": "a tensor divided by itself",
}
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
_ITSELF = (
    "Both are the same tensor, so the two gradients cancel. Detach the one that should stay as it "
    "is where it gets its name: old = new.detach()."
)
_AGAINST_ZEROS = {
    **dict.fromkeys(["Mm", "Addmm", "Mv", "Dot"], _SMALL),
    **dict.fromkeys(["Sub", "Div"], _ITSELF),
    **dict.fromkeys(["Sign", "Round", "Floor", "Ceil"], _STEPS),
    **dict.fromkeys(["Relu", "Clamp", "ClampMin", "ClampMax"], _RANGE),
    **dict.fromkeys(["Softmax", "LogSoftmax"], _ONE),
}
