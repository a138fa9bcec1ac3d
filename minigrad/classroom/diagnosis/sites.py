"""What is noted of nodes, and of the lines that run backward passes."""

import math
from collections import deque
from dataclasses import dataclass


def operation(node):
    """What a node does: "Sub" for SubBackward0."""
    return type(node).__name__.partition("Backward")[0]


def tells(tensor):
    """Whether a tensor tells what made it: a view made under no_grad whose base was changed does
    not."""
    try:
        tensor.is_leaf  # noqa: B018  this asks
    except RuntimeError:
        return False
    return True


def below(nodes, limit=3000):
    """Some nodes, each perhaps None, and those that their edges lead to, the nearest first."""
    found, waiting = {}, deque(nodes)
    while waiting and len(found) < limit:
        node = waiting.popleft()
        if node is not None and node not in found:
            found[node] = True
            waiting.extend(n for n, _ in node.next_functions)
    return list(found)


@dataclass(slots=True)
class Made:
    """What is noted of a node. lines: that recorded it, of calls in calls, the innermost first."""

    lines: tuple[int, ...] = (0,)
    after: int = 0  # how many passes there were before
    ran: tuple[int, int] = (0, 0)  # the line and the number of the last pass that ran it
    crossed: int = 0  # the line where a column met a row for it: see _stretch
    from_data: bool = False  # whether it is a difference from given numbers of the same shape
    is_short: bool = False  # whether nothing but leaves stands behind it
    feeds: bool = True  # whether gradients go from it to leaves
    own: object = None  # a weak reference to the node

    @property
    def line(self):
        """The line that recorded it; 0 if that is unknown."""
        return self.lines[0]


class Site:
    """A line that runs backward passes: how often, from which values, and what became of them."""

    def __init__(self, line):
        self.line, self.passes = line, 0
        self.losses, self.apart = [], 1  # values from all of its passes, so many passes apart
        self.last = deque(maxlen=8)  # its last values
        self.moves = 0  # passes with a change of some parameter before them
        self.stale = 0  # of these, those that began at the same tensor as the pass before
        self.keeps = False  # whether the last pass was to keep its graph
        self.needed = False  # a later pass needed a graph that was kept
        self.is_old = False  # a pass ran a node again that it had run before leaves moved
        self.rounds = []  # the numbers of its first passes among all passes
        self.grows = 0  # how many earlier passes there were when all their graphs were still there
        self.is_freed = False  # some of these graphs were gone later
        self.from_leaf = False  # a pass began at a leaf: it cannot lead to another one
        self.root_line, self.kinds = 0, []  # where its root was computed; the operations next to it
        self.is_difference = False  # whether its root is one from given numbers, summed or scaled
        self.sums = set()  # the lines of sums of which its root consists
        self.is_single = False  # whether the last pass began at one number
        self.by_itself = 0  # passes whose v was this number

    @property
    def falls_away(self):
        """Whether its values fell and fell, below 0, until they were no numbers any more."""
        values = [value for value in self.losses if math.isfinite(value)]
        falls = len(values) > 3 and all(b < a for a, b in zip(values, values[1:]))
        return falls and values[-1] < 0 and not math.isfinite(self.last[-1])

    def add(self, loss):
        """A pass begins at this number."""
        self.last.append(loss)
        self.losses += [] if (self.passes - 1) % self.apart else [loss]
        if len(self.losses) == 200:
            self.losses, self.apart = self.losses[::2], 2 * self.apart
