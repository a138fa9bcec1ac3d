"""Whether operations are recorded: `no_grad`, `enable_grad`, `set_grad_enabled`.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#locally-disabling-gradient-computation
"""

import functools
import inspect
import threading
import warnings


class _Mode(threading.local):
    """The switch itself, one for each thread as in PyTorch; operations read `mode.enabled` once each."""

    enabled = True
    inference = False  # whether we are inside of an `inference_mode` block


mode = _Mode()


def is_grad_enabled():
    """True while operations on tensors that require grad are recorded."""
    return mode.enabled


class _Switch:
    """A grad mode usable as `with` block and as decorator, with or without parentheses."""

    def __new__(cls, function=None):
        self = super().__new__(cls)
        if function is None:
            return self
        self.__init__()
        return self(function)

    def __init__(self, function=None):
        pass

    def __enter__(self):
        self._before = mode.enabled
        mode.enabled = self.value

    def __exit__(self, *exception):
        mode.enabled = self._before

    def clone(self):
        """A fresh switch of the same setting: every call of a decorated function has its own."""
        return type(self)()

    def __call__(self, function):
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should "
                "only decorate functions or methods. To preserve the current behavior of class "
                "decoration, you can directly decorate the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            cls = function
            function = lambda *args, **kwargs: cls(*args, **kwargs)  # noqa: E731
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def _wrap_generator(self, function):
        """The mode holds while the generator runs, and not in between, where its consumer does."""

        @functools.wraps(function)
        def generator(*args, **kwargs):
            running = function(*args, **kwargs)
            resume, sent = running.send, None
            while True:
                try:
                    with self.clone():
                        found = resume(sent)
                except StopIteration as stop:
                    return stop.value
                try:
                    sent, resume = (yield found), running.send
                except GeneratorExit:
                    with self.clone():
                        running.close()
                    raise
                except BaseException as error:
                    sent, resume = error, running.throw

        return generator


class no_grad(_Switch):
    """Nothing inside is recorded; results do not require grad. A `with` block, or a decorator."""

    value = False


class inference_mode(_Switch):
    """`no_grad` for programs that never differentiate; `inference_mode(False)` records again.

    What is made inside is not to be saved for backward, nor changed in place, later on: RuntimeError.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.grad_mode.inference_mode.html
    """

    def __new__(cls, mode=True):
        return super().__new__(cls, None if isinstance(mode, bool) else mode)

    def __init__(self, mode=True):
        self.value = not mode

    def __enter__(self):
        super().__enter__()
        self._outside = mode.inference
        mode.inference = not self.value

    def __exit__(self, *exception):
        mode.inference = self._outside
        super().__exit__(*exception)

    def clone(self):
        """A fresh switch of the same setting."""
        return type(self)(not self.value)


def is_inference_mode_enabled():
    """True inside an `inference_mode` block."""
    return mode.inference


class enable_grad(_Switch):
    """Recording is on again, inside a `no_grad` block. A `with` block, or a decorator.

    In an `inference_mode` block nothing is recorded all the same.
    """

    value = True

    def __enter__(self):
        super().__enter__()
        mode.enabled = not mode.inference


class set_grad_enabled(_Switch):
    """`set_grad_enabled(flag)` switches at once; as a `with` block it restores what was before.

    TypeError for what is no bool.
    """

    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def __init__(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(
                "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not "
                f"{type(mode).__name__}"
            )
        self.value, self._before = mode, is_grad_enabled()
        _set(mode)

    def __enter__(self):
        _set(self.value)

    def __call__(self, function):
        _set(self._before)  # used as a decorator: the switch is for the function alone
        return super().__call__(function)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.value})"

    def clone(self):
        """The same setting, remembering the mode of this moment."""
        return type(self)(self.value)


def _set(value):
    mode.enabled = value
