"""What a diagnosis consists of: findings, each with its line and the smallest change."""

import ast
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from ..show import pictures
from ..show.formatting import number
from ..show.html import Html, Shown, tag
from .kind import KINDS


class Change:
    """The smallest change: {line: what then stands there}, for some lines of a `Source`."""

    def __init__(self, source, lines):
        self.source = source
        # A line such as `h = h` goes away.
        self.lines = {k: re.sub(r"^([\w.]+) = \1$", "pass", text) for k, text in lines.items()}

    def apply(self):
        """The program, changed."""
        try:
            ast.parse(without := self._with(gone=[]))
        except SyntaxError:  # nothing else stands in that block
            return self._with(gone=["pass"])
        return without

    def _with(self, gone):
        found = list(self.source.lines)
        for line, text in sorted(self.lines.items(), reverse=True):
            there, new = self.source.all_at(line), gone if text == "pass" else text.split("\n")
            first, last = there[0].first, max(one.last for one in there)
            found[first - 1 : last] = [there[0].indent + one for one in new]
        return "\n".join(found)

    def __str__(self):
        parts = []
        for line, text in sorted(self.lines.items()):
            new, old, there = text.split("\n"), self.source.text(line), self.source.all_at(line)
            first, last = (self.source.in_editor(k) for k in (there[0].first, there[-1].last))
            goes, becomes = "goes away", "becomes"
            where = f"line {last}"
            if first < last:
                where, goes, becomes = f"lines {first} to {last}", "go away", "become"
            if text == "pass":
                new, what = [], f"{where} {goes}"
            elif new[0] == old:
                new, what = new[1:], f"after line {last} comes"
            elif new[-1] == old:
                new, what = new[:-1], f"before line {first} comes"
            else:
                what = f"{where} {becomes}"
            parts += [what, *(there[0].indent + one for one in new)]
        return "\n".join(parts)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. line: what caused it, code: that line as it is written.

    sentence: what was seen, with its numbers; advice: what to do, in words; change: the same as a
    `Change`, or None. certain: whether it is wrong whatever was meant; otherwise it is told as a
    question. losses: to be drawn, and how many passes they are apart.
    """

    kind: str
    line: int
    code: str
    sentence: str
    advice: str = ""
    change: Change | None = None
    certain: bool = True
    losses: Sequence[float] = ()
    apart: int = 1

    def told(self, k):
        """Its parts as pairs (element, text); k: its number."""
        kind = KINDS[self.kind]
        yield "h4", f"{k}. line {self.line}: {self.kind}"
        yield "pre", self.code
        yield "li", f"Seen: {self.sentence}" + " Is this meant?" * (not self.certain)
        yield "li", f"Why: {kind.why}" if self.certain else f"If not: {kind.why}"
        yield "li", f"Change: {self.advice}"
        if self.change:
            yield "pre", str(self.change)
        yield "li", f"Lesson: {kind.lesson}"


class Diagnosis(Shown):
    """What was found. findings: the surest first; problem: what else stopped the program, or ""."""

    def __init__(self, findings, problem="", was_run=False):
        self.findings, self.problem = findings, problem
        self._parts = [("p", problem)]
        for k, one in enumerate(findings, 1):
            self._parts += one.told(k)
        if was_run and not findings:
            told = "Nothing was found. That does not mean that the program learns: watch the loss."
            if problem:
                told = "Nothing was found up to there, and what follows was not run."
            self._parts.append(("p", told))
        indent = {"li": "   ", "pre": "      "}
        texts = [textwrap.indent(text, indent.get(kind, "")) for kind, text in self._parts]
        super().__init__("\n".join(filter(None, texts)), "")

    def _repr_html_(self):
        indent = {"li": ("p", "margin: 0 0 0 1.5em"), "pre": ("pre", "margin: 0 0 0 3em")}
        styled = [(*indent.get(kind, (kind, "")), text) for kind, text in self._parts if text]
        parts = [tag(name, text, style=style) for name, style, text in styled]
        drawn = [_picture(one.losses, one.apart) for one in self.findings]
        return tag("div", parts, drawn, class_="mg-diagnosis")


def _picture(losses, apart):
    """The loss over the steps, where that can be drawn; small, as it stands below many lines."""
    if len(losses) < 3 or not all(abs(loss) < 1e30 for loss in losses):
        return None
    alt = f"The loss over the steps, from {number(losses[0])} to {number(losses[-1])}."
    steps = range(0, apart * len(losses), apart)
    return Html(pictures.lines({"loss": losses}, steps, alt=alt, y_label="loss", width=360).html)
