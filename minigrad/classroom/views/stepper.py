"""The backward stepper on the screen: the graph, the step, the ledger, what waits, the log."""

import asyncio
import contextvars

import numpy as np

from ..formatting import shape
from ..models.local_rules import amount
from ..models.replay import MODES
from ..models.stepper import BackwardStepper as StepperModel
from . import controls, looks, theme
from .base import View
from .drawing import Picture
from .graph_drawing import STORED
from .predict import Cover
from .step_graph import StepGraph, fitting

MAX_BOXES = 12  # more weights than this are typed as a list
MAX_TYPED = 100  # more weights than this are not written into the field
MAX_ROWS = 12  # of the ledger before empty ones are put together
SECONDS = 1.2  # between two steps while playing

_STYLE = """
.mg-panel .mg-pages { display: flex; flex-wrap: wrap; gap: 4px 30px; align-items: flex-start; }
.mg-panel .mg-pages > div { flex: 1 1 420px; max-width: 100%; min-width: 0; }
.mg-panel .mg-ledger { border-collapse: collapse; font-size: 15px; }
.mg-panel .mg-ledger th, .mg-panel .mg-ledger td { text-align: left; padding: 2px 10px 2px 4px;
  vertical-align: top; border-bottom: 1px solid var(--mg-line); font-size: 15px;
  color: var(--mg-ink); overflow-wrap: anywhere; white-space: normal; min-width: 3em; }
.mg-panel .mg-ledger th[scope=row] { min-width: 3em; max-width: 15em; }
.mg-panel .mg-ledger th { overflow-wrap: break-word; }
.mg-panel .mg-scroll > .mg-ledger [aria-label^=ledger] td:nth-child(3) { min-width: 5em; white-space: nowrap; }
.mg-panel .mg-ledger .mg-now { border-left: 5px solid var(--mg-ink); }
.mg-panel .mg-wrong { border: 2px solid rgb(255, 128, 14); border-radius: 3px; padding: 0 5px;
  font-weight: 600; }
.mg-panel .mg-log { display: flex; flex-direction: column-reverse; max-height: 190px;
  overflow-y: auto; border: 1px solid var(--mg-line); border-radius: 4px; padding: 2px 8px; }
.mg-panel .mg-log ol { margin: 0; padding-left: 2.2em; }
.mg-panel .mg-log li { font: 15px/1.5 var(--jp-code-font-family, monospace);
  overflow-wrap: anywhere; }
.mg-panel .mg-log:focus-visible { outline: 3px solid rgb(0, 107, 164); outline-offset: 1px; }
.mg-panel .mg-graph { overflow-x: auto; }
.mg-panel .mg-entry { display: inline-block; border: 1px solid var(--mg-line); border-radius: 9px;
  padding: 0 8px; margin: 1px 4px 1px 0; }
.mg-panel .mg-lost { text-decoration: line-through; }
"""


class BackwardStepper(View):
    """Step through a real backward pass, one node at a time, forward and back.

    Arguments as in `minigrad.classroom.models.stepper.BackwardStepper`, which is `.model`; its
    actions and values can be used on the widget too: `stepper.forward()`.
    """

    def __init__(self, what=None, *inputs, **options):
        if isinstance(what, StepperModel):
            model = what
        else:
            model = StepperModel(*(() if what is None else (what,)), *inputs, **options)
        self._drawing = None  # of the graph that is shown
        self._timer = None
        self._make_controls(model)
        super().__init__(model, self._layout(model))

    def _make_controls(self, model):
        self._title = controls.html_area()
        self._preset = controls.dropdown("example", model.listed(), self.acting(model.load))
        self._moves = {
            name: controls.button(text, spoken, self.acting(getattr(model, name)))
            for name, text, spoken in (
                ("first", "|◀ start", "Go back to the start: only the seed is there"),
                ("back", "◀ back", "One step back in time"),
                ("forward", "next ▶", "One step: the next node runs"),
                ("last", "end ▶|", "Go on to the end of the pass"),
            )
        }
        self._play = controls.button("Play", "Step by itself, or stop", self.acting(model.play))
        self._keys = controls.text_field(
            "keys N, P", "Type n for the next step, p for the one before", width="180px"
        )
        self._keys.continuous_update = True
        self._keys.observe(lambda change: self._typed(change["old"], change["new"]), names="value")
        self._where = controls.html_area()
        self._modes = controls.Choices(
            MODES, {mode: mode for mode in MODES}, self.acting(model.set_mode), gap="6px 10px"
        )
        self._mode_text = controls.html_area()
        self._seed_name = controls.html_area()
        self._grid = controls.NumberGrid("upstream gradient", self.acting(model.set_seed_entry))
        self._field = controls.text_field(
            "v =", "the whole upstream gradient, as a list", self.acting(model.set_seed),
            width="300px",
        )
        self._buttons = [
            controls.button("ones", "Set every weight of v to 1", self.acting(model.press, "ones")),
            controls.button(
                "first v", "Set v to what it was at first", self.acting(model.press, "example")
            ),
        ]
        self._refusal = controls.html_area()
        self._graph = controls.html_area()
        self._pages = controls.html_area()  # the step, the leaves, the ledger, the log

    def _layout(self, model):
        head = controls.row([self._title, self._preset], gap="4px 26px")
        moves = controls.row([*self._moves.values(), self._play, self._keys, self._where])
        seed = controls.row(
            [self._seed_name, self._grid.box, self._field, *self._buttons], gap="4px 10px"
        )
        self._cover = Cover(model, [moves, self._pages])
        return [
            theme.style_sheet(_STYLE),
            head,
            seed,
            self._refusal,
            *self._cover.places,
            self._modes.box,
            self._mode_text,
            moves,
            self._graph,
            self._pages,
        ]

    def _typed(self, before, now):
        """What was typed after the text there was before: n goes on, p goes back."""
        added = now[len(before) :] if now.startswith(before) else ""
        for letter in added.lower():
            if letter in "np":
                self.act(self.model.forward if letter == "n" else self.model.back)

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        # What the learner waits for is sent first: every value set here is a message of its own.
        model = self.model
        self._graph.value = f'<div class="mg-graph">{self._svg()}</div>{self._queue_html()}'
        self._pages.value = (
            f'<div class="mg-pages"><div>{self._card_html()}{self._check_html()}</div>'
            f"<div>{self._ledger_html()}</div></div>{self._log_html()}"
        )
        self._where.value = (
            f'<div class="mg-line"><strong>step {model.step} of {model.steps}</strong></div>'
            + theme.spoken(model.announcement())
        )
        self._redraw_head()
        self._redraw_seed()
        self._play.description = "Pause" if model.playing else "Play"
        self._cover.redraw(self)
        if model.playing:
            self._wait()
        else:
            self._stop_waiting()

    def _redraw_head(self):
        model, example = self.model, self.model.example
        self._title.value = theme.title(example.formula, note=model.told(example.note))
        options = model.listed()
        if list(self._preset.options) != options:
            self._preset.options = options
        self._preset.value = example.name
        self._modes.show(model.mode)
        self._mode_text.value = (
            f'<div class="mg-quiet mg-line">{theme.escape(MODES[model.mode])}</div>'
        )

    def _redraw_seed(self):
        model = self.model
        values = np.array(model.seed)
        self._seed_name.value = theme.heading(
            "v", f"upstream gradient of {model.root.name}, shape {shape(values.shape)}"
        )
        at = model.refused_at
        boxed = values.size <= MAX_BOXES
        looks.show(self._grid.box, boxed)
        if boxed:
            self._grid.show(values, refused=self.refused_entry("seed"))
        looks.show(self._field, bool(values.ndim))
        if at != "seed":
            if values.size <= MAX_TYPED:
                controls.set_list(self._field, values)
            else:
                self._field.placeholder = f"a list of shape {shape(values.shape)}"
        told = ""
        if model.message:
            title = "PyTorch refuses:" if model.refused_by == "engine" else "Not used."
            kept = "" if at in ("program", "example") else "v stays as it was."
            told = theme.message(title, model.message, kept)
        self._refusal.value = told

    def _svg(self, **colours):
        model = self.model
        if self._drawing is None or self._drawing.graph is not model.graph:
            self._drawing = StepGraph(model.graph)
        return self._drawing.svg(model, **colours)

    def _card_html(self):
        model, node = self.model, self.model.current
        if node is None:
            return theme.heading("start") + (
                '<div class="mg-line">The upstream gradient v waits at '
                f"{theme.escape(model.root.name)}, "
                "the root. Press <em>next</em>: one step is one node.</div>"
            )
        kind = "leaf" if node.is_leaf else node.kind
        rows = [theme.heading(node.title, f"{kind}, step {model.step}")]
        rows.append(_line("arrived", f"v = {model.received_line()}", True))
        if node.is_leaf:
            received = fitting(np.array(model.received), 28, signed=True)
            rows.append(_line("so", f"{node.name}.grad = {received}", True))
        for part in model.sent():
            numbers = "" if part.numbers in (None, part.symbols) else f" = {part.numbers}"
            note = f" ({part.note})" if part.note else ""
            rows.append(_line(f"to {part.to}", f"{part.symbols}{numbers}{note}"))
            rows.append(
                theme.matrix(part.value, f"sent to {part.to}")
                if part.value.size <= 48
                else _line("", amount(part.value))
            )
        return "".join(rows)

    def _ledger_html(self):
        model, rows = self.model, []
        current, ledger = model.current, model.ledger()
        untouched = [account.name for account in ledger if not account.contributions]
        short = len(ledger) > MAX_ROWS  # then those to which nothing came share one row
        for account in ledger:
            if short and not account.contributions:
                continue
            here = current is not None and account.name.partition("[")[0] == current.name
            entries = "".join(map(_entry, account.contributions))
            entries = entries or '<span class="mg-quiet">nothing yet</span>'
            total = "" if account.total is None else amount(account.total, True)
            if len(account.contributions) == 1 and len(total) > 16:
                total = "the same"
            if account.wrong:
                total = (
                    f'<span class="mg-wrong">✗ {total}</span> should be '
                    f"{amount(account.right, True)}"
                )
            elif account.total is not None and not account.complete:
                total += ' <span class="mg-quiet">so far</span>'
            now = ' class="mg-now"' if here else ""
            rows.append(
                f'<tr><th scope="row"{now}><span class="mg-formula">'
                f"{theme.escape(account.name)}</span></th><td>{entries}</td><td>{total}</td></tr>"
            )
        if short and untouched:
            rows.append(
                '<tr><td colspan="3"><span class="mg-quiet">nothing yet: '
                f"{theme.escape(', '.join(untouched))}</span></td></tr>"
            )
        return theme.heading("ledger", "what arrived at each node, one by one") + (
            '<div class="mg-scroll"><table class="mg-ledger" aria-label="ledger of contributions">'
            '<thead><tr><th scope="col">node</th><th scope="col">contributions</th>'
            '<th scope="col">total</th></tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
        )

    def _queue_html(self):
        title = "calls to come" if self.model.mode == "naive recursion" else "waiting, in order"
        # A node and how much of it has arrived stay on one line.
        return _line(title, self.model.queue_line().replace(" (", "\xa0(").replace(" of ", "\xa0of\xa0"))

    def _check_html(self):
        model = self.model
        answer = model.torch_answer()
        ours, done = model.leaf_grads, model.step == model.steps
        rows = []
        compared = model.comparison(answer) if answer.found is not None and done else {}
        for name, value in ours.items():
            theirs, verdict = "", ""
            if answer.found is not None:
                theirs = fitting(answer.found[name], 20, signed=True) if done else "…"
            if name in compared:
                verdict = "=" if compared[name][0] else '<span class="mg-wrong">≠</span>'
            text = "None" if value is None else amount(np.array(value), True)
            difference = compared[name][1].removeprefix("largest difference ") if verdict else ""
            rows.append(
                f'<tr><th scope="row" class="mg-formula">{theme.escape(name)}.grad</th><td>{text}'
                f"</td><td>{verdict}</td><td>{theirs}</td><td>{theme.escape(difference)}</td></tr>"
            )
        told = ", shown when the pass is done" if answer.found is not None and not done else ""
        told = theme.escape(f"PyTorch: {answer.text}" + told)
        quiet = f'<div class="mg-quiet">{told}</div>'
        verdict = model.verdict() if done else ""
        return (
            theme.heading("leaves", "their .grad so far")
            + (
                '<div class="mg-scroll"><table class="mg-ledger" '
                'aria-label="gradients of the leaves"><thead><tr>'
                '<th scope="col">leaf</th><th scope="col">this pass</th><th scope="col">agree</th>'
                '<th scope="col">PyTorch</th><th scope="col">largest difference</th></tr></thead>'
                f"<tbody>{''.join(rows)}</tbody></table></div>{quiet}"
            )
            + (
                f'<div class="mg-line"><strong>{theme.escape(verdict)}</strong></div>'
                if verdict
                else ""
            )
        )

    def _log_html(self):
        lines = self.model.log_lines(self.model.step) or ["nothing has run yet"]
        start = "" if self.model.step else ' style="list-style: none"'
        items = "".join(f"<li{start}>{theme.escape(line)}</li>" for line in lines)
        return theme.heading("log") + (
            f'<div class="mg-log" tabindex="0" role="region" aria-label="log of the steps">'
            f"<ol>{items}</ol></div>"
        )

    # --- playing ---------------------------------------------------------------------------------

    def _wait(self):
        """Come back for the next step in a moment; without an event loop (a script), at once."""
        if self._timer is not None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._timer = True
            while self.model.playing:
                self.model.tick()
            return
        context = contextvars.copy_context()  # widgets answer within the cell that made them
        self._timer = loop.call_later(SECONDS, self._tick, context=context)

    def _stop_waiting(self):
        """Paused: should it go on, the next step is a whole moment away again."""
        if isinstance(self._timer, asyncio.TimerHandle):
            self._timer.cancel()
        self._timer = None

    def _tick(self):
        self._timer = None
        self.act(self.model.tick)

    # --- without a kernel ------------------------------------------------------------------------

    def snapshot(self):
        """A picture of the graph and the log of all steps, PyTorch's side from recorded answers."""
        model = self.model
        if self.model.covered:
            return self._cover.snapshot()
        picture = Picture()
        picture.title(model.example.formula)
        bottom = picture.drawing(0, 30, self._svg(colours=STORED))
        bottom = picture.paragraph(0, bottom + 26, f"{model.mode}: {MODES[model.mode]}", 100)
        for step, line in enumerate(model.log_lines(), 1):
            bottom = picture.paragraph(0, bottom, f"{step}. {line}", 100)
        if model.verdict():
            picture.paragraph(0, bottom, model.verdict(), 100)
        alt = "\n".join(model.lines(model.stored_answer()))
        return picture.img(alt) + "<p>Run this cell to step through the pass.</p>"

    def summary(self):
        model = self.model
        if model.covered:
            return "\n".join(model.lines())
        grads = ", ".join(
            f"{name}.grad = {'None' if value is None else amount(value)}"
            for name, value in model.final_grads().items()
        )
        return (
            f"Backward stepper, {model.example.name}, {model.mode}: {model.steps} step{'s' * (model.steps != 1)} from "
            f"v = {fitting(np.array(model.seed), 28, signed=True)} to {grads}"
        )


def _entry(entry):
    """One contribution in the ledger."""
    lost = "" if entry.kept else " mg-lost"
    told = "" if entry.kept else ", overwritten"
    return (
        f'<span class="mg-entry"><span class="{lost}">{amount(entry.value, True)}</span> '
        f'<span class="mg-quiet">from {theme.escape(entry.source)}{told}</span></span>'
    )


def _line(title, text, strong=False):
    text = theme.escape(text)
    text = f"<strong>{text}</strong>" if strong else text
    return (
        f'<div class="mg-line"><span class="mg-quiet">{theme.escape(title)}:</span> '
        f'<span class="mg-formula">{text}</span></div>'
    )

