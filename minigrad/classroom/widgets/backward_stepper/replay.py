"""One backward pass, looked at after any of its steps: what had arrived, what ran, what waits.

The pass is a list of visits (`passes.py`); nothing is computed here but sums of what arrived, to
show how each total came about. A step is a number of visits: at step 0 only v is there.
"""

import functools
from dataclasses import dataclass

import numpy as np

from ... import agreement
from ...formatting import shape
from ..shared.formulas import amount, in_numbers, in_symbols
from . import passes

MODES = {
    "ordered": "The engine's pass: a node runs once, when all that will arrive has arrived.",
    "naive recursion": "Each node calls its operands at once, every time with all it has so far.",
    "overwrite": "A contribution replaces the one before it: = instead of +=.",
}
MAX_LISTED = 12  # of what waits, in one line


@dataclass(frozen=True)
class Contribution:
    """One gradient that arrived at a node."""

    source: str  # who sent it: a node's name, or "v"
    value: np.ndarray
    kept: bool  # False: a later one has replaced it
    step: int  # at which it arrived


@dataclass(frozen=True)
class Account:
    """A node's page of the ledger: what arrived so far, one by one, and what it makes."""

    name: str
    contributions: tuple
    total: np.ndarray | None
    right: np.ndarray | None  # the sum in the engine's pass, when all has arrived
    expected: int  # how many contributions this pass brings in all
    wrong: bool  # marked: the total, or what a node ran with, is not the right one

    @property
    def complete(self):
        return len(self.contributions) == self.expected


@dataclass(frozen=True)
class Part:
    """What one step sends to one operand."""

    to: str
    symbols: str  # "v · b"
    numbers: str | None  # "1 · 3"; None where it is the same, or nothing that can be written
    value: np.ndarray
    note: str = ""

    @property
    def formula(self):
        """ "v · b = 1 · 3": the rule in symbols, then in numbers where they tell more."""
        plain = (self.numbers or "").replace("(", "").replace(")", "")
        telling = plain and plain != self.symbols and self.numbers != amount(self.value)
        numbers, note = f" = {self.numbers}" * bool(telling), f", {self.note}," * bool(self.note)
        return self.symbols + numbers + note


@dataclass(frozen=True)
class Waiting:
    """A node that has yet to run."""

    name: str
    arrived: int
    expected: int

    @property
    def ready(self):
        return self.arrived >= self.expected


def replays(graph, root, v):
    """{mode: Replay} of the engine's pass and of the two wrong ones."""
    right = Replay("ordered", graph, v, passes.ordered(graph, root, v))
    order = [visit.key for visit in right.visits]
    wrong = {
        "naive recursion": passes.recursing(graph, v),
        "overwrite": passes.overwriting(graph, v, order),
    }
    return {"ordered": right} | {
        mode: Replay(mode, graph, v, visits, right) for mode, visits in wrong.items()
    }


def _once_a_step(method):
    """What depends on a Replay and a step alone, computed once."""

    @functools.wraps(method)
    def look(self, step):
        if (method, step) not in self._seen:
            self._seen[method, step] = method(self, step)
        return self._seen[method, step]

    return look


class Replay:
    """One pass. right: the engine's pass with the same v, by which it is judged."""

    def __init__(self, mode, graph, v, visits, right=None):
        self.mode, self.graph, self.v, self.visits = mode, graph, v, visits
        self.right = right or self
        self.steps = len(visits)
        self._seen = {}

    @property
    def cut_off(self):
        """How many visits recursion would make, if not all of them are shown; else 0."""
        if self.mode != "naive recursion" or self.steps < passes.MAX_VISITS:
            return 0
        visits = passes.visits_of_recursion(self.graph)
        return visits if visits > self.steps else 0

    def node_at(self, step):
        """The node that runs at a step; None at step 0."""
        return self.graph.nodes[self.visits[step - 1].key] if step else None

    @functools.cached_property
    def largest(self):
        """The largest finite number that arrives anywhere in the pass."""
        arrived = [value for entries in self._arrivals.values() for _, _, value in entries]
        arrived += [value for uses in self._uses.values() for _, value in uses if value is not None]
        finite = [abs(x) for value in arrived for x in value.ravel().tolist() if np.isfinite(x)]
        return max(finite, default=0.0)

    @_once_a_step
    def sent(self, step):
        """What a step sends: a `Part` for each operand."""
        if not step:
            return []
        visit, node, parts = self.visits[step - 1], self.node_at(step), []
        for place, target, value in visit.sent:
            numbers, note = in_numbers(node, place, visit.received), ""
            if numbers and visit.received[0].shape != value.shape and "@" not in numbers:
                note = f"then summed to the operand's shape {shape(value.shape)}"
            symbols = in_symbols(node, place)
            parts.append(Part(self.graph.refer(target), symbols, numbers, value, note))
        return parts

    @_once_a_step
    def ledger(self, step):
        """The accounts of all nodes, as the engine meets them: a list of `Account`."""
        keys = [visit.key for visit in self.right.visits]
        keys += [node.key for node in reversed(self.graph.nodes) if node.key not in keys]
        return [account for key in keys for account in self.accounts(key, step)]

    def accounts(self, key, step):
        """The accounts of one node, one for each of its outputs."""
        return [self._account((key, k), step) for k in range(self.graph.nodes[key].outputs)]

    def _account(self, target, step):
        every = self._arrivals.get(target, [])
        entries = [entry for entry in every if entry[0] <= step]
        used = [value for at, value in self._uses.get(target, []) if at <= step]
        total = self._total(entries)
        right = self.right._total(self.right._arrivals.get(target, []))
        judged = [value for value in used[-1:] if value is not None]
        if entries and len(entries) == len(every) and not self.cut_off:
            judged.append(total)
        wrong = self is not self.right and any(not same(value, right) for value in judged)
        listed = tuple(
            Contribution(source, value, self.mode != "overwrite" or k == len(entries), at)
            for k, (at, source, value) in enumerate(entries, 1)
        )
        return Account(self.graph.refer(target), listed, total, right, len(every), wrong)

    @_once_a_step
    def waiting(self, step):
        """What has yet to run, in the order in which it will: a list of `Waiting`."""
        moments = {}  # of each node: after which visits something arrived
        for (key, _), entries in self._arrivals.items():
            moments.setdefault(key, []).extend(at for at, _, _ in entries)
        return [
            Waiting(self.graph.nodes[visit.key].name,
                    sum(at <= step for at in moments[visit.key]), len(moments[visit.key]))
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

    @functools.cached_property
    def _arrivals(self):
        """{place: [(number of the visit, who sent it, gradient)]}."""
        arrivals = {self.graph.root: [(0, "v", self.v)]}
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

    # --- in words --------------------------------------------------------------------------------

    @_once_a_step
    def log_line(self, step):
        """One step in one sentence."""
        node = self.node_at(step)
        if node.is_leaf:
            text = f"{node.name}.grad = {self.received_line(step)}"
        else:
            parts = [f"to {p.to}: {p.formula} = {amount(p.value)}" for p in self.sent(step)]
            told = "; ".join(parts) or "sends nothing"
            text = f"{node.title}: v = {self.received_line(step)}; {told}"
        for account in self.accounts(node.key, step):
            if account.wrong:
                text += f"  WRONG, should be {amount(account.right)}"
        return text

    def received_line(self, step):
        """What arrived at the node of a step: "2 = 1 from y + 1 from z"."""
        visit = self.visits[step - 1]
        accounts = self.accounts(visit.key, step - 1)
        texts = [self._sum_text(*both) for both in zip(accounts, visit.received)]
        if len(texts) == 1:
            return texts[0]
        return "; ".join(f"[{slot}]: {text}" for slot, text in enumerate(texts))

    def _sum_text(self, account, value):
        entries = [f"{amount(entry.value)} from {entry.source}" for entry in account.contributions]
        if value is None:
            return "nothing"
        if len(entries) == 1:
            return f"{amount(value)} from {account.contributions[0].source}"
        if self.mode == "overwrite":
            lost = ", ".join(entries[:-1])
            return f"{amount(value)} from {account.contributions[-1].source} (overwritten: {lost})"
        joined = " + ".join(entries)
        if not same(account.total, value):
            return f"{amount(value)}, changed by a hook from {joined}"
        return f"{amount(value)} = {joined}"

    def queue(self, step):
        """[(name, how much has arrived)] of what waits, in order, and how many more wait."""
        waiting, told = self.waiting(step), []
        for one in waiting[:MAX_LISTED]:
            count = f"{one.arrived} of {one.expected}"
            count = "ready" if one.ready and one.expected == 1 else count + ", ready" * one.ready
            # Recursion waits for nothing.
            told.append((one.name, "" if self.mode == "naive recursion" else count))
        return told, max(0, len(waiting) - MAX_LISTED)

    def queue_line(self, step):
        """ "t1 (ready), b (1 of 2)": what waits, in order, and how much of it has arrived."""
        told, more = self.queue(step)
        texts = [name + (f" ({arrived})" if arrived else "") for name, arrived in told]
        return ", ".join(texts + [f"… {more} more"] * bool(more)) or "nothing: the pass is done"

    def verdict(self):
        """One sentence about a wrong pass as a whole; "" about the engine's."""
        if self.mode == "ordered":
            return ""
        if self.cut_off:
            return (f"Recursion would visit nodes {self.cut_off:,} times; the first {self.steps} "
                    "visits are shown.")
        right, ours = self.right.leaf_grads(self.right.steps), self.leaf_grads(self.steps)
        wrong = [
            f"{name}.grad ends as {amount(ours[name])}, right is {amount(right[name])}"
            for name in right if not same(ours[name], right[name])
        ]
        if wrong:
            return "; ".join(wrong) + "."
        if self.mode == "overwrite":
            return "Here overwriting does no harm: no node receives more than one contribution."
        return "Here recursion does no harm: no computed node is reached twice."


def same(first, second):
    """Whether two gradients agree; None is nothing that arrived."""
    if first is None or second is None:
        return first is second
    return agreement.agree(first, second)
