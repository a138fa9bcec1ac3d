"""Where the nodes of a graph go, from left to right, and its edges: a small layered layout.

Nodes are numbered 0, 1, ... with operands before their users; an edge is a pair (operand, user).
The layout depends on sizes and edges alone, so a graph keeps its place while it is stepped through.
All edges from one operand share waypoints in the columns they pass: one line that branches.
"""

from collections import namedtuple
from itertools import accumulate

ROOM = 1060  # as wide as a graph may be before its columns move closer together
GAP_X, GAP_Y = 46, 24  # between columns, between nodes of a column
TIGHT = 30  # between columns, where room is scarce
PASS = 26  # the height that a line needs between nodes
PORT = 16  # ... and where it enters or leaves a node
SWEEPS = 8
BACK = {"stuck": 1.5, "back": 2, "now": 3}  # how thick the way back of an edge is drawn

# A layout: the centre and the size of each node, and for each edge the curves it follows. A node is
# as large as was asked for, or higher, if many edges leave or enter it. A curve is cubic: (start,
# control, control, end), from the operand's side to the user's. Edges that share a part of their
# way share its curves.
Placed = namedtuple("Placed", "centres sizes routes width height")


def lay_out(sizes, edges, room=ROOM, gaps=(GAP_X, GAP_Y)):
    """Lay out a graph. sizes: (width, height) of each node; edges: pairs (operand, user), several
    alike if need be; room: the width to keep to; gaps: between columns, between nodes of one."""
    gap_x, gap_y = gaps
    count, layers = len(sizes), _layers(len(sizes), edges)
    hops, layer_of = _hops(layers, edges)
    links = list(dict.fromkeys(link for way in hops for link in zip(way, way[1:])))
    ports = _ports(hops, count)
    sizes = [
        (width, max(height, *(PORT * (1 + len(ports.get((k, side), ()))) for side in _SIDES)))
        for k, (width, height) in enumerate(sizes)
    ]
    every_size = sizes + [(0, PASS - gap_y)] * (len(layer_of) - count)
    before, after = _neighbours(len(layer_of), links)
    grid = _ordered(layer_of, before, after)
    y = _levelled(grid, before, after, [height + gap_y for _, height in every_size])
    tops = [y[k] - height / 2 for k, (_, height) in enumerate(every_size)]
    y = [middle - min(tops) for middle in y]

    wide = [max(every_size[k][0] for k in column) for column in grid]
    free = (room - sum(wide)) / max(1, len(wide) - 1)
    gap_x = min(gap_x, max(TIGHT, free))
    lefts = list(accumulate((one + gap_x for one in wide[:-1]), initial=0))
    columns = [(lefts[layer], lefts[layer] + wide[layer]) for layer in layer_of]
    centres = [(sum(columns[k]) / 2, y[k]) for k in range(count)]
    heights = _port_heights(ports, y, sizes)
    routes = []
    for number, way in enumerate(hops):
        out = heights[way[0], "out", _leaves_as(number, way, count)]
        points = [(centres[way[0]][0] + sizes[way[0]][0] / 2, out), (columns[way[0]][1], out)]
        for k in way[1:-1]:
            points += [(columns[k][0], y[k]), (columns[k][1], y[k])]
        end = heights[way[-1], "in", number]
        points += [(columns[way[-1]][0], end), (centres[way[-1]][0] - sizes[way[-1]][0] / 2, end)]
        routes.append(tuple(_curve(a, b) for a, b in zip(points, points[1:]) if a != b))
    bottom = max(middle + height / 2 for middle, (_, height) in zip(y, every_size))
    return Placed(tuple(centres), tuple(sizes), tuple(routes), lefts[-1] + wide[-1], bottom)


def draw_edges(drawing, routes, kinds):
    """Draw all edges forward, grey and solid, and beside them the ways back, dashed.

    kinds: of each edge "", or one of `BACK`; one that is stuck has no head. Edges that share a
    part of their way are one line there, of the strongest kind.
    """
    order, curves, starts = ["", *BACK], {}, {}
    for route, kind in zip(routes, kinds):
        rank = order.index(kind)
        for curve in route:
            curves[curve] = max(curves.get(curve, 0), rank)
        starts[route[0][0]] = max(starts.get(route[0][0], 0), rank)
    drawing.path(path_of(curves, -4))
    for x, y in dict.fromkeys(route[-1][3] for route in routes):
        drawing.path("", arrow=((x - 9, y - 4), (x - 1, y - 4)))
    for rank, (kind, thick) in enumerate(BACK.items(), 1):
        back = [curve for curve, its in curves.items() if its == rank]
        if back:
            drawing.path(path_of(back, 5), "ink", thick, "6 4")
        for (x, y), its in starts.items():
            if its == rank and kind != "stuck":
                drawing.path("", "ink", 2, arrow=((x + 9, y + 5), (x + 1, y + 5)))


def path_of(curves, shift=0):
    """Curves as one SVG path, moved down by `shift`."""
    parts = []
    for curve in curves:
        start, *rest = (f"{x:g} {y + shift:g}" for x, y in curve)
        parts.append(f"M{start}C{' '.join(rest)}")
    return "".join(parts)


def _layers(count, edges):
    """The column of each node: just before its first user, the results in the last one."""
    left = [0] * count  # how many columns have to follow
    for operand, user in sorted(edges, key=lambda edge: -edge[1]):
        left[operand] = max(left[operand], left[user] + 1)
    return [max(left, default=0) - k for k in left]


def _hops(layers, edges):
    """(for each edge the places it passes, the column of every place): nodes, then waypoints."""
    layer_of, waypoint = list(layers), {}
    hops = []
    for operand, user in edges:
        way = [operand]
        for layer in range(layers[operand] + 1, layers[user]):
            if (operand, layer) not in waypoint:
                waypoint[operand, layer] = len(layer_of)
                layer_of.append(layer)
            way.append(waypoint[operand, layer])
        hops.append((*way, user))
    return hops, layer_of


def _neighbours(count, links):
    before, after = [[] for _ in range(count)], [[] for _ in range(count)]
    for a, b in links:
        after[a].append(b)
        before[b].append(a)
    return before, after


def _ordered(layer_of, before, after):
    """The columns, each in an order with few crossings: nodes near the mean of their neighbours."""
    grid = [[] for _ in range(max(layer_of) + 1)]
    for k, layer in enumerate(layer_of):
        grid[layer].append(k)
    position = {k: i for column in grid for i, k in enumerate(column)}
    for sweep in range(SWEEPS):
        columns, near = (reversed(grid[:-1]), after) if sweep % 2 else (grid[1:], before)
        for column in columns:
            mean = {k: _mean([position[n] for n in near[k]], position[k]) for k in column}
            column.sort(key=mean.get)
            position.update((k, i) for i, k in enumerate(column))
    return grid


def _levelled(grid, before, after, heights):
    """A y for each place: as level with its neighbours as the order in its column allows."""
    y = [0.0] * len(heights)
    for column in grid:
        for i, k in enumerate(column):
            y[k] = 90.0 * i
    for sweep in range(SWEEPS):
        for column in grid if sweep % 2 else reversed(grid):
            wished = [_mean([y[n] for n in before[k] + after[k]], y[k]) for k in column]
            for k, value in zip(column, _spread(wished, [heights[k] for k in column])):
                y[k] = value
    return y


def _mean(values, otherwise):
    return sum(values) / len(values) if values else otherwise


def _spread(wished, heights):
    """The positions nearest to the wished ones that keep order and distance (pooled neighbours)."""
    blocks, offsets, offset = [], [], 0.0  # a block: [sum of (wish - offset), members]
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


_SIDES = ("in", "out")


def _leaves_as(number, way, count):
    """As which line an edge leaves: its own, or the one to a waypoint, which others share."""
    return number if way[1] < count else way[:2]


def _ports(hops, count):
    """{(node, side): {line: the place it comes from or goes to}}."""
    ports = {}
    for number, way in enumerate(hops):
        ports.setdefault((way[-1], "in"), {})[number] = way[-2]
        ports.setdefault((way[0], "out"), {})[_leaves_as(number, way, count)] = way[1]
    return ports


def _port_heights(ports, y, sizes):
    """{(node, side, line): the y at which it enters or leaves}, in the order of their aims."""
    heights = {}
    for (node, side), aims in ports.items():
        order = sorted(aims, key=lambda line, aims=aims: y[aims[line]])
        step = min(20.0, (sizes[node][1] - PORT) / len(order))
        for k, line in enumerate(order):
            heights[node, side, line] = y[node] + (k - (len(order) - 1) / 2) * step
    return heights


def _curve(start, end):
    middle = (start[0] + end[0]) / 2
    return (start, (middle, start[1]), (middle, end[1]), end)
