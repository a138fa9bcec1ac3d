"""How long a learner's action may take in a panel: it is waited for aloud, and then stopped.

Python can interrupt itself in its main thread alone, where our settings of JupyterLab let a panel's
messages arrive, and neither on Windows nor in a browser; elsewhere the kernel has to be restarted.
"""

import contextlib
import signal
import threading

import numpy as np

import minigrad

PATIENCE = 1.0  # seconds, then a panel says that it waits
LIMIT = 15.0  # seconds, then an action is stopped
AGAIN = 1.0  # seconds, until what has swallowed that is stopped once more


class Stopped(BaseException):
    """An action takes too long: raised wherever it has come to, and only within `stoppable`.

    Like KeyboardInterrupt it is no Exception: a learner's `except Exception` must not take it.
    Whoever calls `stoppable` catches it, because a kernel's loop would end with it.
    """


@contextlib.contextmanager
def limited(say_so):
    """Within it, `say_so()` is called after PATIENCE seconds, and after LIMIT what is stoppable is
    stopped."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def say(*_):
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, LIMIT - PATIENCE, AGAIN)
        say_so()

    before = signal.signal(signal.SIGALRM, say)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def stoppable(action, *arguments):
    """`action(*arguments)`, which may raise Stopped. What catches that is itself never stopped."""
    # What is stopped while it switches warnings or recording may leave them switched.
    with np.errstate(), minigrad.set_grad_enabled(minigrad.is_grad_enabled()):
        return _run(action, arguments)


def _run(action, arguments):
    return action(*arguments)


def _stop(_, frame):
    """The alarm rings. Raises Stopped only if what it interrupts was called by `_run`: before and
    after an action, and while somebody catches it, nothing is stopped."""
    while frame is not None:
        if frame.f_code is _run.__code__:
            raise Stopped
        frame = frame.f_back
