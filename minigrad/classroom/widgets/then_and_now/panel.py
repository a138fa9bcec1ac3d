"""Then and now on the screen: two columns of code and output, aligned line by line.

Within a line what is gone is marked with \u2212 and what is new with +.
"""

import difflib
import re
from functools import partial
from itertools import groupby, zip_longest

from ...show.html import joined, tag
from ..shared import inputs, parts
from ..shared.parts import classes, div, fold, quiet, quietly, strong
from .model import EDITED, OLD_RULE, TODAY, numbers_in

USE = "choose another example"

_SIDES = {TODAY: "as it stands", EDITED: "with the smallest edit", OLD_RULE: "by the old rule"}


def draw(model):
    sides = inputs.choices("what stands beside the document", _SIDES, model.side, "choose")
    return joined(
        inputs.head(model, parts.title(words=model.example.document), width="400px"),
        div("mg-note", quiet(model.example.note)),
        inputs.bench(inputs.row("run it", sides)),
        div("mg-then-verdict", _verdict(model)),
        _heads(model),
        div("mg-rows", _cells(model), tabindex="0", role="region", aria_label="the cells"),
    )


def _verdict(model):
    answer = model.torch_answer()
    if model.message:
        return parts.refusal(model, "")
    if model.side == OLD_RULE:
        return quiet(f"Acted out, wrong on purpose. {' '.join(model.made_to_fit)}")
    line = model.torch_line(answer)
    if answer.found is not None:
        sign = "=" if model.agrees(answer) else "\u2260"
        line = f"{sign} PyTorch: {line}"
    return div("mg-quiet", line, **parts.awaited(answer))


def _heads(model):
    now = strong(f"now: {model.verdict()}")
    columns = tag("div"), tag("div", strong("then")), div("mg-right", now)
    return div("mg-heads mg-then", columns)


def _cells(model):
    """The cells in order; those in which nothing happens are folded."""
    drawn = []
    for is_quiet, group in groupby(range(len(model.cells)), partial(_is_quiet, model)):
        places = list(group)
        cells = [_cell(model, k) for k in places]
        if is_quiet:
            first, last = model.cells[places[0]].label, model.cells[places[-1]].label
            span = first if first == last else f"{first} to {last}"
            cells = fold(f"{span}: as then", cells, class_="mg-fold")
        drawn.append(cells)
    return drawn


def _is_quiet(model, k):
    """Whether nothing happens in a cell: given, or before the first that has to change."""
    changed = [edited != now for edited, now in zip(model.code(EDITED), model.code(TODAY))]
    if changed[k] or model.failed(k):
        return False
    return model.cells[k].given or not any(changed[:k])


def _cell(model, k):
    """A cell's lines of code, and below them what it printed then and shows now."""
    cell, now = model.cells[k], model.output(k)
    both = cell.code.splitlines(), model.code()[k].splitlines()
    rows = [(*_marked(*lines), "") for lines in zip(*both)]
    if now is None:
        rows = [(before, None, "") for before, _, _ in rows]
        rows[0] = (rows[0][0], quietly("not reached"), "")
    kind = "failed" if model.failed(k) else "out"
    then = "" if cell.given else cell.printed
    rows += [(*lines, kind) for lines in side_by_side(then, now or "")]
    labels = (cell.label, *[""] * (len(rows) - 1))
    return div("mg-cell mg-then", list(map(_row, labels, rows)))


def _row(label, row):
    """One line: the label, what stood there then, and what stands there now."""
    before, after, kind = row
    left = div("mg-out" if kind and before else "", before)
    right = div(classes("mg-right", f"mg-{kind}" if kind and after else ""), after)
    return div("mg-label mg-quiet", label), left, right


def side_by_side(then, now):
    """[(old line or None, new line or None)]: those with the same numbers beside each other."""
    before, after = then.splitlines(), now.splitlines()
    old, new = ([str(numbers_in(line) or line) for line in lines] for lines in (before, after))
    pairs = []
    for _, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        pairs += zip_longest(before[a:b], after[c:d])
    return pairs


def changes(before, after):
    """Two lines as pieces: ([(text, whether it is gone)], [(text, whether it is new)])."""
    old, new = (re.findall(r"\w+|\W", line) for line in (before, after))
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    pieces: tuple[list, list] = [], []
    for place, (kind, a, b, c, d) in enumerate(opcodes):
        texts = "".join(old[a:b]), "".join(new[c:d])
        between = 0 < place < len(opcodes) - 1  # a sign between two changes is part of them
        changed = kind != "equal" or between and not re.search(r"\w", texts[0])
        for own, text in zip(pieces, texts):
            if own and own[-1][1] == changed:
                text = own.pop()[0] + text
            own.append((text, changed))
    return pieces


def _marked(before, after):
    """Two lines, and in them what is gone and what is new."""
    return tuple(
        joined(tag(name, text) if changed and text else text for text, changed in pieces)
        for name, pieces in zip(("del", "ins"), changes(before, after))
    )
