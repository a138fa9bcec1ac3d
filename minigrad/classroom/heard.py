"""Warnings are results, too: heard and shown as sentences, not printed into the notebook."""

import contextlib
import re
import threading
import warnings

# Python keeps one list of warnings for the whole process, so one block listens at a time.
_one_at_a_time = threading.RLock()


@contextlib.contextmanager
def hear_warnings():
    """Within the block every warning is kept, and none is shown; yields the list of their texts.

    The list is filled when the block ends. What PyTorch appends about its own source files is left
    out: it differs from machine to machine.
    """
    texts = []
    with _one_at_a_time, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield texts
        finally:
            for warning in caught:
                text = re.sub(r"\s*\(Triggered .*", "", str(warning.message), flags=re.DOTALL)
                texts.append(text.strip())
