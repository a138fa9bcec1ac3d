"""The backward stepper: a backward pass, one node a step, forward and back in time.

The real pass of the engine is heard and replayed (`replay.py`), beside two passes that are wrong on
purpose.
"""

from collections import namedtuple
from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np

from ...compare import agreement
from ...show.drawing.formulas import amount
from ...show.drawing.graph import leaf_names
from ...show.formatting import shape, wrapped
from ...show.typed_numbers import Refused
from ..predict_card.model import PredictCard
from ..shared.example_model import ExampleModel, programs_of
from ..shared.model import action, one_of, plain, shown, whole
from ..shared.point import one_row_each
from ..shared.torch_answer import Question
from ..shared.weighing import Weighing
from .examples import EXAMPLES
from .program import first_upstream, record, run_program
from .replay import MODES, replays

SECONDS = 1.2  # between two steps while playing

# The graph, v, and all three passes with it, {mode: Replay}.
_Shown = namedtuple("_Shown", "example run graph v replays")


class BackwardStepper(Weighing, ExampleModel):
    """Step through a real backward pass, one node at a time, forward and back.

    what: the name of an example ("diamond"), or a program of your own: a function that returns one
        tensor, `lambda x, y: x * y`, or calls `backward` on one. A parameter named torch gets the
        engine, every other one a tensor.
    inputs, named: the numbers of a function's tensors, in order or by name; each becomes a leaf.
    v: the upstream gradient of the result; else the example's, the program's, or ones.
    mode: "ordered", "naive recursion" or "overwrite".
    predict: True covers the pass until a guess is committed or "show me" is asked.
    """

    known = EXAMPLES
    shows = (
        "example_name formula mode step steps upstream told_now sums queue_line leaf_grads "
        "covered message refused_at"
    )

    def __init__(self, what="diamond", *inputs, v=None, mode="ordered", predict=False, **named):
        self.mode = one_of(mode, MODES, "mode")
        super().__init__(what, inputs, named, v=v, predict=predict)

    @action
    def set_mode(self, mode):
        """Choose who goes backward: "ordered", "naive recursion" or "overwrite"."""
        self.mode = one_of(mode, MODES, "mode", "mode")
        self.step, self.playing = 0, False

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
        """Back to the start: only v is there."""
        self._go(0)

    @action
    def last(self):
        """On to the end of the pass."""
        self._go(self.steps)

    @action
    def go(self, step):
        """Go to the moment when `step` nodes have run."""
        self._go(whole(step, 0, self.steps, "A step", "step"))

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

    @property
    def pause(self):
        """Seconds until the next step while playing, else None."""
        return SECONDS if self.playing else None

    graph = shown("graph", "The recorded graph: `.nodes`, operands first.")

    @property
    def root(self):
        """The node at which the pass starts."""
        return self.graph.nodes[self.graph.root[0]]

    @property
    def replay(self):
        """The pass of this mode, which can be looked at after any step."""
        return self._shown.replays[self.mode]

    steps = property(attrgetter("replay.steps"), doc="How many steps the pass of this mode takes.")

    v = property(attrgetter("_shown.v"), doc="The upstream gradient of the root, as an array.")

    @property
    def current(self):
        """The node that ran last, or None at the start."""
        return self.replay.node_at(self.step)

    def told_now(self):
        """What the step that was done last did, in one sentence."""
        return self.replay.log[self.step - 1] if self.step else ""

    def sums(self):
        """{node: what has arrived there so far, as nested lists, or None}."""
        return {one.name: plain(one.total) for one in self.replay.ledger(self.step)}

    def queue_line(self):
        """ "t1 (ready), b (1 of 2)": what waits, in order, and how much of it has arrived."""
        return self.replay.queue_line(self.step)

    @property
    def leaf_grads(self):
        """{leaf: .grad so far, as nested lists, None before the first visit}, in this mode."""
        return plain(self.replay.leaf_grads(self.step))

    def question(self):
        """The leaves' gradients by PyTorch; as recorded they are linear in v."""
        state, leaves = self._shown, self.graph.leaves
        names = [leaf.name for leaf in leaves]
        return Question(
            lambda torch: _leaf_grads(torch, state.example, state.v, names),
            self._recorded_as(),
            lambda values: {
                leaf.name: (state.v.ravel() @ values[leaf.name]).reshape(leaf.value.shape)
                for leaf in leaves
            },
            "for this program",
        )

    def comparison(self, answer):
        """{leaf: (agrees, text)}: this mode's final gradients beside PyTorch's."""
        compared = {}
        for name, ours in self.replay.leaf_grads().items():
            theirs = answer.found[name]
            if ours is None or theirs is None:
                compared[name] = (ours is theirs, "nothing arrived")
            else:
                agreed, text = agreement.compare(ours, theirs)
                compared[name] = (agreed, f"largest difference {text}")
        return compared

    def _told(self):
        if not self.step:
            return f"Start. {amount(self.v)} waits at {self.root.name}."
        where = f"Step {self.step} of {self.steps}."
        return f"{where} {self.told_now()}. Waiting: {self.queue_line()}."

    def summary(self):
        head = f"Backward stepper, {self.example_name}, {self.mode}: v = {amount(self.v)}"
        if self.covered:
            return f"{head}, covered"
        grads = [
            f"{name}.grad = {'None' if value is None else amount(value)}"
            for name, value in self.replay.leaf_grads().items()
        ]
        return f"{head}, {self.steps} step{'s' * (self.steps != 1)} to {', '.join(grads)}"

    def text(self, answer=None):
        forward = "; ".join(
            f"{node.title} {'=' if node.is_leaf else '→'} {amount(node.value)}"
            for node in self.graph.nodes
        )
        at_root = f"{self.root.name}, shape {shape(self.v.shape)}"
        rows = [
            wrapped("", f"Backward stepper, {self.example.title}"),
            wrapped("mode      ", f"{self.mode}. {MODES[self.mode]}"),
            wrapped("forward   ", forward),
            wrapped("v         ", f"{amount(self.v)}, the upstream gradient of {at_root}"),
        ]
        if self.covered:
            rows.append(repr(self.card))
        else:
            width = len(str(self.steps))
            for step, line in enumerate(self.replay.log, 1):
                queue = self.replay.queue_line(step)
                rows.append(wrapped(f"{step:>{width}}. ", line))
                rows.append(wrapped(" " * (width + 2) + "waiting: ", queue))
            if self.replay.verdict():
                rows.append(wrapped("", self.replay.verdict()))
            answer = answer or self.torch_answer(wait=True)
            rows += [wrapped("check     ", line) for line in self._check(answer)]
        return self._joined(rows)

    def _check(self, answer):
        if answer.found is None:
            return [answer.text]
        ours, lines = self.replay.leaf_grads(), []
        for name, (agrees, text) in self.comparison(answer).items():
            here, theirs = amount(ours[name]), amount(answer.found[name])
            line = f"{name}.grad: here {here} {'=' if agrees else '≠'} PyTorch {theirs}, {text}"
            lines.append(answer.labelled(line))
        return lines

    def _go(self, step):
        self._check_uncovered()
        self.playing = False
        self.step = max(0, min(step, self.steps))

    def _open(self, example):
        graph, run = record(example)
        if example.is_own:  # its program line by line, as far as it fits: "b = a + a; c = b + b"
            text = "; ".join(node.title for node in graph.nodes if not node.is_leaf)
            text = text if len(text) <= 80 else text[:79] + "…"
            example = self.own = replace(example, formula=text)
        self.step, self.playing = 0, False  # how many nodes have run
        self._show(example, run, graph, first_upstream(example, run))

    def _weigh(self, v):
        now = self._shown
        self._show(now.example, now.run, now.graph, v)
        self.step = min(self.step, self.steps)

    def _show(self, example, run, graph, v):
        v = np.array(v, dtype=np.float32)
        self._shown = _Shown(example, run, graph, v, replays(graph, run.root, v))
        self._cover()

    def _question(self):
        """What a right pass leaves in the leaf to which most contributions come."""
        replay = self._shown.replays["ordered"]
        grads = replay.leaf_grads()
        reached = [leaf for leaf in self.graph.leaves if grads[leaf.name] is not None]
        if not reached:
            return None
        leaf = max(reached, key=lambda leaf: replay.arrivals(leaf.key, replay.steps).arrived).name
        values = "; ".join(f"{one.name} = {amount(one.value)}" for one in self.graph.leaves)
        start = f"backward starts at {self.root.name} with v = {amount(self.v)}"
        question = f"What will {leaf}.grad be after the engine's pass?"
        why = f"Every path from {self.root.name} back to {leaf} adds its contribution."
        asked = f"{self.formula}, {values}. {start}. {question}"
        return PredictCard(asked, grads[leaf].tolist(), why=why)


def _leaf_grads(torch, example, v, names=None):
    """{leaf: its .grad} of a program run in one engine; `Refused` if its leaves are not `names`."""
    run = run_program(torch, example)
    leaves = leaf_names(run.root, run.tensors)
    if names is not None and set(leaves) != set(names):
        raise Refused("PyTorch found other leaves in this program.")
    for leaf in leaves.values():
        leaf.grad = None
    run.root.backward(torch.tensor(v.tolist(), dtype=torch.float32))
    return {name: leaf.grad for name, leaf in leaves.items()}


def _to_record(example, torch):
    sizes = run_program(torch, example).root.shape
    return one_row_each(torch, sizes, lambda v: _leaf_grads(torch, example, v))


programs_to_record = partial(programs_of, BackwardStepper, _to_record)
