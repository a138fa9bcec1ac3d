"""J as a table: its names, its cells and, at the last stop, the product under or beside it.

A cell is a radio button under its number: Tab reaches the picture, the arrow keys go from cell to
cell, and the cell under focus or pointer says its own sentence, without a message to the kernel.
"""

import numpy as np

from ...show.drawing import palette, svg
from ...show.formatting import MINUS, fitting, in_brackets, indices, number, shape
from ...show.html import joined, tag
from ..shared import inputs, parts
from ..shared.parts import classes, div, quietly, span

_SIZES = {48: (4, 5), 64: (6, 7), 80: (7, 9)}  # width: letters of 16 px, of 14 px
_LETTER = 9.64  # width of a letter of a name


class Picture:
    """How the picture of a model is laid out now, and its HTML.

    tight: many cells stand in rows of 32 px, without the way to their numbers; else of 52 px.
    """

    def __init__(self, model):
        self.model, self.changed = model, model.changed(_entries)
        self.cells, self.jacobian = model.cells(), np.array(model.jacobian)
        self.weights = np.broadcast_to(model.weights(), self.cells.shape)
        self.largest = palette.largest_of(self.cells)
        rows, columns = model.folded_shape
        self.tight = rows > 4 or columns > 3 or not model.folded
        # By J alone: what is scaled has the same width, and fewer digits where it needs them.
        longest = max(len(number(value, signed=True)) for value in np.ravel(self.jacobian))
        wide_enough = [width for width, (large, _) in _SIZES.items() if longest < large]
        self.cell_width = wide_enough[0] if self.tight and wide_enough else 80
        names = max(map(len, model.row_names()))
        corner = 2.8 + len(shape(model.folded_shape)) * 14 / 16
        goal = len(model.example.input_name) + 6
        self.names_width = round(_LETTER * max(names + 2.5, goal, corner))

    def html(self):
        said = "The cells of J. The arrow keys go from cell to cell."
        body = self._matrix() if self.model.folded else self._blocks()
        return div("mg-cells-of", div("mg-scroll", body), role="group", aria_label=said)

    def _matrix(self):
        """J folded; the product's place is kept at the stops before."""
        model, total = self.model, self._totals()
        backward, columns = model.mode == "backward", model.column_names()
        sizes, unseen = shape(model.folded_shape), classes(unseen=model.stop < 2)
        head = [tag("th", "J ", quietly(sizes), class_="mg-corner")]
        head += [tag("th", name, scope="col") for name in columns]
        if not backward:
            head += [tag("td"), tag("th", model.goal, scope="col", class_=f"mg-goal {unseen}")]
        rows: list = []
        times = tag("span", "\u00d7") if backward and model.stop else tag("span")
        for i, (name, cells) in enumerate(zip(model.row_names(), self._cells_html())):
            rows.append([tag("th", times, name, scope="row"), *cells])
            if not backward:
                arrow = tag("td", "\u2192", class_=f"mg-to {unseen}", aria_hidden="true")
                rows[-1] += [arrow, total[i]]
        if backward:
            down = svg.Drawing(16, 20, "added")
            down.line([(8, 0), (8, 19)], "ink", 2, "5 3", arrow=True)
            arrows = [tag("td", down.svg(), aria_hidden="true")] * len(columns)
            goal = tag("th", tag("b", model.goal), scope="row")
            rows.append(tag("tr", tag("th"), arrows, class_=f"mg-down {unseen}"))
            rows.append(tag("tr", goal, total, class_=f"mg-total {unseen}"))
        cell = tag("col", class_="mg-cells", style=f"width: {self.cell_width}px")
        widths = [tag("col", style=f"width: {self.names_width}px"), *[cell] * len(columns)]
        look = classes("mg-jac", tight=self.tight)
        label = f"J, rows are outputs, columns are inputs, {sizes}"
        return parts.grid(rows, head, widths, class_=look, aria_label=label)

    def _totals(self):
        model, total = self.model, self.model.total()
        if total is None:
            count = model.folded_shape[model.mode == "backward"]
            return [tag("td", "?" if model.stop == 2 else "", class_="mg-sum")] * count
        values = np.ravel(total)
        largest = palette.largest_of(values)
        return [
            tag("td", self._value(value), class_=self._marks("mg-sum", k, value, largest))
            for k, value in enumerate(values)
        ]

    def _blocks(self):
        """One block for each output, laid out as the output is, each in the input's layout."""
        model, sizes = self.model, self.model.input_shape
        across, columns = (shape[-1] if shape else 1 for shape in (model.output_shape, sizes))
        scaled = model.stop and model.mode == "backward"
        widths = [tag("col", style=f"width: {self.cell_width}px")] * columns
        blocks = []
        for name, (weight, *_), cells in zip(model.row_names(), self.weights, self._cells_html()):
            factor = f"{in_brackets(weight, minus=True)}\u00b7" if scaled else ""
            title = f"{factor}\u2202{name}/\u2202{model.example.input_name}"
            rows = [cells[k : k + columns] for k in range(0, len(cells), columns)]
            block = parts.grid(rows, columns=widths, class_="mg-jac mg-tight mg-block")
            blocks.append(tag("div", div("mg-code", title), block))
        layout = f"grid-template-columns: repeat({across}, max-content)"
        html = div("mg-blocks", blocks, style=layout)
        if model.stop < 2:
            return html
        what = "the blocks added" if model.mode == "backward" else "each block added up"
        total = "?" if model.total() is None else parts.matrix(np.array(model.total()), model.goal)
        return joined(html, parts.heading(model.goal, what), total)

    def _cells_html(self):
        entries = list(enumerate(indices(self.model.input_shape)))
        return [
            [self._cell((i, j), output, entry) for j, entry in entries]
            for i, output in enumerate(indices(self.model.output_shape))
        ]

    def _cell(self, place, output, entry):
        """place: of the cell in J folded."""
        model, value = self.model, self.cells[place]
        chosen = (output, entry) == model.selected
        said, how = model.in_words(output, entry).replace("-", MINUS), ""
        if model.stop and not self.tight:
            slope = in_brackets(self.jacobian[place], minus=True)
            how = f"{number(self.weights[place], minus=True)}\u00b7{slope}"
        # A longer one would widen its column; the sentence tells it.
        way = span("mg-how", how) if 0 < len(how) < 10 else None
        button = inputs.radio(f"mg-cells-{id(model)}", chosen, aria_label=said)
        text = span("mg-number", way, self._value(value))
        cell = tag("label", button, text, class_="mg-jac-cell", data_said=said)
        return tag("td", cell, class_=self._marks("", place, value, self.largest, chosen))

    def _marks(self, name, key, value, largest, chosen=False):
        tint = palette.sign_class(value, largest)
        return classes(name, tint, changed=key in self.changed, chosen=chosen)

    def _value(self, value):
        """A number as large as its cell allows, with fewer digits where it has to be."""
        (large, small), whole = _SIZES[self.cell_width], number(value, signed=True)
        text = fitting(value, small)
        kind = "mg-value" if len(text) <= large else "mg-value mg-jac-small"
        return span(kind, text, title=whole)


def _entries(model):
    """{key: number} of all that is shown, so that what changed can be told."""
    total = () if model.total() is None else np.ravel(model.total())
    return {**dict(np.ndenumerate(model.cells())), **dict(enumerate(total))}
