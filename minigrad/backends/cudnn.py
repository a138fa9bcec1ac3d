"""The library that is not there: what it is told makes no difference.

Mirrors https://docs.pytorch.org/docs/2.13/backends.html#module-torch.backends.cudnn
"""

deterministic = benchmark = enabled = allow_tf32 = False


def is_available():
    """False."""
    return False


def version():
    """None: there is no version of it."""
