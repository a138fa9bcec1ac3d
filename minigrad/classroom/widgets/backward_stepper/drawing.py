"""The graph of the backward stepper: each node with its value and the gradient that has arrived.

Forward runs to the right, grey and solid; what came back is dashed beside it, thick and with its
number where it came just now. The layout is made once, so that nothing moves between steps.
"""

from ...formatting import nested, number, shape
from ..shared.formulas import amount
from ..shared.graph_layout import place
from ..shared.svg import Drawing, letters
from ..shared.theme import escape

NARROW, WIDE = 494, 780  # room for the graph beside the ledger, and above it
SHRUNK, ROW = 1.16, 1e4  # a long row is drawn a little smaller; room that never ends
TALL = 300  # as high as the graph may be with generous gaps
HEIGHT = 84  # of a node: its name, its value, its gradient
TITLE, SCALAR = 24, 7  # letters: of a title, of one number
_SEED = 56  # below the root, for v
_GAPS = ((76, 104), (48, 90), (48, 60), (36, 28))  # between columns and nodes, as there is room


class StepGraph:
    """The drawing of one recorded graph. `wide`: it needs the panel's whole width."""

    def __init__(self, graph):
        self.graph = graph
        self._edges = [(target[0], node.key) for node in graph.nodes
                       for target in node.targets if target]
        tries = [(several, gaps) for several in (17, 12, SCALAR) for gaps in _GAPS]
        for several, gaps in tries:
            self._letters, self._tight = several, gaps is _GAPS[-1]
            self._placed = self._place(gaps, ROW)
            fits = self._placed.width <= NARROW * (SHRUNK if self._tight else 1)
            if fits and (self._placed.height <= TALL or (several, gaps) == tries[-1]):
                break
        self.wide = not fits
        if self.wide:
            self._placed = self._place(gaps, WIDE)
        points = [p for route in self._placed.routes for curve in route for p in curve]
        self._left = 6 - min([0, *(x for x, _ in points)])  # room for edges to the next row
        right = max([self._placed.width, *(x for x, _ in points)])
        x, y = self._placed.centres[graph.root[0]]
        below = y + self._placed.sizes[graph.root[0]][1] / 2 + _SEED
        self._at_v = x, below - 14
        self.width = self._left + right + 14
        self.height = max(self._placed.height + 4, below) + 14

    def _place(self, gaps, room):
        sizes = [self._size(node) for node in self.graph.nodes]
        return place(sizes, self._edges, room, gaps)

    def _room(self, node):
        """How many letters the gradient of a node may need."""
        if node.value is None or node.value.size > 1:
            return self._letters
        return SCALAR - 2 * (self._tight and node.is_leaf)

    def _size(self, node):
        room = max(self._room(node), *map(len, self._standing(node)))
        return letters("n" * room) + (12 if self._tight else 20), HEIGHT

    def _standing(self, node):
        """The two lines of a node that stay: its title and its value."""
        if node.outputs > 1:
            value = f"{node.outputs} results"
        else:
            value = "" if node.value is None else fitting(node.value, self._room(node))
        title = node.title
        for sign in "·+−/@" + "=" * self._tight:
            title = title.replace(f" {sign} ", sign)
        return title if len(title) <= TITLE else title[: TITLE - 1] + "…", value

    def draw(self, model, changed=()):
        """The state of the model. changed: the names of the nodes whose gradient to mark."""
        label = f"graph of {model.formula}; {model.announcement()}"
        drawing = Drawing(self.width, self.height, label)
        drawing.add(f'<g transform="translate({self._left:g} 12)">')
        self._largest = model.replay.largest  # numbers are tinted by their share of it
        self._draw_edges(drawing, model)
        x, y = self._at_v
        drawing.line([(x, y - 12), (x, y - _SEED + 16)], "ink", 1.8, "6 4", arrow=True)
        drawing.text(x - 26, y + 5, "v", font="code", bold=True, anchor="end")
        self._chip(drawing, x, y, model._shown.v, SCALAR if self._letters == SCALAR else 12)
        accounts = {one.name: one for one in model.ledger()}
        waiting = {one.name: one for one in reversed(model.waiting())}
        following = model.waiting()[0].name if model.waiting() else None
        ran = {visit.key for visit in model.replay.visits[: model.step]}
        for node in self.graph.nodes:
            own = [accounts[self.graph.refer((node.key, k))] for k in range(node.outputs)]
            if node is model.current:
                state = "now"
            elif node.name == following and not model.covered:
                state = "next"
            else:
                state = "done" if node.key in ran else "waits"
            pill = _pill(state, waiting.get(node.name), model.mode)
            self._draw_node(drawing, node, own, state, pill, node.name in changed)
        self._draw_sent(drawing, model)
        drawing.add("</g>")
        return drawing

    def _draw_node(self, drawing, node, accounts, state, pill, changed):
        (x, y), (width, height) = self._placed.centres[node.key], self._placed.sizes[node.key]
        left, top = x - width / 2, y - height / 2
        drawing.add(f"<g><title>{escape(_aloud(node, accounts))}</title>")
        ink, thick = ("ink", 3.5 if state == "now" else 1.5) if state != "waits" else ("edge", 1.5)
        drawing.box(left, top, width, height, "paper", ink, thick)
        title, value = self._standing(node)
        drawing.text(x, y - 16, title, font="code", bold=True, anchor="middle")
        drawing.text(x, y + 6, value, font="code", anchor="middle", ink="quiet")
        totals = [one.total for one in accounts if one.total is not None]
        wrong = any(one.wrong for one in accounts)
        slot = y + 26
        if not totals:
            expected = sum(one.expected for one in accounts)
            drawing.text(x, slot + 5, f"0/{expected}", 14, "code", anchor="middle", ink="quiet")
        elif len(accounts) > 1:
            text = f"{len(totals)} of {len(accounts)} in"
            drawing.text(x, slot + 5, text, 14, "code", anchor="middle")
        else:
            self._chip(drawing, x, slot, totals[0], self._room(node), width - 14, changed)
        if wrong:
            drawing.box(left + 4, slot - 15, width - 8, 30, "none", "minus", 2, 4)
        half = letters(pill, 14) / 2 + 7
        _draw_pill(drawing, max(x, half + 3 - self._left), top, half, pill, state)
        if state == "done" or wrong:
            _draw_mark(drawing, left + width - 3, top, wrong)
        drawing.add("</g>")

    def _chip(self, drawing, x, y, values, room, width=None, changed=False):
        """A gradient in so many letters: tinted where it is one number."""
        marks = "changed" if changed else ""
        value = values.item() if values.size == 1 else 0.0
        text = fitting(values, room, signed=True)
        drawing.chip(x, y, value, self._largest, text, width, 24, marks)

    def _draw_edges(self, drawing, model):
        """All arrows. Edges that share a part of their way are one line there."""
        states, curves, starts = self._states(model), {}, {}
        for edge, route in self._each_edge():
            state = states.get(edge, 0)
            for curve in route:
                curves[curve] = max(curves.get(curve, 0), state)
            starts[route[0][0]] = max(starts.get(route[0][0], 0), state)
        drawing.path(_data(curves, -4))
        for route in self._placed.routes:
            x, y = route[-1][3]
            drawing.path("", arrow=((x - 9, y - 4), (x - 1, y - 4)))
        for state, thick in ((1, 1.8), (2, 3)):
            back = [curve for curve, its in curves.items() if its == state]
            if back:
                drawing.path(_data(back, 5), "ink", thick, "6 4")
            for (x, y), its in starts.items():
                if its == state:
                    drawing.path("", "ink", 2, arrow=((x + 9, y + 5), (x + 1, y + 5)))

    def _each_edge(self):
        """((key of the user, place of the operand), its curves) for every edge."""
        every = [(node.key, operand) for node in self.graph.nodes
                 for operand, target in enumerate(node.targets) if target]
        return zip(every, self._placed.routes)

    def _states(self, model):
        """{(user, place of the operand): 1 where a gradient came back, 2 where it did just now}."""
        visits = model.replay.visits[: model.step]
        return {
            (visit.key, operand): 2 if at == model.step else 1
            for at, visit in enumerate(visits, 1) for operand, _, _ in visit.sent
        }

    def _draw_sent(self, drawing, model):
        """The numbers of this step on their way, each near the operand it goes to."""
        if not model.step:
            return
        visit, routes = model.replay.visits[model.step - 1], dict(self._each_edge())
        taken = []
        for operand, _, value in visit.sent:
            if value.size > 1:  # there is no room for several
                continue
            start, *_, end = next(  # near the node that sends
                curve for curve in reversed(routes[visit.key, operand])
                if abs(curve[3][0] - curve[0][0]) > 20
            )
            x = (start[0] + end[0]) / 2
            y = (start[1] + end[1]) / 2 + 5
            while any(abs(y - other) < 27 for other in taken):
                y += 4
            taken.append(y)
            self._chip(drawing, x, y, value, 6)


def fitting(values, room, signed=False):
    """Numbers in so many letters, with fewer digits if need be; or else their shape."""
    line = shape(values.shape)
    for digits in (5, 3, 2, 1) if values.size <= room // 2 or values.size == 1 else ():
        line = nested(values.tolist(), lambda value: number(value, signed, digits, minus=True))
        if len(line) <= room:
            return line
    return line if values.size == 1 else shape(values.shape)


def _pill(state, waiting, mode):
    """What a node says of itself: "now", "2/3 arrived", "next"."""
    if state == "now":
        return "now"
    arrived = expected = 0
    if waiting and mode != "naive recursion":  # which waits for nothing
        arrived, expected = waiting.arrived, waiting.expected
    count = f"{arrived}/{expected}" if expected > 1 and arrived else ""
    if state == "next":
        return f"{count}, next" if count else "next"
    if state == "waits" and count:
        return f"{count} arrived"
    return "ready" if state == "waits" and waiting and expected and waiting.ready else ""


def _draw_pill(drawing, x, y, half, text, state):
    if text:
        now = state == "now"
        drawing.box(x - half, y - 11, 2 * half, 20, "ink" if now else "paper",
                    "edge" if state == "waits" else "ink", 1.5, 10)
        drawing.text(x, y + 4, text, 14, bold=now, anchor="middle", ink="paper" if now else "ink")


def _draw_mark(drawing, x, y, wrong):
    """A tick for a node that has run, a cross for one whose total is wrong."""
    fill, stroke = ("paper", "minus") if wrong else ("ink", "ink")
    drawing.box(x - 10, y - 10, 20, 20, fill, stroke, 1.5, 10)
    if wrong:
        cross = f"M{x - 4} {y - 4}L{x + 4} {y + 4}M{x + 4} {y - 4}L{x - 4} {y + 4}"
        drawing.path(cross, "minus", 2.5)
    else:
        drawing.path(f"M{x - 5} {y}L{x - 1.5} {y + 4}L{x + 5} {y - 4}", "paper", 2.2)


def _aloud(node, accounts):
    value = "" if node.value is None else f", value {amount(node.value)}"
    gradients = ", ".join(
        "no gradient yet" if one.total is None else f"gradient {amount(one.total)}"
        for one in accounts
    )
    return f"{node.title}{value}, {gradients}"


def _data(curves, shift):
    """Curves as the data of one path, moved down by `shift`."""
    parts = []
    for curve in curves:
        (x, y), *rest = ((f"{px:g}", f"{py + shift:g}") for px, py in curve)
        parts.append(f"M{x} {y}C" + " ".join(f"{px} {py}" for px, py in rest))
    return "".join(parts)
