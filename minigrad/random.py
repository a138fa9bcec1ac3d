"""The state of the random numbers: seeds, and what goes on from where.

Mirrors https://docs.pytorch.org/docs/2.13/random.html
"""

import contextlib

from .namespace import absent
from .ops.random import get_rng_state, initial_seed, manual_seed, seed, set_rng_state  # noqa: F401
from .ops.random import default_generator  # noqa: F401


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True):
    """A block after which random numbers go on as if it had not been there."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


__getattr__ = absent(__name__)
