"""The flow picture: the price-list program from left to right, and its gradients back beneath it.

    flow = read_flow()                      the engine's numbers at the program's first step
    draw_flow(flow, alt, cut="p")           a `Drawing`, cut at the predictions
    animated(flow, alt)                     SVG text that moves by itself, in both themes

Each box shows what it holds, and under it stands the gradient of the loss with respect to it. A cut
stands before a box; what crosses it from right to left is that box's gradient: the v of
`p.backward(v)`.
"""

import contextlib
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

import minigrad

from ..formatting import MINUS, nested, number
from . import palette
from .svg import Drawing, letters

X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
T = [1.0, 3.0, 0.0, 2.0]
CUTS = ("p", "e", "loss")  # the boxes before which a cut can stand, in the program's order
CALLS = {"p": "p.backward(v)", "e": "e.backward(v)", "loss": "loss.backward()"}


# Both are {"w": array, "b": ..., "p": ..., "e": ..., "loss": ...}.
Flow = namedtuple("Flow", "values grads")


def read_flow(w=(0.0, 0.0), b=0.0, torch=minigrad):
    """The program's numbers, computed by an engine: forward, and one `loss.backward()`."""
    leaves = {"w": torch.tensor(w, requires_grad=True), "b": torch.tensor(b, requires_grad=True)}
    p = torch.tensor(X) @ leaves["w"] + leaves["b"]
    e = p - torch.tensor(T)
    tensors = {**leaves, "p": p, "e": e, "loss": (e * e).mean()}
    for name in CUTS:
        tensors[name].retain_grad()
    tensors["loss"].backward()
    values = {name: np.array(one.tolist()) for name, one in tensors.items()}
    grads = {name: np.array(one.grad.tolist()) for name, one in tensors.items()}
    return Flow(values, grads)


@dataclass(frozen=True)
class Plan:
    """cell, gap: the widths of a number and of the space between boxes. size: of the type.
    has_words: whether there is room to say on an arrow what it does."""

    cell: int
    gap: int
    size: int
    has_words: bool

    @property
    def first(self):
        """The width of the first column: three numbers."""
        return 3 * self.cell + 8

    @property
    def box(self):
        return self.cell + 8

    @property
    def width(self):
        return self.first + len(CUTS) * (self.gap + self.box) + 4

    def left(self, name):
        """The left edge of the box of p, e or loss."""
        return self.first + self.gap + CUTS.index(name) * (self.gap + self.box)

    def cut(self, name):
        """Where the cut before this box stands, in pixels from the left."""
        return self.left(name) - _AHEAD

    def middle(self, k):
        """The middle of number k in the first column."""
        return 4 + self.cell * (k + 0.5)


WIDE, NARROW = Plan(54, 114, 16, True), Plan(40, 26, 14, False)
_ROW = 28  # of a number
_TALL = 4 * _ROW + 8  # a box with four of them
_SHORT = _ROW + 8  # ... and with one
_TOP = 50  # of the boxes with values
_BACK = _TOP + _TALL + 54  # ... with gradients
_PARAMETERS = _TOP + _TALL + 48  # w and b stand under the receipts
_OF_PARAMETERS = _BACK + _TALL - _SHORT  # w.grad and b.grad under them
_HEIGHT = _BACK + _TALL + 36
_AHEAD = 14  # from a cut to the box behind it
_FORWARD = {"p": "X @ w + b", "e": f"{MINUS} t", "loss": "mean of e\u00b2"}
_BACKWARD = {"p": "\u00b7 X", "e": "\u00b7 1", "loss": "\u00b7 2e / 4"}
_NAMES = {"p": "predictions", "e": "errors", "loss": "loss"}


def draw_flow(flow, alt, cut=None, plan=WIDE, live=None):
    """The picture as a `Drawing`. cut: one of CUTS.

    live: for a page with a script, {name of a gradient: attributes of each of its numbers}; all
    cuts are drawn then, each in a group with `data-case`, its place among CUTS.
    """
    drawing = _FlowDrawing(flow, alt, plan, live)
    drawing.add_receipts_and_parameters()
    for name in CUTS:
        drawing.add_value(name)
    for name in reversed(CUTS):
        drawing.add_gradient(name)
    drawing.add_gradients_of_parameters()
    for k, name in enumerate(CUTS):
        if live is not None or name == cut:
            drawing.add_cut(name, "" if live is None else f' data-case="{k}"')
    return drawing


def flow_in_words(flow, cut=None):
    """The picture in a sentence or two."""
    loss, w, b = (_written(one) for one in (flow.values["loss"], flow.grads["w"], flow.grads["b"]))
    words = (
        "The price-list program, from receipts and parameters through predictions and errors to "
        f"the loss, {loss}; beneath it the gradients, from the loss back to w.grad = {w} and "
        f"b.grad = {b}."
    )
    if cut is not None:
        words += f" A cut at {cut}: what crosses it is v = {_written(flow.grads[cut])}."
    return words


def flow_rows(flow):
    """The picture's numbers, {label: text}."""
    rows = {name: _written(value) for name, value in flow.values.items()}
    rows |= {f"\u2202loss/\u2202{name}": _written(flow.grads[name]) for name in reversed(CUTS)}
    return rows | {f"{name}.grad": _written(flow.grads[name]) for name in ("w", "b")}


def _written(array):
    return nested(np.asarray(array).tolist())


class _FlowDrawing(Drawing):
    """The drawing, part by part."""

    def __init__(self, flow, alt, plan, live):
        super().__init__(plan.width, _HEIGHT, alt)
        self.flow, self.plan, self.live = flow, plan, live

    def add_receipts_and_parameters(self):
        """Receipts on top, the parameters under them: what the predictions are computed from."""
        plan, flow = self.plan, self.flow
        self._heading(plan.first / 2, _TOP, "receipts")
        for k, heading in enumerate(("coupon", "large", "paid")):
            size = plan.size - (2 if plan.has_words else 3)
            self.text(plan.middle(k), _TOP - 8, heading, size, anchor="middle", ink="quiet")
        self.box(1, _TOP, plan.first - 1, _TALL, "paper")
        for row, (receipt, paid) in enumerate(zip(X, T)):
            for k, value in enumerate((*receipt, paid)):
                self._plain(plan.middle(k), _TOP + 4 + _ROW * (row + 0.5), value)
        self._heading(plan.first / 2, _PARAMETERS, "parameters")
        for x, title in ((plan.cell, "w"), (2.5 * plan.cell, "b")):
            self._code(4 + x, _PARAMETERS - 8, title, plan.size)
        self.box(1, _PARAMETERS, plan.first - 1, _SHORT, "paper")
        for k, value in enumerate((*flow.values["w"], flow.values["b"])):
            self._plain(plan.middle(k), _PARAMETERS + _SHORT / 2, value)

    def add_value(self, name):
        """The step that leads to a value, and its box."""
        plan, left, y = self.plan, self.plan.left(name), _TOP + _TALL / 2
        start, middle = left - plan.gap, left + plan.box / 2
        with self._group(f"flow-step flow-to-{name}"):
            if name == "p":  # the parameters join the receipts
                join, below = start + min(10, plan.gap / 3), _PARAMETERS + _SHORT / 2
                self.line([(plan.first, below), (join, below), (join, y)])
            self.line([(start, y), (left - 1, y)], arrow=True)
            if plan.has_words:
                self._code(start + (plan.gap - _AHEAD) / 2 + 4, y - 9, _FORWARD[name], 14)
        with self._group(f"flow-value flow-value-{name}"):
            self._heading(middle, _TOP, _NAMES[name])
            if name != "loss":
                self._code(middle, _TOP - 8, name, plan.size)
            values = np.ravel(self.flow.values[name])
            top, high = _column(y, values)
            self.box(left, top, plan.box, high, "paper")
            for row, value in enumerate(values):
                self._plain(middle, top + 4 + _ROW * (row + 0.5), value)

    def add_gradient(self, name):
        """The gradient under a value's box, and the step that leads on from it, to the left."""
        plan, left, y = self.plan, self.plan.left(name), _BACK + _TALL / 2
        start, middle = left - plan.gap, left + plan.box / 2
        grads = np.ravel(self.flow.grads[name])
        top, high = _column(y, grads)
        with self._group(f"flow-grad flow-grad-{name}"):
            if plan.has_words or name != "loss":
                title, size = f"\u2202loss/\u2202{name}", plan.size - 2
                over = min(middle, plan.width - letters(title, size) / 2)
                self._code(over, top - 9, title, size)
            self.box(left, top, plan.box, high)
            for row in range(len(grads)):
                self._signed(middle, top + 4 + _ROW * (row + 0.5), grads, row, name, row)
        with self._group(f"flow-step flow-from-{name}"):
            if name == "p":
                y = _OF_PARAMETERS + _SHORT / 2
            self.line([(left, y), (start + 1, y)], "ink", 2.5, "7 4", arrow=True)
            if plan.has_words:
                self._code(start + (plan.gap - _AHEAD) / 2 + 6, y - 9, _BACKWARD[name], 14)

    def add_gradients_of_parameters(self):
        plan, y = self.plan, _OF_PARAMETERS + _SHORT / 2
        grads = np.array([*self.flow.grads["w"], self.flow.grads["b"]])
        with self._group("flow-grad flow-grad-w"):
            for x, title in ((plan.cell, "w.grad"), (2.5 * plan.cell, "b.grad")):
                self._code(4 + x, _OF_PARAMETERS - 8, title, plan.size - 2)
            self.box(1, _OF_PARAMETERS, plan.first - 1, _SHORT)
            for k, (name, row) in enumerate((("w", 0), ("w", 1), ("b", 0))):
                self._signed(plan.middle(k), y, grads, k, name, row)

    def add_cut(self, name, attributes):
        """The line, the v that crosses it, and the call that hands this v to what is left of it."""
        plan, left, y = self.plan, self.plan.left(name), _BACK + _TALL / 2
        line, call = plan.cut(name), CALLS[name]
        with self._group(f"flow-cut flow-cut-{name}", attributes):
            self.line([(line, 2), (line, _BACK + _TALL + 10)], "hand", 3, "3 4")
            top, high = _column(y, np.ravel(self.flow.grads[name]))
            self.box(left - 3, top - 3, plan.box + 6, high + 6, "none", "hand", 2.5, 10)
            at = _OF_PARAMETERS + _SHORT / 2 if name == "p" else y
            self.box(line - 11, at - 11, 22, 22, "hand", "none", 0, 11)
            self._code(line, at + 5, "v", 16, "on-hand")
            over = min(left + plan.box / 2, plan.width - letters(call, plan.size) / 2)
            self._code(over, _HEIGHT - 7, call, plan.size, "hand")

    @contextlib.contextmanager
    def _group(self, names, attributes=""):
        """Within the block, all that is drawn is of these classes."""
        self.add(f'<g class="{names}"{attributes}>')
        yield
        self.add("</g>")

    def _heading(self, x, top, words):
        """What a box holds, in words above it."""
        self.text(x, top - 28, words, self.plan.size - 2, anchor="middle", ink="quiet")

    def _code(self, x, y, text, size, ink="ink"):
        self.text(x, y, text, size, "code", bold=True, anchor="middle", ink=ink)

    def _plain(self, x, y, value):
        self.text(x, y + 5.5, number(value, minus=True), self.plan.size, "code", anchor="middle")

    def _signed(self, x, y, values, k, name, row):
        """Number k of several on its tint with a bar above or below: three rectangles and a text,
        whatever the sign, so that a script can change it. row: its place in the gradient `name`."""
        width, height = self.plan.cell - 3, _ROW - 4
        left, top = x - width / 2, y - height / 2
        tint = palette.sign_class(values[k], palette.largest_of(values)).removeprefix("mg-")
        sign = tint.split("-")[0]
        self.add(f"<g{self.live[name][row] if self.live else ''}>")
        for at, high, colour in (
            (top, height, tint or "none"),
            (top, 3, "plus" if sign == "plus" else "none"),
            (top + height - 3, 3, "minus" if sign == "minus" else "none"),
        ):
            self.box(left, at, width, high, colour, "none", 0, 2)
        text = number(values[k], signed=True)
        self.text(x, y + 5.5, text, self.plan.size, "code", anchor="middle")
        self.add("</g>")


def _column(middle, numbers):
    """(top, height) of a box for so many numbers."""
    high = len(numbers) * _ROW + 8
    return middle - high / 2, high


# The animation: when each part comes, in shares of one round, and the three cuts one by one. Where
# motion is unwanted, and after the last round, the picture is whole, and cut at p.
_ROUND, _ROUNDS = 16, 3  # seconds, and how often
_COMES = {  # percent of a round
    "to-p": 3,
    "value-p": 6,
    "to-e": 10,
    "value-e": 13,
    "to-loss": 17,
    "value-loss": 20,
    "grad-loss": 30,
    "from-loss": 34,
    "grad-e": 37,
    "from-e": 42,
    "grad-p": 45,
    "from-p": 50,
    "grad-w": 53,
}
_STAYS = {"loss": (62, 73), "e": (74, 85), "p": (86, 100)}


def animated(flow, alt, moves=True):
    """The picture as SVG for an `<img>`, in the theme that its page has; CSS alone moves it."""
    light, dark = map(palette.variables, ("light", "dark"))
    style = (
        f"svg {{ {light} }}\n@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}\n"
        ".flow-cut { opacity: 0 } .flow-cut-p { opacity: 1 }\n"
    )
    return draw_flow(flow, alt, live={}).on_paper(
        'rx="8" style="fill: var(--mg-paper)"',
        f"\n<style>\n{style}{_motion() if moves else ''}</style>\n",
        f' role="img" aria-label="{alt}"',
    )


def _motion():
    """Keyframes for each part, for readers who have not asked for less motion."""
    frames = {
        f"flow-{part}": f"0%, {at}% {{ opacity: 0.08 }} {at + 3}%, 100% {{ opacity: 1 }}"
        for part, at in _COMES.items()
    }
    for cut, (begin, end) in _STAYS.items():
        after = "" if end == 100 else f" {end + 1}%, 100% {{ opacity: 0 }}"
        there = f"{begin + 1}%, {end}% {{ opacity: 1 }}"
        frames[f"flow-cut-{cut}"] = f"0%, {begin}% {{ opacity: 0 }} {there}{after}"
    keyframes = [f"@keyframes {part} {{ {steps} }}" for part, steps in frames.items()]
    moving = [f".{part} {{ animation: {part} {_ROUND}s linear {_ROUNDS} }}" for part in frames]
    lines = [*keyframes, "@media (prefers-reduced-motion: no-preference) {", *moving, "}"]
    return "\n".join(lines) + "\n"
