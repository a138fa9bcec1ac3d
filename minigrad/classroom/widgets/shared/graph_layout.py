"""Where the nodes of a graph go, from left to right: a small layered layout.

    placed = place(sizes, edges)

Nodes are numbered 0, 1, ... with operands before their users; an edge is a pair (operand, user).
The layout depends on the sizes and the edges alone: a graph keeps its place while it is stepped
through, and the same graph always gives the same picture. It puts each node into a column, just
before its first user; orders each column so that few edges cross; moves nodes level with their
neighbours; and continues a graph that is too long for the page in a further row, as text is.

An edge that passes columns on its way goes through waypoints there. All edges from one operand
share them, so that a value with many users is one line that branches, not a bundle of lines.
"""

from dataclasses import dataclass

ROOM = 1060  # as wide as a row may be: what a page 1280 pixels wide leaves to a widget
SHRUNK = 1.12  # ... and a graph of a single row, which is then drawn a little smaller
GAP_X, GAP_Y = 46, 24  # between columns, between nodes of a column
PASS = 26  # the height that a line needs between nodes
PORT = 16  # ... and where it enters or leaves a node
GUTTER, SLOT = 34, 17  # between two rows; and for each line that goes on from one to the next
SWEEPS = 8


@dataclass(frozen=True)
class Placed:
    """A layout: the centre and the size of each node, and for each edge the curves it follows.

    A node is as large as was asked for, or higher, if many edges leave or enter it. A curve is
    cubic: (start, control, control, end), from the operand's side to the user's. Edges that share
    a part of their way share its curves.
    """

    centres: tuple
    sizes: tuple
    routes: tuple
    width: float
    height: float


def place(sizes, edges, room=ROOM, gaps=(GAP_X, GAP_Y)):
    """Lay out a graph. sizes: (width, height) of each node; edges: pairs (operand, user), several
    alike if need be; room: as wide as a row may be; gaps: between columns, between nodes of one."""
    gap_x, gap_y = gaps
    count, layers = len(sizes), _layers(len(sizes), edges)
    hops, layer_of = _hops(layers, edges)
    links = list(dict.fromkeys(link for way in hops for link in zip(way, way[1:])))
    ports = _ports(count, hops)
    sizes = [
        (width, max(height, PORT * (1 + max(map(len, both)))))
        for (width, height), both in zip(sizes, ports)
    ]
    sizes += [(0, PASS - gap_y)] * (len(layer_of) - count)
    heights = [height + gap_y for _, height in sizes]
    grid = _ordered(layer_of, links)
    y = _levelled(grid, links, heights)

    wide = [max(sizes[k][0] for k in column) for column in grid]
    lines = [link for link in links if link[1] >= count] + [way[-2:] for way in hops]
    spans = [(layer_of[a], layer_of[b]) for a, b in lines]
    starts = _rows(wide, spans, room, gap_x)
    ends = [*starts[1:], len(grid)]
    sides, row_of, upper = {}, {}, [0.0]  # upper: where each row begins
    for row, (start, end) in enumerate(zip(starts, ends)):
        top = min(y[k] - sizes[k][1] / 2 for column in grid[start:end] for k in column)
        x = 0.0
        for layer in range(start, end):
            for k in grid[layer]:
                y[k] += upper[-1] - top
                sides[k] = x, x + max(sizes[k][0] for k in grid[layer])
                row_of[k] = row
            x += wide[layer] + gap_x
        bottom = max(y[k] + sizes[k][1] / 2 for column in grid[start:end] for k in column)
        upper.append(bottom + GUTTER + SLOT * sum(a < end <= b for a, b in spans))
    centres = [((sides[k][0] + sides[k][1]) / 2, y[k]) for k in range(len(sizes))]
    routes = _routes(hops, ports, centres, sides, sizes, row_of, upper)
    width = max(right for _, right in sides.values())
    return Placed(
        tuple(centres[:count]), tuple(sizes[:count]), routes, width, upper[-1] - GUTTER
    )


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


def _ports(count, hops):
    """For each node two lists, of the lines that enter it and of those that leave it.

    Each edge enters as a line of its own, the number of the edge. Those that share a waypoint leave
    as one line, the pair (operand, waypoint).
    """
    ports = [([], []) for _ in range(count)]
    for number, way in enumerate(hops):
        ports[way[-1]][0].append(number)
        line = _leaves_as(number, way, count)
        if line not in ports[way[0]][1]:
            ports[way[0]][1].append(line)
    return ports


def _leaves_as(number, way, count):
    return number if way[1] < count else way[:2]


def _ordered(layer_of, links):
    """The columns, each in an order with few crossings: nodes near the mean of their neighbours."""
    grid = [[] for _ in range(max(layer_of) + 1)]
    for k, layer in enumerate(layer_of):
        grid[layer].append(k)
    before, after = _neighbours(len(layer_of), links)
    best, fewest = [list(column) for column in grid], _crossings(grid, links)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        columns, near = (grid[1:], before) if sweep % 2 else (reversed(grid[:-1]), after)
        for column in columns:
            position = {k: i for other in grid for i, k in enumerate(other)}

            def mean(k, position=position, near=near):
                found = [position[n] for n in near[k]]
                return (sum(found) / len(found) if found else position[k], position[k])

            column.sort(key=mean)
        crossings = _crossings(grid, links)
        if crossings < fewest:
            best, fewest = [list(column) for column in grid], crossings
    return best


def _neighbours(count, links):
    before, after = [[] for _ in range(count)], [[] for _ in range(count)]
    for a, b in links:
        after[a].append(b)
        before[b].append(a)
    return before, after


def _crossings(grid, links):
    position = {k: i for column in grid for i, k in enumerate(column)}
    between = {}  # for each column the links that leave it
    for number, column in enumerate(grid):
        between.update(dict.fromkeys(column, number))
    spans = [(between[a], position[a], position[b]) for a, b in links]
    return sum(
        one[0] == other[0] and (one[1] - other[1]) * (one[2] - other[2]) < 0
        for i, one in enumerate(spans)
        for other in spans[:i]
    )


def _levelled(grid, links, heights):
    """A y for each place: as level with its neighbours as the order in its column allows."""
    y = [0.0] * len(heights)
    before, after = _neighbours(len(heights), links)
    for column in grid:
        for i, k in enumerate(column):
            y[k] = 90.0 * i
    for sweep in range(SWEEPS):
        for column in grid if sweep % 2 else reversed(grid):
            wished = []
            for k in column:
                near = before[k] + after[k]
                wished.append(sum(y[n] for n in near) / len(near) if near else y[k])
            for k, value in zip(column, _spread(wished, [heights[k] for k in column])):
                y[k] = value
    return y


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


def _rows(wide, spans, room, gap):
    """The first column of each row: few rows, begun where few edges go on, about equally long."""
    if sum(wide) + gap * (len(wide) - 1) <= SHRUNK * room:
        return (0,)
    crossing = [sum(a < start <= b for a, b in spans) for start in range(len(wide))]
    best = {0: (0, ())}  # for the columns before: the cost, and where rows begin
    for end in range(1, len(wide) + 1):
        costs = []
        for start in range(end):
            taken = sum(wide[start:end]) + gap * (end - start - 1)
            if taken <= room or end - start == 1:
                free = 10 * max(0, 1 - taken / room)
                cost = best[start][0] + 10_000 + 20 * crossing[start] + free**2
                costs.append((cost, (*best[start][1], start)))
        best[end] = min(costs)
    return best[len(wide)][1]


# --- the curves ----------------------------------------------------------------------------------


def _routes(hops, ports, centres, sides, sizes, row_of, upper):
    """The curves of each edge. Edges leave and enter a node side by side, without knots."""
    heights = _port_heights(hops, ports, centres, sizes)
    count, ways, over = len(ports), [], {}
    for number, way in enumerate(hops):
        points = [(sides[way[0]][1], heights[way[0], 1, _leaves_as(number, way, count)])]
        points += [(sides[k][0], centres[k][1]) for k in way[1:-1]]
        points.append((sides[way[-1]][0], heights[way[-1], 0, number]))
        ways.append(points)
        for k, n, start, end in _steps(way, points, sides):
            if row_of[k] != row_of[n]:  # it comes over from the row before
                over.setdefault(row_of[n], set()).add((start, end))
    routes = []
    for way, points in zip(hops, ways):
        edge = (centres[way[0]][0] + sizes[way[0]][0] / 2, points[0][1])
        route = [_curve(edge, points[0])] if edge != points[0] else []
        for k, n, start, end in _steps(way, points, sides):
            if row_of[k] == row_of[n]:
                route.append(_curve(start, end))
            else:
                lines = sorted(over[row_of[n]], key=lambda line: (-line[0][1], line[1][1]))
                rank, turn = lines.index((start, end)), min(10.0, 40 / len(lines))
                y = upper[row_of[n]] - 22 - SLOT * (len(lines) - 1 - rank)
                route += _wrap(start, end, y, 16 + turn * rank, 16 + turn * (len(lines) - rank))
            if n >= count and sides[n][1] > sides[n][0]:  # across the column of a waypoint
                route.append(_curve(end, (sides[n][1], end[1])))
        edge = (centres[way[-1]][0] - sizes[way[-1]][0] / 2, points[-1][1])
        route += [_curve(points[-1], edge)] if edge != points[-1] else []
        routes.append(tuple(route))
    return tuple(routes)


def _port_heights(hops, ports, centres, sizes):
    """{(node, 0 entering or 1 leaving, line): the y at which it does so}, in the order of aims."""
    aims = {}
    for number, way in enumerate(hops):
        aims[way[-1], 0, number] = centres[way[-2]][1]
        aims[way[0], 1, _leaves_as(number, way, len(ports))] = centres[way[1]][1]
    heights = {}
    for node, both in enumerate(ports):
        for side, lines in enumerate(both):
            order = sorted(range(len(lines)), key=lambda k: (aims[node, side, lines[k]], k))
            step = min(20.0, (sizes[node][1] - PORT) / max(1, len(lines)))
            for place, k in enumerate(order):
                y = centres[node][1] + (place - (len(lines) - 1) / 2) * step
                heights[node, side, lines[k]] = y
    return heights


def _steps(way, points, sides):
    """(place, next place, where the link starts, where it ends) along an edge."""
    for k, n, point, end in zip(way, way[1:], points, points[1:]):
        yield k, n, (sides[k][1], point[1]), end


def _curve(start, end):
    """A curve that leaves and arrives level."""
    middle = (start[0] + end[0]) / 2
    return (start, (middle, start[1]), (middle, end[1]), end)


def _wrap(start, end, y, out, back):
    """From the right end of one row, back through the gutter at y, to the left end of the next."""
    right, left = (start[0], y), (end[0], y)
    return [
        (start, (start[0] + out, start[1]), (start[0] + out, y), right),
        (right, right, left, left),
        (left, (left[0] - back, y), (left[0] - back, end[1]), end),
    ]
