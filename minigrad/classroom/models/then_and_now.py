"""Then and now: what the old documents printed, what the same cells do today, and what mends them.

Each example is some cells of a document of 2017 to 2019. The model holds what they printed then,
runs them today on minigrad and on PyTorch, and once more with the smallest edit that brings the old
numbers back. On request they are also run by the old rule, which made any gradient fit
(`old_rule.py`, wrong on purpose). A learner's own program has no "then"; it is run on both engines.
"""

import difflib
import inspect
import re
import textwrap
from dataclasses import dataclass

from .. import engines, recorded
from ..formatting import wrapped
from ..results import difference, run, written
from .base import action, truth
from .cells import run_cells
from .example_model import ExampleModel
from .old_cells import EXAMPLES, Example, OldCell
from .old_rule import old_rule
from .predict import PredictCard
from .torch_answer import TorchAnswer, live, missing, stored

_SIZE_LINE = re.compile(r"\[torch\.FloatTensor of size [\dx]+\]|grad_fn=<\w+>")
_TODAY = {  # how a verdict begins: the choice of who predicts it
    "The document's numbers": "the document's numbers",
    "Other numbers": "other numbers",
    "Refused": "an error",
}
_NUMBER = re.compile(r"\bNone\b|\binf\b|\bnan\b|-?\d+\.?\d*(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Run:
    """What one engine showed: for each cell that was reached its records, see `results.run`.

    mended: the same after the smallest edit; None where there is nothing to mend.
    """

    now: list
    mended: list | None


@dataclass
class _Shown:
    """What has been run of one example, each at most once: learners go back and forth."""

    run: Run  # by minigrad
    torch: TorchAnswer | None = None
    old: tuple | None = None


class ThenAndNow(ExampleModel):
    """The model of then and now.

    what: the name of an example ("S4-15", see `names()`), or a learner's own `program(torch)`, as
        `compare` takes it.
    old_rule: whether the old rule is acted out from the start.
    predict: True covers the result until a guess is committed or "show me" is asked.
    """

    known = EXAMPLES

    def __init__(self, what="S4-15", *, old_rule=False, predict=False):
        super().__init__(predict)
        self.old_rule = bool(old_rule)
        if callable(what):
            self.own = _own_example(what)
        self._runs = {}  # {name of an example: its _Shown}
        self._open(self.own or self._find(what))

    @staticmethod
    def names():
        """The names of the examples, in the order of their documents."""
        return list(EXAMPLES)

    @staticmethod
    def title_of(example):
        return f"{example.name}: {example.title}"

    # --- what a learner does ---------------------------------------------------------------------

    @action
    def set_old_rule(self, on=True):
        """Act out the rule of before 2019, or put it away."""
        self.old_rule = truth(on)

    # --- what it shows ---------------------------------------------------------------------------

    @property
    def cells(self):
        """The document's cells: label, code, what they printed then, and whether they are given."""
        return self.example.cells

    @property
    def code(self):
        """The source of each cell as it is run today."""
        return self.example.code(*self.example.inputs)

    @property
    def now(self):
        """What each cell shows today by minigrad; nothing after a cell that failed."""
        return self._shown.run.now

    @property
    def mended(self):
        """The same after the smallest edit; None where nothing has to be mended."""
        return self._shown.run.mended

    @property
    def edit(self):
        """The smallest edit that restores the document, as (sign, line) pairs: "-", "+"."""
        example = self.example
        before, after = (
            "\n".join(sources).splitlines()
            for sources in (self.code, example.code(*example.inputs, *example.edits))
        )
        return [
            (line[0], line[2:])
            for line in difflib.ndiff(before, after)
            if line[0] in "+-" and line[2:].strip()
        ]

    def stored_answer(self):
        """PyTorch's `Run` from the record alone."""
        found, version = recorded.old_answer("then_and_now", self.example.name)
        if found is None or self.example is self.own:
            return missing("for this program")
        return stored(version, Run(**found))

    def agrees(self, theirs=None):
        """Whether PyTorch shows the same as minigrad, in every cell."""
        ours, theirs = self._shown.run, (theirs or self.torch_answer(wait=True)).found
        return theirs is not None and all(
            _agree(one, other) for one, other in ((ours.now, theirs.now),
                                                  (ours.mended, theirs.mended))
        )

    def old_run(self):
        """(what each cell shows by the old rule, a sentence for each gradient it made fit)."""
        if self._shown.old is None:
            example = self.example
            kept = [change for change in example.edits if not change.shape]
            with old_rule() as told:
                if example.program:
                    shown = [_run_program(example.program, engines.minigrad)]
                else:
                    shown = run_cells(example.code(*example.inputs, *kept), engines.minigrad)
            how = told or ["No gradient here has another shape than its output: nothing to adapt."]
            if kept and told:
                how = [*told, "The edits that are not about the gradient were made here, too."]
            self._shown.old = shown, list(how)
        return self._shown.old

    def verdict(self, shown):
        """What to say of a run beside what the document printed, in a sentence."""
        if any("error" in results for results in shown):
            return "Refused."
        looked_at = [pair for pair in zip(self.cells, shown) if not pair[0].given]
        then = "\n".join(cell.printed for cell, _ in looked_at)
        now = "\n".join(results.get("printed", {}).get("value", "") for _, results in looked_at)
        warned = any(name.startswith("warning") for _, results in looked_at for name in results)
        if not then.strip():
            said = "It runs" if self.example is self.own else "It runs; the document prints nothing here"
        elif same_numbers(then, now):
            said = "The document's numbers"
        else:
            said = "Other numbers than the document's"
        return said + (", with a warning." if warned else ".")

    def lines(self, theirs=None):
        """What it shows, as (label, text) pairs. theirs: PyTorch's side, if not the live one."""
        lines = []
        for k, (cell, code) in enumerate(zip(self.cells, self.code)):
            lines.append((cell.label or "code", code))
            if cell.printed and not cell.given:
                lines.append(("then", cell.printed))
            if self.today(k) and not self.covered:
                lines.append(("today", self.today(k)))
        if self.covered:
            return lines
        theirs = theirs or self.torch_answer(wait=True)
        lines.append(("verdict", self.verdict(self.now)))
        lines.append(("PyTorch", self.torch_line(theirs)))
        if self.mended is not None:
            lines.append(("edit", "\n".join(f"{sign} {line}" for sign, line in self.edit)))
            lines.append(("edited", f"{self.outcome(self.mended)}\n{self.verdict(self.mended)}".strip()))
        if self.old_rule:
            shown, how = self.old_run()
            text = "\n".join(["acted out, wrong on purpose", *how, self.outcome(shown)]).rstrip()
            lines.append(("old rule", f"{text}\n{self.verdict(shown)}"))
        return lines

    def today(self, position):
        """What the cell at this position shows today; of a given one only an error."""
        if position >= len(self.now):
            return "not reached"
        results = self.now[position]
        return told(results) if "error" in results or not self.cells[position].given else ""

    def torch_line(self, theirs):
        """PyTorch's side in one sentence; where it differs, what it shows."""
        if theirs.found is None:
            return theirs.text
        if self.agrees(theirs):
            return f"the same, word for word ({theirs.text})"
        return f"differs ({theirs.text}):\n{self.outcome(theirs.found.now)}"

    def outcome(self, shown):
        """What another run showed that today's did not, as text, without the given cells."""
        return "\n".join(
            told(results)
            for k, (cell, results) in enumerate(zip(self.cells, shown))
            if told(results) and (not cell.given or "error" in results)
            and (k >= len(self.now) or self.now[k] != results)
        )

    def announcement(self):
        """One sentence for a screen reader after a change."""
        if self.message:
            return self.message
        if self.covered:
            return f"{self.example.name}: what it does today is covered until you commit a guess."
        said = f"{self.example.name}, today: {self.verdict(self.now)}"
        if self.mended is not None:
            said += f" After the edit: {self.verdict(self.mended)}"
        if self.old_rule:
            said += f" By the old rule: {self.verdict(self.old_run()[0])}"
        return said

    def state(self):
        """Everything it shows, as plain values."""
        return {
            "example": self.example.name,
            "old_rule": self.old_rule,
            "covered": self.covered,
            "message": self.message,
            "lines": self.lines(),
        }

    def __repr__(self):
        return self.text()

    def text(self, theirs=None):
        """Then and now as text. theirs: PyTorch's side, if not the live one."""
        text = [wrapped("Then and now: ", f"{self.example.name}, {self.example.title}")]
        note = [] if self.covered else [("note", self.example.note)]
        for label, lines in [*self.lines(theirs), *note]:
            for k, line in enumerate(lines.splitlines() or [""]):
                text.append(_indented(f"  {label if k == 0 else '':<13} ", line))
        if self.covered:
            text.append(repr(self.card))
        if self.message:
            text.append(wrapped("  refused       ", self.message))
        return "\n".join(text)

    # --- inside ----------------------------------------------------------------------------------

    def _open(self, example):
        if example.name not in self._runs:
            self._runs[example.name] = _Shown(run_example(example, engines.minigrad))
        self.example, self._shown = example, self._runs[example.name]
        self._cover()

    def _question(self):
        printed = any(cell.printed and not cell.given for cell in self.cells)
        answers = _TODAY if printed else {"It runs": "it runs", "Refused": "an error"}
        return PredictCard(
            f"{self.example.name}, run as it stands: what does it show today?",
            lambda: next(answers[start] for start in answers if self.verdict(self.now).startswith(start)),
            choices=list(answers.values()),
            why=self.example.note,
        )

    def _live_answer(self, torch):
        if self._shown.torch is None:
            self._shown.torch = live(torch, run_example(self.example, torch))
        return self._shown.torch


def run_example(example, torch):
    """The `Run` of an example on one engine."""
    if example.program:
        return Run([_run_program(example.program, torch)], None)
    now = run_cells(example.code(*example.inputs), torch)
    if not example.edits:
        return Run(now, None)
    return Run(now, run_cells(example.code(*example.inputs, *example.edits), torch))


def told(results):
    """The records of one cell as it would stand under it."""
    if results is None:
        return ""
    texts = []
    for name, result in results.items():
        if name == "printed":
            text = result["value"]
        elif name == "error" or name.startswith("warning"):
            text = written(result)
        else:
            text = f"{name} = {written(result)}"
        if text not in texts:  # one warning for each use is one too many
            texts.append(text)
    return "\n".join(texts)


def same_numbers(then, now):
    """Whether all numbers of an old output stand in a new one, to the digits printed then."""
    old, new = (_NUMBER.findall(_SIZE_LINE.sub("", text)) for text in (then, now))
    return len(old) == len(new) and all(map(_same_number, old, new))


def _same_number(old, new):
    if old == new:
        return True
    if "None" in (old, new):
        return False
    digits = len(old.partition(".")[2])
    return abs(float(old) - float(new)) <= 0.501 * 10.0**-digits


def _agree(ours, theirs):
    """Whether two engines showed the same, cell for cell."""
    if ours is None or theirs is None:
        return ours is theirs
    return len(ours) == len(theirs) and all(
        list(one) == list(other) and all(difference(one[name], other[name])[1] for name in one)
        for one, other in zip(ours, theirs)
    )


def _run_program(program, torch):
    results, problem = run(program, torch)
    return {"note": {"kind": "text", "value": problem}} if problem else results


def _own_example(program):
    try:
        source = textwrap.dedent(inspect.getsource(program)).rstrip()
    except (OSError, TypeError):
        source = f"{getattr(program, '__name__', 'program')}(torch)"
    return Example(
        "your program", "on both engines", (OldCell("", source),),
        "No document printed this, so there is no \"then\".", year="then", program=program,
    )


def _indented(label, line):
    """A line of code or output after a label; its own indent stays, long lines are broken."""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    return wrapped(label + indent, line.strip()) if line.strip() else label.rstrip()
