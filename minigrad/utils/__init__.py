"""What surrounds training: `utils.data` feeds it. Mirrors https://docs.pytorch.org/docs/2.13/utils.html"""

from . import data  # noqa: F401


def __getattr__(name):
    raise AttributeError(
        f"module 'minigrad.utils' has no attribute '{name}': minigrad holds the part of PyTorch that "
        "a first course needs"
    )
