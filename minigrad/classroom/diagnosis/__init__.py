"""`%%diagnose`: what is wrong with a learner's own training program.

    diagnose('''...''')          # a program as text: a Diagnosis

It is run on minigrad, with everything that the engine tells noted down (`watching.py`); rules look
at the notes (`rules.py`, and for programs that stopped with an error `stops.py`).
"""

from typing import Any

from minigrad.autograd import watch

from ..cells import line_of
from .finding import Change, Diagnosis, Finding
from .program import OutOfTime, Source, clock, run, space_for
from .rules import found_in
from .stops import cause_of
from .watching import Notes

__all__ = ["Change", "Diagnosis", "Finding", "diagnose", "diagnose_cell"]

SECONDS = 60.0


def diagnose(program: str, seconds: float = SECONDS, **notebook: Any) -> Diagnosis:
    """Run a program, its text, and say what is wrong with it: a `Diagnosis`.

    It is stopped after so many seconds, and judged by what was seen until then.
    """
    return _diagnosed(program, notebook, 1, seconds)[0]


def diagnose_cell(line: str, source: str, notebook: dict[str, Any]) -> Diagnosis:
    """The cell magic `%%diagnose`: run this cell and say what is wrong with it.

    `%%diagnose 10` stops it after 10 seconds. From the notebook it takes numbers, text, lists of
    them, NumPy and modules; its own names are the notebook's afterwards.
    """
    try:
        seconds = float(line) if line.strip() else SECONDS
    except ValueError:
        return Diagnosis([], "After %%diagnose stands a number of seconds, or nothing.")
    told, made = _diagnosed(source, notebook, 2, seconds)
    notebook.update(made)
    return told


def _diagnosed(text, notebook, first_line, seconds):
    """The diagnosis, and the names that the program made."""
    try:
        source = Source(text, first_line)
    except SyntaxError as error:
        line = (error.lineno or 1) + first_line - 1
        return Diagnosis([], f"Python cannot read line {line}: {error.msg}."), {}
    tick, space = clock(seconds), space_for(notebook)
    before = dict(space)
    notes = Notes(source, tick)
    with watch(notes):
        error, warned = run(source, space, tick)
        notes.finish(space)
    findings, problem = [], ""
    if error is not None:
        problem = _stopped(error, source, seconds)
        findings = cause_of(error, line_of(error) or 1, notes)
    findings += found_in(notes, error, warned, {f.kind for f in findings})
    made = {k: v for k, v in space.items() if v is not before.get(k) and not k.startswith("__")}
    return Diagnosis(_shifted(findings, first_line), problem, first_line, source.lines), made


def _stopped(error, source, seconds):
    """What ended a program, in a sentence."""
    if isinstance(error, OutOfTime):
        return f"It was stopped after {seconds:g} seconds; this is what was found until then."
    line = source.shown(line_of(error) or 1)
    text = f"It stopped in line {line}: {type(error).__name__}: {error}"
    if "minigrad.utils" in text or "torchvision" in text:
        text += " (This small engine leaves that to PyTorch.)"
    return text


def _shifted(findings, first_line):
    """Findings with their lines as the editor counts them."""
    return [one.counted_from(first_line) for one in findings]
