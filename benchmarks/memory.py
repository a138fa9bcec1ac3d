"""How much memory a class takes: python3 run.py bench memory [--short]

Starts a JupyterLab server, then kernels that run lesson 03 from start to end, with PyTorch and
without, and prints how much each takes and how much N learners would. Shared memory (the same
library loaded twice) is counted once: it is Linux's proportional set size. --short starts one
kernel of each kind instead of three, and runs only the first cells of the lesson.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.lab import running_lab
from tools.kernels import running_kernel

LESSON = ROOT / "notebooks" / "03-weigh-outputs.ipynb"
KERNELS = 3
CLASSES = (1, 20, 40, 100, 200)
WITHOUT = "import sys; sys.modules['torch'] = None"


def megabytes(pid):
    """The memory of a process, with its share of what several use."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)[1]) / 1000


def of_server():
    """The memory of a JupyterLab that has just answered for the first time."""
    with tempfile.TemporaryDirectory() as folder, running_lab(ROOT, folder):
        [server] = psutil.Process().children()
        return megabytes(server.pid)


def of_kernel(first, kernels, most=None):
    """The memory of a kernel that has run the lesson's code, or `most` cells of it, beside others
    that have too."""
    cells = [c.source for c in nbformat.read(LESSON, 4).cells if c.cell_type == "code"][:most]
    options = {"env": {**os.environ, "OMP_NUM_THREADS": "1"}, "stderr": subprocess.DEVNULL}
    with contextlib.ExitStack() as stack:
        pids = []
        for _ in range(kernels):
            manager, client = stack.enter_context(running_kernel(**options))
            pids.append(manager.provisioner.pid)
            for source in [first, *cells]:
                client.execute_interactive(source, timeout=300, output_hook=lambda message: None)
        return sum(map(megabytes, pids)) / kernels


def main(*options):
    kernels, most = (1, 2) if "--short" in options else (KERNELS, None)
    server = of_server()
    torch, light = (of_kernel(first, kernels, most) for first in ("pass", WITHOUT))
    print(f"A server {server:.0f} MB, a kernel {torch:.0f} MB with PyTorch, {light:.0f} without")
    print("learners   with PyTorch   without")
    for count in CLASSES:
        with_torch, without = (count * (server + kernel) / 1000 for kernel in (torch, light))
        print(f"{count:8} {with_torch:11.1f} GB {without:6.1f} GB")


if __name__ == "__main__":
    main(*sys.argv[1:])
