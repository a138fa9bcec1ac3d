"""Measure: python3 run.py bench NAME [...], and python3 run.py bench NAME --help says more.

    engine       the engine beside PyTorch and beside NumPy written by hand
    redraw       the widgets, from an edit to the new picture; needs Chromium
    diagnosis    a program under %%diagnose beside the same program alone
    digits       a convolutional network that learns digits, on both engines
    memory       what a class takes on one server; needs Linux
    site         a built site, as a class would load it; needs Chromium

The figures mean something only on an idle machine. --short tries a benchmark out: everything is
measured once or twice, and the figures mean nothing.
"""

import ast
import runpy
import sys

from tools.files import ROOT

FOLDER = ROOT / "benchmarks"


def main(name="", *rest):
    there = sorted(path.stem for path in FOLDER.glob("*.py"))
    if name not in there:
        sys.exit(f"Which one? There are {', '.join(there)}.")
    path = FOLDER / f"{name}.py"
    if rest[:1] == ("--help",):
        print(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))
        return
    sys.argv = [f"python3 run.py bench {name}", *rest]
    runpy.run_path(str(path), run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
