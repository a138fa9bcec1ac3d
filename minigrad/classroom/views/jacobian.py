"""The Jacobian picture on the screen: J as a heat map, v at its left, u on its top.

A cell is a radio button under its number: Tab reaches the picture, the arrow keys go from cell to
cell, and the cell under focus or pointer says its own sentence, without a message to the kernel.
"""

import numpy as np

from ..formatting import indices, nested, number, shape, spoken
from ..models.collection import BUGS
from ..models.jacobian import JacobianPicture as JacobianModel
from . import controls, looks, theme
from .base import View
from .drawing import Picture
from .predict import Cover

ROW = 42  # height of a row of the picture, so that the boxes of v stand beside its rows
_EMPTY = "\u00b7"  # a number that is not there yet
_OWN_ARROWS = 'data-lm-suppress-shortcuts="true"'  # JupyterLab leaves the arrow keys to it
_LETTER = 9.8  # width of a letter of a number
_MODES = {
    "backward": "from the left: v\u00b7J (backward)",
    "forward": "from the top: J\u00b7u (forward)",
}
_STOPS = {
    "backward": {0: "1  J", 1: "2  scale the rows by v", 2: "3  add the columns"},
    "forward": {0: "1  J", 1: "2  scale the columns by u", 2: "3  add the rows"},
}
_STYLE = f"""
.mg-jac-stage {{ position: relative; padding-bottom: 84px; min-width: 440px;
  width: max-content; }}
.mg-jac {{ border-collapse: separate; border-spacing: 0; font-family: var(--jp-code-font-family,
  monospace); }}
.mg-panel .mg-jac td, .mg-panel .mg-jac th {{ height: {ROW}px; padding: 0 2px; font-size: 16px;
  box-sizing: border-box; color: var(--mg-ink); }}
.mg-panel .mg-jac thead th, .mg-panel .mg-jac thead td {{ height: 34px; }}
.mg-panel .mg-jac th {{ font-weight: 400; text-align: center; white-space: nowrap; }}
.mg-panel .mg-jac th[scope=row] {{ text-align: right; padding-right: 8px; }}
.mg-panel .mg-jac tr.mg-arrows td, .mg-panel .mg-jac tr.mg-arrows th {{ height: 22px;
  text-align: center; line-height: 20px; }}
.mg-panel .mg-jac td.mg-sum {{ border-left: 2px solid var(--mg-ink); }}
.mg-panel .mg-jac tr.mg-total td, .mg-panel .mg-jac tr.mg-total th {{
  border-top: 2px solid var(--mg-ink); font-weight: 600; }}
.mg-cell {{ display: grid; height: {ROW - 4}px; }}
.mg-cell > * {{ grid-area: 1 / 1; }}
.mg-cell input {{ opacity: 0; margin: 0; width: 100%; height: 100%; cursor: help; z-index: 1; }}
.mg-cell .mg-value {{ display: flex; align-items: center; justify-content: flex-end; padding: 0 7px;
  border: 2px solid transparent; border-radius: 3px; }}
.mg-cell.mg-chosen .mg-value {{ border-color: var(--mg-ink); }}
.mg-cell .mg-tip {{ display: none; }}
.mg-said, .mg-cell .mg-tip {{ position: absolute; left: 0; bottom: 0; width: 100%; height: 80px;
  font-family: var(--jp-ui-font-family, sans-serif); background: var(--mg-paper);
  line-height: 1.4; white-space: normal; text-align: left; }}
.mg-cell input:focus ~ .mg-tip {{ display: block; z-index: 2; }}
.mg-cell:hover .mg-tip {{ display: block; z-index: 3; }}
.mg-cell input:focus-visible + .mg-value {{ outline: 3px solid rgb(0, 107, 164);
  outline-offset: 0; }}
body[data-jp-theme-light="false"] .mg-cell input:focus-visible + .mg-value {{
  outline-color: rgb(95, 158, 209); }}
.mg-blocks {{ display: grid; gap: 6px 18px; width: max-content; }}
.mg-blocks .mg-jac {{ border-left: 2px solid var(--mg-ink); border-right: 2px solid var(--mg-ink);
  border-radius: 6px; }}
.mg-panel .mg-matrix.mg-rows td {{ min-width: 26px; padding: 1px 4px; }}
.mg-code {{ font: 15px/1.45 var(--jp-code-font-family, monospace); white-space: pre; }}
.mg-code .mg-bug {{ background: rgba(255, 128, 14, 0.25); font-weight: 600; }}
.mg-facts {{ border-collapse: collapse; }}
.mg-panel .mg-facts td, .mg-panel .mg-facts th {{ text-align: left; font-weight: 400;
  padding: 2px 16px 2px 0; font-size: 16px; color: var(--mg-ink); vertical-align: top; }}
.mg-panel .mg-facts th {{ font-weight: 600; }}
"""


class JacobianPicture(View):
    """See J, and how v from its left makes x.grad while u from its top makes J\u00b7u.

    Arguments as in `minigrad.classroom.models.jacobian.JacobianPicture`, which is `.model`; its
    actions and values can be used on the widget too: `picture.set_upstream([1, 0])`.
    """

    def __init__(self, what="A @ x", x=None, v=None, u=None, **options):
        model = what if isinstance(what, JacobianModel) else JacobianModel(what, x, v, u, **options)
        self._listed = None  # what the drop-downs list: example and shapes
        self._make_drawings()
        self._make_controls(model)
        self._group = f"mg-cells-{id(self)}"  # radio buttons of one picture belong together
        super().__init__(model, self._layout(model))

    def _make_drawings(self):
        self._title = controls.html_area()
        self._picture, self._v_heading, self._u_heading = (
            controls.html_area(margin="0") for _ in range(3)
        )
        self._refusal, self._facts, self._tried = (controls.html_area() for _ in range(3))
        self._loop, self._collected = controls.html_area(), controls.html_area()
        self._memory = controls.html_area()

    def _make_controls(self, model):
        self._example = controls.dropdown("example", model.listed(), self.acting(model.load))
        self._x = controls.text_field(
            "x =", "the whole input, as a list", self.acting(model.set_input), width="21em"
        )
        self._v = controls.text_field(
            "v =", "the whole upstream gradient, as a list", self.acting(model.set_upstream),
            width="21em",
        )
        self._u = controls.text_field(
            "u =", "the whole direction of the input, as a list", self.acting(model.set_direction),
            width="21em",
        )
        self._v_grid = controls.NumberGrid(
            "upstream gradient", self.acting(model.set_upstream_entry)
        )
        self._u_grid = controls.NumberGrid("direction", self.acting(model.set_direction_entry))
        self._mode = controls.Choices("the way to look", _MODES, self.acting(model.look))
        self._stop = controls.Choices("stop", _STOPS["backward"], self.acting(model.go_to))
        self._fold = controls.button(
            "unfold",
            "Show J as a matrix, or in its full shape",
            lambda: self.act(model.fold, not model.folded),
        )
        self._row = controls.dropdown(
            "explain row",
            [("", "")],
            lambda index: self.act(model.select, index, model.selected[1]),
        )
        self._column = controls.dropdown(
            "column", [("", "")], lambda index: self.act(model.select, model.selected[0], index)
        )
        self._tries = [
            controls.button(
                f"try {name}",
                f"Try the product {name}",
                self.acting(model.try_product, name),
            )
            for name in ("J\u00b7v", "u\u00b7J")
        ]
        self._bug = controls.dropdown(
            "bug",
            [(f"{name}: {what}" if name != "none" else what, name) for name, what in BUGS.items()],
            self.acting(model.choose_bug),
        )
        self._next = controls.button(
            "next one-hot",
            "Run backward with the next one-hot v",
            self.acting(model.collect_next),
        )
        self._all = controls.button(
            "collect all",
            "Run the rest of the one-hots, one after another",
            self.acting(model.collect_all),
        )

    def _layout(self, model):
        """Fields and switches; v | u over the picture | results; collecting | memory."""
        head = controls.row([self._title, self._example], gap="4px 26px")
        fields = controls.row([self._x, self._v, self._u, self._fold], gap="4px 20px")
        switches = controls.row([self._mode.box, self._stop.box], gap="4px 22px")
        for grid in (self._v_grid, self._u_grid):
            looks.change(grid.box, grid_auto_rows=f"{ROW}px", align_items="center")
        self._left = controls.column([self._v_heading, self._v_grid.box])
        self._top = controls.column([self._u_heading, self._u_grid.box])
        choose = controls.row([self._row, self._column], gap="4px 14px")
        picture = controls.column([self._top, self._picture, choose])
        tries = controls.row(self._tries, gap="4px")
        results = controls.column([self._facts, tries, self._tried], flex="1 1 360px")
        stage = controls.row([self._left, picture, results], gap="4px 10px", align="flex-start")
        collect = controls.column(
            [
                _heading("Collect J, row by row"),
                controls.row([self._bug, self._next, self._all], gap="4px 8px"),
                self._columns([self._loop, self._collected]),
            ]
        )
        memory = controls.column([_heading("Bytes that J and v need (float32)"), self._memory])
        below = controls.row([collect, memory], gap="8px 40px", align="flex-start")
        self._cover = Cover(model, [switches, results, collect])
        return [
            theme.style_sheet(_STYLE),
            head,
            fields,
            self._refusal,
            *self._cover.places,
            switches,
            stage,
            below,
        ]

    @staticmethod
    def _columns(children):
        return controls.row(children, gap="4px 26px", align="flex-start")

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        # What the learner waits for is sent first: every value set here is a message of its own.
        model = self.model
        self._picture.value = self._picture_html()
        self._facts.value = self._facts_html() + theme.spoken(model.announcement())
        self._refusal.value = self._refusal_html()
        tried = model.tried
        self._tried.value = "" if tried is None else theme.message("", tried.sentence)
        self._redraw_lists()
        self._redraw_switches()
        self._redraw_vectors()
        self._redraw_collection()
        self._cover.redraw(self)

    def _redraw_lists(self):
        model, preset = self.model, self.model.preset
        self._title.value = theme.title(preset.formula, note=model.told(preset.note))
        self._example.value = preset.name
        listed = (preset.name, model.input_shape, model.output_shape)
        if listed != self._listed:
            self._listed = listed
            self._x.description = f"{preset.input_name} ="
            self._row.options = list(zip(model.row_names(), indices(model.output_shape)))
            self._column.options = list(zip(model.column_names(), indices(model.input_shape)))
        self._row.value, self._column.value = model.selected

    def _redraw_switches(self):
        model = self.model
        self._mode.show(model.mode)
        self._stop.show(model.stop, _STOPS[model.mode])
        looks.show(self._fold, model.foldable)
        sizes = model.full_shape if model.folded else model.folded_shape
        what = "unfold to " if model.folded else "fold to "
        self._fold.description = what + "\u00d7".join(map(str, sizes))

    def _redraw_vectors(self):
        """The boxes of v at the left, or of u on top, and the fields for whole lists."""
        model, backward = self.model, self.model.mode == "backward"
        v, u = np.array(model.upstream), np.array(model.direction)
        for widgets, visible in (
            ((self._left, self._v), backward),
            ((self._top, self._u), not backward),
        ):
            for widget in widgets:
                looks.show(widget, visible)
        self._v_grid.show(v, refused=self.refused_entry("upstream"))
        self._u_grid.show(u, refused=self.refused_entry("direction"))
        for place, field, values in (
            ("input", self._x, np.array(model.input)),
            ("upstream", self._v, v),
            ("direction", self._u, u),
        ):
            if model.refused_at != place:
                controls.set_list(field, values)
        looks.change(self._v_heading, height="34px" if model.folded else "auto")
        self._v_heading.value = theme.heading("v", "" if model.folded else shape(v.shape))
        self._u_heading.value = theme.heading("u", "" if model.folded else shape(u.shape))
        wide = {self._v_grid: 84, self._u_grid: self._cell_width()}  # of a box
        if model.folded:
            looks.change(self._v_grid.box, grid_template_columns="max-content")
            columns = f"repeat({u.size}, {wide[self._u_grid]}px)"
            margin = f"0 0 0 {self._head_width()}px"
            looks.change(self._u_grid.box, grid_template_columns=columns, margin=margin)
        else:
            for grid, values in ((self._v_grid, v), (self._u_grid, u)):
                columns = values.shape[-1] if values.shape else 1
                columns = f"repeat({columns}, max-content)"
                wide[grid] = 68 if values.shape[-1:] > (1,) else 84
                looks.change(grid.box, grid_template_columns=columns, margin="0")
        for grid, width in wide.items():
            width = f"{width - 4}px"
            fixed = model.folded and grid is self._u_grid  # each over its column
            for box in grid.boxes.values():
                looks.change(box, width=width, min_width=width, max_width=width if fixed else None)

    def _redraw_collection(self):
        model, collection = self.model, self.model.collection
        self._bug.value = collection.bug
        lines = [
            f'<span class="mg-bug">{theme.escape(line)}  \u2190 the bug</span>'
            if bug
            else theme.escape(line)
            for line, bug in collection.code()
        ]
        self._loop.value = f'<div class="mg-code">{"<br>".join(lines)}</div>'
        equal, verdict = collection.verdict()
        sign = {True: "=", False: "\u2260", None: ""}[equal]
        self._collected.value = (
            _plain_table(collection.matrix(), "rows collected")
            + f'<div class="mg-line" style="max-width: 18em">'
            f"<strong>{sign}</strong> {theme.escape(verdict)}</div>"
        )
        self._memory.value = _facts(
            [("", "J", "v"), *model.memory_lines()], head=True, label="bytes of J and v"
        )

    def _refusal_html(self):
        model = self.model
        if not model.message:
            return ""
        place, entry = model.refused_at, None
        if isinstance(place, tuple):
            place, entry = place
        if place == "example":
            return theme.message("Not used.", model.message)
        name = {"upstream": "v", "direction": "u"}.get(place, model.preset.input_name)
        where = f"At {spoken(entry)}: " if entry else ""
        title = "PyTorch refuses:" if model.refused_by == "engine" else "Not used."
        return theme.message(title, where + model.message, f"{name} stays as it was.")

    def _facts_html(self):
        """Both products with their shapes, and PyTorch's answers."""
        model, answer = self.model, self.model.torch_answer()
        rows = [
            f'<tr><th scope="row" class="mg-formula">{theme.escape(name)}</th>'
            f'<td><span class="mg-formula">{theme.escape(shapes)}</span>'
            f"{theme.quiet(what)}"
            f'<div class="mg-formula mg-line">{theme.escape(value)}</div></td></tr>'
            for name, what, shapes, value in model.pairings()
        ]
        table = f'<table class="mg-facts"><tbody>{"".join(rows)}</tbody></table>'
        lines = [theme.heading("PyTorch", answer.text)]
        for what, theirs, agreed, difference in model.comparison(answer):
            sign = "=" if agreed else "\u2260"
            lines.append(
                f'<div class="mg-line"><span class="mg-formula">{theme.escape(what)} '
                f"<strong>{sign}</strong> {theme.escape(theirs)}</span> "
                f'<span class="mg-quiet">largest difference {theme.escape(difference)}</span></div>'
            )
        return f'{table}<div class="mg-torch">{"".join(lines)}</div>'

    # --- the picture -----------------------------------------------------------------------------

    def _cell_width(self):
        model = self.model
        values = [*np.ravel(model.cells()), *np.ravel(model.input_grad)]
        letters = max(len(number(value, signed=True)) for value in values)
        names = max(map(len, self._column_heads()))
        if not model.folded:
            return round(max(46, letters * _LETTER + 20))
        return round(max(58, letters * _LETTER + 24, names * _LETTER + 8))

    def _head_width(self):
        return round(
            max(map(len, [*self._row_heads(), f"{self.model.preset.input_name}.grad"])) * _LETTER
            + 14
        )

    def _row_heads(self):
        model = self.model
        names = model.row_names()
        if model.stop == 0 or model.mode == "forward":
            return names
        return [
            f"{_factor(weight)}\u00b7{name}"
            for weight, name in zip(np.ravel(model.upstream), names)
        ]

    def _column_heads(self):
        model = self.model
        names = model.column_names()
        if model.stop == 0 or model.mode == "backward":
            return names
        return [
            f"{_factor(step)}\u00b7{name}" for step, name in zip(np.ravel(model.direction), names)
        ]

    def _picture_html(self):
        model = self.model
        body = self._folded_html() if model.folded else self._unfolded_html()
        said = f'<div class="mg-said">{theme.escape(model.sentence())}</div>'
        return (
            f'<div class="mg-jac-stage" role="group" aria-label="The cells of J. The arrow keys go '
            f'from cell to cell.">{body}{said}</div>'
        )

    def _cells_html(self):
        """Every cell of the picture, as HTML, [output][input]."""
        model = self.model
        values = np.array(model.cells())
        finite = np.abs(values[np.isfinite(values)])
        largest = float(finite.max(initial=0.0))
        rows = []
        for i, output in enumerate(indices(model.output_shape)):
            row = []
            for j, entry in enumerate(indices(model.input_shape)):
                chosen = (output, entry) == model.selected
                said = theme.escape(model.sentence(output, entry))
                background = theme.tint(float(values[i, j]), largest)
                row.append(
                    f'<div class="mg-cell{" mg-chosen" if chosen else ""}">'
                    f'<input type="radio" name="{self._group}" aria-label="{said}" {_OWN_ARROWS}'
                    f"{' checked' if chosen else ''}>"
                    f'<span class="mg-value" style="background: {background}">'
                    f"{number(values[i, j], signed=True)}</span>"
                    f'<span class="mg-tip" aria-hidden="true">{said}</span></div>'
                )
            rows.append(row)
        return rows

    def _folded_html(self):
        model = self.model
        total, across = model.total(), model.mode == "forward"
        heads = "".join(
            f'<th scope="col">{theme.escape(name)}</th>' for name in self._column_heads()
        )
        if model.stop == 2 and across:
            heads += '<td></td><th scope="col">J\u00b7u</th>'
        sums = None if total is None else np.ravel(total)
        rows = []
        for i, (name, cells) in enumerate(zip(self._row_heads(), self._cells_html())):
            body = "".join(f"<td>{cell}</td>" for cell in cells)
            if model.stop == 2 and across:
                value = "?" if sums is None else number(sums[i], signed=True)
                body += f'<td aria-hidden="true">\u2192</td><td class="mg-sum">{_sum(value)}</td>'
            rows.append(f'<tr><th scope="row">{theme.escape(name)}</th>{body}</tr>')
        if model.stop == 2 and not across:
            arrows = "<td>\u21e3</td>" * len(sums)
            rows.append(f'<tr class="mg-arrows" aria-hidden="true"><th></th>{arrows}</tr>')
            values = "".join(f"<td>{_sum(number(value, signed=True))}</td>" for value in sums)
            name = f"{theme.escape(model.preset.input_name)}.grad"
            rows.append(f'<tr class="mg-total"><th scope="row">{name}</th>{values}</tr>')
        wide = self._cell_width()
        columns = f'<col style="width: {self._head_width()}px">' + (
            f'<col style="width: {wide}px">' * len(model.column_names())
        )
        label = theme.escape(
            f"J, rows are outputs, columns are inputs, {shape(model.folded_shape)}"
        )
        return (
            f'<table class="mg-jac" aria-label="{label}"><colgroup>{columns}</colgroup><thead><tr>'
            f"<td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        )

    def _unfolded_html(self):
        """One block for each output, laid out as the output is, each in the input's layout."""
        model = self.model
        a = model.preset.input_name
        columns = model.output_shape[-1] if model.output_shape else 1
        blocks = []
        for name, cells in zip(self._row_heads(), self._cells_html()):
            factor, _, output = name.rpartition("\u00b7")
            factor = f"{factor}\u00b7" if factor else ""
            title = theme.escape(f"{factor}\u2202{output}/\u2202{a}")
            blocks.append(
                f'<div><div class="mg-formula">{title}</div>'
                f"{_block(cells, model.input_shape, self._cell_width())}</div>"
            )
        html = (
            f'<div class="mg-blocks" style="grid-template-columns: repeat({columns}, '
            f'max-content)">{"".join(blocks)}</div>'
        )
        if model.stop == 2:
            total = model.total()
            name, arrow = (
                (f"{a}.grad", "\u21e3") if model.mode == "backward" else ("J\u00b7u", "\u2192")
            )
            what = "the blocks added" if model.mode == "backward" else "each block added up"
            table = "?" if total is None else theme.matrix(np.array(total), name)
            html += f'<div class="mg-line">{arrow} {what}</div>{theme.heading(name)}{table}'
        return html

    # --- without a kernel ------------------------------------------------------------------------

    def snapshot(self):
        """A picture of the state, with PyTorch's side from the recorded answers alone."""
        if self.model.covered:
            return self._cover.snapshot()
        model, preset = self.model, self.model.preset
        picture = Picture()
        picture.title(preset.formula)
        bottom = _draw(picture, 30, model, self._row_heads(), self._column_heads())
        lines = [f"{name}  {shapes}  {value}" for name, _, shapes, value in model.pairings()]
        answer = model.stored_answer()
        for what, theirs, agreed, difference in model.comparison(answer):
            sign = "=" if agreed else "\u2260"
            lines.append(
                f"{what} {sign} PyTorch's {theirs}, largest difference {difference}, {answer.text}"
            )
        for line in [model.sentence(), *lines]:
            bottom = picture.paragraph(0, bottom + 4, line, 96)
        return picture.img(model.text(answer)) + "<p>Run this cell to edit v and to scale J.</p>"

    def summary(self):
        model = self.model
        if self.model.covered:
            return self.model.text()
        return (
            f"Jacobian picture, {model.preset.name}: J {shape(model.full_shape)}, "
            f"v = {nested(model.upstream)}, {model.preset.input_name}.grad = "
            f"{nested(model.input_grad)}"
        )


def _heading(text):
    """A heading as a widget."""
    return controls.html_area(f'<div class="mg-heading">{theme.escape(text)}</div>')


def _factor(weight):
    text = number(weight)
    return f"({text})" if text.startswith("-") else text


def _sum(text):
    return f'<div class="mg-cell"><span class="mg-value">{text}</span></div>'


def _block(cells, sizes, wide):
    """The cells of one output, laid out as the input is."""
    columns = sizes[-1] if sizes else 1
    rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    group = f"<colgroup>{f'<col style=width:{wide}px>' * columns}</colgroup>"
    return f'<table class="mg-jac">{group}<tbody>{body}</tbody></table>'


def _plain_table(values, label):
    """Numbers as a small table; None is a place still empty."""
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{_EMPTY if value is None else number(value)}</td>" for value in row)
        + "</tr>"
        for row in values
    )
    label = theme.escape(label)
    return (
        f'<div class="mg-scroll"><table class="mg-matrix mg-rows" aria-label="{label}">'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _facts(rows, head=False, label=""):
    html = ""
    for position, row in enumerate(rows):
        tag = "th" if head and position == 0 else "td"
        html += "<tr>" + "".join(f"<{tag}>{theme.escape(cell)}</{tag}>" for cell in row) + "</tr>"
    return (
        f'<table class="mg-facts" aria-label="{theme.escape(label)}"><tbody>{html}</tbody></table>'
    )


def _draw(picture, top, model, row_heads, column_heads):
    """v, J at its stop, and the product, as an SVG picture. Returns the y below them."""
    cells = np.array(model.cells())
    x = 0
    if model.mode == "backward":
        picture.text(x, top + 14, "v", font="code", bold=True)
        width, _ = picture.matrix(x, top + 24, np.array(model.upstream).reshape(-1, 1))
        x += width + 14
    else:
        picture.text(x, top + 14, f"u = {nested(model.direction)}", font="code", bold=True)
        top += 26
    heads = max(map(len, row_heads)) * 9.6
    for position, name in enumerate(row_heads):
        picture.text(x + heads, top + 24 + 28 * position + 19, name, font="code", anchor="end")
    x += heads + 8
    chosen = (
        indices(model.output_shape).index(model.selected[0]),
        indices(model.input_shape).index(model.selected[1]),
    )
    width, height = picture.matrix(x, top + 24, cells, chosen)
    cell = (width - 12) / len(column_heads)
    for position, name in enumerate(column_heads):
        picture.text(x + 6 + cell * (position + 0.5), top + 14, name, font="code", anchor="middle")
    bottom = top + 24 + height
    if model.total() is not None:
        name = f"{model.preset.input_name}.grad" if model.mode == "backward" else "J\u00b7u"
        picture.text(0, bottom + 26, f"{name} =", font="code", bold=True)
        _, height = picture.matrix(len(name) * 9.6 + 30, bottom + 8, np.array(model.total()))
        bottom += 8 + height
    return bottom + 22
