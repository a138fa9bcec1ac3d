"""The Jacobian picture: J with its rows (outputs) and columns (inputs), and both products with it.

From the left, v·J is what `backward(v)` leaves in x.grad: rows are scaled by v, columns added. From
the right, J·u says how the outputs move when the input moves along u: columns are scaled by u, rows
added. What J and the products are, the engine says (`products.py`); the model only multiplies
single numbers, to show the way there.

It is complete without ipywidgets; `views/jacobian.py` only draws it.
"""

from dataclasses import replace

import numpy as np

from .. import agreement, engines
from ..formatting import brackets, indices, nested, number, shape, subscript, wrapped
from ..typed_numbers import Refused, read_array, read_number
from . import products
from .at_point import ModelAtPoint
from .base import action, one_of, truth
from .collection import BUGS, Collection
from .maps import MAPS, Map
from .point import forward, point_at, values_of, with_entry
from .predict import PredictCard
from .presets import own_preset
from .products import PRODUCTS

MAX_LINES = 12  # more rows or columns than this are not readable
MODES = ("backward", "forward")
STOPS = {
    "backward": ("J", "rows scaled by v", "columns added"),
    "forward": ("J", "columns scaled by u", "rows added"),
}
COUNTED = (10, 1_000, 100_000)  # sizes n whose bytes are counted
_BYTES = 4  # of one float32


class JacobianPicture(ModelAtPoint):
    """The model of the Jacobian picture.

    what: the name of an example ("A @ x", see `JacobianPicture.examples()`), or a function of one
        tensor, `lambda x: x * x`, or `lambda torch, x: torch.log(x)`; up to 12 inputs and outputs.
    x: the input of an own function: a number or nested lists. An example brings its own.
    v, u: the upstream gradient and the direction of the input to begin with; ones when left out.
    predict: True covers the result until a guess is committed or "show me" is asked.

    An own function that fails is refused: `message` says why, and the first example is shown. Later
    edits never raise either: what cannot be used is refused and everything else stays as it was.
    """

    known = MAPS

    def __init__(self, what="A @ x", x=None, v=None, u=None, *, predict=False):
        super().__init__(predict)
        self.mode = "backward"
        self.stop = 0
        self.folded = True  # J as a matrix, outputs and inputs counted row by row
        self.tried = None  # the product that was tried last
        self._bug = "none"
        if callable(what):
            self._start(lambda: self._open_own(what, x), "A @ x")
        else:
            example = self._find(what)
            if x is not None:
                example = replace(example, x=read_array(x).tolist(), v=None, u=None)
            self._open(example)
        for place, name, value in (("upstream", "v", v), ("direction", "u", u)):
            if value is not None and self.message is None:
                self._edit(place, lambda name=name, value=value: {name: read_array(value)})

    @staticmethod
    def examples():
        """The names of the examples that can be loaded."""
        return list(MAPS)

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def set_direction(self, value):
        """Set all of u, in the input's shape exactly."""
        self._edit("direction", lambda: {"u": read_array(value)})

    @action
    def set_direction_entry(self, index, value):
        """Set one number of u; index as in Python."""
        index = self._of_input(index, "direction")
        self._edit(
            ("direction", index),
            lambda: {"u": with_entry(self._shown.u, index, read_number(value))},
        )

    @action
    def look(self, mode):
        """Look from the left, "backward" (v·J), or from the top, "forward" (J·u)."""
        self.mode = one_of(mode, MODES, "mode", "mode")

    @action
    def go_to(self, stop):
        """Go to a stop: 0 J, 1 scaled, 2 added; only 0 while the products are covered."""
        stop = one_of(stop, (0, 1, 2), "stop", "stop")
        if stop:
            self._check_uncovered("stop")
        self.stop = stop

    @action
    def fold(self, folded=True):
        """True: J as a matrix. False: J in its full shape, one block for each output."""
        self.folded = truth(folded) or not self.foldable

    @action
    def select(self, output, input):
        """Choose the cell that is put into a sentence, by its output's and its input's index."""
        output = self._of_output(output, "explain")
        self.selected = (output, self._of_input(input, "explain"))

    @action
    def try_product(self, name):
        """Try one of the four products; `tried` says whether it fits, and what it is."""
        name = str(name).replace(" ", "").replace("@", "\u00b7").replace("*", "\u00b7")
        self.tried = products.attempt(self._shown, one_of(name, PRODUCTS, "product", "product"))

    @action
    def choose_bug(self, name):
        """Collect with one of the classic bugs, or with "none"; starts over."""
        self._bug = one_of(name, BUGS, "bug", "bug")
        self._start_collecting()

    @action
    def collect_next(self):
        """One more one-hot v, one more row; after the last row, the first again."""
        self._begin_again_if_done()
        self.collection.next()

    @action
    def collect_all(self):
        """The rest of the one-hots, one after another."""
        self._begin_again_if_done()
        while not self.collection.done:
            self.collection.next()

    # --- what it shows --------------------------------------------------------------------------

    @property
    def direction(self):
        """u, one number for each input, in the input's shape."""
        return self._shown.u.tolist()

    @property
    def output_change(self):
        """J·u, by autograd.functional.jvp, in the output's shape; None if it cannot be had."""
        change = self._shown.output_change
        return None if change is None else change.tolist()

    @property
    def full_jacobian(self):
        """J in its full shape, the output's followed by the input's, as PyTorch returns it."""
        return self._shown.point.jacobian.reshape(self.full_shape).tolist()

    @property
    def full_shape(self):
        return self.output_shape + self.input_shape

    @property
    def folded_shape(self):
        return self._shown.point.jacobian.shape

    @property
    def foldable(self):
        """Whether folding changes anything: not if input and output are vectors."""
        return self.full_shape != self.folded_shape

    def row_names(self):
        """The outputs, as a mathematician writes them: y₁, y₂."""
        return [self.preset.output_name + subscript(index) for index in indices(self.output_shape)]

    def column_names(self):
        return [self.preset.input_name + subscript(index) for index in indices(self.input_shape)]

    def cells(self):
        """The numbers in the picture at this stop, [output][input]: J, or J scaled."""
        return self._cells().tolist()

    def _cells(self):
        jacobian = self._shown.point.jacobian
        if self.stop == 0:
            return jacobian
        with np.errstate(all="ignore"):
            if self.mode == "backward":
                return self._shown.v.reshape(-1, 1) * jacobian
            return jacobian * self._shown.u.reshape(1, -1)

    def total(self):
        """The product at the last stop, in its own shape: x.grad or J·u; None before."""
        if self.stop < 2:
            return None
        return self.input_grad if self.mode == "backward" else self.output_change

    def sentence(self, output=None, input=None):
        """One cell in words: "If x₂ rises by 1, y₁ rises by 2." The selected cell when left out."""
        if output is None:
            output, input = self.selected
        output = self._of_output(output, "explain")
        input = self._of_input(input, "explain")
        i = indices(self.output_shape).index(output)
        j = indices(self.input_shape).index(input)
        y = self.preset.output_name + subscript(output)
        x = self.preset.input_name + subscript(input)
        slope = float(self._shown.point.jacobian[i, j])
        if not np.isfinite(slope):
            return f"{y} has no finite rate of change with {x} here: {number(slope)}."
        text = f"If {x} rises by 1, {y} {_moves(slope)}"
        really = float(self._whole_steps[i, j])
        if np.isfinite(really) and not agreement.agree(
            really, slope, (1e-3, 0.0) if slope else (0.0, 0.0)
        ):
            text += f", at the rate it has here; a whole step really makes it {_whole(really)}"
        return text + "." + self._in_the_product(i, j, slope)

    def _in_the_product(self, i, j, slope):
        """What becomes of a cell at this stop, a second sentence."""
        if self.stop == 0:
            return ""
        if self.mode == "backward":
            name, index, weight = "v", indices(self.output_shape)[i], self._shown.v.ravel()[i]
            goal = f"{self.preset.input_name}.grad{brackets(indices(self.input_shape)[j])}"
        else:
            name, index, weight = "u", indices(self.input_shape)[j], self._shown.u.ravel()[j]
            goal = f"(J\u00b7u){brackets(indices(self.output_shape)[i])}"
        product = float(self._cells()[i, j])
        text = (
            f" {name}{subscript(index)} times this is {number(weight)}\u00b7{_bracketed(slope)} = "
            f"{number(product)}"
        )
        return text + (f", a part of {goal}." if self.stop == 2 else ".")

    def pairings(self):
        """Both products that exist for every map, as (name, what it is, shapes, value) of texts."""
        outputs, inputs, full = self.output_shape, self.input_shape, self.full_shape
        if self.folded:
            full = self.folded_shape
            outputs, inputs = full[:1], full[1:]
        change = self.output_change
        forward_value = self._shown.note if change is None else nested(change)
        return [
            (
                "v\u00b7J",
                f"{self.preset.input_name}.grad, by backward(v)",
                f"{shape(outputs)}\u00b7{shape(full)} \u2192 {shape(inputs)}",
                nested(self.input_grad),
            ),
            (
                "J\u00b7u",
                "forward, by jvp",
                f"{shape(full)}\u00b7{shape(inputs)} \u2192 {shape(outputs)}",
                forward_value,
            ),
        ]

    def memory(self):
        """Bytes of J and of v for a map of n numbers to n numbers, as (n, J, v)."""
        return [(n, _BYTES * n * n, _BYTES * n) for n in COUNTED]

    def memory_lines(self):
        """The same as (what, J, v) texts, the map of the picture first."""
        rows, columns = self.folded_shape
        lines = [(f"this map, {rows}\u00d7{columns}", _BYTES * rows * columns, _BYTES * rows)]
        lines += [(f"n = {n:,}".replace(",", "\u202f"), j, v) for n, j, v in self.memory()]
        return [(what, bytes_text(j), bytes_text(v)) for what, j, v in lines]

    def stored_answer(self):
        """PyTorch's Jacobian and products from the record alone."""
        return products.stored_answer(self._shown)

    def comparison(self, answer=None):
        """(what, PyTorch's name for it, agrees, difference) for J and both products.

        Empty where PyTorch has no answer.
        """
        found = (answer or self.torch_answer(wait=True)).found
        if found is None:
            return []
        shown, a = self._shown, self.preset.input_name
        pairs = (
            ("J", "autograd.functional.jacobian", shown.point.jacobian, found.jacobian),
            (f"v\u00b7J = {a}.grad", "backward(v)", shown.input_grad, found.input_grad),
            ("J\u00b7u", "autograd.functional.jvp", shown.output_change, found.output_change),
        )
        lines = []
        for what, theirs, mine, other in pairs:
            if mine is not None and other is not None:
                agreed = agreement.agree(mine, other)
                lines.append((what, theirs, agreed, agreement.difference_text(mine, other, agreed)))
        return lines

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message} Nothing else changed."
        if self.covered:
            return "The products are covered until you commit a guess."
        if self.tried is not None:
            return self.tried.sentence
        if self.collection.count:
            return self.collection.verdict()[1]
        name = STOPS[self.mode][self.stop]
        if self.stop < 2:
            return f"Stop {self.stop + 1} of 3: {name}."
        result = f"{self.preset.input_name}.grad" if self.mode == "backward" else "J\u00b7u"
        value = "not to be had" if self.total() is None else nested(self.total())
        return f"Stop 3 of 3: {name}. {result} is {value}."

    def state(self):
        """Everything the picture shows, as plain values."""
        return {
            "example": self.preset.name,
            "input": self.input,
            "output": self.output,
            "jacobian": self.jacobian,
            "upstream": self.upstream,
            "direction": self.direction,
            "input_grad": self.input_grad,
            "output_change": self.output_change,
            "mode": self.mode,
            "stop": self.stop,
            "folded": self.folded,
            "cells": self.cells(),
            "selected": self.selected,
            "sentence": self.sentence(),
            "tried": self.tried,
            "covered": self.covered,
            "bug": self.collection.bug,
            "collected": self.collection.matrix(),
            "message": self.message,
            "refused_at": self.refused_at,
        }

    def __repr__(self):
        return self.text()

    def text(self, answer=None):
        """The picture as text. answer: PyTorch's side, if not the live one."""
        preset, (rows, columns) = self.preset, self.folded_shape
        view = "from the left (backward)" if self.mode == "backward" else "from the top (forward)"
        folded = "" if self.folded else f", unfolded shape {shape(self.full_shape)}"
        lines = [
            wrapped("", f"Jacobian picture, {preset.name}: {preset.formula}"),
            wrapped("", f"{preset.input_name} = {nested(self.input)}"),
            wrapped(
                "",
                f"J: {rows} \u00d7 {columns}, rows are outputs, columns are inputs{folded}; "
                f"{view}, stop {self.stop + 1} of 3: {STOPS[self.mode][self.stop]}",
            ),
            *self._table_lines(),
        ]
        if self.covered:
            refused = [wrapped("refused  ", self.message)] if self.message else []
            return "\n".join([*lines, repr(self.card), *refused])
        for name, what, shapes, value in self.pairings():
            lines.append(wrapped(f"{name:<9}", f"{shapes}  {what}: {value}"))
        lines.append(wrapped("cell     ", self.sentence()))
        if self.tried:
            lines.append(wrapped("tried    ", self.tried.sentence))
        answer = answer or self.torch_answer(wait=True)
        for what, theirs, agreed, difference in self.comparison(answer):
            sign = "=" if agreed else "\u2260"
            text = f"{what} {sign} {theirs}, largest difference {difference}"
            lines.append(wrapped("PyTorch  ", answer.labelled(text, "  ")))
        if answer.found is None:
            lines.append(wrapped("PyTorch  ", answer.text))
        bug = "" if self.collection.bug == "none" else f" Bug: {BUGS[self.collection.bug]}."
        if self.collection.count or bug:
            found = nested(self.collection.matrix(), lambda n: "?" if n is None else number(n))
            lines.append(wrapped("collect  ", f"{found} {self.collection.verdict()[1]}{bug}"))
        memory = "; ".join(f"{what}: {j} for J, {v} for v" for what, j, v in self.memory_lines())
        lines.append(wrapped("bytes    ", memory))
        if self.message:
            lines.append(wrapped("refused  ", self.message))
        return "\n".join(lines)

    def _table_lines(self):
        """v, the row names, the cells and the product, as aligned text; unfolded, the blocks."""
        if not self.folded:
            blocks = self._cells().reshape(-1, *self.input_shape).tolist()
            a = self.preset.input_name
            lines = [
                f"  \u2202{y}/\u2202{a}  {nested(block)}"
                for y, block in zip(self.row_names(), blocks)
            ]
            if self.stop == 2:
                name = f"{a}.grad" if self.mode == "backward" else "J\u00b7u"
                lines.append(f"  {name}  {'?' if self.total() is None else nested(self.total())}")
            return [wrapped("", line) for line in lines]
        body = [_signed(row) for row in self._cells()]
        heads = self.row_names()
        if self.mode == "backward":
            left = [number(value) for value in self._shown.v.ravel()]
            grid = [["v", "", *self.column_names()]]
            grid += [[weight, head, *row] for weight, head, row in zip(left, heads, body)]
            if self.stop == 2:
                grid.append(["", f"{self.preset.input_name}.grad", *_signed(self.input_grad)])
        else:
            grid = [["", "u", *(number(value) for value in self._shown.u.ravel())]]
            grid += [["", "", *self.column_names()]]
            grid += [["", head, *row] for head, row in zip(heads, body)]
            if self.stop == 2:
                sums = ["?"] * len(body) if self.total() is None else _signed(self.total())
                for row, value in zip(grid, ["", "J\u00b7u", *sums]):
                    row.append(value)
        return _aligned(grid)

    # --- inside ----------------------------------------------------------------------------------

    def _ask_torch(self, torch):
        return products.live_answer(torch, self._shown)

    def _open_own(self, function, x):
        own = Map(**vars(own_preset(function, x)))
        self._open(own)
        self.own = own

    def _open(self, example):
        point = _point(example, example.x)
        v, u = example.v, example.u
        shown = products.multiply(
            point,
            np.ones(point.y.shape) if v is None else read_array(v),
            np.ones(point.x.shape) if u is None else read_array(u),
        )
        # Only now, when nothing can fail any more, replace what is shown.
        self._show(shown)
        self.folded = True
        self._cover()
        self.stop = 0 if self.covered else self.stop

    def _question(self):
        a, y = self.preset.input_name, self.preset.output_name

        def the_other_product():
            change = self.output_change
            if change is None or not np.isfinite(change).all() or change == self.input_grad:
                return {}
            return {nested(change): "That is J\u00b7u, rows times u. backward weighs the rows by v."}

        return PredictCard(
            f"{self.preset.formula}. v stands at the left of J, one weight for each row. What is "
            f"v\u00b7J, which {y}.backward(v) leaves in {a}.grad?",
            lambda: self.input_grad,
            why="Each row of J is multiplied by its weight; then every column is added up.",
            misconceptions=the_other_product,
        )

    def _show(self, shown):
        self._shown = shown
        self._whole_steps = _whole_steps(shown.point)
        self._start_collecting()
        self.selected = _telling_cell(shown.point)
        self.tried = None

    def _start_collecting(self):
        self.collection = Collection(self._shown.point, self._bug)

    def _edit(self, place, change):
        """Apply one change of x, v or u as a whole, or refuse it as a whole."""
        old = self._shown
        try:
            changed = change()
            point, v, u = old.point, changed.get("v", old.v), changed.get("u", old.u)
            if "x" in changed:
                point = _point(point.preset, changed["x"])
                if point.y.shape != v.shape:
                    v = np.ones(point.y.shape)
                if point.x.shape != u.shape:
                    u = np.ones(point.x.shape)
            shown = products.multiply(point, v, u)
        except Refused as refusal:
            return self._refuse(place, str(refusal))
        except Exception as error:  # PyTorch's own words, or the learner's function's
            return self._refuse_error(place, error)
        if point is old.point:
            self._shown, self.tried = shown, None  # the collected rows and the cell stay
        else:
            self._show(shown)
            self.folded = self.folded or not self.foldable

    def _begin_again_if_done(self):
        if self.collection.done:
            self._start_collecting()


# --- small helpers -------------------------------------------------------------------------------


def _point(example, x):
    """The function at x, if its Jacobian can be read."""
    point = point_at(example, x)
    for name, count in ((example.input_name, point.x.size), (example.output_name, point.y.size)):
        if count > MAX_LINES:
            raise Refused(
                f"{name} has {count} elements; a picture of J is readable up to {MAX_LINES}."
            )
    return point


def _whole_steps(point):
    """[output, input]: what each output really changes when an input rises by 1."""
    steps = np.full(point.jacobian.shape, np.nan)
    for j, index in enumerate(indices(point.x.shape)):
        moved = with_entry(point.x, index, point.x[index] + 1)
        try:
            _, y = forward(engines.minigrad, point.preset, moved, requires_grad=False)
            with np.errstate(all="ignore"):  # the values may be nan or inf, which are then shown
                change = values_of(y).ravel() - point.y.ravel()
        except Exception:
            continue  # outside of what the function can take: the sentence then says the rate alone
        if change.size == point.y.size:
            steps[:, j] = change
    return steps


def _telling_cell(point):
    """The cell to begin with, (output, input): not zero, and off the corner where it can be."""
    outputs, inputs = indices(point.y.shape), indices(point.x.shape)
    for i, j in ((0, 1), (1, 1), (0, 0)):
        if i < len(outputs) and j < len(inputs) and point.jacobian[i, j] != 0:
            return outputs[i], inputs[j]
    return outputs[0], inputs[0]


def _signed(values):
    return [number(value, signed=True) for value in np.ravel(values)]


def _moves(change):
    if change == 0:
        return "does not change"
    return f"{'rises' if change > 0 else 'falls'} by {number(abs(change))}"


def _whole(change):
    """The same after "makes it"."""
    if change == 0:
        return "stay"
    return f"{'rise' if change > 0 else 'fall'} by {number(abs(change))}"


def _bracketed(value):
    return f"({number(value)})" if value < 0 else number(value)


def bytes_text(count):
    """Bytes in the unit that fits: 400 B, 4 kB, 40 GB."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{number(count / size)} {unit}"
    return f"{count} B"


def _aligned(grid, width=98):
    """Rows of cells, right-aligned; columns that have no room go on below."""
    wide = [max(len(row[k]) for row in grid) for k in range(len(grid[0]))]
    lines, first = [], 2
    while first < len(wide):
        last, used = first, wide[0] + wide[1] + 4
        while last < len(wide) and (last == first or used + wide[last] + 2 <= width):
            used += wide[last] + 2
            last += 1
        columns = [0, 1, *range(first, last)]
        lines += ["  " + "  ".join(row[k].rjust(wide[k]) for k in columns) for row in grid]
        first = last
    return [line.rstrip() for line in lines]
