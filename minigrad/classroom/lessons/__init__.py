"""What a lesson asks: its cards and exercises, by name.

    predict("03-a")         a question; guess, then see the answer
    check("03-1", v)        what is right, or the first thing that is wrong and why
    hint("03-1"), hint("03-1", 2)
    solution("03-1")
    progress()              which exercises are solved, and where that is kept

and a cell that begins with `%%mend 08-1` is a broken program to mend; `%%mend 12-1 12-a` asks for
the cause first. `check("08-1", text)` is the same as a call, and `check("08-1")` judges what the
last such cell had. A verdict is true or false: `assert check(...)` marks.

The cards and exercises of lesson NN are in `lNN.py`, as data and small programs. Nothing is hidden:
read them if you like. The answer and the one lecture have cards, too, `predict("answer-v")` in
`answer.py` and `predict("lecture-g")` in `lecture.py`; they are not lessons, and nothing in them is
counted as solved.
"""

import ast
import importlib
import re
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ..compare import engines
from ..show.html import Shown
from ..show.typed_numbers import Refused, read_number
from .cards import Card
from .intact import kept_intact, what_was_changed
from .mend import InCell, Mend
from .patience import still_running
from .progress import progress, remember, remember_guess
from .verdict import Verdict, code, said, sentence

__all__ = ["check", "hint", "mend_cell", "predict", "progress", "solution"]

ANSWER, LECTURE = "answer", "lecture"  # in the names of cards, in place of a lesson's number
_NO_LESSONS = (ANSWER, LECTURE)
_HERE = Path(__file__).parent
_LAST: dict[str, str] = {}  # what the last cell with %%mend or %%stage had, by its exercise
_INTERRUPTED = "You interrupted it. Did it run without end? Look at what should stop its loop."


def predict(question: str, answer: Any = None, **options: Any) -> Any:
    """Open a predict card: ask, let the learner commit a guess, then reveal.

    question: the name of a lesson's card, "03-a"; or a question of one's own, with its `answer` and
    the options of `widgets.PredictCard`.
    """
    if answer is None and not options:
        card, problem = _find(question, "CARDS")
        if problem:
            return sentence(problem)
        options = card.options()
        options["noted"] = partial(remember_guess, question.strip().lower())
        question, answer = options.pop("question"), options.pop("answer")
    from .. import widgets  # ipywidgets is loaded when a card is first asked for

    return widgets.PredictCard(question, answer, **options)


def check(name: str, *answer: Any) -> Verdict:
    """Check an answer to the exercise `name`, "03-1": a `Verdict`. No answer makes it raise.

    The answer to a program to mend, or to a part of an engine, is its text; without one it is what
    the last cell with this %%mend or %%stage had.
    """
    exercise, problem = _find(name, "EXERCISES")
    if problem:
        return Verdict(False, [problem])
    if not answer and exercise.name in _LAST:
        answer = (_LAST[exercise.name],)
    if isinstance(exercise, InCell) and answer and isinstance(answer[0], str):
        answer = (_MAGIC.sub("", answer[0]), *answer[1:])
    if len(answer) != 1 and not isinstance(exercise, InCell):
        return Verdict(False, [f'Give your answer too: check("{exercise.name}", answer).'])
    verdict, _ = _judged(lambda: (exercise.verdict(*answer or [None]), {}))
    return _remembered(exercise, verdict)


def _judged(judge):
    """What `judge()` gives, (verdict, variables): with the engine as it should be, and with a word
    to who waits."""
    changed: list[str] = []
    try:
        with kept_intact() as changed, still_running():
            verdict, variables = judge()
    except KeyboardInterrupt:
        return Verdict(False, [_INTERRUPTED]), {}
    except BaseException as error:  # an answer that fails in an unforeseen way when looked at
        return Verdict(False, [f"The check cannot look at this answer: {said(error)}."]), {}
    if changed:
        lines = [*verdict.lines, *what_was_changed(changed)]
        verdict = Verdict(verdict.passed, lines, verdict.comparison, verdict.printed)
    return verdict, variables


def hint(name: str, number: int = 1) -> Shown:
    """Hint `number` of the exercise, counted from 1; each says more than the one before."""
    exercise, problem = _find(name, "EXERCISES")
    if problem:
        return sentence(problem)
    count = len(exercise.hints)
    try:
        wanted = read_number(number)
    except Refused:
        wanted = 0
    if wanted not in range(1, count + 1):
        return sentence(f"{exercise.name} has hints 1 to {count}; there is no hint {number}.")
    k = int(wanted)
    more = f'  ({count - k} more: hint("{exercise.name}", {k + 1}))' if k < count else ""
    return sentence(f"Hint {k}: {exercise.hints[k - 1]}{more}")


def solution(name: str) -> Shown:
    """One solution of the exercise, as code to read and run."""
    exercise, problem = _find(name, "EXERCISES")
    return sentence(problem) if problem else code(exercise.solution)


def mend_cell(line: str, source: str, notebook: dict) -> Any:
    """The cell magics `%%mend 08-1` and `%%stage 13-1`: check a program that the learner mends, or
    a part of an engine that the learner writes, and run it.

    With a card, `%%mend 12-1 12-a`, a program that is still as handed out is not judged: its result
    is shown, and the card asks why.
    notebook: the notebook's names; the program's are added.
    """
    name, _, more = line.strip().partition(" ")
    exercise, problem = _find(name, "EXERCISES")
    if problem is None and not isinstance(exercise, InCell):
        problem = f'{exercise.name} is checked with check("{exercise.name}", {exercise.answer}).'
    if problem:
        return Verdict(False, [problem])
    source, asked = _without_help(source)
    _LAST[exercise.name] = source
    if isinstance(exercise, Mend):
        engines.torch_now()  # it takes its time to be imported, which is not the program's
    verdict, variables = _judged(lambda: exercise.run(source))
    notebook.update(variables)
    if verdict.lines == [_INTERRUPTED]:
        return verdict
    if asked:
        return _joined([_remembered(exercise, verdict), *asked])
    if more and isinstance(exercise, Mend) and exercise.is_as_handed_out(source):
        from IPython.display import display  # a cell's magic: it is loaded

        display(verdict.comparison or verdict)
        return predict(more)
    return _remembered(exercise, verdict)


_MAGIC = re.compile(r"\A%%(?:mend|stage)\b.*\n?")  # the first line of a whole cell
_HELP = re.compile(r"^(hint|solution) *\((.*)\) *(?:#.*)?$", re.MULTILINE)


def _without_help(source):
    """(a cell's program without lines that ask for a hint or a solution, what these show)."""
    answers = []

    def answered(line):
        try:
            arguments = ast.literal_eval(f"({line[2]},)")
            answers.append({"hint": hint, "solution": solution}[line[1]](*arguments))
        except (ValueError, SyntaxError, TypeError):
            return line[0]
        return ""

    return _HELP.sub(answered, source), answers


def _joined(parts):
    """Several things to show, as one."""
    return Shown("\n".join(part.text for part in parts), "".join(part.html for part in parts))


def every_lesson() -> dict[str, ModuleType]:
    """{number of the lesson: its module}."""
    numbers = sorted(path.stem[1:] for path in _HERE.glob("l[0-9][0-9].py"))
    return {number: _module(number) for number in numbers}


def every_card() -> dict[str, Card]:
    """{name: card} of all lessons, then of the answer and the one lecture."""
    modules = [*every_lesson().values(), *map(_module, _NO_LESSONS)]
    return {name: card for module in modules for name, card in module.CARDS.items()}


def _module(lesson):
    """The module of "03", of the answer, or of the lecture."""
    return importlib.import_module(f".{_file(lesson)}", __name__)


def _file(lesson):
    return lesson if lesson in _NO_LESSONS else f"l{lesson}"


def _remembered(exercise, verdict):
    if verdict.lines != [_INTERRUPTED]:
        remember(exercise.name, verdict.passed, *verdict.lines[-1:])  # the last says most
    return verdict


_KINDS = {  # of what a lesson has: what is looked for, and how it is called
    "CARDS": ("card", '"03-a": lesson, then name', "[a-z][a-z0-9-]*"),
    "EXERCISES": ("exercise", '"03-1": lesson, then number', "0*([1-9][0-9]?)"),
}


def _find(name, kind):
    """(what a lesson calls so, None), or (None, the sentence that says which names there are)."""
    word, called, pattern = _KINDS[kind]
    match = re.fullmatch(
        rf"\s*([0-9]{{1,2}}|{'|'.join(_NO_LESSONS)})[-\u2013]({pattern})\s*", str(name).lower()
    )
    if match is None:
        return None, f"{word.capitalize()}s are called like {called}; not {name!r}."
    lesson, own = match[1].zfill(2), match.groups()[-1]
    is_there = (_HERE / f"{_file(lesson)}.py").exists()
    known = getattr(_module(lesson), kind, {}) if is_there else {}
    if kind == "EXERCISES":
        known = {exercise.name: exercise for exercise in known}
    whose = f"the {lesson}" if lesson in _NO_LESSONS else f"lesson {lesson}"
    if not known:
        return None, f"{whose.capitalize()} has no {word}s."
    if f"{lesson}-{own}" not in known:
        return None, f"There is no {word} {lesson}-{own}; {whose} has {', '.join(known)}."
    return known[f"{lesson}-{own}"], None
