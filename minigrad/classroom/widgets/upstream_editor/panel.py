"""The upstream editor on the screen.

Forward runs to the right on top, a to out; backward runs to the left beneath, v to a.grad: each
gradient stands under the tensor whose shape it has. PyTorch and nudging stand right of a rule.
"""

import numpy as np

from ...show.drawing import svg
from ...show.drawing.svg import letters
from ...show.formatting import brackets, in_brackets, indices, number, shape
from ...show.html import joined, tag
from ..predict_card.panel import question_first
from ..shared import inputs, parts
from ..shared.inputs import act
from ..shared.parts import classes, code, div, heading, quiet

USE = "edit v"

_ARROW = 94  # pixels, between the tensors
_TERMS, _LETTERS = 6, 44  # of a sum that is written as a table: terms, and letters of them
_ROOM, _WIDEST = 795, 1146  # pixels across a panel beside the list of files, and at most
_LEAST = 200  # pixels: the width of v's slider, and of the words over a check


def draw(editor):
    example, marks = editor.example, _marks(editor)
    title = parts.title(example.formula, note=editor.told(example.note))
    typed = inputs.boxes(editor, "input") if editor.edit_input else None
    return joined(
        inputs.head(editor, title, width="370px"),
        _bench(editor),
        question_first(editor),
        div(
            _stage_classes(editor),
            div("mg-x", _given(example.input_name, editor.input, editor.selected, typed)),
            div("mg-arrow mg-forward", code(_rule(example)), svg.arrow(_ARROW)),
            div("mg-y", _given(example.output, editor.output)),
            div("mg-minigrad", _grad(editor, marks)),
            div("mg-arrow mg-back", parts.strong(code("backward(v)")), svg.arrow(_ARROW, True)),
            div("mg-weighs", _upstream(editor)),
            div("mg-checks", _by_torch(editor, marks), _by_nudging(editor, marks)),
            div("mg-sums", _chosen(editor), _sums(editor)),
        ),
    )


# --- what a learner may change -------------------------------------------------------------------


def _bench(editor):
    locked = editor.lock_upstream
    fields = [inputs.list_field(editor, "upstream", "v =", disabled=locked, width="290px")]
    if editor.edit_input:
        label = f"{editor.example.input_name} ="
        fields.insert(0, inputs.list_field(editor, "input", label, width="220px"))
    return inputs.bench(None if locked else _fill(editor), inputs.row(*fields))


def _fill(editor):
    """All that sets every entry of v at once."""
    out = editor.example.output
    one_hot = [("one-hot", None)]
    one_hot += [(out + brackets(index), index) for index in indices(editor.output_shape)]
    more = [("more", None), ("[0.1, 1, 0.0001]", "example"), ("random", "random")]
    chosen = _one_hot_index(np.array(editor.upstream))
    return inputs.row(
        tag("span", "fill ", tag("b", code("v"))),
        inputs.button("ones", "Set every entry of v to 1", act("press", "ones")),
        inputs.button("zero", "Set every entry of v to 0", act("press", "zero")),
        inputs.button(editor.example.input_name, "Set v to the input", act("press", "input")),
        inputs.select("one-hot", one_hot, chosen, act("one_hot"), False, "112px"),
        inputs.select("more values", more, None, act("press"), False, "92px"),
    )


def _upstream(editor):
    use = "given" if editor.lock_upstream else "you change"
    boxes = inputs.boxes(editor, "upstream", editor.lock_upstream)
    return joined(heading("v", f"{use}, {shape(editor.output_shape)}"), boxes)


def _chosen(editor):
    name = f"{editor.example.input_name}.grad"
    options = [(name + brackets(index), index) for index in indices(editor.input_shape)]
    return inputs.select("explain", options, editor.selected, act("select"), labelled=False)


# --- forward -------------------------------------------------------------------------------------


def _given(name, values, chosen=None, boxes=None):
    """The numbers of x or y under its name, or the boxes in which they are typed."""
    values = np.array(values)
    cells = boxes or parts.matrix(values, name, chosen, signed=False)
    return joined(heading(name, f"given, {shape(values.shape)}"), cells)


def _rule(example):
    rule = example.formula.partition(" = ")[2]
    return rule if len(rule) < 9 else "f"


# --- backward: x.grad, and the checks beside it --------------------------------------------------


def _grad(editor, marks):
    name = f"{editor.example.input_name}.grad"
    matrix = parts.matrix(np.array(editor.input_grad), f"{name} by minigrad", **marks)
    return joined(heading(name, "follows, minigrad"), matrix)


def _marks(editor):
    """How x.grad and the checks are marked: the entry in focus, what changed, what is covered."""
    changed = editor.changed(lambda editor: dict(np.ndenumerate(editor.input_grad)))
    cover = "?" if editor.covered else None
    return {"chosen": editor.selected, "cover": cover, "changed": changed}


def _by_torch(editor, marks):
    answer = editor.torch_answer()
    if answer.found is None:
        grad, verdict, marks = editor.input_grad, None, {**marks, "cover": "\u2026"}
    else:
        grad = answer.found["x.grad"]
        verdict = editor.agreement_with(grad)
    check = _check(editor, answer.label(), "PyTorch", grad, verdict, marks)
    return div("mg-torch", check, **parts.awaited(answer))


def _by_nudging(editor, marks):
    name, grad, note = editor.example.input_name, editor.nudge_grad, editor.nudge_note
    if grad is None:
        return div("mg-nudge", heading(f"{name}.grad", "nudging"), quiet(note))
    verdict = editor.nudge_comparison()
    check = _check(editor, f"nudging {name}", "nudging", grad, verdict, marks, note)
    return div("mg-nudge", check)


def _check(editor, source, by, grad, verdict, marks, note=""):
    """Another answer to x.grad: where it is from, its numbers, and whether minigrad agrees."""
    name, agreement = f"{editor.example.input_name}.grad", None
    if verdict is not None and not marks["cover"]:
        agrees, text = verdict
        agreement = parts.verdict(agrees, "" if agrees else text)
        note = f"{text}; {note}" if note else text
    matrix = parts.matrix(np.array(grad), f"{name} by {by}", **marks)
    return joined(heading(name, source), div("mg-columns mg-agrees", matrix, agreement, title=note))


# --- the sums ------------------------------------------------------------------------------------


def _sums(editor):
    """L and the chosen sum, term by term; or in their place why something was refused."""
    if editor.message:
        return parts.refusal(editor, "Everything stays as it was before, v and the gradients too.")
    if editor.covered:
        return quiet("The sums are covered until you commit a guess.")
    lines = [
        div("mg-line mg-code", parts.minus(line))
        for line in (editor.loss_line(), editor.sum_line())
    ]
    sums = [_terms(editor, editor.output), _terms(editor, editor.derivatives())]
    long = max(sum(len(term) for term, _ in terms) for terms in sums)
    if len(sums[0]) > _TERMS or long > _LETTERS:
        return joined(lines)
    return joined(_sums_table(editor, *sums), lines)


def _terms(editor, factors):
    """[(a factor times its entry of v, whether that is 0)]."""
    terms = []
    for weight, factor in zip(np.ravel(editor.upstream), np.ravel(factors)):
        product = f"{number(weight, minus=True)}\u00b7{in_brackets(factor, minus=True)}"
        terms.append((product, float(weight) * float(factor) == 0))  # 0·inf is nan
    return terms


def _totals(editor):
    """What the sums come to: L, and the chosen entry of x.grad."""
    return {"L": editor.weighted_loss, "grad": np.array(editor.input_grad)[editor.selected]}


def _sums_table(editor, loss_terms, grad_terms):
    example, totals, changed = editor.example, _totals(editor), editor.changed(_totals)
    name = f"{example.input_name}.grad{brackets(editor.selected)}"
    head, rows = [tag("td"), tag("td")], []
    for index in indices(editor.output_shape):
        head += [tag("td", brackets(index).replace(" ", "")), tag("td")]
    both = (("L", f"L = \u03a3 v\u00b7{example.output}", loss_terms), ("grad", name, grad_terms))
    for key, said, terms in both:
        row, sign = [tag("th", said, scope="row")], "="
        for term, is_nil in terms:
            row += [tag("td", sign), tag("td", term, class_=classes(nil=is_nil))]
            sign = "+"
        chip = parts.chip(totals[key], marks=classes(changed=key in changed))
        rows.append([*row, tag("td", "="), tag("td", chip)])
    return parts.rows_of(rows, [*head, tag("td")], aria_label=f"L and the sum behind {name}")


def _one_hot_index(values):
    """The index of the only 1 among zeros, else None, the list's heading."""
    if np.count_nonzero(values) != 1 or values.sum() != 1:
        return None
    return tuple(int(k) for k in np.argwhere(values == 1)[0])


# --- how wide it all is --------------------------------------------------------------------------


def _stage_classes(editor):
    """Where numbers are long the checks stand under the two ways, not beside them."""
    v, grad = np.array(editor.upstream), _width(np.array(editor.input_grad))
    left = max(grad, _width(np.array(editor.input), False))
    right = max(_LEAST, _width(v) + 4, _width(np.array(editor.output), False))
    needed = left + _ARROW + right + max(_LEAST, grad + 34) + 3 * 8
    wide = {"checks-under": needed > _ROOM, "checks-always": needed > _WIDEST}
    return classes("mg-upstream", **wide)


def _width(values, signed=True):
    """About how wide an array stands on a panel, in pixels."""
    columns = values.reshape(-1, values.shape[-1] if values.ndim else 1).T
    texts = ([number(value, signed) for value in column] for column in columns)
    return 12 + sum(10 + max(50, letters(max(column, key=len))) for column in texts)
