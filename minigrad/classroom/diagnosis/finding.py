"""What a diagnosis consists of: findings, each with its line and the smallest change."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..show.formatting import number
from ..show.html import Shown, element, escape

# Each kind with what it looks for, the lesson that explains it, why it matters, and what to do.
TABLE = """
needs-v: backward() of a result with several elements [02-ask-for-more]
    With empty brackets, backward() starts from a single number.
    A loss is one number: take the mean. Else give backward() a v, one weight for each output.
wrong-shape-v: an upstream gradient of another shape than its output [02-ask-for-more]
    Each output needs its own weight: v has exactly the output's shape.
    Give v the output's shape; for equal weights, ones.
graph-freed: a second pass through a graph that is gone [09-free-graph]
    backward() frees what the graph, the record of how a result was computed, has saved.
    Add the two losses and call backward() once; or keep the graph the first time.
leaf-in-place: a parameter changed in place while recording [10-tell-leaves]
    The change of a leaf cannot be part of its own graph; a step is no part of the loss.
    Switch recording off for it.
value-changed: numbers changed that backward() still needed [10-tell-leaves]
    backward() needs the numbers with which the result was computed.
    Make a new tensor; what was computed before keeps the old one. Or change it after backward().
no-graph: backward() where nothing was recorded [10-tell-leaves]
    Without a record there is no way back from the loss to any parameter.
    Go on with the tensor itself.
integer-leaf: whole numbers that should require a gradient [10-tell-leaves]
    A derivative asks for small changes, and whole numbers have none.
    Make it of floats.
left-the-graph: a parameter that became a result [10-tell-leaves]
    backward() fills .grad of leaves, the tensors that you made. A result's .grad stays None.
    Change its numbers in place, with recording off (no_grad), and then clear its .grad.
no-gradient: a parameter that no gradient reaches [10-tell-leaves]
    What gets no gradient never learns; other parameters may.
    Go on with the tensor itself, not with its numbers.
cleared-before-step: a gradient cleared before the step that needs it [08-add-up-grad]
    The step finds no gradient, so nothing moves.
    Clear before backward(), or after the step, never in between.
not-updated: a parameter with gradients that never moves [01-nudge-number]
    backward() only computes gradients; it moves nothing.
    After backward(), make a step.
gradient-not-cleared: steps with the sum of all gradients so far [08-add-up-grad]
    backward() adds to .grad, so each step goes on with gradients of earlier ones.
    Clear the gradients after each step.
broadcast-loss: a prediction and a target stretched against each other [06-multiply-matrices]
    Every prediction is compared with every target: the best answer is then the mean of the targets.
    Give both the same shape.
graph-grows: steps that hold on to all graphs before them [09-free-graph]
    A graph is the record of how a result was computed. Here none is freed: memory fills.
    Keep the numbers without their graph: .detach(), or .item() for a Python number.
graph-kept: a graph kept for a second pass that never comes [09-free-graph]
    Keeping costs memory in every step, and hides errors that would help.
    Leave retain_graph=True out.
uphill: steps along the gradient of a loss, not against it [01-nudge-number]
    The gradient points to where the loss grows.
    Make the loss itself small, with steps against its gradient.
diverges: a loss that runs away [01-nudge-number]
    Steps that are too large jump over the lowest loss, each further than the one before.
    Make smaller steps, and then more of them: try, and watch the loss.
"""
_ENTRY = re.compile(r"(\S+): (.+) \[(.+)\]\n +(.+)\n +(.+)")
DRAWN = "gradient-not-cleared", "uphill", "diverges"  # for which the loss is drawn
KINDS = {kind: told for kind, *told in _ENTRY.findall(TABLE)}  # {kind: what, lesson, why, advice}


class Change:
    """The smallest change: {line: what then stands there}, for some lines of a `Source`."""

    def __init__(self, source, lines):
        self.source, self.lines = source, lines

    def apply(self):
        """The program, changed."""
        found = list(self.source.lines)
        for line, text in sorted(self.lines.items(), reverse=True):
            there = self.source.all_at(line)
            first, last = there[0].first, max(one.last for one in there)
            found[first - 1 : last] = [there[0].indent + one for one in text.split("\n")]
        return "\n".join(found)

    def __str__(self):
        found = []
        for line, text in sorted(self.lines.items()):
            shown = [self.source.indent(line) + one for one in text.split("\n")]
            becomes = "goes away" if text == "pass" else "becomes"
            found += [
                f"line {self.source.shown(line)} {becomes}",
                *(shown if text != "pass" else []),
            ]
        return "\n".join(found)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. line: what caused it; sentence: what was seen, with its numbers.

    advice: what to do, in words; change: the same as a `Change`, or None. losses: to be drawn.
    """

    kind: str
    line: int
    sentence: str
    advice: str = ""
    change: Change | None = None
    losses: Sequence[float] = ()

    def told(self, k, code):
        """Its parts as pairs (element, text)."""
        _, lesson, why, advice = KINDS[self.kind]
        yield "h4", f"{k}. line {self.line}: {self.kind}"
        yield "pre", code
        yield "li", f"Seen: {self.sentence}"
        yield "li", f"Why: {why}"
        yield "li", f"Change: {self.advice or advice}"
        if self.change:
            yield "pre", str(self.change)
        yield "li", f"Lesson: {lesson}"


class Diagnosis(Shown):
    """What was found. findings: the surest first; problem: what else stopped the program, or "".

    lines: the program's; first_line: the number of its first one, as the editor counts.
    """

    def __init__(self, findings, problem="", lines=(), first_line=1):
        self.findings, self.problem = findings, problem
        code, self._parts = dict(enumerate(lines, first_line)), [("p", problem)]
        for k, one in enumerate(findings, 1):
            self._parts += one.told(k, code.get(one.line, "").strip())
        if not findings and (lines or not problem):
            until = " until then" if problem else ""
            self._parts.append(("p", f"Nothing of what I look for{until}. I look for:"))
            self._parts += [("li", f"{kind}: {what}") for kind, (what, *_) in KINDS.items()]
        indent = {"li": "   ", "pre": "      "}
        told = [(indent.get(tag, ""), text) for tag, text in self._parts if text]
        super().__init__("\n".join(a + text.replace("\n", f"\n{a}") for a, text in told), "")

    def _repr_html_(self):
        indent = {"li": ("p", "margin: 0 0 0 1.5em"), "pre": ("pre", "margin: 0 0 0 3em")}
        styled = [(*indent.get(tag, (tag, "")), text) for tag, text in self._parts if text]
        parts = [element(tag, escape(text), style=style) for tag, style, text in styled]
        drawn = [_picture(one.losses) for one in self.findings]
        return element("div", "".join(parts + drawn), class_="mg-diagnosis")


def _picture(losses):
    """The loss over the steps, where that can be drawn."""
    from ..show import pictures  # which loads matplotlib

    if len(losses) < 3 or not all(abs(loss) < 1e30 for loss in losses):
        return ""
    told = f"from {number(losses[0])} to {number(losses[-1])}"
    alt = f"The loss over {len(losses)} steps, {told}."
    picture = pictures.lines({"loss": losses}, alt=alt, y_label="loss")._repr_html_()
    return element("div", picture, style="max-width: 22em")  # it stands below many lines
