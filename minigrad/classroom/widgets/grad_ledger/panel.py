"""The ledger of .grad on the screen: what to call, a row for each call, the life of the graph."""

import re

import numpy as np

from ...show.drawing import palette
from ...show.drawing.svg import LETTER
from ...show.formatting import MINUS, exact, fitting, nested, number
from ...show.html import joined, tag
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.inputs import act, button
from ..shared.parts import classes, code, div, fold, line, quiet, span, strong
from .drawing import LONG, MAX_NODES, ROOM, draw_life, range_of
from .model import written

USE = "make calls"

_OBJECTS = {"None": "", "new": "new", "same": "same", "another": "other"}
MOST, LEAST = 4, 2  # rows that are shown; earlier ones are folded
_TALL = 330  # pixels for the rows and the graph: what is left of a screen by all other parts
_HEAD, _ROW = 30, 44  # heights of the table's head and of a row
LONG_ERROR = 170  # letters; what goes beyond its first sentence is folded
_ROOM = 144  # pixels for one cell of gradients
_LETTERS = {1: 12, 2: 7, 3: 4}  # of small numbers, by how many stand side by side
_NONE = span("mg-quiet mg-code", "None")
_WIDTHS = (40, 250, 152, 152, 60, 76, 65)


def draw(model):
    life = _life(model)
    tall = 0 if life is None else life.height * min(1, ROOM / life.width)
    shown = max(LEAST, min(MOST, int((_TALL - tall) // _ROW)))
    first, count = max(0, len(model.rows) - shown), len(model.rows)
    rows = _table(model, range(first, count), "ledger of .grad")
    return joined(
        inputs.head(model, parts.title(model.formula), names=True),
        inputs.bench(div("mg-two", inputs.row(*_graph_calls(model)), inputs.row(*_others(model)))),
        question_first(model),
        _earlier(model, first),
        div("mg-rows", rows, style=f"min-height: {_HEAD + _ROW * shown}px"),
        div("mg-told", _told(model)),
        div("mg-graph", _graph(model, life)),
    )


# --- what a learner may call ---------------------------------------------------------------------


def _graph_calls(model):
    empty = "the upstream gradient; empty calls backward() without an argument"
    anew = "Compute the outputs again from the leaves: a new graph"
    retain = "Run backward and keep what the nodes keep"
    return (
        strong("graph"),
        button("forward", anew, act("forward")),
        button("backward(v)", "Run backward; it frees what the nodes keep", act("backward")),
        button("backward(v, retain_graph)", retain, act("backward", True)),
        _roots(model),
        inputs.field(
            "v =",
            empty,
            "" if model.upstream is None else nested(model.upstream, exact),  # 1/3 stays 1/3
            act("set_upstream"),
            wrong=model.refused_at == "upstream",
            placeholder="none",
        ),
    )


def _roots(model):
    listed = [(name, name) for name in model.roots]
    if len(listed) == 1:
        return None
    return inputs.select("start from", listed, model.root, act("choose_root"), False, "88px")


def _others(model):
    step = f"Change each leaf in place by \u2212lr times its .grad; lr is {model.lr:g}"
    return (
        strong(code(".grad")),
        button("zero_()", "Write 0 into .grad: the same object stays", act("zero_")),
        button("= None", "Take .grad away, as optimizer.zero_grad() does", act("set_none")),
        button("step", step, act("step")),
        _script(model) if model.script else None,
        button("start anew", "Start this ledger anew: fresh leaves, one forward", act("reset")),
    )


def _script(model):
    following, lines = model.next_line(), len(model.script)
    text = f"line {min(model.script_done + 1, lines)} of {lines} \u25b6"
    said = f"Do the next call of the script: {following}" if following else "done"
    return [
        tag("strong", "script", class_="mg-push"),
        button(text, said, act("next"), disabled=following is None),
        button("all \u25b6|", "Start anew and do the whole script", act("replay")),
    ]


# --- a row for each call -------------------------------------------------------------------------


def _earlier(model, first):
    """The rows that are folded, and whose answers stand in the last column."""
    answer, folded = model.torch_answer(), tag("span")
    if first:
        name = "row 1" if first == 1 else f"rows 1\u2013{first}"
        folded = fold(name, _table(model, range(first), "earlier calls"))
    source = div("mg-quiet", answer.label(), **parts.awaited(answer))
    return div("mg-source", folded, source)


def _table(model, rows, label):
    names = model.leaf_names
    grad = f"{names[0]}.grad is" if len(names) == 1 else "each .grad is"
    heads = ("row", "call", "added", grad, "object", "graph", "PyTorch")
    widths = (f"width: {100 * width / sum(_WIDTHS):.2f}%" for width in _WIDTHS)
    return div(
        "mg-scroll",
        tag(
            "table",
            tag("colgroup", [tag("col", style=style) for style in widths]),
            tag("thead", tag("tr", [tag("th", name, scope="col") for name in heads])),
            tag("tbody", [_row(model, k) for k in rows]),
            class_="mg-calls",
            aria_label=label,
        ),
    )


def _row(model, k):
    row, newest = model.rows[k], k == len(model.rows) - 1
    grads = {name: entry.grad for name, entry in row.entries.items()}
    added = {n: entry.added for n, entry in row.entries.items() if entry.added is not None}
    changed = model.changed(_every_grad) if newest else ()
    cells = {
        "added": _gradients(added) if added else strong("\u2717 refused") if row.error else "",
        ".grad is": _gradients(grads, changed),
        "object": _objects(row),
        "graph": span(f"mg-state mg-state-{row.graph}", row.graph) if row.graph else "\u2013",
        "PyTorch": _verdict(model, k),
    }
    if newest and model.covered:
        cells |= dict.fromkeys(
            ("added", ".grad is", "object", "PyTorch"), span("mg-chip mg-cover", "?")
        )
    data = [tag("td", cell, data_is=name if cell else "") for name, cell in cells.items()]
    first = [tag("th", k + 1, scope="row"), tag("td", _call(model, row))]
    return tag("tr", first, data, class_=classes(now=newest))


def _verdict(model, k):
    """Whether PyTorch's row is the same."""
    answer = model.torch_answer()
    found = model.comparison(k, answer)
    if found is None:
        coming = answer.source in ("loading", "asked")
        return span("mg-verdict", "\u2026" if coming else "\u2013", **parts.awaited(answer))
    agrees, differs = found
    equal = strong("=") if agrees else span("mg-chip mg-different", "\u2260", title=differs)
    return span("mg-verdict", equal)


def _call(model, row):
    """A call as its button says it, and quietly below what it was given or made."""
    written_out, detail = row.code, row.detail.replace("-", MINUS)
    if row.call.what == "backward":
        root, _, given = written_out.replace("=True", "").rpartition("backward")
        written_out = f"{root if len(model.roots) > 1 else ''}backward{given}"
    below = div("mg-quiet mg-code", detail) if detail else None
    return tag("div", code(written_out), below, title=f"{row.code}  {detail}")


def _objects(row):
    """What became of .grad as an object: "new"; of several leaves only where they differ."""
    words = {name: _OBJECTS[entry.object] for name, entry in row.entries.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{name} {word}" for name, word in words.items() if word)


def _every_grad(model):
    """{(leaf, index): its .grad now}"""
    found = {}
    for name, entry in model.rows[-1].entries.items():
        values = np.full(np.shape(entry.value), np.nan) if entry.grad is None else entry.grad
        found |= {(name, index): str(value) for index, value in np.ndenumerate(values)}
    return found


# --- the gradients in a cell ---------------------------------------------------------------------


def _gradients(grads, changed=()):
    """{leaf: numbers or None} as one cell of two lines at most; what has no room is folded."""
    if all(grad is None for grad in grads.values()):
        return _NONE
    title = "; ".join(f"{name}: {written(grad)}" for name, grad in grads.items())
    body = _several(grads, changed) if len(grads) > 1 else _one(*next(iter(grads.items())), changed)
    return tag("div", body, title=title)


def _one(name, grad, changed):
    """A leaf's numbers in their shape: in one line, or smaller in two."""
    values = np.array(grad, dtype=float)
    columns, small = (values.shape or (1,))[-1], values.ndim > 1
    if not small:
        wide = sum(max(40, LETTER * 16 * len(number(v, signed=True)) + 10) + 2 for v in values.flat)
        small = wide + 8 > _ROOM
        columns = -(-columns // 2) if small and columns > 3 else columns
    if columns > 3 or values.size > 2 * columns:
        return _folded(name, grad)
    chips = _chips(name, values, changed, _LETTERS[columns] if small else 12)
    style = f"display: inline-grid; grid-template-columns: repeat({columns}, auto)"
    return span(classes("mg-vector", small=small, flat=not values.ndim), chips, style=style)


def _several(grads, changed):
    """The numbers of several leaves, each behind its name; of many the first leaf alone."""
    count = sum(map(np.size, grads.values()))
    room = _LETTERS[min(count, 3)]
    every = [value for grad in grads.values() if grad is not None for value in np.ravel(grad)]
    if count > 4 or any(len(fitting(value, room)) > room for value in every):
        (name, grad), *others = grads.items()
        return joined(_folded(name, grad), " ", span("mg-quiet", f"and {len(others)} more"))
    told = []
    for name, grad in grads.items():
        chips = _NONE if grad is None else _chips(name, np.array(grad), changed, room)
        told.append(tag("span", code(name), " ", chips))
    return span("mg-vector mg-flat mg-small", told)


def _chips(name, values, changed, room):
    largest = palette.largest_of(values)
    return [
        parts.chip(value, largest, fitting(value, room), classes(changed=(name, index) in changed))
        for index, value in np.ndenumerate(values)
    ]


def _folded(name, grad):
    text = "None" if grad is None else range_of(grad)
    return span("mg-quiet mg-code", f"{name} {text}")


# --- what the last call did, and the graph it left -----------------------------------------------


def _told(model):
    """Why the last call failed or was refused, else what it did."""
    row = model.rows[-1]
    if model.message:
        told = parts.refusal(model, "Nothing else changed.")
    elif row.error and not model.covered:
        told = _error(row)
    else:
        done = "" if model.covered else model.caption()
        told = line(len(model.rows) == 1 and model.told(model.example.note) or done)
    return joined(told, [parts.message("Warning:", text) for text in row.warnings])


def _error(row):
    kind, _, text = row.error.partition(": ")
    if " " in kind:  # a sentence of ours, without a type
        kind, text = "", row.error
    told, whole = [text], None
    if len(text) > LONG_ERROR:
        told = [re.sub(r" \([^)]*\)", "", re.split(r"(?<=\.)\s", text)[0])]
        whole = joined(" ", fold("PyTorch's whole sentence", f" {text}"))
    if "backward through the graph a second time" in text:
        told += [" Run ", strong("forward"), " for a new graph, or use ", strong("retain_graph"), "."]
    title = joined(strong(f"{kind}."), " ") if kind else None
    return div("mg-message", title, told, whole, role="alert")


def _life(model):
    """The drawing of the graph, or None where it has no nodes or too many."""
    if not 0 < len(model.nodes) <= MAX_NODES:
        return None
    changed = model.changed(_every_kept)
    if not model.covered:
        changed |= model.changed(_every_grad)
    return draw_life(model, changed)


def _every_kept(model):
    """{(node, which of its values): its state}"""
    return {
        (k, j): value.state for k, node in enumerate(model.nodes) for j, value in enumerate(node.kept)
    }


def _graph(model, life):
    words = div("mg-heading", "life of the graph ", span("mg-quiet", model.life_line()))
    if life is None:
        many = f"It has {len(model.nodes)} nodes; up to {MAX_NODES} are drawn."
        return joined(words, quiet(many if model.nodes else ""))
    return joined(words, div(classes("mg-life", long=life.width > LONG), life.svg()))
