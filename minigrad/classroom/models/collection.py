"""Collecting a Jacobian row by row, by one-hot upstream gradients: rightly, or with a classic bug.

What a learner would write in a loop, run for real on minigrad, one turn at a time.
"""

import numpy as np

from .. import agreement, engines
from ..formatting import indices, shape
from .point import forward, tensor, with_entry

BUGS = {  # name: what it is
    "none": "no bug",
    "no zeroing": "x.grad is not cleared between the calls",
    "no clone": "x.grad itself is kept, not a copy of it",
    "columns": "the rows are stacked as columns",
}
_WHY = {
    "no zeroing": ".grad adds up, so each row also holds all the rows before it.",
    "no clone": "every row is the same tensor, x.grad, and zero_() emptied it.",
    "columns": "the rows became columns, so this is J transposed.",
}
_HIDDEN = {  # why a bug can stay unseen
    "no zeroing": "there is nothing before the first row to add up.",
    "no clone": "J is zero anyway.",
    "columns": "J equals its transpose.",
}


class Collection:
    """One loop over the outputs of `point`'s function. bug: a name of BUGS."""

    def __init__(self, point, bug="none"):
        self.point = point
        self.bug = bug
        self._rows = []  # what the learner's list holds: x.grad itself, with "no clone"
        self._leaf, self._y = forward(engines.minigrad, point.preset, point.x)

    @property
    def done(self):
        return len(self._rows) == self.point.y.size

    @property
    def count(self):
        return len(self._rows)

    def next(self):
        """One more turn of the loop: a one-hot v, backward, keep the row, clear."""
        index = indices(self.point.y.shape)[len(self._rows)]
        one_hot = with_entry(np.zeros(self.point.y.shape), index, 1.0)
        self._y.backward(tensor(one_hot), retain_graph=True, inputs=[self._leaf])
        grad = self._leaf.grad
        self._rows.append(grad if self.bug == "no clone" else grad.clone())
        if self.bug != "no zeroing":
            grad.zero_()

    def matrix(self):
        """What is collected so far, [row][column], None where nothing is yet."""
        outputs, inputs = self.point.jacobian.shape
        found = [np.ravel(row.tolist()).tolist() for row in self._rows]
        found += [[None] * inputs] * (outputs - len(found))
        if self.bug == "columns":
            found = [list(column) for column in zip(*found)]
        return found

    def code(self):
        """The loop that runs, as (line, whether it has the bug) pairs."""
        a, out = self.point.preset.input_name, self.point.preset.output_name
        bug = self.bug
        keep = f"{a}.grad" if bug == "no clone" else f"{a}.grad.clone()"
        return [
            ("rows = []", False),
            (f"for one_hot in torch.eye({self.point.y.size}):", False),
            (f"    v = one_hot.reshape({out}.shape)", False),
            (f"    {out}.backward(v, retain_graph=True)", False),
            (f"    rows.append({keep}.reshape(-1))", bug == "no clone"),
            (f"    # no {a}.grad.zero_()", True)
            if bug == "no zeroing"
            else (f"    {a}.grad.zero_()", False),
            ("J = torch.stack(rows, dim=1)", True)
            if bug == "columns"
            else ("J = torch.stack(rows)", False),
        ]

    def verdict(self):
        """(whether it equals J, a sentence), once all rows are there; before, (None, how far)."""
        total = self.point.y.size
        if not self.done:
            rows = "row" if total == 1 else "rows"
            return None, f"{self.count} of {total} {rows} collected."
        right = self.point.jacobian
        found = np.array(self.matrix(), dtype=float)
        if agreement.agree(found, right):
            if self.bug == "none":
                return True, "This is J: row k is x.grad for the one-hot v of output k."
            return True, f"This is J all the same: {_HIDDEN[self.bug]} Try a map that tells."
        why = _WHY.get(self.bug, "")
        if found.shape != right.shape:
            why = f"shape {shape(found.shape)}, and J has {shape(right.shape)}: {why}"
        return False, f"Not J. {why[:1].upper()}{why[1:]}".strip()
