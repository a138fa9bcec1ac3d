"""The Jacobian picture: J with its rows (outputs) and columns (inputs), and both products with it.

What J and the products are, the engine says (`products.py`); the model only multiplies single
numbers, to show the way there. `text.py` is its text twin.
"""

import contextlib
from dataclasses import replace
from functools import cache, partial
from operator import attrgetter

import numpy as np

from ...compare import agreement
from ...show.formatting import brackets, in_brackets, indices, nested, number, shape
from ...show.typed_numbers import Refused, read_array, read_number
from ..predict_card.model import PredictCard
from ..shared.example_model import programs_of
from ..shared.model import action, at, index_in, one_of, shown, truth
from ..shared.point import rows_to_record, with_entry
from ..shared.weighing import PointModel
from . import products
from .collection import BUGS, Collection
from .examples import EXAMPLES, Map
from .mapped import Mapped, telling_cell
from .products import PRODUCTS
from .text import text_of

STOPS = {
    "backward": ("J", "rows scaled by v", "columns added"),
    "forward": ("J", "columns scaled by u", "rows added"),
}
MODES = tuple(STOPS)
COUNTED = (10, 1_000, 100_000)  # sizes n whose bytes are counted


class JacobianPicture(PointModel):
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
        "example_name formula input output jacobian upstream direction input_grad output_change "
        "mode stop folded cells total selected sentence tried bug collected message refused_at "
        "covered"
    )

    def __init__(self, what="A @ x", *inputs, v=None, u=None, collect=True, predict=False, **named):
        self.collects = bool(collect)
        self.mode, self.stop = "backward", 0
        self.bug = "none"
        super().__init__(what, inputs, named, v=v, predict=predict)
        if u is not None:
            self._turn(read_array(u))

    @action
    def set_direction(self, value):
        """Set all of u, in the input's shape exactly."""
        with at("direction"):
            self._turn(read_array(value))

    @action
    def set_direction_entry(self, index, value):
        """Set one number of u; index as in Python."""
        index = index_in(index, self.input_shape, "direction")
        with at(("direction", index)):
            self._turn(with_entry(self._shown.u, index, read_number(value)))

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
        self.selected, self.tried = self._cell(output, input), None

    @action
    def select_row(self, output):
        """Choose the cell of this output in the column that is chosen."""
        self.selected, self.tried = self._cell(output, self.selected[1]), None

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

    direction = shown("u", "u, one number for each input, in the input's shape.")
    output_change = shown("output_change", "J\u00b7u, in the output's shape; None where it is not.")

    folded_shape = shown("point.jacobian.shape")

    @property
    def full_shape(self):
        return self.output_shape + self.input_shape

    @property
    def foldable(self):
        """Whether folding changes anything: not where all are vectors."""
        return self.full_shape != self.folded_shape

    @property
    def folded(self):
        """Whether J is shown as a matrix, outputs and inputs counted row by row."""
        return self._folded or not self.foldable

    # What the loop has collected so far, [row][column].
    collected = property(attrgetter("collection.matrix"))

    @property
    def goal(self):
        """What the product is called: "x.grad" from the left, "J·u" from the top."""
        return f"{self.example.input_name}.grad" if self.mode == "backward" else "J\u00b7u"

    @property
    def stop_name(self):
        """What is done at this stop: "rows scaled by v"."""
        return STOPS[self.mode][self.stop]

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
        return self.in_words(*(self.selected if output is None else self._cell(output, input)))

    def in_words(self, output, input):
        """The same of a cell that is known to be there: a drawing tells them all."""
        y, x = self.example.output + _place(output), self.example.input_name + _place(input)
        cells = self._shown.point.jacobian, self._shown.whole_steps
        slope, really = (one.reshape(self.full_shape)[output + input].item() for one in cells)
        if not np.isfinite(slope):
            return f"{y} has no finite rate of change with {x} here: {number(slope)}."
        said = f"If {x} rises by 1, {y} {_moves(slope, 'rises', 'falls', 'does not change')}"
        if np.isfinite(really) and abs(really - slope) > 1e-3 * abs(slope):
            step = _moves(really, "rise", "fall", "stay")
            said += f", at the rate it has here; a whole step really makes it {step}"
        if self.stop == 0:
            return f"{said}."
        if self.mode == "backward":
            counts, weight = f"v{_place(output)} counts it as", self._shown.v[output]
            goal = self.goal + _place(input)
        else:
            counts, weight = f"u{_place(input)} makes it", self._shown.u[input]
            goal = f"({self.goal}){_place(output)}" if output else self.goal
        product = f"{number(weight)}\u00b7{in_brackets(slope)} = {number(float(weight) * slope)}"
        return f"{said}. {counts} {product}" + (f", a part of {goal}." if self.stop == 2 else ".")

    def _cell(self, output, input):
        sizes = self.output_shape, self.input_shape
        return index_in(output, sizes[0], "explain"), index_in(input, sizes[1], "explain")

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
        state, point, asked = self._shown, self._shown.point, super().question()

        def program(torch):
            x, u = (torch.tensor(one.tolist(), dtype=torch.float32) for one in (point.x, state.u))
            function = products.of_input(torch, point.example)
            results = asked.program(torch)
            jacobian = torch.autograd.functional.jacobian(function, x)
            results["J"] = jacobian.reshape(point.jacobian.shape)
            with contextlib.suppress(Exception):  # PyTorch can differentiate it only once
                results["J\u00b7u"] = torch.autograd.functional.jvp(function, x, u)[1].detach()
            return results

        def recall(values):
            change = (values["rows"] @ state.u.ravel()).reshape(point.y.shape)
            return {**asked.recall(values), "J": values["rows"], "J\u00b7u": change}

        return replace(asked, program=program, recall=recall)

    def comparison(self, answer=None):
        """(what, PyTorch's name for it, agrees, difference) for J and both products.

        Empty where PyTorch has no answer.
        """
        by_torch = (answer or self.torch_answer(wait=True)).found or {}
        state, lines = self._shown, []
        for what, theirs, key, values in (
            ("J", "autograd.functional.jacobian", "J", state.point.jacobian),
            ("v\u00b7J", "backward(v)", "x.grad", state.input_grad),
            ("J\u00b7u", "autograd.functional.jvp", "J\u00b7u", state.output_change),
        ):
            if values is not None and by_torch.get(key) is not None:
                lines.append((what, theirs, *agreement.compare(values, by_torch[key])))
        return lines

    def _told(self):
        if self.tried is not None:
            return self.tried.sentence
        result = f" {self.goal} is {self.total_text()}." if self.stop == 2 else ""
        return f"Stop {self.stop + 1} of 3: {self.stop_name}.{result}"

    def summary(self):
        head = f"Jacobian picture, {self.example.name}: J {shape(self.full_shape)}"
        return f"{head}, {self._grad_line()}"

    def text(self, answer=None):
        return self._joined(text_of(self, answer), "refused  ")

    def _open(self, example):
        self._shown = self.card = None  # nothing of the example before is kept
        self._folded = True
        self._show(Mapped.opened(example))
        self._cover()
        self.stop = 0 if self.covered else self.stop

    def _show(self, new):
        """Show J at a point; where only v is another, the chosen cell and collected rows stay."""
        old, point, self.tried = self._shown, new.point, None
        if new.u is None:  # another point
            same = old and (point.x.shape, point.y.shape) == (self.input_shape, self.output_shape)
            if not same:
                self.selected = telling_cell(point)
            first = point.example.u if old is None else None
            new = new.along(old.u if same else np.ones(point.x.shape) if first is None else first)
            self.collection = Collection(point, self.bug)
        self._shown = new
        self._ask_anew()

    def _turn(self, u):
        self._shown, self.tried = self._shown.along(u), None

    def _cover(self):
        if self.card is None:  # once a map: what was revealed can be explored
            super()._cover()

    def _question(self):
        a, y = self.example.input_name, self.example.output

        def the_other_product():
            change = self.output_change
            if change is None or not np.isfinite(change).all() or change == self.input_grad:
                return {}
            why = "That is J\u00b7u, rows times u. backward multiplies the rows by v."
            return {nested(change): why}

        return PredictCard(
            f"{self.formula}. v is on the left of J, with one entry for each row. What is "
            f"v\u00b7J, which {y}.backward(v) leaves in {a}.grad?",
            lambda: self.input_grad,
            why="Each row of J is multiplied by its entry of v; then every column is added up.",
            misconceptions=the_other_product,
        )

    def _collect(self, count):
        if not self.collects:
            raise Refused("This picture leaves collecting J to you; collect=True shows it.", "bug")
        self.collection = Collection(self._shown.point, self.bug, count)


programs_to_record = partial(programs_of, JacobianPicture, rows_to_record)


@cache
def _place(index):
    return brackets(index).replace(" ", "")


def _moves(change, up, down, still):
    return f"{up if change > 0 else down} by {number(abs(change))}" if change else still


def _bytes_of(count):
    """What so many numbers of float32 take, in the unit that fits: 400 B, 4 kB, 40 GB."""
    units = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))
    unit, size = next(one for one in units if 4 * count >= one[1])
    return f"{number(4 * count / size)} {unit}"
