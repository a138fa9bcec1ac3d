"""Collecting a Jacobian row by row, by one-hot upstream gradients: rightly, or with a classic bug.

What a learner would write in a loop, run for real on minigrad.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...compare import agreement, engines
from ...show.formatting import shape
from ..shared.point import Point, forward, one_hots

BUGS = {  # name: what it is
    "none": "no bug",
    "no zeroing": "x.grad is not cleared between the calls",
    "no clone": "x.grad itself is kept, not a copy of it",
    "columns": "the rows are stacked as columns",
}
_WHY = {
    "none": "",
    "no zeroing": ".grad adds up, so each row also holds all the rows before it.",
    "no clone": "every row is the same tensor, x.grad, and zero_() emptied it.",
    "columns": "the rows became columns, so this is J transposed.",
}
_HIDDEN = {  # why a bug can stay unseen
    "no zeroing": "there is nothing before the first row to add up.",
    "no clone": "J is zero anyway.",
    "columns": "J equals its transpose.",
}


@dataclass(frozen=True, eq=False)
class Collection:
    """The first `count` turns of one loop over the outputs. bug: a name of BUGS."""

    point: Point
    bug: str = "none"
    count: int = 0

    @property
    def done(self):
        return self.count == self.point.y.size

    @cached_property
    def matrix(self):
        """What is collected so far, [row][column], None where nothing is yet."""
        leaf, y = forward(engines.minigrad, self.point.example, self.point.x)
        rows = []  # what the learner's list holds: x.grad itself, with "no clone"
        for one_hot in one_hots(self.point.y.shape)[: self.count]:
            v = engines.minigrad.tensor(one_hot.tolist())
            y.backward(v, retain_graph=True, inputs=[leaf])
            rows.append(leaf.grad if self.bug == "no clone" else leaf.grad.clone())
            if self.bug != "no zeroing":
                leaf.grad.zero_()
        outputs, inputs = self.point.jacobian.shape
        matrix = [np.ravel(row.tolist()).tolist() for row in rows]
        matrix += [[None] * inputs] * (outputs - len(matrix))
        return [list(column) for column in zip(*matrix)] if self.bug == "columns" else matrix

    def code(self):
        """The loop that runs, as (line, whether it has the bug) pairs."""
        a, out = self.point.example.input_name, self.point.example.output
        keep = f"{a}.grad" if self.bug == "no clone" else f"{a}.grad.clone()"
        clear = f"# no {a}.grad.zero_()" if self.bug == "no zeroing" else f"{a}.grad.zero_()"
        stacked = "rows, dim=1" if self.bug == "columns" else "rows"
        return [
            ("rows = []", False),
            (f"for one_hot in torch.eye({self.point.y.size}):", False),
            (f"    v = one_hot.reshape({out}.shape)", False),
            (f"    {out}.backward(v, retain_graph=True)", False),
            (f"    rows.append({keep}.reshape(-1))", self.bug == "no clone"),
            (f"    {clear}", self.bug == "no zeroing"),
            (f"J = torch.stack({stacked})", self.bug == "columns"),
        ]

    def verdict(self):
        """(whether it equals J, a sentence), once all rows are there; before, (None, how far)."""
        if not self.done:
            rows = "row" if self.point.y.size == 1 else "rows"
            return None, f"{self.count} of {self.point.y.size} {rows} collected."
        right, collected = self.point.jacobian, np.array(self.matrix, dtype=float)
        if agreement.agree(collected, right):
            if self.bug == "none":
                return True, "This is J: row k is x.grad for the one-hot v of output k."
            return True, f"This is J all the same: {_HIDDEN[self.bug]} Try a map that tells."
        why = _WHY[self.bug]
        if collected.shape != right.shape:
            why = f"shape {shape(collected.shape)}, and J has {shape(right.shape)}: {why}"
        return False, f"Not J. {why[:1].upper()}{why[1:]}".strip()
