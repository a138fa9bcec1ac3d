"""The nudge meter on the screen: the curve with its secants, and beside it how wrong they are.

eps has one slider, as wide as the plot of the errors above it, its handle on the line of eps.
"""

from ...show.formatting import MINUS, number
from ...show.html import table, td, th, tr
from ...show.typed_numbers import read_number
from ..predict_card.view import Cover
from ..shared import controls, looks, theme
from ..shared.view import View
from .drawing import curve_svg, drawing, errors_svg
from .model import DTYPES, HIGHEST, KINDS, LOWEST, PER_DECADE, NudgeMeter, digits, error_text

_ZOOM = {False: "whole", True: "zoom to eps"}
_MARKS = {"forward": "\u25cf", "central": "\u25a0"}


class NudgeMeterPanel(View, of=NudgeMeter):
    use = "move eps"

    def build(self, model):
        self._message, self._curve, self._slopes = (controls.html_area() for _ in range(3))
        self._note, self._errors, self._lines, self._so, self._best = (
            controls.classed(f"mg-{name}", controls.html_area())
            for name in ("given", "errors", "lines", "so", "best")
        )
        point, far = "the point, one number", "how far to nudge, one number"
        self._x = controls.text_field("x =", point, self.acting(model.set_x), "140px")
        self._slide_x = controls.slider("slide x", -3.0, 3.0, 0.05, self.acting(model.set_x))
        looks.change(self._slide_x, width="96px")
        self._zoom = controls.Choices("what the picture shows", _ZOOM, self.acting(model.zoom))
        self._eps = controls.text_field("eps =", far, self.acting(model.set_eps), "190px")
        slid = self.acting(model.set_power)
        self._power = controls.slider(
            "slide eps, a power of ten", LOWEST, HIGHEST, 1 / PER_DECADE, slid
        )
        self._steps = [
            controls.button(text, name, self.acting(model.step_power, by))
            for by, text, name in ((-1, "\u25c0", "Nudge less"), (1, "\u25b6", "Nudge more"))
        ]
        x = controls.row([self._x, self._slide_x], wrap=False)
        title = controls.html_area("<strong>the slope</strong>")
        about = controls.row([title, self._zoom.box], gap="16px", margin="0 0 4px")
        wrong = controls.html_area(
            '<div class="mg-line" style="line-height: 36px"><strong>how wrong it is</strong> '
            '<span class="mg-quiet">error against eps, log scales</span></div>'
        )
        slide = controls.column([controls.html_area("eps"), self._power])
        bench = controls.bench([self._eps, *self._steps])
        left = controls.column([about, self._curve, self._lines, bench, self._so])
        right = controls.column(
            [wrong, self._errors, controls.classed("mg-eps", slide), self._slopes]
        )
        stage = controls.classed("mg-meter", controls.grid([left, right]))
        self._cover = Cover(model, [x, stage, self._best])
        head = controls.classed("mg-meter-head", self.head(x, width="230px"))
        return [head, self._note, *self._cover.places, self._message, stage, self._best]

    def redraw(self):
        model, example = self.model, self.model.example
        self._errors.value, self._curve.value = errors_svg(model), curve_svg(model)
        self._slopes.value = self._slopes_html() + theme.spoken(model.announcement())
        self._lines.value = self._lines_html()
        refusal = self.refusal()
        self._so.value = refusal or f'<div class="mg-line">{theme.escape(model.verdict())}</div>'
        self._message.value = refusal if refusal and model.covered else ""
        best = (theme.quiet(line.replace("-", MINUS)) for line in model.best_lines())
        self._best.value = "".join(best)
        self._redraw_controls()
        self._title.value = theme.title(example.formula)
        self._note.value = theme.quiet(model.told(example.note))

    def _redraw_controls(self):
        model = self.model
        controls.set_slider(self._power, model.power)
        less, more = self._steps
        less.disabled, more.disabled = model.power <= LOWEST, model.power >= HIGHEST
        for field, value, place in ((self._eps, model.eps, "eps"), (self._x, model.x, "x")):
            looks.mark(field, "mg-wrong", model.refused_at == place)
            if model.refused_at != place:
                controls.set_text(field, value, read_number, digits)
        self._x.description = f"{model.example.input_name} ="
        if abs(model.x) > -self._slide_x.low:
            self._slide_x.low, self._slide_x.unit = -2 * abs(model.x), abs(model.x) / 30
        controls.set_slider(self._slide_x, model.x)
        self._zoom.show(model.zoomed)

    def _slopes_html(self):
        estimates = {
            (kind, dtype): self.model.estimates[dtype][kind] for kind in KINDS for dtype in DTYPES
        }
        changed = self.changed("slopes", {key: one.value for key, one in estimates.items()})
        rows = []
        for (kind, dtype), (value, error) in estimates.items():
            first = dtype == DTYPES[0]
            head = [th(f"{_MARKS[kind]} {kind}", "rowgroup", rowspan=2)] if first else []
            marks = "mg-changed" if (kind, dtype) in changed else ""
            cells = [
                td(dtype, class_="mg-quiet"),
                td(theme.chip(value, text=number(value, True, 7), marks=marks)),
                td(error_text(error).replace("-", MINUS), class_="mg-code"),
            ]
            rows.append(tr([*head, *cells], class_=f"mg-{kind}{' mg-first' if first else ''}"))
        head = map(th, ("", "", "slope", "error"))
        return table(rows, head, class_="mg-slopes", aria_label="slopes of the secants")

    def _lines_html(self):
        model, value = self.model, self.model.derivative
        name, _, working = model.working_line().replace("-", MINUS).partition(" = ")
        line = model.derivative_line().rpartition(" = ")[0]
        chip = theme.chip(value, marks="mg-changed" if self.changed("grad", {"": value}) else "")
        answer = model.torch_answer()
        torch = theme.escape(answer.text)
        if answer.found is not None:
            theirs = number(answer.found["float64"], digits=7, minus=True)
            torch = theme.verdict(model.agrees(answer), f"PyTorch {theirs}, {answer.text}")
        return (
            f'<div class="mg-line mg-code"><strong>{name}</strong> = {working}</div>'
            f'<div class="mg-line">backward: {theme.code(line)} = {chip}</div>'
            f'<div class="mg-torch mg-quiet">{torch}</div>'
        )

    def picture(self):
        """Both plots with the numbers below; None, so the text, while they are covered."""
        return None if self.model.covered else drawing(self.model)
