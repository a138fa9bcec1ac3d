"""J as a table: its names, its cells and, at the last stop, the product under or beside it.

A cell is a radio button under its number: Tab reaches the picture, the arrow keys go from cell to
cell, and the cell under focus or pointer says its own sentence, without a message to the kernel.
"""

import numpy as np

from ...drawing import palette, svg
from ...formatting import MINUS, fitting, in_brackets, indices, number, shape
from ..shared import theme

_SIZES = {48: (4, 5), 64: (6, 7), 80: (7, 9)}  # width: letters of 16 px, of 14 px
_LETTER = 9.64  # width of a letter of a name


class Picture:
    """How the picture of a model is laid out now, and its HTML.

    tight: many cells stand in rows of 32 px, without the way to their numbers; else of 52 px.
    group: what its radio buttons are called. changed: keys of `entries` to mark.
    """

    def __init__(self, model):
        self.model, self.cells, self.changed = model, model.cells(), ()
        rows, columns = model.folded_shape
        self.tight = rows > 4 or columns > 3 or not model.folded
        # By J alone: what is scaled has the same width, and fewer digits where it needs them.
        longest = max(len(number(value, signed=True)) for value in np.ravel(model.jacobian))
        fitting = [width for width, (large, _) in _SIZES.items() if longest < large]
        self.cell_width = fitting[0] if self.tight and fitting else 80
        names = max(map(len, model.row_names()))
        corner = 2.8 + len(shape(model.folded_shape)) * 14 / 16
        goal = len(model.example.input_name) + 6
        self.names_width = round(_LETTER * max(names + 2.5, goal, corner))

    def html(self, group, changed=()):
        self.group, self.changed = group, changed
        body = self._matrix() if self.model.folded else self._blocks()
        return (
            f'<div role="group" aria-label="The cells of J. The arrow keys go from cell to '
            f'cell."><div class="mg-scroll">{body}</div></div>'
        )

    def entries(self):
        """{key: number} of all that is shown, so that what changed can be told."""
        found = dict(np.ndenumerate(self.cells))
        if self.model.total() is not None:
            found.update(enumerate(np.ravel(self.model.total())))
        return found

    def _matrix(self):
        """J folded; the product's place is kept at the stops before."""
        model = self.model
        backward, columns = model.mode == "backward", model.column_names()
        sizes = shape(model.folded_shape)
        total, unseen = self._totals(), "" if model.stop == 2 else " mg-unseen"
        heads = "".join(f'<th scope="col">{theme.escape(name)}</th>' for name in columns)
        if not backward:
            heads += f'<td></td><th scope="col" class="mg-goal{unseen}">{model.goal}</th>'
        times, rows = "\u00d7" if backward and model.stop else "", ""
        for i, (name, cells) in enumerate(zip(model.row_names(), self._cells_html())):
            body = "".join(cells)
            if not backward:
                body += f'<td class="mg-to{unseen}" aria-hidden="true">\u2192</td>{total[i]}'
            rows += f'<tr><th scope="row"><span>{times}</span>{theme.escape(name)}</th>{body}</tr>'
        if backward:
            down = svg.Drawing(16, 20, "added")
            down.line([(8, 0), (8, 19)], "ink", 2, "5 3", arrow=True)
            arrows = f'<td aria-hidden="true">{down.svg()}</td>' * len(columns)
            rows += (
                f'<tr class="mg-down{unseen}"><th></th>{arrows}</tr>'
                f'<tr class="mg-total{unseen}"><th scope="row"><b>'
                f"{theme.escape(model.goal)}</b></th>{''.join(total)}</tr>"
            )
        widths = f'<col style="width: {self.names_width}px">' + (
            f'<col class="mg-cells" style="width: {self.cell_width}px">' * len(columns)
        )
        return (
            f'<table class="mg-jac{" mg-tight" * self.tight}" aria-label="J, rows are outputs, '
            f'columns are inputs, {sizes}"><colgroup>{widths}</colgroup><thead><tr>'
            f'<th class="mg-corner">J <span class="mg-quiet">{sizes}</span></th>{heads}'
            f"</tr></thead><tbody>{rows}</tbody></table>"
        )

    def _totals(self):
        model, total = self.model, self.model.total()
        if total is None:
            count = model.folded_shape[model.mode == "backward"]
            return [f'<td class="mg-sum">{"?" * (model.stop == 2)}</td>'] * count
        values = np.ravel(total)
        largest = palette.largest_of(values)
        return [
            f'<td class="mg-sum {self._classes(k, value, largest)}">{self._value(value)}</td>'
            for k, value in enumerate(values)
        ]

    def _blocks(self):
        """One block for each output, laid out as the output is, each in the input's layout."""
        model, sizes = self.model, self.model.input_shape
        across, columns = (shape[-1] if shape else 1 for shape in (model.output_shape, sizes))
        weights = np.broadcast_to(model.weights(), model.folded_shape)[:, 0]
        scaled = model.stop and model.mode == "backward"
        widths, blocks = f'<col style="width: {self.cell_width}px">' * columns, ""
        for name, weight, cells in zip(model.row_names(), weights, self._cells_html()):
            factor = f"{in_brackets(weight, minus=True)}\u00b7" if scaled else ""
            title = theme.escape(f"{factor}\u2202{name}/\u2202{model.example.input_name}")
            rows = "".join(
                f"<tr>{''.join(cells[k : k + columns])}</tr>" for k in range(0, len(cells), columns)
            )
            blocks += (
                f'<div><div class="mg-code">{title}</div>'
                '<table class="mg-jac mg-tight mg-block">'
                f"<colgroup>{widths}</colgroup><tbody>{rows}</tbody></table></div>"
            )
        html = (
            f'<div class="mg-blocks" style="grid-template-columns: '
            f'repeat({across}, max-content)">{blocks}</div>'
        )
        if model.stop == 2:
            backward, total = model.mode == "backward", model.total()
            html += theme.heading(
                model.goal, "the blocks added" if backward else "each block added up"
            )
            html += "?" if total is None else theme.matrix(np.array(total), model.goal)
        return html

    def _cells_html(self):
        inputs = list(enumerate(indices(self.model.input_shape)))
        weights = np.broadcast_to(self.model.weights(), self.model.folded_shape)
        largest = palette.largest_of(self.cells)
        return [
            [self._cell(i, j, output, entry, weights[i, j], largest) for j, entry in inputs]
            for i, output in enumerate(indices(self.model.output_shape))
        ]

    def _cell(self, i, j, output, entry, weight, largest):
        model, value = self.model, self.cells[i, j]
        chosen = (output, entry) == model.selected
        said = theme.escape(model.sentence(output, entry)).replace("-", MINUS)
        how = ""
        if model.stop and not self.tight:
            slope = in_brackets(model.jacobian[i][j], minus=True)
            how = f"{number(weight, minus=True)}\u00b7{slope}"
            # A longer one would widen its column; the sentence tells it.
            how = f'<span class="mg-how">{how}</span>' if len(how) < 10 else ""
        return (
            f'<td class="{self._classes((i, j), value, largest)}{" mg-chosen" * chosen}">'
            f'<label class="mg-jac-cell"><input type="radio" name="{self.group}" '
            f'aria-label="{said}"{" checked" * chosen}><span class="mg-number">{how}'
            f'{self._value(value)}</span><span class="mg-tip" aria-hidden="true">{said}</span>'
            "</label></td>"
        )

    def _classes(self, key, value, largest):
        return f"{palette.sign_class(value, largest)}{' mg-changed' * (key in self.changed)}"

    def _value(self, value):
        """A number as large as its cell allows, with fewer digits where it has to be."""
        (large, small), whole = _SIZES[self.cell_width], number(value, signed=True)
        text = fitting(value, small)
        kind = "mg-value" if len(text) <= large else "mg-value mg-jac-small"
        return f'<span class="{kind}" title="{whole}">{text}</span>'
