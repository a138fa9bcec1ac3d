"""The engine's own lines, read from its files as they are now.

source(undo_broadcast)                                  # a whole function
source(run, ("if n in arrived", "if uses"))             # from one line up to another
"""

import inspect
import textwrap
from html import escape
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]


class Source:
    """file: where the lines stand; text: the lines."""

    def __init__(self, file, text):
        self.file, self.text = file, text

    def __repr__(self):
        return f"{self.file}\n\n{self.text}"

    def _repr_html_(self):
        return (
            f"<p><code>{escape(self.file)}</code></p>"
            '<pre style="font-family: monospace; overflow-x: auto; white-space: pre">'
            f"{escape(self.text)}</pre>"
        )


def source(function, *parts):
    """The lines of a function, or parts of them: (how the first begins, how the one after begins).

    ValueError if there is no such line.
    """
    lines = inspect.getsource(function).rstrip().splitlines()
    found = [lines[_place(lines, first) : _place(lines, after)] for first, after in parts] or [
        lines
    ]
    file = Path(inspect.getsourcefile(function)).resolve().relative_to(PROJECT)
    texts = [textwrap.dedent("\n".join(part)).rstrip() for part in found]
    return Source(file.as_posix(), "\n\n\u2026\n\n".join(texts))


def _place(lines, start):
    """Where the first line that begins so stands."""
    for place, line in enumerate(lines):
        if line.strip().startswith(start):
            return place
    raise ValueError(f"no line begins with {start!r}")
