"""The nudge meter: nudge the input a little, divide, and compare with what backward says.

    forward   (f(x + eps) - f(x)) / eps             the slope of a secant from x
    central   (f(x + eps) - f(x - eps)) / (2 eps)   the slope of a secant around x

A smaller eps makes the secant more like the tangent, until the two values of f agree in almost all
their digits and rounding is all that is left of their difference: the error falls, then rises.
Every number is what minigrad's tensors give, in float64 and in float32; the derivative is x.grad,
by `backward()`.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from .. import agreement, engines, recorded
from ..formatting import number, table, wrapped
from ..heard import hear_warnings
from ..typed_numbers import Refused, read_number
from .base import action, in_a_sentence, truth
from .curves import CURVES, Curve, own_curve
from .example_model import ExampleModel
from .point import check_steady, check_untouched, one_tensor
from .predict import PredictCard
from .torch_answer import could_not_run, live, missing, stored

DTYPES = ("float64", "float32")
KINDS = ("forward", "central")
SMALLEST, LARGEST = 1e-15, 10.0  # of eps
LOWEST, HIGHEST = -14.0, 0.0  # of the slider: eps = 10 to this power
STEP = 0.5  # of the slider
PER_DECADE = 4  # points of the error plot
WIDE = 1.25  # the curve is drawn this far to either side of x
SAMPLES = 81
_BEST = ("the smaller, the better", "one in between", "the larger, the better", "all the same")


@dataclass(frozen=True)
class Estimate:
    """A secant's slope and how far it is from the derivative."""

    value: float
    error: float


@dataclass(frozen=True)
class _Shown:
    """What depends on f and x alone."""

    curve: object
    x: float
    y: float
    derivatives: dict  # {dtype: x.grad}
    sweep: dict  # {(dtype, kind): [(eps, error), ...]}
    estimates: dict = field(default_factory=dict)  # {eps: ...}, filled when they are looked at
    samples: dict = field(default_factory=dict)  # {(reach, dtype): ...}, so too


def value_at(torch, curve, x, offset, dtype):
    """f(x + offset) as a 0-d tensor of `dtype`; the sum is rounded to that precision, too."""
    point = torch.tensor(x, dtype=getattr(torch, dtype))
    y = curve.function(torch, point + offset if offset else point)
    return _one_number(y)


def derivative(torch, curve, x, dtype):
    """x.grad by backward."""
    leaf = torch.tensor(x, dtype=getattr(torch, dtype), requires_grad=True)
    y = _one_number(curve.function(torch, leaf))
    check_untouched(leaf)
    y.backward(torch.ones_like(y), inputs=[leaf])
    if leaf.grad is None:
        raise Refused("x.grad stays None: the output does not depend on x.")
    return leaf.grad.item()


def derivatives(torch, curve, x):
    """{dtype: x.grad} in one engine."""
    return {dtype: derivative(torch, curve, x, dtype) for dtype in DTYPES}


def slopes(torch, curve, x, eps, dtype):
    """{kind: the secant's slope}; nan where f fails at a nudged x."""
    try:
        with hear_warnings():  # of a logarithm left of 0: nan is shown
            above = value_at(torch, curve, x, eps, dtype)
            return {
                "forward": ((above - value_at(torch, curve, x, 0, dtype)) / eps).item(),
                "central": ((above - value_at(torch, curve, x, -eps, dtype)) / (2 * eps)).item(),
            }
    except Exception:  # the learner's function may end where its domain does
        return dict.fromkeys(KINDS, math.nan)


class NudgeMeter(ExampleModel):
    """The model of the nudge meter.

    what: the name of a curve ("S3-3", see `NudgeMeter.curves()`), or a function of one number,
        `lambda x: x ** 3`. One that needs torch's names takes them first:
        `lambda torch, x: torch.sin(x)`.
    x: the point; a named curve brings its own. eps: how far to nudge at first.
    predict: True covers the result until a guess is committed or "show me" is asked.

    What cannot be used is refused: `message` says why, and everything else stays as it was.
    """

    known = CURVES
    kind = "curve"

    def __init__(self, what="S3-3", x=None, eps=0.1, *, predict=False):
        super().__init__(predict)
        self.zoomed = False  # whether the picture follows eps
        self.eps = 0.1
        if isinstance(what, str):
            what = self._find(what)
        self._start(lambda: self._begin(what, x, eps), "S3-3")

    @staticmethod
    def curves():
        """The names of the curves that can be loaded."""
        return list(CURVES)

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def set_eps(self, value):
        """Set eps, a number as typed or a Python number."""
        with self._at("eps"):
            self.eps = _read_eps(value)

    @action
    def set_power(self, power):
        """Set eps = 10 to this power, as the slider does."""
        with self._at("eps"):
            power = read_number(power)
            if not LOWEST <= power <= HIGHEST:
                raise Refused(f"The power goes from {LOWEST:g} to {HIGHEST:g}.")
            self.eps = 10.0**power

    @action
    def step_power(self, by):
        """Move the slider by one step, right (1) or left (-1); it stops at the ends."""
        with self._at("eps"):
            power = self.power + (STEP if read_number(by) > 0 else -STEP)
        self.eps = 10.0 ** min(max(power, LOWEST), HIGHEST)

    @action
    def set_x(self, value):
        """Set the point."""
        try:
            self._shown = _look(self.curve, read_number(value))
            self._ask_anew()
        except Exception as error:  # of the reader, or of the function at this point
            self._refuse("x", in_a_sentence(error))

    @action
    def zoom(self, follow=True):
        """Whether the picture shows the neighbourhood of x, as wide as eps, or the whole curve."""
        self.zoomed = truth(follow)

    # --- what it shows --------------------------------------------------------------------------

    @property
    def curve(self):
        return self._shown.curve

    @property
    def x(self):
        """The point, as float32 holds it: so both precisions start from the same number."""
        return self._shown.x

    @property
    def y(self):
        return self._shown.y

    @property
    def power(self):
        """log10 of eps: where the slider stands."""
        return round(math.log10(self.eps), 4)

    @property
    def derivative(self):
        """x.grad by minigrad's backward, in float64."""
        return self._shown.derivatives["float64"]

    @property
    def derivatives(self):
        """x.grad by minigrad's backward, for each precision."""
        return dict(self._shown.derivatives)

    def estimates(self, eps=None):
        """{dtype: {kind: Estimate}} for the present eps, or another."""
        eps = self.eps if eps is None else eps
        found = self._shown.estimates
        if eps not in found:
            at_eps = {}
            for dtype in DTYPES:
                values = slopes(engines.minigrad, self.curve, self.x, eps, dtype)
                at_eps[dtype] = {
                    kind: Estimate(value, abs(value - self.derivative))
                    for kind, value in values.items()
                }
            found[eps] = at_eps
        return found[eps]

    @property
    def sweep(self):
        """{(dtype, kind): [(eps, error), ...]} for the error plot, the smallest eps first."""
        return self._shown.sweep

    def best(self, dtype, kind):
        """(eps, error) of the plotted eps with the smallest error; None if no error is finite."""
        finite = [pair for pair in self.sweep[dtype, kind] if math.isfinite(pair[1])]
        # Of several that are exact the largest eps is told: it has the most room.
        return min(finite, key=lambda pair: (pair[1], -pair[0]), default=None)

    @property
    def reach(self):
        """How far to either side of x the picture shows the curve."""
        return 2.5 * self.eps if self.zoomed else max(WIDE, 1.25 * self.eps)

    def samples(self, dtype="float64"):
        """[(offset from x, f there)] for the picture; where f has no value it is nan."""
        seen = self._shown.samples
        if (self.reach, dtype) in seen:
            return seen[self.reach, dtype]
        found = []
        with hear_warnings():
            for offset in np.linspace(-self.reach, self.reach, SAMPLES).tolist():
                try:
                    y = value_at(engines.minigrad, self.curve, self.x, offset, dtype).item()
                except Exception:  # the learner's function may end where its domain does
                    y = math.nan
                found.append((offset, y))
        seen[self.reach, dtype] = found
        return found

    def stored_answer(self):
        """PyTorch's derivatives from the record alone."""
        curve = self.curve
        if CURVES.get(curve.name) is curve and self.x == single(curve.x):
            found, version = recorded.old_answer("nudges", curve.name)
            if found is not None:
                return stored(version, found)
        return missing()

    def agrees(self, answer=None):
        """Whether PyTorch's derivatives are minigrad's; None without an answer."""
        answer = answer or self.torch_answer(wait=True)
        if answer.found is None:
            return None
        return all(
            agreement.agree(self.derivatives[dtype], answer.found[dtype],
                            agreement.ROUNDING[dtype])
            for dtype in DTYPES
        )

    # --- in words --------------------------------------------------------------------------------

    def derivative_line(self):
        """ "b.grad = 4\u00b7b = 4" """
        value, rule = digits(self.derivative), self.curve.derivative
        rule = f"{rule} = " if rule not in ("", value) else ""
        return f"{self.curve.input_name}.grad = {rule}{value}"

    def working_line(self):
        """The forward quotient with the actual numbers, in float64."""
        x, eps = digits(self.x), digits(self.eps)
        name, value = self.curve.output_name, self.estimates()["float64"]["forward"].value
        return f"({name} at {x} + {eps}, minus {name} at {x}) / {eps} = {digits(value)}"

    def best_lines(self):
        """For each precision, where its errors are smallest, in a sentence."""
        lines = []
        for dtype in DTYPES:
            parts = []
            for kind in KINDS:
                found = self.best(dtype, kind)
                if found is None:
                    parts.append(f"{kind} never gives a number")
                else:
                    error = f"error {error_text(found[1])}" if found[1] else "exact"
                    parts.append(f"{kind} is best near eps = {digits(found[0], 2)} ({error})")
            lines.append(f"{dtype}: {', '.join(parts)}.")
        return lines

    def verdict(self):
        """What to make of this eps, in a sentence; told from the errors of both precisions."""
        found = self.estimates()
        wide, narrow = found["float64"]["forward"].error, found["float32"]["forward"].error
        scale = max(abs(self.derivative), 1e-30)
        if not math.isfinite(wide):
            return "At a nudged point the function has no finite value."
        best = self.best("float64", "forward")
        if wide <= 1e-9 * scale and narrow <= 1e-5 * scale:
            return "The secant and the tangent are one, as far as both precisions can tell."
        if best is not None and self.eps < best[0] / 3 and wide > 10 * best[1]:
            return (
                "Too small even for float64: the two values of the function agree in nearly all "
                "digits, and their difference is mostly rounding."
            )
        if best is not None and best[1] > 0.5 * wide:
            return (
                "However small eps is, the forward secant does not come near the tangent: the "
                "curve has a corner here."
            )
        if narrow > 3 * wide and narrow > 1e-5 * scale:
            return (
                "float32 already rounds away what float64 still sees: the two values of the "
                "function agree in nearly all of its 7 digits."
            )
        return "Most of the error is the curve's bend between the two points: nudge less."

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message} Nothing else changed."
        if self.covered:
            return "Curve and errors are covered until you commit a guess."
        found = self.estimates()
        told = "; ".join(
            f"{dtype}: forward {digits(found[dtype]['forward'].value)}, "
            f"central {digits(found[dtype]['central'].value)}" for dtype in DTYPES
        )
        return f"eps is {digits(self.eps, 4)}. {told}. Backward: {digits(self.derivative)}."

    def readout_rows(self):
        """The readouts as rows of text, with a heading."""
        found = self.estimates()
        rows = [("", "float64", "error", "float32", "error")]
        for kind in KINDS:
            cells = [kind]
            for dtype in DTYPES:
                one = found[dtype][kind]
                cells += [digits(one.value), error_text(one.error)]
            rows.append(tuple(cells))
        return rows

    def state(self):
        """Everything the meter shows, as plain values."""
        return {
            "curve": self.curve.name,
            "x": self.x,
            "y": self.y,
            "eps": self.eps,
            "power": self.power,
            "zoomed": self.zoomed,
            "derivatives": self.derivatives,
            "estimates": {
                dtype: {kind: one.value for kind, one in kinds.items()}
                for dtype, kinds in self.estimates().items()
            },
            "covered": self.covered,
            "message": self.message,
            "refused_at": self.refused_at,
        }

    def __repr__(self):
        return self.text()

    def text(self, answer=None):
        """The meter as text. answer: PyTorch's side, if not the live one."""
        curve = self.curve
        if self.covered:
            refused = [wrapped("refused: ", self.message)] if self.message else []
            head = f"Nudge meter, {curve.name}: {curve.formula}"
            return "\n".join([head, repr(self.card), *refused])
        answer = answer or self.torch_answer(wait=True)
        lines = [
            f"Nudge meter, {curve.name}: {curve.formula}",
            f"{curve.input_name} = {digits(self.x)}, {curve.output_name} = {digits(self.y)}, "
            f"eps = {digits(self.eps)}",
            *table(self.readout_rows(), (11, 14, 10, 14, 10)).split("\n"),
            wrapped("backward   ", f"{self.derivative_line()}  by minigrad"),
            wrapped("PyTorch    ", self.torch_text(answer)),
            wrapped("secant     ", self.working_line()),
            wrapped("so         ", self.verdict()),
            *(wrapped(" " * 11, line) for line in self.best_lines()),
        ]
        if self.message:
            lines.append(wrapped("refused    ", self.message))
        return "\n".join(lines)

    def torch_text(self, answer):
        """PyTorch's derivative beside minigrad's, as text."""
        if answer.found is None:
            return answer.text
        agrees, theirs = self.agrees(answer), answer.found["float64"]
        difference = agreement.difference_text(self.derivative, theirs, agrees)
        sign = "=" if agrees else "\u2260"
        return answer.labelled(f"{sign} {digits(theirs)}, largest difference {difference}")

    # --- inside ----------------------------------------------------------------------------------

    def _ask_torch(self, torch):
        """{dtype: the derivative} by PyTorch."""
        try:
            return live(torch, derivatives(torch, self.curve, self.x))
        except Exception as error:  # PyTorch does not take the learner's function
            return could_not_run(error)

    def _begin(self, what, x, eps):
        """Open a curve, or a learner's own function, with what is given."""
        own = None if isinstance(what, Curve) else own_curve(what, x)
        self._open(own or what, None if own else x)
        self.own = own
        self.eps = _read_eps(eps)

    def _open(self, curve, x=None):
        self._shown = _look(curve, curve.x if x is None else read_number(x))
        self._cover()

    def _question(self):
        curve = self.curve
        return PredictCard(
            f"{curve.formula} at {curve.input_name} = {digits(self.x)}, in float32. Which eps gives the "
            "forward quotient with the smallest error?",
            self._where_it_is_best,
            choices=_BEST,
            why=self.best_lines()[1],
            misconceptions={_BEST[0]: "So it is in exact arithmetic. In float32 the two values of the "
                                      "function soon agree in all their digits."},
        )

    def _where_it_is_best(self):
        """Where among the plotted eps the forward quotient in float32 is best, one of `_BEST`."""
        errors = [error for _, error in self.sweep["float32", "forward"] if math.isfinite(error)]
        least, rounding = min(errors, default=0), 1e-5 * max(abs(self.derivative), *errors[-1:], 1e-30)
        if not errors or max(errors) - least <= rounding:
            return _BEST[3]
        if errors[-1] - least <= rounding:
            return _BEST[2]
        return _BEST[0] if errors[0] - least <= rounding else _BEST[1]


def digits(value, count=7):
    """A number with as many digits as float32 has: 4.00002 must not read 4."""
    value = float(value)
    if not math.isfinite(value) or value == 0 or value == int(value) and abs(value) < 1e7:
        return number(value)
    return f"{value:.{count}g}"


def error_text(error):
    """An error's size in two digits; what is below 1e-12 is rounding of the last digits."""
    if math.isfinite(error) and 0 < error < 1e-12:
        return "< 1e-12"
    return digits(error, 2)


def _look(curve, x):
    """Everything about a curve at x. Raises whatever is wrong with it."""
    minigrad, x = engines.minigrad, single(x)
    with hear_warnings():
        y = value_at(minigrad, curve, x, 0, "float64").item()
        check_steady(y, value_at(minigrad, curve, x, 0, "float64").item())
        found = derivatives(minigrad, curve, x)
    if not math.isfinite(y) or not math.isfinite(found["float64"]):
        at = f"{curve.input_name} = {digits(x)}"
        raise Refused(f"At {at} the function or its derivative is not a finite number.")
    sweep = {(dtype, kind): [] for dtype in DTYPES for kind in KINDS}
    count = int((HIGHEST - LOWEST) * PER_DECADE)
    for dtype in DTYPES:
        for k in range(count + 1):
            eps = 10.0 ** (LOWEST + k / PER_DECADE)
            for kind, value in slopes(minigrad, curve, x, eps, dtype).items():
                sweep[dtype, kind].append((eps, abs(value - found["float64"])))
    return _Shown(curve, x, y, found, sweep)


def _one_number(y):
    if one_tensor(y, "The function").numel() != 1:
        raise Refused(f"The function returned {y.numel()} numbers; the meter takes one.")
    return y.reshape(())


def _read_eps(value):
    eps = read_number(value)
    if not SMALLEST <= eps <= LARGEST:
        raise Refused(f"eps goes from {SMALLEST:g} to {LARGEST:g}; type such as 0.001 or 1e-5.")
    return eps


def single(x):
    """x as float32 holds it."""
    return float(np.float32(x))

