"""How much memory a class takes: python3 run.py bench memory

Starts a JupyterLab server, then kernels that run lesson 03 from start to end, with PyTorch and
without, and prints what each takes and what that makes for N learners. Memory that several share
(the same library loaded twice) is counted once: the proportional set size that Linux tells.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import nbformat
from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parent.parent
LESSON = ROOT / "notebooks" / "03-weigh-outputs.ipynb"
KERNELS = 3
CLASSES = (1, 20, 40, 100, 200)
WITHOUT = "import sys; sys.modules['torch'] = None"


def megabytes(pid):
    """What a process takes, shared memory in parts."""
    told = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+) kB", told, re.MULTILINE)[1]) / 1000


def of_server():
    options = ["--no-browser", "--port=0", "--IdentityProvider.token=", "--allow-root"]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(15)
        return megabytes(server.pid)
    finally:
        server.terminate()
        server.wait()


def of_kernel(first):
    """What a kernel takes that has run the lesson, beside others that have, too."""
    cells = [c.source for c in nbformat.read(LESSON, 4).cells if c.cell_type == "code"]
    started = []
    try:
        for _ in range(KERNELS):
            manager, client = start_new_kernel(
                env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL
            )
            started.append((manager, client))
            for source in [first, *cells]:
                client.execute_interactive(source, timeout=300, output_hook=lambda message: None)
        return sum(megabytes(m.provisioner.pid) for m, _ in started) / KERNELS
    finally:
        for manager, client in started:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def main():
    server, torch, light = of_server(), of_kernel("pass"), of_kernel(WITHOUT)
    print(f"A server {server:.0f} MB, a kernel {torch:.0f} MB with PyTorch, {light:.0f} without")
    print("learners   with PyTorch   without")
    for count in CLASSES:
        with_torch, without = (count * (server + kernel) / 1000 for kernel in (torch, light))
        print(f"{count:8} {with_torch:11.1f} GB {without:6.1f} GB")


if __name__ == "__main__":
    main()
