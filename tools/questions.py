"""The exam questions of a seed, and their keys, computed on either engine.

questions.toml and keys.toml in notebooks/instructor hold them and say how they are written. A seed
draws the numbers of each question and the order of its choices; a draw in which a wrong answer
happens to be right is drawn again.
"""

import random
import re
import tomllib
from dataclasses import dataclass, replace

import minigrad
from minigrad.classroom.compare.cells import Cell
from minigrad.classroom.compare.results import run, value_of, written
from minigrad.classroom.show.typed_numbers import read_array
from tools.files import ROOT

FOLDER = ROOT / "notebooks" / "instructor"
HOLE = re.compile(r"\{([^{}]+)\}")
DRAWS = 100  # before a question is given up


@dataclass(frozen=True)
class Question:
    """One item of the two files, which say what each of these is, with its numbers filled in."""

    id: str
    promise: str
    kind: str
    question: str
    points: int
    why: str
    wrong: dict
    program: str = ""
    proof: str = ""
    key: str = ""
    choices: tuple = ()
    cure: tuple = ()
    stops: str = ""
    holds: str = ""

    @property
    def lesson(self):
        return self.id[:2]

    def results(self, torch=minigrad, mended=False):
        """{name: record} of a run of the program, and of what proves the key."""
        program = self.program.replace(*self.cure) if mended else self.program
        expressions = [self.key] if self.kind == "number" else []
        expressions += [self.holds] if self.holds else []
        cell = Cell(f"{program}\n{self.proof}", expressions)
        return run(cell, torch)[0] if program + self.proof + "".join(expressions) else {}

    def answer(self, torch=minigrad):
        """The key as it is printed."""
        if self.kind == "number":
            return written(self.results(torch)[self.key])
        if self.kind == "printed":
            return " ".join(value_of(self.results(torch)["printed"]).split())
        if self.kind == "line":
            before, faulty, _ = self.program.partition(self.cure[0])
            return str((before + faulty[: len(faulty) - len(faulty.lstrip())]).count("\n") + 1)
        return self.key

    def options(self):
        """What can be ticked."""
        return ("true", "false") if self.kind == "true or false" else self.choices

    def offered(self):
        """[(text, whether it is right, what is said to it)], in the order of the paper; what has
        no order there is sorted, so that the right one does not come first."""
        right = self.answer()
        said = {right: self.why, **self.wrong}
        return [(one, one == right, said[one]) for one in self.options() or sorted(said)]

    def is_sound(self):
        """Whether no wrong answer is right, and none is there twice."""
        read = (lambda text: read_array(text).tolist()) if self.kind == "number" else str
        answers = [read(one) for one in (self.answer(), *self.wrong)]
        return all(answers.count(one) == 1 for one in answers)


def questions(seed, lessons=None):
    """The variants that a seed draws, of these lessons or of all, in the order of the file."""
    public = tomllib.loads((FOLDER / "questions.toml").read_text("utf-8"))["question"]
    keys = tomllib.loads((FOLDER / "keys.toml").read_text("utf-8"))
    wanted = [one for one in public if lessons is None or one["id"][:2] in lessons]
    return in_order([drawn({**one, **keys[one["id"]]}, seed) for one in wanted], seed)


def drawn(item, seed):
    """The variant of one question."""
    ranges = item.get("draw", {})
    item = {name: value for name, value in item.items() if name != "draw"}
    for attempt in range(DRAWS):
        source = random.Random(f"{seed} {item['id']} {attempt}")
        names = {name: source.choice(values) for name, values in ranges.items()}
        question = Question(**filled(item, {**names, "dots": dots}))
        if question.is_sound():
            return question
    raise ValueError(f"{item['id']}: a wrong answer is right, or there twice, whatever is drawn.")


def filled(value, names):
    """Text, or texts in lists and tables, with the holes computed."""
    if isinstance(value, dict):
        return {filled(key, names): filled(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return tuple(filled(one, names) for one in value)
    if isinstance(value, str):
        return HOLE.sub(lambda hole: typed(eval(hole[1], dict(names))), value)
    return value


def typed(value):
    """A number, or lists of numbers, as they are typed."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(typed, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def dots(value):
    """Lists of whole numbers as a program writes numbers with a point: [1., 2.]"""
    return f"[{', '.join(map(dots, value))}]" if isinstance(value, list) else f"{value}."


def in_order(variants, seed):
    """The questions, with the choices of each in an order that the seed draws, so that the right
    one is in every place about as often."""
    source, places = random.Random(f"{seed} order"), {}
    for number, question in enumerate(variants):
        if question.kind == "choice":
            size = len(question.choices)
            left = places.setdefault(size, [])
            left += [] if left else source.sample(range(size), size)
            order = [one for one in question.choices if one != question.key]
            source.shuffle(order)
            order.insert(left.pop(), question.key)
            variants[number] = replace(question, choices=tuple(order))
    return variants
