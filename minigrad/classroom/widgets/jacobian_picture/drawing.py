"""J as a table: its names, its cells and, at the last stop, the product under or beside it.

A cell is a radio button under its number: Tab reaches the picture, the arrow keys go from cell to
cell, and the cell under focus or pointer says its own sentence, without a message to the kernel.
"""

import numpy as np

from ...formatting import MINUS, indices, number, shape
from ..shared import svg, theme

_SIZES = {48: (4, 5), 64: (6, 7), 80: (7, 9)}  # width: letters of 16 px, of 14 px
_LETTER = 9.64  # width of a letter of a name, of 16 px


class Picture:
    """How the picture of a model is laid out now, and its HTML.

    tight: many cells stand in rows of 32 px, without the way to their numbers; else of 52 px.
    """

    def __init__(self, model):
        self.model = model
        rows, columns = model.folded_shape
        self.tight = rows > 4 or columns > 3 or not model.folded
        self.row_height = 32 if self.tight else 52
        self.cells = model.cells()
        # By J alone: what is scaled has the same width, and fewer digits where it needs them.
        letters = max(len(number(value, signed=True)) for value in np.ravel(model.jacobian))
        fitting = [width for width, (large, _) in _SIZES.items() if letters < large]
        self.cell_width = fitting[0] if self.tight and fitting else 80
        goal = f"{model.example.input_name}.grad"
        names = max(map(len, model.row_names())) * _LETTER * (14 / 16 if self.tight else 1)
        corner = (2 + len(shape(model.folded_shape)) * 14 / 16) * _LETTER
        self.names_width = round(max(names + 24, corner + 8, len(goal) * _LETTER + 10))

    def html(self, group, changed=()):
        """The picture. group: what its radio buttons are called; changed: keys of `entries`."""
        self._group, self._changed = group, changed
        body = self._matrix() if self.model.folded else self._blocks()
        return (f'<div role="group" aria-label="The cells of J. The arrow keys go from cell to '
                f'cell.">{body}</div>')

    def entries(self):
        """{key: number} of all that is shown, so that what changed can be told."""
        found = dict(np.ndenumerate(self.cells))
        if self.model.total() is not None:
            found.update(enumerate(np.ravel(self.model.total())))
        return found

    # --- a matrix --------------------------------------------------------------------------------

    def _matrix(self):
        model = self.model
        backward, names = model.mode == "backward", model.column_names()
        heads = "".join(f'<th scope="col">{theme.escape(name)}</th>' for name in names)
        rows, total = [], self._totals()
        # The product's place is kept at the stops before.
        unseen = "" if model.stop == 2 else " mg-unseen"
        if not backward:
            heads += f'<td></td><th scope="col" class="mg-goal{unseen}">J\u00b7u</th>'
        times = "\u00d7" if backward and model.stop else ""
        for i, (name, cells) in enumerate(zip(model.row_names(), self._cells_html())):
            body = "".join(cells)
            if not backward:
                body += f'<td class="mg-to{unseen}" aria-hidden="true">\u2192</td>{total[i]}'
            rows.append(f'<tr><th scope="row"><span>{times}</span>{theme.escape(name)}</th>'
                        f"{body}</tr>")
        if backward:
            arrow = f'<td aria-hidden="true">{_down()}</td>'
            sizes = shape(model.input_shape)
            rows.append(f'<tr class="mg-down{unseen}"><th></th>{arrow * len(names)}</tr>')
            rows.append(f'<tr class="mg-total{unseen}"><th scope="row" title="follows, {sizes}">'
                        f"<b>{theme.escape(model.goal)}</b></th>{''.join(total)}</tr>")
        columns = f'<col style="width: {self.names_width}px">' + (
            f'<col class="mg-cells" style="width: {self.cell_width}px">' * len(names))
        label = f"J, rows are outputs, columns are inputs, {shape(model.folded_shape)}"
        return (f'<div class="mg-scroll"><table class="mg-jac{" mg-tight" * self.tight}" '
                f'aria-label="{label}"><colgroup>{columns}</colgroup><thead><tr>'
                f'<th class="mg-corner">J <span class="mg-quiet">{shape(model.folded_shape)}</span>'
                f"</th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>")

    def _totals(self):
        """The product's cells, empty at the stops before."""
        model, total = self.model, self.model.total()
        if total is None:
            text = "?" if model.stop == 2 else ""
            count = model.folded_shape[model.mode == "backward"]
            return [f'<td class="mg-sum{" mg-unseen" * (model.stop < 2)}">{text}</td>'] * count
        values = np.ravel(total)
        largest = theme.largest_of(values)
        return [f'<td class="mg-sum {self._classes(k, value, largest)}">{self._value(value)}</td>'
                for k, value in enumerate(values)]

    # --- in the full shape -----------------------------------------------------------------------

    def _blocks(self):
        """One block for each output, laid out as the output is, each in the input's layout."""
        model, a = self.model, self.model.example.input_name
        across = model.output_shape[-1] if model.output_shape else 1
        weights = np.broadcast_to(model.weights(), model.folded_shape)[:, 0]
        scaled = model.stop and model.mode == "backward"
        blocks = []
        for name, weight, cells in zip(model.row_names(), weights, self._cells_html()):
            factor = f"{_bracketed(weight)}\u00b7" if scaled else ""
            title = theme.escape(f"{factor}\u2202{name}/\u2202{a}")
            blocks.append(f'<div><div class="mg-code">{title}</div>{self._block(cells)}</div>')
        html = (f'<div class="mg-scroll"><div class="mg-blocks" style="grid-template-columns: '
                f'repeat({across}, max-content)">{"".join(blocks)}</div></div>')
        if model.stop == 2:
            what = "each block added up"
            if model.mode == "backward":
                what = "the blocks added"
            total = model.total()
            html += theme.heading(model.goal, what) + (
                "?" if total is None else theme.matrix(np.array(total), model.goal))
        return html

    def _block(self, cells):
        sizes = self.model.input_shape
        columns = sizes[-1] if sizes else 1
        rows = ["".join(cells[k : k + columns]) for k in range(0, len(cells), columns)]
        group = f'<col style="width: {self.cell_width}px">' * columns
        return (f'<table class="mg-jac mg-tight mg-block"><colgroup>{group}</colgroup><tbody>'
                f"{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>")

    # --- a cell ----------------------------------------------------------------------------------

    def _cells_html(self):
        """Every cell as HTML, [output][input]."""
        model, largest = self.model, theme.largest_of(self.cells)
        jacobian, weights = np.array(model.jacobian), model.weights()
        weights = np.broadcast_to(weights, model.folded_shape)
        rows = []
        for i, output in enumerate(indices(model.output_shape)):
            row = []
            for j, entry in enumerate(indices(model.input_shape)):
                chosen = (output, entry) == model.selected
                said = theme.escape(model.sentence(output, entry)).replace("-", MINUS)
                how = ""
                if model.stop and not self.tight:
                    how = f"{number(weights[i, j], minus=True)}\u00b7{_bracketed(jacobian[i, j])}"
                    # A longer one would widen its column; the sentence tells it.
                    how = f'<span class="mg-how">{how}</span>' if len(how) < 10 else ""
                value = self.cells[i, j]
                row.append(
                    f'<td class="{self._classes((i, j), value, largest)}'
                    f'{" mg-chosen" * chosen}"><label class="mg-jac-cell"><input type="radio" '
                    f'name="{self._group}" aria-label="{said}"{" checked" * chosen}>'
                    f'<span class="mg-number">{how}{self._value(value)}</span>'
                    f'<span class="mg-tip" aria-hidden="true">{said}</span></label></td>'
                )
            rows.append(row)
        return rows

    def _classes(self, key, value, largest):
        return f"{theme.sign_class(value, largest)}{' mg-changed' * (key in self._changed)}"

    def _value(self, value):
        """A number as large as its cell allows, with fewer digits where it has to be."""
        large, small = _SIZES[self.cell_width]
        texts = [number(value, signed=True, digits=digits) for digits in (5, 4, 3, 2, 1)]
        text = next((text for text in texts if len(text) <= small), texts[-1])
        kind = "mg-value" if len(text) <= large else "mg-value mg-jac-small"
        return f'<span class="{kind}" title="{number(value, signed=True)}">{text}</span>'


def _bracketed(value):
    text = number(value, minus=True)
    return f"({text})" if value < 0 else text


def _down():
    drawing = svg.Drawing(16, 20, "added")
    drawing.line([(8, 0), (8, 19)], "ink", 2, "5 3", arrow=True)
    return drawing.svg()
