"""The Jacobian picture on the screen: v left of J's rows, or u over its columns, and the facts.

At the first two stops the places of product and facts stay empty; the last shows them whole.
"""

from ...show.formatting import indices, number, shape
from ...show.html import joined, tag
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import classes, code, div, heading, quiet, quietly, span, strong
from .collection import BUGS
from .drawing import Picture

USE = "edit v and to scale J"

_MODES = {"backward": "v\u00b7J, from the left", "forward": "J\u00b7u, from the top"}
_EMPTY = "\u00b7"  # a number that is not there yet
_STOPS = {
    "backward": {0: "J", 1: "scale rows", 2: "add columns"},
    "forward": {0: "J", 1: "scale columns", 2: "add rows"},
}


def draw(model):
    picture = Picture(model)
    side = div("mg-jac-side", _u(model, picture), picture.html())
    look = classes("mg-main-part", tight=picture.tight, unfolded=not model.folded)
    return joined(
        _head(model),
        _bench(model),
        question_first(model),
        div(
            "mg-jacobian",
            div(
                "mg-row mg-jac-stage",
                div(look, _v(model, picture), side),
                None if model.covered else div("mg-facts", _facts(model)),
            ),
            div("mg-said", div("mg-sentence", _sentence(model)), _choose(model)),
        ),
        _collecting(model) if model.collects else None,
    )


def _head(model):
    title = parts.title(model.example.formula, note=model.told(model.example.note))
    x = inputs.list_field(model, "input", f"{model.example.input_name} =", width="150px")
    return inputs.head(model, title, x, width="300px", labelled=False)  # no room for its name


def _bench(model):
    later = (1, 2) if model.covered else ()
    stops = inputs.choices("stop", _STOPS[model.mode], model.stop, "go_to", disabled=later)
    text, said = "unfold" if model.folded else "fold", "Show J as a matrix, or in its full shape"
    look = classes(unseen=not model.foldable)
    fold = inputs.button(text, said, act("fold", not model.folded), class_=look)
    mode = inputs.choices("the way to look", _MODES, model.mode, "look")
    return inputs.bench(stops, fold, mode)


# --- v left of J, u above it ---------------------------------------------------------------------


def _v(model, picture):
    if model.mode != "backward":
        return None
    words = "" if picture.tight else "you change, "
    boxes = inputs.boxes(model, "upstream")
    return div("mg-left", heading("v", words + shape(model.output_shape)), boxes)


def _u(model, picture):
    if model.mode != "forward":
        return None
    sizes, width, indent = model.input_shape, picture.cell_width, picture.names_width + 8
    across = model.folded_shape[1]
    if not model.folded:
        across, width, indent = (sizes[-1] if sizes else 1), max(width, 56), 0
    columns = f"repeat({across}, {width}px)"
    boxes = inputs.boxes(model, "direction", columns=columns)
    hands = div("mg-hands", boxes, style=f"margin-left: {indent}px")
    return div("mg-above", heading("u", shape(sizes)), hands)


# --- the chosen cell, and the facts --------------------------------------------------------------


def _sentence(model):
    """The chosen cell in words; in its place why something was refused, or what was tried."""
    tried = model.tried
    if model.message:
        return parts.refusal(model)
    if tried is not None and not tried.fits:
        return parts.message("", tried.told())
    return parts.line(tried.sentence if tried else parts.minus(model.sentence()))


def _choose(model):
    if model.tried is not None:
        return None
    row, column = model.selected
    rows = list(zip(model.row_names(), indices(model.output_shape)))
    columns = list(zip(model.column_names(), indices(model.input_shape)))
    return inputs.row(
        inputs.select("row", rows, row, act("select_row")),
        inputs.select("column", columns, column, act("select", row)),
    )


def _facts(model):
    """Both products with their shapes, PyTorch's answers and the bytes, whole at stop 3."""
    pairing, said = model.wrong_pairing, "Try the product that does not belong here"
    tries = div(
        classes("mg-row", unseen=model.stop < 2),
        inputs.button(f"try {pairing}", said, act("try_product", pairing)),
        quiet(model.wrong_sizes()),
    )
    if model.stop < 2:
        last = _STOPS[model.mode][2]
        words = "both products and their shapes, PyTorch’s answers, and the bytes that J takes."
        return joined(quiet(f"At \u201c{last}\u201d: {words}"), tries)
    answer = model.torch_answer()
    table = parts.table(model.memory_lines(), ("float32", "J", "v"), "bytes of J and v")
    products = div("mg-products", _products(model, answer), **parts.awaited(answer))
    return joined(products, tries, table, quiet(answer.text))


def _products(model, answer):
    agreed = {  # on a line that does not break
        what: tag(
            "div", tag("b", parts.equal(agrees), " PyTorch"), " ", quietly(f"off by {difference}")
        )
        for what, _, agrees, difference in model.comparison(answer)
    }
    return [
        joined(heading(name, what), tag("div", code(shapes)), agreed.get(name))
        for name, what, shapes, _ in model.pairings()
    ]


# --- collecting J, row by row --------------------------------------------------------------------


def _collecting(model):
    """The part that collects J row by row, closed at first."""
    collection = model.collection
    bugs = [(f"{name}: {what}", name) for name, what in BUGS.items()]
    bugs[0] = (BUGS["none"], "none")
    one, all_of_them = "Run backward with the next one-hot v", "Run the rest of the one-hots"
    steps = inputs.row(
        inputs.select("bug", bugs, collection.bug, act("choose_bug")),
        inputs.button("next one-hot", one, act("collect_next")),
        inputs.button("collect all", f"{all_of_them}, one by one", act("collect_all")),
    )
    words = "one backward for each one-hot v, with the three classic bugs"
    summary = joined("Collect J, row by row ", quietly(words))
    results = div("mg-columns", _loop(collection), _collected(collection))
    return parts.fold(summary, steps, results, class_="mg-opens")


def _loop(collection):
    lines = [
        (span("mg-bug", line, "  \u2190 the bug") if bug else span("", line), tag("br"))
        for line, bug in collection.code()
    ]
    return div("mg-scroll mg-loop", lines)


def _collected(collection):
    equal, verdict = collection.verdict()
    sign = {True: "=", False: "\u2260", None: ""}[equal]
    rows = [
        [tag("td", _EMPTY if n is None else number(n, minus=True)) for n in row]
        for row in collection.matrix
    ]
    table = parts.rows_of(rows, class_="mg-matrix mg-collected", aria_label="rows collected")
    return tag("div", table, div("mg-line mg-equal", strong(sign), " ", verdict))
