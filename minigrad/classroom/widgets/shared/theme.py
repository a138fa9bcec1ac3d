"""The visual language of all widgets in HTML: style, matrices, tables, lines; light and dark.

The colours and what they mean stand in `drawing/palette.py`. 16 px text on a projector 1280 px
wide, controls and cells 32 px high.
"""

import re
from pathlib import Path

from ...show import html
from ...show.drawing import palette
from ...show.drawing.palette import largest_of, sign_class
from ...show.formatting import MINUS, brackets, indices, number, shape
from ...show.html import element, escape, td, th, tr


def beside(module_file, name="style.css"):
    """The text of a file in the folder of a module's file; "" where there is none."""
    file = Path(module_file).with_name(name)
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _computed():
    """The colours of both themes as variables, and the tints of signed numbers."""
    light, dark = (
        " ".join(f"--mg-{name}: {value};" for name, value in palette.in_theme(theme).items())
        for theme in ("light", "dark")
    )
    signed = "".join(
        f".mg-panel .mg-{sign}-{level}:not(.mg-box), .mg-panel .mg-{sign}-{level} input {{"
        f" background: linear-gradient(var(--mg-{sign}-{level}) 0 0) var(--mg-paper); }}\n"
        for sign in ("plus", "minus")
        for level in range(1, palette.LEVELS + 1)
    )
    dark_page = 'body[data-jp-theme-light="false"] .mg-panel'
    return f".mg-panel {{ {light} }}\n{dark_page} {{ {dark} }}\n{signed}"


STYLE = _computed() + beside(__file__)  # of every widget
ARRIVAL = re.sub(r"/\*.*?\*/", "", beside(__file__, "arrival.js"), flags=re.DOTALL)


def matrix(values, label, chosen=None, signed=True, cover=None, changed=()):
    """A NumPy array as an HTML table in its own shape, tinted by sign.

    label: what a screen reader calls it. chosen: the index to frame. signed: write every sign and
    tint; outputs and inputs that are not gradients read better without. cover: a text that stands
    in every cell instead, "?". changed: indices to mark.
    """
    sizes, largest, cells = values.shape, largest_of(values), []
    for index in indices(sizes):
        value = float(values[index])
        if cover is None:
            text = number(value, signed, minus=True)
            tint = sign_class(value, largest) if signed else ""
        else:
            text, tint = escape(cover), "mg-cover"
        marks = classes(tint, chosen=index == chosen, changed=index in changed)
        cells.append(td(text, class_=marks))
    columns = sizes[-1] if sizes else 1
    rows = [cells[k : k + columns] for k in range(0, len(cells), columns)]
    if len(sizes) > 2:
        heads = (brackets(index) for index in indices(sizes[:-1]))
        rows = [[th(head, "row"), *row] for head, row in zip(heads, rows)]
    return scrolling(rows, class_="mg-matrix", aria_label=f"{label}, shape {shape(sizes)}")


def classes(*names, **marks):
    """Names of classes and, of the marks that are wanted, "mg-" and the mark; for `class_`."""
    return " ".join([*filter(None, names), *(f"mg-{mark}" for mark, on in marks.items() if on)])


def chip(value, largest=None, text=None, marks=""):
    """One signed number on its tint, within a line. marks: more classes, such as "mg-changed"."""
    tint = sign_class(value, abs(value) if largest is None else largest)
    text = number(value, signed=True) if text is None else text
    return f'<span class="mg-chip {tint} {marks}">{escape(text)}</span>'


def table(rows, head=(), label="", now=None):
    """A table of HTML cells; the first of each row is its heading. now: the row to mark."""
    body = (
        tr([th(first, "row"), *map(td, cells)], class_="mg-now" if place == now else "")
        for place, (first, *cells) in enumerate(rows)
    )
    head = [th(cell, "col") for cell in head]
    return scrolling(body, head, class_="mg-table", aria_label=label)


def scrolling(rows, head=(), **attributes):
    """A `html.table` that scrolls where a panel is too narrow for it."""
    return element("div", html.table(rows, head, **attributes), class_="mg-scroll")


def title(formula="", words="", note=""):
    """The first line of a panel, a formula or words or both, and below it what to look for."""
    formula = f'<span class="mg-code">{escape(formula)}</span>' if formula else ""
    return f'<div class="mg-title">{formula}{escape(words)}</div>{quiet(note)}'


def quiet(text):
    """A line that stands back; nothing for no text."""
    return f'<div class="mg-quiet">{escape(text)}</div>' if text else ""


def heading(text, words=""):
    """The name of what stands below, as code, and quietly what it is."""
    words = f' <span class="mg-quiet">{escape(words)}</span>' if words else ""
    return f'<div class="mg-heading"><span class="mg-code">{escape(text)}</span>{words}</div>'


def code(text):
    return f'<span class="mg-code">{escape(text)}</span>'


def message(title, text, stays=""):
    """A refusal: what was said, by whom, and what stays."""
    title = f"<strong>{escape(title)}</strong> " if title else ""
    return f'<div class="mg-message" role="alert">{title}{escape(text)}{quiet(stays)}</div>'


def equal(agrees):
    """Whether two answers agree: = or \u2260."""
    return "=" if agrees else '<span class="mg-chip mg-different">\u2260</span>'


def verdict(agrees, text):
    """Whether two answers agree, and how far they are apart."""
    return f'<div><strong class="mg-code">{equal(agrees)}</strong> {escape(text)}</div>'


def fold(summary, body):
    """What is read once: closed at first."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def minus(text):
    """A text with a panel's one minus sign in place of the hyphen of text that is copied."""
    return re.sub(r"(?<!\w)-(?=[\d.i ])", MINUS, text)


def spoken(text):
    """A sentence for screen readers only, announced politely when it changes."""
    return f'<div class="mg-spoken" role="status" aria-live="polite">{escape(text)}</div>'
