"""What a learner's hands move, as HTML: boxes with sliders, fields, buttons, lists, ticks.

All are the browser's own controls, labelled. What one does is declared on it by `act`: the name of
an action of the model and its first arguments; what was typed, chosen or slid to is the last one.
"""

import json

import numpy as np

from ...show.drawing.palette import largest_of, sign_class
from ...show.formatting import MINUS, exact, indices, nested, spoken
from ...show.html import tag
from .parts import classes, div, span

MAX_BOXES = 12  # more numbers than this are typed as a list
# A model's arrays that can be edited, and what each is called aloud.
_ALOUD = {"upstream": "upstream gradient", "direction": "direction", "input": "input"}


def act(name, *arguments):
    """What a control does: the model's action of this name, with these arguments first."""
    return {"data_act": name, "data_key": json.dumps(arguments)[1:-1]}


def button(text, name, action, shortcut=None, main=False, disabled=False, class_=""):
    """A button. name: what it does, spoken and shown on hovering; shortcut: a letter for it.

    main: the one that a panel is about.
    """
    use = {"type": "button", "disabled": disabled, "aria_keyshortcuts": shortcut}
    return tag("button", text, **use, class_=classes(class_, main=main), title=name, **action)


def choices(name, options, chosen, action, disabled=()):
    """One of a few, as joined buttons: \u25cf is chosen, \u25cb is not. options: {value: text}.

    name: what is chosen, spoken. action: the name of the model's action that takes the value.
    """
    buttons = [
        button(
            ("\u25cf " if value == chosen else "\u25cb ") + text,
            f"{name} ({'chosen' if value == chosen else 'not chosen'})",
            act(action, value),
            class_=classes(on=value == chosen),
            disabled=value in disabled,
        )
        for value, text in options.items()
    ]
    return div("mg-modes", buttons, role="group", aria_label=name)


def select(name, options, chosen, action, labelled=True, width=None):
    """A drop-down list of (text, value); a value that is None is no choice but a heading.

    labelled: whether the name is drawn; it is spoken in any case.
    """
    listed = [
        tag(
            "option",
            text,
            value=json.dumps(value),
            selected=value == chosen,
            disabled=value is None,
        )
        for text, value in options
    ]
    look = {"style": width and f"width: {width}", "title": f"{name}: Space opens the list"}
    control = tag("select", listed, aria_label=name, **look, **action)
    return tag("label", labelled and name + " " or None, control, class_="mg-list")


def field(label, said, text, action, wrong=False, disabled=False, width=None, **more):
    """A field for a list of numbers, or one. said: what it is for; wrong: it was not used."""
    control = _typed(text, "mg-field", wrong, disabled, title=said, **more, **action)
    look = width and f"width: {width}"
    return tag("label", label, " ", control, class_="mg-labelled", style=look)


def list_field(model, place, label, **more):
    """A field in which all of the model's array at `place` is typed, for `set_upstream`."""
    values, wrong = getattr(model, place), model.refused_at == place
    said = f"the whole {_ALOUD[place]}, as a list"
    return field(label, said, nested(values, exact), act(f"set_{place}"), wrong=wrong, **more)


def boxes(model, place, disabled=False, columns=None):
    """The model's array at `place`, a box and a slider for each number, for `set_upstream_entry`.

    The boxes stand in the array's shape; a slider is seen while it or its box has the focus. None
    for more than MAX_BOXES numbers. columns: their widths, in CSS.
    """
    values, refused = np.array(getattr(model, place)), refused_entry(model, place)
    if values.size > MAX_BOXES:
        return None
    largest, parts = largest_of(values), []
    for index in indices(values.shape):
        said = f"{_ALOUD[place]}, {spoken(index)}" if index else _ALOUD[place]
        value, does = float(values[index]), act(f"set_{place}_entry", index)
        look = classes("mg-box", sign_class(value, largest))
        wrong = index == refused
        box = _typed(signed(value), look, wrong, disabled, aria_label=said, size=4, **does)
        reach = _reach(abs(value))
        slide = slider(f"slide {said}", value, -reach, reach, reach / 20, does, disabled)
        parts.append(span("mg-weight", box, slide))
    columns = columns or f"repeat({values.shape[-1] if values.ndim else 1}, max-content)"
    return div("mg-weights", parts, style=f"grid-template-columns: {columns}")


def slider(name, value, low, high, step, action, disabled=False, **more):
    """A slider whose every movement is an action. name: what it moves, spoken."""
    low, high, step, value = (f"{round(one, 12):.12g}" for one in (low, high, step, value))
    look = {"aria_label": name, "disabled": disabled, **more}
    return tag("input", type="range", min=low, max=high, step=step, value=value, **look, **action)


def checkbox(name, ticked, action, **more):
    """A box to tick; its action gets whether it is. name: what it is for, spoken."""
    return tag("input", type="checkbox", checked=ticked, aria_label=name, **more, **action)


def radio(group, chosen, disabled=False, **more):
    """One of several of which one is chosen: those of a group, a name on the whole page."""
    return tag("input", type="radio", name=group, **more, checked=chosen, disabled=disabled)


def signed(value):
    """A number for a box, with its sign: +4, \u22122, 0; it reads back as the same float32."""
    text = exact(value)
    return MINUS + text[1:] if text.startswith("-") else text if float(value) == 0 else "+" + text


def refused_entry(model, place):
    """The index of the box at `place` whose text could not be used, or None."""
    at = model.refused_at
    return at[1] if isinstance(at, tuple) and at[0] == place else None


def bench(*parts):
    """The grey row that holds what a learner's hands may touch."""
    return div("mg-bench", *parts)


def row(*parts):
    """Controls side by side; what has no room goes on below."""
    return div("mg-row", *parts)


def head(model, shown_title, *beside, width=None, names=False, labelled=True):
    """The first row: the title, more controls, and the list of examples, or their names."""
    listed = [(name if names else title, name) for title, name in model.listed()]
    examples = select("example", listed, model.example.name, act("load"), labelled, width)
    return div("mg-head", shown_title, row(*beside, examples))


def _typed(text, look, wrong, disabled, **more):
    return tag(
        "input",
        type="text",
        value=text,
        class_=look,
        disabled=disabled,
        aria_invalid="true" if wrong else None,
        spellcheck="false",
        autocomplete="off",
        **more,
    )


def _reach(size):
    """How far a slider goes to leave room beside a number of this size: 2, 5, 10, 20, 50, ..."""
    reaches = (lead * 10.0**power for power in range(39) for lead in (2, 5, 10))
    return next((reach for reach in reaches if size < reach), size)
