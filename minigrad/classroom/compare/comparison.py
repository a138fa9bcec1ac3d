"""compare(program): one program on two engines, a line for each result.

    def program(torch):
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        (a * a).backward(torch.tensor([1.0, 10.0]))
        return {"a.grad": a.grad}

    compare(program)

Results are compared by kind, dtype, shape and value. An error is a result too, compared by its
type and text, and so are warnings and printed lines. Without torch, PyTorch's side is the recorded
answer of exactly this program, and is labelled with the version that recorded it.
"""

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..show.formatting import WIDTH, table
from ..show.html import Html, Shown, escape, page_table, tag
from . import engines, recorded
from .fingerprint import fingerprint
from .results import Record, difference, run, written

# Called with the key of a program and PyTorch's answer; record.py listens.
listeners: list[Callable[[str, Any], object]] = []


def compare(program: Callable) -> "Comparison":
    """Run `program(torch)` with minigrad and with PyTorch and compare what it returns.

    program: a function of the engine that returns a dict {name: result}. Results may be tensors,
        numbers, strings, shapes, None, exceptions, and lists, tuples or dicts of these.

    Returns a `Comparison`, which shows itself as a table. An error of the program is a result; a
    program that returns no dict is explained in place.
    """
    problem = _not_a_program(program)
    if problem:
        return Comparison([], None, problem)
    ours, problem = run(program, engines.minigrad)
    if problem:
        return Comparison([], None, problem)
    name, torch = fingerprint(program), engines.torch_now()
    if torch is None:
        theirs, version = recorded.answer(f"compare {name}")
        if theirs is None:
            return Comparison(_lines(ours, None), "PyTorch", _NOT_RECORDED)
        return Comparison(_lines(ours, theirs), f"PyTorch {version} (stored)")
    theirs, problem = run(program, torch)
    for listener in listeners if name and not problem else ():
        listener(f"compare {name}", theirs)
    return Comparison(_lines(ours, theirs), f"PyTorch {engines.version(torch)}", problem)


_NOT_RECORDED = (
    "PyTorch is not installed here, and its answer for this program is not recorded: only "
    "minigrad's side is shown."
)


class Comparison(Shown):
    """What `compare` found: one line for each result.

    lines: a list of `Line`; agrees: whether every line agrees; label: where PyTorch's side is from;
    problem: a sentence where something could not be compared, else None.
    """

    def __init__(self, lines: list["Line"], label: str | None, problem: str | None = None) -> None:
        self.lines, self.label, self.problem = lines, label, problem
        super().__init__(self._as_text(), self._as_html())

    agrees = property(lambda self: self.problem is None and all(line.agrees for line in self.lines))

    def __getitem__(self, name: str) -> "Line":
        return {line.name: line for line in self.lines}[name]

    def _as_text(self):
        parts = []
        if self.lines:
            names = min(20, max(len(line.name) for line in self.lines))
            differences = max(10, *(len(line.difference) for line in self.lines))
            values = (WIDTH - names - differences - 1 - 8) // 2
            head = ("", "minigrad", self.label, "largest\ndifference", "")
            rows = [head, *(line.cells() for line in self.lines)]
            parts.append(table(rows, [names, values, values, differences, 1]))
        if self.problem:
            parts.append(textwrap.fill(self.problem, WIDTH))
        return "\n".join(parts)

    def _as_html(self):
        problem = tag("p", self.problem) if self.problem else ""
        if not self.lines:
            return problem
        names = ("result", "minigrad", self.label, "equal")
        head = [_cell("th", name, scope="col") for name in names]
        rows = map(_row, self.lines)
        caption, style = "One program, two engines", "table-layout: auto; margin: 0"
        return page_table(rows, head, caption, style) + problem


@dataclass(frozen=True)
class Line:
    """One result: its records, what differs and whether they agree. compared: PyTorch was asked."""

    name: str
    minigrad: Record | None
    torch: Record | None
    compared: bool
    difference: str
    agrees: bool

    def cells(self) -> tuple[str, str, str, str, str]:
        """Its name, both results, their difference and whether they agree, as texts."""
        first = written(self.minigrad, self.difference == "dtype")
        if not self.compared:
            return self.name, first, "not recorded", "", ""
        second = written(self.torch, self.difference == "dtype")
        if self.agrees and self.minigrad and self.minigrad["kind"] in ("error", "text", "warning"):
            second = "the same text" if len(self.minigrad["value"]) > _SHORT else second
        return self.name, first, second, self.difference, "=" if self.agrees else "\u2260"


def _lines(ours, theirs):
    """A line for each name of either side; theirs: None where PyTorch's side is not known."""
    lines = []
    for name in dict.fromkeys([*ours, *(theirs or ())]):
        if theirs is None:
            lines.append(Line(name, ours[name], None, False, "", False))
        else:
            records = ours.get(name), theirs.get(name)
            lines.append(Line(name, *records, True, *difference(*records)))
    return lines


_CELL = "text-align: left; vertical-align: top; white-space: normal; padding: 4px 6px"
_SHORT, _WORD = 24, 16  # letters of a text that has a line of its own, of a word that stays whole


def _cell(name, text, scope=None):
    """A cell, "th" or "td": a short text is not squeezed beside a long message, but on a
    phone, where four have to stand in 350 pixels; then a name breaks behind a bracket."""
    look = f"; min-width: min({len(text)}ch, 16vw)" if len(text) <= _SHORT else ""
    if any(len(word) > _WORD for word in text.replace("(", "( ").split()):
        look += "; overflow-wrap: anywhere"
    if "\n" in text:  # printed lines, whose columns stand below each other
        look += "; font-family: monospace; white-space: pre-wrap"
    html = re.sub(r"\((?!\))", "(<wbr>", escape(text)).replace("\n", "<br>")
    return tag(name, Html(html), scope=scope, style=_CELL + look)


def _row(line):
    name, first, second, difference, sign = line.cells()
    if difference not in ("", "0"):
        sign += " " + difference.replace("< ", "within ")
    return [_cell("th", name, scope="row"), *(_cell("td", text) for text in (first, second, sign))]


def _not_a_program(program):
    """The sentence for something that is no function of one argument, or None."""
    example = "def program(torch): ... return {'a.grad': a.grad}"
    takes = "compare(program) takes a function of the engine"
    if not callable(program):
        return f"{takes}, not something of type {type(program).__name__}: {example}"
    try:
        inspect.signature(program).bind(None)
    except TypeError:
        name = getattr(program, "__name__", "the program")
        return f"compare(program) calls {name}(torch) with one argument, the engine: {example}"
    except ValueError:  # a built-in function that does not say what it takes
        return f"{takes}: {example}"
    return None
