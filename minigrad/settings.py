"""Settings that programs make and that change nothing here: threads, precision, other devices.

There is one thread, one way to compute, and no device but the CPU. `cuda.is_available()` is False, so that
`device = "cuda" if cuda.is_available() else "cpu"` finds its way.
"""

from types import SimpleNamespace

from .ops.registry import function


@function
def set_num_threads(int):
    """Accepted, and makes no difference: there is one thread."""


@function
def get_num_threads():
    """How many threads compute: always 1."""
    return 1


@function
def use_deterministic_algorithms(mode, *, warn_only=False):
    """Accepted; all algorithms are deterministic."""


@function
def set_float32_matmul_precision(precision):
    """Accepted; makes no difference."""


class Absent:
    """A kind of device that is not there, such as `cuda`; its random numbers need no seed."""

    def is_available(self):
        """False."""
        return False

    is_built = is_available

    def device_count(self):
        """0."""
        return 0

    def manual_seed(self, seed):
        """Accepted; makes no difference."""

    manual_seed_all = manual_seed

    def synchronize(self, device=None):
        """Accepted; makes no difference."""

    empty_cache = synchronize


cuda, mps = Absent(), Absent()
backends = SimpleNamespace(
    mps=mps, cuda=cuda, cudnn=SimpleNamespace(deterministic=False, benchmark=False, enabled=False)
)
