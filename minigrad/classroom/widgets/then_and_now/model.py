"""Then and now: what the old documents printed, what the same cells do today, what mends them."""

import re
from collections import namedtuple
from functools import partial

from ...compare import engines
from ...compare.cells import Code, builtins_for
from ...compare.results import run, written
from ...show.formatting import kind_of, wrapped
from ...show.typed_numbers import Refused
from ..shared.example_model import ExampleModel, programs_of
from ..shared.model import action, one_of, shown
from ..shared.old_rule import old_rule
from ..shared.torch_answer import Question
from .examples import EXAMPLES

TODAY, EDITED, OLD_RULE = SIDES = ("today", "edited", "old rule")
_SIZE = re.compile(r"\[torch\.FloatTensor of size [\dx]+\]")
_NUMBER = re.compile(r"\binf\b|-?\d+\.?\d*")

# runs: {side: (what each cell showed, whether the last one failed)}; made_to_fit: a sentence for
# each gradient that the old rule changed.
_Shown = namedtuple("_Shown", "example runs made_to_fit")


class ThenAndNow(ExampleModel):
    """What an old document printed, beside it what its cells do today.

    what: the name of an excerpt, "the gradient [1, 1]".
    """

    known = EXAMPLES
    shows = "example_name side message lines"
    side = TODAY  # which run stands beside the document

    def __init__(self, what="the gradient [1, 1]"):
        super().__init__(what)

    @action
    def choose(self, side):
        """Put another run beside the document: "today", "edited" or "old rule"."""
        self.side = one_of(side, SIDES, "side", "side")

    cells = shown("example.cells", "The document's cells.")
    made_to_fit = shown("made_to_fit", "How the old rule made each gradient fit, in sentences.")

    def code(self, side=None):
        """The source of each cell as it is run on a side, by default the chosen one."""
        return self.example.code((side or self.side) == EDITED)

    def failed(self, position, side=None):
        """Whether a cell failed on a side."""
        outputs, failed = self._shown.runs[side or self.side]
        return failed and position == len(outputs) - 1

    def output(self, position, side=None):
        """What a cell shows on a side; of a given cell only an error. None if not reached."""
        outputs, _ = self._shown.runs[side or self.side]
        if position >= len(outputs):
            return None
        is_quiet = self.cells[position].given and not self.failed(position, side)
        return "" if is_quiet else outputs[position]

    def question(self):
        """What PyTorch shows for each cell, today and edited."""
        program = partial(run_example, self.example)
        return Question(program, self._recorded_as(), what="for this program")

    def agrees(self, answer=None):
        """Whether PyTorch shows the same as minigrad, in every cell of both runs."""
        theirs = (answer or self.torch_answer(wait=True)).found
        ours = {side: self._shown.runs[side][0] for side in (TODAY, EDITED)}
        return theirs == ours

    def torch_line(self, answer):
        """PyTorch's side in one sentence."""
        if answer.found is None:
            return answer.text
        same = "the same, word for word" if self.agrees(answer) else "differs"
        return f"{same} ({answer.text})"

    def verdict(self, side=None):
        """What came of a run beside what the document printed, in a sentence."""
        outputs, failed = self._shown.runs[side or self.side]
        if failed:
            return "Refused."
        for cell, output in zip(self.cells, outputs):
            if not cell.given and numbers_in(output) != numbers_in(cell.printed):
                return "Other numbers than the document's."
        return "The document's numbers."

    def _told(self):
        return f"{self.example.name}, {self.side}: {self.verdict()}"

    def lines(self, answer=None):
        """What it shows, as (label, text) pairs. answer: PyTorch's side, if not the live one."""
        lines = []
        for k, (cell, code) in enumerate(zip(self.cells, self.code(TODAY))):
            lines.append((cell.label or "code", code))
            if cell.printed and not cell.given:
                lines.append(("then", cell.printed))
            today = self.output(k, TODAY)
            if today != "":
                lines.append(("today", "not reached" if today is None else today))
        answer = answer or self.torch_answer(wait=True)
        lines += [("verdict", self.verdict(TODAY)), ("PyTorch", self.torch_line(answer))]
        old, new = ("\n".join(self.code(side)).splitlines() for side in (TODAY, EDITED))
        lines.append(("edit", "\n".join(f"- {a}\n+ {b}" for a, b in zip(old, new) if a != b)))
        lines.append(("edited", f"{self._news(EDITED)}\n{self.verdict(EDITED)}"))
        if self.side == OLD_RULE:
            acted = ["acted out, wrong on purpose", *self.made_to_fit, self._news(OLD_RULE)]
            lines.append(("old rule", "\n".join([*acted, self.verdict()])))
        return lines

    def summary(self):
        today, edited = self.verdict(TODAY), self.verdict(EDITED)
        return f"Then and now, {self.example.name}. Today: {today} After the edit: {edited}"

    def text(self, answer=None):
        text = [wrapped("Then and now: ", self.example.title)]
        for label, lines in [*self.lines(answer), ("note", self.example.note)]:
            for k, line in enumerate(lines.splitlines()):
                head = f"  {label * (k == 0):<13} "  # its own indent stays where a line is broken
                indent = " " * (len(line) - len(line.lstrip(" ")))
                text.append(wrapped(head + indent, line.strip()) if line.strip() else head.rstrip())
        return self._joined(text, "  refused       ")

    def _own(self, function, inputs, named, v, few):
        raise Refused(
            f"Give an excerpt's name, not {kind_of(function)}. A program of yours runs on both "
            "engines by compare(program)."
        )

    def _open(self, example):
        torch = engines.minigrad
        runs = {side: run_cells(example.code(side == EDITED), torch) for side in (TODAY, EDITED)}
        with old_rule() as made_to_fit:
            runs[OLD_RULE] = run_cells(example.code(), torch)
        self._shown = _Shown(example, runs, tuple(made_to_fit))

    def _news(self, side):
        """What a run showed that today's did not, as text."""
        both = [(self.output(k, side), self.output(k, TODAY)) for k in range(len(self.cells))]
        return "\n".join(output for output, today in both if output and output != today)


def numbers_in(text):
    """The numbers of an output; those of its size do not count."""
    return [float(number) for number in _NUMBER.findall(_SIZE.sub("", text))]


def run_example(example, torch):
    """{side: what each cell shows on one engine}, today and edited."""
    return {side: run_cells(example.code(side == EDITED), torch)[0] for side in (TODAY, EDITED)}


def run_cells(sources, torch):
    """Run cells in order on one engine, as Jupyter would: ([what each shows], whether one failed).

    Nothing is run after a cell that failed. These are the documents' own cells; nothing that a
    learner types comes here.
    """
    names = {"torch": torch, "Variable": torch.autograd.Variable}
    names["__builtins__"] = builtins_for(torch)
    outputs, failed = [], False
    for source in sources:
        results, _ = run(partial(_run_cell, source, names), torch)
        outputs.append("\n".join(map(written, results.values())))
        failed = "error" in results
        if failed:
            break
    return outputs, failed


def _run_cell(source, names, _):
    """Run one cell; the value of a last expression is shown, as Jupyter shows it."""
    value = Code(source).run(names)
    if value is not None:
        print(repr(value))
    return {}


programs_to_record = partial(programs_of, ThenAndNow, run_example)
