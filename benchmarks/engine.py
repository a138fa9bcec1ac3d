"""How fast the engine is beside PyTorch and beside NumPy written by hand: ratios from one run.

    python3 run.py bench engine            all workloads
    python3 run.py bench engine chain      those whose name begins so
    python3 run.py bench engine --short    one run of each, to try it out: it says nothing

Every workload runs on one thread, in this process, engines in turn, and the best run counts (memory
and import: processes of their own). Ratios carry over between machines, times do not.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import gc
import inspect
import subprocess
import sys
import textwrap
import time

import numpy as np
import torch

import minigrad
from minigrad.backward import at_leaf
from minigrad.graph import Incoming, incoming_at_leaves

torch.set_num_threads(1)
PROCESSES = 7  # from which the best is taken
BESIDE = ("torch",)  # whose memory is measured beside ours


def best(seconds, *functions):
    """The best time in seconds of each function, tried for so long in all.

    They take turns, so that all see the same load; runs are short, so that some meet none.
    """
    found = [float("inf")] * len(functions)
    gc.collect()
    end = time.perf_counter() + seconds
    while min(found) == float("inf") or time.perf_counter() < end:
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            found[i] = min(found[i], time.perf_counter() - start)
    return found


def small():
    """1,000 elementwise operations on 4 numbers, forward + backward."""

    def program(t):
        x = t.ones(4, requires_grad=True)
        c, v = t.full((4,), 1.001), t.ones(4)

        def run():
            y = x
            for _ in range(250):
                y = y * c
                y = y + c
                y = y - c
                y = y * 0.5
            y.backward(v)
            x.grad = None

        return run

    c = np.full(4, 1.001, np.float32)
    half = np.float32(0.5)

    def by_hand():
        y = np.ones(4, np.float32)
        for _ in range(250):
            y = y * c
            y = y + c
            y = y - c
            y = y * half
        g = np.ones(4, np.float32)
        for _ in range(250):
            g = g * half
            g = g * c

    return {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}


def sums():
    """x = x * w + b on 4 numbers, 500 times; three leaves get gradients, two of them sums."""

    def program(t):
        x0, v = t.ones(4, requires_grad=True), t.ones(4)
        w = t.full((4,), 1.0001, requires_grad=True)
        b = t.full((4,), 0.01, requires_grad=True)

        def run():
            x = x0
            for _ in range(500):
                x = x * w + b
            x.backward(v)
            x0.grad = w.grad = b.grad = None

        return run

    w, b = np.full(4, 1.0001, np.float32), np.full(4, 0.01, np.float32)

    def by_hand():
        xs = [np.ones(4, np.float32)]
        for _ in range(500):
            xs.append(xs[-1] * w + b)
        g = np.ones(4, np.float32)
        gw, gb = np.zeros(4, np.float32), np.zeros(4, np.float32)
        for x in reversed(xs[:-1]):
            gb += g
            gw += g * x
            g = g * w

    return {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}


def vectors():
    """y = 3a + 2b*b + log c on 3-vectors, lists in, gradients out (10 times)."""

    def program(t):
        def run():
            for _ in range(10):
                a = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
                b = t.tensor([3.0, 4.0, 5.0], requires_grad=True)
                c = t.tensor([6.0, 7.0, 8.0], requires_grad=True)
                y = 3 * a + 2 * b * b + t.log(c)
                y.backward(t.tensor([0.1, 1.0, 0.0001]))
                _ = a.grad, b.grad, c.grad

        return run

    def by_hand():
        for _ in range(10):
            a = np.array([1.0, 2.0, 3.0], np.float32)
            b = np.array([3.0, 4.0, 5.0], np.float32)
            c = np.array([6.0, 7.0, 8.0], np.float32)
            3 * a + 2 * b * b + np.log(c)
            v = np.array([0.1, 1.0, 0.0001], np.float32)
            v * 3, v * 4 * b, v / c

    return {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}


def training():
    """One SGD step, 784-128-10, batch 64, cross-entropy (2 steps)."""
    rng = np.random.default_rng(0)
    data = rng.standard_normal((64, 784)).astype(np.float32)
    labels = rng.integers(0, 10, 64)
    start = [
        (rng.standard_normal(shape) * 0.05).astype(np.float32)
        for shape in ((128, 784), (128,), (10, 128), (10,))
    ]

    def program(t):
        x, y = t.tensor(data), t.tensor(labels)
        parameters = [t.tensor(array, requires_grad=True) for array in start]
        cross_entropy, linear = t.nn.functional.cross_entropy, t.nn.functional.linear

        def run():
            w1, b1, w2, b2 = parameters
            for _ in range(2):
                hidden = t.relu(linear(x, w1, b1))
                loss = cross_entropy(linear(hidden, w2, b2), y)
                loss.backward()
                with t.no_grad():
                    for p in parameters:
                        p -= 0.01 * p.grad
                        p.grad = None

        return run

    w1, b1, w2, b2 = [array.copy() for array in start]
    rows = np.arange(64)

    def by_hand():
        nonlocal w1, b1, w2, b2
        for _ in range(2):
            hidden = np.maximum(data @ w1.T + b1, 0)
            logits = hidden @ w2.T + b2
            shifted = logits - logits.max(1, keepdims=True)
            exps = np.exp(shifted)
            sums = exps.sum(1, keepdims=True)
            (np.log(sums)[:, 0] - shifted[rows, labels]).mean()
            g = exps / sums
            g[rows, labels] -= 1
            g /= 64
            gh = g @ w2
            gh *= hidden > 0
            w2 -= 0.01 * (g.T @ hidden)
            b2 -= 0.01 * g.sum(0)
            w1 -= 0.01 * (gh.T @ data)
            b1 -= 0.01 * gh.sum(0)

    return {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}


def large():
    """6 operations on 1M numbers, forward + backward."""
    numbers = np.linspace(0.5, 1.5, 1_000_000, dtype=np.float32)

    def program(t):
        x = t.tensor(numbers, requires_grad=True)

        def run():
            six_operations(t, x).backward()
            x.grad = None

        return run

    def by_hand():
        x = numbers
        y1 = x * x
        y2 = y1 + x
        y3 = np.tanh(y2)
        y4 = y3 * 2
        y5 = y4 * x
        y5.sum()
        g = np.ones_like(y5)
        gx = g * y4
        g = g * x
        g = g * 2
        g = g * (1 - y3 * y3)
        gx = gx + g
        gx + 2 * g * x

    return {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}


def six_operations(t, x):
    """The workload of `large`."""
    y = x * x
    y = y + x
    y = t.tanh(y)
    y = y * 2
    y = y * x
    return y.sum()


def plain():
    """6 plain operations, + - *, on 1M numbers, forward + backward."""
    numbers = np.linspace(0.5, 1.5, 1_000_000, dtype=np.float32)

    def program(t):
        x = t.tensor(numbers, requires_grad=True)
        v = t.ones(1_000_000)

        def run():
            plain_operations(x).backward(v)
            x.grad = None

        return run

    def by_hand():
        x = numbers
        y1 = x * x
        y2 = y1 + x
        y3 = y2 * 2
        y4 = y3 - x
        y5 = y4 * x
        y5 + 1
        g = np.ones_like(y5)
        gx = g * y4
        g = g * x
        gx = gx - g
        g = g * 2
        gx = gx + g
        gx + g * x + g * x

    return {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}


def plain_operations(x):
    """The workload of `plain`."""
    y = x * x
    y = y + x
    y = y * 2
    y = y - x
    y = y * x
    return y + 1


def chain():
    """A chain of 100,000 operations on one number, stock recursion limit."""

    def program(t):
        x = t.ones(1, requires_grad=True)

        def run():
            y = x
            for _ in range(50_000):
                y = y * 1.0001
                y = y + 0.5
            y.backward()
            x.grad = None

        return run

    def by_hand():
        y, c, d = np.ones(1, np.float32), np.float32(1.0001), np.float32(0.5)
        for _ in range(50_000):
            y = y * c
            y = y + d
        g = np.ones(1, np.float32)
        for _ in range(50_000):
            g = g * c

    return {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}


def in_process(code):
    """What a fresh Python prints at the end of `code`, the best of PROCESSES."""
    found = []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled, too
    for _ in range(PROCESSES):
        run = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append([float(number) for number in run.stdout.split()])
    return [min(column) for column in zip(*found)]


MEMORY = """
    import os, resource, sys, time
    def resident():
        for line in open("/proc/self/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    def peak():
        for line in open("/proc/self/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
"""


def print_import():
    """Import time and resident memory, each in a fresh process."""
    code = (
        MEMORY
        + """
    start = time.perf_counter()
    import {0}
    print((time.perf_counter() - start) * 1e3, resident())
    """
    )
    print("\nimport; resident memory")
    rows = {name: in_process(code.format(name)) for name in ("numpy", "minigrad", "torch")}
    for name, (milliseconds, megabytes) in rows.items():
        print(f"    {name:10} {milliseconds:7.1f} ms {megabytes:7.1f} MB")
    extra = [mine - base for mine, base in zip(rows["minigrad"], rows["numpy"])]
    print(f"    minigrad beyond NumPy: {extra[0]:+.1f} ms, {extra[1]:+.1f} MB")


def print_peak():
    """Peak memory of `plain` beyond what was there before it."""
    function = textwrap.indent(inspect.getsource(plain_operations), "    ")
    code = (
        MEMORY
        + function
        + """
    import numpy as np
    import {0} as t
    numbers = np.linspace(0.5, 1.5, 1_000_000, dtype=np.float32)
    x = t.ones(8, requires_grad=True)
    plain_operations(x).backward(t.ones(8))
    before = peak()
    x = t.tensor(numbers, requires_grad=True)
    plain_operations(x).backward(t.ones(1_000_000))
    print(peak() - before)
    """
    )
    print("\n6 plain operations on 1M numbers, forward + backward: peak memory beyond the start")
    for name in (*BESIDE, "minigrad"):
        print(f"    {name:10} {in_process(code.format(name))[0]:7.1f} MB")


def print_bytes():
    """Bytes for each operation of a chain that is held."""
    code = (
        MEMORY
        + """
    import {0} as t
    x = t.ones(1, requires_grad=True)
    (x * 2).backward()
    before = resident()
    y = x
    for _ in range(50_000):
        y = y * 1.0001
        y = y + 0.5
    print((resident() - before) * 1024 * 1024 / 100_000)
    """
    )
    print("\na chain of 100,000 operations: bytes held for each")
    for name in (*BESIDE, "minigrad"):
        print(f"    {name:10} {in_process(code.format(name))[0]:7.0f}")


def run_rules(node, g):
    """Run the rules of a chain of nodes, and nothing else of a pass."""
    while node._is_node:
        node, g = node._next[0], node._vjp(g)[0]


def add_up(leaf, g):
    """Add up 1,000 gradients of one leaf."""
    incoming = Incoming()
    incoming.missing = 1001
    for _ in range(1000):
        at_leaf(leaf, g, incoming, False, ())


def print_parts():
    """Where the time of `sums` goes: microseconds for each of its 1,000 operations."""
    x0 = minigrad.ones(4, requires_grad=True)
    w = minigrad.full((4,), 1.0001, requires_grad=True)
    b = minigrad.full((4,), 0.01, requires_grad=True)
    v, g = minigrad.ones(4), np.ones(4, np.float32)

    def forward():
        x = x0
        for _ in range(500):
            x = x * w + b
        return x

    out = forward()
    parts = {
        "forward": forward,
        "backward": lambda: out.backward(v, retain_graph=True),
        "    of which counting ahead": lambda: incoming_at_leaves([out.grad_fn]),
        "    of which rules": lambda: run_rules(out.grad_fn, g),
        "    of which adding up at leaves": lambda: add_up(w, g),
        "(NumPy, for one product of 4 numbers)": lambda: [g * g for _ in range(1000)],
    }
    print(f"\n{print_parts.__doc__}")
    for part, time_of_1000 in zip(parts, best(0 if PROCESSES == 1 else 4, *parts.values())):
        print(f"    {part:40} {time_of_1000 * 1e3:.2f}")


WORKLOADS = {
    "small": small,
    "sums": sums,
    "vectors": vectors,
    "training": training,
    "plain": plain,
    "large": large,
    "chain": chain,
}
MEASURES = {
    "parts": print_parts,
    "import": print_import,
    "peak": print_peak,
    "bytes": print_bytes,
}


def main(*chosen):
    global PROCESSES, BESIDE
    short = "--short" in chosen
    chosen = [one for one in chosen if one != "--short"]
    if short:
        PROCESSES, BESIDE = 1, ()

    def wanted(name):
        return not chosen or any(name.startswith(start) for start in chosen)

    for name, workload in WORKLOADS.items():
        if not wanted(name):
            continue
        functions = workload()
        for function in functions.values() if not short else ():
            function()
        seconds = 0 if short else 10 if name == "chain" else 4
        times = dict(zip(functions, best(seconds, *functions.values())))
        print(f"\n{name}: {workload.__doc__}")
        for engine, seconds in times.items():
            print(f"    {engine:10} {seconds * 1e3:9.3f} ms")
        mine = times["minigrad"]
        print(
            f"    minigrad / torch {mine / times['torch']:.2f}, minigrad / NumPy by hand "
            f"{mine / times['NumPy']:.2f}"
        )
    for name, measure in MEASURES.items():
        if wanted(name):
            measure()


if __name__ == "__main__":
    main(*sys.argv[1:])
