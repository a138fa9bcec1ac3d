"""The leaf inspector: what each tensor of a small program says about itself, after the program ran.

The learner ticks "detach here", "in-place here" and so on: each tick is a line of code, put into
the program after the line that makes the tensor. The program is then run with minigrad and with
PyTorch, line by line until one fails, and the tensors are asked: is_leaf, requires_grad, grad_fn,
retains_grad, _version, grad. A column may be covered and predicted first.

It is complete without ipywidgets; `views/inspector.py` only draws it.
"""

from dataclasses import dataclass

from .. import agreement, engines, recorded
from ..formatting import nested, table, wrapped
from ..typed_numbers import Refused, read_array, read_number
from .base import action, one_of, truth
from .example_model import ExampleModel
from .inspector_examples import EXAMPLES
from .inspector_own import EXAMPLE_RESULT, own_program, own_steps
from .inspector_run import TICKS, record_key, run, with_ticks
from .torch_answer import live_unless_mixed, missing, stored

COLUMNS = ("is_leaf", "requires_grad", "grad_fn", "retains_grad", "_version", "grad")


@dataclass(frozen=True)
class Line:
    """A line of the program as it was run. state: "ran", "failed" or "not reached"."""

    text: str
    ticked: bool
    state: str


@dataclass(frozen=True)
class _Shown:
    """One run of the program: its steps with the ticks among them, and what the tensors said."""

    steps: list
    record: dict


class LeafInspector(ExampleModel):
    """The model of the leaf inspector.

    what: the name of an example ("23 hook", see `LeafInspector.presets()`), or a whole program,
        `def program(torch): ...; return {"x": x, "y": y}`, whose named tensors are inspected;
        unless it calls backward itself, backward is called on the sum of its last result.
    steps: instead, an own program step by step, `x=[1, 2, 3], y=lambda x: x * 2`: numbers make a
        leaf, a function takes earlier tensors by their names (and `torch`). Every tick works in it.

    Errors of a program are shown with the line they came from. What cannot be done is refused:
    `message` says why and nothing changes.
    """

    known = EXAMPLES

    def __init__(self, what=None, **steps):
        super().__init__()
        if steps and what is not None:
            raise TypeError(
                f"Give either a program or its steps: LeafInspector(x=[1, 2], y={EXAMPLE_RESULT})."
            )
        if steps or callable(what):
            self.own = own_steps(steps) if steps else own_program(what)
        self._open(self.own or self._find("flags" if what is None else what))

    @staticmethod
    def presets():
        """The names of the examples that can be loaded."""
        return list(EXAMPLES)

    @staticmethod
    def title_of(example):
        return f"{example.name}:  {example.question}"

    # --- what a learner does; each returns the model, so that a cell shows the result ------------

    @action
    def tick(self, name, what, on=True):
        """Tick or untick one of "requires_grad", "detach", "in_place", "retain_grad", "hook"."""
        name, what = self._name(name), one_of(what, TICKS, "tick", "tick")
        self._check_tick(what)
        self._tick(name, what, truth(on))

    @action
    def untick_all(self):
        """The program as it was."""
        self.ticks = {}
        self._run()

    @action
    def predict(self, column):
        """Cover a column to predict it: "is_leaf", ..., "grad"; "" covers none."""
        self.predicting = one_of(column, ("", *COLUMNS), "column", "predict")
        self.revealed, self.guesses = False, {}

    @action
    def guess(self, name, value):
        """Guess the covered column's entry for one tensor; text as typed, or a value."""
        self._check_predicting()
        name = self._name(name)
        if isinstance(value, str) and not value.strip():
            self.guesses.pop(name, None)
            return
        try:
            self.guesses[name] = self._read_guess(value)
        except Refused as refusal:
            self._refuse("guess", f"{name}: {refusal}")

    @action
    def compare(self):
        """Run the program and compare the guesses with what it gives."""
        self._check_predicting()
        if not self.guesses:
            raise Refused("Guess at least one entry of the column, or press show me.", "guess")
        self.revealed = True

    @action
    def show(self):
        """Uncover the column without comparing: always allowed."""
        self.revealed = bool(self.predicting)

    # --- what it shows --------------------------------------------------------------------------

    @property
    def names(self):
        """The names of the tensors, in order of appearance."""
        return self.program.names or list(self._shown.record["rows"])

    @property
    def lines(self):
        """The program's lines as they were run, with those that were ticked."""
        failed = self._shown.record["failed"]
        states = [
            "ran" if failed is None or k < failed else "failed" if k == failed else "not reached"
            for k in range(len(self._shown.steps))
        ]
        return [
            Line(step.text, ticked, state) for (step, ticked), state in zip(self._shown.steps, states)
        ]

    @property
    def rows(self):
        """{tensor: {column: value}}; None for a tensor whose line was not reached."""
        return {name: self._shown.record["rows"].get(name) for name in self.names}

    @property
    def error(self):
        """The error that stopped the program, "RuntimeError: ...", or None."""
        error = self._shown.record["error"]
        return None if error is None else ": ".join(part for part in error if part)

    @property
    def failed_line(self):
        """The text of the line that failed, or None."""
        failed = self._shown.record["failed"]
        return None if failed is None else self._shown.steps[failed][0].text

    @property
    def warnings(self):
        """Sentences: what was warned while the program ran, and when .grad was read."""
        told = list(self._shown.record["warnings"])
        reading = {}
        for name, row in self._shown.record["rows"].items():
            if row["warning"]:
                reading.setdefault(row["warning"], []).append(f"{name}.grad")
        told += [f"Reading {_and(names)} warns: {text}" for text, names in reading.items()]
        return told

    @property
    def covered(self):
        """Whether a column is still hidden behind the question."""
        return bool(self.predicting) and not self.revealed

    @property
    def choices(self):
        """What the covered column's entries may be; None where numbers are typed."""
        if self.predicting in ("is_leaf", "requires_grad", "retains_grad"):
            return ["True", "False"]
        if self.predicting == "grad_fn":
            made = {row["grad_fn"] for row in self._shown.record["rows"].values()} - {None}
            return ["None", *sorted(made | {"AccumulateGrad"})]
        if self.predicting == "_version":
            return ["0", "1", "2", "3"]
        return None

    @property
    def results(self):
        """{tensor: whether its guess is right} for what was guessed; empty while covered."""
        if not self.predicting or not self.revealed:
            return {}
        return {name: self._is_right(name, guess) for name, guess in self.guesses.items()}

    def is_ticked(self, name, what):
        """Whether a tick box is ticked; requires_grad shows how the tensor is."""
        if what != "requires_grad":
            return bool(self.ticks.get((name, what)))
        if (name, what) in self.ticks:
            return self.ticks[name, what]
        row = self._shown.record["rows"].get(name)
        if row is not None:
            return row["requires_grad"]
        return any(step.name == name and step.grad for step in self.program.steps)

    def cell(self, name, column):
        """One entry of the table as text."""
        row = self._shown.record["rows"].get(name)
        if row is None:
            return "not reached" if column == COLUMNS[0] else ""
        return _text(row[column]) + (", warns" if column == "grad" and row["warning"] else "")

    def stored_answer(self):
        """PyTorch's record of a run as it was stored: of the examples with at most one tick."""
        if EXAMPLES.get(self.program.name) is self.program:
            found, version = recorded.old_answer("inspector", record_key(self.program, self.ticks))
            if found is not None:
                return stored(version, found)
        return missing("for this program")

    def comparison(self, answer=None):
        """{tensor: "" where PyTorch agrees, else what differs}; "error" and "warnings" too.

        None where PyTorch has no answer.
        """
        theirs = (answer or self.torch_answer(wait=True)).found
        if theirs is None:
            return None
        ours, found = self._shown.record, {}
        for name in self.names:
            first, second = ours["rows"].get(name), theirs["rows"].get(name)
            if first is None or second is None:
                found[name] = "" if first is second else "not reached"
            else:
                found[name] = ", ".join(
                    c for c in (*COLUMNS, "warning") if not _same(first[c], second[c])
                )
        for what in ("error", "warnings"):
            found[what] = "" if ours[what] == theirs[what] else "differs"
        return found

    def agreement_line(self, answer=None):
        """One sentence: whether PyTorch says the same."""
        answer = answer or self.torch_answer(wait=True)
        found = self.comparison(answer)
        if found is None:
            return f"PyTorch: {answer.text}"
        wrong = {name: text for name, text in found.items() if text}
        if not wrong:
            error = ", and the error's text" if self.error and not self.covered else ""
            return f"PyTorch ({answer.text}): every entry is equal{error}."
        return f"PyTorch ({answer.text}) differs: " + "; ".join(
            f"{n}: {t}" for n, t in wrong.items()
        )

    def guess_text(self, name):
        """A tensor's guess as text."""
        return _text(self.guesses[name])

    def score_line(self):
        """ "3 of 4 right", once a guess was compared."""
        results = self.results
        return f"{sum(results.values())} of {len(results)} right" if results else ""

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return f"Not used: {self.message} Nothing else changed."
        if self.covered:
            return f"The column {self.predicting} is covered until you compare."
        if self.results:
            return f"{self.predicting}: {self.score_line()}."
        if self.error:
            return f"{self.failed_line} failed. {self.error}"
        return "; ".join(f"{name}.grad is {self.cell(name, 'grad')}" for name in self.names) + "."

    def state(self):
        """Everything the inspector shows, as plain values."""
        return {
            "program": self.program.name,
            "lines": [vars(line) for line in self.lines],
            "ticks": dict(self.ticks),
            "rows": self.rows,
            "error": self.error,
            "warnings": self.warnings,
            "predicting": self.predicting,
            "guesses": dict(self.guesses),
            "revealed": self.revealed,
            "results": self.results,
            "message": self.message,
        }

    def __repr__(self):
        return self.text()

    def table_text(self, answer=None):
        """The table of tensors as text."""
        found = self.comparison(answer or self.torch_answer(wait=True))
        heading = ("name", *COLUMNS, "PyTorch")
        rows = []
        for name in self.names:
            cells = []
            for column in COLUMNS:
                hidden = column == self.predicting and self.covered
                text = "\u2026" if hidden else self.cell(name, column)
                if column == self.predicting and name in self.results:
                    mark = (
                        "\u2713" if self.results[name] else f"\u2717 you: {self.guess_text(name)}"
                    )
                    text += f" {mark}"
                cells.append(text)
            sign = "" if found is None else "=" if not found[name] else "\u2260 " + found[name]
            rows.append((name, *cells, sign))
        return table([heading, *rows], [8, 13, 15, 18, 14, 10, 18, 8], gap="  ")

    def text(self, answer=None):
        """The inspector as text. answer: PyTorch's side, if not the live one."""
        answer = answer or self.torch_answer(wait=True)
        parts = [wrapped("", f"Leaf inspector, {self.program.name}: {self.program.question}")]
        for line in self.lines:
            mark = "+ " if line.ticked else "  "
            state = {"failed": "   <- failed", "not reached": "   (not reached)"}.get(
                line.state, ""
            )
            parts.append(f"  {mark}{line.text}{'' if self.covered else state}")
        parts.append(self.table_text(answer))
        if not self.covered:
            if self.error:
                parts.append(wrapped("error    ", self.error))
            parts += [wrapped("warning  ", text) for text in self.warnings]
        if self.results:
            parts.append(wrapped("guessed  ", self.score_line()))
        parts.append(self.agreement_line(answer))
        if self.message:
            parts.append(wrapped("refused: ", self.message))
        return "\n".join(parts)

    # --- inside -----------------------------------------------------------------------------------

    def _open(self, program):
        self.program = program
        self.ticks = {}  # {(tensor, tick): True or False}
        self.predicting = ""  # the column that is asked for
        self._run()

    def _run(self):
        steps = with_ticks(self.program, self.ticks)
        self._shown = _Shown(steps, run([step for step, _ in steps], engines.minigrad))
        self.revealed, self.guesses = False, {}

    def _ask_torch(self, torch):
        found = run([step for step, _ in self._shown.steps], torch)
        return live_unless_mixed(torch, found, found["error"])

    def _tick(self, name, what, on):
        before = dict(self.ticks)
        self.ticks.pop((name, what), None)
        if what == "requires_grad":
            self._run()
            if self.is_ticked(name, what) != on:  # how it is without a tick
                self.ticks[name, what] = on
        elif on:
            self.ticks[name, what] = True
        if self.ticks != before or what == "requires_grad":
            self._run()

    def _name(self, name):
        return one_of(name, self.names, "tensor", "tick")

    def _check_predicting(self):
        if not self.predicting:
            raise Refused("Choose a column to predict first.", "predict")

    def _check_tick(self, what):
        if not any(step.several for step in self.program.steps):
            return
        if self.program.steps[-1].several:
            raise Refused(
                "Your program calls backward itself, so a tick would come too late. Leave backward "
                "out: the inspector calls it.",
                "tick",
            )
        if what == "detach":
            raise Refused(
                "Your program runs as a whole, so nothing can be detached in the middle. Give "
                f"it in steps: LeafInspector(x=[1, 2], y={EXAMPLE_RESULT}).",
                "tick",
            )

    def _read_guess(self, value):
        column = self.predicting
        if column == "grad":
            if value is None or isinstance(value, str) and value.strip().lower() == "none":
                return None
            return read_array(value).tolist()
        if column == "_version":
            number = read_number(value)
            if number != int(number) or number < 0:
                raise Refused("A version is a whole number such as 0 or 1.")
            return int(number)
        text = str(value).strip()
        for choice in self.choices:
            if text.lower() == choice.lower():
                if column == "grad_fn":
                    return None if choice == "None" else choice
                return choice == "True"
        raise Refused(f"Choose one of: {', '.join(self.choices)}.")

    def _is_right(self, name, guess):
        row = self._shown.record["rows"].get(name)
        return row is not None and _same(guess, row[self.predicting], (5e-4, 1e-6))


# --- comparing and writing --------------------------------------------------------------------


def _same(first, second, tolerance=agreement.ROUNDING["float32"]):
    numbers = (int, float, list)
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, numbers) and isinstance(second, numbers):
        return agreement.agree(first, second, tolerance)
    return first == second


def _text(value):
    return (
        nested(value)
        if isinstance(value, (int, float, list)) and not isinstance(value, bool)
        else str(value)
    )


def _and(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
