"""The leaf inspector on the screen: the program, what it told, and the table of its tensors.

A cell holds its tick, and a guess while its column is covered.
"""

import numpy as np

from ...compare.results import first_sentence
from ...show.html import joined, tag
from ..shared import inputs, parts
from ..shared.inputs import act, button
from ..shared.parts import classes, code, div, fold, line, quiet, quietly, strong
from .model import COLUMNS, TICKS

USE = "tick and predict"

_TICKS = {  # {the column it stands in: (tick, what stands above it, its name, spoken)}
    "requires_grad": ("requires_grad", "set", "{} requires_grad"),
    "grad_fn": ("detach", "detach here", "detach {} here"),
    "retains_grad": ("retain_grad", "retain", "retain {}.grad"),
    "_version": ("in_place", "add 1", "{} in-place here"),
    "grad": ("hook", "hook: g * 10", "hook on {}"),
}
_WIDTHS = {  # of the columns, in percent; that of .grad takes what is left
    "name": 5,
    "is_leaf": 12,
    "requires_grad": 15,
    "grad_fn": 17.5,
    "retains_grad": 14,
    "_version": 9.5,
    "PyTorch": 8,
}
_UNKNOWN = "?"  # nothing guessed
_FEW = 4  # tensors over whose table there is room for a longer program


def draw(model):
    title = parts.title("", model.formula, model.told(model.example.note) or "\u00a0")
    return joined(
        inputs.head(model, title, names=True),
        _bench(model),
        div(
            classes("mg-leaf-run", many=len(model.names) > _FEW),
            div("mg-leaf-lines", _program(model), role="group", aria_label="the program"),
            div("mg-leaf-told", _messages(model)),
        ),
        _table(model),
        _agreement(model),
    )


def _bench(model):
    said = "Uncover the column and compare your guesses"
    waits = not (model.covered and model.guesses)
    compare = button("compare", said, act("compare"), main=True, disabled=waits)
    if model.predicting and not model.covered:
        uncover = button("guess again", "Cover the column again", act("predict", model.predicting))
    else:
        said = "Uncover the column without a guess"
        uncover = button("show me", said, act("show"), disabled=not model.covered)
    columns = [("no column", ""), *((column, column) for column in COLUMNS)]
    return inputs.bench(
        inputs.row(
            inputs.select("predict", columns, model.predicting, act("predict")),
            compare,
            uncover,
            strong(model.score_line()),
        ),
        button("untick all", "The program as it was", act("untick_all"), disabled=not model.ticks),
    )


# --- the program, and what it told ---------------------------------------------------------------


def _program(model):
    notes = {"failed": "  \u2717 failed here", "not reached": "  not reached"}
    lines = []
    for one in model.lines:
        state = "ran" if model.covered else one.state
        look = classes(
            added=one.ticked, **{"leaf-failed": state == "failed"}, missed=state == "not reached"
        )
        text = f"+ {one.text}" if one.ticked else one.text
        lines.append(tag("div", code(text), tag("span", notes.get(state)), class_=look))
    return lines


def _messages(model):
    messages = [parts.refusal(model, "Nothing else changed.")]
    for name, right in model.results.items():
        if not right:
            true = model.cell(name, model.predicting).removesuffix(", warns")
            messages.append(line(f"{name}: you said {model.guess_text(name)}, it is {true}."))
    if model.error and not model.covered:  # it says what to mend first: the warnings are folded
        messages.append(_said(model.error, *model.warnings))
    elif not model.covered:
        messages += map(_said, model.warnings)
    return messages


def _said(text, *more):
    """A message's first sentence; all of it, and more messages, folded below."""
    first = first_sentence(text)
    whole = [quiet(one) for one in (text, *more) if one != first]
    return joined(parts.message("", first), fold("all that was said", whole) if whole else None)


def _agreement(model):
    answer = model.torch_answer()
    return div("mg-quiet", model.agreement_line(answer), **parts.awaited(answer))


# --- the tensors: a narrow page lays their cells out as no table, so the roles are said ----------


def _table(model):
    heads = [_heading(column) for column in ("name", *COLUMNS, "PyTorch")]
    answer = model.torch_answer()
    differs, changed = model.comparison(answer), model.changed(_entries)
    rows = []
    for name in model.names:
        first = tag("th", name, scope="row", role="rowheader", class_="mg-of-name")
        cells = [_cell(model, name, column, changed) for column in COLUMNS]
        cells.append(_verdict(differs, name, answer))
        rows.append(tag("tr", first, cells, role="row"))
    return tag(
        "table",
        tag("thead", tag("tr", heads, role="row"), role="rowgroup"),
        tag("tbody", rows, role="rowgroup"),
        class_="mg-flags",
        role="table",
        aria_label="the tensors of the program",
    )


def _heading(column):
    above = quiet(f"\u2610 {_TICKS[column][1]}") if column in _TICKS else None
    width = f"width: {_WIDTHS[column]}%" if column in _WIDTHS else None
    look = {"class_": f"mg-of-{column}", "style": width}
    return tag("th", column, above, scope="col", role="columnheader", **look)


def _entries(model):
    """{(example, tensor, column): what stands in the table}"""
    return {
        (model.example.name, name, column): entry
        for name in model.names
        for column, entry in model.cells(name).items()
    }


def _cell(model, name, column, changed):
    if model.covered and column == model.predicting:
        entry = _guess(model, name)
    else:
        right = model.results.get(name) if column == model.predicting else None
        new = (model.example.name, name, column) in changed and right is not False
        look = classes("mg-entry", changed=new, different=right is False)
        entry = div(look, _entry(model, name, column, right))
    flag = div("mg-flag", _tick(model, name, column), entry)
    return tag("td", flag, role="cell", data_name=column)


def _entry(model, name, column, right):
    """An entry; before it whether the guess was right, None where nothing was guessed."""
    row, sign = model.rows[name], {None: None, True: "= ", False: "\u2260 "}[right]
    if row is None:
        return joined(sign, quietly("\u2013"))
    entry = row[column]
    if isinstance(entry, list):
        inner = parts.matrix(np.array(entry), f"{name}.grad")
    elif isinstance(entry, float):
        inner = parts.chip(entry)
    else:
        maker, backward, number = model.cell(name, column).partition("Backward")
        inner = joined(maker, tag("wbr") if backward else None, backward, number)
    return joined(sign, inner)


def _tick(model, name, column):
    if column not in _TICKS:
        return None
    what, _, text = _TICKS[column]
    tells = what == "requires_grad" == model.predicting  # this tick shows what is asked
    return inputs.checkbox(
        text.format(name),
        model.is_ticked(name, what),
        act("tick", name, what),
        title=TICKS[what].format(name),
        class_=classes(unseen=tells and model.covered),
    )


def _guess(model, name):
    """A list, or a field for numbers, in the covered cell."""
    label, does = f"{name}.{model.predicting}", act("guess", name)
    if model.choices is not None:
        options = [(_UNKNOWN, ""), *((choice, choice) for choice in model.choices)]
        return inputs.select(label, options, model.guesses.get(name, ""), does, labelled=False)
    return inputs.field(
        "",
        f"your guess for {label}: None, or numbers",
        model.guess_text(name) if name in model.guesses else "",
        does,
        wrong=inputs.refused_entry(model, "guess") == name,
        placeholder="None or [1]",
        aria_label=label,
    )


def _verdict(differs, name, answer):
    """Whether PyTorch's tensor says the same."""
    sign = "\u2026" if answer.awaited else ""
    if differs is not None:
        sign = joined(parts.equal(False), " ", differs[name]) if differs[name] else "="
    inner = div("mg-verdict", sign, **parts.awaited(answer))
    return tag("td", inner, role="cell", data_name="PyTorch", class_="mg-of-PyTorch")
