"""The leaf inspector on the screen: the program with its ticks, and the table of its tensors."""

import ipywidgets

from ..models.inspector import COLUMNS, TICKS
from ..models.inspector import LeafInspector as InspectorModel
from ..typed_numbers import Refused, read_array
from . import controls, looks, theme
from .base import View
from .drawing import QUIET, Picture

_TICK_TEXTS = {
    "requires_grad": "{} requires_grad",
    "detach": "detach {} here",
    "in_place": "{} in-place here",
    "retain_grad": "retain {}.grad",
    "hook": "hook on {}",
}
_TICK_LINES = {
    "requires_grad": "make {} with requires_grad, or call requires_grad_()",
    "detach": "{} = {}.detach()",
    "in_place": "{}.add_(1)",
    "retain_grad": "{}.retain_grad()",
    "hook": "{}.register_hook(lambda g: g * 10)",
}
_TICK_HEADS = {  # what stands above a column of ticks, and the code that a tick puts in
    "requires_grad": ("requires_grad", "requires_grad_()"),
    "detach": ("detach here", "detach()"),
    "in_place": ("in-place here", "add_(1)"),
    "retain_grad": ("retain .grad", "retain_grad()"),
    "hook": ("hook", "g * 10"),
}
_SHORT = 16  # letters; a cell with fewer is not broken
_STYLE = """
.mg-panel .mg-ticks .widget-checkbox label { display: flex; justify-content: center;
  align-items: center; position: relative; width: 100%; height: 28px; margin: 0; }
.mg-panel .mg-ticks .widget-checkbox input { width: 20px; height: 20px; margin: 0; flex: none; }
.mg-panel .mg-ticks .widget-checkbox span { position: absolute; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.mg-panel .mg-ticks .mg-above { text-align: center; line-height: 1.25; white-space: nowrap; }
.mg-panel .mg-ticks .mg-beside { line-height: 28px; font-weight: 600; }
.mg-panel .mg-lines div { padding-left: 6px; border-left: 5px solid transparent;
  white-space: pre-wrap; }
.mg-panel .mg-lines .mg-failed { border-left-color: rgb(255, 128, 14); }
.mg-panel .mg-lines .mg-added, .mg-panel .mg-lines .mg-failed { font-weight: 700; }
.mg-panel .mg-lines span { font-weight: 400; }
.mg-panel .mg-tensors { border-collapse: collapse; }
.mg-panel .mg-tensors td, .mg-panel .mg-tensors th { border: 0; padding: 3px 10px 3px 0;
  border-top: 1px solid var(--mg-line); text-align: left; vertical-align: top; font-size: 16px;
  color: var(--mg-ink); font-family: var(--jp-code-font-family, monospace); white-space: normal;
  overflow-wrap: break-word; }
.mg-panel .mg-tensors th { font-weight: 600; }
.mg-panel .mg-tensors thead th { border-top: 0; }
.mg-panel .mg-tensors .mg-onerow { white-space: nowrap; }
.mg-panel .mg-tensors .mg-asked { background: rgba(128, 128, 128, 0.16); padding-left: 6px; }
"""
_NONE = ("no column", "none")


class LeafInspector(View):
    """Tick what happens to each tensor of a small program, and see its flags, grad_fn and .grad.

    Arguments as in `minigrad.classroom.models.inspector.LeafInspector`, which is `.model`; its
    actions and values can be used on the widget too: `inspector.tick("y", "retain_grad")`.
    """

    def __init__(self, what=None, **steps):
        model = what if isinstance(what, InspectorModel) else InspectorModel(what, **steps)
        self._ticks, self._guesses = {}, {}
        self._listed = self._asked = None  # what the tick boxes and the guesses belong to
        self._make_controls(model)
        super().__init__(model, self._layout())

    def _make_controls(self, model):
        self._example = controls.dropdown("example", model.listed(), self.acting(model.load))
        self._column = controls.dropdown(
            "predict",
            [_NONE, *((column, column) for column in COLUMNS)],
            lambda column: self.act(model.predict, "" if column == "none" else column),
        )
        self._compare = controls.button(
            "run and compare",
            "Run the program and compare your guesses with what it gives",
            self.acting(model.compare),
        )
        self._show = controls.button(
            "show me", "Uncover the column without a guess", self.acting(model.show)
        )
        self._again = controls.button(
            "guess again",
            "Cover the column again",
            lambda: self.act(model.predict, model.predicting),
        )
        self._untick = controls.button(
            "untick all", "The program as it was", self.acting(model.untick_all)
        )
        self._title, self._program, self._table = (controls.html_area() for _ in range(3))
        self._grid = ipywidgets.GridBox(
            [],
            layout=looks.layout(
                grid_template_columns=f"max-content repeat({len(TICKS)}, max-content)",
                grid_gap="0 14px",
                margin="0 2px",
                overflow="visible",
            ),
        )
        self._grid.add_class("mg-ticks")
        self._guess_row = controls.row([])

    def _layout(self):
        return [
            theme.style_sheet(_STYLE),
            controls.row([self._title, self._example], gap="4px 26px"),
            controls.row([self._program, self._grid], gap="4px 30px", align="flex-start"),
            controls.row([self._column, self._compare, self._show, self._again, self._untick]),
            self._guess_row,
            self._table,
        ]

    # --- what it shows ----------------------------------------------------------------------------

    def redraw(self):
        model = self.model
        answer = model.torch_answer()
        self._table.value = self._table_html(answer) + self._told_html(answer)
        self._program.value = self._program_html()
        note = "" if model.covered else model.program.note
        self._title.value = theme.title("", model.program.question, note)
        self._example.value = model.program.name
        self._column.value = model.predicting or "none"
        self._compare.disabled = self._show.disabled = not model.covered
        looks.show(self._again, bool(model.predicting and model.revealed))
        self._untick.disabled = not model.ticks
        self._redraw_ticks()
        self._redraw_guesses()

    def _redraw_ticks(self):
        model = self.model
        listed = (model.program.name, tuple(model.names))
        if listed != self._listed:
            self._listed = listed
            self._ticks = {
                (name, what): self._tick_box(name, what) for name in model.names for what in TICKS
            }
            cells = [_cell("<div></div>"), *map(_head, TICKS)]
            for name in model.names:
                cells.append(_cell(f'<div class="mg-beside mg-formula">{theme.escape(name)}</div>'))
                cells += [self._ticks[name, what] for what in TICKS]
            self._grid.children = cells
        for (name, what), box in self._ticks.items():
            box.value = model.is_ticked(name, what)

    def _tick_box(self, name, what):
        box = controls.Checkbox(
            description=_TICK_TEXTS[what].format(name),
            indent=False,
            tooltip=_TICK_LINES[what].replace("{}", name),
            style=looks.style(controls.Checkbox),
            layout=looks.layout(width="auto", margin="0"),
        )
        box.observe(lambda change: self._ticked(name, what, box), names="value")
        return box

    def _ticked(self, name, what, box):
        self.act(self.model.tick, name, what, box.value)

    def _redraw_guesses(self):
        """One box or list for each tensor's entry in the column that is predicted."""
        model = self.model
        asked = (
            model.program.name,
            tuple(model.names),
            model.predicting,
            tuple(model.choices or ()),
        )
        if asked != self._asked:
            self._asked = asked
            self._guesses = (
                {name: self._guess_control(name) for name in model.names}
                if model.predicting
                else {}
            )
            self._guess_row.children = list(self._guesses.values())
        for name, control in self._guesses.items():
            if isinstance(control, ipywidgets.Dropdown):
                control.value = str(model.guesses[name]) if name in model.guesses else "choose"
            elif name in model.guesses:
                if _read(control.value) != model.guesses[name]:
                    control.value = model.guess_text(name)
            elif not model.message:
                control.value = ""
            control.disabled = not model.covered

    def _guess_control(self, name):
        model, label = self.model, f"{name}.{self.model.predicting}"
        if model.choices is None:
            field = controls.text_field(
                label,
                f"your guess for {label}: None, or numbers",
                self.acting(model.guess, name),
                width="17em",
            )
            field.placeholder = "None or [1, 2]"
            return field
        options = [("choose\u2026", "choose"), *((choice, choice) for choice in model.choices)]
        return controls.dropdown(
            label,
            options,
            lambda choice: self.act(model.guess, name, "" if choice == "choose" else choice),
        )

    def _program_html(self):
        lines = []
        for line in self.model.lines:
            state = "ran" if self.model.covered else line.state
            mark = {"failed": " \u2717 failed here", "not reached": "  (not reached)"}.get(state, "")
            kind = "mg-failed" if state == "failed" else "mg-added" if line.ticked else ""
            text = theme.escape(f"{'+ ' if line.ticked else '  '}{line.text}")
            lines.append(f'<div class="{kind}">{text}<span>{mark}</span></div>')
        return (
            '<div class="mg-formula mg-lines" role="group" aria-label="the program">'
            f"{''.join(lines)}</div>"
        )

    def _table_html(self, answer):
        model = self.model
        found = model.comparison(answer)
        head = "".join(
            f'<th scope="col"{_classes(name == model.predicting)}>{name}</th>'
            for name in ("name", *COLUMNS, "PyTorch")
        )
        rows = []
        for name in model.names:
            cells = [f'<th scope="row">{theme.escape(name)}</th>']
            for column in COLUMNS:
                text = theme.escape(self._cell_text(name, column))
                classes = _classes(column == model.predicting, len(text) <= _SHORT)
                cells.append(f"<td{classes}>{text}</td>")
            sign = "" if found is None else "=" if not found[name] else f"\u2260 {found[name]}"
            rows.append(f"<tr>{''.join(cells)}<td>{theme.escape(sign)}</td></tr>")
        return (
            '<div class="mg-scroll"><table class="mg-tensors" aria-label="the tensors of the program">'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        )

    def _cell_text(self, name, column):
        model = self.model
        if column != model.predicting:
            return model.cell(name, column)
        if model.covered:
            return "?"
        if name not in model.results:
            return model.cell(name, column)
        if model.results[name]:
            return f"{model.cell(name, column)} \u2713"
        return f"{model.cell(name, column)} \u2717 you said {model.guess_text(name)}"

    def _told_html(self, answer):
        """PyTorch's error and warnings, a refusal, the agreement, and the spoken line."""
        model, told = self.model, ""
        if model.message:
            told = theme.message("Not used.", model.message, "Nothing else changed.")
        if not model.covered:
            if model.error:
                told += theme.message(f"{model.failed_line} failed.", model.error)
            told += "".join(theme.message("", text) for text in model.warnings)
        if model.results:
            told += f'<div class="mg-line"><strong>{model.score_line()}</strong></div>'
        return (
            told
            + theme.quiet(model.agreement_line(answer))
            + theme.spoken(model.announcement())
        )

    # --- without a kernel -------------------------------------------------------------------------

    def snapshot(self):
        """A picture of the state, with PyTorch's side from the recorded answers alone."""
        model = self.model
        answer = model.stored_answer()
        picture = Picture()
        bottom = picture.paragraph(0, 14, model.program.question, 100, size=18, font="text") + 4
        for line in model.lines:
            mark = "" if model.covered or line.state == "ran" else f"   ({line.state})"
            picture.text(
                0,
                bottom,
                f"{'+ ' if line.ticked else '  '}{line.text}{mark}",
                size=15,
                font="code",
                bold=line.ticked,
            )
            bottom += 21
        bottom += 8
        for line in model.table_text(answer).split("\n"):
            bottom += 20
            picture.text(0, bottom, line, size=14, font="code")
        bottom += 32
        if not model.covered:
            for text in [*([model.error] if model.error else []), *model.warnings]:
                bottom = picture.paragraph(0, bottom, text, 100, size=14, font="text") + 6
        picture.text(0, bottom, model.agreement_line(answer), size=14, colour=QUIET)
        return picture.img(model.text(answer)) + "<p>Run this cell to tick and predict.</p>"

    def summary(self):
        model = self.model
        if model.covered:
            told = f"the column {model.predicting} is covered"
        elif model.error:
            told = f"{model.failed_line} failed"
        else:
            told = ", ".join(f"{name}.grad = {model.cell(name, 'grad')}" for name in model.names)
        return f"Leaf inspector, {model.program.name}: {told}"


def _read(text):
    """A typed guess as the model keeps it; the text itself if it cannot be read."""
    try:
        return None if text.strip().lower() == "none" else read_array(text).tolist()
    except Refused:
        return text


def _classes(asked, short=False):
    names = ["mg-asked"] * asked + ["mg-onerow"] * short
    return f' class="{" ".join(names)}"' if names else ""


def _cell(html):
    """A cell of the grid of ticks that is no tick."""
    return controls.html_area(html, margin="0")


def _head(what):
    text, code = _TICK_HEADS[what]
    return _cell(
        f'<div class="mg-above"><div>{text}</div><div class="mg-formula mg-quiet">{code}</div></div>'
    )
