"""A learner's function that never ends must not take the widgets with it.

In a cell the learner can interrupt it. But JupyterLab may deliver what is done to a widget in
another thread than the one that runs cells, which no interrupt reaches: only the restart of the
kernel would be left. There it is given up after a while.
"""

import ctypes
import threading
from _thread import start_new_thread

from .. import engines
from ..typed_numbers import Refused

LIMIT = 15.0  # seconds
AGAIN = 1.0  # seconds from one attempt to stop it to the next


class TookTooLong(Refused):
    """What was done did not come to an end in time."""

    def __init__(self):
        super().__init__(f"It had not come to an end after {LIMIT:g} seconds and was stopped.")


class _Stop(BaseException):
    """Raised in the thread that takes too long, at whatever line that has come to.

    Like KeyboardInterrupt it is no Exception: neither the engine, which words errors anew, nor a
    learner's `except Exception` may take it for one of theirs.
    """


def in_time(work, *args):
    """`work(*args)`; `TookTooLong` if it is not done after LIMIT seconds, but never in the main thread."""
    if threading.current_thread() is threading.main_thread():
        return work(*args)
    # Locks, no Event and no Thread: those are Python code, which would itself be stopped halfway.
    thread, turn, over = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Lock()
    under_way, modes = False, _grad_modes()

    def stop_it():
        patience = LIMIT
        while not over.acquire(timeout=patience):
            with turn:
                if under_way:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Stop))
            patience = AGAIN  # a bare `except`, or Python itself in `__del__`, may swallow it

    over.acquire()
    try:
        start_new_thread(stop_it, ())
        try:
            under_way = True
            return work(*args)
        finally:
            under_way = False
            with turn:  # None is sent from here on; one that is on its way arrives in the loop.
                for _ in range(100):  # To call it back would keep Python 3.11 looking for it, slowly.
                    pass
    except _Stop:
        for torch, enabled in modes:  # it may have landed where a no_grad block was being left
            torch.set_grad_enabled(enabled)
        raise TookTooLong from None
    finally:
        over.release()


def _grad_modes():
    """For each engine that is at hand, whether it records in this thread."""
    here = filter(None, (engines.minigrad, engines.torch_if_loaded()))
    return [(torch, torch.is_grad_enabled()) for torch in here]
