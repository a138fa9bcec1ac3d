"""The observer: what the engine really does, told while it does it. Widgets replay it.

Nothing like it is in PyTorch.
"""

import threading
from contextlib import contextmanager

from .hooks import recorders


class _Here(threading.local):
    """Who watches the passes of this thread, and which one is running; others' are none of its business."""

    watcher = running = None


here = _Here()


@contextmanager
def watch(watcher):
    """Let `watcher` hear, while the block lasts, what the engine really does in this thread.

    Its methods, of which it may leave out the first, or the other two: `recorded(node, args, out)` after
    an operation was recorded, with its arguments and the array of its result; `ran(node, g, grads,
    freed)` after a node ran in a backward pass, with the gradient that arrived and those it sends on;
    `accumulated(leaf, g, before)` after `g` was added to a leaf's `.grad`, which was `before`.
    Gradients are plain arrays (tensors under `create_graph`).
    """
    outer, thread = here.watcher, threading.get_ident()

    def recorded(*what):
        if threading.get_ident() == thread:
            watcher.recorded(*what)

    try:
        if hasattr(watcher, "ran"):
            here.watcher = watcher
        if hasattr(watcher, "recorded"):
            recorders.append(recorded)
        yield watcher
    finally:
        here.watcher = outer
        if recorded in recorders:
            recorders.remove(recorded)
