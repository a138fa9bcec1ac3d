"""Record PyTorch's answers again: `python -m minigrad.classroom.record [folder of notebooks]`.

Runs every example of the widgets, and every program that a notebook hands to `compare`, with the
installed torch, and writes the results to `recorded/`. Needs torch and IPython.
"""

import contextlib
import io
import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

import numpy as np

import minigrad.classroom as classroom

from . import engines, recorded, widgets
from .compare import compare
from .fingerprint import fingerprint
from .formatting import indices
from .models import seam
from .models.chains import CHAINS
from .models.old_cells import EXAMPLES as OLD_EXAMPLES
from .models.presets import PRESETS
from .models.then_and_now import run_example
from .results import run

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def preset_answers(torch):
    """{preset: [x.grad for each one-hot upstream gradient, flat]}, by torch."""
    answers = {}
    for preset in PRESETS.values():
        rows = []
        sizes = tuple(preset.function(torch, torch.tensor(preset.x)).shape)
        for index in indices(sizes):
            leaf = torch.tensor(preset.x, requires_grad=True)
            one_hot = np.zeros(sizes)
            one_hot[index] = 1.0
            weights = torch.tensor(one_hot.tolist(), dtype=torch.float32)
            preset.function(torch, leaf).backward(weights)
            rows.append(leaf.grad.reshape(-1).tolist())
        answers[preset.name] = rows
    return answers


def then_and_now_answers(torch):
    """{old example: what torch shows for each cell, now and after the edit}."""
    answers = {}
    for example in OLD_EXAMPLES.values():
        answers[example.name] = asdict(run_example(example, torch))
    return answers


def seam_answers(torch):
    """{chain and cut: what crosses it for each one-hot v}, and the loop over time, by torch."""
    answers = {"unrolled": seam.unrolled_answer(torch)}
    for chain in CHAINS.values():
        for cut in range(1, len(chain.links) + 1):
            answers[seam.record_key(chain, cut)] = seam.rows_of_halves(torch, chain, cut)
    return answers


def program_answers(torch, folder=NOTEBOOKS):
    """{fingerprint: results} of all programs that the notebooks of a folder compare, by torch."""
    from IPython.core.interactiveshell import InteractiveShell

    answers = {}

    def recorder(program):
        key = fingerprint(program)
        if key is not None:
            results, problem = run(program, torch)
            if problem is None:
                answers[key] = results
        return compare(program)

    for path in sorted(Path(folder).glob("*.ipynb")):
        shell = InteractiveShell()
        classroom.compare = recorder  # what `from minigrad.classroom import compare` now finds
        try:
            for source in _code_cells(path):
                with contextlib.redirect_stdout(io.StringIO()):
                    shell.run_cell(source)  # after an error the next cell runs, as in a lesson
        finally:
            classroom.compare = compare
    return answers


def widget_answers(torch):
    """{key: results} of what the widgets' rooms ask to be recorded, by torch."""
    answers = {}
    for room in sorted({room.rpartition(".")[0] for room in widgets._ROOMS.values()}):
        if room.startswith("..views"):
            continue
        model = import_module(f"{room}.model", widgets.__name__)
        for key, program in getattr(model, "programs_to_record", dict)().items():
            answers[key], problem = run(program, torch)
            assert problem is None, (key, problem)
    return answers


def _code_cells(path):
    notebook = json.loads(Path(path).read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def main(arguments):
    torch = engines.torch_now()
    if torch is None:
        sys.exit("torch is not installed here: nothing was recorded.")
    folder = Path(arguments[0]) if arguments else NOTEBOOKS
    presets, programs = preset_answers(torch), program_answers(torch, folder)
    recorded.save_old("presets", engines.version(torch), presets)
    recorded.save_old("then_and_now", engines.version(torch), then_and_now_answers(torch))
    recorded.save_old("seams", engines.version(torch), seam_answers(torch))
    recorded.save(engines.version(torch), widget_answers(torch))
    recorded.save_old("programs", engines.version(torch), programs)
    print(
        f"Recorded torch {engines.version(torch)}: {len(presets)} examples, "
        f"{len(programs)} programs."
    )


if __name__ == "__main__":
    main(sys.argv[1:])
