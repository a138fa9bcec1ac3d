"""The nudge meter on the screen: the curve with its secants, and beside it how wrong they are.

eps has one slider, as wide as the plot of the errors above it, its handle on the line of eps.
"""

from itertools import product

from ...show.formatting import MINUS, number
from ...show.html import joined, tag
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import chip, classes, code, div, line, quiet, quietly, span, strong
from .drawing import curve_svg, errors_svg
from .model import DTYPES, HIGHEST, KINDS, LOWEST, PER_DECADE, digits, error_text

USE = "move eps"

_ZOOM = {False: "whole", True: "zoom to eps"}
_MARKS = {"forward": "\u25cf", "central": "\u25a0"}


def draw(model):
    title = parts.title(model.example.formula)
    x = None if model.covered else _x(model)
    return joined(
        div("mg-meter-head", inputs.head(model, title, x, width="230px")),
        div("mg-given", quiet(model.told(model.example.note)), style="min-height: 20px"),
        question_first(model),
        parts.refusal(model) if model.covered else _meter(model),
    )


def _x(model):
    reach = 3.0 if abs(model.x) <= 3 else 2 * abs(model.x)
    name, wrong = model.example.input_name, model.refused_at == "x"
    said, action = "the point, one number", act("set_x")
    slide = inputs.slider(
        "slide x", model.x, -reach, reach, reach / 60, action, style="width: 96px"
    )
    field = inputs.field(f"{name} =", said, digits(model.x), action, wrong, width="140px")
    return inputs.row(field, slide)


def _meter(model):
    zoom = inputs.choices("what the picture shows", _ZOOM, model.zoomed, "zoom")
    said = parts.refusal(model) or line(model.verdict())
    best = [quiet(one.replace("-", MINUS)) for one in model.best_lines()]
    left = (
        div("mg-row", strong("the slope"), zoom),
        div("mg-curve", curve_svg(model)),
        div("mg-lines", _lines(model)),
        _bench(model),
        div("mg-so", said),
    )
    wrong = (strong("how wrong it is"), " ", quietly("error against eps, log scales"))
    right = (
        div("mg-wrongs", wrong),
        div("mg-errors", errors_svg(model)),
        div("mg-eps", span("mg-eps-name", "eps"), _power(model)),
        _slopes(model),
    )
    stage = div("mg-meter", div("mg-left-half", left), div("mg-right-half", right))
    return joined(stage, div("mg-best", best))


def _bench(model):
    said, wrong = "how far to nudge, one number", model.refused_at == "eps"
    less, more = model.power > LOWEST, model.power < HIGHEST
    return inputs.bench(
        inputs.field("eps =", said, digits(model.eps), act("set_eps"), wrong, width="190px"),
        inputs.row(
            inputs.button("\u25c0", "Nudge less", act("step_power", -1), disabled=not less),
            inputs.button("\u25b6", "Nudge more", act("step_power", 1), disabled=not more),
        ),
    )


def _power(model):
    name, step = "slide eps, a power of ten", 1 / PER_DECADE
    return inputs.slider(name, model.power, LOWEST, HIGHEST, step, act("set_power"))


def _slopes(model):
    def values(model):
        return {key: value for key, (value, _) in model.estimates.items()}

    changed, rows = model.changed(values), []
    for kind, dtype in product(KINDS, DTYPES):
        value, error = model.estimates[dtype, kind]
        first = dtype == DTYPES[0]
        name = f"{_MARKS[kind]} {kind}"
        head = tag("th", name, scope="rowgroup", rowspan=2) if first else None
        marks = classes(changed=(dtype, kind) in changed)
        cells = [
            tag("td", dtype, class_="mg-quiet"),
            tag("td", chip(value, text=number(value, True, 7), marks=marks)),
            tag("td", error_text(error).replace("-", MINUS), class_="mg-code"),
        ]
        rows.append(tag("tr", head, cells, class_=classes(f"mg-{kind}", first=first)))
    widths = {"": None, " ": "14%", "slope": "31%", "error": "19%"}
    heads = [tag("th", text, style=wide and f"width: {wide}") for text, wide in widths.items()]
    return parts.rows_of(rows, heads, class_="mg-slopes", aria_label="slopes of the secants")


def _lines(model):
    name, _, working = model.working_line().replace("-", MINUS).partition(" = ")
    rule = model.derivative_line().rpartition(" = ")[0]
    changed = model.changed(lambda model: {"": model.derivative})
    value = chip(model.derivative, marks=classes(changed=bool(changed)))
    answer = model.torch_answer()
    torch = answer.text
    if answer.found is not None:
        theirs = number(answer.found["float64"], digits=7, minus=True)
        torch = parts.verdict(model.agrees(answer), f"PyTorch {theirs}, {answer.text}")
    return joined(
        div("mg-line mg-code", strong(name), " = ", working),
        line("backward: ", code(rule), " = ", value),
        div("mg-torch mg-quiet", torch, **parts.awaited(answer)),
    )
