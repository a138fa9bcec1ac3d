"""Then and now: what the old documents printed, what the same cells do today, what mends them."""

from collections import namedtuple
from collections.abc import Sequence
from functools import partial

from ...compare import engines
from ...compare.results import difference, written
from ...show.formatting import kind_of, wrapped
from ...show.typed_numbers import Refused
from ..predict_card.model import PredictCard
from ..shared.example_model import ExampleModel
from ..shared.model import action, at, one_of
from ..shared.model import shown as held
from ..shared.old_rule import old_rule
from ..shared.torch_answer import Question
from .alignment import same_numbers
from .cells import run_cells
from .examples import EXAMPLES

TODAY, EDITED, OLD_RULE = SIDES = ("today", "edited", "old rule")
# What came of a run, as who predicts it chooses.
SAME, OTHER, ERROR, RAN = "the document's numbers", "other numbers", "an error", "it runs"

# now, mended: what minigrad showed, as `run_example` names it.
_Shown = namedtuple("_Shown", "example now mended")


class ThenAndNow(ExampleModel):
    """What an old document printed, beside it what its cells do today.

    what: the name of an excerpt, "the gradient [1, 1]", or a row that it holds, "S4-15".
    side: what stands beside the document at first: "today" (as it stands), "edited" (with the
        smallest edit that brings the numbers back) or "old rule" (acted out, wrong on purpose).
    predict: True covers the result until a guess is committed or "show me" is asked.
    """

    known = EXAMPLES
    shows = "example_name side covered message lines"

    def __init__(self, what="the gradient [1, 1]", *, side=TODAY, predict=False):
        self.side = one_of(side, SIDES, "side")
        super().__init__(what, predict=predict)

    @action
    def choose(self, side):
        """Put another run beside the document: "today", "edited" or "old rule"."""
        with at("side"):
            side = one_of(side, SIDES, "side")
            self._check_uncovered()
            if side == EDITED and self.mended is None:
                raise Refused(f"In {self.example.name} nothing has to be mended.")
            self._act_out(side)

    old: list | None = None  # what each cell shows by the old rule; None unless it is acted out
    how: Sequence[str] = ()  # a sentence for each gradient that the old rule made fit
    cells = held("example.cells", "The document's cells.")
    now = held("now", "What each cell shows today by minigrad; nothing after one that failed.")
    mended = held("mended", "The same after the smallest edit; None where nothing is to be mended.")

    def shown(self, side=None):
        """What each cell shows on a side, by default the chosen one."""
        return {TODAY: self.now, EDITED: self.mended, OLD_RULE: self.old}[side or self.side]

    def code(self, side=None):
        """The source of each cell as it is run on a side, by default the chosen one."""
        example, side = self.example, side or self.side
        besides = () if side == TODAY else example.besides
        edits = example.edits if side == EDITED else ()
        return example.code(*example.stand_ins, *besides, *edits)

    def output(self, position, side=None):
        """(what a cell shows on a side, whether it failed); of a given cell only an error is told.

        None in place of a text where the run did not reach it.
        """
        return self._output(self.shown(side), position)

    def _output(self, shown, position):
        if position >= len(shown):
            return None, False
        failed = "error" in shown[position]
        quiet = self.cells[position].given and not failed
        return "" if quiet else told(shown[position]), failed

    def question(self):
        """What PyTorch shows for each cell, today and edited."""
        program = partial(run_example, self.example)
        return Question(program, self._recorded_as(), what="for this program")

    def their_output(self, position, answer):
        """What PyTorch shows for a cell in place of minigrad's, as `output`; None if the same."""
        run = {TODAY: "now", EDITED: "mended"}.get(self.side)
        if answer.found is None or run is None or self.agrees(answer):
            return None
        theirs = self._output(answer.found[run], position)
        return None if theirs == self.output(position) else theirs

    def agrees(self, answer=None):
        """Whether PyTorch shows the same as minigrad, in every cell of both runs."""
        found = (answer or self.torch_answer(wait=True)).found
        both = ("now", self.now), ("mended", self.mended)
        return found is not None and all(_agree(ours, found[name]) for name, ours in both)

    def outcome(self, side=None):
        """What came of a run beside what the document printed: SAME, OTHER, ERROR or RAN."""
        shown = self.shown(side)
        if any("error" in results for results in shown):
            return ERROR
        looked_at = [(cell, seen) for cell, seen in zip(self.cells, shown) if not cell.given]
        then = "\n".join(cell.printed for cell, _ in looked_at)
        now = "\n".join(seen["printed"]["value"] for _, seen in looked_at if "printed" in seen)
        if not then.strip():
            return RAN
        return SAME if same_numbers(then, now) else OTHER

    def verdict(self, side=None):
        """The same in a sentence."""
        outcome = self.outcome(side)
        if outcome == ERROR:
            return "Refused."
        said = {
            SAME: "The document's numbers",
            OTHER: "Other numbers than the document's",
            RAN: "It runs; the document prints nothing here",
        }[outcome]
        looked_at = (r for cell, r in zip(self.cells, self.shown(side)) if not cell.given)
        warned = any(name.startswith("warning") for results in looked_at for name in results)
        return f"{said}, with a warning." if warned else f"{said}."

    def torch_line(self, answer):
        """PyTorch's side in one sentence."""
        if answer.found is None:
            return answer.text
        said = "the same, word for word" if self.agrees(answer) else "differs"
        return f"{said} ({answer.text})"

    def _told(self):
        return f"{self.example.name}, {self.side}: {self.verdict()}"

    def lines(self, answer=None):
        """What it shows, as (label, text) pairs. answer: PyTorch's side, if not the live one."""
        lines = []
        for k, (cell, code) in enumerate(zip(self.cells, self.code(TODAY))):
            lines.append((cell.label or "code", code))
            if cell.printed and not cell.given:
                lines.append(("then", cell.printed))
            if not self.covered:
                shown = self.output(k, TODAY)[0]
                if shown != "":
                    lines.append(("today", "not reached" if shown is None else shown))
        if self.covered:
            return lines
        answer = answer or self.torch_answer(wait=True)
        lines += [("verdict", self.verdict(TODAY)), ("PyTorch", self.torch_line(answer))]
        if answer.found and not self.agrees(answer):
            lines.append(("", self._news(answer.found["now"])))
        if self.mended is not None:
            old, new = ("\n".join(self.code(side)).splitlines() for side in (TODAY, EDITED))
            edited = [f"- {a}\n+ {b}" for a, b in zip(old, new) if a != b]
            lines.append(("edit", "\n".join(edited)))
            lines.append(("edited", f"{self._news(self.mended)}\n{self.verdict(EDITED)}".strip()))
        if self.old is not None:
            told = [*self.how, self._news(self.old), self.verdict(OLD_RULE)]
            told = ["acted out, wrong on purpose", *filter(None, told)]
            lines.append(("old rule", "\n".join(told)))
        return lines

    def summary(self):
        if self.covered:
            return f"Then and now, {self.example.name}: covered until you commit a guess."
        mended = "" if self.mended is None else f" After the edit: {self.verdict(EDITED)}"
        return f"Then and now, {self.example.name}. Today: {self.verdict(TODAY)}{mended}"

    def text(self, answer=None):
        text = [wrapped("Then and now: ", self.example.title)]
        note = [] if self.covered else [("note", self.example.note)]
        for label, lines in [*self.lines(answer), *note]:
            for k, line in enumerate(lines.splitlines() or [""]):
                head = f"  {label * (k == 0):<13} "  # its own indent stays where a line is broken
                indent = " " * (len(line) - len(line.lstrip(" ")))
                text.append(wrapped(head + indent, line.strip()) if line.strip() else head.rstrip())
        text += [self.card.text()] if self.covered else []
        return self._joined(text, "  refused       ")

    def _find(self, name):
        """The excerpt of this name, or the one that holds this row."""
        rows = {row: one for one in self.known.values() for row in one.row.split()}
        return rows[name] if isinstance(name, str) and name in rows else super()._find(name)

    def _own(self, function, inputs, named, v, few):
        raise Refused(
            f"Give an excerpt's name, not {kind_of(function)}. A program of yours runs on both "
            "engines by compare(program)."
        )

    def _open(self, example):
        self._shown = _Shown(example, **run_example(example, engines.minigrad))
        self._cover()
        covered = self.covered or self.side == EDITED and self.mended is None
        self._act_out(TODAY if covered else self.side)

    def _act_out(self, side):
        """Put this run beside the document; the old rule's is run now."""
        self.side = side
        self.old, self.how = None, []
        if side != OLD_RULE:
            return
        with old_rule() as told:
            self.old = run_cells(self.code(OLD_RULE), engines.minigrad)
        how = list(told)
        if told and self.code(OLD_RULE) != self.code(TODAY):
            how.append("The edits that are not about the gradient were made here, too.")
        nothing = "No gradient here has another shape than its output: nothing to adapt."
        self.how = how or [nothing]

    def _question(self):
        printed = any(cell.printed and not cell.given for cell in self.cells)
        return PredictCard(
            f"{self.example.name}, run as it stands: what does it show today?",
            lambda: self.outcome(TODAY),
            choices=[SAME, OTHER, ERROR] if printed else [RAN, ERROR],
            why=self.example.note,
        )

    def _news(self, shown):
        """What a run showed that today's did not, as text."""
        places = (k for k, one in enumerate(shown) if self.now[k : k + 1] != [one])
        return "\n".join(filter(None, (self._output(shown, k)[0] for k in places)))


def run_example(example, torch):
    """{"now": what each cell shows on one engine, "mended": the same after the edit, or None}."""
    mending, mended = (*example.besides, *example.edits), None
    now = run_cells(example.code(*example.stand_ins), torch)
    if mending:
        mended = run_cells(example.code(*example.stand_ins, *mending), torch)
    return {"now": now, "mended": mended}


def told(results):
    """The records of one cell as it would stand under it."""
    texts = []
    for name, result in results.items():
        text = result["value"] if name == "printed" else written(result)
        if name not in ("printed", "error") and not name.startswith("warning"):
            text = f"{name} = {text}"
        if text not in texts:  # one warning for each use is one too many
            texts.append(text)
    return "\n".join(texts)


def _agree(ours, theirs):
    if ours is None or theirs is None:
        return ours is theirs
    return len(ours) == len(theirs) and all(
        list(one) == list(other) and all(difference(one[name], other[name])[1] for name in one)
        for one, other in zip(ours, theirs)
    )


def programs_to_record():
    return {f"ThenAndNow {name}": partial(run_example, one) for name, one in EXAMPLES.items()}
