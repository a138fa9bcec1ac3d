"""The backward stepper on the screen: the graph beside its ledger, then now, what is sent, next."""

import asyncio
import contextvars
from functools import partial

from ...compare import engines
from ...show.drawing.formulas import amount
from ...show.formatting import fitting, nested, number
from ...show.html import element
from ..predict_card.view import Cover
from ..shared import controls, looks, theme
from ..shared.view import View
from .drawing import StepGraph
from .model import BackwardStepper
from .replay import MODES

_ROW = 28  # of the ledger, in pixels
_ROOMY = 5  # so many rows may each have several lines
SECONDS = 1.2  # between two steps while playing


class BackwardStepperPanel(View, of=BackwardStepper):
    use = "step through the pass"
    _drawn = None  # the drawing of the graph that is shown
    _timer = None  # of the next step, while playing

    def build(self, model):
        self._where, self._refusal, self._ledger, self._lines = controls.html_areas(4)
        self._graph, self._log, self._by = (
            controls.classed(f"mg-{name}", controls.html_area()) for name in ("scroll", "log", "by")
        )
        self._moves = {
            name: controls.button(text, spoken, self.acting(getattr(model, name)), key, key == "n")
            for name, text, spoken, key in (
                ("first", "|◀", "start: only v is there", None),
                ("back", "◀", "back: one step back in time (key P)", "p"),
                ("forward", "next ▶", "next: the next node runs (key N)", "n"),
                ("last", "▶|", "end: on to the end of the pass", None),
                ("play", "Play", "step by itself, or stop", None),
            )
        }
        modes = [("in order" if mode == "ordered" else mode, mode) for mode in MODES]
        choose = self.acting(model.set_mode)
        self._mode = controls.dropdown("mode", modes, choose, "180px", labelled=False)
        one, every = model.set_upstream_entry, model.set_upstream
        self._weights = controls.ArrayInput(
            self, "upstream", "upstream gradient", one, every, width="210px"
        )
        looks.mark(self._weights.field, "mg-unlabelled", True)
        moves = controls.row([*self._moves.values(), self._where], gap="6px")
        name = controls.html_area("<b class='mg-code'>v</b>")
        self._v = controls.row([name, self._weights.grid, self._weights.field])
        self._v.add_class("mg-v")
        bench = controls.bench([moves, self._mode, self._v], gap="6px")
        told = controls.classed("mg-step-told", controls.column([self._refusal]))
        self._stage = controls.classed("mg-run", controls.grid([self._graph, self._ledger]))
        fold = controls.html_area("<details><summary>log</summary></details>")
        foot = controls.classed("mg-foot", controls.column([fold, self._log, self._by]))
        self._cover = Cover(model, [moves, self._ledger, self._lines, foot])
        head, below = self.head(width="240px", names=True), [self._stage, self._lines, foot]
        return [head, bench, told, *self._cover.places, *below]

    def redraw(self):
        model = self.model
        ledger, changed = model.ledger(), self.changed("sums", model.sums())
        if self._drawn is None or self._drawn.graph is not model.graph:
            self._drawn = StepGraph(model.graph)
            looks.mark(self._stage, "mg-wide", self._drawn.wide)
        self._graph.value = self._drawn.draw(model, changed).svg()
        self._ledger.value = self._ledger_html(ledger, changed)
        self._lines.value = self._lines_html()
        where = f"<strong>step {model.step} of {model.steps}</strong>"
        self._where.value = where + theme.spoken(model.announcement())
        self._redraw_controls()
        self._redraw_v()
        done = "".join(
            f"<li>{theme.escape(theme.minus(line))}</li>" for line in model.replay.log[: model.step]
        )
        self._log.value = f"<ol>{done}</ol>" if done else theme.quiet("nothing has run yet")
        if model.playing:
            self._wait()
        else:  # should it go on, the next step is a whole moment away again
            if isinstance(self._timer, asyncio.TimerHandle):
                self._timer.cancel()
            self._timer = None

    def _redraw_controls(self):
        model, example = self.model, self.model.example
        note = example.note if model.mode == "ordered" else MODES[model.mode]
        self._title.value = theme.title(example.formula, note=model.told(note) or "\u00a0")
        self._mode.value = model.mode
        for name in ("first", "back"):
            self._moves[name].disabled = model.step == 0
        for name in ("forward", "last"):
            self._moves[name].disabled = model.step == model.steps
        self._moves["play"].description = "Pause" if model.playing else "Play"
        self._refusal.value = self.refusal()

    def _redraw_v(self):
        v = self.model.v
        looks.mark(self._v, "mg-single", v.ndim == 0)
        looks.show(self._weights.field, bool(v.ndim))
        self._weights.show(v)

    def _ledger_html(self, ledger, changed):
        model, rows, now = self.model, [], None
        for account in ledger:
            here = model.current and account.name.partition("[")[0] == model.current.name
            now = len(rows) if here and now is None else now
            entries = "".join(self._entry(entry, account) for entry in account.contributions)
            total = self._sum(account, account.name in changed)
            rows.append((theme.code(account.name), entries or _quiet("nothing yet"), total))
        rows.append((_quiet("torch"), *self._check()))
        table = theme.table(rows, ("node", "arrived, from", "sum"), "ledger of contributions", now)
        brief, height = theme.classes(brief=len(rows) > _ROOMY), _ROW * (len(rows) + 1) + 4
        return element("div", table, class_=brief, style=f"min-height: {height}px")

    def _check(self):
        """PyTorch's gradients of the leaves, once the pass is done, and whether these agree."""
        model, answer = self.model, self.model.torch_answer()
        by = f"{answer.label()} · " if answer.found else ""
        self._by.value = theme.quiet(f"{by}keys N and P step")
        if answer.found is None:
            return _quiet(answer.text), ""
        if model.step < model.steps:
            return _quiet(f".grad at step {model.steps}"), ""
        compared = model.comparison(answer)
        agrees = all(agreed for agreed, _ in compared.values())
        found = "".join(  # where it says something else, that alone
            self._from(answer.found[name], name, "" if agrees else "mg-different")
            for name, (same, _) in compared.items()
            if agrees or not same
        )
        told = "; ".join(f"{name}.grad: {text}" for name, (_, text) in compared.items())
        mark = theme.equal(agrees)
        return found, f'<strong class="mg-code" title="{theme.escape(told)}">{mark}</strong>'

    def _lines_html(self):
        model, node = self.model, self.model.current
        if node is None:
            root = theme.code(model.root.name)
            now = f"{self._number(model.v)} waits at {root}, the root."
            sends = _quiet("a step is a node: press next, or the key N")
        else:
            name, gets = (f"{node.name}.grad", "=") if node.is_leaf else (node.title, "gets v =")
            arrived = theme.code(theme.minus(model.replay.received_line(model.step)))
            now = f"<strong>{theme.code(name)}</strong> {gets} {arrived}"
            sent = (
                f"{theme.code(f'to {part.to}: {theme.minus(part.short)} =')} "
                f"{self._number(part.value)}"
                for part in model.sent()
            )
            nothing = _quiet("nothing: a leaf keeps it" if node.is_leaf else "nothing")
            sends = " &emsp;".join(sent) or nothing
        following = " ".join(
            f'<span class="mg-queue {"mg-on" if place == 0 else ""}">{theme.code(name)} '
            f"{_quiet(arrived)}</span>"
            for place, (name, arrived) in enumerate(model.replay.queue(model.step))
        )
        if not following:
            verdict = theme.escape(theme.minus(model.verdict()))
            following = f"nothing: the pass is done. <strong>{verdict}</strong>"
        rows = (("now", now), ("sends", sends), ("next", following))
        cells = "".join(f"<strong>{head}</strong><div>{text}</div>" for head, text in rows)
        return f'<div class="mg-step-lines">{cells}</div>'

    def _number(self, values, marks=""):
        """A gradient on its tint: one number by its sign, several in one line."""
        if values is None:
            return _quiet("None")
        if values.size == 1:
            text = fitting(values, 12)
            return theme.chip(values.item(), self.model.replay.largest, text, marks)
        text = nested(values.tolist(), partial(number, signed=True, digits=3))
        text = amount(values) if values.size > controls.MAX_BOXES else text
        chip = theme.chip(0.0, text=text, marks=marks)
        return f'<span class="mg-many" title="{text}">{chip}</span>'

    def _from(self, values, source, marks=""):
        many = "mg-many" if values is not None and values.size > 1 else ""
        number = self._number(values, marks)
        return f'<span class="mg-from {many}">{number} {theme.escape(source)}</span> '

    def _entry(self, entry, account):
        lost = self.model.mode == "overwrite" and entry is not account.contributions[-1]
        marks = theme.classes(changed=entry.step == self.model.step > 0, lost=lost)
        spoken = '<span class="mg-spoken">overwritten</span>' if lost else ""
        return self._from(entry.value, entry.source, marks) + spoken

    def _sum(self, account, changed):
        marks = theme.classes(changed=changed, different=account.wrong)
        if account.wrong and account.total is not None:
            return self._from(account.total, f"not {amount(account.right, signed=True)}", marks)
        if len(account.contributions) == 1 and account.total.size > 1:
            return "="
        return _quiet("None") if account.total is None else self._number(account.total, marks)

    def picture(self):
        """The graph; its text tells all steps."""
        return None if self.model.covered else StepGraph(self.model.graph).draw(self.model)

    def _wait(self):
        """Come back for the next step in a moment; without an event loop (a script), at once."""
        if self._timer is not None:
            return
        if not engines.later_is_possible():
            self._timer = True
            while self.model.playing:
                self.model.tick()
            return
        context = contextvars.copy_context()  # widgets answer within the cell that made them
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(SECONDS, self._tick, context=context)

    def _tick(self):
        self._timer = None
        self.act(self.model.tick)


def _quiet(text):
    return f'<span class="mg-quiet">{theme.escape(text)}</span>'
