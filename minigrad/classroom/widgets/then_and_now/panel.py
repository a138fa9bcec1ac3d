"""Then and now on the screen: two columns of code and output, aligned line by line.

Within a line what is gone is marked with \u2212 and what is new with +.
"""

from itertools import zip_longest

from ...show.html import joined, tag
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.parts import classes, div, fold, quiet, strong
from .alignment import changes, numbers_in, side_by_side
from .model import EDITED, OLD_RULE, TODAY

USE = "choose another example"

_SIDES = {TODAY: "as it stands", EDITED: "with the smallest edit", OLD_RULE: "by the old rule"}


def draw(model):
    name = "what stands beside the document"
    disabled = (EDITED,) if model.mended is None else ()
    sides = inputs.choices(name, _SIDES, model.side, "choose", disabled=disabled)
    return joined(
        inputs.head(model, parts.title(words=model.example.document), width="400px"),
        div("mg-note", quiet(model.told(model.example.note))),
        question_first(model),
        None if model.covered else inputs.bench(inputs.row("run it", sides)),
        div("mg-then-verdict", _verdict(model)),
        _heads(model),
        div("mg-rows", _cells(model), tabindex="0", role="region", aria_label="the cells"),
    )


def _verdict(model):
    answer = model.torch_answer()
    if model.message or model.covered:
        return parts.refusal(model, "")
    if model.side == OLD_RULE:
        return quiet(f"Acted out, wrong on purpose. {' '.join(model.how)}")
    said = answer.text
    if answer.found is not None:
        sign = "=" if model.agrees(answer) else "\u2260"
        said = f"{sign} PyTorch: {model.torch_line(answer)}"
    return div("mg-quiet", said, **parts.awaited(answer))


def _heads(model):
    now = "covered until you commit a guess" if model.covered else f"now: {model.verdict()}"
    columns = tag("div"), tag("div", strong("then")), div("mg-right", strong(now))
    return div("mg-heads mg-then", columns)


def _cells(model):
    """The cells in order; those in which nothing happens are folded."""
    shown, folded = [], []
    for k in range(len(model.cells)):
        if _is_quiet(model, k):
            folded.append(k)
        else:
            shown += [_folded(model, folded), _cell(model, k)]
            folded = []
    return [*shown, _folded(model, folded)]


def _is_quiet(model, k):
    """Whether nothing happens in a cell: given, or before the first that has to change."""
    given = model.cells[k].given
    if model.covered or model.mended is None:
        return given
    changed = [edited != now for edited, now in zip(model.code(EDITED), model.code(TODAY))]
    if changed[k] or model.output(k)[1]:
        return False
    return given or not any(changed[:k])


def _folded(model, places):
    if not places:
        return None
    names = [model.cells[k].label or "the cell before" for k in places]
    told = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    same = "" if model.covered else ": as then"
    return fold(f"{told}{same}", [_cell(model, k) for k in places], class_="mg-fold")


def _cell(model, k):
    """A cell's lines of code, and below them what it printed then and shows now."""
    cell = model.cells[k]
    code = cell.code if model.covered else model.code()[k]
    lines = zip(cell.code.splitlines(), code.splitlines())
    rows = [(*_marked(before, after), "") for before, after in lines]
    printed = "" if cell.given else cell.printed
    shown, failed = ("", False) if model.covered else model.output(k)
    if shown is None:
        rows = [(before, None, "") for before, _, _ in rows]
        rows[0] = (rows[0][0], tag("span", "not reached", class_="mg-quiet"), "")
        rows += [(line, None, "out") for line in printed.splitlines()]
    else:
        both = printed.splitlines(), shown.splitlines()
        pairs = zip_longest(*both, fillvalue="") if failed else side_by_side(printed, shown)
        kind = "failed" if failed else "out"
        rows += [(*_outputs(old or "", new or ""), kind) for old, new in pairs]
    theirs = model.their_output(k, model.torch_answer())
    if theirs is not None and theirs[0]:
        rows += [(None, f"PyTorch \u2260 {line}", "failed") for line in theirs[0].splitlines()]
    labels = (cell.label, *[""] * (len(rows) - 1))
    return div("mg-cell mg-then", list(map(_row, labels, rows)))


def _row(label, row):
    """One line: the label, what stood there then, and what stands there now."""
    before, after, kind = row
    then = "out" if kind == "failed" else kind
    left = div(f"mg-{then}" if then and before else "", before)
    right = div(classes("mg-right", f"mg-{kind}" if kind and after else ""), after)
    return div("mg-label mg-quiet", label), left, right


def _marked(before, after):
    """Two lines, and in them what is gone and what is new."""
    return tuple(
        joined(tag(name, text) if changed else text for text, changed in pieces)
        for name, pieces in zip(("del", "ins"), changes(before, after))
    )


def _outputs(old, new):
    """Two lines of output; marked only where other numbers stand, not where they are written so."""
    before, after = (
        [x if x == "None" else float(x) for x in numbers_in(line)] for line in (old, new)
    )
    if before == after or not before or not after:
        return old, new
    return _marked(old, new)
