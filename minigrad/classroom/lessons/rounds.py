"""A backward pass round by round, as it really goes.

    rounds(loss, w=w, b=b, loss=loss)       # calls loss.backward(), and listens

Each round of the engine's loop takes one node. The table tells which, what had arrived there, and
what it sends on. Nothing is computed here: the engine's observer tells it.
"""

from typing import Any

import numpy as np

from minigrad.autograd import watch

from ..formatting import nested
from ..shown import Shown, escape, page_table, td, th

HEAD = ("round", "takes", "had arrived", "sends on")


class Rounds(Shown):
    """rows: (round, name of the node, what had arrived, what it sends) as texts."""

    def __init__(self, rows: list[tuple[str, str, str, str]]) -> None:
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


def rounds(root: Any, v: Any = None, **tensors: Any) -> Rounds:
    """Call `root.backward(v)` and tell each round of the engine's loop: `Rounds`.

    tensors: the program's names, `w=w`; other nodes are called by their kind.
    """
    heard = _Listener(tensors)
    with watch(heard):
        root.backward(v)
    return Rounds(heard.rows)


class _Listener:
    """Hears a pass, a row for each node that runs."""

    def __init__(self, tensors):
        self.rows = []
        self._names = {id(t if t.grad_fn is None else t.grad_fn): n for n, t in tensors.items()}

    def ran(self, node, g, grads):
        targets = [n for n, _ in node.next_functions if n is not None]
        shares = [grad for grad in grads if grad is not None]
        sent = [f"to {self._called(n)}: {_told(share)}" for n, share in zip(targets, shares)]
        self.rows.append((str(len(self.rows) + 1), self._called(node), _told(g), "; ".join(sent)))

    def accumulated(self, leaf, g):
        pass

    def _called(self, node):
        leaf = getattr(
            node, "variable", None
        )  # the end of the way, where a leaf's gradient arrives
        return self._names.get(id(node if leaf is None else leaf)) or (
            node.name() if leaf is None else "a leaf"
        )


def _told(g):
    return nested(np.asarray(g).tolist())
