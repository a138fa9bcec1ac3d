"""The nudge meter on the screen: curve, secants and tangent, and the error against eps."""

from ..models.nudge import HIGHEST, LOWEST, STEP, digits
from ..models.nudge import NudgeMeter as NudgeModel
from ..typed_numbers import read_number
from . import controls, theme
from .base import View
from .drawing import INK, LINE, Picture
from .nudge_drawing import draw_curve, draw_errors
from .predict import Cover

_ZOOM = {False: "whole curve", True: "zoom to eps"}
_STYLE = """
.mg-readout { border-collapse: collapse; }
.mg-panel .mg-readout td, .mg-panel .mg-readout th { text-align: left; padding: 2px 20px 2px 0;
  font-size: 16px; color: var(--mg-ink); }
.mg-panel .mg-readout td { font-family: var(--jp-code-font-family, monospace); min-width: 84px; }
"""


class NudgeMeter(View):
    """Nudge one number by eps, and compare the secants' slopes with what backward says.

    Arguments as in `minigrad.classroom.models.nudge.NudgeMeter`, which is `.model`; its actions and
    values can be used on the widget too: `meter.set_eps(1e-5)`.
    """

    def __init__(self, what="S3-3", x=None, eps=0.1, **options):
        model = what if isinstance(what, NudgeModel) else NudgeModel(what, x, eps, **options)
        self._title, self._refusal, self._readout = (controls.html_area() for _ in range(3))
        self._pictures = controls.html_area()
        self._make_controls(model)
        super().__init__(model, self._layout(model))

    def _make_controls(self, model):
        self._example = controls.dropdown("curve", model.listed(), self.acting(model.load))
        self._power = controls.Stepper(
            "eps = 10 to the power", LOWEST, HIGHEST, STEP, self.acting(model.set_power),
            self.acting(model.step_power), "Nudge less", "Nudge more",
        )
        self._eps = controls.text_field(
            "eps =", "how far to nudge, one number", self.acting(model.set_eps), width="12em"
        )
        self._x = controls.text_field("x =", "the point, one number", self.acting(model.set_x),
                                      width="12em")
        self._zoom = controls.Choices("what the picture shows", _ZOOM, self.acting(model.zoom))

    def _layout(self, model):
        head = controls.row([self._title, self._example], gap="4px 26px")
        moves = controls.row([self._power.box, self._eps, self._x, self._zoom.box], gap="4px 22px")
        self._cover = Cover(model, [moves, self._pictures, self._readout])
        return [theme.style_sheet(_STYLE), head, *self._cover.places, moves, self._refusal,
                self._pictures, self._readout]

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        # What the learner waits for is sent first: every value set here is a message of its own.
        model, curve = self.model, self.model.curve
        self._pictures.value = self._pictures_html()
        self._readout.value = self._readout_html() + theme.spoken(model.announcement())
        self._refusal.value = (
            theme.message("Not used.", model.message, "Everything else stays as it was.")
            if model.message else ""
        )
        self._power.show(min(max(model.power, LOWEST), HIGHEST))
        if model.refused_at != "eps":
            controls.set_text(self._eps, model.eps, read_number, digits)
        self._x.description = f"{curve.input_name} ="
        if model.refused_at != "x":
            controls.set_text(self._x, model.x, read_number, digits)
        self._zoom.show(model.zoomed)
        self._example.value = curve.name
        at = f" at {curve.input_name} = {digits(model.x)}"
        self._title.value = theme.title(curve.formula, at, model.told(curve.note))
        self._cover.redraw(self)

    def _pictures_html(self):
        """The curve and the errors side by side."""
        curve = self._svg(draw_curve, self._curve_in_words())
        best = " ".join(self.model.best_lines())
        errors = self._svg(draw_errors, f"error against eps. {best}")
        return f'<div class="mg-columns"><div>{curve}</div><div>{errors}</div></div>'

    def _svg(self, draw, label):
        picture = Picture()
        draw(picture, 0, 0, self.model, "var(--mg-ink)", "var(--mg-line)")
        width, height = round(picture.width), round(picture.height)
        return (
            f'<svg role="img" aria-label="{theme.escape(label)}" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            f'style="max-width: 100%; height: auto">{"".join(picture.parts)}</svg>'
        )

    def _curve_in_words(self):
        model, found = self.model, self.model.estimates()["float64"]
        return (
            f"{model.curve.formula} around {model.curve.input_name} = {digits(model.x)}: tangent "
            f"of slope {digits(model.derivative)}, forward secant of slope "
            f"{digits(found['forward'].value)}, central secant of slope "
            f"{digits(found['central'].value)}"
        )

    def _readout_html(self):
        model = self.model
        head, *rows = model.readout_rows()
        heads = "<td></td>" + "".join(f'<th scope="col">{name}</th>' for name in head[1:])
        body = "".join(
            f'<tr class="mg-{row[0]}"><th scope="row">{row[0]}</th>'
            + "".join(f"<td>{theme.escape(text)}</td>" for text in row[1:]) + "</tr>"
            for row in rows
        )
        answer = model.torch_answer()
        torch = theme.escape(model.torch_text(answer))
        source = f" ({answer.text})" if answer.source == "live" else ""
        best = "".join(map(theme.quiet, model.best_lines()))
        return (
            '<div class="mg-columns"><div>'
            f'<table class="mg-readout" aria-label="slopes of the secants"><thead><tr>{heads}'
            f"</tr></thead><tbody>{body}</tbody></table></div><div>"
            f'<div class="mg-line"><strong>backward</strong> <span class="mg-formula mg-minigrad">'
            f"{theme.escape(model.derivative_line())}</span> by minigrad</div>"
            f'<div class="mg-line"><strong>PyTorch</strong> <span class="mg-formula mg-torch">'
            f"{torch}</span>{theme.escape(source)}</div>"
            f'<div class="mg-line"><strong>secant</strong> <span class="mg-formula">'
            f"{theme.escape(model.working_line())}</span></div></div></div>"
            f'<div class="mg-line">{theme.escape(model.verdict())}</div>{best}'
        )

    # --- without a kernel ------------------------------------------------------------------------

    def snapshot(self):
        """Both pictures and the readouts as one picture, PyTorch's side from the record alone."""
        if self.model.covered:
            return self._cover.snapshot()
        model, picture = self.model, Picture()
        draw_curve(picture, 0, 0, model, INK, LINE)
        draw_errors(picture, picture.width + 10, 0, model, INK, LINE)
        bottom, text = picture.height + 20, model.text(model.stored_answer())
        for line in text.split("\n"):
            picture.text(0, bottom, line, font="code")
            bottom += 23
        return picture.img(text) + "<p>Run this cell to move eps.</p>"

    def summary(self):
        if self.model.covered:
            return self.model.text()
        model, found = self.model, self.model.estimates()["float64"]
        return (
            f"Nudge meter, {model.curve.name}: eps = {digits(model.eps)}, forward "
            f"{digits(found['forward'].value)}, central {digits(found['central'].value)}, "
            f"{model.derivative_line()}"
        )
