"""Graphs from left to right, as SVG: a small layered layout, and the drawing on it.

    placed = place(count, edges)            once for a graph: where everything goes
    draw(placed, boxes, arrows)             as often as something changes: the picture

Nodes are numbered 0, 1, ... with operands before their users; an edge is a pair (operand, user).
The layout depends on nothing else, so a graph keeps its place while it is stepped through, and
the same graph always gives the same picture. It puts nodes into columns by their distance from
the leaves, orders each column so that few edges cross, moves nodes level with their neighbours,
and continues a graph that is too long for the page in a further row, as text is.
"""

from dataclasses import dataclass

from .theme import escape

WIDTH, HEIGHT = 138, 66  # of a node
GAP_X, GAP_Y = 54, 24  # between columns, between nodes of a column
BAND_GAP = 40  # between one row of columns and the next
COLUMNS = 6  # in a row: as much as can be read on a screen 1280 pixels wide
LETTERS = 16  # in a line of a node
SWEEPS = 8


@dataclass(frozen=True)
class Box:
    """What a node says. state: "idle", "ready", "now", "done"; mark: a word in the corner."""

    lines: tuple  # up to three: title, value, gradient
    state: str = "idle"
    mark: str = ""
    tint: str = "transparent"  # behind the last line
    name: str = ""  # for screen readers


@dataclass(frozen=True)
class Arrow:
    """How an edge is drawn. backward: "" if nothing has come back on it yet, "done" or "now"."""

    backward: str = ""
    label: str = ""  # on the way back


@dataclass(frozen=True)
class Placed:
    """A layout: the centre of each node, and for each edge the curves it follows."""

    centres: tuple
    routes: tuple  # for each edge a list of cubic curves (start, control, control, end)
    width: float
    height: float


@dataclass(frozen=True)
class Colours:
    """The colours of a drawing: a theme's variables on a page, fixed ones in a stored picture."""

    ink: str = "var(--mg-ink)"
    quiet: str = "var(--mg-quiet)"
    paper: str = "var(--mg-paper)"
    line: str = "var(--mg-line)"
    font: str = "var(--jp-code-font-family, monospace)"


STORED = Colours("#111111", "#444444", "#ffffff", "#8a8a8a", "monospace")


# --- where things go -----------------------------------------------------------------------------


def place(count, edges, columns=COLUMNS):
    """Lay out a graph of `count` nodes. edges: pairs (operand, user), several alike if need be."""
    layers = _layers(count, edges)
    chains = []  # for each edge the places it passes: nodes, and points in the columns between
    places = list(range(count))
    layer_of = list(layers)
    for operand, user in edges:
        chain = [operand]
        for layer in range(layers[operand] + 1, layers[user]):
            chain.append(len(places))
            places.append(len(places))
            layer_of.append(layer)
        chains.append([*chain, user])
    links = [pair for chain in chains for pair in zip(chain, chain[1:])]
    grid = _ordered(layer_of, links)
    heights = [HEIGHT + GAP_Y if k < count else 24 for k in places]
    y = _levelled(grid, links, heights)

    starts = _bands(len(grid), [(layer_of[a], layer_of[b]) for a, b in links], columns)
    band_of = [sum(layer >= start for start in starts) - 1 for layer in range(len(grid))]
    centres, top, width = {}, 0.0, 0.0
    gutters = []  # above each band: the y in which edges come over from the band before
    for start, end in zip(starts, [*starts[1:], len(grid)]):
        members = [k for column in grid[start:end] for k in column]
        upper = min(y[k] - heights[k] / 2 for k in members)
        gutters.append(top - BAND_GAP)
        for number, column in enumerate(grid[start:end]):
            for k in column:
                centres[k] = (WIDTH / 2 + number * (WIDTH + GAP_X), top + y[k] - upper)
        top += max(y[k] + heights[k] / 2 for k in members) - upper + BAND_GAP
        width = max(width, (end - start) * (WIDTH + GAP_X) - GAP_X)
    bands = [band_of[layer] for layer in layer_of]
    routes = _routes(chains, centres, bands, gutters, count)
    return Placed(tuple(centres[k] for k in range(count)), routes, width, top - BAND_GAP)


def _bands(layers, spans, columns):
    """The first layer of each row of columns: few rows, begun where few edges have to go on."""
    crossing = [sum(a < start <= b for a, b in spans) for start in range(layers)]
    best = {0: (0, ())}  # for the layers before: the cost, and where rows begin
    for end in range(1, layers + 1):
        best[end] = min(
            (best[start][0] + 1000 + crossing[start], (*best[start][1], start))
            for start in range(max(0, end - columns), end)
        )
    return best[layers][1]


def _layers(count, edges):
    """The column of each node: after all its operands; a leaf just before its first user."""
    layers = [0] * count
    for operand, user in sorted(edges, key=lambda edge: edge[1]):
        layers[user] = max(layers[user], layers[operand] + 1)
    users = {user for _, user in edges}
    for k in set(range(count)) - users:
        layers[k] = min((layers[user] for operand, user in edges if operand == k), default=1) - 1
    return layers


def _ordered(layer_of, links):
    """The columns, each in an order with few crossings: nodes near the mean of their neighbours."""
    grid = [[] for _ in range(max(layer_of) + 1)]
    for k, layer in enumerate(layer_of):
        grid[layer].append(k)
    before = {k: [a for a, b in links if b == k] for k in range(len(layer_of))}
    after = {k: [b for a, b in links if a == k] for k in range(len(layer_of))}
    best, fewest = [list(column) for column in grid], _crossings(grid, links)
    for sweep in range(SWEEPS):
        backward = sweep % 2 == 0
        for column in reversed(grid[:-1]) if backward else grid[1:]:
            position = {k: i for other in grid for i, k in enumerate(other)}
            near = after if backward else before

            def mean(k, position=position, near=near):
                found = [position[n] for n in near[k]]
                return (sum(found) / len(found) if found else position[k], position[k])

            column.sort(key=mean)
        crossings = _crossings(grid, links)
        if crossings < fewest:
            best, fewest = [list(column) for column in grid], crossings
    return best


def _crossings(grid, links):
    position = {k: i for column in grid for i, k in enumerate(column)}
    layer = {k: number for number, column in enumerate(grid) for k in column}
    spans = [(layer[a], position[a], position[b]) for a, b in links]
    return sum(
        one[0] == other[0] and (one[1] - other[1]) * (one[2] - other[2]) < 0
        for i, one in enumerate(spans)
        for other in spans[:i]
    )


def _levelled(grid, links, heights):
    """A y for each place: as level with its neighbours as the order in its column allows."""
    y, near = {}, {k: [] for k in range(len(heights))}
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    for column in grid:
        for i, k in enumerate(column):
            y[k] = i * float(HEIGHT + GAP_Y)
    for sweep in range(SWEEPS):
        for column in grid if sweep % 2 else reversed(grid):
            wished = [
                sum(y[n] for n in near[k]) / len(near[k]) if near[k] else y[k] for k in column
            ]
            for k, value in zip(column, _spread(wished, [heights[k] for k in column])):
                y[k] = value
    return y


def _spread(wished, heights):
    """The positions nearest to the wished ones that keep order and distance (pooled neighbours)."""
    blocks = []  # [sum of (wish - offset), members, total height before the block's start]
    offset = 0.0
    offsets = []
    for i, (wish, height) in enumerate(zip(wished, heights)):
        offset += (heights[i - 1] + height) / 2 if i else 0.0
        offsets.append(offset)
        blocks.append([wish - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, members = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += members
    starts = [total / members for total, members in blocks for _ in range(members)]
    return [start + offset for start, offset in zip(starts, offsets)]


def _routes(chains, centres, bands, gutters, count):
    """The curves of each edge. Edges leave and enter a node side by side, without knots."""
    leaving, entering = {}, {}
    for number, chain in enumerate(chains):
        leaving.setdefault(chain[0], []).append((centres[chain[1]][1], number))
        entering.setdefault(chain[-1], []).append((centres[chain[-2]][1], number))

    def port(ports, node, number):
        row = [n for _, n in sorted(ports[node])]
        step = min(20.0, (HEIGHT - 18) / len(row))
        return centres[node][1] + (row.index(number) - (len(row) - 1) / 2) * step

    routes, wraps = [], {}
    for number, chain in enumerate(chains):
        x, y = centres[chain[0]][0] + WIDTH / 2, port(leaving, chain[0], number)
        route = []
        for k, n in zip(chain, chain[1:]):
            inner = n >= count
            end = (centres[n][0] - WIDTH / 2, centres[n][1] if inner else port(entering, n, number))
            if bands[k] == bands[n]:
                route.append(_curve((x, y), end))
            else:
                wraps[bands[n]] = wraps.get(bands[n], -1) + 1
                route += _wrap((x, y), end, gutters[bands[n]] + 4 + 9 * (wraps[bands[n]] % 4))
            x, y = end
            if inner:
                route.append(_curve((x, y), (x + WIDTH, y)))
                x += WIDTH
        routes.append(tuple(route))
    return tuple(routes)


def _curve(start, end):
    """A curve that leaves and arrives level."""
    middle = (start[0] + end[0]) / 2
    return (start, (middle, start[1]), (middle, end[1]), end)


def _wrap(start, end, y):
    """From the right end of one band, back through the gutter at y, to the left end of the next."""
    turn = 34
    right, left = (start[0], y), (end[0], y)
    return [
        (start, (start[0] + turn, start[1]), (start[0] + turn, y), right),
        (right, right, left, left),
        (left, (left[0] - turn, y), (left[0] - turn, end[1]), end),
    ]


# --- the picture ---------------------------------------------------------------------------------


def draw(placed, boxes, arrows, label, colours=None, seed=""):
    """The graph as one SVG string. label: what the picture is called aloud.

    seed: the upstream gradient of the root, the last box, drawn as a dashed arrow from the right.
    """
    colours = colours or Colours()
    parts = []
    order = sorted(range(len(arrows)), key=lambda k: arrows[k].backward == "now")
    for k in order:
        parts.append(_arrow(placed.routes[k], arrows[k], colours))
    for centre, box in zip(placed.centres, boxes):
        parts.append(_box(centre, box, colours))
    right = placed.width
    if seed:
        x, y = placed.centres[-1][0] + WIDTH / 2, placed.centres[-1][1]
        end = ((x + 46, y), (x + 34, y), (x + 12, y), (x, y))
        parts.append(_stroke((end,), "done", colours, 0, True))
        parts.append(_text(x + 50, y + 5, seed, colours, colours.ink, "start", bold=True))
        right = max(right, x + 58 + 8.6 * len(seed))
    for k in order:  # labels last, above all lines
        if arrows[k].label:
            parts.append(_label(placed.routes[k], arrows[k].label, colours))
    turns = any(curve[0][0] > curve[3][0] for route in placed.routes for curve in route)
    left = 40 if turns else 6  # room for edges that go on to the next row
    right = max(right, placed.width + left)
    width, height = round(right + left + 6), round(placed.height + 14)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
        f'width="{width}" height="{height}" viewBox="{-left} -7 {width} {height}" '
        f'style="max-width: 100%; height: auto">{"".join(parts)}</svg>'
    )


def _box(centre, box, colours):
    x, y = centre[0] - WIDTH / 2, centre[1] - HEIGHT / 2
    stroke = {"now": 4, "ready": 2.5}.get(box.state, 1.2)
    dash = ' stroke-dasharray="2 3"' if box.state == "idle" else ""
    rows = [f"<g><title>{escape(box.name or box.lines[0])}</title>"]
    rows.append(
        f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="7" '
        f'style="fill: {colours.paper}; stroke: {colours.ink}; stroke-width: {stroke}"{dash}/>'
    )
    if box.tint != "transparent":
        rows.append(
            f'<rect x="{x + 5:g}" y="{y + 43:g}" width="{WIDTH - 10}" height="19" rx="3" '
            f'style="fill: {box.tint}"/>'
        )
    for number, line in enumerate(box.lines):
        text = line if len(line) <= LETTERS else line[: LETTERS - 1] + "…"
        colour = colours.quiet if number == 1 else colours.ink
        rows.append(_text(centre[0], y + 18 + 20 * number, text, colours, colour, bold=number != 1))
    if box.mark:
        width = 10 + 8 * len(box.mark)
        rows.append(
            f'<rect x="{x + WIDTH - width - 4:g}" y="{y - 14:g}" width="{width}" height="18" '
            f'rx="9" style="fill: {colours.ink}"/>'
        )
        middle = x + WIDTH - 4 - width / 2
        rows.append(_text(middle, y - 1, box.mark, colours, colours.paper, size=12))
    return "".join(rows) + "</g>"


def _arrow(route, arrow, colours):
    """Solid forward; and dashed backward below it, once something came back."""
    shift = -4 if arrow.backward else 0
    text = _stroke(route, "", colours, shift, False)
    if arrow.backward:
        back = tuple(tuple(reversed(curve)) for curve in reversed(route))
        text += _stroke(back, arrow.backward, colours, 5, True)
    return text


def _stroke(curves, state, colours, shift, dashed):
    path = f"M{curves[0][0][0]:g} {curves[0][0][1] + shift:g}"
    for _, one, two, end in curves:
        points = " ".join(f"{px:g} {py + shift:g}" for px, py in (one, two, end))
        path += f"C{points}"
    x, y = curves[-1][3]
    direction = 1 if x >= curves[-1][2][0] else -1
    head = f"M{x:g} {y + shift:g}l{-9 * direction} -4.5v9z"
    width = 3 if state == "now" else 1.8 if dashed else 1.2
    colour = colours.ink if dashed else colours.quiet
    dash = ' stroke-dasharray="6 4"' if dashed else ""
    return (
        f'<path d="{path}" style="fill: none; stroke: {colour}; stroke-width: {width}"{dash}/>'
        f'<path d="{head}" style="fill: {colour}"/>'
    )


def _label(route, text, colours):
    """A number on the way back, near the operand it goes to, on paper so that it can be read."""
    text = text if len(text) <= 9 else text[:8] + "…"
    x, y = route[0][0]
    width = 8.2 * len(text) + 6
    paper = (
        f'<rect x="{x + 10:g}" y="{y + 9:g}" width="{width:g}" height="16" rx="3" '
        f'style="fill: {colours.paper}"/>'
    )
    return paper + _text(x + 13, y + 22, text, colours, colours.ink, "start", True, 13)


def _text(x, y, text, colours, colour, anchor="middle", bold=False, size=14):
    weight = "600" if bold else "400"
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" xml:space="preserve" '
        f'style="fill: {colour}; font: {weight} {size}px {colours.font}">{escape(text)}</text>'
    )
