"""Backward passes, looked at after any of their steps: what had arrived, what ran, what waits.

A pass is a list of visits to nodes: what the engine really did, as its watcher hears it, and two
passes that are wrong on purpose. These use the engine's own local rules (`graph.pull`), too; wrong
is only how they order the visits or put contributions together. A step is a number of visits: at
step 0 only v is there.
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from minigrad.autograd import watch

from ...compare import engines
from ...compare.agreement import agree
from ...show.drawing.formulas import amount, in_numbers, in_symbols
from ...show.formatting import shape

MODES = {
    "ordered": "The engine's pass: a node runs once, when all that will arrive has arrived.",
    "naive recursion": "Each node calls its operands at once, every time with all it has so far.",
    "overwrite": "A contribution replaces the one before it: = instead of +=.",
}
MAX_LISTED = 12  # of what waits, in one line
MAX_VISITS = 200  # recursion may visit a node very often: more are counted, not shown

# One node runs. received: what arrived, one entry for each of the node's outputs; sent: (place of
# the operand, target as (key, slot), gradient), where there is one.
Visit = namedtuple("Visit", "key received sent", defaults=((),))
# One gradient that arrived at a node, from `source`, a node's name or "v".
Contribution = namedtuple("Contribution", "source value step")
# A node that has yet to run: how many gradients have arrived at it, of how many.
Waiting = namedtuple("Waiting", "name arrived expected")
# A node's page of the ledger: what arrived so far and what it makes. right: the sum in the engine's
# pass, when all has arrived; expected: how many contributions this pass brings in all; wrong:
# whether the total, or what a node ran with, is not the right one.
Account = namedtuple("Account", "name contributions total right expected wrong")


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
        numbers = f" = {self.numbers}" if telling else ""
        return self.symbols + numbers + (f", {self.note}," if self.note else "")


class Replay:
    """One pass. right: the engine's pass with the same v, by which it is judged."""

    def __init__(self, mode, graph, v, visits, right=None):
        self.mode, self.graph, self.visits = mode, graph, visits
        self.right = right or self
        self.steps = len(visits)
        self._entries = {graph.root: [Contribution("v", v, 0)]}  # {place: what arrives there}
        for step, visit in enumerate(visits, 1):
            source = graph.nodes[visit.key].name
            for _, target, value in visit.sent:
                self._entries.setdefault(target, []).append(Contribution(source, value, step))
        self.accounts = cache(self._accounts)  # a drawing asks for each several times

    @cached_property
    def cut_off(self):
        """How many visits recursion would make, if not all of them are shown; else 0."""
        visits = visits_of_recursion(self.graph) if self.mode == "naive recursion" else 0
        return visits if visits > self.steps else 0

    def node_at(self, step):
        """The node that runs at a step; None at step 0."""
        return self.graph.nodes[self.visits[step - 1].key] if step else None

    @cached_property
    def largest(self):
        """The largest finite number that arrives anywhere in the pass."""
        every = [
            g for visit in self.visits for g in (*visit.received, *(g for *_, g in visit.sent))
        ]
        numbers = np.concatenate([g.ravel() for g in every if g is not None])
        return float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))

    def sent(self, step):
        """What a step sends: a `Part` for each operand."""
        visit = self.visits[step - 1] if step else None
        return [self._part(visit, *one) for one in visit.sent] if visit else []

    def _part(self, visit, place, target, value):
        node, note = self.graph.nodes[visit.key], ""
        numbers = in_numbers(node, place, visit.received)
        if numbers and visit.received[0].shape != value.shape and "@" not in numbers:
            note = f"then summed to the operand's shape {shape(value.shape)}"
        return Part(self.graph.refer(target), in_symbols(node, place), numbers, value, note)

    def ledger(self, step):
        """The accounts of all nodes, as the engine meets them: a list of `Account`."""
        keys = dict.fromkeys(visit.key for visit in self.right.visits)
        keys |= dict.fromkeys(node.key for node in reversed(self.graph.nodes))
        return [account for key in keys for account in self.accounts(key, step)]

    def _accounts(self, key, step):
        """The accounts of one node, one for each of its outputs."""
        return [self._account((key, k), step) for k in range(self.graph.nodes[key].outputs)]

    def _account(self, target, step):
        key, slot = target
        every = self._entries.get(target, [])
        entries = tuple(entry for entry in every if entry.step <= step)
        total, right = self._total(entries), self.right._total(self.right._entries.get(target, ()))
        ran = [visit.received[slot] for visit in self.visits[:step] if visit.key == key]
        judged = [value for value in ran[-1:] if value is not None]
        if entries and len(entries) == len(every) and not self.cut_off:
            judged.append(total)
        wrong = self is not self.right and not all(agree(value, right) for value in judged)
        return Account(self.graph.refer(target), entries, total, right, len(every), wrong)

    def _total(self, entries):
        """What the contributions make: their sum, or in overwriting the last of them."""
        if not entries:
            return None
        if self.mode == "overwrite":
            return entries[-1].value
        return np.asarray(sum(entry.value for entry in entries))

    def waiting(self, step):
        """What has yet to run, in the order in which it will: a list of `Waiting`."""
        return [self.arrivals(visit.key, step) for visit in self.visits[step:]]

    def arrivals(self, key, step):
        """How far a node is from running, a `Waiting`."""
        accounts = self.accounts(key, step)
        arrived = sum(len(one.contributions) for one in accounts)
        expected = sum(one.expected for one in accounts)
        return Waiting(self.graph.nodes[key].name, arrived, expected)

    def leaf_grads(self, step=None):
        """{leaf: array}: what so many steps, or all, leave in `.grad`; None where nothing came."""
        grads = dict.fromkeys(leaf.name for leaf in self.graph.leaves)
        for visit in self.visits[:step]:
            node = self.graph.nodes[visit.key]
            if node.is_leaf:
                grads[node.name] = visit.received[0]
        return grads

    @cached_property
    def log(self):
        """All steps, a sentence each: the text, the log and the announcements tell these."""
        return [self._sentence(step) for step in range(1, self.steps + 1)]

    def _sentence(self, step):
        node = self.node_at(step)
        if node.is_leaf:
            text = f"{node.name}.grad = {self.received_line(step)}"
        else:
            parts = [f"to {p.to}: {p.formula} = {amount(p.value)}" for p in self.sent(step)]
            sent = "; ".join(parts) or "sends nothing"
            text = f"{node.title}: v = {self.received_line(step)}; {sent}"
        for account in self.accounts(node.key, step):
            if account.wrong:
                text += f"  WRONG, should be {amount(account.right)}"
        return text

    def received_line(self, step):
        """What arrived at the node of a step: "2 = 1 from y + 1 from z"."""
        visit = self.visits[step - 1]
        accounts = self.accounts(visit.key, step - 1)
        texts = [self._sum_text(*both) for both in zip(accounts, visit.received)]
        several = len(texts) > 1
        return "; ".join(f"[{k}]: " * several + text for k, text in enumerate(texts))

    def _sum_text(self, account, value):
        if value is None:
            return "nothing"
        *others, last = [f"{amount(one.value)} from {one.source}" for one in account.contributions]
        source = account.contributions[-1].source
        if not others:
            return f"{amount(value)} from {source}"
        if self.mode == "overwrite":
            return f"{amount(value)} from {source} (overwritten: {', '.join(others)})"
        changed = "" if agree(account.total, value) else ", changed by a hook from"
        return f"{amount(value)}{changed or ' ='} {' + '.join([*others, last])}"

    def queue(self, step):
        """[(name, how much has arrived)] of what waits, in order; of many the first ones."""
        waiting, queue = self.waiting(step), []
        for name, arrived, expected in waiting[:MAX_LISTED]:
            count = f"{arrived} of {expected}"
            if arrived >= expected:
                count = "ready" if expected == 1 else f"{count}, ready"
            queue.append((name, "" if self.mode == "naive recursion" else count))
        more = len(waiting) - len(queue)
        return [*queue, (f"… {more} more", "")] if more else queue

    def queue_line(self, step):
        """ "t1 (ready), b (1 of 2)": what waits, in order, and how much of it has arrived."""
        texts = [name + (f" ({arrived})" if arrived else "") for name, arrived in self.queue(step)]
        return ", ".join(texts) or "nothing: the pass is done"

    def verdict(self):
        """One sentence about a wrong pass as a whole; "" about the engine's."""
        if self.mode == "ordered":
            return ""
        if self.cut_off:
            return (
                f"Recursion would visit nodes {self.cut_off:,} times; the first {self.steps} "
                "visits are shown."
            )
        right, ours = self.right.leaf_grads(), self.leaf_grads()
        wrong = [
            f"{name}.grad ends as {amount(ours[name])}, right is {amount(right[name])}"
            for name in right
            if not agree(ours[name], right[name])
        ]
        if wrong:
            return "; ".join(wrong) + "."
        if self.mode == "overwrite":
            return "Here overwriting does no harm: no node receives more than one contribution."
        return "Here recursion does no harm: no computed node is reached twice."


# --- the three passes ---------------------------------------------------------------------------


def replays(graph, root, v):
    """{mode: Replay} of the engine's pass and of the two wrong ones."""
    right = Replay("ordered", graph, v, ordered(graph, root, v))
    order = [visit.key for visit in right.visits]
    return {
        "ordered": right,
        "naive recursion": Replay("naive recursion", graph, v, recursing(graph, v), right),
        "overwrite": Replay("overwrite", graph, v, overwriting(graph, v, order), right),
    }


def ordered(graph, root, v):
    """What minigrad's `root.backward(v)` does, as its observer hears it. `.grad` is left alone."""
    heard = _Listener(graph)
    held = {leaf: leaf.grad for leaf in map(graph.tensor_of, graph.leaves)}
    try:
        for leaf in held:
            leaf.grad = None
        with watch(heard):
            weights = engines.minigrad.tensor(v.tolist(), dtype=engines.minigrad.float32)
            root.backward(weights, retain_graph=True)
    finally:
        for leaf, grad in held.items():
            leaf.grad = grad
    return heard.visits


class _Listener:
    def __init__(self, graph):
        self.visits, self._graph = [], graph

    def ran(self, node, g, grads):
        key = self._graph.key_of(node)
        if key is not None:
            received = tuple(map(_copy, g if isinstance(g, list) else [g]))
            sent = _addressed(self._graph.nodes[key], map(_copy, grads))
            self.visits.append(Visit(key, received, sent))

    def accumulated(self, leaf, g):
        self.visits.append(Visit(self._graph.key_of(leaf), (_copy(g),)))


def overwriting(graph, v, order):
    """WRONG: keeps the last contribution only, `=` where the engine has `+=`."""
    arrived, visits = {graph.root: v}, []
    for key in order:
        visits.append(_visit(graph, key, arrived))
        for _, target, gradient in visits[-1].sent:
            arrived[target] = gradient
    return visits


def recursing(graph, v):
    """WRONG: goes on to each operand at once, and again each time, with the whole sum."""
    arrived, visits = {graph.root: v}, []

    def backward(key):
        if len(visits) == MAX_VISITS:
            return
        visit = _visit(graph, key, arrived)
        visits.append(visit)
        for _, target, gradient in visit.sent:
            arrived[target] = np.asarray(arrived.get(target, 0) + gradient)
        for _, target, _ in visit.sent:
            backward(target[0])

    backward(graph.root[0])
    return visits


def visits_of_recursion(graph):
    """How many visits `recursing` makes if nobody stops it."""
    below = {}
    for node in graph.nodes:  # operands first
        below[node.key] = 1 + sum(below[target[0]] for target in node.targets if target)
    return below[graph.root[0]]


def _visit(graph, key, arrived):
    node = graph.nodes[key]
    received = tuple(arrived.get((key, slot)) for slot in range(node.outputs))
    return Visit(key, received, _addressed(node, graph.pull(node, received)))


def _addressed(node, grads):
    """Gradients with the place each goes to; those that go nowhere are left out."""
    every = enumerate(zip(node.targets, grads))
    return tuple((place, target, g) for place, (target, g) in every if target and g is not None)


def _copy(g):
    return None if g is None else np.array(g)
