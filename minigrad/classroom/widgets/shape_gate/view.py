"""The shape gate on the screen: two pickers and a guess; all pairs beside the answers."""

from ...show.drawing.svg import letters
from ...show.formatting import nested, shape
from ..shared import controls, theme
from ..shared.view import View
from .drawing import HEIGHT, NO, YES, draw_grid
from .model import GUESSES, NO_ARGUMENT, SHAPES, ShapeGate

COLUMNS = 58  # of the text under a still's grid: the two are about as wide, and fit on paper
_OLD = "the rule before the check of 2019, acted out"


class ShapeGatePanel(View, of=ShapeGate):
    use = "guess"

    def build(self, model):
        shapes = [(shape(sizes), sizes) for sizes in SHAPES]
        self._output = controls.dropdown("output", shapes, self.acting(model.choose_output))
        shapes = [*shapes, (NO_ARGUMENT, NO_ARGUMENT)]
        self._gradient = controls.dropdown("gradient", shapes, self.acting(model.choose_gradient))
        accepts, refuses = (self.acting(model.commit, guess) for guess in GUESSES)
        self._guesses = [
            controls.button(text, spoken, action)
            for text, spoken, action in (
                ("it accepts", "Guess: backward accepts this gradient", accepts),
                ("it refuses", "Guess: backward refuses this gradient", refuses),
                ("Show me", "Reveal the answer without a guess", self.acting(model.show)),
            )
        ]
        self._all = controls.button(
            "show all pairs",
            "Lay all pairs open, or cover them again",
            lambda: self.act(model.show_grid, not model.grid),
        )
        self._score, self._program, self._grid, self._answers = controls.html_areas(4)
        call = theme.code("y.backward(gradient)")
        title = f'<div class="mg-title">Which gradient does {call} let through?</div>'
        asked = controls.row([self._output, self._gradient], gap="8px 16px")
        bench = controls.bench(
            [asked, controls.row(self._guesses)], justify_content="space-between"
        )
        pairs = controls.column([self._grid, controls.row([self._all, self._score])])
        stage = controls.classed("mg-gate", controls.grid([pairs, self._answers]))
        return [controls.html_area(title), bench, self._program, stage]

    def redraw(self):
        model = self.model
        self._answers.value = self._answers_html() + theme.spoken(model.announcement())
        self._grid.value = draw_grid(model, self.changed("cells", model.table())).svg()
        self._output.value, self._gradient.value = model.output, model.gradient
        first, second, call = model.program
        program = theme.escape(f"{first}; {second}\n{call}")
        self._program.value = f'<div class="mg-program">{program}</div>'
        self._score.value = theme.quiet(model.score())
        self._all.description = "cover them again" if model.grid else "show all pairs"
        for control in self._guesses:
            control.disabled = model.revealed

    def _answers_html(self):
        model, told = self.model, self.refusal("The pair stays.")
        if not model.revealed:
            asked = f"<div><strong>{theme.escape(model.asks_about())}</strong></div>"
            return asked + theme.quiet("Guess, and three answers are shown here.") + told
        wrong = '<span class="mg-chip mg-different">\u2260</span> <strong>Not so.</strong>'
        old = _told("Before 2019", model.old_answer(), _OLD)
        guess = {None: "", True: f"<strong>{YES} Right.</strong>", False: wrong}[model.right]
        why = f'<div class="mg-line">{theme.escape(model.reason())}</div>'
        return (
            f'<div class="mg-guessed">{guess}</div>'
            f'<div class="mg-today">{self._today_html()}</div>'
            + (told or f'<div class="mg-old">{old}</div>{why}')
        )

    def _today_html(self):
        """What both engines do today, said once where they say the same."""
        model, answer = self.model, self.model.torch_answer()
        theirs = model.torch_said(answer)
        if theirs is None:
            return _told("Today", model.answer(), f"minigrad. {answer.label()}")
        if model.agrees(answer):
            return _told("Today", theirs, f"{answer.label()} = minigrad")
        return _told("Today", theirs, answer.label()) + _told("\u2260", model.answer(), "minigrad")

    def picture(self):
        """The grid, and below it what is asked and answered."""
        model = self.model
        lines = [model.asks_about(), *model.program]
        lines += [f"{label}: {line}" for label, line in model.lines(model.stored_answer())]
        drawing = draw_grid(model, below=20 + 60 * len(lines))
        drawing.width, bottom = letters(" " * COLUMNS), HEIGHT + 24
        for k, line in enumerate(lines):
            bottom = drawing.paragraph(0, bottom, line, COLUMNS, font="code", bold=k == 0)
        drawing.height = bottom
        return drawing


def _told(when, answer, source):
    """One answer: accepted or refused, then x.grad or the words, then what the old rule did."""
    mark = f"{YES} accepted" if answer.accepted else f"{NO} refused"
    said = theme.escape(answer.message or "")
    if answer.accepted:
        said = theme.code(f"x.grad = {nested(answer.grad)}")
    lines = [said, theme.escape(answer.text)]
    told = "".join(f'<div class="mg-line">{line}</div>' for line in lines if line)
    return f'<div class="mg-heading">{when}: {mark}</div>{theme.quiet(source)}{told}'
