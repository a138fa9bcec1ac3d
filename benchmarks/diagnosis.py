"""How much longer a program takes under %%diagnose: ratios from one run.

    python3 run.py bench diagnosis
    python3 run.py bench diagnosis --short     a few, once each, to try it out: it says nothing

The healthy and the broken programs of the tests run by themselves and under diagnosis, in turn,
and the best of several runs counts. What a finding costs to tell is in it.
"""

import contextlib
import io
import statistics
import sys
import time
import tomllib
import warnings
from pathlib import Path

import minigrad
from minigrad.classroom import diagnose
from minigrad.classroom.compare.cells import Cell

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "classroom" / "diagnosis"
RUNS = 9


def programs(name):
    """{title: program}."""
    found = tomllib.loads((PROGRAMS / f"{name}.toml").read_text("utf-8"))
    groups = [one for one in found.values() if isinstance(one, dict)] or [found]
    return {title: text for group in groups for title, text in group.items()}


def by_itself(program):
    Cell(program)(minigrad)


def ratio(program, runs):
    """How many times as long it takes under diagnosis, of processor time."""
    best = {by_itself: float("inf"), diagnose: float("inf")}
    for _ in range(runs):
        for action in best:
            with contextlib.redirect_stdout(io.StringIO()):
                begun = time.process_time()
                action(program)
                best[action] = min(best[action], time.process_time() - begun)
    return best[diagnose] / best[by_itself]


def main(*options):
    short = "--short" in options
    warnings.simplefilter("ignore")  # the programs' own
    for name in ("healthy", "broken"):
        some = list(programs(name).items())[:: 25 if short else 1]
        found = sorted((ratio(program, 1 if short else RUNS), title) for title, program in some)
        ratios = [one for one, _ in found]
        above = sum(one > 3 for one in ratios)
        print(f"{len(found)} {name} programs: median {statistics.median(ratios):.1f},", end=" ")
        print(f"largest {ratios[-1]:.1f} ({found[-1][1]}), above 3: {above}")
    patient = programs("healthy")["the patient, healthy"]
    for steps in (100,) if short else (1_000, 10_000):
        long = ratio(patient.replace("range(40)", f"range({steps})"), 1 if short else 3)
        print(f"a training of {steps} steps: {long:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
