"""Warnings are results, too: heard and shown as sentences, not printed into the notebook.

What a learner's function prints can be caught in the same way.
"""

import contextlib
import io
import re
import threading
import warnings
from collections.abc import Iterator

MOST = 100_000  # characters that are kept of what is printed

# Python keeps one list of warnings and one place to print to for the whole process, so one block
# listens at a time.
_one_at_a_time = threading.RLock()


@contextlib.contextmanager
def caught_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Within the block every warning is kept, and none is shown; yields the list of them."""
    with _one_at_a_time, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


@contextlib.contextmanager
def caught_printing() -> Iterator[io.StringIO]:
    """Within the block nothing is printed; yields an `io.StringIO` that gets it instead."""
    with _one_at_a_time, contextlib.redirect_stdout(_Printed()) as printed:
        yield printed


class _Printed(io.StringIO):
    """What was printed; of a loop that prints without end, the beginning."""

    def write(self, text: str) -> int:
        return super().write(text) if self.tell() < MOST else len(text)


@contextlib.contextmanager
def hear_warnings() -> Iterator[list[str]]:
    """As `caught_warnings`, but yields the list of their texts, which is filled when it ends.

    What PyTorch appends about its own source files is left out: it differs between machines.
    """
    texts: list[str] = []
    with caught_warnings() as caught:
        try:
            yield texts
        finally:
            for warning in caught:
                text = re.sub(r"\s*\(Triggered .*", "", str(warning.message), flags=re.DOTALL)
                texts.append(text.strip())
