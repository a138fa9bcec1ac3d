"""Then and now on the screen: old cells and their output, today's beside them, the edit below."""

from ..models.then_and_now import ThenAndNow as ThenAndNowModel
from ..models.then_and_now import told
from . import controls, theme
from .base import View
from .drawing import QUIET, Picture
from .predict import Cover

_STYLE = """
.mg-then { width: 100%; border-collapse: collapse; table-layout: fixed; }
.mg-panel .mg-then td, .mg-panel .mg-then th { text-align: left; vertical-align: top; font-size: 15px;
  padding: 4px 10px; border-bottom: 1px solid var(--mg-line); color: var(--mg-ink);
  background: transparent; white-space: normal; }
.mg-panel .mg-then th { font-weight: 600; font-size: 16px; }
.mg-panel .mg-then th.mg-label { font-weight: 400; font-size: 14px; color: var(--mg-quiet); }
.mg-source { font-family: var(--jp-code-font-family, monospace); font-size: 14px; line-height: 1.4;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.mg-shown { margin: 3px 0 3px 0; padding-left: 10px; border-left: 3px solid var(--mg-line); }
.mg-shown.mg-error { border-left: 5px solid rgb(255, 128, 14); }
.mg-edit { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 6px 22px; }
.mg-edit > div { border: 1px solid var(--mg-line); border-radius: 4px; padding: 6px 10px; }
.mg-edit > div.mg-acted { border: 2px dashed rgb(255, 128, 14); }
.mg-less { background: rgba(255, 128, 14, 0.22); }
.mg-more { background: rgba(0, 107, 164, 0.22); }
"""


class ThenAndNow(View):
    """What an old document printed, what its cells do today, and the edit that restores them.

    Arguments as in `minigrad.classroom.models.then_and_now.ThenAndNow`, which is `.model`.
    """

    def __init__(self, what="S4-15", **options):
        model = what if isinstance(what, ThenAndNowModel) else ThenAndNowModel(what, **options)
        self._example = controls.dropdown(
            "example", model.listed(), self.acting(model.load), width="560px"
        )
        self._old_rule = controls.Choices(
            "Whether the rule of before 2019 is acted out",
            {False: "today's rule", True: "old rule too"},
            self.acting(model.set_old_rule),
        )
        self._title, self._shown = controls.html_area(), controls.html_area()
        super().__init__(model, self._layout(model))

    def _layout(self, model):
        head = controls.row([self._example, self._old_rule.box], gap="4px 26px")
        self._cover = Cover(model, [self._old_rule.box])
        return [theme.style_sheet(_STYLE), self._title, head, *self._cover.places, self._shown]

    # --- what it shows ---------------------------------------------------------------------------

    def redraw(self):
        model = self.model
        theirs = model.torch_answer()
        self._shown.value = (
            self._cells_html(theirs) + self._below_html(theirs) + theme.spoken(model.announcement())
        )
        refusal = theme.message("", model.message) if model.message else ""
        title = theme.title("", model.title_of(model.example), model.told(model.example.note))
        self._title.value = title + refusal
        self._example.value = model.example.name
        self._old_rule.show(model.old_rule)
        self._cover.redraw(self)

    def _cells_html(self, theirs):
        model = self.model
        rows = "".join(self._row_html(k, theirs) for k in range(len(model.cells)))
        own = model.example is model.own
        then = "then: nothing was printed" if own else (
            "then, in the document" if model.example.year == "then"
            else f"{model.example.year}, in the document")
        verdict, below = theme.escape(model.verdict(model.now)), (
            f'<div class="mg-line mg-quiet"><strong>{self._sign(theirs)}</strong> '
            f"{theme.escape(_told_of_torch(model, theirs))}</div>"
        )
        if model.covered:
            verdict, below = "covered until you commit a guess", ""
        return (
            '<table class="mg-then"><colgroup><col style="width: 84px"><col><col></colgroup>'
            f'<thead><tr><td></td><th scope="col">{then}</th>'
            f'<th scope="col">today: {verdict}</th></tr></thead><tbody>{rows}</tbody></table>{below}'
        )

    def _sign(self, theirs):
        return "" if theirs.found is None else "=" if self.model.agrees(theirs) else "\u2260"

    def _row_html(self, k, theirs):
        """One cell: its code and what it printed then; what it shows today."""
        model, cell, code = self.model, self.model.cells[k], self.model.code[k]
        then = _code(cell.code) + ("" if cell.given else _shown(cell.printed))
        changed = code != cell.code
        today = model.today(k)
        failed = k < len(model.now) and "error" in model.now[k]
        now = (_code(_changed_lines(cell.code, code)) if changed else "") + (
            '<div class="mg-quiet">not reached</div>' if k >= len(model.now)
            else _shown(today, failed))
        their_now = theirs.found.now if theirs.found else []
        if k < len(their_now) and not model.agrees(theirs):
            other = their_now[k]
            if told(other) != today and not (cell.given and "error" not in other):
                now += '<div class="mg-quiet">PyTorch:</div>' + _shown(
                    told(other), "error" in other)
        if model.covered:
            now = ""
        label = "given" if cell.given and not cell.label else cell.label or "code"
        return (f'<tr><th scope="row" class="mg-label">{theme.escape(label)}</th>'
                f"<td>{then}</td><td>{now}</td></tr>")

    def _below_html(self, theirs):
        model, boxes = self.model, []
        if model.covered:
            return ""
        if model.mended is not None:
            lines = "".join(
                f'<div class="mg-source {"mg-less" if sign == "-" else "mg-more"}">'
                f"{theme.escape(sign)} {theme.escape(line)}</div>"
                for sign, line in model.edit
            )
            boxes.append(
                '<div><div class="mg-heading">the smallest edit <span class="mg-quiet">that brings '
                f"the numbers back</span></div>{lines}{_outcome(model, model.mended)}</div>"
            )
        if model.old_rule:
            shown, how = model.old_run()
            sentences = "".join(f'<div class="mg-line">{theme.escape(one)}</div>' for one in how)
            boxes.append(
                f'<div class="mg-acted"><div class="mg-heading">the old rule, acted out '
                f'<span class="mg-quiet">wrong on purpose; before 2019</span></div>{sentences}'
                f"{_outcome(model, shown)}</div>"
            )
        return f'<div class="mg-edit">{"".join(boxes)}</div>' if boxes else ""

    # --- without a kernel ------------------------------------------------------------------------

    def snapshot(self):
        """Both columns and what stands below them as a picture, with PyTorch's recorded side."""
        if self.model.covered:
            return self._cover.snapshot()
        model, picture = self.model, Picture()
        theirs = model.stored_answer()
        picture.title(f"Then and now: {model.example.name}, {model.example.title}", "text")
        bottom = 44
        for label, lines in model.lines(theirs):
            picture.text(0, bottom, label, size=14, colour=QUIET)
            for line in lines.splitlines() or [""]:
                indent = len(line) - len(line.lstrip(" "))
                bottom = picture.paragraph(110 + 8.4 * indent, bottom, line.strip(), 100, size=14)
            bottom += 6
        return picture.img(model.text(theirs)) + "<p>Run this cell to choose another example.</p>"

    def summary(self):
        model = self.model
        if self.model.covered:
            return self.model.text()
        mended = "" if model.mended is None else f" After the edit: {model.verdict(model.mended)}"
        return f"Then and now, {model.example.name}. Today: {model.verdict(model.now)}{mended}"


def _code(text):
    return f'<div class="mg-source">{theme.escape(text)}</div>'


def _shown(text, failed=False):
    """A cell's output; an error by a mark of its own."""
    if not text:
        return ""
    return (f'<div class="mg-source mg-shown{" mg-error" if failed else ""}">'
            f"{theme.escape(text)}</div>")


def _outcome(model, shown):
    failed = any("error" in results for results in shown)
    verdict = theme.escape(model.verdict(shown))
    return _shown(model.outcome(shown), failed) + f'<div class="mg-line"><strong>{verdict}</strong></div>'


def _changed_lines(before, after):
    """The lines of a cell that are not the document's own."""
    old = before.splitlines()
    return "\n".join(line for line in after.splitlines() if line not in old)


def _told_of_torch(model, theirs):
    if theirs.found is None:
        return theirs.text
    if model.agrees(theirs):
        return f"{theirs.text}: the same as minigrad, word for word"
    return f"{theirs.text}: not the same as minigrad, see above"
