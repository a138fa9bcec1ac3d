"""The seam cutter on the screen: the slider stands on the cut, what follows under the chain."""

import numpy as np

from ...show.drawing import palette
from ...show.formatting import exact, number
from ...show.typed_numbers import read_number
from ..predict_card.view import Cover
from ..shared import controls, looks, theme
from ..shared.view import View
from .drawing import draw_chain, plan
from .model import SeamCutter

_MISTAKES = {"none": "hand g over", "forget": "forget g", "twice": "count twice"}
_BESIDE = 2  # outputs whose boxes have a place beside the drawing; more stand under it
_SUMS, _LINE = 3, 26  # entries whose sum is written out on either side; a line in pixels


class SeamCutterPanel(View, of=SeamCutter):
    use = "move the cut"
    _plan = None  # where the slider was put

    def build(self, model):
        self._formulas, self._results, self._loop = (
            controls.classed(f"mg-{name}", controls.html_area())
            for name in ("formulas", "seam-parts", "seam-loop")
        )
        self._mistake = controls.Choices(
            "what is handed over at the cut", _MISTAKES, self.acting(model.choose_mistake)
        )
        self._cut = controls.slider("cut after function", 0, 1, 1, self.acting(model.move_cut))
        self._x = controls.ArrayInput(self, "input", "input", None, model.set_input, "x =", "160px")
        v = "upstream gradient"
        one, every = model.set_upstream_entry, model.set_upstream
        self._v = controls.ArrayInput(self, "upstream", v, one, every, width="160px")
        told = "the {} of the loop over time"
        self._weight, self._start = (
            controls.text_field(text, told.format(name), self.acting(action), "120px")
            for text, name, action in (
                ("w =", "weight", model.set_weight),
                ("x0 =", "first state", model.set_start),
            )
        )
        typed = controls.row([self._x.field, self._v.field])
        bench = controls.bench([self._mistake.box, typed], justify_content="space-between")
        slide = controls.classed("mg-cut", controls.column([self._cut]))
        heading = controls.html_area(theme.heading("v", "you change"))
        self._weighs = controls.classed("mg-seam-weighs", controls.column([heading, self._v.grid]))
        stage = controls.grid([slide, self._results, self._weighs])
        self._stage = controls.classed("mg-seam", stage)
        self._told = controls.html_area()  # why a guess was refused, while all else is covered
        self._loop_box = controls.column([self._loop, controls.bench([self._weight, self._start])])
        self._cover = Cover(model, [self._mistake.box, self._stage])
        return [
            self.head(width="370px"),
            self._formulas,
            *self._cover.places,
            bench,
            self._stage,
            self._told,
            self._loop_box,
        ]

    def redraw(self):
        model = self.model
        spot = plan(model)
        shown = {"g": model.seam_gradient, "handed": model.handed, "grad": model.input_grad}
        marks = self.changed("chain", shown)
        under = np.size(model.upstream) > _BESIDE
        narrow = draw_chain(model, plan(model, spot), marks, True)
        told = "" if model.covered else theme.escape(model.mistake_line())
        refusal, spoken = self.refusal(), theme.spoken(model.announcement())
        self._results.value = (  # all that follows, in one message
            f'<div class="mg-seam-wide">{draw_chain(model, spot, marks, under).svg()}</div>'
            f'<div class="mg-seam-narrow">{narrow.svg()}</div>'
            f'<div class="mg-seam-below">{self._sums_html()}{self._result_html()}'
            f'<div class="mg-seam-told">{refusal or told}</div>'
            f"{'' if model.covered else spoken}</div>"
        )
        self._told.value = refusal + spoken if model.covered else ""
        self._redraw_cut(spot)
        self._mistake.show(model.mistake)
        self._redraw_boxes()
        self._redraw_loop()
        self._title.value = theme.title(model.formula)
        formulas = ";\u2003".join(f"{link.name}: {link.formula}" for link in model.links)
        self._formulas.value = theme.quiet(f"{formulas}.\u2003{model.told(model.example.note)}")

    def _redraw_cut(self, spot):
        """The slider: as wide as the chain, its stops on the lines of the drawing."""
        if self._plan != (spot.width, spot.edge):
            self._plan = spot.width, spot.edge
            edge, wide = 100 * spot.edge / spot.width, 100 - 200 * spot.edge / spot.width
            looks.change(self._cut, margin=f"0 0 0 {edge:.3f}%", width=f"{wide:.3f}%")
            column = f"minmax(0, min({spot.width:g}px, 100%))"
            looks.change(self._stage, grid_template_columns=column)
        self._cut.max = len(self.model.links)
        controls.set_slider(self._cut, self.model.cut)

    def _sums_html(self):
        model = self.model
        sides = (("left", model.cut > 0), ("right", model.cut < len(model.links)))
        sizes = [np.size(value) for value in model.values[:-1]]  # what is cut, or the input
        lines = min(max(sizes), _SUMS) + (max(sizes) > _SUMS)
        halves = ""
        for side, there in sides:
            sums = model.sums(side) if there else []
            largest = max((abs(float(value)) for _, _, value in sums), default=0)
            told = "".join(
                f"<div>{name} = {theme.minus(terms)} = {theme.chip(value, largest)}</div>"
                for name, terms, value in sums[:_SUMS]
            )
            more = f"<div>\u2026 and {len(sums) - _SUMS} more</div>" if sums[_SUMS:] else ""
            halves += f"<div>{told}{more}</div>"
        return f'<div class="mg-seam-sums" style="min-height: {_LINE * lines}px">{halves}</div>'

    def _result_html(self):
        model, answer = self.model, self.model.torch_answer()
        chance = " by chance" if model.same and model.mistake != "none" else ""
        parts = [
            theme.code(f"{model.names[0]}.grad"),
            f"in two halves {_chips(model.input_grad)}",
            f"<b>{theme.equal(model.same)}</b>{chance}",
            f"uncut {_chips(model.uncut_grad)}",
        ]
        if answer.found is None:
            parts.append(theme.escape(answer.text))
        else:  # its numbers are worth their place only where they are others
            theirs = _chips(model.input_grad_in(answer.found))
            told = "also" if model.agrees(answer) else f"<b>{theme.equal(False)}</b> {theirs}"
            parts.append(f'\u00b7 {told} <span class="mg-quiet">{answer.label()}</span>')
        return f'<div class="mg-result">{"".join(f"<span>{part}</span>" for part in parts)}</div>'

    def _redraw_boxes(self):
        model, v = self.model, np.array(self.model.upstream)
        looks.show(self._weighs, v.size <= controls.MAX_BOXES)
        looks.mark(self._weighs, "mg-under", v.size > _BESIDE)
        self._v.show(v)
        self._x.show(model.input)

    def _redraw_loop(self):
        model = self.model
        shown = model.mistake == "twice" and not model.covered
        looks.show(self._loop_box, shown)
        if not shown:
            return
        fields = {"weight": self._weight, "start": self._start}
        for (place, field), value in zip(fields.items(), model.loop_numbers):
            if model.refused_at != place:
                controls.set_text(field, value, read_number, exact)
        grads, answer = model.loop_grads, model.loop_answer()
        torch = ""
        if answer.found is not None:
            right, twice = (number(answer.found[name]) for name in ("right", "twice"))
            torch = f" PyTorch: {right} and {twice} ({answer.text})."
        head = ("window", "cleared: handed back", "w.grad", "not cleared: handed back", "w.grad")
        rows = [[theme.escape(cell) for cell in row] for row in model.loop_rows()]
        self._loop.value = (
            '<div class="mg-rule"></div><div class="mg-heading">The same mistake in a loop over '
            "time</div>"
            + theme.quiet(
                "h = w\u00b7h, cut at every step; from each new h backward goes through all steps, "
                "seam by seam. Are the seams' .grad cleared before?"
            )
            + theme.table(rows, head, "truncated backpropagation through time")
            + f'<div class="mg-line">w.grad at last: right {grads["right"]:.4f}, '
            f"counted twice {grads['twice']:.4f}.{theme.escape(torch)}</div>"
        )

    def picture(self):
        """The cut chain with v."""
        return None if self.model.covered else draw_chain(self.model, plan(self.model), with_v=True)


def _chips(values):
    values = np.array(values)
    largest = palette.largest_of(values)
    shown = [theme.chip(value, largest) for value in values.ravel()[:6]]
    return " ".join(shown) + (" \u2026" if values.size > 6 else "")
