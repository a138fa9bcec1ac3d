"""The backward stepper: a backward pass, one node a step, forward and back in time.

The model runs a small program with minigrad, watches its real backward pass, and replays what it
heard: what arrived at each node, by which local rule it was sent on, and what waits. Beside it
stand two passes that are wrong on purpose (`passes`), and PyTorch's gradients of the leaves as a
check.

It is complete without ipywidgets; `views/stepper.py` only draws it.
"""

import functools
from dataclasses import dataclass, field

import numpy as np

from .. import agreement, engines, recorded
from ..formatting import indices, shape, wrapped
from ..numbers import Refused, read_array, read_number
from . import passes
from .base import Model, action, index_in, one_of
from .local_rules import amount, in_numbers, in_symbols
from .program_graph import Program, leaf_names, read_program, record_program, run_program
from .stepper_examples import EXAMPLES, Example, find

MODES = {
    "ordered": "The engine's pass: a node runs once, when all that will arrive has arrived.",
    "naive recursion": "Wrong: each node calls its operands at once, and sends its whole sum again "
    "each time it is called.",
    "overwrite": "Wrong: a contribution replaces the one before it, = instead of +=.",
}
BUTTONS = ("ones", "example", "zero")
YOURS = "your program"
MAX_LISTED = 12  # of what waits, in one line
DEFAULT = "3a+2b²+log c"
_NOT_RECORDED = "PyTorch is not installed here, and its answer is not recorded."


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


@dataclass(frozen=True)
class TorchAnswer:
    """PyTorch's leaf gradients. source: "live", "stored", "loading", "missing", or "error"."""

    source: str
    grads: dict | None = None
    text: str = ""


@dataclass(frozen=True)
class _Shown:
    """One consistent state: the graph, the seed, and all three passes with it."""

    example: Example
    program: Program
    graph: object
    seed: np.ndarray
    visits: dict  # {mode: list of passes.Visit}
    torch_answers: dict = field(default_factory=dict)
    pages: dict = field(default_factory=dict)  # what was computed for (what, mode, step), kept


def _kept(method):
    """A function of (mode, step) of what is shown: computed once."""

    @functools.wraps(method)
    def look(self, step=None):
        step = self.step if step is None else step
        place = (method.__name__, self.mode, step)
        if place not in self._shown.pages:
            self._shown.pages[place] = method(self, step)
        return self._shown.pages[place]

    return look


class BackwardStepper(Model):
    """The model of the backward stepper.

    what: the name of an example (see `BackwardStepper.examples()`), or a program of your own: a
        function that returns one tensor, or calls `backward` on one. It takes `torch` first if it
        needs torch's names, then one tensor for each of `inputs`: `lambda x, y: x * y`.
    inputs: the values of these tensors, numbers or nested lists; each becomes a leaf.
    v: the upstream gradient of the result, the seed; else the example's, the program's, or ones.
    mode: "ordered", "naive recursion" or "overwrite".

    A program that cannot be shown is refused in `message`, and an example is shown in its place.
    Nothing that a learner types raises: it is refused, and everything else stays as it was.
    """

    def __init__(self, what=DEFAULT, *inputs, v=None, mode="ordered"):
        super().__init__()
        self.mode = one_of(mode, MODES, "mode")
        self.step = 0  # how many nodes have run
        self.playing = False
        if isinstance(what, str) and not inputs:
            self._load(what)
        else:
            self._run_own(what, inputs)
        if not hasattr(self, "_shown"):
            refusal = self.message
            self._open(EXAMPLES[DEFAULT])
            self._refuse("program", f"{refusal} The example {DEFAULT} is shown instead.")
        elif v is not None:
            self._set_seed("seed", lambda: read_array(v))

    @staticmethod
    def examples():
        """The names of the programs that can be loaded."""
        return list(EXAMPLES)

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def load(self, name):
        """Load an example by name, or "your program" again."""
        self._load(name)

    @action
    def run(self, program, *inputs, v=None):
        """Step through a program of your own. v: its upstream gradient, else its own, or ones."""
        self._run_own(program, inputs)
        if self.message is None and v is not None:
            self._set_seed("seed", lambda: read_array(v))

    @action
    def set_mode(self, mode):
        """Choose who goes backward: "ordered", "naive recursion" or "overwrite"."""
        self.mode = one_of(mode, MODES, "mode", "mode")
        self.step, self.playing = 0, False

    @action
    def set_seed(self, value):
        """Set all of v, the root's upstream gradient: text as typed, nested lists, or a tensor."""
        self._set_seed("seed", lambda: read_array(value))

    @action
    def set_seed_entry(self, index, value):
        """Set one weight of v; index as in Python, (0, 1) or 2, () for a scalar."""
        index = index_in(index, self._shown.seed.shape, "seed")

        def change():
            seed = self._shown.seed.copy()
            seed[index] = read_number(value)
            return seed

        self._set_seed(("seed", index), change)

    @action
    def press(self, button):
        """Press a button for v: "ones", "zero", or "example" (the first v of this program)."""
        button = one_of(button, BUTTONS, "button", "seed")
        sizes = self._shown.seed.shape
        values = {"ones": np.ones(sizes), "zero": np.zeros(sizes), "example": self._first_seed}
        self._set_seed("seed", lambda: values[button])

    @action
    def forward(self):
        """One step: the next node runs."""
        self._go(self.step + 1)

    @action
    def back(self):
        """One step back in time."""
        self._go(self.step - 1)

    @action
    def first(self):
        """Back to the start: only the seed is there."""
        self._go(0)

    @action
    def last(self):
        """On to the end of the pass."""
        self._go(self.steps)

    @action
    def go(self, step):
        """Go to the moment when `step` nodes have run."""
        with self._at("step"):
            self._go(int(read_number(step)))

    @action
    def play(self):
        """Start stepping by itself, or stop. From the end it starts anew."""
        self.playing = not self.playing
        if self.playing and self.step == self.steps:
            self.step = 0

    @action
    def tick(self):
        """While playing: one step; stops at the end."""
        if self.playing:
            self.step = min(self.step + 1, self.steps)
            self.playing = self.step < self.steps

    # --- what it shows ---------------------------------------------------------------------------

    @property
    def example(self):
        """The program that is loaded: its name, formula and note."""
        return self._shown.example

    @property
    def graph(self):
        """The recorded graph: `.nodes`, operands first."""
        return self._shown.graph

    @property
    def root(self):
        """The node at which the pass starts."""
        return self.graph.nodes[self.graph.root[0]]

    @property
    def visits(self):
        """What happens in the pass of this mode, a `passes.Visit` for each step."""
        return self._shown.visits[self.mode]

    @property
    def steps(self):
        """How many steps the pass of this mode takes."""
        return len(self.visits)

    @property
    def seed(self):
        """v, the upstream gradient of the root, as nested lists."""
        return self._shown.seed.tolist()

    @property
    def seed_shape(self):
        return self._shown.seed.shape

    @property
    def current(self):
        """The node that ran last, or None at the start."""
        return self.graph.nodes[self.visits[self.step - 1].key] if self.step else None

    @property
    def received(self):
        """What had arrived at the current node: its upstream gradient, as nested lists."""
        return _listed(self.visits[self.step - 1].received) if self.step else None

    @property
    def order(self):
        """The names of the nodes in the order in which this pass visits them."""
        return [self.graph.nodes[visit.key].name for visit in self.visits]

    @_kept
    def sent(self, step=None):
        """What the current step (or another) sends: a `Part` for each operand."""
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

    @_kept
    def ledger(self, step=None):
        """The accounts of all nodes so far, as the engine meets them: a list of `Account`."""
        return [self._account(target, step) for target in self._places()]

    def account(self, name, step=None):
        """The account of one node, by its name."""
        return next(account for account in self.ledger(step) if account.name == name)

    def _account(self, target, step):
        """The account of one place (key, slot) after `step` visits."""
        arrivals, uses = self._timeline(self.mode)
        every = arrivals.get(target, [])
        entries = [entry for entry in every if entry[0] <= step]
        last = next((value for at, value in reversed(uses.get(target, [])) if at <= step), None)
        total = _total(entries, self.mode)
        right = _total(self._timeline("ordered")[0].get(target, []), "ordered")
        judged = [last] if last is not None else []
        if entries and len(entries) == len(every) and not self.cut_off:
            judged.append(total)
        wrong = self.mode != "ordered" and any(not _same(value, right) for value in judged)
        listed = tuple(
            Contribution(source, value, self.mode != "overwrite" or k == len(entries))
            for k, (_, source, value) in enumerate(entries, 1)
        )
        return Account(self.graph.refer(target), listed, total, right, len(every), last, wrong)

    @_kept
    def waiting(self, step=None):
        """What has yet to run, in the order in which it will: a list of `Waiting`."""
        arrivals, _ = self._timeline(self.mode)
        moments = {}  # of each node: after which visits something arrived
        for (key, _), entries in arrivals.items():
            moments.setdefault(key, []).extend(at for at, _, _ in entries)
        return [
            Waiting(
                self.graph.nodes[visit.key].name,
                sum(at <= step for at in moments[visit.key]),
                len(moments[visit.key]),
            )
            for visit in self.visits[step:]
        ]

    @property
    def leaf_grads(self):
        """{leaf: .grad so far, as nested lists, None before the first visit}, in this mode."""
        grads = dict.fromkeys(leaf.name for leaf in self.graph.leaves)
        for visit in self.visits[: self.step]:
            node = self.graph.nodes[visit.key]
            if node.is_leaf:
                grads[node.name] = visit.received[0].tolist()
        return grads

    def final_grads(self, mode=None):
        """{leaf: array}: what a whole pass leaves in `.grad`; None where nothing arrived."""
        grads = dict.fromkeys(leaf.name for leaf in self.graph.leaves)
        for visit in self._shown.visits[mode or self.mode]:
            node = self.graph.nodes[visit.key]
            if node.is_leaf:
                grads[node.name] = visit.received[0]
        return grads

    @property
    def wrong(self):
        """The names of the nodes that are marked in the ledger now."""
        return [account.name for account in self.ledger() if account.wrong]

    @property
    def cut_off(self):
        """How many visits recursion would make, if not all of them are shown; else 0."""
        if self.mode != "naive recursion" or self.steps < passes.MAX_VISITS:
            return 0
        visits = passes.visits_of_recursion(self.graph)
        return visits if visits > self.steps else 0

    # --- PyTorch ---------------------------------------------------------------------------------

    def torch_answer(self, wait=False):
        """PyTorch's leaf gradients for this program and seed; wait=True imports torch."""
        shown = self._shown
        torch = engines.torch_now() if wait else engines.torch_if_loaded()
        if torch is not None:
            if "live" not in shown.torch_answers:
                shown.torch_answers["live"] = self._live_answer(torch)
            return shown.torch_answers["live"]
        stored = self.stored_answer()
        if stored.source == "missing" and not wait and engines.torch_installed():
            return TorchAnswer("loading", None, "loading PyTorch …")
        return stored

    def stored_answer(self):
        """PyTorch's recorded leaf gradients; only the examples are recorded."""
        rows, version = recorded.answer("stepper", self.example.name)
        if rows is None or self.example is self.own:
            return TorchAnswer("missing", None, _NOT_RECORDED)
        grads = {}
        for leaf in self.graph.leaves:
            total = self._shown.seed.ravel() @ np.array(rows[leaf.name], dtype=float)
            grads[leaf.name] = total.reshape(leaf.value.shape)
        return TorchAnswer("stored", grads, f"stored from torch {version}")

    def comparison(self, answer):
        """{leaf: (agrees, text)}: this mode's final gradients beside PyTorch's."""
        found = {}
        for name, ours in self.final_grads().items():
            theirs = answer.grads.get(name)
            if ours is None or theirs is None:
                found[name] = (ours is None and theirs is None, "nothing arrived")
                continue
            agreed = agreement.agree(ours, theirs)
            difference = agreement.difference_text(ours, theirs, agreed)
            found[name] = (agreed, f"largest difference {difference}")
        return found

    def _live_answer(self, torch):
        shown = self._shown
        try:
            run = run_program(torch, shown.program)
            leaves = leaf_names(run)
            for leaf in leaves.values():
                leaf.grad = None
            run.root.backward(torch.tensor(shown.seed.tolist(), dtype=torch.float32))
            grads = {
                name: None if leaf.grad is None else np.array(leaf.grad.tolist())
                for name, leaf in leaves.items()
            }
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".split("\n")[0]
            return TorchAnswer("error", None, f"PyTorch could not run this program: {reason}")
        if set(grads) != {leaf.name for leaf in self.graph.leaves}:
            return TorchAnswer("error", None, "PyTorch found other leaves in this program.")
        return TorchAnswer("live", grads, f"torch {engines.version(torch)}, live")

    # --- in words --------------------------------------------------------------------------------

    def queue_line(self, step=None):
        """ "t1 (ready), b (1 of 2)": what waits, in order, and how much of it has arrived."""
        waiting = self.waiting(step)
        if not waiting:
            return "nothing: the pass is done"
        if self.mode == "naive recursion":  # it waits for nothing
            texts = [entry.name for entry in waiting[:MAX_LISTED]]
        else:
            texts = [
                entry.name
                + (" (ready)" if entry.ready else f" ({entry.arrived} of {entry.expected})")
                for entry in waiting[:MAX_LISTED]
            ]
        more = len(waiting) - MAX_LISTED
        return ", ".join(texts) + (f", … {more} more" if more > 0 else "")

    def received_line(self, step):
        """What arrived at the node of a step: "2 = 1 + 1"."""
        visit = self.visits[step - 1]
        texts = []
        for slot, value in enumerate(visit.received):
            account = self._account((visit.key, slot), step - 1)
            texts.append(_sum_text(account, value, self.mode))
        if len(texts) == 1:
            return texts[0]
        return "; ".join(f"[{slot}]: {text}" for slot, text in enumerate(texts))

    @_kept
    def log_line(self, step=None):
        """One step in one sentence."""
        node = self.graph.nodes[self.visits[step - 1].key]
        received = self.received_line(step)
        if node.is_leaf:
            text = f"{node.name}.grad = {received}"
        else:
            parts = [_part_text(part) for part in self.sent(step)]
            text = f"{node.title}: v = {received}; " + ("; ".join(parts) or "sends nothing")
        key = self.visits[step - 1].key
        for slot in range(node.outputs):
            account = self._account((key, slot), step)
            if account.wrong:
                text += f"  WRONG, should be {amount(account.right)}"
        return text

    def log_lines(self, step=None):
        """The text log of all steps, or of the first `step`."""
        return [self.log_line(k + 1) for k in range(self.steps if step is None else step)]

    def verdict(self):
        """One sentence about this pass as a whole, for the wrong modes; else ""."""
        if self.mode == "ordered":
            return ""
        if self.cut_off:
            return (
                f"Recursion would visit nodes {self.cut_off:,} times; the first {self.steps} "
                "visits are shown."
            )
        right, ours = self.final_grads("ordered"), self.final_grads()
        wrong = [
            f"{name}.grad ends as {amount(ours[name])}, right is {amount(right[name])}"
            for name in right
            if not _same(ours[name], right[name])
        ]
        if wrong:
            return "; ".join(wrong) + "."
        if self.mode == "overwrite":
            return "Here overwriting does no harm: no node receives more than one contribution."
        return "Here recursion does no harm: no computed node is reached twice."

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message}"
        if not self.step:
            return f"Start. {amount(self._shown.seed)} waits at {self.root.name}."
        line = self.log_line(self.step)
        return f"Step {self.step} of {self.steps}. {line}. Waiting: {self.queue_line()}."

    def state(self):
        """Everything the stepper shows, as plain values."""
        return {
            "example": self.example.name,
            "formula": self.example.formula,
            "mode": self.mode,
            "step": self.step,
            "steps": self.steps,
            "seed": self.seed,
            "current": self.current and self.current.name,
            "received": self.received,
            "sent": [
                (part.to, part.symbols, part.numbers, part.value.tolist()) for part in self.sent()
            ],
            "ledger": {
                account.name: (
                    [(c.source, c.value.tolist()) for c in account.contributions],
                    _listed((account.total,)),
                    account.wrong,
                )
                for account in self.ledger()
            },
            "waiting": [entry.name for entry in self.waiting()],
            "leaf_grads": self.leaf_grads,
            "message": self.message,
            "refused_at": self.refused_at,
        }

    def lines(self, answer=None):
        """The stepper as text: forward values, all steps, and the check. answer: PyTorch's side."""
        rows = [wrapped("", f"Backward stepper, {self.example.name}: {self.example.formula}")]
        rows.append(wrapped("mode      ", f"{self.mode}. {MODES[self.mode]}"))
        forward = "; ".join(
            f"{node.title} = {amount(node.value)}"
            if node.is_leaf
            else f"{node.title} → {amount(node.value)}"
            for node in self.graph.nodes
        )
        rows.append(wrapped("forward   ", forward))
        rows.append(
            wrapped(
                "v         ",
                f"{amount(self._shown.seed)}, the upstream gradient of "
                f"{self.root.name}, shape {shape(self.seed_shape)}",
            )
        )
        width = len(str(self.steps))
        for step, line in enumerate(self.log_lines(), 1):
            rows.append(wrapped(f"{step:>{width}}. ", line))
            rows.append(wrapped(" " * (width + 2) + "waiting: ", self.queue_line(step)))
        if self.verdict():
            rows.append(wrapped("", self.verdict()))
        answer = answer or self.torch_answer(wait=True)
        if answer.grads is None:
            rows.append(wrapped("check     ", answer.text))
        else:
            for name, (agrees, text) in self.comparison(answer).items():
                ours, theirs = self.final_grads()[name], answer.grads[name]
                sign = "=" if agrees else "≠"
                rows.append(
                    wrapped(
                        "check     ",
                        f"{name}.grad: here {amount(ours)} {sign} PyTorch "
                        f"{amount(theirs)}, {text}"
                        + (f" ({answer.text})" if answer.source == "stored" else ""),
                    )
                )
        if self.message:
            rows.append(wrapped("refused: ", self.message))
        return "\n".join(rows).split("\n")

    def __repr__(self):
        return "\n".join(self.lines())

    # --- inside ----------------------------------------------------------------------------------

    def _places(self):
        """(key, slot) of all nodes, in the order of the engine's visits; the rest after."""
        keys = [visit.key for visit in self._shown.visits["ordered"]]
        keys += [node.key for node in reversed(self.graph.nodes) if node.key not in keys]
        return [(key, slot) for key in keys for slot in range(self.graph.nodes[key].outputs)]

    def _timeline(self, mode):
        """What happens to each place (key, slot) in a pass, with the number of the visit:

        {place: [(visit, source, gradient that arrives)]} and {place: [(visit, total it ran with)]}.
        """
        if mode not in self._shown.pages:
            arrivals, uses = {self.graph.root: [(0, "seed", self._shown.seed)]}, {}
            for number, visit in enumerate(self._shown.visits[mode], 1):
                source = self.graph.nodes[visit.key].name
                for slot, value in enumerate(visit.received):
                    uses.setdefault((visit.key, slot), []).append((number, value))
                for _, target, gradient in visit.sent:
                    arrivals.setdefault(target, []).append((number, source, gradient))
            self._shown.pages[mode] = arrivals, uses
        return self._shown.pages[mode]

    def _go(self, step):
        self.playing = False
        self.step = max(0, min(step, self.steps))

    def _load(self, name):
        example = self.own if self.own and name == self.own.name else find(name)
        if example is None:
            known = ", ".join(EXAMPLES)
            return self._refuse("example", f"There is no example {name!r}. Known are: {known}.")
        self._open(example)

    def _run_own(self, function, inputs):
        formula = getattr(function, "__name__", type(function).__name__)
        self._open(Example(YOURS, formula, function, inputs, None), own=True)

    def _open(self, example, own=False):
        """Run a program and its passes; only when all went well, replace what is shown."""
        program = None
        try:
            program = read_program(example.function, example.inputs)
            graph = record_program(program)
            seed = np.ones(tuple(graph.run.root.shape))
            if example.v is not None:
                seed = read_array(example.v)
            elif graph.run.called:
                seed = _called_with(graph.run, seed)
            if own:
                example = Example(
                    YOURS, _own_formula(graph), example.function, example.inputs, None
                )
            shown = _all_passes(_Shown(example, program, graph, _single(seed), {}))
        except Refused as refusal:
            return self._refuse("program", str(refusal))
        except Exception as error:
            reason = str(error) or "no reason given"
            hint = program.hint if program else ""
            kind = type(error).__name__
            return self._refuse(
                "program", f"The program stopped with {kind}: {reason.rstrip('.')}.{hint}"
            )
        if own:
            self.own = example
        self._shown, self._first_seed = shown, shown.seed
        self.step, self.playing = 0, False

    def _set_seed(self, place, change):
        try:
            seed = _single(change())
            self._shown = _all_passes(
                _Shown(self.example, self._shown.program, self.graph, seed, {})
            )
        except Refused as refusal:
            return self._refuse(place, str(refusal))
        except Exception as error:  # PyTorch's own words
            return self._refuse(place, str(error) or type(error).__name__, "engine")
        self.step = min(self.step, self.steps)


def recorded_answers(torch):
    """{example: {leaf: [its .grad for each one-hot upstream gradient, flat]}}, by torch."""
    answers = {}
    for name, example in EXAMPLES.items():
        program = read_program(example.function, example.inputs)
        rows = {}
        for index in indices(tuple(run_program(torch, program).root.shape)):
            run = run_program(torch, program)
            one_hot = torch.zeros_like(run.root)
            one_hot[index] = 1.0
            run.root.backward(one_hot)
            for leaf, tensor in leaf_names(run).items():
                rows.setdefault(leaf, []).append(tensor.grad.reshape(-1).tolist())
        answers[name] = rows
    return answers


def _all_passes(shown):
    graph, seed = shown.graph, shown.seed
    right = passes.ordered(graph, seed)
    shown.visits.update(
        {
            "ordered": right,
            "naive recursion": passes.recursing(graph, seed),
            "overwrite": passes.overwriting(graph, seed, [visit.key for visit in right]),
        }
    )
    return shown


def _called_with(run, ones):
    """The upstream gradient with which the program called backward; the engine refuses bad ones."""
    if isinstance(run.gradient, engines.minigrad.Tensor):
        return read_array(run.gradient)
    if run.gradient is not None or ones.size != 1:
        run.root.backward(run.gradient, retain_graph=True)
    return ones


def _own_formula(graph):
    """The program line by line, as far as it fits: "b = a + a; c = b + b"."""
    text = "; ".join(node.title for node in graph.nodes if not node.is_leaf)
    return text if len(text) <= 80 else text[:79] + "…"


def _single(values):
    """The values that float32 will hold."""
    return np.array(values, dtype=np.float32)


def _total(entries, mode):
    """What the contributions make: their sum, or in overwriting the last of them."""
    if not entries:
        return None
    if mode == "overwrite":
        return entries[-1][-1]
    total = entries[0][-1]
    for _, _, value in entries[1:]:
        total = np.asarray(total + value)
    return total


def _same(first, second):
    if first is None or second is None:
        return first is second
    return agreement.agree(first, second)


def _listed(received):
    """Arrays as nested lists; of several outputs a list with one entry for each."""
    lists = [None if value is None else value.tolist() for value in received]
    return lists[0] if len(lists) == 1 else lists


def _sum_text(account, value, mode):
    """ "4 = 2 + 2", "1 (the seed)": what arrived and what it makes."""
    entries = account.contributions
    if value is None:
        return "nothing"
    if len(entries) == 1:
        return f"{amount(value)} from {_source(entries[0])}"
    if mode == "overwrite":
        lost = ", ".join(f"{amount(entry.value)} from {entry.source}" for entry in entries[:-1])
        return f"{amount(value)} from {entries[-1].source} (overwritten: {lost})"
    joined = " + ".join(f"{amount(entry.value)} from {entry.source}" for entry in entries)
    if not _same(account.total, value):
        return f"{amount(value)}, changed by a hook from {joined}"
    return f"{amount(value)} = {joined}"


def _source(entry):
    return "the seed" if entry.source == "seed" else entry.source


def _part_text(part):
    numbers = f" = {part.numbers}" if part.numbers and part.numbers != amount(part.value) else ""
    if part.numbers and _plain(part.numbers) == part.symbols:
        numbers = ""
    note = f", {part.note}," if part.note else ""
    return f"to {part.to}: {part.symbols}{numbers}{note} = {amount(part.value)}"


def _plain(text):
    return text.replace("(", "").replace(")", "")
