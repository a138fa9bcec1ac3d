"""The backward stepper on the screen: the graph beside its ledger, then now, what is sent, next."""

from functools import partial

from ...show.drawing.formulas import amount
from ...show.formatting import fitting, nested, number
from ...show.html import joined, tag
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import chip, classes, code, div, quiet, quietly, span, strong
from .drawing import drawn_graph
from .replay import MODES

USE = "step through the pass"

_ROW = 28  # of the ledger, in pixels
_ROOMY = 5  # so many rows may each have several lines


def draw(model):
    graph, changed = drawn_graph(model.graph), model.changed(lambda model: model.sums())
    return joined(
        _head(model),
        _bench(model),
        div("mg-step-told", parts.refusal(model)),
        question_first(model),
        div(
            classes("mg-run", wide=graph.wide),
            div("mg-scroll", graph.draw(model, changed).svg()),
            None if model.covered else div("mg-ledger", _ledger(model, changed)),
        ),
        None if model.covered else joined(_lines(model), _foot(model)),
    )


def _head(model):
    note = model.example.note if model.mode == "ordered" else MODES[model.mode]
    title = parts.title(model.example.formula, note=model.told(note) or "\u00a0")
    return inputs.head(model, title, width="170px", names=True)


# --- what a learner may do -----------------------------------------------------------------------


def _bench(model):
    modes = [("in order" if mode == "ordered" else mode, mode) for mode in MODES]
    mode = inputs.select("mode", modes, model.mode, act("set_mode"), False, "180px")
    return inputs.bench(None if model.covered else _moves(model), mode, _v(model))


def _moves(model):
    start, end = model.step == 0, model.step == model.steps
    moves = (
        ("|\u25c0", "start: only v is there", "first", None, start),
        ("\u25c0", "back: one step back in time (key P)", "back", "p", start),
        ("next \u25b6", "next: the next node runs (key N)", "forward", "n", end),
        ("\u25b6|", "end: on to the end of the pass", "last", None, end),
        ("Pause" if model.playing else "Play", "step by itself, or stop", "play", None, False),
    )
    buttons = [
        inputs.button(text, said, act(name), shortcut, name == "forward", disabled)
        for text, said, name, shortcut, disabled in moves
    ]
    where = strong(f"step {model.step} of {model.steps}")
    return div("mg-row mg-moves", buttons, where)


def _v(model):
    v = model.v
    label = span("mg-spoken", "v =")  # the name before the boxes says it
    field = inputs.list_field(model, "upstream", label, width="210px") if v.ndim else None
    look, boxes = classes("mg-v mg-row", single=not v.ndim), inputs.boxes(model, "upstream")
    return div(look, tag("b", code("v")), boxes, field)


# --- the ledger ----------------------------------------------------------------------------------


def _ledger(model, changed):
    rows, now = [], None
    for account in model.replay.ledger(model.step):
        here = model.current and account.name.partition("[")[0] == model.current.name
        now = len(rows) if here and now is None else now
        entries = [_entry(model, entry, account) for entry in account.contributions]
        total = _sum(model, account, account.name in changed)
        rows.append((code(account.name), entries or quietly("nothing yet"), total))
    rows.append((quietly("torch"), *_check(model)))
    table = parts.table(rows, ("node", "arrived, from", "sum"), "ledger of contributions", now)
    look = classes("mg-accounts", brief=len(rows) > _ROOMY)
    return div(look, table, style=f"min-height: {_ROW * (len(rows) + 1) + 4}px")


def _entry(model, entry, account):
    lost = model.mode == "overwrite" and entry is not account.contributions[-1]
    marks = classes(changed=entry.step == model.step > 0, lost=lost)
    spoken = span("mg-spoken", "overwritten") if lost else None
    return joined(_from(model, entry.value, entry.source, marks), spoken)


def _sum(model, account, changed):
    marks = classes(changed=changed, different=account.wrong)
    if account.wrong and account.total is not None:
        one = account.total.size == 1  # of several numbers the verdict below says which are right
        note = f"not {amount(account.right, signed=True)}" if one else "wrong"
        return _from(model, account.total, note, marks)
    if len(account.contributions) == 1 and account.total.size > 1:
        return "="
    return _number(model, account.total, marks)


def _check(model):
    """PyTorch's gradients of the leaves, once the pass is done, and whether these agree."""
    answer = model.torch_answer()
    if answer.found is None:
        return quietly(answer.text), None
    if model.step < model.steps:
        return quietly(f".grad at step {model.steps}"), None
    compared = model.comparison(answer)
    agrees = all(agreed for agreed, _ in compared.values())
    theirs = [  # where it says something else, that alone
        _from(model, answer.found[name], name, "" if agrees else "mg-different")
        for name, (same, _) in compared.items()
        if agrees or not same
    ]
    differences = "; ".join(f"{name}.grad: {text}" for name, (_, text) in compared.items())
    return theirs, tag("strong", parts.equal(agrees), class_="mg-code", title=differences)


# --- now, what is sent, next ---------------------------------------------------------------------


def _lines(model):
    now, sends = _now(model)
    lines = (("now", now), ("sends", sends), ("next", _next(model)))
    return div("mg-step-lines", [joined(strong(head), tag("div", text)) for head, text in lines])


def _now(model):
    """What has just run, and what it sends."""
    node = model.current
    if node is None:
        waits = joined(_number(model, model.v), " waits at ", code(model.root.name), ", the root.")
        return waits, quietly("a step is a node: press next, or the key N")
    name, gets = (f"{node.name}.grad", " = ") if node.is_leaf else (node.title, " gets v = ")
    arrived = code(parts.minus(model.replay.received_line(model.step)))
    sent = [_sent(model, part) for part in model.replay.sent(model.step)]
    nothing = quietly("nothing: a leaf keeps it" if node.is_leaf else "nothing")
    return joined(strong(code(name)), gets, arrived), sent or nothing


def _sent(model, part):
    """What goes to one operand, the rule in numbers where they are short; the log has them all."""
    rule = part.formula if len(part.formula) <= 40 else part.symbols
    to = code(f"to {part.to}: {parts.minus(rule)} =")
    return span("mg-sent", to, " ", _number(model, part.value))


def _next(model):
    queue = model.replay.queue(model.step)
    if not queue:
        return joined("nothing: the pass is done. ", strong(parts.minus(model.replay.verdict())))
    return [
        joined(span(classes("mg-queue", on=place == 0), code(name), " ", quietly(arrived)), " ")
        for place, (name, arrived) in enumerate(queue)
    ]


def _foot(model):
    done = [tag("li", parts.minus(line)) for line in model.replay.log[: model.step]]
    log = tag("ol", done) if done else quiet("nothing has run yet")
    answer = model.torch_answer()
    by = f"{answer.label()} \u00b7 " if answer.found else ""
    by_torch = div("mg-by", quiet(f"{by}keys N and P step"), **parts.awaited(answer))
    return div("mg-foot", parts.fold("log", div("mg-log", log)), by_torch)


# --- numbers -------------------------------------------------------------------------------------


def _number(model, values, marks=""):
    """A gradient on its tint: one number by its sign, several in one line."""
    if values is None:
        return quietly("None")
    if values.size == 1:
        return chip(values.item(), model.replay.largest, fitting(values, 12), marks)
    text = nested(values.tolist(), partial(number, signed=True, digits=3))
    text = amount(values) if values.size > inputs.MAX_BOXES else text
    return span("mg-many", chip(0.0, text=text, marks=marks), title=text)


def _from(model, values, source, marks=""):
    many = values is not None and values.size > 1
    value = _number(model, values, marks)
    return joined(span(classes("mg-from", many=many), value, " ", source), " ")
