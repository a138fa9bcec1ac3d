"""The ledger of .grad and the life of the graph: what each call adds, keeps and frees.

A learner calls forward, backward, zero_ and so on, one after another. The model really does it,
with minigrad and with PyTorch, and keeps a row for each call:

- what every leaf's `.grad` is now, what was added to it, and whether it is still the same object;
- what each node of the graph still keeps for a backward pass, and what the pass has freed;
- PyTorch's own error where a call fails.

What was added is heard from the pass itself (`ledger_session.py`), and whether a node still keeps
its saved values is found out by reading them (`graph_life.py`). It is complete without ipywidgets;
`views/ledger.py` only draws it.
"""

from dataclasses import dataclass

from .. import agreement, engines, recorded
from ..formatting import table, wrapped
from ..typed_numbers import Refused, read_array
from . import graph_life
from .base import action, one_of, truth
from .example_model import ExampleModel
from .graph_life import GraphLife, written
from .ledger_examples import EXAMPLES, Call
from .ledger_session import Session, own_example
from .predict import PredictCard
from .torch_answer import live_unless_mixed, missing, stored

MAX_NODES = 30  # of a graph that is drawn
MAX_CALLS = 200
LEARNING_RATE = 0.1  # of step, if none is given


@dataclass(frozen=True)
class Entry:
    """What one call left behind for one leaf.

    value: the leaf's numbers; grad: `.grad` afterwards, nested lists or None; added: what the pass
    added, or None; object: "None", "new", "same" or "another": what became of the object that
    `.grad` was before.
    """

    value: list | float
    grad: list | float | None
    added: list | float | None
    object: str


@dataclass(frozen=True)
class Row:
    """One call and what it did. error: (type, text) or None."""

    call: Call
    code: str
    entries: dict  # {leaf: Entry}
    error: tuple | None
    warnings: tuple
    ran: int
    record: dict  # what both engines are compared by


class GradLedger(ExampleModel):
    """The model of the ledger.

    what: the name of an example ("S3-7", see `GradLedger.presets()`), or a function of the leaves,
        `lambda a, b: a * b`, which returns a tensor, or a dict of them by name. One that needs
        torch's names takes them first: `lambda torch, x: torch.exp(x)`. A whole program,
        `def program(torch): ...; return {"x": x, "y": y}`, works too: forward runs all of it again.
    inputs, leaves: the numbers of an own function's leaves, in order or by name.
    v: the first upstream gradient; None is `backward()` without an argument.
    lr: the learning rate of step.
    predict: True covers each new .grad until a guess is committed or "show me" is asked.

    Whatever a call does, errors included, is a row. What is typed and cannot be used is refused:
    `message` says why and nothing changes.
    """

    known = EXAMPLES

    def __init__(self, what="x * x", *inputs, v=..., lr=LEARNING_RATE, predict=False, **leaves):
        super().__init__()
        self.lr = float(lr)
        self.asks = bool(predict)
        if callable(what):
            self.own = own_example(what, inputs, leaves)
        example = self.own or self._find(what)
        if example is not self.own and (inputs or leaves):
            raise TypeError(
                "An example brings its own leaves; leaves go with a function of yours: "
                "GradLedger(lambda a, b: a * b, a=2, b=3)."
            )
        self._open(example)
        if v is not ...:
            self.upstream = _read_upstream(v)

    @staticmethod
    def presets():
        """The names of the examples that can be loaded."""
        return list(EXAMPLES)

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def reset(self):
        """Start the ledger of this example anew: fresh leaves, one forward."""
        self._open(self.example)

    @action
    def set_upstream(self, value):
        """Set v: text as typed, lists, an array or a tensor; empty or None means no argument.

        Its shape is looked at by backward, which refuses in PyTorch's own words.
        """
        with self._at("upstream"):
            self.upstream = _read_upstream(value)

    @action
    def choose_root(self, name):
        """Choose the tensor on which backward is called."""
        self.root = one_of(name, self.roots, "result", "root")

    @action
    def choose_leaf(self, name):
        """Choose the leaf that zero_() and .grad = None act on; "" means every leaf."""
        self.leaf = one_of(name, ["", *self.leaf_names], "leaf", "leaf")

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
        self._call(Call("zero_", leaf=self.leaf))

    @action
    def set_none(self):
        """Set `.grad = None`, as optimizer.zero_grad() does."""
        self._call(Call("none", leaf=self.leaf))

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
        if not self.example.script:
            raise Refused("This example has no script.", "script")
        self._open(self.example)
        while self.script_done < len(self.example.script):
            self._next()
        self._uncover()

    # --- what it shows --------------------------------------------------------------------------

    @property
    def leaf_names(self):
        return list(self._session.leaves)

    @property
    def roots(self):
        """The names of the results that backward can start from."""
        return list(self._session.outputs) or [self.example.root]

    @property
    def output_shape(self):
        """The shape that v must have, or None before there is a result."""
        output = self._session.outputs.get(self.root)
        return None if output is None else tuple(output.shape)

    @property
    def values(self):
        """{leaf: its numbers now, nested lists}."""
        return {name: leaf.detach().tolist() for name, leaf in self._session.leaves.items()}

    @property
    def outputs(self):
        """{result: its numbers, nested lists}."""
        return {name: out.detach().tolist() for name, out in self._session.outputs.items()}

    @property
    def grads(self):
        """{leaf: its .grad now, nested lists or None}."""
        return {name: entry.grad for name, entry in self.rows[-1].entries.items()}

    @property
    def error(self):
        """The last call's error, "RuntimeError: ...", or None."""
        error = self.rows[-1].error
        return None if error is None else ": ".join(part for part in error if part)

    @property
    def nodes(self):
        """The graph of the last forward as it is now, operands first: a list of `graph_life.Node`."""
        return self._life.nodes(self._ran)

    @property
    def covered(self):
        """Whether the last row is still hidden behind the question."""
        return self.card is not None and not self.card.revealed

    def calls(self):
        """The calls so far."""
        return [row.call for row in self.rows]

    def next_line(self):
        """The script's next line of code, or None."""
        script = self.example.script
        if self.script_done >= len(script):
            return None
        return script[self.script_done].code(self.leaf_names)

    def keeping(self):
        """(kept, all): how many saved values the graph still keeps, and how many it had."""
        return graph_life.keeping(self.nodes)

    def life_line(self):
        """One sentence: what the graph still keeps."""
        return graph_life.in_words(self.nodes)

    def stored_answer(self):
        """PyTorch's record of each row as it was stored: of a script, as far as it was followed."""
        records, version = recorded.old_answer("ledger", self.example.name)
        same = EXAMPLES.get(self.example.name) is self.example and self.lr == LEARNING_RATE
        followed = [Call("forward"), *self.example.script][: len(self.rows)]
        if same and records is not None and followed == self.calls():
            return stored(version, tuple(records[: len(self.rows)]))
        return missing("to these calls")

    def comparison(self, k, answer):
        """(agrees, what differs) for row k, or None where PyTorch has no answer."""
        if answer.found is None or k >= len(answer.found):
            return None
        return compared(self.rows[k].record, answer.found[k])

    def comparisons(self, answer=None):
        """`comparison` of every row."""
        answer = answer or self.torch_answer(wait=True)
        return [self.comparison(k, answer) for k in range(len(self.rows))]

    def announcement(self):
        """One sentence for a screen reader after a call."""
        if self.message:
            return f"Not used: {self.message} Nothing else changed."
        if self.covered:
            return "The new .grad is covered until you commit a guess."
        row = self.rows[-1]
        if row.error:
            return f"Row {len(self.rows)}, {row.code}: {self.error}"
        told = [f"{name}.grad is {written(entry.grad)}" for name, entry in row.entries.items()]
        return f"Row {len(self.rows)}, {row.code}: {'; '.join(told)}. {self.life_line()}"

    def state(self):
        """Everything the ledger shows, as plain values."""
        return {
            "example": self.example.name,
            "leaves": self.values,
            "outputs": self.outputs,
            "root": self.root,
            "leaf": self.leaf,
            "upstream": self.upstream,
            "rows": [
                (row.code, {name: vars(entry) for name, entry in row.entries.items()}, row.error)
                for row in self.rows
            ],
            "nodes": [
                (node.name, [(value.name, value.state) for value in node.kept])
                for node in self.nodes
            ],
            "script_done": self.script_done,
            "message": self.message,
            "covered": self.covered,
        }

    def lines(self, answer=None):
        """The ledger as rows of cells, a heading first."""
        answer = answer or self.torch_answer(wait=True)
        found = [("", "call", "leaf", ".grad", "added", "object", "PyTorch")]
        verdicts = self.comparisons(answer)
        for k, (row, verdict) in enumerate(zip(self.rows, verdicts), start=1):
            sign = "" if verdict is None else ("=" if verdict[0] else "\u2260 " + verdict[1])
            covered = self.covered and k == len(self.rows)
            for place, (name, entry) in enumerate(row.entries.items()):
                changed = k == 1 or self.rows[k - 2].entries.get(name, entry).value != entry.value
                leaf = f"{name} = {written(entry.value)}" if changed else name
                first = (str(k), row.code) if place == 0 else ("", "")
                values = (
                    ("\u2026",) * 3
                    if covered
                    else (written(entry.grad), self._added(row, entry, place), entry.object)
                )
                found.append((*first, leaf, *values, sign if place == 0 else ""))
            if not row.entries:
                found.append((str(k), row.code, "", "", "", "", sign))
        return found

    def table_text(self, answer=None):
        """The table of calls as text."""
        return table(self.lines(answer), [3, 32, 14, 16, 14, 7, 8], gap=" ")

    def _added(self, row, entry, place):
        if entry.added is not None:
            return written(entry.added)
        return (row.error[0] or "refused") if row.error and place == 0 else ""

    def __repr__(self):
        return self.text()

    def text(self, answer=None):
        """The ledger as text. answer: PyTorch's side, if not the live one."""
        answer = answer or self.torch_answer(wait=True)
        parts = [
            wrapped("", f"Ledger of .grad, {self.example.name}: {self.example.formula}"),
            self.table_text(answer),
        ]
        failed = [k for k, row in enumerate(self.rows, start=1) if row.error]
        if failed and not self.covered:
            parts.append(
                wrapped(
                    f"row {failed[-1]:<5}", ": ".join(filter(None, self.rows[failed[-1] - 1].error))
                )
            )
        parts += [wrapped("warning  ", text) for text in self.rows[-1].warnings]
        parts.append(wrapped("graph    ", self.life_line()))
        for node in self.nodes[:MAX_NODES]:
            if node.leaf is None:
                kept = (
                    ", ".join(
                        f"{value.name} = {value.text if value.state == 'kept' else value.state}"
                        for value in node.kept
                    )
                    or "keeps nothing"
                )
                parts.append(wrapped("         ", f"{node.name}: {kept}"))
        parts.append(wrapped("PyTorch  ", answer.text))
        if self.message:
            parts.append(wrapped("refused: ", self.message))
        return "\n".join(parts)

    # --- inside -----------------------------------------------------------------------------------

    def _open(self, example):
        session = Session(engines.minigrad, example, self.lr)
        first = session.run(Call("forward"))
        self.example = example
        self._session, self._torch_session, self._records = session, None, []
        self.rows, self.script_done = [], 0
        self.leaf = ""
        self.root = (
            example.root
            if example.root in session.outputs
            else next(iter(session.outputs), example.root)
        )
        self.upstream = None if example.v is None else read_array(example.v).tolist()
        if self.own is example and self.output_shape:
            self.upstream = engines.minigrad.ones(*self.output_shape).tolist()
        self.card = None
        self._append(Call("forward"), first)
        self._life = GraphLife(self._session)

    def _call(self, call):
        if len(self.rows) >= MAX_CALLS:
            raise Refused(f"The ledger holds {MAX_CALLS} calls. Start anew.", "calls")
        self._uncover()
        record = self._session.run(call)
        self._append(call, record)
        if call.what == "forward" and not record["error"]:
            self._life = GraphLife(self._session)
            if self.root not in self.roots:
                self.root = self.roots[0]
        self._ask(call)

    def _append(self, call, record):
        heard = self._session.heard
        entries = {
            name: Entry(
                record["leaves"][name],
                grad,
                heard.added.get(id(self._session.leaves[name])),
                record["objects"][name],
            )
            for name, grad in record["grads"].items()
        }
        self.rows.append(
            Row(
                call,
                call.code(list(record["grads"])),
                entries,
                record["error"] and tuple(record["error"]),
                tuple(record["warnings"]),
                len(heard.order),
                record,
            )
        )
        self._ran = {id(node): place for place, node in enumerate(heard.order, start=1)}

    def _next(self):
        if self.script_done >= len(self.example.script):
            raise Refused("The script is at its end. Start anew to follow it again.", "script")
        call = self.example.script[self.script_done]
        if call.what == "backward":
            self.root, self.upstream = call.root, call.v
        self._call(call)
        self.script_done += 1

    # --- predict first ----------------------------------------------------------------------------

    def _ask(self, call):
        row = self.rows[-1]
        name = next(iter(row.entries), None)
        if not self.asks or name is None or row.entries[name].grad is None:
            return
        if call.what not in ("backward", "zero_"):
            return
        grad = row.entries[name].grad
        self.card = PredictCard(
            f"What is {name}.grad after {row.code}?",
            grad,
            kind="array" if isinstance(grad, list) else "number",
            why=_why(row, name),
        )

    def _uncover(self):
        if self.card is not None and not self.card.revealed:
            self.card.show()
        self.card = None

    # --- PyTorch's side ---------------------------------------------------------------------------

    def _live_answer(self, torch):
        """PyTorch does the same calls; those it has not done yet, now."""
        if self._torch_session is None:
            self._torch_session, self._records = Session(torch, self.example, self.lr), []
        for row in self.rows[len(self._records) :]:
            self._records.append(self._torch_session.run(row.call))
        error = next((one["error"] for one in self._records if one["error"]), None)
        return live_unless_mixed(torch, tuple(self._records), error)


# --- comparing and writing --------------------------------------------------------------------


def _read_upstream(value):
    if value is None or isinstance(value, str) and value.strip().lower() in ("", "none"):
        return None
    return read_array(value).tolist()


def compared(ours, theirs):
    """(agrees, what differs) for the records of one call by two engines."""
    for what in ("error", "objects", "warnings"):
        if ours[what] != theirs[what]:
            return False, what
    for what in ("grads", "leaves", "outputs"):
        if ours[what].keys() != theirs[what].keys():
            return False, what
        for name, value in ours[what].items():
            other = theirs[what][name]
            if (value is None) != (other is None):
                return False, f"{name}.grad"
            if value is not None and not agreement.agree(value, other):
                return False, f"{name}.grad" if what == "grads" else name
    return True, ""


def _why(row, name):
    entry = row.entries[name]
    if row.call.what == "zero_":
        return "zero_() writes 0 into the object that is there."
    if entry.added is None:
        return (
            "The call added nothing to it."
            if row.error is None
            else "The call failed: see its error."
        )
    return f"The pass added {written(entry.added)} to what was there."
