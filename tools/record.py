"""Record PyTorch's answers again: python3 run.py record [--check]

Runs on the installed torch what the widgets ask for (`programs_to_record()` of their models) and
what the notebooks compare, in `compare` and in `%%both`, and writes the answers to one file in
`recorded/`. Numbers that differ by rounding alone, as they do from one processor to the next, stay
as they were. `--check` writes nothing and lists what differs, before and after: with a newer
PyTorch installed, that is what it answers differently (docs/newer-pytorch.md).
"""

import contextlib
import io
import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from minigrad.classroom import load_ipython_extension, widgets
from minigrad.classroom.compare import engines, recorded
from minigrad.classroom.compare.comparison import listeners
from minigrad.classroom.compare.results import Record, difference, run, written
from minigrad.classroom.lessons.progress import kept_nowhere
from tools.files import ROOT

NOTEBOOKS = ROOT / "notebooks"


def answers(torch: ModuleType, folder: Path = NOTEBOOKS) -> dict[str, Any]:
    """{key: results} of all that is recorded, by torch."""
    return {**widget_answers(torch), **notebook_answers(folder)}


def widget_answers(torch: ModuleType) -> dict[str, Any]:
    """{key: results} of what the widgets' rooms ask to be recorded."""
    by_key = {}
    for room in sorted(widgets._ROOMS.values()):
        model = import_module(f"minigrad.classroom.widgets.{room}.model")
        for key, program in getattr(model, "programs_to_record", dict)().items():
            by_key[key], problem = run(program, torch)
            assert problem is None, (key, problem)
    return by_key


def notebook_answers(folder: Path = NOTEBOOKS) -> dict[str, Any]:
    """{key: results} of all programs that the notebooks of a folder compare; torch is installed."""
    from IPython.core.interactiveshell import InteractiveShell

    by_key: dict[str, Any] = {}
    for path in sorted(Path(folder).glob("*.ipynb")):
        shell = InteractiveShell()
        load_ipython_extension(shell)
        listeners.append(by_key.__setitem__)
        try:
            with contextlib.redirect_stdout(io.StringIO()), kept_nowhere():
                for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                    if cell["cell_type"] == "code":  # after an error the next runs, as in a lesson
                        shell.run_cell("".join(cell["source"]))
        finally:
            listeners.pop()
    return by_key


def changed(after: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """What {key: {name: record}} has become, name by name, apart from rounding."""
    lines = []
    for key in sorted(after.keys() | before):
        new, old = after.get(key, {}), before.get(key, {})
        for name in [*old, *(name for name in new if name not in old)]:
            if not agrees(new.get(name), old.get(name)):
                was, now = written(old.get(name)), written(new.get(name))
                lines.append(f"{key}\n    {name}\n    was  {was}\n    is   {now}")
    return lines


def agrees(new: Record | None, old: Record | None) -> bool:
    return difference(new, old)[1]


def kept(after: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """`after`, with the old record wherever the new one agrees with it."""
    return {
        key: {
            name: before[key][name] if agrees(new, before.get(key, {}).get(name)) else new
            for name, new in results.items()
        }
        for key, results in after.items()
    }


def main(*arguments: str) -> None:
    torch = engines.torch_now()
    if torch is None:
        sys.exit("torch is not installed here: nothing was recorded.")
    by_key = answers(torch)
    lines = changed(by_key, recorded.answers())
    if "--check" in arguments:
        versions = f"Recorded: PyTorch {recorded.version()}. Here: {engines.version(torch)}."
        sys.exit("\n".join([versions, "These have changed:", *lines]) if lines else 0)
    recorded.save(engines.version(torch), kept(by_key, recorded.answers()))
    summary = f"{len(by_key)} answers, {len(lines)} changed."
    print(f"Recorded torch {engines.version(torch)}: {summary}")


if __name__ == "__main__":
    main(*sys.argv[1:])
