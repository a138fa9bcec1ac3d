"""The Jacobian picture: J with its rows (outputs) and columns (inputs), and both products with it.

What J and the products are, the engine says (`products.py`); the model only multiplies single
numbers, to show the way there.
"""

import contextlib
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ... import agreement, engines
from ...formatting import brackets, in_brackets, indices, nested, number, shape, wrapped
from ...typed_numbers import Refused, read_array, read_number
from ..predict_card.model import PredictCard
from ..shared.example_model import ExampleModel
from ..shared.model import action, at, index_in, one_of, refusal_of, shown, truth
from ..shared.point import forward, in_float32, rows_to_record, values_of, with_entry
from ..shared.weighing import Weighed, Weighing
from . import products
from .collection import BUGS, Collection
from .examples import EXAMPLES, Map
from .products import PRODUCTS

MAX_LINES = 12  # more rows or columns than this are not readable
MODES = ("backward", "forward")
STOPS = {
    "backward": ("J", "rows scaled by v", "columns added"),
    "forward": ("J", "columns scaled by u", "rows added"),
}
COUNTED = (10, 1_000, 100_000)  # sizes n whose bytes are counted


@dataclass(frozen=True)
class Mapped(Weighed):
    """J at one point, v at its left and u at its top.

    output_change: J·u, None if it cannot be had, and note: why. whole_steps: [output, input], an
    output's real change if the input rises by 1.
    """

    u: np.ndarray | None = None
    output_change: np.ndarray | None = None
    note: str = ""
    whole_steps: np.ndarray | None = None


class JacobianPicture(Weighing, ExampleModel):
    """See J, and how v from its left makes x.grad while u from its top makes J·u.

    what: the name of an example ("A @ x"), or a function, `lambda x: x * x`. A parameter named
        torch gets the engine, every other one a tensor: `lambda torch, x: torch.log(x)`. Up to 12
        inputs and outputs.
    inputs, named: the numbers of a function's tensors, in order or by name; an example brings its
        own. J is that of the first; the others are constants.
    v, u: the upstream gradient and the direction of the input to begin with; ones when left out.
    collect: False leaves out collecting J row by row, where a learner is to write that loop.
    predict: True covers the products until a guess is committed or "show me" is asked.
    """

    known, _example_type = EXAMPLES, Map
    shows = (
        "example_name",
        "formula",
        "input",
        "output",
        "jacobian",
        "upstream",
        "direction",
        "input_grad",
        "output_change",
        "mode",
        "stop",
        "folded",
        "cells",
        "total",
        "selected",
        "sentence",
        "tried",
        "bug",
        "collected",
        "message",
        "refused_at",
        "covered",
    )

    def __init__(self, what="A @ x", *inputs, v=None, u=None, collect=True, predict=False, **named):
        self.collects = bool(collect)
        self.mode, self.stop = "backward", 0
        self._folded = True
        self.bug = "none"
        super().__init__(what, inputs, named, v=v, predict=predict)
        if u is not None:
            try:
                self._set_direction(read_array(u))
            except Exception as error:
                raise refusal_of(error) from None

    @action
    def set_input(self, value):
        """Set all of x; its shape may change, if the function allows it."""
        with at("input"):
            self._show(self._shown.moved(read_array(value)))

    @action
    def set_direction(self, value):
        """Set all of u, in the input's shape exactly."""
        with at("direction"):
            self._set_direction(read_array(value))

    @action
    def set_direction_entry(self, index, value):
        """Set one number of u; index as in Python."""
        index = index_in(index, self.input_shape, "direction")
        with at(("direction", index)):
            self._set_direction(with_entry(self._shown.u, index, read_number(value)))

    @action
    def look(self, mode):
        """Look from the left, "backward" (v·J), or from the top, "forward" (J·u)."""
        mode = one_of(mode, MODES, "mode", "mode")
        self.tried = self.tried if mode == self.mode else None
        self.mode = mode

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
        self._folded = truth(folded)

    @action
    def select(self, output, input):
        """Choose the cell that is put into a sentence, by its output's and its input's index."""
        self.selected = (
            index_in(output, self.output_shape, "explain"),
            index_in(input, self.input_shape, "explain"),
        )
        self.tried = None

    @action
    def try_product(self, name):
        """Try a product that does not belong here, "J·v" or "u·J"; `tried` says what it is."""
        name = str(name).replace(" ", "").replace("@", "\u00b7").replace("*", "\u00b7")
        name = one_of(name, PRODUCTS, "product", "product")
        self._check_uncovered("product")
        self.tried = products.attempt(self._shown, name)

    @action
    def choose_bug(self, name):
        """Collect with one of the classic bugs, or with "none"; starts over."""
        self.bug = one_of(name, BUGS, "bug", "bug")
        self._collect(0)

    @action
    def collect_next(self):
        """One more one-hot v, one more row; after the last row, the first again."""
        self._collect(1 if self.collection.done else self.collection.count + 1)

    @action
    def collect_all(self):
        """The rest of the one-hots, one after another."""
        self._collect(self.folded_shape[0])

    example = shown("point.example", "The example that is loaded.")
    input = shown("point.x", "x, as nested lists.")
    output = shown("point.y", "y = f(x), as nested lists, computed by minigrad.")
    input_shape = shown("point.x.shape")
    output_shape = shown("point.y.shape")
    input_grad = shown("input_grad", "x.grad = v\u00b7J after y.backward(v), by minigrad.")
    jacobian = shown("point.jacobian", "\u2202y/\u2202x as [output][input], counted row by row.")
    direction = shown("u", "u, one number for each input, in the input's shape.")

    output_change = shown("output_change", "J\u00b7u, in the output's shape; None where it is not.")

    @property
    def full_shape(self):
        return self.output_shape + self.input_shape

    @property
    def full_jacobian(self):
        """J in its full shape, as PyTorch returns it."""
        return np.reshape(self.jacobian, self.full_shape).tolist()

    folded_shape = shown("point.jacobian.shape")

    @property
    def foldable(self):
        """Whether folding changes anything: not where all are vectors."""
        return self.full_shape != self.folded_shape

    @property
    def folded(self):
        """Whether J is shown as a matrix, outputs and inputs counted row by row."""
        return self._folded or not self.foldable

    @property
    def collected(self):
        """What the loop has collected so far, [row][column]."""
        return self.collection.matrix

    @property
    def goal(self):
        """What the product is called: "x.grad" from the left, "J·u" from the top."""
        return f"{self.example.input_name}.grad" if self.mode == "backward" else "J\u00b7u"

    def row_names(self):
        """The outputs, as Python writes them: y[0], y[1]."""
        return [self.example.output + _place(index) for index in indices(self.output_shape)]

    def column_names(self):
        """The inputs: x[0], x[1]."""
        return [self.example.input_name + _place(index) for index in indices(self.input_shape)]

    def cells(self):
        """The numbers in the picture at this stop, [output, input]: J, or J scaled."""
        jacobian = self._shown.point.jacobian
        if self.stop == 0:
            return jacobian
        with np.errstate(all="ignore"):
            return jacobian * self.weights()

    def weights(self):
        """What J is scaled by, v as a column or u as a row."""
        backward = self.mode == "backward"
        return self._shown.v.reshape(-1, 1) if backward else self._shown.u.reshape(1, -1)

    def total(self):
        """The product at the last stop, in its own shape: x.grad or J·u; None before."""
        if self.stop < 2:
            return None
        return self.input_grad if self.mode == "backward" else self.output_change

    def total_text(self):
        """The product, or "?" where it cannot be had."""
        return "?" if self.total() is None else nested(self.total())

    def sentence(self, output=None, input=None):
        """One cell in words: "If x[1] rises by 1, y[0] rises by 2." The chosen cell if left out."""
        if output is None:
            output, input = self.selected
        output = index_in(output, self.output_shape, "explain")
        input = index_in(input, self.input_shape, "explain")
        i, j = indices(self.output_shape).index(output), indices(self.input_shape).index(input)
        y, x = self.row_names()[i], self.column_names()[j]
        slope = float(self._shown.point.jacobian[i, j])
        if not np.isfinite(slope):
            return f"{y} has no finite rate of change with {x} here: {number(slope)}."
        said = f"If {x} rises by 1, {y} {_moves(slope, 'rises', 'falls', 'does not change')}"
        really = float(self._shown.whole_steps[i, j])
        exactly = (1e-3, 0.0) if slope else (0.0, 0.0)
        if np.isfinite(really) and not agreement.agree(really, slope, exactly):
            said += ", at the rate it has here; a whole step really makes it " + _moves(
                really, "rise", "fall", "stay"
            )
        if self.stop == 0:
            return f"{said}."
        if self.mode == "backward":
            counts, weight = f"v{_place(output)} counts it as", self._shown.v[output]
            goal = self.goal + _place(input)
        else:
            counts, weight = f"u{_place(input)} makes it", self._shown.u[input]
            goal = f"({self.goal}){_place(output)}" if output else self.goal
        product = f"{number(weight)}\u00b7{in_brackets(slope)} = {number(self.cells()[i, j])}"
        return f"{said}. {counts} {product}" + (f", a part of {goal}." if self.stop == 2 else ".")

    def pairings(self):
        """Both products that exist for every map, as (name, what it is, shapes, value) of texts."""
        sizes = (self.output_shape, self.input_shape, self.full_shape)
        if self.folded:
            sizes = (self.folded_shape[:1], self.folded_shape[1:], self.folded_shape)
        y, x, j = map(shape, sizes)
        change = self._shown.note if self.output_change is None else nested(self.output_change)
        return [
            ("v\u00b7J", "backward(v)", f"{y}\u00b7{j} \u2192 {x}", nested(self.input_grad)),
            ("J\u00b7u", "forward, jvp", f"{j}\u00b7{x} \u2192 {y}", change),
        ]

    @property
    def wrong_pairing(self):
        """The product that does not belong to what is looked at."""
        return PRODUCTS[MODES.index(self.mode)]

    def wrong_sizes(self):
        """Why it may not fit, in a few words: "v has 2, J wants 3"."""
        letter, _, needed, _, has, _ = products.sizes(self._shown, self.wrong_pairing)
        return f"{letter} has {has}, J wants {needed}"

    def memory_lines(self):
        """(which map, bytes of J, bytes of v): this one, then some of n numbers to n numbers."""
        rows, columns = self.folded_shape
        maps = [(f"{rows}\u00d7{columns}", rows, columns)]
        maps += [(f"n = {n:,}".replace(",", "\u202f"), n, n) for n in COUNTED]
        return [(what, _bytes_of(rows * columns), _bytes_of(rows)) for what, rows, columns in maps]

    def question(self):
        """J and both products by PyTorch; as recorded, both are linear in J."""
        shown, point = self._shown, self._shown.point
        asked = shown.question(self._recorded_as(point.x))

        def program(torch):
            x, u = (torch.tensor(one.tolist(), dtype=torch.float32) for one in (point.x, shown.u))
            function = products.of_input(torch, point.example)
            found = asked.program(torch)
            jacobian = torch.autograd.functional.jacobian(function, x)
            found["J"] = jacobian.reshape(point.jacobian.shape)
            with contextlib.suppress(Exception):  # PyTorch can differentiate it only once
                found["J\u00b7u"] = torch.autograd.functional.jvp(function, x, u)[1].detach()
            return found

        def recall(found):
            change = (found["rows"] @ shown.u.ravel()).reshape(point.y.shape)
            return {**asked.recall(found), "J": found["rows"], "J\u00b7u": change}

        return replace(asked, program=program, recall=recall)

    def comparison(self, answer=None):
        """(what, PyTorch's name for it, agrees, difference) for J and both products.

        Empty where PyTorch has no answer.
        """
        found = (answer or self.torch_answer(wait=True)).found or {}
        shown, lines = self._shown, []
        for what, theirs, key, values in (
            ("J", "autograd.functional.jacobian", "J", shown.point.jacobian),
            ("v\u00b7J", "backward(v)", "x.grad", shown.input_grad),
            ("J\u00b7u", "autograd.functional.jvp", "J\u00b7u", shown.output_change),
        ):
            if values is not None and found.get(key) is not None:
                lines.append((what, theirs, *agreement.compare(values, found[key])))
        return lines

    def _told(self):
        if self.tried is not None:
            return self.tried.sentence
        result = f" {self.goal} is {self.total_text()}." if self.stop == 2 else ""
        return f"Stop {self.stop + 1} of 3: {STOPS[self.mode][self.stop]}.{result}"

    def summary(self):
        grad = "covered" if self.covered else nested(self.input_grad)
        return (
            f"Jacobian picture, {self.example.name}: J {shape(self.full_shape)}, "
            f"v = {nested(self.upstream)}, {self.example.input_name}.grad = {grad}"
        )

    def text(self, answer=None):
        example, (rows, columns) = self.example, self.folded_shape
        side = "from the left (backward)" if self.mode == "backward" else "from the top (forward)"
        folded = "" if self.folded else f", unfolded shape {shape(self.full_shape)}"
        lines = [
            wrapped("", f"Jacobian picture, {example.title}"),
            wrapped("", f"{example.input_name} = {nested(self.input)}"),
            wrapped(
                "",
                f"J: {rows} \u00d7 {columns}, rows are outputs, columns are inputs{folded}"
                f"; {side}, stop {self.stop + 1} of 3: {STOPS[self.mode][self.stop]}",
            ),
            *(self._matrix_lines() if self.folded else self._block_lines()),
            wrapped("cell     ", self.sentence()),
        ]
        if self.covered:
            lines.append(repr(self.card))
        elif self.stop == 2:
            lines += self._facts(answer or self.torch_answer(wait=True))
        if self.tried:
            lines.append(wrapped("tried    ", self.tried.told()))
        if self.collection.count or self.bug != "none":
            bug = "" if self.bug == "none" else f" Bug: {BUGS[self.bug]}."
            found = nested(self.collected, lambda n: "?" if n is None else number(n))
            lines.append(wrapped("collect  ", f"{found} {self.collection.verdict()[1]}{bug}"))
        return self._joined(lines, "refused  ")

    def _facts(self, answer):
        lines = [
            (name, f"{shapes}  {what}: {value}") for name, what, shapes, value in self.pairings()
        ]
        lines += [
            (
                "PyTorch",
                answer.labelled(
                    f"{what} {'=' if agreed else chr(0x2260)} {theirs}, "
                    f"largest difference {difference}",
                    "  ",
                ),
            )
            for what, theirs, agreed, difference in self.comparison(answer)
        ]
        lines += [("PyTorch", answer.text)] * (answer.found is None)
        memory = (f"{what}: {j} for J, {v} for v" for what, j, v in self.memory_lines())
        return [
            wrapped(f"{label:<9}", text) for label, text in [*lines, ("bytes", "; ".join(memory))]
        ]

    def _block_lines(self):
        blocks = self.cells().reshape(-1, *self.input_shape).tolist()
        lines = [
            f"  \u2202{y}/\u2202{self.example.input_name}  {nested(block)}"
            for y, block in zip(self.row_names(), blocks)
        ]
        lines += [f"  {self.goal}  {self.total_text()}"] * (self.stop == 2)
        return [wrapped("", line) for line in lines]

    def _matrix_lines(self):
        body = [[head, *_signed(row)] for head, row in zip(self.row_names(), self.cells())]
        heads, weights = self.column_names(), [number(value) for value in self.weights().ravel()]
        backward = self.mode == "backward"
        if backward:
            grid = [["v", "", *heads], *([one, *row] for one, row in zip(weights, body))]
        else:
            grid = [["", "u", *weights], ["", "", *heads], *(["", *row] for row in body)]
        if self.stop == 2:
            count = self.folded_shape[backward]
            sums = ["?"] * count if self.total() is None else _signed(self.total())
            last = ["", self.goal, *sums]
            grid = [*grid, last] if backward else [[*row, one] for row, one in zip(grid, last)]
        wide = [max(map(len, column)) for column in zip(*grid)]
        lines = ("  ".join(map(str.rjust, row, wide)).rstrip() for row in grid)
        return [wrapped("  ", line) for line in lines]

    def _open(self, example):
        self._shown = self.card = None  # nothing of the example before is kept
        self._folded = True
        self._show(Mapped.opened(example))
        self._cover()
        self.stop = 0 if self.covered else self.stop

    def _weigh(self, v):
        self._show(Mapped.by(self._shown.point, v))

    def _show(self, new):
        """Show J at a point; where only v is another, the chosen cell and collected rows stay."""
        old, point, self.tried = self._shown, new.point, None
        if old is not None and point is old.point:
            self._shown = replace(old, v=new.v, input_grad=new.input_grad)
        else:
            _check_readable(point)
            u = self._direction_at(point)
            change, note = _change(point, u)
            steps = _whole_steps(point)
            self._shown = replace(new, u=u, output_change=change, note=note, whole_steps=steps)
            self.collection = Collection(point, self.bug)
        self._ask_anew()

    def _direction_at(self, point):
        """u at a new point: as it was, where the shapes are the same; else another cell is told."""
        old, first = self._shown, point.example.u
        sizes = point.x.shape, point.y.shape
        if old is not None and sizes == (old.point.x.shape, old.point.y.shape):
            return old.u
        self.selected = _telling_cell(point)
        return np.ones(point.x.shape) if old or first is None else read_array(first)

    def _set_direction(self, u):
        shown, u = self._shown, in_float32(u)
        if u.shape != self.input_shape:
            raise Refused(
                f"u has shape {shape(u.shape)}; it is a direction of the input, so it "
                f"needs the input's shape {shape(self.input_shape)}."
            )
        change, note = _change(shown.point, u)
        self._shown = replace(shown, u=u, output_change=change, note=note)
        self.tried = None

    def _cover(self):
        if self.card is None:  # once a map: what was revealed can be explored
            super()._cover()

    def _question(self):
        a, y = self.example.input_name, self.example.output

        def the_other_product():
            change = self.output_change
            if change is None or not np.isfinite(change).all() or change == self.input_grad:
                return {}
            why = "That is J\u00b7u, rows times u. backward weighs the rows by v."
            return {nested(change): why}

        return PredictCard(
            f"{self.formula}. v stands at the left of J, one weight for each row. What is "
            f"v\u00b7J, which {y}.backward(v) leaves in {a}.grad?",
            lambda: self.input_grad,
            why="Each row of J is multiplied by its weight; then every column is added up.",
            misconceptions=the_other_product,
        )

    def _collect(self, count):
        if not self.collects:
            raise Refused("This picture leaves collecting J to you; collect=True shows it.", "bug")
        self.collection = Collection(self._shown.point, self.bug, count)


def _check_readable(point):
    example = point.example
    for name, count in ((example.input_name, point.x.size), (example.output, point.y.size)):
        if count > MAX_LINES:
            raise Refused(
                f"{name} has {count} elements; a picture of J is readable up to {MAX_LINES}."
            )


def programs_to_record():
    return {f"JacobianPicture {key}": partial(rows_to_record, one) for key, one in EXAMPLES.items()}


def _change(point, u):
    try:
        return products.from_the_top(point, u), ""
    except Exception as error:  # a function that can be differentiated only once
        return None, f"J\u00b7u cannot be had: {error}"


def _whole_steps(point):
    """[output, input]: what each output really changes when an input rises by 1."""
    steps = np.full(point.jacobian.shape, np.nan)
    for j, index in enumerate(indices(point.x.shape)):
        moved = with_entry(point.x, index, point.x[index] + 1)
        try:
            _, y = forward(engines.minigrad, point.example, moved, requires_grad=False)
            with np.errstate(all="ignore"):  # the values may be nan or inf, which are then shown
                steps[:, j] = (values_of(y) - point.y).ravel()
        except Exception:
            continue  # outside of what the function can take: the sentence then says the rate alone
    return steps


def _telling_cell(point):
    """The cell to begin with, (output, input): not zero, and off the corner where it can be."""
    outputs, inputs = indices(point.y.shape), indices(point.x.shape)
    found = [
        (outputs[i], inputs[j])
        for i, j in ((1, 1), (0, 1), (0, 0))
        if i < len(outputs) and j < len(inputs) and point.jacobian[i, j] != 0
    ]
    return found[0] if found else (outputs[0], inputs[0])


def _place(index):
    return brackets(index).replace(" ", "")


def _signed(values):
    return [number(value, signed=True) for value in np.ravel(values)]


def _moves(change, up, down, still):
    return f"{up if change > 0 else down} by {number(abs(change))}" if change else still


def _bytes_of(count):
    """What so many numbers of float32 take, in the unit that fits: 400 B, 4 kB, 40 GB."""
    units = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))
    unit, size = next(one for one in units if 4 * count >= one[1])
    return f"{number(4 * count / size)} {unit}"
