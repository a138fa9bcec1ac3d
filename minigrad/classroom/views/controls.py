"""The controls that widgets share: labelled boxes, grids of boxes, buttons, and safe redrawing.

Numbers are typed into `Text`, never `FloatText`, which silently turns 1/3 into 13 and 3,5 into 35.
A `Text` sends what was typed on Enter and when it is left, and keeps keyboard focus when its value
is set, so redrawing only ever sets values of controls that exist; setting an equal value sends
nothing.
"""

import ipywidgets
import numpy as np

from ..formatting import exact, indices, nested, spoken
from ..typed_numbers import Refused, read_array, read_number
from . import looks
from .turns import Control


class Text(Control, ipywidgets.Text):
    pass


class Button(Control, ipywidgets.Button):
    holds_back = False  # a click is sent at once


class Dropdown(Control, ipywidgets.Dropdown):
    pass


class Checkbox(Control, ipywidgets.Checkbox):
    pass


class IntBox(Control, ipywidgets.BoundedIntText):
    pass


class FloatBox(Control, ipywidgets.BoundedFloatText):
    pass


def number_box(name, width="84px"):
    """A box for one number with a spoken name that is not drawn."""
    box = Text(
        description=name,
        continuous_update=False,
        style=looks.style(Text, description_width="0px"),
        layout=looks.layout(width=width, min_width=width, margin="2px"),
    )
    box.add_class("mg-box")
    return box


def text_field(description, name, typed=None, width="100%"):
    """A field for a list of numbers. name: what it is for; typed(text) runs when it was changed."""
    field = Text(
        description=description,
        tooltip=name,
        continuous_update=False,
        style=looks.style(Text, description_width="initial"),
        layout=looks.layout(width=width, margin="2px"),
    )
    field.add_class("mg-field")
    if typed:
        field.observe(lambda change: typed(change["new"]), names="value")
    return field


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


def button(text, name, action):
    """A button. name: what it does, spoken and shown on hovering."""
    control = Button(
        description=text,
        tooltip=name,
        style=looks.style(Button),
        layout=looks.layout(width="auto"),
    )
    control.on_click(lambda _: action())
    return control


def dropdown(description, options, action, width="auto"):
    """A drop-down list; `action(value)` runs when the learner chooses anything but "".

    JupyterLab takes the arrow keys of a closed list (ipywidgets #3912), not those of an open one.
    """
    control = Dropdown(
        description=description,
        options=options,
        style=looks.style(Dropdown, description_width="initial"),
        layout=looks.layout(width=width, max_width="100%", margin="2px"),
        tooltip=f"{description}: Space opens the list",
    )
    control.observe(lambda change: change["new"] != "" and action(change["new"]), names="value")
    return control


class Choices:
    """One of a few, as buttons side by side: \u25cf is chosen, \u25cb is not. `.box` is the widget.

    Not radio buttons: JupyterLab takes the arrow keys that those need.
    options: {value: text}; choose(value) runs when one is pressed. name: what is chosen, spoken, or
    {value: what it stands for}.
    """

    def __init__(self, name, options, choose, gap="4px"):
        self._names = name if isinstance(name, dict) else dict.fromkeys(options, name)
        self._texts = dict(options)
        self.buttons = {
            value: button(text, self._names[value], lambda value=value: choose(value))
            for value, text in options.items()
        }
        self.box = row(list(self.buttons.values()), gap=gap)

    def show(self, chosen, texts=None):
        """Mark the chosen value; `texts` may name the buttons anew."""
        self._texts.update(texts or {})
        for value, control in self.buttons.items():
            control.description = ("\u25cf " if value == chosen else "\u25cb ") + self._texts[value]
            state = "chosen" if value == chosen else "not chosen"
            control.tooltip = f"{self._names[value]} ({state})"


class Stepper:
    """A number that moves in steps: arrow keys in its box, or a button on either side. `.box`.

    Stands where a slider would: ipywidgets' sliders cannot be given a spoken name. The browser
    itself steps the box, and JupyterLab leaves it its arrow keys.
    name: what the number is, drawn and spoken; choose(number): it was typed; move(+1 or -1): a
    button was pressed; less, more: what the two buttons do, spoken.
    """

    def __init__(self, name, low, high, step, choose, move, less, more):
        kind = IntBox if step == 1 else FloatBox
        self.field = kind(description=name, value=low, min=low, max=high, step=step,
                          style=looks.style(kind, description_width="initial"),
                          layout=looks.layout(width="auto", margin="2px"),
                          tooltip=f"{name}: the arrow keys move it")
        self.field.add_class("mg-stepper")
        self.field.observe(lambda change: choose(change["new"]), names="value")
        self.less = button("\u25c0", less, lambda: move(-1))
        self.more = button("\u25b6", more, lambda: move(+1))
        self.box = row([self.less, self.field, self.more], gap="4px")

    def show(self, value, high=None):
        """Make the box say `value`; `high` may move the upper end."""
        if high is not None:
            self.field.max = high
        self.field.value = value


class NumberGrid:
    """Boxes in the shape of an array: one for each element, read row by row.

    name: what the array is called aloud ("upstream gradient"). typed(index, text) runs when a box
    was changed by the learner. `.box` is the widget.
    """

    def __init__(self, name, typed):
        self._name = name
        self._typed = typed
        self._sizes = None
        self.boxes = {}
        self.box = ipywidgets.GridBox([], layout=looks.layout(overflow="visible"))

    def show(self, values, enabled=True, refused=None):
        """Make the boxes say `values`; what the learner typed for the same number stays as typed.

        refused: the index of a box whose text could not be used; it stays, to be corrected.
        """
        if values.shape != self._sizes:
            self._build(values.shape)
        for index, box in self.boxes.items():
            if index != refused:
                set_text(box, float(values[index]), read_number, exact)
            box.disabled = not enabled

    def _build(self, sizes):
        self._sizes = sizes
        self.boxes = {}
        for index in indices(sizes):
            box = number_box(f"{self._name}, {spoken(index)}" if index else self._name)
            box.group = self  # edits of different boxes do not depend on each other
            box.observe(
                lambda change, index=index: self._typed(index, change["new"]), names="value"
            )
            self.boxes[index] = box
        columns = sizes[-1] if sizes else 1
        looks.change(self.box, grid_template_columns=f"repeat({columns}, max-content)")
        self.box.children = list(self.boxes.values())


def set_text(box, values, read, write):
    """Set a box to `values` unless its text already means that: 1/3 stays 1/3."""
    try:
        typed = np.asarray(read(box.value), dtype=np.float32)
    except Refused:
        typed = None
    if typed is None or not np.array_equal(typed, np.asarray(values, dtype=np.float32)):
        box.value = write(values)


def set_list(field, values):
    """Set a field to an array, written as a list, unless its text already means that."""
    set_text(field, values, read_array, lambda values: nested(values.tolist(), exact))


def html_area(html="", **look):
    """A place for a drawing, an HTML string."""
    return ipywidgets.HTML(
        html,
        style=looks.style(ipywidgets.HTML),
        layout=looks.layout(**{"margin": "2px", **look}),
    )


def row(children, gap="6px", align="center", **look):
    """Controls or columns side by side; what has no room goes on below."""
    wraps = {"display": "flex", "flex_flow": "row wrap", "align_items": align, "grid_gap": gap}
    return ipywidgets.Box(children, layout=looks.layout(**wraps, overflow="visible", **look))


def column(children, **look):
    """Controls or drawings one below the other."""
    return ipywidgets.VBox(
        children, layout=looks.layout(max_width="100%", overflow="visible", **look)
    )
