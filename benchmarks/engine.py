"""How fast the engine is beside PyTorch and beside NumPy written by hand: ratios from one run.

    python3 run.py bench engine            all workloads
    python3 run.py bench engine chain      those whose name begins so
    python3 run.py bench engine --short    one run of each; the figures mean nothing

Every workload runs on one thread, in this process, with the engines taking turns, and the best run
counts (memory and import have processes of their own). Ratios carry over to other machines, times
do not.
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

torch.set_num_threads(1)
PROCESSES = 7  # from which the best is taken
BESIDE = ("torch",)  # whose import and memory are measured beside ours


def best(seconds, *functions):
    """The best time in seconds of each function, tried for so long in all.

    They take turns, so that all see the same load; runs are short, so that some meet none.
    """
    least = [float("inf")] * len(functions)
    gc.collect()
    end = time.perf_counter() + seconds
    while min(least) == float("inf") or time.perf_counter() < end:
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            least[i] = min(least[i], time.perf_counter() - start)
    return least


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

    return program, by_hand


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

    return program, by_hand


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

    return program, by_hand


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

    return program, by_hand


def on_a_million(operations):
    """The program that runs these operations on 1M numbers, and back."""
    numbers = np.linspace(0.5, 1.5, 1_000_000, dtype=np.float32)

    def program(t):
        x = t.tensor(numbers, requires_grad=True)
        v = t.ones(operations(x).shape)

        def run():
            operations(x).backward(v)
            x.grad = None

        return run

    return program, numbers


def plain_operations(x):
    y = x * x
    y = y + x
    y = y * 2
    y = y - x
    y = y * x
    return y + 1


def plain():
    """6 plain operations, + - *, on 1M numbers, forward + backward."""
    program, x = on_a_million(plain_operations)

    def by_hand():
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

    return program, by_hand


def large_operations(x):
    y = x * x
    y = y + x
    y = y.tanh()
    y = y * 2
    y = y * x
    return y.sum()


def large():
    """6 operations on 1M numbers, forward + backward."""
    program, x = on_a_million(large_operations)

    def by_hand():
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

    return program, by_hand


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

    return program, by_hand


# What a fresh Python prints, NAME being "numpy", "minigrad" or "torch": the memory is Linux's.
MEMORY = """
    import importlib, time
    def megabytes(what):
        [size] = [line for line in open("/proc/self/status") if line.startswith(what)]
        return int(size.split()[1]) / 1024
    begun = time.perf_counter()
    t = importlib.import_module(NAME)
    took = time.perf_counter() - begun
"""
IMPORT = """
    print(took * 1e3, megabytes("VmRSS"))
"""
PEAK = """
    x = t.ones(8, requires_grad=True)
    plain_operations(x).backward(t.ones(8))
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak so far is forgotten: importing has one of its own
    before = megabytes("VmRSS")
    x = t.ones(1_000_000, requires_grad=True)
    plain_operations(x).backward(t.ones(1_000_000))
    print(megabytes("VmHWM") - before)
"""
BYTES = """
    x = t.ones(1, requires_grad=True)
    (x * 2).backward()
    before = megabytes("VmRSS")
    y = x
    for _ in range(50_000):
        y = y * 1.0001
        y = y + 0.5
    print((megabytes("VmRSS") - before) * 1024 * 1024 / 100_000)
"""


def in_process(name, code):
    """The least that a fresh Python prints, of PROCESSES, for each of its numbers."""
    parts = [f"NAME = {name!r}", inspect.getsource(plain_operations)]
    parts += map(textwrap.dedent, (MEMORY, code))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled, too
    command, rows = [sys.executable, "-c", "\n".join(parts)], []
    for _ in range(PROCESSES):
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        rows.append([float(number) for number in run.stdout.split()])
    return [min(column) for column in zip(*rows)]


def print_import():
    """Import time and resident memory, each in a fresh process."""
    rows = {name: in_process(name, IMPORT) for name in ("numpy", *BESIDE, "minigrad")}
    for name, (milliseconds, megabytes) in rows.items():
        print(f"    {name:10} {milliseconds:7.1f} ms {megabytes:7.1f} MB")
    extra = [mine - base for mine, base in zip(rows["minigrad"], rows["numpy"])]
    print(f"    minigrad beyond NumPy: {extra[0]:+.1f} ms, {extra[1]:+.1f} MB")


def print_peak():
    """6 plain operations on 1M numbers, forward + backward: peak memory beyond the start."""
    for name in (*BESIDE, "minigrad"):
        print(f"    {name:10} {in_process(name, PEAK)[0]:7.1f} MB")


def print_bytes():
    """A chain of 100,000 operations: bytes held for each."""
    for name in (*BESIDE, "minigrad"):
        print(f"    {name:10} {in_process(name, BYTES)[0]:7.0f}")


WORKLOADS = (small, sums, vectors, training, plain, large, chain)
MEASURES = {}
if sys.platform == "linux":  # whose processes tell their memory
    MEASURES = {"import": print_import, "peak": print_peak, "bytes": print_bytes}


def print_times(workload, short):
    """How long a workload takes with each engine, and by hand."""
    program, by_hand = workload()
    functions = {"torch": program(torch), "NumPy": by_hand, "minigrad": program(minigrad)}
    seconds = 0 if short else 10 if workload is chain else 4
    times = dict(zip(functions, best(seconds, *functions.values())))
    for engine, took in times.items():
        print(f"    {engine:10} {took * 1e3:9.3f} ms")
    beside, by_hand = (times["minigrad"] / times[name] for name in ("torch", "NumPy"))
    print(f"    minigrad / torch {beside:.2f}, minigrad / NumPy by hand {by_hand:.2f}")


def main(*chosen):
    global PROCESSES, BESIDE
    short = "--short" in chosen
    chosen = [one for one in chosen if one != "--short"]
    if short:
        PROCESSES, BESIDE = 1, ()

    def wanted(name):
        return not chosen or name.startswith(tuple(chosen))

    for workload in WORKLOADS:
        if wanted(workload.__name__):
            print(f"\n{workload.__name__}: {workload.__doc__}")
            print_times(workload, short)
    for name, measure in MEASURES.items():
        if wanted(name):
            print(f"\n{name}: {measure.__doc__}")
            measure()


if __name__ == "__main__":
    main(*sys.argv[1:])
