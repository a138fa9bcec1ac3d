"""The small programs of the leaf inspector: each settles a question about leaves, flags and hooks.

They stand in `programs.txt`: a name and a question, what to look for, and the lines as they are
run. The numbers in the names are those of the course's list of confusions.
"""

import re
from pathlib import Path

from ...show.typed_numbers import read_array
from ..shared.example import by_name
from .program import Program, leaf, line

_LEAF = re.compile(r"(\w+) = torch\.tensor\((\[[^]]*\])(, requires_grad=True)?\)")


def _program(text):
    head, note, *lines = text.splitlines()
    name, question = head.split(": ", 1)
    return Program(name, question, None, {}, note=note, steps=tuple(map(_step, lines)))


def _step(text):
    made = _LEAF.fullmatch(text.strip())
    return (
        line(text.strip())
        if made is None
        else leaf(made[1], read_array(made[2]).tolist(), bool(made[3]))
    )


_TEXT = Path(__file__).with_name("programs.txt").read_text("utf-8")
EXAMPLES = by_name(*map(_program, _TEXT.strip().split("\n\n")))
