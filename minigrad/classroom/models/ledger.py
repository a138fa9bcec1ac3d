"""The ledger of .grad and the life of the graph: what each call adds, keeps and frees.

A learner calls forward, backward, zero_ and so on, one after another. The model really does it,
with minigrad and with PyTorch, and keeps a row for each call:

- what every leaf's `.grad` is now, what was added to it, and whether it is still the same object;
- what each node of the graph still keeps for a backward pass, and what the pass has freed;
- PyTorch's own error where a call fails.

What was added and what was freed is heard from the pass itself (`minigrad.autograd.watch`), and
whether a node still keeps its saved values is found out by reading them. It is complete without
ipywidgets; `views/ledger.py` only draws it.
"""

import inspect
from contextlib import nullcontext
from dataclasses import dataclass

from minigrad.autograd import watch
from minigrad.autograd.function import FunctionCtx
from minigrad.graph import FREED

from .. import agreement, engines, recorded
from ..formatting import nested, number, shape, table, wrapped
from ..heard import hear_warnings
from ..numbers import Refused, read_array
from .base import Model, action
from .ledger_examples import EXAMPLES, Call, Example
from .predict import PredictCard
from .source import source_of

MAX_ELEMENTS = 12  # of a leaf, so that a row of the ledger can be read
MAX_NODES = 30  # of a graph that is drawn
MAX_CALLS = 200
LEARNING_RATE = 0.1  # of step, if none is given
KEPT_LETTERS = 16  # of a saved value that is written out


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
    """One call and what it did. error: (type, text) or None; freed: nodes that gave up values."""

    call: Call
    code: str
    entries: dict  # {leaf: Entry}
    error: tuple | None
    warnings: tuple
    freed: int
    ran: int
    record: dict  # what both engines are compared by


@dataclass(frozen=True)
class Kept:
    """A value that a node keeps for backward. state: "kept", "freed" or "changed"."""

    name: str
    text: str
    state: str


@dataclass(frozen=True)
class Node:
    """A node of the graph as it is drawn: its operands come before it.

    leaf: the name of the leaf whose .grad it adds to, else None. result: the name of what it made.
    ran: the place at which it ran in the last call (1 is first), or None.
    """

    number: int
    name: str
    operands: tuple
    kept: tuple
    leaf: str | None
    result: str | None
    ran: int | None


@dataclass(frozen=True)
class TorchAnswer:
    """PyTorch's side, a record for each row. source: "live", "stored", "loading" or "missing"."""

    source: str
    records: tuple
    text: str


class GradLedger(Model):
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

    def __init__(self, what="x * x", *inputs, v=..., lr=LEARNING_RATE, predict=False, **leaves):
        super().__init__()
        self.lr = float(lr)
        self._predict = bool(predict)
        self.own = None
        if callable(what):
            example = self.own = _own_example(what, inputs, leaves)
        elif what in EXAMPLES and not inputs and not leaves:
            example = EXAMPLES[what]
        elif what in EXAMPLES:
            raise TypeError(
                "An example brings its own leaves; leaves go with a function of yours: "
                "GradLedger(lambda a, b: a * b, a=2, b=3)."
            )
        else:
            raise ValueError(f"there is no example {what!r}. Known are: {', '.join(EXAMPLES)}.")
        self._open(example)
        if v is not ...:
            self.upstream = _read_upstream(v)

    @staticmethod
    def presets():
        """The names of the examples that can be loaded."""
        return list(EXAMPLES)

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def load(self, name):
        """Load an example by name, or "your function" again, with a ledger that starts anew."""
        if self.own is not None and name == self.own.name:
            self._open(self.own)
        elif name in EXAMPLES:
            self._open(EXAMPLES[name])
        else:
            self.message = f"There is no example {name!r}. Known are: {', '.join(EXAMPLES)}."
            self.refused_at = "example"

    @action
    def reset(self):
        """Start the ledger of this example anew: fresh leaves, one forward."""
        self._open(self.example)

    @action
    def set_upstream(self, value):
        """Set v: text as typed, lists, an array or a tensor; empty or None means no argument.

        Its shape is looked at by backward, which refuses in PyTorch's own words.
        """
        try:
            self.upstream = _read_upstream(value)
        except Refused as refusal:
            self.message, self.refused_at = str(refusal), "upstream"
        else:
            self.message = self.refused_at = None

    @action
    def choose_root(self, name):
        """Choose the tensor on which backward is called."""
        if name in self.roots:
            self.root = name
            self.message = self.refused_at = None
        else:
            self.message, self.refused_at = f"There is no result {name!r} to start from.", "root"

    @action
    def choose_leaf(self, name):
        """Choose the leaf that zero_() and .grad = None act on; "" means every leaf."""
        if name == "" or name in self.leaf_names:
            self.leaf = name
            self.message = self.refused_at = None
        else:
            self.message, self.refused_at = f"There is no leaf {name!r}.", "leaf"

    @action
    def forward(self):
        """Compute the outputs again from the leaves: a new graph."""
        self._call(Call("forward"))

    @action
    def backward(self, retain_graph=False):
        """Call `root.backward(v)`, or with `retain_graph=True`."""
        self._call(Call("backward", self.root, self.upstream, bool(retain_graph)))

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
            self.message = "This example has no script."
            return
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
        """The graph of the last forward as it is now, operands first."""
        return [self._node(k) for k in range(len(self._graph))]

    @property
    def covered(self):
        """Whether the last row is still hidden behind the question."""
        return self.card is not None and not self.card.revealed

    def calls(self):
        """The calls so far."""
        return [row.call for row in self.rows]

    def backward_code(self, retain_graph=False):
        """The line of code that backward would run now."""
        return Call("backward", self.root, self.upstream, retain_graph).code(self.leaf_names)

    def next_line(self):
        """The script's next line of code, or None."""
        script = self.example.script
        if self.script_done >= len(script):
            return None
        return script[self.script_done].code(self.leaf_names)

    def keeping(self):
        """(kept, all): how many saved values the graph still keeps, and how many it had."""
        kept = [value for node in self.nodes for value in node.kept]
        return sum(value.state != "freed" for value in kept), len(kept)

    def life_line(self):
        """One sentence: what the graph still keeps."""
        held, had = self.keeping()
        changed = [value for node in self.nodes for value in node.kept if value.state == "changed"]
        if not self._graph:
            return "There is no graph: nothing here requires grad."
        if not had:
            return (
                "These nodes keep no values: there is nothing to free, so backward may run again."
            )
        if changed:
            return (
                f"{len(changed)} of {had} saved values changed in place after forward: backward "
                "refuses to use them."
            )
        if held == had:
            return f"The graph keeps {_count(had, 'value')} for a backward pass."
        if not held:
            freed = "The saved value is" if had == 1 else f"All {had} saved values are"
            return f"{freed} freed: run forward again for a new graph."
        return f"{had - held} of {had} saved values are freed, {held} are still kept."

    def torch_answer(self, wait=False):
        """PyTorch's side of every row; wait=False never imports torch."""
        torch = engines.torch_now() if wait else engines.torch_if_loaded()
        if torch is not None:
            return TorchAnswer(
                "live", self._torch_records(torch), f"torch {engines.version(torch)}, live"
            )
        stored = self.stored_answer()
        if stored.source == "missing" and not wait and engines.torch_installed():
            return TorchAnswer("loading", (), "loading PyTorch\u2026")
        return stored

    def stored_answer(self):
        """PyTorch's side from the recorded answers: of a script, as far as it was followed."""
        records, version = recorded.answer("ledger", self.example.name)
        same = EXAMPLES.get(self.example.name) is self.example and self.lr == LEARNING_RATE
        followed = [Call("forward"), *self.example.script][: len(self.rows)]
        if same and records is not None and followed == self.calls():
            return TorchAnswer(
                "stored", tuple(records[: len(self.rows)]), f"stored from torch {version}"
            )
        return TorchAnswer(
            "missing",
            (),
            "PyTorch is not installed here, and its answer to these calls is not recorded.",
        )

    def comparison(self, k, answer):
        """(agrees, what differs) for row k, or None where PyTorch has no answer."""
        if k >= len(answer.records):
            return None
        return compared(self.rows[k].record, answer.records[k])

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
        self.message = self.refused_at = self.card = None
        self._ran, self._graph = {}, []
        self._append(Call("forward"), first)
        self._read_graph()

    def _call(self, call):
        if len(self.rows) >= MAX_CALLS:
            self.message = f"The ledger holds {MAX_CALLS} calls. Start anew."
            self.refused_at = "calls"
            return
        self.message = self.refused_at = None
        self._uncover()
        record = self._session.run(call)
        self._append(call, record)
        if call.what == "forward" and not record["error"]:
            self._read_graph()
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
                heard.freed,
                len(heard.order),
                record,
            )
        )
        self._ran = {id(node): place for place, node in enumerate(heard.order, start=1)}

    def _next(self):
        if self.script_done >= len(self.example.script):
            self.message = "The script is at its end. Start anew to follow it again."
            self.refused_at = "script"
            return
        call = self.example.script[self.script_done]
        if call.what == "backward":
            self.root, self.upstream = call.root, call.v
        self._call(call)
        self.script_done += 1

    # --- predict first ----------------------------------------------------------------------------

    def _ask(self, call):
        row = self.rows[-1]
        name = next(iter(row.entries), None)
        if not self._predict or name is None or row.entries[name].grad is None:
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

    # --- the graph --------------------------------------------------------------------------------

    def _read_graph(self):
        """Remember the nodes of the new graph and what they keep; the state is read when asked."""
        outputs = {name: out.grad_fn for name, out in self._session.outputs.items()}
        found, stack = {}, [node for node in outputs.values() if node is not None]
        while stack:
            node = stack.pop()
            if id(node) not in found:
                found[id(node)] = node
                stack += [n for n, _ in node.next_functions if n is not None]
        nodes = list(found.values())
        self._graph = sorted(nodes, key=_depths(nodes))
        self._kept = [_read_kept(node, self._session) for node in self._graph]
        made = {id(node): name for name, node in reversed(outputs.items()) if node is not None}
        self._made = [made.get(id(node)) for node in self._graph]

    def _node(self, k):
        node = self._graph[k]
        places = {id(other): place for place, other in enumerate(self._graph)}
        operands = tuple(places[id(n)] for n, _ in node.next_functions if n is not None)
        leaf = None
        if hasattr(node, "variable"):
            leaf = self._session.name_of(node.variable) or "a leaf"
        kept = tuple(
            Kept(name, text, _state(node, position)) for position, name, text in self._kept[k]
        )
        return Node(
            k, type(node).__name__, operands, kept, leaf, self._made[k], self._ran.get(id(node))
        )

    # --- PyTorch's side ---------------------------------------------------------------------------

    def _torch_records(self, torch):
        """PyTorch does the same calls; those it has not done yet, now."""
        if self._torch_session is None:
            self._torch_session, self._records = Session(torch, self.example, self.lr), []
        for row in self.rows[len(self._records) :]:
            self._records.append(self._torch_session.run(row.call))
        return tuple(self._records)


# --- one engine's side --------------------------------------------------------------------------


class Session:
    """The tensors of an example in one engine, and the calls done to them one after another."""

    def __init__(self, torch, example, lr):
        self.torch, self.example, self.lr = torch, example, lr
        self.outputs, self.objects = {}, {}
        self.heard = _Heard()
        self.leaves = (
            {}
            if example.leaves is None
            else {
                name: torch.tensor(value, dtype=torch.float32, requires_grad=True)
                for name, value in example.leaves.items()
            }
        )

    def run(self, call):
        """Do one call; returns what is to be seen afterwards, as plain values."""
        self.heard = _Heard()
        error = None
        watching = watch(self.heard) if self.torch is engines.minigrad else nullcontext()
        with hear_warnings() as warned, watching:
            try:
                getattr(self, "_" + call.what)(call)
            except Exception as raised:
                kind = "" if isinstance(raised, Refused) else type(raised).__name__
                error = [kind, str(raised)]
        return {
            "error": error,
            "warnings": warned,
            "leaves": {name: leaf.detach().tolist() for name, leaf in self.leaves.items()},
            "grads": {
                name: leaf.grad if leaf.grad is None else leaf.grad.detach().tolist()
                for name, leaf in self.leaves.items()
            },
            "objects": self._look_at_objects(),
            "outputs": {name: out.detach().tolist() for name, out in self.outputs.items()},
        }

    def name_of(self, tensor):
        """The name of a leaf or result, or None."""
        for name, known in (*self.leaves.items(), *self.outputs.items()):
            if known is tensor:
                return name
        return None

    def _look_at_objects(self):
        """For each leaf what became of the object that its .grad was."""
        told, objects = {}, {}
        for name, leaf in self.leaves.items():
            before, now = self.objects.get(name), leaf.grad
            objects[name] = now
            told[name] = (
                "None"
                if now is None
                else "new"
                if before is None
                else "same"
                if before is now
                else "another"
            )
        self.objects = objects
        return told

    def _forward(self, call):
        if self.example.leaves is None:
            leaves, outputs = _sorted_out(self.example.function(self.torch))
            self.leaves, self.objects = leaves, {}
        else:
            outputs = _named(self.example.function(self.torch, **self.leaves), self.example.root)
        self.outputs = outputs

    def _backward(self, call):
        if call.root not in self.outputs:
            raise Refused(f"There is no {call.root}: forward has not worked yet.")
        arguments = {"retain_graph": True} if call.retain else {}
        if call.v is not None:
            arguments["gradient"] = self.torch.tensor(call.v, dtype=self.torch.float32)
        self.outputs[call.root].backward(**arguments)

    def _zero_(self, call):
        for leaf in self._chosen(call):
            leaf.grad.zero_()

    def _none(self, call):
        for leaf in self._chosen(call):
            leaf.grad = None

    def _step(self, call):
        with self.torch.no_grad():
            for leaf in self.leaves.values():
                if leaf.grad is not None:
                    leaf -= self.lr * leaf.grad

    def _chosen(self, call):
        return [self.leaves[call.leaf]] if call.leaf else list(self.leaves.values())


class _Heard:
    """Listens to a pass: which nodes ran, how many gave up values, what leaves were given."""

    def __init__(self):
        self.order, self.added, self.freed = [], {}, 0

    def ran(self, node, g, grads, freed):
        self.order.append(node)
        self.freed += bool(freed)

    def accumulated(self, leaf, g, before):
        self.added[id(leaf)] = g.tolist()


def _sorted_out(results):
    """(leaves that require grad, all other results) of what a whole program returned."""
    results = _named(results, "output")
    leaves = {name: t for name, t in results.items() if t.is_leaf and t.requires_grad}
    outputs = {name: t for name, t in results.items() if name not in leaves}
    _check_sizes({name: leaf.numel() for name, leaf in leaves.items()})
    if not leaves:
        raise Refused(
            "The program returned no leaf that requires grad. End it with a dict of its "
            'leaves and results: return {"x": x, "y": y}.'
        )
    return leaves, outputs or results


def _named(results, name):
    """{name: tensor} of what a function returned."""
    results = results if isinstance(results, dict) else {name: results}
    for key, tensor in results.items():
        if not hasattr(tensor, "backward"):
            raise Refused(
                f"The function returned something of type {type(tensor).__name__} as {key}; it "
                'must return a tensor, or a dict of tensors: return {"y": y}.'
            )
    return {str(key): tensor for key, tensor in results.items()}


def _check_sizes(sizes):
    for name, size in sizes.items():
        if not 1 <= size <= MAX_ELEMENTS:
            raise Refused(
                f"{name} has {size} elements; the ledger shows leaves of 1 to {MAX_ELEMENTS}."
            )


def _own_example(function, inputs, leaves):
    """A learner's own function as an example."""
    parameters = [
        p
        for p in inspect.signature(function).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    names = [p.name for p in parameters]
    required = [p.name for p in parameters if p.default is p.empty]
    if not inputs and not leaves:
        if len(required) > 1:
            raise TypeError(
                f"GradLedger(f, ...) needs numbers for the leaves {', '.join(required)}: "
                f"GradLedger(f, {', '.join(f'{name}=2' for name in required)})."
            )
        run = function if names else (lambda torch: function())
        return Example(
            "your program", source_of(function) or f"{_name(function)}(torch)", run, None
        )
    takes_torch = names[:1] == ["torch"] or len(required) == len(inputs) + len(leaves) + 1
    names = names[takes_torch:]
    values = dict(zip(names, inputs)) | leaves
    missing = [name for name in required[takes_torch:] if name not in values]
    unknown = [name for name in leaves if name not in names]
    if missing or unknown or len(inputs) > len(names):
        raise TypeError(
            f"The function's leaves are {', '.join(names) or 'none'}; numbers were given for "
            f"{', '.join([*leaves, *map(str, inputs)])}."
        )
    values = {name: read_array(value) for name, value in values.items()}
    _check_sizes({name: value.size for name, value in values.items()})

    def run(torch, **tensors):
        arguments = [torch] if takes_torch else []
        return function(*arguments, *[tensors[name] for name in names if name in tensors])

    formula = source_of(function) or f"{_name(function)}({', '.join(values)})"
    return Example(
        "your function",
        f"y = {formula}",
        run,
        {name: value.tolist() for name, value in values.items()},
    )


def _name(function):
    name = getattr(function, "__name__", "f")
    return "f" if name == "<lambda>" else name


def _read_upstream(value):
    if value is None or isinstance(value, str) and value.strip().lower() in ("", "none"):
        return None
    return read_array(value).tolist()


# --- what nodes keep ------------------------------------------------------------------------------

_WRITTEN = {"x": "self", "y": "other", "out": "result"}


def _read_kept(node, session):
    """[(where to read it, name, text)] of the values that a node keeps and a pass frees."""
    if isinstance(node, FunctionCtx):  # of a Function of the learner's own
        try:
            saved = node.saved_tensors
        except RuntimeError:  # one was changed before forward had ended: no numbers to show
            return [(0, "saved", "")]
        return [
            (k, session.name_of(tensor) or f"saved {k + 1}", _short(tensor))
            for k, tensor in enumerate(saved)
            if tensor is not None
        ]
    plan, found = getattr(node, "plan", None), []
    for name in plan.names if plan is not None and plan.frees else ():
        if name not in (*node.operands, *node.tensor_params, "out"):
            continue
        try:
            value = getattr(node, f"_saved_{name}")
        except RuntimeError:
            found.append((name, _WRITTEN.get(name, name), ""))
            continue
        if value is not None:
            known = session.name_of(value)
            found.append((name, known or _WRITTEN.get(name, name), _short(value)))
    return found


def _state(node, where):
    """Whether a saved value can still be read: "kept", "freed" or "changed"."""
    try:
        if isinstance(where, int):
            node.saved_tensors
        else:
            getattr(node, f"_saved_{where}")
    except RuntimeError as error:
        if str(error) == FREED:
            return "freed"
        return "changed" if isinstance(where, int) or _is_changed(node, where) else "kept"
    return "kept"


def _is_changed(node, name):
    """Whether it is this one of a node's saved values that was changed in place."""
    if name == "out":
        return True
    position = node.plan.names.index(name)
    saved = node.saved[position]
    expected = node.versions[position] if node.versions else 0
    return getattr(saved, "_version", 0) != expected


def _short(value):
    values = value.detach().tolist() if hasattr(value, "detach") else value
    text = written(values)
    if len(text) > KEPT_LETTERS:
        return f"shape {shape(value.shape)}"
    return text


def _depths(nodes):
    """A key that orders nodes by how far they are from the leaves, then by age."""
    depths = {}
    for node in sorted(nodes, key=lambda node: node.number):
        if hasattr(node, "variable"):
            depths[id(node)] = 0
    for node in sorted(nodes, key=lambda node: node.number):
        below = [depths.get(id(n), 0) for n, _ in node.next_functions if n is not None]
        depths.setdefault(id(node), 1 + max(below, default=0))
    return lambda node: (depths[id(node)], node.number)


# --- comparing and writing --------------------------------------------------------------------


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


def digits(value):
    """A number with up to four decimals, as a tensor prints it; tiny ones as they are."""
    if value == value and 1e-4 <= abs(value) < 1e7:
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return number(value)


def written(values):
    """A leaf's numbers or its .grad on one line."""
    return "None" if values is None else nested(values, digits)


def _count(number_of, noun):
    return f"{number_of} {noun}" + ("" if number_of == 1 else "s")
