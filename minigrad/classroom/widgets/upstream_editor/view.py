"""The upstream editor on the screen.

Forward runs to the right on top, a to out; backward runs to the left beneath, v to a.grad: each
gradient stands under the tensor whose shape it has. PyTorch and nudging stand right of a rule.
"""

import numpy as np

from ...show.drawing import svg
from ...show.drawing.svg import letters
from ...show.formatting import brackets, in_brackets, indices, number, shape
from ...show.html import td, th
from ..predict_card.view import Cover
from ..shared import controls, looks, theme
from ..shared.view import View
from .model import UpstreamEditor

_CHOOSE = "choose\u2026"  # the first entry of a list: nothing chosen
_MORE = {"example": "[0.1, 1, 0.0001]", "random": "random"}
_ARROW = 94  # pixels, between the tensors
_TERMS, _LETTERS = 6, 44  # of a sum that is written as a table: terms, and letters of them
_ROOM, _WIDEST = 795, 1146  # pixels across a panel beside the list of files, and at most
_LEAST = 200  # pixels: the width of v's slider, and of the words over a check


class UpstreamEditorPanel(View, of=UpstreamEditor):
    use = "edit v"
    _listed = None  # what the lists were made for: example and shapes

    def build(self, model):
        self._given, self._weights, self._results = controls.html_areas(3)
        for area in (self._given, self._results):
            area.add_class("mg-parts")
        self._buttons = {
            key: controls.button(key, name, self.acting(model.press, key))
            for key, name in (
                ("ones", "Set every weight of v to 1"),
                ("zero", "Set every weight of v to 0"),
                ("input", "Set v to the input"),
            )
        }
        self._one_hot = controls.dropdown(
            "one-hot", [_CHOOSE], self.acting(model.one_hot), "112px", labelled=False
        )
        more = [("more", ""), *((text, key) for key, text in _MORE.items())]
        self._more = controls.dropdown("more values", more, self._press_more, "92px", False)
        self._chosen = controls.dropdown(
            "explain", [_CHOOSE], self.acting(model.select), labelled=False
        )
        one, every = model.set_upstream_entry, model.set_upstream
        self._v = controls.ArrayInput(
            self, "upstream", "upstream gradient", one, every, width="290px"
        )
        self._x = controls.ArrayInput(
            self, "input", "input", model.set_input_entry, model.set_input, "x =", "220px", False
        )
        label = controls.html_area("fill <b class='mg-code'>v</b>")
        fill = controls.row([label, *self._buttons.values(), self._one_hot, self._more])
        looks.show(fill, not model.lock_upstream)
        for part in (self._x.grid, self._x.field):
            looks.show(part, model.edit_input)
        fields = [fill, self._x.field, self._v.field]
        bench = controls.bench(fields, justify_content="space-between")
        weighs = controls.classed("mg-weighs", controls.column([self._weights, self._v.grid]))
        parts = [self._given, self._x.grid, self._results, weighs, self._chosen]
        self._stage = controls.classed("mg-upstream", controls.grid(parts))
        self._cover = Cover(model)
        return [self.head(width="370px"), bench, *self._cover.places, self._stage]

    def _press_more(self, key):
        self.act(self.model.press, key)
        self._more.value = ""

    def redraw(self):
        self._results.value = self._results_html() + theme.spoken(self.model.announcement())
        self._redraw_upstream()
        self._redraw_given()
        self._redraw_lists()

    def _results_html(self):
        """All that follows from v, in one message: x.grad, the checks beside it, the sums below."""
        model, name = self.model, f"{self.model.example.input_name}.grad"
        grad = np.array(model.input_grad)
        marks = {"chosen": model.selected, "cover": "?" if model.covered else None}
        marks["changed"] = self.changed("grad", dict(np.ndenumerate(grad)))
        matrix = theme.matrix(grad, f"{name} by minigrad", **marks)
        minigrad = theme.heading(name, "follows, minigrad") + matrix
        checks = (
            f'<div class="mg-torch">{self._by_torch(name, grad, marks)}</div>'
            f'<div class="mg-nudge">{self._by_nudging(name, marks)}</div>'
        )
        return (
            f'<div class="mg-minigrad">{minigrad}</div><div class="mg-arrow mg-back">'
            f'<strong class="mg-code">backward(v)</strong>{svg.arrow(_ARROW, True)}</div>'
            f'<div class="mg-checks">{checks}</div><div class="mg-sums">{self._sums_html()}</div>'
        )

    def _by_torch(self, name, grad, marks):
        answer, label = self.model.torch_answer(), f"{name} by PyTorch"
        if answer.found is None:
            return _check(name, answer.label(), grad, label, None, {**marks, "cover": "\u2026"})
        found = answer.found["x.grad"]
        verdict = self.model.agreement_with(found)
        return _check(name, answer.label(), found, label, verdict, marks)

    def _by_nudging(self, name, marks):
        model, nudged = self.model, self.model.nudge_grad
        if nudged is None:
            return theme.heading(name, "nudging") + theme.quiet(model.nudge_note)
        source, label = f"nudging {model.example.input_name}", f"{name} by nudging"
        verdict, note = model.nudge_comparison(), model.nudge_note
        return _check(name, source, np.array(nudged), label, verdict, marks, note)

    def _redraw_upstream(self):
        model = self.model
        values, use = np.array(model.upstream), "given" if model.lock_upstream else "you change"
        self._weights.value = theme.heading("v", f"{use}, {shape(values.shape)}")
        self._v.show(values, not model.lock_upstream)
        self._redraw_width(values)

    def _redraw_given(self):
        model, example = self.model, self.model.example
        values, output = np.array(model.input), np.array(model.output)
        boxed = model.edit_input and values.size <= controls.MAX_BOXES
        if model.edit_input:
            self._x.show(values)
        table = "" if boxed else theme.matrix(values, example.input_name, model.selected, False)
        rule = example.formula.partition(" = ")[2]
        rule = rule if len(rule) < 9 else "f"
        x = theme.heading(example.input_name, f"given, {shape(values.shape)}") + table
        y = theme.heading(example.output, f"given, {shape(output.shape)}") + theme.matrix(
            output, example.output, signed=False
        )
        self._given.value = (
            f'<div class="mg-x">{x}</div><div class="mg-arrow mg-on">{theme.code(rule)}'
            f'{svg.arrow(_ARROW)}</div><div class="mg-y">{y}</div>'
        )

    def _redraw_width(self, v):
        """Where numbers are long the checks stand under the two ways, not beside them."""
        model, grad = self.model, _width(np.array(self.model.input_grad))
        left = max(grad, _width(np.array(model.input), False))
        right = max(_LEAST, _width(v) + 4, _width(np.array(model.output), False))
        needed = left + _ARROW + right + max(_LEAST, grad + 34) + 3 * 8
        looks.mark(self._stage, "mg-checks-under", needed > _ROOM)
        looks.mark(self._stage, "mg-checks-always", needed > _WIDEST)

    def _redraw_lists(self):
        model, example = self.model, self.model.example
        listed = (example.name, model.input_shape, model.output_shape)
        if self._listed != listed:
            self._listed = listed
            self._title.value = theme.title(example.formula, note=model.told(example.note))
            self._one_hot.options = [("one-hot", "")] + [
                (example.output + brackets(index), index) for index in indices(model.output_shape)
            ]
            a = example.input_name
            self._chosen.options = [
                (f"{a}.grad{brackets(index)}", index) for index in indices(model.input_shape)
            ]
            self._buttons["input"].description, self._x.field.description = a, f"{a} ="
        self._one_hot.value = _one_hot_index(np.array(model.upstream))
        self._chosen.value = model.selected

    def _sums_html(self):
        """L and the chosen sum, term by term; or in their place why something was refused."""
        model, example = self.model, self.model.example
        if model.message:
            return self.refusal("Everything stays as it was before, v and the gradients too.")
        if model.covered:
            return theme.quiet("The sums are covered until you commit a guess.")
        v, outputs = np.ravel(model.upstream), np.ravel(model.output)
        name = f"{example.input_name}.grad{brackets(model.selected)}"
        grad = float(np.array(model.input_grad)[model.selected])
        rows = [
            (f"L = \u03a3 v\u00b7{example.output}", outputs, model.weighted_loss),
            (name, model.derivatives(), grad),
        ]
        lines = "".join(
            f'<div class="mg-line mg-code">{theme.escape(theme.minus(line))}</div>'
            for line in (model.loss_line(), model.sum_line())
        )
        long = max(sum(map(len, map(_term, v, factors))) for _, factors, _ in rows)
        if v.size > _TERMS or long > _LETTERS:
            return lines
        changed = self.changed("sums", {k: row[2] for k, row in enumerate(rows)})
        head = [td(""), td("")]
        for index in indices(model.output_shape):
            head += [td(brackets(index).replace(" ", "")), td("")]
        table = []
        for k, (label, factors, total) in enumerate(rows):
            row, sign = [th(theme.escape(label), "row")], "="
            for weight, factor in zip(v, factors):
                nil = theme.classes(nil=weight == 0 or factor == 0)
                row += [td(sign), td(_term(weight, factor), class_=nil)]
                sign = "+"
            chip = theme.chip(total, marks=theme.classes(changed=k in changed))
            table.append([*row, td("="), td(chip)])
        label = f"L and the sum behind {name}"
        return theme.scrolling(table, [*head, td("")], aria_label=label) + lines


def _width(values, signed=True):
    """About how wide an array stands on a panel, in pixels."""
    columns = values.reshape(-1, values.shape[-1] if values.ndim else 1).T
    texts = ([number(value, signed) for value in column] for column in columns)
    return 12 + sum(10 + max(50, letters(max(column, key=len))) for column in texts)


def _term(weight, factor):
    return f"{number(weight, minus=True)}\u00b7{in_brackets(factor, minus=True)}"


def _check(name, source, values, label, verdict, marks, note=""):
    """Another answer to x.grad: where it is from, its numbers, and whether minigrad agrees."""
    told = ""
    if verdict is not None and not marks["cover"]:
        agrees, text = verdict
        told = theme.verdict(agrees, "" if agrees else text)
        note = f"{text}; {note}" if note else text
    return theme.heading(name, source) + (
        f'<div class="mg-columns mg-agrees" title="{theme.escape(note)}">'
        f"{theme.matrix(values, label, **marks)}{told}</div>"
    )


def _one_hot_index(values):
    """The index of the only 1 among zeros, else "", the list's first entry."""
    if np.count_nonzero(values) != 1 or values.sum() != 1:
        return ""
    return tuple(int(k) for k in np.argwhere(values == 1)[0])
