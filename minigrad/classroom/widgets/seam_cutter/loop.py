"""Truncated backpropagation through time, with and without the bug that counts a share twice.

The loop of PyTorch's forum, thread 15500: h = w * h, cut at every step. From each new h, the loss,
backward runs through all earlier steps, handing over at each cut what arrived in its `.grad`; with
the bug it still holds what the window before had left there.
"""

import functools
from collections import namedtuple

STEPS = 3
WEIGHT, START = 0.2, 0.9

# One backward through time. state: the newest h; handed: what crossed each seam, newest first.
Window = namedtuple("Window", "state handed weight_grad")


@functools.lru_cache(maxsize=64)  # most edits leave the loop as it is
def windows(torch, weight=WEIGHT, start=START, clear=True):
    """Run the loop in one engine: a `Window` for each step.

    clear: empty the seams' `.grad` before each window, which is right; False leaves them.
    """
    w = torch.tensor(float(weight), requires_grad=True)
    state, seams, results, by_step = torch.tensor(float(start)), [], [], []
    for step in range(STEPS):
        seams.append((results[-1] if results else state).detach().requires_grad_())
        results.append(w * seams[-1])
        for leaf in [w, *seams] if clear else [w]:
            leaf.grad = None
        handed = []
        results[-1].backward(retain_graph=True)
        for k in reversed(range(step)):
            handed.append(seams[k + 1].grad.item())
            results[k].backward(seams[k + 1].grad, retain_graph=True)
        by_step.append(Window(results[-1].item(), tuple(handed), w.grad.item()))
    return tuple(by_step)


def last_gradients(torch, weight=WEIGHT, start=START):
    """{"right": w.grad after the last window, "twice": the same with the bug}."""
    return {
        name: windows(torch, weight, start, clear=name == "right")[-1].weight_grad
        for name in ("right", "twice")
    }
