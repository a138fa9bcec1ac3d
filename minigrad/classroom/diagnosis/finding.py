"""What a diagnosis consists of: findings, each with its line and the smallest change."""

import re
from dataclasses import dataclass, field, replace

from ..formatting import number
from ..shown import Shown, element, escape

# Each kind with what it looks for, the lesson that explains it, and why it matters.
TABLE = """
needs-v: backward() of a result with several elements [02-ask-for-more]
    Without an upstream gradient only a single number can be differentiated.
wrong-shape-v: an upstream gradient of another shape than its output [02-ask-for-more]
    Each output needs its own weight: v has exactly the output's shape.
graph-freed: a second pass through a graph that is gone [09-free-graph]
    A pass lets go of what the graph had saved; the next one needs a graph of its own.
leaf-in-place: a parameter changed in place while recording [10-tell-leaves]
    The change of a leaf cannot be part of its own graph; a step is no part of the loss.
value-changed: numbers changed that a pass still needed [09-free-graph]
    The pass needs the numbers that were there in forward, and they are overwritten.
no-graph: backward() where nothing was recorded [10-tell-leaves]
    Without a record there is no way back from the loss to any parameter.
integer-leaf: whole numbers that should require a gradient [10-tell-leaves]
    A derivative asks for small changes, and whole numbers have none.
left-the-graph: a parameter that became a result [10-tell-leaves]
    backward() fills .grad of leaves only: the name now stands for something computed.
no-gradient: a parameter that no gradient reaches [10-tell-leaves]
    What gets no gradient never learns.
cleared-before-step: a gradient cleared before the step that needs it [08-add-up-grad]
    The step finds no gradient, so nothing moves.
not-updated: a parameter with gradients that never moves [01-nudge-number]
    backward() only computes gradients; it moves nothing.
gradient-not-cleared: steps with the sum of all gradients so far [08-add-up-grad]
    backward() adds to .grad, so each step goes on with gradients of earlier ones.
broadcast-loss: a prediction and a target stretched against each other [06-multiply-matrices]
    Every prediction is compared with every target: the best answer is then their mean.
graph-grows: steps that hold on to all graphs before them [09-free-graph]
    Nothing of the earlier steps can be freed: memory fills, and it may get slower.
graph-kept: a graph kept for a second pass that never comes [09-free-graph]
    Keeping costs memory in every step, and hides errors that would help.
uphill: steps along the gradient of a loss, not against it [01-nudge-number]
    The gradient points to where the loss grows.
diverges: a loss that runs away [02-ask-for-more]
    Steps that are too large jump over the lowest point, each further than the one before.
"""
KINDS = {  # {kind: (what, lesson, why)}
    kind: (what, lesson, why)
    for kind, what, lesson, why in re.findall(r"(.+?): (.+) \[(.+)\]\n +(.+)", TABLE)
}


@dataclass(frozen=True)
class Change:
    """The smallest change: in `line` `old` becomes `new`; without `old`, `new` is put in after it.

    also: changes that belong to it. `apply` gives the program with all of them.
    """

    line: int
    new: str
    old: str = ""
    also: tuple = ()
    first_line: int = 1  # as the editor counts

    def apply(self, text):
        """The program, changed."""
        lines = text.splitlines()
        for one in sorted((self, *self.also), key=lambda one: -one.line):
            if one.old:
                lines[one.line - 1] = lines[one.line - 1].replace(one.old, one.new, 1)
            else:
                lines[one.line : one.line] = one.new.splitlines()
        return "\n".join(lines)

    def __str__(self):
        return "; ".join(one.told(self.first_line) for one in (self, *self.also))

    def told(self, first_line):
        """One change, in words."""
        line = self.line + first_line - 1
        if not self.old:
            return f"after line {line}, put in:  {self.new.strip()}"
        return f"in line {line}, for  {self.old}  write  {self.new or 'nothing'}"


def all_of(changes):
    """Changes as one, the first of each line; None if there are none."""
    first, *others = {one.line: one for one in reversed([c for c in changes if c])}.values() or [
        None
    ]
    return first and replace(first, also=tuple(others))


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. line: what caused it; sentence: what was seen, with its numbers.

    raised: the line that stopped, if another. change: a `Change`, or None; advice: what to do, in
    words. numbers: {label: values} to draw.
    """

    kind: str
    line: int
    sentence: str
    advice: str = ""
    change: Change | None = None
    raised: int = 0
    numbers: dict = field(default_factory=dict)

    @property
    def why(self):
        """Why that matters."""
        return KINDS[self.kind][2]

    @property
    def lesson(self):
        """The lesson that explains it."""
        return KINDS[self.kind][1]

    def counted_from(self, first_line):
        """The same with its lines as the editor counts them."""
        change = self.change and replace(self.change, first_line=first_line)
        raised = self.raised and self.raised + first_line - 1
        return replace(self, line=self.line + first_line - 1, raised=raised, change=change)

    def told(self):
        """The parts as pairs (label, text)."""
        parts = [("Seen", self.sentence), ("Why", self.why)]
        if self.advice or self.change:
            change = f"{self.change}" if self.change else ""
            parts.append(("Change", " ".join(filter(None, [self.advice, change]))))
        return [*parts, ("Lesson", self.lesson)]


class Diagnosis(Shown):
    """What was found. findings: the surest first; problem: what else stopped the program, or ""."""

    def __init__(self, findings, problem="", first_line=1, code=()):
        self.findings, self.problem, self._code = list(findings), problem, list(code)
        self._first = first_line
        super().__init__("\n".join(self._lines()), "")

    def _title(self, one):
        text = f"line {one.line}: {one.kind}"
        return text + (f" (it stopped in line {one.raised})" if one.raised else "")

    def _source(self, one):
        place = one.line - self._first
        return self._code[place].strip() if 0 <= place < len(self._code) else ""

    def _lines(self):
        found = [self.problem] if self.problem else []
        for k, one in enumerate(self.findings, 1):
            found += [f"{k}. {self._title(one)}", f"     {self._source(one)}"]
            found += [f"   {label}: {text}" for label, text in one.told()]
        if not self.findings:
            found += [self._nothing(), *(f"   {kind}: {KINDS[kind][0]}" for kind in KINDS)]
        return found

    def _nothing(self):
        until = " until then" if self.problem else ""
        return f"Nothing of what I look for{until}. I look for:"

    def _repr_html_(self):
        parts = [element("p", escape(self.problem))] if self.problem else []
        for k, one in enumerate(self.findings, 1):
            parts.append(element("p", element("b", escape(f"{k}. {self._title(one)}"))))
            parts.append(element("pre", escape(self._source(one))))
            told = [element("li", f"<b>{a}</b>: {escape(text)}") for a, text in one.told()]
            parts.append(element("ul", "".join(told)))
            parts.append(_picture(one))
        if not self.findings:
            rows = (element("li", f"<code>{kind}</code>: {KINDS[kind][0]}") for kind in KINDS)
            parts += [element("p", self._nothing()), element("ul", "".join(rows))]
        return element("div", "".join(parts), class_="mg-diagnosis")


def _picture(finding):
    """The finding's numbers over the steps, where that can be drawn."""
    if not finding.numbers:
        return ""
    try:
        from .. import pictures
    except ImportError:
        return ""
    [(label, values)] = finding.numbers.items()
    alt = f"The {label} over {len(values)} steps, from {number(values[0])} to {number(values[-1])}."
    return pictures.lines(finding.numbers, alt=alt, y_label=label)._repr_html_()
