"""What a learner has done: small files on this machine.

`.minigrad-progress.json` in your home folder has the names of the solved exercises, which the index
of the lessons shows, how often each was tried and what wrong answers were told, and the first guess
at each card. It is yours; `progress.export("your name")` writes a copy to hand in. Beside it,
`.minigrad-progress-engine.json` has the parts of the engine that the learner wrote in lesson 13.

The environment variable MINIGRAD_PROGRESS names another place; set and empty it keeps nothing, as
when lessons are executed to be stored. Where nothing can be written nothing is kept, and no lesson
stops for it.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

VARIABLE = "MINIGRAD_PROGRESS"
MOST_TOLD = 12  # different sentences on wrong answers that are kept of one exercise


def progress() -> "Progress":
    """Which exercises are solved, and where that is kept: a `Progress`, which prints itself."""
    return Progress(place(), _kept(place())["solved"])


def export(name: str, folder: str | Path = ".") -> Path:
    """Write what is kept to a file to hand in, and return its place: minigrad-NAME.json.

    It says what this machine has kept, and when; it does not prove who did it, or without help.
    """
    letters = re.sub(r"[^\w-]+", "-", str(name)).strip("-")
    if not letters:
        raise ValueError('Say who you are: progress.export("Ada Lovelace").')
    file = Path(folder) / f"minigrad-{letters}.json"
    file.write_text(json.dumps({"name": str(name), **_kept(place())}, indent=1), encoding="utf-8")
    return file


progress.export = export  # type: ignore[attr-defined]  # beside what it exports


def remember(name: str, passed: bool, told: str = "") -> None:
    """Note a try at an exercise; when it was solved, or what a wrong answer was told."""
    kept = _kept(place())
    if name not in kept["solved"]:
        kept["tries"][name] = kept["tries"].get(name, 0) + 1
        if passed:
            kept["solved"] = sorted([*kept["solved"], name])
            kept["times"][name] = datetime.now().isoformat(timespec="minutes")
        elif told and len(kept["told"].setdefault(name, [])) < MOST_TOLD:
            kept["told"][name] = list(dict.fromkeys([*kept["told"][name], told]))
        _write(place(), kept)


def remember_guess(card: str, guess: str, right: bool) -> None:
    """Note the first guess at a card."""
    kept = _kept(place())
    if card not in kept["guesses"]:
        kept["guesses"][card] = [guess, right]
        _write(place(), kept)


def keep_part(name: str, text: str) -> bool:
    """Keep a part of the learner's engine, instead of the one of this name; whether it is kept."""
    parts = {name: {"text": text} for name, text in (kept_parts() | {name: text}).items()}
    return _write(parts_place(), {"parts": parts})


def kept_parts() -> dict[str, str]:
    """{name of a part: the one that is kept}; a file that is damaged holds none."""
    try:
        parts = json.loads(parts_place().read_text(encoding="utf-8"))["parts"]
        texts = {name: one["text"] for name, one in parts.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
    return {name: text for name, text in texts.items() if isinstance(text, str)}


def place() -> Path | None:
    """The file of what is solved, or None where nothing is to be kept."""
    named = os.environ.get(VARIABLE)
    try:
        if named is None:
            return Path.home() / ".minigrad-progress.json"
        return Path(named).expanduser() if named.strip() else None
    except RuntimeError:  # there is no home folder
        return None


def parts_place() -> Path | None:
    """The file of the learner's engine, beside that of what is solved; or None."""
    file = place()
    return file.with_name(f"{file.stem}-engine.json") if file and file.name else None


def _write(file, data):
    """Write a file as a whole, whenever it is stopped; whether that was possible."""
    if file is None:
        return False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f"{file.name}.{os.getpid()}.new")
        beside.write_text(json.dumps(data), encoding="utf-8")
        beside.replace(file)
    except (OSError, ValueError):
        return False
    return True


@contextlib.contextmanager
def kept_nowhere() -> Iterator[None]:
    """Within the block nothing is remembered: a lesson runs, but nobody learns."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = ""
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


def _kept(file):
    """What the file has; of one that is damaged, what can be read of it."""
    try:
        return sound(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, AttributeError):
        return sound(None)


def sound(data: Any) -> dict[str, Any]:
    """What is as it should be in the data of a file of progress, whoever wrote it.

    solved: names; tries: {name: how often}; times: {name: when}; told: {name: sentences on wrong
    answers}; guesses: {card: [guess, right]}.
    """
    data = data if isinstance(data, dict) else {}

    def of_kind(key, fits):
        pairs = data.get(key)
        pairs = pairs.items() if isinstance(pairs, dict) else ()
        return {name: value for name, value in pairs if fits(value)}

    solved = data.get("solved")
    solved = solved if isinstance(solved, list) else []
    return {
        "solved": sorted({name for name in solved if isinstance(name, str)}),
        "tries": of_kind("tries", lambda value: type(value) is int and value > 0),
        "times": of_kind("times", lambda value: isinstance(value, str)),
        "told": of_kind("told", _are_sentences),
        "guesses": of_kind("guesses", _is_guess),
    }


def _is_guess(value):
    return isinstance(value, list) and [type(part) for part in value] == [str, bool]


def _are_sentences(value):
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


class Progress:
    """solved: the names of the solved exercises; place: the file that keeps them, or None."""

    def __init__(self, place: Path | None, solved: list[str]) -> None:
        self.place, self.solved = place, solved

    def __repr__(self):
        from . import every_lesson  # which imports this module

        lines = []
        for number, module in every_lesson().items():
            names = [exercise.name for exercise in getattr(module, "EXERCISES", ())]
            done = [name for name in names if name in self.solved]
            which = f": {', '.join(done)}" if done else ""
            lines.append(f"Lesson {number}  {len(done)} of {len(names)} solved{which}")
        if self.place is None:
            return "\n".join([*lines, f"Progress isn't saved, because {VARIABLE} is empty."])
        kept = f"Kept in {_with_tilde(self.place)}; delete it to start afresh."
        if kept_parts():
            kept += f"\nThe parts of your engine are kept in {_with_tilde(parts_place())}."
        return "\n".join([*lines, kept])


def _with_tilde(file):
    """A file as a learner knows it, with ~ for the home folder."""
    home, path = str(Path.home()), str(file)
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
