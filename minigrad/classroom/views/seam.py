"""The seam cutter on the screen: the chain with its cut, what crosses it, and x.grad both ways."""

import numpy as np

from ..formatting import exact, nested, number, shape, spoken
from ..models.seam import MAX_BOXES
from ..models.seam import SeamCutter as SeamModel
from ..typed_numbers import read_number
from . import controls, looks, theme
from .base import View
from .drawing import INK, PAPER, QUIET, Picture
from .predict import Cover
from .seam_drawing import draw_chain

_MISTAKES = {"none": "hand g over", "forget": "forget g", "twice": "count twice"}
_STYLE = """
.mg-loop { border-collapse: collapse; }
.mg-panel .mg-loop td, .mg-panel .mg-loop th { text-align: left; padding: 2px 18px 2px 0;
  font-size: 16px; color: var(--mg-ink); }
.mg-panel .mg-loop td { font-family: var(--jp-code-font-family, monospace); }
.mg-panel .mg-results { margin-top: 10px; }
.mg-panel .mg-mistake { outline: 2px solid rgb(255, 128, 14); outline-offset: 4px;
  border-radius: 3px; margin-left: 6px; }
"""


class SeamCutter(View):
    """Cut a chain of functions anywhere and hand g, the upstream gradient at the seam, across.

    Arguments as in `minigrad.classroom.models.seam.SeamCutter`, which is `.model`; its actions and
    values can be used on the widget too: `cutter.set_upstream([0.2, 0.8])`.
    """

    def __init__(self, what="S2-4", x=None, v=None, cut=1, **options):
        model = what if isinstance(what, SeamModel) else SeamModel(what, x, v, cut, **options)
        self._title, self._picture, self._refusal = (controls.html_area() for _ in range(3))
        self._told = controls.html_area(flex="1 1 560px", max_width="100%", overflow="visible")
        self._v_heading, self._loop = controls.html_area(), controls.html_area()
        self._make_controls(model)
        super().__init__(model, self._layout(model))

    def _make_controls(self, model):
        self._example = controls.dropdown("chain", model.listed(), self.acting(model.load))
        self._cut = controls.Stepper(
            "cut after function", 1, len(model.chain.links), 1, self.acting(model.move_cut),
            self.acting(model.step_cut), "Move the cut to the left", "Move the cut to the right",
        )
        self._mistake = controls.Choices(
            "what is handed over at the cut", _MISTAKES, self.acting(model.choose_mistake)
        )
        self._grid = controls.NumberGrid("upstream gradient", self.acting(model.set_upstream_entry))
        self._v = controls.text_field(
            "v =", "the whole upstream gradient, as a list", self.acting(model.set_upstream)
        )
        self._x = controls.text_field(
            "x =", "the whole input, as a list", self.acting(model.set_input)
        )
        self._weight = controls.text_field(
            "w =", "the weight of the loop over time", self.acting(model.set_weight), width="9em"
        )
        self._start = controls.text_field(
            "x0 =", "the first state of the loop over time", self.acting(model.set_start),
            width="9em",
        )

    def _layout(self, model):
        head = controls.row([self._title, self._example], gap="4px 26px")
        moves = controls.row([self._cut.box, self._mistake.box], gap="4px 30px")
        left = controls.column([self._v_heading, self._grid.box, self._v, self._x], width="300px")
        stage = controls.row([left, self._told], gap="4px 30px", align="flex-start")
        self._loop_box = controls.column([
            self._loop, controls.row([self._weight, self._start], gap="4px 20px")])
        self._cover = Cover(model, [self._picture, moves, self._told])
        return [theme.style_sheet(_STYLE), head, *self._cover.places, self._picture, moves,
                self._refusal, stage, self._loop_box]

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        # What the learner waits for is sent first: every value set here is a message of its own.
        model = self.model
        self._picture.value = self._picture_html()
        self._told.value = (
            self._lines_html() + self._result_html() + theme.spoken(model.announcement())
        )
        self._refusal.value = self._refusal_html()
        self._cut.show(model.cut, high=len(model.chain.links))
        self._mistake.show(model.mistake)
        self._redraw_boxes()
        self._redraw_loop()
        self._example.value = model.chain.name
        formulas = "".join(
            f'<div class="mg-formula">{theme.escape(f"{link.name}: {link.formula}")}</div>'
            for link in model.chain.links
        )
        note = theme.quiet(model.told(model.chain.note))
        self._title.value = theme.title(model.chain.title) + formulas + note
        self._cover.redraw(self)

    def _picture_html(self):
        """The chain in the theme's colours; a long one is drawn smaller, not cut off."""
        picture, model = Picture(), self.model
        draw_chain(picture, 12, model, "var(--mg-ink)", "var(--mg-quiet)", "var(--mg-paper)")
        width, height = round(picture.width + 8), round(picture.height + 8)
        label = theme.escape(
            f"{model.chain.title}, cut at {model.seam_name}; {model.right_line()}; "
            f"{model.call_line()}"
        )
        return (
            f'<svg role="img" aria-label="{label}" width="{width}" height="{height}" '
            f'viewBox="-4 -4 {width} {height}" style="max-width: 100%; height: auto">'
            f'{"".join(picture.parts)}</svg>'
        )

    def _lines_html(self):
        model = self.model
        sums = "".join(f'<div class="mg-quiet mg-formula">{theme.escape(line)}</div>'
                       for line in model.sum_lines())
        return (
            f'<div class="mg-line"><strong>Right of the cut</strong> '
            f"{theme.escape(model.right_line())}</div>{sums}"
            f'<div class="mg-line"><strong>Left of the cut</strong> '
            f'<span class="mg-formula">{theme.escape(model.call_line())}</span></div>'
            f'<div class="mg-line">{theme.escape(model.mistake_line())}</div>'
        )

    def _result_html(self):
        """x.grad of the two halves, of the uncut chain, and PyTorch's."""
        model, name = self.model, f"{self.model.chain.values[0]}.grad"
        columns = []
        if model.mistake != "none":
            verdict = "= uncut, by chance" if model.same else "\u2260 uncut: wrong"
            columns.append(_column("mg-mistake", name, _MISTAKES[model.mistake], model.input_grad,
                                   verdict))
        right = "in two halves" if model.mistake == "none" else "g handed over"
        columns.append(_column("mg-halves", name, right, model.right_grad,
                               "= uncut" if model.right_same else "\u2260 uncut"))
        columns.append(_column("mg-uncut", name, "uncut", model.uncut_grad))
        answer = model.torch_answer()
        if answer.found is None:
            columns.append(
                f'<div class="mg-torch">{theme.heading("PyTorch")}{theme.quiet(answer.text)}</div>'
            )
        else:
            agrees = "= minigrad" if model.agrees(answer) else "\u2260 minigrad"
            if model.mistake != "none" and model.agrees(answer):
                agrees = "= the same mistake"
            difference = f"largest difference {model.difference(answer)}"
            columns.append(_column("mg-torch", "PyTorch", answer.text,
                                   answer.found.grads[model.mistake].tolist(), agrees,
                                   difference))
        return f'<div class="mg-columns mg-results">{"".join(columns)}</div>'

    def _refusal_html(self):
        model = self.model
        if not model.message:
            return ""
        at = model.refused_at
        where = f"At {spoken(at[1])}: " if isinstance(at, tuple) else ""
        engine = model.message.startswith("Mismatch in shape")
        title = "PyTorch refuses:" if engine else "Not used."
        return theme.message(title, where + model.message, "Everything else stays as it was.")

    def _redraw_boxes(self):
        model = self.model
        v, at = np.array(model.upstream), model.refused_at
        self._v_heading.value = theme.heading(
            "v", f"upstream gradient of {model.chain.values[-1]}, shape {shape(v.shape)}"
        )
        boxed = v.size <= MAX_BOXES
        looks.show(self._grid.box, boxed)
        if boxed:
            self._grid.show(v, refused=self.refused_entry("upstream"))
        if at != "upstream":
            controls.set_list(self._v, v)
        if at != "input":
            controls.set_list(self._x, np.array(model.input))

    def _redraw_loop(self):
        model = self.model
        shown = model.mistake == "twice" and not model.covered
        looks.show(self._loop_box, shown)
        if not shown:
            return
        loop = model.unrolled
        for place, field, value in (("weight", self._weight, loop.weight),
                                    ("start", self._start, loop.start)):
            if model.refused_at != place:
                controls.set_text(field, value, read_number, exact)
        self._loop.value = self._loop_html()

    def _loop_html(self):
        model, loop = self.model, self.model.unrolled
        head, *rows = model.loop_lines()
        cells = "".join(f'<th scope="col">{theme.escape(text)}</th>' for text in head)
        body = "".join(
            f'<tr><th scope="row">{theme.escape(row[0])}</th>'
            + "".join(f"<td>{theme.escape(text)}</td>" for text in row[1:]) + "</tr>"
            for row in rows
        )
        return (
            '<div class="mg-heading">The same mistake in a loop over time</div>'
            '<div class="mg-line">The state is fed back, <span class="mg-formula">h = w\u00b7h'
            "</span>, and cut at every step. The windows overlap: from each new h, backward goes "
            "through all earlier steps, seam by seam.</div>"
            f'<table class="mg-loop" aria-label="truncated backpropagation through time">'
            '<thead><tr><td></td><th colspan="2" scope="colgroup">seams cleared: right</th>'
            '<th colspan="2" scope="colgroup">not cleared: counted twice</th></tr>'
            f"<tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
            f'<div class="mg-line">w.grad of the last window: right '
            f"<strong>{loop.right[-1].weight_grad:.4f}</strong>, counted twice "
            f"<strong>{loop.twice[-1].weight_grad:.4f}</strong>; the uncut loop gives "
            f"{loop.uncut:.4f}. {theme.escape(_torch_loop(model.torch_loop()))}</div>"
        )

    # --- without a kernel ------------------------------------------------------------------------

    def snapshot(self):
        """The cut chain and the answers as a picture, PyTorch's from the record alone."""
        if self.model.covered:
            return self._cover.snapshot()
        model, picture = self.model, Picture()
        picture.title(model.chain.title)
        bottom = 38
        for link in model.chain.links:
            bottom = picture.paragraph(0, bottom, f"{link.name}: {link.formula}", 96)
        bottom = draw_chain(picture, bottom + 20, model, INK, QUIET, PAPER) + 26
        answer = model.stored_answer()
        after = [line for line in model.lines(answer) if line[0] not in model.chain.values]
        for label, line in after:
            bottom = picture.paragraph(0, bottom, f"{label:<9}{line}", 96)
        return picture.img(model.text(answer)) + "<p>Run this cell to move the cut.</p>"

    def summary(self):
        model = self.model
        if self.model.covered:
            return self.model.text()
        return (
            f"Seam cutter, {model.chain.name}: cut at {model.seam_name}, "
            f"g = {nested(model.handed)}, {model.chain.values[0]}.grad = "
            f"{nested(model.input_grad)}{'' if model.same else ', wrong'}"
        )


def _column(kind, name, quiet, values, below="", difference=""):
    """One answer: its name, how it was found, the numbers, and whether and how far it agrees."""
    below = f"<div><strong>{theme.escape(below)}</strong></div>" if below else ""
    return (
        f'<div class="{kind}">{theme.heading(name)}{theme.quiet(quiet)}'
        f"{theme.matrix(np.array(values), f'{name}, {quiet}')}{below}{theme.quiet(difference)}</div>"
    )


def _torch_loop(answer):
    """PyTorch's numbers of the loop, as a sentence."""
    if answer.found is None:
        return ""
    right, twice = (number(answer.found[name]) for name in ("right", "twice"))
    return f"PyTorch: {right} and {twice} ({answer.text})."
