"""The leaf inspector: what each tensor of a small program says about itself, after the program ran.

A tick is a line of code, put in after the line that makes the tensor. Both engines run the program
line by line until one fails.
"""

from collections import namedtuple
from functools import partial

from ...compare import engines
from ...compare.agreement import AS_PRINTED
from ...compare.results import record, value_of
from ...show.formatting import kind_of, table, wrapped
from ...show.typed_numbers import Refused, read_array
from ..predict_card.model import read_choice, same, written
from ..shared.example_model import ExampleModel
from ..shared.model import action, at, one_of, plain, shown, truth
from ..shared.torch_answer import Question
from .examples import EXAMPLES
from .program import COLUMNS, IN_STEPS, TICKS, own_steps, run, with_ticks

# A line of the program as it was run. state: "ran", "failed" or "not reached".
Line = namedtuple("Line", "text ticked state")
# One run: its steps, those of ticks among them, and what the tensors said, as `run` names it.
_Shown = namedtuple("_Shown", "example ticks steps rows stopped line warned")


class LeafInspector(ExampleModel):
    """Tick what happens to each tensor of a small program; see its flags, grad_fn and .grad.

    what: the name of an example ("23 hook").
    named: in its place a program of your own, step by step: `LeafInspector(x=[1, 2], y=lambda x:
        x * 2)`. Numbers make a leaf, a function takes the tensors before it by their names.
    v: the upstream gradient of your program's last result; left out, its sum goes backward.
    predict: a column to cover and predict first, such as "grad".

    Errors of a program are shown with the line they came from. A program that cannot be read raises
    `Refused`, in one sentence; a later action that cannot be done is refused in `message`.
    """

    known = EXAMPLES
    shows = (
        "example_name lines ticks rows error warnings predicting guesses revealed results "
        "message refused_at"
    )
    hidden = "The column is covered until you compare."

    def __init__(self, what=None, *, v=None, predict="", **named):
        what = "flags" if what is None and not named else what
        super().__init__(what, (), named, v=v)
        if predict:
            self.predicting = one_of("grad" if predict is True else predict, COLUMNS, "column")

    @action
    def tick(self, name, what, on=True):
        """Tick or untick "requires_grad", "detach", "in_place", "retain_grad" or "hook"."""
        name, what = one_of(name, self.names, "tensor", "tick"), one_of(what, TICKS, "tick", "tick")
        on = truth(on)
        ticks = {key: value for key, value in self.ticks.items() if key != (name, what)}
        self._run(self.example, ticks)
        if on != self.is_ticked(name, what):  # as it is without a tick
            self._run(self.example, {**ticks, (name, what): on})

    @action
    def untick_all(self):
        """The program as it was."""
        self._run(self.example, {})

    @action
    def predict(self, column):
        """Cover a column to predict it: "is_leaf", ..., "grad"; "" covers none."""
        self.predicting = one_of(column, ("", *COLUMNS), "column", "predict")
        self.revealed, self.guesses = False, {}

    @action
    def guess(self, name, value):
        """Guess the covered column's entry for one tensor, typed or given; "" takes it back."""
        self._check_predicting()
        name = one_of(name, self.names, "tensor", "guess")
        guesses = {key: guess for key, guess in self.guesses.items() if key != name}
        with at(("guess", name)):
            if self.revealed:
                raise Refused("The column is shown; the first guesses stay.")
            if str(value).strip():
                guesses[name] = self._read_guess(value)
        self.guesses = guesses

    @action
    def compare(self):
        """Uncover the column and compare the guesses with it."""
        self._check_predicting()
        if not self.guesses:
            raise Refused("Guess at least one entry of the column, or press show me.", "guess")
        self.revealed = True

    @action
    def show(self):
        """Uncover the column without comparing: always allowed."""
        self.revealed = bool(self.predicting)

    ticks = shown("ticks", "{(tensor, tick): True or False}; False switches requires_grad off.")
    rows = shown("rows", '{tensor: {column: text, "grad": lists or None}}; None: not reached.')
    error = shown("stopped", 'The error that stopped the program, "RuntimeError: ...", or None.')
    warnings = shown("warned", "What was warned while the program ran, and when .grad was read.")

    @property
    def names(self):
        """The names of the tensors, in order of appearance."""
        return list(self.rows)

    @property
    def lines(self):
        """The program's lines as they were run, those that were ticked among them."""
        steps, failed = self._shown.steps, self._shown.line
        failed = len(steps) if failed is None else failed
        states = ["ran"] * failed + ["failed"] + ["not reached"] * len(steps)
        return [Line(step.text, step.ticked, state) for step, state in zip(steps, states)]

    @property
    def failed_line(self):
        """The text of the line that failed, or None."""
        return next((line.text for line in self.lines if line.state == "failed"), None)

    @property
    def covered(self):
        """Whether a column is hidden until it is compared."""
        return bool(self.predicting) and not self.revealed

    @property
    def choices(self):
        """What the covered column's entries may be; None where numbers are typed."""
        if self.predicting in ("", "grad"):
            return None
        made = {row[self.predicting] for row in self.rows.values() if row}
        if self.predicting == "grad_fn":
            return ["None", *sorted({*made, "AccumulateGrad"} - {"None"})]
        if self.predicting == "_version":
            return [str(version) for version in range(1 + max(3, *map(int, made)))]
        return ["True", "False"]

    @property
    def results(self):
        """{tensor: whether its guess is right} for what was guessed; empty while covered."""
        if not self.revealed:
            return {}
        rows, column = self.rows, self.predicting
        return {
            name: rows[name] is not None and same(guess, rows[name][column], AS_PRINTED)
            for name, guess in self.guesses.items()
        }

    def is_ticked(self, name, what):
        """Whether a tick box is ticked; that of requires_grad shows how the tensor is."""
        row = self.rows[name] or {}  # what was not reached has no flags
        as_it_is = what == "requires_grad" and row.get(what) == "True"
        return self.ticks.get((name, what), as_it_is)

    def cell(self, name, column):
        """One entry of the table as text."""
        row = self.rows[name]
        if row is None:
            return "not reached" if column == COLUMNS[0] else ""
        return written(row[column]) + (", warns" if column == "grad" and row["warns"] else "")

    def cells(self, name):
        """{column: its entry}, "?" where it is covered."""
        covered = self.predicting if self.covered else None
        return {one: "?" if one == covered else self.cell(name, one) for one in COLUMNS}

    def guess_text(self, name):
        """A tensor's guess as text."""
        return written(self.guesses[name])

    def comparison(self, answer=None):
        """{tensor: "" where PyTorch agrees, else what differs}; of the error and warnings, too.

        None where PyTorch has no answer.
        """
        theirs = plain((answer or self.torch_answer(wait=True)).found)
        if theirs is None:
            return None
        differs = {
            "the error": "" if self.error == theirs["stopped"] else "differs",
            "the warnings": "" if self.warnings == theirs["warned"] else "differs",
        }
        for name, one in self.rows.items():
            other = theirs["rows"].get(name)
            if one is None or other is None:
                differs[name] = "" if one is other else "not reached"
            else:
                differs[name] = ", ".join(key for key in one if not same(one[key], other[key]))
        return differs

    def agreement_line(self, answer):
        """One sentence: whether PyTorch says the same."""
        differs = self.comparison(answer)
        if differs is None:
            return f"PyTorch: {answer.text}"
        wrong = [f"{name}: {text}" for name, text in differs.items() if text]
        if wrong:
            return f"PyTorch ({answer.text}) differs: {'; '.join(wrong)}"
        error = ", and the error's text" if self.error and not self.covered else ""
        return f"PyTorch ({answer.text}): every entry is equal{error}."

    def score_line(self):
        """ "3 of 4 right", once guesses were compared."""
        results = self.results
        return f"{sum(results.values())} of {len(results)} right" if results else ""

    def _told(self):
        if self.results:
            return f"{self.predicting}: {self.score_line()}."
        if self.error:
            return f"{self.failed_line} failed. {self.error}"
        return "; ".join(f"{name}.grad is {self.cell(name, 'grad')}" for name in self.names) + "."

    def summary(self):
        state = ", ".join(f"{name}.grad = {self.cell(name, 'grad')}" for name in self.names)
        if self.covered:
            state = f"the column {self.predicting} is covered"
        elif self.error:
            state = f"{self.failed_line} failed"
        return f"Leaf inspector, {self.example.name}: {state}"

    def text(self, answer=None):
        answer = answer or self.torch_answer(wait=True)
        parts = [wrapped("", f"Leaf inspector, {self.example.title}")]
        marks = {"failed": "   <- failed", "not reached": "   (not reached)"}
        for line in self.lines:
            mark = "" if self.covered else marks.get(line.state, "")
            parts.append(wrapped("  + " if line.ticked else "    ", line.text + mark))
        parts.append(self._table_text(answer))
        if not self.covered:
            parts += [wrapped("error    ", self.error)] if self.error else []
            parts += [wrapped("warning  ", text) for text in self.warnings]
        parts += [wrapped("guessed  ", self.score_line())] if self.results else []
        parts.append(wrapped("", self.agreement_line(answer)))
        return self._joined(parts)

    def _table_text(self, answer):
        differs = self.comparison(answer)
        rows = [("name", *COLUMNS, "PyTorch")]
        for name in self.names:
            cells = self.cells(name)
            if name in self.results:
                wrong = f" \u2260 you: {self.guess_text(name)}"
                cells[self.predicting] += " =" if self.results[name] else wrong
            sign = "" if differs is None else f"\u2260 {differs[name]}" if differs[name] else "="
            rows.append((name, *cells.values(), sign))
        return table(rows, [8, 13, 15, 18, 14, 10, 18, 8])

    def _own(self, function, inputs, named, v, few):
        if function is not None:
            program = f"a program in steps, {IN_STEPS}"
            raise Refused(f"Give an example's name, or {program}; not {kind_of(function)}.")
        return own_steps(named, v)

    def _open(self, example):
        self._run(example, {})
        self.predicting = ""

    def _run(self, example, ticks):
        steps = with_ticks(example.steps, ticks)
        seen = plain(value_of(record(run(steps, engines.minigrad))))
        self._shown = _Shown(example, ticks, steps, **seen)
        self.revealed, self.guesses = False, {}

    def question(self):
        """What PyTorch's tensors say after the same lines."""
        key = _key(self.example, self.ticks) if self._recorded_as() else None
        return Question(partial(run, self._shown.steps), key, what="for this program")

    def _check_predicting(self):
        if not self.predicting:
            raise Refused("Choose a column to predict first.", "predict")

    def _read_guess(self, value):
        if self.choices is not None:
            return read_choice(value, self.choices)
        return None if str(value).strip().lower() == "none" else read_array(value).tolist()


def _key(example, ticks):
    ticked = sorted(f"{name}.{what}={on}" for (name, what), on in ticks.items())
    return " ".join(["LeafInspector", example.name, *ticked])


def programs_to_record():
    """{key: program}: every example as it opens, and the first with each single tick."""
    asked = [(example, {}) for example in EXAMPLES.values()]
    for name in ("x", "c", "y", "z"):
        for what in TICKS:
            on = what != "requires_grad" or name == "c"
            asked.append((EXAMPLES["flags"], {(name, what): on}))
    return {_key(one, ticks): partial(run, with_ticks(one.steps, ticks)) for one, ticks in asked}
