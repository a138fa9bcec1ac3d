"""The ledger of .grad and the life of the graph: what each call adds, keeps and frees.

The calls change real tensors, which no refusal can take back. So the state is the rows, plain
values; the tensors (`session.py`) are made anew by doing the same calls again, should a call have
been interrupted half way.
"""

from collections import namedtuple
from functools import partial

import numpy as np

from ...compare import agreement, engines
from ...show.formatting import nested, wrapped
from ...show.typed_numbers import Refused, read_array
from ..predict_card.model import PredictCard, written
from ..shared.example_model import ExampleModel, programs_of
from ..shared.functions import advice
from ..shared.model import action, at, one_of, shown, truth
from ..shared.torch_answer import Question
from .examples import EXAMPLES, Scripted
from .session import Call, Session

MAX_CALLS = 100
LEARNING_RATE = 0.1  # of step, if none is given


_Shown = namedtuple("_Shown", "example rows last")  # the last of the rows


class GradLedger(ExampleModel):
    """Call forward, backward, zero_ and step, and see what .grad becomes, what the graph keeps.

    what: the name of an example ("two passes"), or a function of the leaves, `lambda a, b:
        a * b`, which returns a tensor, or a dict of them by name. A parameter named torch gets
        the engine.
    inputs, named: the numbers of a function's leaves, in order or by name.
    v: the first upstream gradient; ones when left out, and none at all for a scalar.
    lr: the learning rate of step.
    predict: True covers each new .grad until a guess is committed or "show me" is asked.

    Whatever a call does, errors included, is a row. What is typed and cannot be used is refused:
    `message` says why and nothing changes.
    """

    known, _example_type = EXAMPLES, Scripted
    shows = "example_name values outputs root upstream rows script_done message refused_at covered"

    def __init__(self, what="x * x", *inputs, v=None, lr=LEARNING_RATE, predict=False, **named):
        self.lr = float(lr)
        super().__init__(what, inputs, named, v=v, predict=predict)

    @action
    def reset(self):
        """Start the ledger of this example anew: fresh leaves, one forward."""
        self._open(self.example)

    @action
    def set_upstream(self, value):
        """Set v: text as typed, lists, an array or a tensor; empty or None means no argument.

        Its shape is looked at by backward, which refuses in PyTorch's own words.
        """
        with at("upstream"):
            self.upstream = _read_upstream(value)

    @action
    def choose_root(self, name):
        """Choose the tensor on which backward is called."""
        self.root = one_of(name, self.outputs, "result", "root")

    @action
    def forward(self):
        """Compute the outputs again from the leaves: a new graph."""
        self._call(Call("forward"))

    @action
    def backward(self, retain_graph=False):
        """Call `root.backward(v)`, or with `retain_graph=True`."""
        self._call(Call("backward", self.root, self.upstream, truth(retain_graph)))

    @action
    def zero_(self):
        """Call `.grad.zero_()`: the numbers become 0, the object stays."""
        self._call(Call("zero_"))

    @action
    def set_none(self):
        """Set `.grad = None`, as optimizer.zero_grad() does."""
        self._call(Call("none"))

    @action
    def step(self):
        """Change every leaf in place by -lr times its .grad, as a plain optimizer.step() does."""
        self._call(Call("step"))

    @action
    def next(self):
        """Do the next call of the example's script."""
        self._next()

    @action
    def replay(self):
        """Start anew and do the whole script."""
        if not self.script:
            raise Refused("This example has no script.", "script")
        self._open(self.example)
        while self.script_done < len(self.script):
            self._next()
        self.card = None

    rows = shown("rows", "What each call did, a `Row` each.")
    error = shown("last.error", 'The last call\'s error, "RuntimeError: ...", or None.')
    nodes = shown("last.nodes", "The graph of the last forward as it is now, a `Node` each.")
    values = shown("last.leaves", "{leaf: its numbers now, nested lists}.")
    grads = shown("last.grads", "{leaf: its .grad now, nested lists or None}.")
    outputs = shown("last.outputs", "{result: its numbers, nested lists}.")
    script = shown("example.script", "The calls that the example proposes, after a first forward.")

    def next_line(self):
        """The script's next line of code, or None."""
        if self.script_done >= len(self.script):
            return None
        call = self.script[self.script_done]
        return ", ".join(filter(None, (call.code(self.values), call.detail)))

    def life_line(self):
        """One sentence: what the graph still keeps."""
        state, states = self._shown.last.graph, [v.state for node in self.nodes for v in node.kept]
        had, freed, changed = len(states), states.count("freed"), states.count("changed")
        if not self.nodes:
            return "There is no graph: nothing here requires grad."
        return {
            "": "These nodes keep no values: nothing to free, so backward may run again.",
            "changed": f"{changed} of {had} saved values changed in place after forward: backward "
            "refuses to use them.",
            "part": f"{freed} of {had} saved values are freed, {had - freed} are still kept.",
            "kept": f"The graph keeps {had} value{'s' * (had != 1)} for a backward pass.",
            "freed": "What the graph kept is freed: run forward again for a new graph.",
        }[state]

    def graph_lines(self):
        """What each node keeps, "MulBackward0: self = 2, other freed"."""
        return [f"{node.name}: {_kept_in_words(node)}" for node in self.nodes if node.leaf is None]

    def caption(self):
        """What the last call did, in a sentence or two."""
        row = self._shown.last
        reached = row.added
        grads = " and ".join(f"{n}.grad" for n in reached) if len(reached) < 3 else "each .grad"
        if row.call.what != "backward":
            return {
                "forward": "A new graph from the leaves as they are now; .grad stays.",
                "zero_": "zero_() wrote 0 into the object that is there. The graph is not touched.",
                "none": "The next backward makes a new .grad. The graph is not touched.",
                "step": f"Each leaf was changed in place by \u2212{self.lr:g} times its .grad; "
                ".grad stays.",
            }[row.call.what]
        if not reached:
            return "No leaf was reached: nothing was added to any .grad."
        if all(row.objects[name] == "new" for name in reached):
            return f"What arrived is now {grads}, which was None: a new object."
        return f"What arrived was added to {grads}, in the same object."

    def comparison(self, k, answer):
        """(agrees, what differs) for row k, or None where PyTorch has no answer."""
        theirs, ours = answer.found and answer.found.get(str(k + 1)), self.rows[k]
        if not theirs:
            return None
        for what in ("error", "objects", "warnings"):
            if getattr(ours, what) != theirs[what]:
                return False, what
        for what in ("grads", "leaves", "outputs"):
            for name, value in getattr(ours, what).items():
                if not agreement.agree(value, theirs[what].get(name)):
                    return False, f"{name}.grad" if what == "grads" else name
        return True, ""

    def question(self):
        """PyTorch's record of each row; recorded for a script, as far as it was followed."""
        example, calls, lr = self.example, [row.call for row in self.rows], self.lr
        followed = [Call("forward"), *self.script][: len(calls)] == calls
        key = self._recorded_as() if lr == LEARNING_RATE and followed else None
        return Question(partial(_records, example, calls, lr), key, what="to these calls")

    def sentence(self, k):
        """What row k did: the text and the announcements tell these."""
        row = self.rows[k]
        results = [row.error] if row.error else []
        for name, grad in row.grads.items():
            of_object = "" if grad is None else f", {row.objects[name]}"
            added = f", added {nested(row.added[name])}" if name in row.added else ""
            results.append(f"{name}.grad is {written(grad)}{of_object}{added}")
        if self.covered and k == len(self.rows) - 1:
            results = ["the new .grad is covered until you commit a guess"]
        return f"{', '.join(filter(None, (row.code, row.detail)))}: {'; '.join(results)}"

    def _told(self):
        return f"Row {len(self.rows)}, {self.sentence(len(self.rows) - 1)}. {self.life_line()}"

    def summary(self):
        grads = ", ".join(f"{name}.grad = {written(grad)}" for name, grad in self.grads.items())
        grads = "covered" if self.covered else grads if len(grads) < 150 else "see print(ledger)"
        calls = len(self.rows) - 1  # after the first row, which computed the outputs
        when = f"after {calls} call{'s' * (calls != 1)}" if calls else "nothing called yet"
        return f"Ledger of .grad, {self.example.name}: {when}, {grads}"

    def text(self, answer=None):
        answer = answer or self.torch_answer(wait=True)
        parts = [wrapped("", f"Ledger of .grad, {self.example.title}")]
        for k in range(len(self.rows)):
            agrees, differs = self.comparison(k, answer) or (None, "")
            sign = {None: "", True: "  = PyTorch", False: f"  \u2260 PyTorch: {differs}"}[agrees]
            parts.append(wrapped(f"row {k + 1:<5}", self.sentence(k) + sign))
        parts += [wrapped("warning  ", text) for text in self._shown.last.warnings]
        parts.append(wrapped("graph    ", self.life_line()))
        parts += [wrapped("         ", line) for line in self.graph_lines()[:30]]
        parts.append(wrapped("PyTorch  ", answer.text))
        return self._joined(parts)

    def _own(self, function, inputs, named, v, few):
        example = super()._own(function, inputs, named, v, few)
        if not example.inputs:
            raise Refused("Give a function of its leaves, with their numbers: lambda a, b: a * b.")
        return example

    def _first_upstream(self, v):
        self.upstream = _read_upstream(v)

    def _open(self, example):
        self._session = Session(engines.minigrad, example, self.lr)
        row = self._session.row(Call("forward"))
        if self._session.raised:
            raise self._session.raised
        self._show(example, (row,), example.output)
        self.script_done, self.card, self.upstream = 0, None, example.v
        if example.is_own and example.v is None and np.ndim(self.outputs[self.root]):
            self.upstream = np.ones_like(self.outputs[self.root]).tolist()

    def _call(self, call):
        if len(self.rows) >= MAX_CALLS:
            raise Refused(f"The ledger holds {MAX_CALLS} calls. Start anew.", "calls")
        if self._session.begun != len(self.rows):  # the last one was interrupted
            self._session = Session(engines.minigrad, self.example, self.lr)
            for row in self.rows:
                self._session.run(row.call)
        self._show(self.example, (*self.rows, self._session.row(call)), self.root)
        self._cover()

    def _show(self, example, rows, root):
        self._shown = _Shown(example, rows, rows[-1])
        self.root = root if root in self.outputs else next(iter(self.outputs))

    def _next(self):
        if self.script_done >= len(self.script):
            raise Refused("The script is at its end. Start anew to follow it again.", "script")
        call = self.script[self.script_done]
        if call.what == "backward":
            self.root, self.upstream = call.root, call.v
        self._call(call)
        self.script_done += 1

    def _question(self):
        row = self._shown.last
        name, grad = next(iter(row.grads.items()))
        if row.call.what not in ("backward", "zero_") or grad is None:
            return None
        why = "The call failed: see its error." if row.error else self.caption()
        asked = ", ".join(filter(None, (row.code, row.call.detail)))
        return PredictCard(f"What is {name}.grad after {asked}?", grad, why=why)


def _kept_in_words(node):
    values = ", ".join(
        f"{value.name} = {value.text}" if value.state == "kept" else f"{value.name} {value.state}"
        for value in node.kept
    )
    return values or {None: "keeps nothing", False: "keeps no value", True: "freed"}[node.freed]


def _read_upstream(value):
    if value is None or isinstance(value, str) and value.strip().lower() in ("", "none"):
        return None
    return read_array(value).tolist()


def _records(example, calls, lr, torch):
    """Do the calls one after another: {"1": what is to be seen, "2": ...}."""
    session, records = Session(torch, example, lr), {}
    for k, call in enumerate(calls, start=1):
        records[str(k)] = session.run(call)
        if session.raised and advice(session.raised):  # it mixes the engines
            raise session.raised
    return records


def _to_record(example, torch):
    return _records(example, [Call("forward"), *example.script], LEARNING_RATE, torch)


programs_to_record = partial(programs_of, GradLedger, _to_record)
