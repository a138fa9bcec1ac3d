"""What panels show, as HTML: matrices, chips, tables, lines, and why something was refused.

What is given to these is escaped unless it is `Html`, so a panel is written without thinking of
it. The colours and what they mean stand in `drawing/palette.py`.
"""

import re

from ...show.drawing.palette import largest_of, sign_class
from ...show.formatting import MINUS, brackets, indices, number, shape, spoken
from ...show.html import Html, joined, tag


def classes(*names, **marks):
    """Names of classes and, of the marks that are wanted, "mg-" and the mark; for `class_`."""
    return " ".join([*filter(None, names), *(f"mg-{mark}" for mark, on in marks.items() if on)])


def div(class_, *inner, **attributes):
    return tag("div", *inner, class_=class_, **attributes)


def span(class_, *inner, **attributes):
    return tag("span", *inner, class_=class_, **attributes)


def strong(*inner):
    return tag("strong", *inner)


def code(text):
    return span("mg-code", text)


def quiet(*inner):
    """A line that stands back; nothing for no text."""
    return div("mg-quiet", *inner) if any(inner) else Html()


def quietly(text):
    """Words within a line that stand back."""
    return span("mg-quiet", text)


def title(formula="", words="", note=""):
    """The first line of a panel, a formula or words or both, and below it what to look for."""
    return joined(div("mg-title", formula and code(formula), words), quiet(note))


def heading(text, words=""):
    """The name of what stands below, as code, and quietly what it is."""
    return div("mg-heading", code(text), words and joined(" ", quietly(words)))


def line(*inner):
    """A sentence, or arithmetic, that goes on below where it has no room."""
    return div("mg-line", *inner)


def matrix(values, label, chosen=None, signed=True, cover=None, changed=()):
    """A NumPy array as an HTML table in its own shape, tinted by sign.

    label: what a screen reader calls it. chosen: the index to frame. signed: write every sign and
    tint; outputs and inputs that are not gradients read better without. cover: a text that stands
    in every cell instead, "?". changed: indices to mark.
    """
    sizes, largest, cells = values.shape, largest_of(values), []
    for index in indices(sizes):
        value = float(values[index])
        tint = sign_class(value, largest) if signed and cover is None else ""
        marks = classes(
            tint, cover=cover is not None, chosen=index == chosen, changed=index in changed
        )
        text = number(value, signed, minus=True) if cover is None else cover
        cells.append(tag("td", text, class_=marks))
    columns = sizes[-1] if sizes else 1
    rows = [cells[k : k + columns] for k in range(0, len(cells), columns)]
    if len(sizes) > 2:
        heads = (tag("th", brackets(index), scope="row") for index in indices(sizes[:-1]))
        rows = [[head, *row] for head, row in zip(heads, rows)]
    return rows_of(rows, class_="mg-matrix", aria_label=f"{label}, shape {shape(sizes)}")


def table(rows, head=(), label="", now=None):
    """A table of cells; the first of each row is its heading. now: the row to mark."""
    body = (
        tag(
            "tr",
            tag("th", first, scope="row"),
            [tag("td", cell) for cell in cells],
            class_=classes(now=place == now),
        )
        for place, (first, *cells) in enumerate(rows)
    )
    heads = [tag("th", cell, scope="col") for cell in head]
    return rows_of(body, heads, class_="mg-table", aria_label=label)


def rows_of(rows, head=(), **attributes):
    """A `grid` that scrolls where a panel is too narrow."""
    return div("mg-scroll", grid(rows, head, **attributes))


def grid(rows, head=(), columns=(), **attributes):
    """A table of rows, each a list of cells or a `tr`. columns: a `col` for each."""
    body = (row if isinstance(row, Html) else tag("tr", row) for row in rows)
    head = tag("thead", tag("tr", head)) if head else None
    columns = tag("colgroup", columns) if columns else None
    return tag("table", columns, head, tag("tbody", body), **attributes)


def chip(value, largest=None, text=None, marks=""):
    """One signed number on its tint, within a line. marks: more classes, such as "mg-changed"."""
    tint = sign_class(value, abs(value) if largest is None else largest)
    text = number(value, signed=True) if text is None else text
    return span(classes("mg-chip", tint, marks), text)


def refusal(model, stays="Everything stays as it was."):
    """Why the last action was refused; nothing if it was not. stays: what did not change."""
    if not model.message:
        return Html()
    place = model.refused_at
    entry = place[1] if isinstance(place, tuple) else None
    where = f"At {spoken(entry)}: " if isinstance(entry, tuple) and entry else ""
    heading = "PyTorch refuses:" if model.refused_by == "engine" else "Not used."
    return message(heading, where + model.message, stays)


def message(heading, text, stays=""):
    """What was refused, or is warned of: said by whom, and what stays."""
    heading = heading and joined(strong(heading), " ")
    return div("mg-message", heading, text, quiet(stays), role="alert")


def equal(agrees):
    """Whether two answers agree: = or \u2260."""
    return Html("=") if agrees else span("mg-chip mg-different", "\u2260")


def verdict(agrees, text):
    """Whether two answers agree, and how far they are apart."""
    return tag("div", tag("strong", equal(agrees), class_="mg-code"), " ", text)


def fold(summary, *body, **attributes):
    """What is read once: closed at first; whoever opens it keeps it open."""
    return tag("details", tag("summary", summary), *body, **attributes)


def minus(text):
    """A text with a panel's one minus sign in place of the hyphen of text that is copied."""
    return re.sub(r"(?<!\w)-(?=[\d.i ])", MINUS, text)


def announced(text):
    """A sentence for screen readers only, announced politely when it changes."""
    return div("mg-spoken", text, role="status", aria_live="polite")


def awaited(answer):
    """An attribute for what PyTorch fills: it keeps what it shows while its answer is under way."""
    return {"aria_busy": "true" if answer.source == "asked" else None}
