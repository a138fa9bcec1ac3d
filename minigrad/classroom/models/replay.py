"""One backward pass, to be looked at after any of its steps: what had arrived, what ran, what waits.

The pass is a list of visits (`passes.py`); nothing is computed here but sums of what arrived, to
show how each total came about. A step is a number of visits: at step 0 only the seed is there.
"""

import functools
from dataclasses import dataclass

import numpy as np

from .. import agreement
from ..formatting import shape
from . import passes
from .local_rules import in_numbers, in_symbols

MODES = {
    "ordered": "The engine's pass: a node runs once, when all that will arrive has arrived.",
    "naive recursion": "Wrong: each node calls its operands at once, and sends its whole sum again "
    "each time it is called.",
    "overwrite": "Wrong: a contribution replaces the one before it, = instead of +=.",
}


@dataclass(frozen=True)
class Contribution:
    """One gradient that arrived at a node."""

    source: str  # who sent it: a node's name, or "seed"
    value: np.ndarray
    kept: bool  # False: a later one has replaced it


@dataclass(frozen=True)
class Account:
    """A node's page of the ledger: what arrived so far, one by one, and what it makes."""

    name: str
    contributions: tuple
    total: np.ndarray | None
    right: np.ndarray | None  # the sum in the engine's pass, when all has arrived
    expected: int  # how many contributions this pass brings in all
    used: np.ndarray | None  # the total with which the node ran last
    wrong: bool  # marked: the total, or what was used, is not the right one

    @property
    def complete(self):
        return len(self.contributions) == self.expected


@dataclass(frozen=True)
class Part:
    """What one step sends to one operand."""

    to: str
    symbols: str  # "v · b"
    numbers: str | None  # "1 · 3"
    value: np.ndarray
    note: str = ""


@dataclass(frozen=True)
class Waiting:
    """A node that has yet to run."""

    name: str
    arrived: int
    expected: int

    @property
    def ready(self):
        return self.arrived >= self.expected


def replays(graph, seed):
    """{mode: Replay} of the engine's pass and of the two wrong ones."""
    right = Replay("ordered", graph, seed, passes.ordered(graph, seed))
    order = [visit.key for visit in right.visits]
    return {
        "ordered": right,
        "naive recursion": Replay(
            "naive recursion", graph, seed, passes.recursing(graph, seed), right
        ),
        "overwrite": Replay("overwrite", graph, seed, passes.overwriting(graph, seed, order), right),
    }


def once_a_step(method):
    """What depends on a Replay and a step alone, computed once."""

    @functools.wraps(method)
    def look(self, step):
        if (method, step) not in self._seen:
            self._seen[method, step] = method(self, step)
        return self._seen[method, step]

    return look


class Replay:
    """One pass. right: the engine's pass with the same seed, by which it is judged."""

    def __init__(self, mode, graph, seed, visits, right=None):
        self.mode, self.graph, self.seed, self.visits = mode, graph, seed, visits
        self.right = right or self
        self._seen = {}

    @property
    def steps(self):
        """How many steps the pass takes."""
        return len(self.visits)

    @property
    def order(self):
        """The names of the nodes in the order in which the pass visits them."""
        return [self.graph.nodes[visit.key].name for visit in self.visits]

    @property
    def cut_off(self):
        """How many visits recursion would make, if not all of them are shown; else 0."""
        if self.mode != "naive recursion" or self.steps < passes.MAX_VISITS:
            return 0
        visits = passes.visits_of_recursion(self.graph)
        return visits if visits > self.steps else 0

    @once_a_step
    def sent(self, step):
        """What a step sends: a `Part` for each operand."""
        if not step:
            return []
        visit = self.visits[step - 1]
        node, parts = self.graph.nodes[visit.key], []
        for place, target, value in visit.sent:
            numbers, note = in_numbers(node, place, visit.received), ""
            if numbers and visit.received[0].shape != value.shape and "@" not in numbers:
                note = f"then summed to the operand's shape {shape(value.shape)}"
            symbols = in_symbols(node, place)
            parts.append(Part(self.graph.refer(target), symbols, numbers, value, note))
        return parts

    @once_a_step
    def ledger(self, step):
        """The accounts of all nodes, as the engine meets them: a list of `Account`."""
        return [self.account(target, step) for target in self._places]

    def account(self, target, step):
        """The account of one place (key, slot)."""
        every = self._arrivals.get(target, [])
        entries = [entry for entry in every if entry[0] <= step]
        uses = self._uses.get(target, [])
        last = next((value for at, value in reversed(uses) if at <= step), None)
        total = self._total(entries)
        right = self.right._total(self.right._arrivals.get(target, []))
        judged = [last] if last is not None else []
        if entries and len(entries) == len(every) and not self.cut_off:
            judged.append(total)
        wrong = self is not self.right and any(not same(value, right) for value in judged)
        listed = tuple(
            Contribution(source, value, self.mode != "overwrite" or k == len(entries))
            for k, (_, source, value) in enumerate(entries, 1)
        )
        return Account(self.graph.refer(target), listed, total, right, len(every), last, wrong)

    @once_a_step
    def waiting(self, step):
        """What has yet to run, in the order in which it will: a list of `Waiting`."""
        moments = {}  # of each node: after which visits something arrived
        for (key, _), entries in self._arrivals.items():
            moments.setdefault(key, []).extend(at for at, _, _ in entries)
        return [
            Waiting(
                self.graph.nodes[visit.key].name,
                sum(at <= step for at in moments[visit.key]),
                len(moments[visit.key]),
            )
            for visit in self.visits[step:]
        ]

    def leaf_grads(self, step):
        """{leaf: array}: what the steps so far leave in `.grad`; None where nothing arrived."""
        grads = dict.fromkeys(leaf.name for leaf in self.graph.leaves)
        for visit in self.visits[:step]:
            node = self.graph.nodes[visit.key]
            if node.is_leaf:
                grads[node.name] = visit.received[0]
        return grads

    # --- what happens to each place (key, slot) of the graph --------------------------------------

    @functools.cached_property
    def _places(self):
        """All places, in the order of the engine's visits; the rest after."""
        keys = [visit.key for visit in self.right.visits]
        keys += [node.key for node in reversed(self.graph.nodes) if node.key not in keys]
        return [(key, slot) for key in keys for slot in range(self.graph.nodes[key].outputs)]

    @functools.cached_property
    def _arrivals(self):
        """{place: [(number of the visit, who sent it, gradient)]}."""
        arrivals = {self.graph.root: [(0, "seed", self.seed)]}
        for number, visit in enumerate(self.visits, 1):
            source = self.graph.nodes[visit.key].name
            for _, target, gradient in visit.sent:
                arrivals.setdefault(target, []).append((number, source, gradient))
        return arrivals

    @functools.cached_property
    def _uses(self):
        """{place: [(number of the visit, total with which the node ran)]}."""
        uses = {}
        for number, visit in enumerate(self.visits, 1):
            for slot, value in enumerate(visit.received):
                uses.setdefault((visit.key, slot), []).append((number, value))
        return uses

    def _total(self, entries):
        """What the contributions make: their sum, or in overwriting the last of them."""
        if not entries:
            return None
        if self.mode == "overwrite":
            return entries[-1][-1]
        total = entries[0][-1]
        for _, _, value in entries[1:]:
            total = np.asarray(total + value)
        return total


def same(first, second):
    """Whether two gradients agree; None is nothing that arrived."""
    if first is None or second is None:
        return first is second
    return agreement.agree(first, second)
