"""The graph of the backward stepper: each node with its value and the gradient that has arrived.

Forward runs to the right, grey and solid; what came back is dashed beside it, thick and with its
number where it came just now. The layout is made once, so that nothing moves between steps.
"""

from functools import lru_cache
from html import escape

from ...show.drawing.formulas import amount
from ...show.drawing.layout import draw_edges, lay_out
from ...show.drawing.svg import Drawing, letters
from ...show.formatting import fitting

NARROW, WIDE = 494, 780  # room for the graph beside the ledger, and above it
SHRUNK = 1.16  # a long graph is drawn a little smaller
TALL = 300  # as high as the graph may be with generous gaps
HEIGHT = 84  # of a node: its name, its value, its gradient
TITLE, SCALAR = 24, 7  # letters: of a title, of one number
GAP = 76  # between columns
_SEED = 56  # below the root, for v
_TRIES = ((17, 84), (12, 60), (SCALAR, 60), (SCALAR, 28))  # letters of a gradient, gaps of nodes


class StepGraph:
    """The drawing of one recorded graph. `wide`: it needs the panel's whole width."""

    def __init__(self, graph):
        self.graph = graph
        ways = [(node.key, k) for node in graph.nodes for k, to in enumerate(node.targets) if to]
        edges = [(graph.nodes[user].targets[k][0], user) for user, k in ways]
        for self._letters, gap in _TRIES:
            self._tight = gap == 28
            sizes = [self._size(node) for node in graph.nodes]
            placed = lay_out(sizes, edges, NARROW, (GAP, gap))
            if placed.width <= NARROW and placed.height <= TALL:
                break
        self.wide = placed.width > NARROW * SHRUNK
        room = WIDE if placed.width <= WIDE else 10 * WIDE  # what does not fit scrolls
        self._placed = lay_out(sizes, edges, room, (GAP, gap)) if self.wide else placed
        self._routes = dict(zip(ways, self._placed.routes))
        x, y = self._placed.centres[graph.root[0]]
        below = y + self._placed.sizes[graph.root[0]][1] / 2 + _SEED
        self._at_v = x, below - 14
        self.width = self._placed.width + 20
        self.height = max(self._placed.height + 4, below) + 14

    def _room(self, node):
        """How many letters the gradient of a node may need."""
        if node.value is None or node.value.size > 1:
            return self._letters
        return SCALAR - 2 * (self._tight and node.is_leaf)

    def _size(self, node):
        room = max(self._room(node), *map(len, self._standing(node)))
        return letters("n" * room) + (12 if self._tight else 20), HEIGHT

    def _standing(self, node):
        if node.outputs > 1:
            value = f"{node.outputs} results"
        else:
            value = "" if node.value is None else fitting(node.value, self._room(node), False)
        title = node.title
        for sign in "·+−/@" + "=" * self._tight:
            title = title.replace(f" {sign} ", sign)
        return title if len(title) <= TITLE else title[: TITLE - 1] + "…", value

    def draw(self, model, changed=()):
        """The state of the model. changed: the names of the nodes whose gradient to mark."""
        label = f"graph of {model.formula}; {model.announcement()}"
        drawing = Drawing(self.width, self.height, label)
        drawing.add('<g transform="translate(6 12)">')
        self._largest = model.replay.largest  # numbers are tinted by their share of it
        visits, kinds = model.replay.visits[: model.step], {}
        for visit in visits:
            kind = "now" if visit is visits[-1] else "back"
            kinds.update(((visit.key, operand), kind) for operand, _, _ in visit.sent)
        draw_edges(drawing, self._placed.routes, [kinds.get(way, "") for way in self._routes])
        x, y = self._at_v
        drawing.line([(x, y - 12), (x, y - _SEED + 16)], "ink", 1.8, "6 4", arrow=True)
        room = SCALAR if self._letters == SCALAR else 12
        away = max(26, letters(fitting(model.v, room)) / 2 + 6)
        drawing.text(x - away, y + 5, "v", font="code", bold=True, anchor="end")
        self._chip(drawing, x, y, model.v, room)
        states = {visit.key: "done" for visit in visits}
        if model.step < model.steps and not model.covered:
            states[model.replay.visits[model.step].key] = "next"
        if visits:
            states[visits[-1].key] = "now"
        is_naive = model.mode == "naive recursion"
        for node in self.graph.nodes:
            own = model.replay.accounts(node.key, model.step)
            state = states.get(node.key, "waits")
            waits = None if is_naive else model.replay.arrivals(node.key, model.step)
            self._draw_node(drawing, node, own, state, _pill(state, waits), node.name in changed)
        if visits:
            self._draw_sent(drawing, visits[-1])
        drawing.add("</g>")
        return drawing

    def _draw_node(self, drawing, node, accounts, state, pill, changed):
        (x, y), (width, height) = self._placed.centres[node.key], self._placed.sizes[node.key]
        left, top = x - width / 2, y - height / 2
        drawing.add(f"<g><title>{escape(_aloud(node, accounts))}</title>")
        edge, thick = _edge(state), 3.5 if state == "now" else 1.5
        drawing.box(left, top, width, height, "paper", edge, thick)
        title, value = self._standing(node)
        drawing.text(x, y - 16, title, font="code", bold=True, anchor="middle")
        drawing.text(x, y + 6, value, font="code", anchor="middle", ink="quiet")
        totals = [one.total for one in accounts if one.total is not None]
        slot, text = y + 26, ""
        if not totals:
            text = f"0/{sum(one.expected for one in accounts)}"
        elif len(accounts) > 1:
            text = f"{len(totals)} of {len(accounts)} in"
        else:
            self._chip(drawing, x, slot, totals[0], self._room(node), width - 14, changed)
        drawing.text(x, slot + 5, text, 14, "code", anchor="middle", ink="quiet")
        wrong = any(one.wrong for one in accounts)
        if wrong:
            drawing.box(left + 4, slot - 15, width - 8, 30, "none", "minus", 2, 4)
        if pill:
            _draw_pill(drawing, x, top, pill, state)
        if state == "done" or wrong:
            _draw_mark(drawing, left + width - 3, top, wrong)
        drawing.add("</g>")

    def _chip(self, drawing, x, y, values, room, width=None, changed=False):
        """A gradient in so many letters: tinted where it is one number."""
        value = values.item() if values.size == 1 else 0.0
        text = fitting(values, room)
        drawing.chip(x, y, value, self._largest, text, width, 24, "changed" if changed else "")

    def _draw_sent(self, drawing, visit):
        """The numbers of this step on their way, each near the node that sends it."""
        taken = []
        for operand, _, value in visit.sent:
            if value.size > 1:  # there is no room for several
                continue
            curves = reversed(self._routes[visit.key, operand])
            start, *_, end = next(one for one in curves if one[3][0] - one[0][0] > 20)
            x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 5
            while any(abs(y - other) < 27 for other in taken):
                y += 4
            taken.append(y)
            self._chip(drawing, x, y, value, 6)


drawn_graph = lru_cache(maxsize=32)(StepGraph)  # each is laid out once


def _pill(state, waiting):
    """What a node says of itself: "now", "next", "2/3 arrived", "ready"."""
    if state != "waits" or not waiting or not waiting.arrived:
        return state if state in ("now", "next") else ""
    count = f"{waiting.arrived}/{waiting.expected} arrived"
    return count if waiting.arrived < waiting.expected else "ready"


def _edge(state):
    return "edge" if state == "waits" else "ink"


def _draw_pill(drawing, x, y, text, state):
    now, half = state == "now", letters(text, 14) / 2 + 7
    x = max(x, half - 3)  # within the drawing
    paper, ink = ("ink", "paper") if now else ("paper", "ink")
    drawing.box(x - half, y - 11, 2 * half, 20, paper, _edge(state), 1.5, 10)
    drawing.text(x, y + 4, text, 14, bold=now, anchor="middle", ink=ink)


def _draw_mark(drawing, x, y, wrong):
    ink = "minus" if wrong else "ink"
    drawing.box(x - 10, y - 10, 20, 20, "paper" if wrong else "ink", ink, 1.5, 10)
    if wrong:
        drawing.path(f"M{x - 4} {y - 4}l8 8m-8 0l8 -8", "minus", 2.5)
    else:
        drawing.path(f"M{x - 5} {y}l3.5 4l6.5 -8", "paper", 2.2)


def _aloud(node, accounts):
    value = "" if node.value is None else f", value {amount(node.value)}"
    gradients = (f"gradient {amount(one.total)}" for one in accounts)
    return f"{node.title}{value}, {', '.join(gradients)}"
