"""The Jacobian picture as text: what a notebook prints, and a reader without a kernel is told."""

import numpy as np

from ...show.formatting import nested, number, shape, wrapped
from .collection import BUGS


def text_of(picture, answer=None):
    """The lines of a picture, a `JacobianPicture`. answer: PyTorch's side, if not the live one."""
    example, (rows, columns) = picture.example, picture.folded_shape
    backward, collection = picture.mode == "backward", picture.collection
    side = "from the left (backward)" if backward else "from the top (forward)"
    folded = "" if picture.folded else f", unfolded shape {shape(picture.full_shape)}"
    size = f"J: {rows} \u00d7 {columns}, rows are outputs, columns are inputs{folded}"
    lines = [
        wrapped("", f"Jacobian picture, {example.title}"),
        wrapped("", f"{example.input_name} = {nested(picture.input)}"),
        wrapped("", f"{size}; {side}, stop {picture.stop + 1} of 3: {picture.stop_name}"),
        *(_matrix(picture) if picture.folded else _blocks(picture)),
        wrapped("cell     ", picture.sentence()),
    ]
    if picture.covered:
        lines.append(repr(picture.card))
    elif picture.stop == 2:
        lines += _facts(picture, answer or picture.torch_answer(wait=True))
    if picture.tried:
        lines.append(wrapped("tried    ", picture.tried.told()))
    if collection.count or picture.bug != "none":
        bug = "" if picture.bug == "none" else f" Bug: {BUGS[picture.bug]}."
        matrix = nested(collection.matrix, lambda n: "?" if n is None else number(n))
        lines.append(wrapped("collect  ", f"{matrix} {collection.verdict()[1]}{bug}"))
    return lines


def _facts(picture, answer):
    """Both products, PyTorch's answers, and the bytes."""
    lines = [
        wrapped(f"{name:<9}", f"{shapes}  {what}: {value}")
        for name, what, shapes, value in picture.pairings()
    ]
    for what, theirs, agreed, difference in picture.comparison(answer):
        sign = "=" if agreed else "\u2260"
        sentence = f"{what} {sign} {theirs}, largest difference {difference}"
        lines.append(wrapped("PyTorch  ", answer.labelled(sentence, "  ")))
    if answer.found is None:
        lines.append(wrapped("PyTorch  ", answer.text))
    memory = (f"{what}: {j} for J, {v} for v" for what, j, v in picture.memory_lines())
    return [*lines, wrapped("bytes    ", "; ".join(memory))]


def _blocks(picture):
    """J unfolded, a block for each output."""
    a, blocks = picture.example.input_name, picture.cells().reshape(-1, *picture.input_shape)
    names = [f"\u2202{y}/\u2202{a}" for y in picture.row_names()]
    lines = [f"  {name}  {nested(block)}" for name, block in zip(names, blocks.tolist())]
    if picture.stop == 2:
        lines.append(f"  {picture.goal}  {picture.total_text()}")
    return [wrapped("", line) for line in lines]


def _matrix(picture):
    """J folded, v at its left or u over it, the product below or at its right."""
    body = [[name, *_signed(row)] for name, row in zip(picture.row_names(), picture.cells())]
    heads, weights = picture.column_names(), [number(one) for one in picture.weights().ravel()]
    backward = picture.mode == "backward"
    if backward:
        grid = [["v", "", *heads], *([one, *row] for one, row in zip(weights, body))]
    else:
        grid = [["", "u", *weights], ["", "", *heads], *(["", *row] for row in body)]
    if picture.stop == 2:
        total, count = picture.total(), picture.folded_shape[backward]
        last = ["", picture.goal, *(["?"] * count if total is None else _signed(total))]
        grid = [*grid, last] if backward else [[*row, one] for row, one in zip(grid, last)]
    wide = [max(map(len, column)) for column in zip(*grid)]
    lines = ("  ".join(map(str.rjust, row, wide)).rstrip() for row in grid)
    return [wrapped("  ", line) for line in lines]


def _signed(values):
    return [number(value, signed=True) for value in np.ravel(values)]
