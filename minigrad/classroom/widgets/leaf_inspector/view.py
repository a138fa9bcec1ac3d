"""The leaf inspector on the screen: the program, what it told, and the table of its tensors.

Cells, ticks and guesses share the places of one grid.
"""

import re

import ipywidgets
import numpy as np

from ...show.html import element, escape, table, td, th
from ...show.typed_numbers import Refused, read_array
from ..shared import controls, looks, theme
from ..shared.view import View
from .model import COLUMNS, TICKS, LeafInspector
from .own import MAX_TENSORS

_TICKS = {  # {tick: (the column it stands in, what stands above it, its name, spoken)}
    "requires_grad": ("requires_grad", "set", "{} requires_grad"),
    "detach": ("grad_fn", "detach here", "detach {} here"),
    "retain_grad": ("retains_grad", "retain", "retain {}.grad"),
    "in_place": ("_version", "add 1", "{} in-place here"),
    "hook": ("grad", "hook: g * 10", "hook on {}"),
}
_ABOVE = {column: f"\u2610 {text}" for column, text, _ in _TICKS.values()}
_UNKNOWN = "?"  # the first entry of a list: nothing guessed
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class LeafInspectorPanel(View, of=LeafInspector):
    use = "tick and predict"
    _listed = _asked = None  # what the ticks and the guesses were made for

    def build(self, model):
        self._note, self._score, self._program, self._told, self._agreement = (
            controls.html_area() for _ in range(5)
        )
        self._table = controls.classed("mg-leaf-table", controls.html_area())
        self._column = controls.dropdown(
            "predict",
            [("no column", "none"), *((column, column) for column in COLUMNS)],
            lambda column: self.act(model.predict, column.replace("none", "")),
            "220px",
        )

        def button(text, name, action, **look):
            return controls.button(text, name, self.acting(action), **look)

        told = "Uncover the column and compare your guesses"
        self._compare = button("compare", told, model.compare, main=True)
        self._show = button("show me", "Uncover the column without a guess", model.show)
        self._again = button(
            "guess again", "Cover the column again", lambda: model.predict(model.predicting)
        )
        self._untick = button("untick all", "The program as it was", model.untick_all)
        self._grid = controls.classed("mg-tensors", controls.grid([]))
        asked = controls.row([self._column, self._compare, self._show, self._again, self._score])
        lines = controls.classed("mg-leaf-run", controls.grid([self._program, self._told]))
        return [
            self.head(names=True),
            self._note,
            controls.bench([asked, self._untick], justify_content="space-between"),
            lines,
            self._grid,
            self._agreement,
        ]

    def redraw(self):
        model, answer = self.model, self.model.torch_answer()
        self._table.value = self._table_html(answer)
        self._program.value = self._program_html()
        self._told.value = self._told_html()
        self._redraw_grid()
        self._agreement.value = theme.quiet(model.agreement_line(answer))
        self._title.value = theme.title("", model.example.formula)
        self._note.value = theme.quiet(model.told(model.example.note) or "\u00a0")
        self._score.value = f"<strong>{model.score_line()}</strong>"
        self._column.value = model.predicting or "none"
        self._compare.disabled = not (model.covered and model.guesses)
        self._show.disabled = not model.covered
        shown = bool(model.predicting) and not model.covered
        looks.show(self._again, shown)
        looks.show(self._show, not shown)
        self._untick.disabled = not model.ticks

    def _redraw_grid(self):
        """The ticks and the guesses in their places; made anew for other tensors or questions."""
        model = self.model
        listed = (model.example, tuple(model.names))
        asked = (*listed, model.predicting, tuple(model.choices or ()))
        rows = list(enumerate(model.names, 2))
        if listed != self._listed:
            self._ticks = {
                (name, what): self._tick_box(name, what, k) for k, name in rows for what in _TICKS
            }
        if asked != self._asked:
            self._guesses = {name: self._guess(name, k) for k, name in rows if model.predicting}
            self._listed, self._asked = listed, asked
            self._grid.children = [self._table, *self._ticks.values(), *self._guesses.values()]
        for (name, what), box in self._ticks.items():
            box.value = model.is_ticked(name, what)
            tells = what == "requires_grad" == model.predicting  # this tick shows what is asked
            looks.mark(box, "mg-unseen", tells and model.covered)
        for name, control in self._guesses.items():
            self._redraw_guess(name, control)

    def _tick_box(self, name, what, row):
        column, _, text = _TICKS[what]
        line = TICKS[what].format(name)
        box = controls.checkbox(text.format(name), line, self.acting(self.model.tick, name, what))
        why = self.model.why_no_tick(name, what)
        if why:
            box.disabled, box.tooltip = True, why
        for place in ("mg-tick", f"mg-row-{row}", f"mg-at-{column}"):
            box.add_class(place)
        return box

    def _guess(self, name, row):
        """A list, or a field for numbers, in the covered cell."""
        model, label = self.model, f"{name}.{self.model.predicting}"
        if model.choices is None:
            told = f"your guess for {label}: None, or numbers"
            control = controls.text_field(label, told, self.acting(model.guess, name), "auto")
            control.placeholder = "? None or [1, 2]"
        else:
            options = [(_UNKNOWN, "none yet"), *((choice, choice) for choice in model.choices)]
            control = controls.dropdown(
                label,
                options,
                lambda choice: self.act(model.guess, name, choice.replace("none yet", "")),
            )
        for place in ("mg-guess", "mg-unlabelled", f"mg-row-{row}", f"mg-at-{model.predicting}"):
            control.add_class(place)
        return control

    def _redraw_guess(self, name, control):
        model, refused = self.model, self.refused_entry("guess") == name
        looks.show(control, model.covered)
        looks.mark(control, "mg-wrong", refused)
        if isinstance(control, ipywidgets.Dropdown):
            control.value = model.guesses.get(name, "none yet")
        elif name not in model.guesses:
            control.value = control.value if refused else ""
        elif not refused and _read(control.value) != model.guesses[name]:
            control.value = model.guess_text(name)

    def _program_html(self):
        lines = []
        for line in self.model.lines:
            state = "ran" if self.model.covered else line.state
            mark = {"failed": "  \u2717 failed here", "not reached": "  not reached"}.get(state, "")
            look = {"failed": "mg-leaf-failed", "not reached": "mg-missed"}.get(state, "")
            added, plus = ("mg-added ", "+ ") if line.ticked else ("", "")
            text = f"{escape(plus + line.text)}<span>{mark}</span>"
            lines.append(element("div", text, class_=added + look))
        look = "mg-code mg-leaf-lines"
        return element("div", "".join(lines), class_=look, role="group", aria_label="the program")

    def _told_html(self):
        model, told = self.model, self.refusal("Nothing else changed.")
        for name, right in model.results.items():
            if not right:
                true = model.cell(name, model.predicting).removesuffix(", warns")
                line = f"{name}: you said {model.guess_text(name)}, it is {true}."
                told += f'<div class="mg-line">{escape(line)}</div>'
        if not model.covered:
            # After an error the warnings are folded: it says what to mend first.
            error, warnings = model.error, model.warnings
            told += _said(error, *warnings) if error else "".join(map(_said, warnings))
        return told + theme.spoken(model.announcement())

    def _table_html(self, answer):
        model = self.model
        found = model.comparison(answer)
        texts = {
            (name, column): _UNKNOWN
            if model.covered and column == model.predicting
            else model.cell(name, column)
            for name in model.names
            for column in COLUMNS
        }
        changed = self.changed(model.example.name, texts)
        rows = []
        for k, name in enumerate(model.names, 2):
            first = th(escape(name), role="rowheader", class_=f"mg-row-{k} mg-at-name")
            cells = [
                self._cell_html(k, name, column, (name, column) in changed) for column in COLUMNS
            ]
            sign = "\u2026" if answer.source == "loading" else ""
            if found is not None:
                sign = f"{theme.equal(False)} {escape(found[name])}" if found[name] else "="
            rows.append([first, *cells, _cell(k, "PyTorch", sign)])
        head = map(_heading, ("name", *COLUMNS, "PyTorch"))
        label = "the tensors of the program"
        return table(rows, head, roles=True, class_="mg-flags", aria_label=label)

    def _cell_html(self, row, name, column, changed):
        model, entries = self.model, self.model.rows[name]
        if column == model.predicting and model.covered:
            return _cell(row, column, _UNKNOWN, "mg-cover")
        if entries is None:
            return _cell(row, column, "\u2013", "mg-quiet")
        entry, marks = entries[column], "mg-changed" if changed else ""
        if isinstance(entry, list):
            html = theme.matrix(np.array(entry), f"{name}.grad")
        elif isinstance(entry, float):
            html = theme.chip(entry)
        else:
            html = escape(model.cell(name, column)).replace("Backward", "<wbr>Backward")
        if column == model.predicting and name in model.results:
            sign = "=" if model.results[name] else "\u2260"
            html, marks = f"{sign} {html}", "" if model.results[name] else "mg-different"
        return _cell(row, column, f'<span class="{marks}">{html}</span>')


def _places():
    """CSS: the row of each tensor; of each column the place, whose tick is left of it.

    at: on a wide page; line and narrow: on a narrow one, where two columns share a line.
    """
    for k in range(1, MAX_TENSORS + 2):
        yield f".mg-row-{k} {{ --row: {k}; }}\n"
    for k, column in enumerate(COLUMNS):
        narrow = f"--line: {2 + k // 2}; --narrow: {2 + 2 * (k % 2)};"
        yield f".mg-at-{column} {{ --at: {2 + 2 * k}; {narrow} }}\n"


LeafInspectorPanel.style_more += "".join(_places())


def _heading(column):
    tick = theme.quiet(_ABOVE.get(column, ""))
    classes = f"mg-row-1 mg-at-{column}{' mg-ticked' if tick else ''}"
    return th(column + tick, role="columnheader", class_=classes)


def _cell(row, column, html, marks=""):
    classes = f"mg-row-{row} mg-at-{column} {marks}"
    return td(html, role="cell", class_=classes, data_name=column)


def _said(text, *more):
    """A message's first sentence; all of it, and more messages, folded below."""
    first, *others = _SENTENCE.split(text, maxsplit=1)
    whole = "".join(map(theme.quiet, [text] * bool(others) + list(more)))
    return theme.message("", first) + (theme.fold("all that was said", whole) if whole else "")


def _read(text):
    """A typed guess as the model keeps it; the text itself if it cannot be read."""
    try:
        return None if text.strip().lower() == "none" else read_array(text).tolist()
    except Refused:
        return text
