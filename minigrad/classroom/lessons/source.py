"""The engine's own lines, read from its files as they are now.

source(backward_pass)                                   # a whole function
source(undo_broadcast, ("def", "if isinstance"))        # from one line up to another
source(backward_pass, ("if not ready", None))           # from one line to the end
"""

import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path

from ..show.html import Shown, escape

PROJECT = Path(__file__).resolve().parents[3]


def source(function: Callable | type, *parts: tuple[str, str | None]) -> Shown:
    """The lines of a function, or parts of them: (how the first begins, how the one after begins).

    None in place of the line after means up to the end. ValueError if there is no such line.
    """
    lines = inspect.getsource(function).rstrip().splitlines()
    found = [lines[_place(lines, first) : _place(lines, after)] for first, after in parts] or [
        lines
    ]
    file = Path(inspect.getfile(function)).resolve().relative_to(PROJECT).as_posix()
    texts = [textwrap.dedent("\n".join(part)).rstrip() for part in found]
    text = "\n\n\u2026\n\n".join(texts)
    look = "font-family: monospace; overflow-x: auto; white-space: pre"
    html = f'<p><code>{escape(file)}</code></p><pre style="{look}">{escape(text)}</pre>'
    return Shown(f"{file}\n\n{text}", html)


def _place(lines, start):
    """Where the first line that begins so stands; None is the end."""
    if start is None:
        return len(lines)
    for place, line in enumerate(lines):
        if line.strip().startswith(start):
            return place
    raise ValueError(f"no line begins with {start!r}")
