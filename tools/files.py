"""The project's folder, and how to write a file."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write(path, text):
    """Replace a file in one step: if interrupted, it is the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8", newline="\n")
    beside.replace(path)
