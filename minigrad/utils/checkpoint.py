"""Checkpoints: what a part of the forward pass saves is thrown away, and computed again in backward.

Mirrors https://docs.pytorch.org/docs/2.13/checkpoint.html
"""

import warnings
import weakref
from contextlib import contextmanager

from .. import autograd
from .. import backward as engine
from ..autograd.graph import saved_tensors_hooks
from ..grad_mode import enable_grad, no_grad
from ..namespace import absent, listed, mirror
from ..nn.containers import Sequential
from ..ops.random import get_rng_state, set_rng_state
from ..tensor import Tensor

UNSAID = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
    "PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. use_reentrant=False "
    "is recommended, but if you need to preserve the current default behavior, you can pass "
    "use_reentrant=True. Refer to docs for more details on the differences between the two variants."
)
UNSAID_OF_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed "
    "explicitly. In version 2.9 we will raise an exception if use_reentrant is not passed. "
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, you "
    "can pass use_reentrant=True. Refer to docs for more details on the differences between the two "
    "variants."
)


class CheckpointError(RuntimeError):
    """What computing again raises when it does not save as much as the first time."""


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, early_stop=True, **kwargs):
    """`function(*args, **kwargs)`, of which only the arguments are kept until backward computes it again.

    Random numbers are the same again, unless `preserve_rng_state` is off. With `use_reentrant` (PyTorch
    asks to say whether: UserWarning if not) backward runs a pass inside of the pass, which
    `autograd.grad` and `backward(inputs=...)` cannot (RuntimeError), and there are no named arguments
    (ValueError). CheckpointError if the second time less is saved.
    """
    if use_reentrant is None:
        warnings.warn(UNSAID, stacklevel=2)
    if use_reentrant is not False:
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    again = _Again(lambda: function(*args, **kwargs), preserve_rng_state, early_stop)
    with saved_tensors_hooks(again.forget, again.compute):
        return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, preserve_rng_state=True):
    """The functions (or modules) one after the other, all but the last of `segments` parts checkpointed.

    Input and output have the shapes of the first and the last function. UserWarning if `use_reentrant`
    is not said.
    """
    if use_reentrant is None:
        warnings.warn(UNSAID_OF_SEQUENTIAL, stacklevel=2)
        use_reentrant = True
    functions = list(functions.children() if isinstance(functions, Sequential) else functions)

    def part(some):
        def run(x):
            for function in some:
                x = function(x)
            return x

        return run

    size, end = len(functions) // segments, 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(part(functions[start:end]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve_rng_state)  # fmt: skip
    return part(functions[end:])(input)


@contextmanager
def _random_numbers_as(state):
    """The stream of random numbers goes on from `state` inside the block, from where it was behind it."""
    now = get_rng_state()
    if state is not None:
        set_rng_state(state)
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(now)


class _Enough(Exception):
    """All that the first time saved is there: the rest need not be computed."""


class _Again:
    """A part of the forward pass that is computed again, once in each backward pass that needs it."""

    def __init__(self, function, preserve_rng_state, early_stop):
        self.function, self.early_stop = function, early_stop
        self.state = get_rng_state() if preserve_rng_state else None
        self.count = 0  # how many tensors the first time would have saved
        self.found = weakref.WeakKeyDictionary()  # pass -> the tensors that the second time saved

    def forget(self, tensor):
        """Keep a number in place of a tensor that is saved."""
        self.count += 1
        return self.count - 1

    def compute(self, number):
        """The tensor of that number, computed again."""
        here = engine.here.running
        if here is None:
            return self._all()[number]
        if here not in self.found:
            self.found[here] = self._all()
        return self.found[here][number]

    def _all(self):
        tensors = []

        def keep(tensor):
            tensors.append(tensor.detach())
            if self.early_stop and len(tensors) == self.count:
                raise _Enough
            return tensors[-1]

        with enable_grad(), _random_numbers_as(self.state):
            try:
                with saved_tensors_hooks(keep, lambda tensor: tensor):
                    self.function()
            except _Enough:
                pass
        if len(tensors) < self.count:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original "
                f"forward and recomputation.\nNumber of tensors saved during forward: {self.count}\n"
                f"Number of tensors saved during recomputation: {len(tensors)}."
            )
        return tensors


class CheckpointFunction(autograd.Function):
    """The checkpoint that runs a backward pass inside of the backward pass."""

    @staticmethod
    def forward(ctx, function, preserve_rng_state, *args):
        """Compute without recording; UserWarning if no argument requires grad."""
        if not any(isinstance(x, Tensor) and x.requires_grad for x in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=4
            )
        ctx.function, ctx.args = function, args
        ctx.state = get_rng_state() if preserve_rng_state else None
        ctx.save_for_backward(*[x for x in args if isinstance(x, Tensor)])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, *gradients):
        """Compute again, recording, and run backward through that.

        RuntimeError in a pass that is to reach certain inputs only, or if nothing requires grad.
        """
        if engine.here.running.targets is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing "
                "an `inputs` parameter to .backward(). To resolve this error, you can either set "
                "use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        saved = iter(ctx.saved_tensors)
        args = [next(saved).detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x
                for x in ctx.args]  # fmt: skip
        with enable_grad(), _random_numbers_as(ctx.state):
            outputs = ctx.function(*args)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(out, g) for out, g in zip(outputs, gradients)
                 if isinstance(out, Tensor) and out.requires_grad]  # fmt: skip
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        autograd.backward(*zip(*pairs))
        return None, None, *[x.grad if isinstance(x, Tensor) else None for x in args]


mirror(globals(), "checkpoint.html#torch.utils.checkpoint.{}")
__getattr__, __dir__ = absent(__name__), listed(globals())
