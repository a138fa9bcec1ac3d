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
    """An action takes too long: raised wherever it has come to.

    Like KeyboardInterrupt it is no Exception: a learner's `except Exception` must not take it.
    It never leaves `limited`: a kernel's loop would end with it.
    """


_running = False  # whether an action may still be stopped


@contextlib.contextmanager
def limited(say_so):
    """Within it, `say_so()` is called after PATIENCE seconds, and after LIMIT Stopped is raised."""
    global _running
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def say(*_):
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, LIMIT - PATIENCE, AGAIN)
        say_so()

    def stop(*_):
        if _running:
            raise Stopped

    before = signal.signal(signal.SIGALRM, say)
    try:
        _running = True
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        # What is stopped while it switches warnings or recording may leave them switched.
        with np.errstate(), minigrad.set_grad_enabled(minigrad.is_grad_enabled()):
            yield
        _running = False  # what rings from here on stops nothing
    except Stopped:  # after the action, before the line above
        pass
    finally:
        over()
        signal.signal(signal.SIGALRM, before)


def over():
    """Stop nothing any more: the action that was under way has ended, or has been stopped."""
    global _running
    _running = False
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
