"""The ledger of .grad on the screen: what to call, a row for each call, the life of the graph."""

import re

import numpy as np

from ...show.drawing.palette import largest_of
from ...show.drawing.svg import LETTER
from ...show.formatting import MINUS, exact, fitting, nested, number
from ...show.html import joined, tag
from ..predict_card.model import written
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import chip, classes, code, div, fold, quiet, quietly, span, strong
from .drawing import LONG, MAX_NODES, ROOM, draw_life, range_of

USE = "make calls"

_OBJECTS = {"None": "", "new": "new", "same": "same", "another": "other"}
_MOST, _LEAST = 4, 2  # rows in sight; earlier ones are folded
_TALL = 330  # pixels for the rows and the graph: what is left of a screen by all other parts
_HEAD, _ROW = 30, 44  # heights of the table's head and of a row
_LONG_ERROR = 170  # letters; what goes beyond its first sentence is folded
_CELL = 144  # pixels: the width of a cell of gradients
_LETTERS = {1: 12, 2: 7, 3: 4}  # of small numbers, by how many stand side by side
_NONE = span("mg-quiet mg-code", "None")
_CURE = joined(
    " Run ", strong("forward"), " for a new graph, or use ", strong("retain_graph"), ". "
)
_WIDTHS = (40, 250, 152, 152, 60, 76, 65)  # of the columns


def draw(model):
    graph, tall = _graph(model)
    room = max(_LEAST, min(_MOST, int((_TALL - tall) // _ROW)))
    first = max(0, len(model.rows) - room)
    newest = _rows(model, range(first, len(model.rows)), "ledger of .grad")
    return joined(
        inputs.head(model, parts.title(model.example.formula), names=True),
        div("mg-bench mg-two", inputs.row(_on_graph(model)), inputs.row(_on_grad(model))),
        question_first(model),
        _source(model, first),
        div("mg-newest", newest, style=f"min-height: {_HEAD + _ROW * room}px"),
        div("mg-told", _last(model)),
        div("mg-graph", graph),
    )


# --- what can be called --------------------------------------------------------------------------


def _on_graph(model):
    forward = "Compute the outputs again from the leaves: a new graph"
    backward = "Run backward; it frees what the nodes keep"
    retain = "Run backward and keep what the nodes keep"
    roots = [(name, name) for name in model.outputs]
    root = inputs.select("start from", roots, model.root, act("choose_root"), False, "88px")
    return [
        strong("graph"),
        inputs.button("forward", forward, act("forward")),
        inputs.button("backward(v)", backward, act("backward")),
        inputs.button("backward(v, retain_graph)", retain, act("backward", True)),
        root if len(roots) > 1 else None,
        _v(model),
    ]


def _v(model):
    name = "the upstream gradient; empty calls backward() without an argument"
    text = "" if model.upstream is None else nested(model.upstream, exact)
    wrong, action = model.refused_at == "upstream", act("set_upstream")
    return inputs.field("v =", name, text, action, wrong, placeholder="none")


def _on_grad(model):
    step = f"Change each leaf in place by \u2212lr times its .grad; lr is {model.lr:g}"
    none = "Take .grad away, as optimizer.zero_grad() does"
    anew = "Start this ledger anew: fresh leaves, one forward"
    return [
        strong(code(".grad")),
        inputs.button("zero_()", "Write 0 into .grad: the same object stays", act("zero_")),
        inputs.button("= None", none, act("set_none")),
        inputs.button("step", step, act("step")),
        _script(model),
        inputs.button("start anew", anew, act("reset")),
    ]


def _script(model):
    line, lines = model.next_line(), len(model.script)
    text = f"line {min(model.script_done + 1, lines)} of {lines} \u25b6"
    said = f"Do the next call of the script: {line}" if line else "done"
    return div(
        classes("mg-row mg-push", unseen=not lines),
        strong("script"),
        inputs.button(text, said, act("next"), disabled=line is None),
        inputs.button("all \u25b6|", "Start anew and do the whole script", act("replay")),
    )


# --- the rows ------------------------------------------------------------------------------------


def _source(model, first):
    """The earlier rows, folded, and who stands in the last column."""
    earlier = tag("span")
    if first:
        name = "row 1" if first == 1 else f"rows 1\u2013{first}"
        earlier = fold(name, _rows(model, range(first), "earlier calls"))
    answer = model.torch_answer()
    label = div("mg-by-torch", quiet(answer.label()), **parts.awaited(answer))
    return div("mg-source", earlier, label)


def _rows(model, rows, label):
    name, *others = model.values
    grad = "each .grad is" if others else f"{name}.grad is"
    heads = ("row", "call", "added", grad, "object", "graph", "PyTorch")
    widths = [tag("col", style=f"width: {100 * w / sum(_WIDTHS):.2f}%") for w in _WIDTHS]
    head = [tag("th", name, scope="col") for name in heads]
    rows = [_row(model, k) for k in rows]
    return parts.grid(rows, head, widths, class_="mg-calls", aria_label=label)


def _row(model, k):
    row, newest = model.rows[k], k == len(model.rows) - 1
    failed = strong("\u2717 refused") if row.error else None
    look = f"mg-state mg-state-{row.graph}"
    cells = {
        "added": _grads(row.added) if row.added else failed,
        ".grad is": _grads(row.grads, model.changed(_newest_grads) if newest else ()),
        "object": _object(row),
        "graph": span(look, row.graph) if row.graph else "\u2013",
        "PyTorch": _by_torch(model, k),
    }
    if newest and model.covered:
        hidden = ("added", ".grad is", "object", "PyTorch")
        cells |= dict.fromkeys(hidden, span("mg-chip mg-cover", "?"))
    waits = {"PyTorch": parts.awaited(model.torch_answer())}
    data = [
        tag("td", cell, data_is=name if cell else "", **waits.get(name, {}))
        for name, cell in cells.items()
    ]
    first = [tag("th", k + 1, scope="row"), tag("td", _call(model, k))]
    return tag("tr", first, data, class_=classes(now=newest))


def _call(model, k):
    """A call as its button says it, and quietly below what it was given or made."""
    row = model.rows[k]
    text, detail = row.code, row.detail.replace("-", MINUS)
    if row.call.what == "backward":
        root, _, given = text.replace("=True", "").rpartition("backward")
        text = f"{root if len(model.outputs) > 1 else ''}backward{given}"
    below = div("mg-quiet mg-code", detail) if detail else None
    return tag("div", code(text), below, title=f"{row.code}  {detail}")


def _by_torch(model, k):
    answer = model.torch_answer()
    verdict = model.comparison(k, answer)
    if not verdict:
        return "\u2026" if answer.awaited else "\u2013"
    agrees, differs = verdict
    return strong("=") if agrees else span("mg-chip mg-different", "\u2260", title=differs)


def _object(row):
    """What became of .grad as an object: "new"; of several leaves only where they differ."""
    words = {name: _OBJECTS[what] for name, what in row.objects.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{name} {word}" for name, word in words.items() if word)


def _newest_grads(model):
    """{(leaf, index): its number} of what the last call left in any .grad."""
    numbers = {}
    for name, value in model.values.items():
        grad = np.full(np.shape(value), np.nan) if model.grads[name] is None else model.grads[name]
        numbers |= {(name, index): str(one) for index, one in np.ndenumerate(grad)}
    return numbers


# --- the gradients of the leaves in one small cell ---------------------------------------------


def _grads(grads, changed=()):
    """{leaf: numbers or None} as one cell of two lines at most; what has no room is folded."""
    if all(grad is None for grad in grads.values()):
        return _NONE
    title = "; ".join(f"{name}: {written(grad)}" for name, grad in grads.items())
    (name, grad), *others = grads.items()
    body = _several(grads, changed) if others else _one(name, grad, changed)
    return tag("div", body, title=title)


def _one(name, grad, changed):
    """A leaf's numbers in their shape: in one line, or smaller in two."""
    values = np.array(grad, dtype=float)
    columns, small = (values.shape or (1,))[-1], values.ndim > 1
    if not small:
        wide = sum(max(40, LETTER * 16 * len(number(v, signed=True)) + 10) + 2 for v in values.flat)
        small = wide + 8 > _CELL
        columns = -(-columns // 2) if small and columns > 3 else columns
    if columns > 3 or values.size > 2 * columns:
        return _folded(name, grad)
    chips = _chips(name, grad, changed, _LETTERS[columns] if small else 12)
    look = classes("mg-vector", small=small, flat=not values.ndim)
    style = f"display: inline-grid; grid-template-columns: repeat({columns}, auto)"
    return span(look, chips, style=style)


def _several(grads, changed):
    """The numbers of several leaves, each behind its name; of many the first leaf alone."""
    count = sum(map(np.size, grads.values()))
    room = _LETTERS[min(count, 3)]
    every = [value for grad in grads.values() if grad is not None for value in np.ravel(grad)]
    if count > 4 or any(len(fitting(value, room)) > room for value in every):
        (name, grad), *others = grads.items()
        return joined(_folded(name, grad), " ", quietly(f"and {len(others)} more"))
    leaves = (
        tag("span", code(name), " ", _chips(name, grad, changed, room))
        for name, grad in grads.items()
    )
    return span("mg-vector mg-flat mg-small", leaves)


def _chips(name, grad, changed, room):
    if grad is None:
        return _NONE
    values = np.array(grad)
    largest = largest_of(values)
    return [
        chip(value, largest, fitting(value, room), classes(changed=(name, index) in changed))
        for index, value in np.ndenumerate(values)
    ]


def _folded(name, grad):
    text = "None" if grad is None else range_of(grad)
    return span("mg-quiet mg-code", f"{name} {text}")


# --- what the last call did ----------------------------------------------------------------------


def _last(model):
    """Why the last call failed or was refused, else what it did; and what warned of it."""
    row = model.rows[-1]
    if model.message:
        words = parts.refusal(model, "Nothing else changed.")
    elif row.error and not model.covered:
        words = _error(row)
    else:
        done = "" if model.covered else model.caption()
        words = parts.line(len(model.rows) == 1 and model.told(model.example.note) or done)
    return joined(words, [parts.message("Warning:", text) for text in row.warnings])


def _error(row):
    kind, _, text = row.error.partition(": ")
    if " " in kind:  # a sentence of ours, without a type
        kind, text = "", row.error
    short, whole = text, None
    if len(text) > _LONG_ERROR:
        short = re.sub(r" \([^)]*\)", "", re.split(r"(?<=\.)\s", text)[0])
        whole = fold("PyTorch's whole sentence", f" {text}")
    cure = _CURE if "backward through the graph a second time" in text else None
    heading = joined(strong(f"{kind}."), " ") if kind else None
    return div("mg-message", heading, short, cure, " ", whole, role="alert")


def _graph(model):
    """The life of the graph, and how high its drawing is on a laptop's screen."""
    words = div("mg-heading", "life of the graph ", quietly(model.life_line()))
    if not 0 < len(model.nodes) <= MAX_NODES:
        many = f"It has {len(model.nodes)} nodes; up to {MAX_NODES} are drawn."
        return joined(words, quiet(many if model.nodes else "")), 0
    changed = model.changed(_kept)
    if not model.covered:
        changed |= model.changed(_newest_grads)
    life = draw_life(model, changed)
    scale = 1 if life.width > LONG else min(1, ROOM / life.width)
    drawing = div(classes("mg-life", long=life.width > LONG), life.svg())
    return joined(words, drawing), life.height * scale


def _kept(model):
    """{(node, place): state} of every value that the graph keeps."""
    kept = [[value.state for value in node.kept] for node in model.nodes]
    return {(k, j): state for k, states in enumerate(kept) for j, state in enumerate(states)}
