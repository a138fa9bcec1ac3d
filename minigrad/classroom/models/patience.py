"""A learner's function that never ends must not take the widgets with it.

In a cell the learner can interrupt it. But JupyterLab may deliver what is done to a widget in
another thread than the one that runs cells, which no interrupt reaches: only the restart of the
kernel would be left. There it is given up after a while.
"""

import contextlib
import ctypes
import threading

from ..numbers import Refused

LIMIT = 15.0  # seconds


class TookTooLong(Refused):
    """Raised in the thread that took too long, wherever it is."""

    def __init__(self):
        super().__init__(f"It had not come to an end after {LIMIT:g} seconds and was stopped.")


@contextlib.contextmanager
def in_time():
    """Within the block `TookTooLong` is raised after LIMIT seconds, but not in the main thread."""
    if threading.current_thread() is threading.main_thread():
        yield
        return
    thread, turn, done = threading.get_ident(), threading.Lock(), False

    def give_up():
        with turn:
            if not done:
                exception = ctypes.py_object(TookTooLong)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)

    timer = threading.Timer(LIMIT, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with turn:
            done = True
        with contextlib.suppress(TookTooLong):
            for _ in range(100):  # one that is on its way arrives here
                pass
