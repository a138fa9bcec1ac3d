"""The nudge meter: nudge the input a little, divide, and compare with what backward says.

forward   (f(x + eps) - f(x)) / eps             the slope of a secant from x
central   (f(x + eps) - f(x - eps)) / (2 eps)   the slope of a secant around x
"""

import math
from collections import namedtuple
from functools import partial

import numpy as np

from ...compare import agreement, engines
from ...compare.heard import hear_warnings
from ...show.formatting import number, table, wrapped
from ...show.typed_numbers import Refused, read_number
from ..predict_card.model import PredictCard
from ..shared.example_model import ExampleModel, programs_of
from ..shared.functions import check_steady
from ..shared.model import action, at, shown, truth
from ..shared.point import forward, in_float32, pull_back
from ..shared.torch_answer import Question
from .examples import EXAMPLES, Curve

DTYPES = ("float64", "float32")
KINDS = ("forward", "central")
SMALLEST, LARGEST = 1e-15, 10.0  # of eps
LOWEST, HIGHEST = -14, 0  # of the slider: eps = 10 to this power
STEP = 0.5  # of the buttons
PER_DECADE = 4  # points of the error plot, and places of the slider
_PLACES = range(LOWEST * PER_DECADE, HIGHEST * PER_DECADE + 1)
# By Python: the last digits of a power by NumPy depend on the processor.
_PLOTTED = np.array([10.0 ** (place / PER_DECADE) for place in _PLACES])
WIDE = 1.25  # the curve is drawn this far to either side of x
SAMPLES = 81
_BEST = ("the smaller, the better", "one in between", "the larger, the better", "all the same")

Estimate = namedtuple("Estimate", "value error")  # a secant's slope, how far off it is
# What depends on f and x alone; derivatives: {dtype: x.grad}, at_x: {dtype: f(x)}.
_Shown = namedtuple("_Shown", "example x y derivatives at_x sweep")


class NudgeMeter(ExampleModel):
    """Nudge one number by eps, and compare the slopes of two secants with what backward says.

    what: the name of an example ("2b\u00b2"), or a function of one number, `lambda x: x ** 3`. A
        parameter named torch gets the engine: `lambda torch, x: torch.sin(x)`.
    inputs, named: the point x of a function, in order or by name; an example brings its own.
    eps: how far to nudge at first.
    predict: True covers the result until a guess is committed or "show me" is asked.
    """

    known, _example_type = EXAMPLES, Curve
    shows = (
        "example_name formula x y eps power zoomed derivatives slopes covered message refused_at"
    )

    def __init__(self, what="2b\u00b2", *inputs, eps=0.1, predict=False, **named):
        self.eps, self.zoomed = _read_eps(eps), False
        super().__init__(what, inputs, named, predict=predict, few=1)

    @action
    def set_eps(self, value):
        """Set eps, a number as typed or a Python number."""
        with at("eps"):
            self._nudge(_read_eps(value))

    @action
    def set_power(self, power):
        """Set eps = 10 to this power, as the slider does."""
        with at("eps"):
            power = read_number(power)
            if not LOWEST <= power <= HIGHEST:
                raise Refused(f"The power goes from {LOWEST:g} to {HIGHEST:g}.")
            self._nudge(10.0**power)

    @action
    def step_power(self, by):
        """Move the slider half a power of ten, right (1) or left (-1); it stops at the ends."""
        with at("eps"):
            power = self.power + (STEP if read_number(by) > 0 else -STEP)
            self._nudge(10.0 ** min(max(power, LOWEST), HIGHEST))

    @action
    def set_x(self, value):
        """Set the point."""
        with at("x"):
            self._look(self.example, read_number(value))

    @action
    def zoom(self, follow=True):
        """Whether the picture shows the neighbourhood of x, as wide as eps, or the whole curve."""
        self.zoomed = truth(follow)
        self._nudge(self.eps)

    x = shown("x", "The point, as float32 holds it: so both precisions start from the same number.")
    y = shown("y")
    derivatives = shown("derivatives", "x.grad by minigrad's backward, for each precision.")
    sweep = shown("sweep", "{(dtype, kind): array of (eps, error)}, the smallest eps first.")

    @property
    def power(self):
        """log10 of eps: where the slider stands."""
        return round(math.log10(self.eps), 4)

    @property
    def derivative(self):
        """x.grad by minigrad's backward, in float64."""
        return self._shown.derivatives["float64"]

    @property
    def slopes(self):
        """{dtype: {kind: the secant's slope}} for the present eps."""
        return {
            dtype: {kind: self.estimates[dtype, kind].value for kind in KINDS} for dtype in DTYPES
        }

    def best(self, dtype, kind):
        """(eps, error) of the plotted eps with the smallest error; inf if there is no error."""
        # Of several that are exact the largest eps is told: it has the most room.
        eps, errors = self.sweep[dtype, kind][::-1].T
        errors = np.where(np.isfinite(errors), errors, math.inf)
        return eps[errors.argmin()], errors.min()

    def samples(self, dtype="float64"):
        """An array of (offset from x, f there) for the picture; where f has no value it is nan."""
        return self._samples[dtype]

    def question(self):
        """x.grad by PyTorch in each precision; recorded at the example's own x."""
        example, x = self.example, self.x
        return Question(
            lambda torch: _derivatives(torch, example, x),
            self._recorded_as(x),
            what="for this function and input",
        )

    def agrees(self, answer=None):
        """Whether PyTorch's derivatives are minigrad's; None without an answer."""
        theirs = (answer or self.torch_answer(wait=True)).found
        if theirs is None:
            return None
        rounding = agreement.ROUNDING.get
        return all(agreement.agree(self.derivatives[k], theirs[k], rounding(k)) for k in DTYPES)

    def derivative_line(self):
        """ "b.grad = 4\u00b7b = 4" """
        value, rule = digits(self.derivative), self.example.derivative
        rule = f"{rule} = " if rule and rule != value else ""
        return f"{self.example.input_name}.grad = {rule}{value}"

    def working_line(self):
        """The forward quotient with the actual numbers, in float64."""
        slope = self.slopes["float64"]["forward"]
        return (
            f"\u0394{self.example.output} / eps = {number(slope * self.eps)} / "
            f"{number(self.eps)} = {digits(slope)}"
        )

    def best_lines(self):
        """For each precision, where its errors are smallest, in a sentence."""
        lines = []
        for dtype in DTYPES:
            parts = []
            for kind, near in (("forward", "is best near"), ("central", "near")):
                eps, error = self.best(dtype, kind)
                size = f"error {error_text(error)}" if error else "exact"
                part = f"{kind} {near} eps = {digits(eps, 2)} ({size})"
                parts.append(part if math.isfinite(error) else f"{kind} never gives a number")
            lines.append(f"{dtype}: {', '.join(parts)}.")
        return lines

    def verdict(self):
        """What to make of this eps, in a sentence; told from the errors of both precisions."""
        wide, narrow = (self.estimates[dtype, "forward"].error for dtype in DTYPES)
        scale = max(abs(self.derivative), 1e-30)
        if not math.isfinite(wide):
            return "At a nudged point the function has no finite value."
        best, least = self.best("float64", "forward")
        if wide <= 1e-9 * scale and narrow <= 1e-5 * scale:
            return "The secant and the tangent are one, as far as both precisions can tell."
        if self.eps < best / 3 and wide > max(10 * least, 1e-9 * scale):
            return f"Too small even for float64. {self._rounding('float64')}"
        if math.isfinite(least) and least > max(0.5 * wide, 1e-3 * scale):
            return (
                "However small eps is, the forward secant does not come near the tangent: the "
                "curve has a corner here."
            )
        if narrow > 3 * wide and narrow > 1e-5 * scale:
            return self._rounding("float32")
        return "Most of the error is the curve's bend between the two points: nudge less."

    def moved(self, dtype):
        """How far a nudge by eps really moves x: x + eps is rounded to a number of `dtype`."""
        kind = np.dtype(dtype).type
        return float(kind(self.x + self.eps)) - float(kind(self.x))

    def _rounding(self, dtype):
        """Which rounding spoils the forward secant: that of the nudge, or that of the output."""
        name, slope = self.example.input_name, self.slopes[dtype]["forward"]
        moved, error = self.moved(dtype), self.estimates[dtype, "forward"].error
        if not moved:
            return f"In {dtype} {name} + eps is {name} again: nothing has moved."
        by_move = slope * self.eps / moved
        if 2 * abs(by_move - self.derivative) < error:
            distance = digits(moved, 7 if digits(moved) != digits(self.eps) else 10)
            return (
                f"The nudge was rounded: in {dtype} {name} moved by {distance}, not by "
                f"{digits(self.eps)}. Divided by that, the slope is {digits(by_move)}."
            )
        output = self.example.output
        return (
            f"In {dtype} {output} grows so little here that the rounding of {name} + eps and of "
            f"{output} shows in the slope."
        )

    def _told(self):
        slopes = "; ".join(f"{dtype}: {self._both(dtype)}" for dtype in DTYPES)
        return f"eps is {digits(self.eps, 4)}. {slopes}. Backward: {digits(self.derivative)}."

    def torch_line(self, answer):
        """PyTorch's derivative beside minigrad's, as text."""
        if answer.found is None:
            return answer.text
        agrees, theirs = self.agrees(answer), answer.found["float64"]
        difference = agreement.difference_text(self.derivative, theirs, agrees)
        sign = "=" if agrees else "\u2260"
        return answer.labelled(f"{sign} {digits(theirs)}, largest difference {difference}")

    def summary(self):
        rest = "covered until you commit a guess"
        if not self.covered:
            rest = f"{self._both('float64')}, {self.derivative_line()}"
        return f"Nudge meter, {self.example.name}: eps = {digits(self.eps)}, {rest}"

    def text(self, answer=None):
        example = self.example
        lines = [wrapped("Nudge meter, ", example.title)]
        rows = [["", "float64", "error", "float32", "error"]]
        for kind in KINDS:
            rows.append([kind])
            for dtype in DTYPES:
                value, error = self.estimates[dtype, kind]
                rows[-1] += [digits(value), error_text(error)]
        if self.covered:
            lines.append(self.card.text())
        else:
            answer = answer or self.torch_answer(wait=True)
            lines += [
                f"{example.input_name} = {digits(self.x)}, {example.output} = {digits(self.y)}, "
                f"eps = {digits(self.eps)}",
                table(rows, (11, 14, 10, 14, 10)),
                wrapped("backward   ", f"{self.derivative_line()}  by minigrad"),
                wrapped("PyTorch    ", self.torch_line(answer)),
                wrapped("secant     ", self.working_line()),
                wrapped("so         ", self.verdict()),
                *(wrapped(" " * 11, line) for line in self.best_lines()),
            ]
        return self._joined(lines, "refused    ")

    def _both(self, dtype):
        return ", ".join(f"{kind} {digits(self.slopes[dtype][kind])}" for kind in KINDS)

    def _open(self, example):
        self._look(example, read_number(example.inputs[example.input_name]))

    @hear_warnings()  # of a logarithm left of 0: nan is shown
    def _look(self, example, x):
        x = float(in_float32(x))
        at_x = {dtype: _value_at(example, x, dtype) for dtype in DTYPES}
        y = at_x["float64"].item()
        check_steady(y, _value_at(example, x).item())
        grads = _derivatives(engines.minigrad, example, x)
        if not math.isfinite(y) or not math.isfinite(grads["float64"]):
            where = f"{example.input_name} = {digits(x)}"
            raise Refused(f"At {where} the function or its derivative is not a finite number.")
        sweep = {
            key: np.column_stack([_PLOTTED, np.abs(np.subtract(slopes, grads["float64"]))])
            for key, slopes in _slopes(example, x, _PLOTTED, at_x).items()
        }
        self._shown = _Shown(example, x, y, grads, at_x, sweep)
        self.reach = None  # the curve is another
        self._nudge(self.eps)
        self._cover()

    @hear_warnings()
    def _nudge(self, eps):
        slopes = _slopes(self.example, self.x, np.array([eps]), self._shown.at_x).items()
        self.eps = eps
        self.estimates = {key: Estimate(one, abs(one - self.derivative)) for key, [one] in slopes}
        reach = 2.5 * eps if self.zoomed else max(WIDE, 1.25 * eps)
        if reach != self.reach:  # moving eps mostly leaves the curve alone
            self.reach, offsets = reach, np.linspace(-reach, reach, SAMPLES)
            self._samples = {
                dtype: np.column_stack([offsets, _values(self.example, self.x + offsets, dtype)])
                for dtype in DTYPES
            }

    def _question(self):
        example = self.example
        return PredictCard(
            f"{example.formula} at {example.input_name} = {digits(self.x)}, in float32. Which eps "
            "gives the forward quotient with the smallest error?",
            self._where_it_is_best,
            choices=_BEST,
            why=self.best_lines()[1],
            misconceptions={
                _BEST[0]: "So it is in exact arithmetic. But float32 has gaps between its "
                f"numbers: {example.input_name} + eps is rounded to one of them, and so is "
                f"{example.output}."
            },
        )

    def _where_it_is_best(self):
        """Where among the plotted eps the forward quotient in float32 is best, one of `_BEST`."""
        errors = self.sweep["float32", "forward"][:, 1]
        errors = errors[np.isfinite(errors)]
        if not len(errors):
            return _BEST[3]
        rounding = 1e-5 * max(abs(self.derivative), errors[-1], 1e-30)
        as_good = errors <= errors.min() + rounding  # as the best of them
        if as_good.all():
            return _BEST[3]
        return _BEST[2 if as_good[-1] else 0 if as_good[0] else 1]


def digits(value, count=7):
    """A number with as many digits as float32 has: 4.00002 must not read 4."""
    return number(value, digits=count)


def error_text(error):
    """An error's size in two digits; what is below 1e-12 is rounding of the last digits."""
    return "< 1e-12" if 0 < error < 1e-12 else digits(error, 2)


def _value_at(example, x, dtype="float64"):
    """f(x) by minigrad, as NumPy holds a number of `dtype`; x is rounded to that precision, too."""
    y = forward(engines.minigrad, example, np.array(x), dtype, False)[1]
    if y.numel() != 1:
        raise Refused(f"The function returned {y.numel()} numbers; the meter takes one.")
    return y.detach().numpy().reshape(())


def _values(example, points, dtype):
    """f at each point, an array; nan where f fails."""
    values = []
    for x in points:
        try:
            values.append(_value_at(example, x, dtype))
        except Exception:  # the learner's function may end where its domain does
            values.append(np.array(math.nan, dtype))
    return np.array(values)


def _derivatives(torch, example, x):
    grads = {dtype: pull_back(torch, example, np.array(x), dtype=dtype)[1] for dtype in DTYPES}
    return {dtype: grad.item() for dtype, grad in grads.items()}


def _slopes(example, x, eps, at_x):
    """{(dtype, kind): [the secant's slope for each eps]}; nan where f fails at a nudged x."""
    slopes = {}
    for dtype in DTYPES:
        above, below = (_values(example, x + step, dtype) for step in (eps, -eps))
        by = eps.astype(above.dtype)
        slopes[dtype, "forward"] = ((above - at_x[dtype]) / by).tolist()
        slopes[dtype, "central"] = ((above - below) / (2 * by)).tolist()
    return slopes


def _read_eps(value):
    eps = read_number(value)
    if not SMALLEST <= eps <= LARGEST:
        raise Refused(f"eps goes from {SMALLEST:g} to {LARGEST:g}; type such as 0.001 or 1e-5.")
    return eps


def _to_record(example, torch):
    return _derivatives(torch, example, in_float32(example.inputs[example.input_name]))


programs_to_record = partial(programs_of, NudgeMeter, _to_record)
