"""Modes: whether operations are recorded, and who listens.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#locally-disabling-gradient-computation
"""

import contextvars
import functools
import inspect
import threading

import numpy as np


class _Mode(threading.local):
    """The switches of one thread; every operation reads `mode.enabled`."""

    enabled = True  # operations on tensors that require grad are recorded

    def __init__(self):
        # `mode.without_float_warnings(function, *arguments)` calls a function of arrays without
        # NumPy's warnings of inf and nan, in a context where they are off. `with np.errstate` would
        # take longer than a small operation itself. A context cannot be entered twice, so such a
        # function applies no operations to tensors, and a whole pass uses `np.errstate`.
        with np.errstate(all="ignore"):
            self.without_float_warnings = contextvars.copy_context().run


mode = _Mode()
listeners = []  # pairs (thread, or None for all; object whose methods `tell` calls)


def tell(event, *args):
    """Call the method named `event` of each listener to this thread that has such a method."""
    this_thread = threading.get_ident()
    for thread, listener in list(listeners):
        method = getattr(listener, event, None)
        if method is not None and thread in (None, this_thread):
            method(*args)


def is_grad_enabled():
    """True while operations on tensors that require grad are recorded."""
    return mode.enabled


class _Switch:
    """A grad mode: a `with` block, or a decorator with or without parentheses."""

    value: bool  # what `mode.enabled` becomes

    def __new__(cls, function=None):
        self = super().__new__(cls)
        return self if function is None else self(function)

    def __enter__(self):
        self._before = mode.enabled
        mode.enabled = self.value

    def __exit__(self, *exception):
        mode.enabled = self._before

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            raise TypeError("a grad mode of minigrad cannot decorate a generator; use `with`")

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with set_grad_enabled(self.value):
                return function(*args, **kwargs)

        return wrapped


class no_grad(_Switch):
    """Nothing inside is recorded, and results do not require grad. A `with` block or a decorator.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.no_grad.html
    """

    value = False


class inference_mode(no_grad):
    """As `no_grad`; but PyTorch then refuses to save a result for backward, and minigrad does not.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.grad_mode.inference_mode.html
    """


class enable_grad(_Switch):
    """Recording is on again, inside a `no_grad` block. A `with` block or a decorator.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.enable_grad.html
    """

    value = True


class set_grad_enabled(_Switch):
    """`set_grad_enabled(flag)` switches at once; after a `with` block, the mode is as before.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.set_grad_enabled.html
    """

    def __new__(cls, mode):
        return object.__new__(cls)

    def __init__(self, mode):
        self.value = bool(mode)
        super().__enter__()

    def __enter__(self):
        mode.enabled = self.value  # `__init__` has noted the mode from before

    def __call__(self, function):
        mode.enabled = self._before  # a decorator switches for its function alone
        return super().__call__(function)
