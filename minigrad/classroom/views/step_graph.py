"""The graph of the backward stepper: each node with its value and the gradient that has arrived."""

import numpy as np

from ..formatting import nested, number, shape
from ..models.local_rules import amount
from . import theme
from .graph_drawing import LETTER, PAGE, Arrow, cut, dashed_arrow, draw, text
from ..widgets.shared.graph_layout import place

HEIGHT = 66  # of a node: three lines
TITLE, NUMBERS, NUMBER = 24, 17, 11  # letters: of a title, of several numbers, of one
_STROKES = {"now": 4, "ready": 2.5}


class StepGraph:
    """The drawing of one recorded graph. Its layout is made once, so that nothing moves between
    steps: a node has room for any gradient that may come."""

    def __init__(self, graph):
        self.graph = graph
        self._texts = [_standing(node) for node in graph.nodes]
        edges = [(target[0], node.key) for node in graph.nodes for target in node.targets if target]
        sizes = [
            (max(len(title), len(value), _room(node)) * LETTER + 18, HEIGHT)
            for node, (title, value) in zip(graph.nodes, self._texts)
        ]
        self._tail = 58 + LETTER * (4 + _room(graph.nodes[graph.root[0]]))  # of the seed
        self._placed = place(sizes, edges)

    def svg(self, model, colours=PAGE):
        """The state of the model as one SVG string."""
        placed, root = self._placed, self.graph.root[0]
        boxes = [
            _box(size, lines, *state, colours)
            for size, lines, state in zip(placed.sizes, self._texts, _states(model))
        ]
        x, y = placed.centres[root]
        x += placed.sizes[root][0] / 2
        seed = "v = " + fitting(np.array(model.seed), NUMBERS, signed=True)
        beside = dashed_arrow((x + 44, y), (x + 1, y), colours)
        beside += text(x + 50, y + 5, seed, colours, "start", bold=True)
        label = f"graph of {model.example.formula}; {model.announcement()}"
        return draw(placed, boxes, _arrows(model), label, colours, beside, x + self._tail)


def fitting(values, letters, signed=False):
    """Numbers in so many letters, with fewer digits if need be; their shape if nothing helps."""
    for digits in (5, 3, 2) if values.size <= letters // 2 else ():
        line = nested(values.tolist(), lambda value: number(value, signed, digits))
        if len(line) <= letters:
            return line
    return shape(values.shape)


def _room(node):
    """How many letters the gradient of a node may need."""
    return NUMBER if node.value is not None and node.value.size == 1 else NUMBERS


def _standing(node):
    """The two lines of a node that stay: its title and its value."""
    value = "" if node.value is None else "= " + fitting(node.value, NUMBERS - 2)
    if node.outputs > 1:
        value = f"{node.outputs} results"
    return cut(node.title.replace(" \u00b7 ", "\u00b7"), TITLE), value


def _states(model):
    """Of each node (state, mark in the corner, gradient, its tint, what is said aloud)."""
    accounts = {account.name: account for account in model.ledger()}
    waiting = {entry.name: entry.ready for entry in model.waiting()}
    ran = {visit.key for visit in model.visits[: model.step]}
    for node in model.graph.nodes:
        own = [accounts[model.graph.refer((node.key, slot))] for slot in range(node.outputs)]
        state, mark = "idle", ""
        if model.current is node:
            state, mark = "now", "now"
        elif node.name == next(iter(waiting), None):
            state, mark = "ready", "next"
        elif node.key in ran:
            state, mark = "done", "\u2713"
        elif waiting.get(node.name):
            state = "ready"
        if any(account.wrong for account in own):
            mark = f"{mark} \u2717".strip()
        yield state, mark, *_gradient(node, own), _aloud(node, own)


def _gradient(node, accounts):
    """What has arrived at a node, and the tint behind it."""
    totals = [account.total for account in accounts if account.total is not None]
    if not totals:
        return "", "transparent"
    more = "" if all(account.complete for account in accounts) else " \u2026"
    if len(accounts) > 1:
        return f"{len(totals)} of {len(accounts)} in{more}", "transparent"
    tint = theme.tint(totals[0].item(), 1e-30) if totals[0].size == 1 else "transparent"
    return fitting(totals[0], _room(node) - 2, signed=True) + more, tint


def _aloud(node, accounts):
    value = "" if node.value is None else f", value {amount(node.value)}"
    gradients = ", ".join(
        "no gradient yet" if account.total is None else f"gradient {amount(account.total)}"
        for account in accounts
    )
    return f"{node.title}{value}, {gradients}"


def _box(size, lines, state, mark, gradient, tint, aloud, colours):
    width, height = size
    x, y = -width / 2, -height / 2
    dash = ' stroke-dasharray="2 3"' if state == "idle" else ""
    parts = [
        f"<title>{theme.escape(aloud)}</title>"
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="7" '
        f'style="fill: {colours.paper}; stroke: {colours.ink}; '
        f'stroke-width: {_STROKES.get(state, 1.2)}"{dash}/>'
    ]
    if tint != "transparent":
        parts.append(
            f'<rect x="{x + 5:g}" y="10" width="{width - 10:g}" height="19" rx="3" '
            f'style="fill: {tint}"/>'
        )
    for line, bold, at in zip((*lines, gradient), (True, False, True), (-15, 5, 25)):
        if line:
            parts.append(text(0, at, line, colours, bold=bold))
    if mark:
        wide = 10 + 8 * len(mark)
        left = width / 2 - wide - 4
        parts.append(
            f'<rect x="{left:g}" y="{y - 14:g}" width="{wide}" height="18" rx="9" '
            f'style="fill: {colours.ink}"/>'
        )
        parts.append(text(left + wide / 2, y - 1, mark, colours, size=12, colour=colours.paper))
    return "".join(parts)


def _arrows(model):
    """For each edge whether something came back on it, and the number that did so just now."""
    arrows = {}
    for step in range(1, model.step + 1):
        visit = model.visits[step - 1]
        for operand, _, value in visit.sent:
            now = step == model.step
            arrows[visit.key, operand] = Arrow(
                "now" if now else "done", _label(value) if now else ""
            )
    return [
        arrows.get((node.key, operand), Arrow())
        for node in model.graph.nodes
        for operand, target in enumerate(node.targets)
        if target
    ]


def _label(values):
    """One number, as there is room beside an arrow; more numbers get none."""
    line = number(values.item(), True, 3) if values.size == 1 else ""
    return line if len(line) <= 6 else ""
