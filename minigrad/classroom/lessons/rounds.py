"""A backward pass round by round, as the variables of the engine's own `run` have it.

    rounds(loss, w=w, b=b, loss=loss)       # calls loss.backward(), and looks inside `run`

Each round of the loop in `run` takes one node. The table tells which, what had arrived there, and
what it sends on. Nothing is computed here: Python's own tracing reads the variables.
"""

import inspect
import sys

import numpy as np

from ...backward import run
from ...graph import edge
from ..formatting import nested
from ..shown import Shown, escape, page_table, td, th

TAKES, SENDS = "g = arrived.pop(node)", "edges = node._next"  # the two lines of `run` to look at
HEAD = ("round", "takes", "had arrived", "sends on")


class Rounds(Shown):
    """rows: (round, name of the node, what had arrived, what it sends) as texts."""

    def __init__(self, rows):
        self.rows = rows
        super().__init__(self._as_text(), self._as_html())

    def _as_text(self):
        widths = [max(len(row[k]) for row in [HEAD, *self.rows]) for k in range(3)]
        lines = []
        for *cells, sends in [HEAD, *self.rows]:
            first, *more = sends.split("; ")
            start = "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths))
            lines += [f"{start}  {first}", *(" " * (len(start) + 2) + line for line in more)]
        return "\n".join(line.rstrip() for line in lines)

    def _as_html(self):
        look = "text-align: left; vertical-align: top; padding: 2px 8px"
        whole = look + "; white-space: nowrap"
        rows = (
            [td(escape(cell).replace("; ", "<br>"), style=whole) for cell in row]
            for row in self.rows
        )
        return page_table(rows, [th(name, "col", style=look) for name in HEAD])


def rounds(root, v=None, **tensors):
    """Call `root.backward(v)` and tell each round of the engine's loop: `Rounds`.

    tensors: the program's names, `w=w`; other nodes are called by their kind.
    """
    names = {id(edge(tensor)): name for name, tensor in tensors.items()}
    lines = _lines_of(run)
    seen = []

    def called(n):
        return names.get(id(n), n.name() if n._is_node else "a leaf")

    def trace(frame, event, _):
        if frame.f_code is not run.__code__:
            return None
        here = frame.f_locals
        if event == "line" and frame.f_lineno == lines[TAKES]:
            seen.append([called(here["node"]), _told(here["arrived"][here["node"]])])
        elif event == "line" and frame.f_lineno == lines[SENDS]:
            pairs = zip(here["node"]._next, here["grads"])
            seen[-1].append([f"to {called(n)}: {_told(g)}" for n, g in pairs if n is not None])
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        root.backward(v)
    finally:
        sys.settrace(before)
    return Rounds(
        [
            (str(k), name, arrived, "; ".join(sent))
            for k, (name, arrived, sent) in enumerate(seen, 1)
        ]
    )


def _lines_of(function):
    """{text: number} of the lines to look at."""
    source, first = inspect.getsourcelines(function)
    found = {line.strip(): first + k for k, line in enumerate(source)}
    return {text: found[text] for text in (TAKES, SENDS)}


def _told(g):
    return nested(np.asarray(g).tolist())
