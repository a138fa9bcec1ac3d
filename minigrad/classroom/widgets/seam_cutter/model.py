"""The seam cutter: a chain x -> F1 -> y -> F2 -> z, cut in two, and what crosses the cut.

The right half starts from a fresh leaf; its backward(v) leaves g in that leaf's `.grad`. The left
half is given g and nothing else. Two mistakes can be made on purpose: forget g (ones in its place),
and count it twice (that leaf's `.grad` was not cleared after an earlier backward).
"""

from collections import namedtuple
from functools import partial

import numpy as np

from ...compare import agreement, engines, recorded
from ...compare.results import value_of
from ...show.formatting import brackets, indices, nested, number, shape, sum_of_products, wrapped
from ...show.typed_numbers import read_array, read_number
from ..predict_card.model import PredictCard
from ..shared.example_model import ExampleModel
from ..shared.functions import check_size, check_steady
from ..shared.model import action, at, one_of, shown, whole
from ..shared.point import in_float32, one_row_each, values_of
from ..shared.torch_answer import Question
from ..shared.weighing import Weighing
from . import loop
from .examples import EXAMPLES, own_chain
from .halves import MISTAKES, forward, halves, jacobian

MAX_ENTRIES = 24  # of one value: more are not drawn

# place: after so many functions; values: of the whole chain; left: ∂y/∂x, [entry of y, entry
# of x], where y is the value that is cut; right: ∂z/∂y.
_Cut = namedtuple("_Cut", "example x place values left right")
# ours: what `halves` gives, as arrays; numbers: (w, x0) of the loop over time.
_Shown = namedtuple("_Shown", "cut v ours numbers")


def _of_halves(name, doc, mistake=None):
    """A property: what the halves found with a mistake, or with the one that is made."""
    return property(lambda self: self.of(self._shown.ours, name, mistake).tolist(), doc=doc)


class SeamCutter(Weighing, ExampleModel):
    """Cut a chain of functions anywhere and pass g, the upstream gradient at the cut, across.

    what: the name of an example ("two layers"), or a list of functions, each of one tensor:
        `[lambda x: x * x, lambda y: 3 * y]`. A parameter named torch gets the engine.
    inputs, named: the numbers of the first function's tensor; an example brings its own.
    v: the first upstream gradient at the output; ones when left out.
    cut: after how many functions to cut; with the cut at the end g is v itself.
    predict: True covers the result until a guess is committed or "show me" is asked.
    """

    known = EXAMPLES
    shows = (
        "example_name formula values upstream cut mistake seam_gradient handed input_grad "
        "right_grad uncut_grad same loop_grads covered message refused_at"
    )

    def __init__(self, what="two layers", *inputs, v=None, cut=1, predict=False, **named):
        self.mistake, self._first_cut = "none", cut
        super().__init__(what, inputs, named, v=v, predict=predict)
        self._first_cut = 1

    @action
    def move_cut(self, cut):
        """Cut after this many functions, 0 to their number."""
        self._show(self._cut_at(self.example, self._shown.cut.x, cut), self._shown.v)

    @action
    def set_input(self, value):
        """Set all of x; v becomes ones if the output's shape changes with it."""
        with at("input"):
            cut, v = self._cut_at(self.example, read_array(value), self.cut), self._shown.v
            self._show(cut, v if v.shape == cut.values[-1].shape else None)

    @action
    def choose_mistake(self, name):
        """ "none": pass g back; "forget": ones in its place; "twice": g added to an old g."""
        self.mistake = one_of(name, MISTAKES, "mistake", "mistake")

    @action
    def set_weight(self, value):
        """Set w of the loop over time."""
        with at("weight"):
            numbers = read_number(value), self.loop_numbers[1]
            self._shown = self._shown._replace(numbers=numbers)

    @action
    def set_start(self, value):
        """Set x0 of the loop over time."""
        with at("start"):
            numbers = self.loop_numbers[0], read_number(value)
            self._shown = self._shown._replace(numbers=numbers)

    example = shown("cut.example")
    links = shown("cut.example.links", "The functions of the chain, each with what it does.")
    cut = shown("cut.place", "After how many functions the chain is cut.")
    input = shown("cut.x", "x, as nested lists.")
    loop_numbers = shown("numbers", "(w, x0) of the loop over time.")

    @property
    def names(self):
        """What x, all that is between, and the output are called."""
        return (self.example.input_name, *(link.value for link in self.links))

    @property
    def values(self):
        """x, what is between, and the output, as nested lists."""
        return [value.tolist() for value in self._shown.cut.values]

    @property
    def seam_name(self):
        """The name of the value that is cut."""
        return self.names[self.cut]

    seam_gradient = _of_halves("handed", "g: what the right half computes.", "none")
    handed = _of_halves("handed", "What is really handed over: g, or with a mistake another.")
    input_grad = _of_halves("x.grad", "x.grad of the two halves, with the mistake if there is one.")
    right_grad = _of_halves("x.grad", "x.grad of the two halves if g is handed over.", "none")

    @property
    def uncut_grad(self):
        """x.grad of the uncut chain."""
        return self._shown.ours["uncut"].tolist()

    def of(self, found, name, mistake=None):
        """What an engine found, "handed" or "x.grad", with a mistake, or with the one made."""
        return found[name][MISTAKES.index(mistake or self.mistake)]

    @property
    def same(self):
        """Whether what is shown as x.grad is that of the uncut chain."""
        return agreement.agree(self.input_grad, self.uncut_grad)

    @property
    def loop_grads(self):
        """w.grad of the loop over time, {"right": ..., "twice": ...}."""
        return loop.last_gradients(engines.minigrad, *self.loop_numbers)

    def question(self):
        """Both halves, and the loop, by PyTorch.

        As recorded the halves are linear in v, a row for each one-hot v; the loop has a record of
        its own, of the numbers that it begins with.
        """
        cut, v, ours, numbers = self._shown

        def recall(rows):
            values = {}
            for name, one in rows.items():
                values[name] = (v.ravel() @ one).reshape(ours[name].shape)
                if name != "uncut":  # with ones in g's place it is the same for every v
                    forget = MISTAKES.index("forget")
                    values[name][forget] = one[0].reshape(ours[name].shape)[forget]
            said = recorded.answer(_LOOP)[0] if numbers == _NUMBERS else {}
            return {**values, **{name: value_of(one) for name, one in said.items()}}

        def program(torch):
            results = halves(torch, cut.example, cut.x, v, cut.place)
            return {**results, **loop.last_gradients(torch, *numbers)}

        return Question(
            program,
            _key(cut.example, cut.place) if self._recorded_as(cut.x) else None,
            recall,
            "for these functions and this input",
        )

    def agrees(self, answer=None):
        """Whether PyTorch's g and x.grad are minigrad's; None without an answer."""
        theirs = (answer or self.torch_answer(wait=True)).found
        if theirs is None:
            return None
        ours = self._shown.ours
        return all(agreement.agree(value, theirs[name]) for name, value in ours.items())

    def call_line(self):
        """The call of the left half, with the actual numbers."""
        values = nested(self.handed, _torch_number)
        return f"{self.seam_name}.backward(gradient=torch.tensor({values}))"

    def right_line(self):
        """What the right half computes, in a sentence."""
        name, out = self.seam_name, self.names[-1]
        if self.cut == len(self.links):
            return f"nothing is right of the cut: g = v = {nested(self.seam_gradient)}"
        gradient = f"v\u00b7\u2202{out}/\u2202{name}"
        return f"this half computes g = {gradient} = {nested(self.seam_gradient)}"

    def mistake_line(self):
        """What is handed over, in a sentence."""
        name = self.seam_name
        return {
            "none": "The left half needs g and nothing else from the right.",
            "forget": f"Ones are handed over in place of g: the left half then differentiates "
            f"{name}.sum(), not {self.names[-1]}.",
            "twice": f"An earlier backward left its g in {name}.grad: it was not cleared, so g "
            "counts twice.",
        }[self.mistake]

    def sums(self, side):
        """[(name, products, value)] of g ("right") or of x.grad ("left"), an entry each."""
        right, cut = side == "right", self._shown.cut
        name, jacobian = ("g", cut.right) if right else (f"{self.names[0]}.grad", cut.left)
        weights = np.ravel(self.upstream if right else self.handed)
        values = np.array(self.seam_gradient if right else self.input_grad)
        sums = []
        for index, column in zip(indices(values.shape), jacobian.T):
            terms = sum_of_products(weights, map(number, column))
            sums.append((name + brackets(index), terms, values[index]))
        return sums

    def loop_rows(self):
        """[(window, handed back, w.grad, handed back, w.grad)]: right, then counted twice."""
        run, rows = partial(loop.windows, engines.minigrad, *self.loop_numbers), []
        for k, windows in enumerate(zip(run(), run(clear=False)), 1):
            rows.append([f"h{k} = {number(windows[0].state)}"])
            for one in windows:
                handed = ", ".join(map(number, one.handed)) or "\u2013"
                rows[-1] += [handed, f"{one.weight_grad:.4f}"]
        return rows

    def _told(self):
        agrees = "as uncut" if self.same else f"but uncut {nested(self.uncut_grad)}"
        grad = f"{self.names[0]}.grad is {nested(self.input_grad)}, {agrees}."
        return f"Cut at {self.seam_name}. Handed over is {nested(self.handed)}. {grad}"

    def summary(self):
        head = f"Seam cutter, {self.example.name}: cut at {self.seam_name}"
        if self.covered:
            return f"{head}, covered"
        grad = f"{self.names[0]}.grad = {nested(self.input_grad)}{'' if self.same else ', wrong'}"
        return f"{head}, g = {nested(self.handed)}, {grad}"

    def text(self, answer=None):
        rows = []
        for k, (name, value) in enumerate(zip(self.names, self._shown.cut.values)):
            mark = "  <- the cut" if k == self.cut else ""
            rows.append((name, f"{nested(value.tolist())}  shape {shape(value.shape)}{mark}"))
        rows.append(("v", f"{nested(self.upstream)}  the upstream gradient of {self.names[-1]}"))
        if not self.covered:
            rows += self._result_rows(answer or self.torch_answer(wait=True))
        if self.message:
            rows.append(("refused", self.message))
        width = max(9, *(len(label) + 1 for label, _ in rows))
        text = [wrapped("", f"Seam cutter, {self.example.title}")]
        text += [wrapped("  ", f"{link.name}: {link.formula}") for link in self.links]
        text += [wrapped(f"{label:<{width}}", line) for label, line in rows]
        return "\n".join([*text, repr(self.card)] if self.covered else text)

    def _result_rows(self, answer):
        rows = [("right", self.right_line()), ("left", self.call_line())]
        rows.append((f"{self.names[0]}.grad", f"in two halves {nested(self.input_grad)}"))
        if self.mistake != "none":
            rows.append(("", f"handing over g {nested(self.right_grad)}"))
        rows.append(("", f"uncut {nested(self.uncut_grad)} {'=' if self.same else chr(0x2260)}"))
        line = answer.text
        if answer.found is not None:
            sign = "=" if self.agrees(answer) else "\u2260"
            theirs = self.of(answer.found, "x.grad")
            line = answer.labelled(f"{sign} {nested(theirs.tolist())}")
        rows += [("PyTorch", line), ("mistake", f"{self.mistake}. {self.mistake_line()}")]
        if self.mistake == "twice":
            numbers = "w = {}, x0 = {}".format(*map(number, self.loop_numbers))
            right, twice = (f"{grad:.4f}" for grad in self.loop_grads.values())
            line = f"{numbers}: w.grad is {right}; counting g twice gives {twice}"
            rows.append(("loop", line))
        return rows

    def _own(self, what, inputs, named, v, few):
        return own_chain(what, inputs, named, v)

    def _weigh(self, v):
        self._show(self._shown.cut, v)

    def _open(self, example):
        x = read_array(example.inputs[example.input_name])
        self.mistake = "none"
        self._show(self._cut_at(example, x, self._first_cut), example.v)
        self._cover()

    def _question(self):
        out = self.names[-1]
        return PredictCard(
            f"{self.formula}, cut at {self.seam_name}. The right half runs backward(v) with "
            f"v = {nested(self.upstream)}. Which g does it hand over to the left half?",
            lambda: self.seam_gradient,
            why=f"g is v\u00b7\u2202{out}/\u2202{self.seam_name}, in the shape of "
            f"{self.seam_name}: the upstream gradient of the left half.",
        )

    def _cut_at(self, example, x, place):
        """The chain at x, cut. Raises whatever is wrong with it."""
        links, x = example.links, in_float32(x)
        place = whole(place, 0, len(links), "The cut", "cut")
        runs = (forward(engines.minigrad, links, x) for _ in range(2))
        values, again = (list(map(values_of, run)) for run in runs)
        names = (example.input_name, *(link.value for link in links))
        for name, value, second in zip(("The input", *names[1:]), values, again):
            check_steady(value, second)
            check_size(name, value.size, MAX_ENTRIES, "1 to {} can be shown")
        left = jacobian(links[:place], x, names[0])
        right = jacobian(links[place:], values[place], names[place])
        return _Cut(example, x, place, tuple(values), left, right)

    def _show(self, cut, v):
        """Run both halves with this cut and this v, which refuse every shape but the output's."""
        v = np.ones(cut.values[-1].shape) if v is None else in_float32(read_array(v))
        numbers = self.loop_numbers if self._shown else _NUMBERS
        found = halves(engines.minigrad, cut.example, cut.x, v, cut.place)
        ours = {name: values_of(one) for name, one in found.items()}
        self._shown = _Shown(cut, v, ours, numbers)
        self._ask_anew()


def programs_to_record():
    programs = {_LOOP: loop.last_gradients}
    for example in EXAMPLES.values():
        for cut in range(len(example.links) + 1):
            programs[_key(example, cut)] = partial(_rows_to_record, example, cut)
    return programs


_LOOP, _NUMBERS = "SeamCutter, the loop over time", (loop.WEIGHT, loop.START)


def _key(example, cut):
    return f"SeamCutter {example.name}, cut {cut}"


def _rows_to_record(example, cut, torch):
    x = in_float32(example.inputs[example.input_name])
    sizes = forward(torch, example.links, x)[-1].shape
    return one_row_each(torch, sizes, lambda v: halves(torch, example, x, v, cut))


def _torch_number(value):
    text = number(value)
    return text + "." if text.lstrip("-").isdigit() else text
