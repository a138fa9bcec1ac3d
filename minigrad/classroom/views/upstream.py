"""The upstream editor on the screen: boxes for v, and x.grad from three sides, redrawn at once."""

import numpy as np

from ..formatting import MINUS, brackets, indices, nested, shape, spoken
from ..models.upstream import MAX_BOXES
from ..models.upstream import UpstreamEditor as UpstreamModel
from . import controls, looks, theme
from .base import View
from .drawing import QUIET, Picture
from .predict import Cover

_BUTTONS = {  # button of the model: (its text, what it does, spoken)
    "ones": ("ones", "Set every weight of v to 1"),
    "zero": ("zero", "Set every weight of v to 0"),
    "input": ("x itself", "Set v to the input"),
    "example": ("[0.1, 1, 0.0001]", "Set v to 0.1, 1, 0.0001"),
    "random": ("random", "Set v to random weights, the same each time (seed 0)"),
}
_CHOOSE = ("choose\u2026", "")  # the first entry of a drop-down: nothing chosen


class UpstreamEditor(View):
    """Edit the upstream gradient v of y = f(x) and see x.grad = v\u00b7J at once.

    Arguments as in `minigrad.classroom.models.upstream.UpstreamEditor`, which is `.model`; its
    actions and values can be used on the widget too: `editor.set_upstream([1, 0])`.
    """

    def __init__(self, what="S0-1", x=None, v=None, **options):
        model = what if isinstance(what, UpstreamModel) else UpstreamModel(what, x, v, **options)
        self._listed = None  # what the drop-downs list: example and shapes
        self._cover = Cover(model)
        self._make_drawings()
        self._make_controls(model)
        super().__init__(model, self._layout(model))

    def _make_drawings(self):
        self._title = controls.html_area()
        self._input = controls.html_area()
        self._input_refusal = controls.html_area()
        self._output = controls.html_area()
        self._upstream = controls.html_area()
        self._refusal = controls.html_area()
        self._result = controls.html_area()

    def _make_controls(self, model):
        self._example = controls.dropdown("example", model.listed(), self.acting(model.load))
        self._grid = controls.NumberGrid("upstream gradient", self.acting(model.set_upstream_entry))
        self._field = controls.text_field(
            "v =", "the whole upstream gradient, as a list", self.acting(model.set_upstream)
        )
        self._input_grid = controls.NumberGrid("input", self.acting(model.set_input_entry))
        self._input_field = controls.text_field(
            "x =", "the whole input, as a list", self.acting(model.set_input)
        )
        self._buttons = {
            key: controls.button(text, spoken_name, self.acting(model.press, key))
            for key, (text, spoken_name) in _BUTTONS.items()
        }
        self._one_hot = controls.dropdown("one-hot", [_CHOOSE], self.acting(model.one_hot))
        self._chosen = controls.dropdown("explain", [_CHOOSE], self.acting(model.select))

    def _layout(self, model):
        """Input | output over v | result; below them the loss and one sum."""
        left = controls.column(
            [self._input, self._input_grid.box, self._input_field, self._input_refusal]
        )
        looks.show(self._input_field, model.edit_input)
        buttons = controls.row(
            [
                self._buttons["ones"],
                self._buttons["zero"],
                self._one_hot,
                self._buttons["input"],
                self._buttons["example"],
                self._buttons["random"],
            ],
            flex="1 1 300px",
        )
        looks.show(buttons, not model.lock_upstream)
        boxes = controls.column([self._grid.box, self._field], width="min-content",
                                min_width="372px")
        weights = controls.row([boxes, buttons], gap="4px 14px")
        middle = controls.column([self._output, self._upstream, weights, self._refusal],
                                 flex="1 1 372px")
        right = controls.column([*self._cover.places, self._result], flex="1 1 660px")
        head = controls.row([self._title, self._example], gap="4px 26px")
        stage = controls.row([left, middle, right], gap="4px 26px", align="flex-start")
        return [theme.style_sheet(), head, stage, controls.row([self._chosen])]

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        # What the learner waits for is sent first: every value set here is a message of its own.
        self._result.value = self._result_html() + self._lines_html()
        self._redraw_lists()
        self._redraw_input()
        self._redraw_upstream()
        self._cover.redraw(self)

    def _redraw_lists(self):
        """The title and the drop-downs, whose lists change with the example."""
        model, preset = self.model, self.model.preset
        refusal = "" if self._in_a_box() else theme.message("Not used.", model.message)
        self._title.value = theme.title(preset.formula, note=model.told(preset.note)) + refusal
        self._example.value = preset.name
        listed = (preset.name, model.input_shape, model.output_shape)
        if listed != self._listed:
            self._listed = listed
            self._one_hot.options = [_CHOOSE] + [
                (preset.output_name + brackets(index), index)
                for index in indices(model.output_shape)
            ]
            self._chosen.options = [
                (f"{preset.input_name}.grad{brackets(index)}", index)
                for index in indices(model.input_shape)
            ]
            self._buttons["input"].description = f"{preset.input_name} itself"
            self._input_field.description = f"{preset.input_name} ="
        self._one_hot.value = _one_hot_index(model.upstream)
        self._chosen.value = model.selected

    def _redraw_input(self):
        model, name = self.model, self.model.preset.input_name
        values = np.array(model.input)
        boxed = model.edit_input and values.size <= MAX_BOXES
        looks.show(self._input_grid.box, boxed)
        if model.edit_input:
            if boxed:
                self._input_grid.show(values, refused=self.refused_entry("input"))
            if model.refused_at != "input":
                controls.set_list(self._input_field, values)
        table = "" if boxed else theme.matrix(values, name, model.selected, signed=False)
        self._input.value = theme.heading(name, f"shape {shape(values.shape)}") + table
        self._input_refusal.value = self._refusal_html("input")

    def _redraw_upstream(self):
        model, name = self.model, self.model.preset.output_name
        output, values = np.array(model.output), np.array(model.upstream)
        self._output.value = theme.heading(name, f"shape {shape(output.shape)}") + theme.matrix(
            output, name, signed=False
        )
        self._upstream.value = theme.heading("v", f"upstream gradient, shape {shape(values.shape)}")
        boxed = values.size <= MAX_BOXES
        looks.show(self._grid.box, boxed)
        if boxed:
            self._grid.show(values, not model.lock_upstream, self.refused_entry("upstream"))
        if model.refused_at != "upstream":
            controls.set_list(self._field, values)
        self._field.disabled = model.lock_upstream
        self._refusal.value = self._refusal_html("upstream")

    def _in_a_box(self):
        """Whether what was refused, if anything was, stands in a box, which has its own sentence."""
        at = self.model.refused_at
        place = at[0] if isinstance(at, tuple) else at
        return not self.model.message or place in ("input", "upstream")

    def _refusal_html(self, place):
        """The sentence beside the boxes for something typed there that cannot be used."""
        model, entry = self.model, self.refused_entry(place)
        if model.refused_at != place and entry is None:
            return ""
        name = "v" if place == "upstream" else model.preset.input_name
        if model.refused_by == "engine":
            return theme.message("", f"Not used, see PyTorch's message. {name} stays as it was.")
        where = f"At {spoken(entry)}: " if entry else ""
        return theme.message("Not used.", where + model.message, f"{name} stays as it was.")

    def _result_html(self):
        """The three answers side by side, or what stands in their place."""
        model = self.model
        name = f"{model.preset.input_name}.grad"
        title = theme.heading(f"{name} = v\u00b7J", f"shape {shape(model.input_shape)}")
        if model.refused_by == "engine":
            kept = (
                f"{name} is not computed for this. The last v, of shape "
                f"{shape(model.output_shape)}, is kept."
            )
            return title + theme.message("PyTorch refuses:", model.message, kept)
        if model.covered:
            return title + '<div class="mg-quiet">covered until you commit a guess</div>'
        grad = np.array(model.input_grad)
        columns = [
            _column(
                "mg-minigrad",
                "minigrad",
                "this small engine",
                theme.matrix(grad, f"{name} by minigrad", model.selected),
            ),
            self._torch_column(name, grad),
            self._nudge_column(name),
        ]
        return title + f'<div class="mg-columns">{"".join(columns)}</div>'

    def _torch_column(self, name, grad):
        answer = self.model.torch_answer()
        if answer.found is None:  # loading, or none to be had: blanks of the same size
            blank = theme.matrix(grad, f"{name} by PyTorch", hidden=True)
            return _column("mg-torch", "PyTorch", answer.text, blank)
        body = theme.matrix(answer.found, f"{name} by PyTorch", self.model.selected)
        return _column(
            "mg-torch", "PyTorch", answer.text, body, self.model.comparison("torch", answer)
        )

    def _nudge_column(self, name):
        nudged = self.model.nudge_grad
        if nudged is None:
            return _column("mg-nudge", "nudging", self.model.nudge_note, "")
        body = theme.matrix(np.array(nudged), f"{name} by nudging", self.model.selected)
        return _column(
            "mg-nudge",
            "nudging",
            "(L above - L below) / 2h",
            body,
            self.model.comparison("nudge"),
            self.model.nudge_note,
        )

    def _lines_html(self):
        model = self.model
        return (
            _line(model.loss_line())
            + f'<div class="mg-quiet">{_line(model.loss_line_in_numbers())}</div>'
            + ("" if model.covered else _line(model.sum_line()))
            + theme.spoken(model.announcement())
        )

    # --- without a kernel ------------------------------------------------------------------------

    def snapshot(self):
        """A picture of the state, with PyTorch's side from the recorded answers alone."""
        model, preset = self.model, self.model.preset
        picture = Picture()
        picture.title(preset.formula)
        bottom = _draw_row(
            picture,
            34,
            [
                (preset.input_name, f"shape {shape(model.input_shape)}", model.input, False),
                (preset.output_name, f"shape {shape(model.output_shape)}", model.output, False),
                ("v", "upstream gradient", model.upstream, True),
            ],
        )
        if not model.covered:
            name, answer = f"{preset.input_name}.grad", model.stored_answer()
            results = [(name, "minigrad", model.input_grad, True)]
            if answer.found is not None:
                results.append((name, f"PyTorch, {answer.text}", answer.found.tolist(), True))
            if model.nudge_grad is not None:
                results.append((name, "nudging", model.nudge_grad, True))
            bottom = _draw_row(picture, bottom + 14, results, model.selected)
            bottom = picture.paragraph(0, bottom + 24, model.loss_line(), 96)
            picture.paragraph(0, bottom, model.sum_line(), 96)
        alternative = model.text(model.stored_answer())
        return picture.img(alternative) + "<p>Run this cell to edit v.</p>"

    def summary(self):
        model = self.model
        grad = "covered" if model.covered else nested(model.input_grad)
        return (
            f"Upstream editor, {model.preset.name}: v = {nested(model.upstream)}, "
            f"{model.preset.input_name}.grad = {grad}"
        )


def _column(kind, name, quiet, body, verdict=None, title=""):
    """One answer: its name, where it is from, the numbers, and whether minigrad agrees."""
    title = f' title="{theme.escape(title)}"' if title else ""
    below = ""
    if verdict is not None:
        agrees, text = verdict
        sign = "=" if agrees else "\u2260"
        below = f'<div><strong class="mg-formula">{sign}</strong> {theme.escape(text)}</div>'
    return (
        f'<div class="{kind}"{title}>{theme.heading(name)}'
        f"{theme.quiet(quiet)}{body}{below}</div>"
    )


def _line(text):
    return (
        f'<div class="mg-line mg-formula">{theme.escape(text).replace(" - ", f" {MINUS} ")}</div>'
    )


def _one_hot_index(upstream):
    """The index of the only 1 among zeros, else "", the drop-down's first entry."""
    values = np.array(upstream)
    if np.count_nonzero(values) != 1 or values.sum() != 1:
        return ""
    return tuple(int(k) for k in np.argwhere(values == 1)[0])


def _draw_row(picture, top, arrays, chosen=None):
    """Arrays, (name, what it is, values, signed), side by side. Returns the y below them."""
    x = bottom = 0
    for name, quiet, values, signed in arrays:
        picture.text(x, top + 14, name, font="code", bold=True)
        beside = x + (len(name) + 1) * 9.6
        picture.text(beside, top + 14, quiet, size=14, colour=QUIET)
        width, height = picture.matrix(x, top + 24, np.array(values), chosen, signed)
        x = max(x + width, beside + len(quiet) * 7.6) + 30
        bottom = max(bottom, top + 24 + height)
    return bottom
