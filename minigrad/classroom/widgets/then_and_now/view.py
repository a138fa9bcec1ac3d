"""Then and now on the screen: two columns of code and output, aligned line by line.

Within a line what is gone is marked with \u2212 and what is new with +.
"""

from itertools import zip_longest

from ..predict_card.view import Cover
from ..shared import controls, theme
from ..shared.view import View
from .alignment import changes, numbers_in, side_by_side
from .model import EDITED, OLD_RULE, TODAY, ThenAndNow

_SIDES = {TODAY: "as it stands", EDITED: "with the smallest edit", OLD_RULE: "by the old rule"}


class ThenAndNowPanel(View, of=ThenAndNow):
    use = "choose another example"

    def build(self, model):
        self._rows = controls.html_area()
        self._verdict = controls.classed("mg-verdict", controls.html_area())
        self._note = controls.classed("mg-note", controls.html_area())
        head = controls.classed("mg-then-head", self.head())
        # A heading of the list is no example: the list goes back to the one that is shown.
        self._example.observe(lambda change: change["new"] == "" and self.refresh(), names="value")
        self._sides = controls.Choices(
            "what stands beside the document", _SIDES, self.acting(model.choose)
        )
        bench = controls.bench([controls.html_area("run it"), self._sides.box])
        self._cover = Cover(model, [bench])
        return [head, self._note, *self._cover.places, bench, self._verdict, self._rows]

    def redraw(self):
        model = self.model
        answer = model.torch_answer()
        self._rows.value = self._rows_html(answer) + theme.spoken(model.announcement())
        self._verdict.value = self._verdict_html(answer)
        source = model.example.group.partition(":")[0]
        self._title.value = theme.title(words=source or model.example.name)
        self._note.value = theme.quiet(model.told(model.example.note))
        self._sides.show(model.side)
        self._sides.buttons[EDITED].disabled = model.mended is None

    def _verdict_html(self, answer):
        model = self.model
        if model.message or model.covered:
            return self.refusal("")
        if model.side == OLD_RULE:
            return theme.quiet(f"Acted out, wrong on purpose. {' '.join(model.how)}")
        if answer.found is None:
            return theme.quiet(answer.text)
        sign = "=" if model.agrees(answer) else "\u2260"
        return theme.quiet(f"{sign} PyTorch: {model.torch_line(answer)}")

    def _rows_html(self, answer):
        model = self.model
        year = model.document.year
        then = "then" if year == "then" else f"then, {year}"
        now = "covered until you commit a guess" if model.covered else f"now: {model.verdict()}"
        heads = (
            f'<div class="mg-then mg-heads"><div></div><div><strong>{then}</strong></div>'
            f'<div class="mg-right"><strong>{theme.escape(now)}</strong></div></div>'
        )
        cells, folded = "", []
        for k, cell in enumerate(model.cells):
            if self._is_quiet(k, cell):
                folded.append(k)
                continue
            cells += self._folded(folded, answer) + self._cell_html(k, cell, answer)
            folded = []
        cells += self._folded(folded, answer)
        return (
            f'{heads}<div class="mg-rows" tabindex="0" role="region" aria-label="the cells">'
            f"{cells}</div>"
        )

    def _is_quiet(self, k, cell):
        """Whether nothing happens in a cell: given, or before the first that has to change."""
        model = self.model
        if model.covered or model.mended is None:
            return cell.given
        changed = [edited != now for edited, now in zip(model.code(EDITED), model.code(TODAY))]
        if changed[k] or model.output(k)[1]:
            return False
        return cell.given or not any(changed[:k])

    def _folded(self, places, answer):
        if not places:
            return ""
        cells = [self.model.cells[k] for k in places]
        names = [cell.label or "the cell before" for cell in cells]
        told = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        same = "" if self.model.covered else ": as then"
        rows = "".join(self._cell_html(k, cell, answer) for k, cell in zip(places, cells))
        return (
            f'<details class="mg-fold"><summary>{theme.escape(told + same)}</summary>'
            f"{rows}</details>"
        )

    def _cell_html(self, k, cell, answer):
        model = self.model
        code = cell.code if model.covered else model.code()[k]
        shown, failed = ("", False) if model.covered else model.output(k)
        pairs = zip(cell.code.splitlines(), code.splitlines())
        rows = [(*map(_marked, changes(*pair), ("del", "ins")), "") for pair in pairs]
        printed = "" if cell.given else cell.printed
        if shown is None:
            rows += [(theme.escape(line), "", "out") for line in printed.splitlines()]
            rows = [(left, "", kind) for left, _, kind in rows]
            rows[0] = (rows[0][0], '<span class="mg-quiet">not reached</span>', "")
        else:
            both = printed.splitlines(), shown.splitlines()
            pairs = zip_longest(*both) if failed else side_by_side(printed, shown)
            kind = "failed" if failed else "out"
            rows += [(*_output_pair(old or "", new or ""), kind) for old, new in pairs]
        theirs = model.their_output(k, answer)
        if theirs is not None and theirs[0]:
            lines = (f"PyTorch \u2260 {theme.escape(line)}" for line in theirs[0].splitlines())
            rows += [("", line, "failed") for line in lines]
        labels = (cell.label, *[""] * (len(rows) - 1))
        lines = "".join(map(_row, labels, rows))
        return f'<div class="mg-then mg-cell">{lines}</div>'


def _row(label, row):
    """One line: the label, what stood there then, and what stands there now."""
    left, right, kind = row
    then = "out" if kind == "failed" else kind
    sides = ""
    for html, side, mark in ((left, "", then), (right, "mg-right", kind)):
        marked = f"mg-{mark}" if mark and html else ""
        sides += f'<div class="mg-source {side} {marked}">{html}</div>'
    return f'<div class="mg-label mg-quiet">{theme.escape(label)}</div>{sides}'


def _marked(pieces, tag):
    return "".join(
        f"<{tag}>{theme.escape(text)}</{tag}>" if changed else theme.escape(text)
        for text, changed in pieces
    )


def _output_pair(old, new):
    """Two lines of output; marked only where other numbers stand, not where they are written so."""
    before, after = (
        [x if x == "None" else float(x) for x in numbers_in(line)] for line in (old, new)
    )
    if before == after or not before or not after:
        return theme.escape(old), theme.escape(new)
    return tuple(map(_marked, changes(old, new), ("del", "ins")))
