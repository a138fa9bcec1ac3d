"""How much longer a program takes under %%diagnose: ratios and seconds from one run.

    python3 run.py bench diagnosis
    python3 run.py bench diagnosis --short     a few, once each; the figures mean nothing

The healthy and the broken programs of the tests run under diagnosis and by themselves, in turn, and
the best of several runs counts. The time to explain a finding is included.
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
    tables = tomllib.loads((PROGRAMS / f"{name}.toml").read_text("utf-8"))
    groups = tables if name == "broken" else {"": tables}
    return {
        f"{kind} {title}".strip(): text
        for kind, group in groups.items()
        for title, text in group.items()
    }


def seconds(program, runs):
    """The processor time that it takes under diagnosis, and by itself."""
    times = []
    for _ in range(runs):
        with contextlib.redirect_stdout(io.StringIO()):
            begun = time.process_time()
            diagnose(program)
            between = time.process_time()
            Cell(program)(minigrad)
        times.append((between - begun, time.process_time() - between))
    return tuple(map(min, zip(*times)))


def main(*options):
    short = "--short" in options
    warnings.simplefilter("ignore")  # the programs' own
    for name in ("healthy", "broken"):
        runs = 1 if short else RUNS
        some = list(programs(name).items())[:: 25 if short else 1]
        times = {title: seconds(text, runs) for title, text in some}
        ratios = {title: under / alone for title, (under, alone) in times.items()}
        most = max(ratios, key=ratios.get)
        under, alone = times[most]
        longest = max(under - alone for under, alone in times.values())
        print(
            f"{len(times)} {name} programs: median {statistics.median(ratios.values()):.1f}, "
            f"largest {ratios[most]:.1f} ({most}: {under:.3f} s for {alone:.3f} s), "
            f"above 3: {sum(one > 3 for one in ratios.values())}; "
            f"the longest took {longest:.3f} s more"
        )
    patient = programs("healthy")["the patient, healthy"]
    for steps in (100,) if short else (1_000, 10_000):
        text = patient.replace("range(40)", f"range({steps})")
        under, alone = seconds(text, 1 if short else 3)
        print(f"a training of {steps} steps: {under / alone:.1f} ({under:.3f} s for {alone:.3f} s)")


if __name__ == "__main__":
    main(*sys.argv[1:])
