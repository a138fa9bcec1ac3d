"""Which exercises are solved: a small file on this machine, which the index of the lessons shows.

The file is `.minigrad-progress.json` in your home folder. The environment variable
MINIGRAD_PROGRESS names another place; set and empty it keeps nothing, as when lessons are executed
to be stored. Where nothing can be written nothing is kept, and no lesson stops for it.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "MINIGRAD_PROGRESS"


def progress() -> "Progress":
    """Which exercises are solved, and where that is kept: a `Progress`, which prints itself."""
    return Progress(place(), _read(place()))


def remember(name: str) -> None:
    """Note that an exercise is solved."""
    file = place()
    solved = _read(file)
    if file is None or name in solved:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f"{file.name}.{os.getpid()}.new")
        beside.write_text(json.dumps({"solved": sorted([*solved, name])}), encoding="utf-8")
        beside.replace(file)  # whole, whenever it is stopped
    except OSError:
        pass


def place() -> Path | None:
    """The file, or None where nothing is to be kept."""
    named = os.environ.get(VARIABLE)
    if named is None:
        return Path.home() / ".minigrad-progress.json"
    return Path(named).expanduser() if named.strip() else None


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


def _read(file):
    """The names in the file, sorted; a file that is damaged holds none."""
    try:
        solved = json.loads(file.read_text(encoding="utf-8"))["solved"]
        return sorted({name for name in solved if isinstance(name, str)})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []


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
            told = f": {', '.join(done)}" if done else ""
            lines.append(f"Lesson {number}  {len(done)} of {len(names)} solved{told}")
        if self.place is None:
            return "\n".join([*lines, f"Not kept: {VARIABLE} is empty."])
        home = str(Path.home())
        shown = str(self.place)
        shown = "~" + shown[len(home) :] if shown.startswith(home + os.sep) else shown
        return "\n".join([*lines, f"Kept in {shown}; delete it to start afresh."])
