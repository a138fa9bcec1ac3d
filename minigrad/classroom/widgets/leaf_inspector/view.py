"""The leaf inspector on the screen: the program, what it told, and the table of its tensors.

Each tick stands in the table beside the entry that it changes; a covered column is guessed in its
own cells. The table is one drawing: its cells, the ticks and the guesses share the grid's places.
"""

import re

import ipywidgets
import numpy as np

from ...typed_numbers import Refused, read_array
from ..shared import controls, looks, theme
from ..shared.view import View
from .model import COLUMNS, TICKS
from .model import LeafInspector as InspectorModel
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

# {column: (its column in the grid, and as a narrow panel shows it: its line, its column)}
_PLACES = {
    "name": (1, 1, 1), "PyTorch": (13, 1, 3), "is_leaf": (2, 2, 2), "requires_grad": (4, 2, 4),
    "grad_fn": (6, 3, 2), "retains_grad": (8, 3, 4), "_version": (10, 4, 2), "grad": (12, 4, 4),
}


def _places():
    """CSS that puts what has the classes of a row and a column into its place in the grid."""
    wide, narrow = "", ""
    for name, (column, line, side) in _PLACES.items():
        span = " / span 2" if name in ("name", "PyTorch") else ""
        wide += f".mg-at-{name} {{ grid-column: {column}; --line: {line}; }}\n"
        wide += f".mg-tick-{name} {{ grid-column: {column - 1}; --line: {line}; }}\n"
        narrow += f".mg-panel .mg-at-{name} {{ grid-column: {side}{span}; }}\n"
        narrow += f".mg-panel .mg-tick-{name} {{ grid-column: {side - 1}; }}\n"
    rows = "".join(f".mg-row-{k} {{ --row: {k}; }}\n" for k in range(1, MAX_TENSORS + 2))
    return wide + rows, narrow


_STYLE = """
%s
.mg-panel .mg-run { display: grid; gap: 4px 16px; align-items: stretch; overflow: visible;
  grid-template-columns: minmax(490px, 1fr) minmax(270px, 1fr); }
.mg-panel .mg-run > .widget-html { height: 168px; overflow: auto; }
.mg-panel .mg-run .mg-message { margin: 0 0 4px; padding: 2px 8px; }
.mg-panel .mg-lines > div { padding-left: calc(6px + 2em); text-indent: -2em; line-height: 24px;
  border-left: 4px solid transparent; white-space: pre-wrap; overflow-wrap: anywhere; }
.mg-panel .mg-lines .mg-added { border-left-color: var(--mg-hand); font-weight: 700;
  background: var(--mg-hand-tint); }
.mg-panel .mg-lines .mg-failed { border-left-color: var(--mg-minus);
  background: var(--mg-minus-1); }
.mg-panel .mg-lines .mg-missed { color: var(--mg-quiet); }
.mg-panel .mg-lines span { font: 14px var(--jp-ui-font-family, sans-serif); }
.mg-panel .mg-tensors { display: grid; overflow: visible; margin-top: 8px;
  grid-template-columns: minmax(42px, max-content) 62px 28px 90px 28px minmax(122px, max-content)
    28px 82px 28px 50px 28px minmax(110px, 1fr) 60px; }
.mg-panel .mg-tensors :is(.mg-told, .mg-told > *, .mg-flags, .mg-flags > *, .mg-flags > * > tr) {
  display: contents; }
.mg-panel .mg-tensors > *, .mg-panel .mg-flags > * > tr > * { grid-row: var(--row); margin: 0;
  min-height: 40px; box-sizing: border-box; border: 0; border-top: 1px solid var(--mg-line); }
.mg-panel .mg-flags > * > tr > * { display: flex; align-items: center; padding: 0 2px 0 0;
  text-align: left; font: 16px/20px var(--jp-code-font-family, monospace); color: var(--mg-ink);
  overflow-wrap: anywhere; white-space: normal; }
.mg-panel .mg-flags > tbody > tr > th { font-weight: 700; padding-right: 6px; }
.mg-panel .mg-flags > tbody > tr > .mg-at-PyTorch { padding-left: 20px; }
.mg-panel .mg-flags > thead > tr > th { display: block; border-top: 0; font-size: 14px;
  font-weight: 700; padding: 0; }
.mg-panel .mg-flags > thead > tr > .mg-ticked { margin-left: -28px; }
.mg-panel .mg-flags td > span { display: inline-flex; align-items: center; gap: 4px;
  padding: 2px; margin-left: -2px; border-radius: 3px; }
.mg-panel .mg-flags > * > tr > .mg-cover { justify-content: center; margin: 3px 4px 3px 0;
  border-radius: 3px; min-height: 32px; }
.mg-panel .mg-flags .mg-matrix { border-spacing: 2px; }
.mg-panel .mg-flags .mg-matrix td { min-width: 36px; height: 28px; padding: 0 2px;
  white-space: nowrap; overflow-wrap: normal; }
.mg-panel .mg-flags .mg-scroll { overflow: visible; }
.mg-panel .mg-tensors .widget-checkbox { display: flex; align-items: center; width: 28px;
  height: auto; }
.mg-panel .mg-tensors .widget-checkbox label { display: block; position: relative; width: 28px;
  height: 20px; margin: 0; }
.mg-panel .mg-tensors .widget-checkbox input { width: 20px; height: 20px; margin: 0;
  accent-color: var(--mg-hand); }
.mg-panel .mg-tensors .widget-checkbox input:disabled { opacity: 0.35; }
.mg-panel .mg-tensors .widget-checkbox span { position: absolute; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%%); white-space: nowrap; }
.mg-panel .mg-guess.mg-at-grad { grid-column: 12 / span 2; }  /* over PyTorch's sign, too */
.mg-panel .mg-guess { width: auto; padding: 3px 4px 3px 0; }
.mg-panel .mg-guess :is(select, input) { width: 100%%; min-width: 0;
  background-color: var(--mg-bench); }
@container (min-width: 1000px) {
  .mg-panel .mg-tensors { grid-template-columns: minmax(72px, max-content) 96px 28px 124px 28px
    minmax(170px, max-content) 28px 124px 28px 96px 28px minmax(110px, 1fr) 60px; } }
@container (max-width: 780px) {
  .mg-panel .mg-run { grid-template-columns: minmax(0, 1fr); }
  .mg-panel .mg-run > .widget-html { height: auto; max-height: 168px; min-height: 96px; }
  .mg-panel .mg-tensors { grid-template-columns: 28px minmax(0, 1fr) 28px minmax(0, 1fr); }
  .mg-panel .mg-tensors > *, .mg-panel .mg-flags > * > tr > * { border-top: 0;
    grid-row: calc((var(--row) - 2) * 4 + var(--line)); }
  .mg-panel .mg-flags > tbody > tr > :is(.mg-at-name, .mg-at-PyTorch) {
    border-top: 1px solid var(--mg-line); }
  .mg-panel .mg-flags > thead > tr { display: none !important; }
  .mg-panel .mg-flags > tbody > tr > td { flex-wrap: wrap; align-content: center; }
  .mg-panel .mg-flags > tbody > tr > td::before { content: attr(data-name); flex: 0 0 100%%;
    font-size: 14px; color: var(--mg-quiet); }
  .mg-panel .mg-flags > tbody > tr > .mg-at-PyTorch { padding-left: 0; }
  .mg-panel .mg-flags > tbody > tr > .mg-at-PyTorch::before { flex: none; margin-right: 8px; }
  .mg-panel .mg-flags > tbody > tr > .mg-cover { background: none; margin: 0;
    align-content: flex-start; justify-content: flex-start; }
  .mg-panel .mg-tensors .mg-guess { padding-top: 22px; }
  .mg-panel .mg-guess.mg-at-grad { grid-column: 4; }
%s}
""" % _places()


class LeafInspector(View):
    """Tick what happens to each tensor of a small program; see its flags, grad_fn and .grad.

    Arguments as in `minigrad.classroom.widgets.leaf_inspector.model.LeafInspector`, which is
    `.model`; its actions and values can be used on the widget too: `inspector.tick("y", "hook")`.
    """

    style_more = _STYLE
    use = "tick and predict"

    def __init__(self, what=None, *inputs, **options):
        is_model = isinstance(what, InspectorModel)
        model = what if is_model else InspectorModel(what, *inputs, **options)
        self._ticks, self._guesses = {}, {}
        self._listed = self._asked = None  # what the ticks and the guesses were made for
        self._make_controls(model)
        super().__init__(model, self._layout())

    def _make_controls(self, model):
        self._title, self._note, self._score = (controls.html_area() for _ in range(3))
        self._program, self._told, self._table = (controls.html_area() for _ in range(3))
        self._agreement = controls.html_area()
        self._table.add_class("mg-told")
        self._example = controls.dropdown("example", model.listed(), self.acting(model.load),
                                          "270px")
        self._column = controls.dropdown(
            "predict", [("no column", "none"), *((column, column) for column in COLUMNS)],
            lambda column: self.act(model.predict, column.replace("none", "")), "220px")
        self._compare = controls.button("compare", "Uncover the column and compare your guesses",
                                        self.acting(model.compare), main=True)
        self._show = controls.button("show me", "Uncover the column without a guess",
                                     self.acting(model.show))
        self._again = controls.button("guess again", "Cover the column again",
                                      lambda: self.act(model.predict, model.predicting))
        self._untick = controls.button("untick all", "The program as it was",
                                       self.acting(model.untick_all))
        self._grid = ipywidgets.GridBox([], layout=looks.layout(overflow="visible"))
        self._grid.add_class("mg-tensors")

    def _layout(self):
        asked = controls.row([self._column, self._compare, self._show, self._again, self._score])
        lines = controls.grid([self._program, self._told], None)
        lines.add_class("mg-run")
        return [controls.head(self._title, self._example), self._note,
                controls.bench([asked, self._untick], justify_content="space-between"),
                lines, self._grid, self._agreement]

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        # What the learner waits for is sent first: every value set here is a message of its own.
        model, answer = self.model, self.model.torch_answer()
        self._table.value = self._table_html(answer)
        self._program.value = self._program_html()
        self._told.value = self._told_html()
        self._redraw_grid()
        self._agreement.value = theme.quiet(model.agreement_line(answer))
        self._title.value = theme.title("", model.example.formula)
        self._note.value = theme.quiet(model.told(model.example.note) or "\u00a0")
        self._score.value = f"<strong>{model.score_line()}</strong>"
        self._example.value = model.example.name
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
            self._ticks = {(name, what): self._tick_box(name, what, k)
                           for k, name in rows for what in _TICKS}
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
        for place in (f"mg-row-{row}", f"mg-tick-{column}"):
            box.add_class(place)
        return box

    def _guess(self, name, row):
        """A list, or a field for numbers, in the covered cell."""
        model, label = self.model, f"{name}.{self.model.predicting}"
        if model.choices is None:
            control = controls.text_field(label, f"your guess for {label}: None, or numbers",
                                          self.acting(model.guess, name), width="auto")
            control.placeholder = "? None or [1, 2]"
        else:
            options = [(_UNKNOWN, "none yet"), *((choice, choice) for choice in model.choices)]
            control = controls.dropdown(label, options, lambda choice: self.act(
                model.guess, name, "" if choice == "none yet" else choice))
        for place in ("mg-guess", "mg-unlabelled", f"mg-row-{row}", f"mg-at-{model.predicting}"):
            control.add_class(place)
        return control

    def _redraw_guess(self, name, control):
        model = self.model
        looks.show(control, model.covered)
        refused = self.refused_entry("guess") == name
        looks.mark(control, "mg-wrong", refused)
        if isinstance(control, ipywidgets.Dropdown):
            control.value = model.guesses.get(name, "none yet")
        elif name not in model.guesses:
            control.value = control.value if refused else ""
        elif not refused and _read(control.value) != model.guesses[name]:
            control.value = model.guess_text(name)

    # --- drawing ---------------------------------------------------------------------------------

    def _program_html(self):
        lines = []
        for line in self.model.lines:
            state = "ran" if self.model.covered else line.state
            mark = {"failed": "  \u2717 failed here", "not reached": "  not reached"}.get(state, "")
            kinds = ["mg-added"] * line.ticked + ["mg-failed"] * (state == "failed")
            kinds += ["mg-missed"] * (state == "not reached")
            text = theme.escape(f"{'+ ' if line.ticked else ''}{line.text}")
            lines.append(f'<div class="{" ".join(kinds)}">{text}<span>{mark}</span></div>')
        return (f'<div class="mg-code mg-lines" role="group" aria-label="the program">'
                f"{''.join(lines)}</div>")

    def _told_html(self):
        """Why something was refused, PyTorch's error and warnings, the wrong guesses."""
        model, told = self.model, ""
        if model.message:
            told += theme.message("Not used.", model.message, "Nothing else changed.")
        for name, right in model.results.items():
            if not right:
                true = model.cell(name, model.predicting).removesuffix(", warns")
                line = f"{name}: you said {model.guess_text(name)}, it is {true}."
                told += f'<div class="mg-line">{theme.escape(line)}</div>'
        if not model.covered:
            told += _said(f"{model.failed_line} failed.", model.error) if model.error else ""
            told += "".join(_said("", text) for text in model.warnings)
        return told + theme.spoken(model.announcement())

    def _table_html(self, answer):
        model = self.model
        found = model.comparison(answer)
        texts = {(name, column): _UNKNOWN if model.covered and column == model.predicting
                 else model.cell(name, column) for name in model.names for column in COLUMNS}
        changed = self.changed(model.example.name, texts)
        head = "".join(_heading(column) for column in ("name", *COLUMNS, "PyTorch"))
        rows = ""
        for k, name in enumerate(model.names, 2):
            cells = [self._cell_html(k, name, column, (name, column) in changed)
                     for column in COLUMNS]
            sign = "\u2026" if answer.source == "loading" else ""
            if found is not None:
                wrong = '<span class="mg-chip mg-different">\u2260</span> '
                sign = wrong + theme.escape(found[name]) if found[name] else "="
            rows += (f'<tr role="row"><th role="rowheader" class="mg-row-{k} mg-at-name">'
                     f'{theme.escape(name)}</th>{"".join(cells)}{_cell(k, "PyTorch", sign)}</tr>')
        return ('<table role="table" class="mg-flags" aria-label="the tensors of the program">'
                f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>'
                f'<tbody role="rowgroup">{rows}</tbody></table>')

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
            html = theme.escape(model.cell(name, column)).replace("Backward", "<wbr>Backward")
        if column == model.predicting and name in model.results:
            sign = "=" if model.results[name] else "\u2260"
            html, marks = f"{sign} {html}", "" if model.results[name] else "mg-different"
        return _cell(row, column, f'<span class="{marks}">{html}</span>')


def _heading(column):
    """The head of a column, and below it what its tick does."""
    tick = theme.quiet(_ABOVE.get(column, ""))
    classes = f"mg-row-1 mg-at-{column}" + " mg-ticked" * bool(tick)
    return f'<th role="columnheader" class="{classes}">{column}{tick}</th>'


def _cell(row, column, html, marks=""):
    return (f'<td role="cell" class="mg-row-{row} mg-at-{column} {marks}" data-name="{column}">'
            f"{html}</td>")


def _said(title, text):
    """A message's first sentence; all of it folded below."""
    first, *others = _SENTENCE.split(text, maxsplit=1)
    more = theme.fold("the whole sentence", theme.quiet(text)) if others else ""
    return theme.message(title, first) + more


def _read(text):
    """A typed guess as the model keeps it; the text itself if it cannot be read."""
    try:
        return None if text.strip().lower() == "none" else read_array(text).tolist()
    except Refused:
        return text
