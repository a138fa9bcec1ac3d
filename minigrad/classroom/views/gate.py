"""The shape gate on the screen: two pickers, a guess, three answers, and all pairs as a grid."""

from ..formatting import nested, shape
from ..models.gate import NO_ARGUMENT, SHAPES
from ..models.gate import ShapeGate as ShapeGateModel
from . import controls, theme
from .base import View
from .drawing import Picture

YES, NO = "\u2713", "\u2715"
_GREEN = "rgba(0, 158, 115, 0.35)"  # of Okabe and Ito's palette; the mark says it too
_STYLE = f"""
.mg-gate {{ border-collapse: separate; border-spacing: 3px; }}
.mg-panel .mg-gate td, .mg-panel .mg-gate th {{ text-align: center; font-weight: 400;
  font-size: 15px; color: var(--mg-ink); min-width: 62px; height: 30px; border-radius: 3px;
  padding: 0 4px; border: 2px solid transparent; }}
.mg-panel .mg-gate th {{ font-family: var(--jp-code-font-family, monospace); white-space: nowrap; }}
.mg-panel .mg-gate td.mg-yes {{ background: {_GREEN}; font-weight: 700; }}
.mg-panel .mg-gate td.mg-no {{ border: 1px dashed var(--mg-line); }}
.mg-panel .mg-gate td.mg-chosen {{ border: 2px solid var(--mg-ink); }}
.mg-panel .mg-gate tr.mg-apart > * {{ position: relative; top: 8px; }}
.mg-panel .mg-gate {{ margin-bottom: 10px; }}
.mg-answers {{ display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 6px 22px; }}
.mg-answers > div {{ border: 1px solid var(--mg-line); border-radius: 4px; padding: 6px 10px; }}
.mg-verdict {{ font-weight: 600; }}
.mg-program {{ font-family: var(--jp-code-font-family, monospace); white-space: pre-wrap; }}
"""


class ShapeGate(View):
    """Guess which gradient shapes `backward` lets through, and read PyTorch's own words.

    Arguments as in `minigrad.classroom.models.gate.ShapeGate`, which is `.model`.
    """

    def __init__(self, output=(1,), gradient=()):
        model = output if isinstance(output, ShapeGateModel) else ShapeGateModel(output, gradient)
        shapes = [(shape(sizes), sizes) for sizes in SHAPES]
        self._output = controls.dropdown("output's shape", shapes, self.acting(model.choose_output))
        self._gradient = controls.dropdown(
            "gradient's shape",
            [*shapes, ("no argument", NO_ARGUMENT)],
            self.acting(model.choose_gradient),
        )
        self._guesses = {
            "accept": controls.button(
                "it accepts",
                "Guess: backward accepts this gradient",
                self.acting(model.commit, "accept"),
            ),
            "refuse": controls.button(
                "it refuses",
                "Guess: backward refuses this gradient",
                self.acting(model.commit, "refuse"),
            ),
        }
        self._show = controls.button(
            "Show me", "Reveal the answer without a guess", self.acting(model.show)
        )
        self._open = controls.button(
            "show all pairs",
            "Show or hide the grid of all pairs",
            self.acting(model.turn_grid),
        )
        self._program, self._answers = controls.html_area(), controls.html_area()
        self._score, self._grid = controls.html_area(), controls.html_area()
        self._spoken = controls.html_area()
        super().__init__(model, self._layout())

    def _layout(self):
        title = controls.html_area(
            '<div class="mg-title">Which gradient does <span class="mg-formula">'
            "y.backward(gradient)</span> let through?</div>"
        )
        pickers = controls.row([self._output, self._gradient], gap="4px 26px")
        guess = controls.row([*self._guesses.values(), self._show, self._score], gap="4px 8px")
        return [
            theme.style_sheet(_STYLE),
            title,
            pickers,
            self._program,
            guess,
            self._answers,
            controls.row([self._open]),
            self._grid,
            self._spoken,
        ]

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        model = self.model
        self._answers.value = self._answers_html()
        self._grid.value = self._grid_html() if model.grid else ""
        self._output.value, self._gradient.value = model.output, model.gradient
        self._program.value = (
            f'<div class="mg-program">{theme.escape(chr(10).join(model.program))}</div>'
            f'<div class="mg-line"><strong>{theme.escape(model.question())}</strong></div>'
        )
        self._score.value = f'<span class="mg-quiet">{theme.escape(model.score())}</span>'
        self._open.description = "hide all pairs" if model.grid else "show all pairs"
        self._spoken.value = theme.spoken(model.announcement())

    def _answers_html(self):
        model = self.model
        message = theme.message("", model.message) if model.message else ""
        if not model.revealed:
            return message + '<div class="mg-quiet">Guess, and three answers are shown here.</div>'
        theirs, mine, old = model.torch_answer(), model.answer(), model.old_answer()
        verdict = ""
        if model.guess is not None:
            mark, word = (YES, "Right") if model.right else (NO, "Not so")
            verdict = f"<strong>{mark} {word}.</strong> "
        guess = f'<div class="mg-line">{verdict}{theme.escape(model.reason())}</div>'
        torch = ""
        if theirs.found is not None:
            torch = _verdict(theirs.found) + _agreement(model.agrees(theirs))
        columns = [
            _column("mg-minigrad", "minigrad", "this small engine", _verdict(mine)),
            _column("mg-torch", "PyTorch", theirs.text, torch),
            _column(
                "mg-old", "PyTorch before the 2019 check", "its old rule, acted out", _verdict(old)
            ),
        ]
        return f'{message}{guess}<div class="mg-answers">{"".join(columns)}</div>'

    def _grid_html(self):
        model = self.model
        heads = "".join(f'<th scope="col">{theme.escape(shape(sizes))}</th>' for sizes in SHAPES)
        rows = []
        for gradient, accepted in zip((*SHAPES, NO_ARGUMENT), model.table()):
            bare = gradient == NO_ARGUMENT
            name = NO_ARGUMENT if bare else shape(gradient)
            cells = "".join(
                _grid_cell(yes, (output, gradient) == (model.output, model.gradient))
                for output, yes in zip(SHAPES, accepted)
            )
            apart = ' class="mg-apart"' if bare else ""
            rows.append(f'<tr{apart}><th scope="row">{theme.escape(name)}</th>{cells}</tr>')
        return (
            "<div class=\"mg-quiet\">rows: the gradient's shape; columns: the output's shape; "
            f"{YES} accepted, {NO} refused; the frame is your pair</div>"
            '<div class="mg-scroll" tabindex="0" role="group" aria-label="all pairs">'
            '<table class="mg-gate" aria-label="which gradients are accepted"><thead><tr>'
            f"<td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        )

    # --- without a kernel ------------------------------------------------------------------------

    def snapshot(self):
        """The question, the answers if they are open, and the grid if it is shown, as a picture."""
        model = self.model
        picture = Picture()
        picture.title("Shape gate: which gradient does y.backward(gradient) let through?", "text")
        bottom = 44
        for line in model.program:
            bottom = picture.paragraph(0, bottom, line, 96)
        bottom = picture.paragraph(0, bottom + 6, model.question(), 96)
        for label, line in model.lines(model.stored_answer()):
            bottom = picture.paragraph(0, bottom + 4, f"{label}: {line}", 96)
        if model.grid:
            _draw_grid(picture, bottom + 10, model)
        return picture.img(model.text(model.stored_answer())) + "<p>Run this cell to guess.</p>"

    def summary(self):
        model = self.model
        answer = "covered"
        if model.revealed:
            answer = "accepted" if model.answer().accepted else "refused"
        gradient = NO_ARGUMENT if model.gradient == NO_ARGUMENT else shape(model.gradient)
        return f"Shape gate: output {shape(model.output)}, gradient {gradient}: {answer}"


def _grid_cell(accepted, chosen):
    kind, mark, word = ("mg-yes", YES, "accepted") if accepted else ("mg-no", NO, "refused")
    return (
        f'<td class="{kind}{" mg-chosen" if chosen else ""}"><span aria-hidden="true">{mark}</span>'
        f'<span class="mg-spoken">{word}</span></td>'
    )


def _column(kind, name, quiet, body):
    return f'<div class="{kind}">{theme.heading(name)}{theme.quiet(quiet)}{body}</div>'


def _verdict(answer):
    if answer.accepted:
        grad = theme.escape(f"x.grad = {nested(answer.grad)}")
        body = f'<div class="mg-line mg-formula">{grad}</div>'
    else:
        body = (
            f'<div class="mg-line">{theme.escape(answer.message)}</div>' if answer.message else ""
        )
    note = f'<div class="mg-line">{theme.escape(answer.text)}</div>' if answer.text else ""
    mark, word = (YES, "accepted") if answer.accepted else (NO, "refused")
    return f'<div class="mg-verdict">{mark} {word}</div>{body}{note}'


def _agreement(agrees):
    return f"<div><strong>{'=' if agrees else chr(0x2260)}</strong> minigrad</div>"


def _draw_grid(picture, top, model):
    for k, sizes in enumerate(SHAPES):
        picture.text(166 + 82 * k, top + 14, shape(sizes), size=14, font="code", anchor="middle")
    for r, (gradient, row) in enumerate(zip((*SHAPES, NO_ARGUMENT), model.table())):
        y = top + 24 + 28 * r
        name = NO_ARGUMENT if gradient == NO_ARGUMENT else shape(gradient)
        picture.text(116, y + 18, name, size=14, font="code", anchor="end")
        for k, accepted in enumerate(row):
            picture.box(130 + 82 * k, y, 72, 24, _GREEN if accepted else "none")
            picture.text(166 + 82 * k, y + 18, YES if accepted else NO, anchor="middle")
