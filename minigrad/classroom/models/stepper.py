"""The backward stepper: a backward pass, one node a step, forward and back in time.

The model runs a small program with minigrad, watches its real backward pass, and replays what it
heard (`replay.py`): what arrived at each node, by which local rule it was sent on, and what waits.
Beside it stand two passes that are wrong on purpose (`passes.py`), and PyTorch's gradients of the
leaves as a check (`stepper_torch.py`).

It is complete without ipywidgets; `views/stepper.py` only draws it.
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import engines
from ..formatting import shape, wrapped
from ..typed_numbers import Refused, read_array, read_number
from . import replay_words as words
from . import stepper_torch
from .base import action, index_in, one_of
from .example_model import ExampleModel
from .local_rules import amount
from .predict import PredictCard
from .program_graph import Program, read_program, record_program
from .replay import MODES, replays
from .source import advice
from .stepper_examples import EXAMPLES, Example, find

BUTTONS = ("ones", "example", "zero")
YOURS = "your program"
DEFAULT = "3a+2b²+log c"


@dataclass(frozen=True)
class _Shown:
    """One consistent state: the graph, the seed, and all three passes with it."""

    example: Example
    program: Program
    graph: object
    seed: np.ndarray
    replays: dict  # {mode: Replay}


class BackwardStepper(ExampleModel):
    """The model of the backward stepper.

    what: the name of an example (see `BackwardStepper.examples()`), or a program of your own: a
        function that returns one tensor, or calls `backward` on one. It takes `torch` first if it
        needs torch's names, then one tensor for each of `inputs`: `lambda x, y: x * y`.
    inputs: the values of these tensors, numbers or nested lists; each becomes a leaf.
    v: the upstream gradient of the result, the seed; else the example's, the program's, or ones.
    mode: "ordered", "naive recursion" or "overwrite".
    predict: True covers the result until a guess is committed or "show me" is asked.

    A program that cannot be shown is refused in `message`, and an example is shown in its place.
    Nothing that a learner types raises: it is refused, and everything else stays as it was.
    """

    known = EXAMPLES

    def __init__(self, what=DEFAULT, *inputs, v=None, mode="ordered", predict=False):
        super().__init__(predict)
        self.mode = one_of(mode, MODES, "mode")
        self.step = 0  # how many nodes have run
        self.playing = False
        self._start(lambda: self._begin(what, inputs), DEFAULT)
        if v is not None and self.message is None:
            self._set_seed("seed", lambda: read_array(v))

    @staticmethod
    def examples():
        """The names of the programs that can be loaded."""
        return list(EXAMPLES)

    @staticmethod
    def title_of(example):
        name, formula = example.name, example.formula
        return name if name == formula else f"{name}:  {formula}"

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def run(self, program, *inputs, v=None):
        """Step through a program of your own. v: its upstream gradient, else its own, or ones."""
        self._open_own(program, inputs)
        if v is not None:
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
        self._check_uncovered()
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
    def replay(self):
        """The pass of this mode, which can be looked at after any step."""
        return self._shown.replays[self.mode]

    @property
    def visits(self):
        """What happens in the pass of this mode, a `passes.Visit` for each step."""
        return self.replay.visits

    @property
    def steps(self):
        """How many steps the pass of this mode takes."""
        return self.replay.steps

    @property
    def order(self):
        """The names of the nodes in the order in which this pass visits them."""
        return self.replay.order

    @property
    def cut_off(self):
        """How many visits recursion would make, if not all of them are shown; else 0."""
        return self.replay.cut_off

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

    def sent(self):
        """What the current step sends: a `Part` for each operand."""
        return self.replay.sent(self.step)

    def ledger(self):
        """The accounts of all nodes so far, as the engine meets them: a list of `Account`."""
        return self.replay.ledger(self.step)

    def account(self, name):
        """The account of one node, by its name."""
        return next(account for account in self.ledger() if account.name == name)

    @property
    def wrong(self):
        """The names of the nodes that are marked in the ledger now."""
        return [account.name for account in self.ledger() if account.wrong]

    def waiting(self):
        """What has yet to run, in the order in which it will: a list of `Waiting`."""
        return self.replay.waiting(self.step)

    @property
    def leaf_grads(self):
        """{leaf: .grad so far, as nested lists, None before the first visit}, in this mode."""
        grads = self.replay.leaf_grads(self.step)
        return {name: None if grad is None else grad.tolist() for name, grad in grads.items()}

    def final_grads(self, mode=None):
        """{leaf: array}: what a whole pass leaves in `.grad`; None where nothing arrived."""
        replay = self._shown.replays[mode or self.mode]
        return replay.leaf_grads(replay.steps)

    # --- PyTorch ---------------------------------------------------------------------------------

    def stored_answer(self):
        """PyTorch's recorded leaf gradients; only the examples are recorded."""
        shown = self._shown
        return stepper_torch.stored_answer(shown.example, shown.seed, shown.graph.leaves)

    def comparison(self, answer):
        """{leaf: (agrees, text)}: this mode's final gradients beside PyTorch's."""
        return stepper_torch.compared(self.final_grads(), answer)

    # --- in words --------------------------------------------------------------------------------

    def queue_line(self):
        """ "t1 (ready), b (1 of 2)": what waits, in order, and how much of it has arrived."""
        return words.queue_line(self.replay, self.step)

    def received_line(self):
        """What arrived at the current node: "2 = 1 from y + 1 from z"."""
        return words.received_line(self.replay, self.step)

    def log_lines(self, steps=None):
        """The text log of all steps, or of the first `steps`, one sentence each."""
        count = self.steps if steps is None else steps
        return [words.log_line(self.replay, step + 1) for step in range(count)]

    def verdict(self):
        """One sentence about this pass as a whole, for the wrong modes; else ""."""
        return words.verdict(self.replay)

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message}"
        if self.covered:
            return "The pass is covered until you commit a guess."
        if not self.step:
            return f"Start. {amount(self._shown.seed)} waits at {self.root.name}."
        line = words.log_line(self.replay, self.step)
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
            "covered": self.covered,
            "message": self.message,
            "refused_at": self.refused_at,
        }

    def lines(self, answer=None):
        """The stepper as text: forward values, all steps, and the check. answer: PyTorch's side."""
        head = f"Backward stepper, {self.example.name}: {self.example.formula}"
        rows = [wrapped("", head)]
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
        if self.covered:
            refused = [wrapped("refused: ", self.message)] if self.message else []
            return "\n".join([*rows, repr(self.card), *refused]).split("\n")
        width = len(str(self.steps))
        for step, line in enumerate(self.log_lines(), 1):
            rows.append(wrapped(f"{step:>{width}}. ", line))
            rows.append(wrapped(" " * (width + 2) + "waiting: ", words.queue_line(self.replay, step)))
        if self.verdict():
            rows.append(wrapped("", self.verdict()))
        answer = answer or self.torch_answer(wait=True)
        if answer.found is None:
            rows.append(wrapped("check     ", answer.text))
        else:
            for name, (agrees, text) in self.comparison(answer).items():
                ours, theirs = self.final_grads()[name], answer.found[name]
                sign = "=" if agrees else "≠"
                line = f"{name}.grad: here {amount(ours)} {sign} PyTorch {amount(theirs)}, {text}"
                rows.append(wrapped("check     ", answer.labelled(line)))
        if self.message:
            rows.append(wrapped("refused: ", self.message))
        return "\n".join(rows).split("\n")

    def __repr__(self):
        return "\n".join(self.lines())

    # --- inside ----------------------------------------------------------------------------------

    def _ask_torch(self, torch):
        shown, names = self._shown, [leaf.name for leaf in self.graph.leaves]
        return stepper_torch.live_answer(torch, shown.program, shown.seed, names)

    def _go(self, step):
        self._check_uncovered()
        self.playing = False
        self.step = max(0, min(step, self.steps))

    def _begin(self, what, inputs):
        if isinstance(what, str) and not inputs:
            self._open(self._find(what))
        else:
            self._open_own(what, inputs)

    def _find(self, name):
        """The example of this name, formula or place in the documents."""
        found = self.own if self.own and name == self.own.name else find(name)
        return found or super()._find(name)

    def _open_own(self, function, inputs):
        formula = getattr(function, "__name__", type(function).__name__)
        shown = _run(Example(YOURS, formula, function, inputs, None))
        self.own = replace(shown.example, formula=_own_formula(shown.graph))
        self._show(replace(shown, example=self.own))

    def _open(self, example):
        self._show(_run(example))

    def _show(self, shown):
        self._shown, self._first_seed = shown, shown.seed
        self.step, self.playing = 0, False
        self._cover()

    def _question(self):
        """What a right pass leaves in the leaf to which most contributions come."""
        replay = self._shown.replays["ordered"]
        accounts = {one.name: one for one in replay.ledger(replay.steps)}

        def arrivals(name):
            return len(accounts[name].contributions)

        reached = [name for name, grad in self.final_grads("ordered").items() if grad is not None]
        if not reached:
            return None
        leaf = max(reached, key=arrivals)
        values = "; ".join(f"{one.name} = {amount(one.value)}" for one in self.graph.leaves)
        return PredictCard(
            f"{self.example.formula}, {values}. backward starts at {self.root.name} with v = "
            f"{amount(self._shown.seed)}. What will {leaf}.grad be after the engine's pass?",
            lambda: self.final_grads("ordered")[leaf].tolist(),
            kind="array",
            why=f"Every way from {self.root.name} back to {leaf} adds its share.",
        )

    def _set_seed(self, place, change):
        try:
            seed = _single(change())
            self._shown = _replayed(self.example, self._shown.program, self.graph, seed)
        except Refused as refusal:
            return self._refuse(place, str(refusal))
        except Exception as error:  # PyTorch's own words
            return self._refuse_error(place, error)
        self.step = min(self.step, self.steps)
        self._ask_anew()


def _run(example):
    """Run a program and its passes: the whole state. What is wrong with it is `Refused`."""
    program = None
    try:
        program = read_program(example.function, example.inputs)
        graph = record_program(program)
        seed = np.ones(tuple(graph.run.root.shape))
        if example.v is not None:
            seed = read_array(example.v)
        elif graph.run.called:
            seed = _called_with(graph.run, seed)
        return _replayed(example, program, graph, _single(seed))
    except Refused as refusal:
        raise Refused(str(refusal), "program") from None
    except Exception as error:
        reason = str(error) or "no reason given"
        hint = program.hint if program else ""
        kind = type(error).__name__
        raise Refused(
            f"The program stopped with {kind}: {reason.rstrip('.')}.{hint}{advice(error)}", "program"
        ) from None


def _replayed(example, program, graph, seed):
    return _Shown(example, program, graph, seed, replays(graph, seed))


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


def _listed(received):
    """Arrays as nested lists; of several outputs a list with one entry for each."""
    lists = [None if value is None else value.tolist() for value in received]
    return lists[0] if len(lists) == 1 else lists
