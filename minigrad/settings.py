"""Settings that programs make and that change nothing here: threads, precision, other devices.

There is one thread, one way to compute, and no device but the CPU. `cuda.is_available()` is False, so that
`device = "cuda" if cuda.is_available() else "cpu"` finds its way.
"""

import types

from .ops.registry import function
from .properties import device, need_cpu


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
def are_deterministic_algorithms_enabled():
    """False, as PyTorch says without being told: it makes no difference here."""
    return False


@function
def set_float32_matmul_precision(precision):
    """Accepted; makes no difference."""


@function
def get_float32_matmul_precision():
    """How exact products of matrices are: always "highest"."""
    return "highest"


@function
def get_default_device():
    """The device of new tensors: always the CPU."""
    return device("cpu")


@function
def set_default_device(device):
    """Accepted for the CPU, where all tensors are; RuntimeError for others (AssertionError for cuda)."""
    need_cpu(device)


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


class Cuda(Absent):
    """NVIDIA's devices: not compiled in, as PyTorch says it."""

    def current_device(self):
        """AssertionError: there is none."""
        need_cpu("cuda")

    def get_device_name(self, device=None):
        """AssertionError: there is none."""
        need_cpu("cuda")

    get_device_properties = get_device_capability = synchronize = get_device_name

    def memory_allocated(self, device=None):
        """0."""
        return 0

    max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated

    def is_initialized(self):
        """False."""
        return False


cuda, mps = Cuda(), Absent()


version = types.SimpleNamespace(cuda=None, hip=None)  # with what PyTorch was built: without CUDA and ROCm
