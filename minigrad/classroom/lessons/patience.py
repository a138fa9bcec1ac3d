"""A check that does not end says how to stop it.

    with still_running():
        while True: pass        # after some seconds: Still running. If it does not end, press ...

Where there are no threads, as in a browser, nothing is said meanwhile; the lessons' texts say it.
MINIGRAD_PATIENCE is another number of seconds, for a machine that stores the lessons' outputs.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

SECONDS = float(os.environ.get("MINIGRAD_PATIENCE", 10))
HOW_TO_STOP = "press the square \u25a0 above the notebook, or the key Esc and then twice the key I"
_SAID = f"Still running. If it does not end, {HOW_TO_STOP}."


@contextlib.contextmanager
def still_running() -> Iterator[None]:
    """Within the block, say after some seconds how to stop it."""
    place = sys.stdout  # the cell's, for a checked function's own is caught
    clock = threading.Timer(SECONDS, lambda: print(_SAID, file=place, flush=True))
    clock.daemon = True
    try:
        with contextlib.suppress(RuntimeError):  # no threads here
            clock.start()
        yield
    finally:
        clock.cancel()
