"""Around training: `torch.utils.data` hands out batches.

Mirrors https://docs.pytorch.org/docs/2.13/data.html
"""

from functools import partial

from .. import _missing
from . import data  # noqa: F401

__getattr__ = partial(_missing, "torch.utils")
