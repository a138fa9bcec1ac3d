"""A backward pass round by round, as it really goes.

    rounds(loss, w=w, b=b, loss=loss)       # calls loss.backward(), and listens

Each round of the engine's loop takes one node. The table tells which, what had arrived there, and
what it sends on. Nothing is computed here: the engine's observer tells it.
"""

from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd import watch

from ..show.formatting import nested
from ..show.html import Html, Shown, escape, page_table, tag

HEAD = ("round", "takes", "had arrived", "sends on")


class Round(NamedTuple):
    """One node that ran. node: its name; sent: a text for each operand."""

    number: int
    node: str
    arrived: str
    sent: list[str]


class Rounds(Shown):
    """rows: a `Round` for each node that ran, in their order."""

    def __init__(self, rows: list[Round]) -> None:
        self.rows = rows
        cells = [HEAD, *((str(one.number), one.node, one.arrived) for one in rows)]
        widths = [max(len(row[k]) for row in cells) for k in range(3)]
        lines, table = [], []
        look = "text-align: left; vertical-align: top; padding: 2px 8px"
        for row, sent in zip(cells, [HEAD[3:], *(one.sent for one in rows)]):
            start = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths))
            for text in sent or [""]:
                lines.append(f"{start}  {text}".rstrip())
                start = " " * len(start)
            texts = [*row[:3], Html("<br>".join(map(escape, sent)))]
            table.append([tag("td", text, style=f"{look}; white-space: nowrap") for text in texts])
        head = [tag("th", name, scope="col", style=look) for name in HEAD]
        super().__init__("\n".join(lines), page_table(table[1:], head))


def rounds(root: Any, v: Any = None, **tensors: Any) -> Rounds:
    """Call `root.backward(v)` and tell each round of the engine's loop: `Rounds`.

    tensors: the program's names, `w=w`; other nodes are called by their kind.
    """
    listener = _Listener(tensors)
    with watch(listener):
        root.backward(v)
    return Rounds(listener.rows)


class _Listener:
    """Hears a pass, a row for each node that runs."""

    def __init__(self, tensors):
        self.rows: list[Round] = []
        self._names = {id(t if t.grad_fn is None else t.grad_fn): n for n, t in tensors.items()}

    def ran(self, node, g, grads):
        targets = [n for n, _ in node.next_functions if n is not None]
        shares = [grad for grad in grads if grad is not None]
        sent = [f"to {self._called(n)}: {_written(share)}" for n, share in zip(targets, shares)]
        self.rows.append(Round(len(self.rows) + 1, self._called(node), _written(g), sent))

    def accumulated(self, leaf, g):
        pass

    def _called(self, node):
        leaf = getattr(node, "variable", None)  # of the end node, where its gradient arrives
        return self._names.get(id(node if leaf is None else leaf)) or (
            node.name() if leaf is None else "a leaf"
        )


def _written(g):
    return nested(np.asarray(g).tolist())
