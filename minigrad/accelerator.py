"""Devices that compute faster: there is none, and programs that look for one find that out.

Mirrors https://docs.pytorch.org/docs/2.13/accelerator.html
"""

from .namespace import absent


def is_available():
    """False: there is no device but the CPU."""
    return False


def current_accelerator(check_available=False):
    """None."""


def device_count():
    """0."""
    return 0


def synchronize(device=None):
    """RuntimeError: there is nothing to wait for."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


current_device_index = synchronize
__getattr__ = absent(__name__)
