"""The flow picture: the price-list program from left to right, and its gradients back beneath it.

    flow = read_flow()                      the engine's numbers at the program's first step
    draw_flow(flow, alt, cut="p")           a `Drawing`, cut at the predictions
    animated(flow, alt)                     SVG text that moves by itself, in both themes

Each box shows what it holds, and under it stands the gradient of the loss with respect to it. A cut
stands before a box; what crosses it from right to left is that box's gradient: the v of
`p.backward(v)`.
"""

from dataclasses import dataclass

import numpy as np

import minigrad

from ..formatting import MINUS, nested, number
from . import palette
from .svg import LETTER, Drawing, steady

X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
T = [1.0, 3.0, 0.0, 2.0]
CUTS = ("p", "e", "loss")  # the boxes before which a cut can stand, in the program's order
CALLS = {"p": "p.backward(v)", "e": "e.backward(v)", "loss": "loss.backward()"}


@dataclass(frozen=True)
class Flow:
    """values, grads: {"w": array, "b": ..., "p": ..., "e": ..., "loss": ...}. paid: t."""

    values: dict
    grads: dict
    paid: tuple


def read_flow(w=(0.0, 0.0), b=0.0, t=T, torch=minigrad):
    """The program's numbers, computed by an engine: forward, and one `loss.backward()`."""
    leaves = {
        "w": torch.tensor([float(entry) for entry in w], requires_grad=True),
        "b": torch.tensor(float(b), requires_grad=True),
    }
    p = torch.tensor(X) @ leaves["w"] + leaves["b"]
    e = p - torch.tensor([float(entry) for entry in t])
    tensors = {**leaves, "p": p, "e": e, "loss": (e * e).mean()}
    for name in CUTS:
        tensors[name].retain_grad()
    tensors["loss"].backward()
    values = {name: np.array(one.tolist()) for name, one in tensors.items()}
    grads = {name: np.array(one.grad.tolist()) for name, one in tensors.items()}
    return Flow(values, grads, tuple(t))


@dataclass(frozen=True)
class Plan:
    """cell, gap: the widths of a number and of the space between boxes. size: of the type.
    told: whether there is room to say on an arrow what it does."""

    cell: int
    gap: int
    size: int
    told: bool

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
    drawing = Drawing(plan.width, _HEIGHT, alt)
    _draw_first_column(drawing, flow, plan, live)
    for name in CUTS:
        _draw_forward(drawing, flow, plan, name)
    for name in reversed(CUTS):
        _draw_backward(drawing, flow, plan, name, live)
    _draw_parameters_gradients(drawing, flow, plan, live)
    for place, name in enumerate(CUTS):
        if live is not None or name == cut:
            case = "" if live is None else f' data-case="{place}"'
            drawing.add(f'<g class="flow-cut flow-cut-{name}"{case}>')
            _draw_cut(drawing, plan, name)
            drawing.add("</g>")
    if cut is not None and cut not in CUTS:
        raise ValueError(f"a cut stands before {', '.join(CUTS)}; not {cut!r}")
    return drawing


def flow_told(flow, cut=None):
    """The picture in a sentence or two."""
    loss, w, b = (written(one) for one in (flow.values["loss"], flow.grads["w"], flow.grads["b"]))
    told = (
        "The price-list program, from receipts and parameters through predictions and errors to "
        f"the loss, {loss}; beneath it the gradients, from the loss back to w.grad = {w} and "
        f"b.grad = {b}."
    )
    if cut is not None:
        told += f" A cut at {cut}: what crosses it is v = {written(flow.grads[cut])}."
    return told


def flow_rows(flow):
    """The picture's numbers, {label: text}."""
    rows = {name: written(value) for name, value in flow.values.items()}
    rows |= {f"\u2202loss/\u2202{name}": written(flow.grads[name]) for name in reversed(CUTS)}
    return rows | {f"{name}.grad": written(flow.grads[name]) for name in ("w", "b")}


def written(array):
    return nested(np.asarray(array).tolist())


def _draw_first_column(drawing, flow, plan, live):
    """Receipts on top, the parameters under them: what the predictions are computed from."""
    _name(drawing, plan, plan.first / 2, _TOP, "receipts", "")
    for k, heading in enumerate(("coupon", "large", "paid")):
        x = 4 + plan.cell * (k + 0.5)
        size = plan.size - (2 if plan.told else 3)
        drawing.text(x, _TOP - 8, heading, size, anchor="middle", ink="quiet")
    drawing.box(1, _TOP, plan.first - 1, _TALL, "paper")
    for row, (receipt, paid) in enumerate(zip(X, flow.paid)):
        for k, value in enumerate((*receipt, paid)):
            x, y = 4 + plan.cell * (k + 0.5), _TOP + 4 + _ROW * (row + 0.5)
            _plain(drawing, plan, x, y, value)
    _name(drawing, plan, plan.first / 2, _PARAMETERS, "parameters", "")
    for x, title in ((plan.cell, "w"), (2.5 * plan.cell, "b")):
        drawing.text(4 + x, _PARAMETERS - 8, title, plan.size, "code", bold=True, anchor="middle")
    drawing.box(1, _PARAMETERS, plan.first - 1, _SHORT, "paper")
    for k, value in enumerate((*flow.values["w"], flow.values["b"])):
        _plain(drawing, plan, 4 + plan.cell * (k + 0.5), _PARAMETERS + _SHORT / 2, value)


def _draw_forward(drawing, flow, plan, name):
    """The step that leads to a value, and its box."""
    left, middle, y = plan.left(name), plan.left(name) + plan.box / 2, _TOP + _TALL / 2
    start = left - plan.gap
    drawing.add(f'<g class="flow-step flow-to-{name}">')
    if name == "p":  # the parameters join the receipts
        join, below = start + min(10, plan.gap / 3), _PARAMETERS + _SHORT / 2
        drawing.line([(plan.first, below), (join, below), (join, y)])
    drawing.line([(start, y), (left - 1, y)], arrow=True)
    if plan.told:
        x = start + (plan.gap - _AHEAD) / 2 + 4
        drawing.text(x, y - 9, _FORWARD[name], 14, "code", bold=True, anchor="middle")
    drawing.add(f'</g><g class="flow-value flow-value-{name}">')
    title = "" if name == "loss" else name
    _name(drawing, plan, middle, _TOP, _NAMES[name], title)
    values = np.ravel(flow.values[name])
    high, top = (_TALL, _TOP) if len(values) > 1 else (_SHORT, y - _SHORT / 2)
    drawing.box(left, top, plan.box, high, "paper")
    for row, value in enumerate(values):
        _plain(drawing, plan, middle, top + 4 + _ROW * (row + 0.5), value)
    drawing.add("</g>")


def _draw_backward(drawing, flow, plan, name, live):
    """The gradient under a value's box, and the step that leads on from it, to the left."""
    left, middle, y = plan.left(name), plan.left(name) + plan.box / 2, _BACK + _TALL / 2
    grads = np.ravel(flow.grads[name])
    high, top = (_TALL, _BACK) if len(grads) > 1 else (_SHORT, y - _SHORT / 2)
    drawing.add(f'<g class="flow-grad flow-grad-{name}">')
    if plan.told or name != "loss":
        title, size = f"\u2202loss/\u2202{name}", plan.size - 2
        over = min(middle, plan.width - len(title) * size * LETTER / 2)
        drawing.text(over, top - 9, title, size, "code", bold=True, anchor="middle")
    drawing.box(left, top, plan.box, high)
    for row, value in enumerate(grads):
        at = middle, top + 4 + _ROW * (row + 0.5)
        _signed(drawing, plan, *at, value, grads, _told(live, name, row))
    drawing.add(f'</g><g class="flow-step flow-from-{name}">')
    start = left - plan.gap
    if name == "p":
        y = _OF_PARAMETERS + _SHORT / 2
    drawing.line([(left, y), (start + 1, y)], "ink", 2.5, "7 4", arrow=True)
    if plan.told:
        x = start + (plan.gap - _AHEAD) / 2 + 6
        drawing.text(x, y - 9, _BACKWARD[name], 14, "code", bold=True, anchor="middle")
    drawing.add("</g>")


def _draw_parameters_gradients(drawing, flow, plan, live):
    drawing.add('<g class="flow-grad flow-grad-w">')
    for x, title in ((plan.cell, "w.grad"), (2.5 * plan.cell, "b.grad")):
        at = 4 + x, _OF_PARAMETERS - 8, title, plan.size - 2
        drawing.text(*at, "code", bold=True, anchor="middle")
    drawing.box(1, _OF_PARAMETERS, plan.first - 1, _SHORT)
    grads = np.array([*flow.grads["w"], flow.grads["b"]])
    for k, value in enumerate(grads):
        at = 4 + plan.cell * (k + 0.5), _OF_PARAMETERS + _SHORT / 2
        name, row = ("w", k) if k < 2 else ("b", 0)
        _signed(drawing, plan, *at, value, grads, _told(live, name, row))
    drawing.add("</g>")


def line_of(plan, cut):
    """Where a cut stands, in pixels from the left."""
    return plan.left(cut) - _AHEAD


def _draw_cut(drawing, plan, name):
    """The line, the v that crosses it, and the call that hands this v to what is left of it."""
    left, y = plan.left(name), _BACK + _TALL / 2
    line, call = line_of(plan, name), CALLS[name]
    drawing.line([(line, 2), (line, _BACK + _TALL + 10)], "hand", 3, "3 4")
    high, top = (_SHORT, y - _SHORT / 2) if name == "loss" else (_TALL, _BACK)
    drawing.box(left - 3, top - 3, plan.box + 6, high + 6, "none", "hand", 2.5, 10)
    at = _OF_PARAMETERS + _SHORT / 2 if name == "p" else y
    drawing.box(line - 11, at - 11, 22, 22, "hand", "none", 0, 11)
    drawing.text(line, at + 5, "v", 16, "code", bold=True, anchor="middle", ink="on-hand")
    reach = len(call) * plan.size * LETTER / 2
    over = min(left + plan.box / 2, plan.width - reach)
    drawing.text(over, _HEIGHT - 7, call, plan.size, "code", bold=True, anchor="middle", ink="hand")


def _name(drawing, plan, x, top, name, title):
    """What stands over a box: what it is, and the program's name for it."""
    drawing.text(x, top - 28, name, plan.size - 2, anchor="middle", ink="quiet")
    if title:
        drawing.text(x, top - 8, title, plan.size, "code", bold=True, anchor="middle")


def _plain(drawing, plan, x, y, value):
    drawing.text(x, y + 5.5, number(value, minus=True), plan.size, "code", anchor="middle")


def _signed(drawing, plan, x, y, value, beside, attributes):
    """A number on its tint with a bar above or below: three rectangles and a text, whatever the
    sign, so that a script can change it."""
    width, height = plan.cell - 3, _ROW - 4
    left, top = x - width / 2, y - height / 2
    largest = palette.largest_of(beside)
    tint = palette.sign_class(value, largest).removeprefix("mg-")
    sign = tint.split("-")[0]
    drawing.add(f"<g{attributes}>")
    for place, high, colour in (
        (top, height, tint or "none"),
        (top, 3, "plus" if sign == "plus" else "none"),
        (top + height - 3, 3, "minus" if sign == "minus" else "none"),
    ):
        drawing.box(left, place, width, high, colour, "none", 0, 2)
    drawing.text(x, y + 5.5, number(value, signed=True), plan.size, "code", anchor="middle")
    drawing.add("</g>")


def _told(live, name, row):
    """The attributes of one number for the page's script."""
    return live[name][row] if live else ""


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
    drawing = draw_flow(flow, alt, live={})
    width, height = drawing.width + 28, drawing.height + 28
    style = _themes() + "\n.flow-cut { opacity: 0 } .flow-cut-p { opacity: 1 }\n"
    return steady(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="-14 -14 {width:g} {height:g}" role="img" aria-label="{alt}">\n'
        f"<style>\n{style}{_motion() if moves else ''}</style>\n"
        f'<rect x="-14" y="-14" width="{width:g}" height="{height:g}" rx="8" '
        'style="fill: var(--mg-paper)"/>\n'
        + "\n".join(drawing.parts).replace("var(--jp-code-font-family, monospace)", "monospace")
        + "\n</svg>"
    )


def _themes():
    light, dark = (
        " ".join(f"--mg-{name}: {value};" for name, value in palette.in_theme(theme).items())
        for theme in ("light", "dark")
    )
    return f"svg {{ {light} }}\n@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}"


def _motion():
    """Keyframes for each part, for readers who have not asked for less motion."""
    frames, names = [], []
    for part, at in _COMES.items():
        frames.append(
            f"@keyframes come-{part} "
            f"{{ 0%, {at}% {{ opacity: 0.08 }} {at + 3}%, 100% {{ opacity: 1 }} }}"
        )
        names.append((f"flow-{part}", f"come-{part}"))
    for cut, (begin, end) in _STAYS.items():
        after = "" if end == 100 else f"{end + 1}%, 100% {{ opacity: 0 }}"
        frames.append(
            f"@keyframes cut-{cut} {{ 0%, {begin}% {{ opacity: 0 }} "
            f"{begin + 1}%, {end}% {{ opacity: 1 }} {after} }}"
        )
        names.append((f"flow-cut-{cut}", f"cut-{cut}"))
    moving = [f".{part} {{ animation: {name} {_ROUND}s linear {_ROUNDS} }}" for part, name in names]
    lines = [*frames, "@media (prefers-reduced-motion: no-preference) {", *moving, "}"]
    return "\n".join(lines) + "\n"
