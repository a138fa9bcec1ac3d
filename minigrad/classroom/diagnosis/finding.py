"""What a diagnosis consists of: findings, each with its line, its numbers, and the smallest change."""

from dataclasses import dataclass, field, replace

from ..formatting import number
from ..shown import Shown, element, escape

KINDS = {  # {kind: (what it looks for, why that matters, the lesson that explains it)}
    "needs-v": (
        "backward() of a result with several elements",
        "Without an upstream gradient only a single number can be differentiated.",
        "02-ask-for-more",
    ),
    "wrong-shape-v": (
        "an upstream gradient of another shape than its output",
        "Each output needs its own weight: v has exactly the output's shape.",
        "02-ask-for-more",
    ),
    "graph-freed": (
        "a second pass through a graph that is gone",
        "A pass lets go of what the graph had saved; the next one needs a graph of its own.",
        "09-free-graph",
    ),
    "leaf-in-place": (
        "a parameter changed in place while recording",
        "The change of a leaf cannot be part of its own graph; a step is no part of the loss.",
        "10-tell-leaves",
    ),
    "value-changed": (
        "numbers changed that a pass still needed",
        "The pass needs the numbers that were there in forward, and they are overwritten.",
        "09-free-graph",
    ),
    "no-graph": (
        "backward() where nothing was recorded",
        "Without a record there is no way back from the loss to any parameter.",
        "10-tell-leaves",
    ),
    "integer-leaf": (
        "whole numbers that should require a gradient",
        "A derivative asks for small changes, and whole numbers have none.",
        "10-tell-leaves",
    ),
    "left-the-graph": (
        "a parameter that became a result",
        "backward() fills .grad of leaves only: the name now stands for something computed.",
        "10-tell-leaves",
    ),
    "no-gradient": (
        "a parameter that no gradient reaches",
        "What gets no gradient never learns.",
        "10-tell-leaves",
    ),
    "cleared-before-step": (
        "a gradient cleared before the step that needs it",
        "The step finds no gradient, so nothing moves.",
        "08-add-up-grad",
    ),
    "not-updated": (
        "a parameter with gradients that never moves",
        "backward() only computes gradients; it moves nothing.",
        "01-nudge-number",
    ),
    "gradient-not-cleared": (
        "steps with the sum of all gradients so far",
        "backward() adds to .grad, so each step goes on with gradients of earlier ones.",
        "08-add-up-grad",
    ),
    "broadcast-loss": (
        "a prediction and a target stretched against each other",
        "Every prediction is compared with every target: the best answer is then their mean.",
        "06-multiply-matrices",
    ),
    "graph-grows": (
        "steps that hold on to all graphs before them",
        "Nothing of the earlier steps can be freed: memory fills, and it may get slower.",
        "09-free-graph",
    ),
    "graph-kept": (
        "a graph kept for a second pass that never comes",
        "Keeping costs memory in every step, and hides errors that would help.",
        "09-free-graph",
    ),
    "uphill": (
        "steps along the gradient of a loss, not against it",
        "The gradient points to where the loss grows.",
        "01-nudge-number",
    ),
    "diverges": (
        "a loss that runs away",
        "Steps that are too large jump over the lowest point, each further than the one before.",
        "02-ask-for-more",
    ),
}


@dataclass(frozen=True)
class Change:
    """The smallest change: in `line` `old` becomes `new`; without `old`, `new` is put in after it.

    `line` 0 is before the first. `apply` gives the program with it.
    """

    line: int
    new: str
    old: str = ""
    first_line: int = 1  # as the editor counts

    def apply(self, text):
        """The program, changed."""
        lines = text.splitlines()
        if not self.old:
            lines[self.line : self.line] = self.new.splitlines()
        else:
            lines[self.line - 1] = lines[self.line - 1].replace(self.old, self.new, 1)
        return "\n".join(lines)

    def __str__(self):
        line = self.line + self.first_line - 1
        if not self.old:
            return f"after line {line}, put in:  {self.new.strip()}"
        return f"in line {line}, for  {self.old}  write  {self.new or 'nothing'}"


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
        return KINDS[self.kind][1]

    @property
    def lesson(self):
        """The lesson that explains it."""
        return KINDS[self.kind][2]

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
