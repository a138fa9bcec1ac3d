"""The controls that widgets share: labelled boxes, grids of boxes with sliders, buttons, lists.

Numbers are typed into `Text`, never `FloatText`, which silently turns 1/3 into 13 and 3,5 into 35.
A `Text` keeps keyboard focus when its value is set: redrawing only sets values of what exists.
"""

from functools import partial

import ipywidgets
import numpy as np

from ...show.drawing import palette
from ...show.formatting import MINUS, exact, indices, nested, spoken
from ...show.typed_numbers import Refused, read_array, read_number
from . import looks

MAX_BOXES = 12  # more numbers than this are typed as a list


def _control(kind, width, description_width=None, **traits):
    """A control with the look that all have; description_width: of the name before it."""
    style = {} if description_width is None else {"description_width": description_width}
    look = {"style": looks.style(kind, **style), "layout": looks.layout(**{"margin": "0", **width})}
    return looks.late(kind)(**look, **traits)


def _box(kind, children, **look):
    """A box that shows what its widgets draw over its edges, such as the focus."""
    return looks.late(kind)(children, layout=looks.layout(**{"overflow": "visible", **look}))


def _number_box(name, width="56px"):
    """A box for one number with a spoken name that is not drawn."""
    look = {"width": width, "min_width": width}
    box = _control(ipywidgets.Text, look, "0px", description=name, continuous_update=False)
    return classed("mg-box", box)


def text_field(description, name, typed=None, width="100%"):
    """A field for a list of numbers. name: what it is for; typed(text) runs when it was changed."""
    said = {"description": description, "tooltip": name}
    field = _control(ipywidgets.Text, {"width": width}, "initial", continuous_update=False, **said)
    if typed:
        field.observe(lambda change: typed(change["new"]), names="value")
    return classed("mg-field", field)


def on_enter(field, action):
    """Run `action()` when Enter is pressed in a field, and not when it is only left.

    The browser reports Enter first and sends the new text after it, so the text is waited for.
    """
    state = {"awaited": False, "done": ""}

    def run():
        state.update(awaited=False, done=field.value)
        action()

    def entered(_, content, buffers):
        if content.get("event") == "submit":
            state["awaited"] = True
            if field.value != state["done"]:  # it had come before, when the field was left
                run()

    field.on_msg(entered)
    field.observe(lambda change: state["awaited"] and run(), names="value")


def button(text, name, action, key=None, main=False):
    """A button. name: what it does, spoken and shown on hovering; key: the letter that presses it.

    main: the one that a panel is about.
    """
    control = _control(ipywidgets.Button, {"width": "auto"}, description=text, tooltip=name)
    looks.mark(control, "mg-main", main)
    if key is not None:
        control.add_class(f"mg-key-{key}")
    control.on_click(lambda _: action())
    return control


def dropdown(description, options, action, width="auto", labelled=True):
    """A drop-down list; `action(value)` runs when the learner chooses anything but "".

    labelled: whether the description is drawn; it is spoken in any case.
    """
    control = _control(
        ipywidgets.Dropdown,
        {"width": width, "max_width": "100%"},
        "initial",
        description=description,
        options=options,
        tooltip=f"{description}: Space opens the list",
    )
    looks.mark(control, "mg-unlabelled", not labelled)
    # None: in the middle of quick changes a browser may say that nothing is chosen.
    control.observe(
        lambda change: change["new"] not in ("", None) and action(change["new"]), names="value"
    )
    return control


def checkbox(text, name, action):
    """A box to tick; `action(ticked)`. name: what it is for, spoken where `text` is short."""
    said = {"description": text, "tooltip": name}
    control = _control(ipywidgets.Checkbox, {"width": "auto"}, indent=False, **said)
    control.observe(lambda change: action(change["new"]), names="value")
    return control


class Slider(ipywidgets.IntSlider):
    """A slider over low, low + unit, low + 2·unit, ...; the browser knows the steps alone.

    A browser rounds a slider of numbers to its steps as soon as it shows, and sends that back:
    0.0001 would become 0 unasked.
    """

    low, unit = 0.0, 1.0

    @property
    def number(self):
        """Where it stands, free of the dust of adding up."""
        return round(self.low + self.unit * self.value, 12)


def slider(name, low, high, step, moved):
    """A `Slider` whose every movement runs `moved(number)`. name: what it moves, spoken."""
    said = {"description": name, "tooltip": name}
    steps = round((high - low) / step)
    control = _control(Slider, {"width": "auto"}, "0px", max=steps, readout=False, **said)
    control.low, control.unit = low, step
    control.observe(lambda change: moved(control.number), names="value")
    return control


def set_slider(control, number):
    """Make a slider stand nearest to `number`, or at its nearer end."""
    steps = round((float(number) - control.low) / control.unit)
    control.value = min(max(steps, 0), control.max)


class Choices:
    """One of a few, as joined buttons: \u25cf is chosen, \u25cb is not. `.box` is the widget.

    Not radio buttons: JupyterLab takes the arrow keys that those need.
    name: what is chosen, spoken. options: {value: text}; choose(value) runs when one is pressed.
    """

    def __init__(self, name, options, choose):
        self._name, self._texts = name, dict(options)
        self.buttons = {
            value: button(text, name, lambda value=value: choose(value))
            for value, text in options.items()
        }
        self.box = classed("mg-modes", row(list(self.buttons.values()), gap="0"))

    def show(self, chosen, texts=None):
        """Mark the chosen value; `texts` may name the buttons anew."""
        for value, control in self.buttons.items():
            is_on = value == chosen
            mark = "\u25cf " if is_on else "\u25cb "
            control.description = mark + (texts or self._texts)[value]
            control.tooltip = f"{self._name} ({'chosen' if is_on else 'not chosen'})"
            looks.mark(control, "mg-on", is_on)


class Weight:
    """A box for one number, and a slider that is seen while either has focus.

    name: what the number is, spoken. typed(text or number) runs when either was changed.
    `.box` is the text, `.slider` the slider, `.both` the two.
    """

    def __init__(self, name, typed):
        self.box = _number_box(name)
        self.box.observe(lambda change: typed(change["new"]), names="value")
        self.slider = slider(f"slide {name}", -2.0, 2.0, 0.1, typed)
        self.both = classed("mg-weight", column([self.box, self.slider], margin="0"))

    def show(self, value, largest, enabled=True, stays=False):
        """Say `value`, tinted by its sign. stays: the text could not be used, to be corrected."""
        value = float(value)
        with self.box.hold_sync():  # one message
            if not stays:
                set_text(self.box, value, read_number, signed)
            looks.tint(self.box, palette.sign_class(value, largest))
            self.box.disabled = self.slider.disabled = not enabled
        reach = _reach(abs(value))
        if reach > -self.slider.low and value != self.slider.number:  # it was not slid there
            self.slider.low, self.slider.unit = -reach, reach / 20
        set_slider(self.slider, value)


def _reach(size):
    """How far a slider goes to leave room beside a number of this size: 2, 5, 10, 20, 50, ..."""
    reaches = (lead * 10.0**power for power in range(39) for lead in (2, 5, 10))
    return next((reach for reach in reaches if size < reach), size)


class ArrayInput:
    """An array of numbers that a learner edits: a box for each, and a field for all of it.

    view: whose model it is; what learners do goes through its `act`. place: what the model calls
    the array where it refuses something, "upstream"; name: what it is called aloud. entered(index,
    text or number) takes one of its numbers, where it has boxes; typed(text) the whole list, where
    it has a field, with `label` before it. sliders: whether each box has one, under the grid.

    `.grid` is the boxes' box, None without them, `.field` the field.
    """

    def __init__(
        self, view, place, name, entered=None, typed=None, label="v =", width="", sliders=True
    ):
        self._view, self._place, self._name, self._sliders = view, place, name, sliders
        self._sizes, self.weights, self.grid, self.field = None, {}, None, None
        if entered:
            self._entered, self.grid = view.acting(entered), classed("mg-weights", grid([]))
        if typed:
            said = f"the whole {name}, as a list"
            self.field = text_field(label, said, view.acting(typed), width)

    def show(self, values, enabled=True):
        """Show an array: in boxes where they are few; what was refused stays, to be corrected.

        What the learner typed for the same number stays as typed, too.
        """
        values, refused_at = np.array(values), self._view.model.refused_at
        if self.grid is not None:
            few = values.size <= MAX_BOXES
            looks.show(self.grid, few)
            if few:
                self._show_boxes(values, enabled, self._view.refused_entry(self._place))
        if self.field is not None:
            looks.mark(self.field, "mg-wrong", refused_at == self._place)
            if refused_at != self._place:
                set_list(self.field, values)
            self.field.disabled = not enabled

    def _show_boxes(self, values, enabled, refused):
        if values.shape != self._sizes:
            self._build(values.shape)
        largest = palette.largest_of(values)
        for index, weight in self.weights.items():
            weight.show(values[index], largest, enabled, index == refused)

    def _build(self, sizes):
        self._sizes = sizes
        self.weights.clear()
        for index in indices(sizes):
            name = f"{self._name}, {spoken(index)}" if index else self._name
            self.weights[index] = Weight(name, partial(self._entered, index))
        columns = f"repeat({sizes[-1] if sizes else 1}, max-content)"
        looks.change(self.grid, grid_template_columns=columns, grid_gap="4px")
        boxes = self.weights.values()
        self.grid.children = [one.both if self._sliders else one.box for one in boxes]


def set_text(box, values, read, write):
    """Set a box to `values` unless its text already means that: 1/3 stays 1/3."""
    try:
        typed = np.asarray(read(box.value), dtype=np.float32)
    except Refused:
        typed = None
    if typed is None or not np.array_equal(typed, np.asarray(values, dtype=np.float32)):
        box.value = write(values)


def signed(value):
    """A number for a box, with its sign: +4, \u22122, 0; it reads back as the same float32."""
    text = exact(value)
    return MINUS + text[1:] if text.startswith("-") else text if float(value) == 0 else "+" + text


def set_list(field, values):
    """Set a field to an array, written as a list, unless its text already means that."""
    set_text(field, values, read_array, lambda values: nested(values.tolist(), exact))


def html_area(html="", **look):
    """A place for a drawing, an HTML string."""
    return _control(ipywidgets.HTML, look, value=html)


def html_areas(count):
    """So many places for drawings, which a panel fills when it is drawn."""
    return [html_area() for _ in range(count)]


def classed(name, widget):
    """The widget, with a class of its room's style."""
    widget.add_class(name)
    return widget


def row(children, gap="8px", align="center", wrap=True, **look):
    """Controls or columns side by side; what has no room goes on below."""
    flow = "row wrap" if wrap else "row nowrap"
    shown = {"display": "flex", "flex_flow": flow, "align_items": align, "grid_gap": gap}
    return _box(ipywidgets.Box, children, **shown, **look)


def bench(children, **look):
    """The grey row that holds what a learner's hands may touch."""
    return classed("mg-bench", row(children, **{"margin": "4px 0 8px", **look}))


def column(children, **look):
    """Controls or drawings one below the other."""
    return _box(ipywidgets.VBox, children, **{"max_width": "100%", **look})


def grid(children):
    """Parts in fixed columns, row by row; the widget's own style says which."""
    return _box(ipywidgets.GridBox, children)


def head(title, *right):
    """A panel's first row: its title, and what stands at the right edge, such as the examples."""
    parts = [title, row(list(right))]
    return classed("mg-head", row(parts, justify_content="space-between", align="flex-start"))
