"""Record PyTorch's answers again: `python -m tools.record [--check]`.

Asks the installed torch what the widgets' rooms ask (`programs_to_record()` of their models) and
what the notebooks compare, in `compare` and in `%%both`, and writes it to one file in `recorded/`.
Into another go the drawings that the notebooks plot, for where there is no matplotlib.
`--check` writes nothing and tells what differs. Needs torch, matplotlib and IPython.
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
from minigrad.classroom.compare.results import run
from minigrad.classroom.lessons.progress import kept_nowhere
from minigrad.classroom.show import plotted

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def answers(torch: ModuleType, folder: Path = NOTEBOOKS) -> dict[str, Any]:
    """{key: results} of all that is recorded, by torch."""
    return {**widget_answers(torch), **notebook_answers(folder)}


def widget_answers(torch: ModuleType) -> dict[str, Any]:
    """{key: results} of what the widgets' rooms ask to be recorded."""
    found = {}
    for room in sorted(widgets._ROOMS.values()):
        model = import_module(f"minigrad.classroom.widgets.{room}.model")
        for key, program in getattr(model, "programs_to_record", dict)().items():
            found[key], problem = run(program, torch)
            assert problem is None, (key, problem)
    return found


def notebook_answers(folder: Path = NOTEBOOKS) -> dict[str, Any]:
    """{key: results} of all programs that the notebooks of a folder compare; torch is installed."""
    from IPython.core.interactiveshell import InteractiveShell

    found: dict[str, Any] = {}
    for path in sorted(Path(folder).glob("*.ipynb")):
        shell = InteractiveShell()
        load_ipython_extension(shell)
        listeners.append(found.__setitem__)
        try:
            with contextlib.redirect_stdout(io.StringIO()), kept_nowhere():
                for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                    if cell["cell_type"] == "code":  # after an error the next runs, as in a lesson
                        shell.run_cell("".join(cell["source"]))
        finally:
            listeners.pop()
    return found


def main(arguments: list[str]) -> None:
    torch = engines.torch_now()
    if torch is None:
        sys.exit("torch is not installed here: nothing was recorded.")
    with plotted.heard() as drawings:
        found, before = answers(torch), recorded.answers()
    changed = sorted(key for key in found.keys() | before if found.get(key) != before.get(key))
    changed += ["a drawing: " + ", ".join(one) for one in plotted.differing(drawings)]
    if "--check" in arguments:
        sys.exit("\n".join(["These differ from what is recorded:", *changed]) if changed else 0)
    recorded.save(engines.version(torch), found)
    plotted.save(drawings)
    told = f"{len(found)} answers and {len(drawings)} drawings, {len(changed)} changed."
    print(f"Recorded torch {engines.version(torch)}: {told}")


if __name__ == "__main__":
    main(sys.argv[1:])
