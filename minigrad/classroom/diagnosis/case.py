"""One program and its run, and what the rules ask about both."""

import contextlib
import gc
import re
import signal
import threading
import warnings

import numpy as np

import minigrad
from minigrad.autograd import watch

from .changes import rewritten
from .finding import Change, Diagnosis, Finding
from .kind import HARD
from .kinds import KINDS
from .notes import Notes
from .sites import Site
from .source import Source

MISSING_GRAD = {"left-the-graph", "no-gradient", "cleared-before-step"}  # None where it is read
# What explains why a loss runs away.
HIDING = {"gradient-not-cleared", "uphill", "not-finite", "upstream-unused"}


class OutOfTime(BaseException):
    """The program has run for as long as it may. No `except Exception` of its own catches this."""


class Case:
    """A program on minigrad, with the notes of its one run. cell: its text and what it may read."""

    def __init__(self, cell, seconds):
        self.text, self.notes = cell.source, Notes()
        self.source, self.file = Source(self.text, cell.first_line), cell.file
        self.error, self.line = None, 0  # what stopped it, in which line
        with warnings.catch_warnings(record=True) as self.warned, watch(self.notes):
            warnings.simplefilter("default")  # each warning once
            gc.freeze()  # a look at what is still alive passes over all that was there before
            try:
                with time_limit(seconds):
                    results = cell(minigrad)
                if cell.stopped and not isinstance(cell.stopped[1], SystemExit):
                    in_editor, self.error = cell.stopped
                    self.line = in_editor - cell.first_line + 1
                for value in results.values() if not self.error else ():  # of its last line
                    print(repr(value))
            except OutOfTime as error:
                self.error = error
            finally:
                gc.unfreeze()
            self.known = self.notes.finish()  # all leaves that require grad, as the text has them
            self.known.sort(key=lambda leaf: self.text.find(leaf.name))
        # Whether a function of another cell reads a .grad.
        self.hides_grad = any("grad" in code.co_names for code in cell.code_taken())
        self.derives = bool(re.search(r"\bgrad\(|\binputs=", self.text))  # grad(), inputs=

    @property
    def looks_well(self):
        """Whether the loss of each training fell to a hundredth: what is odd does no visible harm.

        Errors whose squares are summed are then a tenth. With something cut, stretched or forgotten
        the tests' programs end at a third and above, the smallest ones at 1.3 hundredths.
        """
        sites = [one for one in self.notes.sites.values() if one.moves and one.losses]
        return bool(sites) and all(0 <= one.last[-1] < one.losses[0] / 100 for one in sites)

    @property
    def misses_grad(self):
        """Whether the program stopped because a .grad was None."""
        leaves = [*self.notes.leaves.values(), *self.notes.gone]
        missed = [leaf.missed for leaf in leaves] + list(self.notes.missed_results.values())
        is_read = not self.notes.passes or any(self.line in lines for lines in missed)
        return "NoneType" in str(self.error) and is_read

    def at(self, line):
        """A line as sentences tell it: "line 7"."""
        return f"line {self.source.in_editor(line)}"

    def root_name(self, line):
        """The name on which a line calls backward(), or that it hands to grad(); or ""."""
        pattern = r"([\w.]+)\.backward\(|\b(?:grad|backward)\(\s*\[?([\w.]+)"
        found = re.search(pattern, self.source.text(line))
        return (found[1] or found[2]) if found else ""

    def hardened(self, line):
        """Where what a line calls backward() on became whole numbers, or yes and no; or 0."""
        source, found = self.source, []
        for one in [line, *source.leading_to(line, self.root_name(line))]:
            behind = source.leading_to(one, *re.findall(r"[A-Za-z_]\w*", source.text(one)))
            is_recorded = not self.notes.recording.isdisjoint([one, *behind])
            found += [one] if is_recorded and HARD.search(source.text(one)) else []
        return min(found, default=0)

    def unguarded(self, lines):
        """The first of some lines that reads a .grad and is not prepared to find None; or 0."""
        for line in lines:
            text, target = self.source.text(line), re.escape(self.source.target(line) or "-")
            is_checked = self.source.having(rf"\b{target} is (not )?None")  # g = p.grad, say
            if ".grad" in text and not is_checked and not re.search("(is|is not|==|!=) None", text):
                return line
        return 0

    def reads_grad(self, name=""):
        """Whether the program does more with name.grad, or with any, than to clear it."""
        of = rf"(?<![\w.]){re.escape(name)}" if name else ""
        read = rf"{of}\.grad\b(?! =|\.zero_\(|\.data\.zero_\(| is\b)"
        return self.hides_grad or bool(self.source.having(read))

    @property
    def cuts(self):
        """The lines where numbers left the graph, those last where they were only looked at."""
        off, text = self.notes.off, self.source.text
        return sorted(self.notes.cuts, key=lambda k: ("print(" in text(k), k in off, k))

    def cut_of(self, leaf):
        """The line where the way back to a leaf was cut; or 0."""
        return next((line for line in self.cuts if leaf in self.notes.cuts[line]), 0)

    def diagnosis(self):
        """What the rules find, the surest first: for each kind the findings of one rule."""
        found = self._cause()
        for kind in KINDS.values() if not isinstance(self.error, SyntaxError) else ():
            kinds = {one.kind for one in found}
            is_hidden = kind.name in ("uphill", "diverges") and kinds & HIDING
            proved = kind.name in MISSING_GRAD and self.misses_grad
            for rule in kind.rules if not is_hidden and kind.name not in kinds else ():
                told = {one[0]: one for one in rule(self) if one[0] <= len(self.source.lines)}
                found += [self.finding(kind, *one, certain=proved) for one in told.values()]
        return Diagnosis(found, self._problem(), was_run=True)

    def _cause(self):
        """What the error proves: one finding, or none."""
        for kind in KINDS.values():
            for part, rule in kind.errors.items():
                told = rule(self) if re.search(part, str(self.error)) else None
                if told:
                    return [self.finding(kind, *told, certain=True)]
        return []

    def _problem(self):
        """What ended the program, in a sentence."""
        if isinstance(self.error, OutOfTime) or self.error is None:
            return str(self.error or "")
        kind = type(self.error).__name__
        text = f"It stopped in {self.at(self.line)}: {kind}: {self.error}"
        left = "named 'minigrad." in text or "torchvision" in text
        return text + " (This small engine leaves that to PyTorch.)" * left

    def finding(self, kind, line, sentence, lines=None, advice="", *, certain=False):
        """A finding. lines: the changed ones, else the kind's own. certain: an error proves it."""
        line = line or next(iter(self.notes.sites), 1)  # unknown where another cell made it
        lines = rewritten(self.source, kind.fixes, line) if lines is None else lines
        change = Change(self.source, lines) if lines else None
        sites = [one for one in self.notes.sites.values() if kind.drawn]
        drawn = max(sites, key=lambda one: len(one.losses), default=Site(0))
        in_editor, code = self.source.in_editor(line), self.source.lines[line - 1].strip()
        advice, certain = advice or kind.advice, certain or kind.certain
        return Finding(
            kind.name, in_editor, code, sentence, advice, change, certain, drawn.losses, drawn.apart
        )


@contextlib.contextmanager
def time_limit(seconds):
    """Raise OutOfTime after so many seconds, where Python has an alarm: not in a browser."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_):
        raise OutOfTime(f"It was stopped after {seconds:g} seconds; this was found by then.")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        with np.errstate():  # a program stopped while it switches these warnings leaves them off
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
