"""Where the project lies, and how a file of it is written."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write(path, text):
    """Replace a file in one step: stopped at any moment, it is the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8", newline="\n")
    beside.replace(path)
