"""The seam cutter on the screen: its slider stands on the cut, what follows under the chain."""

import numpy as np

from ...show.drawing import palette
from ...show.formatting import exact, number
from ...show.html import joined, tag
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import chip, classes, code, div, heading, line, quiet, quietly
from .drawing import draw_chain, plan

USE = "move the cut"

_MISTAKES = {"none": "pass g back", "forget": "forget g", "twice": "count twice"}
_BESIDE = 2  # outputs whose boxes have a place beside the drawing; more stand under it
_SUMS, _LINE = 3, 26  # entries whose sum is written out on either side; a line in pixels


def draw(model):
    formulas = ";\u2003".join(f"{link.name}: {link.formula}" for link in model.links)
    note = f"{formulas}.\u2003{model.told(model.example.note)}"
    return joined(
        inputs.head(model, parts.title(model.formula), width="370px"),
        div("mg-formulas", quiet(note)),
        question_first(model),
        _bench(model),
        parts.refusal(model) if model.covered else _stage(model),
        _loop(model) if model.mistake == "twice" and not model.covered else None,
    )


def _bench(model):
    mistakes = inputs.choices(
        "what is passed back at the cut", _MISTAKES, model.mistake, "choose_mistake"
    )
    fields = inputs.row(
        inputs.list_field(model, "input", "x =", width="160px"),
        inputs.list_field(model, "upstream", "v =", width="160px"),
    )
    return inputs.bench(None if model.covered else mistakes, fields)


# --- the chain, its cut, and what follows --------------------------------------------------------


def _stage(model):
    spot = plan(model)
    under = np.size(model.upstream) > _BESIDE
    message = parts.refusal(model) or model.mistake_line()
    changed = model.changed(
        lambda model: {"g": model.seam_gradient, "handed": model.handed, "grad": model.input_grad}
    )
    return div(
        "mg-seam",
        div(
            "mg-seam-chain",
            div("mg-cut", _cut(model, spot)),
            draw_chain(model, spot, changed, under).svg(),
            _weights(model, under),
        ),
        div(
            "mg-seam-below",
            _sums(model),
            _result(model),
            div("mg-seam-told", message, style="min-height: 24px"),
        ),
        style=f"max-width: {spot.width:g}px",
    )


def _cut(model, spot):
    """The slider: as wide as the chain, its stops on the lines of the drawing."""
    edge, wide = 100 * spot.edge / spot.width, 100 - 200 * spot.edge / spot.width
    # A browser's own handle stays within its slider: 8 pixels more on either side of its way.
    look = f"margin-left: calc({edge:.3f}% - 8px); width: calc({wide:.3f}% + 16px)"
    last = len(model.links)
    return inputs.slider("cut after function", model.cut, 0, last, 1, act("move_cut"), style=look)


def _weights(model, under):
    boxes = inputs.boxes(model, "upstream")
    look = classes("mg-seam-weighs", under=under)
    return boxes and div(look, heading("v", "you change"), boxes)


def _sums(model):
    sides = (("left", model.cut > 0), ("right", model.cut < len(model.links)))
    sizes = [np.size(value) for value in model.values[:-1]]  # what is cut, or the input
    lines = min(max(sizes), _SUMS) + (max(sizes) > _SUMS)
    halves = [_sums_of(model.sums(side) if there else []) for side, there in sides]
    return div("mg-seam-sums", halves, style=f"min-height: {_LINE * lines}px")


def _sums_of(sums):
    largest = max((abs(float(value)) for _, _, value in sums), default=0)
    lines = [
        tag("div", f"{name} = {parts.minus(terms)} = ", chip(value, largest))
        for name, terms, value in sums[:_SUMS]
    ]
    more = tag("div", f"\u2026 and {len(sums) - _SUMS} more") if sums[_SUMS:] else None
    return tag("div", lines, more)


def _result(model):
    """x.grad in two halves, uncut, and by PyTorch."""
    answer, same = model.torch_answer(), model.same
    chance = " by chance" if same and model.mistake != "none" else None
    ours = [
        code(f"{model.names[0]}.grad"),
        joined("in two halves ", _chips(model.input_grad)),
        joined(tag("b", parts.equal(same)), chance),
        joined("uncut ", _chips(model.uncut_grad)),
    ]
    if answer.found is None:
        theirs = answer.text
    elif model.agrees(answer):  # its numbers are worth their place only where they are others
        theirs = joined("\u00b7 also ", quietly(answer.label()))
    else:
        other, said = _chips(model.of(answer.found, "x.grad")), quietly(answer.label())
        theirs = joined("\u00b7 ", tag("b", parts.equal(False)), " ", other, " ", said)
    ours = [tag("span", part) for part in ours]
    return div("mg-result", ours, tag("span", theirs, **parts.awaited(answer)))


def _chips(values):
    values = np.array(values)
    largest = palette.largest_of(values)
    chips = [joined(chip(value, largest), " ") for value in values.ravel()[:6]]
    return joined(chips, "\u2026" if values.size > 6 else None)


# --- the same mistake in a loop over time --------------------------------------------------------


def _loop(model):
    grads, answer = model.loop_grads, model.torch_answer()
    torch = ""
    if "right" in (answer.found or {}):
        right, twice = (number(answer.found[name]) for name in ("right", "twice"))
        torch = f" PyTorch: {right} and {twice} ({answer.text})."
    head = ("window", "cleared: passed back", "w.grad", "not cleared: passed back", "w.grad")
    result = f"right {grads['right']:.4f}, counted twice {grads['twice']:.4f}."
    return div(
        "mg-seam-loop",
        div("mg-rule"),
        div("mg-heading", "The same mistake in a loop over time"),
        quiet(
            "h = w\u00b7h, cut at every step; from each new h, backward runs through all earlier "
            "steps, cut by cut. Is the .grad at each cut cleared first?"
        ),
        parts.table(model.loop_rows(), head, "truncated backpropagation through time"),
        line(f"w.grad at last: {result}{torch}"),
        inputs.bench(inputs.row(_loop_fields(model))),
    )


def _loop_fields(model):
    fields = (("w =", "weight", "weight"), ("x0 =", "first state", "start"))
    for (symbol, name, place), value in zip(fields, model.loop_numbers):
        said, wrong = f"the {name} of the loop over time", model.refused_at == place
        yield inputs.field(symbol, said, exact(value), act(f"set_{place}"), wrong, width="120px")
