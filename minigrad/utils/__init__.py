"""What surrounds training: `utils.data` feeds it, `utils.checkpoint` trades time for memory.

Mirrors https://docs.pytorch.org/docs/2.13/utils.html
"""

import importlib

from ..namespace import absent


def __dir__():
    return ["checkpoint", "data"]


def __getattr__(name):
    if name in ("checkpoint", "data"):  # loaded when first asked for
        return importlib.import_module(f"minigrad.utils.{name}")
    return absent(__name__)(name)
